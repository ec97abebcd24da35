// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An oracle for contours in GMP rationals. It knows a point by its exact coordinates, where the
// library knows it by the simplices that meet there. The pieces that pairs of triangles share, with
// exact ends, make a graph; contours must run through it.
#ifndef ABUT_TEST_CONTOUR_SUPPORT_H
#define ABUT_TEST_CONTOUR_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/rational_triangles.h"
#include "support/world.h"

typedef struct exact_point {
    mpq_t x[3];
    uint32_t degree;  // pieces that end there, each once
    bool in_area;     // a corner of an area that two triangles share
} exact_point;

typedef struct exact_piece {
    uint32_t end[2];
    uint32_t used;  // by how many segments of contours
} exact_piece;

typedef struct exact_graph {
    exact_point* points;
    uint32_t point_count;
    exact_piece* pieces;
    uint32_t piece_count;
    uint32_t capacity;
} exact_graph;

static void read_triangle(const abut_scene* scene, uint32_t body, uint32_t triangle, bool in_shape,
                          double out[3][3]) {
    const abut_body_id id = abut_scene_body_at(scene, body);
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(scene, id));
    const uint32_t* ids = abut_mesh_triangles(mesh) + 3 * (size_t)triangle;
    for (int i = 0; i < 3; ++i) {
        if (in_shape) {
            REQUIRE_OK(abut_body_vertex(scene, id, ids[i], out[i], NULL));
        } else {
            REQUIRE_OK(abut_body_world_vertex(scene, id, ids[i], out[i], NULL));
        }
    }
}

static uint32_t find_point(exact_graph* g, mpq_t x[3]) {
    for (uint32_t i = 0; i < g->point_count; ++i) {
        if (mpq_equal(g->points[i].x[0], x[0]) && mpq_equal(g->points[i].x[1], x[1]) &&
            mpq_equal(g->points[i].x[2], x[2])) {
            return i;
        }
    }
    REQUIRE(g->point_count < g->capacity);
    exact_point* p = &g->points[g->point_count];
    memset(p, 0, sizeof *p);
    for (int k = 0; k < 3; ++k) {
        mpq_init(p->x[k]);
        mpq_set(p->x[k], x[k]);
    }
    return g->point_count++;
}

static uint32_t find_piece(exact_graph* g, uint32_t a, uint32_t b, bool make) {
    for (uint32_t i = 0; i < g->piece_count; ++i) {
        const exact_piece* p = &g->pieces[i];
        if ((p->end[0] == a && p->end[1] == b) || (p->end[0] == b && p->end[1] == a)) {
            return i;
        }
    }
    REQUIRE(make && g->piece_count < g->capacity);
    g->pieces[g->piece_count] = (exact_piece){{a, b}, 0};
    ++g->points[a].degree;
    ++g->points[b].degree;
    return g->piece_count++;
}

// The pieces of pairs. Meshes must have no triangles without area.
static exact_graph graph_make(const abut_scene* scene, const abut_pair* pairs, size_t count,
                              bool in_shape) {
    exact_graph g = {.capacity = (uint32_t)(6 * count + 1)};
    g.points = test_alloc(g.capacity, sizeof *g.points);
    g.pieces = test_alloc(g.capacity, sizeof *g.pieces);
    rational_set set;
    rational_set_init(&set);
    for (size_t i = 0; i < count; ++i) {
        double p[3][3];
        double q[3][3];
        read_triangle(scene, pairs[i].body_a, pairs[i].triangle_a, in_shape, p);
        read_triangle(scene, pairs[i].body_b, pairs[i].triangle_b, in_shape, q);
        rational_intersection((const double(*)[3])p, (const double(*)[3])q, &set);
        if (set.count == 2) {
            const uint32_t a = find_point(&g, set.point[0]);
            find_piece(&g, a, find_point(&g, set.point[1]), true);
        }
        for (uint32_t c = 0; c < set.count && set.count > 2; ++c) {
            g.points[find_point(&g, set.point[c])].in_area = true;
        }
    }
    rational_set_clear(&set);
    return g;
}

static void graph_free(exact_graph* g) {
    for (uint32_t i = 0; i < g->point_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpq_clear(g->points[i].x[k]);
        }
    }
    free(g->points);
    free(g->pieces);
}

#endif
