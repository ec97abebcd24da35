// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reads whole files into memory. They are not mapped, because a mapped file that another process
// truncates would crash this one.
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"

#include "io/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

// reads until there are `size` bytes or the file ends; false on a system error
static bool read_up_to(int file, char* bytes, size_t size, size_t* got) {
    enum { PIECE = 1 << 28 };  // read() may refuse 2 GiB and more
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
        return io_fail_in(error, path,
                          "this is a pipe or a device; give - and "
                          "pipe it into the standard input, or save it to a file first");
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
    // without O_NONBLOCK open() would block on a pipe without a writer
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

// ---- the standard input: read once and stored, because several threads may request it

static pthread_mutex_t input_lock = PTHREAD_MUTEX_INITIALIZER;
static char* input;  // NULL: not read yet
static size_t input_size;

static bool fail_input(const char* what, io_error* error) {
    return io_fail_in(error, io_input_name("-"), "%s", what);
}

static bool read_to_end(int file, char** bytes, size_t* size, io_error* error) {
    size_t room = 1 << 16;
    char* memory = malloc(room);
    *size = 0;
    while (memory != NULL) {
        size_t got = 0;
        if (!read_up_to(file, memory + *size, room - *size, &got)) {
            free(memory);
            return io_fail_in(error, io_input_name("-"), "it cannot be read: %s", strerror(errno));
        }
        *size += got;
        if (*size < room) {
            *bytes = memory;
            return true;
        }
        char* grown = room < SIZE_MAX / 2 ? realloc(memory, 2 * room) : NULL;
        if (grown == NULL) {
            free(memory);
        }
        memory = grown;
        room *= 2;
    }
    return fail_input("it does not fit in memory", error);
}

// copies the whole standard input
static bool read_standard_input(char** bytes, size_t* size, io_error* error) {
    pthread_mutex_lock(&input_lock);
    bool done = input != NULL || read_to_end(STDIN_FILENO, &input, &input_size, error);
    char* copy = done ? malloc(input_size + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, input, input_size);
        *bytes = copy;
        *size = input_size;
    } else if (done) {
        done = fail_input("it does not fit in memory", error);
    }
    pthread_mutex_unlock(&input_lock);
    return done;
}

const char* io_input_name(const char* path) {
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

bool io_read_input(const char* path, char** bytes, size_t* size, io_error* error) {
    if (!(strcmp(path, "-") == 0 ? read_standard_input(bytes, size, error)
                                 : io_read_file(path, bytes, size, error))) {
        return false;
    }
    if (!io_is_gzip(*bytes, *size) || io_gunzip(io_input_name(path), bytes, size, error)) {
        return true;
    }
    free(*bytes);
    *bytes = NULL;
    return false;
}

// ---- endings

bool io_is_packed_name(const char* name) {
    const size_t length = strlen(name);
    return length > 3 && strcasecmp(name + length - 3, ".gz") == 0;
}

bool io_has_ending(const char* name, const char* ending) {
    const size_t length = strlen(name) - (io_is_packed_name(name) ? 3 : 0);
    const size_t wanted = strlen(ending);
    return length >= wanted && strncasecmp(name + length - wanted, ending, wanted) == 0;
}
