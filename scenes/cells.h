// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Bodies of cubic cells: letters, and blocks that break. A body is a set of lattice cells; its
// surface consists of the cell sides without a neighbour.

#ifndef ABUT_SCENES_CELLS_H
#define ABUT_SCENES_CELLS_H

#include "scenes/scenes_internal.h"

/// A set of cells: the marked ones in a box of size[0] x size[1] x size[2].
typedef struct cell_body {
    uint32_t size[3];
    uint8_t* filled;  // x fastest; owned by the scene
} cell_body;

/// Allocates an empty set. False on failure.
bool scene__cells_alloc(scene* s, cell_body* body, uint32_t x, uint32_t y, uint32_t z);
uint32_t scene__cells_count(const cell_body* body);
/// Writes the middle of every cell, in the order of the set, relative to the middle of the box;
/// cells are `size` wide. `middles` has room for three numbers per cell.
void scene__cells_middles(const cell_body* body, double size, double* middles);
/// Makes the surface of the set relative to the middle of the box: closed, with two triangles per
/// free side. No two cells may share only an edge.
bool scene__cells_surface(scene* s, const cell_body* body, double size, scene_mesh* mesh);

#define LETTER_KINDS 10
/// Makes letter `kind` of the alphabet, one cell thick; its name is one character.
bool scene__letter(scene* s, uint32_t kind, cell_body* body);
const char* scene__letter_name(uint32_t kind);
/// Returns the number of letters that have about so many triangles; at least 1.
uint32_t scene__letters_for(uint32_t triangles);

#endif  // ABUT_SCENES_CELLS_H
