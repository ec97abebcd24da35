// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A strict reader of the PNG files that the command writes; it shares no code with the writer.
#ifndef TEST_PNG_SUPPORT_H
#define TEST_PNG_SUPPORT_H

#include "test_command_support.h"

#include <zlib.h>

typedef struct image {
    uint32_t width;
    uint32_t height;
    uint8_t* rows;  // a filter byte, then red, green and blue of each pixel
} image;

static inline uint32_t number_at(const uint8_t* bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static inline size_t read_bytes(const char* name, uint8_t** bytes) {
    FILE* file = fopen(name, "rb");
    assert_non_null(file);
    *bytes = malloc(1 << 22);
    assert_non_null(*bytes);
    const size_t size = fread(*bytes, 1, 1 << 22, file);
    fclose(file);
    assert_true(size < 1 << 22);
    return size;
}

// undoes the filter "Up"
static inline void undo_filter(image* i) {
    const size_t stride = 1 + 3 * (size_t)i->width;
    for (uint32_t y = 0; y < i->height; ++y) {
        uint8_t* row = i->rows + y * stride;
        assert_int_equal(row[0], 2);
        const uint8_t* above = y > 0 ? row - stride : NULL;
        for (size_t k = 1; k < stride && above != NULL; ++k) {
            row[k] = (uint8_t)(row[k] + above[k]);
        }
    }
}

static inline image read_png(const char* name) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t* bytes;
    const size_t size = read_bytes(name, &bytes);
    image i = {0};
    assert_true(size > 8 && memcmp(bytes, signature, 8) == 0);
    const char* expected[3] = {"IHDR", "IDAT", "IEND"};
    size_t at = 8;
    for (int k = 0; k < 3; ++k) {
        const uint32_t length = number_at(bytes + at);
        const uint8_t* data = bytes + at + 8;
        assert_true(at + 12 + length <= size && memcmp(data - 4, expected[k], 4) == 0);
        assert_int_equal(crc32(0, data - 4, length + 4), number_at(data + length));
        if (k == 0) {
            i.width = number_at(data);
            i.height = number_at(data + 4);
            assert_true(data[8] == 8 && data[9] == 2);
        } else if (k == 1) {
            uLongf room = (uLongf)i.height * (1 + 3 * (uLongf)i.width);
            i.rows = malloc(room);
            assert_non_null(i.rows);
            const uLongf wanted = room;
            assert_int_equal(uncompress(i.rows, &room, data, length), Z_OK);
            assert_int_equal(room, wanted);
        }
        at += 12 + length;
    }
    assert_int_equal(at, size);
    free(bytes);
    undo_filter(&i);
    return i;
}

#endif
