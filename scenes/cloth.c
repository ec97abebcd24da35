// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A tablecloth, and the plain waving sheet.
//
// The cloth has a closed form in polar material coordinates (r, phi) about the table's axis. Beyond
// the rim it bends down along a profile curve. A ring of material length 2 pi r must then fit on a
// circle of radius rho < r, so the excess k = r / rho goes into folds. A fold is a trochoid:
// forward psi - c sin psi, outward a cos psi. Its mean squared speed,
// 1 + (c^2 + (a n / rho)^2) / 2, is set to k^2. With c > 1 the trochoid has loops: the folds pinch
// and the cloth passes through itself, first near the hem and only in the late frames, where it is
// also stretched a little to make them pinch more.

#include <math.h>

#include "scenes/scenes_internal.h"

// ---- tablecloth

#define TABLE_SEGMENTS 64
#define TABLE_HEIGHT 1.0
#define BEND_RADIUS 0.572  // where the cloth leaves the flat top, just inside the rim
#define FOLDS 12.0
#define LANDING 0.2  // time when the cloth reaches the table
#define PROFILE_STEPS 1024
#define PROFILE_LENGTH 0.85  // the corners are sqrt(2) - 0.572 beyond the bend

// Radius and height, from the floor over the pedestal and the rim to the middle of the top: 23
// bands of 128 triangles and two fans of 64 make 3072.
static const double table_profile[][2] = {
    {0.000, 0.000}, {0.360, 0.000}, {0.380, 0.015}, {0.360, 0.030}, {0.200, 0.050}, {0.090, 0.090},
    {0.060, 0.200}, {0.055, 0.400}, {0.060, 0.600}, {0.075, 0.800}, {0.120, 0.900}, {0.200, 0.940},
    {0.400, 0.945}, {0.580, 0.945}, {0.610, 0.952}, {0.620, 0.970}, {0.617, 0.985}, {0.607, 0.996},
    {0.590, 1.000}, {0.500, 1.000}, {0.420, 1.000}, {0.340, 1.000}, {0.250, 1.000}, {0.170, 1.000},
    {0.085, 1.000}, {0.000, 1.000},
};
#define TABLE_POINTS (sizeof table_profile / sizeof table_profile[0])

typedef struct cloth_data {
    double warp[4];     // phases of the irregular spacing of folds
    double depth[2];    // phases of their irregular depth
    double wrinkle[4];  // phases and direction of wrinkles on the top
} cloth_data;

// The cloth's profile beyond the bend at one time: position and slope after each step.
typedef struct cloth_profile {
    double radius[PROFILE_STEPS + 1];
    double height[PROFILE_STEPS + 1];
    double slope[PROFILE_STEPS + 1];  // angle below the horizontal
} cloth_profile;

// Returns the angle of the free part at distance s beyond the bend. The hem falls later than the
// rim.
static double hang_angle(double time, double s) {
    const double local = time - 0.22 * s;
    const double fall = scene__ease(local, LANDING - 0.06, 0.58);
    const double after = fmax(local - 0.5, 0.0);
    const double swing = 0.16 * sin(22.0 * after) * exp(-5.0 * after) * scene__ease(s, 0.0, 0.3);
    return (1.5 * fall + swing) * scene__ease(s, 0.0, 0.11);
}

static void make_profile(cloth_profile* profile, double time) {
    const double step = PROFILE_LENGTH / PROFILE_STEPS;
    double radius = BEND_RADIUS;
    double height = 0.0;
    double slope = 0.0;
    for (int i = 0; i <= PROFILE_STEPS; ++i) {
        const double next = hang_angle(time, step * (double)i);
        if (i > 0) {
            radius += step * cos(0.5 * (slope + next));
            height -= step * sin(0.5 * (slope + next));
        }
        slope = next;
        profile->radius[i] = radius;
        profile->height[i] = height;
        profile->slope[i] = slope;
    }
}

static double sample(const double* table, double s) {
    const double at = s * (PROFILE_STEPS / PROFILE_LENGTH);
    const int i = (int)fmin(at, PROFILE_STEPS - 1);
    return table[i] + (at - (double)i) * (table[i + 1] - table[i]);
}

// Small waves of the flat part, about -1 .. 1. Three directions make dimples rather than ridges.
static double wrinkles(const cloth_data* data, double x, double y, double time) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double direction = data->wrinkle[3] + 2.0 * (double)i;
        const double along = x * cos(direction) + y * sin(direction);
        sum += 0.34 * sin((11.0 + 2.0 * (double)i) * along + data->wrinkle[i] + 1.5 * time);
    }
    return sum;
}

// Places a point beyond the bend, on the fold at angle phi.
static void place_hanging(const cloth_data* data, const cloth_profile* profile, double time,
                          double r, double phi, double out[3]) {
    const double s = r - BEND_RADIUS;
    const double rho = sample(profile->radius, s);
    const double slope = sample(profile->slope, s);
    const double tighten = scene__ease(time, 0.45, 1.0);
    const double k = r / rho;
    const double excess = sqrt(fmax(2.0 * (k * k - 1.0), 0.0) * s / (s + 0.04));

    const double* warp = data->warp;
    const double psi = FOLDS * phi + 0.7 * sin(2.0 * phi + warp[0]) +
                       0.6 * sin(3.0 * phi + warp[1]) + 0.4 * sin(5.0 * phi + warp[2]) +
                       0.5 * sin(7.0 * s + 1.5 * time + warp[3]);
    const double vary = 0.5 + 0.3 * sin(3.0 * phi + data->depth[0]) +
                        0.2 * sin(5.0 * phi + data->depth[1]);
    const double share = 0.4 + tighten * (0.12 + 0.38 * vary);
    const double forward = (1.0 + 0.4 * tighten) * share * excess;
    const double outward = sqrt(1.0 - share * share) * excess * rho / FOLDS;

    const double turned = phi - forward / FOLDS * sin(psi);
    const double lift = outward * (cos(psi) + 0.05);
    const double radius = rho + lift * sin(slope);
    out[0] = radius * cos(turned);
    out[1] = radius * sin(turned);
    out[2] = sample(profile->height, s) + lift * cos(slope);
}

