// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A cloth solver with a barrier that never lets anything through. A cloth with a thick hem falls fast
// on a hill. Each step minimises the sum of inertia, springs and a barrier: a potential between all
// pairs of features whose layers are nearer than `reach`, which grows without bound where they
// meet. Feature queries give its pairs. Before the solver moves the cloth, a sweep finds the time of
// the first contact of the layers, and the cloth moves less far than that. Another sweep checks the
// move that was made. So the layers never touch, whatever the forces are.
// Based on: Li, Ferguson, Schneider, Langlois, Zorin, Panozzo, Jiang, Kaufman, "Incremental Potential
// Contact" (2020), with steps of gradient descent instead of Newton's.
#include <math.h>
#include <string.h>

#define GRID 16
#include "grid.h"

enum { STEPS = 30, ITERATIONS = 8 };
static const double dt = 0.02;
static const double gravity = 9.81;
static const double spring = 400;  // per unit of a vertex' mass, as the barrier
static const double barrier = 2000;
static const double reach = 0.015;  // layers that are nearer repel each other
static const double part = 0.9;     // of the way to the first contact that the cloth moves

typedef struct solver {
    abut_scene* scene;
    abut_body_id body[2];  // cloth and hill
    abut_features_result* features;
    abut_sweep_result* sweep;
    double thick[2][GRID_VERTICES];
    double at[GRID_VERTICES][3];  // of the cloth
    double velocity[GRID_VERTICES][3];
    double target[GRID_VERTICES][3];  // where inertia and gravity take it
    double force[GRID_VERTICES][3];
    double stiffness[GRID_VERTICES];
    int shortened;  // moves that a sweep made shorter
    size_t pairs;   // of features near each other, in all moves
} solver;

static void clear_forces(solver* s) {
    for (int v = 0; v < GRID_VERTICES; ++v) {
        for (int d = 0; d < 3; ++d) {
            s->force[v][d] = (s->target[v][d] - s->at[v][d]) / (dt * dt);
        }
        s->stiffness[v] = 1 / (dt * dt);
    }
}

static void add_spring(solver* s, int a, int b, double length) {
    double e[3];
    double size = 0;
    for (int d = 0; d < 3; ++d) {
        e[d] = s->at[b][d] - s->at[a][d];
        size += e[d] * e[d];
    }
    size = sqrt(size);
    for (int d = 0; d < 3; ++d) {
        const double pull = spring * (size - length) * e[d] / size;
        s->force[a][d] += pull;
        s->force[b][d] -= pull;
    }
    s->stiffness[a] += 2 * spring;
    s->stiffness[b] += 2 * spring;
}

// along both sides of all quads, and across them
static void add_springs(solver* s) {
    const double side = 1.0 / GRID;
    for (int y = 0; y <= GRID; ++y) {
        for (int x = 0; x <= GRID; ++x) {
            const int v = y * (GRID + 1) + x;
            if (x < GRID) {
                add_spring(s, v, v + 1, side);
            }
            if (y < GRID) {
                add_spring(s, v, v + GRID + 1, side);
            }
            if (x < GRID && y < GRID) {
                add_spring(s, v, v + GRID + 2, sqrt(2) * side);
            }
        }
    }
}

// the thickness of a feature is that of its thickest vertex, as in queries
static double thickness_of(const double* thick, const uint32_t vertices[3]) {
    double most = 0;
    for (int k = 0; k < 3 && vertices[k] != UINT32_MAX; ++k) {
        most = fmax(most, thick[vertices[k]]);
    }
    return most;
}

static void push(solver* s, const uint32_t vertices[3], const double weights[3],
                 const double normal[3], double slope, double curve) {
    for (int k = 0; k < 3 && vertices[k] != UINT32_MAX; ++k) {
        for (int d = 0; d < 3; ++d) {
            s->force[vertices[k]][d] -= slope * weights[k] * normal[d];
        }
        s->stiffness[vertices[k]] += 2 * curve * weights[k];
    }
}

