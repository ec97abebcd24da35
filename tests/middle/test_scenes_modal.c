// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies of scenes that move by displacement fields. Positions follow the documented formula bit by
// bit, coordinates stay in their range, and principal components reproduce the motion that they
// were computed from.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scenes/eigen.h"
#include "scenes/pca.h"
#include "scenes/scenes.h"
#include "support/world.h"

static const struct {
    const char* name;
    uint32_t triangles;
    uint32_t frames;
    uint32_t fields;
} modal_scenes[] = {
    {"curtain", 1500, 0, 0}, {"curtain", 3000, 7, 30}, {"chair", 2000, 20, 0},
    {"bridge", 2000, 11, 4}, {"fish", 2000, 11, 5},
};
#define MODAL_SCENES (sizeof modal_scenes / sizeof modal_scenes[0])

// made once for all tests
static scene* scenes_made[MODAL_SCENES];

static const scene* modal_scene(size_t i) {
    if (scenes_made[i] != NULL) {
        return scenes_made[i];
    }
    scene* s = scene_create_with(modal_scenes[i].name,
                                 &(scene_options){.triangles = modal_scenes[i].triangles,
                                                  .frames = modal_scenes[i].frames,
                                                  .seed = 3,
                                                  .fields = modal_scenes[i].fields});
    assert_non_null(s);
    scenes_made[i] = s;
    return s;
}

static int free_scenes(void** state) {
    (void)state;
    for (size_t i = 0; i < MODAL_SCENES; ++i) {
        scene_destroy(scenes_made[i]);
    }
    return 0;
}

// --- the formula -------------------------------------------------------------------------------

// one number, computed again from the text of scenes.h; volatile keeps every rounding
static double formula(const scene_body* b, const double* q, double r[3][3], const double t[3],
                      size_t vertex, int d) {
    volatile double v[3];
    for (size_t k = 0; k < 3; ++k) {
        v[k] = b->rest[3 * vertex + k];
        for (size_t j = 0; j < b->field_count; ++j) {
            volatile double product = (double)b->fields[(j * b->vertex_count + vertex) * 3 + k] *
                                      q[j];
            v[k] = v[k] + product;
        }
    }
    bool identity = t[0] == 0.0 && t[1] == 0.0 && t[2] == 0.0;
    for (int i = 0; i < 9; ++i) {
        identity = identity && r[i / 3][i % 3] == (i / 3 == i % 3 ? 1.0 : 0.0);
    }
    if (identity) {
        return v[d];
    }
    volatile double x = r[d][0] * v[0];
    volatile double y = r[d][1] * v[1];
    volatile double z = r[d][2] * v[2];
    volatile double xy = x + y;
    volatile double xyz = xy + z;
    return xyz + t[d];
}

static void check_formula(const scene* s, uint32_t body, uint32_t frame) {
    const scene_body* b = scene_get_body(s, body);
    double q[SCENE_MOST_FIELDS];
    double r[3][3];
    double t[3];
    scene_coordinates(s, body, frame, q);
    scene_frame(s, body, frame, r, t);
    double* xyz = test_alloc(3 * (size_t)b->vertex_count, sizeof *xyz);
    scene_positions(s, body, frame, xyz);
    for (size_t i = 0; i < b->vertex_count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double wanted = formula(b, q, r, t, i, d);
            REQUIRE(memcmp(&wanted, &xyz[3 * i + (size_t)d], sizeof wanted) == 0);
        }
    }
    free(xyz);
}

static void test_positions_are_the_formula_bit_by_bit(void** state) {
    (void)state;
    for (size_t i = 0; i < MODAL_SCENES; ++i) {
        const scene* s = modal_scene(i);
        uint32_t modal = 0;
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            modal += scene_get_body(s, b)->field_count > 0 ? 1 : 0;
            for (uint32_t f = 0; f < scene_frame_count(s); f += 5) {
                where("%s, body %u, frame %u", modal_scenes[i].name, b, f);
                if (scene_get_body(s, b)->reduced) {
                    check_formula(s, b, f);
                }
            }
        }
        REQUIRE(modal > 0);
    }
}

// a frame must be a rotation, as the library requires
static void test_frames_are_rotations(void** state) {
    (void)state;
    for (size_t i = 0; i < MODAL_SCENES; ++i) {
        const scene* s = modal_scene(i);
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            for (uint32_t b = 0; b < scene_body_count(s); ++b) {
                where("%s, body %u, frame %u", modal_scenes[i].name, b, f);
                double r[3][3];
                double t[3];
                scene_frame(s, b, f, r, t);
                for (int k = 0; k < 9; ++k) {
                    const double* x = r[k / 3];
                    const double* y = r[k % 3];
                    const double dot = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
                    REQUIRE(fabs(dot - (k / 3 == k % 3 ? 1.0 : 0.0)) < 1e-12);
                }
                const double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) +
                                   r[0][1] * (r[1][2] * r[2][0] - r[1][0] * r[2][2]) +
                                   r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
                REQUIRE(fabs(det - 1.0) < 1e-12);
            }
        }
    }
}

