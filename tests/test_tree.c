// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trees over difficult input: identical, degenerate, collinear and exponentially spaced triangles,
// fans around one apex, coincident sheets. The trees are sound, shallow and full, and their memory
// grows linearly; queries over small ones are right.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "shape/shape.h"
#include "support/memory.h"
#include "support/inside.h"
#include "support/world.h"

// ---- difficult surfaces of about n triangles each

static surface identical(uint32_t n) {
    surface s = surface_make(3, n);
    s.xyz[3] = s.xyz[7] = 1;
    for (uint32_t i = 0; i < 3 * n; ++i) {
        s.triangles[i] = i % 3;
    }
    return s;
}

// each triangle has its own corners, all in the same three places
static surface identical_apart(uint32_t n) {
    surface s = surface_make(3 * n, n);
    for (uint32_t v = 0; v < 3 * n; ++v) {
        s.xyz[3 * (size_t)v] = v % 3 == 1;
        s.xyz[3 * (size_t)v + 1] = v % 3 == 2;
        s.triangles[v] = v;
    }
    return s;
}

static surface one_point(uint32_t n) {
    surface s = surface_make(3 * n, n);
    for (uint32_t v = 0; v < 3 * n; ++v) {
        s.triangles[v] = v;
    }
    surface_shift(&s, 0.1, 0.2, 0.3);
    return s;
}

static surface fan(uint32_t n) {
    surface s = surface_make(n + 1, n);
    const double turn = 2 * acos(-1.0) / n;
    for (uint32_t i = 0; i < n; ++i) {
        s.xyz[3 * (size_t)i + 3] = cos(turn * i);
        s.xyz[3 * (size_t)i + 4] = sin(turn * i);
        s.triangles[3 * (size_t)i + 1] = i + 1;
        s.triangles[3 * (size_t)i + 2] = (i + 1) % n + 1;
    }
    return s;
}

// two apexes: every triangle uses both or one of them
static surface spindle(uint32_t n) {
    surface s = surface_make(n + 2, n);
    for (uint32_t i = 0; i < n; ++i) {
        s.xyz[3 * (size_t)i + 6] = cos(i);
        s.xyz[3 * (size_t)i + 7] = sin(i);
        s.triangles[3 * (size_t)i] = 0;
        s.triangles[3 * (size_t)i + 1] = i % 2 == 0 ? 1 : 2 + (i + 1) % n;
        s.triangles[3 * (size_t)i + 2] = i + 2;
    }
    s.xyz[2] = 1;
    s.xyz[5] = -1;
    return s;
}

static surface collinear(uint32_t n) {
    surface s = surface_make(n + 2, n);
    for (uint32_t v = 0; v < n + 2; ++v) {
        s.xyz[3 * (size_t)v] = v;
    }
    for (uint32_t t = 0; t < n; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            s.triangles[3 * (size_t)t + c] = t + c;
        }
    }
    return s;
}

static surface exponential(uint32_t n) {
    surface s = surface_make(3 * n, n);
    for (uint32_t t = 0; t < n; ++t) {
        const double at = ldexp(1, (int)(t % 240) - 120) * (1 + t / 240);
        for (uint32_t c = 0; c < 3; ++c) {
            double* p = s.xyz + 9 * (size_t)t + 3 * (size_t)c;
            p[0] = at * (c == 1 ? 1.1 : 1);
            p[1] = at * (c == 2 ? 0.1 : 0);
            s.triangles[3 * (size_t)t + c] = 3 * t + c;
        }
    }
    return s;
}

static surface huge_and_tiny(uint32_t n) {
    test_random random = random_seed(n);
    surface s = surface_soup(&random, n, 32, 1, 0.25);
    for (uint32_t t = 0; t < n; ++t) {
        static const double factors[] = {1e-310, 1e-40, 1, 1e30, 1e38, 1e300};
        for (size_t k = 0; k < 9; ++k) {
            s.xyz[9 * (size_t)t + k] *= factors[t % 6];
        }
    }
    return s;
}

static surface soup(uint32_t n) {
    test_random random = random_seed(n);
    return surface_soup(&random, n, 32, 2, 0.25);
}

