// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Orientation signs from residues. Scaled by a common power of two, coordinates are integers, and
// so is the determinant D. An estimate in doubles shows that |D| < 2^(N - 1); then D follows from D
// modulo 2^N, which takes only sums and products that wrap around. A determinant that the filter
// cannot decide is small against its terms. Therefore N = 192 decides differences of up to 78 bits
// in three dimensions and N = 128 up to 87 bits in two: almost all ties of ordinary data, with a
// few dozen products.
//
// Based on: the idea of Brönnimann, Emiris, Pan, Pion, "Sign determination in residue number
// systems", Theoretical Computer Science 210 (1999), with one modulus that the machine computes in
// and a floating-point estimate in place of reconstruction.
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "exact/orient.h"
#include "exact/wide.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 int128;

// An integer modulo 2^192, lowest limb first, in two's complement.
typedef struct {
    uint64_t limb[3];
} residue;

static inline residue residue_sub(residue a, residue b) {
    const uint128 low_a = (uint128)a.limb[1] << 64 | a.limb[0];
    const uint128 low_b = (uint128)b.limb[1] << 64 | b.limb[0];
    const uint128 low = low_a - low_b;
    return (residue){
        {(uint64_t)low, (uint64_t)(low >> 64), a.limb[2] - b.limb[2] - (uint64_t)(low_a < low_b)}};
}

static inline residue residue_add(residue a, residue b) {
    const uint128 low_a = (uint128)a.limb[1] << 64 | a.limb[0];
    const uint128 low_b = (uint128)b.limb[1] << 64 | b.limb[0];
    const uint128 low = low_a + low_b;
    return (residue){
        {(uint64_t)low, (uint64_t)(low >> 64), a.limb[2] + b.limb[2] + (uint64_t)(low < low_a)}};
}

static inline residue residue_mul(residue a, residue b) {
    const uint128 low = (uint128)a.limb[0] * b.limb[0];
    const uint128 first = (uint128)a.limb[0] * b.limb[1] + (uint64_t)(low >> 64);
    const uint128 second = (uint128)a.limb[1] * b.limb[0] + (uint64_t)first;
    const uint64_t high = (uint64_t)(first >> 64) + (uint64_t)(second >> 64) +
                          a.limb[0] * b.limb[2] + a.limb[1] * b.limb[1] + a.limb[2] * b.limb[0];
    return (residue){{(uint64_t)low, (uint64_t)second, high}};
}

static inline residue residue_from(int128 a) {
    return (residue){{(uint64_t)a, (uint64_t)((uint128)a >> 64), (uint64_t)(a >> 127)}};
}

static int residue_sign(residue a) {
    if (a.limb[2] >> 63 != 0) {
        return -1;
    }
    return (a.limb[0] | a.limb[1] | a.limb[2]) != 0 ? 1 : 0;
}

// Coordinates as integers: multiples of 2^exponent, all below 2^126 in magnitude, so that
// differences fit.
typedef struct {
    int exponent;
    bool fits;
} scale;

static inline scale common_scale(const double* values, int count) {
    int lowest = ABUT__WIDE_NO_EXPONENT;
    int highest = -ABUT__WIDE_NO_EXPONENT;
    for (int i = 0; i < count; ++i) {
        const abut__double_parts parts = abut__take_apart(values[i]);
        if (parts.mantissa != 0) {
            const int low = parts.exponent + __builtin_ctzll(parts.mantissa);
            lowest = low < lowest ? low : lowest;
            highest = parts.exponent > highest ? parts.exponent : highest;
        }
    }
    return (scale){lowest, highest + 53 - lowest < 126};
}

static inline int128 scaled(double value, int exponent) {
    const abut__double_parts parts = abut__take_apart(value);
    const int128 mantissa = (int128)(value < 0.0 ? -(int64_t)parts.mantissa
                                                 : (int64_t)parts.mantissa);
    const int shift = parts.exponent - exponent;
    // only zero bits are shifted out; the value 0 may have any exponent
    const int left = shift < 0 ? 0 : shift;
    const int right = shift > 0 ? 0 : shift < -63 ? 63 : -shift;
    return (int128)((uint128)(mantissa >> right) << left);
}

