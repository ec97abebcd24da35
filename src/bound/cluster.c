// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Summing up vertices and clusters.
#include "bound/cluster.h"

#define MAP_MOST 0x1p60  // a steeper map is no help

void abut__cluster_start(abut__cluster* cluster, const uint32_t* fields, uint32_t field_count,
                         abut__cluster_row* rows) {
    memset(cluster, 0, sizeof *cluster);
    memset(rows, 0, field_count * sizeof *rows);
    cluster->fields = fields;
    cluster->field_count = field_count;
    cluster->rows = rows;
    for (int d = 0; d < 3; ++d) {
        cluster->box[0][d] = INFINITY;
        cluster->box[1][d] = -INFINITY;
    }
}

const abut__cluster_row* abut__cluster_row_of(const abut__cluster* cluster, uint32_t field,
                                              uint32_t* place) {
    static const abut__cluster_row still = {0};
    while (*place < cluster->field_count && cluster->fields[*place] < field) {
        ++*place;
    }
    return *place < cluster->field_count && cluster->fields[*place] == field
               ? &cluster->rows[*place]
               : &still;
}

// m += factor a b^T
static void add_product(double m[3][3], double factor, const double a[3], const double b[3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            m[r][c] += factor * a[r] * b[c];
        }
    }
}

// The spread of a whole is that of its parts and that of their means (parallel axes).
void abut__cluster_add_vertex(abut__cluster* cluster, const double position[3],
                              const double (*displacement)[3]) {
    const double count = cluster->count + 1;
    const double factor = cluster->count / count;
    double step[3];
    for (int d = 0; d < 3; ++d) {
        step[d] = position[d] - cluster->mean[d];
        cluster->box[0][d] = fmin(cluster->box[0][d], position[d]);
        cluster->box[1][d] = fmax(cluster->box[1][d], position[d]);
    }
    add_product(cluster->spread, factor, step, step);
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        abut__cluster_row* row = &cluster->rows[k];
        double change[3];
        for (int d = 0; d < 3; ++d) {
            change[d] = displacement[k][d] - row->mean[d];
            row->mean[d] += change[d] / count;
        }
        add_product(row->cross, factor, change, step);
    }
    for (int d = 0; d < 3; ++d) {
        cluster->mean[d] += step[d] / count;
    }
    cluster->count = count;
}

void abut__cluster_add(abut__cluster* cluster, const abut__cluster* part) {
    const double count = cluster->count + part->count;
    const double factor = cluster->count * part->count / count;
    const double share = part->count / count;
    double step[3];
    for (int d = 0; d < 3; ++d) {
        step[d] = part->mean[d] - cluster->mean[d];
        cluster->box[0][d] = fmin(cluster->box[0][d], part->box[0][d]);
        cluster->box[1][d] = fmax(cluster->box[1][d], part->box[1][d]);
        for (int c = 0; c < 3; ++c) {
            cluster->spread[d][c] += part->spread[d][c];
        }
    }
    add_product(cluster->spread, factor, step, step);
    uint32_t place = 0;
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        abut__cluster_row* row = &cluster->rows[k];
        const abut__cluster_row* other = abut__cluster_row_of(part, cluster->fields[k], &place);
        double change[3];
        for (int d = 0; d < 3; ++d) {
            change[d] = other->mean[d] - row->mean[d];
            row->mean[d] += change[d] * share;
            for (int c = 0; c < 3; ++c) {
                row->cross[d][c] += other->cross[d][c];
            }
        }
        add_product(row->cross, factor, change, step);
    }
    for (int d = 0; d < 3; ++d) {
        cluster->mean[d] += step[d] * share;
    }
    cluster->count = count;
}

// Any map is right, so one that is not finite is none.
void abut__cluster_fit(abut__cluster* cluster) {
    const abut__fitter fitter = abut__fitter_make((const double(*)[3])cluster->spread);
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        double(*map)[3] = cluster->rows[k].map;
        abut__fit(&fitter, (const double(*)[3])cluster->rows[k].cross, map);
        bool good = true;
        for (int i = 0; i < 9; ++i) {
            good &= fabs(map[i / 3][i % 3]) < MAP_MOST;
        }
        for (int i = 0; i < 9; ++i) {
            map[i / 3][i % 3] = good ? (double)(float)map[i / 3][i % 3] : 0;
        }
    }
}

double abut__cluster_residual(const abut__cluster_row* row, const double offset[3],
                              const double displacement[3], double out[3]) {
    double scale = 0;
    for (int d = 0; d < 3; ++d) {
        const double change = displacement[d] - row->mean[d];
        scale += fabs(change) + fabs(row->map[d][0] * offset[0]) +
                 fabs(row->map[d][1] * offset[1]) + fabs(row->map[d][2] * offset[2]);
        out[d] = change - abut__dot(row->map[d], offset);
    }
    return scale;
}

void abut__cluster_cover(abut__cluster* cluster, const abut__cluster* part) {
    double step[3];
    for (int d = 0; d < 3; ++d) {
        step[d] = part->mean[d] - cluster->mean[d];
    }
    cluster->radius = fmax(cluster->radius, (abut__length(step) + part->radius) * (1 + 1e-12));
    uint32_t place = 0;
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        abut__cluster_row* row = &cluster->rows[k];
        const abut__cluster_row* other = abut__cluster_row_of(part, cluster->fields[k], &place);
        double off[3];
        double turn[3][3];
        const double scale = abut__cluster_residual(row, step, other->mean, off);
        for (int i = 0; i < 9; ++i) {
            turn[i / 3][i % 3] = other->map[i / 3][i % 3] - row->map[i / 3][i % 3];
        }
        const double error = abut__length(off) + 1e-12 * scale +
                             abut__norm((const double(*)[3])turn) * part->radius + other->error;
        row->error = fmax(row->error, error * (1 + 1e-12));
    }
}

void abut__displacements(const abut__fields* fields, uint32_t vertex, const uint32_t* list,
                         uint32_t count, double (*out)[3]) {
    const abut__field_list own = abut__fields_of(fields, vertex);
    uint32_t next = 0;
    for (uint32_t k = 0; k < count; ++k) {
        while (next < own.count && fields->ids[own.first + next] < list[k]) {
            ++next;
        }
        if (next < own.count && fields->ids[own.first + next] == list[k]) {
            abut__fields_value(fields, vertex, next, out[k]);
        } else {
            memset(out[k], 0, sizeof out[k]);
        }
    }
}
