// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Adds contours to the frames of the report's page: see report_contours.h.
#include "cli/report_contours.h"

#include "cli/contours.h"
#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

typedef struct taker {
    const world* w;
    kept_frame* frame;
    traced_pairs* pairs;
} taker;

// the lower body first, and within a body the lower triangle
static void make_key(uint32_t a, uint32_t b, uint32_t triangle_a, uint32_t triangle_b,
                     uint64_t key[2]) {
    const bool turned = a != b ? a > b : triangle_a > triangle_b;
    key[0] = turned ? (uint64_t)b << 32 | a : (uint64_t)a << 32 | b;
    key[1] = turned ? (uint64_t)triangle_b << 32 | triangle_a
                    : (uint64_t)triangle_a << 32 | triangle_b;
}

static int compare_keys(const void* x, const void* y) {
    const uint64_t* a = x;
    const uint64_t* b = y;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void note_pairs(taker* t, uint32_t a, uint32_t b, const abut_contour_segment* segments,
                       size_t count) {
    traced_pairs* p = t->pairs;
    if (p->count + count > p->room) {
        p->room = 2 * p->room + count;
        p->list = reallocate(p->list, p->room, sizeof *p->list);
    }
    uint32_t* out = ids_more(&t->frame->traced, 2 * count);
    for (size_t i = 0; i < count; ++i) {
        make_key(a, b, segments[i].triangle_a, segments[i].triangle_b, p->list[p->count++]);
        out[2 * i] = segments[i].triangle_a;
        out[2 * i + 1] = segments[i].triangle_b;
    }
}

static void take_contour(void* user, const abut_contour* c, const abut_contour_segment* segments,
                         const abut_contour_point* points) {
    taker* t = user;
    const float length = (float)contour_length(c, points);
    const uint32_t a = t->w->number_of[c->body_a];
    const uint32_t b = t->w->number_of[c->body_b];
    uint32_t* row = ids_more(&t->frame->contours, 5);
    row[0] = a;
    row[1] = b;
    row[2] = (uint32_t)c->ends[0] | (uint32_t)c->ends[1] << 16;
    row[3] = c->point_count;
    memcpy(&row[4], &length, sizeof length);
    double* out = numbers_more(&t->frame->corners, 3 * (size_t)c->point_count);
    for (size_t i = 0; i < c->point_count; ++i) {
        memcpy(out + 3 * i, points[i].position, sizeof points[i].position);
    }
    note_pairs(t, a, b, segments, c->segment_count);
}

void report_contours(const world* w, const question* q, kept_frame* f, traced_pairs* pairs) {
    taker t = {w, f, pairs};
    contours_each(w, q, take_contour, &t);
    if (pairs->count > 1) {
        qsort(pairs->list, pairs->count, sizeof *pairs->list, compare_keys);
    }
}

bool traced_has(const traced_pairs* pairs, uint32_t a, uint32_t b, uint32_t triangle_a,
                uint32_t triangle_b) {
    uint64_t key[2];
    make_key(a, b, triangle_a, triangle_b, key);
    return pairs->count > 0 &&
           bsearch(key, pairs->list, pairs->count, sizeof *pairs->list, compare_keys) != NULL;
}

void traced_free(traced_pairs* pairs) {
    free(pairs->list);
    *pairs = (traced_pairs){0};
}

json_t* contour_ends_json(void) {
    json_t* list = json_array();
    for (int end = ABUT_CONTOUR_END_NONE; end <= ABUT_CONTOUR_END_MISSING; ++end) {
        json_array_append_new(list, json_string(contour_end_name((abut_contour_end)end)));
    }
    return list;
}
