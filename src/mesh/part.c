// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parting classes of vertices: those that rest in one place, but move each in its own way, are not
// one vertex.
#include "mesh/mesh.h"

// A table of the first vertices of classes with more than one vertex, by class and likeness.
typedef struct head_table {
    const abut__likeness* like;
    const abut_mesh* mesh;
    uint32_t* heads;
    size_t size;  // a power of 2
} head_table;

// the first vertex seen that is of the same class and moves alike: perhaps the vertex itself
static uint32_t head_of(const head_table* t, uint32_t vertex) {
    const uint64_t hash = t->like->hash(t->like->of, vertex,
                                        abut__hash_bits(0, t->mesh->classes[vertex]));
    size_t place = (size_t)hash & (t->size - 1);
    while (t->heads[place] != UINT32_MAX) {
        const uint32_t head = t->heads[place];
        if (t->mesh->classes[head] == t->mesh->classes[vertex] &&
            t->like->equal(t->like->of, head, vertex)) {
            return head;
        }
        place = (place + 1) & (t->size - 1);
    }
    t->heads[place] = vertex;
    return vertex;
}

// fills in classes of vertices that are alike; false: those of the mesh are such
static bool part_classes(const head_table* t, uint32_t* classes) {
    const uint32_t count = t->mesh->vertex_count;
    bool parted = false;
    for (uint32_t v = 0; v < count; ++v) {  // marks classes of more than one vertex
        classes[v] = v;
        classes[t->mesh->classes[v]] = t->mesh->classes[v] == v ? v : UINT32_MAX;
    }
    for (uint32_t v = 0; v < count; ++v) {
        const uint32_t old = t->mesh->classes[v];
        if (old != v || classes[v] == UINT32_MAX) {
            classes[v] = head_of(t, v);
            parted |= classes[v] != old;
        }
    }
    return parted;
}

abut_status abut__mesh_part_classes(const abut_mesh* mesh, const abut__likeness* like,
                                    const abut_mesh** parted, abut_error* error) {
    *parted = mesh;
    if (mesh->class_rule != ABUT_CLASSES_COMPUTED) {
        abut__mesh_hold(mesh);
        return ABUT_OK;
    }
    const size_t count = mesh->vertex_count;
    head_table table = {like, mesh, NULL, 16};
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
    if (part_classes(&table, classes)) {
        status = abut__mesh_with_classes(mesh, classes, parted, error);
    } else {
        abut__mesh_hold(mesh);
    }
    abut__arena_release(&arena);
    return status;
}
