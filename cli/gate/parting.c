// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Divides a surface along cut edges: see parting.h.
#include "cli/gate/parting.h"

#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void parting_open(parting* s, const world* w, uint32_t body) {
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(w->scene, w->bodies[body]));
    *s = (parting){.vertex_count = abut_mesh_vertex_count(mesh),
                   .corners = abut_mesh_triangles(mesh),
                   .triangle_count = abut_mesh_triangle_count(mesh),
                   .classes = abut_mesh_classes(mesh)};
    s->positions = allocate(s->vertex_count, 3 * sizeof *s->positions);
    (void)abut_body_world_vertices(w->scene, w->bodies[body], 0, (uint32_t)s->vertex_count,
                                   s->positions, NULL);
}

void parting_close(parting* s) {
    free(s->positions);
    free(s->cuts);
    free(s->part_of);
    free(s->boxes);
    free(s->reaches);
    free(s->members);
    free(s->member_ends);
    free(s->beside);
    *s = (parting){0};
}

uint64_t parting_edge(const parting* s, uint32_t x, uint32_t y) {
    const uint32_t a = s->classes[x];
    const uint32_t b = s->classes[y];
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

void parting_cut(parting* s, uint32_t x, uint32_t y, uint32_t pair) {
    if (s->cut_count == s->cut_room) {
        s->cut_room = 2 * s->cut_room + 64;
        s->cuts = reallocate(s->cuts, s->cut_room, sizeof *s->cuts);
    }
    s->cuts[s->cut_count++] = (cut_edge){parting_edge(s, x, y), pair};
}

// ---- connecting vertices

static int compare_cuts(const void* x, const void* y) {
    const cut_edge* a = x;
    const cut_edge* b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1)
                            : (a->pair > b->pair) - (a->pair < b->pair);
}

static bool is_cut(const parting* s, uint64_t key) {
    size_t low = 0;
    for (size_t high = s->cut_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (s->cuts[middle].key < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->cut_count && s->cuts[low].key == key;
}

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

// connects classes by edges that are not cut; the caller frees the forest
static uint32_t* connect(const parting* s) {
    uint32_t* parent = allocate(s->vertex_count, sizeof *parent);
    bool* ends = allocate(s->vertex_count, sizeof *ends);  // of cut edges
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        parent[v] = v;
    }
    for (size_t i = 0; i < s->cut_count; ++i) {
        ends[s->cuts[i].key >> 32] = ends[(uint32_t)s->cuts[i].key] = true;
    }
    for (size_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* at = s->corners + 3 * t;
        for (int e = 0; e < 3 && at[0] != UINT32_MAX; ++e) {
            const uint32_t a = s->classes[at[e]];
            const uint32_t b = s->classes[at[(e + 1) % 3]];
            if (!(ends[a] && ends[b]) || !is_cut(s, parting_edge(s, at[e], at[(e + 1) % 3]))) {
                join(parent, a, b);
            }
        }
    }
    free(ends);
    return parent;
}

// ---- parts beside patches

static int compare_beside(const void* x, const void* y) {
    const part_beside* a = x;
    const part_beside* b = y;
    return a->patch != b->patch ? (a->patch < b->patch ? -1 : 1)
                                : (a->part > b->part) - (a->part < b->part);
}

// numbers the parts at the ends of cut edges, and lists which are beside which patch
static void number_parts(parting* s, uint32_t* parent, const uint32_t* patches) {
    s->beside = allocate(2 * s->cut_count, sizeof *s->beside);
    for (size_t i = 0; i < 2 * s->cut_count; ++i) {
        const cut_edge* cut = &s->cuts[i / 2];
        const uint32_t end = i % 2 == 0 ? (uint32_t)(cut->key >> 32) : (uint32_t)cut->key;
        uint32_t* part = &s->part_of[root_of(parent, end)];
        *part = *part == UINT32_MAX ? (uint32_t)s->part_count++ : *part;
        s->beside[s->beside_count++] = (part_beside){patches[cut->pair], *part};
    }
    qsort(s->beside, s->beside_count, sizeof *s->beside, compare_beside);
    size_t kept = 0;
    for (size_t i = 0; i < s->beside_count; ++i) {
        if (i == 0 || compare_beside(&s->beside[i], &s->beside[kept - 1]) != 0) {
            s->beside[kept++] = s->beside[i];
        }
    }
    s->beside_count = kept;
}

static void measure_boxes(parting* s) {
    s->boxes = allocate(s->part_count, sizeof *s->boxes);
    s->reaches = allocate(s->part_count, sizeof *s->reaches);
    for (size_t i = 0; i < s->part_count; ++i) {
        s->reaches[i] = NAN;
        for (int d = 0; d < 3; ++d) {
            s->boxes[i].lo[d] = INFINITY;
            s->boxes[i].hi[d] = -INFINITY;
        }
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const uint32_t part = s->part_of[v];
        for (int d = 0; d < 3 && part != UINT32_MAX; ++d) {
            const double x = s->positions[3 * (size_t)v + (size_t)d];
            s->boxes[part].lo[d] = fmin(s->boxes[part].lo[d], x);
            s->boxes[part].hi[d] = fmax(s->boxes[part].hi[d], x);
        }
    }
}

// lists the vertices of each part, ascending
static void list_members(parting* s) {
    s->member_ends = allocate(s->part_count + 1, sizeof *s->member_ends);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        if (s->part_of[v] != UINT32_MAX && s->classes[v] == v) {
            ++s->member_ends[s->part_of[v] + 1];
        }
    }
    for (size_t i = 0; i < s->part_count; ++i) {
        s->member_ends[i + 1] += s->member_ends[i];
    }
    s->members = allocate(s->member_ends[s->part_count], sizeof *s->members);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {  // turns beginnings into ends
        if (s->part_of[v] != UINT32_MAX && s->classes[v] == v) {
            s->members[s->member_ends[s->part_of[v]]++] = v;
        }
    }
}

