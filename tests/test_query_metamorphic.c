// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Changes that leave the answers the same, or change them in a known way: other indices, another
// order of bodies, mirrored, scaled, shifted, in frames, far away, tiny and huge, as floats or with
// strides, in other trees. Answers are exact, so no comparison has a tolerance.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

// two surfaces on a grid of eighths that touch, cross and are partly coplanar
typedef struct couple {
    surface a;
    surface b;
} couple;

static couple couple_make(uint64_t seed) {
    test_random random = random_seed(seed);
    couple c;
    surface sheet = surface_sheet(8, 8, 8);
    surface_shake(&sheet, &random, 0.75, 0.125);
    surface soup = surface_soup(&random, 60, 4, 1, 0.25);
    surface_shift(&soup, 4, 4, 0);
    c.a = surface_join(&sheet, &soup);
    c.b = surface_sheet(8, 8, 8);  // eighths, like all coordinates here
    surface_shake(&c.b, &random, 0.75, 0.125);
    surface_free(&sheet);
    surface_free(&soup);
    return c;
}

static couple couple_copy(const couple* c) {
    return (couple){surface_copy(&c->a), surface_copy(&c->b)};
}

static void couple_free(couple* c) {
    surface_free(&c->a);
    surface_free(&c->b);
}

static motion_def blocks_of(uint32_t fan_out, uint32_t triangles) {
    motion_def def = motion_def_default();
    def.fan_out = fan_out;
    def.block_triangles = triangles;
    return def;
}

// pairs between the two, then pairs within each
typedef struct answers {
    pair_list between;
    pair_list self_a;
    pair_list self_b;
} answers;

static void answers_free(answers* x) {
    pairs_free(&x->between);
    pairs_free(&x->self_a);
    pairs_free(&x->self_b);
}

static answers query_world(const world* w, abut_body_id a, abut_body_id b, double margin) {
    answers x = {0};
    abut_collide_def def = abut_collide_def_default();
    def.margin = margin;
    REQUIRE_OK(abut_collide(w->scene, a, b, &def, w->result, NULL));
    pairs_append(&x.between, w->result);
    REQUIRE_OK(abut_collide_self(w->scene, a, &def, w->result, NULL));
    pairs_append(&x.self_a, w->result);
    REQUIRE_OK(abut_collide_self(w->scene, b, &def, w->result, NULL));
    pairs_append(&x.self_b, w->result);
    return x;
}

static answers query_couple(const couple* c, double margin) {
    world w = world_make(NULL, NULL);
    const motion_def def = blocks_of(4, 6);
    const abut_body_id a = world_add(&w, &c->a, &def, NULL);
    const abut_body_id b = world_add(&w, &c->b, &def, NULL);
    answers x = query_world(&w, a, b, margin);
    world_free(&w);
    return x;
}

static void require_answers(const answers* got, const answers* wanted) {
    require_same_pairs(&got->between, &wanted->between, "between");
    require_same_pairs(&got->self_a, &wanted->self_a, "within a");
    require_same_pairs(&got->self_b, &wanted->self_b, "within b");
}

static void rename_pairs(pair_list* list, const uint32_t* name_a, const uint32_t* name_b) {
    for (size_t i = 0; i < list->count; ++i) {
        abut_pair* p = &list->pairs[i];
        p->triangle_a = name_a[p->triangle_a];
        p->triangle_b = name_b[p->triangle_b];
        if (p->body_a == p->body_b && p->triangle_a > p->triangle_b) {
            const uint32_t lower = p->triangle_b;
            p->triangle_b = p->triangle_a;
            p->triangle_a = lower;
        }
    }
    pairs_sort(list);
}

