// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the reader of baselines (--baseline FILE) (scripts/fuzz).
#include "cli/gate/baseline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    baseline* b = baseline_parse("fuzz.baseline", (const char*)bytes, size);
    if (b != NULL) {
        FILE* file = tmpfile();
        if (file != NULL) {
            baseline_write(b, file);
            fclose(file);
        }
        baseline_free(b);
    }
    return 0;
}
