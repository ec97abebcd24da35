// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Internal view of a scene: its bodies, and the pool of their evaluated blocks.
#ifndef ABUT_SCENE_SCENE_H
#define ABUT_SCENE_SCENE_H

#include "body/world.h"
#include "scene/pool.h"

#endif
