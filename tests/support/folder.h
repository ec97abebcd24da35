// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A folder of its own for every test that writes files, gone after it: setup and teardown for cmocka.

#ifndef ABUT_TESTS_SUPPORT_FOLDER_H
#define ABUT_TESTS_SUPPORT_FOLDER_H

#include <stddef.h>

/// The folder of the present test.
const char* folder_path(void);

/// Makes an empty folder under /tmp; leave_folder() removes it and all in it.
int enter_folder(void** state);
int leave_folder(void** state);
/// The same, and it is the current folder while the test runs.
int enter_current_folder(void** state);
int leave_current_folder(void** state);

/// Writes a file into the folder; `path` receives where it is.
void folder_write(const char* name, const char* bytes, size_t size, char path[1024]);

#endif  // ABUT_TESTS_SUPPORT_FOLDER_H
