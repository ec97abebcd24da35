// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "free": surfaces that get new positions each frame, compared with the libraries that a
// user would use otherwise. Peers run the same queries on the same frames in the same run; every
// time includes setting the new positions. Where several ways of using a peer are named, the row
// shows the fastest.
#include "bench/bench.h"
#include "bench/exact.h"
#include "bench/trial.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    REFIT_100K,
    REFIT_1M,
    COLLIDE_CLOTH2K,
    COLLIDE_CLOTH16K,
    COLLIDE_BLOBS160K,
    COLLIDE_CURTAIN,
    COLLIDE_FUNNEL,
    SELF_CLOTH2K,
    SELF_CLOTH16K,
    SELF_CLOTH64K,
    SELF_CURTAIN,
    SELF_BLOBS160K,
    BUILD_160K,
    THREADS_SELF_CLOTH64K,
    THREADS_COLLIDE_BLOBS160K,
    TRIALS,
};

static const trial_setup setups[TRIALS] = {
    [REFIT_100K] = {"refit of 100k", "sheet", 100000, 12, 1, ASK_UPDATE, CLOCK_CPU},
    [REFIT_1M] = {"refit of 1M", "sheet", 1000000, 6, 1, ASK_UPDATE, CLOCK_CPU},
    [COLLIDE_CLOTH2K] = {"cloth2k", "tablecloth", 2048, 40, 1, ASK_COLLIDE, CLOCK_CPU},
    [COLLIDE_CLOTH16K] = {"cloth16k", "tablecloth", 16200, 40, 1, ASK_COLLIDE, CLOCK_CPU},
    [COLLIDE_BLOBS160K] = {"blobs160k", "blobs", 162000, 30, 3, ASK_COLLIDE, CLOCK_CPU},
    [COLLIDE_CURTAIN] = {"curtain", "curtain", 12012, 110, 1, ASK_COLLIDE, CLOCK_CPU},
    [COLLIDE_FUNNEL] = {"funnel", "funnel", 36000, 60, 2, ASK_COLLIDE, CLOCK_CPU},
    [SELF_CLOTH2K] = {"self cloth2k", "tablecloth", 2048, 40, 1, ASK_SELF, CLOCK_CPU},
    [SELF_CLOTH16K] = {"self cloth16k", "tablecloth", 16200, 40, 1, ASK_SELF, CLOCK_CPU},
    [SELF_CLOTH64K] = {"self cloth64k", "tablecloth", 64082, 40, 3, ASK_SELF, CLOCK_CPU},
    [SELF_CURTAIN] = {"self curtain", "curtain", 12012, 110, 1, ASK_SELF, CLOCK_CPU},
    [SELF_BLOBS160K] = {"self blobs160k", "blobs", 162000, 30, 3, ASK_SELF, CLOCK_CPU},
    [BUILD_160K] = {"build of 160k", "blobs", 162000, 1, 1, ASK_BUILD, CLOCK_CPU},
    [THREADS_SELF_CLOTH64K] = {"self cloth64k by 2 threads", "tablecloth", 64082, 40, 4, ASK_SELF,
                               CLOCK_WALL},
    [THREADS_COLLIDE_BLOBS160K] = {"blobs160k by 2 threads", "blobs", 162000, 30, 3, ASK_COLLIDE,
                                   CLOCK_WALL},
};

// The frame that a row shows, of abut's frames and of the peer's.
typedef enum statistic { MEDIAN, WORST } statistic;

typedef struct row_spec {
    const char* name;
    double at_least;
    double aim;
    int setup;
    statistic frame;
    const char* ours;
    const char* others[3];
} row_spec;

#define QUERY "Embree refit", "Embree SAH"

