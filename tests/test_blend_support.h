// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of the blend motion: worlds with each instruction set, and the check of
// vertices.
#ifndef ABUT_TESTS_TEST_BLEND_SUPPORT_H
#define ABUT_TESTS_TEST_BLEND_SUPPORT_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/blend.h"
#include "scene/scene.h"
#include "support/everywhere.h"
#include "support/skin.h"

#define NODES_MOST 64

// a world with an instruction set of this processor; the sets take turns
static inline world next_world(uint32_t turn) {
    const int set = ISA_SETS - 1 - (int)(turn % ISA_SETS);
    abut_context_def def = abut_context_def_default();
    def.isa = isa_of(set);
    return world_make(kernels_of(set) != NULL ? &def : NULL, NULL);
}

static inline void check_vertices(const world* w, abut_body_id body, const surface* s,
                                  const skin* k, const field_set* f, const double* q,
                                  double (*t)[12]) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double wanted[3];
        double got[3];
        blend_formula(s, k, f, q, t, v, wanted);
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got, NULL));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

#endif  // ABUT_TESTS_TEST_BLEND_SUPPORT_H
