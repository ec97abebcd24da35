// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Six plump figures that hang on a rotating ring by the tips of their hats. They swing, bend, twist
// and wobble like soft bodies, and collide with their neighbours. After the 'Santa Claus' scene of
// Steinemann, Otaduy, Gross, "Efficient Bounds for Point-Based Animations" (2007): 2857 or 45,682
// vertices and 115 or 550 nodes per figure, small and large contact. As there, nodes carry all of
// the motion, also around the ring; no body has a frame. All nodes move by formulas in `ring`; in
// `soft_ring` those of the hats do, and the rest of each figure is simulated.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenes/nodes.h"
#include "scenes/soft.h"

#define FIGURES 6
#define TIP 1.20  // where the ring holds a figure

// ---- the figure
//
// It stands on z = 0, looks towards +y and is symmetric in x.

static double ball(const double p[3], double x, double y, double z, double radius) {
    const double off[3] = {p[0] - x, p[1] - y, p[2] - z};
    return sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]) - radius;
}

// A torus about the z axis.
static double hoop(const double p[3], double z, double radius, double thick) {
    const double out = sqrt(p[0] * p[0] + p[1] * p[1]) - radius;
    return sqrt(out * out + (p[2] - z) * (p[2] - z)) - thick;
}

static double trunk(const double p[3], double fine) {
    static const double navel[2][3] = {{0.0, 0.02, 0.42}, {0.0, 0.01, 0.50}};
    static const double neck[3] = {0.0, 0.0, 0.70};
    const double chest = solid_bar(p, navel[1], neck, 0.22, 0.14);
    const double belly = solid_join(solid_bar(p, navel[0], navel[1], 0.25, 0.24), chest, 0.05);
    return solid_join(belly, hoop(p, 0.40, 0.24, solid_thin(0.03, fine)), 0.02);
}

static double head(const double p[3], double fine) {
    static const double beard[2][3] = {{0.0, 0.10, 0.80}, {0.0, 0.15, 0.68}};
    static const double hat[2][3] = {{0.0, 0.0, 0.97}, {0.0, 0.0, TIP}};
    const double nose = ball(p, 0.0, 0.15, 0.87, solid_thin(0.03, fine));
    const double chin = solid_bar(p, beard[0], beard[1], 0.07, solid_thin(0.03, fine));
    double value = solid_join(ball(p, 0.0, 0.01, 0.86, 0.14), nose, 0.02);
    value = solid_join(value, chin, 0.03);
    value = solid_join(value, solid_bar(p, hat[0], hat[1], 0.115, solid_thin(0.03, fine)), 0.02);
    value = solid_join(value, hoop(p, 0.95, 0.115, solid_thin(0.035, fine)), 0.02);
    return solid_join(value, ball(p, 0.0, 0.0, TIP + 0.03, solid_thin(0.05, fine)), 0.02);
}

// Of the side x > 0.
static const double hand[3] = {0.47, 0.08, 0.44};

static double arm(const double p[3], double fine) {
    static const double shoulder[3] = {0.16, 0.0, 0.66};
    static const double elbow[3] = {0.36, 0.0, 0.56};
    const double upper = solid_bar(p, shoulder, elbow, 0.085, 0.07);
    const double fore = solid_bar(p, elbow, hand, 0.07, 0.06);
    const double cuff = ball(p, 0.43, 0.053, 0.48, 0.075);
    const double thumb = ball(p, 0.41, 0.13, 0.43, solid_thin(0.03, fine));
    const double mitten = solid_join(ball(p, hand[0], hand[1], hand[2] - 0.03, 0.07), thumb, 0.02);
    const double whole = solid_join(solid_join(upper, fore, 0.03), cuff, 0.02);
    return solid_join(whole, mitten, 0.02);
}

static double leg(const double p[3]) {
    static const double hip[3] = {0.12, 0.0, 0.32};
    static const double ankle[3] = {0.14, 0.0, 0.12};
    static const double toe[3] = {0.155, 0.14, 0.07};
    static const double heel[3] = {0.14, -0.01, 0.08};
    const double thigh = solid_bar(p, hip, ankle, 0.12, 0.085);
    return solid_join(thigh, solid_bar(p, heel, toe, 0.08, 0.07), 0.03);
}

