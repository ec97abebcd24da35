// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proximity by Voronoi culling gives the distance pairs of trees, bit for bit: distances, ids,
// witnesses; for all queries, resolutions, numbers of threads and instruction sets, and while
// bodies break.

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
#include "support/scenery.h"
#include "support/solids.h"

typedef enum nearest_query { TWO, ALL, TRIANGLES, SELF, WITHIN_ALL, WITHIN_SELF } nearest_query;
#define QUERIES 6

// results of both kinds of query
typedef struct near_results {
    abut_nearest_result* nearest;
    abut_within_result* within;
} near_results;

// a limit that is infinite means 0.3 for the queries that need one
static abut_status query_nearest(const abut_scene* in, nearest_query q, abut_body_id a,
                                 abut_body_id b, const abut_nearest_def* def,
                                 const near_results* r) {
    abut_within_def within = abut_within_def_default();
    within.head.counters = def->head.counters;
    within.distance = isfinite(def->max_distance) ? def->max_distance : 0.3;
    within.filter = def->filter;
    within.culling = def->culling;
    switch (q) {
        case TWO: return abut_nearest(in, a, b, def, r->nearest, NULL);
        case ALL: return abut_nearest_all(in, def, r->nearest, NULL);
        case TRIANGLES: return abut_nearest_triangles(in, a, def, r->nearest, NULL);
        case SELF: return abut_nearest_self(in, a, def, r->nearest, NULL);
        case WITHIN_ALL: return abut_within_all(in, &within, r->within, NULL);
        case WITHIN_SELF: return abut_within_self(in, a, &within, r->within, NULL);
    }
    return ABUT_ERR_INVALID_ARGUMENT;
}

static const abut_distance_pair* pairs_of(nearest_query q, const near_results* r, size_t* count) {
    const bool within = q >= WITHIN_ALL;
    REQUIRE(
        (within ? abut_within_result_found(r->within) : abut_nearest_result_found(r->nearest)) ==
        ((within ? abut_within_result_pairs(r->within, count)
                 : abut_nearest_result_pairs(r->nearest, count)) != NULL));
    return within ? abut_within_result_pairs(r->within, count)
                  : abut_nearest_result_pairs(r->nearest, count);
}

static bool same_bits(double x, double y) {
    return memcmp(&x, &y, sizeof x) == 0 || x == y;
}

static void require_same_pair(const abut_distance_pair* x, const abut_distance_pair* y) {
    REQUIRE(x->body_a == y->body_a && x->body_b == y->body_b);
    REQUIRE(same_bits(x->distance, y->distance));
    REQUIRE(x->triangle_a == y->triangle_a && x->triangle_b == y->triangle_b);
    for (int d = 0; d < 3; ++d) {
        REQUIRE(same_bits(x->a.point[d], y->a.point[d]) && same_bits(x->b.point[d], y->b.point[d]));
    }
}

typedef struct near_world {
    world w;
    near_results tree;
    near_results diagram;
} near_world;

static near_world near_make(const abut_context_def* def) {
    near_world n = {.w = world_make(def, NULL)};
    REQUIRE_OK(abut_nearest_result_create(n.w.context, &n.tree.nearest, NULL));
    REQUIRE_OK(abut_within_result_create(n.w.context, &n.tree.within, NULL));
    REQUIRE_OK(abut_nearest_result_create(n.w.context, &n.diagram.nearest, NULL));
    REQUIRE_OK(abut_within_result_create(n.w.context, &n.diagram.within, NULL));
    return n;
}

static void near_free(near_world* n) {
    abut_nearest_result_destroy(n->tree.nearest);
    abut_within_result_destroy(n->tree.within);
    abut_nearest_result_destroy(n->diagram.nearest);
    abut_within_result_destroy(n->diagram.within);
    world_free(&n->w);
}

static size_t compare(near_world* n, nearest_query q, abut_body_id a, abut_body_id b,
                      abut_nearest_def def) {
    size_t wanted = 0;
    size_t got = 0;
    def.culling.kind = ABUT_CULLING_TREE;
    REQUIRE_OK(query_nearest(n->w.scene, q, a, b, &def, &n->tree));
    def.culling.kind = ABUT_CULLING_VORONOI;
    REQUIRE_OK(query_nearest(n->w.scene, q, a, b, &def, &n->diagram));
    const abut_distance_pair* x = pairs_of(q, &n->tree, &wanted);
    const abut_distance_pair* y = pairs_of(q, &n->diagram, &got);
    REQUIRE(wanted == got);
    for (size_t i = 0; i < got; ++i) {
        require_same_pair(&y[i], &x[i]);
    }
    return got;
}

static bool odd_only(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                     uint32_t triangle_b) {
    (void)user;
    return ((body_a + triangle_a + body_b + triangle_b) & 1) != 0;
}

