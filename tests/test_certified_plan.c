// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// When certificates are made: after as many self queries as they cost, in states in which a sample of
// them holds, in slices within a budget, or on request. Answers are those of all pairs in any case.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "motion/certified.h"
#include "support/claims.h"
#include "support/everywhere.h"
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
static subject subject_make_with(const abut_context_def* context, bool modal, uint32_t side,
                                 bool on_request) {
    test_random random = random_seed(7);
    subject m = {.modal = modal, .s = surface_sheet(side, side, 1)};
    m.k = skin_make(&random, &m.s, NODES, 4, ABUT_SCALAR_F32);
    m.f = make_fields(&random, &m.s, FIELDS, 0.1, ABUT_SCALAR_F32, false);
    for (size_t i = 0; i < 3 * (size_t)FIELDS * m.s.vertex_count; ++i) {  // rough ones
        m.f.narrow[i] = (float)random_double(&random, -0.01, 0.01);
    }
    m.w = world_make(context, NULL);
    motion_def def = modal ? modal_def(&m.f) : blend_def(&m.k, NULL);
    def.block_triangles = 4;
    def.certify_on_request = on_request;
    m.shape = world_shape(&m.w, &m.s, &def);
    REQUIRE_OK(abut_shape_build_tree(m.shape, NULL));
    REQUIRE_OK(abut_body_create(m.w.scene, m.shape, NULL, &m.body, NULL));
    return m;
}

static subject subject_make(const abut_context_def* context, bool modal, uint32_t side) {
    return subject_make_with(context, modal, side, false);
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

static const abut__certify_plan* plan_of(const subject* m) {
    return &m->shape->certify;
}

#define MILD 1e-4
static double strong(const subject* m) {
    return m->modal ? 3 : 0.4;
}

static void step(subject* m, test_random* random, double size) {
    bend(m, random, size);
    REQUIRE_OK(query(m));
}

// Asks until there are certificates; returns the number of states.
static uint32_t step_until_made(subject* m, test_random* random) {
    uint32_t states = 0;
    for (; states < 2000 && !has_certificates(m); ++states) {
        step(m, random, MILD);
    }
    REQUIRE(has_certificates(m));
    return states;
}

// No slice before as many queries as they cost, and then one with each state.
static void test_made_when_they_pay(void** state) {
    (void)state;
    for (uint32_t side = 10; side <= 34; side += 24) {
        for (int modal = 0; modal < 2; ++modal) {
            where("modal %d, side %u", modal, side);
            test_random random = random_seed(8);
            subject m = subject_make(NULL, modal == 1, side);
            const bool samples = m.shape->tree.block_count >= 512;
            REQUIRE(samples == (side == 34));
            const uint32_t due = abut__certified_due(m.shape);
            REQUIRE(due >= 16 && due <= 1000);
            for (uint32_t i = 0; i < due; ++i) {
                step(&m, &random, MILD);
                REQUIRE(!has_certificates(&m) && (samples || plan_of(&m)->slices == 0));
            }
            REQUIRE(samples == (sample_of(&m) != NULL));
            const uint32_t before = plan_of(&m)->slices;
            const uint32_t states = step_until_made(&m, &random);
            REQUIRE(plan_of(&m)->slices - before + 8 >= states && states > (samples ? 4 : 0));
            REQUIRE(check_claims(&m.w, m.body) == 0);
            subject_free(&m);
        }
    }
}

// A slice ends after its units; only single steps are larger, and the greatest is a pass over the
// shape.
static void test_slices_are_bounded(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        where("modal %d", modal);
        test_random random = random_seed(12);
        subject m = subject_make(NULL, modal == 1, 34);
        const uint64_t most = abut__certified_slice(m.shape, 1);
        const uint64_t pass = 4 * (uint64_t)m.shape->tree.block_count;
        uint32_t seen = 0;
        uint64_t sum = 0;
        REQUIRE(abut__certified_slice(m.shape, 1u << 20) < 10000);
        while (!has_certificates(&m)) {
            step(&m, &random, MILD);
            if (plan_of(&m)->slices > seen) {
                seen = plan_of(&m)->slices;
                sum += plan_of(&m)->spent;
                where("modal %d, slice %u: %u of %u units", modal, seen,
                      (unsigned)plan_of(&m)->spent, (unsigned)most);
                REQUIRE(plan_of(&m)->spent > 0 && plan_of(&m)->spent < most + pass);
            }
        }
        REQUIRE(sum > 8 * most);
        subject_free(&m);
    }
}

