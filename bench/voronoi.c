// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "voronoi": distances to the nearest body or triangle, among many deforming and breaking
// bodies, as in Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among
// Deformable Models Using Discrete Voronoi Diagrams" (2006). Every time includes setting new
// positions and making bodies that appear. Baselines: the paper's tree of boxes, its own culling,
// and FCL.
//
// 'table 1' asks what the paper's table asks: within the skirt and the cloth for every triangle its
// nearest one, elsewhere for every body its nearest other one, and that within all bodies that move.
//
// Counts: 'pairs in the PNS' counts the pairs that culling leaves, as the paper does: on one side
// those whose boxes in the trees are near enough, on the other those in the sets of potential
// neighbours. 'exact tests' counts calls of the exact distance of two triangles. On our side a bound
// in floats stands between the two; on the other there is nothing. Within a body, each triangle has a
// set of its own, so a pair may count twice in both; but on our side two triangles that are searched
// for together are measured once.
#include "bench/boxes.h"
#include "bench/near_trial.h"
#include "bench/paper/paper.h"

#include <stdio.h>
#include <string.h>

static const near_setup blobs20k = {NEAR_PAIR, "blobs", 20480, 31, 10, 0, 0};
static const near_setup blobs160k = {NEAR_PAIR, "blobs", 162000, 31, 10, 0, 0};
static const near_setup cloth16k = {NEAR_PAIR, "tablecloth", 16200, 40, 4, 0, 0};
static const near_setup letters = {NEAR_BODIES, "letters", 0, 120, 1, 50, 6};
static const near_setup cloth12k = {NEAR_WITHIN, "skirt", 12000, 60, 1, 40, 4};
static const near_setup skirt = {NEAR_WITHIN, "skirt", 0, 60, 20, 0, 0};
static const near_setup cloth_ball = {NEAR_WITHIN, "cloth_ball", 0, 60, 20, 0, 0};
static const near_setup bowl = {NEAR_BODIES, "bowl", 0, 60, 1, 30, 10};
static const near_setup breaking = {NEAR_BODIES, "breaking", 0, 60, 1, 10, 40};
static const near_setup bowl_both = {NEAR_BOTH, "bowl", 0, 60, 10, 0, 0};
static const near_setup letters_both = {NEAR_BOTH, "letters", 0, 60, 15, 0, 0};
static const near_setup breaking_both = {NEAR_BOTH, "breaking", 0, 60, 5, 0, 0};
static const near_setup crowd = {NEAR_BODIES, "crowd", 0, 40, 1, 10, 3};

typedef enum rival { RIVAL_FCL, RIVAL_AABB, RIVAL_VORONOI } rival;
// What is compared: times of trees and of the rival, those of Voronoi culling and of the rival, or
// counts of Voronoi culling and of the rival.
typedef enum measure { TIMES, VORONOI_TIMES, TESTS, PAIRS } measure;

typedef struct row_spec {
    const char* name;
    double at_least;
    double aim;
    const char* paper;
    const near_setup* setup;
    rival rival;
    measure measure;
} row_spec;

// Rows 'vs grid Voronoi' compare two ways of ours: trees with the answers of the last step as a
// start, and Voronoi culling, which starts from nothing. So a faster diagram lowers their ratio; it
// says which of the two to choose, not how fast either is.
static const row_spec specs[] = {
    {"distance+update blobs20k vs FCL", 6, 20, "", &blobs20k, RIVAL_FCL, TIMES},
    {"distance+update blobs160k vs FCL", 6, 40, "", &blobs160k, RIVAL_FCL, TIMES},
    {"distance+update cloth16k vs FCL", 5, 15, "", &cloth16k, RIVAL_FCL, TIMES},
    {"200 letters vs AABB hierarchy", 3, 8, "12x", &letters, RIVAL_AABB, TIMES},
    {"200 letters vs grid Voronoi", 3, 8, "", &letters, RIVAL_VORONOI, TIMES},
    {"200 letters vs FCL manager", 5, 20, "", &letters, RIVAL_FCL, TIMES},
    {"all triangles cloth 12k vs descent per triangle", 3, 6, "3.4x", &cloth12k, RIVAL_AABB, TIMES},
    {"exact tests skirt", 5, 50, "5x to 100x", &skirt, RIVAL_AABB, TESTS},
    {"exact tests cloth ball", 5, 50, "5x to 100x", &cloth_ball, RIVAL_AABB, TESTS},
    {"exact tests bowl", 5, 50, "5x to 100x", &bowl, RIVAL_AABB, TESTS},
    {"exact tests letters", 5, 100, "5x to 100x", &letters, RIVAL_AABB, TESTS},
    {"exact tests breaking", 5, 50, "5x to 100x", &breaking, RIVAL_AABB, TESTS},
    {"pairs in the PNS, skirt", 3, 10, "5x to 100x", &skirt, RIVAL_AABB, PAIRS},
    {"pairs in the PNS, letters", 8, 50, "5x to 100x", &letters, RIVAL_AABB, PAIRS},
    {"table 1 skirt time AABB over Voronoi", 3, 6, "3.4x", &skirt, RIVAL_AABB, VORONOI_TIMES},
    {"table 1 cloth ball time AABB over Voronoi", 3, 6, "5.4x", &cloth_ball, RIVAL_AABB,
     VORONOI_TIMES},
    {"table 1 bowl time AABB over Voronoi", 3, 12, "16x", &bowl_both, RIVAL_AABB, VORONOI_TIMES},
    {"table 1 letters time AABB over Voronoi", 5, 12, "12x", &letters_both, RIVAL_AABB,
     VORONOI_TIMES},
    {"table 1 breaking time AABB over Voronoi", 3, 15, "22x", &breaking_both, RIVAL_AABB,
     VORONOI_TIMES},

    // Further rows, without a required ratio:
    {"breaking bodies vs AABB hierarchy", 0, 0, "22x", &breaking, RIVAL_AABB, TIMES},
    {"breaking bodies vs grid Voronoi", 0, 0, "", &breaking, RIVAL_VORONOI, TIMES},
    {"breaking bodies vs FCL manager", 0, 0, "", &breaking, RIVAL_FCL, TIMES},
    {"2000 bodies vs grid Voronoi", 0, 0, "", &crowd, RIVAL_VORONOI, TIMES},
    {"2000 bodies vs FCL manager", 0, 0, "", &crowd, RIVAL_FCL, TIMES},
};
enum { SPECS = sizeof specs / sizeof *specs };

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < SPECS; ++i) {
        fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
    }
    fn(user, boxes_row_name, 1, 3);
    for (size_t i = 0; i < near_table_count; ++i) {
        fn(user, near_tables[i].name, 0, 0);
    }
}

