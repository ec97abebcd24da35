// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Promise 5 for meshes, shapes, bodies and their states: bad input returns a status, and the error
// names the element and says in a sentence what is wrong. The last good state stays: after every
// refused call, bodies and answers must be as before. Queries are in test_errors_query.c.
#include "test_errors_support.h"
#include "support/motion_def.h"

// counts that are too large: one of more than 32 bits, where sizes have more, and one whose triangles
// would take more bytes than a size can count
#if SIZE_MAX > UINT32_MAX
#define MANY ((size_t)1 << 32)
#define MANY_TRIANGLES (SIZE_MAX / 24)
#else
#define MANY (SIZE_MAX / 2 + 1)
#define MANY_TRIANGLES (SIZE_MAX / 3)
#endif

typedef void (*bad_positions_fn)(const world* w, abut_positions positions, uint32_t vertex);

static void for_bad_positions(const world* w, bad_positions_fn check) {
    static const uint32_t places[] = {0, 31, VERTICES - 1};
    double xyz[3 * VERTICES];
    double room[6 * VERTICES];
    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; ++l) {
        for (size_t p = 0; p < 3; ++p) {
            for (size_t d = 0; d < 3; ++d) {
                for (size_t k = 0; k < 4; ++k) {
                    fill_positions(xyz, 2);
                    xyz[3 * places[p] + d] = not_finite[k];
                    if (places[p] == 0) {
                        xyz[3 * 40] = NAN;  // the first bad vertex is named
                    }
                    check(w, spread(&layouts[l], xyz, room), places[p]);
                }
            }
        }
    }
}

static void check_bad_mesh(const world* w, abut_positions positions, uint32_t vertex) {
    abut_mesh_def def = good_mesh(w);
    def.positions = positions;
    abut_mesh* mesh = (abut_mesh*)0x1;
    abut_error error = fresh_error();
    const abut_status status = abut_mesh_create(w->context, &def, &mesh, &error);
    check_refused(w, "mesh", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex);
    assert_ptr_equal(mesh, (abut_mesh*)0x1);
    assert_int_equal(abut_mesh_create(w->context, &def, &mesh, NULL), ABUT_ERR_INVALID_DATA);
}

static void check_bad_state(const world* w, abut_positions positions, uint32_t vertex) {
    abut_error error = fresh_error();
    const abut_status status = abut_body_set_positions(w->scene, w->a, positions, &error);
    check_refused(w, "state", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex);
}

static void check_bad_rebuild(const world* w, abut_positions positions, uint32_t vertex) {
    motion_edit_def edit = motion_edit_def_default();
    edit.rebuild = true;
    edit.rebuild_positions = positions;
    abut_shape* shape = NULL;
    abut_error error = fresh_error();
    const abut_status status = motion_edit(w->shape, &edit, &shape, NULL, &error);
    check_refused(w, "rebuild", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex);
    assert_null(shape);
}

static void check_bad_added(const world* w, abut_positions positions, uint32_t vertex) {
    motion_edit_def edit = motion_edit_def_default();
    edit.added_vertices = positions;
    abut_shape* shape = NULL;
    abut_error error = fresh_error();
    const abut_status status = motion_edit(w->shape, &edit, &shape, NULL, &error);
    check_refused(w, "added", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX,
                  VERTICES + vertex);
    assert_null(shape);
}

static void check_bad_switch(const world* w, abut_positions positions, uint32_t vertex) {
    abut_error error = fresh_error();
    const abut_status status = abut_body_set_shape(w->scene, w->a, w->shape, positions, &error);
    check_refused(w, "switch", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex);
}

static void test_positions_not_finite(void** state) {
    for_bad_positions(*state, check_bad_mesh);
    for_bad_positions(*state, check_bad_state);
    for_bad_positions(*state, check_bad_rebuild);
    for_bad_positions(*state, check_bad_added);
    for_bad_positions(*state, check_bad_switch);
}