static void test_other_numbers(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(5, 20, 200); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        couple c = couple_make(seed);
        answers wanted = query_couple(&c, 0);
        REQUIRE(wanted.between.count > 20 && wanted.self_a.count > 5);
        uint32_t* name_a = test_alloc(c.a.triangle_count, sizeof *name_a);
        uint32_t* name_b = test_alloc(c.b.triangle_count, sizeof *name_b);
        couple mixed = {surface_shuffle(&c.a, &random, name_a),
                        surface_shuffle(&c.b, &random, name_b)};
        answers got = query_couple(&mixed, 0);
        rename_pairs(&got.between, name_a, name_b);
        rename_pairs(&got.self_a, name_a, name_a);
        rename_pairs(&got.self_b, name_b, name_b);
        require_answers(&got, &wanted);
        answers_free(&got);
        answers_free(&wanted);
        free(name_a);
        free(name_b);
        couple_free(&mixed);
        couple_free(&c);
    }
}

static void test_swapped_bodies(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(5, 20, 200); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        couple c = couple_make(seed);
        world w = world_make(NULL, NULL);
        abut_body_def def = abut_body_def_default();
        def.frame = seed % 2 == 0 ? frame_random(&random, 1) : def.frame;
        const abut_body_id a = world_add(&w, &c.a, NULL, &def);
        const abut_body_id b = world_add(&w, &c.b, NULL, NULL);
        pair_list wanted = {0};
        pair_list got = {0};
        REQUIRE_OK(abut_collide(w.scene, a, b, NULL, w.result, NULL));
        pairs_append(&wanted, w.result);
        REQUIRE_OK(abut_collide(w.scene, b, a, NULL, w.result, NULL));
        size_t count = 0;
        const abut_pair* pairs = abut_collide_result_pairs(w.result, &count);
        for (size_t i = 0; i < count; ++i) {
            pairs_push(&got, (abut_pair){pairs[i].body_b, pairs[i].body_a, pairs[i].triangle_b,
                                         pairs[i].triangle_a});
        }
        pairs_sort(&got);
        require_same_pairs(&got, &wanted, "swapped");
        pairs_free(&got);
        pairs_free(&wanted);
        couple_free(&c);
        world_free(&w);
    }
}

static void transform_couple(couple* c, void (*change)(double p[3], double x), double x) {
    for (uint32_t v = 0; v < c->a.vertex_count; ++v) {
        change(c->a.xyz + 3 * (size_t)v, x);
    }
    for (uint32_t v = 0; v < c->b.vertex_count; ++v) {
        change(c->b.xyz + 3 * (size_t)v, x);
    }
}

static void mirror(double p[3], double axis) {
    p[(int)axis] = -p[(int)axis];
}
static void cycle(double p[3], double unused) {
    (void)unused;
    const double x = p[0];
    p[0] = p[1];
    p[1] = p[2];
    p[2] = x;
}
static void scale(double p[3], double factor) {
    p[0] *= factor;
    p[1] *= factor;
    p[2] *= factor;
}
static void shift(double p[3], double by) {
    p[0] += by;
    p[1] -= by;
    p[2] += 3 * by;
}

static void check_transformed(const couple* c, void (*change)(double p[3], double x), double x,
                              double margin, double margin_factor) {
    couple moved = couple_copy(c);
    transform_couple(&moved, change, x);
    answers wanted = query_couple(c, margin);
    answers got = query_couple(&moved, margin * margin_factor);
    require_answers(&got, &wanted);
    answers_free(&got);
    answers_free(&wanted);
    couple_free(&moved);
}

static void test_mirrored_and_turned(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 80); ++seed) {
        couple c = couple_make(seed);
        for (int axis = 0; axis < 3; ++axis) {
            where("seed %llu, axis %d", (unsigned long long)seed, axis);
            check_transformed(&c, mirror, axis, axis == 1 ? 0.125 : 0, 1);
        }
        check_transformed(&c, cycle, 0, 0, 1);
        couple_free(&c);
    }
}

