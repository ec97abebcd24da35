// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contours of the answers of a frame: as JSON, and as polylines for ParaView (VTK).
#ifndef CLI_CONTOURS_H
#define CLI_CONTOURS_H

#include "cli/findings.h"
#include "io/error.h"

/// A list with an entry for each contour of the touching pairs of a frame: objects, points, the two
/// triangles of each segment, and why it ends.
json_t* contours_json(const world* w, const question* q);
/// Writes the same as polylines. False with the reason in `error`.
bool contours_write(const world* w, const question* q, const char* path, io_error* error);

#endif