// the same positions in any layout give the same body
static void test_layouts_are_the_same(void** state) {
    world* w = *state;
    double xyz[3 * VERTICES];
    double room[6 * VERTICES];
    fill_positions(xyz, 3);
    for (size_t i = 0; i < 3 * (size_t)VERTICES; ++i) {
        volatile float rounded = (float)xyz[i];
        xyz[i] = (double)rounded;
    }
    uint64_t first = 0;
    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; ++l) {
        const abut_positions view = spread(&layouts[l], xyz, room);
        assert_int_equal(abut_body_set_positions(w->scene, w->a, view, NULL), ABUT_OK);
        memset(l % 2 == 0 ? room : xyz + 3 * VERTICES, 0, l % 2 == 0 ? sizeof room : 0);
        const uint64_t copied = answer_of(w);
        const abut_positions again = spread(&layouts[l], xyz, room);
        assert_int_equal(abut_body_borrow_positions(w->scene, w->a, again, NULL), ABUT_OK);
        assert_true(answer_of(w) == copied);
        abut_error error = {0};
        if (abut_body_validate(w->scene, w->a, &error) != ABUT_OK) {
            fail_msg("layout %zu: %s", l, error.message);
        }
        first = l == 0 ? copied : first;
        assert_true(copied == first);
    }
}

