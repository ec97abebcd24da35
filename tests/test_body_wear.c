// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trees of free bodies that are rebuilt by themselves when they wear out. Loose triangles fly to new
// places in two worlds: in one the trees are rebuilt, in the other the bodies keep theirs. Answers
// equal those of all pairs, and the work stays near that of new trees.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/world.h"
#include "support/everywhere.h"
#include "support/memory.h"
#include "support/world.h"

enum { BODIES = 2, TRIANGLES = 1200, STEPS = 24 };

// loose triangles, and the way that each flies from the first state to the last
typedef struct swarm {
    surface rest;
    surface now;
    double (*way)[3];  // per triangle
} swarm;

static swarm swarm_make(test_random* random) {
    swarm s = {.rest = surface_soup(random, TRIANGLES, 1, 0.04, 0x1p-20)};
    s.now = surface_copy(&s.rest);
    s.way = test_alloc(TRIANGLES, sizeof *s.way);
    for (uint32_t t = 0; t < TRIANGLES; ++t) {
        for (int d = 0; d < 3; ++d) {
            const uint32_t corner = s.rest.triangles[3 * (size_t)t];
            const double goal = 2 * random_unit(random) - 1;
            s.way[t][d] = goal - s.rest.xyz[3 * (size_t)corner + (size_t)d];
        }
    }
    return s;
}

static void swarm_free(swarm* s) {
    surface_free(&s->rest);
    surface_free(&s->now);
    free(s->way);
}

static void fly(swarm* s, double part) {
    for (size_t i = 0; i < 3 * (size_t)TRIANGLES; ++i) {
        const size_t corner = s->rest.triangles[i];
        for (size_t d = 0; d < 3; ++d) {
            s->now.xyz[3 * corner + d] = s->rest.xyz[3 * corner + d] + part * s->way[i / 3][d];
        }
    }
}

typedef struct flock {
    world world;
    abut_body_id body[BODIES];
    abut_shape* shape[BODIES];
    abut_nearest_result* nearest;
    abut_counters counters;
} flock;

static flock flock_make(const abut_context_def* def, const swarm* swarms, bool keeps_tree) {
    flock f = {.world = world_make(def, NULL)};
    abut_body_def body_def = abut_body_def_default();
    body_def.keeps_tree = keeps_tree;
    motion_def shape_def = motion_def_default();
    shape_def.block_triangles = 4;  // many blocks
    for (int b = 0; b < BODIES; ++b) {
        f.shape[b] = world_shape(&f.world, &swarms[b].rest, &shape_def);
        REQUIRE_OK(abut_body_create(f.world.scene, f.shape[b], &body_def, &f.body[b], NULL));
    }
    REQUIRE_OK(abut_nearest_result_create(f.world.context, &f.nearest, NULL));
    return f;
}

static void flock_free(flock* f) {
    for (int b = 0; b < BODIES; ++b) {
        abut_shape_destroy(f->shape[b]);
    }
    abut_nearest_result_destroy(f->nearest);
    world_free(&f->world);
}

static void flock_move(flock* f, const swarm* swarms) {
    for (int b = 0; b < BODIES; ++b) {
        const abut_positions xyz = abut_positions_f64(swarms[b].now.xyz,
                                                      swarms[b].now.vertex_count);
        REQUIRE_OK(abut_body_set_positions(f->world.scene, f->body[b], xyz, NULL));
    }
}

static bool was_rebuilt(const flock* f, int b) {
    const abut__body* body = abut__scene_body(f->world.scene, f->body[b]);
    return abut__body_given(body) != body->shape;
}

// all questions that read boxes; adds to the counters
static uint64_t ask(flock* f, abut_front* front) {
    abut_collide_def collide = abut_collide_def_default();
    collide.head.counters = &f->counters;
    REQUIRE_OK(abut_collide_self_all(f->world.scene, &collide, f->world.result, NULL));
    uint64_t hash = result_hash(f->world.result);
    collide.front = front;
    REQUIRE_OK(abut_collide_all(f->world.scene, &collide, f->world.result, NULL));
    hash = 31 * hash + result_hash(f->world.result);
    abut_sweep_def sweep = abut_sweep_def_default();
    sweep.head.counters = &f->counters;
    REQUIRE_OK(abut_sweep_all(f->world.scene, &sweep, f->world.swept, NULL));
    size_t count = 0;
    const abut_sweep_pair* contacts = abut_sweep_result_pairs(f->world.swept, &count);
    hash_bytes(&hash, contacts, count * sizeof *contacts);
    REQUIRE_OK(abut_nearest(f->world.scene, f->body[0], f->body[1], NULL, f->nearest, NULL));
    const abut_distance_pair* pairs = abut_nearest_result_pairs(f->nearest, &count);
    hash_bytes(&hash, pairs, count * sizeof *pairs);
    return hash;
}

