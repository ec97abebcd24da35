// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/feature_oracle.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/rational_triangles.h"

// ---- one pair

// whether a gap along an axis is greater than the margin; rounding preserves order
static bool axis_separates(const double corner[4][3], bool edges, double margin) {
    for (int d = 0; d < 3; ++d) {
        double lo[2] = {INFINITY, INFINITY};
        double hi[2] = {-INFINITY, -INFINITY};
        for (int i = 0; i < 4; ++i) {
            const int side = i < (edges ? 2 : 1) ? 0 : 1;
            lo[side] = fmin(lo[side], corner[i][d]);
            hi[side] = fmax(hi[side], corner[i][d]);
        }
        if (lo[0] - hi[1] > margin || lo[1] - hi[0] > margin) {
            return true;
        }
    }
    return false;
}

// the sign of x^2 - square, for x >= 0
static int compare_square(double x, mpq_t square) {
    if (isinf(x)) {
        return 1;
    }
    mpq_t own;
    mpq_init(own);
    mpq_set_d(own, x);
    mpq_mul(own, own, own);
    const int order = mpq_cmp(own, square);
    mpq_clear(own);
    return order;
}

// the greatest double whose square is at most `square`
static double root_below(mpq_t square) {
    long exponent = 0;
    mpq_t part;
    mpq_init(part);
    // mpq_get_d() would overflow or underflow where the root does not
    const long bits = (long)mpz_sizeinbase(mpq_numref(square), 2) -
                      (long)mpz_sizeinbase(mpq_denref(square), 2);
    exponent = bits / 2;
    mpq_set(part, square);
    if (exponent > 0) {
        mpq_div_2exp(part, part, (mp_bitcnt_t)(2 * exponent));
    } else {
        mpq_mul_2exp(part, part, (mp_bitcnt_t)(-2 * exponent));
    }
    double x = ldexp(sqrt(mpq_get_d(part)), (int)exponent);
    mpq_clear(part);
    x = isinf(x) ? 0x1.fffffffffffffp1023 : x;
    while (compare_square(x, square) > 0) {
        x = nextafter(x, 0);
    }
    while (x < 0x1.fffffffffffffp1023 && compare_square(nextafter(x, INFINITY), square) <= 0) {
        x = nextafter(x, INFINITY);
    }
    return x;
}

double feature_distance(const double corner[4][3], bool edges) {
    mpq_t square;
    mpq_init(square);
    rational_feature_distance_sq(corner, edges, square);
    const double distance = root_below(square);
    mpq_clear(square);
    return distance;
}

// ---- all pairs

static void add(near_list* list, const near_feature* f) {
    if (list->count == list->room) {
        list->room = 2 * list->room + 64;
        list->all = realloc(list->all, list->room * sizeof *list->all);
        assert_non_null(list->all);
    }
    list->all[list->count++] = *f;
}

static void load(const snapshot* p, uint32_t vertex, double out[3]) {
    memcpy(out, p->xyz[1] + 3 * (size_t)vertex, 3 * sizeof *out);
}

// adds a pair whose corners are set, if it is near enough and its triangles count
static void try_pair(const snapshot* a, const snapshot* b, bool edges, near_keeps keeps,
                     near_feature* f, near_list* out) {
    const uint32_t* t = f->triangle;
    const bool turned = a == b && t[0] > t[1];
    if (axis_separates((const double(*)[3])f->corner, edges, f->margin) ||
        (keeps != NULL && !keeps(t[turned ? 1 : 0], t[turned ? 0 : 1]))) {
        return;
    }
    f->body[0] = a->body.index;
    f->body[1] = b->body.index;
    mpq_t square;
    mpq_init(square);
    rational_feature_distance_sq((const double(*)[3])f->corner, edges, square);
    if (compare_square(f->margin, square) >= 0) {
        f->distance = root_below(square);
        f->touches = mpq_sgn(square) == 0;
        add(out, f);
    }
    mpq_clear(square);
}

static bool same_class(const uint32_t* classes, uint32_t a, uint32_t b) {
    return a == b || (classes != NULL && classes[a] == classes[b]);
}

