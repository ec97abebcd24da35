// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// See swept_oracle.h.
//
// Based on: Descartes' rule of signs in the Bernstein basis: Lane, Riesenfeld, "Bounds on a
// Polynomial", BIT 21 (1981).
#include "support/swept_oracle.h"

#include <float.h>
#include <gmp.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DEGREE = 4, COEFFICIENTS = DEGREE + 1, ROOTS = 128, PREDICATES = 20 };

// a[0] + a[1] t + ... + a[4] t^4
typedef struct {
    mpz_t a[COEFFICIENTS];
} polynomial;

// The same over an interval [place, place + 1] / 2^depth, by its Bernstein coefficients times some
// positive number.
typedef struct {
    mpz_t b[COEFFICIENTS];
} piece;

// A root: exactly place / 2^depth, or the one root of `of` inside the interval.
typedef struct {
    bool exact;
    mpz_t place;
    unsigned depth;
    const polynomial* of;
} root;

struct swept_oracle {
    polynomial point[4][3];
    polynomial u[3], v[3], c[3];  // temporary
    polynomial e1[3], e2[3], w[3], n[3], cubic, normal_sq;
    polynomial predicates[PREDICATES];
    polynomial copies[PREDICATES];  // copies of predicates, for their roots
    int predicate_count;
    polynomial scratch[6];
    piece pieces[4];
    root roots[ROOTS];
    int root_count;
    mpz_t t[6];
};

// ---- polynomials

static void poly_init(polynomial* p) {
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_init(p->a[i]);
    }
}

static void poly_clear(polynomial* p) {
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_clear(p->a[i]);
    }
}

static int poly_degree(const polynomial* p) {  // -1: it is 0
    int d = DEGREE;
    while (d >= 0 && mpz_sgn(p->a[d]) == 0) {
        --d;
    }
    return d;
}

static void poly_set(polynomial* out, const polynomial* p) {
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_set(out->a[i], p->a[i]);
    }
}

static void poly_sub(polynomial* out, const polynomial* p, const polynomial* q) {
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_sub(out->a[i], p->a[i], q->a[i]);
    }
}

// out += sign p q; out is neither p nor q
static void poly_add_product(polynomial* out, const polynomial* p, const polynomial* q, int sign) {
    const int dp = poly_degree(p);
    const int dq = poly_degree(q);
    for (int i = 0; i <= dp; ++i) {
        for (int j = 0; j <= dq; ++j) {
            if (sign > 0) {
                mpz_addmul(out->a[i + j], p->a[i], q->a[j]);
            } else {
                mpz_submul(out->a[i + j], p->a[i], q->a[j]);
            }
        }
    }
}

static void poly_zero(polynomial* p) {
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_set_ui(p->a[i], 0);
    }
}

static void poly_dot(polynomial* out, const polynomial p[3], const polynomial q[3]) {
    poly_zero(out);
    for (int k = 0; k < 3; ++k) {
        poly_add_product(out, &p[k], &q[k], 1);
    }
}

static void poly_cross(polynomial out[3], const polynomial p[3], const polynomial q[3]) {
    for (int k = 0; k < 3; ++k) {
        poly_zero(&out[k]);
        poly_add_product(&out[k], &p[(k + 1) % 3], &q[(k + 2) % 3], 1);
        poly_add_product(&out[k], &p[(k + 2) % 3], &q[(k + 1) % 3], -1);
    }
}

static void poly_make_primitive(polynomial* p, mpz_t t) {
    mpz_set_ui(t, 0);
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_gcd(t, t, p->a[i]);
    }
    if (mpz_sgn(t) != 0) {
        for (int i = 0; i < COEFFICIENTS; ++i) {
            mpz_divexact(p->a[i], p->a[i], t);
        }
    }
}

// p becomes the remainder of p by q, times some number
static void poly_reduce(polynomial* p, const polynomial* q, mpz_t t) {
    const int dq = poly_degree(q);
    for (int dp = poly_degree(p); dp >= dq; dp = poly_degree(p)) {
        mpz_set(t, p->a[dp]);
        for (int i = 0; i < COEFFICIENTS; ++i) {
            mpz_mul(p->a[i], p->a[i], q->a[dq]);
        }
        for (int i = 0; i <= dq; ++i) {
            mpz_submul(p->a[i + dp - dq], t, q->a[i]);
        }
        poly_make_primitive(p, t);
    }
}

