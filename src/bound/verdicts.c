// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tables of verdicts.
#include "bound/verdicts.h"

static size_t size_of(uint32_t count) {
    return sizeof(abut__verdicts) + count * sizeof(atomic_ullong);
}

abut__verdicts* abut__verdicts_get(const abut_context* context, _Atomic(abut__verdicts*)* place,
                                   uint32_t count) {
    abut__verdicts* table = atomic_load_explicit(place, memory_order_acquire);
    if (table != NULL) {
        return table;
    }
    abut__verdicts* made = abut__alloc(context, 1, size_of(count));
    if (made == NULL) {
        return NULL;
    }
    made->count = count;
    made->round = 1;
    for (uint32_t g = 0; g < count; ++g) {
        atomic_init(&made->of[g], 0);
    }
    if (!atomic_compare_exchange_strong(place, &table, made)) {
        abut__free(context, made, 1, size_of(count));
        return table;
    }
    return made;
}

void abut__verdicts_renew(const abut_context* context, _Atomic(abut__verdicts*)* place) {
    abut__verdicts* table = atomic_load_explicit(place, memory_order_relaxed);
    if (table != NULL && ++table->round == 0) {  // nothing from before may seem to be of now
        abut__verdicts_forget(context, place);
    }
}

void abut__verdicts_forget(const abut_context* context, _Atomic(abut__verdicts*)* place) {
    abut__verdicts* table = atomic_load(place);
    if (table != NULL) {
        abut__free(context, table, 1, size_of(table->count));
        atomic_store(place, NULL);
    }
}