static surface coincident_sheets(uint32_t n) {
    const uint32_t side = (uint32_t)sqrt(n / 32.0) + 1;
    surface all = surface_sheet(side, side, side);
    for (int i = 1; i < 16; ++i) {
        surface one = surface_sheet(side, side, side);
        surface more = surface_join(&all, &one);
        surface_free(&all);
        surface_free(&one);
        all = more;
    }
    return all;
}

static surface sheet(uint32_t n) {
    const uint32_t side = (uint32_t)sqrt(n / 2.0);
    return surface_sheet(side, side, side);
}

static const struct {
    const char* name;
    surface (*make)(uint32_t n);
    double least_fill;  // mean triangles per block with the default settings: half of what fits
} kinds[] = {
    {"identical", identical, 23},
    {"identical apart", identical_apart, 8},
    {"one point", one_point, 8},
    {"fan", fan, 23},
    {"spindle", spindle, 16},
    {"collinear", collinear, 20},
    {"exponential", exponential, 6},
    {"huge and tiny", huge_and_tiny, 6},
    {"soup", soup, 8},
    {"coincident sheets", coincident_sheets, 8},
    {"sheet", sheet, 20},
};
#define KINDS (sizeof kinds / sizeof kinds[0])

static void check_stats(const abut_shape* shape, const motion_def* def, uint32_t triangles,
                        double least_fill) {
    abut_tree_info stats;
    REQUIRE_OK(abut_shape_inspect(shape, &stats, NULL));
    REQUIRE(stats.blocks >= (triangles + def->block_triangles - 1) / def->block_triangles);
    REQUIRE(stats.blocks <= triangles);
    REQUIRE(fabs(stats.triangles_per_block - (double)triangles / stats.blocks) < 1e-9);
    REQUIRE(stats.triangles_per_block >= least_fill);
    REQUIRE(stats.nodes >= 1 && stats.nodes <= stats.blocks);
    // 40 levels of splits by area, then halves
    REQUIRE(stats.depth >= 1 && stats.depth <= 40 + 1 + (uint32_t)ceil(log2(triangles + 1)));
    REQUIRE(stats.overlap >= 0 && stats.overlap <= 1.0000001);
    REQUIRE(stats.sah_cost >= 0 && stats.sah_cost <= (double)9 * triangles + 8);
}

static void test_soundness(void** state) {
    (void)state;
    static const struct {
        uint32_t fan_out;
        uint32_t triangles;
    } trees[] = {{8, 48}, {2, 1}, {3, 5}, {8, 1}, {2, 48}};
    for (size_t k = 0; k < KINDS; ++k) {
        for (size_t i = 0; i < sizeof trees / sizeof trees[0]; ++i) {
            where("%s, fan-out %u, %u a block", kinds[k].name, trees[i].fan_out,
                  trees[i].triangles);
            world w = world_make(NULL, NULL);
            surface s = kinds[k].make(effort(1000, 5000, 20000));
            motion_def def = motion_def_default();
            def.fan_out = trees[i].fan_out;
            def.block_triangles = trees[i].triangles;
            // world_add() validates the tree and the state
            const abut_body_id body = world_add(&w, &s, &def, NULL);
            check_stats(abut_body_shape(w.scene, body), &def, s.triangle_count,
                        i == 0 ? kinds[k].least_fill : 1);
            surface_free(&s);
            world_free(&w);
        }
    }
}

static void test_queries_over_difficult_trees(void** state) {
    (void)state;
    for (size_t k = 0; k < KINDS; ++k) {
        for (uint32_t triangles = 3; triangles <= 48; triangles *= 4) {
            where("%s, %u a block", kinds[k].name, triangles);
            world w = world_make(NULL, NULL);
            surface s = kinds[k].make(effort(120, 240, 600));
            surface flat = surface_sheet(5, 5, 8);
            surface_shift(&flat, -1, -1, 0);
            motion_def def = motion_def_default();
            def.block_triangles = triangles;
            const abut_body_id a = world_add(&w, &s, &def, NULL);
            const abut_body_id b = world_add(&w, &flat, NULL, NULL);
            (void)check_self(&w, a, NULL);
            (void)check_between(&w, a, b, NULL);
            abut_frame frame = abut_frame_identity();
            frame.t[2] = 0.25;
            world_frame(&w, a, frame);
            (void)check_between(&w, a, b, NULL);
            surface_free(&s);
            surface_free(&flat);
            world_free(&w);
        }
    }
}

