// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs certificates of the blend motion into bytes, and unpacks them from bytes that may be damaged.
// Groups follow from the certificates and are made again.
#include "bound/certificate_pack.h"

#define KINDS 3
#define WEIGHT_FLOATS 14  // of a row of weights, which come first
#define MOVE_FLOATS 12    // of a row of a field, likewise
#define ROW_BYTES 52      // of a packed row, at least

// ---- writing

static void write_rows(const abut__blend_certificate* own, const abut__blend_row* row,
                       abut__packer* writer) {
    for (uint32_t k = 0; k < own->node_count; ++k, ++row) {
        abut__write_numbers(writer, &row->weight, WEIGHT_FLOATS, sizeof(float));
        abut__write_numbers(writer, &row->weight.node, 1, sizeof row->weight.node);
        abut__write_numbers(writer, row->weight.origin, 3, sizeof row->weight.origin[0]);
    }
    for (uint32_t k = 0; k < own->field_count; ++k, ++row) {
        abut__write_numbers(writer, &row->move, MOVE_FLOATS, sizeof(float));
        abut__write_u32(writer, row->move.field);
    }
}

static void write_kind(const abut__blend_certificates* c, const abut__blend_certificate* all,
                       uint32_t count, abut__packer* writer) {
    for (uint32_t i = 0; i < count; ++i) {
        const uint16_t numbers[4] = {all[i].reference, all[i].node_count, all[i].field_count,
                                     all[i].wide};
        abut__write_numbers(writer, &all[i].gap, 1, sizeof all[i].gap);
        abut__write_numbers(writer, numbers, 4, sizeof numbers[0]);
        write_rows(&all[i], ABUT__AT(c->rows, all[i].first), writer);
    }
}

void abut__blend_certificates_write(const abut__blend_certificates* c, abut__packer* writer) {
    abut__certificate_index_write(&c->index, writer);
    abut__write_u32(writer, c->weight_nodes);
    abut__write_u32(writer, c->root);
    abut__write_numbers(writer, c->frame.parent, c->weight_nodes, sizeof *c->frame.parent);
    abut__write_numbers(writer, c->frame.middle, 3, sizeof c->frame.middle[0]);
    abut__write_f64(writer, c->frame.step);
    abut__write_numbers(writer, c->frame.steepest, 2, sizeof c->frame.steepest[0]);
    abut__write_u64(writer, c->row_count);
    write_kind(c, c->nodes, c->index.node_count, writer);
    write_kind(c, c->blocks, c->index.block_count, writer);
    write_kind(c, c->pairs, c->index.pair_count, writer);
}

// ---- reading

typedef struct unpacking {
    abut__unpacker* reader;
    uint32_t field_count;
    abut__blend_certificates* made;
} unpacking;

// Tells whether all nodes are below the root: `depth` has room for one number per node. A walk up
// ends at a node whose depth is known, and a second walk numbers what the first has passed.
static bool check_parents(const uint16_t* parent, uint32_t count, uint32_t root, uint32_t* depth) {
    for (uint32_t n = 0; n < count; ++n) {
        depth[n] = n == root ? 1 : 0;
        if (parent[n] >= count) {
            return false;
        }
    }
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t steps = 0;
        uint32_t at = n;
        for (; depth[at] == 0; at = parent[at]) {
            if (++steps > count) {
                return false;
            }
        }
        uint32_t now = depth[at] + steps;
        for (at = n; depth[at] == 0; at = parent[at]) {
            depth[at] = now--;
        }
    }
    return parent[root] == root;
}

static void read_frame(unpacking* u) {
    abut__unpacker* reader = u->reader;
    abut__blend_certificates* made = u->made;
    abut__weight_frame* frame = &made->frame;
    frame->parent = abut__read_array(reader, made->weight_nodes, 1, sizeof *frame->parent);
    (void)abut__read_numbers(reader, frame->middle, 3, sizeof frame->middle[0]);
    frame->step = abut__read_f64(reader);
    (void)abut__read_numbers(reader, frame->steepest, 2, sizeof frame->steepest[0]);
    uint32_t* depth = abut__alloc(reader->context, made->weight_nodes, sizeof *depth);
    if (depth == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
    } else if (abut__read_ok(reader)) {
        (void)abut__read_check(reader,
                               check_parents(frame->parent, made->weight_nodes, made->root, depth),
                               "the tree of nodes is wrong");
    }
    abut__free(reader->context, depth, made->weight_nodes, sizeof *depth);
}

