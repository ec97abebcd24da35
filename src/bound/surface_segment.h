// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs that pieces of a surface do not touch themselves while vertices move on segments between
// two keyframes, by normals and contours as in bound/surface.h. The normals are bounded once for
// the whole segment. From the second query on, contours are tested for the whole segment, too: a
// node whose contour stays simple is proven for all its instants. Of other nodes, and in the first
// query, the contour is tested at the instant in question. So a segment with a single query costs no
// more than a free body.
//
// Rounding. The vertices at an instant are doubles, off by less than e = 2^-50 S from the segment,
// where S is the greatest magnitude of a coordinate. That turns a normal by 14 e L, with L the
// greatest coordinate of an edge. Let D be the greatest magnitude of a coordinate relative to the
// block's first vertex. The widths of kernels/surface_kernel.c are 96 u D L, of which 42 u D L are
// their own error; the remaining 54 u D L suffice for e <= 3 u D. A block is smaller than 2 D, so
// blocks of at least 2^-20 S are proven, which leaves room for boxes in float. Smaller blocks are
// not. At a keyframe e is 0.
#ifndef ABUT_BOUND_SURFACE_SEGMENT_H
#define ABUT_BOUND_SURFACE_SEGMENT_H

#include "bound/refit.h"
#include "bound/surface.h"
#include "tree/seams.h"

// What is known of a node or a seam so far.
typedef enum abut__segment_verdict {
    ABUT__SEGMENT_UNKNOWN,
    ABUT__SEGMENT_NEVER,      // no contour, or no direction faces all normals
    ABUT__SEGMENT_ALWAYS,     // apart at all instants
    ABUT__SEGMENT_SOMETIMES,  // where its contour is simple
} abut__segment_verdict;

typedef struct abut__surface_segment {
    const abut_context* context;
    uint32_t node_count;
    abut__source source[2];
    bool moves;             // the ends differ
    float error;            // e above
    atomic_uchar* queries;  // so far, up to 2; the caller's
    abut__boxes8* normals;  // per node: those of its children, at all instants
    atomic_uchar* nodes;    // per node: abut__segment_verdict
    uint32_t seam_count;
    atomic_uchar* seams;  // per seam: likewise
} abut__surface_segment;

// One end of a segment: positions, and boxes made of them.
typedef struct abut__surface_end {
    abut__source source;
    const abut__refit_boxes* refit;
} abut__surface_end;

// Bounds the normals between two ends, or at one end. The tree has so many seams. `queries` outlives
// the segment. NULL: no memory.
abut__surface_segment* abut__surface_segment_make(const abut_context* context,
                                                  const abut__tree* tree, uint32_t seam_count,
                                                  const abut__surface_end* ends, uint32_t count,
                                                  atomic_uchar* queries);
void abut__surface_segment_free(abut__surface_segment* segment);

// Called once at the beginning of a query.
void abut__surface_segment_enter(abut__surface_segment* segment);

// Returns true only if no two triangles under the node that share no vertex touch at the fraction
// `part` of the segment, where vertices are the doubles (1 - part) a + part b. Threads may call it
// concurrently.
bool abut__surface_segment_apart(const abut__surface_segment* segment, const abut__tree* tree,
                                 const abut__contours* contours, double part, uint32_t node);
// The same for all triangles of both nodes of a seam, at all instants. A proof costs more than the
// tests of a few links; it pays because it serves the whole segment. False at keyframes, and in the
// first query.
bool abut__surface_segment_seam(const abut__surface_segment* segment, const abut__tree* tree,
                                const abut__seams* seams, uint32_t seam);

#endif
