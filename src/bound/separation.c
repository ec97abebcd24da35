// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measures sets of pairs of triangles. Most pairs determine no maximum: subsets of six triangles
// are compared as clusters first, and the rest, mostly near pairs, one by one.
#include "bound/separation.h"

#define TINY_SQ 1e-280     // smaller squares may have lost digits by underflow
#define NARROW 1e-15       // a gap this small, relative to the set, counts as none
#define GOOD_MARGIN 0.6    // a direction with this margin needs no search
#define FAIR_MARGIN 0.2    // below this margin the search may have missed the best direction
#define SLACK_FULL 1.2f    // a bound at most this factor above the greatest so far is good enough
#define SLACK_STRAIN 2.0f  // tighter limits of blocks do not improve those of nodes
// Total of limits that is good enough from the start, in units of the shape.
#define ENOUGH 0.25f
#define ENOUGH_WEIGHTS 0.06f  // the same for weights, whose relevant limits are near 1
#define RESIDUAL 0x1p-26      // least assumed size of a residual, relative to its terms

// ---- a direction for two triangles

// The nine differences of corners, their lengths and their unit vectors.
typedef struct differences {
    double delta[9][3];
    double length[9];
    double unit[9][3];
} differences;

static void take_differences(const double s[3][3], const double t[3][3], differences* out) {
    for (int k = 0; k < 9; ++k) {
        for (int d = 0; d < 3; ++d) {
            out->delta[k][d] = s[k / 3][d] - t[k % 3][d];
        }
    }
}

// Tries the line of the middles, which suits most pairs: returns whether all differences lie well
// along it. Comparing squares needs only one root.
static bool try_middles(const differences* d, double distance[9]) {
    double n[3] = {0, 0, 0};
    for (int k = 0; k < 9; ++k) {
        for (int i = 0; i < 3; ++i) {
            n[i] += d->delta[k][i];
        }
    }
    const double square = abut__dot3(n, n);
    const double inverse = 1 / sqrt(square);
    bool good = square > TINY_SQ;
    for (int k = 0; k < 9; ++k) {
        const double* delta = d->delta[k];
        const double along = abut__dot3(delta, n) * inverse;
        good &= along > 0 && along * along > GOOD_MARGIN * GOOD_MARGIN * abut__dot3(delta, delta) &&
                along * along > TINY_SQ;
        // Rounding is relative to lengths, which are not much greater.
        distance[k] = along * (1 - 0x1p-44);
    }
    return good;
}

static bool take_lengths(differences* d) {
    for (int k = 0; k < 9; ++k) {
        const double square = abut__dot3(d->delta[k], d->delta[k]);
        if (!(square > TINY_SQ)) {
            return false;
        }
        d->length[k] = sqrt(square);
        for (int i = 0; i < 3; ++i) {
            d->unit[k][i] = d->delta[k][i] / d->length[k];
        }
    }
    return true;
}

// Approaches the point nearest to 0 in the convex hull of the unit vectors: the direction with the
// greatest margin. Based on: Gilbert, "An iterative procedure for computing the minimum of a
// quadratic form on a convex set", 1966.
static void search_direction(const differences* d, double x[3]) {
    for (int i = 0; i < 3; ++i) {
        x[i] = 0;
        for (int k = 0; k < 9; ++k) {
            x[i] += d->unit[k][i] / 9;
        }
    }
    for (int step = 0; step < 12; ++step) {
        int worst = 0;
        double least = INFINITY;
        for (int k = 0; k < 9; ++k) {
            const double along = abut__dot3(d->unit[k], x);
            worst = along < least ? k : worst;
            least = along < least ? along : least;
        }
        if (!(least < 0.9 * abut__dot3(x, x))) {
            break;
        }
        double v[3];
        for (int i = 0; i < 3; ++i) {
            v[i] = d->unit[worst][i] - x[i];
        }
        const double part = fmin(1, -abut__dot3(x, v) / abut__dot3(v, v));
        for (int i = 0; i < 3; ++i) {
            x[i] += part * v[i];
        }
    }
}

// Stores an axis, or its opposite, if its margin is better.
static void try_axis(const differences* d, const double axis[3], double* best, double n[3]) {
    double least = INFINITY;
    double most = -INFINITY;
    for (int k = 0; k < 9; ++k) {
        const double along = abut__dot3(d->unit[k], axis);
        least = along < least ? along : least;
        most = along > most ? along : most;
    }
    const double length = abut__length(axis);
    const double sign = least > 0 ? 1 : -1;
    const double margin = fmax(least, -most);
    if (length > 1e-140 && margin > *best * length) {
        *best = margin / length;
        for (int i = 0; i < 3; ++i) {
            n[i] = sign * axis[i] / length;
        }
    }
}

