// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The blend motion: vertices by the documented formula, boxes that hold them whatever the transforms
// are, queries that find what brute force finds, and work only for what is asked. What it refuses is
// in test_blend_errors.c.

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

#include "motion/blend.h"
#include "scene/scene.h"
#include "support/skin.h"

#define NODES_MOST 64

static const abut_bound all_bounds[] = {ABUT_BOUND_AUTO, ABUT_BOUND_CONVEX_EXACT,
                                        ABUT_BOUND_CONVEX_PLAIN};

// a world with one of the instruction sets that this processor has: they take turns
static world next_world(uint32_t turn) {
    static const abut_isa sets[] = {ABUT_ISA_AVX512, ABUT_ISA_AVX2, ABUT_ISA_SCALAR};
    abut_context_def def = abut_context_def_default();
    def.isa = sets[turn % 3];
    abut_context* context = NULL;
    const bool has_it = abut_context_create(&def, &context, NULL) == ABUT_OK;
    abut_context_destroy(context);
    return world_make(has_it ? &def : NULL, NULL);
}

static void check_vertices(const world* w, abut_body_id body, const surface* s, const skin* k,
                           const field_set* f, const double* q, double (*t)[12]) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double wanted[3];
        double got[3];
        blend_formula(s, k, f, q, t, v, wanted);
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

static void test_vertices_are_the_formula(void** state) {
    (void)state;
    static const uint32_t influences[] = {1, 4, 8, 32};
    test_random random = random_seed(21);
    for (uint32_t round = 0; round < effort(16, 40, 400); ++round) {
        where("round %u", round);
        world w = next_world(round / 4);
        surface s = surface_ball(8, 12, 1);
        const uint32_t nodes = influences[round % 4] + random_below(&random, 20);
        skin k = skin_make(&random, &s, nodes, influences[round % 4],
                           random_chance(&random, 0.5) ? ABUT_FLOAT32 : ABUT_FLOAT64);
        const uint32_t fields = round % 3 == 0 ? 0 : 1 + random_below(&random, 9);
        field_set f = make_fields(&random, &s, fields, 0.3, ABUT_FLOAT32, round % 2 == 0);
        abut_shape_def def = blend_def(&k, &f);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double t[NODES_MOST][12];
        double q[16];
        for (int step = 0; step < 3; ++step) {
            wild_transforms(&random, t, nodes, step);
            random_coordinates(&random, q, fields, 3);
            set_transforms(&w, body, t, nodes, q, fields);
            check_vertices(&w, body, &s, &k, &f, q, t);
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

static void check_body_box(const world* w, abut_body_id body, uint32_t vertex_count) {
    abut_box box;
    REQUIRE_OK(abut_body_box(w->scene, body, &box));
    for (uint32_t v = 0; v < vertex_count; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_world_vertex(w->scene, body, v, p));
        for (int d = 0; d < 3; ++d) {
            REQUIRE(box.lo[d] <= p[d] && p[d] <= box.hi[d]);
        }
    }
}

// every vertex in every box above it: all bounds, near and far, turned or not
static void test_boxes_hold_vertices(void** state) {
    (void)state;
    static const abut_bound bounds[] = {ABUT_BOUND_AUTO, ABUT_BOUND_CONVEX_EXACT,
                                        ABUT_BOUND_CONVEX_PLAIN, ABUT_BOUND_BOXES};
    test_random random = random_seed(22);
    for (uint32_t round = 0; round < effort(60, 200, 6000); ++round) {
        where("round %u", round);
        world w = next_world(round / 4);
        surface s = surface_ball(6, 9, 1);
        const double size = ldexp(1, random_between(&random, -40, 40));
        surface_scale(&s, random_chance(&random, 0.3) ? 1 : size);
        if (random_chance(&random, 0.3)) {
            surface_shift(&s, 1e6 * size, -3e5 * size, 7e4 * size);
        }
        const uint32_t nodes = 1 + random_below(&random, 40);
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes),
                           random_chance(&random, 0.5) ? ABUT_FLOAT32 : ABUT_FLOAT64);
        const uint32_t fields = random_chance(&random, 0.4) ? 1 + random_below(&random, 9) : 0;
        field_set f = make_fields(&random, &s, fields, size, ABUT_FLOAT64, false);
        abut_shape_def def = blend_def(&k, &f);
        def.bound = bounds[round % 4];
        def.block_triangles = 1 + random_below(&random, random_chance(&random, 0.5) ? 48 : 4);
        def.fan_out = 2 + random_below(&random, 7);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 6; ++step) {
            double t[NODES_MOST][12];
            double q[16];
            const double offset = random_chance(&random, 0.5)
                                      ? 0
                                      : ldexp(1, random_between(&random, -20, 40));
            if (random_chance(&random, 0.5)) {
                wild_transforms(&random, t, nodes, offset);
            } else {
                gentle_transforms(&random, t, nodes, 0.3);
            }
            random_coordinates(&random, q, fields, ldexp(1, random_between(&random, -17, 17)));
            set_transforms(&w, body, t, nodes, q, fields);
            if (random_chance(&random, 0.5)) {
                world_frame(&w, body, frame_random(&random, 1e9));
            }
            world_validate(&w, body);
            check_body_box(&w, body, s.vertex_count);
        }
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(23);
    size_t hits[3] = {0, 0, 0};
    for (uint32_t round = 0; round < effort(12, 40, 1000); ++round) {
        where("round %u", round);
        world w = next_world(round / 4);
        surface ball = surface_ball(8, 12, 1);
        surface sheet = surface_sheet(9, 9, 3);
        const uint32_t nodes = 1 + random_below(&random, 30);
        skin k = skin_make(&random, &ball, nodes, 1 + random_below(&random, nodes), ABUT_FLOAT32);
        skin l = skin_make(&random, &sheet, 9, 4, ABUT_FLOAT64);
        field_set f = make_fields(&random, &ball, random_below(&random, 4), 0.3, ABUT_FLOAT32,
                                  false);
        field_set g = make_fields(&random, &sheet, 3, 0.3, ABUT_FLOAT32, false);
        abut_shape_def def = blend_def(&k, &f);
        def.block_triangles = 1 + random_below(&random, 48);
        const abut_body_id a = world_add(&w, &ball, &def, NULL);
        def = blend_def(&l, NULL);
        const abut_body_id b = world_add(&w, &sheet, &def, NULL);
        const abut_body_id c = world_add(&w, &ball, NULL, NULL);
        const abut_body_id d = add_modal(&w, &sheet, &g, 48);
        for (int step = 0; step < 4; ++step) {
            double t[NODES_MOST][12];
            double q[16];
            gentle_transforms(&random, t, nodes, 0.5);
            random_coordinates(&random, q, f.count, 1);
            set_transforms(&w, a, t, nodes, q, f.count);
            gentle_transforms(&random, t, 9, 0.5);
            set_transforms(&w, b, t, 9, NULL, 0);
            random_coordinates(&random, q, 3, 1);
            set_coordinates(&w, d, q, 3);
            if (random_chance(&random, 0.5)) {
                world_frame(&w, a, frame_random(&random, 0.5));
            }
            world_frame(&w, c, frame_random(&random, 0.5));
            abut_query_def query = abut_query_def_default();
            query.margin = random_chance(&random, 0.2) ? 0.05 : 0;
            hits[0] += check_between(&w, a, b, &query);
            hits[1] += check_collide_all(&w, &query);
            hits[2] += check_self(&w, a, &query);
        }
        free_fields(&f);
        free_fields(&g);
        skin_free(&k);
        skin_free(&l);
        surface_free(&ball);
        surface_free(&sheet);
        world_free(&w);
    }
    assert_true(hits[0] > 0 && hits[1] > 0 && hits[2] > 0);
}

