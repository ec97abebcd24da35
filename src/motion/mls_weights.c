// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Weights of vertices by the nodes around them: see abut_mls_weights_create(). Influences are
// counted first, then weighed, both by tasks over the vertices.
#include <float.h>
#include <math.h>

#include "mesh/mesh.h"
#include "motion/mls.h"

#define VERTICES_PER_TASK ((size_t)1024)
#define NOT_FINITE UINT32_MAX

struct abut_mls_weights {
    abut_context* context;
    uint32_t node_count;
    size_t vertex_count;
    uint32_t* first;
    uint32_t* nodes;
    float* values;
};

typedef struct weighing {
    const abut_mls* mls;
    abut__source vertices;
    abut_mls_weights* weights;
} weighing;

// false if the vertex is not finite
static bool read_vertex(const weighing* w, size_t vertex, double out[3]) {
    double p[3];
    abut__read_position(w->vertices.data, w->vertices.stride, w->vertices.is_double, vertex, p);
    abut__mls_scale(w->mls, p, out);
    return fabs(p[0]) <= DBL_MAX && fabs(p[1]) <= DBL_MAX && fabs(p[2]) <= DBL_MAX;
}

static size_t task_end(const weighing* w, uint32_t index) {
    const size_t end = ((size_t)index + 1) * VERTICES_PER_TASK;
    return end < w->weights->vertex_count ? end : w->weights->vertex_count;
}

static void count_task(void* argument, uint32_t index, uint32_t worker) {
    const weighing* w = argument;
    (void)worker;
    for (size_t v = (size_t)index * VERTICES_PER_TASK; v < task_end(w, index); ++v) {
        double p[3];
        w->weights->first[v + 1] = read_vertex(w, v, p)
                                       ? abut__node_tree_within(&w->mls->tree, p, 0, NULL)
                                       : NOT_FINITE;
    }
}

// The kernel relative to one with the least radius around, so that nothing overflows. At least one
// value is not tiny, because 1 - r^2/h^2 is 2^-53 or more.
static double kernel(const abut_mls* mls, uint32_t node, const double p[3], double least) {
    const double shrink = 1 / mls->reaches[node];
    const double rest = 1 - abut__node_apart_sq(p, mls->scaled + 3 * (size_t)node, shrink);
    const double ratio = least * shrink;
    return rest * rest * rest * (ratio * ratio * ratio);
}

static void weigh_vertex(const weighing* w, size_t vertex) {
    const abut_mls* mls = w->mls;
    const uint32_t first = w->weights->first[vertex];
    const uint32_t last = w->weights->first[vertex + 1];
    const uint32_t* nodes = w->weights->nodes;
    double p[3];
    double sum = 0;
    read_vertex(w, vertex, p);
    abut__node_tree_within(&mls->tree, p, 0, w->weights->nodes + first);
    double least = mls->reaches[nodes[first]];
    for (uint32_t i = first + 1; i < last; ++i) {
        least = mls->reaches[nodes[i]] < least ? mls->reaches[nodes[i]] : least;
    }
    for (uint32_t i = first; i < last; ++i) {
        sum += kernel(mls, nodes[i], p, least);
    }
    for (uint32_t i = first; i < last; ++i) {
        w->weights->values[i] = (float)(kernel(mls, nodes[i], p, least) / sum);
    }
}

static void weigh_task(void* argument, uint32_t index, uint32_t worker) {
    const weighing* w = argument;
    (void)worker;
    for (size_t v = (size_t)index * VERTICES_PER_TASK; v < task_end(w, index); ++v) {
        weigh_vertex(w, v);
    }
}

// turns counts into offsets
static abut_status sum_counts(abut_mls_weights* weights, abut_error* error) {
    uint64_t sum = 0;
    weights->first[0] = 0;
    for (size_t v = 0; v < weights->vertex_count; ++v) {
        const uint32_t count = weights->first[v + 1];
        if (count == NOT_FINITE) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, v,
                              "rest positions: vertex %zu is not finite", v);
        }
        if (count == 0) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, v,
                              "vertex %zu lies within the support of no node", v);
        }
        sum += count;
        if (sum > UINT32_MAX) {
            return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_VERTEX, v,
                              "the vertices up to %zu have more than 2^32 influences", v);
        }
        weights->first[v + 1] = (uint32_t)sum;
    }
    return ABUT_OK;
}

static abut_status weigh(const weighing* w, abut_error* error) {
    abut_mls_weights* weights = w->weights;
    const abut_context* context = weights->context;
    const size_t vertices = weights->vertex_count;
    const uint32_t tasks = (uint32_t)((vertices + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK);
    uint32_t* first = abut__alloc_zero(context, vertices + 1, sizeof *first);
    if (first == NULL) {
        return abut__fail_memory(error);
    }
    weights->first = first;
    abut__run_tasks(context, tasks, count_task, (void*)w);
    const abut_status status = sum_counts(weights, error);
    if (status != ABUT_OK) {
        return status;
    }
    weights->nodes = abut__alloc(context, first[vertices], sizeof *weights->nodes);
    weights->values = abut__alloc(context, first[vertices], sizeof *weights->values);
    if (weights->nodes == NULL || weights->values == NULL) {
        return abut__fail_memory(error);
    }
    abut__run_tasks(context, tasks, weigh_task, (void*)w);
    return ABUT_OK;
}

abut_status abut_mls_weights_create(const abut_mls* mls, abut_positions vertices,
                                    abut_mls_weights** weights, abut_error* error) {
    if (mls == NULL || weights == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the nodes and the place for the weights must not be NULL");
    }
    if (vertices.count == 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there must be at least one vertex");
    }
    abut_status status = abut__positions_check(vertices, "rest positions", error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_mls_weights* made = abut__alloc_zero(mls->context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = mls->context;
    made->node_count = mls->node_count;
    made->vertex_count = vertices.count;
    const weighing w = {mls, abut__source_of(vertices), made};
    status = weigh(&w, error);
    if (status != ABUT_OK) {
        abut_mls_weights_destroy(made);
        return status;
    }
    *weights = made;
    return ABUT_OK;
}

void abut_mls_weights_destroy(abut_mls_weights* weights) {
    if (weights == NULL) {
        return;
    }
    const abut_context* context = weights->context;
    const size_t vertices = weights->vertex_count;
    const size_t influences = weights->first != NULL ? weights->first[vertices] : 0;
    abut__free(context, weights->nodes, influences, sizeof *weights->nodes);
    abut__free(context, weights->values, influences, sizeof *weights->values);
    abut__free(context, weights->first, vertices + 1, sizeof *weights->first);
    abut__free(context, weights, 1, sizeof *weights);
}

abut_weights abut_mls_weights_view(const abut_mls_weights* weights) {
    return (abut_weights){.node_count = weights->node_count,
                          .first = weights->first,
                          .nodes = weights->nodes,
                          .values = weights->values,
                          .type = ABUT_SCALAR_F32};
}
