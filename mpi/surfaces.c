// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces: adding and removing them, and positions of pieces.
#include <math.h>
#include <stdlib.h>

#include "mpi/surface.h"

#define COOKIE_SURFACE 0x57D3u

abut_surface_def abut_surface_def_default(void) {
    return (abut_surface_def){.cookie = COOKIE_SURFACE};
}

abut__surface* abut__surface_find(const abut_world* world, uint32_t id) {
    for (size_t i = 0; i < world->surfaces.count; ++i) {
        if (world->surfaces.data[i]->id == id) {
            return world->surfaces.data[i];
        }
    }
    return NULL;
}

static void free_surface(abut_world* world, abut__surface* surface) {
    const abut_allocator* memory = &world->memory;
    if (surface == NULL) {
        return;
    }
    abut__halo_forget(world, surface);
    abut__border_free(world, surface);
    abut_scene_destroy(surface->scene);
    abut__discard(memory, &surface->vertices);
    abut__discard(memory, &surface->triangles);
    abut__discard(memory, &surface->classes);
    abut__discard(memory, &surface->place);
    abut__discard(memory, &surface->owned);
    abut__discard(memory, &surface->state[0]);
    abut__discard(memory, &surface->state[1]);
    abut__discard(memory, &surface->order);
    abut__discard(memory, &surface->tile_vertices);
    abut__discard(memory, &surface->tiles);
    abut__discard(memory, &surface->regions.starts);
    abut__discard(memory, &surface->holders);
    abut__discard(memory, &surface->ghosts);
    memory->free(memory->user, surface, sizeof *surface, 16);
}

void abut__surfaces_free(abut_world* world) {
    for (size_t i = 0; i < world->surfaces.count; ++i) {
        free_surface(world, world->surfaces.data[i]);
    }
    abut__discard(&world->memory, &world->surfaces);
}

void abut__surfaces_forget(abut_world* world) {
    for (size_t i = 0; i < world->surfaces.count; ++i) {
        abut__halo_forget(world, world->surfaces.data[i]);
        world->surfaces.data[i]->regions.made = false;
    }
}

// ---- positions

static const char* position_at(const abut_positions* positions, size_t size, size_t i) {
    return (const char*)positions->data + i * (positions->stride != 0 ? positions->stride : size);
}

static bool is_finite(const abut_positions* positions, size_t size, size_t i) {
    const char* at = position_at(positions, size, i);
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
        sum += positions->type == ABUT_SCALAR_F64 ? 0 * ((const double*)(const void*)at)[d]
                                                  : 0 * (double)((const float*)(const void*)at)[d];
    }
    return sum == 0;
}

// the place of the first position that is not finite, or ABUT__ABSENT
static uint32_t find_bad(const abut_positions* positions, size_t size) {
    for (size_t i = 0; i < positions->count; ++i) {
        if (!is_finite(positions, size, i)) {
            return (uint32_t)i;
        }
    }
    return ABUT__ABSENT;
}

static void store(abut__surface* surface, const abut_positions* positions, uint8_t* to) {
    for (size_t i = 0; i < positions->count; ++i) {
        memcpy(to + surface->place.data[i] * surface->size,
               position_at(positions, surface->size, i), surface->size);
    }
}

static abut_positions view_of(const abut__surface* surface, int end) {
    return (abut_positions){surface->state[end].data, surface->vertices.count, 0, surface->type};
}

abut_status abut__surface_lend(abut__surface* surface, bool step, abut_error* error) {
    if (surface->mesh == NULL) {
        return ABUT_OK;
    }
    const abut_status status = step ? abut_body_borrow_step(surface->scene, surface->body,
                                                            view_of(surface, 0),
                                                            view_of(surface, 1), error)
                                    : abut_body_borrow_positions(surface->scene, surface->body,
                                                                 view_of(surface, 1), error);
    surface->lent_step = status == ABUT_OK ? step : surface->lent_step;
    return status;
}

