// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pairs decided by points in float. Wherever corners lie within the radius, rationals prove that a
// culled pair shares no point, and that a pair that is said to touch does; and most pairs are
// decided. Points in the pool are those of the state, and vertices are within their radius of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "support/everywhere.h"
#include "support/inside.h"
#include "support/judge.h"
#include "support/rational_triangles.h"
#include "support/skin.h"

// Sixteen pairs of triangles by points with an error of at most `radius` in each coordinate, without
// the rounding to float: corners of the first and then of the second, axis, lane.
typedef struct points_batch {
    float corner[6][3][16];
    float radius[16];
} points_batch;

// Rows of a side of a batch by the kernel that makes them: a block of one triangle each.
static void make_rows(const abut__kernels* kernels, const points_batch* batch, int side,
                      abut__corner_rows out[16]) {
    for (uint32_t lane = 0; lane < 16; ++lane) {
        abut__block block = {.vertex_count = 3, .triangle_count = 1, .valid = 1};
        abut__block_points points;
        for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
            for (int d = 0; d < 3; ++d) {
                points.xyz[d][v] = batch->corner[3 * side + (v < 3 ? (int)v : 0)][d][lane];
            }
        }
        block.corner[1][0] = 1;
        block.corner[2][0] = 2;
        kernels->corner_rows(&block, &points, batch->radius[lane], &out[lane]);
    }
}

// Verdicts of all instruction sets of this processor, which must be equal: pairs that are apart, and
// 16 bits higher those that touch. Lists have any length, and the pairs have any place in them.
static uint32_t verdicts(const points_batch* batch) {
    static uint32_t length = 0;
    uint32_t first = 0;
    length = length % ABUT__ROW_PAIRS + 1;
    FOR_EACH_KERNELS(s, kernels) {
        static abut__corner_rows rows[2][16];
        make_rows(kernels, batch, 0, rows[0]);
        make_rows(kernels, batch, 1, rows[1]);
        uint32_t found = 0;
        uint32_t seen = 0;
        for (uint32_t start = 0; start < 16; start += length) {
            abut__row_pairs list = {.count = length};
            for (uint32_t k = 0; k < length; ++k) {
                list.row[0][k] = rows[0][(start + k) % 16].row[0];
                list.row[1][k] = rows[1][(start + k) % 16].row[0];
            }
            kernels->rows_decide(&list);
            uint32_t apart[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
            uint32_t touch[4] = {0};
            for (uint32_t i = 0; i < list.touch_count; ++i) {
                const uint32_t k = list.touch[i];
                REQUIRE(k < length && (i == 0 || k > list.touch[i - 1]));
                touch[k / 32] |= 1u << k % 32;
                apart[k / 32] &= ~(1u << k % 32);
            }
            for (uint32_t i = 0; i < list.open_count; ++i) {
                const uint32_t k = list.open[i];
                REQUIRE(k < length && (i == 0 || k > list.open[i - 1]));
                REQUIRE((touch[k / 32] >> k % 32 & 1) == 0);
                apart[k / 32] &= ~(1u << k % 32);
            }
            for (uint32_t k = 0; k < length; ++k) {
                const uint32_t lane = (start + k) % 16;
                const uint32_t one = (apart[k / 32] >> k % 32 & 1) << lane |
                                     (touch[k / 32] >> k % 32 & 1) << (lane + 16);
                REQUIRE((seen >> lane & 1) == 0 || (found & 0x10001u << lane) == one);
                found |= one;
                seen |= 1u << lane;
            }
        }
        first = s == 0 ? found : first;
        REQUIRE(found == first && (found & found >> 16) == 0);
    }
    return first;
}

static uint32_t points_apart(const points_batch* batch) {
    return verdicts(batch) & 0xffff;
}

static void corners_of(const points_batch* batch, uint32_t lane, double p[3][3], double q[3][3]) {
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            p[c][d] = (double)batch->corner[c][d][lane];
            q[c][d] = (double)batch->corner[3 + c][d][lane];
        }
    }
}

// Moves the second triangle as close as allowed and shifts all corners a little, to the limits of
// the radius.
static void disturb(test_random* random, float radius, double p[3][3], double q[3][3]) {
    double direction[3] = {0, 0, 0};
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            direction[d] += p[c][d] - q[c][d];
        }
    }
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            const double by = random_chance(random, 0.7) ? 1 : random_double(random, -1, 1);
            p[c][d] -= copysign(by * (double)radius, direction[d]);
            q[c][d] += copysign(by * (double)radius, direction[d]);
        }
    }
}

typedef enum kind { UNIT, LATTICE, FLAT, TINY, LARGE, HUGE_ONES, FAR, NARROW, KINDS } kind;

