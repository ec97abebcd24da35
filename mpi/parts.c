// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parts of states. A free body that another rank needs is sent without the vertices that no body there
// can reach, where that is less. Its owner finds the vertices that matter (abut_body_reached_vertices()).
// The other rank gives each vertex that did not come the position of one that did, as
// abut_shape_stand_ins() says; both have the same shape. As bytes, after the type of the numbers:
//
//     the number of vertices, the number of bytes of runs
//     x, y, z of every vertex that is sent
//     runs: how many vertices are left out, how many are sent, and so on, in groups of seven bits
//
// A whole state has a 0 in its second byte (states.c), a part a 1.
#include "mpi/world.h"

#define TYPE_BYTES 8u
#define HEAD_BYTES 16u
#define LEAST_VERTICES \
    256u  // smaller bodies are sent whole: boxes to send them by would cost as much

static bool is_free(const abut_shape* shape) {
    return abut_shape_motion(shape) == ABUT_MOTION_FREE;
}

static size_t size_of(const uint8_t* state) {
    return 3 * (state[0] == 0 ? sizeof(float) : sizeof(double));
}

static bool is_marked(const abut__marks* marks, size_t v) {
    return (marks->data[v / 64] >> v % 64 & 1) != 0;
}

bool abut__part_is(const abut_shape* shape, const uint8_t* state, size_t count) {
    return is_free(shape) && count > 1 && state[1] != 0;
}

bool abut__part_may(const abut_world* world, const abut__owned* body) {
    const abut__known_shape* shape = &world->shapes.data[body->shape];
    return world->ranks > 1 && shape->vertices >= LEAST_VERTICES && body->state[1].count > 0 &&
           is_free(shape->shape);
}

void abut__parts_free(abut_world* world) {
    abut__parts* parts = &world->parts;
    abut__discard(&world->memory, &parts->marks);
    abut__discard(&world->memory, &parts->runs);
    abut__discard(&world->memory, &parts->stand_ins);
    abut__discard(&world->memory, &parts->positions);
    abut__discard(&world->memory, &parts->boxes);
}

// makes room for the marks of a body, all 0; false: no memory
static bool clear_marks(abut_world* world, size_t vertices) {
    const size_t words = (vertices + 63) / 64;
    world->parts.marks.count = 0;
    uint64_t* marks = abut__append(&world->memory, &world->parts.marks, words);
    if (marks != NULL) {
        memset(marks, 0, words * sizeof *marks);
    }
    return marks != NULL;
}

// ---- sending

bool abut__part_mark(abut_world* world, const abut__owned* body, bool step) {
    const size_t vertices = world->shapes.data[body->shape].vertices;
    const abut__parts* parts = &world->parts;
    abut_error error;
    if (!clear_marks(world, vertices)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, body->id, "no memory for parts");
        return false;
    }
    if (abut_body_reached_vertices(world->scene, body->local, step, parts->boxes.data,
                                   parts->boxes.count, parts->marks.data, &error) != ABUT_OK) {
        abut__trouble_from(world, &error, body->id);
        return false;
    }
    return true;
}

bool abut__marks_have(const abut__marks* marks, const abut__marks* others) {
    bool all = marks->count == others->count;
    for (size_t i = 0; i < others->count && all; ++i) {
        all = (others->data[i] & ~marks->data[i]) == 0;
    }
    return all;
}

void abut__marks_join(abut__marks* marks, const abut__marks* others) {
    for (size_t i = 0; i < others->count && i < marks->count; ++i) {
        marks->data[i] |= others->data[i];
    }
}

bool abut__marks_copy(abut_world* world, const abut__marks* from, abut__marks* to) {
    to->count = 0;
    uint64_t* words = abut__append(&world->memory, to, from->count);
    if (words != NULL && from->count > 0) {
        memcpy(words, from->data, from->count * sizeof *words);
    }
    return words != NULL;
}

static bool write_number(abut_world* world, size_t number) {
    uint8_t bytes[10];
    size_t count = 0;
    do {
        bytes[count++] = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        number >>= 7;
    } while (number > 0);
    return abut__write(&world->memory, &world->parts.runs, bytes, count);
}

// the end of the run of vertices that are all marked, or all not
static size_t run_end(const abut__marks* marks, size_t first, size_t vertices) {
    const bool marked = first < vertices && is_marked(marks, first);
    size_t end = first;
    while (end < vertices && is_marked(marks, end) == marked) {
        ++end;
    }
    return end;
}

// writes runs, and counts marked vertices; false: no memory
static bool make_runs(abut_world* world, size_t vertices) {
    abut__parts* parts = &world->parts;
    bool room = true;
    parts->runs.count = parts->count = 0;
    size_t at = 0;
    while (at < vertices && room) {
        const size_t first = is_marked(&parts->marks, at) ? at
                                                          : run_end(&parts->marks, at, vertices);
        const size_t end = run_end(&parts->marks, first, vertices);
        if (end > first) {
            room = write_number(world, first - at) && write_number(world, end - first);
        }
        parts->count += end - first;
        at = end;
    }
    return room;
}

