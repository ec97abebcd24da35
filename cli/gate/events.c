// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Gathers contact of consecutive frames into events: see events.h.
#include "cli/gate/events.h"

#include "cli/json.h"
#include "cli/message.h"
#include "cli/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_worse(const measure* m, const measure* than) {
    return m->depth != than->depth   ? m->depth > than->depth
           : m->pairs != than->pairs ? m->pairs > than->pairs
                                     : m->distance < than->distance;
}

static size_t begin(events* e, const measure* m, uint32_t frame) {
    if (e->count == e->room) {
        e->room = 2 * e->room + 16;
        e->list = reallocate(e->list, e->room, sizeof *e->list);
    }
    e->list[e->count] = (event){.first = frame,
                                .last = frame,
                                .worst = frame,
                                .kind = m->kind,
                                .now = *m,
                                .most_pairs = m->pairs,
                                .start = (double)frame + m->start,
                                .stop = (double)frame + m->stop,
                                .timed = e->timed,
                                .continuous = m->continuous};
    return e->count++;
}

static void go_on(event* at, const measure* m, uint32_t frame) {
    at->last = frame;
    at->kind = m->kind > at->kind ? m->kind : at->kind;
    at->most_pairs = m->pairs > at->most_pairs ? m->pairs : at->most_pairs;
    at->stop = (double)frame + m->stop;
    at->continuous = at->continuous || m->continuous;
    if (is_worse(m, &at->now)) {
        at->now = *m;
        at->worst = frame;
    }
}

static bool is_before(const measure* x, const measure* y) {
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

void events_add(events* e, const measure* list, size_t count, uint32_t frame) {
    size_t open = 0;
    e->next = reallocate(e->next, count, sizeof *e->next);
    for (size_t i = 0; i < count; ++i) {
        while (open < e->open_count && is_before(&e->list[e->open[open]].now, &list[i])) {
            ++open;
        }
        event* at = open < e->open_count ? &e->list[e->open[open]] : NULL;
        // contact that begins after the frame before is another one
        const bool apart = e->timed && list[i].continuous && list[i].start > -1;
        if (at != NULL && at->last + 1 == frame && !apart && !is_before(&list[i], &at->now)) {
            go_on(at, &list[i], frame);
            e->next[i] = e->open[open];
        } else {
            e->next[i] = begin(e, &list[i], frame);
        }
    }
    size_t* swap = e->open;
    e->open = e->next;
    e->next = swap;
    e->open_count = count;
}

void events_free(events* e) {
    free(e->list);
    free(e->open);
    free(e->next);
    *e = (events){0};
}

static int compare(const void* x, const void* y) {
    const event* e = *(const event* const*)x;
    const event* f = *(const event* const*)y;
    if (e->fails != f->fails) {
        return e->fails ? -1 : 1;
    }
    if (e->now.depth != f->now.depth) {
        return e->now.depth > f->now.depth ? -1 : 1;
    }
    if (e->kind != f->kind) {
        return e->kind > f->kind ? -1 : 1;
    }
    if (event_length(e) != event_length(f)) {
        return event_length(e) > event_length(f) ? -1 : 1;
    }
    return (e > f) - (e < f);
}

const event** events_sorted(const events* e) {
    const event** list = allocate(e->count, sizeof *list);
    for (size_t i = 0; i < e->count; ++i) {
        list[i] = &e->list[i];
    }
    if (e->count > 1) {
        qsort(list, e->count, sizeof *list, compare);
    }
    return list;
}

json_t* event_json(const event* e, const frame_names* names, double fps, bool judged) {
    json_t* json = json_object();
    json_object_set_new(json, "a", json_count(e->now.a));
    json_object_set_new(json, "b", json_count(e->now.b));
    json_object_set_new(json, "kind", json_text(contact_kind_name(e->kind)));
    json_object_set_new(json, "first", json_count(frame_number(names, e->first)));
    json_object_set_new(json, "last", json_count(frame_number(names, e->last)));
    json_object_set_new(json, "worst", json_count(frame_number(names, e->worst)));
    json_object_set_new(json, "frames", json_count(event_length(e)));
    json_object_set_new(json, "time", json_finite((double)e->first / fps));
    json_object_set_new(json, "depth", json_finite(e->now.depth));
    json_object_set_new(json, "measure", json_text(e->now.is_extent ? "extent" : "depth"));
    json_object_set_new(json, "distance", json_finite(e->now.distance));
    json_object_set_new(json, "pairs", json_count(e->most_pairs));
    json_object_set_new(json, "place", json_vector(e->now.place));
    if (e->timed) {
        json_object_set_new(json, "begins", json_finite(e->start / fps));
        json_object_set_new(json, "ends", json_finite(e->stop / fps));
        json_object_set_new(json, "continuous", json_boolean(e->continuous));
    }
    if (judged) {
        json_object_set_new(json, "fails", json_boolean(e->fails));
    }
    return json;
}

// ---- the table

enum { MOST_SHOWN = 20 };

static void add_frame(table* t, const frame_names* names, uint32_t frame) {
    table_cell(t, STYLE_PLAIN, "%llu", (unsigned long long)frame_number(names, frame));
}

static void add_event(table* t, const event* e, const frame_names* names, const char* const* labels,
                      bool judged) {
    const bool self = e->now.a == e->now.b;
    const bool fails = judged && e->fails;
    table_cell(t, STYLE_PLAIN, "%.240s and %.240s", labels[e->now.a],
               self ? "itself" : labels[e->now.b]);
    table_cell(t, fails ? STYLE_FOUND : STYLE_PLAIN, "%s%s", contact_kind_text(e->kind),
               fails ? " (fails)" : "");
    add_frame(t, names, e->first);
    add_frame(t, names, e->last);
    add_frame(t, names, e->worst);
    table_number(t, STYLE_PLAIN, e->most_pairs);
    table_cell(t, STYLE_PLAIN, "%.6g%s", e->now.depth, e->now.is_extent ? " (extent)" : "");
    table_cell(t, STYLE_PLAIN, "(%.4g, %.4g, %.4g)", e->now.place[0] + 0., e->now.place[1] + 0.,
               e->now.place[2] + 0.);
    if (e->timed) {
        table_cell(t, STYLE_PLAIN, "%.6g", e->start);
        table_cell(t, STYLE_PLAIN, "%.6g", e->stop);
    }
}

void events_print(const events* e, const frame_names* names, const char* const* labels,
                  bool judged) {
    if (e->count == 0) {
        return;
    }
    const event** sorted = events_sorted(e);
    table* t = table_create(e->timed ? "<event|<kind|first|last|worst|pairs|depth|<at|begins|ends"
                                     : "<event|<kind|first|last|worst|pairs|depth|<at");
    for (size_t i = 0; i < e->count && i < MOST_SHOWN; ++i) {
        add_event(t, sorted[i], names, labels, judged);
    }
    printf("\n");
    table_print(t, 0);
    if (e->count > MOST_SHOWN) {
        printf("... and %zu more events; --json FILE has them all\n", e->count - MOST_SHOWN);
    }
    table_destroy(t);
    free(sorted);
}
