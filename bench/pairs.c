// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sets of pairs: see pairs.h and peers/peer.h.
#include "bench/pairs.h"

#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

static void grow(peer_pairs* out, size_t count) {
    out->room = 2 * (out->count + count) + 1024;
    out->pairs = realloc(out->pairs, out->room * sizeof *out->pairs);
    if (out->pairs == NULL) {
        bench_die("out of memory");
    }
}

void peer_add(peer_pairs* out, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
              uint32_t triangle_b) {
    if (out->count == out->room) {
        grow(out, 1);
    }
    out->pairs[out->count++] = (abut_pair){body_a, body_b, triangle_a, triangle_b};
}

void peer_add_all(peer_pairs* out, const abut_pair* pairs, size_t count) {
    if (count > out->room - out->count) {
        grow(out, count);
    }
    if (count > 0) {
        memcpy(out->pairs + out->count, pairs, count * sizeof *pairs);
        out->count += count;
    }
}

static int compare(const void* a, const void* b) {
    const abut_pair* p = a;
    const abut_pair* q = b;
    const uint32_t x[4] = {p->body_a, p->body_b, p->triangle_a, p->triangle_b};
    const uint32_t y[4] = {q->body_a, q->body_b, q->triangle_a, q->triangle_b};
    int i = 0;
    while (i < 3 && x[i] == y[i]) {
        ++i;
    }
    return (x[i] > y[i]) - (x[i] < y[i]);
}

void pairs_sort(peer_pairs* list) {
    if (list->count > 0) {
        qsort(list->pairs, list->count, sizeof *list->pairs, compare);
    }
}

void pairs_free(peer_pairs* list) {
    free(list->pairs);
    *list = (peer_pairs){0};
}

static void note(pairs_difference* d, const abut_pair* pair, bool missing) {
    if (d->missing + d->extra == 0) {
        d->first = *pair;
        d->first_is_missing = missing;
    }
    d->missing += missing;
    d->extra += !missing;
}

pairs_difference pairs_compare(const peer_pairs* reference, const peer_pairs* list) {
    pairs_difference d = {0};
    size_t i = 0;
    size_t k = 0;
    while (i < reference->count || k < list->count) {
        const int order = i == reference->count ? 1
                          : k == list->count    ? -1
                                                : compare(&reference->pairs[i], &list->pairs[k]);
        if (order < 0) {
            note(&d, &reference->pairs[i], true);
        } else if (order > 0) {
            note(&d, &list->pairs[k], false);
        }
        i += order <= 0;
        k += order >= 0;
    }
    return d;
}
