// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Names that code in the documents uses without a declaration. scripts/test-docs compiles the code
// with these.
#ifndef ABUT_TESTS_SNIPPETS_H
#define ABUT_TESTS_SNIPPETS_H

#include <abut/abut.h>
#include <stdio.h>

extern abut_context* context;
extern abut_mesh* mesh;
extern abut_shape* shape;
extern abut_scene* scene;
extern abut_collide_result* result;
extern abut_front* front;
extern abut_sweep_result* swept;
extern abut_intervals_result* intervals;
extern abut_nearest_result* nearest;
extern abut_within_result* within;
extern abut_features_result* features;
extern abut_closest_result* closest;
extern abut_contains_result* sides;
extern abut_depth_result* depths;
extern abut_mls* mls;
extern abut_body_id a, b, body, cloth, table, ball, hand;
extern abut_shape_def def, settings;
extern abut_field fields[];
extern abut_keyframe keys[];
extern abut_frame place, frame;
extern abut_transforms pose;
extern abut_error error;
extern abut_positions next;
extern size_t count;

extern const float rest[], positions[], bow[], mouth[], skin_matrices[], bones[], first[], second[],
    u[];
extern const double nodes[], displacements[], q[], morphs[];
extern double transforms[];
extern const uint32_t triangles[], lips[], hit[], joints[];
extern size_t vertex_count, triangle_count, field_count, key_count, lip_count, hit_count,
    bone_count, node_count, morph_count;
extern const float weights[];
extern int steps;
void simulate(const float* positions);

#endif
