// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Views of a whole step. Vertices move along segments, so a box around both ends holds them at
// every instant. Blocks are cached in tables of the call.
//
// Boxes are relative to the origin at the end. Boxes at the start are shifted by the difference of
// the origins, with a pad as between bodies in different frames (query/run.c).
#include <math.h>

#include "view/step.h"

// what to add to the sides of boxes at the start
typedef struct start_shift {
    bool any;
    float lo[3];
    float hi[3];
    float middle[3];  // for centres of spheres,
    float pad;  // whose radii grow by this: twice that of boxes is enough for all axes together
} start_shift;

static start_shift shift_of(const abut__body* body) {
    double from[3];
    double to[3];
    abut__body_origin(body, 0, from);
    abut__body_origin(body, 1, to);
    start_shift shift = {.any = from[0] != to[0] || from[1] != to[1] || from[2] != to[2]};
    if (shift.any) {
        const double far = fmax(abut__body_far(body, 0), abut__body_far(body, 1));
        double distance = 0;
        for (int d = 0; d < 3; ++d) {
            distance = fmax(distance, fabs(from[d] - to[d]));
        }
        const double size = 2 * (double)abut__body_state(body, 0)->extent;
        const double pad = 0x1p-20 * (size + distance) + 0x1p-48 * (size + far) +
                           (double)ABUT__TINY;
        const bool bounded = size + distance + pad < (double)ABUT__EXTENT_LIMIT;
        shift.pad = bounded ? (float)(2 * pad) : INFINITY;
        for (int d = 0; d < 3; ++d) {
            shift.middle[d] = bounded ? (float)(from[d] - to[d]) : 0;
            shift.lo[d] = bounded ? (float)(from[d] - to[d] - pad) : -INFINITY;
            shift.hi[d] = bounded ? (float)(from[d] - to[d] + pad) : INFINITY;
        }
    }
    return shift;
}

static double extent_of(const abut__body* body) {
    double from[3];
    double to[3];
    double distance = 0;
    abut__body_origin(body, 0, from);
    abut__body_origin(body, 1, to);
    for (int d = 0; d < 3; ++d) {
        distance = fmax(distance, fabs(from[d] - to[d]));
    }
    return fmax((double)abut__body_state(body, 1)->extent,
                (double)abut__body_state(body, 0)->extent + distance);
}

static float lesser(float a, float b) {
    return a < b ? a : b;
}

static float greater(float a, float b) {
    return a > b ? a : b;
}

static const abut__boxes8* step_bound(const abut__view* view, uint32_t node, abut__boxes8* room) {
    const abut__body* body = view->body;
    const bool still = abut__body_is_still(body);
    abut__boxes8 room_end;
    const abut__boxes8* end = abut__body_bound(body, node, 1, still ? room : &room_end);
    if (still) {
        return end;
    }
    abut__boxes8 room_start;
    const abut__boxes8* from = abut__body_bound(body, node, 0, &room_start);
    const start_shift shift = shift_of(body);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < ABUT__FAN; ++k) {
            room->lo[d][k] = lesser(from->lo[d][k] + shift.lo[d], end->lo[d][k]);
            room->hi[d][k] = greater(from->hi[d][k] + shift.hi[d], end->hi[d][k]);
        }
    }
    return room;
}

static const abut__balls8* step_balls(const abut__view* view, uint32_t node, int end,
                                      abut__balls8* room) {
    const abut__balls8* balls = abut__body_balls(view->body, node, end, room);
    const start_shift shift = shift_of(view->body);
    if (end == 1 || !shift.any) {
        return balls;
    }
    for (int k = 0; k < ABUT__FAN; ++k) {
        for (int d = 0; d < 3; ++d) {
            room->c[d][k] = balls->c[d][k] + shift.middle[d];
        }
        room->r[k] = balls->r[k] + shift.pad;
    }
    return room;
}

static abut__ball4 step_ball_of(const abut__view* view, abut__ref ref, int end) {
    abut__ball4 ball = abut__body_ref_ball(view->body, ref, end);
    const start_shift shift = shift_of(view->body);
    for (int d = 0; d < 3 && end == 0 && shift.any; ++d) {
        ball.c[d] += shift.middle[d];
    }
    ball.r += end == 0 && shift.any ? shift.pad : 0;
    return ball;
}

