// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree. At every time, in any order of times, boxes contain all vertices and are
// the smallest that do, up to the pad. The batched form and the event-by-event form agree. The
// counts are those promised.

#include "test_kinetic_support.h"
#include "support/motion_def.h"

static void test_boxes_contain_vertices_and_are_least(void** state) {
    (void)state;
    test_random random = random_seed(71);
    uint64_t events = 0;
    for (uint32_t round = 0; round < effort(40, 240, 6000); ++round) {
        flyer f = flyer_make(&random, round);
        double time = f.p.keys[0].time;
        for (uint32_t step = 0; step < 25; ++step) {
            time = next_time(&random, &f.p, time);
            where("round %u, kind %d, step %u, time %a", round, (int)f.kind, step, time);
            REQUIRE_OK(abut_body_set_time(f.w.scene, f.id, time, NULL));
            check_state(&f.w, f.id, &f.p);
        }
        const abut__kinetic_counts* counts = &state_of(&f.w, f.id)->kinetic->counts;
        events += counts->events;
        flyer_free(&f);
    }
    assert_true(events > 1000);
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(72);
    size_t hits[2] = {0, 0};
    for (uint32_t round = 0; round < effort(8, 30, 600); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface ball = surface_ball(8, 12, 1);
        surface sheet = surface_sheet(9, 9, 3);
        plan p = plan_make(&random, &ball, (plan_kind)(round % 3), 3, 1, 0, false);
        plan q = plan_make(&random, &sheet, (plan_kind)(round / 3 % 3), 3, 1, 0, true);
        const abut_body_id a = add_kinetic(&w, &random, &ball, &p);
        const abut_body_id b = add_kinetic(&w, &random, &sheet, &q);
        double time[2] = {p.keys[0].time, q.keys[0].time};
        for (int step = 0; step < 6; ++step) {
            time[0] = next_time(&random, &p, time[0]);
            time[1] = next_time(&random, &q, time[1]);
            REQUIRE_OK(abut_body_set_time(w.scene, a, time[0], NULL));
            REQUIRE_OK(abut_body_set_time(w.scene, b, time[1], NULL));
            if (random_chance(&random, 0.5)) {
                world_frame(&w, b, frame_random(&random, 0.5));
                world_validate(&w, b);
            }
            hits[0] += check_collide_all(&w, NULL);
            hits[1] += check_self_all(&w, NULL);
        }
        world_free(&w);
        plan_free(&p);
        plan_free(&q);
        surface_free(&ball);
        surface_free(&sheet);
    }
    assert_true(hits[0] > 0 && hits[1] > 0);
}

// the pad of this state, because extents change with plans
static void check_plans_state(const world* w, abut_body_id id) {
    const abut__body* body = body_of(w, id);
    const abut__flight_state* own = state_of(w, id);
    const double pad = 1.0001 * (double)(own->tight ? own->tight_pad : own->pad);
    world_validate(w, id);
    if (own->tight) {
        for_all_refs(body, pad, check_least, NULL);
        for_all_refs(body, pad, check_named, own->kinetic);
    }
}

static void test_boxes_are_least_for_all_plans(void** state) {
    (void)state;
    test_random random = random_seed(91);
    uint64_t blocks_updated = 0;
    uint64_t tight = 0;
    for (uint32_t round = 0; round < effort(40, 160, 4000); ++round) {
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, (plan_kind)(round % PLAN_KINDS));
        plan used = p;
        if (random_chance(&random, 0.6)) {
            used.count = 1;  // a single keyframe: spans are unlimited
        }
        const abut_body_id body = add_kinetic(&w, &random, &s, &used);
        double time = p.keys[0].time;
        const double length = 0.05 * (1 + random_unit(&random));
        for (uint32_t step = 0; step < 40; ++step) {
            where("round %u, step %u", round, step);
            if (random_chance(&random, 0.3)) {
                change_plans(&random, &w, body, time);
            } else if (random_chance(&random, 0.01)) {
                REQUIRE_OK(plans_set(w.scene, body, NULL, NULL));
            } else {
                const double far = random_chance(&random, 0.1) ? random_double(&random, -3, 3) : 0;
                time += length * (random_chance(&random, 0.1) ? -3 : 1) + far;
                REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
            }
            check_plans_state(&w, body);
            tight += state_of(&w, body)->tight;
        }
        blocks_updated += state_of(&w, body)->kinetic->counts.blocks_updated;
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    assert_true(blocks_updated > 100 && tight > 500);
}

