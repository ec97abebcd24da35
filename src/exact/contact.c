// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes what two triangles share, from signs of orientations alone.
#include "exact/contact.h"

#include <math.h>
#include <stddef.h>

#include "exact/flat.h"
#include "exact/orient.h"
#include "exact/sides.h"

static abut__contact_point at_corner(const double* corner) {
    return (abut__contact_point){.corner = corner, .axis = -1};
}

static abut__contact_point at_crossing(const double* from, const double* to,
                                       const double face[3][3]) {
    return (
        abut__contact_point){.edge = {from, to}, .face = {face[0], face[1], face[2]}, .axis = -1};
}

static void add(abut__contact* out, abut__contact_point x) {
    if (out->count < 6) {  // geometry allows at most six
        out->point[out->count++] = x;
    }
}

// Adds a corner unless an equal one is listed.
static void add_corner(abut__contact* out, const double* corner, uint32_t lines) {
    for (uint32_t i = 0; i < out->count; ++i) {
        if (out->point[i].corner != NULL && abut__same_point(out->point[i].corner, corner)) {
            return;
        }
    }
    abut__contact_point x = at_corner(corner);
    x.lines = lines;
    add(out, x);
}

// Returns where the edge from lone corner t[lone] to t[other] meets the plane of the face.
static abut__contact_point edge_point(const double t[3][3], const int sides[3], int lone, int other,
                                      const double face[3][3]) {
    if (sides[other] == 0) {
        return at_corner(t[other]);
    }
    if (sides[lone] == 0) {
        return at_corner(t[lone]);
    }
    return at_crossing(t[lone], t[other], face);
}

// Of two representations of one point, prefers a corner.
static abut__contact_point better_name(abut__contact_point x, abut__contact_point y) {
    return x.corner != NULL || y.corner == NULL ? x : y;
}

static abut__contact_point chosen(int order, abut__contact_point x, abut__contact_point y) {
    return order > 0 ? x : order < 0 ? y : better_name(x, y);
}

// The part of a triangle on the line in which the planes cross: the carriers of both ends and of
// the points between them.
typedef struct {
    uint8_t first;
    uint8_t last;
    uint8_t inside;
} carriers;

static uint8_t carrier_of_end(const int sides[3], int lone, int other) {
    const uint32_t from = sides[other] != 0 ? 1U << lone : 0;
    const uint32_t to = sides[lone] != 0 ? 1U << other : 0;
    return (uint8_t)(from | to);
}

static carriers carriers_of(const int sides[3], int lone, int first, int last) {
    const bool along_edge = sides[first] == 0 && sides[last] == 0;
    return (carriers){carrier_of_end(sides, lone, first), carrier_of_end(sides, lone, last),
                      along_edge ? (uint8_t)(1U << first | 1U << last) : 7};
}

// Planes that cross in a line: two intervals on it, see abut__arrange().
static void contact_crossing(const double p[3][3], const double q[3][3], const int sides_p[3],
                             const int sides_q[3], double bound, abut__contact* out) {
    int i[3];
    int j[3];
    int order[3][3];
    abut__arrange(sides_p, sides_q, i, j);
    for (int a = 1; a < 3; ++a) {
        for (int b = 1; b < 3; ++b) {
            order[a][b] = abut__orient3d_bounded(p[i[0]], p[i[a]], q[j[0]], q[j[b]], bound);
        }
    }
    if (order[1][1] > 0 || order[2][2] < 0) {
        return;
    }
    const abut__contact_point first_p = edge_point(p, sides_p, i[0], i[1], q);
    const abut__contact_point last_p = edge_point(p, sides_p, i[0], i[2], q);
    const abut__contact_point first_q = edge_point(q, sides_q, j[0], j[2], p);
    const abut__contact_point last_q = edge_point(q, sides_q, j[0], j[1], p);
    abut__contact_point first = chosen(order[1][2], first_p, first_q);
    abut__contact_point last = chosen(-order[2][1], last_p, last_q);
    const carriers in_p = carriers_of(sides_p, i[0], i[1], i[2]);
    const carriers in_q = carriers_of(sides_q, j[0], j[2], j[1]);
    first.carrier[0] = order[1][2] >= 0 ? in_p.first : order[2][2] == 0 ? in_p.last : in_p.inside;
    first.carrier[1] = order[1][2] <= 0 ? in_q.first : order[1][1] == 0 ? in_q.last : in_q.inside;
    last.carrier[0] = order[2][1] <= 0 ? in_p.last : order[1][1] == 0 ? in_p.first : in_p.inside;
    last.carrier[1] = order[2][1] >= 0 ? in_q.last : order[2][2] == 0 ? in_q.first : in_q.inside;
    out->direction = -sides_p[i[0]] * sides_q[j[0]];
    if (sides_p[i[0]] == 0 || sides_q[j[0]] == 0 || order[1][1] == 0 || order[2][2] == 0) {
        add(out, better_name(first, last));
    } else {
        add(out, first);
        add(out, last);
    }
}

