// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries within bodies that have hubs, which are vertices of very many triangles. The answers are
// those of all pairs, and the work grows with the surface, not with its square.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/hubs.h"
#include "support/memory.h"
#include "support/near.h"
#include "support/swept_pairs.h"
#include "support/motion_def.h"

// ---- answers

// small blocks, so that a hub needs few triangles
static motion_def small_blocks(test_random* random) {
    motion_def def = motion_def_default();
    def.fan_out = 2 + random_below(random, 7);
    def.block_triangles = 1 + random_below(random, 3);
    return def;
}

// a surface with hubs, another one, and a sheet that cuts them
static surface mixture(test_random* random, hub_kind kind) {
    surface first = hub_surface(kind,
                                effort(25, 40, 40) + random_below(random, effort(25, 40, 40)));
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
    abut_collide_def def = abut_collide_def_default();
    (void)check_self(w, body, &def);
    def.margin = 0.0625;
    (void)check_self(w, body, &def);
    def.include_neighbours = true;
    (void)check_self(w, body, &def);
    def.margin = 0;
    (void)check_self(w, body, &def);
    def.include_neighbours = false;
    def.front = front;
    (void)check_self(w, body, &def);
    def.include_neighbours = true;
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
        const motion_def def = small_blocks(&random);
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

// the same for sweeps of small motions; without coincident vertices, which all pairs do not treat
// as one
static void test_sweeps_same_as_all_pairs(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint64_t seed = 1; seed <= effort(1, 3, 40) * HUB_KINDS; ++seed) {
        const hub_kind kind = (hub_kind)(seed % HUB_KINDS);
        if (kind == HUB_SOUP) {
            continue;
        }
        test_random random = random_seed(seed);
        surface s = hub_surface(kind, 48);
        const motion_def def = small_blocks(&random);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        snapshot p = snapshot_make(body, &s);
        for (int step = 0; step < 2; ++step) {
            where("seed %llu, %s, step %d", (unsigned long long)seed, hub_name(kind), step);
            world_move(&w, body, s.xyz);
            snapshot_take(&w, &p, 0, false);
            surface_shake(&s, &random, 0.25, 0x1p-24);
            world_move(&w, body, s.xyz);
            snapshot_take(&w, &p, 1, false);
            abut_sweep_def query = abut_sweep_def_default();
            query.margin = step == 0 ? 0 : 0x1p-8;
            contacts += check_pair(&w, &p, &p, &query);
        }
        snapshot_free(&p);
        world_free(&w);
        surface_free(&s);
    }
    REQUIRE(contacts > 100);
}

static void test_distances_same_as_all_pairs(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 5, 60) * HUB_KINDS; ++seed) {
        const hub_kind kind = (hub_kind)(seed % HUB_KINDS);
        test_random random = random_seed(seed);
        surface s = mixture(&random, kind);
        surface_shake(&s, &random, 0.25, 0x1p-20);
        const motion_def def = small_blocks(&random);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        abut_nearest_result* pairs = NULL;
        REQUIRE_OK(abut_nearest_result_create(w.context, &pairs, NULL));
        where("seed %llu, %s", (unsigned long long)seed, hub_name(kind));
        const distance_oracle all = {.within = INFINITY};
        distance_list wanted = distances_within(w.scene, body, &all);
        REQUIRE_OK(abut_nearest_self(w.scene, body, NULL, pairs, NULL));
        require_distances(w.scene, pairs, &wanted, "nearest_self");
        free(wanted.pairs);
        abut_nearest_result_destroy(pairs);
        world_free(&w);
        surface_free(&s);
    }
}

// ---- threads

// the hash of the pairs of a query, and its counters
static uint64_t hash_with(const surface* s, const abut_context_def* context, bool neighbours,
                          abut_counters* counters) {
    world w = world_make(context, NULL);
    const abut_body_id body = world_add(&w, s, NULL, NULL);
    abut_collide_def def = abut_collide_def_default();
    def.include_neighbours = neighbours;
    def.head.counters = counters;
    REQUIRE_OK(abut_collide_self(w.scene, body, &def, w.result, NULL));
    const uint64_t hash = result_hash(w.result);
    world_free(&w);
    return hash;
}

