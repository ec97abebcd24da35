// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The blend motion: vertices follow the documented formula, boxes contain them for any transforms,
// queries find the pairs of brute force, and evaluate only what they need. Refused input is in
// test_blend_errors.c.

#include "test_blend_support.h"
#include "motion/blend.h"
#include "support/motion_def.h"
#include "support/inside.h"

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
                           random_chance(&random, 0.5) ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
        const uint32_t fields = round % 3 == 0 ? 0 : 1 + random_below(&random, 9);
        field_set f = make_fields(&random, &s, fields, 0.3, ABUT_SCALAR_F32, round % 2 == 0);
        motion_def def = blend_def(&k, &f);
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
    REQUIRE_OK(abut_body_box(w->scene, body, &box, NULL));
    for (uint32_t v = 0; v < vertex_count; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_world_vertex(w->scene, body, v, p, NULL));
        for (int d = 0; d < 3; ++d) {
            REQUIRE(box.lo[d] <= p[d] && p[d] <= box.hi[d]);
        }
    }
}

// every vertex is in every box above it: for all bounds, near and far, rotated or not
static void test_boxes_hold_vertices(void** state) {
    (void)state;
    static const int bounds[] = {MOTION_BOUND_AUTO, ABUT__BLEND_BOUND_EXACT,
                                 ABUT__BLEND_BOUND_PLAIN, ABUT_MODAL_BOUND_BOXES};
    test_random random = random_seed(22);
    for (uint32_t round = 0; round < effort(60, 200, 6000); ++round) {
        where("round %u", round);
        world w = next_world(round / 4);
        double size;
        surface s = surface_any_ball(&random, 6, 9, 40, &size);
        const uint32_t nodes = 1 + random_below(&random, 40);
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes),
                           random_chance(&random, 0.5) ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
        const uint32_t fields = random_chance(&random, 0.4) ? 1 + random_below(&random, 9) : 0;
        field_set f = make_fields(&random, &s, fields, size, ABUT_SCALAR_F64, false);
        motion_def def = blend_def(&k, &f);
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
        skin k = skin_make(&random, &ball, nodes, 1 + random_below(&random, nodes),
                           ABUT_SCALAR_F32);
        skin l = skin_make(&random, &sheet, 9, 4, ABUT_SCALAR_F64);
        field_set f = make_fields(&random, &ball, random_below(&random, 4), 0.3, ABUT_SCALAR_F32,
                                  false);
        field_set g = make_fields(&random, &sheet, 3, 0.3, ABUT_SCALAR_F32, false);
        motion_def def = blend_def(&k, &f);
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
            abut_collide_def query = abut_collide_def_default();
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

// ---- states in the layouts of callers

static void test_layouts_and_strides(void** state) {
    (void)state;
    enum { COUNT = 7, ROOM = 24 };
    test_random random = random_seed(28);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    skin k = skin_make(&random, &s, COUNT, 3, ABUT_SCALAR_F32);
    const motion_def def = blend_def(&k, NULL);
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
            wide[i] = NAN;  // padding is not read
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
                                      narrow ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64,
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

// a mesh of one size under transforms of another: floats and products underflow or overflow
static void test_extreme_values(void** state) {
    (void)state;
    test_random random = random_seed(29);
    static const double sizes[][2] = {
        {1, 1e-300}, {1, 1e-45},      {1, 1e-39},      {1e-42, 1},    {1e-42, 1e30},
        {1e-300, 1}, {1e-300, 1e300}, {1e300, 1e-300}, {1, 1e36},     {1, 1e38},
        {1, 1e39},   {1e36, 1},       {4e36, 1e-42},   {1e38, 1e-38}, {1, 1e300},
        {1e-320, 1}, {1, 1e-320},     {1e150, 1e150},  {1e-30, 1e-12}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        for (int variant = 0; variant < 6; ++variant) {
            where("a mesh of %g under transforms of %g, variant %d", sizes[i][0], sizes[i][1],
                  variant);
            world w = next_world((uint32_t)i + (uint32_t)variant);
            surface s = surface_ball(effort(4, 6, 6), effort(6, 9, 9), 1);
            skin k = skin_make(&random, &s, 6, 3,
                               variant % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64);
            surface_scale(&s, sizes[i][0]);
            field_set f = make_fields(&random, &s, variant >= 4 ? 2 : 0, 0.1 * sizes[i][0],
                                      ABUT_SCALAR_F64, false);
            motion_def def = blend_def(&k, &f);
            def.block_triangles = 4;
            def.bound = variant % 3 == 0   ? MOTION_BOUND_AUTO
                        : variant % 3 == 1 ? ABUT__BLEND_BOUND_EXACT
                                           : ABUT__BLEND_BOUND_PLAIN;
            const abut_body_id a = world_add(&w, &s, &def, NULL);
            const abut_body_id b = world_add(&w, &s, &def, NULL);
            double t[NODES_MOST][12];
            const double q[2] = {0.5, -0.25};
            gentle_transforms(&random, t, 6, 0.3);
            for (uint32_t j = 0; j < 6; ++j) {
                for (uint32_t e = 0; e < 12; ++e) {
                    t[j][e] *= e % 4 == 3 ? (variant % 2 == 0 ? sizes[i][0] * sizes[i][1] : 0)
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

// Each product but the first is too small to change a float sum, but all of them together are not.
// The radius of points must account for that. For a ball of size zero, boxes consist of it alone.
static void test_sums_that_stagnate(void** state) {
    (void)state;
    test_random random = random_seed(34);
    const uint32_t nodes = NODES_MOST;
    for (uint32_t round = 0; round < 24; ++round) {
        where("round %u", round);
        world w = next_world(round);
        surface s = surface_ball(8, 12, round < 12 ? 0.01 : 0);
        surface_shift(&s, 1.01, 1.01, -1.01);
        skin k = skin_make(&random, &s, nodes, nodes, ABUT_SCALAR_F32);
        for (uint32_t i = 0; i < k.first[s.vertex_count]; ++i) {
            const double rest = 0.99 * 0x1p-24;
            k.nodes[i] = i % nodes;
            k.narrow[i] = (float)(k.nodes[i] == 0 ? 1 - (nodes - 1) * rest : rest);
            k.values[i] = (double)k.narrow[i];
        }
        motion_def def = blend_def(&k, NULL);
        def.block_triangles = 6;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double t[NODES_MOST][12] = {0};
        for (uint32_t j = 0; j < nodes; ++j) {
            t[j][0] = t[j][5] = t[j][10] = 1 + 0x1p-10;
        }
        set_transforms(&w, body, t, nodes, NULL, 0);
        if (round % 12 >= 6) {
            world_frame(&w, body, frame_random(&random, 0));
        }
        world_validate(&w, body);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

// coordinates far beyond floats, of fields so small that no vertex moves far
static void test_large_coordinates_of_small_fields(void** state) {
    (void)state;
    test_random random = random_seed(30);
    static const double sizes[][2] = {{1e-40, 1e39}, {1e-300, 1e300}, {1e-45, 1e38}, {1e-38, 1e38}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        where("fields of %g times %g", sizes[i][0], sizes[i][1]);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        skin k = skin_make(&random, &s, 4, 2, ABUT_SCALAR_F32);
        field_set f = make_fields(&random, &s, 3, sizes[i][0], ABUT_SCALAR_F64, false);
        motion_def def = blend_def(&k, &f);
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

// All vertices collapse into a point, a line or a plane, or are mirrored. All nodes have the same
// transform, so that this is exact.
static void test_collapse_and_mirror(void** state) {
    (void)state;
    test_random random = random_seed(31);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    skin k = skin_make(&random, &s, 4, 2, ABUT_SCALAR_F64);
    for (uint32_t i = 0; i < k.first[s.vertex_count]; ++i) {
        k.values[i] = 0.5;
    }
    motion_def def = blend_def(&k, NULL);
    def.block_triangles = 8;
    const abut_body_id a = world_add(&w, &s, &def, NULL);
    const abut_body_id b = world_add(&w, &s, NULL, NULL);
    for (int axes = 0; axes <= 3; ++axes) {
        where("%d axes stay", axes);
        double t[NODES_MOST][12] = {{0}};
        for (uint32_t j = 0; j < 4; ++j) {
            for (int d = 0; d < axes; ++d) {
                t[j][5 * d] = -1;
            }
        }
        set_transforms(&w, a, t, 4, NULL, 0);
        check_vertices(&w, a, &s, &k, NULL, NULL, t);
        world_validate(&w, a);
        REQUIRE((check_between(&w, a, b, NULL) > 0) == (axes > 0));
        const size_t within = check_self(&w, a, NULL);
        REQUIRE((within > 0) == (axes < 3));
    }
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// ---- the internal operations, as queries call them and as they might

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

// some vertices of a block, and no other memory is written; points are within the radius
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
        skin k = skin_make(&random, &s, nodes, 1 + random_below(&random, nodes), ABUT_SCALAR_F32);
        field_set f = make_fields(&random, &s, random_below(&random, 4), 0.3, ABUT_SCALAR_F32,
                                  false);
        motion_def def = blend_def(&k, &f);
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
        const abut__body* body = inside_body(w.scene, id);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vertices_are_the_formula),
        cmocka_unit_test(test_boxes_hold_vertices),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_layouts_and_strides),
        cmocka_unit_test(test_extreme_values),
        cmocka_unit_test(test_sums_that_stagnate),
        cmocka_unit_test(test_large_coordinates_of_small_fields),
        cmocka_unit_test(test_collapse_and_mirror),
        cmocka_unit_test(test_operations_give_the_same_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
