// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Parts that together are one run: puts them in order, proves that they belong together and that no frame is
// missing or there twice, and makes the outputs of the run.
#ifndef CLI_FARM_PART_SET_H
#define CLI_FARM_PART_SET_H

#include "cli/farm/part.h"

/// Sorts parts by their frames. False after an error message that names the part or the frames.
bool part_set_order(part* parts, size_t count);

/// What the outputs of a run are.
typedef struct part_set_wishes {
    check_shared* all;  ///< the files; its settings are set
    bool table;         ///< print it, unless an output is the standard output
    bool needs_events;  ///< an output lists events
} part_set_wishes;

/// Makes the outputs of parts in order. Returns the exit code of the run.
int part_set_merge(part* parts, size_t count, const part_set_wishes* wishes);

#endif
