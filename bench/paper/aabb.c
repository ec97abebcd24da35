// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The baseline of Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among
// Deformable Models Using Discrete Voronoi Diagrams" (2006), as described there: a binary tree of
// boxes for every body, refitted each frame; pairs of bodies from sorted boxes, each body bounded
// by the farthest corners of its nearest box; and for each such pair a branch and bound, starting
// from the best distance of either body so far. Within a body there is a descent for each triangle.
// Distances of triangles are those of the library's kernel, one by one, because each pair decides
// how the search goes on, for every pair whose boxes are near enough. Boxes are compared by squares.
#include "bench/bench.h"
#include "bench/near.h"
#include "exact/distance.h"
#include "simd/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

typedef struct box {
    double lo[3];
    double hi[3];
} box;

typedef struct node {
    uint32_t child[2];  // child[1] == NONE: child[0] is a triangle
    box bounds;
} node;

typedef struct hierarchy {
    const near_mesh* mesh;
    bool there;
    double* xyz;
    node* nodes;  // children come after their parents
    uint32_t node_count;
    uint32_t* order;
} hierarchy;

typedef struct peer {
    hierarchy* bodies;
    uint32_t count;
    uint64_t tests;
    const abut__kernels* kernels;
    abut__triangle_batch batch;  // of one pair
} peer;

// ---- boxes

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(box* b, const double lo[3], const double hi[3]) {
    for (int d = 0; d < 3; ++d) {
        b->lo[d] = lo[d] < b->lo[d] ? lo[d] : b->lo[d];
        b->hi[d] = hi[d] > b->hi[d] ? hi[d] : b->hi[d];
    }
}

static inline double least_distance_sq(const box* a, const box* b) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double below = a->lo[d] - b->hi[d];
        const double above = b->lo[d] - a->hi[d];
        double gap = below > above ? below : above;
        gap = gap > 0 ? gap : 0;
        square += gap * gap;
    }
    return square;
}

static inline double farthest_distance_sq(const box* a, const box* b) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double below = a->hi[d] - b->lo[d];
        const double above = b->hi[d] - a->lo[d];
        const double far = below > above ? below : above;
        square += far * far;
    }
    return square;
}

// A distance, with its square for the comparison with boxes.
typedef struct bound {
    double distance;
    double square;
} bound;

static bound bound_of(double distance) {
    return (bound){distance, distance * distance};
}

static const double* corner(const hierarchy* h, uint32_t triangle, int c) {
    return h->xyz + 3 * (size_t)h->mesh->triangles[3 * (size_t)triangle + (size_t)c];
}

static box triangle_box(const hierarchy* h, uint32_t triangle) {
    box b = nothing;
    for (int c = 0; c < 3; ++c) {
        grow(&b, corner(h, triangle, c), corner(h, triangle, c));
    }
    return b;
}

// ---- trees

static const hierarchy* sorted_tree;
static int sorted_axis;

static int by_middle(const void* x, const void* y) {
    const box a = triangle_box(sorted_tree, *(const uint32_t*)x);
    const box b = triangle_box(sorted_tree, *(const uint32_t*)y);
    const double u = a.lo[sorted_axis] + a.hi[sorted_axis];
    const double v = b.lo[sorted_axis] + b.hi[sorted_axis];
    return (u > v) - (u < v);
}

// Halves along the longest side.
static uint32_t build(hierarchy* h, uint32_t first, uint32_t count) {
    const uint32_t own = h->node_count++;
    if (count == 1) {
        h->nodes[own] = (node){.child = {h->order[first], NONE}};
        return own;
    }
    box b = nothing;
    for (uint32_t i = first; i < first + count; ++i) {
        const box t = triangle_box(h, h->order[i]);
        grow(&b, t.lo, t.hi);
    }
    sorted_tree = h;
    sorted_axis = 0;
    for (int d = 1; d < 3; ++d) {
        sorted_axis = b.hi[d] - b.lo[d] > b.hi[sorted_axis] - b.lo[sorted_axis] ? d : sorted_axis;
    }
    qsort(h->order + first, count, sizeof *h->order, by_middle);
    const uint32_t left = build(h, first, count / 2);
    const uint32_t right = build(h, first + count / 2, count - count / 2);
    h->nodes[own].child[0] = left;
    h->nodes[own].child[1] = right;
    return own;
}

