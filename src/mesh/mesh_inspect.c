// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The health of a mesh: degenerate and duplicate triangles, open and non-manifold edges. Edges and
// triangles are compared by their classes.
#include "base/sort.h"
#include "exact/orient.h"
#include "mesh/topology.h"

typedef struct inspection {
    const abut_mesh* mesh;
    abut_mesh_info* health;
    uint32_t* parent;  // union-find over classes
    uint8_t* used;     // per vertex: 1 if a triangle uses it; per class: bit 2
} inspection;

static void classes_of(const abut_mesh* mesh, uint32_t triangle, uint32_t out[3]) {
    for (size_t c = 0; c < 3; ++c) {
        out[c] = mesh->classes[mesh->triangles[3 * (size_t)triangle + c]];
    }
}

static void grow_box(abut_box* box, const double p[3]) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = p[d] < box->lo[d] ? p[d] : box->lo[d];
        box->hi[d] = p[d] > box->hi[d] ? p[d] : box->hi[d];
    }
}

static void rest_triangle(const abut_mesh* mesh, uint32_t triangle, double out[3][3]) {
    for (size_t c = 0; c < 3; ++c) {
        abut__mesh_rest(mesh, mesh->triangles[3 * (size_t)triangle + c], out[c]);
    }
}

// Visits the triangles once: counts degenerate ones, marks used vertices and unites classes.
static void visit_triangles(inspection* in) {
    const abut_mesh* mesh = in->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (!abut__mesh_alive(mesh, t)) {
            continue;
        }
        double p[3][3];
        rest_triangle(mesh, t, p);
        uint32_t classes[3];
        classes_of(mesh, t, classes);
        for (size_t c = 0; c < 3; ++c) {
            in->used[mesh->triangles[3 * (size_t)t + c]] |= 1;
            in->used[classes[c]] |= 2;
        }
        abut__unite(in->parent, classes[0], classes[1]);
        abut__unite(in->parent, classes[0], classes[2]);
        in->health->degenerate_triangles += abut__triangle_axis((const double(*)[3])p) < 0;
    }
}

// Counts vertices, classes and components, and finds the box of the used vertices.
static void visit_vertices(inspection* in) {
    const abut_mesh* mesh = in->mesh;
    abut_mesh_info* health = in->health;
    bool first = true;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        health->classes += (in->used[v] & 2) != 0;
        health->components += (in->used[v] & 2) != 0 && in->parent[v] == v;
        if ((in->used[v] & 1) == 0) {
            ++health->unreferenced_vertices;
            continue;
        }
        double p[3];
        abut__mesh_rest(mesh, v, p);
        if (first) {
            memcpy(health->box.lo, p, sizeof p);
            memcpy(health->box.hi, p, sizeof p);
            first = false;
        }
        grow_box(&health->box, p);
    }
}

static bool visit_all(inspection* in) {
    const uint32_t count = in->mesh->vertex_count;
    abut__arena arena = abut__arena_make(in->mesh->context);
    in->parent = abut__arena_push(&arena, count, sizeof *in->parent);
    in->used = abut__arena_push(&arena, count, sizeof *in->used);
    const bool done = in->parent != NULL && in->used != NULL;
    if (done) {
        memset(in->used, 0, count);
        for (uint32_t v = 0; v < count; ++v) {
            in->parent[v] = v;
        }
        visit_triangles(in);
        visit_vertices(in);
    }
    abut__arena_release(&arena);
    return done;
}

// ---- groups
//
// Edges and triangles are grouped by their lowest class, and each group is sorted by the rest. That
// takes 4 bytes an edge or a triangle and 8 a vertex, and memory for the largest group beside.

typedef struct groups {
    size_t* place;    // per class: where its next item goes; in the end, the end of its group
    uint32_t* items;  // the keys of edges, or the ids of triangles
    uint64_t* keys;   // of one group, and as many beside to sort them
} groups;

// False: no memory.
static bool groups_begin(groups* g, const abut_mesh* mesh, abut__arena* arena) {
    g->place = abut__arena_push(arena, mesh->vertex_count, sizeof *g->place);
    if (g->place != NULL) {
        memset(g->place, 0, mesh->vertex_count * sizeof *g->place);
    }
    return g->place != NULL;
}

// Turns the sizes of the groups into their places. False: no memory.
static bool groups_place(groups* g, const abut_mesh* mesh, abut__arena* arena) {
    size_t most = 0;
    size_t total = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const size_t size = g->place[v];
        g->place[v] = total;
        total += size;
        most = size > most ? size : most;
    }
    g->items = abut__arena_push(arena, total + 1, sizeof *g->items);
    g->keys = abut__arena_push(arena, 2 * most + 1, sizeof *g->keys);
    return g->items != NULL && g->keys != NULL;
}

// A key is the higher class of an edge, and in the lowest bit its direction. Classes are below 2^31.
typedef struct edges {
    uint32_t count;
    uint32_t lowest[3];
    uint32_t key[3];
} edges;