// exact for all of these: nothing overflows, and eighths stay multiples of the smallest denormal
static void test_scaled_by_powers_of_two(void** state) {
    (void)state;
    static const int powers[] = {-1060, -1000, -500, -200, -149, -140, -126, -120, -60, -23, -1,
                                 1,     24,    60,   100,  118,  122,  124,  126,  200, 500, 1018};
    for (uint64_t seed = 1; seed <= effort(1, 2, 20); ++seed) {
        couple c = couple_make(seed);
        for (size_t i = 0; i < sizeof powers / sizeof powers[0]; ++i) {
            where("seed %llu, 2^%d", (unsigned long long)seed, powers[i]);
            check_transformed(&c, scale, ldexp(1, powers[i]), 0, 1);
            check_transformed(&c, scale, ldexp(1, powers[i]), 0.25, ldexp(1, powers[i]));
        }
        couple_free(&c);
    }
}

// eighths plus whole numbers below 2^49 are exact
static void test_shifted_by_whole_numbers(void** state) {
    (void)state;
    static const double shifts[] = {1, -1000, 0x1p20 + 1, 0x1p24 + 3, -0x1p30, 0x1p40 + 1, 0x1p47};
    for (uint64_t seed = 1; seed <= effort(1, 3, 30); ++seed) {
        couple c = couple_make(seed);
        for (size_t i = 0; i < sizeof shifts / sizeof shifts[0]; ++i) {
            where("seed %llu, shift %g", (unsigned long long)seed, shifts[i]);
            check_transformed(&c, shift, shifts[i], 0, 1);
            check_transformed(&c, shift, shifts[i], 0.125, 1);
        }
        couple_free(&c);
    }
}

// ---- frames

static void test_one_frame_for_both(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(3, 12, 120); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        couple c = couple_make(seed);
        world w = world_make(NULL, NULL);
        const motion_def def = blocks_of(5, 5);
        const abut_body_id a = world_add(&w, &c.a, &def, NULL);
        const abut_body_id b = world_add(&w, &c.b, &def, NULL);
        answers wanted = query_world(&w, a, b, 0);
        for (int round = 0; round < 4; ++round) {
            static const double reach[] = {0, 10, 1e8, 1e300};
            where("seed %llu, round %d", (unsigned long long)seed, round);
            const abut_frame frame = frame_random(&random, reach[round]);
            world_frame(&w, a, frame);
            world_frame(&w, b, frame);
            answers got = query_world(&w, a, b, 0);
            require_answers(&got, &wanted);
            answers_free(&got);
            REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result, NULL));
            require_pairs(w.result, &wanted.between, "collide_all");
        }
        world_frame(&w, a, abut_frame_identity());
        world_frame(&w, b, abut_frame_identity());
        answers got = query_world(&w, a, b, 0);
        require_answers(&got, &wanted);
        answers_free(&got);
        answers_free(&wanted);
        couple_free(&c);
        world_free(&w);
    }
}

