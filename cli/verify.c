// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut verify: the exact tests against data whose answers are known.
#define _POSIX_C_SOURCE 200809L
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "io/file.h"
#include "io/number.h"

#include <abut/abut.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON, OPTIONS };

static const option_spec options[OPTIONS] = {
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
};

typedef struct tally {
    uint64_t queries;
    uint64_t missed;        // labelled as touching, answered apart
    uint64_t false_alarms;  // labelled as apart, answered touching
    double seconds;
} tally;

// two triangles, in the order of the file
typedef struct query {
    double corner[2][3][3];
} query;

typedef struct query_list {
    query* queries;
    size_t count;
    size_t room;
} query_list;

// the label is in the file's name; false if there is none
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
            complain("%s: line %zu has something other than finite numbers", path, line);
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

static void add_row(table* rows, const char* name, const tally* t) {
    char text[NAME_SIZE];
    table_cell(rows, STYLE_PLAIN, "%s", shown_name(name, 50, text));
    table_number(rows, STYLE_PLAIN, t->queries);
    table_number(rows, t->missed != 0 ? STYLE_FOUND : STYLE_PLAIN, t->missed);
    table_number(rows, t->false_alarms != 0 ? STYLE_FOUND : STYLE_PLAIN, t->false_alarms);
    table_cell(rows, STYLE_PLAIN, "%.1f", 1e9 * t->seconds / (double)t->queries);
}

static bool verify_file(const char* path, table* rows, tally* sum) {
    query_list list = {0};
    tally t = {0};
    bool label = false;
    if (!label_of(path, &label)) {
        complain(
            "%s: the name must start with 'intersected' or 'separated', which tells the right "
            "answer",
            path);
        return false;
    }
    const bool done = read_queries(path, &list) && ask(&list, label, &t);
    free(list.queries);
    if (done) {
        add_row(rows, path, &t);
        sum->queries += t.queries;
        sum->missed += t.missed;
        sum->false_alarms += t.false_alarms;
        sum->seconds += t.seconds;
    }
    return done;
}

static bool write_json(json_output* json, const tally* t) {
    json_begin(json);
    json_add(json, "verify", json_text("tritri"));
    json_add(json, "queries", json_count(t->queries));
    json_add(json, "missed", json_count(t->missed));
    json_add(json, "false", json_count(t->false_alarms));
    json_add(json, "near", json_count(0));       // the test has no tolerance,
    json_add(json, "undecided", json_count(0));  // and always answers
    json_add(json, "ns_per_query", json_real(1e9 * t->seconds / (double)t->queries));
    return json_close(json);
}

static int verify(const arguments* given, json_output* json, table* rows) {
    tally sum = {0};
    if (!json_open(json, given->values[JSON].text)) {
        return EXIT_FAILED;
    }
    const bool print = !json_takes_stdout(json);
    for (size_t i = 1; i < given->plain_count; ++i) {
        if (!verify_file(given->plain[i], rows, &sum)) {
            return EXIT_FAILED;
        }
    }
    if (given->plain_count > 2) {
        add_row(rows, "all", &sum);
    }
    const bool right = sum.missed + sum.false_alarms == 0;
    if (print) {
        table_print(rows, 0);
        printf("\n");
        print_styled(right ? STYLE_CLEAR : STYLE_FOUND,
                     right ? "All right" : "There are wrong answers");
        printf(": abut_triangles_touch() against the labels of the files' names.\n");
    }
    if (!write_json(json, &sum)) {
        return EXIT_FAILED;
    }
    return right ? EXIT_NOTHING : EXIT_FOUND;
}

static int run(const arguments* given) {
    if (given->plain_count == 0 || strcmp(given->plain[0], "tritri") != 0) {
        return complain(
            "verify needs to know what: 'abut verify tritri FILE...' is the one kind "
            "there is");
    }
    if (given->plain_count == 1) {
        return complain(
            "verify tritri needs a file whose name starts with 'intersected' or "
            "'separated'");
    }
    json_output json = {0};
    table* rows = table_create("<file|pairs|missed|false|ns a pair");
    const int code = verify(given, &json, rows);
    table_destroy(rows);
    if (json.file != NULL && json.file != stdout) {
        fclose(json.file);  // only after a failure
    }
    return code;
}

const command verify_command = {
    .name = "verify",
    .summary = "compare the exact tests with labelled data",
    .usage = "verify tritri FILE... [options]",
    .about =
        "tritri: pairs of triangles. Six lines of x y z are a pair. The right answer is in\n"
        "the file's name: intersected... (all touch) or separated... (none does). 'missed'\n"
        "are touching pairs called apart, 'false' the reverse; both must be 0.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut verify tritri intersected.txt separated.txt\n"
        "abut verify tritri data/intersected*.txt --json -",
    .exits = "0 all answers right, 1 some wrong, 2 it could not be done",
    .run = run,
};
