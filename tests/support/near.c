// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests all pairs, one by one. The plain distance is based on: Ericson, "Real-Time Collision
// Detection" (2005), 5.1.5 and 5.1.9.

#include "support/near.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/judge.h"

typedef long double real;
typedef struct vec {
    real x[3];
} vec;

static vec vec_of(const double p[3]) {
    return (vec){{(real)p[0], (real)p[1], (real)p[2]}};
}
static vec sub(vec a, vec b) {
    return (vec){{a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2]}};
}
static vec along(vec a, vec u, real s) {
    return (vec){{a.x[0] + s * u.x[0], a.x[1] + s * u.x[1], a.x[2] + s * u.x[2]}};
}
static real dot(vec a, vec b) {
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}
static real clamp(real s) {
    return s > 0 ? (s < 1 ? s : 1) : 0;
}
static real distance_of(vec a, vec b) {
    const vec d = sub(a, b);
    return sqrtl(dot(d, d));
}

static real point_segment(vec p, vec a, vec b) {
    const vec u = sub(b, a);
    const real uu = dot(u, u);
    const real s = uu > 0 ? clamp(dot(sub(p, a), u) / uu) : 0;
    return distance_of(p, along(a, u, s));
}

// the region of the plane that contains the foot determines the feature
static real point_triangle(vec p, vec a, vec b, vec c) {
    const vec ab = sub(b, a);
    const vec ac = sub(c, a);
    const real d1 = dot(ab, sub(p, a));
    const real d2 = dot(ac, sub(p, a));
    const real d3 = dot(ab, sub(p, b));
    const real d4 = dot(ac, sub(p, b));
    const real d5 = dot(ab, sub(p, c));
    const real d6 = dot(ac, sub(p, c));
    const real vc = d1 * d4 - d3 * d2;
    const real vb = d5 * d2 - d1 * d6;
    const real va = d3 * d6 - d5 * d4;
    if (va > 0 && vb > 0 && vc > 0) {
        const real sum = va + vb + vc;
        return distance_of(p, along(along(a, ab, vb / sum), ac, vc / sum));
    }
    const real e = fminl(point_segment(p, a, b), point_segment(p, b, c));
    return fminl(e, point_segment(p, c, a));
}

static real segment_segment(vec a, vec b, vec c, vec d) {
    real best = fminl(fminl(point_segment(a, c, d), point_segment(b, c, d)),
                      fminl(point_segment(c, a, b), point_segment(d, a, b)));
    const vec u = sub(b, a);
    const vec v = sub(d, c);
    const vec w = sub(a, c);
    const real uu = dot(u, u);
    const real vv = dot(v, v);
    const real uv = dot(u, v);
    const real det = uu * vv - uv * uv;
    if (det > 0) {
        const real s = (uv * dot(v, w) - vv * dot(u, w)) / det;
        const real t = (uu * dot(v, w) - uv * dot(u, w)) / det;
        if (s > 0 && s < 1 && t > 0 && t < 1) {
            best = fminl(best, distance_of(along(a, u, s), along(c, v, t)));
        }
    }
    return best;
}

double plain_distance(const double p[3][3], const double q[3][3]) {
    vec a[3];
    vec b[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = vec_of(p[i]);
        b[i] = vec_of(q[i]);
    }
    real best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        best = fminl(best, point_triangle(a[i], b[0], b[1], b[2]));
        best = fminl(best, point_triangle(b[i], a[0], a[1], a[2]));
        for (int j = 0; j < 3; ++j) {
            best = fminl(best, segment_segment(a[i], a[(i + 1) % 3], b[j], b[(j + 1) % 3]));
        }
    }
    return (double)best;
}

static bool same_frame(const abut_scene* scene, abut_body_id a, abut_body_id b) {
    const abut_frame f = abut_body_frame(scene, a);
    const abut_frame g = abut_body_frame(scene, b);
    return memcmp(&f, &g, sizeof f) == 0;
}

static const abut_mesh* mesh_of(const abut_scene* scene, abut_body_id body) {
    return abut_shape_mesh(abut_body_shape(scene, body));
}

