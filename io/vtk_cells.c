// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Faces of cells: see vtk_cells.h. Faces of solid cells are sorted by their corners; those that occur
// once are the surface.
#include "io/vtk_cells.h"

#include <stdlib.h>

enum { MOST_FACES = 6 };

typedef struct solid_type {
    size_t corners;
    size_t faces;
    signed char sides[MOST_FACES][4];  // -1: the face is a triangle
} solid_type;

// outward faces, in VTK's order of corners
static const solid_type tetra = {
    4, 4, {{0, 1, 3, -1}, {1, 2, 3, -1}, {2, 0, 3, -1}, {0, 2, 1, -1}}};
static const solid_type voxel = {
    8, 6, {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
static const solid_type hexahedron = {
    8, 6, {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}};
static const solid_type wedge = {
    6, 5, {{0, 1, 2, -1}, {3, 5, 4, -1}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}}};
static const solid_type pyramid = {
    5, 5, {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}}};

static const solid_type* solid_of(int64_t type) {
    switch (type) {
        case VTK_TETRA: return &tetra;
        case VTK_VOXEL: return &voxel;
        case VTK_HEXAHEDRON: return &hexahedron;
        case VTK_WEDGE: return &wedge;
        case VTK_PYRAMID: return &pyramid;
        default: return NULL;
    }
}

// a face of a solid, or a cell of three or four corners
typedef struct face {
    int32_t key[4];      // the corners, sorted; a triangle begins with -1
    int32_t corners[4];  // in their order
    size_t number;       // in the order of the file
    uint8_t count;
    bool of_solid;
} face;

typedef struct collector {
    io_builder* b;
    const vtk_cells* cells;
    face* faces;  // NULL: there are no solids, and faces are added at once
    size_t count;
} collector;

static bool add_polygon(const collector* c, const int64_t* corners, size_t count) {
    io_begin_face(c->b);
    for (size_t k = 0; k < count; ++k) {
        if (!io_add_corner(c->b, (uint64_t)corners[k] + c->cells->first_vertex, 0)) {
            return false;
        }
    }
    return io_end_face(c->b, 0);
}

static void sort_key(int32_t key[4]) {
    for (size_t i = 1; i < 4; ++i) {
        for (size_t k = i; k > 0 && key[k] < key[k - 1]; --k) {
            const int32_t other = key[k];
            key[k] = key[k - 1];
            key[k - 1] = other;
        }
    }
}

// adds a face, or keeps it until all are known
static bool collect(collector* c, const int64_t* corners, size_t count, bool of_solid) {
    if (c->faces == NULL || count > 4) {
        return add_polygon(c, corners, count);
    }
    face* f = &c->faces[c->count];
    *f = (face){
        .key = {-1, -1, -1, -1}, .number = c->count, .count = (uint8_t)count, .of_solid = of_solid};
    for (size_t k = 0; k < count; ++k) {  // io_reserve_vertices() allows less than 2^31
        f->key[k] = f->corners[k] = (int32_t)corners[k];
    }
    sort_key(f->key);
    ++c->count;
    return true;
}

static bool collect_solid(collector* c, const int64_t* corners, const solid_type* type) {
    for (size_t i = 0; i < type->faces; ++i) {
        int64_t side[4];
        size_t count = 0;
        for (; count < 4 && type->sides[i][count] >= 0; ++count) {
            side[count] = corners[type->sides[i][count]];
        }
        if (!collect(c, side, count, true)) {
            return false;
        }
    }
    return true;
}

static bool collect_strip(collector* c, const int64_t* corners, size_t count) {
    for (size_t i = 0; i + 2 < count; ++i) {
        const size_t odd = i % 2;  // every other triangle is turned
        const int64_t triangle[3] = {corners[i], corners[i + 1 + odd], corners[i + 2 - odd]};
        if (!collect(c, triangle, 3, false)) {
            return false;
        }
    }
    return true;
}

static bool fail_cell(const collector* c, size_t cell, const char* what) {
    return io_fail_in(c->b->error, c->b->name, "cell %zu %s", cell, what);
}

