// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cones of nodes with hubs: see cones.h.
#include "query/cones.h"

#include <float.h>
#include <math.h>

#include "base/rounding.h"
#include "base/vec3.h"

#define TRIES 12  // directions tried for two nodes

// ---- making them

static const abut__box3 no_box = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static void grow_box(abut__box3* box, const abut__box3* other) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = other->lo[d] < box->lo[d] ? other->lo[d] : box->lo[d];
        box->hi[d] = other->hi[d] > box->hi[d] ? other->hi[d] : box->hi[d];
    }
}

static bool same_place(const double a[3], const double b[3]) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// adds a vertex of a block; false: it is not finite in float
static bool add_vertex(abut__cone* cone, const double x[3], bool is_hub, bool is_first) {
    abut__box3 box;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] = abut__round_down(x[d]);
        box.hi[d] = abut__round_up(x[d]);
        if (!(fabsf(box.lo[d]) <= FLT_MAX && fabsf(box.hi[d]) <= FLT_MAX)) {
            return false;
        }
    }
    grow_box(&cone->whole, &box);
    if (!is_hub) {
        grow_box(&cone->rim, &box);
        return true;
    }
    if (is_first) {
        memcpy(cone->tip, x, sizeof cone->tip);
    }
    cone->pointed = cone->pointed && same_place(cone->tip, x);
    return true;
}

// returns the vertices of a block that are of a class, one bit each
static uint64_t of_class(const abut_mesh* mesh, const abut__block* block, uint32_t class_id) {
    uint64_t found = 0;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        found |= (uint64_t)(abut__mesh_class(mesh, block->vertex[v]) == class_id) << v;
    }
    return found;
}

// whether a triangle of the block has only the hub as its corners
static bool has_dot(const abut__block* block, uint64_t hubs) {
    bool dot = false;
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        dot |= (hubs >> block->corner[0][k] & hubs >> block->corner[1][k] &
                hubs >> block->corner[2][k] & 1) != 0;
    }
    return dot;
}

static abut__cone cone_of_block(const abut__job* job, uint32_t b) {
    const abut_shape* shape = job->view[0].shape;
    const abut__block* block = shape->tree.blocks[b];
    abut__cone cone = {.hub = job->links->common[1][b].hub, .rim = no_box, .whole = no_box};
    if (cone.hub == ABUT__NONE) {
        return cone;
    }
    const uint64_t hubs = of_class(shape->mesh, block, cone.hub);
    cone.pointed = !has_dot(block, hubs);
    bool first = true;
    for (int end = job->view[0].kind->moves ? 0 : 1; end < 2; ++end) {
        double xyz[3][ABUT__BLOCK_VERTICES];
        double* const places[3] = {xyz[0], xyz[1], xyz[2]};
        shape->motion->vertices(shape, job->view[0].state[end], block->vertex, block->vertex_count,
                                places);
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            const double x[3] = {xyz[0][v], xyz[1][v], xyz[2][v]};
            const bool is_hub = (hubs >> v & 1) != 0;
            if (!add_vertex(&cone, x, is_hub, first)) {
                return (abut__cone){.hub = ABUT__NONE};
            }
            first = first && !is_hub;
        }
    }
    return cone;
}

static abut__cone cone_of_node(const abut__job* job, const abut__cone* cones, uint32_t n) {
    const abut__tree* tree = job->view[0].tree;
    const abut__node* node = &tree->nodes[n];
    abut__cone cone = {.hub = job->links->common[0][n].hub, .rim = no_box, .whole = no_box};
    cone.pointed = true;
    for (uint32_t i = 0; i < node->count && cone.hub != ABUT__NONE; ++i) {
        const abut__ref ref = node->child[i];
        const abut__cone* child = &cones[abut__cone_place(tree, ref)];
        if (child->hub == ABUT__NONE) {
            return (abut__cone){.hub = ABUT__NONE};
        }
        if (i == 0) {
            memcpy(cone.tip, child->tip, sizeof cone.tip);
        }
        cone.pointed = cone.pointed && child->pointed && same_place(cone.tip, child->tip);
        grow_box(&cone.rim, &child->rim);
        grow_box(&cone.whole, &child->whole);
    }
    return cone;
}

