// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes weights from the caller's arrays, checks them on reading, and makes edited copies.
#include "mesh/weights.h"

#include <math.h>
#include <stdlib.h>

#define DEFECT_MOST 1e-5  // of a sum that is not to be normalised

// The indices that errors give for the vertices of weights: listed ones, or those from `first` on.
typedef struct vertex_names {
    const uint32_t* listed;  // NULL: consecutive
    uint32_t first;
} vertex_names;

static uint32_t name_of(const vertex_names* names, uint32_t vertex) {
    return names->listed != NULL ? names->listed[vertex] : names->first + vertex;
}

// The caller's influences of a vertex.
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
    return given->type == ABUT_SCALAR_F64 ? ((const double*)given->values)[i]
                                          : (double)((const float*)given->values)[i];
}

static abut_status check_given(const abut_weights* given, const vertex_names* names,
                               uint32_t vertex_count, abut_error* error) {
    if (given->node_count == 0 || given->node_count > ABUT__NODES_MOST) {
        return abut__fail(error,
                          given->node_count == 0 ? ABUT_ERR_INVALID_ARGUMENT : ABUT_ERR_LIMIT,
                          ABUT_ELEMENT_NONE, 0, "%zu nodes are not in 1..%u", given->node_count,
                          ABUT__NODES_MOST);
    }
    if (given->nodes == NULL || given->values == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the pointer to the %s of the weights is NULL",
                          given->nodes == NULL ? "nodes" : "values");
    }
    if (given->type != ABUT_SCALAR_F32 && given->type != ABUT_SCALAR_F64) {
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
                error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, name_of(names, v),
                "the weights of vertex %u are said to be %u .. %u: `first` must begin "
                "with 0 and not descend",
                name_of(names, v), given->first[v], given->first[v + 1]);
        }
    }
    return ABUT_OK;
}

// One influence of a vertex, for sorting.
typedef struct influence {
    uint32_t node;
    double weight;
} influence;

