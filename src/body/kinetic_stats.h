// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Counts of the kinetic tree of a flight body, for tests, benchmarks and figures. They are no part
// of the public interface.
#ifndef ABUT_BODY_KINETIC_STATS_H
#define ABUT_BODY_KINETIC_STATS_H

#include "abut/scene.h"
#include "motion/rules.h"

// Fills `stats` for the body's current state. Linear time. Fails if the body's motion is not
// flight.
abut_status abut__body_kinetic_stats(const abut_scene* scene, abut_body_id body,
                                     abut__kinetic_stats* stats, abut_error* error);

#endif
