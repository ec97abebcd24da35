// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Every scene has its documented properties: sound meshes, finite and repeatable motion, and the
// contacts on which tests and benchmarks rely. The all-pairs oracle counts contacts.

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

// sizes at which every frame of every scene can be tested
static const struct {
    const char* name;
    uint32_t triangles;
} small_scenes[] = {
    {"tablecloth", 2048}, {"curtain", 1500},  {"blobs", 2000},        {"funnel", 3600},
    {"sheet", 1152},      {"degenerate", 0},  {"coil", 1936},         {"washer", 0},
    {"washer", 8800},     {"double_cone", 0}, {"nested_sheets", 0},   {"flipped_fold", 0},
    {"chair", 800},       {"bridge", 700},    {"fish", 800},          {"brain", 1500},
    {"fishes", 800},      {"ring", 800},      {"walk", 800},          {"dress", 2400},
    {"spheres", 720},     {"drift", 1800},    {"skirt", 1200},        {"cloth_ball", 1250},
    {"bowl", 870},        {"letters", 3480},  {"breaking", 1400},     {"crowd", 5400},
    {"combs", 4500},      {"peg", 1600},      {"links", 1200},        {"cushion", 1000},
    {"pressed", 870},     {"soft_ring", 800}, {"soft_fishes", 400},   {"shirt", 2400},
    {"loose_quads", 600}, {"crossing", 800},  {"loose_patches", 600}, {"slivers", 600},
    {"boxes", 1200},      {"fan", 600},
};
#define SMALL_SCENES (sizeof small_scenes / sizeof small_scenes[0])

static scene* make_small(size_t i, uint32_t seed) {
    scene* s = scene_create(small_scenes[i].name, small_scenes[i].triangles, 0, seed);
    assert_non_null(s);
    return s;
}

// scenes of seed 1, made once for all tests
static scene* cached[SMALL_SCENES];

static const scene* small_scene(size_t i) {
    if (cached[i] == NULL) {
        cached[i] = make_small(i, 1);
    }
    return cached[i];
}

static int free_cached(void** state) {
    (void)state;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        scene_destroy(cached[i]);
    }
    return 0;
}

static double* positions_of(const scene* s, uint32_t body, uint32_t frame) {
    double* xyz = malloc(3 * (size_t)scene_get_body(s, body)->vertex_count * sizeof *xyz);
    assert_non_null(xyz);
    scene_positions(s, body, frame, xyz);
    return xyz;
}

static size_t self_pairs(const scene* s, uint32_t body, uint32_t frame) {
    const scene_body* b = scene_get_body(s, body);
    double* xyz = positions_of(s, body, frame);
    const size_t count = brute_self(xyz, b->triangles, b->triangle_count, NULL, 0.0,
                                    abut__triangles_touch, NULL);
    free(xyz);
    return count;
}

static size_t pairs_between(const scene* s, uint32_t body_a, uint32_t body_b, uint32_t frame) {
    const scene_body* a = scene_get_body(s, body_a);
    const scene_body* b = scene_get_body(s, body_b);
    double* p = positions_of(s, body_a, frame);
    double* q = positions_of(s, body_b, frame);
    const size_t count = brute_collide(p, a->triangles, a->triangle_count, q, b->triangles,
                                       b->triangle_count, 0.0, abut__triangles_touch, NULL);
    free(p);
    free(q);
    return count;
}

// a hash over the bits of every body's positions
static uint64_t hash_frame(const scene* s, uint32_t frame) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t b = 0; b < scene_body_count(s); ++b) {
        double* xyz = positions_of(s, b, frame);
        const size_t count = 3 * (size_t)scene_get_body(s, b)->vertex_count;
        for (size_t i = 0; i < count; ++i) {
            uint64_t bits;
            memcpy(&bits, &xyz[i], sizeof bits);
            hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
            hash ^= hash >> 32;  // a product carries only to higher bits
        }
        free(xyz);
    }
    return hash;
}

