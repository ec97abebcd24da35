// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The memory of hits. Tasks get back what they stored, in order, and a run with no more hits than an
// earlier one allocates nothing, whichever tasks find them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/query.h"
#include "support/memory.h"
#include "support/world.h"

enum { JOBS = 3, BODIES = 5 };

typedef struct store {
    abut_context* context;
    abut__hit_pool pool;
    abut__task tasks[ABUT__TASKS_MOST];
    uint32_t wanted[ABUT__TASKS_MOST];  // hits per task
    abut__body bodies[BODIES];
    abut__job jobs[JOBS];
} store;

// Jobs of various bodies; the last is about one body.
static void set_jobs(store* b) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        b->bodies[i].index = 1000 + i;
    }
    for (uint32_t j = 0; j < JOBS; ++j) {
        b->jobs[j].view[0].body = &b->bodies[j];
        b->jobs[j].view[1].body = &b->bodies[j + 1 < JOBS ? 2 * j + 1 : j];
    }
}

static void store_open(store* b, test_memory* memory) {
    const abut_context_def def = memory_context_def(memory);
    memset(b, 0, sizeof *b);
    set_jobs(b);
    REQUIRE_OK(abut_context_create(&def, &b->context, NULL));
}

static void store_close(store* b) {
    for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
        abut__drop(b->context, &b->tasks[t].hits);
    }
    abut__drop(b->context, &b->pool.chunks);
    abut_context_destroy(b->context);
}

// the job of a task's hit of this number: a task has hits of several
static uint32_t job_of(uint32_t task, uint32_t number) {
    return (task + number / 7) % JOBS;
}

// Stores a hit that names its task and its number; false: no memory.
static bool add(store* b, uint32_t task) {
    abut__hit* hit = abut__hits_add(b->context, &b->pool, &b->tasks[task]);
    if (hit != NULL) {
        const uint32_t number = b->wanted[task]++;
        *hit = (abut__hit){job_of(task, number), {task, number}};
    }
    return hit != NULL;
}

static void check_hits(const store* b) {
    static const uint32_t bodies[JOBS][2] = {{1000, 1001}, {1001, 1003}, {1002, 1002}};
    for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
        const uint32_t count = b->wanted[t];
        REQUIRE(abut__hits_count(&b->tasks[t]) == count);
        abut_pair* got = test_alloc(count + (size_t)1, sizeof *got);
        abut__hits_copy(&b->pool, &b->tasks[t], b->jobs, got);
        for (uint32_t i = 0; i < count; ++i) {
            const uint32_t* body = bodies[job_of(t, i)];
            REQUIRE(got[i].body_a == body[0] && got[i].body_b == body[1]);
            REQUIRE(got[i].triangle_a == t && got[i].triangle_b == i);
        }
        free(got);
    }
}

static void begin(store* b) {
    abut__hits_begin(&b->pool, b->tasks, ABUT__TASKS_MOST);
    memset(b->wanted, 0, sizeof b->wanted);
}

// A run with so many hits in some tasks, in any order.
static void run(store* b, test_random* random, uint32_t hits) {
    const uint32_t tasks = 1 + random_below(random, ABUT__TASKS_MOST);
    begin(b);
    for (uint32_t i = 0; i < hits; ++i) {
        REQUIRE(add(b, random_below(random, tasks)));
    }
    check_hits(b);
    abut__hits_reserve(b->context, &b->pool, b->tasks);
}

static void test_no_run_allocates_unless_it_finds_more(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < effort(20, 200, 2000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        test_memory memory;
        store b;
        store_open(&b, &memory);
        const uint32_t most = random_below(&random, 3000);
        run(&b, &random, most);
        const size_t before = memory.calls;
        for (int again = 0; again < 5; ++again) {
            run(&b, &random, most - random_below(&random, most + 1));
            REQUIRE(memory.calls == before);
        }
        run(&b, &random, 2 * most + 4000);
        REQUIRE(memory.calls > before);
        store_close(&b);
        memory_require_clean(&memory);
    }
}

// A refused allocation of a hit is reported, one of the pool has no effect.
static void test_lack_of_memory(void** state) {
    (void)state;
    bool reported = false;
    bool harmless = false;
    for (size_t fail = 1; fail < 40; ++fail) {
        where("allocation %zu", fail);
        test_random random = random_seed(fail);
        test_memory memory;
        store b;
        store_open(&b, &memory);
        memory_fail(&memory, fail, false);
        bool refused = false;
        for (int again = 0; again < 3; ++again) {
            begin(&b);
            for (uint32_t i = 0; i < 300; ++i) {
                refused = !add(&b, random_below(&random, 7)) || refused;
            }
            check_hits(&b);
            abut__hits_reserve(b.context, &b.pool, b.tasks);
        }
        reported = reported || refused;
        harmless = harmless || (!refused && memory.refused > 0);
        store_close(&b);
        memory_require_clean(&memory);
    }
    REQUIRE(reported && harmless);
}

// Triangles beside each other, along x or along y: each of one comb crosses each of the other.
static surface comb(uint32_t teeth, bool along_y) {
    surface s = surface_make(3 * teeth, teeth);
    for (uint32_t t = 0; t < teeth; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            double* p = s.xyz + (size_t)3 * (3 * t + c);
            p[along_y ? 1 : 0] = c == 1 ? teeth + 1.0 : -2.0;
            p[along_y ? 0 : 1] = t;
            p[2] = c == 2 ? 10.0 * teeth : -10.0 * teeth;
            s.triangles[3 * t + c] = 3 * t + c;
        }
    }
    return s;
}

// What a query keeps for each pair: the pair in its answer, and room for the next query. The query that
// first finds so many has no more at once.
static void test_a_hit_takes_at_most_32_bytes(void** state) {
    (void)state;
    where("combs");
    enum { TEETH = 700 };
    test_memory memory;
    const abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    abut_body_id body[2];
    for (int i = 0; i < 2; ++i) {
        surface s = comb(TEETH, i == 1);
        body[i] = world_add(&w, &s, NULL, NULL);
        surface_free(&s);
    }
    size_t before = 0;
    size_t count = 0;
    for (int step = 0; step < 4; ++step) {  // apart, then crossing
        abut_frame frame = abut_frame_identity();
        frame.t[0] = step == 0 ? 2.0 * TEETH : 0;
        world_frame(&w, body[1], frame);
        REQUIRE_OK(abut_collide(w.scene, body[0], body[1], NULL, w.result, NULL));
        const abut_pair* pairs = abut_collide_result_pairs(w.result, &count);
        REQUIRE(count == (step == 0 ? 0 : (size_t)TEETH * TEETH));
        for (size_t i = 0; i < count; ++i) {
            REQUIRE(pairs[i].triangle_a == i / TEETH && pairs[i].triangle_b == i % TEETH);
        }
        before = step == 0 ? memory.live_bytes : before;
    }
    const double bytes = (double)(memory.live_bytes - before) / (double)count;
    const double most = (double)(memory.peak_bytes - before) / (double)count;
    print_message("%.1f bytes a hit, at most %.1f at once\n", bytes, most);
    REQUIRE(bytes <= 32 && most <= 32);
    world_free(&w);
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_run_allocates_unless_it_finds_more),
        cmocka_unit_test(test_lack_of_memory),
        cmocka_unit_test(test_a_hit_takes_at_most_32_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
