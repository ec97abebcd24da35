// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes files atomically: see output.h. All outputs are nodes of a list that only grows, so that a
// signal handler can walk it at any time.
#define _GNU_SOURCE
#include "io/output.h"

#include "io/output_names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct output {
    struct output* next;
    char* path;          // as given
    char* place;         // final path, links followed
    char* temporary;     // path in the same folder; NULL: written to `place` directly
    atomic_bool exists;  // `temporary` may exist
    FILE* file;          // NULL: ended or dropped
    bool replaces;       // there is an old file
    bool folder;         // `temporary` is a new folder; it is removed if it stays empty
} output;

static _Atomic(output*) outputs;  // all outputs so far, the latest first
static output** ended;            // those that wait for io_outputs_commit(), in order
static size_t ended_count;
static size_t ended_room;

static bool unread;  // a pipe was closed by its reader

static bool fail(io_error* error, const char* path, int reason) {
    unread = unread || reason == EPIPE;
    return io_fail_in(error, path, "it cannot be written: %s", strerror(reason));
}

static void remove_temporary(output* o) {
    if (o->temporary != NULL && atomic_load(&o->exists)) {
        (void)!(o->folder ? rmdir : unlink)(o->temporary);
        atomic_store(&o->exists, false);
    }
}

bool io_output_unread(void) {
    return unread;
}

void io_outputs_remove(void) {
    const int before = errno;
    for (output* o = atomic_load(&outputs); o != NULL; o = o->next) {
        remove_temporary(o);
    }
    errno = before;
}

// ---- opening

// "folder/.name.0123456789abcdef.tmp"; NULL if memory is short
static char* name_temporary(const char* place) {
    enum { LONGEST = 200 };  // of a name; systems take 255 bytes
    const char* slash = strrchr(place, '/');
    const char* name = slash == NULL ? place : slash + 1;
    uint64_t number = 0;
    char* temporary = NULL;
    if (getentropy(&number, sizeof number) != 0) {
        number = (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&number;
    }
    const int used = asprintf(&temporary, "%.*s.%.*s.%016llx.tmp", (int)(name - place), place,
                              LONGEST, name, (unsigned long long)number);
    return used < 0 ? NULL : temporary;
}

// gives the new file the owner and the permissions of the old one, as far as possible
static void copy_permissions(int file, const struct stat* old) {
    const bool owner = fchown(file, old->st_uid, old->st_gid) == 0;
    const bool group = owner || fchown(file, (uid_t)-1, old->st_gid) == 0;
    const mode_t all = old->st_mode & 07777;
    (void)!fchmod(file, owner ? all : group ? all & 0777 : all & 0707);
}

static int open_temporary(const output* o) {
    struct stat old;
    const bool replaces = stat(o->place, &old) == 0;
    if (replaces && faccessat(AT_FDCWD, o->place, W_OK, AT_EACCESS) != 0) {
        return -1;
    }
    const int file = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                          replaces ? 0600 : 0666);
    if (file >= 0 && replaces) {
        copy_permissions(file, &old);
    }
    return file;
}

static int open_straight(const output_name* name) {
    return name->descriptor >= 0 ? fcntl(name->descriptor, F_DUPFD_CLOEXEC, 3)
                                 : open(name->place, O_WRONLY | O_CLOEXEC);
}

static output* make_output(const char* path, const output_name* name) {
    output* o = calloc(1, sizeof *o);
    if (o == NULL) {
        return NULL;
    }
    o->path = strdup(path);
    o->place = strdup(name->place);
    o->replaces = name->exists;
    o->temporary = name->straight ? NULL : name_temporary(name->place);
    if (o->path == NULL || o->place == NULL || (o->temporary == NULL && !name->straight)) {
        free(o->path);
        free(o->place);
        free(o->temporary);
        free(o);
        return NULL;
    }
    return o;
}

// explains the case of a writable file in a folder without write permission
static void fail_open(const output* o, int reason, io_error* error) {
    const bool folder = o->temporary != NULL && o->replaces && reason == EACCES &&
                        faccessat(AT_FDCWD, o->place, W_OK, AT_EACCESS) == 0;
    if (folder) {
        io_fail_in(
            error, o->path,
            "it is written to a temporary file in its folder first, which cannot be made: %s",
            strerror(reason));
    } else {
        fail(error, o->path, reason);
    }
}

FILE* io_output_open(const char* path, io_error* error) {
    output_name name;
    if (!output_name_take(path, true, &name, error)) {
        return NULL;
    }
    output* o = make_output(path, &name);
    if (o == NULL) {
        fail(error, path, ENOMEM);
        return NULL;
    }
    // listed before the file exists, because a signal may come in between
    o->next = atomic_load(&outputs);
    atomic_store(&o->exists, o->temporary != NULL);
    atomic_store(&outputs, o);
    const int file = o->temporary != NULL ? open_temporary(o) : open_straight(&name);
    o->file = file >= 0 ? fdopen(file, "wb") : NULL;
    if (o->file == NULL) {
        const int reason = errno;
        if (file >= 0) {
            close(file);
            remove_temporary(o);
        }
        atomic_store(&o->exists, false);
        fail_open(o, reason, error);
    }
    return o->file;
}

