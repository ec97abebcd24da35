// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes a summary in Markdown: see markdown.h.
#include "cli/gate/markdown.h"

#include "cli/message.h"
#include "io/clean.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 20 };

// characters that mean something in Markdown or HTML become their codes
static void put_text(FILE* file, const char* text) {
    uint32_t code = 0;
    for (size_t length; *text != '\0'; text += length) {
        length = io_character(text, &code);
        if (code == UINT32_MAX || io_is_control(code)) {
            fputc('?', file);
        } else if (strchr("<>&\"'|`*_[]()#~@:\\!", *text) != NULL) {
            fprintf(file, "&#%u;", (unsigned)code);
        } else {
            fwrite(text, 1, length, file);
        }
    }
}

static void put_event(FILE* file, const scene* s, const event* e) {
    const bool self = e->now.a == e->now.b;
    fprintf(file, "| %s | ", e->fails ? "fails" : "");
    put_text(file, s->labels[e->now.a]);
    fputs(" and ", file);
    put_text(file, self ? "itself" : s->labels[e->now.b]);
    fprintf(file, " | %s | %llu to %llu | %llu | ", contact_kind_text(e->kind),
            (unsigned long long)frame_number(s->names, e->first),
            (unsigned long long)frame_number(s->names, e->last),
            (unsigned long long)frame_number(s->names, e->worst));
    if (e->kind == KIND_NEAR) {
        fprintf(file, "distance %.6g |", e->now.distance);
    } else {
        fprintf(file, "%s%.6g |", e->now.is_extent ? "extent " : "", e->now.depth);
    }
    fprintf(file, " %zu |\n", e->most_pairs);
}

static void put_events(FILE* file, const scene* s) {
    const events* all = &s->gate->events;
    if (all->count == 0) {
        return;
    }
    const event** sorted = events_sorted(all);
    fputs("\n| | event | kind | frames | worst | depth | pairs |\n|---|---|---|---|---|---|---|\n",
          file);
    for (size_t i = 0; i < all->count && i < MOST_SHOWN; ++i) {
        put_event(file, s, sorted[i]);
    }
    if (all->count > MOST_SHOWN) {
        fprintf(file, "\n... and %zu more events.\n", all->count - MOST_SHOWN);
    }
    free(sorted);
}

void markdown_scene(FILE* file, const scene* s) {
    static const char* const words[] = {"passes", "fails", "could not be checked"};
    char judged[JUDGEMENT_SIZE] = "";
    fputs("### ", file);
    put_text(file, s->name);
    fprintf(file, " %s\n\n", words[s->code]);
    if (s->code == EXIT_FAILED) {
        put_text(file, s->error);
        fputs("\n\n", file);
        return;
    }
    put_text(file, s->verdict);
    fputs(".", file);
    if (gate_judgement(s->gate, judged)[0] != '\0') {
        fputc(' ', file);
        put_text(file, judged);
        fputs(".", file);
    }
    fputc('\n', file);
    put_events(file, s);
    fputc('\n', file);
}