// ---- weights mean what is documented

// any one vertex list of a skin as a caller may give it: in any order, with padding, in parts
static abut_weights messy_weights(test_random* random, const skin* k, uint32_t per_vertex,
                                  uint32_t* nodes, double* values) {
    for (uint32_t v = 0; v < k->vertex_count; ++v) {
        const uint32_t count = k->first[v + 1] - k->first[v];
        uint32_t order[64];
        random_permutation(random, order, per_vertex);
        for (uint32_t i = 0; i < per_vertex; ++i) {
            const size_t at = (size_t)per_vertex * v + order[i];
            const uint32_t from = k->first[v] + i % count;
            const bool whole = i < count;
            nodes[at] = whole ? k->nodes[from] : (uint32_t)random_bits(random);
            values[at] = whole ? k->values[from] : random_chance(random, 0.5) ? 0.0 : -0.0;
        }
        for (uint32_t i = 0; i + 1 < per_vertex; ++i) {  // a weight in two halves
            const size_t at = (size_t)per_vertex * v;
            if (values[at + i] > 0 && values[at + i + 1] == 0) {
                values[at + i] *= 0.5;
                values[at + i + 1] = values[at + i];
                nodes[at + i + 1] = nodes[at + i];
                ++i;
            }
        }
    }
    return (abut_weights){k->node_count, NULL, per_vertex, nodes, values, ABUT_FLOAT64, false};
}

static void test_order_of_weights_does_not_matter(void** state) {
    (void)state;
    test_random random = random_seed(24);
    for (uint32_t round = 0; round < effort(8, 20, 200); ++round) {
        where("round %u", round);
        world w = next_world(round / 4);
        surface s = surface_ball(8, 12, 1);
        const uint32_t influences = 1 + random_below(&random, 8);
        skin k = skin_make(&random, &s, 12, influences, ABUT_FLOAT64);
        const uint32_t room = influences + random_below(&random, 6);
        uint32_t* nodes = test_alloc((size_t)s.vertex_count * room, sizeof *nodes);
        double* values = test_alloc((size_t)s.vertex_count * room, sizeof *values);
        abut_shape_def def = blend_def(&k, NULL);
        const abut_body_id a = world_add(&w, &s, &def, NULL);
        def.weights = messy_weights(&random, &k, room, nodes, values);
        const abut_body_id b = world_add(&w, &s, &def, NULL);
        double t[NODES_MOST][12];
        wild_transforms(&random, t, 12, 3);
        set_transforms(&w, a, t, 12, NULL, 0);
        set_transforms(&w, b, t, 12, NULL, 0);
        check_vertices(&w, a, &s, &k, NULL, NULL, t);
        check_vertices(&w, b, &s, &k, NULL, NULL, t);
        world_validate(&w, b);
        free(nodes);
        free(values);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// three parts of one weight, whose sum is rounded: whatever their order, it is the same
static void test_parts_of_weights_add_up_in_any_order(void** state) {
    (void)state;
    static const uint32_t orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const double parts[3] = {0.1, 0.2, 0.3};
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(1, 1, 1);
    double first[3] = {0};
    for (int round = 0; round < 6; ++round) {
        uint32_t nodes[4 * 4];
        double values[4 * 4];
        for (uint32_t v = 0; v < 4; ++v) {
            for (uint32_t i = 0; i < 3; ++i) {
                nodes[4 * v + i] = 1;
                values[4 * v + i] = parts[orders[round][i]];
            }
            nodes[4 * v + 3] = 0;
            values[4 * v + 3] = 0.4;
        }
        abut_shape_def def = abut_shape_def_default();
        def.motion = ABUT_MOTION_BLEND;
        def.weights = (abut_weights){2, NULL, 4, nodes, values, ABUT_FLOAT64, false};
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double t[2][12] = {{0}};
        t[1][3] = 1;  // shows the weight itself
        set_transforms(&w, body, t, 2, NULL, 0);
        double got[3];
        REQUIRE_OK(abut_body_vertex(w.scene, body, 3, got));
        if (round == 0) {
            memcpy(first, got, sizeof first);
        }
        where("round %d: %.17g and %.17g", round, got[0], first[0]);
        REQUIRE(got[0] == first[0]);
    }
    surface_free(&s);
    world_free(&w);
}

static void test_normalised_weights_are_quotients(void** state) {
    (void)state;
    test_random random = random_seed(25);
    static const double factors[] = {1, 3, 1e-3, 1e300, 1e-300, 5e-324, 0.999};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; ++i) {
        where("weights times %g", factors[i]);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        skin k = skin_make(&random, &s, 5, 3, i < 3 ? ABUT_FLOAT32 : ABUT_FLOAT64);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            for (uint32_t j = k.first[v]; j < k.first[v + 1]; ++j) {
                k.values[j] = factors[i] == 5e-324 ? 5e-324 * (1 + j % 3)
                                                   : k.values[j] * factors[i];
                k.narrow[j] = (float)k.values[j];
                k.values[j] = i < 3 ? (double)k.narrow[j] : k.values[j];
            }
        }
        abut_shape_def def = blend_def(&k, NULL);
        def.weights.normalise = true;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            double sum = 0;
            for (uint32_t j = k.first[v]; j < k.first[v + 1]; ++j) {
                sum += k.values[j];
            }
            for (uint32_t j = k.first[v]; j < k.first[v + 1]; ++j) {
                k.values[j] = i < 3 ? (double)(float)(k.values[j] / sum) : k.values[j] / sum;
            }
        }
        double t[NODES_MOST][12];
        wild_transforms(&random, t, 5, 2);
        set_transforms(&w, body, t, 5, NULL, 0);
        check_vertices(&w, body, &s, &k, NULL, NULL, t);
        world_validate(&w, body);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// as many nodes as there may be
static void test_most_nodes(void** state) {
    (void)state;
    enum { MANY = 65535 };
    test_random random = random_seed(26);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(12, 16, 1);
    skin k = skin_make(&random, &s, 32, 32, ABUT_FLOAT32);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        for (uint32_t i = 0; i < 32; ++i) {
            k.nodes[32 * v + i] = 2047 * i + random_below(&random, 2047) + (i == 31 ? 31 : 0);
        }
    }
    k.nodes[31] = MANY - 1;
    k.node_count = MANY;
    double(*t)[12] = test_alloc(MANY, sizeof *t);
    gentle_transforms(&random, t, MANY, 0.2);
    abut_shape_def def = blend_def(&k, NULL);
    def.block_triangles = 12;
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    assert_int_equal(abut_shape_node_count(abut_body_shape(w.scene, body)), MANY);
    set_transforms(&w, body, t, MANY, NULL, 0);
    check_vertices(&w, body, &s, &k, NULL, NULL, t);
    world_validate(&w, body);
    (void)check_self(&w, body, NULL);
    free(t);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// ---- classes

// Copies of a vertex that follow the same nodes are one vertex, whatever the order they were given
// in; those that follow others are not, and may touch.
static void test_weights_part_classes(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface one = surface_sheet(3, 3, 1);
    surface both = surface_join(&one, &one);
    uint32_t nodes[2 * 32];
    float values[2 * 32];
    for (uint32_t v = 0; v < both.vertex_count; ++v) {  // the second sheet in the other order
        const uint32_t swap = v >= one.vertex_count ? 1 : 0;
        nodes[2 * v + swap] = 0;
        nodes[2 * v + 1 - swap] = 1;
        values[2 * v + swap] = 0.125f;
        values[2 * v + 1 - swap] = 0.875f;
    }
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = (abut_weights){2, NULL, 2, nodes, values, ABUT_FLOAT32, false};
    const abut_body_id closed = world_add(&w, &both, &def, NULL);
    const uint32_t* classes = abut_mesh_classes(abut_shape_mesh(abut_body_shape(w.scene, closed)));
    for (uint32_t v = 0; v < both.vertex_count; ++v) {
        assert_int_equal(classes[v], v % one.vertex_count);
    }
    for (uint32_t v = one.vertex_count; v < both.vertex_count; ++v) {
        values[2 * v] = 1;
        values[2 * v + 1] = 0;
    }
    const abut_body_id open = world_add(&w, &both, &def, NULL);
    classes = abut_mesh_classes(abut_shape_mesh(abut_body_shape(w.scene, open)));
    for (uint32_t v = 0; v < both.vertex_count; ++v) {
        assert_int_equal(classes[v], v);
    }
    assert_true(check_self(&w, open, NULL) > check_self(&w, closed, NULL));
    for (uint32_t v = one.vertex_count; v < both.vertex_count;
         ++v) {  // alike again, but for a field
        values[2 * v] = 0.875f;
        values[2 * v + 1] = 0.125f;
    }
    double u[3 * 32] = {0};
    u[3 * (size_t)one.vertex_count] = 1;
    const abut_field field = {abut_positions_f64(u, both.vertex_count), NULL};
    def.fields = &field;
    def.field_count = 1;
    const abut_body_id torn = world_add(&w, &both, &def, NULL);
    classes = abut_mesh_classes(abut_shape_mesh(abut_body_shape(w.scene, torn)));
    for (uint32_t v = 0; v < both.vertex_count; ++v) {
        assert_int_equal(classes[v], v == one.vertex_count ? v : v % one.vertex_count);
    }
    double t[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4}};
    set_transforms(&w, open, t, 2, NULL, 0);
    set_transforms(&w, closed, t, 2, NULL, 0);
    assert_int_equal(check_self(&w, open, NULL), 0);
    double a[3];
    double b[3];
    for (uint32_t v = 0; v < one.vertex_count; ++v) {
        REQUIRE_OK(abut_body_vertex(w.scene, closed, v, a));
        REQUIRE_OK(abut_body_vertex(w.scene, closed, v + one.vertex_count, b));
        REQUIRE(memcmp(a, b, sizeof a) == 0);
    }
    surface_free(&one);
    surface_free(&both);
    world_free(&w);
}

