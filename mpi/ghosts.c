// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Ghosts: bodies of other ranks that a rank holds because pairs need them. An owner knows what each rank
// holds of its bodies, so that it sends a state only if that rank lacks it, and of a free body only the
// vertices that matter there (parts.c). Both sides forget a ghost that was not needed for some queries;
// they count alike, so nothing is sent about that.
#include <math.h>
#include <stdlib.h>

#include "mpi/world.h"

// What a message says about one body, in this order.
enum {
    PART_CREATE = 1,   // make the body: the name of its shape
    PART_BEFORE = 2,   // a state: its size, its bytes
    PART_NOW = 4,      // likewise
    PART_END = 8,      // the step has ended
    PART_FRAME = 16,   // one frame
    PART_FRAMES = 32,  // two frames: before the step and after it
    PART_THICK = 64,   // the thickness
    PART_OWNER = 128,  // what only an owner needs
};

static bool frames_differ(const abut_frame* a, const abut_frame* b) {
    return memcmp(a, b, sizeof *a) != 0;
}

// ---- sending

// Writes a state, and the plans that were made after it if the body is new there.
static bool write_state(abut_world* world, const abut__owned* body, int k, bool new,
                        abut__bytes* to) {
    const abut_allocator* memory = &world->memory;
    const abut__bytes* state = &body->state[k];
    const abut__bytes* plans = abut__plans_after(body, k);
    const double none = NAN;
    const bool planned = new && plans->count > 0;
    const bool timeless = planned && state->count == 0;
    const size_t size = state->count + (timeless ? sizeof none : 0) + (planned ? plans->count : 0);
    const uint32_t written = (uint32_t)size;
    return size < UINT32_MAX && abut__write_value(memory, to, written) &&
           abut__write(memory, to, timeless ? (const void*)&none : state->data,
                       timeless ? sizeof none : state->count) &&
           (!planned || abut__write(memory, to, plans->data, plans->count));
}

// `partly`: of states only the marked vertices
static bool write_parts(abut_world* world, const abut__owned* body, uint8_t parts, bool partly,
                        abut__bytes* to) {
    const abut_allocator* memory = &world->memory;
    const bool new = (parts & PART_CREATE) != 0;
    bool room = abut__write_value(memory, to, body->id) && abut__write_value(memory, to, parts);
    if ((parts & PART_CREATE) != 0) {
        room = room && abut__write_value(memory, to, world->shapes.data[body->shape].name);
    }
    if ((parts & PART_BEFORE) != 0) {
        room = room && (partly ? abut__part_write(world, body, 0, to)
                               : write_state(world, body, 0, new, to));
    }
    if ((parts & PART_NOW) != 0) {
        room = room && (partly ? abut__part_write(world, body, 1, to)
                               : write_state(world, body, 1, new, to));
    }
    if ((parts & PART_FRAMES) != 0) {
        room = room && abut__write_value(memory, to, body->before);
    }
    if ((parts & (PART_FRAME | PART_FRAMES)) != 0) {
        room = room && abut__write_value(memory, to, body->def.frame);
    }
    if ((parts & PART_THICK) != 0) {
        room = room && abut__write_value(memory, to, body->thickness);
    }
    if ((parts & PART_OWNER) != 0) {
        const uint8_t is_static = body->def.is_static ? 1 : 0;
        room = room && abut__write_value(memory, to, body->def.groups) &&
               abut__write_value(memory, to, body->def.mask) &&
               abut__write_value(memory, to, is_static);
    }
    return room;
}

static uint8_t frame_parts(const abut__owned* body) {
    return (uint8_t)((frames_differ(&body->before, &body->def.frame) ? PART_FRAMES : PART_FRAME) |
                     PART_THICK);
}

// all parts of a body
static uint8_t whole_parts(const abut__owned* body) {
    const abut_frame identity = abut_frame_identity();
    uint8_t parts = PART_CREATE;
    parts |= body->state[0].count + abut__plans_after(body, 0)->count > 0 ? PART_BEFORE : 0;
    parts |= body->state[1].count + abut__plans_after(body, 1)->count > 0 ? PART_NOW : 0;
    parts |= body->ended ? PART_END : 0;
    if (frames_differ(&body->before, &identity) || frames_differ(&body->def.frame, &identity)) {
        parts |= frame_parts(body) & (uint8_t)~PART_THICK;
    }
    return (uint8_t)(parts | (body->thickness > 0 ? PART_THICK : 0));
}