static void refit(hierarchy* h) {
    for (uint32_t i = h->node_count; i-- > 0;) {
        node* n = &h->nodes[i];
        if (n->child[1] == NONE) {
            n->bounds = triangle_box(h, n->child[0]);
        } else {
            const box* right = &h->nodes[n->child[1]].bounds;
            n->bounds = h->nodes[n->child[0]].bounds;
            grow(&n->bounds, right->lo, right->hi);
        }
    }
}

static void make_tree(hierarchy* h) {
    h->node_count = 0;
    for (uint32_t t = 0; t < h->mesh->triangle_count; ++t) {
        h->order[t] = t;
    }
    build(h, 0, h->mesh->triangle_count);
}

// ---- branch and bound

static void measure(peer* p, const hierarchy* a, uint32_t s, const hierarchy* b, uint32_t t,
                    bound* best) {
    abut__distances found;
    double x[2][3][3];
    for (int c = 0; c < 3; ++c) {
        memcpy(x[0][c], corner(a, s, c), sizeof x[0][c]);
        memcpy(x[1][c], corner(b, t, c), sizeof x[1][c]);
    }
    for (int i = 0; i < 18; ++i) {
        p->batch.corner[i / 3][i % 3][0] = x[i / 9][i / 3 % 3][i % 3];
    }
    ++p->tests;
    p->kernels->triangles_distance(&p->batch, 1, &found);
    if (found.open != 0) {
        abut_distance out;
        abut__triangles_distance((const double(*)[3])x[0], (const double(*)[3])x[1], &out);
        found.distance[0] = out.distance;
    }
    *best = found.distance[0] < best->distance ? bound_of(found.distance[0]) : *best;
}

// Visits the nearer of two children first.
static void descend_pair(peer* p, const hierarchy* a, uint32_t i, const hierarchy* b, uint32_t k,
                         bound* best) {
    const node* n = &a->nodes[i];
    const node* m = &b->nodes[k];
    if (n->child[1] == NONE && m->child[1] == NONE) {
        measure(p, a, n->child[0], b, m->child[0], best);
        return;
    }
    const double size_n = farthest_distance_sq(&n->bounds, &n->bounds);
    const double size_m = farthest_distance_sq(&m->bounds, &m->bounds);
    const bool open_a = m->child[1] == NONE || (n->child[1] != NONE && size_n > size_m);
    double gap[2];
    for (int c = 0; c < 2; ++c) {
        gap[c] = open_a ? least_distance_sq(&a->nodes[n->child[c]].bounds, &m->bounds)
                        : least_distance_sq(&n->bounds, &b->nodes[m->child[c]].bounds);
    }
    const int first = gap[0] <= gap[1] ? 0 : 1;
    for (int turn = 0; turn < 2; ++turn) {
        const int c = turn == 0 ? first : 1 - first;
        if (gap[c] < best->square) {
            descend_pair(p, a, open_a ? n->child[c] : i, b, open_a ? k : m->child[c], best);
        }
    }
}

static bool are_neighbours(const hierarchy* h, uint32_t s, uint32_t t) {
    const uint32_t* x = h->mesh->triangles + 3 * (size_t)s;
    const uint32_t* y = h->mesh->triangles + 3 * (size_t)t;
    for (int i = 0; i < 9; ++i) {
        if (x[i / 3] == y[i % 3]) {
            return true;
        }
    }
    return false;
}

static void descend_triangle(peer* p, const hierarchy* h, uint32_t triangle, const box* own,
                             uint32_t i, bound* best) {
    const node* n = &h->nodes[i];
    if (n->child[1] == NONE) {
        if (!are_neighbours(h, triangle, n->child[0])) {
            measure(p, h, triangle, h, n->child[0], best);
        }
        return;
    }
    const double gap[2] = {least_distance_sq(own, &h->nodes[n->child[0]].bounds),
                           least_distance_sq(own, &h->nodes[n->child[1]].bounds)};
    const int first = gap[0] <= gap[1] ? 0 : 1;
    for (int turn = 0; turn < 2; ++turn) {
        const int c = turn == 0 ? first : 1 - first;
        if (gap[c] < best->square) {
            descend_triangle(p, h, triangle, own, n->child[c], best);
        }
    }
}

// ---- the peer

