// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Origins of blend states that are far from 0, or whose rest positions are: see blend_far.h.
#include "motion/blend_far.h"

#include <math.h>

#define SAMPLES 16u  // transforms that an origin is found from

// where a transform takes the mesh's origin
static void origin_by(const abut_mesh* mesh, const double t[12], double out[3]) {
    const double q[3] = {(double)mesh->origin[0], (double)mesh->origin[1], (double)mesh->origin[2]};
    for (size_t d = 0; d < 3; ++d) {
        const double* row = t + 4 * d;
        out[d] = ((row[0] * q[0] + row[1] * q[1]) + row[2] * q[2]) + row[3];
    }
}

// Chooses the state's origin by some of the transforms; `size` bounds how far vertices are from where
// these take the mesh's origin.
static void choose_origin(const abut_shape* shape, abut__blend_state* own, double size) {
    const uint32_t samples = own->node_count < SAMPLES ? own->node_count : SAMPLES;
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t i = 0; i < samples; ++i) {
        double at[3];
        const uint32_t j = (uint32_t)((uint64_t)own->node_count * i / samples);
        origin_by(shape->mesh, own->transforms[j], at);
        for (int d = 0; d < 3; ++d) {
            lo[d] = fmin(lo[d], at[d] - size);
            hi[d] = fmax(hi[d], at[d] + size);
        }
    }
    abut__origin_choose(lo, hi, own->origin);
}

static bool is_far(const abut_mesh* mesh, const abut__blend_state* own) {
    const float* q = mesh->origin;
    const float* o = own->origin;
    return q[0] != 0 || q[1] != 0 || q[2] != 0 || o[0] != 0 || o[1] != 0 || o[2] != 0;
}

// Makes the columns relative to both origins. Returns S of blend.h for them; `rest` bounds relative
// rest coordinates.
static double centre_columns(const abut_shape* shape, abut__blend_state* own,
                             const double rest[3]) {
    double most[3] = {0, 0, 0};
    for (uint32_t j = 0; j < own->node_count; ++j) {
        double at[3];
        origin_by(shape->mesh, own->transforms[j], at);
        for (size_t d = 0; d < 3; ++d) {
            const double* row = own->transforms[j] + 4 * d;
            const double away = at[d] - (double)own->origin[d];
            own->columns[j].c[3][d] = (float)away;
            most[d] = fmax(most[d], ((fabs(row[0]) * rest[0] + fabs(row[1]) * rest[1]) +
                                     fabs(row[2]) * rest[2]) +
                                        fabs(away));
        }
    }
    return fmax(most[0], fmax(most[1], most[2]));
}

bool abut__blend_centre(const abut_shape* shape, abut__blend_state* own, const double rest[3],
                        double* reach) {
    choose_origin(shape, own, own->row * fmax(rest[0], fmax(rest[1], rest[2])));
    const bool far = is_far(shape->mesh, own);
    if (far) {
        *reach = centre_columns(shape, own, rest);
    }
    return far;
}
