// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The steps of the gate: see gate.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/gate/gate.h"

#include "cli/json.h"
#include "cli/message.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "io/output.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// The path of a baseline. With --each it is that of a file in a folder, named after the object.
static char* path_of(const gate* g, const option_value* given) {
    const char* slash = g->given.scene != NULL ? strrchr(g->given.scene, '/') : NULL;
    const char* name = slash != NULL && slash[1] != '\0' ? slash + 1 : g->given.scene;
    const size_t room = strlen(given->text) + (name != NULL ? strlen(name) : 0) + 16;
    char* path = allocate(room, 1);
    if (name != NULL) {
        snprintf(path, room, "%s/%s.baseline", given->text, name);
    } else {
        snprintf(path, room, "%s", given->text);
    }
    return path;
}

// reads the baseline if it is a file
static bool read_known(gate* g) {
    const option_value* from = g->given.baseline;
    const option_value* to = g->given.write_baseline;
    if (to->given) {
        g->written_path = path_of(g, to);
    }
    if (g->given.known != NULL) {
        g->known = g->given.known;
        g->by_component = baseline_by_component(g->known);
        return true;
    }
    if (!from->given || is_rest(from) || is_number(from)) {
        return true;
    }
    g->known_path = path_of(g, from);
    if (g->given.scene != NULL && access(g->known_path, F_OK) != 0) {
        warn("%s: there is no baseline of this object yet, %s; nothing is known", g->given.scene,
             g->known_path);
        g->known = baseline_create(g->by_component);
        return true;
    }
    if (g->written_path == NULL || strcmp(g->written_path, g->known_path) != 0) {
        io_input_note(g->known_path);  // otherwise it is replaced
    }
    g->known = baseline_read(g->known_path);
    if (g->known == NULL) {
        return false;
    }
    const bool by_component = baseline_by_component(g->known);
    if (g->given.by->given && g->by_component != by_component) {
        complain("%s knows contact by %s: leave out --by, or write it anew", g->known_path,
                 by_component ? "component" : "triangle");
        return false;
    }
    g->by_component = by_component;
    return true;
}

static bool read_condition(gate* g) {
    const option_value* units = g->given.units;
    static const struct {
        const char* name;
        double metres;
    } all[] = {{"mm", 0.001}, {"cm", 0.01}, {"m", 1}};
    g->scale = (condition_scale){
        .fps = g->given.fps, .metres = g->given.metres, .diagonal = g->given.diagonal};
    for (size_t i = 0; i < 3 && units->given; ++i) {
        g->scale.metres = strcmp(units->text, all[i].name) == 0 ? all[i].metres : g->scale.metres;
    }
    if (units->given && g->scale.metres == 0) {
        complain("--units says what one unit of the files is: mm, cm or m, not '%s'", units->text);
        return false;
    }
    if (g->given.fail_if->given) {
        g->condition = condition_parse(g->given.fail_if->text);
    }
    g->events.timed = g->given.intervals;
    g->measures = g->given.intervals || g->given.events->given || g->given.fail_if->given ||
                  g->given.reports;
    return g->condition != NULL || !g->given.fail_if->given;
}

bool gate_read(gate* g, const gate_options* options) {
    g->given = *options;
    if (!read_rules(g, RULE_IGNORE, options->ignore) || !read_rules(g, RULE_ONLY, options->only) ||
        !read_rules(g, RULE_EXPECT, options->expect) || !read_by(g, options->by) ||
        !output_fits_report("write-baseline", options->write_baseline->text) || !read_known(g) ||
        !read_condition(g)) {
        return false;
    }
    if (options->write_baseline->given) {
        g->written = baseline_create(g->by_component);
    }
    g->used = g->rules.count != 0 || options->baseline->given || g->written != NULL;
    return true;
}

// ---- objects