static void test_catalogue_lists_every_scene_once(void** state) {
    (void)state;
    size_t count = 0;
    const scene_kind* kinds = scene_kinds(&count);
    for (size_t i = 0; i < count; ++i) {
        assert_true(strlen(kinds[i].about) > 0);
        assert_true(kinds[i].default_frames > 0 && kinds[i].default_triangles > 0);
        for (size_t j = 0; j < i; ++j) {
            assert_string_not_equal(kinds[i].name, kinds[j].name);
        }
        size_t tested = 0;
        for (size_t j = 0; j < SMALL_SCENES; ++j) {
            tested += strcmp(kinds[i].name, small_scenes[j].name) == 0 ? 1 : 0;
        }
        assert_true(tested > 0);
    }
    assert_null(scene_create("no such scene", 0, 0, 0));
    assert_null(scene_create("", 0, 0, 0));
    scene_destroy(NULL);
}

static void assert_size(const char* name, uint32_t triangles, uint32_t body, uint32_t expected) {
    scene* s = scene_create(name, triangles, 0, 1);
    assert_non_null(s);
    assert_int_equal(scene_get_body(s, body)->triangle_count, expected);
    scene_destroy(s);
}

// within 3 %, for surfaces of solids
static void assert_about(const char* name, uint32_t triangles, uint32_t expected) {
    scene* s = scene_create(name, triangles, 0, 1);
    assert_non_null(s);
    const double ratio = (double)scene_get_body(s, 0)->triangle_count / (double)expected;
    assert_true(fabs(ratio - 1.0) < 0.03);
    scene_destroy(s);
}

// the sizes at which the peers were measured
static void test_sizes_are_those_of_the_peers(void** state) {
    (void)state;
    assert_size("tablecloth", 2048, 0, 2048);
    assert_size("tablecloth", 0, 0, 16200);
    assert_size("tablecloth", 64082, 0, 64082);
    assert_size("tablecloth", 0, 1, 3072);
    assert_size("curtain", 0, 0, 12012);
    assert_size("curtain", 0, 1, 2000);
    assert_about("walk", 0, 30000);
    if (effort(0, 1, 1)) {  // these take long to make
        assert_about("chair", 0, 17914);
        assert_about("bridge", 0, 60000);
        assert_about("fish", 0, 24776);
        assert_about("ring", 0, 91360);
        assert_about("dress", 0, 64000);
        assert_about("shirt", 0, 32000);
    }
    assert_size("spheres", 2000, 1, 2000);
    assert_size("spheres", 0, 0, 9680);
    assert_size("drift", 0, 0, 20000);
    assert_size("blobs", 0, 0, 20480);
    assert_size("blobs", 162000, 1, 162000);
    assert_size("skirt", 0, 0, 12000);
    assert_size("loose_quads", 0, 1, 20000);
    assert_size("loose_patches", 0, 0, 10000);
    assert_size("slivers", 0, 1, 10000);
    assert_size("crossing", 0, 0, 10082);
    assert_size("boxes", 0, 999, 12);
    assert_size("fan", 0, 0, 10000);
    assert_size("cloth_ball", 0, 0, 15138);
    assert_size("crowd", 0, 1999, 200);
    assert_size("funnel", 0, 0, 180);
    assert_size("funnel", 0, 1, 180);
    assert_size("funnel", 0, 199, 180);
    assert_size("funnel", 0, 200, 2304);
}

static void test_frames_can_be_chosen(void** state) {
    (void)state;
    scene* s = scene_create("tablecloth", 200, 7, 1);
    assert_non_null(s);
    assert_int_equal(scene_frame_count(s), 7);
    scene_destroy(s);
    s = scene_create("coil", 200, 1, 1);
    assert_non_null(s);
    assert_int_equal(scene_frame_count(s), 1);
    hash_frame(s, 0);
    scene_destroy(s);
}

static void test_smallest_scenes_exist(void** state) {
    (void)state;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        scene* s = scene_create(small_scenes[i].name, 1, 2, 1);
        assert_non_null(s);
        assert_true(scene_get_body(s, 0)->triangle_count > 0);
        hash_frame(s, 1);
        scene_destroy(s);
    }
}

static void test_triangles_name_three_vertices(void** state) {
    (void)state;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        const scene* s = small_scene(i);
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            const scene_body* body = scene_get_body(s, b);
            assert_true(body->triangle_count > 0 && body->name != NULL);
            for (size_t t = 0; t < body->triangle_count; ++t) {
                const uint32_t* v = body->triangles + 3 * t;
                assert_true(v[0] < body->vertex_count && v[1] < body->vertex_count &&
                            v[2] < body->vertex_count);
                assert_true(v[0] != v[1] && v[1] != v[2] && v[2] != v[0]);
            }
        }
    }
}

