// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Moving bodies to other owners. New owners build them before the old ones let go, so that a failure on
// any rank leaves all bodies where they were.
#include <math.h>

#include "mpi/world.h"

// the rank of the region of a body
static int new_owner(abut_world* world, const abut__owned* body) {
    const abut__reach reach = {0};
    const abut__regions* regions = &world->regions;
    float box[6];
    uint32_t cell[3] = {0, 0, 0};
    if (!abut__owned_box(world, body, &reach, box)) {
        return world->rank;
    }
    for (int k = 0; k < regions->axes; ++k) {
        cell[k] = abut__cell_of(regions, k, abut__box_centre(box, regions->axis[k]));
    }
    return abut__region_of(regions, abut__curve_code(regions->axes, cell));
}

static void send_bodies(abut_world* world) {
    abut__mail_begin(world, &world->mail);
    for (size_t i = 0; i < world->owned.count && world->trouble.status == ABUT_OK; ++i) {
        abut__owned* body = &world->owned.data[i];
        const int to = new_owner(world, body);
        body->leaves = to != world->rank;
        if (body->leaves && !abut__body_write(world, body, &world->mail.out[to])) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, body->id, "no memory to move a body");
        }
    }
}

// makes the record of a body that comes; false: no memory
static bool fill_record(abut_world* world, const abut__body_message* message, abut__owned* body) {
    *body = (abut__owned){.id = message->id, .now = 2, .step = 2, .place = 2, .comes = true};
    body->shape = abut__shape_find(world, message->shape);
    body->def = abut_body_def_default();
    body->def.groups = message->groups;
    body->def.mask = message->mask;
    body->def.is_static = message->is_static != 0;
    body->before = body->def.frame;
    if (message->framed) {
        body->before = message->frame[0];
        body->def.frame = message->frame[1];
    }
    body->ended = message->ended;
    body->thickness = message->thickness;
    body->plan = 2;
    return abut__write(&world->memory, &body->state[0], message->state[0], message->size[0]) &&
           abut__write(&world->memory, &body->state[1], message->state[1], message->size[1]) &&
           abut__plans_split(world, body);
}

static void take_body(abut_world* world, int from, const abut__body_message* message) {
    abut__owned body;
    abut_error error;
    const uint32_t known = abut__shape_find(world, message->shape);
    const abut_shape* shape = known != ABUT__ABSENT ? world->shapes.data[known].shape : NULL;
    if (!message->whole || shape == NULL ||
        abut__part_is(shape, message->state[0], message->size[0]) ||
        abut__part_is(shape, message->state[1], message->size[1]) ||
        abut__table_find(&world->owned_by_id, message->id) != ABUT__ABSENT) {
        abut__trouble(world, ABUT_ERR_INVALID_DATA, message->id,
                      "rank %d sends body %u in a wrong way", from, message->id);
        return;
    }
    abut_status status = fill_record(world, message, &body)
                             ? abut__owned_add(world, &body, &error)
                             : abut__fail_world(&error, ABUT_ERR_NO_MEMORY, message->id,
                                                "no memory for a body that comes");
    if (status != ABUT_OK) {
        abut__discard(&world->memory, &body.state[0]);
        abut__discard(&world->memory, &body.state[1]);
        abut__discard(&world->memory, &body.plans);
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

// lets bodies go that left, or that came in vain
static void settle(abut_world* world, bool moved) {
    for (size_t i = world->owned.count; i-- > 0;) {
        abut__owned* body = &world->owned.data[i];
        if (moved ? body->leaves : body->comes) {
            abut__owned_forget(world, (uint32_t)i);
        } else {
            body->leaves = body->comes = false;
            body->work = moved ? 0 : body->work;
        }
    }
}

abut_status abut_world_balance(abut_world* world, abut_error* error) {
    if (world == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT, "world is NULL");
    }
    world->trouble.status = ABUT_OK;
    world->exchanges = 0;
    abut_status status = abut__call_open(world, 9, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__missing_list missing = {0};
    abut__ghosts_forget(world);
    abut__regions_make(world);
    if (world->regions.made) {
        send_bodies(world);
    }
    abut__mail_exchange(world, &world->mail);
    abut__bodies_list_missing(world, &missing);
    bool any = missing.count > 0;
    status = abut__agree(world, &any, error);
    if (status == ABUT_OK && any) {
        abut__shapes_fetch(world, &missing);
    }
    if (status == ABUT_OK) {
        take_bodies(world);
        status = abut__agree(world, NULL, error);
    }
    settle(world, status == ABUT_OK);
    abut__discard(&world->memory, &missing);
    return status;
}
