// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Budgets and fronts. A query in pieces finds every pair once. A front that is used from step to
// step changes no answer and stays as small as a new one. No change of bodies between two calls
// invalidates it.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/crowd.h"
#include "support/scenery.h"
#include "query/front_size.h"

// queries until done; returns the pairs of all calls together, sorted
static pair_list query_in_pieces(const crowd* c, query_kind kind, abut_collide_def def,
                                 size_t* calls) {
    pair_list all = {0};
    abut_status status = ABUT_INCOMPLETE;
    def.front = c->front;
    *calls = 0;
    while (status == ABUT_INCOMPLETE) {
        status = run_query(c->world.scene, kind, c->body[0], c->body[1], &def, c->world.result);
        REQUIRE(status == ABUT_OK || status == ABUT_INCOMPLETE);
        REQUIRE((abut_front_pending(c->front) > 0) == (status == ABUT_INCOMPLETE));
        REQUIRE(abut_front_pending(c->front) <= abut__front_size(c->front));
        pairs_append(&all, c->world.result);
        REQUIRE(++*calls < 100000);
    }
    pairs_sort(&all);
    return all;
}

static size_t fresh_size(const crowd* c, query_kind kind, double margin) {
    abut_front* fresh = NULL;
    REQUIRE_OK(abut_front_create(c->world.context, &fresh, NULL));
    abut_collide_def def = abut_collide_def_default();
    def.front = fresh;
    def.margin = margin;
    REQUIRE_OK(run_query(c->world.scene, kind, c->body[0], c->body[1], &def, c->world.result));
    const size_t size = abut__front_size(fresh);
    abut_front_destroy(fresh);
    return size;
}

static void check_budgets(crowd* c, query_kind kind, double margin) {
    const oracle o = {.margin = margin};
    pair_list wanted = oracle_query(c->world.scene, kind, c->body[0], c->body[1], &o);
    const size_t size = fresh_size(c, kind, margin);
    for (uint64_t budget = 1; budget < 100000; budget += 1 + budget / 2) {
        size_t calls = 0;
        abut_collide_def def = abut_collide_def_default();
        def.margin = margin;
        def.budget = budget;
        abut_front_clear(c->front);
        pair_list got = query_in_pieces(c, kind, def, &calls);
        require_same_pairs(&got, &wanted, "in pieces");
        REQUIRE(abut__front_size(c->front) == size);
        pairs_free(&got);
    }
    pairs_free(&wanted);
}

static void test_budgets(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 60); ++seed) {
        crowd c = crowd_make(seed, 8);
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            check_budgets(&c, (query_kind)kind, seed % 3 == 0 ? 0.125 : 0);
        }
        crowd_free(&c);
    }
}

// a budget larger than any query needs has no effect, for the smallest query and for larger ones
static void test_largest_budgets(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface one = surface_sheet(1, 1, 1);
    surface many = surface_sheet(20, 20, 1);
    const abut_body_id body[4] = {world_add(&w, &one, NULL, NULL), world_add(&w, &one, NULL, NULL),
                                  world_add(&w, &many, NULL, NULL),
                                  world_add(&w, &many, NULL, NULL)};
    static const uint64_t budgets[] = {UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63,
                                       UINT64_C(1) << 32};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; ++i) {
        for (int k = 0; k < 4; k += 2) {
            where("budget %llu, bodies %d", (unsigned long long)budgets[i], k);
            abut_collide_def def = abut_collide_def_default();
            REQUIRE_OK(abut_front_create(w.context, &def.front, NULL));
            def.budget = budgets[i];
            (void)check_between(&w, body[k], body[k + 1], &def);
            abut_front_destroy(def.front);
        }
    }
    surface_free(&one);
    surface_free(&many);
    world_free(&w);
}

// with a small budget the work of one call is small too
static void test_budget_bounds_the_work(void** state) {
    (void)state;
    where("budget");
    crowd c = crowd_make(3, 40);
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        abut_counters whole = {0};
        abut_counters part = {0};
        abut_collide_def def = abut_collide_def_default();
        def.head.counters = &whole;
        REQUIRE_OK(
            run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[1], &def, c.world.result));
        abut_front_clear(c.front);
        def.head.counters = &part;
        def.front = c.front;
        def.budget = 100;
        REQUIRE_STATUS(run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[1], &def,
                                 c.world.result),
                       ABUT_INCOMPLETE);
        where("kind %d: %llu of %llu box tests", kind, (unsigned long long)part.boxes_tested,
              (unsigned long long)whole.boxes_tested);
        REQUIRE(part.boxes_tested < whole.boxes_tested / 2);
    }
    crowd_free(&c);
}

