// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates across edits: an edited shape shares those of the older one, its claims are true, and
// what an edit left unchanged stays proven.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/certified.h"
#include "support/claims.h"
#include "support/skin.h"

enum { NODES = 5, FIELDS = 3 };

// A surface that deforms by nodes or by fields.
typedef struct subject {
    bool modal;
    surface s;
    skin k;
    field_set f;
    world w;
    abut_shape* shape;
    abut_body_id body;
} subject;

static subject subject_make(test_random* random, surface s, bool modal) {
    subject m = {.modal = modal, .s = s, .w = world_make(NULL, NULL)};
    m.k = skin_make(random, &m.s, NODES, 3, ABUT_SCALAR_F32);
    m.f = make_fields(random, &m.s, FIELDS, 0.1, ABUT_SCALAR_F32, false);
    motion_def def = modal ? modal_def(&m.f) : blend_def(&m.k, NULL);
    def.block_triangles = 24;
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

// A random state; the less `size`, the nearer to rest.
static void bend(subject* m, test_random* random, double size) {
    if (m->modal) {
        double q[FIELDS];
        random_coordinates(random, q, FIELDS, size);
        set_coordinates(&m->w, m->body, q, FIELDS);
    } else {
        double t[NODES][12];
        gentle_transforms(random, t, NODES, size);
        set_transforms(&m->w, m->body, t, NODES, NULL, 0);
    }
}

static void edit(subject* m, const motion_edit_def* def) {
    abut_shape* edited = world_edit(m->shape, def, NULL);
    REQUIRE_OK(abut_body_set_shape(m->w.scene, m->body, edited, (abut_positions){0}, NULL));
    abut_shape_destroy(m->shape);
    m->shape = edited;
}

static uint32_t random_alive(const subject* m, test_random* random) {
    uint32_t id;
    do {
        id = random_below(random, m->s.triangle_count);
    } while (!abut__mesh_alive(m->shape->mesh, id));
    return id;
}

// Removes triangles, adds some between vertices of any kind, and gives a vertex other weights.
static void edit_randomly(subject* m, test_random* random, bool adds, bool changes) {
    motion_edit_def def = motion_edit_def_default();
    uint32_t removed[2] = {random_alive(m, random), 0};
    uint32_t added[3];
    const uint32_t vertex = random_below(random, m->s.vertex_count);
    const uint32_t node = random_below(random, NODES);
    const float one = 1;
    removed[1] = random_alive(m, random);
    def.removed_triangles = removed;
    def.removed_triangle_count = removed[0] != removed[1] ? 2 : 1;
    if (adds) {
        for (int c = 0; c < 3; ++c) {
            added[c] = (random_below(random, m->s.vertex_count / 3) * 3 + (uint32_t)c) %
                       m->s.vertex_count;
        }
        def.added_triangles = added;
        def.added_triangle_count = 1;
    }
    if (changes && !m->modal) {
        def.changed_vertices = &vertex;
        def.changed_vertex_count = 1;
        def.changed_weights = (abut_weights){
            .per_vertex = 1, .nodes = &node, .values = &one, .type = ABUT_SCALAR_F32};
    }
    edit(m, &def);
}

// Two sheets that meet in vertices at equal places, so that their classes may part.
static surface seamed_sheets(void) {
    surface left = surface_sheet(14, 14, 1);
    surface right = surface_sheet(14, 14, 1);
    surface_shift(&right, 1, 0, 0);
    surface s = surface_join(&left, &right);
    surface_free(&left);
    surface_free(&right);
    return s;
}

static surface any_surface(uint64_t seed) {
    return seed % 3 == 0   ? seamed_sheets()
           : seed % 3 == 1 ? two_sheets(14, 0.03)
                           : surface_ball(18, 24, 1);
}

static void test_claims_stay_true(void** state) {
    (void)state;
    uint32_t shared = 0;
    for (uint64_t seed = 1; seed <= effort(6, 30, 300); ++seed) {
        test_random random = random_seed(seed);
        subject m = subject_make(&random, any_surface(seed), seed % 2 == 0);
        bend(&m, &random, 0.05);
        (void)check_claims(&m.w, m.body);
        const void* first = abut__certified_made(m.shape);
        for (uint32_t i = 0; i < 6; ++i) {
            where("seed %u, edit %u", (unsigned)seed, i);
            edit_randomly(&m, &random, i % 3 == 1, i % 3 == 2);
            shared += abut__certified_made(m.shape) == first;
            (void)check_claims(&m.w, m.body);
            bend(&m, &random, i % 2 == 0 ? 0.03 : 0.4);
            (void)check_claims(&m.w, m.body);
        }
        subject_free(&m);
    }
    REQUIRE(shared > 0);
}

// Removed triangles cost no proof: the root is still proven, and nothing is made anew.
static void test_cut_keeps_the_proof_of_the_root(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_random random = random_seed(7 + (uint64_t)modal);
        subject m = subject_make(&random, surface_ball(24, 32, 1), modal == 1);
        bend(&m, &random, 0.001);
        abut_counters work = counters_of(&m.w, m.body);
        REQUIRE(work.nodes_certified == 1 && work.blocks_evaluated == 0);
        const void* first = abut__certified_made(m.shape);
        for (uint32_t i = 0; i < 5; ++i) {
            where("modal %d, cut %u", modal, i);
            edit_randomly(&m, &random, false, false);
            bend(&m, &random, 0.001);
            work = counters_of(&m.w, m.body);
            REQUIRE(abut__certified_made(m.shape) == first);
            REQUIRE(work.nodes_certified == 1 && work.blocks_evaluated == 0);
        }
        subject_free(&m);
    }
}

