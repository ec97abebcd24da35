// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Joins all bodies into one surface: see joined.h.
#include "cli/joined.h"

#include "cli/message.h"

#include <stdlib.h>

static const abut_mesh* mesh_of(const world* w, uint32_t body) {
    return abut_shape_mesh(abut_body_shape(w->scene, w->bodies[body]));
}

static void make_room(joined* j, const world* w) {
    size_t vertices = 0;
    size_t triangles = 0;
    for (uint32_t i = 0; i < w->body_count; ++i) {
        vertices += abut_mesh_vertex_count(mesh_of(w, i));
        triangles += abut_mesh_triangle_count(mesh_of(w, i));
    }
    j->positions = reallocate(j->positions, vertices, 3 * sizeof *j->positions);
    j->triangles = reallocate(j->triangles, triangles, 3 * sizeof *j->triangles);
    j->bodies = reallocate(j->bodies, triangles, sizeof *j->bodies);
    j->ids = reallocate(j->ids, triangles, sizeof *j->ids);
    j->first = reallocate(j->first, w->body_count + 1, sizeof *j->first);
}

static void take_body(joined* j, const world* w, uint32_t body) {
    const abut_mesh* mesh = mesh_of(w, body);
    const uint32_t* corners = abut_mesh_triangles(mesh);
    const uint32_t first_vertex = (uint32_t)j->vertex_count;
    for (uint32_t t = 0; t < abut_mesh_triangle_count(mesh); ++t) {
        if (corners[3 * (size_t)t] == UINT32_MAX) {
            continue;
        }
        for (size_t k = 0; k < 3; ++k) {
            j->triangles[3 * j->triangle_count + k] = first_vertex + corners[3 * (size_t)t + k];
        }
        j->bodies[j->triangle_count] = body;
        j->ids[j->triangle_count++] = t;
    }
    for (uint32_t v = 0; v < abut_mesh_vertex_count(mesh); ++v) {
        abut_body_world_vertex(w->scene, w->bodies[body], v, j->positions + 3 * j->vertex_count++,
                               NULL);
    }
}

void joined_take(joined* j, const world* w) {
    make_room(j, w);
    j->vertex_count = j->triangle_count = 0;
    j->body_count = w->body_count;
    for (uint32_t i = 0; i < w->body_count; ++i) {
        j->first[i] = j->triangle_count;
        take_body(j, w, i);
    }
    j->first[w->body_count] = j->triangle_count;
}

size_t joined_place(const joined* j, uint32_t body, uint32_t triangle) {
    size_t low = j->first[body];
    size_t high = j->first[body + 1];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (j->ids[middle] < triangle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < j->first[body + 1] && j->ids[low] == triangle ? low : SIZE_MAX;
}

void joined_free(joined* j) {
    free(j->positions);
    free(j->triangles);
    free(j->bodies);
    free(j->ids);
    free(j->first);
    *j = (joined){0};
}
