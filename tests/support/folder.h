// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Setup and teardown for cmocka: a temporary folder for each test that writes files.

#ifndef ABUT_TESTS_SUPPORT_FOLDER_H
#define ABUT_TESTS_SUPPORT_FOLDER_H

#include <stddef.h>

/// The folder of the present test.
const char* folder_path(void);

/// Makes an empty folder under /tmp; leave_folder() removes it and all in it.
int enter_folder(void** state);
int leave_folder(void** state);
/// The same, and the folder is the current one while the test runs.
int enter_current_folder(void** state);
int leave_current_folder(void** state);

/// Writes a file into the folder; `path` receives its path.
void folder_write(const char* name, const char* bytes, size_t size, char path[1024]);

#endif  // ABUT_TESTS_SUPPORT_FOLDER_H
