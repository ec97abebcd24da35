// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of kinetic trees: difficult keyframes, and boxes computed from the vertices.
#ifndef ABUT_TESTS_TEST_KINETIC_SUPPORT_H
#define ABUT_TESTS_TEST_KINETIC_SUPPORT_H

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
#include "bound/refit.h"
#include "motion/flight.h"
#include "scene/scene.h"
#include "support/everywhere.h"
#include "support/memory.h"
#include "support/world.h"

#define KEYS_MOST 5

// ---- plans: difficult keyframes of a surface

typedef enum plan_kind {
    PLAN_ANY,         // each vertex by itself
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
    abut_keyframe keys[KEYS_MOST];
    double* xyz[KEYS_MOST];
    float* narrow[KEYS_MOST];
    double extent;  // greatest magnitude of a coordinate
} plan;

static inline double coarse(double x) {
    return 0.25 * nearbyint(4 * x);
}

static inline void smooth_place(const double from[3], uint32_t key, double out[3]) {
    const double angle = 0.9 * key;
    const double bend = 0.3 * sin(3 * from[0] + key) + 0.2 * cos(2 * from[1] - 2.0 * key);
    out[0] = cos(angle) * from[0] - sin(angle) * from[1];
    out[1] = (1 + 0.1 * key) * (sin(angle) * from[0] + cos(angle) * from[1]);
    out[2] = from[2] + bend;
}

static inline double hair(test_random* random, double x) {
    return (double)nextafterf((float)x, random_chance(random, 0.5) ? INFINITY : -INFINITY);
}

static inline void place(test_random* random, plan_kind kind, const double from[3], uint32_t key,
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

static inline plan plan_make(test_random* random, const surface* s, plan_kind kind, uint32_t count,
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
        p.keys[k] = (abut_keyframe){time, narrow ? abut_positions_f32(p.narrow[k], s->vertex_count)
                                                 : abut_positions_f64(p.xyz[k], s->vertex_count)};
        time += random_double(random, 0.1, 3);
    }
    return p;
}

static inline plan plan_random(test_random* random, const surface* s, plan_kind kind) {
    const double size = random_chance(random, 0.5) ? 1 : ldexp(1, random_between(random, -40, 40));
    return plan_make(random, s, kind, 2 + random_below(random, KEYS_MOST - 1), size,
                     random_chance(random, 0.3) ? 1000 : 0, random_chance(random, 0.5));
}

static inline void plan_free(plan* p) {
    for (uint32_t k = 0; k < p->count; ++k) {
        free(p->xyz[k]);
        free(p->narrow[k]);
    }
}

static inline surface random_surface(test_random* random) {
    switch (random_below(random, 3)) {
        case 0: return surface_ball(6 + random_below(random, 10), 9 + random_below(random, 10), 1);
        case 1: return surface_sheet(4 + random_below(random, 12), 12, 2);
        default: return surface_soup(random, 60 + random_below(random, 200), 1, 0.4, 0.125);
    }
}

static inline abut_body_id add_bound(world* w, test_random* random, const surface* s, const plan* p,
                                     int bound) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.bound = bound;
    def.keyframes = p->keys;
    def.keyframe_count = p->count;
    def.block_triangles = 1 + random_below(random, 48);
    def.fan_out = 2 + random_below(random, 7);
    return world_add(w, s, &def, NULL);
}

static inline abut_body_id add_kinetic(world* w, test_random* random, const surface* s,
                                       const plan* p) {
    return add_bound(w, random, s, p, ABUT_FLIGHT_BOUND_KINETIC);
}

static inline const abut__body* body_of(const world* w, abut_body_id id) {
    return abut__scene_body(w->scene, id);
}

static inline const abut__flight_state* state_of(const world* w, abut_body_id id) {
    return abut__flight_state_of(abut__body_state(body_of(w, id), 1));
}

// a random surface with a kinetic tree in a world of its own
typedef struct flyer {
    world w;
    surface s;
    plan p;
    plan_kind kind;
    abut_body_id id;
} flyer;

// the rounds of a test take turns through all kinds of plans
static inline flyer flyer_make(test_random* random, uint32_t round) {
    flyer f = {.w = world_make(NULL, NULL), .s = random_surface(random)};
    f.kind = (plan_kind)(round % PLAN_KINDS);
    where("round %u, kind %d", round, (int)f.kind);
    f.p = plan_random(random, &f.s, f.kind);
    f.id = add_kinetic(&f.w, random, &f.s, &f.p);
    return f;
}

static inline void flyer_free(flyer* f) {
    world_free(&f->w);
    plan_free(&f->p);
    surface_free(&f->s);
}

// ---- the oracle: boxes of all vertices under a node or block, from the vertices themselves

typedef struct exact_box {
    double lo[3];
    double hi[3];
} exact_box;

