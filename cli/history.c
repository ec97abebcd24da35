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

typedef struct adder {
    history* h;
    uint32_t frame;
} adder;

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
    *at = (contact_record){.a = a, .b = b};
    return at;
}

static void add_contact(void* user, const contact* c) {
    const adder* add = user;
    contact_record* record = record_of(add->h, c->a, c->b);
    ++record->frames;
    if (c->count > record->most) {
        record->most = c->count;
        record->most_frame = add->frame;
    }
}

static near_record* near_of(history* h, uint32_t a, uint32_t b) {
    size_t place = h->near_count;
    for (; place > 0; --place) {
        const near_record* n = &h->near[place - 1];
        if (n->a == a && n->b == b) {
            return &h->near[place - 1];
        }
        if (n->a < a || (n->a == a && n->b < b)) {
            break;
        }
    }
    if (h->near_count == h->near_room) {
        h->near_room = h->near_room * 2 + 16;
        h->near = reallocate(h->near, h->near_room, sizeof *h->near);
    }
    memmove(h->near + place + 1, h->near + place, (h->near_count++ - place) * sizeof *h->near);
    h->near[place] = (near_record){a, b, INFINITY, 0};
    return &h->near[place];
}

static void add_gaps(history* h, const world* w, const question* q, frame_record* record) {
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_gap* g = &w->gaps[i];
        near_record* near = near_of(h, w->number_of[g->body_a], w->number_of[g->body_b]);
        if (g->distance < near->distance) {
            near->distance = g->distance;
            near->frame = record->frame;
        }
        record->distance = g->distance < record->distance ? g->distance : record->distance;
        record->near += gap_counts(g, q);
    }
}

static bool found_in(const frame_record* f) {
    return f->between + f->self + f->swept + f->near + f->regions != 0;
}

void history_add(history* h, const world* w, const question* q, uint32_t frame,
                 const abut_counters* work) {
    adder add = {h, frame};
    h->names = q->names;
    frame_record record = {.frame = frame, .distance = INFINITY, .work = *work};
    if (q->nearest) {
        add_gaps(h, w, q, &record);
    }
    for (size_t i = 0; i < w->region_count && q->depth; ++i) {
        const abut_region* r = &w->regions[i];
        // one that is folded has no way out
        record.deepest = isfinite(r->depth) && r->depth > record.deepest ? r->depth
                                                                         : record.deepest;
        record.jump = r->jump > record.jump ? r->jump : record.jump;
        record.begun += r->is_new;
        ++record.regions;
    }
    if (q->between) {
        record.between = world_pair_count(w->between);
        world_each_contact(w, w->between, add_contact, &add);
    }
    if (q->self) {
        record.self = world_pair_count(w->self);
        world_each_contact(w, w->self, add_contact, &add);
    }
    if (q->sweep && w->stepped) {
        const abut_result* answers[2] = {q->between ? w->swept_between : NULL,
                                         q->self ? w->swept_self : NULL};
        for (int i = 0; i < 2; ++i) {
            size_t count = 0;
            if (answers[i] != NULL) {
                (void)world_swept(w, answers[i], UINT32_MAX, UINT32_MAX, &count);
            }
            record.swept += count;
        }
    }
    if (h->frame_count == h->frame_room) {
        h->frame_room = h->frame_room * 2 + 64;
        h->frames = reallocate(h->frames, h->frame_room, sizeof *h->frames);
    }
    h->frames[h->frame_count++] = record;
    h->frames_touching += found_in(&record);
}

void history_free(history* h) {
    free(h->frames);
    free(h->contacts);
    free(h->near);
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
    return i < h->frame_count && found_in(&h->frames[i]);
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
