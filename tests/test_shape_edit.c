// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Edited shapes: after any sequence of edits a shape answers like one made from scratch, its tree
// is sound, and the cost is that of the change.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/brute.h"
#include "support/world.h"
#include "test_edit_support.h"

// the expected mesh after edits: ids are never used twice, dead triangles stay
typedef struct model {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t alive;
    double xyz[3 * 4000];
    uint32_t triangles[3 * 6000];
    uint32_t classes[4000];
} model;

static model* model_make(const surface* s) {
    model* m = test_alloc(1, sizeof *m);
    m->vertex_count = s->vertex_count;
    m->triangle_count = m->alive = s->triangle_count;
    memcpy(m->xyz, s->xyz, 3 * sizeof(double) * (size_t)s->vertex_count);
    memcpy(m->triangles, s->triangles, 3 * sizeof(uint32_t) * (size_t)s->triangle_count);
    brute_classes(m->xyz, m->vertex_count, m->classes);
    return m;
}

static uint32_t random_living(const model* m, test_random* random) {
    for (;;) {
        const uint32_t id = random_below(random, m->triangle_count);
        if (m->triangles[3 * (size_t)id] != UINT32_MAX) {
            return id;
        }
    }
}

// selects up to `count` living triangles to remove; they are dead in the model from now on
static uint32_t choose_removed(model* m, test_random* random, uint32_t count, uint32_t* ids) {
    uint32_t n = 0;
    while (n < count && m->alive > 1) {
        ids[n] = random_living(m, random);
        memset(m->triangles + 3 * (size_t)ids[n], 0xff, 3 * sizeof(uint32_t));
        --m->alive;
        ++n;
    }
    return n;
}

static uint32_t choose_vertices(model* m, test_random* random, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        double* p = m->xyz + 3 * (size_t)m->vertex_count;
        if (random_chance(random, 0.4)) {  // at the place of another one: the same class
            memcpy(p, m->xyz + 3 * (size_t)random_below(random, m->vertex_count),
                   3 * sizeof(double));
        } else {
            for (int d = 0; d < 3; ++d) {
                p[d] = random_dyadic(random, 8, 0.25);
            }
        }
        ++m->vertex_count;
    }
    brute_classes(m->xyz, m->vertex_count, m->classes);
    return count;
}

static uint32_t choose_added(model* m, test_random* random, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t* t = m->triangles + 3 * (size_t)m->triangle_count++;
        const uint32_t from = random_below(random, m->vertex_count);
        for (uint32_t c = 0; c < 3; ++c) {  // mostly near each other
            t[c] = random_chance(random, 0.1) ? random_below(random, m->vertex_count)
                                              : (from + random_below(random, 3)) % m->vertex_count;
        }
        ++m->alive;
    }
    return count;
}

static abut_shape* edit_once(const abut_shape* shape, model* m, test_random* random,
                             abut_edit_work* work) {
    uint32_t removed[64];
    const uint32_t old_vertices = m->vertex_count;
    const uint32_t old_triangles = m->triangle_count;
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = removed;
    edit.removed_triangle_count = choose_removed(m, random, random_below(random, 20), removed);
    edit.added_vertices.count = choose_vertices(m, random, random_below(random, 6));
    edit.added_vertices.data = m->xyz + 3 * (size_t)old_vertices;
    edit.added_vertices.type = ABUT_SCALAR_F64;
    edit.added_triangle_count = choose_added(m, random, random_below(random, 20));
    edit.added_triangles = m->triangles + 3 * (size_t)old_triangles;
    double* state = NULL;
    if (random_chance(random, 0.15)) {
        edit.rebuild = true;
        if (random_chance(random, 0.5)) {  // for another state than rest
            state = test_alloc(3 * (size_t)m->vertex_count, sizeof *state);
            for (size_t i = 0; i < 3 * (size_t)m->vertex_count; ++i) {
                state[i] = random_double(random, -5, 5);
            }
            edit.rebuild_positions = abut_positions_f64(state, m->vertex_count);
        }
    }
    abut_shape* edited = NULL;
    abut_error error = {0};
    const abut_status status = motion_edit(shape, &edit, &edited, work, &error);
    if (status != ABUT_OK) {
        print_error("edit: %s; %s\n", error.message, where_text());
        fail();
    }
    free(state);
    return edited;
}

