// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sentences for people on the standard error output, and memory that is there or ends the command.
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>

// exit codes of every subcommand
enum {
    EXIT_NOTHING = 0,   // done; nothing was found
    EXIT_FOUND = 1,     // done; contact, or a wrong answer, was found
    EXIT_FAILED = 2,    // could not be done; the reason is on the standard error output
    EXIT_UNREAD = 141,  // the reader of the standard output went away
};

/// Prints "abut: " and the sentence. Always returns EXIT_FAILED, so that a command can say
/// `return complain(...)`.
int complain(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Prints "abut: warning: " and the sentence.
void warn(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// Call after printing a piece: if the standard output failed, the reason is kept for
/// check_output(), for it is lost with the next call of the system.
void watch_output(void);
/// Whether everything was written to the standard output; otherwise false, after a sentence.
bool check_output(void);

/// Whether the standard output failed because its reader went away, as `head` does: then nothing is
/// said, and the exit code is that of a program which a closed pipe ends.
bool output_gone(void);

/// Memory, zeroed. When there is none the command ends with a sentence and EXIT_FAILED.
void* allocate(size_t count, size_t size);
/// The same for a block that grows.
void* reallocate(void* memory, size_t count, size_t size);

/// The entry of `words` that is most like `word`, or NULL if none is near: for "did you mean".
const char* nearest_word(const char* word, const char* const* words, size_t count);

#endif
