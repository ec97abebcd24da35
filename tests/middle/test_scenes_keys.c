// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Scenes whose frames are keyframes. The dress has the requested size, keeps its form and touches
// the figure a little. Spheres move on straight lines between frames and turn back where they
// touch, and only there. Drifting bodies move by one vector, exactly.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/triangles.h"
#include "scenes/scenes.h"
#include "support/brute.h"
#include "support/world.h"

static scene* make(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed) {
    scene* s = scene_create(name, triangles, frames, seed);
    assert_non_null(s);
    where("%s of %u triangles, %u frames, seed %u", name, triangles, frames, seed);
    return s;
}

static size_t numbers_of(const scene* s, uint32_t body) {
    return 3 * (size_t)scene_get_body(s, body)->vertex_count;
}

static double* positions_of(const scene* s, uint32_t body, uint32_t frame) {
    double* xyz = test_alloc(numbers_of(s, body), sizeof *xyz);
    scene_positions(s, body, frame, xyz);
    return xyz;
}

static size_t touching_pairs(const scene* s, uint32_t frame) {
    const scene_body* a = scene_get_body(s, 0);
    const scene_body* b = scene_get_body(s, 1);
    double* p = positions_of(s, 0, frame);
    double* q = positions_of(s, 1, frame);
    const size_t count = brute_collide(p, a->triangles, a->triangle_count, q, b->triangles,
                                       b->triangle_count, 0.0, abut__triangles_touch, NULL);
    free(p);
    free(q);
    return count;
}

// --- dress -----------------------------------------------------------------------------------------

static void test_dress_has_the_sizes_of_the_paper(void** state) {
    (void)state;
    static const double sizes[] = {32000, 64000, 580000};
    for (size_t i = 0; i < 3; ++i) {
        scene* s = make("dress", (uint32_t)sizes[i], 2, 1);
        REQUIRE(fabs(scene_get_body(s, 0)->triangle_count / sizes[i] - 1.0) < 0.01);
        REQUIRE(fabs(scene_get_body(s, 1)->triangle_count / (0.25 * sizes[i]) - 1.0) < 0.1);
        scene_destroy(s);
    }
}

// in some frames, and never with more than a small part of the cloth
static void test_dress_touches_the_figure_a_little(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        scene* s = make("dress", 6000, 0, seed);
        size_t touching = 0;
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            const size_t pairs = touching_pairs(s, f);
            touching += pairs > 0 ? 1 : 0;
            REQUIRE(pairs < 6000 / 30);
        }
        REQUIRE(touching >= scene_frame_count(s) / 4);
        scene_destroy(s);
    }
}

