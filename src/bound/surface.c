// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Normals and contours. The direction V is the centre of the normals' box, turned a few times
// towards the worst of the boxes two levels down, without trigonometry.
#include "bound/surface.h"

#include <float.h>
#include <math.h>

#define BLOCKS_PER_TASK 64u
#define TURNS_MOST 6
#define FACING_LEAST 1e-5f  // least accepted V.n; covers the rounding of V and of the projection

typedef struct normals_work {
    const abut_context* context;
    const abut__tree* tree;
    abut__source source;
    const abut__source* to;  // NULL: a single state, not a step
    abut__boxes8* normals;
} normals_work;

static void block_normals(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const normals_work* work = argument;
    const abut__tree* tree = work->tree;
    const uint32_t first = index * BLOCKS_PER_TASK;
    for (uint32_t b = first; b < tree->block_count && b < first + BLOCKS_PER_TASK; ++b) {
        abut__box3 box;
        if (work->to != NULL) {
            work->context->kernels->block_step_normals(tree->blocks[b], work->source, *work->to,
                                                       &box);
        } else {
            work->context->kernels->block_normals(tree->blocks[b], work->source, &box);
        }
        abut__boxes_put(&work->normals[tree->block_parent[b]], tree->block_slot[b], &box);
    }
}

static void run_normals(normals_work* work) {
    const abut_context* context = work->context;
    const abut__tree* tree = work->tree;
    abut__boxes8* normals = work->normals;
    abut__run_tasks(context, (tree->block_count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK,
                    block_normals, work);
    for (uint32_t n = tree->node_count; n-- > 1;) {
        const abut__node* node = &tree->nodes[n];
        const abut__box3 box = abut__boxes_around(&normals[n], node->count);
        abut__boxes_put(&normals[node->parent], node->slot, &box);
    }
}

void abut__surface_normals(const abut_context* context, const abut__tree* tree, abut__source source,
                           abut__boxes8* normals) {
    normals_work work = {context, tree, source, NULL, normals};
    run_normals(&work);
}

void abut__surface_step_normals(const abut_context* context, const abut__tree* tree,
                                abut__source from, abut__source to, abut__boxes8* normals) {
    normals_work work = {context, tree, from, &to, normals};
    run_normals(&work);
}

// The boxes of normals two levels down, on which V is tested.
typedef struct directions {
    abut__box3 box[ABUT__FAN * ABUT__FAN];
    uint32_t count;
} directions;

static void gather_children(const abut__tree* tree, const abut__boxes8* normals, uint32_t node,
                            directions* out) {
    for (uint32_t k = 0; k < tree->nodes[node].count; ++k) {
        out->box[out->count++] = abut__boxes_get(&normals[node], k);
    }
}

static void gather_directions(const abut__tree* tree, const abut__boxes8* normals, uint32_t node,
                              directions* out) {
    for (uint32_t i = 0; i < tree->nodes[node].count; ++i) {
        const abut__ref child = tree->nodes[node].child[i];
        if (abut__is_block(child)) {
            out->box[out->count++] = abut__boxes_get(&normals[node], i);
        } else {
            gather_children(tree, normals, child, out);
        }
    }
}

static bool normalise(float v[3]) {
    const float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(length > 1e-3f)) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        v[d] /= length;
    }
    return true;
}

// Returns the least V.n over all normals of a box.
static float least_facing(const float v[3], const abut__box3* box) {
    float sum = 0;
    for (int d = 0; d < 3; ++d) {
        const float lo = v[d] * box->lo[d];
        const float hi = v[d] * box->hi[d];
        sum += lo < hi ? lo : hi;
    }
    return sum;
}

static bool find_direction(const directions* all, float v[3]) {
    v[0] = v[1] = v[2] = 0;
    for (uint32_t i = 0; i < all->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            v[d] += all->box[i].lo[d] + all->box[i].hi[d];
        }
    }
    for (int turns = 0; turns <= TURNS_MOST; ++turns) {
        if (!normalise(v)) {
            return false;
        }
        float worst = FLT_MAX;
        const abut__box3* at = NULL;
        for (uint32_t i = 0; i < all->count; ++i) {
            const float facing = least_facing(v, &all->box[i]);
            if (facing < worst) {
                worst = facing;
                at = &all->box[i];
            }
        }
        if (at == NULL || worst > FACING_LEAST) {
            return at != NULL;
        }
        float towards[3];
        for (int d = 0; d < 3; ++d) {
            towards[d] = 0.5f * (at->lo[d] + at->hi[d]);
        }
        if (!normalise(towards)) {
            return false;
        }
        for (int d = 0; d < 3; ++d) {
            v[d] += 0.5f * towards[d];
        }
    }
    return false;
}

