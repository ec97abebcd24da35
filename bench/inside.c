// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Self queries of bodies that are not free: see inside.h. Both sides take turns frame by frame.
#include "bench/inside.h"

#include "bench/reduced.h"
#include "bench/skin.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 15 };

// A body in a scene of its own.
typedef struct player {
    abut_context* context;
    abut_scene* scene;
    abut_shape* shape;
    abut_body_id body;
    abut_collide_result* result;
    abut_counters counters;
} player;

static player start_without_certificates(const scene_body* b, const reduced_def* def) {
    player p = {0};
    abut_error error;
    reduced_need(abut_context_create(bench_context_def(), &p.context, &error), &error);
    reduced_need(abut_scene_create(p.context, NULL, &p.scene, &error), &error);
    reduced_need(abut_collide_result_create(p.context, &p.result, &error), &error);
    p.shape = reduced_make_shape(p.context, b, def);
    reduced_need(abut_body_create(p.scene, p.shape, NULL, &p.body, &error), &error);
    return p;
}

static void certify(player* p) {
    abut_error error;
    reduced_need(abut_shape_build_certificates(p->shape, &error), &error);
}

static player start(const scene_body* b, const reduced_def* def) {
    player p = start_without_certificates(b, def);
    certify(&p);
    return p;
}

static void finish(player* p) {
    abut_collide_result_destroy(p->result);
    abut_scene_destroy(p->scene);
    abut_shape_destroy(p->shape);
    abut_context_destroy(p->context);
}

static void query(player* p) {
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &p->counters;
    reduced_need(abut_collide_self(p->scene, p->body, &def, p->result, NULL), NULL);
}

static void borrow(player* p, abut_positions positions) {
    abut_error error;
    reduced_need(abut_body_borrow_positions(p->scene, p->body, positions, &error), &error);
}

static bool same_pairs(const player* a, const player* b) {
    size_t count[2];
    const abut_pair* x = abut_collide_result_pairs(a->result, &count[0]);
    const abut_pair* y = abut_collide_result_pairs(b->result, &count[1]);
    return count[0] == count[1] && (count[0] == 0 || memcmp(x, y, count[0] * sizeof *x) == 0);
}

// The times of rounds, of both sides.
typedef struct rounds {
    double ms[2][MOST];
    size_t count;
    double spent;
} rounds;

static bool wants_more(const rounds* r, bool quick) {
    return r->count < (quick ? 5 : MOST) && (r->count < 3 || r->spent < (quick ? 500 : 5000));
}

static void end_round(rounds* r, const double ms[2]) {
    r->ms[0][r->count] = ms[0];
    r->ms[1][r->count] = ms[1];
    r->spent += ms[0] + ms[1];
    ++r->count;
}

static void take_medians(rounds* r, inside_outcome* out) {
    out->ours_ms = bench_median(r->ms[0], r->count) / out->frames;
    out->other_ms = bench_median(r->ms[1], r->count) / out->frames;
}

// ---- keyframes

typedef struct cache {
    const scene_body* body;
    uint32_t key_count;
    float** keys;
    abut_keyframe* frames;
    double* now;
} cache;

static cache load_cache(const scene* s) {
    cache c = {.body = scene_get_body(s, 0), .key_count = scene_frame_count(s)};
    const size_t numbers = 3 * (size_t)c.body->vertex_count;
    c.keys = bench_alloc(c.key_count, sizeof *c.keys);
    c.frames = bench_alloc(c.key_count, sizeof *c.frames);
    c.now = bench_alloc(numbers, sizeof *c.now);
    for (uint32_t k = 0; k < c.key_count; ++k) {
        c.keys[k] = bench_alloc(numbers, sizeof **c.keys);
        scene_positions(s, 0, k, c.now);
        for (size_t i = 0; i < numbers; ++i) {
            c.keys[k][i] = (float)c.now[i];
        }
        c.frames[k] = (abut_keyframe){k, abut_positions_f32(c.keys[k], c.body->vertex_count)};
    }
    return c;
}

static void free_cache(cache* c) {
    for (uint32_t k = 0; k < c->key_count; ++k) {
        free(c->keys[k]);
    }
    free(c->keys);
    free(c->frames);
    free(c->now);
}

// The formula of include/abut/body.h, for keys at integer times.
static abut_positions interpolate(const cache* c, double time) {
    const uint32_t key = (uint32_t)time;
    const double part = time - key;
    if (part <= 0) {
        return c->frames[key].positions;
    }
    for (size_t i = 0; i < 3 * (size_t)c->body->vertex_count; ++i) {
        c->now[i] = (1 - part) * (double)c->keys[key][i] + part * (double)c->keys[key + 1][i];
    }
    return abut_positions_f64(c->now, c->body->vertex_count);
}

static double ask_flight(player* p, double time) {
    abut_error error;
    const double begin = bench_now(CLOCK_CPU);
    reduced_need(abut_body_set_time(p->scene, p->body, time, &error), &error);
    query(p);
    return bench_now(CLOCK_CPU) - begin;
}

