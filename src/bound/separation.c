// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measuring sets of pairs of triangles. Most pairs matter to no maximum: subsets of six triangles
// are compared by boxes first, then pairs of triangles by the common map alone, and only those that
// exceed what was found so far get a map of their own.
#include "bound/separation.h"

#define TINY_SQ 1e-280    // squares below this may have lost what matters
#define UNDERFLOW 1e-150  // at least what squares that underflow hide
#define ROUNDING 0x1p-46  // of residuals, relative to their scale
#define GOOD_MARGIN 0.3   // a direction this good is not worth a search

// ---- a direction for two triangles

// The nine differences of corners, their lengths, and as unit vectors.
typedef struct differences {
    double delta[9][3];
    double length[9];
    double unit[9][3];
} differences;

static bool take_differences(const double s[3][3], const double t[3][3], differences* out) {
    for (int k = 0; k < 9; ++k) {
        for (int d = 0; d < 3; ++d) {
            out->delta[k][d] = s[k / 3][d] - t[k % 3][d];
        }
        const double square = abut__dot(out->delta[k], out->delta[k]);
        if (!(square > TINY_SQ)) {
            return false;
        }
        out->length[k] = sqrt(square);
        for (int d = 0; d < 3; ++d) {
            out->unit[k][d] = out->delta[k][d] / out->length[k];
        }
    }
    return true;
}

static double least_along(const differences* d, const double n[3], int* which) {
    double least = INFINITY;
    for (int k = 0; k < 9; ++k) {
        const double along = abut__dot(d->unit[k], n);
        if (along < least) {
            least = along;
            *which = k;
        }
    }
    return least;
}

// the margin of a direction, which becomes a unit vector
static double margin_of(const differences* d, double n[3]) {
    const double length = abut__length(n);
    if (!(length > 1e-140)) {
        return -1;
    }
    for (int i = 0; i < 3; ++i) {
        n[i] /= length;
    }
    int which;
    return least_along(d, n, &which);
}

// Towards the point of the convex hull of the unit vectors that is nearest to 0: that is the
// direction with the greatest margin. Based on: Gilbert, "An iterative procedure for computing the
// minimum of a quadratic form on a convex set", 1966.
static double search_margin(const differences* d, double n[3]) {
    double x[3] = {0, 0, 0};
    for (int k = 0; k < 9; ++k) {
        for (int i = 0; i < 3; ++i) {
            x[i] += d->unit[k][i] / 9;
        }
    }
    for (int step = 0; step < 16; ++step) {
        int worst = 0;
        const double square = abut__dot(x, x);
        const double least = least_along(d, x, &worst);
        if (!(least < 0.95 * square)) {
            break;
        }
        double v[3];
        for (int i = 0; i < 3; ++i) {
            v[i] = d->unit[worst][i] - x[i];
        }
        const double way = fmin(1, -abut__dot(x, v) / abut__dot(v, v));
        for (int i = 0; i < 3; ++i) {
            x[i] += way * v[i];
        }
    }
    memcpy(n, x, sizeof x);
    return margin_of(d, n);
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void try_axis(const differences* d, const double axis[3], double* best, double n[3]) {
    for (int sign = -1; sign <= 1; sign += 2) {
        double tried[3] = {sign * axis[0], sign * axis[1], sign * axis[2]};
        const double margin = margin_of(d, tried);
        if (margin > *best) {
            *best = margin;
            memcpy(n, tried, sizeof tried);
        }
    }
}

// the axes that part any two triangles that are apart: normals, and products of edges
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
        cross(edge[side][0], edge[side][1], normal);
        try_axis(d, normal, best, n);
        for (int e = 0; e < 3; ++e) {  // in the plane: for triangles in one plane
            cross(normal, edge[side][e], axis);
            try_axis(d, axis, best, n);
        }
    }
    for (int e = 0; e < 9; ++e) {
        cross(edge[0][e / 3], edge[1][e % 3], axis);
        try_axis(d, axis, best, n);
    }
}

