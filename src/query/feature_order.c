// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The order of rows about features: by bodies, kind, feature of a, feature of b.
#include "base/sort.h"
#include "query/query.h"

uint64_t abut__feature_number(abut_contact_kind kind, int side, uint32_t triangle,
                              const uint32_t vertices[3]) {
    const bool face = kind == (side == 0 ? ABUT_CONTACT_FACE_VERTEX : ABUT_CONTACT_VERTEX_FACE);
    return face ? triangle : (uint64_t)vertices[0] << 32 | vertices[1];
}

// moves row order[i].value to place i, for all i, along the cycles of the permutation
static void permute(char* rows, size_t size, abut__keyed* order, size_t count) {
    char room[256];
    ABUT_ASSERT(size <= sizeof room);
    for (size_t i = 0; i < count; ++i) {
        if (order[i].value == i) {
            continue;
        }
        memcpy(room, rows + i * size, size);
        size_t to = i;
        for (size_t from = order[i].value; from != i; from = order[to].value) {
            memcpy(rows + to * size, rows + from * size, size);
            order[to].value = to;
            to = from;
        }
        memcpy(rows + to * size, room, size);
        order[to].value = to;
    }
}

// one stable sort after the other
bool abut__sort_rows(abut__workspace* work, void* rows, size_t count, size_t size,
                     uint64_t (*key)(const void* row, int which)) {
    if (count < 2) {
        return true;
    }
    abut__keyed* keys = abut__renew(work->context, &work->keys, 2 * count);
    if (keys == NULL) {
        return false;
    }
    const char* bytes = rows;
    for (size_t i = 0; i < count; ++i) {
        keys[i].value = i;
    }
    for (int which = 0; which < ABUT__FEATURE_KEYS; ++which) {
        for (size_t i = 0; i < count; ++i) {
            keys[i].key = key(bytes + keys[i].value * size, which);
        }
        abut__sort_keyed(keys, keys + count, count);
    }
    permute(rows, size, keys, count);
    return true;
}
