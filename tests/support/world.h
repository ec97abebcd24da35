// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A small world for tests of queries: surfaces for bodies, a scene for the bodies, and the expected
// answer of each query. The oracle reads a scene through the public interface alone and tests all
// pairs (brute.h).

#ifndef ABUT_TESTS_SUPPORT_WORLD_H
#define ABUT_TESTS_SUPPORT_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abut/abut.h"
#include "support/motion_def.h"
#include "support/random.h"

/// Selects one of three numbers by ABUT_TEST_EFFORT (quick, normal, long; default normal).
uint32_t effort(uint32_t quick, uint32_t normal, uint32_t most);

/// Sets the text that every later failure prints: the seed, the frame, ...
void where(const char* format, ...) __attribute__((format(printf, 1, 2)));
const char* where_text(void);

/// Fails the current test unless the call returned ABUT_OK.
#define REQUIRE_OK(call) require_status((call), ABUT_OK, #call, __FILE__, __LINE__)
#define REQUIRE_STATUS(call, status) require_status((call), (status), #call, __FILE__, __LINE__)
void require_status(abut_status got, abut_status wanted, const char* call, const char* file,
                    int line);
/// assert_true() that also prints the text of where().
#define REQUIRE(condition) require_true((condition), #condition, __FILE__, __LINE__)
void require_true(bool condition, const char* text, const char* file, int line);

/// malloc that ends the process instead of returning NULL.
void* test_alloc(size_t count, size_t size);

// ---- surfaces

typedef struct surface {
    uint32_t vertex_count;
    uint32_t triangle_count;
    double* xyz;
    uint32_t* triangles;
} surface;

surface surface_make(uint32_t vertex_count, uint32_t triangle_count);
surface surface_copy(const surface* s);
void surface_free(surface* s);
/// A sheet of 2 nx ny triangles over [0, width] x [0, width] in the plane z = 0.
surface surface_sheet(uint32_t nx, uint32_t ny, double width);
/// A closed ball: poles, and rings - 1 circles of `sectors` vertices.
surface surface_ball(uint32_t rings, uint32_t sectors, double radius);
/// A ball of radius 1 or of a random size from 2^-exponent to 2^exponent, sometimes so far from the
/// origin that its coordinates are coarse. `size` receives the random size.
surface surface_any_ball(test_random* random, uint32_t rings, uint32_t sectors, int32_t exponent,
                         double* size);
/// Separate triangles. Their coordinates are multiples of `step`, they are at most `size` wide, and
/// their first corner is within `range` of the origin. With a coarse step many touch or are
/// coplanar.
surface surface_soup(test_random* random, uint32_t triangles, double range, double size,
                     double step);
/// Adds multiples of `step`, up to `range`, to all coordinates.
void surface_shake(surface* s, test_random* random, double range, double step);
void surface_shift(surface* s, double x, double y, double z);
void surface_scale(surface* s, double factor);
/// Joins two surfaces.
surface surface_join(const surface* a, const surface* b);
/// Renumbers vertices and triangles: `triangle_of` receives the old id of every new triangle.
surface surface_shuffle(const surface* s, test_random* random, uint32_t* triangle_of);

/// A rotation about a random axis (orthonormal up to rounding) and a shift of up to `reach`.
abut_frame frame_random(test_random* random, double reach);

// ---- pairs

typedef struct pair_list {
    abut_pair* pairs;
    size_t count;
    size_t capacity;
} pair_list;

void pairs_push(pair_list* list, abut_pair pair);
void pairs_sort(pair_list* list);
void pairs_free(pair_list* list);
/// -1, 0 or 1 by (body_a, body_b, triangle_a, triangle_b).
int pairs_compare(const abut_pair* x, const abut_pair* y);
/// Fails unless the result has these pairs in this order.
void require_pairs(const abut_collide_result* result, const pair_list* wanted, const char* what);
/// Fails unless both are the same.
void require_same_pairs(const pair_list* got, const pair_list* wanted, const char* what);
/// Appends the pairs of a result.
void pairs_append(pair_list* list, const abut_collide_result* result);
uint64_t pairs_hash(const abut_pair* pairs, size_t count);
/// The hash of the pairs of a result.
uint64_t result_hash(const abut_collide_result* result);
/// Adds bytes to a hash (FNV-1a).
void hash_bytes(uint64_t* hash, const void* data, size_t size);

