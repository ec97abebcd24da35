// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Stores the frames that the report's page can draw: positions, boxes of the trees, and contacts.
//
// A page has a budget. When it is used up, whole frames are dropped: first those without contact,
// so that the remaining ones are spread evenly; then those with the least contact. A dropped frame
// is not drawn, and its contacts are not drawn on another frame; its findings are still listed.
#ifndef CLI_REPORT_KEEP_H
#define CLI_REPORT_KEEP_H

#include "cli/report_grid.h"
#include "cli/world.h"

/// How bad a frame is.
typedef struct frame_worth {
    bool contact;
    double depth;     ///< the deepest region
    uint64_t count;   ///< of pairs of triangles, swept contacts and regions
    double distance;  ///< the least
} frame_worth;

/// A growing array of numbers.
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
enum { KEPT_CLOUDS = 4 };

/// A stored frame. The caller of keeper_begin() fills in the contacts.
typedef struct kept_frame {
    size_t place;  ///< in the list of frames
    frame_worth worth;
    json_t* json;  ///< the frame in that list
    page_state** states;
    uint32_t state_count;
    ids box_counts;     ///< by body, then level
    ids triangles;      ///< of pairs: of each two bodies first all of a, then all of b
    ids swept;          ///< per swept contact: triangle of a, triangle of b, time (2^32 - 1 is 1)
    numbers boxes;      ///< six each
    numbers segments;   ///< six each
    numbers waypoints;  ///< three each: points of swept contacts
    numbers corners;    ///< three each: points of contours
    ids contours;       ///< five each: a, b, both ends (16 bits each), points, length (a float)
    ids traced;         ///< per segment of a contour: triangle of a, triangle of b
    cloud clouds[KEPT_CLOUDS];  ///< boxes, segments, waypoints and corners, after keeper_end()
    size_t bytes;
} kept_frame;

enum { BOX_LEVELS = 5 };

typedef struct keeper {
    size_t budget;  ///< bytes
    size_t bytes;   ///< used so far
    kept_frame** frames;
    size_t count;
    size_t room;
    page_state** last;  ///< of the bodies in the last frame, also if it was dropped
    uint32_t body_count;
    bool has_origin;
    double origin[3];
    // while writing
    size_t mesh_count;
    size_t chunk_count;
    json_t* meshes;
    json_t* chunks;
} keeper;

/// The largest number of pairs that can be drawn of a frame.
size_t keeper_most_pairs(const keeper* k);
/// Begins a frame with the state of a world. `json` is borrowed until the keeper is freed.
kept_frame* keeper_begin(keeper* k, const world* w, size_t place, json_t* json);
/// Ends a frame, and drops frames if the budget is used up.
void keeper_end(keeper* k, kept_frame* f, frame_worth worth);
/// The stored frame of a place; NULL if it was dropped.
const kept_frame* keeper_frame(const keeper* k, size_t place);
/// The positions of a body, as the page has them, and its corners. The caller frees the positions.
double* kept_positions(const kept_frame* f, uint32_t body, size_t* vertex_count);
const uint32_t* kept_corners(const kept_frame* f, uint32_t body, size_t* corner_count);
/// The place of the worst stored frame.
size_t keeper_worst(const keeper* k);
/// Gives all stored frames to a page. False if it cannot take them.
bool keeper_write(keeper* k, const part_sink* to);
/// Gives the newest frame to a page, and forgets all frames. Meshes that the page has are not given again. Returns what
/// the page needs to read them: {"chunk", "meshes"}; NULL if it cannot take them.
json_t* keeper_give(keeper* k, const part_sink* to);
void keeper_free(keeper* k);

/// Above 0: a is worse than b.
int worth_compare(const frame_worth* a, const frame_worth* b);

#endif
