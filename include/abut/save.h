// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Saving and loading shapes: a shape of any motion as a block of bytes, and back. A program that
// keeps the bytes in a file need not make again what took long to make. See docs/concepts.md.
//
// The bytes hold the mesh, the fields, weights or keyframes, the tree, which edits may have shaped,
// and the certificates of modal and blend shapes, which take nearly all the time of making a shape
// ready for self queries. What takes little time is left out and is made again, while the shape is
// loaded or when it is first needed: bounds of nodes, links between neighbours, boxes of keyframes.
//
// The format is little-endian and has a version of its own. The bytes do not depend on the
// instruction set or on the number of threads.
#ifndef ABUT_SAVE_H
#define ABUT_SAVE_H

#include "shape.h"

ABUT_EXTERN_C_BEGIN

/// Settings of abut_shape_save(). Start from abut_shape_save_def_default(), then change fields.
typedef struct abut_shape_save_def {
    bool self_queries;  ///< first make the certificates of a modal or blend shape, which may take
                        ///< seconds; otherwise they are saved if the shape has them [false]
    uint32_t cookie;    ///< set by the default-maker; do not touch
} abut_shape_save_def;
ABUT_API abut_shape_save_def abut_shape_save_def_default(void);

/// A shape as bytes.
typedef struct abut_shape_bytes abut_shape_bytes;

/// Saves a shape. `def` may be NULL for the defaults. The tree is built first if the shape has none.
/// The positions of keyframes are copied, so they must be alive. Any number of threads may save and
/// use the same shape at the same time. A shape that no query and no save changes in between gives
/// the same bytes again.
ABUT_API abut_status abut_shape_save(const abut_shape* shape, const abut_shape_save_def* def,
                                     abut_shape_bytes** bytes, abut_error* error);
/// Returns the bytes, which live as long as the object, and their number. `count` may be NULL. NULL
/// has none.
ABUT_API const void* abut_shape_bytes_data(const abut_shape_bytes* bytes, size_t* count);
/// Destroys the bytes; NULL is fine.
ABUT_API void abut_shape_bytes_destroy(abut_shape_bytes* bytes);

/// Loads a shape from `count` bytes, aligned in any way, which are not needed afterwards. The shape
/// is whole: bodies of it move as those of the saved one do, and queries give the same answers and
/// counters, bit for bit. It has its own copy of the positions of keyframes. It is not an edited
/// version of any other shape: see abut_body_set_shape().
///
/// Everything is checked while it is copied. ABUT_ERR_VERSION: the bytes have a version of the format
/// that this library cannot read. ABUT_ERR_INVALID_DATA: they are damaged, or no saved shape. The
/// checksum detects accidents and not intent. Forged bytes, whose checksum fits, may hold false
/// certificates. Self queries of a shape with false certificates may miss contacts. No bytes let a call
/// read or write memory outside its own, or run forever.
ABUT_API abut_status abut_shape_load(abut_context* context, const void* bytes, size_t count,
                                     abut_shape** shape, abut_error* error);

ABUT_EXTERN_C_END

#endif