// States in which a sample does not hold do not count.
static void test_where_the_sample_holds(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        where("modal %d", modal);
        test_random random = random_seed(8);
        subject m = subject_make(NULL, modal == 1, 34);
        for (uint32_t i = 0; i < abut__certified_due(m.shape) + 10; ++i) {
            step(&m, &random, strong(&m));
        }
        REQUIRE(!has_certificates(&m) && sample_of(&m) != NULL && plan_of(&m)->making == NULL);
        (void)step_until_made(&m, &random);
        subject_free(&m);
    }
}

// Queries without a new state make nothing: work is done by calls that set states.
static void test_queries_make_nothing(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        subject m = subject_make(&def, modal == 1, 34);
        test_random random = random_seed(14);
        step(&m, &random, MILD);
        memory_fail(&memory, 0, false);
        for (uint32_t i = 0; i < 4 * abut__certified_due(m.shape); ++i) {
            REQUIRE_OK(query(&m));
        }
        REQUIRE(memory.calls == 0 && plan_of(&m)->slices == 0);
        bend(&m, &random, MILD);
        REQUIRE(plan_of(&m)->slices == 1);
        subject_free(&m);
        memory_require_clean(&memory);
    }
}

static void test_on_request(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        where("modal %d", modal);
        test_random random = random_seed(9);
        subject m = subject_make_with(NULL, modal == 1, 34, true);
        for (uint32_t i = 0; i < abut__certified_due(m.shape) + 10; ++i) {
            step(&m, &random, MILD);
        }
        REQUIRE(!has_certificates(&m) && sample_of(&m) == NULL && plan_of(&m)->slices == 0);
        REQUIRE_OK(abut_shape_build_certificates(m.shape, NULL));
        REQUIRE(has_certificates(&m));
        const void* made = abut__certified_made(m.shape);
        REQUIRE_OK(abut_shape_build_certificates(m.shape, NULL));
        REQUIRE(abut__certified_made(m.shape) == made);
        REQUIRE(check_claims(&m.w, m.body) == 0);
        subject_free(&m);
    }
    REQUIRE_STATUS(abut_shape_build_certificates(NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
}

// A request goes on with what slices have made so far, and comes to the same.
static void test_on_request_in_between(void** state) {
    (void)state;
    for (uint32_t slices = 1; slices < 40; slices += effort(16, 5, 1)) {
        where("after %u slices", slices);
        test_random random = random_seed(9);
        subject m = subject_make(NULL, slices % 2 == 0, 34);
        while (plan_of(&m)->slices < slices && !has_certificates(&m)) {
            step(&m, &random, MILD);
        }
        REQUIRE_OK(abut_shape_build_certificates(m.shape, NULL));
        REQUIRE(has_certificates(&m) && plan_of(&m)->making == NULL);
        REQUIRE(check_claims(&m.w, m.body) == 0);
        subject_free(&m);
    }
}

// A body without fields, and one with a single node, never changes within itself: no certificates,
// unless they are requested.
static void test_never_without_fields(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        surface s = surface_sheet(12, 12, 1);
        test_random random = random_seed(13);
        skin k = skin_make(&random, &s, 1, 1, ABUT_SCALAR_F32);
        const field_set none = {0};
        const motion_def def = modal == 1 ? modal_def(&none) : blend_def(&k, NULL);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        const abut_shape* shape = abut_body_shape(w.scene, body);
        double t[1][12];
        for (int i = 0; i < 200; ++i) {
            if (modal == 1) {
                set_coordinates(&w, body, NULL, 0);
            } else {
                gentle_transforms(&random, t, 1, MILD);
                set_transforms(&w, body, t, 1, NULL, 0);
            }
            REQUIRE_OK(abut_collide_self(w.scene, body, NULL, w.result, NULL));
        }
        REQUIRE(abut__certified_made(shape) == NULL && shape->certify.slices == 0);
        REQUIRE(check_claims(&w, body) == 0);  // on request
        REQUIRE(abut__certified_made(shape) != NULL);
        world_free(&w);
        skin_free(&k);
        surface_free(&s);
    }
}

