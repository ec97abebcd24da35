// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the command uses of POSIX and the C library of WASI lacks. Every file of the command is compiled with this
// header included first, so that none of them needs to know of WebAssembly. There are no signals, no owners, no
// links and no terminals.
#ifndef WEB_COMMAND_PLATFORM_H
#define WEB_COMMAND_PLATFORM_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#define SIG_BLOCK 0
#define SIG_SETMASK 2
#ifndef F_DUPFD_CLOEXEC
#define F_DUPFD_CLOEXEC 1030
#endif

#define TIOCGWINSZ 0x5413  // ioctl() refuses it: there is no terminal
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

int sigfillset(sigset_t* set);
int sigprocmask(int how, const sigset_t* set, sigset_t* before);
int fchown(int file, uid_t owner, gid_t group);
int fchmod(int file, mode_t mode);
int dup3(int from, int to, int flags);
void flockfile(FILE* file);
void funlockfile(FILE* file);
/// As in POSIX with `resolved` NULL; the path is returned as it is, if it exists.
char* realpath(const char* path, char* resolved);

#endif