// |q| of about 1 must be visible and must not tear the surface: this is the range of a scene
static void test_modes_move_visibly_but_not_wildly(void** state) {
    (void)state;
    static const char* const names[] = {"chair", "bridge", "fish"};
    const uint32_t triangles = effort(800, 4000, 4000);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        where("%s", names[i]);
        scene* s = scene_create(names[i], triangles, 0, 1);
        assert_non_null(s);
        const scene_body* b = scene_get_body(s, 0);
        const size_t numbers = 3 * (size_t)b->vertex_count;
        double size = 0.0;
        for (size_t k = 0; k < numbers; ++k) {
            size = fmax(size, fabs(b->rest[k] - b->rest[k % 3]));
        }
        REQUIRE(b->dynamics != NULL && b->dynamics->mass > 0.0);
        for (uint32_t j = 0; j < b->field_count; ++j) {
            double most = 0.0;
            for (size_t k = 0; k < numbers; ++k) {
                most = fmax(most, fabs((double)b->fields[j * numbers + k]));
            }
            REQUIRE(most > 0.001 * size && most < 0.2 * size);
            REQUIRE(j > 0 || most > 0.03 * size);
            REQUIRE(b->dynamics->masses[j] > 0.0 && b->dynamics->frequencies_sq[j] > 0.0);
        }
        double highest = 0.0;
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            double q[SCENE_MOST_FIELDS];
            scene_coordinates(s, 0, f, q);
            for (uint32_t j = 0; j < b->field_count; ++j) {
                highest = fmax(highest, fabs(q[j]));
            }
        }
        REQUIRE(highest > 0.5 && highest <= 1.0);
        scene_destroy(s);
    }
}

// instances share their arrays and differ in their motion
static void test_instances_share_their_arrays(void** state) {
    (void)state;
    static const char* const names[] = {"chair", "fish"};
    for (size_t i = 0; i < 2; ++i) {
        scene* s = scene_create(names[i], 600, 0, 1);
        assert_non_null(s);
        const scene_body* a = scene_get_body(s, 0);
        const scene_body* b = scene_get_body(s, 1);
        double q[2][SCENE_MOST_FIELDS];
        scene_coordinates(s, 0, 5, q[0]);
        scene_coordinates(s, 1, 5, q[1]);
        assert_true(a->rest == b->rest && a->triangles == b->triangles && a->fields == b->fields);
        assert_true(q[0][0] != q[1][0]);
        scene_destroy(s);
    }
}

// bodies that are not reduced answer too: no fields, the identity
static void test_scenes_have_the_requested_fields(void** state) {
    (void)state;
    const uint32_t triangles = effort(200, 600, 600);
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    for (size_t k = 0; k < count; ++k) {
        where("%s", kinds[k].name);
        scene* s = scene_create(kinds[k].name, triangles, 9, 1);
        scene* less = scene_create_with(
            kinds[k].name,
            &(scene_options){.triangles = triangles, .frames = 9, .seed = 1, .fields = 2});
        assert_non_null(s);
        assert_non_null(less);
        REQUIRE(scene_get_body(s, 0)->field_count == kinds[k].default_fields);
        REQUIRE(scene_get_body(less, 0)->field_count == (kinds[k].default_fields > 0 ? 2 : 0));
        REQUIRE((scene_get_body(s, 0)->fields != NULL) == (kinds[k].default_fields > 0));
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            const scene_body* body = scene_get_body(s, b);
            double r[3][3];
            double t[3];
            scene_frame(s, b, 3, r, t);
            REQUIRE(body->reduced || (r[0][0] == 1.0 && r[1][0] == 0.0 && t[0] == 0.0));
            REQUIRE(body->reduced || body->field_count == 0);
            REQUIRE(!body->reduced || body->moves);
        }
        scene_destroy(s);
        scene_destroy(less);
    }
}

// --- certificates ------------------------------------------------------------------------------

