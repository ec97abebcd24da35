// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Figure 12 of Sud and others (2006): the time of each part of Voronoi culling. The library's
// internals are timed part by part; the rest of the whole query is exact tests and the search.
#include "abut/abut.h"
#include "voronoi/voronoi.h"

#include "bench/near.h"
#include "bench/paper/paper.h"
#include "scenes/scenes.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5 };

typedef struct staged {
    abut_context* context;
    abut_scene* scene;
    abut_nearest_result* gaps;
    abut_body_id first;
    bool within;
    bool runs;  // there is no grid
    abut__voronoi v;
} staged;

static void require(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("abut: %s", abut_status_text(status));
    }
}

static bool meet_always(const abut__body* a, const abut__body* b) {
    (void)a;
    (void)b;
    return true;
}

static void add_bodies(staged* s, const struct scene* from, uint32_t frame) {
    bool any = false;
    for (uint32_t i = 0; i < scene_body_count(from); ++i) {
        const scene_body* b = scene_get_body(from, i);
        abut_mesh_def def = abut_mesh_def_default();
        abut_mesh* mesh = NULL;
        abut_shape* shape = NULL;
        abut_body_id id;
        if (!scene_present(from, i, frame)) {
            continue;
        }
        double* xyz = bench_alloc(3 * (size_t)b->vertex_count, sizeof *xyz);
        scene_positions(from, i, frame, xyz);
        def.positions = abut_positions_f64(xyz, b->vertex_count);
        def.triangles = b->triangles;
        def.triangle_count = b->triangle_count;
        require(abut_mesh_create(s->context, &def, &mesh, NULL));
        require(abut_shape_create(s->context, mesh, NULL, &shape, NULL));
        require(abut_body_create(s->scene, shape, NULL, &id, NULL));
        abut_shape_destroy(shape);
        abut_mesh_destroy(mesh);
        free(xyz);
        s->first = any ? s->first : id;
        any = true;
    }
}

// Times gathering, stage I and stage II separately, with a grid or in runs, as the query does.
static void time_parts(staged* s, double ms[4]) {
    const abut__voronoi_ask ask = {.meet = meet_always};
    const double start = bench_now(CLOCK_CPU);
    abut__voronoi_begin(s->context, &s->v);
    for (uint32_t i = 0; i < abut_scene_body_limit(s->scene); ++i) {
        abut__body* body = abut__scene_at(s->scene, i);
        if (body != NULL && (!s->within || body->index == s->first.index)) {
            abut__sites_add(s->context, &s->v.sites, body);
        }
    }
    abut__sites_place(s->context, &s->v.sites, 0);
    const double gathered = bench_now(CLOCK_CPU);
    abut__intervals_sort(s->context, &s->v.sites, &s->v.intervals);
    if (!s->within) {
        abut__intervals_sample(s->context, &s->v.sites, meet_always, &s->v.intervals);
    }
    const double sampled = bench_now(CLOCK_CPU);
    s->runs = !s->within && abut__line_fits(&s->v, &ask);
    if (s->runs) {
        abut__line_make(s->context, &s->v);
    } else {
        abut__grid_fill(s->context, &s->v.sites, &s->v.grid);
    }
    if (s->within) {
        abut__rings_make(s->context, &s->v);
    }
    const double spread = bench_now(CLOCK_CPU);
    ms[0] = gathered - start;
    ms[1] = sampled - gathered;
    ms[2] = spread - sampled;
}

static double time_all(staged* s) {
    abut_nearest_def def = abut_nearest_def_default();
    def.culling.kind = ABUT_CULLING_VORONOI;
    const double start = bench_now(CLOCK_CPU);
    require(s->within ? abut_nearest_self(s->scene, s->first, &def, s->gaps, NULL)
                      : abut_nearest_all(s->scene, &def, s->gaps, NULL));
    return bench_now(CLOCK_CPU) - start;
}

static void add_row(const char* name, bool within, const char* published,
                    const bench_options* options, bench_table* table) {
    double ms[5][ROUNDS];
    staged s = {.within = within};
    struct scene* from = scene_create(name, 0, 60, options->seed);
    if (from == NULL) {
        bench_die("the scene '%s' cannot be made", name);
    }
    require(abut_context_create(bench_context_def(), &s.context, NULL));
    require(abut_scene_create(s.context, NULL, &s.scene, NULL));
    require(abut_nearest_result_create(s.context, &s.gaps, NULL));
    add_bodies(&s, from, 40);
    for (int round = 0; round < ROUNDS; ++round) {
        double part[4];
        time_parts(&s, part);
        for (int k = 0; k < 3; ++k) {
            ms[k][round] = part[k];
        }
        ms[4][round] = time_all(&s);
        ms[3][round] = ms[4][round] - part[0] - part[1] - part[2];
    }
    bench_table_cell(table, "%s", name);
    if (s.runs) {
        bench_table_cell(table, "none");
    } else {
        bench_table_cell(table, "%ux%ux%u", s.v.grid.size[0], s.v.grid.size[1], s.v.grid.size[2]);
    }
    for (int k = 0; k < 5; ++k) {
        bench_table_cell(table, "%.2f", bench_median(ms[k], ROUNDS));
    }
    bench_table_cell(table, "%s", published);
    abut__voronoi_free(s.context, &s.v);
    abut_nearest_result_destroy(s.gaps);
    abut_scene_destroy(s.scene);
    abut_context_destroy(s.context);
    scene_destroy(from);
}

void near_make_stages(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(report,
                                            "<scene|grid|gathering|I: intervals, samples|II: grid "
                                            "or runs, rings|II: diagram; III: exact|all|"
                                            "paper: all",
                                            name);
    add_row("skirt", true, "530", options, table);
    add_row("cloth_ball", true, "700", options, table);
    add_row("bowl", false, "70", options, table);
    add_row("letters", false, "1100", options, table);
    add_row("breaking", false, "120", options, table);
}
