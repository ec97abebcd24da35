// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What was found over the frames: for the table, the summary and the exit code.
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "cli/findings.h"

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
    bool contact;      ///< something counts as contact
    abut_counters work;
} frame_record;

/// Two objects, or one with itself, over all frames. What was found is that of the worst frame: the
/// deepest one, then that with most pairs, most contacts on the way, the least distance; the first of equals.
typedef struct contact_record {
    uint32_t a;
    uint32_t b;
    uint32_t frames;  ///< in how many it counts as contact; 0: in none, and there is no worst one
    uint32_t worst;
    uint64_t pairs;
    uint64_t swept;  ///< on the way from the frame before
    double first;    ///< the earliest time of those; NAN if there is none
    uint64_t regions;
    double depth;  ///< NAN: there is no region; INFINITY: folds alone
    double direction[3];
    finding_inside inside;  ///< in the worst frame
    bool partly;
    uint32_t frames_inside;       ///< in how many one was inside the other, and no surfaces touched
    finding_inside inside_which;  ///< in the first of those
    bool inside_partly;
    char why_a[96];  ///< a has no inside, and so depth is undefined; empty if it has one
    char why_b[96];
    double distance;  ///< the least; NAN: not asked for, or none within the limit
    uint32_t near;    ///< the first such frame
    double point_a[3];
    double point_b[3];
} contact_record;

typedef struct history {
    frame_record* frames;
    size_t frame_count;
    size_t frame_room;
    contact_record* contacts;  ///< ascending by a, then b
    size_t contact_count;
    size_t contact_room;
    size_t frames_touching;
    const frame_names* names;  ///< of the frames
} history;

/// Adds the last answers of the world, and what they come to.
void history_add(history* h, const world* w, const question* q, const findings* now, uint32_t frame,
                 const abut_counters* work);
void history_free(history* h);

/// Whether a contact is worse than another one, in the sense above.
bool contact_is_worse(const contact_record* c, const contact_record* than);

/// The frame in which the way out of a region changed most; NULL: none went on.
const frame_record* history_jump(const history* h);
/// Says so in a sentence, if there is one.
void print_jump(const history* h);

/// The frames that touch as text, such as "3, 7-20, 31": at most `ranges` of them, then "...".
enum { RANGES_SIZE = 512 };
const char* history_ranges(const history* h, size_t ranges, char text[RANGES_SIZE]);

#endif
