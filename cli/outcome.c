// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Takes the outcome of a frame from a worker: see outcome.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/outcome.h"

#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

static void* copy_of(const void* list, size_t count, size_t size) {
    void* copy = allocate(count, size);
    if (count != 0) {
        memcpy(copy, list, count * size);
    }
    return copy;
}

// the rows of a frame as text; the caller frees it
static char* rows_of(const csv_table* like, const worker* k, const question* q, const findings* now,
                     double time) {
    char* text = NULL;
    size_t size = 0;
    csv_table table = *like;
    table.file = open_memstream(&text, &size);
    if (table.file != NULL) {
        csv_frame(&table, k->w, q, now, (uint32_t)k->frame, time);
    }
    if (table.file == NULL || fclose(table.file) != 0) {
        exit(complain("there is not enough memory"));
    }
    return text;
}

static void take_gate(outcome* o, const worker* k) {
    size_t count = 0;
    if (k->meter != NULL) {
        const measure* list = meter_list(k->meter, &count);
        o->measures = copy_of(list, count, sizeof *list);
        o->measure_count = count;
    }
    if (k->sieve != NULL) {
        const uint64_t* keys = sieve_known(k->sieve, &count);
        o->known = copy_of(keys, count, sizeof *keys);
        o->known_count = count;
    }
    const world_aside* aside = &k->w->aside;
    o->aside = (world_aside){.used = aside->used, .count = aside->count, .missing = aside->missing};
    o->aside.entries = copy_of(aside->entries, aside->count, sizeof *aside->entries);
}

void outcome_take(outcome* o, const worker* k, const question* q, const outcome_wishes* wishes) {
    const double time = (double)k->frame / wishes->fps;
    *o = (outcome){.frame = (uint32_t)k->frame};
    findings_take(&o->now, k->w, q);
    o->record = history_record(k->w, q, &o->now, o->frame, &k->work);
    take_gate(o, k);
    o->topologies = allocate(k->objects->count, sizeof *o->topologies);
    for (size_t i = 0; i < k->objects->count; ++i) {
        o->topologies[i] = k->objects->objects[i].topology;
    }
    if (wishes->json) {
        o->json = world_frame_json(k->w, q, &o->now, o->frame, time, wishes->work ? &k->work : NULL,
                                   wishes->lists);
    }
    if (wishes->csv != NULL) {
        o->rows = rows_of(wishes->csv, k, q, &o->now, time);
    }
}

void outcome_free(outcome* o) {
    findings_free(&o->now);
    free(o->measures);
    free(o->aside.entries);
    free(o->known);
    free(o->topologies);
    json_decref(o->json);
    free(o->rows);
    free(o->gaps);
    *o = (outcome){0};
}