// greatest common divisor; neither is 0. Uses scratch 0 and 1.
static void poly_gcd(swept_oracle* o, polynomial* out, const polynomial* p, const polynomial* q) {
    polynomial* a = &o->scratch[0];
    polynomial* b = &o->scratch[1];
    poly_set(a, p);
    poly_set(b, q);
    while (poly_degree(b) >= 0) {
        polynomial* swap = a;
        if (poly_degree(a) >= poly_degree(b)) {
            poly_reduce(a, b, o->t[0]);
        }
        a = b;
        b = swap;
    }
    poly_set(out, a);
    poly_make_primitive(out, o->t[0]);
}

// p / gcd(p, p')
static void poly_squarefree(swept_oracle* o, polynomial* out, const polynomial* p) {
    polynomial* slope = &o->scratch[2];
    polynomial* divisor = &o->scratch[3];
    polynomial* rest = &o->scratch[4];
    poly_zero(slope);
    for (int i = 1; i < COEFFICIENTS; ++i) {
        mpz_mul_ui(slope->a[i - 1], p->a[i], (unsigned long)i);
    }
    poly_set(rest, p);
    poly_zero(out);
    if (poly_degree(slope) < 0) {
        poly_set(out, p);
        return;
    }
    poly_gcd(o, divisor, p, slope);
    const int dd = poly_degree(divisor);
    // long division; a multiple of p makes it exact
    mpz_pow_ui(o->t[1], divisor->a[dd], DEGREE + 1);
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_mul(rest->a[i], rest->a[i], o->t[1]);
    }
    for (int d = poly_degree(rest); d >= dd; d = poly_degree(rest)) {
        mpz_divexact(out->a[d - dd], rest->a[d], divisor->a[dd]);
        for (int i = 0; i <= dd; ++i) {
            mpz_submul(rest->a[i + d - dd], out->a[d - dd], divisor->a[i]);
        }
    }
    poly_make_primitive(out, o->t[0]);
}

// ---- pieces

// the coefficients over [place, place + 1] / 2^depth
static void piece_make(swept_oracle* o, piece* out, const polynomial* p, const mpz_t place,
                       unsigned depth) {
    static const unsigned long binomial[5][5] = {
        {1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 1, 0, 0}, {1, 3, 3, 1, 0}, {1, 4, 6, 4, 1}};
    // q(s) = 2^(4 depth) p((place + s) / 2^depth), by Horner's scheme on p's scaled coefficients
    mpz_t* q = out->b;
    for (int i = 0; i < COEFFICIENTS; ++i) {
        mpz_mul_2exp(q[i], p->a[i], (mp_bitcnt_t)depth * (unsigned)(DEGREE - i));
    }
    for (int i = 0; i < DEGREE; ++i) {
        for (int j = DEGREE - 1; j >= i; --j) {
            mpz_addmul(q[j], q[j + 1], place);
        }
    }
    // to Bernstein form, times 12: b_i = sum_j binomial(i, j) / binomial(4, j) q_j
    for (int j = 0; j < COEFFICIENTS; ++j) {
        mpz_mul_ui(q[j], q[j], 12 / binomial[DEGREE][j]);
    }
    for (int i = DEGREE; i >= 0; --i) {
        mpz_set(o->t[0], q[0]);
        for (int j = 1; j <= i; ++j) {
            mpz_addmul_ui(o->t[0], q[j], binomial[i][j]);
        }
        mpz_set(q[i], o->t[0]);
    }
}

// *left becomes the left half, the piece the right one
static void piece_halve(piece* p, piece* left) {
    for (int level = 0; level <= DEGREE; ++level) {
        mpz_mul_2exp(left->b[level], p->b[0], (mp_bitcnt_t)(DEGREE - level));
        for (int i = 0; i < DEGREE - level; ++i) {
            mpz_add(p->b[i], p->b[i], p->b[i + 1]);
        }
        mpz_mul_2exp(p->b[DEGREE - level], p->b[DEGREE - level], (mp_bitcnt_t)level);
    }
}

static int piece_variations(const piece* p) {
    int variations = 0;
    int last = 0;
    for (int i = 0; i < COEFFICIENTS; ++i) {
        const int sign = mpz_sgn(p->b[i]);
        variations += sign * last < 0;
        last = sign != 0 ? sign : last;
    }
    return variations;
}

// the sign inside a piece without sign variations
static int piece_sign(const piece* p) {
    for (int i = 0; i < COEFFICIENTS; ++i) {
        if (mpz_sgn(p->b[i]) != 0) {
            return mpz_sgn(p->b[i]);
        }
    }
    return 0;
}

// ---- roots

