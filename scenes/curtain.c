// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A curtain and a ball that is thrown through it.
//
// The curtain hangs in the plane y = 0 from a rail at z = 2. A pleat is a trochoid (see cloth.c):
// gathered tightly at the rail, where its loops cross, and open at the hem. The ball pushes a bulge
// ahead of it, but passes through. The bulge then swings back, and a ripple spreads from it that
// also shakes the pleats sideways. The rest pose is the curtain hanging still.
//
// The curtain does not follow these formulas themselves but their principal components: a few
// fields over the rest pose.

#include <math.h>
#include <string.h>

#include "scenes/pca.h"
#include "scenes/scenes_internal.h"

#define WIDTH 2.4
#define HEIGHT 2.0
#define PLEATS 8.0
#define BALL_RADIUS 0.26
#define BALL_FREQUENCY 10  // 2000 triangles
#define HIT 0.34           // time when the ball reaches the curtain
#define INSTANTS 110       // of the analysis, for any number of frames
#define SAMPLES 4000

typedef struct curtain_data {
    double warp[3];
    double depth[2];
    double aim;  // x where the ball crosses
    double spin;
    uint32_t columns;
    uint32_t rows;
    uint32_t field_count;
    const double* coordinates;  // frame by frame
} curtain_data;

static void ball_centre(const curtain_data* data, double time, double out[3]) {
    const double flight = (time - HIT) / 0.62;
    out[0] = data->aim + 0.35 * flight;
    out[1] = 1.9 * flight;
    out[2] = 1.05 + 0.25 * flight - 0.9 * flight * flight;
}

// Returns the depth of the bulge. It grows while the ball pushes, then swings and decays.
static double bulge_depth(double time) {
    const double push = scene__ease(time, HIT - 0.06, HIT + 0.14);
    const double after = fmax(time - (HIT + 0.14), 0.0);
    return 0.42 * push * cos(13.0 * after) * exp(-4.5 * after);
}

// The constant data of a point of the curtain.
typedef struct curtain_point {
    double x;
    double z;
    double psi;      // along its pleat
    double forward;  // of the trochoid
    double outward;
    double loose;  // 0 at the rail
    double sway;   // phase
    double dx;     // from where the ball crosses
    double dz;
    double distance;
    double near;
} curtain_point;

static curtain_point point_at(const curtain_data* data, double u, double v) {
    const double* warp = data->warp;
    const double vary = 1.0 + 0.18 * sin(9.0 * u + data->depth[0]) +
                        0.12 * sin(21.0 * u + data->depth[1]);
    const double gather = scene__ease(v, 0.55, 1.0);
    double hit[3];
    ball_centre(data, HIT, hit);
    curtain_point p = {
        .x = WIDTH * (u - 0.5),
        .z = HEIGHT * v,
        .psi = 2.0 * SCENE_PI * PLEATS * u + 0.5 * sin(7.0 * u + warp[0]) +
               0.4 * sin(12.0 * u + warp[1]) + 0.35 * (1.0 - v) * sin(5.0 * u + warp[2]),
        .forward = vary * (0.45 + 0.75 * gather),
        .outward = vary * (0.105 - 0.055 * gather),
        .loose = 1.0 - v * v * v,
        .sway = 3.0 * u + 1.5 * v,
    };
    p.dx = (p.x - hit[0]) / 0.45;
    p.dz = (p.z - hit[2]) / 0.60;
    p.distance = sqrt(p.dx * p.dx + p.dz * p.dz);
    p.near = exp(-p.distance * p.distance);
    return p;
}

// The trochoid, hanging still. The slight lean keeps rows of different folds out of common planes,
// where all of them would be ties.
static void place_pleat(double psi, double forward, double outward, double out[3]) {
    out[0] = -forward * (WIDTH / (2.0 * SCENE_PI * PLEATS)) * sin(psi);
    out[1] = outward * cos(psi);
    out[2] = 0.008 * sin(psi + 1.0);
}

