// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compares abut_triangles_touch() with tritri.h on the pairs of a draped cloth whose boxes overlap.
// The milliseconds of a million pairs are the nanoseconds of one.
#include "bench/exact.h"

#include "bench/moving.h"
#include "bench/pairs.h"
#include "peers/tritri.h"

#include <abut/abut.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 8, ROUNDS = 15 };

typedef struct question {
    double p[3][3];
    double q[3][3];
} question;

typedef struct questions {
    question* all;
    size_t count;
} questions;

static void need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("%s", abut_status_text(status));
    }
}

// The filter collects every pair that the exact test would get.
static bool collect(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    peer_add(user, body_a, a, body_b, b);
    return false;
}

static void find_candidates(moving* m, abut_scene* scene, abut_body_id body,
                            abut_collide_result* result, questions* out) {
    peer_pairs found = {0};
    abut_collide_def query = abut_collide_def_default();
    query.filter.fn = collect;
    query.filter.user = &found;
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        const float* xyz = moving_frame(m, f)[0];
        const abut_positions positions = abut_positions_f32(xyz, m->meshes[0].vertex_count);
        need(abut_body_set_positions(scene, body, positions, NULL));
        found.count = 0;
        need(abut_collide_self(scene, body, &query, result, NULL));
        out->all = realloc(out->all, (out->count + found.count + 1) * sizeof *out->all);
        if (out->all == NULL) {
            bench_die("out of memory");
        }
        for (size_t i = 0; i < found.count; ++i) {
            question* ask = &out->all[out->count++];
            moving_triangle(m, f, 0, found.pairs[i].triangle_a, ask->p);
            moving_triangle(m, f, 0, found.pairs[i].triangle_b, ask->q);
        }
    }
    pairs_free(&found);
}

static questions make_questions(uint32_t seed) {
    moving* m = moving_create("tablecloth", 16200, FRAMES, 1, seed);
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f32(m->meshes[0].rest, m->meshes[0].vertex_count);
    def.triangles = m->meshes[0].triangles;
    def.triangle_count = m->meshes[0].triangle_count;
    abut_context* context = NULL;
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_body_id body;
    need(abut_context_create(bench_context_def(), &context, NULL));
    need(abut_mesh_create(context, &def, &mesh, NULL));
    need(abut_shape_create(context, mesh, NULL, &shape, NULL));
    need(abut_scene_create(context, NULL, &scene, NULL));
    need(abut_collide_result_create(context, &result, NULL));
    need(abut_body_create(scene, shape, NULL, &body, NULL));
    questions made = {0};
    find_candidates(m, scene, body, result, &made);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    abut_context_destroy(context);
    moving_destroy(m);
    return made;
}

static size_t ask_exact(const questions* q) {
    size_t touching = 0;
    for (size_t i = 0; i < q->count; ++i) {
        bool touch = false;
        (void)abut_triangles_touch((const double(*)[3])q->all[i].p, (const double(*)[3])q->all[i].q,
                                   &touch, NULL);
        touching += touch;
    }
    return touching;
}

static size_t ask_double(const questions* q) {
    size_t touching = 0;
    for (size_t i = 0; i < q->count; ++i) {
        tritri_point p[3];
        tritri_point r[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = (tritri_point){q->all[i].p[k][0], q->all[i].p[k][1], q->all[i].p[k][2]};
            r[k] = (tritri_point){q->all[i].q[k][0], q->all[i].q[k][1], q->all[i].q[k][2]};
        }
        touching += tritri_touch(p, r);
    }
    return touching;
}

void bench_exact(const bench_options* options, bench_report* report) {
    bench_progress(BENCH_EXACT_NAME);
    questions q = make_questions(options->seed);
    double ours[ROUNDS];
    double other[ROUNDS];
    bench_row row = {.name = BENCH_EXACT_NAME, .other = "double test (tritri.h)"};
    row.same_answer = true;
    for (int r = 0; r < ROUNDS; ++r) {
        const double start = bench_now(CLOCK_CPU);
        const size_t exact = ask_exact(&q);
        const double middle = bench_now(CLOCK_CPU);
        const size_t rounded = ask_double(&q);
        const double end = bench_now(CLOCK_CPU);
        ours[r] = middle - start;
        other[r] = end - middle;
        row.same_answer = row.same_answer && exact == rounded;
    }
    const double million = 1e6 / (double)(q.count > 0 ? q.count : 1);
    row.ours_ms = million * bench_median(ours, ROUNDS);
    row.other_ms = million * bench_median(other, ROUNDS);
    row.ratio = row.other_ms / row.ours_ms;
    bench_report_add(report, &row);
    free(q.all);
}
