// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Connectivity of the triangles of a mesh: see topology.h.
#include "mesh/topology.h"

#include "base/sort.h"

static uint32_t class_of(const abut_mesh* mesh, uint32_t triangle, uint32_t corner) {
    return mesh->classes[mesh->triangles[3 * (size_t)triangle + corner]];
}

// Lists the triangles of each class: counts them, then places them.
static void list_triangles(const abut_mesh* mesh, abut__topology* topology) {
    uint32_t* first = topology->first;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            ++first[class_of(mesh, t, c) + 1];
        }
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        first[v + 1] += first[v];
    }
    // filled backwards, so that each range ends at its start
    for (uint32_t t = mesh->triangle_count; t-- > 0;) {
        for (uint32_t c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            topology->around[--first[class_of(mesh, t, c) + 1]] = t;
        }
    }
    // entry v + 1 now has the start of v
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        first[v] = first[v + 1];
    }
    first[mesh->vertex_count] = topology->corner_count;
}

static bool find_closed(const abut_mesh* mesh, abut__topology* topology) {
    abut__arena arena = abut__arena_make(mesh->context);
    const size_t most = 3 * (size_t)mesh->alive_count;
    abut__keyed* edges = abut__arena_push(&arena, most, sizeof *edges);
    abut__keyed* scratch = abut__arena_push(&arena, most, sizeof *scratch);
    const bool room = most == 0 || (edges != NULL && scratch != NULL);
    size_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count && room; ++t) {
        for (uint32_t c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            const uint64_t from = class_of(mesh, t, c);
            const uint64_t to = class_of(mesh, t, (c + 1) % 3);
            edges[count++] = from < to ? (abut__keyed){from << 32 | to, 1}
                                       : (abut__keyed){to << 32 | from, from > to ? UINT64_MAX : 0};
        }
    }
    if (room) {
        abut__sort_keyed(edges, scratch, count);
    }
    uint64_t balance = 0;
    topology->closed = room && count > 0;
    for (size_t i = 0; i < count; ++i) {
        balance += edges[i].value;
        const bool last = i + 1 == count || edges[i + 1].key != edges[i].key;
        topology->closed = topology->closed && !(last && balance != 0);
        balance = last ? 0 : balance;
    }
    abut__arena_release(&arena);
    return room;
}

// Finds the connected pieces by union-find. The root of a piece is its lowest class.
static void find_pieces(const abut_mesh* mesh, abut__topology* topology) {
    uint32_t* parent = topology->piece_of;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        parent[v] = v;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        for (uint32_t c = 0; c < 3 && abut__mesh_alive(mesh, t); ++c) {
            abut__unite(parent, class_of(mesh, t, 0), class_of(mesh, t, c));
        }
    }
    // roots are the lowest of their pieces, so parents already hold piece numbers here
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const bool used = topology->first[v] < topology->first[v + 1];
        if (parent[v] != v) {
            parent[v] = parent[parent[v]];
        } else if (used) {
            topology->piece_vertex[topology->piece_count] = v;
            parent[v] = topology->piece_count++;
        }
    }
}

void abut__topology_free(abut__topology* topology) {
    if (topology != NULL) {
        const abut_context* context = topology->context;
        abut__free(context, topology->first, topology->vertex_count + (size_t)1, sizeof(uint32_t));
        abut__free(context, topology->around, topology->corner_count, sizeof(uint32_t));
        abut__free(context, topology->piece_vertex, topology->vertex_count, sizeof(uint32_t));
        abut__free(context, topology->piece_of, topology->vertex_count, sizeof(uint32_t));
        abut__free(context, topology, 1, sizeof *topology);
    }
}

abut__topology* abut__topology_make(const abut_mesh* mesh) {
    const abut_context* context = mesh->context;
    abut__topology* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    made->vertex_count = mesh->vertex_count;
    made->corner_count = 3 * mesh->alive_count;
    made->first = abut__alloc_zero(context, made->vertex_count + (size_t)1, sizeof(uint32_t));
    made->around = abut__alloc(context, made->corner_count, sizeof(uint32_t));
    made->piece_vertex = abut__alloc(context, made->vertex_count, sizeof(uint32_t));
    made->piece_of = abut__alloc(context, made->vertex_count, sizeof(uint32_t));
    bool whole = made->first != NULL && (made->around != NULL || made->corner_count == 0) &&
                 made->piece_vertex != NULL && made->piece_of != NULL;
    if (whole) {
        list_triangles(mesh, made);
        find_pieces(mesh, made);
        whole = find_closed(mesh, made);
    }
    if (!whole) {
        abut__topology_free(made);
        return NULL;
    }
    return made;
}