// Computes the displacement of a point. The effect of the ball reaches it with a delay.
static void displace_point(const curtain_point* p, double time, double out[3]) {
    const double depth = bulge_depth(time - 0.04 * p->distance);
    const double ripple = bulge_depth(time - 0.13 * p->distance) * p->distance *
                          exp(-0.7 * p->distance);
    const double sway = 0.03 * sin(9.0 * time + p->sway) * p->loose;

    // Pleats are squeezed sideways beside the bulge, flattened on it and shaken by the ripple.
    const double pushed = p->loose * fabs(depth) * p->near;
    const double psi = p->psi + 0.9 * p->loose * ripple * sin(1.5 * p->dx);
    double still[3];
    double pleat[3];
    place_pleat(p->psi, p->forward, p->outward, still);
    place_pleat(psi, p->forward + 1.1 * pushed * p->dx * p->dx, p->outward * (1.0 - 0.9 * pushed),
                pleat);

    out[0] = pleat[0] - still[0];
    out[1] = pleat[1] - still[1] + p->loose * (depth * p->near + 0.3 * ripple + sway);
    out[2] = pleat[2] - still[2] + p->loose * 0.25 * depth * depth * p->near;
}

// The motion for the analysis; vertices are in the order of the grid.
static void displace(const void* user, double time, const uint32_t* vertices, uint32_t count,
                     double* xyz) {
    const curtain_point* points = user;
    for (size_t i = 0; i < count; ++i) {
        displace_point(&points[vertices[i]], time, xyz + 3 * i);
    }
}

static void curtain_coordinates(const scene* s, uint32_t body, uint32_t frame, double* q) {
    const curtain_data* data = s->data;
    if (body == 0) {
        const size_t bytes = data->field_count * sizeof *q;
        memcpy(q, data->coordinates + (size_t)frame * data->field_count, bytes);
    }
}

// The ball flies and spins; the curtain has no frame.
static void curtain_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3],
                          double t[3]) {
    const curtain_data* data = s->data;
    if (body == 1) {
        const double time = scene__time(s, frame);
        scene__rotation((const double[3]){1.0, 0.0, 0.0}, data->spin * time, r);
        ball_centre(data, time, t);
    }
}

// Makes the rest pose, the fields over it and the coordinates.
static bool hang_curtain(scene* s, curtain_data* data, const scene_wish* wish, scene_mesh* mesh,
                         scene_fields* fields) {
    scene scratch = {0};
    curtain_point* points = scene__alloc(&scratch, mesh->vertex_count, sizeof *points);
    bool done = points != NULL;
    for (size_t i = 0; i < mesh->vertex_count && done; ++i) {
        double* p = mesh->rest + 3 * i;
        points[i] = point_at(data, p[0], p[1]);
        place_pleat(points[i].psi, points[i].forward, points[i].outward, p);
        p[0] += points[i].x;
        p[2] += points[i].z;
    }
    const pca_motion motion = {mesh->vertex_count, displace, points};
    const pca_def def = {.fields = wish->fields, .times = INSTANTS, .samples = SAMPLES};
    double* coordinates = NULL;
    done = done && scene__pca(s, &motion, &def, fields, &coordinates);
    data->field_count = fields->count;
    data->coordinates = coordinates;
    scene__free_all(&scratch);
    s->failed = s->failed || !done;
    return done;
}

void scene__make_curtain(scene* s, const scene_wish* wish) {
    curtain_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh curtain;
    scene_mesh ball;
    if (data == NULL) {
        return;
    }
    // One column more than rows: 78 x 77 cells are 12012 triangles.
    const double side = floor(0.5 * (1.0 + sqrt(1.0 + 2.0 * (double)wish->triangles)) + 0.5);
    data->columns = side < 2.0 ? 2 : (uint32_t)side;
    data->rows = data->columns - 1;
    if (!scene__grid(s, &curtain, data->columns, data->rows, GRID_ALTERNATE) ||
        !scene__sphere(s, &ball, BALL_FREQUENCY)) {
        return;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        data->warp[i] = scene__random_in(wish->seed, i, 0.0, 2.0 * SCENE_PI);
    }
    data->depth[0] = scene__random_in(wish->seed, 10, 0.0, 2.0 * SCENE_PI);
    data->depth[1] = scene__random_in(wish->seed, 11, 0.0, 2.0 * SCENE_PI);
    data->aim = scene__random_in(wish->seed, 12, -0.4, 0.4);
    data->spin = scene__random_in(wish->seed, 13, 4.0, 9.0);
    for (size_t i = 0; i < 3 * (size_t)ball.vertex_count; ++i) {
        ball.rest[i] *= BALL_RADIUS;
    }
    scene_fields fields = {0};
    if (!hang_curtain(s, data, wish, &curtain, &fields)) {
        return;
    }
    s->data = data;
    s->coordinates = curtain_coordinates;
    s->frame = curtain_frame;
    scene__add_reduced(s, "curtain", &curtain, &fields, false);
    scene__add_reduced(s, "ball", &ball, &(scene_fields){0}, true);
}