// Adds the barrier -(g - r)^2 ln(g / r) of the gap g of each pair, for g below the reach r. Its slope
// is negative, so that a and b are pushed apart along the normal, which points from b to a.
static void add_barrier(solver* s) {
    size_t count = 0;
    const abut_feature_pair* pairs = abut_features_result_pairs(s->features, &count);
    s->pairs += count;
    for (size_t i = 0; i < count; ++i) {
        const abut_feature_pair* p = &pairs[i];
        const bool self = p->body_b == s->body[0].index;
        const double gap = sqrt(p->distance_sq) - thickness_of(s->thick[0], p->vertices_a) -
                           thickness_of(s->thick[self ? 0 : 1], p->vertices_b);
        const double g = fmin(fmax(gap, 1e-9), reach);
        const double missing = reach - g;
        const double slope = barrier * (2 * missing * log(g / reach) - missing * missing / g);
        const double curve = barrier *
                             (-2 * log(g / reach) + 4 * missing / g + missing * missing / (g * g));
        const double back[3] = {-p->normal[0], -p->normal[1], -p->normal[2]};
        push(s, p->vertices_a, p->weights_a, p->normal, slope, curve);
        if (self) {
            push(s, p->vertices_b, p->weights_b, back, slope, curve);
        }
    }
}

// Returns the part of the step at which layers first meet; INFINITY: they do not.
static double first_contact(const solver* s, const double (*to)[3]) {
    abut_error error;
    abut_sweep_def def = abut_sweep_def_default();
    def.earliest_only = true;
    need(abut_body_borrow_step(s->scene, s->body[0],
                               abut_positions_f64(&s->at[0][0], GRID_VERTICES),
                               abut_positions_f64(&to[0][0], GRID_VERTICES), &error),
         &error);
    need(abut_sweep(s->scene, s->body[0], s->body[1], &def, s->sweep, &error), &error);
    const double between = abut_sweep_result_time_of_impact(s->sweep);
    need(abut_sweep_self(s->scene, s->body[0], &def, s->sweep, &error), &error);
    return fmin(between, abut_sweep_result_time_of_impact(s->sweep));
}

// Moves the cloth along a step of the descent as far as no layers meet. The vertices are rounded, so a
// sweep checks the move, too: half of it is tried until it is free of contact.
static void move(solver* s) {
    static double to[GRID_VERTICES][3];
    static double next[GRID_VERTICES][3];
    for (int v = 0; v < GRID_VERTICES; ++v) {
        for (int d = 0; d < 3; ++d) {
            to[v][d] = s->at[v][d] + s->force[v][d] / s->stiffness[v];
        }
    }
    double way = fmin(1, part * first_contact(s, (const double(*)[3])to));
    s->shortened += way < 1;
    for (bool free = false; !free; way /= 2) {
        for (int v = 0; v < GRID_VERTICES; ++v) {
            for (int d = 0; d < 3; ++d) {
                next[v][d] = s->at[v][d] + way * (to[v][d] - s->at[v][d]);
            }
        }
        free = isinf(first_contact(s, (const double(*)[3])next));
    }
    memcpy(s->at, next, sizeof s->at);
}

static void find_pairs(const solver* s, bool self) {
    abut_error error;
    abut_features_def def = abut_features_def_default();
    def.distance = reach;  // plus the thickness of both
    need(self ? abut_features_self(s->scene, s->body[0], &def, s->features, &error)
              : abut_features(s->scene, s->body[0], s->body[1], &def, s->features, &error),
         &error);
}

static void step(solver* s) {
    abut_error error;
    static double before[GRID_VERTICES][3];
    memcpy(before, s->at, sizeof before);
    for (int v = 0; v < GRID_VERTICES; ++v) {
        for (int d = 0; d < 3; ++d) {
            s->target[v][d] = s->at[v][d] + dt * s->velocity[v][d];
        }
        s->target[v][2] -= dt * dt * gravity;
    }
    for (int i = 0; i < ITERATIONS; ++i) {
        const abut_positions at = abut_positions_f64(&s->at[0][0], GRID_VERTICES);
        need(abut_body_borrow_positions(s->scene, s->body[0], at, &error), &error);
        clear_forces(s);
        add_springs(s);
        find_pairs(s, false);
        add_barrier(s);
        find_pairs(s, true);
        add_barrier(s);
        move(s);
    }
    for (int v = 0; v < GRID_VERTICES; ++v) {
        for (int d = 0; d < 3; ++d) {
            s->velocity[v][d] = (s->at[v][d] - before[v][d]) / dt;
        }
    }
}

