// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Follows patches over time. A patch continues the one of the frame before with which it shares most
// triangles; of two that continue the same one, that which shares more does. Patches without triangles
// continue each other.
#ifndef CLI_GATE_TRACKS_H
#define CLI_GATE_TRACKS_H

#include "cli/gate/patch.h"

/// A patch over consecutive frames.
typedef struct track {
    uint32_t first;
    uint32_t last;
    uint32_t worst;     ///< the deepest; of equals that with most pairs, the first
    contact_kind kind;  ///< the worst of its frames
    size_t most_pairs;  ///< of its frames
    patch now;          ///< in the worst frame; its keys are gone
} track;

/// Start zeroed.
typedef struct tracks {
    track* list;
    size_t count;
    size_t room;
    patches before;  ///< of the last frame
    size_t* track_of;
    uint32_t frame;  ///< the last frame
} tracks;

/// Adds the patches of a frame, which are ascending by a, then b.
void tracks_add(tracks* t, const patches* now, uint32_t frame);
void tracks_free(tracks* t);
/// The tracks of two bodies that begin in frames `first` to `last`, the worst first; NULL if there are
/// none. The caller frees the list.
const track** tracks_of(const tracks* t, uint32_t a, uint32_t b, uint32_t first, uint32_t last,
                        size_t* count);

#endif
