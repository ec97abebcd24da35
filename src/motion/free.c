// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The free motion: every state gives all positions anew, so a vertex is what the caller said.
#include "bound/surface.h"
#include "motion/motion.h"

static void free_begin(const abut_shape* shape, abut__state* state) {
    abut__refit(shape->context, &shape->tree, state->source, state->beside, &state->refit);
    state->has_normals = state->wants_normals && abut__shape_contours(shape) != NULL;
    if (state->has_normals) {
        abut__surface_normals(shape->context, &shape->tree, state->source, state->normals);
    }
}

static const abut__boxes8* free_bound(const abut_shape* shape, const abut__state* state,
                                      uint32_t node, abut__boxes8* room) {
    (void)shape;
    (void)room;
    return &state->refit.boxes[node];
}

static bool free_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                          abut__block_points* points, float* radius) {
    *radius = 0;  // rounding to float keeps order: see simd/kernels.h
    return shape->context->kernels->gather_points(shape->tree.blocks[block], state->source, points);
}

static void free_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                          uint32_t count, double* const out[3]) {
    (void)shape;
    const abut__source source = state->source;
    for (uint32_t i = 0; i < count && source.is_double; ++i) {
        const double* p = (const double*)(const void*)(source.data + ids[i] * source.stride);
        out[0][i] = p[0];
        out[1][i] = p[1];
        out[2][i] = p[2];
    }
    for (uint32_t i = 0; i < count && !source.is_double; ++i) {
        const float* p = (const float*)(const void*)(source.data + ids[i] * source.stride);
        out[0][i] = (double)p[0];
        out[1][i] = (double)p[1];
        out[2][i] = (double)p[2];
    }
}

static bool free_apart(const abut_shape* shape, const abut__state* state, uint32_t node) {
    return state->has_normals &&
           abut__surface_apart(shape->context, &shape->tree, abut__shape_contours(shape),
                               state->normals, state->source, node);
}

const abut__motion_ops abut__free_ops = {
    "free", free_begin, free_bound, free_evaluate, free_vertices, free_apart,
};
