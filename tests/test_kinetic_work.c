// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The work of kinetic trees: it depends on the number of events and never exceeds a refit, events
// come in order, memory is taken once, and refused states change nothing.

#include "test_kinetic_support.h"
#include "body/kinetic_stats.h"
#include "support/motion_def.h"

// Very many events, most of them at the same instants as others, among equal coordinates and lines
// that never move. All three structures process them; all boxes are checked now and then.
static void test_very_many_events_with_ties(void** state) {
    (void)state;
    static const plan_kind kinds[] = {PLAN_COARSE, PLAN_FLAT, PLAN_ANY, PLAN_SOME_STILL, PLAN_HAIR};
    test_random random = random_seed(93);
    const uint64_t wanted = effort(60000, 600000, 6000000);
    uint64_t events[3] = {0, 0, 0};
    for (uint32_t round = 0; events[0] < wanted || events[1] < wanted / 4; ++round) {
        world w = world_make(NULL, NULL);
        surface s = surface_ball(30, 40, 1);
        plan p = plan_make(&random, &s, kinds[round % 5], 2, 1, 0, random_chance(&random, 0.5));
        motion_def def = motion_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.bound = ABUT_FLIGHT_BOUND_KINETIC;
        def.keyframes = p.keys;
        def.keyframe_count = p.count;
        def.block_triangles = 1 + random_below(&random, 4);
        const abut_body_id id = world_add(&w, &s, &def, NULL);
        const abut__body* body = body_of(&w, id);
        const abut__source sources[2] = {abut__source_of(p.keys[0].positions),
                                         abut__source_of(p.keys[1].positions)};
        abut__events by_event;
        abut__boxtree boxtree;
        REQUIRE(abut__events_init(&by_event, w.context, &body->shape->tree, sources, 2));
        own_segment segment = segment_make(w.context, &body->shape->tree, sources);
        REQUIRE(abut__boxtree_init(&boxtree, w.context, &body->shape->tree, &segment.is));
        const double length = p.keys[1].time - p.keys[0].time;
        const uint32_t frames = 2 + random_below(&random, 30);
        for (uint32_t i = 1; i <= frames; ++i) {
            where("round %u, frame %u of %u", round, i, frames);
            const double part = (i - random_unit(&random)) / frames;
            REQUIRE_OK(abut_body_set_time(w.scene, id, p.keys[0].time + length * part, NULL));
            abut__events_go(&by_event, state_of(&w, id)->part);
            abut__boxtree_go(&boxtree, state_of(&w, id)->part);
            if (random_chance(&random, 0.05)) {
                check_state(&w, id, &p);
                for_all_refs(body, pad_of(&p), check_same_box, &by_event);
                check_planes(body, &boxtree, pad_of(&p));
            }
        }
        events[0] += state_of(&w, id)->kinetic->counts.events;
        events[1] += by_event.counts.events;
        events[2] += boxtree.counts.events;
        abut__events_free(&by_event);
        abut__boxtree_free(&boxtree);
        segment_free(&segment);
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    print_message("events: %llu in batches, %llu one by one, %llu of planes\n",
                  (unsigned long long)events[0], (unsigned long long)events[1],
                  (unsigned long long)events[2]);
    assert_true(events[2] > 1000);
}

// ---- counts

static double per_vertex(uint64_t count, uint32_t vertices) {
    return (double)count / vertices;
}

static void test_no_step_visits_more_than_a_refit(void** state) {
    (void)state;
    test_random random = random_seed(74);
    for (uint32_t round = 0; round < effort(24, 80, 2000); ++round) {
        flyer f = flyer_make(&random, round);
        const abut__tree* tree = &body_of(&f.w, f.id)->shape->tree;
        const uint32_t members = tree->block_count + tree->node_count;
        const double length = f.p.keys[1].time - f.p.keys[0].time;
        const uint32_t frames = 2 + random_below(&random, 200);
        const bool back = random_chance(&random, 0.5);
        for (uint32_t i = 1; i <= frames; ++i) {
            const uint32_t frame = back ? frames + 1 - i : i;
            const double time = f.p.keys[0].time + length * frame / (frames + 1.0);
            REQUIRE_OK(abut_body_set_time(f.w.scene, f.id, time, NULL));
        }
        const abut__kinetic* kinetic = state_of(&f.w, f.id)->kinetic;
        const abut__kinetic_counts* counts = &kinetic->counts;
        REQUIRE(counts->starts == (back ? 2 : 1));
        REQUIRE(counts->steps == frames - counts->starts);
        REQUIRE(counts->most_visits < members);  // the root needs none
        REQUIRE(counts->visits <= (uint64_t)members * counts->steps);
        REQUIRE(counts->outer <= counts->events && counts->outer <= counts->updates);
        REQUIRE(f.kind != PLAN_STILL || counts->visits == 0);
        REQUIRE(f.kind != PLAN_SHIFT || counts->visits == 0);
        abut__kinetic_measures measures;
        REQUIRE(abut__kinetic_measure(kinetic, tree, f.s.vertex_count, &measures));
        REQUIRE(measures.queue_per_node <= ABUT__EVENTS_OF_BLOCK);
        REQUIRE(measures.certificates_per_node <= 6);
        REQUIRE(measures.outer_per_inner <= 1);
        REQUIRE((measures.most_per_vertex == 0) ==
                (kinetic->calendar.waiting + kinetic->side_events.waiting == 0));
        abut__kinetic_stats stats;  // the public statistics say the same
        REQUIRE_OK(abut__body_kinetic_stats(f.w.scene, f.id, &stats, NULL));
        REQUIRE(stats.bound == ABUT_FLIGHT_BOUND_KINETIC && stats.nodes == members);
        REQUIRE(stats.visits == counts->visits && stats.most_visits < stats.nodes);
        REQUIRE(stats.events == counts->events && stats.updates == counts->updates);
        REQUIRE(stats.starts == counts->starts && stats.steps == counts->steps);
        REQUIRE(stats.queue_per_node == measures.queue_per_node);
        REQUIRE(stats.events_per_vertex == per_vertex(counts->events, f.s.vertex_count));
        flyer_free(&f);
    }
}

// The events of a segment do not depend on the number of frames in it. Going forward, however far,
// needs no restart; turning back does.
static void test_work_depends_on_events_not_on_frames(void** state) {
    (void)state;
    test_random random = random_seed(75);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(30, 40, 1);
    plan p = plan_make(&random, &s, PLAN_SMOOTH, 3, 1, 0, true);
    uint64_t events[2];
    for (int form = 0; form < 2; ++form) {
        const abut_body_id id = add_kinetic(&w, &random, &s, &p);
        const uint32_t frames = form == 0 ? 500 : 5000;
        const double length = p.keys[1].time - p.keys[0].time;
        for (uint32_t i = 1; i < frames; ++i) {
            const double time = p.keys[0].time + length * i / frames;
            REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
        }
        const abut__kinetic_counts* counts = &state_of(&w, id)->kinetic->counts;
        events[form] = counts->events;
        REQUIRE(counts->starts == 1 && counts->events > 0);
        REQUIRE(counts->visits < 20u * frames);
        // times in segments 0 and 1, and the number of restarts after each
        const double steps[][3] = {{0, 0.5, 2},  {0, 0.4, 2},  {0, 0.3, 2},  {0, 0.9, 3},
                                   {0, 0.95, 3}, {1, 0.01, 4}, {1, 0.9, 4},  {1, 0.1, 5},
                                   {0, 0.9, 6},  {0, 0.8, 6},  {0, 0.79, 6}, {1, 0.2, 7},
                                   {1, 0.21, 7}};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
            const abut_keyframe* key = &p.keys[(size_t)steps[i][0]];
            const double time = key[0].time + steps[i][1] * (key[1].time - key[0].time);
            where("form %d, step %zu", form, i);
            REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
            REQUIRE(counts->starts == (uint64_t)steps[i][2]);
        }
        check_state(&w, id, &p);
    }
    REQUIRE(events[1] >= events[0] && events[1] < 2 * events[0]);
    world_free(&w);
    plan_free(&p);
    surface_free(&s);
}