// Computes two axes perpendicular to V, whose cross product is V up to a few roundings.
static void axes_across(const float v[3], float a[3], float b[3]) {
    const int least = fabsf(v[0]) < fabsf(v[1]) ? (fabsf(v[0]) < fabsf(v[2]) ? 0 : 2)
                                                : (fabsf(v[1]) < fabsf(v[2]) ? 1 : 2);
    float e[3] = {0, 0, 0};
    e[least] = 1;
    a[0] = v[1] * e[2] - v[2] * e[1];
    a[1] = v[2] * e[0] - v[0] * e[2];
    a[2] = v[0] * e[1] - v[1] * e[0];
    (void)normalise(a);
    b[0] = v[1] * a[2] - v[2] * a[1];
    b[1] = v[2] * a[0] - v[0] * a[2];
    b[2] = v[0] * a[1] - v[1] * a[0];
}

enum { PADDED = ABUT__CONTOUR_MOST + 32 };

// Tells whether a polygon, of one corner at least, is simple. Writes the first corner again behind
// the last one, and into unused lanes.
static bool polygon_is_simple(const abut_context* context, float x[PADDED], float y[PADDED],
                              uint32_t count, float reach) {
    for (uint32_t i = count; i < count + 32; ++i) {
        x[i] = x[0];
        y[i] = y[0];
    }
    return context->kernels->polygon_simple(x, y, count, reach);
}

static void read_between(abut__source from, const abut__source* to, double part, uint32_t vertex,
                         double out[3]) {
    abut__read_position(from.data, from.stride, from.is_double, vertex, out);
    if (to == NULL) {
        return;
    }
    const double rest = 1 - part;
    double p[3];
    abut__read_position(to->data, to->stride, to->is_double, vertex, p);
    for (int d = 0; d < 3; ++d) {
        out[d] = rest * out[d] + part * p[d];
    }
}

bool abut__surface_contour_at(const abut_context* context, const uint32_t* loop, uint32_t count,
                              abut__source from, const abut__source* to, double part,
                              const float v[3]) {
    float x[PADDED];
    float y[PADDED];
    float a[3];
    float b[3];
    axes_across(v, a, b);
    double origin[3];
    read_between(from, to, part, loop[0], origin);
    float reach = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        float q[3];
        read_between(from, to, part, loop[i], p);
        for (int d = 0; d < 3; ++d) {
            q[d] = (float)(p[d] - origin[d]);
            reach = fabsf(q[d]) > reach ? fabsf(q[d]) : reach;
        }
        x[i] = (a[0] * q[0] + a[1] * q[1]) + a[2] * q[2];
        y[i] = (b[0] * q[0] + b[1] * q[1]) + b[2] * q[2];
    }
    return polygon_is_simple(context, x, y, count, 2 * reach);
}

bool abut__surface_direction(const abut__tree* tree, const abut__boxes8* normals,
                             const uint32_t* nodes, uint32_t count, float v[3]) {
    directions all = {.count = 0};
    if (count == 1) {
        gather_directions(tree, normals, nodes[0], &all);
    }
    for (uint32_t i = 0; i < count && count > 1; ++i) {
        gather_children(tree, normals, nodes[i], &all);
    }
    return find_direction(&all, v);
}

bool abut__surface_apart(const abut_context* context, const abut__tree* tree,
                         const abut__contours* contours, const abut__boxes8* normals,
                         abut__source source, uint32_t node) {
    const uint32_t count = contours->count[node];
    float v[3];
    if (count == 0 || !abut__surface_direction(tree, normals, &node, 1, v)) {
        return false;
    }
    const uint32_t* loop = abut__contour_of(contours, node);
    return abut__surface_contour_at(context, loop, count, source, NULL, 0, v);
}

// ---- over a step

#define PARTS_MOST 24
#define UNSURE 0.1f  // allowed motion of corners in a part of the step, relative to the mean edge
#define MEAN_OF 16u  // corners whose mean motion is taken out first; any motion would do

