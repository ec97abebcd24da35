// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Loops over vertices that the other side of a row runs, as fast as a user could write them: one
// table for each instruction set. Beside them, the same loops as anyone would write them first, to
// prove that the rivals are no slower (plain.h).
#ifndef BENCH_RIVALS_H
#define BENCH_RIVALS_H

#include <stddef.h>
#include <stdint.h>

/// An influence on a vertex: 16 times its node, and its weight.
typedef struct rival_influence {
    uint32_t at;
    float weight;
} rival_influence;

/// Consecutive entries of rival_skin.vertices with the same number of influences.
typedef struct rival_run {
    uint32_t influences;
    uint32_t vertices;
} rival_run;

typedef struct rival_skin {
    const rival_run* runs;
    size_t run_count;
    const uint32_t* vertices;           ///< ids, in the order of the runs
    const rival_influence* influences;  ///< in the same order
    const float* rest;                  ///< packed, with a number to read beyond the last
    const float* transforms;            ///< three rows of four for each node
    size_t node_count;
    float* columns;  ///< room for 16 numbers for each node, aligned to 64 bytes
    float* out;      ///< packed
} rival_skin;

typedef struct rivals {
    const char* name;
    /// Blends the transforms of each vertex and applies them.
    void (*skin)(const rival_skin* s);
    /// Adds fields times coordinates to rest positions. `rows` has for every chunk of `chunk`
    /// numbers those of the rest positions, then those of each field. `chunks` is even.
    void (*deform)(const float* rows, const float* q, size_t fields, float* out, size_t chunks);
    size_t chunk;
    /// out = a + part (b - a)
    void (*lerp)(const float* a, const float* b, float part, float* out, size_t count);
    /// xyz += velocity
    void (*move)(float* xyz, const float* velocity, size_t count);
    /// The box of packed positions.
    void (*box)(const float* xyz, size_t vertices, float lo[3], float hi[3]);
    /// The sum of numbers, in any order: the cost of reading them.
    float (*sum)(const float* numbers, size_t count);
} rivals;

/// Returns the rivals of the instruction set in use (bench_isa()).
const rivals* rivals_chosen(void);

/// Weights and transforms as scenes have them.
typedef struct plain_skin {
    uint32_t vertex_count;
    const uint32_t* first;
    const uint32_t* nodes;
    const float* weights;
    const float* rest;
    const float* transforms;
    float* out;
} plain_skin;

/// A tree whose leaves are sets of vertices.
typedef struct plain_tree {
    uint32_t leaf_count;
    const uint32_t* leaf_first;  ///< of vertices
    const uint32_t* vertices;
    uint32_t node_count;         ///< parents come before their children
    const uint32_t* node_first;  ///< of children
    const uint32_t* children;    ///< below leaf_count: a leaf; otherwise leaf_count + node
} plain_tree;

typedef struct plain_loops {
    void (*skin)(const plain_skin* s);
    void (*deform)(const float* rest, const float* fields, const float* q, size_t field_count,
                   float* out, size_t count);
    void (*lerp)(const float* a, const float* b, float part, float* out, size_t count);
    void (*move)(float* xyz, const float* velocity, size_t count);
    void (*box)(const float* xyz, size_t vertices, float lo[3], float hi[3]);
    /// boxes: least and greatest corner of each leaf, then of each node
    void (*refit)(const plain_tree* tree, const float* xyz, float (*boxes)[6]);
} plain_loops;

/// Returns plain loops compiled for the instruction set in use, and those compiled for this
/// processor: NULL if the set in use is not its best.
const plain_loops* plain_loops_chosen(void);
const plain_loops* plain_loops_of_processor(void);

#endif
