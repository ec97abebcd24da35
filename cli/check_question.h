// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Chooses the queries and the gate of abut check by its options.
#ifndef CLI_CHECK_QUESTION_H
#define CLI_CHECK_QUESTION_H

#include "cli/gate/gate.h"

/// `v` are the values of check_options; `measures`: contact is measured, which needs its pairs. Leaves
/// the frames and `shared` as they are. False after an error message.
bool question_choose(question* q, const option_value* v, size_t object_count, bool measures);

/// The options of the gate, without settings and scene.
gate_options check_gate_options(const option_value* v, double fps);

#endif
