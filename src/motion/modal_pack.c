// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs what the modal motion keeps in shapes: see abut__shape_packing in motion.h.
#include "bound/certificate_pack.h"
#include "mesh/mesh_pack.h"
#include "motion/certified.h"
#include "motion/modal.h"

static void write_modal(const abut_shape* shape, abut__packer* writer) {
    const abut__modal* modal = abut__modal_of(shape);
    abut__write_u32(writer, (uint32_t)modal->bound);
    abut__write_u32(writer, modal->proxy_level);
    abut__fields_write(modal->fields, writer);
}

static void read_modal(abut_shape* shape, abut__unpacker* reader) {
    abut__modal* modal = abut__alloc_zero(shape->context, 1, sizeof *modal);
    if (modal == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return;
    }
    shape->own = modal;
    modal->bound = (abut_modal_bound)abut__read_up_to(reader, ABUT_MODAL_BOUND_BOTH,
                                                      "its bound is unknown");
    modal->proxy_level = abut__read_up_to(reader, ABUT__PROXY_LEVEL_MOST,
                                          "its proxy level is too high");
    modal->fields = abut__fields_read(shape->context, shape->mesh->vertex_count, reader);
    if (modal->fields != NULL) {
        abut__modal_find_most(modal, shape->mesh);
        shape->field_count = modal->fields->count;
    }
}

static void write_certificates(const void* certificates, abut__packer* writer) {
    abut__certificates_write(certificates, writer);
}

static void* read_certificates(const abut_shape* shape, abut__unpacker* reader) {
    return abut__certificates_read(reader, shape->field_count);
}

const abut__shape_packing abut__modal_packing = {
    .write = write_modal,
    .read = read_modal,
    .write_made = abut__certified_write,
    .read_made = abut__certified_read,
    .write_certificates = write_certificates,
    .read_certificates = read_certificates,
};
