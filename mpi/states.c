// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// States as bytes. They are what the caller gave, so that a body of another rank that gets them is the
// same, bit for bit:
//
//     free    the type of the numbers, then x, y, z of every vertex; in messages also a part (parts.c)
//     modal   the coordinates
//     blend   the type of the numbers, then three rows of four for every node, then the coordinates
//     flight  the time; in messages also the plans that were made after it, and then the time may be
//             NaN: that of the creation
//
// The type takes eight bytes, which keeps the numbers aligned.
#include <math.h>

#include "mpi/world.h"

#define TYPE_BYTES 8u

static size_t scalar_size(abut_scalar type) {
    return type == ABUT_SCALAR_F32 ? sizeof(float) : sizeof(double);
}

// ---- from bytes to a body

static abut_status refuse(abut_error* error) {
    return abut__fail_world(error, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                            "a message has a state of the wrong size");
}

// copies the bytes, because they may be aligned in any way
static const uint8_t* align(abut_world* world, const uint8_t* bytes, size_t count) {
    world->aligned.count = 0;
    return abut__write(&world->memory, &world->aligned, bytes, count) ? world->aligned.data : NULL;
}

static abut_status apply_free(abut_world* world, abut_body_id local, const abut_shape* shape,
                              const uint8_t* bytes, size_t count, abut_error* error) {
    const size_t vertices = abut_mesh_vertex_count(abut_shape_mesh(shape));
    const abut_scalar type = bytes[0] == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64;
    const uint8_t* positions = bytes + TYPE_BYTES;
    if (abut__part_is(shape, bytes, count)) {
        const abut_status status = abut__part_read(world, shape, bytes, count, &positions, error);
        if (status != ABUT_OK) {
            return status;
        }
    } else if (count != TYPE_BYTES + vertices * 3 * scalar_size(type)) {
        return refuse(error);
    }
    return abut_body_set_positions(world->scene, local,
                                   (abut_positions){positions, vertices, 0, type}, error);
}

static abut_status apply_blend(abut_world* world, abut_body_id local, const abut_shape* shape,
                               const uint8_t* bytes, size_t count, abut_error* error) {
    const size_t nodes = abut_shape_node_count(shape);
    const size_t fields = abut_shape_field_count(shape);
    const abut_scalar type = bytes[0] == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64;
    const size_t matrices = nodes * 12 * scalar_size(type);
    if (count != TYPE_BYTES + matrices + fields * sizeof(double)) {
        return refuse(error);
    }
    const abut_transforms transforms = {bytes + TYPE_BYTES, nodes, 0, type, ABUT_LAYOUT_ROWS_3X4};
    const double* coordinates = (const void*)(bytes + TYPE_BYTES + matrices);
    return abut_body_set_transforms(world->scene, local, transforms,
                                    fields > 0 ? coordinates : NULL, fields, error);
}

static abut_status apply_flight(abut_world* world, abut_body_id local, const abut_shape* shape,
                                const uint8_t* bytes, size_t count, abut_error* error) {
    const double time = *(const double*)(const void*)bytes;
    abut_status status = ABUT_OK;
    if (count < sizeof time) {
        return refuse(error);
    }
    if (count == sizeof time || !isnan(time)) {
        status = abut_body_set_time(world->scene, local, time, error);
    }
    return status == ABUT_OK ? abut__plans_apply(world, local, shape, bytes + sizeof time,
                                                 count - sizeof time, error)
                             : status;
}

// A state without bytes was never set, so that a rigid body, which has no coordinates, has one number.
static size_t numbers_of(size_t fields) {
    return fields > 0 ? fields : 1;
}

abut_status abut__state_apply(abut_world* world, abut_body_id local, const abut_shape* shape,
                              const uint8_t* bytes, size_t count, abut_error* error) {
    if (count == 0) {
        return ABUT_OK;
    }
    const uint8_t* at = align(world, bytes, count);
    if (at == NULL) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a state");
    }
    const abut_motion motion = abut_shape_motion(shape);
    if (motion == ABUT_MOTION_MODAL) {
        const size_t fields = abut_shape_field_count(shape);
        return count != numbers_of(fields) * sizeof(double)
                   ? refuse(error)
                   : abut_body_set_coordinates(world->scene, local, (const void*)at, fields, error);
    }
    if (motion == ABUT_MOTION_FLIGHT) {
        return apply_flight(world, local, shape, at, count, error);
    }
    return count <= TYPE_BYTES           ? refuse(error)
           : motion == ABUT_MOTION_BLEND ? apply_blend(world, local, shape, at, count, error)
                                         : apply_free(world, local, shape, at, count, error);
}

