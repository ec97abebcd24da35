// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A brain-like blob, fixed at its stem, is pulled by a few forces and released, while a probe taps
// it. After figure 5 of Steinemann, Otaduy, Gross, "Efficient Bounds for Point-Based Animations"
// (2007): 3.5k, 30k or 145k vertices (7000, 60000, 290000 triangles), 65, 225 or 509 nodes.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/elastic.h"

// ---- the surface

#define WAVES 28
#define FOLDS 11.0  // waves around the brain, times pi
#define GROOVE 0.10

// A sphere whose radius depends on the direction: waves of one length from all directions make a
// field whose zeros wind like furrows.
typedef struct brain_form {
    double wave[WAVES][3];
    double phase[WAVES];
} brain_form;

static void make_form(brain_form* form, uint32_t seed) {
    for (uint32_t i = 0; i < WAVES; ++i) {
        const double z = scene__random_in(seed, 3 * i, -1.0, 1.0);
        const double angle = scene__random_in(seed, 3 * i + 1, 0.0, 2.0 * SCENE_PI);
        const double around = sqrt(1.0 - z * z);
        form->wave[i][0] = FOLDS * around * cos(angle);
        form->wave[i][1] = FOLDS * around * sin(angle);
        form->wave[i][2] = FOLDS * z;
        form->phase[i] = scene__random_in(seed, 3 * i + 2, 0.0, 2.0 * SCENE_PI);
    }
}

static const double brain_size[3] = {0.78, 1.0, 0.72};

// Returns the radius in the direction of a unit vector, before scaling by the size.
static double radius_towards(const brain_form* form, const double n[3]) {
    double field = 0.0;
    for (int i = 0; i < WAVES; ++i) {
        const double* k = form->wave[i];
        field += cos(k[0] * n[0] + k[1] * n[1] + k[2] * n[2] + form->phase[i]);
    }
    field /= sqrt(0.5 * WAVES);
    const double furrow = exp(-field * field / 0.12);
    // The cleft between the halves, on top; it fades out below, where the stem is.
    const double cleft = exp(-n[0] * n[0] / 0.008) * scene__ease(n[2], -0.2, 0.4);
    const double smooth = scene__ease(n[2], -0.9, -0.5);
    return 1.0 - smooth * GROOVE * fmax(furrow, 1.6 * cleft);
}

static bool brain_holds(const void* user, const double p[3]) {
    double n[3];
    double square = 0.0;
    for (int d = 0; d < 3; ++d) {
        n[d] = p[d] / brain_size[d];
        square += n[d] * n[d];
    }
    const double r = sqrt(square);
    for (int d = 0; d < 3 && r > 0.0; ++d) {
        n[d] /= r;
    }
    return r < 0.8 || (r < 1.0 && r < 0.97 * radius_towards(user, n));
}

static bool make_surface(scene* s, const brain_form* form, uint32_t triangles, scene_mesh* mesh) {
    const double frequency = floor(sqrt((double)triangles / 20.0) + 0.5);
    if (!scene__sphere(s, mesh, frequency < 2.0 ? 2 : (uint32_t)frequency)) {
        return false;
    }
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double* p = mesh->rest + 3 * i;
        const double r = radius_towards(form, p);
        for (int d = 0; d < 3; ++d) {
            p[d] *= r * brain_size[d];
        }
    }
    return true;
}

// ---- the motion

#define PULLS 4
#define DURATION 9.0
#define STEM -0.5  // nodes below are fixed
#define LEAST_NODES 8

static const elastic_def brain_material = {
    .density = 1.0, .stretch = 0.10, .shear = 0.18, .volume = 0.6, .damping = 1.5};

// A force on the nodes around a point, during an interval of time.
typedef struct brain_pull {
    double at[3];
    double force[3];  // per mass
    double from;
    double to;
} brain_pull;

typedef struct brain_data {
    brain_form form;
    brain_pull pulls[PULLS];
    meshless body;
    double* u;    // displacements of all nodes in every frame
    double near;  // of the probe
    double side;
} brain_data;

// Pulls outwards on all sides, the second pair with more twist.
static void make_pulls(brain_data* data, uint32_t seed) {
    static const double towards[PULLS][3] = {
        {0.2, 0.9, 0.5}, {-0.3, -0.8, 0.6}, {-0.9, 0.3, 0.2}, {0.1, -0.2, 1.0}};
    static const double turned[PULLS][3] = {
        {0.3, 1.0, 0.5}, {-0.6, -0.8, 0.3}, {-1.0, -0.4, 0.4}, {0.7, 0.3, 1.0}};
    for (uint32_t i = 0; i < PULLS; ++i) {
        brain_pull* pull = &data->pulls[i];
        for (uint32_t d = 0; d < 3; ++d) {
            const double other = scene__random_in(seed, 500 + 6 * i + d, -0.15, 0.15);
            pull->at[d] = brain_size[d] * (towards[i][d] + other);
            pull->force[d] = 3.6 *
                             (turned[i][d] + scene__random_in(seed, 503 + 6 * i + d, -0.2, 0.2));
        }
        pull->from = 0.17 * (double)i;
        pull->to = pull->from + 0.28;
    }
}

// Forces are eased in and end abruptly.
static void outer_forces(const brain_data* data, const elastic* e, double time, double* outer) {
    const size_t nodes = e->body->node_count;
    memset(outer, 0, 3 * nodes * sizeof *outer);
    for (int k = 0; k < PULLS; ++k) {
        const brain_pull* pull = &data->pulls[k];
        if (time < pull->from || time > pull->to) {
            continue;
        }
        const double strength = scene__ease(time, pull->from, 0.7 * pull->to + 0.3 * pull->from);
        for (size_t i = 0; i < nodes; ++i) {
            double square = 0.0;
            for (size_t d = 0; d < 3; ++d) {
                const double off = e->body->place[3 * i + d] - pull->at[d];
                square += off * off;
            }
            const double share = strength * e->mass[i] * exp(-square / 0.10);
            for (size_t d = 0; d < 3; ++d) {
                outer[3 * i + d] += share * pull->force[d];
            }
        }
    }
}

