// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The hash SHA-256 (FIPS 180-4). No two inputs with the same sum are known.
#ifndef CLI_SHA256_H
#define CLI_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };

typedef struct sha256 {
    uint32_t state[8];
    uint64_t size;  ///< bytes so far
    unsigned char block[SHA256_BLOCK];
} sha256;

sha256 sha256_begin(void);
void sha256_add(sha256* sum, const void* bytes, size_t size);
/// Returns the sum of all bytes that were added; more may be added to the original.
void sha256_end(sha256 sum, unsigned char out[SHA256_BYTES]);

#endif