static const row_spec specs[] = {
    {"refit 100k vs Embree",
     5,
     10,
     REFIT_100K,
     MEDIAN,
     "abut",
     {"Embree refit", "Embree refit (triangles)"}},
    {"refit 1M vs Embree",
     5,
     10,
     REFIT_1M,
     MEDIAN,
     "abut",
     {"Embree refit", "Embree refit (triangles)"}},
    {"refit 1M vs bandwidth bound", 0.5, 0.75, REFIT_1M, MEDIAN, "abut", {"bandwidth bound"}},
    {"update+collide cloth16k worst frame vs Embree",
     2,
     5,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {QUERY}},
    {"update+collide blobs160k worst frame vs Embree",
     2,
     5,
     COLLIDE_BLOBS160K,
     WORST,
     "abut",
     {QUERY}},
    {"funnel scene update+collide vs Embree per object",
     2,
     5,
     COLLIDE_FUNNEL,
     MEDIAN,
     "abut",
     {QUERY}},
    {"self cloth16k vs Embree", 15, 40, SELF_CLOTH16K, MEDIAN, "abut", {QUERY}},
    {"self cloth64k vs Embree", 15, 45, SELF_CLOTH64K, MEDIAN, "abut", {QUERY}},
    {"self curtain vs Embree", 8, 16, SELF_CURTAIN, MEDIAN, "abut", {QUERY}},
    {"self blobs160k vs Embree", 30, 100, SELF_BLOBS160K, MEDIAN, "abut", {QUERY}},
    {"build 160k vs Embree Morton",
     1,
     2,
     BUILD_160K,
     MEDIAN,
     "abut",
     {"Embree Morton", "Embree Morton (triangles)"}},
    {"2 threads self cloth64k",
     1.4,
     1.9,
     THREADS_SELF_CLOTH64K,
     MEDIAN,
     "abut, 2 threads",
     {"abut, 1 thread"}},
    {"2 threads update+collide blobs160k",
     1.4,
     1.9,
     THREADS_COLLIDE_BLOBS160K,
     MEDIAN,
     "abut, 2 threads",
     {"abut, 1 thread"}},

    // Further rows, without a required ratio:
    {"refit 100k, copied and checked, vs Embree",
     0,
     0,
     REFIT_100K,
     MEDIAN,
     "abut, copied",
     {"Embree refit", "Embree refit (triangles)"}},
    {"refit 1M, copied and checked, vs Embree",
     0,
     0,
     REFIT_1M,
     MEDIAN,
     "abut, copied",
     {"Embree refit", "Embree refit (triangles)"}},
    {"refit 100k vs FCL", 0, 0, REFIT_100K, MEDIAN, "abut", {"FCL AABB refit"}},
    {"refit 100k vs Bullet", 0, 0, REFIT_100K, MEDIAN, "abut", {"Bullet GImpact refit"}},
    {"refit 100k vs our AVX2", 0, 0, REFIT_100K, MEDIAN, "abut", {"abut, avx2"}},
    {"refit 100k vs our scalar", 0, 0, REFIT_100K, MEDIAN, "abut", {"abut, scalar"}},
    {"update+collide cloth2k worst frame vs Embree", 0, 0, COLLIDE_CLOTH2K, WORST, "abut", {QUERY}},
    {"update+collide cloth16k median frame vs Embree",
     0,
     0,
     COLLIDE_CLOTH16K,
     MEDIAN,
     "abut",
     {QUERY}},
    {"update+collide cloth16k worst frame vs Embree Morton",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"Embree Morton"}},
    {"update+collide cloth16k worst frame vs FCL",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"FCL AABB refit"}},
    {"update+collide cloth16k worst frame vs FCL default",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"FCL OBBRSS refit"}},
    {"update+collide cloth16k worst frame vs Bullet",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"Bullet btDbvt", "Bullet GImpact rebuild"}},
    {"update+collide cloth16k worst frame vs GImpact refit",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"Bullet GImpact refit"}},
    {"update+collide cloth16k worst frame vs CGAL",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"CGAL boxes"}},
    {"update+collide cloth16k worst frame vs our AVX2",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"abut, avx2"}},
    {"update+collide cloth16k worst frame vs our scalar",
     0,
     0,
     COLLIDE_CLOTH16K,
     WORST,
     "abut",
     {"abut, scalar"}},
    {"update+collide curtain worst frame vs Embree", 0, 0, COLLIDE_CURTAIN, WORST, "abut", {QUERY}},
    {"update+collide curtain worst frame vs GImpact refit",
     0,
     0,
     COLLIDE_CURTAIN,
     WORST,
     "abut",
     {"Bullet GImpact refit"}},
    {"update+collide blobs160k median frame vs Embree",
     0,
     0,
     COLLIDE_BLOBS160K,
     MEDIAN,
     "abut",
     {QUERY}},
    {"funnel scene update+collide vs FCL",
     0,
     0,
     COLLIDE_FUNNEL,
     MEDIAN,
     "abut",
     {"FCL AABB refit"}},
    {"funnel scene update+collide vs FCL default",
     0,
     0,
     COLLIDE_FUNNEL,
     MEDIAN,
     "abut",
     {"FCL OBBRSS refit"}},
    {"funnel scene update+collide vs Bullet",
     0,
     0,
     COLLIDE_FUNNEL,
     MEDIAN,
     "abut",
     {"Bullet btDbvt", "Bullet GImpact rebuild"}},
    {"self cloth2k vs Embree", 0, 0, SELF_CLOTH2K, MEDIAN, "abut", {QUERY}},
    {"self cloth16k worst frame vs Embree", 0, 0, SELF_CLOTH16K, WORST, "abut", {QUERY}},
    {"self cloth64k worst frame vs Embree", 0, 0, SELF_CLOTH64K, WORST, "abut", {QUERY}},
    {"self curtain worst frame vs Embree", 0, 0, SELF_CURTAIN, WORST, "abut", {QUERY}},
    {"self blobs160k worst frame vs Embree", 0, 0, SELF_BLOBS160K, WORST, "abut", {QUERY}},
    {"self cloth16k vs Embree Morton", 0, 0, SELF_CLOTH16K, MEDIAN, "abut", {"Embree Morton"}},
    {"self cloth16k vs FCL", 0, 0, SELF_CLOTH16K, MEDIAN, "abut", {"FCL AABB refit"}},
    {"self cloth16k vs Bullet",
     0,
     0,
     SELF_CLOTH16K,
     MEDIAN,
     "abut",
     {"Bullet btDbvt", "Bullet GImpact rebuild"}},
    {"self cloth16k vs CGAL", 0, 0, SELF_CLOTH16K, MEDIAN, "abut", {"CGAL boxes"}},
    {"self cloth16k vs our AVX2", 0, 0, SELF_CLOTH16K, MEDIAN, "abut", {"abut, avx2"}},
    {"self cloth16k vs our scalar", 0, 0, SELF_CLOTH16K, MEDIAN, "abut", {"abut, scalar"}},
    {"self curtain vs FCL default", 0, 0, SELF_CURTAIN, MEDIAN, "abut", {"FCL OBBRSS refit"}},
    {"self blobs160k vs Embree Morton", 0, 0, SELF_BLOBS160K, MEDIAN, "abut", {"Embree Morton"}},
    {"build 160k vs Embree SAH", 0, 0, BUILD_160K, MEDIAN, "abut", {"Embree SAH"}},
    {"build 160k, tree alone, vs Embree Morton",
     0,
     0,
     BUILD_160K,
     MEDIAN,
     "abut, tree alone",
     {"Embree Morton", "Embree Morton (triangles)"}},
};
enum { SPECS = sizeof specs / sizeof *specs };

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < SPECS; ++i) {
        fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
    }
    fn(user, BENCH_EXACT_NAME, 0, 0);
}

