// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Unpacks parts of files: see inflate.h.
#include "io/inflate.h"

#include <zlib.h>

#define MOST_BYTES ((uint64_t)8 << 30)
#define FREE_BYTES ((uint64_t)64 << 20)
enum { MOST_RATIO = 256, PIECE = 1 << 30 };

bool io_unpacked_size_fits(uint64_t packed, uint64_t size) {
    return size <= FREE_BYTES || (size <= MOST_BYTES && size / MOST_RATIO <= packed);
}

static unsigned piece(size_t left) {
    return left < PIECE ? (unsigned)left : (unsigned)PIECE;
}

bool io_inflate(const unsigned char* in, size_t packed, io_packing packing, unsigned char* out,
                size_t size) {
    z_stream z = {0};
    unsigned char beyond;  // a byte more shows data that are too long
    size_t taken = 0;
    size_t given = 0;
    if (inflateInit2(&z, packing == IO_PACKED_RAW ? -15 : 15) != Z_OK) {
        return false;
    }
    int result = Z_OK;
    while (result == Z_OK) {
        const unsigned in_piece = piece(packed - taken);
        const unsigned out_piece = given < size ? piece(size - given) : 1;
        z.next_in = (unsigned char*)(uintptr_t)(in + taken);
        z.avail_in = in_piece;
        z.next_out = given < size ? out + given : &beyond;
        z.avail_out = out_piece;
        result = inflate(&z, Z_NO_FLUSH);
        taken += in_piece - z.avail_in;
        given += out_piece - z.avail_out;
        if (given > size) {
            break;
        }
    }
    inflateEnd(&z);
    return result == Z_STREAM_END && given == size;
}

uint32_t io_crc32(const unsigned char* bytes, size_t size) {
    unsigned long sum = crc32(0, NULL, 0);
    for (size_t at = 0; at < size; at += piece(size - at)) {
        sum = crc32(sum, bytes + at, piece(size - at));
    }
    return (uint32_t)sum;
}
