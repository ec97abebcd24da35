// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies with marked triangles, and a picture of them: triangles that touch another body are red, those that
// touch within their body orange, and they shine through what hides them.
#ifndef CLI_DRAWING_H
#define CLI_DRAWING_H

#include "cli/picture.h"

typedef enum mark { MARK_NONE, MARK_WITHIN, MARK_BETWEEN } mark;

/// A body with its positions and marks. A zeroed struct is not drawn.
typedef struct drawn {
    double* positions;  ///< owned
    size_t vertex_count;
    const uint32_t* triangles;  ///< borrowed; a removed one has the corner UINT32_MAX
    size_t triangle_count;
    uint8_t* marks;  ///< owned; of the triangles
} drawn;

typedef struct drawing {
    drawn* list;
    uint32_t count;
} drawing;

drawing drawing_make(uint32_t count);
void drawing_free(drawing* d);
/// Marks a triangle, unless it has a higher mark. Returns 1 if it had none, otherwise 0.
size_t drawing_mark(drawing* d, uint32_t body, size_t triangle, mark as);
void drawn_corners(const drawn* d, size_t triangle, double out[3][3]);
/// The box of all triangles, or of the marked ones, along the axes of a camera.
void drawing_box(const drawing* d, const camera* from, bool only_marked, double lo[3],
                 double hi[3]);
/// Draws everything. Free with picture_free().
picture drawing_picture(const drawing* d, const camera* from, uint32_t width, uint32_t height);

#endif