static void check_mesh(const abut_shape* shape, const model* m) {
    const abut_mesh* mesh = abut_shape_mesh(shape);
    REQUIRE(abut_mesh_vertex_count(mesh) == m->vertex_count);
    REQUIRE(abut_mesh_triangle_count(mesh) == m->triangle_count);
    REQUIRE(memcmp(abut_mesh_triangles(mesh), m->triangles,
                   3 * sizeof(uint32_t) * (size_t)m->triangle_count) == 0);
    REQUIRE(memcmp(abut_mesh_classes(mesh), m->classes,
                   sizeof(uint32_t) * (size_t)m->vertex_count) == 0);
    const abut_positions rest = abut_mesh_rest_positions(mesh);
    REQUIRE(rest.type == ABUT_SCALAR_F64);
    REQUIRE(memcmp(rest.data, m->xyz, 3 * sizeof(double) * (size_t)m->vertex_count) == 0);
    abut_error error = {0};
    if (abut_shape_validate(shape, &error) != ABUT_OK) {
        print_error("%s; %s\n", error.message, where_text());
        fail();
    }
}

static surface starting_surface(test_random* random) {
    surface sheet = surface_sheet(12, 12, 8);
    surface ball = surface_ball(8, 8, 3);
    surface_shift(&ball, 4, 4, 0);
    surface_shake(&sheet, random, 0.5, 0.125);
    surface both = surface_join(&sheet, &ball);
    surface_free(&sheet);
    surface_free(&ball);
    return both;
}

static void test_random_edits(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(3, 10, 100); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface start = starting_surface(&random);
        surface other = surface_soup(&random, 80, 6, 2, 0.25);
        motion_def def = motion_def_default();
        def.fan_out = 2 + random_below(&random, 7);
        def.block_triangles = 1 + random_below(&random, 24);
        model* m = model_make(&start);
        const abut_body_id body = world_add(&w, &start, &def, NULL);
        const abut_body_id against = world_add(&w, &other, NULL, NULL);
        abut_shape* shape = world_shape(&w, &start, &def);
        for (int step = 0; step < 25; ++step) {
            where("seed %llu, step %d", (unsigned long long)seed, step);
            abut_edit_work work = {0};
            abut_shape* edited = edit_once(shape, m, &random, &work);
            abut_shape_destroy(shape);
            shape = edited;
            check_mesh(shape, m);
            abut_tree_info stats;
            REQUIRE_OK(abut_shape_inspect(shape, &stats, NULL));
            REQUIRE(stats.blocks == work.blocks_reused + work.blocks_built);
            REQUIRE(stats.depth <= 64);
            if (step % 4 == 3) {
                const abut_positions now = abut_positions_f64(m->xyz, m->vertex_count);
                REQUIRE_OK(abut_body_set_shape(w.scene, body, shape, now, NULL));
                world_validate(&w, body);
                (void)check_self(&w, body, NULL);
                (void)check_between(&w, body, against, NULL);
            }
        }
        abut_shape_destroy(shape);
        surface_free(&start);
        surface_free(&other);
        free(m);
        world_free(&w);
    }
}

// the old shape is unchanged, and may be released before the new one or after it
static void test_edit_leaves_the_old_shape_unchanged(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface start = starting_surface(&random);
        model* m = model_make(&start);
        abut_shape* shapes[12];
        model* models[12];
        shapes[0] = world_shape(&w, &start, NULL);
        models[0] = model_make(&start);
        for (int i = 1; i < 12; ++i) {
            shapes[i] = edit_once(shapes[i - 1], m, &random, NULL);
            models[i] = test_alloc(1, sizeof **models);
            *models[i] = *m;
        }
        uint32_t order[12];
        random_permutation(&random, order, 12);
        for (int i = 0; i < 12; ++i) {
            check_mesh(shapes[order[i]], models[order[i]]);
            abut_shape_destroy(shapes[order[i]]);
            free(models[order[i]]);
        }
        free(m);
        surface_free(&start);
        world_free(&w);
    }
}