static inline void grow_exact(exact_box* box, const exact_box* other) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = other->lo[d] < box->lo[d] ? other->lo[d] : box->lo[d];
        box->hi[d] = other->hi[d] > box->hi[d] ? other->hi[d] : box->hi[d];
    }
}

static inline exact_box exact_of(const abut__body* body, abut__ref ref, int end) {
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

static inline void for_all_refs(const abut__body* body, double pad, ref_check* check,
                                const void* user) {
    const abut__tree* tree = &body->shape->tree;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        check(body, b | ABUT__REF_BLOCK, pad, user);
    }
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        check(body, n, pad, user);
    }
}

// the box contains everything, and no side is farther out than the pad and its allowance
static inline void check_least(const abut__body* body, abut__ref ref, double pad,
                               const void* user) {
    (void)user;
    const abut__box3 box = abut__body_ref_box(body, ref, 1);
    const exact_box exact = exact_of(body, ref, 1);
    for (int d = 0; d < 3; ++d) {
        REQUIRE((double)box.lo[d] <= exact.lo[d] && (double)box.hi[d] >= exact.hi[d]);
        REQUIRE((double)box.lo[d] >= exact.lo[d] - 2 * pad);
        REQUIRE((double)box.hi[d] <= exact.hi[d] + 2 * pad);
    }
}

// the vertices named for the sides realise them
static inline void check_named(const abut__body* body, abut__ref ref, double pad,
                               const void* user) {
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

// the state before has its own, possibly looser boxes
static inline void check_contains_before(const abut__body* body, abut__ref ref, double pad,
                                         const void* user) {
    (void)pad;
    (void)user;
    const abut__box3 box = abut__body_ref_box(body, ref, 0);
    const exact_box exact = exact_of(body, ref, 0);
    for (int d = 0; d < 3; ++d) {
        REQUIRE((double)box.lo[d] <= exact.lo[d] && (double)box.hi[d] >= exact.hi[d]);
    }
}

static inline double pad_of(const plan* p) {
    return 0x1.00001p-19 * p->extent + 0x1p-139;
}

static inline void check_state(const world* w, abut_body_id id, const plan* p) {
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
        for_all_refs(body, pad_of(p), check_contains_before, NULL);
    }
}

// ---- boxes

// mostly forward by a little, sometimes anywhere, to a keyframe, or no change
static inline double next_time(test_random* random, const plan* p, double time) {
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

// ---- plans that change during the motion

// new velocities for some vertices, few or many, with ties and zeros
static inline void change_plans(test_random* random, const world* w, abut_body_id id, double time) {
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
    const abut_plans_def plans = {.time = time,
                                  .vertices = vertices,
                                  .vertex_count = count,
                                  .velocities = abut_positions_f64(speed, count)};
    if (count > 0) {
        REQUIRE_OK(plans_set(w->scene, id, &plans, NULL));
    }
    free(vertices);
    free(speed);
}

// ---- the two forms

static inline void check_same_box(const abut__body* body, abut__ref ref, double pad,
                                  const void* user) {
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

// ---- the kinetic BoxTree

// a segment between two arrays of positions, with its own boxes
typedef struct own_segment {
    const abut_context* context;
    uint32_t node_count;
    abut__boxes8* boxes[2];
    abut__kinetic_segment is;
} own_segment;

static inline own_segment segment_make(const abut_context* context, const abut__tree* tree,
                                       const abut__source source[2]) {
    own_segment made = {.context = context, .node_count = tree->node_count};
    made.is.key[1] = 1;
    for (int e = 0; e < 2; ++e) {
        abut__refit_boxes refit = {.root = {{0}, {0}}};
        made.boxes[e] = refit.boxes = test_alloc(tree->node_count, sizeof *refit.boxes);
        abut__refit(context, tree, NULL, source[e], (abut__beside){0}, &refit);
        made.is.source[e] = source[e];
        made.is.boxes[e] = refit.boxes;
        made.is.extent = refit.extent > made.is.extent ? refit.extent : made.is.extent;
    }
    return made;
}

static inline void segment_free(own_segment* segment) {
    free(segment->boxes[0]);
    free(segment->boxes[1]);
}

static inline exact_box exact_below(const abut__body* body, const abut__boxtree* boxtree,
                                    abut__ref ref) {
    if (abut__is_block(ref)) {
        return exact_of(body, ref, 1);
    }
    exact_box box = exact_below(body, boxtree, boxtree->splits[ref].child[0]);
    const exact_box other = exact_below(body, boxtree, boxtree->splits[ref].child[1]);
    grow_exact(&box, &other);
    return box;
}

// each plane is at the end of the vertices below it
static inline void check_planes(const abut__body* body, const abut__boxtree* boxtree, double pad) {
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

#endif  // ABUT_TESTS_TEST_KINETIC_SUPPORT_H
