// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes displacement fields from the caller's arrays and checks them on reading. Makes copies that
// move more vertices.
#include "mesh/fields.h"

#include "base/offset.h"

#include <math.h>
#include <stdio.h>

// One bit per field and vertex: whether the field moves the vertex.
typedef struct moved_bits {
    uint64_t* words;
    size_t stride;  // words per vertex
} moved_bits;

static bool moved(const moved_bits* bits, size_t vertex, size_t field) {
    return (bits->words[vertex * bits->stride + field / 64] >> field % 64 & 1) != 0;
}

// The vertices of the fields: `count` indices from `first` on.
typedef struct vertex_range {
    uint32_t first;
    uint32_t count;
} vertex_range;

// Returns the vertex of an entry, relative to the first of the range.
static size_t vertex_of(const abut_field* field, const vertex_range* range, size_t i) {
    return field->vertices != NULL ? field->vertices[i] - range->first : i;
}

static void read_value(const abut_field* field, size_t i, double out[3]) {
    abut__read_position(field->values.data, abut__positions_stride(field->values),
                        field->values.type == ABUT_SCALAR_F64, i, out);
}

static abut_status check_field(const abut_field* field, size_t number, const vertex_range* range,
                               abut_error* error) {
    const size_t count = field->values.count;
    const char* owner = range->first == 0 ? "the mesh has" : "there are new";
    if (field->vertices == NULL && count != range->count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_ENTRY, number,
                          "field %zu has %zu values, but %s %u vertices", number, count, owner,
                          range->count);
    }
    if (count > range->count) {  // they cannot all ascend: reading on may pass the end of the list
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_ENTRY, number,
                          "field %zu lists %zu vertices, but %s %u", number, count, owner,
                          range->count);
    }
    for (size_t i = 0; field->vertices != NULL && i < count; ++i) {
        if (field->vertices[i] < range->first ||
            field->vertices[i] - range->first >= range->count) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, number,
                              "field %zu moves vertex %u, but %s %u", number, field->vertices[i],
                              owner, range->count);
        }
        if (i > 0 && field->vertices[i] <= field->vertices[i - 1]) {
            return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_ENTRY, number,
                              "field %zu: its vertices must ascend, but %u comes after %u", number,
                              field->vertices[i], field->vertices[i - 1]);
        }
    }
    if (count == 0) {
        return ABUT_OK;
    }
    char what[32];
    (void)snprintf(what, sizeof what, "field %zu", number);
    return abut__positions_check(field->values, what, error);
}

// Marks the vertices that a field moves and finds its greatest magnitude.
static abut_status mark_field(const abut_field* field, size_t number, const vertex_range* range,
                              moved_bits* bits, double* most, abut_error* error) {
    for (size_t i = 0; i < field->values.count; ++i) {
        double u[3];
        read_value(field, i, u);
        const size_t vertex = vertex_of(field, range, i);
        for (int d = 0; d < 3; ++d) {
            if (!isfinite(u[d])) {
                return abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_VERTEX,
                                  range->first + vertex,
                                  "field %zu: vertex %zu is not finite (%g, %g, %g)", number,
                                  range->first + vertex, u[0], u[1], u[2]);
            }
            *most = fabs(u[d]) > *most ? fabs(u[d]) : *most;
        }
        if (u[0] != 0 || u[1] != 0 || u[2] != 0) {
            bits->words[vertex * bits->stride + number / 64] |= UINT64_C(1) << number % 64;
        }
    }
    return ABUT_OK;
}

