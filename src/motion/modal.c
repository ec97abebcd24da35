// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The modal motion: rest positions plus displacement fields, weighted by coordinates. Based on the
// BD-Tree of James and Pai (bound/bdtree.h).
#include "motion/modal.h"

#include <float.h>
#include <math.h>

#include "base/rounding.h"
#include "motion/certified.h"

// ---- shapes

// whether spheres are all that bounds the nodes
static bool has_only_spheres(const abut__modal* modal) {
    return modal->bound == ABUT_MODAL_BOUND_SPHERES ||
           modal->bound == ABUT_MODAL_BOUND_SPHERES_MEAN;
}

static bool has_spheres(const abut__modal* modal) {
    return has_only_spheres(modal) || modal->bound == ABUT_MODAL_BOUND_BOTH;
}

void abut__modal_find_most(abut__modal* modal, const abut_mesh* mesh) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double p[3];
        double near[3];
        abut__mesh_rest(mesh, v, p);
        abut__mesh_rest_near(mesh, v, near);
        for (int d = 0; d < 3; ++d) {
            modal->most = fabs(p[d]) > modal->most ? fabs(p[d]) : modal->most;
            modal->near_most = fabs(near[d]) > modal->near_most ? fabs(near[d]) : modal->near_most;
        }
    }
}

static abut_status take_def(abut_shape* shape, const abut_modal_def* def, abut_error* error) {
    if ((unsigned)def->bound > ABUT_MODAL_BOUND_BOTH) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "unknown bound %d", (int)def->bound);
    }
    if (def->proxy_level > ABUT__PROXY_LEVEL_MOST) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "a proxy level of %u is above %u", def->proxy_level,
                          ABUT__PROXY_LEVEL_MOST);
    }
    abut__modal_of(shape)->bound = def->bound;
    abut__modal_of(shape)->proxy_level = def->proxy_level;
    return abut__fields_make(shape->context, shape->mesh->vertex_count, def->fields,
                             def->field_count, &abut__modal_of(shape)->fields, error);
}

static abut_status take_lineage(abut__modal* modal, const abut__lineage* lineage,
                                abut_error* error) {
    const abut__modal* from = abut__modal_of(lineage->shape);
    modal->bound = from->bound;
    modal->proxy_level = from->proxy_level;
    if (lineage->edit != NULL) {
        const abut_modal_edit_def* own = lineage->own_edit;
        return abut__fields_edit(from->fields, lineage->edit->added_vertices.count,
                                 own != NULL ? own->added_fields : NULL, &modal->fields, error);
    }
    abut__fields_hold(from->fields);
    modal->fields = from->fields;
    return ABUT_OK;
}

static uint64_t fields_hash(const void* fields, uint32_t vertex, uint64_t hash) {
    return abut__fields_hash(fields, vertex, hash);
}

static bool fields_equal(const void* fields, uint32_t a, uint32_t b) {
    return abut__fields_equal(fields, a, b);
}

static abut_status modal_prepare(abut_shape* shape, const void* def, const abut__lineage* lineage,
                                 abut_error* error) {
    shape->own = abut__alloc_zero(shape->context, 1, sizeof(abut__modal));
    if (abut__modal_of(shape) == NULL) {
        return abut__fail_memory(error);
    }
    abut_status status = lineage != NULL ? take_lineage(abut__modal_of(shape), lineage, error)
                                         : take_def(shape, def, error);
    if (status != ABUT_OK) {
        return status;
    }
    shape->field_count = abut__modal_of(shape)->fields->count;
    abut__modal_find_most(abut__modal_of(shape), shape->mesh);
    const abut__likeness like = {fields_hash, fields_equal, abut__modal_of(shape)->fields};
    const abut_mesh* parted;
    status = abut__mesh_part_classes(shape->mesh, &like, &parted, error);
    if (status == ABUT_OK) {
        abut_mesh_destroy((abut_mesh*)shape->mesh);
        shape->mesh = parted;
    }
    return status;
}

static void free_spheres(const void* of, void* made) {
    const abut_shape* shape = of;
    if (made != NULL) {
        abut__spheres_free(made);
        abut__free(shape->context, made, 1, sizeof(abut__spheres));
    }
}

static void* make_node_spheres(const void* of) {
    const abut_shape* shape = of;
    const abut__modal* modal = abut__modal_of(shape);
    abut__arena arena = abut__arena_make(shape->context);
    abut__wrapper wrapper;
    abut__spheres* made = abut__alloc_zero(shape->context, 1, sizeof *made);
    if (made != NULL) {
        made->context = shape->context;
        if (!abut__wrapper_make(&wrapper, &arena, shape->mesh, modal->fields,
                                modal->bound == ABUT_MODAL_BOUND_SPHERES_MEAN
                                    ? ABUT__CENTRE_MEAN
                                    : ABUT__CENTRE_MINIMAL) ||
            !abut__wrap_children(&wrapper, &shape->tree, made)) {
            free_spheres(shape, made);
            made = NULL;
        }
    }
    abut__arena_release(&arena);
    return made;
}

