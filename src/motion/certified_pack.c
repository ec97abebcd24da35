// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs the certificates of a shape into bytes, with the numbers that an edited shape has for them,
// and unpacks them from bytes that may be damaged.
#include "motion/certified.h"

// ---- writing

static void write_set(const abut_shape* shape, const abut__certificate_set* set,
                      abut__packer* writer) {
    shape->motion->packing->write_certificates(set->made, writer);
}

void abut__certified_write(const abut_shape* shape, abut__packer* writer) {
    const abut__certified* c = abut__once_peek(&shape->certificates);
    const abut__certificate_set* sample = abut__once_peek(&shape->sample);
    abut__write_u32(writer, shape->certify.on_request ? 1 : 0);
    abut__write_u32(writer, atomic_load_explicit(&((abut_shape*)shape)->certify.queries,
                                                 memory_order_relaxed));
    abut__write_u32(writer, c != NULL ? 1 : 0);
    if (c != NULL) {
        abut__write_u32(writer, c->mapped ? 1 : 0);
        if (c->mapped) {
            abut__write_numbers(writer, c->nodes, c->node_count, sizeof *c->nodes);
            abut__write_numbers(writer, c->blocks, c->block_count, sizeof *c->blocks);
        }
        write_set(shape, c->set, writer);
    }
    abut__write_u32(writer, sample != NULL ? 1 : 0);
    if (sample != NULL) {
        write_set(shape, sample, writer);
    }
}

// ---- reading

static bool read_flag(abut__unpacker* reader) {
    return abut__read_up_to(reader, 1, "a flag is neither 0 nor 1") != 0;
}

static abut__certificate_set* read_set(abut_shape* shape, abut__unpacker* reader) {
    const abut_context* context = shape->context;
    abut__certificate_set* set = abut__alloc_zero(context, 1, sizeof *set);
    if (set == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return NULL;
    }
    void* made = shape->motion->packing->read_certificates(shape, reader);
    if (made == NULL) {
        abut__free(context, set, 1, sizeof *set);
        return NULL;
    }
    *set = (abut__certificate_set){
        .context = context, .how = shape->motion->certifying, .made = made};
    atomic_init(&set->holders, 1);
    return set;
}

// Numbers are below `most`, or none.
static bool check_numbers(const uint32_t* numbers, uint32_t count, uint32_t most) {
    bool right = true;
    for (uint32_t i = 0; i < count; ++i) {
        right &= numbers[i] < most || numbers[i] == ABUT__NONE;
    }
    return right;
}

// Tells whether certificates are numbered as the nodes, blocks and links of the shape are.
static bool check_own(const abut_shape* shape, const abut__certificate_index* index,
                      const abut__links* links) {
    bool right = index->node_count == shape->tree.node_count &&
                 index->block_count == shape->tree.block_count && index->pair_count >= links->count;
    for (uint32_t i = 0; i < links->count && right; ++i) {
        const abut__certificate_range range = abut__certificate_of_pair(index, links->list[i].a,
                                                                        links->list[i].b);
        right = range.lanes != 0 && range.first + range.lane == i;
    }
    return right;
}

static void check_certified(const abut_shape* shape, abut__unpacker* reader,
                            const abut__certified* c) {
    const abut__certificate_index* index = c->set->made;
    if (c->mapped) {
        (void)abut__read_check(reader,
                               check_numbers(c->nodes, c->node_count, index->node_count) &&
                                   check_numbers(c->blocks, c->block_count, index->block_count),
                               "the number of a certificate is wrong");
        return;
    }
    const abut__links* links = abut__shape_links(shape);
    if (links == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return;
    }
    (void)abut__read_check(reader, check_own(shape, index, links),
                           "the certificates are those of another tree");
}

static void read_certified(abut_shape* shape, abut__unpacker* reader, abut__certified* made) {
    made->mapped = read_flag(reader);
    if (made->mapped) {
        made->node_count = shape->tree.node_count;
        made->block_count = shape->tree.block_count;
        made->nodes = abut__read_array(reader, made->node_count, 1, sizeof *made->nodes);
        made->blocks = abut__read_array(reader, made->block_count, 1, sizeof *made->blocks);
    }
    made->set = abut__read_ok(reader) ? read_set(shape, reader) : NULL;
    if (made->set != NULL) {
        check_certified(shape, reader, made);
    }
}

void abut__certified_read(abut_shape* shape, abut__unpacker* reader) {
    shape->certify.on_request = read_flag(reader);
    atomic_init(&shape->certify.queries, abut__read_u32(reader));
    if (read_flag(reader)) {
        abut__certified* made = abut__alloc_zero(shape->context, 1, sizeof *made);
        if (made == NULL) {
            abut__read_fail(reader, abut__fail_memory(reader->error));
            return;
        }
        made->context = shape->context;
        atomic_init(&shape->certificates, made);  // freed with the shape, whatever happens
        read_certified(shape, reader, made);
    }
    if (read_flag(reader)) {
        atomic_init(&shape->sample, read_set(shape, reader));
    }
}
