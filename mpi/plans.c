// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Plans of flight bodies. A rank that gets a body repeats the calls that made its plans, since the last
// ones that say where all vertices are; earlier ones for some vertices are left out where later ones
// replace them. So the owner keeps these calls as bytes, one record each, in eights:
//
//     a head; the vertices; the positions; the velocities
//
// Plans end the previous state. They are repeated after the state in which they were made, which later
// is the state before the step.
#include <math.h>

#include "mpi/world.h"

enum { PLANS_NONE, PLANS_ALL, PLANS_SOME };  // kinds of calls

typedef struct record_head {
    uint32_t kind;
    uint32_t vertices;  // of the call
    uint32_t position;  // bytes of a number; 0: there are none
    uint32_t velocity;  // likewise
    double time;
    double acceleration[3];
} record_head;

static size_t round_up(size_t bytes) {
    return (bytes + 7) / 8 * 8;
}

static size_t listed(const record_head* head) {
    return head->kind == PLANS_SOME ? round_up(head->vertices * sizeof(uint32_t)) : 0;
}

static size_t numbers(const record_head* head, uint32_t size) {
    return round_up((size_t)3 * head->vertices * size);
}

static size_t record_size(const record_head* head) {
    return sizeof *head + listed(head) + numbers(head, head->position) +
           numbers(head, head->velocity);
}

// whether a call says by itself where its vertices are
static bool is_explicit(const record_head* head) {
    return head->kind == PLANS_NONE || head->position > 0;
}

// ---- repeating

static abut_positions view(const uint8_t* data, const record_head* head, uint32_t size) {
    return size == 0 ? (abut_positions){0}
                     : (abut_positions){data, head->vertices, 0,
                                        size == sizeof(float) ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64};
}

static bool is_sound(const record_head* head, const abut_shape* shape, size_t left) {
    const size_t vertices = abut_mesh_vertex_count(abut_shape_mesh(shape));
    const bool sizes = (head->position == 0 || head->position == 4 || head->position == 8) &&
                       (head->velocity == 0 || head->velocity == 4 || head->velocity == 8);
    return head->kind <= PLANS_SOME && head->vertices <= vertices && sizes &&
           (head->kind == PLANS_SOME ||
            head->vertices == (head->kind == PLANS_ALL ? vertices : 0)) &&
           record_size(head) <= left;
}

static abut_status repeat(abut_world* world, abut_body_id local, const record_head* head,
                          const uint8_t* data, abut_error* error) {
    abut_plans_def def = abut_plans_def_default();
    if (head->kind == PLANS_NONE) {
        return abut_body_set_plans(world->scene, local, NULL, error);
    }
    def.time = head->time;
    memcpy(def.acceleration, head->acceleration, sizeof def.acceleration);
    if (head->kind == PLANS_SOME) {
        def.vertices = (const uint32_t*)(const void*)data;
        def.vertex_count = head->vertices;
    }
    data += listed(head);
    def.positions = view(data, head, head->position);
    def.velocities = view(data + numbers(head, head->position), head, head->velocity);
    return abut_body_set_plans(world->scene, local, &def, error);
}

abut_status abut__plans_apply(abut_world* world, abut_body_id local, const abut_shape* shape,
                              const uint8_t* log, size_t size, abut_error* error) {
    abut_status status = ABUT_OK;
    for (size_t at = 0; at < size && status == ABUT_OK;) {
        record_head head;
        const bool whole = size - at >= sizeof head;
        if (whole) {
            memcpy(&head, log + at, sizeof head);
        }
        if (!whole || !is_sound(&head, shape, size - at)) {
            return abut__fail_world(error, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                                    "a message has damaged plans");
        }
        status = repeat(world, local, &head, log + at + sizeof head, error);
        at += record_size(&head);
    }
    return status;
}

// ---- keeping

// appends numbers of the vertices without gaps, and zeros to the next eight
static bool write_numbers(const abut_allocator* memory, abut__bytes* to, abut_positions from) {
    const size_t size = 3 * (from.type == ABUT_SCALAR_F32 ? sizeof(float) : sizeof(double));
    const size_t stride = from.stride > 0 ? from.stride : size;
    uint8_t* place = abut__append(memory, to, round_up(from.count * size));
    if (place == NULL) {
        return false;
    }
    memset(place, 0, round_up(from.count * size));
    for (size_t i = 0; i < from.count; ++i) {
        memcpy(place + i * size, (const uint8_t*)from.data + i * stride, size);
    }
    return true;
}

static bool write_record(const abut_allocator* memory, abut__bytes* to, const record_head* head,
                         const abut_plans_def* plans) {
    bool room = abut__write_value(memory, to, *head);
    if (room && head->kind == PLANS_SOME) {
        const uint32_t none = 0;
        room = abut__write(memory, to, plans->vertices, head->vertices * sizeof none) &&
               (head->vertices % 2 == 0 || abut__write_value(memory, to, none));
    }
    return room && (head->position == 0 || write_numbers(memory, to, plans->positions)) &&
           (head->velocity == 0 || write_numbers(memory, to, plans->velocities));
}

