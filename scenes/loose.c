// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two clouds of loose pieces: quads and patches that each fly to a new place, so that a tree made
// for the first frame wears out, and slivers that turn where they are.

#include <math.h>

#include "scenes/scenes_internal.h"

#define NUMBERS 16  // random ones of each piece

typedef struct loose_form {
    const char* names[2];
    uint32_t vertices;
    uint32_t triangles;
    const double (*place)[2];  // of each vertex of a flat piece
    const uint32_t (*corner)[3];
    double size;    // 1: half the distance of pieces, on average
    double bend;    // greatest height of a vertex, in the same unit
    double travel;  // part of the way to a new place
    double spin;    // over the whole motion
} loose_form;

typedef struct loose_data {
    const loose_form* form;
    uint32_t pieces;
    uint32_t seed;
} loose_data;

static const double quad_place[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
static const uint32_t quad_corner[2][3] = {{0, 1, 2}, {0, 2, 3}};
static const loose_form quads = {
    {"first quads", "second quads"}, 4, 2, quad_place, quad_corner, 0.7, 0, 1, 4};

static const double patch_place[9][2] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {0, 0},
                                         {1, 0},   {-1, 1}, {0, 1},  {1, 1}};
static const uint32_t patch_corner[8][3] = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4},
                                            {3, 4, 7}, {3, 7, 6}, {4, 5, 8}, {4, 8, 7}};
static const loose_form patches = {
    {"first patches", "second patches"}, 9, 8, patch_place, patch_corner, 0.8, 0.3, 1, 4};

static const double sliver_place[3][2] = {{-1, 0}, {1, -0.01}, {1, 0.01}};
static const uint32_t sliver_corner[1][3] = {{0, 1, 2}};
static const loose_form slivers = {
    {"first slivers", "second slivers"}, 3, 1, sliver_place, sliver_corner, 2.2, 0, 0.05, 1};

// The first random number of a piece: those 0 to 2 place it, 3 to 5 are its new place, 6 and 7 the
// axis about which it turns, 8 to 10 how it lies, 11 how it is bent.
static uint32_t first_number(const loose_data* data, uint32_t body, uint32_t piece) {
    return NUMBERS * (body * data->pieces + piece);
}

static void loose_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const loose_data* data = s->data;
    const double* rest = s->bodies[body].rest;
    const double time = scene__time(s, frame);
    for (uint32_t k = 0; k < data->pieces; ++k) {
        const uint32_t first = first_number(data, body, k);
        double from[3];
        double way[3];
        double axis[3];
        double r[3][3];
        for (uint32_t d = 0; d < 3; ++d) {
            from[d] = scene__random(data->seed, first + d);
            way[d] = data->form->travel * (scene__random(data->seed, first + 3 + d) - from[d]);
        }
        scene__random_direction(data->seed, first + 6, axis);
        scene__rotation(axis, data->form->spin * time, r);
        const size_t at = 3 * (size_t)k * data->form->vertices;
        for (size_t i = at; i < at + 3 * (size_t)data->form->vertices; i += 3) {
            const double p[3] = {rest[i] - from[0], rest[i + 1] - from[1], rest[i + 2] - from[2]};
            for (size_t d = 0; d < 3; ++d) {
                xyz[i + d] = from[d] + time * way[d] +
                             (r[d][0] * p[0] + r[d][1] * p[1] + r[d][2] * p[2]);
            }
        }
    }
}

static void make_piece(const loose_data* data, uint32_t body, uint32_t piece, scene_mesh* mesh) {
    const loose_form* form = data->form;
    const uint32_t first = first_number(data, body, piece);
    const double size = 0.5 * form->size / cbrt((double)data->pieces);
    const double bend = scene__random_in(data->seed, first + 11, 0.0, form->bend);
    double axis[3];
    double r[3][3];
    scene__random_direction(data->seed, first + 8, axis);
    scene__rotation(axis, scene__random_in(data->seed, first + 10, 0.0, 2.0 * SCENE_PI), r);
    for (uint32_t v = 0; v < form->vertices; ++v) {
        const double* flat = form->place[v];
        const double p[3] = {flat[0], flat[1], bend * flat[0] * flat[0]};
        double* out = mesh->rest + 3 * ((size_t)piece * form->vertices + v);
        for (uint32_t d = 0; d < 3; ++d) {
            out[d] = scene__random(data->seed, first + d) +
                     size * (r[d][0] * p[0] + r[d][1] * p[1] + r[d][2] * p[2]);
        }
    }
    for (uint32_t t = 0; t < form->triangles; ++t) {
        for (uint32_t c = 0; c < 3; ++c) {
            mesh->triangles[3 * ((size_t)piece * form->triangles + t) + c] =
                piece * form->vertices + form->corner[t][c];
        }
    }
}

static void make_loose(scene* s, const scene_wish* wish, const loose_form* form) {
    loose_data* data = scene__alloc(s, 1, sizeof *data);
    const uint32_t wanted = wish->triangles / form->triangles;
    if (data == NULL) {
        return;
    }
    *data = (loose_data){form, wanted > 0 ? wanted : 1, wish->seed};
    for (uint32_t body = 0; body < 2; ++body) {
        scene_mesh mesh;
        if (!scene__mesh_alloc(s, &mesh, data->pieces * form->vertices,
                               data->pieces * form->triangles)) {
            return;
        }
        for (uint32_t k = 0; k < data->pieces; ++k) {
            make_piece(data, body, k, &mesh);
        }
        scene__add_body(s, form->names[body], &mesh, true, false);
    }
    s->data = data;
    s->positions = loose_positions;
}

void scene__make_loose_quads(scene* s, const scene_wish* wish) {
    make_loose(s, wish, &quads);
}

void scene__make_loose_patches(scene* s, const scene_wish* wish) {
    make_loose(s, wish, &patches);
}

void scene__make_slivers(scene* s, const scene_wish* wish) {
    make_loose(s, wish, &slivers);
}
