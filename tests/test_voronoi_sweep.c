// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps with Voronoi culling find the same contacts as trees, bit for bit: between and within
// bodies, on soups and scenes, touching and far, tiny and huge, in frames that move. The bounds of
// prisms hold.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/distance.h"
#include "voronoi/prisms.h"
#include "voronoi/voronoi.h"

#include "support/everywhere.h"
#include "support/memory.h"
#include "support/scenery.h"
#include "support/swept_pairs.h"

typedef enum sweep_question { TWO, ALL, SELF, SELF_ALL } sweep_question;
#define QUERIES 4

static abut_status query_sweep(const abut_scene* in, sweep_question q, abut_body_id a,
                               abut_body_id b, const abut_sweep_def* def,
                               abut_sweep_result* result) {
    switch (q) {
        case TWO: return abut_sweep(in, a, b, def, result, NULL);
        case ALL: return abut_sweep_all(in, def, result, NULL);
        case SELF: return abut_sweep_self(in, a, def, result, NULL);
        case SELF_ALL: return abut_sweep_self_all(in, def, result, NULL);
    }
    return ABUT_ERR_INVALID_ARGUMENT;
}

static size_t compare(const world* w, sweep_question q, abut_body_id a, abut_body_id b,
                      abut_sweep_def def) {
    size_t wanted = 0;
    size_t got = 0;
    abut_sweep_result* other = NULL;
    REQUIRE_OK(abut_sweep_result_create(w->context, &other, NULL));
    def.culling.kind = ABUT_CULLING_TREE;
    REQUIRE_OK(query_sweep(w->scene, q, a, b, &def, w->swept));
    def.culling.kind = ABUT_CULLING_VORONOI;
    REQUIRE_OK(query_sweep(w->scene, q, a, b, &def, other));
    const abut_sweep_pair* x = abut_sweep_result_pairs(w->swept, &wanted);
    const abut_sweep_pair* y = abut_sweep_result_pairs(other, &got);
    if (wanted != got) {
        fail_msg("%s: %zu contacts, wanted %zu", where_text(), got, wanted);
    }
    REQUIRE(abut_sweep_result_found(w->swept) == abut_sweep_result_found(other));
    REQUIRE(got == 0 || memcmp(x, y, got * sizeof *x) == 0);
    abut_sweep_result_destroy(other);
    return got;
}

static bool odd_only(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                     uint32_t triangle_b) {
    (void)user;
    return ((body_a + triangle_a + body_b + triangle_b) & 1) != 0;
}

// a random kind of soup
static surface some_soup(test_random* random, uint32_t seed) {
    const double step = seed % 2 ? 0.25 : 0x1p-12;  // coarse: many pairs touch at the start
    surface soup = surface_soup(random, 40, seed % 3 ? 2.0 : 6.0, 0.8, step);
    if (seed % 6 == 1) {
        surface_shift(&soup, 1e5, 0, -1e6);
    }
    if (seed % 7 == 1) {
        surface_scale(&soup, seed % 14 == 1 ? 0x1p-80 : 0x1p90);
    }
    return soup;
}

static void test_soups_have_the_contacts_that_trees_find(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 1; seed <= effort(6, 40, 400); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        abut_body_id ids[4];
        const double scale = seed % 7 == 1 ? (seed % 14 == 1 ? 0x1p-80 : 0x1p90) : 1;
        for (uint32_t b = 0; b < 4; ++b) {
            surface soup = some_soup(&random, seed);
            abut_body_def def = abut_body_def_default();
            def.is_static = b == 3;
            def.mask = seed % 4 == 0 && b == 1 ? 2 : UINT64_MAX;
            ids[b] = world_add(&w, &soup, NULL, &def);
            if (seed % 5 == 0) {
                world_frame(&w, ids[b], frame_random(&random, 1.0));
            }
            if (b != 3) {
                surface_shake(&soup, &random, 0.4 * scale, scale * (seed % 2 ? 0.125 : 0x1p-10));
                world_move(&w, ids[b], soup.xyz);
            }
            if (seed % 10 == 0) {
                world_frame(&w, ids[b], frame_random(&random, 1.0));
            }
            surface_free(&soup);
        }
        abut_sweep_def def = abut_sweep_def_default();
        def.culling.grid_cells = seed % 8 == 6 ? 90 : seed % 8;
        def.filter.fn = seed % 9 == 2 ? odd_only : NULL;
        def.earliest_only = seed % 11 == 3;
        for (int margin = 0; margin < 2; ++margin) {
            def.margin = margin == 0 ? 0 : 0.05 * scale;
            for (int q = 0; q < QUERIES; ++q) {
                where("seed %u, margin %d, query %d", seed, margin, q);
                found += compare(&w, (sweep_question)q, ids[1], ids[0], def);
                found += compare(&w, (sweep_question)q, ids[0], ids[2], def);
            }
        }
        world_free(&w);
    }
    assert_true(found > 1000);
}

