// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The root box of a blend body: see root.h. Consecutive calls use different frames, so that no
// state is queried twice.
#include "bench/root.h"

#include "bench/reduced.h"
#include "bench/skinner.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS = 9, FRAMES = 20 };

typedef struct subject {
    abut_context* context;
    abut_scene* scene;
    abut_body_id body;
    const scene_body* from;
    skinner* skinner;
    double* transforms;  // per frame
    float* narrow;       // the same in float
} subject;

static subject start(const scene* s) {
    abut_error error;
    subject x = {.from = scene_get_body(s, 0)};
    const reduced_def def = reduced_def_default(ABUT_MOTION_BLEND);
    reduced_need(abut_context_create(bench_context_def(), &x.context, &error), &error);
    reduced_need(abut_scene_create(x.context, NULL, &x.scene, &error), &error);
    abut_shape* shape = reduced_make_shape(x.context, x.from, &def);
    reduced_need(abut_body_create(x.scene, shape, NULL, &x.body, &error), &error);
    abut_shape_destroy(shape);
    x.skinner = skinner_create(x.from);
    x.transforms = bench_alloc(12 * (size_t)x.from->node_count * FRAMES, sizeof *x.transforms);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        scene_transforms(s, 0, f, x.transforms + 12 * (size_t)x.from->node_count * f);
    }
    x.narrow = bench_alloc_floats(12 * (size_t)x.from->node_count * FRAMES);
    for (size_t i = 0; i < 12 * (size_t)x.from->node_count * FRAMES; ++i) {
        x.narrow[i] = (float)x.transforms[i];
    }
    return x;
}

static void finish(subject* x) {
    skinner_destroy(x->skinner);
    free(x->transforms);
    free(x->narrow);
    abut_scene_destroy(x->scene);
    abut_context_destroy(x->context);
}

static void set(const subject* x, uint32_t frame) {
    abut_error error;
    const uint32_t nodes = x->from->node_count;
    const double* t = x->transforms + 12 * (size_t)nodes * frame;
    reduced_need(abut_body_set_transforms(x->scene, x->body, abut_transforms_f64(t, nodes), NULL, 0,
                                          &error),
                 &error);
}

static void time_ours(const subject* x, double* box_us, double* set_us) {
    double box_ms = 0;
    double set_ms = 0;
    enum { PASSES = 20 };
    for (uint32_t i = 0; i < PASSES * FRAMES; ++i) {
        const double begin = bench_now(CLOCK_WALL);
        set(x, i % FRAMES);
        const double middle = bench_now(CLOCK_WALL);
        abut_box box;
        reduced_need(abut_body_box(x->scene, x->body, &box, NULL), NULL);
        const double end = bench_now(CLOCK_WALL);
        set_ms += middle - begin;
        box_ms += end - middle;
    }
    *box_us = 1e3 * box_ms / (PASSES * FRAMES);
    *set_us = 1e3 * set_ms / (PASSES * FRAMES);
}

static double time_optimal(const subject* x) {
    const double begin = bench_now(CLOCK_WALL);
    float lo[3];
    float hi[3];
    for (uint32_t f = 0; f < FRAMES; ++f) {
        (void)skinner_run(x->skinner, x->narrow + 12 * (size_t)x->from->node_count * f, NULL);
        skinner_box(x->skinner, lo, hi);
    }
    return 1e3 * (bench_now(CLOCK_WALL) - begin) / FRAMES;
}

// The best box is computed from vertices in double, like answers.
static void compare(const subject* x, root_outcome* out) {
    double sum = 0;
    out->holds = true;
    for (uint32_t f = 0; f < FRAMES; ++f) {
        abut_box box;
        abut_box best = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        set(x, f);
        reduced_need(abut_body_box(x->scene, x->body, &box, NULL), NULL);
        for (uint32_t v = 0; v < x->from->vertex_count; ++v) {
            double p[3];
            reduced_need(abut_body_vertex(x->scene, x->body, v, p, NULL), NULL);
            for (int d = 0; d < 3; ++d) {
                best.lo[d] = fmin(best.lo[d], p[d]);
                best.hi[d] = fmax(best.hi[d], p[d]);
            }
        }
        double ours_sq = 0;
        double best_sq = 0;
        for (int d = 0; d < 3; ++d) {
            out->holds = out->holds && box.lo[d] <= best.lo[d] && box.hi[d] >= best.hi[d];
            ours_sq += (box.hi[d] - box.lo[d]) * (box.hi[d] - box.lo[d]);
            best_sq += (best.hi[d] - best.lo[d]) * (best.hi[d] - best.lo[d]);
        }
        const double ratio = sqrt(ours_sq / best_sq);
        sum += ratio / FRAMES;
        out->worst_ratio = fmax(out->worst_ratio, ratio);
    }
    out->mean_ratio = sum;
}

root_outcome root_measure(uint32_t triangles, uint32_t nodes, const bench_options* options) {
    scene* s = scene_create_with("brain", &(scene_options){.triangles = triangles,
                                                           .frames = FRAMES,
                                                           .nodes = nodes,
                                                           .seed = options->seed});
    if (s == NULL) {
        bench_die("the scene 'brain' cannot be made");
    }
    subject x = start(s);
    root_outcome out = {0};
    double ours[ROUNDS];
    double sets[ROUNDS];
    double optimal[ROUNDS];
    compare(&x, &out);
    (void)time_optimal(&x);
    const size_t rounds = options->quick ? 3 : ROUNDS;
    for (size_t r = 0; r < rounds; ++r) {
        optimal[r] = time_optimal(&x);
        time_ours(&x, &ours[r], &sets[r]);
    }
    out.ours_us = bench_median(ours, rounds);
    out.set_us = bench_median(sets, rounds);
    out.optimal_us = bench_median(optimal, rounds);
    finish(&x);
    scene_destroy(s);
    return out;
}
