// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many points at once, which a grid of cells answers, against the sum of solid angles and against each
// point alone, which has a ray of its own: points on corners, edges and faces, far ones, in clusters
// and in a plane; slivers, shells, overlapping and scattered surfaces, tiny and far ones.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/solids.h"

enum { MANY = 4000, SHAPES = 6, CHOICES = 8 };

static void turn_inside_out(surface* s) {
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t kept = s->triangles[3 * t];
        s->triangles[3 * t] = s->triangles[3 * t + 1];
        s->triangles[3 * t + 1] = kept;
    }
}

static surface joined(surface* a, surface* b) {
    surface both = surface_join(a, b);
    surface_free(a);
    surface_free(b);
    return both;
}

static void scale(surface* s, double x, double y, double z) {
    const double by[3] = {x, y, z};
    for (size_t i = 0; i < 3 * (size_t)s->vertex_count; ++i) {
        s->xyz[i] *= by[i % 3];
    }
}

// a shape of size 16 or so
static surface make_shape(uint32_t kind, test_random* random) {
    surface a = surface_ball(60, 81, 8);  // of so many blocks that there are cells inside
    surface b = surface_ball(40, 51, 5);
    if (kind == 0) {  // overlapping balls
        surface_shift(&b, 6, 1, 0);
        return joined(&a, &b);
    }
    if (kind == 1) {  // a thick shell; below the other ball, so that its hole has number 1 or 0
        turn_inside_out(&b);
        return joined(&a, &b);
    }
    if (kind == 2) {  // slivers
        surface_free(&b);
        scale(&a, 1, 0x1p-18, 1);
        return a;
    }
    if (kind == 3) {  // a shell thinner than a cell
        surface c = surface_copy(&a);
        surface_free(&b);
        scale(&c, 1 + 0x1p-16, 1 + 0x1p-16, 1 + 0x1p-16);
        turn_inside_out(&a);
        return joined(&a, &c);
    }
    surface_free(&a);
    surface_free(&b);
    surface all = cube_surface(-8, -8, -8, 16);
    if (kind == 4) {  // scattered cubes with integer corners, of which some overlap
        for (int k = 0; k < 40; ++k) {
            surface next = cube_surface((double)random_below(random, 16) - 10,
                                        (double)random_below(random, 16) - 10,
                                        (double)random_below(random, 16) - 10,
                                        1 + random_below(random, 4));
            if (k % 2 == 0) {
                turn_inside_out(&next);
            }
            all = joined(&all, &next);
        }
    }
    return all;  // else one cube
}

// points of all kinds around a shape; `choice` has the kind of a batch
static void make_points(test_random* random, const surface* s, uint32_t choice,
                        double (*points)[3]) {
    double middle[3];
    const int flat = (int)random_below(random, 3);
    for (int d = 0; d < 3; ++d) {
        middle[d] = random_double(random, -8, 8);
    }
    for (uint32_t i = 0; i < MANY; ++i) {
        const uint32_t t = random_below(random, s->triangle_count);
        const double part = random_below(random, 5) * 0.25;  // 0 and 1 are corners
        const double rest = choice == 1 ? 0 : random_below(random, 3) * 0.5 * (1 - part);
        for (int d = 0; d < 3; ++d) {
            const double* p[3];
            for (int c = 0; c < 3; ++c) {
                p[c] = s->xyz + 3 * (size_t)s->triangles[3 * t + (uint32_t)c];
            }
            double* x = &points[i][d];
            const double on = p[0][d] + part * (p[1][d] - p[0][d]) + rest * (p[2][d] - p[0][d]);
            switch (choice) {
                case 0:  // all over
                case 6: *x = random_double(random, -12, 12); break;
                case 1:  // on edges and corners, as far as numbers allow
                case 2:  // and on faces
                    *x = on;
                    break;
                case 3:  // beside the surface
                    *x = on + random_double(random, -1, 1) * (i % 2 == 0 ? 1 : 0x1p-16);
                    break;
                case 4:  // a cluster, and some points far away
                    *x = i % 50 == 0 ? random_double(random, -1e6, 1e6)
                                     : middle[d] + random_double(random, -0.01, 0.01);
                    break;
                case 5:  // integers, in line with corners of cubes
                    *x = (double)random_below(random, 26) - 13;
                    break;
                default:  // in a plane
                    *x = d == flat && i > 0 ? points[0][d] : on * 1.1;
            }
        }
    }
}

