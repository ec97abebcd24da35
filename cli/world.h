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
    /// Pairs that touch where depth is not defined; NULL where it is, or where the answers between
    /// and within bodies have them already.
    const abut_result* pairs;
} depth_entry;
typedef struct depth_memory depth_memory;

/// A body that is wholly inside another one, or some of its components are; surfaces do not touch.
typedef struct inside_entry {
    uint32_t inner;
    uint32_t outer;
    bool partly;  ///< some components of the inner body, not all
} inside_entry;
typedef struct surface_notes surface_notes;
typedef struct positions_before positions_before;

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
    inside_entry* insides;  ///< ascending by inner, then outer; asked for last
    size_t inside_count;
    abut_result* inside_room;
    surface_notes* notes;      ///< by number of the body
    positions_before* before;  ///< of bodies, in the frame before
    uint32_t before_count;
    abut_body_id* bodies;
    char** names;  ///< of the bodies, for messages
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
    bool inside;               ///< which bodies are wholly inside others, where they do not touch
} question;

/// Asks, and adds the work to `work`.
bool world_ask(world* w, const question* q, abut_counters* work);

/// Lets all bodies stand still, until they get another state.
void world_hold(world* w);
/// Asks about the way from the states before, and adds the work. Where a body has no state before
/// (it came with other triangles) there is no answer: `stepped` says so.
bool world_ask_step(world* w, const question* q, abut_counters* work);

/// Keeps where all vertices are now, in world coordinates: call it in the frame before a step if
/// world_swept_points() is to be asked.
void world_keep_before(world* w);
void world_forget_before(world* w);
/// Where a contact on the way is at its time, as a point of each of the bodies; they are as close as the
/// tolerance. False if the frame before was not kept.
bool world_swept_points(const world* w, const abut_swept_pair* p, double point_a[3],
                        double point_b[3]);

/// Asks how far bodies are apart: every two of a few, or the closest other one of each of many.
bool world_ask_nearest(world* w, const question* q, abut_counters* work);
/// Asks how far bodies are inside each other, every two whose boxes meet, and inside themselves if that is asked.
bool world_ask_depth(world* w, const question* q, abut_counters* work);
/// Frees all that depths need; for world_close().
void world_forget_depths(world* w);
/// Asks which bodies are wholly inside others, or components of them. Only bodies whose boxes allow it are
/// asked about, and only where the pairs asked for before say that nothing touches.
bool world_ask_inside(world* w, const question* q, abut_counters* work);
void world_forget_insides(world* w);
/// Why a body has no inside, to follow its name: "is open (4 boundary edges)"; NULL if it has one. Valid
/// until the body gets other triangles.
const char* world_no_inside(world* w, uint32_t body);
/// What is known about a body's surface is no longer true: it has other triangles.
void world_forget_notes(world* w, uint32_t body);
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

/// Calls `fn` for every answer that has pairs of this frame: between bodies, within them, and of bodies
/// without an inside whose depth was asked for.
typedef void (*answer_fn)(void* user, const abut_result* answer);
void world_each_answer(const world* w, const question* q, answer_fn fn, void* user);

/// The contacts of an answer on the way that are of bodies a and b (a within one), or all if both are
/// UINT32_MAX.
const abut_swept_pair* world_swept(const world* w, const abut_result* answer, uint32_t a,
                                   uint32_t b, size_t* count);

/// A sentence about a question about bodies a and b that failed: whose it was, and what to do.
void world_complain(const world* w, abut_status status, uint32_t a, uint32_t b);
/// Whether there is a point of each body where they are closest: of distances beyond the range of doubles, all
/// of which are infinite, none can be told to be the least.
bool gap_has_points(const abut_gap* gap);

/// The number of pairs of an answer.
size_t world_pair_count(const abut_result* answer);

/// The work of a query as JSON.
json_t* world_work_json(const abut_counters* work);

/// The motion of a body, such as "free".
const char* motion_name(abut_motion motion);

#endif
