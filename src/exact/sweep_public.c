// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The public functions for moving primitives: they check the arguments, run the batched rejection,
// and decide the remaining pairs one by one.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/context.h"
#include "exact/moving_features.h"
#include "simd/kernels.h"

// A value that is not finite makes its sum NaN. Twelve sums run side by side for speed.
static bool all_finite(const double (*points)[4][3], size_t count) {
    double sum[12] = {0.0};
    for (size_t i = 0; i < count; ++i) {
        const double* x = &points[i][0][0];
        for (int j = 0; j < 12; ++j) {
            sum[j] += 0.0 * x[j];
        }
    }
    bool finite = true;
    for (int j = 0; j < 12; ++j) {
        finite = finite && sum[j] == 0.0;
    }
    return finite;
}

static const abut__kernels* kernels_of(const abut_context* context) {
    abut_isa isa = ABUT_ISA_SCALAR;
    return context != NULL ? context->kernels : abut__kernels_choose(&isa);
}

static void decide(const abut__kernels* kernels, bool edges, size_t count,
                   const double (*from)[4][3], const double (*to)[4][3], double tolerance,
                   double margin, abut_sweep_contact* contacts) {
    double margins[ABUT__SWEEP_LANES];
    for (uint32_t lane = 0; lane < ABUT__SWEEP_LANES; ++lane) {
        margins[lane] = margin;
    }
    for (size_t first = 0; first < count; first += ABUT__SWEEP_LANES) {
        const size_t left = count - first;
        const uint32_t lanes = left < ABUT__SWEEP_LANES ? (uint32_t)left : ABUT__SWEEP_LANES;
        const uint32_t apart = kernels->sweep_filter(from + first, to + first, lanes, edges,
                                                     margins);
        for (uint32_t lane = 0; lane < lanes; ++lane) {
            const size_t i = first + lane;
            const abut__sweep_question question = {from[i], to[i], edges, tolerance, margin};
            if ((apart >> lane & 1) != 0) {
                contacts[i] = (abut_sweep_contact){.verdict = ABUT_SWEEP_VERDICT_NONE, .time = 1.0};
            } else {
                abut__sweep_decide(&question, &contacts[i]);
            }
        }
    }
}

static abut_status sweep_all(const abut_context* context, bool edges, size_t count,
                             const double (*from)[4][3], const double (*to)[4][3], double tolerance,
                             double margin, abut_sweep_contact* contacts) {
    const bool given = count == 0 || (from != NULL && to != NULL && contacts != NULL);
    if (!given || !(tolerance >= ABUT_TOLERANCE_MIN && tolerance <= 1.0) ||
        !(margin >= 0.0 && isfinite(margin)) ||
        (count > 0 && !(all_finite(from, count) && all_finite(to, count)))) {
        return ABUT_ERR_INVALID_ARGUMENT;
    }
    decide(kernels_of(context), edges, count, from, to, tolerance, margin, contacts);
    return ABUT_OK;
}

abut_status abut_vertex_face_sweep(const abut_context* context, size_t count,
                                   const double (*from)[4][3], const double (*to)[4][3],
                                   double tolerance, double margin, abut_sweep_contact* contacts) {
    return sweep_all(context, false, count, from, to, tolerance, margin, contacts);
}

abut_status abut_edge_edge_sweep(const abut_context* context, size_t count,
                                 const double (*from)[4][3], const double (*to)[4][3],
                                 double tolerance, double margin, abut_sweep_contact* contacts) {
    return sweep_all(context, true, count, from, to, tolerance, margin, contacts);
}
