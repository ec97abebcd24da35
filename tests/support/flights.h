// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Keyframes and plans for tests of the flight motion, stored by the test, and an independent
// implementation of the formula of its vertices.

#ifndef ABUT_TESTS_SUPPORT_FLIGHTS_H
#define ABUT_TESTS_SUPPORT_FLIGHTS_H

#include "support/world.h"

#define FLIGHT_KEYS_MOST 6

typedef struct flight {
    surface s;
    uint32_t key_count;
    abut_keyframe keys[FLIGHT_KEYS_MOST];
    double* key_xyz[FLIGHT_KEYS_MOST];
    float* key_narrow[FLIGHT_KEYS_MOST];  ///< the same as float; NULL unless keys are floats
    bool* planned;
    double (*p)[3];
    double (*u)[3];
    double* since;
    bool accelerated;
    double a[3];
    double origin;
    double time;  ///< of the body
    double size;
} flight;

/// The flight takes ownership of the surface. Keyframes are the surface shaken by up to 0.3 `size`.
flight flight_make(test_random* random, surface s, double size, uint32_t key_count);
/// Stores the keyframes as floats; to be called before a shape is made.
void flight_narrow(flight* m);
void flight_free(flight* m);
/// Removes all plans and goes to the first keyframe.
void flight_rest(flight* m);
motion_def flight_def(const flight* m, int bound, uint32_t block_triangles);
/// The documented formula, in exact operations that are rounded one by one.
void flight_vertex(const flight* m, double time, uint32_t vertex, double out[3]);
/// Fails unless all vertices of the body equal the formula.
void flight_check(const world* w, abut_body_id body, const flight* m);

/// New plans, applied both to the test's numbers and to a body.
typedef struct flight_change {
    abut_plans_def plans;
    uint32_t* vertices;
    double* xyz;
    float* narrow;
    double* uvw;
    double* wide;  ///< the same with padding in between that must never be read
} flight_change;

flight_change flight_change_make(test_random* random, const flight* m, bool all);
/// Dates the plans far into the past or the future: terms of the formula are then much greater than
/// their sum.
void flight_change_date_far(test_random* random, const flight* m, flight_change* c);
void flight_change_free(flight_change* c);
void flight_change_apply(const flight_change* c, flight* m);

/// Draws random plans and sets them on the body.
void flight_update(test_random* random, const world* w, abut_body_id body, flight* m);
/// Draws the next time: mostly a small step, so that spans are used; sometimes a far one, even
/// before all keyframes.
void flight_step(test_random* random, flight* m, double far);

#endif  // ABUT_TESTS_SUPPORT_FLIGHTS_H