static bool make_proxies(abut_shape* shape) {
    const abut__modal* modal = abut__modal_of(shape);
    abut__arena arena = abut__arena_make(shape->context);
    abut__wrapper wrapper;
    if (abut__wrapper_make(&wrapper, &arena, shape->mesh, modal->fields,
                           modal->bound == ABUT_MODAL_BOUND_SPHERES_MEAN ? ABUT__CENTRE_MEAN
                                                                         : ABUT__CENTRE_MINIMAL)) {
        abut__wrapper_put_ref(&wrapper, &shape->tree, 0);
        shape->proxies = abut__proxies_make(shape->context, &arena, &wrapper, modal->proxy_level);
    }
    abut__arena_release(&arena);
    return shape->proxies != NULL;
}

// Bounds take many times as long as the tree. The first query makes them.
static bool may_wait(const abut_shape* shape) {
    const abut__modal* modal = abut__modal_of(shape);
    return shape->is_draft && modal->fields->count > 0 && modal->proxy_level == 0 &&
           !has_spheres(modal);
}

static abut_status modal_complete(abut_shape* shape, const abut__lineage* lineage,
                                  abut_error* error) {
    abut__modal* modal = abut__modal_of(shape);
    if (lineage != NULL) {
        abut__certified_descend(shape, lineage, NULL);
    }
    if (may_wait(shape)) {
        return ABUT_OK;
    }
    const bool done = abut__modal_bounds_of(shape) != NULL &&
                      (!has_spheres(modal) || abut__once_get(&modal->spheres, make_node_spheres,
                                                             free_spheres, shape) != NULL) &&
                      (modal->proxy_level == 0 || make_proxies(shape));
    return done ? ABUT_OK : abut__fail_memory(error);
}

static void modal_discard(abut_shape* shape) {
    if (abut__modal_of(shape) != NULL) {
        abut__certified_free(shape);
        abut__modal_bounds_free(shape, abut__once_peek(&abut__modal_of(shape)->bounds));
        free_spheres(shape, abut__once_peek(&abut__modal_of(shape)->spheres));
        abut__proxies_free(shape->proxies);
        abut__fields_release(abut__modal_of(shape)->fields);
        abut__free(shape->context, abut__modal_of(shape), 1, sizeof(abut__modal));
    }
}

static bool modal_draft(abut_shape* draft, const abut_shape* shape) {
    const abut__modal* from = abut__modal_of(shape);
    draft->own = abut__alloc_zero(draft->context, 1, sizeof(abut__modal));
    abut__modal* own = abut__modal_of(draft);
    if (own == NULL) {
        return false;
    }
    abut__fields_hold(from->fields);
    own->fields = from->fields;
    own->bound = from->bound;
    own->proxy_level = from->proxy_level;
    return true;
}

static void modal_adopt(abut_shape* shape, abut_shape* draft) {
    abut__modal* own = abut__modal_of(shape);
    abut__modal* made = abut__modal_of(draft);
    if (draft->proxies != NULL) {  // then no other thread has the shape: see motion.h
        shape->proxies = draft->proxies;
        draft->proxies = NULL;
    }
    atomic_store(&own->bounds, abut__once_peek(&made->bounds));
    atomic_store(&own->spheres, abut__once_peek(&made->spheres));
    atomic_store(&made->bounds, NULL);
    atomic_store(&made->spheres, NULL);
}

static bool modal_provide_late(const abut_shape* shape);
static abut__whole* modal_draft_whole(const abut_shape* shape, const abut__state* state);
static void modal_adopt_whole(abut__state* state, abut__whole* whole);

static const abut__late late = {
    .draft = modal_draft,
    .adopt = modal_adopt,
    .provide = modal_provide_late,
    .draft_whole = modal_draft_whole,
    .adopt_whole = modal_adopt_whole,
};

// ---- states

static size_t state_size(uint32_t count, bool chooses) {
    return sizeof(abut__modal_state) + count * sizeof(double) +
           (chooses ? sizeof(abut__refine_choice) : 0);
}

static bool modal_reserve(const abut_shape* shape, abut__state* state) {
    if (abut__modal_state_of(state) != NULL) {
        return true;
    }
    const uint32_t count = abut__modal_of(shape)->fields->count;
    // a body without fields keeps its state, so it always compares both kinds
    const bool chooses = abut__modal_of(shape)->bound == ABUT_MODAL_BOUND_BOTH && count > 0;
    abut__modal_state* own = abut__alloc_zero(shape->context, 1, state_size(count, chooses));
    if (own != NULL) {
        own->count = count;
        own->chooses = chooses;
        atomic_init(&own->whole, NULL);
        atomic_init(&own->verdicts, NULL);
        state->own = own;
    }
    return own != NULL;
}