bool abut__separate(const double s[3][3], const double t[3][3], double distance[9]) {
    differences d;
    if (!take_differences(s, t, &d)) {
        return false;
    }
    double n[3] = {0, 0, 0};
    double best = search_margin(&d, n);
    if (best < GOOD_MARGIN) {
        try_axes(&d, s, t, &best, n);
    }
    for (int k = 0; k < 9; ++k) {
        // rounding: of the difference, of three products and two sums, of the length of n
        distance[k] = abut__dot(d.delta[k], n) - 0x1p-48 * d.length[k];
        if (!(distance[k] > 0)) {
            return false;
        }
    }
    return true;
}

// ---- memory

bool abut__separation_make(const abut_context* context, uint32_t fields, abut__separation* made) {
    memset(made, 0, sizeof *made);
    made->context = context;
    made->room = (fields + 7) / 8 * 8;
    const size_t rows = (size_t)3 * ABUT__SET_VERTICES + 1 + (size_t)8 * ABUT__SUBSETS + 4 + 2;
    made->residual = abut__alloc(context, rows * (made->room + 8), sizeof(double));
    return made->residual != NULL;
}

void abut__separation_free(abut__separation* s) {
    const size_t rows = (size_t)3 * ABUT__SET_VERTICES + 1 + (size_t)8 * ABUT__SUBSETS + 4 + 2;
    abut__free(s->context, s->residual, rows * (s->room + 8), sizeof(double));
}

// ---- sets

// sorts lanes[first .. end) by their middles along the widest axis, and so on in both halves
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
    abut__read_position(mesh->positions, 3 * abut__scalar_size(mesh->scalar),
                        mesh->scalar == ABUT_FLOAT64, vertex, out);
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

void abut__separation_begin(abut__separation* s, const abut_mesh* mesh,
                            const abut__block* const block[2],
                            const abut__lane_order* const order[2], uint32_t field_count) {
    s->field_count = field_count;
    s->stride = (field_count + 7) / 8 * 8;
    s->scale = s->residual + (size_t)3 * ABUT__SET_VERTICES * s->stride;
    s->subset = s->scale + s->stride;
    s->work = s->subset + (size_t)8 * ABUT__SUBSETS * s->stride;
    s->full = s->work + (size_t)4 * s->stride;
    s->strain = s->full + s->stride;
    s->vertex_count = 0;
    for (int side = 0; side < 2; ++side) {
        s->triangle_count[side] = block[side] != NULL ? block[side]->triangle_count : 0;
        if (block[side] == NULL) {
            continue;
        }
        for (uint32_t k = 0; k < s->triangle_count[side]; ++k) {
            for (int c = 0; c < 3; ++c) {
                s->corner[side][k][c] = (uint8_t)(s->vertex_count +
                                                  block[side]->corner[c][order[side]->lane[k]]);
            }
        }
        for (uint32_t v = 0; v < block[side]->vertex_count; ++v, ++s->vertex_count) {
            rest_of(mesh, block[side]->vertex[v], s->position[s->vertex_count]);
            s->class_id[s->vertex_count] = abut__mesh_class(mesh, block[side]->vertex[v]);
        }
    }
    memset(s->residual, 0, (size_t)3 * s->vertex_count * s->stride * sizeof(double));
    memset(s->scale, 0, s->stride * sizeof(double));
}

static uint32_t subset_count(const abut__separation* s, int side) {
    return (s->triangle_count[side] + ABUT__SUBSET - 1) / ABUT__SUBSET;
}
static uint32_t subset_end(const abut__separation* s, int side, uint32_t subset) {
    const uint32_t end = (subset + 1) * ABUT__SUBSET;
    return end < s->triangle_count[side] ? end : s->triangle_count[side];
}
static double* subset_rows(const abut__separation* s, int side, uint32_t subset) {
    return s->subset + ((size_t)side * ABUT__SUBSETS + subset) * 4 * s->stride;
}

