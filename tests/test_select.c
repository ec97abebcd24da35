// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Selections against clipping in rationals: triangles and half-spaces on coarse grids and at all
// magnitudes, and boxes, balls and frustums against all triangles of bodies of every motion.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/halfspaces.h"
#include "support/memory.h"
#include "support/motions.h"
#include "support/rational_triangles.h"
#include "support/rays.h"

// ---- the oracle: a polygon that is cut by one plane after the other

enum { POLYGON_MOST = 40 };
static mpq_t polygon[2][POLYGON_MOST][3];
static mpq_t heights[POLYGON_MOST];
static mpq_t scratch;

static int make_numbers(void** state) {
    (void)state;
    for (int i = 0; i < 2 * POLYGON_MOST * 3; ++i) {
        mpq_init(polygon[i / (POLYGON_MOST * 3)][i / 3 % POLYGON_MOST][i % 3]);
    }
    for (int i = 0; i < POLYGON_MOST; ++i) {
        mpq_init(heights[i]);
    }
    mpq_init(scratch);
    return 0;
}

static int free_numbers(void** state) {
    (void)state;
    for (int i = 0; i < 2 * POLYGON_MOST * 3; ++i) {
        mpq_clear(polygon[i / (POLYGON_MOST * 3)][i / 3 % POLYGON_MOST][i % 3]);
    }
    for (int i = 0; i < POLYGON_MOST; ++i) {
        mpq_clear(heights[i]);
    }
    mpq_clear(scratch);
    return 0;
}

// cuts polygon[from] to polygon[1 - from]; returns the number of corners
static uint32_t cut(int from, uint32_t count, const abut_plane* plane, bool* cuts) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        mpq_set_d(heights[i], -plane->offset);
        for (int k = 0; k < 3; ++k) {
            mpq_set_d(scratch, plane->normal[k]);
            mpq_mul(scratch, scratch, polygon[from][i][k]);
            mpq_add(heights[i], heights[i], scratch);
        }
        *cuts = *cuts || mpq_sgn(heights[i]) > 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = (i + 1) % count;
        if (mpq_sgn(heights[i]) <= 0) {
            for (int k = 0; k < 3; ++k) {
                mpq_set(polygon[1 - from][kept][k], polygon[from][i][k]);
            }
            ++kept;
        }
        if (mpq_sgn(heights[i]) * mpq_sgn(heights[next]) < 0) {
            for (int k = 0; k < 3; ++k) {  // (h_next p - h p_next) / (h_next - h)
                mpq_t* x = &polygon[1 - from][kept][k];
                mpq_mul(*x, heights[next], polygon[from][i][k]);
                mpq_mul(scratch, heights[i], polygon[from][next][k]);
                mpq_sub(*x, *x, scratch);
                mpq_sub(scratch, heights[next], heights[i]);
                mpq_div(*x, *x, scratch);
            }
            ++kept;
        }
        REQUIRE(kept + 2 < POLYGON_MOST);
    }
    return kept;
}

// 0: nothing in common, 1: a part, 2: the whole triangle
static int clip(const double t[3][3], const abut_plane* planes, size_t count) {
    uint32_t corners = 3;
    bool cuts = false;
    for (int i = 0; i < 9; ++i) {
        mpq_set_d(polygon[0][i / 3][i % 3], t[i / 3][i % 3]);
    }
    for (size_t j = 0; j < count && corners > 0; ++j) {
        corners = cut((int)(j % 2), corners, &planes[j], &cuts);
    }
    return corners == 0 ? 0 : cuts ? 1 : 2;
}

// ---- half-spaces

static double number(test_random* random, uint32_t kind) {
    return kind == 0   ? random_dyadic(random, 2, 1)
           : kind == 1 ? random_double(random, -2, 2)
           : kind == 2 ? random_dyadic(random, 4, 1) * 0x1p-500
                       : random_finite(random);
}

