// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A step loop that stops before contact: a sheet falls, fast, onto a table whose top it would pass
// through between two steps. Every step is swept; if something touches on the way, the sheet goes only
// so far as nothing does, and stays there.
#include <math.h>

#include "grid.h"

static void fall(const grid* from, double speed, double part, grid* to) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        for (int d = 0; d < 3; ++d) {
            to->xyz[v][d] = from->xyz[v][d] - (d == 2 ? speed * part : 0);
        }
    }
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_sweep_result* result = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_sweep_result_create(context, &result, &error), &error);

    static grid sheet;
    static grid next;
    static grid table;
    grid_make(&sheet, 1, 1);
    grid_make(&table, 2, 0);
    next = sheet;
    for (int v = 0; v < GRID_VERTICES; ++v) {  // a bump in the middle of the table
        const double x = table.xyz[v][0];
        const double y = table.xyz[v][1];
        table.xyz[v][2] = 0.1 * exp(-8 * (x * x + y * y));
    }
    abut_body_def fixed = abut_body_def_default();
    fixed.is_static = true;
    abut_shape* shapes[2] = {grid_shape(context, &sheet), grid_shape(context, &table)};
    abut_body_id falling;
    abut_body_id standing;
    need(abut_body_create(scene, shapes[0], NULL, &falling, &error), &error);
    need(abut_body_create(scene, shapes[1], &fixed, &standing, &error), &error);
    abut_shape_destroy(shapes[0]);
    abut_shape_destroy(shapes[1]);

    bool landed = false;
    double height = sheet.xyz[0][2];
    for (int step = 1; step <= 10 && !landed; ++step) {
        const double speed = 0.35;  // a step: more than the table is thick
        fall(&sheet, speed, 1, &next);
        need(abut_body_set_positions(scene, falling, grid_positions(&next), &error), &error);
        need(abut_sweep(scene, falling, standing, NULL, result, &error), &error);
        const double time = abut_sweep_result_time_of_impact(result);
        size_t count = 0;
        const abut_sweep_pair* pairs = abut_sweep_result_pairs(result, &count);
        if (count > 0) {
            landed = true;
            // up to the time nothing touches; a little less leaves a gap that the next step can see
            fall(&sheet, speed, 0.99 * time, &next);
            need(abut_body_set_positions(scene, falling, grid_positions(&next), &error), &error);
            printf("step %d: %zu contacts on the way, the first at %.3f; normal %.2f %.2f %.2f\n",
                   step, count, time, pairs[0].normal[0], pairs[0].normal[1], pairs[0].normal[2]);
        }
        sheet = next;
        height = sheet.xyz[0][2];
        printf("step %d: the sheet is at %.4f\n", step, height);
    }
    abut_collide_result* touching = NULL;
    need(abut_collide_result_create(context, &touching, &error), &error);
    need(abut_collide(scene, falling, standing, NULL, touching, &error), &error);
    const bool clear = !abut_collide_result_found(touching);
    abut_collide_result_destroy(touching);
    abut_sweep_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return landed && clear && height > 0.1 && height < 0.12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
