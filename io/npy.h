// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Arrays of numbers as numpy writes them: .npy, and several of them in a .npz archive. Internal to
// io/.
// Based on: "The NPY format" (NEP 1), versions 1 to 3.
#ifndef IO_NPY_H
#define IO_NPY_H

#include "io/error.h"

#include <stdint.h>

enum { NPY_MOST_RANK = 3 };

typedef struct npy_array {
    char kind;    // 'f', 'i' or 'u'
    size_t size;  // bytes of a number
    bool big_endian;
    bool fortran;  // the first index runs fastest
    size_t rank;
    size_t shape[NPY_MOST_RANK];
    size_t count;                // of all numbers
    const unsigned char* bytes;  // the first number
    size_t place;                // of `bytes` in the file, if they are there unpacked; else 0
    unsigned char* memory;       // what was unpacked, or NULL; free it
} npy_array;

/// What is looked for in an archive: the same names in upper and lower case.
typedef enum npy_role {
    NPY_POSITIONS,  ///< positions, vertices, verts, points or v; else frames
    NPY_FRAMES,     ///< frames; else the names of positions
    NPY_FACES,      ///< faces, triangles, tris, cells or f
} npy_role;

/// Whether data start as an array does.
bool npy_is_array(const unsigned char* bytes, size_t size);

/// Reads the header of an array in memory. If `whole`, all numbers must be there; otherwise `bytes`
/// is only the beginning of a file of `file_size` bytes, which must have room for them. `name` is
/// for messages.
bool npy_parse(const char* name, const unsigned char* bytes, size_t size, uint64_t file_size,
               npy_array* out, io_error* error);

/// Finds an array in an archive in memory, which must stay there. Free `memory` of it.
bool npz_find(const char* name, const unsigned char* bytes, size_t size, npy_role role,
              npy_array* out, io_error* error);

/// The number at these indices, as many as the rank: as a double, or as a whole number, which is
/// UINT64_MAX if it is negative. The array's kind must fit.
double npy_real(const npy_array* a, const size_t* at);
uint64_t npy_whole(const npy_array* a, const size_t* at);

#endif