// welding by rest position must join only vertices that the triangles share
static void test_rest_vertices_are_apart(void** state) {
    (void)state;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        const scene* s = small_scene(i);
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            const scene_body* body = scene_get_body(s, b);
            uint32_t* classes = malloc(body->vertex_count * sizeof *classes);
            assert_non_null(classes);
            brute_classes(body->rest, body->vertex_count, classes);
            for (uint32_t v = 0; v < body->vertex_count; ++v) {
                assert_int_equal(classes[v], v);
            }
            free(classes);
        }
    }
}

static void test_positions_are_finite(void** state) {
    (void)state;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        const scene* s = small_scene(i);
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            const size_t count = 3 * (size_t)scene_get_body(s, b)->vertex_count;
            for (uint32_t f = 0; f < scene_frame_count(s); f += effort(3, 1, 1)) {
                double* xyz = positions_of(s, b, f);
                for (size_t k = 0; k < count; ++k) {
                    assert_true(fabs(xyz[k]) < 100.0);  // NaN and infinity fail too
                }
                free(xyz);
            }
        }
    }
}

static void test_same_seed_gives_same_bits_in_any_order(void** state) {
    (void)state;
    for (size_t i = 0; i < SMALL_SCENES; i += effort(3, 1, 1)) {
        const scene* s = small_scene(i);
        scene* again = make_small(i, 1);
        const uint32_t frames = scene_frame_count(s);
        uint64_t* hashes = malloc(frames * sizeof *hashes);
        assert_non_null(hashes);
        for (uint32_t f = 0; f < frames; ++f) {
            hashes[f] = hash_frame(s, f);
            assert_true(f == 0 || hashes[f] != hashes[f - 1]);
        }
        for (uint32_t f = frames; f-- > 0;) {
            assert_true(hash_frame(again, f) == hashes[f]);
        }
        free(hashes);
        scene_destroy(again);
    }
}

static void test_seed_changes_motion_but_not_size(void** state) {
    (void)state;
    for (size_t i = effort(1, 0, 0); i < SMALL_SCENES; i += effort(3, 1, 1)) {
        const scene* s = small_scene(i);
        scene* other = make_small(i, 2);
        uint32_t pairs;
        const bool exact_case = scene_expected_pairs(s, 0, &pairs);
        assert_int_equal(scene_body_count(s), scene_body_count(other));
        assert_int_equal(scene_get_body(s, 0)->triangle_count,
                         scene_get_body(other, 0)->triangle_count);
        const uint32_t last = scene_frame_count(s) - 1;
        assert_true((hash_frame(s, last) == hash_frame(other, last)) == exact_case);
        scene_destroy(other);
    }
}

static void test_only_moving_bodies_move(void** state) {
    (void)state;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        const scene* s = small_scene(i);
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            const scene_body* body = scene_get_body(s, b);
            const size_t bytes = 3 * (size_t)body->vertex_count * sizeof(double);
            bool moved = false;
            double* first = positions_of(s, b, 0);
            for (uint32_t f = 1; f < scene_frame_count(s); ++f) {
                double* xyz = positions_of(s, b, f);
                moved = moved || memcmp(xyz, first, bytes) != 0;
                free(xyz);
            }
            assert_true(moved == body->moves);
            assert_true(body->moves || memcmp(first, body->rest, bytes) == 0);
            free(first);
        }
    }
}

static int compare_edges(const void* left, const void* right) {
    const uint64_t l = *(const uint64_t*)left;
    const uint64_t r = *(const uint64_t*)right;
    return (l > r) - (l < r);
}

// each directed edge exists once, and so does its reverse
static void assert_watertight(const scene_body* body) {
    const size_t count = 3 * (size_t)body->triangle_count;
    uint64_t* edges = malloc(2 * count * sizeof *edges);
    assert_non_null(edges);
    uint64_t* reversed = edges + count;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t from = body->triangles[i];
        const uint64_t to = body->triangles[i % 3 == 2 ? i - 2 : i + 1];
        edges[i] = from << 32 | to;
        reversed[i] = to << 32 | from;
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    qsort(reversed, count, sizeof *reversed, compare_edges);
    for (size_t i = 0; i < count; ++i) {
        assert_true(edges[i] == reversed[i]);
        assert_true(i == 0 || edges[i] != edges[i - 1]);
    }
    free(edges);
}

