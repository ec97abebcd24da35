// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Whole files into memory. Read, not mapped: a mapped file that another process shortens would
// end this one.
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// reads until `size` bytes are there or the file ends; false on an error of the system
static bool read_up_to(int file, char* bytes, size_t size, size_t* got) {
    enum { PIECE = 1 << 28 };  // one call need not take more than 2 GiB
    *got = 0;
    while (*got < size) {
        const size_t left = size - *got;
        const ssize_t count = read(file, bytes + *got, left < PIECE ? left : PIECE);
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return false;
        }
        *got += count < 0 ? 0 : (size_t)count;
    }
    return true;
}

static bool read_open_file(int file, const char* path, char** bytes, size_t* size,
                           io_error* error) {
    struct stat info;
    if (fstat(file, &info) != 0) {
        return io_fail_in(error, path, "it cannot be inspected: %s", strerror(errno));
    }
    if (S_ISDIR(info.st_mode)) {
        return io_fail_in(error, path, "this is a folder where a file is needed");
    }
    if (!S_ISREG(info.st_mode)) {
        return io_fail_in(error, path, "this is a pipe or a device; save it to a file first");
    }
    if (info.st_size < 0 || (uintmax_t)info.st_size >= SIZE_MAX / 2) {
        return io_fail_in(error, path, "it is too large for this machine");
    }
    char* memory = malloc((size_t)info.st_size + 1);
    if (memory == NULL) {
        return io_fail_in(error, path, "it does not fit in memory (%jd bytes)",
                          (intmax_t)info.st_size);
    }
    if (!read_up_to(file, memory, (size_t)info.st_size, size)) {
        free(memory);
        return io_fail_in(error, path, "it cannot be read: %s", strerror(errno));
    }
    *bytes = memory;
    return true;
}

bool io_read_file(const char* path, char** bytes, size_t* size, io_error* error) {
    // without O_NONBLOCK a pipe that nobody writes to would be waited for
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENOENT) {
            return io_fail_in(error, path, "there is no such file");
        }
        return io_fail_in(error, path, "it cannot be opened: %s", strerror(errno));
    }
    const bool done = read_open_file(file, path, bytes, size, error);
    close(file);
    return done;
}