// Orders equal nodes by weight, so that their sum does not depend on the given order either.
static int compare_influences(const void* a, const void* b) {
    const influence* x = a;
    const influence* y = b;
    if (x->node != y->node) {
        return x->node < y->node ? -1 : 1;
    }
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

// Sorts by node and adds the weights of equal nodes. Returns the number of influences left.
static uint32_t gather(influence* list, uint32_t count) {
    bool ascending = true;
    for (uint32_t k = 1; k < count && ascending; ++k) {
        ascending = list[k - 1].node < list[k].node;
    }
    if (ascending) {  // the usual case
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

static abut_status read_vertex(const abut_weights* given, influences own, uint32_t vertex,
                               influence* out, uint32_t* count, abut_error* error) {
    uint32_t read = 0;
    for (size_t i = own.first; i < own.first + own.count; ++i) {
        const influence one = {given->nodes[i], given_value(given, i)};
        if (!(one.weight >= 0) || !isfinite(one.weight)) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex,
                              "vertex %u: weight %g of node %u is %s", vertex, one.weight, one.node,
                              one.weight < 0 ? "negative" : "not finite");
        }
        if (one.weight == 0) {  // regardless of its node: it pads a fixed number of influences
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

static void store_value(abut__weights* made, size_t place, double value) {
    if (made->scalar == ABUT_SCALAR_F64) {
        ((double*)made->values)[place] = value;
    } else {
        ((float*)made->values)[place] = (float)value;
    }
}

// Stores the sorted influences of a vertex. A weight that rounds to 0 stays; it is harmless.
static void store_vertex(abut__weights* made, uint32_t vertex, const influence* list,
                         uint32_t count, double divisor) {
    const size_t first = made->first[vertex];
    for (uint32_t k = 0; k < count; ++k) {
        made->nodes[first + k] = list[k].node;
        store_value(made, first + k, list[k].weight / divisor);
    }
    made->first[vertex + 1] = first + count;
}

void abut__weights_measure(abut__weights* made) {
    made->most = 0;
    made->defect = 0;
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        const uint32_t count = (uint32_t)(made->first[v + 1] - made->first[v]);
        double sum = 0;
        for (size_t i = made->first[v]; i < made->first[v + 1]; ++i) {
            sum += abut__weight(made, i);
        }
        made->most = count > made->most ? count : made->most;
        made->defect = fabs(sum - 1) > made->defect ? fabs(sum - 1) : made->defect;
    }
    made->defect += 0x1p-50 * made->most;  // covers the rounding of the sums
}

static abut_status fill(abut__weights* made, const abut_weights* given, const vertex_names* names,
                        influence* scratch, abut_error* error) {
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        uint32_t count = 0;
        const uint32_t name = name_of(names, v);
        abut_status status = read_vertex(given, given_of(given, v), name, scratch, &count, error);
        const double sum = sum_of(scratch, count);
        if (status == ABUT_OK) {
            status = check_sum(given, name, sum, error);
        }
        if (status != ABUT_OK) {
            return status;
        }
        store_vertex(made, v, scratch, count, given->normalise ? sum : 1);
    }
    abut__weights_measure(made);
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

abut__weights* abut__weights_reserve(abut_context* context, size_t node_count,
                                     uint32_t vertex_count, abut_scalar scalar, size_t room) {
    abut__weights* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    atomic_init(&made->holders, 1);
    made->node_count = (uint32_t)node_count;
    made->vertex_count = vertex_count;
    made->scalar = scalar;
    made->room = room;
    made->first = abut__alloc_zero(context, (size_t)vertex_count + 1, sizeof *made->first);
    made->nodes = abut__alloc(context, room, sizeof *made->nodes);
    made->values = abut__alloc(context, room, abut__scalar_size(scalar));
    if (made->first == NULL || made->nodes == NULL || made->values == NULL) {
        abut__weights_release(made);
        return NULL;
    }
    return made;
}

static abut_status make(abut_context* context, const vertex_names* names, uint32_t vertex_count,
                        const abut_weights* given, abut__weights** out, abut_error* error) {
    abut_status status = check_given(given, names, vertex_count, error);
    if (status != ABUT_OK) {
        return status;
    }
    const influences last = given_of(given, vertex_count - 1);
    const size_t longest = most_given(given, vertex_count);
    abut__weights* made = abut__weights_reserve(context, given->node_count, vertex_count,
                                                given->type, last.first + last.count + 1);
    influence* scratch = abut__alloc(context, longest + 1, sizeof *scratch);
    status = made != NULL && scratch != NULL ? fill(made, given, names, scratch, error)
                                             : abut__fail_memory(error);
    abut__free(context, scratch, longest + 1, sizeof *scratch);
    if (status != ABUT_OK) {
        abut__weights_release(made);
        return status;
    }
    *out = made;
    return ABUT_OK;
}

abut_status abut__weights_make(abut_context* context, uint32_t vertex_count,
                               const abut_weights* given, abut__weights** out, abut_error* error) {
    return make(context, &(vertex_names){NULL, 0}, vertex_count, given, out, error);
}

// ---- edited copies

// The sources of the weights of an edited copy.
typedef struct editor {
    const abut__weights* old;
    uint32_t node_count;
    abut__weights* added;    // of new vertices; NULL: there are none
    abut__weights* changed;  // of listed vertices; NULL: there are none
    uint32_t* place;         // per old vertex, if any change: its index in the list, or UINT32_MAX
} editor;

static abut_status check_node_count(const abut__weights* old, size_t wanted, abut_error* error) {
    if (wanted != 0 && wanted < old->node_count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu nodes are fewer than the %u that the shape has: it cannot lose "
                          "nodes",
                          wanted, old->node_count);
    }
    if (wanted > ABUT__NODES_MOST) {
        return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0, "%zu nodes are more than %u",
                          wanted, ABUT__NODES_MOST);
    }
    return ABUT_OK;
}

// Makes weights of some vertices in the same way as for a new shape.
static abut_status take_given(const editor* e, const vertex_names* names, size_t count,
                              const abut_weights* given, const char* what, abut__weights** out,
                              abut_error* error) {
    abut_weights full = *given;
    if (given->nodes == NULL || given->values == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there are %zu %s vertices, but nothing says how they move: the pointer "
                          "to the nodes or values of their weights is NULL",
                          count, what);
    }
    if (given->node_count != 0 && given->node_count != e->node_count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "weights of %s vertices say that there are %zu nodes, but the edited "
                          "shape has %u",
                          what, given->node_count, e->node_count);
    }
    full.node_count = e->node_count;
    return make(e->old->context, names, (uint32_t)count, &full, out, error);
}

