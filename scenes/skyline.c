// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Skyline matrices: see skyline.h. Row i of the factor needs only rows above, each from the later
// of the two first entries, so all inner loops are dot products of pieces of rows.

#include "scenes/skyline.h"

#include <math.h>

// four sums side by side: one would wait for itself
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

void scene__skyline_solve(const skyline* m, double* x) {
    for (uint32_t i = 0; i < m->n; ++i) {
        const uint32_t first = m->first[i];
        x[i] = (x[i] - dot(m->row[i], x + first, i - first)) / m->row[i][i - first];
    }
    for (uint32_t i = m->n; i-- > 0;) {
        const uint32_t first = m->first[i];
        x[i] /= m->row[i][i - first];
        for (uint32_t k = first; k < i; ++k) {
            x[k] -= m->row[i][k - first] * x[i];
        }
    }
}
