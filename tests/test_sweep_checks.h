// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checks the promises of sweeps of moving primitives against exact integers.
#ifndef ABUT_TESTS_SWEEP_CHECKS_H
#define ABUT_TESTS_SWEEP_CHECKS_H

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on

#include "abut/sweep.h"
#include "support/swept_oracle.h"
#include "support/world.h"
#include "test_sweep_cases.h"

typedef struct sweep_counts {
    uint64_t contacts;  // true contacts
    uint64_t near;      // reported, though the distance is positive but below the tolerance
    uint64_t undecided;
    double worst;  // greatest distance at a reported time, in units of the tolerance
} sweep_counts;

static inline void sweep_fail(const sweep_case* c, uint64_t seed, uint64_t index,
                              const abut_sweep_contact* got, const swept_truth* truth,
                              const char* what) {
    print_message("seed %llu, query %llu (family %d, %s): %s\n", (unsigned long long)seed,
                  (unsigned long long)index, c->family, c->edges ? "edges" : "vertex and face",
                  what);
    print_message("verdict %d at %.17g, the truth is %d at %.17g\n", (int)got->verdict, got->time,
                  truth->contact, truth->first);
    for (int end = 0; end < 2; ++end) {
        for (int i = 0; i < 4; ++i) {
            print_message("  %a, %a, %a\n", c->x[end][i][0], c->x[end][i][1], c->x[end][i][2]);
        }
    }
    fail();
}

// the distance of the points that the weights name, at the reported time
static inline double sweep_distance(const sweep_case* c, const abut_sweep_contact* got) {
    long double sum = 0;
    for (int k = 0; k < 3; ++k) {
        long double d = 0;
        for (int i = 0; i < 4; ++i) {
            const long double t = got->time;
            const long double from = (long double)c->x[0][i][k] - c->x[0][0][k];
            const long double to = (long double)c->x[1][i][k] - c->x[1][0][k];
            const long double x = (1 - t) * from + t * to;  // from the first point
            const int second = c->edges ? i >= 2 : i >= 1;
            d += (second ? -1 : 1) * (long double)got->weights[i] * x;
        }
        sum += d * d;
    }
    return (double)sqrtl(sum);
}

// the allowed distance: the tolerance times the longest edge, or a bound by the extent if that is
// more
static inline double sweep_allowed(const sweep_case* c, double tolerance) {
    double longest = 0;
    double extent = 0;
    for (int end = 0; end < 2; ++end) {
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < i; ++j) {
                double sum = 0;
                for (int k = 0; k < 3; ++k) {
                    const double d = 0x1p-400 * c->x[end][i][k] - 0x1p-400 * c->x[end][j][k];
                    sum += d * d * 0x1p200 * 0x1p200;
                    extent = fmax(extent, fabs(c->x[end][i][k] - c->x[end][j][k]));
                }
                const bool edge = c->edges ? i / 2 == j / 2 : j > 0;
                longest = edge ? fmax(longest, sqrt(sum) * 0x1p200) : longest;
            }
        }
    }
    return fmax(tolerance * longest, ABUT_TOLERANCE_MIN * extent);
}

static inline void sweep_check_description(const sweep_case* c, uint64_t seed, uint64_t index,
                                           const abut_sweep_contact* got,
                                           const swept_truth* truth) {
    const double* w = got->weights;
    const double* n = got->normal;
    const double length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const double first = c->edges ? w[0] + w[1] : w[0];
    const double second = c->edges ? w[2] + w[3] : w[1] + w[2] + w[3];
    const double least = fmin(fmin(w[0], w[1]), fmin(w[2], w[3]));
    if (!(fabs(length - 1) < 1e-12 && fabs(first - 1) < 1e-12 && fabs(second - 1) < 1e-12 &&
          least >= 0)) {
        sweep_fail(c, seed, index, got, truth, "the normal or the weights are not as promised");
    }
}

static inline void sweep_check(swept_oracle* exact, const sweep_case* c, uint64_t seed,
                               uint64_t index, double tolerance, const abut_sweep_contact* got,
                               sweep_counts* counts) {
    const swept_truth truth = swept_oracle_ask(exact, c->x[0], c->x[1], c->edges, got->time);
    const bool contact = got->verdict != ABUT_SWEEP_VERDICT_NONE;
    counts->contacts += truth.contact;
    counts->undecided += got->verdict == ABUT_SWEEP_VERDICT_UNDECIDED;
    counts->near += contact && !truth.contact;
    if (truth.contact && !contact) {
        sweep_fail(c, seed, index, got, &truth, "missed");
    }
    // no positive double may be early enough: then the smallest one is returned
    const bool least = got->verdict == ABUT_SWEEP_VERDICT_UNDECIDED && got->time == 0x1p-1074;
    if (contact && truth.before && !least) {
        sweep_fail(c, seed, index, got, &truth, "late");
    }
    if (contact && (got->time == 0) != truth.at_start) {
        sweep_fail(c, seed, index, got, &truth, "a time of 0 must mean contact at the start");
    }
    if (contact) {
        sweep_check_description(c, seed, index, got, &truth);
    }
    if (got->verdict == ABUT_SWEEP_VERDICT_CONTACT) {
        const double gap = sweep_distance(c, got);
        // all points may coincide
        const double worst = gap == 0 ? 0 : gap / sweep_allowed(c, tolerance);
        counts->worst = fmax(counts->worst, worst);
        if (!(worst <= 1)) {
            sweep_fail(c, seed, index, got, &truth, "farther than the tolerance");
        }
    }
}

static inline void sweep_print(uint64_t seed, uint64_t count, const sweep_counts* counts) {
    print_message("seed %llu: %llu queries, %llu contacts, %llu near, %llu undecided, worst %g\n",
                  (unsigned long long)seed, (unsigned long long)count,
                  (unsigned long long)counts->contacts, (unsigned long long)counts->near,
                  (unsigned long long)counts->undecided, counts->worst);
}

static inline sweep_counts sweep_check_some(uint64_t seed, uint64_t first, uint64_t count) {
    static const double tolerances[] = {ABUT_TOLERANCE_DEFAULT, ABUT_TOLERANCE_MIN, 1e-3};
    swept_oracle* exact = swept_oracle_create();
    sweep_counts counts = {0, 0, 0, 0};
    for (uint64_t i = first; i < first + count; ++i) {
        const sweep_case c = sweep_case_make(seed, i);
        const double tolerance = tolerances[i / SWEEP_FAMILIES % 3];
        abut_sweep_contact got;
        const abut_status status = (c.edges ? abut_edge_edge_sweep : abut_vertex_face_sweep)(
            NULL, 1, &c.x[0], &c.x[1], tolerance, 0.0, &got);
        assert_int_equal(status, ABUT_OK);
        sweep_check(exact, &c, seed, i, tolerance, &got, &counts);
    }
    swept_oracle_destroy(exact);
    return counts;
}

static inline sweep_counts sweep_check_many(uint64_t seed, uint64_t first, uint64_t count) {
    const sweep_counts counts = sweep_check_some(seed, first, count);
    sweep_print(seed, count, &counts);
    return counts;
}

#endif