static abut_status list_changed(editor* e, const uint32_t* vertices, size_t count,
                                abut_error* error) {
    if (vertices == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "%zu vertices are to change, but their pointer is NULL", count);
    }
    e->place = abut__alloc(e->old->context, e->old->vertex_count, sizeof *e->place);
    if (e->place == NULL) {
        return abut__fail_memory(error);
    }
    memset(e->place, 0xff, e->old->vertex_count * sizeof *e->place);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t vertex = vertices[i];
        if (vertex >= e->old->vertex_count || e->place[vertex] != UINT32_MAX) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX, vertex,
                              vertex >= e->old->vertex_count
                                  ? "vertex %u cannot change: the shape has %u vertices"
                                  : "vertex %u of %u is to change twice",
                              vertex, e->old->vertex_count);
        }
        e->place[vertex] = (uint32_t)i;
    }
    return ABUT_OK;
}

static abut_status open_editor(editor* e, const abut_blend_edit_def* edit, abut_error* error) {
    abut_status status = check_node_count(e->old, edit->node_count, error);
    if (status != ABUT_OK) {
        return status;
    }
    e->node_count = edit->node_count != 0 ? (uint32_t)edit->node_count : e->old->node_count;
    if (edit->edit.added_vertices.count > 0) {
        status = take_given(e, &(vertex_names){NULL, e->old->vertex_count},
                            edit->edit.added_vertices.count, &edit->added_weights, "added",
                            &e->added, error);
    }
    if (status == ABUT_OK && edit->changed_vertex_count > 0) {
        status = list_changed(e, edit->changed_vertices, edit->changed_vertex_count, error);
        if (status == ABUT_OK) {
            status = take_given(e, &(vertex_names){edit->changed_vertices, 0},
                                edit->changed_vertex_count, &edit->changed_weights, "changed",
                                &e->changed, error);
        }
    }
    return status;
}

static void close_editor(editor* e) {
    abut__weights_release(e->added);
    abut__weights_release(e->changed);
    abut__free(e->old->context, e->place, e->old->vertex_count, sizeof *e->place);
}

static void append(abut__weights* made, uint32_t vertex, const abut__weights* from, uint32_t at) {
    size_t to = made->first[vertex];
    for (size_t i = from->first[at]; i < from->first[at + 1]; ++i, ++to) {
        made->nodes[to] = from->nodes[i];
        store_value(made, to, abut__weight(from, i));
    }
    made->first[vertex + 1] = to;
}

static size_t influence_count(const abut__weights* weights) {
    return weights != NULL ? weights->first[weights->vertex_count] : 0;
}

static bool is_double(const abut__weights* weights) {
    return weights != NULL && weights->scalar == ABUT_SCALAR_F64;
}

static abut__weights* edited_copy(const editor* e) {
    const uint32_t before = e->old->vertex_count;
    const uint32_t count = before + (e->added != NULL ? e->added->vertex_count : 0);
    const bool wide = is_double(e->old) || is_double(e->added) || is_double(e->changed);
    abut__weights* made = abut__weights_reserve(
        e->old->context, e->node_count, count,
        wide ? ABUT_SCALAR_F64 : ABUT_SCALAR_F32,  // widening is exact
        influence_count(e->old) + influence_count(e->added) + influence_count(e->changed) + 1);
    if (made == NULL) {
        return NULL;
    }
    for (uint32_t v = 0; v < count; ++v) {
        if (v >= before) {
            append(made, v, e->added, v - before);
        } else if (e->place != NULL && e->place[v] != UINT32_MAX) {
            append(made, v, e->changed, e->place[v]);
        } else {
            append(made, v, e->old, v);
        }
    }
    abut__weights_measure(made);
    return made;
}

abut_status abut__weights_edit(abut__weights* weights, const abut_blend_edit_def* edit,
                               abut__weights** out, abut_error* error) {
    editor e = {.old = weights};
    abut_status status = open_editor(&e, edit, error);
    if (status == ABUT_OK && e.added == NULL && e.changed == NULL &&
        e.node_count == weights->node_count) {
        abut__weights_hold(weights);
        *out = weights;
    } else if (status == ABUT_OK) {
        abut__weights* made = edited_copy(&e);
        status = made != NULL ? ABUT_OK : abut__fail_memory(error);
        *out = made != NULL ? made : *out;
    }
    close_editor(&e);
    return status;
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
