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

static size_t float_count(size_t stride) {
    return ((size_t)3 * ABUT__SET_VERTICES + 5 + (size_t)2 * ABUT__SUBSETS * ABUT__SKETCH_ROWS) *
           stride;
}

bool abut__separation_make(const abut_context* context, uint32_t fields, abut__separation* made) {
    memset(made, 0, sizeof *made);
    made->context = context;
    made->room = abut__sketch_stride(fields);
    made->floats = abut__alloc(context, float_count(made->room) + 1, sizeof(float));
    made->residual_size = abut__alloc(context, 2 * (size_t)made->room + 1, sizeof(double));
    return made->floats != NULL && made->residual_size != NULL;
}

void abut__separation_free(abut__separation* s) {
    if (s->context != NULL) {
        abut__free(s->context, s->floats, float_count(s->room) + 1, sizeof(float));
        abut__free(s->context, s->residual_size, 2 * (size_t)s->room + 1, sizeof(double));
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
        s->place[side][g] = &from->subsets[g].place;
        s->rows[side][g] = abut__sketch_rows(&from->subsets[g], s->cluster,
                                             s->room_rows + ((size_t)side * ABUT__SUBSETS + g) *
                                                                ABUT__SKETCH_ROWS * s->stride);
    }
}

// Computes the residuals of all vertices in double, and the greatest of them.
static void size_residuals(abut__separation* s, double (*displacement)[3]) {
    const abut__cluster* cluster = s->cluster;
    double* size = s->residual_size;
    double* scale = size + s->stride;
    memset(size, 0, 2 * (size_t)s->stride * sizeof *size);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double offset[3];
        abut__units_position(s->units, s->vertex[v], offset);
        for (int d = 0; d < 3; ++d) {
            offset[d] -= cluster->place.mean[d];
        }
        s->radius = fmax(s->radius, abut__length(offset));
        abut__cluster_displacements(cluster, s->units, s->vertex[v], displacement);
        float* out = s->residual + (size_t)3 * v * s->stride;
        memset(out, 0, (size_t)3 * s->stride * sizeof *out);
        for (uint32_t k = 0; k < cluster->field_count; ++k) {
            double r[3];
            scale[k] = fmax(scale[k],
                            abut__cluster_residual(cluster, k, offset, displacement[k], r));
            for (size_t d = 0; d < 3; ++d) {
                size[k] = fmax(size[k], fabs(r[d]));
                out[d * s->stride + k] = (float)r[d];
            }
        }
    }
}

