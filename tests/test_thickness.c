// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Thickness of vertices in all queries that count it, against all pairs: within and feature queries by
// rationals, at sums that equal a distance and one unit in the last place to either side; sweeps by
// single pairs, and by rationals at many times; nearest pairs by gaps. On all motions, threads and
// instruction sets.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/feature_oracle.h"
#include "support/memory.h"
#include "support/near.h"
#include "support/queries.h"
#include "support/rational_triangles.h"

// ---- two sheets whose features are often exactly as far apart as they are thick

typedef struct sheets {
    world w;
    surface s[2];
    snapshot p[2];
    double* thick[2];
} sheets;

static double* random_thickness(test_random* random, uint32_t count, double unit) {
    double* thick = test_alloc(count, sizeof *thick);
    for (uint32_t v = 0; v < count; ++v) {
        const double base = unit * (double)random_below(random, 4);
        const uint32_t turn = random_below(random, 3);  // one unit in the last place off, or none
        thick[v] = turn == 0 || base == 0 ? base : nextafter(base, turn == 1 ? 0 : 1);
    }
    return thick;
}

// the second sheet is `height` above the first; vertices lie on a lattice of width 1/8, shaken by
// multiples of `step`
static void sheets_make(sheets* t, test_random* random, double height, double step) {
    t->w = world_make(NULL, NULL);
    for (int i = 0; i < 2; ++i) {
        t->s[i] = surface_sheet(4, 4, 0.5);
        if (step > 0) {
            surface_shake(&t->s[i], random, 4 * step, step);
        }
        surface_shift(&t->s[i], 0.0625 * i, 0, height * i);
        const abut_body_id body = world_add(&t->w, &t->s[i], NULL, NULL);
        t->p[i] = snapshot_make(body, &t->s[i]);
        t->thick[i] = random_thickness(random, t->s[i].vertex_count, 0.03125);
        t->p[i].thick = t->thick[i];
        REQUIRE_OK(abut_body_set_vertex_thickness(t->w.scene, body, t->thick[i],
                                                  t->s[i].vertex_count, NULL));
    }
}

static void sheets_free(sheets* t) {
    for (int i = 0; i < 2; ++i) {
        free(t->thick[i]);
        snapshot_free(&t->p[i]);
        surface_free(&t->s[i]);
    }
    world_free(&t->w);
}

// ---- within and features

static size_t check_features(const sheets* t, bool self, double distance) {
    near_list wanted = {.in_place = true};
    abut_features_def def = abut_features_def_default();
    abut_features_result* result = NULL;
    const snapshot* a = &t->p[0];
    const snapshot* b = self ? a : &t->p[1];
    def.distance = distance;
    REQUIRE_OK(abut_features_result_create(t->w.context, &result, NULL));
    REQUIRE_OK(self ? abut_features_self(t->w.scene, a->body, &def, result, NULL)
                    : abut_features_all(t->w.scene, &def, result, NULL));
    near_features(a, b, self ? a->classes : NULL, distance, NULL, &wanted);
    require_features(result, &wanted, distance);
    const size_t count = wanted.count;
    free(wanted.all);
    abut_features_result_destroy(result);
    return count;
}

// whether triangles are at most so far apart, by rationals
static bool is_within(const double p[3][3], const double q[3][3], double margin) {
    mpq_t square;
    mpq_t limit;
    mpq_inits(square, limit, NULL);
    rational_distance_sq(p, q, square);
    mpq_set_d(limit, margin);
    mpq_mul(limit, limit, limit);
    const bool within = mpq_cmp(square, limit) <= 0;
    mpq_clears(square, limit, NULL);
    return within;
}

static void corners_at(const snapshot* p, uint32_t triangle, double out[3][3]) {
    for (int c = 0; c < 3; ++c) {
        memcpy(out[c], p->xyz[1] + 3 * (size_t)p->s->triangles[3 * triangle + (uint32_t)c],
               sizeof out[c]);
    }
}