// the unit of glTF is the metre
static bool know_units(gate* g, const object_list* objects) {
    bool gltf = true;
    for (size_t i = 0; i < objects->count; ++i) {
        const char* format = objects->objects[i].format;
        gltf = gltf && format != NULL && strcmp(format, "glTF") == 0;
    }
    if (g->scale.metres == 0 && gltf) {
        g->scale.metres = 1;
    }
    if (g->condition != NULL && condition_has_unit(g->condition) && g->scale.metres == 0) {
        complain(
            "--fail-if '%s': what one unit of the files is, is not known: add --units mm, cm or m",
            g->given.fail_if->text);
        return false;
    }
    return true;
}

bool gate_meet(gate* g, const object_list* objects) {
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
    }
    return know_units(g, objects);
}

void gate_watch(gate* g, crew* workers, const char* const* labels) {
    sieve_def def = {.rules = &g->rules,
                     .sides = g->sides,
                     .labels = labels,
                     .nodes = g->nodes,
                     .identifies = g->given.baseline->given || g->written != NULL,
                     .by_component = g->by_component,
                     .known = g->known};
    for (size_t i = 0; i < workers->count; ++i) {
        worker* k = &workers->workers[i];
        def.objects = k->objects;
        k->sieve = g->used ? sieve_open(k->w, &def) : NULL;
        k->meter = g->measures ? meter_open(k->w, k->objects) : NULL;
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

static bool learn_baseline(gate* g, crew* workers, const question* q) {
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

// the diagonal of the box of all objects, which stand in the first frame
static double diagonal_of(const world* w) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (uint32_t i = 0; i < w->body_count; ++i) {
            abut_box box;
            if (abut_body_box(w->scene, w->bodies[i], &box, NULL) == ABUT_OK) {
                lo = fmin(lo, box.lo[d]);
                hi = fmax(hi, box.hi[d]);
            }
        }
        sum += hi > lo ? (hi - lo) * (hi - lo) : 0;
    }
    return sqrt(sum);
}

// warns of rules that match neither an object nor triangles; the first frame has been read
static void warn_of_rules(gate* g, const object_list* objects) {
    char** words = allocate(objects->count, sizeof *words);
    for (size_t i = 0; i < objects->count; ++i) {
        const object* o = &objects->objects[i];
        const rule_name name = {o->name, o->file_length};
        words[i] = rule_name_short(&name);
        for (size_t k = 0; o->tags != NULL && k < o->tags->count; ++k) {
            rules_meet_tag(&g->rules, o->tags->runs[k].name);
        }
    }
    rules_warn(&g->rules, (const char* const*)words, objects->count);
    for (size_t i = 0; i < objects->count; ++i) {
        free(words[i]);
    }
    free(words);
}

bool gate_learn(gate* g, crew* workers, const question* q) {
    if (g->rules.count != 0) {
        if (!crew_show_first(workers)) {
            return false;
        }
        warn_of_rules(g, workers->workers[0].objects);
    }
    if (g->condition != NULL && condition_has_percent(g->condition)) {
        if (!crew_show_first(workers)) {
            return false;
        }
        g->scale.diagonal = diagonal_of(workers->workers[0].w);
    }
    return learn_baseline(g, workers, q);
}

// ---- frames

void gate_add(gate* g, const outcome* o) {
    if (g->measures) {
        events_add(&g->events, o->measures, o->measure_count, o->frame);
    }
    if (!g->used) {
        return;
    }
    tally_add(&g->tally, &o->aside, o->frame);
    for (size_t i = 0; i < o->known_count; ++i) {
        baseline_see(g->known, o->known[i]);
    }
}

void gate_keep(gate* g, const worker* k, const question* q) {
    if (g->written != NULL) {
        sieve_keep(k->sieve, q, g->written);
    }
}

void gate_judge(gate* g, const question* q) {
    for (size_t i = 0; i < g->events.count; ++i) {
        event* e = &g->events.list[i];
        e->fails = g->condition != NULL ? condition_holds(g->condition, e, &g->scale)
                                        : e->kind != KIND_INSIDE || q->depth;
        g->failing += e->fails;
    }
}

bool gate_fails(const gate* g, const verdict* said) {
    return g->condition != NULL ? g->failing != 0 || said->missing != 0 : verdict_found(said);
}

const char* gate_judgement(const gate* g, char text[JUDGEMENT_SIZE]) {
    const size_t count = g->events.count;
    text[0] = '\0';
    if (g->condition != NULL && g->failing != 0) {
        snprintf(text, JUDGEMENT_SIZE, "Fails: %zu of %zu event%s meet%s --fail-if '%.400s'",
                 g->failing, count, count == 1 ? "" : "s", g->failing == 1 ? "s" : "",
                 g->given.fail_if->text);
    } else if (g->condition != NULL && count != 0) {
        snprintf(text, JUDGEMENT_SIZE, "Passes: none of %zu event%s meets --fail-if '%.400s'",
                 count, count == 1 ? "" : "s", g->given.fail_if->text);
    } else if (g->condition != NULL) {
        snprintf(text, JUDGEMENT_SIZE, "Passes: there is no event for --fail-if '%.400s'",
                 g->given.fail_if->text);
    }
    return text;
}

// ---- outputs

bool gate_claim(const gate* g) {
    io_error error;
    if (g->given.scene != NULL && g->written != NULL &&
        !io_output_folder(g->given.write_baseline->text, &error)) {
        complain("--write-baseline: with --each it is a folder: %s", error.message);
        return false;
    }
    return output_claim_report("write-baseline", g->written_path);
}

bool gate_write(gate* g) {
    if (g->written == NULL) {
        return true;
    }
    if (g->known != NULL) {
        baseline_carry(g->written, g->known);
    }
    FILE* file = output_open_report(g->written_path);
    if (file == NULL) {
        return false;
    }
    baseline_write(g->written, file);
    return output_end(file);
}

void gate_print(const gate* g, const frame_names* names) {
    if (g->given.settings != NULL) {
        char name[NAME_SIZE];
        printf("With the settings of %s.\n", shown_name(g->given.settings, 200, name));
    }
    if (g->used) {
        tally_print(&g->tally, names);
    }
    if (g->known != NULL) {
        baseline_print_gone(g->known);
    }
    char text[JUDGEMENT_SIZE];
    if (gate_judgement(g, text)[0] != '\0') {
        print_styled(g->failing != 0 ? STYLE_FOUND : STYLE_CLEAR, "%s", text);
        printf(".\n");
    }
}

void gate_print_events(const gate* g, const frame_names* names, const char* const* labels) {
    if (g->measures) {
        events_print(&g->events, names, labels, g->condition != NULL);
    }
}

void gate_describe(const gate* g, const frame_names* names, json_t* summary) {
    if (g->given.settings != NULL) {
        json_object_set_new(summary, "settings", json_text(g->given.settings));
    }
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
    if (g->condition != NULL) {
        json_t* json = json_object();
        json_object_set_new(json, "condition", json_text(g->given.fail_if->text));
        json_object_set_new(json, "events", json_count(g->events.count));
        json_object_set_new(json, "failing", json_count(g->failing));
        json_object_set_new(summary, "fail_if", json);
    }
}

json_t* gate_events_json(const gate* g, const frame_names* names) {
    json_t* list = g->measures ? json_array() : NULL;
    for (size_t i = 0; i < g->events.count; ++i) {
        json_array_append_new(list, event_json(&g->events.list[i], names, g->given.fps,
                                               g->condition != NULL));
    }
    return list;
}

void gate_free(gate* g) {
    rules_free(&g->rules);
    free(g->sides);
    free(g->nodes);
    baseline_free(g->known);
    baseline_free(g->written);
    free(g->known_path);
    free(g->written_path);
    condition_free(g->condition);
    events_free(&g->events);
    *g = (gate){0};
}
