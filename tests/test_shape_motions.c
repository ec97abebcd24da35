// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One maker and one edit for each motion. A motion refuses the settings of another one, defaults
// make a shape where that is possible, and errors of bodies name the body.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/brute.h"
#include "support/world.h"

typedef struct stage {
    world w;
    surface s;
    const abut_mesh* mesh;
    abut_shape* plain;
} stage;

static stage stage_make(void) {
    stage g = {.w = world_make(NULL, NULL), .s = surface_ball(4, 5, 1)};
    g.plain = world_shape(&g.w, &g.s, NULL);
    g.mesh = abut_shape_mesh(g.plain);
    return g;
}

static void stage_free(stage* g) {
    abut_shape_destroy(g->plain);
    surface_free(&g->s);
    world_free(&g->w);
}

static abut_weights one_node(const stage* g, uint32_t* nodes, double* values) {
    for (uint32_t v = 0; v < g->s.vertex_count; ++v) {
        nodes[v] = 0;
        values[v] = 1;
    }
    return (abut_weights){.node_count = 1,
                          .per_vertex = 1,
                          .nodes = nodes,
                          .values = values,
                          .type = ABUT_SCALAR_F64};
}

static void refused(abut_status status, const abut_shape* shape, const abut_error* error,
                    const char* sentence) {
    where("%s", sentence);
    REQUIRE(status == ABUT_ERR_INVALID_ARGUMENT && shape == NULL);
    REQUIRE(error->status == status && strstr(error->message, sentence) != NULL);
}

static void test_defaults_make_shapes(void** state) {
    (void)state;
    stage g = stage_make();
    abut_shape* shape = NULL;
    abut_error error;
    REQUIRE_OK(abut_shape_create_modal(g.w.context, g.mesh, NULL, &shape, &error));
    REQUIRE(abut_shape_motion(shape) == ABUT_MOTION_MODAL && abut_shape_field_count(shape) == 0);
    abut_shape_destroy(shape);
    REQUIRE_OK(abut_shape_create_flight(g.w.context, g.mesh, NULL, &shape, &error));
    REQUIRE(abut_shape_motion(shape) == ABUT_MOTION_FLIGHT);
    abut_shape_destroy(shape);
    REQUIRE(abut_shape_motion(g.plain) == ABUT_MOTION_FREE);
    shape = NULL;
    refused(abut_shape_create_blend(g.w.context, g.mesh, NULL, &shape, &error), shape, &error,
            "needs weights");
    const abut_blend_def blend = abut_blend_def_default();
    refused(abut_shape_create_blend(g.w.context, g.mesh, &blend, &shape, &error), shape, &error,
            "0 nodes");
    stage_free(&g);
}

// a def without a cookie, with the cookie of another kind, or with a common part that no maker set
static void test_missing_and_foreign_cookies_are_refused(void** state) {
    (void)state;
    stage g = stage_make();
    abut_context* context = g.w.context;
    abut_shape* shape = NULL;
    abut_error error;
    abut_modal_def modal = abut_modal_def_default();
    abut_blend_def blend = abut_blend_def_default();
    abut_flight_def flight = abut_flight_def_default();
    REQUIRE(modal.cookie != blend.cookie && blend.cookie != flight.cookie &&
            modal.cookie != flight.cookie && modal.cookie != modal.shape.cookie);
    const uint32_t right = modal.cookie;
    modal.cookie = flight.cookie;
    refused(abut_shape_create_modal(context, g.mesh, &modal, &shape, &error), shape, &error,
            "the modal shape settings");
    flight.cookie = right;
    refused(abut_shape_create_flight(context, g.mesh, &flight, &shape, &error), shape, &error,
            "the flight shape settings");
    blend.cookie = 0;
    refused(abut_shape_create_blend(context, g.mesh, &blend, &shape, &error), shape, &error,
            "the blend shape settings");
    modal.cookie = right;
    modal.shape = (abut_shape_def){.fan_out = 8, .block_triangles = 48};
    refused(abut_shape_create_modal(context, g.mesh, &modal, &shape, &error), shape, &error,
            "the shape settings");
    stage_free(&g);
}

