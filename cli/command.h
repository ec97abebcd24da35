// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A subcommand: its help texts, its options, and the function that runs it.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/options.h"

typedef struct command {
    const char* name;
    const char* summary;            ///< one line: what it does
    const char* usage;              ///< what follows "abut "
    const char* about;              ///< a paragraph with line breaks
    const struct command* extends;  ///< its options come first, or NULL
    const option_spec* options;     ///< without --help, which every command has
    size_t option_count;
    const char* examples;  ///< two lines or more
    const char* exits;     ///< what the exit codes mean
    int (*run)(const arguments* given);
    /// The words that its first argument may be, such as names of scenes; NULL behind the last. NULL:
    /// its arguments are files.
    const char* (*word)(size_t index);
} command;

extern const command check_command;
extern const command closest_command;
extern const command info_command;
extern const command cast_command;
extern const command render_command;
extern const command watch_command;
extern const command compare_command;
extern const command merge_command;
extern const command convert_command;
extern const command verify_command;
extern const command demo_command;
extern const command cache_command;
extern const command bench_command;
extern const command completion_command;

/// All commands, in the order of the overview.
extern const command* const commands[];
extern const size_t command_count;

/// The command of this name, or NULL.
const command* find_command(const char* name);

/// Gets all options of a command, those that it extends included. Returns their number.
size_t command_options(const command* of, option_spec out[MOST_OPTIONS]);

/// Print the overview of all commands, or the help of one.
void print_overview(void);
void print_help(const command* about);

#endif
