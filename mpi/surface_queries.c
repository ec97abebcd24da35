// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Queries of surfaces: within the piece of this rank, and within its border, where pairs of triangles of
// this piece with those of others count.
#include "mpi/surface.h"

// ---- parts

static bool pass(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                 uint32_t triangle_b) {
    const abut__surface_part* part = user;
    (void)body_a;
    (void)body_b;
    if (part->side != NULL && part->side[triangle_a] + part->side[triangle_b] != 1) {
        return false;
    }
    return part->filter.fn == NULL ||
           part->filter.fn(part->filter.user, part->surface->id, part->triangles[triangle_a],
                           part->surface->id, part->triangles[triangle_b]);
}

static abut_filter filter_of(abut__surface_part* part) {
    return part->side != NULL || part->filter.fn != NULL ? (abut_filter){pass, part}
                                                         : (abut_filter){NULL, NULL};
}

// Lists the parts of this rank: the piece and the border, if they are there. Brings the border.
static uint32_t open_parts(abut_world* world, abut__surface* surface, const abut__reach* reach,
                           abut_filter filter, abut__surface_part parts[2]) {
    uint32_t count = 0;
    abut__halo_bring(world, surface, reach);
    abut_error error = {0};
    if (world->trouble.status == ABUT_OK && reach->step && !surface->lent_step &&
        abut__surface_lend(surface, true, &error) != ABUT_OK) {
        abut__trouble_from(world, &error, surface->id);
    }
    surface->last_sweep = reach->step ? surface->query : surface->last_sweep;
    if (world->trouble.status != ABUT_OK || surface->mesh == NULL ||
        !abut__border_update(world, surface, reach->step)) {
        return 0;
    }
    parts[count++] = (abut__surface_part){.surface = surface,
                                          .body = surface->body,
                                          .mesh = surface->mesh,
                                          .vertices = surface->vertices.data,
                                          .triangles = surface->triangles.data,
                                          .owned = surface->owned.data,
                                          .filter = filter};
    if (surface->border.made) {
        const abut__border* border = &surface->border;
        parts[count++] = (abut__surface_part){.surface = surface,
                                              .body = border->body,
                                              .mesh = abut_shape_mesh(
                                                  abut_body_shape(surface->scene, border->body)),
                                              .vertices = border->vertices.data,
                                              .triangles = border->triangles.data,
                                              .owned = border->owned.data,
                                              .side = border->side.data,
                                              .filter = filter};
    }
    return count;
}

// ends the query about one part; false: it failed
static bool part_done(abut_world* world, const abut__surface_part* part, abut_status status,
                      const abut_error* error, const abut_counters* work, abut_counters* counters) {
    abut__counters_sum(&world->stats.counters, work);
    if (counters != NULL) {
        abut__counters_sum(counters, work);
    }
    if (status != ABUT_OK) {
        abut__trouble_from(world, error, part->surface->id);
    }
    return status == ABUT_OK;
}

// appends room for rows; NULL: trouble was noted, or there are none
static void* room_for(abut_world_answer* answer, const abut__surface_part* part, size_t count) {
    abut_world* world = answer->world;
    void* to = count > 0 ? abut__append(&world->memory, &answer->rows, count * answer->row_size)
                         : NULL;
    if (count > 0 && to == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, part->surface->id, "no memory for rows");
    }
    return to;
}

// ---- what all queries share

// Checks arguments and begins the call; `settings` is the hash of what must be the same on all ranks.
static abut_status begin(abut_world* world, uint32_t id, const abut_world_query_def** query,
                         abut_world_answer* answer, const char* refusal, uint64_t settings,
                         abut__surface** surface, abut_error* error) {
    *surface = world != NULL ? abut__surface_find(world, id) : NULL;
    if (*surface == NULL && refusal == NULL) {
        refusal = "the world has no such surface";
    }
    const double numbers[2] = {id, *surface != NULL ? (*surface)->thickness : 0};
    return abut__query_begin(world, query, answer, refusal,
                             settings ^ abut__hash_bytes(numbers, sizeof numbers, 22), error);
}

