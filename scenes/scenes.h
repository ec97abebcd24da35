// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Procedural scenes for tests, benchmarks and the demo. They are kinematic: nothing reacts to a
// contact, so surfaces fold and pass through each other, which is what a collision query is for.
// A scene knows nothing about the library. The same build gives the same bits on every run.

#ifndef ABUT_SCENES_H
#define ABUT_SCENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One surface of a scene. All arrays belong to the scene and live as long as it does.
typedef struct scene_body {
    const char* name;
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t* triangles;  ///< 3 vertex indices a triangle
    const double* rest;         ///< xyz of every vertex in the rest pose
    bool moves;                 ///< false: every frame has the rest positions
    bool closed;                ///< watertight, and triangles wind counter-clockwise from outside
} scene_body;

/// Opaque; owns everything its bodies point to. Immutable after creation, so threads may share it.
typedef struct scene scene;

/// One entry of the catalogue.
typedef struct scene_kind {
    const char* name;
    const char* about;           ///< one sentence for people
    uint32_t default_triangles;  ///< what `triangles` = 0 asks for; see scene_create
    uint32_t default_frames;     ///< what `frames` = 0 asks for
} scene_kind;

/// The catalogue: `count` kinds that scene_create knows.
const scene_kind* scene_kinds(size_t* count);

/// Makes a scene. NULL for an unknown name or when out of memory.
///
/// `triangles` asks for a size and 0 for the default. It counts the triangles of what moves: of the
/// cloth, the curtain, the sheet, the coil, of each of the two blobs, of all falling bodies of the
/// funnel together; more than 2^28 are taken as that. The scene comes as near as its regular grids
/// allow; scene_get_body tells what it became. Scenes of exact cases have a fixed size and ignore
/// it, but a washer of 4400 or more becomes one of 8800.
/// `frames` is the number of frames over which the same motion is spread; 0 for the default. Scenes
/// of exact cases repeat their cases in a cycle.
/// `seed` changes folds, waves and places, never sizes. Exact cases ignore it.
scene* scene_create(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed);
void scene_destroy(scene* s);

uint32_t scene_body_count(const scene* s);
const scene_body* scene_get_body(const scene* s, uint32_t body);
uint32_t scene_frame_count(const scene* s);

/// Writes xyz of every vertex of `body` at `frame`. Frames may be asked for in any order, from any
/// number of threads.
void scene_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz);

/// Says how many pairs of triangles touch at `frame` where the construction tells it: pairs of
/// bodies 0 and 1, or, in a scene of one body, pairs of its triangles that share no vertex.
/// False, and `pairs` untouched, where nothing is known.
bool scene_expected_pairs(const scene* s, uint32_t frame, uint32_t* pairs);

/// A few words about `frame` where it is a case of its own ("coplanar overlap"), else "".
const char* scene_frame_name(const scene* s, uint32_t frame);

#ifdef __cplusplus
}
#endif

#endif  // ABUT_SCENES_H