void parting_divide(parting* s, const uint32_t* patches) {
    if (s->cut_count == 0) {
        return;
    }
    qsort(s->cuts, s->cut_count, sizeof *s->cuts, compare_cuts);
    uint32_t* parent = connect(s);
    s->part_of = allocate(s->vertex_count, sizeof *s->part_of);
    memset(s->part_of, 0xff, s->vertex_count * sizeof *s->part_of);
    number_parts(s, parent, patches);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        s->part_of[v] = s->part_of[root_of(parent, s->classes[v])];
    }
    free(parent);
    measure_boxes(s);
    list_members(s);
}

// ---- questions

static double size_sq(const abut_box* box) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        sum += (box->hi[d] - box->lo[d]) * (box->hi[d] - box->lo[d]);
    }
    return sum;
}

size_t parting_beside(const parting* s, uint32_t patch, size_t* first) {
    size_t low = 0;
    size_t high = s->beside_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->beside[middle].patch < patch) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *first = low;
    while (high < s->beside_count && s->beside[high].patch == patch) {
        ++high;
    }
    return high - low;
}

uint32_t parting_largest(const parting* s, uint32_t patch) {
    uint32_t largest = UINT32_MAX;
    size_t first = 0;
    const size_t count = parting_beside(s, patch, &first);
    for (size_t i = first; i < first + count; ++i) {
        const uint32_t part = s->beside[i].part;
        if (largest == UINT32_MAX || size_sq(&s->boxes[part]) > size_sq(&s->boxes[largest])) {
            largest = part;
        }
    }
    return largest;
}

bool parting_rivals(const parting* s, uint32_t part, uint32_t largest) {
    return size_sq(&s->boxes[part]) >= size_sq(&s->boxes[largest]) / 4;
}

bool parting_has(const parting* s, uint32_t part, uint32_t triangle) {
    const uint32_t* at = s->corners + 3 * (size_t)triangle;
    return s->part_of[at[0]] == part || s->part_of[at[1]] == part || s->part_of[at[2]] == part;
}

double* parting_points(const parting* s, uint32_t part, size_t* count) {
    const size_t first = part > 0 ? s->member_ends[part - 1] : 0;
    *count = s->member_ends[part] - first;
    double* points = allocate(*count, 3 * sizeof *points);
    for (size_t i = 0; i < *count; ++i) {
        memcpy(points + 3 * i, s->positions + 3 * (size_t)s->members[first + i],
               3 * sizeof *points);
    }
    return points;
}
