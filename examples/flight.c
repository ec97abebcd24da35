// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Flight motion: a cloth that was simulated at five instants falls over a ball, and is asked about at
// many instants between. A state is a time, whatever the size of the mesh, and with a front a query
// knows which parts come near each other, and when that will change. When triangles touch in all that time
// a single call tells. Then a gust lifts the cloth: from
// there on its vertices go by velocities, and gravity acts on all of them.
#include <math.h>

#include "grid.h"

#define KEYS 5
#define RADIUS 0.4

static double ball_height(double x, double y) {
    const double below = RADIUS * RADIUS - x * x - y * y;
    return below > 0 ? sqrt(below) : 0;
}

// where the cloth is at key k: it sinks, and the ball holds it up
static void make_key(const grid* flat, int k, double xyz[GRID_VERTICES][3]) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const double x = flat->xyz[v][0];
        const double y = flat->xyz[v][1];
        const double held = ball_height(x, y) - 0.001;  // it presses a little
        const double sunk = 0.5 - 0.1 * k;
        xyz[v][0] = x;
        xyz[v][1] = y;
        xyz[v][2] = held > sunk ? held : sunk;
    }
}

// asks at one time; returns the number of pairs
static size_t ask(abut_scene* scene, abut_body_id cloth, double time, abut_front* front,
                  abut_collide_result* result) {
    abut_error error;
    size_t count = 0;
    abut_counters work = {0};
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = &work;
    query.front = front;
    need(abut_body_set_time(scene, cloth, time, &error), &error);
    need(abut_collide_all(scene, &query, result, &error), &error);
    (void)abut_collide_result_pairs(result, &count);
    printf("time %.2f: %4zu pairs touch; %llu boxes compared, %llu of %d vertices moved\n", time,
           count, (unsigned long long)work.boxes_tested,
           (unsigned long long)work.vertices_evaluated, 2 * GRID_VERTICES);
    return count;
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    abut_scene* scene = NULL;
    abut_collide_result* result = NULL;
    abut_front* front = NULL;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &scene, &error), &error);
    need(abut_collide_result_create(context, &result, &error), &error);
    need(abut_front_create(context, &front, &error), &error);

    static grid ball;
    static grid flat;
    static double xyz[KEYS][GRID_VERTICES][3];  // borrowed: stays as long as the shape
    abut_keyframe keys[KEYS];
    grid_make(&flat, 1, 0.5);
    for (int k = 0; k < KEYS; ++k) {
        make_key(&flat, k, xyz[k]);
        keys[k] = (abut_keyframe){k, abut_positions_f64(&xyz[k][0][0], GRID_VERTICES)};
    }
    abut_flight_def def = abut_flight_def_default();
    def.keyframes = keys;
    def.keyframe_count = KEYS;
    abut_mesh* mesh = grid_mesh(context, &flat);
    abut_shape* shape = NULL;
    need(abut_shape_create_flight(context, mesh, &def, &shape, &error), &error);
    abut_mesh_destroy(mesh);  // the shape keeps it
    abut_body_id cloth;
    need(abut_body_create(scene, shape, NULL, &cloth, &error), &error);
    abut_shape_destroy(shape);  // the body keeps it

    grid_make(&ball, 0.55, 0);  // the upper part of a ball is enough
    for (int v = 0; v < GRID_VERTICES; ++v) {
        ball.xyz[v][2] = ball_height(ball.xyz[v][0], ball.xyz[v][1]);
    }
    abut_body_id below;
    shape = grid_shape(context, &ball);
    need(abut_body_create(scene, shape, NULL, &below, &error), &error);
    abut_shape_destroy(shape);

    size_t found = 0;
    for (int step = 0; step <= 80; ++step) {
        found += ask(scene, cloth, 0.05 * step, front, result);
    }
    // the same without choosing instants: from when until when
    size_t interval_count = 0;
    abut_intervals_result* intervals = NULL;
    need(abut_intervals_result_create(context, &intervals, &error), &error);
    need(abut_intervals(scene, cloth, below, 0, KEYS - 1, NULL, intervals, &error), &error);
    const abut_contact_interval* touched = abut_intervals_result_intervals(intervals,
                                                                           &interval_count);
    double first = KEYS;
    for (size_t i = 0; i < interval_count; ++i) {
        first = touched[i].start < first ? touched[i].start : first;
    }
    printf("%zu times a pair of triangles touches for a while, for the first time at %.4f\n",
           interval_count, first);

    static double gust[GRID_VERTICES][3];
    for (int v = 0; v < GRID_VERTICES; ++v) {
        gust[v][2] = 5 + flat.xyz[v][0];
    }
    abut_plans_def plans = abut_plans_def_default();
    plans.time = KEYS - 1;  // from where the cloth is then
    plans.velocities = abut_positions_f64(&gust[0][0], GRID_VERTICES);
    plans.acceleration[2] = -9.81;
    need(abut_body_set_plans(scene, cloth, &plans, &error), &error);
    size_t left = 0;
    for (int step = 1; step <= 4; ++step) {
        left = ask(scene, cloth, KEYS - 1 + 0.05 * step, front, result);
    }
    abut_front_destroy(front);
    abut_intervals_result_destroy(intervals);
    abut_collide_result_destroy(result);
    abut_scene_destroy(scene);
    abut_context_destroy(context);
    return found > 0 && interval_count > 0 && left == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
