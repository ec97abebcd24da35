// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Grouping triangles into leaves: sorted along a Morton curve and cut there into chunks of about a
// thousand; each chunk is then halved again and again across its longest side, at a gap if there
// is one and otherwise so that leaves are full. Chunks are tasks.
// Based on: Lauterbach et al., "Fast BVH Construction on GPUs", 2009.
#include "tree/leaves.h"

#include <float.h>

#include "base/sort.h"

#define CHUNK_MOST 1024u
#define ITEMS_PER_TASK 4096u
#define BINS 16
#define GAPS_MOST \
    16u  // cuts at gaps on the way to a leaf; they may be lopsided, and depth is bounded

typedef struct range {
    uint32_t first;
    uint32_t count;
} range;

// What a worker divides a chunk with.
typedef struct scratch {
    abut__item item[CHUNK_MOST];
    uint32_t place[CHUNK_MOST];  // of the items in the grouping
    uint32_t order[CHUNK_MOST];
    uint64_t key[CHUNK_MOST];
    uint32_t* mark;  // per vertex: the last count of distinct vertices that met it
    uint32_t stamp;
} scratch;

typedef struct grouping {
    const abut_mesh* mesh;
    abut_positions positions;
    const uint32_t* ids;
    uint32_t count;
    uint32_t leaf_most;
    abut__item* items;
    uint64_t* codes;  // Morton code << 32 | place in items
    float low[3];
    float scale;
    abut__vector chunks;  // of range, in the order of the codes
    uint8_t* leaf_size;   // at the place of a leaf's first triangle: its size; else 0
    uint32_t* sorted;     // places in items, leaf after leaf; in the end triangles
    scratch* workers;
} grouping;

static void make_items(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const grouping* g = argument;
    const uint32_t first = index * ITEMS_PER_TASK;
    const uint32_t end = g->count - first < ITEMS_PER_TASK ? g->count : first + ITEMS_PER_TASK;
    for (uint32_t i = first; i < end; ++i) {
        g->items[i] = abut__triangle_item(g->mesh, g->positions, g->ids[i]);
    }
}

// every third bit of the result is a bit of the ten-bit number
static uint64_t spread(uint32_t x) {
    x = (x | x << 16) & 0x030000ffu;
    x = (x | x << 8) & 0x0300f00fu;
    x = (x | x << 4) & 0x030c30c3u;
    x = (x | x << 2) & 0x09249249u;
    return x;
}

static uint32_t cell_of(float twice_centre, float low, float scale) {
    const float cell = (twice_centre - low) * scale;
    return cell < 1023 ? (uint32_t)cell : 1023;
}

static void make_codes(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const grouping* g = argument;
    const uint32_t first = index * ITEMS_PER_TASK;
    const uint32_t end = g->count - first < ITEMS_PER_TASK ? g->count : first + ITEMS_PER_TASK;
    for (uint32_t i = first; i < end; ++i) {
        const abut__item* item = &g->items[i];
        uint64_t code = 0;
        for (int d = 0; d < 3; ++d) {
            code |= spread(cell_of(item->lo[d] + item->hi[d], g->low[d], g->scale)) << d;
        }
        g->codes[i] = code << 32 | i;
    }
}

// cells are cubes, so that flat things are not cut along their thickness
static void find_grid(grouping* g) {
    float high[3];
    for (int d = 0; d < 3; ++d) {
        g->low[d] = FLT_MAX;
        high[d] = -FLT_MAX;
    }
    for (uint32_t i = 0; i < g->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const float key = g->items[i].lo[d] + g->items[i].hi[d];
            g->low[d] = key < g->low[d] ? key : g->low[d];
            high[d] = key > high[d] ? key : high[d];
        }
    }
    float extent = 0;
    for (int d = 0; d < 3; ++d) {
        extent = high[d] - g->low[d] > extent ? high[d] - g->low[d] : extent;
    }
    g->scale = extent > FLT_MIN ? 1023.5f / extent : 0;
}

