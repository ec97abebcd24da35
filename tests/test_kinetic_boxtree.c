// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic BoxTree: each plane is at the end of the vertices below it, and a degraded tree is
// rebuilt in parts.

#include "test_kinetic_support.h"
#include "body/kinetic_stats.h"
#include "support/motion_def.h"

// the part of the root's box that the planes leave contains the block
static void check_left_boxes(const abut__body* body, const abut__boxtree* boxtree, double pad) {
    const abut__box3 root = abut__body_ref_box(body, 0, 1);
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        const abut__box3 box = abut__boxtree_box(boxtree, b, root);
        const exact_box exact = exact_of(body, b | ABUT__REF_BLOCK, 1);
        for (int d = 0; d < 3; ++d) {
            REQUIRE((double)box.lo[d] <= exact.lo[d] + pad);
            REQUIRE((double)box.hi[d] >= exact.hi[d] - pad);
        }
    }
}

static void test_boxtree_planes_are_right(void** state) {
    (void)state;
    test_random random = random_seed(80);
    abut__kinetic_counts sum = {0};
    uint64_t all = 0;
    for (uint32_t round = 0; round < effort(60, 200, 4000); ++round) {
        flyer f = flyer_make(&random, round);
        const abut__body* body = body_of(&f.w, f.id);
        const abut__source sources[2] = {abut__source_of(f.p.keys[0].positions),
                                         abut__source_of(f.p.keys[1].positions)};
        abut__boxtree boxtree;
        own_segment segment = segment_make(f.w.context, &body->shape->tree, sources);
        REQUIRE(abut__boxtree_init(&boxtree, f.w.context, &body->shape->tree, &segment.is));
        REQUIRE(boxtree.split_count + 1 == boxtree.block_count);
        const double length = f.p.keys[1].time - f.p.keys[0].time;
        for (uint32_t i = 1; i < 12; ++i) {
            REQUIRE_OK(
                abut_body_set_time(f.w.scene, f.id, f.p.keys[0].time + length * i / 12, NULL));
            abut__boxtree_go(&boxtree, state_of(&f.w, f.id)->part);
            check_planes(body, &boxtree, pad_of(&f.p));
            check_left_boxes(body, &boxtree, pad_of(&f.p));
        }
        REQUIRE(boxtree.counts.outer == boxtree.counts.events);
        REQUIRE(boxtree.heap.most_waiting <= 2 * boxtree.split_count);
        REQUIRE((f.kind != PLAN_STILL && f.kind != PLAN_SHIFT) || boxtree.counts.events == 0);
        sum.events += boxtree.counts.events;
        sum.updates += boxtree.counts.updates;
        all += state_of(&f.w, f.id)->kinetic->counts.updates;
        abut__boxtree_free(&boxtree);
        segment_free(&segment);
        flyer_free(&f);
    }
    // two planes have fewer events than six sides, and pass updates on to common planes
    assert_true(sum.events > 100 && sum.updates > sum.events && sum.updates < all);
}

// for all times and plans, boxes contain all vertices, of each state and of the state before
static void test_boxtree_bounds_bodies(void** state) {
    (void)state;
    test_random random = random_seed(81);
    abut__kinetic_counts sum = {0};
    for (uint32_t round = 0; round < effort(60, 240, 6000); ++round) {
        world w = world_make(NULL, NULL);
        surface s = random_surface(&random);
        plan p = plan_random(&random, &s, (plan_kind)(round % PLAN_KINDS));
        const abut_body_id id = add_bound(&w, &random, &s, &p, ABUT_FLIGHT_BOUND_BOXTREE);
        const abut__body* body = body_of(&w, id);
        const bool planned = random_chance(&random, 0.3);
        double time = p.keys[0].time;
        for (uint32_t step = 0; step < 25; ++step) {
            where("round %u, step %u", round, step);
            if (planned && random_chance(&random, 0.3)) {
                change_plans(&random, &w, id, time);
            } else {
                time = next_time(&random, &p, time);
                REQUIRE_OK(abut_body_set_time(w.scene, id, time, NULL));
            }
            world_validate(&w, id);
            REQUIRE(state_of(&w, id)->parted == state_of(&w, id)->between);
            if (body->state[1 - body->current].valid) {
                for_all_refs(body, 0, check_contains_before, NULL);
            }
        }
        const abut__kinetic_counts* counts = &state_of(&w, id)->boxtree->counts;
        abut__kinetic_stats stats;
        REQUIRE_OK(abut__body_kinetic_stats(w.scene, id, &stats, NULL));
        const bool parted = state_of(&w, id)->parted;
        REQUIRE(stats.bound == (parted ? ABUT_FLIGHT_BOUND_BOXTREE : ABUT_FLIGHT_BOUND_LINEAR));
        REQUIRE(stats.rebuilds == (parted ? counts->rebuilds : 0));
        REQUIRE(stats.queue_per_node <= 2 && stats.outer_per_inner <= 1);
        sum.events += counts->events;
        sum.blocks_updated += counts->blocks_updated;
        sum.rebuilds += counts->rebuilds;
        world_free(&w);
        plan_free(&p);
        surface_free(&s);
    }
    assert_true(sum.events > 300 && sum.blocks_updated > 10 && sum.rebuilds > 10);
}

