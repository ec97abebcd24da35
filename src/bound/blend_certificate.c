// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Asking certificates of the blend motion.
#include "bound/blend_certificate.h"

#include "bound/affine.h"

// What is summed up over nodes.
typedef struct sums {
    double b[3][3];
    double limit;  // what sigma(B) must be above
    double terms;  // of B, by their magnitudes
} sums;

// what fields that move the rest positions add
typedef struct moves {
    double map[3][3];  // G
    double norm;       // |G|
    double limit;      // g
    double most;       // U
} moves;

static moves sum_moves(const abut__certificates* c, const abut__certificate* own,
                       const abut__certificate_state* state) {
    const float* row = c->data + own->data + (size_t)ABUT__CERTIFICATE_ROW * own->paired;
    const uint32_t* fields = (const uint32_t*)c->fields.data + own->first_field;
    const uint32_t nodes = c->paired;
    moves sum = {.most = state->moved};
    for (uint32_t k = own->paired; k < own->field_count; ++k, row += ABUT__CERTIFICATE_ROW) {
        const double q = state->coordinates[fields[k] - nodes];
        if (q == 0) {
            continue;
        }
        for (int i = 0; i < 9; ++i) {
            sum.map[i / 3][i % 3] += q * (double)row[i];
        }
        sum.limit += fabs(q) * (double)row[9];
        sum.norm += fabs(q) * (double)row[11];
    }
    return sum;
}

// T_m' (1 + G)
static void start(const double t[12], const moves* u, sums* out) {
    double size = 0;
    for (int r = 0; r < 3; ++r) {
        const double* row = t + 4 * (size_t)r;
        size += row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
        for (int c = 0; c < 3; ++c) {
            out->b[r][c] = row[c];
            if (u->norm > 0) {
                out->b[r][c] += row[0] * u->map[0][c] + row[1] * u->map[1][c] +
                                row[2] * u->map[2][c];
            }
        }
    }
    size = sqrt(size);
    out->limit = size * u->limit;
    out->terms = size * (1 + u->norm);
}

static void add_node(const double t[12], const double reference[12], const double middle[3],
                     const float* row, const moves* u, sums* out) {
    const float* weight = row + ABUT__CERTIFICATE_ROW;
    const double origin[3] = {middle[0] + (double)weight[3], middle[1] + (double)weight[4],
                              middle[2] + (double)weight[5]};
    double d[3][3];
    double at[3];
    for (int r = 0; r < 3; ++r) {
        const double* x = t + 4 * (size_t)r;
        const double* y = reference + 4 * (size_t)r;
        for (int c = 0; c < 3; ++c) {
            d[r][c] = x[c] - y[c];
        }
        at[r] = d[r][0] * origin[0] + d[r][1] * origin[1] + d[r][2] * origin[2] + (x[3] - y[3]);
    }
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out->b[r][c] += d[r][0] * (double)row[c] + d[r][1] * (double)row[3 + c] +
                            d[r][2] * (double)row[6 + c] + at[r] * (double)weight[c];
        }
    }
    const double norm = abut__norm((const double(*)[3])d);
    const double way = abut__length(at);
    out->terms += norm * (double)row[11] + way * (double)weight[11];
    out->limit += norm * ((double)row[9] + u->norm + u->limit +
                          u->most * ((double)weight[11] + (double)weight[9])) +
                  way * (double)weight[9];
}

bool abut__blend_certificate_holds(const abut__certificates* c, const abut__certificate* own,
                                   const abut__certificate_state* state) {
    if (own->wide && !state->same) {
        return false;
    }
    const uint32_t* fields = (const uint32_t*)c->fields.data + own->first_field;
    const float* rows = c->data + own->data;
    const uint32_t nodes = own->paired / 2;
    const double* reference = state->transforms[nodes > 0 ? fields[2 * own->reference] / 2 : 0];
    const moves u = sum_moves(c, own, state);
    sums sum;
    start(reference, &u, &sum);
    const double hopeless = 1.5 * sum.terms;  // sigma is at most 0.6 of it without other nodes
    for (uint32_t k = 0; k < nodes && !state->same; ++k) {
        if (k != own->reference) {
            add_node(state->transforms[fields[2 * k] / 2], reference, c->middle,
                     rows + (size_t)2 * ABUT__CERTIFICATE_ROW * k, &u, &sum);
            if (!(sum.limit < hopeless)) {
                return false;
            }
        }
    }
    const double limit = sum.limit * (1 + 1e-12) + 1e-13 * sum.terms + state->rounding / own->gap;
    return abut__least_stretch((const double(*)[3])sum.b, limit) > limit;
}