static void test_answers_stay_the_same(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 4, 20); ++seed) {
        test_random random = random_seed(seed);
        swarm swarms[BODIES] = {swarm_make(&random), swarm_make(&random)};
        flock own = flock_make(NULL, swarms, false);
        flock kept = flock_make(NULL, swarms, true);
        abut_front* front;
        REQUIRE_OK(abut_front_create(own.world.context, &front, NULL));
        for (uint32_t step = 0; step <= STEPS; ++step) {
            where("seed %llu, step %u", (unsigned long long)seed, step);
            fly(&swarms[0], (double)step / STEPS);
            fly(&swarms[1], (double)step / STEPS);
            flock_move(&own, swarms);
            flock_move(&kept, swarms);
            REQUIRE(ask(&own, front) == ask(&kept, NULL));
            if (step % 8 == 7) {
                REQUIRE(check_collide_all(&own.world, NULL) + check_self_all(&own.world, NULL) > 0);
            }
        }
        for (int b = 0; b < BODIES; ++b) {
            REQUIRE(was_rebuilt(&own, b) && !was_rebuilt(&kept, b));
            REQUIRE(abut_body_shape(own.world.scene, own.body[b]) == own.shape[b]);
            world_validate(&own.world, own.body[b]);
        }
        abut_front_destroy(front);
        flock_free(&own);
        flock_free(&kept);
        swarm_free(&swarms[0]);
        swarm_free(&swarms[1]);
    }
}

// Counts box tests of both worlds over all steps.
static void test_work_stays_that_of_new_trees(void** state) {
    (void)state;
    test_random random = random_seed(7);
    swarm swarms[BODIES] = {swarm_make(&random), swarm_make(&random)};
    flock own = flock_make(NULL, swarms, false);
    flock kept = flock_make(NULL, swarms, true);
    uint64_t at_first = 0;
    for (uint32_t step = 0; step <= STEPS; ++step) {
        fly(&swarms[0], (double)step / STEPS);
        fly(&swarms[1], (double)step / STEPS);
        flock_move(&own, swarms);
        flock_move(&kept, swarms);
        (void)ask(&own, NULL);
        (void)ask(&kept, NULL);
        at_first = step == 0 ? own.counters.boxes_tested : at_first;
    }
    const uint64_t new_trees = (STEPS + 1) * at_first;
    print_message("box tests: %llu with trees rebuilt, %llu with trees kept, %llu with new ones\n",
                  (unsigned long long)own.counters.boxes_tested,
                  (unsigned long long)kept.counters.boxes_tested, (unsigned long long)new_trees);
    assert_true(own.counters.boxes_tested < kept.counters.boxes_tested / 2);
    assert_true(own.counters.boxes_tested < 2 * new_trees + new_trees / 2);
    double degradation[2];
    REQUIRE_OK(abut_body_tree_degradation(own.world.scene, own.body[0], &degradation[0], NULL));
    REQUIRE_OK(abut_body_tree_degradation(kept.world.scene, kept.body[0], &degradation[1], NULL));
    assert_true(degradation[0] < 3 && degradation[1] > 10);
    flock_free(&own);
    flock_free(&kept);
    swarm_free(&swarms[0]);
    swarm_free(&swarms[1]);
}

// Counters show when trees were rebuilt.
static void test_threads_rebuild_at_the_same_steps(void** state) {
    (void)state;
    test_random random = random_seed(11);
    swarm swarms[BODIES] = {swarm_make(&random), swarm_make(&random)};
    abut_counters wanted[STEPS + 1];
    everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 3);
    while (everywhere_next(&at)) {
        flock f = flock_make(&at.def, swarms, false);
        for (uint32_t step = 0; step <= STEPS; ++step) {
            where("%s, step %u", at.text, step);
            fly(&swarms[0], (double)step / STEPS);
            fly(&swarms[1], (double)step / STEPS);
            flock_move(&f, swarms);
            (void)ask(&f, NULL);
            if (at.first) {
                wanted[step] = f.counters;
            }
            REQUIRE(f.counters.boxes_tested == wanted[step].boxes_tested &&
                    f.counters.exact_tests == wanted[step].exact_tests);
        }
        REQUIRE(was_rebuilt(&f, 0));
        flock_free(&f);
    }
    swarm_free(&swarms[0]);
    swarm_free(&swarms[1]);
}

