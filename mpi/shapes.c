// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shapes of a rank, known by a hash of their saved bytes, and how a rank fetches those that it lacks.
#include "mpi/world.h"

static bool same_name(abut_shape_name a, abut_shape_name b) {
    return a.word[0] == b.word[0] && a.word[1] == b.word[1];
}

uint32_t abut__shape_find(const abut_world* world, abut_shape_name name) {
    for (uint32_t i = 0; i < world->shapes.count; ++i) {
        if (same_name(world->shapes.data[i].name, name)) {
            return i;
        }
    }
    return ABUT__ABSENT;
}

const abut_shape* abut_world_shape(const abut_world* world, abut_shape_name name) {
    const uint32_t place = abut__shape_find(world, name);
    return place != ABUT__ABSENT ? world->shapes.data[place].shape : NULL;
}

static bool store(abut_world* world, abut_shape* shape, abut_shape_name name) {
    abut__known_shape* place = abut__append(&world->memory, &world->shapes, 1);
    if (place != NULL) {
        *place = (abut__known_shape){name, shape,
                                     (uint32_t)abut_mesh_vertex_count(abut_shape_mesh(shape))};
    }
    return place != NULL;
}

abut_status abut_world_add_shape(abut_world* world, abut_shape* shape, abut_shape_name* name,
                                 abut_error* error) {
    if (world == NULL || shape == NULL || name == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT,
                                "world, shape or name is NULL");
    }
    abut_shape_bytes* saved = NULL;
    const abut_status status = abut_shape_save(shape, NULL, &saved, error);
    if (status != ABUT_OK) {
        return status;
    }
    size_t count = 0;
    const void* data = abut_shape_bytes_data(saved, &count);
    const abut_shape_name made = {
        {abut__hash_bytes(data, count, 1), abut__hash_bytes(data, count, 0x5851F42D4C957F2Du)}};
    abut_shape_bytes_destroy(saved);
    if (abut__shape_find(world, made) != ABUT__ABSENT) {
        if (world->shapes.data[abut__shape_find(world, made)].shape != shape) {
            abut_shape_destroy(shape);
        }
    } else if (!store(world, shape, made)) {
        return abut__fail_world(error, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a shape");
    }
    *name = made;
    return ABUT_OK;
}

void abut__shapes_free(abut_world* world) {
    for (size_t i = 0; i < world->shapes.count; ++i) {
        abut_shape_destroy(world->shapes.data[i].shape);
    }
    abut__discard(&world->memory, &world->shapes);
}

// ---- fetching

// writes a shape for the rank that asked
static void send_shape(abut_world* world, int to, abut_shape_name name) {
    const uint32_t place = abut__shape_find(world, name);
    abut_shape_bytes* saved = NULL;
    abut_error error;
    if (place == ABUT__ABSENT) {
        abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                      "rank %d asks for a shape that is not here", to);
    } else if (abut_shape_save(world->shapes.data[place].shape, NULL, &saved, &error) != ABUT_OK) {
        abut__trouble_from(world, &error, ABUT__ABSENT);
    } else {
        size_t count = 0;
        const void* data = abut_shape_bytes_data(saved, &count);
        const uint64_t size = count;
        abut__mail_value(world, &world->shape_mail, to, name);
        abut__mail_value(world, &world->shape_mail, to, size);
        abut__mail_write(world, &world->shape_mail, to, data, count);
        abut_shape_bytes_destroy(saved);
    }
}

static void answer_requests(abut_world* world) {
    abut__mail* mail = &world->shape_mail;
    abut__mail_begin(world, mail);
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&mail->in[r]);
        while (in.at != in.end && !in.bad && world->trouble.status == ABUT_OK) {
            abut_shape_name name;
            abut__read_value(&in, &name);
            if (in.bad) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT,
                              "a request of rank %d is damaged", r);
            } else {
                send_shape(world, r, name);
            }
        }
    }
}

static void load_shape(abut_world* world, int from, abut__reading* in) {
    abut_shape_name name;
    uint64_t size = 0;
    abut__read_value(in, &name);
    abut__read_value(in, &size);
    const uint8_t* data = abut__read_bytes(in, size);
    abut_shape* shape = NULL;
    abut_error error;
    if (in->bad) {
        abut__trouble(world, ABUT_ERR_INVALID_DATA, ABUT__ABSENT, "a shape of rank %d is damaged",
                      from);
    } else if (abut__shape_find(world, name) == ABUT__ABSENT) {
        if (abut_shape_load(world->context, data, size, &shape, &error) != ABUT_OK) {
            abut__trouble_from(world, &error, ABUT__ABSENT);
        } else if (!store(world, shape, name)) {
            abut_shape_destroy(shape);
            abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for a shape");
        }
    }
}

void abut__shapes_fetch(abut_world* world, const abut__missing_list* missing) {
    abut__mail* mail = &world->shape_mail;
    abut__mail_begin(world, mail);
    for (size_t i = 0; i < missing->count; ++i) {
        abut__mail_value(world, mail, missing->data[i].from, missing->data[i].name);
    }
    abut__mail_exchange(world, mail);
    answer_requests(world);
    abut__mail_exchange(world, mail);
    for (int r = 0; r < world->ranks; ++r) {
        abut__reading in = abut__reading_of(&mail->in[r]);
        while (in.at != in.end && !in.bad && world->trouble.status == ABUT_OK) {
            load_shape(world, r, &in);
        }
    }
}
