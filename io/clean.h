// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Text from strangers: names of files, of nodes and animations within them, and what other libraries
// say about them. A terminal obeys some characters, and some turn the order of the others round.
#ifndef IO_CLEAN_H
#define IO_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The bytes of the UTF-8 character at `text`, at least 1 before the end of the text; `code`
/// receives it, or UINT32_MAX for a byte that is none.
size_t io_character(const char* text, uint32_t* code);

/// Whether a terminal might obey a character (U+0000 to 1F, 7F to 9F), or show others elsewhere
/// because of it (marks of direction, ends of lines and paragraphs).
bool io_is_control(uint32_t code);

/// Puts '?' in place of all such characters, and of bytes that are no UTF-8. Everything from outside
/// that is printed goes through this. Returns `text`.
char* io_clean(char* text);

#endif
