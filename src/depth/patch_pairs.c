// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Regions of one body with itself. The parts of the surface that are inside or touch form patches:
// a patch is connected by what is inside and by edges that touch something. Two patches with
// triangles that touch are the two sides of a region, as two bodies are elsewhere. A patch that
// cuts itself has no sides.
#include "depth/depth.h"

static uint32_t patch_of(const abut_depth_result* depths, uint32_t triangle) {
    const abut__depth_side* side = &depths->patches.side[0];
    return side->triangles.data[abut__depth_number(side, triangle)].region;
}

static bool has_patches(const abut__patch_pair* c, uint32_t a, uint32_t b) {
    return (c->patch[0] == a && c->patch[1] == b) || (c->patch[0] == b && c->patch[1] == a);
}

// returns the number of the pair of two patches, adding it if it is new; ABUT__NONE: no memory
static uint32_t patch_pair_of(abut_depth_result* depths, uint32_t a, uint32_t b) {
    for (size_t i = depths->patch_pairs.count; i > 0; --i) {
        if (has_patches(&depths->patch_pairs.data[i - 1], a, b)) {
            return (uint32_t)(i - 1);
        }
    }
    abut__patch_pair* place = abut__push(depths->context, &depths->patch_pairs, 1);
    if (place == NULL) {
        return ABUT__NONE;
    }
    *place = (abut__patch_pair){.patch = {a, b}};
    return (uint32_t)depths->patch_pairs.count - 1;
}

// Finds the region of the last call that a pair of patches continues. The first side stays the
// first, or (`anew`) the direction of the last call is reversed to suit.
static void find_last(abut_depth_result* depths, abut__patch_pair* patch_pair, bool anew) {
    const abut__group_match* matches = depths->matches.data;
    abut__past_region* past_regions = depths->past_regions.data;
    const uint32_t group[2] = {matches[patch_pair->patch[0]].group,
                               matches[patch_pair->patch[1]].group};
    for (size_t i = 0; i < depths->past_regions.count && patch_pair->last == NULL; ++i) {
        const abut__past_region* m = &past_regions[i];
        const bool turned = m->group[0] == group[1] && m->group[1] == group[0];
        if (m->taken || !(turned || (m->group[0] == group[0] && m->group[1] == group[1]))) {
            continue;
        }
        patch_pair->last = &past_regions[i];
        past_regions[i].taken = true;
        for (int d = 0; d < 3 && anew && m->group[0] != group[0]; ++d) {
            past_regions[i].direction[d] = -m->direction[d];
        }
        if (!anew && m->group[0] != group[0]) {
            const uint32_t first = patch_pair->patch[0];
            patch_pair->patch[0] = patch_pair->patch[1];
            patch_pair->patch[1] = first;
        }
    }
}

// copies the triangle pairs with the first side's triangle first
static bool orient_pairs(abut_depth_result* depths, const abut_pair* pairs, size_t count) {
    abut_pair* out = abut__renew(depths->context, &depths->oriented_pairs, count);
    for (size_t i = 0; i < count && out != NULL; ++i) {
        out[i] = pairs[i];
        if (patch_of(depths, pairs[i].triangle_a) !=
            depths->patch_pairs.data[depths->patch_pair_of.data[i]].patch[0]) {
            out[i].triangle_a = pairs[i].triangle_b;
            out[i].triangle_b = pairs[i].triangle_a;
        }
    }
    return out != NULL || count == 0;
}

abut_status abut__patch_pairs_find(abut_depth_result* depths, const abut_pair* pairs, size_t count,
                                   bool anew) {
    depths->patches.side[0].body = depths->patches.side[1].body = depths->regions.side[0].body;
    depths->patches.counters = depths->regions.counters;
    depths->patches.within = true;
    abut_status status = abut__patches_find(&depths->patches, pairs, count);
    depths->patch_pairs.count = 0;
    uint32_t* patch_pair = abut__renew(depths->context, &depths->patch_pair_of, count);
    if (status != ABUT_OK || (patch_pair == NULL && count > 0)) {
        return status != ABUT_OK ? status : ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        patch_pair[i] = patch_pair_of(depths, patch_of(depths, pairs[i].triangle_a),
                                      patch_of(depths, pairs[i].triangle_b));
        if (patch_pair[i] == ABUT__NONE) {
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
    for (size_t i = 0; i < depths->patch_pairs.count; ++i) {
        find_last(depths, depths->patch_pairs.data + i, anew);
    }
    return orient_pairs(depths, pairs, count) &&
                   abut__depths_sort_pairs(depths, patch_pair, count,
                                           (uint32_t)depths->patch_pairs.count)
               ? ABUT_OK
               : ABUT_ERR_NO_MEMORY;
}

static bool load_triangle(abut_depth_result* depths, int s, const abut__depth_triangle* t) {
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

// adds the triangles of a patch that touch the other side, and all of its inside triangles
static bool load_side(abut_depth_result* depths, int s, uint32_t patch) {
    const abut__depth_side* from = &depths->patches.side[0];
    const abut_pair* pairs = depths->oriented_pairs.data;
    const uint32_t* first = depths->patch_first[0].data;
    size_t count;
    const uint32_t* numbers = abut__depths_pairs_of(depths, 0, &count);
    bool ok = true;
    for (size_t i = 0; i < count && ok; ++i) {
        const abut_pair* pair = &pairs[numbers[i]];
        const uint32_t id = s == 0 ? pair->triangle_a : pair->triangle_b;
        ok = load_triangle(depths, s, &from->triangles.data[abut__depth_number(from, id)]);
    }
    for (uint32_t i = first[patch]; i < first[patch + 1] && ok; ++i) {
        const abut__depth_triangle* t = &from->triangles.data[depths->patch_order[0].data[i]];
        ok = t->cut || load_triangle(depths, s, t);
    }
    return ok;
}

abut_status abut__patch_pairs_load(abut_depth_result* depths, uint32_t number) {
    const abut__patch_pair* patch_pair = depths->patch_pairs.data + number;
    abut__regions* r = &depths->regions;
    const abut_status status = abut__regions_begin(r);
    r->outward = depths->patches.outward;
    r->count = 1;
    depths->patch_pair = number;
    depths->patch_trial.ready = false;
    if (status != ABUT_OK || !load_side(depths, 0, patch_pair->patch[0]) ||
        (patch_pair->patch[1] != patch_pair->patch[0] &&
         !load_side(depths, 1, patch_pair->patch[1]))) {
        return status != ABUT_OK ? status : ABUT_ERR_NO_MEMORY;
    }
    return abut__depths_order(depths) ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}
