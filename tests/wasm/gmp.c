// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Calls of GMP that mini-gmp lacks: see include/gmp.h.
#include <gmp.h>
#include <math.h>
#include <stdarg.h>

void mpq_inits(mpq_t first, ...) {
    va_list rest;
    va_start(rest, first);
    for (mpq_ptr x = first; x != NULL; x = va_arg(rest, mpq_ptr)) {
        mpq_init(x);
    }
    va_end(rest);
}

void mpq_clears(mpq_t first, ...) {
    va_list rest;
    va_start(rest, first);
    for (mpq_ptr x = first; x != NULL; x = va_arg(rest, mpq_ptr)) {
        mpq_clear(x);
    }
    va_end(rest);
}

double mpz_get_d_2exp(long* exponent, const mpz_t x) {
    const size_t bits = mpz_sgn(x) == 0 ? 0 : mpz_sizeinbase(x, 2);
    mpz_t top;
    mpz_init(top);
    const size_t cut = bits > 64 ? bits - 64 : 0;
    mpz_tdiv_q_2exp(top, x, cut);
    int part = 0;
    const double mantissa = frexp(mpz_get_d(top), &part);
    mpz_clear(top);
    *exponent = (long)cut + part;
    return mantissa;
}

void mpf_sqrt(mpf_t root, const mpf_t x) {
    enum { BITS = 400 };
    mpz_t n;
    mpz_init(n);
    mpz_mul(n, mpq_numref(x), mpq_denref(x));
    mpz_mul_2exp(n, n, 2 * BITS);
    mpz_sqrt(n, n);  // of x times (denominator 2^BITS)^2
    mpz_t d;
    mpz_init(d);
    mpz_mul_2exp(d, mpq_denref(x), BITS);
    mpq_set_num(root, n);
    mpq_set_den(root, d);
    mpq_canonicalize(root);
    mpz_clear(d);
    mpz_clear(n);
}
