// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs what the flight motion keeps in shapes: see abut__shape_packing in motion.h. Positions of
// keyframes are borrowed, but a shape that was loaded has its own. They need not be finite.
#include "mesh/mesh_pack.h"
#include "motion/flight.h"

// ---- writing

static void write_positions(abut_positions positions, abut__packer* writer) {
    const size_t size = abut__scalar_size(positions.type);
    const size_t stride = abut__positions_stride(positions);
    if (stride == 3 * size) {
        abut__write_numbers(writer, positions.data, 3 * positions.count, size);
        return;
    }
    for (size_t i = 0; i < positions.count; ++i) {
        abut__write_numbers(writer, (const char*)positions.data + i * stride, 3, size);
    }
}

static void write_flight(const abut_shape* shape, abut__packer* writer) {
    const abut__flight* flight = abut__flight_of(shape);
    const uint32_t count = flight->at_rest ? 0 : flight->key_count;
    abut__write_u32(writer, (uint32_t)flight->bound);
    abut__write_u32(writer, count);
    for (uint32_t k = 0; k < count; ++k) {
        abut__write_f64(writer, flight->keys[k].time);
        abut__write_u32(writer, (uint32_t)flight->keys[k].positions.type);
    }
    for (uint32_t k = 0; k < count; ++k) {
        write_positions(flight->keys[k].positions, writer);
    }
}

// Writes how often proofs were asked for, which decides where they are sought. A loaded shape makes
// them anew when it is asked.
static void write_surface_queries(const abut__flight* flight, abut__packer* writer) {
    for (size_t i = 0; i < 2 * (size_t)flight->key_count; ++i) {
        abut__write_u32(writer,
                        atomic_load_explicit(&flight->surface_queries[i], memory_order_relaxed));
    }
}

// Writes which keyframes have boxes, and how much work these took, which decides about bounds.
static void write_looks(const abut_shape* shape, abut__packer* writer) {
    const abut__flight* flight = abut__flight_of(shape);
    for (uint32_t k = 0; k < flight->key_count; ++k) {
        const abut__key_boxes* boxes = abut__linear_find(&flight->linear, k);
        abut__write_u32(writer, boxes != NULL ? 1 : 0);
        abut__write_u32(writer, boxes != NULL ? boxes->looks : 0);
    }
}

// ---- reading

static size_t size_of_key(const abut_keyframe* key) {
    const size_t size = key->positions.count * 3 * abut__scalar_size(key->positions.type);
    return (size + ABUT__ALIGNMENT - 1) / ABUT__ALIGNMENT * ABUT__ALIGNMENT;
}

// Reads times and types. Returns the bytes that the positions need in memory.
static size_t read_heads(abut__unpacker* reader, abut_keyframe* keys, uint32_t count,
                         uint32_t vertices) {
    size_t needed = 0;
    size_t packed = 0;
    for (uint32_t k = 0; k < count && abut__read_ok(reader); ++k) {
        keys[k].time = abut__read_f64(reader);
        keys[k].positions = (abut_positions){NULL, vertices, 0, abut__read_scalar(reader)};
        packed += vertices * 3 * abut__scalar_size(keys[k].positions.type);
        needed += size_of_key(&keys[k]);
        (void)abut__read_check(reader, packed <= reader->left, "it ends too early");
    }
    return needed;
}

static void read_store(abut__unpacker* reader, abut_keyframe* keys, uint32_t count,
                       abut__key_store* store) {
    char* at = store->positions;
    for (uint32_t k = 0; k < count; ++k) {
        const abut_positions* positions = &keys[k].positions;
        keys[k].positions.data = at;
        (void)abut__read_numbers(reader, at, 3 * positions->count,
                                 abut__scalar_size(positions->type));
        at += size_of_key(&keys[k]);
    }
}

// Reads the positions of keyframes into memory of their own. NULL: the reader has failed.
static abut__key_store* read_positions(abut__unpacker* reader, abut_keyframe* keys, uint32_t count,
                                       size_t size) {
    abut__key_store* store = abut__alloc_zero(reader->context, 1, sizeof *store);
    char* positions = abut__alloc(reader->context, size, 1);
    if (store == NULL || positions == NULL) {
        abut__free(reader->context, store, 1, sizeof *store);
        abut__free(reader->context, positions, size, 1);
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return NULL;
    }
    *store = (abut__key_store){.context = reader->context, .size = size, .positions = positions};
    atomic_init(&store->holders, 1);
    read_store(reader, keys, count, store);
    return store;
}

static void take_keys(abut_shape* shape, abut__unpacker* reader, const abut_flight_def* def) {
    abut_status status = abut__flight_check_keys(def, shape->mesh->vertex_count, reader->error);
    if (status == ABUT_OK) {
        status = abut__flight_take_keys(shape, def, reader->error);
    }
    abut__read_fail(reader, status);
}

static void read_flight(abut_shape* shape, abut__unpacker* reader) {
    const uint32_t vertices = shape->mesh->vertex_count;
    const abut_flight_bound bound = (abut_flight_bound)abut__read_up_to(
        reader, ABUT_FLIGHT_BOUND_LINEAR, "its bound is unknown");
    const uint32_t count = abut__read_u32(reader);
    abut_keyframe* keys = abut__read_room(reader, count, 12, sizeof *keys);
    abut__key_store* store = NULL;
    if (keys != NULL) {
        const size_t size = read_heads(reader, keys, count, vertices);
        store = abut__read_ok(reader) ? read_positions(reader, keys, count, size) : NULL;
    }
    if (abut__read_ok(reader)) {
        const abut_flight_def def = {.keyframes = keys, .keyframe_count = count, .bound = bound};
        take_keys(shape, reader, &def);
    }
    if (abut__flight_of(shape) != NULL) {
        abut__flight_of(shape)->store = store;
    } else {
        abut__key_store_release(store);
    }
    abut__free(reader->context, keys, count, sizeof *keys);
}

static void read_surface_queries(abut__flight* flight, abut__unpacker* reader) {
    for (size_t i = 0; i < 2 * (size_t)flight->key_count && abut__read_ok(reader); ++i) {
        const uint32_t queries = abut__read_up_to(reader, 2, "a number of queries is too large");
        atomic_store_explicit(&flight->surface_queries[i], (unsigned char)queries,
                              memory_order_relaxed);
    }
}

static void read_looks(abut_shape* shape, abut__unpacker* reader) {
    const uint32_t count = abut__flight_of(shape)->key_count;
    for (uint32_t k = 0; k < count && abut__read_ok(reader); ++k) {
        const bool made = abut__read_up_to(reader, 1, "a flag is neither 0 nor 1") != 0;
        const uint32_t looks = abut__read_u32(reader);
        if (!made || !abut__read_ok(reader)) {
            continue;
        }
        const abut__key_boxes* boxes = abut__flight_key_boxes(shape, k);
        if (boxes == NULL) {
            abut__read_fail(reader, abut__fail_memory(reader->error));
        } else {
            ((abut__key_boxes*)boxes)->looks = looks;  // no other thread has the shape yet
        }
    }
}

static void write_made(const abut_shape* shape, abut__packer* writer) {
    write_looks(shape, writer);
    write_surface_queries(abut__flight_of(shape), writer);
}

static void read_made(abut_shape* shape, abut__unpacker* reader) {
    read_looks(shape, reader);
    read_surface_queries(abut__flight_of(shape), reader);
}

const abut__shape_packing abut__flight_packing = {
    .write = write_flight,
    .read = read_flight,
    .write_made = write_made,
    .read_made = read_made,
};
