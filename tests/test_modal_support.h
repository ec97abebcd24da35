// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of the modal motion: the check of vertices and the choice of bounds.
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
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got, NULL));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

// the bounds of a modal shape: boxes, spheres of either kind
static inline void set_bound(motion_def* def, int choice) {
    static const int bounds[] = {ABUT_MODAL_BOUND_AUTO, ABUT_MODAL_BOUND_SPHERES_MEAN,
                                 ABUT_MODAL_BOUND_SPHERES};
    def->bound = bounds[choice];
}

#endif  // ABUT_TESTS_TEST_MODAL_SUPPORT_H
