// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Wide integers: sign and magnitude, schoolbook products.
#include "exact/wide.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

int abut__wide_exponent(const double* values, uint32_t count) {
    int least = ABUT__WIDE_NO_EXPONENT;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__double_parts parts = abut__take_apart(values[i]);
        if (parts.mantissa != 0) {
            const int lowest = parts.exponent + __builtin_ctzll(parts.mantissa);
            least = lowest < least ? lowest : least;
        }
    }
    return least;
}

void abut__wide_set(abut__wide* out, double value, int exponent) {
    const abut__double_parts parts = abut__take_apart(value);
    if (parts.mantissa == 0) {
        out->sign = 0;
        out->size = 0;
        return;
    }
    out->sign = value < 0.0 ? -1 : 1;
    const int shift = parts.exponent - exponent;
    if (shift <= 0) {  // shifts out only zero bits
        out->limb[0] = parts.mantissa >> -shift;
        out->size = 1;
        return;
    }
    const uint32_t skipped = (uint32_t)shift / 64;
    const uint32_t bits = (uint32_t)shift % 64;
    memset(out->limb, 0, skipped * sizeof out->limb[0]);
    out->limb[skipped] = parts.mantissa << bits;
    out->size = skipped + 1;
    const uint64_t carried = bits == 0 ? 0 : parts.mantissa >> (64 - bits);
    if (carried != 0) {
        out->limb[out->size++] = carried;
    }
}

static void copy(abut__wide* out, const abut__wide* a, int32_t sign) {
    if (out != a) {
        memcpy(out->limb, a->limb, a->size * sizeof a->limb[0]);
        out->size = a->size;
    }
    out->sign = sign;
}

static int compare_magnitudes(const abut__wide* a, const abut__wide* b) {
    if (a->size != b->size) {
        return a->size < b->size ? -1 : 1;
    }
    for (uint32_t i = a->size; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

// out = |big| + |small|; big must have at least as many limbs.
static void add_magnitudes(abut__wide* out, const abut__wide* big, const abut__wide* small) {
    const uint32_t size = big->size;
    const uint32_t common = small->size;
    uint64_t carry = 0;
    uint32_t i = 0;
    for (; i < common; ++i) {
        const uint128 sum = (uint128)big->limb[i] + small->limb[i] + carry;
        out->limb[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    for (; i < size; ++i) {
        const uint128 sum = (uint128)big->limb[i] + carry;
        out->limb[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    out->size = size;
    if (carry != 0) {
        out->limb[out->size++] = carry;
    }
}

// out = |big| - |small|; requires |big| > |small|.
static void sub_magnitudes(abut__wide* out, const abut__wide* big, const abut__wide* small) {
    const uint32_t common = small->size;
    uint32_t size = big->size;
    uint64_t borrow = 0;
    uint32_t i = 0;
    for (; i < common; ++i) {
        const uint128 difference = (uint128)big->limb[i] - small->limb[i] - borrow;
        out->limb[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    for (; i < size; ++i) {
        const uint128 difference = (uint128)big->limb[i] - borrow;
        out->limb[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    while (out->limb[size - 1] == 0) {
        --size;
    }
    out->size = size;
}

static void add_signed(abut__wide* out, const abut__wide* a, const abut__wide* b, int32_t sign_b) {
    const int32_t sign_a = a->sign;
    if (sign_b == 0) {
        copy(out, a, sign_a);
        return;
    }
    if (sign_a == 0) {
        copy(out, b, sign_b);
        return;
    }
    if (sign_a == sign_b) {
        if (a->size >= b->size) {
            add_magnitudes(out, a, b);
        } else {
            add_magnitudes(out, b, a);
        }
        out->sign = sign_a;
        return;
    }
    const int order = compare_magnitudes(a, b);
    if (order == 0) {
        out->sign = 0;
        out->size = 0;
    } else if (order > 0) {
        sub_magnitudes(out, a, b);
        out->sign = sign_a;
    } else {
        sub_magnitudes(out, b, a);
        out->sign = sign_b;
    }
}

void abut__wide_add(abut__wide* out, const abut__wide* a, const abut__wide* b) {
    add_signed(out, a, b, b->sign);
}

void abut__wide_sub(abut__wide* out, const abut__wide* a, const abut__wide* b) {
    add_signed(out, a, b, -b->sign);
}

void abut__wide_mul(abut__wide* out, const abut__wide* a, const abut__wide* b) {
    out->sign = a->sign * b->sign;
    if (out->sign == 0) {
        out->size = 0;
        return;
    }
    memset(out->limb, 0, (a->size + b->size) * sizeof out->limb[0]);
    for (uint32_t i = 0; i < a->size; ++i) {
        const uint64_t factor = a->limb[i];
        uint64_t carry = 0;
        if (factor == 0) {  // scaled doubles have many low limbs that are 0
            continue;
        }
        for (uint32_t j = 0; j < b->size; ++j) {
            const uint128 sum = (uint128)factor * b->limb[j] + out->limb[i + j] + carry;
            out->limb[i + j] = (uint64_t)sum;
            carry = (uint64_t)(sum >> 64);
        }
        out->limb[i + b->size] = carry;
    }
    out->size = a->size + b->size;
    if (out->limb[out->size - 1] == 0) {
        --out->size;
    }
}

int abut__wide_compare(const abut__wide* a, const abut__wide* b) {
    if (a->sign != b->sign) {
        return a->sign < b->sign ? -1 : 1;
    }
    const int order = compare_magnitudes(a, b);
    return a->sign < 0 ? -order : order;
}

// The highest 64 bits, the top one set; |a| = (their value + less than 1) * 2^exponent.
static uint64_t leading_bits(const abut__wide* a, int* exponent) {
    const uint64_t top = a->limb[a->size - 1];
    const int shift = __builtin_clzll(top);
    const uint64_t below = a->size > 1 ? a->limb[a->size - 2] : 0;
    *exponent = 64 * ((int)a->size - 1) - shift;
    return shift == 0 ? top : top << shift | below >> (64 - shift);
}

double abut__wide_quotient(const abut__wide* a, const abut__wide* b, int exponent) {
    if (a->sign == 0) {
        return 0.0;
    }
    int exponent_a;
    int exponent_b;
    const uint64_t top_a = leading_bits(a, &exponent_a);
    const uint64_t top_b = leading_bits(b, &exponent_b);
    // both are truncated with a relative error below 2^-63, as is their quotient of 63 or 64 bits
    const uint128 quotient = ((uint128)top_a << 63) / top_b;
    const double rounded = (double)(uint64_t)quotient;
    const double value = scalbn(rounded, exponent_a - exponent_b - 63 + exponent);
    return a->sign * b->sign < 0 ? -value : value;
}