// the box of a subset, and for every field a ball round its residuals
static void describe_subset(abut__separation* s, int side, uint32_t subset) {
    const uint32_t first = subset * ABUT__SUBSET;
    const uint32_t end = subset_end(s, side, subset);
    const size_t stride = s->stride;
    double(*box)[3] = s->subset_box[side][subset];
    double* row = subset_rows(s, side, subset);
    double* lo = s->work;
    double* hi = row;
    for (size_t i = 0; i < 3 * stride; ++i) {
        lo[i] = INFINITY;
        hi[i] = -INFINITY;
    }
    for (int d = 0; d < 3; ++d) {
        box[0][d] = INFINITY;
        box[1][d] = -INFINITY;
    }
    for (uint32_t k = first; k < end; ++k) {
        for (int c = 0; c < 3; ++c) {
            const uint32_t v = s->corner[side][k][c];
            const double* r = abut__separation_residual(s, v);
            for (size_t i = 0; i < 3 * stride; ++i) {
                lo[i] = r[i] < lo[i] ? r[i] : lo[i];
                hi[i] = r[i] > hi[i] ? r[i] : hi[i];
            }
            for (int d = 0; d < 3; ++d) {
                box[0][d] = fmin(box[0][d], s->position[v][d]);
                box[1][d] = fmax(box[1][d], s->position[v][d]);
            }
        }
    }
    for (size_t j = 0; j < stride; ++j) {
        double square = 0;
        for (size_t d = 0; d < 3; ++d) {
            const double half = 0.5 * (hi[d * stride + j] - lo[d * stride + j]);
            row[d * stride + j] = 0.5 * (hi[d * stride + j] + lo[d * stride + j]);
            square += half * half;
        }
        row[3 * stride + j] = sqrt(square);
    }
}

// ---- comparing

static double box_gap(const double a[2][3], const double b[2][3]) {
    double gap = -INFINITY;
    for (int d = 0; d < 3; ++d) {
        gap = fmax(gap, fmax(a[0][d] - b[1][d], b[0][d] - a[1][d]));
    }
    return gap * (1 - 0x1p-50);
}

static double error_of(const abut__separation* s, size_t field) {
    return s->scale[field] * ROUNDING + UNDERFLOW;
}

// whether no pair of these subsets can exceed what was found so far
static bool subsets_harmless(const abut__separation* s, const double* a, const double* b,
                             double gap) {
    const size_t stride = s->stride;
    for (size_t j = 0; j < s->field_count; ++j) {
        const double delta[3] = {a[j] - b[j], a[stride + j] - b[stride + j],
                                 a[2 * stride + j] - b[2 * stride + j]};
        const double reach = abut__length(delta) + a[3 * stride + j] + b[3 * stride + j];
        if (!(reach + error_of(s, j) <= gap * fmin(s->full[j], s->strain[j]))) {
            return false;
        }
    }
    return true;
}

static bool share_class(const abut__separation* s, const uint8_t a[3], const uint8_t b[3]) {
    bool shared = false;
    for (int i = 0; i < 3; ++i) {
        const uint32_t id = s->class_id[a[i]];
        shared |= id == s->class_id[b[0]] || id == s->class_id[b[1]] || id == s->class_id[b[2]];
    }
    return shared;
}

// six corners about their mean, and what it takes to fit them
static abut__fitter fit_corners(const double s[3][3], const double t[3][3], double x[6][3]) {
    double mean[3];
    for (int d = 0; d < 3; ++d) {
        mean[d] = (s[0][d] + s[1][d] + s[2][d] + t[0][d] + t[1][d] + t[2][d]) / 6;
    }
    double spread[3][3] = {{0}};
    for (int i = 0; i < 6; ++i) {
        for (int d = 0; d < 3; ++d) {
            x[i][d] = (i < 3 ? s[i][d] : t[i - 3][d]) - mean[d];
        }
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) {
                spread[r][c] += x[i][r] * x[i][c];
            }
        }
    }
    return abut__fitter_make((const double(*)[3])spread);
}

static void raise(double* most, double value) {
    *most = value > *most ? value : *most;
}

