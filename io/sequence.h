// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The files that an argument of the command stands for: one mesh, or the frames of a sequence.
#ifndef IO_SEQUENCE_H
#define IO_SEQUENCE_H

#include "io/error.h"

#include <stdint.h>

/// The frames of an object, in the order of their numbers.
typedef struct io_sequence {
    char** paths;
    uint64_t* numbers;  ///< in the names, ascending; NULL for a file that was named itself
    size_t count;       ///< at least one
} io_sequence;

/// Finds the files of `object`, which is one of
/// - a file, or - for the standard input: one frame;
/// - a folder: all meshes in it (by their endings);
/// - a pattern with * ? [..] as in a shell (`cloth_*.obj`), or with one %d or %04d in its last
///   part (`cloth_%04d.obj`; any number with at least so many digits).
/// A name that exists is taken as it is. Several files must differ in one number only: that is
/// the frame's, and 2 comes before 10. Gaps are fine; anything else is an error that names two of
/// the files. The number of a single file that a pattern or folder has is the last in its name (0 if
/// there is none). Free with io_sequence_free().
bool io_sequence_list(const char* object, io_sequence* out, io_error* error);

/// How many of the first names look like the frames of one sequence: they are the same except for
/// one number. Two or more of them give a pattern for all, such as cloth_*.obj.
size_t io_sequence_alike(const char* const* names, size_t count, char* pattern, size_t size);

/// Frees what a sequence holds and makes it empty. An empty one is fine.
void io_sequence_free(io_sequence* sequence);

#endif
