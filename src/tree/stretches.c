// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stretches: the vertices of blocks as runs in the array of positions. In most meshes neighbours
// have consecutive indices: a block of 36 vertices is about nine runs of up to five, and a refit
// loads each run at once. Nearly all blocks get the same number of stretches, some of them empty,
// because a loop of constant length is fastest. Blocks that need more than twice that number get
// none, and so do meshes in random order.
#include "tree/stretches.h"

#define BLOCKS_PER_TASK 64u
#define FOUND_MOST 20u  // with more, loading the vertices one by one is faster

// The cost of a block's box besides its stretches, in units of one stretch: with the usual number
// of them; with twice as many; with none, as an exception; with none, if no block has any.
#define COST_USUAL 5u
#define COST_TWICE 13u
#define COST_EXCEPTION 60u
#define COST_ALL_WITHOUT 24u

typedef struct finding {
    const abut__tree* tree;
    uint32_t vertex_count;
    abut__stretch (*found)[FOUND_MOST];
    uint8_t* counts;  // 0: none, or too many
} finding;

// Vertices as bits of 64-bit words, found by hashing. The words are few and quickly sorted.
#define SLOTS 64u
typedef struct word {
    uint32_t key;  // id / 64
    uint64_t bits;
} word;
typedef struct words {
    uint8_t slot[SLOTS];  // index of the word + 1, or 0
    word word[FOUND_MOST];
    uint32_t count;
} words;

// Adds a vertex. False: there are too many words, so too many stretches.
static bool put_vertex(words* w, uint32_t id) {
    const uint32_t key = id / 64;
    uint32_t at = (key * 0x9e3779b1u) >> 26;
    while (w->slot[at] != 0 && w->word[w->slot[at] - 1].key != key) {
        at = (at + 1) % SLOTS;
    }
    if (w->slot[at] == 0) {
        if (w->count == FOUND_MOST) {
            return false;
        }
        w->word[w->count] = (word){key, 0};
        w->slot[at] = (uint8_t)++w->count;
    }
    w->word[w->slot[at] - 1].bits |= UINT64_C(1) << id % 64;
    return true;
}

static void sort_words(words* w) {
    for (uint32_t i = 1; i < w->count; ++i) {
        const word moved = w->word[i];
        uint32_t k = i;
        for (; k > 0 && w->word[k - 1].key > moved.key; --k) {
            w->word[k] = w->word[k - 1];
        }
        w->word[k] = moved;
    }
}

typedef struct pieces {
    abut__stretch* out;
    uint32_t count;  // more than FOUND_MOST: too many
} pieces;

// Cuts a run into stretches. Those of a run of six or more may overlap.
static void cut(pieces* p, uint32_t id, uint32_t length) {
    const uint32_t size = length < ABUT__STRETCH_MOST ? length : ABUT__STRETCH_MOST;
    for (uint32_t at = 0; at < length; at += size) {
        const uint32_t first = id + (at + size <= length ? at : length - size);
        if (p->count < FOUND_MOST) {
            p->out[p->count] = abut__stretch_make(3 * first, 16 - 3 * size);
        }
        ++p->count;
    }
}

// Finds the stretches of one block and returns their number; 0: none, or too many. A load takes 16
// numbers where a stretch has 15, so no stretch may start at one of the last five vertices.
static uint8_t find_stretches(const finding* f, uint32_t b) {
    const abut__block* block = f->tree->blocks[b];
    words w;
    memset(w.slot, 0, sizeof w.slot);
    w.count = 0;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        if (block->vertex[v] + ABUT__STRETCH_MOST >= f->vertex_count ||
            !put_vertex(&w, block->vertex[v])) {
            return 0;
        }
    }
    sort_words(&w);
    pieces p = {f->found[b], 0};
    uint32_t first = 0;
    uint32_t length = 0;
    for (uint32_t i = 0; i < w.count; ++i) {
        for (uint64_t bits = w.word[i].bits; bits != 0; bits &= bits + (bits & -bits)) {
            const uint32_t id = 64 * w.word[i].key + (uint32_t)__builtin_ctzll(bits);
            const uint64_t run = bits & ~(bits + (bits & -bits));
            const uint32_t more = (uint32_t)__builtin_popcountll(run);
            if (length > 0 && id == first + length) {  // continues the run of the previous word
                length += more;
                continue;
            }
            cut(&p, first, length);
            first = id;
            length = more;
        }
    }
    cut(&p, first, length);
    return p.count <= FOUND_MOST ? (uint8_t)p.count : 0;
}