static void* create(const near_mesh* meshes, uint32_t count) {
    peer* p = bench_alloc(1, sizeof *p);
    abut_isa isa = ABUT_ISA_BEST;
    p->kernels = abut__kernels_choose(&isa);
    p->bodies = bench_alloc(count, sizeof *p->bodies);
    p->count = count;
    for (uint32_t i = 0; i < count; ++i) {
        hierarchy* h = &p->bodies[i];
        h->mesh = &meshes[i];
        h->xyz = bench_alloc(3 * (size_t)meshes[i].vertex_count, sizeof *h->xyz);
        h->nodes = bench_alloc(2 * (size_t)meshes[i].triangle_count, sizeof *h->nodes);
        h->order = bench_alloc(meshes[i].triangle_count, sizeof *h->order);
    }
    return p;
}

static void destroy(void* peer_) {
    peer* p = peer_;
    for (uint32_t i = 0; i < p->count; ++i) {
        free(p->bodies[i].xyz);
        free(p->bodies[i].nodes);
        free(p->bodies[i].order);
    }
    free(p->bodies);
    free(p);
}

static void update(void* peer_, const double* const* xyz, const bool* there) {
    peer* p = peer_;
    for (uint32_t i = 0; i < p->count; ++i) {
        hierarchy* h = &p->bodies[i];
        const bool appears = there[i] && !h->there;
        h->there = there[i];
        if (!there[i] || (xyz[i] == NULL && !appears)) {
            continue;
        }
        memcpy(h->xyz, xyz[i] != NULL ? xyz[i] : h->mesh->rest,
               3 * (size_t)h->mesh->vertex_count * sizeof *h->xyz);
        if (appears) {
            make_tree(h);
        }
        refit(h);
    }
}

static bool can(near_question question) {
    (void)question;
    return true;
}

// Tests pairs of bodies whose boxes are within the bound of either, each once.
static void ask_bodies(peer* p, double* distances) {
    double* most = bench_alloc(p->count, sizeof *most);
    for (uint32_t i = 0; i < p->count; ++i) {
        distances[i] = most[i] = INFINITY;
        for (uint32_t k = 0; k < p->count && p->bodies[i].there; ++k) {
            if (k != i && p->bodies[k].there) {
                const double far = farthest_distance_sq(&p->bodies[i].nodes[0].bounds,
                                                        &p->bodies[k].nodes[0].bounds);
                most[i] = far < most[i] ? far : most[i];
            }
        }
        most[i] = sqrt(most[i]);
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        for (uint32_t k = i + 1; k < p->count; ++k) {
            const hierarchy* a = &p->bodies[i];
            const hierarchy* b = &p->bodies[k];
            // At most what either may still need, and a little for rounding.
            const double wanted = fmax(fmin(most[i], distances[i]), fmin(most[k], distances[k]));
            const bound limit = bound_of(wanted * (1 + 0x1p-20));
            if (!a->there || !b->there || (!a->mesh->moves && !b->mesh->moves) ||
                least_distance_sq(&a->nodes[0].bounds, &b->nodes[0].bounds) > limit.square) {
                continue;
            }
            bound best = limit;
            descend_pair(p, a, 0, b, 0, &best);
            if (best.distance < limit.distance) {
                distances[i] = best.distance < distances[i] ? best.distance : distances[i];
                distances[k] = best.distance < distances[k] ? best.distance : distances[k];
            }
        }
    }
    free(most);
}

static void ask_within(peer* p, const hierarchy* h, double* distances) {
    for (uint32_t t = 0; t < h->mesh->triangle_count; ++t) {
        const box own = triangle_box(h, t);
        bound best = bound_of(INFINITY);
        if (h->there) {
            descend_triangle(p, h, t, &own, 0, &best);
        }
        distances[t] = best.distance;
    }
}

static void ask(void* peer_, near_question question, double* distances) {
    peer* p = peer_;
    p->tests = 0;
    if (question == NEAR_PAIR) {
        bound best = bound_of(INFINITY);
        descend_pair(p, &p->bodies[0], 0, &p->bodies[1], 0, &best);
        *distances = best.distance;
    } else if (question == NEAR_WITHIN) {
        ask_within(p, &p->bodies[0], distances);
    } else {
        ask_bodies(p, distances);
    }
    double* next = distances + p->count;
    for (uint32_t i = 0; i < p->count && question == NEAR_BOTH; ++i) {
        if (p->bodies[i].mesh->moves) {
            ask_within(p, &p->bodies[i], next);
            next += p->bodies[i].mesh->triangle_count;
        }
    }
}

static uint64_t tests(void* peer_) {
    return ((const peer*)peer_)->tests;
}

const near_kind near_aabb = {
    "AABB hierarchy", create, destroy, update, can, ask, tests, tests, NULL};
