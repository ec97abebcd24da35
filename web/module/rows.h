// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Where web/src/rows.js finds the members of rows. tests/test_web_rows.c compiles this, too: a row that changes is then seen
// without a compiler for WebAssembly. What follows here is the same for 32 and 64 bits.
#ifndef ABUT_WEB_ROWS_H
#define ABUT_WEB_ROWS_H

#include <abut/abut.h>
#include <stddef.h>

#define ABUT_WEB_AT(type, member, place) _Static_assert(offsetof(type, member) == (place), #member)
_Static_assert(sizeof(abut_pair) == 16, "pair");
ABUT_WEB_AT(abut_pair, triangle_a, 8);
_Static_assert(sizeof(abut_witness) == 56, "witness");
ABUT_WEB_AT(abut_witness, feature, 48);
_Static_assert(sizeof(abut_distance_pair) == 144, "distance pair");
ABUT_WEB_AT(abut_distance_pair, distance, 16);
ABUT_WEB_AT(abut_distance_pair, gap, 24);
ABUT_WEB_AT(abut_distance_pair, a, 32);
ABUT_WEB_AT(abut_distance_pair, b, 88);
_Static_assert(sizeof(abut_sweep_pair) == 128, "sweep pair");
ABUT_WEB_AT(abut_sweep_pair, kind, 16);
ABUT_WEB_AT(abut_sweep_pair, undecided, 20);
ABUT_WEB_AT(abut_sweep_pair, vertices_a, 24);
ABUT_WEB_AT(abut_sweep_pair, time, 48);
ABUT_WEB_AT(abut_sweep_pair, weights_a, 56);
ABUT_WEB_AT(abut_sweep_pair, normal, 104);
_Static_assert(sizeof(abut_ray_hit) == 48, "ray hit");
ABUT_WEB_AT(abut_ray_hit, t, 16);
ABUT_WEB_AT(abut_ray_hit, weights, 24);
_Static_assert(sizeof(abut_closest_point) == 80, "closest point");
ABUT_WEB_AT(abut_closest_point, distance, 16);
ABUT_WEB_AT(abut_closest_point, nearest, 24);
ABUT_WEB_AT(abut_region, direction, 8);
ABUT_WEB_AT(abut_region, depth, 32);
ABUT_WEB_AT(abut_region, point_a, 56);
ABUT_WEB_AT(abut_region, interlocked, 104);
#undef ABUT_WEB_AT

#endif
