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
    abut__arena arena;
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
    const size_t stride = 3 * abut__scalar_size(mesh->scalar);
    for (size_t c = 0; c < 3; ++c) {
        abut__read_position(mesh->positions, stride, mesh->scalar == ABUT_SCALAR_F64,
                            mesh->triangles[3 * (size_t)triangle + c], out[c]);
    }
}

// Visits the triangles once: counts degenerate ones, marks used vertices, finds components and the
// box.
static void visit_triangles(inspection* in) {
    const abut_mesh* mesh = in->mesh;
    abut_mesh_info* health = in->health;
    bool first = true;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (!abut__mesh_alive(mesh, t)) {
            continue;
        }
        double p[3][3];
        rest_triangle(mesh, t, p);
        if (first) {
            memcpy(health->box.lo, p[0], sizeof p[0]);
            memcpy(health->box.hi, p[0], sizeof p[0]);
            first = false;
        }
        uint32_t classes[3];
        classes_of(mesh, t, classes);
        for (size_t c = 0; c < 3; ++c) {
            grow_box(&health->box, p[c]);
            in->used[mesh->triangles[3 * (size_t)t + c]] |= 1;
            in->used[classes[c]] |= 2;
            abut__unite(in->parent, classes[0], classes[c]);
        }
        health->degenerate_triangles += abut__triangle_axis((const double(*)[3])p) < 0;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        health->unreferenced_vertices += (in->used[v] & 1) == 0;
        health->classes += (in->used[v] & 2) != 0;
        health->components += (in->used[v] & 2) != 0 && in->parent[v] == v;
    }
}

// ---- groups
//
// Edges and triangles are grouped by their lowest class, and each group is sorted by the rest. That
// takes 8 bytes an edge, and memory for one group beside.

// What a triangle puts into groups: at most three keys, each with its lowest class.
typedef struct listed {
    uint32_t count;
    uint32_t lowest[3];
    uint64_t key[3];
} listed;
typedef listed lister(const uint32_t classes[3]);

// Takes the sorted keys of a group.
typedef void group_visitor(abut_mesh_info* health, const uint64_t* keys, size_t count);

// Runs `list` over all living triangles. With `keys`, puts each key at its place and moves that on;
// without, only counts the keys of each group.
static void list_all(const inspection* in, lister* list, size_t* place, uint64_t* keys) {
    const abut_mesh* mesh = in->mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (!abut__mesh_alive(mesh, t)) {
            continue;
        }
        uint32_t classes[3];
        classes_of(mesh, t, classes);
        const listed found = list(classes);
        for (uint32_t i = 0; i < found.count; ++i) {
            const size_t at = place[found.lowest[i]]++;
            if (keys != NULL) {
                keys[at] = found.key[i];
            }
        }
    }
}

// Turns counts into the places of groups, and returns the size of the largest.
static size_t place_groups(size_t* counts, uint32_t groups, size_t* total) {
    size_t most = 0;
    size_t sum = 0;
    for (uint32_t g = 0; g < groups; ++g) {
        const size_t count = counts[g];
        counts[g] = sum;
        sum += count;
        most = count > most ? count : most;
    }
    *total = sum;
    return most;
}

// Sorts the groups and visits each. False: no memory.
static bool fill_groups(inspection* in, lister* list, group_visitor* visit, abut__arena* arena) {
    const uint32_t groups = in->mesh->vertex_count;
    size_t* place = abut__arena_push(arena, groups, sizeof *place);
    if (place == NULL) {
        return false;
    }
    memset(place, 0, groups * sizeof *place);
    list_all(in, list, place, NULL);
    size_t total;
    const size_t most = place_groups(place, groups, &total);
    uint64_t* keys = abut__arena_push(arena, total + 1, sizeof *keys);
    uint64_t* scratch = abut__arena_push(arena, most + 1, sizeof *scratch);
    if (keys == NULL || scratch == NULL) {
        return false;
    }
    list_all(in, list, place, keys);
    size_t first = 0;
    for (uint32_t g = 0; g < groups; ++g) {  // a place is now the end of its group
        abut__sort_keys(keys + first, scratch, place[g] - first);
        visit(in->health, keys + first, place[g] - first);
        first = place[g];
    }
    return true;
}

static bool visit_groups(inspection* in, lister* list, group_visitor* visit) {
    abut__arena arena = abut__arena_make(in->mesh->context);
    const bool done = fill_groups(in, list, visit, &arena);
    abut__arena_release(&arena);
    return done;
}

// The keys of edges are their higher class, and in the lowest bit their direction.
static listed list_edges(const uint32_t k[3]) {
    listed out = {0};
    const bool collapsed = k[0] == k[1] || k[1] == k[2] || k[2] == k[0];
    for (size_t c = 0; c < 3; ++c) {
        const uint32_t from = k[c];
        const uint32_t to = k[(c + 1) % 3];
        if (from != to) {
            out.lowest[out.count] = from < to ? from : to;
            out.key[out.count++] = from < to ? (uint64_t)to << 1 : (uint64_t)from << 1 | 1;
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

static void swap_if_greater(uint32_t* a, uint32_t* b) {
    if (*a > *b) {
        const uint32_t greater = *a;
        *a = *b;
        *b = greater;
    }
}

// The key of a triangle is its two higher classes.
static listed list_triangle(const uint32_t classes[3]) {
    uint32_t k[3] = {classes[0], classes[1], classes[2]};
    swap_if_greater(&k[0], &k[1]);
    swap_if_greater(&k[1], &k[2]);
    swap_if_greater(&k[0], &k[1]);
    return (listed){1, {k[0]}, {(uint64_t)k[1] << 32 | k[2]}};
}

static void visit_duplicates(abut_mesh_info* health, const uint64_t* keys, size_t count) {
    for (size_t i = 1; i < count; ++i) {
        health->duplicate_triangles += keys[i] == keys[i - 1];
    }
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
    inspection in = {mesh, &found, abut__arena_make(mesh->context), NULL, NULL};
    in.parent = abut__arena_push(&in.arena, mesh->vertex_count, sizeof *in.parent);
    in.used = abut__arena_push(&in.arena, mesh->vertex_count, sizeof *in.used);
    bool done = in.parent != NULL && in.used != NULL;
    if (done) {
        memset(in.used, 0, mesh->vertex_count);
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            in.parent[v] = v;
        }
        visit_triangles(&in);
        done = mesh->alive_count == 0 || (visit_groups(&in, list_edges, visit_edges) &&
                                          visit_groups(&in, list_triangle, visit_duplicates));
    }
    abut__arena_release(&in.arena);
    if (!done) {
        return abut__fail_memory(error);
    }
    *health = found;
    return ABUT_OK;
}