// rows are all pairs of triangles at most `distance` plus both thicknesses apart
static size_t check_within(const sheets* t, abut_culling_kind culling, double distance) {
    const snapshot* p = t->p;
    abut_within_def def = abut_within_def_default();
    abut_within_result* result = NULL;
    def.distance = distance;
    def.culling.kind = culling;
    REQUIRE_OK(abut_within_result_create(t->w.context, &result, NULL));
    REQUIRE_OK(abut_within(t->w.scene, p[0].body, p[1].body, &def, result, NULL));
    size_t count = 0;
    const abut_distance_pair* rows = abut_within_result_pairs(result, &count);
    size_t next = 0;
    for (uint32_t i = 0; i < p[0].s->triangle_count; ++i) {
        for (uint32_t k = 0; k < p[1].s->triangle_count; ++k) {
            double x[3][3];
            double y[3][3];
            corners_at(&p[0], i, x);
            corners_at(&p[1], k, y);
            const double thick = snapshot_thickness(&p[0], p[0].s->triangles + 3 * (size_t)i, 3) +
                                 snapshot_thickness(&p[1], p[1].s->triangles + 3 * (size_t)k, 3);
            const bool wanted = is_within((const double(*)[3])x, (const double(*)[3])y,
                                          distance + thick);
            const bool got = next < count && rows[next].triangle_a == i &&
                             rows[next].triangle_b == k;
            if (got != wanted) {
                fail_msg("%s: triangles %u %u %s", where_text(), i, k,
                         wanted ? "are missing" : "are too far apart");
            }
            REQUIRE(!got || rows[next].gap == rows[next].distance - thick);
            next += got;
        }
    }
    REQUIRE(next == count);
    abut_within_result_destroy(result);
    return count;
}

static void test_rest_matches_all_pairs(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 0; seed < effort(3, 20, 200); ++seed) {
        test_random random = random_seed(seed);
        sheets t;
        sheets_make(&t, &random, 0.15625, seed % 3 == 2 ? 0x1p-10 : 0);
        for (int i = 0; i < 2; ++i) {
            snapshot_take(&t.w, &t.p[i], 1, false);
        }
        // 0.15625 is five units of thickness
        const double at[3] = {0, 0.03125, 0.0625};
        const double distance = at[seed % 3];
        for (int k = 0; k < 3; ++k) {
            where("seed %u, distance %d", seed, k);
            const double d = k == 0 ? distance : nextafter(distance, k == 1 ? 1 : 0);
            found += check_features(&t, false, d);
            found += check_features(&t, true, d);
            if (k == 0 || seed % 3 == 0) {
                found += check_within(&t, ABUT_CULLING_TREE, d);
            }
            if (k == 1) {
                found += check_within(&t, ABUT_CULLING_VORONOI, d);
            }
        }
        sheets_free(&t);
    }
    print_message("%zu pairs\n", found);
    assert_true(found > 1000);
}

// ---- sweeps

// moves the upper sheet through the lower one; positions at multiples of 1/16 are exact
static void move_sheets(sheets* t, test_random* random, double drop) {
    for (int i = 0; i < 2; ++i) {
        world_move(&t->w, t->p[i].body, t->s[i].xyz);
        snapshot_take(&t->w, &t->p[i], 0, false);
        surface_shake(&t->s[i], random, 0.03125, 0x1p-8);
        surface_shift(&t->s[i], 0.03125 * i, 0, -drop * i);
        world_move(&t->w, t->p[i].body, t->s[i].xyz);
        snapshot_take(&t->w, &t->p[i], 1, false);
    }
}

// the earliest multiple of 1/16 at which a vertex and a face are at most `margin` apart; 2: none
static double earliest_sample(const snapshot* v, uint32_t vertex, const snapshot* f,
                              uint32_t triangle, double margin) {
    for (int k = 0; k <= 16; ++k) {
        double x[4][3];
        for (uint32_t c = 0; c < 4; ++c) {
            const snapshot* p = c == 0 ? v : f;
            const uint32_t id = c == 0 ? vertex : f->s->triangles[3 * triangle + c - 1];
            for (uint32_t d = 0; d < 3; ++d) {
                const size_t at = 3 * (size_t)id + d;
                x[c][d] = (1 - k / 16.0) * p->xyz[0][at] + k / 16.0 * p->xyz[1][at];
            }
        }
        mpq_t square;
        mpq_t limit;
        mpq_inits(square, limit, NULL);
        rational_feature_distance_sq((const double(*)[3])x, false, square);
        mpq_set_d(limit, margin);
        mpq_mul(limit, limit, limit);
        const bool near = mpq_cmp(square, limit) <= 0;
        mpq_clears(square, limit, NULL);
        if (near) {
            return k / 16.0;
        }
    }
    return 2;
}

