// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Hashes the inputs of a check: see inputs.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/farm/inputs.h"

#include "cli/message.h"
#include "cli/sha256.h"
#include "io/output.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK = 1 << 20 };

typedef struct summer {
    sha256 sum;  // of the sums of the files
    unsigned char* block;
    char failed[256];  // the first file that cannot be read; empty: none
    int why;
} summer;

// folders and patterns are noted, too, and have no content
static void add_file(void* user, const char* path) {
    summer* s = user;
    struct stat info;
    if (s->failed[0] != '\0' || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    FILE* file = fopen(path, "rb");
    sha256 sum = sha256_begin();
    for (size_t got; file != NULL && (got = fread(s->block, 1, BLOCK, file)) != 0;) {
        sha256_add(&sum, s->block, got);
    }
    if (file == NULL || ferror(file) != 0) {
        s->why = errno;
        snprintf(s->failed, sizeof s->failed, "%s", path);
    }
    if (file != NULL) {
        fclose(file);
    }
    unsigned char raw[SHA256_BYTES];
    sha256_end(sum, raw);
    sha256_add(&s->sum, raw, sizeof raw);
}

bool inputs_sum(size_t mark, const char* more, char sum[SUM_SIZE + 1]) {
    summer s = {.sum = sha256_begin(), .block = allocate(BLOCK, 1)};
    const bool listed = io_inputs_since(mark, add_file, &s);
    if (more != NULL) {
        add_file(&s, more);
    }
    free(s.block);
    if (!listed || s.failed[0] != '\0') {
        complain(listed ? "%s cannot be read: %s" : "there is not enough memory%s%s", s.failed,
                 listed ? strerror(s.why) : "");
        return false;
    }
    unsigned char raw[SHA256_BYTES];
    sha256_end(s.sum, raw);
    sum_of(raw, sizeof raw, sum);
    return true;
}
