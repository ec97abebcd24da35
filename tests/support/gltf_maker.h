// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes small glTF files for tests: adds numbers to a buffer, with accessors. The test writes the
// rest of the document as JSON.
#ifndef TEST_SUPPORT_GLTF_MAKER_H
#define TEST_SUPPORT_GLTF_MAKER_H

#include <stddef.h>
#include <stdint.h>

typedef struct gltf_maker {
    char bytes[1 << 17];
    size_t size;
    char views[1 << 15];      // JSON
    char accessors[1 << 15];  // JSON
    size_t view_count;
    size_t accessor_count;
    size_t fallback;  // size of a second buffer that has no data; 0: there is none
} gltf_maker;

enum { MADE_INT8 = 5120, MADE_UINT8, MADE_INT16, MADE_UINT16, MADE_UINT32 = 5125, MADE_FLOAT };

void gltf_maker_begin(gltf_maker* m);
/// Adds data and a view of it; returns the view's number.
size_t gltf_maker_view(gltf_maker* m, const void* data, size_t bytes, size_t stride);
/// Adds a compressed stream and a view of `length` bytes that it decodes to, in the second buffer.
/// `how` is the rest of the extension's JSON, such as "\"byteStride\":4,\"count\":9,..."
size_t gltf_maker_packed_view(gltf_maker* m, const char* extension, const void* stream,
                              size_t bytes, size_t length, const char* how);
/// Adds data, a view and an accessor; `more` is JSON behind it, such as ",\"normalized\":true".
/// Returns the accessor's number.
size_t gltf_maker_add(gltf_maker* m, const void* data, size_t bytes, size_t count, int component,
                      const char* type, const char* more);
/// An accessor alone, by its JSON.
size_t gltf_maker_accessor(gltf_maker* m, const char* json);

/// The whole document as GLB, as JSON with base64, or as JSON with its buffer in a file of this
/// name. `rest` is JSON of the members beyond asset, buffers, views and accessors. The caller frees
/// it.
char* gltf_maker_glb(const gltf_maker* m, const char* rest, size_t* size);
char* gltf_maker_text(const gltf_maker* m, const char* rest, const char* uri, size_t* size);

#endif
