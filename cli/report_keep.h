// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The frames that the report's page can draw: positions, boxes of the trees, and what touches.
//
// A page has a budget. Where it is used up whole frames are given up: those without contact first, so
// that the others are spread evenly; then those with the least contact. A frame that was given up has
// no picture of its own, and nothing of it is drawn on the surface of another; what was found in it
// is still told.
#ifndef CLI_REPORT_KEEP_H
#define CLI_REPORT_KEEP_H

#include "cli/report_grid.h"
#include "cli/world.h"

/// How bad a frame is.
typedef struct frame_worth {
    bool contact;
    double depth;     ///< the deepest region
    uint64_t count;   ///< of pairs of triangles, contacts on the way and regions
    double distance;  ///< the least
} frame_worth;

/// Numbers that grow.
typedef struct numbers {
    double* values;
    size_t count;
    size_t room;
} numbers;
double* numbers_more(numbers* n, size_t count);

typedef struct ids {
    uint32_t* values;
    size_t count;
    size_t room;
} ids;
uint32_t* ids_more(ids* n, size_t count);

typedef struct page_state page_state;

/// A frame that is kept. Whoever adds one fills in what touches.
typedef struct kept_frame {
    size_t place;  ///< in the list of frames
    frame_worth worth;
    json_t* json;  ///< the frame in that list
    page_state** states;
    uint32_t state_count;
    ids box_counts;  ///< by body, then level
    ids triangles;   ///< of pairs: of each two bodies first all of a, then all of b
    ids swept;       ///< triangle of a, triangle of b and time (of 2^32 - 1) of contacts on the way
    numbers boxes;   ///< six each
    numbers segments;   ///< six each
    numbers waypoints;  ///< three each: where contacts on the way are
    cloud clouds[3];    ///< of these, when the frame is whole
    size_t bytes;
} kept_frame;

enum { BOX_LEVELS = 5 };

typedef struct keeper {
    size_t budget;  ///< bytes
    size_t bytes;   ///< so far
    kept_frame** frames;
    size_t count;
    size_t room;
    page_state** last;  ///< of the bodies in the last frame, also if it is given up
    uint32_t body_count;
    bool has_origin;
    double origin[3];
    // while writing
    size_t mesh_count;
    size_t chunk_count;
    json_t* meshes;
    json_t* chunks;
} keeper;

/// The most pairs of a frame that can be drawn.
size_t keeper_most_pairs(const keeper* k);
/// Begins a frame with the state of a world. `json` is borrowed until the keeper is freed.
kept_frame* keeper_begin(keeper* k, const world* w, size_t place, json_t* json);
/// Ends it, and gives up frames if the budget is used up.
void keeper_end(keeper* k, kept_frame* f, frame_worth worth);
/// The place of the worst frame that is kept.
size_t keeper_worst(const keeper* k);
/// Writes all into the page. False if it cannot be written.
bool keeper_write(keeper* k, FILE* file);
void keeper_free(keeper* k);

/// Above 0: a is worse than b.
int worth_compare(const frame_worth* a, const frame_worth* b);

#endif