abut_status abut__body_build(abut_world* world, const abut__owned* body, abut_body_id* local,
                             abut_error* error) {
    const abut_shape* shape = world->shapes.data[body->shape].shape;
    abut_body_def def = body->def;
    def.keeps_tree = true;
    abut_status status = abut_body_create(world->scene, shape, &def, local, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut_body_set_order(world->scene, *local, body->id, NULL);
    abut_body_set_steady(world->scene, *local, true, NULL);
    for (int k = 0; k < 2 && status == ABUT_OK; ++k) {
        const abut__bytes* plans = abut__plans_after(body, k);
        status = abut__state_apply(world, *local, shape, body->state[k].data, body->state[k].count,
                                   error);
        status = status == ABUT_OK
                     ? abut__plans_apply(world, *local, shape, plans->data, plans->count, error)
                     : status;
    }
    if (status == ABUT_OK && body->ended) {
        status = abut_body_end_step(world->scene, *local, error);
    }
    if (status == ABUT_OK && memcmp(&body->before, &body->def.frame, sizeof body->before) != 0) {
        status = abut_body_set_frame_step(world->scene, *local, &body->before, &body->def.frame,
                                          error);
    }
    if (status == ABUT_OK && body->thickness > 0) {
        status = abut_body_set_thickness(world->scene, *local, body->thickness, error);
    }
    if (status != ABUT_OK) {
        abut_body_destroy(world->scene, *local, NULL);
    }
    return status;
}

// ---- from the caller to a body

// Finds a body of the given motion, and empties the bytes of the new state.
static abut_status open_state(abut_world* world, uint32_t id, abut_motion motion, uint32_t* place,
                              abut_error* error) {
    const abut_status status = abut__own(world, id, place, error);
    if (status != ABUT_OK) {
        return status;
    }
    const abut__owned* body = &world->owned.data[*place];
    world->fresh.count = 0;
    return abut_shape_motion(world->shapes.data[body->shape].shape) == motion
               ? ABUT_OK
               : abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                  "body %u has another motion", id);
}

// The scene's body may have lost its previous state: it is built anew.
static void restore(abut_world* world, abut__owned* body) {
    abut_body_id built;
    if (abut__body_build(world, body, &built, NULL) == ABUT_OK) {
        if (abut__table_set(&world->memory, &world->body_by_local, built.index, body->id)) {
            abut__table_remove(&world->body_by_local, body->local.index);
            abut_body_destroy(world->scene, body->local, NULL);
            body->local = built;
        } else {
            abut_body_destroy(world->scene, built, NULL);
        }
    }
}

// Sets the state in world->fresh.
static abut_status set_state(abut_world* world, uint32_t place, bool room, abut_error* error) {
    abut__owned* body = &world->owned.data[place];
    if (!room) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, body->id, "no memory for a state");
    }
    const abut_status status = abut__state_apply(world, body->local,
                                                 world->shapes.data[body->shape].shape,
                                                 world->fresh.data, world->fresh.count, error);
    if (status != ABUT_OK) {
        if (error != NULL) {
            error->body = (abut_body_id){body->id, 1};
        }
        restore(world, body);
        return status;
    }
    const abut__bytes oldest = body->state[0];
    body->state[0] = body->state[1];
    body->state[1] = world->fresh;
    world->fresh = oldest;
    body->ended = body->plans_now = false;
    ++body->now;
    ++body->step;
    return ABUT_OK;
}

static bool write_type(abut_world* world, abut_scalar type) {
    const uint8_t bytes[TYPE_BYTES] = {type == ABUT_SCALAR_F32 ? 0 : 1};
    return abut__write(&world->memory, &world->fresh, bytes, sizeof bytes);
}

