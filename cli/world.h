// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Wraps the library for the command: one scene, its bodies, and all queries. False means that an
// error message was printed, except where noted.
#ifndef CLI_WORLD_H
#define CLI_WORLD_H

#include "cli/frame_name.h"
#include "cli/processor.h"

#include <abut/abut.h>
#include <jansson.h>

/// The regions of two bodies, or of one with itself: `count` of world.regions, from `first` on.
typedef struct depth_entry {
    uint32_t a;
    uint32_t b;
    bool defined;  ///< both have an inside
    size_t first;
    size_t count;
    const abut_depth_result* depths;  ///< owns the triangles of the regions
    /// Touching pairs if depth is undefined; NULL if it is defined, or if the answers between and
    /// within bodies have them.
    const abut_collide_result* pairs;
} depth_entry;
typedef struct depth_memory depth_memory;

/// A body that is inside another one, wholly or with some components; the surfaces do not touch.
typedef struct inside_entry {
    uint32_t inner;
    uint32_t outer;
    bool partly;  ///< only some components of the inner body are inside
} inside_entry;
typedef struct surface_notes surface_notes;
typedef struct positions_before positions_before;
typedef struct kept_shape kept_shape;

/// Why a finding does not count: see cli/gate/sieve.h.
typedef enum aside_reason {
    ASIDE_IGNORED = 0,  ///< --ignore
    ASIDE_EXPECTED,     ///< --expect
    ASIDE_OUTSIDE,      ///< no --only speaks of it
    ASIDE_KNOWN,        ///< the baseline has it
    ASIDE_REASONS
} aside_reason;

/// Findings of two bodies, or of one with itself, that a rule puts aside.
typedef struct aside_entry {
    uint32_t a;
    uint32_t b;
    aside_reason reason;
    uint32_t rule;    ///< of --ignore and --expect: which one
    size_t pairs;     ///< of triangles
    size_t swept;     ///< contacts between the frame before and this one
    size_t regions;   ///< where they are inside each other
    size_t insides;   ///< 1: one is inside the other, without contact of the surfaces
    size_t gaps;      ///< 1: their distance counts as found
    size_t features;  ///< pairs of features within the distance
} aside_entry;

/// The findings of the last frame that do not count. The filters choose pairs of triangles.
typedef struct world_aside {
    bool used;             ///< there are rules or a baseline
    bool stale;            ///< a body is new or has another shape
    abut_filter counts;    ///< of pairs that count; no function: all
    abut_filter features;  ///< the same for features within the distance
    aside_entry* entries;
    size_t count;
    size_t missing;  ///< rules of --expect without contact
} world_aside;

/// One scene and its last answers. Bodies are numbered from 0 as they are added.
typedef struct world {
    abut_threads* pool;  ///< NULL: one thread
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* between;      ///< answer of the last query between bodies
    abut_collide_result* self;         ///< answer of the last query within them
    abut_sweep_result* swept_between;  ///< the same for the step from the previous state
    abut_sweep_result* swept_self;
    bool stepped;                         ///< the answers for the step are valid
    abut_features_result* features;       ///< between bodies; NULL before the first query
    abut_features_result* features_self;  ///< within them
    abut_nearest_result* near;            ///< for distances; NULL before the first query
    abut_distance_pair* gaps;             ///< the distances of the last query
    size_t gap_count;
    depth_entry* depths;  ///< of bodies whose boxes overlap, of the last query
    size_t depth_count;
    abut_region* regions;
    size_t region_count;
    depth_memory* memories;
    size_t memory_count;
    inside_entry* insides;  ///< of the last query, ascending by inner, then outer
    size_t inside_count;
    abut_contains_result* sides;
    surface_notes* notes;      ///< cached properties, by body
    positions_before* before;  ///< positions in the frame before, by body
    uint32_t before_count;
    abut_body_id* bodies;
    char** names;  ///< of the bodies, for messages
    uint32_t body_count;
    uint32_t* number_of;  ///< number of a body, by body index in results
    world_aside aside;
    bool uses_shapes;   ///< uses prepared shapes of earlier runs (shape_cache.h),
    bool keeps_shapes;  ///< and keeps its own for later ones,
    bool asked_self;    ///< if a query within bodies has prepared them
    bool certifies;     ///< makes certificates with the trees, for many queries within bodies
    kept_shape* kept;   ///< these shapes, of which the world has a reference
    size_t kept_count;
} world;

