// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of bounded deformation: for a set of pairs of triangles of a modal shape, numbers
// that prove from the coordinates q alone that no pair of the set touches.
//
// One pair. Let triangles s and t be apart at rest: for a unit vector n all nine distances
// d_ab = n.(s_a - t_b) are positive. Let G_j be any matrices and r_j(p) = U_j(p) - G_j p, so that
// with A = 1 + sum_j q_j G_j
//
//   s'_a - t'_b = A (s_a - t_b) + sum_j q_j (r_j(s_a) - r_j(t_b)).
//
// If A is regular, m = A^-T n satisfies m.A x = n.x and |m| <= 1 / sigma, where sigma is the least
// singular value of A. With R_j >= |r_j(s_a) - r_j(t_b)| / d_ab for all a and b, the distance along
// m / |m| is
//
//   m.(s'_a - t'_b) / |m| >= d_ab / |m| - sum_j |q_j| R_j d_ab >= d_ab (sigma - sum_j |q_j| R_j).
//
// So sum_j |q_j| R_j < sigma proves s' and t' apart: the direction follows the deformation.
//
// Many pairs, each with its own matrices E_j + H_j, with a common H_j. With B = 1 + sum_j q_j H_j
//
//   sigma(A) >= sigma(B) - sum_j |q_j| |E_j|                 (Weyl), and also
//   sigma(A) >= lambda(A) >= lambda(B) - sum_j |q_j| |E_j + E_j^T| / 2,
//
// lambda being the least eigenvalue of the symmetric part, since |A x| >= x.A x for unit vectors x.
// So
//
//   sum_j |q_j| L_j < sigma(B)     with L_j = max over pairs of R_j + |E_j|                ("full")
//   sum_j |q_j| L_j < lambda(B)    with L_j = max over pairs of R_j + |E_j + E_j^T| / 2    ("strain")
//
// each prove all pairs apart. The second test ignores skew parts, the rotations in vibration modes:
// bending is not strain. The first suits rotations of the whole shape. E_j is free for every pair
// and field: near triangles use the best affine map of their six corners.
//
// Sets of sets. If the parts of a set have L_j with H_j, then the whole set has, for any other K_j,
// the maximum over its parts of L_j + |H_j - K_j| (or of the symmetric part), by the same argument.
// So two clusters that are far apart need no look at their triangles: see certify_nodes.c. A node's
// set has the sets of its children and those of pairs of children; a pair of nodes has those of the
// pairs of their children. A node whose certificate fails, because one of its parts deforms much, may
// have children most of whose pairs are proven apart.
//
// One number. lambda(B) >= 1 - sum_j |q_j| |H_j + H_j^T| / 2, so sum_j |q_j| C_j < 1 is sufficient,
// with C_j = L_j + |H_j + H_j^T| / 2: a twelfth of the numbers, and nearly as good where H is
// small.
//
// Rounding. A certificate stores the least d_ab. Vertices are doubles. If the error of each
// coordinate of a vertex is below e, then s' and t' as computed are apart if the distance above
// exceeds 2 sqrt(3) e; the test requires d_ab (sigma - sum) > 4 e. Sums are in float, from weights
// with the sign of q_j that are at least |q_j| and at most 3 x 2^-23 more, and from L rounded up.
// The sum of m products of positive numbers is low by less than (m + 4) 2^-23 of itself. B is off
// by less than (m + 12) 2^-23 (1 + sum |q_j| |H_j|), which is summed up with the others. Numbers
// beyond 2^60 count as infinite, so underflow is far below these errors. The test in float of
// sixteen at a time bounds lambda by Gershgorin's discs: with s = sum |q_j| |H_j| the six numbers
// in them are below 6 (1 + s) together, and eight roundings contribute less than 24 x 2^-23
// (1 + s). The other bound of lambda, mean - sqrt(2/3 x squares), is off by less than 16 x 2^-23
// (1 + s): 7 u from the argument of the root, 17 u from the root, 3 u from the mean, 5 u from their
// difference, u = 2^-24. C contains an extra 2^-22 |H| for the rounding of H to float.
// Based on: James, Pai, "BD-Tree: Output-Sensitive Collision Detection for Reduced Deformable
// Models", 2004, for reduced coordinates; Barbic, James, "Subspace self-collision culling", 2010,
// for certificates from rest poses.
#ifndef ABUT_BOUND_CERTIFICATE_H
#define ABUT_BOUND_CERTIFICATE_H