static void hold_stem(elastic* e) {
    double lowest = 1.0;
    for (size_t i = 0; i < e->body->node_count; ++i) {
        lowest = fmin(lowest, e->body->place[3 * i + 2]);
    }
    for (size_t i = 0; i < e->body->node_count; ++i) {
        e->held[i] = e->body->place[3 * i + 2] <= fmax(STEM, lowest);
    }
}

// Simulates all frames, with as many steps between two of them as necessary.
static void simulate(scene* s, brain_data* data) {
    scene scratch = {0};
    elastic e;
    const size_t numbers = 3 * (size_t)data->body.node_count;
    const uint32_t pieces = s->frame_count > 1 ? s->frame_count - 1 : 1;
    data->u = scene__alloc(s, s->frame_count, numbers * sizeof *data->u);
    double* outer = scene__alloc(&scratch, numbers, sizeof *outer);
    if (data->u == NULL || outer == NULL ||
        !scene__elastic(&scratch, &data->body, &brain_material, &e)) {
        s->failed = true;
        scene__free_all(&scratch);
        return;
    }
    hold_stem(&e);
    const double steps = ceil(DURATION / (e.step * (double)pieces));
    e.step = DURATION / (steps * (double)pieces);
    for (uint32_t frame = 0; frame <= pieces; ++frame) {
        for (uint32_t k = 0; frame > 0 && k < (uint32_t)steps; ++k) {
            const double time = ((double)(frame - 1) + ((double)k + 0.5) / steps) / (double)pieces;
            outer_forces(data, &e, time, outer);
            s->failed = !scene__elastic_step(&e, outer) || s->failed;
        }
        if (s->frame_count > 1 || frame == pieces) {
            memcpy(data->u + (s->frame_count > 1 ? frame : 0) * numbers, e.u,
                   numbers * sizeof *e.u);
        }
    }
    scene__free_all(&scratch);
}

static void brain_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    const brain_data* data = s->data;
    (void)body;
    const double* u = data->u + 3 * (size_t)frame * data->body.node_count;
    if (!scene__meshless_transforms(&data->body, u, transforms)) {
        abort();  // as in blend_positions(): no result is better than a wrong one
    }
}

// The probe comes from the side, taps and retracts, several times.
static void brain_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3],
                        double t[3]) {
    const brain_data* data = s->data;
    const double time = scene__time(s, frame);
    if (body == 1) {
        scene__rotation((const double[3]){0.0, 1.0, 0.0}, 0.5 * SCENE_PI + 0.1 * data->side, r);
        t[0] = data->near - 0.22 * sin(9.0 * SCENE_PI * time) * sin(SCENE_PI * time);
        t[1] = 0.25 * data->side + 0.1 * cos(4.0 * time);
        t[2] = 0.05 * data->side;
    }
}

// ---- the scene

// Makes a rod with round ends along z, with its tip at the origin.
static bool make_probe(scene* s, scene_mesh* mesh) {
    enum { ROUND = 6, POINTS = 2 * ROUND };
    double profile[POINTS][2];
    for (int i = 0; i < POINTS; ++i) {
        const double angle = 0.5 * SCENE_PI * (double)(i % ROUND) / (double)(ROUND - 1);
        const bool top = i >= ROUND;
        profile[i][0] = 0.09 * (top ? cos(angle) : sin(angle));
        profile[i][1] = top ? 0.8 + 0.09 * sin(angle) : 0.09 - 0.09 * cos(angle);
    }
    profile[0][0] = profile[POINTS - 1][0] = 0.0;
    return scene__turned(s, mesh, (const double(*)[2])profile, POINTS, 24, false);
}

void scene__make_brain(scene* s, const scene_wish* wish) {
    static const scene_fields rigid = {0};
    static const double near[] = {[SCENE_CONTACT_SMALL] = 0.80,
                                  [SCENE_CONTACT_NONE] = 2.2,
                                  [SCENE_CONTACT_LARGE] = 0.5,
                                  [SCENE_CONTACT_PRESSED] = 0.3};
    brain_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    scene_mesh probe;
    scene_weights weights;
    const uint32_t nodes = wish->nodes > LEAST_NODES ? wish->nodes : LEAST_NODES;
    if (data == NULL) {
        return;
    }
    make_form(&data->form, wish->seed);
    make_pulls(data, wish->seed);
    const meshless_region region = {.inside = brain_holds,
                                    .user = &data->form,
                                    .low = {-brain_size[0], -brain_size[1], -brain_size[2]},
                                    .high = {brain_size[0], brain_size[1], brain_size[2]}};
    if (!make_surface(s, &data->form, wish->triangles, &mesh) || !make_probe(s, &probe) ||
        !scene__meshless(s, &region, &mesh, nodes, wish->seed, &data->body) ||
        !scene__meshless_weights(s, &data->body, &mesh, &weights)) {
        return;
    }
    data->near = near[wish->contact];
    data->side = scene__random_in(wish->seed, 700, -1.0, 1.0);
    simulate(s, data);
    s->data = data;
    s->transforms = brain_transforms;
    s->frame = brain_frame;
    scene__add_blended(s, "brain", &mesh, &weights, NULL, true);
    scene__add_reduced(s, "probe", &probe, &rigid, true);
}
