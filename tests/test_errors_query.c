// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Promise 5 for queries, borrowed positions and errors that only a query can notice: bad input
// returns a status, and the error names the element and says in a sentence what is wrong. The last
// good state stays: after every refused call, bodies and answers must be as before.
#include "test_errors_support.h"
#include "support/motion_def.h"

// ---- queries

static bool stop_at_once(void* user, const abut_pair* pairs, const abut_intersection* shared,
                         size_t count) {
    (void)user;
    (void)pairs;
    (void)shared;
    return count == 0;
}

static void refuse_query(const world* w, const abut_collide_def* def) {
    assert_int_equal(abut_collide(w->scene, w->a, w->b, NULL, w->result, NULL), ABUT_OK);
    size_t before = 0;
    assert_non_null(abut_collide_result_pairs(w->result, &before));
    abut_error errors[4] = {fresh_error(), fresh_error(), fresh_error(), fresh_error()};
    const abut_status statuses[] = {
        abut_collide(w->scene, w->a, w->b, def, w->result, &errors[0]),
        abut_collide_self(w->scene, w->a, def, w->result, &errors[1]),
        abut_collide_all(w->scene, def, w->result, &errors[2]),
        abut_collide_self_all(w->scene, def, w->result, &errors[3]),
    };
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(statuses[i], ABUT_ERR_INVALID_ARGUMENT);
        assert_int_equal(errors[i].status, statuses[i]);
        assert_true(strlen(errors[i].message) > 10);
    }
    size_t after = 1;
    assert_null(
        abut_collide_result_pairs(w->result, &after));  // a refused query leaves an empty result
    assert_int_equal(after, 0);
    assert_false(abut_collide_result_found(w->result));
    assert_true(answer_of(w) == w->answer);
}

static void test_query_refused(void** state) {
    world* w = *state;
    static const double margins[] = {-1, -DBL_MIN, -DBL_TRUE_MIN, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof margins / sizeof margins[0]; ++i) {
        abut_collide_def def = abut_collide_def_default();
        def.margin = margins[i];
        refuse_query(w, &def);
    }
    abut_collide_def def = abut_collide_def_default();
    def.budget = 1;  // without a front
    refuse_query(w, &def);
    def = abut_collide_def_default();
    def.any = true;
    def.callback.fn = stop_at_once;
    refuse_query(w, &def);
    def = abut_collide_def_default();
    def.head.cookie = 0;
    refuse_query(w, &def);
    const abut_collide_def zero = {0};
    refuse_query(w, &zero);
    abut_collide_def minus_zero = abut_collide_def_default();
    minus_zero.margin = -0.0;
    assert_int_equal(abut_collide(w->scene, w->a, w->b, &minus_zero, w->result, NULL), ABUT_OK);
}

