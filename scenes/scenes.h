// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Procedural scenes for tests, benchmarks and the demo. They are kinematic: nothing reacts to a
// contact, so surfaces fold and penetrate each other, as collision queries require. Of the library
// they use only the moving least squares (abut/mls.h), for bodies that nodes move. The same build
// gives the same bits on every run.
//
// Some bodies have a reduced motion: a few displacement fields over the rest pose, a coordinate for
// each, and a rigid frame. The position of a vertex with rest position p is, in double and in this
// order of operations,
//
//     v = p;  v += U_0 q_0;  v += U_1 q_1;  ...  (each a product, then a sum, never fused)
//     world = ((r[d][0] v_x + r[d][1] v_y) + r[d][2] v_z) + t[d], unless the frame is the identity
//
// Others are blended: they follow nodes with affine transforms T_j (three rows of four), by
// nonnegative weights that sum to 1. Fields, if any, displace the rest pose first. Over the
// influences of a vertex in ascending order of nodes, without fused operations,
//
//     m = w_0 T_0;  m += w_1 T_1;  ...  (each of the twelve numbers: a product, then a sum)
//     blended[d] = ((m[d][0] v_x + m[d][1] v_y) + m[d][2] v_z) + m[d][3], then the frame as above

#ifndef ABUT_SCENES_H
#define ABUT_SCENES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Data for the dynamics of a body whose fields are vibration modes. The origin of the rest pose is
/// the centre of mass, unless the body is fixed somewhere. No field has a rigid part.
typedef struct scene_dynamics {
    /// Angular frequency squared of every field, in ascending order: q'' = -frequency_sq q.
    const double* frequencies_sq;
    /// Mass of every field: its kinetic energy is mass q'^2 / 2. There are no mixed terms.
    const double* masses;
    double mass;           ///< of the whole body
    double inertia[3][3];  ///< about the origin, in the rest pose
} scene_dynamics;

/// One surface of a scene. The scene owns all arrays; instances of one thing share them.
typedef struct scene_body {
    const char* name;
    uint32_t vertex_count;
    uint32_t triangle_count;
    const uint32_t* triangles;  ///< 3 vertex indices per triangle
    const double* rest;         ///< xyz of every vertex in the rest pose
    bool moves;                 ///< false: all frames have the rest positions
    bool closed;                ///< watertight, and triangles wind counter-clockwise from outside
    bool reduced;               ///< moves by its fields and its frame only: see above
    uint32_t field_count;       ///< 0 without deformation by fields
    const float* fields;        ///< field j of vertex i: fields[(j * vertex_count + i) * 3 + d]
    const scene_dynamics* dynamics;  ///< NULL unless the fields are vibration modes
    uint32_t node_count;             ///< 0 unless the body is blended, which implies `reduced`
    /// Influences of vertex i: weight_first[i] .. weight_first[i + 1] - 1, ascending by node.
    const uint32_t* weight_first;
    const uint32_t* weight_nodes;
    const float* weights;
} scene_body;

/// Opaque; owns all data of its bodies. Immutable after creation, so threads may share it.
typedef struct scene scene;

/// One entry of the catalogue.
typedef struct scene_kind {
    const char* name;
    const char* about;           ///< one sentence of description
    uint32_t default_triangles;  ///< for `triangles` = 0; see scene_create
    uint32_t default_frames;     ///< for `frames` = 0
    uint32_t default_fields;     ///< for `fields` = 0; 0: no body has fields
    uint32_t default_nodes;      ///< for `nodes` = 0; 0: no body is blended
} scene_kind;

/// How much bodies touch, in scenes that have this choice.
typedef enum scene_contact {
    SCENE_CONTACT_SMALL = 0,
    SCENE_CONTACT_NONE,
    SCENE_CONTACT_LARGE,    ///< a few times the small one
    SCENE_CONTACT_PRESSED,  ///< deep penetration
} scene_contact;

/// Wishes for a scene; 0 means the default everywhere.
typedef struct scene_options {
    uint32_t triangles;  ///< see scene_create()
    uint32_t frames;
    uint32_t seed;
    uint32_t fields;  ///< displacement fields of each body that has any; at most 64
    uint32_t nodes;   ///< of every blended body, approximately; at most 4096
    scene_contact contact;
    uint32_t influences;  ///< per vertex of the ring's figures; 0: all kernels that reach it
} scene_options;

/// Returns the catalogue: the `count` kinds that scene_create() accepts.
const scene_kind* scene_kinds(size_t* count);

/// Makes a scene. NULL for an unknown name or if memory runs out.
///
/// `triangles` is the wanted size; 0 means the default. It counts the triangles of what moves: of
/// the cloth, the curtain, the sheet, the coil, the bridge, the brain, the walker, the dress, the
/// shirt, the ring that drifts, the fan, of each of the blobs, spheres, chairs or fish, of each
/// figure on a ring, of each cloud of loose pieces, of each crossing sheet, of all falling bodies of
/// the funnel together, of all letters, blocks, boxes or bodies of a crowd together (at most six
/// letters are pressed into a bowl). The limit is 2^28. The scene comes as
/// near as its regular grids allow, and chairs, bridges, fish and figures have a minimum that keeps
/// them recognizable; scene_get_body() returns the actual counts. Scenes of exact cases have a fixed
/// size and ignore `triangles`, except that a washer of 4400 or more gets 8800.
/// `frames` is the number of frames of the same motion; 0 means the default. Scenes of exact cases
/// repeat their cases in a cycle.
/// `seed` changes folds, waves and places, but never sizes. Exact cases ignore it.
scene* scene_create(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed);
/// The same with more wishes. Scenes ignore wishes that do not apply; NULL means all defaults.
scene* scene_create_with(const char* name, const scene_options* options);
void scene_destroy(scene* s);

uint32_t scene_body_count(const scene* s);
const scene_body* scene_get_body(const scene* s, uint32_t body);
uint32_t scene_frame_count(const scene* s);

/// Writes xyz of every vertex of `body` at `frame`. Frames may be queried in any order, from any
/// number of threads.
void scene_positions(const scene* s, uint32_t body, uint32_t frame, double* xyz);

/// Writes the `field_count` coordinates of `body` at `frame`.
void scene_coordinates(const scene* s, uint32_t body, uint32_t frame, double* q);

/// Writes the transforms of the `node_count` nodes of `body` at `frame`: three rows of four each.
void scene_transforms(const scene* s, uint32_t body, uint32_t frame, double* transforms);

/// Writes the rigid frame of `body` at `frame`: the identity unless it is reduced and has a frame.
void scene_frame(const scene* s, uint32_t body, uint32_t frame, double r[3][3], double t[3]);

/// Returns whether `body` is present at `frame`: bodies that break vanish, and their pieces appear.
/// The positions of an absent body are finite but meaningless.
bool scene_present(const scene* s, uint32_t body, uint32_t frame);

/// Returns the number of pairs of triangles that touch at `frame`, if the construction determines
/// it: pairs of bodies 0 and 1 or, in a scene of one body, pairs of its triangles that share no
/// vertex. Returns false and leaves `pairs` unchanged if it is unknown.
bool scene_expected_pairs(const scene* s, uint32_t frame, uint32_t* pairs);

/// Returns a few words about `frame` if it is a case of its own ("coplanar overlap"), else "".
const char* scene_frame_name(const scene* s, uint32_t frame);

#ifdef __cplusplus
}
#endif

#endif  // ABUT_SCENES_H