// Makes lists of fields, one for every run of vertices with the same fields.
static bool make_lists(abut__fields* made, const moved_bits* bits) {
    ABUT__VECTOR(abut__field_list) lists = {0};
    abut__uint32s ids = {0};
    bool done = true;
    for (uint32_t v = 0; v < made->vertex_count && done; ++v) {
        const uint64_t* words = bits->words + v * bits->stride;
        if (v > 0 && memcmp(words, words - bits->stride, bits->stride * sizeof *words) == 0) {
            made->list[v] = made->list[v - 1];
        } else {
            abut__field_list* list = abut__push(made->context, &lists, 1);
            done = list != NULL;
            made->list[v] = (uint32_t)lists.count - 1;
            if (done) {
                *list = (abut__field_list){(uint32_t)ids.count, 0};
            }
            for (uint32_t f = 0; f < made->count && done; ++f) {
                if (moved(bits, v, f)) {
                    uint32_t* id = abut__push(made->context, &ids, 1);
                    done = id != NULL;
                    if (done) {
                        *id = f;
                        ++list->count;
                    }
                }
            }
        }
        made->first[v + 1] = made->first[v] + (done ? lists.data[made->list[v]].count : 0);
    }
    made->lists = lists.data;
    made->list_room = (uint32_t)lists.capacity;
    made->ids = ids.data;
    made->id_room = (uint32_t)ids.capacity;
    return done;
}

static void store_value(abut__fields* made, size_t place, const double u[3]) {
    for (size_t d = 0; d < 3; ++d) {
        if (made->scalar == ABUT_SCALAR_F64) {
            ((double*)made->values)[3 * place + d] = u[d];
        } else {
            ((float*)made->values)[3 * place + d] = (float)u[d];
        }
    }
}

// Stores the values. The fields come in order, so the values of every vertex do, too.
static bool store_values(abut__fields* made, const abut_field* fields, const vertex_range* range,
                         const moved_bits* bits) {
    size_t* next = abut__alloc(made->context, made->vertex_count, sizeof *next);
    if (next == NULL) {
        return false;
    }
    memcpy(next, made->first, made->vertex_count * sizeof *next);
    for (size_t f = 0; f < made->count; ++f) {
        for (size_t i = 0; i < fields[f].values.count; ++i) {
            const size_t vertex = vertex_of(&fields[f], range, i);
            if (moved(bits, vertex, f)) {
                double u[3];
                read_value(&fields[f], i, u);
                store_value(made, next[vertex]++, u);
            }
        }
    }
    abut__free(made->context, next, made->vertex_count, sizeof *next);
    return true;
}

static abut_status fill(abut__fields* made, const abut_field* fields, const vertex_range* range,
                        moved_bits* bits, abut_error* error) {
    for (size_t f = 0; f < made->count; ++f) {
        abut_status status = check_field(&fields[f], f, range, error);
        if (status == ABUT_OK) {
            status = mark_field(&fields[f], f, range, bits, &made->most[f], error);
        }
        if (status != ABUT_OK) {
            return status;
        }
        if (fields[f].values.count > 0 && fields[f].values.type == ABUT_SCALAR_F64) {
            made->scalar = ABUT_SCALAR_F64;
        }
    }
    if (!make_lists(made, bits)) {
        return abut__fail_memory(error);
    }
    const size_t values = made->first[made->vertex_count];
    made->values = abut__alloc_zero(made->context, values + 1, 3 * abut__scalar_size(made->scalar));
    return made->values != NULL && store_values(made, fields, range, bits)
               ? ABUT_OK
               : abut__fail_memory(error);
}

abut__fields* abut__fields_reserve(abut_context* context, uint32_t vertex_count, size_t count) {
    abut__fields* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->context = context;
    atomic_init(&made->holders, 1);
    made->count = (uint32_t)count;
    made->vertex_count = vertex_count;
    made->most = abut__alloc_zero(context, count + 1, sizeof *made->most);
    made->list = abut__alloc_zero(context, vertex_count, sizeof *made->list);
    made->first = abut__alloc_zero(context, (size_t)vertex_count + 1, sizeof *made->first);
    if (made->most == NULL || made->list == NULL || made->first == NULL) {
        abut__fields_release(made);
        return NULL;
    }
    return made;
}

static abut_status make(abut_context* context, const vertex_range* range, const abut_field* fields,
                        size_t count, abut__fields** out, abut_error* error) {
    if (count > 0 && fields == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there are %zu fields, but their pointer is NULL", count);
    }
    if (count > ABUT__FIELDS_MOST) {
        return abut__fail(error, ABUT_ERR_LIMIT, ABUT_ELEMENT_NONE, 0,
                          "%zu fields are more than %u", count, ABUT__FIELDS_MOST);
    }
    abut__fields* made = abut__fields_reserve(context, range->count, count);
    moved_bits bits = {NULL, count / 64 + 1};
    bits.words = abut__alloc_zero(context, range->count, bits.stride * sizeof *bits.words);
    const abut_status status = made != NULL && bits.words != NULL
                                   ? fill(made, fields, range, &bits, error)
                                   : abut__fail_memory(error);
    abut__free(context, bits.words, range->count, bits.stride * sizeof *bits.words);
    if (status != ABUT_OK) {
        abut__fields_release(made);
        return status;
    }
    *out = made;
    return ABUT_OK;
}

