// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Displacement fields of a mesh: how far every vertex moves per unit of each coordinate. Only
// nonzero values are stored: a field that moves a few vertices costs nothing elsewhere.
#ifndef ABUT_MESH_FIELDS_H
#define ABUT_MESH_FIELDS_H

#include "abut/shape.h"
#include "mesh/mesh.h"

// The fields that move a vertex: ids[first] .. ids[first + count - 1], ascending.
typedef struct abut__field_list {
    uint32_t first;
    uint32_t count;
} abut__field_list;

#define ABUT__FIELDS_MOST 65535u

// Immutable, shared by shapes. The values of all fields that move a vertex are stored side by side.
typedef struct abut__fields {
    abut_context* context;
    atomic_uint holders;
    uint32_t count;
    uint32_t vertex_count;
    abut_scalar scalar;
    double* most;             // per field: the greatest magnitude of a coordinate
    uint32_t* list;           // per vertex: index in `lists`
    size_t* first;            // per vertex: its first value; one more at the end
    abut__field_list* lists;  // successive vertices often share one
    uint32_t list_room;
    uint32_t* ids;
    uint32_t id_room;
    void* values;  // x, y, z each, of type `scalar`; one more value is padding
} abut__fields;

abut_status abut__fields_make(abut_context* context, uint32_t vertex_count,
                              const abut_field* fields, size_t count, abut__fields** out,
                              abut_error* error);
// Edits fields: makes a copy that moves the added vertices, too. Without added vertices it returns
// the same fields with one more reference.
abut_status abut__fields_edit(abut__fields* fields, size_t added, const abut_field* added_fields,
                              abut__fields** out, abut_error* error);
// Allocates fields without their lists and values. NULL: no memory.
abut__fields* abut__fields_reserve(abut_context* context, uint32_t vertex_count, size_t count);
void abut__fields_hold(abut__fields* fields);
void abut__fields_release(abut__fields* fields);

static inline abut__field_list abut__fields_of(const abut__fields* fields, uint32_t vertex) {
    return fields->lists[fields->list[vertex]];
}
// Reads the k-th value of a vertex.
static inline void abut__fields_value(const abut__fields* fields, uint32_t vertex, uint32_t k,
                                      double out[3]) {
    abut__read_position(fields->values, 3 * abut__scalar_size(fields->scalar),
                        fields->scalar == ABUT_SCALAR_F64, fields->first[vertex] + k, out);
}

// Tells whether all fields move two vertices alike; hashes how they move one.
bool abut__fields_equal(const abut__fields* fields, uint32_t a, uint32_t b);
uint64_t abut__fields_hash(const abut__fields* fields, uint32_t vertex, uint64_t hash);

// Adds the displacement by the fields to the rest position p of a vertex, in double, in order.
void abut__fields_move(const abut__fields* fields, uint32_t vertex, const double* coordinates,
                       double p[3]);

#endif
