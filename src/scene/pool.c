// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The pool of evaluated blocks.
#include "scene/pool.h"

#include "abut/query.h"
#include "scene/scene.h"

#define SEARCH_MOST 16  // slots examined for a stale one before giving up

abut__pool* abut__pool_create(const abut_context* context, size_t bytes) {
    const size_t chunks = bytes / sizeof(abut__pool_chunk);
    const size_t most = UINT32_MAX / ABUT__POOL_CHUNK;
    const uint32_t count = (uint32_t)(chunks < most ? chunks : most);
    abut__pool* pool = abut__alloc_zero(context, 1, sizeof *pool);
    if (pool == NULL) {
        return NULL;
    }
    pool->context = context;
    pool->capacity = count * ABUT__POOL_CHUNK;
    pool->chunks = count > 0 ? abut__alloc(context, count, sizeof *pool->chunks) : NULL;
    if (count > 0 && pool->chunks == NULL) {
        abut__free(context, pool, 1, sizeof *pool);
        return NULL;
    }
    for (uint32_t n = 0; n < count; ++n) {
        atomic_init(&pool->chunks[n], NULL);
    }
    return pool;
}

void abut__pool_destroy(abut__pool* pool) {
    const uint32_t count = pool->capacity / ABUT__POOL_CHUNK;
    for (uint32_t c = 0; c < count && pool->chunks != NULL; ++c) {
        abut__pool_chunk* chunk = abut__once_peek(&pool->chunks[c]);
        if (chunk != NULL) {
            abut__free(pool->context, abut__once_peek(&chunk->exact), 1, sizeof(abut__pool_exact));
            abut__free(pool->context, abut__once_peek(&chunk->cached), 1,
                       sizeof(abut__pool_cached));
        }
        abut__free(pool->context, chunk, 1, sizeof *chunk);
    }
    abut__free(pool->context, pool->chunks, count, sizeof *pool->chunks);
    abut__free(pool->context, pool, 1, sizeof *pool);
}

static void* make_touches(const void* of) {
    const abut__body* body = of;
    const uint32_t count = body->shape->tree.block_count;
    abut__touch* made = abut__alloc(body->shape->tree.context, count, sizeof *made);
    for (uint32_t b = 0; b < count && made != NULL; ++b) {
        atomic_init(&made[b].slot, 0);
        atomic_init(&made[b].seen, 0);
    }
    return made;
}

static void undo_touches(const void* of, void* made) {
    const abut__body* body = of;
    abut__free(body->shape->tree.context, made, body->shape->tree.block_count, sizeof(abut__touch));
}

// returns the table of touches, per block; NULL: no memory
static abut__touch* touches_of(const abut__body* body) {
    return abut__once_get(&body->touches, make_touches, undo_touches, body);
}

