// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Unpacks compressed parts of files whose unpacked size is known. Internal to io/.
#ifndef IO_INFLATE_H
#define IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether so many packed bytes may say that they unpack to `size`: at most 8 GiB, and beyond 64 MiB
/// at most 256 times the packed size. Ask before memory is allocated.
bool io_unpacked_size_fits(uint64_t packed, uint64_t size);

typedef enum io_packing {
    IO_PACKED_ZLIB,  ///< with the header and the checksum of zlib
    IO_PACKED_RAW,   ///< deflate alone, as in ZIP archives
} io_packing;

/// Unpacks to exactly `size` bytes. False if the data are damaged, or unpack to another size.
bool io_inflate(const unsigned char* in, size_t packed, io_packing packing, unsigned char* out,
                size_t size);
/// The CRC-32 of bytes, as in ZIP archives.
uint32_t io_crc32(const unsigned char* bytes, size_t size);

#endif
