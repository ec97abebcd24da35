// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The calls: two bodies, each body, each triangle. Bodies, and blocks of triangles, are independent
// tasks, so that the work, too, is the same for any number of threads.
#include <math.h>

#include "base/sort.h"
#include "query/nearest.h"

#define CLOSE 16.0           // squared, of the diagonal of a box to a distance that is small for it
#define SLOTS_PER_TASK 256u  // slots to complete

// Voronoi culling reads no trees.
static bool uses_trees(const abut__settings* def) {
    return def->culling.kind != ABUT_CULLING_VORONOI;
}

// ---- the closest pairs of the last query

static bool is_alive(const abut__body* body, uint32_t triangle) {
    const abut_mesh* mesh = body->shape->mesh;
    return triangle < mesh->triangle_count && abut__mesh_alive(mesh, triangle);
}

// Tries the last pair of a body, or of one of its triangles, if that pair still exists.
static void try_last(const abut__proximity* near, abut__seeker* seeker, uint32_t slot,
                     abut__body* a, abut__body* only_b, uint32_t triangle) {
    const abut__near_memory* last = abut__near_recall(near, a->index, triangle);
    if (last == NULL) {
        return;
    }
    abut__body* b = abut__scene_at(seeker->scene, last->body[1]);
    const bool may_be = only_b != NULL ? b == only_b
                                       : b != NULL && b != a && abut__bodies_may_meet(a, b);
    if (may_be && is_alive(a, last->triangle[0]) && is_alive(b, last->triangle[1]) &&
        ((seeker->job.view[0].body == a && seeker->job.view[1].body == b) ||
         abut__seeker_meet(seeker, a, b))) {
        abut__seeker_try(seeker, slot, last->triangle[0], last->triangle[1]);
    }
}

// ---- from slots to distance pairs