// whether the ascending list `of` has all of `some`
static bool has_all(const uint32_t* of, size_t count, const uint32_t* some, size_t some_count) {
    size_t at = 0;
    for (size_t i = 0; i < some_count; ++i) {
        while (at < count && of[at] < some[i]) {
            ++at;
        }
        if (at == count || of[at] != some[i]) {
            return false;
        }
    }
    return true;
}

// Copies the calls that still count after a new one: those for some vertices do not if it says anew where all
// of these are.
static bool copy_log(const abut_allocator* memory, const abut__bytes* log, const record_head* now,
                     const abut_plans_def* plans, abut__bytes* to) {
    if (now->kind != PLANS_SOME && is_explicit(now)) {
        return true;
    }
    bool room = true;
    for (size_t at = 0; at < log->count && room;) {
        record_head head;
        memcpy(&head, log->data + at, sizeof head);
        const uint32_t* vertices = (const void*)(log->data + at + sizeof head);
        const bool replaced = is_explicit(now) && head.kind == PLANS_SOME &&
                              has_all(plans->vertices, now->vertices, vertices, head.vertices);
        room = replaced || abut__write(memory, to, log->data + at, record_size(&head));
        at += record_size(&head);
    }
    return room;
}

// The head of a call; false: the counts of its arrays are wrong, so that the library refuses it.
static bool head_of(const abut_plans_def* plans, const abut_shape* shape, record_head* head) {
    *head = (record_head){.kind = PLANS_NONE};
    if (plans == NULL) {
        return true;
    }
    const size_t vertices = abut_mesh_vertex_count(abut_shape_mesh(shape));
    const size_t count = plans->vertices != NULL ? plans->vertex_count : vertices;
    const abut_positions* lists[2] = {&plans->positions, &plans->velocities};
    uint32_t sizes[2] = {0, 0};
    for (int k = 0; k < 2; ++k) {
        if (lists[k]->count != 0 && (lists[k]->count != count || lists[k]->data == NULL)) {
            return false;
        }
        sizes[k] = lists[k]->count == 0                ? 0
                   : lists[k]->type == ABUT_SCALAR_F32 ? (uint32_t)sizeof(float)
                                                       : (uint32_t)sizeof(double);
    }
    *head = (record_head){.kind = plans->vertices != NULL ? PLANS_SOME : PLANS_ALL,
                          .vertices = (uint32_t)count,
                          .position = sizes[0],
                          .velocity = sizes[1],
                          .time = plans->time};
    memcpy(head->acceleration, plans->acceleration, sizeof head->acceleration);
    return count <= vertices;
}

abut_status abut_world_set_plans(abut_world* world, uint32_t id, const abut_plans_def* plans,
                                 abut_error* error) {
    uint32_t place;
    record_head head;
    abut__bytes log = {0};
    abut_status status = abut__own(world, id, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__owned* body = &world->owned.data[place];
    const abut_allocator* memory = &world->memory;
    const abut_shape* shape = world->shapes.data[body->shape].shape;
    if (abut_shape_motion(shape) != ABUT_MOTION_FLIGHT || !head_of(plans, shape, &head)) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                "body %u has another motion, or the plans have wrong counts", id);
    }
    if (!copy_log(memory, &body->plans, &head, plans, &log) ||
        !write_record(memory, &log, &head, plans)) {
        abut__discard(memory, &log);
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, id, "no memory for plans");
    }
    status = abut_body_set_plans(world->scene, body->local, plans, error);
    if (status != ABUT_OK) {
        abut__discard(memory, &log);
        if (error != NULL) {
            error->body = (abut_body_id){id, 1};
        }
        return status;
    }
    abut__discard(memory, &body->plans);
    body->plans = log;
    body->plans_now = true;
    body->state[0].count = 0;  // there is no previous state
    body->ended = false;
    ++body->plan;
    ++body->now;
    ++body->step;
    return ABUT_OK;
}

// ---- moving to other ranks

const abut__bytes* abut__plans_after(const abut__owned* body, int k) {
    static const abut__bytes none = {0};
    return k == (body->plans_now ? 1 : 0) ? &body->plans : &none;
}

bool abut__plans_split(abut_world* world, abut__owned* body) {
    const abut_shape* shape = world->shapes.data[body->shape].shape;
    for (int k = 0; k < 2 && abut_shape_motion(shape) == ABUT_MOTION_FLIGHT; ++k) {
        abut__bytes* state = &body->state[k];
        double time;
        if (state->count <= sizeof time) {
            continue;
        }
        body->plans_now = k == 1;
        body->plans.count = 0;
        if (!abut__write(&world->memory, &body->plans, state->data + sizeof time,
                         state->count - sizeof time)) {
            return false;
        }
        memcpy(&time, state->data, sizeof time);
        state->count = isnan(time) ? 0 : sizeof time;
    }
    return true;
}
