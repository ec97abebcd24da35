// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the parts of abut convert share: the objects, their frames, and the file to write.
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "cli/object.h"

typedef struct conversion {
    const char* output;
    object_list objects;
    world w;
    size_t first;  ///< first and last frame, both included
    size_t last;
    double fps;
    size_t fields;        ///< morph targets to reduce the animation to; 0: do not reduce
    const char* targets;  ///< pattern of files of displacements, or NULL
    bool quiet;
} conversion;

/// Calls `take` for each frame, to which the world is set. False after an error message.
typedef bool (*frame_fn)(void* user, conversion* c, size_t frame);
bool convert_frames(conversion* c, frame_fn take, void* user);

/// Whether all positions of the world in this frame are in the range of floats. False after an
/// error message that names the first that is not.
bool convert_fits_floats(const conversion* c, const double* positions, size_t frame);

/// Each writes one kind of file. False after an error message.
bool convert_to_obj(conversion* c);
bool convert_to_vtp(conversion* c);
bool convert_to_pvd(conversion* c);
bool convert_to_pc2(conversion* c);
bool convert_to_glb(conversion* c);
bool convert_to_npz(conversion* c);

#endif
