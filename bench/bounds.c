// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "bounds": skinned and point-based bodies, as in Steinemann, Otaduy, Gross, "Efficient
// Bounds for Point-Based Animations", 2007. The baseline is the code that a user would write: skin
// all vertices at full SIMD width, refit, and run the same query.
#include "bench/duel.h"
#include "bench/inside.h"
#include "bench/paper/paper.h"
#include "bench/plain.h"
#include "bench/root.h"

#include <stdio.h>

enum { SMALL = 5714, LARGE = 91360 };  // triangles of the paper's 2857 and 45 682 vertices

typedef struct row_spec {
    const char* name;
    double at_least;
    double aim;
    const char* paper;
    const char* scene;
    scene_options options;
    bool self;
} row_spec;

#define RING(size, count, touch) \
    { .triangles = size, .nodes = count, .contact = SCENE_CONTACT_##touch }

static const row_spec specs[] = {
    {"ring 45k none", 12, 25, "", "ring", RING(LARGE, 550, NONE), false},
    {"ring 45k small", 5, 10, "23.7x", "ring", RING(LARGE, 550, SMALL), false},
    {"ring 45k large", 2.2, 4, "15.4x", "ring", RING(LARGE, 550, LARGE), false},
    {"ring 3k small", 0.95, 1.5, "4.9x", "ring", RING(SMALL, 550, SMALL), false},
    {"fishes", 4, 12, "13.2x", "fishes", {.triangles = 16000, .nodes = 96}, false},
    {"self figure walking", 2, 5, "", "walk", {.triangles = 30000}, true},

    // Further rows, without a required ratio:
    {"ring 45k small n=115", 0, 0, "27.5x", "ring", RING(LARGE, 115, SMALL), false},
    {"ring 45k large n=115", 0, 0, "18.4x", "ring", RING(LARGE, 115, LARGE), false},
    {"ring 3k small n=115", 0, 0, "5.2x", "ring", RING(SMALL, 115, SMALL), false},
    {"ring 3k large", 0.95, 1.5, "3.2x", "ring", RING(SMALL, 550, LARGE), false},
    {"ring 45k pressed", 0, 0, "", "ring", RING(LARGE, 550, PRESSED), false},
    {"walk past a post", 0, 0, "", "walk", {.triangles = 30000}, false},
};
enum { SPECS = sizeof specs / sizeof *specs };

// Rows about the box of a whole body.
typedef struct root_spec {
    const char* name;
    double at_least;
    double aim;
    const char* paper;
    uint32_t triangles;
    uint32_t nodes;
    bool radius;  // compares radii, else times
} root_spec;

static const root_spec roots[] = {
    {"root box 145k n=509 vs optimal", 500, 1000, "825x", 290000, 509, false},
    {"root radius optimal/ours n=65", 0.67, 0.77, "0.67", 60000, 65, true},
    {"root radius optimal/ours n=509", 0.8, 0.87, "0.67", 60000, 509, true},
};
enum { ROOTS = sizeof roots / sizeof *roots };

#define RIVALS_AT_LEAST 0.95
#define RIVALS_AIM 1.2

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < ROOTS; ++i) {
        fn(user, roots[i].name, roots[i].at_least, roots[i].aim);
    }
    for (size_t i = 0; i < SPECS; ++i) {
        fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
    }
    inside_list("bounds", fn, user);
    fn(user, plain_row_name, RIVALS_AT_LEAST, RIVALS_AIM);
    for (size_t i = 0; i < convex_table_count; ++i) {
        fn(user, convex_tables[i].name, 0, 0);
    }
}

static void run_root(const root_spec* spec, const bench_options* options, bench_report* report) {
    const root_outcome out = root_measure(spec->triangles, spec->nodes, options);
    bench_row row = {.same_answer = out.holds, .at_least = spec->at_least, .aim = spec->aim};
    snprintf(row.name, sizeof row.name, "%s", spec->name);
    snprintf(row.paper, sizeof row.paper, "%s", spec->paper);
    snprintf(row.other, sizeof row.other, "%s",
             spec->radius ? "best box (radii, not times)" : "skin all + box");
    row.ours_ms = spec->radius ? out.mean_ratio : 1e-3 * out.ours_us;
    row.other_ms = spec->radius ? 1 : 1e-3 * out.optimal_us;
    row.ratio = row.other_ms / row.ours_ms;
    bench_report_add(report, &row);
    report->ours_wrong = report->ours_wrong || !out.holds;
    if (spec->radius) {
        bench_report_note(report,
                          "%s: our radius is %.2f times the best one on average, %.2f at most.",
                          spec->name, out.mean_ratio, out.worst_ratio);
    } else {
        bench_report_note(report,
                          "%s: setting the state takes %.2f us beside the %.2f us of the box; with "
                          "it the ratio is %.0f.",
                          spec->name, out.set_us, out.ours_us,
                          out.optimal_us / (out.ours_us + out.set_us));
    }
}

static void run_duel(const row_spec* spec, const bench_options* options, bench_report* report) {
    scene_options wishes = spec->options;
    wishes.seed = options->seed;
    scene* s = scene_create_with(spec->scene, &wishes);
    if (s == NULL) {
        bench_die("the scene '%s' cannot be made", spec->scene);
    }
    const duel d = {.self = spec->self,
                    .copies = 1,
                    .swing = 1,
                    .check_step = options->quick ? 10 : 3,
                    .budget_ms = options->quick ? 500 : 3000};
    const duel_outcome out = duel_run(s, &d, options->quick);
    bench_row row = duel_row(spec->name, "skin+refit", &out);
    snprintf(row.paper, sizeof row.paper, "%s", spec->paper);
    row.at_least = spec->at_least;
    row.aim = spec->aim;
    bench_report_add(report, &row);
    report->ours_wrong = report->ours_wrong || !out.same_answer;
    const double frames = scene_frame_count(s);
    bench_report_note(report, "%s: %.0f blocks evaluated a frame (each body has %u), %.0f pairs.",
                      spec->name, (double)out.counters.blocks_evaluated / frames, out.blocks,
                      (double)out.counters.pairs_found / frames);
    scene_destroy(s);
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    bench_note_isa(report);
    for (size_t i = 0; i < ROOTS; ++i) {
        if (bench_is_wanted(roots[i].name, wanted)) {
            bench_progress(roots[i].name);
            run_root(&roots[i], options, report);
        }
    }
    for (size_t i = 0; i < SPECS; ++i) {
        if (bench_is_wanted(specs[i].name, wanted)) {
            bench_progress(specs[i].name);
            run_duel(&specs[i], options, report);
        }
    }
    inside_run("bounds", options, wanted, report);
    if (bench_is_wanted(plain_row_name, wanted)) {
        bench_progress(plain_row_name);
        plain_run(options, report, RIVALS_AT_LEAST, RIVALS_AIM);
    }
    paper_make_tables(convex_tables, convex_table_count, options, wanted, report);
    bench_progress(NULL);
}

static const bench_repeat also_avx2[] = {
    {plain_row_name, RIVALS_AT_LEAST, RIVALS_AIM}, {"ring 3k large", 0.95, 1.5}, {NULL, 0, 0}};

extern const bench_suite bench_bounds;
const bench_suite bench_bounds = {
    .name = "bounds",
    .about = "skinned and point-based bodies against skinning everything",
    .list = list,
    .run = run,
    .also_avx2 = also_avx2,
};