static void test_any_number_of_threads(void** state) {
    (void)state;
    for (int neighbours = 0; neighbours < 2; ++neighbours) {
        surface disc = hub_surface(HUB_FAN, 1500);
        surface other = hub_surface(HUB_BIPYRAMID, 2000);
        surface_shift(&other, 0.5, 0.25, 0.125);
        surface both = surface_join(&disc, &other);
        reference answer = {0};
        reference work = {0};
        everywhere at = everywhere_each((const uint32_t[]){1, 4, 0}, 4);
        while (everywhere_next(&at)) {
            where("neighbours %d, %s", neighbours, at.text);
            abut_counters counters = {0};
            const uint64_t hash = hash_with(&both, &at.def, neighbours != 0, &counters);
            const uint64_t counts[] = {counters.pairs_found, counters.boxes_tested,
                                       counters.exact_tests, counters.pairs_adjacent};
            REQUIRE(counters.pairs_found > 1000 && reference_same(&answer, &hash, sizeof hash));
            REQUIRE(reference_same(&work, counts, sizeof counts));
        }
        reference_free(&answer);
        reference_free(&work);
        surface_free(&disc);
        surface_free(&other);
        surface_free(&both);
    }
}

// ---- memory

// Runs all calls from the mesh to the queries, and the queries again until they allocate nothing
// more. `found` receives a hash of all answers.
static abut_status whole_program(test_memory* memory, const surface* s, size_t* grown,
                                 size_t* found) {
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(memory);
    abut_context* context = NULL;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_sweep_result* swept = NULL;
    abut_body_id body = {0, 0};
    const abut_mesh_def mesh_def = surface_mesh_def(s);
    motion_def shape_def = motion_def_default();
    shape_def.block_triangles = 2;
    abut_collide_def query = abut_collide_def_default();
    query.include_neighbours = true;
    abut_status status = abut_context_create(&def, &context, NULL);
    status = status == ABUT_OK ? abut_mesh_create(context, &mesh_def, &mesh, NULL) : status;
    status = status == ABUT_OK ? motion_create(context, mesh, &shape_def, &shape, NULL) : status;
    status = status == ABUT_OK ? abut_scene_create(context, NULL, &scene, NULL) : status;
    status = status == ABUT_OK ? abut_body_create(scene, shape, NULL, &body, NULL) : status;
    status = status == ABUT_OK ? abut_collide_result_create(context, &result, NULL) : status;
    status = status == ABUT_OK ? abut_sweep_result_create(context, &swept, NULL) : status;
    for (int i = 0; i < 8 && status == ABUT_OK; ++i) {
        const size_t calls = memory->calls;
        status = abut_body_set_positions(scene, body, mesh_def.positions, NULL);
        for (int k = 0; k < 2 && status == ABUT_OK; ++k) {
            size_t count = 0;
            status = abut_collide_self(scene, body, k == 0 ? NULL : &query, result, NULL);
            abut_collide_result_pairs(result, &count);
            *found += count;
        }
        status = status == ABUT_OK && i > 0 ? abut_sweep_self(scene, body, NULL, swept, NULL)
                                            : status;
        *grown = memory->calls - calls;
    }
    abut_collide_result_destroy(result);
    abut_sweep_result_destroy(swept);
    abut_scene_destroy(scene);
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    abut_context_destroy(context);
    return status;
}

static void test_lack_of_memory(void** state) {
    (void)state;
    surface s = hub_surface(HUB_BIPYRAMID, 160);
    test_random random = random_seed(1);
    surface_shake(&s, &random, 0.125, 0x1p-20);
    size_t grown = 1;
    size_t wanted = 0;
    size_t calls = 1;
    for (size_t fail = 0; fail <= calls; ++fail) {
        where("allocation %zu", fail);
        test_memory memory;
        memory_init(&memory);
        memory_fail(&memory, fail, false);
        size_t found = 0;
        const abut_status status = whole_program(&memory, &s, &grown, &found);
        wanted = fail == 0 ? found : wanted;
        calls = fail == 0 ? memory.calls : calls;
        REQUIRE(fail == 0 ? status == ABUT_OK && grown == 0 : memory.refused == 1);
        // some allocations are optional
        REQUIRE(status == ABUT_OK ? found == wanted : status == ABUT_ERR_NO_MEMORY);
        memory_require_clean(&memory);
    }
    REQUIRE(calls > 20 && wanted > 100);
    surface_free(&s);
}

// ---- work

typedef struct hub_body {
    world w;
    abut_body_id body;
    surface s;
} hub_body;

static hub_body hub_open(hub_kind kind, uint32_t triangles) {
    hub_body a = {.w = world_make(NULL, NULL), .s = hub_surface(kind, triangles)};
    a.body = world_add(&a.w, &a.s, NULL, NULL);
    REQUIRE_OK(abut_body_set_positions(a.w.scene, a.body,
                                       abut_positions_f64(a.s.xyz, a.s.vertex_count), NULL));
    return a;
}

