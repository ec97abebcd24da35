// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Meshes with triangles and vertices added and triangles removed.
#ifndef ABUT_MESH_MESH_EDIT_H
#define ABUT_MESH_MESH_EDIT_H

#include "abut/shape.h"
#include "mesh/mesh.h"

// Makes a mesh with triangles removed and added. `first_added` receives the id of the first added
// triangle. New vertices join the classes of the mesh, or, if motions will split them again
// (`part_anew`), the classes by rest position.
abut_status abut__mesh_edit(const abut_mesh* mesh, const abut_shape_edit_def* edit, bool part_anew,
                            abut_mesh** edited, uint32_t* first_added, abut_error* error);

#endif
