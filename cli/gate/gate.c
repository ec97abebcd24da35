// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The steps of the gate: see gate.h.
#include "cli/gate/gate.h"

#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "io/output.h"

#include <stdlib.h>
#include <string.h>

// ---- options

static bool read_rules(gate* g, rule_kind kind, const option_value* given) {
    for (size_t i = 0; i < given->count; ++i) {
        if (!rules_add(&g->rules, kind, given->texts[i])) {
            return false;
        }
    }
    return true;
}

static bool is_rest(const option_value* given) {
    return given->given && strcmp(given->text, "rest") == 0;
}

static bool is_number(const option_value* given) {
    return given->given && given->text[strspn(given->text, "0123456789")] == '\0';
}

static bool read_by(gate* g, const option_value* by) {
    if (by->given && strcmp(by->text, "triangle") != 0 && strcmp(by->text, "component") != 0) {
        complain("--by needs 'triangle' or 'component', not '%s'", by->text);
        return false;
    }
    g->by_component = by->given && strcmp(by->text, "component") == 0;
    if (by->given && !g->given.baseline->given && !g->given.write_baseline->given) {
        complain("--by says by what a baseline knows contact: add --baseline or --write-baseline");
        return false;
    }
    return true;
}

// reads the baseline if it is a file
static bool read_known(gate* g) {
    const option_value* from = g->given.baseline;
    const option_value* to = g->given.write_baseline;
    if (!from->given || is_rest(from) || is_number(from)) {
        return true;
    }
    if (!to->given || strcmp(to->text, from->text) != 0) {  // a baseline may be replaced
        io_input_note(from->text);
    }
    g->known = baseline_read(from->text);
    if (g->known == NULL) {
        return false;
    }
    const bool by_component = baseline_by_component(g->known);
    if (g->given.by->given && g->by_component != by_component) {
        complain("%s knows contact by %s: leave out --by, or write it anew", from->text,
                 by_component ? "component" : "triangle");
        return false;
    }
    g->by_component = by_component;
    return true;
}

bool gate_read(gate* g, const gate_options* options) {
    g->given = *options;
    if (!read_rules(g, RULE_IGNORE, options->ignore) || !read_rules(g, RULE_ONLY, options->only) ||
        !read_rules(g, RULE_EXPECT, options->expect) || !read_by(g, options->by) ||
        !output_fits_report("write-baseline", options->write_baseline->text) || !read_known(g)) {
        return false;
    }
    if (options->write_baseline->given) {
        g->written = baseline_create(g->by_component);
    }
    g->used = g->rules.count != 0 || options->baseline->given || g->written != NULL;
    return true;
}

// ---- objects

void gate_meet(gate* g, const object_list* objects) {
    char** words = allocate(objects->count, sizeof *words);
    g->tally.rules = &g->rules;
    g->tally.baseline = g->given.baseline->given;
    g->sides = allocate(objects->count, sizeof *g->sides);
    g->nodes = allocate(objects->count, sizeof *g->nodes);
    for (size_t i = 0; i < objects->count; ++i) {
        const object* o = &objects->objects[i];
        const rule_name name = {o->name, o->file_length};
        const char* rest = o->name + o->file_length;
        g->sides[i] = rules_match(&g->rules, &name);
        g->nodes[i] = *rest == ':' ? rest + 1 : "";
        words[i] = rule_name_short(&name);
    }
    rules_warn(&g->rules, (const char* const*)words, objects->count);
    for (size_t i = 0; i < objects->count; ++i) {
        free(words[i]);
    }
    free(words);
}

void gate_watch(gate* g, crew* workers, const char* const* labels) {
    const sieve_def def = {.rules = &g->rules,
                           .sides = g->sides,
                           .labels = labels,
                           .nodes = g->nodes,
                           .identifies = g->given.baseline->given || g->written != NULL,
                           .by_component = g->by_component,
                           .known = g->known};
    for (size_t i = 0; i < workers->count && g->used; ++i) {
        workers->workers[i].sieve = sieve_open(workers->workers[i].w, &def);
    }
}

// ---- what is known

// the queries that find what a baseline has; depth is made of pairs
static question question_of(const question* q) {
    question known = *q;
    known.between = q->between || (q->depth && q->inside);
    known.self = q->self || q->depth_self;
    known.depth = known.depth_self = known.sweep = known.shared = false;
    return known;
}

bool gate_learn(gate* g, crew* workers, const question* q) {
    const option_value* from = g->given.baseline;
    const question known = question_of(q);
    size_t frame = REST_FRAME;
    if (!is_rest(from) && !is_number(from)) {
        return true;
    }
    if (is_number(from)) {
        while (++frame < q->names->count &&
               frame_number(q->names, frame) != strtoull(from->text, NULL, 10)) {
        }
        if (frame == q->names->count) {
            char text[FRAME_LIST_SIZE];
            complain("--baseline %s: there is no such frame; the frames are %s (./%s is a file)",
                     from->text, frame_numbers(q->names, text), from->text);
            return false;
        }
    }
    if (!crew_ask_rest(workers, frame, &known)) {
        return false;
    }
    g->known = baseline_create(g->by_component);
    sieve_keep(workers->workers[0].sieve, &known, g->known);
    for (size_t i = 0; i < workers->count; ++i) {
        sieve_learn(workers->workers[i].sieve, g->known);
    }
    return true;
}

// ---- frames

void gate_add(gate* g, const worker* k, const question* q) {
    size_t count = 0;
    if (!g->used) {
        return;
    }
    tally_add(&g->tally, &k->w->aside, (uint32_t)k->frame);
    const uint64_t* keys = sieve_known(k->sieve, &count);
    for (size_t i = 0; i < count; ++i) {
        baseline_see(g->known, keys[i]);
    }
    if (g->written != NULL) {
        sieve_keep(k->sieve, q, g->written);
    }
}

// ---- outputs

bool gate_claim(const gate* g) {
    return output_claim_report("write-baseline", g->given.write_baseline->text);
}

bool gate_write(gate* g) {
    if (g->written == NULL) {
        return true;
    }
    if (g->known != NULL) {
        baseline_carry(g->written, g->known);
    }
    FILE* file = output_open_report(g->given.write_baseline->text);
    if (file == NULL) {
        return false;
    }
    baseline_write(g->written, file);
    return output_end(file);
}

void gate_print(const gate* g, const frame_names* names) {
    if (g->used) {
        tally_print(&g->tally, names);
    }
    if (g->known != NULL) {
        baseline_print_gone(g->known);
    }
}

void gate_describe(const gate* g, const frame_names* names, json_t* summary) {
    if (g->used) {
        json_object_set_new(summary, "rules", tally_json(&g->tally, names));
    }
    if (g->known != NULL) {
        json_t* json = json_object();
        json_object_set_new(json, "by", json_text(g->by_component ? "component" : "triangle"));
        json_object_set_new(json, "count", json_count(baseline_count(g->known)));
        json_object_set_new(json, "gone", json_count(baseline_gone(g->known)));
        json_object_set_new(json, "gone_from", baseline_gone_json(g->known));
        json_object_set_new(summary, "baseline", json);
    }
}

void gate_free(gate* g) {
    rules_free(&g->rules);
    free(g->sides);
    free(g->nodes);
    baseline_free(g->known);
    baseline_free(g->written);
    *g = (gate){0};
}
