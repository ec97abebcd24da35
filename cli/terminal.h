// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Formats text for the terminal: colours, bars, numbers.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum style {
    STYLE_PLAIN = 0,
    STYLE_BOLD,
    STYLE_FAINT,
    STYLE_FOUND,  // something touches
    STYLE_CLEAR,  // nothing does
} style;

/// Checks the standard output and the environment once: colours only on a terminal that supports
/// them and without NO_COLOR; characters beyond ASCII only in a UTF-8 locale.
void terminal_setup(void);
bool terminal_has_colour(void);
bool terminal_has_utf8(void);

/// Prints to the standard output in a style: up to 1023 bytes within a line, cleaned (io/clean.h).
void print_styled(style look, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// 1234567 as "1,234,567".
enum { NUMBER_SIZE = 32 };
const char* grouped(uint64_t number, char text[NUMBER_SIZE]);

/// part / whole in per cent with three significant digits; "0 %" only if part is 0.
const char* percent(uint64_t part, double whole, char text[NUMBER_SIZE]);

/// Copies a name for display: cleaned (io/clean.h), and cut to its end if it has more than `width`
/// characters.
enum { NAME_SIZE = 256 };
const char* shown_name(const char* original, size_t width, char text[NAME_SIZE]);

/// The number of columns of a UTF-8 text.
size_t columns_of(const char* text);

/// Prints a bar of value / most x width columns, visible for any value above 0. A shaded bar
/// differs from others also without colours. Returns the number of columns printed.
size_t print_bar(uint64_t value, uint64_t most, size_t width, bool shaded, style look);

/// Formats a time: "3.1 ms", "2.4 s", "12 min".
const char* duration(double seconds, char text[NUMBER_SIZE]);

#endif
