// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proves that the loops that abut is compared with are well written: none is slower than a plain C
// loop, on the instruction set in use.
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include "bench/bench.h"
#include "bench/rivals.h"

extern const char plain_row_name[];

/// Adds a row: the time of a plain loop over that of the rival, for the worst of all rivals. With
/// options->tables also a table of all.
void plain_run(const bench_options* options, bench_report* report, double at_least, double aim);

/// A free body, refitted by the library and by a plain loop over the same tree.
typedef struct plain_body plain_body;
plain_body* plain_body_create(uint32_t side);
void plain_body_destroy(plain_body* p);
uint32_t plain_body_vertices(const plain_body* p);
void plain_body_refit(plain_body* p);
void plain_body_refit_plainly(plain_body* p, const plain_loops* loops);
/// Returns whether both have the same box of the whole body, after both have been refitted equally
/// often.
bool plain_body_agrees(const plain_body* p);

#endif
