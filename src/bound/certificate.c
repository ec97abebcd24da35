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
                           const abut__certificate_state* state) {
    const uint32_t* fields = ABUT__AT(c->fields.data, group->first_field);
    const abut__modal_lanes lanes = {ABUT__AT(c->data, group->data), fields, group->field_count};
    const uint32_t yes = c->context->kernels->modal_certified(&lanes, state->coordinates,
                                                              group->inverse_gap, state->rounding);
    return abut__verdict_note(abut__verdict_begin(state->round),
                              (yes & ~group->none) | group->empty, group->none);
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

// Tests some lanes of a group, with certificates at `own`; returns those that hold.
static uint32_t test_lanes(const abut__certificates* c, uint32_t group_index, uint32_t lanes,
                           const abut__certificate* own, const abut__certificate_state* state) {
    const abut__certificate_group* group = &c->groups[group_index];
    atomic_ullong* place = state->verdicts != NULL ? &state->verdicts[group_index] : NULL;
    uint64_t verdict = place != NULL ? atomic_load_explicit(place, memory_order_relaxed) : 0;
    bool changed = false;
    if (place == NULL || !abut__verdict_is_of(verdict, state->round)) {
        verdict = test_group(c, group, state);
        changed = true;
    }
    if (abut__verdict_open(verdict, lanes) != 0) {
        verdict = test_group_fully(c, group, lanes, own, state, verdict);
        changed = true;
    }
    if (changed && place != NULL) {
        atomic_store_explicit(place, verdict, memory_order_relaxed);
    }
    return abut__verdict_holds(verdict, lanes);
}

// Tests certificates of one kind, from number `first` on, in one group.
static uint32_t test_kind(const abut__certificates* c, const abut__certificate* kind,
                          uint32_t first_group, uint32_t first, uint32_t count,
                          const abut__certificate_state* state) {
    const uint32_t lane = first % ABUT__GROUP;
    return test_lanes(c, first_group + first / ABUT__GROUP, ((1u << count) - 1) << lane,
                      kind + first - lane, state) >>
           lane;
}

bool abut__certificate_holds_ref(const abut__certificates* c, abut__ref ref,
                                 const abut__certificate_state* state) {
    return (abut__is_block(ref)
                ? test_kind(c, c->blocks, c->first_block_group, abut__block_of(ref), 1, state)
                : test_kind(c, c->nodes, 0, ref, 1, state)) != 0;
}

bool abut__certificate_holds_pair(const abut__certificates* c, uint32_t block_a, uint32_t block_b,
                                  const abut__certificate_state* state) {
    const uint32_t place = abut__find_pair(c->pair_first, c->pair_other, block_a, block_b);
    return place != ABUT__NONE &&
           test_kind(c, c->pairs, c->first_pair_group, c->pair_number[place], 1, state) != 0;
}

uint32_t abut__certificates_hold_links(const abut__certificates* c, uint32_t first, uint32_t count,
                                       const abut__certificate_state* state) {
    return c->pair_count > 0 ? test_kind(c, c->pairs, c->first_pair_group, first, count, state) : 0;
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
    abut__free(context, c->pair_other, abut__pair_room(c->pair_count), sizeof *c->pair_other);
    abut__free(context, c->pair_number, c->pair_count, sizeof *c->pair_number);
    abut__free(context, c->groups, c->group_count, sizeof *c->groups);
    abut__free(context, c->data, c->floats, sizeof *c->data);
    abut__drop(context, &c->fields);
    abut__free(context, c, 1, sizeof *c);
}
