// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The border of a piece: a body of the blocks of this rank and of other ranks that come near each other.
// It is made anew where a block joins or leaves, and otherwise moved.
#include <stdlib.h>

#include "mpi/surface.h"

void abut__border_free(abut_world* world, abut__surface* surface) {
    const abut_allocator* memory = &world->memory;
    abut__border* border = &surface->border;
    if (border->made) {
        abut_body_destroy(surface->scene, border->body, NULL);
    }
    abut__discard(memory, &border->from);
    abut__discard(memory, &border->vertices);
    abut__discard(memory, &border->triangles);
    abut__discard(memory, &border->ghost);
    abut__discard(memory, &border->owned);
    abut__discard(memory, &border->side);
    abut__discard(memory, &border->state[0]);
    abut__discard(memory, &border->state[1]);
    *border = (abut__border){0};
}

// ---- making

// A triangle of the border, before vertices are numbered.
typedef struct piece_triangle {
    uint32_t id;
    uint32_t ghost;
    uint32_t corner[3];  // ids
    uint8_t owned;
} piece_triangle;

static int compare_triangles(const void* a, const void* b) {
    const uint32_t x = ((const piece_triangle*)a)->id;
    const uint32_t y = ((const piece_triangle*)b)->id;
    return (x > y) - (x < y);
}

// the own piece comes first
static int compare_vertices(const void* a, const void* b) {
    const abut__border_vertex* x = a;
    const abut__border_vertex* y = b;
    if (x->id != y->id) {
        return x->id > y->id ? 1 : -1;
    }
    return (x->ghost + 1 > y->ghost + 1) - (x->ghost + 1 < y->ghost + 1);
}

// What a border is made from.
typedef struct making {
    abut_world* world;
    abut__surface* surface;
    ABUT__LIST(piece_triangle) triangles;
    abut__ids corners;
    abut__bytes rest;
    abut__ids classes;
} making;

static bool add_own(making* m, const abut__tile* tile) {
    const abut__surface* surface = m->surface;
    const abut_allocator* memory = &m->world->memory;
    piece_triangle* to = abut__append(memory, &m->triangles, tile->count);
    abut__border_vertex* from = abut__append(memory, &m->surface->border.from, tile->vertex_count);
    if (to == NULL || from == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < tile->vertex_count; ++v) {
        const uint32_t place = surface->tile_vertices.data[tile->first_vertex + v];
        from[v] = (abut__border_vertex){surface->vertices.data[place], ABUT__ABSENT, place};
    }
    for (uint32_t t = 0; t < tile->count; ++t) {
        const uint32_t triangle = surface->order.data[tile->first + t];
        const uint32_t* corners = abut_mesh_triangles(surface->mesh) + 3 * (size_t)triangle;
        to[t] = (piece_triangle){surface->triangles.data[triangle],
                                 ABUT__ABSENT,
                                 {surface->vertices.data[corners[0]],
                                  surface->vertices.data[corners[1]],
                                  surface->vertices.data[corners[2]]},
                                 surface->owned.data[triangle]};
    }
    return true;
}

static bool add_ghost(making* m, uint32_t number) {
    const abut__surface* surface = m->surface;
    const abut_allocator* memory = &m->world->memory;
    const abut__ghost_tile* ghost = &surface->ghosts.data[number];
    piece_triangle* to = abut__append(memory, &m->triangles, ghost->triangles);
    abut__border_vertex* from = abut__append(memory, &m->surface->border.from, ghost->vertices);
    if (to == NULL || from == NULL) {
        return false;
    }
    const uint32_t* ids = abut__ghost_vertex_ids(surface, ghost);
    const uint32_t* triangles = abut__ghost_triangle_ids(surface, ghost);
    const uint8_t* corners = abut__ghost_corners(surface, ghost);
    const uint8_t* owned = abut__ghost_owned(surface, ghost);
    for (uint32_t v = 0; v < ghost->vertices; ++v) {
        from[v] = (abut__border_vertex){ids[v], number, v};
    }
    for (size_t t = 0; t < ghost->triangles; ++t) {
        to[t] = (piece_triangle){triangles[t],
                                 number,
                                 {ids[corners[3 * t]], ids[corners[3 * t + 1]],
                                  ids[corners[3 * t + 2]]},
                                 owned[t]};
    }
    return true;
}

// lists triangles and vertices of all blocks that were needed lately
static bool gather(making* m) {
    abut__surface* surface = m->surface;
    for (size_t i = 0; i < surface->tiles.count; ++i) {
        const abut__tile* tile = &surface->tiles.data[i];
        if (tile->used != 0 && surface->query - tile->used <= m->world->keep_steps &&
            !add_own(m, tile)) {
            return false;
        }
    }
    for (size_t i = 0; i < surface->ghosts.count; ++i) {
        if (!add_ghost(m, (uint32_t)i)) {
            return false;
        }
    }
    qsort(m->triangles.data, m->triangles.count, sizeof *m->triangles.data, compare_triangles);
    qsort(surface->border.from.data, surface->border.from.count, sizeof *surface->border.from.data,
          compare_vertices);
    return true;
}