bool abut__part_pays(abut_world* world, const abut__owned* body) {
    const abut__bytes* state = &body->state[1];
    if (!make_runs(world, world->shapes.data[body->shape].vertices)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, body->id, "no memory for parts");
        return false;
    }
    return HEAD_BYTES + world->parts.count * size_of(state->data) + world->parts.runs.count <
           state->count;
}

bool abut__part_write(abut_world* world, const abut__owned* body, int k, abut__bytes* to) {
    const abut_allocator* memory = &world->memory;
    const abut__parts* parts = &world->parts;
    const uint8_t* state = body->state[k].data;
    const size_t size = size_of(state);
    const size_t vertices = world->shapes.data[body->shape].vertices;
    const uint8_t head[TYPE_BYTES] = {state[0], 1};
    const uint32_t counts[2] = {(uint32_t)parts->count, (uint32_t)parts->runs.count};
    const size_t whole = HEAD_BYTES + parts->count * size + parts->runs.count;
    const uint32_t written = (uint32_t)whole;
    bool room = whole < UINT32_MAX && abut__write_value(memory, to, written) &&
                abut__write_value(memory, to, head) && abut__write_value(memory, to, counts);
    for (size_t at = 0; at < vertices && room;) {
        const size_t end = run_end(&parts->marks, at, vertices);
        room = !is_marked(&parts->marks, at) ||
               abut__write(memory, to, state + TYPE_BYTES + at * size, (end - at) * size);
        at = end;
    }
    return room && abut__write(memory, to, parts->runs.data, parts->runs.count);
}

// ---- receiving

static size_t read_number(abut__reading* in) {
    size_t number = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
        uint8_t byte = 0;
        abut__read_value(in, &byte);
        number |= (size_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            return number;
        }
    }
    in->bad = true;
    return 0;
}

// marks the vertices of all runs; false: they are not `count`, or not vertices of the body
static bool read_runs(abut_world* world, abut__reading* in, size_t vertices, size_t count) {
    size_t at = 0;
    while (in->at != in->end) {
        const size_t left_out = read_number(in);
        const size_t sent = read_number(in);
        if (in->bad || sent == 0 || sent > count || left_out > vertices - at ||
            sent > vertices - at - left_out) {
            return false;
        }
        at += left_out + sent;
        count -= sent;
        for (size_t v = at - sent; v < at; ++v) {
            world->parts.marks.data[v / 64] |= UINT64_C(1) << v % 64;
        }
    }
    return count == 0;
}

// puts the positions that came in their places, then those of stand-ins
static void fill(abut_world* world, size_t vertices, const uint8_t* from, size_t size) {
    const abut__parts* parts = &world->parts;
    uint8_t* to = parts->positions.data;
    for (size_t v = 0; v < vertices; ++v) {
        if (is_marked(&parts->marks, v)) {
            memcpy(to + v * size, from, size);
            from += size;
        }
    }
    for (size_t v = 0; v < vertices; ++v) {
        if (!is_marked(&parts->marks, v)) {
            memcpy(to + v * size, to + parts->stand_ins.data[v] * size, size);
        }
    }
}

static abut_status refuse(abut_error* error) {
    return abut__fail_world(error, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                            "a message has a damaged part of a state");
}

abut_status abut__part_read(abut_world* world, const abut_shape* shape, const uint8_t* state,
                            size_t bytes, const uint8_t** positions, abut_error* error) {
    abut__parts* parts = &world->parts;
    const size_t vertices = abut_mesh_vertex_count(abut_shape_mesh(shape));
    const size_t size = size_of(state);
    uint32_t counts[2] = {0};
    if (bytes < HEAD_BYTES) {
        return refuse(error);
    }
    memcpy(counts, state + TYPE_BYTES, sizeof counts);
    if (state[1] != 1 || counts[0] == 0 || counts[0] > vertices ||
        bytes != HEAD_BYTES + counts[0] * size + counts[1]) {
        return refuse(error);
    }
    parts->stand_ins.count = parts->positions.count = 0;
    if (!clear_marks(world, vertices) ||
        abut__append(&world->memory, &parts->stand_ins, vertices) == NULL ||
        abut__append(&world->memory, &parts->positions, vertices * size) == NULL) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a state");
    }
    abut__reading in = {state + bytes - counts[1], state + bytes, false};
    if (!read_runs(world, &in, vertices, counts[0])) {
        return refuse(error);
    }
    const abut_status status = abut_shape_stand_ins(shape, parts->marks.data, parts->stand_ins.data,
                                                    error);
    if (status == ABUT_OK) {
        fill(world, vertices, state + HEAD_BYTES, size);
        *positions = parts->positions.data;
    }
    return status;
}
