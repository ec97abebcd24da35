// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The blend motion: convex weights times affine transforms of nodes. Skinned characters and
// point-based bodies are the same formula. Based on Steinemann, Otaduy, Gross, "Efficient Bounds
// for Point-Based Animations", 2007 (bound/convex.h).
#include "motion/blend.h"

#include <math.h>

#include "base/rounding.h"
#include "motion/blend_far.h"
#include "motion/blend_rough.h"
#include "motion/certified.h"

// ---- shapes

static uint64_t blend_hash(const void* of, uint32_t vertex, uint64_t hash) {
    const abut__blend* blend = of;
    return abut__fields_hash(blend->fields, vertex,
                             abut__weights_hash(blend->weights, vertex, hash));
}

static bool blend_equal(const void* of, uint32_t a, uint32_t b) {
    const abut__blend* blend = of;
    return abut__weights_equal(blend->weights, a, b) && abut__fields_equal(blend->fields, a, b);
}

// coordinates beyond this could overflow while they are blended
#define REACH_MOST 0x1p1020

abut_status abut__blend_find_most(abut__blend* blend, const abut_mesh* mesh, abut_error* error) {
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        double p[3];
        double near[3];
        abut__mesh_rest(mesh, v, p);
        abut__mesh_rest_near(mesh, v, near);
        for (int d = 0; d < 3; ++d) {
            if (fabs(p[d]) > REACH_MOST) {
                return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, v,
                                  "vertex %u rests too far away to be blended (%g)", v, p[d]);
            }
            blend->most[d] = fmax(blend->most[d], fabs(p[d]));
            blend->near_most[d] = fmax(blend->near_most[d], fabs(near[d]));
        }
    }
    return ABUT_OK;
}

static abut_status take_def(abut_shape* shape, const abut__blend_given* given, abut_error* error) {
    abut__blend* blend = abut__blend_of(shape);
    const abut_blend_def* def = given->def;
    const uint32_t vertices = shape->mesh->vertex_count;
    blend->bound = given->bound;
    const abut_status status = abut__weights_make(shape->context, vertices, &def->weights,
                                                  &blend->weights, error);
    return status == ABUT_OK ? abut__fields_make(shape->context, vertices, def->fields,
                                                 def->field_count, &blend->fields, error)
                             : status;
}

// The motion's edit: the one given, or a plain one in `room`.
static const abut_blend_edit_def* edit_of(const abut__lineage* lineage, abut_blend_edit_def* room) {
    if (lineage->own_edit != NULL) {
        return lineage->own_edit;
    }
    memset(room, 0, sizeof *room);
    room->edit = *lineage->edit;
    return room;
}

static abut_status take_lineage(abut__blend* blend, const abut__lineage* lineage,
                                abut_error* error) {
    const abut__blend* from = abut__blend_of(lineage->shape);
    blend->bound = from->bound;
    if (lineage->edit != NULL) {
        abut_blend_edit_def room;
        const abut_blend_edit_def* edit = edit_of(lineage, &room);
        const abut_status status = abut__weights_edit(from->weights, edit, &blend->weights, error);
        return status == ABUT_OK ? abut__fields_edit(from->fields, edit->edit.added_vertices.count,
                                                     edit->added_fields, &blend->fields, error)
                                 : status;
    }
    abut__weights_hold(from->weights);
    blend->weights = from->weights;
    abut__fields_hold(from->fields);
    blend->fields = from->fields;
    return ABUT_OK;
}

static abut_status blend_prepare(abut_shape* shape, const void* def, const abut__lineage* lineage,
                                 abut_error* error) {
    shape->own = abut__alloc_zero(shape->context, 1, sizeof(abut__blend));
    if (abut__blend_of(shape) == NULL) {
        return abut__fail_memory(error);
    }
    abut_status status = lineage != NULL ? take_lineage(abut__blend_of(shape), lineage, error)
                                         : take_def(shape, def, error);
    if (status == ABUT_OK) {
        status = abut__blend_find_most(abut__blend_of(shape), shape->mesh, error);
    }
    if (status != ABUT_OK) {
        return status;
    }
    shape->field_count = abut__blend_of(shape)->fields->count;
    shape->node_count = abut__blend_of(shape)->weights->node_count;
    const abut__likeness like = {blend_hash, blend_equal, abut__blend_of(shape)};
    const abut_mesh* parted;
    status = abut__mesh_part_classes(shape->mesh, &like, &parted, error);
    if (status == ABUT_OK) {
        abut_mesh_destroy((abut_mesh*)shape->mesh);
        shape->mesh = parted;
    }
    return status;
}