bool io_output_folder(const char* path, io_error* error) {
    struct stat info;
    output* o = calloc(1, sizeof *o);
    char* copy = strdup(path);
    if (o == NULL || copy == NULL) {
        free(o);
        free(copy);
        return fail(error, path, ENOMEM);
    }
    *o = (output){.next = atomic_load(&outputs), .temporary = copy, .folder = true};
    atomic_store(&outputs, o);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);  // no signal between mkdir() and `exists`
    const int reason = mkdir(path, 0777) == 0 ? 0 : errno;
    atomic_store(&o->exists, reason == 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (reason == 0 || (stat(path, &info) == 0 && S_ISDIR(info.st_mode))) {
        return true;
    }
    return io_fail_in(error, path, "the folder cannot be created: %s", strerror(reason));
}

// ---- ending

static output* find(const FILE* file) {
    output* o = file == NULL ? NULL : atomic_load(&outputs);
    while (o != NULL && o->file != file) {
        o = o->next;
    }
    return o;
}

static void drop(output* o) {
    if (o->file != NULL) {
        fclose(o->file);
        o->file = NULL;
    }
    remove_temporary(o);
}

void io_output_drop(FILE* file) {
    output* o = find(file);
    if (o != NULL) {
        drop(o);
    }
}

// returns 0, or the errno of a write that failed
static int flush(output* o) {
    const bool before = ferror(o->file) == 0;
    if (fflush(o->file) != 0) {
        return errno;
    }
    if (!before) {  // errno is lost: another write most likely fails for the same reason
        return write(fileno(o->file), "\n", 1) < 0 ? errno : EIO;
    }
    // errors of the disk may show only now
    if (o->temporary != NULL && o->replaces && fsync(fileno(o->file)) != 0 && errno != EINVAL &&
        errno != ENOSYS && errno != EROFS) {
        return errno;
    }
    return 0;
}

bool io_output_failed(FILE* file, io_error* error) {
    output* o = find(file);
    const int reason = o == NULL ? 0 : flush(o);
    return fail(error, o == NULL ? "an output" : o->path, reason == 0 ? EIO : reason);
}

static bool wait_for_commit(output* o) {
    if (ended_count == ended_room) {
        output** grown = realloc(ended, (2 * ended_room + 16) * sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        ended = grown;
        ended_room = 2 * ended_room + 16;
    }
    ended[ended_count++] = o;
    return true;
}

bool io_output_end(FILE* file, io_error* error) {
    output* o = find(file);
    if (o == NULL) {
        return io_fail(error, "this output is not open");
    }
    int reason = flush(o);
    o->file = NULL;
    if (fclose(file) != 0 && reason == 0) {
        reason = errno;
    }
    if (reason == 0 && !wait_for_commit(o)) {
        reason = ENOMEM;
    }
    if (reason != 0) {
        remove_temporary(o);
        return fail(error, o->path, reason);
    }
    return true;
}

static bool put_in_place(output* o, io_error* error) {
    if (o->temporary == NULL) {
        return true;
    }
    if (rename(o->temporary, o->place) != 0) {
        return fail(error, o->path, errno);
    }
    atomic_store(&o->exists, false);
    return true;
}

// opens a new temporary file behind the same FILE; returns 0 or an errno
static int begin_anew(output* o) {
    atomic_store(&o->exists, true);
    o->replaces = true;
    const int file = open_temporary(o);
    if (file < 0 || dup3(file, fileno(o->file), O_CLOEXEC) < 0) {
        const int reason = errno;
        if (file >= 0) {
            close(file);
        }
        return reason;
    }
    close(file);
    rewind(o->file);
    return 0;
}

bool io_output_save(FILE* file, io_error* error) {
    output* o = find(file);
    if (o == NULL) {
        return io_fail(error, "this output is not open");
    }
    if (o->temporary == NULL) {
        return io_fail_in(error, o->path, "this is a pipe or a device where a file is needed");
    }
    int reason = flush(o);
    if (reason != 0) {
        return fail(error, o->path, reason);
    }
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);  // no signal between renaming and the new file
    const bool placed = put_in_place(o, error);
    reason = placed ? begin_anew(o) : 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return placed && (reason == 0 || fail(error, o->path, reason));
}

// ---- all of them

void io_outputs_drop(void) {
    for (output* o = atomic_load(&outputs); o != NULL; o = o->next) {
        drop(o);
    }
    ended_count = 0;
    output_names_forget();
}

static void keep_folders(bool done) {
    for (output* o = atomic_load(&outputs); o != NULL && done; o = o->next) {
        if (o->folder) {
            atomic_store(&o->exists, false);
        }
    }
}

bool io_outputs_commit(io_error* error) {
    sigset_t all;
    sigset_t before;
    bool done = io_inputs_apart(error);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);  // no signal until all files are in place
    for (size_t i = 0; i < ended_count && done; ++i) {
        done = put_in_place(ended[i], error);
    }
    keep_folders(done);
    io_outputs_drop();
    sigprocmask(SIG_SETMASK, &before, NULL);
    return done;
}
