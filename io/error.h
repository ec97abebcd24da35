// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// An error of reading or writing a file: one sentence that names the file and the place in it.
#ifndef IO_ERROR_H
#define IO_ERROR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct io_error {
    char message[1024];  ///< 0-terminated, without a final newline
} io_error;

/// Formats the message and returns false, so that a reader can write `return io_fail(...)`. `error`
/// may be NULL.
bool io_fail(io_error* error, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// The same, with the file's name in front. A very long name is cut to its end, so that the reason
/// always fits.
bool io_fail_in(io_error* error, const char* name, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

enum { IO_EXCERPT_SIZE = 28 };

/// Copies the first few bytes of [at, end), up to a blank, for use in a message. Control bytes
/// become '?'. Returns `excerpt`.
const char* io_excerpt(const char* at, const char* end, char excerpt[IO_EXCERPT_SIZE]);

#endif
