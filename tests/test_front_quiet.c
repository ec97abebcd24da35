// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fronts that are used over the same steps again and again. After a few rounds nothing is
// allocated, although bodies meet, separate, rest and meet again.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/world.h"

enum { BODIES = 5, KEYS = 4, STEPS = 7, WARM = 4, ROUNDS = 7 };

typedef struct stage {
    world w;
    abut_body_id body[BODIES];
    bool flies[BODIES];
    double* keys[BODIES];
    surface s[BODIES];
    abut_front* front[3];
} stage;

// keyframes that carry a body across the others and back
static void add_flight(stage* g, int i, test_random* random) {
    const size_t numbers = 3 * (size_t)g->s[i].vertex_count;
    // not automatic, since a body that changes its bounds allocates then, once
    static const int bounds[] = {ABUT_FLIGHT_BOUND_LINEAR, ABUT_FLIGHT_BOUND_KINETIC,
                                 ABUT_FLIGHT_BOUND_BOXTREE};
    abut_keyframe keys[KEYS];
    g->keys[i] = test_alloc(KEYS * numbers, sizeof(double));
    for (size_t k = 0; k < KEYS; ++k) {
        double shift[3];
        for (int d = 0; d < 3; ++d) {
            shift[d] = random_double(random, -3, 3);
        }
        for (size_t v = 0; v < numbers; ++v) {
            g->keys[i][k * numbers + v] = g->s[i].xyz[v] + shift[v % 3] +
                                          random_double(random, -0.02, 0.02);
        }
        keys[k] = (abut_keyframe){(double)k, abut_positions_f64(g->keys[i] + k * numbers,
                                                                g->s[i].vertex_count)};
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = keys;
    def.keyframe_count = KEYS;
    def.block_triangles = 8;
    def.bound = bounds[random_below(random, 3)];
    g->body[i] = world_add(&g->w, &g->s[i], &def, NULL);
}

static stage stage_make(test_memory* memory, test_random* random) {
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(memory);
    stage g = {.w = world_make(&def, NULL)};
    for (int i = 0; i < BODIES; ++i) {
        g.s[i] = surface_ball(6 + (uint32_t)random_below(random, 8), 9, 1);
        g.flies[i] = i < 2 || random_chance(random, 0.6);
        if (g.flies[i]) {
            add_flight(&g, i, random);
        } else {
            g.body[i] = world_add(&g.w, &g.s[i], NULL, NULL);
        }
    }
    for (int k = 0; k < 3; ++k) {
        REQUIRE_OK(abut_front_create(g.w.context, &g.front[k], NULL));
    }
    return g;
}

static void stage_free(stage* g) {
    for (int k = 0; k < 3; ++k) {
        abut_front_destroy(g->front[k]);
    }
    world_free(&g->w);
    for (int i = 0; i < BODIES; ++i) {
        surface_free(&g->s[i]);
        free(g->keys[i]);
    }
}

typedef struct plan {
    double time[STEPS][BODIES];  // NAN: the body keeps its state
    double shift[STEPS][BODIES];
} plan;

static plan plan_make(const stage* g, test_random* random) {
    plan p;
    for (int step = 0; step < STEPS; ++step) {
        for (int i = 0; i < BODIES; ++i) {
            const bool stays = random_chance(random, 0.3);
            p.time[step][i] = stays || !g->flies[i] ? NAN : random_double(random, 0, KEYS - 1);
            p.shift[step][i] = stays || random_chance(random, 0.7) ? NAN
                                                                   : random_double(random, -2, 2);
        }
    }
    return p;
}

static void play(stage* g, const plan* p) {
    for (int step = 0; step < STEPS; ++step) {
        for (int i = 0; i < BODIES; ++i) {
            if (!isnan(p->time[step][i])) {
                REQUIRE_OK(abut_body_set_time(g->w.scene, g->body[i], p->time[step][i], NULL));
            }
            if (!isnan(p->shift[step][i])) {
                abut_frame frame = abut_frame_identity();
                frame.t[0] = p->shift[step][i];
                REQUIRE_OK(abut_body_set_frame(g->w.scene, g->body[i], &frame, NULL));
            }
        }
        abut_collide_def def = abut_collide_def_default();
        def.front = g->front[0];
        REQUIRE_OK(abut_collide_all(g->w.scene, &def, g->w.result, NULL));
        def.front = g->front[1];
        REQUIRE_OK(abut_collide_self_all(g->w.scene, &def, g->w.result, NULL));
        def.front = g->front[2];
        REQUIRE_OK(
            abut_collide(g->w.scene, g->body[0], g->body[1 + step % 2], &def, g->w.result, NULL));
    }
}

static void test_reused_fronts_do_not_allocate(void** state) {
    (void)state;
    const uint64_t scenes = effort(24, 100, 1000);
    uint32_t loud = 0;
    for (uint64_t seed = 1; seed <= scenes; ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_memory memory;
        memory_init(&memory);
        test_random random = random_seed(seed);
        stage g = stage_make(&memory, &random);
        const plan p = plan_make(&g, &random);
        size_t calls = 0;
        for (int round = 0; round < ROUNDS; ++round) {
            const size_t before = memory.calls;
            play(&g, &p);
            calls = round < WARM ? 0 : calls + (memory.calls - before);
        }
        if (calls > 0) {
            print_message("%s: %zu allocations in %d rounds\n", where_text(), calls, ROUNDS - WARM);
        }
        loud += calls > 0;
        stage_free(&g);
        memory_require_clean(&memory);
    }
    print_message("%u of %llu scenes allocate\n", loud, (unsigned long long)scenes);
    REQUIRE(loud == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reused_fronts_do_not_allocate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
