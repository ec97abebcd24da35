// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The blend motion with bad input: impossible weights and transforms are refused, the error names
// the vertex or the node, and a body keeps its last good state bit for bit.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/skin.h"

#define NODES 3u
#define VERTICES 8u
#define PER_VERTEX 2u

// ---- weights

// a strip of six triangles whose vertices follow two of three nodes each
typedef struct strip {
    world world;
    surface surface;
    uint32_t first[VERTICES + 1];
    uint32_t nodes[VERTICES * PER_VERTEX];
    double values[VERTICES * PER_VERTEX];
    motion_def def;
} strip;

static void strip_reset(strip* s) {
    for (uint32_t v = 0; v < VERTICES; ++v) {
        s->first[v + 1] = PER_VERTEX * (v + 1);
        s->nodes[PER_VERTEX * v] = v % NODES;
        s->nodes[PER_VERTEX * v + 1] = (v + 1) % NODES;
        s->values[PER_VERTEX * v] = 0.25;
        s->values[PER_VERTEX * v + 1] = 0.75;
    }
    s->first[0] = 0;
    s->def = motion_def_default();
    s->def.motion = ABUT_MOTION_BLEND;
    s->def.weights = (abut_weights){.node_count = NODES,
                                    .first = s->first,
                                    .nodes = s->nodes,
                                    .values = s->values,
                                    .type = ABUT_SCALAR_F64};
}

static void strip_open(strip* s) {
    memset(s, 0, sizeof *s);
    s->world = world_make(NULL, NULL);
    s->surface = surface_make(VERTICES, VERTICES - 2);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const double p[3] = {v, v % 2, 0.1 * v};
        memcpy(s->surface.xyz + 3 * (size_t)v, p, sizeof p);
    }
    for (uint32_t t = 0; t < VERTICES - 2; ++t) {
        const uint32_t ids[3] = {t, t + 1, t + 2};
        memcpy(s->surface.triangles + 3 * (size_t)t, ids, sizeof ids);
    }
    strip_reset(s);
}

static void strip_close(strip* s) {
    surface_free(&s->surface);
    world_free(&s->world);
}

static abut_status strip_make(const strip* s, abut_shape** shape, abut_error* error) {
    return world_try_shape(&s->world, &s->surface, &s->def, shape, error);
}

// requires a refusal that names this vertex (UINT32_MAX: none) with this text, then restores the
// strip
static void require_refused(strip* s, abut_status wanted, uint32_t vertex, const char* text) {
    abut_shape* shape = NULL;
    abut_error error = {0};
    where("'%s'", text);
    REQUIRE_STATUS(strip_make(s, &shape, &error), wanted);
    assert_null(shape);
    assert_int_equal(error.status, wanted);
    assert_int_equal(error.element, vertex != UINT32_MAX ? ABUT_ELEMENT_VERTEX : ABUT_ELEMENT_NONE);
    assert_true(vertex == UINT32_MAX || error.index == vertex);
    if (strstr(error.message, text) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, text);
    }
    REQUIRE_STATUS(strip_make(s, &shape, NULL), wanted);
    strip_reset(s);
}

static void test_bad_weights_are_named(void** state) {
    (void)state;
    strip s;
    strip_open(&s);
    static const double bad[] = {-0.25, -DBL_MIN, NAN, INFINITY, -INFINITY};
    static const char* const texts[] = {"negative", "negative", "not finite", "not finite",
                                        "negative"};
    for (uint32_t i = 0; i < 5; ++i) {
        for (uint32_t v = 0; v < VERTICES; v += 7) {
            s.values[PER_VERTEX * v + i % 2] = bad[i];
            s.def.weights.normalise = i % 2 != 0;
            require_refused(&s, ABUT_ERR_INVALID_DATA, v, texts[i]);
        }
    }
    static const double sums[] = {0.75 + 1.1e-5, 0.75 - 1.1e-5, 5, 0.25, 1e308};
    for (uint32_t i = 0; i < 5; ++i) {
        s.values[11] = sums[i];
        require_refused(&s, ABUT_ERR_INVALID_DATA, 5, "sum to");
    }
    s.nodes[15] = NODES;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 7, "follows node 3, but there are 3");
    s.nodes[0] = UINT32_MAX;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 0, "follows node 4294967295");
    s.values[4] = s.values[5] = 0;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 2, "follows no node");
    s.values[4] = s.values[5] = -0.0;
    s.def.weights.normalise = true;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 2, "follows no node");
    s.first[3] = s.first[4] = s.first[2];
    require_refused(&s, ABUT_ERR_INVALID_DATA, 2, "follows no node");
    strip_close(&s);
}