static void read_weight_row(unpacking* u, abut__weight_row* row) {
    (void)abut__read_numbers(u->reader, row, WEIGHT_FLOATS, sizeof(float));
    (void)abut__read_numbers(u->reader, &row->node, 1, sizeof row->node);
    (void)abut__read_numbers(u->reader, row->origin, 3, sizeof row->origin[0]);
    (void)abut__read_check(u->reader, row->node < u->made->weight_nodes,
                           "a certificate has an unknown node");
}

static void read_move_row(unpacking* u, abut__move_row* row) {
    (void)abut__read_numbers(u->reader, row, MOVE_FLOATS, sizeof(float));
    row->field = abut__read_u32(u->reader);
    (void)abut__read_check(u->reader, row->field < u->field_count,
                           "a certificate has an unknown field");
}

static void read_certificate(unpacking* u, abut__blend_certificate* out) {
    abut__blend_certificates* made = u->made;
    uint16_t numbers[4] = {0};
    (void)abut__read_numbers(u->reader, &out->gap, 1, sizeof out->gap);
    (void)abut__read_numbers(u->reader, numbers, 4, sizeof numbers[0]);
    out->first = (uint32_t)made->row_count;
    out->reference = numbers[0];
    out->node_count = numbers[1];
    out->field_count = numbers[2];
    out->wide = numbers[3];
    const size_t rows = (size_t)out->node_count + out->field_count;
    if (!abut__read_check(u->reader,
                          out->reference < made->weight_nodes &&
                              out->node_count <= ABUT__WEIGHT_ROWS &&
                              rows <= made->row_room - made->row_count,
                          "a certificate is wrong")) {
        return;
    }
    if (made->rows == NULL) {  // no certificate has rows
        return;
    }
    for (uint32_t k = 0; k < out->node_count; ++k) {
        read_weight_row(u, &made->rows[made->row_count++].weight);
    }
    for (uint32_t k = 0; k < out->field_count; ++k) {
        read_move_row(u, &made->rows[made->row_count++].move);
    }
}

static abut__blend_certificate* read_kind(unpacking* u, uint32_t count) {
    abut__blend_certificate* all = abut__read_room(u->reader, count, 12, sizeof *all);
    for (uint32_t i = 0; i < count && abut__read_ok(u->reader); ++i) {
        read_certificate(u, &all[i]);
    }
    return all;
}

static void read_certificates(unpacking* u) {
    abut__blend_certificates* made = u->made;
    const uint64_t rows = abut__read_u64(u->reader);
    if (!abut__read_check(u->reader, rows <= UINT32_MAX && rows <= u->reader->left / ROW_BYTES,
                          "it ends too early")) {
        return;
    }
    made->rows = abut__read_room(u->reader, (size_t)rows, ROW_BYTES, sizeof *made->rows);
    made->row_room = made->rows != NULL ? (size_t)rows : 0;
    if (abut__read_ok(u->reader)) {
        made->nodes = read_kind(u, made->index.node_count);
        made->blocks = read_kind(u, made->index.block_count);
        made->pairs = read_kind(u, made->index.pair_count);
    }
    (void)abut__read_check(u->reader, made->row_count == rows,
                           "there are too many or too few rows");
}

static void read_all(unpacking* u, uint32_t node_count) {
    abut__blend_certificates* made = u->made;
    if (!abut__certificate_index_read(u->reader, &made->index)) {
        return;
    }
    made->weight_nodes = abut__read_up_to(u->reader, node_count, "there are too many nodes");
    made->root = abut__read_u32(u->reader);
    if (!abut__read_check(u->reader,
                          made->root < made->weight_nodes && made->index.node_pair_count == 0,
                          "the tree of nodes is wrong")) {
        return;
    }
    read_frame(u);
    if (abut__read_ok(u->reader)) {
        read_certificates(u);
    }
    if (abut__read_ok(u->reader) && !abut__blend_groups_make(made)) {
        abut__read_fail(u->reader, abut__fail_memory(u->reader->error));
    }
}

abut__blend_certificates* abut__blend_certificates_read(abut__unpacker* reader,
                                                        uint32_t field_count, uint32_t node_count) {
    abut__blend_certificates* made = abut__alloc_zero(reader->context, 1, sizeof *made);
    if (made == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return NULL;
    }
    made->context = reader->context;
    unpacking u = {reader, field_count, made};
    read_all(&u, node_count);
    if (!abut__read_ok(reader)) {
        abut__blend_certificates_free(made);
        return NULL;
    }
    return made;
}