void query_corners(const abut_scene* scene, abut_body_id body, abut_body_id other,
                   uint32_t triangle, double out[3][3]) {
    const uint32_t* ids = abut_mesh_triangles(mesh_of(scene, body)) + 3 * (size_t)triangle;
    const bool in_shape = body.index == other.index || same_frame(scene, body, other);
    for (int i = 0; i < 3; ++i) {
        REQUIRE_OK(in_shape ? abut_body_vertex(scene, body, ids[i], out[i], NULL)
                            : abut_body_world_vertex(scene, body, ids[i], out[i], NULL));
    }
}

// all triangles of a body in the coordinates of a query with another body
typedef struct corners {
    uint32_t count;
    bool* alive;
    double (*xyz)[3][3];
} corners;

static corners corners_make(const abut_scene* scene, abut_body_id body, abut_body_id other) {
    const abut_mesh* mesh = mesh_of(scene, body);
    const uint32_t count = abut_mesh_triangle_count(mesh);
    corners c = {count, test_alloc(count, sizeof(bool)), test_alloc(count, sizeof *c.xyz)};
    for (uint32_t t = 0; t < count; ++t) {
        c.alive[t] = abut_mesh_triangles(mesh)[3 * (size_t)t] != UINT32_MAX;
        if (c.alive[t]) {
            query_corners(scene, body, other, t, c.xyz[t]);
        }
    }
    return c;
}

static void corners_free(corners* c) {
    free(c->alive);
    free(c->xyz);
}

// the thickness of a triangle: of its thickest vertex
static double thickness_of(const abut_scene* scene, abut_body_id body, uint32_t triangle) {
    const uint32_t* ids = abut_mesh_triangles(mesh_of(scene, body)) + 3 * (size_t)triangle;
    return fmax(fmax(abut_body_vertex_thickness(scene, body, ids[0]),
                     abut_body_vertex_thickness(scene, body, ids[1])),
                abut_body_vertex_thickness(scene, body, ids[2]));
}

static bool share_class(const abut_mesh* mesh, uint32_t a, uint32_t b) {
    const uint32_t* x = abut_mesh_triangles(mesh) + 3 * (size_t)a;
    const uint32_t* y = abut_mesh_triangles(mesh) + 3 * (size_t)b;
    const uint32_t* classes = abut_mesh_classes(mesh);
    for (int i = 0; i < 9; ++i) {
        if (classes[x[i / 3]] == classes[y[i % 3]]) {
            return true;
        }
    }
    return false;
}

// true if a distance pair comes before another one of the same body or triangle
static bool comes_before(const abut_distance_pair* x, const abut_distance_pair* y) {
    if (x->gap != y->gap) {
        return x->gap < y->gap;
    }
    if (x->body_b != y->body_b) {
        return x->body_b < y->body_b;
    }
    const bool a_first = x->body_a < x->body_b ||
                         (x->body_a == x->body_b);  // lower body, or either within one
    uint32_t k[2][2] = {{x->triangle_a, x->triangle_b}, {y->triangle_a, y->triangle_b}};
    for (int i = 0; i < 2; ++i) {
        const bool swap = x->body_a == x->body_b ? k[i][1] < k[i][0] : !a_first;
        if (swap) {
            const uint32_t first = k[i][1];
            k[i][1] = k[i][0];
            k[i][0] = first;
        }
    }
    return k[0][0] != k[1][0] ? k[0][0] < k[1][0] : k[0][1] < k[1][1];
}

static void take(abut_distance_pair* best, const abut_distance_pair* pair) {
    if (best->distance < 0 || comes_before(pair, best)) {
        *best = *pair;
    }
}

// the distance between the boxes of two triangles, rounded down
static double boxes_apart(const double p[3][3], const double q[3][3]) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const double lo_p = fmin(p[0][d], fmin(p[1][d], p[2][d]));
        const double hi_p = fmax(p[0][d], fmax(p[1][d], p[2][d]));
        const double lo_q = fmin(q[0][d], fmin(q[1][d], q[2][d]));
        const double hi_q = fmax(q[0][d], fmax(q[1][d], q[2][d]));
        const double gap = fmax(0, fmax(lo_q - hi_p, lo_p - hi_q));
        sum += gap * gap;
    }
    return sqrt(sum) * (1 - 0x1p-40);
}

// Rationals judge all pairs whose boxes are as near as the best pair so far, within their budget.
// Other pairs are farther apart than their boxes and need no judge. Returns how many are left to
// judge.
static size_t judge_pair(const double p[3][3], const double q[3][3], double distance, double limit,
                         size_t left) {
    const double apart = boxes_apart(p, q);
    REQUIRE(!(distance < apart));
    if (left > 0 && apart <= limit) {
        judge_distance(p, q, distance);
        --left;
    }
    return left;
}

