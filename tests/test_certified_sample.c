// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// When certificates are made: where a sample of them holds, and at rest after many queries. Answers
// are those of all pairs in any case.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "motion/certified.h"
#include "support/claims.h"
#include "support/memory.h"
#include "support/skin.h"

enum { NODES = 12, FIELDS = 3 };

typedef struct subject {
    bool modal;
    surface s;
    skin k;
    field_set f;
    world w;
    abut_shape* shape;
    abut_body_id body;
} subject;

// Many small blocks, so that there is a sample.
static subject subject_make(const abut_context_def* context, bool modal, uint32_t side) {
    test_random random = random_seed(7);
    subject m = {.modal = modal, .s = surface_sheet(side, side, 1)};
    m.k = skin_make(&random, &m.s, NODES, 4, ABUT_SCALAR_F32);
    m.f = make_fields(&random, &m.s, FIELDS, 0.1, ABUT_SCALAR_F32, false);
    for (size_t i = 0; i < 3 * (size_t)FIELDS * m.s.vertex_count; ++i) {  // rough ones
        m.f.narrow[i] = (float)random_double(&random, -0.01, 0.01);
    }
    m.w = world_make(context, NULL);
    motion_def def = modal ? modal_def(&m.f) : blend_def(&m.k, NULL);
    def.block_triangles = 8;
    m.shape = world_shape(&m.w, &m.s, &def);
    REQUIRE_OK(abut_body_create(m.w.scene, m.shape, NULL, &m.body, NULL));
    return m;
}

static void subject_free(subject* m) {
    abut_shape_destroy(m->shape);
    world_free(&m->w);
    skin_free(&m->k);
    free_fields(&m->f);
    surface_free(&m->s);
}

static void bend(subject* m, test_random* random, double size) {
    if (m->modal) {
        double q[FIELDS];
        for (int j = 0; j < FIELDS; ++j) {
            q[j] = random_chance(random, 0.5) ? size : -size;
        }
        set_coordinates(&m->w, m->body, q, FIELDS);
    } else {
        double t[NODES][12];
        gentle_transforms(random, t, NODES, size);
        set_transforms(&m->w, m->body, t, NODES, NULL, 0);
    }
}

static abut_status query(subject* m) {
    return abut_collide_self(m->w.scene, m->body, NULL, m->w.result, NULL);
}

static bool has_certificates(const subject* m) {
    return abut__once_peek(&m->shape->certificates) != NULL;
}

static const void* sample_of(const subject* m) {
    return abut__once_peek(&m->shape->sample);
}

#define MILD 1e-4
static double strong(const subject* m) {
    return m->modal ? 3 : 0.4;
}

static void test_small_shapes_have_them_at_once(void** state) {
    for (int modal = 0; modal < 2; ++modal) {
        subject m = subject_make(NULL, modal == 1, 10);
        (void)state;
        REQUIRE_OK(query(&m));
        REQUIRE(has_certificates(&m) && sample_of(&m) == NULL);
        subject_free(&m);
    }
}

static void test_where_the_sample_holds(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        where("modal %d", modal);
        test_random random = random_seed(8);
        subject m = subject_make(NULL, modal == 1, 48);
        bend(&m, &random, strong(&m));
        (void)check_claims(&m.w, m.body);
        REQUIRE_OK(query(&m));
        REQUIRE(!has_certificates(&m) && sample_of(&m) != NULL);
        for (uint32_t i = 0; i < 3; ++i) {
            bend(&m, &random, strong(&m));
            REQUIRE_OK(query(&m));
            REQUIRE(!has_certificates(&m));
        }
        // they are tried again, at the latest after as many states as there were without them
        for (uint32_t i = 0; i < 300 && !has_certificates(&m); ++i) {
            bend(&m, &random, MILD);
            REQUIRE_OK(query(&m));
        }
        REQUIRE(has_certificates(&m));
        REQUIRE(check_claims(&m.w, m.body) == 0);
        subject_free(&m);
    }
}

static void test_at_once_if_the_first_state_is_mild(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_random random = random_seed(9);
        subject m = subject_make(NULL, modal == 1, 48);
        bend(&m, &random, MILD);
        REQUIRE_OK(query(&m));
        REQUIRE(has_certificates(&m));
        subject_free(&m);
    }
}

static void test_at_rest_after_many_queries(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        subject m = subject_make(NULL, modal == 1, 48);
        uint32_t queries = 0;
        for (; queries < 100 && !has_certificates(&m); ++queries) {
            REQUIRE_OK(query(&m));
        }
        REQUIRE(queries == 33 && sample_of(&m) == NULL);
        subject_free(&m);
    }
}

// An edited shape uses the sample of the older one, in which nothing has to be sampled again.
static void test_edits_share_the_sample(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        test_random random = random_seed(10);
        subject m = subject_make(&def, modal == 1, 48);
        bend(&m, &random, strong(&m));
        REQUIRE_OK(query(&m));
        const void* sample = sample_of(&m);
        const uint32_t removed = 77;
        motion_edit_def edit = motion_edit_def_default();
        edit.removed_triangles = &removed;
        edit.removed_triangle_count = 1;
        abut_shape* edited = world_edit(m.shape, &edit, NULL);
        REQUIRE_OK(abut_body_set_shape(m.w.scene, m.body, edited, (abut_positions){0}, NULL));
        abut_shape_destroy(m.shape);
        m.shape = edited;
        REQUIRE(sample != NULL && sample_of(&m) == sample);
        bend(&m, &random, strong(&m));
        (void)check_claims(&m.w, m.body);
        REQUIRE(!has_certificates(&m));
        subject_free(&m);
        memory_require_clean(&memory);
    }
}

// Without memory for a sample or for certificates there are none, and the answer is the same.
static void test_lack_of_memory(void** state) {
    (void)state;
    size_t calls = 1;
    uint64_t wanted = 0;
    for (size_t fail = 0; fail <= calls; fail += 1 + fail / effort(2, 16, 64)) {
        where("allocation %zu", fail);
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        test_random random = random_seed(11);
        subject m = subject_make(&def, false, 48);
        bend(&m, &random, MILD);
        memory_fail(&memory, fail, false);
        const abut_status status = query(&m);
        calls = fail == 0 ? memory.calls : calls;
        memory_fail(&memory, 0, false);
        wanted = fail == 0 ? result_hash(m.w.result) : wanted;
        REQUIRE(status == ABUT_OK ? result_hash(m.w.result) == wanted
                                  : fail > 0 && status == ABUT_ERR_NO_MEMORY);
        REQUIRE_OK(query(&m));
        REQUIRE(result_hash(m.w.result) == wanted && has_certificates(&m));
        subject_free(&m);
        memory_require_clean(&memory);
    }
    REQUIRE(calls > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_shapes_have_them_at_once),
        cmocka_unit_test(test_where_the_sample_holds),
        cmocka_unit_test(test_at_once_if_the_first_state_is_mild),
        cmocka_unit_test(test_at_rest_after_many_queries),
        cmocka_unit_test(test_edits_share_the_sample),
        cmocka_unit_test(test_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