// mirrored twice and rotated by a quarter turn: these rotations are exact, so that touching
// triangles still touch
static void test_exact_rotations(void** state) {
    (void)state;
    static const double quarter[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
    static const double half[3][3] = {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
    for (uint64_t seed = 1; seed <= effort(3, 10, 100); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        couple c = couple_make(seed);
        answers wanted = query_couple(&c, 0);
        couple turned = couple_copy(&c);
        for (uint32_t v = 0; v < c.a.vertex_count; ++v) {  // the frame reverses this
            const double* p = c.a.xyz + 3 * (size_t)v;
            double* q = turned.a.xyz + 3 * (size_t)v;
            q[0] = seed % 2 == 0 ? p[1] - 7 : -p[0];
            q[1] = seed % 2 == 0 ? -p[0] : p[1] - 7;
            q[2] = seed % 2 == 0 ? p[2] : -p[2];
        }
        world w = world_make(NULL, NULL);
        abut_body_def def = abut_body_def_default();
        memcpy(def.frame.r, seed % 2 == 0 ? quarter : half, sizeof quarter);
        def.frame.t[1] = 7;
        const abut_body_id a = world_add(&w, &turned.a, NULL, &def);
        const abut_body_id b = world_add(&w, &turned.b, NULL, NULL);
        answers got = query_world(&w, a, b, 0);
        require_answers(&got, &wanted);
        answers_free(&got);
        answers_free(&wanted);
        couple_free(&c);
        couple_free(&turned);
        world_free(&w);
    }
}

// any two frames: exact for the doubles of abut_body_world_vertex
static void test_different_frames(void** state) {
    (void)state;
    static const double reach[] = {0, 1, 1e4, 1e8, 1e15, 1e30, 1e39, 1e300};
    for (uint64_t seed = 1; seed <= effort(6, 24, 240); ++seed) {
        test_random random = random_seed(seed);
        couple c = couple_make(seed);
        world w = world_make(NULL, NULL);
        const motion_def def = blocks_of(2 + (uint32_t)seed % 7, 1 + (uint32_t)seed % 11);
        const abut_body_id a = world_add(&w, &c.a, &def, NULL);
        const abut_body_id b = world_add(&w, &c.b, &def, NULL);
        for (size_t r = 0; r < sizeof reach / sizeof reach[0]; ++r) {
            where("seed %llu, reach %g", (unsigned long long)seed, reach[r]);
            abut_frame frame_a = frame_random(&random, reach[r]);
            abut_frame frame_b = frame_random(&random, reach[r]);
            // near each other, at any distance from the origin
            for (int d = 0; d < 3; ++d) {
                frame_b.t[d] = frame_a.t[d] + random_double(&random, -3, 3);
            }
            if (seed % 4 == 0) {  // translated only
                const abut_frame identity = abut_frame_identity();
                memcpy(frame_a.r, identity.r, sizeof identity.r);
                memcpy(frame_b.r, identity.r, sizeof identity.r);
            }
            world_frame(&w, a, frame_a);
            world_frame(&w, b, frame_b);
            abut_collide_def query = abut_collide_def_default();
            query.margin = r % 3 == 1 ? 0.1 : 0;
            if (reach[r] < 1e38) {
                (void)check_between(&w, a, b, &query);
                (void)check_collide_all(&w, &query);
            } else {  // all vertices of a body coincide: all pairs, tested one by one
                (void)check_between(&w, a, b, NULL);
            }
        }
        couple_free(&c);
        world_free(&w);
    }
}

// ---- magnitudes

// not dyadic, so that rounding to float has an effect everywhere, with frames of the same magnitude
static void test_magnitudes(void** state) {
    (void)state;
    static const double sizes[] = {1e-320, 1e-300, 1e-46, 1e-42, 1e-38, 1e-30, 1e-3,
                                   1e3,    1e8,    1e15,  1e30,  3e36,  2e37,  1e38,
                                   3e38,   4e38,   1e39,  1e100, 1e300};
    for (uint64_t seed = 1; seed <= effort(1, 2, 20); ++seed) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
            test_random random = random_seed(seed);
            couple c = couple_make(seed);
            surface_scale(&c.a, sizes[i] / 3);
            surface_scale(&c.b, sizes[i] / 3);
            world w = world_make(NULL, NULL);
            const motion_def def = blocks_of(4, 6);
            const abut_body_id a = world_add(&w, &c.a, &def, NULL);
            const abut_body_id b = world_add(&w, &c.b, &def, NULL);
            for (int round = 0; round < 4; ++round) {
                where("seed %llu, size %g, round %d", (unsigned long long)seed, sizes[i], round);
                abut_collide_def query = abut_collide_def_default();
                query.margin = round % 2 == 1 ? sizes[i] / 30 : 0;
                if (round >= 2) {
                    world_frame(&w, a, frame_random(&random, sizes[i]));
                    world_frame(&w, b, frame_random(&random, sizes[i]));
                }
                REQUIRE(check_between(&w, a, b, &query) > 0 || round >= 2);
                (void)check_self(&w, a, &query);
                (void)check_collide_all(&w, &query);
            }
            couple_free(&c);
            world_free(&w);
        }
    }
}

