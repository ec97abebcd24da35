// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kinetic separation lists of bodies whose plans change, and the kernel that says when a list changes.

#include "test_kinetic_list_support.h"
#include "support/motion_def.h"

// ---- plans: boxes of the body as it is now, which the list has not seen

static void check_against(const pair_of* p, const abut__list_side* moving, const actor* still) {
    const abut__list* list = p->list;
    entries wanted = {0};
    traversal t = {.shift = list->shift, .part = list->part, .out = &wanted};
    REQUIRE(list->from == moving->segment.from && list->to == moving->segment.to);
    t.view[0].tree = &moving->body->shape->tree;
    copy_boxes(&t.view[0], 0, moving->segment.boxes[0]);
    copy_boxes(&t.view[0], 1, moving->segment.boxes[1]);
    t.view[1] = view_make(p->w, still, 0, 0, 0);
    traverse(&t, 0, 0);
    require_entries(list, &wanted);
    free(wanted.list);
    view_free(&t.view[0]);
    view_free(&t.view[1]);
}

static void give_plans(test_random* random, world* w, const actor* a, double time, bool all) {
    uint32_t* vertices = test_alloc(a->s.vertex_count, sizeof *vertices);
    double* uvw = test_alloc(3 * (size_t)a->s.vertex_count, sizeof *uvw);
    uint32_t count = 0;
    const double part = random_chance(random, 0.7) ? 0.03 : 0.6;
    for (uint32_t v = 0; v < a->s.vertex_count; ++v) {
        if (all || random_chance(random, part)) {
            for (size_t d = 0; d < 3; ++d) {
                uvw[3 * (size_t)count + d] = coarse(random_double(random, -0.5, 0.5));
            }
            vertices[count++] = v;
        }
    }
    const abut_plans_def plans = {.time = time,
                                  .vertices = all ? NULL : vertices,
                                  .vertex_count = all ? 0 : count,
                                  .velocities = abut_positions_f64(uvw, count)};
    if (count > 0) {
        REQUIRE_OK(plans_set(w->scene, a->id, &plans, NULL));
    }
    free(vertices);
    free(uvw);
}

static void test_lists_follow_plans(void** state) {
    (void)state;
    test_random random = random_seed(64);
    uint64_t repaired = 0;
    uint64_t changed = 0;
    for (uint32_t round = 0; round < effort(20, 100, 2000); ++round) {
        world w = random_world(&random);
        double times[KEYS_MOST] = {0};
        actor a = add_actor(&w, &random, PLAN_ANY, 0, times, 1);
        actor b = add_actor(&w, &random, PLAN_ANY, 0, times, 1);
        motion_def def = motion_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.block_triangles = 1 + random_below(&random, 12);
        def.bound = random_chance(&random, 0.5) ? ABUT_FLIGHT_BOUND_KINETIC
                                                : ABUT_FLIGHT_BOUND_AUTO;
        a.id = world_add(&w, &a.s, &def, NULL);
        a.key_count = 0;
        pair_of p = {&w, &a, &b, abut__list_make(w.context, (abut__list_form)(round % 2))};
        abut_counters work = {0};
        double time = 0;
        give_plans(&random, &w, &a, 0, true);
        for (uint32_t s = 0; s < 80; ++s) {
            where("seed 64, round %u, step %u", round, s);
            const double kind = random_unit(&random);
            time += kind < 0.05 ? random_double(&random, -3, 3) : kind < 0.1 ? -0.02 : 0.02;
            if (kind < 0.9) {
                REQUIRE_OK(abut_body_set_time(w.scene, a.id, time, NULL));
            }
            while (random_chance(&random, 0.3)) {
                give_plans(&random, &w, &a, time, random_chance(&random, 0.1));
            }
            const abut__job job = job_of(&p, 0);
            const bool rests[2] = {false, false};
            abut__list_side sides[2];
            REQUIRE(abut__list_fits(&job, rests, sides));
            REQUIRE(abut__list_go(p.list, &job, 0, sides, &work));
            check_against(&p, &sides[0], &b);
        }
        repaired += p.list->counts.repaired;
        changed += p.list->counts.changed;
        abut__list_free(p.list);
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
    }
    where("%llu lists repaired, %llu pairs of nodes for changes of kinetic trees",
          (unsigned long long)repaired, (unsigned long long)changed);
    REQUIRE(repaired > effort(10, 100, 2000) && changed > effort(10, 100, 2000));
}

// ---- the kernel

static float random_side(test_random* random) {
    return (float)(random_chance(random, 0.5) ? random_dyadic(random, 1, 0.125)
                                              : random_double(random, -1, 1));
}

static void random_boxes(test_random* random, abut__boxes8* boxes) {
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < ABUT__FAN; ++k) {
            const float x = random_side(random);
            boxes->lo[d][k] = x;
            boxes->hi[d][k] = x + (random_chance(random, 0.3) ? 0 : fabsf(random_side(random)));
        }
    }
}

// Nothing changes before the time that the kernel returns, not even a moment before; all sets give
// the same time.
static void test_nothing_changes_before_it_is_due(void** state) {
    (void)state;
    test_random random = random_seed(65);
    uint32_t soon = 0;
    uint32_t changes = 0;
    for (uint32_t round = 0; round < effort(3000, 30000, 1000000); ++round) {
        abut__boxes8 boxes[4];
        const abut__boxes8* ends[2][2] = {{&boxes[0], &boxes[1]}, {&boxes[2], &boxes[3]}};
        for (int i = 0; i < 4; ++i) {
            random_boxes(&random, &boxes[i]);
        }
        const float pad = 1e-5f * (float)random_below(&random, 2);
        const abut__shift shift = {{-pad, -pad, -pad}, {pad, pad, pad}};
        const uint64_t valid = random_chance(&random, 0.3)
                                   ? UINT64_C(0x0101010101010101) << random_below(&random, 8)
                                   : random_bits(&random);
        float part = (float)random_unit(&random) * (float)random_below(&random, 2);
        for (uint32_t jump = 0; jump < 12 && part <= 1; ++jump) {
            float due[3];
            uint64_t lanes[3] = {0, 0, 0};
            where("seed 65, round %u, part %.9g", round, (double)part);
            FOR_EACH_KERNELS(i, kernels) {
                lanes[i] = kernels->list_pairs(ends[0], ends[1], &shift, valid, part, &due[i]);
                REQUIRE(lanes[i] == lanes[0] && due[i] == due[0]);
            }
            abut_isa isa = ABUT_ISA_BEST;
            const abut__kernels* best = abut__kernels_choose(&isa);
            const float last = due[0] < 1 ? nextafterf(due[0], -1) : 1;
            for (uint32_t k = 0; k < 4 && last > part; ++k) {
                const float x = k == 0 ? last : part + (last - part) * (float)random_unit(&random);
                float later;
                REQUIRE(best->list_pairs(ends[0], ends[1], &shift, valid, x, &later) == lanes[0]);
            }
            if (due[0] > part && due[0] < 0.99f) {  // soon afterwards it does change
                float later;
                changes += best->list_pairs(ends[0], ends[1], &shift, valid, due[0] + 0x1p-20f,
                                            &later) != lanes[0];
                ++soon;
            }
            part = due[0] > part ? due[0] : nextafterf(part, 2);
        }
    }
    assert_true(soon > 1000 && changes > soon - soon / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_follow_plans),
        cmocka_unit_test(test_nothing_changes_before_it_is_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
