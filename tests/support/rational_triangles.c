// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
#include "support/rational_triangles.h"

#include <string.h>

typedef mpq_t vector[3];

void rational_set_init(rational_set* set) {
    set->count = 0;
    for (int i = 0; i < 16; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpq_init(set->point[i][k]);
        }
    }
}

void rational_set_clear(rational_set* set) {
    for (int i = 0; i < 16; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpq_clear(set->point[i][k]);
        }
    }
}

static void vector_init(vector v) {
    for (int k = 0; k < 3; ++k) {
        mpq_init(v[k]);
    }
}

static void vector_clear(vector v) {
    for (int k = 0; k < 3; ++k) {
        mpq_clear(v[k]);
    }
}

static void vector_sub(vector out, const vector a, const vector b) {
    for (int k = 0; k < 3; ++k) {
        mpq_sub(out[k], a[k], b[k]);
    }
}

static bool vector_equal(const vector a, const vector b) {
    return mpq_equal(a[0], b[0]) && mpq_equal(a[1], b[1]) && mpq_equal(a[2], b[2]);
}

static bool vector_is_zero(const vector a) {
    return mpq_sgn(a[0]) == 0 && mpq_sgn(a[1]) == 0 && mpq_sgn(a[2]) == 0;
}

static void dot(mpq_t out, const vector a, const vector b) {
    mpq_t product;
    mpq_t sum;
    mpq_init(product);
    mpq_init(sum);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, a[k], b[k]);
        mpq_add(sum, sum, product);
    }
    mpq_swap(out, sum);
    mpq_clear(product);
    mpq_clear(sum);
}

static void cross(vector out, const vector a, const vector b) {
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        mpq_mul(out[k], a[i], b[j]);
        mpq_mul(product, a[j], b[i]);
        mpq_sub(out[k], out[k], product);
    }
    mpq_clear(product);
}

// scales both triangles by one power of two, so that all coordinates are integers and GMP is fast;
// returns its log
static mp_bitcnt_t read_pair(const double p[3][3], const double q[3][3], vector out[6]) {
    mp_bitcnt_t shift = 0;
    for (int i = 0; i < 6; ++i) {
        vector_init(out[i]);
        for (int k = 0; k < 3; ++k) {
            mpq_set_d(out[i][k], i < 3 ? p[i][k] : q[i - 3][k]);
            const mp_bitcnt_t bits = mpz_sizeinbase(mpq_denref(out[i][k]), 2) - 1;
            shift = bits > shift ? bits : shift;
        }
    }
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpq_mul_2exp(out[i][k], out[i][k], shift);
        }
    }
    return shift;
}

static void clear_pair(vector points[6]) {
    for (int i = 0; i < 6; ++i) {
        vector_clear(points[i]);
    }
}

static void add_point(rational_set* set, const vector x) {
    for (int k = 0; k < 3; ++k) {
        mpq_set(set->point[set->count][k], x[k]);
    }
    ++set->count;
}

static void drop_duplicates(rational_set* set) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; ++i) {
        bool seen = false;
        for (uint32_t j = 0; j < kept && !seen; ++j) {
            seen = vector_equal(set->point[i], set->point[j]);
        }
        if (!seen) {
            for (int k = 0; k < 3; ++k) {
                mpq_set(set->point[kept][k], set->point[i][k]);
            }
            ++kept;
        }
    }
    set->count = kept;
}

