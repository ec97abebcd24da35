// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Updates all spheres of a modal shape by its kernel, as queries do, group by group, compared with
// summing up the same numbers in the same order. Smaller shapes stay in the first-level cache,
// where reading is twice as fast; the row is about shapes that do not.
#include "bench/spheres.h"

#include "bench/reduced.h"
#include "bench/rivals.h"
#include "motion/modal.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 31 };

static uint32_t count_spheres(const abut_shape* shape) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < shape->tree.node_count; ++n) {
        count += shape->tree.nodes[n].count;
    }
    return count;
}

static void update_all(const abut_shape* shape, const double* q, abut__balls8* out) {
    const abut__kernels* kernels = shape->context->kernels;
    for (uint32_t n = 0; n < shape->tree.node_count; ++n) {
        const abut__modal_lanes lanes = abut__spheres_group(abut__modal_spheres(shape), n);
        kernels->modal_balls(&lanes, q, &out[n % 8]);
    }
}

// Nanoseconds per sphere: updated, read.
static void time_both(const abut_shape* shape, const double* q, bool quick, double ns[2]) {
    const float* data = abut__modal_spheres(shape)->data.data;
    const size_t count = abut__modal_spheres(shape)->data.count;
    const int rounds = quick ? 11 : MOST_ROUNDS;
    const uint32_t passes = (uint32_t)(1 + 20e6 / (double)(count * sizeof(float)));
    double ms[2][MOST_ROUNDS];
    _Alignas(64) abut__balls8 out[8];
    volatile float sink = 0;
    for (int r = 0; r < rounds; ++r) {
        const double start = bench_now(CLOCK_CPU);
        for (uint32_t k = 0; k < passes; ++k) {
            update_all(shape, q, out);
        }
        const double middle = bench_now(CLOCK_CPU);
        for (uint32_t k = 0; k < passes; ++k) {
            sink = sink + rivals_chosen()->sum(data, count);
        }
        ms[0][r] = middle - start;
        ms[1][r] = bench_now(CLOCK_CPU) - middle;
    }
    for (int k = 0; k < 2; ++k) {
        ns[k] = 1e6 * bench_median(ms[k], (size_t)rounds) / passes / count_spheres(shape);
    }
}

static void measure(uint32_t triangles, const bench_options* options, bench_report* report,
                    bench_row* worst) {
    scene* s = scene_create_with(
        "curtain", &(scene_options){.triangles = triangles, .seed = options->seed, .fields = 12});
    abut_context* context = NULL;
    reduced_def def = reduced_def_default(ABUT_MOTION_MODAL);
    reduced_need(abut_context_create(bench_context_def(), &context, NULL), NULL);
    def.modal_bound = ABUT_MODAL_BOUND_SPHERES;
    abut_shape* shape = reduced_make_shape(context, scene_get_body(s, 0), &def);
    double ns[2];
    double q[64];
    scene_coordinates(s, 0, scene_frame_count(s) / 2, q);
    time_both(shape, q, options->quick, ns);
    bench_report_note(report,
                      "Curtain of %u triangles: %u spheres, %.0f kB; %.2f ns to update one, "
                      "%.2f ns to read it: %.2f.",
                      triangles, count_spheres(shape),
                      1e-3 * (double)(abut__modal_spheres(shape)->data.count * sizeof(float)),
                      ns[0], ns[1], ns[1] / ns[0]);
    if (worst->ratio == 0 || ns[1] / ns[0] < worst->ratio) {
        worst->ours_ms = 1e-6 * ns[0] * count_spheres(shape);
        worst->other_ms = 1e-6 * ns[1] * count_spheres(shape);
        worst->ratio = ns[1] / ns[0];
    }
    abut_shape_destroy(shape);
    abut_context_destroy(context);
    scene_destroy(s);
}

void bench_spheres(const bench_options* options, bench_report* report, double at_least,
                   double aim) {
    static const uint32_t sizes[] = {12012, 196000};
    bench_row row = {.name = BENCH_SPHERES_NAME, .other = "reading", .paper = "750 ns a sphere"};
    bench_progress(row.name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        measure(sizes[i], options, report, &row);
    }
    row.same_answer = true;
    row.at_least = at_least;
    row.aim = aim;
    bench_report_add(report, &row);
}
