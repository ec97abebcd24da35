// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// GMP for the tests in WebAssembly: mini-gmp, which comes with GMP's source, and the few calls that it lacks.
#ifndef ABUT_TESTS_WASM_GMP_H
#define ABUT_TESTS_WASM_GMP_H

#include <stdio.h>

#include "mini-mpq.h"

void mpq_inits(mpq_t first, ...);
void mpq_clears(mpq_t first, ...);
double mpz_get_d_2exp(long* exponent, const mpz_t x);

// Floating-point numbers as rationals: the square root of one is right to 300 bits or more.
typedef mpq_t mpf_t;
#define mpf_init2(x, bits) mpq_init(x)
#define mpf_clear mpq_clear
#define mpf_set_q mpq_set
#define mpf_get_d mpq_get_d
void mpf_sqrt(mpf_t root, const mpf_t x);

#endif