// bounds the weights, and keeps the bounds and certificates of blocks whose vertices move as before;
// NULL: no memory
static abut__convex* make_convex(abut_shape* shape, const abut__lineage* lineage) {
    const abut__blend* blend = abut__blend_of(shape);
    const bool plain = blend->bound == ABUT__BLEND_BOUND_PLAIN;
    if (lineage == NULL) {
        return abut__convex_make(shape->context, &shape->tree, shape->mesh, blend->weights, plain,
                                 NULL);
    }
    const abut_blend_edit_def* edit = lineage->own_edit;
    const size_t changes = edit != NULL ? edit->changed_vertex_count : 0;
    const size_t count = changes > 0 ? shape->mesh->vertex_count : 0;
    uint8_t* changed = abut__alloc_zero(shape->context, count, 1);
    if (changes > 0 && changed == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < changes; ++i) {
        changed[edit->changed_vertices[i]] = 1;
    }
    abut__certified_descend(shape, lineage, changes > 0 ? changed : NULL);
    const abut__convex_past past = {abut__blend_of(lineage->shape)->convex, lineage->blocks,
                                    lineage->block_count, changed};
    abut__convex* made = abut__convex_make(shape->context, &shape->tree, shape->mesh,
                                           blend->weights, plain, &past);
    abut__free(shape->context, changed, count, 1);
    return made;
}

// Whether merging the boxes of upper nodes from those below saves work. It does where few vertices
// follow many nodes. Elsewhere it computes more boxes that no query needs than it saves.
static bool merging_pays(const abut__tree* tree, const abut__convex* convex) {
    const double least = 0.3;
    size_t upper = 0;
    size_t all = 0;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        for (uint32_t k = 0; k < tree->nodes[n].count; ++k) {
            const uint32_t rows = convex->parts[n][k].count;
            upper += abut__is_block(tree->nodes[n].child[k]) ? 0 : rows;
            all += rows;
        }
    }
    return (double)upper >= least * (double)all;
}

static abut_status blend_complete(abut_shape* shape, const abut__lineage* lineage,
                                  abut_error* error) {
    abut__blend* blend = abut__blend_of(shape);
    blend->convex = make_convex(shape, lineage);
    shape->bounds_reused = blend->convex != NULL ? blend->convex->taken : 0;
    shape->bounds_built = shape->tree.block_count - shape->bounds_reused;
    blend->merges = blend->convex != NULL && merging_pays(&shape->tree, blend->convex);
    blend->costs = blend->convex != NULL ? abut__blend_costs(shape) : (abut__rough_costs){0};
    if (blend->fields->count > 0) {
        blend->moves = abut__bdtree_make(shape->context, &shape->tree, shape->mesh, blend->fields,
                                         ABUT__BD_MOVES);
    }
    return blend->convex != NULL && (blend->fields->count == 0 || blend->moves != NULL)
               ? ABUT_OK
               : abut__fail_memory(error);
}

static void blend_discard(abut_shape* shape) {
    if (abut__blend_of(shape) != NULL) {
        abut__certified_free(shape);
        abut__blend_parts_free(abut__once_peek(&abut__blend_of(shape)->parts));
        abut__bdtree_free(abut__blend_of(shape)->moves);
        abut__convex_free(abut__blend_of(shape)->convex);
        abut__fields_release(abut__blend_of(shape)->fields);
        abut__weights_release(abut__blend_of(shape)->weights);
        abut__free(shape->context, abut__blend_of(shape), 1, sizeof(abut__blend));
    }
}

static bool blend_draft(abut_shape* draft, const abut_shape* shape) {
    const abut__blend* from = abut__blend_of(shape);
    draft->own = abut__alloc_zero(draft->context, 1, sizeof(abut__blend));
    abut__blend* own = abut__blend_of(draft);
    if (own == NULL) {
        return false;
    }
    abut__weights_hold(from->weights);
    own->weights = from->weights;
    abut__fields_hold(from->fields);
    own->fields = from->fields;
    own->bound = from->bound;
    return true;
}

static void blend_adopt(abut_shape* shape, abut_shape* draft) {
    abut__blend* own = abut__blend_of(shape);
    abut__blend* made = abut__blend_of(draft);
    own->convex = made->convex;
    own->moves = made->moves;
    own->merges = made->merges;
    own->costs = made->costs;
    made->convex = NULL;
    made->moves = NULL;
}

static const abut__late late = {
    .draft = blend_draft,
    .adopt = blend_adopt,
};

// ---- states

static void blend_release(const abut_context* context, abut__state* state) {
    abut__blend_state* own = abut__blend_state_of(state);
    if (own != NULL) {
        abut__free(context, own->columns, own->node_count, sizeof *own->columns);
        abut__free(context, own->transforms, own->node_count, sizeof *own->transforms);
        abut__free(context, own->coordinates, own->field_count, sizeof *own->coordinates);
        abut__free(context, own->norms, own->node_count, sizeof *own->norms);
        abut__verdicts_forget(context, &own->verdicts);
        abut__whole_release(context, own->whole);
        abut__rough_release(context, own->rough);
        abut__free(context, own, 1, sizeof *own);
    }
    state->own = NULL;
}

