// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes wrapped spheres: see spheres.h.
#include "bound/spheres.h"

#include "base/offset.h"

#include <math.h>

#define GROUP_ROW (sizeof(abut__balls8) / sizeof(float))

// ---- groups of spheres as rows

static bool is_zero(const abut__ball* ball) {
    return ball->c[0] == 0 && ball->c[1] == 0 && ball->c[2] == 0 && ball->r == 0;
}

static bool field_has_part(const abut__ball* balls, uint32_t count, size_t rows, size_t row) {
    bool has = false;
    for (uint32_t k = 0; k < count && !has; ++k) {
        has = !is_zero(&balls[k * rows + row]);
    }
    return has;
}

// Lists the fields that act on a group. Shares the list of the previous group if it is the same.
static bool list_fields(abut__spheres* spheres, const abut__ball* balls, uint32_t count,
                        size_t rows, abut__bd_part* part) {
    part->first_field = (uint32_t)spheres->fields.count;
    part->field_count = 0;
    for (size_t row = 1; row < rows; ++row) {
        if (field_has_part(balls, count, rows, row)) {
            uint32_t* place = abut__push(spheres->context, &spheres->fields, 1);
            if (place == NULL) {
                return false;
            }
            *place = (uint32_t)row - 1;
            ++part->field_count;
        }
    }
    if (spheres->parts.count > 0) {
        const abut__bd_part* last = spheres->parts.data + spheres->parts.count - 1;
        const uint32_t* fields = spheres->fields.data;
        if (last->field_count == part->field_count && part->field_count > 0 &&
            memcmp(fields + last->first_field, fields + part->first_field,
                   part->field_count * sizeof *fields) == 0) {
            part->first_field = last->first_field;
            spheres->fields.count -= part->field_count;
        }
    }
    return true;
}

// Writes one row of a group. An unused lane is empty at rest and does not move.
static void put_row(abut__balls8* out, const abut__ball* balls, uint32_t count, size_t rows,
                    size_t row) {
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        const abut__ball none = {{0, 0, 0}, row == 0 ? -INFINITY : 0};
        const abut__ball* ball = k < count ? &balls[k * rows + row] : &none;
        for (int d = 0; d < 3; ++d) {
            out->c[d][k] = (float)ball->c[d];
        }
        out->r[k] = (float)ball->r;
    }
}

bool abut__spheres_add(abut__spheres* spheres, const abut__ball* balls, uint32_t count,
                       size_t rows) {
    abut__bd_part part = {.data = spheres->data.count};
    if (!list_fields(spheres, balls, count, rows, &part)) {
        return false;
    }
    float* row = abut__push(spheres->context, &spheres->data, GROUP_ROW * (part.field_count + 1));
    abut__bd_part* place = abut__push(spheres->context, &spheres->parts, 1);
    if (row == NULL || place == NULL) {
        return false;
    }
    *place = part;
    const uint32_t* fields = ABUT__AT(spheres->fields.data, part.first_field);
    for (uint32_t i = 0; i <= part.field_count; ++i, row += GROUP_ROW) {
        abut__balls8 group;
        put_row(&group, balls, count, rows, i == 0 ? 0 : 1 + (size_t)fields[i - 1]);
        memcpy(row, &group, sizeof group);
    }
    return true;
}

void abut__spheres_free(abut__spheres* spheres) {
    abut__drop(spheres->context, &spheres->parts);
    abut__drop(spheres->context, &spheres->data);
    abut__drop(spheres->context, &spheres->fields);
}

// ---- wrapping vertices

bool abut__wrapper_make(abut__wrapper* wrapper, abut__arena* arena, const abut_mesh* mesh,
                        const abut__fields* fields, abut__centre_rule rule) {
    const size_t count = mesh->vertex_count;
    *wrapper = (abut__wrapper){.mesh = mesh, .fields = fields, .rule = rule};
    wrapper->rows = fields->count + (size_t)1;
    wrapper->items = abut__arena_push(arena, count, sizeof *wrapper->items);
    wrapper->next = abut__arena_push(arena, count, sizeof *wrapper->next);
    wrapper->after = abut__arena_push(arena, count, sizeof *wrapper->after);
    wrapper->queues = abut__arena_push(arena, wrapper->rows, sizeof *wrapper->queues);
    wrapper->ids = abut__arena_push(arena, count, sizeof *wrapper->ids);
    wrapper->seen = abut__arena_push(arena, count, sizeof *wrapper->seen);
    if (wrapper->seen != NULL) {
        memset(wrapper->seen, 0, count * sizeof *wrapper->seen);
    }
    abut__wrapper_clear(wrapper);
    return wrapper->items != NULL && wrapper->next != NULL && wrapper->after != NULL &&
           wrapper->queues != NULL && wrapper->ids != NULL && wrapper->seen != NULL;
}