// The carrier of a point of a triangle with area, from the lines of edges through it, as bits.
static uint8_t carrier_on_lines(uint32_t lines) {
    static const uint8_t carrier[8] = {7, 3, 6, 2, 5, 1, 4, 0};
    return carrier[lines & 7];
}

// The triangle t, which is `number` 0 or 1 of the pair, has area, and its plane does not contain the
// segment.
static void contact_segment_triangle(abut__segment s, const double t[3][3], int number,
                                     abut__contact* out) {
    const double* a = s.end[0];
    const double* b = s.end[1];
    const int side_a = abut__orient3d(t[0], t[1], t[2], a);
    const int side_b = abut__orient3d(t[0], t[1], t[2], b);
    if (side_a == side_b) {
        return;
    }
    int side[3];
    for (int i = 0; i < 3; ++i) {
        side[i] = abut__orient3d(a, b, t[i], t[(i + 1) % 3]);
    }
    const bool some_left = side[0] < 0 || side[1] < 0 || side[2] < 0;
    const bool some_right = side[0] > 0 || side[1] > 0 || side[2] > 0;
    if (some_left && some_right) {
        return;
    }
    abut__contact_point x = side_a == 0   ? at_corner(a)
                            : side_b == 0 ? at_corner(b)
                                          : at_crossing(a, b, t);
    uint32_t lines = 0;
    for (int i = 0; i < 3; ++i) {
        lines |= side[i] == 0 ? 1U << i : 0U;
        if (side[i] == 0 && side[(i + 2) % 3] == 0) {
            x = at_corner(t[i]);
        }
    }
    x.carrier[number] = carrier_on_lines(lines);
    add(out, x);
}

// A triangle with area (count 3), the ends of one without (2), or a point (1).
typedef struct {
    int count;
    const double* corner[3];
    int turn;  // orientation of a triangle in the projection
} hull;

static hull hull_of_triangle(const double t[3][3], int axis) {
    return (hull){3, {t[0], t[1], t[2]}, abut__orient2d(t[0], t[1], t[2], axis)};
}

static hull hull_of_segment(abut__segment s) {
    return (hull){abut__same_point(s.end[0], s.end[1]) ? 1 : 2, {s.end[0], s.end[1]}, 0};
}

static int hull_edges(const hull* h) {
    return h->count == 3 ? 3 : h->count - 1;
}

// The sides of the other's corners about the edges; > 0 is inside if there is an inside.
typedef struct {
    int about[3][3];  // [edge][corner of the other]
} side_table;

static side_table hull_sides(const hull* h, const hull* other, int axis) {
    side_table s = {{{0}}};
    for (int e = 0; e < hull_edges(h) && axis >= 0; ++e) {
        for (int i = 0; i < other->count; ++i) {
            const int side = abut__orient2d(h->corner[e], h->corner[(e + 1) % h->count],
                                            other->corner[i], axis);
            s.about[e][i] = h->turn < 0 ? -side : side;
        }
    }
    return s;
}

// Tells whether corner i of the other is in h.
static bool hull_contains(const hull* h, const side_table* sides, const hull* other, int i) {
    const double* x = other->corner[i];
    if (h->count == 1) {
        return abut__same_point(h->corner[0], x);
    }
    if (h->count == 2) {
        return sides->about[0][i] == 0 && abut__compare_points(h->corner[0], x) <= 0 &&
               abut__compare_points(x, h->corner[1]) <= 0;
    }
    return sides->about[0][i] >= 0 && sides->about[1][i] >= 0 && sides->about[2][i] >= 0;
}

static void add_contained_corners(abut__contact* out, const hull* h, const side_table* sides,
                                  const hull* other, int shift_h, int shift_other) {
    for (int i = 0; i < other->count; ++i) {
        if (!hull_contains(h, sides, other, i)) {
            continue;
        }
        // the lines of its own two edges, and the lines of h that contain it
        uint32_t lines = (1U << i | 1U << (i + 2) % 3) << shift_other;
        for (int e = 0; e < 3; ++e) {
            lines |= (sides->about[e][i] == 0 ? 1U << e : 0U) << shift_h;
        }
        add_corner(out, other->corner[i], lines);
    }
}