// Tries the axes that separate any two disjoint triangles: normals and cross products of edges.
static void try_axes(const differences* d, const double s[3][3], const double t[3][3], double* best,
                     double n[3]) {
    double edge[2][3][3];
    for (int e = 0; e < 3; ++e) {
        for (int i = 0; i < 3; ++i) {
            edge[0][e][i] = s[(e + 1) % 3][i] - s[e][i];
            edge[1][e][i] = t[(e + 1) % 3][i] - t[e][i];
        }
    }
    double axis[3];
    for (int side = 0; side < 2; ++side) {
        double normal[3];
        abut__cross3(edge[side][0], edge[side][1], normal);
        try_axis(d, normal, best, n);
        for (int e = 0; e < 3; ++e) {  // in the plane: for coplanar triangles
            abut__cross3(normal, edge[side][e], axis);
            try_axis(d, axis, best, n);
        }
    }
    for (int e = 0; e < 9; ++e) {
        abut__cross3(edge[0][e / 3], edge[1][e % 3], axis);
        try_axis(d, axis, best, n);
    }
}

bool abut__separate(const double s[3][3], const double t[3][3], double distance[9]) {
    differences d;
    take_differences(s, t, &d);
    if (try_middles(&d, distance)) {
        return true;
    }
    if (!take_lengths(&d)) {
        return false;
    }
    double x[3];
    double n[3] = {0, 0, 0};
    double best = 0;
    search_direction(&d, x);
    try_axis(&d, x, &best, n);
    if (best < FAIR_MARGIN) {
        try_axes(&d, s, t, &best, n);
    }
    for (int k = 0; k < 9; ++k) {
        // Rounding of the difference, of three products and two sums, and of the length of n.
        distance[k] = abut__dot3(d.delta[k], n) - 0x1p-48 * d.length[k];
        if (!(distance[k] > 0)) {
            return false;
        }
    }
    return true;
}

// ---- memory

#define BOX_ROWS 6u  // the least and the greatest residual, each with three coordinates

static size_t float_count(size_t stride) {
    return ((size_t)3 * ABUT__SET_VERTICES + 5 + (size_t)2 * ABUT__SUBSETS * BOX_ROWS) * stride;
}

bool abut__separation_make(const abut_context* context, uint32_t fields, abut__separation* made) {
    memset(made, 0, sizeof *made);
    made->context = context;
    made->room = abut__sketch_stride(fields);
    made->floats = abut__alloc(context, float_count(made->room) + 1, sizeof(float));
    made->residual_size = abut__alloc(context, 5 * (size_t)made->room + 1, sizeof(double));
    return made->floats != NULL && made->residual_size != NULL;
}

void abut__separation_free(abut__separation* s) {
    if (s->context != NULL) {
        abut__free(s->context, s->floats, float_count(s->room) + 1, sizeof(float));
        abut__free(s->context, s->residual_size, 5 * (size_t)s->room + 1, sizeof(double));
    }
}

abut__limits abut__limits_start(float* memory, const abut__cluster* cluster, float slack_full,
                                float slack_strain) {
    const uint32_t count = cluster->field_count;
    const size_t stride = abut__sketch_stride(count);
    const bool weights = cluster->paired > 0;
    const abut__limits limits = {slack_full,      slack_strain,        memory,
                                 memory + stride, memory + 2 * stride, memory + 3 * stride};
    const float enough = (weights ? ENOUGH_WEIGHTS : ENOUGH) / (float)(count + 1);
    for (size_t k = 0; k < stride; ++k) {
        memory[k] = memory[stride + k] = 0;
        memory[2 * stride + k] = k < count ? enough : INFINITY;
        memory[3 * stride + k] = k < count && !weights ? enough : INFINITY;
    }
    return limits;
}

// ---- sets

