// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Outcomes as JSON, so that outputs can be made of them in another process: see outcome.h. What is read
// is not trusted.
#ifndef CLI_FARM_OUTCOME_JSON_H
#define CLI_FARM_OUTCOME_JSON_H

#include "cli/outcome.h"

/// `topologies` are those of the frame before, which are not repeated; NULL: there is none. Region ids and
/// depths of --depth are left out.
json_t* outcome_to_json(const outcome* o, const uint64_t* topologies, size_t object_count);

/// What an outcome may refer to.
typedef struct outcome_limits {
    const question* ask;
    size_t object_count;
    size_t rule_count;
    size_t frame;                ///< the number that it must have
    const uint64_t* topologies;  ///< of the frame before; NULL: there is none
} outcome_limits;

/// Reads an outcome; the JSON stays. False, without a message, if it is damaged. Free it also then.
bool outcome_from_json(outcome* o, const json_t* json, const outcome_limits* limits);

#endif
