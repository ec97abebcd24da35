// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One body that is in itself. Its surface has patches there: each hangs together by what is inside and by
// edges that touch something. Two patches with triangles that touch are the two sides of a region, as two bodies are
// elsewhere; a patch that cuts itself has no sides.
#include "depth/depth.h"

static uint32_t patch_of(const abut_depths* depths, uint32_t triangle) {
    const abut__depth_side* side = &depths->patches.side[0];
    return side->triangles.data[abut__depth_number(side, triangle)].region;
}

static bool same_couple(const abut__depth_couple* c, uint32_t a, uint32_t b) {
    return (c->patch[0] == a && c->patch[1] == b) || (c->patch[0] == b && c->patch[1] == a);
}

// the number of the couple of two patches, which may be new; ABUT__NONE: no memory
static uint32_t couple_of(abut_depths* depths, uint32_t a, uint32_t b) {
    for (size_t i = depths->couples.count; i > 0; --i) {
        if (same_couple(&depths->couples.data[i - 1], a, b)) {
            return (uint32_t)(i - 1);
        }
    }
    abut__depth_couple* place = abut__push(depths->context, &depths->couples, 1);
    if (place == NULL) {
        return ABUT__NONE;
    }
    *place = (abut__depth_couple){.patch = {a, b}};
    return (uint32_t)depths->couples.count - 1;
}

// Finds what a couple goes on from. Which of its patches is the first side stays as it was, or (`anew`) is what was
// remembered turned.
static void recognise(abut_depths* depths, abut__depth_couple* couple, bool anew) {
    const abut__depth_claim* claims = depths->claims.data;
    abut__depth_memory* memories = depths->memories.data;
    const uint32_t group[2] = {claims[couple->patch[0]].group, claims[couple->patch[1]].group};
    for (size_t i = 0; i < depths->memories.count && couple->memory == NULL; ++i) {
        const abut__depth_memory* m = &memories[i];
        const bool turned = m->group[0] == group[1] && m->group[1] == group[0];
        if (m->taken || !(turned || (m->group[0] == group[0] && m->group[1] == group[1]))) {
            continue;
        }
        couple->memory = &memories[i];
        memories[i].taken = true;
        for (int d = 0; d < 3 && anew && m->group[0] != group[0]; ++d) {
            memories[i].direction[d] = -m->direction[d];
        }
        if (!anew && m->group[0] != group[0]) {
            const uint32_t first = couple->patch[0];
            couple->patch[0] = couple->patch[1];
            couple->patch[1] = first;
        }
    }
}

// the pairs with the first side's triangle first
static bool turn_pairs(abut_depths* depths, const abut_pair* pairs, size_t count) {
    abut_pair* out = abut__renew(depths->context, &depths->turned, count);
    for (size_t i = 0; i < count && out != NULL; ++i) {
        out[i] = pairs[i];
        if (patch_of(depths, pairs[i].triangle_a) !=
            depths->couples.data[depths->couple_of.data[i]].patch[0]) {
            out[i].triangle_a = pairs[i].triangle_b;
            out[i].triangle_b = pairs[i].triangle_a;
        }
    }
    return out != NULL || count == 0;
}

abut_status abut__couples_find(abut_depths* depths, const abut_pair* pairs, size_t count,
                               bool anew) {
    depths->patches.side[0].body = depths->patches.side[1].body = depths->regions.side[0].body;
    depths->patches.counters = depths->regions.counters;
    depths->patches.within = true;
    abut_status status = abut__patches_find(&depths->patches, pairs, count);
    depths->couples.count = 0;
    uint32_t* couple = abut__renew(depths->context, &depths->couple_of, count);
    if (status != ABUT_OK || (couple == NULL && count > 0)) {
        return status != ABUT_OK ? status : ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        couple[i] = couple_of(depths, patch_of(depths, pairs[i].triangle_a),
                              patch_of(depths, pairs[i].triangle_b));
        if (couple[i] == ABUT__NONE) {
            return ABUT_ERR_NO_MEMORY;
        }
    }
    for (int s = 0; s < 2; ++s) {
        if (!abut__depths_sort(depths->context, &depths->patches.side[s], depths->patches.count,
                               &depths->patch_order[s], &depths->patch_first[s])) {
            return ABUT_ERR_NO_MEMORY;
        }
    }
    if (!abut__depths_match(depths, &depths->patches, depths->patch_order, depths->patch_first)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < depths->couples.count; ++i) {
        recognise(depths, depths->couples.data + i, anew);
    }
    return turn_pairs(depths, pairs, count) ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

static bool load_triangle(abut_depths* depths, int s, const abut__depth_triangle* t) {
    abut__depth_side* to = &depths->regions.side[s];
    uint32_t number;
    if (!abut__regions_add(&depths->regions, s, t->id, t->cut, false, &number)) {
        return false;
    }
    const abut__depth_triangle* added = &to->triangles.data[number];
    for (int c = 0; c < 3; ++c) {
        to->vertices.data[added->corner[c]].inside =
            depths->patches.side[0].vertices.data[t->corner[c]].inside;
    }
    return true;
}

// those of its triangles that touch the other side, and all that is inside
static bool load_side(abut_depths* depths, int s, uint32_t number, uint32_t patch) {
    const abut__depth_side* from = &depths->patches.side[0];
    const abut_pair* pairs = depths->turned.data;
    const uint32_t* first = depths->patch_first[0].data;
    bool room = true;
    for (size_t i = 0; i < depths->couple_of.count && room; ++i) {
        const uint32_t id = s == 0 ? pairs[i].triangle_a : pairs[i].triangle_b;
        if (depths->couple_of.data[i] == number) {
            room = load_triangle(depths, s, &from->triangles.data[abut__depth_number(from, id)]);
        }
    }
    for (uint32_t i = first[patch]; i < first[patch + 1] && room; ++i) {
        const abut__depth_triangle* t = &from->triangles.data[depths->patch_order[0].data[i]];
        room = t->cut || load_triangle(depths, s, t);
    }
    return room;
}

abut_status abut__couples_load(abut_depths* depths, uint32_t number) {
    const abut__depth_couple* couple = depths->couples.data + number;
    abut__regions* r = &depths->regions;
    const size_t pairs = depths->couple_of.count;
    const abut_status status = abut__regions_begin(r);
    r->outward = depths->patches.outward;
    r->count = 1;
    uint32_t* pair_of = abut__renew(r->context, &r->pair_of, pairs);
    if (status != ABUT_OK || pair_of == NULL || !load_side(depths, 0, number, couple->patch[0]) ||
        (couple->patch[1] != couple->patch[0] && !load_side(depths, 1, number, couple->patch[1]))) {
        return status != ABUT_OK ? status : ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < pairs; ++i) {
        pair_of[i] = depths->couple_of.data[i] == number ? 0 : ABUT__NONE;
    }
    return abut__depths_order(depths) ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}
