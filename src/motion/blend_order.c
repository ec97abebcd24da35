// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Orders the vertices of a blend shape: see blend_order.h.
#include "motion/blend_order.h"

#define PART_VERTICES 1024u  // their positions stay in the first-level cache
#define AT_ONCE 16u          // numbers: a part has a multiple of these, except the last one

static uint32_t influences_of(const abut__weights* weights, uint32_t vertex) {
    return (uint32_t)(weights->first[vertex + 1] - weights->first[vertex]);
}

static uint32_t end_of_part(const abut__blend_parts* parts, uint32_t part) {
    const uint32_t left = parts->vertex_count - part * PART_VERTICES;
    return part * PART_VERTICES + (left < PART_VERTICES ? left : PART_VERTICES);
}

// Counts the vertices of a part by their number of influences; `counts` has room for all numbers up
// to the greatest. Returns how many numbers occur.
static uint32_t count_part(const abut__blend_parts* parts, const abut__weights* weights,
                           uint32_t part, uint32_t* counts) {
    uint32_t runs = 0;
    memset(counts, 0, (weights->most + (size_t)1) * sizeof *counts);
    for (uint32_t v = part * PART_VERTICES; v < end_of_part(parts, part); ++v) {
        runs += counts[influences_of(weights, v)]++ == 0;
    }
    return runs;
}

// Turns the counts into places, and lists the runs.
static void list_runs(abut__blend_parts* parts, uint32_t most, uint32_t part, uint32_t* counts) {
    abut__blend_run* run = parts->runs + parts->first_run[part];
    uint32_t place = part * PART_VERTICES;
    for (uint32_t k = 0; k <= most; ++k) {
        const uint32_t count = counts[k];
        counts[k] = place;
        place += count;
        if (count > 0) {
            *run++ = (abut__blend_run){k, count};
        }
    }
}

static void fill_part(abut__blend_parts* parts, const abut__weights* weights, uint32_t part,
                      uint32_t* counts) {
    const uint32_t first = part * PART_VERTICES;
    const uint32_t end = end_of_part(parts, part);
    (void)count_part(parts, weights, part, counts);
    list_runs(parts, weights->most, part, counts);
    for (uint32_t v = first; v < end; ++v) {
        parts->vertices[counts[influences_of(weights, v)]++] = v;
    }
    // the influences of a part are the same in any order of its vertices
    abut__blend_influence* to = parts->influences + weights->first[first];
    parts->first_influence[part] = weights->first[first];
    for (uint32_t i = first; i < end; ++i) {
        const uint32_t v = parts->vertices[i];
        for (size_t k = weights->first[v]; k < weights->first[v + 1]; ++k) {
            *to++ = (abut__blend_influence){weights->nodes[k], (float)abut__weight(weights, k)};
        }
    }
}

static size_t numbers_of(const abut__blend_parts* parts) {
    return (3 * (size_t)parts->vertex_count + AT_ONCE) / AT_ONCE * AT_ONCE;
}

static bool reserve(abut__blend_parts* parts, const abut__weights* weights) {
    const abut_context* context = parts->context;
    parts->part_count = (parts->vertex_count + PART_VERTICES - 1) / PART_VERTICES;
    parts->influence_count = weights->first[parts->vertex_count];
    parts->first_run = abut__alloc_zero(context, parts->part_count + (size_t)1,
                                        sizeof *parts->first_run);
    parts->first_influence = abut__alloc(context, parts->part_count,
                                         sizeof *parts->first_influence);
    parts->vertices = abut__alloc(context, parts->vertex_count, sizeof *parts->vertices);
    parts->influences = abut__alloc(context, parts->influence_count, sizeof *parts->influences);
    parts->rest = abut__alloc_zero(context, numbers_of(parts), sizeof *parts->rest);
    const bool moves = parts->field_count > 0;
    parts->moves = moves ? abut__alloc_zero(context, parts->field_count * numbers_of(parts),
                                            sizeof *parts->moves)
                         : NULL;
    parts->moving = moves ? abut__alloc_zero(context, parts->part_count, sizeof *parts->moving)
                          : NULL;
    if (moves && (parts->moves == NULL || parts->moving == NULL)) {
        return false;
    }
    return parts->first_run != NULL && parts->first_influence != NULL && parts->vertices != NULL &&
           parts->influences != NULL && parts->rest != NULL;
}