// makes empty slots: nothing farther than `within` is wanted
static abut_status make_slots(abut__proximity* near, size_t count, double within) {
    near->slots.count = 0;
    if (count > UINT32_MAX) {
        return ABUT_ERR_LIMIT;
    }
    if (!abut__reserve(near->work.context, &near->slots, count)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__slots_empty(near->slots.data, (uint32_t)count, within);
    near->slots.count = count;
    return ABUT_OK;
}

static void complete_task(void* argument, uint32_t index, uint32_t worker) {
    abut__proximity* near = argument;
    const size_t end = (size_t)(index + 1) * SLOTS_PER_TASK;
    for (size_t i = (size_t)index * SLOTS_PER_TASK; i < near->list.count && i < end; ++i) {
        abut__slot_pair(&near->seekers[worker], &near->slots.data[near->places.data[i]],
                        &near->list.data[i]);
    }
}

// Lists the distance pairs found: places[k] is the slot of the k-th body or triangle, or
// ABUT__NONE.
static abut_status complete(const abut_scene* scene, abut__proximity* near) {
    uint32_t* places = near->places.data;
    size_t found = 0;
    for (size_t k = 0; k < near->places.count; ++k) {
        if (places[k] != ABUT__NONE && near->slots.data[places[k]].found) {
            places[found++] = places[k];
        }
    }
    if (found == 0) {
        return ABUT_OK;
    }
    if (abut__push(near->work.context, &near->list, found) == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__run_tasks(scene->context, (uint32_t)((found + SLOTS_PER_TASK - 1) / SLOTS_PER_TASK),
                    complete_task, near);
    return ABUT_OK;
}

// makes places that are the slots in order
static abut_status place_in_order(abut__proximity* near) {
    uint32_t* places = abut__renew(near->work.context, &near->places, near->slots.count);
    for (uint32_t k = 0; k < near->slots.count && places != NULL; ++k) {
        places[k] = k;
    }
    return places != NULL || near->slots.count == 0 ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

// ---- two bodies

static abut_status nearest_of_two(const abut_scene* scene, abut__body* a, abut__body* b,
                                  const abut__settings* def, abut__proximity* near) {
    abut__seeker* seeker = &near->seekers[0];
    abut_status status = make_slots(near, 1, def->margin);
    status = status == ABUT_OK ? place_in_order(near) : status;
    if (status == ABUT_OK && !uses_trees(def)) {
        status = abut__nearest_voronoi_two(scene, a, b, def, near);
        return status == ABUT_OK ? complete(scene, near) : status;
    }
    if (status != ABUT_OK || !abut__seeker_meet(seeker, a, b)) {
        return status != ABUT_OK ? status : seeker->status;
    }
    abut__seeker_aim(seeker, near->slots.data, 0);
    try_last(near, seeker, 0, a, b, ABUT__ANY_TRIANGLE);
    abut__seeker_flush(seeker);
    abut__seek_pair(seeker);
    return complete(scene, near);
}

// ---- culling of bodies

static abut_status gather_bodies(const abut_scene* scene, bool boxes, abut__proximity* near) {
    near->among.bodies.count = near->order.count = 0;
    near->thickest = abut__thickest(scene);
    const size_t orders = 2 * (size_t)scene->body_count * near->work.worker_count;
    if (!abut__reserve(near->work.context, &near->among.bodies, scene->body_count) ||
        !abut__reserve(near->work.context, &near->order, orders)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (size_t i = 0; i < scene->bodies.count; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body != NULL) {
            abut__near_body* own = &near->among.bodies.data[near->among.bodies.count++];
            *own = (abut__near_body){.body = body};
            if (boxes) {
                own->box = abut__body_world_box(body, 1);
            }
        }
    }
    if (boxes && !abut__near_bodies_build(near->work.context, &near->among)) {
        return ABUT_ERR_NO_MEMORY;
    }
    return ABUT_OK;
}

// returns the greatest distance at which a pair of triangles so thick together is still wanted
static double farthest(const abut__seeker* seeker, double thick) {
    double most = seeker->lanes == 0 ? seeker->slots[0].gap : -INFINITY;
    for (uint64_t left = seeker->lanes; left != 0; left &= left - 1) {
        const double gap = seeker->slots[__builtin_ctzll(left)].gap;
        most = gap > most ? gap : most;
    }
    return abut__gap_reach(most, thick);
}

static double most_of(const abut__seeker* seeker, const abut__body* body) {
    return abut__body_thickness(seeker->scene, body).most;
}

// whether no pair with the body can replace the one found, which has the least gap and precedes it
static bool is_settled(const abut__seeker* seeker, const abut__body* asked,
                       const abut__body* other) {
    const abut__slot* slot = &seeker->slots[0];
    return seeker->lanes == 0 && slot->found &&
           slot->gap <= -abut__add_lengths(most_of(seeker, asked), most_of(seeker, other)) &&
           slot->body[slot->other] < other->index;
}

// searches a whole body, or one of its blocks, against another body
static bool seek(abut__seeker* seeker, abut__body* asked, uint32_t block, abut__body* other) {
    if (is_settled(seeker, asked, other)) {
        return true;
    }
    if (abut__seeker_is_done(seeker) || !abut__seeker_meet(seeker, asked, other)) {
        return false;
    }
    if (block == ABUT__NONE) {
        abut__seek_pair(seeker);
    } else {
        abut__seek_block(seeker, block);
    }
    return true;
}

static uint32_t number_of(const abut__near_bodies* among, uint32_t index) {
    uint32_t first = 0;
    for (uint32_t end = (uint32_t)among->bodies.count; end - first > 1;) {
        const uint32_t middle = first + (end - first) / 2;
        if (among->bodies.data[middle].body->index <= index) {
            first = middle;
        } else {
            end = middle;
        }
    }
    return first;
}

// Whether the pair found so far is close for the size of a box: bodies that have slid along each
// other since then have others.
static bool is_close(const abut__slot* slot, const abut_box* box) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        sum += (box->hi[d] - box->lo[d]) * (box->hi[d] - box->lo[d]);
    }
    return slot->found && CLOSE * slot->distance * slot->distance <= sum;
}

// returns the body of the pair found so far if they are close, otherwise one that is likely to be near
static uint32_t first_among(const abut__near_bodies* among, const abut__seeker* seeker,
                            const abut__near_wish* wish) {
    const abut__slot* slot = &seeker->slots[0];
    return seeker->lanes == 0 && is_close(slot, wish->box)
               ? number_of(among, slot->body[slot->other])
               : abut__near_bodies_first(among, wish);
}

// Searches among all bodies, first one that is likely to be near. It bounds the others: the few
// that remain are taken in the order of their boxes' distances.
static void seek_among(const abut__proximity* near, uint32_t worker, abut__body* asked,
                       uint32_t block, const abut_box* box) {
    abut__seeker* seeker = &near->seekers[worker];
    const abut__near_bodies* among = &near->among;
    abut__keyed* order = near->order.data + 2 * among->bodies.count * worker;
    const double thick = abut__add_lengths(most_of(seeker, asked), near->thickest);
    abut__near_wish wish = {asked, box, farthest(seeker, thick)};
    const uint32_t first = first_among(among, seeker, &wish);
    if (first == ABUT__NONE || !seek(seeker, asked, block, among->bodies.data[first].body)) {
        return;
    }
    wish.most = farthest(seeker, thick);
    const size_t count = abut__near_bodies_list(among, &wish, first, order);
    abut__sort_keyed(order, order + among->bodies.count, count);
    for (size_t k = 0; k < count && abut__may_be_nearer(order[k].key, farthest(seeker, thick));
         ++k) {
        if (!seek(seeker, asked, block, among->bodies.data[order[k].value].body)) {
            return;
        }
    }
}

// ---- each body

static void body_task(void* argument, uint32_t index, uint32_t worker) {
    abut__proximity* near = argument;
    abut__seeker* seeker = &near->seekers[worker];
    // along the curve: what one body needed is likely to serve the next
    const size_t number = (size_t)near->among.order.data[index].value;
    const abut__near_body* asked = near->among.bodies.data + number;
    abut__seeker_aim(seeker, near->slots.data + number, 0);
    try_last(near, seeker, 0, asked->body, NULL, ABUT__ANY_TRIANGLE);
    abut__seeker_flush(seeker);
    seek_among(near, worker, asked->body, ABUT__NONE, &asked->box);
}

static abut_status nearest_of_all(const abut_scene* scene, const abut__settings* def,
                                  abut__proximity* near) {
    abut_status status = gather_bodies(scene, uses_trees(def), near);
    status = status == ABUT_OK ? make_slots(near, near->among.bodies.count, def->margin) : status;
    status = status == ABUT_OK ? place_in_order(near) : status;
    if (status != ABUT_OK) {
        return status;
    }
    if (!uses_trees(def)) {
        status = abut__nearest_voronoi_all(scene, def, near);
    } else {
        abut__run_tasks(scene->context, (uint32_t)near->among.bodies.count, body_task, near);
    }
    return status == ABUT_OK ? complete(scene, near) : status;
}

// ---- each triangle

typedef struct triangles_run {
    abut__proximity* near;
    abut__body* body;
    bool self;
} triangles_run;

static void block_task(void* argument, uint32_t block, uint32_t worker) {
    const triangles_run* run = argument;
    abut__proximity* near = run->near;
    abut__seeker* seeker = &near->seekers[worker];
    const abut__block* fixed = run->body->shape->tree.blocks[block];
    abut__slot* slots = near->slots.data + (size_t)block * ABUT__BLOCK_TRIANGLES;
    abut__seeker_aim(seeker, slots, fixed->valid);
    if (run->self && !abut__seeker_meet(seeker, run->body, run->body)) {
        return;
    }
    for (uint32_t k = 0; k < fixed->triangle_count && near->last.count > 0; ++k) {
        try_last(near, seeker, k, run->body, run->self ? run->body : NULL, fixed->triangle[k]);
    }
    abut__seeker_flush(seeker);
    if (run->self) {
        abut__seek_block(seeker, block);
        return;
    }
    const abut__block_boxes* boxes = abut__seeker_boxes(seeker, run->body, block, &seeker->room[0]);
    const abut_box box = abut__body_box_in(run->body, 1, &run->body->frame, &boxes->all);
    seek_among(near, worker, run->body, block, &box);
}

// sets the slot of each triangle: that of its lane in the tree
static abut_status place_triangles(abut__proximity* near, const abut_shape* shape) {
    const uint32_t count = shape->mesh->triangle_count;
    uint32_t* places = abut__renew(near->work.context, &near->places, count);
    if (places == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    memset(places, 0xff, count * sizeof *places);
    for (uint32_t b = 0; b < shape->tree.block_count; ++b) {
        const abut__block* fixed = shape->tree.blocks[b];
        for (uint32_t k = 0; k < fixed->triangle_count; ++k) {
            places[fixed->triangle[k]] = b * ABUT__BLOCK_TRIANGLES + k;
        }
    }
    return ABUT_OK;
}

// with Voronoi culling every triangle has a slot of its own, and there is no tree
static abut_status nearest_by_diagram(const abut_scene* scene, abut__body* body, bool self,
                                      const abut__settings* def, abut__proximity* near) {
    abut_status status = make_slots(near, body->shape->mesh->triangle_count, def->margin);
    status = status == ABUT_OK ? place_in_order(near) : status;
    return status == ABUT_OK ? abut__nearest_voronoi_triangles(scene, body, self, def, near)
                             : status;
}

static abut_status nearest_by_tree(const abut_scene* scene, abut__body* body, bool self,
                                   const abut__settings* def, abut__proximity* near) {
    const uint32_t blocks = body->shape->tree.block_count;
    abut_status status = make_slots(near, (size_t)blocks * ABUT__BLOCK_TRIANGLES, def->margin);
    status = status == ABUT_OK ? place_triangles(near, body->shape) : status;
    if (status == ABUT_OK) {
        triangles_run run = {near, body, self};
        abut__run_tasks(scene->context, blocks, block_task, &run);
    }
    return status;
}

static abut_status nearest_of_triangles(const abut_scene* scene, abut__body* body, bool self,
                                        const abut__settings* def, abut__proximity* near) {
    const bool trees = uses_trees(def);
    abut_status status = self ? ABUT_OK : gather_bodies(scene, trees, near);
    if (status == ABUT_OK) {
        status = trees ? nearest_by_tree(scene, body, self, def, near)
                       : nearest_by_diagram(scene, body, self, def, near);
    }
    return status == ABUT_OK ? complete(scene, near) : status;
}

// ---- calls

abut_nearest_def abut_nearest_def_default(void) {
    abut_nearest_def def;
    memset(&def, 0, sizeof def);
    def.max_distance = INFINITY;
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_NEAREST;
    return def;
}

abut_status abut_nearest_result_create(abut_context* context, abut_nearest_result** result,
                                       abut_error* error) {
    return abut__near_create(context, sizeof **result, result, error);
}

void abut_nearest_result_destroy(abut_nearest_result* result) {
    abut__near_destroy(result, sizeof *result);
}

void abut_nearest_result_clear(abut_nearest_result* result) {
    abut__near_empty(&result->near);
}

const abut_distance_pair* abut_nearest_result_pairs(const abut_nearest_result* result,
                                                    size_t* count) {
    return abut__contents(&result->near.list, count);
}

bool abut_nearest_result_found(const abut_nearest_result* result) {
    return result->near.work.found;
}

// Checks the arguments that all calls share, and fills `settings` from `def` (may be NULL). After a
// refusal the result is empty.
static abut_status open_query(const abut_scene* scene, const abut_nearest_def* def,
                              abut_nearest_result* result, abut__settings* settings,
                              abut_error* error) {
    const abut_nearest_def defaults = abut_nearest_def_default();
    def = def != NULL ? def : &defaults;
    abut_status status = abut__query_open(scene, result != NULL ? &result->near.work : NULL,
                                          &def->head, ABUT__KIND_NEAREST, "nearest", error);
    if (status == ABUT_OK && !(def->max_distance >= 0)) {
        status = abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                            "max_distance is %g, but must be at least 0", def->max_distance);
    }
    status = status == ABUT_OK ? abut__check_culling(def->culling, error) : status;
    *settings = abut__settings_default;
    settings->margin = def->max_distance;
    settings->any = def->any;
    settings->filter = def->filter;
    settings->thick = scene;
    settings->culling = def->culling;
    if (status == ABUT_OK && abut__thickest(scene) > 0) {
        settings->culling.kind = ABUT_CULLING_TREE;  // diagrams know distances only
    }
    settings->counters = def->head.counters;
    return status;
}

// returns the status of a refused call, with an empty result
static abut_status refuse(abut_nearest_result* result, abut_status status) {
    if (result != NULL) {
        abut__near_empty(&result->near);
    }
    return status;
}

abut_status abut_nearest(const abut_scene* scene, abut_body_id a, abut_body_id b,
                         const abut_nearest_def* def, abut_nearest_result* result,
                         abut_error* error) {
    abut__settings settings;
    abut__body* bodies[2];
    abut_status status = open_query(scene, def, result, &settings, error);
    if (status == ABUT_OK) {
        status = (uses_trees(&settings) ? abut__query_bodies : abut__query_find_two)(scene, a, b,
                                                                                     bodies, error);
    }
    if (status != ABUT_OK) {
        return refuse(result, status);
    }
    status = abut__near_begin(scene, &settings, &result->near);
    if (status == ABUT_OK) {
        status = nearest_of_two(scene, bodies[0], bodies[1], &settings, &result->near);
    }
    return abut__near_end(scene, &settings, &result->near, status, error);
}

abut_status abut_nearest_all(const abut_scene* scene, const abut_nearest_def* def,
                             abut_nearest_result* result, abut_error* error) {
    abut__settings settings;
    abut_status status = open_query(scene, def, result, &settings, error);
    if (status == ABUT_OK && uses_trees(&settings)) {
        status = abut__query_all_ready(scene, error);
    }
    if (status != ABUT_OK) {
        return refuse(result, status);
    }
    status = abut__near_begin(scene, &settings, &result->near);
    if (status == ABUT_OK) {
        status = nearest_of_all(scene, &settings, &result->near);
    }
    return abut__near_end(scene, &settings, &result->near, status, error);
}

static abut_status query_triangles(const abut_scene* scene, abut_body_id id, bool self,
                                   const abut_nearest_def* def, abut_nearest_result* result,
                                   abut_error* error) {
    abut__settings settings;
    abut__body* body;
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_find(scene, id, &body, error) : status;
    if (status == ABUT_OK && uses_trees(&settings)) {
        status = self ? abut__query_ready(id, body, error) : abut__query_all_ready(scene, error);
    }
    if (status != ABUT_OK) {
        return refuse(result, status);
    }
    status = abut__near_begin(scene, &settings, &result->near);
    if (status == ABUT_OK) {
        status = nearest_of_triangles(scene, body, self, &settings, &result->near);
    }
    return abut__near_end(scene, &settings, &result->near, status, error);
}

abut_status abut_nearest_triangles(const abut_scene* scene, abut_body_id body,
                                   const abut_nearest_def* def, abut_nearest_result* result,
                                   abut_error* error) {
    return query_triangles(scene, body, false, def, result, error);
}

abut_status abut_nearest_self(const abut_scene* scene, abut_body_id body,
                              const abut_nearest_def* def, abut_nearest_result* result,
                              abut_error* error) {
    return query_triangles(scene, body, true, def, result, error);
}
