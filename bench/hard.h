// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of the suite "hard" that are measured on their own. Each call fills the times, the ratio and
// the answer of a row. It returns false after a note that says why the row is left out.
#ifndef BENCH_HARD_H
#define BENCH_HARD_H

#include "bench/bench.h"

/// The time a triangle of a cloth over that of a fan, both within themselves.
bool hard_fan(const bench_options* options, bench_row* row, bench_report* report);
/// The distance of rigid blobs of so many triangles each, in the slowest frame, against FCL.
bool hard_rigid_20k(const bench_options* options, bench_row* row, bench_report* report);
bool hard_rigid_160k(const bench_options* options, bench_row* row, bench_report* report);
/// The triangles that touch, of rigid blobs that cut into each other, in the same way.
bool hard_rigid_collide_20k(const bench_options* options, bench_row* row, bench_report* report);
bool hard_rigid_collide_160k(const bench_options* options, bench_row* row, bench_report* report);
/// Triangles at the origin over the same ones far from it.
bool hard_far(const bench_options* options, bench_row* row, bench_report* report);
/// The same for flight bodies.
bool hard_far_flight(const bench_options* options, bench_row* row, bench_report* report);
/// Embree's point queries from all vertices of a ball over the distance of two concentric balls.
bool hard_concentric(const bench_options* options, bench_row* row, bench_report* report);
/// Finding the pairs over the depth, of balls that cut into each other, and of one in another.
bool hard_deep(const bench_options* options, bench_row* row, bench_report* report);
bool hard_inside(const bench_options* options, bench_row* row, bench_report* report);
/// Deforming all vertices and the first self query of a free body, over that of a modal body.
bool hard_first(const bench_options* options, bench_row* row, bench_report* report);
/// 250 over the number of self queries after which certificates have saved what they cost.
bool hard_certificates(const bench_options* options, bench_row* row, bench_report* report);
/// The command on a PLY file over the command on an STL file of the same triangles.
bool hard_command(const bench_options* options, bench_row* row, bench_report* report);

#endif
