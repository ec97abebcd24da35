// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs numbers for the report's page: see report_pack.h.
#include "cli/report_pack.h"

#include "cli/base64.h"
#include "cli/message.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, LEVEL = 6, PIECE = 3 * 16384 };

void pack_free(pack* p) {
    free(p->bytes);
    *p = (pack){0};
}

void pack_clear(pack* p) {
    p->size = 0;
}

// makes room for `size` more bytes; never returns NULL, even for size 0
static uint8_t* more(pack* p, size_t size) {
    if (p->bytes == NULL || p->size + size > p->room) {
        p->room = 2 * p->room + size + 1;
        p->bytes = reallocate(p->bytes, p->room, 1);
    }
    uint8_t* at = p->bytes + p->size;
    p->size += size;
    return at;
}

void pack_u16(pack* p, const uint16_t* numbers, size_t count) {
    uint8_t* out = more(p, 2 * count);
    for (size_t i = 0; i < count; ++i) {
        out[i] = (uint8_t)(numbers[i] & 255u);
        out[count + i] = (uint8_t)(numbers[i] >> 8);
    }
}

void pack_u32(pack* p, const uint32_t* numbers, size_t count) {
    uint8_t* out = more(p, 4 * count);
    for (size_t i = 0; i < count; ++i) {
        for (unsigned k = 0; k < 4; ++k) {
            out[k * count + i] = (uint8_t)(numbers[i] >> (8 * k) & 255u);
        }
    }
}

void pack_f64(pack* p, const double* numbers, size_t count) {
    memcpy(more(p, count * sizeof *numbers), numbers, count * sizeof *numbers);
}

// all pieces but the last are multiples of three bytes, so that their base64 can be joined
static bool write_compressed(const pack* p, FILE* file) {
    z_stream stream = {0};
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        return false;
    }
    uint8_t* piece = allocate(PIECE, 1);
    size_t taken = 0;
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        stream.next_out = piece;
        stream.avail_out = PIECE;
        while (stream.avail_out > 0 && state != Z_STREAM_END) {
            if (stream.avail_in == 0 && taken < p->size) {
                const size_t left = p->size - taken;
                const size_t next = left < (1u << 20) ? left : (1u << 20);
                stream.next_in = p->bytes + taken;
                stream.avail_in = (uInt)next;
                taken += next;
            }
            state = deflate(&stream, taken == p->size ? Z_FINISH : Z_NO_FLUSH);
        }
        base64_write(file, piece, PIECE - stream.avail_out);
    }
    free(piece);
    deflateEnd(&stream);
    return true;
}

bool pack_write(void* user, const pack* p, const char* name, size_t number) {
    FILE* file = user;
    fprintf(file, "<script type=\"application/octet-stream\" id=\"%s-%zu\">", name, number);
    const bool done = write_compressed(p, file);
    fprintf(file, "</script>\n");
    return done && ferror(file) == 0;
}
