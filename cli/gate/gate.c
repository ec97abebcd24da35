// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The steps of the gate: see gate.h.
#include "cli/gate/gate.h"

#include "cli/message.h"

#include <stdlib.h>

static bool read_rules(gate* g, rule_kind kind, const option_value* given) {
    for (size_t i = 0; i < given->count; ++i) {
        if (!rules_add(&g->rules, kind, given->texts[i])) {
            return false;
        }
    }
    return true;
}

bool gate_read(gate* g, const gate_options* options) {
    const bool read = read_rules(g, RULE_IGNORE, options->ignore) &&
                      read_rules(g, RULE_ONLY, options->only) &&
                      read_rules(g, RULE_EXPECT, options->expect);
    g->used = g->rules.count != 0;
    return read;
}

void gate_meet(gate* g, const object_list* objects) {
    char** words = allocate(objects->count, sizeof *words);
    g->tally.rules = &g->rules;
    g->sides = allocate(objects->count, sizeof *g->sides);
    for (size_t i = 0; i < objects->count; ++i) {
        const object* o = &objects->objects[i];
        const rule_name name = {o->name, o->file_length};
        g->sides[i] = rules_match(&g->rules, &name);
        words[i] = rule_name_short(&name);
    }
    rules_warn(&g->rules, (const char* const*)words, objects->count);
    for (size_t i = 0; i < objects->count; ++i) {
        free(words[i]);
    }
    free(words);
}

void gate_watch(gate* g, crew* workers) {
    const sieve_def def = {.rules = &g->rules, .sides = g->sides};
    for (size_t i = 0; i < workers->count && g->used; ++i) {
        workers->workers[i].sieve = sieve_open(workers->workers[i].w, &def);
    }
}

void gate_add(gate* g, const world* w, uint32_t frame) {
    if (g->used) {
        tally_add(&g->tally, &w->aside, frame);
    }
}

void gate_print(const gate* g, const frame_names* names) {
    if (g->used) {
        tally_print(&g->tally, names);
    }
}

void gate_describe(const gate* g, const frame_names* names, json_t* summary) {
    if (g->used) {
        json_object_set_new(summary, "rules", tally_json(&g->tally, names));
    }
}

void gate_free(gate* g) {
    rules_free(&g->rules);
    free(g->sides);
    *g = (gate){0};
}
