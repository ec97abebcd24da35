// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the files that make certificates have in common: certify.c makes those of blocks and pairs of
// blocks, certify_near.c finds the pairs, certify_nodes.c makes those of nodes.
#ifndef ABUT_BOUND_CERTIFY_H
#define ABUT_BOUND_CERTIFY_H

#include "bound/certificate.h"
#include "bound/separation.h"

// what a worker needs to make the certificate of one or two blocks
typedef struct abut__workshop {
    abut__separation separation;
    abut__cluster_row* rows;
    abut__cluster_pair* pairs;
    double (*displacement)[3];
    float* sketch;
} abut__workshop;

typedef struct abut__certifier {
    abut__certificates* made;
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
    double* reach;  // per cluster: how far its blocks look for near ones, at most
    abut__lane_order* orders;
    abut__workshop* shops;  // one a worker
    uint32_t shop_count;
    ABUT__VECTOR(uint64_t) near;  // lower block << 32 | upper block, in the order of made->pairs
    uint32_t near_most;
    bool out_of_memory;
} abut__certifier;

static inline uint32_t abut__part_of(const abut__certifier* m, abut__ref ref) {
    return abut__is_block(ref) ? m->tree->node_count + abut__block_of(ref) : ref;
}
static inline const abut__sketch* abut__subsets_of(const abut__certifier* m, uint32_t block) {
    return m->sketches + m->parts + (size_t)ABUT__SUBSETS * block;
}

// which of two to open: the larger one, if it is a node
static inline bool abut__opens_first(const abut__certifier* m, abut__ref a, abut__ref b) {
    return !abut__is_block(a) &&
           (abut__is_block(b) || m->clusters[abut__part_of(m, a)].place.radius >=
                                     m->clusters[abut__part_of(m, b)].place.radius);
}

// Sums up the parts of a cluster that was started, and fits it.
void abut__certify_sum(abut__cluster* whole, const abut__cluster* const* parts, uint32_t count);
// A cluster with maps for a certificate rather than for a sketch. Rows are memory for its fields, or
// the cluster's own; sketch_rows receive the maps as kernels see them.
abut__cluster abut__certify_aim(const abut__cluster* cluster, abut__cluster_row* rows,
                                float* sketch_rows);
// Writes the rows of a certificate.
void abut__certificate_put(const abut__certifier* m, const abut__cluster* cluster,
                           const abut__limits* limits, abut__certificate* out);

// Fills m->near: links, and then others, sorted. False: no memory.
bool abut__certify_near(abut__certifier* m);
// Clusters and sketches of nodes, from those of blocks; and their certificates, from all others.
// False: no memory.
void abut__certify_fit_nodes(const abut__certifier* m);
bool abut__certify_nodes(const abut__certifier* m);

#endif
