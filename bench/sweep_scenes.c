// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of whole scenes: see sweep_scenes.h.
//
// A cloth with itself. The baseline takes the pairs of triangles whose boxes over the step overlap,
// found by our own tree, then vertices with faces and edges with edges whose boxes overlap, and
// runs the inclusion method on each.
//
// Modal and blend bodies that pass each other. The baseline deforms all vertices at full SIMD
// width, passes them to free bodies, and runs the same sweep.
#include "bench/sweep_scenes.h"

#include "bench/moving.h"
#include "bench/paper/inclusion.h"
#include "bench/reduced.h"

#include <abut/abut.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("%s", abut_status_text(status));
    }
}

// ---- a cloth with itself

typedef struct cloth {
    const peer_mesh* mesh;
    abut_context* context;
    abut_scene* scene;
    abut_sweep_result* result;
    abut_body_id body;
    uint8_t* owned;  // per triangle: the vertices and edges of which it is the lowest triangle
    const float* xyz[2];
    uint32_t (*pairs)[2];
    size_t pair_count;
    size_t pair_room;
    uint64_t contacts;
} cloth;

static int compare_keys(const void* x, const void* y) {
    const uint64_t* a = x;
    const uint64_t* b = y;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] < b[1] ? -1 : a[1] > b[1];
}

static void give_owners(const peer_mesh* mesh, uint8_t* owned) {
    uint64_t(*keys)[2] = bench_alloc(6 * (size_t)mesh->triangle_count, sizeof *keys);
    size_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            const uint64_t a = mesh->triangles[3 * (size_t)t + c];
            const uint64_t b = mesh->triangles[3 * (size_t)t + (c + 1) % 3];
            keys[count][0] = (a + 1) << 32;
            keys[count++][1] = (uint64_t)t << 3 | c;
            keys[count][0] = a < b ? (a + 1) << 32 | (b + 1) : (b + 1) << 32 | (a + 1);
            keys[count++][1] = (uint64_t)t << 3 | (3 + c);
        }
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || keys[i][0] != keys[i - 1][0]) {
            owned[keys[i][1] >> 3] |= (uint8_t)(1u << (keys[i][1] & 7));
        }
    }
    free(keys);
}

static cloth cloth_open(const peer_mesh* mesh) {
    cloth c = {.mesh = mesh};
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f32(mesh->rest, mesh->vertex_count);
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    abut_mesh* made = NULL;
    abut_shape* shape = NULL;
    need(abut_context_create(bench_context_def(), &c.context, NULL));
    need(abut_mesh_create(c.context, &def, &made, NULL));
    need(abut_shape_create(c.context, made, NULL, &shape, NULL));
    need(abut_shape_build_tree(shape, NULL));
    need(abut_scene_create(c.context, NULL, &c.scene, NULL));
    need(abut_sweep_result_create(c.context, &c.result, NULL));
    need(abut_body_create(c.scene, shape, NULL, &c.body, NULL));
    abut_shape_destroy(shape);
    abut_mesh_destroy(made);
    c.owned = bench_alloc(mesh->triangle_count, 1);
    give_owners(mesh, c.owned);
    return c;
}

static void cloth_close(cloth* c) {
    abut_sweep_result_destroy(c->result);
    abut_scene_destroy(c->scene);
    abut_context_destroy(c->context);
    free(c->owned);
    free(c->pairs);
}

static void set_step(cloth* c) {
    const uint32_t count = c->mesh->vertex_count;
    need(abut_body_borrow_step(c->scene, c->body, abut_positions_f32(c->xyz[0], count),
                               abut_positions_f32(c->xyz[1], count), NULL));
}

static bool collect(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    cloth* c = user;
    (void)body_a;
    (void)body_b;
    if (c->pair_count == c->pair_room) {
        c->pair_room = 2 * c->pair_room + 4096;
        c->pairs = realloc(c->pairs, c->pair_room * sizeof *c->pairs);
        if (c->pairs == NULL) {
            bench_die("out of memory");
        }
    }
    c->pairs[c->pair_count][0] = a;
    c->pairs[c->pair_count++][1] = b;
    return false;
}

static double lesser(double a, double b) {
    return a < b ? a : b;
}

static double greater(double a, double b) {
    return a > b ? a : b;
}

static bool boxes_apart(const double from[4][3], const double to[4][3], int first) {
    for (int k = 0; k < 3; ++k) {
        double low[2] = {INFINITY, INFINITY};
        double high[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 4; ++i) {
            const int side = i < first ? 0 : 1;
            low[side] = lesser(low[side], lesser(from[i][k], to[i][k]));
            high[side] = greater(high[side], greater(from[i][k], to[i][k]));
        }
        if (low[0] > high[1] || low[1] > high[0]) {
            return true;
        }
    }
    return false;
}