static double ask_free(player* p, abut_positions positions) {
    const double begin = bench_now(CLOCK_CPU);
    borrow(p, positions);
    query(p);
    return bench_now(CLOCK_CPU) - begin;
}

static void play_cache(const cache* c, uint32_t steps, double ms[2], inside_outcome* out) {
    reduced_def def = reduced_def_default(ABUT_MOTION_FREE);
    player other = start(c->body, &def);
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = c->frames;
    def.keyframe_count = c->key_count;
    player ours = start(c->body, &def);
    (void)ask_flight(&ours, 0);  // tables of shapes that are made once
    (void)ask_free(&other, interpolate(c, 0));
    ours.counters = other.counters = (abut_counters){0};
    ms[0] = ms[1] = 0;
    for (uint32_t i = 1; i <= out->frames; ++i) {
        const double time = (double)i / steps;
        const abut_positions positions = interpolate(c, time);
        ms[1] += ask_free(&other, positions);
        ms[0] += ask_flight(&ours, time);
        out->same_answer = out->same_answer && same_pairs(&ours, &other);
    }
    out->counters = ours.counters;
    out->other_counters = other.counters;
    finish(&ours);
    finish(&other);
}

inside_outcome inside_cache(const scene* s, uint32_t steps, bool quick) {
    cache c = load_cache(s);
    rounds r = {0};
    inside_outcome out = {.same_answer = true, .frames = (c.key_count - 1) * steps};
    while (wants_more(&r, quick)) {
        double ms[2];
        play_cache(&c, steps, ms, &out);
        end_round(&r, ms);
    }
    take_medians(&r, &out);
    free_cache(&c);
    return out;
}

// ---- nodes and fields

typedef struct reduced_states {
    const scene* scene;
    const scene_body* body;
    double* transforms;
    double* coordinates;
    float* rest;
    float* narrow;  // transforms
    float* skinned;
    double* exact;
} reduced_states;

static reduced_states load_states(const scene* s) {
    reduced_states r = {.scene = s, .body = scene_get_body(s, 0)};
    const size_t numbers = 3 * (size_t)r.body->vertex_count;
    r.transforms = bench_alloc(12 * (size_t)r.body->node_count + 1, sizeof *r.transforms);
    r.narrow = bench_alloc(12 * (size_t)r.body->node_count + 1, sizeof *r.narrow);
    r.coordinates = bench_alloc(r.body->field_count + (size_t)1, sizeof *r.coordinates);
    r.rest = bench_alloc(numbers, sizeof *r.rest);
    r.skinned = bench_alloc(numbers, sizeof *r.skinned);
    r.exact = bench_alloc(numbers, sizeof *r.exact);
    for (size_t i = 0; i < numbers; ++i) {
        r.rest[i] = (float)r.body->rest[i];
    }
    return r;
}

static void free_states(reduced_states* r) {
    free(r->transforms);
    free(r->narrow);
    free(r->coordinates);
    free(r->rest);
    free(r->skinned);
    free(r->exact);
}

static void load_frame(reduced_states* r, uint32_t frame) {
    scene_transforms(r->scene, 0, frame, r->transforms);
    if (r->body->field_count > 0) {
        scene_coordinates(r->scene, 0, frame, r->coordinates);
    }
}

static double ask_reduced(player* p, const reduced_states* r) {
    abut_error error;
    const double begin = bench_now(CLOCK_CPU);
    if (r->body->node_count > 0) {
        reduced_need(abut_body_set_transforms(
                         p->scene, p->body, abut_transforms_f64(r->transforms, r->body->node_count),
                         r->coordinates, r->body->field_count, &error),
                     &error);
    } else {
        reduced_need(abut_body_set_coordinates(p->scene, p->body, r->coordinates,
                                               r->body->field_count, &error),
                     &error);
    }
    query(p);
    return bench_now(CLOCK_CPU) - begin;
}

static double ask_skinned(player* p, reduced_states* r) {
    const double begin = bench_now(CLOCK_CPU);
    for (size_t i = 0; i < 12 * (size_t)r->body->node_count; ++i) {
        r->narrow[i] = (float)r->transforms[i];
    }
    skin_plainly(r->body, r->rest, r->narrow, r->skinned);
    borrow(p, abut_positions_f32(r->skinned, r->body->vertex_count));
    query(p);
    return bench_now(CLOCK_CPU) - begin;
}

// The documented formula in double, for the answers.
static void skin_exactly(const reduced_states* r) {
    const scene_body* b = r->body;
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        double m[12];
        const uint32_t first = b->weight_first[v];
        for (uint32_t i = first; i < b->weight_first[v + 1]; ++i) {
            const double* t = r->transforms + 12 * (size_t)b->weight_nodes[i];
            for (int e = 0; e < 12; ++e) {
                const double product = (double)b->weights[i] * t[e];
                m[e] = i == first ? product : m[e] + product;
            }
        }
        const double* p = b->rest + 3 * (size_t)v;
        for (size_t d = 0; d < 3; ++d) {
            const double* row = m + 4 * d;
            r->exact[3 * (size_t)v + d] = ((row[0] * p[0] + row[1] * p[1]) + row[2] * p[2]) +
                                          row[3];
        }
    }
}

