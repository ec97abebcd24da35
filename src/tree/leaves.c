// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Groups triangles into leaves. The triangles are sorted along a Morton curve, which is cut into
// chunks of at most 1024. Each chunk is cut into tiles of one leaf. Where there are gaps or too
// many vertices, it is halved repeatedly across its longest side instead. Chunks are tasks.
// Based on: Lauterbach et al., "Fast BVH Construction on GPUs", 2009.
#include "tree/leaves.h"

#include <float.h>

#include "base/sort.h"
#include "simd/kernels.h"
#include "tree/hubs.h"

#define CHUNK_MOST 1024u
#define BATCH 256u  // triangles whose boxes are computed at a time
#define BATCHES_PER_TASK 16u
#define TRIANGLES_PER_TASK (BATCH * BATCHES_PER_TASK)
#define BINS 128  // for sorting items along an axis
#define GAP_BINS 16
// cuts at gaps on the path to a leaf: they may be lopsided, and this bounds the depth
#define GAPS_MOST 16u

typedef struct range {
    uint32_t first;
    uint32_t count;
} range;

// The scratch memory of a worker that divides a chunk. If the mark of a vertex is in base .. base +
// MARKS - 1, mark - base is its index in the current leaf. Otherwise the leaf does not have it yet.
#define MARKS 128u  // number_corners() gives up before a leaf has this many vertices
typedef struct scratch {
    abut__box4 box[CHUNK_MOST];
    uint32_t id[CHUNK_MOST];
    uint16_t order[CHUNK_MOST];
    uint16_t moved[CHUNK_MOST];
    uint8_t bin[CHUNK_MOST];
    uint32_t* mark;  // per vertex of the mesh
    uint32_t base;
} scratch;

typedef struct grouping {
    const abut_context* context;
    const abut_mesh* mesh;
    abut__source source;
    const uint32_t* ids;  // NULL: all of the mesh
    uint32_t count;
    uint32_t leaf_most;
    abut__box4* task_centres;  // per task: the box around twice its triangles' centres
    abut__grid grid;
    uint64_t* codes;             // Morton code << 32 | triangle
    uint64_t* spare;             // for sorting them; later it holds sorted, corners and leaf_size
    ABUT__VECTOR(range) chunks;  // in the order of the codes
    uint32_t* sorted;            // triangles, leaf after leaf
    uint8_t* corners;            // three a triangle
    uint8_t* leaf_size;          // at the index of a leaf's first triangle: the size of the leaf
    scratch* workers;
} grouping;

// Computes the boxes of triangles. Returns the box around twice their centres.
static abut__box4 make_boxes(const grouping* g, const uint32_t* ids, uint32_t count,
                             abut__box4* boxes) {
    return g->context->kernels->triangle_boxes(g->mesh->triangles, ids, count, g->source,
                                               ABUT__ITEM_LIMIT, boxes);
}

// Returns the ids of `count` triangles from `first` on; writes them to `room` if there is no list.
static const uint32_t* ids_of(const grouping* g, uint32_t first, uint32_t count,
                              uint32_t room[BATCH]) {
    if (g->ids != NULL) {
        return g->ids + first;
    }
    for (uint32_t i = 0; i < count; ++i) {
        room[i] = first + i;
    }
    return room;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static void make_codes(void* argument, uint32_t index, uint32_t worker) {
    (void)worker;
    const grouping* g = argument;
    const uint32_t first = index * TRIANGLES_PER_TASK;
    const uint32_t end = first + smaller(g->count - first, TRIANGLES_PER_TASK);
    uint32_t room[BATCH];
    abut__box4 boxes[BATCH];
    for (uint32_t i = first; i < end; i += BATCH) {
        const uint32_t count = smaller(end - i, BATCH);
        const uint32_t* ids = ids_of(g, i, count, room);
        const abut__box4 centres = make_boxes(g, ids, count, boxes);
        g->context->kernels->morton_codes(boxes, ids, count, &g->grid, g->codes + i);
        if (i == first) {
            g->task_centres[index] = centres;
        }
        abut__box4_grow(&g->task_centres[index], &centres);
    }
}

static float extent_of(const abut__box4* box) {
    float extent = 0;
    for (int d = 0; d < 3; ++d) {
        extent = box->hi[d] - box->lo[d] > extent ? box->hi[d] - box->lo[d] : extent;
    }
    return extent;
}

// Returns a grid whose cells are cubes, so that flat objects are not cut along their thickness.
static abut__grid grid_over(const abut__box4* box) {
    const float extent = extent_of(box);
    return (abut__grid){{box->lo[0], box->lo[1], box->lo[2], 0},
                        extent > FLT_MIN ? ABUT__GRID_CELLS / extent : 0};
}

// Returns the box around twice the centres of a sample from the whole list.
static abut__box4 sampled_box(const grouping* g) {
    uint32_t ids[BATCH];
    abut__box4 boxes[BATCH];
    const uint32_t count = smaller(g->count, BATCH);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t place = (uint32_t)((uint64_t)g->count * i / count);
        ids[i] = g->ids != NULL ? g->ids[place] : place;
    }
    return make_boxes(g, ids, count, boxes);
}