abut_status abut__fields_make(abut_context* context, uint32_t vertex_count,
                              const abut_field* fields, size_t count, abut__fields** out,
                              abut_error* error) {
    return make(context, &(vertex_range){0, vertex_count}, fields, count, out, error);
}

// ---- copies that move more vertices

// Lists are in the order of vertices, so the last vertex has the last one.
static uint32_t list_count_of(const abut__fields* fields) {
    return fields->list[fields->vertex_count - 1] + 1;
}

static uint32_t id_count_of(const abut__fields* fields) {
    const abut__field_list last = abut__fields_of(fields, fields->vertex_count - 1);
    return last.first + last.count;
}

// Appends the lists of `from`.
static void append_lists(abut__fields* made, const abut__fields* from, uint32_t lists,
                         uint32_t ids) {
    for (uint32_t i = 0; i < id_count_of(from); ++i) {
        made->ids[ids + i] = from->ids[i];
    }
    for (uint32_t l = 0; l < list_count_of(from); ++l) {
        made->lists[lists + l] = (abut__field_list){from->lists[l].first + ids,
                                                    from->lists[l].count};
    }
}

// Appends the vertices of `from`, as those from `first` on.
static void append_vertices(abut__fields* made, const abut__fields* from, uint32_t first,
                            uint32_t lists) {
    const size_t place = made->first[first];
    for (uint32_t v = 0; v < from->vertex_count; ++v) {
        made->list[first + v] = from->list[v] + lists;
        made->first[first + v + 1] = place + from->first[v + 1];
    }
    for (size_t i = 0; i < from->first[from->vertex_count]; ++i) {
        double u[3];
        abut__read_position(from->values, 3 * abut__scalar_size(from->scalar),
                            from->scalar == ABUT_SCALAR_F64, i, u);
        store_value(made, place + i, u);
    }
    for (uint32_t f = 0; f < made->count; ++f) {
        made->most[f] = from->most[f] > made->most[f] ? from->most[f] : made->most[f];
    }
}

static bool join(abut__fields* made, const abut__fields* a, const abut__fields* b) {
    const bool wide = a->scalar == ABUT_SCALAR_F64 || b->scalar == ABUT_SCALAR_F64;
    const size_t values = a->first[a->vertex_count] + b->first[b->vertex_count];
    made->scalar = wide ? ABUT_SCALAR_F64 : ABUT_SCALAR_F32;  // widening changes no value
    made->list_room = list_count_of(a) + list_count_of(b);
    made->id_room = id_count_of(a) + id_count_of(b);
    made->lists = abut__alloc(made->context, made->list_room, sizeof *made->lists);
    made->ids = abut__alloc(made->context, made->id_room, sizeof *made->ids);
    void* room = abut__alloc_zero(made->context, values + 1, 3 * abut__scalar_size(made->scalar));
    if (made->lists == NULL || (made->id_room > 0 && made->ids == NULL) || room == NULL) {
        abut__free(made->context, room, values + 1, 3 * abut__scalar_size(made->scalar));
        return false;
    }
    made->values = room;
    append_lists(made, a, 0, 0);
    append_lists(made, b, list_count_of(a), id_count_of(a));
    append_vertices(made, a, 0, 0);
    append_vertices(made, b, a->vertex_count, list_count_of(a));
    return true;
}