static bool blend_reserve(const abut_shape* shape, abut__state* state) {
    if (abut__blend_state_of(state) != NULL) {
        return true;
    }
    const abut_context* context = shape->context;
    abut__blend_state* own = abut__alloc_zero(context, 1, sizeof *own);
    if (own == NULL) {
        return false;
    }
    own->node_count = abut__blend_of(shape)->weights->node_count;
    own->field_count = abut__blend_of(shape)->fields->count;
    own->columns = abut__alloc_zero(context, own->node_count, sizeof *own->columns);
    own->transforms = abut__alloc(context, own->node_count, sizeof *own->transforms);
    own->coordinates = abut__alloc(context, own->field_count, sizeof *own->coordinates);
    state->own = own;
    if (own->columns == NULL || own->transforms == NULL ||
        (own->field_count > 0 && own->coordinates == NULL)) {
        blend_release(context, state);
        return false;
    }
    return true;
}

// ---- bounds of coordinates

// returns bounds of rest coordinates, given those of positions that the fields do not move
static void rest_reach(const abut_shape* shape, const double most[3], const double* coordinates,
                       double reach[3]) {
    const abut__fields* fields = abut__blend_of(shape)->fields;
    double more = 0;
    for (uint32_t j = 0; j < fields->count; ++j) {
        more += fields->most[j] * fabs(coordinates[j]);
    }
    for (int d = 0; d < 3; ++d) {
        reach[d] = most[d] + more;
    }
}

// Bounds of coordinates in a state, from the greatest numbers of transforms.
typedef struct reaches {
    double reach;    // S of blend.h
    double row;      // the greatest row sum of a matrix
    double largest;  // the greatest number of a transform, or row sum
} reaches;

static reaches reaches_of(const abut__transforms_most* most, const double rest[3]) {
    reaches r = {0, 0, 0};
    for (size_t d = 0; d < 3; ++d) {
        const double* row = most->number + 4 * d;
        r.reach = fmax(r.reach,
                       ((row[0] * rest[0] + row[1] * rest[1]) + row[2] * rest[2]) + row[3]);
        r.row = fmax(r.row, (row[0] + row[1]) + row[2]);
        r.largest = fmax(r.largest, fmax(r.row, row[3]));
    }
    return r;
}

// Numbers count even where they multiply a coordinate that is 0: the blended ones must be finite.
static bool is_within(const reaches* r, double limit) {
    return r->reach <= limit && r->largest <= limit;
}

static double greatest_of(const double rest[3]) {
    return fmax(rest[0], fmax(rest[1], rest[2]));
}

// ---- setting a state

static void read_transform(abut_transforms view, size_t stride, size_t j, double out[16]) {
    const char* place = (const char*)view.data + j * stride;
    const size_t count = view.layout == ABUT_LAYOUT_COLUMNS_4X4 ? 16 : 12;
    double given[16];
    for (size_t e = 0; e < count; ++e) {
        given[e] = view.type == ABUT_SCALAR_F64 ? ((const double*)(const void*)place)[e]
                                                : (double)((const float*)(const void*)place)[e];
    }
    for (size_t e = 0; e < count; ++e) {
        out[e] = count == 12 ? given[e] : given[4 * (e % 4) + e / 4];
    }
}

static size_t transform_size(abut_transforms view) {
    const size_t numbers = view.layout == ABUT_LAYOUT_COLUMNS_4X4 ? 16 : 12;
    return numbers * abut__scalar_size(view.type);
}

static abut_status check_view(const abut__blend_state* state, abut_transforms view,
                              abut_error* error) {
    if (view.count != state->node_count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu transforms were given, but the shape has %u nodes", view.count,
                          state->node_count);
    }
    if (view.data == NULL || (view.type != ABUT_SCALAR_F32 && view.type != ABUT_SCALAR_F64) ||
        (view.layout != ABUT_LAYOUT_ROWS_3X4 && view.layout != ABUT_LAYOUT_COLUMNS_4X4)) {
        return abut__fail(
            error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0, "the transforms have %s",
            view.data == NULL ? "no data: the pointer is NULL" : "an unknown type or layout");
    }
    const size_t align = abut__scalar_size(view.type);
    if ((uintptr_t)view.data % align != 0 || view.stride % align != 0 ||
        (view.stride != 0 && view.stride < transform_size(view))) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the transforms are not aligned, or their stride of %zu bytes is less "
                          "than their size of %zu",
                          view.stride, transform_size(view));
    }
    return ABUT_OK;
}

