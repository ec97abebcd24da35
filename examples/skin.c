// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Blend motion: an arm of three bones in one skin. Every vertex follows two bones by weights that
// sum to 1, and a state is one transform a bone, as an animation gives them. The arm curls up: it
// sweeps past a post and then reaches itself. Only what comes near the post is moved to ask about
// it. Where the arm stands is a matter of its frame, not of its bones.
#include <math.h>
#include <string.h>

#include "grid.h"

#define BONES 3  // along x, each 1 long; bone j turns about (j, 0, 0)

// the sheet rolled up to a tube along x; both copies of a vertex at the seam get the same bits
static void make_tube(grid* g, double length, double radius) {
    grid_make(g, 1, 0);
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const double angle = 6.283185307179586 * (v / (GRID + 1) % GRID) / GRID;
        g->xyz[v][0] = length * (v % (GRID + 1)) / GRID;
        g->xyz[v][1] = radius * cos(angle);
        g->xyz[v][2] = radius * sin(angle);
    }
}

// from bone to bone skin blends smoothly, over 0.4 about each joint
static void make_weights(const grid* g, uint32_t bones[][2], float weights[][2]) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const double joint = g->xyz[v][0] < 1.5 ? 1 : 2;
        const double across = fmin(1, fmax(0, (g->xyz[v][0] - joint) / 0.4 + 0.5));
        const double share = across * across * (3 - 2 * across);
        bones[v][0] = (uint32_t)joint - 1;
        bones[v][1] = (uint32_t)joint;
        weights[v][0] = (float)(1 - share);
        weights[v][1] = (float)share;
    }
}

static abut_shape* make_arm(abut_context* context) {
    static grid tube;
    static uint32_t bones[GRID_VERTICES][2];
    static float weights[GRID_VERTICES][2];
    make_tube(&tube, BONES, 0.15);
    make_weights(&tube, bones, weights);
    abut_blend_def def = abut_blend_def_default();
    def.weights = (abut_weights){.node_count = BONES,
                                 .per_vertex = 2,
                                 .nodes = &bones[0][0],
                                 .values = &weights[0][0],
                                 .type = ABUT_SCALAR_F32};  // copied
    abut_error error;
    abut_mesh* mesh = grid_mesh(context, &tube);
    abut_shape* shape = NULL;
    need(abut_shape_create_blend(context, mesh, &def, &shape, &error), &error);
    abut_mesh_destroy(mesh);  // the shape keeps it
    return shape;
}

// every joint is bent by the same angle: bone j turns by j of them, about where joint j has gone
static void pose(double bend, double bones[BONES][3][4]) {
    double at[2] = {0, 0};
    for (int j = 0; j < BONES; ++j) {
        const double c = cos(j * bend);
        const double s = sin(j * bend);
        const double rows[3][4] = {
            {c, -s, 0, at[0] - c * j}, {s, c, 0, at[1] - s * j}, {0, 0, 1, 0}};
        memcpy(bones[j], rows, sizeof rows);
        at[0] += c;
        at[1] += s;
    }
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);

    abut_body_id arm;
    abut_body_def place = abut_body_def_default();
    place.frame.t[0] = 100;
    abut_shape* shape = make_arm(context);
    need(abut_body_create(scene, shape, &place, &arm, &error), &error);
    abut_shape_destroy(shape);  // the body keeps it

    static grid tube;
    abut_body_id post;
    make_tube(&tube, 2, 0.1);
    place.frame = (abut_frame){{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}},  // upright,
                               {100 + 1.7, 1.4, 1}};                // where the hand comes by
    place.is_static = true;
    shape = grid_shape(context, &tube);
    need(abut_body_create(scene, shape, &place, &post, &error), &error);
    abut_shape_destroy(shape);

    size_t with_post = 0;
    size_t with_itself = 0;
    for (int step = 0; step <= 8; ++step) {
        double bones[BONES][3][4];
        pose(0.3 * step, bones);
        need(abut_body_set_transforms(scene, arm, abut_transforms_f64(&bones[0][0][0], BONES), NULL,
                                      0, &error),
             &error);
        size_t touching = 0;
        size_t within = 0;
        abut_counters work = {0};
        abut_collide_def query = abut_collide_def_default();
        query.head.counters = &work;
        need(abut_collide(scene, arm, post, &query, result, &error), &error);
        (void)abut_collide_result_pairs(result, &touching);
        need(abut_collide_self(scene, arm, NULL, result, &error), &error);
        (void)abut_collide_result_pairs(result, &within);
        printf("bent by %.1f: %2zu pairs with the post (%3llu of %d vertices moved), %3zu within\n",
               0.3 * step, touching, (unsigned long long)work.vertices_evaluated, 2 * GRID_VERTICES,
               within);
        with_post += touching;
        with_itself += within;
    }
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return with_post > 0 && with_itself > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