// the first place from `first` on whose code has the bit; codes there differ from it upwards only
static uint32_t first_with_bit(const uint64_t* codes, range r, uint64_t bit) {
    uint32_t lo = r.first;
    uint32_t hi = r.first + r.count;
    while (lo < hi) {
        const uint32_t middle = lo + (hi - lo) / 2;
        if ((codes[middle] & bit) == 0) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

// halves a range at the highest bit in which its codes differ; equal codes are cut in the middle
static uint32_t cut_of(const uint64_t* codes, range r) {
    const uint64_t differ = (codes[r.first] ^ codes[r.first + r.count - 1]) >> 32;
    if (differ == 0) {
        return r.first + r.count / 2;
    }
    return first_with_bit(codes, r, UINT64_C(1) << (95 - __builtin_clzll(differ)));
}

static bool cut_chunks(grouping* g) {
    range stack[128];  // halving never leaves more than one range behind per bit, or per factor 2
    uint32_t depth = 1;
    stack[0] = (range){0, g->count};
    while (depth > 0) {
        const range r = stack[--depth];
        if (r.count <= CHUNK_MOST) {
            range* place = abut__vector_push(g->mesh->context, &g->chunks, 1, sizeof *place);
            if (place == NULL) {
                return false;
            }
            *place = r;
            continue;
        }
        const uint32_t cut = cut_of(g->codes, r);
        stack[depth++] = (range){cut, r.first + r.count - cut};
        stack[depth++] = (range){r.first, cut - r.first};
    }
    return true;
}

static bool fits(const grouping* g, scratch* s, const uint32_t* order, uint32_t count) {
    if (count > g->leaf_most) {
        return false;
    }
    if (3 * count <= ABUT__BLOCK_VERTICES) {
        return true;
    }
    ++s->stamp;
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* corner = g->mesh->triangles + 3 * (size_t)s->item[order[i]].id;
        for (int c = 0; c < 3; ++c) {
            distinct += s->mark[corner[c]] != s->stamp;
            s->mark[corner[c]] = s->stamp;
        }
    }
    return distinct <= ABUT__BLOCK_VERTICES;
}

// a number with the order of the floats
static uint64_t ordered_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
}

// puts the `rank` lowest keys in front; expected linear time, keys are distinct
static void select_keys(uint64_t* keys, uint32_t count, uint32_t rank) {
    uint32_t lo = 0;
    uint32_t hi = count;
    while (hi - lo > 1) {
        const uint64_t a = keys[lo];
        const uint64_t b = keys[lo + (hi - lo) / 2];
        const uint64_t c = keys[hi - 1];
        const uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        uint32_t i = lo;
        uint32_t k = hi - 1;
        while (true) {
            while (keys[i] < pivot) {
                ++i;
            }
            while (keys[k] > pivot) {
                --k;
            }
            if (i >= k) {
                break;
            }
            const uint64_t swapped = keys[i];
            keys[i] = keys[k];
            keys[k] = swapped;
        }
        // the pivot is at i, lower keys before it, higher ones after it
        if (rank == i || rank == i + 1) {
            return;
        }
        if (rank < i) {
            hi = i;
        } else {
            lo = i + 1;
        }
    }
}

static int bin_of(float twice, float low, float scale) {
    const float place = (twice - low) * scale;
    return place < 0 ? 0 : place < BINS - 1 ? (int)place : BINS - 1;
}

// items left of the widest stretch that no box reaches into; 0: there is none
static uint32_t gap_rank(const scratch* s, const uint32_t* order, uint32_t count, int axis,
                         float low, float width) {
    uint32_t bins[BINS] = {0};
    uint32_t covered = 0;
    const float scale = BINS / width;
    if (!(scale <= FLT_MAX)) {
        return 0;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const abut__item* item = &s->item[order[i]];
        ++bins[bin_of(item->lo[axis] + item->hi[axis], low, scale)];
        const int from = bin_of(2 * item->lo[axis], low, scale);
        const int to = bin_of(2 * item->hi[axis], low, scale);
        covered |= (2u << to) - (1u << from);
    }
    uint32_t rank = 0;
    uint32_t left = 0;
    int run = 0;
    int widest = 0;
    for (int b = 0; b < BINS; ++b) {
        run = (covered >> b & 1) == 0 ? run + 1 : 0;
        if (run > widest) {
            widest = run;
            rank = left;
        }
        left += bins[b];
    }
    return rank;
}

// how many items go left: to a gap, or half of the leaves rounded to whole ones
static uint32_t rank_of(const grouping* g, const scratch* s, const uint32_t* order, uint32_t count,
                        int axis, float low, float width, uint32_t depth) {
    const uint32_t gap = depth < GAPS_MOST ? gap_rank(s, order, count, axis, low, width) : 0;
    if (gap > 0 && gap < count) {
        return gap;
    }
    const uint32_t leaves = (count + g->leaf_most - 1) / g->leaf_most;
    return leaves > 1 ? leaves / 2 * g->leaf_most : count / 2;
}

