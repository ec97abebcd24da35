// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes XML files of VTK for tests, in all ways that their arrays can be stored.
#ifndef TEST_SUPPORT_VTK_MAKER_H
#define TEST_SUPPORT_VTK_MAKER_H

#include <stdbool.h>
#include <stddef.h>

typedef enum vtk_storage { VTK_ASCII, VTK_BINARY, VTK_RAW, VTK_BASE64, VTK_STORAGES } vtk_storage;

typedef struct vtk_maker {
    vtk_storage storage;
    bool packed;  // by zlib, in several blocks
    bool big_endian;
    bool long_header;  // UInt64 instead of UInt32
    char* text;        // the document
    size_t size;
    unsigned char* appended;
    size_t appended_size;
} vtk_maker;

/// Begins a document: "PolyData" or "UnstructuredGrid". Set the first four members before.
void vtk_maker_begin(vtk_maker* m, const char* type);
/// Adds text.
void vtk_maker_add(vtk_maker* m, const char* format, ...) __attribute__((format(printf, 2, 3)));
/// Adds an array of a type such as "Float32" or "Int64".
void vtk_maker_array(vtk_maker* m, const char* type, const char* name, const double* numbers,
                     size_t count);
/// Ends the document, which is m->text then; the caller frees it.
void vtk_maker_end(vtk_maker* m, const char* type);

#endif