// far from the origin in the shape's own coordinates, where floats have no precision left
static void test_far_in_shape_coordinates(void** state) {
    (void)state;
    static const double far[] = {1e4, 1e8, 1e12, 1e15, 1e30};
    for (uint64_t seed = 1; seed <= effort(1, 3, 30); ++seed) {
        for (size_t i = 0; i < sizeof far / sizeof far[0]; ++i) {
            where("seed %llu, far %g", (unsigned long long)seed, far[i]);
            test_random random = random_seed(seed);
            couple c = couple_make(seed);
            surface_shift(&c.a, far[i], -far[i], far[i] / 3);
            surface_shift(&c.b, far[i], -far[i], far[i] / 3);
            world w = world_make(NULL, NULL);
            const abut_body_id a = world_add(&w, &c.a, NULL, NULL);
            const abut_body_id b = world_add(&w, &c.b, NULL, NULL);
            (void)check_between(&w, a, b, NULL);
            (void)check_self(&w, a, NULL);
            abut_collide_def query = abut_collide_def_default();
            query.margin = 0.3;
            (void)check_between(&w, a, b, &query);
            abut_frame frame = abut_frame_identity();
            frame.t[0] = random_double(&random, -1, 1);
            world_frame(&w, a, frame);
            (void)check_between(&w, a, b, NULL);
            couple_free(&c);
            world_free(&w);
        }
    }
}

// huge and tiny triangles in one body: a few triangles dominate the boxes of nodes
static void test_mixed_magnitudes(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(3, 10, 100); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        abut_body_id body[2];
        for (int i = 0; i < 2; ++i) {
            surface s = surface_soup(&random, 150, 2, 2, 0.25);
            for (uint32_t t = 0; t < s.triangle_count; ++t) {
                const double factor = ldexp(1, random_between(&random, -80, 80) * 12);
                for (size_t k = 0; k < 9; ++k) {
                    s.xyz[9 * (size_t)t + k] *= factor;
                }
            }
            const motion_def def = blocks_of(8, 4);
            body[i] = world_add(&w, &s, &def, NULL);
            surface_free(&s);
        }
        REQUIRE(check_between(&w, body[0], body[1], NULL) > 0);
        (void)check_self(&w, body[0], NULL);
        (void)check_collide_all(&w, NULL);
        world_free(&w);
    }
}

// ---- input and trees

// the same numbers as floats or doubles, packed or with strides, copied or borrowed
static void test_views_of_positions(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        couple c = couple_make(seed);
        answers wanted = query_couple(&c, 0);
        const size_t n = c.a.vertex_count;
        // eighths are exact floats too
        float* floats = test_alloc(5 * n + 1, sizeof *floats);
        double* doubles = test_alloc(4 * n + 1, sizeof *doubles);
        world w = world_make(NULL, NULL);
        surface elsewhere = surface_copy(&c.a);
        surface_shift(&elsewhere, 50, 0, 0);
        const motion_def def = blocks_of(3, 7);
        const abut_body_id b = world_add(&w, &c.b, &def, NULL);
        for (int kind = 0; kind < 8; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            const bool is_double = (kind & 1) != 0;
            const bool strided = (kind & 2) != 0;
            const size_t step = strided ? (is_double ? 4 : 5) : 3;
            for (size_t i = 0; i < 3 * n; ++i) {
                floats[step * (i / 3) + i % 3] = (float)c.a.xyz[i];
                doubles[(is_double ? step : 4) * (i / 3) + i % 3] = c.a.xyz[i];
            }
            const abut_positions view = {
                is_double ? (const void*)doubles : (const void*)floats, n,
                strided ? step * (is_double ? sizeof(double) : sizeof(float)) : 0,
                is_double ? ABUT_SCALAR_F64 : ABUT_SCALAR_F32};
            const abut_body_id a = world_add(&w, &elsewhere, &def, NULL);
            REQUIRE_OK((kind & 4) != 0 ? abut_body_borrow_positions(w.scene, a, view, NULL)
                                       : abut_body_set_positions(w.scene, a, view, NULL));
            if ((kind & 4) == 0) {  // a copy is independent of the original
                memset(floats, 0x7f, 5 * n * sizeof *floats);
                memset(doubles, 0x7f, 4 * n * sizeof *doubles);
            }
            world_validate(&w, a);
            answers got = query_world(&w, a, b, 0);
            for (size_t i = 0; i < got.between.count; ++i) {
                got.between.pairs[i].body_a = 0;
                got.between.pairs[i].body_b = 1;
            }
            for (size_t i = 0; i < got.self_a.count; ++i) {
                got.self_a.pairs[i].body_a = got.self_a.pairs[i].body_b = 0;
            }
            require_same_pairs(&got.between, &wanted.between, "between");
            require_same_pairs(&got.self_a, &wanted.self_a, "self");
            answers_free(&got);
            REQUIRE_OK(abut_body_destroy(w.scene, a, NULL));
        }
        free(floats);
        free(doubles);
        surface_free(&elsewhere);
        answers_free(&wanted);
        couple_free(&c);
        world_free(&w);
    }
}

