// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of two rigid blobs that tumble past each other, and the triangles of theirs that
// touch, against FCL with its volume OBBRSS: the slowest frame of each side.
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

// What both sides are asked in each frame.
typedef struct question {
    void (*sides[2])(rigid* r, uint32_t frame);
    bool (*same)(rigid* r, const bench_row* row, bench_report* report);
    double apart;  // half the distance of their paths is 0.75 times this, in radii
} question;

static void distance_abut(rigid* r, uint32_t frame) {
    (void)rigid_ask_abut(r, frame);
}

static void distance_fcl(rigid* r, uint32_t frame) {
    (void)rigid_ask_fcl(r, frame);
}

static bool same_distance(rigid* r, const bench_row* row, bench_report* report) {
    (void)row;
    (void)report;
    return rigid_agree(r, 1e-9);
}

static void collide_abut(rigid* r, uint32_t frame) {
    (void)rigid_collide_abut(r, frame);
}

static void collide_fcl(rigid* r, uint32_t frame) {
    (void)rigid_collide_fcl(r, frame);
}

static bool same_pairs(rigid* r, const bench_row* row, bench_report* report) {
    const rigid_pairs p = rigid_compare(r);
    bench_report_note(report, "%s: triangles touch in %zu of %d frames, at most %zu pairs in one.",
                      row->name, p.frames, FRAMES, p.most);
    if (p.abut + p.fcl > 0) {
        bench_report_note(report, "%s: of %zu pairs of abut FCL lacks %zu, and it has %zu others.",
                          row->name, p.all, p.abut, p.fcl);
    }
    return p.abut + p.fcl == 0;
}

// Radii 1.05 apart do not touch, and radii 0.75 apart cut into each other in the middle.
static const question distances = {{distance_abut, distance_fcl}, same_distance, 1.4};
static const question touches = {{collide_abut, collide_fcl}, same_pairs, 1};

static void play(rigid* r, const question* q, uint32_t round, times* out) {
    for (int side = 0; side < 2; ++side) {
        for (uint32_t f = 0; f < FRAMES; ++f) {
            const double start = bench_now(CLOCK_CPU);
            q->sides[side](r, f);
            out->ms[side][f][round] = bench_now(CLOCK_CPU) - start;
        }
    }
}

// Times of a side: the median of each frame, of all frames, and the slowest frame.
typedef struct side {
    double frames[FRAMES];
    double median;
    double worst;
} side;

static side sum_up(double ms[FRAMES][MOST_ROUNDS], uint32_t rounds) {
    side s = {.worst = 0};
    double sorted[FRAMES];
    for (int f = 0; f < FRAMES; ++f) {
        sorted[f] = s.frames[f] = bench_median(ms[f], rounds);
    }
    s.median = bench_median(sorted, FRAMES);
    s.worst = sorted[FRAMES - 1];
    return s;
}

static void note_frames(const bench_row* row, const side* ours, const side* other,
                        bench_report* report) {
    int least = 0;
    int slower = 0;
    for (int f = 0; f < FRAMES; ++f) {
        slower += ours->frames[f] > other->frames[f];
        if (other->frames[f] * ours->frames[least] < other->frames[least] * ours->frames[f]) {
            least = f;
        }
    }
    bench_report_note(report,
                      "%s: in the median frame %.4f ms against %.4f ms; in the frame of the least "
                      "ratio %.4f ms against %.4f ms; slower in %d of %d frames.",
                      row->name, ours->median, other->median, ours->frames[least],
                      other->frames[least], slower, FRAMES);
}

static void fill_row(rigid* r, const question* q, bool quick, bench_row* row,
                     bench_report* report) {
    times* all = bench_alloc(1, sizeof *all);
    const uint32_t rounds = quick ? 3 : MOST_ROUNDS;
    row->same_answer = q->same(r, row, report);
    for (uint32_t round = 0; round < rounds; ++round) {
        play(r, q, round, all);
    }
    const side ours = sum_up(all->ms[0], rounds);
    const side other = sum_up(all->ms[1], rounds);
    row->ours_ms = ours.worst;
    row->other_ms = other.worst;
    row->ratio = row->other_ms / row->ours_ms;
    snprintf(row->other, sizeof row->other, "FCL OBBRSS");
    note_frames(row, &ours, &other, report);
    free(all);
}

static bool measure(uint32_t triangles, const question* q, const bench_options* options,
                    bench_row* row, bench_report* report) {
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
    rigid* r = rigid_create(meshes, NEAR_OBBRSS, q->apart * size, FRAMES);
    fill_row(r, q, options->quick, row, report);
    rigid_destroy(r);
    free((void*)meshes[0].rest);
    free((void*)meshes[1].rest);
    scene_destroy(s);
    return true;
}

#else

typedef int question;
static const question distances = 0;
static const question touches = 0;

static bool measure(uint32_t triangles, const question* q, const bench_options* options,
                    bench_row* row, bench_report* report) {
    (void)triangles;
    (void)q;
    (void)options;
    bench_report_note(report, "%s: left out, FCL is not built in.", row->name);
    return false;
}

#endif

bool hard_rigid_20k(const bench_options* options, bench_row* row, bench_report* report) {
    return measure(20480, &distances, options, row, report);
}

bool hard_rigid_160k(const bench_options* options, bench_row* row, bench_report* report) {
    return measure(162000, &distances, options, row, report);
}

bool hard_rigid_collide_20k(const bench_options* options, bench_row* row, bench_report* report) {
    return measure(20480, &touches, options, row, report);
}

bool hard_rigid_collide_160k(const bench_options* options, bench_row* row, bench_report* report) {
    return measure(162000, &touches, options, row, report);
}
