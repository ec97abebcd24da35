// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Settings of a project: the file .abut.toml, with rules and thresholds of abut check. It is looked for in the
// present folder, and in those above it up to the one that holds .git. Options of the command line go
// before it; rules of both hold.
//
// The file is TOML: keys are names of options, and values are strings, numbers, true, false or lists of
// strings. They may stand in a table [check]. Options that name outputs are refused. Files are not trusted.
#ifndef CLI_GATE_CONFIG_H
#define CLI_GATE_CONFIG_H

#include "cli/options.h"

/// Start zeroed.
typedef struct config {
    char* path;    ///< NULL: there is none
    char** words;  ///< the settings as arguments of the command line
    size_t count;
    arguments parsed;
    arguments merged;  ///< the command line and the settings
    size_t option_count;
    const option_spec* options;
} config;

/// Reads the settings and merges the arguments with them. `given` is the value of --config: a file, "none",
/// or not given. False after an error message. Free with config_free() also then.
bool config_read(config* c, const option_value* given, const char* command,
                 const option_spec* options, size_t option_count, const arguments* from);
void config_free(config* c);
/// Reads settings from memory into `words`; `path` is for messages. False after an error message.
bool config_parse(config* c, const char* path, const char* bytes, size_t size);

#endif
