// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shared by the scenes: the scene's memory, adding bodies, meshes of grids, spheres and surfaces of
// revolution, and random numbers that depend on the seed alone.

#ifndef ABUT_SCENES_INTERNAL_H
#define ABUT_SCENES_INTERNAL_H

#include "scenes/scenes.h"

#define SCENE_PI 3.14159265358979323846

struct scene {
    scene_body* bodies;
    uint32_t body_count;
    uint32_t body_capacity;
    uint32_t frame_count;
    const void* data;  // of the kind, allocated with scene__alloc
    void* pieces;      // list of everything allocated
    bool failed;       // an allocation failed: the scene will not be returned

    // Positions of a moving body that is not reduced.
    void (*positions)(const scene* s, uint32_t body, uint32_t frame, double* xyz);
    // For reduced bodies; NULL: all zero, and the identity. Blended bodies need `transforms`.
    void (*coordinates)(const scene* s, uint32_t body, uint32_t frame, double* q);
    void (*transforms)(const scene* s, uint32_t body, uint32_t frame, double* transforms);
    void (*frame)(const scene* s, uint32_t body, uint32_t frame, double r[3][3], double t[3]);
    bool (*present)(const scene* s, uint32_t body, uint32_t frame);     // NULL: always
    bool (*expected)(const scene* s, uint32_t frame, uint32_t* pairs);  // may be NULL
    const char* (*frame_name)(const scene* s, uint32_t frame);          // may be NULL
};

/// The parameters of a maker. Defaults are resolved, so only `influences` may be 0 by default.
typedef struct scene_wish {
    uint32_t triangles;
    uint32_t seed;
    uint32_t fields;
    uint32_t nodes;
    scene_contact contact;
    uint32_t influences;  ///< 0: no wish
} scene_wish;

// One maker per kind; failure shows in s->failed.
void scene__make_tablecloth(scene* s, const scene_wish* wish);
void scene__make_curtain(scene* s, const scene_wish* wish);
void scene__make_chair(scene* s, const scene_wish* wish);
void scene__make_bridge(scene* s, const scene_wish* wish);
void scene__make_fish(scene* s, const scene_wish* wish);
void scene__make_brain(scene* s, const scene_wish* wish);
void scene__make_fishes(scene* s, const scene_wish* wish);
void scene__make_ring(scene* s, const scene_wish* wish);
void scene__make_soft_fishes(scene* s, const scene_wish* wish);
void scene__make_soft_ring(scene* s, const scene_wish* wish);
void scene__make_walk(scene* s, const scene_wish* wish);
void scene__make_dress(scene* s, const scene_wish* wish);
void scene__make_shirt(scene* s, const scene_wish* wish);
void scene__make_spheres(scene* s, const scene_wish* wish);
void scene__make_drift(scene* s, const scene_wish* wish);
void scene__make_combs(scene* s, const scene_wish* wish);
void scene__make_peg(scene* s, const scene_wish* wish);
void scene__make_links(scene* s, const scene_wish* wish);
void scene__make_cushion(scene* s, const scene_wish* wish);
void scene__make_pressed(scene* s, const scene_wish* wish);
void scene__make_sheet(scene* s, const scene_wish* wish);
void scene__make_blobs(scene* s, const scene_wish* wish);
void scene__make_funnel(scene* s, const scene_wish* wish);
void scene__make_skirt(scene* s, const scene_wish* wish);
void scene__make_cloth_ball(scene* s, const scene_wish* wish);
void scene__make_bowl(scene* s, const scene_wish* wish);
void scene__make_letters(scene* s, const scene_wish* wish);
void scene__make_breaking(scene* s, const scene_wish* wish);
void scene__make_crowd(scene* s, const scene_wish* wish);
void scene__make_degenerate(scene* s, const scene_wish* wish);
void scene__make_coil(scene* s, const scene_wish* wish);
void scene__make_washer(scene* s, const scene_wish* wish);
void scene__make_double_cone(scene* s, const scene_wish* wish);
void scene__make_nested_sheets(scene* s, const scene_wish* wish);
void scene__make_flipped_fold(scene* s, const scene_wish* wish);
void scene__make_loose_quads(scene* s, const scene_wish* wish);
void scene__make_loose_patches(scene* s, const scene_wish* wish);
void scene__make_slivers(scene* s, const scene_wish* wish);
void scene__make_crossing(scene* s, const scene_wish* wish);
void scene__make_boxes(scene* s, const scene_wish* wish);
void scene__make_fan(scene* s, const scene_wish* wish);

