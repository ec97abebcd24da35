// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stable radix sorts.
#include "base/sort.h"

#include <string.h>

#define SHORT 48

// One source for both element types: KEY(e) is the element's key.
#define DEFINE_SORT(name, type, KEY)                                                    \
    static void name##_short(type* items, size_t count) {                               \
        for (size_t i = 1; i < count; ++i) {                                            \
            const type item = items[i];                                                 \
            size_t k = i;                                                               \
            for (; k > 0 && KEY(items[k - 1]) > KEY(item); --k) {                       \
                items[k] = items[k - 1];                                                \
            }                                                                           \
            items[k] = item;                                                            \
        }                                                                               \
    }                                                                                   \
    static void name##_pass(const type* from, type* to, size_t count, unsigned shift) { \
        size_t start[256] = {0};                                                        \
        for (size_t i = 0; i < count; ++i) {                                            \
            ++start[KEY(from[i]) >> shift & 255];                                       \
        }                                                                               \
        size_t sum = 0;                                                                 \
        for (size_t b = 0; b < 256; ++b) {                                              \
            const size_t size = start[b];                                               \
            start[b] = sum;                                                             \
            sum += size;                                                                \
        }                                                                               \
        for (size_t i = 0; i < count; ++i) {                                            \
            to[start[KEY(from[i]) >> shift & 255]++] = from[i];                         \
        }                                                                               \
    }                                                                                   \
    static void name(type* items, type* scratch, size_t count) {                        \
        if (count <= SHORT) {                                                           \
            name##_short(items, count);                                                 \
            return;                                                                     \
        }                                                                               \
        uint64_t differ = 0;                                                            \
        for (size_t i = 1; i < count; ++i) {                                            \
            differ |= KEY(items[i]) ^ KEY(items[0]);                                    \
        }                                                                               \
        type* from = items;                                                             \
        type* to = scratch;                                                             \
        for (unsigned shift = 0; shift < 64; shift += 8) {                              \
            if ((differ >> shift & 255) != 0) {                                         \
                name##_pass(from, to, count, shift);                                    \
                type* const swapped = from;                                             \
                from = to;                                                              \
                to = swapped;                                                           \
            }                                                                           \
        }                                                                               \
        if (from != items) {                                                            \
            memcpy(items, from, count * sizeof *items);                                 \
        }                                                                               \
    }

#define KEY_SELF(e) (e)
#define KEY_FIELD(e) ((e).key)
DEFINE_SORT(sort_keys, uint64_t, KEY_SELF)
DEFINE_SORT(sort_keyed, abut__keyed, KEY_FIELD)

void abut__sort_keys(uint64_t* keys, uint64_t* scratch, size_t count) {
    sort_keys(keys, scratch, count);
}

#define DIGIT_BITS 11
#define DIGIT_VALUES (1u << DIGIT_BITS)
#define FIRST_SHIFT (64 - DIGIT_BITS)
#define LAST_SHIFT 32

// Sorts by the digit at `shift`, then each group of equal digits by the next one. The last digit
// overlaps the one before.
static void sort_digit(uint64_t* keys, uint64_t* scratch, size_t count, size_t enough,
                       unsigned shift) {
    uint32_t end[DIGIT_VALUES] = {0};
    for (size_t i = 0; i < count; ++i) {
        ++end[keys[i] >> shift & (DIGIT_VALUES - 1)];
    }
    uint32_t sum = 0;
    for (uint32_t v = 0; v < DIGIT_VALUES; ++v) {
        const uint32_t size = end[v];
        end[v] = sum;
        sum += size;
    }
    for (size_t i = 0; i < count; ++i) {
        scratch[end[keys[i] >> shift & (DIGIT_VALUES - 1)]++] = keys[i];
    }
    memcpy(keys, scratch, count * sizeof *keys);
    if (shift == LAST_SHIFT) {
        return;
    }
    const unsigned next = shift - DIGIT_BITS > LAST_SHIFT ? shift - DIGIT_BITS : LAST_SHIFT;
    uint32_t first = 0;
    for (uint32_t v = 0; v < DIGIT_VALUES; ++v) {
        if (end[v] - first > enough) {
            sort_digit(keys + first, scratch, end[v] - first, enough, next);
        }
        first = end[v];
    }
}

void abut__sort_upper(uint64_t* keys, uint64_t* scratch, size_t count, size_t enough) {
    if (count > enough) {
        sort_digit(keys, scratch, count, enough, FIRST_SHIFT);
    }
}

void abut__sort_keyed(abut__keyed* items, abut__keyed* scratch, size_t count) {
    sort_keyed(items, scratch, count);
}

uint64_t abut__key_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    // negative numbers sort in reverse order of magnitude; positive ones come above them
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}
