// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Self queries of blend and modal bodies most of whose blocks are opened: all vertices are moved at
// once, and normals and contours prove pieces apart. Claims are checked against all pairs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "motion/blend.h"
#include "motion/modal.h"
#include "support/claims.h"
#include "support/everywhere.h"
#include "support/skin.h"

enum { NODES = 40, FIELDS = 4 };

typedef struct subject {
    bool modal;
    surface s;
    skin k;
    field_set f;
} subject;

static subject subject_make(test_random* random, uint64_t seed, bool modal) {
    subject m = {.modal = modal};
    m.s = seed % 2 == 0 ? surface_ball(36, 48, 1) : surface_sheet(40, 40, 2);
    m.k = skin_make(random, &m.s, NODES, 6, ABUT_SCALAR_F32);
    m.f = make_fields(random, &m.s, FIELDS, 0.1, ABUT_SCALAR_F32, false);
    return m;
}

static void subject_free(subject* m) {
    skin_free(&m->k);
    free_fields(&m->f);
    surface_free(&m->s);
}

static abut_body_id subject_add(const subject* m, world* w) {
    const motion_def def = m->modal ? modal_def(&m->f) : blend_def(&m->k, NULL);
    return world_add(w, &m->s, &def, NULL);
}

static void bend(const subject* m, world* w, abut_body_id body, test_random* random, double size) {
    if (m->modal) {
        double q[FIELDS];
        random_coordinates(random, q, FIELDS, 12 * size);
        set_coordinates(w, body, q, FIELDS);
    } else {
        double t[NODES][12];
        gentle_transforms(random, t, NODES, size);
        set_transforms(w, body, t, NODES, NULL, 0);
    }
}

static bool proves_by_normals(const world* w, abut_body_id id, bool modal) {
    const abut__body* body = abut__scene_body(w->scene, id);
    const abut__state* now = abut__body_state(body, 1);
    return abut__whole_proves(modal ? abut__modal_whole(now) : abut__blend_state_of(now)->whole);
}

static uint32_t nodes_apart(const world* w, abut_body_id id) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < abut_body_shape(w->scene, id)->tree.node_count; ++n) {
        count += proven_apart(w, id, n);
    }
    return count;
}

static void test_claims_are_true(void** state) {
    (void)state;
    uint32_t gained[2] = {0, 0};
    for (uint64_t seed = 1; seed <= effort(4, 20, 200); ++seed) {
        test_random random = random_seed(seed);
        subject m = subject_make(&random, seed / 2, seed % 2 == 0);
        world w = world_make(NULL, NULL);
        const abut_body_id body = subject_add(&m, &w);
        for (uint32_t i = 0; i < 12; ++i) {
            where("seed %u, state %u", (unsigned)seed, i);
            bend(&m, &w, body, &random, i % 5 == 4 ? 0.3 : 0.06);
            (void)check_claims(&w, body);
            gained[m.modal] += proves_by_normals(&w, body, m.modal) ? nodes_apart(&w, body) : 0;
        }
        world_free(&w);
        subject_free(&m);
    }
    REQUIRE(gained[0] > 0 && gained[1] > 0);
}

// Where certificates hold again, they are used again.
static void test_certificates_come_back(void** state) {
    (void)state;
    test_random random = random_seed(3);
    subject m = subject_make(&random, 0, false);
    world w = world_make(NULL, NULL);
    const abut_body_id body = subject_add(&m, &w);
    abut_collide_def query = abut_collide_def_default();
    uint32_t by_normals = 0;
    for (uint32_t i = 0; i < 8; ++i) {
        bend(&m, &w, body, &random, 0.06);
        REQUIRE_OK(abut_collide_self(w.scene, body, NULL, w.result, NULL));
        by_normals += proves_by_normals(&w, body, false);
    }
    REQUIRE(by_normals > 0);
    abut_counters work = {0};
    query.head.counters = &work;
    for (uint32_t i = 0; i < 600 && proves_by_normals(&w, body, false); ++i) {
        bend(&m, &w, body, &random, 1e-4);
        work = (abut_counters){0};
        REQUIRE_OK(abut_collide_self(w.scene, body, &query, w.result, NULL));
    }
    REQUIRE(!proves_by_normals(&w, body, false));
    bend(&m, &w, body, &random, 1e-4);
    work = (abut_counters){0};
    REQUIRE_OK(abut_collide_self(w.scene, body, &query, w.result, NULL));
    REQUIRE(work.blocks_certified > 0);
    REQUIRE(work.blocks_evaluated < abut_body_shape(w.scene, body)->tree.block_count / 4);
    world_free(&w);
    subject_free(&m);
}

static void test_same_everywhere(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_random shape_random = random_seed(21);
        subject m = subject_make(&shape_random, 1, modal == 1);
        uint64_t answer = 0;
        abut_counters first = {0};
        everywhere at = everywhere_each((const uint32_t[]){3, 0}, 5);
        while (everywhere_next(&at)) {
            where("modal %d, %s", modal, at.text);
            test_random random = random_seed(22);
            world w = world_make(&at.def, NULL);
            const abut_body_id body = subject_add(&m, &w);
            abut_collide_def query = abut_collide_def_default();
            abut_counters work = {0};
            query.head.counters = &work;
            uint64_t hash = 0;
            for (uint32_t i = 0; i < 8; ++i) {
                bend(&m, &w, body, &random, 0.1);
                REQUIRE_OK(abut_collide_self(w.scene, body, &query, w.result, NULL));
                const uint64_t one = result_hash(w.result);
                hash_bytes(&hash, &one, sizeof one);
            }
            if (at.first) {
                answer = hash;
                first = work;
            }
            REQUIRE(hash == answer);
            REQUIRE(!at.same_set || work.nodes_certified == first.nodes_certified);
            world_free(&w);
        }
        subject_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_are_true),
        cmocka_unit_test(test_certificates_come_back),
        cmocka_unit_test(test_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
