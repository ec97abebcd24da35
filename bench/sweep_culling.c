// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compares trees and the Voronoi diagram in finding the contacts of a step. Both belong to the
// library and share the exact tests. The scene is a cloth with itself and with the object below it.
#include "bench/sweep_scenes.h"

#include "scenes/scenes.h"

#include <abut/abut.h>
#include <stdlib.h>
#include <string.h>

typedef struct sweeper {
    const scene* from;
    uint32_t body_count;
    abut_context* context;
    abut_scene* scene;
    abut_sweep_result* result[2];  // between bodies, and within them
    abut_body_id* bodies;
    double** xyz[2];
} sweeper;

static void need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("%s", abut_status_text(status));
    }
}

static void add_body(sweeper* s, uint32_t i) {
    const scene_body* body = scene_get_body(s->from, i);
    abut_mesh_def mesh_def = abut_mesh_def_default();
    abut_body_def body_def = abut_body_def_default();
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    mesh_def.positions = abut_positions_f64(body->rest, body->vertex_count);
    mesh_def.triangles = body->triangles;
    mesh_def.triangle_count = body->triangle_count;
    body_def.is_static = !body->moves;
    need(abut_mesh_create(s->context, &mesh_def, &mesh, NULL));
    need(abut_shape_create(s->context, mesh, NULL, &shape, NULL));
    need(abut_body_create(s->scene, shape, &body_def, &s->bodies[i], NULL));
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    for (int end = 0; end < 2; ++end) {
        s->xyz[end][i] = bench_alloc(3 * (size_t)body->vertex_count, sizeof(double));
    }
}

static sweeper sweeper_open(const scene* from) {
    sweeper s = {.from = from, .body_count = scene_body_count(from)};
    need(abut_context_create(bench_context_def(), &s.context, NULL));
    need(abut_scene_create(s.context, NULL, &s.scene, NULL));
    s.bodies = bench_alloc(s.body_count, sizeof *s.bodies);
    for (int i = 0; i < 2; ++i) {
        need(abut_sweep_result_create(s.context, &s.result[i], NULL));
        s.xyz[i] = bench_alloc(s.body_count, sizeof *s.xyz[i]);
    }
    for (uint32_t i = 0; i < s.body_count; ++i) {
        add_body(&s, i);
    }
    return s;
}

static void sweeper_close(sweeper* s) {
    for (int end = 0; end < 2; ++end) {
        for (uint32_t i = 0; i < s->body_count; ++i) {
            free(s->xyz[end][i]);
        }
        free(s->xyz[end]);
        abut_sweep_result_destroy(s->result[end]);
    }
    abut_scene_destroy(s->scene);
    abut_context_destroy(s->context);
    free(s->bodies);
}

static void load_step(sweeper* s, uint32_t frame) {
    for (int end = 0; end < 2; ++end) {
        for (uint32_t i = 0; i < s->body_count; ++i) {
            scene_positions(s->from, i, frame + (uint32_t)end, s->xyz[end][i]);
        }
    }
}

// Runs a step, including new positions; returns milliseconds.
static double run_step(sweeper* s, abut_culling_kind culling, abut_counters* counters) {
    abut_sweep_def query = abut_sweep_def_default();
    *counters = (abut_counters){0};
    query.culling.kind = culling;
    query.head.counters = counters;
    const double start = bench_now(CLOCK_CPU);
    for (uint32_t i = 0; i < s->body_count; ++i) {
        const scene_body* body = scene_get_body(s->from, i);
        if (body->moves) {
            need(abut_body_borrow_step(s->scene, s->bodies[i],
                                       abut_positions_f64(s->xyz[0][i], body->vertex_count),
                                       abut_positions_f64(s->xyz[1][i], body->vertex_count), NULL));
        }
    }
    need(abut_sweep_all(s->scene, &query, s->result[0], NULL));
    need(abut_sweep_self_all(s->scene, &query, s->result[1], NULL));
    return bench_now(CLOCK_CPU) - start;
}

// The contacts found, copied one after the other.
typedef struct found {
    abut_sweep_pair* pairs;
    size_t count;
} found;

static found take_found(const sweeper* s) {
    size_t count[2];
    const abut_sweep_pair* pairs[2];
    for (int i = 0; i < 2; ++i) {
        pairs[i] = abut_sweep_result_pairs(s->result[i], &count[i]);
    }
    found f = {bench_alloc(count[0] + count[1] + 1, sizeof *f.pairs), count[0] + count[1]};
    for (int i = 0; i < 2; ++i) {
        if (count[i] > 0) {
            memcpy(f.pairs + (i == 0 ? 0 : count[0]), pairs[i], count[i] * sizeof *f.pairs);
        }
    }
    return f;
}

void sweep_measure_culling(const sweep_scene* row, const bench_options* options,
                           bench_report* report) {
    enum { FRAMES = 40, STEPS = 4, ROUNDS = 5 };
    scene* from = scene_create(row->scene, row->triangles, FRAMES, options->seed);
    if (from == NULL) {
        bench_die("the scene '%s' cannot be made", row->scene);
    }
    sweeper s = sweeper_open(from);
    bench_row out = {.at_least = row->at_least, .aim = row->aim, .same_answer = true};
    uint64_t contacts = 0;
    uint64_t asked[2] = {0, 0};
    for (uint32_t step = 0; step < STEPS; ++step) {
        double ms[2][ROUNDS];
        load_step(&s, step * (FRAMES - 2) / (STEPS - 1));
        found of[2] = {{NULL, 0}, {NULL, 0}};
        const int rounds = options->quick ? 2 : ROUNDS;
        for (int r = 0; r < rounds; ++r) {
            for (int k = 0; k < 2; ++k) {
                abut_counters counters;
                ms[k][r] = run_step(&s, k == 0 ? ABUT_CULLING_TREE : ABUT_CULLING_VORONOI,
                                    &counters);
                asked[k] += r == 0 ? counters.exact_tests : 0;
                if (r == 0) {
                    of[k] = take_found(&s);
                }
            }
        }
        out.ours_ms += bench_median(ms[0], (size_t)rounds) / STEPS;
        out.other_ms += bench_median(ms[1], (size_t)rounds) / STEPS;
        out.same_answer = out.same_answer && of[0].count == of[1].count &&
                          memcmp(of[0].pairs, of[1].pairs, of[0].count * sizeof *of[0].pairs) == 0;
        contacts += of[0].count;
        free(of[0].pairs);
        free(of[1].pairs);
    }
    snprintf(out.name, sizeof out.name, "%s", row->name);
    snprintf(out.other, sizeof out.other, "abut, Voronoi");
    snprintf(out.paper, sizeof out.paper, "800 ms");
    out.ratio = out.other_ms / out.ours_ms;
    bench_report_add(report, &out);
    bench_report_note(report,
                      "%s: %llu contacts in %d steps; vertices with faces and edges with edges "
                      "asked about a step: %.0f by trees, %.0f by the diagram.",
                      row->name, (unsigned long long)contacts, STEPS, (double)asked[0] / STEPS,
                      (double)asked[1] / STEPS);
    sweeper_close(&s);
    scene_destroy(from);
}
