// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the files that an argument stands for: see sequence.h. Checks that they are the frames of
// one sequence, and sorts them.
#define _POSIX_C_SOURCE 200809L
#include "io/sequence.h"

#include "io/mesh_file.h"
#include "io/output.h"
#include "io/pvd.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- order: the number in which the names differ

typedef struct frame {
    char* path;
    uint64_t number;
} frame;

// a number of so many digits always fits in read_run()'s result
enum { MOST_DIGITS = 18 };

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// reads a run of digits; false if it is too long to be a number
static bool read_run(const char** at, uint64_t* number) {
    *number = 0;
    for (; is_digit(**at); ++*at) {
        if (*number > UINT64_MAX / 100) {
            return false;
        }
        *number = *number * 10 + (uint64_t)(**at - '0');
    }
    return true;
}

// Whether two names are equal except for one number. *run is the index of that number in the name,
// counted from 0; -1: no number differs yet.
static bool same_up_to_number(const char* a, const char* b, int* run) {
    for (int index = 0;; ++index) {
        while (*a == *b && *a != '\0' && !is_digit(*a)) {
            ++a;
            ++b;
        }
        if (*a == '\0' && *b == '\0') {
            return true;
        }
        uint64_t number_a = 0;
        uint64_t number_b = 0;
        if (!is_digit(*a) || !is_digit(*b) || !read_run(&a, &number_a) ||
            !read_run(&b, &number_b)) {
            return false;
        }
        if (number_a != number_b) {
            if (*run != -1 && *run != index) {
                return false;
            }
            *run = index;
        }
    }
}

static uint64_t number_at(const char* name, int run) {
    uint64_t number = 0;
    for (int index = 0; index <= run; ++index) {
        while (*name != '\0' && !is_digit(*name)) {
            ++name;
        }
        read_run(&name, &number);
    }
    return number;
}