static const abut_sweep_pair* find_contact(const abut_sweep_result* result, uint32_t vertex,
                                           uint32_t triangle) {
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(result, &count);
    for (size_t i = 0; i < count; ++i) {
        if (pairs[i].kind == ABUT_CONTACT_VERTEX_FACE && pairs[i].vertices_a[0] == vertex &&
            pairs[i].triangle_b == triangle) {
            return &pairs[i];
        }
    }
    return NULL;
}

// no contact at a sampled time is missed, and none is reported later than it is
static void judge_sweep(const sheets* t, test_random* random, double margin) {
    for (int n = 0; n < 60; ++n) {
        const uint32_t v = random_below(random, t->s[0].vertex_count);
        const uint32_t f = random_below(random, t->s[1].triangle_count);
        const double sum = margin + (t->thick[0][v] +
                                     snapshot_thickness(&t->p[1], t->s[1].triangles + 3 * f, 3));
        const double first = earliest_sample(&t->p[0], v, &t->p[1], f, sum);
        const abut_sweep_pair* contact = find_contact(t->w.swept, v, f);
        REQUIRE(first > 1 || (contact != NULL && contact->time <= first));
    }
}

static void test_sweeps_match_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 0; seed < effort(3, 20, 200); ++seed) {
        test_random random = random_seed(seed + 50);
        sheets t;
        sheets_make(&t, &random, 0.25, 0x1p-8);
        where("seed %u", seed);
        move_sheets(&t, &random, seed % 2 == 0 ? 0.5 : 0.125);
        abut_sweep_def def = abut_sweep_def_default();
        def.margin = seed % 3 == 0 ? 0.015625 : 0;
        def.culling.kind = seed % 3 == 2 ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
        contacts += check_pair(&t.w, &t.p[0], &t.p[0], &def);
        contacts += check_pair(&t.w, &t.p[0], &t.p[1], &def);
        judge_sweep(&t, &random, def.margin);
        swept_list wanted = all_pairs(&t.p[0], &t.p[1], def.margin);
        REQUIRE_OK(abut_sweep_all(t.w.scene, &def, t.w.swept, NULL));
        require_swept(t.w.swept, &wanted);
        const double first = abut_sweep_result_time_of_impact(t.w.swept);
        def.earliest_only = true;
        REQUIRE_OK(abut_sweep_all(t.w.scene, &def, t.w.swept, NULL));
        REQUIRE(abut_sweep_result_time_of_impact(t.w.swept) == first);
        free(wanted.pairs);
        sheets_free(&t);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 100);
}

// with one number for all vertices a sweep is that with a greater margin, in whole steps and in parts
static void test_sweeps_of_all_motions(void** state) {
    (void)state;
    for (uint32_t seed = 0; seed < effort(2, 10, 100); ++seed) {
        zoo z;
        zoo_open(&z, seed, 5, NULL, NULL);
        zoo_move(&z, 0.3);
        zoo_move(&z, 1.7);
        reference rows = {0};
        for (int k = 0; k < 3; ++k) {  // a margin; thickness; the same for each vertex
            where("seed %u, %d", seed, k);
            abut_sweep_def def = abut_sweep_def_default();
            def.margin = k == 0 ? 0.0625 : 0.03125;
            for (int i = 0; i < ZOO_BODIES && k > 0; ++i) {
                const uint32_t count = z.rest[i].vertex_count;
                double* thick = test_alloc(count, sizeof *thick);
                for (uint32_t v = 0; v < count; ++v) {
                    thick[v] = 0.015625;
                }
                REQUIRE_OK(k == 1
                               ? abut_body_set_thickness(z.world.scene, z.body[i], 0.015625, NULL)
                               : abut_body_set_vertex_thickness(z.world.scene, z.body[i], thick,
                                                                count, NULL));
                free(thick);
            }
            size_t count = 0;
            REQUIRE_OK(abut_sweep_all(z.world.scene, &def, z.world.swept, NULL));
            const abut_sweep_pair* got = abut_sweep_result_pairs(z.world.swept, &count);
            REQUIRE(count > 0 && reference_same(&rows, got, count * sizeof *got));
        }
        reference_free(&rows);
        zoo_close(&z);
    }
}

// ---- nearest

static void thicken_zoo(zoo* z, test_random* random, double most) {
    for (int i = 0; i < ZOO_BODIES; ++i) {
        const uint32_t count = z->rest[i].vertex_count;
        double* thick = random_thickness(random, count, most / 4);
        REQUIRE_OK(i % 3 == 0 ? abut_body_set_thickness(z->world.scene, z->body[i], thick[0], NULL)
                              : abut_body_set_vertex_thickness(z->world.scene, z->body[i], thick,
                                                               count, NULL));
        free(thick);
    }
}

