// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Keeps prepared shapes between runs: see shape_cache.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/shape_cache.h"

#include "cli/message.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDING ".shape"
#define UNFINISHED ".part"              // follows the ending while a file is written
#define BYTES_MOST (UINT64_C(1) << 30)  // of all files together
enum { NAME_LENGTH = 32 };              // hexadecimal digits before the ending

// ---- keys

shape_key shape_key_begin(void) {
    shape_key key = {sha256_begin()};
    shape_key_add(&key, ABUT_VERSION_STRING, sizeof ABUT_VERSION_STRING, 1);
    return key;
}

void shape_key_add(shape_key* key, const void* numbers, size_t count, size_t size) {
    const uint64_t head[2] = {numbers != NULL ? count : 0, size};
    sha256_add(&key->sum, head, sizeof head);
    if (head[0] > 0) {
        sha256_add(&key->sum, numbers, count * size);
    }
}

// ---- the folder

bool shape_cache_folder(char path[SHAPE_CACHE_PATH]) {
    const char* cache = getenv("XDG_CACHE_HOME");
    const char* home = getenv("HOME");
    int length = -1;
    if (cache != NULL && cache[0] == '/') {  // others are to be ignored
        length = snprintf(path, SHAPE_CACHE_PATH, "%s/abut", cache);
    } else if (home != NULL && home[0] == '/') {
        length = snprintf(path, SHAPE_CACHE_PATH, "%s/.cache/abut", home);
    }
    return length > 0 && length < SHAPE_CACHE_PATH - 2 * NAME_LENGTH;
}

// makes the folder and those above it, for the user alone
static bool make_folder(const char* path) {
    char part[SHAPE_CACHE_PATH];
    for (const char* at = path + 1;; ++at) {
        if (*at == '/' || *at == '\0') {
            memcpy(part, path, (size_t)(at - path));
            part[at - path] = '\0';
            if (mkdir(part, 0700) != 0 && errno != EEXIST) {
                return false;
            }
        }
        if (*at == '\0') {
            return true;
        }
    }
}

static bool path_of(shape_key key, char path[SHAPE_CACHE_PATH]) {
    if (!shape_cache_folder(path)) {
        return false;
    }
    unsigned char sum[SHA256_BYTES];
    char* at = path + strlen(path);
    sha256_end(key.sum, sum);
    *at++ = '/';
    for (int i = 0; i < NAME_LENGTH / 2; ++i, at += 2) {
        (void)snprintf(at, 3, "%02x", sum[i]);
    }
    memcpy(at, ENDING, sizeof ENDING);
    return true;
}

// ---- files of the folder

typedef struct kept_file {
    char name[NAME_LENGTH + sizeof ENDING];
    uint64_t bytes;
    struct timespec used;
} kept_file;

typedef struct kept_list {
    kept_file* files;
    size_t count;
} kept_list;

static bool is_kept(const char* name) {
    return strspn(name, "0123456789abcdef") == NAME_LENGTH &&
           strcmp(name + NAME_LENGTH, ENDING) == 0;
}

// a file of an interrupted run, or of one that is writing now
static bool is_unfinished(const char* name) {
    return strspn(name, "0123456789abcdef") == NAME_LENGTH &&
           strncmp(name + NAME_LENGTH, ENDING UNFINISHED, strlen(ENDING UNFINISHED)) == 0;
}

static kept_list list_files(DIR* folder) {
    kept_list list = {0};
    for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        struct stat about;
        if (is_kept(entry->d_name) &&
            fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(about.st_mode)) {
            list.files = reallocate(list.files, list.count + 1, sizeof *list.files);
            kept_file* file = &list.files[list.count++];
            memcpy(file->name, entry->d_name, sizeof file->name);
            file->bytes = (uint64_t)about.st_size;
            file->used = about.st_mtim;
        }
    }
    return list;
}

static DIR* open_folder(void) {
    char path[SHAPE_CACHE_PATH];
    return shape_cache_folder(path) ? opendir(path) : NULL;
}

