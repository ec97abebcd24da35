// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The blocks that a query needs: see needs.h.
#include "query/needs.h"

void abut__needs_begin(abut__needs* needs) {
    ++needs->query;
    needs->bits.count = 0;
}

bool abut__needs_add(const abut_context* context, abut__needs* needs, const abut__body* body) {
    if (!abut__extend(context, &needs->first, body->index + (size_t)1)) {
        return false;
    }
    abut__needs_place* place = needs->first.data + body->index;
    if (place->query == needs->query) {
        return true;
    }
    const size_t words = (body->shape->tree.block_count + (size_t)63) / 64;
    const size_t first = needs->bits.count;
    atomic_ullong* bits = abut__push(context, &needs->bits, words);
    if (bits == NULL && words > 0) {
        return false;
    }
    for (size_t i = 0; i < words; ++i) {
        atomic_init(&bits[i], 0);
    }
    *place = (abut__needs_place){needs->query, first};
    return true;
}

void abut__needs_free(const abut_context* context, abut__needs* needs) {
    abut__drop(context, &needs->bits);
    abut__drop(context, &needs->first);
}
