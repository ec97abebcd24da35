// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT

#include "support/skin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/rounded.h"

typedef struct near_node {
    uint32_t node;
    double distance;
} near_node;

static int by_distance(const void* a, const void* b) {
    const double x = ((const near_node*)a)->distance;
    const double y = ((const near_node*)b)->distance;
    return x < y ? -1 : x > y;
}

static int by_node(const void* a, const void* b) {
    const uint32_t x = ((const near_node*)a)->node;
    const uint32_t y = ((const near_node*)b)->node;
    return x < y ? -1 : x > y;
}

static void weigh_vertex(skin* k, const surface* s, const uint32_t* centres, uint32_t vertex,
                         uint32_t influences, near_node* scratch) {
    const double* p = s->xyz + 3 * (size_t)vertex;
    for (uint32_t j = 0; j < k->node_count; ++j) {
        const double* c = s->xyz + 3 * (size_t)centres[j];
        const double x = p[0] - c[0];
        const double y = p[1] - c[1];
        const double z = p[2] - c[2];
        scratch[j] = (near_node){j, sqrt(x * x + y * y + z * z)};
    }
    qsort(scratch, k->node_count, sizeof *scratch, by_distance);
    const double far = scratch[influences - 1].distance * 1.001 + 1e-300;
    qsort(scratch, influences, sizeof *scratch, by_node);
    double sum = 0;
    for (uint32_t i = 0; i < influences; ++i) {
        scratch[i].distance = 1 - scratch[i].distance / far + 1e-9;
        sum += scratch[i].distance;
    }
    for (uint32_t i = 0; i < influences; ++i) {
        const size_t at = (size_t)influences * vertex + i;
        k->nodes[at] = scratch[i].node;
        k->narrow[at] = (float)(scratch[i].distance / sum);
        k->values[at] = k->type == ABUT_SCALAR_F32 ? (double)k->narrow[at]
                                                   : scratch[i].distance / sum;
    }
    k->first[vertex + 1] = influences * (vertex + 1);
}

skin skin_alloc(uint32_t nodes, uint32_t vertices, uint32_t most_influences, abut_scalar type) {
    const size_t room = (size_t)vertices * most_influences;
    skin k = {.node_count = nodes, .vertex_count = vertices, .type = type};
    k.first = test_alloc((size_t)vertices + 1, sizeof *k.first);
    k.nodes = test_alloc(room, sizeof *k.nodes);
    k.values = test_alloc(room, sizeof *k.values);
    k.narrow = test_alloc(room, sizeof *k.narrow);
    k.first[0] = 0;
    return k;
}

skin skin_make(test_random* random, const surface* s, uint32_t nodes, uint32_t influences,
               abut_scalar type) {
    skin k = skin_alloc(nodes, s->vertex_count, influences, type);
    uint32_t* centres = test_alloc(nodes, sizeof *centres);
    near_node* scratch = test_alloc(nodes, sizeof *scratch);
    for (uint32_t j = 0; j < nodes; ++j) {
        centres[j] = random_below(random, s->vertex_count);
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        weigh_vertex(&k, s, centres, v, influences < nodes ? influences : nodes, scratch);
    }
    free(centres);
    free(scratch);
    return k;
}

void skin_free(skin* k) {
    free(k->first);
    free(k->nodes);
    free(k->values);
    free(k->narrow);
}

abut_weights skin_weights(const skin* k) {
    return (abut_weights){
        .node_count = k->node_count,
        .first = k->first,
        .nodes = k->nodes,
        .values = k->type == ABUT_SCALAR_F32 ? (const void*)k->narrow : (const void*)k->values,
        .type = k->type,
    };
}

motion_def blend_def(const skin* k, const field_set* f) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = skin_weights(k);
    def.fields = f != NULL ? f->fields : NULL;
    def.field_count = f != NULL ? f->count : 0;
    return def;
}

void gentle_transforms(test_random* random, double (*t)[12], uint32_t count, double size) {
    for (uint32_t j = 0; j < count; ++j) {
        for (int e = 0; e < 12; ++e) {
            t[j][e] = (e % 5 == 0 ? 1 : 0) + random_double(random, -size, size);
        }
    }
}

void wild_transforms(test_random* random, double (*t)[12], uint32_t count, double offset) {
    for (uint32_t j = 0; j < count; ++j) {
        const double scale = pow(10, random_double(random, -6, 6));
        const uint32_t flat = random_below(random, 8);  // rows that are 0, unless it is high
        for (int e = 0; e < 12; ++e) {
            const bool kept = flat >= 3 || e / 4 > (int)flat;
            t[j][e] = e % 4 == 3
                          ? offset * random_double(random, 0.9, 1.1) + random_double(random, -1, 1)
                      : kept ? scale * random_double(random, -1, 1)
                             : 0;
        }
    }
}

void set_transforms(world* w, abut_body_id body, double (*t)[12], uint32_t count, const double* q,
                    uint32_t field_count) {
    REQUIRE_OK(abut_body_set_transforms(w->scene, body, abut_transforms_f64(t[0], count), q,
                                        field_count, NULL));
}

void blend_formula(const surface* s, const skin* k, const field_set* f, const double* q,
                   double (*t)[12], uint32_t vertex, double out[3]) {
    const field_set none = {0};
    double p[3];
    formula(s, f != NULL ? f : &none, q, vertex, p);
    for (int d = 0; d < 3; ++d) {
        double m[4];
        for (int e = 0; e < 4; ++e) {
            for (uint32_t i = k->first[vertex]; i < k->first[vertex + 1]; ++i) {
                const double product = rounded_product(k->values[i], t[k->nodes[i]][4 * d + e]);
                m[e] = i == k->first[vertex] ? product : rounded_sum(m[e], product);
            }
        }
        double sum = rounded_sum(rounded_product(m[0], p[0]), rounded_product(m[1], p[1]));
        sum = rounded_sum(sum, rounded_product(m[2], p[2]));
        out[d] = rounded_sum(sum, m[3]);
    }
}
