// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests the contact intervals of an animation. One oracle examines all pairs of triangles in all
// segments, without trees and separation lists. Exact tests of the state at many times are a second
// oracle.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/query.h"
#include "support/everywhere.h"
#include "support/memory.h"
#include "support/world.h"

enum { KEYS = 8 };

// a body that moves through keyframes
typedef struct film {
    surface s;
    uint32_t count;
    double* xyz[KEYS];
    abut_keyframe keys[KEYS];
} film;

static film film_make(const surface* s, test_random* random, uint32_t count, double first,
                      double length, double range, double step) {
    film f = {.s = surface_copy(s), .count = count};
    for (uint32_t k = 0; k < count; ++k) {
        surface moved = surface_copy(s);
        surface_shake(&moved, random, range, step);
        f.xyz[k] = moved.xyz;
        free(moved.triangles);
        f.keys[k] = (abut_keyframe){first + length * k,
                                    abut_positions_f64(f.xyz[k], s->vertex_count)};
    }
    return f;
}

static void film_free(film* f) {
    for (uint32_t k = 0; k < f->count; ++k) {
        free(f->xyz[k]);
    }
    surface_free(&f->s);
}

// frees two bodies and the world that borrows their keyframes
static void films_free(world* w, film films[2]) {
    world_free(w);
    film_free(&films[0]);
    film_free(&films[1]);
}

static abut_body_id film_add(world* w, const film* f) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = f->keys;
    def.keyframe_count = f->count;
    return world_add(w, &f->s, &def, NULL);
}

// ---- all pairs

// the two bodies of a query; both are the same body if the query is within a body
typedef struct cast {
    abut_body_id body[2];
    const film* film[2];  // NULL: the body rests
    const surface* s[2];
    bool in_world;
} cast;

static void set_time(const world* w, const cast* c, double time) {
    for (int i = 0; i < 2; ++i) {
        if (c->film[i] != NULL) {
            REQUIRE_OK(abut_body_set_time(w->scene, c->body[i], time, NULL));
        }
    }
}

static double* positions(const world* w, const cast* c, int side) {
    double* xyz = test_alloc(3 * (size_t)c->s[side]->vertex_count, sizeof *xyz);
    for (uint32_t v = 0; v < c->s[side]->vertex_count; ++v) {
        REQUIRE_OK((c->in_world ? abut_body_world_vertex : abut_body_vertex)(
            w->scene, c->body[side], v, xyz + 3 * (size_t)v, NULL));
    }
    return xyz;
}

typedef struct interval_list {
    abut_contact_interval* intervals;
    size_t count;
    size_t room;
} interval_list;

static void add(interval_list* list, abut_contact_interval interval) {
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->intervals = realloc(list->intervals, list->room * sizeof *list->intervals);
        assert_non_null(list->intervals);
    }
    list->intervals[list->count++] = interval;
}

static bool share(const uint32_t* a, const uint32_t* b) {
    bool shared = false;
    for (int i = 0; i < 9; ++i) {
        shared = shared || a[i / 3] == b[i % 3];
    }
    return shared;
}