static double size_of(const double from[4][3], const double to[4][3], int first) {
    double most = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = i < first ? 0 : first; j < i; ++j) {
            for (int end = 0; end < 2; ++end) {
                const double(*x)[3] = end == 0 ? from : to;
                const double d[3] = {x[i][0] - x[j][0], x[i][1] - x[j][1], x[i][2] - x[j][2]};
                most = fmax(most, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
            }
        }
    }
    return most;
}

static void ask_reference(cloth* c, const uint32_t vertex[4], bool edges) {
    const int first = edges ? 2 : 1;
    for (int i = 0; i < first; ++i) {
        for (int j = first; j < 4; ++j) {
            if (vertex[i] == vertex[j]) {
                return;
            }
        }
    }
    double from[4][3];
    double to[4][3];
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            from[i][k] = (double)c->xyz[0][3 * (size_t)vertex[i] + (size_t)k];
            to[i][k] = (double)c->xyz[1][3 * (size_t)vertex[i] + (size_t)k];
        }
    }
    double time;
    if (!boxes_apart(from, to, first) &&
        inclusion_contact(from, to, edges, ABUT_TOLERANCE_DEFAULT * size_of(from, to, first),
                          &time)) {
        ++c->contacts;
    }
}

static void ask_triangles(cloth* c, uint32_t a, uint32_t b) {
    const uint32_t* p = c->mesh->triangles + 3 * (size_t)a;
    const uint32_t* q = c->mesh->triangles + 3 * (size_t)b;
    for (uint32_t i = 0; i < 3; ++i) {
        if ((c->owned[a] >> i & 1) != 0) {
            ask_reference(c, (const uint32_t[4]){p[i], q[0], q[1], q[2]}, false);
        }
        if ((c->owned[b] >> i & 1) != 0) {
            ask_reference(c, (const uint32_t[4]){q[i], p[0], p[1], p[2]}, false);
        }
        for (uint32_t j = 0; j < 3; ++j) {
            if ((c->owned[a] >> (3 + i) & 1) != 0 && (c->owned[b] >> (3 + j) & 1) != 0) {
                ask_reference(c, (const uint32_t[4]){p[i], p[(i + 1) % 3], q[j], q[(j + 1) % 3]},
                              true);
            }
        }
    }
}

static double run_reference(cloth* c) {
    abut_sweep_def query = abut_sweep_def_default();
    query.filter.fn = collect;
    query.filter.user = c;
    query.margin = 1e-300;  // boxes only: proofs that nothing touches do not cover margins
    const double start = bench_now(CLOCK_CPU);
    set_step(c);
    c->pair_count = 0;
    c->contacts = 0;
    need(abut_sweep_self(c->scene, c->body, &query, c->result, NULL));
    for (size_t i = 0; i < c->pair_count; ++i) {
        ask_triangles(c, c->pairs[i][0], c->pairs[i][1]);
    }
    return bench_now(CLOCK_CPU) - start;
}

static double run_ours(cloth* c, abut_counters* counters) {
    abut_sweep_def query = abut_sweep_def_default();
    *counters = (abut_counters){0};
    query.head.counters = counters;
    const double start = bench_now(CLOCK_CPU);
    set_step(c);
    need(abut_sweep_self(c->scene, c->body, &query, c->result, NULL));
    return bench_now(CLOCK_CPU) - start;
}

// Measures some steps over the whole scene; the row shows their sum.
static void measure_cloth(const sweep_scene* row, const bench_options* options,
                          bench_report* report) {
    enum { FRAMES = 40, STEPS = 4, ROUNDS = 5 };
    moving* m = moving_create(row->scene, row->triangles, FRAMES, 1, options->seed);
    cloth c = cloth_open(&m->meshes[0]);
    bench_row out = {.at_least = row->at_least, .aim = row->aim, .has_counters = true};
    out.same_answer = true;
    uint64_t found = 0;
    for (uint32_t s = 0; s < STEPS; ++s) {
        const uint32_t frame = s * (FRAMES - 2) / (STEPS - 1);
        c.xyz[0] = moving_stored(m, frame)[0];
        c.xyz[1] = moving_stored(m, frame + 1)[0];
        double ms[ROUNDS];
        abut_counters counters;
        (void)run_ours(&c, &counters);
        for (int r = 0; r < ROUNDS; ++r) {
            ms[r] = run_ours(&c, &counters);
        }
        size_t count = 0;
        (void)abut_sweep_result_pairs(c.result, &count);
        out.ours_ms += bench_median(ms, ROUNDS) / STEPS;
        out.other_ms += run_reference(&c) / STEPS;
        out.same_answer = out.same_answer && c.contacts == count;
        out.counters = counters;
        found += count;
    }
    snprintf(out.name, sizeof out.name, "%s", row->name);
    snprintf(out.other, sizeof out.other, "swept boxes + inclusion");
    out.ratio = out.other_ms / out.ours_ms;
    bench_report_add(report, &out);
    bench_report_note(report, "%s: %llu contacts in %d steps.", row->name,
                      (unsigned long long)found, STEPS);
    cloth_close(&c);
    moving_destroy(m);
}