typedef struct kind_list {
    const peer_kind* kinds[MOST_PEERS];
    uint32_t count;
} kind_list;

// Adds a kind if it is built in and not listed yet.
static void add_kind(kind_list* to, const char* name) {
    const peer_kind* kind = name != NULL ? peer_find(name) : NULL;
    if (kind == NULL) {
        return;
    }
    for (uint32_t i = 0; i < to->count; ++i) {
        if (to->kinds[i] == kind) {
            return;
        }
    }
    if (to->count == MOST_PEERS) {
        bench_die("too many peers in one trial");
    }
    to->kinds[to->count++] = kind;
}

// Lists all kinds that the wanted rows of a trial name, the reference first.
static kind_list find_kinds(int setup, const regex_t* wanted) {
    kind_list kinds = {0};
    for (size_t i = 0; i < SPECS; ++i) {
        const row_spec* spec = &specs[i];
        if (spec->setup != setup || !bench_is_wanted(spec->name, wanted)) {
            continue;
        }
        if (kinds.count == 0) {
            add_kind(&kinds, setups[setup].clock == CLOCK_CPU ? "abut" : "abut, 1 thread");
        }
        add_kind(&kinds, spec->ours);
        for (int k = 0; k < 3; ++k) {
            add_kind(&kinds, spec->others[k]);
        }
    }
    return kinds;
}

