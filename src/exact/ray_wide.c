// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parameters of hits of rays as quotients of wide integers: the last stage of all decisions.
//
// Units. Coordinates are integers in units of 2^e, directions in units of 2^f; a parameter is a
// quotient in units of 2^(e - f). Of a segment (to_end) e and f are the same.
//
// Capacity (see wide.h). Numerators and denominators are sums of products of three differences or
// directions: 99 limbs, and 198 for the products that compare two of them. A limit as a quotient has
// at most 50 limbs.
#include <math.h>
#include <string.h>

#include "exact/ray.h"
#include "exact/triangles.h"
#include "exact/wide.h"

typedef struct quotient {
    abut__wide n;
    abut__wide d;  // > 0
} quotient;

typedef struct units {
    int e;
    int f;
    abut__wide d[3];  // the direction
} units;

static void subtract(abut__wide* out, double a, double b, int exponent) {
    abut__wide right;
    abut__wide_set(out, a, exponent);
    abut__wide_set(&right, b, exponent);
    abut__wide_sub(out, out, &right);
}

// out = a b - c d
static void minor(abut__wide* out, const abut__wide* a, const abut__wide* b, const abut__wide* c,
                  const abut__wide* d) {
    abut__wide product;
    abut__wide_mul(out, a, b);
    abut__wide_mul(&product, c, d);
    abut__wide_sub(out, out, &product);
}

// out += a b
static void add_product(abut__wide* out, const abut__wide* a, const abut__wide* b) {
    abut__wide product;
    abut__wide_mul(&product, a, b);
    abut__wide_add(out, out, &product);
}

static int lesser(int a, int b) {
    return a < b ? a : b;
}

// sets units that suit a ray and `count` corners
static void choose_units(const abut__ray* ray, const double (*corners)[3], uint32_t count,
                         units* u) {
    u->e = abut__wide_exponent(ray->o, 3);
    for (uint32_t i = 0; i < count; ++i) {
        u->e = lesser(u->e, abut__wide_exponent(corners[i], 3));
    }
    if (ray->to_end) {
        u->e = lesser(u->e, abut__wide_exponent(ray->end, 3));
    }
    u->e = u->e == ABUT__WIDE_NO_EXPONENT ? 0 : u->e;
    u->f = ray->to_end ? u->e : abut__wide_exponent(ray->d, 3);
    for (int k = 0; k < 3; ++k) {
        if (ray->to_end) {
            subtract(&u->d[k], ray->end[k], ray->o[k], u->e);
        } else {
            abut__wide_set(&u->d[k], ray->d[k], u->f);
        }
    }
}

static bool is_point(const abut__ray* ray) {
    return ray->d[0] == 0 && ray->d[1] == 0 && ray->d[2] == 0;
}

// makes the denominator positive; it is not 0
static void normalise(quotient* q) {
    q->n.sign *= q->d.sign;
    q->d.sign = 1;
}

// the sign of a - b
static int compare(const quotient* a, const quotient* b) {
    abut__wide left;
    abut__wide right;
    abut__wide_mul(&left, &a->n, &b->d);
    abut__wide_mul(&right, &b->n, &a->d);
    return abut__wide_compare(&left, &right);
}

// a parameter that is a double, as a quotient in these units
static void set_limit(quotient* q, double limit, const units* u) {
    const int own = abut__wide_exponent(&limit, 1);
    const int shift = own + u->f - u->e;
    if (limit == 0 || shift >= 0) {
        abut__wide_set(&q->n, limit, u->e - u->f);
        abut__wide_set(&q->d, 1.0, 0);
    } else {
        abut__wide_set(&q->n, limit, own);
        abut__wide_set(&q->d, 1.0, shift);
    }
}

// N / D; false: D is 0
static bool set_regular(const abut__ray* ray, const double t[3][3], const units* u, quotient* q) {
    abut__wide edge[2][3];
    for (int k = 0; k < 3; ++k) {
        subtract(&edge[0][k], t[1][k], t[0][k], u->e);
        subtract(&edge[1][k], t[2][k], t[0][k], u->e);
    }
    abut__wide_set(&q->n, 0.0, 0);
    abut__wide_set(&q->d, 0.0, 0);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        abut__wide normal;
        abut__wide from_o;
        minor(&normal, &edge[0][i], &edge[1][j], &edge[0][j], &edge[1][i]);
        subtract(&from_o, t[0][k], ray->o[k], u->e);
        add_product(&q->n, &from_o, &normal);
        add_product(&q->d, &u->d[k], &normal);
    }
    if (q->d.sign != 0) {
        normalise(q);
    }
    return q->d.sign != 0;
}

// ---- flat rays

// Corners relative to o, and in which order they are about the line.
typedef struct flat {
    abut__wide p[3][3];
    abut__wide side[3];  // of each corner: one component of d x p
    int axis;            // the direction is not 0 along it
} flat;

static void set_flat(const abut__ray* ray, const double t[3][3], const units* u, flat* f) {
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            subtract(&f->p[i][k], t[i][k], ray->o[k], u->e);
        }
    }
    for (f->axis = 0; u->d[f->axis].sign == 0; ++f->axis) {
    }
    // the vectors d x p are parallel: a component that is not 0 for one of them tells the sides
    bool any = false;
    for (int k = 0; k < 3 && !any; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            minor(&f->side[c], &u->d[i], &f->p[c][j], &u->d[j], &f->p[c][i]);
            any = any || f->side[c].sign != 0;
        }
    }
}

