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

enum { FRAMES = 15, QUERIES = 30, MOST_ROUNDS = 5, MOST_STATES = 2000 };

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

// Lets a body do without certificates.
static void forbid(reduced* r) {
    abut_shape* shape = (abut_shape*)abut_body_shape(reduced_scene(r), reduced_body(r, 0));
    shape->certify.on_request = true;
}

static bool has_certificates(const reduced* r) {
    return abut__certified_made(abut_body_shape(reduced_scene(r), reduced_body(r, 0))) != NULL;
}

// Returns the time of all slices of certificates together: a state set and a query, each with a slice
// of them, less those without.
static double price_of_slices(reduced* r, double without_ms, uint32_t* states) {
    double price = 0;
    for (*states = 0; *states < MOST_STATES && !has_certificates(r); ++*states) {
        price += ask(r, *states) - without_ms;
    }
    return price;
}

// The price is what it takes to make them at once. Each later query gains the same.
static void fill_row(double price, double with_ms, double without_ms, bench_row* row,
                     bench_report* report) {
    const double gain = without_ms - with_ms;
    const double queries = price / gain;
    row->ours_ms = with_ms;
    row->other_ms = without_ms;
    row->ratio = gain > 0 ? 250 / queries : 0;
    snprintf(row->other, sizeof row->other, "abut without certificates");
    bench_report_note(report,
                      "%s: they cost %.1f ms, and a query then takes %.3f ms instead of %.3f ms%s.",
                      row->name, price, with_ms, without_ms, gain > 0 ? "" : ", so they never pay");
    if (gain > 0) {
        bench_report_note(report, "%s: paid after %.0f queries.", row->name, queries);
    }
}

// Notes what they cost in slices, and when a body gets them by itself.
static void note_slices(const bench_options* options, const scene* s, double without_ms,
                        const bench_row* row, bench_report* report) {
    uint32_t states = 0;
    if (options->quick) {
        return;
    }
    reduced* r = reduced_create(s, 1, 0, WAY_LAZY);
    prepare(r);
    const double price = price_of_slices(r, without_ms, &states);
    bench_report_note(report, "%s: by itself the body has them after %u states, for %.1f ms.",
                      row->name, states, price);
    reduced_destroy(r);
}

bool hard_certificates(const bench_options* options, bench_row* row, bench_report* report) {
    scene* s = make_bridge(options);
    reduced* sides[2] = {reduced_create(s, 1, 0, WAY_LAZY), reduced_create(s, 1, 0, WAY_LAZY)};
    double ms[2][QUERIES];
    forbid(sides[1]);
    prepare(sides[0]);
    prepare(sides[1]);
    const double start = bench_now(CLOCK_CPU);
    reduced_certify(sides[0]);
    const double price = bench_now(CLOCK_CPU) - start;
    row->same_answer = has_certificates(sides[0]) && !has_certificates(sides[1]);
    for (uint32_t i = 0; i < QUERIES; ++i) {
        ms[0][i] = ask(sides[0], i);
        ms[1][i] = ask(sides[1], i);
        row->same_answer = row->same_answer && same_pairs(sides[0], sides[1]);
    }
    const double without_ms = bench_median(ms[1] + QUERIES / 2, QUERIES - QUERIES / 2);
    fill_row(price, bench_median(ms[0] + QUERIES / 2, QUERIES - QUERIES / 2), without_ms, row,
             report);
    note_slices(options, s, without_ms, row, report);
    reduced_destroy(sides[0]);
    reduced_destroy(sides[1]);
    scene_destroy(s);
    return true;
}
