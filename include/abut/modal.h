// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Modal motion: rest positions plus displacement fields, weighted by coordinates. Fields are modes,
// morph targets or principal components. A modal shape without fields is a rigid body. See
// docs/modal.md.
#ifndef ABUT_MODAL_H
#define ABUT_MODAL_H

#include "body.h"

ABUT_EXTERN_C_BEGIN

/// What bounds the nodes of a modal shape's tree. Answers do not depend on it, only the work does.
typedef enum abut_modal_bound {
    ABUT_MODAL_BOUND_AUTO = 0,  ///< the library chooses: boxes, which are tighter
    ABUT_MODAL_BOUND_BOXES,     ///< boxes in the shape's axes
    ABUT_MODAL_BOUND_SPHERES,   ///< spheres round the centres of small balls; turning a body does
                                ///< not widen them
    ABUT_MODAL_BOUND_SPHERES_MEAN,  ///< spheres round means, as James and Pai have them
    ABUT_MODAL_BOUND_BOTH,  ///< boxes, and spheres too while counters of queries show a gain
} abut_modal_bound;

/// Settings of abut_shape_create_modal(). Start from abut_modal_def_default(), then change fields.
typedef struct abut_modal_def {
    abut_shape_def shape;      ///< what shapes of all motions have [abut_shape_def_default()]
    const abut_field* fields;  ///< copied [NULL]
    size_t field_count;        ///< at most 65535; 0: a rigid body [0]
    abut_modal_bound bound;    ///< [ABUT_MODAL_BOUND_AUTO]
    uint32_t proxy_level;      ///< experimental: 2^proxy_level contact proxies, as far as there are
                               ///< triangles, for proxies.h; at most 20; 0: none [0]
    uint32_t cookie;           ///< set by the default-maker; do not touch
} abut_modal_def;
ABUT_API abut_modal_def abut_modal_def_default(void);

/// Creates a shape of modal motion; otherwise as abut_shape_create().
ABUT_API abut_status abut_shape_create_modal(abut_context* context, const abut_mesh* mesh,
                                             const abut_modal_def* def, abut_shape** shape,
                                             abut_error* error);

/// Changes to make to a modal shape. Start from abut_modal_edit_def_default(), then change fields.
typedef struct abut_modal_edit_def {
    abut_shape_edit_def edit;        ///< what edits of all motions have
    const abut_field* added_fields;  ///< as many as the shape has fields: how each moves the new
                                     ///< vertices; those it lists are listed by their ids [NULL]
    uint32_t cookie;                 ///< set by the default-maker; do not touch
} abut_modal_edit_def;
ABUT_API abut_modal_edit_def abut_modal_edit_def_default(void);

/// Makes an edited shape of a modal one, as abut_shape_edit() does. A shape of another motion is an
/// error.
ABUT_API abut_status abut_shape_edit_modal(const abut_shape* shape, const abut_modal_edit_def* edit,
                                           abut_shape** edited, abut_edit_work* work,
                                           abut_error* error);

/// Sets the coordinates of a new state, one for each field of the shape; copied. Vertex i is then
/// p_i + u_i0 q_0 + u_i1 q_1 ..., in double, every product rounded, added in that order. The cost
/// does not depend on the mesh, unless queries needed most of the body in the last state: then all
/// vertices are moved at once, which costs less than moving them block by block. Fails and changes
/// nothing if a coordinate is not finite or moves vertices beyond the range of doubles; the error
/// names it.
ABUT_API abut_status abut_body_set_coordinates(abut_scene* scene, abut_body_id body,
                                               const double* coordinates, size_t count,
                                               abut_error* error);

ABUT_EXTERN_C_END

#endif