static inline edges edges_of(const abut_mesh* mesh, uint32_t triangle) {
    edges out = {0};
    uint32_t k[3];
    classes_of(mesh, triangle, k);
    const bool collapsed = k[0] == k[1] || k[1] == k[2] || k[2] == k[0];
    for (size_t c = 0; c < 3; ++c) {
        const uint32_t from = k[c];
        const uint32_t to = k[(c + 1) % 3];
        if (from != to) {
            out.lowest[out.count] = from < to ? from : to;
            out.key[out.count++] = from < to ? to << 1 : from << 1 | 1;
            if (collapsed) {  // a triangle with two distinct corners uses its edge once
                break;
            }
        }
    }
    return out;
}

static void count_edge(abut_mesh_info* health, const size_t uses[2]) {
    const size_t both = uses[0] + uses[1];
    health->boundary_edges += both == 1;
    health->nonmanifold_edges += both > 2;
    health->inconsistent_edges += both == 2 && uses[0] != 1;
}

static void visit_edges(abut_mesh_info* health, const uint64_t* keys, size_t count) {
    size_t uses[2] = {0, 0};
    for (size_t i = 0; i < count; ++i) {
        ++uses[keys[i] & 1];
        if (i + 1 == count || keys[i + 1] >> 1 != keys[i] >> 1) {
            count_edge(health, uses);
            uses[0] = uses[1] = 0;
        }
    }
}

static bool count_edges(const inspection* in, abut__arena* arena) {
    const abut_mesh* mesh = in->mesh;
    groups g;
    if (!groups_begin(&g, mesh, arena)) {
        return false;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            const edges found = edges_of(mesh, t);
            for (uint32_t i = 0; i < found.count; ++i) {
                ++g.place[found.lowest[i]];
            }
        }
    }
    if (!groups_place(&g, mesh, arena)) {
        return false;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            const edges found = edges_of(mesh, t);
            for (uint32_t i = 0; i < found.count; ++i) {
                g.items[g.place[found.lowest[i]]++] = found.key[i];
            }
        }
    }
    size_t first = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const size_t count = g.place[v] - first;
        for (size_t i = 0; i < count; ++i) {
            g.keys[i] = g.items[first + i];
        }
        abut__sort_keys(g.keys, g.keys + count, count);
        visit_edges(in->health, g.keys, count);
        first = g.place[v];
    }
    return true;
}

static void swap_if_greater(uint32_t* a, uint32_t* b) {
    if (*a > *b) {
        const uint32_t greater = *a;
        *a = *b;
        *b = greater;
    }
}

// Returns the two higher classes of a triangle in one number.
static uint64_t key_of_triangle(const abut_mesh* mesh, uint32_t triangle, uint32_t* lowest) {
    uint32_t k[3];
    classes_of(mesh, triangle, k);
    swap_if_greater(&k[0], &k[1]);
    swap_if_greater(&k[1], &k[2]);
    swap_if_greater(&k[0], &k[1]);
    *lowest = k[0];
    return (uint64_t)k[1] << 32 | k[2];
}

static bool count_duplicates(const inspection* in, abut__arena* arena) {
    const abut_mesh* mesh = in->mesh;
    uint32_t lowest;
    groups g;
    if (!groups_begin(&g, mesh, arena)) {
        return false;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            (void)key_of_triangle(mesh, t, &lowest);
            ++g.place[lowest];
        }
    }
    if (!groups_place(&g, mesh, arena)) {
        return false;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            (void)key_of_triangle(mesh, t, &lowest);
            g.items[g.place[lowest]++] = t;
        }
    }
    size_t first = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const size_t count = g.place[v] - first;
        for (size_t i = 0; i < count; ++i) {
            g.keys[i] = key_of_triangle(mesh, g.items[first + i], &lowest);
        }
        abut__sort_keys(g.keys, g.keys + count, count);
        for (size_t i = 1; i < count; ++i) {
            in->health->duplicate_triangles += g.keys[i] == g.keys[i - 1];
        }
        first = g.place[v];
    }
    return true;
}

// Counts with memory of its own. False: no memory.
static bool count_by(const inspection* in, bool count(const inspection* in, abut__arena* arena)) {
    abut__arena arena = abut__arena_make(in->mesh->context);
    const bool done = count(in, &arena);
    abut__arena_release(&arena);
    return done;
}

abut_status abut_mesh_inspect(const abut_mesh* mesh, abut_mesh_info* health, abut_error* error) {
    if (mesh == NULL || health == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "mesh and the place for its info must not be NULL");
    }
    abut_mesh_info found;
    memset(&found, 0, sizeof found);
    found.vertices = mesh->vertex_count;
    found.triangles = mesh->alive_count;
    inspection in = {mesh, &found, NULL, NULL};
    if (!visit_all(&in) || !count_by(&in, count_edges) || !count_by(&in, count_duplicates)) {
        return abut__fail_memory(error);
    }
    *health = found;
    return ABUT_OK;
}
