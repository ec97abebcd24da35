// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Making weights from the caller's arrays, checked while they are read.
#include "mesh/weights.h"

#include <math.h>
#include <stdlib.h>

#define NODES_MOST 65535u
#define DEFECT_MOST 1e-5  // of a sum that was not to be normalised

// the caller's influences of a vertex
typedef struct influences {
    size_t first;
    size_t count;
} influences;

static influences given_of(const abut_weights* given, uint32_t vertex) {
    if (given->first == NULL) {
        return (influences){(size_t)vertex * given->per_vertex, given->per_vertex};
    }
    return (influences){given->first[vertex], given->first[vertex + 1] - given->first[vertex]};
}

static double given_value(const abut_weights* given, size_t i) {
    return given->type == ABUT_FLOAT64 ? ((const double*)given->values)[i]
                                       : (double)((const float*)given->values)[i];
}

static abut_status check_given(const abut_weights* given, uint32_t vertex_count,
                               abut_error* error) {
    if (given->node_count == 0 || given->node_count > NODES_MOST) {
        return abut__fail(error,
                          given->node_count == 0 ? ABUT_ERR_INVALID_ARGUMENT : ABUT_ERR_LIMIT,
                          ABUT_ELEMENT_NONE, 0, "%zu nodes are not in 1..%u", given->node_count,
                          NODES_MOST);
    }
    if (given->nodes == NULL || given->values == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the pointer to the %s of the weights is NULL",
                          given->nodes == NULL ? "nodes" : "values");
    }
    if (given->type != ABUT_FLOAT32 && given->type != ABUT_FLOAT64) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "unknown type %d of weights", (int)given->type);
    }
    if (given->first == NULL && given->per_vertex == 0) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "neither `first` nor `per_vertex` says which weights a vertex has");
    }
    for (uint32_t v = 0; given->first != NULL && v < vertex_count; ++v) {
        if (given->first[v + 1] < given->first[v] || (v == 0 && given->first[0] != 0)) {
            return abut__fail(
                error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, v,
                "the weights of vertex %u are said to be %u .. %u: `first` must begin "
                "with 0 and not descend",
                v, given->first[v], given->first[v + 1]);
        }
    }
    return ABUT_OK;
}

// one influence of a vertex, while they are sorted
typedef struct influence {
    uint32_t node;
    double weight;
} influence;

// Equal nodes by weight, so that their sum does not depend on the order they were given in either.
static int compare_influences(const void* a, const void* b) {
    const influence* x = a;
    const influence* y = b;
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

// sorts by node and adds what belongs to one node; returns how many are left
static uint32_t gather(influence* list, uint32_t count) {
    bool ascending = true;
    for (uint32_t k = 1; k < count && ascending; ++k) {
        ascending = list[k - 1].node < list[k].node;
    }
    if (ascending) {  // as most come
        return count;
    }
    qsort(list, count, sizeof *list, compare_influences);
    uint32_t kept = 0;
    for (uint32_t k = 1; k < count; ++k) {
        if (list[k].node == list[kept].node) {
            list[kept].weight += list[k].weight;
        } else {
            list[++kept] = list[k];
        }
    }
    return kept + 1;
}

static abut_status read_vertex(const abut_weights* given, uint32_t vertex, influence* out,
                               uint32_t* count, abut_error* error) {
    const influences own = given_of(given, vertex);
    uint32_t read = 0;
    for (size_t i = own.first; i < own.first + own.count; ++i) {
        const influence one = {given->nodes[i], given_value(given, i)};
        if (!(one.weight >= 0) || !isfinite(one.weight)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex,
                              "vertex %u: weight %g of node %u is %s", vertex, one.weight, one.node,
                              one.weight < 0 ? "negative" : "not finite");
        }
        if (one.weight == 0) {  // whatever its node: padding of fixed numbers of influences
            continue;
        }
        if (one.node >= given->node_count) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex,
                              "vertex %u follows node %u, but there are %zu", vertex, one.node,
                              given->node_count);
        }
        out[read++] = one;
    }
    *count = gather(out, read);
    return ABUT_OK;
}

static double sum_of(const influence* list, uint32_t count) {
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += list[k].weight;
    }
    return sum;
}

static abut_status check_sum(const abut_weights* given, uint32_t vertex, double sum,
                             abut_error* error) {
    if (sum == 0) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex,
                          "vertex %u follows no node: it has no weight above 0", vertex);
    }
    if (given->normalise && !isfinite(sum)) {
        return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex,
                          "vertex %u: its weights sum to more than a double can hold", vertex);
    }
    if (!given->normalise && !(fabs(sum - 1) <= DEFECT_MOST)) {
        return abut__fail(
            error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex,
            "vertex %u: its weights sum to %.9g, not to 1 (`normalise` divides them by "
            "their sum)",
            vertex, sum);
    }
    return ABUT_OK;
}

