// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut cache: tells where prepared shapes are kept, and removes them.
#include "cli/command.h"
#include "cli/message.h"
#include "cli/shape_cache.h"

#include <stdio.h>
#include <string.h>

static int print_cache(void) {
    char path[SHAPE_CACHE_PATH];
    if (!shape_cache_folder(path)) {
        return complain("no folder for prepared shapes: neither XDG_CACHE_HOME nor HOME is a path");
    }
    const shape_cache_info info = shape_cache_inspect();
    printf("folder  %s\nshapes  %zu\nsize    %.1f MB\n", path, info.count,
           (double)info.bytes * 1e-6);
    return EXIT_NOTHING;
}

static int clear(void) {
    const size_t left = shape_cache_clear();
    return left == 0 ? EXIT_NOTHING : complain("%zu prepared shapes could not be removed", left);
}

static int run(const arguments* given) {
    if (given->plain_count == 0) {
        return print_cache();
    }
    if (given->plain_count == 1 && strcmp(given->plain[0], "clear") == 0) {
        return clear();
    }
    return complain("'abut cache' takes nothing, or the word clear");
}

const command cache_command = {
    .name = "cache",
    .summary = "print where prepared shapes are kept, or remove them",
    .usage = "cache [clear] [options]",
    .about =
        "'abut check' keeps what it prepares for contact within large models: their shapes,\n"
        "with what proves parts of them free of contact. The next check of the same model\n"
        "begins at once, with the same answer. Shapes are in XDG_CACHE_HOME/abut, or\n"
        "~/.cache/abut, at most 1 GB in all; those that were not used for longest go first.\n"
        "'abut cache' prints the folder, the number of shapes and their size; 'abut cache\n"
        "clear' removes them all.",
    .options = NULL,
    .option_count = 0,
    .examples =
        "abut cache\n"
        "abut cache clear",
    .exits = "0 done, 2 shapes could not be removed",
    .run = run,
};
