// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut merge: makes of the parts of a check the outputs of one run.
#include "cli/command.h"
#include "cli/farm/merge_page.h"
#include "cli/farm/part_set.h"
#include "cli/farm/plain.h"
#include "cli/message.h"
#include "io/file.h"
#include "io/output.h"

#include <stdlib.h>

enum { JSON, JSON_LINES, CSV, JUNIT, SARIF, MARKDOWN, HTML, QUIET, OPTIONS };

static const option_spec options[OPTIONS] = {
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
    [JSON_LINES] = {"json-lines", OPTION_TEXT, "FILE", "write the same as lines"},
    [CSV] = {"csv", OPTION_TEXT, "FILE", "write everything found to FILE, one row each"},
    [JUNIT] = {"junit", OPTION_TEXT, "FILE",
               "write JUnit XML; the parts must have events (check\n"
               "--events or --fail-if)"},
    [SARIF] = {"sarif", OPTION_TEXT, "FILE", "write SARIF 2.1.0; the parts must have events"},
    [MARKDOWN] = {"markdown", OPTION_TEXT, "FILE",
                  "write a summary in Markdown; the parts must have events"},
    [HTML] = {"html", OPTION_TEXT, "FILE",
              "write a report to FILE. It reads the objects again, and\n"
              "checks them again; others than those of the parts are\n"
              "refused"},
    [QUIET] = {"quiet", OPTION_FLAG, NULL, "print no table; the exit code is the answer"},
};

static int merge_parts(const arguments* given, part* parts) {
    const option_value* v = given->values;
    check_shared all = {.settings = parts[0].settings,
                        .json_path = v[JSON].text,
                        .lines_path = v[JSON_LINES].text,
                        .junit_path = v[JUNIT].text,
                        .sarif_path = v[SARIF].text,
                        .markdown_path = v[MARKDOWN].text,
                        .csv_path = v[CSV].text};
    const part_set_wishes wishes = {.all = &all,
                                    .table = !v[QUIET].given,
                                    .needs_events = v[JUNIT].given || v[SARIF].given ||
                                                    v[MARKDOWN].given};
    int code = part_set_merge(parts, given->plain_count, &wishes);
    if (code != EXIT_FAILED && !shared_close(&all)) {
        code = EXIT_FAILED;
    }
    shared_drop(&all);
    return code;
}

// ---- plain JSON

// reads a file that should be the JSON of a check; NULL if it is not
static json_t* read_plain(const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    io_error error;
    json_t* root = NULL;
    if (io_read_file(path, &bytes, &size, &error)) {
        root = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, NULL);
    }
    free(bytes);
    if (!is_plain(root)) {
        json_decref(root);
        root = NULL;
    }
    return root;
}

static bool only_json(const option_value* v) {
    for (size_t i = 0; i < OPTIONS; ++i) {
        if (v[i].given && i != JSON && i != QUIET) {
            complain("plain JSON can only be merged into JSON: for --%s write parts with --part",
                     options[i].name);
            return false;
        }
    }
    if (!v[JSON].given) {
        complain("plain JSON can only be merged into JSON: add --json FILE");
    }
    return v[JSON].given;
}

// takes over the first file
static int merge_plain(const arguments* given, json_t* first) {
    const size_t count = given->plain_count;
    plain* list = allocate(count, sizeof *list);
    bool read = only_json(given->values);
    list[0] = (plain){.path = given->plain[0], .root = first};
    for (size_t i = 0; i < count && read; ++i) {
        io_input_note(given->plain[i]);
        if (i > 0) {
            list[i] = (plain){.path = given->plain[i], .root = read_plain(given->plain[i])};
        }
        read = list[i].root != NULL;
        if (!read) {
            complain("%s is not the JSON of a check, as %s is", given->plain[i], given->plain[0]);
        }
    }
    const int code = read ? plain_merge(list, count, given->values[JSON].text) : EXIT_FAILED;
    for (size_t i = 0; i < count; ++i) {
        json_decref(list[i].root);
    }
    free(list);
    return code;
}

// ---- the command

static int run(const arguments* given) {
    const size_t count = given->plain_count;
    int code = EXIT_FAILED;
    if (count == 0) {
        return complain("merge needs the parts of a check: files that 'abut check --part' wrote");
    }
    json_t* first = read_plain(given->plain[0]);
    if (first != NULL) {
        return merge_plain(given, first);
    }
    part* parts = allocate(count, sizeof *parts);
    bool read = true;
    for (size_t i = 0; i < count && read; ++i) {
        read = part_read(&parts[i], given->plain[i]);
    }
    if (read && part_set_order(parts, count)) {
        code = merge_parts(given, parts);
        if (code != EXIT_FAILED && given->values[HTML].given &&
            !merge_page(&parts[0], given->values[HTML].text)) {
            code = EXIT_FAILED;
        }
    }
    for (size_t i = 0; i < count; ++i) {
        part_free(&parts[i]);
    }
    free(parts);
    return code;
}

const command merge_command = {
    .name = "merge",
    .summary = "make one run of the parts of a check",
    .usage = "merge PART... [options]",
    .about =
        "A PART is a file that 'abut check --frames A:B --part FILE' wrote. Parts of all frames "
        "give\n"
        "the outputs of one run, byte by byte, and its exit code, also where contact and steps go "
        "from\n"
        "one part to the next. Their order does not matter. A part that is missing, there twice,\n"
        "damaged, or of other inputs or options is an error that names it.\n"
        "Files of 'abut check --frames A:B --json FILE' can be merged into JSON, too, unless they "
        "have\n"
        "events, rules, a baseline, depths, or sweeps over a seam.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut check shot.glb --frames 0:99 --part a.part.json\n"
        "abut check shot.glb --frames 100: --part b.part.json\n"
        "abut merge *.part.json --json shot.json --csv shot.csv",
    .exits = "those of 'abut check': 0 nothing found, 1 contact, 2 it could not be done",
    .run = run,
};
