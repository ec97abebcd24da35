// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The list of all subcommands.
#include "cli/command.h"

const command* const commands[] = {&check_command,  &watch_command,     &compare_command,
                                   &merge_command,  &render_command,    &closest_command,
                                   &cast_command,   &info_command,      &convert_command,
                                   &verify_command, &demo_command,      &cache_command,
                                   &bench_command,  &completion_command};
const size_t command_count = sizeof commands / sizeof *commands;
