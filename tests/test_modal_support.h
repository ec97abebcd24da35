// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the tests of the modal motion share.
#ifndef ABUT_TESTS_TEST_MODAL_SUPPORT_H
#define ABUT_TESTS_TEST_MODAL_SUPPORT_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "motion/modal.h"
#include "scene/scene.h"
#include "support/fields.h"

static inline void check_vertices(const world* w, abut_body_id body, const surface* s,
                                  const field_set* f, const double* q) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double wanted[3];
        double got[3];
        formula(s, f, q, v, wanted);
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

// the ways to bound a shape: boxes, boxes in axes of their own, spheres
static inline void set_bound(abut_shape_def* def, int way) {
    static const double axes[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
    def->bound = way == 2 ? ABUT_BOUND_SPHERES : ABUT_BOUND_AUTO;
    if (way == 1) {
        memcpy(def->axes, axes, sizeof axes);
    }
}

#endif  // ABUT_TESTS_TEST_MODAL_SUPPORT_H
