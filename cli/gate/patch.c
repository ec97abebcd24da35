// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lists the patches of a frame: see patch.h.
#include "cli/gate/patch.h"

#include "cli/message.h"

#include <stdlib.h>

const char* contact_kind_name(contact_kind kind) {
    static const char* const names[KINDS] = {"near", "touches", "between", "inside", "cuts"};
    return names[kind];
}

const char* contact_kind_text(contact_kind kind) {
    static const char* const texts[KINDS] = {"within the clearance", "only touches",
                                             "between frames", "inside", "cuts through"};
    return texts[kind];
}

void patches_clear(patches* p) {
    p->count = p->key_count = 0;
}

void patches_free(patches* p) {
    free(p->list);
    free(p->keys);
    *p = (patches){0};
}

patch* patches_add(patches* p, uint32_t a, uint32_t b) {
    if (p->count == p->room) {
        p->room = 2 * p->room + 16;
        p->list = reallocate(p->list, p->room, sizeof *p->list);
    }
    p->list[p->count] = (patch){.a = a < b ? a : b,
                                .b = a < b ? b : a,
                                .pair = {UINT32_MAX, UINT32_MAX},
                                .first_key = p->key_count};
    return &p->list[p->count++];
}

void patches_add_pair(patches* p, uint32_t triangle_a, uint32_t triangle_b) {
    patch* at = &p->list[p->count - 1];
    if (p->key_count + 2 > p->key_room) {
        p->key_room = 2 * p->key_room + 64;
        p->keys = reallocate(p->keys, p->key_room, sizeof *p->keys);
    }
    if (at->pairs == 0) {
        at->pair[0] = triangle_a;
        at->pair[1] = triangle_b;
    }
    ++at->pairs;
    p->keys[p->key_count++] = (uint64_t)at->a << 32 | triangle_a;
    p->keys[p->key_count++] = (uint64_t)at->b << 32 | triangle_b;
}

static int compare_keys(const void* x, const void* y) {
    const uint64_t* a = x;
    const uint64_t* b = y;
    return (*a > *b) - (*a < *b);
}

void patches_end(patches* p) {
    patch* at = &p->list[p->count - 1];
    const size_t count = p->key_count - at->first_key;
    if (count == 0) {
        return;
    }
    uint64_t* keys = p->keys + at->first_key;
    size_t kept = 1;
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 1; i < count; ++i) {
        if (keys[i] != keys[kept - 1]) {
            keys[kept++] = keys[i];
        }
    }
    at->key_count = at->triangles = kept;
    p->key_count = at->first_key + kept;
}