// Classes by definition, where all vertices rest at one place, and follow one of few pairs of nodes.
// In the second half every vertex has a node of its own, or a field moves it as no other.
static void test_one_place_is_parted(void** state) {
    (void)state;
    test_random random = random_seed(27);
    world w = world_make(NULL, NULL);
    const uint32_t vertices = effort(9000, 30000, 60000);
    surface s = surface_make(vertices, vertices / 3);
    uint32_t* nodes = test_alloc(2 * (size_t)vertices, sizeof *nodes);
    double* values = test_alloc(2 * (size_t)vertices, sizeof *values);
    double* u = test_alloc(3 * (size_t)vertices, sizeof *u);
    uint32_t known[2][8] = {{0}};
    for (uint32_t i = 0; i < 16; ++i) {
        known[i / 8][i % 8] = UINT32_MAX;
    }
    uint32_t* wanted = test_alloc(vertices, sizeof *wanted);
    for (uint32_t v = 0; v < vertices; ++v) {
        if (v < 3 * s.triangle_count) {
            s.triangles[v] = v;
        }
        for (int d = 0; d < 3; ++d) {
            s.xyz[3 * (size_t)v + (size_t)d] = random_chance(&random, 0.5) ? 0.0 : -0.0;
        }
        const uint32_t kind = random_below(&random, 2);
        const uint32_t pair = random_below(&random, 8);
        const bool common = v < vertices / 2;
        const bool own = !common && v % 2 == 0;
        const uint32_t turned = random_below(&random, 2);
        nodes[2 * v + turned] = own ? v : pair;
        nodes[2 * v + 1 - turned] = own ? 0 : pair + 1;
        values[2 * v + turned] = kind == 0 ? 0.25 : 0.5;
        values[2 * v + 1 - turned] = kind == 0 ? 0.75 : 0.5;
        if (common && known[kind][pair] == UINT32_MAX) {
            known[kind][pair] = v;
        }
        wanted[v] = common ? known[kind][pair] : v;
        u[3 * (size_t)v] = 0;
        u[3 * (size_t)v + 1] = common || own ? 0 : v;
        u[3 * (size_t)v + 2] = 0;
    }
    const abut_field field = {abut_positions_f64(u, vertices), NULL};
    abut_shape_def def = abut_shape_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = (abut_weights){vertices, NULL, 2, nodes, values, ABUT_FLOAT64, false};
    def.fields = &field;
    def.field_count = 1;
    abut_shape* shape = world_shape(&w, &s, &def);
    const uint32_t* classes = abut_mesh_classes(abut_shape_mesh(shape));
    for (uint32_t v = 0; v < vertices; ++v) {
        where("vertex %u", v);
        REQUIRE(classes[v] == wanted[v]);
    }
    abut_shape_destroy(shape);
    free(wanted);
    free(u);
    free(nodes);
    free(values);
    surface_free(&s);
    world_free(&w);
}

