// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs numbers for the report's page: bytes of equal significance together, so that they compress
// well; then gzip; then base64 in an element of the page. All numbers are little-endian.
#ifndef CLI_REPORT_PACK_H
#define CLI_REPORT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// A growing array of bytes. A zeroed struct is empty.
typedef struct pack {
    uint8_t* bytes;
    size_t size;
    size_t room;
} pack;

void pack_free(pack* p);
void pack_clear(pack* p);
/// Adds numbers: first the low bytes of all, then the next ones, up to the high bytes.
void pack_u16(pack* p, const uint16_t* numbers, size_t count);
void pack_u32(pack* p, const uint32_t* numbers, size_t count);
/// Adds doubles byte by byte.
void pack_f64(pack* p, const double* numbers, size_t count);

/// Takes the part NAME-NUMBER of a page. False if that fails.
typedef struct part_sink {
    bool (*take)(void* user, const pack* p, const char* name, size_t number);
    void* user;
} part_sink;

/// Takes parts as elements of a page, compressed; `user` is its file.
bool pack_write(void* user, const pack* p, const char* name, size_t number);

#endif
