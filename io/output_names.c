// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Identifies files by name: see output_names.h. The identity of a file is its device and inode; of
// a file that does not exist yet, those of its folder and its name in it.
#define _GNU_SOURCE
#include "io/output_names.h"

#include "io/output.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

typedef struct known {
    dev_t device;
    ino_t inode;
    char* name;  // of a file that does not exist yet, in the folder of this inode; otherwise NULL
    char* path;  // as given
    size_t number;  // in the order in which they were noted
    bool input;
    bool opened;
    bool clashes;  // an output that was noted as an input later
} known;

// a table with open addressing; a free entry has no path
static known* table;
static size_t table_size;  // a power of two, or 0
static size_t table_used;
static size_t noted;  // entries so far, also of an earlier table
static bool clash;    // an entry clashes
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

// ---- the table

static size_t hash_of(const known* k) {
    uint64_t hash = (uint64_t)k->inode * 0x9E3779B97F4A7C15u + (uint64_t)k->device;
    for (const char* c = k->name; c != NULL && *c != '\0'; ++c) {
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    }
    return (size_t)(hash ^ hash >> 29);
}

static bool same_file(const known* a, const known* b) {
    return a->device == b->device && a->inode == b->inode &&
           (a->name == NULL || b->name == NULL ? a->name == b->name
                                               : strcmp(a->name, b->name) == 0);
}

// the entry of `wanted`, or the free one where it goes; the table must have a free entry
static known* place_of(known* entries, size_t size, const known* wanted) {
    size_t i = hash_of(wanted) & (size - 1);
    while (entries[i].path != NULL && !same_file(&entries[i], wanted)) {
        i = (i + 1) & (size - 1);
    }
    return &entries[i];
}

static bool make_room(void) {
    if (2 * (table_used + 1) <= table_size) {
        return true;
    }
    const size_t size = table_size == 0 ? 64 : 2 * table_size;
    known* grown = calloc(size, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    for (size_t i = 0; i < table_size; ++i) {
        if (table[i].path != NULL) {
            *place_of(grown, size, &table[i]) = table[i];
        }
    }
    free(table);
    table = grown;
    table_size = size;
    return true;
}

static bool add(known* at, const known* wanted, const char* path) {
    char* copy = strdup(path);
    char* name = wanted->name == NULL ? NULL : strdup(wanted->name);
    if (copy == NULL || (wanted->name != NULL && name == NULL)) {
        free(copy);
        free(name);
        return false;
    }
    *at = *wanted;
    at->path = copy;
    at->name = name;
    at->number = noted++;
    ++table_used;
    return true;
}

// ---- inputs

void io_input_note(const char* path) {
    struct stat info;
    const int failed = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &info) : stat(path, &info);
    if (failed != 0 || S_ISCHR(info.st_mode)) {
        return;
    }
    const known wanted = {.device = info.st_dev, .inode = info.st_ino, .input = true};
    pthread_mutex_lock(&table_lock);
    known* at = make_room() ? place_of(table, table_size, &wanted) : NULL;
    if (at != NULL && at->path == NULL) {
        add(at, &wanted, path);
    } else if (at != NULL && !at->input) {
        at->clashes = true;
        clash = true;
    }
    pthread_mutex_unlock(&table_lock);
}

size_t io_input_mark(void) {
    pthread_mutex_lock(&table_lock);
    const size_t mark = noted;
    pthread_mutex_unlock(&table_lock);
    return mark;
}

static int compare_numbers(const void* x, const void* y) {
    const known* a = *(const known* const*)x;
    const known* b = *(const known* const*)y;
    return (a->number > b->number) - (a->number < b->number);
}

bool io_inputs_since(size_t mark, void (*fn)(void* user, const char* path), void* user) {
    size_t count = 0;
    pthread_mutex_lock(&table_lock);
    const known** list = malloc((table_used + 1) * sizeof *list);
    for (size_t i = 0; list != NULL && i < table_size; ++i) {
        if (table[i].path != NULL && table[i].input && table[i].number >= mark) {
            list[count++] = &table[i];
        }
    }
    if (count > 1) {
        qsort(list, count, sizeof *list, compare_numbers);
    }
    for (size_t i = 0; i < count; ++i) {
        fn(user, list[i]->path);
    }
    pthread_mutex_unlock(&table_lock);
    const bool done = list != NULL;
    free(list);
    return done;
}

