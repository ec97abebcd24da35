// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tables of verdicts.
#include "bound/verdicts.h"

static size_t size_of(uint32_t count) {
    return sizeof(abut__verdicts) + count * sizeof(atomic_ullong);
}

typedef struct maker {
    const abut_context* context;
    uint32_t count;
} maker;

static void* make(const void* from) {
    const maker* m = from;
    abut__verdicts* made = abut__alloc(m->context, 1, size_of(m->count));
    if (made == NULL) {
        return NULL;
    }
    made->count = m->count;
    made->round = 1;
    for (uint32_t g = 0; g < m->count; ++g) {
        atomic_init(&made->of[g], 0);
    }
    return made;
}

static void undo(const void* from, void* made) {
    const maker* m = from;
    abut__free(m->context, made, 1, size_of(m->count));
}

abut__verdicts* abut__verdicts_get(const abut_context* context, abut__once* place, uint32_t count) {
    return abut__once_get(place, make, undo, &(maker){context, count});
}

void abut__verdicts_expire(const abut_context* context, abut__once* place) {
    abut__verdicts* table = abut__once_peek(place);
    if (table != NULL && ++table->round == 0) {  // an old verdict must not look current
        abut__verdicts_forget(context, place);
    }
}

void abut__verdicts_forget(const abut_context* context, abut__once* place) {
    abut__verdicts* table = abut__once_peek(place);
    if (table != NULL) {
        abut__free(context, table, 1, size_of(table->count));
        atomic_store(place, NULL);
    }
}
