// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes JUnit XML: see junit.h.
#include "cli/gate/junit.h"

#include "cli/message.h"
#include "io/clean.h"

#include <stdlib.h>
#include <string.h>

// writes a text; characters that XML does not allow become '?'
static void put_text(FILE* file, const char* text) {
    uint32_t code = 0;
    for (size_t length; *text != '\0'; text += length) {
        length = io_character(text, &code);
        if (code == UINT32_MAX || io_is_control(code) || code == 0xFFFE || code == 0xFFFF) {
            fputc('?', file);
        } else if (strchr("<>&\"'", *text) != NULL) {
            fprintf(file, "&#%u;", (unsigned)code);
        } else {
            fwrite(text, 1, length, file);
        }
    }
}

static void put_attribute(FILE* file, const char* name, const char* text) {
    fprintf(file, " %s=\"", name);
    put_text(file, text);
    fputc('"', file);
}

static void begin_case(FILE* file, const scene* s, const char* name) {
    fputs("    <testcase", file);
    put_attribute(file, "classname", s->name);
    put_attribute(file, "name", name);
}

// a case with a failure or an error of this text
static void put_bad_case(FILE* file, const scene* s, const char* name, const char* what,
                         const char* type, const char* text) {
    begin_case(file, s, name);
    fprintf(file, ">\n      <%s", what);
    put_attribute(file, "type", type);
    put_attribute(file, "message", text);
    fprintf(file, "/>\n    </testcase>\n");
}

static void put_event(FILE* file, const scene* s, const event* e) {
    char text[EVENT_TEXT_SIZE];
    event_text(s, e, text);
    if (e->fails) {
        put_bad_case(file, s, text, "failure", contact_kind_name(e->kind), text);
    } else {
        begin_case(file, s, text);
        fputs("/>\n", file);
    }
}

// rules of --expect without contact in some frames
static size_t put_missing(FILE* file, const scene* s, bool count_only) {
    size_t count = 0;
    const tally* t = &s->gate->tally;
    for (size_t i = 0; s->gate->used && i < t->rules->count; ++i) {
        const tally_row* row = &t->of_rule[i];
        char runs[RUNS_SIZE];
        char text[RUNS_SIZE + 512];
        if (row->missing_count == 0) {
            continue;
        }
        ++count;
        if (!count_only) {
            snprintf(text, sizeof text, "expected contact of %.240s is missing in frames %s",
                     t->rules->list[i].text, runs_text(&row->missing, s->names, 8, runs));
            put_bad_case(file, s, text, "failure", "missing", text);
        }
    }
    return count;
}

static void put_suite(FILE* file, const scene* s, size_t tests, size_t failures, size_t errors) {
    fputs("  <testsuite", file);
    put_attribute(file, "name", s->name);
    fprintf(file, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"0\"", tests, failures,
            errors);
    if (s->seconds >= 0) {
        fprintf(file, " time=\"%.3f\"", s->seconds);
    }
    fputs(">\n", file);
}

void junit_scene(FILE* file, const scene* s) {
    if (s->code == EXIT_FAILED) {
        put_suite(file, s, 1, 0, 1);
        put_bad_case(file, s, "could not be checked", "error", "error", s->error);
        fputs("  </testsuite>\n", file);
        return;
    }
    const events* all = &s->gate->events;
    const size_t missing = put_missing(file, s, true);
    const size_t cases = all->count + missing;
    put_suite(file, s, cases == 0 ? 1 : cases, s->gate->failing + missing, 0);
    for (size_t i = 0; i < all->count; ++i) {
        put_event(file, s, &all->list[i]);
    }
    put_missing(file, s, false);
    if (cases == 0) {
        begin_case(file, s, s->verdict);
        fputs("/>\n", file);
    }
    fputs("    <system-out>", file);
    put_text(file, s->verdict);
    char judged[JUDGEMENT_SIZE];
    if (gate_judgement(s->gate, judged)[0] != '\0') {
        fputs(". ", file);
        put_text(file, judged);
    }
    fputs("</system-out>\n  </testsuite>\n", file);
}

void junit_begin(FILE* file) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"abut check\">\n", file);
}

void junit_end(FILE* file) {
    fputs("</testsuites>\n", file);
}
