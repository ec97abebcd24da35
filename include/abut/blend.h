// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Blend motion: convex weights times affine transforms of nodes, as for skinned characters and
// point-based bodies (mls.h). Fields, if there are any, move the rest positions first (morph
// targets under a skin). See docs/blend.md.
#ifndef ABUT_BLEND_H
#define ABUT_BLEND_H

#include "body.h"

ABUT_EXTERN_C_BEGIN

/// How vertices follow nodes. Weights are >= 0, and those of a vertex sum to 1. Their order does
/// not matter; weights of 0 are left out, and those of one node are added.
typedef struct abut_weights {
    size_t node_count;      ///< at least 1, at most 65535
    const uint32_t* first;  ///< influences of vertex i: first[i] .. first[i + 1] - 1, so there are
                            ///< vertex count + 1 numbers; NULL: every vertex has `per_vertex`
    uint32_t per_vertex;    ///< if `first` is NULL
    const uint32_t* nodes;  ///< of every influence
    const void* values;     ///< weight of every influence
    abut_scalar type;       ///< of `values`
    bool normalise;         ///< divide the weights of every vertex by their sum; otherwise a sum
                            ///< that differs from 1 by more than 1e-5 is an error
} abut_weights;

/// Settings of abut_shape_create_blend(). Start from abut_blend_def_default(), then change fields.
typedef struct abut_blend_def {
    abut_shape_def shape;      ///< what shapes of all motions have [abut_shape_def_default()]
    abut_weights weights;      ///< one or more for each vertex, copied [none, which is an error]
    const abut_field* fields;  ///< copied [NULL]
    size_t field_count;        ///< at most 65535 [0]
    uint32_t cookie;           ///< set by the default-maker; do not touch
} abut_blend_def;
ABUT_API abut_blend_def abut_blend_def_default(void);

/// Creates a shape of blend motion; otherwise as abut_shape_create(). `def` must not be NULL,
/// because a blend shape has weights.
ABUT_API abut_status abut_shape_create_blend(abut_context* context, const abut_mesh* mesh,
                                             const abut_blend_def* def, abut_shape** shape,
                                             abut_error* error);

/// Changes to make to a blend shape. Start from abut_blend_edit_def_default(), then change fields.
typedef struct abut_blend_edit_def {
    abut_shape_edit_def edit;          ///< what edits of all motions have
    abut_weights added_weights;        ///< how the new vertices follow nodes
    const abut_field* added_fields;    ///< as many as the shape has fields: how each moves the new
                                       ///< vertices; those it lists are listed by their ids [NULL]
    const uint32_t* changed_vertices;  ///< ids of old vertices that get other weights, each once
    size_t changed_vertex_count;
    abut_weights changed_weights;  ///< theirs, in that order
    size_t node_count;  ///< nodes of the edited shape, as many as before or more; 0: as many
                        ///< as before. That of the weights above is 0, or the same
    uint32_t cookie;    ///< set by the default-maker; do not touch
} abut_blend_edit_def;
ABUT_API abut_blend_edit_def abut_blend_edit_def_default(void);

/// Makes an edited shape of a blend one, as abut_shape_edit() does. A shape of another motion is an
/// error.
ABUT_API abut_status abut_shape_edit_blend(const abut_shape* shape, const abut_blend_edit_def* edit,
                                           abut_shape** edited, abut_edit_work* work,
                                           abut_error* error);

/// Sets the transforms of a new state, one for each node of the shape, and the coordinates, one for
/// each of its fields (NULL and 0 if it has none); copied. With the transforms T and weights w of
/// its influences in ascending order of nodes, a vertex at p (its rest position, moved by the
/// fields as abut_body_set_coordinates() does) is, in double, every product rounded,
///
///     m = w_0 T_0;  m += w_1 T_1;  ...   v[d] = ((m[d][0] x + m[d][1] y) + m[d][2] z) + m[d][3]
///
/// Transforms may be anything affine: sheared, mirrored, flat. The cost depends on their number and
/// not on the mesh, unless queries needed most of the body in the last state. Fails and changes
/// nothing if a number is not finite; the error names it.
ABUT_API abut_status abut_body_set_transforms(abut_scene* scene, abut_body_id body,
                                              abut_transforms transforms, const double* coordinates,
                                              size_t coordinate_count, abut_error* error);

ABUT_EXTERN_C_END

#endif