static void test_soups_match_trees(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 1; seed <= effort(12, 40, 600); ++seed) {
        test_random random = random_seed(seed);
        near_world n = near_make(NULL);
        abut_body_id ids[5];
        for (uint32_t b = 0; b < 5; ++b) {
            surface soup = surface_soup(&random, 10 + 8 * b, seed % 3 ? 2.0 : 8.0, 0.7,
                                        seed % 2 ? 0.25 : 0x1p-12);
            surface_shift(&soup, seed % 4 == 1 ? 5.0 * b : 0, 0, seed % 5 == 1 ? 1e6 : 0);
            abut_body_def def = abut_body_def_default();
            def.is_static = b >= 3;
            def.mask = seed % 4 == 0 && b == 1 ? 2 : UINT64_MAX;
            ids[b] = world_add(&n.w, &soup, NULL, &def);
            if (seed % 3 == 0) {
                world_frame(&n.w, ids[b], frame_random(&random, 1.0));
            }
            surface_free(&soup);
        }
        if (seed % 6 == 0) {  // in a common frame, distances are those of the shapes
            world_frame(&n.w, ids[1], abut_body_frame(n.w.scene, ids[0]));
        }
        abut_nearest_def def = abut_nearest_def_default();
        def.culling.grid_cells = seed % 7 == 6 ? 200 : seed % 7;
        def.filter.fn = seed % 5 == 2 ? odd_only : NULL;
        def.max_distance = seed % 4 == 3 ? 0.4 : INFINITY;
        for (int q = 0; q < QUERIES; ++q) {
            where("seed %u, query %d", seed, q);
            found += compare(&n, (nearest_query)q, ids[1], ids[0], def);
            found += compare(&n, (nearest_query)q, ids[0], ids[2], def);
        }
        near_free(&n);
    }
    assert_true(found > 1000);
}

// bodies are made anew in every frame, so they break, appear and vanish
static void test_scenes_match_trees(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
    } scenes[] = {{"skirt", 3000},    {"cloth_ball", 3000}, {"bowl", 1740},       {"letters", 6000},
                  {"breaking", 2800}, {"crowd", 6000},      {"tablecloth", 2048}, {"blobs", 2000},
                  {"coil", 1936},     {"degenerate", 0},    {"funnel", 3600}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        scene* from = scene_create(scenes[i].name, scenes[i].triangles / effort(2, 1, 1), 7, 1);
        assert_non_null(from);
        const uint32_t bodies = scene_body_count(from);
        abut_body_id* ids = calloc(bodies, sizeof *ids);
        assert_non_null(ids);
        near_world n = near_make(NULL);
        for (uint32_t frame = 0; frame < 7; frame += effort(6, 2, 2)) {
            scenery_add(&n.w, from, frame, ids);
            uint32_t first = 0;
            while (!scene_present(from, first, frame)) {
                ++first;
            }
            const abut_nearest_def def = abut_nearest_def_default();
            where("%s, frame %u", scenes[i].name, frame);
            compare(&n, SELF, ids[first], ids[first], def);
            compare(&n, TRIANGLES, ids[first], ids[first], def);
            compare(&n, ALL, ids[first], ids[first], def);
            if (bodies > 1) {
                compare(&n, TWO, ids[first], ids[bodies - 1], def);
            }
        }
        near_free(&n);
        free(ids);
        scene_destroy(from);
    }
}

// boxes side by side: the distance is known
static void test_boxes_have_known_distances(void** state) {
    (void)state;
    for (double gap = 0x1p-40; gap < 1e7; gap *= 64) {
        near_world n = near_make(NULL);
        surface a = cube_surface(0, 0, 0, 1);
        surface b = cube_surface(1 + gap, 0.25, 0.25, 1);
        const abut_body_id x = world_add(&n.w, &a, NULL, NULL);
        const abut_body_id y = world_add(&n.w, &b, NULL, NULL);
        abut_nearest_def def = abut_nearest_def_default();
        size_t count = 0;
        def.culling.kind = ABUT_CULLING_VORONOI;
        where("gap %g", gap);
        // fine grids take long: one distance suffices in a quick test
        const uint32_t most = gap == 0x1p-40 ? effort(200, 512, 512) : effort(100, 512, 512);
        for (uint32_t cells = 0; cells < most; cells = cells * 3 + 1) {
            def.culling.grid_cells = cells;
            REQUIRE_OK(abut_nearest(n.w.scene, x, y, &def, n.diagram.nearest, NULL));
            REQUIRE(abut_nearest_result_pairs(n.diagram.nearest, &count)->distance == gap);
        }
        surface_free(&a);
        surface_free(&b);
        near_free(&n);
    }
}

