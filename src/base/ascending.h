// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Looks up numbers in short ascending lists. The lengths of lists vary, and a loop that ends with
// the list would be mispredicted each time. So it always compares eight numbers, and memory must be
// readable beyond the last list.
#ifndef ABUT_BASE_ASCENDING_H
#define ABUT_BASE_ASCENDING_H

#include <stdint.h>
#include <string.h>

#define ABUT__ASCENDING 8
#define ABUT__ASCENDING_BEYOND (ABUT__ASCENDING - 1)  // numbers read beyond a list; any values

// Returns the index of a number, or `count`. An empty list may be NULL.
static inline uint32_t abut__ascending_find(const uint32_t* list, uint32_t count, uint32_t number) {
    if (count == 0) {
        return 0;
    }
    uint32_t first = 0;
    uint32_t left = count;
    while (left > ABUT__ASCENDING) {
        const uint32_t half = left / 2;
        const uint32_t beyond = list[first + half] <= number;
        first += beyond * half;
        left = beyond != 0 ? left - half : half;
    }
    typedef uint32_t four __attribute__((vector_size(16)));
    four lower;
    four upper;
    memcpy(&lower, list + first, sizeof lower);
    memcpy(&upper, list + first + 4, sizeof upper);
    const four bits = (four)(lower == number) & (four){1, 2, 4, 8};
    const four more = (four)(upper == number) & (four){16, 32, 64, 128};
    const four both = bits | more;
    const uint32_t found = (both[0] | both[1] | both[2] | both[3]) & ((1u << left) - 1);
    return found != 0 ? first + (uint32_t)__builtin_ctz(found) : count;
}

#endif
