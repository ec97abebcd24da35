// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Writes and reads outcomes: see outcome_json.h.
#include "cli/farm/outcome_json.h"

#include "cli/farm/fields.h"
#include "cli/message.h"
#include "io/clean.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- writing

static json_t* finding_json(const finding* f) {
    json_t* json = json_object();
    set_count(json, "a", f->a);
    set_count(json, "b", f->b);
    set_count(json, "pairs", f->pairs);
    set_count(json, "sweeps", f->swept);
    set_count(json, "features", f->features);
    set_count(json, "inside", f->inside);
    if (f->partly) {
        json_object_set_new(json, "partly", json_true());
    }
    if (!isnan(f->first)) {
        json_object_set_new(json, "first", real_json(f->first));
    }
    if (f->gap != NULL) {
        const abut_distance_pair* g = f->gap;
        json_object_set_new(json, "distance", real_json(f->distance));
        json_object_set_new(json, "point_a", vector_json(f->gap_turned ? g->b.point : g->a.point));
        json_object_set_new(json, "point_b", vector_json(f->gap_turned ? g->a.point : g->b.point));
    }
    return json;
}

static json_t* measure_json(const measure* m) {
    json_t* json = json_object();
    set_count(json, "a", m->a);
    set_count(json, "b", m->b);
    json_object_set_new(json, "kind", json_string(contact_kind_name(m->kind)));
    json_object_set_new(json, "depth", real_json(m->depth));
    json_object_set_new(json, "distance", real_json(m->distance));
    json_object_set_new(json, "place", vector_json(m->place));
    set_count(json, "pairs", m->pairs);
    set_count(json, "sweeps", m->swept);
    json_object_set_new(json, "start", real_json(m->start));
    json_object_set_new(json, "stop", real_json(m->stop));
    if (m->continuous) {
        json_object_set_new(json, "continuous", json_true());
    }
    if (m->is_extent) {
        json_object_set_new(json, "extent", json_true());
    }
    return json;
}

static json_t* aside_json(const aside_entry* e) {
    json_t* json = json_object();
    set_count(json, "a", e->a);
    set_count(json, "b", e->b);
    set_count(json, "reason", e->reason);
    set_count(json, "rule", e->rule);
    set_count(json, "pairs", e->pairs);
    set_count(json, "sweeps", e->swept);
    set_count(json, "regions", e->regions);
    set_count(json, "insides", e->insides);
    set_count(json, "distances", e->gaps);
    set_count(json, "features", e->features);
    return json;
}

static json_t* topologies_json(const uint64_t* keys, size_t count) {
    json_t* list = json_array();
    for (size_t i = 0; i < count; ++i) {
        json_array_append_new(list, key_json(keys[i]));
    }
    return list;
}

json_t* outcome_to_json(const outcome* o, const uint64_t* topologies, size_t object_count) {
    json_t* json = json_object();
    json_t* found = json_array();
    json_t* measures = json_array();
    json_t* asides = json_array();
    for (size_t i = 0; i < o->now.count; ++i) {
        json_array_append_new(found, finding_json(&o->now.list[i]));
    }
    for (size_t i = 0; i < o->measure_count; ++i) {
        json_array_append_new(measures, measure_json(&o->measures[i]));
    }
    for (size_t i = 0; i < o->aside.count; ++i) {
        json_array_append_new(asides, aside_json(&o->aside.entries[i]));
    }
    set_count(json, "frame", o->frame);
    json_object_set(json, "json", o->json);
    json_object_set_new(json, "rows", json_string(o->rows));
    json_object_set_new(json, "found", found);
    json_object_set_new(json, "distance", real_json(o->record.distance));
    set_count(json, "near", o->record.near);
    json_object_set_new(json, "measures", measures);
    json_object_set_new(json, "aside", asides);
    set_count(json, "missing", o->aside.missing);
    if (topologies == NULL ||
        memcmp(topologies, o->topologies, object_count * sizeof *topologies) != 0) {
        json_object_set_new(json, "triangles", topologies_json(o->topologies, object_count));
    }
    return json;
}

