// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Groups triangles with the same hubs: see hubs.h. A mesh stores an upper bound on the triangles of
// a class, so that the search ends early for meshes without hubs, which are nearly all.
#include "tree/hubs.h"

#include "base/sort.h"
#include "tree/tree.h"

#define FEW_BLOCKS 4u  // fewer triangles than fill this many blocks get no group of their own

typedef struct finder {
    const abut_mesh* mesh;
    uint32_t* uses;  // per class: triangles that use it
    uint32_t least;  // uses of a hub
    abut__keyed* pairs;
    abut__keyed* scratch;
    uint32_t* third;  // per triangle: the last of its three hubs
} finder;

// Counts the uses of every class. Returns whether there is a hub.
static bool count_uses(const finder* f, const uint32_t* ids, uint32_t count) {
    bool found = false;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t classes[3];
        abut__mesh_triangle_classes(f->mesh, ids != NULL ? ids[i] : i, classes);
        for (int c = 0; c < 3; ++c) {
            if (classes[c] != ABUT__NONE) {
                found |= ++f->uses[classes[c]] == f->least;
            }
        }
    }
    return found;
}

// Orders the hubs of a triangle: fuller classes come first.
static bool before(const finder* f, uint32_t a, uint32_t b) {
    if (a == ABUT__NONE || b == ABUT__NONE) {
        return b == ABUT__NONE && a != ABUT__NONE;
    }
    return f->uses[a] != f->uses[b] ? f->uses[a] > f->uses[b] : a < b;
}

// Writes the hubs of a triangle, the fullest first. Unused entries are ABUT__NONE.
static void hubs_of(const finder* f, uint32_t triangle, uint32_t hubs[3]) {
    abut__mesh_triangle_classes(f->mesh, triangle, hubs);
    for (int c = 0; c < 3; ++c) {
        const bool full = hubs[c] != ABUT__NONE && f->uses[hubs[c]] >= f->least;
        hubs[c] = full ? hubs[c] : ABUT__NONE;
    }
    for (int c = 0; c < 3; ++c) {
        const int k = c % 2;  // three exchanges sort three items
        if (before(f, hubs[k + 1], hubs[k])) {
            const uint32_t swapped = hubs[k];
            hubs[k] = hubs[k + 1];
            hubs[k + 1] = swapped;
        }
    }
}

// Sorts the triangles by their first, second and third hub.
static void sort_triangles(const finder* f, const uint32_t* ids, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t id = ids != NULL ? ids[i] : i;
        uint32_t hubs[3];
        hubs_of(f, id, hubs);
        f->third[id] = hubs[2];
        f->pairs[i] = (abut__keyed){hubs[2], id};
    }
    abut__sort_keyed(f->pairs, f->scratch, count);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t hubs[3];
        hubs_of(f, (uint32_t)f->pairs[i].value, hubs);
        f->pairs[i].key = (uint64_t)hubs[0] << 32 | hubs[1];
    }
    abut__sort_keyed(f->pairs, f->scratch, count);
}

static bool same_hubs(const finder* f, uint32_t i, uint32_t k) {
    return f->pairs[i].key == f->pairs[k].key &&
           f->third[f->pairs[i].value] == f->third[f->pairs[k].value];
}

// Makes a group of every run of triangles with the same hubs. Short runs with the same first hub
// share a group. Triangles without hubs are group 0.
static void number_groups(const finder* f, uint32_t count, uint32_t few, abut__hub_groups* out) {
    uint32_t rest = 0;  // the group of short runs of the current first hub; 0: none yet
    out->count = 1;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && same_hubs(f, first, end); ++end) {
        }
        const uint64_t hub = f->pairs[first].key >> 32;
        rest = first > 0 && f->pairs[first - 1].key >> 32 == hub ? rest : 0;
        uint32_t group = 0;
        if (hub != ABUT__NONE) {
            const bool is_short = end - first < few;
            group = is_short && rest != 0 ? rest : out->count++;
            rest = is_short ? group : rest;
        }
        for (uint32_t i = first; i < end; ++i) {
            out->of[f->pairs[i].value] = group;
        }
    }
}

bool abut__hubs_find(abut__arena* arena, const abut_mesh* mesh, const uint32_t* ids, uint32_t count,
                     uint32_t leaf_most, abut__hub_groups* out) {
    *out = (abut__hub_groups){1, NULL};
    const uint32_t least = ABUT__HUB_BLOCKS * leaf_most + 1;
    if (mesh->fullest_class < least) {
        return true;
    }
    finder f = {.mesh = mesh,
                .uses = abut__arena_push(arena, mesh->vertex_count, sizeof *f.uses),
                .least = least,
                .pairs = abut__arena_push(arena, count, sizeof *f.pairs),
                .scratch = abut__arena_push(arena, count, sizeof *f.scratch),
                .third = abut__arena_push(arena, mesh->triangle_count, sizeof *f.third)};
    out->of = abut__arena_push(arena, mesh->triangle_count, sizeof *out->of);
    if (f.uses == NULL || f.pairs == NULL || f.scratch == NULL || f.third == NULL ||
        out->of == NULL) {
        return false;
    }
    memset(f.uses, 0, mesh->vertex_count * sizeof *f.uses);
    if (!count_uses(&f, ids, count)) {
        out->of = NULL;
        return true;
    }
    sort_triangles(&f, ids, count);
    number_groups(&f, count, FEW_BLOCKS * leaf_most, out);
    return true;
}
