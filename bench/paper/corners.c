// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sums over limited weights: see corners.h.
#include "bench/paper/corners.h"

#include <math.h>

// ---- the exact maximum

// Returns the sum where bit j of `upper` selects the end of weight j, and weight `free` takes the
// rest.
static double corner_value(uint32_t count, const double* least, const double* most,
                           const double* reach, uint32_t upper, uint32_t free) {
    double left = 1;
    double sum = 0;
    for (uint32_t j = 0; j < count; ++j) {
        if (j != free) {
            const double weight = (upper >> j & 1) != 0 ? most[j] : least[j];
            left -= weight;
            sum += weight * reach[j];
        }
    }
    const bool holds = least[free] <= left && left <= most[free];
    return holds ? sum + left * reach[free] : -INFINITY;
}

double corners_maximum(uint32_t count, const double* least, const double* most,
                       const double* reach) {
    double greatest = -INFINITY;
    for (uint32_t free = 0; free < count; ++free) {
        for (uint32_t upper = 0; upper < 1u << count; ++upper) {
            if ((upper >> free & 1) == 0) {  // the other half repeats it
                greatest = fmax(greatest, corner_value(count, least, most, reach, upper, free));
            }
        }
    }
    return greatest;
}

double corners_greedy(uint32_t count, const double* least, const double* most,
                      const double* reach) {
    double left = 1;
    double sum = 0;
    for (uint32_t j = 0; j < count; ++j) {
        left -= least[j];
        sum += least[j] * reach[j];
    }
    double above = INFINITY;
    while (left > 0) {
        double next = -INFINITY;
        for (uint32_t j = 0; j < count; ++j) {
            next = reach[j] < above && reach[j] > next ? reach[j] : next;
        }
        if (next == -INFINITY) {  // rounded limits may leave a small rest
            return sum + left * above;
        }
        for (uint32_t j = 0; j < count && left > 0; ++j) {
            if (reach[j] == next) {
                const double taken = fmin(left, most[j] - least[j]);
                sum += taken * next;
                left -= taken;
            }
        }
        above = next;
    }
    return sum;
}

// f is convex, with breakpoints at the b only.
double corners_dual(uint32_t count, const double* least, const double* most, const double* reach) {
    double best = INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        double left = 1;
        double f = 0;
        for (uint32_t j = 0; j < count; ++j) {
            left -= least[j];
            f += least[j] * reach[j] + (most[j] - least[j]) * fmax(0, reach[j] - reach[i]);
        }
        best = fmin(best, f + left * reach[i]);
    }
    return best;
}

// ---- the paper's bounds

// the two greatest
static void find_two(uint32_t count, const double* reach, uint32_t* first, uint32_t* second) {
    *first = 0;
    for (uint32_t j = 1; j < count; ++j) {
        *first = reach[j] > reach[*first] ? j : *first;
    }
    *second = *first == 0 ? 1 : 0;
    for (uint32_t j = 0; j < count; ++j) {
        *second = j != *first && reach[j] > reach[*second] ? j : *second;
    }
}

// Returns the sum with least weights except for two: weight `at_most` is the greatest, weight
// `rest` takes the rest.
static double paper_corner(uint32_t count, const double* least, const double* most,
                           const double* reach, uint32_t at_most, uint32_t rest) {
    double left = 1 - most[at_most];
    double sum = most[at_most] * reach[at_most];
    for (uint32_t j = 0; j < count; ++j) {
        if (j != at_most && j != rest) {
            left -= least[j];
            sum += least[j] * reach[j];
        }
    }
    return sum + left * reach[rest];
}

double corners_eq11(uint32_t count, const double* least, const double* most, const double* reach) {
    if (count == 1) {
        return reach[0];
    }
    uint32_t first;
    uint32_t second;
    find_two(count, reach, &first, &second);
    return paper_corner(count, least, most, reach, first, second);
}

double corners_paper(uint32_t count, const double* least, const double* most, const double* reach) {
    double greatest = -INFINITY;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0; j < count; ++j) {
            if (i != j) {
                greatest = fmax(greatest, paper_corner(count, least, most, reach, i, j));
            }
        }
    }
    return greatest;
}

bool corners_appendix(uint32_t count, const double* least, const double* most,
                      const double* reach) {
    uint32_t first;
    uint32_t second;
    find_two(count, reach, &first, &second);
    double left = 1 - most[second];
    for (uint32_t j = 0; j < count; ++j) {
        left -= j != first && j != second ? least[j] : 0;
    }
    return most[first] >= left;
}

// ---- random cases

#define WHOLE 65536  // a weight of 1

// splitmix64 (Steele, Lea, Flood 2014)
static uint32_t random_below(uint64_t* state, uint32_t bound) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * bound >> 32);
}

// Draws the weights of one vertex: parts of the whole, some of them 0.
static void draw_weights(uint64_t* state, uint32_t count, uint32_t* weights) {
    uint32_t part[CORNERS_MOST];
    uint64_t sum = 0;
    for (uint32_t j = 0; j < count; ++j) {
        part[j] = random_below(state, 4) == 0 ? 0 : 1 + random_below(state, WHOLE);
        sum += part[j];
    }
    uint32_t left = WHOLE;
    for (uint32_t j = 0; j < count; ++j) {
        weights[j] = sum == 0 ? 0 : (uint32_t)((uint64_t)WHOLE * part[j] / sum);
        left -= weights[j];
    }
    weights[random_below(state, count)] += left;
}

corners_case corners_random(uint64_t* state, corners_kind kind, uint32_t count) {
    corners_case c = {.count = count};
    const uint32_t vertices = kind == CORNERS_ANY   ? 1
                              : kind == CORNERS_FEW ? 2 + random_below(state, 3)
                                                    : 16;
    uint32_t least[CORNERS_MOST];
    uint32_t most[CORNERS_MOST];
    for (uint32_t v = 0; v < vertices; ++v) {
        uint32_t weights[CORNERS_MOST];
        draw_weights(state, count, weights);
        for (uint32_t j = 0; j < count; ++j) {
            least[j] = v == 0 || weights[j] < least[j] ? weights[j] : least[j];
            most[j] = v == 0 || weights[j] > most[j] ? weights[j] : most[j];
        }
    }
    for (uint32_t j = 0; j < count; ++j) {
        if (kind == CORNERS_ANY) {  // intervals around the weights of one vertex
            least[j] -= random_below(state, least[j] + 1);
            most[j] += random_below(state, WHOLE - most[j] + 1);
        }
        c.least[j] = least[j] / (double)WHOLE;
        c.most[j] = most[j] / (double)WHOLE;
        // Few values, so that some are equal.
        c.reach[j] = random_below(state, 2) == 0 ? random_below(state, 2049) / 1024.0 - 1
                                                 : random_below(state, 9) / 4.0 - 1;
    }
    return c;
}
