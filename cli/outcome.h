// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The outcome of one frame of abut check: all that outputs need, without the world that it was found in.
// Outputs take outcomes one after the other (check_outputs.h), whether they come from the queries of this
// run or from a part of another one (farm/part.h). So merged outputs have the bytes of one run.
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "cli/contact_csv.h"
#include "cli/crew.h"
#include "cli/history.h"

/// Start zeroed. Free with outcome_free().
typedef struct outcome {
    uint32_t frame;
    findings now;
    frame_record record;
    measure* measures;  ///< of contact, ascending by a, then b
    size_t measure_count;
    world_aside aside;  ///< what rules put aside: its entries, their number and what is missing
    uint64_t* known;    ///< keys of findings that the baseline has
    size_t known_count;
    uint64_t* topologies;      ///< of the objects: hashes of their triangles
    json_t* json;              ///< the frame in the JSON output; NULL: not wanted
    char* rows;                ///< of the CSV; NULL: not wanted
    abut_distance_pair* gaps;  ///< those of findings that were read; others belong to the world
} outcome;

/// What an outcome is to hold beside the findings.
typedef struct outcome_wishes {
    bool json;
    bool lists;            ///< with the touching pairs
    bool work;             ///< with the counters
    const csv_table* csv;  ///< names and times of rows; NULL: no rows
    double fps;
} outcome_wishes;

/// Takes the last answers of a worker, which must stay until the outcome is freed.
void outcome_take(outcome* o, const worker* k, const question* q, const outcome_wishes* wishes);
void outcome_free(outcome* o);

#endif
