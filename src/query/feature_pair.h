// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A pair of features of two triangles, a vertex and a face or two edges: its vertices, in the order in
// which it is decided, and its margin. For sweeps and for feature queries. It is inline because a query
// makes very many of them.
#ifndef ABUT_QUERY_FEATURE_PAIR_H
#define ABUT_QUERY_FEATURE_PAIR_H

#include "query/query.h"

// Two triangles of the two sides of a job.
typedef struct abut__feature_triangles {
    const abut__job* job;
    abut__task* task;
    uint32_t triangle[2];
    const uint32_t* vertex[2];  // three each
} abut__feature_triangles;

// Of which side, and which corner of its triangle, each vertex of a pair is.
typedef struct abut__feature_corners {
    uint32_t side[4];
    uint32_t corner[4];
} abut__feature_corners;

// an edge of a triangle from its lower to its higher vertex
typedef struct abut__feature_edge {
    uint32_t corner[2];
    uint64_t key;
} abut__feature_edge;

static inline abut__feature_edge abut__feature_edge_of(const uint32_t vertex[3], uint32_t i) {
    const uint32_t next = (i + 1) % 3;
    const bool up = vertex[i] <= vertex[next];
    const uint32_t low = up ? i : next;
    const uint32_t high = up ? next : i;
    return (abut__feature_edge){{low, high}, (uint64_t)vertex[low] << 32 | vertex[high]};
}

// Sets the margin of a pair whose vertices are set.
static inline void abut__feature_set_margin(abut__feature_lane* lane) {
    const abut__job* job = lane->job;
    if (!job->varies) {
        lane->margin = job->margin;
        return;
    }
    const uint32_t first = lane->kind == ABUT_CONTACT_EDGE_EDGE ? 2 : 1;
    const int side = lane->kind == ABUT_CONTACT_FACE_VERTEX ? 1 : 0;  // of the first vertices
    lane->margin = abut__margin_of(
        job, abut__span_thickness(&job->thick[side], lane->vertex, first),
        abut__span_thickness(&job->thick[1 - side], lane->vertex + first, 4 - first));
}

// Sets all but the kind and the corners: `first` is the side that comes first in a row.
static inline void abut__feature_set(const abut__feature_triangles* t, uint32_t first,
                                     const abut__feature_corners* at, abut__feature_lane* lane) {
    lane->job = t->job;
    lane->task = t->task;
    lane->triangle[0] = t->triangle[first];
    lane->triangle[1] = t->triangle[1 - first];
    for (uint32_t c = 0; c < 4; ++c) {
        lane->vertex[c] = t->vertex[at->side[c]][at->corner[c]];
    }
    abut__feature_set_margin(lane);
}

// A corner of one side and the face of the other. Within a body the vertex comes first.
static inline void abut__feature_vertex_face(const abut__feature_triangles* t, uint32_t side,
                                             uint32_t corner, abut__feature_corners* at,
                                             abut__feature_lane* lane) {
    const bool self = t->job->self;
    *at = (abut__feature_corners){{side, 1 - side, 1 - side, 1 - side}, {corner, 0, 1, 2}};
    lane->kind = side == 0 || self ? ABUT_CONTACT_VERTEX_FACE : ABUT_CONTACT_FACE_VERTEX;
    abut__feature_set(t, self ? side : 0, at, lane);
}

// Two edges. Within a body that with the lower vertices comes first.
static inline void abut__feature_edge_edge(const abut__feature_triangles* t, uint32_t i, uint32_t j,
                                           abut__feature_corners* at, abut__feature_lane* lane) {
    const abut__feature_edge e[2] = {abut__feature_edge_of(t->vertex[0], i),
                                     abut__feature_edge_of(t->vertex[1], j)};
    const uint32_t first = t->job->self && e[0].key > e[1].key ? 1 : 0;
    const abut__feature_edge* a = &e[first];
    const abut__feature_edge* b = &e[1 - first];
    *at = (abut__feature_corners){{first, first, 1 - first, 1 - first},
                                  {a->corner[0], a->corner[1], b->corner[0], b->corner[1]}};
    lane->kind = ABUT_CONTACT_EDGE_EDGE;
    abut__feature_set(t, first, at, lane);
}

#endif