// Tells whether the estimated value is certainly below 2^exponent.
static bool is_below(abut__estimate e, int exponent) {
    const double magnitude = (e.determinant < 0.0 ? -e.determinant : e.determinant) + e.bound;
    if (!(magnitude < 0x1p1000)) {
        return false;
    }
    // one bit of slack covers the rounding of the sum
    return abut__take_apart(magnitude).exponent + 53 < exponent;
}

// u v' - u' v
static inline residue residue_minor(residue u, residue u1, residue v, residue v1) {
    return residue_sub(residue_mul(u, v1), residue_mul(u1, v));
}

static inline residue scaled_difference(double a, double b, int exponent) {
    return residue_from(scaled(a, exponent) - scaled(b, exponent));
}

int abut__orient3d_resolve(abut__estimate e, const double a[3], const double b[3],
                           const double c[3], const double d[3]) {
    const double values[12] = {a[0], a[1], a[2], b[0], b[1], b[2],
                               c[0], c[1], c[2], d[0], d[1], d[2]};
    const scale s = common_scale(values, 12);
    if (!s.fits || !is_below(e, 3 * s.exponent + 191)) {
        return ABUT__UNDECIDED;
    }
    const residue ux = scaled_difference(b[0], a[0], s.exponent);
    const residue uy = scaled_difference(b[1], a[1], s.exponent);
    const residue uz = scaled_difference(b[2], a[2], s.exponent);
    const residue vx = scaled_difference(c[0], a[0], s.exponent);
    const residue vy = scaled_difference(c[1], a[1], s.exponent);
    const residue vz = scaled_difference(c[2], a[2], s.exponent);
    const residue wx = scaled_difference(d[0], a[0], s.exponent);
    const residue wy = scaled_difference(d[1], a[1], s.exponent);
    const residue wz = scaled_difference(d[2], a[2], s.exponent);
    const residue x = residue_mul(residue_minor(uy, uz, vy, vz), wx);
    const residue y = residue_mul(residue_minor(uz, ux, vz, vx), wy);
    const residue z = residue_mul(residue_minor(ux, uy, vx, vy), wz);
    return residue_sign(residue_add(residue_add(x, y), z));
}

int abut__orient2d_resolve(abut__estimate e, const double a[3], const double b[3],
                           const double c[3], int axis) {
    const int i = (axis + 1) % 3;
    const int j = (axis + 2) % 3;
    const double values[6] = {a[i], a[j], b[i], b[j], c[i], c[j]};
    const scale s = common_scale(values, 6);
    if (!s.fits || !is_below(e, 2 * s.exponent + 127)) {
        return ABUT__UNDECIDED;
    }
    const uint128 ui = (uint128)scaled(b[i], s.exponent) - (uint128)scaled(a[i], s.exponent);
    const uint128 uj = (uint128)scaled(b[j], s.exponent) - (uint128)scaled(a[j], s.exponent);
    const uint128 vi = (uint128)scaled(c[i], s.exponent) - (uint128)scaled(a[i], s.exponent);
    const uint128 vj = (uint128)scaled(c[j], s.exponent) - (uint128)scaled(a[j], s.exponent);
    const uint128 det = ui * vj - uj * vi;
    return det >> 127 != 0 ? -1 : det != 0 ? 1 : 0;
}

int abut__orient3d_residue(const double a[3], const double b[3], const double c[3],
                           const double d[3]) {
    return abut__orient3d_resolve(abut__orient3d_estimate(a, b, c, d), a, b, c, d);
}

int abut__orient2d_residue(const double a[3], const double b[3], const double c[3], int axis) {
    return abut__orient2d_resolve(abut__orient2d_estimate(a, b, c, axis), a, b, c, axis);
}
