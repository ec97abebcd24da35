// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A body of a peer that only finds boxes: its positions, the boxes of its triangles, and the test
// of triangles.
#ifndef BENCH_CORNERS_H
#define BENCH_CORNERS_H

#include "peers/peer.h"
#include "peers/tritri.h"

typedef struct corners {
    const peer_mesh* mesh;
    const float* xyz;
} corners;

static inline void corners_box(const corners* c, uint32_t triangle, float lo[3], float hi[3]) {
    const uint32_t* t = c->mesh->triangles + 3 * (size_t)triangle;
    const float* p = c->xyz + 3 * (size_t)t[0];
    const float* q = c->xyz + 3 * (size_t)t[1];
    const float* r = c->xyz + 3 * (size_t)t[2];
    for (int i = 0; i < 3; ++i) {
        const float low = p[i] < q[i] ? p[i] : q[i];
        const float high = p[i] < q[i] ? q[i] : p[i];
        lo[i] = low < r[i] ? low : r[i];
        hi[i] = high < r[i] ? r[i] : high;
    }
}

static inline void corners_load(const corners* c, uint32_t triangle, tritri_point corner[3]) {
    const uint32_t* t = c->mesh->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 3; ++i) {
        const float* p = c->xyz + 3 * (size_t)t[i];
        corner[i].x = p[0];
        corner[i].y = p[1];
        corner[i].z = p[2];
    }
}

// Tests boxes first, because the peer's own may be larger than those of the triangles.
static inline bool corners_touch(const corners* a, uint32_t i, const corners* b, uint32_t k) {
    float p[2][3];
    float q[2][3];
    corners_box(a, i, p[0], p[1]);
    corners_box(b, k, q[0], q[1]);
    if (p[0][0] > q[1][0] || q[0][0] > p[1][0] || p[0][1] > q[1][1] || q[0][1] > p[1][1] ||
        p[0][2] > q[1][2] || q[0][2] > p[1][2]) {
        return false;
    }
    tritri_point s[3];
    tritri_point t[3];
    corners_load(a, i, s);
    corners_load(b, k, t);
    return tritri_touch(s, t);
}

#endif
