// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Point-based deformation: a few nodes in a body carry displacements, as a meshless simulation or
// an artist gives them, and the surface follows. Moving least squares (MLS) make an affine
// transform of every node out of the displacements, and the nodes around a vertex give it its
// weights: just what blend motion takes. A node j at x_j with displacement u_j gets
//
//     A_j = G_j + 1     t_j = u_j - G_j x_j     G_j: the gradient of the displacements at x_j
//
// from the nodes within its support. An affine motion of all nodes is found again, up to rounding.
// Based on: Mueller, Keiser, Nealen, Pauly, Gross, Alexa, "Point Based Animation of Elastic,
// Plastic and Melting Objects", 2004.
#ifndef ABUT_MLS_H
#define ABUT_MLS_H

#include "blend.h"

ABUT_EXTERN_C_BEGIN

/// What to do about a node whose neighbours all lie in a plane, on a line, or in one place, within
/// a thousandth of how far they spread: they do not determine its gradient across that.
typedef enum abut_mls_flat {
    ABUT_MLS_FLAT_MINIMAL =
        0,                 ///< take the least gradient that fits: right along the plane or line,
                           ///< zero across it
    ABUT_MLS_FLAT_ROTATE,  ///< the same along it; what is across turns with it, as in a sheet or
                           ///< a rod. A rigid motion of a plane of nodes is found again; on a
                           ///< line the least rotation is taken, in one place none
    ABUT_MLS_FLAT_REFUSE,  ///< abut_mls_create fails and names the node
} abut_mls_flat;

/// Settings of abut_mls_create. Start from abut_mls_def_default(), then change fields. All arrays
/// are copied.
typedef struct abut_mls_def {
    abut_positions nodes;  ///< rest positions; finite; at least 1, at most 65535
    const double* radii;   ///< of the supports, one a node: finite and positive, or 0 to have one
                           ///< chosen; NULL: all are chosen [NULL]
    uint32_t neighbours;   ///< a chosen support goes a fifth beyond so many other nodes, or as many
                           ///< as there are, 1..1000; nodes in the same place do not count [12]
    abut_mls_flat flat;    ///< [ABUT_MLS_FLAT_MINIMAL]
    uint32_t cookie;       ///< set by the default-maker; do not touch
} abut_mls_def;
ABUT_API abut_mls_def abut_mls_def_default(void);

/// Immutable; may be used by any number of threads.
typedef struct abut_mls abut_mls;

/// Finds the neighbours of every node and what their displacements will mean. Takes time and memory
/// in proportion to the number of nodes and of their neighbours. Errors name the node to blame.
ABUT_API abut_status abut_mls_create(abut_context* context, const abut_mls_def* def, abut_mls** mls,
                                     abut_error* error);
/// Destroys it; NULL is fine.
ABUT_API void abut_mls_destroy(abut_mls* mls);
/// Returns the number of nodes.
ABUT_API uint32_t abut_mls_node_count(const abut_mls* mls);
/// Returns the radius of every node's support, given or chosen.
ABUT_API const double* abut_mls_radii(const abut_mls* mls);

/// Turns displacements of all nodes into transforms: 12 numbers a node, three rows of four (A and t
/// side by side), as abut_body_set_transforms() takes them. Allocates nothing. A displacement that
/// is not finite, or a transform that would not be, is an error that names the node; the output is
/// then undefined.
ABUT_API abut_status abut_mls_transforms(const abut_mls* mls, abut_positions displacements,
                                         double* transforms, abut_error* error);

/// Weights of vertices; immutable.
typedef struct abut_mls_weights abut_mls_weights;

/// Weighs the nodes for vertices at these rest positions: those within whose support a vertex lies,
/// each by the kernel (h^2 - r^2)^3 / h^9 of its radius h and its distance r, the sum made 1. A
/// vertex that no node reaches is an error that names it: give larger radii, or more nodes. Takes
/// time in proportion to the vertices and their influences, on the context's tasks.
ABUT_API abut_status abut_mls_weights_create(const abut_mls* mls, abut_positions vertices,
                                             abut_mls_weights** weights, abut_error* error);
/// Destroys it; NULL is fine.
ABUT_API void abut_mls_weights_destroy(abut_mls_weights* weights);
/// Returns them as abut_blend_def takes them: float, influences ascending by node. They live as
/// long as `weights`, which needs neither the nodes nor the vertices any more.
ABUT_API abut_weights abut_mls_weights_view(const abut_mls_weights* weights);

ABUT_EXTERN_C_END

#endif
