// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of two rigid blobs that tumble past each other, against FCL with its volume OBBRSS:
// the slowest frame of each side.
#include "bench/hard.h"

#include "bench/rigid.h"
#include "scenes/scenes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_HAVE_FCL

enum { MOST_ROUNDS = 9, FRAMES = 60 };

// Moves the middle of a blob to the origin; returns its greatest radius.
static double centre(double* xyz, uint32_t vertices) {
    double middle[3] = {0, 0, 0};
    double most = 0;
    for (size_t i = 0; i < 3 * (size_t)vertices; ++i) {
        middle[i % 3] += xyz[i] / vertices;
    }
    for (size_t i = 0; i < 3 * (size_t)vertices; i += 3) {
        double square = 0;
        for (size_t d = 0; d < 3; ++d) {
            xyz[i + d] -= middle[d];
            square += xyz[i + d] * xyz[i + d];
        }
        most = square > most ? square : most;
    }
    return sqrt(most);
}

typedef struct times {
    double ms[2][FRAMES][MOST_ROUNDS];
} times;

static void play(rigid* r, uint32_t round, times* out) {
    for (uint32_t f = 0; f < FRAMES; ++f) {
        const double start = bench_now(CLOCK_CPU);
        (void)rigid_ask_abut(r, f);
        out->ms[0][f][round] = bench_now(CLOCK_CPU) - start;
    }
    for (uint32_t f = 0; f < FRAMES; ++f) {
        const double start = bench_now(CLOCK_CPU);
        (void)rigid_ask_fcl(r, f);
        out->ms[1][f][round] = bench_now(CLOCK_CPU) - start;
    }
}

// Returns the greatest of the medians of all frames; `median` receives their median.
static double worst_frame(double ms[FRAMES][MOST_ROUNDS], uint32_t rounds, double* median) {
    double frames[FRAMES];
    for (int f = 0; f < FRAMES; ++f) {
        frames[f] = bench_median(ms[f], rounds);
    }
    *median = bench_median(frames, FRAMES);
    return frames[FRAMES - 1];
}

static void fill_row(rigid* r, bool quick, bench_row* row, bench_report* report) {
    times* all = bench_alloc(1, sizeof *all);
    const uint32_t rounds = quick ? 3 : MOST_ROUNDS;
    double median[2];
    row->same_answer = rigid_agree(r, 1e-9);
    for (uint32_t round = 0; round < rounds; ++round) {
        play(r, round, all);
    }
    row->ours_ms = worst_frame(all->ms[0], rounds, &median[0]);
    row->other_ms = worst_frame(all->ms[1], rounds, &median[1]);
    row->ratio = row->other_ms / row->ours_ms;
    snprintf(row->other, sizeof row->other, "FCL OBBRSS");
    bench_report_note(report, "%s: in the median frame %.4f ms against %.4f ms.", row->name,
                      median[0], median[1]);
    free(all);
}

static bool measure(uint32_t triangles, const bench_options* options, bench_row* row,
                    bench_report* report) {
    scene* s = scene_create("blobs", triangles, 0, options->seed);
    near_mesh meshes[2];
    double size = 0;
    for (uint32_t i = 0; i < 2; ++i) {
        const scene_body* b = scene_get_body(s, i);
        double* rest = bench_alloc(3 * (size_t)b->vertex_count, sizeof *rest);
        memcpy(rest, b->rest, 3 * (size_t)b->vertex_count * sizeof *rest);
        size = fmax(size, centre(rest, b->vertex_count));
        meshes[i] = (near_mesh){b->vertex_count, b->triangle_count, b->triangles, rest, true};
    }
    // half the distance of their paths is 1.05 radii, so that they pass close to each other
    rigid* r = rigid_create(meshes, NEAR_OBBRSS, 1.4 * size, FRAMES);
    fill_row(r, options->quick, row, report);
    rigid_destroy(r);
    free((void*)meshes[0].rest);
    free((void*)meshes[1].rest);
    scene_destroy(s);
    return true;
}

#else

static bool measure(uint32_t triangles, const bench_options* options, bench_row* row,
                    bench_report* report) {
    (void)triangles;
    (void)options;
    bench_report_note(report, "%s: left out, FCL is not built in.", row->name);
    return false;
}

#endif

bool hard_rigid_20k(const bench_options* options, bench_row* row, bench_report* report) {
    return measure(20480, options, row, report);
}

bool hard_rigid_160k(const bench_options* options, bench_row* row, bench_report* report) {
    return measure(162000, options, row, report);
}
