// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies far from the origin, where floats are coarser than their triangles. Answers agree with all
// pairs at every distance, in every frame, and while bodies jump. And the same bodies far away cost
// what they cost at the origin: coordinates are multiples of a power of two, so that they are the
// same to the last bit.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/near.h"
#include "support/skin.h"
#include "support/swept_pairs.h"
#include "support/world.h"

// ---- answers

// a place whose coordinates are 0 or of any size up to 2^40 of the bodies'
static void random_place(test_random* random, double size, double out[3]) {
    for (int d = 0; d < 3; ++d) {
        const double far = ldexp(size * random_double(random, -1, 1),
                                 random_between(random, 0, 40));
        out[d] = random_chance(random, 0.3) ? 0 : far;
    }
}

// a small surface whose triangles often touch
static surface random_small(test_random* random, double size) {
    surface s = random_chance(random, 0.5) ? surface_ball(4, 6, 1) : surface_sheet(5, 5, 1.5);
    surface_shake(&s, random, 0.25, 0x1p-4);
    surface_scale(&s, size);
    return s;
}

typedef struct pair_of_bodies {
    world w;
    surface s[2];
    abut_body_id body[2];
} pair_of_bodies;

// Two bodies at a place: in one frame, possibly turned, or one of them brought there by a frame.
static pair_of_bodies make_pair(test_random* random, double size, const double at[3], bool turns) {
    pair_of_bodies p = {.w = world_make(NULL, NULL)};
    motion_def shape = motion_def_default();
    shape.block_triangles = 6;
    const uint32_t how = random_below(random, 4);
    abut_frame common = how == 1 && turns ? frame_random(random, 0) : abut_frame_identity();
    for (int i = 0; i < 2; ++i) {
        p.s[i] = random_small(random, i == 0 ? size : ldexp(size, -random_between(random, 0, 6)));
        abut_body_def def = abut_body_def_default();
        def.frame = how == 3 ? frame_random(random, 0) : common;
        if (how >= 2 && i == 1) {
            memcpy(def.frame.t, at, sizeof def.frame.t);
        } else {
            surface_shift(&p.s[i], at[0], at[1], at[2]);
        }
        p.body[i] = world_add(&p.w, &p.s[i], &shape, &def);
    }
    return p;
}

static void free_pair(pair_of_bodies* p) {
    surface_free(&p->s[0]);
    surface_free(&p->s[1]);
    world_free(&p->w);
}

static size_t check_distance(const pair_of_bodies* p, abut_nearest_result* nearest) {
    const distance_oracle everything = {.within = INFINITY};
    distance_list wanted = distances_between(p->w.scene, p->body[0], p->body[1], &everything);
    REQUIRE_OK(abut_nearest(p->w.scene, p->body[0], p->body[1], NULL, nearest, NULL));
    require_distances(p->w.scene, nearest, &wanted, "two bodies");
    free(wanted.pairs);
    return wanted.count;
}

static void test_answers_at_any_distance(void** state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(150, 400, 8000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        const double size = ldexp(1, random_between(&random, -20, 20));
        double at[3];
        random_place(&random, size, at);
        pair_of_bodies p = make_pair(&random, size, at, true);
        abut_nearest_result* nearest = NULL;
        REQUIRE_OK(abut_nearest_result_create(p.w.context, &nearest, NULL));
        abut_collide_def def = abut_collide_def_default();
        def.margin = random_chance(&random, 0.5) ? 0 : size * random_unit(&random);
        found += check_between(&p.w, p.body[0], p.body[1], &def);
        found += check_collide_all(&p.w, &def) + check_self_all(&p.w, &def);
        found += check_distance(&p, nearest);
        abut_nearest_result_destroy(nearest);
        free_pair(&p);
    }
    REQUIRE(found > 0);
}

// Two walls in one plane, of which each has boxes about an origin of its own: the pad must cover
// the rounding of both.
static void test_walls_in_one_plane(void** state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(300, 1000, 20000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        const int axis = (int)random_below(&random, 3);
        const double height = ldexp(random_double(&random, -1, 1), random_between(&random, 0, 30));
        const double along = ldexp(random_double(&random, -1, 1), random_between(&random, 0, 30));
        pair_of_bodies p = {.w = world_make(NULL, NULL)};
        for (int i = 0; i < 2; ++i) {
            p.s[i] = surface_sheet(3, 3, ldexp(1, i == 0 ? random_between(&random, -12, 12) : 0));
            for (uint32_t v = 0; v < p.s[i].vertex_count; ++v) {
                double* x = p.s[i].xyz + 3 * (size_t)v;
                const double y[3] = {x[0] + along, x[1] - along, height};
                for (int d = 0; d < 3; ++d) {
                    x[(d + axis) % 3] = y[d];
                }
            }
            p.body[i] = world_add(&p.w, &p.s[i], NULL, NULL);
        }
        found += check_between(&p.w, p.body[0], p.body[1], NULL);
        free_pair(&p);
    }
    REQUIRE(found > 0);
}

