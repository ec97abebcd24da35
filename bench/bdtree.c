// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "bdtree": reduced deformation, as in James, Pai, "BD-Tree: Output-Sensitive Collision
// Detection for Reduced Deformable Models", 2004. The baseline is the code that a user would write:
// deform all vertices at full SIMD width, refit, and run the same query.
#include "bench/chairs.h"
#include "bench/duel.h"
#include "bench/paper/paper.h"
#include "bench/sphere_tests.h"
#include "bench/spheres.h"

#include <abut/abut.h>
#include <math.h>
#include <stdio.h>

typedef void (*row_fn)(const bench_options* options, bench_report* report, double at_least,
                       double aim);

typedef struct row_spec {
    const char* name;
    double at_least;
    double aim;
    row_fn measure;  // NULL: a duel
    const char* paper;
    const char* scene;
    uint32_t triangles;
    uint32_t fields;
    uint32_t frames;  // 0: as in the scene
    duel duel;        // without copies: those of `crowds`, of which the worst is shown
} row_spec;

// The bridge sways by 5 % of its motion in the scene: some centimetres on its 12 metres.
#define SMALL 0.05
#define BALL(copies) \
    { false, true, copies, 1, 1, 3000 }
#define THROUGH(copies) \
    { false, false, copies, 1, 1, 3000 }
#define SELF(swing) \
    { true, false, 1, swing, 3, 3000 }

static const row_spec specs[] = {
    {"curtain 12k M=12", 25, 50, NULL, "2250x", "curtain", 12012, 12, 0, BALL(1)},
    {"curtain 196k M=12", 150, 250, NULL, "", "curtain", 196000, 12, 0, BALL(1)},
    {"curtain 196k M=30", 200, 400, NULL, "", "curtain", 196000, 30, 0, BALL(1)},
    {"curtain 1 ball to 256 balls worst", 0.9, 1, NULL, "", "curtain", 12012, 12, 0, THROUGH(0)},
    {BENCH_SPHERES_NAME, 0.5, 0.8, bench_spheres, "", "", 0, 0, 0, {0}},
    {BENCH_SPHERE_TESTS_NAME, 5, 9, bench_sphere_tests, "", "", 0, 0, 0, {0}},
    {BENCH_CHAIRS_NAME, 0.5, 0.77, bench_chairs, "", "", 0, 0, 0, {0}},
    {"self bridge small q", 30, 200, NULL, "", "bridge", 240316, 10, 15, SELF(SMALL)},
    {"self curtain", 2, 5, NULL, "", "curtain", 12012, 12, 0, SELF(1)},

    // Further rows, without a required ratio:
    {"curtain 12k M=12, ball goes through", 0, 0, NULL, "", "curtain", 12012, 12, 0, THROUGH(1)},
    {"curtain 196k M=12, ball goes through", 0, 0, NULL, "", "curtain", 196000, 12, 0, THROUGH(1)},
};
enum { SPECS = sizeof specs / sizeof *specs };
static const uint32_t crowds[] = {1, 4, 16, 64, 256};

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < SPECS; ++i) {
        fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
    }
    for (size_t i = 0; i < paper_table_count; ++i) {
        fn(user, paper_tables[i].name, 0, 0);
    }
}

static duel_outcome run_crowds(const scene* s, const row_spec* spec, bool quick,
                               bench_report* report) {
    duel_outcome worst = {0};
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; ++i) {
        duel d = spec->duel;
        d.copies = crowds[i];
        d.check_step = crowds[i] > 16 ? 10 : 1;
        const duel_outcome out = duel_run(s, &d, quick);
        bench_report_note(report,
                          "%u balls: %.4f ms against %.4f ms: %.2f; %.0f of %u blocks a frame.",
                          crowds[i], out.ours_ms, out.other_ms, out.other_ms / out.ours_ms,
                          (double)out.counters.blocks_evaluated / scene_frame_count(s), out.blocks);
        if (i == 0 || out.other_ms * worst.ours_ms < worst.other_ms * out.ours_ms) {
            const bool same = i == 0 || worst.same_answer;
            worst = out;
            worst.same_answer = out.same_answer && same;
        }
        worst.same_answer = worst.same_answer && out.same_answer;
    }
    return worst;
}

static void run_duel(const row_spec* spec, const bench_options* options, bench_report* report) {
    scene* s = scene_create_with(spec->scene, &(scene_options){.triangles = spec->triangles,
                                                               .frames = spec->frames,
                                                               .seed = options->seed,
                                                               .fields = spec->fields});
    if (s == NULL) {
        bench_die("the scene '%s' cannot be made", spec->scene);
    }
    duel d = spec->duel;
    d.budget_ms = options->quick ? 500 : d.budget_ms;
    d.check_step *= options->quick ? 3 : 1;
    const duel_outcome out = d.copies > 0 ? duel_run(s, &d, options->quick)
                                          : run_crowds(s, spec, options->quick, report);
    bench_row row = duel_row(spec->name, "deform+refit", &out);
    snprintf(row.paper, sizeof row.paper, "%s", spec->paper);
    row.at_least = spec->at_least;
    row.aim = spec->aim;
    bench_report_add(report, &row);
    report->ours_wrong = report->ours_wrong || !out.same_answer;
    if (d.self) {
        bench_report_note(
            report,
            "%s: coordinates are %.0f %% of the scene's; the first query, which makes "
            "the certificates, takes %.0f ms.",
            spec->name, 100 * d.swing, out.first_ms);
    }
    scene_destroy(s);
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    bench_note_isa(report);
    for (size_t i = 0; i < SPECS; ++i) {
        const row_spec* spec = &specs[i];
        if (!bench_is_wanted(spec->name, wanted)) {
            continue;
        }
        bench_progress(spec->name);
        if (spec->measure != NULL) {
            spec->measure(options, report, spec->at_least, spec->aim);
        } else {
            run_duel(spec, options, report);
        }
    }
    paper_make_tables(paper_tables, paper_table_count, options, wanted, report);
    bench_progress(NULL);
}

extern const bench_suite bench_bdtree;
const bench_suite bench_bdtree = {
    .name = "bdtree",
    .about = "reduced deformation (modes, morph targets) against deforming everything",
    .list = list,
    .run = run,
};