// keeps the part where (x - at) . normal >= 0: one step of Sutherland and Hodgman
static void clip(rational_set* set, const vector normal, const vector at) {
    mpq_t height[16];
    vector x;
    mpq_t t;
    vector_init(x);
    mpq_init(t);
    for (uint32_t i = 0; i < set->count; ++i) {
        mpq_init(height[i]);
        vector_sub(x, set->point[i], at);
        dot(height[i], x, normal);
    }
    static rational_set out;  // static, because making one costs more than clipping
    static bool ready = false;
    if (!ready) {
        rational_set_init(&out);
        ready = true;
    }
    out.count = 0;
    for (uint32_t i = 0; i < set->count; ++i) {
        const uint32_t j = (i + 1) % set->count;
        if (mpq_sgn(height[i]) >= 0) {
            add_point(&out, set->point[i]);
        }
        if (mpq_sgn(height[i]) * mpq_sgn(height[j]) < 0) {
            mpq_sub(t, height[i], height[j]);
            mpq_div(t, height[i], t);
            for (int k = 0; k < 3; ++k) {
                mpq_sub(x[k], set->point[j][k], set->point[i][k]);
                mpq_mul(x[k], x[k], t);
                mpq_add(x[k], x[k], set->point[i][k]);
            }
            add_point(&out, x);
        }
    }
    for (uint32_t i = 0; i < set->count; ++i) {
        mpq_clear(height[i]);
    }
    drop_duplicates(&out);
    const rational_set swap = *set;
    *set = out;
    out = swap;
    vector_clear(x);
    mpq_clear(t);
}

static void clip_both(rational_set* set, vector normal, const vector at) {
    clip(set, normal, at);
    for (int k = 0; k < 3; ++k) {
        mpq_neg(normal[k], normal[k]);
    }
    clip(set, normal, at);
}

static void clip_to_triangle(rational_set* set, const vector t[3], const vector n) {
    vector edge;
    vector inward;
    vector_init(edge);
    vector_init(inward);
    for (int k = 0; k < 3; ++k) {
        mpq_set(inward[k], n[k]);
    }
    clip_both(set, inward, t[0]);
    for (int i = 0; i < 3; ++i) {
        vector_sub(edge, t[(i + 1) % 3], t[i]);
        cross(inward, n, edge);
        clip(set, inward, t[i]);
    }
    vector_clear(edge);
    vector_clear(inward);
}

// clips to the longest edge of a triangle without area, or to its point
static void clip_to_segment(rational_set* set, const vector t[3]) {
    vector d;
    vector best;
    vector normal;
    mpq_t length;
    mpq_t longest;
    vector_init(d);
    vector_init(best);
    vector_init(normal);
    mpq_init(length);
    mpq_init(longest);
    int from = 0;
    for (int i = 0; i < 3; ++i) {
        vector_sub(d, t[(i + 1) % 3], t[i]);
        dot(length, d, d);
        if (mpq_cmp(length, longest) > 0) {
            mpq_set(longest, length);
            from = i;
            for (int k = 0; k < 3; ++k) {
                mpq_set(best[k], d[k]);
            }
        }
    }
    const bool is_point = mpq_sgn(longest) == 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 3; ++k) {
            mpq_set_ui(d[k], k == axis, 1);
        }
        if (is_point) {
            clip_both(set, d, t[0]);
        } else {
            cross(normal, best, d);
            clip_both(set, normal, t[from]);
        }
    }
    if (!is_point) {
        clip(set, best, t[from]);
        for (int k = 0; k < 3; ++k) {
            mpq_neg(best[k], best[k]);
        }
        clip(set, best, t[(from + 1) % 3]);
    }
    vector_clear(d);
    vector_clear(best);
    vector_clear(normal);
    mpq_clear(length);
    mpq_clear(longest);
}

// true if x is between a and b and differs from both
static bool is_between(const vector x, const vector a, const vector b) {
    vector u;
    vector v;
    vector n;
    mpq_t along;
    vector_init(u);
    vector_init(v);
    vector_init(n);
    mpq_init(along);
    vector_sub(u, a, x);
    vector_sub(v, b, x);
    cross(n, u, v);
    dot(along, u, v);
    const bool between = vector_is_zero(n) && mpq_sgn(along) < 0;
    vector_clear(u);
    vector_clear(v);
    vector_clear(n);
    mpq_clear(along);
    return between;
}

static void drop_inner_points(rational_set* set) {
    for (uint32_t i = 0; i < set->count;) {
        bool inner = false;
        for (uint32_t a = 0; a < set->count && !inner; ++a) {
            for (uint32_t b = a + 1; b < set->count && !inner; ++b) {
                inner = a != i && b != i && is_between(set->point[i], set->point[a], set->point[b]);
            }
        }
        if (!inner) {
            ++i;
            continue;
        }
        for (uint32_t j = i; j + 1 < set->count; ++j) {
            for (int k = 0; k < 3; ++k) {
                mpq_set(set->point[j][k], set->point[j + 1][k]);
            }
        }
        --set->count;
    }
}

