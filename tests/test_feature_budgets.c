// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fronts and budgets of feature queries, on bodies of all motions: slices within a budget find together
// what one call finds, each row once; a query from a front finds what one from the roots finds. What
// another query left pending, or what a new thickness changed, is not continued.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/queries.h"

enum { CALLS = 4 };

static abut_status call(const zoo* z, int which, const abut_features_def* def,
                        abut_features_result* result) {
    const abut_scene* scene = z->world.scene;
    return which == 0   ? abut_features(scene, z->body[0], z->body[1], def, result, NULL)
           : which == 1 ? abut_features_self(scene, z->body[0], def, result, NULL)
           : which == 2 ? abut_features_all(scene, def, result, NULL)
                        : abut_features_self_all(scene, def, result, NULL);
}

typedef struct rows {
    abut_feature_pair* all;
    size_t count;
} rows;

static void append(rows* r, const abut_features_result* result) {
    size_t count = 0;
    const abut_feature_pair* more = abut_features_result_pairs(result, &count);
    if (count > 0) {
        r->all = realloc(r->all, (r->count + count) * sizeof *r->all);
        assert_non_null(r->all);
        memcpy(r->all + r->count, more, count * sizeof *more);
        r->count += count;
    }
}

static int compare(const void* a, const void* b) {
    return memcmp(a, b, sizeof(abut_feature_pair));
}

// requires the same rows in any order
static void require_same(rows* wanted, rows* got) {
    REQUIRE(wanted->count == got->count);
    if (got->count > 0) {
        qsort(wanted->all, wanted->count, sizeof *wanted->all, compare);
        qsort(got->all, got->count, sizeof *got->all, compare);
        REQUIRE(memcmp(wanted->all, got->all, got->count * sizeof *got->all) == 0);
    }
}

typedef struct setting {
    zoo z;
    abut_features_result* result;
    abut_front* front;
    rows wanted;
} setting;

static void open_setting(setting* s, uint32_t seed) {
    memset(s, 0, sizeof *s);
    zoo_open(&s->z, seed, 12, NULL, NULL);
    REQUIRE_OK(abut_features_result_create(s->z.world.context, &s->result, NULL));
    REQUIRE_OK(abut_front_create(s->z.world.context, &s->front, NULL));
    for (int i = 0; i < ZOO_BODIES; ++i) {
        REQUIRE_OK(abut_body_set_thickness(s->z.world.scene, s->z.body[i], 0.01 * (i % 3), NULL));
    }
}

static void close_setting(setting* s) {
    free(s->wanted.all);
    abut_features_result_destroy(s->result);
    abut_front_destroy(s->front);
    zoo_close(&s->z);
}

// asks in slices until all is found; returns the number of slices
static size_t ask_in_slices(setting* s, int which, abut_features_def def, rows* got) {
    size_t slices = 0;
    abut_status status = ABUT_INCOMPLETE;
    while (status == ABUT_INCOMPLETE) {
        status = call(&s->z, which, &def, s->result);
        REQUIRE(status == ABUT_INCOMPLETE || status == ABUT_OK);
        REQUIRE((status == ABUT_INCOMPLETE) == (abut_front_pending(s->front) > 0));
        append(got, s->result);
        ++slices;
    }
    return slices;
}

static void test_slices(void** state) {
    (void)state;
    size_t found = 0;
    size_t slices = 0;
    for (uint32_t seed = 0; seed < effort(2, 10, 100); ++seed) {
        setting s;
        open_setting(&s, seed);
        for (int which = 0; which < CALLS; ++which) {
            abut_features_def def = abut_features_def_default();
            def.distance = seed % 2 == 0 ? 0.03125 : 0;
            s.wanted.count = 0;
            REQUIRE_OK(call(&s.z, which, &def, s.result));
            append(&s.wanted, s.result);
            found += s.wanted.count;
            def.front = s.front;
            for (uint64_t budget = 1; budget < 30000; budget *= 30) {
                where("seed %u, call %d, budget %llu", seed, which, (unsigned long long)budget);
                rows got = {0};
                def.budget = budget;
                abut_front_clear(s.front);
                slices += ask_in_slices(&s, which, def, &got);
                require_same(&s.wanted, &got);
                free(got.all);
            }
        }
        close_setting(&s);
    }
    print_message("%zu rows, %zu slices\n", found, slices);
    assert_true(found > 100 && slices > 50);
}

// time passes, forwards and backwards
static void test_fronts_from_step_to_step(void** state) {
    (void)state;
    size_t found = 0;
    for (uint32_t seed = 0; seed < effort(1, 5, 50); ++seed) {
        for (int which = 0; which < CALLS; ++which) {
            setting s;
            open_setting(&s, seed);
            for (int step = 0; step < 12; ++step) {
                where("seed %u, call %d, step %d", seed, which, step);
                abut_features_def def = abut_features_def_default();
                def.distance = 0.015625 * (step / 4);
                zoo_move(&s.z, step < 8 ? 0.125 * step : 1 - 0.0625 * step);
                s.wanted.count = 0;
                REQUIRE_OK(call(&s.z, which, &def, s.result));
                append(&s.wanted, s.result);
                def.front = s.front;
                REQUIRE_OK(call(&s.z, which, &def, s.result));
                rows got = {0};
                append(&got, s.result);
                require_same(&s.wanted, &got);
                found += got.count;
                free(got.all);
                // bodies get thicker while the front is in use
                REQUIRE_OK(abut_body_set_thickness(s.z.world.scene, s.z.body[step % ZOO_BODIES],
                                                   0.02 * (step % 4), NULL));
            }
            close_setting(&s);
        }
    }
    assert_true(found > 100);
}

// what is pending is of the same query, or it is begun anew
static void test_other_queries_begin_anew(void** state) {
    (void)state;
    setting s;
    open_setting(&s, 1);
    abut_features_def def = abut_features_def_default();
    abut_features_def plain = def;
    def.distance = plain.distance = 0.25;
    def.front = s.front;
    for (int k = 0; k < 2; ++k) {
        where("%s", k == 0 ? "a collision query" : "another thickness");
        abut_front_clear(s.front);
        if (k == 0) {
            abut_collide_def collide = abut_collide_def_default();
            collide.front = s.front;
            collide.margin = def.distance;
            collide.budget = 200;
            collide.include_neighbours = true;
            REQUIRE(abut_collide_self(s.z.world.scene, s.z.body[0], &collide, s.z.world.result,
                                      NULL) == ABUT_INCOMPLETE);
        } else {
            def.budget = 200;
            REQUIRE(call(&s.z, 1, &def, s.result) == ABUT_INCOMPLETE);
            REQUIRE_OK(abut_body_set_thickness(s.z.world.scene, s.z.body[0], 0.05, NULL));
        }
        rows got = {0};
        s.wanted.count = 0;
        REQUIRE_OK(abut_features_self(s.z.world.scene, s.z.body[0], &plain, s.result, NULL));
        append(&s.wanted, s.result);
        REQUIRE(s.wanted.count > 100);
        def.budget = 0;
        REQUIRE_OK(call(&s.z, 1, &def, s.result));
        append(&got, s.result);
        require_same(&s.wanted, &got);
        free(got.all);
    }
    def.front = NULL;
    def.budget = 1;
    REQUIRE_STATUS(call(&s.z, 1, &def, s.result), ABUT_ERR_INVALID_ARGUMENT);
    close_setting(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_fronts_from_step_to_step),
        cmocka_unit_test(test_other_queries_begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
