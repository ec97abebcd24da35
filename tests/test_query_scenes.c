// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collision and self-collision in every frame of every scene, against the all-pairs oracle: with
// the exact predicate, and on smaller scenes with rationals. Boxes and trees are validated, too.
// Some large scenes are compared with the sweep, which uses no trees.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/scenery.h"

static scenery stage_make(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed) {
    return scenery_make(scene_create(name, triangles, frames, seed), NULL);
}

// checks the number of pairs where it is known by construction
static void check_known_count(const scenery* s, uint32_t frame) {
    uint32_t wanted = 0;
    if (!scene_expected_pairs(s->source, frame, &wanted)) {
        return;
    }
    const world* w = &s->world;
    REQUIRE_OK(s->count == 1
                   ? abut_collide_self(w->scene, s->body[0], NULL, w->result, NULL)
                   : abut_collide(w->scene, s->body[0], s->body[1], NULL, w->result, NULL));
    size_t count = 0;
    (void)abut_collide_result_pairs(w->result, &count);
    assert_int_equal(count, wanted);
}

static const struct {
    const char* name;
    uint32_t triangles;
    uint32_t frames;
    bool each_pair;  // also each two bodies by themselves
    bool contact;    // requires some contact, so that the scene tests something
} small_scenes[] = {
    {"tablecloth", 1152, 0, true, true}, {"curtain", 1000, 0, true, true},
    {"blobs", 1000, 0, true, true},      {"funnel", 2000, 12, false, true},
    {"sheet", 800, 0, true, false},      {"degenerate", 0, 0, true, true},
    {"coil", 1000, 0, true, true},       {"washer", 0, 0, true, true},
    {"washer", 8800, 0, true, true},     {"double_cone", 0, 0, true, true},
    {"nested_sheets", 0, 0, true, true}, {"flipped_fold", 0, 0, true, true},
    {"chair", 1000, 30, true, true},     {"bridge", 1500, 12, true, true},
    {"fish", 1000, 20, true, true},      {"ring", 800, 8, false, true},
    {"walk", 1500, 12, true, true},      {"dress", 1500, 12, true, true},
    {"spheres", 720, 20, true, true},    {"drift", 1800, 12, true, true},
    {"loose_quads", 800, 8, true, true}, {"loose_patches", 800, 8, true, true},
    {"slivers", 800, 8, true, true},     {"crossing", 800, 8, true, true},
    {"boxes", 600, 8, false, true},      {"fan", 600, 8, true, false},
};
#define SMALL_SCENES (sizeof small_scenes / sizeof small_scenes[0])

static size_t check_frame(scenery* s, bool each_pair) {
    const world* w = &s->world;
    size_t found = check_collide_all(w, NULL);
    found += check_self_all(w, NULL);
    for (uint32_t a = 0; a < s->count && each_pair; ++a) {
        found += check_self(w, s->body[a], NULL);
        for (uint32_t b = 0; b < s->count; ++b) {
            found += a != b ? check_between(w, s->body[a], s->body[b], NULL) : 0;
        }
    }
    return found;
}

static void test_every_frame_of_every_scene(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 1, 5); ++seed) {
        for (size_t i = 0; i < SMALL_SCENES; ++i) {
            scenery s = stage_make(small_scenes[i].name, small_scenes[i].triangles,
                                   small_scenes[i].frames, seed);
            size_t found = 0;
            for (uint32_t f = 0; f < scene_frame_count(s.source); f += effort(3, 1, 1)) {
                where("scene %s %u, seed %u, frame %u (%s)", small_scenes[i].name,
                      small_scenes[i].triangles, seed, f, scene_frame_name(s.source, f));
                scenery_set_frame(&s, f);
                scenery_validate(&s);
                found += check_frame(&s, small_scenes[i].each_pair);
                check_known_count(&s, f);
            }
            REQUIRE(found > 0 || !small_scenes[i].contact);
            REQUIRE(found == 0 || strcmp(small_scenes[i].name, "sheet") != 0);
            scenery_free(&s);
        }
    }
}

// the rational oracle is slow: few triangles, few frames
static void test_scenes_against_rationals(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
        uint32_t frames;
    } cases[] = {{"tablecloth", 300, 6}, {"curtain", 300, 6},   {"blobs", 300, 6},
                 {"funnel", 700, 4},     {"coil", 300, 6},      {"degenerate", 0, 0},
                 {"washer", 0, 0},       {"double_cone", 0, 0}, {"nested_sheets", 0, 0},
                 {"flipped_fold", 0, 0}};
    const oracle exact = {.rational = true};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        scenery s = stage_make(cases[i].name, cases[i].triangles, cases[i].frames, 3);
        const world* w = &s.world;
        for (uint32_t f = 0; f < scene_frame_count(s.source); f += effort(2, 1, 1)) {
            where("scene %s %u, frame %u", cases[i].name, cases[i].triangles, f);
            scenery_set_frame(&s, f);
            scenery_validate(&s);
            pair_list between = oracle_collide_all(w->scene, &exact);
            REQUIRE_OK(abut_collide_all(w->scene, NULL, w->result, NULL));
            require_pairs(w->result, &between, "collide_all");
            pair_list within = oracle_self_all(w->scene, &exact);
            REQUIRE_OK(abut_collide_self_all(w->scene, NULL, w->result, NULL));
            require_pairs(w->result, &within, "self_all");
            pairs_free(&between);
            pairs_free(&within);
        }
        scenery_free(&s);
    }
}

static void check_large(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed) {
    scenery s = stage_make(name, triangles, frames, seed);
    size_t found = 0;
    for (uint32_t f = 0; f < scene_frame_count(s.source); ++f) {
        where("scene %s %u of %u frames, seed %u, frame %u", name, triangles, frames, seed, f);
        scenery_set_frame(&s, f);
        scenery_validate(&s);
        found += check_collide_all(&s.world, NULL);
        found += check_self_all(&s.world, NULL);
    }
    REQUIRE(found > 0);
    scenery_free(&s);
}

static void test_large_tablecloth(void** state) {
    (void)state;
    check_large("tablecloth", effort(16000, 64000, 250000), effort(2, 3, 8), 2);
}

static void test_large_blobs(void** state) {
    (void)state;
    check_large("blobs", effort(20000, 80000, 160000), effort(2, 3, 8), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_frame_of_every_scene),
        cmocka_unit_test(test_scenes_against_rationals),
        cmocka_unit_test(test_large_tablecloth),
        cmocka_unit_test(test_large_blobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