static double volume_of(const scene_body* body, const double* xyz) {
    double six = 0.0;
    for (size_t t = 0; t < body->triangle_count; ++t) {
        const double* a = xyz + 3 * (size_t)body->triangles[3 * t];
        const double* b = xyz + 3 * (size_t)body->triangles[3 * t + 1];
        const double* c = xyz + 3 * (size_t)body->triangles[3 * t + 2];
        six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return six / 6.0;
}

static void test_closed_bodies_are_watertight_and_face_outward(void** state) {
    (void)state;
    uint32_t closed = 0;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        const scene* s = small_scene(i);
        for (uint32_t b = 0; b < scene_body_count(s); ++b) {
            const scene_body* body = scene_get_body(s, b);
            if (!body->closed) {
                continue;
            }
            closed += 1;
            assert_watertight(body);
            for (uint32_t f = 0; f < scene_frame_count(s); f += 7) {
                double* xyz = positions_of(s, b, f);
                assert_true(volume_of(body, xyz) > 0.0);
                free(xyz);
            }
        }
    }
    assert_true(closed > 20);
}

// every case whose number of pairs is known by construction, by the exact predicate
static void test_known_cases_have_their_pairs(void** state) {
    (void)state;
    uint32_t known = 0;
    for (size_t i = 0; i < SMALL_SCENES; ++i) {
        const scene* s = small_scene(i);
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            uint32_t expected = UINT32_MAX;
            if (!scene_expected_pairs(s, f, &expected)) {
                assert_int_equal(expected, UINT32_MAX);
                continue;
            }
            known += 1;
            const size_t found = scene_body_count(s) == 1 ? self_pairs(s, 0, f)
                                                          : pairs_between(s, 0, 1, f);
            if (found != expected) {
                fail_msg("%s, frame %u (%s): %zu pairs, expected %u", small_scenes[i].name, f,
                         scene_frame_name(s, f), found, expected);
            }
        }
    }
    assert_true(known >= 15 + 5 * 4);
}

// the tablecloth starts free, then touches the table in most frames, then itself
static void test_tablecloth_lands_drapes_and_folds(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 3, 3); ++seed) {
        scene* s = scene_create("tablecloth", 2048, 0, seed);
        assert_non_null(s);
        uint32_t many = 0;
        size_t most_self = 0;
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            const size_t table = pairs_between(s, 0, 1, f);
            const size_t self = self_pairs(s, 0, f);
            assert_true(f >= 5 || (table == 0 && self == 0));
            many += table >= 100 ? 1 : 0;
            most_self = self > most_self ? self : most_self;
        }
        assert_true(many >= 25);
        assert_true(most_self >= 100);
        scene_destroy(s);
    }
}

static void test_curtain_is_hit_and_has_tight_pleats(void** state) {
    (void)state;
    scene* s = scene_create("curtain", 3000, 0, 1);
    assert_non_null(s);
    uint32_t hit = 0;
    size_t most_self = 0;
    for (uint32_t f = 0; f < scene_frame_count(s); f += 3) {
        const size_t ball = pairs_between(s, 0, 1, f);
        const size_t self = self_pairs(s, 0, f);
        assert_true(ball == 0 || (f > 10 && f < 100));
        hit += ball >= 50 ? 1 : 0;
        most_self = self > most_self ? self : most_self;
        assert_int_equal(self_pairs(s, 1, f), 0);
    }
    assert_true(hit >= 5);
    assert_true(most_self >= 10);
    scene_destroy(s);
}

// free at first, then on the ground and the other chair; the surface at rest is free of
// self-contact
static void test_chair_falls_on_another(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 3, 3); ++seed) {
        scene* s = scene_create("chair", 3000, 45, seed);
        assert_non_null(s);
        const scene_body* chair = scene_get_body(s, 0);
        uint32_t ground = 0;
        uint32_t other = 0;
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            ground += pairs_between(s, 0, 2, f) > 0 ? 1 : 0;
            other += pairs_between(s, 0, 1, f) > 0 ? 1 : 0;
            assert_true(f > 5 || (ground == 0 && other == 0));
        }
        assert_true(ground >= 2);
        assert_true(other >= 3);
        assert_int_equal(brute_self(chair->rest, chair->triangles, chair->triangle_count, NULL, 0.0,
                                    abut__triangles_touch, NULL),
                         0);
        scene_destroy(s);
    }
}

