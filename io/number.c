// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Converts decimal text to double, correctly rounded, by the cheapest of three methods that is
// exact:
//   1. at most 2^53 and a power of ten up to 22: one exact double operation
//      (Clinger, How to read floating point numbers accurately, 1990);
//   2. up to 19 digits divided by up to 10^27: one 128-bit division, whose remainder decides ties;
//   3. everything else: strtod on digits and exponent without a decimal point, so that the result
//      does not depend on the locale.
#include "io/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// one scanned number; its value is sign x digits x 10^exponent
typedef struct decimal {
    const char* digits;      // first byte after the sign
    const char* digits_end;  // one past the last digit before the exponent; may span one '.'
    uint64_t value;          // all digits as an integer; meaningful if count <= 19
    int64_t count;           // digits from the first that is not 0
    int64_t exponent;        // power of ten of the last digit
    bool negative;
} decimal;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool io_read_integer(const char** at, const char* end, int64_t* out) {
    const char* p = *at;
    const bool negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        ++p;
    }
    if (p == end || !is_digit(*p)) {
        return false;
    }
    int64_t value = 0;  // accumulated as a negative number: that range is larger by one
    for (; p < end && is_digit(*p); ++p) {
        const int64_t digit = *p - '0';
        value = value < (INT64_MIN + digit) / 10 ? INT64_MIN : value * 10 - digit;
    }
    *out = negative ? value : (value == INT64_MIN ? INT64_MAX : -value);
    *at = p;
    return true;
}

// reads [e [+-] digits]; an 'e' without digits stays unread, and the caller finds no separator
// there
static const char* read_exponent(const char* p, const char* end, int64_t* exponent) {
    const int64_t clamp = INT64_C(1) << 60;  // out of range; adding a digit count cannot overflow
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char* after = p + 1;
        int64_t value = 0;
        if (io_read_integer(&after, end, &value)) {
            value = value > clamp ? clamp : value;
            *exponent += value < -clamp ? -clamp : value;
            return after;
        }
    }
    return p;
}

// reads the digits; returns the end of the number, or NULL if there is no digit
static const char* scan(const char* p, const char* end, decimal* d) {
    d->negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) {
        ++p;
    }
    d->digits = p;
    uint64_t value = 0;  // wraps beyond 19 digits, which `count` shows
    for (; p < end && is_digit(*p); ++p) {
        value = value * 10 + (uint64_t)(*p - '0');
    }
    int64_t count = p - d->digits;
    d->exponent = 0;
    if (p < end && *p == '.') {
        const char* fraction = ++p;
        for (; p < end && is_digit(*p); ++p) {
            value = value * 10 + (uint64_t)(*p - '0');
        }
        d->exponent = -(int64_t)(p - fraction);
        count -= d->exponent;
    }
    if (count == 0) {
        return NULL;
    }
    d->digits_end = p;
    d->value = value;
    if (count > 19) {  // leading zeros do not count
        for (const char* z = d->digits; z < p && (*z == '0' || *z == '.'); ++z) {
            count -= *z == '0';
        }
    }
    d->count = count;
    return read_exponent(p, end, &d->exponent);
}

#if FLT_EVAL_METHOD == 0
static bool convert_by_double(const decimal* d, double* out) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (d->value > UINT64_C(1) << 53 || d->exponent < -22 || d->exponent > 22) {
        return false;
    }
    const double value = (double)d->value;
    *out = d->exponent < 0 ? value / powers[-d->exponent] : value * powers[d->exponent];
    return true;
}
#else
static bool convert_by_double(const decimal* d, double* out) {
    (void)d, (void)out;  // extended precision would round twice
    return false;
}
#endif

#if defined(__SIZEOF_INT128__)
// value / 5^k x 2^-k with k = -exponent: the quotient of the normalised numbers has 63 or 64 bits,
// ten more than a double, and the remainder says whether anything follows them
static bool convert_by_division(const decimal* d, double* out) {
    __extension__ typedef unsigned __int128 wide;
    if (d->value == 0 || d->exponent < -27 || d->exponent > 0) {
        return false;
    }
    const int k = (int)-d->exponent;
    uint64_t divisor = 1;
    for (int i = 0; i < k; ++i) {
        divisor *= 5;
    }
    const int value_shift = __builtin_clzll(d->value);
    const int divisor_shift = __builtin_clzll(divisor);
    divisor <<= divisor_shift;
    const wide dividend = (wide)(d->value << value_shift) << 63;
    const uint64_t quotient = (uint64_t)(dividend / divisor);
    const bool inexact = dividend % divisor != 0;

    const int drop = 11 - __builtin_clzll(quotient);
    uint64_t mantissa = quotient >> drop;
    const uint64_t rest = quotient & ((UINT64_C(1) << drop) - 1);
    const uint64_t half = UINT64_C(1) << (drop - 1);
    if (rest > half || (rest == half && (inexact || (mantissa & 1) != 0))) {
        ++mantissa;  // 2^53 at most, still exact as a double
    }
    // a power of two near 1: the product is exact and normal
    const int power = drop + divisor_shift - value_shift - 63 - k;
    const uint64_t bits = (uint64_t)(power + 1023) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    *out = (double)mantissa * scale;
    return true;
}
#else
static bool convert_by_division(const decimal* d, double* out) {
    (void)d, (void)out;
    return false;
}
#endif

// strtod on the significant digits. A double that lies halfway between two neighbours has at most
// 767 of them; of what comes later only "is there anything but zeros" matters.
static double convert_by_strtod(const decimal* d) {
    enum { MOST = 780 };
    char text[MOST + 32];
    size_t used = 0;
    int64_t exponent = d->exponent;
    bool more = false;
    for (const char* p = d->digits; p < d->digits_end; ++p) {
        if (*p == '.' || (*p == '0' && used == 0)) {
            continue;
        }
        if (used < MOST) {
            text[used++] = *p;
        } else {
            more = more || *p != '0';
            ++exponent;
        }
    }
    if (used == 0) {
        return 0.0;
    }
    if (more) {
        text[used++] = '1';
        --exponent;
    }
    const int64_t clamp = 100000;  // 780 digits x 10^-100000 is 0 as a double
    exponent = exponent > clamp ? clamp : (exponent < -clamp ? -clamp : exponent);
    snprintf(text + used, sizeof text - used, "e%d", (int)exponent);
    return strtod(text, NULL);
}

static bool is_word(const char* p, const char* end, const char* word) {
    for (; *word != '\0'; ++word, ++p) {
        if (p == end || (*p | 0x20) != *word) {
            return false;
        }
    }
    return true;
}

io_number_result io_read_double(const char** at, const char* end, double* out) {
    decimal d;
    const char* after = scan(*at, end, &d);
    if (after == NULL) {
        const bool named = is_word(d.digits, end, "nan") || is_word(d.digits, end, "inf");
        return named ? IO_NUMBER_NOT_FINITE : IO_NUMBER_MISSING;
    }
    double value;
    if (d.count > 19 || !(convert_by_double(&d, &value) || convert_by_division(&d, &value))) {
        value = convert_by_strtod(&d);
    }
    if (!isfinite(value)) {
        return IO_NUMBER_NOT_FINITE;
    }
    *out = d.negative ? -value : value;
    *at = after;
    return IO_NUMBER_OK;
}
