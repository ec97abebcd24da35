// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What was found over the frames: see history.h.
#include "cli/history.h"

#include "cli/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// the place of (a, b) in the sorted contacts, where it is or ought to be
static size_t place_of(const history* h, uint32_t a, uint32_t b) {
    size_t low = 0;
    size_t high = h->contact_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const contact_record* c = &h->contacts[middle];
        if (c->a < a || (c->a == a && c->b < b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static contact_record* record_of(history* h, uint32_t a, uint32_t b) {
    const size_t place = place_of(h, a, b);
    if (place < h->contact_count && h->contacts[place].a == a && h->contacts[place].b == b) {
        return &h->contacts[place];
    }
    if (h->contact_count == h->contact_room) {
        h->contact_room = h->contact_room * 2 + 16;
        h->contacts = reallocate(h->contacts, h->contact_room, sizeof *h->contacts);
    }
    contact_record* at = h->contacts + place;
    memmove(at + 1, at, (h->contact_count - place) * sizeof *at);
    ++h->contact_count;
    *at = (contact_record){.a = a, .b = b, .first = NAN, .depth = NAN, .distance = NAN};
    return at;
}

// comparisons of numbers of which some may be none: below all others
static int compare_depths(double x, double y) {
    return isnan(x) || isnan(y) ? isnan(y) - isnan(x) : (x > y) - (x < y);
}

bool contact_is_worse(const contact_record* c, const contact_record* than) {
    const int depth = compare_depths(c->depth, than->depth);
    if (depth != 0 || c->pairs != than->pairs || c->swept != than->swept) {
        return depth != 0                ? depth > 0
               : c->pairs != than->pairs ? c->pairs > than->pairs
                                         : c->swept > than->swept;
    }
    return c->distance < than->distance;
}

// the worst frame so far, if this is one
static void take_worst(contact_record* record, const finding* f, uint32_t frame) {
    const contact_record now = {
        .depth = f->depth, .pairs = f->pairs, .swept = f->swept, .distance = f->distance};
    const bool first = record->frames++ == 0;
    if (!first && !contact_is_worse(&now, record)) {
        return;
    }
    record->worst = frame;
    record->pairs = f->pairs;
    record->swept = f->swept;
    record->first = f->first;
    record->regions = f->regions;
    record->depth = f->depth;
    record->inside = f->inside;
    record->partly = f->partly;
    if (f->deepest != NULL) {
        memcpy(record->direction, f->deepest->direction, sizeof record->direction);
    }
}

static void take_nearest(contact_record* record, const world* w, const finding* f, uint32_t frame) {
    if (f->gap == NULL || record->distance <= f->distance) {
        return;
    }
    const bool turned = w->number_of[f->gap->body_a] != f->a;
    record->distance = f->distance;
    record->near = frame;
    memcpy(record->point_a, turned ? f->gap->b.point : f->gap->a.point, sizeof record->point_a);
    memcpy(record->point_b, turned ? f->gap->a.point : f->gap->b.point, sizeof record->point_b);
}

static void take_finding(history* h, const world* w, const finding* f, uint32_t frame) {
    contact_record* record = record_of(h, f->a, f->b);
    if (f->contact) {
        take_worst(record, f, frame);  // compares with the least distance so far
    }
    take_nearest(record, w, f, frame);
    if (f->inside != INSIDE_NONE && record->frames_inside++ == 0) {
        record->inside_which = f->inside;
        record->inside_partly = f->partly;
    }
    if (f->depth_undefined && f->contact) {
        snprintf(record->why_a, sizeof record->why_a, "%s", f->why_a != NULL ? f->why_a : "");
        snprintf(record->why_b, sizeof record->why_b, "%s", f->why_b != NULL ? f->why_b : "");
    }
}

static void add_gaps(const world* w, const question* q, frame_record* record) {
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_gap* g = &w->gaps[i];
        record->distance = g->distance < record->distance ? g->distance : record->distance;
        record->near += gap_counts(g, q);
    }
}

static void add_regions(const world* w, frame_record* record) {
    for (size_t i = 0; i < w->region_count; ++i) {
        const abut_region* r = &w->regions[i];
        // one that is folded has no way out
        record->deepest = isfinite(r->depth) && r->depth > record->deepest ? r->depth
                                                                           : record->deepest;
        record->jump = r->jump > record->jump ? r->jump : record->jump;
        record->begun += r->is_new;
        ++record->regions;
    }
}

void history_add(history* h, const world* w, const question* q, const findings* now, uint32_t frame,
                 const abut_counters* work) {
    h->names = q->names;
    frame_record record = {.frame = frame, .distance = INFINITY, .work = *work};
    record.contact = now->contact;
    for (size_t i = 0; i < now->count; ++i) {
        const finding* f = &now->list[i];
        take_finding(h, w, f, frame);
        record.between += f->a != f->b ? f->pairs : 0;
        record.self += f->a == f->b ? f->pairs : 0;
        record.swept += f->swept;
    }
    if (q->nearest) {
        add_gaps(w, q, &record);
    }
    if (q->depth) {
        add_regions(w, &record);
    }
    if (h->frame_count == h->frame_room) {
        h->frame_room = h->frame_room * 2 + 64;
        h->frames = reallocate(h->frames, h->frame_room, sizeof *h->frames);
    }
    h->frames[h->frame_count++] = record;
    h->frames_touching += record.contact;
}

void history_free(history* h) {
    free(h->frames);
    free(h->contacts);
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
            "The way out of a region changed by at most %.3g from one frame to the next (frame "
            "%s).\n",
            most->jump, frame_label(h->names, most->frame, label));
    }
}

static bool touches(const history* h, size_t i) {
    return i < h->frame_count && h->frames[i].contact;
}

const char* history_ranges(const history* h, size_t ranges, char text[RANGES_SIZE]) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < h->frame_count; ++i) {
        if (!touches(h, i)) {
            continue;
        }
        size_t last = i;
        while (touches(h, last + 1)) {
            ++last;
        }
        const char* comma = used == 0 ? "" : ", ";
        if (ranges-- == 0 || used + 64 > RANGES_SIZE) {
            snprintf(text + used, RANGES_SIZE - used, "%s...", comma);
            break;
        }
        const unsigned long long from = frame_number(h->names, h->frames[i].frame);
        const unsigned long long to = frame_number(h->names, h->frames[last].frame);
        used += (size_t)snprintf(text + used, RANGES_SIZE - used,
                                 last == i ? "%s%llu" : "%s%llu-%llu", comma, from, to);
        i = last;
    }
    return text;
}
