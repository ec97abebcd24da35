// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Weights of the blend motion: they have their documented meaning, separate vertex classes where
// vertices move apart, and limit the bounds of a node. Rounding never makes a bound too small.

#include "test_blend_support.h"
#include "motion/blend.h"
#include "support/motion_def.h"
#include "support/inside.h"

static const int all_bounds[] = {MOTION_BOUND_AUTO, ABUT__BLEND_BOUND_EXACT,
                                 ABUT__BLEND_BOUND_PLAIN};

// ---- the documented meaning of weights

// the weights of one vertex as a caller may pass them: in any order, padded, split into parts
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
        for (uint32_t i = 0; i + 1 < per_vertex; ++i) {  // one weight in two halves
            const size_t at = (size_t)per_vertex * v;
            if (values[at + i] > 0 && values[at + i + 1] == 0) {
                values[at + i] *= 0.5;
                values[at + i + 1] = values[at + i];
                nodes[at + i + 1] = nodes[at + i];
                ++i;
            }
        }
    }
    return (abut_weights){k->node_count, NULL, per_vertex, nodes, values, ABUT_SCALAR_F64, false};
}

static void test_order_of_weights_does_not_matter(void** state) {
    (void)state;
    test_random random = random_seed(24);
    for (uint32_t round = 0; round < effort(8, 20, 200); ++round) {
        where("round %u", round);
        world w = next_world(round / 4);
        surface s = surface_ball(8, 12, 1);
        const uint32_t influences = 1 + random_below(&random, 8);
        skin k = skin_make(&random, &s, 12, influences, ABUT_SCALAR_F64);
        const uint32_t room = influences + random_below(&random, 6);
        uint32_t* nodes = test_alloc((size_t)s.vertex_count * room, sizeof *nodes);
        double* values = test_alloc((size_t)s.vertex_count * room, sizeof *values);
        motion_def def = blend_def(&k, NULL);
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

// three parts of one weight, whose sum is rounded, give the same sum in any order
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
        motion_def def = motion_def_default();
        def.motion = ABUT_MOTION_BLEND;
        def.weights = (abut_weights){2, NULL, 4, nodes, values, ABUT_SCALAR_F64, false};
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double t[2][12] = {{0}};
        t[1][3] = 1;  // makes the weight itself visible
        set_transforms(&w, body, t, 2, NULL, 0);
        double got[3];
        REQUIRE_OK(abut_body_vertex(w.scene, body, 3, got, NULL));
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
        skin k = skin_make(&random, &s, 5, 3, i < 3 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            for (uint32_t j = k.first[v]; j < k.first[v + 1]; ++j) {
                k.values[j] = factors[i] == 5e-324 ? 5e-324 * (1 + j % 3)
                                                   : k.values[j] * factors[i];
                k.narrow[j] = (float)k.values[j];
                k.values[j] = i < 3 ? (double)k.narrow[j] : k.values[j];
            }
        }
        motion_def def = blend_def(&k, NULL);
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

// the greatest number of nodes
static void test_most_nodes(void** state) {
    (void)state;
    enum { MANY = 65535 };
    test_random random = random_seed(26);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(12, 16, 1);
    skin k = skin_make(&random, &s, 32, 32, ABUT_SCALAR_F32);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        for (uint32_t i = 0; i < 32; ++i) {
            k.nodes[32 * v + i] = 2047 * i + random_below(&random, 2047) + (i == 31 ? 31 : 0);
        }
    }
    k.nodes[31] = MANY - 1;
    k.node_count = MANY;
    double(*t)[12] = test_alloc(MANY, sizeof *t);
    gentle_transforms(&random, t, MANY, 0.2);
    motion_def def = blend_def(&k, NULL);
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

// Copies of a vertex that follow the same nodes, in any order, are one vertex. Copies that follow
// other nodes are different vertices and may touch.
static void test_weights_separate_classes(void** state) {
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
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = (abut_weights){2, NULL, 2, nodes, values, ABUT_SCALAR_F32, false};
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
        REQUIRE_OK(abut_body_vertex(w.scene, closed, v, a, NULL));
        REQUIRE_OK(abut_body_vertex(w.scene, closed, v + one.vertex_count, b, NULL));
        REQUIRE(memcmp(a, b, sizeof a) == 0);
    }
    surface_free(&one);
    surface_free(&both);
    world_free(&w);
}

// Classes by definition, where all vertices rest at one place and follow one of a few pairs of
// nodes. In the second half each vertex has its own node, or its own displacement by a field.
static void test_classes_of_vertices_in_one_place(void** state) {
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
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = (abut_weights){vertices, NULL, 2, nodes, values, ABUT_SCALAR_F64, false};
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

// ---- stored limits of weights

// marks all vertices under a reference with 1
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

// One row: limits of all weights under the child, and a box around the influenced vertices, without
// the slack of the pad.
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

// each node with an influence under a child has a row there, and no other node has
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

static void test_limits_contain_weights(void** state) {
    (void)state;
    test_random random = random_seed(39);
    for (uint32_t round = 0; round < effort(40, 60, 600); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        const uint32_t nodes = 1 + random_below(&random, round % 5 < 2 ? 4 : 30);
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes < 4 ? nodes : 4),
                           round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
        surface_scale(&s, round % 3 == 0 ? 1e-42 : 3);
        motion_def def = blend_def(&k, NULL);
        def.bound = round % 4 == 0 ? ABUT__BLEND_BOUND_PLAIN : MOTION_BOUND_AUTO;
        def.block_triangles = 1 + random_below(&random, round % 2 == 0 ? 3 : 12);
        def.fan_out = 2 + random_below(&random, 7);
        abut_shape* shape = world_shape(&w, &s, &def);
        (void)inside_shape(shape);
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

// the sum of the widths of all boxes of a body
static double width_of(const world* w, abut_body_id id) {
    const abut__body* body = inside_body(w->scene, id);
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
static void test_bounds_are_ordered_by_tightness(void** state) {
    (void)state;
    test_random random = random_seed(44);
    double sum[3] = {0, 0, 0};
    for (uint32_t round = 0; round < 8; ++round) {
        world w = next_world(round);
        surface s = surface_ball(8, 12, 1);
        skin k = skin_make(&random, &s, 12, 4, ABUT_SCALAR_F32);
        double t[NODES_MOST][12];
        gentle_transforms(&random, t, 12, 0.5);
        double width[3];
        for (int bound = 0; bound < 3; ++bound) {
            motion_def def = blend_def(&k, NULL);
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

// ---- reasons for the pad

// a ball in blocks of one triangle, with one of three bounds, checked in one state
static void check_state(const surface* s, const skin* k, const field_set* f, int bound,
                        double (*t)[12], const double* q) {
    for (uint32_t set = 0; set < 3; ++set) {
        world w = next_world(set);
        motion_def def = blend_def(k, f);
        def.bound = all_bounds[bound];
        def.block_triangles = 1;
        const abut_body_id body = world_add(&w, s, &def, NULL);
        REQUIRE_OK(abut_body_set_transforms(w.scene, body, abut_transforms_f64(t[0], k->node_count),
                                            q, f != NULL ? f->count : 0, NULL));
        world_validate(&w, body);
        world_free(&w);
    }
}

// sums of weights that are off by all that is allowed, far from the origin
static void test_sums_that_are_not_one(void** state) {
    (void)state;
    test_random random = random_seed(32);
    surface s = surface_ball(5, 7, 1);
    for (int round = 0; round < 24; ++round) {
        where("round %d", round);
        const uint32_t influences = 1 + (uint32_t)round / 3 % 4;
        skin k = skin_make(&random, &s, 4, influences,
                           round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
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

// Many influences: each term is too small to change a float sum, but all together matter.
static void test_small_influences_add_up(void** state) {
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
    // the last vertex follows one node alone: the count of the others must still be used
    first[s.vertex_count] = first[s.vertex_count - 1] + 1;
    values[first[s.vertex_count - 1]] = 1;
    double(*t)[12] = test_alloc(MANY, sizeof *t);
    const skin k = {MANY, s.vertex_count, ABUT_SCALAR_F64, first, nodes, values, narrow};
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

// the same with many fields under a skin
static void test_small_fields_add_up(void** state) {
    (void)state;
    test_random random = random_seed(33);
    for (int round = 0; round < 6; ++round) {
        where("round %d", round);
        surface s = surface_ball(5, 7, 0.01);
        surface_shift(&s, 1.01, 1.01, -1.01);
        field_set f = make_fields(&random, &s, 300, 0, ABUT_SCALAR_F32, false);
        for (size_t i = 0; i < (size_t)300 * 3 * s.vertex_count; ++i) {
            f.u[i] = (double)(f.narrow[i] = (i % 3 == 2 ? -0.99f : 0.99f) * 0x1p-24f);
        }
        skin k = skin_make(&random, &s, 2, round < 3 ? 1 : 2, ABUT_SCALAR_F32);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_weights_does_not_matter),
        cmocka_unit_test(test_parts_of_weights_add_up_in_any_order),
        cmocka_unit_test(test_normalised_weights_are_quotients),
        cmocka_unit_test(test_most_nodes),
        cmocka_unit_test(test_weights_separate_classes),
        cmocka_unit_test(test_classes_of_vertices_in_one_place),
        cmocka_unit_test(test_limits_contain_weights),
        cmocka_unit_test(test_bounds_are_ordered_by_tightness),
        cmocka_unit_test(test_sums_that_are_not_one),
        cmocka_unit_test(test_small_influences_add_up),
        cmocka_unit_test(test_small_fields_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