// counts the blocks of a vertex and the nodes above them, without the root
static uint32_t count_ancestors(const abut__tree* tree, uint32_t vertex, uint32_t* blocks) {
    uint8_t* seen = test_alloc(tree->node_count, 1);
    memset(seen, 0, tree->node_count);
    uint32_t nodes = 0;
    *blocks = 0;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        bool has = false;
        for (uint32_t v = 0; v < tree->blocks[b]->vertex_count; ++v) {
            has = has || tree->blocks[b]->vertex[v] == vertex;
        }
        *blocks += has;
        for (uint32_t n = tree->block_parent[b]; has && n != 0; n = tree->nodes[n].parent) {
            nodes += seen[n] == 0;
            seen[n] = 1;
        }
    }
    free(seen);
    return nodes;
}

// a new plan costs the ancestors of its vertex, and nothing starts anew
static void test_new_plans_cost_their_ancestors(void** state) {
    (void)state;
    test_random random = random_seed(92);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(60, 90, 1);
    const abut_keyframe key = {0, abut_positions_f64(s.xyz, s.vertex_count)};
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.bound = ABUT_FLIGHT_BOUND_KINETIC;
    def.keyframes = &key;
    def.keyframe_count = 1;
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    const abut_plans_def all = {.velocities = abut_positions_f64(s.xyz, s.vertex_count)};
    REQUIRE_OK(plans_set(w.scene, body, &all, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0x1p-10, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0x1p-9, NULL));
    const abut__kinetic_counts* counts = &state_of(&w, body)->kinetic->counts;
    for (uint32_t round = 0; round < 200; ++round) {
        where("round %u", round);
        const uint64_t visits = counts->visits;
        REQUIRE_OK(abut_body_set_time(w.scene, body, 0x1p-9, NULL));
        const abut__kinetic_counts before = *counts;
        const uint64_t ties = before.visits - visits;  // ties that are visited in any case
        const uint32_t vertex = random_below(&random, s.vertex_count);
        const double speed[3] = {random_unit(&random), random_unit(&random), -1};
        const abut_plans_def one = {.time = 0x1p-9,
                                    .vertices = &vertex,
                                    .vertex_count = 1,
                                    .velocities = abut_positions_f64(speed, 1)};
        uint32_t blocks;
        const uint32_t nodes = count_ancestors(&body_of(&w, body)->shape->tree, vertex, &blocks);
        REQUIRE_OK(plans_set(w.scene, body, &one, NULL));
        REQUIRE(counts->blocks_updated == before.blocks_updated + blocks);
        // once for the update, and once more for lines that are overtaken at that instant
        REQUIRE(counts->visits <= before.visits + ties + 2 * (blocks + nodes));
        REQUIRE(counts->starts == before.starts);
    }
    check_plans_state(&w, body);
    world_free(&w);
    surface_free(&s);
}

static void go_through_segment(test_random* random, const world* w, abut_body_id id, const plan* p,
                               abut__kinetic_counts* sum) {
    const abut__body* body = body_of(w, id);
    const abut__tree* tree = &body->shape->tree;
    const abut__source sources[2] = {abut__source_of(p->keys[0].positions),
                                     abut__source_of(p->keys[1].positions)};
    abut__events events;
    REQUIRE(abut__events_init(&events, w->context, tree, sources, 2));
    const double begin = p->keys[0].time;
    const double length = p->keys[1].time - begin;
    const uint32_t steps = 1 + random_below(random, 40);
    for (uint32_t i = 1; i <= steps; ++i) {
        const double time = begin + length * i / (steps + 1.0);
        REQUIRE_OK(abut_body_set_time(w->scene, id, time, NULL));
        abut__events_go(&events, state_of(w, id)->part);
        for_all_refs(body, pad_of(p), check_same_box, &events);
    }
    // each event brings another line, and no side waits twice
    const uint32_t members = tree->block_count + tree->node_count;
    REQUIRE(events.counts.outer == events.counts.events);
    REQUIRE(events.counts.updates >= events.counts.events);
    REQUIRE(events.heap.most_waiting <= 6 * members);
    sum->events += events.counts.events;
    sum->updates += events.counts.updates;
    abut__events_free(&events);
}

static void test_both_forms_agree(void** state) {
    (void)state;
    test_random random = random_seed(73);
    abut__kinetic_counts sum = {0};
    for (uint32_t round = 0; round < effort(40, 240, 6000); ++round) {
        flyer f = flyer_make(&random, round);
        go_through_segment(&random, &f.w, f.id, &f.p, &sum);
        flyer_free(&f);
    }
    // ancestors with the same vertex got the new one at once, without their own events
    assert_true(sum.events > 1000 && sum.updates > sum.events);
}

