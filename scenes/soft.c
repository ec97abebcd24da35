// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Several point-based bodies that are simulated together: see soft.h.

#include "scenes/soft.h"

#include <math.h>
#include <string.h>

#define LEAST_NODES 8
#define FASTEST 20.0    // no node moves faster, lengths of a body per unit of time
#define STEADY 0.6      // step relative to the largest that is stable for small strains
#define DAMPED 4        // steps from one that damps to the next
#define BALL_LEAST 0.3  // radii of balls, in spacings of nodes
#define BALL_MOST 0.7

typedef struct soft_body {
    elastic e;      // shares everything but u and v
    double* x;      // where the nodes are
    double* outer;  // forces
    double low[3];  // box of all balls
    double high[3];
    uint32_t* near;  // nodes within the box of another body
    uint32_t near_count;
} soft_body;

typedef struct soft_group {
    const soft_def* def;
    soft_body* bodies;
    double* spacing;  // of each node
    double* ball;     // radius around it
    double widest;    // the largest of them
} soft_group;

uint32_t scene__soft_nodes(const scene_mesh* mesh, uint32_t wished, uint32_t vertices) {
    const uint32_t most = mesh->vertex_count / vertices;
    const uint32_t nodes = wished < most ? wished : most;
    return nodes > LEAST_NODES ? nodes : LEAST_NODES;
}

// ---- making

static void hold_nodes(const soft_def* def, elastic* e) {
    size_t best = 0;
    double most = -1e300;
    for (size_t i = 0; i < def->body->node_count; ++i) {
        const double grip = def->grip(def->user, def->body->place + 3 * i);
        e->held[i] = grip > 0.0;
        best = grip > most ? i : best;
        most = fmax(grip, most);
    }
    e->held[best] = true;
}

// A ball reaches the surface, but is neither tiny nor wider than the distance of nodes.
static bool make_balls(scene* scratch, soft_group* g, const elastic* e) {
    const size_t nodes = g->def->body->node_count;
    g->spacing = scene__alloc(scratch, nodes, sizeof *g->spacing);
    g->ball = scene__alloc(scratch, nodes, sizeof *g->ball);
    if (scratch->failed) {
        return false;
    }
    for (size_t i = 0; i < nodes; ++i) {
        const double depth = g->def->depth(g->def->user, g->def->body->place + 3 * i);
        g->spacing[i] = cbrt(e->mass[i] / e->def.density);
        g->ball[i] = fmin(fmax(depth, BALL_LEAST * g->spacing[i]), BALL_MOST * g->spacing[i]);
        g->widest = fmax(g->widest, g->ball[i]);
    }
    return true;
}

// Where the drive moves a node.
static void driven(const soft_def* def, uint32_t body, double time, size_t node, double x[3]) {
    memcpy(x, def->body->place + 3 * node, 3 * sizeof *x);
    def->drive(def->user, body, time, x);
}

static void place_node(soft_body* b, size_t node, const double x[3]) {
    for (size_t d = 0; d < 3; ++d) {
        b->e.u[3 * node + d] = x[d] - b->e.body->place[3 * node + d];
    }
}

// Starts with the places and the speeds of the drive.
static void start_body(const soft_def* def, soft_body* b, uint32_t body) {
    const double moment = 1e-4;
    for (size_t i = 0; i < def->body->node_count; ++i) {
        double x[3];
        double later[3];
        driven(def, body, 0.0, i, x);
        driven(def, body, moment, i, later);
        place_node(b, i, x);
        for (size_t d = 0; d < 3; ++d) {
            b->e.v[3 * i + d] = (later[d] - x[d]) / (moment * def->duration);
        }
    }
}

static bool make_group(scene* scratch, const soft_def* def, soft_group* g, elastic* e) {
    const size_t nodes = def->body->node_count;
    *g = (soft_group){.def = def};
    g->bodies = scene__alloc(scratch, def->count, sizeof *g->bodies);
    if (g->bodies == NULL || !scene__elastic(scratch, def->body, &def->material, e) ||
        !make_balls(scratch, g, e)) {
        return false;
    }
    hold_nodes(def, e);
    for (uint32_t k = 0; k < def->count; ++k) {
        soft_body* b = &g->bodies[k];
        b->e = *e;
        b->e.u = scene__alloc(scratch, nodes, 3 * sizeof *b->e.u);
        b->e.v = scene__alloc(scratch, nodes, 3 * sizeof *b->e.v);
        b->x = scene__alloc(scratch, nodes, 3 * sizeof *b->x);
        b->outer = scene__alloc(scratch, nodes, 3 * sizeof *b->outer);
        b->near = scene__alloc(scratch, nodes, sizeof *b->near);
        if (!scratch->failed) {
            start_body(def, b, k);
        }
    }
    return !scratch->failed;
}