// Lists the other methods of a row; returns their number.
static uint32_t rivals_of(const row_spec* spec, const near_kind* kinds[NEAR_MOST_PEERS]) {
    uint32_t count = 0;
    kinds[count++] = spec->measure != TIMES ? &near_abut_voronoi : &near_abut;
    switch (spec->rival) {
        case RIVAL_AABB: kinds[count++] = &near_aabb; break;
        case RIVAL_VORONOI: kinds[count++] = &near_abut_voronoi; break;
        case RIVAL_FCL:
#ifdef BENCH_HAVE_FCL
            kinds[count++] = &near_fcl_boxes;
            kinds[count++] = &near_fcl_rebuild;
            kinds[count++] = &near_fcl_refit;
            if (spec->setup == &cloth16k) {  // elsewhere it takes minutes, and is wrong, too
                kinds[count++] = &near_fcl_default;
            }
#endif
            break;
    }
    return count;
}

// Returns the fastest of those that are right; NULL: none is.
static const near_entry* fastest(const near_trial* t) {
    const near_entry* best = NULL;
    for (uint32_t i = 1; i < t->entry_count; ++i) {
        const near_entry* e = &t->entries[i];
        if (e->wrong_frames == 0 &&
            (best == NULL || near_trial_ms(t, e) < near_trial_ms(t, best))) {
            best = e;
        }
    }
    return best;
}

static void tell_entries(const row_spec* spec, const near_trial* t, bench_report* report) {
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        const near_entry* e = &t->entries[i];
        if (e->bodies > 0) {
            bench_report_note(report, "%s: %s made %llu bodies and %llu trees.", spec->name,
                              e->kind->name, (unsigned long long)e->bodies,
                              (unsigned long long)e->trees);
        }
        if (e->wrong_frames > 0) {
            bench_report_note(report,
                              "%s: %s is wrong in %u of %u frames, by up to %.2g of the scene's "
                              "size; %.3f ms.",
                              spec->name, e->kind->name, e->wrong_frames, t->frame_count,
                              e->worst_error, near_trial_ms(t, e));
        } else if (e->kind->tests == NULL) {
            bench_report_note(report, "%s: %s %.3f ms.", spec->name, e->kind->name,
                              near_trial_ms(t, e));
        } else {
            bench_report_note(report, "%s: %s %.3f ms, %.0f pairs of triangles measured a frame.",
                              spec->name, e->kind->name, near_trial_ms(t, e),
                              (double)near_trial_tests(t, e) / t->frame_count);
        }
    }
}

static double number_of(const row_spec* spec, const near_trial* t, const near_entry* entry) {
    switch (spec->measure) {
        case TESTS: return (double)near_trial_tests(t, entry) / t->frame_count;
        case PAIRS: return (double)entry->pairs / t->frame_count;
        default: return near_trial_ms(t, entry);
    }
}

static void run_row(const row_spec* spec, const bench_options* options, bench_report* report) {
    const near_kind* kinds[NEAR_MOST_PEERS];
    const uint32_t count = rivals_of(spec, kinds);
    near_trial* t = near_trial_run(spec->setup, kinds, count, 0, options);
    const near_entry* other = fastest(t);
    if (t->entry_count < 2) {
        bench_report_note(report, "%s: left out, FCL is not built in.", spec->name);
    } else {
        bench_row row = {
            .at_least = spec->at_least, .aim = spec->aim, .same_answer = other != NULL};
        other = other != NULL ? other : &t->entries[1];
        row.ours_ms = number_of(spec, t, &t->entries[0]);
        row.other_ms = number_of(spec, t, other);
        row.ratio = row.other_ms / row.ours_ms;
        snprintf(row.name, sizeof row.name, "%s", spec->name);
        snprintf(row.other, sizeof row.other, "%s", other->kind->name);
        snprintf(row.paper, sizeof row.paper, "%s", spec->paper);
        bench_report_add(report, &row);
        tell_entries(spec, t, report);
    }
    near_trial_destroy(t);
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    bench_note_isa(report);
    for (size_t i = 0; i < SPECS; ++i) {
        if (bench_is_wanted(specs[i].name, wanted)) {
            bench_progress(specs[i].name);
            run_row(&specs[i], options, report);
        }
    }
    if (bench_is_wanted(boxes_row_name, wanted)) {
        bench_progress(boxes_row_name);
        boxes_run(options, report);
    }
    if (options->tables) {
        paper_make_tables(near_tables, near_table_count, options, wanted, report);
    }
    bench_progress(NULL);
}

extern const bench_suite bench_voronoi;
const bench_suite bench_voronoi = {
    .name = "voronoi",
    .about = "nearest things among many deforming and breaking bodies",
    .list = list,
    .run = run,
};
