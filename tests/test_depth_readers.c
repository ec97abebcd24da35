// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Depth queries beside other readers: several threads query depths, pairs and distances of the same
// bodies at once, in states without earlier queries. Answers are those of one thread. Also built
// with a thread sanitizer.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fields.h"
#include "support/world.h"

enum { READERS = 4, FIELDS = 3 };

typedef struct stage {
    world w;
    surface s[2];
    abut_body_id body[2];
} stage;

// a free body and a modal one
static stage stage_make(uint64_t seed) {
    stage g = {.w = world_make(NULL, NULL)};
    test_random random = random_seed(seed);
    motion_def def = motion_def_default();
    def.block_triangles = 8;
    for (int i = 0; i < 2; ++i) {
        g.s[i] = surface_ball(12, 14, 1);
        surface_shift(&g.s[i], 1.2 * i, 0.1 * i, 0);
    }
    g.body[0] = world_add(&g.w, &g.s[0], &def, NULL);
    field_set f = make_fields(&random, &g.s[1], FIELDS, 0.1, ABUT_SCALAR_F64, true);
    g.body[1] = add_modal(&g.w, &g.s[1], &f, 8);
    free_fields(&f);
    return g;
}

static void stage_step(stage* g, test_random* random) {
    double q[FIELDS];
    surface moved = surface_copy(&g->s[0]);
    surface_shake(&moved, random, 0.02, 0x1p-20);
    REQUIRE_OK(abut_body_set_positions(g->w.scene, g->body[0],
                                       abut_positions_f64(moved.xyz, moved.vertex_count), NULL));
    surface_free(&moved);
    random_coordinates(random, q, FIELDS, 0.5);
    set_coordinates(&g->w, g->body[1], q, FIELDS);
}

static void stage_free(stage* g) {
    world_free(&g->w);
    surface_free(&g->s[0]);
    surface_free(&g->s[1]);
}

typedef struct reader {
    const stage* stage;
    int first;
    abut_region region;  // of a new region, which depends on no earlier call
    size_t regions;
    uint64_t pairs;
    bool failed;
} reader;

static void read_depth(reader* r) {
    abut_depth_result* depths = NULL;
    size_t count = 0;
    const stage* g = r->stage;
    r->failed |= abut_depth_result_create(g->w.context, &depths, NULL) != ABUT_OK ||
                 abut_depth(g->w.scene, g->body[0], g->body[1], NULL, depths, NULL) != ABUT_OK;
    const abut_region* found = r->failed ? NULL : abut_depth_result_regions(depths, &count);
    r->regions = count;
    if (count > 0) {
        memcpy(&r->region, found, sizeof r->region);
    }
    abut_depth_result_destroy(depths);
}

static void read_pairs(reader* r) {
    abut_collide_result* result = NULL;
    size_t count = 0;
    const stage* g = r->stage;
    r->failed |= abut_collide_result_create(g->w.context, &result, NULL) != ABUT_OK ||
                 abut_collide(g->w.scene, g->body[0], g->body[1], NULL, result, NULL) != ABUT_OK;
    const abut_pair* pairs = r->failed ? NULL : abut_collide_result_pairs(result, &count);
    r->pairs = pairs_hash(pairs, count);
    abut_collide_result_destroy(result);
}

// no cmocka in here: it supports one thread only
static void* read_scene(void* argument) {
    reader* r = argument;
    if (r->first % 2 == 0) {
        read_depth(r);
        read_pairs(r);
    } else {
        read_pairs(r);
        read_depth(r);
    }
    return NULL;
}

static bool same_region(const abut_region* a, const abut_region* b) {
    return memcmp(a->direction, b->direction, sizeof a->direction) == 0 && a->depth == b->depth &&
           a->lower == b->lower && a->upper == b->upper && a->pair_count == b->pair_count &&
           a->inside_a_count == b->inside_a_count && a->inside_b_count == b->inside_b_count;
}

static void test_depth_beside_other_readers(void** state) {
    (void)state;
    size_t regions = 0;
    for (uint64_t seed = 1; seed <= effort(3, 10, 100); ++seed) {
        stage alone = stage_make(seed);
        stage many = stage_make(seed);
        test_random random[2] = {random_seed(seed), random_seed(seed)};
        for (int step = 0; step < 3; ++step) {
            stage_step(&alone, &random[0]);
            stage_step(&many, &random[1]);
            reader wanted = {.stage = &alone};
            (void)read_scene(&wanted);
            where("seed %llu, step %d", (unsigned long long)seed, step);
            REQUIRE(!wanted.failed);
            static reader readers[READERS];
            pthread_t threads[READERS];
            for (int i = 0; i < READERS; ++i) {
                readers[i] = (reader){.stage = &many, .first = i};
                assert_int_equal(pthread_create(&threads[i], NULL, read_scene, &readers[i]), 0);
            }
            for (int i = 0; i < READERS; ++i) {
                assert_int_equal(pthread_join(threads[i], NULL), 0);
                REQUIRE(!readers[i].failed && readers[i].pairs == wanted.pairs &&
                        readers[i].regions == wanted.regions);
                REQUIRE(wanted.regions == 0 || same_region(&readers[i].region, &wanted.region));
            }
            regions += wanted.regions;
        }
        stage_free(&alone);
        stage_free(&many);
    }
    REQUIRE(regions > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_depth_beside_other_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
