// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut verify ccd: moving vertices and faces, and pairs of edges, from folders of tables.
#define _POSIX_C_SOURCE 200809L
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/verify.h"
#include "io/file.h"
#include "io/output.h"
#include "io/number.h"

#include <abut/abut.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef double points[4][3];

typedef struct queries {
    points* from;
    points* to;
    bool* label;
    size_t count;
    size_t room;
} queries;

// ---- reading one table

static void queries_free(queries* list) {
    free(list->from);
    free(list->to);
    free(list->label);
}

static void reserve(queries* list, size_t count) {
    if (count > list->room) {
        list->room = list->room * 2 + 64;
        list->from = reallocate(list->from, list->room, sizeof *list->from);
        list->to = reallocate(list->to, list->room, sizeof *list->to);
        list->label = reallocate(list->label, list->room, sizeof *list->label);
    }
}

static bool read_number(const char** at, const char* end, double* out) {
    return io_read_double(at, end, out) == IO_NUMBER_OK;
}

static bool read_comma(const char** at, const char* end) {
    return *at < end && *(*at)++ == ',';
}

static bool read_line_end(const char** at, const char* end) {
    bool ended = *at == end;
    for (; *at < end && (**at == '\r' || **at == '\n'); ++*at) {
        ended = true;
    }
    return ended;
}

// x, y, z as fractions, and the label
static bool read_line(const char** at, const char* end, double x[3], bool* label) {
    double below;
    for (int k = 0; k < 3; ++k) {
        if (!read_number(at, end, &x[k]) || !read_comma(at, end) || !read_number(at, end, &below) ||
            !read_comma(at, end) || !(below > 0.0)) {
            return false;
        }
        x[k] /= below;  // exact: it is a power of two
    }
    double number;
    if (!read_number(at, end, &number) || !read_line_end(at, end) ||
        !(number == 0.0 || number == 1.0)) {
        return false;
    }
    *label = number == 1.0;
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static bool parse(const char* path, const char* at, const char* end, queries* list) {
    size_t line = 0;
    for (; at < end; ++line) {
        const size_t query = line / 8;
        reserve(list, query + 1);
        points* x = line % 8 < 4 ? &list->from[query] : &list->to[query];
        bool label;
        if (!read_line(&at, end, (*x)[line % 4], &label)) {
            complain(
                "%s: line %zu must have seven numbers with commas between them: x, y, z as "
                "numerator "
                "and denominator each, and a label 0 or 1",
                path, line + 1);
            return false;
        }
        if (line % 8 != 0 && label != list->label[query]) {
            complain("%s: line %zu has another label than the lines before it in the same query",
                     path, line + 1);
            return false;
        }
        list->label[query] = label;
    }
    list->count = line / 8;
    if (line == 0 || line % 8 != 0) {
        complain("%s: there are %zu lines; each query needs 8, and there must be one at least",
                 path, line);
        return false;
    }
    return true;
}

static bool read_queries(const char* path, queries* list) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    if (!io_read_file(path, &bytes, &size, &error)) {
        complain("%s", error.message);
        return false;
    }
    const bool done = parse(path, bytes, bytes + size, list);
    free(bytes);
    return done;
}

// ---- near queries: "file,number" at the start of a line

// `near` is a text of lines, each preceded by a line feed
static bool is_near(const char* near, const char* name, size_t query) {
    char start[600];
    const int length = snprintf(start, sizeof start, "\n%s,%zu", name, query);
    if (near == NULL || length >= (int)sizeof start) {
        return false;
    }
    const char* found = strstr(near, start);
    while (found != NULL && strchr(",\r\n", found[length]) == NULL) {
        found = strstr(found + 1, start);
    }
    return found != NULL;
}

// checks the lines; the first may name the columns
static bool check_near(const char* path, const char* near) {
    size_t line = 0;
    for (const char* at = strchr(near, '\n'); at != NULL; at = strchr(at + 1, '\n')) {
        ++line;
        const size_t name = strcspn(at + 1, ",\r\n");
        const char* number = at + 1 + name + 1;
        const bool named = name > 0 && at[1 + name] == ',';
        const bool blank = at[1] == '\0' || at[1] == '\r' || at[1] == '\n';
        const bool right = named && *number >= '0' && *number <= '9' &&
                           strchr(",\r\n", number[strspn(number, "0123456789")]) != NULL;
        if (!right && !blank && !(named && line == 1)) {
            complain(
                "%s: line %zu must start with the name of a table and the number of a query in it, "
                "with a comma between them",
                path, line);
            return false;
        }
    }
    return true;
}

// *near is NULL if there is no such table; false if it cannot be used
static bool read_near(const char* folder, char** near) {
    char path[600];
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    *near = NULL;
    if (snprintf(path, sizeof path, "%s/near_negatives.csv", folder) >= (int)sizeof path ||
        access(path, F_OK) != 0) {
        return true;
    }
    if (!io_read_file(path, &bytes, &size, &error)) {
        complain("%s", error.message);
        return false;
    }
    *near = allocate(size + 2, 1);
    (*near)[0] = '\n';
    memcpy(*near + 1, bytes, size);
    (*near)[size + 1] = '\0';
    free(bytes);
    return check_near(path, *near);
}

