// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of modal bodies in constructed cases: their claims are true and nearly as strong as
// possible.

#include "test_certificate_support.h"

static field_set still_fields(const surface* s, uint32_t count) {
    test_random random = random_seed(1);
    field_set f = make_fields(&random, s, count, SMOOTH);
    memset(f.u, 0, 3 * (size_t)count * s->vertex_count * sizeof *f.u);
    return f;
}

// ---- constructed cases

// A sheet between two others moves down to the lower one, tilted, and up to the upper one. It
// touches first when a corner has moved the whole distance. The test would detect bounds that are
// too low by a tenth.
static void test_claims_are_tight_and_right(void** state) {
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        world w = world_make(NULL, NULL);
        surface middle = surface_sheet(2, 2, 1);
        surface outer = two_sheets(2, 2);
        surface_shift(&outer, 0, 0, -1);
        surface s = surface_join(&outer, &middle);
        field_set f = still_fields(&s, 1);
        for (uint32_t v = outer.vertex_count; v < s.vertex_count; ++v) {
            field_at(&f, 0, v)[2] = 1 - 0.25 * s.xyz[3 * (size_t)v];
        }
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        double last = 0;
        for (double q = 0; q < 2; q += 0x1p-7) {
            const double x = sign * q;
            where("coordinate %g", x);
            set_coordinates(&w, body, &x, 1);
            const size_t hits = check_claims(&w, body);
            if (fabs(q - 1) > 0.01 && fabs(q - 1 / 0.75) > 0.01) {
                assert_true((hits > 0) == (q > 1 && q < 1 / 0.75));
            }
            last = hits == 0 && q < 1 && apart(&w, body, 0) ? q : last;
        }
        assert_true(last > 0.4);
        free_fields(&f);
        surface_free(&middle);
        surface_free(&outer);
        surface_free(&s);
        world_free(&w);
    }
}

// Small pieces far from each other, each with its own motion in every field: none, an affine one
// that may collapse it or move it to another piece, or a bending one. Nodes consist of such pieces.
#define PIECES 9u
static surface pieces_make(test_random* random, uint32_t each[PIECES + 1], double middle[][3]) {
    surface all = surface_make(0, 0);
    for (uint32_t i = 0; i < PIECES; ++i) {
        surface one = random_chance(random, 0.5) ? surface_sheet(1 + random_below(random, 6), 1, 1)
                                                 : surface_soup(random, 3, 0.5, 0.4, 0x1p-20);
        for (int d = 0; d < 3; ++d) {
            middle[i][d] = random_double(random, -3, 3);
        }
        surface_scale(&one, random_chance(random, 0.5) ? 0.3 : 1);
        surface_shift(&one, middle[i][0], middle[i][1], middle[i][2]);
        each[i] = all.vertex_count;
        surface joined = surface_join(&all, &one);
        surface_free(&all);
        surface_free(&one);
        all = joined;
    }
    each[PIECES] = all.vertex_count;
    return all;
}

static void move_piece(test_random* random, const surface* s, const field_set* f, uint32_t field,
                       const uint32_t each[PIECES + 1], const double middle[][3], uint32_t piece) {
    enum { STILL, COLLAPSE, GROW, MEET, BEND, ANY, MOTIONS };
    const uint32_t motion = random_below(random, MOTIONS);
    const uint32_t other = random_below(random, PIECES);
    double m[3][3];
    for (int i = 0; i < 9; ++i) {
        const double identity = i % 4 == 0;
        m[i / 3][i % 3] = motion == STILL || motion == MEET ? 0
                          : motion == COLLAPSE              ? -identity
                          : motion == GROW                  ? identity
                                                            : random_double(random, -2, 2);
    }
    for (uint32_t v = each[piece]; v < each[piece + 1]; ++v) {
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = s->xyz[3 * (size_t)v + (size_t)d] - middle[piece][d];
        }
        const double bend = motion == BEND ? x[0] * x[0] : 1;
        for (int d = 0; d < 3; ++d) {
            field_at(f, field, v)[d] = bend * (m[d][0] * x[0] + m[d][1] * x[1] + m[d][2] * x[2]) +
                                       (motion == MEET ? middle[other][d] - middle[piece][d] : 0);
        }
    }
}

