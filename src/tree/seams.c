// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Seams: see seams.h.
#include "tree/seams.h"

#include "base/sort.h"

static uint64_t key_of(const abut__tree* tree, uint32_t block_a, uint32_t block_b) {
    const uint64_t a = tree->block_parent[block_a];
    const uint64_t b = tree->block_parent[block_b];
    return a < b ? a << 32 | b : b << 32 | a;
}

static bool is_one_node(uint64_t key) {
    return key >> 32 == (key & UINT32_MAX);
}

// Returns the number of the first seam whose key is not less.
static uint32_t place_of(const abut__seams* seams, uint64_t key) {
    uint32_t lo = 0;
    uint32_t hi = seams->count;
    while (lo < hi) {
        const uint32_t middle = lo + (hi - lo) / 2;
        if (seams->nodes[middle] < key) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

uint32_t abut__seam_of(const abut__seams* seams, const abut__tree* tree, uint32_t block_a,
                       uint32_t block_b) {
    const uint64_t key = key_of(tree, block_a, block_b);
    const uint32_t place = place_of(seams, key);
    return place < seams->count && seams->nodes[place] == key ? place : ABUT__NONE;
}

// Lists the different keys of all links, ascending. `keys` has room for twice as many.
static void list_seams(abut__seams* made, const abut__tree* tree, const abut__links* links,
                       uint64_t* keys) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < links->count; ++i) {
        const uint64_t key = key_of(tree, links->list[i].a, links->list[i].b);
        if (!is_one_node(key)) {
            keys[count++] = key;
        }
    }
    abut__sort_keys(keys, keys + count, count);
    for (uint32_t i = 0; i < count; ++i) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            made->nodes[made->count++] = keys[i];
        }
    }
    for (uint32_t i = 0; i < links->count; ++i) {
        made->of_link[i] = abut__seam_of(made, tree, links->list[i].a, links->list[i].b);
    }
}

abut__seams* abut__seams_make(const abut__tree* tree, const abut__links* links) {
    const abut_context* context = tree->context;
    abut__seams* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    const size_t room = links->count + (size_t)1;
    uint64_t* keys = abut__alloc(context, 2 * room, sizeof *keys);
    made->context = context;
    made->link_count = links->count;
    made->nodes = abut__alloc(context, room, sizeof *made->nodes);
    made->of_link = abut__alloc(context, room, sizeof *made->of_link);
    if (keys != NULL && made->nodes != NULL && made->of_link != NULL) {
        list_seams(made, tree, links, keys);
        made->contours = abut__contours_make_pairs(tree, made->nodes, made->count);
    }
    abut__free(context, keys, 2 * room, sizeof *keys);
    if (made->contours == NULL) {
        abut__seams_free(made);
        return NULL;
    }
    return made;
}

void abut__seams_free(abut__seams* seams) {
    if (seams != NULL) {
        const abut_context* context = seams->context;
        const size_t room = seams->link_count + (size_t)1;
        abut__contours_free(context, seams->contours);
        abut__free(context, seams->nodes, room, sizeof *seams->nodes);
        abut__free(context, seams->of_link, room, sizeof *seams->of_link);
        abut__free(context, seams, 1, sizeof *seams);
    }
}
