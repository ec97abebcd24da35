// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth: the public calls. Finds the regions where two bodies, or one with itself,
// interpenetrate, and a separating translation for each. Based on: Sud, Govindaraju, Gayle, Kabul,
// Manocha, "Fast Proximity Computation Among Deformable Models Using Discrete Voronoi Diagrams",
// 2006, section 3.4, for regions and the width of their overlap. Deep contacts, contacts in several
// places and the test of each translation are new here.
#include <math.h>

#include "base/angle.h"
#include "base/sort.h"
#include "depth/depth.h"

abut_depth_def abut_depth_def_default(void) {
    abut_depth_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_DEPTH;
    return def;
}

abut_status abut_depth_result_create(abut_context* context, abut_depth_result** result,
                                     abut_error* error) {
    if (result == NULL) {
        return abut__result_create(context, sizeof **result, NULL, error);
    }
    abut_depth_result* made = NULL;
    const abut_status status = abut__result_create(context, sizeof *made, &made, error);
    if (status != ABUT_OK) {
        return status;
    }
    made->context = made->regions.context = made->overlap.context = context;
    made->patches.context = context;
    if (!abut__workspace_init(context, &made->trial)) {
        abut_depth_result_destroy(made);
        return abut__fail_memory(error);
    }
    *result = made;
    return ABUT_OK;
}

void abut_depth_result_destroy(abut_depth_result* depths) {
    if (depths == NULL) {
        return;
    }
    const abut_context* context = depths->context;
    abut__workspace_free(&depths->trial);
    abut__regions_free(&depths->regions);
    abut__overlap_free(&depths->overlap);
    abut__drop(context, &depths->kinds);
    abut__drop(context, &depths->found);
    abut__drop(context, &depths->by_width);
    abut__drop(context, &depths->pairs);
    abut__drop(context, &depths->inside);
    for (int s = 0; s < 2; ++s) {
        abut__drop(context, &depths->order[s]);
        abut__drop(context, &depths->first[s]);
        abut__drop(context, &depths->patch_order[s]);
        abut__drop(context, &depths->patch_first[s]);
        abut__drop(context, &depths->members[s]);
        abut__drop(context, &depths->last_group[s]);
        abut__drop(context, &depths->last_vertex[s]);
        abut__drop(context, &depths->last_points[s]);
    }
    abut__drop(context, &depths->pair_order);
    abut__drop(context, &depths->pair_first);
    abut__patch_trial_free(context, &depths->patch_trial);
    abut__drop(context, &depths->seen);
    abut__drop(context, &depths->placed);
    abut__drop(context, &depths->keys);
    abut__drop(context, &depths->means);
    abut__regions_free(&depths->patches);
    abut__drop(context, &depths->patch_pairs);
    abut__drop(context, &depths->patch_pair_of);
    abut__drop(context, &depths->oriented_pairs);
    abut__drop(context, &depths->past_regions);
    abut__drop(context, &depths->matches);
    abut__drop(context, &depths->votes);
    abut__result_destroy(depths, sizeof *depths);
}

// forgets the last call: the next one continues nothing
static void forget(abut_depth_result* depths) {
    depths->last_stamp = 0;
    depths->past_regions.count = 0;
    depths->regions.alone = false;
}

static void empty(abut_depth_result* depths) {
    depths->found.count = depths->by_width.count = 0;
    depths->pairs.count = depths->inside.count = 0;
    depths->defined = false;
}

void abut_depth_result_clear(abut_depth_result* depths) {
    empty(depths);
    forget(depths);
    depths->last_id = 0;
}

bool abut_depth_result_defined(const abut_depth_result* depths) {
    return depths->defined;
}

const abut_region* abut_depth_result_regions(const abut_depth_result* depths, size_t* count) {
    return abut__contents(&depths->found, count);
}

const abut_pair* abut_depth_result_pairs(const abut_depth_result* depths, size_t* count) {
    return abut__contents(&depths->pairs, count);
}

const uint32_t* abut_depth_result_inside(const abut_depth_result* depths, size_t* count) {
    return abut__contents(&depths->inside, count);
}

