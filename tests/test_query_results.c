// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The results of queries: shared points of pairs, pieces for a callback, counters, changes over
// time. Also refused settings and the errors of positions that are not finite.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/crowd.h"
#include "support/rational_triangles.h"

// ---- shared

static void corners_of(const world* w, const abut_pair* pair, bool first, bool in_world,
                       double out[3][3]) {
    const abut_body_id body = abut_scene_body_at(w->scene, first ? pair->body_a : pair->body_b);
    const uint32_t triangle = first ? pair->triangle_a : pair->triangle_b;
    const uint32_t* ids = abut_mesh_triangles(abut_shape_mesh(abut_body_shape(w->scene, body))) +
                          3 * (size_t)triangle;
    for (int c = 0; c < 3; ++c) {
        REQUIRE_OK(in_world ? abut_body_world_vertex(w->scene, body, ids[c], out[c], NULL)
                            : abut_body_vertex(w->scene, body, ids[c], out[c], NULL));
    }
}

static double point_distance_sq(const double point[3], const double t[3][3]) {
    double p[3][3];
    for (int c = 0; c < 3; ++c) {
        memcpy(p[c], point, sizeof p[c]);
    }
    mpq_t square;
    mpq_init(square);
    rational_distance_sq((const double(*)[3])p, t, square);
    const double d = mpq_get_d(square);
    mpq_clear(square);
    return d;
}

// `count` is exact for the compared doubles; the points lie on both triangles
static void check_shared(const world* w, const abut_collide_def* def, bool in_world) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(w->result, &count);
    const abut_intersection* shared = abut_collide_result_intersections(w->result, NULL);
    assert_true(count == 0 || shared != NULL);
    for (size_t i = 0; i < count; ++i) {
        double p[3][3];
        double q[3][3];
        abut_intersection wanted = {0};
        bool touch = false;
        corners_of(w, &pairs[i], true, in_world, p);
        corners_of(w, &pairs[i], false, in_world, q);
        REQUIRE_OK(
            abut_triangles_touch((const double(*)[3])p, (const double(*)[3])q, &touch, &wanted));
        REQUIRE(touch || def->margin > 0);
        REQUIRE(shared[i].count == (touch ? wanted.count : 0));
        corners_of(w, &pairs[i], true, true, p);
        corners_of(w, &pairs[i], false, true, q);
        for (uint32_t k = 0; k < shared[i].count; ++k) {
            const double* point = shared[i].points[k];
            REQUIRE(point_distance_sq(point, (const double(*)[3])p) < 1e-24);
            REQUIRE(point_distance_sq(point, (const double(*)[3])q) < 1e-24);
        }
    }
}

static void test_shared(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        test_random random = random_seed(seed);
        crowd c = crowd_make(seed, 5);
        const abut_frame common = frame_random(&random, 3);
        for (int i = 0; i < CROWD_BODIES; ++i) {
            world_frame(&c.world, c.body[i], seed % 3 == 0 ? common : frame_random(&random, 1));
        }
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            abut_collide_def def = abut_collide_def_default();
            def.intersections = true;
            def.margin = seed % 2 == 0 ? 0 : 0.0625;
            const oracle o = {.margin = def.margin};
            pair_list wanted = oracle_query(c.world.scene, (query_kind)kind, c.body[3], c.body[1],
                                            &o);
            REQUIRE_OK(run_query(c.world.scene, (query_kind)kind, c.body[3], c.body[1], &def,
                                 c.world.result));
            require_pairs(c.world.result, &wanted, "shared");
            const bool self = kind == QUERY_SELF || kind == QUERY_SELF_ALL;
            check_shared(&c.world, &def, !(self || seed % 3 == 0));
            pairs_free(&wanted);
            // a query without them has none, even in the same result
            def.intersections = false;
            REQUIRE_OK(run_query(c.world.scene, (query_kind)kind, c.body[3], c.body[1], &def,
                                 c.world.result));
            assert_null(abut_collide_result_intersections(c.world.result, NULL));
        }
        crowd_free(&c);
    }
}