// without classes, triangles in one place are no neighbours, and all of them touch
static void test_identical_triangles_without_classes(void** state) {
    (void)state;
    where("identical");
    world w = world_make(NULL, NULL);
    surface s = identical_apart(200);
    abut_mesh_def def = surface_mesh_def(&s);
    for (int rule = 0; rule < 3; rule += 2) {
        def.class_rule = (abut_class_rule)rule;
        const abut_body_id body = world_add_mesh(&w, &def, NULL);
        const size_t wanted = rule == 0 ? 0 : (size_t)200 * 199 / 2;
        REQUIRE(check_self(&w, body, NULL) == wanted);
    }
    surface_free(&s);
    world_free(&w);
}

static void test_one_triangle(void** state) {
    (void)state;
    where("one triangle");
    world w = world_make(NULL, NULL);
    surface s = identical(1);
    const abut_body_id a = world_add(&w, &s, NULL, NULL);
    const abut_body_id b = world_add(&w, &s, NULL, NULL);
    abut_tree_info stats;
    REQUIRE_OK(abut_body_inspect(w.scene, a, &stats, NULL));
    REQUIRE(stats.nodes == 1 && stats.blocks == 1 && stats.depth == 1);
    REQUIRE(check_between(&w, a, b, NULL) == 1);
    REQUIRE(check_self(&w, a, NULL) == 0);
    surface_free(&s);
    world_free(&w);
}

// the first self query makes its tables, once
static void test_first_self_query_makes_links(void** state) {
    (void)state;
    where("links");
    world w = world_make(NULL, NULL);
    surface s = sheet(2000);
    abut_shape* shape = world_shape(&w, &s, NULL);
    abut_body_id a;
    abut_body_id b;
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &a, NULL));
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &b, NULL));
    REQUIRE_OK(abut_collide(w.scene, a, b, NULL, w.result, NULL));
    REQUIRE(atomic_load(&shape->links) == NULL);
    REQUIRE_OK(abut_collide_self(w.scene, a, NULL, w.result, NULL));
    const abut__links* links = atomic_load(&shape->links);
    REQUIRE(links != NULL && links->count > 0);
    REQUIRE_OK(abut_collide_self(w.scene, b, NULL, w.result, NULL));
    REQUIRE(atomic_load(&shape->links) == links);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

static double sah_cost(const world* w, const surface* s) {
    abut_tree_info stats;
    abut_shape* shape = world_shape(w, s, NULL);
    REQUIRE_OK(abut_shape_inspect(shape, &stats, NULL));
    abut_shape_destroy(shape);
    return stats.sah_cost;
}

// The builder samples some triangles to learn where all are. Here the samples are all the same
// triangle, in a sheet in random order. The tree must be as good as with other samples.
static void test_misleading_sample(void** state) {
    (void)state;
    where("sample");
    world w = world_make(NULL, NULL);
    surface s = sheet(1 << 14);
    const uint32_t count = s.triangle_count;
    surface mixed = sheet(1 << 14);
    surface later = sheet(1 << 14);
    for (uint32_t t = 0; t < count; ++t) {
        const size_t from = (size_t)7919 * t % count;
        memcpy(mixed.triangles + 3 * (size_t)t, s.triangles + 3 * from, 3 * sizeof(uint32_t));
    }
    for (size_t i = 0; i < 256; ++i) {
        memcpy(mixed.triangles + 3 * (count * i / 256), s.triangles, 3 * sizeof(uint32_t));
    }
    for (uint32_t t = 0; t < count; ++t) {
        memcpy(later.triangles + 3 * (size_t)((t + 1) % count), mixed.triangles + 3 * (size_t)t,
               3 * sizeof(uint32_t));
    }
    const double missed = sah_cost(&w, &mixed);
    const double seen = sah_cost(&w, &later);
    where("cost %g, and %g with a fair sample", missed, seen);
    REQUIRE(missed < 1.2 * seen);
    surface_free(&s);
    surface_free(&mixed);
    surface_free(&later);
    world_free(&w);
}

