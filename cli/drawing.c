// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws bodies with marked triangles: see drawing.h.
#include "cli/drawing.h"

#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

drawing drawing_make(uint32_t count) {
    return (drawing){allocate(count + (size_t)1, sizeof(drawn)), count};
}

void drawing_free(drawing* d) {
    for (uint32_t b = 0; b < d->count; ++b) {
        free(d->list[b].positions);
        free(d->list[b].marks);
    }
    free(d->list);
    *d = (drawing){0};
}

size_t drawing_mark(drawing* d, uint32_t body, size_t triangle, mark as) {
    uint8_t* at = &d->list[body].marks[triangle];
    const size_t fresh = *at == MARK_NONE;
    *at = *at < (uint8_t)as ? (uint8_t)as : *at;
    return fresh;
}

void drawn_corners(const drawn* d, size_t triangle, double out[3][3]) {
    for (size_t c = 0; c < 3; ++c) {
        const uint32_t vertex = d->triangles[3 * triangle + c];
        memcpy(out[c], d->positions + 3 * (size_t)vertex, sizeof out[c]);
    }
}

typedef void (*triangle_fn)(void* user, uint32_t body, uint8_t as, const double corners[3][3]);

static void each_triangle(const drawing* d, triangle_fn fn, void* user) {
    for (uint32_t b = 0; b < d->count; ++b) {
        const drawn* body = &d->list[b];
        for (size_t t = 0; t < body->triangle_count; ++t) {
            double corners[3][3];
            if (body->triangles[3 * t] != UINT32_MAX) {
                drawn_corners(body, t, corners);
                fn(user, b, body->marks[t], (const double(*)[3])corners);
            }
        }
    }
}

typedef struct bounds {
    const camera* from;
    bool only_marked;
    double* lo;
    double* hi;
} bounds;

static void grow_box(void* user, uint32_t body, uint8_t as, const double corners[3][3]) {
    const bounds* b = user;
    (void)body;
    for (int c = 0; c < 3 && !(b->only_marked && as == MARK_NONE); ++c) {
        double seen[3];
        camera_project(b->from, corners[c], seen);
        for (int d = 0; d < 3; ++d) {
            b->lo[d] = fmin(b->lo[d], seen[d]);
            b->hi[d] = fmax(b->hi[d], seen[d]);
        }
    }
}

void drawing_box(const drawing* d, const camera* from, bool only_marked, double lo[3],
                 double hi[3]) {
    bounds b = {from, only_marked, lo, hi};
    for (int axis = 0; axis < 3; ++axis) {
        lo[axis] = INFINITY;
        hi[axis] = -INFINITY;
    }
    each_triangle(d, grow_box, &b);
}

static colour colour_of(uint32_t body, uint8_t as) {
    static const colour palette[8] = {{0x5b, 0x8d, 0xef}, {0xe3, 0xb2, 0x3c}, {0x52, 0xb7, 0x88},
                                      {0xb0, 0x84, 0xcc}, {0x4d, 0xb6, 0xc6}, {0xd9, 0x8e, 0x73},
                                      {0x8a, 0x9a, 0x5b}, {0xc7, 0x7d, 0x98}};
    static const colour between = {0xd6, 0x28, 0x39};
    static const colour within = {0xd9, 0x73, 0x0d};
    return as == MARK_BETWEEN ? between : as == MARK_WITHIN ? within : palette[body % 8];
}

static void draw(void* user, uint32_t body, uint8_t as, const double corners[3][3]) {
    picture_triangle(user, corners, colour_of(body, as));
}

static void outline(void* user, uint32_t body, uint8_t as, const double corners[3][3]) {
    static const colour ink = {0x10, 0x13, 0x1a};
    (void)body;
    if (as != MARK_NONE) {
        picture_outline(user, corners, ink);
    }
}

static void shine(void* user, uint32_t body, uint8_t as, const double corners[3][3]) {
    if (as != MARK_NONE) {
        picture_shine(user, corners, colour_of(body, as));
    }
}

picture drawing_picture(const drawing* d, const camera* from, uint32_t width, uint32_t height) {
    picture p = picture_make(width, height, from);
    each_triangle(d, draw, &p);
    each_triangle(d, outline, &p);
    each_triangle(d, shine, &p);
    return p;
}