static void test_pieces_with_motions_of_their_own(void** state) {
    (void)state;
    size_t hits = 0;
    size_t whole = 0;
    for (uint32_t seed = 1; seed <= effort(150, 600, 20000); ++seed) {
        test_random random = random_seed(4000 + seed);
        world w = world_make(NULL, NULL);
        uint32_t each[PIECES + 1];
        double middle[PIECES][3];
        surface s = pieces_make(&random, each, middle);
        const uint32_t count = 1 + random_below(&random, 3);
        field_set f = still_fields(&s, count);
        const double busy = random_chance(&random, 0.5) ? 0.2 : 0.9;
        for (uint32_t k = 0; k < count * PIECES; ++k) {
            if (random_chance(&random, busy)) {
                move_piece(&random, &s, &f, k / PIECES, each, (const double(*)[3])middle,
                           k % PIECES);
            }
        }
        const abut_body_id body = add_modal(&w, &s, &f, 1 + random_below(&random, 12));
        for (int step = 0; step < 24; ++step) {
            where("seed %u, step %d", seed, step);
            double q[3];
            for (uint32_t j = 0; j < count; ++j) {
                const double size = random_chance(&random, 0.3) ? 4 : 1.25;
                q[j] = random_chance(&random, 0.4) ? 1 : random_double(&random, -size, size);
                q[j] = random_chance(&random, 0.2) ? 0 : q[j];
            }
            set_coordinates(&w, body, q, count);
            hits += check_claims(&w, body);
            whole += apart(&w, body, 0);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 1000 && whole > 200);
}

// Three bars side by side, far apart for certificates, each of two triangles with a common corner.
// The middle one rotates about its centre, or bends, until its tips meet another bar.
static void test_bars_that_turn_or_bend(void** state) {
    (void)state;
    static const double tips[5][3] = {
        {0, 0, 0.05}, {1, 0, 0}, {1, 0, 0.1}, {-1, 0, 0}, {-1, 0, 0.1}};
    static const uint32_t corners[6] = {0, 1, 2, 0, 3, 4};
    for (int power = 0; power <= 6; ++power) {
        world w = world_make(NULL, NULL);
        surface bar = surface_make(5, 2);
        memcpy(bar.xyz, tips, sizeof tips);
        memcpy(bar.triangles, corners, sizeof corners);
        surface_scale(&bar, power == 0 ? 0.3 : 1);  // a short one, all of which moves over
        surface other = surface_copy(&bar);
        surface_shift(&other, 0, 2.5, 0.01);
        surface two = surface_join(&bar, &other);
        surface_shift(&other, 0, -5, 0);
        surface s = surface_join(&two, &other);
        field_set f = still_fields(&s, 1);
        for (uint32_t v = 0; v < bar.vertex_count; ++v) {
            field_at(&f, 0, v)[1] = pow(s.xyz[3 * (size_t)v], power) +
                                    0.3 * s.xyz[3 * (size_t)v + 2];
        }
        if (power > 0 && power % 2 == 0) {
            field_at(&f, 0, 0)[1] = -4;  // keeps the mean at rest
        }
        const abut_body_id body = add_modal(&w, &s, &f, 2);
        size_t hits = 0;
        size_t claimed = 0;
        for (double q = -4; q <= 4; q += 0x1p-6) {
            where("power %d, coordinate %g", power, q);
            set_coordinates(&w, body, &q, 1);
            hits += check_claims(&w, body);
            claimed += apart(&w, body, 0);
        }
        assert_true(hits > 0 && claimed > 2);
        free_fields(&f);
        surface_free(&bar);
        surface_free(&other);
        surface_free(&two);
        surface_free(&s);
        world_free(&w);
    }
}

// A crowd of balls grows. That improves the map of the whole body, but must not help two sheets
// inside: this field does not move them, and another field brings them together.
static void test_fields_that_move_other_parts(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_make(0, 0);
    for (int i = 0; i < 8; ++i) {
        surface one = surface_ball(3, 4, 0.5);
        surface_shift(&one, i % 2 == 0 ? -3 : 3, i / 2 % 2 == 0 ? -3 : 3, i < 4 ? -3 : 3);
        surface joined = surface_join(&ball, &one);
        surface_free(&ball);
        surface_free(&one);
        ball = joined;
    }
    surface sheets = two_sheets(2, 0.2);
    surface_scale(&sheets, 0.2);
    surface s = surface_join(&ball, &sheets);
    field_set f = still_fields(&s, 2);
    memcpy(field_at(&f, 0, 0), ball.xyz, 3 * (size_t)ball.vertex_count * sizeof(double));
    for (uint32_t v = s.vertex_count - sheets.vertex_count / 2; v < s.vertex_count; ++v) {
        field_at(&f, 1, v)[2] = -0.04 - 0.1 * s.xyz[3 * (size_t)v];
    }
    const abut_body_id body = add_modal(&w, &s, &f, 16);
    size_t hits = 0;
    for (double grow = 0; grow < 100; grow = 2 * grow + 1) {
        for (double close = 0; close < 1.5; close += 0x1p-5) {
            where("coordinates %g, %g", grow, close);
            const double q[2] = {grow, close};
            set_coordinates(&w, body, q, 2);
            hits += check_claims(&w, body);
        }
    }
    assert_true(hits > 0);
    free_fields(&f);
    surface_free(&ball);
    surface_free(&sheets);
    surface_free(&s);
    world_free(&w);
}

// Far from the origin, where doubles are coarse, rounding tears a body that shrinks.
static void test_coarse_doubles(void** state) {
    (void)state;
    test_random random = random_seed(9);
    size_t hits = 0;
    for (int exponent = 30; exponent <= 52; exponent += (int)effort(2, 1, 1)) {
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 8);
        surface_shift(&s, ldexp(1, exponent), ldexp(-0.7, exponent), ldexp(0.3, exponent));
        field_set f = make_fields(&random, &s, 1, SMOOTH);
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {
            f.u[i] = ldexp(i % 3 == 0 ? 1 : i % 3 == 1 ? -0.7 : 0.3, exponent) - s.xyz[i];
        }
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        for (double left = 1; left > 1e-5; left *= 0.8) {
            const double q = 1 - left;
            where("exponent %d, left %g", exponent, left);
            set_coordinates(&w, body, &q, 1);
            hits += check_claims(&w, body);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 0);
}

static void test_rest_evaluates_nothing(void** state) {
    (void)state;
    test_random random = random_seed(3);
    for (uint32_t i = 0; i < 4; ++i) {
        world w = world_make(NULL, NULL);
        surface s = i % 2 == 0 ? surface_ball(24, 40, 1) : two_sheets(20, 0.01);
        field_set f = make_fields(&random, &s, 12, SMOOTH);
        if (i >= 2) {
            surface_shift(&s, 1e6, 1e6, 0);
        }
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        abut_counters counters = counters_of(&w, body);
        assert_int_equal(counters.pairs_found, 0);
        assert_int_equal(counters.blocks_evaluated, 0);
        assert_int_equal(counters.nodes_certified, 1);
        const double q[12] = {1e-4, -2e-4, 0, 1e-5, 1e-4};
        set_coordinates(&w, body, q, 12);
        counters = counters_of(&w, body);
        assert_int_equal(counters.blocks_evaluated, 0);
        abut_collide_def def =
            abut_collide_def_default();  // certificates prove nothing about distances
        def.margin = 1e-3;
        counters = (abut_counters){0};
        def.head.counters = &counters;
        (void)check_self(&w, body, &def);
        assert_int_equal(counters.nodes_certified + counters.blocks_certified, 0);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// A strip of triangles that touch in single points without a shared vertex is never certified; a
// gap of one ulp is too small as well. Queries answer as without certificates.
static void test_touching_at_rest(void** state) {
    (void)state;
    test_random random = random_seed(4);
    for (int i = 0; i < 3; ++i) {
        world w = world_make(NULL, NULL);
        surface s = surface_make(6, 2);
        static const double xyz[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                         {1, 0, 0}, {2, 0, 1}, {2, 1, 0}};
        memcpy(s.xyz, xyz, sizeof xyz);
        for (uint32_t k = 0; k < 6; ++k) {
            s.triangles[k] = k;
        }
        s.xyz[9] = i == 0 ? 0.5 : i == 1 ? nextafter(1, 2) : 1 + 0x1p-20;
        s.xyz[10] = i == 0 ? 0.5 : 0;
        field_set f = make_fields(&random, &s, 2, SMOOTH);
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        const size_t hits = check_claims(&w, body);
        assert_int_equal(hits, i == 0);
        assert_true(i != 0 || !apart(&w, body, 0));
        assert_true(i != 2 || apart(&w, body, 0));
        for (double q = 1e-18; q < 10; q *= 3) {
            const double both[2] = {q, -q};
            set_coordinates(&w, body, both, 2);
            (void)check_claims(&w, body);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// A field that collapses the body into a plane or a point, and then turns it inside out.
static void test_collapse(void** state) {
    (void)state;
    for (int axes = 1; axes <= 3; ++axes) {
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 12, 1);
        field_set f = still_fields(&s, 1);
        for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {
            f.u[i] = (int)(i % 3) < axes ? -s.xyz[i] : 0;
        }
        const abut_body_id body = add_modal(&w, &s, &f, 16);
        static const double steps[] = {0.5,       0.99, 0.9999,    1 - 1e-6, 1 - 1e-9,
                                       1 - 1e-14, 1,    1 + 1e-14, 1 + 1e-9, 1.01,
                                       2,         -0.5, -2};
        for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
            where("%d axes, coordinate %.17g", axes, steps[i]);
            set_coordinates(&w, body, &steps[i], 1);
            const size_t hits = check_claims(&w, body);
            assert_true((steps[i] == 1) == (hits > 0) || fabs(steps[i] - 1) < 1e-8);
            const bool easy = fabs(steps[i] - 1) > 0.3;
            assert_true(!easy || apart(&w, body, 0));
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// Values beyond the range of certificates: either no certificate holds, or its claim is true.
static void test_extreme_values(void** state) {
    (void)state;
    test_random random = random_seed(5);
    static const double sizes[][3] = {{1, 1e-45, 1e38},    {1, 1e-300, 1e300},  {1, 1e300, 1e-300},
                                      {1e-200, 1e-200, 1}, {1e-160, 1, 1e-160}, {1e70, 1e70, 0.1},
                                      {1e30, 1e-30, 1e60}, {1e-40, 1e-40, 0.1}, {1, 1e200, 1e-201},
                                      {1, 1e50, 1e-50}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        world w = world_make(NULL, NULL);
        surface s = i % 2 == 0 ? surface_ball(6, 9, 1) : two_sheets(5, 0.1);
        field_set f = make_fields(&random, &s, 3, SMOOTH);
        surface_scale(&s, sizes[i][0]);
        for (size_t k = 0; k < 9 * (size_t)s.vertex_count; ++k) {
            f.u[k] *= sizes[i][1];
        }
        const abut_body_id body = add_modal(&w, &s, &f, 8);
        for (int step = -6; step <= 6; ++step) {
            where("sizes %zu, step %d", i, step);
            double q[3];
            for (int j = 0; j < 3; ++j) {
                q[j] = random_double(&random, -1, 1) * sizes[i][2] * pow(10, step / 2.0);
            }
            if (abut_body_set_coordinates(w.scene, body, q, 3, NULL) == ABUT_OK) {
                (void)check_claims(&w, body);
            }
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- kind certificates are made

// A fan of so many blocks that their common tip is a hub. It has far more near pairs than are
// stored.
static void test_crowded_shapes(void** state) {
    (void)state;
    test_random random = random_seed(6);
    world w = world_make(NULL, NULL);
    surface fan = surface_make(202, 200);
    memset(fan.xyz, 0, 3 * sizeof *fan.xyz);
    for (uint32_t i = 0; i < 201; ++i) {
        fan.xyz[3 * (size_t)i + 3] = cos(0.03 * i);
        fan.xyz[3 * (size_t)i + 4] = sin(0.03 * i);
        fan.xyz[3 * (size_t)i + 5] = 0.001 * i;
    }
    for (uint32_t i = 0; i < 200; ++i) {
        const uint32_t corners[3] = {0, i + 1, i + 2};
        memcpy(fan.triangles + 3 * (size_t)i, corners, sizeof corners);
    }
    surface heap = surface_soup(&random, 300, 0.5, 1, 0.125);
    const surface* all[2] = {&fan, &heap};
    for (int i = 0; i < 2; ++i) {
        field_set f = make_fields(&random, all[i], 4, SMOOTH);
        const abut_body_id body = add_modal(&w, all[i], &f, 2);
        for (double size = 0; size < 1; size = 4 * size + 0.001) {
            const double q[4] = {size, -size, size / 2, 0};
            set_coordinates(&w, body, q, 4);
            (void)check_claims(&w, body);
        }
        free_fields(&f);
    }
    surface_free(&fan);
    surface_free(&heap);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_are_tight_and_right),
        cmocka_unit_test(test_pieces_with_motions_of_their_own),
        cmocka_unit_test(test_bars_that_turn_or_bend),
        cmocka_unit_test(test_fields_that_move_other_parts),
        cmocka_unit_test(test_coarse_doubles),
        cmocka_unit_test(test_rest_evaluates_nothing),
        cmocka_unit_test(test_touching_at_rest),
        cmocka_unit_test(test_collapse),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_crowded_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
