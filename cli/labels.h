// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Names of objects as people read them: without the folders or the file that all share, and told apart
// where they are equal. Files for programs keep the whole names.
#ifndef CLI_LABELS_H
#define CLI_LABELS_H

#include <stddef.h>

/// A label for each name: what all have in common up to a '/' or ':' is left out, and equal ones are
/// followed by the number of the object, such as "leg.obj (object 2)". Bytes that a terminal might obey
/// become '?', and of long labels the end is kept. Free with labels_free().
char** labels_make(const char* const* names, size_t count);
void labels_free(char** labels, size_t count);

#endif
