// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two closed bodies: see couple.h.
#include "bench/couple.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 31 };

void couple_need(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("the library failed with status %d", (int)status);
    }
}

static abut_body_id add_body(couple* c, int k) {
    abut_mesh_def mesh_def = abut_mesh_def_default();
    abut_mesh* mesh;
    abut_shape* shape;
    abut_body_id body;
    mesh_def.positions = abut_positions_f64(c->xyz[k], c->mesh[k].vertex_count);
    mesh_def.triangles = c->mesh[k].triangles;
    mesh_def.triangle_count = c->mesh[k].triangle_count;
    couple_need(abut_mesh_create(c->context, &mesh_def, &mesh, NULL));
    couple_need(abut_shape_create(c->context, mesh, NULL, &shape, NULL));
    couple_need(abut_shape_build_tree(shape, NULL));
    couple_need(abut_body_create(c->scene, shape, NULL, &body, NULL));
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    return body;
}

void couple_open(couple* c, const vector_mesh mesh[2]) {
    couple_need(abut_context_create(bench_context_def(), &c->context, NULL));
    couple_need(abut_scene_create(c->context, NULL, &c->scene, NULL));
    couple_need(abut_collide_result_create(c->context, &c->result, NULL));
    couple_need(abut_contains_result_create(c->context, &c->sides, NULL));
    couple_need(abut_depth_result_create(c->context, &c->depths, NULL));
    for (int k = 0; k < 2; ++k) {
        const size_t numbers = 3 * (size_t)mesh[k].vertex_count;
        c->xyz[k] = bench_alloc(numbers, sizeof(double));
        memcpy(c->xyz[k], mesh[k].xyz, numbers * sizeof(double));
        c->mesh[k] = mesh[k];
        c->mesh[k].xyz = c->xyz[k];
        c->body[k] = add_body(c, k);
    }
}

void couple_close(couple* c) {
    abut_depth_result_destroy(c->depths);
    abut_collide_result_destroy(c->result);
    abut_contains_result_destroy(c->sides);
    abut_scene_destroy(c->scene);
    abut_context_destroy(c->context);
    free(c->xyz[0]);
    free(c->xyz[1]);
}

bool couple_touches(couple* c) {
    couple_need(abut_collide(c->scene, c->body[0], c->body[1], NULL, c->result, NULL));
    return abut_collide_result_found(c->result);
}

// Returns whether one of the two is wholly outside the other, and does not touch it.
static bool is_outside(couple* c, int outer) {
    couple_need(
        abut_contains_body(c->scene, c->body[outer], c->body[1 - outer], NULL, c->sides, NULL));
    return abut_contains_result_sides(c->sides, NULL)[0] == ABUT_SIDE_OUTSIDE;
}

bool couple_separates(couple* c, const double translation[3]) {
    abut_frame frame = abut_frame_identity();
    memcpy(frame.t, translation, sizeof frame.t);
    couple_need(abut_body_set_frame(c->scene, c->body[0], &frame, NULL));
    const bool separated = is_outside(c, 0) && is_outside(c, 1);
    frame = abut_frame_identity();
    couple_need(abut_body_set_frame(c->scene, c->body[0], &frame, NULL));
    return separated;
}

// Reads what the last queries found.
static couple_cost read_answer(couple* c, bool* right) {
    couple_cost cost = {0};
    abut_collide_result_pairs(c->result, &cost.pairs);
    const abut_region* found = abut_depth_result_regions(c->depths, &cost.regions);
    *right = true;
    if (cost.regions > 0) {
        cost.depth = found->depth;
        cost.lower = found->lower;
    }
    if (cost.regions == 1) {
        const double way[3] = {found->depth * found->direction[0],
                               found->depth * found->direction[1],
                               found->depth * found->direction[2]};
        *right = couple_separates(c, way);
    }
    return cost;
}

couple_cost couple_measure(couple* c, bool quick, bench_row* row) {
    double ms[2][MOST_ROUNDS];
    const int rounds = quick ? 7 : MOST_ROUNDS;
    abut_depth_def def = abut_depth_def_default();
    for (int r = 0; r < rounds; ++r) {
        const double start = bench_now(CLOCK_CPU);
        couple_need(abut_collide(c->scene, c->body[0], c->body[1], NULL, c->result, NULL));
        const double middle = bench_now(CLOCK_CPU);
        def.head.counters = r == 0 ? &row->counters : NULL;
        couple_need(abut_depth(c->scene, c->body[0], c->body[1], &def, c->depths, NULL));
        ms[0][r] = middle - start;
        ms[1][r] = bench_now(CLOCK_CPU) - middle;
    }
    const double first_ms = ms[1][0];
    couple_cost cost = read_answer(c, &row->same_answer);
    cost.first_ms = first_ms;
    row->has_counters = true;
    snprintf(row->other, sizeof row->other, "collide");
    row->other_ms = bench_median(ms[0], (size_t)rounds);
    row->ours_ms = bench_median(ms[1], (size_t)rounds);
    row->ratio = row->other_ms / row->ours_ms;
    return cost;
}
