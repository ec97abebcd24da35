// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Says by what triangles, connected components and whole bodies are known again in another run: by
// their corners at rest, not by their numbers. So the order of triangles and the names of files do not
// matter. Instances of one mesh in a model have the same corners; the names of their nodes tell them
// apart.
#ifndef CLI_GATE_IDENTITY_H
#define CLI_GATE_IDENTITY_H

#include <abut/abut.h>

/// What a finding is about; part of its key.
typedef enum finding_kind {
    FINDING_CONTACT = 0,
    FINDING_INSIDE,
    FINDING_NEAR,
    FINDING_KINDS
} finding_kind;

/// A body. Keys are never 0. Start zeroed.
typedef struct identity {
    uint64_t* keys;     ///< of the triangles; 0: removed
    uint64_t whole;     ///< of the body
    uint32_t* part_of;  ///< by triangle: its connected component; NULL if not wanted
    abut_box* boxes;    ///< of the components at rest, then that of the whole body
    uint32_t part_count;
    bool valid;
} identity;

/// Computes an identity; `node` is the name of the node, or empty. `parts` asks for components.
void identity_take(identity* id, const abut_mesh* mesh, const char* node, bool parts);
void identity_free(identity* id);

/// The key of a component by its box and its node.
uint64_t box_key(const abut_box* box, const char* node);
/// The key of a text.
uint64_t text_key(const char* text);
/// The key of a finding about two things with these keys, in any order.
uint64_t pair_key(finding_kind kind, uint64_t x, uint64_t y);

#endif
