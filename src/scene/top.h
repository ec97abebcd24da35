// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A tree over the boxes of a scene's bodies, for questions about rays and points in a scene of many
// bodies. It belongs to a result and follows the scene from call to call: boxes are computed again
// only for bodies that changed, and bodies are sorted again only when boxes have grown much.
//
// The tree is complete. Bodies are in the order of Morton codes of their centres. Eight consecutive
// ones make a node of the lowest level, eight consecutive nodes one of the next level, and so on.
#ifndef ABUT_SCENE_TOP_H
#define ABUT_SCENE_TOP_H

#include "base/sort.h"
#include "scene/scene.h"

typedef struct abut__top_body {
    abut__body* body;
    uint64_t change;  // of the body, when its box was computed
    bool rough;       // the box is a cheap one
    abut_box box;     // in the world
} abut__top_body;

#define ABUT__TOP_LEVELS 12  // of at most 8^11 bodies

typedef struct abut__top {
    uint64_t scene;                        // serial
    ABUT__VECTOR(abut__top_body) bodies;   // in the order of their indices
    ABUT__VECTOR(abut__keyed) order;       // value: index in `bodies`; twice as many, for sorting
    ABUT__VECTOR(abut__boxes8) nodes;      // level by level, the lowest first
    uint32_t first[ABUT__TOP_LEVELS + 1];  // node of each level
    uint32_t levels;                       // the last has one node
    uint32_t count;                        // bodies
    double centre[3];                      // boxes of nodes are relative to it
    double cost;                           // of the nodes when the bodies were sorted
    abut_box all;
} abut__top;

// Updates the tree. `few`: it will be asked few questions, so that cheap boxes are good enough.
// False: no memory.
bool abut__top_follow(const abut_scene* scene, bool few, abut__top* top);
void abut__top_free(const abut_context* context, abut__top* top);

#endif
