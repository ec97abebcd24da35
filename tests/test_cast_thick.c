// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Thick rays against all triangles in rationals, on every motion in every kind of state. Whether a
// sphere meets a triangle must agree exactly, radii that equal a distance included. Where it first
// touches is checked by the distance of its centre there and before.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/motions.h"
#include "support/rational_triangles.h"
#include "support/rays.h"

enum { SEGMENTS = 4 };

static double greatest(const double p[3], double most) {
    return fmax(fmax(fabs(p[0]), fabs(p[1])), fmax(fabs(p[2]), most));
}

// the sign of the distance of a segment and a triangle less the radius
static int compare(const double from[3], const double to[3], const double t[3][3], double radius) {
    double segment[3][3];
    mpq_t distance_sq;
    mpq_t limit;
    memcpy(segment[0], from, sizeof segment[0]);
    memcpy(segment[1], to, sizeof segment[1]);
    memcpy(segment[2], to, sizeof segment[2]);
    mpq_inits(distance_sq, limit, NULL);
    rational_distance_sq((const double(*)[3])segment, t, distance_sq);
    mpq_set_d(limit, radius);
    mpq_mul(limit, limit, limit);
    const int sign = mpq_cmp(distance_sq, limit);
    mpq_clears(distance_sq, limit, NULL);
    return sign;
}

// Checks that at `t` the centre is at the radius, up to the bound, and not nearer before.
static void check_time(const double from[3], const double to[3], const double corners[3][3],
                       double radius, double t) {
    double size = greatest(from, greatest(to, radius));
    for (int c = 0; c < 3; ++c) {
        size = greatest(corners[c], size);
    }
    const double slack = 0x1p-40 * size;
    const double parts[4] = {1, 0.5, 0.9, 0.999999};
    for (int i = 0; i < 4; ++i) {
        double x[3];
        for (int k = 0; k < 3; ++k) {
            const double s = t * parts[i];
            x[k] = s < 1 ? (1 - s) * from[k] + s * to[k] : to[k];
        }
        REQUIRE(radius <= slack || compare(x, x, corners, radius - slack) > 0);
        REQUIRE(i > 0 || compare(x, x, corners, radius + slack) <= 0);
    }
}

static uint32_t triangles_of(const abut_scene* scene, abut_body_id body) {
    return abut_mesh_triangle_count(abut_shape_mesh(abut_body_shape(scene, body)));
}

static size_t check_segment(const world* w, abut_body_id body, const double from[3],
                            const double to[3], double radius, abut_cast_result* result) {
    abut_cast_def def = abut_cast_def_default();
    const abut_rays rays = abut_rays_segments(from, to, 1);
    size_t count;
    def.radius = radius;
    def.mode = ABUT_CAST_ALL;
    REQUIRE_OK(abut_cast(w->scene, body, rays, &def, result, NULL));
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    size_t wanted = 0;
    for (uint32_t t = 0; t < triangles_of(w->scene, body); ++t) {
        double corners[3][3];
        ray_corners(w->scene, body, t, corners);
        const bool meets = compare(from, to, (const double(*)[3])corners, radius) <= 0;
        size_t at = 0;
        while (at < count && hits[at].triangle != t) {
            ++at;
        }
        REQUIRE((at < count) == meets);
        wanted += meets;
        if (meets) {
            const bool starts = compare(from, from, (const double(*)[3])corners, radius) <= 0;
            REQUIRE((hits[at].t == 0) == starts && hits[at].t >= 0 && hits[at].t <= 1);
            if (!starts && radius < 1e300 && hits[at].t > 0x1p-1000) {
                check_time(from, to, (const double(*)[3])corners, radius, hits[at].t);
            }
        }
    }
    REQUIRE(count == wanted);
    for (size_t i = 1; i < count; ++i) {
        REQUIRE(hits[i - 1].t < hits[i].t ||
                (hits[i - 1].t == hits[i].t && hits[i - 1].triangle < hits[i].triangle));
    }
    if (count > 0) {
        const abut_ray_hit first = hits[0];
        def.mode = ABUT_CAST_FIRST;
        REQUIRE_OK(abut_cast_all(w->scene, rays, &def, result, NULL));
        hits = abut_cast_result_hits(result, &count);
        REQUIRE(count == 1 && memcmp(&hits[0], &first, sizeof first) == 0);
    }
    return wanted;
}

static void draw_segment(const world* w, abut_body_id body, test_random* random, double from[3],
                         double to[3], double* radius) {
    double t[3][3];
    ray_corners(w->scene, body, random_below(random, triangles_of(w->scene, body)), t);
    const double size = greatest(t[0], greatest(t[1], 0)) + 0x1p-300;
    const double scale = size < 1e150 ? size : 1;
    const uint32_t kind = random_below(random, 5);
    for (int k = 0; k < 3; ++k) {
        from[k] = kind == 0 ? t[0][k] + random_dyadic(random, 2, 1) * scale
                            : random_double(random, -3, 3) * scale;
        to[k] = kind == 1 ? from[k] : t[1][k] + random_dyadic(random, 1, 0.5) * scale;
        from[k] = isfinite(from[k]) ? from[k] : 0;
        to[k] = isfinite(to[k]) ? to[k] : 0;
    }
    *radius = (kind == 2 ? 1 : random_double(random, 0, 0.5)) * scale;
    if (kind == 0) {  // that of a corner, where it is a double
        *radius = fabs(from[0] - t[0][0]) > 0 ? fabs(from[0] - t[0][0]) : scale;
    }
    *radius = *radius > 0 && isfinite(*radius) ? *radius : 1;
}

