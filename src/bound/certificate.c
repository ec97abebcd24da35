// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests certificates of the modal motion.
#include "bound/certificate.h"

#include "base/offset.h"
#include "bound/affine.h"

// Returns a lower bound of sigma or lambda, tight enough to compare with `wanted`.
typedef double (*least_of)(const double a[3][3], double wanted);

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
    // The least eigenvalue is at most that.
    const double most = fmin(s[0][0], fmin(s[1][1], s[2][2]));
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

// Tests one certificate in double, where the sums in float did not decide.
static bool holds_alone(const float sums[ABUT__CERTIFICATE_ROW][ABUT__GROUP], uint32_t lane,
                        uint32_t field_count, double gap, double rounding) {
    double a[3][3];
    for (int k = 0; k < 9; ++k) {
        a[k / 3][k % 3] = (k % 4 == 0) + (double)sums[k][lane];
    }
    const double terms = (double)field_count + 12;
    const double slack = terms * 0x1p-23 * (1 + (double)sums[11][lane]) + rounding / gap;
    const double strain = (double)sums[10][lane] * (1 + terms * 0x1p-23) + slack;
    const double full = (double)sums[9][lane] * (1 + terms * 0x1p-23) + slack;
    return least_strain((const double(*)[3])a, strain) > strain ||
           least_stretch((const double(*)[3])a, full) > full;
}

// Tests a group by one number per field, which is mostly enough.
static uint64_t test_group(const abut__certificates* c, const abut__certificate_group* group,
                           const abut__certificate_state* state, uint64_t verdict) {
    const uint32_t* fields = ABUT__AT(c->fields.data, group->first_field);
    const abut__modal_lanes lanes = {ABUT__AT(c->data, group->data), fields, group->field_count};
    const uint32_t yes = c->context->kernels->modal_certified(&lanes, state->coordinates,
                                                              group->inverse_gap, state->rounding);
    return abut__verdict_note(verdict, (yes & ~group->none) | group->empty, group->none);
}

// Tests a group by its full rows, and then single lanes in double.
static uint64_t test_group_fully(const abut__certificates* c, const abut__certificate_group* group,
                                 uint32_t lanes_wanted, const abut__certificate* own,
                                 const abut__certificate_state* state, uint64_t verdict) {
    const uint32_t* fields = ABUT__AT(c->fields.data, group->first_field);
    const size_t rows = group->data + (size_t)ABUT__GROUP * group->field_count;
    const abut__modal_lanes lanes = {c->data + rows, fields, group->field_count};
    float sums[ABUT__CERTIFICATE_ROW][ABUT__GROUP];
    const abut__certificate_verdict found = c->context->kernels->modal_certificates(
        &lanes, state->coordinates, group->inverse_gap, state->rounding, sums);
    verdict = abut__verdict_note(verdict, found.yes, found.no & ~found.yes);
    for (uint32_t open = abut__verdict_open(verdict, lanes_wanted); open != 0; open &= open - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(open);
        const bool yes = holds_alone((const float(*)[ABUT__GROUP])sums, lane, group->field_count,
                                     own[lane].gap, state->rounding);
        verdict = abut__verdict_note(verdict, (uint32_t)yes << lane, 1u << lane);
    }
    return verdict;
}

uint32_t abut__certificates_hold(const abut__certificates* c, abut__certificate_range range,
                                 const abut__certificate_state* state) {
    const abut__certificate_group* group = &c->groups[range.group];
    uint64_t verdict;
    bool changed = !abut__verdicts_read(state->verdicts, range.group, &verdict);
    if (changed) {
        verdict = test_group(c, group, state, verdict);
    }
    if (abut__verdict_open(verdict, range.lanes) != 0) {
        const abut__certificate* kinds[] = {c->nodes, c->blocks, c->pairs, c->node_pairs};
        verdict = test_group_fully(c, group, range.lanes, kinds[range.kind] + range.first, state,
                                   verdict);
        changed = true;
    }
    if (changed) {
        abut__verdicts_write(state->verdicts, range.group, verdict);
    }
    return abut__verdict_holds(verdict, range.lanes) >> range.lane;
}

void abut__certificates_free(abut__certificates* certificates) {
    if (certificates == NULL) {
        return;
    }
    const abut_context* context = certificates->context;
    abut__certificates* c = certificates;
    abut__free(context, c->nodes, c->index.node_count, sizeof *c->nodes);
    abut__free(context, c->blocks, c->index.block_count, sizeof *c->blocks);
    abut__free(context, c->pairs, c->index.pair_count, sizeof *c->pairs);
    abut__free(context, c->node_pairs, c->index.node_pair_count, sizeof *c->node_pairs);
    abut__free(context, c->groups, c->index.group_count, sizeof *c->groups);
    abut__free(context, c->data, c->floats, sizeof *c->data);
    abut__drop(context, &c->fields);
    abut__certificate_index_free(context, &c->index);
    abut__free(context, c, 1, sizeof *c);
}