static void hub_close(hub_body* a) {
    surface_free(&a->s);
    world_free(&a->w);
}

static uint64_t sum_of(const abut_counters* c) {
    return c->boxes_tested + c->pairs_adjacent + c->exact_tests;
}

static uint64_t self_work(hub_kind kind, uint32_t triangles, double margin, bool neighbours) {
    hub_body a = hub_open(kind, triangles);
    abut_counters counters = {0};
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &counters;
    def.margin = margin;
    def.include_neighbours = neighbours;
    REQUIRE_OK(abut_collide_self(a.w.scene, a.body, &def, a.w.result, NULL));
    hub_close(&a);
    return sum_of(&counters);
}

static uint64_t sweep_work(hub_kind kind, uint32_t triangles) {
    hub_body a = hub_open(kind, triangles);
    test_random random = random_seed(triangles);
    for (uint32_t v = 0; v < a.s.vertex_count; ++v) {  // up and down: too rough for certificates
        a.s.xyz[3 * (size_t)v + 2] += 0x1p-8 * random_unit(&random);
    }
    REQUIRE_OK(abut_body_set_positions(a.w.scene, a.body,
                                       abut_positions_f64(a.s.xyz, a.s.vertex_count), NULL));
    abut_counters counters = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_sweep_self(a.w.scene, a.body, &def, a.w.swept, NULL));
    hub_close(&a);
    return sum_of(&counters);
}

static uint64_t nearest_work(hub_kind kind, uint32_t triangles) {
    hub_body a = hub_open(kind, triangles);
    abut_nearest_result* pairs = NULL;
    REQUIRE_OK(abut_nearest_result_create(a.w.context, &pairs, NULL));
    abut_counters counters = {0};
    abut_nearest_def def = abut_nearest_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_nearest_self(a.w.scene, a.body, &def, pairs, NULL));
    abut_nearest_result_destroy(pairs);
    hub_close(&a);
    return sum_of(&counters);
}

// four times the triangles take at most six times the work
static void require_near_linear(uint64_t less, uint64_t more, uint32_t triangles) {
    REQUIRE(more <= 6 * less + triangles);
}

static void test_work_of_self_queries(void** state) {
    (void)state;
    const uint32_t triangles = 2500;
    for (hub_kind kind = 0; kind < HUB_KINDS; ++kind) {
        for (int m = 0; m < 2; ++m) {
            where("%s, margin %d", hub_name(kind), m);
            const double margin = m == 0 ? 0 : 0x1p-30;
            require_near_linear(self_work(kind, triangles, margin, false),
                                self_work(kind, 4 * triangles, margin, false), triangles);
        }
    }
}

static void test_work_with_neighbours(void** state) {
    (void)state;
    static const hub_kind kinds[] = {HUB_FAN, HUB_TWO, HUB_BIPYRAMID};
    const uint32_t triangles = 2000;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        where("%s", hub_name(kinds[i]));
        require_near_linear(self_work(kinds[i], triangles, 0, true),
                            self_work(kinds[i], 4 * triangles, 0, true), triangles);
    }
}

static void test_work_of_sweeps(void** state) {
    (void)state;
    static const hub_kind kinds[] = {HUB_FAN, HUB_TWO, HUB_CYLINDER};
    const uint32_t triangles = 4000;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        where("%s", hub_name(kinds[i]));
        require_near_linear(sweep_work(kinds[i], triangles), sweep_work(kinds[i], 4 * triangles),
                            triangles);
    }
}

static void test_work_of_distances(void** state) {
    (void)state;
    static const hub_kind kinds[] = {HUB_FAN, HUB_HEDGEHOG, HUB_DUPLICATES, HUB_SOUP, HUB_BOOK};
    const uint32_t triangles = 2500;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        where("%s", hub_name(kinds[i]));
        require_near_linear(nearest_work(kinds[i], triangles),
                            nearest_work(kinds[i], 4 * triangles), triangles);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_all_pairs),
        cmocka_unit_test(test_sweeps_same_as_all_pairs),
        cmocka_unit_test(test_distances_same_as_all_pairs),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_lack_of_memory),
        cmocka_unit_test(test_work_of_self_queries),
        cmocka_unit_test(test_work_with_neighbours),
        cmocka_unit_test(test_work_of_sweeps),
        cmocka_unit_test(test_work_of_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