// ---- keyframes

// whether a vertex is extreme in the box of a node or block at a keyframe
static bool is_extreme(const plan* p, const abut__tree* tree, abut__ref ref, uint32_t side,
                       uint32_t vertex, uint32_t key) {
    const double sign = side < 3 ? -1 : 1;
    if (!abut__is_block(ref)) {
        bool extreme = true;
        for (uint32_t k = 0; k < tree->nodes[ref].count && extreme; ++k) {
            extreme = is_extreme(p, tree, tree->nodes[ref].child[k], side, vertex, key);
        }
        return extreme;
    }
    const abut__block* block = tree->blocks[abut__block_of(ref)];
    const double own = sign * (double)p->narrow[key][3 * (size_t)vertex + side % 3];
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const size_t at = 3 * (size_t)block->vertex[v] + side % 3;
        if (sign * (double)p->narrow[key][at] > own) {
            return false;
        }
    }
    return true;
}

// counts the sides whose vertices are not extreme at both ends of a segment
static uint64_t count_unsteady(const world* w, abut_body_id id, const plan* p, uint32_t segment) {
    const abut__tree* tree = &body_of(w, id)->shape->tree;
    const abut__kinetic* kinetic = state_of(w, id)->kinetic;
    uint64_t count = 0;
    for (uint32_t m = 0; m < tree->block_count + tree->node_count; ++m) {
        const abut__ref ref = m < tree->block_count ? m | ABUT__REF_BLOCK : m - tree->block_count;
        for (uint32_t side = 0; side < 6 && ref != 0; ++side) {
            const uint32_t vertex = abut__kinetic_vertex(kinetic, tree, ref, side);
            count += !is_extreme(p, tree, ref, side, vertex, segment) ||
                     !is_extreme(p, tree, ref, side, vertex, segment + 1);
        }
    }
    return count;
}