// stores a vertex's sorted influences; a weight that rounds to 0 stays, and does no harm
static void store_vertex(abut__weights* made, uint32_t vertex, const influence* list,
                         uint32_t count, double divisor) {
    const size_t first = made->first[vertex];
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const double value = list[k].weight / divisor;
        made->nodes[first + k] = list[k].node;
        if (made->scalar == ABUT_FLOAT64) {
            ((double*)made->values)[first + k] = value;
        } else {
            ((float*)made->values)[first + k] = (float)value;
        }
        sum += abut__weight(made, first + k);
    }
    made->first[vertex + 1] = first + count;
    made->most = count > made->most ? count : made->most;
    made->defect = fabs(sum - 1) > made->defect ? fabs(sum - 1) : made->defect;
}

static abut_status fill(abut__weights* made, const abut_weights* given, influence* scratch,
                        abut_error* error) {
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        uint32_t count = 0;
        abut_status status = read_vertex(given, v, scratch, &count, error);
        const double sum = sum_of(scratch, count);
        if (status == ABUT_OK) {
            status = check_sum(given, v, sum, error);
        }
        if (status != ABUT_OK) {
            return status;
        }
        store_vertex(made, v, scratch, count, given->normalise ? sum : 1);
    }
    made->defect += 0x1p-50 * made->most;  // the sums were rounded
    return ABUT_OK;
}

static size_t most_given(const abut_weights* given, uint32_t vertex_count) {
    size_t most = 0;
    for (uint32_t v = 0; v < vertex_count; ++v) {
        const size_t count = given_of(given, v).count;
        most = count > most ? count : most;
    }
    return most;
}

abut_status abut__weights_make(abut_context* context, uint32_t vertex_count,
                               const abut_weights* given, abut__weights** out, abut_error* error) {
    abut_status status = check_given(given, vertex_count, error);
    if (status != ABUT_OK) {
        return status;
    }
    const influences last = given_of(given, vertex_count - 1);
    const size_t longest = most_given(given, vertex_count);
    abut__weights* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    atomic_init(&made->holders, 1);
    made->node_count = (uint32_t)given->node_count;
    made->vertex_count = vertex_count;
    made->scalar = given->type;
    made->room = last.first + last.count + 1;
    made->first = abut__alloc_zero(context, (size_t)vertex_count + 1, sizeof *made->first);
    made->nodes = abut__alloc(context, made->room, sizeof *made->nodes);
    made->values = abut__alloc(context, made->room, abut__scalar_size(made->scalar));
    influence* scratch = abut__alloc(context, longest + 1, sizeof *scratch);
    const bool room = made->first != NULL && made->nodes != NULL && made->values != NULL &&
                      scratch != NULL;
    status = room ? fill(made, given, scratch, error) : abut__fail_memory(error);
    abut__free(context, scratch, longest + 1, sizeof *scratch);
    if (status != ABUT_OK) {
        abut__weights_release(made);
        return status;
    }
    *out = made;
    return ABUT_OK;
}

void abut__weights_hold(abut__weights* weights) {
    atomic_fetch_add_explicit(&weights->holders, 1, memory_order_relaxed);
}

void abut__weights_release(abut__weights* weights) {
    if (weights == NULL ||
        atomic_fetch_sub_explicit(&weights->holders, 1, memory_order_acq_rel) != 1) {
        return;
    }
    const abut_context* context = weights->context;
    abut__free(context, weights->first, (size_t)weights->vertex_count + 1, sizeof *weights->first);
    abut__free(context, weights->nodes, weights->room, sizeof *weights->nodes);
    abut__free(context, weights->values, weights->room, abut__scalar_size(weights->scalar));
    abut__free(context, weights, 1, sizeof *weights);
}

bool abut__weights_equal(const abut__weights* weights, uint32_t a, uint32_t b) {
    const size_t count = weights->first[a + 1] - weights->first[a];
    bool equal = count == weights->first[b + 1] - weights->first[b];
    for (size_t k = 0; k < count && equal; ++k) {
        const size_t i = weights->first[a] + k;
        const size_t j = weights->first[b] + k;
        equal = weights->nodes[i] == weights->nodes[j] &&
                abut__weight(weights, i) == abut__weight(weights, j);
    }
    return equal;
}

uint64_t abut__weights_hash(const abut__weights* weights, uint32_t vertex, uint64_t hash) {
    for (size_t i = weights->first[vertex]; i < weights->first[vertex + 1]; ++i) {
        hash = abut__hash_double(abut__hash_bits(hash, weights->nodes[i]),
                                 abut__weight(weights, i));
    }
    return hash;
}
