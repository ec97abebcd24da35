// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two blobs near the origin and the same ones far from it, where floats are coarser than triangles.
// Coordinates are multiples of 2^-29, so that the far ones are exact in double and the answers the
// same. A frame sets all positions, finds the pairs between the two and those within the first. In the
// row of flight bodies frames are keyframes, multiples of 2^-28, and a frame sets the time between two
// of them, and finds the pairs between the two blobs. Blobs are smaller where a frame of greater ones
// would take seconds, and the row then says so.
#include "bench/hard.h"

#include "scenes/scenes.h"

#include <abut/abut.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 30, STEP = 3, SHOWN = FRAMES / STEP, MOST_ROUNDS = 9 };

static const uint32_t sizes[] = {10580, 40500, 162000};  // triangles of a blob
enum { SIZES = sizeof sizes / sizeof *sizes };

static const double distance = 1e7;

// The two blobs at one place, on their own context.
typedef struct place {
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* between;
    abut_collide_result* within;
    abut_body_id body[2];
    double* xyz[2];
    double* keys[2][SHOWN];  // of flight bodies
    bool flies;
    double offset;
    double ms[SHOWN][MOST_ROUNDS];
} place;

static void need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("abut: %s", abut_status_text(status));
    }
}

// Computes the positions of a frame on the grid on which they are exact far away, too.
static void load_into(const place* p, const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const size_t numbers = 3 * (size_t)scene_get_body(s, body)->vertex_count;
    const int bits = p->flies ? 28 : 29;
    scene_positions(s, body, frame, xyz);
    for (size_t i = 0; i < numbers; ++i) {
        xyz[i] = ldexp(nearbyint(ldexp(xyz[i], bits)), -bits) + p->offset;
    }
}

static void load(place* p, const scene* s, uint32_t body, uint32_t frame) {
    load_into(p, s, body, frame, p->xyz[body]);
}

static void make_flight(place* p, const scene* s, uint32_t body, const abut_mesh* mesh,
                        abut_shape** shape) {
    const uint32_t vertices = scene_get_body(s, body)->vertex_count;
    abut_flight_def def = abut_flight_def_default();
    abut_keyframe keys[SHOWN];
    for (uint32_t k = 0; k < SHOWN; ++k) {
        p->keys[body][k] = bench_alloc(3 * (size_t)vertices, sizeof(double));
        load_into(p, s, body, k * STEP, p->keys[body][k]);
        keys[k] = (abut_keyframe){k, abut_positions_f64(p->keys[body][k], vertices)};
    }
    def.keyframes = keys;
    def.keyframe_count = SHOWN;
    need(abut_shape_create_flight(p->context, mesh, &def, shape, NULL));
}

static void open_place(place* p, const scene* s, double offset, bool flies) {
    p->offset = offset;
    p->flies = flies;
    need(abut_context_create(bench_context_def(), &p->context, NULL));
    need(abut_scene_create(p->context, NULL, &p->scene, NULL));
    need(abut_collide_result_create(p->context, &p->between, NULL));
    need(abut_collide_result_create(p->context, &p->within, NULL));
    for (uint32_t b = 0; b < 2; ++b) {
        const scene_body* from = scene_get_body(s, b);
        abut_mesh_def def = abut_mesh_def_default();
        abut_mesh* mesh = NULL;
        abut_shape* shape = NULL;
        p->xyz[b] = bench_alloc(3 * (size_t)from->vertex_count, sizeof *p->xyz[b]);
        load(p, s, b, 0);
        def.positions = abut_positions_f64(p->xyz[b], from->vertex_count);
        def.triangles = from->triangles;
        def.triangle_count = from->triangle_count;
        need(abut_mesh_create(p->context, &def, &mesh, NULL));
        if (flies) {
            make_flight(p, s, b, mesh, &shape);
        } else {
            need(abut_shape_create(p->context, mesh, NULL, &shape, NULL));
        }
        need(abut_body_create(p->scene, shape, NULL, &p->body[b], NULL));
        abut_shape_destroy(shape);
        abut_mesh_destroy(mesh);
    }
}

static void close_place(place* p) {
    abut_collide_result_destroy(p->between);
    abut_collide_result_destroy(p->within);
    abut_scene_destroy(p->scene);
    abut_context_destroy(p->context);
    for (uint32_t k = 0; k < SHOWN; ++k) {
        free(p->keys[0][k]);
        free(p->keys[1][k]);
    }
    free(p->xyz[0]);
    free(p->xyz[1]);
    free(p);
}

static double run_flight_frame(place* p, uint32_t frame) {
    const double start = bench_now(CLOCK_CPU);
    for (uint32_t b = 0; b < 2; ++b) {
        need(abut_body_set_time(p->scene, p->body[b], frame < SHOWN - 1 ? frame + 0.5 : frame,
                                NULL));
    }
    need(abut_collide_all(p->scene, NULL, p->between, NULL));
    return bench_now(CLOCK_CPU) - start;
}