static void modal_release(const abut_context* context, abut__state* state) {
    if (abut__modal_state_of(state) != NULL) {
        abut__whole_release(context, abut__once_peek(&abut__modal_state_of(state)->whole));
        abut__verdicts_forget(context, &abut__modal_state_of(state)->verdicts);
        abut__free(context, abut__modal_state_of(state), 1,
                   state_size(abut__modal_state_of(state)->count,
                              abut__modal_state_of(state)->chooses));
    }
}

static void measure(const abut_shape* shape, abut__state* state, const abut__modal_reach* reach);

static void modal_rest(const abut_shape* shape, abut__state* state) {
    for (uint32_t j = 0; j < abut__modal_state_of(state)->count; ++j) {
        abut__modal_state_of(state)->coordinate[j] = 0;
    }
    measure(shape, state, &(abut__modal_reach){0});
}

static abut_status refuse(const double* coordinates, size_t j, abut_error* error) {
    if (!isfinite(coordinates[j])) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, j,
                          "coordinate %zu is not finite (%g)", j, coordinates[j]);
    }
    return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, j,
                      "coordinate %zu (%g) moves vertices beyond what a double can hold", j,
                      coordinates[j]);
}

static inline abut__modal_reach reach_farther(abut__modal_reach r, double most, double coordinate) {
    if (coordinate != 0) {
        r.moved += most * fabs(coordinate);
        r.size += most + fabs(coordinate);
        ++r.products;
    }
    return r;
}

// two alternating sums, so that an addition need not wait for the one before
static abut__modal_reach reach_of(const abut__fields* fields, const double* coordinates) {
    abut__modal_reach even = {0};
    abut__modal_reach odd = {0};
    uint32_t j = 0;
    for (; j + 2 <= fields->count; j += 2) {
        even = reach_farther(even, fields->most[j], coordinates[j]);
        odd = reach_farther(odd, fields->most[j + 1], coordinates[j + 1]);
    }
    if (j < fields->count) {
        even = reach_farther(even, fields->most[j], coordinates[j]);
    }
    return (abut__modal_reach){even.moved + odd.moved, even.size + odd.size,
                               even.products + odd.products};
}

// whether coordinates, one per field, are finite, and so are all vertices in that state
static abut_status check_reach(const abut_shape* shape, const double* coordinates,
                               abut__modal_reach* reach, abut_error* error) {
    const abut__fields* fields = abut__modal_of(shape)->fields;
    const size_t count = fields->count;
    // a coordinate that is not finite makes the sum not finite; far below the limit the order of
    // sums does not matter
    *reach = reach_of(fields, coordinates);
    if (abut__modal_of(shape)->most + reach->moved <= 0.25 * DBL_MAX) {
        return ABUT_OK;
    }
    double sum = abut__modal_of(shape)->most;
    for (size_t j = 0; j < count; ++j) {
        sum += fields->most[j] * fabs(coordinates[j]);
        if (!isfinite(coordinates[j]) || !isfinite(sum)) {
            return refuse(coordinates, j, error);
        }
    }
    return ABUT_OK;
}

// Four times the error of a vertex. A sum of m products has m roundings of products, together at
// most 2^-53 S, and m of sums, each at most 2^-53 S; without a product there is none.
static double error_of_vertices(uint32_t products, double reach) {
    return products > 0 ? 4 * (products + 2) * (0x1p-52 * reach + 0x1p-1074) : 0;
}

// sets extent and pads that follow from the coordinates of a state
static void measure(const abut_shape* shape, abut__state* state, const abut__modal_reach* reach) {
    abut__modal_state* own = abut__modal_state_of(state);
    const abut__modal* modal = abut__modal_of(shape);
    const double most = modal->near_most + reach->moved;
    const double error = error_of_vertices(reach->products, modal->most + reach->moved);
    // the rounding error of coordinates and rows, and underflow
    const double lost = 0x1p-24 * reach->moved + 0x1p-149 * reach->size;
    const double terms = (double)own->count + 8;
    const double pad = terms * (0x1p-23 * most + 0x1p-148) + 2 * lost +
                       (modal->near_most != modal->most ? error : 0);
    own->unbounded = !(most <= 0.5e37) || !(reach->size <= 0.5e38);
    // the factor covers the rounding to float
    own->lost = (float)(error * (1 + 0x1p-20)) + (reach->products > 0 ? 0x1p-149f : 0);
    own->pad = own->unbounded ? INFINITY : (float)(pad * (1 + 0x1p-20));
    state->extent = own->unbounded ? INFINITY : (float)((most + pad) * (1 + 0x1p-20));
}

