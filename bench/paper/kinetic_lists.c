// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kinetic separation list of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for
// Deformable Objects", 2006, on the boxes of kinetic AABB trees, as published, and on boxes that
// are interpolated between keyframes. Tighter boxes make shorter lists with fewer pairs to test.
// For this the tree has events of its own, and each lets the list examine pairs again.
#include "bench/keyed.h"
#include "bench/paper/paper.h"

enum { ROUNDS = 3 };

typedef struct film {
    const char* scene;
    uint32_t triangles;
    uint32_t steps;  // frames per keyframe
} film;

static const film films[] = {
    {"tablecloth", 16200, 30}, {"tablecloth", 16200, 100}, {"dress", 64000, 30},
    {"dress", 64000, 100},     {"shirt", 32000, 30},
};

typedef struct played {
    double ms;  // per frame, and so are the counts
    leaves_counts counts;
} played;

static played play(const keyframes* keys, keyed_way way, uint32_t steps) {
    keyed* k = keyed_create(keys, way);
    const uint32_t segments = keyframes_count(keys) - 1;
    const double frames = (double)segments * steps;
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t key = 0; key < segments; ++key) {
        for (uint32_t step = 0; step < steps; ++step) {
            keyed_update(k, key, step, steps);
            keyed_leaves(k, true);
        }
    }
    played out = {(bench_now(CLOCK_CPU) - begin) / frames, keyed_leaves_counted(k)};
    keyed_destroy(k);
    out.counts.entries /= frames;
    out.counts.pairs /= frames;
    out.counts.events /= frames;
    out.counts.changed /= frames;
    out.counts.looked /= frames;
    return out;
}

static void show(const keyframes* keys, keyed_way way, uint32_t steps, bench_table* table) {
    double ms[ROUNDS];
    played out = {0};
    for (int r = 0; r < ROUNDS; ++r) {
        out = play(keys, way, steps);
        ms[r] = out.ms;
    }
    bench_table_cell(table, "%.0f", out.counts.entries);
    bench_table_cell(table, "%.1f", out.counts.pairs);
    bench_table_cell(table, "%.1f", out.counts.events);
    if (way == KEYED_KINETIC_LISTED) {
        bench_table_cell(table, "%.1f", out.counts.changed);
    }
    bench_table_cell(table, "%.1f", out.counts.looked);
    bench_table_cell(table, "%.4f", bench_median(ms, ROUNDS));
}

void kinetic_make_lists(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report,
        "<scene|triangles|F|linear: entries|overlapping|events|pairs examined|ms|kinetic: "
        "entries|overlapping|events|BV-changes|pairs examined|ms",
        name);
    for (size_t i = 0; i < sizeof films / sizeof *films; ++i) {
        const film* f = &films[i];
        scene* s = scene_create(f->scene, f->triangles, 0, options->seed);
        if (s == NULL) {
            bench_die("the scene '%s' cannot be made", f->scene);
        }
        const uint32_t frames = scene_frame_count(s);
        keyframes* keys = keyframes_create(s, 0, options->quick && frames > 8 ? 8 : frames, false);
        bench_table_cell(table, "%s", f->scene);
        bench_table_cell(table, "%u", scene_get_body(s, 0)->triangle_count);
        bench_table_cell(table, "%u", f->steps);
        show(keys, KEYED_LISTED, f->steps, table);
        show(keys, KEYED_KINETIC_LISTED, f->steps, table);
        keyframes_destroy(keys);
        scene_destroy(s);
    }
}