// ---- callback

typedef struct pieces {
    pair_list pairs;
    size_t calls;
    size_t stop_at;  // the call that returns false; 0: none
    size_t unsorted;
    size_t without_shared;
    size_t with_shared;
} pieces;

static bool take_piece(void* user, const abut_pair* pairs, const abut_intersection* shared,
                       size_t count) {
    pieces* p = user;
    ++p->calls;
    p->with_shared += shared != NULL;
    p->without_shared += shared == NULL;
    for (size_t i = 0; i < count; ++i) {
        p->unsorted += i > 0 && pairs_compare(&pairs[i - 1], &pairs[i]) >= 0;
        pairs_push(&p->pairs, pairs[i]);
    }
    return p->calls != p->stop_at;
}

static void check_callback(const crowd* c, query_kind kind, bool shared) {
    pieces p = {0};
    abut_collide_def def = abut_collide_def_default();
    def.intersections = shared;
    def.callback.fn = take_piece;
    def.callback.user = &p;
    pair_list wanted = oracle_query(c->world.scene, kind, c->body[0], c->body[1], NULL);
    REQUIRE(wanted.count > 0);
    REQUIRE_OK(run_query(c->world.scene, kind, c->body[0], c->body[1], &def, c->world.result));
    REQUIRE(p.unsorted == 0);
    REQUIRE(shared ? p.without_shared == 0 : p.with_shared == 0);
    REQUIRE(abut_collide_result_found(c->world.result) &&
            !abut_collide_result_stopped(c->world.result));
    size_t count = 1;
    assert_null(abut_collide_result_pairs(c->world.result, &count));
    assert_int_equal(count, 0);
    const size_t calls = p.calls;
    pair_list in_order = p.pairs;
    p.pairs = (pair_list){0};
    for (size_t stop = 1; stop <= calls; stop += 1 + calls / 4) {
        // a stopped query has delivered the same pieces up to that point
        p.calls = 0;
        p.stop_at = stop;
        p.pairs.count = 0;
        REQUIRE_OK(run_query(c->world.scene, kind, c->body[0], c->body[1], &def, c->world.result));
        REQUIRE(p.calls == stop);
        REQUIRE(abut_collide_result_stopped(c->world.result));
        REQUIRE(pairs_hash(p.pairs.pairs, p.pairs.count) ==
                pairs_hash(in_order.pairs, p.pairs.count));
    }
    pairs_free(&p.pairs);
    pairs_sort(&in_order);
    require_same_pairs(&in_order, &wanted, "callback");
    pairs_free(&in_order);
    pairs_free(&wanted);
}

static void test_callback(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 4, 40); ++seed) {
        crowd c = crowd_make(seed, 12);
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            check_callback(&c, (query_kind)kind, false);
            check_callback(&c, (query_kind)kind, true);
        }
        crowd_free(&c);
    }
}

// ---- counters

static uint64_t blocks_of(const world* w, abut_body_id body) {
    abut_tree_info stats;
    REQUIRE_OK(abut_body_inspect(w->scene, body, &stats, NULL));
    return stats.blocks;
}

static abut_counters count(const crowd* c, query_kind kind, const abut_collide_def* with) {
    abut_counters counters = {0};
    abut_collide_def def = with != NULL ? *with : abut_collide_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(run_query(c->world.scene, kind, c->body[0], c->body[1], &def, c->world.result));
    return counters;
}

