// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trees as in the paper: binary, with one sphere per triangle at the bottom. The library's own
// builder groups the triangles. Wrapped spheres contain the vertices under them; layered ones
// contain the spheres below them.
#ifndef BENCH_PAPER_TREE_H
#define BENCH_PAPER_TREE_H

#include "bound/ball.h"
#include "scenes/scenes.h"

#define PAPER_NONE UINT32_MAX

typedef struct paper_node {
    uint32_t child[2];  // PAPER_NONE: one triangle
    uint32_t level;     // 0 for the root
    uint32_t first;     // triangles in `order`
    uint32_t count;
} paper_node;

typedef struct paper_tree {
    const scene_body* body;
    paper_node* nodes;  // level by level
    uint32_t node_count;
    uint32_t level_count;
    uint32_t* order;  // triangles
    uint32_t* seen;   // scratch, per vertex
    uint32_t set;
    uint32_t* ids;      // scratch: vertices of a node
    abut__ball* items;  // scratch
} paper_tree;

paper_tree* paper_tree_make(const scene_body* body);
void paper_tree_free(paper_tree* tree);

/// Lists the vertices of a node, each once, in tree->ids; returns their number.
uint32_t paper_tree_vertices(paper_tree* tree, uint32_t node);
/// Computes the wrapped sphere of a node: rest state, then every field, of `count` vertices in
/// tree->ids.
void paper_wrap(paper_tree* tree, uint32_t count, abut__centre_rule rule, abut__ball* rows);
/// Computes those of all nodes, 1 + fields balls each.
abut__ball* paper_wrap_all(paper_tree* tree, abut__centre_rule rule);
/// Evaluates such a sphere for these coordinates.
abut__ball paper_update(const abut__ball* rows, uint32_t fields, const double* q);

/// Computes all vertices for these coordinates.
void paper_deform(const scene_body* body, const double* q, double* xyz);
/// Computes the layered spheres of all nodes, bottom-up.
void paper_layer(const paper_tree* tree, const double* xyz, abut__ball* spheres);
/// Returns the best ball around the vertices in tree->ids.
abut__ball paper_best(paper_tree* tree, uint32_t count, const double* xyz);

/// Returns the stride that selects about `most` nodes of a level.
uint32_t paper_stride(const paper_tree* tree, uint32_t level, uint32_t most);

/// Makes a scene, or ends the process.
scene* paper_scene(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed,
                   uint32_t fields);
scene* paper_scene_with(const char* name, const scene_options* wishes);

#endif
