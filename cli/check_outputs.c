// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes outputs of outcomes: see check_outputs.h.
#include "cli/check_outputs.h"

#include "cli/check_report.h"
#include "cli/labels.h"
#include "cli/message.h"
#include "cli/output.h"
#include "io/clean.h"

#include <abut/base.h>
#include <stdlib.h>
#include <string.h>

// ---- opening

static char* clean_copy(const char* text) {
    const size_t size = strlen(text) + 1;
    return io_clean(memcpy(allocate(size, 1), text, size));
}

void check_outputs_name(check_outputs* o) {
    const size_t count = o->objects->count;
    o->names = allocate(count, sizeof *o->names);
    o->clean = allocate(count, sizeof *o->clean);
    o->topologies = allocate(count, sizeof *o->topologies);
    for (size_t i = 0; i < count; ++i) {
        o->names[i] = o->objects->objects[i].name;
        o->clean[i] = clean_copy(o->names[i]);
    }
    o->labels = labels_make(o->names, count);
    o->csv = (csv_table){.names = (const char* const*)o->clean, .fps = o->fps};
    o->csv.scene = o->all->each ? clean_copy(o->scene) : NULL;
}

bool check_outputs_open(check_outputs* o, size_t number) {
    check_shared* all = o->all;
    if (!all->each) {
        return shared_open(all) && json_open(&o->json, all->json_path);
    }
    if (all->json_path != NULL) {
        json_open_tree(&o->json);
    }
    o->page = all->html_path != NULL ? shared_page_name(all->html_path, number) : NULL;
    return o->page == NULL || output_claim_report("html", o->page);
}

// ---- JSON, which has a twin of lines

static void tell(check_outputs* o, const char* key, json_t* value) {
    json_add(&o->all->lines, key, json_incref(value));
    json_add(&o->json, key, value);
}

static void begin_list(check_outputs* o, const char* key) {
    json_begin_list(&o->json, key);
    json_begin_list(&o->all->lines, key);
}

static void end_list(check_outputs* o) {
    json_end_list(&o->json);
    json_end_list(&o->all->lines);
}

// what was asked for
static json_t* question_json(const question* q) {
    json_t* json = json_object();
    json_object_set_new(json, "between", json_boolean(q->between));
    json_object_set_new(json, "self", json_boolean(q->self));
    json_object_set_new(json, "neighbours", json_boolean(q->neighbours));
    json_object_set_new(json, "sweep", json_boolean(q->sweep));
    json_object_set_new(json, "margin", json_finite(q->margin));
    json_object_set_new(json, "nearest", json_boolean(q->nearest));
    if (q->limited) {
        json_object_set_new(json, "within", json_finite(q->within));
    }
    json_object_set_new(json, "features", json_boolean(q->features || q->features_self));
    json_object_set_new(json, "depth", json_boolean(q->depth));
    return json;
}

void check_outputs_begin(check_outputs* o, json_t* objects) {
    json_begin(&o->json);
    json_begin(&o->all->lines);
    tell(o, "abut", json_text(ABUT_VERSION_STRING));
    if (o->all->each) {
        tell(o, "scene", json_text(o->scene));
    }
    tell(o, "asked", question_json(o->ask));
    begin_list(o, "objects");
    for (size_t i = 0; i < json_array_size(objects); ++i) {
        tell(o, NULL, json_incref(json_array_get(objects, i)));
    }
    json_decref(objects);
    end_list(o);
    begin_list(o, "frames");
}

static void end_json(check_outputs* o, double seconds) {
    char text[VERDICT_SIZE];
    json_t* summary = json_object();
    json_object_set_new(summary, "frames", json_count(o->said.frames));
    json_object_set_new(summary, "frames_touching", json_count(o->said.touching));
    json_object_set_new(summary, "frames_near", json_count(o->said.near));
    json_object_set_new(summary, "verdict",
                        json_text(
                            verdict_text(&o->said, o->ask, (const char* const*)o->labels, text)));
    gate_describe(o->gate, o->ask->names, summary);
    if (o->verbose) {
        json_object_set_new(summary, "seconds", json_real(seconds));
    }
    end_list(o);
    if (o->gate->measures) {
        tell(o, "events", gate_events_json(o->gate, o->ask->names));
    }
    tell(o, "summary", summary);
    json_end_lines(&o->all->lines);
}

// ---- frames

// counts the frames in which the triangles of an object change
static void note_topology(check_outputs* o, const outcome* now) {
    for (size_t i = 0; i < o->objects->count; ++i) {
        if (o->found.frame_count != 0 && now->topologies[i] != o->topologies[i]) {
            ++o->objects->objects[i].topology_changes;
        }
        o->topologies[i] = now->topologies[i];
    }
}

// with --each the rows wait, because the scene may fail
static void put_rows(check_outputs* o, const char* rows) {
    if (!o->all->each) {
        fputs(rows, o->all->csv);
        return;
    }
    const size_t size = strlen(rows);
    if (o->row_room - o->row_size < size + 1) {
        o->row_room = 2 * o->row_room + size + 1;
        o->rows = reallocate(o->rows, o->row_room, 1);
    }
    memcpy(o->rows + o->row_size, rows, size + 1);
    o->row_size += size;
}

void check_outputs_add(check_outputs* o, outcome* now) {
    note_topology(o, now);
    verdict_add(&o->said, &now->now);
    gate_add(o->gate, now);
    history_add(&o->found, &now->record, o->ask, &now->now);
    if (now->json != NULL) {
        tell(o, NULL, now->json);
        now->json = NULL;
    }
    if (now->rows != NULL && o->all->csv != NULL) {
        put_rows(o, now->rows);
    }
}

bool check_outputs_unread(const check_outputs* o) {
    return json_takes_stdout(&o->json) && output_gone() && o->all->csv == NULL;
}

// ---- the end

bool check_outputs_end(check_outputs* o, double seconds) {
    gate_judge(o->gate, o->ask);
    end_json(o, seconds);
    return json_close(&o->json);
}

void check_outputs_print(const check_outputs* o, double seconds) {
    print_check_report(&(check_summary){.found = &o->found,
                                        .said = &o->said,
                                        .objects = o->objects,
                                        .labels = (const char* const*)o->labels,
                                        .ask = o->ask,
                                        .gate = o->gate,
                                        .verbose = o->verbose,
                                        .seconds = seconds});
}

int check_outputs_finish(check_outputs* o, double seconds) {
    char text[VERDICT_SIZE];
    const int code = gate_fails(o->gate, &o->said) ? EXIT_FOUND : EXIT_NOTHING;
    const scene s = {.name = o->scene,
                     .code = code,
                     .verdict = verdict_text(&o->said, o->ask, (const char* const*)o->labels, text),
                     .gate = o->gate,
                     .objects = o->objects,
                     .labels = (const char* const*)o->labels,
                     .names = o->ask->names,
                     .seconds = o->verbose ? seconds : -1};
    if (o->rows != NULL) {
        fputs(o->rows, o->all->csv);
    }
    shared_add(o->all, &s, json_take(&o->json), o->page);
    return code;
}

void check_outputs_free(check_outputs* o) {
    json_drop(&o->json);  // no-op after success
    for (size_t i = 0; o->clean != NULL && i < o->objects->count; ++i) {
        free(o->clean[i]);
    }
    free(o->clean);
    free((char*)o->csv.scene);
    labels_free(o->labels, o->objects->count);
    free(o->names);
    free(o->rows);
    free(o->page);
    history_free(&o->found);
    verdict_free(&o->said);
    free(o->topologies);
    *o = (check_outputs){0};
}
