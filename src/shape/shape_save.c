// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Saves shapes as bytes: see shape_save.h for the order.
#include "shape/shape_save.h"

#include <string.h>

#include "mesh/mesh_pack.h"
#include "motion/certified.h"
#include "shape/shape.h"
#include "tree/tree_pack.h"

struct abut_shape_bytes {
    abut__packer writer;
};

abut_shape_save_def abut_shape_save_def_default(void) {
    abut_shape_save_def def;
    memset(&def, 0, sizeof def);
    def.cookie = ABUT__COOKIE + ABUT__KIND_SAVE;
    return def;
}

uint64_t abut__saved_checksum(const uint8_t* bytes, size_t count) {
    const uint64_t seed = abut__checksum(bytes, ABUT__SAVED_CHECKSUM_AT, 0);
    return abut__checksum(bytes + ABUT__SAVED_HEAD, count - ABUT__SAVED_HEAD, seed);
}

static void write_head(abut__packer* writer) {
    abut__write_numbers(writer, ABUT__SAVED_MAGIC, ABUT__SAVED_MAGIC_SIZE, 1);
    abut__write_u32(writer, ABUT__SAVED_VERSION);
    abut__write_u32(writer, 0);
    abut__write_u64(writer, 0);  // the size and the checksum follow at the end
    abut__write_u64(writer, 0);
}

// Writes a number at a place that has been written before.
static void put_u64(abut__packer* writer, size_t at, uint64_t value) {
    const size_t count = writer->bytes.count;
    writer->bytes.count = at;
    abut__write_u64(writer, value);
    writer->bytes.count = count;
}

static void write_shape(const abut_shape* shape, abut__packer* writer) {
    const abut__shape_packing* packing = shape->motion->packing;
    write_head(writer);
    abut__write_u32(writer, (uint32_t)shape->motion->id);
    abut__write_u32(writer, shape->tree_def.fan_out);
    abut__write_u32(writer, shape->tree_def.block_triangles);
    abut__write_u64(writer, shape->ignored_count);
    abut__write_numbers(writer, shape->ignored, shape->ignored_count, sizeof *shape->ignored);
    abut__mesh_write(shape->mesh, writer);
    if (packing != NULL) {
        packing->write(shape, writer);
    }
    abut__tree_write(&shape->tree, writer);
    if (packing != NULL) {
        packing->write_made(shape, writer);
    }
    if (!writer->no_memory) {
        put_u64(writer, ABUT__SAVED_SIZE_AT, writer->bytes.count);
        put_u64(writer, ABUT__SAVED_CHECKSUM_AT,
                abut__saved_checksum(writer->bytes.data, writer->bytes.count));
    }
}

static abut_status check_save(const abut_shape* shape, const abut_shape_save_def* def,
                              abut_shape_bytes** bytes, abut_error* error) {
    if (shape == NULL || bytes == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "shape and the place for its bytes must not be NULL");
    }
    const abut_status status = abut__check_kind(def->cookie, ABUT__KIND_SAVE, "shape save", error);
    if (status != ABUT_OK) {
        return status;
    }
    const abut__motion* motion = shape->motion;
    if (abut__motion_of(motion->id) != motion ||
        (motion->shapes != NULL && motion->packing == NULL)) {
        return abut__fail(error, ABUT_ERR_STATE, ABUT_ELEMENT_NONE, 0,
                          "a shape of motion %s cannot be saved", motion->name);
    }
    return ABUT_OK;
}

abut_status abut_shape_save(const abut_shape* shape, const abut_shape_save_def* def,
                            abut_shape_bytes** bytes, abut_error* error) {
    const abut_shape_save_def defaults = abut_shape_save_def_default();
    def = def != NULL ? def : &defaults;
    const abut_status status = check_save(shape, def, bytes, error);
    if (status != ABUT_OK) {
        return status;
    }
    if (!abut__shape_ready(shape) || (def->self_queries && !abut__certified_prepare(shape))) {
        return abut__fail_memory(error);
    }
    abut_shape_bytes* made = abut__alloc_zero(shape->context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->writer.context = shape->context;
    write_shape(shape, &made->writer);
    if (made->writer.no_memory) {
        abut_shape_bytes_destroy(made);
        return abut__fail_memory(error);
    }
    *bytes = made;
    return ABUT_OK;
}

const void* abut_shape_bytes_data(const abut_shape_bytes* bytes, size_t* count) {
    if (count != NULL) {
        *count = bytes != NULL ? bytes->writer.bytes.count : 0;
    }
    return bytes != NULL ? bytes->writer.bytes.data : NULL;
}

void abut_shape_bytes_destroy(abut_shape_bytes* bytes) {
    if (bytes != NULL) {
        const abut_context* context = bytes->writer.context;
        abut__drop(context, &bytes->writer.bytes);
        abut__free(context, bytes, 1, sizeof *bytes);
    }
}
