// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contours for the report's page.
#ifndef CLI_REPORT_CONTOURS_H
#define CLI_REPORT_CONTOURS_H

#include "cli/report_keep.h"

/// Pairs of triangles that have a segment of a contour, sorted. Start zeroed.
typedef struct traced_pairs {
    uint64_t (*list)[2];  ///< bodies, triangles
    size_t count;
    size_t room;
} traced_pairs;

/// Adds the contours of the last answers to a frame, and notes their pairs.
void report_contours(const world* w, const question* q, kept_frame* f, traced_pairs* pairs);
/// Whether a contour shows what two triangles share.
bool traced_has(const traced_pairs* pairs, uint32_t a, uint32_t b, uint32_t triangle_a,
                uint32_t triangle_b);
void traced_free(traced_pairs* pairs);
/// Why contours end, by number, as the page has it.
json_t* contour_ends_json(void);

#endif