static void make_cones(const abut__job* job, abut__cone* cones) {
    const abut__tree* tree = job->view[0].tree;
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        cones[tree->node_count + b] = cone_of_block(job, b);
    }
    for (uint32_t n = tree->node_count; n-- > 0;) {
        cones[n] = cone_of_node(job, cones, n);
    }
}

static bool are_wanted(const abut__job* job, const abut__settings* def) {
    if (!job->self || job->links->common[0] == NULL || !job->view[0].kind->at_states ||
        job->unbounded || !job->in_shape) {
        return false;
    }
    // where all are neighbours, and those are left out, nothing is opened
    return (def->include_neighbours || job->links->common[0][0].hub == ABUT__NONE) &&
           !job->view[0].state[0]->costly && !job->view[0].state[1]->costly;
}

bool abut__cones_make(abut__workspace* work, const abut__settings* def) {
    abut__job* jobs = work->jobs.data;
    size_t count = 0;
    for (size_t j = 0; j < work->jobs.count; ++j) {
        const abut__tree* tree = jobs[j].view[0].tree;
        jobs[j].cones = NULL;
        count += are_wanted(&jobs[j], def) ? (size_t)tree->node_count + tree->block_count : 0;
    }
    work->cones.count = 0;
    if (count == 0) {
        return true;
    }
    abut__cone* cones = abut__push(work->context, &work->cones, count);
    if (cones == NULL) {
        return false;
    }
    for (size_t j = 0; j < work->jobs.count; ++j) {
        if (are_wanted(&jobs[j], def)) {
            const abut__tree* tree = jobs[j].view[0].tree;
            make_cones(&jobs[j], cones);
            jobs[j].cones = cones;
            cones += (size_t)tree->node_count + tree->block_count;
        }
    }
    return true;
}

// ---- directions

// The minimum of a set along a direction, and the point where it is attained.
typedef struct reach {
    double least;
    double point[3];
} reach;

static void keep_lower(reach* r, const double x[3], double value) {
    if (value < r->least) {
        r->least = value;
        memcpy(r->point, x, sizeof r->point);
    }
}

// returns the corner of a box that is least along `sign` times the direction
static void corner_along(const abut__box3* box, const double direction[3], double sign,
                         double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = (double)(sign * direction[d] > 0 ? box->lo[d] : box->hi[d]);
    }
}

// The minimum of the difference of the hulls of A and B.
static reach reach_of_hulls(const abut__cone* a, const abut__cone* b, const double direction[3]) {
    reach r[2];
    const abut__cone* cones[2] = {a, b};
    for (int s = 0; s < 2; ++s) {
        const double sign = s == 0 ? 1 : -1;
        double corner[3];
        r[s] = (reach){.least = INFINITY};
        corner_along(&cones[s]->rim, direction, sign, corner);
        keep_lower(&r[s], corner, sign * abut__dot3(direction, corner));
        keep_lower(&r[s], cones[s]->tip, sign * abut__dot3(direction, cones[s]->tip));
    }
    reach all = {.least = r[0].least + r[1].least};
    for (int d = 0; d < 3; ++d) {
        all.point[d] = r[0].point[d] - r[1].point[d];
    }
    return all;
}

// The minimum of the rim of A and the mirrored rim of B, both relative to the tip.
static reach reach_of_rims(const abut__cone* a, const abut__cone* b, const double direction[3]) {
    const abut__cone* cones[2] = {a, b};
    reach all = {.least = INFINITY};
    for (int s = 0; s < 2; ++s) {
        const double sign = s == 0 ? 1 : -1;
        double corner[3];
        double ray[3];
        corner_along(&cones[s]->rim, direction, sign, corner);
        for (int d = 0; d < 3; ++d) {
            ray[d] = sign * (corner[d] - a->tip[d]);
        }
        keep_lower(&all, ray,
                   sign * (abut__dot3(direction, corner) - abut__dot3(direction, a->tip)));
    }
    return all;
}