// Tells whether a grid over the first box suits the second, whose centres may be slightly outside.
static bool suits(const abut__box4* box, const abut__box4* all) {
    const float beyond = extent_of(box) / 16;
    bool near = true;
    for (int d = 0; d < 3; ++d) {
        near = near && all->lo[d] >= box->lo[d] - beyond && all->hi[d] <= box->hi[d] + beyond;
    }
    return near;
}

// Computes the codes over the box of a sample, because finding the box of all triangles costs as
// much as the codes. If the sample missed something, they are computed again over the box of all.
static void find_codes(grouping* g, uint32_t tasks) {
    const abut__box4 sampled = sampled_box(g);
    g->grid = grid_over(&sampled);
    abut__run_tasks(g->context, tasks, make_codes, g);
    abut__box4 all = g->task_centres[0];
    for (uint32_t t = 1; t < tasks; ++t) {
        abut__box4_grow(&all, &g->task_centres[t]);
    }
    if (!suits(&sampled, &all)) {
        g->grid = grid_over(&all);
        abut__run_tasks(g->context, tasks, make_codes, g);
    }
}

// Returns the first index in the range whose code has the bit set. All higher bits are equal there.
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

// Cuts a range at the highest bit in which its codes differ; cuts equal codes in the middle.
static uint32_t cut_of(const uint64_t* codes, range r) {
    const uint64_t differ = (codes[r.first] ^ codes[r.first + r.count - 1]) >> 32;
    if (differ == 0) {
        return r.first + r.count / 2;
    }
    return first_with_bit(codes, r, UINT64_C(1) << (95 - __builtin_clzll(differ)));
}