// ---- contact

static void find_box(const soft_group* g, soft_body* b) {
    const size_t numbers = 3 * (size_t)g->def->body->node_count;
    for (size_t d = 0; d < 3; ++d) {
        b->low[d] = 1e300;
        b->high[d] = -1e300;
    }
    for (size_t i = 0; i < numbers; ++i) {
        b->x[i] = b->e.body->place[i] + b->e.u[i];
        b->low[i % 3] = fmin(b->low[i % 3], b->x[i]);
        b->high[i % 3] = fmax(b->high[i % 3], b->x[i]);
    }
    for (size_t d = 0; d < 3; ++d) {
        b->low[d] -= g->widest;
        b->high[d] += g->widest;
    }
}

// Lists the nodes of a body whose balls may reach into the box of another.
static void list_near(const soft_group* g, soft_body* b, const soft_body* other) {
    b->near_count = 0;
    for (uint32_t i = 0; i < g->def->body->node_count; ++i) {
        const double* x = b->x + 3 * (size_t)i;
        bool inside = true;
        for (size_t d = 0; d < 3; ++d) {
            inside = inside && x[d] + g->widest >= other->low[d] &&
                     x[d] - g->widest <= other->high[d];
        }
        if (inside) {
            b->near[b->near_count++] = i;
        }
    }
}

// Two balls that overlap push each other apart, like springs along the line of their centres.
static void push_nodes(const soft_group* g, soft_body* a, soft_body* b, size_t i, size_t j,
                       double stiff) {
    const double reach = g->ball[i] + g->ball[j];
    const double off[3] = {a->x[3 * i] - b->x[3 * j], a->x[3 * i + 1] - b->x[3 * j + 1],
                           a->x[3 * i + 2] - b->x[3 * j + 2]};
    const double square = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
    if (square >= reach * reach || square == 0.0) {
        return;
    }
    const double apart = sqrt(square);
    const double push = stiff * fmin(g->spacing[i], g->spacing[j]) * (reach - apart) / apart;
    for (size_t d = 0; d < 3; ++d) {
        a->outer[3 * i + d] += push * off[d];
        b->outer[3 * j + d] -= push * off[d];
    }
}

static void push_bodies(const soft_group* g, soft_body* a, soft_body* b) {
    const elastic_def* m = &g->def->material;
    const double stiff = g->def->push * (m->stretch + 2.0 * m->shear + m->volume);
    for (size_t d = 0; d < 3; ++d) {
        if (a->low[d] > b->high[d] || b->low[d] > a->high[d]) {
            return;
        }
    }
    list_near(g, a, b);
    list_near(g, b, a);
    for (uint32_t i = 0; i < a->near_count; ++i) {
        for (uint32_t j = 0; j < b->near_count; ++j) {
            push_nodes(g, a, b, a->near[i], b->near[j], stiff);
        }
    }
}

static void find_outer(const soft_group* g) {
    const soft_def* def = g->def;
    for (uint32_t k = 0; k < def->count; ++k) {
        soft_body* b = &g->bodies[k];
        find_box(g, b);
        for (size_t i = 0; i < 3 * (size_t)def->body->node_count; ++i) {
            const double pull = i % 3 == 2 ? -def->weight : 0.0;
            b->outer[i] = b->e.mass[i / 3] * (pull - def->drag * b->e.v[i]);
        }
    }
    for (uint32_t k = 0; k < def->count; ++k) {
        for (uint32_t other = 0; other < k; ++other) {
            push_bodies(g, &g->bodies[k], &g->bodies[other]);
        }
    }
}

// ---- motion

