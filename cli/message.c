// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints messages: see message.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/message.h"

#include "cli/progress.h"
#include "io/clean.h"
#include "io/output.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// where messages go: the standard error output, or the standard output if the former is an input;
// NULL if both are
static FILE* message_stream(void) {
    return !io_is_input(STDERR_FILENO) ? stderr : !io_is_input(STDOUT_FILENO) ? stdout : NULL;
}

// prints a message; control characters in names of files become '?'
static void print_safely(const char* prefix, const char* format, va_list arguments) {
    char text[2048];
    FILE* to = message_stream();
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): the callers start it
    vsnprintf(text, sizeof text, format, arguments);
    io_clean(text);
    if (to == NULL) {
        return;
    }
    progress_wipe();
    fflush(stdout);  // keeps the order of the two streams
    fprintf(to, "%s%s\n", prefix, text);
}

static char last_text[1024];

int complain(const char* format, ...) {
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    flockfile(stderr);  // several workers may fail at once
    vsnprintf(last_text, sizeof last_text, format, again);
    io_clean(last_text);
    funlockfile(stderr);
    va_end(again);
    print_safely("abut: ", format, arguments);
    va_end(arguments);
    return EXIT_FAILED;
}

const char* last_complaint(void) {
    return last_text;
}

void warn(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_safely("abut: warning: ", format, arguments);
    va_end(arguments);
}

static int output_error;      // errno of the first failed write
static bool output_reported;  // the error was printed

void watch_output(void) {
    if (ferror(stdout) && output_error == 0) {
        output_error = errno;
    }
}

// errno may be that of a later call, so poll() is used to find out whether the pipe is closed
bool output_gone(void) {
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return ferror(stdout) &&
           (output_error == EPIPE || (poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0));
}

bool check_output(void) {
    const bool flushed = fflush(stdout) == 0;
    watch_output();
    if (flushed && !ferror(stdout)) {
        return true;
    }
    if (!output_reported && !output_gone()) {
        complain("the output could not be written: %s",
                 output_error != 0 ? strerror(output_error) : "the reason is not known");
    }
    output_reported = true;
    return false;
}

void* allocate(size_t count, size_t size) {
    void* memory = calloc(count == 0 ? 1 : count, size);
    if (memory == NULL) {
        exit(complain("there is not enough memory"));
    }
    return memory;
}

void* reallocate(void* memory, size_t count, size_t size) {
    const bool fits = size == 0 || count <= SIZE_MAX / size;
    const size_t bytes = fits && count * size > 0 ? count * size : 1;
    void* grown = fits ? realloc(memory, bytes) : NULL;
    if (grown == NULL) {
        exit(complain("there is not enough memory"));
    }
    return grown;
}

// the number of letters to insert, delete or change to turn a into b
static size_t edit_distance(const char* a, const char* b) {
    enum { LONGEST = 31 };
    size_t row[LONGEST + 1];
    const size_t length = strlen(b);
    if (length > LONGEST) {
        return SIZE_MAX;
    }
    for (size_t j = 0; j <= length; ++j) {
        row[j] = j;
    }
    for (size_t i = 1; a[i - 1] != '\0'; ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; ++j) {
            const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
            const size_t moved = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = changed < moved ? changed : moved;
        }
    }
    return row[length];
}

const char* nearest_word(const char* word, const char* const* words, size_t count) {
    const char* best = NULL;
    size_t least = strlen(word) / 2 + 1;  // larger distances do not count
    for (size_t i = 0; i < count; ++i) {
        const bool start = word[0] != '\0' && strncmp(words[i], word, strlen(word)) == 0;
        const size_t distance = start ? 1 : edit_distance(word, words[i]);
        if (distance < least) {
            least = distance;
            best = words[i];
        }
    }
    return best;
}
