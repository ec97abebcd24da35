// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Arrays and archives of numpy: see npz_maker.h.
#include "support/npz_maker.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static unsigned char* allocate(size_t size) {
    unsigned char* memory = calloc(size == 0 ? 1 : size, 1);
    if (memory == NULL) {
        abort();
    }
    return memory;
}

static void put(unsigned char* to, uint64_t value, size_t size, bool big) {
    for (size_t k = 0; k < size; ++k) {
        to[big ? size - 1 - k : k] = (unsigned char)(value >> 8 * k);
    }
}

// the bits of a number as this type; halves must be whole numbers up to 2048
static uint64_t bits_of(double number, char kind, size_t size) {
    uint64_t bits = 0;
    if (kind != 'f') {
        return (uint64_t)(int64_t)number;
    }
    if (size == 8) {
        memcpy(&bits, &number, sizeof number);
        return bits;
    }
    if (size == 4) {
        const float narrow = (float)number;
        uint32_t low;
        memcpy(&low, &narrow, sizeof low);
        return low;
    }
    const float narrow = (float)number;  // the fields of a float, moved
    uint32_t low;
    memcpy(&low, &narrow, sizeof low);
    return number == 0
               ? 0
               : (low >> 16 & 0x8000) | ((low >> 23 & 255) - 112) << 10 | (low >> 13 & 1023);
}

made_bytes make_npy(const double* numbers, size_t count, const char* type, const char* shape,
                    size_t rows, size_t columns) {
    char header[256];
    const bool fortran = rows != 0 && columns != 0;
    const size_t size = (size_t)(type[2] - '0');
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", type,
             fortran ? "True" : "False", shape);
    const size_t length = (strlen(header) + 11 + 63) / 64 * 64 - 10;
    made_bytes made = {allocate(10 + length + count * size), 10 + length + count * size};
    memcpy(made.bytes, "\x93NUMPY\1\0", 8);
    put(made.bytes + 8, length, 2, false);
    memset(made.bytes + 10, ' ', length);
    memcpy(made.bytes + 10, header, strlen(header));
    made.bytes[10 + length - 1] = '\n';
    for (size_t i = 0; i < count; ++i) {
        const size_t place = fortran ? i % columns * rows + i / columns : i;
        put(made.bytes + 10 + length + place * size, bits_of(numbers[i], type[1], size), size,
            type[0] == '>');
    }
    return made;
}

// ---- archives

static made_bytes pack(const made_bytes* in) {
    z_stream z = {0};
    made_bytes out = {allocate(in->size + 1024), in->size + 1024};
    if (deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        abort();
    }
    z.next_in = in->bytes;
    z.avail_in = (unsigned)in->size;
    z.next_out = out.bytes;
    z.avail_out = (unsigned)out.size;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END) {
        abort();
    }
    out.size = z.total_out;
    deflateEnd(&z);
    return out;
}

// the fields that local header and directory share
static void put_fields(unsigned char* to, bool packed, const made_bytes* array, size_t stored,
                       const char* name) {
    put(to, 20, 2, false);
    put(to + 4, packed ? 8 : 0, 2, false);
    put(to + 10, crc32(0, array->bytes, (unsigned)array->size), 4, false);
    put(to + 14, stored, 4, false);
    put(to + 18, array->size, 4, false);
    put(to + 22, strlen(name), 2, false);
}

made_bytes make_npz(const char* const* names, const made_bytes* arrays, size_t count, bool packed) {
    made_bytes zip = {allocate(1 << 22), 0};
    size_t places[64];
    size_t sizes[64];
    for (size_t i = 0; i < count; ++i) {
        const made_bytes data = packed ? pack(&arrays[i]) : arrays[i];
        unsigned char* at = zip.bytes + zip.size;
        places[i] = zip.size;
        sizes[i] = data.size;
        memcpy(at, "PK\3\4", 4);
        put_fields(at + 4, packed, &arrays[i], data.size, names[i]);
        put(at + 28, 4, 2, false);  // an extra field that the directory lacks
        memcpy(at + 30, names[i], strlen(names[i]));
        put(at + 30 + strlen(names[i]), 0xcafe, 4, false);
        memcpy(at + 34 + strlen(names[i]), data.bytes, data.size);
        zip.size += 34 + strlen(names[i]) + data.size;
        if (packed) {
            free(data.bytes);
        }
    }
    const size_t directory = zip.size;
    for (size_t i = 0; i < count; ++i) {
        unsigned char* at = zip.bytes + zip.size;
        memcpy(at, "PK\1\2", 4);
        put(at + 4, 20, 2, false);
        put_fields(at + 6, packed, &arrays[i], sizes[i], names[i]);
        put(at + 42, places[i], 4, false);
        memcpy(at + 46, names[i], strlen(names[i]));
        zip.size += 46 + strlen(names[i]);
    }
    unsigned char* end = zip.bytes + zip.size;
    memcpy(end, "PK\5\6", 4);
    put(end + 8, count, 2, false);
    put(end + 10, count, 2, false);
    put(end + 12, zip.size - directory, 4, false);
    put(end + 16, directory, 4, false);
    zip.size += 22;
    return zip;
}