static abut_status refuse_positions(const abut__surface* surface, const abut_positions* positions,
                                    abut_error* error) {
    if (positions->type != surface->type || positions->count != surface->vertices.count ||
        (positions->data == NULL && positions->count > 0)) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, surface->id,
                                "the piece has %zu positions of the type of its rest positions",
                                surface->vertices.count);
    }
    const uint32_t bad = find_bad(positions, surface->size);
    if (bad == ABUT__ABSENT) {
        return ABUT_OK;
    }
    const uint32_t id = surface->vertices.data[surface->place.data[bad]];
    abut__fail_world(error, ABUT_ERR_INVALID_DATA, surface->id,
                     "the position of vertex %u is not finite", id);
    if (error != NULL) {
        error->element = ABUT_ELEMENT_VERTEX;
        error->index = id;
    }
    return ABUT_ERR_INVALID_DATA;
}

abut_status abut_world_set_surface_positions(abut_world* world, uint32_t id,
                                             abut_positions positions, abut_error* error) {
    abut__surface* surface = world != NULL ? abut__surface_find(world, id) : NULL;
    if (surface == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                "world is NULL, or has no surface %u", id);
    }
    abut_status status = refuse_positions(surface, &positions, error);
    if (status != ABUT_OK) {
        return status;
    }
    const abut__bytes before = surface->state[0];
    store(surface, &positions, before.data);
    surface->state[0] = surface->state[1];
    surface->state[1] = before;
    const bool sweeps = surface->last_sweep != 0 &&
                        surface->query - surface->last_sweep <= world->keep_steps;
    status = abut__surface_lend(surface, sweeps, error);
    if (status != ABUT_OK) {
        surface->state[1] = surface->state[0];
        surface->state[0] = before;
        if (before.count > 0) {
            memcpy(before.data, surface->state[1].data, before.count);
        }
        surface->number[0] = surface->number[1];
        (void)abut__surface_lend(surface, false, NULL);
        return status;
    }
    surface->number[0] = surface->number[1];
    surface->number[1] = ++surface->count_of_states;
    return ABUT_OK;
}

abut_status abut_world_set_surface_thickness(abut_world* world, uint32_t id, double thickness,
                                             abut_error* error) {
    abut__surface* surface = world != NULL ? abut__surface_find(world, id) : NULL;
    if (surface == NULL || !(thickness >= 0) || isinf(thickness)) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, id,
                                surface == NULL ? "world is NULL, or has no surface %u"
                                                : "the thickness of surface %u is not as described",
                                id);
    }
    const abut_status status = surface->mesh == NULL
                                   ? ABUT_OK
                                   : abut_body_set_thickness(surface->scene, surface->body,
                                                             thickness, error);
    if (status == ABUT_OK) {
        surface->thickness = thickness;
        abut__border_free(world, surface);  // the next one is as thick
    } else if (error != NULL) {
        error->body = (abut_body_id){id, 1};
    }
    return status;
}

// ---- making a piece

typedef struct numbered {
    uint32_t id;
    uint32_t place;
} numbered;
typedef ABUT__LIST(numbered) numbered_list;

static int compare_numbered(const void* a, const void* b) {
    const uint32_t x = ((const numbered*)a)->id;
    const uint32_t y = ((const numbered*)b)->id;
    return (x > y) - (x < y);
}

// Sorts ids: `sorted` gets them in order, `list` where each one was. Ids must differ.
static bool sort_ids(abut_world* world, uint32_t surface, const uint32_t* ids, size_t count,
                     const char* what, numbered_list* list, abut__ids* sorted) {
    numbered* items = abut__append(&world->memory, list, count);
    uint32_t* to = abut__append(&world->memory, sorted, count);
    if (items == NULL || to == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, surface, "no memory for a surface");
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        items[i] = (numbered){ids[i], (uint32_t)i};
    }
    qsort(items, count, sizeof *items, compare_numbered);
    for (size_t i = 0; i < count; ++i) {
        to[i] = items[i].id;
        if (to[i] == UINT32_MAX || (i > 0 && to[i] == to[i - 1])) {
            abut__trouble(world, ABUT_ERR_INVALID_DATA, surface, "%s %u is twice in a piece", what,
                          to[i]);
            return false;
        }
    }
    return true;
}

static bool lacks_memory(abut_world* world, const abut__surface* surface) {
    abut__trouble(world, ABUT_ERR_NO_MEMORY, surface->id, "no memory for a surface");
    return false;
}