static void check_counters(crowd* c, query_kind kind) {
    const bool whole = kind == QUERY_COLLIDE_ALL || kind == QUERY_SELF_ALL;
    uint64_t blocks = 0;
    for (int i = 0; i < CROWD_BODIES; ++i) {
        const bool used = whole || i == 0 || (i == 1 && kind == QUERY_COLLIDE);
        blocks += used ? blocks_of(&c->world, c->body[i]) : 0;
        world_move(&c->world, c->body[i], c->surface[i].xyz);  // all cached data is outdated
    }
    const abut_counters first = count(c, kind, NULL);
    size_t pairs = 0;
    (void)abut_collide_result_pairs(c->world.result, &pairs);
    REQUIRE(first.pairs_found == pairs && pairs > 0);
    REQUIRE(first.exact_tests >= first.pairs_found && first.exact_fallbacks <= first.exact_tests);
    REQUIRE(first.blocks_evaluated > 0 && first.blocks_evaluated <= blocks);
    REQUIRE(first.vertices_evaluated >= 3 * first.blocks_evaluated);
    REQUIRE(first.boxes_tested > 0 && first.boxes_computed > 0 && first.pairs_filtered == 0);
    REQUIRE((first.pairs_adjacent > 0) == (kind == QUERY_SELF || kind == QUERY_SELF_ALL));
    const abut_counters second = count(c, kind, NULL);
    REQUIRE(memcmp(&first, &second, sizeof first) == 0);
    // counters are added to the old values
    abut_counters sum = first;
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &sum;
    REQUIRE_OK(run_query(c->world.scene, kind, c->body[0], c->body[1], &def, c->world.result));
    REQUIRE(sum.pairs_found == 2 * first.pairs_found && sum.exact_tests == 2 * first.exact_tests);
    REQUIRE(sum.boxes_tested == 2 * first.boxes_tested);
    REQUIRE(sum.blocks_evaluated == 2 * first.blocks_evaluated);
}

static void test_counters(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 5, 50); ++seed) {
        crowd c = crowd_make(seed, 10);
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            check_counters(&c, (query_kind)kind);
        }
        // within a body a translation changes nothing
        const abut_counters before = count(&c, QUERY_SELF, NULL);
        abut_frame frame = abut_frame_identity();
        frame.t[0] = 0.125;
        REQUIRE_OK(abut_body_set_frame(c.world.scene, c.body[0], &frame, NULL));
        const abut_counters after = count(&c, QUERY_SELF, NULL);
        REQUIRE(memcmp(&before, &after, sizeof before) == 0);
        frame.r[0][0] = frame.r[1][1] = -1;
        REQUIRE_OK(abut_body_set_frame(c.world.scene, c.body[0], &frame, NULL));
        REQUIRE(count(&c, QUERY_SELF, NULL).blocks_evaluated > 0);
        crowd_free(&c);
    }
}

// a query with few contacts evaluates few blocks: 8192 triangles, contact in one corner
static void test_lazy_evaluation(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface sheet = surface_sheet(64, 64, 64);
    surface ball = surface_ball(8, 8, 1);
    const abut_body_id a = world_add(&w, &sheet, NULL, NULL);
    const abut_body_id b = world_add(&w, &ball, NULL, NULL);
    abut_counters counters = {0};
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_collide(w.scene, a, b, &def, w.result, NULL));
    REQUIRE(counters.pairs_found > 0);
    REQUIRE(counters.blocks_evaluated <= 8);
    REQUIRE(counters.boxes_tested < 1000);
    surface_free(&sheet);
    surface_free(&ball);
    world_free(&w);
}

// ---- begun, continued, ended

static bool has_pair(const pair_list* list, const abut_pair* pair) {
    for (size_t i = 0; i < list->count; ++i) {
        if (pairs_compare(&list->pairs[i], pair) == 0) {
            return true;
        }
    }
    return false;
}

// the pairs of x that are (or are not) in y, in the order of x
static pair_list pick(const pair_list* x, const pair_list* y, bool wanted) {
    pair_list some = {0};
    for (size_t i = 0; i < x->count; ++i) {
        if (has_pair(y, &x->pairs[i]) == wanted) {
            pairs_push(&some, x->pairs[i]);
        }
    }
    return some;
}

