// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the parts of abut convert share: an object, frame by frame, and a file to write.
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "cli/object.h"

typedef struct conversion {
    const char* output;
    object_list objects;
    world w;
    size_t first;  ///< frames, both included
    size_t last;
    double fps;
    size_t fields;        ///< to reduce the animation to; 0: keep it
    const char* targets;  ///< pattern of files of displacements, or NULL
    bool quiet;
} conversion;

/// Shows the frames one after the other and hands each to `take`. False after a sentence.
typedef bool (*frame_fn)(void* user, conversion* c, size_t frame);
bool convert_frames(conversion* c, frame_fn take, void* user);

/// Whether floats can hold all positions of the world, which are those of this frame; false after a
/// sentence that names the first one that they cannot.
bool convert_fits_floats(const conversion* c, const double* positions, size_t frame);

/// Each writes one kind of file. False after a sentence.
bool convert_to_obj(conversion* c);
bool convert_to_vtp(conversion* c);
bool convert_to_pvd(conversion* c);
bool convert_to_pc2(conversion* c);
bool convert_to_glb(conversion* c);

#endif