// One by one, events are searched over the following keyframes. All keyframes are passed, and both
// forms agree on all the way.
static void test_both_forms_agree_across_keyframes(void** state) {
    (void)state;
    test_random random = random_seed(95);
    uint64_t events_found = 0;
    for (uint32_t round = 0; round < effort(32, 160, 3000); ++round) {
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_make(&random, &s, (plan_kind)(round % PLAN_KINDS), KEYS_MOST, 1, 0,
                           random_chance(&random, 0.5));
        const abut_body_id id = add_kinetic(&w, &random, &s, &p);
        abut__source sources[KEYS_MOST];
        for (uint32_t k = 0; k < p.count; ++k) {
            sources[k] = abut__source_of(p.keys[k].positions);
        }
        abut__events events;
        REQUIRE(
            abut__events_init(&events, w.context, &body_of(&w, id)->shape->tree, sources, p.count));
        for (double time = 0; time < p.count - 1; time += random_double(&random, 0, 0.4)) {
            where("round %u, time %a", round, time);
            const abut_keyframe* key = &p.keys[(uint32_t)time];
            REQUIRE_OK(abut_body_set_time(
                w.scene, id, key->time + (time - floor(time)) * (key[1].time - key->time), NULL));
            abut__events_go(&events, time);
            for_all_refs(body_of(&w, id), pad_of(&p), check_same_box, &events);
        }
        REQUIRE(events.counts.starts == 1 && events.counts.outer == events.counts.events);
        events_found += events.counts.events;
        abut__events_free(&events);
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    assert_true(events_found > 1000);
}

// ---- the same lines and times in every instruction set, with any number of threads

static uint64_t hash_of(const abut__kinetic* kinetic) {
    uint64_t hash = abut__hash_bits(kinetic->counts.visits, kinetic->counts.updates);
    for (uint32_t n = 0; n < kinetic->node_count && kinetic->part >= 0; ++n) {
        const float* numbers[2] = {kinetic->ends[0][n].lo[0], kinetic->ends[1][n].lo[0]};
        for (size_t i = 0; i < sizeof(abut__boxes8) / sizeof(float); ++i) {
            hash = abut__hash_double(hash, (double)numbers[0][i]);
            hash = abut__hash_double(hash, (double)numbers[1][i]);
        }
    }
    for (uint32_t b = 0; b < kinetic->block_count && kinetic->part >= 0; ++b) {
        const bool alone = kinetic->held[b][ABUT__HELD_ALONE] != 0;
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            hash = abut__hash_bits(hash, kinetic->held[b][side]);
            hash = alone ? abut__hash_double(hash, (double)kinetic->next[b][side]) : hash;
        }
    }
    const abut__side_events* side_events = &kinetic->side_events;
    for (uint32_t k = side_events->present; k < ABUT__CALENDAR_BUCKETS; ++k) {
        for (uint32_t i = side_events->begin[k]; i < side_events->end[k]; ++i) {
            hash = abut__hash_double(hash, (double)side_events->events[i].time);
            hash = abut__hash_bits(hash, side_events->events[i].vertex);
        }
    }
    return hash;
}

// the result of one way of working
static uint64_t hash_run(uint32_t seed, const abut_context_def* def) {
    test_random random = random_seed(1000 + seed);
    world w = world_make(def, NULL);
    surface s = seed % 4 == 0 ? surface_ball(30, 40, 1) : random_surface(&random);
    plan p = plan_random(&random, &s, (plan_kind)(seed % PLAN_KINDS));
    motion_def shape = motion_def_default();
    shape.motion = ABUT_MOTION_FLIGHT;
    shape.bound = ABUT_FLIGHT_BOUND_KINETIC;
    shape.keyframes = p.keys;
    shape.keyframe_count = p.count;
    shape.block_triangles = 1 + seed % 7;  // gives enough blocks for several tasks
    const abut_body_id id = world_add(&w, &s, &shape, NULL);
    double time = p.keys[0].time;
    uint64_t hash = 1;
    for (uint32_t step = 0; step < 30; ++step) {
        time = next_time(&random, &p, time);
        REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
        hash = abut__hash_bits(hash, hash_of(state_of(&w, id)->kinetic));
    }
    world_free(&w);
    plan_free(&p);
    surface_free(&s);
    return hash;
}

static void test_instruction_sets_and_threads_agree(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(12, 32, 200); ++seed) {
        const uint32_t workers[] = {2 + seed % 3, 0};
        uint64_t wanted = 0;
        everywhere at = everywhere_each(workers, seed);
        while (everywhere_next(&at)) {
            where("seed %u, %s", seed, at.text);
            const uint64_t got = hash_run(seed, &at.def);
            wanted = at.first ? got : wanted;
            REQUIRE(got == wanted);
            uint64_t done = 0;  // by any worker: timing decides which one takes a task first
            for (uint32_t worker = 0; worker < at.workers; ++worker) {
                done += threads_done(at.threads, worker);
            }
            REQUIRE(at.workers == 0 || seed % 8 != 0 || done > 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_contain_vertices_and_are_least),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_boxes_are_least_for_all_plans),
        cmocka_unit_test(test_new_plans_cost_their_ancestors),
        cmocka_unit_test(test_both_forms_agree),
        cmocka_unit_test(test_both_forms_agree_across_keyframes),
        cmocka_unit_test(test_instruction_sets_and_threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