bool abut__body_write(abut_world* world, const abut__owned* body, abut__bytes* to) {
    return write_parts(world, body, whole_parts(body) | PART_OWNER, false, to);
}

// What a rank lacks of a body that it holds, if a query sees the step or only the state now.
static uint8_t missing_parts(const abut__owned* body, abut__holder* holder, bool step) {
    uint8_t parts = 0;
    if (holder->plan != body->plan) {  // plans travel with new bodies only
        holder->now = body->now;
        holder->step = body->step;
        holder->place = body->place;
        holder->plan = body->plan;
        return whole_parts(body);
    }
    const bool one_behind = holder->now + 1 == body->now;
    const bool lacks_now = holder->now != body->now;
    if (!step) {
        parts = lacks_now ? PART_NOW : 0;
    } else if (holder->step != body->step && body->ended) {
        parts = (uint8_t)((lacks_now ? PART_NOW : 0) | PART_END);
    } else if (holder->step != body->step) {
        parts = one_behind ? PART_NOW
                : body->state[0].count == 0
                    ? whole_parts(body)  // before the step it was as it was made
                    : PART_BEFORE | PART_NOW;
    }
    if ((parts & PART_NOW) != 0) {
        holder->step = one_behind && !body->ended ? body->step : 0;
    }
    holder->step = step ? body->step : holder->step;
    holder->now = body->now;
    // the end of a step also ends that of the frame, so a frame that moved since is sent again
    const bool lost = (parts & PART_END) != 0 && frames_differ(&body->before, &body->def.frame);
    if ((holder->place != body->place || lost) && (parts & PART_CREATE) == 0) {
        parts |= frame_parts(body);
    }
    holder->place = body->place;
    return parts;
}

static abut__holder* holder_of(abut__owned* body, int rank) {
    for (size_t i = 0; i < body->holders.count; ++i) {
        if (body->holders.data[i].rank == rank) {
            return &body->holders.data[i];
        }
    }
    return NULL;
}

// all parts for a rank that has nothing of the body yet
static uint8_t first_parts(const abut__owned* body, abut__holder* holder, bool step) {
    uint8_t parts = whole_parts(body);
    if (!step && (parts & PART_BEFORE) != 0 && abut__plans_after(body, 0)->count == 0) {
        parts &= (uint8_t)~PART_BEFORE;
        holder->step = 0;
    }
    return parts;
}

// Decides whether a rank gets only the marked vertices, if it lacks a state. If it has a part of one
// that lacks vertices, it is as if it had none; of the same state it then gets those that it had, too,
// because both needs may come again. Both states there have the marked vertices, or all.
static bool choose_part(abut_world* world, const abut__owned* body, abut__holder* holder,
                        bool boxed) {
    abut__marks* marks = &world->parts.marks;
    if (holder->marks.count > 0) {
        if (boxed && abut__marks_have(&holder->marks, marks)) {
            (void)abut__part_pays(world, body);  // it does, as what the rank has did
            return true;
        }
        if (boxed && holder->now == body->now) {
            abut__marks_join(marks, &holder->marks);
        }
        holder->now = body->now + 1;  // neither this state nor the one before
        holder->step = body->step + 1;
    }
    return boxed && abut__part_pays(world, body);
}

static void count_part(abut_world* world, const abut__owned* body, uint8_t parts) {
    const int states = ((parts & PART_BEFORE) != 0) + ((parts & PART_NOW) != 0);
    world->stats.parts_sent += 1;
    world->stats.vertices_spared += (uint64_t)states *
                                    (world->shapes.data[body->shape].vertices - world->parts.count);
}

// writes the parts, and notes which vertices the rank has then
static void write_body(abut_world* world, const abut__owned* body, abut__holder* holder,
                       uint8_t parts, bool partly) {
    bool room = true;
    partly = partly && (parts & (PART_BEFORE | PART_NOW)) != 0;
    world->stats.states_sent += 1;
    if (partly) {
        count_part(world, body, parts);
        room = abut__marks_copy(world, &world->parts.marks, &holder->marks);
    } else if ((parts & (PART_BEFORE | PART_NOW)) != 0) {
        holder->marks.count = 0;
    }
    if (!room || !write_parts(world, body, parts, partly, &world->mail.out[holder->rank])) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, body->id, "no memory for a state");
    }
}