// A moving contour, projected along V: positions in the middle of the step, relative to the first
// corner, and motions, minus the mean motion.
typedef struct moving_contour {
    float x[ABUT__CONTOUR_MOST];
    float y[ABUT__CONTOUR_MOST];
    float dx[ABUT__CONTOUR_MOST];
    float dy[ABUT__CONTOUR_MOST];
    float reach;    // upper bound of all coordinates
    float most;     // greatest length of a motion
    float edge;     // mean length of an edge
    float g[2][2];  // the common linear part of the motion: see straighten()
} moving_contour;

static void read_corner(abut__source from, abut__source to, uint32_t vertex, double middle[3],
                        double motion[3]) {
    double a[3];
    double b[3];
    abut__read_position(from.data, from.stride, from.is_double, vertex, a);
    abut__read_position(to.data, to.stride, to.is_double, vertex, b);
    for (int d = 0; d < 3; ++d) {
        middle[d] = 0.5 * a[d] + 0.5 * b[d];
        motion[d] = b[d] - a[d];
    }
}

static float along(const float axis[3], const float q[3]) {
    return (axis[0] * q[0] + axis[1] * q[1]) + axis[2] * q[2];
}

static void load_contour(const uint32_t* loop, uint32_t count, abut__source from, abut__source to,
                         const float v[3], moving_contour* out) {
    float a[3];
    float b[3];
    double origin[3];
    double mean[3] = {0, 0, 0};
    double middle[3];
    double motion[3];
    axes_across(v, a, b);
    read_corner(from, to, loop[0], origin, motion);
    const uint32_t samples = count < MEAN_OF ? count : MEAN_OF;
    for (uint32_t i = 0; i < samples; ++i) {
        read_corner(from, to, loop[(uint64_t)count * i / samples], middle, motion);
        for (int d = 0; d < 3; ++d) {
            mean[d] += motion[d] / samples;
        }
    }
    double edges = 0;
    double last[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i) {
        float q[3];
        float m[3];
        double edge = 0;
        read_corner(from, to, loop[i], middle, motion);
        for (int d = 0; d < 3; ++d) {
            q[d] = (float)(middle[d] - origin[d]);
            m[d] = (float)(motion[d] - mean[d]);
            const float far = fabsf(q[d]) + fabsf(m[d]);
            out->reach = far > out->reach ? far : out->reach;
            edge += (middle[d] - last[d]) * (middle[d] - last[d]);
            last[d] = middle[d];
        }
        edges += i > 0 ? sqrt(edge) : 0;
        out->x[i] = along(a, q);
        out->y[i] = along(b, q);
        out->dx[i] = along(a, m);
        out->dy[i] = along(b, m);
        const float length = sqrtf((m[0] * m[0] + m[1] * m[1]) + m[2] * m[2]);
        out->most = length > out->most ? length : out->most;
    }
    out->edge = (float)(edges / count);
}

// Fits the linear map G that moves the corners best, from their mean; false: there is none.
static bool fit_motion(const moving_contour* c, uint32_t count, const double mean[2],
                       double g[2][2]) {
    double m[3] = {0, 0, 0};
    double n[2][2] = {{0, 0}, {0, 0}};
    for (uint32_t i = 0; i < count; ++i) {
        const double x = (double)c->x[i] - mean[0];
        const double y = (double)c->y[i] - mean[1];
        m[0] += x * x;
        m[1] += x * y;
        m[2] += y * y;
        n[0][0] += (double)c->dx[i] * x;
        n[0][1] += (double)c->dx[i] * y;
        n[1][0] += (double)c->dy[i] * x;
        n[1][1] += (double)c->dy[i] * y;
    }
    const double det = m[0] * m[2] - m[1] * m[1];
    double sum = 0;
    for (int r = 0; r < 2; ++r) {
        g[r][0] = (n[r][0] * m[2] - n[r][1] * m[1]) / det;
        g[r][1] = (n[r][1] * m[0] - n[r][0] * m[1]) / det;
        sum += g[r][0] * g[r][0] + g[r][1] * g[r][1];
    }
    return sum <= 1;  // false for NaN, too
}