// one pair of triangles; false: they may touch
static bool measure_pair(abut__separation* s, const uint8_t a[3], const uint8_t b[3]) {
    double p[3][3];
    double q[3][3];
    const double* corner[6];
    for (int i = 0; i < 3; ++i) {
        memcpy(p[i], s->position[a[i]], sizeof p[i]);
        memcpy(q[i], s->position[b[i]], sizeof q[i]);
        corner[i] = abut__separation_residual(s, a[i]);
        corner[3 + i] = abut__separation_residual(s, b[i]);
    }
    double distance[9];
    if (!abut__separate((const double(*)[3])p, (const double(*)[3])q, distance)) {
        return false;
    }
    double inverse[9];
    double least = INFINITY;
    for (int k = 0; k < 9; ++k) {
        inverse[k] = 1 / distance[k];
        least = fmin(least, distance[k]);
    }
    s->gap = fmin(s->gap, least);
    const abut__kernels* kernels = s->context->kernels;
    double* plain = s->work;
    kernels->modal_ratios(corner, s->stride, inverse, plain);
    bool exceeds = false;
    for (size_t j = 0; j < s->field_count; ++j) {
        plain[j] = plain[j] * (1 + 1e-13) + error_of(s, j) / least;
        exceeds |= !(plain[j] <= s->full[j] && plain[j] <= s->strain[j]);
    }
    if (!exceeds) {
        return true;
    }
    double x[6][3];
    const abut__fitter fitter = fit_corners((const double(*)[3])p, (const double(*)[3])q, x);
    double* full = s->work + s->stride;
    double* strain = full + s->stride;
    double* size = strain + s->stride;
    kernels->modal_ratios_fitted(corner, s->stride, inverse, (const double(*)[3])x, fitter.inverse,
                                 fitter.blank, full, strain, size);
    for (size_t j = 0; j < s->field_count; ++j) {
        const double error = (error_of(s, j) + size[j] * ROUNDING) / least;
        const double full_j = full[j] * (1 + 1e-12) + error;
        const double strain_j = strain[j] * (1 + 1e-12) + error;
        raise(&s->full[j], full_j < plain[j] ? full_j : plain[j]);
        raise(&s->strain[j], strain_j < plain[j] ? strain_j : plain[j]);
    }
    return true;
}

// all pairs of triangles of two subsets, or of one; false: two of them may touch
static bool measure_subsets(abut__separation* s, int side, uint32_t g, uint32_t h) {
    const int own = 0;
    const uint32_t end_g = subset_end(s, own, g);
    const uint32_t end_h = subset_end(s, side, h);
    for (uint32_t i = g * ABUT__SUBSET; i < end_g; ++i) {
        const bool same = side == own && g == h;
        for (uint32_t k = same ? i + 1 : h * ABUT__SUBSET; k < end_h; ++k) {
            const uint8_t* a = s->corner[own][i];
            const uint8_t* b = s->corner[side][k];
            if (!share_class(s, a, b) && !measure_pair(s, a, b)) {
                return false;
            }
        }
    }
    return true;
}

// near subsets first: what they set is what spares the others
void abut__separation_measure(abut__separation* s) {
    const int side = s->triangle_count[1] > 0 ? 1 : 0;
    for (int own = 0; own <= side; ++own) {
        for (uint32_t g = 0; g < subset_count(s, own); ++g) {
            describe_subset(s, own, g);
        }
    }
    memset(s->full, 0, s->stride * sizeof(double));
    memset(s->strain, 0, s->stride * sizeof(double));
    s->gap = INFINITY;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t g = 0; g < subset_count(s, 0); ++g) {
            for (uint32_t h = side == 0 ? g : 0; h < subset_count(s, side); ++h) {
                const double gap = box_gap((const double(*)[3])s->subset_box[0][g],
                                           (const double(*)[3])s->subset_box[side][h]);
                if ((gap <= 0) != (pass == 0)) {
                    continue;
                }
                if (pass == 1 &&
                    subsets_harmless(s, subset_rows(s, 0, g), subset_rows(s, side, h), gap)) {
                    s->gap = fmin(s->gap, gap);
                } else if (!measure_subsets(s, side, g, h)) {
                    s->gap = 0;
                    return;
                }
            }
        }
    }
}
