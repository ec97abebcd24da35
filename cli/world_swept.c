// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes the points of swept contacts from the positions in the frame before and in this one.
#include "cli/message.h"
#include "cli/world.h"

#include <stdlib.h>
#include <string.h>

struct positions_before {
    double* positions;
    size_t vertex_count;
};

static size_t vertices_of(const world* w, uint32_t body) {
    const abut_shape* shape = abut_body_shape(w->scene, w->bodies[body]);
    return shape != NULL ? abut_mesh_vertex_count(abut_shape_mesh(shape)) : 0;
}

void world_keep_before(world* w) {
    if (w->before_count < w->body_count) {
        w->before = reallocate(w->before, w->body_count, sizeof *w->before);
        memset(w->before + w->before_count, 0,
               (w->body_count - w->before_count) * sizeof *w->before);
        w->before_count = w->body_count;
    }
    for (uint32_t i = 0; i < w->body_count; ++i) {
        positions_before* b = &w->before[i];
        const size_t count = vertices_of(w, i);
        if (count != b->vertex_count) {
            b->positions = reallocate(b->positions, 3 * count + 1, sizeof *b->positions);
            b->vertex_count = count;
        }
        for (size_t v = 0; v < count; ++v) {
            (void)abut_body_world_vertex(w->scene, w->bodies[i], (uint32_t)v, b->positions + 3 * v,
                                         NULL);
        }
    }
}

void world_forget_before(world* w) {
    for (uint32_t i = 0; i < w->before_count; ++i) {
        free(w->before[i].positions);
    }
    free(w->before);
}

// the point of a moving vertex, edge or face at a time, by weights of its vertices
static bool point_at(const world* w, uint32_t body, const uint32_t vertices[3],
                     const double weights[3], double time, double point[3]) {
    const positions_before* b = body < w->before_count ? &w->before[body] : NULL;
    memset(point, 0, 3 * sizeof *point);
    for (int k = 0; k < 3 && vertices[k] != UINT32_MAX; ++k) {
        double now[3];
        if (b == NULL || vertices[k] >= b->vertex_count ||
            abut_body_world_vertex(w->scene, w->bodies[body], vertices[k], now, NULL) != ABUT_OK) {
            return false;
        }
        for (int d = 0; d < 3; ++d) {
            const double before = b->positions[3 * (size_t)vertices[k] + (size_t)d];
            point[d] += weights[k] * ((1 - time) * before + time * now[d]);
        }
    }
    return true;
}

bool world_swept_points(const world* w, const abut_sweep_pair* p, double point_a[3],
                        double point_b[3]) {
    return point_at(w, w->number_of[p->body_a], p->vertices_a, p->weights_a, p->time, point_a) &&
           point_at(w, w->number_of[p->body_b], p->vertices_b, p->weights_b, p->time, point_b);
}