// Sorts lanes by their middles along the widest axis, and so on in both halves.
static void order_lanes(const double (*middle)[3], uint8_t* lanes, uint32_t count) {
    if (count <= ABUT__SUBSET) {
        return;
    }
    int axis = 0;
    double widest = -1;
    for (int d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (uint32_t k = 0; k < count; ++k) {
            lo = fmin(lo, middle[lanes[k]][d]);
            hi = fmax(hi, middle[lanes[k]][d]);
        }
        if (hi - lo > widest) {
            widest = hi - lo;
            axis = d;
        }
    }
    for (uint32_t k = 1; k < count; ++k) {
        const uint8_t lane = lanes[k];
        uint32_t place = k;
        for (; place > 0 && middle[lanes[place - 1]][axis] > middle[lane][axis]; --place) {
            lanes[place] = lanes[place - 1];
        }
        lanes[place] = lane;
    }
    const uint32_t half = (count / ABUT__SUBSET + 1) / 2 * ABUT__SUBSET;
    order_lanes(middle, lanes, half);
    order_lanes(middle, lanes + half, count - half);
}

static void rest_of(const abut_mesh* mesh, uint32_t vertex, double out[3]) {
    abut__mesh_rest(mesh, vertex, out);
}

abut__lane_order abut__lane_order_make(const abut_mesh* mesh, const abut__block* block) {
    abut__lane_order order;
    double middle[ABUT__BLOCK_TRIANGLES][3];
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        order.lane[k] = (uint8_t)k;
        memset(middle[k], 0, sizeof middle[k]);
        for (int c = 0; c < 3; ++c) {
            double p[3];
            rest_of(mesh, block->vertex[block->corner[c][k]], p);
            for (int d = 0; d < 3; ++d) {
                middle[k][d] += p[d];
            }
        }
    }
    order_lanes((const double(*)[3])middle, order.lane, block->triangle_count);
    return order;
}

static uint32_t subset_end(const abut__separation* s, int side, uint32_t subset) {
    const uint32_t end = (subset + 1) * ABUT__SUBSET;
    return end < s->triangle_count[side] ? end : s->triangle_count[side];
}

// Lists the vertices of a subset, each once.
static void list_vertices(abut__separation* s, int side, uint32_t subset) {
    abut__hull* hull = &s->hull[side][subset];
    uint64_t taken[2] = {0, 0};
    hull->count = 0;
    for (uint32_t k = subset * ABUT__SUBSET; k < subset_end(s, side, subset); ++k) {
        for (int c = 0; c < 3; ++c) {
            const uint8_t v = s->corner[side][k][c];
            if ((taken[v / 64] >> v % 64 & 1) == 0) {
                hull->vertex[hull->count++] = v;
            }
            taken[v / 64] |= UINT64_C(1) << v % 64;
        }
    }
}

// Copies the corners of a subset's triangles; lanes beyond the last one repeat it.
static void take_triangles(abut__separation* s, int side, uint32_t subset) {
    abut__eight_triangles* out = &s->triangles[side][subset];
    const uint32_t end = subset_end(s, side, subset);
    for (uint32_t lane = 0; lane < 8; ++lane) {
        const uint32_t k = subset * ABUT__SUBSET + lane;
        const uint8_t* corner = s->corner[side][k < end ? k : end - 1];
        for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) {
                out->corner[c][d][lane] = s->position[corner[c]][d];
            }
        }
    }
}

static void take_block(abut__separation* s, int side, const abut__set_block* from) {
    const abut__block* block = from->block;
    s->triangle_count[side] = block->triangle_count;
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        for (int c = 0; c < 3; ++c) {
            s->corner[side][k][c] = (uint8_t)(s->vertex_count +
                                              block->corner[c][from->order->lane[k]]);
        }
    }
    for (uint32_t v = 0; v < block->vertex_count; ++v, ++s->vertex_count) {
        rest_of(s->units->mesh, block->vertex[v], s->position[s->vertex_count]);
        s->vertex[s->vertex_count] = block->vertex[v];
        s->class_id[s->vertex_count] = abut__mesh_class(s->units->mesh, block->vertex[v]);
    }
    for (uint32_t g = 0; g < abut__subset_count(block); ++g) {
        list_vertices(s, side, g);
        take_triangles(s, side, g);
        s->place[side][g] = &from->subsets[g].place;
    }
}