// Scales residuals by their greatest size, or by their rounding error. Lengths are in units of the
// set.
static void scale_residuals(abut__separation* s) {
    const double* scale = s->residual_size + s->stride;
    s->radius = fmax(s->radius, 0x1p-40);
    for (size_t k = 0; k < s->stride; ++k) {
        const double unit = fmax(s->residual_size[k], scale[k] * RESIDUAL) + 0x1p-100;
        const float inverse = (float)(1 / unit);
        s->factor[k] = (float)(1 / (double)inverse / s->radius * (1 + 0x1p-22));
        for (uint32_t row = 0; row < 3 * s->vertex_count; ++row) {
            s->residual[(size_t)row * s->stride + k] *= inverse;
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
    s->room_rows = s->factor + (size_t)5 * s->stride;
    s->vertex_count = 0;
    s->radius = 0;
    s->triangle_count[1] = 0;
    take_block(s, 0, &block[0]);
    if (block[1].block != NULL) {
        take_block(s, 1, &block[1]);
    }
    size_residuals(s, displacement);
    scale_residuals(s);
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
    const uint32_t count = g->count[0] + g->count[1];
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

// Raises the limits by two sets of vertices that are `least` apart; see modal_near.
static bool raise_by(abut__separation* s, abut__near_geometry* g, double least, bool last) {
    const abut__kernels* kernels = s->context->kernels;
    g->inverse_most = (float)(1 / (least * s->unit) * (1 + 0x1p-22));
    g->fits = false;
    bool done = kernels->modal_near(s->residual, s->stride, g, last, s->factor, &s->limits);
    if (!done) {
        fit_vertices(s, g);
        done = kernels->modal_near(s->residual, s->stride, g, last, s->factor, &s->limits);
    }
    s->gap = done ? fmin(s->gap, least) : s->gap;
    return done;
}

// Measures one pair of triangles; false: they may touch.
static bool measure_pair(abut__separation* s, const uint8_t a[3], const uint8_t b[3]) {
    double p[3][3];
    double q[3][3];
    abut__near_geometry g;
    g.count[0] = g.count[1] = 3;
    for (int i = 0; i < 3; ++i) {
        memcpy(p[i], s->position[a[i]], sizeof p[i]);
        memcpy(q[i], s->position[b[i]], sizeof q[i]);
        g.vertex[i] = a[i];
        g.vertex[3 + i] = b[i];
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
    return least * s->unit > NARROW && raise_by(s, &g, least, true);
}

// Measures all pairs of triangles of two subsets, or of one; false: two of them may touch.
static bool measure_triangles(abut__separation* s, int side, uint32_t g, uint32_t h) {
    const uint32_t end_g = subset_end(s, 0, g);
    const uint32_t end_h = subset_end(s, side, h);
    for (uint32_t i = g * ABUT__SUBSET; i < end_g; ++i) {
        const bool same = side == 0 && g == h;
        for (uint32_t k = same ? i + 1 : h * ABUT__SUBSET; k < end_h; ++k) {
            const uint8_t* a = s->corner[0][i];
            const uint8_t* b = s->corner[side][k];
            if (!share_class(s, a, b) && !measure_pair(s, a, b)) {
                return false;
            }
        }
    }
    return true;
}

// Measures two subsets as sets of vertices, with one direction for all pairs: the line of means,
// which suits distant sets. False: not good enough.
static bool measure_hulls(abut__separation* s, int side, uint32_t g, uint32_t h) {
    const abut__place* place[2] = {s->place[0][g], s->place[side][h]};
    double n[3];
    for (int d = 0; d < 3; ++d) {
        n[d] = place[0]->mean[d] - place[1]->mean[d];
    }
    const double length = abut__length(n);
    abut__near_geometry geometry;
    double along[2 * ABUT__HULL];
    uint32_t count = 0;
    for (int i = 0; i < 2; ++i) {
        const abut__hull* hull = &s->hull[i == 0 ? 0 : side][i == 0 ? g : h];
        geometry.count[i] = hull->count;
        for (uint32_t v = 0; v < hull->count; ++v, ++count) {
            double x[3];
            for (int d = 0; d < 3; ++d) {
                x[d] = (s->position[hull->vertex[v]][d] - s->position[0][d]) * s->unit;
            }
            geometry.vertex[count] = hull->vertex[v];
            along[count] = abut__dot3(x, n) / length;
        }
    }
    double least = INFINITY;
    for (uint32_t i = 0; i < geometry.count[0]; ++i) {
        for (uint32_t k = 0; k < geometry.count[1]; ++k) {
            // Lengths within the set are at most a few units.
            const double distance = along[i] - along[geometry.count[0] + k] - 0x1p-44;
            geometry.inverse[i * geometry.count[1] + k] = (float)(1 / distance * (1 + 0x1p-22));
            least = fmin(least, distance);
        }
    }
    return least > 0x1p-20 && raise_by(s, &geometry, least / s->unit, false);
}

// Near subsets come first, because their limits spare most of the others.
void abut__separation_measure(abut__separation* s) {
    const int side = s->triangle_count[1] > 0 ? 1 : 0;
    const uint32_t count_g = (s->triangle_count[0] + ABUT__SUBSET - 1) / ABUT__SUBSET;
    const uint32_t count_h = (s->triangle_count[side] + ABUT__SUBSET - 1) / ABUT__SUBSET;
    s->gap = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t g = 0; g < count_g; ++g) {
            for (uint32_t h = side == 0 ? g : 0; h < count_h; ++h) {
                abut__far_geometry geometry;
                double gap;
                const bool far = abut__places_apart(s->place[0][g], s->place[side][h], &geometry,
                                                    &gap);
                if (far != (pass == 1)) {
                    continue;
                }
                if (far &&
                    s->context->kernels->modal_far(s->rows[0][g], s->rows[side][h], s->map,
                                                   s->stride, &geometry, false, &s->limits)) {
                    s->gap = fmin(s->gap, gap * s->units->length);
                } else if (!(far && measure_hulls(s, side, g, h)) &&
                           !measure_triangles(s, side, g, h)) {
                    s->gap = 0;
                    return;
                }
            }
        }
    }
}