static pair_list bodies_only(const pair_list* list) {
    pair_list bodies = {0};
    for (size_t i = 0; i < list->count; ++i) {
        const abut_pair pair = {list->pairs[i].body_a, list->pairs[i].body_b, 0, 0};
        if (bodies.count == 0 || pairs_compare(&bodies.pairs[bodies.count - 1], &pair) != 0) {
            pairs_push(&bodies, pair);
        }
    }
    return bodies;
}

static void compare_changes(const abut_changes* changes, const pair_list* old, const pair_list* now,
                            bool bodies) {
    pair_list wanted[3] = {pick(now, old, false), pick(now, old, true), pick(old, now, false)};
    for (int k = 0; k < 3; ++k) {
        pair_list got = {0};
        const abut_pair* pairs = bodies
                                     ? abut_changes_body_pairs(changes, (abut_change)k, &got.count)
                                     : abut_changes_pairs(changes, (abut_change)k, &got.count);
        got.pairs = (abut_pair*)pairs;
        require_same_pairs(&got, &wanted[k], bodies ? "bodies" : "pairs");
        pairs_free(&wanted[k]);
    }
}

static void test_changes(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 3, 30); ++seed) {
        test_random random = random_seed(seed);
        crowd c = crowd_make(seed, 5);
        abut_changes* changes = NULL;
        REQUIRE_OK(abut_changes_create(c.world.context, &changes, NULL));
        pair_list old = {0};
        for (int step = 0; step < 12; ++step) {
            where("seed %llu, step %d", (unsigned long long)seed, step);
            for (int i = 0; i < CROWD_BODIES; ++i) {
                // sometimes no body moves, sometimes all bodies are far from each other
                if (step % 4 != 2) {
                    abut_frame frame = frame_random(&random, step % 5 == 3 ? 100 : 3);
                    world_frame(&c.world, c.body[i], frame);
                }
            }
            REQUIRE_OK(abut_collide_all(c.world.scene, NULL, c.world.result, NULL));
            REQUIRE_OK(abut_changes_update(changes, c.world.result, NULL));
            pair_list now = {0};
            pairs_append(&now, c.world.result);
            compare_changes(changes, &old, &now, false);
            pair_list old_bodies = bodies_only(&old);
            pair_list now_bodies = bodies_only(&now);
            compare_changes(changes, &old_bodies, &now_bodies, true);
            pairs_free(&old_bodies);
            pairs_free(&now_bodies);
            pairs_free(&old);
            old = now;
        }
        pairs_free(&old);
        abut_changes_destroy(changes);
        crowd_free(&c);
    }
}

// ---- refused settings, and borrowed positions that are not finite

static bool never_called(void* user, const abut_pair* pairs, const abut_intersection* shared,
                         size_t count) {
    (void)user;
    (void)pairs;
    (void)shared;
    (void)count;
    fail();
    return false;
}