#include "bound/certificate_index.h"
#include "bound/lists.h"
#include "bound/verdicts.h"
#include "mesh/weights.h"
#include "simd/kernels.h"
#include "tree/links.h"

// Rows of ABUT__CERTIFICATE_ROW floats, one per field: H row by row, L full, L strain, |H|. In a
// group of sixteen, number i of row k is at `data` + (ABUT__CERTIFICATE_ROW k + i) x 16.
// Certificates of weights have no groups: there the row of w_j has only the first row of H,
// followed by the origin o of w_j (p - o) relative to the shape's middle. It has no L strain; rows
// of displacement fields have the greatest |U_f| in its place.
typedef struct abut__certificate {
    size_t data;
    uint32_t first_field;
    uint32_t field_count;
    double gap;  // the least d_ab; 0: nothing is proven; INFINITY: the set has no pair
    // Only for certificates of weights, which bound/blend_certificate.h tests:
    uint32_t paired;  // rows of weights, which come first, two for each node
    bool wide;        // too many nodes for rows: there are none
} abut__certificate;

// Sixteen consecutive certificates of one kind, with rows for all fields of any of them.
typedef struct abut__certificate_group {
    size_t data;  // sixteen numbers L strain + |H + H^T| / 2 per field, and then the rows
    uint32_t first_field;
    uint32_t field_count;
    uint32_t none;                   // lanes that prove nothing
    uint32_t empty;                  // lanes without a pair: they always hold
    float inverse_gap[ABUT__GROUP];  // rounded up
} abut__certificate_group;

typedef struct abut__certificates {
    abut__certificate_index index;  // first, see motion/certified.h
    const abut_context* context;
    abut__certificate* nodes;   // all pairs under a node
    abut__certificate* blocks;  // all pairs in a block
    abut__certificate* pairs;   // all pairs between two blocks: of links, in their order, then of
                                // others near at rest
    abut__certificate* node_pairs;  // all pairs between two nodes that are near at rest
    abut__certificate_group* groups;
    float* data;
    size_t floats;
    abut__uint32s fields;  // lists of fields
    uint32_t paired;       // fields below this number are weights: see bound/cluster.h
    double middle[3];      // of the shape: origins are relative to it
    double length;         // a power of two, about the size of the shape
} abut__certificates;

// What certificates are made from. They refer to it while they are made.
typedef struct abut__certified_parts {
    const abut__tree* tree;
    const abut__links* links;
    const abut_mesh* mesh;
    const abut__fields* fields;
    const abut__weights* weights;  // of the blend motion; NULL: none
} abut__certified_parts;

typedef enum abut__certify_status {
    ABUT__CERTIFY_MORE,  // there is work left
    ABUT__CERTIFY_DONE,
    ABUT__CERTIFY_NO_MEMORY,
} abut__certify_status;

// Makes all certificates, or a sample of them, in slices. `begin` does no work yet; NULL: no memory.
// Each slice stops after so many units or little more, and adds what it spent. It may use tasks.
// `end` frees the certifier, and returns the certificates if they are done. NULL: they are not.
typedef struct abut__certifier abut__certifier;
abut__certifier* abut__certifier_begin(const abut_context* context,
                                       const abut__certified_parts* parts, bool sample);
abut__certify_status abut__certifier_work(abut__certifier* m, uint64_t units, uint64_t* spent);
abut__certificates* abut__certifier_end(abut__certifier* certifier);
void abut__certificates_free(abut__certificates* certificates);

// Groups the certificates, once all are made. False: no memory.
bool abut__certificates_group(abut__certificates* certificates, uint32_t field_limit);

// Notes in a group the gap of a lane's certificate.
void abut__certificate_note_gap(abut__certificate_group* group, uint32_t lane, double gap);

// The part of a state that certificates read.
typedef struct abut__certificate_state {
    const double* coordinates;  // per field
    double rounding;            // 4 e
    abut__verdicts* verdicts;   // NULL, or the results found so far
} abut__certificate_state;

// Tests the certificates of a range. Returns a bit for each, 1 if it holds. Threads may call it
// concurrently; it stores results in the verdicts.
uint32_t abut__certificates_hold(const abut__certificates* c, abut__certificate_range range,
                                 const abut__certificate_state* state);

#endif