static void test_nearest_matches_all_pairs(void** state) {
    (void)state;
    size_t negative = 0;
    for (uint32_t seed = 0; seed < effort(2, 10, 100); ++seed) {
        zoo z;
        zoo_open(&z, seed, 4, NULL, NULL);
        test_random random = random_seed(seed + 100);
        abut_nearest_result* result = NULL;
        REQUIRE_OK(abut_nearest_result_create(z.world.context, &result, NULL));
        for (int round = 0; round < 3; ++round) {  // the last answer bounds the next search
            thicken_zoo(&z, &random, round == 0 ? 0.03125 : round == 1 ? 2 : 0.25);
            abut_nearest_def def = abut_nearest_def_default();
            def.max_distance = round == 2 ? 0 : INFINITY;
            def.culling.kind = round == 1 ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
            distance_oracle o = {.within = def.max_distance};
            where("seed %u, round %d", seed, round);
            distance_list wanted = distances_between(z.world.scene, z.body[0], z.body[1], &o);
            REQUIRE_OK(abut_nearest(z.world.scene, z.body[0], z.body[1], &def, result, NULL));
            require_distances(z.world.scene, result, &wanted, "two");
            free(wanted.pairs);
            wanted = distances_of_bodies(z.world.scene, &o);
            REQUIRE_OK(abut_nearest_all(z.world.scene, &def, result, NULL));
            require_distances(z.world.scene, result, &wanted, "all");
            for (size_t i = 0; i < wanted.count; ++i) {
                negative += wanted.pairs[i].gap < 0;
            }
            free(wanted.pairs);
            const abut_body_id body = z.body[seed % ZOO_BODIES];
            wanted = distances_of_triangles(z.world.scene, body, &o);
            REQUIRE_OK(abut_nearest_triangles(z.world.scene, body, &def, result, NULL));
            require_distances(z.world.scene, result, &wanted, "triangles");
            free(wanted.pairs);
            wanted = distances_within(z.world.scene, body, &o);
            REQUIRE_OK(abut_nearest_self(z.world.scene, body, &def, result, NULL));
            require_distances(z.world.scene, result, &wanted, "self");
            free(wanted.pairs);
            zoo_move(&z, 0.5 + 0.25 * round);
        }
        abut_nearest_result_destroy(result);
        zoo_close(&z);
    }
    print_message("%zu negative gaps\n", negative);
    assert_true(negative > 0);
}

// ---- threads and instruction sets

static void test_same_answers_everywhere(void** state) {
    (void)state;
    reference rows[4] = {{0}};
    reference work[4] = {{0}};
    everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 7);
    while (everywhere_next(&at)) {
        zoo z;
        tools t;
        zoo_open(&z, 3, 6, &at.def, NULL);
        REQUIRE(tools_make(&t, z.world.context));
        test_random random = random_seed(9);
        thicken_zoo(&z, &random, 0.125);
        abut_counters counters[4] = {{0}};
        abut_within_def within = abut_within_def_default();
        abut_features_def features = abut_features_def_default();
        abut_sweep_def sweep = abut_sweep_def_default();
        abut_nearest_def nearest = abut_nearest_def_default();
        within.head.counters = &counters[0];
        features.head.counters = &counters[1];
        sweep.head.counters = &counters[2];
        nearest.head.counters = &counters[3];
        within.distance = features.distance = sweep.margin = 0.03125;
        REQUIRE_OK(abut_within_all(z.world.scene, &within, t.within, NULL));
        REQUIRE_OK(abut_features_all(z.world.scene, &features, t.features, NULL));
        REQUIRE_OK(abut_sweep_all(z.world.scene, &sweep, t.swept, NULL));
        REQUIRE_OK(abut_nearest_all(z.world.scene, &nearest, t.nearest, NULL));
        size_t count[4];
        const void* got[4] = {abut_within_result_pairs(t.within, &count[0]),
                              abut_features_result_pairs(t.features, &count[1]),
                              abut_sweep_result_pairs(t.swept, &count[2]),
                              abut_nearest_result_pairs(t.nearest, &count[3])};
        const size_t size[4] = {sizeof(abut_distance_pair), sizeof(abut_feature_pair),
                                sizeof(abut_sweep_pair), sizeof(abut_distance_pair)};
        for (int k = 0; k < 4; ++k) {
            where("%s, query %d", at.text, k);
            REQUIRE(count[k] > 0 && reference_same(&rows[k], got[k], count[k] * size[k]));
            REQUIRE(!at.same_set || reference_same(&work[k], &counters[k], sizeof counters[k]));
        }
        tools_free(&t);
        zoo_close(&z);
    }
    for (int k = 0; k < 4; ++k) {
        reference_free(&rows[k]);
        reference_free(&work[k]);
    }
}

