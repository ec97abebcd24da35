// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contours of the answers of a frame: one by one, as JSON, and as polylines for ParaView (VTK).
#ifndef CLI_CONTOURS_H
#define CLI_CONTOURS_H

#include "cli/findings.h"
#include "io/error.h"

/// Receives a contour with its segments and points.
typedef void (*contour_fn)(void* user, const abut_contour* c, const abut_contour_segment* segments,
                           const abut_contour_point* points);
/// Calls `fn` for every contour of the touching pairs of a frame.
void contours_each(const world* w, const question* q, contour_fn fn, void* user);
double contour_length(const abut_contour* c, const abut_contour_point* points);
/// Why a contour ends, such as "border of a".
const char* contour_end_name(abut_contour_end end);

/// A list with an entry for each contour of the touching pairs of a frame: objects, points, the two
/// triangles of each segment, and why it ends.
json_t* contours_json(const world* w, const question* q);
/// Writes the same as polylines. False with the reason in `error`.
bool contours_write(const world* w, const question* q, const char* path, io_error* error);

#endif
