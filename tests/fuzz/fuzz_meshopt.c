// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the decoder of compressed buffer views (scripts/fuzz). The first three bytes select the
// mode and the filter, the stride and the count.
#include "io/meshopt.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    if (size < 3) {
        return 0;
    }
    const unsigned mode = bytes[0] % 3;
    const meshopt_filter filter = (meshopt_filter)(bytes[0] / 3 % 5);
    const size_t stride = mode == 0 ? 4 * (1 + (size_t)bytes[1] % 64) : 2 + 2 * (bytes[1] % 2);
    const size_t count = mode == 1 ? 3 * (1 + (size_t)bytes[2]) : 1 + 3 * (size_t)bytes[2];
    const meshopt_stream stream = {bytes + 3, size - 3, count, stride};
    unsigned char* out = malloc(count * stride);
    if (out != NULL) {
        const char* problem = mode == 0   ? meshopt_attributes(&stream, out)
                              : mode == 1 ? meshopt_triangles(&stream, out)
                                          : meshopt_indices(&stream, out);
        if (problem == NULL && mode == 0 && meshopt_filter_fits(filter, stride)) {
            meshopt_filter_apply(filter, out, count, stride);
        }
    }
    free(out);
    return 0;
}