static void add_edge_crossings(abut__contact* out, const hull* p, const side_table* about_p,
                               const hull* q, const side_table* about_q, int axis) {
    for (int e = 0; e < hull_edges(p); ++e) {
        for (int f = 0; f < hull_edges(q); ++f) {
            const int e1 = (e + 1) % p->count;
            const int f1 = (f + 1) % q->count;
            if (about_p->about[e][f] * about_p->about[e][f1] < 0 &&
                about_q->about[f][e] * about_q->about[f][e1] < 0) {
                add(out, (abut__contact_point){.edge = {p->corner[e], p->corner[e1]},
                                               .face = {q->corner[f], q->corner[f1], NULL},
                                               .axis = axis,
                                               .lines = 1U << e | 1U << (f + 3)});
            }
        }
    }
}

// Sorts the corners around the polygon. No edge's line has the polygon on both sides, so two
// corners are neighbours exactly if they share such a line.
static void sort_around(abut__contact* out) {
    for (uint32_t i = 0; i + 2 < out->count; ++i) {
        for (uint32_t j = i + 1; j < out->count; ++j) {
            if ((out->point[i].lines & out->point[j].lines) != 0) {
                const abut__contact_point next = out->point[j];
                out->point[j] = out->point[i + 1];
                out->point[i + 1] = next;
                break;
            }
        }
    }
}

// Convex sets in one plane that is not parallel to the axis, or on one line (axis -1). Their
// intersection has as corners the corners of one inside the other, and proper crossings of edges.
static void contact_planar(const hull* p, const hull* q, int axis, abut__contact* out) {
    const side_table about_p = hull_sides(p, q, axis);
    const side_table about_q = hull_sides(q, p, axis);
    add_contained_corners(out, q, &about_q, p, 3, 0);
    add_contained_corners(out, p, &about_p, q, 0, 3);
    add_edge_crossings(out, p, &about_p, q, &about_q, axis);
    sort_around(out);
    for (uint32_t i = 0; i < out->count; ++i) {
        abut__contact_point* x = &out->point[i];
        x->carrier[0] = p->count == 3 ? carrier_on_lines(x->lines) : 0;
        x->carrier[1] = q->count == 3 ? carrier_on_lines(x->lines >> 3) : 0;
    }
}

static void contact_segments(abut__segment s, abut__segment t, abut__contact* out) {
    if (abut__orient3d(s.end[0], s.end[1], t.end[0], t.end[1]) != 0) {
        return;
    }
    const hull p = hull_of_segment(s);
    const hull q = hull_of_segment(t);
    contact_planar(&p, &q, abut__plane_axis(s.end[0], s.end[1], t.end[0], t.end[1]), out);
}

// The corners of one lie in the plane of the other, or one has no area.
static void contact_flat(const double p[3][3], const double q[3][3], bool q_in_plane,
                         bool p_in_plane, abut__contact* out) {
    const int axis_p = abut__triangle_axis(p);
    const int axis_q = abut__triangle_axis(q);
    if (axis_p < 0 && axis_q < 0) {
        contact_segments(abut__triangle_ends(p), abut__triangle_ends(q), out);
    } else if (axis_p >= 0 && !q_in_plane) {
        contact_segment_triangle(abut__triangle_ends(q), p, 0, out);
    } else if (axis_q >= 0 && !p_in_plane) {
        contact_segment_triangle(abut__triangle_ends(p), q, 1, out);
    } else {
        const int axis = axis_p >= 0 ? axis_p : axis_q;
        const hull hull_p = axis_p >= 0 ? hull_of_triangle(p, axis)
                                        : hull_of_segment(abut__triangle_ends(p));
        const hull hull_q = axis_q >= 0 ? hull_of_triangle(q, axis)
                                        : hull_of_segment(abut__triangle_ends(q));
        contact_planar(&hull_p, &hull_q, axis, out);
    }
}

void abut__triangles_contact(const double p[3][3], const double q[3][3], abut__contact* out) {
    out->count = 0;
    out->direction = 0;
    const double bound = abut__pair_bound(p, q);
    if (bound < 0.0) {
        return;
    }
    if (bound == 0.0) {
        contact_flat(p, q, true, true, out);
        return;
    }
    int sides_p[3];
    int sides_q[3];
    abut__plane_sides(p, q, bound, sides_q);
    if (abut__one_side(sides_q)) {
        return;
    }
    abut__plane_sides(q, p, bound, sides_p);
    if (abut__one_side(sides_p)) {
        return;
    }
    if (abut__all_zero(sides_p) || abut__all_zero(sides_q)) {
        contact_flat(p, q, abut__all_zero(sides_q), abut__all_zero(sides_p), out);
    } else {
        contact_crossing(p, q, sides_p, sides_q, bound, out);
    }
}
