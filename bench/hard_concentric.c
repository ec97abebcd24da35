// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The distance of two concentric balls: all pairs of opposite triangles are nearly as close as the
// closest. Against Embree's point queries from all vertices of the inner ball, each within the best
// distance so far. Their answer leaves out pairs of edges, so it may be greater by a little.
#include "bench/hard.h"

#include "bench/ball.h"
#include "bench/couple.h"
#include "peers/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef BENCH_HAVE_EMBREE

enum { MOST_ROUNDS = 15 };

static const double near_enough = 1e-5;  // floats near 1, and pairs of edges

static float* narrow(const ball* b) {
    float* xyz = bench_alloc_floats(3 * (size_t)b->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; ++i) {
        xyz[i] = (float)b->xyz[i];
    }
    return xyz;
}

// Starts from nothing.
static double nearest(couple* c, abut_nearest_result* result) {
    abut_nearest_result_clear(result);
    couple_need(abut_nearest(c->scene, c->body[0], c->body[1], NULL, result, NULL));
    return abut_nearest_result_pairs(result, NULL)->distance;
}

static void take_turns(couple* c, void* tree, const float* points, const bench_options* options,
                       bench_row* row) {
    double ms[2][MOST_ROUNDS];
    const uint32_t rounds = options->quick ? 3 : MOST_ROUNDS;
    abut_nearest_result* result = NULL;
    couple_need(abut_nearest_result_create(c->context, &result, NULL));
    const double ours = nearest(c, result);
    const double theirs = points_embree_nearest(tree, points, c->mesh[0].vertex_count);
    for (uint32_t r = 0; r < rounds; ++r) {
        const double start = bench_now(CLOCK_CPU);
        (void)nearest(c, result);
        const double middle = bench_now(CLOCK_CPU);
        (void)points_embree_nearest(tree, points, c->mesh[0].vertex_count);
        ms[0][r] = middle - start;
        ms[1][r] = bench_now(CLOCK_CPU) - middle;
    }
    row->ours_ms = bench_median(ms[0], rounds);
    row->other_ms = bench_median(ms[1], rounds);
    row->ratio = row->other_ms / row->ours_ms;
    row->same_answer = fabs(ours - theirs) < near_enough;
    abut_nearest_result_destroy(result);
}

bool hard_concentric(const bench_options* options, bench_row* row, bench_report* report) {
    const double origin[3] = {0, 0, 0};
    ball inner = ball_make(1, origin, 0, 398, 200);
    ball outer = ball_make(1.1, origin, 0.4, 398, 200);
    const vector_mesh mesh[2] = {
        {inner.xyz, inner.triangles, inner.vertex_count, inner.triangle_count},
        {outer.xyz, outer.triangles, outer.vertex_count, outer.triangle_count}};
    float* points = narrow(&inner);
    float* corners = narrow(&outer);
    void* tree = points_embree_create(corners, outer.vertex_count, outer.triangles,
                                      outer.triangle_count);
    couple c;
    (void)report;
    couple_open(&c, mesh);
    snprintf(row->other, sizeof row->other, "Embree point queries");
    take_turns(&c, tree, points, options, row);
    couple_close(&c);
    points_embree_destroy(tree);
    free(points);
    free(corners);
    ball_free(&inner);
    ball_free(&outer);
    return true;
}

#else

bool hard_concentric(const bench_options* options, bench_row* row, bench_report* report) {
    (void)options;
    bench_report_note(report, "%s: left out, Embree is not built in.", row->name);
    return false;
}

#endif
