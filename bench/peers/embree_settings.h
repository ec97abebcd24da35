// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The settings of every device of Embree.
#ifndef BENCH_EMBREE_SETTINGS_H
#define BENCH_EMBREE_SETTINGS_H

#include "bench.h"

/// One thread, and the instruction set of the run.
static inline const char* embree_settings(void) {
    switch (bench_isa()) {
        case ABUT_ISA_SCALAR: return "threads=1,isa=sse2";
        case ABUT_ISA_AVX2: return "threads=1,isa=avx2";
        default: return "threads=1";
    }
}

#endif
