// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of the blend motion: those of bound/certificate.h, with transforms instead of
// coordinates. A vertex with rest position p moves to
//
//   v(p) = sum_j w_j(p) T_j (p + u(p)),     sum_j w_j = 1,     u = sum_f q_f U_f(p).
//
// Nodes form a tree (bound/telescope.h). Let W_b be the sum of the weights of b and of all nodes
// below it, and D_b the transform of b minus that of its parent. Then, with the root r, the sum is
// T_r + sum_b W_b D_b. For a set of triangles let m be the lowest node whose W is 1 on all of them.
// The differences above m add up to T_m. Only nodes below m remain, and most have no weight there.
// With origins o_b, and a ' for linear parts,
//
//   v(p) = T_m (p + u) + sum_b D_b' (W_b (p - o_b)) + D_b(o_b) W_b + D_b' (W_b u).
//
// So weights act like the fields W_b (p - o_b) and W_b, whose coordinates are matrices and vectors.
// How they vary over the surface is known beforehand. Let triangles s and t be apart at rest, with
// distances d_ac between corners along some direction. A certificate stores H_b and L_b, h_b and
// l_b, H_f and L_f, such that for every pair there are E_b, e_b and E_f with
//
//   |F(s_a) - F(t_c) - (H + E)(s_a - t_c)| <= R d_ac,   |E| + R <= L,
//
// where F is one of the fields. Let x = s_a - t_c, let ^ denote the mean over both corners, and let
// G = sum_f q_f H_f, g = sum_f |q_f| L_f. Products change by
// W^_b (u(s_a) - u(t_c)) + (W_b(s_a) - W_b(t_c)) u^, where 0 <= W^_b <= 1 and
// |u^| <= U = sum_f |q_f| max |U_f|. So s'_a - t'_c = A x + r, where A differs from
//
//   B = T_m' (1 + G) + sum_b D_b' H_b + D_b(o_b) h_b^T
//
// by T_m' E_u + sum_b D_b' E_b + D_b(o_b) e_b^T + D_b' (W^_b (G + E_u) + u^ (h_b + e_b)^T), and
//
//   |A - B| + |r| / d_ac <= |T_m'| g + sum_b |D_b'| (L_b + more_b) + |D_b(o_b)| l_b,
//   more_b = |G| + g + U (|h_b| + l_b).
//
// If that sum is less than sigma(B), the least singular value, no pair touches. As for the modal
// motion, A carries the direction that separates s and t, and sigma(A) >= sigma(B) - |A - B|. The
// sum is 0 if all transforms are equal and all coordinates 0; it does not depend on a rotation of
// the whole shape.
//
// Origins lie where W_b changes, at the joint: D_b(o_b) is how far b and its parent move it apart.
// The row for another origin c is H_b - (c - o_b) h_b^T, L_b + |c - o_b| l_b. Maps H are in the
// middle of the gradients of the triangles, not best fits, because the farthest gradient counts.
//
// Rounding. All sums are in double, from rows in float with L and l rounded up. The terms of B are
// together below |T_m'| (1 + |G|) + sum_b (|D_b'| |H_b| + |D_b(o_b)| |h_b|); the test allows 1e-13
// of that for the error of B, and 1e-12 of the sum for the sum. The other errors count as errors e
// of vertices. Let S be at least |T_j'| (|p + u| + the size of the shape) + |T_j(0)|, with k
// influences of a vertex, n nodes and M fields. The matrix of a vertex is off by (k + 1) 2^-53 S,
// three products and sums add 4, u adds M + 2. Sums W_b are off by k 2^-53 each, together by
// 2 k n 2^-53 S; D_b and D_b(o_b) of 32 rows by 16 each, times 2 S. All that is less than
// (k (1 + 2 n) + M + 1050) 2^-52 S. If weights do not sum to 1, the defect times S is added.
// As in bound/certificate.h, the test requires d_ac (sigma - sum) > 4 e for the least d_ac. Where
// numbers overflow or underflow, comparisons fail, and nothing is proven.
// Based on: bound/certificate.h; Barbic, James, "Subspace self-collision culling", 2010, for
// certificates from rest poses.
#ifndef ABUT_BOUND_BLEND_CERTIFICATE_H
#define ABUT_BOUND_BLEND_CERTIFICATE_H

#include "bound/blend_groups.h"
#include "bound/certificate.h"

typedef struct abut__blend_certificate {
    float gap;             // the least d_ab; 0: nothing is proven; INFINITY: there is no pair
    uint32_t first;        // the first row
    uint16_t reference;    // node m
    uint16_t node_count;   // rows of nodes b
    uint16_t field_count;  // rows of fields, after them
    uint16_t wide;         // too many nodes for rows: transforms must be equal, coordinates 0
} abut__blend_certificate;

typedef struct abut__blend_certificates {
    abut__certificate_index index;  // first, see motion/certified.h
    const abut_context* context;
    abut__blend_certificate* nodes;
    abut__blend_certificate* blocks;
    abut__blend_certificate* pairs;
    abut__blend_row* rows;
    size_t row_count;
    size_t row_room;
    abut__weight_frame frame;
    uint32_t weight_nodes;  // nodes that have weights
    uint32_t root;          // of these nodes
    abut__blend_groups groups;
} abut__blend_certificates;

// Makes them, or a sample, in slices: as abut__certifier_begin() and so on do. `begin` and `end` also
// return NULL without memory.
typedef struct abut__blend_certifier abut__blend_certifier;
abut__blend_certifier* abut__blend_certifier_begin(const abut_context* context,
                                                   const abut__certified_parts* parts, bool sample);
abut__certify_status abut__blend_certifier_work(abut__blend_certifier* m, uint64_t units,
                                                uint64_t* spent);
abut__blend_certificates* abut__blend_certifier_end(abut__blend_certifier* certifier);
void abut__blend_certificates_free(abut__blend_certificates* certificates);

// The part of a state that certificates read.
typedef struct abut__blend_proof {
    const double (*transforms)[12];  // per node
    const double* coordinates;       // per field
    double rounding;                 // 4 e
    bool same;                       // all transforms are the same
    bool still;                      // all coordinates are 0
    _Atomic(float)* norms;           // NULL, or per node |D_b'|, -1 where not yet computed
    abut__verdicts* verdicts;        // NULL, or the results found so far
} abut__blend_proof;

// Tests the certificates of a range, as abut__certificates_hold() does.
uint32_t abut__blend_certificates_hold(const abut__blend_certificates* c,
                                       abut__certificate_range range,
                                       const abut__blend_proof* state);

#endif