static double figure_value(const double p[3], double fine) {
    const double side[3] = {fabs(p[0]), p[1], p[2]};
    double value = solid_join(trunk(side, fine), leg(side), 0.05);
    value = solid_join(value, arm(side, fine), 0.05);
    return solid_join(value, head(side, fine), 0.05);
}

static const solid figure = {figure_value, {-0.57, -0.30, -0.02}, {0.57, 0.30, 1.31}};

// ---- the motion

typedef struct figure_traits {  // of one figure
    double phase[4];
    double swing;  // phase, about opposite to that of the neighbours
    double pace;
} figure_traits;

typedef struct ring_data {
    node_cloud nodes;  // of figures that move by formulas
    meshless body;     // of figures that are simulated,
    const double* u;   // and the displacements of all of its nodes in every frame
    double fine;
    figure_traits traits[FIGURES];
    double radius;
    double swing;  // along the ring
    double spin;   // of the ring
} ring_data;

typedef struct pose {  // of one figure in one frame
    double wave[2];    // of the hands
    double stretch;
    double swell;    // a wave of thickness along z
    double ripple;   // its phase
    double twist;    // per metre below the tip
    double lean[2];  // along the ring and outwards
    double place;    // angle on the ring
    double radius;
} pose;

// j = local j, the chain rule.
static void chain(const double local[3][3], double j[3][3]) {
    double from[3][3];
    memcpy(from, j, sizeof from);
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            j[d][e] = local[d][0] * from[0][e] + local[d][1] * from[1][e] +
                      local[d][2] * from[2][e];
        }
    }
}