static void test_small_edits_build_little(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(71, 71, 71);  // 10082 triangles
    abut_shape* shape = world_shape(&w, &s, NULL);
    abut_tree_info before;
    REQUIRE_OK(abut_shape_inspect(shape, &before, NULL));
    for (uint32_t i = 0; i < 20; ++i) {
        where("triangle %u", i * 500);
        const uint32_t id = i * 500;
        motion_edit_def edit = motion_edit_def_default();
        edit.removed_triangles = &id;
        edit.removed_triangle_count = 1;
        abut_edit_work work = {0};
        abut_shape* edited = NULL;
        REQUIRE_OK(motion_edit(shape, &edit, &edited, &work, NULL));
        REQUIRE(work.blocks_built <= 2);
        REQUIRE(work.blocks_reused == before.blocks - 1);
        // one that only adds
        const uint32_t added[3] = {0, 1, 72 + 1};
        edit = motion_edit_def_default();
        edit.added_triangles = added;
        edit.added_triangle_count = 1;
        abut_shape* again = NULL;
        REQUIRE_OK(motion_edit(edited, &edit, &again, &work, NULL));
        REQUIRE(work.blocks_built == 1);
        // nothing at all
        edit = motion_edit_def_default();
        abut_shape* same = NULL;
        REQUIRE_OK(motion_edit(again, &edit, &same, &work, NULL));
        REQUIRE(work.blocks_built == 0 && work.blocks_reused == before.blocks + 1);
        abut_shape_destroy(edited);
        abut_shape_destroy(again);
        REQUIRE_OK(abut_shape_validate(same, NULL));
        abut_shape_destroy(same);
    }
    // rebuilding shares nothing
    motion_edit_def edit = motion_edit_def_default();
    edit.rebuild = true;
    abut_edit_work work = {0};
    abut_shape* rebuilt = NULL;
    REQUIRE_OK(motion_edit(shape, &edit, &rebuilt, &work, NULL));
    REQUIRE(work.blocks_reused == 0 && work.blocks_built == before.blocks);
    abut_shape_destroy(rebuilt);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

// after hundreds of edits the tree is not degraded and memory has not grown
static void test_many_edits(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(40, 40, 40);
    abut_shape* shape = world_shape(&w, &s, NULL);
    abut_tree_info before;
    REQUIRE_OK(abut_shape_inspect(shape, &before, NULL));
    for (uint32_t i = 0; i < 400; ++i) {
        where("edit %u", i);
        const uint32_t id = i * 7;
        const uint32_t* old = abut_mesh_triangles(abut_shape_mesh(shape)) + 3 * (size_t)id;
        const uint32_t back[3] = {old[0], old[1], old[2]};
        motion_edit_def edit = motion_edit_def_default();
        edit.removed_triangles = &id;
        edit.removed_triangle_count = 1;
        edit.added_triangles = back;
        edit.added_triangle_count = 1;
        abut_shape* edited = NULL;
        REQUIRE_OK(motion_edit(shape, &edit, &edited, NULL, NULL));
        abut_shape_destroy(shape);
        shape = edited;
    }
    REQUIRE_OK(abut_shape_validate(shape, NULL));
    abut_tree_info after;
    REQUIRE_OK(abut_shape_inspect(shape, &after, NULL));
    REQUIRE(after.blocks <= 2 * before.blocks);
    REQUIRE(after.sah_cost <= 2 * before.sah_cost);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

// ---- bodies that switch

static void test_bodies_keep_positions_when_they_switch(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(3, 9, 90); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface start = starting_surface(&random);
        model* m = model_make(&start);
        const abut_body_id body = world_add(&w, &start, NULL, NULL);
        surface moved = surface_copy(&start);
        surface_shake(&moved, &random, 0.5, 0.0625);
        const int kind = (int)(seed % 3);  // at rest, copied as float, copied
        float* floats = test_alloc(3 * (size_t)start.vertex_count, sizeof *floats);
        for (size_t i = 0; i < 3 * (size_t)start.vertex_count; ++i) {
            floats[i] = (float)moved.xyz[i];
            moved.xyz[i] = kind == 0 ? start.xyz[i] : kind == 1 ? (double)floats[i] : moved.xyz[i];
        }
        if (kind == 1) {
            const abut_positions view = abut_positions_f32(floats, start.vertex_count);
            REQUIRE_OK(abut_body_set_positions(w.scene, body, view, NULL));
        } else if (kind == 2) {
            world_move(&w, body, moved.xyz);
        }
        world_frame(&w, body, frame_random(&random, 2));
        const abut_shape* before = abut_body_shape(w.scene, body);
        abut_shape* edited = edit_once(before, m, &random, NULL);
        const abut_positions keep = {0};
        REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, keep, NULL));
        assert_ptr_equal(abut_body_shape(w.scene, body), edited);
        abut_shape_destroy(edited);
        for (uint32_t v = 0; v < m->vertex_count; ++v) {
            double p[3];
            REQUIRE_OK(abut_body_vertex(w.scene, body, v, p, NULL));
            const double* wanted = v < start.vertex_count ? moved.xyz : m->xyz;
            REQUIRE(memcmp(p, wanted + 3 * (size_t)v, sizeof p) == 0);
        }
        world_validate(&w, body);
        (void)check_self(&w, body, NULL);
        free(floats);
        surface_free(&start);
        surface_free(&moved);
        free(m);
        world_free(&w);
    }
}