static void add_root(swept_oracle* o, bool exact, const mpz_t place, unsigned depth,
                     const polynomial* of) {
    if (o->root_count == ROOTS) {
        abort();
    }
    root* r = &o->roots[o->root_count++];
    r->exact = exact;
    mpz_set(r->place, place);
    r->depth = depth;
    r->of = of;
}

static bool isolate_in(swept_oracle* o, const polynomial* p, const mpz_t place, unsigned depth,
                       unsigned most) {
    piece_make(o, &o->pieces[0], p, place, depth);
    const int variations = piece_variations(&o->pieces[0]);
    if (variations <= 1) {
        if (variations == 1) {
            add_root(o, false, place, depth, p);
        }
        return true;
    }
    if (depth == most) {
        return false;
    }
    mpz_t half;
    mpz_init(half);
    mpz_mul_2exp(half, place, 1);
    bool done = isolate_in(o, p, half, depth + 1, most);
    mpz_add_ui(half, half, 1);
    if (done) {
        piece_make(o, &o->pieces[0], p, half, depth + 1);
        if (mpz_sgn(o->pieces[0].b[0]) == 0) {
            add_root(o, true, half, depth + 1, NULL);
        }
        done = isolate_in(o, p, half, depth + 1, most);
    }
    mpz_clear(half);
    return done;
}

// All roots of p in [0, 1]; p is not 0, and may become its squarefree part.
static void isolate(swept_oracle* o, polynomial* p) {
    const int before = o->root_count;
    for (int attempt = 0; attempt < 2; ++attempt) {
        mpz_t place;
        mpz_init_set_ui(place, 0);
        o->root_count = before;
        piece_make(o, &o->pieces[0], p, place, 0);
        if (mpz_sgn(o->pieces[0].b[0]) == 0) {
            add_root(o, true, place, 0, NULL);
        }
        const bool last = mpz_sgn(o->pieces[0].b[DEGREE]) == 0;
        const bool done = isolate_in(o, p, place, 0, attempt == 0 ? 12 : UINT32_MAX);
        mpz_set_ui(place, 1);
        if (last) {
            add_root(o, true, place, 0, NULL);
        }
        mpz_clear(place);
        if (done) {
            return;
        }
        poly_squarefree(o, &o->scratch[5], p);
        poly_set(p, &o->scratch[5]);
    }
}

// halves the interval of a root that is not exact; `mine` is the piece of r->of over the interval
static void approach(root* r, piece* mine, piece* left) {
    piece_halve(mine, left);
    ++r->depth;
    mpz_mul_2exp(r->place, r->place, 1);
    if (mpz_sgn(mine->b[0]) == 0) {
        r->exact = true;
        mpz_add_ui(r->place, r->place, 1);
    } else if (piece_variations(left) == 1) {
        for (int i = 0; i < COEFFICIENTS; ++i) {
            mpz_swap(mine->b[i], left->b[i]);
        }
    } else {
        mpz_add_ui(r->place, r->place, 1);
    }
}

static int sign_at_place(swept_oracle* o, const polynomial* q, const root* r) {
    mpz_set_ui(o->t[0], 0);
    for (int i = DEGREE; i >= 0; --i) {  // sum of a_i place^i 2^(depth (4 - i))
        mpz_mul(o->t[0], o->t[0], r->place);
        mpz_mul_2exp(o->t[1], q->a[i], (mp_bitcnt_t)r->depth * (unsigned)(DEGREE - i));
        mpz_add(o->t[0], o->t[0], o->t[1]);
    }
    return mpz_sgn(o->t[0]);
}

// the sign of q at a root; narrows the root's interval
static int sign_at(swept_oracle* o, const polynomial* q, root* r) {
    enum { PATIENCE = 24 };
    polynomial* common = &o->scratch[5];
    if (poly_degree(q) < 0) {
        return 0;
    }
    for (unsigned step = 0;; ++step) {
        if (r->exact) {
            return sign_at_place(o, q, r);
        }
        piece* of_q = &o->pieces[0];
        piece* mine = &o->pieces[1];
        piece_make(o, of_q, q, r->place, r->depth);
        if (piece_variations(of_q) == 0) {
            return piece_sign(of_q);
        }
        if (step >= PATIENCE && step % PATIENCE == 0) {
            poly_gcd(o, common, r->of, q);
            piece_make(o, of_q, common, r->place, r->depth);
            if (piece_variations(of_q) == 1) {
                return 0;
            }
        }
        piece_make(o, mine, r->of, r->place, r->depth);
        approach(r, mine, &o->pieces[2]);
    }
}

