// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads triangle meshes from OBJ, PLY, OFF, STL, numpy and VTK files. Positions are the doubles nearest to the
// numbers in the file; vertices keep their order and number, except that equal ones of STL and of
// triangles in a .npy file become one; polygons become fans of triangles in the order of the file.
// Files are not trusted: every defect gives an error message, and memory stays below a small multiple
// of the file's size.
#ifndef IO_MESH_FILE_H
#define IO_MESH_FILE_H

#include "io/error.h"
#include "io/tags.h"

#include <stdint.h>

typedef enum io_format {
    IO_FORMAT_UNKNOWN = 0,
    IO_FORMAT_OBJ,
    IO_FORMAT_PLY,
    IO_FORMAT_OFF,
    IO_FORMAT_STL,
    IO_FORMAT_NPZ,
    IO_FORMAT_NPY,
    IO_FORMAT_VTK,  ///< its XML files of PolyData and UnstructuredGrid
} io_format;

/// All formats that the command reads, for messages.
#ifdef ABUT_HAVE_ASSIMP
#define IO_ASSIMP_FORMATS "through assimp"
#else
#define IO_ASSIMP_FORMATS "with assimp, which this abut was built without,"
#endif
#define IO_KNOWN_FORMATS                                                                      \
    "OBJ, PLY, OFF, STL, arrays of numpy (.npz, .npy), VTK (.vtp, .vtu, .pvd); glTF (.gltf, " \
    ".glb); a mesh with a "                                                                   \
    "point "                                                                                  \
    "cache (mesh+cache.pc2, .mdd, .npy, .npz, .f32); " IO_ASSIMP_FORMATS                      \
    " .fbx, .dae, .3ds, .3mf, .x, .x3d, .lwo, .ms3d, .ase, .ac, .b3d, .md2, .md3, "           \
    ".blend, .smd and .amf; meshes and glTF also as .gz or from the standard input (-)"

/// A mesh as the file has it. Every index is below vertex_count, every position finite; there is
/// at least one triangle.
typedef struct io_mesh {
    double* positions;  ///< x, y, z per vertex
    size_t vertex_count;
    uint32_t* triangles;  ///< three vertex indices per triangle
    size_t triangle_count;
    size_t face_count;  ///< polygons in the file, before they became triangles
    size_t
        frame_count;  ///< of positions in the file, of which the mesh has the first: 1, but in NPZ
    io_format format;
    io_tags tags;  ///< of OBJ: names of triangles
} io_mesh;

/// Reads a file. On failure `out` is empty and `error` (may be NULL) has the reason.
/// Free the mesh with io_mesh_free().
bool io_read_mesh(const char* path, io_mesh* out, io_error* error);

/// The same for a file in memory. `name` is used in messages; its ending decides where the content
/// does not show the format. `bytes` may hold anything.
bool io_parse_mesh(const char* name, const void* bytes, size_t size, io_mesh* out, io_error* error);

/// Frees the arrays of a mesh and makes it empty. An empty mesh is allowed.
void io_mesh_free(io_mesh* mesh);

/// The name of a format, such as "PLY". Never NULL.
const char* io_format_name(io_format format);

/// The format that the ending of a file name stands for, or IO_FORMAT_UNKNOWN.
io_format io_format_of_name(const char* name);

#endif
