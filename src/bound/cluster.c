// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sums up vertices and clusters.
#include "bound/cluster.h"

#include "base/offset.h"
#include "base/rounding.h"

#define MAP_MOST 0x1p20    // a steeper map is of no use, and fourth powers must fit floats
#define MAP_LEAST 0x1p-60  // a flatter one counts as 0, because its floats might underflow
#define RELAXED (1 + 1e-12)

// ---- units

static void read_rest(const abut_mesh* mesh, uint32_t vertex, double out[3]) {
    abut__mesh_rest(mesh, vertex, out);
}

// Returns the least power of two that is greater than x; 1 for 0.
static double power_above(double x) {
    int exponent;
    (void)frexp(x, &exponent);
    return x > 0 ? ldexp(1, exponent) : 1;
}

static void measure_positions(abut__units* units) {
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t v = 0; v < units->mesh->vertex_count; ++v) {
        double p[3];
        read_rest(units->mesh, v, p);
        for (int d = 0; d < 3; ++d) {
            box[0][d] = fmin(box[0][d], p[d]);
            box[1][d] = fmax(box[1][d], p[d]);
        }
    }
    double size = 0;
    for (int d = 0; d < 3; ++d) {
        units->middle[d] = 0.5 * box[0][d] + 0.5 * box[1][d];
        size = fmax(size, box[1][d] - box[0][d]);
    }
    units->length = power_above(size);
}

// Removes the constant part of each field. It moves all vertices alike, so it has no effect and
// only costs digits. With weights it stays, because they rotate parts of a body against each other,
// and constants with them.
static void measure_fields(abut__units* units) {
    const abut__fields* fields = units->fields;
    const uint32_t vertices = fields->vertex_count;
    double* base = units->base + 3 * (size_t)units->paired;
    double* amount = units->amount + units->paired;
    for (uint32_t f = 0; f < fields->count; ++f) {
        amount[f] = 0;  // for now, the number of vertices moved
    }
    for (uint32_t v = 0; v < vertices; ++v) {
        const abut__field_list own = abut__fields_of(fields, v);
        for (uint32_t k = 0; k < own.count; ++k) {
            const uint32_t f = fields->ids[own.first + k];
            double u[3];
            abut__fields_value(fields, v, k, u);
            amount[f] += 1;
            for (size_t d = 0; d < 3; ++d) {
                base[3 * f + d] += u[d] / vertices;
            }
        }
    }
    for (uint32_t f = 0; f < fields->count; ++f) {
        const bool all = amount[f] == vertices && units->weights == NULL;
        for (size_t d = 0; d < 3; ++d) {
            base[3 * f + d] = all ? base[3 * f + d] : 0;
        }
        amount[f] = fields->most[f] > 0 ? 2 * power_above(fields->most[f]) : units->length;
    }
}

static void measure_weights(abut__units* units) {
    for (uint32_t f = 0; f < units->paired; ++f) {
        units->amount[f] = f % 2 == 0 ? units->length : 1;
    }
}

bool abut__units_make(const abut_context* context, const abut_mesh* mesh,
                      const abut__fields* fields, const abut__weights* weights, abut__units* made) {
    *made = (abut__units){.context = context, .mesh = mesh, .fields = fields, .weights = weights};
    made->paired = weights != NULL ? 2 * weights->node_count : 0;
    made->field_count = made->paired + fields->count;
    const size_t count = made->field_count + (size_t)1;
    made->base = abut__alloc_zero(context, 3 * count, sizeof *made->base);
    made->amount = abut__alloc(context, 2 * count, sizeof *made->amount);
    if (made->base == NULL || made->amount == NULL) {
        return false;
    }
    measure_positions(made);
    measure_weights(made);
    measure_fields(made);
    made->inverse = made->amount + count;
    for (uint32_t f = 0; f < made->field_count; ++f) {
        made->inverse[f] = 1 / made->amount[f];
    }
    return true;
}

void abut__units_free(abut__units* units) {
    if (units->fields != NULL) {
        const size_t count = units->field_count + (size_t)1;
        abut__free(units->context, units->base, 3 * count, sizeof *units->base);
        abut__free(units->context, units->amount, 2 * count, sizeof *units->amount);
    }
}

void abut__units_position(const abut__units* units, uint32_t vertex, double out[3]) {
    read_rest(units->mesh, vertex, out);
    for (int d = 0; d < 3; ++d) {
        out[d] = (out[d] - units->middle[d]) / units->length;
    }
}