// ---- states as callers have them

static void test_layouts_and_strides(void** state) {
    (void)state;
    enum { COUNT = 7, ROOM = 24 };
    test_random random = random_seed(28);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    skin k = skin_make(&random, &s, COUNT, 3, ABUT_FLOAT32);
    const abut_shape_def def = blend_def(&k, NULL);
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    for (uint32_t round = 0; round < 24; ++round) {
        where("round %u", round);
        const bool columns = round % 2 != 0;
        const bool narrow = round / 2 % 2 != 0;
        const uint32_t size = columns ? 16 : 12;
        const uint32_t step = round % 3 == 0 ? size : size + 1 + random_below(&random, 6);
        double t[NODES_MOST][12];
        double wide[ROOM * COUNT];
        float thin[ROOM * COUNT];
        gentle_transforms(&random, t, COUNT, 0.4);
        for (uint32_t i = 0; i < ROOM * COUNT; ++i) {
            wide[i] = NAN;  // what lies between is not read
            thin[i] = NAN;
        }
        for (uint32_t j = 0; j < COUNT; ++j) {
            for (uint32_t e = 0; e < size; ++e) {
                const uint32_t d = columns ? e % 4 : e / 4;
                const uint32_t c = columns ? e / 4 : e % 4;
                if (d < 3) {
                    t[j][4 * d + c] = narrow ? (double)(float)t[j][4 * d + c] : t[j][4 * d + c];
                }
                wide[step * j + e] = d < 3 ? t[j][4 * d + c] : c == 3 ? 1 : 0;
                thin[step * j + e] = (float)wide[step * j + e];
            }
        }
        const size_t bytes = step * (narrow ? sizeof(float) : sizeof(double));
        const abut_transforms view = {narrow ? (const void*)thin : (const void*)wide, COUNT,
                                      step == size && random_chance(&random, 0.5) ? 0 : bytes,
                                      narrow ? ABUT_FLOAT32 : ABUT_FLOAT64,
                                      columns ? ABUT_LAYOUT_COLUMNS_4X4 : ABUT_LAYOUT_ROWS_3X4};
        REQUIRE_OK(abut_body_set_transforms(w.scene, body, view, NULL, 0, NULL));
        check_vertices(&w, body, &s, &k, NULL, NULL, t);
        world_validate(&w, body);
    }
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// ---- extremes

// a mesh of one size under transforms of another: floats and products that underflow or overflow
static void test_extreme_values(void** state) {
    (void)state;
    test_random random = random_seed(29);
    static const double sizes[][2] = {
        {1, 1e-300}, {1, 1e-45},      {1, 1e-39},      {1e-42, 1},    {1e-42, 1e30},
        {1e-300, 1}, {1e-300, 1e300}, {1e300, 1e-300}, {1, 1e36},     {1, 1e38},
        {1, 1e39},   {1e36, 1},       {4e36, 1e-42},   {1e38, 1e-38}, {1, 1e300},
        {1e-320, 1}, {1, 1e-320},     {1e150, 1e150},  {1e-30, 1e-12}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (int way = 0; way < 6; ++way) {
            where("a mesh of %g under transforms of %g, way %d", sizes[i][0], sizes[i][1], way);
            world w = next_world((uint32_t)i + (uint32_t)way);
            surface s = surface_ball(effort(4, 6, 6), effort(6, 9, 9), 1);
            skin k = skin_make(&random, &s, 6, 3, way % 2 == 0 ? ABUT_FLOAT32 : ABUT_FLOAT64);
            surface_scale(&s, sizes[i][0]);
            field_set f = make_fields(&random, &s, way >= 4 ? 2 : 0, 0.1 * sizes[i][0],
                                      ABUT_FLOAT64, false);
            abut_shape_def def = blend_def(&k, &f);
            def.block_triangles = 4;
            def.bound = way % 3 == 0   ? ABUT_BOUND_AUTO
                        : way % 3 == 1 ? ABUT_BOUND_CONVEX_EXACT
                                       : ABUT_BOUND_CONVEX_PLAIN;
            const abut_body_id a = world_add(&w, &s, &def, NULL);
            const abut_body_id b = world_add(&w, &s, &def, NULL);
            double t[NODES_MOST][12];
            const double q[2] = {0.5, -0.25};
            gentle_transforms(&random, t, 6, 0.3);
            for (uint32_t j = 0; j < 6; ++j) {
                for (uint32_t e = 0; e < 12; ++e) {
                    t[j][e] *= e % 4 == 3 ? (way % 2 == 0 ? sizes[i][0] * sizes[i][1] : 0)
                                          : sizes[i][1];
                }
            }
            set_transforms(&w, a, t, 6, q, f.count);
            set_transforms(&w, b, t, 6, q, f.count);
            check_vertices(&w, a, &s, &k, &f, q, t);
            world_validate(&w, a);
            (void)check_between(&w, a, b, NULL);
            (void)check_self(&w, a, NULL);
            world_frame(&w, a, frame_random(&random, 1));
            world_validate(&w, a);
            (void)check_between(&w, a, b, NULL);
            free_fields(&f);
            skin_free(&k);
            surface_free(&s);
            world_free(&w);
        }
    }
}

// coordinates far beyond floats, of fields that are so small that nothing goes far
static void test_large_coordinates_of_small_fields(void** state) {
    (void)state;
    test_random random = random_seed(30);
    static const double sizes[][2] = {{1e-40, 1e39}, {1e-300, 1e300}, {1e-45, 1e38}, {1e-38, 1e38}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        where("fields of %g times %g", sizes[i][0], sizes[i][1]);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        skin k = skin_make(&random, &s, 4, 2, ABUT_FLOAT32);
        field_set f = make_fields(&random, &s, 3, sizes[i][0], ABUT_FLOAT64, false);
        abut_shape_def def = blend_def(&k, &f);
        def.block_triangles = 4;
        const abut_body_id a = world_add(&w, &s, &def, NULL);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        double t[NODES_MOST][12];
        const double q[3] = {sizes[i][1], -sizes[i][1], 0.5 * sizes[i][1]};
        gentle_transforms(&random, t, 4, 0.2);
        set_transforms(&w, a, t, 4, q, 3);
        check_vertices(&w, a, &s, &k, &f, q, t);
        world_validate(&w, a);
        REQUIRE(check_between(&w, a, b, NULL) > 0);
        (void)check_self(&w, a, NULL);
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// everything in one point, on a line, in a plane, mirrored: of all nodes alike, so that it is exact
static void test_collapse_and_mirror(void** state) {
    (void)state;
    test_random random = random_seed(31);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    skin k = skin_make(&random, &s, 4, 2, ABUT_FLOAT64);
    for (uint32_t i = 0; i < k.first[s.vertex_count]; ++i) {
        k.values[i] = 0.5;
    }
    abut_shape_def def = blend_def(&k, NULL);
    def.block_triangles = 8;
    const abut_body_id a = world_add(&w, &s, &def, NULL);
    const abut_body_id b = world_add(&w, &s, NULL, NULL);
    for (int kept = 0; kept <= 3; ++kept) {
        where("%d axes are kept", kept);
        double t[NODES_MOST][12] = {{0}};
        for (uint32_t j = 0; j < 4; ++j) {
            for (int d = 0; d < kept; ++d) {
                t[j][5 * d] = -1;
            }
        }
        set_transforms(&w, a, t, 4, NULL, 0);
        check_vertices(&w, a, &s, &k, NULL, NULL, t);
        world_validate(&w, a);
        REQUIRE((check_between(&w, a, b, NULL) > 0) == (kept > 0));
        const size_t within = check_self(&w, a, NULL);
        REQUIRE((within > 0) == (kept < 3));
    }
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// ---- the operations themselves, as queries call them and as they might

static void check_many_vertices(const abut__body* body, test_random* random, const double* wanted,
                                uint32_t vertex_count) {
    enum { MOST = 100 };
    uint32_t ids[MOST];
    double xyz[3][MOST];
    double* const out[3] = {xyz[0], xyz[1], xyz[2]};
    const uint32_t count = 1 + random_below(random, MOST);
    for (uint32_t i = 0; i < count; ++i) {
        ids[i] = random_below(random, vertex_count);
    }
    abut__blend_motion.vertices(body->shape, abut__body_state(body, 1), ids, count, out);
    for (uint32_t i = 0; i < count; ++i) {
        for (size_t d = 0; d < 3; ++d) {
            REQUIRE(xyz[d][i] == wanted[3 * (size_t)ids[i] + d]);
        }
    }
}

// some vertices of a block, and nothing else is written; points are within the radius
static void check_block(const abut__body* body, test_random* random, const double* wanted,
                        uint32_t b) {
    const abut__block* block = body->shape->tree.blocks[b];
    const abut__state* state = abut__body_state(body, 1);
    const uint64_t all = block->vertex_count == 64 ? UINT64_MAX
                                                   : (UINT64_C(1) << block->vertex_count) - 1;
    const uint64_t mask = random_bits(random) & all;
    abut__block_exact some;
    memset(&some, 0xff, sizeof some);  // NaN
    const uint64_t here = abut__blend_motion.lazy->block_vertices(body->shape, state, b, mask,
                                                                  &some);
    REQUIRE((mask & ~here) == 0 && (here & ~all) == 0);
    abut__block_points points;
    float radius = 0;
    REQUIRE(abut__blend_motion.evaluate(body->shape, state, b, &points, &radius));
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        const double* p = wanted + 3 * (size_t)block->vertex[v];
        for (size_t d = 0; d < 3; ++d) {
            REQUIRE((here >> v & 1) != 0 ? some.xyz[v][d] == p[d] : isnan(some.xyz[v][d]));
            REQUIRE(fabs((double)points.xyz[d][v] - p[d]) <= (double)radius);
        }
    }
}

static void test_operations_give_the_same_vertices(void** state) {
    (void)state;
    test_random random = random_seed(43);
    for (uint32_t round = 0; round < effort(12, 30, 300); ++round) {
        where("round %u", round);
        world w = next_world(round / 4);
        surface s = surface_sheet(12, 12, 1);
        const uint32_t nodes = 1 + random_below(&random, 30);
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes), ABUT_FLOAT32);
        field_set f = make_fields(&random, &s, random_below(&random, 4), 0.3, ABUT_FLOAT32, false);
        abut_shape_def def = blend_def(&k, &f);
        def.block_triangles = 1 + random_below(&random, 48);
        const abut_body_id id = world_add(&w, &s, &def, NULL);
        double t[NODES_MOST][12];
        double q[4];
        gentle_transforms(&random, t, nodes, 0.5);
        random_coordinates(&random, q, f.count, 1);
        set_transforms(&w, id, t, nodes, q, f.count);
        double* wanted = test_alloc(3 * (size_t)s.vertex_count, sizeof *wanted);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            blend_formula(&s, &k, &f, q, t, v, wanted + 3 * (size_t)v);
        }
        const abut__body* body = abut__scene_body(w.scene, id);
        for (int i = 0; i < 5; ++i) {
            check_many_vertices(body, &random, wanted, s.vertex_count);
        }
        for (uint32_t b = 0; b < body->shape->tree.block_count; ++b) {
            check_block(body, &random, wanted, b);
        }
        free(wanted);
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- what is known of weights

// how often a vertex under a reference is in one of its blocks; 0: not at all
static void mark_vertices(const abut_shape* shape, abut__ref ref, uint8_t* marks) {
    if (!abut__is_block(ref)) {
        const abut__node* node = &shape->tree.nodes[ref];
        for (uint32_t k = 0; k < node->count; ++k) {
            mark_vertices(shape, node->child[k], marks);
        }
        return;
    }
    const abut__block* block = shape->tree.blocks[abut__block_of(ref)];
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        marks[block->vertex[v]] = 1;
    }
}

static double weight_in(const skin* k, uint32_t vertex, uint32_t node) {
    double weight = 0;
    for (uint32_t i = k->first[vertex]; i < k->first[vertex + 1]; ++i) {
        weight = k->nodes[i] == node ? k->values[i] : weight;
    }
    return weight;
}

// One row: limits of all weights under the child, and a box around what the node influences, with
// nothing left to the pad.
static void check_row(const surface* s, const skin* k, const uint8_t* marks, uint32_t node,
                      const float* row) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const double weight = weight_in(k, v, node);
        if (marks[v] == 0) {
            continue;
        }
        REQUIRE((double)row[3] >= 0 && (double)row[3] <= weight);
        REQUIRE(weight <= (double)row[3] + (double)row[7]);
        for (size_t d = 0; d < 3 && weight > 0; ++d) {
            const double p = s->xyz[3 * (size_t)v + d];
            REQUIRE((double)row[d] - (double)row[4 + d] <= p);
            REQUIRE(p <= (double)row[d] + (double)row[4 + d]);
        }
    }
}