// puts the vertices of a piece into the order of their ids
static bool take_vertices(abut_world* world, abut__surface* surface, const abut_surface_def* def) {
    const abut_allocator* memory = &world->memory;
    const size_t count = def->positions.count;
    numbered_list list = {0};
    bool done = sort_ids(world, surface->id, def->vertex_ids, count, "vertex", &list,
                         &surface->vertices);
    uint32_t* place = done ? abut__append(memory, &surface->place, count) : NULL;
    for (size_t i = 0; i < count && place != NULL; ++i) {
        place[list.data[i].place] = (uint32_t)i;
    }
    abut__discard(memory, &list);
    if (!done) {
        return false;
    }
    uint8_t* states[2];
    for (int k = 0; k < 2; ++k) {
        states[k] = abut__append(memory, &surface->state[k], count * surface->size);
    }
    uint32_t* classes = def->class_rule == ABUT_CLASS_RULE_GIVEN
                            ? abut__append(memory, &surface->classes, count)
                            : NULL;
    if (place == NULL || states[0] == NULL || states[1] == NULL ||
        (def->class_rule == ABUT_CLASS_RULE_GIVEN && classes == NULL)) {
        return lacks_memory(world, surface);
    }
    abut_error error = {0};
    if (refuse_positions(surface, &def->positions, &error) != ABUT_OK) {
        abut__trouble_from(world, &error, surface->id);
        return false;
    }
    store(surface, &def->positions, states[0]);
    store(surface, &def->positions, states[1]);
    for (size_t i = 0; i < count && classes != NULL; ++i) {
        classes[place[i]] = def->classes[i];
    }
    return true;
}

// lists corners by the places of vertices, triangles in the order of their ids
static bool take_triangles(abut_world* world, abut__surface* surface, const abut_surface_def* def,
                           abut__ids* corners) {
    const abut_allocator* memory = &world->memory;
    numbered_list list = {0};
    bool done = sort_ids(world, surface->id, def->triangle_ids, def->triangle_count, "triangle",
                         &list, &surface->triangles);
    uint32_t* to = done ? abut__append(memory, corners, 3 * def->triangle_count) : NULL;
    if (done && to == NULL) {
        done = lacks_memory(world, surface);
    }
    for (size_t t = 0; t < def->triangle_count && done; ++t) {
        for (size_t c = 0; c < 3; ++c) {
            const uint32_t from = def->triangles[3 * (size_t)list.data[t].place + c];
            if (from >= def->positions.count) {
                abut__trouble(world, ABUT_ERR_INVALID_DATA, surface->id,
                              "triangle %u has no such vertex", surface->triangles.data[t]);
                done = false;
                break;
            }
            to[3 * t + c] = surface->place.data[from];
        }
    }
    abut__discard(memory, &list);
    return done;
}

// makes the body of the piece
static abut_status make_body(abut_world* world, abut__surface* surface, const abut__ids* corners,
                             abut_error* error) {
    abut_mesh_def def = abut_mesh_def_default();
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    def.positions = view_of(surface, 1);
    def.triangles = corners->data;
    def.triangle_count = corners->count / 3;
    def.class_rule = surface->class_rule;
    def.classes = surface->classes.data;
    abut_status status = abut_scene_create(world->context, &world->scene_def, &surface->scene,
                                           error);
    if (status == ABUT_OK) {
        status = abut_mesh_create(world->context, &def, &mesh, error);
    }
    if (status == ABUT_OK) {
        status = abut_shape_create(world->context, mesh, NULL, &shape, error);
    }
    if (status == ABUT_OK) {
        status = abut_body_create(surface->scene, shape, NULL, &surface->body, error);
    }
    if (status == ABUT_OK) {
        surface->mesh = abut_shape_mesh(shape);
        status = abut__surface_lend(surface, false, error);
    }
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    return status;
}

static bool fill_surface(abut_world* world, abut__surface* surface, const abut_surface_def* def) {
    abut__ids corners = {0};
    bool done = take_vertices(world, surface, def) && take_triangles(world, surface, def, &corners);
    if (done && def->triangle_count > 0) {
        abut_error error = {0};
        done = make_body(world, surface, &corners, &error) == ABUT_OK;
        if (!done) {
            abut__trouble_from(world, &error, surface->id);
        }
    }
    abut__discard(&world->memory, &corners);
    if (done && !abut__tiles_make(world, surface)) {
        done = lacks_memory(world, surface);
    }
    return done;
}

