// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A scene as the library sees it.
#ifndef ABUT_SCENE_SCENE_H
#define ABUT_SCENE_SCENE_H

#include "abut/scene.h"
#include "scene/pool.h"

struct abut_scene {
    abut_context* context;
    uint64_t serial;           // unique in the context, for fronts that outlive their scene
    abut__vector bodies;       // of abut__body*, NULL where there is none
    abut__vector generations;  // of uint32_t, how often a place was used
    abut__vector vacant;       // of uint32_t, places without a body
    uint32_t body_count;
    uint64_t clock;  // the last stamp given
    abut__pool pool;
};

// NULL if there is no such body
abut__body* abut__scene_body(const abut_scene* scene, abut_body_id id);
static inline abut__body* abut__scene_at(const abut_scene* scene, size_t index) {
    return index < scene->bodies.count ? ((abut__body**)scene->bodies.data)[index] : NULL;
}

typedef struct abut__body_pair {
    uint32_t a;
    uint32_t b;
} abut__body_pair;

// One body in the broad phase.
typedef struct abut__broad_box {
    abut_box box;
    abut__body* body;
} abut__broad_box;

// Appends all pairs a < b of bodies whose boxes, grown by half the margin each, overlap, whose
// groups and masks agree and that are not both static; sorted. The vectors are scratch that the
// caller keeps. False: no memory.
bool abut__broad_phase(const abut_scene* scene, double margin, abut__vector* boxes,
                       abut__vector* order, abut__vector* pairs);

#endif