abut_status abut_world_set_positions(abut_world* world, uint32_t id, abut_positions positions,
                                     abut_error* error) {
    uint32_t place;
    const abut_status status = open_state(world, id, ABUT_MOTION_FREE, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    const abut_shape* shape = world->shapes.data[world->owned.data[place].shape].shape;
    if (positions.data == NULL ||
        positions.count != abut_mesh_vertex_count(abut_shape_mesh(shape))) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                "body %u needs a position for each of its vertices", id);
    }
    const size_t size = 3 * scalar_size(positions.type);
    const size_t stride = positions.stride > 0 ? positions.stride : size;
    bool room = write_type(world, positions.type);
    uint8_t* to = room ? abut__append(&world->memory, &world->fresh, positions.count * size) : NULL;
    for (size_t i = 0; i < positions.count && to != NULL; ++i) {
        memcpy(to + i * size, (const uint8_t*)positions.data + i * stride, size);
    }
    return set_state(world, place, to != NULL, error);
}

abut_status abut_world_set_coordinates(abut_world* world, uint32_t id, const double* coordinates,
                                       size_t count, abut_error* error) {
    uint32_t place;
    const abut_status status = open_state(world, id, ABUT_MOTION_MODAL, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    const abut_shape* shape = world->shapes.data[world->owned.data[place].shape].shape;
    if (count != abut_shape_field_count(shape) || (count > 0 && coordinates == NULL)) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                "body %u needs a coordinate for each of its fields", id);
    }
    const double none = 0;
    return set_state(world, place,
                     abut__write(&world->memory, &world->fresh, count > 0 ? coordinates : &none,
                                 numbers_of(count) * sizeof none),
                     error);
}

// writes the first three rows of a transform
static void write_rows(uint8_t* to, const uint8_t* from, abut_layout layout, size_t size) {
    for (size_t row = 0; row < 3; ++row) {
        for (size_t column = 0; column < 4; ++column) {
            const size_t at = layout == ABUT_LAYOUT_ROWS_3X4 ? row * 4 + column : column * 4 + row;
            memcpy(to + (row * 4 + column) * size, from + at * size, size);
        }
    }
}

abut_status abut_world_set_transforms(abut_world* world, uint32_t id, abut_transforms transforms,
                                      const double* coordinates, size_t coordinate_count,
                                      abut_error* error) {
    uint32_t place;
    const abut_status status = open_state(world, id, ABUT_MOTION_BLEND, &place, error);
    if (status != ABUT_OK) {
        return status;
    }
    const abut_shape* shape = world->shapes.data[world->owned.data[place].shape].shape;
    if (transforms.data == NULL || transforms.count != abut_shape_node_count(shape) ||
        coordinate_count != abut_shape_field_count(shape) ||
        (coordinate_count > 0 && coordinates == NULL)) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                "body %u needs a transform for each of its nodes and a coordinate "
                                "for each of its fields",
                                id);
    }
    const size_t size = scalar_size(transforms.type);
    const size_t whole = (transforms.layout == ABUT_LAYOUT_ROWS_3X4 ? 12 : 16) * size;
    const size_t stride = transforms.stride > 0 ? transforms.stride : whole;
    bool room = write_type(world, transforms.type);
    uint8_t* to = room ? abut__append(&world->memory, &world->fresh, transforms.count * 12 * size)
                       : NULL;
    for (size_t i = 0; i < transforms.count && to != NULL; ++i) {
        write_rows(to + i * 12 * size, (const uint8_t*)transforms.data + i * stride,
                   transforms.layout, size);
    }
    room = to != NULL && abut__write(&world->memory, &world->fresh, coordinates,
                                     coordinate_count * sizeof *coordinates);
    return set_state(world, place, room, error);
}

abut_status abut_world_set_time(abut_world* world, uint32_t id, double time, abut_error* error) {
    uint32_t place;
    const abut_status status = open_state(world, id, ABUT_MOTION_FLIGHT, &place, error);
    return status != ABUT_OK
               ? status
               : set_state(world, place, abut__write_value(&world->memory, &world->fresh, time),
                           error);
}