// ---- reading

// two objects, a <= b
static bool read_bodies(const json_t* json, size_t count, uint32_t* a, uint32_t* b) {
    uint64_t x = 0;
    uint64_t y = 0;
    const bool read = field_count(json, "a", count - 1, &x) &&
                      field_count(json, "b", count - 1, &y);
    *a = (uint32_t)x;
    *b = (uint32_t)y;
    return read && json_is_object(json) && x <= y;
}

static bool is_before(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return a != c ? a < c : b < d;
}

static bool read_finding(finding* f, abut_distance_pair* gap, const json_t* json, size_t count) {
    uint64_t inside = 0;
    *f = (finding){.first = NAN, .distance = NAN, .depth = NAN};
    if (!read_bodies(json, count, &f->a, &f->b) || !field_size(json, "pairs", &f->pairs) ||
        !field_size(json, "sweeps", &f->swept) || !field_size(json, "features", &f->features) ||
        !field_count(json, "inside", INSIDE_B_IN_A, &inside) ||
        !field_flag(json, "partly", &f->partly) || !field_real(json, "first", &f->first) ||
        !field_real(json, "distance", &f->distance) ||
        !field_vector(json, "point_a", gap->a.point) ||
        !field_vector(json, "point_b", gap->b.point)) {
        return false;
    }
    f->inside = (finding_inside)inside;
    gap->distance = f->distance;
    f->gap = json_object_get(json, "distance") != NULL ? gap : NULL;
    return true;
}

static bool read_findings(outcome* o, const json_t* list, const outcome_limits* limits) {
    const size_t count = json_array_size(list);
    o->now.list = allocate(count, sizeof *o->now.list);
    o->gaps = allocate(count, sizeof *o->gaps);
    o->now.count = o->now.room = count;
    for (size_t i = 0; i < count; ++i) {
        finding* f = &o->now.list[i];
        if (!read_finding(f, &o->gaps[i], json_array_get(list, i), limits->object_count) ||
            (i > 0 && !is_before(f[-1].a, f[-1].b, f->a, f->b))) {
            return false;
        }
    }
    return json_is_array(list);
}

static bool read_kind(const json_t* json, contact_kind* kind) {
    const char* text = NULL;
    if (!field_text(json, "kind", &text) || text == NULL) {
        return false;
    }
    for (int i = 0; i < KINDS; ++i) {
        if (strcmp(text, contact_kind_name((contact_kind)i)) == 0) {
            *kind = (contact_kind)i;
            return true;
        }
    }
    return false;
}

static bool read_measures(outcome* o, const json_t* list, const outcome_limits* limits) {
    o->measure_count = json_array_size(list);
    o->measures = allocate(o->measure_count, sizeof *o->measures);
    for (size_t i = 0; i < o->measure_count; ++i) {
        const json_t* json = json_array_get(list, i);
        measure* m = &o->measures[i];
        if (!read_bodies(json, limits->object_count, &m->a, &m->b) || !read_kind(json, &m->kind) ||
            !field_real(json, "depth", &m->depth) || !field_flag(json, "extent", &m->is_extent) ||
            !field_real(json, "distance", &m->distance) || !field_size(json, "pairs", &m->pairs) ||
            !field_size(json, "sweeps", &m->swept) || !field_vector(json, "place", m->place) ||
            !field_real(json, "start", &m->start) || !field_real(json, "stop", &m->stop) ||
            !field_flag(json, "continuous", &m->continuous) ||
            (i > 0 && !is_before(m[-1].a, m[-1].b, m->a, m->b))) {
            return false;
        }
    }
    return json_is_array(list);
}

