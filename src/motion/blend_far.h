// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Origins of blend states, so that their bounds in float are as tight far from 0 as near it.
#ifndef ABUT_MOTION_BLEND_FAR_H
#define ABUT_MOTION_BLEND_FAR_H

#include "motion/blend.h"

// Chooses the origin of a state whose transforms are set; `rest` bounds the rest coordinates relative
// to the mesh's origin. True: one of both origins is not 0. Then the columns are made relative to
// them, and *reach becomes S of blend.h for what is relative.
bool abut__blend_centre(const abut_shape* shape, abut__blend_state* own, const double rest[3],
                        double* reach);

#endif