static const char* last_part(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

// the last number of a file's name, before its ending; 0 if there is none
static uint64_t last_number(const char* path) {
    const char* name = last_part(path);
    const char* end = strrchr(name, '.');
    uint64_t number = 0;
    end = end == NULL ? name + strlen(name) : end;
    while (name < end) {
        if (!is_digit(*name)) {
            ++name;
        } else if (!read_run(&name, &number)) {
            return 0;
        }
    }
    return number;
}

static int compare_frames(const void* a, const void* b) {
    const uint64_t x = ((const frame*)a)->number;
    const uint64_t y = ((const frame*)b)->number;
    return (x > y) - (x < y);
}

static bool put_in_order(const char* object, frame* frames, size_t count, io_error* error) {
    int run = -1;
    for (size_t i = 1; i < count; ++i) {
        if (!same_up_to_number(frames[0].path, frames[i].path, &run)) {
            return io_fail_in(error, object,
                              "'%.200s' and '%.200s' are not frames of one sequence: their names "
                              "must be the same except for one number, of digits alone and at most "
                              "%d of them; give a quoted pattern such as 'name_*.obj' that picks "
                              "the right files",
                              last_part(frames[0].path), last_part(frames[i].path), MOST_DIGITS);
        }
    }
    for (size_t i = 0; i < count; ++i) {
        frames[i].number = count > 1 ? number_at(frames[i].path, run) : last_number(frames[i].path);
    }
    qsort(frames, count, sizeof *frames, compare_frames);
    for (size_t i = 1; i < count; ++i) {
        if (frames[i - 1].number == frames[i].number) {
            return io_fail_in(error, object,
                              "'%.200s' and '%.200s' have the same number, so their order is not "
                              "known; rename one of them",
                              last_part(frames[i - 1].path), last_part(frames[i].path));
        }
    }
    return true;
}

// writes a name with its number `run` replaced by '*'
static void write_pattern(const char* name, int run, char* pattern, size_t size) {
    const char* at = name;
    const char* number = name;
    for (int index = 0; index <= run; ++index) {
        while (*at != '\0' && !is_digit(*at)) {
            ++at;
        }
        number = at;
        while (is_digit(*at)) {
            ++at;
        }
    }
    snprintf(pattern, size, "%.*s*%s", (int)(number - name), name, at);
}

size_t io_sequence_alike(const char* const* names, size_t count, char* pattern, size_t size) {
    size_t alike = count == 0 ? 0 : 1;
    int run = -1;
    for (; alike < count; ++alike) {
        int now = run;
        // equal names do not make a sequence
        if (!same_up_to_number(names[0], names[alike], &now) || now == -1 ||
            strcmp(names[alike - 1], names[alike]) == 0) {
            break;
        }
        run = now;
    }
    if (alike > 1) {
        write_pattern(names[0], run, pattern, size);
    }
    return alike;
}

// ---- finding the files

typedef struct finder {
    const char* object;
    frame* frames;
    size_t count;
    io_error* error;
} finder;

// adds a copy of directory + name; the directory is a prefix of `directory_length` bytes
static bool add(finder* f, const char* directory, size_t directory_length, const char* name) {
    const size_t name_length = strlen(name);
    if ((f->count & (f->count - 1)) == 0) {  // full when a power of two
        frame* grown = realloc(f->frames, (f->count == 0 ? 1 : 2 * f->count) * sizeof *grown);
        if (grown == NULL) {
            return io_fail_in(f->error, f->object, "there is not enough memory for its file names");
        }
        f->frames = grown;
    }
    char* path = malloc(directory_length + name_length + 1);
    if (path == NULL) {
        return io_fail_in(f->error, f->object, "there is not enough memory for its file names");
    }
    if (directory_length != 0) {
        memcpy(path, directory, directory_length);
    }
    memcpy(path + directory_length, name, name_length + 1);
    f->frames[f->count++] = (frame){path, 0};
    return true;
}

// a name with one %d or %0Nd in its last part, split into what surrounds it
typedef struct number_pattern {
    const char* prefix;
    size_t prefix_length;
    size_t digits;  // the fewest
    const char* suffix;
} number_pattern;

static bool parse_number_pattern(const char* name, number_pattern* pattern) {
    const char* percent = strchr(name, '%');
    if (percent == NULL) {
        return false;
    }
    const char* at = percent + 1;
    uint64_t width = 0;
    const bool padded = *at == '0';
    if (!read_run(&at, &width) || *at != 'd' || width > 18 || strchr(at, '%') != NULL) {
        return false;
    }
    *pattern = (number_pattern){name, (size_t)(percent - name), padded ? (size_t)width : 1, at + 1};
    return true;
}

static bool fits_number_pattern(const number_pattern* pattern, const char* name) {
    if (strncmp(name, pattern->prefix, pattern->prefix_length) != 0) {
        return false;
    }
    const char* digits = name + pattern->prefix_length;
    size_t count = 0;
    while (is_digit(digits[count])) {
        ++count;
    }
    return count >= pattern->digits && count >= 1 && strcmp(digits + count, pattern->suffix) == 0;
}

// whether a folder entry matches the pattern; without a pattern, whether it is a mesh
static bool wanted(const number_pattern* pattern, const char* name) {
    if (pattern != NULL) {
        return fits_number_pattern(pattern, name);
    }
    return name[0] != '.' && io_format_of_name(name) != IO_FORMAT_UNKNOWN;
}

static bool is_regular(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

// `prefix` ends in a slash, or is empty for the current folder
static bool find_in_folder(finder* f, const char* prefix, size_t prefix_length,
                           const number_pattern* pattern, DIR* folder) {
    for (;;) {
        errno = 0;
        const struct dirent* entry = readdir(folder);
        if (entry == NULL) {
            return errno == 0 ||
                   io_fail_in(f->error, f->object, "it cannot be listed: %s", strerror(errno));
        }
        if (!wanted(pattern, entry->d_name)) {
            continue;
        }
        if (!add(f, prefix, prefix_length, entry->d_name)) {
            return false;
        }
        frame* last = f->frames != NULL ? &f->frames[f->count - 1] : NULL;
        // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): add() has just filled it
        if (last != NULL && !is_regular(last->path)) {
            free(last->path);
            --f->count;
        }
    }
}

static bool find_by_folder(finder* f, const char* prefix, size_t prefix_length,
                           const number_pattern* pattern) {
    char* path = malloc(prefix_length + 2);
    if (path == NULL) {
        return io_fail_in(f->error, f->object, "there is not enough memory for its file names");
    }
    memcpy(path, prefix_length == 0 ? "." : prefix, prefix_length == 0 ? 1 : prefix_length);
    path[prefix_length == 0 ? 1 : prefix_length] = '\0';
    DIR* folder = opendir(path);
    const int reason = errno;
    free(path);
    if (folder == NULL) {
        return io_fail_in(f->error, f->object, "its folder cannot be opened: %s", strerror(reason));
    }
    const bool done = find_in_folder(f, prefix, prefix_length, pattern, folder);
    closedir(folder);
    return done;
}

static bool find_folder(finder* f) {
    const size_t length = strlen(f->object);
    char* prefix = malloc(length + 2);
    if (prefix == NULL) {
        return io_fail_in(f->error, f->object, "there is not enough memory for its file names");
    }
    memcpy(prefix, f->object, length + 1);
    if (f->object[length - 1] != '/') {
        memcpy(prefix + length, "/", 2);
    }
    const bool done = find_by_folder(f, prefix, strlen(prefix), NULL);
    free(prefix);
    if (done && f->count == 0) {
        return io_fail_in(f->error, f->object,
                          "the folder has no mesh (a file that ends in .obj, .ply, .off, .stl, "
                          ".npz, .npy, .vtp or "
                          ".vtu, or so with .gz)");
    }
    return done;
}

static bool add_matches(finder* f, const glob_t* matches) {
    bool any_mesh = false;
    for (size_t i = 0; i < matches->gl_pathc; ++i) {
        any_mesh = any_mesh || io_format_of_name(matches->gl_pathv[i]) != IO_FORMAT_UNKNOWN;
    }
    for (size_t i = 0; i < matches->gl_pathc; ++i) {
        const char* path = matches->gl_pathv[i];
        const bool mesh = io_format_of_name(path) != IO_FORMAT_UNKNOWN;
        // if the pattern matches meshes, other files such as materials are ignored
        if (mesh == any_mesh && is_regular(path) && !add(f, NULL, 0, path)) {
            return false;
        }
    }
    return true;
}

static bool find_matches(finder* f) {
    glob_t matches = {0};
    const int result = glob(f->object, GLOB_NOSORT, NULL, &matches);
    if (result != 0 && result != GLOB_NOMATCH) {
        return io_fail_in(f->error, f->object, "the pattern cannot be searched for");
    }
    const bool done = result == GLOB_NOMATCH || add_matches(f, &matches);
    globfree(&matches);
    return done;
}

static bool find(finder* f) {
    struct stat info;
    if (f->object[0] == '\0') {
        return io_fail(f->error, "the name of the object is empty");
    }
    if (strcmp(f->object, "-") == 0) {  // the standard input
        return add(f, NULL, 0, f->object);
    }
    if (stat(f->object, &info) == 0) {
        return S_ISDIR(info.st_mode) ? find_folder(f) : add(f, NULL, 0, f->object);
    }
    if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG) {
        return io_fail_in(f->error, f->object, "it cannot be looked at: %s", strerror(errno));
    }
    const char* name = last_part(f->object);
    number_pattern pattern;
    const bool numbered = parse_number_pattern(name, &pattern);
    const bool shell = strpbrk(f->object, "*?[") != NULL;
    if (!numbered && !shell) {
        return io_fail_in(f->error, f->object, "there is no such file or folder");
    }
    if (!(numbered ? find_by_folder(f, f->object, (size_t)(name - f->object), &pattern)
                   : find_matches(f))) {
        return false;
    }
    return f->count != 0 || io_fail_in(f->error, f->object, "no file matches this pattern");
}

// whether the object is the name of one file, rather than a pattern or a folder
static bool is_single_file(const finder* f) {
    return f->count == 1 && strcmp(f->frames[0].path, f->object) == 0;
}

// moves the files to the sequence, which then owns their names; false if memory is short
static bool take_frames(const finder* f, io_sequence* out) {
    const bool numbered = !is_single_file(f);
    char** paths = malloc(f->count * sizeof *paths);
    uint64_t* numbers = numbered ? malloc(f->count * sizeof *numbers) : NULL;
    if (paths == NULL || (numbered && numbers == NULL)) {
        free(paths);
        free(numbers);
        return io_fail_in(f->error, f->object, "there is not enough memory for its file names");
    }
    for (size_t i = 0; i < f->count; ++i) {
        paths[i] = f->frames[i].path;
        io_input_note(paths[i]);
        if (numbers != NULL) {
            numbers[i] = f->frames[i].number;
        }
    }
    *out = (io_sequence){paths, numbers, f->count};
    return true;
}

static bool list_pvd(const char* object, io_sequence* out, io_error* error) {
    if (!io_read_pvd(object, out, error)) {
        return false;
    }
    for (size_t i = 0; i < out->count; ++i) {
        io_input_note(out->paths[i]);
    }
    return true;
}

bool io_sequence_list(const char* object, io_sequence* out, io_error* error) {
    finder f = {.object = object, .error = error};
    *out = (io_sequence){0};
    if (io_is_pvd_name(object) && is_regular(object)) {
        return list_pvd(object, out, error);
    }
    const bool done = find(&f) && f.frames != NULL && f.count > 0 &&
                      put_in_order(object, f.frames, f.count, error) && take_frames(&f, out);
    for (size_t i = 0; i < f.count && !done; ++i) {
        free(f.frames[i].path);
    }
    free(f.frames);
    return done;
}

void io_sequence_free(io_sequence* sequence) {
    for (size_t i = 0; i < sequence->count; ++i) {
        free(sequence->paths[i]);
    }
    free(sequence->paths);
    free(sequence->numbers);
    *sequence = (io_sequence){0};
}