/// Positions, triangles and motion; the world copies all but the positions of keyframes.
typedef struct surface {
    const char* name;  ///< for messages
    const double* positions;
    size_t vertex_count;
    const uint32_t* triangles;
    size_t triangle_count;
    const uint32_t* left_out;  ///< triangles to remove; the others keep their numbers
    size_t left_out_count;
    abut_motion motion;
    uint32_t field_count;
    const float* fields;        ///< field after field, xyz of every vertex
    abut_weights weights;       ///< of a blend motion
    const uint32_t* classes;    ///< of the vertices; NULL: the library finds them
    const abut_keyframe* keys;  ///< keyframes of a flight motion; their positions are borrowed
    size_t key_count;
} surface;

/// A state of a modal or blend surface.
typedef struct state {
    const double* coordinates;  ///< one per field
    const double* transforms;   ///< of a blend motion: three rows of four per node
    abut_frame frame;
} state;

/// Opens an empty world; `thread_count` 0: one thread per core.
bool world_open(world* w, uint32_t thread_count);
void world_close(world* w);
bool world_add(world* w, const surface* s, bool is_static);
/// Adds a body that shares the shape of body `body`.
bool world_add_like(world* w, uint32_t body, const char* name, bool is_static);
/// Removes a body from the scene; its number stays reserved.
bool world_remove(world* w, uint32_t body);
/// Adds a body under the number of a removed one.
bool world_put_back(world* w, uint32_t body, const surface* s, bool is_static);
/// Whether a body is in the scene.
bool world_has(const world* w, uint32_t body);
/// Sets new positions; the triangles stay.
bool world_move(world* w, uint32_t body, const surface* s);
/// Sets a new state of a modal or blend body.
bool world_deform(world* w, uint32_t body, const surface* s, const state* now);
/// Sets new keyframes of a flight body; the triangles stay.
bool world_rekey(world* w, uint32_t body, const surface* s);
/// Sets the time of a flight body.
bool world_set_time(world* w, uint32_t body, const char* name, double time);
/// Replaces the mesh of a body; `rest` has the same triangles, at rest.
bool world_replace(world* w, uint32_t body, const surface* rest, const surface* s);
bool world_inspect(const world* w, uint32_t body, const char* name, abut_mesh_info* health,
                   abut_tree_info* tree);

/// Which queries to run.
typedef struct question {
    bool between;
    bool self;
    bool neighbours;  ///< within a body, also overlapping triangles that share a vertex
    bool shared;      ///< also the intersections of pairs
    double margin;
    bool sweep;                ///< also contacts during the step from the frame before
    bool intervals;            ///< also when contact begins and ends (gate/spans.h)
    size_t first;              ///< the first frame, to which there is no step
    const frame_names* names;  ///< names of the frames; NULL: 0, 1, 2, ...
    bool depth;                ///< how deep bodies are inside each other
    bool depth_self;           ///< how deep bodies are inside themselves
    bool nearest;              ///< distances between bodies
    double within;             ///< larger distances are left out
    bool limited;              ///< `within` was given: distances up to it count as found
    bool features;             ///< also features of different bodies at most `within` apart
    bool features_self;        ///< and those of one body
    bool inside;               ///< which bodies are wholly inside others, where they do not touch
} question;

/// Runs all queries of the frame; adds the work to `work`.
bool world_ask(world* w, const question* q, abut_counters* work);

/// Ends the step of all bodies: they stand still until they get another state.
void world_end_step(world* w);
/// Runs the queries of the step from the previous states; adds the work. If the triangles of a body
/// changed, it has no previous state: there is no answer, and `stepped` is false.
bool world_ask_step(world* w, const question* q, abut_counters* work);

