// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Skyline matrices: see skyline.h. Row i of the factor needs only rows above, each from the later
// of the two first entries, so all inner loops are dot products of parts of rows.

#include "scenes/skyline.h"

#include <math.h>

// Four independent sums, to hide the latency of additions.
static double dot(const double* x, const double* y, size_t n) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        sum[0] += x[i] * y[i];
        sum[1] += x[i + 1] * y[i + 1];
        sum[2] += x[i + 2] * y[i + 2];
        sum[3] += x[i + 3] * y[i + 3];
    }
    for (; i < n; ++i) {
        sum[0] += x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

bool scene__skyline_alloc(scene* s, skyline* m, uint32_t n, uint32_t* first) {
    size_t total = 0;
    for (uint32_t i = 0; i < n; ++i) {
        total += i + 1 - first[i];
    }
    double* entries = scene__alloc(s, total, sizeof *entries);
    m->n = n;
    m->first = first;
    m->row = scene__alloc(s, n, sizeof *m->row);
    for (uint32_t i = 0; i < n && !s->failed; ++i) {
        m->row[i] = entries;
        entries += i + 1 - first[i];
    }
    return !s->failed;
}

double* scene__skyline_at(const skyline* m, uint32_t i, uint32_t k) {
    return &m->row[i][k - m->first[i]];
}

bool scene__skyline_factor(skyline* m) {
    for (uint32_t i = 0; i < m->n; ++i) {
        double* row = m->row[i];
        const uint32_t first = m->first[i];
        for (uint32_t k = first; k < i; ++k) {
            const uint32_t from = m->first[k] > first ? m->first[k] : first;
            const double* other = m->row[k];
            const double sum = dot(row + (from - first), other + (from - m->first[k]), k - from);
            row[k - first] = (row[k - first] - sum) / other[k - m->first[k]];
        }
        const double square = row[i - first] - dot(row, row, i - first);
        if (!(square > 0.0)) {
            return false;
        }
        row[i - first] = sqrt(square);
    }
    return true;
}

// The rows are read once for all sides. Each side is summed in the order of dot().
static void dot_sides(const double* restrict x, const double* restrict y, size_t n,
                      double out[restrict SKYLINE_SIDES]) {
    double sum[4][SKYLINE_SIDES] = {{0.0}};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t part = 0; part < 4; ++part) {
            for (size_t r = 0; r < SKYLINE_SIDES; ++r) {
                sum[part][r] += x[i + part] * y[SKYLINE_SIDES * (i + part) + r];
            }
        }
    }
    for (; i < n; ++i) {
        for (size_t r = 0; r < SKYLINE_SIDES; ++r) {
            sum[0][r] += x[i] * y[SKYLINE_SIDES * i + r];
        }
    }
    for (size_t r = 0; r < SKYLINE_SIDES; ++r) {
        out[r] = (sum[0][r] + sum[1][r]) + (sum[2][r] + sum[3][r]);
    }
}

// y -= x * factors
static void take_sides(double* restrict y, const double* restrict x, size_t n,
                       const double factors[restrict SKYLINE_SIDES]) {
    for (size_t i = 0; i < n; ++i) {
        for (size_t r = 0; r < SKYLINE_SIDES; ++r) {
            y[SKYLINE_SIDES * i + r] -= x[i] * factors[r];
        }
    }
}

void scene__skyline_solve(const skyline* m, double* x) {
    double sides[SKYLINE_SIDES];
    for (size_t i = 0; i < m->n; ++i) {
        const size_t first = m->first[i];
        dot_sides(m->row[i], x + SKYLINE_SIDES * first, i - first, sides);
        for (size_t r = 0; r < SKYLINE_SIDES; ++r) {
            double* at = &x[SKYLINE_SIDES * i + r];
            *at = (*at - sides[r]) / m->row[i][i - first];
        }
    }
    for (size_t i = m->n; i-- > 0;) {
        const size_t first = m->first[i];
        for (size_t r = 0; r < SKYLINE_SIDES; ++r) {
            x[SKYLINE_SIDES * i + r] /= m->row[i][i - first];
            sides[r] = x[SKYLINE_SIDES * i + r];
        }
        take_sides(x + SKYLINE_SIDES * first, m->row[i], i - first, sides);
    }
}
