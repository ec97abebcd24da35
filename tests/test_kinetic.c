// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic AABB tree: at every time, in whatever order times are asked for, boxes hold all vertices
// and are the least that do, but for the pad; the batched form and the one that goes event by event
// agree; and the counts are what is promised.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/body.h"
#include "bound/kinetic/boxtree.h"
#include "bound/kinetic/events.h"
#include "motion/flight.h"
#include "scene/scene.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/world.h"

#define KEYS_MOST 5

// ---- plans: keyframes of a surface, with all that makes trouble

typedef enum plan_kind {
    PLAN_ANY,         // every vertex on its own
    PLAN_SMOOTH,      // turned, stretched and bent from key to key
    PLAN_COARSE,      // multiples of a quarter: many coincident events and ties
    PLAN_FLAT,        // as before, and all x are equal, some z
    PLAN_SOME_STILL,  // most vertices never move
    PLAN_STILL,       // nothing moves
    PLAN_SHIFT,       // all move alike
    PLAN_HAIR,        // differences of the last bits only
    PLAN_KINDS
} plan_kind;

typedef struct plan {
    uint32_t count;
    abut_key keys[KEYS_MOST];
    double* xyz[KEYS_MOST];
    float* narrow[KEYS_MOST];
    double extent;  // greatest magnitude of a coordinate
} plan;

static double coarse(double x) {
    return 0.25 * nearbyint(4 * x);
}

static void smooth_place(const double from[3], uint32_t key, double out[3]) {
    const double angle = 0.9 * key;
    const double bend = 0.3 * sin(3 * from[0] + key) + 0.2 * cos(2 * from[1] - 2.0 * key);
    out[0] = cos(angle) * from[0] - sin(angle) * from[1];
    out[1] = (1 + 0.1 * key) * (sin(angle) * from[0] + cos(angle) * from[1]);
    out[2] = from[2] + bend;
}

static double hair(test_random* random, double x) {
    return (double)nextafterf((float)x, random_chance(random, 0.5) ? INFINITY : -INFINITY);
}

static void place(test_random* random, plan_kind kind, const double from[3], uint32_t key,
                  double out[3]) {
    double any[3];
    for (int d = 0; d < 3; ++d) {
        any[d] = from[d] + random_double(random, -0.7, 0.7);
        out[d] = from[d];
    }
    const bool moves = random_chance(random, 0.1);
    for (int d = 0; d < 3; ++d) {
        switch (kind) {
            case PLAN_ANY: out[d] = any[d]; break;
            case PLAN_COARSE: out[d] = coarse(any[d]); break;
            case PLAN_FLAT:
                out[d] = d == 0 ? 1.0 : d == 1 ? coarse(any[d]) : coarse(0.3 * any[d]);
                break;
            case PLAN_SOME_STILL: out[d] = moves ? any[d] : from[d]; break;
            case PLAN_SHIFT: out[d] = from[d] + (0.37 - 0.21 * d) * key; break;
            case PLAN_HAIR: out[d] = hair(random, coarse(from[d])); break;
            default: break;
        }
    }
    if (kind == PLAN_SMOOTH) {
        smooth_place(from, key, out);
    }
}

static plan plan_make(test_random* random, const surface* s, plan_kind kind, uint32_t count,
                      double size, double away, bool narrow) {
    plan p = {.count = count};
    double time = random_double(random, -10, 10);
    for (uint32_t k = 0; k < count; ++k) {
        p.xyz[k] = test_alloc(3 * (size_t)s->vertex_count, sizeof(double));
        p.narrow[k] = test_alloc(3 * (size_t)s->vertex_count, sizeof(float));
        for (size_t v = 0; v < s->vertex_count; ++v) {
            double out[3];
            place(random, kind, &s->xyz[3 * v], k, out);
            for (size_t d = 0; d < 3; ++d) {
                const double x = size * (out[d] + away);
                p.narrow[k][3 * v + d] = (float)x;
                p.xyz[k][3 * v + d] = narrow ? (double)p.narrow[k][3 * v + d] : x;
                p.extent = fabs(x) > p.extent ? fabs(x) : p.extent;
            }
        }
        p.keys[k] = (abut_key){time, narrow ? abut_positions_f32(p.narrow[k], s->vertex_count)
                                            : abut_positions_f64(p.xyz[k], s->vertex_count)};
        time += random_double(random, 0.1, 3);
    }
    return p;
}

static plan plan_random(test_random* random, const surface* s, plan_kind kind) {
    const double size = random_chance(random, 0.5) ? 1 : ldexp(1, random_between(random, -40, 40));
    return plan_make(random, s, kind, 2 + random_below(random, KEYS_MOST - 1), size,
                     random_chance(random, 0.3) ? 1000 : 0, random_chance(random, 0.5));
}

static void plan_free(plan* p) {
    for (uint32_t k = 0; k < p->count; ++k) {
        free(p->xyz[k]);
        free(p->narrow[k]);
    }
}