static abut__box3 step_box_at(const abut__view* view, abut__ref ref, int end) {
    const abut__body* body = view->body;
    abut__box3 box = abut__body_ref_box(body, ref, end);
    if (end == 0) {
        const start_shift shift = shift_of(body);
        for (int d = 0; d < 3; ++d) {
            box.lo[d] += shift.lo[d];
            box.hi[d] += shift.hi[d];
        }
    }
    return box;
}

bool abut__step_world_box(const abut__body* body, abut_box* box) {
    if (!abut__body_state(body, 0)->valid) {
        return false;
    }
    *box = abut__body_world_box(body, 1);
    abut_box from;
    if (!abut__step_start_box(body, &from)) {
        from = abut__body_world_box(body, 0);
    }
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = fmin(box->lo[d], from.lo[d]);
        box->hi[d] = fmax(box->hi[d], from.hi[d]);
    }
    abut__step_grow_box(body, box);
    return true;
}

// ---- blocks

static void fill_boxes(const abut__body* body, uint32_t block, abut__block_boxes* out) {
    abut__body_block_boxes(body, block, 1, out);
    if (abut__body_is_still(body)) {
        return;
    }
    abut__block_boxes from;
    abut__body_block_boxes(body, block, 0, &from);
    const start_shift shift = shift_of(body);
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            out->lo[d][k] = lesser(from.lo[d][k] + shift.lo[d], out->lo[d][k]);
            out->hi[d][k] = greater(from.hi[d][k] + shift.hi[d], out->hi[d][k]);
        }
        out->all.lo[d] = lesser(from.all.lo[d] + shift.lo[d], out->all.lo[d]);
        out->all.hi[d] = greater(from.all.hi[d] + shift.hi[d], out->all.hi[d]);
    }
}

// Rounds vertices to float, relative to the origin at the end: in the shape's coordinates if the
// frame has no rotation and does not move, else in world axes. Returns the lowest vertex that is not
// finite in the world, or ABUT__NONE.
static uint32_t place_vertices(const abut__body* body, const abut__block* fixed,
                               const abut__moving_block* swept,
                               float places[2][ABUT__BLOCK_VERTICES][3]) {
    const bool plain = !body->turned && abut__frames_equal(&body->frame, abut__body_frame(body, 0));
    const float* in_shape = abut__body_own_origin(body, 1);
    double origin[3];
    abut__body_origin(body, 1, origin);
    uint32_t bad = ABUT__NONE;
    for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
        for (int end = 0; end < 2; ++end) {
            const double* own = swept->vertices[end][v];
            double x[3] = {own[0], own[1], own[2]};
            abut__frame_apply(abut__body_frame(body, end), x);
            const bool finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
            bad = !finite && fixed->vertex[v] < bad ? fixed->vertex[v] : bad;
            for (int d = 0; d < 3; ++d) {
                places[end][v][d] = (float)(plain ? own[d] - (double)in_shape[d]
                                                  : x[d] - origin[d]);
            }
        }
    }
    return bad;
}

// Sets the pairs of features (bits as in ABUT__FEATURE_PAIRS) that a triangle permits as the first
// of two triangles, and as the second: those whose vertex or edge of this triangle it owns. `own`
// is its byte of mesh/features.h.
static void fill_owned(uint32_t own, uint32_t owned[2]) {
    const uint32_t edges = own >> 3;
    const uint32_t rows = (edges & 1) | (edges & 2) << 2 | (edges & 4) << 4;
    owned[0] = (own & 7) | 7 << 3 | (rows * 7) << 6;
    owned[1] = 7 | (own & 7) << 3 | (edges * 0x49) << 6;
}

