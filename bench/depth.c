// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "depth": the cost of penetration depth relative to finding the pairs only, and whether
// moving a body by the separating translation really separates the two, compared with FCL and
// Bullet.
#include "bench/bench.h"
#include "bench/couple.h"
#include "scenes/scenes.h"

#include <abut/abut.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 200, FEW_PAIRS = 40 };

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

// Moves the second until the two overlap by about this part of their size.
static void open_blobs(couple* c, const scene* s, uint32_t frame, const double shift[3]) {
    vector_mesh mesh[2];
    double* xyz[2];
    for (int k = 0; k < 2; ++k) {
        const scene_body* b = scene_get_body(s, (uint32_t)k);
        xyz[k] = bench_alloc(3 * (size_t)b->vertex_count, sizeof(double));
        scene_positions(s, (uint32_t)k, frame, xyz[k]);
        for (size_t i = 0; i < 3 * (size_t)b->vertex_count && k == 1; ++i) {
            xyz[k][i] += shift[i % 3];
        }
        mesh[k] = (vector_mesh){xyz[k], b->triangles, b->vertex_count, b->triangle_count};
    }
    couple_open(c, mesh);
    free(xyz[0]);
    free(xyz[1]);
}

// ---- cost

static void measure_cost(const bench_options* options, bench_report* report) {
    bench_progress(shallow_name);
    scene* s = scene_create("blobs", 0, 0, options->seed);
    const uint32_t frames = scene_frame_count(s);
    couple c;
    // The first frame in which they touch, where the contact is shallow.
    uint32_t frame = 0;
    const double none[3] = {0, 0, 0};
    for (open_blobs(&c, s, frame, none); !couple_touches(&c) && frame + 1 < frames;) {
        couple_close(&c);
        open_blobs(&c, s, ++frame, none);
    }
    bench_row row = {.at_least = 0.2, .aim = 0.5};
    snprintf(row.name, sizeof row.name, "%s", shallow_name);
    const couple_cost cost = couple_measure(&c, options->quick, &row);
    bench_report_add(report, &row);
    bench_report_note(report, "%s: %zu pairs in %zu region%s; depth %.4g, at least %.4g.",
                      shallow_name, cost.pairs, cost.regions, cost.regions == 1 ? "" : "s",
                      cost.depth, cost.lower);
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
    couple_need(abut_body_set_positions(
        c->scene, c->body[k], abut_positions_f64(c->xyz[k], c->mesh[k].vertex_count), NULL));
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
    open_blobs(&c, s, 0, none);
    const size_t most = c.mesh[0].vertex_count + (size_t)c.mesh[1].vertex_count;
    double* before = bench_alloc(3 * most, sizeof *before);
    for (uint32_t frame = 1; frame < frames; ++frame) {
        const double moved = move_to(&c, s, 0, frame, before) + move_to(&c, s, 1, frame, before);
        couple_need(abut_depth(c.scene, c.body[0], c.body[1], NULL, c.depths, NULL));
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
    t->fcl += vector_fcl(&c->mesh[0], &c->mesh[1], way) && couple_separates(c, way);
#endif
#ifdef BENCH_HAVE_BULLET
    t->bullet += vector_bullet(&c->mesh[0], &c->mesh[1], way) && couple_separates(c, way);
#endif
    (void)c;
    (void)way;
}

static void try_couple(couple* c, tally* t) {
    abut_depth_def def = abut_depth_def_default();
    def.one_region = true;
    couple_need(abut_depth(c->scene, c->body[0], c->body[1], &def, c->depths, NULL));
    size_t regions = 0;
    const abut_region* found = abut_depth_result_regions(c->depths, &regions);
    if (regions == 0) {
        return;
    }
    const double way[3] = {found->depth * found->direction[0], found->depth * found->direction[1],
                           found->depth * found->direction[2]};
    ++t->couples;
    t->ours += couple_separates(c, way);
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
        open_blobs(&c, s, 3 + k % 8, shift);
        if (couple_touches(&c)) {
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
