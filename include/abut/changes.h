// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Changes: which pairs of triangles and bodies began to touch, went on or ended since the last
// update.
#ifndef ABUT_CHANGES_H
#define ABUT_CHANGES_H

#include "collide.h"

ABUT_EXTERN_C_BEGIN

/// Remembers the pairs of the last update. One call at a time.
typedef struct abut_changes abut_changes;
/// Creates an object that remembers no pairs.
ABUT_API abut_status abut_changes_create(abut_context* context, abut_changes** changes,
                                         abut_error* error);
/// Destroys it; NULL is fine.
ABUT_API void abut_changes_destroy(abut_changes* changes);
/// Compares the pairs of `result` with those of the last call and remembers them. The result should
/// be complete: pairs that it lacks because of a budget, `any` or a callback count as ended. A body
/// is known by its index.
ABUT_API abut_status abut_changes_update(abut_changes* changes, const abut_collide_result* result,
                                         abut_error* error);
/// What became of a pair.
typedef enum abut_change {
    ABUT_CHANGE_BEGUN = 0,  ///< not in the last update, but in this one
    ABUT_CHANGE_CONTINUED,  ///< in both
    ABUT_CHANGE_ENDED,      ///< in the last update only
} abut_change;
/// Returns the triangle pairs that began, went on or ended with the last update, sorted. NULL if
/// there are none. They stay valid until the next update; `count` may be NULL.
ABUT_API const abut_pair* abut_changes_pairs(const abut_changes* changes, abut_change change,
                                             size_t* count);
/// Returns the same for pairs of bodies (a pair of bodies touches while any of its triangles do);
/// the triangle fields are 0.
ABUT_API const abut_pair* abut_changes_body_pairs(const abut_changes* changes, abut_change change,
                                                  size_t* count);

ABUT_EXTERN_C_END

#endif
