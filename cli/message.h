// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints messages on the standard error output, and allocates memory or ends the command.
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

// exit codes of every subcommand
enum {
    EXIT_NOTHING = 0,   // done; nothing was found
    EXIT_FOUND = 1,     // done; contact, or a wrong answer, was found
    EXIT_FAILED = 2,    // could not be done; the reason is on the standard error output
    EXIT_UNREAD = 141,  // the reader of the standard output closed the pipe
};

/// Prints "abut: " and an error message. Always returns EXIT_FAILED, so that a command can write
/// `return complain(...)`.
int complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// The last error message, cleaned.
const char* last_complaint(void);

/// Prints "abut: warning: " and the message.
void warn(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Stores the error of the standard output, if any, for check_output(). Call it after each piece of
/// output, because the next system call overwrites errno.
void watch_output(void);
/// Whether everything was written to the standard output. False after an error message.
bool check_output(void);

/// Whether the reader of the standard output closed the pipe, as `head` does. Then no message is
/// printed, and the exit code is EXIT_UNREAD, as if SIGPIPE had ended the program.
bool output_gone(void);

/// Zeroed memory. If there is none, the command ends with an error message and EXIT_FAILED.
void* allocate(size_t count, size_t size);
/// The same for a block that grows; new bytes are not zeroed.
void* reallocate(void* memory, size_t count, size_t size);

/// The entry of `words` most similar to `word`, for "did you mean"; NULL if none is similar.
const char* nearest_word(const char* word, const char* const* words, size_t count);

#endif
