// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Formats text for the terminal: see terminal.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/terminal.h"

#include "io/clean.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colour;
static bool has_utf8;

static bool names_utf8(const char* locale) {
    return strstr(locale, "UTF-8") != NULL || strstr(locale, "utf8") != NULL ||
           strstr(locale, "UTF8") != NULL || strstr(locale, "utf-8") != NULL;
}

void terminal_setup(void) {
    const char* no_colour = getenv("NO_COLOR");
    const char* kind = getenv("TERM");
    has_colour = isatty(STDOUT_FILENO) == 1 && (no_colour == NULL || no_colour[0] == '\0') &&
                 kind != NULL && strcmp(kind, "dumb") != 0;
    // the first of these that is set decides, as in setlocale
    static const char* const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; ++i) {
        const char* value = getenv(variables[i]);
        if (value != NULL && value[0] != '\0') {
            has_utf8 = names_utf8(value);
            break;
        }
    }
}

bool terminal_has_colour(void) {
    return has_colour;
}

bool terminal_has_utf8(void) {
    return has_utf8;
}

void print_styled(style look, const char* format, ...) {
    static const char* const codes[] = {"", "\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[32m"};
    const bool coloured = has_colour && look != STYLE_PLAIN;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it was started in the line above
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // a line end is intended only if it ends the format
    const size_t length = strlen(format);
    const bool ends = length > 0 && format[length - 1] == '\n' && strchr(text, '\n') != NULL;
    if (ends) {
        *strrchr(text, '\n') = '\0';
    }
    fputs(coloured ? codes[look] : "", stdout);
    fputs(io_clean(text), stdout);
    fputs(coloured ? "\x1b[0m" : "", stdout);
    fputs(ends ? "\n" : "", stdout);
}

const char* grouped(uint64_t number, char text[NUMBER_SIZE]) {
    char digits[NUMBER_SIZE];
    const int count = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    size_t used = 0;
    for (int i = 0; i < count; ++i) {
        if (i != 0 && (count - i) % 3 == 0) {
            text[used++] = ',';
        }
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char* percent(uint64_t part, double whole, char text[NUMBER_SIZE]) {
    const double share = whole > 0 ? 100.0 * (double)part / whole : 0.0;
    if (part != 0 && share < 0.001) {
        snprintf(text, NUMBER_SIZE, "less than 0.001 %%");
    } else {
        const int digits = share >= 10 ? 0 : share >= 1 ? 1 : share >= 0.1 ? 2 : 3;
        snprintf(text, NUMBER_SIZE, "%.*f %%", part == 0 ? 0 : digits, share);
    }
    return text;
}

size_t columns_of(const char* text) {
    size_t columns = 0;
    for (; *text != '\0'; ++text) {
        columns += ((unsigned char)*text & 0xC0) != 0x80;  // without continuation bytes
    }
    return columns;
}

const char* shown_name(const char* original, size_t width, char text[NAME_SIZE]) {
    enum { LONGEST = 4 * NAME_SIZE };
    char cleaned[LONGEST];
    const size_t length = strlen(original);
    snprintf(cleaned, sizeof cleaned, "%s",
             length < LONGEST ? original : original + (length - LONGEST + 1));
    const char* name = io_clean(cleaned);
    const size_t columns = columns_of(name);
    size_t skip = columns > width ? columns - width + 3 : 0;
    size_t used = 0;
    if (skip != 0) {
        memcpy(text, "...", 3);
        used = 3;
    }
    for (; skip != 0 && *name != '\0'; --skip) {
        do {
            ++name;
        } while (((unsigned char)*name & 0xC0) == 0x80);
    }
    for (; *name != '\0' && used + 1 < NAME_SIZE; ++name) {
        text[used++] = *name;
    }
    text[used] = '\0';
    return io_clean(text);  // the last character may have been cut
}

size_t print_bar(uint64_t value, uint64_t most, size_t width, bool shaded, style look) {
    // the block characters of Unicode, in eighths of a column
    static const char* const eighths[] = {"",       "\u258f", "\u258e", "\u258d",
                                          "\u258c", "\u258b", "\u258a", "\u2589"};
    const double columns = most == 0 ? 0 : (double)value / (double)most * (double)width;
    const bool fine = has_utf8 && !shaded;
    const size_t full = (size_t)(fine ? columns : columns + 0.5);
    const size_t rest = fine ? (size_t)((columns - (double)full) * 8) : 0;
    const char* fill = has_utf8 ? (shaded ? "\u2592" : "\u2588") : (shaded ? "+" : "#");
    for (size_t i = 0; i < full; ++i) {
        print_styled(look, "%s", fill);
    }
    if (value != 0 && full + rest == 0) {
        print_styled(look, "%s", fine ? eighths[1] : fill);
        return 1;
    }
    print_styled(look, "%s", eighths[rest]);
    return full + (rest != 0);
}

const char* duration(double seconds, char text[NUMBER_SIZE]) {
    if (seconds < 1) {
        snprintf(text, NUMBER_SIZE, "%.3g ms", 1e3 * seconds);
    } else if (seconds < 100) {
        snprintf(text, NUMBER_SIZE, "%.3g s", seconds);
    } else if (seconds < 6000) {
        snprintf(text, NUMBER_SIZE, "%.0f min", seconds / 60);
    } else {
        snprintf(text, NUMBER_SIZE, "%.1f h", seconds / 3600);
    }
    return text;
}