void abut__wrapper_clear(abut__wrapper* wrapper) {
    wrapper->id_count = 0;
    ++wrapper->set;
}

void abut__wrapper_put(abut__wrapper* wrapper, uint32_t vertex) {
    if (wrapper->seen[vertex] != wrapper->set) {
        wrapper->seen[vertex] = wrapper->set;
        wrapper->ids[wrapper->id_count++] = vertex;
    }
}

void abut__wrapper_put_ref(abut__wrapper* wrapper, const abut__tree* tree, abut__ref ref) {
    if (abut__is_block(ref)) {
        const abut__block* block = tree->blocks[abut__block_of(ref)];
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            abut__wrapper_put(wrapper, block->vertex[v]);
        }
        return;
    }
    for (uint32_t k = 0; k < tree->nodes[ref].count; ++k) {
        abut__wrapper_put_ref(wrapper, tree, tree->nodes[ref].child[k]);
    }
}

static void enqueue(abut__wrapper* wrapper, uint32_t i) {
    const abut__fields* fields = wrapper->fields;
    const abut__field_list own = abut__fields_of(fields, wrapper->ids[i]);
    if (wrapper->next[i] == own.count) {
        return;
    }
    abut__wrapper_queue* queue = &wrapper->queues[fields->ids[own.first + wrapper->next[i]]];
    wrapper->after[i] = ABUT__NONE;
    if (queue->first == ABUT__NONE) {
        queue->first = i;
    } else {
        wrapper->after[queue->last] = i;
    }
    queue->last = i;
}

// Collects the displacements by a field as items; returns 0 if it moves no vertex of the set. One
// item of 0 represents all vertices that it does not move, except for means, where each counts.
static size_t take_field(abut__wrapper* wrapper, uint32_t field) {
    size_t count = 0;
    for (uint32_t i = wrapper->queues[field].first; i != ABUT__NONE;) {
        const uint32_t after = wrapper->after[i];
        abut__ball* item = &wrapper->items[count++];
        item->r = 0;
        abut__fields_value(wrapper->fields, wrapper->ids[i], wrapper->next[i]++, item->c);
        enqueue(wrapper, i);
        i = after;
    }
    const size_t all = wrapper->rule == ABUT__CENTRE_MEAN ? wrapper->id_count : count + 1;
    while (count > 0 && count < wrapper->id_count && count < all) {
        wrapper->items[count++] = (abut__ball){{0, 0, 0}, 0};
    }
    return count;
}

void abut__wrap_vertices(abut__wrapper* wrapper, abut__ball* rows) {
    const abut_mesh* mesh = wrapper->mesh;
    for (uint32_t f = 0; f < wrapper->fields->count; ++f) {
        wrapper->queues[f].first = ABUT__NONE;
    }
    for (uint32_t i = 0; i < wrapper->id_count; ++i) {
        abut__mesh_rest_near(mesh, wrapper->ids[i], wrapper->items[i].c);
        wrapper->items[i].r = 0;
        wrapper->next[i] = 0;
        enqueue(wrapper, i);
    }
    rows[0] = abut__ball_around(wrapper->items, wrapper->id_count, wrapper->rule);
    for (uint32_t f = 0; f < wrapper->fields->count; ++f) {
        const size_t count = take_field(wrapper, f);
        rows[1 + f] = count > 0 ? abut__ball_around(wrapper->items, count, wrapper->rule)
                                : (abut__ball){{0, 0, 0}, 0};
    }
}

bool abut__wrap_children(abut__wrapper* wrapper, const abut__tree* tree, abut__spheres* spheres) {
    abut__ball* balls = abut__alloc(spheres->context, ABUT__FAN, wrapper->rows * sizeof *balls);
    bool done = balls != NULL;
    for (uint32_t n = 0; n < tree->node_count && done; ++n) {
        const abut__node* node = &tree->nodes[n];
        for (uint32_t k = 0; k < node->count; ++k) {
            abut__wrapper_clear(wrapper);
            abut__wrapper_put_ref(wrapper, tree, node->child[k]);
            abut__wrap_vertices(wrapper, balls + k * wrapper->rows);
        }
        done = abut__spheres_add(spheres, balls, node->count, wrapper->rows);
    }
    abut__free(spheres->context, balls, ABUT__FAN, wrapper->rows * sizeof *balls);
    return done;
}