void rational_intersection(const double p[3][3], const double q[3][3], rational_set* out) {
    vector t[6];
    const mp_bitcnt_t shift = read_pair(p, q, t);
    vector u;
    vector v;
    vector n;
    vector_init(u);
    vector_init(v);
    vector_init(n);
    vector_sub(u, t[1], t[0]);
    vector_sub(v, t[2], t[0]);
    cross(n, u, v);
    out->count = 0;
    for (int i = 3; i < 6; ++i) {
        add_point(out, t[i]);
    }
    drop_duplicates(out);
    if (vector_is_zero(n)) {
        clip_to_segment(out, t);
    } else {
        clip_to_triangle(out, t, n);
    }
    drop_inner_points(out);
    for (uint32_t i = 0; i < out->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            mpq_div_2exp(out->point[i][k], out->point[i][k], shift);
        }
    }
    vector_clear(u);
    vector_clear(v);
    vector_clear(n);
    clear_pair(t);
}

bool rational_beyond(const double p[3][3], const rational_set* shared, uint32_t mask) {
    if (mask == 7) {
        return false;  // the intersection lies in p
    }
    vector corner[2];
    uint32_t count = 0;
    for (int i = 0; i < 3; ++i) {
        if (mask >> i & 1) {
            vector_init(corner[count]);
            for (int k = 0; k < 3; ++k) {
                mpq_set_d(corner[count][k], p[i][k]);
            }
            ++count;
        }
    }
    bool beyond = false;
    for (uint32_t i = 0; i < shared->count && !beyond; ++i) {
        bool inside = vector_equal(shared->point[i], corner[0]);
        if (count == 2) {
            inside = inside || vector_equal(shared->point[i], corner[1]) ||
                     is_between(shared->point[i], corner[0], corner[1]);
        }
        beyond = !inside;
    }
    for (uint32_t i = 0; i < count; ++i) {
        vector_clear(corner[i]);
    }
    return beyond;
}

// Solves the n x n system (row-major, right side in column n) by elimination; false if singular.
static bool solve(mpq_t m[3][4], int n) {
    mpq_t t;
    mpq_init(t);
    bool regular = true;
    for (int i = 0; i < n && regular; ++i) {
        int pivot = i;
        while (pivot < n && mpq_sgn(m[pivot][i]) == 0) {
            ++pivot;
        }
        regular = pivot < n;
        for (int j = 0; j <= n && regular && pivot != i; ++j) {
            mpq_swap(m[pivot][j], m[i][j]);
        }
        for (int r = 0; r < n && regular; ++r) {
            if (r == i || mpq_sgn(m[r][i]) == 0) {
                continue;
            }
            mpq_t f;
            mpq_init(f);
            mpq_div(f, m[r][i], m[i][i]);
            for (int j = i; j <= n; ++j) {
                mpq_mul(t, f, m[i][j]);
                mpq_sub(m[r][j], m[r][j], t);
            }
            mpq_clear(f);
        }
    }
    for (int i = 0; i < n && regular; ++i) {
        mpq_div(m[i][n], m[i][n], m[i][i]);
    }
    mpq_clear(t);
    return regular;
}