// Offers all pairs of a and b to best[0], or to best[triangle of a] if `each`. A distance below 0
// means that there is no pair yet.
static void offer_pairs(const abut_scene* scene, abut_body_id a, abut_body_id b,
                        const distance_oracle* o, bool each, abut_distance_pair* best) {
    const bool self = a.index == b.index;
    corners ca = corners_make(scene, a, b);
    corners cb = corners_make(scene, b, a);
    const bool judged = judge_is_due();
    size_t left = 0;  // distances that are left to judge
    if (judged) {
        left = effort(12, 300, 3000);
        (void)judge_spend(JUDGE_DISTANCE * left);
    }
    for (uint32_t i = 0; i < ca.count; ++i) {
        for (uint32_t j = 0; j < cb.count; ++j) {
            if (!ca.alive[i] || !cb.alive[j] ||
                (self && (i == j || share_class(mesh_of(scene, a), i, j)))) {
                continue;
            }
            const bool swap = self ? j < i : b.index < a.index;
            if (o->filter.fn != NULL &&
                !(swap ? o->filter.fn(o->filter.user, b.index, j, a.index, i)
                       : o->filter.fn(o->filter.user, a.index, i, b.index, j))) {
                continue;
            }
            const double(*p)[3] = (const double(*)[3])ca.xyz[i];
            const double(*q)[3] = (const double(*)[3])cb.xyz[j];
            abut_distance d;
            REQUIRE_OK(abut_triangles_distance(swap ? q : p, swap ? p : q, &d));
            const double thick = thickness_of(scene, a, i) + thickness_of(scene, b, j);
            const abut_distance_pair pair = {.body_a = a.index,
                                             .body_b = b.index,
                                             .triangle_a = i,
                                             .triangle_b = j,
                                             .distance = d.distance,
                                             .gap = d.distance - thick};
            const abut_distance_pair* so_far = &best[each ? i : 0];
            if (judged) {
                const double limit = so_far->distance < 0 ? o->within : so_far->gap;
                left = judge_pair(p, q, d.distance, fmin(limit, o->within) + thick, left);
            }
            if (pair.gap <= o->within) {
                take(&best[each ? i : 0], &pair);
            }
        }
    }
    corners_free(&ca);
    corners_free(&cb);
}

static distance_list pairs_alloc(size_t count) {
    distance_list list = {test_alloc(count > 0 ? count : 1, sizeof *list.pairs), count};
    for (size_t i = 0; i < count; ++i) {
        list.pairs[i].distance = -1;
    }
    return list;
}

// removes entries without a pair
static distance_list packed(distance_list list) {
    size_t count = 0;
    for (size_t i = 0; i < list.count; ++i) {
        if (list.pairs[i].distance >= 0) {
            list.pairs[count++] = list.pairs[i];
        }
    }
    list.count = count;
    return list;
}

distance_list distances_between(const abut_scene* scene, abut_body_id a, abut_body_id b,
                                const distance_oracle* o) {
    distance_list list = pairs_alloc(1);
    offer_pairs(scene, a, b, o, false, list.pairs);
    return packed(list);
}

// offers the pairs of a with all bodies that it meets, in ascending order
static void offer_bodies(const abut_scene* scene, abut_body_id a, const distance_oracle* o,
                         bool each, abut_distance_pair* best) {
    for (uint32_t j = 0; j < abut_scene_body_limit(scene); ++j) {
        const abut_body_id b = abut_scene_body_at(scene, j);
        if (b.generation != 0 && b.index != a.index &&
            (o->meet == NULL || o->meet(o->user, a.index, b.index))) {
            offer_pairs(scene, a, b, o, each, best);
        }
    }
}

distance_list distances_of_bodies(const abut_scene* scene, const distance_oracle* o) {
    distance_list list = pairs_alloc(abut_scene_body_limit(scene));
    for (uint32_t i = 0; i < list.count; ++i) {
        const abut_body_id a = abut_scene_body_at(scene, i);
        if (a.generation != 0) {
            offer_bodies(scene, a, o, false, &list.pairs[i]);
        }
    }
    return packed(list);
}