static bool collect_cell(collector* c, size_t cell, const int64_t* corners, size_t count) {
    const int64_t type = c->cells->types == NULL ? c->cells->type : c->cells->types[cell];
    const solid_type* solid = solid_of(type);
    if (solid != NULL) {
        return count == solid->corners ? collect_solid(c, corners, solid)
                                       : fail_cell(c, cell,
                                                   "has another number of corners than its "
                                                   "type has");
    }
    if (type >= 0 && type <= VTK_LAST_LINE) {
        return true;
    }
    if (type == VTK_STRIP) {
        return collect_strip(c, corners, count);
    }
    if (type == VTK_PIXEL && count == 4) {
        const int64_t turned[4] = {corners[0], corners[1], corners[3], corners[2]};
        return collect(c, turned, 4, false);
    }
    if (type < VTK_TRIANGLE || type > VTK_QUAD) {
        return fail_cell(c, cell,
                         "is of a type that cannot be read: triangles, strips, polygons, "
                         "tetrahedra, hexahedra, wedges and pyramids can, with straight edges");
    }
    if (count < 3) {
        return fail_cell(c, cell, "has less than three corners");
    }
    return collect(c, corners, count, false);
}

// goes through all cells and checks their corners
static bool collect_all(collector* c) {
    const vtk_cells* cells = c->cells;
    int64_t start = 0;
    for (size_t i = 0; i < cells->count; ++i) {
        const int64_t end = cells->ends[i];
        if (end < start || (uint64_t)end > cells->corner_count) {
            return fail_cell(c, i, "has corners that are not there; is the file cut off?");
        }
        for (int64_t k = start; k < end; ++k) {
            if (cells->corners[k] < 0 || (uint64_t)cells->corners[k] >= cells->vertex_count) {
                return io_fail_in(c->b->error, c->b->name,
                                  "cell %zu uses vertex %lld, but there are only %zu", i,
                                  (long long)cells->corners[k], cells->vertex_count);
            }
        }
        if (!collect_cell(c, i, cells->corners + start, (size_t)(end - start))) {
            return false;
        }
        start = end;
    }
    return true;
}

static int compare_keys(const void* a, const void* b) {
    const face* x = a;
    const face* y = b;
    for (size_t k = 0; k < 4; ++k) {
        if (x->key[k] != y->key[k]) {
            return x->key[k] < y->key[k] ? -1 : 1;
        }
    }
    return (x->number > y->number) - (x->number < y->number);
}

static int compare_numbers(const void* a, const void* b) {
    const size_t x = ((const face*)a)->number;
    const size_t y = ((const face*)b)->number;
    return (x > y) - (x < y);
}

// keeps the surface: faces that one solid alone has, and cells that are no such face
static void keep_surface(collector* c) {
    size_t kept = 0;
    qsort(c->faces, c->count, sizeof *c->faces, compare_keys);
    for (size_t i = 0, next = 0; i < c->count; i = next) {
        size_t solids = 0;
        for (next = i; next < c->count &&
                       memcmp(c->faces[next].key, c->faces[i].key, sizeof c->faces[i].key) == 0;
             ++next) {
            solids += c->faces[next].of_solid;
        }
        for (size_t k = i; k < next; ++k) {
            if (c->faces[k].of_solid == (solids == 1)) {
                c->faces[kept++] = c->faces[k];
            }
        }
    }
    c->count = kept;
    qsort(c->faces, kept, sizeof *c->faces, compare_numbers);
}

// the faces that are kept until all are known; 0 if there is no solid
static size_t count_faces(const vtk_cells* cells) {
    bool any = false;
    size_t count = 0;
    for (size_t i = 0; cells->types != NULL && i < cells->count; ++i) {
        const solid_type* solid = solid_of(cells->types[i]);
        any = any || solid != NULL;
        count += solid != NULL ? solid->faces : cells->types[i] == VTK_STRIP ? 0 : 1;
    }
    // strips of corners have fewer triangles than corners
    for (size_t i = 0; any && i < cells->count; ++i) {
        if (cells->types[i] == VTK_STRIP) {
            return count + cells->corner_count;
        }
    }
    return any ? count : 0;
}

bool vtk_add_cells(vtk_file* file, io_builder* b, const vtk_cells* cells) {
    collector c = {.b = b, .cells = cells};
    const size_t most = count_faces(cells);
    if (most != 0) {
        c.faces = vtk_allocate(file, most, sizeof *c.faces);
        if (c.faces == NULL) {
            return false;
        }
    }
    bool done = collect_all(&c);
    if (done && c.faces != NULL) {
        keep_surface(&c);
    }
    for (size_t i = 0; c.faces != NULL && i < c.count && done; ++i) {
        int64_t corners[4];
        for (size_t k = 0; k < c.faces[i].count; ++k) {
            corners[k] = c.faces[i].corners[k];
        }
        done = add_polygon(&c, corners, c.faces[i].count);
    }
    free(c.faces);
    file->budget += most * sizeof *c.faces;
    return done;
}