static int longest_side(const scratch* s, const uint32_t* order, uint32_t count, float low[3],
                        float high[3]) {
    for (int d = 0; d < 3; ++d) {
        low[d] = FLT_MAX;
        high[d] = -FLT_MAX;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const abut__item* item = &s->item[order[i]];
        for (int d = 0; d < 3; ++d) {
            const float key = item->lo[d] + item->hi[d];
            low[d] = key < low[d] ? key : low[d];
            high[d] = key > high[d] ? key : high[d];
        }
    }
    int axis = 0;
    for (int d = 1; d < 3; ++d) {
        axis = high[d] - low[d] > high[axis] - low[axis] ? d : axis;
    }
    return axis;
}

// keys of items along an axis, their places in the lower half
static void make_keys(scratch* s, const uint32_t* order, uint32_t count, int axis) {
    for (uint32_t i = 0; i < count; ++i) {
        const abut__item* item = &s->item[order[i]];
        s->key[i] = ordered_bits(item->lo[axis] + item->hi[axis]) << 32 | order[i];
    }
}

// orders the items in two parts along their longest side and returns the size of the first
static uint32_t halve(const grouping* g, scratch* s, uint32_t* order, uint32_t count,
                      uint32_t depth) {
    float low[3];
    float high[3];
    const int axis = longest_side(s, order, count, low, high);
    const float width = high[axis] - low[axis];
    if (!(width > 0)) {
        return count / 2;
    }
    const uint32_t rank = rank_of(g, s, order, count, axis, low[axis], width, depth);
    make_keys(s, order, count, axis);
    select_keys(s->key, count, rank);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = (uint32_t)s->key[i];
    }
    return rank;
}

// puts keys in order as far as ranks that are multiples of `step` are concerned
static void select_multiples(uint64_t* keys, uint32_t count, uint32_t step) {
    const uint32_t pieces = (count + step - 1) / step;
    if (pieces < 2) {
        return;
    }
    const uint32_t rank = pieces / 2 * step;
    select_keys(keys, count, rank);
    select_multiples(keys, rank, step);
    select_multiples(keys + rank, count - rank, step);
}

static uint32_t least_root(uint32_t n) {
    uint32_t root = 1;
    while ((root + 1) * (root + 1) <= n) {
        ++root;
    }
    return root;
}

// orders items so that each `step` of them come before the next along their longest side
static void arrange(scratch* s, uint32_t* order, uint32_t count, uint32_t step) {
    float low[3];
    float high[3];
    make_keys(s, order, count, longest_side(s, order, count, low, high));
    select_multiples(s->key, count, step);
    for (uint32_t i = 0; i < count; ++i) {
        order[i] = (uint32_t)s->key[i];
    }
}

static void divide(const grouping* g, scratch* s, uint32_t first_place, uint32_t first,
                   uint32_t count, uint32_t depth);

// Tiles: slabs along the longest side, each of them cut along its own, so that a piece of surface
// falls into squares of one leaf each with two arrangements instead of one per halving.
static void tile(const grouping* g, scratch* s, uint32_t first_place, uint32_t count) {
    const uint32_t leaf = g->leaf_most;
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a leaf has at least one triangle
    const uint32_t leaves = (count + leaf - 1) / leaf;
    const uint32_t slabs = least_root(leaves);
    const uint32_t slab = (leaves + slabs - 1) / slabs * leaf;
    arrange(s, s->order, count, slab);
    for (uint32_t first = 0; first < count; first += slab) {
        const uint32_t size = count - first < slab ? count - first : slab;
        arrange(s, s->order + first, size, leaf);
        for (uint32_t i = first; i < first + size; i += leaf) {
            const uint32_t end = first + size;
            divide(g, s, first_place, i, end - i < leaf ? end - i : leaf, 0);
        }
    }
}

static void divide(const grouping* g, scratch* s, uint32_t first_place, uint32_t first,
                   uint32_t count, uint32_t depth) {
    uint32_t* order = s->order + first;
    if (count == 1 || fits(g, s, order, count)) {
        for (uint32_t i = 0; i < count; ++i) {
            g->sorted[first_place + first + i] = s->place[order[i]];
        }
        g->leaf_size[first_place + first] = (uint8_t)count;
        return;
    }
    const uint32_t left = halve(g, s, order, count, depth);
    divide(g, s, first_place, first, left, depth + 1);
    divide(g, s, first_place, first + left, count - left, depth + 1);
}

