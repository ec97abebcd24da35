// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contact proxies: spheres of one level of a binary tree, which approximate the surface when time
// is short, and coarser spheres that contain them. Based on: James, Pai, "BD-Tree: Output-Sensitive
// Collision Detection for Reduced Deformable Models", 2004, section 3.4 (bounded depth).
//
// The triangles are halved `level` times, across the longest axis of their middles. That gives
// 2^level proxies with nearly equal numbers of triangles. A proxy wraps the vertices of its
// triangles. Three levels at a time form a wide node, whose spheres wrap the proxies below
// (spheres.h has the proof that they do so for all coordinates). The tree is full, so it needs no
// links: spheres are numbered level by level, and those from node_count on are the proxies.
#ifndef ABUT_BOUND_PROXIES_H
#define ABUT_BOUND_PROXIES_H

#include "bound/spheres.h"

#define ABUT__PROXY_LEVEL_MOST 20u

typedef struct abut__proxies {
    const abut_context* context;
    uint32_t count;
    uint32_t node_count;
    uint32_t root_fan;  // children of the root: 1, 2, 4 or 8; all others have 8
    uint32_t* vertex;   // per proxy: the vertex nearest to its centre at rest
    uint32_t* first;    // per proxy: its first triangle; one more at the end
    uint32_t* triangles;
    uint32_t triangle_count;
    abut__spheres spheres;  // one group per node
} abut__proxies;

// NULL: no memory. Lowers a level that would leave proxies without a triangle.
abut__proxies* abut__proxies_make(const abut_context* context, abut__arena* arena,
                                  abut__wrapper* wrapper, uint32_t level);
void abut__proxies_free(abut__proxies* proxies);

static inline uint32_t abut__proxies_fan(const abut__proxies* proxies, uint32_t node) {
    return node == 0 ? proxies->root_fan : ABUT__FAN;
}
// Returns the number of a node's first child; the others follow.
static inline uint32_t abut__proxies_child(const abut__proxies* proxies, uint32_t node) {
    return node == 0 ? 1 : 1 + proxies->root_fan + ABUT__FAN * (node - 1);
}
static inline uint32_t abut__proxies_parent(const abut__proxies* proxies, uint32_t number) {
    return number <= proxies->root_fan ? 0 : 1 + (number - 1 - proxies->root_fan) / ABUT__FAN;
}

#endif