static bool cut_chunks(grouping* g, range all) {
    range stack[128];  // halving leaves at most one range per code bit or per factor 2
    uint32_t depth = 1;
    stack[0] = all;
    while (depth > 0) {
        const range r = stack[--depth];
        if (r.count <= CHUNK_MOST) {
            range* place = abut__push(g->context, &g->chunks, 1);
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

// Sorts the triangles by group, then by code, and cuts each group separately.
static bool cut_groups(grouping* g, abut__arena* arena, const abut__hub_groups* groups) {
    abut__keyed* items = abut__arena_push(arena, g->count, sizeof *items);
    abut__keyed* spare = abut__arena_push(arena, g->count, sizeof *spare);
    if (items == NULL || spare == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < g->count; ++i) {
        const uint64_t group = groups->of[(uint32_t)g->codes[i]];
        items[i] = (abut__keyed){group << 32 | g->codes[i] >> 32, g->codes[i]};
    }
    abut__sort_keyed(items, spare, g->count);
    bool done = true;
    for (uint32_t first = 0, end; first < g->count && done; first = end) {
        const uint64_t group = items[first].key >> 32;
        for (end = first; end < g->count && items[end].key >> 32 == group; ++end) {
            g->codes[end] = items[end].value;
        }
        done = cut_chunks(g, (range){first, end - first});
    }
    return done;
}

// Numbers the vertices of up to leaf_most items in the order of first use. False: there are too
// many for a block. The loop has no branch on new corners, because they are hard to predict.
static bool number_corners(const grouping* g, scratch* s, const uint16_t* order, uint32_t count,
                           uint8_t* corners) {
    const uint32_t* triangles = g->mesh->triangles;
    uint32_t* mark = s->mark;
    const uint32_t base = s->base += MARKS;
    uint32_t known = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* corner = triangles + 3 * (size_t)s->id[order[i]];
        for (int c = 0; c < 3; ++c) {
            const uint32_t at = mark[corner[c]] - base;
            const uint32_t is_new = at >= MARKS;
            const uint32_t place = known ^ ((known ^ at) & (is_new - 1));
            mark[corner[c]] = base + place;
            *corners++ = (uint8_t)place;
            known += is_new;
        }
        if (known > ABUT__BLOCK_VERTICES) {
            return false;
        }
    }
    return true;
}

// The range along an axis of twice the items' centres.
typedef struct axis_range {
    int axis;
    float low;
    float width;
} axis_range;

static axis_range longest_of(const abut__box4* centres) {
    int axis = 0;
    for (int d = 1; d < 3; ++d) {
        axis = centres->hi[d] - centres->lo[d] > centres->hi[axis] - centres->lo[axis] ? d : axis;
    }
    return (axis_range){axis, centres->lo[axis], centres->hi[axis] - centres->lo[axis]};
}

static axis_range longest_side(const scratch* s, const uint16_t* order, uint32_t count) {
    abut__box4 centres = {{FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX},
                          {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX}};
    for (uint32_t i = 0; i < count; ++i) {
        const abut__box4* box = &s->box[order[i]];
        abut__box4 centre;
        for (int d = 0; d < 4; ++d) {
            centre.lo[d] = centre.hi[d] = box->lo[d] + box->hi[d];
        }
        abut__box4_grow(&centres, &centre);
    }
    return longest_of(&centres);
}

static int bin_of(float twice, float low, float scale, int bins) {
    const float place = (twice - low) * scale;
    return place < 0 ? 0 : place < (float)(bins - 1) ? (int)place : bins - 1;
}

// Tells whether one of the GAP_BINS wide bins is empty. A gap between boxes implies one.
static bool has_hole(const uint32_t counts[BINS]) {
    bool hole = false;
    for (int first = 0; first < BINS; first += BINS / GAP_BINS) {
        uint32_t sum = 0;
        for (int b = first; b < first + BINS / GAP_BINS; ++b) {
            sum += counts[b];
        }
        hole = hole || sum == 0;
    }
    return hole;
}

// Sorts items along an axis into bins. Items in one bin keep their order, which is roughly that of
// the codes. False: there is certainly no gap.
static bool arrange(scratch* s, uint16_t* order, uint32_t count, axis_range along) {
    const float scale = BINS / along.width;
    if (!(scale <= FLT_MAX)) {
        return false;
    }
    uint32_t start[BINS] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        const abut__box4* box = &s->box[order[i]];
        const float twice = box->lo[along.axis] + box->hi[along.axis];
        s->bin[i] = (uint8_t)bin_of(twice, along.low, scale, BINS);
        ++start[s->bin[i]];
    }
    const bool hole = has_hole(start);
    uint32_t sum = 0;
    for (int b = 0; b < BINS; ++b) {
        const uint32_t size = start[b];
        start[b] = sum;
        sum += size;
    }
    for (uint32_t i = 0; i < count; ++i) {
        s->moved[start[s->bin[i]]++] = order[i];
    }
    memcpy(order, s->moved, count * sizeof *order);
    return hole;
}

// Returns the bins that boxes overlap, as a mask.
static uint32_t covered_bins(const scratch* s, const uint16_t* order, uint32_t count,
                             axis_range along, float scale) {
    uint32_t covered = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const abut__box4* box = &s->box[order[i]];
        const int from = bin_of(2 * box->lo[along.axis], along.low, scale, GAP_BINS);
        const int to = bin_of(2 * box->hi[along.axis], along.low, scale, GAP_BINS);
        covered |= (2u << to) - (1u << from);
    }
    return covered;
}

