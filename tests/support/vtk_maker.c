// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// XML files of VTK for tests: see vtk_maker.h.
#include "support/vtk_maker.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ROOM = 1 << 20, BLOCK = 200 };

static void* allocate(size_t size) {
    void* memory = calloc(size, 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

void vtk_maker_add(vtk_maker* m, const char* format, ...) {
    va_list values;
    va_start(values, format);
    m->size += (size_t)vsnprintf(m->text + m->size, ROOM - m->size, format, values);
    va_end(values);
    if (m->size + 1 >= ROOM) {
        abort();
    }
}

void vtk_maker_begin(vtk_maker* m, const char* type) {
    m->text = allocate(ROOM);
    m->appended = allocate(ROOM);
    m->size = m->appended_size = 0;
    vtk_maker_add(m,
                  "<?xml version=\"1.0\"?>\n<!-- a > b -->\n<VTKFile type=\"%s\" version=\"1.0\" "
                  "byte_order='%s'%s%s>\n<%s>\n",
                  type, m->big_endian ? "BigEndian" : "LittleEndian",
                  m->long_header ? " header_type=\"UInt64\"" : "",
                  m->packed ? " compressor=\"vtkZLibDataCompressor\"" : "", type);
}

static size_t put(const vtk_maker* m, unsigned char* to, uint64_t value, size_t size) {
    for (size_t k = 0; k < size; ++k) {
        to[m->big_endian ? size - 1 - k : k] = (unsigned char)(value >> 8 * k);
    }
    return size;
}

static size_t size_of(const char* type) {
    return strstr(type, "64") != NULL ? 8 : strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

static uint64_t bits_of(const char* type, double number) {
    uint64_t bits = 0;
    if (strcmp(type, "Float64") == 0) {
        memcpy(&bits, &number, sizeof bits);
    } else if (strcmp(type, "Float32") == 0) {
        const float narrow = (float)number;
        memcpy(&bits, &narrow, sizeof narrow);  // this machine is little endian
    } else {
        bits = (uint64_t)(int64_t)number;
    }
    return bits;
}

// base64 of one piece, padded
static size_t encode(const unsigned char* bytes, size_t size, char* out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t used = 0;
    for (size_t i = 0; i < size; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; ++k) {
            bits = bits << 8 | (i + k < size ? bytes[i + k] : 0);
        }
        for (size_t k = 0; k < 4; ++k) {
            out[used++] = i + k <= size ? digits[bits >> (18 - 6 * k) & 63] : '=';
        }
    }
    out[used] = '\0';
    return used;
}

// header and data as they stand in the file; in base64 a packed array has two pieces
static size_t store(const vtk_maker* m, const unsigned char* data, size_t size,
                    unsigned char* out) {
    const size_t word = m->long_header ? 8 : 4;
    unsigned char* head = allocate(size + 1024);
    unsigned char* body = allocate(2 * size + 1024);
    size_t head_size = 0;
    size_t body_size = 0;
    if (!m->packed) {
        head_size = put(m, head, size, word);
        memcpy(head + head_size, data, size);
        head_size += size;
    } else {
        const size_t blocks = (size + BLOCK - 1) / BLOCK;
        head_size += put(m, head, blocks, word);
        head_size += put(m, head + head_size, BLOCK, word);
        head_size += put(m, head + head_size, size % BLOCK, word);
        for (size_t i = 0; i < blocks; ++i) {
            unsigned long packed = 1024;
            const size_t left = size - i * BLOCK;
            compress(body + body_size, &packed, data + i * BLOCK, left < BLOCK ? left : BLOCK);
            head_size += put(m, head + head_size, packed, word);
            body_size += packed;
        }
    }
    size_t used = 0;
    if (m->storage == VTK_RAW) {
        memcpy(out, head, head_size);
        memcpy(out + head_size, body, body_size);
        used = head_size + body_size;
    } else {
        used = encode(head, head_size, (char*)out);
        used += encode(body, body_size, (char*)out + used);
    }
    free(head);
    free(body);
    return used;
}

void vtk_maker_array(vtk_maker* m, const char* type, const char* name, const double* numbers,
                     size_t count) {
    const size_t size = size_of(type);
    vtk_maker_add(m, "<DataArray type=\"%s\" Name=\"%s\" format=\"%s\"", type, name,
                  m->storage == VTK_ASCII    ? "ascii"
                  : m->storage == VTK_BINARY ? "binary"
                                             : "appended");
    if (m->storage == VTK_ASCII) {
        vtk_maker_add(m, ">");
        for (size_t i = 0; i < count; ++i) {
            vtk_maker_add(m, "%s%.17g", i % 7 == 0 ? "\n  " : " ", numbers[i]);
        }
        vtk_maker_add(m, "\n</DataArray>\n");
        return;
    }
    unsigned char* data = allocate(count * size + 1);
    for (size_t i = 0; i < count; ++i) {
        put(m, data + i * size, bits_of(type, numbers[i]), size);
    }
    unsigned char* out = allocate(4 * count * size + 4096);
    const size_t used = store(m, data, count * size, out);
    if (m->storage == VTK_BINARY) {
        vtk_maker_add(m, ">\n  %s\n</DataArray>\n", (const char*)out);
    } else {
        vtk_maker_add(m, " offset=\"%zu\"/>\n", m->appended_size);
        memcpy(m->appended + m->appended_size, out, used);
        m->appended_size += used;
    }
    free(out);
    free(data);
}

void vtk_maker_end(vtk_maker* m, const char* type) {
    vtk_maker_add(m, "</%s>\n", type);
    if (m->storage >= VTK_RAW) {
        vtk_maker_add(m, "<AppendedData encoding=\"%s\">\n   _",
                      m->storage == VTK_RAW ? "raw" : "base64");
        memcpy(m->text + m->size, m->appended, m->appended_size);
        m->size += m->appended_size;
        vtk_maker_add(m, "\n  </AppendedData>\n");
    }
    vtk_maker_add(m, "</VTKFile>\n");
    free(m->appended);
    m->appended = NULL;
}