static bool has_whole(const abut__owned* body, const abut__holder* holder, bool step) {
    return holder->marks.count == 0 && holder->now == body->now &&
           (!step || holder->step == body->step);
}

// Writes what a rank lacks of a body. `boxed`: only what is near world->parts.boxes.
static void send_body(abut_world* world, abut__owned* body, int to, bool step, bool boxed) {
    abut__holder* holder = holder_of(body, to);
    const bool new = holder == NULL;
    boxed = boxed && abut__part_may(world, body) && (new || !has_whole(body, holder, step));
    if (boxed && !abut__part_mark(world, body, step)) {
        return;
    }
    if (new) {
        holder = abut__append(&world->memory, &body->holders, 1);
        if (holder == NULL) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, body->id, "no memory for ghosts");
            return;
        }
        *holder = (abut__holder){.rank = to,
                                 .now = body->now,
                                 .step = body->step,
                                 .place = body->place,
                                 .plan = body->plan};
    }
    const bool partly = choose_part(world, body, holder, boxed);
    const uint8_t parts = new ? first_parts(body, holder, step) : missing_parts(body, holder, step);
    holder->used = world->query;
    if (parts != 0 && world->trouble.status == ABUT_OK) {
        write_body(world, body, holder, parts, partly);
    }
}

static int compare_needs(const void* a, const void* b) {
    const abut__need* x = a;
    const abut__need* y = b;
    return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->to > y->to) - (x->to < y->to);
}

// Lists the boxes of some needs, grown by what the body grows by; false: the body is needed whole.
static bool list_boxes(abut_world* world, const abut__need* needs, size_t count,
                       const abut__owned* body, const abut__reach* reach) {
    const double grow = abut__owned_grows(body, reach);
    world->parts.boxes.count = 0;
    for (size_t i = 0; i < count; ++i) {
        abut_box* box = needs[i].boxed ? abut__append(&world->memory, &world->parts.boxes, 1)
                                       : NULL;
        if (box == NULL) {
            return false;
        }
        for (int d = 0; d < 3; ++d) {
            box->lo[d] = (double)needs[i].box[d] - grow;
            box->hi[d] = (double)needs[i].box[3 + d] + grow;
        }
    }
    return true;
}

static void send_needs(abut_world* world, abut__needs_list* needs, const abut__reach* reach) {
    if (needs->count > 0) {
        qsort(needs->data, needs->count, sizeof *needs->data, compare_needs);
    }
    for (size_t i = 0, end; i < needs->count && world->trouble.status == ABUT_OK; i = end) {
        const abut__need* need = &needs->data[i];
        end = i + 1;
        while (end < needs->count && compare_needs(need, &needs->data[end]) == 0) {
            ++end;
        }
        const uint32_t place = abut__table_find(&world->owned_by_id, need->id);
        if (place == ABUT__ABSENT || need->to < 0 || need->to >= world->ranks ||
            need->to == world->rank) {
            abut__trouble(world, ABUT_ERR_INVALID_DATA, need->id,
                          "rank %d is asked for body %u, which it does not own", world->rank,
                          need->id);
        } else {
            abut__owned* body = &world->owned.data[place];
            const bool boxed = reach->parts && list_boxes(world, need, end - i, body, reach);
            send_body(world, body, need->to, reach->step, boxed);
        }
    }
}

// ---- receiving

static void read_state(abut__reading* in, const uint8_t** state, uint32_t* size) {
    abut__read_value(in, size);
    *state = abut__read_bytes(in, *size);
}