// Returns the rounding error of such a minimum: a few units of all that is added up.
static double rounding_of(const abut__cone* a, const abut__cone* b, const double direction[3]) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double most = fmax(fmax(fabs((double)a->whole.lo[d]), fabs((double)a->whole.hi[d])),
                                 fmax(fabs((double)b->whole.lo[d]), fabs((double)b->whole.hi[d])));
        sum += fabs(direction[d]) * most;
    }
    return 0x1p-47 * sum + 0x1p-1000;
}

// returns the unit vector from a point to the centre of a rim
static void middle_of(const abut__cone* cone, const double from[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = 0.5 * ((double)cone->rim.lo[d] + (double)cone->rim.hi[d]) - from[d];
    }
    const double length = sqrt(abut__dot3(out, out));
    for (int d = 0; d < 3 && length > 0; ++d) {
        out[d] /= length;
    }
}

// moves `at` to the point of the segment from `at` to `to` that is nearest to the origin
static void step_towards(double at[3], const double to[3]) {
    double step[3];
    for (int d = 0; d < 3; ++d) {
        step[d] = to[d] - at[d];
    }
    const double square = abut__dot3(step, step);
    const double part = square > 0 ? -abut__dot3(at, step) / square : 0;
    const double clamped = part > 0 ? part < 1 ? part : 1 : 0;
    for (int d = 0; d < 3; ++d) {
        at[d] += clamped * step[d];
    }
}

// Searches for a direction along which the minimum exceeds `margin` times its length.
static bool is_separated(const abut__cone* a, const abut__cone* b, double at[3], double margin,
                         reach (*reach_of)(const abut__cone*, const abut__cone*, const double[3])) {
    for (int i = 0; i < TRIES; ++i) {
        const reach r = reach_of(a, b, at);
        const double enough = margin > 0 ? margin * sqrt(abut__dot3(at, at)) * (1 + 0x1p-40) : 0;
        if (r.least > enough + rounding_of(a, b, at)) {
            return true;
        }
        step_towards(at, r.point);
    }
    return false;
}

static bool hulls_apart(const abut__cone* a, const abut__cone* b, double margin) {
    double at[3];
    for (int d = 0; d < 3; ++d) {
        at[d] = 0.5 * ((double)a->rim.lo[d] + (double)a->rim.hi[d]) -
                0.5 * ((double)b->rim.lo[d] + (double)b->rim.hi[d]);
    }
    return is_separated(a, b, at, margin, reach_of_hulls);
}

// both have the same hub
static bool rims_apart(const abut__cone* a, const abut__cone* b) {
    double at[3];
    double other[3];
    middle_of(a, a->tip, at);
    middle_of(b, a->tip, other);
    for (int d = 0; d < 3; ++d) {
        at[d] -= other[d];
    }
    return is_separated(a, b, at, 0, reach_of_rims);
}

static bool boxes_meet(const abut__box3* a, const abut__box3* b, const abut__job* job) {
    for (int d = 0; d < 3; ++d) {
        const float low = job->corner_shift.lo[d] < job->shift.lo[d] ? job->corner_shift.lo[d]
                                                                     : job->shift.lo[d];
        const float high = job->corner_shift.hi[d] > job->shift.hi[d] ? job->corner_shift.hi[d]
                                                                      : job->shift.hi[d];
        if (!(a->lo[d] + low <= b->hi[d] && b->lo[d] <= a->hi[d] + high)) {
            return false;
        }
    }
    return true;
}

bool abut__cones_apart(const abut__run* run, const abut__job* job, abut__ref ref_a,
                       abut__ref ref_b) {
    const abut__tree* tree = job->view[0].tree;
    const abut__cone* a = &job->cones[abut__cone_place(tree, ref_a)];
    const abut__cone* b = &job->cones[abut__cone_place(tree, ref_b)];
    if (a->hub == ABUT__NONE || b->hub == ABUT__NONE || ref_a == ref_b) {
        return false;
    }
    const bool same_hub = a->hub == b->hub;
    if (job->view[0].kind->moves || (same_hub && run->def->features)) {
        return same_hub && !boxes_meet(&a->rim, &b->whole, job) &&
               !boxes_meet(&a->whole, &b->rim, job);
    }
    if (!a->pointed || !b->pointed) {
        return false;
    }
    return same_hub ? same_place(a->tip, b->tip) && rims_apart(a, b)
                    : hulls_apart(a, b, run->def->margin);
}