// equal distance pairs and counters for any number of threads
static void test_threads_change_nothing(void** state) {
    (void)state;
    scene* from = scene_create("letters", 3000, 5, 2);
    assert_non_null(from);
    const uint32_t bodies = scene_body_count(from);
    abut_body_id* ids = calloc(bodies, sizeof *ids);
    assert_non_null(ids);
    reference pairs[3] = {0};
    reference work[3] = {0};
    everywhere at = everywhere_each((const uint32_t[]){1, 3, 5, 0}, 7);
    while (everywhere_next(&at)) {
        near_world n = near_make(&at.def);
        memset(ids, 0, bodies * sizeof *ids);
        scenery_add(&n.w, from, 3, ids);
        for (int q = ALL; q <= SELF; ++q) {
            where("query %d, %s", q, at.text);
            abut_counters counters = {0};
            abut_nearest_def def = abut_nearest_def_default();
            def.culling.kind = ABUT_CULLING_VORONOI;
            def.head.counters = &counters;
            REQUIRE_OK(
                query_nearest(n.w.scene, (nearest_query)q, ids[3], ids[4], &def, &n.diagram));
            size_t count = 0;
            const abut_distance_pair* got = abut_nearest_result_pairs(n.diagram.nearest, &count);
            REQUIRE(count > 0 && reference_same(&pairs[q - ALL], got, count * sizeof *got));
            REQUIRE(reference_same(&work[q - ALL], &counters, sizeof counters));
        }
        near_free(&n);
    }
    for (int q = ALL; q <= SELF; ++q) {
        reference_free(&pairs[q - ALL]);
        reference_free(&work[q - ALL]);
    }
    free(ids);
    scene_destroy(from);
}

// nearest queries by the diagram read meshes and states alone: without trees they give the same
static void test_no_tree_is_read(void** state) {
    (void)state;
    static const char* const names[] = {"letters", "breaking", "skirt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        scene* from = scene_create(names[i], 1500, 5, 1);
        assert_non_null(from);
        const uint32_t bodies = scene_body_count(from);
        abut_body_id* ids = calloc(bodies, sizeof *ids);
        abut__tree* trees = calloc(bodies, sizeof *trees);
        assert_non_null(ids);
        assert_non_null(trees);
        near_world n = near_make(NULL);
        scenery_add(&n.w, from, 3, ids);
        for (int q = ALL; q <= SELF; ++q) {
            abut_nearest_def def = abut_nearest_def_default();
            uint32_t first = 0;
            while (!scene_present(from, first, 3)) {
                ++first;
            }
            where("%s, query %d", names[i], q);
            REQUIRE_OK(
                query_nearest(n.w.scene, (nearest_query)q, ids[first], ids[first], &def, &n.tree));
            for (uint32_t b = 0; b < bodies; ++b) {
                abut__body* body = abut__scene_body(n.w.scene, ids[b]);
                if (body != NULL) {
                    abut__tree* tree = &((abut_shape*)body->shape)->tree;
                    trees[b] = *tree;
                    *tree = (abut__tree){.context = tree->context};
                }
            }
            def.culling.kind = ABUT_CULLING_VORONOI;
            const abut_status status = query_nearest(n.w.scene, (nearest_query)q, ids[first],
                                                     ids[first], &def, &n.diagram);
            for (uint32_t b = 0; b < bodies; ++b) {
                abut__body* body = abut__scene_body(n.w.scene, ids[b]);
                if (body != NULL) {
                    ((abut_shape*)body->shape)->tree = trees[b];
                }
            }
            REQUIRE_OK(status);
            size_t wanted = 0;
            size_t got = 0;
            const abut_distance_pair* x = pairs_of((nearest_query)q, &n.tree, &wanted);
            const abut_distance_pair* y = pairs_of((nearest_query)q, &n.diagram, &got);
            REQUIRE(wanted == got && (wanted > 0 || (q != SELF && bodies == 1)));
            for (size_t k = 0; k < got; ++k) {
                require_same_pair(&y[k], &x[k]);
            }
        }
        near_free(&n);
        free(ids);
        free(trees);
        scene_destroy(from);
    }
}

static void test_body_alone_has_no_distance_pair(void** state) {
    (void)state;
    near_world n = near_make(NULL);
    abut_nearest_def def = abut_nearest_def_default();
    def.culling.kind = ABUT_CULLING_VORONOI;
    REQUIRE_OK(abut_nearest_all(n.w.scene, &def, n.diagram.nearest, NULL));
    REQUIRE(!abut_nearest_result_found(n.diagram.nearest));
    surface one = surface_make(3, 1);
    memset(one.xyz, 0, 9 * sizeof(double));
    one.xyz[3] = one.xyz[7] = 1;
    memcpy(one.triangles, (const uint32_t[3]){0, 1, 2}, 3 * sizeof(uint32_t));
    const abut_body_id id = world_add(&n.w, &one, NULL, NULL);
    for (int q = ALL; q <= SELF; ++q) {
        REQUIRE_OK(query_nearest(n.w.scene, (nearest_query)q, id, id, &def, &n.diagram));
        REQUIRE(!abut_nearest_result_found(n.diagram.nearest));
    }
    def.culling.grid_cells = 513;
    REQUIRE_STATUS(abut_nearest_all(n.w.scene, &def, n.diagram.nearest, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    surface_free(&one);
    near_free(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups_match_trees),
        cmocka_unit_test(test_scenes_match_trees),
        cmocka_unit_test(test_boxes_have_known_distances),
        cmocka_unit_test(test_threads_change_nothing),
        cmocka_unit_test(test_no_tree_is_read),
        cmocka_unit_test(test_body_alone_has_no_distance_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