// Bodies move a little or jump to another place, so that the origins of their boxes change during a
// step; sometimes so does the frame.
static void test_steps_at_any_distance(void** state) {
    (void)state;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(60, 200, 4000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        const double size = ldexp(1, random_between(&random, -3, 3));
        double at[3];
        random_place(&random, size, at);
        pair_of_bodies p = make_pair(&random, size, at, false);
        snapshot taken[2] = {snapshot_make(p.body[0], &p.s[0]), snapshot_make(p.body[1], &p.s[1])};
        // Queries between bodies in one frame are decided in the shape's coordinates. It is not
        // turned, because normals would be.
        const abut_frame frame[2] = {abut_body_frame(p.w.scene, p.body[0]),
                                     abut_body_frame(p.w.scene, p.body[1])};
        const bool one_frame = memcmp(&frame[0], &frame[1], sizeof frame[0]) == 0;
        for (uint32_t step = 0; step < 3; ++step) {
            const double reach = ldexp(size, random_between(&random, -4, 12));
            for (int i = 0; i < 2; ++i) {
                snapshot_take(&p.w, &taken[i], 0, !one_frame);
                surface_shake(&p.s[i], &random, 0.25 * size, 0x1p-6 * size);
                surface_shift(&p.s[i], reach * random_unit(&random), 0, reach);
                world_move(&p.w, p.body[i], p.s[i].xyz);
                snapshot_take(&p.w, &taken[i], 1, !one_frame);
            }
            found += check_pair(&p.w, &taken[0], &taken[1], NULL);
        }
        snapshot_free(&taken[0]);
        snapshot_free(&taken[1]);
        free_pair(&p);
    }
    REQUIRE(found > 0);
}

// ---- work

#define STEP 0x1p-12  // coordinates are multiples of this
static const double far_away[3] = {0x1p24 + 0x1p13, -0x1p25, 0x1p23 + 3};

typedef enum place_kind {
    AT_ORIGIN,
    BY_POSITIONS,  // the vertices are far away
    BY_FRAME,      // the frame is
    BY_BOTH,       // the vertices are, and the frame brings them to twice that distance
} place_kind;

// rounds a surface to the grid and moves it
static void put(surface* s, const double by[3]) {
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        s->xyz[i] = nearbyint(s->xyz[i] / STEP) * STEP + by[i % 3];
    }
}

// What queries cost on two balls, one of them folded, and a small one inside the other, over some
// steps.
typedef struct costs {
    abut_counters between;
    abut_counters within;
    abut_counters swept;
    abut_counters nearest;
    abut_counters sides;
    abut_counters depth;
    uint64_t answers;
} costs;

static surface ball_at(double time, uint32_t body, const double by[3]) {
    surface s = surface_ball(24, 32, body == 2 ? 0.125 : 1);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        double* x = s.xyz + 3 * (size_t)v;
        x[0] -= body == 0 ? 2.8 * fmax(0, x[0] - 0.3) : 0;  // pushed in, and out at the back
        x[0] += (body == 0 ? 0.3 : 0.05) * sin(5 * x[2] + time);
        x[1] += 0.1 * sin(9 * x[0] + 2 * time);
        x[1] += body > 0 ? 1.5 - 0.5 * time : 0;
    }
    put(&s, by);
    return s;
}