// vertices of v against faces of f; swapped: f is body a
static void vertices_and_faces(const snapshot* v, const snapshot* f, bool swapped,
                               const uint32_t* classes, double margin, near_keeps keeps,
                               near_list* out) {
    for (uint32_t i = 0; i < v->s->vertex_count; ++i) {
        if (v->vertex_triangle[i] == UINT32_MAX) {
            continue;
        }
        for (uint32_t t = 0; t < f->s->triangle_count; ++t) {
            const uint32_t* corner = f->s->triangles + 3 * (size_t)t;
            if (v == f && (same_class(classes, corner[0], i) || same_class(classes, corner[1], i) ||
                           same_class(classes, corner[2], i))) {
                continue;
            }
            near_feature pair = {.kind = swapped ? ABUT_CONTACT_FACE_VERTEX
                                                 : ABUT_CONTACT_VERTEX_FACE};
            pair.feature[swapped ? 1 : 0] = (uint64_t)i << 32 | UINT32_MAX;
            pair.feature[swapped ? 0 : 1] = t;
            pair.triangle[swapped ? 1 : 0] = v->vertex_triangle[i];
            pair.triangle[swapped ? 0 : 1] = t;
            load(v, i, pair.corner[0]);
            for (int k = 0; k < 3; ++k) {
                load(f, corner[k], pair.corner[1 + k]);
            }
            pair.margin = margin +
                          (snapshot_thickness(v, &i, 1) + snapshot_thickness(f, corner, 3));
            try_pair(swapped ? f : v, swapped ? v : f, false, keeps, &pair, out);
        }
    }
}

static uint64_t edge_key(const snapshot* p, uint32_t e) {
    return (uint64_t)p->edges[e][0] << 32 | p->edges[e][1];
}

static void edges_and_edges(const snapshot* a, const snapshot* b, const uint32_t* classes,
                            double margin, near_keeps keeps, near_list* out) {
    for (uint32_t i = 0; i < a->edge_count; ++i) {
        for (uint32_t j = 0; j < b->edge_count; ++j) {
            const uint32_t* e = a->edges[i];
            const uint32_t* f = b->edges[j];
            if (e[0] == e[1] || f[0] == f[1]) {
                continue;
            }
            if (a == b && (edge_key(a, i) >= edge_key(a, j) || same_class(classes, e[0], f[0]) ||
                           same_class(classes, e[0], f[1]) || same_class(classes, e[1], f[0]) ||
                           same_class(classes, e[1], f[1]))) {
                continue;
            }
            near_feature pair = {.kind = ABUT_CONTACT_EDGE_EDGE,
                                 .feature = {edge_key(a, i), edge_key(b, j)},
                                 .triangle = {a->edge_triangle[i], b->edge_triangle[j]}};
            for (int k = 0; k < 2; ++k) {
                load(a, e[k], pair.corner[k]);
                load(b, f[k], pair.corner[2 + k]);
            }
            pair.margin = margin + (snapshot_thickness(a, e, 2) + snapshot_thickness(b, f, 2));
            try_pair(a, b, true, keeps, &pair, out);
        }
    }
}

void near_features(const snapshot* a, const snapshot* b, const uint32_t* classes, double margin,
                   near_keeps keeps, near_list* out) {
    vertices_and_faces(a, b, false, classes, margin, keeps, out);
    if (a != b) {
        vertices_and_faces(b, a, true, classes, margin, keeps, out);
    }
    edges_and_edges(a, b, classes, margin, keeps, out);
}

// ---- comparison

static int compare(const void* x, const void* y) {
    const near_feature* p = x;
    const near_feature* q = y;
    const uint64_t keys[5][2] = {{p->body[0], q->body[0]},
                                 {p->body[1], q->body[1]},
                                 {p->kind, q->kind},
                                 {p->feature[0], q->feature[0]},
                                 {p->feature[1], q->feature[1]}};
    for (int i = 0; i < 5; ++i) {
        if (keys[i][0] != keys[i][1]) {
            return keys[i][0] < keys[i][1] ? -1 : 1;
        }
    }
    return 0;
}

static uint64_t feature_of(const abut_feature_pair* p, int side) {
    const uint32_t* v = side == 0 ? p->vertices_a : p->vertices_b;
    const bool face = p->kind == (side == 0 ? ABUT_CONTACT_FACE_VERTEX : ABUT_CONTACT_VERTEX_FACE);
    return face ? (side == 0 ? p->triangle_a : p->triangle_b) : (uint64_t)v[0] << 32 | v[1];
}

static double extent_of(const near_feature* f) {
    double extent = 0;
    for (int d = 0; d < 3; ++d) {
        double lo = f->corner[0][d];
        double hi = lo;
        for (int i = 1; i < 4; ++i) {
            lo = fmin(lo, f->corner[i][d]);
            hi = fmax(hi, f->corner[i][d]);
        }
        extent = fmax(extent, hi - lo);
    }
    return extent;
}