void abut__step_fill_triangles(const abut_shape* shape, const uint8_t* owned,
                               const abut__block* fixed, float places[2][ABUT__BLOCK_VERTICES][3],
                               abut__moving_block* out) {
    for (uint32_t t = 0; t < fixed->triangle_count; ++t) {
        abut__moving_triangle* triangle = &out->triangles[t];
        for (int c = 0; c < 4; ++c) {
            const uint32_t v = fixed->corner[c < 3 ? c : 0][t];
            for (int d = 0; d < 3; ++d) {
                triangle->x[0][d][c] = places[0][v][d];
                triangle->x[1][d][c] = places[1][v][d];
            }
            triangle->classes[c] = shape->mesh->classes[fixed->vertex[v]];
        }
        if (owned != NULL) {
            fill_owned(owned[fixed->triangle[t]], triangle->owned);
        } else {
            triangle->owned[0] = triangle->owned[1] = ABUT__FEATURE_PAIRS | ABUT__FACE_PAIR;
        }
    }
}

static void fill_vertices(const abut__body* body, uint32_t block, abut__moving_block* out) {
    const abut_shape* shape = body->shape;
    const abut__block* fixed = shape->tree.blocks[block];
    for (int end = 0; end < 2; ++end) {
        const abut__state* state = abut__body_state(body, end);
        double xyz[3][ABUT__BLOCK_VERTICES];
        double* const places[3] = {xyz[0], xyz[1], xyz[2]};
        shape->motion->vertices(shape, state, fixed->vertex, fixed->vertex_count, places);
        for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
            for (int d = 0; d < 3; ++d) {
                out->vertices[end][v][d] = xyz[d][v];
            }
        }
    }
    float places[2][ABUT__BLOCK_VERTICES][3];
    out->bad_vertex = place_vertices(body, fixed, out, places);
    abut__step_fill_triangles(shape, abut__shape_owned(shape), fixed, places, out);
}

typedef struct block_table {
    const abut_context* context;
    uint32_t count;
} block_table;

static void* make_blocks(const void* of) {
    const block_table* table = of;
    abut__moving_block* made = abut__alloc(table->context, table->count, sizeof *made);
    for (uint32_t b = 0; b < table->count && made != NULL; ++b) {
        atomic_init(&made[b].boxes_of, 0);
        atomic_init(&made[b].vertices_of, 0);
    }
    return made;
}

static void undo_blocks(const void* of, void* made) {
    const block_table* table = of;
    abut__free(table->context, made, table->count, sizeof(abut__moving_block));
}

// returns the body's blocks, which are made at first use; NULL: no memory
static abut__moving_block* blocks_of(const abut__view* view) {
    const block_table table = {view->shape->context, view->table->count};
    return abut__once_get(&view->table->blocks, make_blocks, undo_blocks, &table);
}

static const abut__block_boxes* step_block_boxes(const abut__view* view, uint32_t block, int side,
                                                 abut__reader* reader) {
    abut__moving_block* blocks = blocks_of(view);
    if (blocks == NULL) {
        reader->status = ABUT_ERR_NO_MEMORY;
        fill_boxes(view->body, block, &reader->boxes[side]);
        return &reader->boxes[side];
    }
    const abut__claim claim = abut__claim_take(&blocks[block].boxes_of, view->stamp);
    if (claim == ABUT__BUSY) {
        fill_boxes(view->body, block, &reader->boxes[side]);
        return &reader->boxes[side];
    }
    if (claim == ABUT__MINE) {
        fill_boxes(view->body, block, &blocks[block].boxes);
        abut__claim_done(&blocks[block].boxes_of, view->stamp);
        ++reader->counters.blocks_evaluated;
        reader->counters.vertices_evaluated += view->tree->blocks[block]->vertex_count;
    }
    return &blocks[block].boxes;
}

abut__moving_block* abut__step_take(const abut__view* view, uint32_t block, int side,
                                    abut__reader* reader, abut__claim* claim) {
    abut__moving_block* blocks = blocks_of(view);
    if (blocks == NULL) {
        reader->status = ABUT_ERR_NO_MEMORY;
        return NULL;
    }
    *claim = abut__claim_take(&blocks[block].vertices_of, view->stamp);
    return *claim == ABUT__BUSY ? &reader->moving[side] : &blocks[block];
}

abut__moving_block* abut__step_fill(abut__step_filler fill, const abut__view* view, uint32_t block,
                                    int side, abut__reader* reader) {
    abut__claim claim = ABUT__READY;
    abut__moving_block* found = abut__step_take(view, block, side, reader, &claim);
    if (found != NULL && claim != ABUT__READY) {
        fill(view, block, found);
    }
    if (claim == ABUT__MINE) {
        abut__claim_done(&found->vertices_of, view->stamp);
        ++reader->counters.blocks_evaluated;
        reader->counters.vertices_evaluated += view->tree->blocks[block]->vertex_count;
    }
    return found;
}

