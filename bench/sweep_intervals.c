// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contact intervals of an animation, against a sweep from each keyframe to the next. Both sides
// include setting the times, and every round has new bodies, so that boxes of keyframes are made in
// it. A row is about the first body with the others, or (without others) within it.
#include "bench/sweep_scenes.h"

#include "bench/moving.h"

#include <abut/abut.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 12, FRAMES = 40, MOST_ROUNDS = 9 };

typedef struct film {
    const moving* m;
    bool within;  // the first body, not the first with the others
    abut_context* context;
    abut_shape** shapes;
    abut_scene* scene;
    abut_body_id* bodies;
    abut_intervals_result* intervals;
    abut_sweep_result* sweep;
    abut_contact_interval* all;  // of all pairs of bodies
    size_t count;
    size_t room;
} film;

static void need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("%s", abut_status_text(status));
    }
}

static abut_shape* make_shape(abut_context* context, const moving* m, uint32_t body) {
    const peer_mesh* mesh = &m->meshes[body];
    abut_mesh_def mesh_def = abut_mesh_def_default();
    abut_keyframe keys[KEYS];
    abut_mesh* made = NULL;
    abut_shape* shape = NULL;
    mesh_def.positions = abut_positions_f32(mesh->rest, mesh->vertex_count);
    mesh_def.triangles = mesh->triangles;
    mesh_def.triangle_count = mesh->triangle_count;
    need(abut_mesh_create(context, &mesh_def, &made, NULL));
    for (uint32_t k = 0; k < KEYS && mesh->moves; ++k) {
        const float* xyz = moving_stored(m, k * (FRAMES - 1) / (KEYS - 1))[body];
        keys[k] = (abut_keyframe){k, abut_positions_f32(xyz, mesh->vertex_count)};
    }
    abut_flight_def flight = abut_flight_def_default();
    flight.keyframes = keys;
    flight.keyframe_count = mesh->moves ? KEYS : 0;
    need(mesh->moves ? abut_shape_create_flight(context, made, &flight, &shape, NULL)
                     : abut_shape_create(context, made, NULL, &shape, NULL));
    need(abut_shape_build_tree(shape, NULL));
    abut_mesh_destroy(made);
    return shape;
}

static film* open_film(const moving* m, bool within) {
    film* f = bench_alloc(1, sizeof *f);
    f->m = m;
    f->within = within;
    need(abut_context_create(bench_context_def(), &f->context, NULL));
    need(abut_scene_create(f->context, NULL, &f->scene, NULL));
    need(abut_intervals_result_create(f->context, &f->intervals, NULL));
    need(abut_sweep_result_create(f->context, &f->sweep, NULL));
    f->shapes = bench_alloc(m->body_count, sizeof *f->shapes);
    f->bodies = bench_alloc(m->body_count, sizeof *f->bodies);
    for (uint32_t b = 0; b < m->body_count; ++b) {
        f->shapes[b] = make_shape(f->context, m, b);
        need(abut_body_create(f->scene, f->shapes[b], NULL, &f->bodies[b], NULL));
    }
    return f;
}

static void close_film(film* f) {
    abut_intervals_result_destroy(f->intervals);
    abut_sweep_result_destroy(f->sweep);
    abut_scene_destroy(f->scene);
    for (uint32_t b = 0; b < f->m->body_count; ++b) {
        abut_shape_destroy(f->shapes[b]);
    }
    abut_context_destroy(f->context);
    free(f->shapes);
    free(f->bodies);
    free(f->all);
    free(f);
}

static void keep_intervals(film* f) {
    size_t count = 0;
    const abut_contact_interval* found = abut_intervals_result_intervals(f->intervals, &count);
    if (f->count + count > f->room) {
        f->room = 2 * (f->count + count);
        f->all = realloc(f->all, f->room * sizeof *f->all);
        if (f->all == NULL) {
            bench_die("out of memory");
        }
    }
    if (count > 0) {
        memcpy(f->all + f->count, found, count * sizeof *found);
    }
    f->count += count;
}

static double ask_intervals(film* f) {
    double spent = 0;
    f->count = 0;
    for (uint32_t b = f->within ? 0 : 1; b < (f->within ? 1 : f->m->body_count); ++b) {
        const double start = bench_now(CLOCK_CPU);
        need(b == 0 ? abut_intervals_self(f->scene, f->bodies[0], 0, KEYS - 1, NULL, f->intervals,
                                          NULL)
                    : abut_intervals(f->scene, f->bodies[0], f->bodies[b], 0, KEYS - 1, NULL,
                                     f->intervals, NULL));
        spent += bench_now(CLOCK_CPU) - start;
        keep_intervals(f);
    }
    return spent;
}

