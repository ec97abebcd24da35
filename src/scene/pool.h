// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The pool of evaluated blocks: triangle boxes that any number of threads compute and share without
// locks, waiting or failure.
//
// A slot belongs to a block of a body in one state, identified by the state's stamp. A thread that
// finds a block without a slot, or with a stale one, claims a slot by a compare-exchange, fills it
// and publishes the stamp. A thread that finds the slot claimed, or the pool full of blocks in use,
// evaluates into its own memory. Slots of past states are reused. A published slot of a current
// state never changes, so readers need no count.
#ifndef ABUT_SCENE_POOL_H
#define ABUT_SCENE_POOL_H

#include "abut/scene.h"
#include "body/body.h"

struct abut_counters;

#define ABUT__POOL_CHUNK 256u

// vertices of the blocks in a chunk's slots, in double; made at first use
typedef struct abut__pool_exact {
    atomic_ullong stamp[ABUT__POOL_CHUNK];  // as in slots
    atomic_ullong here[ABUT__POOL_CHUNK];   // which vertices, one bit each
    abut__block_exact vertices[ABUT__POOL_CHUNK];
} abut__pool_exact;

// points from which the boxes in a chunk's slots were made; made at first use
typedef struct abut__pool_cached {
    abut__cached_points points[ABUT__POOL_CHUNK];
} abut__pool_cached;

typedef struct abut__pool_chunk {
    struct {
        atomic_ullong stamp;  // 0: empty; top bit: claimed
        atomic_uint body;
        atomic_uint block;
    } slot[ABUT__POOL_CHUNK];
    abut__once exact;   // abut__pool_exact
    abut__once cached;  // abut__pool_cached
    abut__block_boxes boxes[ABUT__POOL_CHUNK];
} abut__pool_chunk;

typedef struct abut__pool {
    const abut_context* context;
    uint32_t capacity;  // slots; a multiple of the chunk
    atomic_uint next;   // the first slot that was never used
    atomic_uint hand;   // where the search for stale slots continues
    atomic_ullong overflows;
    abut__once* chunks;  // abut__pool_chunk, each made at first use
} abut__pool;

// NULL: no memory
abut__pool* abut__pool_create(const abut_context* context, size_t bytes);
void abut__pool_destroy(abut__pool* pool);

// Returns the triangle boxes of a block in the current state: in the pool, or in `room`. The first
// request in a state counts the block as evaluated.
const abut__block_boxes* abut__pool_get(const abut_scene* scene, abut__body* body, uint32_t block,
                                        abut__block_boxes* room, struct abut_counters* counters);

// The same if they are in the pool already; NULL: they are not.
const abut__block_boxes* abut__pool_peek(const abut_scene* scene, const abut__body* body,
                                         uint32_t block);

// Returns the vertices of a block of a lazy motion that is in the pool: at least those wanted, one
// bit each. NULL: it is not, or another thread is computing them, or there is no memory.
const abut__block_exact* abut__pool_vertices(const abut_scene* scene, const abut__body* body,
                                             uint32_t block, uint64_t wanted);

// Returns the points of a block: of a body whose vertices are costly from the pool, if they are
// there, or else computed into `room`.
const abut__cached_points* abut__pool_points(const abut_scene* scene, const abut__body* body,
                                             uint32_t block, abut__cached_points* room);

#endif