static const motion_row* const rows[] = {&motion_free, &motion_modal, &motion_blend,
                                         &motion_flight};

static void test_every_motion(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 0; seed < effort(6, 24, 240); ++seed) {
        const motion_row* row = rows[seed % 4];
        test_random random = random_seed(500 + seed);
        world w = world_make(NULL, NULL);
        abut_cast_result* result = NULL;
        surface s = seed % 3 == 0   ? surface_ball(4, 5, 1)
                    : seed % 3 == 1 ? surface_soup(&random, 30, 2, 1, 0.25)
                                    : surface_sheet(4, 4, 4);
        mover m = mover_make(row, seed % row->variants, s, &random);
        const motion_def shape_def = mover_def(&m);
        const abut_body_id body = world_add(&w, &m.surface, &shape_def, NULL);
        REQUIRE_OK(abut_cast_result_create(w.context, &result, NULL));
        for (uint32_t step = 0; step < 3; ++step) {
            const state_kind kinds[3] = {STATE_REST, STATE_ORDINARY,
                                         seed % 3 == 0 ? STATE_DEGENERATE : STATE_EXTREME};
            mover_draw(&m, &random, kinds[step]);
            REQUIRE_OK(mover_set(&m, w.scene, body));
            if (seed % 3 == 1) {
                world_frame(&w, body, frame_random(&random, seed % 2 == 0 ? 4 : 1e6));
            }
            for (uint32_t k = 0; k < SEGMENTS; ++k) {
                double from[3];
                double to[3];
                double radius;
                where("%s, seed %u, step %u, segment %u", row->name, seed, step, k);
                draw_segment(&w, body, &random, from, to, &radius);
                found += check_segment(&w, body, from, to, radius, result);
            }
        }
        abut_cast_result_destroy(result);
        mover_free(&m);
        world_free(&w);
    }
    where("all");
    REQUIRE(found > 0);
}

// a grazing sphere touches at the very radius, and one ulp less misses
static void test_radii_at_the_limit(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    abut_cast_result* result = NULL;
    surface s = surface_sheet(2, 2, 2);
    world_add(&w, &s, NULL, NULL);
    REQUIRE_OK(abut_cast_result_create(w.context, &result, NULL));
    const double from[3] = {0.3, 0.3, 0.75};
    const double to[3] = {1.6, 0.4, 0.75};
    abut_cast_def def = abut_cast_def_default();
    const abut_rays rays = abut_rays_segments(from, to, 1);
    def.radius = 0.75;
    REQUIRE_OK(abut_cast_all(w.scene, rays, &def, result, NULL));
    size_t count;
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    REQUIRE(count == 1 && hits[0].t == 0 && hits[0].side == ABUT_RAY_SIDE_FRONT);
    def.radius = nextafter(0.75, 0);
    REQUIRE_OK(abut_cast_all(w.scene, rays, &def, result, NULL));
    (void)abut_cast_result_hits(result, &count);
    REQUIRE(count == 0);
    // down onto the face: at z = 0.25
    const double high[3] = {0.5, 0.25, 1.25};
    const double low[3] = {0.5, 0.25, -0.75};
    def.radius = 0.25;
    REQUIRE_OK(abut_cast_all(w.scene, abut_rays_segments(high, low, 1), &def, result, NULL));
    hits = abut_cast_result_hits(result, &count);
    REQUIRE(count == 1 && fabs(hits[0].t - 0.5) < 1e-12);
    abut_rays bad = abut_rays_f64(high, low, 1);
    REQUIRE_STATUS(abut_cast_all(w.scene, bad, &def, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    bad = abut_rays_segments(high, low, 1);
    bad.tmax = (abut_ray_limits){low, 0, ABUT_SCALAR_F64};
    REQUIRE_STATUS(abut_cast_all(w.scene, bad, &def, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    def.radius = -1;
    REQUIRE_STATUS(abut_cast_all(w.scene, rays, &def, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    abut_cast_result_destroy(result);
    surface_free(&s);
    world_free(&w);
}

static void test_same_bits_everywhere(void** state) {
    (void)state;
    enum { MANY = 300 };
    uint64_t wanted = 0;
    everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 1);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        world w = world_make(&at.def, NULL);
        test_random random = random_seed(3);
        abut_cast_result* result = NULL;
        static double from[MANY][3];
        static double to[MANY][3];
        surface s = surface_ball(20, 30, 1);
        world_add(&w, &s, NULL, NULL);
        REQUIRE_OK(abut_cast_result_create(w.context, &result, NULL));
        for (int i = 0; i < 3 * MANY; ++i) {
            from[i / 3][i % 3] = random_double(&random, -2, 2);
            to[i / 3][i % 3] = random_double(&random, -2, 2);
        }
        abut_cast_def def = abut_cast_def_default();
        def.radius = 0.2;
        REQUIRE_OK(
            abut_cast_all(w.scene, abut_rays_segments(from[0], to[0], MANY), &def, result, NULL));
        size_t count;
        const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
        uint64_t hash = 1469598103934665603u;
        hash_bytes(&hash, hits, count * sizeof *hits);
        wanted = at.first ? hash : wanted;
        REQUIRE(hash == wanted && count > 0);
        abut_cast_result_destroy(result);
        surface_free(&s);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_motion),
        cmocka_unit_test(test_radii_at_the_limit),
        cmocka_unit_test(test_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