static void test_half_spaces_are_exact(void** state) {
    (void)state;
    size_t seen[3] = {0};
    const uint32_t seeds = effort(6000, 40000, 400000);
    for (uint32_t seed = 0; seed < seeds; ++seed) {
        where("seed %u", seed);
        test_random random = random_seed(seed);
        const uint32_t kind = seed % 64 == 0 ? 3 : seed % 3;
        const uint32_t count = kind == 3 ? 4 : 1 + random_below(&random, 6);
        double t[3][3];
        abut_plane planes[6];
        abut__halfspace spaces[6];
        for (int i = 0; i < 9; ++i) {
            t[i / 3][i % 3] = number(&random, kind);
        }
        for (uint32_t j = 0; j < count; ++j) {
            for (int k = 0; k < 3; ++k) {
                spaces[j].n[k] = planes[j].normal[k] = number(&random, kind);
            }
            spaces[j].offset = planes[j].offset = number(&random, kind == 2 ? 0 : kind) *
                                                  (kind == 2 ? 0x1p-1000 : 0.75);
        }
        if (kind == 1 && seed % 2 == 0) {  // planes nearly through corners
            const double* c = t[random_below(&random, 3)];
            for (uint32_t j = 0; j < count; ++j) {
                const double* n = planes[j].normal;
                planes[j].offset = n[0] * c[0] + n[1] * c[1] + n[2] * c[2];
                spaces[j].offset = planes[j].offset;
            }
        }
        const abut__reach got = abut__halfspaces_reach((const double(*)[3])t, spaces, count);
        const int wanted = clip((const double(*)[3])t, planes, count);
        REQUIRE(got == (wanted == 0   ? ABUT__REACH_NONE
                        : wanted == 1 ? ABUT__REACH_PART
                                      : ABUT__REACH_WHOLE));
        ++seen[wanted];
    }
    where("all");
    REQUIRE(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

// ---- bodies

static int ball_reach(const double t[3][3], const double centre[3], double radius) {
    mpq_t distance_sq;
    mpq_t limit;
    int inside = 0;
    double point[3][3];
    mpq_inits(distance_sq, limit, NULL);
    mpq_set_d(limit, radius);
    mpq_mul(limit, limit, limit);
    for (int i = 0; i < 3; ++i) {
        memcpy(point[i], centre, sizeof point[i]);
    }
    rational_distance_sq((const double(*)[3])point, t, distance_sq);
    const bool reaches = mpq_cmp(distance_sq, limit) <= 0;
    for (int i = 0; i < 3; ++i) {
        const double corner[3][3] = {
            {t[i][0], t[i][1], t[i][2]}, {t[i][0], t[i][1], t[i][2]}, {t[i][0], t[i][1], t[i][2]}};
        rational_distance_sq((const double(*)[3])point, corner, distance_sq);
        inside += mpq_cmp(distance_sq, limit) <= 0;
    }
    mpq_clears(distance_sq, limit, NULL);
    return !reaches ? 0 : inside == 3 ? 2 : 1;
}

// the planes of a box
static void planes_of(const abut_box* box, abut_plane planes[6]) {
    memset(planes, 0, 6 * sizeof *planes);
    for (int k = 0; k < 3; ++k) {
        planes[2 * k].normal[k] = -1;
        planes[2 * k].offset = -box->lo[k];
        planes[2 * k + 1].normal[k] = 1;
        planes[2 * k + 1].offset = box->hi[k];
    }
}

static size_t check_volume(const world* w, abut_body_id body, uint32_t kind, const double at[3],
                           double size, test_random* random, abut_select_result* result) {
    abut_plane planes[6];
    abut_box box;
    for (int k = 0; k < 3; ++k) {
        box.lo[k] = at[k] - size * (kind == 1 ? 1 : random_unit(random));
        box.hi[k] = at[k] + size * random_unit(random);
    }
    planes_of(&box, planes);
    for (int i = 0; i < 18 && kind == 2; ++i) {  // a frustum: slanted sides
        planes[i / 3].normal[i % 3] += random_double(random, -0.4, 0.4);
    }
    const abut_volume volume = kind == 0   ? abut_volume_box(box)
                               : kind == 1 ? abut_volume_ball(at, size)
                                           : abut_volume_planes(planes, 6);
    size_t count;
    REQUIRE_OK(abut_select(w->scene, body, &volume, NULL, result, NULL));
    const abut_selected* rows = abut_select_result_triangles(result, &count);
    size_t next = 0;
    const uint32_t triangles = abut_mesh_triangle_count(
        abut_shape_mesh(abut_body_shape(w->scene, body)));
    for (uint32_t i = 0; i < triangles; ++i) {
        double t[3][3];
        ray_corners(w->scene, body, i, t);
        const int wanted = kind == 1 ? ball_reach((const double(*)[3])t, at, size)
                                     : clip((const double(*)[3])t, planes, 6);
        const bool found = next < count && rows[next].triangle == i;
        REQUIRE(found == (wanted > 0));
        if (found) {
            REQUIRE(rows[next].whole == (wanted == 2) && rows[next].body == body.index);
            ++next;
        }
    }
    REQUIRE(next == count);
    return count;
}

static const motion_row* const rows[] = {&motion_free, &motion_modal, &motion_blend,
                                         &motion_flight};

static void test_every_motion(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 0; seed < effort(8, 32, 300); ++seed) {
        const motion_row* row = rows[seed % 4];
        test_random random = random_seed(70 + seed);
        world w = world_make(NULL, NULL);
        abut_select_result* result = NULL;
        surface s = seed % 2 == 0 ? surface_ball(7, 9, 1) : surface_soup(&random, 100, 2, 1, 0.25);
        mover m = mover_make(row, seed % row->variants, s, &random);
        motion_def shape_def = mover_def(&m);
        shape_def.block_triangles = 4;
        const abut_body_id body = world_add(&w, &m.surface, &shape_def, NULL);
        REQUIRE_OK(abut_select_result_create(w.context, &result, NULL));
        for (uint32_t step = 0; step < 3; ++step) {
            const state_kind kinds[3] = {STATE_REST, STATE_ORDINARY,
                                         seed % 3 == 0 ? STATE_DEGENERATE : STATE_EXTREME};
            mover_draw(&m, &random, kinds[step]);
            REQUIRE_OK(mover_set(&m, w.scene, body));
            if (seed % 3 == 1) {
                world_frame(&w, body, frame_random(&random, seed % 2 == 0 ? 4 : 1e6));
            }
            for (uint32_t kind = 0; kind < 3; ++kind) {
                double t[3][3];
                where("%s, seed %u, step %u, kind %u", row->name, seed, step, kind);
                ray_corners(w.scene, body, seed % 7, t);
                const double size = fabs(t[0][0] - t[1][0]) + fabs(t[0][1] - t[1][1]) + 0x1p-900;
                if (size < 1e150 && fabs(t[0][0]) + fabs(t[0][1]) + fabs(t[0][2]) < 1e150) {
                    found += check_volume(&w, body, kind, t[0], 2 * size, &random, result);
                }
            }
        }
        abut_select_result_destroy(result);
        mover_free(&m);
        world_free(&w);
    }
    where("all");
    REQUIRE(found > 0);
}

// what is wholly inside or outside is not evaluated; groups; what is refused
static void test_work_and_arguments(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    abut_select_result* result = NULL;
    surface s = surface_ball(20, 30, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    const double origin[3] = {0, 0, 0};
    abut_volume volume = abut_volume_ball(origin, 10);
    abut_counters counters = {0};
    abut_select_def def = abut_select_def_default();
    size_t count;
    def.head.counters = &counters;
    REQUIRE_OK(abut_select_result_create(w.context, &result, NULL));
    REQUIRE_OK(abut_select_all(w.scene, &volume, &def, result, NULL));
    const abut_selected* rows_found = abut_select_result_triangles(result, &count);
    REQUIRE(count == s.triangle_count && rows_found[0].whole && counters.exact_tests == 0);
    volume = abut_volume_planes(NULL, 0);
    REQUIRE_OK(abut_select(w.scene, body, &volume, &def, result, NULL));
    (void)abut_select_result_triangles(result, &count);
    REQUIRE(count == s.triangle_count && counters.blocks_evaluated == 0);
    def.mask = 0;
    REQUIRE_OK(abut_select_all(w.scene, &volume, &def, result, NULL));
    (void)abut_select_result_triangles(result, &count);
    REQUIRE(count == 0);
    volume = abut_volume_ball(origin, -1);
    REQUIRE_STATUS(abut_select(w.scene, body, &volume, NULL, result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    volume = abut_volume_box((abut_box){{NAN, 0, 0}, {1, 1, 1}});
    REQUIRE_STATUS(abut_select(w.scene, body, &volume, NULL, result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    volume = abut_volume_planes(NULL, 3);
    REQUIRE_STATUS(abut_select(w.scene, body, &volume, NULL, result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_select(w.scene, body, NULL, NULL, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    volume = abut_volume_box((abut_box){{1, 1, 1}, {0, 0, 0}});
    REQUIRE_OK(abut_select(w.scene, body, &volume, NULL, result, NULL));
    REQUIRE(abut_select_result_triangles(result, NULL) == NULL);
    abut_select_result_destroy(result);
    surface_free(&s);
    world_free(&w);
}

// every allocation fails once; then nothing more is allocated
static void test_memory_may_fail(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    surface s = surface_ball(10, 12, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    const abut_volume volume = abut_volume_box((abut_box){{0, 0, 0}, {1, 1, 1}});
    abut_status status = ABUT_ERR_NO_MEMORY;
    abut_select_result* result = NULL;
    for (size_t call = 1; status != ABUT_OK; ++call) {
        where("call %zu", call);
        abut_select_result_destroy(result);
        result = NULL;
        memory_fail(&memory, call, false);
        status = abut_select_result_create(w.context, &result, NULL);
        if (status == ABUT_OK) {
            status = abut_select(w.scene, body, &volume, NULL, result, NULL);
        }
        memory_fail(&memory, 0, false);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
    }
    const size_t calls = memory.calls;
    REQUIRE_OK(abut_select(w.scene, body, &volume, NULL, result, NULL));
    REQUIRE(memory.calls == calls);
    abut_select_result_destroy(result);
    surface_free(&s);
    world_free(&w);
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_spaces_are_exact),
        cmocka_unit_test(test_every_motion),
        cmocka_unit_test(test_work_and_arguments),
        cmocka_unit_test(test_memory_may_fail),
    };
    return cmocka_run_group_tests(tests, make_numbers, free_numbers);
}