// `on` tells that points are on the surface but for rounding, and `exact` that they are on it
static void require_sides(const surface* s, world* w, abut_body_id body, double (*points)[3],
                          size_t count, bool on, bool exact) {
    abut_side* kept = test_alloc(count, sizeof *kept);
    int32_t* turns = test_alloc(count, sizeof *turns);
    size_t found = 0;
    REQUIRE_OK(abut_contains_points(w->scene, body, abut_positions_f64(points[0], count), NULL,
                                    w->sides, NULL));
    const abut_side* sides = abut_contains_result_sides(w->sides, &found);
    const int32_t* windings = abut_contains_result_windings(w->sides, NULL);
    REQUIRE(found == count);
    for (size_t i = 0; i < count; ++i) {
        kept[i] = sides[i];
        turns[i] = windings[i];
    }
    for (size_t i = 0; i < count; ++i) {
        int32_t winding = 7;
        REQUIRE(world_point_side(w, body, points[i], &winding) == kept[i]);
        REQUIRE(winding == turns[i]);
        if (on) {
            REQUIRE(!exact || kept[i] == ABUT_SIDE_SURFACE);
        } else if (kept[i] != ABUT_SIDE_SURFACE && i % 16 == 0) {
            const double angle = winding_number(s, points[i]);
            REQUIRE(fabs(angle - turns[i]) < 1e-3);
            REQUIRE((kept[i] == ABUT_SIDE_INSIDE) == (turns[i] != 0));
        }
    }
    free(kept);
    free(turns);
}

static void test_batches_of_all_kinds(void** state) {
    (void)state;
    double(*points)[3] = test_alloc(MANY, sizeof *points);
    for (uint32_t round = 0; round < effort(SHAPES * CHOICES, 3 * SHAPES * CHOICES, 1000);
         ++round) {
        test_random random = random_seed(round);
        const uint32_t kind = round % SHAPES;
        const uint32_t choice = round / SHAPES % CHOICES;
        world w = world_make(NULL, NULL);
        surface s = make_shape(kind, &random);
        make_points(&random, &s, choice, points);
        const double size = round % 5 == 1 ? 0x1p-70 : round % 5 == 2 ? 0x1p60 : 1;
        const double far = round % 5 == 3 ? 0x1p20 : 0;
        scale(&s, size, size, size);
        surface_shift(&s, far, -far, far);
        for (uint32_t i = 0; i < MANY; ++i) {
            for (int d = 0; d < 3; ++d) {
                points[i][d] = points[i][d] * size + (d == 1 ? -far : far);
            }
        }
        where("seed %u, shape %u, choice %u", round, kind, choice);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        require_sides(&s, &w, body, points, MANY >> round % 4, choice == 1 || choice == 2,
                      kind >= 4);
        surface_free(&s);
        world_free(&w);
    }
    free(points);
}

// floats, with other data between them
static void test_float_points(void** state) {
    (void)state;
    typedef struct entry {
        float p[3];
        float colour;
    } entry;
    entry* entries = test_alloc(MANY, sizeof *entries);
    test_random random = random_seed(3);
    world w = world_make(NULL, NULL);
    surface s = make_shape(0, &random);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    for (uint32_t i = 0; i < MANY; ++i) {
        for (int d = 0; d < 3; ++d) {
            entries[i].p[d] = (float)random_double(&random, -12, 12);
        }
        entries[i].colour = NAN;
    }
    abut_positions positions = abut_positions_f32(entries[0].p, MANY);
    positions.stride = sizeof *entries;
    REQUIRE_OK(abut_contains_points(w.scene, body, positions, NULL, w.sides, NULL));
    const int32_t* windings = abut_contains_result_windings(w.sides, NULL);
    for (uint32_t i = 0; i < MANY; ++i) {
        const double p[3] = {(double)entries[i].p[0], (double)entries[i].p[1],
                             (double)entries[i].p[2]};
        where("point %u", i);
        REQUIRE(fabs(winding_number(&s, p) - windings[i]) < 1e-3);
    }
    abut_error error = {0};
    for (int d = 0; d < 3; ++d) {
        const float kept = entries[1234 + d].p[d];
        where("coordinate %d", d);
        entries[1234 + d].p[d] = d == 1 ? INFINITY : NAN;
        REQUIRE_STATUS(abut_contains_points(w.scene, body, positions, NULL, w.sides, &error),
                       ABUT_ERR_INVALID_DATA);
        REQUIRE(error.index == 1234 + (size_t)d);
        entries[1234 + d].p[d] = kept;
    }
    surface_free(&s);
    world_free(&w);
    free(entries);
}

// a grid costs rays for its rooms, and few points have one
static void test_work(void** state) {
    (void)state;
    double(*points)[3] = test_alloc(MANY, sizeof *points);
    test_random random = random_seed(1);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(60, 90, 8);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    make_points(&random, &s, 0, points);
    abut_counters work = {0};
    abut_contains_def def = abut_contains_def_default();
    def.head.counters = &work;
    REQUIRE_OK(abut_contains_points(w.scene, body, abut_positions_f64(points[0], MANY), &def,
                                    w.sides, NULL));
    assert_in_range(work.exact_tests, 1, MANY / 2);
    assert_in_range(work.blocks_evaluated, 1, MANY);
    surface_free(&s);
    world_free(&w);
    free(points);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_of_all_kinds),
        cmocka_unit_test(test_float_points),
        cmocka_unit_test(test_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