static surface random_surface(test_random* random) {
    switch (random_below(random, 3)) {
        case 0: return surface_ball(6 + random_below(random, 10), 9 + random_below(random, 10), 1);
        case 1: return surface_sheet(4 + random_below(random, 12), 12, 2);
        default: return surface_soup(random, 60 + random_below(random, 200), 1, 0.4, 0.125);
    }
}

static abut_body_id add_bound(world* w, test_random* random, const surface* s, const plan* p,
                              abut_bound bound) {
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.bound = bound;
    def.keys = p->keys;
    def.key_count = p->count;
    def.block_triangles = 1 + random_below(random, 48);
    def.fan_out = 2 + random_below(random, 7);
    return world_add(w, s, &def, NULL);
}

static abut_body_id add_kinetic(world* w, test_random* random, const surface* s, const plan* p) {
    return add_bound(w, random, s, p, ABUT_BOUND_KINETIC);
}

static const abut__body* body_of(const world* w, abut_body_id id) {
    return abut__scene_body(w->scene, id);
}

static const abut__flight_state* state_of(const world* w, abut_body_id id) {
    return abut__flight_state_of(abut__body_state(body_of(w, id), 1));
}

// ---- the oracle: boxes of all vertices under a node or block, from the vertices themselves

typedef struct exact_box {
    double lo[3];
    double hi[3];
} exact_box;

static void grow_exact(exact_box* box, const exact_box* other) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = other->lo[d] < box->lo[d] ? other->lo[d] : box->lo[d];
        box->hi[d] = other->hi[d] > box->hi[d] ? other->hi[d] : box->hi[d];
    }
}

static exact_box exact_of(const abut__body* body, abut__ref ref, int end) {
    const abut__tree* tree = &body->shape->tree;
    exact_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (abut__is_block(ref)) {
        const abut__block* block = tree->blocks[abut__block_of(ref)];
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            double p[3];
            abut__body_vertex(body, block->vertex[v], end, p);
            const exact_box one = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
            grow_exact(&box, &one);
        }
        return box;
    }
    for (uint32_t k = 0; k < tree->nodes[ref].count; ++k) {
        const exact_box one = exact_of(body, tree->nodes[ref].child[k], end);
        grow_exact(&box, &one);
    }
    return box;
}

typedef void ref_check(const abut__body* body, abut__ref ref, double pad, const void* user);

static void for_all_refs(const abut__body* body, double pad, ref_check* check, const void* user) {
    const abut__tree* tree = &body->shape->tree;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        check(body, b | ABUT__REF_BLOCK, pad, user);
    }
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        check(body, n, pad, user);
    }
}

// the box holds everything, and no side is farther out than the pad and what it is for
static void check_least(const abut__body* body, abut__ref ref, double pad, const void* user) {
    (void)user;
    const abut__box3 box = abut__body_ref_box(body, ref, 1);
    const exact_box exact = exact_of(body, ref, 1);
    for (int d = 0; d < 3; ++d) {
        REQUIRE((double)box.lo[d] <= exact.lo[d] && (double)box.hi[d] >= exact.hi[d]);
        REQUIRE((double)box.lo[d] >= exact.lo[d] - 2 * pad);
        REQUIRE((double)box.hi[d] <= exact.hi[d] + 2 * pad);
    }
}

// the vertices that are said to realise the sides do so
static void check_named(const abut__body* body, abut__ref ref, double pad, const void* user) {
    const abut__kinetic* kinetic = user;
    if (ref == 0) {
        return;
    }
    const exact_box exact = exact_of(body, ref, 1);
    for (uint32_t d = 0; d < 3; ++d) {
        double p[3];
        abut__body_vertex(body, abut__kinetic_vertex(kinetic, &body->shape->tree, ref, d), 1, p);
        REQUIRE(p[d] <= exact.lo[d] + pad);
        abut__body_vertex(body, abut__kinetic_vertex(kinetic, &body->shape->tree, ref, 3 + d), 1,
                          p);
        REQUIRE(p[d] >= exact.hi[d] - pad);
    }
}

// the state before has its own boxes, if looser ones
static void check_holds_before(const abut__body* body, abut__ref ref, double pad,
                               const void* user) {
    (void)pad;
    (void)user;
    const abut__box3 box = abut__body_ref_box(body, ref, 0);
    const exact_box exact = exact_of(body, ref, 0);
    for (int d = 0; d < 3; ++d) {
        REQUIRE((double)box.lo[d] <= exact.lo[d] && (double)box.hi[d] >= exact.hi[d]);
    }
}

static double pad_of(const plan* p) {
    return 0x1.00001p-19 * p->extent + 0x1p-139;
}

