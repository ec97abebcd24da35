// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Detects the format of a file and calls its reader.
#include "io/mesh_file.h"

#include "io/builder.h"
#include "io/file.h"
#include "io/npy.h"
#include "io/zip.h"

#include <stdlib.h>

io_format io_format_of_name(const char* name) {
    return io_has_ending(name, ".obj")   ? IO_FORMAT_OBJ
           : io_has_ending(name, ".ply") ? IO_FORMAT_PLY
           : io_has_ending(name, ".off") ? IO_FORMAT_OFF
           : io_has_ending(name, ".stl") ? IO_FORMAT_STL
           : io_has_ending(name, ".npz") ? IO_FORMAT_NPZ
           : io_has_ending(name, ".npy") ? IO_FORMAT_NPY
           : io_has_ending(name, ".vtp") ? IO_FORMAT_VTK
           : io_has_ending(name, ".vtu") ? IO_FORMAT_VTK
                                         : IO_FORMAT_UNKNOWN;
}

const char* io_format_name(io_format format) {
    static const char* const names[] = {"unknown", "OBJ", "PLY", "OFF", "STL", "NPZ", "NPY", "VTK"};
    return (unsigned)format < sizeof names / sizeof *names ? names[format] : names[0];
}

// a first line such as "COFF", "NOFF BINARY" or "OFF 8 6 12"
static bool starts_as_off(const char* bytes, size_t size) {
    size_t i = 0;
    while (i < size && i < 6 && bytes[i] != '\0' && strchr("STCN4n", bytes[i]) != NULL) {
        ++i;
    }
    return size - i >= 3 && memcmp(bytes + i, "OFF", 3) == 0 &&
           (size - i == 3 || (unsigned char)bytes[i + 3] <= ' ');
}

// OBJ has no magic number: look at the first word that is not a comment
static bool starts_as_obj(const char* bytes, size_t size) {
    static const char* const words[] = {"v", "vt", "vn", "f", "o", "g", "s", "mtllib", "usemtl"};
    io_text text = io_text_of(bytes, size);
    io_skip_empty_lines(&text);
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (io_at_word(&text, words[i])) {
            return true;
        }
    }
    return false;
}

static io_format format_of(const char* name, const char* bytes, size_t size) {
    const bool marked_ply = size >= 4 && memcmp(bytes, "ply", 3) == 0 &&
                            (unsigned char)bytes[3] <= ' ';
    if (marked_ply) {
        return IO_FORMAT_PLY;
    }
    if (starts_as_off(bytes, size)) {
        return IO_FORMAT_OFF;
    }
    if (npy_is_array((const unsigned char*)bytes, size)) {
        return IO_FORMAT_NPY;
    }
    if (zip_is_archive((const unsigned char*)bytes, size)) {
        return IO_FORMAT_NPZ;
    }
    if (io_is_vtk(bytes, size)) {
        return IO_FORMAT_VTK;
    }
    const io_format promised = io_format_of_name(name);
    if (promised != IO_FORMAT_UNKNOWN) {
        return promised;
    }
    return starts_as_obj(bytes, size)                                     ? IO_FORMAT_OBJ
           : io_is_binary_stl(bytes, size) || io_is_text_stl(bytes, size) ? IO_FORMAT_STL
                                                                          : IO_FORMAT_UNKNOWN;
}

static bool parse(io_builder* b, const char* bytes, size_t size) {
    switch (b->mesh.format) {
        case IO_FORMAT_OBJ: return io_parse_obj(b, bytes, size) && io_finish_mesh(b);
        case IO_FORMAT_PLY: return io_parse_ply(b, bytes, size) && io_finish_mesh(b);
        case IO_FORMAT_OFF: return io_parse_off(b, bytes, size) && io_finish_mesh(b);
        case IO_FORMAT_STL: return io_parse_stl(b, bytes, size) && io_finish_mesh(b);
        case IO_FORMAT_NPZ: return io_parse_npz(b, bytes, size) && io_finish_mesh(b);
        case IO_FORMAT_NPY: return io_parse_npy(b, bytes, size) && io_finish_mesh(b);
        case IO_FORMAT_VTK: return io_parse_vtk(b, bytes, size) && io_finish_mesh(b);
        case IO_FORMAT_UNKNOWN: break;
    }
    return io_fail_in(b->error, b->name, "this is none of the formats that can be read: %s",
                      IO_KNOWN_FORMATS);
}

bool io_parse_mesh(const char* name, const void* bytes, size_t size, io_mesh* out,
                   io_error* error) {
    *out = (io_mesh){0};
    if (size == 0) {
        return io_fail_in(error, name, "the file is empty");
    }
    const char* text = bytes;
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {  // the byte order mark of UTF-8
        text += 3;
        size -= 3;
    }
    io_builder builder = {.name = name, .error = error, .mesh = {.frame_count = 1}};
    builder.mesh.format = format_of(name, text, size);
    if (!parse(&builder, text, size)) {
        io_mesh_free(&builder.mesh);
        return false;
    }
    *out = builder.mesh;
    return true;
}

bool io_read_mesh(const char* path, io_mesh* out, io_error* error) {
    char* bytes = NULL;
    size_t size = 0;
    *out = (io_mesh){0};
    if (!io_read_input(path, &bytes, &size, error)) {
        return false;
    }
    const bool done = io_parse_mesh(io_input_name(path), bytes, size, out, error);
    free(bytes);
    return done;
}

void io_mesh_free(io_mesh* mesh) {
    free(mesh->positions);
    free(mesh->triangles);
    io_tags_free(&mesh->tags);
    *mesh = (io_mesh){0};
}
