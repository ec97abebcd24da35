// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The vertices of a blend shape in the order in which they are computed all at once: within parts of
// the mesh, sorted by their number of influences, so that the processor predicts the ends of loops
// and two vertices can be computed together.
#ifndef ABUT_MOTION_BLEND_ORDER_H
#define ABUT_MOTION_BLEND_ORDER_H

#include "mesh/fields.h"
#include "mesh/weights.h"
#include "simd/kernels.h"

typedef struct abut__blend_parts {
    const abut_context* context;
    uint32_t vertex_count;
    uint32_t part_count;
    uint32_t* first_run;      // per part; one more at the end
    size_t* first_influence;  // per part
    abut__blend_run* runs;
    uint32_t run_count;
    uint32_t* vertices;
    abut__blend_influence* influences;
    size_t influence_count;
    float* rest;  // packed, and numbers beyond
    // displacements by fields, as many numbers each as `rest` has, and which fields move each part
    uint32_t field_count;
    float* moves;
    uint32_t* moving;
} abut__blend_parts;

// Makes the parts of a shape with at most so many fields. NULL: no memory.
abut__blend_parts* abut__blend_parts_make(const abut_context* context, const abut_mesh* mesh,
                                          const abut__weights* weights, const abut__fields* fields);
void abut__blend_parts_free(abut__blend_parts* parts);

// Writes the rest positions of a part, moved by fields, into an array of all vertices. Numbers after
// the last vertex may be written, too: up to a multiple of 16.
void abut__blend_move_rest(const abut__blend_parts* parts, uint32_t part, const double* coordinates,
                           float* out);
abut__blend_order abut__blend_part(const abut__blend_parts* parts, uint32_t part);

#endif