static void check_state(const world* w, abut_body_id id, const plan* p) {
    const abut__body* body = body_of(w, id);
    const abut__flight_state* own = state_of(w, id);
    world_validate(w, id);
    for_all_refs(body, pad_of(p), check_least, NULL);
    REQUIRE(own->kinetic != NULL && own->tight == (own->keys.to != own->keys.from));
    if (own->tight) {
        for_all_refs(body, pad_of(p), check_named, own->kinetic);
        REQUIRE(own->kinetic->calendar.waiting <
                own->kinetic->block_count + own->kinetic->node_count);
    }
    if (body->state[1 - body->current].valid) {
        for_all_refs(body, pad_of(p), check_holds_before, NULL);
    }
}

// ---- boxes

// mostly on by a little, now and then anywhere, to a key, or nowhere
static double next_time(test_random* random, const plan* p, double time) {
    const double first = p->keys[0].time;
    const double last = p->keys[p->count - 1].time;
    const double length = last - first;
    const double choice = random_unit(random);
    if (choice < 0.7) {
        return time + length * pow(10, random_double(random, -9, -0.7));
    }
    return choice < 0.8    ? random_double(random, first - 0.1, last + 0.1)
           : choice < 0.88 ? time - random_double(random, 0, 0.2 * length)
           : choice < 0.94 ? p->keys[random_below(random, p->count)].time
           : choice < 0.97 ? nextafter(time, INFINITY)
                           : time;
}