// the new shape may have longer fields
static abut_status modal_carry(const abut_shape* shape, abut__state* state,
                               const abut_shape* before, const abut__state* from,
                               abut_error* error) {
    (void)before;
    const uint32_t count = abut__modal_of(shape)->fields->count;
    if (abut__modal_state_of(from)->count != count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the body has %u coordinates, but the new shape has %u fields",
                          abut__modal_state_of(from)->count, count);
    }
    memcpy(abut__modal_state_of(state)->coordinate, abut__modal_state_of(from)->coordinate,
           count * sizeof(double));
    abut__modal_reach reach;
    const abut_status status = check_reach(shape, abut__modal_state_of(state)->coordinate, &reach,
                                           error);
    if (status == ABUT_OK) {
        measure(shape, state, &reach);
    }
    return status;
}

static abut_status check_coordinates(const abut_shape* shape, const abut__state* now, void* input,
                                     abut_error* error) {
    (void)now;
    abut__modal_input* given = input;
    const uint32_t fields = abut__modal_of(shape)->fields->count;
    if (given->count != fields || (fields > 0 && given->coordinates == NULL)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          given->coordinates != NULL || given->count == 0
                              ? "%zu coordinates were given, but the shape has %u fields"
                              : "the pointer to %zu coordinates for %u fields is NULL",
                          given->count, fields);
    }
    return check_reach(shape, given->coordinates, &given->reach, error);
}

static abut_status take_coordinates(const abut_shape* shape, abut__state* next, abut__state* now,
                                    void* input, abut_error* error) {
    (void)now;
    (void)error;
    const abut__modal_input* given = input;
    for (size_t j = 0; j < given->count; ++j) {
        abut__modal_state_of(next)->coordinate[j] = given->coordinates[j];
    }
    measure(shape, next, &given->reach);
    return ABUT_OK;
}

const abut__input abut__modal_coordinates = {
    .motion = &abut__modal_motion,
    .what = "coordinates",
    .check = check_coordinates,
    .fill = take_coordinates,
};

// ---- the five operations

// moves runs of consecutive vertices that have the same list of fields
static void move_range(const abut_shape* shape, const abut__state* state, uint32_t first,
                       uint32_t end, double (*out)[3]) {
    const abut__fields* fields = abut__modal_of(shape)->fields;
    for (uint32_t v = first; v < end; ++v) {
        abut__mesh_rest(shape->mesh, v, out[v]);
    }
    for (uint32_t v = first, next; v < end; v = next) {
        for (next = v + 1; next < end && fields->list[next] == fields->list[v]; ++next) {
        }
        const abut__field_list list = abut__fields_of(fields, v);
        shape->context->kernels->modal_vertices(
            (const char*)fields->values + fields->first[v] * 3 * abut__scalar_size(fields->scalar),
            fields->scalar == ABUT_SCALAR_F64, fields->ids + list.first, list.count,
            abut__modal_state_of(state)->coordinate, next - v, out + v);
    }
}

#define WIDENED_MOST 0.1f  // part of the half extents or the radius

static void choose_refinement(const abut__state* state, const abut__state* last,
                              abut__usage* usage);

static bool modal_provide_late(const abut_shape* shape) {
    return abut__modal_bounds_of(shape) != NULL;
}

static abut__whole* modal_draft_whole(const abut_shape* shape, const abut__state* state) {
    const abut__modal_state* own = abut__modal_state_of(state);
    abut__whole* made = NULL;
    if (own->count > 0 && !own->unbounded &&
        abut__once_peek(&abut__modal_of(shape)->bounds) == NULL) {
        abut__whole_make(shape, state, (abut__demand){0}, move_range, &made);
    }
    return made;
}

static void modal_adopt_whole(abut__state* state, abut__whole* whole) {
    atomic_store_explicit(&abut__modal_state_of(state)->whole, whole, memory_order_release);
    state->costly = state->widens = false;
}

static void modal_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                        abut__usage* usage) {
    abut__modal_state* own = abut__modal_state_of(state);
    state->bad_vertex = ABUT__NONE;
    choose_refinement(state, last, usage);
    abut__verdicts_expire(shape->context, &own->verdicts);
    const abut__whole* whole_before = last != NULL ? abut__modal_whole(last) : NULL;
    const abut__demand demand = abut__demand_take(shape, state, usage,
                                                  abut__whole_proves(whole_before));
    abut__certified_begin(shape, last != NULL ? last : state, &demand, &own->verdicts);
    if (own->count > 0) {
        abut__whole* whole = abut__once_peek(&own->whole);
        abut__whole_begin(shape, state, whole_before, usage, demand, move_range, &whole);
        atomic_store_explicit(&own->whole, whole, memory_order_release);
    }
    state->costly = own->count > 0 && abut__modal_whole(state) == NULL;
    // without memory for bounds they are tried again when a query needs them
    if (!state->bare && state->costly) {
        (void)abut__modal_bounds_of(shape);
    }
    state->widens = state->costly && own->count >= ABUT__FIELDS_TO_WIDEN;
}

