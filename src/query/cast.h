// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internals of casts. A caster is the memory of one worker. It takes one ray at a time, aims it at a
// body (the ray in float, relative to the body), walks the body's tree, and decides the triangles
// whose boxes the ray meets.
//
//   cast.c       the calls, the result, tasks
//   cast_aim.c   a ray against float boxes: which errors the pad covers
//   cast_walk.c  from trees to triangles
//   cast_pack.c  the same for rays that go the same way, together
//   cast_wave.c  the same for a few rays that go anywhere, level by level
//   cast_sift.c  drops triangles that a ray misses, in float
//   cast_hits.c  decides triangles, and orders those that a ray meets
//   cast_thick.c decides triangles for thick rays
#ifndef ABUT_QUERY_CAST_H
#define ABUT_QUERY_CAST_H

#include "abut/cast.h"
#include "exact/ray.h"
#include "query/query.h"
#include "scene/top.h"

// A ray, and what follows from it for all bodies.
typedef struct abut__cast_ray {
    abut__ray exact;
    uint32_t number;
    // the direction times a power of two, so that its greatest component is in 0.5 .. 1, and the limits
    // in the same units; 0: the ray is a point
    double d[3];
    double inverse[3];  // of these; infinite where they are 0
    double from;
    double to;
    double scale;    // of parameters: these here are t times it
    double radius;   // of a thick ray; 0: it is a line
    bool unbounded;  // too large or too small for this: all boxes count as met
} abut__cast_ray;

// A ray against the boxes of one body or of the scene's tree.
typedef struct abut__cast_aim {
    abut__ray_lanes lanes;
    double start;           // parameter of the origin of `lanes`
    float limit;            // how far the ray goes from there
    bool all;               // all boxes count as met
    abut__ray_shear shear;  // its error is that of exact corners rounded to float
} abut__cast_aim;

// A body that rays are cast at.
typedef struct abut__cast_target {
    abut__view view;
    abut_box box;         // in the world
    abut__source source;  // of its positions
    bool direct;          // they can be read there
    abut__source points;  // of positions in float, if `fleeting`
    float radius;         // coordinates of points are off by so much
    bool costly;          // they are cached with their blocks
    bool suspect;         // a vertex may be not finite
    bool fleeting;        // blocks are looked at so seldom that their boxes are not worth making
    bool turned;          // by `turn`
    abut__turn turn;
    atomic_ullong* needed;  // blocks that the query has needed; NULL: they are not counted
} abut__cast_target;

// A triangle that the ray meets.
typedef struct abut__cast_hit {
    uint32_t body;
    uint32_t triangle;
    double corners[3][3];
    abut__ray_hit at;
} abut__cast_hit;

// A ray on its way, and what it has met.
typedef struct abut__cast_shot {
    abut__cast_ray ray;
    abut__cast_aim aim;
    bool meets;           // the box of the target: otherwise `aim` is undefined
    abut__cast_hit best;  // the first so far, if `found`
    bool found;
} abut__cast_shot;

// A node or block to visit, and where the ray enters its box.
typedef struct abut__cast_entry {
    float near;
    uint32_t ref;
} abut__cast_entry;

// The same for a pack, and the rays that enter.
typedef struct abut__pack_entry {
    float near;
    uint32_t ref;
    uint32_t rays;
} abut__pack_entry;

// Corners of a block in float, in world axes, relative to the body's origin.
typedef struct abut__cast_corners {
    abut__block_corners at;
    float error;     // of sheared coordinates, beyond that of exact corners rounded to float
    uint32_t block;  // ABUT__NONE: empty
} abut__cast_corners;
#define ABUT__CAST_CORNERS 64u  // that a worker keeps, a power of two

typedef struct abut__caster {
    const abut_scene* scene;
    const abut__kernels* kernels;
    const abut_cast_def* def;
    abut__reader* reader;
    abut__cast_shot* shot;  // the one that is decided
    abut__cast_shot shots[ABUT__PACK];
    abut__ray_pack pack;
    abut__aim_rays aims;
    abut__wave_ray wave[ABUT__PACK];
    abut__ray_visits visits[3];                      // of nodes of two levels, and of blocks
    abut__cast_entry visit[ABUT__WAVE + ABUT__FAN];  // of blocks, ray by ray
    abut__ray_corners some;                          // in float, of triangles to be sifted
    abut__cast_corners corners[ABUT__CAST_CORNERS];
    abut__cast_target target;
    ABUT__VECTOR(abut__cast_entry) stack;
    ABUT__VECTOR(abut__pack_entry) pack_stack;
    ABUT__VECTOR(abut__cast_entry) top_stack;
    ABUT__VECTOR(abut__cast_hit) hits;  // of the ray, if all are wanted
    abut__uint32s order;                // of these, twice
    size_t ray_count;                   // of the query
    size_t bad_ray;                     // the lowest that is not finite; SIZE_MAX: none
} abut__caster;

