// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collects the findings of all frames, for the table and the summary.
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "cli/findings.h"

/// The findings of one frame.
typedef struct frame_record {
    uint32_t frame;
    uint64_t between;  ///< pairs of triangles
    uint64_t self;
    uint64_t swept;    ///< swept contacts since the frame before
    double distance;   ///< the least; infinite: none within the limit, or not requested
    uint64_t near;     ///< pairs of bodies at distance 0, or within the limit
    uint64_t regions;  ///< where bodies are inside each other
    double deepest;    ///< the largest finite depth of these
    bool undefined;    ///< bodies whose boxes overlap have no depth
    double jump;     ///< largest change of a region's separating translation since the frame before
    uint64_t begun;  ///< regions that continue none of the frame before
    bool contact;    ///< something counts as contact
    abut_counters work;
} frame_record;

/// Frames as runs of consecutive ones. Of too many runs the first are stored.
enum { MOST_RUNS = 9 };
typedef struct frame_runs {
    uint32_t from[MOST_RUNS];
    uint32_t to[MOST_RUNS];
    size_t count;
} frame_runs;

/// A relation of two objects, or of one with itself, over all frames. The findings are those of the
/// worst frame: the deepest; then the one with most pairs, with most swept contacts, with the least
/// distance; the first of equals.
typedef struct relation_record {
    uint32_t a;
    uint32_t b;
    relation now;  ///< in the worst frame
    uint32_t worst;
    uint32_t frames;  ///< number of frames
    frame_runs runs;  ///< the frames
} relation_record;

/// Other findings for two objects over all frames.
typedef struct pair_record {
    uint32_t a;
    uint32_t b;
    uint32_t undefined;  ///< frames in which depth was requested and is undefined
    char why_a[96];      ///< why a has no inside; empty if it has one
    char why_b[96];
    double distance;  ///< the least; NAN: not requested, or none within the limit
    uint32_t near;    ///< the first frame with that distance
    double point_a[3];
    double point_b[3];
} pair_record;

typedef struct history {
    frame_record* frames;
    size_t frame_count;
    size_t frame_room;
    relation_record* relations;  ///< ascending by a, then b, then kind
    size_t relation_count;
    size_t relation_room;
    pair_record* pairs;  ///< ascending by a, then b
    size_t pair_count;
    size_t pair_room;
    size_t frames_touching;
    frame_runs touching;
    const frame_names* names;  ///< of the frames
} history;

/// The last answers of the world, whose findings are `now`, as a record.
frame_record history_record(const world* w, const question* q, const findings* now, uint32_t frame,
                            const abut_counters* work);
/// The part of it that findings have: neither distances nor regions.
frame_record history_record_of(const findings* now, uint32_t frame);
/// Adds a frame: its record and its findings.
void history_add(history* h, const frame_record* record, const question* q, const findings* now);
void history_free(history* h);

/// Whether a relation is worse than another one, in the order above.
bool relation_is_worse(const relation* r, const relation* than);

/// The frame in which a separating translation changed most; NULL if no region continued.
const frame_record* history_jump(const history* h);
/// Prints it in a sentence, if there is one.
void print_jump(const history* h);

/// Adds a frame, which is later than all before it.
void runs_add(frame_runs* runs, uint32_t frame);
/// Frames as text, such as "3, 7-20, 31": at most `most` runs, below MOST_RUNS, then "...".
enum { RUNS_SIZE = 512 };
const char* runs_text(const frame_runs* runs, const frame_names* names, size_t most,
                      char text[RUNS_SIZE]);

#endif
