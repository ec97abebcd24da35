// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/fields.h"

#include <math.h>
#include <stdlib.h>

#include "support/rounded.h"

double* field_at(const field_set* f, uint32_t field, uint32_t vertex) {
    return f->u + 3 * ((size_t)field * f->vertex_count + vertex);
}

// smooth fields of a few waves; all but the first may move only a part of the surface
field_set make_fields(test_random* random, const surface* s, uint32_t count, double size,
                      abut_scalar type, bool sparse) {
    field_set f = {count, s->vertex_count, type, NULL, NULL, NULL};
    const size_t numbers = 3 * (size_t)count * s->vertex_count;
    f.u = test_alloc(numbers + 1, sizeof *f.u);
    f.narrow = test_alloc(numbers + 1, sizeof *f.narrow);
    f.fields = test_alloc(count + 1, sizeof *f.fields);
    for (uint32_t j = 0; j < count; ++j) {
        double wave[3][4];
        for (int k = 0; k < 12; ++k) {
            wave[k / 4][k % 4] = random_double(random, -4, 4);
        }
        const double limit = sparse && j > 0 ? random_double(random, -1, 1) : INFINITY;
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            const double* p = s->xyz + 3 * (size_t)v;
            for (int d = 0; d < 3; ++d) {
                const double* w = wave[d];
                const double u = p[0] < limit
                                     ? size * sin(w[0] * p[0] + w[1] * p[1] + w[2] * p[2] + w[3])
                                     : 0;
                field_at(&f, j, v)[d] = type == ABUT_SCALAR_F32 ? (double)(float)u : u;
            }
        }
    }
    for (size_t i = 0; i < numbers; ++i) {
        f.narrow[i] = (float)f.u[i];
    }
    for (uint32_t j = 0; j < count; ++j) {
        const size_t first = 3 * (size_t)j * s->vertex_count;
        f.fields[j].values = type == ABUT_SCALAR_F32
                                 ? abut_positions_f32(f.narrow + first, s->vertex_count)
                                 : abut_positions_f64(f.u + first, s->vertex_count);
    }
    return f;
}

field_set random_fields(test_random* random, const surface* s, uint32_t count, int32_t exponent) {
    return make_fields(random, s, count, ldexp(1, random_between(random, -exponent, exponent)),
                       random_chance(random, 0.5) ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64,
                       random_chance(random, 0.3));
}

void free_fields(field_set* f) {
    free(f->u);
    free(f->narrow);
    free(f->fields);
}

motion_def modal_def(const field_set* f) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.fields = f->fields;
    def.field_count = f->count;
    return def;
}

abut_body_id add_modal(world* w, const surface* s, const field_set* f, uint32_t block_triangles) {
    motion_def def = modal_def(f);
    def.block_triangles = block_triangles;
    return world_add(w, s, &def, NULL);
}

void random_coordinates(test_random* random, double* q, uint32_t count, double size) {
    for (uint32_t j = 0; j < count; ++j) {
        q[j] = random_chance(random, 0.2) ? 0 : random_double(random, -size, size);
    }
}

void set_coordinates(world* w, abut_body_id body, const double* q, uint32_t count) {
    REQUIRE_OK(abut_body_set_coordinates(w->scene, body, q, count, NULL));
}

void check_any_states(world* w, abut_body_id body, test_random* random, uint32_t count) {
    double* q = test_alloc(count + 1, sizeof *q);
    for (int step = 0; step < 6; ++step) {
        random_coordinates(random, q, count, ldexp(1, random_between(random, -17, 17)));
        set_coordinates(w, body, q, count);
        if (random_chance(random, 0.5)) {
            world_frame(w, body, frame_random(random, 1e9));
        }
        world_validate(w, body);
    }
    free(q);
}

void formula(const surface* s, const field_set* f, const double* q, uint32_t vertex,
             double out[3]) {
    for (int d = 0; d < 3; ++d) {
        double sum = s->xyz[3 * (size_t)vertex + (size_t)d];
        for (uint32_t j = 0; j < f->count; ++j) {
            sum = rounded_sum(sum, rounded_product(field_at(f, j, vertex)[d], q[j]));
        }
        out[d] = sum;
    }
}