static void test_edits_must_match_the_motion(void** state) {
    (void)state;
    stage g = stage_make();
    abut_shape* shapes[4] = {g.plain};
    uint32_t nodes[64];
    double values[64];
    abut_error error;
    abut_blend_def def = abut_blend_def_default();
    REQUIRE(g.s.vertex_count <= 64);
    def.weights = one_node(&g, nodes, values);
    REQUIRE_OK(abut_shape_create_modal(g.w.context, g.mesh, NULL, &shapes[1], &error));
    REQUIRE_OK(abut_shape_create_blend(g.w.context, g.mesh, &def, &shapes[2], &error));
    REQUIRE_OK(abut_shape_create_flight(g.w.context, g.mesh, NULL, &shapes[3], &error));
    const uint32_t removed = 0;
    abut_modal_edit_def modal = abut_modal_edit_def_default();
    abut_blend_edit_def blend = abut_blend_edit_def_default();
    abut_flight_edit_def flight = abut_flight_edit_def_default();
    abut_shape_edit_def plain = abut_shape_edit_def_default();
    plain.removed_triangles = &removed;
    plain.removed_triangle_count = 1;
    modal.edit = blend.edit = flight.edit = plain;
    for (int i = 0; i < 4; ++i) {
        for (int by = 0; by < 4; ++by) {
            where("shape of motion %d, edit of motion %d", i, by);
            abut_shape* edited = NULL;
            const abut_status status =
                by == 0   ? abut_shape_edit(shapes[i], &plain, &edited, NULL, &error)
                : by == 1 ? abut_shape_edit_modal(shapes[i], &modal, &edited, NULL, &error)
                : by == 2 ? abut_shape_edit_blend(shapes[i], &blend, &edited, NULL, &error)
                          : abut_shape_edit_flight(shapes[i], &flight, &edited, NULL, &error);
            if (by == 0 || by == i) {
                REQUIRE_OK(status);
                REQUIRE(abut_mesh_triangles(abut_shape_mesh(edited))[0] == UINT32_MAX);
            } else {
                refused(status, edited, &error, "use the edit of the shape's motion");
            }
            abut_shape_destroy(edited);
        }
    }
    abut_shape* edited = NULL;
    modal.cookie = flight.cookie;
    refused(abut_shape_edit_modal(shapes[1], &modal, &edited, NULL, &error), edited, &error,
            "the modal edit settings");
    refused(abut_shape_edit_flight(shapes[3], NULL, &edited, NULL, &error), edited, &error,
            "the edit is NULL");
    for (int i = 1; i < 4; ++i) {
        abut_shape_destroy(shapes[i]);
    }
    stage_free(&g);
}

// a plain edit cannot describe how new vertices move by fields, weights and keyframes
static void test_plain_edits_of_new_vertices_are_refused(void** state) {
    (void)state;
    stage g = stage_make();
    uint32_t nodes[64];
    double values[64];
    const double place[3] = {0, 0, 2};
    abut_error error;
    abut_shape* shape[3] = {NULL, NULL, NULL};
    const abut_field field = {.values = abut_positions_f64(g.s.xyz, g.s.vertex_count)};
    const abut_keyframe key = {0, abut_positions_f64(g.s.xyz, g.s.vertex_count)};
    abut_modal_def modal = abut_modal_def_default();
    abut_blend_def blend = abut_blend_def_default();
    abut_flight_def flight = abut_flight_def_default();
    modal.fields = &field;
    modal.field_count = 1;
    blend.weights = one_node(&g, nodes, values);
    flight.keyframes = &key;
    flight.keyframe_count = 1;
    REQUIRE_OK(abut_shape_create_modal(g.w.context, g.mesh, &modal, &shape[0], &error));
    REQUIRE_OK(abut_shape_create_blend(g.w.context, g.mesh, &blend, &shape[1], &error));
    REQUIRE_OK(abut_shape_create_flight(g.w.context, g.mesh, &flight, &shape[2], &error));
    abut_shape_edit_def edit = abut_shape_edit_def_default();
    edit.added_vertices = abut_positions_f64(place, 1);
    for (int i = 0; i < 3; ++i) {
        where("shape %d", i);
        abut_shape* edited = NULL;
        const abut_status status = abut_shape_edit(shape[i], &edit, &edited, NULL, &error);
        REQUIRE(status == ABUT_ERR_INVALID_ARGUMENT && edited == NULL);
        abut_shape_destroy(shape[i]);
    }
    abut_shape* rigid = NULL;  // without fields and keyframes nothing is missing
    abut_shape* edited = NULL;
    REQUIRE_OK(abut_shape_create_modal(g.w.context, g.mesh, NULL, &rigid, &error));
    REQUIRE_OK(abut_shape_edit(rigid, &edit, &edited, NULL, &error));
    abut_shape_destroy(rigid);
    abut_shape_destroy(edited);
    stage_free(&g);
}