static abut_status check_last_row(uint32_t j, const double row[4], abut_error* error) {
    if (row[0] != 0 || row[1] != 0 || row[2] != 0 || row[3] != 1) {
        return abut__fail(
            error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, j,
            "transform %u is not affine: its last row is %g %g %g %g, not 0 0 0 1 (or "
            "its rows are columns)",
            j, row[0], row[1], row[2], row[3]);
    }
    return ABUT_OK;
}

// whether transforms have the order of those in states
static bool is_plain(abut_transforms view) {
    return view.layout == ABUT_LAYOUT_ROWS_3X4 &&
           (view.stride == 0 || view.stride == transform_size(view));
}

// copies the transforms unchanged
static abut_status copy_transforms(abut__blend_state* state, abut_transforms view,
                                   abut_error* error) {
    const bool columns = view.layout == ABUT_LAYOUT_COLUMNS_4X4;
    const size_t stride = view.stride != 0 ? view.stride : transform_size(view);
    for (uint32_t j = 0; j < state->node_count; ++j) {
        double t[16];
        read_transform(view, stride, j, t);
        memcpy(state->transforms[j], t, sizeof state->transforms[j]);
        const abut_status status = columns ? check_last_row(j, t + 12, error) : ABUT_OK;
        if (status != ABUT_OK) {
            return status;
        }
    }
    return ABUT_OK;
}

// Reports what is out of range: the coordinates or a transform. If all transforms were within a
// sixteenth of the limit, all together would be within it.
static abut_status refuse_transforms(const abut__blend_state* state, const double rest[3],
                                     abut_error* error) {
    if (!(greatest_of(rest) <= REACH_MOST)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                          "the coordinates move vertices beyond what a double can hold");
    }
    for (uint32_t j = 0; j < state->node_count; ++j) {
        const double* t = state->transforms[j];
        abut__transforms_most most = {.finite = true};
        for (int e = 0; e < 12; ++e) {
            most.number[e] = fabs(t[e]);
            if (!isfinite(t[e])) {
                return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, j,
                                  "transform %u is not finite (%g in row %d, column %d)", j, t[e],
                                  e / 4, e % 4);
            }
        }
        const reaches own = reaches_of(&most, rest);
        if (!is_within(&own, REACH_MOST / 16)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NODE, j,
                              "transform %u moves vertices beyond what a double can hold", j);
        }
    }
    return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0,
                      "the transforms move vertices beyond what a double can hold");
}

// takes transforms as states have them, in doubles or floats
static abut_status measure(const abut_shape* shape, abut__blend_state* state,
                           const void* transforms, bool is_float, abut_error* error) {
    double rest[3];
    rest_reach(shape, abut__blend_of(shape)->most, state->coordinates, rest);
    abut__transforms_most most;
    shape->context->kernels->blend_columns(transforms, is_float, state->node_count,
                                           state->transforms, state->columns, &most);
    const reaches all = reaches_of(&most, rest);
    state->reach = all.reach;
    state->row = all.row;
    state->largest = all.largest;
    return most.finite && greatest_of(rest) <= REACH_MOST && is_within(&all, REACH_MOST)
               ? ABUT_OK
               : refuse_transforms(state, rest, error);
}

static abut_status take_coordinates(abut__blend_state* state, const double* coordinates,
                                    size_t count, abut_error* error) {
    if (count != state->field_count || (count > 0 && coordinates == NULL)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          count == state->field_count
                              ? "the pointer to %zu coordinates for %u fields is NULL"
                              : "%zu coordinates were given, but the shape has %u fields",
                          count, state->field_count);
    }
    for (size_t j = 0; j < count; ++j) {
        if (!isfinite(coordinates[j])) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, j,
                              "coordinate %zu is not finite (%g)", j, coordinates[j]);
        }
        state->coordinates[j] = coordinates[j];
    }
    return ABUT_OK;
}

// sets the identity for all nodes from `first` on
static void put_identity(abut__blend_state* own, uint32_t first) {
    for (uint32_t j = first; j < own->node_count; ++j) {
        for (int e = 0; e < 12; ++e) {
            own->transforms[j][e] = e % 5 == 0 ? 1 : 0;
        }
    }
}

static void blend_rest(const abut_shape* shape, abut__state* state) {
    abut__blend_state* own = abut__blend_state_of(state);
    put_identity(own, 0);
    for (uint32_t j = 0; j < own->field_count; ++j) {
        own->coordinates[j] = 0;
    }
    // rest positions are finite
    (void)measure(shape, own, own->transforms, false, NULL);
}