bool abut__body_read(abut__reading* in, abut__body_message* message) {
    memset(message, 0, sizeof *message);
    abut__read_value(in, &message->id);
    abut__read_value(in, &message->parts);
    if ((message->parts & PART_CREATE) != 0) {
        abut__read_value(in, &message->shape);
    }
    for (int k = 0; k < 2; ++k) {
        if ((message->parts & (k == 0 ? PART_BEFORE : PART_NOW)) != 0) {
            read_state(in, &message->state[k], &message->size[k]);
        }
    }
    if ((message->parts & PART_FRAMES) != 0) {
        abut__read_value(in, &message->frame[0]);
    }
    if ((message->parts & (PART_FRAME | PART_FRAMES)) != 0) {
        abut__read_value(in, &message->frame[1]);
    }
    if ((message->parts & PART_THICK) != 0) {
        abut__read_value(in, &message->thickness);
    }
    if ((message->parts & PART_OWNER) != 0) {
        abut__read_value(in, &message->groups);
        abut__read_value(in, &message->mask);
        abut__read_value(in, &message->is_static);
    }
    message->ended = (message->parts & PART_END) != 0;
    message->framed = (message->parts & (PART_FRAME | PART_FRAMES)) != 0;
    if ((message->parts & PART_FRAMES) == 0) {
        message->frame[0] = message->frame[1];
    }
    message->whole = (message->parts & (PART_CREATE | PART_OWNER)) == (PART_CREATE | PART_OWNER);
    return !in->bad;
}

void abut__bodies_list_missing(abut_world* world, abut__missing_list* missing) {
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        abut__body_message message;
        while (in.at != in.end && world->trouble.status == ABUT_OK) {
            if (!abut__body_read(&in, &message)) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                              "a message of rank %d about bodies is damaged", r);
                return;
            }
            if ((message.parts & PART_CREATE) == 0 ||
                abut__shape_find(world, message.shape) != ABUT__ABSENT) {
                continue;
            }
            bool listed = false;
            for (size_t i = 0; i < missing->count && !listed; ++i) {
                listed = memcmp(&missing->data[i].name, &message.shape, sizeof message.shape) == 0;
            }
            abut__missing* place = listed ? NULL : abut__append(&world->memory, missing, 1);
            if (place != NULL) {
                *place = (abut__missing){message.shape, r};
            } else if (!listed) {
                abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for shapes");
            }
        }
    }
}

static void drop_ghost(abut_world* world, uint32_t place) {
    abut__ghost* ghost = &world->ghosts.data[place];
    abut__table_remove(&world->body_by_local, ghost->local.index);
    abut__table_remove(&world->ghost_by_id, ghost->id);
    abut_body_destroy(world->scene, ghost->local, NULL);
    const uint32_t last = (uint32_t)--world->ghosts.count;
    if (place != last) {
        *ghost = world->ghosts.data[last];
        abut__table_set(&world->memory, &world->ghost_by_id, ghost->id, place);
    }
}

static abut_status make_ghost(abut_world* world, int from, const abut__body_message* message,
                              uint32_t* made, abut_error* error) {
    const abut_allocator* memory = &world->memory;
    const uint32_t before = abut__table_find(&world->ghost_by_id, message->id);
    if (before != ABUT__ABSENT) {
        drop_ghost(world, before);
    }
    const uint32_t shape = abut__shape_find(world, message->shape);
    if (shape == ABUT__ABSENT) {
        return abut__fail_world(error, ABUT_ERR_INVALID_DATA, message->id,
                                "the shape of body %u did not come", message->id);
    }
    abut__ghost ghost = {.id = message->id, .used = world->query, .owner = from, .shape = shape};
    abut_body_def def = abut_body_def_default();
    def.keeps_tree = true;
    const abut_status status = abut_body_create(world->scene, world->shapes.data[shape].shape, &def,
                                                &ghost.local, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_body_set_order(world->scene, ghost.local, ghost.id, NULL);
    abut_body_set_steady(world->scene, ghost.local, true, NULL);
    *made = (uint32_t)world->ghosts.count;
    abut__ghost* place = abut__append(memory, &world->ghosts, 1);
    if (place == NULL || !abut__table_set(memory, &world->ghost_by_id, ghost.id, *made) ||
        !abut__table_set(memory, &world->body_by_local, ghost.local.index, ghost.id)) {
        abut__table_remove(&world->ghost_by_id, ghost.id);
        world->ghosts.count = *made;
        abut_body_destroy(world->scene, ghost.local, NULL);
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, ghost.id, "no memory for a ghost");
    }
    *place = ghost;
    return ABUT_OK;
}

