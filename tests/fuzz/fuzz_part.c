// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the reader of parts of a check. Bytes get the seal that they need, because none would be hit by chance (scripts/fuzz).
#include "cli/farm/part.h"
#include "cli/farm/part_seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

static void read_all(part* p) {
    static const question ask = {.between = true, .self = true, .inside = true, .sweep = true};
    bool failed = false;
    baseline* known = part_baseline(p, &failed);
    if (known != NULL) {
        (void)part_see(p, known);
        baseline_free(known);
    }
    for (size_t i = 0; i < p->frame_count && i < 8; ++i) {
        outcome now;
        (void)part_outcome(p, i, &ask, 2, &now);
        outcome_free(&now);
    }
    json_decref(part_descriptions(p));
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    char* whole = malloc(size + SEAL_SIZE + 1);
    if (whole == NULL) {
        return 0;
    }
    part p = {0};
    memcpy(whole, bytes, size);
    seal_make(whole, size, whole + size);
    if (part_parse(&p, "fuzz.part", whole, size + SEAL_SIZE)) {
        read_all(&p);
    }
    part_free(&p);
    free(whole);
    return 0;
}
