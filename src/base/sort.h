// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stable sorts of 64-bit keys: least significant byte first, bytes that all keys share are skipped;
// short arrays by insertion. Linear time, no allocation: the caller passes the scratch memory.
#ifndef ABUT_BASE_SORT_H
#define ABUT_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

// A key and its value.
typedef struct abut__keyed {
    uint64_t key;
    uint64_t value;
} abut__keyed;

// All need `scratch` of `count` elements.
void abut__sort_keys(uint64_t* keys, uint64_t* scratch, size_t count);
// Sorts fewer than 2^32 keys by their upper halves, only as far as needed: a group of up to
// `enough` keys with equal leading bits may keep its order.
void abut__sort_upper(uint64_t* keys, uint64_t* scratch, size_t count, size_t enough);
void abut__sort_keyed(abut__keyed* items, abut__keyed* scratch, size_t count);

// Returns a key with the order of the doubles (-0 below +0); not for NaN.
uint64_t abut__key_of_double(double value);

#endif