static const abut__boxes8* modal_bound(const abut_shape* shape, const abut__state* state,
                                       const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__modal_state* own = abut__modal_state_of(state);
    const uint32_t count = shape->tree.nodes[node].count;
    if (own->unbounded) {
        abut__boxes_infinite(room, count);
        return room;
    }
    const abut__whole* whole = abut__modal_whole(state);
    if (whole != NULL) {
        return abut__whole_bound(shape, whole, turn, node, room);
    }
    const abut__kernels* kernels = shape->context->kernels;
    if (has_only_spheres(abut__modal_of(shape))) {
        const abut__modal_lanes lanes = abut__spheres_group(abut__modal_spheres(shape), node);
        abut__balls8 balls;
        kernels->modal_balls(&lanes, own->coordinate, &balls);
        kernels->ball_boxes(&balls, turn, 3 * own->pad, room);
        return room;
    }
    const abut__modal_bounds* bounds = abut__modal_bounds_of(shape);
    if (bounds == NULL) {
        abut__boxes_infinite(room, count);
        return room;
    }
    const abut__bdtree* bdtree = bounds->bdtree;
    const abut__modal_lanes lanes = abut__bdtree_node(bdtree, node);
    abut__boxes8 straight;
    abut__boxes8* out = turn == NULL ? room : &straight;
    if (abut__bdtree_is_sloped(bdtree, node)) {
        kernels->sloped_boxes(&lanes, own->coordinate, 3 * own->pad, out);
    } else {
        kernels->modal_boxes(&lanes, own->coordinate, own->pad, out);
    }
    if (turn != NULL) {
        kernels->turn_boxes(&straight, count, turn, room);
    }
    return room;
}

static void sloped_root(const abut__bdtree* bdtree, const double* coordinates,
                        double box[ABUT__MODAL_BOX]) {
    double slope[3] = {1, 1, 1};
    memcpy(box, bdtree->root, ABUT__MODAL_BOX * sizeof *box);
    const double rest[3] = {box[3], box[4], box[5]};
    box[3] = box[4] = box[5] = 0;
    for (uint32_t j = 0; j < bdtree->field_count; ++j) {
        const double* row = bdtree->root + ABUT__MODAL_BOX * (1 + (size_t)j);
        const double q = coordinates[j];
        for (int d = 0; d < 3 && q != 0; ++d) {
            box[d] += row[d] * q;
            box[3 + d] += row[3 + d] * fabs(q);
            slope[d] += bdtree->root_slopes[3 * (1 + (size_t)j) + (size_t)d] * q;
        }
    }
    for (int d = 0; d < 3; ++d) {
        box[3 + d] += rest[d] * fabs(slope[d]);
    }
}

// In double, with u = 2^-53, n coordinates that are not 0 and S a bound of coordinates that are not
// relative to the origin: centre, half extents and vertices are off by (n + 2) u S each, with slopes together by less than 6 (n + 2) u S, and
// `lost` is 8 (n + 2) u S.
static bool modal_box(const abut_shape* shape, const abut__state* state, double centre[3],
                      double half[3]) {
    const abut__modal_state* own = abut__modal_state_of(state);
    const abut__modal_bounds* bounds = own->unbounded || abut__modal_whole(state) != NULL
                                           ? NULL
                                           : abut__modal_bounds_of(shape);
    if (bounds == NULL) {
        return false;
    }
    const abut__bdtree* bdtree = bounds->bdtree;
    double box[ABUT__MODAL_BOX];
    if (bdtree->root_slopes != NULL) {
        sloped_root(bdtree, own->coordinate, box);
    } else {
        shape->context->kernels->modal_box(bdtree->root, own->coordinate, own->count, box);
    }
    for (int d = 0; d < 3; ++d) {
        centre[d] = box[d];
        half[d] = box[3 + d] + (double)own->lost;
    }
    return true;
}

static double modal_distance(const abut_shape* shape, const abut__state* state,
                             const abut__state* last) {
    (void)shape;
    const abut__modal_state* now = abut__modal_state_of(state);
    const abut__modal_state* before = abut__modal_state_of(last);
    double sum = now->unbounded || before->unbounded ? INFINITY : 0;
    for (uint32_t j = 0; j < now->count; ++j) {
        const double change = now->coordinate[j] - before->coordinate[j];
        sum += change * change;
    }
    return sqrt(sum) * (1 + 0x1p-40);
}

