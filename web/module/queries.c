// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The queries of the module: see module.h. A query takes a result of its kind, which its caller
// creates, uses again and destroys. What bodies a query is about stands in `which`: two bodies, one
// body with itself, all pairs of bodies, or each body with itself. Rows are read in memory by
// JavaScript (web/src/rows.js); rows.h proves where their members lie.
#include "module.h"
#include "rows.h"

typedef enum which_bodies {
    WHICH_TWO = 0,
    WHICH_SELF,
    WHICH_ALL,
    WHICH_SELF_ALL,
} which_bodies;

enum { FLAG_ANY = 1, FLAG_NEIGHBOURS = 2, FLAG_EARLIEST = 4, FLAG_ONE = 8, FLAG_SHORTEST = 16 };

_Static_assert(sizeof(abut_region) == 152 && offsetof(abut_region, first_pair) == 128, "region");

// Defines web_NAME_create(), _destroy() and _rows(), which returns rows and writes their number.
#define RESULT(name, kind, rows)                                                   \
    abut_##kind* WEB(web_##name##_create)(void) {                                  \
        abut_##kind* result = NULL;                                                \
        (void)abut_##kind##_create(web_context(), &result, web_last_error());      \
        return result;                                                             \
    }                                                                              \
    void WEB(web_##name##_destroy)(abut_##kind * result) {                         \
        abut_##kind##_destroy(result);                                             \
    }                                                                              \
    const void* WEB(web_##name##_rows)(const abut_##kind* result, size_t* count) { \
        return abut_##kind##_##rows(result, count);                                \
    }
RESULT(collide, collide_result, pairs)
RESULT(nearest, nearest_result, pairs)
RESULT(depth, depth_result, regions)
RESULT(sweep, sweep_result, pairs)
RESULT(cast, cast_result, hits)
RESULT(closest, closest_result, points)
#undef RESULT

// The arguments that name bodies, and these bodies: `first` and `second`.
#define BODIES int which, uint32_t a, uint32_t a_generation, uint32_t b, uint32_t b_generation
#define TAKE_BODIES                                        \
    const abut_body_id first = web_body(a, a_generation);  \
    const abut_body_id second = web_body(b, b_generation); \
    abut_error* error = web_last_error()

// Asks a query that has a call for each choice of bodies, and returns whether it succeeded.
#define ASK(query)                                                                               \
    switch ((which_bodies)which) {                                                               \
        case WHICH_TWO: return web_ok(abut_##query(scene, first, second, &def, result, error));  \
        case WHICH_SELF: return web_ok(abut_##query##_self(scene, first, &def, result, error));  \
        case WHICH_ALL: return web_ok(abut_##query##_all(scene, &def, result, error));           \
        case WHICH_SELF_ALL: return web_ok(abut_##query##_self_all(scene, &def, result, error)); \
    }                                                                                            \
    return 0

int WEB(web_collide)(const abut_scene* scene, BODIES, double margin, int flags,
                     abut_collide_result* result) {
    TAKE_BODIES;
    abut_collide_def def = abut_collide_def_default();
    def.margin = margin;
    def.any = (flags & FLAG_ANY) != 0;
    def.include_neighbours = (flags & FLAG_NEIGHBOURS) != 0;
    ASK(collide);
}
int WEB(web_collide_found)(const abut_collide_result* result) {
    return abut_collide_result_found(result);
}

int WEB(web_nearest)(const abut_scene* scene, BODIES, double most, abut_nearest_result* result) {
    TAKE_BODIES;
    abut_nearest_def def = abut_nearest_def_default();
    def.max_distance = most;
    switch ((which_bodies)which) {
        case WHICH_TWO: return web_ok(abut_nearest(scene, first, second, &def, result, error));
        case WHICH_SELF: return web_ok(abut_nearest_self(scene, first, &def, result, error));
        case WHICH_ALL: return web_ok(abut_nearest_all(scene, &def, result, error));
        case WHICH_SELF_ALL: break;
    }
    return 0;
}

int WEB(web_depth)(const abut_scene* scene, BODIES, int flags, abut_depth_result* result) {
    TAKE_BODIES;
    abut_depth_def def = abut_depth_def_default();
    def.one_region = (flags & FLAG_ONE) != 0;
    def.shortest = (flags & FLAG_SHORTEST) != 0;
    return web_ok(which == (int)WHICH_SELF ? abut_depth_self(scene, first, &def, result, error)
                                           : abut_depth(scene, first, second, &def, result, error));
}
int WEB(web_depth_defined)(const abut_depth_result* result) {
    return abut_depth_result_defined(result);
}
const void* WEB(web_depth_pairs)(const abut_depth_result* result, size_t* count) {
    return abut_depth_result_pairs(result, count);
}

int WEB(web_sweep)(const abut_scene* scene, BODIES, double margin, int flags,
                   abut_sweep_result* result) {
    TAKE_BODIES;
    abut_sweep_def def = abut_sweep_def_default();
    def.margin = margin;
    def.earliest_only = (flags & FLAG_EARLIEST) != 0;
    ASK(sweep);
}
double WEB(web_sweep_time)(const abut_sweep_result* result) {
    return abut_sweep_result_time_of_impact(result);
}

// With `all` every triangle that a ray meets, otherwise the first; `ends`: directions are end points.
int WEB(web_cast)(const abut_scene* scene, int whole_scene, uint32_t body, uint32_t generation,
                  const double* origins, const double* directions, size_t count, int ends, int all,
                  double radius, abut_cast_result* result) {
    const abut_rays rays = ends != 0 ? abut_rays_segments(origins, directions, count)
                                     : abut_rays_f64(origins, directions, count);
    abut_cast_def def = abut_cast_def_default();
    def.mode = all != 0 ? ABUT_CAST_ALL : ABUT_CAST_FIRST;
    def.groups = UINT64_MAX;
    def.radius = radius;
    return web_ok(whole_scene != 0 ? abut_cast_all(scene, rays, &def, result, web_last_error())
                                   : abut_cast(scene, web_body(body, generation), rays, &def,
                                               result, web_last_error()));
}

// At most `most` triangles for each point; 0: all within the distance.
int WEB(web_closest)(const abut_scene* scene, int whole_scene, uint32_t body, uint32_t generation,
                     const double* points, size_t count, double max_distance, uint32_t most,
                     int sign, abut_closest_result* result) {
    abut_closest_def def = abut_closest_def_default();
    def.max_distance = max_distance;
    def.most = most;
    def.sign = sign != 0;
    const abut_positions at = abut_positions_f64(points, count);
    return web_ok(whole_scene != 0 ? abut_closest_all(scene, at, &def, result, web_last_error())
                                   : abut_closest(scene, web_body(body, generation), at, &def,
                                                  result, web_last_error()));
}
