// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut compare: what is new, worse, better or gone between two checks.
#include "cli/command.h"
#include "cli/compare_page.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/table.h"

#include <abut/base.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JSON, HTML, ALL, OPTIONS };
enum { ROWS_SHOWN = 40 };

static const option_spec options[OPTIONS] = {
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
    [HTML] = {"html", OPTION_TEXT, "FILE", "write a page with both, side by side"},
    [ALL] = {"all", OPTION_FLAG, NULL, "also list what is the same, and more than 40 rows"},
};

typedef struct job {
    take takes[2];
    change* changes;
    size_t count;
    size_t sums[CHANGES];
    json_output json;
    FILE* html;
} job;

// ---- outputs

static json_t* event_part(const take_event* e) {
    if (e == NULL) {
        return json_null();
    }
    json_t* json = json_object();
    json_object_set_new(json, "kind", json_text(e->kind));
    json_object_set_new(json, "first", json_count(e->first));
    json_object_set_new(json, "last", json_count(e->last));
    json_object_set_new(json, "worst", json_count(e->worst));
    json_object_set_new(json, "frames", json_count(e->frames));
    json_object_set_new(json, "depth", json_finite(e->depth));
    json_object_set_new(json, "pairs", json_count(e->pairs));
    return json;
}

static void write_json(job* j) {
    json_begin(&j->json);
    json_add(&j->json, "abut", json_text(ABUT_VERSION_STRING));
    for (int k = 0; k < CHANGES; ++k) {
        json_add(&j->json, change_name((change_kind)k), json_count(j->sums[k]));
    }
    json_begin_list(&j->json, "changes");
    for (size_t i = 0; i < j->count; ++i) {
        const change* c = &j->changes[i];
        const take_event* e = c->after != NULL ? c->after : c->before;
        json_t* json = json_object();
        json_object_set_new(json, "change", json_text(change_name(c->kind)));
        json_object_set_new(json, "a", json_text(e->a));
        json_object_set_new(json, "b", json_text(e->b));
        json_object_set_new(json, "before", event_part(c->before));
        json_object_set_new(json, "after", event_part(c->after));
        json_add(&j->json, NULL, json);
    }
    json_end_list(&j->json);
}

static void add_depths(table* t, const change* c) {
    char texts[2][32];
    const take_event* events[2] = {c->before, c->after};
    for (int i = 0; i < 2; ++i) {
        if (events[i] == NULL) {
            snprintf(texts[i], sizeof texts[i], "-");
        } else if (isnan(events[i]->depth)) {
            snprintf(texts[i], sizeof texts[i], "?");
        } else {
            snprintf(texts[i], sizeof texts[i], "%.4g", events[i]->depth);
        }
    }
    table_cell(t, STYLE_PLAIN, "%s", texts[0]);
    table_cell(t, STYLE_PLAIN, "%s", texts[1]);
}

static void add_row(table* t, const change* c) {
    char names[2][NAME_SIZE];
    const take_event* e = c->after != NULL ? c->after : c->before;
    const bool self = strcmp(e->a, e->b) == 0;
    const style look = c->kind <= CHANGE_WORSE ? STYLE_FOUND
                       : c->kind < CHANGE_SAME ? STYLE_CLEAR
                                               : STYLE_FAINT;
    table_cell(t, look, "%s", change_name(c->kind));
    table_cell(t, STYLE_PLAIN, "%s%s%s", shown_name(e->a, 30, names[0]),
               self ? " with itself" : " and ", self ? "" : shown_name(e->b, 30, names[1]));
    table_cell(t, STYLE_PLAIN, "%s", e->kind);
    add_depths(t, c);
    table_cell(t, STYLE_PLAIN, "%llu to %llu", (unsigned long long)e->first,
               (unsigned long long)e->last);
    table_cell(t, STYLE_PLAIN, "%llu", (unsigned long long)e->worst);
}

static void print_all(const job* j, bool all) {
    size_t rows = 0;
    printf("%zu new, %zu worse, %zu better, %zu gone, %zu the same.\n", j->sums[CHANGE_NEW],
           j->sums[CHANGE_WORSE], j->sums[CHANGE_BETTER], j->sums[CHANGE_GONE],
           j->sums[CHANGE_SAME]);
    table* t = table_create("<change|<which|<kind|depth before|after|frames|worst");
    const size_t listed = all ? j->count : j->count - j->sums[CHANGE_SAME];  // the same are last
    for (; rows < listed && (all || rows < ROWS_SHOWN); ++rows) {
        add_row(t, &j->changes[rows]);
    }
    if (rows > 0) {
        printf("\n");
        table_print(t, 0);
    }
    if (rows < listed) {
        printf("... and %zu more; --all lists them\n", listed - rows);
    }
    table_destroy(t);
}

static bool write_all(job* j, const arguments* given) {
    if (j->json.file != NULL) {
        write_json(j);
    }
    if (!json_takes_stdout(&j->json)) {
        print_all(j, given->values[ALL].given);
    }
    FILE* page = j->html;
    j->html = NULL;
    if (page != NULL) {
        compare_page(page, &j->takes[0], &j->takes[1], j->changes, j->count);
    }
    return (page == NULL || output_end(page)) && (j->json.file == NULL || json_close(&j->json));
}

// ---- the command

static bool open_outputs(job* j, const arguments* given) {
    const char* html = given->values[HTML].text;
    if (!json_claim(given->values[JSON].text) || !output_claim_report("html", html) ||
        !inputs_apart() || !json_open(&j->json, given->values[JSON].text)) {
        return false;
    }
    j->html = html != NULL ? output_open_report(html) : NULL;
    return html == NULL || j->html != NULL;
}

static bool work(job* j, const arguments* given) {
    if (given->plain_count != 2) {
        complain("compare needs two files: the JSON of a check before, and of one after");
        return false;
    }
    if (!take_read(&j->takes[0], given->plain[0]) || !take_read(&j->takes[1], given->plain[1]) ||
        !open_outputs(j, given)) {
        return false;
    }
    j->changes = takes_compare(&j->takes[0], &j->takes[1], &j->count);
    for (size_t i = 0; i < j->count; ++i) {
        ++j->sums[j->changes[i].kind];
    }
    return write_all(j, given);
}

static int run(const arguments* given) {
    job j = {0};
    const bool done = work(&j, given);
    const bool worse = j.sums[CHANGE_NEW] + j.sums[CHANGE_WORSE] > 0;
    output_drop(j.html);
    json_drop(&j.json);  // no-op after success
    free(j.changes);
    take_free(&j.takes[0]);
    take_free(&j.takes[1]);
    return !done ? EXIT_FAILED : worse ? EXIT_FOUND : EXIT_NOTHING;
}

const command compare_command = {
    .name = "compare",
    .summary = "compare the events of two checks: new, worse, better, gone",
    .usage = "compare BEFORE AFTER [options]",
    .about =
        "Both files are written by 'abut check ... --events --json FILE'. Events of the same two\n"
        "objects, by their names, are the same if their frames overlap; where there are several,\n"
        "those with the longest overlap. An event is worse if its kind is (near, touches, "
        "between,\n"
        "inside, cuts), or else its depth by more than 1 %, or else its length, or else the "
        "number\n"
        "of pairs.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut compare monday.json tuesday.json\n"
        "abut compare monday.json tuesday.json --html change.html",
    .exits = "0 nothing is new or worse, 1 something is, 2 it could not be done",
    .run = run,
};