// Computes the residuals of all vertices in double, and the greatest of them.
static void size_residuals(abut__separation* s, const double (*known)[3],
                           double (*displacement)[3]) {
    const abut__cluster* cluster = s->cluster;
    const size_t stride = s->stride;
    double* size = s->residual_size;
    double* scale = size + stride;
    double* rows = scale + stride;
    memset(size, 0, 5 * stride * sizeof *size);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double offset[3];
        abut__units_position(s->units, s->vertex[v], offset);
        for (int d = 0; d < 3; ++d) {
            offset[d] -= cluster->place.mean[d];
        }
        const double length = abut__length(offset);
        s->radius = length > s->radius ? length : s->radius;
        const double(*moved)[3] = known != NULL ? known + (size_t)v * cluster->field_count
                                                : (const double(*)[3])displacement;
        if (known == NULL) {
            abut__cluster_displacements(cluster, s->units, s->vertex[v], displacement);
        }
        for (size_t k = 0; k < cluster->field_count; ++k) {
            for (size_t d = 0; d < 3; ++d) {
                rows[d * stride + k] = moved[k][d];
            }
        }
        s->context->kernels->residuals(s->map, stride, rows, offset, size, scale,
                                       s->residual + 3 * v * stride);
    }
    for (uint32_t k = 0; k < cluster->paired; ++k) {
        // Products of positions with weights, at most about 1, have the errors of positions.
        scale[k] += 0x1p-4;
    }
}

// Scales residuals by their greatest size, or by their rounding error. Lengths are in units of the
// set.
static void scale_residuals(abut__separation* s) {
    const double* scale = s->residual_size + s->stride;
    s->radius = fmax(s->radius, 0x1p-40);
    float* inverses = s->boxes;  // which are computed afterwards
    for (size_t k = 0; k < s->stride; ++k) {
        const double unit = fmax(s->residual_size[k], scale[k] * RESIDUAL) + 0x1p-100;
        const float inverse = (float)(1 / unit);
        s->factor[k] = (float)(1 / (double)inverse / s->radius * (1 + 0x1p-22));
        inverses[k] = inverse;
    }
    s->context->kernels->scale_residuals(inverses, s->stride, 3 * s->vertex_count, s->residual);
}

static float* box_of(const abut__separation* s, int side, uint32_t subset) {
    return s->boxes + ((size_t)side * ABUT__SUBSETS + subset) * BOX_ROWS * s->stride;
}

static uint32_t subset_count(const abut__separation* s, int side) {
    return (s->triangle_count[side] + ABUT__SUBSET - 1) / ABUT__SUBSET;
}

static void bound_residuals(const abut__separation* s) {
    for (int side = 0; side < 2; ++side) {
        for (uint32_t g = 0; g < subset_count(s, side); ++g) {
            const abut__hull* hull = &s->hull[side][g];
            s->context->kernels->residual_boxes(s->residual, s->stride, hull->vertex, hull->count,
                                                box_of(s, side, g));
        }
    }
}

void abut__separation_begin(abut__separation* s, const abut__units* units,
                            const abut__cluster* cluster, const float* map,
                            const abut__set_block block[2], double (*displacement)[3]) {
    s->units = units;
    s->cluster = cluster;
    s->map = map;
    s->stride = abut__sketch_stride(cluster->field_count);
    s->residual = s->floats;
    s->factor = s->residual + (size_t)3 * ABUT__SET_VERTICES * s->stride;
    s->limits = abut__limits_start(s->factor + s->stride, cluster, SLACK_FULL, SLACK_STRAIN);
    s->boxes = s->factor + (size_t)5 * s->stride;
    s->vertex_count = 0;
    s->radius = 0;
    s->triangle_count[1] = 0;
    take_block(s, 0, &block[0]);
    if (block[1].block != NULL) {
        take_block(s, 1, &block[1]);
    }
    size_residuals(s, block[1].block == NULL ? block[0].displacements : NULL, displacement);
    scale_residuals(s);
    bound_residuals(s);
    s->unit = 1 / (s->units->length * s->radius);
}

// ---- measuring

static bool share_class(const abut__separation* s, const uint8_t a[3], const uint8_t b[3]) {
    bool shared = false;
    for (int i = 0; i < 3; ++i) {
        const uint32_t id = s->class_id[a[i]];
        shared |= id == s->class_id[b[0]] || id == s->class_id[b[1]] || id == s->class_id[b[2]];
    }
    return shared;
}

