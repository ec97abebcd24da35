// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Patches: contact of two bodies, or of one with itself, in one connected place of a frame. Pairs of
// triangles that share a triangle are of one patch.
#ifndef CLI_GATE_PATCH_H
#define CLI_GATE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

typedef struct patch {
    uint32_t a;
    uint32_t b;
    contact_kind kind;
    double depth;      ///< the severity: see meter.h
    bool is_extent;    ///< it is how far open surfaces reach beyond each other
    double size;       ///< the diagonal of the box of what the surfaces share
    double place[3];   ///< the middle of that box
    size_t pairs;      ///< of triangles; 0 if it has none, as between frames
    size_t triangles;  ///< of both bodies, in these pairs
    uint32_t pair[2];  ///< its first pair; UINT32_MAX: it has none
    size_t first_key;  ///< its triangles, in patches.keys, ascending
    size_t key_count;
} patch;

/// The patches of a frame. Start zeroed.
typedef struct patches {
    patch* list;
    size_t count;
    size_t room;
    uint64_t* keys;  ///< bodies and triangles
    size_t key_count;
    size_t key_room;
} patches;

/// Empties the list, and keeps its memory.
void patches_clear(patches* p);
void patches_free(patches* p);
/// Appends a patch without triangles; valid until the next one.
patch* patches_add(patches* p, uint32_t a, uint32_t b);
/// Adds a pair of triangles to the last patch.
void patches_add_pair(patches* p, uint32_t triangle_a, uint32_t triangle_b);
/// Ends the last patch, when it has all pairs.
void patches_end(patches* p);

#endif