static abut_status take_transforms(const abut_shape* shape, abut__state* next, abut__state* now,
                                   void* input, abut_error* error) {
    (void)now;
    const abut__blend_input* given = input;
    const abut_transforms transforms = given->transforms;
    abut__blend_state* state = abut__blend_state_of(next);
    abut_status status = check_view(state, transforms, error);
    if (status == ABUT_OK) {
        status = take_coordinates(state, given->coordinates, given->coordinate_count, error);
    }
    if (status != ABUT_OK) {
        return status;
    }
    if (is_plain(transforms)) {  // blend_columns copies them
        return measure(shape, state, transforms.data, transforms.type == ABUT_SCALAR_F32, error);
    }
    status = copy_transforms(state, transforms, error);
    return status == ABUT_OK ? measure(shape, state, state->transforms, false, error) : status;
}

// nodes that only the new shape has begin with the identity
static abut_status blend_carry(const abut_shape* shape, abut__state* state,
                               const abut_shape* before, const abut__state* from,
                               abut_error* error) {
    (void)before;
    const abut__blend_state* now = abut__blend_state_of(from);
    abut__blend_state* own = abut__blend_state_of(state);
    if (own->node_count < now->node_count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the body has %u transforms, but the new shape has only %u nodes",
                          now->node_count, own->node_count);
    }
    memcpy(own->transforms, now->transforms, now->node_count * sizeof *own->transforms);
    put_identity(own, now->node_count);
    const abut_status status = take_coordinates(own, now->coordinates, now->field_count, error);
    return status == ABUT_OK ? measure(shape, own, own->transforms, false, error) : status;
}

const abut__input abut__blend_transforms = {
    .motion = &abut__blend_motion,
    .what = "transforms",
    .fill = take_transforms,
};

// ---- the five operations

static void move_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                          size_t first, size_t count, double (*out)[3]) {
    const abut__blend* blend = abut__blend_of(shape);
    const abut__blend_state* own = abut__blend_state_of(state);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t vertex = ids != NULL ? ids[i] : (uint32_t)(first + i);
        abut__mesh_rest(shape->mesh, vertex, out[i]);
        if (own->field_count > 0) {
            abut__fields_move(blend->fields, vertex, own->coordinates, out[i]);
        }
    }
    const abut__weights* weights = blend->weights;
    const abut__influences influences = {ids != NULL ? weights->first : weights->first + first,
                                         weights->nodes, weights->values,
                                         weights->scalar == ABUT_SCALAR_F64};
    shape->context->kernels->blend_vertices(&influences, (const double(*)[12])own->transforms, ids,
                                            count, out);
}

static void move_range(const abut_shape* shape, const abut__state* state, uint32_t first,
                       uint32_t end, double (*out)[3]) {
    move_vertices(shape, state, NULL, first, end - first, out + first);
}

// returns the pad of the rest positions that the fields move: see motion/modal.h
static double pad_of_moves(const abut__blend* blend, const abut__blend_state* own,
                           const double rest[3]) {
    if (own->field_count == 0) {
        return 0;
    }
    double lost = 0;
    for (uint32_t j = 0; j < own->field_count; ++j) {
        const double q = fabs(own->coordinates[j]);
        lost += blend->fields->most[j] * (0x1p-24 * q + 0x1p-149) + 0x1p-149 * q;
    }
    const double reach = greatest_of(rest);
    return (own->field_count + 8.0) * (0x1p-23 * reach + 0x1p-148) + 2 * lost;
}

// coordinates are rounded to float for bounds and points, however little their fields move
static double greatest_coordinate(const abut__blend_state* own) {
    double greatest = 0;
    for (uint32_t j = 0; j < own->field_count; ++j) {
        greatest = fmax(greatest, fabs(own->coordinates[j]));
    }
    return greatest;
}

// computes what certificates need of a state; see bound/blend_certificate.h
static void begin_certificates(const abut_context* context, const abut__blend* blend,
                               abut__blend_state* own, bool asked) {
    double moved = 0;
    for (uint32_t j = 0; j < own->field_count; ++j) {
        moved += blend->fields->most[j] * fabs(own->coordinates[j]);
    }
    // |p + u|, and the size of the shape, which is at most twice the length of the first
    const double* most = blend->most;
    const double reach = 3 * (sqrt(most[0] * most[0] + most[1] * most[1] + most[2] * most[2]) +
                              1.7321 * moved);
    const double influences = blend->weights->most;
    const double terms = influences * (1 + 2.0 * own->node_count) + own->field_count + 1050;
    const double units = 0x1p-52 * terms + blend->weights->defect;
    // norms of matrices and lengths of translations are at most sqrt(3) times row sums and numbers
    const double most_moved = 1.7321 * (own->row * reach + own->largest);
    own->lost = 4 * (units * most_moved + 0x1p-1060 * terms * (1 + reach));
    // only for bodies with self queries; without memory certificates take longer
    if (own->norms == NULL && asked) {
        own->norms = abut__alloc(context, own->node_count, sizeof *own->norms);
    }
    for (size_t i = 0; i < own->node_count && own->norms != NULL; ++i) {
        atomic_store_explicit(&own->norms[i], -1, memory_order_relaxed);
    }
    abut__verdicts_expire(context, &own->verdicts);
    own->same = true;
    for (uint32_t j = 1; j < own->node_count && own->same; ++j) {
        for (int e = 0; e < 12; ++e) {
            own->same = own->same && own->transforms[j][e] == own->transforms[0][e];
        }
    }
    own->still = true;
    for (uint32_t f = 0; f < own->field_count && own->still; ++f) {
        own->still = own->coordinates[f] == 0;
    }
}