// Computes the vertices about their mean, in units of the set, and the data to fit maps to them.
static void fit_vertices(const abut__separation* s, abut__near_geometry* g) {
    const uint32_t count = 6;
    double mean[3] = {0, 0, 0};
    double spread[3][3] = {{0}};
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            mean[d] += s->position[g->vertex[i]][d] / count;
        }
    }
    double reach_sq = 0;
    for (uint32_t i = 0; i < count; ++i) {
        double x[3];
        for (int d = 0; d < 3; ++d) {
            x[d] = (s->position[g->vertex[i]][d] - mean[d]) * s->unit;
            g->x[i][d] = (float)x[d];
        }
        reach_sq = fmax(reach_sq, abut__dot3(x, x));
        for (int r = 0; r < 3; ++r) {
            for (int c = r; c < 3; ++c) {
                spread[r][c] += x[r] * x[c];
                spread[c][r] = spread[r][c];
            }
        }
    }
    const abut__fitter fitter = abut__fitter_make((const double(*)[3])spread);
    for (int i = 0; i < 9; ++i) {
        g->spread_inverse[i / 3][i % 3] = (float)fitter.inverse[i / 3][i % 3];
        g->blank[i / 3][i % 3] = s->cluster->paired > 0 ? 0 : (float)fitter.blank[i / 3][i % 3];
    }
    g->reach = (float)(sqrt(reach_sq) * (1 + 0x1p-20));
    g->fits = true;
}

// Raises the limits by two triangles that are `least` apart; see modal_near.
static void raise_by(abut__separation* s, abut__near_geometry* g, double least) {
    const abut__kernels* kernels = s->context->kernels;
    g->inverse_most = (float)(1 / (least * s->unit) * (1 + 0x1p-22));
    g->fits = false;
    if (!kernels->modal_near(s->residual, s->stride, g, s->factor, &s->limits)) {
        fit_vertices(s, g);
        (void)kernels->modal_near(s->residual, s->stride, g, s->factor, &s->limits);
    }
    s->gap = least < s->gap ? least : s->gap;
}

static void name_corners(const uint8_t a[3], const uint8_t b[3], abut__near_geometry* g) {
    for (int i = 0; i < 3; ++i) {
        g->vertex[i] = a[i];
        g->vertex[3 + i] = b[i];
    }
}

// Measures one pair of triangles; false: they may touch.
static bool measure_pair(abut__separation* s, const uint8_t a[3], const uint8_t b[3]) {
    double p[3][3];
    double q[3][3];
    abut__near_geometry g;
    name_corners(a, b, &g);
    for (int i = 0; i < 3; ++i) {
        memcpy(p[i], s->position[a[i]], sizeof p[i]);
        memcpy(q[i], s->position[b[i]], sizeof q[i]);
    }
    double distance[9];
    if (!abut__separate((const double(*)[3])p, (const double(*)[3])q, distance)) {
        return false;
    }
    double least = INFINITY;
    for (int k = 0; k < 9; ++k) {
        g.inverse[k] = (float)(1 / (distance[k] * s->unit) * (1 + 0x1p-22));
        least = fmin(least, distance[k]);
    }
    if (!(least * s->unit > NARROW)) {
        return false;
    }
    raise_by(s, &g, least);
    return true;
}

#define ALONG_LOST 0x1p-20  // more than the rounding of two numbers of a few units to float
#define ALONG_LEAST 0x1p-12
#define FAIR 0x100u  // of a lane, relative to its bit, for distances that need not be the best

// Raises the limits by two triangles if these distances are good enough.
static bool is_enough(abut__separation* s, abut__near_geometry* g, double least) {
    g->inverse_most = (float)(1 / (least * s->unit) * (1 + 0x1p-22));
    g->fits = false;
    const bool done = least * s->unit > ALONG_LEAST &&
                      s->context->kernels->modal_near(s->residual, s->stride, g, s->factor,
                                                      &s->limits);
    s->gap = done && least < s->gap ? least : s->gap;
    return done;
}

// The same for a triangle and some of eight others, whose corners are `b`, one bit each.
static bool measure_lanes(abut__separation* s, const uint8_t a[3], const uint8_t (*b)[3],
                          const abut__eight_triangles* others, uint32_t lanes) {
    double p[3][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(p[i], s->position[a[i]], sizeof p[i]);
    }
    abut__eight_distances found;
    const uint32_t good = s->context->kernels->separate_middles((const double(*)[3])p, others,
                                                                s->unit, &found);
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        abut__near_geometry g;
        name_corners(a, b[lane], &g);
        for (int k = 0; k < 9; ++k) {
            g.inverse[k] = (float)found.inverse[k][lane];
        }
        if ((good >> lane & 1) != 0 && found.least[lane] * s->unit > NARROW) {
            raise_by(s, &g, found.least[lane]);
        } else if (!((good >> lane & FAIR) != 0 && is_enough(s, &g, found.least[lane])) &&
                   !measure_pair(s, a, b[lane])) {
            return false;
        }
    }
    return true;
}

