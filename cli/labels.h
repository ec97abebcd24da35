// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes labels of objects, for tables and messages: names without the folders or the file that all
// share, numbered where they are equal. Files for other programs use the whole names.
#ifndef CLI_LABELS_H
#define CLI_LABELS_H

#include <stddef.h>

/// Makes a label for each name. The common prefix up to a '/' or ':' is left out; equal labels are
/// followed by the number of the object, such as "leg.obj (object 2)". Control characters become
/// '?'; long labels are cut to their end. Free with labels_free().
char** labels_make(const char* const* names, size_t count);
void labels_free(char** labels, size_t count);

#endif