distance_list distances_of_triangles(const abut_scene* scene, abut_body_id a,
                                     const distance_oracle* o) {
    distance_list list = pairs_alloc(abut_mesh_triangle_count(mesh_of(scene, a)));
    offer_bodies(scene, a, o, true, list.pairs);
    return packed(list);
}

distance_list distances_within(const abut_scene* scene, abut_body_id a, const distance_oracle* o) {
    distance_list list = pairs_alloc(abut_mesh_triangle_count(mesh_of(scene, a)));
    offer_pairs(scene, a, a, o, true, list.pairs);
    return packed(list);
}

static void check_witness(const abut_witness* w, const double t[3][3], double tolerance) {
    for (int d = 0; d < 3; ++d) {
        const double at = w->weights[0] * t[0][d] + w->weights[1] * t[1][d] +
                          w->weights[2] * t[2][d];
        REQUIRE(fabs(at - w->point[d]) <= tolerance);
    }
    for (int i = 0; i < 3; ++i) {
        REQUIRE(w->weights[i] >= 0 && w->weights[i] <= 1);
    }
}

static void check_distance_pair(const abut_scene* scene, const abut_distance_pair* pair) {
    const abut_body_id a = abut_scene_body_at(scene, pair->body_a);
    const abut_body_id b = abut_scene_body_at(scene, pair->body_b);
    const uint32_t* ids[2] = {abut_mesh_triangles(mesh_of(scene, a)) + 3 * (size_t)pair->triangle_a,
                              abut_mesh_triangles(mesh_of(scene, b)) +
                                  3 * (size_t)pair->triangle_b};
    double p[3][3];
    double q[3][3];
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        REQUIRE_OK(abut_body_world_vertex(scene, a, ids[0][i], p[i], NULL));
        REQUIRE_OK(abut_body_world_vertex(scene, b, ids[1][i], q[i], NULL));
        for (int d = 0; d < 3; ++d) {
            most = fmax(most, fmax(fabs(p[i][d]), fabs(q[i][d])));
        }
    }
    const double tolerance = 1e-13 * most;
    check_witness(&pair->a, (const double(*)[3])p, tolerance);
    check_witness(&pair->b, (const double(*)[3])q, tolerance);
    const vec between = sub(vec_of(pair->a.point), vec_of(pair->b.point));
    REQUIRE(fabs((double)sqrtl(dot(between, between)) - pair->distance) <= 4 * tolerance);
    if (judge_is_due()) {  // in the coordinates of the query, which need no frame within a body
        double x[3][3];
        double y[3][3];
        (void)judge_spend(JUDGE_DISTANCE);
        query_corners(scene, a, b, pair->triangle_a, x);
        query_corners(scene, b, a, pair->triangle_b, y);
        judge_distance((const double(*)[3])x, (const double(*)[3])y, pair->distance);
    }
    bool touch = false;
    REQUIRE_OK(abut_triangles_touch((const double(*)[3])p, (const double(*)[3])q, &touch, NULL));
    if (!touch) {
        const double plain = plain_distance((const double(*)[3])p, (const double(*)[3])q);
        REQUIRE(fabs(plain - pair->distance) <= 4 * tolerance);
    }
}

void require_distances(const abut_scene* scene, const abut_nearest_result* got,
                       const distance_list* wanted, const char* what) {
    size_t count;
    const abut_distance_pair* pairs = abut_nearest_result_pairs(got, &count);
    if (count != wanted->count) {
        fail_msg("%s: %s: %zu distance pairs, wanted %zu", where_text(), what, count,
                 wanted->count);
    }
    REQUIRE(abut_nearest_result_found(got) == (count > 0));
    for (size_t i = 0; i < count; ++i) {
        const abut_distance_pair* g = &pairs[i];
        const abut_distance_pair* w = &wanted->pairs[i];
        if (g->distance != w->distance || g->gap != w->gap || g->body_a != w->body_a ||
            g->body_b != w->body_b || g->triangle_a != w->triangle_a ||
            g->triangle_b != w->triangle_b) {
            fail_msg(
                "%s: %s: distance pair %zu is (%u %u, %u %u) %.17g, wanted (%u %u, %u %u) %.17g",
                where_text(), what, i, g->body_a, g->triangle_a, g->body_b, g->triangle_b,
                g->distance, w->body_a, w->triangle_a, w->body_b, w->triangle_b, w->distance);
        }
        check_distance_pair(scene, g);
    }
}
