// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the reader of lists of files with any bytes (scripts/fuzz).
#include "io/pvd.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    io_sequence files;
    io_error error = {""};
    if (!io_parse_pvd("fuzz/list.pvd", (const char*)bytes, size, &files, &error)) {
        return error.message[0] == '\0' ? abort(), 0 : 0;
    }
    if (files.count == 0) {
        abort();
    }
    io_sequence_free(&files);
    return 0;
}
