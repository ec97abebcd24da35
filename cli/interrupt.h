// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C and other signals that end the command: at once, wherever it is. What it was writing is
// removed, the files that were there stay as they were, and its parent sees the signal.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/// From now on signals, and exit(), leave no unfinished files behind.
void interrupt_watch(void);

#endif