static void mark(uint64_t* bits, uint32_t field) {
    bits[field / 64] |= UINT64_C(1) << field % 64;
}

void abut__units_mark(const void* of, uint32_t vertex, uint64_t* bits) {
    const abut__units* units = of;
    const abut__weights* weights = units->weights;
    for (size_t i = weights != NULL ? weights->first[vertex] : 0;
         weights != NULL && i < weights->first[vertex + 1]; ++i) {
        mark(bits, 2 * weights->nodes[i]);
        mark(bits, 2 * weights->nodes[i] + 1);
    }
    const abut__field_list own = abut__fields_of(units->fields, vertex);
    for (uint32_t k = 0; k < own.count; ++k) {
        mark(bits, units->paired + units->fields->ids[own.first + k]);
    }
}

// Returns a vertex's weight of a node; *next advances with the nodes queried.
static double weight_of(const abut__weights* weights, uint32_t vertex, uint32_t node,
                        size_t* next) {
    const size_t end = weights->first[vertex + 1];
    while (*next < end && weights->nodes[*next] < node) {
        ++*next;
    }
    return *next < end && weights->nodes[*next] == node ? abut__weight(weights, *next) : 0;
}

// Computes the displacements by fields of weights.
static void weight_fields(const abut__cluster* cluster, const abut__units* units, uint32_t vertex,
                          double (*out)[3]) {
    double p[3];
    abut__units_position(units, vertex, p);
    size_t next = units->weights->first[vertex];
    for (uint32_t k = 0; k < cluster->paired; k += 2) {
        const double* origin = cluster->pairs[k / 2].origin;
        const double weight = weight_of(units->weights, vertex, cluster->fields[k] / 2, &next);
        for (int d = 0; d < 3; ++d) {
            out[k][d] = weight * (p[d] - origin[d]);
            out[k + 1][d] = d == 0 ? weight : 0;
        }
    }
}

// The same as below for a vertex that all fields move, all of which are listed.
static void all_fields(const abut__units* units, uint32_t vertex, double (*out)[3]) {
    const abut__fields* fields = units->fields;
    const double* base = units->base + 3 * (size_t)units->paired;
    const double* unit = units->inverse + units->paired;
    if (fields->scalar == ABUT_SCALAR_F32) {
        const float* value = (const float*)fields->values + 3 * fields->first[vertex];
        for (uint32_t k = 0; k < fields->count; ++k, value += 3, base += 3) {
            for (int d = 0; d < 3; ++d) {
                out[k][d] = ((double)value[d] - base[d]) * unit[k];
            }
        }
        return;
    }
    const double* value = (const double*)fields->values + 3 * fields->first[vertex];
    for (uint32_t k = 0; k < fields->count; ++k, value += 3, base += 3) {
        for (int d = 0; d < 3; ++d) {
            out[k][d] = (value[d] - base[d]) * unit[k];
        }
    }
}

// Computes the displacements by the listed displacement fields.
static void displacement_fields(const abut__units* units, uint32_t vertex, const uint32_t* list,
                                uint32_t count, double (*out)[3]) {
    const abut__fields* fields = units->fields;
    const abut__field_list own = abut__fields_of(fields, vertex);
    const uint32_t* ids = ABUT__AT(fields->ids, own.first);
    uint32_t next = 0;
    if (count == fields->count && own.count == count) {
        all_fields(units, vertex, out);
        return;
    }
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t f = list[k] - units->paired;
        while (next < own.count && ids[next] < f) {
            ++next;
        }
        if (next < own.count && ids[next] == f) {
            abut__fields_value(fields, vertex, next, out[k]);
        } else {
            memset(out[k], 0, sizeof out[k]);
        }
        const double unit = units->inverse[list[k]];
        const double* base = units->base + 3 * (size_t)list[k];
        for (int d = 0; d < 3; ++d) {
            out[k][d] = (out[k][d] - base[d]) * unit;
        }
    }
}

// ---- starting

void abut__cluster_start(abut__cluster* cluster, const abut__units* units, const uint32_t* fields,
                         uint32_t field_count, abut__cluster_row* rows, abut__cluster_pair* pairs) {
    memset(cluster, 0, sizeof *cluster);
    memset(rows, 0, field_count * sizeof *rows);
    cluster->fields = fields;
    cluster->field_count = field_count;
    cluster->rows = rows;
    cluster->pairs = pairs;
    while (cluster->paired < field_count && fields[cluster->paired] < units->paired) {
        ++cluster->paired;
    }
    for (int d = 0; d < 3; ++d) {
        cluster->place.box[0][d] = INFINITY;
        cluster->place.box[1][d] = -INFINITY;
    }
}

