// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the readers of point caches with any bytes (scripts/fuzz). The first byte selects the
// ending.
#define _POSIX_C_SOURCE 200809L
#include "io/cache.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

static void read_all(io_cache* cache) {
    io_error error = {""};
    double* xyz = calloc(cache->vertex_count, 3 * sizeof *xyz);  // or floats
    for (size_t f = 0; xyz != NULL && f < cache->frame_count; ++f) {
        if (!io_cache_read(cache, f, 1, xyz, &error)) {
            break;
        }
        for (size_t i = 0; i < 3 * cache->vertex_count; ++i) {
            if (cache->doubles ? !isfinite(xyz[i]) : !isfinite(((const float*)xyz)[i])) {
                abort();
            }
        }
    }
    free(xyz);
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    static const char* const endings[] = {"pc2", "mdd", "f32", "npy", "npz"};
    char path[64];
    io_cache cache;
    io_error error = {""};
    if (size == 0) {
        return 0;
    }
    snprintf(path, sizeof path, "/tmp/abut_fuzz_%ld.%s", (long)getpid(), endings[bytes[0] % 5]);
    FILE* file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes + 1, 1, size - 1, file) != size - 1 || fclose(file) != 0) {
        abort();
    }
    if (io_cache_open(path, &cache, &error)) {
        read_all(&cache);
        io_cache_close(&cache);
    } else if (error.message[0] == '\0') {
        abort();
    }
    unlink(path);
    return 0;
}
