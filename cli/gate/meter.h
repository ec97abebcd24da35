// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measures the contact of a frame: of what kind it is, and how severe, in the units of the scene.
//
// The severity of contact that cuts through, or of a body inside another, is the penetration depth if
// both surfaces are closed: the length of the shortest translation that separates the deepest region.
// Otherwise it is how far the surfaces reach beyond each other (extent.h); of an open body inside
// a closed one, how far it is from the surface at most. Contact that only touches has severity 0.
//
// A measure depends on the frame alone, so that frames can be checked in any order and in parts.
#ifndef CLI_GATE_METER_H
#define CLI_GATE_METER_H

#include "cli/object.h"

/// From the least bad to the worst.
typedef enum contact_kind {
    KIND_NEAR = 0,  ///< within the margin or the distance, without contact
    KIND_TOUCHES,   ///< only touches
    KIND_BETWEEN,   ///< between the frame before and this one, and not in it
    KIND_INSIDE,    ///< wholly inside, without contact of the surfaces
    KIND_CUTS,      ///< cuts through
    KINDS
} contact_kind;
/// Such as "cuts".
const char* contact_kind_name(contact_kind kind);
/// The same for people, such as "cuts through".
const char* contact_kind_text(contact_kind kind);

/// The contact of two bodies, or of one with itself, in a frame.
typedef struct measure {
    uint32_t a;
    uint32_t b;
    contact_kind kind;
    double depth;     ///< the severity
    bool is_extent;   ///< it is how far open surfaces reach beyond each other
    double distance;  ///< of KIND_NEAR; otherwise 0
    size_t pairs;     ///< of triangles
    size_t swept;     ///< contacts between the frame before and this one
    double place[3];  ///< where it is worst
    double start;  ///< when it begins and ends in the step to this frame, relative to it: -1 to 0
    double stop;
    bool continuous;  ///< these times are those of the continuous motion (spans.h)
} measure;

typedef struct meter meter;
/// `objects` are those of the world; borrowed.
meter* meter_open(world* w, const object_list* objects);
/// `m` may be NULL.
void meter_close(meter* m);

/// Measures the last answers of the world. The queries must include those for pairs. False after an
/// error message.
bool meter_ask(meter* m, const question* q, size_t frame, abut_counters* work);
/// The measures of the last frame, ascending by a, then b.
const measure* meter_list(const meter* m, size_t* count);

#endif
