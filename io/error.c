// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Error messages: see error.h.
#include "io/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool io_fail(io_error* error, const char* format, ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return false;
}

bool io_fail_in(io_error* error, const char* name, const char* format, ...) {
    enum { LONGEST_NAME = 300 };
    if (error == NULL) {
        return false;
    }
    const size_t length = strlen(name);
    const bool cut = length > LONGEST_NAME;
    const int used = snprintf(error->message, sizeof error->message, "%s%s: ", cut ? "..." : "",
                              cut ? name + (length - LONGEST_NAME) : name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message + used, sizeof error->message - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

const char* io_excerpt(const char* at, const char* end, char excerpt[IO_EXCERPT_SIZE]) {
    const size_t most = IO_EXCERPT_SIZE - 4;
    size_t count = 0;
    while (at < end && count < most && (unsigned char)*at > ' ') {
        excerpt[count++] = (unsigned char)*at < 127 ? *at : '?';
        ++at;
    }
    // a control byte at the start: show that something is there
    if (count == 0 && at < end && *at != ' ' && *at != '\t' && *at != '\n' && *at != '\r') {
        excerpt[count++] = '?';
    }
    if (count == most && at < end && (unsigned char)*at > ' ') {
        memcpy(excerpt + count, "...", 3);
        count += 3;
    }
    excerpt[count] = '\0';
    return excerpt;
}