// An edited shape has the sample, the count and the setting of the older one.
static void test_edits_share_the_sample(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        test_random random = random_seed(10);
        subject m = subject_make(&def, modal == 1, 34);
        while (sample_of(&m) == NULL) {
            step(&m, &random, strong(&m));
        }
        const void* sample = sample_of(&m);
        const uint32_t removed = 77;
        motion_edit_def edit = motion_edit_def_default();
        edit.removed_triangles = &removed;
        edit.removed_triangle_count = 1;
        abut_shape* edited = world_edit(m.shape, &edit, NULL);
        REQUIRE_OK(abut_body_set_shape(m.w.scene, m.body, edited, (abut_positions){0}, NULL));
        REQUIRE(atomic_load(&edited->certify.queries) == atomic_load(&m.shape->certify.queries));
        abut_shape_destroy(m.shape);
        m.shape = edited;
        REQUIRE(sample_of(&m) == sample && !has_certificates(&m));
        (void)step_until_made(&m, &random);
        REQUIRE(check_claims(&m.w, m.body) == 0);
        subject_free(&m);
        memory_require_clean(&memory);
    }
}

// With each allocation refused once there are none, or later, and the answers are the same.
static void test_lack_of_memory(void** state) {
    (void)state;
    size_t calls = 1;
    uint64_t wanted = 0;
    for (size_t fail = 0; fail <= calls; fail += 1 + fail / effort(3, 16, 64)) {
        where("allocation %zu", fail);
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        test_random random = random_seed(11);
        subject m = subject_make(&def, fail % 2 == 0, 16);
        step(&m, &random, MILD);
        step(&m, &random, MILD);
        memory_fail(&memory, fail, false);
        while (!has_certificates(&m)) {
            bend(&m, &random, MILD);
            REQUIRE_OK(query(&m));
            wanted = fail == 0 ? result_hash(m.w.result) : wanted;
            REQUIRE(result_hash(m.w.result) == wanted);
        }
        calls = fail == 0 ? memory.calls : calls;
        REQUIRE(memory.refused == (fail > 0 && fail <= memory.calls));
        subject_free(&m);
        memory_require_clean(&memory);
    }
    REQUIRE(calls > 20);
}

// Once there are certificates, a step allocates nothing.
static void test_no_allocation_afterwards(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        test_random random = random_seed(15);
        subject m = subject_make(&def, modal == 1, 34);
        (void)step_until_made(&m, &random);
        for (int i = 0; i < 4; ++i) {
            step(&m, &random, MILD);
        }
        memory_fail(&memory, 0, false);
        for (int i = 0; i < 20; ++i) {
            step(&m, &random, MILD);
        }
        REQUIRE(memory.calls == 0);
        subject_free(&m);
        memory_require_clean(&memory);
    }
}

// Any number of threads and any instruction set makes the same certificates after the same number of
// states, and a query has the same answer before, during and after it, and without them.
static void test_same_everywhere(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        uint32_t states = 0;
        abut_counters first = {0};
        everywhere at = everywhere_each((const uint32_t[]){3, 0}, 5);
        while (everywhere_next(&at)) {
            where("modal %d, %s", modal, at.text);
            test_random random[2] = {random_seed(22), random_seed(22)};
            subject m = subject_make(&at.def, modal == 1, 30);
            subject without = subject_make_with(&at.def, modal == 1, 30, true);
            abut_counters work = {0};
            abut_collide_def with_counters = abut_collide_def_default();
            with_counters.head.counters = &work;
            uint32_t count = 0;
            for (uint32_t after = 0; after < 5; ++count) {
                after += has_certificates(&m);
                const double size = count % 7 == 6 ? strong(&m) : MILD;
                bend(&m, &random[0], size);
                REQUIRE_OK(abut_collide_self(m.w.scene, m.body, &with_counters, m.w.result, NULL));
                step(&without, &random[1], size);
                REQUIRE(result_hash(m.w.result) == result_hash(without.w.result));
            }
            states = at.first ? count : states;
            first = at.first ? work : first;
            REQUIRE(count == states && !has_certificates(&without));
            REQUIRE(!at.same_set || (work.nodes_certified == first.nodes_certified &&
                                     work.blocks_certified == first.blocks_certified &&
                                     work.blocks_evaluated == first.blocks_evaluated));
            subject_free(&m);
            subject_free(&without);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_when_they_pay),
        cmocka_unit_test(test_slices_are_bounded),
        cmocka_unit_test(test_where_the_sample_holds),
        cmocka_unit_test(test_queries_make_nothing),
        cmocka_unit_test(test_on_request),
        cmocka_unit_test(test_on_request_in_between),
        cmocka_unit_test(test_never_without_fields),
        cmocka_unit_test(test_edits_share_the_sample),
        cmocka_unit_test(test_lack_of_memory),
        cmocka_unit_test(test_no_allocation_afterwards),
        cmocka_unit_test(test_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
