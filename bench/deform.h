// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The baseline for lazy evaluation: deforms all vertices, as fast as a user could write it. Float
// throughout, full width of the instruction set in use.
#ifndef BENCH_DEFORM_H
#define BENCH_DEFORM_H

#include <stddef.h>
#include <stdint.h>

typedef struct deformer deformer;

/// `fields` as in scenes.h: field j of vertex i begins at fields[(j * vertices + i) * 3].
deformer* deformer_create(const double* rest, const float* fields, uint32_t vertices,
                          uint32_t field_count);
void deformer_destroy(deformer* d);

/// Computes all positions for these coordinates: tightly packed, owned by the deformer, with room
/// to read a little beyond the last.
const float* deformer_run(deformer* d, const double* q);

#endif
