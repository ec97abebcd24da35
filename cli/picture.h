// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws triangles into a picture, without a display: parallel projection, a depth for each sample,
// four samples a pixel. Marked triangles shine through what hides them.
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { PICTURE_LARGEST = 8192 };

/// Where the viewer is.
typedef struct camera {
    double axes[3][3];  ///< right, up, towards the viewer; unit vectors
    double centre[3];   ///< in the middle of the picture, along the axes
    double half;        ///< from there to the nearer edge of the picture
} camera;

/// A colour, from 0 to 255 each.
typedef struct colour {
    uint8_t r;
    uint8_t g;
    uint8_t b;
} colour;

typedef struct picture {
    uint32_t width;
    uint32_t height;
    camera camera;
    colour* samples;  ///< two rows and two columns of them a pixel
    float* depths;    ///< of the samples: larger is nearer
    uint8_t* shone;   ///< of the samples: a marked triangle shines through already
} picture;

/// A camera that looks from the direction `from`, with `up` at the top.
camera camera_make(const double from[3], const double up[3]);
/// A point along the axes of the camera.
void camera_project(const camera* c, const double point[3], double out[3]);
/// Moves the camera so that it sees a box, given along its axes; `room` is 1 or more.
void camera_fit(camera* c, const double lo[3], const double hi[3], double room, uint32_t width,
                uint32_t height);

/// An empty picture. Free with picture_free().
picture picture_make(uint32_t width, uint32_t height, const camera* from);
void picture_free(picture* p);

/// Draws a triangle, shaded; one without area is a line or a point.
void picture_triangle(picture* p, const double corners[3][3], colour c);
/// Draws its edges, where they are not hidden; not those of a tiny triangle, which they would cover.
void picture_outline(picture* p, const double corners[3][3], colour c);
/// Lets a triangle shine through what hides it; call it after all triangles are drawn.
void picture_shine(picture* p, const double corners[3][3], colour c);

/// Whether a point is in the picture, and no triangle hides it.
bool picture_sees(const picture* p, const double point[3]);

/// The colour of a pixel: the mean of its samples.
colour picture_pixel(const picture* p, uint32_t x, uint32_t y);

/// Writes a PNG file. False if memory or the file failed.
bool picture_write_png(const picture* p, FILE* file);
/// The bytes of a PNG file, which the caller frees. Fewer `bits` of each colour than 8 make it smaller. False if
/// memory failed.
bool picture_png(const picture* p, int bits, uint8_t** bytes, size_t* size);
/// Prints the picture in 24-bit colours, two pixels a character; its width is that of the text.
void picture_print(const picture* p);

#endif