void abut__cluster_displacements(const abut__cluster* cluster, const abut__units* units,
                                 uint32_t vertex, double (*out)[3]) {
    const uint32_t paired = cluster->paired;
    if (paired > 0) {
        weight_fields(cluster, units, vertex, out);
    }
    displacement_fields(units, vertex, ABUT__AT(cluster->fields, paired),
                        cluster->field_count - paired, out + paired);
}

// ---- origins and gradients of weights

void abut__cluster_meet_vertex(abut__cluster* cluster, const abut__units* units, uint32_t vertex) {
    double p[3];
    abut__units_position(units, vertex, p);
    size_t next = cluster->paired > 0 ? units->weights->first[vertex] : 0;
    for (uint32_t k = 0; k < cluster->paired; k += 2) {
        abut__cluster_pair* pair = &cluster->pairs[k / 2];
        const double weight = weight_of(units->weights, vertex, cluster->fields[k] / 2, &next);
        const double changes = fmax(0, weight * (1 - weight));
        pair->lack = fmax(pair->lack, 1 - weight);
        pair->turnover += changes;
        for (int d = 0; d < 3; ++d) {
            pair->meeting[d] += changes * p[d];
        }
    }
}

// Returns the pair of a part for a field, or NULL; *place advances.
static const abut__cluster_pair* pair_of(const abut__cluster* part, uint32_t field,
                                         uint32_t* place) {
    while (*place < part->paired && part->fields[*place] < field) {
        *place += 2;
    }
    return *place < part->paired && part->fields[*place] == field ? &part->pairs[*place / 2] : NULL;
}

void abut__cluster_meet(abut__cluster* cluster, const abut__cluster* part) {
    uint32_t place = 0;
    for (uint32_t k = 0; k < cluster->paired; k += 2) {
        abut__cluster_pair* pair = &cluster->pairs[k / 2];
        const abut__cluster_pair* other = pair_of(part, cluster->fields[k], &place);
        pair->lack = fmax(pair->lack, other != NULL ? other->lack : 1);
        if (other != NULL) {
            pair->turnover += other->turnover;
            for (int d = 0; d < 3; ++d) {
                pair->meeting[d] += other->meeting[d];
            }
        }
    }
}

void abut__cluster_centre(abut__cluster* cluster, const double box[2][3]) {
    for (uint32_t i = 0; i < cluster->paired / 2; ++i) {
        abut__cluster_pair* pair = &cluster->pairs[i];
        for (int d = 0; d < 3; ++d) {
            const double middle = 0.5 * box[0][d] + 0.5 * box[1][d];
            const double place = pair->turnover > 1e-6 ? pair->meeting[d] / pair->turnover : middle;
            pair->origin[d] = rint(place / ABUT__ORIGIN_STEP) * ABUT__ORIGIN_STEP;
        }
        for (int e = 0; e < 12; ++e) {
            pair->slope[0][e] = INFINITY;
            pair->slope[1][e] = -INFINITY;
        }
    }
}

static void widen_slope(abut__cluster_pair* pair, const double lo[12], const double hi[12]) {
    for (int e = 0; e < 12; ++e) {
        pair->slope[0][e] = fmin(pair->slope[0][e], lo[e]);
        pair->slope[1][e] = fmax(pair->slope[1][e], hi[e]);
    }
}

// Computes g_i such that values x_i at the corners have the gradient sum_i x_i g_i along the
// triangle. False: it has no area.
static bool gradients(const double p[3][3], double g[3][3]) {
    double edge[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int d = 0; d < 3; ++d) {  // opposite to corner i
            edge[i][d] = p[(i + 2) % 3][d] - p[(i + 1) % 3][d];
        }
    }
    double normal[3];
    abut__cross3(edge[0], edge[1], normal);
    const double square = abut__dot3(normal, normal);
    for (int i = 0; i < 3 && square > 0; ++i) {
        abut__cross3(normal, edge[i], g[i]);
        for (int d = 0; d < 3; ++d) {
            g[i][d] /= square;
        }
    }
    return square > 0;
}