// floats with full precision: rest positions and states in float
static void test_float_meshes(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(3, 10, 100); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        couple c = couple_make(seed);
        const uint32_t n = c.a.vertex_count;
        float* xyz = test_alloc(3 * (size_t)n, sizeof *xyz);
        for (size_t i = 0; i < 3 * (size_t)n; ++i) {
            xyz[i] = (float)(c.a.xyz[i] + random_double(&random, -0.1, 0.1));
        }
        abut_mesh_def mesh_def = surface_mesh_def(&c.a);
        mesh_def.positions = abut_positions_f32(xyz, n);
        const abut_body_id a = world_add_mesh(&w, &mesh_def, NULL);
        const abut_body_id b = world_add(&w, &c.b, NULL, NULL);
        REQUIRE(check_between(&w, a, b, NULL) > 0);
        REQUIRE(check_self(&w, a, NULL) > 0);
        world_frame(&w, a, frame_random(&random, 2));
        (void)check_between(&w, a, b, NULL);
        free(xyz);
        couple_free(&c);
        world_free(&w);
    }
}

static void test_every_tree(void** state) {
    (void)state;
    couple c = couple_make(77);
    answers wanted = query_couple(&c, 0);
    const uint32_t step = effort(7, 3, 1);
    for (uint32_t fan_out = 2; fan_out <= 8; ++fan_out) {
        for (uint32_t triangles = 1; triangles <= 48; triangles += 1 + (fan_out * 5) % step) {
            where("fan-out %u, %u triangles a block", fan_out, triangles);
            world w = world_make(NULL, NULL);
            const motion_def def_a = blocks_of(fan_out, triangles);
            const motion_def def_b = blocks_of(10 - fan_out, 49 - triangles);
            const abut_body_id a = world_add(&w, &c.a, &def_a, NULL);
            const abut_body_id b = world_add(&w, &c.b, &def_b, NULL);
            answers got = query_world(&w, a, b, 0);
            require_answers(&got, &wanted);
            answers_free(&got);
            world_free(&w);
        }
    }
    answers_free(&wanted);
    couple_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_numbers),
        cmocka_unit_test(test_swapped_bodies),
        cmocka_unit_test(test_mirrored_and_turned),
        cmocka_unit_test(test_scaled_by_powers_of_two),
        cmocka_unit_test(test_shifted_by_whole_numbers),
        cmocka_unit_test(test_one_frame_for_both),
        cmocka_unit_test(test_exact_rotations),
        cmocka_unit_test(test_different_frames),
        cmocka_unit_test(test_magnitudes),
        cmocka_unit_test(test_far_in_shape_coordinates),
        cmocka_unit_test(test_mixed_magnitudes),
        cmocka_unit_test(test_views_of_positions),
        cmocka_unit_test(test_float_meshes),
        cmocka_unit_test(test_every_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
