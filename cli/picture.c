// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws triangles into a picture: see picture.h.
#include "cli/picture.h"

#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const colour paper = {244, 245, 247};

// ---- the camera

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// false: it has no direction
static bool make_unit(double v[3]) {
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(most > 0) || !isfinite(most)) {
        return false;
    }
    double length = 0;
    for (int d = 0; d < 3; ++d) {
        v[d] /= most;
        length += v[d] * v[d];
    }
    for (int d = 0; d < 3; ++d) {
        v[d] /= sqrt(length);
    }
    return true;
}

static void make_axes(const double from[3], const double up[3], double axes[3][3]) {
    static const double other[3] = {0.3, 1, 0.2};
    memcpy(axes[2], from, sizeof axes[2]);
    if (!make_unit(axes[2])) {
        axes[2][2] = 1;
    }
    cross(up, axes[2], axes[0]);
    if (dot(axes[0], axes[0]) < 1e-12) {  // from above or below
        cross(other, axes[2], axes[0]);
    }
    make_unit(axes[0]);
    cross(axes[2], axes[0], axes[1]);
}

camera camera_make(const double from[3], const double up[3]) {
    camera c = {.half = 1};
    make_axes(from, up, c.axes);
    return c;
}

void camera_project(const camera* c, const double point[3], double out[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        out[axis] = dot(c->axes[axis], point);
    }
}

void camera_fit(camera* c, const double lo[3], const double hi[3], double room, uint32_t width,
                uint32_t height) {
    const double nearer = width < height ? width : height;
    const double pixels[2] = {width, height};
    c->half = 0;
    for (int axis = 0; axis < 3; ++axis) {
        c->centre[axis] = lo[axis] / 2 + hi[axis] / 2;
        if (axis < 2) {
            const double reach = hi[axis] / 2 - lo[axis] / 2;
            c->half = fmax(c->half, room * reach * nearer / pixels[axis]);
        }
    }
    c->half = c->half > 0 && isfinite(c->half) ? c->half : 1;
}

// ---- samples

picture picture_make(uint32_t width, uint32_t height, const camera* from) {
    const size_t count = 4 * (size_t)width * height;
    picture p = {width,
                 height,
                 *from,
                 allocate(count, sizeof *p.samples),
                 allocate(count, sizeof *p.depths),
                 allocate(count, 1)};
    for (size_t i = 0; i < count; ++i) {
        p.samples[i] = paper;
        p.depths[i] = -INFINITY;
    }
    return p;
}

void picture_free(picture* p) {
    free(p->samples);
    free(p->depths);
    free(p->shone);
    *p = (picture){0};
}

// A corner in the picture: column and row of samples, and depth.
typedef struct place {
    double x;
    double y;
    double z;
} place;

static place place_of(const picture* p, const double point[3]) {
    const double nearer = p->width < p->height ? p->width : p->height;
    const double scale = nearer / p->camera.half;  // samples a unit: two a pixel
    const double* centre = p->camera.centre;
    double seen[3];
    camera_project(&p->camera, point, seen);
    return (place){p->width + scale * (seen[0] - centre[0]),
                   p->height - scale * (seen[1] - centre[1]), scale * (seen[2] - centre[2])};
}

static uint8_t mix(uint8_t a, uint8_t b, double part) {
    return (uint8_t)(a + part * (b - a) + 0.5);
}

static colour mixed(colour a, colour b, double part) {
    return (colour){mix(a.r, b.r, part), mix(a.g, b.g, part), mix(a.b, b.b, part)};
}

// What happens to a sample that a triangle or line covers at a depth.
typedef void (*put_sample)(picture* p, size_t at, float depth, colour c);

static void put_nearer(picture* p, size_t at, float depth, colour c) {
    if (depth > p->depths[at]) {
        p->depths[at] = depth;
        p->samples[at] = c;
    }
}

static void put_shining(picture* p, size_t at, float depth, colour c) {
    if (depth < p->depths[at] - 1 && p->shone[at] == 0) {
        p->shone[at] = 1;
        p->samples[at] = mixed(p->samples[at], c, 0.4);
    }
}

// a line lies on the surface: it wins where it is little behind
static void put_line(picture* p, size_t at, float depth, colour c) {
    if (depth > p->depths[at] - 2) {
        p->samples[at] = c;
    }
}

// ---- triangles and lines

// the samples from lo to hi that are within 0 .. count - 1; false: none are
static bool range_of(double lo, double hi, uint32_t count, uint32_t* first, uint32_t* last) {
    if (!(hi >= 0) || !(lo <= count - 1.0)) {
        return false;
    }
    *first = lo > 0 ? (uint32_t)ceil(lo) : 0;
    *last = hi < count - 1.0 ? (uint32_t)floor(hi) : count - 1;
    return *first <= *last;
}

