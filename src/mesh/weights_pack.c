// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs weights into bytes, and unpacks them from bytes that may be damaged.
#include "mesh/mesh_pack.h"

#include <math.h>

#define DEFECT_MOST 2e-5  // of a sum, after rounding

void abut__weights_write(const abut__weights* weights, abut__packer* writer) {
    const uint32_t vertices = weights->vertex_count;
    const size_t influences = weights->first[vertices];
    abut__write_u32(writer, weights->node_count);
    abut__write_u32(writer, (uint32_t)weights->scalar);
    abut__write_u64(writer, influences);
    for (uint32_t v = 0; v < vertices; ++v) {
        abut__write_u32(writer, (uint32_t)(weights->first[v + 1] - weights->first[v]));
    }
    abut__write_numbers(writer, weights->nodes, influences, sizeof *weights->nodes);
    abut__write_numbers(writer, weights->values, influences, abut__scalar_size(weights->scalar));
}

// Every vertex follows some nodes, ascending, with weights that sum to 1.
static bool check_vertex(const abut__weights* made, uint32_t vertex) {
    double sum = 0;
    bool right = true;
    for (size_t i = made->first[vertex]; i < made->first[vertex + 1]; ++i) {
        right &= made->nodes[i] < made->node_count &&
                 (i == made->first[vertex] || made->nodes[i - 1] < made->nodes[i]);
        right &= abut__weight(made, i) >= 0;
        sum += abut__weight(made, i);
    }
    return right && fabs(sum - 1) <= DEFECT_MOST;
}

static void read_weights(abut__unpacker* reader, size_t influences, abut__weights* made) {
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        const uint32_t count = abut__read_up_to(reader, made->node_count,
                                                "a vertex follows too many nodes");
        made->first[v + 1] = made->first[v] + count;
    }
    if (!abut__read_check(reader, made->first[made->vertex_count] == influences,
                          "it has too many or too few weights") ||
        !abut__read_numbers(reader, made->nodes, influences, sizeof *made->nodes) ||
        !abut__read_numbers(reader, made->values, influences, abut__scalar_size(made->scalar))) {
        return;
    }
    for (uint32_t v = 0; v < made->vertex_count && abut__read_ok(reader); ++v) {
        (void)abut__read_check(reader, check_vertex(made, v), "the weights of a vertex are wrong");
    }
}

abut__weights* abut__weights_read(abut_context* context, uint32_t vertex_count,
                                  abut__unpacker* reader) {
    const uint32_t nodes = abut__read_up_to(reader, ABUT__NODES_MOST, "it has too many nodes");
    const abut_scalar scalar = abut__read_scalar(reader);
    const uint64_t influences = abut__read_u64(reader);
    if (!abut__read_check(reader, nodes > 0, "it has no nodes") ||
        !abut__read_check(reader,
                          reader->left / sizeof(uint32_t) >= vertex_count &&
                              reader->left / sizeof(uint32_t) >= influences,
                          "it ends too early")) {
        return NULL;
    }
    abut__weights* made = abut__weights_reserve(context, nodes, vertex_count, scalar,
                                                (size_t)influences + 1);
    if (made == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return NULL;
    }
    read_weights(reader, (size_t)influences, made);
    if (!abut__read_ok(reader)) {
        abut__weights_release(made);
        return NULL;
    }
    abut__weights_measure(made);
    return made;
}