// the boulder starts free of the bridge at rest and touches it again and again
static void test_bridge_sways_against_the_boulder(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 3, 3); ++seed) {
        scene* s = scene_create("bridge", 8000, 18, seed);
        assert_non_null(s);
        uint32_t hit = 0;
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            hit += pairs_between(s, 0, 1, f) > 0 ? 1 : 0;
        }
        assert_true(hit >= 3 && hit < scene_frame_count(s));
        assert_int_equal(self_pairs(s, 0, 0), 0);
        scene_destroy(s);
    }
}

static void test_fish_brush_each_other_at_the_hoop(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 3, 3); ++seed) {
        scene* s = scene_create("fish", 4000, 0, seed);
        assert_non_null(s);
        const uint32_t last = scene_frame_count(s) - 1;
        uint32_t touching = 0;
        for (uint32_t f = 0; f <= last; ++f) {
            touching += pairs_between(s, 0, 1, f) > 0 ? 1 : 0;
            assert_true(touching == 0 || f > last / 4);
        }
        assert_true(touching >= 3);
        assert_int_equal(pairs_between(s, 0, 1, last), 0);
        assert_int_equal(self_pairs(s, 0, last / 2), 0);
        scene_destroy(s);
    }
}

static void test_blobs_meet_only_each_other(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 3, 3); ++seed) {
        scene* s = scene_create("blobs", 2000, 0, seed);
        assert_non_null(s);
        const uint32_t last = scene_frame_count(s) - 1;
        assert_int_equal(pairs_between(s, 0, 1, 0), 0);
        assert_true(pairs_between(s, 0, 1, last) >= 100);
        for (uint32_t f = 0; f <= last; f += 4) {
            assert_int_equal(self_pairs(s, 0, f), 0);
            assert_int_equal(self_pairs(s, 1, f), 0);
        }
        scene_destroy(s);
    }
}

static void test_funnel_is_crowded(void** state) {
    (void)state;
    scene* s = scene_create("funnel", 3600, 0, 1);
    assert_non_null(s);
    const uint32_t bodies = scene_body_count(s);
    assert_int_equal(bodies, 21);
    size_t touching = 0;
    size_t wall = 0;
    for (uint32_t f = 0; f < scene_frame_count(s); f += 10) {
        for (uint32_t a = 0; a < bodies; ++a) {
            for (uint32_t b = a + 1; b < bodies; ++b) {
                const size_t pairs = pairs_between(s, a, b, f);
                touching += pairs > 0 && b != bodies - 1 ? 1 : 0;
                wall += pairs > 0 && b == bodies - 1 ? 1 : 0;
            }
        }
        assert_int_equal(self_pairs(s, 0, f), 0);
    }
    assert_true(touching >= 50);
    assert_true(wall >= 10);
    scene_destroy(s);
}

static void test_sheet_never_meets_itself(void** state) {
    (void)state;
    scene* s = scene_create("sheet", 1152, 0, 1);
    assert_non_null(s);
    for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
        assert_int_equal(self_pairs(s, 0, f), 0);
    }
    scene_destroy(s);
}

static void test_coil_starts_flat_and_passes_through_itself(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(2, 8, 8); ++seed) {
        scene* s = scene_create("coil", 1936, 0, seed);
        assert_non_null(s);
        const uint32_t last = scene_frame_count(s) - 1;
        assert_int_equal(self_pairs(s, 0, 0), 0);
        assert_true(self_pairs(s, 0, last / 2) >= 30);
        assert_true(self_pairs(s, 0, last) >= 100);
        scene_destroy(s);
    }
}