static void test_boxes_hold_and_are_least(void** state) {
    (void)state;
    test_random random = random_seed(71);
    uint64_t events = 0;
    for (uint32_t round = 0; round < effort(40, 240, 6000); ++round) {
        const plan_kind kind = (plan_kind)(round % PLAN_KINDS);
        where("round %u, kind %d", round, (int)kind);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, kind);
        const abut_body_id body = add_kinetic(&w, &random, &s, &p);
        double time = p.keys[0].time;
        for (uint32_t step = 0; step < 25; ++step) {
            time = next_time(&random, &p, time);
            where("round %u, kind %d, step %u, time %a", round, (int)kind, step, time);
            REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
            check_state(&w, body, &p);
        }
        const abut__kinetic_counts* counts = &state_of(&w, body)->kinetic->counts;
        events += counts->events;
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
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

// ---- plans that change during the motion

// new velocities for some vertices, few or many, with ties and zeros
static void change_plans(test_random* random, const world* w, abut_body_id id, double time) {
    const uint32_t n = body_of(w, id)->shape->mesh->vertex_count;
    uint32_t* vertices = test_alloc(n, sizeof *vertices);
    double* speed = test_alloc(3 * (size_t)n, sizeof *speed);
    const double chance = random_chance(random, 0.2) ? 1 : pow(10, random_double(random, -3, 0));
    uint32_t count = 0;
    for (uint32_t v = 0; v < n; ++v) {
        if (random_chance(random, chance)) {
            for (int d = 0; d < 3; ++d) {
                speed[3 * (size_t)count + (size_t)d] = 0.25 * random_between(random, -2, 2);
            }
            vertices[count++] = v;
        }
    }
    const abut_plans plans = {.time = time,
                              .vertices = vertices,
                              .vertex_count = count,
                              .velocities = abut_positions_f64(speed, count)};
    if (count > 0) {
        REQUIRE_OK(abut_body_set_plans(w->scene, id, &plans, NULL));
    }
    free(vertices);
    free(speed);
}

// the pad of this state: extents change with plans
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

static void test_boxes_are_least_whatever_plans_do(void** state) {
    (void)state;
    test_random random = random_seed(91);
    uint64_t mended = 0;
    uint64_t tight = 0;
    for (uint32_t round = 0; round < effort(40, 160, 4000); ++round) {
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, (plan_kind)(round % PLAN_KINDS));
        plan used = p;
        if (random_chance(&random, 0.6)) {
            used.count = 1;  // no keys to speak of: spans go as far as they like
        }
        const abut_body_id body = add_kinetic(&w, &random, &s, &used);
        double time = p.keys[0].time;
        const double length = 0.05 * (1 + random_unit(&random));
        for (uint32_t step = 0; step < 40; ++step) {
            where("round %u, step %u", round, step);
            if (random_chance(&random, 0.3)) {
                change_plans(&random, &w, body, time);
            } else if (random_chance(&random, 0.01)) {
                REQUIRE_OK(abut_body_set_plans(w.scene, body, NULL, NULL));
            } else {
                const double far = random_chance(&random, 0.1) ? random_double(&random, -3, 3) : 0;
                time += length * (random_chance(&random, 0.1) ? -3 : 1) + far;
                REQUIRE_OK(abut_body_set_time(w.scene, body, time, NULL));
            }
            check_plans_state(&w, body);
            tight += state_of(&w, body)->tight;
        }
        mended += state_of(&w, body)->kinetic->counts.mended;
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    assert_true(mended > 100 && tight > 500);
}

// the blocks of a vertex, and the nodes above them but the root
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

// what a new plan costs is what stands above its vertex, and nothing starts anew
static void test_new_plans_cost_their_ancestors(void** state) {
    (void)state;
    test_random random = random_seed(92);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(60, 90, 1);
    const abut_key key = {0, abut_positions_f64(s.xyz, s.vertex_count)};
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.bound = ABUT_BOUND_KINETIC;
    def.keys = &key;
    def.key_count = 1;
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    const abut_plans all = {.velocities = abut_positions_f64(s.xyz, s.vertex_count)};
    REQUIRE_OK(abut_body_set_plans(w.scene, body, &all, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0x1p-10, NULL));
    REQUIRE_OK(abut_body_set_time(w.scene, body, 0x1p-9, NULL));
    const abut__kinetic_counts* counts = &state_of(&w, body)->kinetic->counts;
    for (uint32_t round = 0; round < 200; ++round) {
        where("round %u", round);
        const uint64_t visits = counts->visits;
        REQUIRE_OK(abut_body_set_time(w.scene, body, 0x1p-9, NULL));
        const abut__kinetic_counts before = *counts;
        const uint64_t ties = before.visits - visits;  // that are looked at in any case
        const uint32_t vertex = random_below(&random, s.vertex_count);
        const double speed[3] = {random_unit(&random), random_unit(&random), -1};
        const abut_plans one = {.time = 0x1p-9,
                                .vertices = &vertex,
                                .vertex_count = 1,
                                .velocities = abut_positions_f64(speed, 1)};
        uint32_t blocks;
        const uint32_t nodes = count_ancestors(&body_of(&w, body)->shape->tree, vertex, &blocks);
        REQUIRE_OK(abut_body_set_plans(w.scene, body, &one, NULL));
        REQUIRE(counts->mended == before.mended + blocks);
        // once to be mended, and once more for what is overtaken at that very instant
        REQUIRE(counts->visits <= before.visits + ties + 2 * (blocks + nodes));
        REQUIRE(counts->starts == before.starts);
    }
    check_plans_state(&w, body);
    world_free(&w);
    surface_free(&s);
}

// ---- the two forms

static void check_same_box(const abut__body* body, abut__ref ref, double pad, const void* user) {
    const abut__events* events = user;
    if (ref == 0) {
        return;
    }
    const abut__box3 batched = abut__body_ref_box(body, ref, 1);
    const abut__box3 single = abut__events_box(events, ref);
    for (int d = 0; d < 3; ++d) {  // the batched ones are padded
        REQUIRE(fabs((double)batched.lo[d] - (double)single.lo[d]) <= 2 * pad);
        REQUIRE(fabs((double)batched.hi[d] - (double)single.hi[d]) <= 2 * pad);
    }
}

static void go_through_segment(test_random* random, const world* w, abut_body_id id, const plan* p,
                               abut__kinetic_counts* sum) {
    const abut__body* body = body_of(w, id);
    const abut__tree* tree = &body->shape->tree;
    const abut__source sources[2] = {abut__source_of(p->keys[0].positions),
                                     abut__source_of(p->keys[1].positions)};
    abut__events events;
    REQUIRE(abut__events_init(&events, w->context, tree, sources));
    const double begin = p->keys[0].time;
    const double length = p->keys[1].time - begin;
    const uint32_t steps = 1 + random_below(random, 40);
    for (uint32_t i = 1; i <= steps; ++i) {
        const double time = begin + length * i / (steps + 1.0);
        REQUIRE_OK(abut_body_set_time(w->scene, id, time, NULL));
        abut__events_go(&events, state_of(w, id)->part);
        for_all_refs(body, pad_of(p), check_same_box, &events);
    }
    // every event brings another line, and no side waits twice
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
        const plan_kind kind = (plan_kind)(round % PLAN_KINDS);
        where("round %u, kind %d", round, (int)kind);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, kind);
        const abut_body_id body = add_kinetic(&w, &random, &s, &p);
        go_through_segment(&random, &w, body, &p, &sum);
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    // ancestors that had the vertex got the new one at once, without events of their own
    assert_true(sum.events > 1000 && sum.updates > sum.events);
}

// ---- the kinetic BoxTree

static exact_box exact_below(const abut__body* body, const abut__boxtree* boxtree, abut__ref ref) {
    if (abut__is_block(ref)) {
        return exact_of(body, ref, 1);
    }
    exact_box box = exact_below(body, boxtree, boxtree->splits[ref].child[0]);
    const exact_box other = exact_below(body, boxtree, boxtree->splits[ref].child[1]);
    grow_exact(&box, &other);
    return box;
}

// every plane is where the vertices below it end
static void check_planes(const abut__body* body, const abut__boxtree* boxtree, double pad) {
    for (uint32_t n = 0; n < boxtree->split_count; ++n) {
        const abut__boxtree_split* split = &boxtree->splits[n];
        const exact_box lower = exact_below(body, boxtree, split->child[0]);
        const exact_box upper = exact_below(body, boxtree, split->child[1]);
        const double ends[2] = {abut__line_at(split->plane[0].line, boxtree->part),
                                -abut__line_at(split->plane[1].line, boxtree->part)};
        REQUIRE(fabs(ends[0] - lower.hi[split->axis]) <= pad);
        REQUIRE(fabs(ends[1] - upper.lo[split->axis]) <= pad);
    }
}

