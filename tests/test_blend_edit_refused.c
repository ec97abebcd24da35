// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Edits of blend and modal shapes that are refused, and bodies that switch to shapes with more or
// fewer nodes. A refused call changes nothing, and its error names the vertex.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "shape/shape.h"
#include "support/skin.h"
#include "test_edit_support.h"

// ---- bodies that switch

static void test_nodes_of_bodies(void** state) {
    (void)state;
    where("nodes");
    test_random random = random_seed(7);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    skin k = skin_make(&random, &s, 5, 3, ABUT_SCALAR_F64);
    const motion_def def = blend_def(&k, NULL);
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    double t[7][12];
    gentle_transforms(&random, t, 7, 0.3);
    set_transforms(&w, body, t, 5, NULL, 0);
    // vertex 8 follows new nodes: they begin with the identity
    const abut_shape* before = abut_body_shape(w.scene, body);
    const uint32_t vertex = 8;
    const uint32_t nodes[2] = {5, 6};
    const double halves[2] = {0.5, 0.5};
    motion_edit_def more = motion_edit_def_default();
    more.node_count = 7;
    more.changed_vertices = &vertex;
    more.changed_vertex_count = 1;
    more.changed_weights = (abut_weights){.node_count = 7,
                                          .per_vertex = 2,
                                          .nodes = nodes,
                                          .values = halves,
                                          .type = ABUT_SCALAR_F64};
    abut_shape* edited = world_edit(before, &more, NULL);
    abut__shape_hold(before);  // keeps the shape alive, so that the body can go back
    REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
    double p[3];
    REQUIRE_OK(abut_body_vertex(w.scene, body, vertex, p, NULL));
    REQUIRE(memcmp(p, s.xyz + 3 * (size_t)vertex, sizeof p) == 0);
    world_validate(&w, body);
    abut_error error;
    const abut_transforms few = abut_transforms_f64(t[0], 5);
    REQUIRE_STATUS(abut_body_set_transforms(w.scene, body, few, NULL, 0, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    set_transforms(&w, body, t, 7, NULL, 0);
    world_validate(&w, body);
    double moved[3];
    REQUIRE_OK(abut_body_vertex(w.scene, body, vertex, moved, NULL));
    // no return to the old shape: it would lose a transform
    REQUIRE_STATUS(abut_body_set_shape(w.scene, body, before, (abut_positions){0}, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "7 transforms"));
    REQUIRE(abut_body_shape(w.scene, body) == edited);
    REQUIRE_OK(abut_body_vertex(w.scene, body, vertex, p, NULL));
    REQUIRE(memcmp(p, moved, sizeof p) == 0);
    world_validate(&w, body);
    (void)check_self(&w, body, NULL);
    abut_shape_destroy((abut_shape*)before);
    abut_shape_destroy(edited);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// a switch to a shape whose transforms overflow all doubles leaves the body unchanged
static void test_refused_switch_changes_nothing(void** state) {
    (void)state;
    where("refused switch");
    test_random random = random_seed(8);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    skin k = skin_make(&random, &s, 3, 2, ABUT_SCALAR_F64);
    const motion_def def = blend_def(&k, NULL);
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    double t[3][12] = {{0}};
    for (int j = 0; j < 3; ++j) {
        t[j][0] = t[j][5] = t[j][10] = 1e200;
    }
    set_transforms(&w, body, t, 3, NULL, 0);
    const double far[3] = {1e200, 0, 0};
    const uint32_t node = 2;
    const double one = 1;
    motion_edit_def more = motion_edit_def_default();
    more.added_vertices = abut_positions_f64(far, 1);
    more.added_weights = (abut_weights){
        .per_vertex = 1, .nodes = &node, .values = &one, .type = ABUT_SCALAR_F64};
    const abut_shape* before = abut_body_shape(w.scene, body);
    abut_shape* edited = world_edit(before, &more, NULL);
    abut_error error;
    REQUIRE_STATUS(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, &error),
                   ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_NODE);
    REQUIRE(abut_body_shape(w.scene, body) == before);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        double wanted[3];
        double p[3];
        blend_formula(&s, &k, NULL, NULL, t, v, wanted);
        REQUIRE_OK(abut_body_vertex(w.scene, body, v, p, NULL));
        REQUIRE(memcmp(p, wanted, sizeof p) == 0);
    }
    abut_shape_destroy(edited);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// the same for fields: the displacement of new vertices counts, too
static void test_overflowing_fields_of_new_vertices_are_refused(void** state) {
    (void)state;
    where("long fields");
    test_random random = random_seed(12);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    field_set f = make_fields(&random, &s, 2, 1, ABUT_SCALAR_F32, false);
    const abut_body_id body = add_modal(&w, &s, &f, 48);
    const double q[2] = {1, 1e200};
    set_coordinates(&w, body, q, 2);
    const double place[3] = {0, 0, 0};
    const double far[3] = {0, 1e200, 0};
    const abut_field fields[2] = {{abut_positions_f64(place, 1), NULL},
                                  {abut_positions_f64(far, 1), NULL}};
    motion_edit_def more = motion_edit_def_default();
    more.added_vertices = abut_positions_f64(place, 1);
    more.added_fields = fields;
    const abut_shape* before = abut_body_shape(w.scene, body);
    abut_shape* edited = world_edit(before, &more, NULL);
    abut_error error;
    REQUIRE_STATUS(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, &error),
                   ABUT_ERR_INVALID_DATA);
    REQUIRE(error.index == 1 && abut_body_shape(w.scene, body) == before);
    const double less[2] = {1, 2};
    set_coordinates(&w, body, less, 2);
    REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, &error));
    double p[3];
    REQUIRE_OK(abut_body_vertex(w.scene, body, s.vertex_count, p, NULL));
    REQUIRE(p[0] == 0 && p[1] == 2e200 && p[2] == 0);
    world_validate(&w, body);
    abut_shape_destroy(edited);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// ---- refused edits

