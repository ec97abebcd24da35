// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
#include "support/rays.h"

#include <math.h>
#include <stdlib.h>

typedef mpq_t vector[3];

static void init(vector v) {
    for (int k = 0; k < 3; ++k) {
        mpq_init(v[k]);
    }
}

static void clear(vector v) {
    for (int k = 0; k < 3; ++k) {
        mpq_clear(v[k]);
    }
}

static void set(vector v, const double x[3]) {
    for (int k = 0; k < 3; ++k) {
        mpq_set_d(v[k], x[k]);
    }
}

static void sub(vector out, const vector a, const vector b) {
    for (int k = 0; k < 3; ++k) {
        mpq_sub(out[k], a[k], b[k]);
    }
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
    mpq_set(out, sum);
    mpq_clear(product);
    mpq_clear(sum);
}

static void cross(vector out, const vector a, const vector b) {
    mpq_t x;
    mpq_t y;
    vector w;
    mpq_init(x);
    mpq_init(y);
    init(w);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(x, a[(k + 1) % 3], b[(k + 2) % 3]);
        mpq_mul(y, a[(k + 2) % 3], b[(k + 1) % 3]);
        mpq_sub(w[k], x, y);
    }
    for (int k = 0; k < 3; ++k) {
        mpq_set(out[k], w[k]);
    }
    mpq_clear(x);
    mpq_clear(y);
    clear(w);
}

static bool is_zero(const vector v) {
    return mpq_sgn(v[0]) == 0 && mpq_sgn(v[1]) == 0 && mpq_sgn(v[2]) == 0;
}

// out = o + t d
static void along(vector out, const vector o, const mpq_t t, const vector d) {
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(product, t, d[k]);
        mpq_add(out[k], o[k], product);
    }
    mpq_clear(product);
}

// An interval of t; empty if lo > hi.
typedef struct range {
    mpq_t lo;
    mpq_t hi;
    bool has_hi;
    bool empty;
} range;

// keeps the t at which f + t g >= 0
static void keep(range* r, const mpq_t f, const mpq_t g) {
    mpq_t at;
    mpq_init(at);
    if (mpq_sgn(g) == 0) {
        r->empty = r->empty || mpq_sgn(f) < 0;
    } else {
        mpq_div(at, f, g);
        mpq_neg(at, at);
        if (mpq_sgn(g) > 0 && mpq_cmp(at, r->lo) > 0) {
            mpq_set(r->lo, at);
        }
        if (mpq_sgn(g) < 0 && (!r->has_hi || mpq_cmp(at, r->hi) < 0)) {
            mpq_set(r->hi, at);
            r->has_hi = true;
        }
    }
    mpq_clear(at);
}

// keeps the t at which f + t g == 0
static void keep_zero(range* r, const mpq_t f, const mpq_t g) {
    mpq_t less[2];
    mpq_init(less[0]);
    mpq_init(less[1]);
    mpq_neg(less[0], f);
    mpq_neg(less[1], g);
    keep(r, f, g);
    keep(r, less[0], less[1]);
    mpq_clear(less[0]);
    mpq_clear(less[1]);
}

// Keeps the t at which (o + t d - p) . v satisfies >= 0, or == 0.
static void keep_along(range* r, const vector o, const vector d, const vector p, const vector v,
                       bool zero) {
    vector w;
    mpq_t f;
    mpq_t g;
    init(w);
    mpq_init(f);
    mpq_init(g);
    sub(w, o, p);
    dot(f, w, v);
    dot(g, d, v);
    if (zero) {
        keep_zero(r, f, g);
    } else {
        keep(r, f, g);
    }
    clear(w);
    mpq_clear(f);
    mpq_clear(g);
}

// the half-planes of a triangle with the normal n, and its plane
static void keep_triangle(range* r, const vector o, const vector d, vector p[3], const vector n) {
    vector edge;
    vector inward;
    init(edge);
    init(inward);
    keep_along(r, o, d, p[0], n, true);
    for (int i = 0; i < 3; ++i) {
        sub(edge, p[(i + 1) % 3], p[i]);
        cross(inward, n, edge);
        keep_along(r, o, d, p[i], inward, false);
    }
    clear(edge);
    clear(inward);
}