void abut__cluster_slope_triangle(abut__cluster* cluster, const abut__units* units,
                                  const uint32_t vertex[3]) {
    double p[3][3];
    double g[3][3];
    for (int i = 0; i < 3 && cluster->paired > 0; ++i) {
        abut__units_position(units, vertex[i], p[i]);
    }
    if (cluster->paired == 0 || !gradients((const double(*)[3])p, g)) {
        return;
    }
    size_t next[3];
    for (int i = 0; i < 3; ++i) {
        next[i] = units->weights->first[vertex[i]];
    }
    for (uint32_t k = 0; k < cluster->paired; k += 2) {
        abut__cluster_pair* pair = &cluster->pairs[k / 2];
        double slope[12] = {0};
        double mean = 0;
        for (int i = 0; i < 3; ++i) {
            const double w = weight_of(units->weights, vertex[i], cluster->fields[k] / 2, &next[i]);
            mean += w / 3;
            for (int d = 0; d < 3; ++d) {
                slope[9 + d] += w * g[i][d];
            }
        }
        for (int e = 0; e < 9; ++e) {
            const double from = (p[0][e / 3] + p[1][e / 3] + p[2][e / 3]) / 3 - pair->origin[e / 3];
            slope[e] = from * slope[9 + e % 3] + (e % 4 == 0 ? mean : 0);
        }
        widen_slope(pair, slope, slope);
    }
}

void abut__cluster_slope(abut__cluster* cluster, const abut__cluster* part) {
    static const double none[12] = {0};
    uint32_t place = 0;
    for (uint32_t k = 0; k < cluster->paired; k += 2) {
        abut__cluster_pair* pair = &cluster->pairs[k / 2];
        const abut__cluster_pair* other = pair_of(part, cluster->fields[k], &place);
        if (other == NULL) {
            widen_slope(pair, none, none);
            continue;
        }
        double box[2][12];
        memcpy(box, other->slope, sizeof box);
        for (int e = 0; e < 9; ++e) {  // approximately, for the origin of the whole
            const double middle = 0.5 * (box[0][9 + e % 3] + box[1][9 + e % 3]);
            const double shift = (pair->origin[e / 3] - other->origin[e / 3]) * middle;
            box[0][e] -= isfinite(shift) ? shift : 0;
            box[1][e] -= isfinite(shift) ? shift : 0;
        }
        widen_slope(pair, box[0], box[1]);
    }
}

// ---- clusters

// Returns the row of a field, or a row of zeros; *place advances with the fields queried.
static const abut__cluster_row* row_of(const abut__cluster* cluster, uint32_t field,
                                       uint32_t* place) {
    static const abut__cluster_row still = {0};
    while (*place < cluster->field_count && cluster->fields[*place] < field) {
        ++*place;
    }
    return *place < cluster->field_count && cluster->fields[*place] == field
               ? &cluster->rows[*place]
               : &still;
}

// Moves the origin of a row of w_j (p - origin) by `step`, given the row of w_j.
static void move_origin(abut__cluster_row* row, const abut__cluster_row* weight,
                        const double step[3], double radius) {
    const double length = abut__length(step);
    for (int d = 0; d < 3; ++d) {
        row->mean[d] -= step[d] * weight->mean[0];
        for (int c = 0; c < 3; ++c) {
            row->cross[d][c] -= step[d] * weight->cross[0][c];
            row->map[d][c] -= step[d] * weight->map[0][c];
        }
    }
    // The margin for residuals of products covers the rounding of means.
    row->error = (row->error + length * weight->error) * RELAXED +
                 1e-12 * length * abut__length(weight->map[0]) * radius;
}

// Returns the row of a cluster's k-th field in a part of it, for the cluster's origin.
static abut__cluster_row part_row(const abut__cluster* cluster, uint32_t k,
                                  const abut__cluster* part, uint32_t* place) {
    abut__cluster_row row = *row_of(part, cluster->fields[k], place);
    if (k < cluster->paired && k % 2 == 0) {
        uint32_t next = *place;
        const abut__cluster_row* weight = row_of(part, cluster->fields[k + 1], &next);
        uint32_t pair = *place;
        const abut__cluster_pair* own = pair_of(part, cluster->fields[k], &pair);
        double step[3] = {0, 0, 0};
        for (int d = 0; d < 3 && own != NULL; ++d) {
            step[d] = cluster->pairs[k / 2].origin[d] - own->origin[d];
        }
        move_origin(&row, weight, step, part->place.radius);
    }
    return row;
}

