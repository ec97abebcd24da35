// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The health of a mesh: degenerate and duplicate triangles, open and non-manifold edges. Edges and
// triangles are compared by their classes, by sorting.
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

static void count_edge(abut_mesh_info* health, size_t forward, size_t backward) {
    const size_t uses = forward + backward;
    health->boundary_edges += uses == 1;
    health->nonmanifold_edges += uses > 2;
    health->inconsistent_edges += uses == 2 && forward != 1;
}

// Counts edges: sorts them by (low class, high class), with the direction as the value.
static bool visit_edges(inspection* in) {
    const abut_mesh* mesh = in->mesh;
    const size_t most = 3 * (size_t)mesh->alive_count;
    abut__keyed* edges = abut__arena_push(&in->arena, most, sizeof *edges);
    abut__keyed* scratch = abut__arena_push(&in->arena, most, sizeof *scratch);
    if (edges == NULL || scratch == NULL) {
        return false;
    }
    size_t count = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (!abut__mesh_alive(mesh, t)) {
            continue;
        }
        uint32_t k[3];
        classes_of(mesh, t, k);
        const bool collapsed = k[0] == k[1] || k[1] == k[2] || k[2] == k[0];
        bool more = true;
        for (size_t c = 0; c < 3 && more; ++c) {
            const uint64_t from = k[c];
            const uint64_t to = k[(c + 1) % 3];
            if (from != to) {
                edges[count++] = from < to ? (abut__keyed){from << 32 | to, 0}
                                           : (abut__keyed){to << 32 | from, 1};
                more = !collapsed;  // a triangle with two distinct corners uses its edge once
            }
        }
    }
    abut__sort_keyed(edges, scratch, count);
    size_t uses[2] = {0, 0};
    for (size_t i = 0; i < count; ++i) {
        ++uses[edges[i].value];
        if (i + 1 == count || edges[i + 1].key != edges[i].key) {
            count_edge(in->health, uses[0], uses[1]);
            uses[0] = uses[1] = 0;
        }
    }
    return true;
}

static void sort3(uint32_t k[3]) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int c = 0; c < 2; ++c) {
            if (k[c] > k[c + 1]) {
                const uint32_t swapped = k[c];
                k[c] = k[c + 1];
                k[c + 1] = swapped;
            }
        }
    }
}

// Counts duplicates: sorts triangles by their sorted classes, by the highest two, then stably by
// the lowest.
static bool visit_duplicates(inspection* in) {
    const abut_mesh* mesh = in->mesh;
    abut__keyed* items = abut__arena_push(&in->arena, mesh->alive_count, sizeof *items);
    abut__keyed* scratch = abut__arena_push(&in->arena, mesh->alive_count, sizeof *scratch);
    if (items == NULL || scratch == NULL) {
        return false;
    }
    size_t count = 0;
    uint32_t k[3];
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        if (abut__mesh_alive(mesh, t)) {
            classes_of(mesh, t, k);
            sort3(k);
            items[count++] = (abut__keyed){(uint64_t)k[1] << 32 | k[2], (uint64_t)k[0]};
        }
    }
    abut__sort_keyed(items, scratch, count);
    size_t run = 0;
    for (size_t i = 1; i <= count; ++i) {
        if (i < count && items[i].key == items[run].key) {
            continue;
        }
        for (size_t r = run; r < i; ++r) {
            items[r].key = items[r].value;
        }
        abut__sort_keyed(items + run, scratch, i - run);
        for (size_t r = run + 1; r < i; ++r) {
            in->health->duplicate_triangles += items[r].key == items[r - 1].key;
        }
        run = i;
    }
    return true;
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
        done = mesh->alive_count == 0 || (visit_edges(&in) && visit_duplicates(&in));
    }
    abut__arena_release(&in.arena);
    if (!done) {
        return abut__fail_memory(error);
    }
    *health = found;
    return ABUT_OK;
}
