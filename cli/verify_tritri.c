// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut verify tritri: reads pairs of triangles from text files.
#define _POSIX_C_SOURCE 200809L
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/verify.h"
#include "io/file.h"
#include "io/number.h"

#include <abut/abut.h>
#include <stdlib.h>
#include <string.h>

// two triangles, in the order of the file
typedef struct query {
    double corner[2][3][3];
} query;

typedef struct query_list {
    query* queries;
    size_t count;
    size_t room;
} query_list;

// gets the label from the file's name; false if there is none
static bool label_of(const char* path, bool* touching) {
    const char* slash = strrchr(path, '/');
    const char* name = slash == NULL ? path : slash + 1;
    *touching = strncmp(name, "intersected", 11) == 0;
    return *touching || strncmp(name, "separated", 9) == 0;
}

static void skip_white(const char** at, const char* end, size_t* line) {
    for (; *at < end && (unsigned char)**at <= ' '; ++*at) {
        *line += **at == '\n';
    }
}

static bool parse_queries(const char* path, const char* at, const char* end, query_list* out) {
    enum { NUMBERS = 18 };
    size_t line = 1;
    for (size_t n = 0;; ++n) {
        skip_white(&at, end, &line);
        if (at == end) {
            if (n == 0 || n % NUMBERS != 0) {
                complain(
                    "%s: there are %zu numbers; each pair of triangles needs 18 (six lines of "
                    "x y z), and there must be one at least",
                    path, n);
            }
            return n != 0 && n % NUMBERS == 0;
        }
        if (n / NUMBERS == out->room) {
            out->room = out->room * 2 + 64;
            out->queries = reallocate(out->queries, out->room, sizeof *out->queries);
        }
        double* number = &out->queries[n / NUMBERS].corner[0][0][0] + n % NUMBERS;
        if (io_read_double(&at, end, number) != IO_NUMBER_OK ||
            (at < end && (unsigned char)*at > ' ')) {
            complain("%s: line %zu has something other than a finite number", path, line);
            return false;
        }
        out->count = n / NUMBERS + 1;
    }
}

static bool read_queries(const char* path, query_list* out) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    if (!io_read_file(path, &bytes, &size, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool done = parse_queries(path, bytes, bytes + size, out);
    free(bytes);
    return done;
}

static bool ask(const query_list* list, bool label, tally* t) {
    const double start = seconds_now();
    uint64_t touching = 0;
    for (size_t i = 0; i < list->count; ++i) {
        const query* q = &list->queries[i];
        bool touch = false;
        const abut_status status = abut_triangles_touch(q->corner[0], q->corner[1], &touch, NULL);
        if (status != ABUT_OK) {
            complain("pair %zu: %s", i, abut_status_text(status));
            return false;
        }
        touching += touch;
    }
    t->seconds = seconds_now() - start;
    t->queries = list->count;
    t->missed = label ? list->count - touching : 0;
    t->false_alarms = label ? 0 : touching;
    return true;
}

static bool verify_file(const char* path, table* rows, tally* sum) {
    query_list list = {0};
    tally t = {0};
    bool label = false;
    if (!label_of(path, &label)) {
        complain(
            "%s: the name must start with 'intersected' or 'separated', which gives the right "
            "answer",
            path);
        return false;
    }
    const bool done = read_queries(path, &list) && ask(&list, label, &t);
    free(list.queries);
    if (done) {
        verify_add(rows, path, &t, sum);
    }
    return done;
}

bool verify_tritri(const arguments* given, table* rows, tally* sum) {
    for (size_t i = 1; i < given->plain_count; ++i) {
        if (!verify_file(given->plain[i], rows, sum)) {
            return false;
        }
    }
    return true;
}