static void ask(const world* w, const abut_body_id body[3], costs* c) {
    abut_collide_def collide = abut_collide_def_default();
    collide.head.counters = &c->between;
    REQUIRE_OK(abut_collide_all(w->scene, &collide, w->result, NULL));
    c->answers = 31 * c->answers + result_hash(w->result);
    collide.margin = 0x1p-6;
    REQUIRE_OK(abut_collide(w->scene, body[0], body[1], &collide, w->result, NULL));
    c->answers = 31 * c->answers + result_hash(w->result);
    collide.margin = 0;
    collide.head.counters = &c->within;
    REQUIRE_OK(abut_collide_self(w->scene, body[0], &collide, w->result, NULL));
    c->answers = 31 * c->answers + result_hash(w->result);
    abut_contains_def contains = abut_contains_def_default();
    contains.head.counters = &c->sides;
    REQUIRE_OK(abut_contains_body(w->scene, body[1], body[2], &contains, w->sides, NULL));
    c->answers = 31 * c->answers + (uint64_t)abut_contains_result_sides(w->sides, NULL)[0];
}

static void measure(const world* w, const abut_body_id body[3], costs* c) {
    abut_nearest_result* nearest = NULL;
    abut_depth_result* depth = NULL;
    REQUIRE_OK(abut_nearest_result_create(w->context, &nearest, NULL));
    REQUIRE_OK(abut_depth_result_create(w->context, &depth, NULL));
    abut_nearest_def near_def = abut_nearest_def_default();
    near_def.head.counters = &c->nearest;
    REQUIRE_OK(abut_nearest_triangles(w->scene, body[1], &near_def, nearest, NULL));
    abut_depth_def depth_def = abut_depth_def_default();
    depth_def.head.counters = &c->depth;
    REQUIRE_OK(abut_depth(w->scene, body[0], body[1], &depth_def, depth, NULL));
    abut_nearest_result_destroy(nearest);
    abut_depth_result_destroy(depth);
}

static costs costs_at(place_kind kind, bool turned) {
    costs c = {.answers = 0};
    world w = world_make(NULL, NULL);
    abut_body_id body[3];
    const double nowhere[3] = {0, 0, 0};
    const double* by = kind == BY_POSITIONS || kind == BY_BOTH ? far_away : nowhere;
    for (uint32_t i = 0; i < 3; ++i) {
        surface s = ball_at(0, i, by);
        abut_body_def def = abut_body_def_default();
        if (turned) {  // exact, and of one body alone, so that queries are decided in the world
            static const double quarter[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
            memcpy(def.frame.r, quarter, sizeof quarter);
            def.frame.t[1] = 0x1p-3 * i;
        }
        for (int d = 0; d < 3 && (kind == BY_FRAME || kind == BY_BOTH); ++d) {
            def.frame.t[d] += far_away[d];
        }
        body[i] = world_add(&w, &s, NULL, &def);
        surface_free(&s);
    }
    for (uint32_t step = 1; step <= 3; ++step) {
        for (uint32_t i = 0; i < 3; ++i) {
            surface s = ball_at(0.3 * step, i, by);
            world_move(&w, body[i], s.xyz);
            surface_free(&s);
        }
        ask(&w, body, &c);
        measure(&w, body, &c);
        abut_sweep_def sweep = abut_sweep_def_default();
        sweep.head.counters = &c.swept;
        REQUIRE_OK(abut_sweep(w.scene, body[0], body[1], &sweep, w.swept, NULL));
        REQUIRE_OK(abut_sweep_self(w.scene, body[1], &sweep, w.swept, NULL));
    }
    world_free(&w);
    return c;
}

// fails unless the work is about the same
static void require_work(const abut_counters* got, const abut_counters* wanted, const char* what) {
    const struct {
        const char* name;
        uint64_t got;
        uint64_t wanted;
    } rows[] = {
        {"boxes tested", got->boxes_tested, wanted->boxes_tested},
        {"blocks evaluated", got->blocks_evaluated, wanted->blocks_evaluated},
        {"exact tests", got->exact_tests, wanted->exact_tests},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].got > rows[i].wanted + rows[i].wanted / 20 + 4) {
            fail_msg("%s: %s, %s: %llu, but %llu at the origin", where_text(), what, rows[i].name,
                     (unsigned long long)rows[i].got, (unsigned long long)rows[i].wanted);
        }
    }
}

static void test_work_is_that_at_the_origin(void** state) {
    (void)state;
    for (int turned = 0; turned < 2; ++turned) {
        const costs wanted = costs_at(AT_ORIGIN, turned != 0);
        REQUIRE(wanted.between.pairs_found > 0);
        REQUIRE(wanted.within.pairs_found > 0);
        REQUIRE(wanted.swept.pairs_found > 0);
        REQUIRE(wanted.depth.exact_tests > 0);
        REQUIRE(wanted.sides.exact_tests > 0);
        for (int kind = BY_POSITIONS; kind <= BY_BOTH; ++kind) {
            where("place %d, turned %d", kind, turned);
            const costs got = costs_at((place_kind)kind, turned != 0);
            require_work(&got.between, &wanted.between, "between");
            require_work(&got.within, &wanted.within, "within");
            require_work(&got.swept, &wanted.swept, "swept");
            require_work(&got.nearest, &wanted.nearest, "nearest");
            require_work(&got.sides, &wanted.sides, "contains");
            require_work(&got.depth, &wanted.depth, "depth");
            REQUIRE(got.answers == wanted.answers);
        }
    }
}