static void blend_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                        abut__usage* usage) {
    const abut__blend* blend = abut__blend_of(shape);
    abut__blend_state* own = abut__blend_state_of(state);
    double rest[3];
    rest_reach(shape, blend->near_most, own->coordinates, rest);
    const double most_rest = greatest_of(rest);
    double reach = own->reach;
    const bool far = abut__blend_centre(shape, own, rest, &reach);
    const double terms = blend->weights->most + 16.0;
    const double moves_pad = pad_of_moves(blend, own, rest);
    const double lost = far ? (blend->weights->defect + 0x1p-48 * terms) * (own->reach + 2 * reach)
                            : blend->weights->defect * own->reach;
    const double beside = terms * (0x1p-146 * (1 + most_rest)) + lost +
                          own->row * (moves_pad + 0x1p-148);
    const double pad = terms * 0x1p-23 * reach + beside;
    const double radius = fmin(pad,
                               abut__rounding_units(blend->weights->most + 10.0) * reach + beside);
    own->unbounded = !(own->reach <= 0.5e37) || !(own->largest <= 0.5e37) ||
                     !(most_rest <= 0.5e37) || !(greatest_coordinate(own) <= 0.5e38);
    // the factor covers the rounding to float
    own->moves_pad = own->unbounded ? INFINITY : (float)(moves_pad * (1 + 0x1p-20));
    own->pad = own->unbounded ? INFINITY : (float)(pad * (1 + 0x1p-20));
    own->radius = own->unbounded ? INFINITY : (float)(radius * (1 + 0x1p-20));
    const abut__whole* whole_before = last != NULL ? abut__blend_state_of(last)->whole : NULL;
    const abut__demand demand = abut__demand_take(shape, state, usage,
                                                  abut__whole_proves(whole_before));
    begin_certificates(shape->context, blend, own, demand.asked);
    abut__certified_begin(shape, last != NULL ? last : state, &demand, &own->verdicts);
    state->bad_vertex = ABUT__NONE;
    const abut__rough_counts counts = abut__rough_count(usage);
    abut__whole_begin(shape, state, whole_before, usage, demand, move_range, &own->whole);
    // self queries open most of a body, except what certificates prove: its boxes matter little
    abut__blend_rough(shape, state, last, demand.asked ? NULL : &counts);
    // boxes around rough vertices are grown by the pad once more than these are off
    const double beyond = abut__rough_is_here(own->rough) ? 2 * radius : pad;
    state->extent = own->unbounded ? INFINITY : (float)((reach + beyond) * (1 + 0x1p-20));
    state->costly = !abut__whole_is_here(own->whole);
    state->counts = state->costly && abut__blend_may_be_rough(own) &&
                    !abut__rough_is_here(own->rough);
    state->merges = !state->bare && state->costly && blend->merges &&
                    !abut__rough_is_here(own->rough);
}

static const abut__boxes8* blend_bound(const abut_shape* shape, const abut__state* state,
                                       const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__blend* blend = abut__blend_of(shape);
    const abut__blend_state* own = abut__blend_state_of(state);
    const uint32_t count = shape->tree.nodes[node].count;
    if (own->unbounded) {
        abut__boxes_infinite(room, count);
        return room;
    }
    const abut__kernels* kernels = shape->context->kernels;
    if (abut__whole_is_here(own->whole)) {
        return abut__whole_bound(shape, own->whole, turn, node, room);
    }
    if (abut__rough_is_here(own->rough)) {
        return abut__boxes_turned(shape, &own->rough->refit.boxes[node], turn, node, room);
    }
    abut__boxes8 moves;
    if (own->field_count > 0) {
        const abut__modal_lanes lanes = abut__bdtree_node(blend->moves, node);
        kernels->modal_boxes(&lanes, own->coordinates, own->moves_pad, &moves);
    }
    const abut__convex_lanes lanes = abut__convex_node(blend->convex, &shape->tree, node);
    abut__boxes8 straight;
    abut__boxes8* out = turn != NULL ? &straight : room;
    (blend->bound == ABUT__BLEND_BOUND_EXACT ? kernels->blend_boxes_least : kernels->blend_boxes)(
        &lanes, own->columns, own->field_count > 0 ? &moves : NULL, own->pad, out);
    if (turn != NULL) {
        kernels->turn_boxes(&straight, count, turn, room);
    }
    return room;
}

