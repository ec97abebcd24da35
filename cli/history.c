// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collects the findings of all frames: see history.h.
#include "cli/history.h"

#include "cli/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void runs_add(frame_runs* runs, uint32_t frame) {
    if (runs->count > 0 && runs->count <= MOST_RUNS && runs->to[runs->count - 1] + 1 == frame) {
        ++runs->to[runs->count - 1];
    } else if (runs->count < MOST_RUNS) {
        runs->from[runs->count] = runs->to[runs->count] = frame;
        ++runs->count;
    }
}

// The records are sorted by a, then b; relations then by kind.
typedef struct key {
    uint32_t a;
    uint32_t b;
    uint32_t kind;
} key;

static bool is_before(key x, key y) {
    return x.a != y.a ? x.a < y.a : x.b != y.b ? x.b < y.b : x.kind < y.kind;
}

static key key_of_relation(const history* h, size_t i) {
    const relation_record* r = &h->relations[i];
    return (key){r->a, r->b, r->now.kind};
}

static key key_of_pair(const history* h, size_t i) {
    return (key){h->pairs[i].a, h->pairs[i].b, 0};
}

// the index of a key, or where it is to be inserted
static size_t place_of(const history* h, size_t count, key (*key_of)(const history*, size_t),
                       key wanted) {
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (is_before(key_of(h, middle), wanted)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static relation_record* relation_of(history* h, key wanted) {
    const size_t place = place_of(h, h->relation_count, key_of_relation, wanted);
    if (place < h->relation_count && !is_before(wanted, key_of_relation(h, place))) {
        return &h->relations[place];
    }
    if (h->relation_count == h->relation_room) {
        h->relation_room = h->relation_room * 2 + 16;
        h->relations = reallocate(h->relations, h->relation_room, sizeof *h->relations);
    }
    relation_record* at = h->relations + place;
    memmove(at + 1, at, (h->relation_count++ - place) * sizeof *at);
    *at = (relation_record){.a = wanted.a, .b = wanted.b};
    return at;
}

static pair_record* pair_of(history* h, key wanted) {
    const size_t place = place_of(h, h->pair_count, key_of_pair, wanted);
    if (place < h->pair_count && !is_before(wanted, key_of_pair(h, place))) {
        return &h->pairs[place];
    }
    if (h->pair_count == h->pair_room) {
        h->pair_room = h->pair_room * 2 + 16;
        h->pairs = reallocate(h->pairs, h->pair_room, sizeof *h->pairs);
    }
    pair_record* at = h->pairs + place;
    memmove(at + 1, at, (h->pair_count++ - place) * sizeof *at);
    *at = (pair_record){.a = wanted.a, .b = wanted.b, .distance = NAN};
    return at;
}

// compares two numbers; NAN is below all others
static int compare_depths(double x, double y) {
    return isnan(x) || isnan(y) ? isnan(y) - isnan(x) : (x > y) - (x < y);
}

static int compare_counts(size_t x, size_t y) {
    const size_t a = x == NO_COUNT ? 0 : x;
    const size_t b = y == NO_COUNT ? 0 : y;
    return (a > b) - (a < b);
}

bool relation_is_worse(const relation* r, const relation* than) {
    const int depth = compare_depths(r->depth, than->depth);
    const int pairs = compare_counts(r->pairs, than->pairs);
    const int swept = compare_counts(r->swept, than->swept);
    return depth != 0   ? depth > 0
           : pairs != 0 ? pairs > 0
           : swept != 0 ? swept > 0
                        : r->distance < than->distance;
}

static void take_relation(history* h, const finding* f, const relation* now, uint32_t frame) {
    relation_record* record = relation_of(h, (key){f->a, f->b, now->kind});
    if (record->frames++ == 0 || relation_is_worse(now, &record->now)) {
        record->now = *now;
        record->worst = frame;
    }
    runs_add(&record->runs, frame);
}

static void take_nearest(pair_record* record, const finding* f, uint32_t frame) {
    if (f->gap == NULL || record->distance <= f->distance) {
        return;
    }
    const bool turned = f->gap_turned;
    record->distance = f->distance;
    record->near = frame;
    memcpy(record->point_a, turned ? f->gap->b.point : f->gap->a.point, sizeof record->point_a);
    memcpy(record->point_b, turned ? f->gap->a.point : f->gap->b.point, sizeof record->point_b);
}

static void take_finding(history* h, const question* q, const finding* f, uint32_t frame) {
    relation list[MOST_RELATIONS];
    const size_t count = finding_relations(f, q, list);
    for (size_t i = 0; i < count; ++i) {
        take_relation(h, f, &list[i], frame);
    }
    if (f->gap == NULL && !f->depth_undefined) {
        return;
    }
    pair_record* record = pair_of(h, (key){f->a, f->b, 0});
    take_nearest(record, f, frame);
    if (f->depth_undefined) {
        ++record->undefined;
        snprintf(record->why_a, sizeof record->why_a, "%s", f->why_a != NULL ? f->why_a : "");
        snprintf(record->why_b, sizeof record->why_b, "%s", f->why_b != NULL ? f->why_b : "");
    }
}

static void add_gaps(const world* w, const question* q, frame_record* record) {
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_distance_pair* g = &w->gaps[i];
        record->distance = g->distance < record->distance ? g->distance : record->distance;
        record->near += gap_counts(g, q);
    }
}

static void add_regions(const world* w, frame_record* record) {
    for (size_t i = 0; i < w->region_count; ++i) {
        const abut_region* r = &w->regions[i];
        // the depth of a fold is infinite and left out
        record->deepest = isfinite(r->depth) && r->depth > record->deepest ? r->depth
                                                                           : record->deepest;
        record->jump = r->jump > record->jump ? r->jump : record->jump;
        record->begun += r->is_new;
        ++record->regions;
    }
}

frame_record history_record_of(const findings* now, uint32_t frame) {
    frame_record record = {.frame = frame, .distance = INFINITY, .contact = now->contact};
    for (size_t i = 0; i < now->count; ++i) {
        const finding* f = &now->list[i];
        record.between += f->a != f->b ? f->pairs + f->region_pairs : 0;
        record.self += f->a == f->b ? f->pairs + f->region_pairs : 0;
        record.swept += f->swept;
        record.undefined = record.undefined || f->depth_undefined;
    }
    return record;
}

frame_record history_record(const world* w, const question* q, const findings* now, uint32_t frame,
                            const abut_counters* work) {
    frame_record record = history_record_of(now, frame);
    record.work = *work;
    if (q->nearest) {
        add_gaps(w, q, &record);
    }
    if (q->depth) {
        add_regions(w, &record);
    }
    return record;
}

void history_add(history* h, const frame_record* record, const question* q, const findings* now) {
    h->names = q->names;
    for (size_t i = 0; i < now->count; ++i) {
        take_finding(h, q, &now->list[i], record->frame);
    }
    if (h->frame_count == h->frame_room) {
        h->frame_room = h->frame_room * 2 + 64;
        h->frames = reallocate(h->frames, h->frame_room, sizeof *h->frames);
    }
    h->frames[h->frame_count++] = *record;
    if (record->contact) {
        ++h->frames_touching;
        runs_add(&h->touching, record->frame);
    }
}

void history_free(history* h) {
    free(h->frames);
    free(h->relations);
    free(h->pairs);
    *h = (history){0};
}

const frame_record* history_jump(const history* h) {
    const frame_record* most = NULL;
    for (size_t i = 0; i < h->frame_count; ++i) {
        const frame_record* f = &h->frames[i];
        if (f->regions > f->begun && (most == NULL || f->jump > most->jump)) {
            most = f;
        }
    }
    return most;
}

void print_jump(const history* h) {
    const frame_record* most = history_jump(h);
    if (most != NULL) {
        char label[FRAME_TEXT_SIZE];
        printf(
            "The separating translation of a region changed by at most %.3g from one frame to the "
            "next (frame %s).\n",
            most->jump, frame_label(h->names, most->frame, label));
    }
}

const char* runs_text(const frame_runs* runs, const frame_names* names, size_t most,
                      char text[RUNS_SIZE]) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < runs->count; ++i) {
        const char* comma = used == 0 ? "" : ", ";
        if (i == most || used + 64 > RUNS_SIZE) {
            snprintf(text + used, RUNS_SIZE - used, "%s...", comma);
            break;
        }
        const unsigned long long from = frame_number(names, runs->from[i]);
        const unsigned long long to = frame_number(names, runs->to[i]);
        used += (size_t)snprintf(text + used, RUNS_SIZE - used,
                                 runs->from[i] == runs->to[i] ? "%s%llu" : "%s%llu-%llu", comma,
                                 from, to);
    }
    return text;
}