static uint32_t frame_of(const trial* t, const row_spec* spec, const trial_entry* e, double* ms) {
    return spec->frame == WORST ? trial_worst_frame(t, e, ms) : trial_median_frame(t, e, ms);
}

// Returns the fastest of the others; one with wrong answers only if none is right.
static const trial_entry* find_best(const trial* t, const row_spec* spec, double* best_ms) {
    const trial_entry* best = NULL;
    for (int k = 0; k < 3 && spec->others[k] != NULL; ++k) {
        const trial_entry* other = trial_find(t, spec->others[k]);
        double ms = 0;
        if (other == NULL) {
            continue;
        }
        (void)frame_of(t, spec, other, &ms);
        const bool wrong = other->wrong_frames > 0;
        const bool best_wrong = best != NULL && best->wrong_frames > 0;
        if (best == NULL || (wrong == best_wrong ? ms < *best_ms : best_wrong)) {
            best = other;
            *best_ms = ms;
        }
    }
    return best;
}

static void add_row(const trial* t, const row_spec* spec, bench_report* report) {
    bench_row row = {.at_least = spec->at_least, .aim = spec->aim};
    const trial_entry* ours = trial_find(t, spec->ours);
    const trial_entry* best = find_best(t, spec, &row.other_ms);
    if (ours == NULL || best == NULL) {
        bench_report_note(report, "Not measured: %s. %s is not there.", spec->name,
                          ours == NULL ? spec->ours : spec->others[0]);
        return;
    }
    const uint32_t frame = frame_of(t, spec, ours, &row.ours_ms);
    snprintf(row.name, sizeof row.name, "%s", spec->name);
    snprintf(row.other, sizeof row.other, "%s", best->kind->name);
    row.same_answer = best->wrong_frames == 0 && ours->wrong_frames == 0;
    row.ratio = row.other_ms / row.ours_ms;
    if (t->setup->question == ASK_COLLIDE || t->setup->question == ASK_SELF) {
        row.has_counters = true;
        row.counters = ours->counters[frame];
    }
    bench_report_add(report, &row);
}

// The wall time of two threads shows scaling only if each has a processor of its own.
static void note_load(int setup, bench_report* report) {
    char text[64];
    double load = 0;
    FILE* file = fopen("/proc/loadavg", "r");
    if (file != NULL) {
        load = fgets(text, sizeof text, file) != NULL ? strtod(text, NULL) : 0;
        fclose(file);
    }
    if (setups[setup].clock == CLOCK_WALL && load > 1.5) {
        bench_report_note(
            report,
            "The load was %.1f when %s was measured: without idle processors this tells "
            "nothing about scaling.",
            load, setups[setup].name);
    }
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    trial* done[TRIALS] = {NULL};
    bench_note_isa(report);
    for (int s = 0; s < TRIALS; ++s) {
        const kind_list kinds = find_kinds(s, wanted);
        if (kinds.count > 0) {
            done[s] = trial_run(&setups[s], kinds.kinds, kinds.count, options);
            trial_judge(done[s], report);
            note_load(s, report);
        }
    }
    for (size_t i = 0; i < SPECS; ++i) {
        if (bench_is_wanted(specs[i].name, wanted)) {
            add_row(done[specs[i].setup], &specs[i], report);
        }
    }
    if (bench_is_wanted(BENCH_EXACT_NAME, wanted)) {
        bench_exact(options, report);
    }
    for (int s = 0; s < TRIALS; ++s) {
        trial_destroy(done[s]);
    }
    bench_progress(NULL);
}

extern const bench_suite bench_free;
const bench_suite bench_free = {
    .name = "free",
    .about = "surfaces with new positions each frame, against Embree, FCL, Bullet and CGAL",
    .list = list,
    .run = run,
};