// Widens an interval, or makes it if it is empty.
static void include(quotient range[2], bool* empty, const quotient* q) {
    if (*empty || compare(q, &range[0]) < 0) {
        range[0] = *q;
    }
    if (*empty || compare(q, &range[1]) > 0) {
        range[1] = *q;
    }
    *empty = false;
}

// where the line crosses the edge between corners i and j, which are on opposite sides
static void set_crossing(const flat* f, const units* u, int i, int j, quotient* q) {
    abut__wide way;
    minor(&q->n, &f->side[j], &f->p[i][f->axis], &f->side[i], &f->p[j][f->axis]);
    abut__wide_sub(&way, &f->side[j], &f->side[i]);
    abut__wide_mul(&q->d, &way, &u->d[f->axis]);
    normalise(q);
}

// The interval that the line of a flat ray shares with the triangle; false: none. The ray has a
// direction.
static bool flat_range(const abut__ray* ray, const double t[3][3], const units* u,
                       quotient range[2]) {
    flat f;
    bool empty = true;
    quotient q;
    set_flat(ray, t, u, &f);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        if (f.side[i].sign == 0) {
            q.n = f.p[i][f.axis];
            q.d = u->d[f.axis];
            normalise(&q);
            include(range, &empty, &q);
        }
        if (f.side[i].sign * f.side[j].sign < 0) {
            set_crossing(&f, u, i, j, &q);
            include(range, &empty, &q);
        }
    }
    return !empty;
}

bool abut__ray_meets_flat(const abut__ray* ray, const double t[3][3]) {
    if (is_point(ray)) {
        const double p[3][3] = {{ray->o[0], ray->o[1], ray->o[2]},
                                {ray->o[0], ray->o[1], ray->o[2]},
                                {ray->o[0], ray->o[1], ray->o[2]}};
        return abut__triangles_touch(t, p);
    }
    units u;
    quotient range[2];
    quotient limit;
    choose_units(ray, t, 3, &u);
    if (!flat_range(ray, t, &u, range)) {
        return false;
    }
    set_limit(&limit, ray->from, &u);
    bool meets = compare(&range[1], &limit) >= 0;
    if (meets && ray->to < (double)INFINITY) {
        set_limit(&limit, ray->to, &u);
        meets = compare(&range[0], &limit) <= 0;
    }
    return meets;
}

// ---- first parameters

// Sets the parameter at which the ray first meets a triangle that it meets.
static void set_first(const abut__ray* ray, const double t[3][3], const units* u, quotient* q) {
    if (set_regular(ray, t, u, q)) {
        return;
    }
    quotient range[2];
    set_limit(q, ray->from, u);
    if (flat_range(ray, t, u, range) && compare(&range[0], q) > 0) {
        *q = range[0];
    }
}

double abut__ray_quotient(const abut__ray* ray, const double t[3][3]) {
    if (is_point(ray)) {
        return ray->from;
    }
    units u;
    quotient q;
    choose_units(ray, t, 3, &u);
    set_first(ray, t, &u, &q);
    return abut__wide_quotient(&q.n, &q.d, u.e - u.f);
}

int abut__ray_compare(const abut__ray* ray, const double p[3][3], const double q[3][3]) {
    if (is_point(ray)) {
        return 0;
    }
    units u;
    quotient first[2];
    double corners[6][3];
    memcpy(corners, p, 3 * sizeof *corners);
    memcpy(corners + 3, q, 3 * sizeof *corners);
    choose_units(ray, (const double(*)[3])corners, 6, &u);
    set_first(ray, p, &u, &first[0]);
    set_first(ray, q, &u, &first[1]);
    return compare(&first[0], &first[1]);
}

int abut__ray_beyond(const abut__ray* ray, const double t[3][3], double limit) {
    units u;
    quotient q;
    quotient other;
    choose_units(ray, t, 3, &u);
    (void)set_regular(ray, t, &u, &q);
    set_limit(&other, limit, &u);
    return compare(&q, &other);
}

double abut__ray_weight(const abut__ray* ray, const double t[3][3], int corner) {
    units u;
    quotient q;
    abut__wide p[2][3];
    abut__wide turn;
    choose_units(ray, t, 3, &u);
    (void)set_regular(ray, t, &u, &q);
    for (int k = 0; k < 3; ++k) {
        subtract(&p[0][k], t[(corner + 1) % 3][k], ray->o[k], u.e);
        subtract(&p[1][k], t[(corner + 2) % 3][k], ray->o[k], u.e);
    }
    abut__wide_set(&turn, 0.0, 0);
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        abut__wide normal;
        minor(&normal, &p[0][i], &p[1][j], &p[0][j], &p[1][i]);
        add_product(&turn, &u.d[k], &normal);
    }
    turn.sign = turn.sign != 0 ? 1 : 0;  // D has the same sign, and here it is positive
    return abut__wide_quotient(&turn, &q.d, 0);
}
