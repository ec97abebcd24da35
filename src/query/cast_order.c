// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The order in which rays are cast: those that begin near each other and go the same way follow each
// other, so that they find nodes and blocks in the caches. Answers do not depend on it.
#include <math.h>

#include "base/sort.h"
#include "query/cast.h"

#define SAMPLES 64u
#define FEWEST 256u    // rays that are worth sorting
#define RUN_LENGTH 4u  // rays of one cell in a row, on average, from which they are in order
#define PLACE_BITS 5u  // of the cell of an origin, per axis
#define TURN_BITS 3u   // of the cell of a direction, per axis

// spreads up to five bits to every third place
static uint32_t spread(uint32_t x) {
    return (x & 1) | (x & 2) << 2 | (x & 4) << 4 | (x & 8) << 6 | (x & 16) << 8;
}

// the cell of a number in 0 .. 1
static uint32_t cell(double part, uint32_t bits) {
    const double at = part * (double)(1u << bits);
    const uint32_t most = (1u << bits) - 1;
    return !(at > 0) ? 0 : at >= (double)most ? most : (uint32_t)at;
}

static uint64_t key_of(const abut_box* box, const double scale[3], const double o[3],
                       const double d[3]) {
    const double size = fabs(d[0]) + fabs(d[1]) + fabs(d[2]);
    uint32_t place = 0;
    uint32_t turn = 0;
    for (int k = 0; k < 3; ++k) {
        place |= spread(cell((o[k] - box->lo[k]) * scale[k], PLACE_BITS)) << k;
        turn |= spread(cell(0.5 + 0.5 * d[k] / size, TURN_BITS)) << k;
    }
    return (uint64_t)place << (3 * TURN_BITS) | turn;
}

typedef struct keys {
    const abut_rays* rays;
    abut__source from;
    abut__source to;
    const abut_box* box;
    double scale[3];
} keys;

static uint64_t key_at(const keys* k, size_t i) {
    double o[3];
    double d[3];
    abut__read_position(k->from.data, k->from.stride, k->from.is_double, i, o);
    abut__read_position(k->to.data, k->to.stride, k->to.is_double, i, d);
    for (int c = 0; c < 3 && k->rays->to_ends; ++c) {
        d[c] -= o[c];
    }
    return key_of(k->box, k->scale, o, d);
}

// whether rays that follow each other are mostly alike, in a sample
static bool are_ordered(const keys* k, size_t count) {
    const size_t step = count / SAMPLES;
    uint32_t alike = 0;
    for (size_t i = 0; i < SAMPLES; ++i) {
        alike += key_at(k, i * step) == key_at(k, i * step + 1);
    }
    return alike > SAMPLES - SAMPLES / RUN_LENGTH;
}

abut__keyed* abut__cast_order(const abut_context* context, const abut_rays* rays,
                              const abut_box* box, abut__keyed_list* list) {
    const size_t count = rays->origins.count;
    keys k = {rays, abut__source_of(rays->origins), abut__source_of(rays->directions), box, {0}};
    for (int c = 0; c < 3; ++c) {
        k.scale[c] = 1 / (box->hi[c] - box->lo[c]);
    }
    if (count < FEWEST || are_ordered(&k, count) || abut__renew(context, list, 2 * count) == NULL) {
        return NULL;  // without memory the order stays
    }
    abut__keyed* all = list->data;
    for (size_t i = 0; i < count; ++i) {
        all[i] = (abut__keyed){key_at(&k, i), i};
    }
    abut__sort_keyed(all, all + count, count);
    return all;
}