static void test_context_refused(void** state) {
    (void)state;
    abut_context* context = NULL;
    abut_error error = fresh_error();
    abut_context_def def = {0};
    check_refused(NULL, "zeroed", abut_context_create(&def, &context, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def = abut_context_def_default();
    test_memory memory;
    memory_init(&memory);
    def.allocator = memory_allocator(&memory);
    def.allocator.free = NULL;
    check_refused(NULL, "free", abut_context_create(&def, &context, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    def.allocator = memory_allocator(&memory);
    def.allocator.alloc = NULL;
    check_refused(NULL, "alloc", abut_context_create(&def, &context, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    static const int sets[] = {-1, 4, 1000};
    for (int i = 0; i < 3; ++i) {
        def = abut_context_def_default();
        def.isa = (abut_isa)sets[i];
        check_refused(NULL, "isa", abut_context_create(&def, &context, &error), &error,
                      ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    }
    assert_null(context);
    memory_require_clean(&memory);
}

static void never_run(void* user, uint32_t count, abut_task_fn task, void* argument) {
    (void)user;
    (void)count;
    (void)task;
    (void)argument;
    fail_msg("tasks were run");
}

static void test_workers_refused(void** state) {
    (void)state;
    static const uint32_t workers[] = {0, 1025, UINT32_MAX};
    for (int i = 0; i < 3; ++i) {
        abut_context* context = NULL;
        abut_context_def def = abut_context_def_default();
        def.tasks = (abut_tasks){workers[i], never_run, NULL};
        abut_error error = fresh_error();
        check_refused(NULL, "workers", abut_context_create(&def, &context, &error), &error,
                      ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
        assert_null(context);
    }
}

// ---- borrowed positions

// `blamed` was filled by the query that returned the status
static void check_bad_query(const world* w, abut_status status, const abut_error* blamed,
                            abut_body_id body, uint32_t vertex) {
    assert_int_equal(status, ABUT_ERR_INVALID_DATA);
    assert_int_equal(blamed->status, status);
    assert_int_equal(blamed->element, ABUT_ELEMENT_VERTEX);
    assert_int_equal(blamed->index, vertex);
    assert_int_equal(blamed->body.index, body.index);
    assert_int_equal(blamed->body.generation, body.generation);
    assert_non_null(strstr(blamed->message, "is not finite"));
    size_t count = 1;
    assert_null(abut_collide_result_pairs(w->result, &count));
    assert_int_equal(count, 0);
}

static void check_borrowed(world* w, abut_body_id id, const layout* l, uint32_t vertex,
                           double bad) {
    abut_error blamed = fresh_error();
    double xyz[3 * VERTICES];
    double room[6 * VERTICES];
    fill_positions(xyz, id.index == w->a.index ? 1 : 0);
    xyz[3 * vertex + vertex % 3] = bad;
    const abut_positions view = spread(l, xyz, room);
    assert_int_equal(abut_body_borrow_positions(w->scene, id, view, NULL), ABUT_OK);
    abut_collide_def fronted = abut_collide_def_default();
    fronted.front = w->front;
    abut_collide_def margin = abut_collide_def_default();
    margin.margin = 0.1;
    margin.intersections = true;
    check_bad_query(w, abut_collide(w->scene, w->a, w->b, NULL, w->result, &blamed), &blamed, id,
                    vertex);
    check_bad_query(w, abut_collide(w->scene, w->b, w->a, &margin, w->result, &blamed), &blamed, id,
                    vertex);
    check_bad_query(w, abut_collide_self(w->scene, id, NULL, w->result, &blamed), &blamed, id,
                    vertex);
    check_bad_query(w, abut_collide_all(w->scene, &fronted, w->result, &blamed), &blamed, id,
                    vertex);
    check_bad_query(w, abut_collide_self_all(w->scene, NULL, w->result, &blamed), &blamed, id,
                    vertex);
    abut_error error = fresh_error();
    const abut_status status = abut_body_validate(w->scene, id, &error);
    check_refused(NULL, "validate", status, &error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX,
                  vertex);
    // the other body still answers
    const abut_body_id other = id.index == w->a.index ? w->b : w->a;
    assert_int_equal(abut_collide_self(w->scene, other, NULL, w->result, NULL), ABUT_OK);
    // the data is repaired and set again
    fill_positions(xyz, id.index == w->a.index ? 1 : 0);
    const abut_positions good = abut_positions_f64(xyz, VERTICES);
    assert_int_equal(abut_body_borrow_positions(w->scene, id, good, NULL), ABUT_OK);
    assert_true(answer_of(w) == w->answer);
    assert_int_equal(abut_collide_all(w->scene, &fronted, w->result, NULL), ABUT_OK);
    assert_int_equal(abut_body_set_positions(w->scene, id, good, NULL), ABUT_OK);
    assert_true(answer_of(w) == w->answer);
}

static void test_borrowed_not_finite(void** state) {
    world* w = *state;
    static const uint32_t places[] = {0, 31, VERTICES - 1};
    for (size_t l = 0; l < sizeof layouts / sizeof layouts[0]; ++l) {
        for (size_t p = 0; p < 3; ++p) {
            for (size_t k = 0; k < 4; ++k) {
                check_borrowed(w, w->a, &layouts[l], places[p], not_finite[k]);
                check_borrowed(w, w->b, &layouts[l], places[p], not_finite[k]);
            }
        }
    }
}

// the vertex with the lowest index is blamed, for any order of a triangle's corners
static void test_borrowed_lowest_is_blamed(void** state) {
    abut_error blamed = fresh_error();
    world* w = *state;
    for (uint32_t low = 0; low < VERTICES; low += 7) {
        double xyz[3 * VERTICES];
        fill_positions(xyz, 1);
        for (uint32_t v = low; v < VERTICES; ++v) {
            xyz[3 * v + 1] = NAN;
        }
        assert_int_equal(abut_body_borrow_positions(w->scene, w->a,
                                                    abut_positions_f64(xyz, VERTICES), NULL),
                         ABUT_OK);
        check_bad_query(w, abut_collide(w->scene, w->a, w->b, NULL, w->result, &blamed), &blamed,
                        w->a, low);
        check_bad_query(w, abut_collide(w->scene, w->b, w->a, NULL, w->result, &blamed), &blamed,
                        w->a, low);
        check_bad_query(w, abut_collide_self(w->scene, w->a, NULL, w->result, &blamed), &blamed,
                        w->a, low);
    }
}

// One bad vertex makes boxes infinite. The query must still not compare all triangles with all
// others.
static void test_borrowed_not_finite_is_cheap(void** state) {
    abut_error blamed = fresh_error();
    world* w = *state;
    abut_frame far_away = abut_frame_identity();
    far_away.t[2] = 1000;
    assert_int_equal(abut_body_set_frame(w->scene, w->b, &far_away, NULL), ABUT_OK);
    double xyz[3 * VERTICES];
    fill_positions(xyz, 1);
    xyz[3] = NAN;
    assert_int_equal(abut_body_borrow_positions(w->scene, w->a, abut_positions_f64(xyz, VERTICES),
                                                NULL),
                     ABUT_OK);
    abut_counters counters = {0};
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &counters;
    check_bad_query(w, abut_collide(w->scene, w->a, w->b, &def, w->result, &blamed), &blamed, w->a,
                    1);
    assert_in_range(counters.exact_tests, 0, 48 * TRIANGLES);  // one block with all triangles
    def.margin = 0.1;
    check_bad_query(w, abut_collide_self(w->scene, w->a, &def, w->result, &blamed), &blamed, w->a,
                    1);
    assert_in_range(counters.exact_tests, 0, 2 * 48 * TRIANGLES);
}

// A front may be passed to any query. Bodies of another scene are different bodies, even if their
// ids and ages are equal.
static void test_front_of_another_scene(void** state) {
    world* w = *state;
    abut_scene* scene[2];
    abut_body_id id[2];
    abut_collide_def def = abut_collide_def_default();
    motion_def shape_def = motion_def_default();
    shape_def.block_triangles = 4;
    abut_shape* shape = NULL;
    assert_int_equal(motion_create(w->context, w->mesh, &shape_def, &shape, NULL), ABUT_OK);
    for (int s = 0; s < 2; ++s) {
        assert_int_equal(abut_scene_create(w->context, NULL, &scene[s], NULL), ABUT_OK);
        assert_int_equal(abut_body_create(scene[s], shape, NULL, &id[0], NULL), ABUT_OK);
        assert_int_equal(abut_body_create(scene[s], shape, NULL, &id[1], NULL), ABUT_OK);
        double xyz[3 * VERTICES];
        fill_positions(xyz, s);
        assert_int_equal(abut_body_set_positions(scene[s], id[0], abut_positions_f64(xyz, VERTICES),
                                                 NULL),
                         ABUT_OK);
    }
    assert_int_equal(abut_collide(scene[1], id[0], id[1], NULL, w->result, NULL), ABUT_OK);
    size_t wanted = 0;
    (void)abut_collide_result_pairs(w->result, &wanted);
    def.front = w->front;
    for (uint64_t budget = 1; budget < 20000; budget += budget / 8 + 1) {
        abut_front_clear(w->front);
        def.budget = budget;
        (void)abut_collide(scene[0], id[0], id[1], &def, w->result, NULL);
        def.budget = 0;
        assert_int_equal(abut_collide(scene[1], id[0], id[1], &def, w->result, NULL), ABUT_OK);
        size_t count = 0;
        (void)abut_collide_result_pairs(w->result, &count);
        if (count != wanted) {
            fail_msg("budget %llu: %zu pairs, not %zu", (unsigned long long)budget, count, wanted);
        }
    }
    abut_shape_destroy(shape);
    abut_scene_destroy(scene[0]);
    abut_scene_destroy(scene[1]);
}

static void test_borrowed_switch_refused(void** state) {
    world* w = *state;
    const uint32_t added[] = {0, 1, VERTICES};
    const double vertex[3] = {0, 0, 1};
    motion_edit_def edit = motion_edit_def_default();
    edit.added_triangles = added;
    edit.added_triangle_count = 1;
    edit.added_vertices = abut_positions_f64(vertex, 1);
    abut_shape* larger = NULL;
    assert_int_equal(motion_edit(w->shape, &edit, &larger, NULL, NULL), ABUT_OK);
    double xyz[3 * VERTICES];
    fill_positions(xyz, 1);
    assert_int_equal(abut_body_borrow_positions(w->scene, w->a, abut_positions_f64(xyz, VERTICES),
                                                NULL),
                     ABUT_OK);
    abut_error error = fresh_error();
    check_refused(w, "borrowed",
                  abut_body_set_shape(w->scene, w->a, larger, (abut_positions){0}, &error), &error,
                  ABUT_ERR_STATE, ABUT_ELEMENT_NONE, 0);
    assert_int_equal(abut_body_set_shape(w->scene, w->a, w->shape, (abut_positions){0}, NULL),
                     ABUT_OK);
    assert_true(answer_of(w) == w->answer);
    abut_shape_destroy(larger);
}

// ---- overflow through frames: finite in the shape, infinite in the world

static void test_world_overflow(void** state) {
    abut_error blamed = fresh_error();
    world* w = *state;
    double xyz[3 * VERTICES];
    fill_positions(xyz, 1);
    xyz[3 * 20] = DBL_MAX;
    assert_int_equal(
        abut_body_set_positions(w->scene, w->a, abut_positions_f64(xyz, VERTICES), NULL), ABUT_OK);
    assert_int_equal(abut_collide(w->scene, w->a, w->b, NULL, w->result, NULL), ABUT_OK);
    abut_frame frame = abut_frame_identity();
    frame.t[0] = DBL_MAX / 2;
    assert_int_equal(abut_body_set_frame(w->scene, w->a, &frame, NULL), ABUT_OK);
    double p[3];
    assert_int_equal(abut_body_world_vertex(w->scene, w->a, 20, p, NULL), ABUT_OK);
    assert_true(isinf(p[0]));
    check_bad_query(w, abut_collide(w->scene, w->a, w->b, NULL, w->result, &blamed), &blamed, w->a,
                    20);
    check_bad_query(w, abut_collide_all(w->scene, NULL, w->result, &blamed), &blamed, w->a, 20);
    // within the body nothing overflows
    assert_int_equal(abut_collide_self(w->scene, w->a, NULL, w->result, NULL), ABUT_OK);
    // in a common frame nothing overflows either
    assert_int_equal(abut_body_set_frame(w->scene, w->b, &frame, NULL), ABUT_OK);
    assert_int_equal(abut_collide(w->scene, w->a, w->b, NULL, w->result, NULL), ABUT_OK);
    // and back to the first frame
    const abut_frame identity = abut_frame_identity();
    assert_int_equal(abut_body_set_frame(w->scene, w->a, &identity, NULL), ABUT_OK);
    assert_int_equal(abut_body_set_frame(w->scene, w->b, &identity, NULL), ABUT_OK);
    fill_positions(xyz, 1);
    assert_int_equal(
        abut_body_set_positions(w->scene, w->a, abut_positions_f64(xyz, VERTICES), NULL), ABUT_OK);
    assert_true(answer_of(w) == w->answer);
}

static void test_far_but_finite(void** state) {
    world* w = *state;
    abut_frame frame = {{{0.8, -0.6, 0}, {0.6, 0.8, 0}, {0, 0, 1}}, {1e300, -1e300, 1e300}};
    assert_int_equal(abut_body_set_frame(w->scene, w->a, &frame, NULL), ABUT_OK);
    assert_int_equal(abut_collide(w->scene, w->a, w->b, NULL, w->result, NULL), ABUT_OK);
    assert_false(abut_collide_result_found(w->result));
    assert_int_equal(abut_collide_all(w->scene, NULL, w->result, NULL), ABUT_OK);
    abut_collide_def def = abut_collide_def_default();
    def.margin = DBL_MAX;
    assert_int_equal(abut_collide(w->scene, w->a, w->b, &def, w->result, NULL), ABUT_OK);
    size_t count = 0;
    (void)abut_collide_result_pairs(w->result, &count);
    assert_int_equal(count, (size_t)TRIANGLES * TRIANGLES);
    abut_box box;
    assert_int_equal(abut_body_box(w->scene, w->a, &box, NULL), ABUT_OK);
    assert_true(box.lo[0] <= 1e300 && box.hi[0] >= 1e300);
    abut_error error = {0};
    if (abut_body_validate(w->scene, w->a, &error) != ABUT_OK) {
        fail_msg("%s", error.message);
    }
}

// ---- objects of two contexts must not be mixed: their memory comes from different hooks

static void test_contexts_do_not_mix(void** state) {
    world* w = *state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    abut_context* other = NULL;
    assert_int_equal(abut_context_create(&def, &other, NULL), ABUT_OK);
    abut_shape* shape = NULL;
    abut_error error = fresh_error();
    check_refused(w, "mesh of another context", motion_create(other, w->mesh, NULL, &shape, &error),
                  &error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    assert_null(shape);
    abut_scene* scene = NULL;
    abut_body_id body = {0, 0};
    assert_int_equal(abut_scene_create(other, NULL, &scene, NULL), ABUT_OK);
    error = fresh_error();
    check_refused(w, "shape of another context",
                  abut_body_create(scene, w->shape, NULL, &body, &error), &error,
                  ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0);
    abut_front* front = NULL;
    abut_collide_result* result = NULL;
    assert_int_equal(abut_front_create(other, &front, NULL), ABUT_OK);
    assert_int_equal(abut_collide_result_create(other, &result, NULL), ABUT_OK);
    abut_collide_def query = abut_collide_def_default();
    query.front = front;
    assert_int_equal(abut_collide(w->scene, w->a, w->b, &query, w->result, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    assert_int_equal(abut_collide_self_all(w->scene, NULL, result, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    abut_front_destroy(front);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(other);
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_WORLD(test_query_refused),
        cmocka_unit_test(test_context_refused),
        cmocka_unit_test(test_workers_refused),
        WITH_WORLD(test_borrowed_not_finite),
        WITH_WORLD(test_borrowed_lowest_is_blamed),
        WITH_WORLD(test_borrowed_not_finite_is_cheap),
        WITH_WORLD(test_front_of_another_scene),
        WITH_WORLD(test_borrowed_switch_refused),
        WITH_WORLD(test_world_overflow),
        WITH_WORLD(test_far_but_finite),
        WITH_WORLD(test_contexts_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
