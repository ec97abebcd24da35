// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fronts of bodies with a known motion. Whatever happens between two queries (steps, jumps, plans
// for some vertices, frames, edits, budgets, new and removed bodies), the answers are those of
// brute force. Steps without events visit no node.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/memory.h"
#include "support/world.h"

#define KEYS 4
#define BODIES 4

// ---- a company: two bodies with keyframes, one with plans, and one without its own motion

typedef struct member {
    surface s;
    abut_keyframe keys[KEYS];
    double* xyz[KEYS];
    uint32_t key_count;
    abut_body_id id;
    double time;
    bool edited;  // the keyframes no longer fit its vertices
} member;

typedef struct company {
    world world;
    member member[BODIES];
    abut_front* front[2];  // between bodies, and within them
} company;

static surface surface_of(test_random* random, uint32_t body) {
    switch (body) {
        case 0: return surface_ball(6 + random_below(random, 4), 9, 1);
        case 1: return surface_sheet(7, 3 + random_below(random, 6), 2);
        case 2: return surface_ball(5, 8, 0.8);
        default: return surface_sheet(6, 6, 3);
    }
}

static void add_member(test_random* random, company* c, uint32_t body, const double times[KEYS],
                       double wild, bool exact) {
    member* m = &c->member[body];
    m->s = surface_of(random, body);
    if (body == 3) {
        surface_shift(&m->s, -1, -1, 0.1);
    }
    m->key_count = body < 2 ? KEYS : 0;
    m->time = times[0];
    const double drift[3] = {random_dyadic(random, 0.25, 0.125), random_dyadic(random, 0.25, 0.125),
                             random_dyadic(random, 0.25, 0.125)};
    for (uint32_t k = 0; k < m->key_count; ++k) {
        const size_t numbers = 3 * (size_t)m->s.vertex_count;
        m->xyz[k] = test_alloc(numbers, sizeof(double));
        for (size_t i = 0; i < numbers; ++i) {
            const double x = m->s.xyz[i] + random_double(random, -wild, wild);
            m->xyz[k][i] = (exact ? 0.125 * nearbyint(8 * x) : x) + drift[i % 3] * k;
        }
        m->keys[k] = (abut_keyframe){times[k], abut_positions_f64(m->xyz[k], m->s.vertex_count)};
    }
    motion_def def = motion_def_default();
    abut_body_def body_def = abut_body_def_default();
    def.motion = body < 3 ? ABUT_MOTION_FLIGHT : ABUT_MOTION_FREE;
    def.keyframes = m->key_count > 0 ? m->keys : NULL;
    def.keyframe_count = m->key_count;
    def.block_triangles = 1 + random_below(random, 24);
    def.fan_out = 2 + random_below(random, 7);
    def.bound = body == 1 && random_chance(random, 0.3) ? ABUT_FLIGHT_BOUND_KINETIC
                                                        : MOTION_BOUND_AUTO;
    body_def.is_static = body == 3 && random_chance(random, 0.5);
    m->id = world_add(&c->world, &m->s, &def, &body_def);
}

static company company_make(test_random* random, const abut_context_def* context, double wild,
                            bool exact) {
    company c = {.world = world_make(context, NULL)};
    double times[KEYS] = {random_double(random, -2, 2)};
    for (uint32_t k = 1; k < KEYS; ++k) {
        times[k] = times[k - 1] + random_double(random, 0.3, 1.5);
    }
    for (uint32_t b = 0; b < BODIES; ++b) {
        add_member(random, &c, b, times, wild, exact);
        if (random_chance(random, 0.3)) {  // others have keyframes at other times
            for (uint32_t k = 1; k < KEYS; ++k) {
                times[k] += 0.2;
            }
        }
    }
    REQUIRE_OK(abut_front_create(c.world.context, &c.front[0], NULL));
    REQUIRE_OK(abut_front_create(c.world.context, &c.front[1], NULL));
    return c;
}

static void company_free(company* c) {
    abut_front_destroy(c->front[0]);
    abut_front_destroy(c->front[1]);
    world_free(&c->world);
    for (uint32_t b = 0; b < BODIES; ++b) {
        for (uint32_t k = 0; k < c->member[b].key_count; ++k) {
            free(c->member[b].xyz[k]);
        }
        surface_free(&c->member[b].s);
    }
}

// ---- changes of the company

static void set_time(company* c, uint32_t body, double time) {
    c->member[body].time = time;
    REQUIRE_OK(abut_body_set_time(c->world.scene, c->member[body].id, time, NULL));
}