// ---- contact

static void scale_to_integers(swept_oracle* o, const double from[4][3], const double to[4][3]) {
    int lowest = INT32_MAX;
    for (int i = 0; i < 24; ++i) {
        const double x = i < 12 ? from[i / 3][i % 3] : to[(i - 12) / 3][i % 3];
        int exponent;
        if (x != 0.0) {
            (void)frexp(x, &exponent);
            lowest = exponent < lowest ? exponent : lowest;
        }
    }
    lowest = lowest == INT32_MAX ? 0 : lowest;
    for (int i = 0; i < 12; ++i) {
        polynomial* p = &o->point[i / 3][i % 3];
        poly_zero(p);
        for (int end = 0; end < 2; ++end) {
            int exponent;
            const double x = (end == 0 ? from : to)[i / 3][i % 3];
            const double mantissa = frexp(x, &exponent);
            mpz_set_d(p->a[end], ldexp(mantissa, 53));
            if (x != 0.0) {
                mpz_mul_2exp(p->a[end], p->a[end], (mp_bitcnt_t)(exponent - lowest));
            }
        }
        mpz_sub(p->a[1], p->a[1], p->a[0]);
    }
}

static polynomial* new_predicate(swept_oracle* o) {
    if (o->predicate_count == PREDICATES) {
        abort();
    }
    polynomial* p = &o->predicates[o->predicate_count++];
    poly_zero(p);
    return p;
}

static void subtract_points(polynomial out[3], const polynomial a[3], const polynomial b[3]) {
    for (int k = 0; k < 3; ++k) {
        poly_sub(&out[k], &a[k], &b[k]);
    }
}

// four predicates: point p is on the segment from a to b if the first three are 0 and the last <= 0
static void add_on_segment(swept_oracle* o, const polynomial p[3], const polynomial a[3],
                           const polynomial b[3]) {
    subtract_points(o->u, a, p);
    subtract_points(o->v, b, p);
    poly_cross(o->c, o->u, o->v);
    for (int k = 0; k < 3; ++k) {
        poly_set(new_predicate(o), &o->c[k]);
    }
    poly_dot(new_predicate(o), o->u, o->v);
}

// Predicates 0 to 2 (vertex and face) or 0 to 3 (edges): if the normal is not 0, contact means that
// all are >= 0. The predicates of points on segments follow, for a normal of 0.
static void make_predicates(swept_oracle* o, bool edges) {
    polynomial(*x)[3] = o->point;
    o->predicate_count = 0;
    if (edges) {
        subtract_points(o->e1, x[1], x[0]);
        subtract_points(o->e2, x[3], x[2]);
        subtract_points(o->w, x[2], x[0]);  // a0 + s e1 = b0 + r e2
        poly_cross(o->n, o->e1, o->e2);
        poly_dot(&o->normal_sq, o->n, o->n);
        const polynomial* along[2] = {o->e2, o->e1};
        for (int i = 0; i < 2; ++i) {  // s |n|^2 = (w x e2) . n, r |n|^2 = (w x e1) . n
            poly_cross(o->c, o->w, along[i]);
            polynomial* at = new_predicate(o);
            poly_dot(at, o->c, o->n);
            poly_sub(new_predicate(o), &o->normal_sq, at);
        }
        add_on_segment(o, x[0], x[2], x[3]);
        add_on_segment(o, x[1], x[2], x[3]);
        add_on_segment(o, x[2], x[0], x[1]);
        add_on_segment(o, x[3], x[0], x[1]);
    } else {
        subtract_points(o->e1, x[2], x[1]);
        subtract_points(o->e2, x[3], x[1]);
        subtract_points(o->w, x[1], x[0]);
        poly_cross(o->n, o->e1, o->e2);
        poly_dot(&o->normal_sq, o->n, o->n);
        for (int i = 0; i < 3; ++i) {
            subtract_points(o->u, x[1 + i], x[0]);
            subtract_points(o->v, x[1 + (i + 1) % 3], x[0]);
            poly_cross(o->c, o->u, o->v);
            poly_dot(new_predicate(o), o->c, o->n);
        }
        for (int i = 0; i < 3; ++i) {
            add_on_segment(o, x[0], x[1 + i], x[1 + (i + 1) % 3]);
        }
    }
    poly_dot(&o->cubic, o->n, o->w);
}

