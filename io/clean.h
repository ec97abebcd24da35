// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes untrusted text safe to print: names of files, of nodes and of animations, and messages of
// other libraries. Control characters can steer a terminal, and direction marks can reorder the
// text.
#ifndef IO_CLEAN_H
#define IO_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns the number of bytes of the UTF-8 character at `text`, at least 1 before the end of the
/// text. Sets *code to the character, or to UINT32_MAX for an invalid byte.
size_t io_character(const char* text, uint32_t* code);

/// Whether a character can steer a terminal (U+0000 to 1F, 7F to 9F) or move other characters
/// (direction marks, line and paragraph separators).
bool io_is_control(uint32_t code);

/// Replaces such characters, and bytes that are not UTF-8, by '?'. Every untrusted text passes
/// through this before it is printed. Returns `text`.
char* io_clean(char* text);

#endif