static void test_views(void** state) {
    world* w = *state;
    static double room[6 * VERTICES + 1];
    memset(room, 0, sizeof room);
    const char* bytes = (const char*)room;
    const struct {
        const char* what;
        abut_positions view;
        abut_status wanted;
    } cases[] = {
        {"NULL", {NULL, VERTICES, 0, ABUT_SCALAR_F64}, ABUT_ERR_INVALID_ARGUMENT},
        {"stride below", {room, VERTICES, 23, ABUT_SCALAR_F64}, ABUT_ERR_INVALID_ARGUMENT},
        {"stride 16", {room, VERTICES, 16, ABUT_SCALAR_F64}, ABUT_ERR_INVALID_ARGUMENT},
        {"stride 1", {room, VERTICES, 1, ABUT_SCALAR_F64}, ABUT_ERR_INVALID_ARGUMENT},
        {"stride 28", {room, VERTICES, 28, ABUT_SCALAR_F64}, ABUT_ERR_INVALID_ARGUMENT},
        {"float 8", {room, VERTICES, 8, ABUT_SCALAR_F32}, ABUT_ERR_INVALID_ARGUMENT},
        {"float 14", {room, VERTICES, 14, ABUT_SCALAR_F32}, ABUT_ERR_INVALID_ARGUMENT},
        {"misaligned", {bytes + 4, VERTICES, 24, ABUT_SCALAR_F64}, ABUT_ERR_INVALID_ARGUMENT},
        {"misaligned float", {bytes + 2, VERTICES, 12, ABUT_SCALAR_F32}, ABUT_ERR_INVALID_ARGUMENT},
        {"misaligned by 1", {bytes + 1, VERTICES, 12, ABUT_SCALAR_F32}, ABUT_ERR_INVALID_ARGUMENT},
        {"type 2", {room, VERTICES, 0, (abut_scalar)2}, ABUT_ERR_INVALID_ARGUMENT},
        {"type -1", {room, VERTICES, 0, (abut_scalar)-1}, ABUT_ERR_INVALID_ARGUMENT},
        {"long stride", {room, VERTICES, SIZE_MAX - 7, ABUT_SCALAR_F64}, ABUT_ERR_LIMIT},
        {"long stride 2", {room, VERTICES, SIZE_MAX / 16 + 1, ABUT_SCALAR_F64}, ABUT_ERR_LIMIT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        abut_error error = fresh_error();
        check_refused(w, cases[i].what,
                      abut_body_set_positions(w->scene, w->a, cases[i].view, &error), &error,
                      cases[i].wanted, ABUT_ELEMENT_NONE, 0);
        error = fresh_error();
        check_refused(w, cases[i].what,
                      abut_body_borrow_positions(w->scene, w->a, cases[i].view, &error), &error,
                      cases[i].wanted, ABUT_ELEMENT_NONE, 0);
        error = fresh_error();
        check_refused(w, cases[i].what,
                      abut_body_set_shape(w->scene, w->a, w->shape, cases[i].view, &error), &error,
                      cases[i].wanted, ABUT_ELEMENT_NONE, 0);
        error = fresh_error();
        abut_mesh_def def = good_mesh(w);
        def.positions = cases[i].view;
        abut_mesh* mesh = NULL;
        check_refused(w, cases[i].what, abut_mesh_create(w->context, &def, &mesh, &error), &error,
                      cases[i].wanted, ABUT_ELEMENT_NONE, 0);
        assert_null(mesh);
    }
}

static void test_counts(void** state) {
    world* w = *state;
    static const size_t wrong[] = {1,
                                   VERTICES - 1,
                                   VERTICES + 1,
                                   (size_t)1 << 30,
                                   MANY + VERTICES,
                                   SIZE_MAX,
                                   SIZE_MAX / 24 + VERTICES};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const abut_positions view = abut_positions_f64(w->xyz, wrong[i]);
        abut_error error = fresh_error();
        check_refused(w, "count", abut_body_set_positions(w->scene, w->a, view, &error), &error,
                      ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
        error = fresh_error();
        check_refused(w, "count", abut_body_borrow_positions(w->scene, w->a, view, &error), &error,
                      ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
        error = fresh_error();
        check_refused(w, "count", abut_body_set_shape(w->scene, w->a, w->shape, view, &error),
                      &error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    }
    abut_error error = fresh_error();
    check_refused(w, "none", abut_body_set_positions(w->scene, w->a, (abut_positions){0}, &error),
                  &error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
}

// ---- meshes

static void refuse_mesh(const world* w, const char* what, const abut_mesh_def* def,
                        abut_status wanted, abut_element element, uint64_t index) {
    abut_mesh* mesh = NULL;
    abut_error error = fresh_error();
    const abut_status status = abut_mesh_create(w->context, def, &mesh, &error);
    check_refused(w, what, status, &error, wanted, element, index);
    assert_null(mesh);
}

static void test_mesh_refused(void** state) {
    world* w = *state;
    abut_mesh_def def = good_mesh(w);
    def.positions.count = 0;
    refuse_mesh(w, "no vertex", &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good_mesh(w);
    def.triangle_count = 0;
    refuse_mesh(w, "no triangle", &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good_mesh(w);
    def.triangles = NULL;
    refuse_mesh(w, "triangles NULL", &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good_mesh(w);
    def.cookie = 0;
    refuse_mesh(w, "cookie", &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = good_mesh(w);
    def.class_rule = ABUT_CLASS_RULE_GIVEN;
    refuse_mesh(w, "classes NULL", &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    static const int rules[] = {3, -1, 1000};
    for (int i = 0; i < 3; ++i) {
        def = good_mesh(w);
        def.class_rule = (abut_class_rule)rules[i];
        refuse_mesh(w, "class rule", &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    }
    static const size_t counts[] = {(size_t)1 << 30, MANY, MANY + 1, MANY_TRIANGLES, SIZE_MAX};
    for (int i = 0; i < 5; ++i) {
        def = good_mesh(w);
        def.triangle_count = counts[i];
        refuse_mesh(w, "triangle count", &def, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0);
        def = good_mesh(w);
        def.positions.count = counts[i];
        refuse_mesh(w, "vertex count", &def, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0);
    }
    const abut_mesh_def zero = {0};
    refuse_mesh(w, "zeroed", &zero, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
}

static void test_indices(void** state) {
    world* w = *state;
    static const uint32_t bad[] = {VERTICES, VERTICES + 1, 1u << 30, UINT32_MAX};
    static const uint32_t places[] = {0, TRIANGLES / 2, TRIANGLES - 1};
    uint32_t triangles[3 * TRIANGLES];
    for (size_t k = 0; k < 4; ++k) {
        for (size_t p = 0; p < 3; ++p) {
            for (size_t c = 0; c < 3; ++c) {
                memcpy(triangles, w->triangles, sizeof triangles);
                triangles[3 * places[p] + c] = bad[k];
                abut_mesh_def def = good_mesh(w);
                def.triangles = triangles;
                refuse_mesh(w, "index", &def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE,
                            places[p]);
            }
        }
    }
}

// ---- shapes

static void refuse_shape(const world* w, const char* what, const motion_def* def) {
    abut_shape* shape = NULL;
    abut_error error = fresh_error();
    const abut_status status = motion_create(w->context, w->mesh, def, &shape, &error);
    check_refused(w, what, status, &error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    assert_null(shape);
}

static void test_shape_refused(void** state) {
    world* w = *state;
    static const uint32_t fan_outs[] = {0, 1, 9, UINT32_MAX};
    static const uint32_t blocks[] = {0, 49, UINT32_MAX};
    for (int i = 0; i < 4; ++i) {
        motion_def def = motion_def_default();
        def.fan_out = fan_outs[i];
        refuse_shape(w, "fan-out", &def);
    }
    for (int i = 0; i < 3; ++i) {
        motion_def def = motion_def_default();
        def.block_triangles = blocks[i];
        refuse_shape(w, "block", &def);
    }
    motion_def def = motion_def_default();
    def.ignored_tag_pair_count = 1;
    refuse_shape(w, "tags NULL", &def);
    def = motion_def_default();
    def.cookie += 1;
    refuse_shape(w, "cookie", &def);
    const motion_def zero = {0};
    refuse_shape(w, "zeroed", &zero);
}

static void refuse_edit(const world* w, const char* what, const motion_edit_def* edit,
                        abut_status wanted, abut_element element, uint64_t index) {
    abut_shape* shape = NULL;
    abut_edit_work work = {7, 7, 7, 7, 7, 7};
    abut_error error = fresh_error();
    const abut_status status = motion_edit(w->shape, edit, &shape, &work, &error);
    check_refused(w, what, status, &error, wanted, element, index);
    assert_null(shape);
    assert_int_equal(work.blocks_reused, 7);
    assert_int_equal(abut_shape_validate(w->shape, NULL), ABUT_OK);
}

static void test_edit_refused(void** state) {
    world* w = *state;
    static const struct {
        uint32_t ids[2];
        uint64_t blamed;
    } removed[] = {{{3, 3}, 3}, {{0, TRIANGLES}, TRIANGLES}, {{UINT32_MAX, 0}, UINT32_MAX}};
    for (int i = 0; i < 3; ++i) {
        motion_edit_def edit = motion_edit_def_default();
        edit.removed_triangles = removed[i].ids;
        edit.removed_triangle_count = 2;
        refuse_edit(w, "removed", &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE,
                    removed[i].blamed);
    }
    const uint32_t added[] = {0, 1, 2, 0, VERTICES + 1, 2};
    const double vertex[3] = {0, 0, 0};
    motion_edit_def edit = motion_edit_def_default();
    edit.added_triangles = added;
    edit.added_triangle_count = 2;
    edit.added_vertices = abut_positions_f64(vertex, 1);
    refuse_edit(w, "added", &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_TRIANGLE, TRIANGLES + 1);
    const uint32_t joined = VERTICES + 1;
    edit.added_triangle_count = 1;
    edit.added_classes = &joined;
    refuse_edit(w, "class", &edit, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, VERTICES);
    edit = motion_edit_def_default();
    edit.removed_triangle_count = 1;
    refuse_edit(w, "removed NULL", &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    edit = motion_edit_def_default();
    edit.added_triangle_count = 1;
    refuse_edit(w, "added NULL", &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    static const size_t counts[] = {(1u << 30) - TRIANGLES, MANY, SIZE_MAX - TRIANGLES};
    for (int i = 0; i < 3; ++i) {
        edit = motion_edit_def_default();
        edit.added_triangles = added;
        edit.added_triangle_count = counts[i];
        refuse_edit(w, "too many", &edit, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0);
        edit = motion_edit_def_default();
        edit.added_vertices = abut_positions_f64(vertex, counts[i] + (TRIANGLES - VERTICES));
        refuse_edit(w, "too many vertices", &edit, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0);
    }
    edit = motion_edit_def_default();
    edit.rebuild = true;
    edit.rebuild_positions = abut_positions_f64(w->xyz, VERTICES - 1);
    refuse_edit(w, "rebuild count", &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    edit.rebuild_positions = (abut_positions){NULL, VERTICES, 0, ABUT_SCALAR_F64};
    refuse_edit(w, "rebuild NULL", &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    uint32_t all[TRIANGLES];
    for (uint32_t t = 0; t < TRIANGLES; ++t) {
        all[t] = t;
    }
    edit = motion_edit_def_default();
    edit.removed_triangles = all;
    edit.removed_triangle_count = TRIANGLES;
    refuse_edit(w, "last triangle", &edit, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    const motion_edit_def zero = {0};
    refuse_edit(w, "zeroed", &zero, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
}

// ---- frames and bodies

static void test_frames_refused(void** state) {
    world* w = *state;
    for (int place = 0; place < 12; ++place) {
        for (int k = 0; k < 4; ++k) {
            abut_frame frame = abut_frame_identity();
            (place < 9 ? &frame.r[place / 3][place % 3] : &frame.t[place - 9])[0] = not_finite[k];
            abut_error error = fresh_error();
            const abut_status status = abut_body_set_frame(w->scene, w->a, &frame, &error);
            const uint64_t index = place < 9 ? error.index : (uint64_t)(place - 9);
            check_refused(w, "frame", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY,
                          index);
            abut_body_def def = abut_body_def_default();
            def.frame = frame;
            abut_body_id body = {9, 9};
            error = fresh_error();
            check_refused(w, "body", abut_body_create(w->scene, w->shape, &def, &body, &error),
                          &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, index);
            assert_int_equal(body.index, 9);
        }
    }
    static const abut_frame wrong[] = {
        {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, {0, 0, 0}},
        {{{1, 0.01, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
        {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1.01}}, {0, 0, 0}},
        {{{1, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {0, 0, 0}},
        {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}},
        {{{1e200, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
        {{{1, 1e200, 0}, {-1e200, 1, 0}, {0, 0, 1}}, {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        abut_error error = fresh_error();
        const abut_status status = abut_body_set_frame(w->scene, w->b, &wrong[i], &error);
        check_refused(w, "no rotation", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY,
                      error.index);
    }
    abut_error error = fresh_error();
    check_refused(w, "NULL", abut_body_set_frame(w->scene, w->b, NULL, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
}

// calls every function that takes an id with an invalid id
static void refuse_id(const world* w, abut_scene* scene, abut_body_id id) {
    const abut_positions view = abut_positions_f64(w->xyz, VERTICES);
    const abut_frame frame = abut_frame_identity();
    abut_tree_info stats;
    for (int call = 0; call < 8; ++call) {
        abut_error error = fresh_error();
        abut_status status = ABUT_OK;
        switch (call) {
            case 0: status = abut_body_destroy(scene, id, &error); break;
            case 1: status = abut_body_set_positions(scene, id, view, &error); break;
            case 2: status = abut_body_borrow_positions(scene, id, view, &error); break;
            case 3: status = abut_body_set_frame(scene, id, &frame, &error); break;
            case 4: status = abut_body_set_groups(scene, id, 0, 0, &error); break;
            case 5: status = abut_body_set_shape(scene, id, w->shape, view, &error); break;
            case 6: status = abut_body_validate(scene, id, &error); break;
            default: status = abut_body_inspect(scene, id, &stats, &error); break;
        }
        check_refused(w, "id", status, &error, ABUT_ERR_INVALID_ARGUMENT,
                      scene != NULL ? ABUT_ELEMENT_BODY : ABUT_ELEMENT_NONE,
                      scene != NULL ? id.index : 0);
    }
    double p[3] = {5, 5, 5};
    abut_box box;
    assert_int_equal(abut_body_vertex(scene, id, 0, p, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_body_world_vertex(scene, id, 0, p, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_body_vertices(scene, id, 0, 1, p, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_body_world_vertices(scene, id, 0, 1, p, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_true(p[0] == 5 && p[1] == 5 && p[2] == 5);
    assert_int_equal(abut_body_box(scene, id, &box, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_sweep_box(scene, id, &box, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_body_set_steady(scene, id, true, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_body_set_order(scene, id, 7, NULL), ABUT_ERR_INVALID_ARGUMENT);
    assert_false(abut_body_is_valid(scene, id));
    assert_null(abut_body_shape(scene, id));
    assert_null(abut_body_user(scene, id));
    assert_true(abut_body_frame(scene, id).r[0][0] == 1);
    assert_int_equal(abut_collide_self(scene, id, NULL, w->result, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_collide(scene, w->a, id, NULL, w->result, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_collide(scene, id, w->a, NULL, w->result, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
}

static void test_ids(void** state) {
    world* w = *state;
    refuse_id(w, w->scene, (abut_body_id){0, 0});
    refuse_id(w, w->scene, (abut_body_id){w->a.index, w->a.generation + 1});
    refuse_id(w, w->scene, (abut_body_id){w->a.index, 0});
    refuse_id(w, w->scene, (abut_body_id){2, 1});
    refuse_id(w, w->scene, (abut_body_id){UINT32_MAX, 1});
    refuse_id(w, NULL, w->a);
    abut_body_id gone;
    assert_int_equal(abut_body_create(w->scene, w->shape, NULL, &gone, NULL), ABUT_OK);
    assert_int_equal(abut_body_destroy(w->scene, gone, NULL), ABUT_OK);
    refuse_id(w, w->scene, gone);
    assert_int_equal(abut_scene_body_at(w->scene, gone.index).generation, 0);
    assert_int_equal(abut_scene_body_at(w->scene, UINT32_MAX).generation, 0);
    abut_body_id successor;  // has the same index
    assert_int_equal(abut_body_create(w->scene, w->shape, NULL, &successor, NULL), ABUT_OK);
    assert_int_equal(successor.index, gone.index);
    assert_true(successor.generation != gone.generation);
    w->answer = answer_of(w);
    refuse_id(w, w->scene, gone);
    assert_int_equal(abut_collide(w->scene, successor, successor, NULL, w->result, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
}

static void test_body_create_refused(void** state) {
    world* w = *state;
    abut_body_id body = {4, 4};
    const abut_body_def zero = {0};
    abut_error error = fresh_error();
    check_refused(w, "zeroed", abut_body_create(w->scene, w->shape, &zero, &body, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    error = fresh_error();
    check_refused(w, "scene", abut_body_create(NULL, w->shape, NULL, &body, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    error = fresh_error();
    check_refused(w, "shape", abut_body_create(w->scene, NULL, NULL, &body, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    error = fresh_error();
    check_refused(w, "place", abut_body_create(w->scene, w->shape, NULL, NULL, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    assert_int_equal(body.index, 4);
    const abut_scene_def zero_scene = {0};
    abut_scene* scene = NULL;
    error = fresh_error();
    check_refused(w, "scene def", abut_scene_create(w->context, &zero_scene, &scene, &error),
                  &error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    assert_null(scene);
}

// ---- NULL arguments that a call must report

static void test_null_makers(void** state) {
    world* w = *state;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_front* front = NULL;
    abut_changes* changes = NULL;
    const abut_mesh_def mesh_def = good_mesh(w);
    const motion_edit_def edit = motion_edit_def_default();
    abut_mesh_info health;
    abut_tree_info stats;
    for (int with = 0; with < 2; ++with) {
        abut_error error = fresh_error();
        abut_error* e = with != 0 ? &error : NULL;
        const abut_status statuses[] = {
            abut_context_create(NULL, NULL, e),
            abut_mesh_create(NULL, &mesh_def, &mesh, e),
            abut_mesh_create(w->context, NULL, &mesh, e),
            abut_mesh_create(w->context, &mesh_def, NULL, e),
            abut_mesh_inspect(NULL, &health, e),
            abut_mesh_inspect(w->mesh, NULL, e),
            motion_create(NULL, w->mesh, NULL, &shape, e),
            motion_create(w->context, NULL, NULL, &shape, e),
            motion_create(w->context, w->mesh, NULL, NULL, e),
            motion_edit(NULL, &edit, &shape, NULL, e),
            motion_edit(w->shape, NULL, &shape, NULL, e),
            motion_edit(w->shape, &edit, NULL, NULL, e),
            abut_shape_inspect(NULL, &stats, e),
            abut_shape_inspect(w->shape, NULL, e),
            abut_shape_validate(NULL, e),
            abut_scene_create(NULL, NULL, &scene, e),
            abut_scene_create(w->context, NULL, NULL, e),
            abut_body_set_shape(w->scene, w->a, NULL, (abut_positions){0}, e),
            abut_body_inspect(w->scene, w->a, NULL, e),
            abut_collide_result_create(NULL, &result, e),
            abut_collide_result_create(w->context, NULL, e),
            abut_front_create(NULL, &front, e),
            abut_front_create(w->context, NULL, e),
            abut_changes_create(NULL, &changes, e),
            abut_changes_create(w->context, NULL, e),
        };
        for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; ++i) {
            if (statuses[i] != ABUT_ERR_INVALID_ARGUMENT) {
                fail_msg("call %zu gave status %d", i, (int)statuses[i]);
            }
        }
    }
    assert_true(answer_of(w) == w->answer);
}

static void test_null_queries(void** state) {
    world* w = *state;
    double p[3];
    bool flag = false;
    const double t[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const abut_status statuses[] = {
        abut_body_vertex(w->scene, w->a, 0, NULL, NULL),
        abut_body_vertex(NULL, w->a, 0, p, NULL),
        abut_body_vertex(w->scene, w->a, VERTICES, p, NULL),
        abut_body_vertex(w->scene, w->a, UINT32_MAX, p, NULL),
        abut_body_world_vertex(w->scene, w->a, 0, NULL, NULL),
        abut_body_world_vertex(w->scene, w->a, VERTICES, p, NULL),
        abut_body_vertices(w->scene, w->a, 0, 1, NULL, NULL),
        abut_body_vertices(NULL, w->a, 0, 1, p, NULL),
        abut_body_vertices(w->scene, w->a, VERTICES, 1, p, NULL),
        abut_body_vertices(w->scene, w->a, 1, UINT32_MAX, p, NULL),
        abut_body_vertices(w->scene, w->a, UINT32_MAX, 2, p, NULL),
        abut_body_world_vertices(w->scene, w->a, VERTICES - 1, 2, p, NULL),
        abut_body_box(w->scene, w->a, NULL, NULL),
        abut_sweep_box(w->scene, w->a, NULL, NULL),
        abut_collide(NULL, w->a, w->b, NULL, w->result, NULL),
        abut_collide(w->scene, w->a, w->b, NULL, NULL, NULL),
        abut_collide(w->scene, w->a, w->a, NULL, w->result, NULL),
        abut_collide_self(NULL, w->a, NULL, w->result, NULL),
        abut_collide_self(w->scene, w->a, NULL, NULL, NULL),
        abut_collide_all(NULL, NULL, w->result, NULL),
        abut_collide_all(w->scene, NULL, NULL, NULL),
        abut_collide_self_all(NULL, NULL, w->result, NULL),
        abut_collide_self_all(w->scene, NULL, NULL, NULL),
        abut_changes_update(NULL, w->result, NULL),
        abut_changes_update(w->changes, NULL, NULL),
        abut_triangles_touch(NULL, t, &flag, NULL),
        abut_triangles_touch(t, NULL, &flag, NULL),
        abut_triangles_touch(t, t, NULL, NULL),
        abut_triangles_within(NULL, t, 1, &flag),
        abut_triangles_within(t, NULL, 1, &flag),
        abut_triangles_within(t, t, 1, NULL),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; ++i) {
        if (statuses[i] != ABUT_ERR_INVALID_ARGUMENT) {
            fail_msg("call %zu gave status %d", i, (int)statuses[i]);
        }
    }
    abut_context_destroy(NULL);
    abut_mesh_destroy(NULL);
    abut_shape_destroy(NULL);
    abut_scene_destroy(NULL);
    abut_collide_result_destroy(NULL);
    abut_front_destroy(NULL);
    abut_changes_destroy(NULL);
    (void)abut_collide_result_pairs(w->result, NULL);  // the count is not needed
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(test_positions_not_finite),
        WITH_WORLD(test_layouts_are_the_same),
        WITH_WORLD(test_views),
        WITH_WORLD(test_counts),
        WITH_WORLD(test_mesh_refused),
        WITH_WORLD(test_indices),
        WITH_WORLD(test_shape_refused),
        WITH_WORLD(test_edit_refused),
        WITH_WORLD(test_frames_refused),
        WITH_WORLD(test_ids),
        WITH_WORLD(test_body_create_refused),
        WITH_WORLD(test_null_makers),
        WITH_WORLD(test_null_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