// ---- collide

static void collide_part(abut_world* world, abut__surface_part* part, const abut_collide_def* def,
                         abut_world_answer* answer) {
    abut_counters work = {0};
    abut_error error = {0};
    abut_collide_def own = *def;
    own.head.counters = &work;
    own.filter = filter_of(part);
    const abut_status status = abut_collide_self(part->surface->scene, part->body, &own,
                                                 answer->collide, &error);
    if (!part_done(world, part, status, &error, &work, def->head.counters)) {
        return;
    }
    size_t count = 0;
    const abut_pair* rows = abut_collide_result_pairs(answer->collide, &count);
    abut_pair* to = room_for(answer, part, count);
    for (size_t i = 0; i < count && to != NULL; ++i) {
        to[i] = (abut_pair){part->surface->id, part->surface->id,
                            part->triangles[rows[i].triangle_a],
                            part->triangles[rows[i].triangle_b]};
    }
}

abut_status abut_world_collide_surface(abut_world* world, uint32_t id, const abut_collide_def* def,
                                       const abut_world_query_def* query, abut_world_answer* answer,
                                       abut_error* error) {
    const abut_collide_def defaults = abut_collide_def_default();
    def = def != NULL ? def : &defaults;
    const double numbers[2] = {def->margin, def->include_neighbours ? 1 : 0};
    abut__surface* surface;
    const abut_status status = begin(world, id, &query, answer, abut__collide_refusal(def),
                                     abut__hash_bytes(numbers, sizeof numbers, 23), &surface,
                                     error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__surface_part parts[2];
    const abut__reach reach = {.margin = def->margin};
    abut__rows_begin(answer, sizeof(abut_pair));
    const uint32_t count = open_parts(world, surface, &reach, def->filter, parts);
    for (uint32_t i = 0; i < count && world->trouble.status == ABUT_OK; ++i) {
        collide_part(world, &parts[i], def, answer);
    }
    return abut__surface_rows_end(answer, id, query, error);
}

// ---- within

static void measure_part(abut_world* world, abut__surface_part* part, const abut_within_def* def,
                         abut_world_answer* answer) {
    abut_counters work = {0};
    abut_error error = {0};
    abut_within_def own = *def;
    own.head.counters = &work;
    own.filter = filter_of(part);
    const abut_status status = abut_within_self(part->surface->scene, part->body, &own,
                                                answer->within, &error);
    if (!part_done(world, part, status, &error, &work, def->head.counters)) {
        return;
    }
    size_t count = 0;
    const abut_distance_pair* rows = abut_within_result_pairs(answer->within, &count);
    abut_distance_pair* to = room_for(answer, part, count);
    for (size_t i = 0; i < count && to != NULL; ++i) {
        memcpy(&to[i], &rows[i], sizeof *to);
        to[i].triangle_a = part->triangles[rows[i].triangle_a];
        to[i].triangle_b = part->triangles[rows[i].triangle_b];
    }
}

abut_status abut_world_within_surface(abut_world* world, uint32_t id, const abut_within_def* def,
                                      const abut_world_query_def* query, abut_world_answer* answer,
                                      abut_error* error) {
    const abut_within_def defaults = abut_within_def_default();
    def = def != NULL ? def : &defaults;
    abut__surface* surface;
    const abut_status status = begin(world, id, &query, answer, abut__within_refusal(def),
                                     abut__hash_bytes(&def->distance, sizeof def->distance, 24),
                                     &surface, error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__surface_part parts[2];
    const abut__reach reach = {.margin = def->distance, .thick = true};
    abut__rows_begin(answer, sizeof(abut_distance_pair));
    const uint32_t count = open_parts(world, surface, &reach, def->filter, parts);
    for (uint32_t i = 0; i < count && world->trouble.status == ABUT_OK; ++i) {
        measure_part(world, &parts[i], def, answer);
    }
    return abut__surface_rows_end(answer, id, query, error);
}

// ---- sweep

// Whether a triangle has a vertex (`b` == `a`) or an edge first in the whole mesh. In the part it has it
// first: that is how the row was found.
static bool has_first(const abut__surface_part* part, uint32_t triangle, uint32_t a, uint32_t b) {
    const uint32_t* corners = abut_mesh_triangles(part->mesh) + 3 * (size_t)triangle;
    uint32_t bits = 0;
    for (uint32_t c = 0; c < 3; ++c) {
        const uint32_t x = corners[c];
        const uint32_t y = corners[(c + 1) % 3];
        if (a == b ? x == a : (x == a && y == b) || (x == b && y == a)) {
            bits |= 1u << (a == b ? c : 3 + c);
        }
    }
    return (part->owned[triangle] & bits) != 0;
}

static bool stays(const abut__surface_part* part, const abut_sweep_pair* row) {
    return row->kind == ABUT_CONTACT_EDGE_EDGE
               ? has_first(part, row->triangle_a, row->vertices_a[0], row->vertices_a[1]) &&
                     has_first(part, row->triangle_b, row->vertices_b[0], row->vertices_b[1])
               : has_first(part, row->triangle_a, row->vertices_a[0], row->vertices_a[0]);
}

static void name_vertices(const abut__surface_part* part, uint32_t vertices[3]) {
    for (int i = 0; i < 3; ++i) {
        vertices[i] = vertices[i] != UINT32_MAX ? part->vertices[vertices[i]] : UINT32_MAX;
    }
}

static void sweep_part(abut_world* world, abut__surface_part* part, const abut_sweep_def* def,
                       abut_world_answer* answer) {
    abut_counters work = {0};
    abut_error error = {0};
    abut_sweep_def own = *def;
    own.head.counters = &work;
    own.filter = filter_of(part);
    const abut_status status = abut_sweep_self(part->surface->scene, part->body, &own,
                                               answer->sweep, &error);
    size_t count = 0;
    size_t kept = 0;
    const abut_sweep_pair* rows = status == ABUT_OK ? abut_sweep_result_pairs(answer->sweep, &count)
                                                    : NULL;
    abut_sweep_pair* to = room_for(answer, part, count);
    for (size_t i = 0; i < count && to != NULL; ++i) {
        if (!stays(part, &rows[i])) {
            --work.pairs_found;
            work.pairs_undecided -= rows[i].undecided ? 1 : 0;
            continue;
        }
        abut_sweep_pair* row = &to[kept++];
        memcpy(row, &rows[i], sizeof *row);
        row->triangle_a = part->triangles[rows[i].triangle_a];
        row->triangle_b = part->triangles[rows[i].triangle_b];
        name_vertices(part, row->vertices_a);
        name_vertices(part, row->vertices_b);
    }
    answer->rows.count -= to != NULL ? (count - kept) * sizeof *to : 0;
    part_done(world, part, status, &error, &work, def->head.counters);
}

abut_status abut_world_sweep_surface(abut_world* world, uint32_t id, const abut_sweep_def* def,
                                     const abut_world_query_def* query, abut_world_answer* answer,
                                     abut_error* error) {
    const abut_sweep_def defaults = abut_sweep_def_default();
    def = def != NULL ? def : &defaults;
    const double numbers[2] = {def->margin, def->tolerance};
    abut__surface* surface;
    const abut_status status = begin(world, id, &query, answer, abut__sweep_refusal(def),
                                     abut__hash_bytes(numbers, sizeof numbers, 25), &surface,
                                     error);
    if (status != ABUT_OK) {
        return status;
    }
    abut__surface_part parts[2];
    const abut__reach reach = {.margin = def->margin, .step = true, .thick = true};
    abut__rows_begin(answer, sizeof(abut_sweep_pair));
    const uint32_t count = open_parts(world, surface, &reach, def->filter, parts);
    for (uint32_t i = 0; i < count && world->trouble.status == ABUT_OK; ++i) {
        sweep_part(world, &parts[i], def, answer);
    }
    return abut__surface_rows_end(answer, id, query, error);
}