static double distance(const double* p, const double* q) {
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

// the edge from corner i of a triangle to the next
static double edge_length(const scene_body* b, const double* xyz, size_t i) {
    return distance(xyz + 3 * (size_t)b->triangles[i],
                    xyz + 3 * (size_t)b->triangles[i % 3 == 2 ? i - 2 : i + 1]);
}

// No edge is torn and none collapses, at keyframes and halfway between them.
static void check_form(const char* name) {
    scene* s = make(name, 6000, 0, 2);
    const scene_body* b = scene_get_body(s, 0);
    const size_t corners = 3 * (size_t)b->triangle_count;
    double mean = 0.0;
    for (size_t i = 0; i < corners; ++i) {
        mean += edge_length(b, b->rest, i) / (double)corners;
    }
    for (uint32_t f = 0; f < 2 * scene_frame_count(s) - 1; ++f) {
        double* xyz = positions_of(s, 0, f / 2);
        double* next = positions_of(s, 0, (f + 1) / 2);
        for (size_t i = 0; i < numbers_of(s, 0); ++i) {
            xyz[i] = 0.5 * (xyz[i] + next[i]);
        }
        for (size_t i = 0; i < corners; ++i) {
            const double length = edge_length(b, xyz, i);
            const double rest = edge_length(b, b->rest, i);
            REQUIRE(length > 0.4 * rest && length < 3.0 * rest);
            REQUIRE(length > 0.2 * mean && length < 4.0 * mean);
        }
        free(xyz);
        free(next);
    }
    scene_destroy(s);
}

static void test_dress_and_shirt_keep_their_form(void** state) {
    (void)state;
    check_form("dress");
    check_form("shirt");
}

// the garment follows the figure, which walks one stride
static void check_stride(const char* name) {
    scene* s = make(name, 3000, 0, 3);
    double mean[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    for (uint32_t i = 0; i < 4; ++i) {
        double* xyz = positions_of(s, i % 2, i < 2 ? 0 : scene_frame_count(s) - 1);
        for (size_t k = 1; k < numbers_of(s, i % 2); k += 3) {
            mean[i % 2][i / 2] += 3.0 * xyz[k] / (double)numbers_of(s, i % 2);
        }
        free(xyz);
    }
    for (int b = 0; b < 2; ++b) {
        REQUIRE(fabs(mean[b][1] - mean[b][0] - 1.45) < 0.05);
    }
    scene_destroy(s);
}

static void test_dress_and_shirt_follow_the_figure(void** state) {
    (void)state;
    check_stride("dress");
    check_stride("shirt");
}

static void test_shirt_has_the_sizes_of_the_paper(void** state) {
    (void)state;
    static const double sizes[] = {32000, 82000, 326000};
    for (size_t i = 0; i < effort(1, 3, 3); ++i) {
        scene* s = make("shirt", (uint32_t)sizes[i], 2, 1);
        REQUIRE(fabs(scene_get_body(s, 0)->triangle_count / sizes[i] - 1.0) < 0.02);
        scene_destroy(s);
    }
}

// --- spheres ---------------------------------------------------------------------------------------

// centres, from opposite vertices of the icosahedron that a sphere is made of
static void centre_of(const scene* s, uint32_t body, double centre[3]) {
    const scene_body* b = scene_get_body(s, body);
    centre[0] = centre[1] = centre[2] = 0.0;
    for (size_t i = 0; i < numbers_of(s, body); ++i) {
        centre[i % 3] += b->rest[i] / (double)b->vertex_count;
    }
}

// radial velocities of one step between frames; every vertex keeps its direction
static void velocities(const scene* s, uint32_t body, uint32_t frame, double* out) {
    double centre[3];
    centre_of(s, body, centre);
    double* before = positions_of(s, body, frame);
    double* after = positions_of(s, body, frame + 1);
    const double* rest = scene_get_body(s, body)->rest;
    for (size_t i = 0; i < numbers_of(s, body); i += 3) {
        const double r = distance(rest + i, centre);
        const double near = distance(before + i, centre);
        out[i / 3] = distance(after + i, centre) - near;
        for (size_t d = 0; d < 3; ++d) {
            REQUIRE(fabs(before[i + d] - centre[d] - near / r * (rest[i + d] - centre[d])) < 1e-9);
        }
    }
    free(before);
    free(after);
}

// Speeds never change, directions do. A vertex moves outward first. Where it turns inward it is
// across the plane between both spheres or at the greatest radius; where it turns outward it is far
// inside.
static void test_spheres_turn_back_where_they_touch(void** state) {
    (void)state;
    scene* s = make("spheres", 2000, 0, 1);
    const uint32_t last = scene_frame_count(s) - 1;
    const double speed = 1.5 / last;
    double centre[2][3];
    centre_of(s, 0, centre[0]);
    centre_of(s, 1, centre[1]);
    const uint32_t count = scene_get_body(s, 0)->vertex_count;
    double* now = test_alloc(count, sizeof *now);
    double* next = test_alloc(count, sizeof *next);
    size_t turned[2] = {0, 0};
    for (uint32_t f = 0; f + 1 < last; ++f) {
        double* at = positions_of(s, 0, f + 1);
        velocities(s, 0, f, now);
        velocities(s, 0, f + 1, next);
        for (uint32_t v = 0; v < count; ++v) {
            const double* p = at + 3 * (size_t)v;
            REQUIRE(fabs(fabs(now[v]) - speed) < 1e-9 && (f > 0 || now[v] > 0.0));
            const double radius = distance(p, centre[0]);
            const bool across = distance(p, centre[1]) < radius + 1e-9;
            if (now[v] > 0.0) {
                REQUIRE((next[v] < 0.0) == (across || radius > 1.31));
                turned[0] += next[v] < 0.0 && across ? 1 : 0;
            } else {
                REQUIRE((next[v] > 0.0) == (radius < 0.69));
                turned[1] += next[v] > 0.0 ? 1 : 0;
            }
        }
        free(at);
    }
    REQUIRE(turned[0] > count / 10 && turned[1] > 0);
    free(now);
    free(next);
    scene_destroy(s);
}

static void test_spheres_meet_after_a_while(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        scene* s = make("spheres", 2000, 0, seed);
        uint32_t touching = 0;
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            touching += touching_pairs(s, f) > 0 ? 1 : 0;
            REQUIRE(f > scene_frame_count(s) / 8 || touching == 0);
        }
        REQUIRE(touching > scene_frame_count(s) / 4);
        scene_destroy(s);
    }
}

// --- drift -----------------------------------------------------------------------------------------

// in double and in float
static void test_drift_is_one_exact_shift(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 5; ++seed) {
        scene* s = make("drift", 3000, 17, seed);
        const double* rest = scene_get_body(s, 0)->rest;
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            double* xyz = positions_of(s, 0, f);
            for (size_t i = 0; i < numbers_of(s, 0); ++i) {
                const float shift = (float)xyz[i % 3] - (float)rest[i % 3];
                REQUIRE(xyz[i] - rest[i] == xyz[i % 3] - rest[i % 3]);
                REQUIRE((float)xyz[i] - (float)rest[i] == shift);
                REQUIRE((double)(float)xyz[i] == xyz[i] && (double)(float)rest[i] == rest[i]);
            }
            free(xyz);
        }
        scene_destroy(s);
    }
}

static void test_drift_passes_the_ball(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 3; ++seed) {
        scene* s = make("drift", 1800, 0, seed);
        const uint32_t last = scene_frame_count(s) - 1;
        uint32_t touching = 0;
        for (uint32_t f = 0; f <= last; ++f) {
            touching += touching_pairs(s, f) > 0 ? 1 : 0;
        }
        REQUIRE(touching >= 5 && touching < last);
        REQUIRE(touching_pairs(s, 0) == 0 && touching_pairs(s, last) == 0);
        scene_destroy(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dress_has_the_sizes_of_the_paper),
        cmocka_unit_test(test_dress_touches_the_figure_a_little),
        cmocka_unit_test(test_dress_and_shirt_keep_their_form),
        cmocka_unit_test(test_dress_and_shirt_follow_the_figure),
        cmocka_unit_test(test_shirt_has_the_sizes_of_the_paper),
        cmocka_unit_test(test_spheres_turn_back_where_they_touch),
        cmocka_unit_test(test_spheres_meet_after_a_while),
        cmocka_unit_test(test_drift_is_one_exact_shift),
        cmocka_unit_test(test_drift_passes_the_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