// weights are those of the named part, and sum to 1
static void check_weights(const double w[3], abut_feature part) {
    const int count = (w[0] != 0) + (w[1] != 0) + (w[2] != 0);
    REQUIRE(count == (part == ABUT_FEATURE_VERTEX ? 1 : part == ABUT_FEATURE_EDGE ? 2 : 3));
    for (int i = 0; i < 3; ++i) {
        REQUIRE(w[i] >= 0 && w[i] <= 1);
    }
    REQUIRE(fabs(w[0] + w[1] + w[2] - 1) <= 0x1p-50);
}

// The weights give points at the distance; the normal is along their difference, from b to a, where
// doubles can tell. Distances within rounding of the extent are left out.
static void check_points(const near_feature* f, const abut_feature_pair* row, bool in_place) {
    const bool swapped = f->kind == ABUT_CONTACT_FACE_VERTEX;
    const double* wa = swapped ? row->weights_b : row->weights_a;
    const double* wb = swapped ? row->weights_a : row->weights_b;
    const int first = f->kind == ABUT_CONTACT_EDGE_EDGE ? 2 : 1;
    const double extent = extent_of(f);
    if (!(extent > 1e-100 && extent < 1e100)) {
        return;
    }
    double difference[3];
    double far = 0;
    for (int d = 0; d < 3; ++d) {
        difference[d] = 0;
        for (int i = 0; i < 4; ++i) {
            const double x = f->corner[i][d] - f->corner[0][d];
            difference[d] += i < first ? wa[i] * x : -wb[i - first] * x;
            far = fmax(far, fabs(f->corner[i][d]));
        }
    }
    const double error = 0x1p-44 * extent + 0x1p-50 * far;
    const double length = sqrt(difference[0] * difference[0] + difference[1] * difference[1] +
                               difference[2] * difference[2]);
    REQUIRE(fabs(length - sqrt(row->distance_sq)) <= error);
    const double* n = row->normal;
    const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const bool may_vanish = sqrt(row->distance_sq) < 0x1p-48 * extent;
    REQUIRE((may_vanish && size == 0) || fabs(size - 1) < 0x1p-40);
    if (in_place && length > 0x1p-20 * extent + 0x1p-30 * far) {
        const double along = (swapped ? -1 : 1) *
                             (n[0] * difference[0] + n[1] * difference[1] + n[2] * difference[2]);
        REQUIRE(along > length * (1 - 0x1p-16));
    }
}

static void check_row(const near_feature* f, const abut_feature_pair* row, bool in_place) {
    REQUIRE(row->triangle_a == f->triangle[0] && row->triangle_b == f->triangle[1]);
    const double extent = extent_of(f);
    const double got = sqrt(row->distance_sq);
    REQUIRE((row->distance_sq == 0) == f->touches);
    REQUIRE(got <= f->margin * (1 + 0x1p-24));
    if (f->distance > 1e-150 && f->distance < 1e150) {
        REQUIRE(fabs(got - f->distance) <=
                fmin(0x1p-45 * extent, 0x1p-25 * f->distance) + 0x1p-51 * f->distance);
    }
    check_weights(row->weights_a, row->closest_a);
    check_weights(row->weights_b, row->closest_b);
    check_points(f, row, in_place);
}

void require_features(const abut_features_result* result, near_list* wanted, double margin) {
    size_t count = 0;
    const abut_feature_pair* rows = abut_features_result_pairs(result, &count);
    if (wanted->count > 1) {
        qsort(wanted->all, wanted->count, sizeof *wanted->all, compare);
    }
    for (size_t i = 0; i < count || i < wanted->count; ++i) {
        near_feature got = {0};
        if (i < count) {
            got = (near_feature){.body = {rows[i].body_a, rows[i].body_b},
                                 .kind = (uint32_t)rows[i].kind,
                                 .feature = {feature_of(&rows[i], 0), feature_of(&rows[i], 1)}};
        }
        const int order = i >= count ? 1 : i >= wanted->count ? -1 : compare(&got, &wanted->all[i]);
        if (order != 0) {
            const near_feature* p = order < 0 ? &got : &wanted->all[i];
            fail_msg("%s: %zu pairs, not %zu; %s: kind %u, features %llx %llx at %a, margin %a",
                     where_text(), count, wanted->count, order < 0 ? "too many" : "missing",
                     p->kind, (unsigned long long)p->feature[0], (unsigned long long)p->feature[1],
                     p->distance, margin);
        }
        check_row(&wanted->all[i], &rows[i], wanted->in_place);
    }
    REQUIRE(abut_features_result_found(result) == (count > 0));
}