// The paper's chair in its full size (a third of that in a quick test), here and far away: its self
// query evaluates no block.
static void test_chair_at_rest_is_certified(void** state) {
    (void)state;
    scene* s = scene_create("chair", effort(6000, 0, 0), 2, 1);
    assert_non_null(s);
    const scene_body* chair = scene_get_body(s, 0);
    assert_true(chair->triangle_count > effort(5000, 17000, 17000) && chair->field_count == 10);
    abut_field fields[SCENE_MOST_FIELDS];
    for (uint32_t j = 0; j < chair->field_count; ++j) {
        const float* values = chair->fields + (size_t)3 * j * chair->vertex_count;
        fields[j] = (abut_field){abut_positions_f32(values, chair->vertex_count), NULL};
    }
    surface rest = surface_make(chair->vertex_count, chair->triangle_count);
    memcpy(rest.xyz, chair->rest, 3 * sizeof *rest.xyz * rest.vertex_count);
    memcpy(rest.triangles, chair->triangles, 3 * sizeof *rest.triangles * rest.triangle_count);
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.fields = fields;
    def.field_count = chair->field_count;
    world w = world_make(NULL, NULL);
    for (int far = 0; far < 2; ++far) {
        surface_shift(&rest, far * 1e3, 0, far * 1e3);
        const abut_body_id body = world_add(&w, &rest, &def, NULL);
        REQUIRE_OK(abut_shape_build_certificates(abut_body_shape(w.scene, body), NULL));
        abut_counters counters = {0};
        abut_collide_def query = abut_collide_def_default();
        query.head.counters = &counters;
        REQUIRE_OK(abut_collide_self(w.scene, body, &query, w.result, NULL));
        assert_int_equal(counters.pairs_found, 0);
        assert_int_equal(counters.blocks_evaluated, 0);
        assert_int_equal(counters.vertices_evaluated, 0);
        assert_true(counters.nodes_certified > 0);
    }
    surface_free(&rest);
    world_free(&w);
    scene_destroy(s);
}

// --- eigenvectors ------------------------------------------------------------------------------

static void check_eigen(uint32_t n, uint32_t seed) {
    double* a = test_alloc((size_t)n * n, sizeof *a);
    double* copy = test_alloc((size_t)n * n, sizeof *copy);
    double* vectors = test_alloc((size_t)n * n, sizeof *vectors);
    double* values = test_alloc(n, sizeof *values);
    for (uint32_t i = 0; i < n; ++i) {
        for (uint32_t k = 0; k <= i; ++k) {
            a[i * n + k] = a[k * n + i] = scene__random_in(seed, i * n + k, -1.0, 1.0);
        }
    }
    memcpy(copy, a, sizeof *a * n * n);
    scene__eigen(a, n, values, vectors);
    for (uint32_t j = 0; j < n; ++j) {
        REQUIRE(j == 0 || values[j] >= values[j - 1]);
        for (uint32_t i = 0; i < n; ++i) {
            double residual = -values[j] * vectors[i * n + j];
            double product = 0.0;  // of vectors i and j
            for (uint32_t k = 0; k < n; ++k) {
                residual += copy[i * n + k] * vectors[k * n + j];
                product += vectors[k * n + i] * vectors[k * n + j];
            }
            REQUIRE(fabs(residual) < 1e-12 * n);
            REQUIRE(fabs(product - (i == j ? 1.0 : 0.0)) < 1e-13 * n);
        }
    }
    free(a);
    free(copy);
    free(vectors);
    free(values);
}

static void test_eigenvectors_of_random_matrices(void** state) {
    (void)state;
    for (uint32_t n = 1; n <= 40; n += n < 6 ? 1 : 17) {
        for (uint32_t seed = 1; seed <= 3; ++seed) {
            where("n %u, seed %u", n, seed);
            check_eigen(n, seed);
        }
    }
}

// --- principal components ------------------------------------------------------------------------

// waves along x: no finite number of fields is exact
static void running_wave(const void* user, double time, const uint32_t* vertices, uint32_t count,
                         double* xyz) {
    (void)user;
    for (size_t i = 0; i < count; ++i) {
        const double x = 0.003 * (double)vertices[i] - time;
        xyz[3 * i] = 0.1 * sin(7.0 * time) * x;
        xyz[3 * i + 1] = exp(-20.0 * x * x);
        xyz[3 * i + 2] = 0.2 * sin(5.0 * x + time);
    }
}

// a motion of exactly three fields
static void three_fields(const void* user, double time, const uint32_t* vertices, uint32_t count,
                         double* xyz) {
    (void)user;
    for (size_t i = 0; i < count; ++i) {
        const double x = 0.003 * (double)vertices[i];
        xyz[3 * i] = x * sin(9.0 * time);
        xyz[3 * i + 1] = x * x * time;
        xyz[3 * i + 2] = cos(5.0 * x) * time * time;
    }
}