// `any` answers no only when no candidate is left
static void test_any_with_a_budget(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        crowd c = crowd_make(seed, 8);
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            abut_collide_def def = abut_collide_def_default();
            def.any = true;
            def.budget = 1;
            def.front = c.front;
            abut_front_clear(c.front);
            abut_status status = ABUT_INCOMPLETE;
            bool touching = false;
            for (int calls = 0; status == ABUT_INCOMPLETE && !touching && calls < 10000; ++calls) {
                status = run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[1], &def,
                                   c.world.result);
                touching = abut_collide_result_found(c.world.result);
            }
            REQUIRE(touching);  // every crowd has such pairs
        }
        crowd_free(&c);
    }
}

// ---- from step to step

static void move_crowd(crowd* c, test_random* random, int step) {
    for (int i = 0; i < CROWD_BODIES; ++i) {
        switch (random_below(random, 4)) {
            case 0: break;
            case 1: {
                surface moved = surface_copy(&c->surface[i]);
                surface_shake(&moved, random, 0.5, 0.125);
                world_move(&c->world, c->body[i], moved.xyz);
                surface_free(&moved);
                break;
            }
            case 2: {
                // now and then far away, so that fronts must rise to their roots
                world_frame(&c->world, c->body[i], frame_random(random, step % 7 == 6 ? 60 : 2));
                break;
            }
            default: {
                abut_frame frame = abut_body_frame(c->world.scene, c->body[i]);
                frame.t[random_below(random, 3)] += random_double(random, -1, 1);
                world_frame(&c->world, c->body[i], frame);
                break;
            }
        }
    }
}

static void check_step(crowd* c, query_kind kind, double margin, uint64_t budget) {
    const oracle o = {.margin = margin};
    abut_collide_def def = abut_collide_def_default();
    def.margin = margin;
    def.budget = budget;
    pair_list wanted = oracle_query(c->world.scene, kind, c->body[0], c->body[1], &o);
    size_t calls = 0;
    pair_list got = query_in_pieces(c, kind, def, &calls);
    require_same_pairs(&got, &wanted, "with a front");
    pairs_free(&got);
    pairs_free(&wanted);
}

static void test_front_over_steps(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 80); ++seed) {
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            test_random random = random_seed(seed);
            crowd c = crowd_make(seed, 7);
            for (int step = 0; step < 24; ++step) {
                where("seed %llu, kind %d, step %d", (unsigned long long)seed, kind, step);
                move_crowd(&c, &random, step);
                const double margin = random_below(&random, 3) == 0 ? 0.25 : 0;
                check_step(&c, (query_kind)kind, margin, seed % 2 == 0 ? 50 : 0);
                // two more queries of the same state, without remains of older ones
                check_step(&c, (query_kind)kind, margin, 0);
                check_step(&c, (query_kind)kind, margin, 0);
                REQUIRE(abut__front_size(c.front) == fresh_size(&c, (query_kind)kind, margin));
            }
            crowd_free(&c);
        }
    }
}

// The budget never suffices for a whole step. All pairs found must still be true, and found once.
static void test_steps_that_are_never_finished(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 4, 40); ++seed) {
        test_random random = random_seed(seed);
        crowd c = crowd_make(seed, 10);
        for (int step = 0; step < 20; ++step) {
            where("seed %llu, step %d", (unsigned long long)seed, step);
            move_crowd(&c, &random, 0);
            pair_list wanted = oracle_collide_all(c.world.scene, NULL);
            abut_collide_def def = abut_collide_def_default();
            def.front = c.front;
            def.budget = 40;
            pair_list got = {0};
            for (int call = 0; call < 2; ++call) {
                const abut_status status = abut_collide_all(c.world.scene, &def, c.world.result,
                                                            NULL);
                REQUIRE(status == ABUT_OK || status == ABUT_INCOMPLETE);
                pairs_append(&got, c.world.result);
                if (status == ABUT_OK) {
                    break;
                }
            }
            pairs_sort(&got);
            size_t at = 0;
            for (size_t i = 0; i < got.count; ++i) {
                while (at < wanted.count && pairs_compare(&wanted.pairs[at], &got.pairs[i]) < 0) {
                    ++at;
                }
                REQUIRE(at < wanted.count &&
                        pairs_compare(&wanted.pairs[at++], &got.pairs[i]) == 0);
            }
            pairs_free(&got);
            pairs_free(&wanted);
        }
        world_move(&c.world, c.body[0],
                   c.surface[0].xyz);  // otherwise the last step would continue
        check_step(&c, QUERY_COLLIDE_ALL, 0, 0);
        crowd_free(&c);
    }
}