// the sum of all edge lengths of the blocks' boxes
static double sum_sides(const abut__body* body, const abut__boxtree* boxtree) {
    const abut__box3 root = abut__body_ref_box(body, 0, 1);
    double sum = 0;
    for (uint32_t b = 0; b < boxtree->block_count; ++b) {
        const abut__box3 box = abut__boxtree_box(boxtree, b, root);
        for (int d = 0; d < 3; ++d) {
            sum += (double)box.hi[d] - (double)box.lo[d];
        }
    }
    return sum;
}

// A sheet is rotated by a quarter turn from keyframe to keyframe. The splits of the first keyframe
// become useless later. Degraded nodes are split again, at the cost of these nodes and their
// ancestors.
static void test_a_degraded_boxtree_is_rebuilt_in_parts(void** state) {
    (void)state;
    enum { TURNS = 5, STEPS = 40 };
    world w = world_make(NULL, NULL);
    const uint32_t side = effort(40, 60, 60);
    surface s = surface_sheet(side, side, 2);
    double* xyz[TURNS];
    abut_keyframe keys[TURNS];
    for (uint32_t k = 0; k < TURNS; ++k) {
        xyz[k] = test_alloc(3 * (size_t)s.vertex_count, sizeof(double));
        for (size_t v = 0; v < s.vertex_count; ++v) {  // about one axis, then about another
            const double* from = k > 0 ? xyz[k - 1] + 3 * v : s.xyz + 3 * v;
            double* to = xyz[k] + 3 * v;
            const int a = k % 2 == 0 ? 0 : 1;
            to[a] = -from[2];
            to[2] = from[a];
            to[1 - a] = from[1 - a];
        }
        keys[k] = (abut_keyframe){k, abut_positions_f64(xyz[k], s.vertex_count)};
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.bound = ABUT_FLIGHT_BOUND_BOXTREE;
    def.keyframes = keys;
    def.keyframe_count = TURNS;
    def.block_triangles = 24;
    const abut_body_id id = world_add(&w, &s, &def, NULL);
    const abut__body* body = body_of(&w, id);
    uint64_t most = 0;
    uint64_t rebuilds = 0;
    for (uint32_t step = 1; step < STEPS * (TURNS - 1); ++step) {
        where("step %u", step);
        REQUIRE_OK(abut_body_set_time(w.scene, id, (double)step / STEPS, NULL));
        world_validate(&w, id);
        if (!state_of(&w, id)->parted) {
            continue;
        }
        const abut__boxtree* boxtree = state_of(&w, id)->boxtree;
        most = boxtree->counts.rebuilds - rebuilds > most ? boxtree->counts.rebuilds - rebuilds
                                                          : most;
        rebuilds = boxtree->counts.rebuilds;
        if (step % STEPS == STEPS - 1) {
            abut__boxtree fresh;
            const abut__source still[2] = {boxtree->segment.source[1], boxtree->segment.source[1]};
            own_segment segment = segment_make(w.context, &body->shape->tree, still);
            REQUIRE(abut__boxtree_init(&fresh, w.context, &body->shape->tree, &segment.is));
            REQUIRE(sum_sides(body, boxtree) < 1.5 * sum_sides(body, &fresh));
            abut__boxtree_free(&fresh);
            segment_free(&segment);
        }
    }
    assert_true(rebuilds > 0);
    assert_true(most < body->shape->tree.node_count);  // never all at once
    world_free(&w);
    for (uint32_t k = 0; k < TURNS; ++k) {
        free(xyz[k]);
    }
    surface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxtree_planes_are_right),
        cmocka_unit_test(test_boxtree_bounds_bodies),
        cmocka_unit_test(test_a_degraded_boxtree_is_rebuilt_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
