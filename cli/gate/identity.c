// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Computes by what triangles and components are known again: see identity.h.
#include "cli/gate/identity.h"

#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- keys

// the finaliser of splitmix64
static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static uint64_t add(uint64_t hash, uint64_t word) {
    return mix(hash + UINT64_C(0x9e3779b97f4a7c15) + mix(word));
}

static uint64_t add_real(uint64_t hash, double x) {
    uint64_t bits;
    x = x == 0 ? 0 : x;  // -0 is 0
    memcpy(&bits, &x, sizeof bits);
    return add(hash, bits);
}

static uint64_t add_text(uint64_t hash, const char* text) {
    for (; *text != '\0'; ++text) {
        hash = add(hash, (unsigned char)*text);
    }
    return hash;
}

static uint64_t never_zero(uint64_t hash) {
    return hash != 0 ? hash : 1;
}

uint64_t text_key(const char* text) {
    return never_zero(add_text(4, text));
}

uint64_t pair_key(finding_kind kind, uint64_t x, uint64_t y) {
    return never_zero(add(add(add((uint64_t)kind, x < y ? x : y), x < y ? y : x), 2));
}

uint64_t box_key(const abut_box* box, const char* node) {
    uint64_t hash = add_text(3, node);
    for (int d = 0; d < 3; ++d) {
        hash = add_real(add_real(hash, box->lo[d]), box->hi[d]);
    }
    return never_zero(hash);
}

// ---- triangles

static void rest_of(const abut_positions* rest, uint32_t vertex, double at[3]) {
    const size_t size = rest->type == ABUT_SCALAR_F64 ? sizeof(double) : sizeof(float);
    const size_t stride = rest->stride != 0 ? rest->stride : 3 * size;
    const char* data = (const char*)rest->data + vertex * stride;
    for (int d = 0; d < 3; ++d) {
        float f;
        if (rest->type == ABUT_SCALAR_F64) {
            memcpy(&at[d], data + (size_t)d * size, size);
        } else {
            memcpy(&f, data + (size_t)d * size, size);
            at[d] = (double)f;
        }
    }
}

static int compare_corners(const void* x, const void* y) {
    const double* p = x;
    const double* q = y;
    for (int d = 0; d < 3; ++d) {
        if (p[d] != q[d]) {
            return p[d] < q[d] ? -1 : 1;
        }
    }
    return 0;
}

static uint64_t triangle_key(const abut_positions* rest, const uint32_t corners[3], uint64_t seed) {
    double at[3][3];
    uint64_t hash = seed;
    for (int c = 0; c < 3; ++c) {
        rest_of(rest, corners[c], at[c]);
    }
    qsort(at, 3, sizeof at[0], compare_corners);
    for (int i = 0; i < 9; ++i) {
        hash = add_real(hash, at[i / 3][i % 3]);
    }
    return never_zero(hash);
}

static void take_keys(identity* id, const abut_mesh* mesh, const char* node) {
    const abut_positions rest = abut_mesh_rest_positions(mesh);
    const uint32_t* corners = abut_mesh_triangles(mesh);
    const uint32_t count = abut_mesh_triangle_count(mesh);
    const uint64_t seed = add_text(1, node);
    uint64_t sum = 0;
    id->keys = reallocate(id->keys, count, sizeof *id->keys);
    for (uint32_t t = 0; t < count; ++t) {
        const uint32_t* at = corners + 3 * (size_t)t;
        id->keys[t] = at[0] != UINT32_MAX ? triangle_key(&rest, at, seed) : 0;
        sum += id->keys[t];  // of any order
    }
    id->whole = never_zero(mix(sum));
}

// ---- components, connected over classes of vertices

static uint32_t root_of(uint32_t* parent, uint32_t v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static void join(uint32_t* parent, uint32_t a, uint32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

static uint32_t* connect(const abut_mesh* mesh) {
    const uint32_t vertices = abut_mesh_vertex_count(mesh);
    const uint32_t* classes = abut_mesh_classes(mesh);
    const uint32_t* corners = abut_mesh_triangles(mesh);
    uint32_t* parent = allocate(vertices, sizeof *parent);
    for (uint32_t v = 0; v < vertices; ++v) {
        parent[v] = v;
    }
    for (size_t t = 0; t < abut_mesh_triangle_count(mesh); ++t) {
        const uint32_t* at = corners + 3 * t;
        if (at[0] != UINT32_MAX) {
            join(parent, classes[at[0]], classes[at[1]]);
            join(parent, classes[at[1]], classes[at[2]]);
        }
    }
    return parent;
}

static const abut_box EMPTY = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void extend(abut_box* box, const double at[3]) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = fmin(box->lo[d], at[d]);
        box->hi[d] = fmax(box->hi[d], at[d]);
    }
}

static void take_boxes(identity* id, const abut_mesh* mesh) {
    const abut_positions rest = abut_mesh_rest_positions(mesh);
    const uint32_t* corners = abut_mesh_triangles(mesh);
    id->boxes = reallocate(id->boxes, id->part_count + 1, sizeof *id->boxes);
    for (uint32_t i = 0; i <= id->part_count; ++i) {
        id->boxes[i] = EMPTY;
    }
    for (size_t t = 0; t < abut_mesh_triangle_count(mesh); ++t) {
        for (size_t c = 0; c < 3 && id->part_of[t] != UINT32_MAX; ++c) {
            double at[3];
            rest_of(&rest, corners[3 * t + c], at);
            extend(&id->boxes[id->part_of[t]], at);
            extend(&id->boxes[id->part_count], at);
        }
    }
}

static void take_parts(identity* id, const abut_mesh* mesh) {
    const uint32_t count = abut_mesh_triangle_count(mesh);
    const uint32_t* classes = abut_mesh_classes(mesh);
    const uint32_t* corners = abut_mesh_triangles(mesh);
    uint32_t* parent = connect(mesh);
    uint32_t* number = allocate(abut_mesh_vertex_count(mesh), sizeof *number);  // plus one
    id->part_of = reallocate(id->part_of, count, sizeof *id->part_of);
    id->part_count = 0;
    for (uint32_t t = 0; t < count; ++t) {
        const uint32_t corner = corners[3 * (size_t)t];
        id->part_of[t] = UINT32_MAX;
        if (corner != UINT32_MAX) {
            uint32_t* n = &number[root_of(parent, classes[corner])];
            *n = *n == 0 ? ++id->part_count : *n;
            id->part_of[t] = *n - 1;
        }
    }
    free(parent);
    free(number);
    take_boxes(id, mesh);
}

void identity_take(identity* id, const abut_mesh* mesh, const char* node, bool parts) {
    take_keys(id, mesh, node);
    if (parts) {
        take_parts(id, mesh);
    }
    id->valid = true;
}

void identity_free(identity* id) {
    free(id->keys);
    free(id->part_of);
    free(id->boxes);
    *id = (identity){0};
}
