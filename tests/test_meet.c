// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Nodes that queries compare by true spheres. Every sphere contains the turned vertices below it,
// all queries find what all pairs give, for all kinds of bounds on both sides, and fewer tests are
// needed than with cubes around the spheres.

#include "test_modal_support.h"

#include "support/everywhere.h"
#include "support/inside.h"
#include "support/near.h"
#include "support/swept_pairs.h"

enum { KINDS = 5 };
static const int kinds[KINDS] = {ABUT_MODAL_BOUND_AUTO, ABUT_MODAL_BOUND_BOXES,
                                 ABUT_MODAL_BOUND_SPHERES, ABUT_MODAL_BOUND_SPHERES_MEAN,
                                 ABUT_MODAL_BOUND_BOTH};

// ---- containment

typedef struct ball_check {
    const world* w;
    abut_body_id id;
    const abut__body* body;
    abut__ball4 ball;
    size_t vertices;
} ball_check;

// in long double, with the frame as it is
static void require_inside(ball_check* c, uint32_t vertex) {
    double x3[3];
    long double p[3];
    long double sum = 0;
    const float* origin = abut__body_own_origin(c->body, 1);
    REQUIRE_OK(abut_body_vertex(c->w->scene, c->id, vertex, x3, NULL));
    for (int d = 0; d < 3; ++d) {
        p[d] = (long double)x3[d] - (long double)origin[d];
    }
    for (int d = 0; d < 3; ++d) {
        const double* r = c->body->frame.r[d];
        const long double x = (long double)r[0] * p[0] + (long double)r[1] * p[1] +
                              (long double)r[2] * p[2];
        const long double away = x - (long double)c->ball.c[d];
        sum += away * away;
    }
    REQUIRE(sqrtl(sum) <= (long double)c->ball.r);
    ++c->vertices;
}

static void require_all_inside(ball_check* c, abut__ref ref) {
    const abut__tree* tree = &c->body->shape->tree;
    if (abut__is_block(ref)) {
        const abut__block* block = tree->blocks[abut__block_of(ref)];
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            require_inside(c, block->vertex[v]);
        }
        return;
    }
    for (uint32_t k = 0; k < tree->nodes[ref].count; ++k) {
        require_all_inside(c, tree->nodes[ref].child[k]);
    }
}

// every sphere of the body, also that of the root
static size_t check_balls(const world* w, abut_body_id id) {
    ball_check c = {.w = w, .id = id, .body = inside_body(w->scene, id)};
    if ((abut__body_kinds(c.body, 1) & ABUT__SPHERES) == 0) {
        return 0;
    }
    const abut__tree* tree = &c.body->shape->tree;
    c.ball = abut__body_ref_ball(c.body, 0, 1);
    require_all_inside(&c, 0);
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        for (uint32_t k = 0; k < tree->nodes[n].count; ++k) {
            c.ball = abut__body_ref_ball(c.body, tree->nodes[n].child[k], 1);
            require_all_inside(&c, tree->nodes[n].child[k]);
        }
    }
    return c.vertices;
}

static abut_frame bad_frame(test_random* random, double reach) {
    abut_frame frame = frame_random(random, reach);
    for (int k = 0; k < 9 && random_chance(random, 0.5); ++k) {
        frame.r[k / 3][k % 3] *= 1.00049;
    }
    return frame;
}