// a sum that is too large to divide by
static void test_weights_too_large_to_normalise(void** state) {
    (void)state;
    strip s;
    strip_open(&s);
    for (int same = 0; same < 2; ++same) {
        s.values[6] = s.values[7] = DBL_MAX;
        s.nodes[6] = same != 0 ? s.nodes[7] : s.nodes[6];
        s.def.weights.normalise = true;
        require_refused(&s, ABUT_ERR_INVALID_DATA, 3, "sum to");
    }
    strip_close(&s);
}

static void test_bad_tables_are_refused(void** state) {
    (void)state;
    strip s;
    strip_open(&s);
    s.def.weights.node_count = 0;
    require_refused(&s, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "0 nodes are not in 1..65535");
    s.def.weights.node_count = 65536;
    require_refused(&s, ABUT_ERR_LIMIT, UINT32_MAX, "65536 nodes are not in 1..65535");
    s.def.weights.node_count = SIZE_MAX;
    require_refused(&s, ABUT_ERR_LIMIT, UINT32_MAX, "are not in 1..65535");
    s.def.weights.nodes = NULL;
    require_refused(&s, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "nodes of the weights is NULL");
    s.def.weights.values = NULL;
    require_refused(&s, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "values of the weights is NULL");
    s.def.weights.first = NULL;
    require_refused(&s, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "neither `first` nor `per_vertex`");
    s.def.weights.type = (abut_scalar)7;
    require_refused(&s, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "unknown type 7");
    s.first[0] = 1;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 0, "must begin with 0");
    s.first[5] = s.first[4] - 1;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 4, "not descend");
    s.first[VERTICES] = 0;
    require_refused(&s, ABUT_ERR_INVALID_DATA, VERTICES - 1, "not descend");
    s.def.weights = (abut_weights){0};
    require_refused(&s, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "0 nodes");
    abut_shape* shape = NULL;
    REQUIRE_OK(strip_make(&s, &shape, NULL));  // the rest is good
    abut_shape_destroy(shape);
    strip_close(&s);
}

// A refused shape leaks nothing, however far its construction got.
static void test_refused_shapes_leave_nothing(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    strip s;
    strip_open(&s);
    world_free(&s.world);
    s.world = world_make(&def, NULL);
    const size_t before = memory.live_blocks;
    s.values[15] = NAN;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 7, "not finite");
    s.def.field_count = 1;
    require_refused(&s, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "NULL");
    assert_int_equal(memory.live_blocks, before);
    strip_close(&s);
    memory_require_clean(&memory);
}

// A vertex may list any number of influences in any order, and each node many times. This test
// takes minutes if an insertion takes linear time.
static void test_long_lists_of_influences(void** state) {
    (void)state;
    enum { COUNT = 150000, SPREAD = 65535 };
    strip s;
    strip_open(&s);
    uint32_t* nodes = test_alloc((size_t)COUNT * VERTICES, sizeof *nodes);
    double* values = test_alloc((size_t)COUNT * VERTICES, sizeof *values);
    for (uint32_t i = 0; i < COUNT * VERTICES; ++i) {  // descending: the worst case of insertion
        nodes[i] = SPREAD - 1 - i % COUNT % SPREAD;
        values[i] = 1;
    }
    s.def.weights = (abut_weights){SPREAD, NULL, COUNT, nodes, values, ABUT_SCALAR_F64, true};
    abut_shape* shape = NULL;
    REQUIRE_OK(strip_make(&s, &shape, NULL));
    abut_body_id body;
    REQUIRE_OK(abut_body_create(s.world.scene, shape, NULL, &body, NULL));
    world_validate(&s.world, body);
    double p[3];
    REQUIRE_OK(abut_body_vertex(s.world.scene, body, 3, p, NULL));
    assert_true(fabs(p[0] - 3) + fabs(p[1] - 1) + fabs(p[2] - 0.3) < 1e-9);
    abut_shape_destroy(shape);
    free(nodes);
    free(values);
    strip_close(&s);
}