abut_status abut__fields_edit(abut__fields* fields, size_t added, const abut_field* added_fields,
                              abut__fields** out, abut_error* error) {
    if (added == 0) {
        abut__fields_hold(fields);
        *out = fields;
        return ABUT_OK;
    }
    if (fields->count > 0 && added_fields == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there are %zu added vertices, but nothing says how the %u fields move "
                          "them: `added_fields` is NULL",
                          added, fields->count);
    }
    abut__fields* more = NULL;
    const vertex_range range = {fields->vertex_count, (uint32_t)added};
    const abut_status status = make(fields->context, &range, added_fields, fields->count, &more,
                                    error);
    if (status != ABUT_OK || more == NULL) {
        return status;
    }
    abut__fields* made = abut__fields_reserve(fields->context, fields->vertex_count + range.count,
                                              fields->count);
    const bool done = made != NULL && join(made, fields, more);
    abut__fields_release(more);
    if (!done) {
        abut__fields_release(made);
        return abut__fail_memory(error);
    }
    *out = made;
    return ABUT_OK;
}

void abut__fields_hold(abut__fields* fields) {
    atomic_fetch_add_explicit(&fields->holders, 1, memory_order_relaxed);
}

void abut__fields_release(abut__fields* fields) {
    if (fields == NULL ||
        atomic_fetch_sub_explicit(&fields->holders, 1, memory_order_acq_rel) != 1) {
        return;
    }
    const abut_context* context = fields->context;
    const size_t values = fields->first != NULL ? fields->first[fields->vertex_count] : 0;
    abut__free(context, fields->values, values + 1, 3 * abut__scalar_size(fields->scalar));
    abut__free(context, fields->most, fields->count + 1u, sizeof *fields->most);
    abut__free(context, fields->list, fields->vertex_count, sizeof *fields->list);
    abut__free(context, fields->first, (size_t)fields->vertex_count + 1, sizeof *fields->first);
    abut__free(context, fields->lists, fields->list_room, sizeof *fields->lists);
    abut__free(context, fields->ids, fields->id_room, sizeof *fields->ids);
    abut__free(context, fields, 1, sizeof *fields);
}

bool abut__fields_equal(const abut__fields* fields, uint32_t a, uint32_t b) {
    const abut__field_list list_a = abut__fields_of(fields, a);
    const abut__field_list list_b = abut__fields_of(fields, b);
    bool equal = list_a.count == list_b.count;
    for (uint32_t k = 0; k < list_a.count && equal; ++k) {
        double u[3];
        double v[3];
        abut__fields_value(fields, a, k, u);
        abut__fields_value(fields, b, k, v);
        equal = fields->ids[list_a.first + k] == fields->ids[list_b.first + k] && u[0] == v[0] &&
                u[1] == v[1] && u[2] == v[2];
    }
    return equal;
}

uint64_t abut__fields_hash(const abut__fields* fields, uint32_t vertex, uint64_t hash) {
    const abut__field_list list = abut__fields_of(fields, vertex);
    for (uint32_t k = 0; k < list.count; ++k) {
        double u[3];
        abut__fields_value(fields, vertex, k, u);
        hash = abut__hash_bits(hash, fields->ids[list.first + k]);
        for (int d = 0; d < 3; ++d) {
            hash = abut__hash_double(hash, u[d]);
        }
    }
    return hash;
}

// The sum starts with the rest position, and -0 becomes +0 there. A product of 0 then leaves its
// bits unchanged; kernels differ in which of these products they add.
void abut__fields_move(const abut__fields* fields, uint32_t vertex, const double* coordinates,
                       double p[3]) {
    const abut__field_list list = abut__fields_of(fields, vertex);
    const uint32_t* ids = ABUT__AT(fields->ids, list.first);
    const size_t first = 3 * fields->first[vertex];
    for (int d = 0; d < 3; ++d) {
        p[d] += 0.0;
    }
    if (fields->scalar == ABUT_SCALAR_F64) {
        const double* u = ABUT__AT((const double*)fields->values, first);
        for (uint32_t k = 0; k < list.count; ++k, u += 3) {
            const double q = coordinates[ids[k]];
            p[0] += u[0] * q;
            p[1] += u[1] * q;
            p[2] += u[2] * q;
        }
    } else {
        const float* u = ABUT__AT((const float*)fields->values, first);
        for (uint32_t k = 0; k < list.count; ++k, u += 3) {
            const double q = coordinates[ids[k]];
            p[0] += (double)u[0] * q;
            p[1] += (double)u[1] * q;
            p[2] += (double)u[2] * q;
        }
    }
}