static double run_frame(place* p, const scene* s, uint32_t frame) {
    if (p->flies) {
        return run_flight_frame(p, frame);
    }
    load(p, s, 0, frame * STEP);
    load(p, s, 1, frame * STEP);
    const double start = bench_now(CLOCK_CPU);
    for (uint32_t b = 0; b < 2; ++b) {
        need(abut_body_set_positions(
            p->scene, p->body[b], abut_positions_f64(p->xyz[b], scene_get_body(s, b)->vertex_count),
            NULL));
    }
    need(abut_collide_all(p->scene, NULL, p->between, NULL));
    need(abut_collide_self(p->scene, p->body[0], NULL, p->within, NULL));
    return bench_now(CLOCK_CPU) - start;
}

static bool same_pairs(const abut_collide_result* a, const abut_collide_result* b, size_t* sum) {
    size_t count[2];
    const abut_pair* p = abut_collide_result_pairs(a, &count[0]);
    const abut_pair* q = abut_collide_result_pairs(b, &count[1]);
    *sum += count[0];
    return count[0] == count[1] && (count[0] == 0 || memcmp(p, q, count[0] * sizeof *p) == 0);
}

// Plays all frames at both places, alternately. `pairs` receives the number found in each frame.
static bool play(place* at[2], const scene* s, uint32_t round, size_t pairs[SHOWN]) {
    bool same = true;
    for (uint32_t f = 0; f < SHOWN; ++f) {
        at[0]->ms[f][round] = run_frame(at[0], s, f);
        at[1]->ms[f][round] = run_frame(at[1], s, f);
        pairs[f] = 0;
        same = same_pairs(at[0]->between, at[1]->between, &pairs[f]) && same;
        same = same_pairs(at[0]->within, at[1]->within, &pairs[f]) && same;
    }
    return same;
}

// Returns the median over frames; `worst` receives the slowest frame and its time.
static double summarize(place* p, uint32_t rounds, uint32_t* worst, double* worst_ms) {
    double frames[SHOWN];
    *worst = 0;
    for (uint32_t f = 0; f < SHOWN; ++f) {
        frames[f] = bench_median(p->ms[f], rounds);
        *worst = frames[f] > frames[*worst] ? f : *worst;
    }
    *worst_ms = frames[*worst];
    return bench_median(frames, SHOWN);
}

static scene* make_scene(uint32_t size, const bench_options* options) {
    return scene_create("blobs", sizes[size], FRAMES, options->seed);
}

// Returns the greatest size of which a frame far away takes little enough time. Notes where it
// stops short of the greatest.
static uint32_t find_size(const bench_options* options, bool flies, const char* name,
                          bench_report* report) {
    const double most_ms = options->quick ? 300 : 5000;
    double ms = 0;
    uint32_t size = 0;
    while (size < SIZES && ms < most_ms) {
        scene* s = make_scene(size++, options);
        place* p = bench_alloc(1, sizeof *p);
        open_place(p, s, distance, flies);
        ms = run_frame(p, s, 0);
        close_place(p);
        scene_destroy(s);
    }
    if (ms >= most_ms) {
        bench_report_note(report, "%s: a frame of blobs of %u triangles takes %.0f ms.", name,
                          sizes[size - 1], ms);
        size -= size > 1;
    }
    return size - 1;
}

static bool compare(const bench_options* options, bool flies, bench_row* row,
                    bench_report* report) {
    const uint32_t size = find_size(options, flies, row->name, report);
    scene* s = make_scene(size, options);
    place* at[2] = {bench_alloc(1, sizeof(place)), bench_alloc(1, sizeof(place))};
    const uint32_t rounds = options->quick ? 2 : MOST_ROUNDS;
    size_t pairs[SHOWN];
    uint32_t worst[2];
    open_place(at[0], s, 0, flies);
    open_place(at[1], s, distance, flies);
    row->same_answer = play(at, s, 0, pairs);  // also makes trees
    for (uint32_t r = 0; r < rounds; ++r) {
        row->same_answer = play(at, s, r, pairs) && row->same_answer;
    }
    row->other_ms = summarize(at[0], rounds, &worst[0], &row->other_worst_ms);
    row->ours_ms = summarize(at[1], rounds, &worst[1], &row->worst_ms);
    if (flies) {  // blobs are apart in most frames
        row->other_ms = row->other_worst_ms;
        row->ours_ms = row->worst_ms;
    }
    row->ratio = row->other_ms / row->ours_ms;
    row->has_worst = true;
    row->worst_pairs = pairs[worst[1]];
    snprintf(row->other, sizeof row->other, "abut, at the origin, blobs of %u", sizes[size]);
    close_place(at[0]);
    close_place(at[1]);
    scene_destroy(s);
    return true;
}

bool hard_far(const bench_options* options, bench_row* row, bench_report* report) {
    return compare(options, false, row, report);
}

bool hard_far_flight(const bench_options* options, bench_row* row, bench_report* report) {
    return compare(options, true, row, report);
}