// every node that has an influence under a child has a row there, and only those have
static void check_part(const abut_shape* shape, const surface* s, const skin* k, uint32_t n,
                       uint32_t child) {
    const abut__convex* convex = abut__blend_of(shape)->convex;
    const abut__convex_part* part = &convex->parts[n][child];
    const uint32_t* nodes = convex->nodes.data + part->first;
    const float(*rows)[ABUT__CONVEX_ROW] = convex->rows.data + part->first;
    uint8_t* marks = calloc(s->vertex_count, 1);
    mark_vertices(shape, shape->tree.nodes[n].child[child], marks);
    double least = 0;
    for (uint32_t i = 0; i < part->count; ++i) {
        REQUIRE(i == 0 || nodes[i - 1] < nodes[i]);
        check_row(s, k, marks, nodes[i], rows[i]);
        least += (double)rows[i][3];
    }
    REQUIRE(fabs((double)part->rest - (1 - least)) < 1e-6);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        for (uint32_t i = k->first[v]; i < k->first[v + 1] && marks[v] != 0; ++i) {
            bool known = false;
            for (uint32_t j = 0; j < part->count; ++j) {
                known |= nodes[j] == k->nodes[i];
            }
            REQUIRE(known);
        }
    }
    free(marks);
}

static void test_limits_hold_weights(void** state) {
    (void)state;
    test_random random = random_seed(39);
    for (uint32_t round = 0; round < effort(40, 60, 600); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        const uint32_t nodes = 1 + random_below(&random, round % 5 < 2 ? 4 : 30);
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes < 4 ? nodes : 4),
                           round % 2 == 0 ? ABUT_FLOAT32 : ABUT_FLOAT64);
        surface_scale(&s, round % 3 == 0 ? 1e-42 : 3);
        abut_shape_def def = blend_def(&k, NULL);
        def.bound = round % 4 == 0 ? ABUT_BOUND_CONVEX_PLAIN : ABUT_BOUND_AUTO;
        def.block_triangles = 1 + random_below(&random, round % 2 == 0 ? 3 : 12);
        def.fan_out = 2 + random_below(&random, 7);
        abut_shape* shape = world_shape(&w, &s, &def);
        for (uint32_t n = 0; n < shape->tree.node_count; ++n) {
            for (uint32_t child = 0; child < shape->tree.nodes[n].count; ++child) {
                check_part(shape, &s, &k, n, child);
            }
        }
        abut_shape_destroy(shape);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// how wide all boxes of a body are together
