// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penalty forces: see contact.h.
//
// A spring k and a damper c with an implicit step h push with the impulse
//     p = h (k (d - h v') + ...) = -(v' - b) / g,  g = 1 / (h (c + h k)),  b = d k / (c + h k),
// where v' is the separating speed after the step and d the depth before. With p = (v' - v) / give
// this yields dp = -(v - b + g p) / (give + g) for the impulse still to be added to p.
#include "dynamics/contact.h"

#include <math.h>

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

typedef struct solver {
    const contact_law* law;
    const modal_model* model;
    modal_body* bodies;
    double softness;  // g
    double bias;      // b / d
} solver;

static double give_along(const solver* s, const modal_contact* c, const double direction[3]) {
    double sum = modal_body_give(s->model, &s->bodies[c->body[0]], c->proxy[0], c->point,
                                 direction);
    if (c->body[1] != CONTACT_FIXED) {
        sum += modal_body_give(s->model, &s->bodies[c->body[1]], c->proxy[1], c->point, direction);
    }
    return sum;
}

static void relative_velocity(const solver* s, const modal_contact* c, double v[3]) {
    double other[3] = {c->surface[0], c->surface[1], c->surface[2]};
    modal_body_velocity(s->model, &s->bodies[c->body[0]], c->proxy[0], c->point, v);
    if (c->body[1] != CONTACT_FIXED) {
        modal_body_velocity(s->model, &s->bodies[c->body[1]], c->proxy[1], c->point, other);
    }
    for (int d = 0; d < 3; ++d) {
        v[d] -= other[d];
    }
}

static void push(const solver* s, const modal_contact* c, const double direction[3], double size) {
    modal_body_push(s->model, &s->bodies[c->body[0]], c->proxy[0], c->point, direction, size);
    if (c->body[1] != CONTACT_FIXED) {
        modal_body_push(s->model, &s->bodies[c->body[1]], c->proxy[1], c->point, direction, -size);
    }
}

static void apply_normal(const solver* s, modal_contact* c) {
    double v[3];
    relative_velocity(s, c, v);
    const double bias = fmin(c->depth * s->bias, s->law->most_speed);
    const double more = (bias - dot(v, c->normal) - s->softness * c->push) /
                        (c->give + s->softness);
    const double sum = fmax(c->push + more, 0);
    push(s, c, c->normal, sum - c->push);
    c->push = sum;
}

// Applies friction against sliding, in total at most friction x push.
static void apply_friction(const solver* s, modal_contact* c) {
    double v[3];
    relative_velocity(s, c, v);
    const double apart = dot(v, c->normal);
    for (int d = 0; d < 3; ++d) {
        v[d] -= apart * c->normal[d];
    }
    const double speed = sqrt(dot(v, v));
    if (speed < 1e-9) {
        return;
    }
    double way[3];
    for (int d = 0; d < 3; ++d) {
        way[d] = v[d] / speed;
    }
    const double stop = speed / give_along(s, c, way);
    double sum[3];
    for (int d = 0; d < 3; ++d) {
        sum[d] = c->drag[d] - stop * way[d];
    }
    const double most = s->law->friction * c->push;
    const double size = sqrt(dot(sum, sum));
    const double scale = size > most ? most / size : 1;
    double change[3];
    for (int d = 0; d < 3; ++d) {
        change[d] = scale * sum[d] - c->drag[d];
        c->drag[d] = scale * sum[d];
    }
    push(s, c, change, 1);
}

void contact_solve(const contact_law* law, const modal_model* model, modal_body* bodies,
                   modal_contact* contacts, size_t count) {
    const double seconds = model->step_seconds;
    const double stiff = model->mass * law->frequency * law->frequency;
    const double drag = 2 * law->damping * model->mass * law->frequency;
    const solver s = {
        .law = law,
        .model = model,
        .bodies = bodies,
        .softness = 1 / (seconds * (drag + seconds * stiff)),
        .bias = stiff / (drag + seconds * stiff),
    };
    for (size_t i = 0; i < count; ++i) {
        contacts[i].give = give_along(&s, &contacts[i], contacts[i].normal);
        contacts[i].push = 0;
        contacts[i].drag[0] = contacts[i].drag[1] = contacts[i].drag[2] = 0;
    }
    for (uint32_t round = 0; round < law->rounds; ++round) {
        for (size_t i = 0; i < count; ++i) {
            apply_normal(&s, &contacts[i]);
            if (contacts[i].push > 0 || dot(contacts[i].drag, contacts[i].drag) > 0) {
                apply_friction(&s, &contacts[i]);
            }
        }
    }
}