// sets all that a message has about an existing ghost
static abut_status set_ghost(abut_world* world, abut__ghost* ghost,
                             const abut__body_message* message, abut_error* error) {
    const abut_shape* shape = world->shapes.data[ghost->shape].shape;
    abut_status status = ABUT_OK;
    if (message->size[1] > 0) {
        ghost->part = abut__part_is(shape, message->state[1], message->size[1]);
    }
    for (int k = 0; k < 2 && status == ABUT_OK; ++k) {
        status = abut__state_apply(world, ghost->local, shape, message->state[k], message->size[k],
                                   error);
    }
    if (status == ABUT_OK && (message->parts & PART_END) != 0) {
        status = abut_body_end_step(world->scene, ghost->local, error);
    }
    if (status == ABUT_OK && (message->parts & PART_FRAMES) != 0) {
        status = abut_body_set_frame_step(world->scene, ghost->local, &message->frame[0],
                                          &message->frame[1], error);
    } else if (status == ABUT_OK && (message->parts & PART_FRAME) != 0) {
        status = abut_body_set_frame(world->scene, ghost->local, &message->frame[1], error);
    }
    if (status == ABUT_OK && (message->parts & PART_THICK) != 0) {
        status = abut_body_set_thickness(world->scene, ghost->local, message->thickness, error);
    }
    return status;
}

static void take_body(abut_world* world, int from, const abut__body_message* message) {
    abut_error error = {0};
    uint32_t place = abut__table_find(&world->ghost_by_id, message->id);
    abut_status status = ABUT_OK;
    if (abut__table_find(&world->owned_by_id, message->id) != ABUT__ABSENT) {
        status = abut__fail_world(&error, ABUT_ERR_INVALID_DATA, message->id,
                                  "rank %d sends body %u, which rank %d owns", from, message->id,
                                  world->rank);
    } else if ((message->parts & PART_CREATE) != 0) {
        status = make_ghost(world, from, message, &place, &error);
    } else if (place == ABUT__ABSENT || world->ghosts.data[place].owner != from) {
        status = abut__fail_world(&error, ABUT_ERR_INVALID_DATA, message->id,
                                  "rank %d sends a part of body %u, which is not here", from,
                                  message->id);
    }
    if (status == ABUT_OK) {
        status = set_ghost(world, &world->ghosts.data[place], message, &error);
    }
    if (status != ABUT_OK) {
        abut__trouble_from(world, &error, message->id);
    }
}

static void take_bodies(abut_world* world) {
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&world->mail.in[r]);
        abut__body_message message;
        while (in.at != in.end && world->trouble.status == ABUT_OK &&
               abut__body_read(&in, &message)) {
            take_body(world, r, &message);
        }
    }
}

// ---- forgetting

static void drop_holder(abut_world* world, abut__owned* body, size_t k) {
    abut__discard(&world->memory, &body->holders.data[k].marks);
    body->holders.data[k] = body->holders.data[--body->holders.count];
}

void abut__holders_forget(abut_world* world, abut__owned* body) {
    while (body->holders.count > 0) {
        drop_holder(world, body, body->holders.count - 1);
    }
}

static void forget_unused(abut_world* world) {
    const uint32_t keep = world->keep_steps;
    for (size_t i = 0; i < world->owned.count; ++i) {
        abut__owned* body = &world->owned.data[i];
        for (size_t k = body->holders.count; k-- > 0;) {
            if (world->query - body->holders.data[k].used > keep) {
                drop_holder(world, body, k);
            }
        }
    }
    for (size_t i = world->ghosts.count; i-- > 0;) {
        if (world->query - world->ghosts.data[i].used > keep) {
            drop_ghost(world, (uint32_t)i);
        }
    }
}

void abut__ghosts_forget(abut_world* world) {
    for (size_t i = 0; i < world->owned.count; ++i) {
        abut__holders_forget(world, &world->owned.data[i]);
    }
    for (size_t i = world->ghosts.count; i-- > 0;) {
        drop_ghost(world, (uint32_t)i);
    }
    abut__surfaces_forget(world);
}

abut_status abut__ghosts_bring(abut_world* world, abut__needs_list* needs, const abut__reach* reach,
                               abut_error* error) {
    abut__missing_list missing = {0};
    forget_unused(world);
    abut__mail_begin(world, &world->mail);
    send_needs(world, needs, reach);
    abut__mail_exchange(world, &world->mail);
    abut__bodies_list_missing(world, &missing);
    bool any = missing.count > 0;
    const abut_status status = abut__agree(world, &any, error);
    if (status == ABUT_OK && any) {
        abut__shapes_fetch(world, &missing);
    }
    abut__discard(&world->memory, &missing);
    if (status == ABUT_OK) {
        take_bodies(world);
    }
    return status;
}