// The pad covers the rounding of lo and hi.
static bool modal_widen(const abut_shape* shape, const abut__state* state, const abut__way* way,
                        uint32_t node, abut__boxes8* boxes) {
    const abut__modal_bounds* bounds = abut__modal_bounds_of(shape);
    if (bounds == NULL) {
        return false;
    }
    const abut__sways* sways = &bounds->bdtree->sways[node];
    const uint32_t count = shape->tree.nodes[node].count;
    bool narrow = true;
    for (int d = 0; d < 3; ++d) {
        for (uint32_t k = 0; k < count; ++k) {
            const float half = 0.5f * (boxes->hi[d][k] - boxes->lo[d][k]);
            narrow = narrow &&
                     way->whole * (double)sways->axis[d][k] <= (double)(WIDENED_MOST * half);
        }
    }
    for (int d = 0; d < 3 && narrow; ++d) {
        for (uint32_t k = 0; k < count; ++k) {
            const float more = (float)(way->step * (double)sways->axis[d][k] * (1 + 0x1p-20)) +
                               abut__modal_state_of(state)->pad;
            boxes->lo[d][k] -= more;
            boxes->hi[d][k] += more;
        }
    }
    return narrow;
}

static bool modal_widen_balls(const abut_shape* shape, const abut__state* state,
                              const abut__way* way, uint32_t node, abut__balls8* balls) {
    const abut__modal_bounds* bounds = abut__modal_bounds_of(shape);
    if (bounds == NULL) {
        return false;
    }
    const float* sway = bounds->bdtree->sways[node].all;
    const uint32_t count = shape->tree.nodes[node].count;
    bool narrow = true;
    for (uint32_t k = 0; k < count; ++k) {
        narrow = narrow && way->whole * (double)sway[k] <= (double)(WIDENED_MOST * balls->r[k]);
    }
    for (uint32_t k = 0; k < count && narrow; ++k) {
        balls->r[k] += (float)(way->step * (double)sway[k] * (1 + 0x1p-20)) +
                       3 * abut__modal_state_of(state)->pad;
    }
    return narrow;
}

static bool modal_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                           abut__block_points* points, float* radius) {
    const abut__modal_state* own = abut__modal_state_of(state);
    if (own->unbounded) {
        return false;
    }
    const abut__whole* whole = abut__modal_whole(state);
    if (whole != NULL) {
        // As in the free motion, rounding to float preserves order. Where vertices are cached in
        // float, their error counts.
        *radius = state->costly ? own->pad : 0;
        return shape->context->kernels->gather_points(shape->tree.blocks[block],
                                                      abut__whole_source(whole), points);
    }
    const abut__modal_bounds* bounds = abut__modal_bounds_of(shape);
    if (bounds == NULL) {
        return false;
    }
    const abut__modal_lanes lanes = abut__bdtree_block(bounds->bdtree, block);
    shape->context->kernels->modal_points(&lanes, shape->tree.blocks[block]->vertex_count,
                                          own->coordinate, points);
    *radius = 0.5f * own->pad;
    return true;
}

static const float* modal_origin(const abut_shape* shape, const abut__state* state) {
    (void)state;
    return shape->mesh->origin;
}

static void modal_vertex(const abut_shape* shape, const abut__modal_state* own, uint32_t vertex,
                         double p[3]) {
    abut__mesh_rest(shape->mesh, vertex, p);
    abut__fields_move(abut__modal_of(shape)->fields, vertex, own->coordinate, p);
}

static void modal_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                           uint32_t count, double* const out[3]) {
    // not by `costly`, which another thread may be changing: see abut__late
    const abut__whole* whole = abut__modal_whole(state);
    if (whole != NULL || abut__modal_state_of(state)->count == 0) {
        abut__read_positions(whole != NULL ? abut__whole_source(whole)
                                           : abut__mesh_source(shape->mesh),
                             ids, count, out);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        modal_vertex(shape, abut__modal_state_of(state), ids[i], p);
        out[0][i] = p[0];
        out[1][i] = p[1];
        out[2][i] = p[2];
    }
}

static uint64_t modal_block_vertices(const abut_shape* shape, const abut__state* state,
                                     uint32_t block, uint64_t wanted, abut__block_exact* out) {
    (void)wanted;  // rows have all of them
    const abut__block* fixed = shape->tree.blocks[block];
    const abut__modal_bounds* bounds = abut__once_peek(&abut__modal_of(shape)->bounds);
    const bool narrow = bounds != NULL && abut__modal_of(shape)->fields->scalar == ABUT_SCALAR_F32;
    for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
        if (narrow) {
            abut__mesh_rest(shape->mesh, fixed->vertex[v], out->xyz[v]);
            for (int d = 0; d < 3; ++d) {
                out->xyz[v][d] += 0.0;  // as abut__fields_move does
            }
        } else {
            modal_vertex(shape, abut__modal_state_of(state), fixed->vertex[v], out->xyz[v]);
        }
    }
    if (narrow) {  // then the rows of the block have the fields unrounded
        const abut__modal_lanes rows = abut__bdtree_block(bounds->bdtree, block);
        shape->context->kernels->modal_exact(&rows, fixed->vertex_count,
                                             abut__modal_state_of(state)->coordinate, out);
    }
    return UINT64_MAX;
}