static bool read_aside(aside_entry* e, const json_t* json, const outcome_limits* limits) {
    uint64_t reason = 0;
    uint64_t number = 0;
    if (!read_bodies(json, limits->object_count, &e->a, &e->b) ||
        !field_count(json, "reason", ASIDE_REASONS - 1, &reason) ||
        !field_count(json, "rule", UINT32_MAX, &number) || !field_size(json, "pairs", &e->pairs) ||
        !field_size(json, "sweeps", &e->swept) || !field_size(json, "regions", &e->regions) ||
        !field_size(json, "insides", &e->insides) || !field_size(json, "distances", &e->gaps) ||
        !field_size(json, "features", &e->features)) {
        return false;
    }
    e->reason = (aside_reason)reason;
    e->rule = (uint32_t)number;
    // those of the other reasons have no rule
    return reason == ASIDE_OUTSIDE || reason == ASIDE_KNOWN || number < limits->rule_count;
}

static bool read_asides(outcome* o, const json_t* json, const outcome_limits* limits) {
    const json_t* list = json_object_get(json, "aside");
    o->aside.count = json_array_size(list);
    o->aside.entries = allocate(o->aside.count, sizeof *o->aside.entries);
    for (size_t i = 0; i < o->aside.count; ++i) {
        if (!read_aside(&o->aside.entries[i], json_array_get(list, i), limits)) {
            return false;
        }
    }
    return json_is_array(list) && field_size(json, "missing", &o->aside.missing);
}

static bool read_topologies(outcome* o, const json_t* list, const outcome_limits* limits) {
    const size_t count = limits->object_count;
    o->topologies = allocate(count, sizeof *o->topologies);
    if (list == NULL && limits->topologies != NULL) {
        memcpy(o->topologies, limits->topologies, count * sizeof *o->topologies);
        return true;
    }
    bool read = json_is_array(list) && json_array_size(list) == count;
    for (size_t i = 0; i < count && read; ++i) {
        read = read_key(json_array_get(list, i), &o->topologies[i]);
    }
    return read;
}

// Rows go to a file as they are: each must be one of this frame, without characters that steer a
// terminal.
static bool are_rows(const char* rows, size_t frame) {
    char start[32];
    uint32_t code = 0;
    const size_t length = (size_t)snprintf(start, sizeof start, "%zu,", frame);
    for (const char* at = rows; *at != '\0';) {
        if (strncmp(at, start, length) != 0) {
            return false;
        }
        for (size_t step; *at != '\n'; at += step) {
            step = io_character(at, &code);
            if (code == UINT32_MAX || io_is_control(code)) {  // also the end of the text
                return false;
            }
        }
        ++at;
    }
    return true;
}

static bool read_texts(outcome* o, const json_t* json, size_t frame) {
    json_t* shown = json_object_get(json, "json");
    const char* rows = json_string_value(json_object_get(json, "rows"));
    uint64_t number = 0;
    if (!json_is_object(shown) || !field_count(shown, "frame", UINT32_MAX, &number) ||
        number != frame || rows == NULL || !are_rows(rows, frame)) {
        return false;
    }
    o->json = json_incref(shown);
    const size_t size = strlen(rows) + 1;
    o->rows = memcpy(allocate(size, 1), rows, size);
    return true;
}

bool outcome_from_json(outcome* o, const json_t* json, const outcome_limits* limits) {
    uint64_t frame = 0;
    *o = (outcome){.frame = (uint32_t)limits->frame};
    if (!json_is_object(json) || !field_count(json, "frame", UINT32_MAX, &frame) ||
        frame != limits->frame || !read_texts(o, json, limits->frame) ||
        !read_findings(o, json_object_get(json, "found"), limits) ||
        !read_measures(o, json_object_get(json, "measures"), limits) ||
        !read_asides(o, json, limits) ||
        !read_topologies(o, json_object_get(json, "triangles"), limits)) {
        return false;
    }
    o->aside.used = limits->rule_count != 0;
    findings_judge(&o->now, limits->ask, &o->aside);
    o->record = history_record_of(&o->now, o->frame);
    o->record.distance = INFINITY;
    return field_real(json, "distance", &o->record.distance) &&
           field_count(json, "near", INT64_MAX, &o->record.near);
}
