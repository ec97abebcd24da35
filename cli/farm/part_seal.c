// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes and checks the seals of parts: see part_seal.h.
#include "cli/farm/part_seal.h"

#include "cli/sha256.h"

#include <stdio.h>
#include <string.h>

void sum_of(const void* bytes, size_t size, char sum[SUM_SIZE + 1]) {
    unsigned char raw[SHA256_BYTES];
    sha256 hash = sha256_begin();
    sha256_add(&hash, bytes, size);
    sha256_end(hash, raw);
    for (size_t i = 0; i < SHA256_BYTES; ++i) {
        snprintf(sum + 2 * i, 3, "%02x", raw[i]);
    }
}

void seal_make(const char* bytes, size_t size, char seal[SEAL_SIZE + 1]) {
    char sum[SUM_SIZE + 1];
    sum_of(bytes, size, sum);
    snprintf(seal, SEAL_SIZE + 1, "\"seal\": \"%s\"}\n", sum);
}

bool seal_fits(const char* bytes, size_t size) {
    char seal[SEAL_SIZE + 1];
    if (size < SEAL_SIZE) {
        return false;
    }
    seal_make(bytes, size - SEAL_SIZE, seal);
    return memcmp(bytes + size - SEAL_SIZE, seal, SEAL_SIZE) == 0;
}
