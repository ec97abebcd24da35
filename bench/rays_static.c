// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of rays at a static body: first hits of a million rays, against Embree in its fastest way:
// single rays, packets or streams, with its robust flag. Embree answers in float: a note says how
// many rays have another first triangle, and who is right by the exact test.
#include "bench/rays_common.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef BENCH_HAVE_EMBREE

enum { MOST_ROUNDS = 7 };

typedef struct stage {
    scene* from;
    const scene_body* body;
    float* xyz;
    abut_context* context;
    abut_shape* shape;
    abut_scene* scene;
    abut_body_id id;
    abut_cast_result* result;
} stage;

static void open_stage(stage* s, uint32_t seed) {
    abut_error error;
    const scene_options wishes = {.triangles = 162000, .frames = 2, .seed = seed};
    *s = (stage){.from = scene_create_with("blobs", &wishes)};
    if (s->from == NULL) {
        bench_die("the scene 'blobs' cannot be made");
    }
    s->body = scene_get_body(s->from, 0);
    s->xyz = bench_alloc_floats(3 * (size_t)s->body->vertex_count);
    for (size_t i = 0; i < 3 * (size_t)s->body->vertex_count; ++i) {
        s->xyz[i] = (float)s->body->rest[i];
    }
    const reduced_def def = reduced_def_default(ABUT_MOTION_FREE);
    reduced_need(abut_context_create(bench_context_def(), &s->context, &error), &error);
    s->shape = reduced_make_shape(s->context, s->body, &def);
    reduced_need(abut_scene_create(s->context, NULL, &s->scene, &error), &error);
    reduced_need(abut_body_create(s->scene, s->shape, NULL, &s->id, &error), &error);
    reduced_need(abut_body_borrow_positions(
                     s->scene, s->id, abut_positions_f32(s->xyz, s->body->vertex_count), &error),
                 &error);
    reduced_need(abut_cast_result_create(s->context, &s->result, &error), &error);
}

static void close_stage(stage* s) {
    abut_cast_result_destroy(s->result);
    abut_scene_destroy(s->scene);
    abut_shape_destroy(s->shape);
    abut_context_destroy(s->context);
    scene_destroy(s->from);
    free(s->xyz);
}

static double cast_ours(stage* s, const rays_set* set, abut_counters* counters) {
    abut_error error;
    abut_cast_def def = abut_cast_def_default();
    def.head.counters = counters;
    const double begin = bench_now(CLOCK_CPU);
    reduced_need(abut_cast(s->scene, s->id,
                           abut_rays_f32(set->origins, set->directions, set->count), &def,
                           s->result, &error),
                 &error);
    return bench_now(CLOCK_CPU) - begin;
}

static double cast_theirs(void* tree, rays_way way, const rays_set* set) {
    const rays_batch batch = rays_batch_of(set);
    const double begin = bench_now(CLOCK_CPU);
    rays_embree_cast(tree, way, &batch, set->theirs, set->at);
    return bench_now(CLOCK_CPU) - begin;
}

// The median time of the fastest way.
static double time_theirs(void* tree, const rays_set* set, uint32_t rounds, rays_way* best) {
    double least = 0;
    for (int way = 0; way < RAYS_WAYS; ++way) {
        double ms[MOST_ROUNDS];
        for (uint32_t r = 0; r < rounds; ++r) {
            ms[r] = cast_theirs(tree, (rays_way)way, set);
        }
        const double middle = bench_median(ms, rounds);
        if (way == 0 || middle < least) {
            least = middle;
            *best = (rays_way)way;
        }
    }
    return least;
}

static void explain(const bench_row* row, const rays_set* set, const rays_verdict* v, double fast,
                    rays_way way, bench_report* report) {
    static const char* const names[RAYS_WAYS] = {"single rays", "packets", "streams"};
    bench_report_note(report,
                      "%s: %zu rays; Embree by %s. Without its robust flag it takes %.1f ms, a "
                      "ratio of %.2f. %zu "
                      "rays have another first triangle there; the exact test finds %zu answers of "
                      "abut wrong and "
                      "%zu of Embree.",
                      row->name, set->count, names[way], fast, fast / row->ours_ms, v->differ,
                      v->ours_wrong, v->theirs_wrong);
}

static void compare(stage* s, rays_set* set, const bench_options* options, bench_row* row,
                    bench_report* report) {
    const uint32_t rounds = options->quick ? 3 : MOST_ROUNDS;
    double ms[MOST_ROUNDS];
    rays_way way;
    void* tree = rays_embree_create(s->xyz, s->body->vertex_count, s->body->triangles,
                                    s->body->triangle_count, true, false);
    void* loose = rays_embree_create(s->xyz, s->body->vertex_count, s->body->triangles,
                                     s->body->triangle_count, false, false);
    (void)cast_ours(s, set, NULL);
    for (uint32_t r = 0; r < rounds; ++r) {
        ms[r] = cast_ours(s, set, NULL);
    }
    row->ours_ms = bench_median(ms, rounds);
    const double fast = time_theirs(loose, set, rounds, &way);
    row->other_ms = time_theirs(tree, set, rounds, &way);
    (void)cast_theirs(tree, way, set);
    (void)cast_ours(s, set, &row->counters);
    const rays_verdict v = rays_judge(set, s->result, s->xyz, s->body->triangles);
    row->ratio = row->other_ms / row->ours_ms;
    row->same_answer = v.ours_wrong == 0;
    row->has_counters = true;
    snprintf(row->other, sizeof row->other, "Embree");
    explain(row, set, &v, fast, way, report);
    rays_embree_destroy(tree);
    rays_embree_destroy(loose);
}

static bool measure_coherent(const bench_options* options, bench_row* row, bench_report* report) {
    stage s;
    open_stage(&s, options->seed);
    const abut_box box = rays_box(s.xyz, s.body->vertex_count);
    rays_set set = rays_camera(&box, options->quick ? 512 : 1008);
    compare(&s, &set, options, row, report);
    rays_set_free(&set);
    close_stage(&s);
    return true;
}

static bool measure_random(const bench_options* options, bench_row* row, bench_report* report) {
    stage s;
    open_stage(&s, options->seed);
    const abut_box box = rays_box(s.xyz, s.body->vertex_count);
    rays_set set = rays_anywhere(&box, options->quick ? 250000 : 1000000, options->seed);
    compare(&s, &set, options, row, report);
    rays_set_free(&set);
    close_stage(&s);
    return true;
}

#else

static bool leave_out(const bench_options* options, bench_row* row, bench_report* report) {
    (void)options;
    bench_report_note(report, "%s: left out, Embree is not built in.", row->name);
    return false;
}
#define measure_coherent leave_out
#define measure_random leave_out

#endif

const rays_spec rays_static_rows[] = {
    {"first hit static 1M coherent vs Embree", 0.3, 0.8, measure_coherent, true},
    {"first hit static 1M random vs Embree", 0.3, 0.8, measure_random, true},
    {NULL, 0, 0, NULL, false},
};