static void divide_chunk(void* argument, uint32_t index, uint32_t worker) {
    const grouping* g = argument;
    const range chunk = ((const range*)g->chunks.data)[index];
    scratch* s = &g->workers[worker];
    for (uint32_t i = 0; i < chunk.count; ++i) {
        s->place[i] = (uint32_t)g->codes[chunk.first + i];
        s->item[i] = g->items[s->place[i]];
        s->order[i] = i;
    }
    float low[3];
    float high[3];
    const int axis = longest_side(s, s->order, chunk.count, low, high);
    const float width = high[axis] - low[axis];
    const bool gap = width > 0 && gap_rank(s, s->order, chunk.count, axis, low[axis], width) > 0;
    if (gap || chunk.count <= g->leaf_most) {
        divide(g, s, chunk.first, 0, chunk.count, 0);
    } else {
        tile(g, s, chunk.first, chunk.count);
    }
}

// the box of a leaf and how well it fits; its places become triangles
static abut__item finish_leaf(grouping* g, uint32_t first, uint32_t count, float* fit) {
    abut__item box = g->items[g->sorted[first]];
    double sum = 0;
    for (uint32_t i = first; i < first + count; ++i) {
        const abut__item* item = &g->items[g->sorted[i]];
        g->sorted[i] = item->id;
        sum += abut__box_cost(item->lo, item->hi);
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = item->lo[d] < box.lo[d] ? item->lo[d] : box.lo[d];
            box.hi[d] = item->hi[d] > box.hi[d] ? item->hi[d] : box.hi[d];
        }
    }
    *fit = abut__fit_of(abut__box_cost(box.lo, box.hi), sum);
    return box;
}

static bool list_leaves(grouping* g, abut__arena* arena, abut__leaves* out) {
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < g->count; ++i) {
        leaves += g->leaf_size[i] != 0;
    }
    out->count = leaves;
    out->ids = g->sorted;
    out->first = abut__arena_push(arena, (size_t)leaves + 1, sizeof *out->first);
    out->boxes = abut__arena_push(arena, leaves, sizeof *out->boxes);
    out->fit = abut__arena_push(arena, leaves, sizeof *out->fit);
    if (out->first == NULL || out->boxes == NULL || out->fit == NULL) {
        return false;
    }
    leaves = 0;
    for (uint32_t i = 0; i < g->count; i += g->leaf_size[i]) {
        out->first[leaves] = i;
        out->boxes[leaves] = finish_leaf(g, i, g->leaf_size[i], &out->fit[leaves]);
        ++leaves;
    }
    out->first[leaves] = g->count;
    return true;
}

static bool reserve(grouping* g, abut__arena* arena) {
    const uint32_t workers = abut__worker_count(g->mesh->context);
    const size_t vertices = g->mesh->vertex_count;
    g->items = abut__arena_push(arena, g->count, sizeof *g->items);
    g->codes = abut__arena_push(arena, 2 * (size_t)g->count, sizeof *g->codes);
    g->leaf_size = abut__arena_push(arena, g->count, 1);
    g->sorted = abut__arena_push(arena, g->count, sizeof *g->sorted);
    g->workers = abut__arena_push(arena, workers, sizeof *g->workers);
    uint32_t* marks = abut__arena_push(arena, workers * vertices, sizeof *marks);
    if (g->items == NULL || g->codes == NULL || g->leaf_size == NULL || g->sorted == NULL ||
        g->workers == NULL || marks == NULL) {
        return false;
    }
    memset(g->leaf_size, 0, g->count);
    memset(marks, 0, workers * vertices * sizeof *marks);
    for (uint32_t w = 0; w < workers; ++w) {
        g->workers[w].mark = marks + w * vertices;
        g->workers[w].stamp = 0;
    }
    return true;
}

bool abut__leaves_find(abut__arena* arena, const abut_mesh* mesh, abut_positions positions,
                       const uint32_t* ids, uint32_t count, uint32_t leaf_most, abut__leaves* out) {
    grouping g = {
        .mesh = mesh, .positions = positions, .ids = ids, .count = count, .leaf_most = leaf_most};
    const abut_context* context = mesh->context;
    const uint32_t tasks = (count + ITEMS_PER_TASK - 1) / ITEMS_PER_TASK;
    if (!reserve(&g, arena)) {
        return false;
    }
    abut__run_tasks(context, tasks, make_items, &g);
    find_grid(&g);
    abut__run_tasks(context, tasks, make_codes, &g);
    abut__sort_keys_above(g.codes, g.codes + count, count, 32);  // places are in order already
    bool done = cut_chunks(&g);
    if (done) {
        abut__run_tasks(context, (uint32_t)g.chunks.count, divide_chunk, &g);
        done = list_leaves(&g, arena, out);
    }
    abut__vector_free(context, &g.chunks, sizeof(range));
    return done;
}
