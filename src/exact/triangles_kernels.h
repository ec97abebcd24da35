// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The batched filters of simd/kernels/triangles.c, one function per instruction set; all sets give
// the same bits. Only lanes whose bit is set in `valid` (16 bits) appear in the verdict.
#ifndef ABUT_EXACT_TRIANGLES_KERNELS_H
#define ABUT_EXACT_TRIANGLES_KERNELS_H

#include "exact/triangles.h"

// triangles_filter: does pair k share a point?
// triangles_filter_within: is pair k farther apart than `margin` (finite, >= 0)? Only `apart`.
#define ABUT_DECLARE_TRIANGLE_KERNELS(isa)                                                        \
    abut__triangle_verdict abut__triangles_filter_##isa(const abut__triangle_batch* batch,        \
                                                        uint32_t valid);                          \
    abut__triangle_verdict abut__triangles_filter_within_##isa(const abut__triangle_batch* batch, \
                                                               uint32_t valid, double margin);
ABUT_DECLARE_TRIANGLE_KERNELS(scalar)
ABUT_DECLARE_TRIANGLE_KERNELS(avx2)
ABUT_DECLARE_TRIANGLE_KERNELS(avx512)
#undef ABUT_DECLARE_TRIANGLE_KERNELS

#endif
