// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Fish that rain on a swaying bridge: about 12,000 of them, with three modes each, in James, Pai,
// "BD-Tree: Output-Sensitive Collision Detection for Reduced Deformable Models", 2004, section 4.
// The coordinates of the bridge are prescribed; fish do not move it. As in the paper, contacts come
// from proxies of level 7 and, on the bridge, from the triangles in its proxies.
#ifndef DYNAMICS_SHOAL_H
#define DYNAMICS_SHOAL_H

#include "dynamics/swarm.h"

typedef struct shoal_def {
    uint32_t bodies;            ///< fish [300]
    uint32_t triangles;         ///< of a fish, approximately [24776]
    uint32_t fields;            ///< modes of a fish [3]
    uint32_t level;             ///< of the fish's proxies [7]
    uint32_t bridge_triangles;  ///< 240,316 in the paper [60000]
    uint32_t bridge_fields;     ///< [10]
    uint32_t bridge_level;      ///< of its proxies; 0: about 2 triangles each [0]
    double sway;                ///< approximate amplitude of the bridge in metres; 0: it stays at
                                ///< rest [0.25]
    uint32_t seed;              ///< of positions and rotations [1]
    swarm_manner manner;        ///< of the fish
    const abut_context_def* context;  ///< tasks and instruction set; may be NULL
    swarm_ranks* ranks;               ///< that share the fish; NULL: this process has all
} shoal_def;
shoal_def shoal_def_default(void);

typedef struct shoal shoal;

/// Creates fish in the air above the bridge. shoal_destroy() frees everything.
abut_status shoal_create(const shoal_def* def, shoal** made, abut_error* error);
void shoal_destroy(shoal* s);
/// Continues from states that another shoal of the same def had after `work`.
void shoal_restore(shoal* s, const modal_body* states, const swarm_work* work);
/// One step of 1/150 second.
abut_status shoal_step(shoal* s, abut_error* error);

/// Returns the fish, with their states and the costs of steps.
const swarm* shoal_swarm(const shoal* s);
/// The bridge: its body in the swarm's scene, its model and its coordinates.
abut_body_id shoal_bridge(const shoal* s);
const modal_model* shoal_bridge_model(const shoal* s);
const double* shoal_bridge_coordinates(const shoal* s);
/// Counts the fish whose centre is above the height of the deck at rest minus half a metre.
uint32_t shoal_on_bridge(const shoal* s);
/// Bytes of the library per fish that has moved but touched nothing yet, without shared data.
double shoal_bytes_per_body(const shoal* s);

#endif