static void find_task(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const finding* f = argument;
    const uint32_t first = index * BLOCKS_PER_TASK;
    for (uint32_t b = first; b < first + BLOCKS_PER_TASK && b < f->tree->block_count; ++b) {
        f->counts[b] = find_stretches(f, b);
    }
}

static uint32_t padded(uint32_t count, uint32_t usual) {
    return count == 0 || count > 2 * usual ? 0 : count <= usual ? usual : 2 * usual;
}

// Returns the usual number of stretches with the least total cost; 0: none.
static uint32_t choose_usual(const uint8_t* counts, uint32_t block_count) {
    uint32_t of_count[FOUND_MOST + 1] = {0};
    for (uint32_t b = 0; b < block_count; ++b) {
        ++of_count[counts[b]];
    }
    uint64_t least = (uint64_t)block_count * COST_ALL_WITHOUT;
    uint32_t best = 0;
    for (uint32_t usual = 2; usual <= FOUND_MOST; usual += 2) {  // kernels take two at a time
        uint64_t cost = 0;
        for (uint32_t c = 0; c <= FOUND_MOST; ++c) {
            const uint32_t size = padded(c, usual);
            cost += (uint64_t)of_count[c] * (size == 0       ? COST_EXCEPTION
                                             : size == usual ? size + COST_USUAL
                                                             : size + COST_TWICE);
        }
        if (cost < least) {
            least = cost;
            best = usual;
        }
    }
    return best;
}

// Lists the stretches block by block, padded with empty ones, which also follow the last block.
static bool list_stretches(abut__stretches* made, const finding* f, uint32_t usual) {
    const uint32_t blocks = made->block_count;
    uint32_t* first = abut__alloc(made->context, (size_t)blocks + 1, sizeof *first);
    made->first = first;
    if (first == NULL) {
        return false;
    }
    first[0] = 0;
    for (uint32_t b = 0; b < blocks; ++b) {
        first[b + 1] = first[b] + padded(f->counts[b], usual);
    }
    const uint32_t count = first[blocks];
    abut__stretch* all = abut__alloc(made->context, (size_t)count + ABUT__STRETCH_AHEAD,
                                     sizeof *all);
    made->list = all;
    made->count = count;
    if (all == NULL) {
        return false;
    }
    for (size_t s = 0; s < (size_t)count + ABUT__STRETCH_AHEAD; ++s) {
        all[s] = abut__stretch_make(0, 16);
    }
    for (uint32_t b = 0; b < blocks; ++b) {
        if (first[b] < first[b + 1]) {
            memcpy(all + first[b], f->found[b], f->counts[b] * sizeof *all);
        }
    }
    return true;
}

static bool find_all(abut__stretches* made, const abut__tree* tree, const abut_mesh* mesh) {
    const uint32_t count = tree->block_count;
    abut__arena arena = abut__arena_make(tree->context);
    finding f = {tree, mesh->vertex_count, abut__arena_push(&arena, count, sizeof *f.found),
                 abut__arena_push(&arena, count, sizeof *f.counts)};
    bool done = f.found != NULL && f.counts != NULL;
    if (done) {
        abut__run_tasks(tree->context, (count + BLOCKS_PER_TASK - 1) / BLOCKS_PER_TASK, find_task,
                        &f);
        const uint32_t usual = choose_usual(f.counts, count);
        done = usual == 0 || list_stretches(made, &f, usual);
    }
    abut__arena_release(&arena);
    return done;
}

abut__stretches* abut__stretches_make(const abut__tree* tree, const abut_mesh* mesh) {
    abut__stretches* made = abut__alloc_zero(tree->context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = tree->context;
    made->block_count = tree->block_count;
    if (!find_all(made, tree, mesh)) {
        abut__stretches_free(made);
        return NULL;
    }
    return made;
}

void abut__stretches_free(abut__stretches* stretches) {
    if (stretches == NULL) {
        return;
    }
    const abut_context* context = stretches->context;
    abut__free(context, stretches->list, (size_t)stretches->count + ABUT__STRETCH_AHEAD,
               sizeof *stretches->list);
    abut__free(context, stretches->first, (size_t)stretches->block_count + 1,
               sizeof *stretches->first);
    abut__free(context, stretches, 1, sizeof *stretches);
}