static void* begin_making(const abut_shape* shape, const abut__links* links, bool sample) {
    const abut__certified_parts parts = {&shape->tree, links, shape->mesh,
                                         abut__modal_of(shape)->fields, NULL};
    return abut__certifier_begin(shape->context, &parts, sample);
}

static abut__certify_status make_some(void* making, uint64_t units, uint64_t* spent) {
    return abut__certifier_work(making, units, spent);
}

static void* end_making(void* making) {
    return abut__certifier_end(making);
}

static void destroy_certificates(void* certificates) {
    abut__certificates_free(certificates);
}

static uint32_t test_certificates(const void* certificates, const abut__state* state,
                                  abut__certificate_range range, bool sample) {
    const abut__certificates* c = certificates;
    // a query changes no state: it only fills in tables that follow from it
    abut__modal_state* own = abut__modal_state_of(state);
    const abut__certificate_state now = {
        own->coordinate, (double)own->lost,
        sample ? NULL : abut__verdicts_get(c->context, &own->verdicts, c->index.group_count)};
    return abut__certificates_hold(c, range, &now);
}

// In double, with u = 2^-53 and S as above: centre and radius are off by 1.8 (M + 2) u S and
// 3.5 (M + 2) u S, vertices by 1.8 (M + 1) u S, and turning both adds 25 u S. The pad is
// 16 (M + 8) u S.
static abut__ball modal_sphere(const abut_shape* shape, const abut__state* state) {
    const abut__modal_state* own = abut__modal_state_of(state);
    const abut__modal_bounds* bounds = abut__modal_bounds_of(shape);
    if (bounds == NULL) {
        return (abut__ball){{0, 0, 0}, INFINITY};
    }
    const abut__ball* rows = bounds->root;
    abut__ball ball = rows[0];
    double reach = abut__modal_of(shape)->most;
    for (uint32_t j = 0; j < own->count; ++j) {
        const double q = own->coordinate[j];
        if (q == 0) {
            continue;
        }
        for (int d = 0; d < 3; ++d) {
            ball.c[d] += rows[1 + j].c[d] * q;
        }
        ball.r += rows[1 + j].r * fabs(q);
        reach += abut__modal_of(shape)->fields->most[j] * fabs(q);
    }
    ball.r += (own->count + 8.0) * 0x1p-49 * reach;
    return ball;
}

static bool modal_proxies(const abut_shape* shape, const abut__state* state, uint32_t node,
                          abut__balls8* out, float* error) {
    const abut__modal_state* own = abut__modal_state_of(state);
    if (own->unbounded) {
        return false;
    }
    const abut__modal_lanes lanes = abut__spheres_group(&shape->proxies->spheres, node);
    shape->context->kernels->modal_balls(&lanes, own->coordinate, out);
    *error = 3 * own->pad;
    return true;
}

static bool modal_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    const abut__whole* whole = abut__modal_whole(state);
    return (!abut__is_block(ref) || !abut__whole_proves(whole)) &&
           (abut__certified_apart(shape, state, ref) ||
            (abut__whole_proves(whole) && abut__whole_apart(shape, whole, ref)));
}

// Where normals prove, certificates would prove less for more.
static bool modal_blocks_certified(const abut_shape* shape, const abut__state* state,
                                   uint32_t block_a, uint32_t block_b) {
    return !abut__whole_proves(abut__modal_whole(state)) &&
           abut__certified_blocks(shape, state, block_a, block_b);
}

static uint32_t modal_links_apart(const abut_shape* shape, const abut__state* state, uint32_t first,
                                  uint32_t count) {
    return abut__whole_proves(abut__modal_whole(state))
               ? 0
               : abut__certified_links(shape, state, first, count);
}

static bool modal_nodes_apart(const abut_shape* shape, const abut__state* state, uint32_t node_a,
                              uint32_t node_b) {
    return !abut__whole_proves(abut__modal_whole(state)) &&
           abut__certified_nodes(shape, state, node_a, node_b);
}

static void modal_expect(const abut_shape* shape, const abut__state* state) {
    (void)state;
    abut__certified_expect(shape);
}

static const abut__proofs proofs = {.expect = modal_expect};