// m += factor a b^T
static void add_product(double m[3][3], double factor, const double a[3], const double b[3]) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            m[r][c] += factor * a[r] * b[c];
        }
    }
}

static void widen(abut__place* place, const double box[2][3]) {
    for (int d = 0; d < 3; ++d) {
        place->box[0][d] = fmin(place->box[0][d], box[0][d]);
        place->box[1][d] = fmax(place->box[1][d], box[1][d]);
    }
}

// The spread of a whole is that of its parts plus that of their means (parallel axes).
void abut__cluster_add_vertex(abut__cluster* cluster, const double position[3],
                              const double (*displacement)[3]) {
    const double count = cluster->count + 1;
    const double factor = cluster->count / count;
    double step[3];
    double box[2][3];
    memcpy(box[0], position, sizeof box[0]);
    memcpy(box[1], position, sizeof box[1]);
    widen(&cluster->place, (const double(*)[3])box);
    for (int d = 0; d < 3; ++d) {
        step[d] = position[d] - cluster->place.mean[d];
        cluster->place.mean[d] += step[d] / count;
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
        row->most = fmax(row->most, abut__length(displacement[k]) * RELAXED);
    }
    cluster->count = count;
}

void abut__cluster_add(abut__cluster* cluster, const abut__cluster* part) {
    const double count = cluster->count + part->count;
    const double factor = cluster->count * part->count / count;
    const double share = part->count / count;
    double step[3];
    widen(&cluster->place, (const double(*)[3])part->place.box);
    for (int d = 0; d < 3; ++d) {
        step[d] = part->place.mean[d] - cluster->place.mean[d];
        cluster->place.mean[d] += step[d] * share;
        for (int c = 0; c < 3; ++c) {
            cluster->spread[d][c] += part->spread[d][c];
        }
    }
    add_product(cluster->spread, factor, step, step);
    uint32_t place = 0;
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        abut__cluster_row* row = &cluster->rows[k];
        const abut__cluster_row other = part_row(cluster, k, part, &place);
        double change[3];
        for (int d = 0; d < 3; ++d) {
            change[d] = other.mean[d] - row->mean[d];
            row->mean[d] += change[d] * share;
            for (int c = 0; c < 3; ++c) {
                row->cross[d][c] += other.cross[d][c];
            }
        }
        add_product(row->cross, factor, change, step);
        row->most = fmax(row->most, other.most);
    }
    cluster->count = count;
}

// Fits the map of a row of weights. Directions without spread give no information: there, too,
// vertices follow a node by about their mean weight.
static void fit_weights(const abut__cluster* cluster, uint32_t k, const abut__fitter* fitter) {
    abut__cluster_row* row = &cluster->rows[k];
    const double mean = k % 2 == 0 ? cluster->rows[k + 1].mean[0] : 0;
    double cross[3][3];
    for (int i = 0; i < 9; ++i) {
        cross[i / 3][i % 3] = row->cross[i / 3][i % 3] - mean * cluster->spread[i / 3][i % 3];
    }
    abut__fitter plain = *fitter;
    memset(plain.blank, 0, sizeof plain.blank);
    abut__fit(&plain, (const double(*)[3])cross, row->map);
    for (int d = 0; d < 3; ++d) {
        row->map[d][d] += mean;
    }
}

// Rounds a row to floats. Any map is valid, so one that does not suit floats becomes 0.
static void round_row(abut__cluster_row* row) {
    bool good = true;
    for (int i = 0; i < 9; ++i) {
        good &= fabs(row->map[i / 3][i % 3]) < MAP_MOST;
    }
    for (int i = 0; i < 9; ++i) {
        double* entry = &row->map[i / 3][i % 3];
        *entry = good && fabs(*entry) > MAP_LEAST ? abut__as_float(*entry) : 0;
    }
    for (int d = 0; d < 3; ++d) {
        row->mean[d] = fabs(row->mean[d]) > MAP_LEAST ? abut__as_float(row->mean[d]) : 0;
    }
}

void abut__cluster_fit(abut__cluster* cluster) {
    const abut__fitter fitter = abut__fitter_make((const double(*)[3])cluster->spread);
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        abut__cluster_row* row = &cluster->rows[k];
        if (k < cluster->paired) {
            fit_weights(cluster, k, &fitter);
        } else {
            abut__fit(&fitter, (const double(*)[3])row->cross, row->map);
        }
    }
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        round_row(&cluster->rows[k]);
    }
}

