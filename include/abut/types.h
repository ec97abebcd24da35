// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plain values that several headers share: views of the caller's arrays, frames, boxes.
#ifndef ABUT_TYPES_H
#define ABUT_TYPES_H

#include "base.h"

ABUT_EXTERN_C_BEGIN

/// The type of numbers in the caller's arrays.
typedef enum abut_scalar {
    ABUT_SCALAR_F32 = 0,
    ABUT_SCALAR_F64,
} abut_scalar;

/// A view of positions in the caller's memory: element i starts at (char*)data + i * stride and
/// holds x, y, z of the given type. The data must be aligned for that type.
typedef struct abut_positions {
    const void* data;  ///< may be NULL if `count` is 0
    size_t count;      ///< below 2^30
    size_t stride;     ///< bytes from one position to the next; 0 means tightly packed
    abut_scalar type;
} abut_positions;

/// Make views of tightly packed x, y, z.
ABUT_API abut_positions abut_positions_f32(const float* xyz, size_t count);
ABUT_API abut_positions abut_positions_f64(const double* xyz, size_t count);

/// A rigid frame: world = ((r[i][0] x + r[i][1] y) + r[i][2] z) + t[i], in double, in that order.
/// `r` must be a rotation up to rounding (each entry of r r^T within 1e-3 of the identity).
/// The identity leaves the bits of a position alone.
typedef struct abut_frame {
    double r[3][3];
    double t[3];
} abut_frame;
/// Returns the frame that leaves every position as it is.
ABUT_API abut_frame abut_frame_identity(void);

/// How the numbers of an affine transform lie in memory.
typedef enum abut_layout {
    ABUT_LAYOUT_ROWS_3X4 = 0,  ///< 12 numbers: three rows of four, the last of each the translation
    ABUT_LAYOUT_COLUMNS_4X4,   ///< 16 numbers: four columns of four, as glTF and OpenGL have them;
                               ///< the last row must be 0 0 0 1
} abut_layout;

/// A view of affine transforms in the caller's memory: element i starts at (char*)data + i *
/// stride. The data must be aligned for the type of its numbers.
typedef struct abut_transforms {
    const void* data;
    size_t count;
    size_t stride;  ///< bytes from one transform to the next; 0 means tightly packed
    abut_scalar type;
    abut_layout layout;
} abut_transforms;

/// Make views of tightly packed transforms, three rows of four.
ABUT_API abut_transforms abut_transforms_f32(const float* rows, size_t count);
ABUT_API abut_transforms abut_transforms_f64(const double* rows, size_t count);

/// An axis-aligned box.
typedef struct abut_box {
    double lo[3];
    double hi[3];
} abut_box;

ABUT_EXTERN_C_END

#endif
