// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// One mesh that several ranks own together. Each rank has a piece, as a body of its own, with vertices and
// triangles in the order of their ids in the whole mesh. So a query within that body treats two triangles
// as one in the whole mesh does.
//
// Pairs of triangles of two pieces are decided in a second body, the border: the blocks of this rank's
// piece and those of other pieces that come near each other (halo.c, border.c). Of two ranks one decides
// about their pairs, and gets the blocks of the other one.
//
// Sweeps give each vertex and edge to the lowest triangle that has it. Which one that is in the whole mesh is
// found once (owners.c), and a row stays if its vertex or edge belongs to the triangle through which it
// was found.
#ifndef ABUT_MPI_SURFACE_H
#define ABUT_MPI_SURFACE_H

#include "mpi/join.h"
#include "mpi/world.h"

#define ABUT__BLOCK_MOST 64u    // triangles of a block
#define ABUT__CHUNK_BLOCKS 16u  // blocks of a chunk, whose box is sent to regions

// Some triangles near each other.
typedef struct abut__tile {
    uint32_t first;  // in surface->order
    uint32_t count;
    uint32_t first_vertex;  // in surface->tile_vertices
    uint32_t vertex_count;
    uint32_t used;  // the last query that needed it in the border; 0: none
    float box[6];   // in the current query
} abut__tile;

// What another rank holds of a block of this one.
typedef struct abut__tile_holder {
    uint32_t rank;
    uint32_t tile;
    uint32_t used;
    uint32_t number[2];  // of the states there, before and after the step; 0: none
} abut__tile_holder;
typedef ABUT__LIST(abut__tile_holder) abut__tile_holders;

// A block of another rank. `fixed` has, in this order: rest positions, ids of vertices, classes if they are
// given, ids of triangles, corners as places in the block (bytes), owned features (bytes).
typedef struct abut__ghost_tile {
    uint32_t owner;
    uint32_t tile;
    uint32_t used;
    uint32_t triangles;
    uint32_t vertices;
    abut__bytes fixed;
    abut__bytes state[2];
} abut__ghost_tile;

// Where a vertex of the border comes from: a piece or a block of another rank, and the place there.
typedef struct abut__border_vertex {
    uint32_t id;
    uint32_t ghost;  // in surface->ghosts; ABUT__ABSENT: the own piece
    uint32_t place;
} abut__border_vertex;

// Own blocks and blocks of others, as one body.
typedef struct abut__border {
    bool made;
    abut_body_id body;
    ABUT__LIST(abut__border_vertex) from;  // sorted by ids; several of one id are one vertex
    abut__ids vertices;                    // ids
    abut__ids triangles;                   // ids
    abut__ids ghost;                       // of each triangle; ABUT__ABSENT: the own piece
    abut__bytes owned;                     // features of each triangle
    abut__bytes side;  // of each triangle: 0: own, 1: of others, 2: of others and not needed now
    abut__bytes state[2];
} abut__border;

typedef struct abut__surface {
    uint32_t id;
    abut_scalar type;
    size_t size;  // of a position in bytes
    abut_class_rule class_rule;
    abut_scene* scene;
    abut_body_id body;  // valid if the piece has triangles
    const abut_mesh* mesh;
    // the piece, in the order of ids
    abut__ids vertices;
    abut__ids triangles;
    abut__ids classes;     // given ones
    abut__ids place;       // of the caller's vertices
    abut__bytes owned;     // features that a triangle has in the whole mesh: bits as in owners.c
    abut__bytes state[2];  // before the step and after it
    uint32_t number[2];    // of these states: they change with them
    uint32_t count_of_states;
    double thickness;
    bool lent_step;       // the body has both states, not the current one alone
    uint32_t last_sweep;  // the last query that was a sweep; 0: none
    // its blocks
    abut__ids order;
    abut__ids tile_vertices;
    ABUT__LIST(abut__tile) tiles;
    // others
    uint32_t query;
    abut__regions regions;
    abut__tile_holders holders;           // sorted by rank and tile
    ABUT__LIST(abut__ghost_tile) ghosts;  // sorted by owner and tile
    abut__border border;
} abut__surface;

// One part of a surface as queries see it: the piece or the border.
typedef struct abut__surface_part {
    const abut__surface* surface;
    abut_body_id body;
    const abut_mesh* mesh;
    const uint32_t* vertices;
    const uint32_t* triangles;
    const uint8_t* owned;
    const uint8_t* side;  // NULL: all pairs count
    abut_filter filter;   // the caller's
} abut__surface_part;

// ---- surfaces.c

abut__surface* abut__surface_find(const abut_world* world, uint32_t id);
// Gives the body of the piece both states of a step, or the current one alone, which takes less memory.
abut_status abut__surface_lend(abut__surface* surface, bool step, abut_error* error);

// ---- tiles.c

// Cuts the piece into blocks along a curve. False: no memory.
bool abut__tiles_make(abut_world* world, abut__surface* surface);
// Computes the boxes of all blocks, over the step or now, grown.
void abut__tiles_place(abut__surface* surface, const abut__reach* reach);
// The number of chunks, and the box of one.
uint32_t abut__chunk_count(const abut__surface* surface);
void abut__chunk_box(const abut__surface* surface, uint32_t chunk, float box[6]);

// ---- owners.c

// Finds surface->owned. Collective; a rank in trouble takes part, `surface` may be NULL there.
void abut__owners_find(abut_world* world, abut__surface* surface);

// ---- halo.c

// Finds which blocks of pieces come near those of others, and brings them to the ranks that decide.
// Collective; failures are noted.
void abut__halo_bring(abut_world* world, abut__surface* surface, const abut__reach* reach);
void abut__halo_forget(abut_world* world, abut__surface* surface);
// Parts of a ghost's `fixed`.
const uint8_t* abut__ghost_rest(const abut__ghost_tile* ghost);
const uint32_t* abut__ghost_vertex_ids(const abut__surface* surface, const abut__ghost_tile* ghost);
const uint32_t* abut__ghost_classes(const abut__surface* surface, const abut__ghost_tile* ghost);
const uint32_t* abut__ghost_triangle_ids(const abut__surface* surface,
                                         const abut__ghost_tile* ghost);
const uint8_t* abut__ghost_corners(const abut__surface* surface, const abut__ghost_tile* ghost);
const uint8_t* abut__ghost_owned(const abut__surface* surface, const abut__ghost_tile* ghost);

// ---- border.c

// Makes the border from what the halo brought, or moves the one that there is. False: trouble was noted.
bool abut__border_update(abut_world* world, abut__surface* surface, bool step);
void abut__border_free(abut_world* world, abut__surface* surface);

// ---- surface_rows.c

// Brings rows of a surface to where they belong, sorted, and ends the call. Collective.
abut_status abut__surface_rows_end(abut_world_answer* answer, uint32_t id,
                                   const abut_world_query_def* query, abut_error* error);

#endif
