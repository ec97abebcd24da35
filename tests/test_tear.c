// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A slab is torn in two. In every frame the shape that was edited many times moves and answers like
// one made from scratch, and an edit costs what lies along the crack.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dynamics/tear.h"
#include "support/threads.h"
#include "support/world.h"

static tear* make_tear(uint32_t triangles, uint32_t frames, const abut_context_def* context) {
    tear_def def = tear_def_default();
    tear* t = NULL;
    def.triangles = triangles;
    def.frames = frames;
    def.context = context;
    REQUIRE_OK(tear_create(&def, &t, NULL));
    return t;
}

static abut_mesh_info health_of(const tear* t) {
    abut_mesh_info health;
    const abut_shape* shape = abut_body_shape(tear_scene(t), tear_slab(t));
    REQUIRE_OK(abut_mesh_inspect(abut_shape_mesh(shape), &health, NULL));
    return health;
}

// replaces ids of the fresh slab, which is the last body, by those of the torn one
static void renumber(pair_list* list, const abut_mesh* torn, uint32_t fresh) {
    const uint32_t count = abut_mesh_triangle_count(torn);
    const uint32_t* triangles = abut_mesh_triangles(torn);
    uint32_t* living = test_alloc(count, sizeof *living);
    for (uint32_t i = 0, n = 0; i < count; ++i) {
        if (triangles[3 * (size_t)i] != UINT32_MAX) {
            living[n++] = i;
        }
    }
    for (size_t i = 0; i < list->count; ++i) {
        abut_pair* p = &list->pairs[i];
        p->triangle_a = living[p->triangle_a];
        p->triangle_b = p->body_b == fresh ? living[p->triangle_b] : p->triangle_b;
        p->body_a = 0;
        p->body_b = p->body_b == fresh ? 0 : p->body_b;
    }
    free(living);
}

static void same_as_fresh(const tear* t, world* w) {
    abut_shape* shape = NULL;
    abut_body_id fresh;
    REQUIRE_OK(tear_build(t, &shape, NULL));
    REQUIRE_OK(abut_body_create(w->scene, shape, NULL, &fresh, NULL));
    REQUIRE_OK(abut_body_set_transforms(w->scene, fresh, tear_transforms(t), NULL, 0, NULL));
    const abut_mesh* torn = abut_shape_mesh(abut_body_shape(w->scene, tear_slab(t)));
    const uint32_t vertices = abut_mesh_vertex_count(torn);
    REQUIRE(abut_mesh_vertex_count(abut_shape_mesh(shape)) == vertices);
    REQUIRE(memcmp(abut_mesh_classes(torn), abut_mesh_classes(abut_shape_mesh(shape)),
                   vertices * sizeof(uint32_t)) == 0);
    for (uint32_t v = 0; v < vertices; ++v) {
        double p[2][3];
        REQUIRE_OK(abut_body_vertex(w->scene, tear_slab(t), v, p[0], NULL));
        REQUIRE_OK(abut_body_vertex(w->scene, fresh, v, p[1], NULL));
        REQUIRE(memcmp(p[0], p[1], sizeof p[0]) == 0);
    }
    for (int k = 0; k < 2; ++k) {
        const query_kind kind = k == 0 ? QUERY_SELF : QUERY_COLLIDE;
        pair_list lists[2] = {{0}};
        REQUIRE_OK(run_query(w->scene, kind, tear_slab(t), tear_wedge(t), NULL, w->result));
        pairs_append(&lists[0], w->result);
        REQUIRE_OK(run_query(w->scene, kind, fresh, tear_wedge(t), NULL, w->result));
        pairs_append(&lists[1], w->result);
        renumber(&lists[1], torn, fresh.index);
        require_same_pairs(&lists[0], &lists[1], k == 0 ? "self" : "collide");
        REQUIRE(lists[0].count == (k == 0 ? tear_now(t)->self_pairs : tear_now(t)->wedge_pairs));
        pairs_free(&lists[0]);
        pairs_free(&lists[1]);
    }
    REQUIRE_OK(abut_body_destroy(w->scene, fresh, NULL));
    abut_shape_destroy(shape);
}