// ---- growth in bytes and counts, because time depends on the machine

typedef struct growth {
    size_t peak;   // most bytes alive while the shape and its links were made
    size_t kept;   // bytes alive afterwards
    size_t links;  // pairs of blocks that share a class
    size_t blocks;
} growth;

static growth measure(surface (*make)(uint32_t n), uint32_t n) {
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    abut_context* context = NULL;
    REQUIRE_OK(abut_context_create(&def, &context, NULL));
    surface s = make(n);
    world w = {.context = context};
    abut_shape* shape = world_shape(&w, &s, NULL);
    const abut__links* links = abut__shape_links(inside_shape(shape));
    REQUIRE(links != NULL);
    const growth g = {memory.peak_bytes, memory.live_bytes, links->count, shape->tree.block_count};
    REQUIRE_OK(abut_shape_validate(shape, NULL));
    abut_shape_destroy(shape);
    abut_context_destroy(context);
    surface_free(&s);
    memory_require_clean(&memory);
    return g;
}

static void test_growth_is_linear(void** state) {
    (void)state;
    const uint32_t n = effort(4000, 16000, 60000);
    for (size_t k = 0; k < KINDS; ++k) {
        const growth one = measure(kinds[k].make, n);
        const growth four = measure(kinds[k].make, 4 * n);
        where("%s: %zu -> %zu bytes, %zu -> %zu links, %zu -> %zu blocks", kinds[k].name, one.peak,
              four.peak, one.links, four.links, one.blocks, four.blocks);
        REQUIRE(four.peak <= 5 * one.peak);
        REQUIRE(four.kept <= 5 * one.kept);
        REQUIRE(four.blocks <= 5 * one.blocks);
        REQUIRE(four.links <= 16 * four.blocks);
        // a few hundred bytes a triangle, whatever the input
        REQUIRE(four.peak <= (size_t)1500 * 4 * n);
    }
}

static void test_fan_of_100000(void** state) {
    (void)state;
    const growth round = measure(fan, 100000);
    const growth flat = measure(sheet, 100000);
    where("fan %zu bytes, %zu links; sheet %zu bytes, %zu links", round.peak, round.links,
          flat.peak, flat.links);
    REQUIRE(round.peak <= 2 * flat.peak);
    REQUIRE(round.links <= 4 * round.blocks);
}

static void test_refused_settings(void** state) {
    (void)state;
    where("settings");
    world w = world_make(NULL, NULL);
    surface s = identical(1);
    abut_shape* shape = world_shape(&w, &s, NULL);
    const abut_mesh* mesh = abut_shape_mesh(shape);
    motion_def bad[6];
    for (int i = 0; i < 6; ++i) {
        bad[i] = motion_def_default();
    }
    bad[0].fan_out = 1;
    bad[1].fan_out = 9;
    bad[2].block_triangles = 0;
    bad[3].block_triangles = 49;
    bad[4].ignored_tag_pair_count = 1;
    bad[5].cookie = 1;
    for (int i = 0; i < 6; ++i) {
        abut_error error = {0};
        abut_shape* made = NULL;
        REQUIRE_STATUS(motion_create(w.context, mesh, &bad[i], &made, &error),
                       ABUT_ERR_INVALID_ARGUMENT);
        assert_null(made);
        REQUIRE(error.status == ABUT_ERR_INVALID_ARGUMENT && error.message[0] != '\0');
    }
    abut_shape* made = NULL;
    REQUIRE_STATUS(motion_create(w.context, NULL, NULL, &made, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(motion_create(w.context, mesh, NULL, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_shape_validate(NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_shape_inspect(shape, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    abut_shape_destroy(NULL);
    abut_shape_destroy(shape);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soundness),
        cmocka_unit_test(test_queries_over_difficult_trees),
        cmocka_unit_test(test_identical_triangles_without_classes),
        cmocka_unit_test(test_one_triangle),
        cmocka_unit_test(test_first_self_query_makes_links),
        cmocka_unit_test(test_misleading_sample),
        cmocka_unit_test(test_growth_is_linear),
        cmocka_unit_test(test_fan_of_100000),
        cmocka_unit_test(test_refused_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
