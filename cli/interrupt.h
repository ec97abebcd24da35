// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Handles Ctrl-C and other signals that end the command. It ends at once: temporary files are
// removed, existing files stay unchanged, and its parent sees the signal.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/// Installs the handlers: from now on signals and exit() remove unfinished files.
void interrupt_watch(void);

#endif