// The distance between the affine hulls of the faces a of p and b of q (bit masks of corners), if
// it is attained at one pair of points, inside both faces. With x = p_0 + sum s_i e_i and
// y = q_0 + sum t_j f_j the least |x - y|^2 solves the normal equations of all directions.
static void face_distance_sq(vector t[6], int a, int b, mpq_t best, bool* any) {
    vector direction[3];
    vector w;
    mpq_t m[3][4];
    mpq_t value;
    int owner[3];
    int n = 0;
    int first[2] = {-1, -1};
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; i < 3; ++i) {
            if ((side == 0 ? a : b) >> i & 1) {
                if (first[side] < 0) {
                    first[side] = 3 * side + i;
                } else {
                    vector_init(direction[n]);
                    vector_sub(direction[n], t[3 * side + i], t[first[side]]);
                    if (side == 1) {
                        for (int k = 0; k < 3; ++k) {
                            mpq_neg(direction[n][k], direction[n][k]);
                        }
                    }
                    owner[n++] = side;
                }
            }
        }
    }
    vector_init(w);
    mpq_init(value);
    vector_sub(w, t[first[0]], t[first[1]]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            mpq_init(m[i][j]);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            dot(m[i][j], direction[i], direction[j]);
        }
        dot(m[i][n], direction[i], w);
        mpq_neg(m[i][n], m[i][n]);
    }
    bool good = solve(m, n);
    for (int side = 0; side < 2 && good; ++side) {
        mpq_set_ui(value, 0, 1);
        for (int i = 0; i < n; ++i) {
            if (owner[i] == side) {
                good = good && mpq_sgn(m[i][n]) >= 0;
                mpq_add(value, value, m[i][n]);
            }
        }
        good = good && mpq_cmp_ui(value, 1, 1) <= 0;
    }
    if (good) {
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < 3; ++k) {
                mpq_mul(value, m[i][n], direction[i][k]);
                mpq_add(w[k], w[k], value);
            }
        }
        dot(value, w, w);
        if (!*any || mpq_cmp(value, best) < 0) {
            mpq_set(best, value);
            *any = true;
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            mpq_clear(m[i][j]);
        }
    }
    for (int i = 0; i < n; ++i) {
        vector_clear(direction[i]);
    }
    vector_clear(w);
    mpq_clear(value);
}

void rational_distance_sq(const double p[3][3], const double q[3][3], mpq_t out) {
    vector t[6];
    const mp_bitcnt_t shift = read_pair(p, q, t);
    bool any = false;
    for (int a = 1; a < 8; ++a) {
        for (int b = 1; b < 8; ++b) {
            // a pair of closest points on the smallest faces makes a regular system, so at most
            // three unknowns
            if (!(a == 7 && b == 7)) {
                face_distance_sq(t, a, b, out, &any);
            }
        }
    }
    mpq_div_2exp(out, out, 2 * shift);
    clear_pair(t);
}

void rational_feature_distance_sq(const double corner[4][3], bool edges, mpq_t out) {
    double p[3][3];
    double q[3][3];
    for (int i = 0; i < 3; ++i) {
        memcpy(p[i], corner[edges && i > 0 ? 1 : 0], sizeof p[i]);
        memcpy(q[i], corner[edges ? (i > 0 ? 3 : 2) : 1 + i], sizeof q[i]);
    }
    vector t[6];
    const mp_bitcnt_t shift = read_pair((const double(*)[3])p, (const double(*)[3])q, t);
    bool any = false;
    for (int a = 1; a < (edges ? 4 : 2); ++a) {
        for (int b = 1; b < (edges ? 4 : 8); ++b) {
            face_distance_sq(t, a, b, out, &any);
        }
    }
    mpq_div_2exp(out, out, 2 * shift);
    clear_pair(t);
}

int rational_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double p[3][3];
    double q[3][3];
    memcpy(p[0], a, sizeof p[0]);
    memcpy(p[1], b, sizeof p[1]);
    memcpy(p[2], c, sizeof p[2]);
    for (int i = 0; i < 3; ++i) {
        memcpy(q[i], d, sizeof q[i]);
    }
    vector t[6];
    vector n;
    mpq_t value;
    (void)read_pair(p, q, t);
    vector_init(n);
    mpq_init(value);
    vector_sub(t[1], t[1], t[0]);
    vector_sub(t[2], t[2], t[0]);
    vector_sub(t[3], t[3], t[0]);
    cross(n, t[1], t[2]);
    dot(value, n, t[3]);
    const int sign = mpq_sgn(value);
    mpq_clear(value);
    vector_clear(n);
    clear_pair(t);
    return sign;
}

int rational_orient2d(const double a[3], const double b[3], const double c[3], int axis) {
    double up[3];
    memcpy(up, a, sizeof up);
    // along the axis by any amount: the volume is that of the projected triangle
    up[axis] = a[axis] == 0.0 ? 1.0 : 0.0;
    const int sign = rational_orient3d(a, b, c, up);
    return up[axis] > a[axis] ? sign : -sign;
}
