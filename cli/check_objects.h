// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Describes the objects of abut check.
#ifndef CLI_CHECK_OBJECTS_H
#define CLI_CHECK_OBJECTS_H

#include "cli/object.h"

/// An entry of "objects" in the JSON. Warns of properties of the mesh that affect the answer. `known` is the info
/// of its mesh; NULL: it is inspected now. NULL after an error message.
json_t* object_describe(const object* o, const world* w, const question* ask,
                        const abut_mesh_info* known);

#endif
