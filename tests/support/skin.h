// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Weights and transforms for tests of the blend motion, and an independent implementation of its
// formula.

#ifndef ABUT_TESTS_SUPPORT_SKIN_H
#define ABUT_TESTS_SUPPORT_SKIN_H

#include "support/fields.h"

/// Weights of a surface: vertex i has influences first[i] .. first[i + 1] - 1, ascending by node.
typedef struct skin {
    uint32_t node_count;
    uint32_t vertex_count;
    abut_scalar type;
    uint32_t* first;
    uint32_t* nodes;
    double* values;
    float* narrow;  ///< the same as float; exact if the type is float
} skin;

/// An empty skin with room for `most_influences` a vertex.
skin skin_alloc(uint32_t nodes, uint32_t vertices, uint32_t most_influences, abut_scalar type);
/// Every vertex follows the `influences` nodes that are nearest to it; nodes are scattered over the
/// surface. The sum of the weights of a vertex is 1 up to rounding.
skin skin_make(test_random* random, const surface* s, uint32_t nodes, uint32_t influences,
               abut_scalar type);
void skin_free(skin* k);
abut_weights skin_weights(const skin* k);
/// Settings of a blend shape; `f` may be NULL.
motion_def blend_def(const skin* k, const field_set* f);

/// Transforms near the identity: a turn, a stretch and a shift of about `size`.
void gentle_transforms(test_random* random, double (*t)[12], uint32_t count, double size);
/// Transforms of all kinds: reflections, shears, collapses to a plane, a line or a point, scales of
/// 1e-6 to 1e6, all of them around `offset`.
void wild_transforms(test_random* random, double (*t)[12], uint32_t count, double offset);
void set_transforms(world* w, abut_body_id body, double (*t)[12], uint32_t count, const double* q,
                    uint32_t field_count);
/// The documented formula; `f` and `q` may be NULL.
void blend_formula(const surface* s, const skin* k, const field_set* f, const double* q,
                   double (*t)[12], uint32_t vertex, double out[3]);

#endif  // ABUT_TESTS_SUPPORT_SKIN_H