// the slab is always closed; it is one piece until the crack is through, then two
static void test_every_frame_equals_a_fresh_shape(void** state) {
    (void)state;
    const uint32_t frames = effort(18, 40, 240);
    tear* t = make_tear(effort(400, 2500, 20000), frames, NULL);
    world w = {.scene = tear_scene(t)};
    REQUIRE_OK(abut_collide_result_create(tear_context(t), &w.result, NULL));
    size_t touched[2] = {0, 0};
    for (uint32_t f = 1; f <= frames; ++f) {
        where("frame %u", f);
        REQUIRE_OK(tear_step(t, NULL));
        const tear_frame* now = tear_now(t);
        const abut_mesh_info health = health_of(t);
        REQUIRE(health.boundary_edges == 0 && health.nonmanifold_edges == 0);
        REQUIRE(health.inconsistent_edges == 0);
        REQUIRE(health.components == (now->rows == tear_rows(t) ? 2 : 1));
        world_validate(&w, tear_slab(t));
        same_as_fresh(t, &w);
        touched[0] += now->self_pairs;
        touched[1] += now->wedge_pairs;
        if (f % (frames / 6) == 0) {
            REQUIRE(check_self(&w, tear_slab(t), NULL) == now->self_pairs);
            REQUIRE(check_between(&w, tear_slab(t), tear_wedge(t), NULL) == now->wedge_pairs);
        }
    }
    REQUIRE(tear_now(t)->rows == tear_rows(t));
    // apart, and free of contact
    REQUIRE(tear_now(t)->self_pairs == 0 && tear_now(t)->wedge_pairs == 0);
    REQUIRE(touched[0] > 0 && touched[1] > 0);
    abut_collide_result_destroy(w.result);
    tear_destroy(t);
}

static void test_an_edit_costs_what_changed(void** state) {
    (void)state;
    tear* t = make_tear(effort(8000, 20000, 20000), 120, NULL);
    uint32_t edits = 0;
    uint64_t built = 0;
    uint64_t all = 0;
    const uint32_t last = effort(20, 120, 120);
    for (uint32_t f = 1; f <= last; ++f) {
        where("frame %u", f);
        REQUIRE_OK(tear_step(t, NULL));
        const tear_frame* now = tear_now(t);
        const uint32_t blocks = now->work.blocks_reused + now->work.blocks_built;
        if (now->edited) {
            REQUIRE(blocks > effort(160, 400, 400) && now->changed > 0);
            REQUIRE(now->work.blocks_built <= 16);
            REQUIRE(now->work.bounds_built <= blocks / 8);
            REQUIRE(now->work.bounds_built + now->work.bounds_reused == blocks);
            ++edits;
            built += now->work.bounds_built;
            all += blocks;
        }
    }
    // each row of the slab has its own edit
    REQUIRE(last < 120 ? edits > 4 : edits == tear_rows(t));
    REQUIRE(12 * built <= all);
    tear_destroy(t);
}

static void test_threads_change_nothing(void** state) {
    (void)state;
    test_threads* threads = threads_create(3, 1);
    const abut_context_def context = threads_context_def(threads);
    tear* one = make_tear(effort(400, 1500, 1500), 20, NULL);
    tear* many = make_tear(effort(400, 1500, 1500), 20, &context);
    for (uint32_t f = 1; f <= effort(8, 20, 20); ++f) {
        where("frame %u", f);
        REQUIRE_OK(tear_step(one, NULL));
        REQUIRE_OK(tear_step(many, NULL));
        const tear_frame* a = tear_now(one);
        const tear_frame* b = tear_now(many);
        REQUIRE(memcmp(&a->work, &b->work, sizeof a->work) == 0);
        REQUIRE(a->self_pairs == b->self_pairs && a->wedge_pairs == b->wedge_pairs);
    }
    tear_destroy(one);
    tear_destroy(many);
    threads_destroy(threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_frame_equals_a_fresh_shape),
        cmocka_unit_test(test_an_edit_costs_what_changed),
        cmocka_unit_test(test_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