// A new triangle costs the proofs of its block and of the nodes above it alone.
static void test_new_triangle_is_local(void** state) {
    (void)state;
    test_random random = random_seed(11);
    subject m = subject_make(&random, surface_ball(40, 60, 1), false);
    bend(&m, &random, 0.001);
    (void)counters_of(&m.w, m.body);
    const void* first = abut__certified_made(m.shape);
    const uint32_t gone = 1000;
    motion_edit_def def = motion_edit_def_default();
    def.removed_triangles = &gone;
    def.removed_triangle_count = 1;
    def.added_triangles = m.s.triangles + 3 * (size_t)gone;
    def.added_triangle_count = 1;
    edit(&m, &def);
    bend(&m, &random, 0.001);
    const abut_counters work = counters_of(&m.w, m.body);
    REQUIRE(abut__certified_made(m.shape) == first);
    REQUIRE(work.nodes_certified > 1 && work.blocks_evaluated > 0);
    REQUIRE(work.blocks_evaluated < m.shape->tree.block_count / 3);
    subject_free(&m);
}

// Where much has changed, all certificates are made anew.
static void test_many_changes_make_them_anew(void** state) {
    (void)state;
    test_random random = random_seed(13);
    subject m = subject_make(&random, surface_ball(24, 32, 1), false);
    bend(&m, &random, 0.001);
    (void)counters_of(&m.w, m.body);
    uint32_t* all = test_alloc(m.s.vertex_count, sizeof *all);
    uint32_t* nodes = test_alloc(m.s.vertex_count, sizeof *nodes);
    float* ones = test_alloc(m.s.vertex_count, sizeof *ones);
    for (uint32_t v = 0; v < m.s.vertex_count; ++v) {
        all[v] = v;
        nodes[v] = 0;
        ones[v] = 1;
    }
    motion_edit_def def = motion_edit_def_default();
    def.changed_vertices = all;
    def.changed_vertex_count = m.s.vertex_count;
    def.changed_weights = (abut_weights){
        .per_vertex = 1, .nodes = nodes, .values = ones, .type = ABUT_SCALAR_F32};
    edit(&m, &def);
    REQUIRE(abut__certified_made(m.shape) == NULL);
    bend(&m, &random, 0.5);  // one node moves all: any state is a rotation and a stretch
    const abut_counters work = counters_of(&m.w, m.body);
    REQUIRE(work.nodes_certified == 1 && work.blocks_evaluated == 0);
    free(all);
    free(nodes);
    free(ones);
    subject_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_stay_true),
        cmocka_unit_test(test_cut_keeps_the_proof_of_the_root),
        cmocka_unit_test(test_new_triangle_is_local),
        cmocka_unit_test(test_many_changes_make_them_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
