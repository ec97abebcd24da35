// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Data that the files that make certificates share: certify_make.c has the order of the work,
// certify.c makes those of blocks and pairs of blocks, certify_near.c finds the pairs,
// certify_nodes.c makes those of nodes.
#ifndef ABUT_BOUND_CERTIFY_H
#define ABUT_BOUND_CERTIFY_H

#include "bound/certificate.h"
#include "bound/separation.h"

// Memory of one worker for the certificate of one or two blocks.
typedef struct abut__certifier_memory {
    abut__separation separation;
    abut__cluster_row* rows;
    abut__cluster_pair* pairs;
    double (*displacement)[3];  // per vertex of a block, and field
    float* sketch;
} abut__certifier_memory;

// What is done, one after the other.
typedef enum abut__certify_phase {
    ABUT__CERTIFY_START,
    ABUT__CERTIFY_LIST,
    ABUT__CERTIFY_RESERVE,
    ABUT__CERTIFY_BLOCKS,
    ABUT__CERTIFY_FIT,
    ABUT__CERTIFY_NEAR,
    ABUT__CERTIFY_LAY_OUT,
    ABUT__CERTIFY_PAIRS,
    ABUT__CERTIFY_NODES,
    ABUT__CERTIFY_NODE_PAIRS,
    ABUT__CERTIFY_GROUP,
    ABUT__CERTIFY_END,
} abut__certify_phase;

struct abut__certifier {
    abut__certificates* made;
    abut__certified_parts from;
    abut__certify_phase phase;
    uint32_t next;                 // the next block, pair or node of the phase
    uint64_t spent;                // units of work in this slice
    struct abut__node_work* work;  // of certify_nodes.c; NULL: not begun
    const abut__tree* tree;
    const abut__links* links;
    abut__units units;
    uint32_t* list;  // lists of fields of nodes and blocks, as in made->fields
    size_t list_count;
    uint32_t parts;           // nodes and blocks
    abut__cluster* clusters;  // of nodes, then of blocks
    abut__cluster_row* rows;
    size_t row_count;
    abut__cluster_pair* pairs;
    size_t pair_count;
    abut__sketch* sketches;  // of nodes, of blocks, and of blocks' subsets, ABUT__SUBSETS each
    float* sketch_rows;
    size_t sketch_floats;
    double* reach;  // per cluster: the greatest distance at which its blocks count others as near
    abut__lane_order* orders;
    abut__certifier_memory* memories;  // one per worker
    uint32_t memory_count;
    ABUT__VECTOR(uint64_t) near;  // lower block << 32 | upper block, in the order of made->pairs
    uint32_t near_most;
    ABUT__VECTOR(uint64_t) near_nodes;  // lower node << 32 | upper node, ascending
    uint32_t near_nodes_most;
    bool out_of_memory;
    bool sample;  // only certificates of a sample are made
};

static inline uint32_t abut__part_of(const abut__certifier* m, abut__ref ref) {
    return abut__is_block(ref) ? m->tree->node_count + abut__block_of(ref) : ref;
}
static inline const abut__sketch* abut__subsets_of(const abut__certifier* m, uint32_t block) {
    return m->sketches + m->parts + (size_t)ABUT__SUBSETS * block;
}

// Returns whether to open the first of two: the larger one that is a node.
static inline bool abut__opens_first(const abut__certifier* m, abut__ref a, abut__ref b) {
    return !abut__is_block(a) &&
           (abut__is_block(b) || m->clusters[abut__part_of(m, a)].place.radius >=
                                     m->clusters[abut__part_of(m, b)].place.radius);
}

// Sums up the parts of a cluster that was started, and fits its maps.
void abut__certify_sum(abut__cluster* whole, const abut__cluster* const* parts, uint32_t count);
// Returns a copy of a cluster with maps that suit a certificate rather than a sketch. `rows` is
// memory for its fields, or the cluster's own rows; sketch_rows receives the maps in the layout of
// kernels.
abut__cluster abut__certify_aim(const abut__cluster* cluster, abut__cluster_row* rows,
                                float* sketch_rows);
// Writes the rows of a certificate.
void abut__certificate_put(const abut__certifier* m, const abut__cluster* cluster,
                           const abut__limits* limits, abut__certificate* out);

// Makes limits good enough for a pair whose parts have these certificates: it need not hold where
// neither of them does.
void abut__certify_content(const abut__certifier* m, const abut__cluster* cluster,
                           const abut__certificate* const parts[2], abut__limits* limits);

// Whether blocks under two nodes or blocks may be so near that the pair gets a certificate.
bool abut__certify_may_be_near(const abut__certifier* m, abut__ref a, abut__ref b);
// Fills m->near with the linked pairs and then the other near pairs, sorted. False: no memory.
bool abut__certify_near(abut__certifier* m);
// Fills m->near_nodes with the pairs of near nodes of equal depth, which are those that a descent
// comes to at rest. False: no memory.
bool abut__certify_near_nodes(abut__certifier* m);
// Makes the clusters and sketches of nodes from those of blocks.
void abut__certify_fit_nodes(const abut__certifier* m);

// ---- certify.c
// Whether a block is made: all are, or those of a sample.
bool abut__certify_is_made(const abut__certifier* m, uint32_t block);
// Make the certificates of blocks first .. end - 1, or of pairs of them, in tasks.
void abut__certify_blocks(const abut__certifier* m, uint32_t first, uint32_t end);
void abut__certify_pairs(const abut__certifier* m, uint32_t first, uint32_t end);
// Whether there are more nodes of the body in a list of fields than a certificate has rows for.
bool abut__certify_is_wide(const abut__certifier* m, const uint32_t* fields, uint32_t count);
// Assign rows to a certificate, and to all of near pairs of blocks or nodes. False: no memory.
void abut__certificate_place(abut__certificates* made, abut__certificate* out);
bool abut__certify_lay_out_pairs(const abut__certifier* m);
bool abut__certify_lay_out_node_pairs(const abut__certifier* m);

// ---- certify_nodes.c
// Allocates memory for the following two, once all certificates of blocks and their pairs are made.
// False: there is none.
bool abut__certify_begin_nodes(abut__certifier* m);
// Make the certificates of nodes, and then those of pairs of nodes, until the slice has spent its
// units. At the end they start the next phase.
void abut__certify_nodes(abut__certifier* m, uint64_t limit);
void abut__certify_node_pairs(abut__certifier* m, uint64_t limit);
void abut__certify_end_nodes(abut__certifier* m);

#endif
