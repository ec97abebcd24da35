// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Ctrl-C: see interrupt.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t pressed;

static void remember(int signal) {
    (void)signal;
    pressed = 1;
}

void interrupt_watch(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);  // the next one ends the command
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupted(void) {
    return pressed != 0;
}
