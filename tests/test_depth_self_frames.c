// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth within one body in rotated frames. The translation frees the sides in the
// shape's own coordinates, by the formula of the header, as rational arithmetic shows. Parts just
// touch or penetrate a little, at sizes where the frame rounds their corners.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/judge.h"
#include "support/world.h"

#define BOX_TRIANGLES 12u

// an axis-aligned box whose triangles have their own corners
static void put_box(surface* s, uint32_t number, const double lo[3], const double hi[3]) {
    static const uint32_t corner[BOX_TRIANGLES][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6},
                                                      {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                                      {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    for (uint32_t i = 0; i < 3 * BOX_TRIANGLES; ++i) {
        const uint32_t v = 3 * BOX_TRIANGLES * number + i;
        const uint32_t from = corner[i / 3][i % 3];
        for (uint32_t d = 0; d < 3; ++d) {
            s->xyz[3 * (size_t)v + d] = (from >> d & 1u) != 0 ? hi[d] : lo[d];
        }
        s->triangles[v] = v;
    }
}

// a row of boxes, each beside the last one along a random axis, touching it or a little inside
static surface random_row(test_random* random, uint32_t boxes, double scale) {
    surface s = surface_make(3 * BOX_TRIANGLES * boxes, BOX_TRIANGLES * boxes);
    double lo[3] = {scale * random_double(random, -1, 1), scale * random_double(random, -1, 1),
                    scale * random_double(random, -1, 1)};
    for (uint32_t i = 0; i < boxes; ++i) {
        const double size = scale * random_double(random, 0.2, 1);
        const double hi[3] = {lo[0] + size, lo[1] + 0.9 * size, lo[2] + 1.1 * size};
        put_box(&s, i, lo, hi);
        const int axis = (int)random_below(random, 3);
        const double inside = random_chance(random, 0.5) ? 0 : size * random_double(random, 0, 0.1);
        for (int d = 0; d < 3; ++d) {
            lo[d] = d == axis ? hi[d] - inside : lo[d] + size * random_double(random, 0.1, 0.3);
        }
    }
    return s;
}

static void mark(uint8_t* sides, const abut_region* r, const abut_depth_result* depths) {
    const abut_pair* pairs = abut_depth_result_pairs(depths, NULL) + r->first_pair;
    const uint32_t* inside = abut_depth_result_inside(depths, NULL);
    for (size_t i = 0; i < r->pair_count; ++i) {
        sides[pairs[i].triangle_a] |= 1;
        sides[pairs[i].triangle_b] |= 2;
    }
    for (size_t i = 0; i < r->inside_a_count + r->inside_b_count; ++i) {
        sides[inside[r->first_inside + i]] |= i < r->inside_a_count ? 1 : 2;
    }
}

static bool share_a_corner(const double p[3][3], const double q[3][3]) {
    bool shared = false;
    for (int i = 0; i < 9; ++i) {
        shared = shared || memcmp(p[i / 3], q[i % 3], sizeof p[0]) == 0;
    }
    return shared;
}

// side a, moved by the formula of the header, against side b
static void require_free(const surface* s, const abut_frame* f, const abut_region* r,
                         const uint8_t* sides) {
    const double v[3] = {r->depth * r->direction[0], r->depth * r->direction[1],
                         r->depth * r->direction[2]};
    double w[3];
    for (int i = 0; i < 3; ++i) {
        w[i] = (f->r[0][i] * v[0] + f->r[1][i] * v[1]) + f->r[2][i] * v[2];
    }
    for (uint32_t k = 0; k < s->triangle_count * s->triangle_count; ++k) {
        const uint32_t t[2] = {k / s->triangle_count, k % s->triangle_count};
        const double(*p)[3] = (const double(*)[3])(s->xyz + 9 * (size_t)t[0]);
        const double(*q)[3] = (const double(*)[3])(s->xyz + 9 * (size_t)t[1]);
        double moved[3][3];
        if ((sides[t[0]] & 1) == 0 || (sides[t[1]] & 2) == 0 || share_a_corner(p, q)) {
            continue;
        }
        for (int i = 0; i < 9; ++i) {
            moved[i / 3][i % 3] = p[i / 3][i % 3] + w[i % 3];
        }
        REQUIRE(!judge_touch((const double(*)[3])moved, q));
    }
}

static size_t check_row(uint64_t seed, double scale, double reach) {
    test_random random = random_seed(seed);
    surface s = random_row(&random, 2 + (uint32_t)(seed % 2), scale);
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    const abut_frame frame = frame_random(&random, reach);
    abut_depth_result* depths = NULL;
    size_t count = 0;
    world_frame(&w, body, frame);
    REQUIRE_OK(abut_depth_result_create(w.context, &depths, NULL));
    REQUIRE_OK(abut_depth_self(w.scene, body, NULL, depths, NULL));
    REQUIRE(abut_depth_result_defined(depths));
    const abut_region* r = abut_depth_result_regions(depths, &count);
    uint8_t* sides = test_alloc(s.triangle_count, 1);
    size_t freed = 0;
    for (size_t i = 0; i < count; ++i) {
        if (r[i].kind != ABUT_REGION_CONTACT) {
            continue;
        }
        where("seed %llu, scale %g, reach %g, region %zu", (unsigned long long)seed, scale, reach,
              i);
        REQUIRE(isfinite(r[i].depth) && r[i].depth > 0 && r[i].depth < 4 * scale);
        memset(sides, 0, s.triangle_count);
        mark(sides, &r[i], depths);
        require_free(&s, &frame, &r[i], sides);
        ++freed;
    }
    free(sides);
    abut_depth_result_destroy(depths);
    world_free(&w);
    surface_free(&s);
    return freed;
}

static void test_turned_frames(void** state) {
    (void)state;
    static const double scales[] = {1, 0x1p40, 0x1p-40};
    size_t freed = 0;
    size_t rows = 0;
    for (uint64_t seed = 1; seed <= effort(12, 60, 600); ++seed) {
        for (int i = 0; i < 3; ++i) {
            where("seed %llu, scale %g", (unsigned long long)seed, scales[i]);
            freed += check_row(seed, scales[i], seed % 3 == 0 ? 0 : scales[i]);
            ++rows;
        }
    }
    print_message("%zu regions in %zu rows\n", freed, rows);
    REQUIRE(freed > rows / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_turned_frames)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