// Blended positions must stay within doubles, even at rest.
static void test_rest_positions_too_far(void** state) {
    (void)state;
    strip s;
    strip_open(&s);
    s.surface.xyz[3 * 6 + 1] = -DBL_MAX;
    require_refused(&s, ABUT_ERR_INVALID_DATA, 6, "too far away");
    s.surface.xyz[3 * 6 + 1] = -0x1p1020;
    abut_shape* shape = NULL;
    abut_body_id body;
    REQUIRE_OK(strip_make(&s, &shape, NULL));
    REQUIRE_OK(abut_body_create(s.world.scene, shape, NULL, &body, NULL));
    world_validate(&s.world, body);
    (void)check_self(&s.world, body, NULL);
    abut_shape_destroy(shape);
    strip_close(&s);
}

// A number that multiplies only zero coordinates has no effect, and must not overflow either.
static void test_large_transforms_of_flat_surfaces(void** state) {
    (void)state;
    strip s;
    strip_open(&s);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        s.surface.xyz[3 * (size_t)v + 2] = 0;
        s.values[PER_VERTEX * v] += 9e-6;
    }
    abut_shape* shape = NULL;
    abut_body_id body;
    REQUIRE_OK(strip_make(&s, &shape, NULL));
    REQUIRE_OK(abut_body_create(s.world.scene, shape, NULL, &body, NULL));
    double t[NODES][12] = {{0}};
    t[0][2] = t[1][2] = t[2][2] = DBL_MAX;
    abut_error error;
    REQUIRE_STATUS(abut_body_set_transforms(s.world.scene, body, abut_transforms_f64(t[0], NODES),
                                            NULL, 0, &error),
                   ABUT_ERR_INVALID_DATA);
    assert_true(error.element == ABUT_ELEMENT_NODE && error.index == 0);
    t[0][2] = t[1][2] = t[2][2] = 0x1p1020;
    set_transforms(&s.world, body, t, NODES, NULL, 0);
    world_validate(&s.world, body);
    (void)check_self(&s.world, body, NULL);
    abut_shape_destroy(shape);
    strip_close(&s);
}

// ---- states

#define FIELDS 2u

// a body in a good state, and where its vertices then are
typedef struct actor {
    world world;
    surface surface;
    skin skin;
    field_set fields;
    abut_body_id body;
    abut_body_id other;
    double t[NODES][12];
    double q[FIELDS];
    double* good;
} actor;

static void actor_open(actor* a) {
    test_random random = random_seed(41);
    a->world = world_make(NULL, NULL);
    a->surface = surface_ball(6, 9, 1);
    a->skin = skin_make(&random, &a->surface, NODES, 2, ABUT_SCALAR_F32);
    a->fields = make_fields(&random, &a->surface, FIELDS, 0.3, ABUT_SCALAR_F32, false);
    const motion_def def = blend_def(&a->skin, &a->fields);
    a->body = world_add(&a->world, &a->surface, &def, NULL);
    a->other = world_add(&a->world, &a->surface, NULL, NULL);
    gentle_transforms(&random, a->t, NODES, 0.3);
    random_coordinates(&random, a->q, FIELDS, 1);
    set_transforms(&a->world, a->body, a->t, NODES, a->q, FIELDS);
    a->good = test_alloc(3 * (size_t)a->surface.vertex_count, sizeof *a->good);
    for (uint32_t v = 0; v < a->surface.vertex_count; ++v) {
        REQUIRE_OK(abut_body_vertex(a->world.scene, a->body, v, a->good + 3 * (size_t)v, NULL));
    }
}

static void actor_close(actor* a) {
    free(a->good);
    free_fields(&a->fields);
    skin_free(&a->skin);
    surface_free(&a->surface);
    world_free(&a->world);
}

static void require_good(const actor* a) {
    for (uint32_t v = 0; v < a->surface.vertex_count; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_vertex(a->world.scene, a->body, v, p, NULL));
        REQUIRE(memcmp(p, a->good + 3 * (size_t)v, sizeof p) == 0);
    }
    world_validate(&a->world, a->body);
    (void)check_between(&a->world, a->body, a->other, NULL);
}

