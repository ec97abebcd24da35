// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A position in a text, for reading it line by line. Internal to io/.
#ifndef IO_TEXT_H
#define IO_TEXT_H

#include "io/number.h"

#include <stddef.h>
#include <string.h>

typedef struct io_text {
    const char* at;
    const char* end;
    size_t line;   // number of the line at `at`, from 1
    char newline;  // '\n', or '\r' in old files without '\n'; otherwise '\r' counts as a blank
} io_text;

static inline io_text io_text_of(const char* bytes, size_t size) {
    const bool has_newline = size == 0 || memchr(bytes, '\n', size) != NULL;
    return (io_text){bytes, bytes + size, 1, has_newline ? '\n' : '\r'};
}

static inline bool io_is_blank(const io_text* text, char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f' || (c == '\r' && c != text->newline);
}

static inline void io_skip_blanks(io_text* text) {
    while (text->at < text->end && io_is_blank(text, *text->at)) {
        ++text->at;
    }
}

static inline bool io_at_line_end(const io_text* text) {
    return text->at == text->end || *text->at == text->newline;
}

// whether a word may end here
static inline bool io_at_separator(const io_text* text) {
    return io_at_line_end(text) || io_is_blank(text, *text->at);
}

// whether a number may end here: also before a comment or a line continuation (backslash)
static inline bool io_at_number_end(const io_text* text) {
    return io_at_separator(text) || *text->at == '#' || *text->at == '\\';
}

// moves to the first byte of the next line; a last line without a newline ends the text
static inline void io_next_line(io_text* text) {
    const size_t left = (size_t)(text->end - text->at);
    const char* found = left == 0 ? NULL : memchr(text->at, text->newline, left);
    text->at = found == NULL ? text->end : found + 1;
    text->line += found != NULL;
}

// skips blanks, line ends and comments ('#' to the line's end)
static inline void io_skip_empty_lines(io_text* text) {
    for (;;) {
        io_skip_blanks(text);
        if (text->at == text->end || (*text->at != text->newline && *text->at != '#')) {
            return;
        }
        io_next_line(text);
    }
}

// whether the word at this position is `word`
static inline bool io_at_word(const io_text* text, const char* word) {
    const size_t length = strlen(word);
    if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0) {
        return false;
    }
    const io_text after = {text->at + length, text->end, text->line, text->newline};
    return io_at_separator(&after);
}

#endif
