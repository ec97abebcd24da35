// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The findings of one frame, by pair of bodies, merged over all queries; and the verdict on all
// frames. The table, the files, the page and the exit code take both from here, so that they agree.
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "cli/world.h"

typedef enum finding_inside {
    INSIDE_NONE = 0,
    INSIDE_A_IN_B,  ///< a is wholly inside b; no surfaces touch
    INSIDE_B_IN_A,
} finding_inside;

/// The findings for two bodies, or for one with itself. Pointers are valid until the next query.
typedef struct finding {
    uint32_t a;
    uint32_t b;           ///< b >= a; b == a: within one body
    size_t pairs;         ///< touching pairs of triangles, or pairs within the margin
    size_t region_pairs;  ///< touching pairs of regions, if no other query finds them
    size_t swept;         ///< swept contacts between the frame before and this one
    double first;         ///< the earliest time of these, from 0 to 1; NAN if there is none
    size_t features;      ///< pairs of features within the distance
    double distance;      ///< NAN if it is not known
    const abut_distance_pair* gap;  ///< of that distance. NULL if there is none
    bool gap_turned;                ///< its body_a is b
    size_t regions;                 ///< where they are inside each other
    double depth;                   ///< of the deepest region; NAN: no region; INFINITY: folds only
    const abut_region* deepest;     ///< the region of that depth
    bool depth_undefined;           ///< depth was requested, and a body has no inside
    const char* why_a;              ///< why a has no inside, to follow its name; NULL if it has one
    const char* why_b;
    finding_inside inside;
    bool partly;   ///< only some components of it are inside
    bool contact;  ///< counts as contact, for the verdict and the exit code
} finding;

/// The findings of a frame, ascending by a, then b. Start zeroed.
typedef struct findings {
    finding* list;
    size_t count;
    size_t room;
    bool contact;                 ///< one of them counts as contact
    bool touching;                ///< one of them counts and is more than near
    size_t aside[ASIDE_REASONS];  ///< findings that do not count, by reason
    size_t missing;               ///< rules of --expect without contact
} findings;

/// The relation of two bodies in a frame. There may be several at once: one body touched the other
/// during the step and is inside it now, or it is inside and within the margin of its surface.
typedef enum relation_kind {
    RELATION_TOUCHES = 0,
    RELATION_NEAR,  ///< within the margin or the distance; with a margin they may touch, too
    RELATION_A_IN_B,
    RELATION_A_PARTLY_IN_B,
    RELATION_B_IN_A,
    RELATION_B_PARTLY_IN_A,
} relation_kind;
enum { MOST_RELATIONS = 3 };
#define NO_COUNT SIZE_MAX  ///< the count does not apply to the relation

typedef struct relation {
    relation_kind kind;
    bool counts;          ///< counts as contact
    size_t pairs;         ///< NO_COUNT: not known
    size_t swept;         ///< NO_COUNT: not known
    double first;         ///< the earliest time of these, NAN if there is none
    size_t features;      ///< NO_COUNT: not known
    size_t regions;       ///< NO_COUNT: another relation has them
    double depth;         ///< NAN: no region; INFINITY: folds only
    bool undefined;       ///< depth is undefined
    double direction[3];  ///< separates the first of the two, or the inner body
    double distance;      ///< NAN if it is not known
} relation;

/// Lists all relations of a finding, ascending by kind; returns their number.
size_t finding_relations(const finding* f, const question* q, relation list[MOST_RELATIONS]);

/// Takes the last answers of the world. Bodies without findings are left out.
void findings_take(findings* f, world* w, const question* q);
/// Decides which findings of a list count, and counts what is put aside. findings_take() has done so.
void findings_judge(findings* f, const question* q, const world_aside* aside);
void findings_free(findings* f);
/// The finding for two bodies, a <= b; NULL if there is none.
const finding* findings_of(const findings* f, uint32_t a, uint32_t b);
/// Says why depth is undefined, such as "depth is undefined: sheet.obj is open (4 boundary edges)";
/// empty if it is defined. `names` are the labels of the bodies.
enum { REASON_SIZE = 768 };
const char* finding_reason(const finding* f, const char* const* names, char text[REASON_SIZE]);

/// The verdict on all frames. Start zeroed.
typedef struct verdict {
    size_t frames;
    size_t touching;              ///< frames in which something counts as contact
    size_t near;                  ///< of these, frames in which nothing is more than near
    size_t missing;               ///< frames in which expected contact is missing
    size_t aside[ASIDE_REASONS];  ///< findings that do not count, by reason
    inside_entry*
        insides;  ///< bodies inside others without contact, ascending by inner, then outer
    size_t inside_count;
} verdict;

void verdict_add(verdict* v, const findings* f);
void verdict_free(verdict* v);
/// Whether something was found; this decides the exit code.
bool verdict_found(const verdict* v);
/// The verdict without a full stop, such as "Contact", "Nothing touches between the objects" or
/// "No surfaces touch; ball.obj is inside box.obj"; of several frames "Contact in 3 of 10 frames". What
/// rules put aside is counted at the end: "Contact; 12 ignored".
/// `names` are the labels of the bodies.
enum { VERDICT_SIZE = 1024 };
const char* verdict_text(const verdict* v, const question* q, const char* const* names,
                         char text[VERDICT_SIZE]);
/// Its two parts: what was found, and "; expected contact is missing; 12 ignored, 3 known".
const char* verdict_contact_text(const verdict* v, const question* q, const char* const* names,
                                 char text[VERDICT_SIZE]);
enum { VERDICT_RULES_SIZE = 256 };
const char* verdict_rules_text(const verdict* v, char text[VERDICT_RULES_SIZE]);

/// The last answers of a world as a frame of the JSON output; `lists` adds the pairs, and `work`
/// (may be NULL) the counters.
json_t* world_frame_json(const world* w, const question* q, const findings* now, uint32_t frame,
                         double time, const abut_counters* work, bool lists);

#endif
