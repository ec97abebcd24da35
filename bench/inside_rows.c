// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The rows of self queries of bodies that are not free: see inside.h.
#include "bench/inside.h"

#include <stdio.h>
#include <string.h>

typedef enum question { ASK_CACHE, ASK_BLEND, ASK_CUT } question;

typedef struct row_spec {
    const char* suite;
    const char* name;
    double at_least;
    double aim;
    const char* scene;
    scene_options options;
    question question;
    uint32_t steps;  // of a cache: frames a segment
} row_spec;

#define CLOTH \
    { .triangles = 64082 }
#define BLOB \
    { .triangles = 162000, .frames = 30 }
#define BRAIN \
    { .triangles = 60000, .nodes = 225 }
#define RING \
    { .triangles = 91360, .nodes = 550 }

static const row_spec specs[] = {
    {"kinetic", "self cache cloth64k, free over flight", 1, 3, "tablecloth", CLOTH, ASK_CACHE, 10},
    {"kinetic", "self cache blob160k, free over flight", 1, 3, "blobs", BLOB, ASK_CACHE, 10},
    {"bounds", "self brain 60k 225 nodes, skin + free over blend", 1, 3, "brain", BRAIN, ASK_BLEND,
     0},
    {"bounds", "self ring 91k, skin + free over blend", 1, 3, "ring", RING, ASK_BLEND, 0},
    {"bounds",
     "self after a cut of one triangle, first over that",
     20,
     200,
     "walk",
     {.triangles = 30000},
     ASK_CUT,
     0},

    // Further rows, without a required ratio:
    {"kinetic", "self cache cloth64k at keys, free over flight", 0, 0, "tablecloth", CLOTH,
     ASK_CACHE, 1},
    {"kinetic", "self cache blob160k at keys, free over flight", 0, 0, "blobs", BLOB, ASK_CACHE, 1},
    {"bounds",
     "self brain 60k 65 nodes, skin + free over blend",
     0,
     0,
     "brain",
     {.triangles = 60000, .nodes = 65},
     ASK_BLEND,
     0},
    {"bounds",
     "self brain 60k 509 nodes, skin + free over blend",
     0,
     0,
     "brain",
     {.triangles = 60000, .nodes = 509},
     ASK_BLEND,
     0},
    {"bounds",
     "self fishes, skin + free over blend",
     0,
     0,
     "fishes",
     {.triangles = 16000, .nodes = 96},
     ASK_BLEND,
     0},
    {"bounds",
     "self fish with fields after a cut, first over that",
     0,
     0,
     "fish",
     {.triangles = 20000},
     ASK_CUT,
     0},
};
enum { SPECS = sizeof specs / sizeof *specs };

static const char* other_of(question q) {
    return q == ASK_CACHE   ? "free"
           : q == ASK_BLEND ? "plain skinning + free"
                            : "certificates + first query";
}

static void explain(const row_spec* spec, const scene* s, const inside_outcome* out,
                    bench_report* report) {
    const scene_body* b = scene_get_body(s, 0);
    const double frames = out->frames;
    bench_report_note(
        report,
        "%s: %u triangles, %u frames; a frame has %.1f nodes and %.0f blocks or pairs proven apart "
        "and %.0f blocks evaluated (the other side: %.1f, %.0f and %.0f), %.0f exact tests, %.0f "
        "pairs.",
        spec->name, b->triangle_count, out->frames, (double)out->counters.nodes_certified / frames,
        (double)out->counters.blocks_certified / frames,
        (double)out->counters.blocks_evaluated / frames,
        (double)out->other_counters.nodes_certified / frames,
        (double)out->other_counters.blocks_certified / frames,
        (double)out->other_counters.blocks_evaluated / frames,
        (double)out->counters.exact_tests / frames, (double)out->counters.pairs_found / frames);
}

static void run_row(const row_spec* spec, const bench_options* options, bench_report* report) {
    scene_options wishes = spec->options;
    wishes.seed = options->seed;
    scene* s = scene_create_with(spec->scene, &wishes);
    if (s == NULL) {
        bench_die("the scene '%s' cannot be made", spec->scene);
    }
    const inside_outcome out = spec->question == ASK_CACHE
                                   ? inside_cache(s, spec->steps, options->quick)
                               : spec->question == ASK_BLEND ? inside_blend(s, options->quick)
                                                             : inside_cut(s, options->quick);
    bench_row row = {.at_least = spec->at_least,
                     .aim = spec->aim,
                     .ours_ms = out.ours_ms,
                     .other_ms = out.other_ms,
                     .ratio = out.other_ms / out.ours_ms,
                     .same_answer = out.same_answer,
                     .has_counters = true,
                     .counters = out.counters};
    snprintf(row.name, sizeof row.name, "%s", spec->name);
    snprintf(row.other, sizeof row.other, "%s", other_of(spec->question));
    bench_report_add(report, &row);
    report->ours_wrong = report->ours_wrong || !out.same_answer;
    explain(spec, s, &out, report);
    scene_destroy(s);
}

void inside_list(const char* suite,
                 void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < SPECS; ++i) {
        if (strcmp(specs[i].suite, suite) == 0) {
            fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
        }
    }
}

void inside_run(const char* suite, const bench_options* options, const regex_t* wanted,
                bench_report* report) {
    for (size_t i = 0; i < SPECS; ++i) {
        if (strcmp(specs[i].suite, suite) == 0 && bench_is_wanted(specs[i].name, wanted)) {
            bench_progress(specs[i].name);
            run_row(&specs[i], options, report);
        }
    }
}
