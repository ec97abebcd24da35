// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "depth": the cost of penetration depth relative to finding the pairs only, and whether
// moving a body by the separating translation really separates the two, compared with FCL and
// Bullet.
#include "bench/bench.h"
#include "peers/vector.h"
#include "scenes/scenes.h"

#include <abut/abut.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 31, PAIRS = 200, FEW_PAIRS = 40 };

static const char* const shallow_name = "collide over depth, shallow contact";
static const char* const vectors_name = "vectors that separate, ours over FCL's";
static const char* const bullet_name = "vectors that separate, ours over Bullet's";

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    fn(user, shallow_name, 0.2, 0.5);
    fn(user, vectors_name, 10, 100);
    fn(user, bullet_name, 0, 0);
}

// ---- two blobs, each in its own place

typedef struct couple {
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_contains_result* sides;
    abut_depth_result* depths;
    abut_body_id body[2];
    vector_mesh mesh[2];
    double* xyz[2];
} couple;

static void need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("the library failed with status %d", (int)status);
    }
}

static abut_body_id add_body(couple* c, int k) {
    abut_mesh_def mesh_def = abut_mesh_def_default();
    abut_mesh* mesh;
    abut_shape* shape;
    abut_body_id body;
    mesh_def.positions = abut_positions_f64(c->xyz[k], c->mesh[k].vertex_count);
    mesh_def.triangles = c->mesh[k].triangles;
    mesh_def.triangle_count = c->mesh[k].triangle_count;
    need(abut_mesh_create(c->context, &mesh_def, &mesh, NULL));
    need(abut_shape_create(c->context, mesh, NULL, &shape, NULL));
    need(abut_body_create(c->scene, shape, NULL, &body, NULL));
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    return body;
}

// Moves the second until the two overlap by about this part of their size.
static void couple_open(couple* c, const scene* s, uint32_t frame, const double shift[3]) {
    need(abut_context_create(bench_context_def(), &c->context, NULL));
    need(abut_scene_create(c->context, NULL, &c->scene, NULL));
    need(abut_collide_result_create(c->context, &c->result, NULL));
    need(abut_contains_result_create(c->context, &c->sides, NULL));
    need(abut_depth_result_create(c->context, &c->depths, NULL));
    for (int k = 0; k < 2; ++k) {
        const scene_body* b = scene_get_body(s, (uint32_t)k);
        c->xyz[k] = bench_alloc(3 * (size_t)b->vertex_count, sizeof(double));
        scene_positions(s, (uint32_t)k, frame, c->xyz[k]);
        for (size_t i = 0; i < 3 * (size_t)b->vertex_count && k == 1; ++i) {
            c->xyz[k][i] += shift[i % 3];
        }
        c->mesh[k] = (vector_mesh){c->xyz[k], b->triangles, b->vertex_count, b->triangle_count};
        c->body[k] = add_body(c, k);
    }
}

static void couple_close(couple* c) {
    abut_depth_result_destroy(c->depths);
    abut_collide_result_destroy(c->result);
    abut_contains_result_destroy(c->sides);
    abut_scene_destroy(c->scene);
    abut_context_destroy(c->context);
    free(c->xyz[0]);
    free(c->xyz[1]);
}

static bool touching(couple* c) {
    need(abut_collide(c->scene, c->body[0], c->body[1], NULL, c->result, NULL));
    return abut_collide_result_found(c->result);
}

// Returns whether one of the two is wholly outside the other, and does not touch it.
static bool is_outside(couple* c, int outer) {
    need(abut_contains_body(c->scene, c->body[outer], c->body[1 - outer], NULL, c->sides, NULL));
    return abut_contains_result_sides(c->sides, NULL)[0] == ABUT_SIDE_OUTSIDE;
}

// Moves the first and returns whether the two are separated: neither touching nor inside.
static bool separates(couple* c, const double translation[3]) {
    abut_frame frame = abut_frame_identity();
    memcpy(frame.t, translation, sizeof frame.t);
    need(abut_body_set_frame(c->scene, c->body[0], &frame, NULL));
    const bool separated = is_outside(c, 0) && is_outside(c, 1);
    frame = abut_frame_identity();
    need(abut_body_set_frame(c->scene, c->body[0], &frame, NULL));
    return separated;
}

// ---- cost