// one vertex with other weights
static motion_edit_def one_change(const uint32_t* vertex, const uint32_t* nodes,
                                  const double* values, uint32_t count) {
    motion_edit_def def = motion_edit_def_default();
    def.changed_vertices = vertex;
    def.changed_vertex_count = 1;
    def.changed_weights = (abut_weights){
        .per_vertex = count, .nodes = nodes, .values = values, .type = ABUT_SCALAR_F64};
    return def;
}

static void test_refused_changes(void** state) {
    (void)state;
    test_random random = random_seed(9);
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(3, 3, 3);  // 16 vertices
    skin k = skin_make(&random, &s, 4, 2, ABUT_SCALAR_F32);
    const motion_def made = blend_def(&k, NULL);
    abut_shape* shape = world_shape(&w, &s, &made);
    const uint32_t vertices[2] = {5, 5};
    const uint32_t beyond = 16;
    const uint32_t nodes[2] = {1, 3};
    const double halves[2] = {0.5, 0.5};
    const double strange[4][2] = {{0.5, 0.25}, {(double)NAN, 1}, {-0.5, 1.5}, {0, 0}};
    motion_edit_def def;
    for (int i = 0; i < 4; ++i) {
        def = one_change(vertices, nodes, strange[i], 2);
        refuse(shape, &def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 5, "weights");
    }
    def = one_change(&beyond, nodes, halves, 2);
    refuse(shape, &def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 16, "no such vertex");
    def = one_change(vertices, nodes, halves, 1);
    def.changed_vertex_count = 2;
    refuse(shape, &def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 5, "a vertex twice");
    const uint32_t far[2] = {1, 4};
    def = one_change(vertices, far, halves, 2);
    refuse(shape, &def, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 5, "no such node");
    def.node_count = 5;
    abut_shape* edited = world_edit(shape, &def, NULL);
    abut_shape_destroy(edited);
    def.changed_weights.node_count = 4;
    refuse(shape, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "two numbers of nodes");
    def = one_change(NULL, nodes, halves, 2);
    refuse(shape, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "NULL vertices");
    def = one_change(vertices, NULL, halves, 2);
    refuse(shape, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "NULL nodes");
    def = one_change(vertices, nodes, NULL, 2);
    refuse(shape, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "NULL weights");
    def = one_change(vertices, nodes, halves, 0);
    refuse(shape, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "no numbers");
    def = motion_edit_def_default();
    def.node_count = 3;
    refuse(shape, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "fewer nodes");
    def.node_count = 65536;
    refuse(shape, &def, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0, "too many nodes");
    abut_shape_destroy(shape);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

static void test_refused_additions(void** state) {
    (void)state;
    test_random random = random_seed(10);
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(3, 3, 3);  // 16 vertices
    skin k = skin_make(&random, &s, 4, 2, ABUT_SCALAR_F32);
    field_set f = make_fields(&random, &s, 2, 0.3, ABUT_SCALAR_F32, false);
    motion_def made = blend_def(&k, &f);
    abut_shape* shape = world_shape(&w, &s, &made);
    made = modal_def(&f);
    abut_shape* modal = world_shape(&w, &s, &made);
    const double two[6] = {0, 0, 1, 0, 1, 1};
    const uint32_t nodes[4] = {0, 1, 2, 3};
    const double halves[4] = {0.5, 0.5, 0.5, 0.5};
    const uint32_t first[3] = {0, 3, 2};
    const double moves[6] = {1, 0, 0, 0, 0, 1};
    const double strange[6] = {1, 0, 0, 0, (double)NAN, 1};
    const uint32_t listed[2] = {16, 17};
    const uint32_t old[2] = {15, 16};
    abut_field fields[2] = {{abut_positions_f64(moves, 2), NULL},
                            {abut_positions_f64(moves, 2), listed}};
    motion_edit_def def = motion_edit_def_default();
    def.added_vertices = abut_positions_f64(two, 2);
    refuse(modal, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "modal: no fields");
    def.added_fields = fields;
    refuse(shape, &def, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "no weights");
    def.added_weights = (abut_weights){
        .per_vertex = 2, .nodes = nodes, .values = halves, .type = ABUT_SCALAR_F64};
    abut_shape* edited = world_edit(shape, &def, NULL);
    abut_shape_destroy(edited);
    motion_edit_def bad = def;
    bad.added_fields = NULL;
    refuse(shape, &bad, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "no fields");
    bad = def;
    bad.added_weights.first = first;
    refuse(shape, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 17, "descending offsets");
    bad = def;
    const double half[4] = {0.5, 0.5, 0.5, 0.25};
    bad.added_weights.values = half;
    refuse(shape, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 17, "a sum of 0.75");
    bad.added_weights.normalise = true;
    edited = world_edit(shape, &bad, NULL);
    abut_shape_destroy(edited);
    bad = def;
    fields[1] = (abut_field){abut_positions_f64(strange, 2), listed};
    refuse(shape, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 17, "a field of NaN");
    bad.added_weights = (abut_weights){0};
    refuse(modal, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, 17, "the same, modal");
    fields[1] = (abut_field){abut_positions_f64(moves, 2), old};
    refuse(modal, &bad, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, 1, "a field of old vertices");
    fields[1] = (abut_field){abut_positions_f64(moves, 1), NULL};
    refuse(modal, &bad, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_ENTRY, 1, "a short field");
    abut_shape_destroy(shape);
    abut_shape_destroy(modal);
    free_fields(&f);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_of_bodies),
        cmocka_unit_test(test_refused_switch_changes_nothing),
        cmocka_unit_test(test_overflowing_fields_of_new_vertices_are_refused),
        cmocka_unit_test(test_refused_changes),
        cmocka_unit_test(test_refused_additions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