// a scene whose bodies meet and separate: the front must not grow larger than a new one
static void test_front_over_a_scene(void** state) {
    (void)state;
    static const char* const names[] = {"curtain", "blobs", "coil", "tablecloth"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
        scene* source = scene_create(names[n], effort(400, 1500, 6000), 24, 5);
        assert_non_null(source);
        crowd c = {.world = world_make(NULL, NULL)};
        const uint32_t count = scene_body_count(source);
        assert_true(count <= CROWD_BODIES);
        REQUIRE_OK(abut_front_create(c.world.context, &c.front, NULL));
        for (uint32_t b = 0; b < count; ++b) {
            c.surface[b] = scenery_surface(source, b, 0);
            c.body[b] = world_add(&c.world, &c.surface[b], NULL, NULL);
        }
        const query_kind kind = count == 1 ? QUERY_SELF : QUERY_COLLIDE_ALL;
        // forwards and backwards, so that fronts must also shrink
        for (uint32_t step = 0; step < 48; ++step) {
            const uint32_t frame = step < 24 ? step : 47 - step;
            where("scene %s, frame %u", names[n], frame);
            for (uint32_t b = 0; b < count; ++b) {
                scene_positions(source, b, frame, c.surface[b].xyz);
                world_move(&c.world, c.body[b], c.surface[b].xyz);
            }
            check_step(&c, kind, 0, 0);
            const size_t fresh = fresh_size(&c, kind, 0);
            where("scene %s, frame %u: front %zu, fresh %zu", names[n], frame,
                  abut__front_size(c.front), fresh);
            REQUIRE(abut__front_size(c.front) <= 4 * fresh + 64);
        }
        crowd_free(&c);
        scene_destroy(source);
    }
}

// ---- changes of bodies between two calls

static void test_front_after_another_shape(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 80); ++seed) {
        test_random random = random_seed(seed);
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            crowd c = crowd_make(seed, 8);
            check_step(&c, (query_kind)kind, 0, 0);
            if (seed % 2 == 0) {  // pending entries of the old shape too
                abut_collide_def def = abut_collide_def_default();
                def.front = c.front;
                def.budget = 1;
                abut_front_clear(c.front);
                (void)run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[1], &def,
                                c.world.result);
            }
            const uint32_t gone[3] = {0, 5, random_below(&random, c.surface[0].triangle_count)};
            motion_edit_def edit = motion_edit_def_default();
            edit.removed_triangles = gone;
            edit.removed_triangle_count = gone[2] == 0 || gone[2] == 5 ? 2 : 3;
            edit.rebuild = seed % 3 == 0;
            abut_shape* edited = NULL;
            REQUIRE_OK(
                motion_edit(abut_body_shape(c.world.scene, c.body[0]), &edit, &edited, NULL, NULL));
            const abut_positions keep = {0};
            REQUIRE_OK(abut_body_set_shape(c.world.scene, c.body[0], edited, keep, NULL));
            abut_shape_destroy(edited);
            world_validate(&c.world, c.body[0]);
            check_step(&c, (query_kind)kind, 0, 0);
            check_step(&c, (query_kind)kind, 0, 0);
            crowd_free(&c);
        }
    }
}

