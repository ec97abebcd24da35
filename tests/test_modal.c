// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The modal motion: vertices follow the documented formula, boxes contain them for any coordinates,
// and queries find the pairs of brute force.

#include "test_modal_support.h"
#include "support/motion_def.h"

static void test_vertices_are_the_formula(void** state) {
    (void)state;
    test_random random = random_seed(11);
    for (uint32_t round = 0; round < effort(8, 20, 200); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 12, 1);
        const uint32_t count = round % 4 == 0 ? 0 : 1 + random_below(&random, 70);
        field_set f = make_fields(&random, &s, count, 0.3,
                                  round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64,
                                  round % 3 == 0);
        const abut_body_id body = add_modal(&w, &s, &f, 48);
        double q[80] = {0};
        check_vertices(&w, body, &s, &f, q);
        random_coordinates(&random, q, count, 3);
        set_coordinates(&w, body, q, count);
        check_vertices(&w, body, &s, &f, q);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// the same fields with padding between values, or as lists of the vertices that move
static void test_strides_and_lists(void** state) {
    (void)state;
    test_random random = random_seed(12);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    field_set f = make_fields(&random, &s, 6, 0.3, ABUT_SCALAR_F64, true);
    double* padded = test_alloc(5 * (size_t)s.vertex_count, sizeof *padded);
    uint32_t* moved = test_alloc(s.vertex_count, sizeof *moved);
    double* listed = test_alloc(3 * (size_t)s.vertex_count, sizeof *listed);
    size_t listed_count = 0;
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        memcpy(padded + 5 * (size_t)v, field_at(&f, 2, v), 3 * sizeof(double));
        padded[5 * (size_t)v + 3] = padded[5 * (size_t)v + 4] = NAN;
        const double* u = field_at(&f, 4, v);
        if (u[0] != 0 || u[1] != 0 || u[2] != 0) {
            memcpy(listed + 3 * listed_count, u, 3 * sizeof(double));
            moved[listed_count++] = v;
        }
    }
    assert_true(listed_count > 0 && listed_count < s.vertex_count);
    f.fields[2].values = (abut_positions){padded, s.vertex_count, 5 * sizeof(double),
                                          ABUT_SCALAR_F64};
    f.fields[4] = (abut_field){abut_positions_f64(listed, listed_count), moved};
    const abut_body_id body = add_modal(&w, &s, &f, 48);
    double q[6];
    random_coordinates(&random, q, 6, 2);
    set_coordinates(&w, body, q, 6);
    check_vertices(&w, body, &s, &f, q);
    world_validate(&w, body);
    free(padded);
    free(moved);
    free(listed);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// every vertex is in every box above it: over many orders of magnitude, near and far, rotated or
// not
static void test_boxes_hold_vertices(void** state) {
    (void)state;
    test_random random = random_seed(13);
    for (uint32_t round = 0; round < effort(30, 120, 3000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        double size;
        surface s = surface_any_ball(&random, 6, 9, 60, &size);
        const uint32_t count = 1 + random_below(&random, 20);
        field_set f = random_fields(&random, &s, count, 60);
        const abut_body_id body = add_modal(&w, &s, &f, 1 + random_below(&random, 48));
        check_any_states(&w, body, &random, count);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// values for which a product or a float underflows or overflows
static void test_extreme_values(void** state) {
    (void)state;
    test_random random = random_seed(14);
    static const double sizes[][2] = {{1e-45, 1e38},   {1e-42, 1e30},   {1e-300, 1e300},
                                      {1e300, 1e-300}, {1e-310, 1e307}, {1e30, 1e7},
                                      {1e37, 10},      {1e30, 1e30},    {1e37, 4e-45},
                                      {3e36, 1e-42},   {1e50, 1e-50}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        where("sizes %g and %g", sizes[i][0], sizes[i][1]);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        if (sizes[i][0] < 1e38 && sizes[i][1] < 1e-40) {  // as small as its displacements
            surface_scale(&s, sizes[i][0] * sizes[i][1]);
        }
        field_set f = make_fields(&random, &s, 3, sizes[i][0], ABUT_SCALAR_F64, false);
        const abut_body_id body = add_modal(&w, &s, &f, 8);
        const abut_body_id other = add_modal(&w, &s, &f, 8);
        double q[3];
        random_coordinates(&random, q, 3, sizes[i][1]);
        set_coordinates(&w, body, q, 3);
        world_validate(&w, body);
        world_frame(&w, body, frame_random(&random, 1));
        world_validate(&w, body);
        (void)check_between(&w, body, other, NULL);
        (void)check_self(&w, body, NULL);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// A field of the largest doubles with a coordinate of 0 changes nothing.
static void test_greatest_fields_at_rest(void** state) {
    (void)state;
    test_random random = random_seed(35);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    field_set f = make_fields(&random, &s, 2, 0, ABUT_SCALAR_F64, false);
    for (size_t i = 0; i < (size_t)6 * s.vertex_count; ++i) {
        f.u[i] = i % 2 == 0 ? DBL_MAX : -DBL_MAX;
    }
    const abut_body_id a = add_modal(&w, &s, &f, 8);
    const abut_body_id b = add_modal(&w, &s, &f, 8);
    const double rest[2] = {0, -0.0};
    set_coordinates(&w, a, rest, 2);
    abut_frame frame = abut_frame_identity();
    frame.t[0] = 0.5;
    world_frame(&w, b, frame);
    abut_box box;
    REQUIRE_OK(abut_body_box(w.scene, a, &box, NULL));
    for (int d = 0; d < 3; ++d) {
        assert_true(box.lo[d] <= -0.9 && box.lo[d] > -1.001);
        assert_true(box.hi[d] >= 0.9 && box.hi[d] < 1.001);
    }
    assert_true(check_collide_all(&w, NULL) > 0);
    world_validate(&w, a);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(15);
    size_t hits[3] = {0, 0, 0};
    for (uint32_t round = 0; round < effort(12, 40, 1000); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface ball = surface_ball(8, 12, 1);
        surface sheet = surface_sheet(9, 9, 3);
        const uint32_t count = random_below(&random, 14);
        field_set f = make_fields(&random, &ball, count, 0.5, ABUT_SCALAR_F32,
                                  random_chance(&random, 0.5));
        field_set g = make_fields(&random, &sheet, 5, 0.5, ABUT_SCALAR_F64, false);
        const abut_body_id a = add_modal(&w, &ball, &f, 1 + random_below(&random, 48));
        const abut_body_id b = add_modal(&w, &sheet, &g, 16);
        const abut_body_id c = world_add(&w, &ball, NULL, NULL);
        for (int step = 0; step < 4; ++step) {
            double q[14];
            random_coordinates(&random, q, count, 1);
            set_coordinates(&w, a, q, count);
            random_coordinates(&random, q, 5, 1);
            set_coordinates(&w, b, q, 5);
            if (random_chance(&random, 0.5)) {
                world_frame(&w, a, frame_random(&random, 0.5));
            }
            world_frame(&w, c, frame_random(&random, 0.5));
            abut_collide_def def = abut_collide_def_default();
            def.margin = random_chance(&random, 0.2) ? 0.05 : 0;
            hits[0] += check_between(&w, a, b, &def);
            hits[1] += check_collide_all(&w, &def);
            hits[2] += check_self(&w, a, &def);
        }
        free_fields(&f);
        free_fields(&g);
        surface_free(&ball);
        surface_free(&sheet);
        world_free(&w);
    }
    assert_true(hits[0] > 0 && hits[1] > 0 && hits[2] > 0);
}

// Two lips that coincide at rest are one class of vertices until a field opens them. Then they are
// two classes and may touch.
static void test_fields_split_classes(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface one = surface_sheet(3, 3, 1);
    surface both = surface_join(&one, &one);
    double* u = test_alloc(3 * (size_t)both.vertex_count, sizeof *u);
    abut_field field = {abut_positions_f64(u, both.vertex_count), NULL};
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.fields = &field;
    def.field_count = 1;
    const abut_body_id closed = world_add(&w, &both, &def, NULL);
    const uint32_t* classes = abut_mesh_classes(abut_shape_mesh(abut_body_shape(w.scene, closed)));
    assert_int_equal(classes[one.vertex_count], 0);
    for (uint32_t v = one.vertex_count; v < both.vertex_count; ++v) {
        u[3 * (size_t)v + 2] = 1;
    }
    const abut_body_id open = world_add(&w, &both, &def, NULL);
    classes = abut_mesh_classes(abut_shape_mesh(abut_body_shape(w.scene, open)));
    assert_int_equal(classes[one.vertex_count], one.vertex_count);
    assert_true(check_self(&w, open, NULL) > check_self(&w, closed, NULL));
    const double apart = 0.5;
    set_coordinates(&w, open, &apart, 1);
    assert_int_equal(check_self(&w, open, NULL), 0);
    free(u);
    surface_free(&one);
    surface_free(&both);
    world_free(&w);
}

// Every field moves its own patch, so that neighbours have lists of fields of the same length with
// different fields, also beyond the first 64.
static void test_patchwork(void** state) {
    (void)state;
    test_random random = random_seed(32);
    for (int round = 0; round < 6; ++round) {
        const int bound = round / 2;
        world w = world_make(NULL, NULL);
        surface s = surface_sheet(30, 30, 30);
        field_set f = make_fields(&random, &s, 100, 0, ABUT_SCALAR_F32, false);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            const double* p = s.xyz + 3 * (size_t)v;
            const uint32_t patch = 10 * (uint32_t)fmin(9, p[0] / 3) + (uint32_t)fmin(9, p[1] / 3);
            for (uint32_t d = 0; d < 3;
                 ++d) {  // anywhere, or far away and nearly the same in a patch
                const size_t place = 3 * ((size_t)patch * s.vertex_count + v) + d;
                f.narrow[place] = (float)random_double(&random, round % 2 == 0 ? -2 : 8,
                                                       round % 2 == 0 ? 2 : 9);
                f.u[place] = (double)f.narrow[place];
            }
        }
        motion_def def = modal_def(&f);
        set_bound(&def, bound);
        def.block_triangles = 6;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double q[100];
        size_t hits = 0;
        for (int step = 0; step < 12; ++step) {
            where("round %d, step %d", round, step);
            for (int j = 0; j < 100; ++j) {
                q[j] = random_chance(&random, 0.3) ? random_double(&random, -1, 1) : 0;
            }
            set_coordinates(&w, body, q, 100);
            world_validate(&w, body);
            hits += check_self(&w, body, NULL);
        }
        assert_true(hits > 0);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

static double seconds_to_make(const world* w, const surface* s, const motion_def* def) {
    double least = INFINITY;
    for (int i = 0; i < 3; ++i) {
        const clock_t begin = clock();  // processor time, because other programs may run
        abut_shape* shape = world_shape(w, s, def);
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC);
        abut_shape_destroy(shape);
    }
    return least;
}

// The same numbers as few fields of all vertices or as many fields of a few vertices. Making the
// shape takes about the same time, instead of a time that grows with the number of fields.
static void test_lists_are_cheap(void** state) {
    (void)state;
#if defined(__wasm__)
    skip();  // engines compile while the test runs, and times say little
#endif
    enum { PARTS = 40 };
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(70, 70, 1);
    float* u = test_alloc(3 * (size_t)s.vertex_count, sizeof *u);
    uint32_t* ids = test_alloc(s.vertex_count, sizeof *ids);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        ids[v] = v;
        for (uint32_t d = 0; d < 3; ++d) {
            u[3 * v + d] = sinf((float)(v + d));
        }
    }
    abut_field fields[PARTS * PARTS];
    for (uint32_t j = 0; j < PARTS * PARTS; ++j) {
        const uint32_t first = j % PARTS * s.vertex_count / PARTS;
        const uint32_t end = (j % PARTS + 1) * s.vertex_count / PARTS;
        fields[j] = (abut_field){abut_positions_f32(u + 3 * (size_t)first, end - first),
                                 ids + first};
    }
    const abut_field dense = {abut_positions_f32(u, s.vertex_count), NULL};
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.fields = fields;
    def.field_count = PARTS * PARTS;
    const double listed = seconds_to_make(&w, &s, &def);
    for (uint32_t j = 0; j < PARTS; ++j) {
        fields[j] = dense;
    }
    def.field_count = PARTS;
    const double whole = seconds_to_make(&w, &s, &def);
    print_message("%d fields in parts: %.3f s; %d whole ones: %.3f s\n", PARTS * PARTS, listed,
                  PARTS, whole);
    assert_true(listed < 6 * whole);
    free(u);
    free(ids);
    surface_free(&s);
    world_free(&w);
}

static void require_refused(world* w, const surface* s, const motion_def* def, const char* wanted) {
    abut_shape* shape = NULL;
    abut_error error;
    assert_int_not_equal(world_try_shape(w, s, def, &shape, &error), ABUT_OK);
    assert_null(shape);
    if (strstr(error.message, wanted) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, wanted);
    }
}

static void test_bad_fields_are_named(void** state) {
    (void)state;
    test_random random = random_seed(16);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    field_set f = make_fields(&random, &s, 3, 1, ABUT_SCALAR_F64, false);
    motion_def def = modal_def(&f);
    field_at(&f, 1, 7)[2] = NAN;
    require_refused(&w, &s, &def, "field 1: vertex 7 is not finite");
    field_at(&f, 1, 7)[2] = -INFINITY;
    require_refused(&w, &s, &def, "field 1: vertex 7 is not finite");
    field_at(&f, 1, 7)[2] = 0;
    --f.fields[2].values.count;
    require_refused(&w, &s, &def, "field 2 has");
    const uint32_t beyond[2] = {3, s.vertex_count};
    f.fields[2] = (abut_field){abut_positions_f64(f.u, 2), beyond};
    require_refused(&w, &s, &def, "field 2 moves vertex");
    const uint32_t descending[2] = {5, 5};
    f.fields[2].vertices = descending;
    require_refused(&w, &s, &def, "must ascend");
    f.fields[2].values.count = SIZE_MAX;  // refused before any element beyond the end is read
    require_refused(&w, &s, &def, "field 2 lists");
    f.fields[2] = (abut_field){{NULL, s.vertex_count, 0, ABUT_SCALAR_F32}, NULL};
    require_refused(&w, &s, &def, "field 2");
    def.fields = NULL;
    require_refused(&w, &s, &def, "pointer is NULL");
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

static void test_bad_coordinates_are_named(void** state) {
    (void)state;
    test_random random = random_seed(17);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    field_set f = make_fields(&random, &s, 3, 1, ABUT_SCALAR_F64, false);
    const abut_body_id body = add_modal(&w, &s, &f, 48);
    const abut_body_id plain = world_add(&w, &s, NULL, NULL);
    const double good[3] = {1, 2, 3};
    set_coordinates(&w, body, good, 3);
    static const double bad[][3] = {{0, NAN, 0}, {0, 0, INFINITY}, {DBL_MAX, DBL_MAX, DBL_MAX}};
    static const char* const texts[] = {"coordinate 1 is not finite", "coordinate 2 is not finite",
                                        "beyond what a double can hold"};
    abut_error error;
    for (int i = 0; i < 3; ++i) {
        REQUIRE_STATUS(abut_body_set_coordinates(w.scene, body, bad[i], 3, &error),
                       ABUT_ERR_INVALID_DATA);
        assert_non_null(strstr(error.message, texts[i]));
    }
    REQUIRE_STATUS(abut_body_set_coordinates(w.scene, body, good, 2, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "2 coordinates were given, but the shape has 3"));
    REQUIRE_STATUS(abut_body_set_coordinates(w.scene, body, NULL, 3, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_set_coordinates(w.scene, plain, good, 3, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_set_positions(w.scene, body, abut_positions_f64(s.xyz, s.vertex_count),
                                           &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "modal"));
    check_vertices(&w, body, &s, &f, good);  // the last good state stays
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// a body keeps its coordinates when triangles are removed or its tree is rebuilt
static void test_edits_keep_coordinates(void** state) {
    (void)state;
    test_random random = random_seed(18);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    field_set f = make_fields(&random, &s, 4, 0.8, ABUT_SCALAR_F32, true);
    const abut_body_id body = add_modal(&w, &s, &f, 8);
    const double q[4] = {1, -0.5, 0.7, 0.2};
    set_coordinates(&w, body, q, 4);
    const uint32_t removed[3] = {4, 40, 41};
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = removed;
    edit.removed_triangle_count = 3;
    abut_shape* edited = NULL;
    abut_edit_work work;
    REQUIRE_OK(motion_edit(abut_body_shape(w.scene, body), &edit, &edited, &work, NULL));
    assert_true(work.blocks_reused > 0);
    REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
    abut_shape_destroy(edited);
    check_vertices(&w, body, &s, &f, q);
    world_validate(&w, body);
    (void)check_self(&w, body, NULL);
    REQUIRE_OK(abut_body_rebuild_tree(w.scene, body, 1, &work, NULL));
    check_vertices(&w, body, &s, &f, q);
    world_validate(&w, body);
    (void)check_self(&w, body, NULL);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// coordinates that fit one shape may be too large for the fields of another
static void test_a_shape_too_large_is_refused(void** state) {
    (void)state;
    test_random random = random_seed(30);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(5, 7, 1);
    field_set f = make_fields(&random, &s, 2, 1, ABUT_SCALAR_F64, false);
    field_set longer = make_fields(&random, &s, 2, 1e200, ABUT_SCALAR_F64, false);
    const abut_body_id body = add_modal(&w, &s, &f, 48);
    const double q[2] = {1, 1e200};
    set_coordinates(&w, body, q, 2);
    const motion_def def = modal_def(&longer);
    abut_shape* shape = world_shape(&w, &s, &def);
    abut_error error;
    REQUIRE_STATUS(abut_body_set_shape(w.scene, body, shape, (abut_positions){0}, &error),
                   ABUT_ERR_INVALID_DATA);
    assert_int_equal(error.index, 1);
    assert_non_null(strstr(error.message, "beyond what a double can hold"));
    check_vertices(&w, body, &s, &f, q);  // shape and state stay
    world_validate(&w, body);
    abut_shape_destroy(shape);
    free_fields(&f);
    free_fields(&longer);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_are_the_formula),
        cmocka_unit_test(test_strides_and_lists),
        cmocka_unit_test(test_boxes_hold_vertices),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_greatest_fields_at_rest),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_fields_split_classes),
        cmocka_unit_test(test_patchwork),
        cmocka_unit_test(test_lists_are_cheap),
        cmocka_unit_test(test_bad_fields_are_named),
        cmocka_unit_test(test_bad_coordinates_are_named),
        cmocka_unit_test(test_edits_keep_coordinates),
        cmocka_unit_test(test_a_shape_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
