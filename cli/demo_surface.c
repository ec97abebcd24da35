// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies of built-in scenes as the surfaces of a world: see demo_surface.h.
#include "cli/demo_surface.h"

static abut_motion motion_of(const scene_body* b) {
    return b->node_count > 0 ? ABUT_MOTION_BLEND
           : b->reduced      ? ABUT_MOTION_MODAL
                             : ABUT_MOTION_FREE;
}

surface surface_of(const scene_body* b, const double* positions) {
    return (surface){
        .name = b->name,
        .positions = positions,
        .vertex_count = b->vertex_count,
        .triangles = b->triangles,
        .triangle_count = b->triangle_count,
        .motion = motion_of(b),
        .field_count = b->reduced ? b->field_count : 0,
        .fields = b->fields,
        .weights = {.node_count = b->node_count,
                    .first = b->weight_first,
                    .nodes = b->weight_nodes,
                    .values = b->weights,
                    .type = ABUT_SCALAR_F32},
    };
}
