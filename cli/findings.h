// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What one frame found, by pair of bodies, whichever question found it; and the verdict about all
// frames. The table, the files, the page and the exit code take both from here, so that they agree.
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "cli/world.h"

typedef enum finding_inside {
    INSIDE_NONE = 0,
    INSIDE_A_IN_B,  ///< a is wholly inside b; no surfaces touch
    INSIDE_B_IN_A,
} finding_inside;

/// Two bodies, or one with itself. Pointers are valid until the world is asked again.
typedef struct finding {
    uint32_t a;
    uint32_t b;                  ///< b >= a; b == a: within one body
    size_t pairs;                ///< touching pairs of triangles, or pairs within the margin
    size_t region_pairs;         ///< touching pairs of regions, where no other question finds them
    size_t swept;                ///< contacts on the way from the frame before to this one
    double first;                ///< the earliest time of those, from 0 to 1; NAN if there is none
    double distance;             ///< NAN where it is not known
    const abut_gap* gap;         ///< of that distance; its body_a may be b. NULL if there is none
    size_t regions;              ///< where they are inside each other
    double depth;                ///< the deepest of them; NAN: there is none; INFINITY: folds alone
    const abut_region* deepest;  ///< the region of that depth
    bool depth_undefined;        ///< depth was asked for, and a body has no inside
    const char* why_a;           ///< then: why a has none, to follow its name; NULL if it has one
    const char* why_b;
    finding_inside inside;
    bool partly;   ///< only some components of it are
    bool contact;  ///< counts as contact, for the verdict and the exit code
} finding;

/// The findings of a frame, ascending by a, then b. Start with all zero.
typedef struct findings {
    finding* list;
    size_t count;
    size_t room;
    bool contact;   ///< any of them counts as contact
    bool touching;  ///< one that counts is more than near
} findings;

/// How two bodies are to each other in a frame. There may be several at once: one body touched the
/// other on the way and is inside it now, or it is inside and within the margin of its surface.
typedef enum relation_kind {
    RELATION_TOUCHES = 0,
    RELATION_NEAR,  ///< within the margin or the distance; with a margin they may touch, too
    RELATION_A_IN_B,
    RELATION_A_PARTLY_IN_B,
    RELATION_B_IN_A,
    RELATION_B_PARTLY_IN_A,
} relation_kind;
enum { MOST_RELATIONS = 3 };
#define NO_COUNT SIZE_MAX  ///< does not belong to the relation

typedef struct relation {
    relation_kind kind;
    bool counts;     ///< as contact
    size_t pairs;    ///< NO_COUNT: not known
    size_t swept;    ///< the same
    double first;    ///< the earliest time of those, NAN if there is none
    size_t regions;  ///< NO_COUNT: others have them
    double depth;    ///< NAN: there is no region; INFINITY: folds alone
    bool undefined;  ///< depth is
    double way[3];   ///< out of the deepest region, for the first of the two: for b if that is in a
    double distance;  ///< NAN where it is not known
} relation;

/// All relations of a finding, ascending by kind; returns how many.
size_t finding_relations(const finding* f, const question* q, relation list[MOST_RELATIONS]);

/// Takes the last answers of the world. Bodies of which nothing is known are left out.
void findings_take(findings* f, world* w, const question* q);
void findings_free(findings* f);
/// That of two bodies, a <= b; NULL if there is none.
const finding* findings_of(const findings* f, uint32_t a, uint32_t b);
/// Why depth is undefined, such as "depth is undefined: sheet.obj is open (4 boundary edges)"; empty if it is
/// not. `names` are those of the bodies, as they are shown.
enum { REASON_SIZE = 768 };
const char* finding_reason(const finding* f, const char* const* names, char text[REASON_SIZE]);

/// What all frames come to. Start with all zero.
typedef struct verdict {
    size_t frames;
    size_t touching;  ///< frames in which something counts as contact
    size_t near;      ///< of those, frames in which nothing is known to be more than near
    inside_entry*
        insides;  ///< all that were inside others without contact, ascending by inner, outer
    size_t inside_count;
} verdict;

void verdict_add(verdict* v, const findings* f);
void verdict_free(verdict* v);
/// Whether something was found: decides the exit code.
bool verdict_found(const verdict* v);
/// The verdict without a full stop, such as "Contact", "Nothing touches between the objects" or
/// "No surfaces touch; ball.obj is inside box.obj"; of several frames "Contact in 3 of 10 frames".
/// `names` are those of the bodies, as they are shown.
enum { VERDICT_SIZE = 768 };
const char* verdict_text(const verdict* v, const question* q, const char* const* names,
                         char text[VERDICT_SIZE]);

/// The last answers of a world as a frame of the JSON output; `lists` adds the pairs, and `work` (may be
/// NULL) what it took.
json_t* world_frame_json(const world* w, const question* q, const findings* now, uint32_t frame,
                         double time, const abut_counters* work, bool lists);

#endif
