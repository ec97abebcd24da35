// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How much looser equation 11 is than the maximum over the corners of the weights' polytope, which
// is exact; how often the inequality that its proof in appendix B uses is false; and that the bound
// holds in spite of that.
#include "bench/paper/corners.h"
#include "bench/paper/paper.h"

#include <math.h>

static const char* const kinds[CORNERS_KIND_COUNT] = {
    [CORNERS_ANY] = "any", [CORNERS_FEW] = "of 2 to 4 vertices", [CORNERS_MANY] = "of 16 vertices"};

typedef struct tally {
    uint32_t below;       // equation 11 is less than a corner
    uint32_t unequal;     // greedy or dual differ from the greatest corner
    uint32_t no_premise;  // the statement of appendix B is false
    uint32_t above;       // one of the paper's corners is beyond equation 11
    uint32_t looser;      // equation 11 is greater than necessary
    double mean;          // excess relative to the spread of the b
    double most;
} tally;

static void add_case(const corners_case* c, uint32_t trials, tally* t) {
    const double truth = corners_maximum(c->count, c->least, c->most, c->reach);
    const double eq11 = corners_eq11(c->count, c->least, c->most, c->reach);
    double lo = INFINITY;
    double hi = -INFINITY;
    for (uint32_t j = 0; j < c->count; ++j) {
        lo = fmin(lo, c->reach[j]);
        hi = fmax(hi, c->reach[j]);
    }
    const double excess = hi > lo ? (eq11 - truth) / (hi - lo) : 0;
    t->below += eq11 < truth;
    t->unequal += corners_greedy(c->count, c->least, c->most, c->reach) != truth ||
                  corners_dual(c->count, c->least, c->most, c->reach) != truth;
    t->no_premise += !corners_appendix(c->count, c->least, c->most, c->reach);
    t->above += corners_paper(c->count, c->least, c->most, c->reach) > eq11;
    t->looser += eq11 > truth;
    t->mean += excess / trials;
    t->most = fmax(t->most, excess);
}

void convex_make_corners(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report,
        "<limits|influences|trials|eq. 11 < corners|greedy, dual not corners|appendix B false|"
        "n (n-1) corners > eq. 11|eq. 11 loose|by, mean|at most",
        name);
    const uint32_t trials = options->quick ? 4000 : 100000;
    uint64_t state = options->seed;
    double no_premise = 0;
    double all = 0;
    for (corners_kind kind = 0; kind < CORNERS_KIND_COUNT; ++kind) {
        for (uint32_t count = 2; count <= CORNERS_MOST; count += count < 4 ? 1 : 2) {
            tally t = {0};
            for (uint32_t i = 0; i < trials; ++i) {
                const corners_case c = corners_random(&state, kind, count);
                add_case(&c, trials, &t);
            }
            bench_table_cell(table, "%s", kinds[kind]);
            bench_table_cell(table, "%u", count);
            bench_table_cell(table, "%u", trials);
            bench_table_cell(table, "%u", t.below);
            bench_table_cell(table, "%u", t.unequal);
            bench_table_cell(table, "%.1f %%", 100.0 * t.no_premise / trials);
            bench_table_cell(table, "%.1f %%", 100.0 * t.above / trials);
            bench_table_cell(table, "%.1f %%", 100.0 * t.looser / trials);
            bench_table_cell(table, "%.2f %%", 100 * t.mean);
            bench_table_cell(table, "%.1f %%", 100 * t.most);
            report->ours_wrong = report->ours_wrong || t.below > 0 || t.unequal > 0;
            no_premise += t.no_premise;
            all += trials;
        }
    }
    bench_report_note(
        report,
        "eq. 11 against corners: seed %u; the inequality of appendix B is false in "
        "%.0f %% of all cases; looseness is told in parts of the distance between the "
        "least and the greatest b.",
        options->seed, 100 * no_premise / all);
}
