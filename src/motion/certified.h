// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs by certificates, for motions with the table `certifying`. The certificates of a shape are
// in shape->certificates once they are made, all at once.
//
// To make all of them takes as long as hundreds of queries. So they are made after about as many self
// queries, in slices: each call that sets a state after a self query makes some of them. Of shapes of
// many blocks a sample is made before, shape->sample, and only queries in states count in which most
// of it holds. A shape without fields gets none by itself: whether it touches itself never changes. All
// this
// depends on counts alone. Threads that set states of bodies of one shape at the same time do not
// wait for each other: one makes a slice, and the others go on.
//
// Edits. A certificate is about a set of pairs of triangles and their vertices alone, so it is also
// right for any subset. An edited shape shares the certificates of the older one and numbers those
// that its nodes, blocks and links may use. A block that lost triangles uses the one that it had
// before. Blocks with new triangles, or with vertices that move differently now, have none, and nor
// do the nodes above them. If there are many of these, all certificates are made anew.
#ifndef ABUT_MOTION_CERTIFIED_H
#define ABUT_MOTION_CERTIFIED_H

#include "bound/verdicts.h"
#include "motion/demand.h"
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

// The operation `apart` of a motion with certificates, `expect` of its proofs, which makes what an
// edited shape needs to use them, and its proofs about pairs.
bool abut__certified_apart(const abut_shape* shape, const abut__state* state, abut__ref ref);
void abut__certified_expect(const abut_shape* shape);
bool abut__certified_blocks(const abut_shape* shape, const abut__state* state, uint32_t block_a,
                            uint32_t block_b);
bool abut__certified_nodes(const abut_shape* shape, const abut__state* state, uint32_t node_a,
                           uint32_t node_b);
uint32_t abut__certified_links(const abut_shape* shape, const abut__state* state, uint32_t first,
                               uint32_t count);

// For a new state, after self queries in the state `last`: makes a slice of certificates if they are
// due. If there are some, makes the table of verdicts of the new state beforehand, so that it does
// not depend on proofs by other means when that is.
void abut__certified_begin(const abut_shape* shape, const abut__state* last,
                           const abut__demand* demand, abut__once* verdicts);

// Whether the shape has certificates, and most of a sample of them hold in a state; of few blocks
// nothing is tested.
bool abut__certified_holds(const abut_shape* shape, const abut__state* state);

// The number of self queries after which certificates are due.
uint32_t abut__certified_due(const abut_shape* shape);
// The most units of work in a slice after so many self queries, except for single steps that are
// larger; see abut__certifier_work().
uint64_t abut__certified_slice(const abut_shape* shape, uint32_t queries);

// Returns what the motion made for the shape, or for an older one; NULL: nothing yet.
void* abut__certified_made(const abut_shape* shape);

// Lets an edited shape share the certificates of the older one, if that has any. `changed` (NULL:
// none) has a 1 for each vertex that moves differently. Without memory, or if too little is
// unchanged, certificates are made as for a new shape.
void abut__certified_descend(abut_shape* shape, const abut__lineage* lineage,
                             const uint8_t* changed);

// Lets an edited shape share the sample of the older one: its certificates are about blocks of that
// one, which does not matter, because a sample proves nothing.
void abut__certified_share_sample(abut_shape* shape, const abut_shape* before);

// Makes the certificates of a shape with a tree, if its motion has some, unless they are there. False:
// no memory.
bool abut__certified_prepare(const abut_shape* shape);

// Packs the certificates and the sample of a shape, and unpacks them, for a shape with a tree.
void abut__certified_write(const abut_shape* shape, abut__packer* writer);
void abut__certified_read(abut_shape* shape, abut__unpacker* reader);

void abut__certificate_set_release(abut__certificate_set* set);
// Frees the certificates and the sample of a shape, if there are any, and one object of them.
void abut__certified_free(abut_shape* shape);
void abut__certified_drop(abut__certified* certified);

#endif
