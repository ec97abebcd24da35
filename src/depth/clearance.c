// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Distance from a point to a body's surface: branch and bound over its boxes, the nearest child
// first.
#include "depth/clearance.h"

#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "depth/read_block.h"
#include "exact/distance.h"

typedef struct search {
    const abut__body* body;
    const double* point;
    double local[3];  // the point relative to the body's origin
    double pad;       // error bound of boxes relative to there
    double best;
    double part;           // children that are not nearer than this part of the best are left out
    double nearest[3][3];  // the closest triangle, relative to the point
    bool found;
    abut_counters* counters;
} search;

// returns a lower bound of the point's distance to child k
static double below(const search* s, const abut__boxes8* boxes, uint32_t k) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double under = (double)boxes->lo[d][k] - s->local[d];
        const double over = s->local[d] - (double)boxes->hi[d][k];
        const double gap = (under > over ? under : over) - s->pad;
        sum += gap > 0 ? gap * gap : 0;
    }
    return 0.999999 * sqrt(sum);
}

static double clamp(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

// squared distance of the origin to the segment from a to a + u
static double to_segment(const double a[3], const double u[3]) {
    const double length = abut__dot3(u, u);
    const double t = length > 0 ? clamp(-abut__dot3(a, u) / length) : 0;
    const double p[3] = {a[0] + t * u[0], a[1] + t * u[1], a[2] + t * u[2]};
    return abut__dot3(p, p);
}

// Whether a triangle's normal is much less accurate than its corners. With the longest edge e and
// |n| >= 2^-15 e^2, heights above its plane are off by less than 2^-34 of the corners' distances.
static bool is_needle(const double edge[3][3], double length) {
    double longest = 0;
    for (int k = 0; k < 3; ++k) {
        const double square = abut__dot3(edge[k], edge[k]);
        longest = square > longest ? square : longest;
    }
    return !(length > 0x1p-30 * (longest * longest));
}

// Squared distance of the origin to a triangle: to its plane if the foot of the perpendicular lies
// in the triangle, else to its edges.
static double to_triangle(const double t[3][3]) {
    double edge[3][3];
    double normal[3];
    abut__subtract3(t[1], t[0], edge[0]);
    abut__subtract3(t[2], t[1], edge[1]);
    abut__subtract3(t[0], t[2], edge[2]);
    abut__cross3(edge[0], edge[1], normal);
    const double length = abut__dot3(normal, normal);
    if (is_needle(edge, length)) {
        const double zero[3][3] = {{0}};
        abut_distance measured;
        abut__triangles_distance(zero, t, &measured);
        return measured.distance * measured.distance;
    }
    bool over = true;
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double side[3];
        abut__cross3(normal, edge[k], side);
        over = over && abut__dot3(side, t[k]) <= 0;
    }
    for (int k = 0; k < 3 && !over; ++k) {
        const double now = to_segment(t[k], edge[k]);
        least = now < least ? now : least;
    }
    const double height = abut__dot3(normal, t[0]);
    return over ? height * height / length : least;
}

static void measure_block(search* s, uint32_t number) {
    const abut__block* block = s->body->shape->tree.blocks[number];
    double p[ABUT__BLOCK_POINTS][3];  // vertices of the block, relative to the point
    abut__read_block(s->body, block, p);
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        for (int d = 0; d < 3; ++d) {
            p[v][d] -= s->point[d];
        }
    }
    double least = s->best * s->best;
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        double t[3][3];
        for (int c = 0; c < 3; ++c) {
            memcpy(t[c], p[block->corner[c][k]], sizeof t[c]);
        }
        const double now = to_triangle((const double(*)[3])t);
        if (now < least) {
            least = now;
            memcpy(s->nearest, t, sizeof s->nearest);
            s->found = true;
        }
    }
    s->best = sqrt(least);
    if (s->counters != NULL) {
        s->counters->exact_tests += block->triangle_count;
    }
}

// a child of a node, and a lower bound of its distance
typedef struct child {
    double bound;
    abut__ref ref;
} child;

// lists the children of a node by ascending bounds, and returns their number
static uint32_t nearest_first(const search* s, uint32_t node, child list[ABUT__FAN]) {
    abut__boxes8 room;
    const abut__boxes8* boxes = abut__body_bound(s->body, node, 1, &room);
    const abut__node* n = &s->body->shape->tree.nodes[node];
    for (uint32_t k = 0; k < n->count; ++k) {
        const child next = {below(s, boxes, k), n->child[k]};
        uint32_t place = k;
        for (; place > 0 && list[place - 1].bound > next.bound; --place) {
            list[place] = list[place - 1];
        }
        list[place] = next;
    }
    return n->count;
}

static void descend(search* s, uint32_t node) {
    child list[ABUT__FAN];
    const uint32_t count = nearest_first(s, node, list);
    for (uint32_t k = 0; k < count && list[k].bound < s->part * s->best; ++k) {
        if (abut__is_block(list[k].ref)) {
            measure_block(s, abut__block_of(list[k].ref));
        } else {
            descend(s, list[k].ref);
        }
    }
}

double abut__clearance(const abut__body* body, const double point[3], double limit, double part,
                       abut_counters* counters, double to[3]) {
    search s = {.body = body, .point = point, .best = limit, .part = part, .counters = counters};
    const double size = 2 * (double)abut__body_state(body, 1)->extent;
    double reach = size + 3 * 0x1p-20 * abut__body_far(body, 1);
    double origin[3];
    abut__body_origin(body, 1, origin);
    for (int d = 0; d < 3; ++d) {
        s.local[d] = point[d] - origin[d];
        reach += fabs(s.local[d]);
    }
    s.pad = 0x1p-20 * reach + (double)ABUT__TINY;
    descend(&s, 0);
    to[0] = to[1] = to[2] = 0;
    if (s.found) {
        const double zero[3][3] = {{0}};
        abut_distance measured;
        abut__triangles_distance(zero, (const double(*)[3])s.nearest, &measured);
        memcpy(to, measured.q.point, 3 * sizeof *to);
    }
    // more than the error of all of these; needles are measured by the certified distance
    const double sure = part * s.best - 0x1p-30 * reach;
    return sure > 0 ? sure : 0;
}