// Moves each hand and its surroundings up and forward.
static void wave_hands(const pose* o, double x[3], double j[3][3]) {
    static const double way[3] = {0.2, 0.6, 0.8};
    const double reach_sq = 0.16 * 0.16;
    double local[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double shift[3] = {0.0, 0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        const double sign = side == 0 ? 1.0 : -1.0;
        const double off[3] = {x[0] - sign * hand[0], x[1] - hand[1], x[2] - hand[2]};
        const double gap_sq = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
        const double near = o->wave[side] * exp(-0.5 * gap_sq / reach_sq);
        for (int d = 0; d < 3; ++d) {
            const double along = d == 0 ? sign * way[0] : way[d];
            shift[d] += near * along;
            for (int e = 0; e < 3; ++e) {
                local[d][e] -= near * along * off[e] / reach_sq;
            }
        }
    }
    for (int d = 0; d < 3; ++d) {
        x[d] += shift[d];
    }
    chain((const double(*)[3])local, j);
}

// Longer and thinner, or the opposite, with a wave that runs down the figure.
static void wobble(const pose* o, double x[3], double j[3][3]) {
    const double thin = 1.0 / sqrt(o->stretch);
    const double wide = thin * (1.0 + o->swell * sin(7.0 * x[2] + o->ripple));
    const double slope = thin * o->swell * 7.0 * cos(7.0 * x[2] + o->ripple);
    const double local[3][3] = {
        {wide, 0.0, slope * x[0]}, {0.0, wide, slope * x[1]}, {0.0, 0.0, o->stretch}};
    x[0] *= wide;
    x[1] *= wide;
    x[2] = TIP + o->stretch * (x[2] - TIP);
    chain(local, j);
}

static void twist(const pose* o, double x[3], double j[3][3]) {
    const double c = cos(o->twist * (TIP - x[2]));
    const double n = sin(o->twist * (TIP - x[2]));
    const double turned[2] = {c * x[0] - n * x[1], n * x[0] + c * x[1]};
    const double local[3][3] = {
        {c, -n, o->twist * turned[1]}, {n, c, -o->twist * turned[0]}, {0.0, 0.0, 1.0}};
    x[0] = turned[0];
    x[1] = turned[1];
    chain(local, j);
}

// Leans towards +axis, like a flexible pendulum. Below the tip the figure follows an arc, whose
// angle grows along it from a part of the lean to all of it.
static void bend(double lean, size_t axis, double x[3], double j[3][3]) {
    const double start = 0.5 * lean;
    const double curve = 0.5 * lean / TIP;
    const double below = TIP - x[2];
    const double half = 0.5 * curve * below;
    const double chord = below * (fabs(half) < 1e-8 ? 1.0 : sin(half) / half);
    const double c = cos(start + curve * below);
    const double n = sin(start + curve * below);
    const double wide = 1.0 - curve * x[axis];
    double local[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    local[axis][axis] = c;
    local[axis][2] = -wide * n;
    local[2][axis] = n;
    local[2][2] = wide * c;
    const double off = x[axis];
    x[axis] = chord * sin(start + half) + off * c;
    x[2] = TIP - chord * cos(start + half) + off * n;
    chain((const double(*)[3])local, j);
}

// Moves a figure to its place on the ring: y points outwards.
static void go_round(const pose* o, double x[3], double j[3][3]) {
    const double c = cos(o->place);
    const double n = sin(o->place);
    const double local[3][3] = {{c, -n, 0.0}, {n, c, 0.0}, {0.0, 0.0, 1.0}};
    const double out = x[1] + o->radius;
    const double along = x[0];
    x[0] = c * along - n * out;
    x[1] = n * along + c * out;
    chain(local, j);
}

static void move_figure(const void* user, double x[3], double j[3][3]) {
    const pose* o = user;
    memset(j, 0, sizeof(double[3][3]));
    j[0][0] = j[1][1] = j[2][2] = 1.0;
    wave_hands(o, x, j);
    wobble(o, x, j);
    twist(o, x, j);
    bend(o->lean[0], 0, x, j);
    bend(o->lean[1], 1, x, j);
    go_round(o, x, j);
}

// ---- the scene

// The ring speeds up and slows down; figures swing outwards and lag behind.
static pose pose_of(const ring_data* data, uint32_t body, double time) {
    const figure_traits* h = &data->traits[body];
    const double turn = 2.0 * SCENE_PI * time;
    const double beat = h->pace * turn;
    return (pose){
        .wave = {0.08 * sin(beat + h->phase[0]), 0.08 * sin(beat + h->phase[1])},
        .stretch = 1.0 + 0.06 * sin(2.0 * beat + h->phase[2]),
        .swell = 0.05,
        .ripple = 3.0 * beat + h->phase[3],
        .twist = 0.25 * sin(turn) + 0.15 * sin(beat + h->phase[2]),
        .lean = {0.25 * sin(turn) + data->swing * sin(2.0 * beat + h->swing),
                 0.08 * (1.0 - 0.5 * cos(turn)) + 0.03 * sin(beat + h->phase[1])},
        .place = 2.0 * SCENE_PI * (double)body / FIGURES + data->spin * (turn - 0.5 * sin(turn)),
        .radius = data->radius,
    };
}

static void ring_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms) {
    const ring_data* data = s->data;
    const pose o = pose_of(data, body, scene__time(s, frame));
    scene__node_transforms(&data->nodes, move_figure, &o, transforms);
}

// Neighbours are as far from each other as from the middle of the ring. Large contact has about
// four times the pairs of small contact; in the paper, a query with the best boxes takes one and a
// half times as long. Pressed contact is the case that the paper excludes.
static void choose_contact(ring_data* data, scene_contact contact) {
    switch (contact) {
        case SCENE_CONTACT_NONE:
            data->radius = 1.15;
            data->swing = 0.10;
            break;
        case SCENE_CONTACT_LARGE:
            data->radius = 0.66;
            data->swing = 0.10;
            break;
        case SCENE_CONTACT_PRESSED:
            data->radius = 0.45;
            data->swing = 0.12;
            break;
        case SCENE_CONTACT_SMALL:
        default:
            data->radius = 0.76;
            data->swing = 0.08;
            break;
    }
}

static void add_figures(scene* s, ring_data* data, const scene_mesh* mesh,
                        const scene_weights* weights) {
    static const char* const names[FIGURES] = {"first figure",  "second figure", "third figure",
                                               "fourth figure", "fifth figure",  "sixth figure"};
    s->data = data;
    for (uint32_t i = 0; i < FIGURES; ++i) {
        scene__add_blended(s, names[i], mesh, weights, NULL, true);
    }
}

static void choose_traits(ring_data* data, uint32_t seed) {
    for (uint32_t i = 0; i < FIGURES; ++i) {
        figure_traits* h = &data->traits[i];
        for (uint32_t k = 0; k < 4; ++k) {
            h->phase[k] = scene__random_in(seed, 4 * i + k, 0.0, 2.0 * SCENE_PI);
        }
        h->swing = SCENE_PI * (double)i + scene__random_in(seed, 100 + i, -0.4, 0.4);
        h->pace = scene__random_in(seed, 200 + i, 1.95, 2.05);
    }
}

void scene__make_ring(scene* s, const scene_wish* wish) {
    ring_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh mesh;
    scene_weights weights;
    if (data == NULL || !scene__solid_surface(s, &figure, wish->triangles, &mesh, &data->fine) ||
        !scene__sample_nodes(s, &figure, data->fine, wish->nodes, &data->nodes) ||
        !scene__node_weights(s, &data->nodes, &mesh, wish->influences, &weights)) {
        return;
    }
    choose_contact(data, wish->contact);
    choose_traits(data, wish->seed);
    data->spin = 1.25;
    s->transforms = ring_transforms;
    add_figures(s, data, &mesh, &weights);
}

// ---- the simulated figures

#define HAT 0.95  // nodes above are held

static double figure_depth(const void* user, const double x[3]) {
    const ring_data* data = user;
    return -figure_value(x, data->fine);
}

static bool figure_holds(const void* user, const double x[3]) {
    return figure_depth(user, x) > 0.0;
}

static double figure_grip(const void* user, const double x[3]) {
    (void)user;
    return x[2] - HAT;
}

// The motion of the hats, without what bends and stretches a figure.
static void drive_figure(const void* user, uint32_t body, double time, double x[3]) {
    const ring_data* data = user;
    pose o = pose_of(data, body, time);
    double j[3][3];
    o.wave[0] = o.wave[1] = o.swell = o.twist = 0.0;
    o.stretch = 1.0;
    move_figure(&o, x, j);
}

static void soft_ring_transforms(const scene* s, uint32_t body, uint32_t frame,
                                 double* transforms) {
    const ring_data* data = s->data;
    const size_t at = (size_t)frame * FIGURES + body;
    if (!scene__meshless_transforms(&data->body, data->u + 3 * at * data->body.node_count,
                                    transforms)) {
        abort();  // as in blend_positions(): no result is better than a wrong one
    }
}

void scene__make_soft_ring(scene* s, const scene_wish* wish) {
    static const double radii[] = {[SCENE_CONTACT_SMALL] = 0.66,
                                   [SCENE_CONTACT_NONE] = 1.15,
                                   [SCENE_CONTACT_LARGE] = 0.55,
                                   [SCENE_CONTACT_PRESSED] = 0.42};
    ring_data* data = scene__alloc(s, 1, sizeof *data);
    meshless_region region = {.inside = figure_holds, .user = data};
    scene_mesh mesh;
    scene_weights weights;
    memcpy(region.low, figure.low, sizeof region.low);
    memcpy(region.high, figure.high, sizeof region.high);
    if (data == NULL || !scene__solid_surface(s, &figure, wish->triangles, &mesh, &data->fine) ||
        !scene__meshless(s, &region, &mesh, scene__soft_nodes(&mesh, wish->nodes, 5), wish->seed,
                         &data->body) ||
        !scene__meshless_weights(s, &data->body, &mesh, &weights)) {
        return;
    }
    choose_traits(data, wish->seed);
    data->radius = radii[wish->contact];
    data->swing = 0.10;
    data->spin = 0.4;  // slow enough that figures hang rather than fly
    data->u = scene__soft_motion(s, &(soft_def){.body = &data->body,
                                                .material = {.density = 1.0,
                                                             .stretch = 0.8,
                                                             .shear = 1.2,
                                                             .volume = 2.0,
                                                             .damping = 1.5},
                                                .count = FIGURES,
                                                .duration = 10.0,
                                                .weight = 0.5,
                                                .drag = 0.4,
                                                .push = 0.3,
                                                .depth = figure_depth,
                                                .grip = figure_grip,
                                                .drive = drive_figure,
                                                .user = data});
    s->transforms = soft_ring_transforms;
    add_figures(s, data, &mesh, &weights);
}
