// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Why a contour ends. All triangles around the simplex of one surface have the place in common with
// all triangles around the simplex of the other one. A complete list of pairs therefore has all pairs
// of these, except neighbours.
#include "query/contour_trace.h"

#include "exact/orient.h"
#include "mesh/topology.h"

// A vertex, edge or face, and the triangles that may have it.
typedef struct star {
    const abut__body* body;
    uint32_t class[2];  // of a vertex or an edge
    uint32_t corners;   // 1, 2 or 3
    const uint32_t* around;
    uint32_t count;
    uint32_t face;  // of corners 3: `around` points here
} star;

static bool has_class(const abut_mesh* mesh, uint32_t triangle, uint32_t class) {
    const uint32_t* t = mesh->triangles + 3 * (size_t)triangle;
    return mesh->classes[t[0]] == class || mesh->classes[t[1]] == class ||
           mesh->classes[t[2]] == class;
}

static bool star_has(const star* s, uint32_t i) {
    return s->corners != 2 || has_class(s->body->shape->mesh, s->around[i], s->class[1]);
}

static bool set_star(star* s, const abut__body* body, uint32_t triangle, uint32_t carrier) {
    const abut_mesh* mesh = body->shape->mesh;
    const abut__topology* topology = abut__shape_topology(body->shape);
    *s = (star){.body = body, .face = triangle, .count = 1};
    if (topology == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        if ((carrier >> i & 1) != 0) {
            s->class[s->corners++ & 1] = mesh->classes[mesh->triangles[3 * (size_t)triangle + i]];
        }
    }
    s->around = &s->face;
    if (s->corners < 3) {
        s->around = topology->around + topology->first[s->class[0]];
        s->count = topology->first[s->class[0] + 1] - topology->first[s->class[0]];
    }
    return true;
}

// Whether only one triangle has the edge between two classes.
static bool is_border_edge(const star* s, uint32_t other) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < s->count && found < 2; ++i) {
        found += has_class(s->body->shape->mesh, s->around[i], other);
    }
    return found == 1;
}

static bool on_border(const star* s) {
    const abut_mesh* mesh = s->body->shape->mesh;
    if (s->corners != 1) {
        return s->corners == 2 && is_border_edge(s, s->class[1]);
    }
    for (uint32_t i = 0; i < 3 * s->count; ++i) {
        const uint32_t other = mesh->classes[mesh->triangles[3 * (size_t)s->around[i / 3] + i % 3]];
        if (other != s->class[0] && is_border_edge(s, other)) {
            return true;
        }
    }
    return false;
}

static bool is_given(const abut__contour_run* run, uint32_t a, uint32_t b) {
    if (run->self && b < a) {
        const uint32_t lower = b;
        b = a;
        a = lower;
    }
    uint32_t first = 0;
    uint32_t end = run->pair_count;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        const abut_pair* p = &run->pairs[middle];
        if (p->triangle_a < a || (p->triangle_a == a && p->triangle_b < b)) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    return first < run->pair_count && run->pairs[first].triangle_a == a &&
           run->pairs[first].triangle_b == b;
}

static bool is_thin(const abut__body* body, uint32_t triangle) {
    double corner[3][3];
    for (uint32_t i = 0; i < 3; ++i) {
        abut__body_vertex(body, body->shape->mesh->triangles[3 * (size_t)triangle + i], 1,
                          corner[i]);
    }
    return abut__triangle_axis((const double(*)[3])corner) < 0;
}

static bool has_thin(const star* s) {
    for (uint32_t i = 0; i < s->count; ++i) {
        if (star_has(s, i) && is_thin(s->body, s->around[i])) {
            return true;
        }
    }
    return false;
}

// Looks which pairs of triangles around the place are not among the pairs.
static abut_contour_end look_around(const abut__contour_run* run, const star* a, const star* b) {
    bool neighbours = false;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t k = 0; k < b->count && star_has(a, i); ++k) {
            if (!star_has(b, k) || (run->self && a->around[i] == b->around[k]) ||
                is_given(run, a->around[i], b->around[k])) {
                continue;
            }
            if (!run->self ||
                abut__shared_corners(a->body->shape->mesh, a->around[i], b->around[k]) == 0) {
                return ABUT_CONTOUR_END_MISSING;
            }
            neighbours = true;
        }
    }
    return neighbours                   ? ABUT_CONTOUR_END_NEIGHBOURS
           : has_thin(a) || has_thin(b) ? ABUT_CONTOUR_END_DEGENERATE
                                        : ABUT_CONTOUR_END_TOUCH;
}

bool abut__contour_end_of(const abut__contour_run* run, abut__contour_step step, uint32_t end,
                          abut_contour_end* why) {
    const abut__contour_piece* piece = &run->result->pieces.data[step.piece];
    const abut__contour_node* node = &run->result->nodes.data[piece->node[end]];
    const abut_pair* pair = &run->pairs[piece->pair];
    star side[2];
    if (node->pinched || node->degree > 2 || node->in_area) {
        *why = node->pinched      ? ABUT_CONTOUR_END_VERTEX
               : node->degree > 2 ? ABUT_CONTOUR_END_BRANCH
                                  : ABUT_CONTOUR_END_AREA;
        return true;
    }
    if (!set_star(&side[0], run->body[0], pair->triangle_a, piece->carrier[end][0]) ||
        !set_star(&side[1], run->body[1], pair->triangle_b, piece->carrier[end][1])) {
        return false;
    }
    const star* a = &side[step.swapped];
    const star* b = &side[!step.swapped];
    *why = on_border(a)   ? ABUT_CONTOUR_END_BORDER_A
           : on_border(b) ? ABUT_CONTOUR_END_BORDER_B
                          : look_around(run, a, b);
    return true;
}
