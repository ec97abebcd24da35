// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C: the frame at hand is finished, and what is done so far is written. A second one ends the
// command at once.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

/// From now on Ctrl-C is remembered instead of ending the command.
void interrupt_watch(void);
/// Whether it was pressed.
bool interrupted(void);

#endif
