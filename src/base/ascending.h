// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Looking up numbers in short ascending lists. How many numbers a list has differs from one to the
// next, and a loop that ends where the list does is guessed wrong each time: so always eight are
// compared, and memory must go on beyond the last list.
#ifndef ABUT_BASE_ASCENDING_H
#define ABUT_BASE_ASCENDING_H

#include <stdint.h>
#include <string.h>

#define ABUT__ASCENDING 8
#define ABUT__ASCENDING_BEYOND (ABUT__ASCENDING - 1)  // numbers that are read, whatever they are

// Where a number is, or `count`. A list of none need not be anywhere.
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