// the path of the input that this file is; NULL if it is none
static const char* input_of(int descriptor) {
    struct stat info;
    if (table_size == 0 || fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode)) {
        return NULL;
    }
    const known wanted = {.device = info.st_dev, .inode = info.st_ino};
    const known* at = place_of(table, table_size, &wanted);
    return at->path != NULL && (at->input || at->clashes) ? at->path : NULL;
}

bool io_is_input(int descriptor) {
    pthread_mutex_lock(&table_lock);
    const bool is = input_of(descriptor) != NULL;
    pthread_mutex_unlock(&table_lock);
    return is;
}

// call it with the table locked
static bool are_apart(io_error* error) {
    static const char* const outputs[] = {"", "output", "error output"};
    for (int i = 1; i <= 2; ++i) {
        const char* path = input_of(i);
        if (path != NULL) {
            return io_fail(error,
                           "the standard %s goes to %.300s, which is an input; send it to another "
                           "file",
                           outputs[i], strcmp(path, "-") == 0 ? "the standard input" : path);
        }
    }
    for (size_t i = 0; i < table_size && clash; ++i) {
        if (table[i].path != NULL && table[i].clashes) {
            return io_fail_in(error, table[i].path,
                              "this would overwrite an input; write to another file");
        }
    }
    return true;
}

bool io_inputs_apart(io_error* error) {
    pthread_mutex_lock(&table_lock);
    const bool apart = are_apart(error);
    pthread_mutex_unlock(&table_lock);
    return apart;
}

// ---- names

// the descriptor that a name such as /dev/stdout stands for; -1 for other names
static int descriptor_of(const char* path) {
    static const char* const names[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    static const char* const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(path, names[i]) == 0) {
            return i;
        }
    }
    for (int i = 0; i < 2; ++i) {
        const size_t length = strlen(folders[i]);
        if (strncmp(path, folders[i], length) == 0) {
            char* end = NULL;
            const long number = strtol(path + length, &end, 10);
            return end != path + length && *end == '\0' && number >= 0 && number < 1 << 20
                       ? (int)number
                       : -1;
        }
    }
    return -1;
}

// replaces a link by its target; returns 0 or an errno
static int follow(char place[OUTPUT_PATH_SIZE]) {
    char target[OUTPUT_PATH_SIZE];
    const ssize_t length = readlink(place, target, sizeof target - 1);
    if (length <= 0) {
        return length < 0 ? errno : EINVAL;
    }
    target[length] = '\0';
    const char* slash = strrchr(place, '/');
    const size_t folder = target[0] == '/' || slash == NULL ? 0 : (size_t)(slash + 1 - place);
    if (folder + (size_t)length >= OUTPUT_PATH_SIZE) {
        return ENAMETOOLONG;
    }
    memcpy(place + folder, target, (size_t)length + 1);
    return 0;
}

// follows links to the end, also to a missing file; returns 0 or an errno
static int resolve(const char* path, output_name* name, struct stat* info) {
    enum { MOST_LINKS = 40 };
    if (strlen(path) >= sizeof name->place) {
        return ENAMETOOLONG;
    }
    memcpy(name->place, path, strlen(path) + 1);
    for (int i = 0; i < MOST_LINKS; ++i) {
        name->descriptor = descriptor_of(name->place);
        if (name->descriptor >= 0) {
            name->exists = name->straight = true;
            return fstat(name->descriptor, info) == 0 ? 0 : errno;
        }
        if (lstat(name->place, info) != 0) {
            return errno == ENOENT ? 0 : errno;
        }
        if (!S_ISLNK(info->st_mode)) {
            name->exists = true;
            name->straight = !S_ISREG(info->st_mode);
            return S_ISDIR(info->st_mode) ? EISDIR : 0;
        }
        const int reason = follow(name->place);
        if (reason != 0) {
            return reason;
        }
    }
    return ELOOP;
}

