// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Certificates of the blend motion: bound/certificate.h with transforms in the place of coordinates.
// A vertex at rest in p is moved to
//
//   v(p) = sum_j w_j(p) T_j (p + u(p)),     sum_j w_j = 1,     u = sum_f q_f U_f(p).
//
// Choose one of the nodes, m, and an origin o. With D_j = T_j - T_m, and a ' for linear parts,
//
//   v(p) = T_m (p + u) + sum_{j != m} D_j' (w_j (p - o)) + D_j(o) w_j + D_j' (w_j u).
//
// So weights act like fields, w_j (p - o) and w_j, with matrices and vectors for coordinates; how
// they change over the surface is known beforehand. For triangles s and t that are apart at rest, at
// distances d_ab between corners along a direction, certificates have H_j and L_j, h_j and l_j,
// H_f and L_f, such that with some E_j, e_j and E_f of the pair's own
//
//   |F(s_a) - F(t_b) - (H + E)(s_a - t_b)| <= R d_ab,   |E| + R <= L,
//
// F being one of the fields. With x = s_a - t_b, ^ for the mean of both corners, and G = sum_f q_f H_f,
// g = sum_f |q_f| L_f, products change by w^_j (u(s_a) - u(t_b)) + (w_j(s_a) - w_j(t_b)) u^, where
// 0 <= w^_j <= 1 and |u^| <= U = sum_f |q_f| max |U_f|. So s'_a - t'_b = A x + r, where A differs from
//
//   B = T_m' (1 + G) + sum_j D_j' H_j + D_j(o) h_j^T
//
// by T_m' E_u + sum_j D_j' E_j + D_j(o) e_j^T + D_j' (w^_j (G + E_u) + u^ (h_j + e_j)^T), and
//
//   |A - B| + |r| / d_ab <= |T_m'| g + sum_j |D_j'| (L_j + |G| + g + U (|h_j| + l_j)) + |D_j(o)| l_j.
//
// Where that sum is less than sigma(B), the least singular value, no pair touches: as for modal motion
// the direction that parts s and t goes with A, sigma(A) >= sigma(B) - |A - B|. Any m is right; the
// node with the greatest L_m is best, for its row drops out. The sum is 0 if all transforms are the
// same, whatever they are. With two nodes it goes by what turns them against each other only.
//
// The origin is the middle of what the certificate is about. It matters: D_j(o) is how far node j and
// node m would carry it apart, and both meet in a joint, which is near to where weights change.
// Rows with another origin c follow: H_j - (c - o) h_j^T, L_j + |c - o| l_j.
//
// Rounding. Everything is in double from rows that are floats, L and l rounded up. All terms of B are
// below the sum of |T_m'| |1 + G| and |D_j'| |H_j| + |D_j(o)| |h_j|, of which 1e-13 is taken as its
// error; the sum gets 1e-12 of itself. What is left is seen as errors e of vertices: D_j, D_j(o) and
// o itself are rounded, weights sum to 1 up to a defect, and vertices are doubles. With S no less
// than |T_j'| (|p + u| + the size of the shape) + |T_j(0)|, and k influences of a vertex and M fields,
// that is (k + M + 20) 2^-52 S and the defect times S: the matrix of a vertex is off by (k + 1) 2^-53,
// three products and sums add 4 x 2^-53, u (M + 2) 2^-53, D_j and D_j(o) 16 x 2^-53. As in
// bound/certificate.h, d_ab (sigma - sum) > 4 e is asked for, for the least d_ab. Where numbers are
// too large or too small for doubles, comparisons fail, and nothing is proven.
// Based on: bound/certificate.h; linear in the transforms as in Barbic, James, "Subspace
// self-collision culling", 2010, where coordinates are those of modes.
#ifndef ABUT_BOUND_BLEND_CERTIFICATE_H
#define ABUT_BOUND_BLEND_CERTIFICATE_H

#include "bound/certificate.h"

typedef struct abut__blend_certificate {
    float gap;             // the least d_ab; 0: nothing is proven; INFINITY: there is no pair
    uint32_t first;        // row
    uint16_t reference;    // node m
    uint16_t node_count;   // rows of weights of other nodes
    uint16_t field_count;  // rows of fields, after them
    uint16_t wide;         // too many nodes: there are no rows, and all transforms must be the same
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
    abut__blend_row* rows;
    size_t row_count;
    size_t row_room;
    abut__weight_frame frame;
    uint32_t weight_nodes;  // that have weights
    uint32_t root;          // of them
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
    _Atomic(float)* norms;           // NULL, or per node |D_j'| as far as it is known, else -1
} abut__blend_proof;

// Whether a certificate holds.
bool abut__blend_certificate_holds_ref(const abut__blend_certificates* c, abut__ref ref,
                                       const abut__blend_proof* state);
bool abut__blend_certificate_holds_pair(const abut__blend_certificates* c, uint32_t block_a,
                                        uint32_t block_b, const abut__blend_proof* state);

#endif