static float number(test_random* random, kind k, int axis) {
    switch (k) {
        case LATTICE: return (float)random_between(random, -2, 2);
        case FLAT: return axis == 2 ? 0.5f : (float)random_double(random, -1, 1);
        case TINY: return (float)random_between(random, -3, 3) * 0x1p-70f;
        case LARGE: return (float)random_double(random, -1, 1) * 0x1p36f;
        case HUGE_ONES: return (float)random_double(random, -1, 1) * 0x1p125f;
        case FAR: return (float)(1e4 + random_double(random, -1, 1));
        case NARROW: return (float)random_double(random, -1, 1) * (axis == 0 ? 1 : 1e-4f);
        default: return (float)random_double(random, -1, 1);
    }
}

static void fill(test_random* random, kind k, float radius, points_batch* batch) {
    for (uint32_t lane = 0; lane < 16; ++lane) {
        float gap[3] = {0, 0, 0};
        const float far = (float)random_double(random, 0, 4);
        gap[random_below(random, 3)] = random_chance(random, 0.5) ? 2 + far * radius : 0;
        for (int c = 0; c < 6; ++c) {
            for (int d = 0; d < 3; ++d) {
                // touching a plane between them, or a few radii away from it
                const float x = number(random, k, d);
                batch->corner[c][d][lane] = c < 3 || k == TINY ? x : x + gap[d];
            }
        }
        batch->radius[lane] = radius;
    }
}

static void test_culled_pairs_are_apart(void** state) {
    (void)state;
    size_t found[KINDS] = {0};
    for (uint32_t seed = 1; seed <= effort(200, 1500, 60000); ++seed) {
        test_random random = random_seed(seed);
        const kind k = (kind)(seed % KINDS);
        const float size = k == TINY ? 0x1p-70f : k == LARGE ? 0x1p30f : 1;
        const float radius = random_chance(&random, 0.3)
                                 ? 0
                                 : size * (float)ldexp(1, -random_between(&random, 1, 24));
        points_batch batch;
        fill(&random, k, radius, &batch);
        const uint32_t apart = points_apart(&batch);
        for (uint32_t lane = 0; lane < 16; ++lane) {
            where("seed %u, lane %u", seed, lane);
            for (int tries = 0; tries < 3 && (apart >> lane & 1) != 0; ++tries) {
                double p[3][3];
                double q[3][3];
                corners_of(&batch, lane, p, q);
                disturb(&random, radius, p, q);
                REQUIRE(!judge_touch((const double(*)[3])p, (const double(*)[3])q));
            }
        }
        found[k] += (size_t)__builtin_popcount(apart);
    }
    for (int k = 0; k < KINDS; ++k) {
        where("kind %d", k);
        REQUIRE((found[k] > 0) == (k != HUGE_ONES && k != TINY));
    }
}

// Shifts all corners to the limits of the radius, or anywhere within it.
static void shake(test_random* random, float radius, double p[3][3], double q[3][3]) {
    const bool ends = random_chance(random, 0.7);
    for (int c = 0; c < 6; ++c) {
        for (int d = 0; d < 3; ++d) {
            const double by = ends ? (random_chance(random, 0.5) ? 1 : -1)
                                   : random_double(random, -1, 1);
            (c < 3 ? p[c] : q[c - 3])[d] += by * (double)radius;
        }
    }
}

// A second triangle near to the first: it mostly crosses it, often with an edge close to an edge.
static void fill_near(test_random* random, kind k, float radius, points_batch* batch) {
    const float scale = k == TINY ? 0x1p-70f : k == LARGE ? 0x1p30f : 1;
    for (uint32_t lane = 0; lane < 16; ++lane) {
        const float close = (float)ldexp(1, -random_between(random, 0, 20));
        for (int c = 0; c < 6; ++c) {
            for (int d = 0; d < 3; ++d) {
                const float x = number(random, k, d);
                const bool beside = c >= 3 && c < 5 && random_chance(random, 0.3);
                batch->corner[c][d][lane] = beside ? batch->corner[c - 3][d][lane] +
                                                         close * scale *
                                                             (float)random_double(random, -1, 1)
                                                   : x;
            }
        }
        batch->radius[lane] = radius;
    }
}

static void test_touching_pairs_touch(void** state) {
    (void)state;
    size_t found[KINDS] = {0};
    for (uint32_t seed = 1; seed <= effort(200, 1500, 60000); ++seed) {
        test_random random = random_seed(seed);
        const kind k = (kind)(seed % KINDS);
        const float size = k == TINY ? 0x1p-70f : k == LARGE ? 0x1p30f : 1;
        const float radius = random_chance(&random, 0.3)
                                 ? 0
                                 : size * (float)ldexp(1, -random_between(&random, 3, 24));
        points_batch batch;
        fill_near(&random, k, radius, &batch);
        const uint32_t touch = verdicts(&batch) >> 16;
        for (uint32_t lane = 0; lane < 16; ++lane) {
            where("seed %u, lane %u", seed, lane);
            for (int tries = 0; tries < 3 && (touch >> lane & 1) != 0; ++tries) {
                double p[3][3];
                double q[3][3];
                corners_of(&batch, lane, p, q);
                shake(&random, radius, p, q);
                REQUIRE(judge_touch((const double(*)[3])p, (const double(*)[3])q));
            }
        }
        found[k] += (size_t)__builtin_popcount(touch);
    }
    for (int k = 0; k < KINDS; ++k) {
        where("kind %d: %zu", k, found[k]);
        REQUIRE(found[k] > 0 || (k >= TINY && k != FAR));  // few of these can be proven in float
    }
}

