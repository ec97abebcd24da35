// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Arrays of the XML files of VTK: numbers as text, in base64, or in the appended data at the end,
// plain or packed by zlib. Internal to io/.
// Based on: Kitware, "VTK XML Formats", and the file versions 0.1 to 2.3.
#ifndef IO_VTK_ARRAY_H
#define IO_VTK_ARRAY_H

#include "io/error.h"
#include "io/xml.h"

#include <stdint.h>

/// What holds for all arrays of a file.
typedef struct vtk_file {
    const char* name;  // for messages
    io_error* error;
    const char* end;       // of the text
    const char* appended;  // the first byte of the appended data, or NULL
    bool appended_base64;
    bool big_endian;
    bool packed;         // by zlib
    size_t header_size;  // bytes of the numbers before data: 4 or 8
    size_t budget;       // bytes that may still be allocated
} vtk_file;

/// Allocates `count` times `size` bytes within the budget: 64 MiB and 256 bytes per byte of the file.
/// NULL after an error.
void* vtk_allocate(vtk_file* file, size_t count, size_t size);

/// Reads the first tag (VTKFile) and looks for the appended data.
bool vtk_open(vtk_file* file, const char* name, const char* bytes, size_t size, xml_tag* first,
              io_error* error);

/// The numbers of an array: doubles or whole numbers, by its use. {0} is empty.
typedef struct vtk_numbers {
    double* reals;
    int64_t* wholes;
    size_t count;
    bool given;
} vtk_numbers;

/// Reads the array of a DataArray tag as doubles or as whole numbers. A number of an array that is
/// given twice replaces the old one. Free with vtk_numbers_free().
bool vtk_read_reals(vtk_file* file, const xml_tag* tag, vtk_numbers* out);
bool vtk_read_wholes(vtk_file* file, const xml_tag* tag, vtk_numbers* out);
void vtk_numbers_free(vtk_numbers* numbers);

#endif
