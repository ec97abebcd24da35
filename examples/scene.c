// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A whole scene: a row of sheets that swing like doors. One call finds everything that touches,
// and the changes say which bodies began to touch, went on and ceased. Groups keep the two ends
// from ever being tested against each other.
#include <math.h>

#include "grid.h"

#define DOORS 6

// a frame that turns a sheet about the y axis and puts it at x
static abut_frame door_frame(double angle, double x) {
    const double c = cos(angle);
    const double s = sin(angle);
    return (abut_frame){{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}, {x, 0, 0}};
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_changes* changes = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);
    need(abut_changes_create(context, &changes, &error), &error);

    static grid sheet;
    grid_make(&sheet, 1, 0);
    abut_shape* shape = grid_shape(context, &sheet);
    abut_body_id doors[DOORS];
    for (int d = 0; d < DOORS; ++d) {
        abut_body_def def = abut_body_def_default();
        def.frame = door_frame(0, 0.9 * d);
        def.groups = UINT64_C(1) << d;
        def.mask = d == 0 ? ~(UINT64_C(1) << (DOORS - 1)) : UINT64_MAX;
        need(abut_body_create(scene, shape, &def, &doors[d], &error), &error);
    }
    abut_shape_destroy(shape);

    size_t begun_in_all = 0;
    size_t ended_in_all = 0;
    for (int step = 0; step < 12; ++step) {
        for (int d = 0; d < DOORS; ++d) {
            const abut_frame frame = door_frame(0.5 * step * (d % 2 == 0 ? 1 : -1), 0.9 * d);
            need(abut_body_set_frame(scene, doors[d], &frame, &error), &error);
        }
        need(abut_collide_all(scene, NULL, result, &error), &error);
        need(abut_changes_update(changes, result, &error), &error);
        size_t pairs = 0;
        size_t begun = 0;
        size_t ended = 0;
        (void)abut_collide_result_pairs(result, &pairs);
        (void)abut_changes_body_pairs(changes, ABUT_CHANGE_BEGUN, &begun);
        (void)abut_changes_body_pairs(changes, ABUT_CHANGE_ENDED, &ended);
        printf("step %2d: %4zu pairs of triangles; %zu pairs of bodies began, %zu ended\n", step,
               pairs, begun, ended);
        begun_in_all += begun;
        ended_in_all += ended;
    }
    abut_changes_destroy(changes);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return begun_in_all > 0 && ended_in_all > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
