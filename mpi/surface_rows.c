// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of a surface: all have the same bodies, and any rank may have found any of them. They travel to one
// rank, or each to the rank of its part of the list, and are sorted there.
#include <stdlib.h>

#include "mpi/surface.h"

#define BODIES_BYTES 8u  // of a row: both are the surface

// ---- order

// a face is sorted by its triangle, a vertex or an edge by its vertices
static uint64_t number_of(bool face, uint32_t triangle, const uint32_t vertices[3]) {
    return face ? triangle : (uint64_t)vertices[0] << 32 | vertices[1];
}

static uint64_t first_of(const abut_sweep_pair* row) {
    return number_of(row->kind == ABUT_CONTACT_FACE_VERTEX, row->triangle_a, row->vertices_a);
}

static int compare_numbers(uint64_t x, uint64_t y) {
    return (x > y) - (x < y);
}

static int compare_sweeps(const void* a, const void* b) {
    const abut_sweep_pair* x = a;
    const abut_sweep_pair* y = b;
    const bool face = x->kind == ABUT_CONTACT_VERTEX_FACE;
    int order = compare_numbers(x->kind, y->kind);
    order = order != 0 ? order : compare_numbers(first_of(x), first_of(y));
    return order != 0 ? order
                      : compare_numbers(number_of(face, x->triangle_b, x->vertices_b),
                                        number_of(face, y->triangle_b, y->vertices_b));
}

// bodies, then triangles, as rows of all other kinds begin
static int compare_pairs(const void* a, const void* b) {
    const abut_pair* x = a;
    const abut_pair* y = b;
    const int order = compare_numbers(x->triangle_a, y->triangle_a);
    return order != 0 ? order : compare_numbers(x->triangle_b, y->triangle_b);
}

// A number that does not fall along the sorted list, and is equal for rows that stay together.
static uint64_t key_of(const abut_world_answer* answer, const uint8_t* row) {
    if (answer->row_size == sizeof(abut_sweep_pair)) {
        abut_sweep_pair sweep;
        memcpy(&sweep, row, sizeof sweep);
        return (uint64_t)sweep.kind << 62 | first_of(&sweep) >> 2;
    }
    abut_pair pair;
    memcpy(&pair, row, sizeof pair);
    return pair.triangle_a;
}

// ---- sending

static void send_row(abut_world_answer* answer, int to, const uint8_t* row) {
    abut__mail_write(answer->world, &answer->world->mail, to, row + BODIES_BYTES,
                     answer->row_size - BODIES_BYTES);
}

// takes samples at equal distances in the rows of this rank, as they were found
static void take_samples(const abut_world_answer* answer, abut__sample samples[ABUT__SAMPLES]) {
    const size_t total = answer->rows.count / answer->row_size;
    for (size_t i = 0; i < ABUT__SAMPLES; ++i) {
        const size_t at = (2 * i + 1) * total / (2 * ABUT__SAMPLES);
        samples[i] = (abut__sample){UINT64_MAX, 0};
        if (total > 0) {
            samples[i].key = key_of(answer, answer->rows.data + at * answer->row_size);
            samples[i].rows = (total + ABUT__SAMPLES - 1) / ABUT__SAMPLES;
        }
    }
}

static void send_rows(abut_world_answer* answer, const abut_world_query_def* query) {
    abut_world* world = answer->world;
    const size_t size = answer->row_size;
    const bool gathered = query->placement == ABUT_WORLD_GATHERED;
    abut__cuts cuts = {0};
    abut__mail_begin(world, &world->mail);
    if (!gathered) {
        abut__sample samples[ABUT__SAMPLES];
        take_samples(answer, samples);
        if (!abut__rows_cut(world, samples, &cuts)) {
            abut__discard(&world->memory, &cuts);
            return;
        }
    }
    for (size_t at = 0; at < answer->rows.count; at += size) {
        const uint8_t* row = answer->rows.data + at;
        const uint64_t key = gathered ? 0 : key_of(answer, row);
        send_row(answer, gathered ? query->root : abut__rows_rank_of(world, &cuts, key), row);
    }
    abut__discard(&world->memory, &cuts);
}

// ---- receiving

// reads the rows of one message
static void take_rows(abut_world_answer* answer, uint32_t id, int from) {
    abut_world* world = answer->world;
    const abut__bytes* message = &world->mail.in[from];
    const size_t rest = answer->row_size - BODIES_BYTES;
    const size_t count = message->count / rest;
    const uint32_t bodies[2] = {id, id};
    if (message->count % rest != 0) {
        abut__trouble(world, ABUT_ERR_INVALID_DATA, id, "rows of rank %d are damaged", from);
        return;
    }
    uint8_t* to = abut__append(&world->memory, &answer->sorted, count * answer->row_size);
    if (to == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, id, "no memory for rows");
        return;
    }
    for (size_t i = 0; i < count; ++i, to += answer->row_size) {
        memcpy(to, bodies, BODIES_BYTES);
        memcpy(to + BODIES_BYTES, message->data + i * rest, rest);
    }
}

abut_status abut__surface_rows_end(abut_world_answer* answer, uint32_t id,
                                   const abut_world_query_def* query, abut_error* error) {
    abut_world* world = answer->world;
    send_rows(answer, query);
    abut__mail_exchange(world, &world->mail);
    answer->sorted.count = 0;
    for (int r = 0; r < world->ranks && world->trouble.status == ABUT_OK; ++r) {
        take_rows(answer, id, r);
    }
    if (world->trouble.status == ABUT_OK && answer->sorted.count > 0) {
        qsort(answer->sorted.data, answer->sorted.count / answer->row_size, answer->row_size,
              answer->row_size == sizeof(abut_sweep_pair) ? compare_sweeps : compare_pairs);
    }
    const abut_status status = abut__agree(world, NULL, error);
    if (status != ABUT_OK) {
        answer->sorted.count = 0;
    }
    return status;
}
