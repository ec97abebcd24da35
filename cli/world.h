// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The library as the command uses it: one scene, its bodies, and the two queries.
#ifndef CLI_WORLD_H
#define CLI_WORLD_H

#include "cli/frame_name.h"
#include "cli/processor.h"

#include <abut/abut.h>
#include <jansson.h>

/// The regions of two bodies, or of one with itself: `count` of the world's, from `first` on.
typedef struct depth_entry {
    uint32_t a;
    uint32_t b;
    bool defined;  ///< both have an inside
    size_t first;
    size_t count;
    const abut_depths* depths;  ///< has the triangles
} depth_entry;
typedef struct depth_memory depth_memory;

/// Bodies are numbered from 0 in the order they were added.
typedef struct world {
    threads* pool;  ///< NULL: one thread
    abut_context* context;
    abut_scene* scene;
    abut_result* between;        ///< answer of the last query between bodies
    abut_result* self;           ///< answer of the last query within them
    abut_result* swept_between;  ///< the same for the way from the state before
    abut_result* swept_self;
    bool stepped;     ///< there are such answers
    abut_gaps* near;  ///< for distances; NULL until they are asked for
    abut_gap* gaps;   ///< the distances asked for last
    size_t gap_count;
    depth_entry* depths;  ///< of bodies whose boxes meet, asked for last
    size_t depth_count;
    abut_region* regions;
    size_t region_count;
    depth_memory* memories;
    size_t memory_count;
    abut_body_id* bodies;
    uint32_t body_count;
    uint32_t* number_of;  ///< by body index, as results have it
} world;

/// Triangles over positions, and how they move; the world copies all of it.
typedef struct surface {
    const char* name;  ///< for messages
    const double* positions;
    size_t vertex_count;
    const uint32_t* triangles;
    size_t triangle_count;
    const uint32_t* left_out;  ///< numbers of triangles that are not there, the others keep theirs
    size_t left_out_count;
    abut_motion motion;
    uint32_t field_count;
    const float* fields;      ///< field after field, xyz of every vertex
    abut_weights weights;     ///< of a blend motion
    const uint32_t* classes;  ///< of the vertices, or NULL: found by the library
    const abut_key* keys;     ///< of a flight motion; their positions are borrowed
    size_t key_count;
} surface;

/// A state of a modal or blend surface.
typedef struct state {
    const double* coordinates;  ///< one a field
    const double* transforms;   ///< of a blend motion: three rows of four a node
    abut_frame frame;
} state;

// all of these return false after a sentence on the standard error output
/// `thread_count` 0: as many as there are cores.
bool world_open(world* w, uint32_t thread_count);
void world_close(world* w);
bool world_add(world* w, const surface* s, bool is_static);
/// Another body of the shape that a body has.
bool world_add_like(world* w, uint32_t body, const char* name, bool is_static);
/// Takes a body out of the scene; its number stays.
bool world_remove(world* w, uint32_t body);
/// Makes a body anew under the number of one that was taken out.
bool world_put_back(world* w, uint32_t body, const surface* s, bool is_static);
/// Whether a body is in the scene.
bool world_has(const world* w, uint32_t body);
/// New positions on the same triangles.
bool world_move(world* w, uint32_t body, const surface* s);
/// A new state of a modal or blend body.
bool world_deform(world* w, uint32_t body, const surface* s, const state* now);
/// Other keys of a flight body, on the same triangles.
bool world_rekey(world* w, uint32_t body, const surface* s);
/// A new time of a flight body.
bool world_set_time(world* w, uint32_t body, const char* name, double time);
/// Other triangles.
bool world_replace(world* w, uint32_t body, const surface* s);
bool world_inspect(const world* w, uint32_t body, const char* name, abut_mesh_health* health,
                   abut_tree_stats* tree);

/// What to ask.
typedef struct question {
    bool between;
    bool self;
    bool neighbours;  ///< within a body, also overlapping triangles that share a vertex
    bool shared;      ///< also what pairs share
    double margin;
    bool sweep;                ///< also on the way from the frame before
    size_t first;              ///< the first frame: there is none before
    const frame_names* names;  ///< what people call the frames; NULL: 0, 1, 2, ...
    bool depth;                ///< how far bodies are inside each other
    bool depth_self;           ///< and inside themselves
    bool nearest;              ///< how far bodies are apart
    double within;             ///< farther ones are left out
    bool limited;              ///< `within` was given: all that is not left out counts as found
} question;

/// Asks, and adds the work to `work`.
bool world_ask(world* w, const question* q, abut_counters* work);

/// Lets all bodies stand still, until they get another state.
void world_hold(world* w);
/// Asks about the way from the states before, and adds the work. Where a body has no state before
/// (it came with other triangles) there is no answer: `stepped` says so.
bool world_ask_step(world* w, const question* q, abut_counters* work);

/// Asks how far bodies are apart: every two of a few, or the closest other one of each of many.
bool world_ask_nearest(world* w, const question* q, abut_counters* work);
/// Asks how far bodies are inside each other, every two whose boxes meet, and inside themselves if that is asked.
bool world_ask_depth(world* w, const question* q, abut_counters* work);
/// Frees all that depths need; for world_close().
void world_forget_depths(world* w);
/// Whether a distance counts as found: 0, or within the limit that was given.
bool gap_counts(const abut_gap* gap, const question* q);

/// The pairs of one body, or of two.
typedef struct contact {
    uint32_t a;
    uint32_t b;  ///< a within one body
    size_t count;
    const abut_pair* pairs;
} contact;

/// Cuts an answer into contacts, in ascending order of a and b: calls `fn` for each.
typedef void (*contact_fn)(void* user, const contact* c);
void world_each_contact(const world* w, const abut_result* answer, contact_fn fn, void* user);

/// The contacts of an answer on the way that are of bodies a and b (a within one), or all if both are
/// UINT32_MAX.
const abut_swept_pair* world_swept(const world* w, const abut_result* answer, uint32_t a,
                                   uint32_t b, size_t* count);

/// The number of pairs of an answer.
size_t world_pair_count(const abut_result* answer);

/// The last answers as a frame of the JSON output; `lists` adds the pairs.
json_t* world_frame_json(const world* w, const question* q, uint32_t frame, double time,
                         const abut_counters* work, bool lists);

/// The work of a query as JSON.
json_t* world_work_json(const abut_counters* work);

/// The motion of a body, such as "free".
const char* motion_name(abut_motion motion);

#endif