static void test_borrowed_positions_and_shapes(void** state) {
    (void)state;
    where("borrowed");
    test_random random = random_seed(4);
    world w = world_make(NULL, NULL);
    surface start = starting_surface(&random);
    const abut_body_id body = world_add(&w, &start, NULL, NULL);
    const abut_positions view = abut_positions_f64(start.xyz, start.vertex_count);
    REQUIRE_OK(abut_body_borrow_positions(w.scene, body, view, NULL));
    const uint32_t id = 3;
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = &id;
    edit.removed_triangle_count = 1;
    abut_shape* fewer = NULL;
    REQUIRE_OK(motion_edit(abut_body_shape(w.scene, body), &edit, &fewer, NULL, NULL));
    const abut_positions keep = {0};
    REQUIRE_OK(abut_body_set_shape(w.scene, body, fewer, keep, NULL));
    (void)check_self(&w, body, NULL);
    // still borrowed: after the next state queries see what the caller writes
    surface_shake(&start, &random, 0.25, 0.125);
    REQUIRE_OK(abut_body_borrow_positions(w.scene, body, view, NULL));
    (void)check_self(&w, body, NULL);
    const double more[3] = {1, 2, 3};
    edit = motion_edit_def_default();
    edit.added_vertices = abut_positions_f64(more, 1);
    abut_shape* longer = NULL;
    REQUIRE_OK(motion_edit(fewer, &edit, &longer, NULL, NULL));
    REQUIRE_STATUS(abut_body_set_shape(w.scene, body, longer, keep, NULL), ABUT_ERR_STATE);
    assert_ptr_equal(abut_body_shape(w.scene, body), fewer);
    (void)check_self(&w, body, NULL);
    abut_shape_destroy(fewer);
    abut_shape_destroy(longer);
    surface_free(&start);
    world_free(&w);
}

// ---- refused edits

