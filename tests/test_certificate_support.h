// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the tests of certificates: displacement fields and modal bodies.
#ifndef ABUT_TESTS_TEST_CERTIFICATE_SUPPORT_H
#define ABUT_TESTS_TEST_CERTIFICATE_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exact/triangles.h"
#include "motion/modal.h"
#include "motion/certified.h"
#include "support/claims.h"
#include "support/everywhere.h"
#include "support/memory.h"
#include "support/motion_def.h"

typedef enum kind { SMOOTH, ROUGH, AFFINE, TURNING, BENDING, SPARSE, KINDS } kind;

// fields in the form that the library takes: u[j][vertex][axis]
typedef struct field_set {
    uint32_t count;
    uint32_t vertex_count;
    double* u;
    abut_field* fields;
} field_set;

static inline double* field_at(const field_set* f, uint32_t field, uint32_t vertex) {
    return f->u + 3 * ((size_t)field * f->vertex_count + vertex);
}

static inline void field_value(test_random* random, kind k, const double c[16], const double p[3],
                               double out[3]) {
    const double wave = sin(c[0] * p[0] + c[1] * p[1] + c[2] * p[2] + c[3]);
    for (int d = 0; d < 3; ++d) {
        const double other = sin(c[4 + d] * p[0] + c[7 + d] * p[1] + c[10 + d] * p[2] + c[13]);
        const double affine = c[d] * p[0] + c[4 + d] * p[1] + c[8 + d] * p[2] + c[12 + d];
        switch (k) {
            case SMOOTH: out[d] = other; break;
            case ROUGH: out[d] = random_double(random, -1, 1); break;
            case AFFINE: out[d] = affine; break;
            case TURNING:
                out[d] = c[1 + d] * p[(d + 1) % 3] - c[1 + (d + 1) % 3] * p[(d + 2) % 3];
                break;
            case BENDING: out[d] = c[4 + d] * wave; break;
            default: out[d] = p[0] < c[3] / 4 ? other : 0; break;
        }
    }
}

static inline field_set make_fields(test_random* random, const surface* s, uint32_t count, kind k) {
    field_set f = {count, s->vertex_count, NULL, NULL};
    f.u = test_alloc(3 * (size_t)count * s->vertex_count + 1, sizeof *f.u);
    f.fields = test_alloc(count + 1, sizeof *f.fields);
    for (uint32_t j = 0; j < count; ++j) {
        double c[16];
        for (int i = 0; i < 16; ++i) {
            c[i] = random_double(random, -3, 3);
        }
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            field_value(random, k, c, s->xyz + 3 * (size_t)v, field_at(&f, j, v));
        }
        f.fields[j] = (abut_field){abut_positions_f64(field_at(&f, j, 0), s->vertex_count), NULL};
    }
    return f;
}

static inline void free_fields(field_set* f) {
    free(f->u);
    free(f->fields);
}

static inline abut_body_id add_modal(world* w, const surface* s, const field_set* f,
                                     uint32_t block) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.fields = f->fields;
    def.field_count = f->count;
    def.block_triangles = block;
    return world_add(w, s, &def, NULL);
}

static inline void set_coordinates(world* w, abut_body_id body, const double* q, uint32_t count) {
    REQUIRE_OK(abut_body_set_coordinates(w->scene, body, q, count, NULL));
}

#endif  // ABUT_TESTS_TEST_CERTIFICATE_SUPPORT_H
