// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs displacement fields into bytes, and unpacks them from bytes that may be damaged. What
// follows from the rest is left out: where lists and values begin, and the greatest magnitudes.
#include "mesh/mesh_pack.h"

#include <math.h>

void abut__fields_write(const abut__fields* fields, abut__packer* writer) {
    const uint32_t vertices = fields->vertex_count;
    const uint32_t lists = fields->list[vertices - 1] + 1;  // lists are in the order of vertices
    const abut__field_list last = fields->lists[lists - 1];
    abut__write_u32(writer, fields->count);
    abut__write_u32(writer, (uint32_t)fields->scalar);
    abut__write_u32(writer, lists);
    abut__write_numbers(writer, fields->list, vertices, sizeof *fields->list);
    for (uint32_t l = 0; l < lists; ++l) {
        abut__write_u32(writer, fields->lists[l].count);
    }
    abut__write_numbers(writer, fields->ids, last.first + last.count, sizeof *fields->ids);
    abut__write_numbers(writer, fields->values, 3 * fields->first[vertices],
                        abut__scalar_size(fields->scalar));
}

// Vertices have list 0 first, and each the list of the vertex before or the next one.
static bool check_list_numbers(const abut__fields* made) {
    bool right = made->list[0] == 0 && made->list[made->vertex_count - 1] + 1 == made->list_room;
    for (uint32_t v = 1; v < made->vertex_count && right; ++v) {
        right = made->list[v] - made->list[v - 1] <= 1;
    }
    return right;
}

static bool check_ids(const abut__fields* made) {
    for (uint32_t l = 0; l < made->list_room; ++l) {
        const uint32_t* ids = made->ids;
        const abut__field_list list = made->lists[l];
        for (uint32_t k = 0; k < list.count; ++k) {
            if (ids[list.first + k] >= made->count ||
                (k > 0 && ids[list.first + k] <= ids[list.first + k - 1])) {
                return false;
            }
        }
    }
    return true;
}

// Reads the lengths of lists and then their fields.
static bool read_lists(abut__unpacker* reader, abut__fields* made) {
    made->lists = abut__read_room(reader, made->list_room, sizeof(uint32_t), sizeof *made->lists);
    uint64_t ids = 0;
    for (uint32_t l = 0; l < made->list_room && made->lists != NULL; ++l) {
        const uint32_t count = abut__read_up_to(reader, made->count, "a list of fields is long");
        made->lists[l] = (abut__field_list){(uint32_t)ids, count};
        ids += count;
    }
    if (made->lists == NULL || !abut__read_check(reader, ids <= UINT32_MAX, "lists are too long")) {
        return false;
    }
    made->id_room = (uint32_t)ids;
    made->ids = abut__read_array(reader, made->id_room, 1, sizeof *made->ids);
    return abut__read_ok(reader) && abut__read_check(reader, check_ids(made), "a field is unknown");
}

static void find_most(abut__fields* made) {
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        const abut__field_list list = abut__fields_of(made, v);
        for (uint32_t k = 0; k < list.count; ++k) {
            double u[3];
            double* most = &made->most[made->ids[list.first + k]];
            abut__fields_value(made, v, k, u);
            for (int d = 0; d < 3; ++d) {
                *most = fabs(u[d]) > *most ? fabs(u[d]) : *most;
            }
        }
    }
}

// Reads the values; there is room for one more, which is padding.
static void read_values(abut__unpacker* reader, abut__fields* made) {
    const size_t size = abut__scalar_size(made->scalar);
    for (uint32_t v = 0; v < made->vertex_count; ++v) {
        made->first[v + 1] = made->first[v] + abut__fields_of(made, v).count;
    }
    const size_t count = made->first[made->vertex_count];
    if (!abut__read_check(reader, count <= reader->left / (3 * size), "it ends too early")) {
        return;
    }
    made->values = abut__alloc_zero(reader->context, count + 1, 3 * size);
    if (made->values == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return;
    }
    if (abut__read_numbers(reader, made->values, 3 * count, size) &&
        abut__read_check(reader,
                         abut__all_finite(made->values, 3 * count, made->scalar == ABUT_SCALAR_F64),
                         "a field moves a vertex by a number that is not finite")) {
        find_most(made);
    }
}

static void read_fields(abut__unpacker* reader, abut__fields* made) {
    if (!abut__read_ok(reader)) {
        return;
    }
    if (abut__read_numbers(reader, made->list, made->vertex_count, sizeof *made->list) &&
        abut__read_check(reader, check_list_numbers(made), "a list of fields is unknown") &&
        read_lists(reader, made)) {
        read_values(reader, made);
    }
}

abut__fields* abut__fields_read(abut_context* context, uint32_t vertex_count,
                                abut__unpacker* reader) {
    const uint32_t count = abut__read_up_to(reader, ABUT__FIELDS_MOST, "it has too many fields");
    const abut_scalar scalar = abut__read_scalar(reader);
    const uint32_t lists = abut__read_up_to(reader, vertex_count,
                                            "it has too many lists of fields");
    if (!abut__read_check(reader, reader->left / sizeof(uint32_t) >= vertex_count,
                          "it ends too early")) {
        return NULL;
    }
    abut__fields* made = abut__fields_reserve(context, vertex_count, count);
    if (made == NULL) {
        abut__read_fail(reader, abut__fail_memory(reader->error));
        return NULL;
    }
    made->scalar = scalar;
    made->list_room = lists;
    read_fields(reader, made);
    if (!abut__read_ok(reader)) {
        abut__fields_release(made);
        return NULL;
    }
    return made;
}