shape_cache_info shape_cache_inspect(void) {
    shape_cache_info info = {0};
    DIR* folder = open_folder();
    if (folder != NULL) {
        kept_list list = list_files(folder);
        info.count = list.count;
        for (size_t i = 0; i < list.count; ++i) {
            info.bytes += list.files[i].bytes;
        }
        free(list.files);
        closedir(folder);
    }
    return info;
}

size_t shape_cache_clear(void) {
    DIR* folder = open_folder();
    if (folder == NULL) {
        return 0;
    }
    for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        if (is_kept(entry->d_name) || is_unfinished(entry->d_name)) {
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
        }
    }
    closedir(folder);
    return shape_cache_inspect().count;
}

static int by_use(const void* a, const void* b) {
    const struct timespec* x = &((const kept_file*)a)->used;
    const struct timespec* y = &((const kept_file*)b)->used;
    if (x->tv_sec != y->tv_sec) {
        return x->tv_sec < y->tv_sec ? -1 : 1;
    }
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

// removes files, those that were not used for longest first, until there is room for more bytes
static void make_room(uint64_t more) {
    DIR* folder = open_folder();
    if (folder == NULL) {
        return;
    }
    kept_list list = list_files(folder);
    uint64_t bytes = more;
    for (size_t i = 0; i < list.count; ++i) {
        bytes += list.files[i].bytes;
    }
    if (list.count > 0) {
        qsort(list.files, list.count, sizeof *list.files, by_use);
    }
    for (size_t i = 0; i < list.count && bytes > BYTES_MOST; ++i) {
        if (unlinkat(dirfd(folder), list.files[i].name, 0) == 0) {
            bytes -= list.files[i].bytes;
        }
    }
    free(list.files);
    closedir(folder);
}

// ---- shapes

abut_shape* shape_cache_find(abut_context* context, shape_key key, size_t* size) {
    char path[SHAPE_CACHE_PATH];
    char* bytes = NULL;
    io_error error;
    abut_shape* shape = NULL;
    *size = 0;
    if (path_of(key, path) && io_read_file(path, &bytes, size, &error)) {
        (void)abut_shape_load(context, bytes, *size, &shape, NULL);
        free(bytes);
    }
    if (shape == NULL) {
        *size = 0;
        return NULL;
    }
    (void)utimensat(AT_FDCWD, path, NULL, 0);  // it was used now
    return shape;
}

static bool write_all(int file, const char* data, size_t count) {
    while (count > 0) {
        const ssize_t written = write(file, data, count);
        if (written <= 0) {
            return false;
        }
        data += written;
        count -= (size_t)written;
    }
    return fsync(file) == 0;
}

// writes a file under another name and renames it when all is there
static void write_file(const char* path, const void* data, size_t count) {
    char part[SHAPE_CACHE_PATH + 32];
    (void)snprintf(part, sizeof part, "%s" UNFINISHED "%ld", path, (long)getpid());
    const int file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return;
    }
    const bool written = write_all(file, data, count);
    if (close(file) != 0 || !written || rename(part, path) != 0) {
        (void)unlink(part);
    }
}

void shape_cache_keep(const abut_shape* shape, shape_key key, size_t size) {
    char path[SHAPE_CACHE_PATH];
    char folder[SHAPE_CACHE_PATH];
    abut_shape_bytes* bytes = NULL;
    struct stat about;
    if (!path_of(key, path) || !shape_cache_folder(folder) || !make_folder(folder) ||
        abut_shape_save(shape, NULL, &bytes, NULL) != ABUT_OK) {
        return;
    }
    size_t count = 0;
    const void* data = abut_shape_bytes_data(bytes, &count);
    // another thread or process may have kept the same shape meanwhile
    const bool is_there = size > 0 && stat(path, &about) == 0 && (uint64_t)about.st_size >= count;
    if (count > size && count <= BYTES_MOST && !is_there) {
        make_room(count);
        write_file(path, data, count);
    }
    abut_shape_bytes_destroy(bytes);
}
