// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trees as the paper has them: binary, one sphere for each triangle at the bottom. The library's own
// builder decides which triangles go together. Wrapped spheres hold the vertices under them; layered
// ones hold the spheres below them.
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

/// The vertices of a node, each once, in tree->ids.
uint32_t paper_tree_vertices(paper_tree* tree, uint32_t node);
/// The wrapped sphere of a node: rest state, then every field. `count` vertices in tree->ids.
void paper_wrap(paper_tree* tree, uint32_t count, abut__centre_rule rule, abut__ball* rows);
/// Those of all nodes, 1 + fields balls each.
abut__ball* paper_wrap_all(paper_tree* tree, abut__centre_rule rule);
/// Such a sphere for these coordinates.
abut__ball paper_update(const abut__ball* rows, uint32_t fields, const double* q);

/// All vertices for these coordinates.
void paper_deform(const scene_body* body, const double* q, double* xyz);
/// The layered spheres of all nodes, from the bottom up.
void paper_layer(const paper_tree* tree, const double* xyz, abut__ball* spheres);
/// The best ball around the vertices in tree->ids.
abut__ball paper_best(paper_tree* tree, uint32_t count, const double* xyz);

/// Every so many nodes of a level are looked at, so that they are about `most`.
uint32_t paper_stride(const paper_tree* tree, uint32_t level, uint32_t most);

/// A scene, or the end of the process.
scene* paper_scene(const char* name, uint32_t triangles, uint32_t frames, uint32_t seed,
                   uint32_t fields);
scene* paper_scene_with(const char* name, const scene_options* wishes);

#endif
