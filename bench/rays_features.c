// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The row of feature pairs: all vertices with faces, and edges with edges, of a cloth that lies over
// a table, within a distance. The rival is what a user writes without abut_features_self(): take the
// pairs of triangles within the distance, and those that share a vertex, form all pairs of their
// features, drop those seen before by a hash set, and measure the others in double. It finds the
// pairs by abut_collide_self() with a margin, which is faster than abut_within_self(). The lists of
// neighbours and the numbers of edges are made beforehand, for free.
#include "bench/rays_common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 40 };
static const double edges_away = 0.5;  // the distance, in mean lengths of edges

// ---- distances in double, as textbooks have them

typedef struct vec {
    double x[3];
} vec;

static vec minus(const double* a, const double* b) {
    return (vec){{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}

static double dot(vec a, vec b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static vec along(vec a, double s, vec b) {
    return (vec){{a.x[0] - s * b.x[0], a.x[1] - s * b.x[1], a.x[2] - s * b.x[2]}};
}

static double clamp(double x) {
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static double square_to_edge(vec w, vec e) {
    const double ee = dot(e, e);
    const vec r = along(w, ee > 0 ? clamp(dot(w, e) / ee) : 0, e);
    return dot(r, r);
}

static double square_to_face(const double* p, const double* a, const double* b, const double* c) {
    const vec u = minus(b, a);
    const vec v = minus(c, a);
    const vec w = minus(p, a);
    const double uu = dot(u, u);
    const double uv = dot(u, v);
    const double vv = dot(v, v);
    const double wu = dot(w, u);
    const double wv = dot(w, v);
    const double det = uu * vv - uv * uv;
    const double s = vv * wu - uv * wv;
    const double t = uu * wv - uv * wu;
    if (s >= 0 && t >= 0 && s + t <= det && det > 0) {
        const vec r = along(along(w, s / det, u), t / det, v);
        return dot(r, r);
    }
    const double least = fmin(square_to_edge(w, u), square_to_edge(w, v));
    return fmin(least, square_to_edge(minus(p, b), minus(c, b)));
}

static double square_of_edges(const double* a, const double* b, const double* c, const double* d) {
    const vec u = minus(b, a);
    const vec v = minus(d, c);
    const vec w = minus(c, a);
    const double uu = dot(u, u);
    const double vv = dot(v, v);
    const double uv = dot(u, v);
    const double uw = dot(u, w);
    const double vw = dot(v, w);
    const double det = uu * vv - uv * uv;
    double s = det > 0 ? clamp((uw * vv - vw * uv) / det) : 0;
    const double t = vv > 0 ? clamp((s * uv - vw) / vv) : 0;
    s = uu > 0 ? clamp((t * uv + uw) / uu) : 0;
    const vec r = along(along(w, s, u), -t, v);
    return dot(r, r);
}

// ---- the rival

// Numbers seen in this frame; an entry holds the frame, so that nothing has to be emptied.
typedef struct seen_set {
    uint64_t* keys;
    uint32_t* frames;
    size_t mask;
} seen_set;

static bool is_new(seen_set* set, uint64_t key, uint32_t frame) {
    size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & set->mask;
    while (set->frames[i] == frame && set->keys[i] != key) {
        i = (i + 1) & set->mask;
    }
    if (set->frames[i] == frame) {
        return false;
    }
    set->frames[i] = frame;
    set->keys[i] = key;
    return true;
}

typedef struct rival {
    const uint32_t* triangles;
    uint32_t triangle_count;
    uint32_t (*edges)[2];    // the lower vertex first
    uint32_t (*edge_of)[3];  // per triangle
    abut_pair* neighbours;   // triangles that share a vertex
    size_t neighbour_count;
    seen_set seen;
    uint64_t* found;  // the pairs: vertex and face, or edge and edge with the top bit
    double* squares;
    size_t found_count;
    size_t found_room;
} rival;

static int compare_keys(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a;
    const uint64_t y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

// numbers the edges in the order of their vertices
static void number_edges(rival* r) {
    const size_t count = 3 * (size_t)r->triangle_count;
    uint64_t* keys = bench_alloc(count, sizeof *keys);
    for (size_t i = 0; i < count; ++i) {
        const uint64_t a = r->triangles[i];
        const uint64_t b = r->triangles[i % 3 == 2 ? i - 2 : i + 1];
        keys[i] = a < b ? a << 32 | b : b << 32 | a;
    }
    uint64_t* sorted = bench_alloc(count, sizeof *sorted);
    memcpy(sorted, keys, count * sizeof *keys);
    qsort(sorted, count, sizeof *sorted, compare_keys);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || sorted[i] != sorted[kept - 1]) {
            sorted[kept++] = sorted[i];
        }
    }
    r->edges = bench_alloc(kept, sizeof *r->edges);
    r->edge_of = bench_alloc(r->triangle_count, sizeof *r->edge_of);
    for (size_t e = 0; e < kept; ++e) {
        r->edges[e][0] = (uint32_t)(sorted[e] >> 32);
        r->edges[e][1] = (uint32_t)sorted[e];
    }
    for (size_t i = 0; i < count; ++i) {
        const uint64_t* at = bsearch(&keys[i], sorted, kept, sizeof *sorted, compare_keys);
        r->edge_of[i / 3][i % 3] = (uint32_t)(at - sorted);
    }
    free(sorted);
    free(keys);
}

// lists the pairs of triangles that share a vertex
static void list_neighbours(rival* r, uint32_t vertex_count) {
    uint32_t* first = bench_alloc(vertex_count + (size_t)2, sizeof *first);
    uint32_t* list = bench_alloc(3 * (size_t)r->triangle_count, sizeof *list);
    memset(first, 0, (vertex_count + (size_t)2) * sizeof *first);
    for (size_t i = 0; i < 3 * (size_t)r->triangle_count; ++i) {
        ++first[r->triangles[i] + 2];
    }
    for (uint32_t v = 0; v < vertex_count; ++v) {
        first[v + 2] += first[v + 1];
    }
    for (size_t i = 0; i < 3 * (size_t)r->triangle_count; ++i) {
        list[first[r->triangles[i] + 1]++] = (uint32_t)(i / 3);
    }
    size_t room = 0;
    for (uint32_t t = 0; t < r->triangle_count; ++t) {
        for (int c = 0; c < 3; ++c) {
            const uint32_t v = r->triangles[3 * (size_t)t + (size_t)c];
            room += first[v + 1] - first[v];
        }
    }
    r->neighbours = bench_alloc(room, sizeof *r->neighbours);
    for (uint32_t t = 0; t < r->triangle_count; ++t) {
        const size_t begin = r->neighbour_count;
        for (int c = 0; c < 3; ++c) {
            const uint32_t v = r->triangles[3 * (size_t)t + (size_t)c];
            for (uint32_t k = first[v]; k < first[v + 1]; ++k) {
                bool known = list[k] <= t;
                for (size_t i = begin; i < r->neighbour_count && !known; ++i) {
                    known = r->neighbours[i].triangle_b == list[k];
                }
                if (!known) {
                    r->neighbours[r->neighbour_count++] = (abut_pair){0, 0, t, list[k]};
                }
            }
        }
    }
    free(first);
    free(list);
}

static void rival_open(rival* r, const scene_body* body) {
    *r = (rival){.triangles = body->triangles, .triangle_count = body->triangle_count};
    number_edges(r);
    list_neighbours(r, body->vertex_count);
    r->seen.mask = ((size_t)1 << 24) - 1;
    r->seen.keys = bench_alloc(r->seen.mask + 1, sizeof *r->seen.keys);
    r->seen.frames = bench_alloc(r->seen.mask + 1, sizeof *r->seen.frames);
    memset(r->seen.frames, 0, (r->seen.mask + 1) * sizeof *r->seen.frames);
    r->found_room = (size_t)1 << 23;
    r->found = bench_alloc(r->found_room, sizeof *r->found);
    r->squares = bench_alloc(r->found_room, sizeof *r->squares);
}

static void rival_close(rival* r) {
    free(r->edges);
    free(r->edge_of);
    free(r->neighbours);
    free(r->seen.keys);
    free(r->seen.frames);
    free(r->found);
    free(r->squares);
}

#define EDGES (UINT64_C(1) << 63)

static void keep(rival* r, uint64_t key, double square, double most) {
    if (square <= most && r->found_count < r->found_room) {
        r->found[r->found_count] = key;
        r->squares[r->found_count++] = square;
    }
}

static bool has(const uint32_t t[3], uint32_t v) {
    return t[0] == v || t[1] == v || t[2] == v;
}

static void form_features(rival* r, const double* xyz, uint32_t a, uint32_t b, double most,
                          uint32_t frame) {
    for (int turn = 0; turn < 2; ++turn) {
        const uint32_t f = turn == 0 ? b : a;
        const uint32_t* from = r->triangles + 3 * (size_t)(turn == 0 ? a : b);
        const uint32_t* face = r->triangles + 3 * (size_t)f;
        for (int c = 0; c < 3; ++c) {
            const uint64_t key = (uint64_t)from[c] << 32 | f;
            if (!has(face, from[c]) && is_new(&r->seen, key, frame)) {
                keep(r, key,
                     square_to_face(xyz + 3 * (size_t)from[c], xyz + 3 * (size_t)face[0],
                                    xyz + 3 * (size_t)face[1], xyz + 3 * (size_t)face[2]),
                     most);
            }
        }
    }
    for (int i = 0; i < 9; ++i) {
        const uint32_t x = r->edge_of[a][i / 3];
        const uint32_t y = r->edge_of[b][i % 3];
        const uint32_t* e = r->edges[x < y ? x : y];
        const uint32_t* f = r->edges[x < y ? y : x];
        if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) {
            continue;
        }
        const uint64_t key = EDGES | (uint64_t)(x < y ? x : y) << 32 | (x < y ? y : x);
        if (is_new(&r->seen, key, frame)) {
            keep(r, key,
                 square_of_edges(xyz + 3 * (size_t)e[0], xyz + 3 * (size_t)e[1],
                                 xyz + 3 * (size_t)f[0], xyz + 3 * (size_t)f[1]),
                 most);
        }
    }
}

static void rival_run(rival* r, const double* xyz, const abut_pair* pairs, size_t count,
                      double distance, uint32_t frame) {
    const double most = distance * distance;
    r->found_count = 0;
    for (size_t i = 0; i < count; ++i) {
        form_features(r, xyz, pairs[i].triangle_a, pairs[i].triangle_b, most, frame);
    }
    for (size_t i = 0; i < r->neighbour_count; ++i) {
        form_features(r, xyz, r->neighbours[i].triangle_a, r->neighbours[i].triangle_b, most,
                      frame);
    }
}

// ---- the row

static uint64_t key_of(const rival* r, const abut_feature_pair* row) {
    if (row->kind != ABUT_CONTACT_EDGE_EDGE) {
        return (uint64_t)row->vertices_a[0] << 32 | row->triangle_b;
    }
    uint32_t edge[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
        const uint32_t* v = side == 0 ? row->vertices_a : row->vertices_b;
        const uint32_t t = side == 0 ? row->triangle_a : row->triangle_b;
        for (int i = 0; i < 3; ++i) {
            const uint32_t e = r->edge_of[t][i];
            edge[side] = r->edges[e][0] == v[0] && r->edges[e][1] == v[1] ? e : edge[side];
        }
    }
    return EDGES | (uint64_t)edge[0] << 32 | edge[1];
}

// Whether both found the same pairs, but for those that rounding of plain doubles may get wrong.
static bool is_same(rival* r, const abut_features_result* result, double distance) {
    size_t count = 0;
    size_t doubtful = 0;
    const abut_feature_pair* rows = abut_features_result_pairs(result, &count);
    uint64_t* sure = bench_alloc(r->found_count + 1, sizeof *sure);
    size_t sure_count = 0;
    for (size_t i = 0; i < r->found_count; ++i) {
        if (r->squares[i] < distance * distance * (1 - 1e-9)) {
            sure[sure_count++] = r->found[i];
        }
    }
    qsort(sure, sure_count, sizeof *sure, compare_keys);
    size_t met = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t key = key_of(r, &rows[i]);
        const bool known = bsearch(&key, sure, sure_count, sizeof *sure, compare_keys) != NULL;
        met += known;
        doubtful += !known && rows[i].distance_sq < distance * distance * (1 - 2e-9);
    }
    free(sure);
    return met == sure_count && doubtful == 0;
}

static double mean_edge(const rival* r, const double* xyz, size_t count) {
    double sum = 0;
    for (size_t e = 0; e < count; ++e) {
        const vec d = minus(xyz + 3 * (size_t)r->edges[e][0], xyz + 3 * (size_t)r->edges[e][1]);
        sum += sqrt(dot(d, d));
    }
    return sum / (double)count;
}

typedef struct setting {
    abut_context* context;
    abut_scene* scene;
    abut_body_id body;
    abut_features_result* features;
    abut_collide_result* pairs;
} setting;

static void open_setting(setting* s, const scene_body* body) {
    abut_error error;
    const reduced_def def = reduced_def_default(ABUT_MOTION_FREE);
    reduced_need(abut_context_create(bench_context_def(), &s->context, &error), &error);
    reduced_need(abut_scene_create(s->context, NULL, &s->scene, &error), &error);
    abut_shape* shape = reduced_make_shape(s->context, body, &def);
    reduced_need(abut_body_create(s->scene, shape, NULL, &s->body, &error), &error);
    abut_shape_destroy(shape);
    reduced_need(abut_features_result_create(s->context, &s->features, &error), &error);
    reduced_need(abut_collide_result_create(s->context, &s->pairs, &error), &error);
}

static void close_setting(setting* s) {
    abut_features_result_destroy(s->features);
    abut_collide_result_destroy(s->pairs);
    abut_scene_destroy(s->scene);
    abut_context_destroy(s->context);
}

typedef struct frame_times {
    double ours;
    double theirs;
    bool same;
} frame_times;

static frame_times run_frame(setting* s, rival* r, const double* xyz, uint32_t vertices,
                             double distance, uint32_t frame, abut_counters* counters) {
    abut_error error;
    abut_features_def near = abut_features_def_default();
    abut_collide_def def = abut_collide_def_default();
    size_t count = 0;
    near.distance = def.margin = distance;
    near.head.counters = counters;
    frame_times t;
    reduced_need(abut_body_set_positions(s->scene, s->body, abut_positions_f64(xyz, vertices),
                                         &error),
                 &error);
    const double start = bench_now(CLOCK_CPU);
    reduced_need(abut_features_self(s->scene, s->body, &near, s->features, &error), &error);
    t.ours = bench_now(CLOCK_CPU) - start;
    // again, so that the rival finds nothing evaluated either
    reduced_need(abut_body_set_positions(s->scene, s->body, abut_positions_f64(xyz, vertices),
                                         &error),
                 &error);
    const double middle = bench_now(CLOCK_CPU);
    reduced_need(abut_collide_self(s->scene, s->body, &def, s->pairs, &error), &error);
    const abut_pair* pairs = abut_collide_result_pairs(s->pairs, &count);
    rival_run(r, xyz, pairs, count, distance, frame + 1);
    t.theirs = bench_now(CLOCK_CPU) - middle;
    t.same = is_same(r, s->features, distance);
    return t;
}

static bool measure_features(const bench_options* options, bench_row* row, bench_report* report) {
    const scene_options wishes = {.triangles = 16200, .seed = options->seed};
    scene* cloth = scene_create_with("tablecloth", &wishes);
    if (cloth == NULL) {
        bench_die("the scene 'tablecloth' cannot be made");
    }
    const scene_body* body = scene_get_body(cloth, 0);
    double* xyz = bench_alloc(3 * (size_t)body->vertex_count, sizeof *xyz);
    rival r;
    setting s;
    rival_open(&r, body);
    open_setting(&s, body);
    scene_positions(cloth, 0, 0, xyz);
    const double distance = edges_away * mean_edge(&r, xyz, body->triangle_count);
    double ours[MOST_FRAMES];
    double theirs[MOST_FRAMES];
    uint32_t count = 0;
    row->same_answer = true;
    const uint32_t frames = options->quick ? 8 : MOST_FRAMES;
    for (uint32_t f = 0; f < frames + 2; ++f) {
        scene_positions(cloth, 0, f * scene_frame_count(cloth) / (frames + 2), xyz);
        const frame_times t = run_frame(&s, &r, xyz, body->vertex_count, distance, f,
                                        f == frames ? &row->counters : NULL);
        row->same_answer = row->same_answer && t.same;
        if (f >= 2) {
            ours[count] = t.ours;
            theirs[count++] = t.theirs;
        }
    }
    row->ours_ms = bench_median(ours, count);
    row->other_ms = bench_median(theirs, count);
    row->ratio = row->other_ms / row->ours_ms;
    row->has_counters = true;
    snprintf(row->other, sizeof row->other, "triangle pairs + all features");
    bench_report_note(
        report,
        "%s: d is %.2g, half the mean length of an edge; %llu pairs in one frame, of %llu "
        "that were measured.",
        row->name, distance, (unsigned long long)row->counters.pairs_found,
        (unsigned long long)row->counters.exact_tests);
    close_setting(&s);
    rival_close(&r);
    free(xyz);
    scene_destroy(cloth);
    return true;
}

const rays_spec rays_features_rows[] = {
    {"features within d cloth16k vs triangle pairs + all features", 2, 5, measure_features, true},
    {NULL, 0, 0, NULL, false},
};
