// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Blocks of a piece of a surface: its triangles along a Hilbert curve through their centres at rest, cut
// after every 64.
#include <math.h>
#include <stdlib.h>

#include "mpi/surface.h"

// A triangle and its place on the curve.
typedef struct placed {
    uint64_t code;
    uint32_t triangle;
} placed;

static int compare_placed(const void* a, const void* b) {
    const placed* x = a;
    const placed* y = b;
    return x->code != y->code ? (x->code > y->code) - (x->code < y->code)
                              : (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static int compare_ids(const void* a, const void* b) {
    const uint32_t x = *(const uint32_t*)a;
    const uint32_t y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

static void read_position(const abut__surface* surface, int end, uint32_t vertex, double at[3]) {
    const uint8_t* from = surface->state[end].data + vertex * surface->size;
    for (size_t d = 0; d < 3; ++d) {
        if (surface->type == ABUT_SCALAR_F64) {
            memcpy(&at[d], from + d * sizeof(double), sizeof(double));
        } else {
            float x;
            memcpy(&x, from + d * sizeof x, sizeof x);
            at[d] = (double)x;
        }
    }
}

static void centre_of(const abut__surface* surface, uint32_t triangle, double centre[3]) {
    const uint32_t* corners = abut_mesh_triangles(surface->mesh) + 3 * (size_t)triangle;
    centre[0] = centre[1] = centre[2] = 0;
    for (int c = 0; c < 3; ++c) {
        double at[3];
        read_position(surface, 1, corners[c], at);
        for (int d = 0; d < 3; ++d) {
            centre[d] += at[d] / 3;
        }
    }
}

// the grid of the curve, around all centres
static void make_grid(const abut__surface* surface, size_t triangles, abut__regions* grid) {
    abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t t = 0; t < triangles; ++t) {
        double centre[3];
        centre_of(surface, (uint32_t)t, centre);
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = fmin(box.lo[d], centre[d]);
            box.hi[d] = fmax(box.hi[d], centre[d]);
        }
    }
    double length = 0;
    for (int d = 0; d < 3; ++d) {
        length = fmax(length, box.hi[d] - box.lo[d]);
    }
    for (int d = 0; d < 3; ++d) {
        grid->axis[d] = d;
        grid->lo[d] = box.lo[d];
        grid->scale[d] = length > 0 ? (double)(1u << ABUT__CURVE_BITS) / length : 0;
    }
    grid->axes = 3;
}

// sorts the triangles of the piece along the curve
static bool order_triangles(abut_world* world, abut__surface* surface) {
    const abut_allocator* memory = &world->memory;
    const size_t count = surface->triangles.count;
    ABUT__LIST(placed) list = {0};
    abut__regions grid = {0};
    make_grid(surface, count, &grid);
    placed* items = abut__append(memory, &list, count);
    uint32_t* order = abut__append(memory, &surface->order, count);
    for (size_t t = 0; t < count && items != NULL; ++t) {
        double centre[3];
        uint32_t cell[3];
        centre_of(surface, (uint32_t)t, centre);
        for (int k = 0; k < 3; ++k) {
            cell[k] = abut__cell_of(&grid, k, centre[k]);
        }
        items[t] = (placed){abut__curve_code(3, cell), (uint32_t)t};
    }
    const bool done = items != NULL && order != NULL;
    if (done) {
        qsort(items, count, sizeof *items, compare_placed);
        for (size_t t = 0; t < count; ++t) {
            order[t] = items[t].triangle;
        }
    }
    abut__discard(memory, &list);
    return done;
}

// lists the vertices of a block, each once, in the order of ids
static bool list_vertices(abut_world* world, abut__surface* surface, abut__tile* tile) {
    uint32_t found[3 * ABUT__BLOCK_MOST];
    size_t count = 0;
    for (uint32_t t = 0; t < tile->count; ++t) {
        const uint32_t triangle = surface->order.data[tile->first + t];
        memcpy(found + count, abut_mesh_triangles(surface->mesh) + 3 * (size_t)triangle,
               3 * sizeof *found);
        count += 3;
    }
    qsort(found, count, sizeof *found, compare_ids);
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || found[i] != found[i - 1]) {
            found[kept++] = found[i];
        }
    }
    tile->first_vertex = (uint32_t)surface->tile_vertices.count;
    tile->vertex_count = (uint32_t)kept;
    uint32_t* to = abut__append(&world->memory, &surface->tile_vertices, kept);
    if (to != NULL) {
        memcpy(to, found, kept * sizeof *to);
    }
    return to != NULL;
}

bool abut__tiles_make(abut_world* world, abut__surface* surface) {
    const size_t count = surface->triangles.count;
    if (count == 0) {
        return true;
    }
    const size_t tiles = (count + ABUT__BLOCK_MOST - 1) / ABUT__BLOCK_MOST;
    if (!order_triangles(world, surface) ||
        abut__append(&world->memory, &surface->tiles, tiles) == NULL) {
        return false;
    }
    for (size_t i = 0; i < tiles; ++i) {
        abut__tile* tile = &surface->tiles.data[i];
        const size_t left = count - i * ABUT__BLOCK_MOST;
        *tile = (abut__tile){.first = (uint32_t)(i * ABUT__BLOCK_MOST),
                             .count = left < ABUT__BLOCK_MOST ? (uint32_t)left : ABUT__BLOCK_MOST};
        qsort(surface->order.data + tile->first, tile->count, sizeof(uint32_t), compare_ids);
        if (!list_vertices(world, surface, tile)) {
            return false;
        }
    }
    return true;
}

// ---- boxes

void abut__tiles_place(abut__surface* surface, const abut__reach* reach) {
    for (size_t i = 0; i < surface->tiles.count; ++i) {
        abut__tile* tile = &surface->tiles.data[i];
        abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (uint32_t v = 0; v < tile->vertex_count; ++v) {
            for (int end = reach->step ? 0 : 1; end < 2; ++end) {
                double at[3];
                read_position(surface, end, surface->tile_vertices.data[tile->first_vertex + v],
                              at);
                for (int d = 0; d < 3; ++d) {
                    box.lo[d] = fmin(box.lo[d], at[d]);
                    box.hi[d] = fmax(box.hi[d], at[d]);
                }
            }
        }
        abut__box_grow(&box, 0.5 * reach->margin + (reach->thick ? surface->thickness : 0),
                       tile->box);
    }
}

uint32_t abut__chunk_count(const abut__surface* surface) {
    return (uint32_t)((surface->tiles.count + ABUT__CHUNK_BLOCKS - 1) / ABUT__CHUNK_BLOCKS);
}

void abut__chunk_box(const abut__surface* surface, uint32_t chunk, float box[6]) {
    const size_t first = (size_t)chunk * ABUT__CHUNK_BLOCKS;
    memcpy(box, surface->tiles.data[first].box, 6 * sizeof *box);
    for (size_t i = first + 1; i < first + ABUT__CHUNK_BLOCKS && i < surface->tiles.count; ++i) {
        const float* other = surface->tiles.data[i].box;
        for (int d = 0; d < 3; ++d) {
            box[d] = other[d] < box[d] ? other[d] : box[d];
            box[3 + d] = other[3 + d] > box[3 + d] ? other[3 + d] : box[3 + d];
        }
    }
}
