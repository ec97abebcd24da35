// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries within bodies that have hubs, vertices of very many triangles: the same answers as all
// pairs give, and work that grows with the surface, not with its square.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/hubs.h"
#include "support/near.h"

// ---- answers

// small blocks, so that a hub needs few triangles
static abut_shape_def small_blocks(test_random* random) {
    abut_shape_def def = abut_shape_def_default();
    def.fan_out = 2 + random_below(random, 7);
    def.block_triangles = 1 + random_below(random, 3);
    return def;
}

// a surface with hubs, another one, and a sheet that cuts them
static surface mixture(test_random* random, hub_kind kind) {
    surface first = hub_surface(kind, 40 + random_below(random, 40));
    surface second = hub_surface((hub_kind)random_below(random, HUB_KINDS),
                                 20 + random_below(random, 20));
    surface_shift(&second, 0.25 * random_below(random, 4), 0, 0.125);
    surface both = surface_join(&first, &second);
    surface sheet = surface_sheet(3, 3, 2);
    surface_shift(&sheet, -1, -1, 0.375);
    surface all = surface_join(&both, &sheet);
    surface_free(&first);
    surface_free(&second);
    surface_free(&both);
    surface_free(&sheet);
    return all;
}

static void check_all_ways(const world* w, abut_body_id body, abut_front* front) {
    abut_query_def def = abut_query_def_default();
    (void)check_self(w, body, &def);
    def.margin = 0.0625;
    (void)check_self(w, body, &def);
    def.neighbours = true;
    (void)check_self(w, body, &def);
    def.margin = 0;
    (void)check_self(w, body, &def);
    def.neighbours = false;
    def.front = front;
    (void)check_self(w, body, &def);
    def.neighbours = true;
    (void)check_self(w, body, &def);
}

static void test_same_as_all_pairs(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 5, 60) * HUB_KINDS; ++seed) {
        const hub_kind kind = (hub_kind)(seed % HUB_KINDS);
        test_random random = random_seed(seed);
        surface s = mixture(&random, kind);
        uint32_t* order = test_alloc(s.triangle_count, sizeof *order);
        surface moved = surface_shuffle(&s, &random, order);
        const abut_shape_def def = small_blocks(&random);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &moved, &def, NULL);
        abut_front* front = NULL;
        REQUIRE_OK(abut_front_create(w.context, &front, NULL));
        for (int step = 0; step < 3; ++step) {
            where("seed %llu, %s, step %d", (unsigned long long)seed, hub_name(kind), step);
            world_move(&w, body, moved.xyz);
            check_all_ways(&w, body, front);
            surface_shake(&moved, &random, 0.5, step == 0 ? 0.25 : 0x1p-20);
        }
        abut_front_destroy(front);
        world_free(&w);
        surface_free(&s);
        surface_free(&moved);
        free(order);
    }
}

// ---- work

typedef struct asked {
    world w;
    abut_body_id body;
} asked;

static asked ask_about(hub_kind kind, uint32_t triangles) {
    surface s = hub_surface(kind, triangles);
    asked a = {.w = world_make(NULL, NULL)};
    a.body = world_add(&a.w, &s, NULL, NULL);
    REQUIRE_OK(abut_body_set_positions(a.w.scene, a.body, abut_positions_f64(s.xyz, s.vertex_count),
                                       NULL));
    surface_free(&s);
    return a;
}

static uint64_t sum_of(const abut_counters* c) {
    return c->boxes_tested + c->pairs_adjacent + c->exact_tests;
}

static uint64_t self_work(hub_kind kind, uint32_t triangles, double margin) {
    asked a = ask_about(kind, triangles);
    abut_counters counters = {0};
    abut_query_def def = abut_query_def_default();
    def.counters = &counters;
    def.margin = margin;
    REQUIRE_OK(abut_self(a.w.scene, a.body, &def, a.w.result));
    world_free(&a.w);
    return sum_of(&counters);
}

// four times the triangles are at most six times the work
static void require_near_linear(uint64_t less, uint64_t more, uint32_t triangles) {
    REQUIRE(more <= 6 * less + triangles);
}

static void test_work_of_self_queries(void** state) {
    (void)state;
    const uint32_t triangles = 6000;
    for (hub_kind kind = 0; kind < HUB_BIPYRAMID; ++kind) {
        for (int m = 0; m < 2; ++m) {
            where("%s, margin %d", hub_name(kind), m);
            const double margin = m == 0 ? 0 : 0x1p-30;
            require_near_linear(self_work(kind, triangles, margin),
                                self_work(kind, 4 * triangles, margin), triangles);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_all_pairs),
        cmocka_unit_test(test_work_of_self_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
