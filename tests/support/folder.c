// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
#define _XOPEN_SOURCE 700

#include "support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];

const char* folder_path(void) {
    return folder;
}

int enter_folder(void** state) {
    (void)state;
    strcpy(folder, "/tmp/abut_test_XXXXXX");
    // the command keeps nothing in the user's own folder
    return mkdtemp(folder) == NULL || setenv("XDG_CACHE_HOME", folder, 1) != 0;
}

int leave_folder(void** state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0;
}

int enter_current_folder(void** state) {
    return enter_folder(state) != 0 || chdir(folder) != 0;
}

int leave_current_folder(void** state) {
    return chdir("/") != 0 || leave_folder(state) != 0;
}

void folder_write(const char* name, const char* bytes, size_t size, char path[1024]) {
    snprintf(path, 1024, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}
