// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Loads shapes from bytes that may be damaged: see shape_save.h for the order.
#include <string.h>

#include "mesh/mesh_pack.h"
#include "shape/shape.h"
#include "shape/shape_save.h"
#include "tree/tree_pack.h"

static abut_status refuse(abut_error* error, const char* why) {
    return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0, "%s", why);
}

// Reads the head and leaves the reader after it.
static abut_status check_head(abut__unpacker* reader, const uint8_t* bytes, size_t count) {
    abut_error* error = reader->error;
    if (count < ABUT__SAVED_HEAD || memcmp(bytes, ABUT__SAVED_MAGIC, ABUT__SAVED_MAGIC_SIZE) != 0) {
        return refuse(error, "these bytes are not a saved shape");
    }
    reader->at += ABUT__SAVED_MAGIC_SIZE;
    reader->left -= ABUT__SAVED_MAGIC_SIZE;
    const uint32_t version = abut__read_u32(reader);
    (void)abut__read_u32(reader);
    const uint64_t size = abut__read_u64(reader);
    const uint64_t checksum = abut__read_u64(reader);
    if (version != ABUT__SAVED_VERSION) {
        return abut__fail(error, ABUT_ERR_VERSION, ABUT_ELEMENT_NONE, 0,
                          "the shape was saved with version %u of the format; this library reads "
                          "version %u: make the shape again",
                          version, ABUT__SAVED_VERSION);
    }
    if (size != count) {
        return refuse(error, size > count ? "the saved shape is not complete"
                                          : "more bytes follow the saved shape");
    }
    return checksum == abut__saved_checksum(bytes, count)
               ? ABUT_OK
               : refuse(error, "the saved shape is damaged: its checksum is wrong");
}

// Pairs of tags are sorted.
static void read_ignored(abut__unpacker* reader, abut_shape* shape) {
    const uint64_t count = abut__read_u64(reader);
    if (!abut__read_check(reader, count <= reader->left / sizeof *shape->ignored,
                          "it ends too early")) {
        return;
    }
    shape->ignored = abut__read_array(reader, (size_t)count, 1, sizeof *shape->ignored);
    shape->ignored_count = shape->ignored != NULL ? (size_t)count : 0;
    bool right = true;
    for (size_t i = 1; i < shape->ignored_count; ++i) {
        right &= shape->ignored[i - 1] <= shape->ignored[i];
    }
    (void)abut__read_check(reader, right, "its ignored tags are not sorted");
}

// Reads the tree and makes what follows from it.
static void read_tree(abut__unpacker* reader, abut_shape* shape) {
    const abut__shape_packing* packing = shape->motion->packing;
    if (!abut__tree_read(reader, shape->mesh, &shape->tree_def, &shape->tree)) {
        return;
    }
    abut__read_fail(reader, abut__shape_complete(shape, NULL, reader->error));
    abut__commit_end(&shape->has_tree);
    if (packing != NULL && abut__read_ok(reader)) {
        packing->read_made(shape, reader);
    }
}

static void read_parts(abut__unpacker* reader, abut_shape* shape) {
    const abut__shape_packing* packing = shape->motion->packing;
    read_ignored(reader, shape);
    shape->mesh = abut__read_ok(reader) ? abut__mesh_read(shape->context, reader) : NULL;
    if (packing != NULL && abut__read_ok(reader)) {
        packing->read(shape, reader);
    }
    if (abut__read_ok(reader)) {
        read_tree(reader, shape);
    }
    (void)abut__read_check(reader, reader->left == 0, "more follows than belongs to it");
}

// Reads the motion and the settings of the tree; NULL: the motion is unknown.
static const abut__motion* read_kind(abut__unpacker* reader, abut__tree_def* def) {
    const uint32_t id = abut__read_u32(reader);
    const abut__motion* motion = abut__motion_of((abut_motion)id);
    def->fan_out = abut__read_up_to(reader, ABUT__FAN, "its fan-out is wrong");
    def->block_triangles = abut__read_up_to(reader, ABUT__BLOCK_TRIANGLES,
                                            "its blocks are too large");
    const bool right = motion != NULL && def->fan_out >= 2 && def->block_triangles >= 1;
    (void)abut__read_check(reader, right, "its motion or a setting is unknown");
    def->lasting = motion != NULL && motion->keeps_nodes;
    return motion;
}

abut_status abut_shape_load(abut_context* context, const void* bytes, size_t count,
                            abut_shape** shape, abut_error* error) {
    if (context == NULL || bytes == NULL || shape == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context, bytes and the place for the shape must not be NULL");
    }
    abut__unpacker reader = {.context = context, .at = bytes, .left = count, .error = error};
    abut_status status = check_head(&reader, bytes, count);
    if (status != ABUT_OK) {
        return status;
    }
    abut__tree_def def = {0};
    const abut__motion* motion = read_kind(&reader, &def);
    if (!abut__read_ok(&reader)) {
        return reader.status;
    }
    abut_shape* made = abut__shape_start(context, NULL, motion, &def);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    read_parts(&reader, made);
    if (!abut__read_ok(&reader)) {
        abut_shape_destroy(made);
        return reader.status;
    }
    *shape = made;
    return ABUT_OK;
}