// Without memory the state is set, and the tree stays as it is.
static void test_rebuilding_without_memory(void** state) {
    (void)state;
    test_random random = random_seed(5);
    swarm swarms[BODIES] = {swarm_make(&random), swarm_make(&random)};
    bool found = false;
    for (size_t call = 1; !found && call < 400; call += effort(13, 3, 1)) {
        test_memory memory;
        const abut_context_def def = memory_context_def(&memory);
        flock f = flock_make(&def, swarms, false);
        for (uint32_t step = 0; step < 3; ++step) {  // the second step has both states in memory
            fly(&swarms[0], 0.4 * step);
            flock_move(&f, swarms);
            REQUIRE_OK(abut_collide_self_all(f.world.scene, NULL, f.world.result, NULL));
        }
        while (!was_rebuilt(&f, 0) && memory.refused == 0) {
            memory_fail(&memory, call, true);
            flock_move(&f, swarms);
            memory_fail(&memory, 0, false);
            REQUIRE_OK(abut_collide_self_all(f.world.scene, NULL, f.world.result, NULL));
        }
        found = memory.refused == 0;
        where("call %zu", call);
        REQUIRE(found == was_rebuilt(&f, 0));
        REQUIRE(check_self_all(&f.world, NULL) > 0);
        world_validate(&f.world, f.body[0]);
        flock_free(&f);
        memory_require_clean(&memory);
    }
    assert_true(found);
    swarm_free(&swarms[0]);
    swarm_free(&swarms[1]);
}

// The first trees of a body's own allocate memory, the later ones use it again.
static void test_later_trees_allocate_nothing(void** state) {
    (void)state;
    test_random random = random_seed(9);
    swarm swarms[BODIES] = {swarm_make(&random), swarm_make(&random)};
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    flock f = flock_make(&def, swarms, false);
    uint32_t rebuilt = 0;
    uint32_t quiet = 0;
    for (uint32_t step = 0; step < 120; ++step) {
        fly(&swarms[0], 0.5 + 0.5 * sin(0.9 * step));
        const abut_shape* last = abut__scene_body(f.world.scene, f.body[0])->shape;
        const size_t before = memory.calls;
        flock_move(&f, swarms);
        const bool is_new = abut__scene_body(f.world.scene, f.body[0])->shape != last;
        REQUIRE_OK(abut_collide_self(f.world.scene, f.body[0], NULL, f.world.result, NULL));
        rebuilt += is_new;
        quiet += is_new && memory.calls == before;
    }
    print_message("%u trees rebuilt, %u without an allocation\n", rebuilt, quiet);
    assert_true(rebuilt >= 20 && quiet + 8 >= rebuilt);
    flock_free(&f);
    memory_require_clean(&memory);
    swarm_free(&swarms[0]);
    swarm_free(&swarms[1]);
}

// Two sheets that approach until all of them touch: false opens grow, but the trees suit the states.
static void test_contact_alone_is_no_wear(void** state) {
    (void)state;
    surface sheet = surface_sheet(40, 40, 1);
    surface moved = surface_copy(&sheet);
    world w = world_make(NULL, NULL);
    const abut_body_id body[2] = {world_add(&w, &sheet, NULL, NULL),
                                  world_add(&w, &sheet, NULL, NULL)};
    uint32_t rebuilt = 0;
    const abut_shape* last = NULL;
    for (uint32_t step = 0; step < 400; ++step) {
        for (uint32_t v = 0; v < sheet.vertex_count; ++v) {
            const double height = step < 200 ? 0.2 - 0.001 * step : 0.0001 * (step % 7);
            moved.xyz[3 * (size_t)v + 2] = height + 0.0005 * (v % 3);
        }
        world_move(&w, body[1], moved.xyz);
        REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result, NULL));
        const abut__body* inner = abut__scene_body(w.scene, body[1]);
        rebuilt += step > 0 && inner->shape != last;
        last = inner->shape;
    }
    print_message("%u trees rebuilt in 400 steps\n", rebuilt);
    assert_true(rebuilt <= 7);  // each after twice as much waste as the one before
    world_free(&w);
    surface_free(&sheet);
    surface_free(&moved);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_stay_the_same),
        cmocka_unit_test(test_work_stays_that_of_new_trees),
        cmocka_unit_test(test_threads_rebuild_at_the_same_steps),
        cmocka_unit_test(test_rebuilding_without_memory),
        cmocka_unit_test(test_later_trees_allocate_nothing),
        cmocka_unit_test(test_contact_alone_is_no_wear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