static double angle_between(const double a[3], const double b[3]) {
    const double cosine = (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
    return abut__angle_of_cosine(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine);
}

// lists the triangles of one side of a region that touch nothing, ascending
static bool list_side(abut_depth_result* depths, int s, uint32_t region, size_t* count) {
    const abut__depth_triangle* t = depths->regions.side[s].triangles.data;
    const uint32_t* order = depths->order[s].data;
    const uint32_t* first = depths->first[s].data;
    const size_t most = first[region + 1] - first[region];
    uint64_t* keys = abut__renew(depths->context, &depths->keys, 2 * most);
    *count = 0;
    for (uint32_t i = first[region]; i < first[region + 1] && keys != NULL; ++i) {
        if (!t[order[i]].cut) {
            keys[(*count)++] = t[order[i]].id;
        }
    }
    if (*count == 0) {
        return keys != NULL || most == 0;
    }
    abut__sort_keys(keys, keys + most, *count);
    uint32_t* ids = abut__push(depths->context, &depths->inside, *count);
    for (size_t i = 0; i < *count && ids != NULL; ++i) {
        ids[i] = (uint32_t)keys[i];
    }
    return ids != NULL;
}

// takes the lists of the last call, which had the same regions
static void keep_inside(abut_depth_result* depths, uint32_t region, abut_region* out) {
    const abut_region* last = &depths->found.data[region];
    out->first_inside = last->first_inside;
    out->inside_a_count = last->inside_a_count;
    out->inside_b_count = last->inside_b_count;
    depths->inside.count = depths->inside_count;
}

static abut_status list_inside(abut_depth_result* depths, uint32_t region, abut_region* out) {
    if (depths->regions.kept) {
        keep_inside(depths, region, out);
        return ABUT_OK;
    }
    out->first_inside = depths->inside.count;
    return list_side(depths, 0, region, &out->inside_a_count) &&
                   list_side(depths, 1, region, &out->inside_b_count)
               ? ABUT_OK
               : ABUT_ERR_NO_MEMORY;
}

static abut_status list_pairs(abut_depth_result* depths, const abut_pair* pairs, uint32_t region,
                              abut_region* out) {
    out->first_pair = depths->pairs.count;
    size_t count;
    const uint32_t* numbers = abut__depths_pairs_of(depths, region, &count);
    abut_pair* place = count > 0 ? abut__push(depths->context, &depths->pairs, count) : NULL;
    if (place == NULL && count > 0) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < count; ++i) {
        place[i] = pairs[numbers[i]];
    }
    out->pair_count = depths->pairs.count - out->first_pair;
    return ABUT_OK;
}

// sets the id and the change since the last call
static void compare_with_last(abut_depth_result* depths, const abut__past_region* last,
                              abut_region* region) {
    region->id = last != NULL ? last->id : ++depths->last_id;
    region->is_new = last == NULL;
    if (last == NULL || !isfinite(last->depth) || !isfinite(region->depth)) {
        return;
    }
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double change = region->depth * region->direction[d] -
                              last->depth * last->direction[d];
        square += change * change;
    }
    region->turn_angle = angle_between(last->direction, region->direction);
    region->jump = sqrt(square);
}