// Pairs whose edges pass each other closely: sharper than random ones.
static void test_edges_that_nearly_miss(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 1; seed <= effort(300, 2000, 60000); ++seed) {
        test_random random = random_seed(seed);
        const float radius = (float)ldexp(1, -random_between(&random, 12, 20));
        points_batch batch;
        for (uint32_t lane = 0; lane < 16; ++lane) {
            // q stands across an edge of p, `depth` inside it
            const float depth = radius * (float)random_double(&random, -2, 300);
            const float x[6][3] = {{0, 0, 0},         {1, 0, 0},        {0.3f, 1, 0},
                                   {0.4f, depth, -1}, {0.5f, depth, 1}, {0.45f, -1, 0.1f}};
            for (int c = 0; c < 6; ++c) {
                for (int d = 0; d < 3; ++d) {
                    batch.corner[c][d][lane] = x[c][(d + (int)(seed % 3)) % 3];
                }
            }
            batch.radius[lane] = radius;
        }
        const uint32_t touch = verdicts(&batch) >> 16;
        found += (size_t)__builtin_popcount(touch);
        for (uint32_t lane = 0; lane < 16; ++lane) {
            where("seed %u, lane %u", seed, lane);
            for (int tries = 0; tries < 4 && (touch >> lane & 1) != 0; ++tries) {
                double p[3][3];
                double q[3][3];
                corners_of(&batch, lane, p, q);
                shake(&random, radius, p, q);
                REQUIRE(judge_touch((const double(*)[3])p, (const double(*)[3])q));
            }
        }
    }
    REQUIRE(found > 100);
}

static void test_most_crossing_pairs_are_found(void** state) {
    (void)state;
    size_t touching = 0;
    size_t found = 0;
    for (uint32_t seed = 1; seed <= effort(60, 300, 6000); ++seed) {
        test_random random = random_seed(seed);
        points_batch batch;
        fill(&random, UNIT, 1e-6f, &batch);
        const uint32_t touch = verdicts(&batch) >> 16;
        for (uint32_t lane = 0; lane < 16; ++lane) {
            double p[3][3];
            double q[3][3];
            corners_of(&batch, lane, p, q);
            touching += judge_touch((const double(*)[3])p, (const double(*)[3])q);
            found += touch >> lane & 1;
        }
    }
    where("%zu of %zu", found, touching);
    REQUIRE(touching > 100 && 100 * found > 95 * touching);
}

// A triangle far away, and another that stands on it with a corner, slightly below its plane.
static void stand(test_random* random, double p[3][3], double q[3][3]) {
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            p[c][d] = 3000 + random_double(random, -1, 1);
        }
    }
    double e[2][3];
    for (int d = 0; d < 3; ++d) {
        e[0][d] = p[1][d] - p[0][d];
        e[1][d] = p[2][d] - p[0][d];
    }
    for (int d = 0; d < 3; ++d) {
        const int x = (d + 1) % 3;
        const int y = (d + 2) % 3;
        const double normal = e[0][x] * e[1][y] - e[0][y] * e[1][x];
        const double middle = 0.25 * p[0][d] + 0.25 * p[1][d] + 0.5 * p[2][d];
        q[0][d] = middle - 1e-9 * normal;
        q[1][d] = middle + normal;
        q[2][d] = middle + 2 * normal + 0.1 * e[0][d];
    }
}

// Points rounded from the exact corners, with a radius of 0.
static void test_rounded_points_are_never_culled_wrongly(void** state) {
    (void)state;
    size_t touching = 0;
    for (uint32_t seed = 1; seed <= effort(20, 100, 2000); ++seed) {
        test_random random = random_seed(seed);
        points_batch batch = {0};
        bool touches[16];
        for (uint32_t lane = 0; lane < 16; ++lane) {
            double p[3][3];
            double q[3][3];
            stand(&random, p, q);
            touches[lane] = judge_touch((const double(*)[3])p, (const double(*)[3])q);
            touching += touches[lane];
            for (int c = 0; c < 3; ++c) {
                for (int d = 0; d < 3; ++d) {
                    batch.corner[c][d][lane] = (float)p[c][d];
                    batch.corner[3 + c][d][lane] = (float)q[c][d];
                }
            }
        }
        const uint32_t apart = points_apart(&batch);
        for (uint32_t lane = 0; lane < 16; ++lane) {
            where("seed %u, lane %u", seed, lane);
            REQUIRE(!touches[lane] || (apart >> lane & 1) == 0);
        }
    }
    assert_true(touching > 200);
}

