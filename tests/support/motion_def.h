// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Shapes whose motion a test chooses at run time: the settings of all makers in one struct, and a
// switch over the makers. Settings of other motions are ignored.
#ifndef ABUT_TESTS_MOTION_DEF_H
#define ABUT_TESTS_MOTION_DEF_H

#include "abut/abut.h"

#define MOTION_BOUND_AUTO 0  // of every motion

typedef struct motion_def {
    abut_motion motion;
    const abut_field* fields;  // modal, blend
    size_t field_count;
    abut_weights weights;            // blend
    const abut_keyframe* keyframes;  // flight
    size_t keyframe_count;
    // flight: the tree is left to the first query. Otherwise a flight shape is made with it, because
    // tests of kinetic trees set many times before they query
    bool late_tree;
    int bound;             // abut_modal_bound, abut__blend_bound or abut_flight_bound
    uint32_t proxy_level;  // modal
    uint32_t fan_out;
    uint32_t block_triangles;
    bool certify_on_request;
    const uint32_t* ignored_tags;
    size_t ignored_tag_pair_count;
    uint32_t cookie;  // of the common part
} motion_def;
motion_def motion_def_default(void);

// Creates a shape by the maker of the motion. NULL: free motion, default settings.
abut_status motion_create(abut_context* context, const abut_mesh* mesh, const motion_def* def,
                          abut_shape** shape, abut_error* error);

typedef struct motion_edit_def {
    const uint32_t* removed_triangles;
    size_t removed_triangle_count;
    const uint32_t* added_triangles;
    size_t added_triangle_count;
    const uint32_t* added_tags;
    abut_positions added_vertices;
    const uint32_t* added_classes;
    abut_weights added_weights;        // blend
    const abut_field* added_fields;    // modal, blend
    const uint32_t* changed_vertices;  // blend
    size_t changed_vertex_count;
    abut_weights changed_weights;
    size_t node_count;
    const abut_keyframe* keyframes;  // flight
    size_t keyframe_count;
    bool rebuild;
    abut_positions rebuild_positions;
    uint32_t cookie;  // of the common part
} motion_edit_def;
motion_edit_def motion_edit_def_default(void);

// Edits a shape by the call of its motion.
abut_status motion_edit(const abut_shape* shape, const motion_edit_def* edit, abut_shape** edited,
                        abut_edit_work* work, abut_error* error);

// abut_body_set_plans() with plans that are made by hand: sets the cookie of a copy.
abut_status plans_set(abut_scene* scene, abut_body_id body, const abut_plans_def* plans,
                      abut_error* error);

// The result of abut_scene_inspect().
abut_scene_info scene_info(const abut_scene* scene);

#endif