static double width_of(const world* w, abut_body_id id) {
    const abut__body* body = abut__scene_body(w->scene, id);
    double sum = 0;
    for (uint32_t n = 0; n < body->shape->tree.node_count; ++n) {
        abut__boxes8 room;
        const abut__boxes8* boxes = abut__body_bound(body, n, 1, &room);
        for (uint32_t k = 0; k < body->shape->tree.nodes[n].count; ++k) {
            for (int d = 0; d < 3; ++d) {
                sum += (double)boxes->hi[d][k] - (double)boxes->lo[d][k];
            }
        }
    }
    return sum;
}

// the exact bound is the tightest, the plain one the loosest, and all three differ
static void test_bounds_are_as_tight_as_said(void** state) {
    (void)state;
    test_random random = random_seed(44);
    double sum[3] = {0, 0, 0};
    for (uint32_t round = 0; round < 8; ++round) {
        world w = next_world(round);
        surface s = surface_ball(8, 12, 1);
        skin k = skin_make(&random, &s, 12, 4, ABUT_FLOAT32);
        double t[NODES_MOST][12];
        gentle_transforms(&random, t, 12, 0.5);
        double width[3];
        for (int bound = 0; bound < 3; ++bound) {
            abut_shape_def def = blend_def(&k, NULL);
            def.bound = all_bounds[bound];
            def.block_triangles = 6;
            const abut_body_id body = world_add(&w, &s, &def, NULL);
            set_transforms(&w, body, t, 12, NULL, 0);
            width[bound] = width_of(&w, body);
            sum[bound] += width[bound];
        }
        where("round %u: %g, exact %g, plain %g", round, width[0], width[1], width[2]);
        REQUIRE(width[1] <= width[0] * (1 + 1e-5) && width[0] <= width[2] * (1 + 1e-5));
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
    where("%g, exact %g, plain %g", sum[0], sum[1], sum[2]);
    REQUIRE(sum[1] < 0.9999 * sum[0] && sum[0] < 0.9999 * sum[2]);
}

// ---- what the pad is for

// a ball, in blocks of one triangle, bounded in one of three ways and checked in one state
static void check_state(const surface* s, const skin* k, const field_set* f, int bound,
                        double (*t)[12], const double* q) {
    for (uint32_t set = 0; set < 3; ++set) {
        world w = next_world(set);
        abut_shape_def def = blend_def(k, f);
        def.bound = all_bounds[bound];
        def.block_triangles = 1;
        const abut_body_id body = world_add(&w, s, &def, NULL);
        REQUIRE_OK(abut_body_set_transforms(w.scene, body, abut_transforms_f64(t[0], k->node_count),
                                            q, f != NULL ? f->count : 0, NULL));
        world_validate(&w, body);
        world_free(&w);
    }
}

// sums that are off by all that is allowed, far from the origin
static void test_sums_that_are_not_one(void** state) {
    (void)state;
    test_random random = random_seed(32);
    surface s = surface_ball(5, 7, 1);
    for (int round = 0; round < 24; ++round) {
        where("round %d", round);
        const uint32_t influences = 1 + (uint32_t)round / 3 % 4;
        skin k = skin_make(&random, &s, 4, influences,
                           round % 2 == 0 ? ABUT_FLOAT32 : ABUT_FLOAT64);
        for (uint32_t i = 0; i < k.first[s.vertex_count]; ++i) {
            k.values[i] *= round < 12 ? 1 + 9.5e-6 : 1 - 9.5e-6;
            k.narrow[i] = (float)k.values[i];
        }
        double t[NODES_MOST][12];
        gentle_transforms(&random, t, 4, 0.01);
        for (uint32_t j = 0; j < 4; ++j) {
            t[j][3] += round % 4 < 2 ? 1e5 : 0;
            t[j][7] -= 1e5;
        }
        check_state(&s, &k, NULL, round % 3, t, NULL);
        skin_free(&k);
    }
    surface_free(&s);
}

// Terms that are each too small to change a float sum, all together are not: of many influences.
static void test_influences_that_stagnate(void** state) {
    (void)state;
    enum { MANY = 1500 };
    surface s = surface_ball(5, 7, 0.001);
    surface_shift(&s, 1, 1, -1);
    const uint32_t count = MANY * s.vertex_count;
    uint32_t* nodes = test_alloc(count, sizeof *nodes);
    double* values = test_alloc(count, sizeof *values);
    float* narrow = test_alloc(count, sizeof *narrow);
    uint32_t* first = test_alloc(s.vertex_count + 1, sizeof *first);
    for (uint32_t v = 0; v <= s.vertex_count; ++v) {
        first[v] = MANY * v;
    }
    for (uint32_t i = 0; i < count; ++i) {
        nodes[i] = i % MANY;
        values[i] = i % MANY != 0 ? 0.99 * 0x1p-24 : 1 - 0.99 * 0x1p-24 * (MANY - 1);
    }
    // the last vertex follows one node alone: that others have many must not be forgotten
    first[s.vertex_count] = first[s.vertex_count - 1] + 1;
    values[first[s.vertex_count - 1]] = 1;
    double(*t)[12] = test_alloc(MANY, sizeof *t);
    const skin k = {MANY, s.vertex_count, ABUT_FLOAT64, first, nodes, values, narrow};
    for (int round = 0; round < 6; ++round) {
        where("round %d", round);
        memset(t, 0, MANY * sizeof *t);
        for (uint32_t j = 0; j < MANY; ++j) {  // a little above 1, so that sums begin above 1, too
            for (int d = 0; d < 3; ++d) {
                t[j][round < 3 ? 5 * d : 4 * d + 3] = 1.0001;
            }
        }
        check_state(&s, &k, NULL, round % 3, t, NULL);
    }
    free(t);
    free(first);
    free(narrow);
    free(values);
    free(nodes);
    surface_free(&s);
}

// the same of many fields under a skin
static void test_fields_that_stagnate(void** state) {
    (void)state;
    test_random random = random_seed(33);
    for (int round = 0; round < 6; ++round) {
        where("round %d", round);
        surface s = surface_ball(5, 7, 0.01);
        surface_shift(&s, 1.01, 1.01, -1.01);
        field_set f = make_fields(&random, &s, 300, 0, ABUT_FLOAT32, false);
        for (size_t i = 0; i < (size_t)300 * 3 * s.vertex_count; ++i) {
            f.u[i] = (double)(f.narrow[i] = (i % 3 == 2 ? -0.99f : 0.99f) * 0x1p-24f);
        }
        skin k = skin_make(&random, &s, 2, round < 3 ? 1 : 2, ABUT_FLOAT32);
        double q[300];
        for (int j = 0; j < 300; ++j) {
            q[j] = 1;
        }
        double t[NODES_MOST][12] = {{0}};
        for (uint32_t j = 0; j < 2; ++j) {
            t[j][0] = t[j][6] = 1;  // two axes change places
            t[j][9] = -1;
        }
        check_state(&s, &k, &f, round % 3, t, q);
        skin_free(&k);
        free_fields(&f);
        surface_free(&s);
    }
}

// ---- work

static bool moves_all(const world* w, abut_body_id id) {
    return abut__whole_is_here(
        abut__blend_state_of(abut__body_state(abut__scene_body(w->scene, id), 1))->whole);
}

// what nobody asks about is not moved: a query that ends at the root evaluates no block
static void test_work_is_lazy(void** state) {
    (void)state;
    test_random random = random_seed(34);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(40, 60, 1);
    skin k = skin_make(&random, &s, 30, 4, ABUT_FLOAT32);
    const abut_shape_def shape_def = blend_def(&k, NULL);
    abut_shape* shape = world_shape(&w, &s, &shape_def);
    abut_body_id a;
    abut_body_id b;
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &a, NULL));
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &b, NULL));
    abut_shape_destroy(shape);
    abut_query_def def = abut_query_def_default();
    abut_counters counters = {0};
    def.counters = &counters;
    double t[NODES_MOST][12];
    abut_frame frame = abut_frame_identity();
    frame.t[0] = 3;
    world_frame(&w, b, frame);
    for (int step = 0; step < 3; ++step) {
        gentle_transforms(&random, t, 30, 0.01);
        set_transforms(&w, a, t, 30, NULL, 0);
        assert_int_equal(check_between(&w, a, b, &def), 0);
        assert_int_equal(counters.blocks_evaluated, 0);
        assert_int_equal(counters.vertices_moved, 0);
        assert_false(moves_all(&w, a));
        assert_null(atomic_load(&abut__scene_body(w.scene, a)->touches));
    }
    frame.t[0] = 1.97;
    world_frame(&w, b, frame);
    assert_true(check_between(&w, a, b, &def) > 0);
    assert_in_range(counters.blocks_evaluated, 1, 40);
    assert_in_range(counters.vertices_moved, 1, 40 * 64);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// where most blocks are asked for, all vertices are moved at once, and again block by block when