void abut__cluster_aim(abut__cluster* cluster) {
    for (uint32_t k = 0; k < cluster->paired; ++k) {
        const abut__cluster_pair* pair = &cluster->pairs[k / 2];
        abut__cluster_row* row = &cluster->rows[k];
        for (int e = 0; e < (k % 2 == 0 ? 9 : 3) && pair->slope[0][0] <= pair->slope[1][0]; ++e) {
            const int place = k % 2 == 0 ? e : 9 + e;
            row->map[e / 3][e % 3] = 0.5 * (pair->slope[0][place] + pair->slope[1][place]);
        }
        round_row(row);
    }
}

double abut__cluster_residual(const abut__cluster* cluster, uint32_t k, const double offset[3],
                              const double displacement[3], double out[3]) {
    const abut__cluster_row* row = &cluster->rows[k];
    // Products of positions with weights, at most about 1, have the errors of positions.
    double scale = k < cluster->paired ? 0x1p-4 : 0;
    for (int d = 0; d < 3; ++d) {
        const double change = displacement[d] - row->mean[d];
        // Positions are off by 2^-52, which is not relative to the offset.
        scale += (fabs(row->map[d][0]) + fabs(row->map[d][1]) + fabs(row->map[d][2])) * 0x1p-5;
        scale += fabs(change) + fabs(row->map[d][0] * offset[0]) +
                 fabs(row->map[d][1] * offset[1]) + fabs(row->map[d][2] * offset[2]);
        out[d] = change - abut__dot3(row->map[d], offset);
    }
    return scale;
}

void abut__cluster_cover_vertex(abut__cluster* cluster, const double position[3],
                                const double (*displacement)[3]) {
    double step[3];
    for (int d = 0; d < 3; ++d) {
        step[d] = position[d] - cluster->place.mean[d];
    }
    cluster->place.radius = fmax(cluster->place.radius, abut__length(step) * RELAXED + 0x1p-50);
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        abut__cluster_row* row = &cluster->rows[k];
        double off[3];
        const double scale = abut__cluster_residual(cluster, k, step, displacement[k], off);
        row->error = fmax(row->error, abut__length(off) + 1e-12 * scale);
    }
}

void abut__cluster_cover(abut__cluster* cluster, const abut__cluster* part) {
    double step[3];
    for (int d = 0; d < 3; ++d) {
        step[d] = part->place.mean[d] - cluster->place.mean[d];
    }
    cluster->place.radius = fmax(cluster->place.radius,
                                 (abut__length(step) + part->place.radius) * RELAXED + 0x1p-50);
    uint32_t place = 0;
    for (uint32_t k = 0; k < cluster->field_count; ++k) {
        abut__cluster_row* row = &cluster->rows[k];
        const abut__cluster_row other = part_row(cluster, k, part, &place);
        double off[3];
        double turn[3][3];
        const double scale = abut__cluster_residual(cluster, k, step, other.mean, off);
        for (int i = 0; i < 9; ++i) {
            turn[i / 3][i % 3] = other.map[i / 3][i % 3] - row->map[i / 3][i % 3];
        }
        const double error = abut__length(off) + 1e-12 * scale +
                             abut__norm((const double(*)[3])turn) * part->place.radius +
                             other.error;
        row->error = fmax(row->error, error * RELAXED);
    }
}

// ---- sketches

void abut__sketch_make(const abut__cluster* cluster, float* rows, abut__sketch* made) {
    const size_t stride = abut__sketch_stride(cluster->field_count);
    *made = (abut__sketch){.place = cluster->place,
                           .pairs = cluster->pairs,
                           .fields = cluster->fields,
                           .field_count = cluster->field_count,
                           .rows = rows};
    memset(rows, 0, ABUT__SKETCH_ROWS * stride * sizeof *rows);
    for (size_t k = 0; k < cluster->field_count; ++k) {
        const abut__cluster_row* row = &cluster->rows[k];
        for (size_t i = 0; i < 9; ++i) {
            rows[i * stride + k] = (float)row->map[i / 3][i % 3];
        }
        for (size_t d = 0; d < 3; ++d) {
            rows[(9 + d) * stride + k] = (float)row->mean[d];
        }
        rows[12 * stride + k] = nextafterf((float)row->error, INFINITY);
    }
}