static void test_front_after_another_body(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 80); ++seed) {
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            for (uint64_t budget = 0; budget < 2; ++budget) {
                where("seed %llu, kind %d, budget %d", (unsigned long long)seed, kind, (int)budget);
                crowd c = crowd_make(seed, 8);
                abut_collide_def def = abut_collide_def_default();
                def.front = c.front;
                def.budget = budget;
                (void)run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[1], &def,
                                c.world.result);
                // the same shape at the same index, but another body at another place
                abut_shape* shape = (abut_shape*)abut_body_shape(c.world.scene, c.body[0]);
                abut_body_def body_def = abut_body_def_default();
                body_def.frame.t[2] = 0.25;
                abut_body_id extra;
                REQUIRE_OK(abut_body_create(c.world.scene, shape, NULL, &extra, NULL));
                const uint32_t index = c.body[0].index;
                REQUIRE_OK(abut_body_destroy(c.world.scene, c.body[0], NULL));
                REQUIRE_OK(abut_body_create(c.world.scene, shape, &body_def, &c.body[0], NULL));
                REQUIRE(c.body[0].index == index);
                check_step(&c, (query_kind)kind, 0, 0);
                REQUIRE_OK(abut_body_destroy(c.world.scene, extra, NULL));
                check_step(&c, (query_kind)kind, 0, 0);
                crowd_free(&c);
            }
        }
    }
}

static bool odd_only(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                     uint32_t triangle_b) {
    (void)user;
    (void)body_a;
    (void)body_b;
    return (triangle_a + triangle_b) % 2 == 1;
}

// a query with other settings about the same state ignores the pending work of an earlier one
static void test_another_query_while_pending(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 8, 80); ++seed) {
        crowd c = crowd_make(seed, 9);
        for (uint64_t budget = 1; budget < 2000; budget = 2 * budget + 1) {
            where("seed %llu, budget %llu", (unsigned long long)seed, (unsigned long long)budget);
            abut_collide_def def = abut_collide_def_default();
            def.front = c.front;
            def.budget = budget;
            abut_front_clear(c.front);
            (void)abut_collide_self_all(c.world.scene, &def, c.world.result, NULL);
            def.budget = 0;
            def.include_neighbours = true;
            (void)check_self_all(&c.world, &def);
            abut_front_clear(c.front);
            def.include_neighbours = false;
            def.budget = budget;
            def.filter.fn = odd_only;
            (void)abut_collide_all(c.world.scene, &def, c.world.result, NULL);
            def.budget = 0;
            def.filter.fn = NULL;
            (void)check_collide_all(&c.world, &def);
        }
        crowd_free(&c);
    }
}

// Pairs found before a change are outdated: the next call starts again.
static void test_changes_while_pending(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 10, 100); ++seed) {
        for (int change = 0; change < 5; ++change) {
            where("seed %llu, change %d", (unsigned long long)seed, change);
            test_random random = random_seed(seed);
            crowd c = crowd_make(seed, 8);
            abut_collide_def def = abut_collide_def_default();
            def.front = c.front;
            def.budget = 1;
            REQUIRE_STATUS(abut_collide_all(c.world.scene, &def, c.world.result, NULL),
                           ABUT_INCOMPLETE);
            double margin = 0;
            abut_frame frame = abut_frame_identity();
            frame.t[0] = 0.5;
            switch (change) {
                case 0: world_frame(&c.world, c.body[1], frame); break;
                case 1: world_frame(&c.world, c.body[1], frame_random(&random, 1)); break;
                case 2: world_move(&c.world, c.body[2], c.surface[2].xyz); break;
                case 3: margin = 0.5; break;
                default: REQUIRE_OK(abut_body_destroy(c.world.scene, c.body[3], NULL)); break;
            }
            check_step(&c, QUERY_COLLIDE_ALL, margin, 0);
            crowd_free(&c);
        }
    }
}