static abut_status solve_region(abut_depth_result* depths, const abut_scene* scene,
                                const abut_depth_def* def, uint32_t number,
                                const abut__past_region* last, abut_region* region) {
    abut__attempt a = {.depths = depths, .region = region, .together = def->one_region};
    a.trial = (abut__trial){scene, &depths->regions, number, &depths->trial, &depths->patch_trial};
    abut_status status = ABUT_OK;
    if (region->kind == ABUT_REGION_FOLD) {
        region->depth = region->upper = INFINITY;
    } else {
        status = abut__depths_gather(depths, number)
                     ? abut__attempt_solve(&a, def->shortest ? NULL : last)
                     : ABUT_ERR_NO_MEMORY;
    }
    bool* by_width = abut__push(depths->context, &depths->by_width, 1);
    if (by_width == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    *by_width = a.by_width;
    return status;
}

static abut_status make_region(abut_depth_result* depths, const abut_scene* scene,
                               const abut_depth_def* def, const abut_pair* pairs, uint32_t number,
                               const abut__past_region* last) {
    abut_region region = {.kind = depths->kinds.data[number]};
    abut_status status = list_pairs(depths, pairs, number, &region);
    if (status == ABUT_OK) {
        status = list_inside(depths, number, &region);
    }
    if (status == ABUT_OK) {
        status = solve_region(depths, scene, def, number, last, &region);
    }
    compare_with_last(depths, last, &region);
    abut_region* place = abut__push(depths->context, &depths->found, 1);
    if (place == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    *place = region;
    return status;
}

// whether both surfaces are closed, and all vertices are valid
static abut_status check_surfaces(abut_depth_result* depths) {
    depths->defined = true;
    for (int s = 0; s < 2; ++s) {
        const abut__body* body = depths->regions.side[s].body;
        const abut__topology* topology = abut__shape_topology(body->shape);
        if (topology == NULL) {
            return ABUT_ERR_NO_MEMORY;
        }
        depths->defined = depths->defined && topology->closed;
        const uint32_t bad = abut__body_state(body, 1)->bad_vertex;
        if (bad != ABUT__NONE) {
            depths->work.blame = abut__blame_on(body, bad, NULL);
            return ABUT_ERR_INVALID_DATA;
        }
    }
    return ABUT_OK;
}

static abut_status find_regions(abut_depth_result* depths, const abut_scene* scene,
                                const abut_depth_def* def) {
    size_t count = 0;
    const abut_pair* pairs = abut__contents(&depths->work.pairs, &count);
    abut_status status = abut__regions_find(&depths->regions, pairs, count, def->one_region,
                                            &depths->kinds);
    if (status == ABUT_OK &&
        !((depths->regions.kept || abut__depths_order(depths)) &&
          abut__depths_sort_pairs(depths, depths->regions.pair_of.data, count,
                                  depths->regions.count) &&
          abut__depths_match(depths, &depths->regions, depths->order, depths->first))) {
        status = ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t r = 0; r < depths->regions.count && status == ABUT_OK; ++r) {
        status = make_region(depths, scene, def, pairs, r, abut__depths_past_region(depths, r));
    }
    depths->inside_count = depths->inside.count;
    return status == ABUT_OK && !abut__depths_record(depths, &depths->regions) ? ABUT_ERR_NO_MEMORY
                                                                               : status;
}

// the same within one body, one pair of patches after the other
static abut_status find_self_regions(abut_depth_result* depths, const abut_scene* scene,
                                     const abut_depth_def* def) {
    size_t count = 0;
    const abut_pair* pairs = abut__contents(&depths->work.pairs, &count);
    abut_status status = abut__patch_pairs_find(depths, pairs, count, def->shortest);
    abut_region_kind* kind = abut__renew(depths->context, &depths->kinds, 1);
    if (kind == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut__patch_pair* patch_pairs = depths->patch_pairs.data;
    for (uint32_t i = 0; i < depths->patch_pairs.count && status == ABUT_OK; ++i) {
        *kind = patch_pairs[i].patch[0] == patch_pairs[i].patch[1] ? ABUT_REGION_FOLD
                                                                   : ABUT_REGION_CONTACT;
        status = abut__patch_pairs_load(depths, i);
        if (status == ABUT_OK) {
            status = make_region(depths, scene, def, depths->oriented_pairs.data, 0,
                                 patch_pairs[i].last);
        }
    }
    return status == ABUT_OK && !abut__depths_record(depths, &depths->patches) ? ABUT_ERR_NO_MEMORY
                                                                               : status;
}

static abut_status begin(abut_depth_result* depths, const abut__settings* settings,
                         abut__body* const bodies[2]) {
    abut__workspace_begin(&depths->work);
    depths->regions.side[0].body = bodies[0];
    depths->regions.side[1].body = bodies[1];
    depths->regions.counters = settings->counters;
    depths->regions.within = bodies[0] == bodies[1];
    depths->overlap.all[0] = depths->overlap.all[1] = false;
    abut__depths_check_bodies(depths, (abut_body_id){bodies[0]->index, bodies[0]->generation},
                              (abut_body_id){bodies[1]->index, bodies[1]->generation});
    return check_surfaces(depths);
}

// ends a query: after a failure empties the result and fills `error`
static abut_status end(abut_depth_result* depths, abut_status status, abut_error* error) {
    if (status != ABUT_OK) {
        empty(depths);
    }
    if (!depths->defined) {
        forget(depths);
    }
    return abut__query_report(&depths->work.blame, status, error);
}

// empties the result, checks the arguments that both calls share, and fills `settings`
static abut_status open_query(const abut_scene* scene, const abut_depth_def* def,
                              abut_depth_result* result, abut__settings* settings,
                              abut_error* error) {
    if (result != NULL) {
        empty(result);
    }
    *settings = abut__settings_default;
    settings->counters = def->head.counters;
    return abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                            ABUT__KIND_DEPTH, "depth", error);
}

abut_status abut_depth(const abut_scene* scene, abut_body_id a, abut_body_id b,
                       const abut_depth_def* def, abut_depth_result* result, abut_error* error) {
    const abut_depth_def defaults = abut_depth_def_default();
    abut__settings settings;
    abut__body* bodies[2];
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_bodies(scene, a, b, bodies, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    status = begin(result, &settings, bodies);
    if (status == ABUT_OK && result->defined) {
        status = abut__collide_two(scene, &settings, bodies[0], bodies[1], &result->work);
        status = status == ABUT_OK ? find_regions(result, scene, def) : status;
    }
    return end(result, status, error);
}

abut_status abut_depth_self(const abut_scene* scene, abut_body_id body, const abut_depth_def* def,
                            abut_depth_result* result, abut_error* error) {
    const abut_depth_def defaults = abut_depth_def_default();
    abut__settings settings;
    abut__body* bodies[2];
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &bodies[0], error) : status;
    if (status == ABUT_OK && def->one_region) {
        status = abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                            "no one translation separates all regions of one body: `one_region` is "
                            "for abut_depth()");
    }
    if (status != ABUT_OK) {
        return status;
    }
    bodies[1] = bodies[0];
    status = begin(result, &settings, bodies);
    if (status == ABUT_OK && result->defined) {
        status = abut__collide_one(scene, &settings, bodies[0], &result->work);
        status = status == ABUT_OK ? find_self_regions(result, scene, def) : status;
    }
    return end(result, status, error);
}
