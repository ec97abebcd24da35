// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compares the events of two checks: see compare_takes.h.
#include "cli/compare_takes.h"

#include "cli/gate/meter.h"
#include "cli/message.h"
#include "io/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- reading

static bool fail(const take* t, const char* what) {
    complain("%s: %s; 'abut check ... --events --json FILE' writes such files", t->path, what);
    return false;
}

static bool read_names(take* t) {
    const json_t* objects = json_object_get(t->json, "objects");
    t->name_count = json_array_size(objects);
    t->names = allocate(t->name_count + 1, sizeof *t->names);
    for (size_t i = 0; i < t->name_count; ++i) {
        const json_t* name = json_object_get(json_array_get(objects, i), "name");
        t->names[i] = json_string_value(name);
        if (t->names[i] == NULL) {
            return fail(t, "an object has no name");
        }
    }
    return true;
}

// a whole number of an event; false: there is none
static bool get_count(const json_t* event, const char* key, uint64_t* out) {
    const json_t* value = json_object_get(event, key);
    const json_int_t number = json_integer_value(value);
    *out = (uint64_t)number;
    return json_is_integer(value) && number >= 0;
}

// how bad a kind is; -1: there is no such kind
static int rank(const char* kind) {
    int worst = KIND_CUTS;
    while (worst >= 0 && strcmp(contact_kind_name((contact_kind)worst), kind) != 0) {
        --worst;
    }
    return worst;
}

static bool read_event(const take* t, const json_t* json, take_event* out) {
    uint64_t a = 0;
    uint64_t b = 0;
    const json_t* depth = json_object_get(json, "depth");
    const bool right = get_count(json, "a", &a) && get_count(json, "b", &b) && a < t->name_count &&
                       b < t->name_count && get_count(json, "first", &out->first) &&
                       get_count(json, "last", &out->last) &&
                       get_count(json, "worst", &out->worst) &&
                       get_count(json, "frames", &out->frames) &&
                       get_count(json, "pairs", &out->pairs) && out->first <= out->last;
    out->kind = json_string_value(json_object_get(json, "kind"));
    if (!right || out->kind == NULL || rank(out->kind) < 0) {
        return fail(t, "an event is not one of abut");
    }
    out->a = t->names[a];
    out->b = t->names[b];
    out->depth = json_is_number(depth) ? json_number_value(depth) : NAN;
    out->fails = json_is_true(json_object_get(json, "fails"));
    return true;
}

static bool read_events(take* t) {
    const json_t* events = json_object_get(t->json, "events");
    if (!json_is_array(events)) {
        return fail(t, "there is no list of events in it");
    }
    t->count = json_array_size(events);
    t->events = allocate(t->count + 1, sizeof *t->events);
    t->first = UINT64_MAX;
    for (size_t i = 0; i < t->count; ++i) {
        take_event* e = &t->events[i];
        if (!read_event(t, json_array_get(events, i), e)) {
            return false;
        }
        t->first = e->first < t->first ? e->first : t->first;
        t->last = e->last > t->last ? e->last : t->last;
    }
    return true;
}

bool take_read(take* t, const char* path) {
    json_error_t error;
    t->path = path;
    const bool piped = strcmp(path, "-") == 0;
    io_input_note(path);
    t->json = piped ? json_loadf(stdin, 0, &error) : json_load_file(path, 0, &error);
    if (t->json == NULL) {
        complain("%s cannot be read: %s%s%d", path, error.text,
                 error.line > 0 ? ", in line " : ", ", error.line);
        return false;
    }
    return read_names(t) && read_events(t);
}

void take_free(take* t) {
    json_decref(t->json);
    free(t->names);
    free(t->events);
    *t = (take){0};
}

// ---- comparing

const char* change_name(change_kind kind) {
    static const char* const names[CHANGES] = {"new", "worse", "better", "gone", "same"};
    return names[kind];
}

static int compare_counts(uint64_t a, uint64_t b) {
    return a < b ? -1 : a > b;
}

// Depths that differ by less than 1 % are the same.
static int compare_depths(double a, double b) {
    const double least = 0.01 * fmax(fabs(a), fabs(b));
    return fabs(a - b) <= least || !(fabs(a - b) > 0) ? 0 : a < b ? -1 : 1;
}