// Measures all pairs of triangles of two subsets, or of one; false: two of them may touch.
static bool measure_triangles(abut__separation* s, int side, uint32_t g, uint32_t h) {
    const uint32_t end_g = subset_end(s, 0, g);
    const uint32_t first_h = h * ABUT__SUBSET;
    const uint32_t end_h = subset_end(s, side, h);
    for (uint32_t i = g * ABUT__SUBSET; i < end_g; ++i) {
        uint32_t lanes = 0;
        for (uint32_t k = side == 0 && g == h ? i + 1 : first_h; k < end_h; ++k) {
            lanes |= (uint32_t)!share_class(s, s->corner[0][i], s->corner[side][k])
                     << (k - first_h);
        }
        if (lanes != 0 &&
            !measure_lanes(s, s->corner[0][i], (const uint8_t(*)[3])s->corner[side] + first_h,
                           &s->triangles[side][h], lanes)) {
            return false;
        }
    }
    return true;
}

// Measures two subsets by the boxes of their residuals. False: not good enough.
static bool measure_boxes(abut__separation* s, int side, uint32_t g, uint32_t h, double gap) {
    const float inverse = (float)(1 / (gap * s->unit) * (1 + 0x1p-22));
    return s->context->kernels->modal_boxes_far(box_of(s, 0, g), box_of(s, side, h), s->stride,
                                                inverse, s->factor, &s->limits);
}

// Measures two subsets as sets of vertices, with one direction for all pairs: the line of means,
// which suits distant sets. False: not good enough.
static bool measure_hulls(abut__separation* s, int side, uint32_t g, uint32_t h) {
    const abut__hull* hull[2] = {&s->hull[0][g], &s->hull[side][h]};
    double n[3];
    for (int d = 0; d < 3; ++d) {
        n[d] = s->place[0][g]->mean[d] - s->place[side][h]->mean[d];
    }
    const double inverse = s->unit / abut__length(n);
    for (int d = 0; d < 3; ++d) {
        n[d] *= inverse;
    }
    abut__hull_geometry geometry;
    double ends[2] = {INFINITY, -INFINITY};
    for (int i = 0; i < 2; ++i) {
        geometry.count[i] = hull[i]->count;
        memcpy(geometry.vertex[i], hull[i]->vertex, sizeof geometry.vertex[i]);
        for (uint32_t v = 0; v < hull[i]->count; ++v) {
            double x[3];
            for (int d = 0; d < 3; ++d) {
                x[d] = s->position[hull[i]->vertex[v]][d] - s->position[0][d];
            }
            const double along = abut__dot3(x, n) + (i == 0 ? -0.5 : 0.5) * ALONG_LOST;
            geometry.along[i][v] = (float)along;
            ends[i] = (i == 0 ? along < ends[i] : along > ends[i]) ? along : ends[i];
        }
    }
    const double least = ends[0] - ends[1];
    geometry.inverse_most = (float)(1 / least * (1 + 0x1p-22));
    if (!(least > ALONG_LEAST) || !s->context->kernels->modal_hulls(
                                      s->residual, s->stride, &geometry, s->factor, &s->limits)) {
        return false;
    }
    s->gap = least / s->unit < s->gap ? least / s->unit : s->gap;
    return true;
}

// Measures two subsets that are `gap` apart.
static bool measure_far(abut__separation* s, int side, uint32_t g, uint32_t h, double gap) {
    if (measure_boxes(s, side, g, h, gap)) {
        s->gap = gap < s->gap ? gap : s->gap;
        return true;
    }
    return measure_hulls(s, side, g, h) || measure_triangles(s, side, g, h);
}

// Near subsets come first, because their limits spare most of the others.
void abut__separation_measure(abut__separation* s) {
    const int side = s->triangle_count[1] > 0 ? 1 : 0;
    const uint32_t count[2] = {subset_count(s, 0), subset_count(s, side)};
    double gap[ABUT__SUBSETS][ABUT__SUBSETS];
    s->gap = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t g = 0; g < count[0]; ++g) {
            for (uint32_t h = side == 0 ? g : 0; h < count[1]; ++h) {
                if (pass == 0) {
                    gap[g][h] = abut__places_gap(s->place[0][g], s->place[side][h]);
                }
                const bool far = gap[g][h] > 0;
                if (far == (pass == 1) &&
                    !(far ? measure_far(s, side, g, h, gap[g][h] * s->units->length)
                          : measure_triangles(s, side, g, h))) {
                    s->gap = 0;
                    return;
                }
            }
        }
    }
}
