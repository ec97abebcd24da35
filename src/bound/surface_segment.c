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
    const float extent = fmaxf(ends[0].refit->extent, ends[1].refit->extent);
    made->error = ERROR * extent;
    abut__surface_step_normals(made->context, tree, ends[0].source, ends[1].source, made->normals);
    exclude_small(tree, ends, SIZE_LEAST * extent, made->normals);
}

abut__surface_segment* abut__surface_segment_make(const abut_context* context,
                                                  const abut__tree* tree,
                                                  const abut__surface_end* ends, uint32_t count) {
    abut__surface_segment* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->node_count = tree->node_count;
    made->source[0] = ends[0].source;
    made->source[1] = ends[count - 1].source;
    made->moves = count > 1;
    made->normals = abut__alloc(context, tree->node_count, sizeof *made->normals);
    made->nodes = abut__alloc_zero(context, tree->node_count, sizeof *made->nodes);
    if (made->normals == NULL || made->nodes == NULL) {
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
        abut__free(context, segment, 1, sizeof *segment);
    }
}

// Decides what the whole segment allows. Threads that decide the same node find the same.
static abut__segment_verdict decide(const abut__surface_segment* s, const abut__tree* tree,
                                    const uint32_t* loop, uint32_t count, uint32_t node) {
    float v[3];
    if (count == 0 || !abut__surface_direction(tree, s->normals, node, v)) {
        return ABUT__SEGMENT_NEVER;
    }
    for (int d = 0; d < 3; ++d) {
        atomic_store_explicit(&s->nodes[node].direction[d], v[d], memory_order_relaxed);
    }
    if (!s->moves) {
        return abut__surface_contour_at(s->context, loop, count, s->source[0], NULL, 0, v)
                   ? ABUT__SEGMENT_ALWAYS
                   : ABUT__SEGMENT_NEVER;
    }
    return abut__surface_contour_moves(s->context, loop, count, s->source[0], s->source[1], v,
                                       s->error)
               ? ABUT__SEGMENT_ALWAYS
               : ABUT__SEGMENT_SOMETIMES;
}

bool abut__surface_segment_apart(const abut__surface_segment* segment, const abut__tree* tree,
                                 const abut__contours* contours, double part, uint32_t node) {
    abut__segment_node* own = &segment->nodes[node];
    const uint32_t count = contours->count[node];
    const uint32_t* loop = contours->vertices.data + contours->first[node];
    abut__segment_verdict verdict = atomic_load_explicit(&own->verdict, memory_order_acquire);
    if (verdict == ABUT__SEGMENT_UNKNOWN) {
        verdict = decide(segment, tree, loop, count, node);
        atomic_store_explicit(&own->verdict, (unsigned char)verdict, memory_order_release);
    }
    if (verdict != ABUT__SEGMENT_SOMETIMES) {
        return verdict == ABUT__SEGMENT_ALWAYS;
    }
    float v[3];
    for (int d = 0; d < 3; ++d) {
        v[d] = atomic_load_explicit(&own->direction[d], memory_order_relaxed);
    }
    return abut__surface_contour_at(segment->context, loop, count, segment->source[0],
                                    &segment->source[1], part, v);
}