// 1: b is worse than a; by kind, then depth, then length, then pairs
static change_kind change_of(const take_event* a, const take_event* b) {
    const int orders[4] = {rank(b->kind) - rank(a->kind), compare_depths(b->depth, a->depth),
                           compare_counts(b->frames, a->frames),
                           compare_counts(b->pairs, a->pairs)};
    for (int i = 0; i < 4; ++i) {
        if (orders[i] != 0) {
            return orders[i] > 0 ? CHANGE_WORSE : CHANGE_BETTER;
        }
    }
    return CHANGE_SAME;
}

static bool same_objects(const take_event* x, const take_event* y) {
    return (strcmp(x->a, y->a) == 0 && strcmp(x->b, y->b) == 0) ||
           (strcmp(x->a, y->b) == 0 && strcmp(x->b, y->a) == 0);
}

// Two events that may be the same one, and the number of frames that both have.
typedef struct candidate {
    uint64_t overlap;
    size_t before;
    size_t after;
} candidate;

static int order_candidates(const void* x, const void* y) {
    const candidate* a = x;
    const candidate* b = y;
    return a->overlap != b->overlap ? compare_counts(b->overlap, a->overlap)
           : a->before != b->before ? compare_counts(a->before, b->before)
                                    : compare_counts(a->after, b->after);
}

static uint64_t overlap_of(const take_event* x, const take_event* y) {
    const uint64_t first = x->first > y->first ? x->first : y->first;
    const uint64_t last = x->last < y->last ? x->last : y->last;
    return first <= last ? last - first + 1 : 0;
}

static candidate* find_candidates(const take* before, const take* after, size_t* count) {
    candidate* list = NULL;
    size_t room = 0;
    *count = 0;
    for (size_t i = 0; i < before->count; ++i) {
        for (size_t k = 0; k < after->count; ++k) {
            const uint64_t overlap = overlap_of(&before->events[i], &after->events[k]);
            if (overlap == 0 || !same_objects(&before->events[i], &after->events[k])) {
                continue;
            }
            if (*count == room) {
                room = 2 * room + 64;
                list = reallocate(list, room, sizeof *list);
            }
            list[(*count)++] = (candidate){overlap, i, k};
        }
    }
    if (*count > 1) {
        qsort(list, *count, sizeof *list, order_candidates);
    }
    return list;
}

static const take_event* shown(const change* c) {
    return c->after != NULL ? c->after : c->before;
}

static int order_changes(const void* x, const void* y) {
    const change* a = x;
    const change* b = y;
    const take_event* p = shown(a);
    const take_event* q = shown(b);
    const double depths[2] = {isnan(p->depth) ? 0 : p->depth, isnan(q->depth) ? 0 : q->depth};
    const int orders[5] = {(int)a->kind - (int)b->kind, rank(q->kind) - rank(p->kind),
                           depths[0] > depths[1] ? -1 : depths[0] < depths[1],
                           compare_counts(p->first, q->first), strcmp(p->a, q->a)};
    for (int i = 0; i < 5; ++i) {
        if (orders[i] != 0) {
            return orders[i];
        }
    }
    return strcmp(p->b, q->b);
}

change* takes_compare(take* before, take* after, size_t* count) {
    size_t candidate_count;
    candidate* candidates = find_candidates(before, after, &candidate_count);
    change* list = allocate(before->count + after->count + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < candidate_count; ++i) {
        take_event* x = &before->events[candidates[i].before];
        take_event* y = &after->events[candidates[i].after];
        if (!x->matched && !y->matched) {
            x->matched = y->matched = true;
            list[(*count)++] = (change){change_of(x, y), x, y};
        }
    }
    for (size_t i = 0; i < before->count; ++i) {
        if (!before->events[i].matched) {
            list[(*count)++] = (change){CHANGE_GONE, &before->events[i], NULL};
        }
    }
    for (size_t i = 0; i < after->count; ++i) {
        if (!after->events[i].matched) {
            list[(*count)++] = (change){CHANGE_NEW, NULL, &after->events[i]};
        }
    }
    free(candidates);
    if (*count > 1) {
        qsort(list, *count, sizeof *list, order_changes);
    }
    return list;
}
