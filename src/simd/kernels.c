// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tables of kernels, and the choice of one at run time.
#include "simd/kernels.h"

#define ROW(name, isa) .name = abut__##name##_##isa,
#if defined(ABUT_ONLY_WASM_KERNELS)
#define kernels_scalar kernels_simd128  // every engine that takes the module has the vectors
#else
static const abut__kernels kernels_scalar = {ABUT__KERNELS(ROW, scalar)};
#endif
#if defined(ABUT_HAVE_X86_KERNELS)
static const abut__kernels kernels_avx2 = {ABUT__KERNELS(ROW, avx2)};
static const abut__kernels kernels_avx512 = {ABUT__KERNELS(ROW, avx512)};
#endif
#if defined(ABUT_HAVE_WASM_KERNELS)
static const abut__kernels kernels_simd128 = {ABUT__KERNELS(ROW, simd128)};
#endif

static const abut__kernels* kernels_of(abut_isa isa) {
#if defined(ABUT_HAVE_X86_KERNELS)
    if (isa == ABUT_ISA_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2")) {
        return &kernels_avx2;
    }
    if (isa == ABUT_ISA_AVX512 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        return &kernels_avx512;
    }
#endif
#if defined(ABUT_HAVE_WASM_KERNELS)
    if (isa == ABUT_ISA_SIMD128) {
        return &kernels_simd128;  // an engine without it refuses the whole module
    }
#endif
    return isa == ABUT_ISA_SCALAR ? &kernels_scalar : NULL;
}

const abut__kernels* abut__kernels_choose(abut_isa* isa) {
    if (*isa != ABUT_ISA_BEST) {
        return kernels_of(*isa);
    }
    static const abut_isa by_preference[] = {ABUT_ISA_AVX512, ABUT_ISA_AVX2, ABUT_ISA_SIMD128,
                                             ABUT_ISA_SCALAR};
    for (size_t i = 0; i < sizeof by_preference / sizeof by_preference[0]; ++i) {
        const abut__kernels* kernels = kernels_of(by_preference[i]);
        if (kernels != NULL) {
            *isa = by_preference[i];
            return kernels;
        }
    }
    return NULL;
}
