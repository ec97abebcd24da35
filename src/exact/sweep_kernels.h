// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The batched rejection of simd/kernels/sweeps.c, one function per instruction set; all sets give
// the same bits. Bit i: query i of up to eight is proven to have no contact.
#ifndef ABUT_EXACT_SWEEP_KERNELS_H
#define ABUT_EXACT_SWEEP_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#define ABUT__SWEEP_LANES 8

#define ABUT_DECLARE_SWEEP_KERNELS(isa)                                                   \
    uint32_t abut__sweep_filter_##isa(const double(*from)[4][3], const double(*to)[4][3], \
                                      uint32_t count, bool edges, double margin);
ABUT_DECLARE_SWEEP_KERNELS(scalar)
ABUT_DECLARE_SWEEP_KERNELS(avx2)
ABUT_DECLARE_SWEEP_KERNELS(avx512)
#undef ABUT_DECLARE_SWEEP_KERNELS

#endif
