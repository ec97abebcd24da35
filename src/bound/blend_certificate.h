// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of the blend motion: bound/certificate.h with transforms in the place of coordinates.
// A vertex at rest in p is moved to
//
//   v(p) = sum_j w_j(p) T_j (p + u(p)),     sum_j w_j = 1,     u = sum_f q_f U_f(p).
//
// Nodes form a tree (bound/telescope.h): with W_b the weights of b and of all below it, and D_b the
// transform of b less that of its parent, the sum is T_r + sum_b W_b D_b. For some triangles let m be
// the lowest node whose W is 1 everywhere on them. The differences above it add up to T_m, and only
// nodes below it are left, of which most have no weight there. With origins o_b, and a ' for linear
// parts,
//
//   v(p) = T_m (p + u) + sum_b D_b' (W_b (p - o_b)) + D_b(o_b) W_b + D_b' (W_b u).
//
// So weights act like fields, W_b (p - o_b) and W_b, with matrices and vectors for coordinates; how
// they change over the surface is known beforehand. For triangles s and t that are apart at rest, at
// distances d_ac between corners along a direction, certificates have H_b and L_b, h_b and l_b, H_f
// and L_f, such that with some E_b, e_b and E_f of the pair's own
//
//   |F(s_a) - F(t_c) - (H + E)(s_a - t_c)| <= R d_ac,   |E| + R <= L,
//
// F being one of the fields. With x = s_a - t_c, ^ for the mean of both corners, and G = sum_f q_f H_f,
// g = sum_f |q_f| L_f, products change by W^_b (u(s_a) - u(t_c)) + (W_b(s_a) - W_b(t_c)) u^, where
// 0 <= W^_b <= 1 and |u^| <= U = sum_f |q_f| max |U_f|. So s'_a - t'_c = A x + r, where A differs from
//
//   B = T_m' (1 + G) + sum_b D_b' H_b + D_b(o_b) h_b^T
//
// by T_m' E_u + sum_b D_b' E_b + D_b(o_b) e_b^T + D_b' (W^_b (G + E_u) + u^ (h_b + e_b)^T), and
//
//   |A - B| + |r| / d_ac <= |T_m'| g + sum_b |D_b'| (L_b + more_b) + |D_b(o_b)| l_b,
//   more_b = |G| + g + U (|h_b| + l_b).
//
// Where that sum is less than sigma(B), the least singular value, no pair touches: as for modal motion
// the direction that parts s and t goes with A, and sigma(A) >= sigma(B) - |A - B|. The sum is 0 if
// all transforms are the same, whatever they are, and it does not go by what turns all of it.
//
// Origins are where W_b changes: D_b(o_b) is how far b and its parent carry apart what they meet in,
// the joint. Rows with another origin c follow: H_b - (c - o_b) h_b^T, L_b + |c - o_b| l_b. Maps H are
// in the middle of the gradients in triangles, not those that fit best: what counts is the farthest.
//
// Rounding. Everything is in double from rows that are floats, L and l rounded up. All terms of B
// are below the sum of |T_m'| (1 + |G|) and |D_b'| |H_b| + |D_b(o_b)| |h_b|, of which 1e-13 is taken as
// its error; the sum gets 1e-12 of itself. What is left is seen as errors e of vertices. With S no
// less than |T_j'| (|p + u| + the size of the shape) + |T_j(0)|, k influences of a vertex, n nodes and M
// fields: the matrix of a vertex is off by (k + 1) 2^-53 S, three products and sums add 4, u adds M + 2;
// sums W_b are off by k 2^-53 each, together by 2 k n 2^-53 S; D_b and D_b(o_b) of 32 rows by 16 each,
// times 2 S. That is less than (k (1 + 2 n) + M + 1050) 2^-52 S; and weights sum to 1 up to a defect,
// which moves vertices by as much times S. As in bound/certificate.h, d_ac (sigma - sum) > 4 e is asked
// for, for the least d_ac. Where numbers are too large or too small for doubles, comparisons fail, and
// nothing is proven.
// Based on: bound/certificate.h; Barbic, James, "Subspace self-collision culling", 2010, for
// certificates from rest poses.
#ifndef ABUT_BOUND_BLEND_CERTIFICATE_H
#define ABUT_BOUND_BLEND_CERTIFICATE_H

#include "bound/blend_groups.h"
#include "bound/certificate.h"

typedef struct abut__blend_certificate {
    float gap;             // the least d_ab; 0: nothing is proven; INFINITY: there is no pair
    uint32_t first;        // row
    uint16_t reference;    // node m
    uint16_t node_count;   // rows of nodes b
    uint16_t field_count;  // rows of fields, after them
    uint16_t wide;         // too many nodes: no rows; transforms must be the same, fields at rest
} abut__blend_certificate;

typedef struct abut__blend_certificates {
    const abut_context* context;
    uint32_t node_count;
    uint32_t block_count;
    uint32_t pair_count;
    abut__blend_certificate* nodes;
    abut__blend_certificate* blocks;
    abut__blend_certificate* pairs;
    uint32_t* pair_first;  // see abut__certificates
    uint32_t* pair_other;
    uint32_t* pair_number;
    abut__blend_row* rows;
    size_t row_count;
    size_t row_room;
    abut__weight_frame frame;
    uint32_t weight_nodes;  // that have weights
    uint32_t root;          // of them
    abut__blend_groups groups;
} abut__blend_certificates;

// NULL: no memory
abut__blend_certificates* abut__blend_certificates_make(
    const abut_context* context, const abut__tree* tree, const abut__links* links,
    const abut_mesh* mesh, const abut__fields* fields, const abut__weights* weights);
void abut__blend_certificates_free(abut__blend_certificates* certificates);

// What a state says to certificates.
typedef struct abut__blend_proof {
    const double (*transforms)[12];  // per node
    const double* coordinates;       // per field
    double rounding;                 // 4 e
    bool same;                       // all transforms are the same
    bool still;                      // all coordinates are 0
    _Atomic(float)* norms;           // NULL, or per node |D_b'| as far as it is known, else -1
    abut__verdicts* verdicts;        // NULL, or what is known already
} abut__blend_proof;

// Whether a certificate holds. Any thread may ask; what is found out is noted in the verdicts.
bool abut__blend_certificate_holds_ref(const abut__blend_certificates* c, abut__ref ref,
                                       const abut__blend_proof* state);
bool abut__blend_certificate_holds_pair(const abut__blend_certificates* c, uint32_t block_a,
                                        uint32_t block_b, const abut__blend_proof* state);
// Those of links, a bit each; all must be of one group of sixteen.
uint32_t abut__blend_certificates_hold_links(const abut__blend_certificates* c, uint32_t first,
                                             uint32_t count, const abut__blend_proof* state);

#endif
