// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut verify: compares the exact tests with data whose answers are known.
#include "cli/verify.h"

#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/output.h"

#include <stdio.h>
#include <string.h>

enum { JSON, OPTIONS };

static const option_spec options[OPTIONS] = {
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
};

// a kind of data
typedef struct kind {
    const char* name;
    const char* needs;  // what else the command line needs
    const char* asked;  // the functions that are compared, and with what
    bool (*run)(const arguments* given, table* rows, tally* sum);
    bool (*note)(const arguments* given);  // notes the files in folders; NULL: arguments are files
} kind;

static const kind kinds[] = {
    {"tritri", "a file whose name starts with 'intersected' or 'separated'",
     "abut_triangles_touch() against the labels in the file names", verify_tritri, NULL},
    {"ccd", "a folder with edge-edge/*.csv and vertex-face/*.csv in its folders",
     "abut_vertex_face_sweep() and abut_edge_edge_sweep() against the labels of the queries",
     verify_ccd, verify_ccd_note},
};

static void add_row(table* rows, const char* name, const tally* t) {
    char text[NAME_SIZE];
    table_cell(rows, STYLE_PLAIN, "%s", shown_name(name, 50, text));
    table_number(rows, STYLE_PLAIN, t->queries);
    table_number(rows, t->missed != 0 ? STYLE_FOUND : STYLE_PLAIN, t->missed);
    table_number(rows, t->false_alarms != 0 ? STYLE_FOUND : STYLE_PLAIN, t->false_alarms);
    table_number(rows, STYLE_PLAIN, t->near);
    table_number(rows, STYLE_PLAIN, t->undecided);
    table_cell(rows, STYLE_PLAIN, "%.1f", 1e9 * t->seconds / (double)t->queries);
}

void verify_add(table* rows, const char* name, const tally* t, tally* sum) {
    add_row(rows, name, t);
    sum->queries += t->queries;
    sum->missed += t->missed;
    sum->false_alarms += t->false_alarms;
    sum->near += t->near;
    sum->undecided += t->undecided;
    sum->seconds += t->seconds;
}

static bool write_json(json_output* json, const kind* what, const tally* t) {
    json_begin(json);
    json_add(json, "verify", json_text(what->name));
    json_add(json, "queries", json_count(t->queries));
    json_add(json, "missed", json_count(t->missed));
    json_add(json, "false", json_count(t->false_alarms));
    json_add(json, "near", json_count(t->near));
    json_add(json, "undecided", json_count(t->undecided));
    json_add(json, "ns_per_query", json_real(1e9 * t->seconds / (double)t->queries));
    return json_close(json);
}

static int verify(const arguments* given, const kind* what, json_output* json, table* rows) {
    tally sum = {0};
    for (size_t i = 1; i < given->plain_count; ++i) {
        io_input_note(given->plain[i]);
    }
    if ((what->note != NULL && !what->note(given)) || !inputs_apart() ||
        !json_claim(given->values[JSON].text) || !json_open(json, given->values[JSON].text)) {
        return EXIT_FAILED;
    }
    const bool print = !json_takes_stdout(json);
    progress bar = progress_begin_on("verifying", given->plain[1]);
    const bool done = what->run(given, rows, &sum);
    progress_end(&bar);
    if (!done) {
        return EXIT_FAILED;
    }
    add_row(rows, "all", &sum);
    const bool right = sum.missed + sum.false_alarms == 0;
    if (print) {
        table_print(rows, 0);
        printf("\n");
        print_styled(right ? STYLE_CLEAR : STYLE_FOUND,
                     right ? "All answers are right" : "There are wrong answers");
        printf(": %s.\n", what->asked);
    }
    if (!write_json(json, what, &sum)) {
        return EXIT_FAILED;
    }
    return right ? EXIT_NOTHING : EXIT_FOUND;
}

static const kind* find_kind(const arguments* given) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && given->plain_count > 0; ++i) {
        if (strcmp(given->plain[0], kinds[i].name) == 0) {
            return &kinds[i];
        }
    }
    return NULL;
}

static int run(const arguments* given) {
    const kind* what = find_kind(given);
    if (what == NULL) {
        return complain(
            "verify needs a kind of data: 'abut verify tritri FILE...' or 'abut verify ccd "
            "FOLDER...'");
    }
    if (given->plain_count == 1) {
        return complain("verify %s needs %s", what->name, what->needs);
    }
    json_output json = {0};
    table* rows = table_create("<file|queries|missed|false|near|undecided|ns per query");
    const int code = verify(given, what, &json, rows);
    table_destroy(rows);
    json_drop(&json);  // no-op after success
    return code;
}

const command verify_command = {
    .name = "verify",
    .summary = "compare the exact tests with labelled data",
    .usage = "verify KIND FILE... [options]",
    .about =
        "KIND is one of\n"
        "  tritri  files of pairs of triangles; six lines of x y z are a pair. The name of the\n"
        "          file gives the right answer: intersected... (all pairs touch) or separated...\n"
        "          (no pair touches)\n"
        "  ccd     folders of moving vertices and faces, and of moving edges, in the format of "
        "the\n"
        "          public data set Sample-Queries: FOLDER/*/vertex-face/*.csv and\n"
        "          FOLDER/*/edge-edge/*.csv. Eight lines are a query (four points at the start,\n"
        "          four at the end): x y z, each as numerator and denominator, then the label.\n"
        "          FOLDER/near_negatives.csv may list queries (file, number, ...) that come so\n"
        "          close that contact is also accepted: these are counted as 'near'\n"
        "'missed' counts touching pairs that were reported as separate, 'false' the reverse; both\n"
        "must be 0.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut verify tritri intersected.txt separated.txt\n"
        "abut verify ccd data/ccd_queries --json -",
    .exits = "0 all answers right, 1 some wrong, 2 it could not be done",
    .run = run,
};