// ---- the calls

static void test_calls(void** state) {
    (void)state;
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    surface s = surface_sheet(2, 2, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    double thick[9] = {0, 1, 2, 3, 4, 5, 6, 7, 0.5};
    abut_error error = {0};
    REQUIRE(s.vertex_count == 9);
    for (int k = 0; k < 2; ++k) {  // room for the number, and for the array
        memory_fail(&memory, 1, false);
        REQUIRE_STATUS(k == 0 ? abut_body_set_thickness(w.scene, body, 1, NULL)
                              : abut_body_set_vertex_thickness(w.scene, body, thick, 9, NULL),
                       ABUT_ERR_NO_MEMORY);
        memory_fail(&memory, 0, false);
        REQUIRE(abut_body_thickness(w.scene, body) == 0);
        REQUIRE_OK(abut_body_set_thickness(w.scene, body, 0, NULL));
    }
    REQUIRE_OK(abut_body_set_vertex_thickness(w.scene, body, thick, 9, NULL));
    REQUIRE(abut_body_thickness(w.scene, body) == 7);
    REQUIRE(abut_body_vertex_thickness(w.scene, body, 8) == 0.5);
    REQUIRE(abut_body_vertex_thickness(w.scene, body, 9) == 0);
    const size_t calls = memory.calls;
    thick[1] = 9;
    REQUIRE_OK(abut_body_set_vertex_thickness(w.scene, body, thick, 9, NULL));
    REQUIRE(abut_body_thickness(w.scene, body) == 9 && memory.calls == calls);
    REQUIRE_STATUS(abut_body_set_vertex_thickness(w.scene, body, thick, 8, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_set_vertex_thickness(w.scene, body, NULL, 9, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    thick[4] = -1;
    REQUIRE_STATUS(abut_body_set_vertex_thickness(w.scene, body, thick, 9, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == 4);
    REQUIRE(abut_body_vertex_thickness(w.scene, body, 4) == 4);
    REQUIRE_OK(abut_body_set_thickness(w.scene, body, 0.25, NULL));
    REQUIRE(abut_body_vertex_thickness(w.scene, body, 3) == 0.25);
    thick[4] = 4;
    REQUIRE_OK(abut_body_set_vertex_thickness(w.scene, body, thick, 9, NULL));
    REQUIRE_OK(abut_body_destroy(w.scene, body, NULL));
    REQUIRE_STATUS(abut_body_set_vertex_thickness(w.scene, body, thick, 9, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    const abut_body_id next = world_add(&w, &s, NULL, NULL);
    REQUIRE(next.index == body.index && abut_body_vertex_thickness(w.scene, next, 3) == 0);
    REQUIRE_OK(abut_body_set_vertex_thickness(w.scene, next, thick, 9, NULL));
    surface_free(&s);
    world_free(&w);
    REQUIRE(memory_clean(&memory));
}

// vertices of a larger shape are as thick as the thickest
static void test_later_vertices(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s[2] = {surface_sheet(2, 2, 1), surface_sheet(3, 3, 1)};
    const abut_body_id body = world_add(&w, &s[0], NULL, NULL);
    const abut_body_id larger = world_add(&w, &s[1], NULL, NULL);
    double thick[9] = {0};
    thick[2] = 0.5;
    REQUIRE_OK(abut_body_set_vertex_thickness(w.scene, body, thick, 9, NULL));
    REQUIRE_OK(abut_body_set_shape(w.scene, body, abut_body_shape(w.scene, larger),
                                   abut_positions_f64(s[1].xyz, s[1].vertex_count), NULL));
    REQUIRE(abut_body_vertex_thickness(w.scene, body, 8) == 0);
    REQUIRE(abut_body_vertex_thickness(w.scene, body, 9) == 0.5);
    surface_free(&s[0]);
    surface_free(&s[1]);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rest_matches_all_pairs),
        cmocka_unit_test(test_sweeps_match_all_pairs),
        cmocka_unit_test(test_sweeps_of_all_motions),
        cmocka_unit_test(test_nearest_matches_all_pairs),
        cmocka_unit_test(test_same_answers_everywhere),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_later_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
