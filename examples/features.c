// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Which vertices and faces, and which edges, are near each other? A wavy sheet lies just above a
// flat one. In every step all pairs of features within a distance push it up: each by its normal,
// shared out among its vertices by the weights. In the end nothing is that near. Then, once, the
// pairs within a sheet that is folded over.
#include <math.h>

#include "grid.h"

static const double reach = 0.02;  // what is nearer is pushed

static void set_wave(grid* sheet) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        sheet->xyz[v][2] = 0.03 + 0.02 * sin(7 * sheet->xyz[v][0]) * cos(5 * sheet->xyz[v][1]);
    }
}

// folds the sheet over the line x = 0; the halves come to lie 0.01 apart
static void fold(grid* sheet) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        double* p = sheet->xyz[v];
        p[2] = p[0] < 0 ? 0.01 : 0;
        p[0] = fabs(p[0]);
    }
}

// Moves the vertices of body a by every pair, and returns the energy: the sum of the squares of what
// is missing to a little more than `reach`. A vertex is in many pairs, so each pair moves it by a
// part only.
static double push(const abut_feature_pair* pairs, size_t count, grid* sheet) {
    double energy = 0;
    for (size_t i = 0; i < count; ++i) {
        const abut_feature_pair* pair = &pairs[i];
        const double missing = 1.1 * reach - sqrt(pair->distance_sq);
        energy += missing * missing;
        for (int k = 0; k < 3 && pair->vertices_a[k] != UINT32_MAX; ++k) {
            double* p = sheet->xyz[pair->vertices_a[k]];
            for (int d = 0; d < 3; ++d) {
                p[d] += 0.02 * missing * pair->weights_a[k] * pair->normal[d];
            }
        }
    }
    return energy;
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_features_result* near = NULL;
    abut_body_id body[2];
    static grid sheet;
    static grid table;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_features_result_create(context, &near, &error), &error);
    grid_make(&sheet, 1, 0);
    grid_make(&table, 2, 0);
    abut_shape* shape = grid_shape(context, &sheet);
    need(abut_body_create(scene, shape, NULL, &body[0], &error), &error);
    need(abut_body_create(scene, shape, NULL, &body[1], &error), &error);
    abut_shape_destroy(shape);
    need(abut_body_set_positions(scene, body[1], grid_positions(&table), &error), &error);

    abut_features_def def = abut_features_def_default();
    def.distance = reach;
    size_t count = 1;
    double energy = INFINITY;
    bool right = true;
    set_wave(&sheet);
    for (int step = 0; step < 100 && count > 0; ++step) {
        need(abut_body_set_positions(scene, body[0], grid_positions(&sheet), &error), &error);
        need(abut_features(scene, body[0], body[1], &def, near, &error), &error);
        const abut_feature_pair* pairs = abut_features_result_pairs(near, &count);
        const double now = push(pairs, count, &sheet);
        if (step % 10 == 0 || count == 0) {
            printf("step %d: %zu pairs, energy %.3g\n", step, count, now);
        }
        right = right && now <= energy;
        energy = now;
    }
    right = right && count == 0;

    grid_make(&sheet, 1, 0);
    fold(&sheet);
    need(abut_body_set_positions(scene, body[0], grid_positions(&sheet), &error), &error);
    need(abut_features_self(scene, body[0], &def, near, &error), &error);
    const abut_feature_pair* pairs = abut_features_result_pairs(near, &count);
    size_t edges = 0;
    for (size_t i = 0; i < count; ++i) {
        edges += pairs[i].kind == ABUT_CONTACT_EDGE_EDGE;
    }
    printf("folded: %zu vertices near faces, %zu edges near edges\n", count - edges, edges);
    right = right && edges > 0 && edges < count;

    abut_features_result_destroy(near);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