// what they leave of the root's box holds the block
static void check_left_boxes(const abut__body* body, const abut__boxtree* boxtree, double pad) {
    const abut__box3 root = abut__body_ref_box(body, 0, 1);
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        const abut__box3 box = abut__boxtree_box(boxtree, b, root);
        const exact_box exact = exact_of(body, b | ABUT__REF_BLOCK, 1);
        for (int d = 0; d < 3; ++d) {
            REQUIRE((double)box.lo[d] <= exact.lo[d] + pad);
            REQUIRE((double)box.hi[d] >= exact.hi[d] - pad);
        }
    }
}

static void test_boxtree_planes_are_right(void** state) {
    (void)state;
    test_random random = random_seed(80);
    abut__kinetic_counts sum = {0};
    uint64_t all = 0;
    for (uint32_t round = 0; round < effort(60, 200, 4000); ++round) {
        const plan_kind kind = (plan_kind)(round % PLAN_KINDS);
        where("round %u, kind %d", round, (int)kind);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, kind);
        const abut_body_id id = add_kinetic(&w, &random, &s, &p);
        const abut__body* body = body_of(&w, id);
        const abut__source sources[2] = {abut__source_of(p.keys[0].positions),
                                         abut__source_of(p.keys[1].positions)};
        abut__boxtree boxtree;
        REQUIRE(abut__boxtree_init(&boxtree, w.context, &body->shape->tree, sources));
        REQUIRE(boxtree.split_count + 1 == boxtree.block_count);
        const double length = p.keys[1].time - p.keys[0].time;
        for (uint32_t i = 1; i < 12; ++i) {
            REQUIRE_OK(abut_body_set_time(w.scene, id, p.keys[0].time + length * i / 12, NULL));
            abut__boxtree_go(&boxtree, state_of(&w, id)->part);
            check_planes(body, &boxtree, pad_of(&p));
            check_left_boxes(body, &boxtree, pad_of(&p));
        }
        REQUIRE(boxtree.counts.outer == boxtree.counts.events);
        REQUIRE(boxtree.heap.most_waiting <= 2 * boxtree.split_count);
        REQUIRE((kind != PLAN_STILL && kind != PLAN_SHIFT) || boxtree.counts.events == 0);
        sum.events += boxtree.counts.events;
        sum.updates += boxtree.counts.updates;
        all += state_of(&w, id)->kinetic->counts.updates;
        abut__boxtree_free(&boxtree);
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    // two planes have less to do than six sides, and pass on what they have in common
    assert_true(sum.events > 100 && sum.updates > sum.events && sum.updates < all);
}

// whatever times and plans do, its boxes hold all vertices: at every state, and of the state before
static void test_boxtree_bounds_bodies(void** state) {
    (void)state;
    test_random random = random_seed(81);
    abut__kinetic_counts sum = {0};
    for (uint32_t round = 0; round < effort(60, 240, 6000); ++round) {
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, (plan_kind)(round % PLAN_KINDS));
        const abut_body_id id = add_bound(&w, &random, &s, &p, ABUT_BOUND_BOXTREE);
        const abut__body* body = body_of(&w, id);
        const bool planned = random_chance(&random, 0.3);
        double time = p.keys[0].time;
        for (uint32_t step = 0; step < 25; ++step) {
            where("round %u, step %u", round, step);
            if (planned && random_chance(&random, 0.3)) {
                change_plans(&random, &w, id, time);
            } else {
                time = next_time(&random, &p, time);
                REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
            }
            world_validate(&w, id);
            REQUIRE(state_of(&w, id)->parted == state_of(&w, id)->between);
            if (body->state[1 - body->current].valid) {
                for_all_refs(body, 0, check_holds_before, NULL);
            }
        }
        const abut__kinetic_counts* counts = &state_of(&w, id)->boxtree->counts;
        abut_kinetic_stats stats;
        REQUIRE_OK(abut_body_kinetic_stats(w.scene, id, &stats, NULL));
        const bool parted = state_of(&w, id)->parted;
        REQUIRE(stats.bound == (parted ? ABUT_BOUND_BOXTREE : ABUT_BOUND_LINEAR));
        REQUIRE(stats.rebuilds == (parted ? counts->rebuilds : 0));
        REQUIRE(stats.queue_per_node <= 2 && stats.outer_per_inner <= 1);
        sum.events += counts->events;
        sum.mended += counts->mended;
        sum.rebuilds += counts->rebuilds;
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    assert_true(sum.events > 300 && sum.mended > 10 && sum.rebuilds > 10);
}