static void set_time(film* f, double time) {
    for (uint32_t b = 0; b < f->m->body_count; ++b) {
        if (f->m->meshes[b].moves) {
            need(abut_body_set_time(f->scene, f->bodies[b], time, NULL));
        } else if (time <= 1) {  // sets it twice, so that it has a previous state
            const abut_positions rest = abut_positions_f32(f->m->meshes[b].rest,
                                                           f->m->meshes[b].vertex_count);
            need(abut_body_set_positions(f->scene, f->bodies[b], rest, NULL));
        }
    }
}

static bool share_a_vertex(const peer_mesh* mesh, uint32_t a, uint32_t b) {
    bool shared = false;
    for (int i = 0; i < 9; ++i) {
        shared = shared || mesh->classes[mesh->triangles[3 * (size_t)a + (size_t)i / 3]] ==
                               mesh->classes[mesh->triangles[3 * (size_t)b + (size_t)i % 3]];
    }
    return shared;
}

// Whether a contact of a sweep is in an interval of its triangles. Intervals of one pair of bodies
// are sorted by triangles.
static bool is_inside(const film* f, const abut_sweep_pair* contact, double time) {
    for (size_t i = 0; i < f->count; ++i) {
        const abut_contact_interval* s = &f->all[i];
        const bool turned = f->within && contact->triangle_a > contact->triangle_b;
        if (s->body_a == contact->body_a && s->body_b == contact->body_b &&
            s->triangle_a == (turned ? contact->triangle_b : contact->triangle_a) &&
            s->triangle_b == (turned ? contact->triangle_a : contact->triangle_b) &&
            time > s->start - 1e-9 && time < s->stop + 1e-9) {
            return true;
        }
    }
    return f->within && share_a_vertex(&f->m->meshes[0], contact->triangle_a, contact->triangle_b);
}

// One contact in a hundred is looked for among the intervals.
static bool are_inside(const abut_sweep_result* sweep, const film* f, double key,
                       size_t* contacts) {
    size_t count = 0;
    const abut_sweep_pair* found = abut_sweep_result_pairs(sweep, &count);
    bool inside = true;
    for (size_t i = *contacts % 100; i < count; i += 100) {
        inside = is_inside(f, &found[i], key + found[i].time) && inside;
    }
    *contacts += count;
    return inside;
}

// `inside` receives whether all contacts of sweeps are in intervals of `of`.
static double ask_sweeps(film* f, const film* of, bool* inside, size_t* contacts) {
    double start = bench_now(CLOCK_CPU);
    set_time(f, 0);
    double spent = bench_now(CLOCK_CPU) - start;
    *inside = true;
    *contacts = 0;
    for (uint32_t k = 1; k < KEYS; ++k) {
        start = bench_now(CLOCK_CPU);
        set_time(f, k);
        spent += bench_now(CLOCK_CPU) - start;
        for (uint32_t b = f->within ? 0 : 1; b < (f->within ? 1 : f->m->body_count); ++b) {
            start = bench_now(CLOCK_CPU);
            need(b == 0 ? abut_sweep_self(f->scene, f->bodies[0], NULL, f->sweep, NULL)
                        : abut_sweep(f->scene, f->bodies[0], f->bodies[b], NULL, f->sweep, NULL));
            spent += bench_now(CLOCK_CPU) - start;
            *inside = are_inside(f->sweep, of, k - 1, contacts) && *inside;
        }
    }
    return spent;
}

void sweep_measure_intervals(const sweep_scene* row, const bench_options* options,
                             bench_report* report) {
    moving* m = moving_create(row->scene, row->triangles, FRAMES, 1, options->seed);
    bench_row out = {.at_least = row->at_least, .aim = row->aim, .same_answer = true};
    const uint32_t rounds = options->quick ? 3 : MOST_ROUNDS;
    double ms[2][MOST_ROUNDS];
    size_t contacts = 0;
    size_t intervals = 0;
    for (uint32_t r = 0; r < rounds; ++r) {
        film* ours = open_film(m, row->within);
        film* other = open_film(m, row->within);
        bool inside = false;
        ms[0][r] = ask_intervals(ours);
        ms[1][r] = ask_sweeps(other, ours, &inside, &contacts);
        intervals = ours->count;
        out.same_answer = out.same_answer && inside;
        close_film(ours);
        close_film(other);
    }
    snprintf(out.name, sizeof out.name, "%s", row->name);
    snprintf(out.other, sizeof out.other, "sweep from key to key");
    out.ours_ms = bench_median(ms[0], rounds);
    out.other_ms = bench_median(ms[1], rounds);
    out.ratio = out.other_ms / out.ours_ms;
    bench_report_add(report, &out);
    bench_report_note(report,
                      "%s: %d keyframes, %zu contact intervals, %zu contacts of features in "
                      "sweeps; milliseconds of the whole animation.",
                      row->name, KEYS, intervals, contacts);
    moving_destroy(m);
}
