// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs certificates of the modal motion into bytes, and unpacks them from bytes that may be damaged.
// Packed are the gaps, and of groups the lists of fields and the rows. All else follows from these.
#include "bound/certificate_pack.h"

#define KINDS 4
#define GROUP_FLOATS ((1 + (size_t)ABUT__CERTIFICATE_ROW) * ABUT__GROUP)  // per field

// The certificates of one kind: where they are, and their first group.
typedef struct kind_part {
    abut__certificate** all;
    uint32_t count;
    uint32_t first_group;
} kind_part;

static void list_kinds(const abut__certificates* c, kind_part kinds[KINDS]) {
    abut__certificates* of = (abut__certificates*)c;  // callers that write change nothing
    const abut__certificate_index* index = &c->index;
    kinds[0] = (kind_part){&of->nodes, index->node_count, 0};
    kinds[1] = (kind_part){&of->blocks, index->block_count, index->first_block_group};
    kinds[2] = (kind_part){&of->pairs, index->pair_count, index->first_pair_group};
    kinds[3] = (kind_part){&of->node_pairs, index->node_pair_count, index->first_node_pair_group};
}

void abut__certificates_write(const abut__certificates* c, abut__packer* writer) {
    kind_part kinds[KINDS];
    list_kinds(c, kinds);
    abut__certificate_index_write(&c->index, writer);
    for (int k = 0; k < KINDS; ++k) {
        for (uint32_t i = 0; i < kinds[k].count; ++i) {
            abut__write_f64(writer, (*kinds[k].all)[i].gap);
        }
    }
    abut__write_u32(writer, (uint32_t)c->fields.count);
    abut__write_numbers(writer, c->fields.data, c->fields.count, sizeof *c->fields.data);
    for (uint32_t g = 0; g < c->index.group_count; ++g) {
        abut__write_u32(writer, c->groups[g].first_field);
        abut__write_u32(writer, c->groups[g].field_count);
    }
    abut__write_u64(writer, c->floats);
    abut__write_numbers(writer, c->data, c->floats, sizeof *c->data);
}

static bool read_gaps(abut__unpacker* reader, kind_part* kind) {
    *kind->all = abut__read_room(reader, kind->count, sizeof(double), sizeof **kind->all);
    for (uint32_t i = 0; i < kind->count && abut__read_ok(reader); ++i) {
        (*kind->all)[i].gap = abut__read_f64(reader);
    }
    return abut__read_ok(reader);
}

static bool read_field_lists(abut__unpacker* reader, uint32_t field_count, abut__certificates* c) {
    const uint32_t count = abut__read_u32(reader);
    if (!abut__read_check(reader, count <= reader->left / sizeof(uint32_t), "it ends too early")) {
        return false;
    }
    uint32_t* fields = abut__push(reader->context, &c->fields, count);
    if (fields == NULL && count > 0) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return false;
    }
    (void)abut__read_numbers(reader, fields, count, sizeof *fields);
    bool right = true;
    for (uint32_t i = 0; i < count; ++i) {
        right &= fields[i] < field_count;
    }
    return abut__read_check(reader, right, "a certificate has an unknown field");
}

// Reads where the rows of groups are: one group after the other, and one more number at the end.
static bool read_groups(abut__unpacker* reader, abut__certificates* c) {
    size_t floats = 0;
    const uint32_t count = c->index.group_count;
    c->groups = abut__read_room(reader, count, 2 * sizeof(uint32_t), sizeof *c->groups);
    for (uint32_t g = 0; g < count && abut__read_ok(reader); ++g) {
        abut__certificate_group* group = &c->groups[g];
        group->first_field = abut__read_up_to(reader, (uint32_t)c->fields.count,
                                              "a list of fields is unknown");
        group->field_count = abut__read_up_to(
            reader, (uint32_t)c->fields.count - group->first_field, "a list of fields is too long");
        group->data = floats;
        floats += GROUP_FLOATS * group->field_count;
        (void)abut__read_check(reader, floats <= reader->left / sizeof(float), "it ends too early");
    }
    c->floats = floats + 1;
    return abut__read_check(reader, abut__read_u64(reader) == floats + 1,
                            "there are too many or too few rows");
}

// Fills in what follows from the groups and the gaps.
static void complete_kind(abut__certificates* c, const kind_part* kind) {
    for (uint32_t i = 0; i < kind->count; ++i) {
        abut__certificate* own = &(*kind->all)[i];
        abut__certificate_group* group = &c->groups[kind->first_group + i / ABUT__GROUP];
        const uint32_t lane = i % ABUT__GROUP;
        abut__certificate_note_gap(group, lane, own->gap);
        own->data = group->data + (size_t)ABUT__GROUP * group->field_count + lane;
        own->first_field = group->first_field;
        own->field_count = group->field_count;
    }
}

static void read_all(abut__unpacker* reader, uint32_t field_count, abut__certificates* c) {
    kind_part kinds[KINDS];
    if (!abut__certificate_index_read(reader, &c->index)) {
        return;
    }
    list_kinds(c, kinds);
    bool going = true;
    for (int k = 0; k < KINDS && going; ++k) {
        going = read_gaps(reader, &kinds[k]);
    }
    if (going && read_field_lists(reader, field_count, c) && read_groups(reader, c)) {
        c->data = abut__read_array(reader, c->floats, 1, sizeof *c->data);
    }
    for (int k = 0; k < KINDS && abut__read_ok(reader); ++k) {
        complete_kind(c, &kinds[k]);
    }
}

abut__certificates* abut__certificates_read(abut__unpacker* reader, uint32_t field_count) {
    abut__certificates* made = abut__alloc_zero(reader->context, 1, sizeof *made);
    if (made == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return NULL;
    }
    made->context = reader->context;
    read_all(reader, field_count, made);
    if (!abut__read_ok(reader)) {
        abut__certificates_free(made);
        return NULL;
    }
    return made;
}
