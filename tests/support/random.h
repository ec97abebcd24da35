// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Random numbers for tests: xoshiro256** seeded by splitmix64. Equal seeds give equal sequences on
// every machine, so a failing test is replayed by the seed that it prints.
//
// Based on: Blackman, Vigna, "Scrambled linear pseudorandom number generators", 2021.

#ifndef ABUT_TESTS_SUPPORT_RANDOM_H
#define ABUT_TESTS_SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct test_random {
    uint64_t state[4];
} test_random;

/// A generator for `seed`; every value is fine, neighbouring seeds give unrelated sequences.
test_random random_seed(uint64_t seed);

/// 64 random bits.
uint64_t random_bits(test_random* random);

/// A uniform integer below `bound`, without bias. `bound` must be positive.
uint32_t random_below(test_random* random, uint32_t bound);

/// A uniform integer in [low, high], both included.
int32_t random_between(test_random* random, int32_t low, int32_t high);

/// A uniform multiple of 2^-53 in [0, 1).
double random_unit(test_random* random);

/// A uniform double in [low, high); `high` itself only if rounding gives it.
double random_double(test_random* random, double low, double high);

/// A multiple of `step` (a power of two) in [-range, range]: exact in every sum of a few of them,
/// which makes ties (coplanar, touching) frequent and their true answer easy to state.
double random_dyadic(test_random* random, double range, double step);

/// Any finite double: random sign, exponent and mantissa, with denormals and zeros.
double random_finite(test_random* random);

/// True with probability `chance`.
bool random_chance(test_random* random, double chance);

/// Fills `order` with a random permutation of 0 .. count - 1.
void random_permutation(test_random* random, uint32_t* order, uint32_t count);

#endif  // ABUT_TESTS_SUPPORT_RANDOM_H
