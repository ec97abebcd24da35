// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies and shapes for tests that read their trees and boxes, which are otherwise made when a query
// first needs them.

#ifndef ABUT_TESTS_SUPPORT_INSIDE_H
#define ABUT_TESTS_SUPPORT_INSIDE_H

#include "scene/scene.h"
#include "support/world.h"

/// A body of the scene, with its boxes.
static inline abut__body* inside_body(const abut_scene* scene, abut_body_id id) {
    abut__body* body = abut__scene_body(scene, id);
    REQUIRE(body != NULL && abut__body_ready(body));
    return body;
}

/// The shape, with its tree.
static inline const abut_shape* inside_shape(const abut_shape* shape) {
    REQUIRE_OK(abut_shape_build_tree(shape, NULL));
    return shape;
}

#endif  // ABUT_TESTS_SUPPORT_INSIDE_H