static const abut__pair_proofs pair_proofs = {
    .blocks_certified = modal_blocks_certified,
    .links_apart = modal_links_apart,
    .nodes_apart = modal_nodes_apart,
};

// Whether spheres are of use: boxes around all vertices are tighter.
static bool can_have_spheres(const abut__state* state) {
    return !abut__modal_state_of(state)->unbounded && abut__modal_whole(state) == NULL;
}

static uint32_t modal_kinds(const abut_shape* shape, const abut__state* state) {
    const abut__modal* modal = abut__modal_of(shape);
    if (!has_spheres(modal) || !can_have_spheres(state) || modal->compare == ABUT__COMPARE_CUBES) {
        return ABUT__BOXES;
    }
    const abut__refine_choice* choice = abut__modal_choice(state);
    const bool refines = choice == NULL || choice->refines || modal->compare == ABUT__COMPARE_BOTH;
    return has_only_spheres(modal) ? ABUT__SPHERES
           : refines               ? ABUT__BOXES | ABUT__SPHERES
                                   : ABUT__BOXES;
}

#define SPHERES_MOST (1u << 18)  // vertices times fields of shapes that get them during a query

static bool modal_provide(const abut_shape* shape, const abut__state* state) {
    const abut__modal* modal = abut__modal_of(shape);
    if (!can_have_spheres(state) || modal->compare == ABUT__COMPARE_CUBES ||
        modal->bound == ABUT_MODAL_BOUND_BOXES ||
        shape->mesh->vertex_count * (uint64_t)(shape->field_count + 1) > SPHERES_MOST) {
        return false;
    }
    return abut__once_get(&modal->spheres, make_node_spheres, free_spheres, shape) != NULL;
}

static void choose_refinement(const abut__state* state, const abut__state* last,
                              abut__usage* usage) {
    abut__refine_choice* choice = abut__modal_choice(state);
    const abut__refine_counts counts = {
        atomic_load_explicit(&usage->opened, memory_order_relaxed),
        abut__usage_take(&usage->false_opens),
        abut__usage_take(&usage->refined),
    };
    if (choice != NULL) {
        const abut__refine_choice* before = last != NULL ? abut__modal_choice(last) : NULL;
        *choice = before != NULL ? *before : (abut__refine_choice){0};
        abut__refine_choice_next(choice, &counts, abut__modal_state_of(state)->count);
    }
}

static float modal_node_balls(const abut_shape* shape, const abut__state* state, uint32_t node,
                              abut__balls8* out) {
    const abut__modal_state* own = abut__modal_state_of(state);
    const abut__modal_lanes lanes = abut__spheres_group(abut__modal_spheres(shape), node);
    shape->context->kernels->modal_balls(&lanes, own->coordinate, out);
    return 3 * own->pad;
}

static const abut__boxes8* modal_boxes(const abut__state* state) {
    const abut__modal_state* own = abut__modal_state_of(state);
    return own->unbounded ? NULL : abut__whole_boxes(abut__modal_whole(state));
}

static const abut__lazy lazy = {
    .boxes = modal_boxes,
    .block_vertices = modal_block_vertices,
    .all_at_once = true,
    .distance = modal_distance,
    .widen = modal_widen,
};

static const abut__certifying certifying = {
    .begin = begin_making,
    .work = make_some,
    .end = end_making,
    .destroy = destroy_certificates,
    .test = test_certificates,
};

static const abut__whole_bounds whole_bounds = {
    .box = modal_box,
    .sphere = modal_sphere,
    .proxies = modal_proxies,
};

static const abut__node_spheres node_spheres = {
    .kinds = modal_kinds,
    .balls = modal_node_balls,
    .provide = modal_provide,
    .widen = modal_widen_balls,
};

static const abut__shape_keeping shapes = {
    .prepare = modal_prepare,
    .complete = modal_complete,
    .discard = modal_discard,
};

static const abut__state_keeping states = {
    .reserve = modal_reserve,
    .release = modal_release,
    .rest = modal_rest,
    .carry = modal_carry,
};

const abut__motion abut__modal_motion = {
    .id = ABUT_MOTION_MODAL,
    .name = "modal",
    .parts_classes = true,
    .keeps_nodes = true,
    .begin = modal_begin,
    .bound = modal_bound,
    .evaluate = modal_evaluate,
    .vertices = modal_vertices,
    .apart = modal_apart,
    .origin = modal_origin,
    .lazy = &lazy,
    .proofs = &proofs,
    .pair_proofs = &pair_proofs,
    .certifying = &certifying,
    .whole_bounds = &whole_bounds,
    .node_spheres = &node_spheres,
    .late = &late,
    .packing = &abut__modal_packing,
    .shapes = &shapes,
    .states = &states,
};