// several steps of a scene, with `stride` frames per step, so that bodies pass through each other
static size_t sweep_scene(const char* name, uint32_t triangles, uint32_t stride) {
    size_t found = 0;
    scene* from = scene_create(name, triangles, 9, 1);
    assert_non_null(from);
    world w = world_make(NULL, NULL);
    const uint32_t bodies = scene_body_count(from);
    abut_body_id* ids = calloc(bodies, sizeof *ids);
    assert_non_null(ids);
    for (uint32_t frame = 0; frame < effort(5, 9, 9); frame += stride) {
        for (uint32_t b = 0; b < bodies; ++b) {
            scenery_follow(&w, from, b, frame, 1, &ids[b]);
        }
        abut_sweep_def def = abut_sweep_def_default();
        for (uint32_t margin = 0; margin < 2; ++margin) {
            if (frame == 0 && effort(1, 0, 0)) {
                continue;
            }
            def.margin = margin == 0 ? 0 : 0.002;
            where("%s, frame %u, margin %u", name, frame, margin);
            found += compare(&w, ALL, ids[0], ids[0], def);
            found += compare(&w, SELF_ALL, ids[0], ids[0], def);
        }
    }
    world_free(&w);
    scene_destroy(from);
    free(ids);
    return found;
}

static void test_scenes_have_the_contacts_that_trees_find(void** state) {
    (void)state;
    const struct {
        const char* name;
        uint32_t triangles;
    } scenes[] = {{"skirt", 1500},
                  {"cloth_ball", 1500},
                  {"bowl", 800},
                  {"letters", 1000},
                  {"breaking", effort(1400, 0, 0)},
                  {"tablecloth", 1000},
                  {"crowd", 3000},
                  {"coil", 1936},
                  {"degenerate", 0},
                  {"funnel", 2000}};
    size_t found = 0;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        found += sweep_scene(scenes[i].name, scenes[i].triangles / effort(2, 1, 1), 4);
    }
    assert_true(found > 1000);
}

// ---- settings

// three soups that have just moved
static void add_soups(world* w, test_random* random, uint32_t triangles, double range,
                      double size) {
    for (int b = 0; b < 3; ++b) {
        surface soup = surface_soup(random, triangles, range, size, 0x1p-12);
        const abut_body_id id = world_add(w, &soup, NULL, NULL);
        surface_shake(&soup, random, 0.2, 0x1p-10);
        world_move(w, id, soup.xyz);
        surface_free(&soup);
    }
}

static void test_threads_change_nothing(void** state) {
    (void)state;
    reference pairs = {0};
    reference work = {0};
    everywhere at = everywhere_each((const uint32_t[]){1, 3, 5, 0}, 7);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        test_random random = random_seed(5);
        world w = world_make(&at.def, NULL);
        add_soups(&w, &random, 400, 2.0, 0.4);
        abut_sweep_def def = abut_sweep_def_default();
        def.culling.kind = ABUT_CULLING_VORONOI;
        require_same_sweep(&w, def, 0, &pairs, &work);
        world_free(&w);
    }
    reference_free(&pairs);
    reference_free(&work);
}

