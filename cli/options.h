// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parses the options of a command: --name, --name VALUE or --name=VALUE, mixed with other
// arguments. -o FILE stands for --output FILE.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG = 0,
    OPTION_TEXT,    ///< anything
    OPTION_LIST,    ///< anything, and the option may be given several times
    OPTION_WHOLE,   ///< a whole number, 1 to 2^31 - 1
    OPTION_NUMBER,  ///< a finite number >= 0
    OPTION_RANGE,   ///< A:B, A:, :B or A: whole numbers, both ends included
} option_kind;

typedef struct option_spec {
    const char* name;  ///< without the dashes
    option_kind kind;
    const char* value;  ///< the value's name in the help; NULL for a flag
    const char* help;   ///< with line breaks, unit and default
} option_spec;

typedef struct option_value {
    bool given;
    const char* text;    ///< the last one
    const char** texts;  ///< of a list: all, in their order
    size_t count;
    double number;
    uint32_t first;  ///< the whole number
    uint64_t from;   ///< of a range
    uint64_t to;     ///< of a range; UINT64_MAX: to the end
} option_value;

enum { MOST_OPTIONS = 64 };

/// The parsed arguments of a command. values[i] belongs to the i-th option of its table.
typedef struct arguments {
    option_value values[MOST_OPTIONS];
    const char** plain;  ///< arguments that are not options
    size_t plain_count;
    bool help;  ///< --help or -h was among them
} arguments;

/// Parses the arguments after the command's name. False after an error message. Free with
/// arguments_free().
bool arguments_parse(const char* command, const option_spec* options, size_t option_count, int argc,
                     char** argv, arguments* out);
void arguments_free(arguments* given);

#endif
