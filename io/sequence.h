// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the files that an argument of the command stands for: one mesh, or the frames of a
// sequence.
#ifndef IO_SEQUENCE_H
#define IO_SEQUENCE_H

#include "io/error.h"

#include <stdint.h>

/// The frames of an object, in the order of their numbers.
typedef struct io_sequence {
    char** paths;
    uint64_t* numbers;  ///< in the names, ascending; NULL if the object is the name of a file
    size_t count;       ///< at least one
} io_sequence;

/// Finds the files of `object`, which is one of
/// - a file, or - for the standard input: one frame;
/// - a .pvd file: the files that it lists, in the order of their times, without numbers;
/// - a folder: all meshes in it (by their endings);
/// - a pattern with * ? [..] as in a shell (`cloth_*.obj`), or with one %d or %04d in its last
///   part (`cloth_%04d.obj`; any number with at least so many digits).
/// A name that exists is not a pattern. Several files must differ in one number only, which is that
/// of the frame: 2 comes before 10. Gaps are allowed; any other difference is an error that names
/// two of the files. A single file of a pattern or folder has the last number in its name, or 0.
/// Free with io_sequence_free().
bool io_sequence_list(const char* object, io_sequence* out, io_error* error);

/// Returns how many of the first names look like the frames of one sequence: equal except for one
/// number. If there are two or more, writes a pattern for them, such as cloth_*.obj.
size_t io_sequence_alike(const char* const* names, size_t count, char* pattern, size_t size);

/// Frees the arrays of a sequence and makes it empty. An empty sequence is allowed.
void io_sequence_free(io_sequence* sequence);

#endif
