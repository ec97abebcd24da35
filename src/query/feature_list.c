// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From two triangles to their pairs of features: vertices with faces and edges with edges, each with its
// vertices and its margin, for sweeps and for feature queries.
#include "query/query.h"

// sets the margin of two features from their vertices
static void set_margin(abut__feature_lane* lane) {
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

static void set_corner(const abut__feature_triangles* t, abut__feature_source* out, uint32_t i,
                       uint32_t side, uint32_t corner) {
    out->side[i] = (uint8_t)side;
    out->corner[i] = (uint8_t)corner;
    out->lane.vertex[i] = t->vertex[side][corner];
}

// a corner of one side and the face of the other; within a body the vertex comes first
static void set_vertex_face(const abut__feature_triangles* t, uint32_t side, uint32_t corner,
                            abut__feature_source* out) {
    const bool self = t->job->self;
    const uint32_t first = self ? side : 0;
    out->lane.kind = side == 0 || self ? ABUT_CONTACT_VERTEX_FACE : ABUT_CONTACT_FACE_VERTEX;
    out->lane.triangle[0] = t->triangle[first];
    out->lane.triangle[1] = t->triangle[1 - first];
    set_corner(t, out, 0, side, corner);
    for (uint32_t c = 0; c < 3; ++c) {
        set_corner(t, out, 1 + c, 1 - side, c);
    }
}

// an edge of a triangle from its lower to its higher vertex
typedef struct edge {
    uint32_t corner[2];
    uint64_t key;
} edge;

static edge edge_of(const uint32_t vertex[3], uint32_t i) {
    const uint32_t next = (i + 1) % 3;
    const bool up = vertex[i] <= vertex[next];
    const uint32_t low = up ? i : next;
    const uint32_t high = up ? next : i;
    return (edge){{low, high}, (uint64_t)vertex[low] << 32 | vertex[high]};
}

// two edges; within a body that with the lower vertices comes first
static void set_edge_edge(const abut__feature_triangles* t, uint32_t i, uint32_t j,
                          abut__feature_source* out) {
    const edge e[2] = {edge_of(t->vertex[0], i), edge_of(t->vertex[1], j)};
    const uint32_t first = t->job->self && e[0].key > e[1].key ? 1 : 0;
    out->lane.kind = ABUT_CONTACT_EDGE_EDGE;
    out->lane.triangle[0] = t->triangle[first];
    out->lane.triangle[1] = t->triangle[1 - first];
    for (uint32_t c = 0; c < 4; ++c) {
        const uint32_t side = c < 2 ? first : 1 - first;
        set_corner(t, out, c, side, e[side].corner[c % 2]);
    }
}

uint32_t abut__features_list(const abut__feature_triangles* t, abut__task* task, uint32_t pairs,
                             abut__feature_source out[ABUT__FEATURE_PAIRS_MOST]) {
    uint32_t count = 0;
    for (uint32_t left = pairs; left != 0; left &= left - 1) {
        const uint32_t pair = (uint32_t)__builtin_ctz(left);
        abut__feature_source* next = &out[count++];
        next->lane.job = t->job;
        next->lane.task = task;
        if (pair < 6) {
            set_vertex_face(t, pair / 3, pair % 3, next);
        } else {
            set_edge_edge(t, (pair - 6) / 3, (pair - 6) % 3, next);
        }
        set_margin(&next->lane);
    }
    return count;
}