// Rows of a range of rays, if all hits are wanted.
typedef struct abut__cast_task {
    ABUT__VECTOR(abut_ray_hit) rows;
} abut__cast_task;

struct abut_cast_result {
    abut__workspace work;
    ABUT__VECTOR(abut_ray_hit) hits;
    ABUT__VECTOR(uint8_t) met;
    // memory of queries
    abut__caster* casters;   // one per worker
    abut__cast_task* tasks;  // ABUT__TASKS_MOST
    abut__needs needs;
    abut__top top;
};

// ---- cast_aim.c
// Sets what follows from ray->exact.
void abut__ray_prepare(abut__cast_ray* ray);
// Aims the ray at what a box in the world contains: boxes in float, relative to `origin`, with
// coordinates of at most `extent`. `far` bounds the numbers that coordinates of the origin are sums
// of: see abut__body_far(). False: the ray misses the box.
bool abut__ray_aim(const abut__cast_ray* ray, const abut_box* box, const double origin[3],
                   double extent, double far, abut__cast_aim* aim);
// Lets the ray end where it meets a triangle.
void abut__aim_shorten(const abut__cast_ray* ray, const abut__ray_hit* hit, abut__cast_aim* aim);
// Aims a shot at the target.
void abut__cast_take_aim(const abut__caster* caster, abut__cast_shot* shot);
// Aims the first `count` shots. Of what abut__ray_prepare() sets, only the scale is set.
void abut__cast_take_aims(abut__caster* caster, uint32_t count);

// ---- cast_walk.c
// Makes a body the target of the next rays.
void abut__cast_at(abut__caster* caster, abut__body* body, const abut_box* box,
                   const abut__needs* needs);
// Finds what the shot meets of the target, which it was aimed at, or of all bodies in a tree.
void abut__cast_walk(abut__caster* caster);
void abut__cast_scene(abut__caster* caster, const abut__top* top, const abut__needs* needs);
// Gets the boxes of a block, which count as needed.
const abut__block_boxes* abut__cast_boxes(abut__caster* caster, uint32_t block);
// Whether nothing more can be found.
bool abut__cast_is_done(const abut__caster* caster);

// ---- cast_pack.c
// Finds what the first `count` shots meet of the target, which they were aimed at, if they go nearly
// the same way. False: they do not, and nothing is done.
bool abut__cast_pack(abut__caster* caster, uint32_t count);

// ---- cast_wave.c
// Finds what the first `count` shots meet of a fleeting target, which they were aimed at. False: the
// target is not, or a shot meets too much of it, and nothing is done.
bool abut__cast_wave(abut__caster* caster, uint32_t count);

// ---- cast_thick.c
// Whether a thick ray, which goes from exact.o to exact.end, meets a triangle. `hit` receives t.
bool abut__thick_meets(const abut__cast_ray* ray, const double t[3][3], abut__ray_hit* hit);
// Sets side, t and weights of a row.
void abut__thick_row(const abut__cast_ray* ray, const double t[3][3], const abut__ray_hit* hit,
                     abut_ray_hit* row);

// ---- cast_sift.c
// Returns those of a block's lanes that the shot may meet.
uint64_t abut__cast_sift(abut__caster* caster, uint32_t block, uint64_t lanes);
// Returns the lanes of a block that the shot may meet, without its boxes. It counts as needed.
uint64_t abut__cast_glance(const abut__caster* caster, uint32_t block);
// Gets the corners of a block for rays of a pack; NULL: they have none of use.
const abut__cast_corners* abut__cast_corners_of(abut__caster* caster, uint32_t block);
// Sifts by these.
uint64_t abut__cast_sift_by(const abut__caster* caster, const abut__cast_corners* corners,
                            uint64_t lanes);

// ---- cast_hits.c
// Decides lanes of a block.
void abut__cast_lanes(abut__caster* caster, uint32_t block, uint64_t lanes);
// Sets the row of a hit.
void abut__cast_row(const abut__caster* caster, const abut__cast_hit* hit, abut_ray_hit* row);
// Appends the rows of all hits, in their order. False: no memory.
bool abut__cast_rows(abut__caster* caster, abut__cast_task* task);

#endif