// identifies a file that does not exist yet by its folder and name; returns 0 or an errno
static int identify_new(output_name* name, known* out) {
    struct stat info;
    char folder[OUTPUT_PATH_SIZE];
    char* slash = strrchr(name->place, '/');
    const size_t length = slash == NULL ? 0 : (size_t)(slash + 1 - name->place);
    memcpy(folder, name->place, length);
    folder[length] = '\0';
    if (stat(length == 0 ? "." : folder, &info) != 0) {
        return errno;
    }
    out->device = info.st_dev;
    out->inode = info.st_ino;
    out->name = name->place + length;
    return out->name[0] == '\0' ? EISDIR : 0;
}

// ---- refusals

// refuses the standard files if they are regular: printed text would be lost
static bool is_standard(const struct stat* info, io_error* error, const char* path) {
    static const char* const uses[] = {"the standard input comes from it",
                                       "the standard output goes there",
                                       "the standard error output goes there"};
    for (int i = 0; i < 3; ++i) {
        struct stat other;
        if (fstat(i, &other) == 0 && S_ISREG(other.st_mode) && other.st_dev == info->st_dev &&
            other.st_ino == info->st_ino) {
            io_fail_in(error, path, "%s; write to another file", uses[i]);
            return true;
        }
    }
    return false;
}

static bool refuse(const known* other, const char* path, io_error* error) {
    if (other->input) {
        return strcmp(other->path, path) == 0
                   ? io_fail_in(error, path, "this would overwrite an input; write to another file")
                   : io_fail_in(error, path,
                                "this is the same file as the input %.300s, which would be "
                                "overwritten; write to another file",
                                other->path);
    }
    return strcmp(other->path, path) == 0
               ? io_fail_in(error, path, "two outputs would go to it; give each a file of its own")
               : io_fail_in(error, path,
                            "this is the same file as the output %.300s; give each output a file "
                            "of its own",
                            other->path);
}

// /dev/null and similar devices take any number of outputs
static bool is_sink(const struct stat* info) {
    return S_ISCHR(info->st_mode) && major(info->st_rdev) == 1;
}

// call it with the table locked
static bool take(const char* path, bool open, const known* wanted, io_error* error) {
    known* at = make_room() ? place_of(table, table_size, wanted) : NULL;
    const bool is_new = at != NULL && at->path == NULL;
    if (at == NULL || (is_new && !add(at, wanted, path))) {
        return io_fail_in(error, path, "there is not enough memory");
    }
    const bool claimed = open && !at->input && !at->opened && strcmp(at->path, path) == 0;
    if (!is_new && !claimed) {
        return refuse(at, path, error);
    }
    at->opened = open;
    return true;
}

bool output_name_take(const char* path, bool open, output_name* name, io_error* error) {
    struct stat info = {0};
    known wanted = {0};
    *name = (output_name){.descriptor = -1};
    int reason = resolve(path, name, &info);
    if (reason == 0 && !name->exists) {
        reason = identify_new(name, &wanted);
    }
    if (reason == EISDIR) {
        return io_fail_in(error, path, "this is a folder where a file is needed");
    }
    if (reason != 0) {
        return io_fail_in(error, path, "it cannot be written: %s", strerror(reason));
    }
    if (name->exists) {
        wanted.device = S_ISCHR(info.st_mode) ? info.st_rdev : info.st_dev;
        wanted.inode = S_ISCHR(info.st_mode) ? 0 : info.st_ino;
    }
    if (name->exists && ((!name->straight && is_standard(&info, error, path)) || is_sink(&info))) {
        return is_sink(&info);
    }
    pthread_mutex_lock(&table_lock);
    const bool taken = take(path, open, &wanted, error);
    pthread_mutex_unlock(&table_lock);
    return taken;
}

bool io_output_claim(const char* path, io_error* error) {
    output_name name;
    return output_name_take(path, false, &name, error);
}

void output_names_forget(void) {
    pthread_mutex_lock(&table_lock);
    for (size_t i = 0; i < table_size; ++i) {
        free(table[i].path);
        free(table[i].name);
    }
    free(table);
    table = NULL;
    table_size = table_used = 0;
    clash = false;
    pthread_mutex_unlock(&table_lock);
}