static void place_cloth(const cloth_data* data, const cloth_profile* profile, double time,
                        const double rest[3], double out[3]) {
    const double x = rest[0];
    const double y = rest[1];
    const double r = sqrt(x * x + y * y);
    if (r <= BEND_RADIUS) {
        out[0] = x;
        out[1] = y;
        out[2] = 0.0;
    } else {
        place_hanging(data, profile, time, r, atan2(y, x), out);
    }
    const double early = fmin(time / LANDING, 1.0);
    const double above = 0.4 * (1.0 - early * early);
    const double air = 1.0 - scene__ease(time, 0.1, 0.35);
    const double flat = 1.0 - scene__ease(r, 0.75 * BEND_RADIUS, BEND_RADIUS + 0.1);
    const double size = 0.005 + 0.016 * air;
    out[2] += TABLE_HEIGHT + above + 0.003 + size * fmax(air, flat) * wrinkles(data, x, y, time) +
              0.06 * air * early * r * r;
}

static void tablecloth_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* cloth = &s->bodies[body];
    const double time = scene__time(s, frame);
    cloth_profile profile;
    make_profile(&profile, time);
    for (size_t i = 0; i < cloth->vertex_count; ++i) {
        place_cloth(s->data, &profile, time, cloth->rest + 3 * i, xyz + 3 * i);
    }
}

void scene__make_tablecloth(scene* s, const scene_wish* wish) {
    cloth_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh cloth;
    scene_mesh table;
    const uint32_t side = scene__square_side(wish->triangles);
    if (data == NULL || !scene__grid(s, &cloth, side, side, GRID_ALTERNATE) ||
        !scene__turned(s, &table, table_profile, TABLE_POINTS, TABLE_SEGMENTS, false)) {
        return;
    }
    for (uint32_t i = 0; i < 4; ++i) {
        data->warp[i] = scene__random_in(wish->seed, i, 0.0, 2.0 * SCENE_PI);
        data->wrinkle[i] = scene__random_in(wish->seed, 10 + i, 0.0, 2.0 * SCENE_PI);
    }
    data->depth[0] = scene__random_in(wish->seed, 20, 0.0, 2.0 * SCENE_PI);
    data->depth[1] = scene__random_in(wish->seed, 21, 0.0, 2.0 * SCENE_PI);
    // The rest pose: flat, two units wide, above the table.
    for (size_t i = 0; i < cloth.vertex_count; ++i) {
        double* p = cloth.rest + 3 * i;
        p[0] = 2.0 * p[0] - 1.0;
        p[1] = 2.0 * p[1] - 1.0;
        p[2] = TABLE_HEIGHT + 0.4;
    }
    s->data = data;
    s->positions = tablecloth_positions;
    scene__add_body(s, "cloth", &cloth, true, false);
    scene__add_body(s, "table", &table, false, true);
}

// ---- sheet

typedef struct sheet_data {
    double phase[3];
} sheet_data;

// A height field over the plane, so no two points can touch.
static void sheet_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz) {
    const scene_body* sheet = &s->bodies[body];
    const double* phase = ((const sheet_data*)s->data)->phase;
    const double turn = 2.0 * SCENE_PI * scene__time(s, frame);
    for (size_t i = 0; i < sheet->vertex_count; ++i) {
        const double x = sheet->rest[3 * i];
        const double y = sheet->rest[3 * i + 1];
        xyz[3 * i] = x;
        xyz[3 * i + 1] = y;
        xyz[3 * i + 2] = 0.06 * sin(5.0 * x + 1.5 * y - 2.0 * turn + phase[0]) +
                         0.03 * sin(4.0 * y - 7.0 * x + 3.0 * turn + phase[1]) +
                         0.01 * sin(13.0 * x + 9.0 * y - turn + phase[2]);
    }
}

void scene__make_sheet(scene* s, const scene_wish* wish) {
    sheet_data* data = scene__alloc(s, 1, sizeof *data);
    scene_mesh sheet;
    const uint32_t side = scene__square_side(wish->triangles);
    if (data == NULL || !scene__grid(s, &sheet, side, side, GRID_ALTERNATE)) {
        return;
    }
    for (uint32_t i = 0; i < 3; ++i) {
        data->phase[i] = scene__random_in(wish->seed, i, 0.0, 2.0 * SCENE_PI);
    }
    for (size_t i = 0; i < sheet.vertex_count; ++i) {
        sheet.rest[3 * i] = 2.0 * sheet.rest[3 * i] - 1.0;
        sheet.rest[3 * i + 1] = 2.0 * sheet.rest[3 * i + 1] - 1.0;
    }
    s->data = data;
    s->positions = sheet_positions;
    scene__add_body(s, "sheet", &sheet, true, false);
}