// the sum of all sides of the blocks' boxes
static double sum_sides(const abut__body* body, const abut__boxtree* boxtree) {
    const abut__box3 root = abut__body_ref_box(body, 0, 1);
    double sum = 0;
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        const abut__box3 box = abut__boxtree_box(boxtree, b, root);
        for (int d = 0; d < 3; ++d) {
            sum += (double)box.hi[d] - (double)box.lo[d];
        }
    }
    return sum;
}

// A sheet turned by a quarter from key to key: what was parted at the first key parts nothing later,
// but where it has degraded it is parted anew, at the cost of these nodes and of those above.
static void test_a_degraded_boxtree_is_rebuilt_in_parts(void** state) {
    (void)state;
    enum { TURNS = 5, STEPS = 40 };
    world w = world_make(NULL, NULL);
    const uint32_t side = effort(40, 60, 60);
    surface s = surface_sheet(side, side, 2);
    double* xyz[TURNS];
    abut_key keys[TURNS];
    for (uint32_t k = 0; k < TURNS; ++k) {
        xyz[k] = test_alloc(3 * (size_t)s.vertex_count, sizeof(double));
        for (size_t v = 0; v < s.vertex_count; ++v) {  // about one axis, then about another
            const double* from = k > 0 ? xyz[k - 1] + 3 * v : s.xyz + 3 * v;
            double* to = xyz[k] + 3 * v;
            const int a = k % 2 == 0 ? 0 : 1;
            to[a] = -from[2];
            to[2] = from[a];
            to[1 - a] = from[1 - a];
        }
        keys[k] = (abut_key){k, abut_positions_f64(xyz[k], s.vertex_count)};
    }
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.bound = ABUT_BOUND_BOXTREE;
    def.keys = keys;
    def.key_count = TURNS;
    def.block_triangles = 24;
    const abut_body_id id = world_add(&w, &s, &def, NULL);
    const abut__body* body = body_of(&w, id);
    uint64_t most = 0;
    uint64_t rebuilds = 0;
    for (uint32_t step = 1; step < STEPS * (TURNS - 1); ++step) {
        where("step %u", step);
        REQUIRE_OK(abut_body_set_time(w.scene, id, (double)step / STEPS, NULL));
        world_validate(&w, id);
        if (!state_of(&w, id)->parted) {
            continue;
        }
        const abut__boxtree* boxtree = state_of(&w, id)->boxtree;
        most = boxtree->counts.rebuilds - rebuilds > most ? boxtree->counts.rebuilds - rebuilds
                                                          : most;
        rebuilds = boxtree->counts.rebuilds;
        if (step % STEPS == STEPS - 1) {
            abut__boxtree fresh;
            const abut__source still[2] = {boxtree->source[1], boxtree->source[1]};
            REQUIRE(abut__boxtree_init(&fresh, w.context, &body->shape->tree, still));
            REQUIRE(sum_sides(body, boxtree) < 1.5 * sum_sides(body, &fresh));
            abut__boxtree_free(&fresh);
        }
    }
    assert_true(rebuilds > 0);
    assert_true(most < body->shape->tree.node_count);  // never all at once
    world_free(&w);
    for (uint32_t k = 0; k < TURNS; ++k) {
        free(xyz[k]);
    }
    surface_free(&s);
}

// Very many events, most of them at the same instants as others, among equal coordinates and lines
// that never move. All three structures go through them; now and then all boxes are looked at.
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
        abut_shape_def def = abut_shape_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.bound = ABUT_BOUND_KINETIC;
        def.keys = p.keys;
        def.key_count = p.count;
        def.block_triangles = 1 + random_below(&random, 4);
        const abut_body_id id = world_add(&w, &s, &def, NULL);
        const abut__body* body = body_of(&w, id);
        const abut__source sources[2] = {abut__source_of(p.keys[0].positions),
                                         abut__source_of(p.keys[1].positions)};
        abut__events by_event;
        abut__boxtree boxtree;
        REQUIRE(abut__events_init(&by_event, w.context, &body->shape->tree, sources));
        REQUIRE(abut__boxtree_init(&boxtree, w.context, &body->shape->tree, sources));
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
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    print_message("events: %llu in batches, %llu one by one, %llu of planes\n",
                  (unsigned long long)events[0], (unsigned long long)events[1],
                  (unsigned long long)events[2]);
    assert_true(events[2] > 1000);
}

// ---- the same lines and times in every set of instructions, with any number of threads

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
        for (uint32_t side = 0; side < ABUT__SIDES; ++side) {
            hash = abut__hash_double(hash, (double)kinetic->next[b][side]);
        }
    }
    return hash;
}