// makes a surface with the piece of this rank; NULL: trouble was noted
static abut__surface* make_surface(abut_world* world, uint32_t id, const abut_surface_def* def) {
    const abut_allocator* memory = &world->memory;
    abut__surface* surface = memory->alloc(memory->user, sizeof *surface, 16);
    if (surface == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, id, "no memory for a surface");
        return NULL;
    }
    memset(surface, 0, sizeof *surface);
    surface->id = id;
    surface->type = def->positions.type;
    surface->size = 3 * (surface->type == ABUT_SCALAR_F64 ? sizeof(double) : sizeof(float));
    surface->class_rule = def->class_rule;
    surface->number[0] = surface->number[1] = surface->count_of_states = 1;
    if (!fill_surface(world, surface, def) ||
        !abut__make_room(memory, &world->surfaces, world->surfaces.count + 1)) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, id, "no memory for a surface");
        free_surface(world, surface);
        return NULL;
    }
    return surface;
}

static const char* refusal_of(const abut_surface_def* def) {
    return def == NULL || def->cookie != COOKIE_SURFACE
               ? "the settings were not made by abut_surface_def_default()"
           : (unsigned)def->class_rule > ABUT_CLASS_RULE_NONE ||
                   (unsigned)def->positions.type > ABUT_SCALAR_F64
               ? "class rule or type of positions are not known"
           : def->positions.count >= 1u << 30 || def->triangle_count >= 1u << 30
               ? "a piece has 2^30 vertices or triangles"
           : (def->positions.count > 0 &&
              (def->positions.data == NULL || def->vertex_ids == NULL ||
               (def->class_rule == ABUT_CLASS_RULE_GIVEN && def->classes == NULL))) ||
                   (def->triangle_count > 0 &&
                    (def->triangles == NULL || def->triangle_ids == NULL))
               ? "an array of the piece is NULL"
               : NULL;
}

abut_status abut_world_add_surface(abut_world* world, uint32_t id, const abut_surface_def* def,
                                   abut_error* error) {
    if (world == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT, "world is NULL");
    }
    world->trouble.status = ABUT_OK;
    world->exchanges = 0;
    const char* refusal = refusal_of(def);
    if (refusal != NULL) {
        abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT, id, "%s", refusal);
    } else if (id == ABUT__ABSENT || abut__surface_find(world, id) != NULL) {
        abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT, id, "there is a surface %u already", id);
    }
    const uint32_t settings[3] = {id, refusal == NULL ? (uint32_t)def->class_rule : 0,
                                  refusal == NULL ? (uint32_t)def->positions.type : 0};
    abut_status status = abut__call_begin(world, abut__hash_bytes(settings, sizeof settings, 20),
                                          NULL, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__surface* surface = make_surface(world, id, def);
    abut__owners_find(world, surface);
    status = abut__agree(world, NULL, error);
    if (status != ABUT_OK) {
        free_surface(world, surface);
        return status;
    }
    world->surfaces.data[world->surfaces.count++] = surface;
    return ABUT_OK;
}

abut_status abut_world_remove_surface(abut_world* world, uint32_t id, abut_error* error) {
    if (world == NULL) {
        return abut__fail_world(error, ABUT_ERR_INVALID_ARGUMENT, ABUT__ABSENT, "world is NULL");
    }
    world->trouble.status = ABUT_OK;
    world->exchanges = 0;
    abut__surface* surface = abut__surface_find(world, id);
    if (surface == NULL) {
        abut__trouble(world, ABUT_ERR_INVALID_ARGUMENT, id, "there is no surface %u", id);
    }
    const abut_status status = abut__call_begin(world, abut__hash_bytes(&id, sizeof id, 21), NULL,
                                                error);
    for (size_t i = 0; i < world->surfaces.count && status == ABUT_OK; ++i) {
        if (world->surfaces.data[i] == surface) {
            world->surfaces.data[i] = world->surfaces.data[--world->surfaces.count];
            free_surface(world, surface);
        }
    }
    return status;
}