// the segment or point that corners on one line span
static void keep_segment(range* r, const vector o, const vector d, vector p[3]) {
    vector e;
    vector w;
    int a = 0;
    int b = 0;
    init(e);
    init(w);
    for (int k = 0; k < 3; ++k) {  // the two corners that differ most along some axis
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                if (mpq_cmp(p[i][k], p[j][k]) < 0 && (a == b || (mpq_cmp(p[i][k], p[a][k]) <= 0 &&
                                                                 mpq_cmp(p[j][k], p[b][k]) >= 0))) {
                    a = i;
                    b = j;
                }
            }
        }
        if (a != b) {
            break;
        }
    }
    sub(e, p[b], p[a]);
    for (int k = 0; k < 3; ++k) {  // x - a is parallel to e: two products with axes suffice, all do
        vector axis;
        init(axis);
        mpq_set_si(axis[k], 1, 1);
        if (is_zero(e)) {
            keep_along(r, o, d, p[a], axis, true);
        } else {
            cross(w, e, axis);
            keep_along(r, o, d, p[a], w, true);
        }
        clear(axis);
    }
    keep_along(r, o, d, p[a], e, false);
    for (int k = 0; k < 3; ++k) {
        mpq_neg(e[k], e[k]);
    }
    keep_along(r, o, d, p[b], e, false);
    clear(e);
    clear(w);
}

static void set_weights(const vector o, const vector d, const mpq_t t, vector p[3], const vector n,
                        mpq_t weights[3]) {
    vector x;
    vector edge;
    mpq_t all;
    init(x);
    init(edge);
    mpq_init(all);
    along(x, o, t, d);
    dot(all, n, n);
    for (int i = 0; i < 3; ++i) {
        vector from;
        init(from);
        sub(edge, p[(i + 2) % 3], p[(i + 1) % 3]);
        sub(from, x, p[(i + 1) % 3]);
        cross(edge, edge, from);
        dot(weights[i], edge, n);
        mpq_div(weights[i], weights[i], all);
        clear(from);
    }
    clear(x);
    clear(edge);
    mpq_clear(all);
}

bool ray_meets(const ray_case* ray, const double triangle[3][3], mpq_t t, int* side,
               mpq_t weights[3]) {
    vector o;
    vector d;
    vector p[3];
    vector u;
    vector n;
    mpq_t slope;
    range r = {.has_hi = isfinite(ray->tmax)};
    mpq_init(r.lo);
    mpq_init(r.hi);
    mpq_init(slope);
    init(o);
    init(d);
    init(u);
    init(n);
    set(o, ray->o);
    set(d, ray->d);
    if (ray->to_end) {
        sub(d, d, o);
    }
    for (int i = 0; i < 3; ++i) {
        init(p[i]);
        set(p[i], triangle[i]);
    }
    mpq_set_d(r.lo, ray->tmin);
    if (r.has_hi) {
        mpq_set_d(r.hi, ray->tmax);
    }
    sub(u, p[1], p[0]);
    sub(n, p[2], p[0]);
    cross(n, u, n);
    const bool area = !is_zero(n);
    if (area) {
        keep_triangle(&r, o, d, p, n);
    } else {
        keep_segment(&r, o, d, p);
    }
    const bool meets = ray->tmin <= ray->tmax && !r.empty &&
                       (!r.has_hi || mpq_cmp(r.lo, r.hi) <= 0);
    dot(slope, d, n);
    if (side != NULL) {
        *side = mpq_sgn(slope);
    }
    mpq_set(t, r.lo);
    if (meets && weights != NULL && mpq_sgn(slope) != 0) {
        set_weights(o, d, t, p, n, weights);
    }
    for (int i = 0; i < 3; ++i) {
        clear(p[i]);
    }
    clear(o);
    clear(d);
    clear(u);
    clear(n);
    mpq_clear(slope);
    mpq_clear(r.lo);
    mpq_clear(r.hi);
    return meets;
}

// ---- all triangles

void ray_corners(const abut_scene* scene, abut_body_id body, uint32_t triangle, double out[3][3]) {
    const uint32_t* ids = abut_mesh_triangles(abut_shape_mesh(abut_body_shape(scene, body))) +
                          3 * (size_t)triangle;
    for (int c = 0; c < 3; ++c) {
        REQUIRE_OK(abut_body_world_vertex(scene, body, ids[c], out[c], NULL));
    }
}

static void push(ray_list* list, uint32_t body, uint32_t triangle, int side, const mpq_t t) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 8;
        list->all = realloc(list->all, list->capacity * sizeof *list->all);
        REQUIRE(list->all != NULL);
    }
    ray_answer* place = &list->all[list->count++];
    place->body = body;
    place->triangle = triangle;
    place->side = side;
    mpq_init(place->t);
    mpq_set(place->t, t);
}