// Returns the number of items to the left of the widest gap between boxes; 0: there is no gap.
static uint32_t gap_rank(const scratch* s, const uint16_t* order, uint32_t count,
                         axis_range along) {
    const float scale = GAP_BINS / along.width;
    if (!(scale <= FLT_MAX)) {
        return 0;
    }
    const uint32_t covered = covered_bins(s, order, count, along, scale);
    int run = 0;
    int widest = 0;
    int gap = 0;
    for (int b = 0; b < GAP_BINS; ++b) {
        run = (covered >> b & 1) == 0 ? run + 1 : 0;
        gap = run > widest ? b : gap;
        widest = run > widest ? run : widest;
    }
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count && widest > 0; ++i) {
        const abut__box4* box = &s->box[order[i]];
        const float twice = box->lo[along.axis] + box->hi[along.axis];
        rank += bin_of(twice, along.low, scale, GAP_BINS) < gap;
    }
    return rank;
}

static uint32_t leaves_for(const grouping* g, uint32_t count) {
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a leaf has at least one triangle
    return (count + g->leaf_most - 1) / g->leaf_most;
}

// Orders the items in two parts along their longest side: cut at a gap, or else so that leaves are
// full. Returns the size of the first part.
static uint32_t halve(const grouping* g, scratch* s, uint16_t* order, uint32_t count,
                      uint32_t depth) {
    const axis_range along = longest_side(s, order, count);
    if (arrange(s, order, count, along) && depth < GAPS_MOST) {
        const uint32_t gap = gap_rank(s, order, count, along);
        if (gap > 0) {
            return gap;
        }
    }
    const uint32_t leaves = leaves_for(g, count);
    return leaves > 1 ? leaves / 2 * g->leaf_most : count / 2;
}

static void divide(const grouping* g, scratch* s, uint32_t first_place, uint32_t first,
                   uint32_t count, uint32_t depth) {
    uint16_t* order = s->order + first;
    const uint32_t place = first_place + first;
    if (count <= g->leaf_most &&
        number_corners(g, s, order, count, g->corners + 3 * (size_t)place)) {
        for (uint32_t i = 0; i < count; ++i) {
            g->sorted[place + i] = s->id[order[i]];
        }
        g->leaf_size[place] = (uint8_t)count;
        return;
    }
    const uint32_t left = halve(g, s, order, count, depth);
    divide(g, s, first_place, first, left, depth + 1);
    divide(g, s, first_place, first + left, count - left, depth + 1);
}

static uint32_t least_root(uint32_t n) {
    uint32_t root = 1;
    while ((root + 1) * (root + 1) <= n) {
        ++root;
    }
    return root;
}

// Cuts a chunk into slabs along its longest side, and each slab along its own. A piece of surface
// becomes squares of one leaf each, with two sorts instead of one per halving. The caller has done
// the first sort.
static void tile(const grouping* g, scratch* s, uint32_t first_place, uint32_t count) {
    const uint32_t leaf = g->leaf_most;
    const uint32_t leaves = leaves_for(g, count);
    const uint32_t slabs = least_root(leaves);
    const uint32_t slab = (leaves + slabs - 1) / slabs * leaf;
    for (uint32_t first = 0; first < count; first += slab) {
        const uint32_t size = smaller(count - first, slab);
        uint16_t* order = s->order + first;
        (void)arrange(s, order, size, longest_side(s, order, size));
        for (uint32_t i = 0; i < size; i += leaf) {
            divide(g, s, first_place, first + i, smaller(size - i, leaf), 0);
        }
    }
}

// Clears the marks of a chunk's vertices. Every chunk starts at base 0, so marks cannot overflow.
static void clear_marks(const grouping* g, scratch* s, uint32_t count) {
    const uint32_t* triangles = g->mesh->triangles;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* corner = triangles + 3 * (size_t)s->id[i];
        s->mark[corner[0]] = s->mark[corner[1]] = s->mark[corner[2]] = 0;
    }
    s->base = 0;
}

