// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stable sorts of 64-bit keys: least significant byte first, bytes that all keys share are
// skipped; short arrays by insertion. Linear time, no allocation: the caller brings the scratch.
#ifndef ABUT_BASE_SORT_H
#define ABUT_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

// A key and what travels with it.
typedef struct abut__keyed {
    uint64_t key;
    uint64_t value;
} abut__keyed;

// All need `scratch` of `count` elements.
void abut__sort_keys(uint64_t* keys, uint64_t* scratch, size_t count);
// Fewer than 2^32 keys by their upper halves, and only as far as needed: any that share enough
// leading bits and are no more than `enough` may stay in the order they had.
void abut__sort_upper(uint64_t* keys, uint64_t* scratch, size_t count, size_t enough);
void abut__sort_keyed(abut__keyed* items, abut__keyed* scratch, size_t count);

// A key with the order of the doubles (-0 below +0); not for NaN.
uint64_t abut__key_of_double(double value);

#endif