static bool blend_is_right(player* ours, reduced_states* r, bool quick) {
    const reduced_def def = reduced_def_default(ABUT_MOTION_FREE);
    player exact = start(r->body, &def);
    bool same = true;
    for (uint32_t f = 0; f < scene_frame_count(r->scene) && same; f += quick ? 10 : 3) {
        load_frame(r, f);
        skin_exactly(r);
        borrow(&exact, abut_positions_f64(r->exact, r->body->vertex_count));
        query(&exact);
        (void)ask_reduced(ours, r);
        same = same_pairs(ours, &exact);
    }
    finish(&exact);
    return same;
}

inside_outcome inside_blend(const scene* s, bool quick) {
    reduced_states r = load_states(s);
    reduced_def def = reduced_def_default(ABUT_MOTION_FREE);
    player other = start(r.body, &def);
    def.motion = ABUT_MOTION_BLEND;
    player ours = start(r.body, &def);
    rounds all = {0};
    inside_outcome out = {.frames = scene_frame_count(s)};
    out.same_answer = blend_is_right(&ours, &r, quick);
    for (bool warm = false; wants_more(&all, quick); warm = true) {
        double ms[2] = {0, 0};
        ours.counters = other.counters = (abut_counters){0};
        for (uint32_t f = 0; f < out.frames; ++f) {
            load_frame(&r, f);
            ms[1] += ask_skinned(&other, &r);
            ms[0] += ask_reduced(&ours, &r);
        }
        if (warm) {
            end_round(&all, ms);
        }
    }
    take_medians(&all, &out);
    out.counters = ours.counters;
    out.other_counters = other.counters;
    finish(&ours);
    finish(&other);
    free_states(&r);
    return out;
}

// ---- a cut

static void cut_one(player* p, uint32_t triangle) {
    abut_error error;
    abut_shape* edited = NULL;
    abut_shape_edit_def edit = abut_shape_edit_def_default();
    edit.removed_triangles = &triangle;
    edit.removed_triangle_count = 1;
    reduced_need(abut_shape_edit(p->shape, &edit, &edited, NULL, &error), &error);
    reduced_need(abut_body_set_shape(p->scene, p->body, edited, (abut_positions){0}, &error),
                 &error);
    abut_shape_destroy(p->shape);
    p->shape = edited;
}

// Returns whether a body whose shape was made from the remaining triangles has as many pairs.
static bool cut_is_right(const player* p, const reduced_states* r, uint32_t triangle) {
    scene_body rest = *r->body;
    uint32_t* triangles = bench_alloc(3 * (size_t)rest.triangle_count, sizeof *triangles);
    memcpy(triangles, rest.triangles, 3 * (size_t)triangle * sizeof *triangles);
    memcpy(triangles + 3 * (size_t)triangle, rest.triangles + 3 * ((size_t)triangle + 1),
           3 * ((size_t)rest.triangle_count - triangle - 1) * sizeof *triangles);
    rest.triangles = triangles;
    --rest.triangle_count;
    const reduced_def def = reduced_def_default(rest.node_count > 0 ? ABUT_MOTION_BLEND
                                                                    : ABUT_MOTION_MODAL);
    player exact = start(&rest, &def);
    (void)ask_reduced(&exact, r);
    size_t count[2];
    (void)abut_collide_result_pairs(p->result, &count[0]);
    (void)abut_collide_result_pairs(exact.result, &count[1]);
    finish(&exact);
    free(triangles);
    return count[0] == count[1];
}

// The time of making the certificates that are not there yet, and of a query with them.
static double certify_and_ask(player* p, const reduced_states* r) {
    const double begin = bench_now(CLOCK_CPU);
    certify(p);
    const double made = bench_now(CLOCK_CPU) - begin;
    p->counters = (abut_counters){0};
    return made + ask_reduced(p, r);
}

inside_outcome inside_cut(const scene* s, bool quick) {
    reduced_states r = load_states(s);
    const reduced_def def = reduced_def_default(r.body->node_count > 0 ? ABUT_MOTION_BLEND
                                                                       : ABUT_MOTION_MODAL);
    rounds all = {0};
    inside_outcome out = {.frames = 1, .same_answer = true};
    const uint32_t triangle = r.body->triangle_count / 3;
    for (bool warm = false; wants_more(&all, quick); warm = true) {
        double ms[2] = {0, 0};
        player p = start_without_certificates(r.body, &def);
        load_frame(&r, scene_frame_count(s) / 2);
        ms[1] = certify_and_ask(&p, &r);
        out.other_counters = p.counters;
        cut_one(&p, triangle);
        ms[0] = certify_and_ask(&p, &r);
        out.counters = p.counters;
        out.same_answer = out.same_answer && (warm || cut_is_right(&p, &r, triangle));
        end_round(&all, ms);
        finish(&p);
    }
    take_medians(&all, &out);
    free_states(&r);
    return out;
}