// ---- verifying

typedef struct verification {
    const char* folder;
    char* near;
    table* rows;
    tally* sum;
    abut_context* context;
} verification;

static void count(const queries* list, const abut_sweep_contact* contacts, const char* name,
                  const char* near, tally* t) {
    for (size_t i = 0; i < list->count; ++i) {
        const bool contact = contacts[i].verdict != ABUT_SWEEP_VERDICT_NONE;
        const bool close = contact && !list->label[i] && is_near(near, name, i);
        t->missed += list->label[i] && !contact;
        t->near += close;
        t->false_alarms += contact && !list->label[i] && !close;
        t->undecided += contacts[i].verdict == ABUT_SWEEP_VERDICT_UNDECIDED;
    }
    t->queries = list->count;
}

// verifies one table; `name` is relative to the folder
static bool verify_file(verification* v, const char* name, bool edges) {
    char path[600];
    queries list = {0};
    if (snprintf(path, sizeof path, "%s/%s", v->folder, name) >= (int)sizeof path) {
        complain("%s: the name is too long", name);
        return false;
    }
    bool done = read_queries(path, &list);
    if (done) {
        tally t = {0};
        abut_sweep_contact* contacts = allocate(list.count, sizeof *contacts);
        const double start = seconds_now();
        const abut_status status = (edges ? abut_edge_edge_sweep : abut_vertex_face_sweep)(
            v->context, list.count, list.from, list.to, ABUT_TOLERANCE_DEFAULT, 0.0, contacts);
        t.seconds = seconds_now() - start;
        done = status == ABUT_OK;
        if (done) {
            count(&list, contacts, name, v->near, &t);
            verify_add(v->rows, name, &t, v->sum);
        } else {
            complain("%s: %s", path, abut_status_text(status));
        }
        free(contacts);
    }
    queries_free(&list);
    return done;
}

// ---- finding the tables

static int is_table(const struct dirent* entry) {
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0;
}

static int is_visible(const struct dirent* entry) {
    return entry->d_name[0] != '.';
}

// called for each table; `name` is relative to the folder
typedef bool (*table_fn)(verification* v, const char* name, bool edges);

static bool note_file(verification* v, const char* name, bool edges) {
    char path[1200];
    (void)edges;
    snprintf(path, sizeof path, "%s/%s", v->folder, name);
    io_input_note(path);
    return true;
}

// all tables in FOLDER/scene/kind, which need not exist
static bool each_table(verification* v, const char* scene, const char* kind, bool edges,
                       table_fn take) {
    char name[600];
    struct dirent** entries = NULL;
    if (snprintf(name, sizeof name, "%s/%s/%s", v->folder, scene, kind) >= (int)sizeof name) {
        complain("%s: the name is too long", scene);
        return false;
    }
    const int found = scandir(name, &entries, is_table, alphasort);
    bool done = true;
    for (int i = 0; i < found; ++i) {
        const int length = snprintf(name, sizeof name, "%s/%s/%s", scene, kind, entries[i]->d_name);
        done = done && length < (int)sizeof name && take(v, name, edges);
        free(entries[i]);
    }
    free(entries);
    return done;
}

// all tables of a folder
static bool each_scene(verification* v, table_fn take) {
    struct dirent** entries = NULL;
    const int found = scandir(v->folder, &entries, is_visible, alphasort);
    bool done = found >= 0;
    if (!done) {
        complain("%s: cannot be read as a folder", v->folder);
    }
    for (int i = 0; i < found; ++i) {
        done = done && each_table(v, entries[i]->d_name, "edge-edge", true, take) &&
               each_table(v, entries[i]->d_name, "vertex-face", false, take);
        free(entries[i]);
    }
    free(entries);
    return done;
}

static bool verify_folder(verification* v) {
    const uint64_t before = v->sum->queries;
    const bool done = each_scene(v, verify_file);
    if (done && v->sum->queries == before) {
        complain(
            "%s: there are no queries; they are expected in */edge-edge/*.csv and "
            "*/vertex-face/*.csv",
            v->folder);
        return false;
    }
    return done;
}

bool verify_ccd_note(const arguments* given) {
    bool done = true;
    for (size_t i = 1; i < given->plain_count && done; ++i) {
        verification v = {.folder = given->plain[i]};
        done = note_file(&v, "near_negatives.csv", false) && each_scene(&v, note_file);
    }
    return done;
}

bool verify_ccd(const arguments* given, table* rows, tally* sum) {
    verification v = {.rows = rows, .sum = sum};
    if (abut_context_create(NULL, &v.context, NULL) != ABUT_OK) {
        complain("there is not enough memory");
        return false;
    }
    bool done = true;
    for (size_t i = 1; i < given->plain_count && done; ++i) {
        v.folder = given->plain[i];
        done = read_near(v.folder, &v.near) && verify_folder(&v);
        free(v.near);
    }
    abut_context_destroy(v.context);
    return done;
}
