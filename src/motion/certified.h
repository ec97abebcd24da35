// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs by certificates, for motions with the table `certifying`. The certificates of a shape are
// in shape->certificates from its first self query on.
#ifndef ABUT_MOTION_CERTIFIED_H
#define ABUT_MOTION_CERTIFIED_H

#include "motion/motion.h"

// The operation `apart` of a motion with certificates, and its tables of proofs.
bool abut__certified_apart(const abut_shape* shape, const abut__state* state, abut__ref ref);
extern const abut__proofs abut__certified_proofs;
extern const abut__pair_proofs abut__certified_pair_proofs;

// Frees the certificates of a shape, if there are any.
void abut__certified_free(abut_shape* shape);

#endif