// Takes back what a node moved too fast.
static void limit_speed(soft_body* b, size_t node) {
    double* v = b->e.v + 3 * node;
    const double speed = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (size_t d = 0; d < 3 && speed > FASTEST; ++d) {
        const double slow = v[d] * FASTEST / speed;
        b->e.u[3 * node + d] -= b->e.step * (v[d] - slow);
        v[d] = slow;
    }
}

static void move_held(const soft_def* def, soft_body* b, uint32_t body, double time, size_t node) {
    double x[3];
    driven(def, body, time, node, x);
    for (size_t d = 0; d < 3; ++d) {
        const double from = b->e.body->place[3 * node + d] + b->e.u[3 * node + d];
        b->e.v[3 * node + d] = (x[d] - from) / b->e.step;
    }
    place_node(b, node, x);
}

// One step of all bodies, to a time from 0 to 1. Damping is slow, so few steps need it.
static bool step_group(const soft_group* g, double time, bool damped) {
    bool done = true;
    find_outer(g);
    for (uint32_t k = 0; k < g->def->count; ++k) {
        soft_body* b = &g->bodies[k];
        b->e.def.damping = damped ? DAMPED * g->def->material.damping : 0.0;
        done = scene__elastic_step(&b->e, b->outer) && done;
        for (size_t i = 0; i < g->def->body->node_count; ++i) {
            if (b->e.held[i]) {
                move_held(g->def, b, k, time, i);
            } else {
                limit_speed(b, i);
            }
        }
    }
    return done;
}

static void record(const soft_group* g, double* u) {
    const size_t numbers = 3 * (size_t)g->def->body->node_count;
    for (uint32_t k = 0; k < g->def->count; ++k) {
        memcpy(u + k * numbers, g->bodies[k].e.u, numbers * sizeof *u);
    }
}

// Returns a step that the fastest vibration allows, which is found by iteration: forces of small
// displacements are their product with the stiffness matrix.
static double find_step(soft_body* b) {
    enum { ROUNDS = 24 };
    const double small = 1e-6;
    const size_t numbers = 3 * (size_t)b->e.body->node_count;
    double* u = b->outer;
    double frequency_sq = 0.0;
    for (uint32_t i = 0; i < numbers; ++i) {
        u[i] = scene__random_in(1, i, -small, small);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        double before = 0.0;
        double after = 0.0;
        scene__elastic_forces(&b->e, u, b->e.force);
        for (size_t i = 0; i < numbers; ++i) {
            const double faster = b->e.force[i] / b->e.mass[i / 3];
            before += u[i] * u[i];
            after += faster * faster;
            u[i] = faster;
        }
        frequency_sq = sqrt(after / before);
        for (size_t i = 0; i < numbers; ++i) {
            u[i] *= small * sqrt((double)numbers / after);
        }
    }
    return STEADY * 2.0 / sqrt(frequency_sq);
}

// As many steps between two frames as necessary.
static bool simulate(const scene* s, const soft_group* g, double* all) {
    const soft_def* def = g->def;
    const size_t numbers = 3 * (size_t)def->count * def->body->node_count;
    const uint32_t pieces = s->frame_count > 1 ? s->frame_count - 1 : 1;
    const double step = find_step(&g->bodies[0]);
    const uint32_t steps = (uint32_t)ceil(def->duration / (step * (double)pieces));
    for (uint32_t k = 0; k < def->count; ++k) {
        g->bodies[k].e.step = def->duration / ((double)steps * (double)pieces);
    }
    bool done = true;
    record(g, all);
    for (uint32_t frame = 1; frame <= pieces && done; ++frame) {
        for (uint32_t k = 1; k <= steps && done; ++k) {
            const double time = ((double)(frame - 1) + (double)k / (double)steps) / (double)pieces;
            done = step_group(g, time, k % DAMPED == 0);
        }
        record(g, all + (s->frame_count > 1 ? frame : 0) * numbers);
    }
    return done;
}

double* scene__soft_motion(scene* s, const soft_def* def) {
    scene scratch = {0};
    soft_group g;
    elastic e;
    const size_t numbers = 3 * (size_t)def->count * def->body->node_count;
    double* all = scene__alloc(s, s->frame_count, numbers * sizeof *all);
    if (all == NULL || !make_group(&scratch, def, &g, &e) || !simulate(s, &g, all)) {
        s->failed = true;
    }
    scene__free_all(&scratch);
    return s->failed ? NULL : all;
}