static void blend_bound_some(const abut_shape* shape, const abut__state* state,
                             const abut__turn* turn, uint32_t node, uint32_t wanted,
                             abut__boxes8* out) {
    const abut__blend* blend = abut__blend_of(shape);
    const abut__blend_state* own = abut__blend_state_of(state);
    const uint32_t count = shape->tree.nodes[node].count;
    if (own->unbounded || own->field_count > 0 || abut__whole_is_here(own->whole) ||
        abut__rough_is_here(own->rough)) {
        const abut__boxes8* all = blend_bound(shape, state, turn, node, out);
        *out = all != out ? *all : *out;
        return;
    }
    const abut__kernels* kernels = shape->context->kernels;
    abut__boxes8 straight = {0};
    abut__boxes8* place = turn != NULL ? &straight : out;
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        abut__box3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        if ((wanted >> k & 1) != 0) {
            abut__convex_lanes lanes = abut__convex_node(blend->convex, &shape->tree, node);
            abut__boxes8 one;
            lanes.parts += k;
            lanes.count = 1;
            (blend->bound == ABUT__BLEND_BOUND_EXACT
                 ? kernels->blend_boxes_least
                 : kernels->blend_boxes)(&lanes, own->columns, NULL, own->pad, &one);
            box = abut__boxes_get(&one, 0);
        }
        abut__boxes_put(place, k, &box);
    }
    if (turn != NULL) {
        kernels->turn_boxes(&straight, count, turn, out);
    }
}

static bool blend_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                           abut__block_points* points, float* radius) {
    const abut__blend* blend = abut__blend_of(shape);
    const abut__blend_state* own = abut__blend_state_of(state);
    const abut__kernels* kernels = shape->context->kernels;
    if (own->unbounded) {
        return false;
    }
    if (abut__whole_is_here(own->whole)) {
        *radius = 0;  // as in the free motion: rounding to float preserves order
        return kernels->gather_points(shape->tree.blocks[block], abut__whole_source(own->whole),
                                      points);
    }
    if (abut__rough_is_here(own->rough)) {
        *radius = own->radius;
        return kernels->gather_points(shape->tree.blocks[block], abut__rough_source(own->rough),
                                      points);
    }
    const abut__convex_block* fixed = blend->convex->blocks[block];
    const abut__block_points* rest = &fixed->rest;
    if (own->field_count > 0) {
        const abut__modal_lanes lanes = abut__bdtree_block(blend->moves, block);
        kernels->modal_points(&lanes, fixed->lanes.vertex_count, own->coordinates, points);
        rest = points;
    }
    abut__convex_points(kernels, fixed, own->columns, rest, points);
    *radius = own->radius;
    return true;
}

static const float* blend_origin(const abut_shape* shape, const abut__state* state) {
    (void)shape;
    return abut__blend_state_of(state)->origin;
}

#define VERTICES_AT_ONCE 32u

static void blend_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                           uint32_t count, double* const out[3]) {
    if (abut__whole_is_here(abut__blend_state_of(state)->whole)) {
        abut__read_positions(abut__whole_source(abut__blend_state_of(state)->whole), ids, count,
                             out);
        return;
    }
    for (uint32_t first = 0; first < count; first += VERTICES_AT_ONCE) {
        double some[VERTICES_AT_ONCE][3];
        const uint32_t left = count - first;
        const uint32_t number = left < VERTICES_AT_ONCE ? left : VERTICES_AT_ONCE;
        move_vertices(shape, state, ids + first, 0, number, some);
        for (uint32_t i = 0; i < number; ++i) {
            for (int d = 0; d < 3; ++d) {
                out[d][first + i] = some[i][d];
            }
        }
    }
}

static uint64_t blend_block_vertices(const abut_shape* shape, const abut__state* state,
                                     uint32_t block, uint64_t wanted, abut__block_exact* out) {
    const abut__block* fixed = shape->tree.blocks[block];
    uint32_t ids[ABUT__BLOCK_VERTICES] = {0};
    uint8_t places[ABUT__BLOCK_VERTICES];
    double moved[ABUT__BLOCK_VERTICES][3];
    uint32_t count = 0;
    for (uint64_t left = wanted; left != 0; left &= left - 1) {
        places[count] = (uint8_t)__builtin_ctzll(left);
        ids[count] = fixed->vertex[places[count]];
        ++count;
    }
    move_vertices(shape, state, ids, 0, count, moved);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(out->xyz[places[i]], moved[i], sizeof moved[i]);
    }
    return wanted;
}

