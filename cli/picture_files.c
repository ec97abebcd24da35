// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Pictures for others: as PNG, and as text in a terminal. See picture.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/message.h"
#include "cli/picture.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put_u32(uint8_t* at, uint32_t number) {
    for (int k = 0; k < 4; ++k) {
        at[k] = (uint8_t)(number >> (24 - 8 * k));
    }
}

static void write_chunk(FILE* file, const char name[4], const uint8_t* bytes, uint32_t size) {
    uint8_t head[8];
    uint8_t sum[4];
    put_u32(head, size);
    memcpy(head + 4, name, 4);
    uLong crc = crc32(0, head + 4, 4);
    crc = size > 0 ? crc32(crc, bytes, size) : crc;
    put_u32(sum, (uint32_t)crc);
    fwrite(head, 1, sizeof head, file);
    fwrite(bytes, 1, size, file);
    fwrite(sum, 1, sizeof sum, file);
}

// Rows of pixels as PNG has them, each as differences from the row above, which compresses well.
static uint8_t* filtered_rows(const picture* p, int bits, size_t* size) {
    const size_t stride = 3 * (size_t)p->width;
    uint8_t* rows = allocate(p->height, 1 + stride);
    uint8_t* above = allocate(stride, 1);
    const uint8_t kept = (uint8_t)(0xff << (8 - bits));
    *size = p->height * (1 + stride);
    for (uint32_t y = 0; y < p->height; ++y) {
        uint8_t* row = rows + y * (1 + stride);
        row[0] = 2;  // "Up"
        for (uint32_t x = 0; x < p->width; ++x) {
            const colour c = picture_pixel(p, x, y);
            const uint8_t values[3] = {c.r & kept, c.g & kept, c.b & kept};
            for (uint32_t k = 0; k < 3; ++k) {
                row[1 + 3 * x + k] = (uint8_t)(values[k] - above[3 * x + k]);
                above[3 * x + k] = values[k];
            }
        }
    }
    free(above);
    return rows;
}

static bool write_png(const picture* p, int bits, FILE* file) {
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    uint8_t head[13] = {[8] = 8, [9] = 2};  // eight bits each of red, green and blue
    size_t size;
    uint8_t* rows = filtered_rows(p, bits, &size);
    uLongf packed_size = compressBound((uLong)size);
    uint8_t* packed = allocate(packed_size, 1);
    const bool done = compress2(packed, &packed_size, rows, (uLong)size, 9) == Z_OK;
    if (done) {
        put_u32(head, p->width);
        put_u32(head + 4, p->height);
        fwrite(signature, 1, sizeof signature, file);
        write_chunk(file, "IHDR", head, sizeof head);
        write_chunk(file, "IDAT", packed, (uint32_t)packed_size);
        write_chunk(file, "IEND", head, 0);
    }
    free(packed);
    free(rows);
    return done && ferror(file) == 0;
}

bool picture_write_png(const picture* p, FILE* file) {
    return write_png(p, 8, file);
}

bool picture_png(const picture* p, int bits, uint8_t** bytes, size_t* size) {
    char* text = NULL;
    FILE* file = open_memstream(&text, size);
    const bool written = file != NULL && write_png(p, bits, file);
    const bool done = file != NULL && fclose(file) == 0 && written;
    *bytes = (uint8_t*)text;
    if (!done) {
        free(text);
        *bytes = NULL;
    }
    return done;
}

void picture_print(const picture* p) {
    for (uint32_t y = 0; y + 1 < p->height; y += 2) {
        for (uint32_t x = 0; x < p->width; ++x) {
            const colour a = picture_pixel(p, x, y);
            const colour b = picture_pixel(p, x, y + 1);
            printf("\033[38;2;%d;%d;%d;48;2;%d;%d;%dm\u2580", a.r, a.g, a.b, b.r, b.g, b.b);
        }
        printf("\033[0m\n");
    }
}