// every loose quad flies to a new place, so that what was near is no longer
static void test_loose_pieces_fly_apart(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(2, 5, 20); ++seed) {
        scene* s = scene_create("loose_quads", 800, 0, seed);
        assert_non_null(s);
        double* first = positions_of(s, 0, 0);
        double* last = positions_of(s, 0, scene_frame_count(s) - 1);
        const uint32_t pieces = scene_get_body(s, 0)->vertex_count / 4;
        double sum = 0.0;
        for (size_t k = 0; k < pieces; ++k) {
            double square = 0.0;
            for (size_t d = 12 * k; d < 12 * k + 3; ++d) {
                square += (last[d] - first[d]) * (last[d] - first[d]);
            }
            sum += sqrt(square);
        }
        if (!(sum / pieces > 0.5)) {  // two random points of a unit cube: 0.66
            fail_msg("seed %u: quads move by %g on average", seed, sum / pieces);
        }
        free(first);
        free(last);
        scene_destroy(s);
    }
}

static double edge_length(const double* p, const double* q) {
    return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                (p[2] - q[2]) * (p[2] - q[2]));
}

static void test_slivers_are_a_hundred_times_as_long_as_wide(void** state) {
    (void)state;
    scene* s = scene_create("slivers", 500, 0, 1);
    assert_non_null(s);
    double* xyz = positions_of(s, 1, scene_frame_count(s) / 2);
    for (size_t t = 0; t < scene_get_body(s, 1)->triangle_count; ++t) {
        const double* p = xyz + 9 * t;
        assert_true(fabs(edge_length(p, p + 3) / edge_length(p + 3, p + 6) - 100.0) < 1.0);
    }
    free(xyz);
    scene_destroy(s);
}

static void test_crossing_sheets_cross_all_over(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(2, 5, 20); ++seed) {
        scene* s = scene_create("crossing", 800, 5, seed);
        assert_non_null(s);
        for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
            const size_t pairs = pairs_between(s, 0, 1, f);
            if (pairs < 400) {
                fail_msg("seed %u, frame %u: only %zu pairs", seed, f, pairs);
            }
        }
        scene_destroy(s);
    }
}

static void test_fan_has_one_vertex_in_common(void** state) {
    (void)state;
    scene* s = scene_create("fan", 500, 4, 1);
    assert_non_null(s);
    const scene_body* body = scene_get_body(s, 0);
    for (size_t t = 0; t < body->triangle_count; ++t) {
        assert_int_equal(body->triangles[3 * t], 0);
    }
    for (uint32_t f = 0; f < 4; ++f) {
        assert_int_equal(self_pairs(s, 0, f), 0);
    }
    scene_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_catalogue_lists_every_scene_once),
        cmocka_unit_test(test_sizes_are_those_of_the_peers),
        cmocka_unit_test(test_frames_can_be_chosen),
        cmocka_unit_test(test_smallest_scenes_exist),
        cmocka_unit_test(test_triangles_name_three_vertices),
        cmocka_unit_test(test_rest_vertices_are_apart),
        cmocka_unit_test(test_positions_are_finite),
        cmocka_unit_test(test_same_seed_gives_same_bits_in_any_order),
        cmocka_unit_test(test_seed_changes_motion_but_not_size),
        cmocka_unit_test(test_only_moving_bodies_move),
        cmocka_unit_test(test_closed_bodies_are_watertight_and_face_outward),
        cmocka_unit_test(test_known_cases_have_their_pairs),
        cmocka_unit_test(test_loose_pieces_fly_apart),
        cmocka_unit_test(test_slivers_are_a_hundred_times_as_long_as_wide),
        cmocka_unit_test(test_crossing_sheets_cross_all_over),
        cmocka_unit_test(test_fan_has_one_vertex_in_common),
        cmocka_unit_test(test_tablecloth_lands_drapes_and_folds),
        cmocka_unit_test(test_curtain_is_hit_and_has_tight_pleats),
        cmocka_unit_test(test_chair_falls_on_another),
        cmocka_unit_test(test_bridge_sways_against_the_boulder),
        cmocka_unit_test(test_fish_brush_each_other_at_the_hoop),
        cmocka_unit_test(test_blobs_meet_only_each_other),
        cmocka_unit_test(test_funnel_is_crowded),
        cmocka_unit_test(test_sheet_never_meets_itself),
        cmocka_unit_test(test_coil_starts_flat_and_passes_through_itself),
    };
    return cmocka_run_group_tests(tests, NULL, free_cached);
}