static void measure_cost(const bench_options* options, bench_report* report) {
    bench_progress(shallow_name);
    scene* s = scene_create("blobs", 0, 0, options->seed);
    const uint32_t frames = scene_frame_count(s);
    const int rounds = options->quick ? 7 : MOST_ROUNDS;
    couple c;
    // The first frame in which they touch, where the contact is shallow.
    uint32_t frame = 0;
    const double none[3] = {0, 0, 0};
    for (couple_open(&c, s, frame, none); !touching(&c) && frame + 1 < frames;) {
        couple_close(&c);
        couple_open(&c, s, ++frame, none);
    }
    double ms[2][MOST_ROUNDS];
    bench_row row = {.at_least = 0.2, .aim = 0.5, .same_answer = true, .has_counters = true};
    abut_depth_def def = abut_depth_def_default();
    for (int r = 0; r < rounds; ++r) {
        const double start = bench_now(CLOCK_CPU);
        need(abut_collide(c.scene, c.body[0], c.body[1], NULL, c.result, NULL));
        const double middle = bench_now(CLOCK_CPU);
        def.head.counters = r == 0 ? &row.counters : NULL;
        need(abut_depth(c.scene, c.body[0], c.body[1], &def, c.depths, NULL));
        ms[0][r] = middle - start;
        ms[1][r] = bench_now(CLOCK_CPU) - middle;
    }
    size_t pairs = 0;
    size_t regions = 0;
    abut_collide_result_pairs(c.result, &pairs);
    const abut_region* found = abut_depth_result_regions(c.depths, &regions);
    snprintf(row.name, sizeof row.name, "%s", shallow_name);
    snprintf(row.other, sizeof row.other, "collide");
    row.other_ms = bench_median(ms[0], (size_t)rounds);
    row.ours_ms = bench_median(ms[1], (size_t)rounds);
    row.ratio = row.other_ms / row.ours_ms;
    for (size_t i = 0; i < regions; ++i) {
        const double way[3] = {found[i].depth * found[i].direction[0],
                               found[i].depth * found[i].direction[1],
                               found[i].depth * found[i].direction[2]};
        row.same_answer = row.same_answer && (regions > 1 || separates(&c, way));
    }
    bench_report_add(report, &row);
    bench_report_note(report, "%s: %zu pairs in %zu region%s; depth %.4g, at least %.4g.",
                      shallow_name, pairs, regions, regions == 1 ? "" : "s",
                      regions > 0 ? found[0].depth : 0, regions > 0 ? found[0].lower : 0);
    couple_close(&c);
    scene_destroy(s);
}

// ---- jumps

// Sets a body to a frame; returns the greatest motion of its vertices.
static double move_to(couple* c, const scene* s, int k, uint32_t frame, double* before) {
    const size_t vertices = c->mesh[k].vertex_count;
    double most = 0;
    memcpy(before, c->xyz[k], 3 * vertices * sizeof *before);
    scene_positions(s, (uint32_t)k, frame, c->xyz[k]);
    for (size_t v = 0; v < 3 * vertices; v += 3) {
        double square = 0;
        for (size_t d = v; d < v + 3; ++d) {
            square += (c->xyz[k][d] - before[d]) * (c->xyz[k][d] - before[d]);
        }
        most = square > most ? square : most;
    }
    need(abut_body_set_positions(c->scene, c->body[k],
                                 abut_positions_f64(c->xyz[k], c->mesh[k].vertex_count), NULL));
    return sqrt(most);
}

// Notes how much the vector and the blobs themselves change per frame while the blobs drift into
// each other.
static void note_jumps(const bench_options* options, bench_report* report) {
    const uint32_t frames = options->quick ? 60 : 240;
    scene* s = scene_create("blobs", 5120, frames, options->seed);
    const double none[3] = {0, 0, 0};
    double worst = 0;
    size_t steps = 0;
    couple c;
    couple_open(&c, s, 0, none);
    const size_t most = c.mesh[0].vertex_count + (size_t)c.mesh[1].vertex_count;
    double* before = bench_alloc(3 * most, sizeof *before);
    for (uint32_t frame = 1; frame < frames; ++frame) {
        const double moved = move_to(&c, s, 0, frame, before) + move_to(&c, s, 1, frame, before);
        need(abut_depth(c.scene, c.body[0], c.body[1], NULL, c.depths, NULL));
        size_t regions = 0;
        const abut_region* found = abut_depth_result_regions(c.depths, &regions);
        for (size_t i = 0; i < regions; ++i) {
            worst = fmax(worst, found[i].jump / moved);
            steps += !found[i].is_new;
        }
    }
    bench_report_note(report,
                      "Over %zu frames in which blobs are in each other the vector changes by at "
                      "most %.2f of what vertices of both move together.",
                      steps, worst);
    free(before);
    couple_close(&c);
    scene_destroy(s);
}