// A keyframe costs what changes there: sides are computed again only if their vertices are not
// extreme at both ends of the next segment. All boxes are right afterwards.
static void test_keyframes_cost_what_changes(void** state) {
    (void)state;
    test_random random = random_seed(94);
    uint64_t renewed = 0;
    uint64_t all = 0;
    for (uint32_t round = 0; round < effort(24, 80, 1000); ++round) {
        const plan_kind kind = (plan_kind)(round % PLAN_KINDS);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_make(&random, &s, kind, KEYS_MOST, 1, 0, true);
        const abut_body_id id = add_kinetic(&w, &random, &s, &p);
        const bool back = random_chance(&random, 0.3);
        const abut__tree* tree = &body_of(&w, id)->shape->tree;
        for (uint32_t i = 0; i + 1 < p.count; ++i) {
            const uint32_t segment = back ? p.count - 2 - i : i;
            const double begin = p.keys[segment].time;
            const double length = p.keys[segment + 1].time - begin;
            for (uint32_t step = 1; step < 8; ++step) {
                where("round %u, kind %d, segment %u, step %u", round, (int)kind, segment, step);
                const double time = begin + length * (back ? 8 - step : step) / 8;
                const abut__kinetic* kinetic = state_of(&w, id)->kinetic;
                const uint64_t before = kinetic != NULL ? kinetic->counts.renewals : 0;
                const bool enters = step == 1 && i > 0 && kinetic != NULL;
                const uint64_t most = enters ? count_unsteady(&w, id, &p, segment) : 0;
                REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
                check_state(&w, id, &p);
                if (enters) {
                    const uint64_t now = state_of(&w, id)->kinetic->counts.renewals - before;
                    REQUIRE(now <= most);
                    REQUIRE((kind != PLAN_STILL && kind != PLAN_SHIFT) || now == 0);
                    renewed += now;
                    all += 6 * (uint64_t)(tree->block_count + tree->node_count - 1);
                }
            }
        }
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    print_message("%llu of %llu sides were computed again at keyframes\n",
                  (unsigned long long)renewed, (unsigned long long)all);
    assert_true(renewed > 0 && renewed < all / 2);
}

// ---- the calendar, against a list

typedef struct times {
    float time[50];
    bool waits[50];
} times;

static bool is_due(const void* of, uint32_t member, float time) {
    return ((const times*)of)->time[member] <= time;
}

static void test_calendar_equals_a_list_of_times(void** state) {
    (void)state;
    test_random random = random_seed(76);
    world w = world_make(NULL, NULL);
    for (uint32_t round = 0; round < effort(50, 200, 4000); ++round) {
        where("round %u", round);
        abut__calendar calendar;
        REQUIRE(abut__calendar_init(&calendar, w.context, 50));
        times list = {.waits = {false}};
        float now = 0;
        for (uint32_t step = 0; step < 200; ++step) {
            const uint32_t m = random_below(&random, 50);
            list.time[m] = random_chance(&random, 0.1)
                               ? now
                               : (float)random_double(&random, now - 0.1f, 1.2);
            list.time[m] = list.time[m] < 0 ? 0 : list.time[m];
            list.waits[m] = list.time[m] < 1;
            abut__calendar_set(&calendar, m, list.time[m]);
            if (!random_chance(&random, 0.3)) {
                continue;
            }
            now += (float)random_double(&random, 0, 0.03);
            now = now < 1 ? now : 1;
            uint32_t due[50];
            const uint32_t count = abut__calendar_advance(&calendar, now, is_due, &list, due);
            for (uint32_t i = 0; i < count; ++i) {
                REQUIRE(list.waits[due[i]] && list.time[due[i]] <= now);
                list.waits[due[i]] = false;
            }
            uint32_t left = 0;
            for (uint32_t i = 0; i < 50; ++i) {
                REQUIRE(!list.waits[i] || list.time[i] > now);
                left += list.waits[i];
            }
            REQUIRE(left == calendar.waiting);
        }
        abut__calendar_free(&calendar, w.context);
    }
    world_free(&w);
}

// ---- memory, errors and rebuilds

// without memory boxes are looser and nothing is refused; with memory nothing more is taken later
static void test_memory_is_taken_once(void** state) {
    (void)state;
    for (size_t fail = 1; fail < 16; ++fail) {
        where("call %zu fails", fail);
        test_memory memory;
        abut_context_def def = memory_context_def(&memory);
        test_random random = random_seed(77);
        world w = world_make(&def, NULL);
        surface s = surface_ball(12, 12, 1);
        plan p = plan_make(&random, &s, PLAN_ANY, 3, 1, 0, true);
        const abut_body_id id = add_kinetic(&w, &random, &s, &p);
        const double length = p.keys[2].time - p.keys[0].time;
        abut__kinetic_free(state_of(&w, id)->kinetic);
        ((abut__flight_state*)state_of(&w, id))->kinetic = NULL;
        REQUIRE_OK(abut_body_set_time(w.scene, id, p.keys[1].time, NULL));
        abut__kinetic_free(state_of(&w, id)->kinetic);
        ((abut__flight_state*)state_of(&w, id))->kinetic = NULL;
        memory_fail(&memory, fail, true);
        REQUIRE_OK(abut_body_set_time(w.scene, id, p.keys[0].time + 0.01 * length, NULL));
        memory_fail(&memory, 0, false);
        world_validate(&w, id);
        for (uint32_t i = 0; i < 30; ++i) {
            REQUIRE_OK(abut_body_set_time(w.scene, id, p.keys[0].time + 0.03 * i * length, NULL));
            check_state(&w, id, &p);
        }
        const size_t calls = memory.calls;
        for (uint32_t i = 0; i < 30; ++i) {
            REQUIRE_OK(abut_body_set_time(w.scene, id, p.keys[0].time + 0.031 * i * length, NULL));
        }
        REQUIRE(memory.calls == calls);
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
        memory_require_clean(&memory);
    }
}

static void test_bad_vertices_and_times_change_nothing(void** state) {
    (void)state;
    test_random random = random_seed(78);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(12, 12, 1);
    plan p = plan_make(&random, &s, PLAN_ANY, 5, 1, 0, false);
    p.xyz[3][7] = NAN;
    const abut_body_id id = add_kinetic(&w, &random, &s, &p);
    for (uint32_t step = 0; step < 200; ++step) {
        where("step %u", step);
        const double time = random_double(&random, p.keys[0].time, p.keys[4].time);
        REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
        REQUIRE_STATUS(abut_body_set_time(w.scene, id, NAN, NULL), ABUT_ERR_INVALID_DATA);
        if (time < p.keys[2].time) {
            check_state(&w, id, &p);
        } else if (time > p.keys[2].time && time < p.keys[4].time) {
            REQUIRE(!state_of(&w, id)->tight);
            REQUIRE_STATUS(abut_body_validate(w.scene, id, NULL), ABUT_ERR_INVALID_DATA);
        }
    }
    world_free(&w);
    plan_free(&p);
    surface_free(&s);
}

// triangles of a soup move apart, each rigidly
static void scatter(test_random* random, const surface* s, plan* p) {
    for (uint32_t k = 1; k < p->count; ++k) {
        for (size_t t = 0; t < s->triangle_count; ++t) {
            for (size_t d = 0; d < 3; ++d) {
                const float shift = (float)random_double(random, -2, 2);
                for (size_t c = 0; c < 3; ++c) {
                    const size_t at = 3 * (size_t)s->triangles[3 * t + c] + d;
                    p->narrow[k][at] = p->narrow[0][at] + shift;
                    p->xyz[k][at] = (double)p->narrow[k][at];
                }
            }
        }
    }
    p->extent = 4;
}

// the same plans with a rebuilt tree, in the middle of a segment
static void test_rebuilt_trees_continue(void** state) {
    (void)state;
    test_random random = random_seed(79);
    world w = world_make(NULL, NULL);
    surface s = surface_soup(&random, 400, 1, 0.125, 0x1p-10);
    plan p = plan_make(&random, &s, PLAN_STILL, 3, 1, 0, true);
    scatter(&random, &s, &p);
    const abut_body_id id = add_kinetic(&w, &random, &s, &p);
    uint32_t rebuilt = 0;
    double time = p.keys[0].time;
    for (uint32_t step = 0; step < 20; ++step) {
        where("step %u", step);
        time = next_time(&random, &p, time);
        REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
        abut_edit_work work = {0};
        REQUIRE_OK(abut_body_rebuild_tree(w.scene, id, 1.1, &work, NULL));
        rebuilt += work.blocks_built > 0;
        check_state(&w, id, &p);
    }
    REQUIRE(rebuilt > 0);
    world_free(&w);
    plan_free(&p);
    surface_free(&s);
}

static void test_bad_bounds_and_other_motions_are_refused(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    abut_mesh* mesh = world_mesh(&w, &s);
    abut__kinetic_stats stats;
    const abut_body_id still = world_add(&w, &s, NULL, NULL);
    REQUIRE_STATUS(abut__body_kinetic_stats(w.scene, still, &stats, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    const abut_keyframe key = {0, abut_positions_f64(s.xyz, s.vertex_count)};
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = &key;
    def.keyframe_count = 1;
    abut_shape* shape = NULL;
    for (def.bound = -1; def.bound <= 17; def.bound += 18) {
        REQUIRE_STATUS(motion_create(w.context, mesh, &def, &shape, NULL),
                       ABUT_ERR_INVALID_ARGUMENT);
    }
    abut_mesh_destroy(mesh);
    world_free(&w);
    surface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_very_many_events_with_ties),
        cmocka_unit_test(test_no_step_visits_more_than_a_refit),
        cmocka_unit_test(test_work_depends_on_events_not_on_frames),
        cmocka_unit_test(test_keyframes_cost_what_changes),
        cmocka_unit_test(test_calendar_equals_a_list_of_times),
        cmocka_unit_test(test_memory_is_taken_once),
        cmocka_unit_test(test_bad_vertices_and_times_change_nothing),
        cmocka_unit_test(test_rebuilt_trees_continue),
        cmocka_unit_test(test_bad_bounds_and_other_motions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