// ---- modal and blend bodies

// Returns the time of all steps of a scene in one way, and the number of contacts found.
static double run_steps(reduced* r, uint32_t frames, size_t* contacts) {
    *contacts = 0;
    reduced_step(r, 0, 1);
    const double start = bench_now(CLOCK_CPU);
    for (uint32_t f = 1; f < frames; ++f) {
        reduced_step(r, f, 1);
        *contacts += reduced_sweep(r);
    }
    return bench_now(CLOCK_CPU) - start;
}

static void add_scene(const char* name, const scene_options* wishes, bool before_contact,
                      bool quick, bench_row* row) {
    enum { ROUNDS = 5 };
    scene* s = scene_create_with(name, wishes);
    if (s == NULL) {
        bench_die("the scene '%s' cannot be made", name);
    }
    uint32_t frames = scene_frame_count(s);
    if (before_contact) {
        const uint32_t first = reduced_first_contact(s);
        frames = first < frames ? first : frames;
    }
    reduced* ours = reduced_create(s, 1, 0, WAY_LAZY);
    reduced* other = reduced_create(s, 1, 0, WAY_DEFORM);
    double ms[2][ROUNDS];
    size_t contacts[2];
    const int rounds = quick ? 3 : ROUNDS;
    (void)run_steps(ours, frames, &contacts[0]);
    for (int r = 0; r < rounds; ++r) {
        ms[1][r] = run_steps(other, frames, &contacts[1]);
        ms[0][r] = run_steps(ours, frames, &contacts[0]);
        row->same_answer = row->same_answer && contacts[0] == 0 && contacts[1] == 0;
    }
    row->ours_ms += bench_median(ms[0], (size_t)rounds) / (frames - 1);
    row->other_ms += bench_median(ms[1], (size_t)rounds) / (frames - 1);
    reduced_destroy(ours);
    reduced_destroy(other);
    scene_destroy(s);
}

static void measure_reduced(const sweep_scene* row, const bench_options* options,
                            bench_report* report) {
    bench_row out = {.at_least = row->at_least, .aim = row->aim, .same_answer = true};
    snprintf(out.name, sizeof out.name, "%s", row->name);
    snprintf(out.other, sizeof out.other, "deform all + sweep");
    const scene_options curtain = {.triangles = 12012, .fields = 12, .seed = options->seed};
    const scene_options ring = {
        .triangles = 91360, .nodes = 550, .contact = SCENE_CONTACT_NONE, .seed = options->seed};
    add_scene("curtain", &curtain, true, options->quick, &out);
    add_scene("ring", &ring, false, options->quick, &out);
    out.ratio = out.other_ms / out.ours_ms;
    bench_report_add(report, &out);
}

const sweep_scene sweep_scenes[] = {
    {"self-sweep cloth16k vs swept boxes and reference", 25, 45, "tablecloth", 16200, false,
     measure_cloth},
    {"self-sweep skirt vs swept boxes and reference", 10, 40, "skirt", 12000, false, measure_cloth},
    {"modal and blend bodies without contact vs sweeping all vertices", 8, 30, NULL, 0, false,
     measure_reduced},
    {"contact intervals cloth and table, sweep over intervals", 0.5, 1, "tablecloth", 16200, false,
     sweep_measure_intervals},
    {"contact intervals within a skirt, sweep over intervals", 0.5, 1, "skirt", 12000, true,
     sweep_measure_intervals},

    // Further rows, without a required ratio:
    {"sweep skirt, trees vs Voronoi culling", 0, 0, "skirt", 12000, false, sweep_measure_culling},
    {"sweep cloth on ball, trees vs Voronoi culling", 0, 0, "cloth_ball", 0, false,
     sweep_measure_culling},
};
const size_t sweep_scene_count = sizeof sweep_scenes / sizeof *sweep_scenes;
