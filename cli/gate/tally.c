// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Counts over all frames what rules put aside: see tally.h.
#include "cli/gate/tally.h"

#include "cli/json.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>

const char* aside_reason_name(aside_reason reason) {
    static const char* const names[ASIDE_REASONS] = {"ignored", "expected", "outside", "known"};
    return names[reason];
}

static tally_row* row_of(tally* t, const aside_entry* e) {
    return e->reason == ASIDE_OUTSIDE ? &t->outside
           : e->reason == ASIDE_KNOWN ? &t->known
                                      : &t->of_rule[e->rule];
}

static void add_entry(tally_row* row, const aside_entry* e, bool first) {
    row->pairs += e->pairs;
    row->swept += e->swept;
    row->regions += e->regions;
    row->insides += e->insides;
    row->gaps += e->gaps;
    row->features += e->features;
    row->frames += first;
}

void tally_add(tally* t, const world_aside* aside, uint32_t frame) {
    bool seen[MOST_RULES + 2] = {false};
    ++t->frames;
    for (size_t i = 0; i < aside->count; ++i) {
        const aside_entry* e = &aside->entries[i];
        bool* at = &seen[e->reason == ASIDE_OUTSIDE ? MOST_RULES
                         : e->reason == ASIDE_KNOWN ? MOST_RULES + 1
                                                    : e->rule];
        add_entry(row_of(t, e), e, !*at);
        *at = true;
    }
    for (size_t i = 0; i < t->rules->count; ++i) {
        if (t->rules->list[i].kind == RULE_EXPECT && !seen[i]) {
            runs_add(&t->of_rule[i].missing, frame);
            ++t->of_rule[i].missing_count;
        }
    }
}

static bool is_empty(const tally_row* row) {
    return row->frames == 0;
}

const char* tally_text(const tally_row* row, char text[TALLY_TEXT_SIZE]) {
    enum { COUNTS = 6 };
    const size_t counts[COUNTS] = {row->pairs,   row->swept, row->regions,
                                   row->insides, row->gaps,  row->features};
    static const char* const words[COUNTS][2] = {{"pair of triangles", "pairs of triangles"},
                                                 {"contact between frames",
                                                  "contacts between frames"},
                                                 {"region", "regions"},
                                                 {"object inside another", "objects inside others"},
                                                 {"distance", "distances"},
                                                 {"pair of features", "pairs of features"}};
    size_t used = 0;
    size_t left = 0;
    text[0] = '\0';
    for (size_t i = 0; i < COUNTS; ++i) {
        left += counts[i] != 0;
    }
    for (size_t i = 0; i < COUNTS; ++i) {
        if (counts[i] != 0) {
            --left;
            used += (size_t)snprintf(text + used, TALLY_TEXT_SIZE - used, "%zu %s%s", counts[i],
                                     words[i][counts[i] != 1],
                                     left > 1    ? ", "
                                     : left == 1 ? " and "
                                                 : "");
        }
    }
    return text;
}

// ", in 3 frames"; empty if there is only one
static const char* frames_text(const tally* t, size_t count, char text[48]) {
    text[0] = '\0';
    if (t->frames > 1) {
        snprintf(text, 48, ", in %zu frame%s", count, count == 1 ? "" : "s");
    }
    return text;
}

static void print_row(const tally* t, const char* what, const tally_row* row) {
    char text[TALLY_TEXT_SIZE];
    char frames[48];
    printf("%s: %s%s.\n", what, tally_text(row, text), frames_text(t, row->frames, frames));
}

static void print_rule(const tally* t, const rule* r, const tally_row* row,
                       const frame_names* names) {
    char shown[NAME_SIZE];
    char what[NAME_SIZE + 64];
    char runs[RUNS_SIZE];
    const bool expects = r->kind == RULE_EXPECT;
    snprintf(what, sizeof what, "%s by --%s %s", expects ? "Expected" : "Ignored",
             rule_kind_name(r->kind), shown_name(r->text, 80, shown));
    if (!is_empty(row)) {
        print_row(t, what, row);
    } else if (!expects) {
        printf("%s: nothing; the rule matches no contact.\n", what);
    }
    if (row->missing_count != 0) {
        printf("Missing: contact that --%s %s speaks of", rule_kind_name(r->kind), shown);
        if (t->frames > 1) {
            printf(", in %zu of %zu frames (%s)", row->missing_count, t->frames,
                   runs_text(&row->missing, names, 8, runs));
        }
        printf(".\n");
    }
}

void tally_print(const tally* t, const frame_names* names) {
    for (size_t i = 0; i < t->rules->count; ++i) {
        if (t->rules->list[i].kind != RULE_ONLY) {
            print_rule(t, &t->rules->list[i], &t->of_rule[i], names);
        }
    }
    if (!is_empty(&t->outside)) {
        print_row(t, "Left out by --only", &t->outside);
    }
    if (!is_empty(&t->known)) {
        print_row(t, "Known by the baseline", &t->known);
    }
}

static void add_counts(json_t* json, const tally_row* row) {
    json_object_set_new(json, "pairs", json_count(row->pairs));
    json_object_set_new(json, "sweeps", json_count(row->swept));
    json_object_set_new(json, "regions", json_count(row->regions));
    json_object_set_new(json, "inside", json_count(row->insides));
    json_object_set_new(json, "distances", json_count(row->gaps));
    json_object_set_new(json, "features", json_count(row->features));
    json_object_set_new(json, "frames", json_count(row->frames));
}

static void append_row(json_t* list, const char* kind, const char* names, const tally_row* row) {
    json_t* json = json_object();
    json_object_set_new(json, "rule", json_text(kind));
    if (names != NULL) {
        json_object_set_new(json, "names", json_text(names));
    }
    add_counts(json, row);
    json_array_append_new(list, json);
}

json_t* tally_json(const tally* t, const frame_names* names) {
    json_t* list = json_array();
    char runs[RUNS_SIZE];
    for (size_t i = 0; i < t->rules->count; ++i) {
        const rule* r = &t->rules->list[i];
        const tally_row* row = &t->of_rule[i];
        if (r->kind == RULE_ONLY) {
            continue;
        }
        append_row(list, rule_kind_name(r->kind), r->text, row);
        if (r->kind == RULE_EXPECT) {
            json_t* last = json_array_get(list, json_array_size(list) - 1);
            json_object_set_new(last, "missing", json_count(row->missing_count));
            json_object_set_new(last, "missing_in",
                                json_text(runs_text(&row->missing, names, 8, runs)));
        }
    }
    if (t->rules->of_kind[RULE_ONLY] != 0) {
        append_row(list, "only", NULL, &t->outside);
    }
    if (t->baseline) {
        append_row(list, "baseline", NULL, &t->known);
    }
    return list;
}