static void divide_chunk(void* argument, uint32_t index, uint32_t worker) {
    const grouping* g = argument;
    const range chunk = g->chunks.data[index];
    scratch* s = &g->workers[worker];
    for (uint32_t i = 0; i < chunk.count; ++i) {
        s->id[i] = (uint32_t)g->codes[chunk.first + i];
        s->order[i] = (uint16_t)i;
    }
    const abut__box4 centres = make_boxes(g, s->id, chunk.count, s->box);
    const axis_range along = longest_of(&centres);
    clear_marks(g, s, chunk.count);
    const bool gap = arrange(s, s->order, chunk.count, along) &&
                     gap_rank(s, s->order, chunk.count, along) > 0;
    if (gap || chunk.count <= g->leaf_most) {
        divide(g, s, chunk.first, 0, chunk.count, 0);
    } else {
        tile(g, s, chunk.first, chunk.count);
    }
}

static bool list_leaves(grouping* g, abut__arena* arena, abut__leaves* out) {
    uint32_t leaves = 0;
    for (uint32_t i = 0; i < g->count; i += g->leaf_size[i]) {
        ++leaves;
    }
    out->count = leaves;
    out->ids = g->sorted;
    out->corners = g->corners;
    out->first = abut__arena_push(arena, (size_t)leaves + 1, sizeof *out->first);
    if (out->first == NULL) {
        return false;
    }
    uint32_t place = 0;
    for (uint32_t i = 0; i < leaves; ++i) {
        out->first[i] = place;
        place += g->leaf_size[place];
    }
    out->first[leaves] = place;
    return true;
}

static bool reserve(grouping* g, abut__arena* arena, uint32_t tasks) {
    const uint32_t workers = abut__worker_count(g->context);
    const size_t vertices = g->mesh->vertex_count;
    g->task_centres = abut__arena_push(arena, tasks, sizeof *g->task_centres);
    g->codes = abut__arena_push(arena, g->count, sizeof *g->codes);
    g->spare = abut__arena_push(arena, g->count, sizeof *g->spare);
    g->workers = abut__arena_push(arena, workers, sizeof *g->workers);
    uint32_t* marks = abut__arena_push(arena, workers * vertices, sizeof *marks);
    if (g->task_centres == NULL || g->codes == NULL || g->spare == NULL || g->workers == NULL ||
        marks == NULL) {
        return false;
    }
    g->sorted = (uint32_t*)g->spare;
    g->corners = (uint8_t*)(g->sorted + g->count);
    g->leaf_size = g->corners + 3 * (size_t)g->count;
    for (uint32_t w = 0; w < workers; ++w) {
        g->workers[w].mark = marks + w * vertices;
    }
    return true;
}

bool abut__leaves_find(abut__arena* arena, const abut_mesh* mesh, abut_positions positions,
                       const uint32_t* ids, uint32_t count, uint32_t leaf_most, abut__leaves* out) {
    const abut_context* context = arena->context;
    grouping g = {.context = context,
                  .mesh = mesh,
                  .source = abut__source_centred(positions),
                  .ids = ids,
                  .count = count,
                  .leaf_most = leaf_most};
    const uint32_t tasks = (count + TRIANGLES_PER_TASK - 1) / TRIANGLES_PER_TASK;
    if (!reserve(&g, arena, tasks)) {
        return false;
    }
    abut__hub_groups groups;
    if (!abut__hubs_find(arena, mesh, ids, count, leaf_most, &groups)) {
        return false;
    }
    find_codes(&g, tasks);
    bool done;
    if (groups.of != NULL) {
        done = cut_groups(&g, arena, &groups);
    } else {
        abut__sort_upper(g.codes, g.spare, count, CHUNK_MOST);
        done = cut_chunks(&g, (range){0, count});
    }
    if (done) {
        abut__run_tasks(context, (uint32_t)g.chunks.count, divide_chunk, &g);
        done = list_leaves(&g, arena, out);
    }
    abut__drop(context, &g.chunks);
    return done;
}
