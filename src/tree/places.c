// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lists the blocks of each vertex by counting, summing and filling. A block has each vertex once.
#include "tree/places.h"

static void count_places(abut__places* made, const abut__tree* tree) {
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        for (uint32_t v = 0; v < tree->blocks[b]->vertex_count; ++v) {
            ++made->first[tree->blocks[b]->vertex[v] + 1];
        }
    }
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        made->first[v + 1] += made->first[v];
    }
    made->count = made->first[made->vertex_count];
}

// Fills the lists backwards, blocks in descending order. Afterwards first[v + 1] is the start of
// the list of v, so all entries move down by one.
static void fill_places(abut__places* made, const abut__tree* tree) {
    for (uint32_t b = tree->block_count; b-- > 0;) {
        for (uint32_t v = 0; v < tree->blocks[b]->vertex_count; ++v) {
            made->block[--made->first[tree->blocks[b]->vertex[v] + 1]] = b;
        }
    }
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        made->first[v] = made->first[v + 1];
    }
    made->first[made->vertex_count] = made->count;
}

abut__places* abut__places_make(const abut__tree* tree, const abut_mesh* mesh) {
    abut__places* made = abut__alloc_zero(tree->context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = tree->context;
    made->vertex_count = mesh->vertex_count;
    made->first = abut__alloc_zero(made->context, (size_t)made->vertex_count + 1,
                                   sizeof *made->first);
    if (made->first != NULL) {
        count_places(made, tree);
        made->block = abut__alloc(made->context, made->count, sizeof *made->block);
    }
    if (made->first == NULL || made->block == NULL) {
        abut__places_free(made);
        return NULL;
    }
    fill_places(made, tree);
    return made;
}

void abut__places_free(abut__places* places) {
    if (places != NULL) {
        abut__free(places->context, places->first, (size_t)places->vertex_count + 1,
                   sizeof *places->first);
        abut__free(places->context, places->block, places->count, sizeof *places->block);
        abut__free(places->context, places, 1, sizeof *places);
    }
}
