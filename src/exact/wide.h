// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Wide integers: the last stage of every exact decision. The doubles of one test are scaled by one
// power of two to integers; then sums and products never round, overflow or underflow. The scale
// depends on the data, so ordinary data give integers of two or three limbs.
//
// Capacity. A finite double is an integer multiple of 2^-1074 below 2^1024, so scaled coordinates
// have at most 2098 bits and differences 2099. The highest degree in use is 6, in features_wide.c:
// (n . w)^2 with n . w a sum of 6 products of 3 differences: below 2^(3 * 2099 + 3), its square
// below 2^12600. In limbs: 33 for a difference, 66 for n, 99 for n . w. A product writes as many
// limbs as its factors have together: 198.
#ifndef ABUT_EXACT_WIDE_H
#define ABUT_EXACT_WIDE_H

#include <stdint.h>
#include <string.h>

enum { ABUT__WIDE_LIMBS = 200 };

typedef struct abut__wide {
    int32_t sign;   // -1, 0 or 1
    uint32_t size;  // limbs in use; the highest is not 0
    uint64_t limb[ABUT__WIDE_LIMBS];
} abut__wide;

// |value| = mantissa * 2^exponent
typedef struct abut__double_parts {
    uint64_t mantissa;
    int exponent;
} abut__double_parts;

static inline abut__double_parts abut__take_apart(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
    const int biased = (int)(bits >> 52 & 0x7ff);
    const uint64_t leading = (uint64_t)(biased != 0) << 52;
    return (abut__double_parts){fraction | leading, biased + (biased == 0) - 1075};
}

// Returns the greatest e such that all values are integer multiples of 2^e. The lesser of two such
// exponents suits both sets. The result for a set of zeros is:
#define ABUT__WIDE_NO_EXPONENT 4096
int abut__wide_exponent(const double* values, uint32_t count);

// out = value / 2^exponent, which must be an integer.
void abut__wide_set(abut__wide* out, double value, int exponent);

// Sums and differences may overwrite an operand; products may not.
void abut__wide_add(abut__wide* out, const abut__wide* a, const abut__wide* b);
void abut__wide_sub(abut__wide* out, const abut__wide* a, const abut__wide* b);
void abut__wide_mul(abut__wide* out, const abut__wide* a, const abut__wide* b);

// the sign of a - b
int abut__wide_compare(const abut__wide* a, const abut__wide* b);

// Returns a / b * 2^exponent as a double, at most one ulp off. b must not be 0, and the result must
// be within the range of double.
double abut__wide_quotient(const abut__wide* a, const abut__wide* b, int exponent);

#endif
