// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs by certificates, for motions with the table `certifying`. The certificates of a shape are
// in shape->certificates once a self query has made them.
//
// To make all of them takes as long as hundreds of queries. A small shape has them from its first
// self query on. Of others the first query makes a sample, shape->sample, and all are made in a
// state in which most of the sample holds. At rest every certificate holds, which shows nothing, so
// there they are made after a number of queries, shape->rest_queries.
//
// Edits. A certificate is about a set of pairs of triangles and their vertices alone, so it is also
// right for any subset. An edited shape shares the certificates of the older one and numbers those
// that its nodes, blocks and links may use. A block that lost triangles uses the one that it had
// before. Blocks with new triangles, or with vertices that move differently now, have none, and nor
// do the nodes above them. If there are many of these, all certificates are made anew.
#ifndef ABUT_MOTION_CERTIFIED_H
#define ABUT_MOTION_CERTIFIED_H

#include "bound/verdicts.h"
#include "motion/motion.h"

// Certificates that several shapes share.
typedef struct abut__certificate_set {
    atomic_uint holders;
    const abut_context* context;
    const abut__certifying* how;
    void* made;  // begins with an abut__certificate_index
} abut__certificate_set;

#define ABUT__CERTIFIED_IN_BLOCK 0x80000000u

// Per link of an edited shape: the number of the certificate of a pair, or ABUT__CERTIFIED_IN_BLOCK
// and that of a block.
typedef struct abut__certified_numbers {
    uint32_t count;
    uint32_t number[];
} abut__certified_numbers;

// The certificates of one shape. ABUT__NONE: there is none.
typedef struct abut__certified {
    const abut_context* context;
    abut__certificate_set* set;
    bool mapped;  // false: numbers are the shape's own
    uint32_t node_count;
    uint32_t block_count;
    uint32_t* nodes;   // per node: the number of its certificate
    uint32_t* blocks;  // per block: likewise
    abut__once links;  // abut__certified_numbers, made for the first self query
} abut__certified;

// The operation `apart` of a motion with certificates, `expect` of its proofs, which makes them, and
// its proofs about pairs.
bool abut__certified_apart(const abut_shape* shape, const abut__state* state, abut__ref ref);
void abut__certified_expect(const abut_shape* shape, const abut__state* state);
bool abut__certified_blocks(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                            uint32_t block_b);
bool abut__certified_nodes(const abut_shape* shape, const abut__state* state, uint32_t node_a,
                           uint32_t node_b);
uint32_t abut__certified_links(const abut_shape* shape, const abut__state* state, uint32_t first,
                               uint32_t count);

// Whether the shape has certificates, or a sample of them shows that they would prove most blocks in
// this state.
bool abut__certified_pays(const abut_shape* shape, const abut__state* state);

// Makes the table of verdicts of a new state beforehand, so that it does not depend on proofs by
// other means when that is.
void abut__certified_begin(const abut_shape* shape, abut__once* verdicts);

// Returns what the motion made for the shape, or for an older one; NULL: nothing yet.
void* abut__certified_made(const abut_shape* shape);

// Lets an edited shape share the certificates of the older one, if that has any. `changed` (NULL:
// none) has a 1 for each vertex that moves differently. Without memory, or if too little is
// unchanged, the next self query makes all certificates.
void abut__certified_descend(abut_shape* shape, const abut__lineage* lineage,
                             const uint8_t* changed);

// Lets an edited shape share the sample of the older one: its certificates are about blocks of that
// one, which does not matter, because a sample proves nothing.
void abut__certified_share_sample(abut_shape* shape, const abut_shape* before);

// Makes the certificates of a shape with a tree, unless it has them. False: no memory.
bool abut__certified_prepare(const abut_shape* shape);

// Packs the certificates and the sample of a shape, and unpacks them, for a shape with a tree.
void abut__certified_write(const abut_shape* shape, abut__packer* writer);
void abut__certified_read(abut_shape* shape, abut__unpacker* reader);

void abut__certificate_set_release(abut__certificate_set* set);
// Frees the certificates and the sample of a shape, if there are any, and one object of them.
void abut__certified_free(abut_shape* shape);
void abut__certified_drop(abut__certified* certified);

#endif