static void* make_chunk(const void* of) {
    const abut__pool* pool = of;
    abut__pool_chunk* made = abut__alloc(pool->context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    for (uint32_t s = 0; s < ABUT__POOL_CHUNK; ++s) {
        atomic_init(&made->slot[s].stamp, 0);
        atomic_init(&made->slot[s].body, 0);
        atomic_init(&made->slot[s].block, 0);
    }
    atomic_init(&made->exact, NULL);
    atomic_init(&made->cached, NULL);
    return made;
}

static void undo_chunk(const void* of, void* made) {
    const abut__pool* pool = of;
    abut__free(pool->context, made, 1, sizeof(abut__pool_chunk));
}

// returns the chunk of a slot; NULL: no memory
static abut__pool_chunk* chunk_of(const abut__pool* pool, uint32_t slot) {
    return abut__once_get(&pool->chunks[slot / ABUT__POOL_CHUNK], make_chunk, undo_chunk, pool);
}

// returns the chunk of a slot that was claimed before, which therefore exists
static inline abut__pool_chunk* existing_chunk(const abut__pool* pool, uint32_t slot) {
    return abut__once_peek(&pool->chunks[slot / ABUT__POOL_CHUNK]);
}

// whether the slot's content is of a past state
static bool is_stale(const abut_scene* scene, uint64_t stamp, uint32_t body) {
    if (stamp == 0) {
        return true;
    }
    const abut__body* owner = abut__scene_at(scene, body);
    return owner == NULL || owner->stamp != stamp;
}

static bool claim(abut__pool_chunk* chunk, uint32_t s, uint64_t seen, uint64_t stamp) {
    unsigned long long expected = seen;
    return (seen & ABUT__CLAIMED) == 0 &&
           atomic_compare_exchange_strong(&chunk->slot[s].stamp, &expected, stamp | ABUT__CLAIMED);
}

// claims a new or a stale slot; UINT32_MAX: none
static uint32_t claim_any(const abut_scene* scene, abut__pool* pool, uint64_t stamp) {
    if (pool->capacity == 0) {
        return UINT32_MAX;
    }
    uint32_t slot = atomic_load_explicit(&pool->next, memory_order_relaxed);
    while (slot < pool->capacity && !atomic_compare_exchange_weak(&pool->next, &slot, slot + 1)) {
    }
    if (slot < pool->capacity) {
        abut__pool_chunk* chunk = chunk_of(pool, slot);
        return chunk != NULL && claim(chunk, slot % ABUT__POOL_CHUNK, 0, stamp) ? slot : UINT32_MAX;
    }
    for (int tries = 0; tries < SEARCH_MOST; ++tries) {
        slot = atomic_fetch_add_explicit(&pool->hand, 1, memory_order_relaxed) % pool->capacity;
        abut__pool_chunk* chunk = chunk_of(pool, slot);
        if (chunk == NULL) {
            return UINT32_MAX;
        }
        const uint32_t s = slot % ABUT__POOL_CHUNK;
        const uint64_t seen = atomic_load_explicit(&chunk->slot[s].stamp, memory_order_acquire);
        const uint32_t owner = atomic_load_explicit(&chunk->slot[s].body, memory_order_relaxed);
        if (is_stale(scene, seen & ~ABUT__CLAIMED, owner) && claim(chunk, s, seen, stamp)) {
            return slot;
        }
    }
    return UINT32_MAX;
}

static void* make_cached(const void* of) {
    const abut__pool* pool = of;
    abut__pool_cached* made = abut__alloc(pool->context, 1, sizeof *made);
    for (uint32_t s = 0; s < ABUT__POOL_CHUNK && made != NULL; ++s) {
        made->points[s].radius = INFINITY;
    }
    return made;
}

static void undo_cached(const void* of, void* made) {
    const abut__pool* pool = of;
    abut__free(pool->context, made, 1, sizeof(abut__pool_cached));
}

// Stores the points as well if vertices are costly, so that queries can use them.
static void fill_slot(const abut__pool* pool, const abut__body* body, uint32_t block,
                      abut__pool_chunk* chunk, uint32_t s) {
    const bool costly = abut__body_state(body, 1)->costly;
    abut__pool_cached* cached = costly
                                    ? abut__once_get(&chunk->cached, make_cached, undo_cached, pool)
                                    : NULL;
    if (cached != NULL) {
        abut__body_block_points(body, block, 1, &cached->points[s]);
        abut__body_boxes_around(body, block, 1, &cached->points[s], &chunk->boxes[s]);
    } else {
        abut__body_block_boxes(body, block, 1, &chunk->boxes[s]);
    }
}

// fills a claimed slot and publishes it
static const abut__block_boxes* publish(abut__pool* pool, abut__body* body, uint32_t block,
                                        uint32_t slot) {
    abut__pool_chunk* chunk = existing_chunk(pool, slot);
    const uint32_t s = slot % ABUT__POOL_CHUNK;
    atomic_store_explicit(&chunk->slot[s].body, body->index, memory_order_relaxed);
    atomic_store_explicit(&chunk->slot[s].block, block, memory_order_relaxed);
    fill_slot(pool, body, block, chunk, s);
    atomic_store_explicit(&chunk->slot[s].stamp, body->stamp, memory_order_release);
    return &chunk->boxes[s];
}

// Returns the block's own slot if it is ready, or after updating it. NULL: another block has the
// slot, or, with *busy set, another thread is filling it.
static const abut__block_boxes* from_own_slot(abut__pool* pool, abut__body* body, uint32_t block,
                                              uint32_t slot, bool* busy) {
    abut__pool_chunk* chunk = existing_chunk(pool, slot);
    const uint32_t s = slot % ABUT__POOL_CHUNK;
    const uint64_t stamp = atomic_load_explicit(&chunk->slot[s].stamp, memory_order_acquire);
    const bool own = atomic_load_explicit(&chunk->slot[s].block, memory_order_relaxed) == block &&
                     atomic_load_explicit(&chunk->slot[s].body, memory_order_relaxed) ==
                         body->index;
    if (!own) {
        return NULL;
    }
    if (stamp == body->stamp) {
        return &chunk->boxes[s];
    }
    if (claim(chunk, s, stamp, body->stamp)) {
        return publish(pool, body, block, slot);
    }
    *busy = true;
    return NULL;
}

static void count_first_touch(abut__touch* touch, const abut__body* body, uint32_t block,
                              abut_counters* counters) {
    const unsigned stamp = (unsigned)body->stamp;
    if (touch != NULL &&
        (atomic_load_explicit(&touch->seen, memory_order_relaxed) == stamp ||
         atomic_exchange_explicit(&touch->seen, stamp, memory_order_relaxed) == stamp)) {
        return;
    }
    ++counters->blocks_evaluated;
    counters->vertices_evaluated += body->shape->tree.blocks[block]->vertex_count;
}

const abut__block_boxes* abut__pool_get(const abut_scene* scene, abut__body* body, uint32_t block,
                                        abut__block_boxes* room, abut_counters* counters) {
    // a query changes no body: it only fills in tables that follow from its state
    abut__pool* pool = scene->pool;
    abut__touch* table = touches_of(body);
    abut__touch* touch = table != NULL ? &table[block] : NULL;
    count_first_touch(touch, body, block, counters);
    // acquire, so that the slot's chunk is visible, too
    const uint32_t known = touch != NULL ? atomic_load_explicit(&touch->slot, memory_order_acquire)
                                         : 0;
    bool busy = touch == NULL;  // without a table a slot could not be found again
    if (known != 0) {
        const abut__block_boxes* boxes = from_own_slot(pool, body, block, known - 1, &busy);
        if (boxes != NULL) {
            return boxes;
        }
    }
    const uint32_t slot = busy ? UINT32_MAX : claim_any(scene, pool, body->stamp);
    if (slot != UINT32_MAX) {
        atomic_store_explicit(&touch->slot, slot + 1, memory_order_release);
        return publish(pool, body, block, slot);
    }
    atomic_fetch_add_explicit(&pool->overflows, 1, memory_order_relaxed);
    abut__body_block_boxes(body, block, 1, room);
    return room;
}

// returns the chunk of a block's slot and its index there, if it is ready; NULL: it is not
static abut__pool_chunk* find_ready(const abut_scene* scene, const abut__body* body, uint32_t block,
                                    uint32_t* place) {
    abut__touch* table = abut__once_peek(&body->touches);
    const uint32_t known = table != NULL
                               ? atomic_load_explicit(&table[block].slot, memory_order_acquire)
                               : 0;
    if (known == 0) {
        return NULL;
    }
    abut__pool_chunk* chunk = existing_chunk(scene->pool, known - 1);
    const uint32_t s = (known - 1) % ABUT__POOL_CHUNK;
    *place = s;
    // a stamp belongs to one body; a slot keeps its block while the stamp is current
    return atomic_load_explicit(&chunk->slot[s].stamp, memory_order_acquire) == body->stamp &&
                   atomic_load_explicit(&chunk->slot[s].block, memory_order_relaxed) == block
               ? chunk
               : NULL;
}

const abut__block_boxes* abut__pool_peek(const abut_scene* scene, const abut__body* body,
                                         uint32_t block) {
    uint32_t s = 0;
    const abut__pool_chunk* chunk = find_ready(scene, body, block, &s);
    return chunk != NULL ? &chunk->boxes[s] : NULL;
}

const abut__cached_points* abut__pool_points(const abut_scene* scene, const abut__body* body,
                                             uint32_t block, abut__cached_points* room) {
    uint32_t s = 0;
    abut__pool_chunk* chunk = find_ready(scene, body, block, &s);
    const bool stored = chunk != NULL && abut__body_state(body, 1)->costly;  // see fill_slot()
    const abut__pool_cached* cached = stored ? abut__once_peek(&chunk->cached) : NULL;
    if (cached != NULL) {
        return &cached->points[s];
    }
    abut__body_block_points(body, block, 1, room);
    return room;
}

static void* make_exact(const void* of) {
    const abut__pool* pool = of;
    abut__pool_exact* made = abut__alloc(pool->context, 1, sizeof *made);
    for (uint32_t s = 0; s < ABUT__POOL_CHUNK && made != NULL; ++s) {
        atomic_init(&made->stamp[s], 0);
        atomic_init(&made->here[s], 0);
    }
    return made;
}

static void undo_exact(const void* of, void* made) {
    const abut__pool* pool = of;
    abut__free(pool->context, made, 1, sizeof(abut__pool_exact));
}

const abut__block_exact* abut__pool_vertices(const abut_scene* scene, const abut__body* body,
                                             uint32_t block, uint64_t wanted) {
    uint32_t s = 0;
    abut__pool_chunk* chunk = find_ready(scene, body, block, &s);
    if (chunk == NULL) {
        return NULL;
    }
    abut__pool_exact* exact = abut__once_get(&chunk->exact, make_exact, undo_exact, scene->pool);
    if (exact == NULL) {
        return NULL;
    }
    unsigned long long seen = atomic_load_explicit(&exact->stamp[s], memory_order_acquire);
    const bool current = seen == body->stamp;
    // acquire separately: another thread may add vertices after the stamp was read
    uint64_t here = current ? atomic_load_explicit(&exact->here[s], memory_order_acquire) : 0;
    if ((wanted & ~here) == 0) {
        return &exact->vertices[s];
    }
    if ((seen & ABUT__CLAIMED) != 0 ||
        !atomic_compare_exchange_strong(&exact->stamp[s], &seen, body->stamp | ABUT__CLAIMED)) {
        return NULL;
    }
    here |= body->shape->motion->lazy->block_vertices(body->shape, abut__body_state(body, 1), block,
                                                      wanted & ~here, &exact->vertices[s]);
    atomic_store_explicit(&exact->here[s], here, memory_order_release);
    atomic_store_explicit(&exact->stamp[s], body->stamp, memory_order_release);
    return &exact->vertices[s];
}