// moves all bodies, mostly forwards
static void step(test_random* random, company* c) {
    const double kind = random_unit(random);
    const double now = c->member[0].time;
    const double to = kind < 0.1   ? random_double(random, -4, 8)
                      : kind < 0.2 ? now - random_double(random, 0, 0.3)
                      : kind < 0.3 ? c->member[0].keys[random_below(random, KEYS)].time
                                   : now + random_double(random, 0, 0.1);
    for (uint32_t b = 0; b < 3; ++b) {
        if (kind > 0.35 || random_chance(random, 0.8)) {  // some stop now and then
            set_time(c, b, kind > 0.35 ? to : to + random_below(random, 2) * 0.05);
        }
    }
}

static void give_plans(test_random* random, company* c, uint32_t body, bool all) {
    const member* m = &c->member[body];
    uint32_t* vertices = test_alloc(m->s.vertex_count, sizeof *vertices);
    double* uvw = test_alloc(3 * (size_t)m->s.vertex_count, sizeof *uvw);
    uint32_t count = 0;
    const double part = random_chance(random, 0.7) ? 0.05 : 0.6;
    for (uint32_t v = 0; v < m->s.vertex_count; ++v) {
        if (all || random_chance(random, part)) {
            for (size_t d = 0; d < 3; ++d) {
                uvw[3 * (size_t)count + d] = random_double(random, -0.4, 0.4);
            }
            vertices[count++] = v;
        }
    }
    abut_plans_def plans = {.time = m->time,
                            .vertices = all ? NULL : vertices,
                            .vertex_count = all ? 0 : count,
                            .velocities = abut_positions_f64(uvw, count)};
    if (all && random_chance(random, 0.3)) {
        plans.acceleration[2] = random_double(random, -1, 1);
    }
    if (all || count > 0) {
        REQUIRE_OK(plans_set(c->world.scene, m->id, &plans, NULL));
    }
    free(vertices);
    free(uvw);
}

// removes some triangles for good
static void edit(test_random* random, company* c, uint32_t body) {
    member* m = &c->member[body];
    const abut_shape* old = abut_body_shape(c->world.scene, m->id);
    motion_edit_def def = motion_edit_def_default();
    const uint32_t first = random_below(random, m->s.triangle_count / 2);
    const uint32_t gone[2] = {first, first + 1};
    def.removed_triangles = gone;
    def.removed_triangle_count = 2;
    abut_shape* edited = NULL;
    if (m->edited) {
        return;
    }
    m->edited = true;
    REQUIRE_OK(motion_edit(old, &def, &edited, NULL, NULL));
    REQUIRE_OK(abut_body_set_shape(c->world.scene, m->id, edited, (abut_positions){0}, NULL));
    abut_shape_destroy(edited);
}

static void disturb(test_random* random, company* c) {
    const uint32_t body = random_below(random, BODIES);
    const double kind = random_unit(random);
    if (kind < 0.4 && body < 3) {
        give_plans(random, c, body, random_chance(random, 0.3));
    } else if (kind < 0.5 && body < 3) {
        REQUIRE_OK(plans_set(c->world.scene, c->member[body].id, NULL, NULL));
    } else if (kind < 0.7) {
        const double reach = random_chance(random, 0.5) ? 0 : 0.3;  // some only rotate
        world_frame(&c->world, c->member[body].id,
                    random_chance(random, 0.3) ? abut_frame_identity()
                                               : frame_random(random, reach));
    } else if (kind < 0.75) {
        surface_shake(&c->member[3].s, random, 0.05, 0x1p-10);
        world_move(&c->world, c->member[3].id, c->member[3].s.xyz);
    } else if (kind < 0.8) {
        edit(random, c, body);
    } else if (kind < 0.85) {
        abut_front_clear(c->front[random_below(random, 2)]);
    }
}

// runs a query in pieces, which together are the answer
static void check_budget(const company* c, int which, abut_collide_def def) {
    const oracle o = {.margin = def.margin};
    pair_list wanted = which == 0 ? oracle_collide_all(c->world.scene, &o)
                                  : oracle_self_all(c->world.scene, &o);
    pair_list got = {0};
    abut_status status = ABUT_INCOMPLETE;
    def.budget = 40;
    for (uint32_t calls = 0; status == ABUT_INCOMPLETE && calls < 10000; ++calls) {
        status = (which == 0 ? abut_collide_all : abut_collide_self_all)(c->world.scene, &def,
                                                                         c->world.result, NULL);
        pairs_append(&got, c->world.result);
        if (calls == 3) {
            def.budget = 0;  // the rest at once
        }
    }
    REQUIRE_OK(status);
    pairs_sort(&got);
    require_same_pairs(&got, &wanted, "in pieces");
    pairs_free(&got);
    pairs_free(&wanted);
}