// Moves the origin of row k, of w_j (p - origin), given the next row, of w_j. Computes in double
// and rounds; the error covers that.
static void move_rows(const double step[3], double radius, size_t stride, size_t k, float* rows) {
    double sizes = 0;
    for (size_t i = 0; i < 12; ++i) {  // the nine numbers of the map, and the mean
        const size_t weight = i < 9 ? i % 3 : 9;
        const double shift = step[i < 9 ? i / 3 : i - 9] * (double)rows[weight * stride + k + 1];
        const double sum = (double)rows[i * stride + k] - shift;
        sizes += (fabs((double)rows[i * stride + k]) + fabs(shift)) * (i < 9 ? radius : 1);
        rows[i * stride + k] = fabs(sum) > MAP_LEAST ? (float)sum : 0;
    }
    const double error = (double)rows[12 * stride + k] +
                         abut__length(step) * (double)rows[12 * stride + k + 1];
    rows[12 * stride + k] = nextafterf((float)(error + 0x1p-23 * sizes + 12 * MAP_LEAST), INFINITY);
}

static bool same_fields(const abut__sketch* sketch, const abut__cluster* wanted) {
    const uint32_t count = wanted->field_count;
    return sketch->field_count == count &&
           (count == 0 || sketch->fields == wanted->fields ||
            memcmp(sketch->fields, wanted->fields, count * sizeof *wanted->fields) == 0);
}

const float* abut__sketch_rows(const abut__sketch* sketch, const abut__cluster* wanted,
                               float* room) {
    const uint32_t* fields = wanted->fields;
    if (same_fields(sketch, wanted) && (wanted->paired == 0 || sketch->pairs == wanted->pairs)) {
        return sketch->rows;
    }
    const size_t from_stride = abut__sketch_stride(sketch->field_count);
    const size_t stride = abut__sketch_stride(wanted->field_count);
    memset(room, 0, ABUT__SKETCH_ROWS * stride * sizeof *room);
    size_t next = 0;
    for (size_t k = 0; k < wanted->field_count; ++k) {
        while (next < sketch->field_count && sketch->fields[next] < fields[k]) {
            ++next;
        }
        if (!(next < sketch->field_count && sketch->fields[next] == fields[k])) {
            continue;
        }
        for (size_t r = 0; r < ABUT__SKETCH_ROWS; ++r) {
            room[r * stride + k] = sketch->rows[r * from_stride + next];
        }
        if (k < wanted->paired && k % 2 == 1) {  // now both rows are copied
            double step[3];
            for (int d = 0; d < 3; ++d) {
                step[d] = wanted->pairs[k / 2].origin[d] - sketch->pairs[next / 2].origin[d];
            }
            move_rows(step, sketch->place.radius, stride, k - 1, room);
        }
    }
    return room;
}

// Tries the line of means, by balls and by boxes, and the axes.
double abut__places_gap(const abut__place* x, const abut__place* y) {
    double c[3];
    for (int d = 0; d < 3; ++d) {
        c[d] = x->mean[d] - y->mean[d];
    }
    const double distance = abut__length(c);
    double along = 0;
    double widest = distance - x->radius - y->radius;
    for (int d = 0; d < 3; ++d) {
        const double above = x->box[0][d] - y->box[1][d];
        const double below = x->box[1][d] - y->box[0][d];
        along += c[d] * (c[d] > 0 ? above : below);
        widest = above > widest ? above : widest;
        widest = -below > widest ? -below : widest;
    }
    along = distance > 0 ? along / distance : widest;
    widest = along > widest ? along : widest;
    // Positions and their sums are off by less than 2^-52.
    const double gap = widest - 0x1p-46;
    return gap > 0x1p-30 ? gap : 0;
}

bool abut__places_apart(const abut__place* x, const abut__place* y, abut__far_geometry* geometry,
                        double* gap) {
    *gap = abut__places_gap(x, y);
    if (*gap == 0) {
        return false;
    }
    double c[3];
    for (int d = 0; d < 3; ++d) {
        c[d] = x->mean[d] - y->mean[d];
        geometry->c[d] = (float)c[d];
    }
    const double distance = abut__length(c);
    geometry->distance = (float)distance;
    geometry->inverse_sq = (float)(1 / (distance * distance));
    geometry->radius[0] = nextafterf((float)x->radius, INFINITY);
    geometry->radius[1] = nextafterf((float)y->radius, INFINITY);
    geometry->inverse_gap = nextafterf((float)(1 / *gap), INFINITY);
    return true;
}
