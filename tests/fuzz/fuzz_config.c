// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fuzzes the reader of settings (.abut.toml), and of the options in it (scripts/fuzz).
#include "cli/check_options.h"
#include "cli/gate/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
    config c = {0};
    if (config_parse(&c, ".abut.toml", (const char*)bytes, size)) {
        (void)arguments_parse("check", check_options, CHECK_OPTIONS, (int)c.count, c.words,
                              &c.parsed);
    }
    config_free(&c);
    return 0;
}
