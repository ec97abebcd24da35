// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies that a rank owns: adding and removing them, and what is set besides their states.
#include <stdlib.h>

#include "mpi/world.h"

abut_status abut__own(abut_world* world, uint32_t id, uint32_t* place, abut_error* error) {
    if (world == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT, "world is NULL");
    }
    *place = abut__table_find(&world->owned_by_id, id);
    return *place != ABUT__ABSENT
               ? ABUT_OK
               : abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                  "rank %d does not own body %u", world->rank, id);
}

uint32_t abut__id_of_local(const abut_world* world, uint32_t local) {
    return abut__table_find(&world->body_by_local, local);
}

// names the body of the world in an error of the scene
static abut_status rename_body(abut_status status, uint32_t id, abut_error* error) {
    if (status != ABUT_OK && error != NULL) {
        error->body = (abut_body_id){id, 1};
    }
    return status;
}

// ---- adding and removing

abut_status abut__owned_add(abut_world* world, const abut__owned* body, abut_error* error) {
    const abut_allocator* memory = &world->memory;
    const uint32_t place = (uint32_t)world->owned.count;
    if (abut__append(memory, &world->owned, 1) == NULL) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, body->id, "no memory for a body");
    }
    --world->owned.count;  // there is room
    abut__owned made = *body;
    const abut_status status = abut__body_build(world, body, &made.local, error);
    if (status != ABUT_OK) {
        return rename_body(status, body->id, error);
    }
    if (!abut__table_set(memory, &world->owned_by_id, body->id, place)) {
        abut_body_destroy(world->scene, made.local, NULL);
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, body->id, "no memory for a body");
    }
    if (!abut__table_set(memory, &world->body_by_local, made.local.index, body->id)) {
        abut__table_remove(&world->owned_by_id, body->id);
        abut_body_destroy(world->scene, made.local, NULL);
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, body->id, "no memory for a body");
    }
    world->owned.data[world->owned.count++] = made;
    world->own_ids.count = 0;
    return ABUT_OK;
}

void abut__owned_forget(abut_world* world, uint32_t place) {
    const abut_allocator* memory = &world->memory;
    abut__owned* body = &world->owned.data[place];
    abut__table_remove(&world->body_by_local, body->local.index);
    abut__table_remove(&world->owned_by_id, body->id);
    abut_body_destroy(world->scene, body->local, NULL);
    abut__discard(memory, &body->state[0]);
    abut__discard(memory, &body->state[1]);
    abut__discard(memory, &body->plans);
    abut__holders_forget(world, body);
    abut__discard(memory, &body->holders);
    const uint32_t last = (uint32_t)--world->owned.count;
    if (place != last) {
        *body = world->owned.data[last];
        abut__table_set(memory, &world->owned_by_id, body->id,
                        place);  // it is there: needs no room
    }
    world->own_ids.count = 0;
}

abut_status abut_world_add_body(abut_world* world, uint32_t id, abut_shape_name shape,
                                const abut_body_def* def, abut_error* error) {
    if (world == NULL || id == ABUT__ABSENT) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                                world == NULL ? "world is NULL" : "UINT32_MAX is not an id");
    }
    const uint32_t known = abut__shape_find(world, shape);
    if (known == ABUT__ABSENT || abut__table_find(&world->owned_by_id, id) != ABUT__ABSENT) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                known == ABUT__ABSENT ? "rank %d does not have the shape of body %u"
                                                      : "rank %d has a body %u already",
                                world->rank, id);
    }
    abut__owned body = {.id = id, .shape = known, .now = 1, .step = 1, .place = 1};
    body.def = def != NULL ? *def : abut_body_def_default();
    body.before = body.def.frame;
    const abut_status status = abut__owned_add(world, &body, error);
    world->added = world->added || status == ABUT_OK;
    return status;
}

abut_status abut_world_remove_body(abut_world* world, uint32_t id, abut_error* error) {
    uint32_t place;
    const abut_status status = abut__own(world, id, &place, error);
    if (status == ABUT_OK) {
        abut__owned_forget(world, place);
        world->added = true;  // other ranks forget their ghosts of it
    }
    return status;
}

static int compare_ids(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a;
    const uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

const uint32_t* abut_world_bodies(abut_world* world, size_t* count) {
    const size_t owned = world->owned.count;
    if (world->own_ids.count != owned) {
        world->own_ids.count = 0;
        uint32_t* ids = abut__append(&world->memory, &world->own_ids, owned);
        for (size_t i = 0; i < owned && ids != NULL; ++i) {
            ids[i] = world->owned.data[i].id;
        }
        if (ids != NULL) {
            qsort(ids, owned, sizeof *ids, compare_ids);
        }
    }
    if (count != NULL) {
        *count = world->own_ids.count;
    }
    return world->own_ids.count > 0 ? world->own_ids.data : NULL;
}

// ---- frames, groups and thickness

abut_status abut_world_set_frame(abut_world* world, uint32_t id, const abut_frame* frame,
                                 abut_error* error) {
    uint32_t place;
    abut_status status = abut__own(world, id, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__owned* body = &world->owned.data[place];
    status = abut_body_set_frame(world->scene, body->local, frame, error);
    if (status == ABUT_OK) {
        body->def.frame = body->before = *frame;
        ++body->place;
    }
    return rename_body(status, id, error);
}

abut_status abut_world_set_frame_step(abut_world* world, uint32_t id, const abut_frame* from,
                                      const abut_frame* to, abut_error* error) {
    uint32_t place;
    abut_status status = abut__own(world, id, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__owned* body = &world->owned.data[place];
    status = abut_body_set_frame_step(world->scene, body->local, from, to, error);
    if (status == ABUT_OK) {
        body->before = *from;
        body->def.frame = *to;
        ++body->place;
    }
    return rename_body(status, id, error);
}

abut_status abut_world_end_step(abut_world* world, uint32_t id, abut_error* error) {
    uint32_t place;
    abut_status status = abut__own(world, id, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__owned* body = &world->owned.data[place];
    status = abut_body_end_step(world->scene, body->local, error);
    if (status == ABUT_OK) {
        body->ended = true;
        ++body->step;
        if (memcmp(&body->before, &body->def.frame, sizeof body->before) != 0) {
            body->before = body->def.frame;
            ++body->place;
        }
    }
    return rename_body(status, id, error);
}

abut_status abut_world_set_groups(abut_world* world, uint32_t id, uint64_t groups, uint64_t mask,
                                  abut_error* error) {
    uint32_t place;
    abut_status status = abut__own(world, id, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__owned* body = &world->owned.data[place];
    status = abut_body_set_groups(world->scene, body->local, groups, mask, error);
    if (status == ABUT_OK) {
        body->def.groups = groups;
        body->def.mask = mask;
    }
    return rename_body(status, id, error);
}

abut_status abut_world_set_thickness(abut_world* world, uint32_t id, double thickness,
                                     abut_error* error) {
    uint32_t place;
    abut_status status = abut__own(world, id, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__owned* body = &world->owned.data[place];
    status = abut_body_set_thickness(world->scene, body->local, thickness, error);
    if (status == ABUT_OK) {
        body->thickness = thickness;
        ++body->place;
    }
    return rename_body(status, id, error);
}
