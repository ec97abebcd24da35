// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What was found over the frames: for the table, the summary and the exit code.
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "cli/world.h"

/// One frame.
typedef struct frame_record {
    uint32_t frame;
    uint64_t between;  ///< pairs of triangles
    uint64_t self;
    uint64_t swept;    ///< contacts on the way from the frame before
    double distance;   ///< the least; infinite: none within the limit, or not asked for
    uint64_t near;     ///< pairs of bodies at distance 0, or within the limit
    uint64_t regions;  ///< where bodies are inside each other
    double deepest;    ///< of them
    double jump;       ///< the most that the way out of one changed since the frame before
    uint64_t begun;    ///< of the regions, those that go on from none of the frame before
    abut_counters work;
} frame_record;

/// One pair of objects, or one object with itself, that touched in some frame.
typedef struct contact_record {
    uint32_t a;
    uint32_t b;
    uint32_t frames;      ///< in how many
    uint64_t most;        ///< most pairs in one frame
    uint32_t most_frame;  ///< the first such frame
} contact_record;

/// Two objects, and when they were closest.
typedef struct near_record {
    uint32_t a;
    uint32_t b;
    double distance;
    uint32_t frame;  ///< the first such frame
} near_record;

typedef struct history {
    frame_record* frames;
    size_t frame_count;
    size_t frame_room;
    contact_record* contacts;  ///< ascending by a, then b
    size_t contact_count;
    size_t contact_room;
    near_record* near;  ///< ascending by a, then b
    size_t near_count;
    size_t near_room;
    size_t frames_touching;
    const frame_names* names;  ///< of the frames
} history;

/// Adds the last answers of the world.
void history_add(history* h, const world* w, const question* q, uint32_t frame,
                 const abut_counters* work);
void history_free(history* h);

/// The frame in which the way out of a region changed most; NULL: none went on.
const frame_record* history_jump(const history* h);
/// Says so in a sentence, if there is one.
void print_jump(const history* h);

/// The frames that touch as text, such as "3, 7-20, 31": at most `ranges` of them, then "...".
enum { RANGES_SIZE = 512 };
const char* history_ranges(const history* h, size_t ranges, char text[RANGES_SIZE]);

#endif