static void test_spheres_contain_turned_vertices(void** state) {
    (void)state;
    test_random random = random_seed(71);
    size_t vertices = 0;
    for (uint32_t round = 0; round < effort(24, 100, 2000); ++round) {
        where("seed 71, round %u", round);
        world w = world_make(NULL, NULL);
        double size;
        surface s = surface_any_ball(&random, 5, 8, 60, &size);
        const uint32_t count = round % 4 == 0 ? 40 : random_below(&random, 12);
        field_set f = random_fields(&random, &s, count, 60);
        motion_def def = modal_def(&f);
        def.block_triangles = 1 + random_below(&random, 20);
        def.fan_out = 2 + random_below(&random, 7);
        def.bound = kinds[2 + round % 3];
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        abut__modal_of(abut_body_shape(w.scene, body))->compare = ABUT__COMPARE_BOTH;
        double q[40];
        random_coordinates(&random, q, count, ldexp(1, random_between(&random, -60, 60)));
        for (int step = 0; step < 4; ++step) {  // of any size, then small ones
            for (uint32_t j = 0; j < count; ++j) {
                q[j] *= random_double(&random, 0.999, 1.001);
            }
            set_coordinates(&w, body, q, count);
            vertices += check_balls(&w, body);
            world_frame(&w, body, bad_frame(&random, size));
            vertices += check_balls(&w, body);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(vertices > 1000);
}

// A ball of 33 fields, of which the first moves all vertices alike: a sphere that is kept from one
// state to the next must grow by that way. It may also turn in between.
static void test_widened_spheres_contain_vertices(void** state) {
    (void)state;
    test_random random = random_seed(72);
    for (int turns = 0; turns < 2; ++turns) {
        world w = world_make(NULL, NULL);
        surface s = surface_ball(8, 11, 1);
        field_set f = make_fields(&random, &s, 33, 1e-5, ABUT_SCALAR_F64, false);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            const double along[3] = {0.6, 0, 0.8};
            memcpy(field_at(&f, 0, v), along, sizeof along);
        }
        motion_def def = modal_def(&f);
        def.bound = ABUT_MODAL_BOUND_SPHERES;
        def.block_triangles = 6;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        const abut__body* found = inside_body(w.scene, body);
        uint32_t kept = 0;
        double q[33] = {0};
        for (int step = 0; step < 30; ++step) {
            where("seed 72, turns %d, step %d", turns, step);
            q[0] += 1e-3;
            set_coordinates(&w, body, q, 33);
            if (turns == 1) {
                world_frame(&w, body, frame_random(&random, 1));
            }
            const abut__more_bounds* more = abut__once_peek(&found->more);
            abut__kept_balls* balls = more != NULL ? abut__once_peek(&more->kept_balls) : NULL;
            kept += balls != NULL && atomic_load(&balls[0].stamp) == more->state_stamp;
            REQUIRE(check_balls(&w, body) > 0);
        }
        REQUIRE(kept > 20);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- queries

typedef struct pair_of {
    world w;
    surface s[2];
    field_set f[2];
    abut_body_id body[2];
} pair_of;

// A ball and a sheet of any bounds; the second may be free.
static pair_of pair_make(test_random* random, int kind_a, int kind_b, uint32_t fields,
                         const abut_context_def* context) {
    pair_of p = {.w = world_make(context, NULL)};
    p.s[0] = surface_ball(7, 10, 1);
    p.s[1] = surface_sheet(8, 8, 3);
    surface_shift(&p.s[1], -1.5, -1.5, 0);
    for (int i = 0; i < 2; ++i) {
        p.f[i] = make_fields(random, &p.s[i], fields, 0.2, ABUT_SCALAR_F32, i == 1);
        motion_def def = modal_def(&p.f[i]);
        const int kind = i == 0 ? kind_a : kind_b;
        def.block_triangles = 1 + random_below(random, 12);
        def.bound = kind < KINDS ? kinds[kind] : 0;
        p.body[i] = world_add(&p.w, &p.s[i], kind < KINDS ? &def : NULL, NULL);
        if (kind < KINDS) {
            abut__modal_of(abut_body_shape(p.w.scene, p.body[i]))->compare = ABUT__COMPARE_BOTH;
        }
    }
    return p;
}

static void pair_move(pair_of* p, test_random* random, double size, int kind_b) {
    double q[40];
    for (int i = 0; i < 2; ++i) {
        random_coordinates(random, q, p->f[i].count, size);
        if (i == 0 || kind_b < KINDS) {
            set_coordinates(&p->w, p->body[i], q, p->f[i].count);
        }
    }
    if (random_chance(random, 0.7)) {
        world_frame(&p->w, p->body[0], bad_frame(random, 1.2));
    }
    if (random_chance(random, 0.3)) {
        world_frame(&p->w, p->body[1], bad_frame(random, 0.5));
    }
}

static void pair_free(pair_of* p) {
    for (int i = 0; i < 2; ++i) {
        free_fields(&p->f[i]);
        surface_free(&p->s[i]);
    }
    world_free(&p->w);
}

// with and without a margin, and with a front that is kept over all steps
static void test_collide_and_self_equal_all_pairs(void** state) {
    (void)state;
    size_t hits[2] = {0, 0};
    for (uint32_t round = 0; round < effort(30, 60, 1500); ++round) {
        where("seed %u", 100 + round);
        test_random random = random_seed(100 + round);
        const int kind_b = (int)(round / KINDS % (KINDS + 1));
        pair_of p = pair_make(&random, (int)(round % KINDS), kind_b, round % 7 == 0 ? 40 : 5, NULL);
        abut_front* front = NULL;
        REQUIRE_OK(abut_front_create(p.w.context, &front, NULL));
        for (int step = 0; step < 3; ++step) {
            pair_move(&p, &random, 0.5, kind_b);
            abut_collide_def def = abut_collide_def_default();
            hits[0] += check_between(&p.w, p.body[0], p.body[1], &def);
            hits[1] += check_self(&p.w, p.body[0], &def);
            def.margin = random_double(&random, 0, 0.2);
            (void)check_between(&p.w, p.body[1], p.body[0], &def);
            (void)check_self(&p.w, p.body[0], &def);
            def.margin = 0;
            def.front = front;
            (void)check_between(&p.w, p.body[0], p.body[1], &def);
        }
        abut_front_destroy(front);
        pair_free(&p);
    }
    assert_true(hits[0] > 0 && hits[1] > 0);
}

static void test_nearest_equals_all_pairs(void** state) {
    (void)state;
    static const distance_oracle everything = {.within = INFINITY};
    for (uint32_t round = 0; round < effort(30, 60, 600); ++round) {
        where("seed %u", 300 + round);
        test_random random = random_seed(300 + round);
        const int kind_b = (int)(round / KINDS % (KINDS + 1));
        pair_of p = pair_make(&random, (int)(round % KINDS), kind_b, 5, NULL);
        abut_nearest_result* result = NULL;
        REQUIRE_OK(abut_nearest_result_create(p.w.context, &result, NULL));
        pair_move(&p, &random, 0.3, kind_b);
        abut_frame away = frame_random(&random, 1);
        away.t[2] += random_double(&random, 0, 3);
        world_frame(&p.w, p.body[0], away);
        distance_list wanted = distances_between(p.w.scene, p.body[0], p.body[1], &everything);
        REQUIRE_OK(abut_nearest(p.w.scene, p.body[0], p.body[1], NULL, result, NULL));
        require_distances(p.w.scene, result, &wanted, "two bodies");
        free(wanted.pairs);
        wanted = distances_of_triangles(p.w.scene, p.body[1], &everything);
        REQUIRE_OK(abut_nearest_triangles(p.w.scene, p.body[1], NULL, result, NULL));
        require_distances(p.w.scene, result, &wanted, "every triangle");
        free(wanted.pairs);
        abut_nearest_result_destroy(result);
        pair_free(&p);
    }
}

// frames turn and bodies deform during the step
static void test_sweep_equals_all_pairs(void** state) {
    (void)state;
    size_t hits = 0;
    for (uint32_t round = 0; round < effort(24, 60, 600); ++round) {
        where("seed %u", 500 + round);
        test_random random = random_seed(500 + round);
        const int kind_b = (int)(round / KINDS % KINDS);
        pair_of p = pair_make(&random, (int)(round % KINDS), kind_b, 4, NULL);
        snapshot at[2] = {snapshot_make(p.body[0], &p.s[0]), snapshot_make(p.body[1], &p.s[1])};
        abut_frame from[2];
        for (int end = 0; end < 2; ++end) {
            double q[4];
            for (int i = 0; i < 2; ++i) {
                abut_frame frame = i == 0 || round % 3 == 0 ? frame_random(&random, 1)
                                                            : abut_frame_identity();
                random_coordinates(&random, q, 4, 0.3);
                set_coordinates(&p.w, p.body[i], q, 4);
                REQUIRE_OK(abut_body_set_frame_step(p.w.scene, p.body[i],
                                                    end == 0 ? &frame : &from[i], &frame, NULL));
                from[i] = frame;
                snapshot_take(&p.w, &at[i], end, true);
            }
        }
        const abut_sweep_def def = abut_sweep_def_default();
        hits += check_pair(&p.w, &at[0], &at[1], &def);
        snapshot_free(&at[0]);
        snapshot_free(&at[1]);
        pair_free(&p);
    }
    assert_true(hits > 0);
}

static void test_same_for_threads_and_sets(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        reference pairs = {0};
        reference work = {0};
        everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, seed);
        while (everywhere_next(&at)) {
            where("seed %llu, %s", (unsigned long long)seed, at.text);
            test_random random = random_seed(700 + seed);
            const int kind = seed % 2 == 0 ? 2 : 4;
            pair_of p = pair_make(&random, kind, kind, 40, &at.def);
            for (int step = 0; step < 3; ++step) {
                pair_move(&p, &random, 0.2, kind);
                abut_counters counters = {0};
                abut_collide_def def = abut_collide_def_default();
                def.head.counters = &counters;
                REQUIRE_OK(abut_collide_all(p.w.scene, &def, p.w.result, NULL));
                size_t count;
                const abut_pair* found = abut_collide_result_pairs(p.w.result, &count);
                uint64_t hash = pairs_hash(found, count);
                hash_bytes(&hash, &step, sizeof step);
                if (step == 2) {
                    REQUIRE(reference_same(&pairs, &hash, sizeof hash));
                    REQUIRE(!at.same_set ||
                            reference_same(&work, &counters.boxes_tested, sizeof(uint64_t)));
                }
            }
            pair_free(&p);
        }
        reference_free(&pairs);
        reference_free(&work);
    }
}

// ---- work

// the work to find that a small ball, which circles around a wavy sheet, is near it or not
static abut_counters count_work(int bound, bool cubes) {
    test_random random = random_seed(73);
    world w = world_make(NULL, NULL);
    surface sheet = surface_sheet(60, 60, 3);
    surface ball = surface_ball(12, 16, 0.15);
    field_set f = make_fields(&random, &sheet, 6, 0.3, ABUT_SCALAR_F32, false);
    motion_def def = modal_def(&f);
    def.bound = bound;
    const abut_body_id a = world_add(&w, &sheet, &def, NULL);
    motion_def rigid = motion_def_default();
    rigid.motion = ABUT_MOTION_MODAL;
    const abut_body_id b = world_add(&w, &ball, &rigid, NULL);
    abut__modal_of(abut_body_shape(w.scene, a))->compare = cubes ? ABUT__COMPARE_CUBES
                                                                 : ABUT__COMPARE_BOTH;
    abut_counters counters = {0};
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &counters;
    for (int step = 0; step < 40; ++step) {
        double q[6];
        abut_frame frame = abut_frame_identity();
        for (int j = 0; j < 6; ++j) {
            q[j] = 0.3 * sin(0.2 * step + j);
        }
        set_coordinates(&w, a, q, 6);
        frame.t[0] = 1.5 + cos(0.3 * step);
        frame.t[1] = 1.5 + sin(0.3 * step);
        frame.t[2] = 0.35 + 0.3 * sin(0.1 * step);
        world_frame(&w, b, frame);
        (void)check_between(&w, a, b, &query);
    }
    free_fields(&f);
    surface_free(&sheet);
    surface_free(&ball);
    world_free(&w);
    return counters;
}

static void test_spheres_need_fewer_tests_than_cubes(void** state) {
    (void)state;
    const abut_counters cubes = count_work(ABUT_MODAL_BOUND_SPHERES, true);
    const abut_counters spheres = count_work(ABUT_MODAL_BOUND_SPHERES, false);
    const abut_counters boxes = count_work(ABUT_MODAL_BOUND_BOXES, false);
    const abut_counters both = count_work(ABUT_MODAL_BOUND_BOTH, false);
    where("%llu tests of cubes, %llu of spheres; blocks: %llu by boxes, %llu by both",
          (unsigned long long)cubes.boxes_tested, (unsigned long long)spheres.boxes_tested,
          (unsigned long long)boxes.blocks_evaluated, (unsigned long long)both.blocks_evaluated);
    REQUIRE(3 * spheres.boxes_tested < cubes.boxes_tested);
    REQUIRE(both.boxes_tested <= boxes.boxes_tested);
    REQUIRE(both.blocks_evaluated <= boxes.blocks_evaluated);
}

// Two bars that are turned and pass each other: boxes of their nodes overlap where spheres do not.
static uint64_t blocks_of_bars(int bound) {
    world w = world_make(NULL, NULL);
    surface bar = surface_ball(60, 12, 1);
    for (uint32_t v = 0; v < bar.vertex_count; ++v) {
        bar.xyz[3 * (size_t)v] *= 0.1;
        bar.xyz[3 * (size_t)v + 1] *= 0.1;
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.bound = bound;
    def.block_triangles = 12;
    const abut_body_id a = world_add(&w, &bar, &def, NULL);
    const abut_body_id b = world_add(&w, &bar, &def, NULL);
    abut_counters counters = {0};
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &counters;
    test_random random = random_seed(74);
    for (int step = 0; step < 30; ++step) {
        abut_frame frame = frame_random(&random, 0.05);
        world_frame(&w, a, frame);
        frame.t[0] += 0.26;
        world_frame(&w, b, frame);
        (void)check_between(&w, a, b, &query);
    }
    surface_free(&bar);
    world_free(&w);
    return counters.blocks_evaluated;
}

static void test_spheres_spare_blocks_of_turned_bodies(void** state) {
    (void)state;
    const uint64_t boxes = blocks_of_bars(ABUT_MODAL_BOUND_BOXES);
    const uint64_t both = blocks_of_bars(ABUT_MODAL_BOUND_BOTH);
    where("%llu blocks by boxes, %llu by boxes and spheres", (unsigned long long)boxes,
          (unsigned long long)both);
    REQUIRE(20 * both < 19 * boxes);
}

// The choice tries both ways and keeps the one that its counts show to be cheaper.
static void test_refinement_is_chosen_by_counts(void** state) {
    (void)state;
    for (int gains = 0; gains < 2; ++gains) {
        abut__refine_choice choice = {0};
        uint32_t states[2] = {0, 0};
        for (int k = 0; k < 1000; ++k) {
            const bool refines = choice.refines;
            const abut__refine_counts counts = {refines && gains == 1 ? 40 : 60,
                                                refines && gains == 1 ? 20 : 100, refines ? 50 : 0};
            ++states[refines];
            abut__refine_choice_next(&choice, &counts, 10);
        }
        REQUIRE(states[gains] > 900 && states[1 - gains] > 8);
        const bool before = choice.refines;
        abut__refine_choice_next(&choice, &(abut__refine_counts){0, 0, 0}, 10);
        REQUIRE(choice.refines == before);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spheres_contain_turned_vertices),
        cmocka_unit_test(test_widened_spheres_contain_vertices),
        cmocka_unit_test(test_collide_and_self_equal_all_pairs),
        cmocka_unit_test(test_nearest_equals_all_pairs),
        cmocka_unit_test(test_sweep_equals_all_pairs),
        cmocka_unit_test(test_same_for_threads_and_sets),
        cmocka_unit_test(test_spheres_need_fewer_tests_than_cubes),
        cmocka_unit_test(test_spheres_spare_blocks_of_turned_bodies),
        cmocka_unit_test(test_refinement_is_chosen_by_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
