// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the closest triangles of two bodies that lie on both sides of a plane, as most bodies that
// are apart do, by the heights of their blocks across that plane. Boxes are loose around surfaces
// that are not parallel to an axis. So near the closest pair many boxes of one body are near many of
// the other one, and their pairs are what a descent spends its time on. Heights of vertices are not
// loose, and each body has its own: no pairs are needed.
//
// Let n be a direction of length 1 or less from a to b. The height of a point x of a is n (x - o),
// where o is the origin of a; that of a point of b is -n (x - o) likewise. With g = n (o_b - o_a) two
// points at the distance d have heights whose sum is at least g - d. If no point of b is higher than
// h, points of a lower than g - d - h are too far away; and the other way round. What is left are
// mostly a few blocks of each body, whose pairs are then examined.
//
// The direction is that in which the convex hulls are apart: where it is not yet that of the closest
// pair so far, highest points along directions lead there, as in the algorithm of Gilbert, Johnson and
// Keerthi. It need not be exact. Vertices are read in the axes of their shape, and the direction is
// turned, so that nothing is evaluated again for bodies that only turn. Based on: Gilbert,
// Johnson, Keerthi, "A fast procedure for computing the distance between complex objects in
// three-dimensional space", IEEE Journal of Robotics and Automation 4 (1988).
//
// Rounding, with u = 2^-24 and the extent e of a body: points are off by u e along each axis and by
// their radius, the direction by u along each axis, products and sums by less than 12 u e. The pad
// of a height is 256 u e, twice the radius, and 2^-46 of the numbers that origins are sums of. Boxes
// are grown for the rounding of their rotation.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec3.h"
#include "query/nearest.h"

enum {
    BLOCKS_MOST = 48,  // of a body that are left
    PAIRS_MOST = 512,
    ROUNDS = 16  // directions that are tried
};
#define CLOSE 0x1p-11  // part of the distance of the hulls by which a bound may fall short of it

typedef struct high_block {
    uint32_t block;
    double height;   // an upper bound
    float point[3];  // that is highest, in the shape's axes relative to the state's origin
} high_block;

typedef struct slab_side {
    const abut__body* body;
    const abut__tree* tree;
    float in_world[3];  // the direction towards the other body
    float in_shape[3];
    double pad;
    high_block top;
    uint32_t count;
    high_block list[BLOCKS_MOST];
} slab_side;

typedef struct slab {
    abut__seeker* seeker;
    double apart;  // g above
    slab_side side[2];
} slab;

// ---- heights

// returns an upper bound of the height of a child; infinite if its box is
static double height_of_box(const slab_side* s, const abut__boxes8* boxes, uint32_t k) {
    float sum = 0;
    for (int d = 0; d < 3; ++d) {
        sum += s->in_world[d] * (s->in_world[d] < 0 ? boxes->lo[d][k] : boxes->hi[d][k]);
    }
    return fabsf(sum) <= FLT_MAX ? (double)sum + s->pad : INFINITY;
}

// The height of a block by its vertices; infinite if one is not finite.
static high_block top_of_block(const slab* at, const slab_side* s, uint32_t block) {
    high_block top = {.block = block, .height = INFINITY};
    const uint32_t count = s->tree->blocks[block]->vertex_count;
    const float down[3] = {-s->in_shape[0], -s->in_shape[1], -s->in_shape[2]};
    abut__cached_points points;
    abut__body_block_points(s->body, block, 1, &points);
    if (points.radius == INFINITY) {
        return top;
    }
    for (int d = 0; d < 3; ++d) {
        for (uint32_t v = (count + 15) & ~15u; v < ABUT__BLOCK_VERTICES; ++v) {
            points.at.xyz[d][v] = points.at.xyz[d][0];
        }
    }
    const uint32_t v = at->seeker->kernels->lowest_point(&points.at, down);
    top.height = s->pad + 2 * (double)points.radius;
    for (int d = 0; d < 3; ++d) {
        top.point[d] = points.at.xyz[d][v];
        top.height += (double)s->in_shape[d] * (double)top.point[d];
    }
    return top;
}

typedef struct child {
    double height;
    abut__ref ref;
} child;

// lists the children of a node by descending heights, and returns their number
static uint32_t highest_first(const slab* at, const slab_side* s, uint32_t node,
                              child list[ABUT__FAN]) {
    abut__boxes8 room;
    const abut__boxes8* boxes = abut__body_bound(s->body, node, 1, &room);
    const abut__node* n = &s->tree->nodes[node];
    for (uint32_t k = 0; k < n->count; ++k) {
        const child next = {height_of_box(s, boxes, k), n->child[k]};
        uint32_t place = k;
        for (; place > 0 && list[place - 1].height < next.height; --place) {
            list[place] = list[place - 1];
        }
        list[place] = next;
    }
    at->seeker->counters.boxes_computed += n->count;
    at->seeker->counters.boxes_tested += n->count;
    return n->count;
}

