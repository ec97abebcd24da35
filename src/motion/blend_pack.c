// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs what the blend motion keeps in shapes: see abut__shape_packing in motion.h.
#include "bound/certificate_pack.h"
#include "mesh/mesh_pack.h"
#include "motion/blend.h"
#include "motion/certified.h"

static void write_blend(const abut_shape* shape, abut__packer* writer) {
    const abut__blend* blend = abut__blend_of(shape);
    abut__write_u32(writer, (uint32_t)blend->bound);
    abut__weights_write(blend->weights, writer);
    abut__fields_write(blend->fields, writer);
}

static void read_blend(abut_shape* shape, abut__unpacker* reader) {
    const uint32_t vertices = shape->mesh->vertex_count;
    abut__blend* blend = abut__alloc_zero(shape->context, 1, sizeof *blend);
    if (blend == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return;
    }
    shape->own = blend;
    blend->bound = (abut__blend_bound)abut__read_up_to(reader, ABUT__BLEND_BOUND_PLAIN,
                                                       "its bound is unknown");
    blend->weights = abut__weights_read(shape->context, vertices, reader);
    blend->fields = blend->weights != NULL ? abut__fields_read(shape->context, vertices, reader)
                                           : NULL;
    if (blend->fields != NULL) {
        abut__read_fail(reader, abut__blend_find_most(blend, shape->mesh, reader->error));
        shape->field_count = blend->fields->count;
        shape->node_count = blend->weights->node_count;
    }
}

static void write_certificates(const void* certificates, abut__packer* writer) {
    abut__blend_certificates_write(certificates, writer);
}

static void* read_certificates(const abut_shape* shape, abut__unpacker* reader) {
    return abut__blend_certificates_read(reader, shape->field_count, shape->node_count);
}

const abut__shape_packing abut__blend_packing = {
    .write = write_blend,
    .read = read_blend,
    .write_made = abut__certified_write,
    .read_made = abut__certified_read,
    .write_certificates = write_certificates,
    .read_certificates = read_certificates,
};
