// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sets of pairs: sorted, and compared with the answer of another peer.
#ifndef BENCH_PAIRS_H
#define BENCH_PAIRS_H

#include "peers/peer.h"

void pairs_sort(peer_pairs* list);
void pairs_free(peer_pairs* list);

/// How a sorted list differs from the sorted reference.
typedef struct pairs_difference {
    size_t missing;
    size_t extra;
    abut_pair first;  ///< the first pair that only one of them has
    bool first_is_missing;
} pairs_difference;
pairs_difference pairs_compare(const peer_pairs* reference, const peer_pairs* list);

#endif
