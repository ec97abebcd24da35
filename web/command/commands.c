// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The subcommands of the page.
#include "cli/command.h"

extern const command live_command;  ///< live.c

const command* const commands[] = {&check_command, &info_command, &live_command};
const size_t command_count = sizeof commands / sizeof *commands;