static void test_any_and_refused_settings(void** state) {
    (void)state;
    test_random random = random_seed(3);
    world w = world_make(NULL, NULL);
    abut_body_id ids[2];
    surface soup = surface_soup(&random, 60, 1.0, 0.5, 0x1p-12);
    for (int b = 0; b < 2; ++b) {
        ids[b] = world_add(&w, &soup, NULL, NULL);
        surface_shake(&soup, &random, 0.3, 0x1p-10);
        world_move(&w, ids[b], soup.xyz);
    }
    abut_sweep_def def = abut_sweep_def_default();
    def.culling.kind = ABUT_CULLING_VORONOI;
    def.any = true;
    where("any");
    REQUIRE_OK(abut_sweep(w.scene, ids[0], ids[1], &def, w.swept, NULL));
    REQUIRE(abut_sweep_result_found(w.swept));
    def.any = false;
    def.culling.grid_cells = 513;
    REQUIRE_STATUS(abut_sweep(w.scene, ids[0], ids[1], &def, w.swept, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    def.culling.grid_cells = 0;
    def.culling.kind = (abut_culling_kind)7;
    REQUIRE_STATUS(abut_sweep(w.scene, ids[0], ids[1], &def, w.swept, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    surface_free(&soup);
    world_free(&w);
}

// every allocation of a sweep fails once, and nothing leaks
static void test_no_memory_is_reported(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def context_def = memory_context_def(&memory);
    size_t refused = 0;
    for (size_t call = 1; call == refused + 1; ++call) {
        test_random random = random_seed(2);
        world w = world_make(&context_def, NULL);
        add_soups(&w, &random, 60, 1.0, 0.5);
        abut_sweep_def def = abut_sweep_def_default();
        def.culling.kind = ABUT_CULLING_VORONOI;
        where("call %zu", call);
        memory_fail(&memory, call, false);
        abut_status status = abut_sweep_all(w.scene, &def, w.swept, NULL);
        if (status == ABUT_OK) {
            status = abut_sweep_self_all(w.scene, &def, w.swept, NULL);
        }
        refused = memory.calls >= call ? call : refused;
        memory_fail(&memory, 0, false);
        size_t count = 0;
        (void)abut_sweep_result_pairs(w.swept, &count);
        REQUIRE(status == ABUT_OK ? count > 0 : status == ABUT_ERR_NO_MEMORY && count == 0);
        world_free(&w);
        REQUIRE(memory_clean(&memory));
    }
    assert_true(refused > 20);
    memory_destroy(&memory);
}

// ---- prisms

// At no time of a step is a pair nearer than its bound. Most separate pairs have a positive bound.
static void test_prism_bounds_hold(void** state) {
    (void)state;
    uint32_t bounded = 0;
    uint32_t apart = 0;
    for (uint32_t seed = 1; seed <= effort(4, 30, 200); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        abut__voronoi v = {0};
        surface soup = surface_soup(&random, 40, 4.0, seed % 2 ? 0.5 : 3.0, 0x1p-14);
        const abut_body_id id = world_add(&w, &soup, NULL, NULL);
        surface_shake(&soup, &random, seed % 3 ? 0.2 : 2.0, 0x1p-12);
        world_move(&w, id, soup.xyz);
        where("seed %u", seed);
        REQUIRE(abut__voronoi_begin(w.context, &v));
        REQUIRE(abut__sites_add_swept(w.context, &v.sites, abut__scene_at(w.scene, id.index)));
        REQUIRE(abut__sites_place(w.context, &v.sites, seed % 4 == 0 ? 9 : 0));
        double world_end[40][9];
        double world_start[40][9];
        for (uint32_t i = 0; i < 40; ++i) {
            abut__site_corners(&v.sites, i, 1, world_end[i]);
            abut__site_corners(&v.sites, i, 0, world_start[i]);
        }
        for (uint32_t i = 0; i < 40; ++i) {
            for (uint32_t k = 0; k < 40; ++k) {
                const abut__site* a = &v.sites.sites.data[i];
                const abut__site* b = &v.sites.sites.data[k];
                const float box = abut__box_gap(a->lo, a->hi, b->lo, b->hi);
                const float below = abut__prism_bound(&v.sites, i, k, INFINITY);
                double least = INFINITY;
                for (int instant = 0; instant <= 8 && i != k; ++instant) {
                    const double t = instant / 8.0;
                    double x[2][3][3];
                    abut_distance out;
                    for (int c = 0; c < 9; ++c) {
                        x[0][c / 3][c % 3] = (1 - t) * world_start[i][c] + t * world_end[i][c];
                        x[1][c / 3][c % 3] = (1 - t) * world_start[k][c] + t * world_end[k][c];
                    }
                    abut__triangles_distance((const double(*)[3])x[0], (const double(*)[3])x[1],
                                             &out);
                    least = fmin(least, out.distance);
                }
                REQUIRE((double)below <= least * v.sites.scale);
                apart += box == 0 && isfinite(least) && least > 0.1;
                bounded += box == 0 && isfinite(least) && least > 0.1 && below > 0;
            }
        }
        abut__voronoi_free(w.context, &v);
        surface_free(&soup);
        world_free(&w);
    }
    where("bounded %u of %u", bounded, apart);
    REQUIRE(2 * bounded > apart && apart > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups_have_the_contacts_that_trees_find),
        cmocka_unit_test(test_scenes_have_the_contacts_that_trees_find),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_any_and_refused_settings),
        cmocka_unit_test(test_no_memory_is_reported),
        cmocka_unit_test(test_prism_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
