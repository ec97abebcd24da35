// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs over a segment: see surface_segment.h.
#include "bound/surface_segment.h"

#include <math.h>

#define SIZE_LEAST 0x1p-20f  // of a block, relative to the greatest coordinate
#define ERROR 0x1p-50f

// Returns the greatest extent of a child of a node at either end.
static float size_of(const abut__surface_end ends[2], uint32_t node, uint32_t slot) {
    float size = 0;
    for (int e = 0; e < 2; ++e) {
        const abut__box3 box = abut__boxes_get(&ends[e].refit->boxes[node], slot);
        for (int d = 0; d < 3; ++d) {
            size = fmaxf(size, box.hi[d] - box.lo[d]);
        }
    }
    return size;
}

// Gives blocks that are too small every direction, and so do all nodes above them.
static void exclude_small(const abut__tree* tree, const abut__surface_end ends[2], float least,
                          abut__boxes8* normals) {
    static const abut__box3 every = {{-2, -2, -2}, {2, 2, 2}};
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        uint32_t node = tree->block_parent[b];
        uint32_t slot = tree->block_slot[b];
        if (size_of(ends, node, slot) >= least) {
            continue;
        }
        for (; node != ABUT__NONE; slot = tree->nodes[node].slot, node = tree->nodes[node].parent) {
            abut__boxes_put(&normals[node], slot, &every);
        }
    }
}

static void bound_normals(abut__surface_segment* made, const abut__tree* tree,
                          const abut__surface_end* ends) {
    if (!made->moves) {
        abut__surface_normals(made->context, tree, ends[0].source, made->normals);
        return;
    }
    const float* o = ends[0].source.origin;  // of the boxes
    const float extent = fmaxf(ends[0].refit->extent, ends[1].refit->extent) +
                         fmaxf(fmaxf(fabsf(o[0]), fabsf(o[1])), fabsf(o[2]));
    made->error = ERROR * extent;
    abut__surface_step_normals(made->context, tree, ends[0].source, ends[1].source, made->normals);
    exclude_small(tree, ends, SIZE_LEAST * extent, made->normals);
}

abut__surface_segment* abut__surface_segment_make(const abut_context* context,
                                                  const abut__tree* tree, uint32_t seam_count,
                                                  const abut__surface_end* ends, uint32_t count,
                                                  atomic_uchar* queries) {
    abut__surface_segment* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->queries = queries;
    made->node_count = tree->node_count;
    made->source[0] = ends[0].source;
    made->source[1] = ends[count - 1].source;
    made->moves = count > 1;
    made->normals = abut__alloc(context, tree->node_count, sizeof *made->normals);
    made->nodes = abut__alloc_zero(context, tree->node_count, sizeof *made->nodes);
    made->seam_count = seam_count;
    made->seams = abut__alloc_zero(context, seam_count + (size_t)1, sizeof *made->seams);
    if (made->normals == NULL || made->nodes == NULL || made->seams == NULL) {
        abut__surface_segment_free(made);
        return NULL;
    }
    bound_normals(made, tree, ends);
    return made;
}

void abut__surface_segment_free(abut__surface_segment* segment) {
    if (segment != NULL) {
        const abut_context* context = segment->context;
        abut__free(context, segment->normals, segment->node_count, sizeof *segment->normals);
        abut__free(context, segment->nodes, segment->node_count, sizeof *segment->nodes);
        abut__free(context, segment->seams, segment->seam_count + (size_t)1,
                   sizeof *segment->seams);
        abut__free(context, segment, 1, sizeof *segment);
    }
}

// A node, or both nodes of a seam, to be proven apart.
typedef struct piece {
    const abut__tree* tree;
    const uint32_t* loop;
    uint32_t count;
    uint32_t nodes[2];
    uint32_t node_count;
} piece;

static bool find_direction(const abut__surface_segment* s, const piece* p, float v[3]) {
    return abut__surface_direction(p->tree, s->normals, p->nodes, p->node_count, v);
}

static bool is_simple_at(const abut__surface_segment* s, const piece* p, double part,
                         const float v[3]) {
    return abut__surface_contour_at(s->context, p->loop, p->count, s->source[0],
                                    s->moves ? &s->source[1] : NULL, part, v);
}

static bool is_asked_again(const abut__surface_segment* s) {
    return atomic_load_explicit(s->queries, memory_order_relaxed) > 1;
}

void abut__surface_segment_enter(abut__surface_segment* segment) {
    unsigned char seen = atomic_load_explicit(segment->queries, memory_order_relaxed);
    while (seen < 2 &&
           !atomic_compare_exchange_weak(segment->queries, &seen, (unsigned char)(seen + 1))) {
    }
}

// Decides what the whole segment allows, if that is worth while. Threads that decide the same piece
// find the same.
static abut__segment_verdict decide(const abut__surface_segment* s, const piece* p) {
    float v[3];
    if (p->count == 0 || !find_direction(s, p, v)) {
        return ABUT__SEGMENT_NEVER;
    }
    if (!s->moves) {
        return is_simple_at(s, p, 0, v) ? ABUT__SEGMENT_ALWAYS : ABUT__SEGMENT_NEVER;
    }
    if (!is_asked_again(s)) {
        return ABUT__SEGMENT_UNKNOWN;
    }
    return abut__surface_contour_moves(s->context, p->loop, p->count, s->source[0], s->source[1], v,
                                       s->error)
               ? ABUT__SEGMENT_ALWAYS
               : ABUT__SEGMENT_SOMETIMES;
}

// Returns what is known of a piece, and decides it if it is not.
static abut__segment_verdict verdict_of(const abut__surface_segment* s, const piece* p,
                                        atomic_uchar* place) {
    abut__segment_verdict verdict = atomic_load_explicit(place, memory_order_relaxed);
    if (verdict == ABUT__SEGMENT_UNKNOWN) {
        verdict = decide(s, p);
        atomic_store_explicit(place, (unsigned char)verdict, memory_order_relaxed);
    }
    return verdict;
}

bool abut__surface_segment_apart(const abut__surface_segment* segment, const abut__tree* tree,
                                 const abut__contours* contours, double part, uint32_t node) {
    const piece p = {.tree = tree,
                     .loop = abut__contour_of(contours, node),
                     .count = contours->count[node],
                     .nodes = {node},
                     .node_count = 1};
    const abut__segment_verdict verdict = verdict_of(segment, &p, &segment->nodes[node]);
    if (verdict == ABUT__SEGMENT_ALWAYS || verdict == ABUT__SEGMENT_NEVER) {
        return verdict == ABUT__SEGMENT_ALWAYS;
    }
    float v[3];
    return find_direction(segment, &p, v) && is_simple_at(segment, &p, part, v);
}

bool abut__surface_segment_seam(const abut__surface_segment* segment, const abut__tree* tree,
                                const abut__seams* seams, uint32_t seam) {
    if (!segment->moves || !is_asked_again(segment)) {
        return false;
    }
    const abut__contours* contours = seams->contours;
    const piece p = {.tree = tree,
                     .loop = abut__contour_of(contours, seam),
                     .count = contours->count[seam],
                     .nodes = {(uint32_t)(seams->nodes[seam] >> 32), (uint32_t)seams->nodes[seam]},
                     .node_count = 2};
    return verdict_of(segment, &p, &segment->seams[seam]) == ABUT__SEGMENT_ALWAYS;
}
