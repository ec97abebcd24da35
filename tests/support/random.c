// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// xoshiro256** and the distributions that tests use.

#include "support/random.h"

#include <math.h>
#include <string.h>

static uint64_t splitmix(uint64_t* state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t rotate_left(uint64_t x, int bits) {
    return (x << bits) | (x >> (64 - bits));
}

test_random random_seed(uint64_t seed) {
    test_random random;
    for (int i = 0; i < 4; ++i) {
        random.state[i] = splitmix(&seed);
    }
    return random;
}

uint64_t random_bits(test_random* random) {
    uint64_t* s = random->state;
    const uint64_t result = rotate_left(s[1] * 5, 7) * 9;
    const uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

uint32_t random_below(test_random* random, uint32_t bound) {
    // values below 2^32 mod bound are drawn again, so that the rest divides evenly
    const uint32_t skip = (0u - bound) % bound;
    for (;;) {
        const uint32_t draw = (uint32_t)(random_bits(random) >> 32);
        if (draw >= skip) {
            return draw % bound;
        }
    }
}

int32_t random_between(test_random* random, int32_t low, int32_t high) {
    const uint32_t span = (uint32_t)high - (uint32_t)low;
    if (span == UINT32_MAX) {
        return (int32_t)(uint32_t)(random_bits(random) >> 32);
    }
    return (int32_t)((int64_t)low + (int64_t)random_below(random, span + 1));
}

double random_unit(test_random* random) {
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

double random_double(test_random* random, double low, double high) {
    return low + (high - low) * random_unit(random);
}

double random_dyadic(test_random* random, double range, double step) {
    const double most = range / step;
    if (most > INT32_MAX) {
        const int64_t steps = (int64_t)most;
        return step * (double)((int64_t)(random_bits(random) % (2 * (uint64_t)steps + 1)) - steps);
    }
    const int32_t steps = (int32_t)most;
    return step * (double)random_between(random, -steps, steps);
}

double random_finite(test_random* random) {
    double value;
    do {
        const uint64_t bits = random_bits(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

bool random_chance(test_random* random, double chance) {
    return random_unit(random) < chance;
}

void random_permutation(test_random* random, uint32_t* order, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t j = random_below(random, i + 1);
        order[i] = order[j];  // j == i reads what the next line overwrites
        order[j] = i;
    }
}
