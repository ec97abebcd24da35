// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tables of rivals and of plain loops, and the choice of one: see rivals.h.
#include "bench/rivals.h"

#include "bench/bench.h"

extern const rivals rivals_scalar;
extern const plain_loops plain_loops_scalar;
extern const plain_loops plain_loops_native;
#ifdef BENCH_HAVE_X86_SETS
extern const rivals rivals_avx2;
extern const rivals rivals_avx512;
extern const plain_loops plain_loops_avx2;
extern const plain_loops plain_loops_avx512;
#endif

const rivals* rivals_chosen(void) {
#ifdef BENCH_HAVE_X86_SETS
    switch (bench_isa()) {
        case ABUT_ISA_AVX2: return &rivals_avx2;
        case ABUT_ISA_AVX512: return &rivals_avx512;
        default: break;
    }
#endif
    return &rivals_scalar;
}

const plain_loops* plain_loops_chosen(void) {
#ifdef BENCH_HAVE_X86_SETS
    switch (bench_isa()) {
        case ABUT_ISA_AVX2: return &plain_loops_avx2;
        case ABUT_ISA_AVX512: return &plain_loops_avx512;
        default: break;
    }
#endif
    return &plain_loops_scalar;
}

const plain_loops* plain_loops_of_processor(void) {
    return bench_isa() == bench_best_isa() ? &plain_loops_native : NULL;
}
