// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What a modal body pays before its self queries are fast: its first self query, with all that this
// builds, and how many later ones pay for its certificates. A large bridge sways a little.
#include "bench/hard.h"

#include "bench/reduced.h"

#include "motion/certified.h"
#include "motion/motion.h"
#include "shape/shape.h"

#include <stdio.h>
#include <string.h>

enum { FRAMES = 15, QUERIES = 30, MOST_ROUNDS = 5 };

static const double swing = 0.05;  // part of the scene's motion, as in the suite bdtree

static scene* make_bridge(const bench_options* options) {
    scene* s = scene_create_with("bridge", &(scene_options){.triangles = 240316,
                                                            .frames = FRAMES,
                                                            .seed = options->seed,
                                                            .fields = 10});
    if (s == NULL) {
        bench_die("the scene 'bridge' cannot be made");
    }
    return s;
}

// Returns the time to set a state and ask for the pairs within the bridge.
static double ask(reduced* r, uint32_t frame) {
    const double start = bench_now(CLOCK_CPU);
    reduced_update(r, frame % FRAMES, swing);
    reduced_self(r);
    return bench_now(CLOCK_CPU) - start;
}

static bool same_pairs(const reduced* a, const reduced* b) {
    size_t count[2];
    const abut_pair* p = reduced_pairs(a, &count[0]);
    const abut_pair* q = reduced_pairs(b, &count[1]);
    return count[0] == count[1] && (count[0] == 0 || memcmp(p, q, count[0] * sizeof *p) == 0);
}

bool hard_first(const bench_options* options, bench_row* row, bench_report* report) {
    double ms[2][MOST_ROUNDS];
    const uint32_t rounds = options->quick ? 1 : MOST_ROUNDS;
    const uint32_t frame = FRAMES / 2;
    scene* s = make_bridge(options);
    reduced* exact = reduced_create_late(s, WAY_EXACT);
    (void)report;
    (void)ask(exact, frame);
    row->same_answer = true;
    for (uint32_t round = 0; round < rounds; ++round) {
        reduced* other = reduced_create_late(s, WAY_DEFORM);
        reduced* ours = reduced_create_late(s, WAY_LAZY);
        ms[1][round] = ask(other, frame);
        ms[0][round] = ask(ours, frame);
        row->same_answer = row->same_answer && same_pairs(ours, exact);
        reduced_destroy(ours);
        reduced_destroy(other);
    }
    row->ours_ms = bench_median(ms[0], rounds);
    row->other_ms = bench_median(ms[1], rounds);
    row->ratio = row->other_ms / row->ours_ms;
    snprintf(row->other, sizeof row->other, "deform + first free query");
    reduced_destroy(exact);
    scene_destroy(s);
    return true;
}

// ---- certificates

// Makes all that a self query needs but certificates.
static void prepare(reduced* r) {
    abut_collide_def query = abut_collide_def_default();
    abut_collide_result* result = NULL;
    const abut_shape* shape = abut_body_shape(reduced_scene(r), reduced_body(r, 0));
    reduced_need(abut_collide_result_create(shape->context, &result, NULL), NULL);
    reduced_update(r, 0, swing);
    query.include_neighbours = true;
    reduced_need(abut_collide_self(reduced_scene(r), reduced_body(r, 0), &query, result, NULL),
                 NULL);
    abut_collide_result_destroy(result);
}

static uint32_t hold_none(const void* certificates, const abut__state* state,
                          abut__certificate_range range, bool sample) {
    (void)certificates;
    (void)state;
    (void)range;
    (void)sample;
    return 0;
}

// A sample of certificates of which none holds: with it a shape never makes certificates.
typedef struct refusal {
    abut__certifying how;
    abut__certificate_index index;
    abut__certificate_set set;
} refusal;

// Lets a body do without certificates. The refusal must outlive it.
static void forbid(reduced* r, refusal* of) {
    abut_shape* shape = (abut_shape*)abut_body_shape(reduced_scene(r), reduced_body(r, 0));
    of->how = (abut__certifying){.test = hold_none};
    of->index = (abut__certificate_index){.block_count = shape->tree.block_count};
    of->set = (abut__certificate_set){.how = &of->how, .made = &of->index};
    atomic_init(&of->set.holders, 2);  // the shape never is the last one
    atomic_store(&shape->sample, &of->set);
}

static bool has_certificates(const reduced* r) {
    return abut__certified_made(abut_body_shape(reduced_scene(r), reduced_body(r, 0))) != NULL;
}

typedef struct spent {
    double all_ms;   // of all queries
    double last_ms;  // the median of the later half
} spent;

static spent sum_up(double ms[QUERIES]) {
    spent out = {0};
    for (int i = 0; i < QUERIES; ++i) {
        out.all_ms += ms[i];
    }
    out.last_ms = bench_median(ms + QUERIES / 2, QUERIES - QUERIES / 2);
    return out;
}

// The price is what all queries took beyond the later ones, each of which gains the same.
static bool fill_row(const spent* with, const spent* without, bench_row* row,
                     bench_report* report) {
    const double price = with->all_ms - QUERIES * with->last_ms;
    const double gain = without->last_ms - with->last_ms;
    const double queries = price / gain;
    row->ours_ms = with->last_ms;
    row->other_ms = without->last_ms;
    row->ratio = gain > 0 ? 250 / queries : 0;
    snprintf(row->other, sizeof row->other, "abut without certificates");
    bench_report_note(report,
                      "%s: they cost %.1f ms, and a query then takes %.3f ms instead of %.3f ms%s.",
                      row->name, price, with->last_ms, without->last_ms,
                      gain > 0 ? "" : ", so they never pay");
    if (gain > 0) {
        bench_report_note(report, "%s: paid after %.0f queries.", row->name, queries);
    }
    return true;
}

bool hard_certificates(const bench_options* options, bench_row* row, bench_report* report) {
    scene* s = make_bridge(options);
    reduced* sides[2] = {reduced_create(s, 1, 0, WAY_LAZY), reduced_create(s, 1, 0, WAY_LAZY)};
    double ms[2][QUERIES];
    refusal none;
    forbid(sides[1], &none);
    prepare(sides[0]);
    prepare(sides[1]);
    row->same_answer = true;
    for (uint32_t i = 0; i < QUERIES; ++i) {
        ms[0][i] = ask(sides[0], i);
        ms[1][i] = ask(sides[1], i);
        row->same_answer = row->same_answer && same_pairs(sides[0], sides[1]);
    }
    const bool made = has_certificates(sides[0]) && !has_certificates(sides[1]);
    const spent with = sum_up(ms[0]);
    const spent without = sum_up(ms[1]);
    if (!made) {
        bench_report_note(report, "%s: left out, %d queries made no certificates.", row->name,
                          (int)QUERIES);
    }
    reduced_destroy(sides[0]);
    reduced_destroy(sides[1]);
    scene_destroy(s);
    return made && fill_row(&with, &without, row, report);
}