static void test_most_separate_pairs_are_culled(void** state) {
    (void)state;
    static const kind kinds[] = {UNIT, FLAT, FAR};
    for (int i = 0; i < 3; ++i) {
        size_t clear = 0;
        size_t found = 0;
        for (uint32_t seed = 1; seed <= effort(60, 300, 6000); ++seed) {
            test_random random = random_seed(seed);
            points_batch batch;
            fill(&random, kinds[i], 1e-6f, &batch);
            const uint32_t apart = points_apart(&batch);
            mpq_t distance_sq;
            mpq_init(distance_sq);
            for (uint32_t lane = 0; lane < 16; ++lane) {
                double p[3][3];
                double q[3][3];
                corners_of(&batch, lane, p, q);
                rational_distance_sq((const double(*)[3])p, (const double(*)[3])q, distance_sq);
                if (mpq_get_d(distance_sq) > 0.01) {
                    ++clear;
                    found += apart >> lane & 1;
                }
            }
            mpq_clear(distance_sq);
        }
        where("kind %d: %zu of %zu", (int)kinds[i], found, clear);
        REQUIRE(clear > 100 && 100 * found > 99 * clear);
    }
}

static void test_nonfinite_points_cull_nothing(void** state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t seed = 1; seed <= 400; ++seed) {
        test_random random = random_seed(seed);
        points_batch batch;
        fill(&random, UNIT, 0, &batch);
        const uint32_t lane = random_below(&random, 16);
        const float x = bad[random_below(&random, 3)];
        if (random_chance(&random, 0.3)) {
            batch.radius[lane] = fabsf(x);
        } else {
            batch.corner[random_below(&random, 6)][random_below(&random, 3)][lane] = x;
        }
        where("seed %u, lane %u", seed, lane);
        REQUIRE((verdicts(&batch) >> lane & 0x10001) == 0);
    }
}

// ---- points of a state

static void check_points(const world* w, abut_body_id id, uint32_t block, size_t* from_pool) {
    const abut__body* body = inside_body(w->scene, id);
    const abut__block* fixed = body->shape->tree.blocks[block];
    abut__cached_points room;
    abut__cached_points anew;
    const abut__cached_points* points = abut__pool_points(w->scene, body, block, &room);
    abut__body_block_points(body, block, 1, &anew);
    *from_pool += points != &room;
    REQUIRE(points->radius == anew.radius && points->radius < INFINITY);
    for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
        double exact[3];
        REQUIRE_OK(abut_body_vertex(w->scene, id, fixed->vertex[v], exact, NULL));
        for (int d = 0; d < 3; ++d) {
            const float x = points->at.xyz[d][v];
            REQUIRE(x == anew.at.xyz[d][v]);
            REQUIRE(fabs((double)x - exact[d]) <= (double)points->radius);
        }
    }
}

static void test_points_of_the_state(void** state) {
    (void)state;
    size_t from_pool = 0;
    size_t blocks = 0;
    for (uint32_t seed = 1; seed <= effort(10, 40, 400); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(12, 16, 1);
        skin k = skin_make(&random, &s, 5, 3, ABUT_SCALAR_F64);
        field_set f = make_fields(&random, &s, 0, 0.3, ABUT_SCALAR_F32, false);
        motion_def def = blend_def(&k, &f);
        def.block_triangles = 1 + random_below(&random, 48);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 6; ++step) {
            where("seed %u, step %d", seed, step);
            double t[5][12];
            gentle_transforms(&random, t, 5, 0.3);
            set_transforms(&w, body, t, 5, NULL, 0);
            check_self(&w, body, NULL);
            const abut__body* own = inside_body(w.scene, body);
            if (!abut__body_state(own, 1)->costly) {
                continue;  // all vertices were moved at once
            }
            for (uint32_t b = 0; b < own->shape->tree.block_count; ++b, ++blocks) {
                check_points(&w, body, b, &from_pool);
            }
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(from_pool > 0 && blocks > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_culled_pairs_are_apart),
        cmocka_unit_test(test_touching_pairs_touch),
        cmocka_unit_test(test_edges_that_nearly_miss),
        cmocka_unit_test(test_most_crossing_pairs_are_found),
        cmocka_unit_test(test_rounded_points_are_never_culled_wrongly),
        cmocka_unit_test(test_most_separate_pairs_are_culled),
        cmocka_unit_test(test_nonfinite_points_cull_nothing),
        cmocka_unit_test(test_points_of_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