// finds the highest block
static void climb(const slab* at, slab_side* s, uint32_t node) {
    child list[ABUT__FAN];
    const uint32_t count = highest_first(at, s, node, list);
    for (uint32_t k = 0; k < count && list[k].height > s->top.height; ++k) {
        if (!abut__is_block(list[k].ref)) {
            climb(at, s, list[k].ref);
            continue;
        }
        const high_block top = top_of_block(at, s, abut__block_of(list[k].ref));
        s->top = top.height > s->top.height ? top : s->top;
    }
}

// lists the blocks that are not below a height; false: too many
static bool gather(const slab* at, slab_side* s, uint32_t node, double least) {
    child list[ABUT__FAN];
    const uint32_t count = highest_first(at, s, node, list);
    bool few = true;
    for (uint32_t k = 0; k < count && few && !(list[k].height < least); ++k) {
        if (!abut__is_block(list[k].ref)) {
            few = gather(at, s, list[k].ref, least);
            continue;
        }
        const high_block top = top_of_block(at, s, abut__block_of(list[k].ref));
        if (!(top.height < least)) {
            few = s->count < BLOCKS_MOST;
            if (few) {
                s->list[s->count++] = top;
            }
        }
    }
    return few;
}

// ---- the direction

static void set_side(slab* at, int side, const double n[3]) {
    const abut__view* view = &at->seeker->job.view[side];
    slab_side* s = &at->side[side];
    const double sign = side == 0 ? 1 : -1;
    s->body = view->body;
    s->tree = view->tree;
    s->pad = (double)ABUT__TURN_PAD * 4 * view->extent + 0x1p-46 * view->far + (double)ABUT__TINY;
    s->count = 0;
    for (int d = 0; d < 3; ++d) {
        const double(*r)[3] = view->frame->r;
        s->in_world[d] = (float)(sign * n[d]);
        // a height is n R x, whatever R is
        s->in_shape[d] = !view->body->turned
                             ? s->in_world[d]
                             : (float)(sign * ((n[0] * r[0][d] + n[1] * r[1][d]) + n[2] * r[2][d]));
    }
}

// Sets the direction, given as a vector from a to b, and finds the highest blocks along it.
static void aim(slab* at, const double towards[3], double length) {
    const abut__job* job = &at->seeker->job;
    double n[3];
    at->apart = 0;
    for (int d = 0; d < 3; ++d) {
        n[d] = towards[d] * ((1 - 0x1p-30) / length);
        at->apart += job->aligned ? 0 : n[d] * (job->view[1].origin[d] - job->view[0].origin[d]);
    }
    for (int side = 0; side < 2; ++side) {
        slab_side* s = &at->side[side];
        set_side(at, side, n);
        if (s->top.block != ABUT__NONE) {  // probably still high
            s->top = top_of_block(at, s, s->top.block);
        }
        climb(at, s, 0);
    }
}

// the difference of the highest points of both bodies
static void highest_difference(const slab* at, double out[3]) {
    double x[2][3];
    for (int side = 0; side < 2; ++side) {
        const abut__view* view = &at->seeker->job.view[side];
        const float* p = at->side[side].top.point;
        for (int d = 0; d < 3; ++d) {
            const double* r = view->frame->r[d];
            x[side][d] = view->body->turned
                             ? (r[0] * (double)p[0] + r[1] * (double)p[1]) + r[2] * (double)p[2]
                             : (double)p[d];
            x[side][d] += at->seeker->job.aligned ? 0 : view->origin[d];
        }
    }
    abut__subtract3(x[1], x[0], out);
}

// Differences of points of b and of a, as a triangle, and its point that is nearest to 0.
typedef struct simplex {
    double corner[3][3];
    double nearest[3];
    double distance;
} simplex;

static void measure_simplex(simplex* s) {
    const double zero[3][3] = {{0}};
    abut_distance measured;
    abut__triangles_distance(zero, (const double(*)[3])s->corner, &measured);
    memcpy(s->nearest, measured.q.point, sizeof s->nearest);
    s->distance = measured.distance;
}

// replaces one corner, so that the triangle is nearest to 0; false: none is nearer
static bool advance(simplex* s, const double corner[3]) {
    simplex best = *s;
    for (int c = 0; c < 3; ++c) {
        simplex next = *s;
        memcpy(next.corner[c], corner, sizeof next.corner[c]);
        measure_simplex(&next);
        best = next.distance < best.distance ? next : best;
    }
    const bool nearer = best.distance < s->distance;
    *s = best;
    return nearer;
}