// a front with pending work of one scene has no effect in another
static void test_front_in_another_scene(void** state) {
    (void)state;
    where("two scenes");
    crowd c = crowd_make(1, 16);
    world* w = &c.world;
    abut_scene* scenes[2] = {NULL, NULL};
    for (int s = 0; s < 2; ++s) {
        REQUIRE_OK(abut_scene_create(w->context, NULL, &scenes[s], NULL));
        for (int b = 0; b < 2; ++b) {
            abut_body_id body;
            REQUIRE_OK(abut_body_create(scenes[s], abut_body_shape(w->scene, c.body[b]), NULL,
                                        &body, NULL));
        }
    }
    abut_collide_def def = abut_collide_def_default();
    def.front = c.front;
    def.budget = 1;
    abut_status status = abut_collide_all(scenes[0], &def, w->result, NULL);
    for (; status == ABUT_INCOMPLETE && !abut_collide_result_found(w->result); def.budget *= 2) {
        abut_front_clear(c.front);
        status = abut_collide_all(scenes[0], &def, w->result, NULL);
    }
    REQUIRE(status == ABUT_INCOMPLETE);  // after some of the pairs
    def.budget = 0;
    pair_list wanted = oracle_collide_all(scenes[1], NULL);
    REQUIRE_OK(abut_collide_all(scenes[1], &def, w->result, NULL));
    require_pairs(w->result, &wanted, "in the other scene");
    pairs_free(&wanted);
    abut_scene_destroy(scenes[0]);
    abut_scene_destroy(scenes[1]);
    crowd_free(&c);
}

// one front for all queries in turn
static void test_front_of_other_queries(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        test_random random = random_seed(seed);
        crowd c = crowd_make(seed, 7);
        for (int step = 0; step < 30; ++step) {
            where("seed %llu, step %d", (unsigned long long)seed, step);
            const query_kind kind = (query_kind)random_below(&random, QUERY_KINDS);
            if (random_chance(&random, 0.5)) {
                move_crowd(&c, &random, 0);
            }
            if (random_chance(&random, 0.3)) {  // the bodies swapped
                const abut_body_id swapped = c.body[0];
                c.body[0] = c.body[1];
                c.body[1] = swapped;
                const surface other = c.surface[0];
                c.surface[0] = c.surface[1];
                c.surface[1] = other;
            }
            // pending work of a query of another kind is dropped
            if (random_chance(&random, 0.3)) {
                abut_collide_def def = abut_collide_def_default();
                def.front = c.front;
                def.budget = 1;
                const query_kind other = (query_kind)((kind + 1) % QUERY_KINDS);
                (void)run_query(c.world.scene, other, c.body[0], c.body[1], &def, c.world.result);
            }
            // Two bodies with the same indices are the same job for collide and in a scene of two.
            // So pending work there must be dropped.
            if (abut_front_pending(c.front) > 0 && scene_info(c.world.scene).bodies == 2) {
                abut_front_clear(c.front);
            }
            check_step(&c, kind, 0, step % 2 == 0 ? 30 : 0);
        }
        crowd_free(&c);
    }
}

// a budget that suffices for the whole query ends it in one call, for any order of tasks
static void test_sufficient_budget(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 80); ++seed) {
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            crowd c = crowd_make(seed, 8);
            abut_counters whole = {0};
            abut_collide_def def = abut_collide_def_default();
            def.head.counters = &whole;
            REQUIRE_OK(run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[1], &def,
                                 c.world.result));
            size_t wanted = 0;
            (void)abut_collide_result_pairs(c.world.result, &wanted);
            def.head.counters = NULL;
            def.front = c.front;
            // work on leaves counts a little too: one for each pair of blocks
            def.budget = 4 * whole.boxes_tested + 1000;
            REQUIRE_OK(run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[1], &def,
                                 c.world.result));
            size_t count = 0;
            const abut_pair* pairs = abut_collide_result_pairs(c.world.result, &count);
            REQUIRE(count == wanted);
            for (size_t i = 1; i < count; ++i) {
                REQUIRE(pairs[i - 1].body_a < pairs[i].body_a ||
                        (pairs[i - 1].body_a == pairs[i].body_a &&
                         pairs[i - 1].body_b <= pairs[i].body_b));
            }
            crowd_free(&c);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sufficient_budget),
        cmocka_unit_test(test_budgets),
        cmocka_unit_test(test_largest_budgets),
        cmocka_unit_test(test_budget_bounds_the_work),
        cmocka_unit_test(test_any_with_a_budget),
        cmocka_unit_test(test_front_over_steps),
        cmocka_unit_test(test_steps_that_are_never_finished),
        cmocka_unit_test(test_front_over_a_scene),
        cmocka_unit_test(test_front_after_another_shape),
        cmocka_unit_test(test_front_after_another_body),
        cmocka_unit_test(test_another_query_while_pending),
        cmocka_unit_test(test_changes_while_pending),
        cmocka_unit_test(test_front_in_another_scene),
        cmocka_unit_test(test_front_of_other_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