/// Stores the positions of all vertices, in world coordinates. world_swept_points() needs those of
/// the frame before.
void world_keep_before(world* w);
void world_forget_before(world* w);
/// Gets the points of both bodies in a swept contact at its time; they are within the tolerance of
/// each other. False, without a message, if the frame before was not stored.
bool world_swept_points(const world* w, const abut_sweep_pair* p, double point_a[3],
                        double point_b[3]);

/// Finds the distances of all pairs of a few bodies, or of each of many to its closest other one.
bool world_ask_nearest(world* w, const question* q, abut_counters* work);
/// Finds the features within the distance.
bool world_ask_features(world* w, const question* q, abut_counters* work);
void world_forget_features(world* w);
/// The rows of two bodies, or of one.
typedef struct feature_list {
    uint32_t a;
    uint32_t b;  ///< a within one body
    const abut_feature_pair* rows;
    size_t count;
} feature_list;
/// Calls `fn` for the rows of every two bodies that have some, then of every one.
typedef void (*feature_list_fn)(void* user, const feature_list* list);
void world_each_feature_list(const world* w, const question* q, feature_list_fn fn, void* user);
/// Gets the closest points of a pair; false, without a message, if a body is gone.
bool world_feature_points(const world* w, const abut_feature_pair* p, double point_a[3],
                          double point_b[3]);
/// Finds how deep bodies are inside each other, and, with depth_self, inside themselves.
bool world_ask_depth(world* w, const question* q, abut_counters* work);
/// Gets the place of the i-th pair among the pairs of all regions of an entry that count; false behind
/// the last.
bool world_region_pair(const world* w, const depth_entry* d, size_t i, size_t* place);
/// Frees the memory of depths; for world_close().
void world_forget_depths(world* w);
/// Finds bodies inside others, wholly or with some components. Tests only pairs of bodies whose
/// boxes allow it and for which the queries before found no pairs of triangles.
bool world_ask_inside(world* w, const question* q, abut_counters* work);
void world_forget_insides(world* w);
/// Says why a body has no inside, to follow its name: "is open (4 boundary edges)"; NULL if it has
/// one. Valid until the triangles of the body change.
const char* world_no_inside(world* w, uint32_t body);
/// Discards the cached properties of a body, whose triangles have changed.
void world_forget_notes(world* w, uint32_t body);
/// Whether a distance counts as found: 0, or within the limit.
bool gap_counts(const abut_distance_pair* gap, const question* q);

/// The pairs of one body, or of two.
typedef struct contact {
    uint32_t a;
    uint32_t b;  ///< a within one body
    size_t count;
    const abut_pair* pairs;
} contact;

/// Splits an answer by pairs of bodies, in ascending order of a and b, and calls `fn` for each.
typedef void (*contact_fn)(void* user, const contact* c);
void world_each_contact(const world* w, const abut_collide_result* answer, contact_fn fn,
                        void* user);

/// Calls `fn` for every answer with pairs: between bodies, within them, and for undefined depth.
typedef void (*answer_fn)(void* user, const abut_collide_result* answer);
void world_each_answer(const world* w, const question* q, answer_fn fn, void* user);

/// The swept contacts of an answer between bodies a and b (equal: within one), or all if both are
/// UINT32_MAX.
const abut_sweep_pair* world_swept(const world* w, const abut_sweep_result* answer, uint32_t a,
                                   uint32_t b, size_t* count);

/// Prints the error of a failed query about bodies a and b: their names, and what to do.
void world_complain(const world* w, abut_status status, uint32_t a, uint32_t b);
/// Whether closest points are known. They are not if the distance exceeds the range of doubles:
/// then all distances are infinite, and the least cannot be found.
bool gap_has_points(const abut_distance_pair* gap);

/// The number of pairs of an answer.
size_t world_pair_count(const abut_collide_result* answer);

/// The work of a query as JSON.
json_t* world_work_json(const abut_counters* work);

/// The motion of a body, such as "free".
const char* motion_name(abut_motion motion);

#endif