// ---- vectors

typedef struct tally {
    uint32_t couples;
    uint32_t ours;
    uint32_t fcl;
    uint32_t bullet;
    double longer;  // sum of our vectors' lengths over the lower bound
} tally;

static void try_peers(couple* c, tally* t) {
    double way[3] = {0, 0, 0};
#ifdef BENCH_HAVE_FCL
    t->fcl += vector_fcl(&c->mesh[0], &c->mesh[1], way) && separates(c, way);
#endif
#ifdef BENCH_HAVE_BULLET
    t->bullet += vector_bullet(&c->mesh[0], &c->mesh[1], way) && separates(c, way);
#endif
    (void)c;
    (void)way;
}

static void try_couple(couple* c, tally* t) {
    abut_depth_def def = abut_depth_def_default();
    def.one_region = true;
    need(abut_depth(c->scene, c->body[0], c->body[1], &def, c->depths, NULL));
    size_t regions = 0;
    const abut_region* found = abut_depth_result_regions(c->depths, &regions);
    if (regions == 0) {
        return;
    }
    const double way[3] = {found->depth * found->direction[0], found->depth * found->direction[1],
                           found->depth * found->direction[2]};
    ++t->couples;
    t->ours += separates(c, way);
    try_peers(c, t);
}

static tally count_vectors(const bench_options* options) {
    tally t = {0};
    const uint32_t wanted = options->quick ? FEW_PAIRS : PAIRS;
    for (uint32_t k = 0; t.couples < wanted && k < 4 * wanted; ++k) {
        scene* s = scene_create("blobs", 1280, 12, options->seed + k % 16);
        const double angle = 0.7 * k;
        const double shift[3] = {0.2 * cos(angle), 0.2 * sin(angle), 0.1 * sin(2.3 * angle)};
        couple c;
        bench_progress(vectors_name);
        couple_open(&c, s, 3 + k % 8, shift);
        if (touching(&c)) {
            try_couple(&c, &t);
        }
        couple_close(&c);
        scene_destroy(s);
    }
    return t;
}

static void add_vectors(bench_report* report, const char* name, const char* other, uint32_t theirs,
                        const tally* t, double at_least, double aim) {
    bench_row row = {.at_least = at_least, .aim = aim, .same_answer = t->ours == t->couples};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.other, sizeof row.other, "%s", other);
    row.ratio = (double)t->ours / (theirs > 0 ? theirs : 1);
    bench_report_add(report, &row);
    bench_report_note(report, "%s: of %u pairs of blobs, vectors of abut separate %u, of %s %u%s.",
                      name, t->couples, t->ours, other, theirs, theirs == 0 ? " (taken as 1)" : "");
}

static void measure_vectors(const bench_options* options, const regex_t* wanted,
                            bench_report* report) {
    const tally t = count_vectors(options);
    (void)wanted;
#ifdef BENCH_HAVE_FCL
    if (bench_is_wanted(vectors_name, wanted)) {
        add_vectors(report, vectors_name, "FCL", t.fcl, &t, 10, 100);
    }
#else
    bench_report_note(report, "%s: left out, FCL was not found when this was built", vectors_name);
#endif
#ifdef BENCH_HAVE_BULLET
    if (bench_is_wanted(bullet_name, wanted)) {
        add_vectors(report, bullet_name, "Bullet", t.bullet, &t, 0, 0);
    }
#endif
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    bench_note_isa(report);
    if (bench_is_wanted(shallow_name, wanted)) {
        measure_cost(options, report);
        note_jumps(options, report);
    }
    if (bench_is_wanted(vectors_name, wanted) || bench_is_wanted(bullet_name, wanted)) {
        measure_vectors(options, wanted, report);
    }
    bench_progress(NULL);
}

const bench_suite bench_depth = {
    .name = "depth",
    .about = "penetration: its cost, and whether vectors that ought to separate do",
    .list = list,
    .run = run,
};