static size_t check(test_random* random, const company* c) {
    abut_collide_def def = abut_collide_def_default();
    size_t hits = 0;
    for (int which = 0; which < 2; ++which) {
        def.front = c->front[which];
        def.margin = random_chance(random, 0.1) ? 0.03 : 0;
        const double kind = random_unit(random);
        if (kind < 0.1) {
            check_budget(c, which, def);
        } else if (kind < 0.2) {
            def.any = true;
            REQUIRE_OK((which == 0 ? abut_collide_all : abut_collide_self_all)(
                c->world.scene, &def, c->world.result, NULL));
            const bool any = abut_collide_result_found(c->world.result);
            def.any = false;
            const size_t found = (which == 0 ? check_collide_all : check_self_all)(&c->world, &def);
            REQUIRE(any == (found > 0));
            hits += found;
        } else {
            hits += (which == 0 ? check_collide_all : check_self_all)(&c->world, &def);
        }
    }
    return hits;
}

static void test_answers_are_those_of_brute_force(void** state) {
    (void)state;
    test_random random = random_seed(71);
    size_t hits = 0;
    for (uint32_t round = 0; round < effort(6, 25, 500); ++round) {
        const bool exact = random_chance(&random, 0.5);
        company c = company_make(&random, NULL, round % 3 == 0 ? 0.3 : 0.03, exact);
        for (uint32_t s = 0; s < 30; ++s) {
            where("seed 71, round %u, step %u", round, s);
            step(&random, &c);
            if (random_chance(&random, 0.3)) {
                disturb(&random, &c);
            }
            hits += check(&random, &c);
        }
        company_free(&c);
    }
    assert_true(hits > 100);
}

// ---- work

static void query_both(company* c, abut_counters* counters) {
    abut_collide_def def = abut_collide_def_default();
    def.front = c->front[0];
    def.head.counters = counters;
    REQUIRE_OK(abut_collide(c->world.scene, c->member[0].id, c->member[1].id, &def, c->world.result,
                            NULL));
}

// Between two keyframes the work above the blocks depends on the pairs that meet and separate, not
// on the number of steps. Many steps have no such work.
static void test_steps_without_events_visit_no_node(void** state) {
    (void)state;
    test_random random = random_seed(72);
    company c = company_make(&random, NULL, 0.02, false);
    const double* first = &c.member[0].keys[0].time;
    const double length = c.member[0].keys[1].time - *first;
    uint64_t tested[2] = {0, 0};
    uint32_t quiet = 0;
    for (int fine = 0; fine < 2; ++fine) {
        const uint32_t steps = fine == 0 ? 20 : 2000;
        abut_front_clear(c.front[0]);
        for (uint32_t s = 0; s < steps; ++s) {
            abut_counters work = {0};
            where("seed 72, step %u of %u", s, steps);
            set_time(&c, 0, *first + length * s / steps);
            set_time(&c, 1, *first + length * s / steps);
            query_both(&c, &work);
            tested[fine] += work.boxes_tested;
            quiet += work.boxes_tested == 0 && work.boxes_computed == 0;
        }
    }
    where("seed 72, %u quiet steps, %llu and %llu boxes tested", quiet,
          (unsigned long long)tested[0], (unsigned long long)tested[1]);
    REQUIRE(quiet > 1000);
    REQUIRE(tested[1] < 4 * tested[0]);
    company_free(&c);
}

// new plans for a few vertices cost as much as the nodes above their blocks
static void test_plans_for_some_cost_what_they_change(void** state) {
    (void)state;
    where("plans for some");
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(24, 24, 2);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        s.xyz[3 * (size_t)v + 2] = 0.03 * sin(5.0 * v);
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.block_triangles = 4;
    const abut_body_id a = world_add(&w, &s, &def, NULL);
    surface_shift(&s, 0.01, 0.01, 0.01);
    abut_body_def still = abut_body_def_default();
    still.is_static = true;
    const abut_body_id b = world_add(&w, &s, NULL, &still);
    abut_front* front = NULL;
    REQUIRE_OK(abut_front_create(w.context, &front, NULL));
    const double uvw[3] = {0, 0, 0.02};
    double* zero = test_alloc(3 * (size_t)s.vertex_count, sizeof *zero);
    memset(zero, 0, 3 * (size_t)s.vertex_count * sizeof *zero);
    const abut_plans_def all = {.velocities = abut_positions_f64(zero, s.vertex_count)};
    REQUIRE_OK(plans_set(w.scene, a, &all, NULL));
    abut_counters whole = {0};
    uint64_t most = 0;
    for (uint32_t i = 0; i < 40; ++i) {
        abut_counters work = {0};
        abut_collide_def query = abut_collide_def_default();
        query.front = front;
        query.head.counters = &work;
        const double time = 0.01 * (1 + i);
        const uint32_t vertex = 25 * (i % 25) + i % 25;
        const abut_plans_def some = {.time = time,
                                     .vertices = &vertex,
                                     .vertex_count = 1,
                                     .velocities = abut_positions_f64(uvw, 1)};
        REQUIRE_OK(abut_body_set_time(w.scene, a, time, NULL));
        REQUIRE_OK(plans_set(w.scene, a, &some, NULL));
        (void)check_between(&w, a, b, &query);
        if (i == 0) {
            whole = work;
        } else if (i % 16 > 2) {  // no new span
            most = work.boxes_tested > most ? work.boxes_tested : most;
        }
    }
    where("%llu boxes tested at first, then at most %llu", (unsigned long long)whole.boxes_tested,
          (unsigned long long)most);
    REQUIRE(most > 0 && most < whole.boxes_tested / 2);
    abut_front_destroy(front);
    free(zero);
    surface_free(&s);
    world_free(&w);
}