static void* begin_making(const abut_shape* shape, const abut__links* links, bool sample) {
    const abut__certified_parts parts = {&shape->tree, links, shape->mesh,
                                         abut__blend_of(shape)->fields,
                                         abut__blend_of(shape)->weights};
    return abut__blend_certifier_begin(shape->context, &parts, sample);
}

static abut__certify_status make_some(void* making, uint64_t units, uint64_t* spent) {
    return abut__blend_certifier_work(making, units, spent);
}

static void* end_making(void* making) {
    return abut__blend_certifier_end(making);
}

static void destroy_certificates(void* certificates) {
    abut__blend_certificates_free(certificates);
}

static uint32_t test_certificates(const void* certificates, const abut__state* state,
                                  abut__certificate_range range, bool sample) {
    const abut__blend_certificates* c = certificates;
    // a query changes no state: it only fills in tables that follow from it
    abut__blend_state* own = abut__blend_state_of(state);
    const abut__blend_proof now = {
        .transforms = (const double(*)[12])own->transforms,
        .coordinates = own->coordinates,
        .rounding = own->lost,
        .same = own->same,
        .still = own->still,
        .norms = own->norms,
        .verdicts = sample ? NULL
                           : abut__verdicts_get(c->context, &own->verdicts, c->index.group_count)};
    return abut__blend_certificates_hold(c, range, &now);
}

static bool blend_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    const abut__whole* whole = abut__blend_state_of(state)->whole;
    return (!abut__is_block(ref) || !abut__whole_proves(whole)) &&
           (abut__certified_apart(shape, state, ref) ||
            (abut__whole_proves(whole) && abut__whole_apart(shape, whole, ref)));
}

static const abut__boxes8* blend_boxes(const abut__state* state) {
    const abut__blend_state* own = abut__blend_state_of(state);
    return own->unbounded                    ? NULL
           : abut__rough_is_here(own->rough) ? own->rough->refit.boxes
                                             : abut__whole_boxes(own->whole);
}

static bool blend_all_points(const abut__state* state, abut__source* source, float* radius) {
    const abut__blend_state* own = abut__blend_state_of(state);
    if (own->unbounded || abut__whole_is_here(own->whole) || !abut__rough_is_here(own->rough)) {
        return false;
    }
    *source = abut__rough_source(own->rough);
    *radius = own->radius;
    return true;
}

static const abut__lazy lazy = {
    .boxes = blend_boxes,
    .points = blend_all_points,
    .block_vertices = blend_block_vertices,
    .bound_some = blend_bound_some,
};

// Where normals prove, certificates would prove less for more.
static bool blend_blocks_certified(const abut_shape* shape, const abut__state* state,
                                   uint32_t block_a, uint32_t block_b) {
    return !abut__whole_proves(abut__blend_state_of(state)->whole) &&
           abut__certified_blocks(shape, state, block_a, block_b);
}

static uint32_t blend_links_apart(const abut_shape* shape, const abut__state* state, uint32_t first,
                                  uint32_t count) {
    return abut__whole_proves(abut__blend_state_of(state)->whole)
               ? 0
               : abut__certified_links(shape, state, first, count);
}

static void blend_expect(const abut_shape* shape, const abut__state* state) {
    (void)state;
    abut__certified_expect(shape);
}

static const abut__proofs proofs = {.expect = blend_expect};

static const abut__pair_proofs pair_proofs = {
    .blocks_certified = blend_blocks_certified,
    .links_apart = blend_links_apart,
};

static const abut__certifying certifying = {
    .begin = begin_making,
    .work = make_some,
    .end = end_making,
    .destroy = destroy_certificates,
    .test = test_certificates,
};

static const abut__shape_keeping shapes = {
    .prepare = blend_prepare,
    .complete = blend_complete,
    .discard = blend_discard,
};

static const abut__state_keeping states = {
    .reserve = blend_reserve,
    .release = blend_release,
    .rest = blend_rest,
    .carry = blend_carry,
};

const abut__motion abut__blend_motion = {
    .id = ABUT_MOTION_BLEND,
    .name = "blend",
    .parts_classes = true,
    .keeps_nodes = true,
    .begin = blend_begin,
    .bound = blend_bound,
    .evaluate = blend_evaluate,
    .vertices = blend_vertices,
    .apart = blend_apart,
    .origin = blend_origin,
    .lazy = &lazy,
    .proofs = &proofs,
    .pair_proofs = &pair_proofs,
    .certifying = &certifying,
    .late = &late,
    .packing = &abut__blend_packing,
    .shapes = &shapes,
    .states = &states,
};
