// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Dense displacement fields for tests of the modal motion, and an independent implementation of its
// formula.

#ifndef ABUT_TESTS_SUPPORT_FIELDS_H
#define ABUT_TESTS_SUPPORT_FIELDS_H

#include "support/world.h"

/// Fields of a surface, dense, as the formula uses them: u[j][vertex][axis].
typedef struct field_set {
    uint32_t count;
    uint32_t vertex_count;
    abut_scalar type;
    double* u;
    float* narrow;  ///< the same as float; exact if the type is float
    abut_field* fields;
} field_set;

double* field_at(const field_set* f, uint32_t field, uint32_t vertex);
/// Smooth fields of a few waves; if `sparse`, all but the first may move only part of the surface.
field_set make_fields(test_random* random, const surface* s, uint32_t count, double size,
                      abut_scalar type, bool sparse);
/// Fields of any size, 2^-exponent to 2^exponent, type and extent.
field_set random_fields(test_random* random, const surface* s, uint32_t count, int32_t exponent);
void free_fields(field_set* f);
/// Settings of a modal shape with these fields.
motion_def modal_def(const field_set* f);
abut_body_id add_modal(world* w, const surface* s, const field_set* f, uint32_t block_triangles);
void random_coordinates(test_random* random, double* q, uint32_t count, double size);
void set_coordinates(world* w, abut_body_id body, const double* q, uint32_t count);
/// Sets random coordinates of all sizes in random frames; checks that every vertex is in every box
/// above it.
void check_any_states(world* w, abut_body_id body, test_random* random, uint32_t count);
/// The documented formula, in exact operations that are rounded one by one.
void formula(const surface* s, const field_set* f, const double* q, uint32_t vertex, double out[3]);

#endif  // ABUT_TESTS_SUPPORT_FIELDS_H