static void fill_moves(abut__blend_parts* parts, const abut__fields* fields) {
    for (uint32_t v = 0; v < parts->vertex_count; ++v) {
        const abut__field_list list = abut__fields_of(fields, v);
        for (uint32_t k = 0; k < list.count; ++k) {
            const uint32_t field = fields->ids[list.first + k];
            float* to = parts->moves + field * numbers_of(parts) + 3 * (size_t)v;
            double value[3];
            abut__fields_value(fields, v, k, value);
            for (int d = 0; d < 3; ++d) {
                to[d] = (float)value[d];
            }
            parts->moving[v / PART_VERTICES] |= 1u << field;
        }
    }
}

static bool fill(abut__blend_parts* parts, const abut_mesh* mesh, const abut__weights* weights) {
    const abut_context* context = parts->context;
    const size_t numbers = weights->most + (size_t)1;
    uint32_t* counts = abut__alloc(context, numbers, sizeof *counts);
    for (uint32_t p = 0; p < parts->part_count && counts != NULL; ++p) {
        parts->first_run[p + 1] = parts->first_run[p] + count_part(parts, weights, p, counts);
    }
    const uint32_t runs = parts->first_run[parts->part_count];
    parts->runs = counts != NULL ? abut__alloc(context, runs, sizeof *parts->runs) : NULL;
    parts->run_count = parts->runs != NULL ? runs : 0;
    for (uint32_t p = 0; p < parts->part_count && parts->runs != NULL; ++p) {
        fill_part(parts, weights, p, counts);
    }
    for (uint32_t v = 0; v < parts->vertex_count; ++v) {
        double position[3];
        abut__mesh_rest_near(mesh, v, position);
        for (size_t d = 0; d < 3; ++d) {
            parts->rest[3 * (size_t)v + d] = (float)position[d];
        }
    }
    abut__free(context, counts, numbers, sizeof *counts);
    return parts->runs != NULL;
}

abut__blend_parts* abut__blend_parts_make(const abut_context* context, const abut_mesh* mesh,
                                          const abut__weights* weights,
                                          const abut__fields* fields) {
    abut__blend_parts* parts = abut__alloc_zero(context, 1, sizeof *parts);
    if (parts == NULL) {
        return NULL;
    }
    parts->context = context;
    parts->vertex_count = mesh->vertex_count;
    parts->field_count = fields->count;
    if (!reserve(parts, weights) || !fill(parts, mesh, weights)) {
        abut__blend_parts_free(parts);
        return NULL;
    }
    fill_moves(parts, fields);
    return parts;
}

void abut__blend_parts_free(abut__blend_parts* parts) {
    if (parts == NULL) {
        return;
    }
    const abut_context* context = parts->context;
    const size_t count = parts->vertex_count;
    abut__free(context, parts->first_run, parts->part_count + (size_t)1, sizeof *parts->first_run);
    abut__free(context, parts->first_influence, parts->part_count, sizeof *parts->first_influence);
    abut__free(context, parts->runs, parts->run_count, sizeof *parts->runs);
    abut__free(context, parts->vertices, count, sizeof *parts->vertices);
    abut__free(context, parts->influences, parts->influence_count, sizeof *parts->influences);
    abut__free(context, parts->rest, numbers_of(parts), sizeof *parts->rest);
    abut__free(context, parts->moves, parts->field_count * numbers_of(parts), sizeof *parts->moves);
    abut__free(context, parts->moving, parts->part_count, sizeof *parts->moving);
    abut__free(context, parts, 1, sizeof *parts);
}

abut__blend_order abut__blend_part(const abut__blend_parts* parts, uint32_t part) {
    const uint32_t first = parts->first_run[part];
    return (abut__blend_order){
        .runs = parts->runs + first,
        .run_count = parts->first_run[part + 1] - first,
        .vertices = parts->vertices + (size_t)part * PART_VERTICES,
        .influences = parts->influences + parts->first_influence[part],
    };
}

void abut__blend_move_rest(const abut__blend_parts* parts, uint32_t part, const double* coordinates,
                           float* out) {
    abut__blend_moves moves = {.rest = parts->rest};
    for (uint32_t left = parts->moving[part]; left != 0; left &= left - 1) {
        const uint32_t field = (uint32_t)__builtin_ctz(left);
        if (coordinates[field] != 0) {
            moves.q[moves.count] = (float)coordinates[field];
            moves.by[moves.count++] = parts->moves + field * numbers_of(parts);
        }
    }
    const size_t end = 3 * (size_t)end_of_part(parts, part);
    parts->context->kernels->blend_moves(&moves, 3 * (size_t)part * PART_VERTICES, end, out);
}