static void test_refused_edits(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(3, 3, 3);  // 18 triangles, 16 vertices
    abut_shape* whole = world_shape(&w, &s, NULL);
    motion_edit_def edit = motion_edit_def_default();
    const uint32_t five[2] = {5, 5};
    edit.removed_triangles = five;
    edit.removed_triangle_count = 1;
    abut_shape* shape = NULL;
    REQUIRE_OK(motion_edit(whole, &edit, &shape, NULL, NULL));
    refuse(shape, &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, 5, "a dead triangle");
    edit.removed_triangle_count = 2;
    refuse(whole, &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, 5, "one twice");
    const uint32_t beyond = 18;
    edit.removed_triangles = &beyond;
    edit.removed_triangle_count = 1;
    refuse(whole, &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, 18, "no such triangle");
    uint32_t all[18];
    for (uint32_t i = 0; i < 18; ++i) {
        all[i] = i;
    }
    edit.removed_triangles = all;
    edit.removed_triangle_count = 18;
    refuse(whole, &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "all of them");
    // removing all of them is fine if new ones are added
    const uint32_t added[6] = {0, 1, 2, 3, 4, 16};
    edit.added_triangles = added;
    edit.added_triangle_count = 1;
    abut_shape* other = NULL;
    REQUIRE_OK(motion_edit(whole, &edit, &other, NULL, NULL));
    REQUIRE_OK(abut_shape_validate(other, NULL));
    abut_shape_destroy(other);
    edit = motion_edit_def_default();
    edit.added_triangles = added;
    edit.added_triangle_count = 2;
    refuse(whole, &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, 19, "no such vertex");
    edit.added_triangles = NULL;
    refuse(whole, &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "NULL triangles");
    edit = motion_edit_def_default();
    const double strange[6] = {0, 0, 0, 1, (double)NAN, 1};
    edit.added_vertices = abut_positions_f64(strange, 2);
    refuse(whole, &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 17, "a vertex of NaN");
    const double fine[6] = {0};
    const uint32_t later[2] = {17, 17};
    edit.added_vertices = abut_positions_f64(fine, 2);
    edit.added_classes = later;
    refuse(whole, &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 16, "a class to come");
    edit = motion_edit_def_default();
    edit.rebuild = true;
    edit.rebuild_positions = abut_positions_f64(s.xyz, 15);
    refuse(whole, &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "too few positions");
    edit = motion_edit_def_default();
    edit.cookie = 0;
    refuse(whole, &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "no cookie");
    abut_shape_destroy(shape);
    abut_shape_destroy(whole);
    surface_free(&s);
    world_free(&w);
}

static void test_classes_of_added_vertices(void** state) {
    (void)state;
    where("classes");
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(1, 1, 1);
    abut_shape* shape = world_shape(&w, &s, NULL);
    // vertex 4 joins vertex 1 though it is elsewhere, 5 is alone though it is at 0, 6 joins 4
    const double added[9] = {9, 9, 9, 0, 0, 0, 7, 7, 7};
    const uint32_t classes[3] = {1, 5, 4};
    motion_edit_def edit = motion_edit_def_default();
    edit.added_vertices = abut_positions_f64(added, 3);
    edit.added_classes = classes;
    abut_shape* edited = NULL;
    REQUIRE_OK(motion_edit(shape, &edit, &edited, NULL, NULL));
    static const uint32_t wanted[7] = {0, 1, 2, 3, 1, 5, 1};
    REQUIRE(memcmp(abut_mesh_classes(abut_shape_mesh(edited)), wanted, sizeof wanted) == 0);
    // a vertex at the place of one that has joined a class joins it, too
    edit = motion_edit_def_default();
    edit.added_vertices = abut_positions_f64(added, 1);
    abut_shape* more = NULL;
    REQUIRE_OK(motion_edit(edited, &edit, &more, NULL, NULL));
    REQUIRE(abut_mesh_classes(abut_shape_mesh(more))[7] == 1);
    REQUIRE_OK(abut_shape_validate(more, NULL));
    abut_shape_destroy(more);
    // by the rule of the mesh: -0 equals 0
    const double zero[6] = {-0.0, 0, -0.0, 1, 1, -0.0};
    edit = motion_edit_def_default();
    edit.added_vertices = abut_positions_f64(zero, 2);
    abut_shape* again = NULL;
    REQUIRE_OK(motion_edit(shape, &edit, &again, NULL, NULL));
    const uint32_t* got = abut_mesh_classes(abut_shape_mesh(again));
    REQUIRE(got[4] == 0 && got[5] == 3);
    abut_shape_destroy(again);
    abut_shape_destroy(edited);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_edits),
        cmocka_unit_test(test_edit_leaves_the_old_shape_unchanged),
        cmocka_unit_test(test_small_edits_build_little),
        cmocka_unit_test(test_many_edits),
        cmocka_unit_test(test_bodies_keep_positions_when_they_switch),
        cmocka_unit_test(test_borrowed_positions_and_shapes),
        cmocka_unit_test(test_refused_edits),
        cmocka_unit_test(test_classes_of_added_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