static const uint8_t* rest_of(const abut__surface* surface, const abut__border_vertex* v) {
    return v->ghost == ABUT__ABSENT
               ? (const uint8_t*)abut_mesh_rest_positions(surface->mesh).data +
                     v->place * surface->size
               : abut__ghost_rest(&surface->ghosts.data[v->ghost]) + v->place * surface->size;
}

static uint32_t class_of(const abut__surface* surface, const abut__border_vertex* v) {
    return v->ghost == ABUT__ABSENT
               ? surface->classes.data[v->place]
               : abut__ghost_classes(surface, &surface->ghosts.data[v->ghost])[v->place];
}

static bool note_conflict(abut_world* world, const abut__surface* surface,
                          const abut__border_vertex* v, const char* what) {
    abut__trouble(world, ABUT_ERR_INVALID_DATA, surface->id, "vertex %u has another %s on rank %u",
                  v->id, what,
                  v->ghost == ABUT__ABSENT ? (uint32_t)world->rank
                                           : surface->ghosts.data[v->ghost].owner);
    return false;
}

// numbers vertices, with their rest positions and classes; false: trouble was noted
static bool number_vertices(making* m) {
    const abut_allocator* memory = &m->world->memory;
    abut__surface* surface = m->surface;
    abut__border* border = &surface->border;
    const size_t most = border->from.count;
    const bool given = surface->class_rule == ABUT_CLASS_RULE_GIVEN;
    if (!abut__make_room(memory, &border->vertices, most) ||
        !abut__make_room(memory, &m->rest, most * surface->size) ||
        !abut__make_room(memory, &m->classes, most)) {
        abut__trouble(m->world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for a border");
        return false;
    }
    for (size_t i = 0; i < most; ++i) {
        const abut__border_vertex* v = &border->from.data[i];
        const size_t last = border->vertices.count - 1;
        if (i > 0 && v->id == border->vertices.data[last]) {
            if (memcmp(m->rest.data + last * surface->size, rest_of(surface, v), surface->size) !=
                0) {
                return note_conflict(m->world, surface, v, "rest position");
            }
            if (given && class_of(surface, v) != m->classes.data[last]) {
                return note_conflict(m->world, surface, v, "class");
            }
            continue;
        }
        memcpy(m->rest.data + border->vertices.count * surface->size, rest_of(surface, v),
               surface->size);
        m->rest.count += surface->size;
        if (given) {
            m->classes.data[m->classes.count++] = class_of(surface, v);
        }
        border->vertices.data[border->vertices.count++] = v->id;
    }
    return true;
}

static int compare_ids(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a;
    const uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

// lists triangles by the places of vertices; false: trouble was noted
static bool number_triangles(making* m) {
    const abut_allocator* memory = &m->world->memory;
    abut__surface* surface = m->surface;
    abut__border* border = &surface->border;
    const size_t count = m->triangles.count;
    uint32_t* ids = abut__append(memory, &border->triangles, count);
    uint32_t* ghost = abut__append(memory, &border->ghost, count);
    uint8_t* owned = abut__append(memory, &border->owned, count);
    uint8_t* side = abut__append(memory, &border->side, count);
    uint32_t* corners = abut__append(memory, &m->corners, 3 * count);
    if (ids == NULL || ghost == NULL || owned == NULL || side == NULL || corners == NULL) {
        abut__trouble(m->world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for a border");
        return false;
    }
    for (size_t t = 0; t < count; ++t) {
        const piece_triangle* from = &m->triangles.data[t];
        if (t > 0 && from->id == ids[t - 1]) {
            abut__trouble(m->world, ABUT_ERR_INVALID_DATA, surface->id,
                          "two ranks have triangle %u", from->id);
            return false;
        }
        ids[t] = from->id;
        ghost[t] = from->ghost;
        owned[t] = from->owned;
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t* at = bsearch(&from->corner[c], border->vertices.data,
                                         border->vertices.count, sizeof *at, compare_ids);
            corners[3 * t + c] = (uint32_t)(at - border->vertices.data);
        }
    }
    return true;
}

static abut_status make_body(making* m, abut_error* error) {
    abut_world* world = m->world;
    abut__surface* surface = m->surface;
    abut__border* border = &surface->border;
    abut_mesh_def def = abut_mesh_def_default();
    abut_body_def body = abut_body_def_default();
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    body.keeps_tree = true;
    def.positions = (abut_positions){m->rest.data, border->vertices.count, 0, surface->type};
    def.triangles = m->corners.data;
    def.triangle_count = m->triangles.count;
    def.class_rule = surface->class_rule;
    def.classes = m->classes.data;
    abut_status status = abut_mesh_create(world->context, &def, &mesh, error);
    if (status == ABUT_OK) {
        status = abut_shape_create(world->context, mesh, NULL, &shape, error);
    }
    if (status == ABUT_OK) {
        status = abut_body_create(surface->scene, shape, &body, &border->body, error);
    }
    border->made = status == ABUT_OK;
    if (status == ABUT_OK && surface->thickness > 0) {
        status = abut_body_set_thickness(surface->scene, border->body, surface->thickness, error);
    }
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    return status;
}

static bool make_border(abut_world* world, abut__surface* surface) {
    const abut_allocator* memory = &world->memory;
    making m = {.world = world, .surface = surface};
    abut__border* border = &surface->border;
    abut_error error = {0};
    bool done = gather(&m);
    if (!done) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for a border");
    }
    done = done && number_vertices(&m) && number_triangles(&m);
    for (int k = 0; k < 2 && done; ++k) {
        done = abut__append(memory, &border->state[k], border->vertices.count * surface->size) !=
               NULL;
        if (!done) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for a border");
        }
    }
    if (done && make_body(&m, &error) != ABUT_OK) {
        abut__trouble_from(world, &error, surface->id);
        done = false;
    }
    abut__discard(memory, &m.triangles);
    abut__discard(memory, &m.corners);
    abut__discard(memory, &m.rest);
    abut__discard(memory, &m.classes);
    if (!done) {
        abut__border_free(world, surface);
    }
    return done;
}