/// Returns zeroed memory that the scene owns; NULL if memory runs out, and after any failure.
void* scene__alloc(scene* s, size_t count, size_t size);

/// The same; `end` is called with the memory before it is freed.
void* scene__alloc_with_end(scene* s, size_t count, size_t size, void (*end)(void* memory));

/// Frees all of it. For scenes on the stack that own only scratch memory and start zeroed.
void scene__free_all(scene* s);

/// A mesh under construction; the scene owns the arrays.
typedef struct scene_mesh {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t* triangles;
    double* rest;
} scene_mesh;

/// Adds a body of `mesh`. `name` must be a literal or owned by the scene. Does nothing after a
/// failure.
void scene__add_body(scene* s, const char* name, const scene_mesh* mesh, bool moves, bool closed);

/// Displacement fields under construction; the scene owns the arrays. Zero for a rigid body.
typedef struct scene_fields {
    uint32_t count;
    float* values;  // as in scene_body
    const scene_dynamics* dynamics;
} scene_fields;

/// Adds a body that moves by `fields` and a frame.
void scene__add_reduced(scene* s, const char* name, const scene_mesh* mesh,
                        const scene_fields* fields, bool closed);

/// Weights under construction, as in scene_body; the scene owns the arrays.
typedef struct scene_weights {
    uint32_t node_count;
    uint32_t* first;
    uint32_t* nodes;
    float* values;
} scene_weights;

/// Adds a body that follows nodes by `weights`, its rest pose moved by `fields` first (NULL: none).
void scene__add_blended(scene* s, const char* name, const scene_mesh* mesh,
                        const scene_weights* weights, const scene_fields* fields, bool closed);

/// The greatest numbers of fields and of nodes of a scene. Coordinates fit an array of this size.
#define SCENE_MOST_FIELDS 64
#define SCENE_MOST_NODES 4096

/// The rotation by `angle` about a unit axis.
void scene__rotation(const double axis[3], double angle, double r[3][3]);

/// Allocates arrays for so many vertices and triangles. False on failure.
bool scene__mesh_alloc(scene* s, scene_mesh* mesh, uint32_t vertices, uint32_t triangles);

/// The directions of the diagonals of a grid's cells.
typedef enum grid_diagonals {
    GRID_SAME,       ///< every diagonal from (i, j) to (i + 1, j + 1)
    GRID_ALTERNATE,  ///< alternating from cell to cell like a chessboard
} grid_diagonals;

/// A grid of nu x nv cells. Vertex j * (nu + 1) + i rests at (i / nu, j / nv, 0); triangles wind
/// counter-clockwise from +z.
bool scene__grid(scene* s, scene_mesh* mesh, uint32_t nu, uint32_t nv, grid_diagonals diagonals);

/// The unit sphere: an icosahedron with edges cut into `frequency` parts, 20 frequency^2 triangles.
bool scene__sphere(scene* s, scene_mesh* mesh, uint32_t frequency);

/// Makes a surface of revolution from a profile of (radius, height) points about the z axis, closed
/// or open, in `segments` parts. A point of radius 0 makes one vertex and a fan. `loop` joins the
/// last point to the first (then no radius may be 0). Outside is on the right along the profile,
/// when radius points right and height up.
bool scene__turned(scene* s, scene_mesh* mesh, const double (*profile)[2], uint32_t points,
                   uint32_t segments, bool loop);

/// Returns the number of triangles that scene__turned() makes.
uint32_t scene__turned_triangles(const double (*profile)[2], uint32_t points, uint32_t segments,
                                 bool loop);

/// A torus of nu x nv cells: 2 nu nv triangles.
bool scene__torus(scene* s, scene_mesh* mesh, double radius, double tube, uint32_t nu, uint32_t nv);

/// Returns random number `index` of stream `seed`, uniform in [0, 1). There is no state: calls may
/// come in any order.
double scene__random(uint32_t seed, uint32_t index);
/// The same in [low, high).
double scene__random_in(uint32_t seed, uint32_t index, double low, double high);
/// A direction from numbers `index` and `index` + 1, uniform on the sphere.
void scene__random_direction(uint32_t seed, uint32_t index, double out[3]);

/// Returns 0 up to `from`, 1 beyond `to`, and a smooth transition between.
double scene__ease(double x, double from, double to);

/// Returns the position of `frame` in the motion: 0 for the first, 1 for the last.
double scene__time(const scene* s, uint32_t frame);

/// Returns the side of a square grid that has about `triangles` triangles, at least 1.
uint32_t scene__square_side(uint32_t triangles);

#endif  // ABUT_SCENES_INTERNAL_H