// Finds the direction in which the convex hulls of both bodies are apart, or nearly, from that of the
// closest pair so far. False: they are not apart, or numbers are too large.
static bool find_direction(slab* at) {
    const abut__view* view = at->seeker->job.view;
    abut_distance_pair pair;
    simplex s;
    abut__slot_pair(at->seeker, &at->seeker->slots[0], &pair);
    const bool straight = pair.body_a == view[0].body->index;
    for (int c = 0; c < 3; ++c) {
        abut__subtract3(straight ? pair.b.point : pair.a.point,
                        straight ? pair.a.point : pair.b.point, s.corner[c]);
    }
    measure_simplex(&s);
    for (int round = 0; round < ROUNDS; ++round) {
        if (!(s.distance > 1e-100 && s.distance < 1e100)) {
            return false;
        }
        double highest[3];
        aim(at, s.nearest, s.distance);
        const double bound = at->apart - at->side[0].top.height - at->side[1].top.height;
        if (bound > (1 - CLOSE) * s.distance) {
            return true;
        }
        highest_difference(at, highest);
        if (!isfinite(bound) || !advance(&s, highest)) {
            return isfinite(bound);
        }
    }
    return true;
}

// Returns the greatest distance at which a pair may be as good as the best so far.
static double reach_of(const abut__seeker* seeker) {
    return abut__gap_reach(seeker->slots[0].gap, seeker->thick);
}

// Whether the direction can tell, and pays.
static bool is_possible(const abut__seeker* seeker) {
    const abut__job* job = &seeker->job;
    const abut__slot* slot = &seeker->slots[0];
    bool bounded = true;
    for (int side = 0; side < 2; ++side) {
        bounded = bounded && job->view[side].extent < 1e30 && job->view[side].far < 1e30;
    }
    // in one turned frame pairs are decided in the axes of the shape, which boxes are not in
    return bounded && seeker->lanes == 0 && !job->self && !job->unbounded && slot->found &&
           reach_of(seeker) > 0 && !(job->in_shape && job->view[0].body->turned);
}

// finds a direction, and improves the closest pair by the highest blocks along it; false: it cannot
static bool improve(slab* at) {
    abut__seeker* seeker = at->seeker;
    if (!find_direction(at)) {
        return false;
    }
    abut__seeker_meet_blocks(seeker, at->side[0].top.block, at->side[1].top.block);
    abut__seeker_flush(seeker);
    return !abut__seeker_is_done(seeker) && is_possible(seeker);
}

// ---- what is left

typedef struct block_pair {
    uint32_t block[2];
    double height;  // sum
} block_pair;

// lists the pairs of blocks that are left, the highest first, and returns their number
static uint32_t list_pairs(const slab* at, block_pair pairs[PAIRS_MOST]) {
    const slab_side* a = &at->side[0];
    const slab_side* b = &at->side[1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            const block_pair next = {{a->list[i].block, b->list[j].block},
                                     a->list[i].height + b->list[j].height};
            uint32_t place = count++;
            for (; place > 0 && pairs[place - 1].height < next.height; --place) {
                pairs[place] = pairs[place - 1];
            }
            pairs[place] = next;
        }
    }
    return count;
}

bool abut__seek_slab(abut__seeker* seeker) {
    slab at;
    at.seeker = seeker;
    at.side[0].top = at.side[1].top = (high_block){.block = ABUT__NONE, .height = -INFINITY};
    abut__seeker_flush(seeker);
    if (!is_possible(seeker) || !improve(&at)) {
        return false;
    }
    const double reach = reach_of(seeker) * (1 + 0x1p-20);
    for (int s = 0; s < 2; ++s) {
        const double least = at.apart - reach - at.side[1 - s].top.height;
        if (!gather(&at, &at.side[s], 0, least)) {
            return false;
        }
    }
    if (at.side[0].count * at.side[1].count > PAIRS_MOST) {
        return false;
    }
    block_pair pairs[PAIRS_MOST];
    const uint32_t count = list_pairs(&at, pairs);
    for (uint32_t i = 0; i < count && !abut__seeker_is_done(seeker); ++i) {
        const double now = reach_of(seeker) * (1 + 0x1p-20);
        if (pairs[i].height < at.apart - now) {
            break;
        }
        abut__seeker_meet_blocks(seeker, pairs[i].block[0], pairs[i].block[1]);
        abut__seeker_flush(seeker);
    }
    return true;
}
