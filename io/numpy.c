// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes a mesh of arrays of numpy: of positions and faces in a .npz archive, or of the corners of
// triangles in a .npy file. See builder.h and npy.h.
#include "io/builder.h"
#include "io/npy.h"
#include "io/weld.h"

#include <stdio.h>
#include <stdlib.h>

static bool fail_shape(const io_builder* b, const char* what, const npy_array* a,
                       const char* wanted) {
    char text[80] = "none";
    size_t used = 0;
    for (size_t i = 0; i < a->rank; ++i) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu", i == 0 ? "" : " x ",
                                 a->shape[i]);
    }
    return io_fail_in(b->error, b->name, "its array of %s is %s; it must be %s", what, text,
                      wanted);
}

// ---- positions and faces

// the first frame, if there are several
static bool add_vertices(io_builder* b, const npy_array* a) {
    const size_t last = a->rank == 0 ? 0 : a->rank - 1;
    if ((a->rank != 2 && a->rank != 3) || a->shape[last] != 3 || a->shape[0] == 0) {
        return fail_shape(b, "positions", a, "vertices x 3 or frames x vertices x 3");
    }
    const size_t count = a->shape[last - 1];
    b->mesh.frame_count = a->rank == 3 ? a->shape[0] : 1;
    if (!io_reserve_vertices(b, count)) {
        return false;
    }
    for (size_t v = 0; v < count; ++v) {
        double position[3];
        for (size_t k = 0; k < 3; ++k) {
            const size_t at[3] = {a->rank == 3 ? 0 : v, a->rank == 3 ? v : k, k};
            position[k] = npy_real(a, at);
        }
        if (!io_add_vertex(b, position, 0)) {
            return false;
        }
    }
    return true;
}

static bool add_face(io_builder* b, const npy_array* a, size_t face, size_t corners) {
    io_begin_face(b);
    for (size_t k = 0; k < corners; ++k) {
        const size_t at[2] = {a->rank == 1 ? face * corners + k : face, k};
        const uint64_t vertex = npy_whole(a, at);
        if (vertex == UINT64_MAX) {
            return io_fail_in(b->error, b->name, "face %zu has a vertex with a negative number",
                              face);
        }
        if (!io_add_corner(b, vertex, 0)) {
            return false;
        }
    }
    return io_end_face(b, 0);
}

static bool add_faces(io_builder* b, const npy_array* a) {
    if (a->kind == 'f') {
        return io_fail_in(b->error, b->name, "its faces are real numbers; save them as whole ones");
    }
    const bool list = a->rank == 1 && a->shape[0] % 3 == 0;
    if (!list && (a->rank != 2 || a->shape[1] < 3)) {
        return fail_shape(b, "faces", a, "faces x 3, or faces x corners");
    }
    const size_t corners = list ? 3 : a->shape[1];
    const size_t count = list ? a->shape[0] / 3 : a->shape[0];
    if (!io_reserve_triangles(b, count)) {
        return false;
    }
    for (size_t f = 0; f < count; ++f) {
        if (!add_face(b, a, f, corners)) {
            return false;
        }
    }
    return true;
}

bool io_parse_npz(io_builder* b, const char* bytes, size_t size) {
    npy_array positions = {0};
    npy_array faces = {0};
    const unsigned char* data = (const unsigned char*)bytes;
    const bool done = npz_find(b->name, data, size, NPY_POSITIONS, &positions, b->error) &&
                      npz_find(b->name, data, size, NPY_FACES, &faces, b->error) &&
                      add_vertices(b, &positions) && add_faces(b, &faces);
    free(positions.memory);
    free(faces.memory);
    return done;
}

// ---- corners of triangles

static bool add_corners(io_builder* b, io_weld* weld, const npy_array* a) {
    for (size_t t = 0; t < a->shape[0]; ++t) {
        io_begin_face(b);
        for (size_t c = 0; c < 3; ++c) {
            double position[3];
            uint32_t vertex = 0;
            for (size_t k = 0; k < 3; ++k) {
                position[k] = npy_real(a, (const size_t[3]){t, c, k});
            }
            if (!io_weld_vertex(weld, b, position, 0, &vertex) || !io_add_corner(b, vertex, 0)) {
                return false;
            }
        }
        if (!io_end_face(b, 0)) {
            return false;
        }
    }
    return true;
}

bool io_parse_npy(io_builder* b, const char* bytes, size_t size) {
    npy_array a;
    io_weld weld = {0};
    if (!npy_parse(b->name, (const unsigned char*)bytes, size, size, &a, b->error)) {
        return false;
    }
    if (a.rank != 3 || a.shape[1] != 3 || a.shape[2] != 3) {
        return fail_shape(b, "numbers", &a,
                          "triangles x 3 x 3 to be a mesh; positions over frames belong to a mesh: "
                          "mesh.obj+this.npy, or faces and vertices in one .npz");
    }
    const bool done = add_corners(b, &weld, &a);
    io_weld_free(&weld);
    return done;
}