static int compare(const void* x, const void* y) {
    const ray_answer* a = x;
    const ray_answer* b = y;
    const int order = mpq_cmp(a->t, b->t);
    return order != 0                  ? order
           : a->body != b->body        ? (a->body < b->body ? -1 : 1)
           : a->triangle < b->triangle ? -1
                                       : a->triangle > b->triangle;
}

static void add_body(ray_list* list, const abut_scene* scene, abut_body_id body,
                     const ray_case* ray) {
    mpq_t t;
    mpq_init(t);
    const size_t count = abut_mesh_triangle_count(abut_shape_mesh(abut_body_shape(scene, body)));
    for (uint32_t i = 0; i < count; ++i) {
        double corners[3][3];
        int side;
        ray_corners(scene, body, i, corners);
        if (ray_meets(ray, (const double(*)[3])corners, t, &side, NULL)) {
            push(list, body.index, i, side, t);
        }
    }
    mpq_clear(t);
}

ray_list rays_all(const abut_scene* scene, const abut_body_id* body, const ray_case* ray,
                  bool (*meet)(uint32_t body)) {
    ray_list list = {0};
    if (body != NULL) {
        add_body(&list, scene, *body, ray);
    }
    for (uint32_t i = 0; body == NULL && i < abut_scene_body_limit(scene); ++i) {
        const abut_body_id id = abut_scene_body_at(scene, i);
        if (abut_body_is_valid(scene, id) && (meet == NULL || meet(i))) {
            add_body(&list, scene, id, ray);
        }
    }
    if (list.count > 0) {
        qsort(list.all, list.count, sizeof *list.all, compare);
    }
    return list;
}

void rays_free(ray_list* list) {
    for (size_t i = 0; i < list->count; ++i) {
        mpq_clear(list->all[i].t);
    }
    free(list->all);
}

// ---- rows

// whether |x - exact| <= 2^-40 |exact| (or 2^-30, if absolute) + 2^-1060
static bool is_near(double x, const mpq_t exact, bool absolute) {
    mpq_t gap;
    mpq_t bound;
    mpq_t tiny;
    mpq_init(gap);
    mpq_init(bound);
    mpq_init(tiny);
    mpq_set_d(gap, x);
    mpq_sub(gap, gap, exact);
    mpq_abs(gap, gap);
    if (absolute) {
        mpq_set_ui(bound, 1, 1);
    } else {
        mpq_abs(bound, exact);
    }
    mpq_div_2exp(bound, bound, absolute ? 30 : 40);
    mpq_set_ui(tiny, 1, 1);
    mpq_div_2exp(tiny, tiny, 1060);
    mpq_add(bound, bound, tiny);
    const bool near = mpq_cmp(gap, bound) <= 0;
    mpq_clear(gap);
    mpq_clear(bound);
    mpq_clear(tiny);
    return near;
}

static bool is_huge(const mpq_t t) {
    mpq_t limit;
    mpq_init(limit);
    mpq_set_d(limit, 1.7e308);
    const bool huge = mpq_cmp(t, limit) > 0;
    mpq_clear(limit);
    return huge;
}

void ray_check_hit(const abut_scene* scene, const ray_case* ray, const abut_ray_hit* hit,
                   const ray_answer* wanted) {
    mpq_t t;
    mpq_t weights[3];
    double corners[3][3];
    int side;
    mpq_init(t);
    for (int i = 0; i < 3; ++i) {
        mpq_init(weights[i]);
    }
    REQUIRE(hit->body == wanted->body);
    REQUIRE(hit->triangle == wanted->triangle);
    ray_corners(scene, abut_scene_body_at(scene, hit->body), hit->triangle, corners);
    REQUIRE(ray_meets(ray, (const double(*)[3])corners, t, &side, weights));
    REQUIRE(hit->side == (side < 0   ? ABUT_RAY_SIDE_FRONT
                          : side > 0 ? ABUT_RAY_SIDE_BACK
                                     : ABUT_RAY_SIDE_EDGE_ON));
    if (isinf(hit->t)) {
        REQUIRE(is_huge(t));
    } else {
        REQUIRE(is_near(hit->t, t, false));
    }
    for (int i = 0; i < 3; ++i) {
        REQUIRE(hit->weights[i] >= 0 && hit->weights[i] <= 1);
        if (side != 0) {
            REQUIRE(is_near(hit->weights[i], weights[i], true));
            REQUIRE(mpq_sgn(weights[i]) != 0 || hit->weights[i] == 0);
        }
        mpq_clear(weights[i]);
    }
    mpq_clear(t);
}