const abut__block_boxes* abut__step_filled_boxes(abut__step_filler fill, const abut__view* view,
                                                 uint32_t block, int side, abut__reader* reader) {
    abut__moving_block* found = abut__step_fill(fill, view, block, side, reader);
    if (found == NULL) {
        fill(view, block, &reader->moving[side]);
        found = &reader->moving[side];
    }
    if (found == &reader->moving[side]) {
        reader->boxes[side] = found->boxes;
        return &reader->boxes[side];
    }
    return &found->boxes;
}

const abut__moving_block* abut__step_finite(const abut__view* view, const abut__moving_block* block,
                                            abut__reader* reader) {
    if (block != NULL && block->bad_vertex != ABUT__NONE) {
        const uint64_t bad = (uint64_t)view->body->index << 32 | block->bad_vertex;
        reader->bad_vertex = bad < reader->bad_vertex ? bad : reader->bad_vertex;
        return NULL;
    }
    return block;
}

static const abut__moving_block* step_block_ends(const abut__view* view, uint32_t block, int side,
                                                 abut__reader* reader) {
    abut__claim claim = ABUT__READY;
    abut__moving_block* found = abut__step_take(view, block, side, reader, &claim);
    if (found == NULL) {
        return NULL;
    }
    if (claim != ABUT__READY) {
        fill_vertices(view->body, block, found);
    }
    if (claim == ABUT__MINE) {
        abut__claim_done(&found->vertices_of, view->stamp);
    }
    return abut__step_finite(view, found, reader);
}

static const abut__view_kind step = {
    .moves = true,
    .at_states = true,
    .bound = step_bound,
    .balls = step_balls,
    .ball_of = step_ball_of,
    .box_at = step_box_at,
    .block_boxes = step_block_boxes,
    .block_ends = step_block_ends,
    .vertices = abut__view_evaluate,
    .apart = abut__step_apart,
};

abut__view abut__view_step(abut__body* body) {
    abut__view view;
    abut__view_make(&step, body, &view);
    view.state[0] = abut__body_state(body, 0);
    view.extent = extent_of(body);
    view.kinds = abut__body_kinds(body, 0) & abut__body_kinds(body, 1);
    view.kinds = view.kinds == 0 ? ABUT__BOXES : view.kinds;
    view.frame_moves = !abut__frames_equal(abut__body_frame(body, 0), &body->frame);
    return view;
}

// ---- tables

static void release_blocks(const abut_context* context, abut__step_body* body) {
    abut__free(context, abut__once_peek(&body->blocks), body->count, sizeof(abut__moving_block));
    atomic_store(&body->blocks, NULL);
}

abut__step_body* abut__step_place(const abut_context* context, abut__step_tables* tables,
                                  const abut__body* body) {
    while (tables->bodies.count <= body->index) {
        abut__step_body* place = abut__push(context, &tables->bodies, 1);
        if (place == NULL) {
            return NULL;
        }
        memset(place, 0, sizeof *place);
        atomic_init(&place->blocks, NULL);
    }
    return tables->bodies.data + body->index;
}

void abut__step_prepare(const abut_context* context, abut__step_tables* tables,
                        const abut__body* body) {
    abut__step_body* place = tables->bodies.data + body->index;
    const uint32_t count = body->shape->tree.block_count;
    if (place->count != count) {
        release_blocks(context, place);
        place->count = count;
    }
}

void abut__step_open(abut__step_tables* tables, abut__view* view) {
    view->table = tables->bodies.data + view->body->index;
    view->stamp = tables->call;
}

void abut__step_tables_free(const abut_context* context, abut__step_tables* tables) {
    for (size_t i = 0; i < tables->bodies.count; ++i) {
        abut__step_body* place = tables->bodies.data + i;
        release_blocks(context, place);
        abut__step_proofs_free(context, &place->proofs);
        abut__step_release_start(context, place);
    }
    abut__drop(context, &tables->bodies);
}