static double turn(const place* a, const place* b, double x, double y) {
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

static void fill(picture* p, const place t[3], colour c, put_sample put) {
    const double area = turn(&t[0], &t[1], t[2].x, t[2].y);
    uint32_t x[2];
    uint32_t y[2];
    if (area == 0 || !isfinite(area) ||
        !range_of(fmin(t[0].x, fmin(t[1].x, t[2].x)), fmax(t[0].x, fmax(t[1].x, t[2].x)),
                  2 * p->width, &x[0], &x[1]) ||
        !range_of(fmin(t[0].y, fmin(t[1].y, t[2].y)), fmax(t[0].y, fmax(t[1].y, t[2].y)),
                  2 * p->height, &y[0], &y[1])) {
        return;
    }
    for (uint32_t row = y[0]; row <= y[1]; ++row) {
        for (uint32_t column = x[0]; column <= x[1]; ++column) {
            const double a = turn(&t[1], &t[2], column, row) / area;
            const double b = turn(&t[2], &t[0], column, row) / area;
            const double rest = 1 - a - b;
            if (a >= 0 && b >= 0 && rest >= 0) {
                put(p, 2 * (size_t)p->width * row + column,
                    (float)(a * t[0].z + b * t[1].z + rest * t[2].z), c);
            }
        }
    }
}

// a line two samples wide; a point where both ends are the same
static void draw_line(picture* p, const place* a, const place* b, colour c, put_sample put) {
    const double length = fmax(fabs(b->x - a->x), fabs(b->y - a->y));
    const double most = 4 * PICTURE_LARGEST;
    if (!(length <= 16 * most)) {
        return;  // not finite, or so long that all of it is beside the picture or a blot
    }
    const uint32_t steps = 1 + (uint32_t)length;
    for (uint32_t i = 0; i <= steps; ++i) {
        const double part = i / (double)steps;
        const double x = a->x + part * (b->x - a->x);
        const double y = a->y + part * (b->y - a->y);
        for (int k = 0; k < 4; ++k) {
            const double column = floor(x) + k % 2;
            const double row = floor(y) + k / 2;
            if (column >= 0 && row >= 0 && column < 2.0 * p->width && row < 2.0 * p->height) {
                put(p, 2 * (size_t)p->width * (size_t)row + (size_t)column,
                    (float)(a->z + part * (b->z - a->z)), c);
            }
        }
    }
}

static void draw_edges(picture* p, const place t[3], colour c, put_sample put) {
    for (int k = 0; k < 3; ++k) {
        draw_line(p, &t[k], &t[(k + 1) % 3], c, put);
    }
}

static void place_all(const picture* p, const double corners[3][3], place t[3]) {
    for (int k = 0; k < 3; ++k) {
        t[k] = place_of(p, corners[k]);
    }
}

// the light comes from above the viewer's left shoulder, and a little from everywhere
static double brightness(const camera* from, const double corners[3][3]) {
    double edges[2][3];
    double normal[3];
    double seen[3];
    for (int d = 0; d < 3; ++d) {
        edges[0][d] = corners[1][d] - corners[0][d];
        edges[1][d] = corners[2][d] - corners[0][d];
    }
    if (!make_unit(edges[0]) || !make_unit(edges[1])) {
        return 1;
    }
    cross(edges[0], edges[1], normal);
    if (!make_unit(normal)) {
        return 1;
    }
    for (int axis = 0; axis < 3; ++axis) {
        seen[axis] = dot(from->axes[axis], normal);
    }
    const double side = seen[2] < 0 ? -1 : 1;
    const double lit = side * (-0.35 * seen[0] + 0.5 * seen[1] + 0.79 * seen[2]);
    return (side < 0 ? 0.9 : 1) * (0.5 + 0.5 * fmax(lit, 0));
}

static bool has_area(const double corners[3][3]) {
    return memcmp(corners[0], corners[1], sizeof corners[0]) != 0 &&
           memcmp(corners[1], corners[2], sizeof corners[0]) != 0 &&
           memcmp(corners[2], corners[0], sizeof corners[0]) != 0;
}

void picture_triangle(picture* p, const double corners[3][3], colour c) {
    place t[3];
    place_all(p, corners, t);
    if (has_area(corners)) {
        fill(p, t, mixed((colour){0, 0, 0}, c, brightness(&p->camera, corners)), put_nearer);
    } else {
        draw_edges(p, t, c, put_nearer);
    }
}

// the longer side of its box, in samples
static double extent_of(const place t[3]) {
    const double x = fmax(t[0].x, fmax(t[1].x, t[2].x)) - fmin(t[0].x, fmin(t[1].x, t[2].x));
    const double y = fmax(t[0].y, fmax(t[1].y, t[2].y)) - fmin(t[0].y, fmin(t[1].y, t[2].y));
    return fmax(x, y);
}

void picture_outline(picture* p, const double corners[3][3], colour c) {
    static const double tiny = 12;
    place t[3];
    place_all(p, corners, t);
    if (extent_of(t) < tiny) {
        return;
    }
    draw_edges(p, t, c, put_line);
}

void picture_shine(picture* p, const double corners[3][3], colour c) {
    place t[3];
    place_all(p, corners, t);
    if (has_area(corners)) {
        fill(p, t, c, put_shining);
    } else {
        draw_edges(p, t, c, put_shining);
    }
}

bool picture_sees(const picture* p, const double point[3]) {
    const place at = place_of(p, point);
    if (!(at.x >= 0 && at.y >= 0 && at.x < 2.0 * p->width && at.y < 2.0 * p->height)) {
        return false;
    }
    return (float)at.z > p->depths[2 * (size_t)p->width * (size_t)at.y + (size_t)at.x] - 3;
}

colour picture_pixel(const picture* p, uint32_t x, uint32_t y) {
    uint32_t sum[3] = {2, 2, 2};
    for (uint32_t k = 0; k < 4; ++k) {
        const size_t row = 2 * (size_t)y + k / 2;
        const colour c = p->samples[2 * p->width * row + 2 * (size_t)x + k % 2];
        sum[0] += c.r;
        sum[1] += c.g;
        sum[2] += c.b;
    }
    return (colour){(uint8_t)(sum[0] / 4), (uint8_t)(sum[1] / 4), (uint8_t)(sum[2] / 4)};
}