static void test_steps_without_growth_allocate_nothing(void** state) {
    (void)state;
    test_random random = random_seed(73);
    test_memory memory;
    abut_context_def context = memory_context_def(&memory);
    company c = company_make(&random, &context, 0.05, false);
    const double first = c.member[0].keys[0].time;
    const double last = c.member[0].keys[KEYS - 1].time;
    size_t before = 0;
    for (uint32_t s = 0; s < 300; ++s) {
        abut_counters work = {0};
        where("seed 73, step %u", s);
        before = s == 100 ? memory.calls : before;  // all states have occurred once
        set_time(&c, 0, first + (last - first) * (s % 100) / 100);
        set_time(&c, 1, first + (last - first) * (s % 100) / 100);
        query_both(&c, &work);
    }
    REQUIRE(memory.calls == before);
    company_free(&c);
    memory_require_clean(&memory);
}

// If any allocation fails, a query reports it or answers as always, and nothing leaks.
static void test_failing_memory(void** state) {
    (void)state;
    for (uint32_t fail = 1; fail < effort(60, 200, 1000); ++fail) {
        test_random random = random_seed(74);
        test_memory memory;
        abut_context_def context = memory_context_def(&memory);
        company c = company_make(&random, &context, 0.1, false);
        memory_fail(&memory, fail, false);
        for (uint32_t s = 0; s < 8; ++s) {
            where("seed 74, allocation %u fails, step %u", fail, s);
            const double time = c.member[0].keys[0].time + 0.2 * s;
            for (uint32_t b = 0; b < 2; ++b) {
                const abut_status set = abut_body_set_time(c.world.scene, c.member[b].id, time,
                                                           NULL);
                REQUIRE(set == ABUT_OK || set == ABUT_ERR_NO_MEMORY);
            }
            abut_collide_def def = abut_collide_def_default();
            def.front = c.front[0];
            const abut_status status = abut_collide_all(c.world.scene, &def, c.world.result, NULL);
            REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
            if (status == ABUT_OK) {
                pair_list wanted = oracle_collide_all(c.world.scene, NULL);
                require_pairs(c.world.result, &wanted, "with failing memory");
                pairs_free(&wanted);
            }
        }
        memory_fail(&memory, 0, false);
        company_free(&c);
        memory_require_clean(&memory);
    }
}

// the same pairs and counters for any number of threads
static void test_threads_change_nothing(void** state) {
    (void)state;
    reference pairs = {0};
    reference work = {0};
    everywhere at = everywhere_each((const uint32_t[]){1, 4, 0}, 5);
    while (everywhere_next(&at) && at.same_set) {
        test_random random = random_seed(75);
        abut_counters counters[20] = {0};
        uint64_t hash[20];
        company c = company_make(&random, &at.def, 0.1, true);
        for (uint32_t s = 0; s < 20; ++s) {
            where("seed 75, %s, step %u", at.text, s);
            step(&random, &c);
            abut_collide_def def = abut_collide_def_default();
            def.front = c.front[0];
            def.head.counters = &counters[s];
            REQUIRE_OK(abut_collide_all(c.world.scene, &def, c.world.result, NULL));
            hash[s] = result_hash(c.world.result);
        }
        company_free(&c);
        REQUIRE(reference_same(&pairs, hash, sizeof hash));
        REQUIRE(reference_same(&work, counters, sizeof counters));
    }
    reference_free(&pairs);
    reference_free(&work);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers_are_those_of_brute_force),
        cmocka_unit_test(test_steps_without_events_visit_no_node),
        cmocka_unit_test(test_plans_for_some_cost_what_they_change),
        cmocka_unit_test(test_steps_without_growth_allocate_nothing),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
