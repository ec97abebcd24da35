// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An oracle for moving primitives in GMP integers. Coordinates are scaled to integers, so all
// predicates are polynomials in time. Their roots in [0, 1] are isolated exactly by bisection.
// Signs at a root are found by bisection, too, or by common divisors where they are 0. It shares no
// code and no idea with the library, which never searches for a root. Slow, and for one thread
// only.
#ifndef ABUT_TESTS_SWEPT_ORACLE_H
#define ABUT_TESTS_SWEPT_ORACLE_H

#include <stdbool.h>

typedef struct swept_oracle swept_oracle;
swept_oracle* swept_oracle_create(void);
void swept_oracle_destroy(swept_oracle* oracle);

// The truth about four points that move from `from` to `to`: vertex and face, or two edges.
typedef struct swept_truth {
    bool contact;   // at some time in [0, 1]
    bool at_start;  // at 0
    bool before;    // at some time in [0, time), for the `time` of the query
    double first;   // time of first contact, approximate
} swept_truth;
swept_truth swept_oracle_ask(swept_oracle* oracle, const double from[4][3], const double to[4][3],
                             bool edges, double time);

#endif