// ---- bodies that deform by fields and transforms

enum { NODES = 4, FIELDS = 3 };

// What queries on two such bodies cost, the one bent and the other at rest, that `by` brings away: in
// the rest positions, or in the transforms.
static costs deformed_costs(uint64_t seed, bool blended, bool by_transforms, const double by[3]) {
    static const double nowhere[3] = {0, 0, 0};
    costs c = {.answers = 0};
    test_random random = random_seed(seed);
    world w = world_make(NULL, NULL);
    abut_body_id body[3];
    surface s[2];
    field_set f[2];
    skin k[2];
    for (uint32_t i = 0; i < 2; ++i) {
        s[i] = ball_at(0, i, nowhere);
        f[i] = make_fields(&random, &s[i], FIELDS, 0.25, ABUT_SCALAR_F32, true);
        k[i] = skin_make(&random, &s[i], NODES, 1, ABUT_SCALAR_F64);
        surface there = surface_copy(&s[i]);
        put(&there, by_transforms ? nowhere : by);
        const motion_def def = blended ? blend_def(&k[i], NULL) : modal_def(&f[i]);
        body[i] = world_add(&w, &there, &def, NULL);
        surface_free(&there);
    }
    body[2] = body[0];
    for (uint32_t step = 1; step <= 3; ++step) {
        for (uint32_t i = 0; i < 2; ++i) {
            double q[FIELDS];
            double t[NODES][12] = {{0}};
            for (uint32_t j = 0; j < FIELDS; ++j) {
                q[j] = random_dyadic(&random, i, 0x1p-3);
            }
            for (uint32_t j = 0; j < NODES;
                 ++j) {  // translations alone, so that nothing is rounded
                for (size_t d = 0; d < 3; ++d) {
                    t[j][5 * d] = 1;
                    t[j][4 * d + 3] = random_dyadic(&random, 0.1 * i, 0x1p-6) +
                                      (by_transforms ? by[d] : 0);
                }
            }
            if (blended) {
                set_transforms(&w, body[i], t, NODES, NULL, 0);
            } else {
                set_coordinates(&w, body[i], q, FIELDS);
            }
            world_validate(&w, body[i]);
        }
        abut_sweep_def sweep = abut_sweep_def_default();
        sweep.head.counters = &c.swept;
        ask(&w, body, &c);
        measure(&w, body, &c);
        if (step > 1) {  // the first one may come from rest positions elsewhere
            REQUIRE_OK(abut_sweep_all(w.scene, &sweep, w.swept, NULL));
        }
    }
    for (uint32_t i = 0; i < 2; ++i) {
        surface_free(&s[i]);
        free_fields(&f[i]);
        skin_free(&k[i]);
    }
    world_free(&w);
    return c;
}

static void test_work_of_deformed_bodies(void** state) {
    (void)state;
    static const double nowhere[3] = {0, 0, 0};
    for (uint64_t seed = 1; seed <= effort(2, 4, 40); ++seed) {
        for (int kind = 0; kind < 3; ++kind) {  // modal, blend, blend by its transforms
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            const costs wanted = deformed_costs(seed, kind > 0, kind == 2, nowhere);
            const costs got = deformed_costs(seed, kind > 0, kind == 2, far_away);
            REQUIRE(wanted.between.pairs_found > 0);
            require_work(&got.between, &wanted.between, "between");
            require_work(&got.within, &wanted.within, "within");
            require_work(&got.nearest, &wanted.nearest, "nearest");
            require_work(&got.swept, &wanted.swept, "swept");
            REQUIRE(kind == 0 || got.answers == wanted.answers);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_at_any_distance),
        cmocka_unit_test(test_walls_in_one_plane),
        cmocka_unit_test(test_steps_at_any_distance),
        cmocka_unit_test(test_work_is_that_at_the_origin),
        cmocka_unit_test(test_work_of_deformed_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