// what one way of working comes to
static uint64_t hash_run(uint32_t seed, const abut_context_def* def) {
    test_random random = random_seed(1000 + seed);
    world w = world_make(def, NULL);
    surface s = seed % 4 == 0 ? surface_ball(30, 40, 1) : random_surface(&random);
    plan p = plan_random(&random, &s, (plan_kind)(seed % PLAN_KINDS));
    abut_shape_def shape = abut_shape_def_default();
    shape.motion = ABUT_MOTION_FLIGHT;
    shape.bound = ABUT_BOUND_KINETIC;
    shape.keys = p.keys;
    shape.key_count = p.count;
    shape.block_triangles = 1 + seed % 7;  // so that there are enough for some tasks
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
    static const abut_isa sets[] = {ABUT_ISA_AVX2, ABUT_ISA_AVX512};
    for (uint32_t seed = 0; seed < effort(12, 32, 200); ++seed) {
        abut_context_def def = abut_context_def_default();
        def.isa = ABUT_ISA_SCALAR;
        const uint64_t wanted = hash_run(seed, &def);
        for (size_t i = 0; i < 2; ++i) {
            abut_isa chosen = sets[i];
            def.isa = sets[i];
            where("seed %u, set %zu", seed, i);
            REQUIRE(abut__kernels_choose(&chosen) == NULL || hash_run(seed, &def) == wanted);
        }
        test_threads* threads = threads_create(2 + seed % 3, seed);
        def.isa = ABUT_ISA_BEST;
        def.tasks = threads_tasks(threads);
        where("seed %u, threads", seed);
        REQUIRE(hash_run(seed, &def) == wanted);
        uint64_t done = 0;  // by any of them: who is first to take a task depends on timing
        for (uint32_t worker = 0; worker < 2 + seed % 3; ++worker) {
            done += threads_done(threads, worker);
        }
        REQUIRE(seed % 8 != 0 || done > 0);
        threads_destroy(threads);
    }
}

// ---- counts

static double per_vertex(uint64_t count, uint32_t vertices) {
    return (double)count / vertices;
}

static void test_no_step_looks_at_more_than_a_refit(void** state) {
    (void)state;
    test_random random = random_seed(74);
    for (uint32_t round = 0; round < effort(24, 80, 2000); ++round) {
        const plan_kind kind = (plan_kind)(round % PLAN_KINDS);
        where("round %u, kind %d", round, (int)kind);
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, kind);
        const abut_body_id id = add_kinetic(&w, &random, &s, &p);
        const abut__tree* tree = &body_of(&w, id)->shape->tree;
        const uint32_t members = tree->block_count + tree->node_count;
        const double length = p.keys[1].time - p.keys[0].time;
        const uint32_t frames = 2 + random_below(&random, 200);
        const bool back = random_chance(&random, 0.5);
        for (uint32_t i = 1; i <= frames; ++i) {
            const uint32_t frame = back ? frames + 1 - i : i;
            const double time = p.keys[0].time + length * frame / (frames + 1.0);
            REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
        }
        const abut__kinetic* kinetic = state_of(&w, id)->kinetic;
        const abut__kinetic_counts* counts = &kinetic->counts;
        REQUIRE(counts->starts == (back ? 2 : 1));
        REQUIRE(counts->steps == frames - counts->starts);
        REQUIRE(counts->most_visits < members);  // the root needs none
        REQUIRE(counts->visits <= (uint64_t)members * counts->steps);
        REQUIRE(counts->outer <= counts->events && counts->outer <= counts->updates);
        REQUIRE(kind != PLAN_STILL || counts->visits == 0);
        REQUIRE(kind != PLAN_SHIFT || counts->visits == 0);
        abut__kinetic_measures measures;
        REQUIRE(abut__kinetic_measure(kinetic, tree, s.vertex_count, &measures));
        REQUIRE(measures.queue_per_node <= 1 && measures.certificates_per_node <= 6);
        REQUIRE(measures.queue_per_node <= measures.certificates_per_node);
        REQUIRE(measures.outer_per_inner <= 1);
        REQUIRE((measures.most_per_vertex == 0) == (kinetic->calendar.waiting == 0));
        abut_kinetic_stats stats;  // the same for everyone to see
        REQUIRE_OK(abut_body_kinetic_stats(w.scene, id, &stats, NULL));
        REQUIRE(stats.bound == ABUT_BOUND_KINETIC && stats.nodes == members);
        REQUIRE(stats.visits == counts->visits && stats.most_visits < stats.nodes);
        REQUIRE(stats.events == counts->events && stats.updates == counts->updates);
        REQUIRE(stats.starts == counts->starts && stats.steps == counts->steps);
        REQUIRE(stats.queue_per_node == measures.queue_per_node);
        REQUIRE(stats.events_per_vertex == per_vertex(counts->events, s.vertex_count));
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
}