// ---- moving

// whether positions of this place are those of the current states
static bool is_current(const abut__surface* surface, const abut__border_vertex* v) {
    return v->ghost == ABUT__ABSENT || surface->ghosts.data[v->ghost].used == surface->query;
}

static const uint8_t* position_of(const abut__surface* surface, const abut__border_vertex* v,
                                  int end) {
    const abut__bytes* state = v->ghost == ABUT__ABSENT
                                   ? &surface->state[end]
                                   : &surface->ghosts.data[v->ghost].state[end];
    return state->data + v->place * surface->size;
}

// takes the positions of one vertex from a place where they are current; all such places must agree
static bool move_vertex(abut_world* world, abut__surface* surface, size_t first, size_t end,
                        size_t vertex, bool step) {
    const abut__border* border = &surface->border;
    size_t source = first;
    while (source < end && !is_current(surface, &border->from.data[source])) {
        ++source;
    }
    const bool stale = source == end;
    for (int k = step && !stale ? 0 : 1; k < 2; ++k) {
        uint8_t* to = border->state[k].data + vertex * surface->size;
        memcpy(to, position_of(surface, &border->from.data[stale ? first : source], k),
               surface->size);
        for (size_t i = source + 1; i < end; ++i) {
            const abut__border_vertex* v = &border->from.data[i];
            if (is_current(surface, v) &&
                memcmp(to, position_of(surface, v, k), surface->size) != 0) {
                return note_conflict(world, surface, v, "position");
            }
        }
    }
    if (step && stale) {
        memcpy(border->state[0].data + vertex * surface->size,
               border->state[1].data + vertex * surface->size, surface->size);
    }
    return true;
}

static bool move_vertices(abut_world* world, abut__surface* surface, bool step) {
    const abut__border* border = &surface->border;
    size_t vertex = 0;
    for (size_t first = 0, end; first < border->from.count; first = end, ++vertex) {
        end = first + 1;
        while (end < border->from.count &&
               border->from.data[end].id == border->from.data[first].id) {
            ++end;
        }
        if (!move_vertex(world, surface, first, end, vertex, step)) {
            return false;
        }
    }
    return true;
}

// whether all blocks that are needed now are in the border; a border is freed where ghosts join or leave
static bool is_complete(const abut__surface* surface) {
    const abut__border* border = &surface->border;
    for (size_t i = 0; i < surface->tiles.count && border->made; ++i) {
        const abut__tile* tile = &surface->tiles.data[i];
        if (tile->used != surface->query) {
            continue;
        }
        const uint32_t id = surface->triangles.data[surface->order.data[tile->first]];
        if (bsearch(&id, border->triangles.data, border->triangles.count, sizeof id, compare_ids) ==
            NULL) {
            return false;
        }
    }
    return border->made;
}

bool abut__border_update(abut_world* world, abut__surface* surface, bool step) {
    abut__border* border = &surface->border;
    if (surface->ghosts.count == 0) {
        abut__border_free(world, surface);
        return true;
    }
    if (!is_complete(surface)) {
        abut__border_free(world, surface);
        if (!make_border(world, surface)) {
            return false;
        }
    }
    for (size_t t = 0; t < border->triangles.count; ++t) {
        const uint32_t ghost = border->ghost.data[t];
        border->side.data[t] = ghost == ABUT__ABSENT                                ? 0
                               : surface->ghosts.data[ghost].used == surface->query ? 1
                                                                                    : 2;
    }
    if (!move_vertices(world, surface, step)) {
        return false;
    }
    abut_error error = {0};
    const size_t count = border->vertices.count;
    const abut_positions from = {border->state[0].data, count, 0, surface->type};
    const abut_positions to = {border->state[1].data, count, 0, surface->type};
    const abut_status status =
        step ? abut_body_borrow_step(surface->scene, border->body, from, to, &error)
             : abut_body_borrow_positions(surface->scene, border->body, to, &error);
    if (status != ABUT_OK) {
        abut__trouble_from(world, &error, surface->id);
    }
    return status == ABUT_OK;
}