// contact at a time when all four points are in one plane
static bool contact_at(swept_oracle* o, bool edges, root* r) {
    const int sides = edges ? 4 : 3;
    if (sign_at(o, &o->normal_sq, r) != 0) {
        for (int i = 0; i < sides; ++i) {
            if (sign_at(o, &o->predicates[i], r) < 0) {
                return false;
            }
        }
        return true;
    }
    for (int i = sides; i < o->predicate_count; i += 4) {
        if (sign_at(o, &o->predicates[i], r) == 0 && sign_at(o, &o->predicates[i + 1], r) == 0 &&
            sign_at(o, &o->predicates[i + 2], r) == 0 &&
            sign_at(o, &o->predicates[i + 3], r) <= 0) {
            return true;
        }
    }
    return false;
}

// finds times that include the first contact
static void find_candidates(swept_oracle* o) {
    o->root_count = 0;
    if (poly_degree(&o->cubic) >= 0) {
        isolate(o, &o->cubic);
        return;
    }
    mpz_t end;
    mpz_init(end);
    for (unsigned long i = 0; i < 2; ++i) {
        mpz_set_ui(end, i);
        add_root(o, true, end, 0, NULL);
    }
    mpz_clear(end);
    for (int i = 0; i < o->predicate_count; ++i) {
        // a copy: contact_at() needs the predicate as it is
        polynomial* p = &o->copies[i];
        poly_set(p, &o->predicates[i]);
        if (poly_degree(p) > 0) {
            isolate(o, p);
        }
    }
}

// the sign of `r` less a time
static int compare_to(swept_oracle* o, root* r, double time) {
    polynomial line;
    int exponent;
    const double mantissa = frexp(time, &exponent);
    poly_init(&line);
    mpz_set_d(line.a[0], -ldexp(mantissa, 53));
    mpz_set_ui(line.a[1], 1);
    mpz_mul_2exp(line.a[1], line.a[1], (mp_bitcnt_t)(53 - exponent));
    const int sign = sign_at(o, &line, r);
    poly_clear(&line);
    return sign;
}

static double approximate(swept_oracle* o, root* r) {
    for (unsigned i = 0; !r->exact && i < 60; ++i) {
        piece_make(o, &o->pieces[1], r->of, r->place, r->depth);
        approach(r, &o->pieces[1], &o->pieces[2]);
    }
    long exponent;
    const double mantissa = mpz_get_d_2exp(&exponent, r->place);
    return ldexp(mantissa, (int)(exponent - (long)r->depth));
}

swept_truth swept_oracle_ask(swept_oracle* o, const double from[4][3], const double to[4][3],
                             bool edges, double time) {
    swept_truth truth = {false, false, false, 2.0};
    scale_to_integers(o, from, to);
    make_predicates(o, edges);
    find_candidates(o);
    for (int i = 0; i < o->root_count; ++i) {
        root* r = &o->roots[i];
        if (contact_at(o, edges, r)) {
            truth.contact = true;
            truth.at_start = truth.at_start || (r->exact && mpz_sgn(r->place) == 0);
            truth.before = truth.before || compare_to(o, r, time) < 0;
            const double when = approximate(o, r);
            truth.first = when < truth.first ? when : truth.first;
        }
    }
    return truth;
}

// ---- memory

static void each_polynomial(swept_oracle* o, void (*act)(polynomial*)) {
    polynomial* const lists[] = {&o->point[0][0], o->u,      o->v,      o->c,      o->e1,
                                 o->e2,           o->w,      o->n,      &o->cubic, &o->normal_sq,
                                 o->predicates,   o->copies, o->scratch};
    static const int counts[] = {12, 3, 3, 3, 3, 3, 3, 3, 1, 1, PREDICATES, PREDICATES, 6};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        for (int j = 0; j < counts[i]; ++j) {
            act(&lists[i][j]);
        }
    }
}

static void each_integer(swept_oracle* o, void (*act)(mpz_ptr)) {
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < COEFFICIENTS; ++j) {
            act(o->pieces[i].b[j]);
        }
    }
    for (int i = 0; i < ROOTS; ++i) {
        act(o->roots[i].place);
    }
    for (int i = 0; i < 6; ++i) {
        act(o->t[i]);
    }
}

swept_oracle* swept_oracle_create(void) {
    swept_oracle* o = calloc(1, sizeof *o);
    if (o == NULL) {
        abort();
    }
    each_polynomial(o, poly_init);
    each_integer(o, mpz_init);
    return o;
}

void swept_oracle_destroy(swept_oracle* o) {
    each_polynomial(o, poly_clear);
    each_integer(o, mpz_clear);
    free(o);
}
