// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the unpacking of files.
#include "io/gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    // makes most inputs begin with a valid header
    static const unsigned char mark[] = {0x1f, 0x8b, 8, 0};
    io_error error;
    size_t packed = size + sizeof mark;
    char* bytes = malloc(packed);
    if (bytes == NULL) {
        return 0;
    }
    memcpy(bytes, mark, sizeof mark);
    if (size != 0) {
        memcpy(bytes + sizeof mark, data, size);
    }
    (void)io_gunzip("fuzz.gz", &bytes, &packed, &error);
    free(bytes);
    return 0;
}