// what is overtaken in a segment does not depend on how many frames it is drawn in; and going on
// costs no start, however far, but turning round does
static void test_work_goes_by_events_and_not_by_frames(void** state) {
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
        // times in segments 0 and 1, and the starts after each
        const double steps[][3] = {{0, 0.5, 2},  {0, 0.4, 2},  {0, 0.3, 2},  {0, 0.9, 3},
                                   {0, 0.95, 3}, {1, 0.01, 4}, {1, 0.9, 4},  {1, 0.1, 5},
                                   {0, 0.9, 6},  {0, 0.8, 6},  {0, 0.79, 6}, {1, 0.2, 7},
                                   {1, 0.21, 7}};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
            const abut_key* key = &p.keys[(size_t)steps[i][0]];
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

// ---- the calendar, against a list

typedef struct times {
    float time[50];
    bool waits[50];
} times;

static bool is_due(const void* of, uint32_t member, float time) {
    return ((const times*)of)->time[member] <= time;
}

static void test_calendar_is_a_list_of_times(void** state) {
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

// ---- around it

// without memory for it there are looser boxes, and nothing is refused; with it nothing more is taken
static void test_memory_is_taken_once(void** state) {
    (void)state;
    for (size_t fail = 1; fail < 16; ++fail) {
        where("call %zu fails", fail);
        test_memory memory;
        memory_init(&memory);
        abut_context_def def = abut_context_def_default();
        def.allocator = memory_allocator(&memory);
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
        REQUIRE(memory_clean(&memory));
        memory_destroy(&memory);
    }
}

static void test_bad_vertices_and_refused_times_do_no_harm(void** state) {
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

// triangles of a soup fly apart, each as it is
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

// another tree for the same plans, in the middle of a segment
static void test_renewed_trees_go_on(void** state) {
    (void)state;
    test_random random = random_seed(79);
    world w = world_make(NULL, NULL);
    surface s = surface_soup(&random, 400, 1, 0.125, 0x1p-10);
    plan p = plan_make(&random, &s, PLAN_STILL, 3, 1, 0, true);
    scatter(&random, &s, &p);
    const abut_body_id id = add_kinetic(&w, &random, &s, &p);
    uint32_t renewed = 0;
    double time = p.keys[0].time;
    for (uint32_t step = 0; step < 20; ++step) {
        where("step %u", step);
        time = next_time(&random, &p, time);
        REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
        abut_edit_work work = {0};
        REQUIRE_OK(abut_body_renew(w.scene, id, 1.1, &work, NULL));
        renewed += work.blocks_built > 0;
        check_state(&w, id, &p);
    }
    REQUIRE(renewed > 0);
    world_free(&w);
    plan_free(&p);
    surface_free(&s);
}

static void test_other_motions_refuse_it(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(s.xyz, s.vertex_count);
    mesh_def.triangles = s.triangles;
    mesh_def.triangle_count = s.triangle_count;
    abut_mesh* mesh = NULL;
    REQUIRE_OK(abut_mesh_create(w.context, &mesh_def, &mesh, NULL));
    const abut_motion motions[] = {ABUT_MOTION_FREE, ABUT_MOTION_MODAL, ABUT_MOTION_BLEND};
    for (size_t i = 0; i < 3; ++i) {
        abut_shape_def def = abut_shape_def_default();
        def.motion = motions[i];
        for (def.bound = ABUT_BOUND_KINETIC; def.bound <= ABUT_BOUND_LINEAR; ++def.bound) {
            abut_shape* shape = NULL;
            REQUIRE_STATUS(abut_shape_create(w.context, mesh, &def, &shape, NULL),
                           ABUT_ERR_INVALID_ARGUMENT);
        }
    }
    abut_kinetic_stats stats;
    const abut_body_id still = world_add(&w, &s, NULL, NULL);
    REQUIRE_STATUS(abut_body_kinetic_stats(w.scene, still, &stats, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    const abut_key key = {0, abut_positions_f64(s.xyz, s.vertex_count)};
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keys = &key;
    def.key_count = 1;
    def.bound = ABUT_BOUND_SPHERES;
    abut_shape* shape = NULL;
    REQUIRE_STATUS(abut_shape_create(w.context, mesh, &def, &shape, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    abut_mesh_destroy(mesh);
    world_free(&w);
    surface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_hold_and_are_least),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_boxes_are_least_whatever_plans_do),
        cmocka_unit_test(test_new_plans_cost_their_ancestors),
        cmocka_unit_test(test_both_forms_agree),
        cmocka_unit_test(test_boxtree_planes_are_right),
        cmocka_unit_test(test_boxtree_bounds_bodies),
        cmocka_unit_test(test_a_degraded_boxtree_is_rebuilt_in_parts),
        cmocka_unit_test(test_very_many_events_with_ties),
        cmocka_unit_test(test_instruction_sets_and_threads_agree),
        cmocka_unit_test(test_no_step_looks_at_more_than_a_refit),
        cmocka_unit_test(test_work_goes_by_events_and_not_by_frames),
        cmocka_unit_test(test_calendar_is_a_list_of_times),
        cmocka_unit_test(test_memory_is_taken_once),
        cmocka_unit_test(test_bad_vertices_and_refused_times_do_no_harm),
        cmocka_unit_test(test_renewed_trees_go_on),
        cmocka_unit_test(test_other_motions_refuse_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