// the root mean square between the motion and its compression, over vertices and frames
static double compression_error(const pca_motion* motion, const pca_def* def, uint32_t frames,
                                uint32_t* count) {
    scene s = {.frame_count = frames};
    scene_fields fields;
    double* q = NULL;
    assert_true(scene__pca(&s, motion, def, &fields, &q));
    *count = fields.count;
    double total_sq = 0.0;
    for (uint32_t f = 0; f < frames; ++f) {
        for (uint32_t v = 0; v < motion->vertex_count; ++v) {
            double wanted[3];
            motion->displace(motion->user, scene__time(&s, f), &v, 1, wanted);
            for (size_t d = 0; d < 3; ++d) {
                double got = 0.0;
                for (size_t j = 0; j < fields.count; ++j) {
                    got += (double)fields.values[(j * motion->vertex_count + v) * 3 + d] *
                           q[f * fields.count + j];
                }
                total_sq += (got - wanted[d]) * (got - wanted[d]);
            }
        }
    }
    scene__free_all(&s);
    return sqrt(total_sq / ((double)frames * motion->vertex_count));
}

static void test_components_reproduce_what_they_can(void** state) {
    (void)state;
    // with all vertices and with some, at the sampled times and between them
    for (uint32_t samples = 200; samples <= 1000; samples += 800) {
        for (uint32_t frames = 60; frames <= 83; frames += 23) {
            where("%u samples, %u frames", samples, frames);
            const pca_motion motion = {700, three_fields, NULL};
            const pca_def def = {.fields = 8, .times = 60, .samples = samples};
            uint32_t count = 0;
            REQUIRE(compression_error(&motion, &def, frames, &count) < 1e-6);
            REQUIRE(count == 3);
        }
    }
}

static void test_error_falls_with_the_number_of_components(void** state) {
    (void)state;
    const pca_motion motion = {700, running_wave, NULL};
    double before = 10.0;
    for (uint32_t fields = 1; fields <= 16; fields *= 2) {
        where("%u fields", fields);
        const pca_def def = {.fields = fields, .times = 80, .samples = 400};
        uint32_t count = 0;
        const double error = compression_error(&motion, &def, 80, &count);
        REQUIRE(count == fields);
        REQUIRE(error < 0.9 * before);
        before = error;
    }
    REQUIRE(before < 1e-3);
}

// 30 fields represent the motion of the curtain
static void test_curtain_compresses_well(void** state) {
    (void)state;
    scene* some = scene_create_with("curtain",
                                    &(scene_options){.triangles = 1500, .seed = 1, .fields = 12});
    scene* most = scene_create_with("curtain",
                                    &(scene_options){.triangles = 1500, .seed = 1, .fields = 40});
    assert_non_null(some);
    assert_non_null(most);
    const size_t numbers = 3 * (size_t)scene_get_body(some, 0)->vertex_count;
    double* x = test_alloc(numbers, sizeof *x);
    double* y = test_alloc(numbers, sizeof *y);
    double worst = 0.0;
    double moved = 0.0;
    for (uint32_t f = 0; f < scene_frame_count(some); f += 3) {
        scene_positions(some, 0, f, x);
        scene_positions(most, 0, f, y);
        for (size_t i = 0; i < numbers; ++i) {
            worst = fmax(worst, fabs(x[i] - y[i]));
            moved = fmax(moved, fabs(y[i] - scene_get_body(most, 0)->rest[i]));
        }
    }
    assert_true(moved > 0.3);
    assert_true(worst < 0.01);
    assert_true(worst > 1e-6);  // otherwise the motion would need less than 12 fields
    free(x);
    free(y);
    scene_destroy(some);
    scene_destroy(most);
}

static void test_largest_coordinates_are_one(void** state) {
    (void)state;
    scene* s = scene_create("curtain", 600, 0, 4);
    assert_non_null(s);
    double q[SCENE_MOST_FIELDS];
    double most[SCENE_MOST_FIELDS] = {0.0};
    const uint32_t fields = scene_get_body(s, 0)->field_count;
    for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
        scene_coordinates(s, 0, f, q);
        for (uint32_t j = 0; j < fields; ++j) {
            most[j] = fmax(most[j], fabs(q[j]));
        }
    }
    for (uint32_t j = 0; j < fields; ++j) {
        assert_true(fabs(most[j] - 1.0) < 1e-6);
    }
    scene_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_positions_are_the_formula_bit_by_bit),
        cmocka_unit_test(test_frames_are_rotations),
        cmocka_unit_test(test_modes_move_visibly_but_not_wildly),
        cmocka_unit_test(test_instances_share_their_arrays),
        cmocka_unit_test(test_scenes_have_the_requested_fields),
        cmocka_unit_test(test_chair_at_rest_is_certified),
        cmocka_unit_test(test_eigenvectors_of_random_matrices),
        cmocka_unit_test(test_components_reproduce_what_they_can),
        cmocka_unit_test(test_error_falls_with_the_number_of_components),
        cmocka_unit_test(test_curtain_compresses_well),
        cmocka_unit_test(test_largest_coordinates_are_one),
    };
    return cmocka_run_group_tests(tests, NULL, free_scenes);
}
