// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Splits classes of vertices that have the same rest position but move differently.
#include "mesh/mesh.h"

// A hash table, by class and motion, of the first vertices of classes with more than one vertex.
typedef struct head_table {
    const abut__likeness* like;
    const uint32_t* classes;  // by rest position
    uint32_t* heads;
    size_t size;  // a power of 2
} head_table;

// Returns the first vertex of the same class that moves alike, possibly the vertex itself.
static uint32_t head_of(const head_table* t, uint32_t vertex) {
    const uint64_t hash = t->like->hash(t->like->of, vertex,
                                        abut__hash_bits(0, t->classes[vertex]));
    size_t place = (size_t)hash & (t->size - 1);
    while (t->heads[place] != UINT32_MAX) {
        const uint32_t head = t->heads[place];
        if (t->classes[head] == t->classes[vertex] && t->like->equal(t->like->of, head, vertex)) {
            return head;
        }
        place = (place + 1) & (t->size - 1);
    }
    t->heads[place] = vertex;
    return vertex;
}

// Writes the classes of vertices that move alike.
static void split_classes(const head_table* t, uint32_t count, uint32_t* classes) {
    for (uint32_t v = 0; v < count; ++v) {  // marks classes of more than one vertex
        classes[v] = v;
        classes[t->classes[v]] = t->classes[v] == v ? v : UINT32_MAX;
    }
    for (uint32_t v = 0; v < count; ++v) {
        if (t->classes[v] != v || classes[v] == UINT32_MAX) {
            classes[v] = head_of(t, v);
        }
    }
}

abut_status abut__mesh_part_classes(const abut_mesh* mesh, const abut__likeness* like,
                                    const abut_mesh** parted, abut_error* error) {
    *parted = mesh;
    if (mesh->class_rule != ABUT_CLASS_RULE_COMPUTED) {
        abut__mesh_hold(mesh);
        return ABUT_OK;
    }
    const size_t count = mesh->vertex_count;
    head_table table = {like, abut__mesh_rest_classes(mesh), NULL, 16};
    while (table.size < 2 * count) {
        table.size *= 2;
    }
    abut__arena arena = abut__arena_make(mesh->context);
    uint32_t* classes = abut__arena_push(&arena, count, sizeof *classes);
    table.heads = abut__arena_push(&arena, table.size, sizeof *table.heads);
    abut_status status = ABUT_OK;
    if (classes == NULL || table.heads == NULL) {
        abut__arena_release(&arena);
        return abut__fail_memory(error);
    }
    memset(table.heads, 0xff, table.size * sizeof *table.heads);
    split_classes(&table, mesh->vertex_count, classes);
    if (memcmp(classes, mesh->classes, count * sizeof *classes) != 0) {
        status = abut__mesh_with_classes(mesh, classes, parted, error);
    } else {
        abut__mesh_hold(mesh);
    }
    abut__arena_release(&arena);
    return status;
}