// the hem of the cloth is twice as thick as the rest
static void set_thickness(solver* s) {
    abut_error error;
    for (int v = 0; v < GRID_VERTICES; ++v) {
        const int x = v % (GRID + 1);
        const int y = v / (GRID + 1);
        s->thick[0][v] = x == 0 || y == 0 || x == GRID || y == GRID ? 0.008 : 0.004;
        s->thick[1][v] = 0.002;
    }
    need(abut_body_set_vertex_thickness(s->scene, s->body[0], s->thick[0], GRID_VERTICES, &error),
         &error);
    need(abut_body_set_thickness(s->scene, s->body[1], 0.002, &error), &error);
}

static void make_bodies(abut_context* context, solver* s) {
    abut_error error;
    static grid sheet;
    grid_make(&sheet, 1, 0.35);
    memcpy(s->at, sheet.xyz, sizeof s->at);
    abut_shape* shape = grid_shape(context, &sheet);
    need(abut_body_create(s->scene, shape, NULL, &s->body[0], &error), &error);
    need(abut_body_create(s->scene, shape, NULL, &s->body[1], &error), &error);
    abut_shape_destroy(shape);
    grid_make(&sheet, 2, 0);
    for (int v = 0; v < GRID_VERTICES; ++v) {
        double* p = sheet.xyz[v];
        p[2] = 0.25 * exp(-8 * (p[0] * p[0] + p[1] * p[1]));
        s->velocity[v][2] = -4;  // 80 times as far in a step as the layers are thick
    }
    need(abut_body_set_positions(s->scene, s->body[1], grid_positions(&sheet), &error), &error);
    need(abut_body_end_step(s->scene, s->body[1], &error), &error);
    set_thickness(s);
}

// Returns whether no layers touch: no features are as near as they are thick.
static bool is_free(const solver* s) {
    abut_error error;
    need(abut_features(s->scene, s->body[0], s->body[1], NULL, s->features, &error), &error);
    const bool between = !abut_features_result_found(s->features);
    need(abut_features_self(s->scene, s->body[0], NULL, s->features, &error), &error);
    return between && !abut_features_result_found(s->features);
}

int main(void) {
    abut_error error;
    abut_context* context = NULL;
    static solver s;
    need(abut_context_create(NULL, &context, &error), &error);
    need(abut_scene_create(context, NULL, &s.scene, &error), &error);
    need(abut_features_result_create(context, &s.features, &error), &error);
    need(abut_sweep_result_create(context, &s.sweep, &error), &error);
    make_bodies(context, &s);
    bool free = true;
    for (int n = 1; n <= STEPS; ++n) {
        step(&s);
        const abut_positions at = abut_positions_f64(&s.at[0][0], GRID_VERTICES);
        need(abut_body_borrow_positions(s.scene, s.body[0], at, &error), &error);
        free = free && is_free(&s);
        if (n % 5 == 0) {
            printf("step %2d: middle at %.3f, corner at %.3f, %zu pairs, %d moves shortened, %s\n",
                   n, s.at[GRID_VERTICES / 2][2], s.at[0][2], s.pairs, s.shortened,
                   free ? "nothing touches" : "layers touch");
        }
    }
    // it came near the hill, a sweep had to stop it, and its middle is still above the top
    const bool right = free && s.pairs > 0 && s.shortened > 0 && s.at[GRID_VERTICES / 2][2] > 0.25;
    abut_features_result_destroy(s.features);
    abut_sweep_result_destroy(s.sweep);
    abut_scene_destroy(s.scene);
    abut_context_destroy(context);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