static bool blames(const abut_error* error, abut_body_id body) {
    return error->body.index == body.index && error->body.generation == body.generation;
}

static void test_errors_name_the_body(void** state) {
    (void)state;
    stage g = stage_make();
    (void)world_add(&g.w, &g.s, NULL, NULL);
    const abut_body_id body = world_add(&g.w, &g.s, NULL, NULL);
    const abut_body_id none = {0, 0};
    const abut_body_id gone = {77, 3};
    abut_error error;
    double p[3];
    memset(&error, 0xff, sizeof error);
    REQUIRE_STATUS(abut_body_vertex(g.w.scene, body, g.s.vertex_count, p, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(blames(&error, body) && error.element == ABUT_ELEMENT_VERTEX &&
            error.index == g.s.vertex_count);
    g.s.xyz[5] = NAN;
    REQUIRE_STATUS(abut_body_set_positions(g.w.scene, body,
                                           abut_positions_f64(g.s.xyz, g.s.vertex_count), &error),
                   ABUT_ERR_INVALID_DATA);
    REQUIRE(blames(&error, body) && error.element == ABUT_ELEMENT_VERTEX && error.index == 1);
    REQUIRE_STATUS(abut_body_world_vertex(g.w.scene, gone, 0, p, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(blames(&error, gone) && error.element == ABUT_ELEMENT_BODY);
    REQUIRE_STATUS(abut_body_proxy(g.w.scene, body, 0, p, p, &error), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(blames(&error, body));
    abut_mesh* mesh = NULL;  // the error is about no body
    REQUIRE_STATUS(abut_mesh_create(g.w.context, NULL, &mesh, &error), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(blames(&error, none));
    REQUIRE(abut_body_shape(g.w.scene, gone) == NULL && abut_body_user(g.w.scene, gone) == NULL &&
            !abut_body_is_valid(g.w.scene, gone));
    const abut_frame frame = abut_body_frame(g.w.scene, gone);
    const abut_frame identity = abut_frame_identity();
    REQUIRE(memcmp(&frame, &identity, sizeof frame) == 0);
    stage_free(&g);
}

static void test_plans_need_their_maker(void** state) {
    (void)state;
    stage g = stage_make();
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    const abut_body_id body = world_add(&g.w, &g.s, &def, NULL);
    abut_error error;
    abut_plans_def plans = abut_plans_def_default();
    plans.velocities = abut_positions_f64(g.s.xyz, g.s.vertex_count);
    REQUIRE_OK(abut_body_set_plans(g.w.scene, body, &plans, &error));
    plans.cookie = 0;
    REQUIRE_STATUS(abut_body_set_plans(g.w.scene, body, &plans, &error), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE(strstr(error.message, "the plans settings") != NULL);
    stage_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_make_shapes),
        cmocka_unit_test(test_missing_and_foreign_cookies_are_refused),
        cmocka_unit_test(test_edits_must_match_the_motion),
        cmocka_unit_test(test_plain_edits_of_new_vertices_are_refused),
        cmocka_unit_test(test_errors_name_the_body),
        cmocka_unit_test(test_plans_need_their_maker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