static void require_state_refused(const actor* a, abut_transforms t, const double* q, size_t count,
                                  abut_status wanted, uint32_t node, const char* text) {
    abut_error error = {0};
    where("'%s'", text);
    REQUIRE_STATUS(abut_body_set_transforms(a->world.scene, a->body, t, q, count, &error), wanted);
    if (strstr(error.message, text) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, text);
    }
    assert_true(node == UINT32_MAX || (error.element == ABUT_ELEMENT_NODE && error.index == node));
    assert_true(node != UINT32_MAX || error.element != ABUT_ELEMENT_NODE);
    REQUIRE_STATUS(abut_body_set_transforms(a->world.scene, a->body, t, q, count, NULL), wanted);
    require_good(a);
}

static void test_bad_transforms_are_named(void** state) {
    (void)state;
    actor a;
    actor_open(&a);
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0x1.8p1023, -DBL_MAX};
    for (uint32_t i = 0; i < 5; ++i) {
        for (uint32_t e = 0; e < 12; ++e) {
            double t[NODES][12];
            memcpy(t, a.t, sizeof t);
            t[e % NODES][e] = bad[i];
            require_state_refused(&a, abut_transforms_f64(t[0], NODES), a.q, FIELDS,
                                  ABUT_ERR_INVALID_DATA, e % NODES,
                                  i < 3 ? "is not finite" : "beyond what a double can hold");
        }
    }
    float narrow[NODES][12] = {{0}};
    narrow[2][7] = NAN;
    require_state_refused(&a, abut_transforms_f32(narrow[0], NODES), a.q, FIELDS,
                          ABUT_ERR_INVALID_DATA, 2, "is not finite (nan in row 1, column 3)");
    actor_close(&a);
}

static void test_bad_coordinates_are_named(void** state) {
    (void)state;
    actor a;
    actor_open(&a);
    const abut_transforms t = abut_transforms_f64(a.t[0], NODES);
    double q[FIELDS] = {0, NAN};
    require_state_refused(&a, t, q, FIELDS, ABUT_ERR_INVALID_DATA, UINT32_MAX,
                          "coordinate 1 is not finite");
    require_state_refused(&a, t, a.q, 1, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX,
                          "1 coordinates were given, but the shape has 2 fields");
    require_state_refused(&a, t, a.q, 3, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "3 coordinates");
    require_state_refused(&a, t, NULL, 0, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "0 coordinates");
    require_state_refused(&a, t, NULL, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "is NULL");
    double identity[NODES][12] = {{0}};
    for (uint32_t j = 0; j < NODES; ++j) {
        identity[j][0] = identity[j][5] = identity[j][10] = 1;
    }
    q[0] = q[1] = DBL_MAX;  // overflows before any transform
    require_state_refused(&a, t, q, FIELDS, ABUT_ERR_INVALID_DATA, UINT32_MAX,
                          "coordinates move vertices beyond");
    require_state_refused(&a, abut_transforms_f64(identity[0], NODES), q, FIELDS,
                          ABUT_ERR_INVALID_DATA, UINT32_MAX, "coordinates move vertices beyond");
    memset(identity, 0, sizeof identity);
    require_state_refused(&a, abut_transforms_f64(identity[0], NODES), q, FIELDS,
                          ABUT_ERR_INVALID_DATA, UINT32_MAX, "coordinates move vertices beyond");
    actor_close(&a);
}

static void test_bad_views_are_refused(void** state) {
    (void)state;
    actor a;
    actor_open(&a);
    double room[16 * NODES + 1] = {0};
    abut_transforms t = abut_transforms_f64(room, NODES - 1);
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX,
                          "2 transforms were given, but the shape has 3 nodes");
    t = abut_transforms_f64(NULL, NODES);
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "NULL");
    t = abut_transforms_f64(room, NODES);
    t.type = (abut_scalar)9;
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "unknown");
    t = abut_transforms_f64(room, NODES);
    t.layout = (abut_layout)9;
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "unknown");
    t = abut_transforms_f64(room, NODES);
    t.data = (const char*)room + 4;
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "not aligned");
    t = abut_transforms_f64(room, NODES);
    t.stride = 100;
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX, "not aligned");
    t.stride = 88;
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX,
                          "stride of 88");
    t.layout = ABUT_LAYOUT_COLUMNS_4X4;
    t.stride = 120;
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_ARGUMENT, UINT32_MAX,
                          "stride of 120");
    t.stride = 0;
    room[15] = room[31] = 1;  // the third transform is left 0
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_DATA, 2, "not affine");
    room[47] = 1;
    static const int last_row[] = {3, 7, 11, 15};
    for (int i = 0; i < 4; ++i) {
        room[16 + last_row[i]] += 1e-9;
        require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_DATA, 1, "not affine");
        room[16 + last_row[i]] = i == 3 ? 1 : 0;
    }
    room[16 + 15] = NAN;
    require_state_refused(&a, t, a.q, FIELDS, ABUT_ERR_INVALID_DATA, 1, "not affine");
    actor_close(&a);
}