// Takes a common linear motion out. Let p be a corner from the mean of all, d its motion, G any
// matrix, r = d - G p and A(t) = 1 + t G. Then p + t d = A(t) (p + t A(t)^-1 r). As long as A(t) is
// regular, the contour is simple if the polygon of p + t A(t)^-1 r is. With |G| <= 1 and |t| <= 1/2,
// |A^-1| <= 2. The derivative of t A(t)^-1 is A(t)^-2.
static void straighten(moving_contour* c, uint32_t count) {
    double mean[2] = {0, 0};
    double g[2][2];
    for (uint32_t i = 0; i < count; ++i) {
        mean[0] += (double)c->x[i] / count;
        mean[1] += (double)c->y[i] / count;
    }
    if (!fit_motion(c, count, mean, g)) {
        return;
    }
    const float by[2] = {(float)mean[0], (float)mean[1]};
    c->most = 0;
    for (int k = 0; k < 4; ++k) {
        c->g[k / 2][k % 2] = (float)g[k / 2][k % 2];
    }
    for (uint32_t i = 0; i < count; ++i) {
        c->x[i] -= by[0];
        c->y[i] -= by[1];
        c->dx[i] -= c->g[0][0] * c->x[i] + c->g[0][1] * c->y[i];
        c->dy[i] -= c->g[1][0] * c->x[i] + c->g[1][1] * c->y[i];
        const float length = sqrtf(c->dx[i] * c->dx[i] + c->dy[i] * c->dy[i]) * 1.001f;
        c->most = length > c->most ? length : c->most;
    }
}

// A bound of |A(t)^-2| in the whole step.
static float steepest(const moving_contour* c) {
    const float norm = sqrtf((c->g[0][0] * c->g[0][0] + c->g[0][1] * c->g[0][1]) +
                             (c->g[1][0] * c->g[1][0] + c->g[1][1] * c->g[1][1]));
    const float least = 1 - 0.501f * norm;
    return 1.001f / (least * least);
}

// Corners are off by half of their motion in the part, by 2 sqrt(3) `error` relative to the first
// one, and by rounding: 32 u reach for p + t d as in abut__surface_contour_at(), twice that after
// A^-1, another 12 u reach for r and 24 u reach for its product, with roundings of the latter two
// and of p - mean below 128 u reach in all. polygon_simple() allows errors of 8 u reach; the reach
// is chosen accordingly.
static bool part_is_simple(const abut_context* context, const moving_contour* c, uint32_t count,
                           float middle, float unsure) {
    float x[PADDED];
    float y[PADDED];
    const float a = 1 + middle * c->g[0][0];
    const float b = middle * c->g[0][1];
    const float e = middle * c->g[1][0];
    const float f = 1 + middle * c->g[1][1];
    const float det = a * f - b * e;
    for (uint32_t i = 0; i < count; ++i) {
        x[i] = c->x[i] + middle * ((f * c->dx[i] - b * c->dy[i]) / det);
        y[i] = c->y[i] + middle * ((a * c->dy[i] - e * c->dx[i]) / det);
    }
    return polygon_is_simple(context, x, y, count, 16 * c->reach + unsure * 0x1p21f);
}

bool abut__surface_contour_moves(const abut_context* context, const uint32_t* loop, uint32_t count,
                                 abut__source from, abut__source to, const float v[3],
                                 float error) {
    moving_contour c = {.reach = 0};
    load_contour(loop, count, from, to, v, &c);
    straighten(&c, count);
    const float moved = steepest(&c) * c.most;
    const float wanted = moved / (UNSURE * c.edge);
    if (!(wanted < PARTS_MOST)) {
        return false;
    }
    const uint32_t parts = 1 + (uint32_t)wanted;
    const float width = 1.0f / (float)parts;
    for (uint32_t p = 0; p < parts; ++p) {
        const float middle = ((float)p + 0.5f) * width - 0.5f;
        // twice the error, because A^-1 may double it
        if (!part_is_simple(context, &c, count, middle, 0.502f * width * moved + 8 * error)) {
            return false;
        }
    }
    return true;
}

bool abut__surface_step_apart(const abut_context* context, const abut__tree* tree,
                              const abut__contours* contours, const abut__boxes8* normals,
                              abut__source from, abut__source to, uint32_t node) {
    const uint32_t count = contours->count[node];
    float v[3];
    if (count == 0 || !abut__surface_direction(tree, normals, &node, 1, v)) {
        return false;
    }
    const uint32_t* loop = abut__contour_of(contours, node);
    return abut__surface_contour_moves(context, loop, count, from, to, v, 0);
}
