// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The boxes of all tree nodes: see nodes.h. This file is separate from the scenes, because the
// library's internals use the same names.
#include "bench/nodes.h"

#include "body/body.h"
#include "motion/shape_tables.h"
#include "scene/scene.h"

void nodes_bound(const abut_scene* scene, abut_body_id body) {
    const abut__body* found = abut__scene_body(scene, body);
    abut__boxes8 room;
    for (uint32_t n = 0; n < found->shape->tree.node_count; ++n) {
        (void)abut__body_bound(found, n, 1, &room);
    }
}

void nodes_prepare(const abut_scene* scene, abut_body_id body) {
    (void)abut__shape_stretches(abut__scene_body(scene, body)->shape);
}
