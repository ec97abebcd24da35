// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Small pictures of contact: the two bodies near a place, in a frame that the report has stored, from the
// side that shows most of what touches.
#ifndef CLI_THUMBNAIL_H
#define CLI_THUMBNAIL_H

#include "cli/picture.h"
#include "cli/report_keep.h"

typedef struct thumbnail_def {
    const keeper* kept;
    size_t place;  ///< of the frame
    uint32_t a;
    uint32_t b;
    double at[3];  ///< the middle of the picture
    double size;   ///< of what touches there; 0: not known
    char up;       ///< 'y' or 'z'
    uint32_t width;
    uint32_t height;
} thumbnail_def;

/// Draws it; false if the frame was dropped. Free with picture_free().
bool thumbnail_draw(const thumbnail_def* def, picture* out);

#endif
