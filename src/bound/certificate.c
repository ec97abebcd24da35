// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Asking certificates.
#include "bound/certificate.h"

#include "bound/affine.h"

// the least eigenvalue of the symmetric part is at least this
static double least_strain(const double a[3][3], double wanted) {
    double s[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = r; c < 3; ++c) {
            s[r][c] = 0.5 * (a[r][c] + a[c][r]);
        }
    }
    double least;
    double greatest;
    abut__eigenvalue_range((const double(*)[3])s, &least, &greatest);
    const double most = fmin(s[0][0], fmin(s[1][1], s[2][2]));  // no eigenvalue is below all
    return least > wanted || most <= wanted ? least
                                            : abut__eigenvalue_least((const double(*)[3])s, least);
}

static double least_stretch(const double a[3][3], double wanted) {
    double s[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = r; c < 3; ++c) {
            s[r][c] = a[0][r] * a[0][c] + a[1][r] * a[1][c] + a[2][r] * a[2][c];
        }
    }
    double least;
    double greatest;
    abut__eigenvalue_range((const double(*)[3])s, &least, &greatest);
    const double square = wanted * wanted;
    const double most = fmin(s[0][0], fmin(s[1][1], s[2][2]));
    if (least <= square && most > square) {
        least = abut__eigenvalue_least((const double(*)[3])s, least);
    }
    least -= 1e-13 * greatest;
    return least > 0 ? sqrt(least) : 0;
}

// Gershgorin's bound of the least eigenvalue of the symmetric part, less what rounding takes: no
// roots, and nearly always enough
static double quick_strain(const double a[3][3]) {
    const double xy = 0.5 * fabs(a[0][1] + a[1][0]);
    const double xz = 0.5 * fabs(a[0][2] + a[2][0]);
    const double yz = 0.5 * fabs(a[1][2] + a[2][1]);
    const double x = a[0][0] - (xy + xz);
    const double y = a[1][1] - (xy + yz);
    const double z = a[2][2] - (xz + yz);
    const double least = x < y ? x < z ? x : z : y < z ? y : z;
    return least - 1e-14 * (fabs(a[0][0]) + fabs(a[1][1]) + fabs(a[2][2]) + xy + xz + yz);
}

static bool holds(const abut__certificates* c, const abut__certificate* own,
                  const abut__certificate_state* state) {
    if (own->gap == INFINITY || !(own->gap > 0)) {
        return own->gap > 0;
    }
    const uint32_t* fields = c->fields.data;
    const abut__modal_lanes lanes = {c->data + own->data, fields + own->first_field,
                                     own->field_count};
    float sum[ABUT__CERTIFICATE_ROW];
    c->context->kernels->modal_certificate(&lanes, state->coordinates, sum);
    double a[3][3];
    for (int k = 0; k < 9; ++k) {
        a[k / 3][k % 3] = (k % 4 == 0) + (double)sum[k];
    }
    const double terms = (double)own->field_count + 12;
    const double slack = terms * 0x1p-23 * (1 + (double)sum[11]) + state->rounding / own->gap;
    const double strain = (double)sum[10] * (1 + terms * 0x1p-23) + slack;
    const double full = (double)sum[9] * (1 + terms * 0x1p-23) + slack;
    return quick_strain((const double(*)[3])a) > strain ||
           least_strain((const double(*)[3])a, strain) > strain ||
           least_stretch((const double(*)[3])a, full) > full;
}

bool abut__certificate_holds_ref(const abut__certificates* c, abut__ref ref,
                                 const abut__certificate_state* state) {
    return holds(c, abut__is_block(ref) ? &c->blocks[abut__block_of(ref)] : &c->nodes[ref], state);
}

bool abut__certificate_holds_pair(const abut__certificates* c, uint32_t block_a, uint32_t block_b,
                                  const abut__certificate_state* state) {
    const uint32_t pair = abut__find_pair(c->pair_first, c->pair_other, block_a, block_b);
    return pair != ABUT__NONE && holds(c, &c->pairs[pair], state);
}

void abut__certificates_free(abut__certificates* certificates) {
    if (certificates == NULL) {
        return;
    }
    const abut_context* context = certificates->context;
    abut__certificates* c = certificates;
    abut__free(context, c->nodes, c->node_count, sizeof *c->nodes);
    abut__free(context, c->blocks, c->block_count, sizeof *c->blocks);
    abut__free(context, c->pairs, c->pair_count, sizeof *c->pairs);
    abut__free(context, c->pair_first, c->block_count + 1u, sizeof *c->pair_first);
    abut__free(context, c->pair_other, c->pair_count, sizeof *c->pair_other);
    abut__free(context, c->data, c->floats, sizeof *c->data);
    abut__vector_free(context, &c->fields, sizeof(uint32_t));
    abut__free(context, c, 1, sizeof *c);
}