static void test_states_of_other_motions_are_refused(void** state) {
    (void)state;
    actor a;
    actor_open(&a);
    const abut_body_id modal = add_modal(&a.world, &a.surface, &a.fields, 48);
    const abut_positions positions = abut_positions_f64(a.surface.xyz, a.surface.vertex_count);
    abut_scene* scene = a.world.scene;
    abut_error error;
    REQUIRE_STATUS(abut_body_set_coordinates(scene, a.body, a.q, FIELDS, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "blend"));
    REQUIRE_STATUS(abut_body_set_positions(scene, a.body, positions, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "blend"));
    REQUIRE_STATUS(abut_body_borrow_positions(scene, a.body, positions, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "blend"));
    const abut_transforms t = abut_transforms_f64(a.t[0], NODES);
    REQUIRE_STATUS(abut_body_set_transforms(scene, modal, t, a.q, FIELDS, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "modal"));
    REQUIRE_STATUS(abut_body_set_transforms(scene, a.other, t, NULL, 0, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "free"));
    REQUIRE_OK(abut_body_destroy(scene, a.other, NULL));
    REQUIRE_STATUS(abut_body_set_transforms(scene, a.other, t, NULL, 0, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_set_transforms(scene, (abut_body_id){0, 0}, t, NULL, 0, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    a.other = modal;
    require_good(&a);
    actor_close(&a);
}

// shapes to which a blend body cannot switch
static void test_shapes_that_do_not_fit(void** state) {
    (void)state;
    actor a;
    actor_open(&a);
    test_random random = random_seed(42);
    skin fewer = skin_make(&random, &a.surface, NODES - 1, 2, ABUT_SCALAR_F32);
    field_set longer = make_fields(&random, &a.surface, FIELDS, 1e308, ABUT_SCALAR_F64, false);
    const motion_def defs[] = {blend_def(&fewer, &a.fields), blend_def(&a.skin, NULL),
                               modal_def(&a.fields), blend_def(&a.skin, &longer)};
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; ++i) {
        where("shape %zu", i);
        abut_shape* shape = world_shape(&a.world, &a.surface, &defs[i]);
        const abut_shape* before = abut_body_shape(a.world.scene, a.body);
        assert_int_not_equal(
            abut_body_set_shape(a.world.scene, a.body, shape, (abut_positions){0}, NULL), ABUT_OK);
        assert_ptr_equal(abut_body_shape(a.world.scene, a.body), before);
        require_good(&a);
        abut_shape_destroy(shape);
    }
    motion_edit_def edit = motion_edit_def_default();
    const double added[3] = {1, 2, 3};
    edit.added_vertices = abut_positions_f64(added, 1);
    abut_shape* edited = NULL;
    abut_error error;
    REQUIRE_STATUS(motion_edit(abut_body_shape(a.world.scene, a.body), &edit, &edited, NULL,
                               &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "weights"));
    free_fields(&longer);
    skin_free(&fewer);
    actor_close(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_weights_are_named),
        cmocka_unit_test(test_weights_too_large_to_normalise),
        cmocka_unit_test(test_bad_tables_are_refused),
        cmocka_unit_test(test_refused_shapes_leave_nothing),
        cmocka_unit_test(test_long_lists_of_influences),
        cmocka_unit_test(test_rest_positions_too_far),
        cmocka_unit_test(test_large_transforms_of_flat_surfaces),
        cmocka_unit_test(test_bad_transforms_are_named),
        cmocka_unit_test(test_bad_coordinates_are_named),
        cmocka_unit_test(test_bad_views_are_refused),
        cmocka_unit_test(test_states_of_other_motions_are_refused),
        cmocka_unit_test(test_shapes_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