static int compare_times(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static uint32_t cuts_of(const cast* c, double from, double to, double* cuts) {
    uint32_t count = 0;
    cuts[count++] = from;
    cuts[count++] = to;
    for (int i = 0; i < 2; ++i) {
        for (uint32_t k = 0; c->film[i] != NULL && k < c->film[i]->count; ++k) {
            const double time = c->film[i]->keys[k].time;
            if (time > from && time < to) {
                cuts[count++] = time;
            }
        }
    }
    qsort(cuts, count, sizeof *cuts, compare_times);
    return count;
}

// appends the contact intervals of a pair of triangles in a segment
static void add_pair_intervals(const world* w, uint32_t a, uint32_t b, const cast* c,
                               double* const x[2][2], double from, double to, interval_list* out) {
    double at[2][6][3];
    for (int end = 0; end < 2; ++end) {
        for (int i = 0; i < 6; ++i) {
            const int side = i / 3;
            const uint32_t v = c->s[side]->triangles[3 * (side == 0 ? a : b) + (uint32_t)i % 3];
            memcpy(at[end][i], x[side][end] + 3 * (size_t)v, sizeof at[end][i]);
        }
    }
    abut__interval_list intervals = {0};
    const abut__interval_hints none = {.open = ABUT__FEATURE_PAIRS};
    REQUIRE(abut__intervals_of_pair(w->context, (const double(*)[3])at[0],
                                    (const double(*)[3])at[1], ABUT_TOLERANCE_DEFAULT, &none,
                                    &intervals));
    const abut__interval* all = intervals.data;
    for (size_t i = 0; i < intervals.count; ++i) {
        REQUIRE(all[i].from <= all[i].to && (i == 0 || all[i].from > all[i - 1].to));
        add(out, (abut_contact_interval){c->body[0].index, c->body[1].index, a, b,
                                         all[i].from == 1 ? to : from + all[i].from * (to - from),
                                         all[i].to == 1 ? to : from + all[i].to * (to - from)});
    }
    abut__drop(w->context, &intervals);
}

// all pairs in all segments; intervals that meet at the ends of segments are joined
static interval_list expected_intervals(const world* w, const cast* c, double from, double to) {
    double cuts[2 * KEYS + 2];
    const uint32_t count = cuts_of(c, from, to, cuts);
    const bool self = c->body[0].index == c->body[1].index;
    double* x[2 * KEYS + 2][2];
    for (uint32_t k = 0; k < count; ++k) {
        set_time(w, c, cuts[k]);
        x[k][0] = positions(w, c, 0);
        x[k][1] = positions(w, c, 1);
    }
    interval_list list = {0};
    for (uint32_t a = 0; a < c->s[0]->triangle_count; ++a) {
        for (uint32_t b = self ? a + 1 : 0; b < c->s[1]->triangle_count; ++b) {
            if (self && share(c->s[0]->triangles + 3 * a, c->s[0]->triangles + 3 * b)) {
                continue;
            }
            const size_t first = list.count;
            for (uint32_t k = 0; k + 1 < count; ++k) {
                double* const ends[2][2] = {{x[k][0], x[k + 1][0]}, {x[k][1], x[k + 1][1]}};
                add_pair_intervals(w, a, b, c, ends, cuts[k], cuts[k + 1], &list);
            }
            size_t kept = first;
            for (size_t i = first; i < list.count; ++i) {
                if (kept > first && list.intervals[kept - 1].stop >= list.intervals[i].start) {
                    list.intervals[kept - 1].stop = list.intervals[i].stop;
                } else {
                    list.intervals[kept++] = list.intervals[i];
                }
            }
            list.count = kept;
        }
    }
    for (uint32_t k = 0; k < count; ++k) {
        free(x[k][0]);
        free(x[k][1]);
    }
    return list;
}

static void query_intervals(const world* w, const cast* c, double from, double to,
                            const abut_intervals_def* def) {
    REQUIRE_OK(
        c->body[0].index == c->body[1].index
            ? abut_intervals_self(w->scene, c->body[0], from, to, def, w->intervals, NULL)
            : abut_intervals(w->scene, c->body[0], c->body[1], from, to, def, w->intervals, NULL));
}

static size_t check_segments(const world* w, const cast* c, double from, double to) {
    interval_list wanted = expected_intervals(w, c, from, to);
    query_intervals(w, c, from, to, NULL);
    size_t count = 0;
    const abut_contact_interval* got = abut_intervals_result_intervals(w->intervals, &count);
    REQUIRE(count == wanted.count);
    for (size_t i = 0; i < count; ++i) {
        const abut_contact_interval* s = &wanted.intervals[i];
        REQUIRE(got[i].triangle_a == s->triangle_a && got[i].triangle_b == s->triangle_b);
        REQUIRE(got[i].body_a == s->body_a && got[i].body_b == s->body_b);
        REQUIRE(fabs(got[i].start - s->start) < 1e-13 && fabs(got[i].stop - s->stop) < 1e-13);
        REQUIRE(got[i].start >= from && got[i].stop <= to);
    }
    free(wanted.intervals);
    return count;
}

// ---- states

static const abut_contact_interval* interval_at(const abut_contact_interval* intervals,
                                                size_t count, uint32_t a, uint32_t b, double time) {
    for (size_t i = 0; i < count; ++i) {
        if (intervals[i].triangle_a == a && intervals[i].triangle_b == b &&
            intervals[i].start <= time && time <= intervals[i].stop) {
            return &intervals[i];
        }
    }
    return NULL;
}

static bool touch_now(const abut_pair* pairs, size_t count, uint32_t a, uint32_t b) {
    bool found = false;
    for (size_t i = 0; i < count; ++i) {
        found = found || (pairs[i].triangle_a == a && pairs[i].triangle_b == b);
    }
    return found;
}

// Every pair that touches at `time` has a contact interval that contains it. If `sharp`, every pair
// with `time` well within its interval touches.
static size_t check_state(const world* w, abut_collide_result* room, const cast* c, double time,
                          bool sharp) {
    size_t count = 0;
    const abut_contact_interval* intervals = abut_intervals_result_intervals(w->intervals, &count);
    set_time(w, c, time);
    REQUIRE_OK(c->body[0].index == c->body[1].index
                   ? abut_collide_self(w->scene, c->body[0], NULL, room, NULL)
                   : abut_collide(w->scene, c->body[0], c->body[1], NULL, room, NULL));
    size_t touching = 0;
    const abut_pair* pairs = abut_collide_result_pairs(room, &touching);
    for (size_t i = 0; i < touching; ++i) {
        REQUIRE(interval_at(intervals, count, pairs[i].triangle_a, pairs[i].triangle_b, time) !=
                NULL);
    }
    for (size_t i = 0; i < count && sharp; ++i) {
        const abut_contact_interval* s = &intervals[i];
        if (s->start + 1e-5 < time && time < s->stop - 1e-5) {
            REQUIRE(touch_now(pairs, touching, s->triangle_a, s->triangle_b));
        }
    }
    return touching;
}

// ---- tests

static cast cast_make(world* w, film* films, const surface* rest, uint32_t which,
                      test_random* random) {
    const abut_body_id one = film_add(w, &films[0]);
    cast c = {{one, one}, {&films[0], &films[0]}, {&films[0].s, &films[0].s}, false};
    if (which == 0) {
        return c;
    }
    c.body[1] = which == 1 ? film_add(w, &films[1]) : world_add(w, rest, NULL, NULL);
    c.film[1] = which == 1 ? &films[1] : NULL;
    c.s[1] = which == 1 ? &films[1].s : rest;
    if (which == 3) {
        c.in_world = true;
        world_frame(w, one, frame_random(random, 0.1));
        world_frame(w, c.body[1], frame_random(random, 0.1));
    }
    return c;
}

static void test_intervals_match_segments(void** state) {
    (void)state;
    size_t intervals = 0;
    size_t touching = 0;
    for (uint32_t seed = 1; seed <= effort(4, 8, 80); ++seed) {
        test_random random = random_seed(seed);
        surface sheet = surface_sheet(5, 4, 2);
        surface_shift(&sheet, -1, -1, 0);
        film films[2] = {film_make(&sheet, &random, 5, 0, 1, 0.3, 0x1p-30),
                         film_make(&sheet, &random, 4, -0.3, 1.37, 0.3, 0x1p-30)};
        world w = world_make(NULL, NULL);
        abut_collide_result* room = NULL;
        REQUIRE_OK(abut_collide_result_create(w.context, &room, NULL));
        const cast c = cast_make(&w, films, &sheet, seed % 4, &random);
        const double spans[4][2] = {{0, 4}, {-1.5, 5}, {0.37, 3.1}, {1.2, 1.3}};
        for (int i = 0; i < 4; ++i) {
            where("seed %u, %g to %g", seed, spans[i][0], spans[i][1]);
            intervals += check_segments(&w, &c, spans[i][0], spans[i][1]);
            for (int k = 0; k < 40; ++k) {
                const double time = random_double(&random, spans[i][0], spans[i][1]);
                where("seed %u, %g to %g, at %g", seed, spans[i][0], spans[i][1], time);
                touching += check_state(&w, room, &c, time, true);
            }
        }
        abut_collide_result_destroy(room);
        films_free(&w, films);
        surface_free(&sheet);
    }
    print_message("%zu contact intervals, %zu pairs at other times\n", intervals, touching);
    assert_true(intervals > 500 && touching > 1000);
}

// Contacts begin and end exactly at times of a grid. All of them are found.
static void test_nothing_is_missed_on_a_grid(void** state) {
    (void)state;
    size_t intervals = 0;
    size_t touching = 0;
    for (uint32_t seed = 1; seed <= effort(4, 8, 80); ++seed) {
        test_random random = random_seed(seed + 70);
        surface sheet = surface_sheet(2, 2, 2);
        film films[2] = {film_make(&sheet, &random, 4, 0, 1, 1, 0x1p-1),
                         film_make(&sheet, &random, 3, 0.5, 1, 1, 0x1p-1)};
        if (seed % 2 == 0) {  // all triangles slide in one plane
            for (uint32_t k = 0; k < 4; ++k) {
                for (uint32_t v = 0; v < sheet.vertex_count; ++v) {
                    films[0].xyz[k][3 * v + 2] = 0;
                }
            }
        }
        world w = world_make(NULL, NULL);
        abut_collide_result* room = NULL;
        REQUIRE_OK(abut_collide_result_create(w.context, &room, NULL));
        const cast c = cast_make(&w, films, &sheet, seed / 2 % 3, &random);
        where("seed %u", seed);
        intervals += check_segments(&w, &c, 0, 3);
        for (int k = 0; k <= 48; k += (int)effort(4, 1, 1)) {
            where("seed %u, at %d / 16", seed, k);
            touching += check_state(&w, room, &c, k / 16.0, false);
        }
        abut_collide_result_destroy(room);
        films_free(&w, films);
        surface_free(&sheet);
    }
    print_message("%zu contact intervals, %zu pairs at times of the grid\n", intervals, touching);
    assert_true(intervals > 100 && touching > effort(400, 1000, 1000));
}

// Many small triangles fly far: blocks approach and separate within one segment.
static void test_events_find_all_near_blocks(void** state) {
    (void)state;
    size_t intervals = 0;
    for (uint32_t seed = 1; seed <= effort(2, 3, 20); ++seed) {
        test_random random = random_seed(seed + 200);
        surface soup = surface_soup(&random, 160, 2, 0.3, 0x1p-20);
        film films[2] = {film_make(&soup, &random, 3, 0, 1, 0.01, 0x1p-30),
                         film_make(&soup, &random, 3, 0, 1, 0.01, 0x1p-30)};
        for (uint32_t k = 0; k < 3; ++k) {  // moves each triangle as a whole
            for (uint32_t v = 0; v < soup.vertex_count; v += 3) {
                const double by[3] = {random_double(&random, -3, 3), random_double(&random, -3, 3),
                                      random_double(&random, -3, 3)};
                for (uint32_t i = 0; i < 9; ++i) {
                    films[1].xyz[k][3 * v + i] += by[i % 3];
                }
            }
        }
        world w = world_make(NULL, NULL);
        const cast c = cast_make(&w, films, &soup, 1, &random);
        where("seed %u", seed);
        intervals += check_segments(&w, &c, 0.1, 1.9);
        abut_counters work = {0};
        abut_intervals_def def = abut_intervals_def_default();
        def.head.counters = &work;
        query_intervals(&w, &c, 0.1, 1.9, &def);
        print_message("%llu of %u pairs were tested\n", (unsigned long long)work.exact_tests,
                      2 * 160 * 160);
        REQUIRE(work.exact_tests < 160 * 160);
        films_free(&w, films);
        surface_free(&soup);
    }
    print_message("%zu contact intervals\n", intervals);
    assert_true(intervals > 100);
}

// moves a tiny sheet along a diagonal of a cube
static void speck_make(film* f, uint32_t cube, bool upright, double from, double to) {
    for (uint32_t i = 0; i < 3 * f->s.vertex_count; ++i) {
        const uint32_t d = i % 3;
        const double sign = cube >> d & 1 ? 1 : -1;
        const double corner = f->s.xyz[upright ? i - d + (d + 1) % 3 : i];
        f->xyz[0][i] = sign * from + corner;
        f->xyz[1][i] = sign * to + corner;
    }
}

// Two tiny sheets pass each other at high speed, from opposite corners of the scene. Their blocks
// are near each other for an instant only.
static void test_short_contacts_are_found(void** state) {
    (void)state;
    surface speck = surface_sheet(1, 1, 1e-7);
    surface_shift(&speck, -5e-8, -4e-8, 0);
    const uint32_t trials = effort(60, 200, 5000);
    for (uint32_t seed = 1; seed <= trials; ++seed) {
        test_random random = random_seed(seed + 400);
        film films[2] = {film_make(&speck, &random, 2, 0, 1, 0, 1),
                         film_make(&speck, &random, 2, 0, 1, 0, 1)};
        const double speed = random_double(&random, 1, 20);
        const double other_end = 1 - 2 * speed;
        const bool back = random_chance(&random, 0.5);
        speck_make(&films[0], seed, false, back ? 1 : -1, back ? -1 : 1);
        speck_make(&films[1], seed, true, back ? other_end : 1, back ? 1 : other_end);
        world w = world_make(NULL, NULL);
        cast c = cast_make(&w, films, &speck, 1, &random);
        if (seed % 2 == 0) {  // rotated, in two different frames
            c.in_world = true;
            abut_frame frame = frame_random(&random, 0.1);
            world_frame(&w, c.body[0], frame);
            frame.t[0] += 1e-9;
            world_frame(&w, c.body[1], frame);
        }
        where("seed %u, speed %g", seed, speed);
        REQUIRE(check_segments(&w, &c, 0, 1) > 0);
        films_free(&w, films);
    }
    surface_free(&speck);
}

static bool odd_pairs(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    (void)user;
    (void)body_a;
    (void)body_b;
    return (a + b) % 2 == 1;
}

// A sheet goes down through a floor and comes back at known times.
static void test_settings_and_errors(void** state) {
    (void)state;
    test_random random = random_seed(5);
    surface floor = surface_sheet(30, 30, 30);
    surface small = surface_sheet(1, 1, 1);
    surface_shift(&small, 7.3, 7.4, 1);
    film f = film_make(&small, &random, 3, 0, 1, 0, 1);
    for (uint32_t v = 0; v < 4; ++v) {
        f.xyz[1][3 * v + 2] = v == 0 ? -1 : -3;
    }
    world w = world_make(NULL, NULL);
    const abut_body_id body = film_add(&w, &f);
    const abut_body_id ground = world_add(&w, &floor, NULL, NULL);
    abut_counters counters = {0};
    abut_intervals_def def = abut_intervals_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_intervals(w.scene, body, ground, -1, 9, &def, w.intervals, NULL));
    size_t count = 0;
    const abut_contact_interval* got = abut_intervals_result_intervals(w.intervals, &count);
    REQUIRE(count > 1 && counters.pairs_found == count && counters.blocks_evaluated < 60);
    double first = INFINITY;
    double last = 0;
    for (size_t i = 0; i < count; ++i) {
        first = fmin(first, got[i].start);
        last = fmax(last, got[i].stop);
    }
    // three corners go down by 4 in one unit of time, one corner by 2; then they return
    REQUIRE(first <= 0.25 && first > 0.25 - 1e-6 && last >= 1.75 && last < 1.75 + 1e-6);
    const size_t all = count;
    def.filter.fn = odd_pairs;
    REQUIRE_OK(abut_intervals(w.scene, body, ground, -1, 9, &def, w.intervals, NULL));
    (void)abut_intervals_result_intervals(w.intervals, &count);
    REQUIRE(count > 0 && count < all && counters.pairs_filtered > 0);
    def = abut_intervals_def_default();
    // the sheet rests above the floor
    REQUIRE_OK(abut_intervals(w.scene, body, ground, 5, 9, &def, w.intervals, NULL));
    REQUIRE(abut_intervals_result_intervals(w.intervals, &count) == NULL && count == 0);
    REQUIRE_OK(abut_intervals_self(w.scene, body, 0, 2, &def, w.intervals, NULL));
    def.tolerance = 2;
    REQUIRE_STATUS(abut_intervals(w.scene, body, ground, 0, 2, &def, w.intervals, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_intervals(w.scene, body, ground, 2, 2, NULL, w.intervals, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_intervals(w.scene, body, body, 0, 2, NULL, w.intervals, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_intervals_self(w.scene, ground, 0, 2, NULL, w.intervals, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    const abut_plans_def still = {.time = 0};
    REQUIRE_OK(plans_set(w.scene, body, &still, NULL));
    abut_error error = {0};
    REQUIRE_STATUS(abut_intervals(w.scene, ground, body, 0, 2, NULL, w.intervals, &error),
                   ABUT_ERR_STATE);
    REQUIRE(error.body.index == body.index && error.body.generation == body.generation);
    REQUIRE(strstr(error.message, "plans") != NULL);
    world_free(&w);
    film_free(&f);
    surface_free(&small);
    surface_free(&floor);
}

// Keyframes outside the queried times have no effect, even if the body is there now.
static void test_current_time_has_no_effect(void** state) {
    (void)state;
    test_random random = random_seed(6);
    surface sheet = surface_sheet(4, 4, 2);
    film films[2] = {film_make(&sheet, &random, 3, 0, 1, 0.3, 0x1p-30),
                     film_make(&sheet, &random, 2, 0.5, 1, 0.3, 0x1p-30)};
    films[0].xyz[2][7] = 1e38;  // too far for boxes
    world w = world_make(NULL, NULL);
    cast c = cast_make(&w, films, &sheet, 1, &random);
    for (int moved = 0; moved < 2; ++moved) {
        REQUIRE(check_segments(&w, &c, 0, 1) > 0);
        for (double now = 0; now < 3; now += 0.75) {
            where("now %g", now);
            REQUIRE_OK(abut_body_set_time(w.scene, c.body[0], now, NULL));
            query_intervals(&w, &c, 0, 1, NULL);
            size_t count = 0;
            (void)abut_intervals_result_intervals(w.intervals, &count);
            REQUIRE(count > 0);
            abut_error error = {0};
            REQUIRE_STATUS(abut_intervals(w.scene, c.body[1], c.body[0], 0.5, 1.5, NULL,
                                          w.intervals, &error),
                           ABUT_ERR_INVALID_DATA);
            REQUIRE(error.body.index == c.body[0].index);
            REQUIRE(error.body.generation == c.body[0].generation);
        }
        c.in_world = true;
        abut_frame frame = abut_frame_identity();
        frame.t[0] = 0.01;
        world_frame(&w, c.body[0], frame);
    }
    films_free(&w, films);
    surface_free(&sheet);
}

static void test_same_answers_everywhere(void** state) {
    (void)state;
    test_random random = random_seed(9);
    surface sheet = surface_sheet(14, 14, 2);
    film films[2] = {film_make(&sheet, &random, 3, 0, 1, 0.1, 0x1p-30),
                     film_make(&sheet, &random, 3, 0.3, 1, 0.1, 0x1p-30)};
    reference intervals = {0};
    everywhere at = everywhere_cross((const uint32_t[]){1, 2, 4, 8, 0}, 0);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        world w = world_make(&at.def, NULL);
        const cast c = cast_make(&w, films, &sheet, 1, &random);
        query_intervals(&w, &c, 0, 2, NULL);
        size_t count = 0;
        const abut_contact_interval* got = abut_intervals_result_intervals(w.intervals, &count);
        REQUIRE(count > 100 && reference_same(&intervals, got, count * sizeof *got));
        world_free(&w);
    }
    reference_free(&intervals);
    film_free(&films[0]);
    film_free(&films[1]);
    surface_free(&sheet);
}

// ---- memory

// the intervals of both queries: between two bodies, and within the first one
static abut_status query_both(const world* w, const cast* c, interval_list* out) {
    out->count = 0;
    abut_status status = ABUT_OK;
    for (int within = 0; within < 2 && status == ABUT_OK; ++within) {
        status = within == 0
                     ? abut_intervals(w->scene, c->body[0], c->body[1], 0, 2, NULL, w->intervals,
                                      NULL)
                     : abut_intervals_self(w->scene, c->body[0], 0, 2, NULL, w->intervals, NULL);
        size_t count = 0;
        const abut_contact_interval* got = abut_intervals_result_intervals(w->intervals, &count);
        REQUIRE(status == ABUT_OK ? count > 0 : got == NULL && count == 0);
        for (size_t i = 0; i < count; ++i) {
            add(out, got[i]);
        }
    }
    return status;
}

// Every allocation of both calls fails, alone or with all later ones. The calls report it and leak
// nothing, and the same objects answer the next queries.
static void test_no_memory_is_reported(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    test_random random = random_seed(4);
    surface sheet = surface_sheet(7, 5, 2);
    film films[2] = {film_make(&sheet, &random, 3, 0, 1, 0.2, 0x1p-30),
                     film_make(&sheet, &random, 2, 0.3, 1, 0.2, 0x1p-30)};
    interval_list wanted = {0};
    interval_list got = {0};
    size_t calls = 0;
    for (size_t call = 0; call <= calls; ++call) {
        const int modes = call > 0 && call % effort(5, 1, 1) == 0 ? 2 : 1;
        for (int onwards = 0; onwards < modes; ++onwards) {
            world w = world_make(&def, NULL);
            const cast c = cast_make(&w, films, &sheet, 1, &random);
            where("allocation %zu of %zu refused%s", call, calls, onwards ? ", and all after" : "");
            memory_fail(&memory, call, onwards != 0);
            const abut_status status = query_both(&w, &c, call > 0 ? &got : &wanted);
            calls = call > 0 ? calls : memory.calls;
            memory_fail(&memory, 0, false);
            REQUIRE(status == (call > 0 ? ABUT_ERR_NO_MEMORY : ABUT_OK));
            REQUIRE_OK(query_both(&w, &c, &got));
            REQUIRE(got.count == wanted.count);
            REQUIRE(memcmp(got.intervals, wanted.intervals, got.count * sizeof *got.intervals) ==
                    0);
            world_free(&w);
            REQUIRE(memory_clean(&memory));
        }
    }
    print_message("%zu allocations\n", calls);
    assert_true(calls > 20);
    memory_destroy(&memory);
    free(wanted.intervals);
    free(got.intervals);
    film_free(&films[0]);
    film_free(&films[1]);
    surface_free(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intervals_match_segments),
        cmocka_unit_test(test_nothing_is_missed_on_a_grid),
        cmocka_unit_test(test_events_find_all_near_blocks),
        cmocka_unit_test(test_short_contacts_are_found),
        cmocka_unit_test(test_settings_and_errors),
        cmocka_unit_test(test_current_time_has_no_effect),
        cmocka_unit_test(test_same_answers_everywhere),
        cmocka_unit_test(test_no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
