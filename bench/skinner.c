// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Skins all vertices: see skinner.h. Within stretches of the mesh, vertices are sorted by their
// number of influences, so that the processor foresees the ends of loops and two vertices can be
// finished together.
#include "bench/skinner.h"

#include "bench/bench.h"
#include "bench/deform.h"
#include "bench/rivals.h"

#include <stdlib.h>

enum { STRETCH = 1024 };  // vertices whose positions stay in the first-level cache

struct skinner {
    const rivals* rival;
    uint32_t vertex_count;
    deformer* moves;  // of the rest positions; NULL without fields
    float* rest;
    rival_run* runs;
    uint32_t* vertices;
    rival_influence* influences;
    rival_skin job;
};

static uint32_t influences_of(const scene_body* b, uint32_t vertex) {
    return b->weight_first[vertex + 1] - b->weight_first[vertex];
}

// Adds the vertices of a stretch with `k` influences; returns how many.
static uint32_t add_run(skinner* s, const scene_body* b, uint32_t first, uint32_t end, uint32_t k,
                        uint32_t** vertex, rival_influence** influence) {
    uint32_t count = 0;
    for (uint32_t v = first; v < end; ++v) {
        if (influences_of(b, v) != k) {
            continue;
        }
        *(*vertex)++ = v;
        ++count;
        for (uint32_t i = b->weight_first[v]; i < b->weight_first[v + 1]; ++i) {
            *(*influence)++ = (rival_influence){16 * b->weight_nodes[i], b->weights[i]};
        }
    }
    if (count > 0) {
        s->runs[s->job.run_count++] = (rival_run){k, count};
    }
    return count;
}

static void sort_vertices(skinner* s, const scene_body* b) {
    uint32_t* vertex = s->vertices;
    rival_influence* influence = s->influences;
    for (uint32_t first = 0; first < b->vertex_count; first += STRETCH) {
        const uint32_t left = b->vertex_count - first;
        const uint32_t end = first + (left < STRETCH ? left : STRETCH);
        uint32_t added = 0;
        for (uint32_t k = 0; added < end - first; ++k) {
            added += add_run(s, b, first, end, k, &vertex, &influence);
        }
    }
}

skinner* skinner_create(const scene_body* body) {
    skinner* s = bench_alloc(1, sizeof *s);
    const size_t numbers = 3 * (size_t)body->vertex_count;
    s->rival = rivals_chosen();
    s->vertex_count = body->vertex_count;
    s->rest = bench_alloc_floats(numbers);
    s->runs = bench_alloc(body->vertex_count, sizeof *s->runs);
    s->vertices = bench_alloc(body->vertex_count, sizeof *s->vertices);
    s->influences = bench_alloc(body->weight_first[body->vertex_count], sizeof *s->influences);
    s->job = (rival_skin){
        .runs = s->runs,
        .vertices = s->vertices,
        .influences = s->influences,
        .rest = s->rest,
        .node_count = body->node_count,
        .columns = bench_alloc_floats(16 * (size_t)body->node_count),
        .out = bench_alloc_floats(numbers),
    };
    for (size_t i = 0; i < numbers; ++i) {
        s->rest[i] = (float)body->rest[i];
    }
    if (body->field_count > 0) {
        s->moves = deformer_create(body->rest, body->fields, body->vertex_count, body->field_count);
    }
    sort_vertices(s, body);
    return s;
}

void skinner_destroy(skinner* s) {
    if (s != NULL) {
        deformer_destroy(s->moves);
        free(s->rest);
        free(s->runs);
        free(s->vertices);
        free(s->influences);
        free(s->job.columns);
        free(s->job.out);
        free(s);
    }
}

const float* skinner_run(skinner* s, const float* transforms, const double* q) {
    s->job.rest = s->moves != NULL ? deformer_run(s->moves, q) : s->rest;
    s->job.transforms = transforms;
    s->rival->skin(&s->job);
    return s->job.out;
}

void skinner_box(const skinner* s, float lo[3], float hi[3]) {
    s->rival->box(s->job.out, s->vertex_count, lo, hi);
}