static void test_refused_settings(void** state) {
    (void)state;
    where("settings");
    crowd c = crowd_make(1, 5);
    const abut_scene* scene = c.world.scene;
    const abut_body_id a = c.body[0];
    const abut_body_id b = c.body[1];
    const abut_collide_def fine = abut_collide_def_default();
    abut_collide_def bad[6] = {fine, fine, fine, fine, fine, fine};
    bad[0].margin = -1e-300;
    bad[1].margin = (double)NAN;
    bad[2].margin = (double)INFINITY;
    bad[3].budget = 1;  // without a front
    bad[4].any = true;
    bad[4].callback.fn = never_called;
    bad[5].head.cookie = 0;
    for (int i = 0; i < 6; ++i) {
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            REQUIRE_STATUS(run_query(scene, (query_kind)kind, a, b, &bad[i], c.world.result),
                           ABUT_ERR_INVALID_ARGUMENT);
        }
    }
    REQUIRE_STATUS(abut_collide(scene, a, a, NULL, c.world.result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_collide(scene, a, b, NULL, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_collide_self(NULL, a, NULL, c.world.result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_collide_self(scene, (abut_body_id){0, 0}, NULL, c.world.result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_OK(abut_body_destroy(c.world.scene, b, NULL));
    REQUIRE_STATUS(abut_collide(scene, a, b, NULL, c.world.result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_destroy(c.world.scene, b, NULL), ABUT_ERR_INVALID_ARGUMENT);
    (void)check_collide_all(&c.world, NULL);
    crowd_free(&c);
}

static void test_borrowed_positions_that_are_not_finite(void** state) {
    (void)state;
    static const double strange[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (uint64_t seed = 1; seed <= effort(3, 9, 90); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        crowd c = crowd_make(seed, 8);
        surface* s = &c.surface[0];
        const abut_positions view = abut_positions_f64(s->xyz, s->vertex_count);
        REQUIRE_OK(abut_body_borrow_positions(c.world.scene, c.body[0], view, NULL));
        (void)crowd_check(&c, NULL);
        // a vertex of some triangle near a contact: the middle of the sheet
        const uint32_t vertex = s->vertex_count / 2;
        const double good = s->xyz[3 * vertex + seed % 3];
        s->xyz[3 * vertex + seed % 3] = strange[seed / 3 % 3];
        if (seed % 2 == 0) {
            abut_frame frame = abut_frame_identity();
            frame.t[0] = 1;
            REQUIRE_OK(abut_body_set_frame(c.world.scene, c.body[0], &frame, NULL));
        }
        REQUIRE_STATUS(abut_body_set_positions(c.world.scene, c.body[0], view, NULL),
                       ABUT_ERR_INVALID_DATA);
        REQUIRE_OK(abut_body_borrow_positions(c.world.scene, c.body[0], view, NULL));
        abut_error error = {0};
        REQUIRE_STATUS(abut_body_validate(c.world.scene, c.body[0], &error), ABUT_ERR_INVALID_DATA);
        REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == vertex);
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            error = (abut_error){0};
            REQUIRE_STATUS(run_query_with_error(c.world.scene, (query_kind)kind, c.body[0],
                                                c.body[1], NULL, c.world.result, &error),
                           ABUT_ERR_INVALID_DATA);
            REQUIRE(error.index == vertex && error.body.index == c.body[0].index);
            REQUIRE(error.body.generation == c.body[0].generation);
            size_t count = 1;
            (void)abut_collide_result_pairs(c.world.result, &count);
            REQUIRE(count == 0);
        }
        s->xyz[3 * vertex + seed % 3] = good;
        REQUIRE_OK(abut_body_borrow_positions(c.world.scene, c.body[0], view, NULL));
        (void)crowd_check(&c, NULL);
        crowd_free(&c);
    }
}

// a refused state leaves the last good one
static void test_refused_positions_change_nothing(void** state) {
    (void)state;
    where("refused positions");
    crowd c = crowd_make(2, 8);
    pair_list wanted = oracle_collide_all(c.world.scene, NULL);
    surface moved = surface_copy(&c.surface[0]);
    surface_shift(&moved, 100, 0, 0);
    moved.xyz[17] = (double)NAN;
    for (int round = 0; round < 3; ++round) {
        abut_error error = {0};
        const abut_positions view = abut_positions_f64(moved.xyz, moved.vertex_count);
        REQUIRE_STATUS(abut_body_set_positions(c.world.scene, c.body[0], view, &error),
                       ABUT_ERR_INVALID_DATA);
        REQUIRE(error.index == 5);
        world_validate(&c.world, c.body[0]);
        REQUIRE_OK(abut_collide_all(c.world.scene, NULL, c.world.result, NULL));
        require_pairs(c.world.result, &wanted, "after a refused state");
        if (round == 0) {  // the same again when the last good state is a copy
            world_move(&c.world, c.body[0], c.surface[0].xyz);
        }
    }
    surface_free(&moved);
    pairs_free(&wanted);
    crowd_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_callback),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_lazy_evaluation),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_refused_settings),
        cmocka_unit_test(test_borrowed_positions_that_are_not_finite),
        cmocka_unit_test(test_refused_positions_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