// ---- the world

typedef struct world {
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_sweep_result* swept;
    abut_intervals_result* intervals;
    abut_proxies_result* proxies;
    abut_contains_result* sides;
} world;

/// Both defs may be NULL.
world world_make(const abut_context_def* context_def, const abut_scene_def* scene_def);
void world_free(world* w);
/// The side of a body's surface on which a point is; `winding` may be NULL.
abut_side world_point_side(const world* w, abut_body_id body, const double point[3],
                           int32_t* winding);
/// The side of the outer body's surface on which the inner body is.
abut_side world_body_side(const world* w, abut_body_id outer, abut_body_id inner);
/// The settings of the mesh of a surface, which it borrows.
abut_mesh_def surface_mesh_def(const surface* s);
abut_mesh* world_mesh(const world* w, const surface* s);
/// The mesh and the shape of a surface; the status of the first call that failed. `error` may be
/// NULL.
abut_status world_try_shape(const world* w, const surface* s, const motion_def* def,
                            abut_shape** shape, abut_error* error);
abut_shape* world_shape(const world* w, const surface* s, const motion_def* def);
/// motion_edit() and abut_shape_validate(); fails unless both work. `work` may be NULL.
abut_shape* world_edit(const abut_shape* shape, const motion_edit_def* def, abut_edit_work* work);
/// A body of a new shape that no other body uses. Both defs may be NULL.
abut_body_id world_add(world* w, const surface* s, const motion_def* shape_def,
                       const abut_body_def* body_def);
/// The same for a mesh with any settings.
abut_body_id world_add_mesh(world* w, const abut_mesh_def* mesh_def, const motion_def* shape_def);
/// Sets positions and validates shape and state.
void world_move(world* w, abut_body_id body, const double* xyz);
void world_validate(const world* w, abut_body_id body);
void world_frame(world* w, abut_body_id body, abut_frame frame);

// ---- expected answers

typedef struct oracle {
    double margin;
    bool neighbours;
    bool rational;  ///< always use GMP, instead of in one comparison of ten (judge.h)
    /// NULL, or a function that says whether a query over a scene tests these two bodies.
    bool (*meet)(const void* user, uint32_t body_a, uint32_t body_b);
    const void* user;
} oracle;

/// `o` may be NULL for the defaults.
pair_list oracle_between(const abut_scene* scene, abut_body_id a, abut_body_id b, const oracle* o);
pair_list oracle_self(const abut_scene* scene, abut_body_id a, const oracle* o);
pair_list oracle_collide_all(const abut_scene* scene, const oracle* o);
pair_list oracle_self_all(const abut_scene* scene, const oracle* o);

/// Runs the query and compares it with the oracle; def may be NULL, and its margin and neighbours
/// apply to the oracle too. Returns the number of pairs.
size_t check_between(const world* w, abut_body_id a, abut_body_id b, const abut_collide_def* def);
size_t check_self(const world* w, abut_body_id a, const abut_collide_def* def);
size_t check_collide_all(const world* w, const abut_collide_def* def);
size_t check_self_all(const world* w, const abut_collide_def* def);

/// The kinds of queries, for tests that loop over them. Only QUERY_COLLIDE uses `b`; queries over a
/// scene do not use `a`.
typedef enum query_kind { QUERY_COLLIDE, QUERY_SELF, QUERY_COLLIDE_ALL, QUERY_SELF_ALL } query_kind;
#define QUERY_KINDS 4
abut_status run_query(const abut_scene* scene, query_kind kind, abut_body_id a, abut_body_id b,
                      const abut_collide_def* def, abut_collide_result* result);
abut_status run_query_with_error(const abut_scene* scene, query_kind kind, abut_body_id a,
                                 abut_body_id b, const abut_collide_def* def,
                                 abut_collide_result* result, abut_error* error);
pair_list oracle_query(const abut_scene* scene, query_kind kind, abut_body_id a, abut_body_id b,
                       const oracle* o);

#endif  // ABUT_TESTS_SUPPORT_WORLD_H