// that is over; nobody can tell by the answers
static void test_heavy_contact_moves_all(void** state) {
    (void)state;
    test_random random = random_seed(35);
    for (uint32_t round = 0; round < effort(4, 8, 100); ++round) {
        world w = next_world(round / 4);
        surface s = round % 2 == 0 ? surface_ball(10, 14, 1) : surface_ball(40, 60, 1);
        const uint32_t nodes = 2 + random_below(&random, 20);
        skin k = skin_make(&random, &s, nodes, 2, round % 2 == 0 ? ABUT_FLOAT32 : ABUT_FLOAT64);
        field_set f = make_fields(&random, &s, round % 3, 0.1, ABUT_FLOAT32, false);
        abut_shape_def def = blend_def(&k, &f);
        def.block_triangles = round % 2 == 0 ? 6 : 48;
        const abut_body_id a = world_add(&w, &s, &def, NULL);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        uint32_t whole = 0;
        for (int n = 0; n < 9; ++n) {
            where("round %u, state %d", round, n);
            abut_frame frame = abut_frame_identity();
            frame.t[0] = n < 5 ? 0.01 * n : 5;
            world_frame(&w, b, frame);
            double t[NODES_MOST][12];
            double q[2];
            gentle_transforms(&random, t, nodes, 0.05);
            random_coordinates(&random, q, f.count, 0.3);
            set_transforms(&w, a, t, nodes, q, f.count);
            assert_true(n > 0 || !moves_all(&w, a));
            assert_true(n != 3 || moves_all(&w, a));
            assert_true(n != 8 || !moves_all(&w, a));
            whole += moves_all(&w, a);
            check_vertices(&w, a, &s, &k, &f, q, t);
            world_validate(&w, a);
            (void)check_between(&w, a, b, NULL);
            if (n < 5 && round % 2 == 0) {
                (void)check_self(&w, a, NULL);
            }
        }
        assert_in_range(whole, 2, 7);
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// far away, and turned, while all vertices are moved at once: boxes of turned triangles have nothing
// but the extent to go by
static void test_whole_far_and_turned(void** state) {
    (void)state;
    test_random random = random_seed(40);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    skin k = skin_make(&random, &s, 5, 2, ABUT_FLOAT64);
    abut_shape_def def = blend_def(&k, NULL);
    def.block_triangles = 1;
    const abut_body_id a = world_add(&w, &s, &def, NULL);
    const abut_body_id b = world_add(&w, &s, &def, NULL);
    uint32_t whole = 0;
    for (int n = 0; n < 12; ++n) {
        where("state %d", n);
        double t[NODES_MOST][12];
        gentle_transforms(&random, t, 5, 0.01);
        for (uint32_t j = 0; j < 5; ++j) {
            for (int d = 0; d < 3; ++d) {
                t[j][4 * d + 3] += 1e4 * (d + 1);
            }
        }
        const abut_frame frame = frame_random(&random, 1);
        set_transforms(&w, a, t, 5, NULL, 0);
        set_transforms(&w, b, t, 5, NULL, 0);
        world_frame(&w, a, frame);
        world_frame(&w, b, frame);
        whole += moves_all(&w, a);
        world_validate(&w, a);
        REQUIRE(check_between(&w, a, b, NULL) > 0);
    }
    assert_in_range(whole, 6, 11);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// a state too large for floats, while all vertices are moved at once
static void test_whole_and_unbounded(void** state) {
    (void)state;
    test_random random = random_seed(36);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    skin k = skin_make(&random, &s, 5, 2, ABUT_FLOAT32);
    abut_shape_def def = blend_def(&k, NULL);
    def.block_triangles = 6;
    const abut_body_id a = world_add(&w, &s, &def, NULL);
    const abut_body_id b = world_add(&w, &s, &def, NULL);
    uint32_t whole = 0;
    for (int n = 0; n < 8; ++n) {
        where("state %d", n);
        double t[NODES_MOST][12];
        gentle_transforms(&random, t, 5, 0.05);
        for (uint32_t j = 0; j < 5 && n % 2 != 0; ++j) {
            for (int e = 0; e < 12; ++e) {
                t[j][e] *= 1e60;
            }
        }
        set_transforms(&w, a, t, 5, NULL, 0);
        set_transforms(&w, b, t, 5, NULL, 0);
        whole += moves_all(&w, a);
        check_vertices(&w, a, &s, &k, NULL, NULL, t);
        world_validate(&w, a);
        REQUIRE(check_between(&w, a, b, NULL) > 0);
        (void)check_self(&w, a, NULL);
    }
    assert_in_range(whole, 4, 7);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// static bodies never meet each other, but others they do
static void test_static_bodies(void** state) {
    (void)state;
    test_random random = random_seed(37);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    skin k = skin_make(&random, &s, 5, 2, ABUT_FLOAT32);
    const abut_shape_def def = blend_def(&k, NULL);
    abut_body_def fixed = abut_body_def_default();
    fixed.is_static = true;
    const abut_body_id a = world_add(&w, &s, &def, &fixed);
    const abut_body_id b = world_add(&w, &s, &def, &fixed);
    double t[NODES_MOST][12];
    gentle_transforms(&random, t, 5, 0.2);
    set_transforms(&w, a, t, 5, NULL, 0);
    assert_true(check_between(&w, a, b, NULL) > 0);
    REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result));
    assert_false(abut_result_touching(w.result));
    (void)world_add(&w, &s, &def, NULL);
    REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result));
    assert_true(abut_result_touching(w.result));
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// ---- edits

// a body keeps its transforms when triangles are removed, down to the last one, or its tree is built
// anew
static void test_edits_keep_transforms(void** state) {
    (void)state;
    test_random random = random_seed(38);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    skin k = skin_make(&random, &s, 9, 3, ABUT_FLOAT32);
    field_set f = make_fields(&random, &s, 2, 0.2, ABUT_FLOAT32, true);
    abut_shape_def def = blend_def(&k, &f);
    def.block_triangles = 6;
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    double t[NODES_MOST][12];
    const double q[2] = {0.7, -0.4};
    gentle_transforms(&random, t, 9, 0.3);
    set_transforms(&w, body, t, 9, q, 2);
    uint32_t order[512];
    random_permutation(&random, order, s.triangle_count);
    for (uint32_t gone = 0; gone + 1 < s.triangle_count;) {
        where("%u triangles are gone", gone);
        const uint32_t left = s.triangle_count - 1 - gone;
        const uint32_t number = left < 23 ? left : 23;
        abut_shape_edit_def edit = abut_shape_edit_default();
        edit.removed_triangles = order + gone;
        edit.removed_triangle_count = number;
        edit.rebuild = random_chance(&random, 0.2);
        abut_shape* edited = NULL;
        abut_edit_work work;
        REQUIRE_OK(abut_shape_edit(abut_body_shape(w.scene, body), &edit, &edited, &work, NULL));
        REQUIRE_OK(abut_shape_validate(edited, NULL));
        REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
        abut_shape_destroy(edited);
        check_vertices(&w, body, &s, &k, &f, q, t);
        world_validate(&w, body);
        (void)check_self(&w, body, NULL);
        abut_tree_stats stats;
        REQUIRE_OK(abut_body_stats(w.scene, body, &stats, NULL));
        REQUIRE_OK(abut_body_renew(w.scene, body, 1, &work, NULL));
        check_vertices(&w, body, &s, &k, &f, q, t);
        world_validate(&w, body);
        (void)check_self(&w, body, NULL);
        gone += number;
    }
    free_fields(&f);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_are_the_formula),
        cmocka_unit_test(test_boxes_hold_vertices),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_order_of_weights_does_not_matter),
        cmocka_unit_test(test_parts_of_weights_add_up_in_any_order),
        cmocka_unit_test(test_normalised_weights_are_quotients),
        cmocka_unit_test(test_most_nodes),
        cmocka_unit_test(test_weights_part_classes),
        cmocka_unit_test(test_one_place_is_parted),
        cmocka_unit_test(test_layouts_and_strides),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_large_coordinates_of_small_fields),
        cmocka_unit_test(test_collapse_and_mirror),
        cmocka_unit_test(test_operations_give_the_same_vertices),
        cmocka_unit_test(test_limits_hold_weights),
        cmocka_unit_test(test_bounds_are_as_tight_as_said),
        cmocka_unit_test(test_sums_that_are_not_one),
        cmocka_unit_test(test_influences_that_stagnate),
        cmocka_unit_test(test_fields_that_stagnate),
        cmocka_unit_test(test_work_is_lazy),
        cmocka_unit_test(test_heavy_contact_moves_all),
        cmocka_unit_test(test_whole_far_and_turned),
        cmocka_unit_test(test_whole_and_unbounded),
        cmocka_unit_test(test_static_bodies),
        cmocka_unit_test(test_edits_keep_transforms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
