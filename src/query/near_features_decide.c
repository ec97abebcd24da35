// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From candidates to pairs of features at rest. The pairs of features are each vertex that a
// triangle owns with the other face, and each two edges that both own: a pair that is near enough has
// owners that are. Boxes in double exclude most. The others are measured, sixteen at a time, and
// compared with the distance; where rounding matters, exactly.
#include <math.h>

#include "exact/feature_normal.h"
#include "exact/point_distance.h"
#include "exact/segment_distance.h"
#include "query/corners.h"
#include "query/feature_pair.h"

// ---- decided pairs

// The closest points of two features, in the order of abut__feature_normal().
typedef struct feature_points {
    double corner[4][3];
    double weights[4];
    double distance;
} feature_points;

static abut_feature part_of(const double weights[3]) {
    const int count = (weights[0] != 0) + (weights[1] != 0) + (weights[2] != 0);
    return count == 1 ? ABUT_FEATURE_VERTEX : count == 2 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
}

static void fill_row(const abut__feature_lane* lane, const feature_points* points,
                     abut_feature_pair* out) {
    const bool edges = lane->kind == ABUT_CONTACT_EDGE_EDGE;
    const bool swapped = lane->kind == ABUT_CONTACT_FACE_VERTEX;
    memset(out, 0, sizeof *out);
    out->body_a = lane->job->view[0].body->index;
    out->body_b = lane->job->view[1].body->index;
    out->triangle_a = lane->triangle[0];
    out->triangle_b = lane->triangle[1];
    out->kind = lane->kind;
    uint32_t* vertices[2] = {swapped ? out->vertices_b : out->vertices_a,
                             swapped ? out->vertices_a : out->vertices_b};
    double* weights[2] = {swapped ? out->weights_b : out->weights_a,
                          swapped ? out->weights_a : out->weights_b};
    double normal[3];
    abut__feature_normal((const double(*)[3])points->corner, points->weights, edges,
                         points->distance, normal);
    for (int i = 0; i < 3; ++i) {
        out->vertices_a[i] = out->vertices_b[i] = UINT32_MAX;
        out->normal[i] = (swapped ? -normal[i] : normal[i]) + 0.0;  // no -0
    }
    const uint32_t first = edges ? 2 : 1;
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t side = i < first ? 0 : 1;
        vertices[side][i - side * first] = lane->vertex[i];
        weights[side][i - side * first] = points->weights[i];
    }
    out->closest_a = part_of(out->weights_a);
    out->closest_b = part_of(out->weights_b);
    abut__turn_normal(lane->job, out->normal);
    const double square = points->distance * points->distance;
    out->distance_sq = square == 0 && points->distance > 0 ? 0x1p-1074 : square;
}

static void add_row(const abut__run* run, abut__worker* worker, const abut__feature_lane* lane,
                    const feature_points* points) {
    ++worker->reader.counters.pairs_found;
    worker->found = true;
    if (run->def->any) {
        atomic_store_explicit(&((abut__run*)run)->stop, true, memory_order_relaxed);
        return;
    }
    abut_feature_pair* row = abut__push(run->context, &lane->task->features, 1);
    if (row == NULL) {
        worker->reader.status = ABUT_ERR_NO_MEMORY;
        return;
    }
    fill_row(lane, points, row);
}

// Whether a computed distance, which is off by at most 2^-25 of itself, proves the exact one greater.
static bool is_beyond(double distance, double margin) {
    return distance > margin * (1.0 + 0x1p-24);
}

// completes lane k; false: it is farther apart than the margin
static bool complete_face(const abut__feature_lanes* lanes, const abut__distances* found,
                          uint32_t k, double margin, feature_points* out) {
    const bool open = (found->open >> k & 1) != 0;
    if (!open && is_beyond(found->distance[k], margin)) {
        return false;
    }
    for (int i = 0; i < 4; ++i) {
        for (int d = 0; d < 3; ++d) {
            out->corner[i][d] = i == 0 ? lanes->points.point[d][k]
                                       : lanes->points.corner[i - 1][d][k];
        }
    }
    const double* x = out->corner[0];
    const double(*t)[3] = (const double(*)[3])(out->corner + 1);
    abut_witness nearest;
    if (open) {
        abut__point_distance_open(t, x, &out->distance, &nearest);
    } else {
        out->distance = found->distance[k];
        abut__point_complete(t, &(abut__closest){found->s[k], found->t[k], found->feature[k]},
                             &nearest);
    }
    out->weights[0] = 1;
    memcpy(out->weights + 1, nearest.weights, sizeof nearest.weights);
    return abut__point_within(t, x, out->distance, margin);
}

static bool complete_edges(const abut__feature_lanes* lanes, const abut__distances* found,
                           uint32_t k, double margin, feature_points* out) {
    const bool open = (found->open >> k & 1) != 0;
    if (!open && is_beyond(found->distance[k], margin)) {
        return false;
    }
    for (int i = 0; i < 4; ++i) {
        for (int d = 0; d < 3; ++d) {
            out->corner[i][d] = lanes->segments.end[i][d][k];
        }
    }
    const double(*p)[3] = (const double(*)[3])out->corner;
    if (open) {
        double weights[2][2];
        abut__segments_distance_open(p, p + 2, &out->distance, weights);
        memcpy(out->weights, weights, sizeof weights);
    } else {
        out->distance = found->distance[k];
        out->weights[0] = 1 - found->s[k];
        out->weights[1] = found->s[k];
        out->weights[2] = 1 - found->t[k];
        out->weights[3] = found->t[k];
    }
    return abut__segments_within(p, p + 2, out->distance, margin);
}

// decides all lanes of edges, or of vertices and faces
static void flush(const abut__run* run, abut__worker* worker, bool edges) {
    abut__feature_lanes* lanes = &worker->features[edges ? 1 : 0];
    const uint32_t count = lanes->count;
    lanes->count = 0;
    if (count == 0) {
        return;
    }
    abut__distances found;
    if (edges) {
        run->kernels->measure_segments(&lanes->segments, (1u << count) - 1, &found);
    } else {
        run->kernels->measure_points(&lanes->points, (1u << count) - 1, &found);
    }
    worker->reader.counters.exact_tests += count;
    worker->reader.counters.exact_fallbacks += (uint64_t)__builtin_popcount(found.open);
    for (uint32_t k = 0; k < count && worker->reader.status == ABUT_OK; ++k) {
        feature_points points;
        const double margin = lanes->lane[k].margin;
        if (edges ? complete_edges(lanes, &found, k, margin, &points)
                  : complete_face(lanes, &found, k, margin, &points)) {
            add_row(run, worker, &lanes->lane[k], &points);
        }
    }
}

// ---- pairs of features

// One of two blocks, and one of its triangles.
typedef struct block_side {
    abut__corners corners;
    abut__feature_block block;
    uint64_t rows;  // vertices whose rows are filled in, a bit each
    uint32_t triangle;
    uint32_t vertex[3];
    uint32_t place[3];  // of the corners among the block's vertices
} block_side;

static void put_point(const block_side* s, uint32_t corner, double (*out)[ABUT__BATCH],
                      uint32_t k) {
    const double* x = s->corners.xyz[s->place[corner]];
    out[0][k] = x[0];
    out[1][k] = x[1];
    out[2][k] = x[2];
}

// add pairs of features of two triangles that are loaded
static void add_vertex_face(const abut__run* run, abut__worker* worker,
                            const abut__feature_triangles* t, block_side* const sides[2],
                            uint32_t side, uint32_t corner) {
    abut__feature_lanes* lanes = &worker->features[0];
    const uint32_t k = lanes->count++;
    abut__feature_corners at;
    abut__feature_vertex_face(t, side, corner, &at, &lanes->lane[k]);
    put_point(sides[side], corner, lanes->points.point, k);
    for (uint32_t c = 0; c < 3; ++c) {
        put_point(sides[1 - side], c, lanes->points.corner[c], k);
    }
    if (lanes->count == ABUT__BATCH) {
        flush(run, worker, false);
    }
}

static void add_edge_edge(const abut__run* run, abut__worker* worker,
                          const abut__feature_triangles* t, block_side* const sides[2], uint32_t i,
                          uint32_t j) {
    abut__feature_lanes* lanes = &worker->features[1];
    const uint32_t k = lanes->count++;
    abut__feature_corners at;
    abut__feature_edge_edge(t, i, j, &at, &lanes->lane[k]);
    for (uint32_t c = 0; c < 4; ++c) {
        put_point(sides[at.side[c]], at.corner[c], lanes->segments.end[c], k);
    }
    if (lanes->count == ABUT__BATCH) {
        flush(run, worker, true);
    }
}

// ---- candidates

// Two blocks whose candidates are decided.
typedef struct block_pair {
    const abut__run* run;
    abut__worker* worker;
    const abut__job* job;
    bool filters;  // some pairs of triangles may be excluded
    block_side* sides[2];
} block_pair;

// returns the corners of candidates in a row, one bit each
static uint64_t corners_of(const abut__block* fixed, const abut__candidate* first,
                           const abut__candidate* end, int side) {
    uint64_t corners = 0;
    for (const abut__candidate* c = first; c < end; ++c) {
        for (int i = 0; i < 3; ++i) {
            corners |= UINT64_C(1) << fixed->corner[i][c->lane[side]];
        }
    }
    return corners;
}

// fills in rows of vertices, a bit each
static void fill_rows(const abut_mesh* mesh, block_side* s, uint64_t vertices, int side) {
    const double sign = side == 0 ? 1 : -1;
    for (uint64_t left = vertices; left != 0; left &= left - 1) {
        const uint32_t v = (uint32_t)__builtin_ctzll(left);
        double* row = s->block.rows[v];
        for (int d = 0; d < 3; ++d) {
            row[d] = sign * s->corners.xyz[v][d];
            row[4 + d] = -row[d];
        }
        row[3] = row[7] = 0;
        s->block.classes[v] = abut__mesh_class(mesh, s->block.fixed->vertex[v]);
    }
    s->rows |= vertices;
}

static void fill_owned(const abut_shape* shape, block_side* s) {
    const uint8_t* owned = abut__shape_owned(shape);
    const abut__block* fixed = s->block.fixed;
    for (uint32_t t = 0; t < fixed->triangle_count; ++t) {
        s->block.owned[t] = owned[fixed->triangle[t]];
    }
}

// fetches what candidates in a row need of one of their blocks
static void open_block(const block_pair* pair, const abut__candidate* first,
                       const abut__candidate* end, int side) {
    const abut__view* view = &pair->job->view[side];
    const uint32_t block = first->block[side];
    block_side* s = pair->sides[side];
    const abut__block* fixed = view->tree->blocks[block];
    if (s->block.fixed == NULL || s->corners.body != view->body || s->block.fixed != fixed) {
        s->block.fixed = fixed;
        s->rows = 0;
        fill_owned(view->shape, s);
    }
    const bool placed = view->placing[1] != NULL;
    s->rows = s->corners.placed == placed ? s->rows : 0;
    const uint64_t wanted = corners_of(fixed, first, end, side);
    abut__corners_fetch(pair->run->scene, &s->corners, view->body, block, placed,
                        pair->job->suspect, wanted);
    fill_rows(view->shape->mesh, s, wanted & ~s->rows, side);
}

static void load_triangle(block_side* s, uint32_t lane) {
    const abut__block* fixed = s->block.fixed;
    s->triangle = fixed->triangle[lane];
    for (uint32_t c = 0; c < 3; ++c) {
        s->place[c] = fixed->corner[c][lane];
        s->vertex[c] = fixed->vertex[s->place[c]];
    }
}

// adds pairs of features, bits of ABUT__FEATURE_PAIRS, of the triangles that are loaded
static void add_features(const block_pair* pair, abut__task* task, uint32_t pairs) {
    const block_side* a = pair->sides[0];
    const block_side* b = pair->sides[1];
    const abut__feature_triangles t = {
        pair->job, task, {a->triangle, b->triangle}, {a->vertex, b->vertex}};
    for (uint32_t left = pairs & 63; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        add_vertex_face(pair->run, pair->worker, &t, pair->sides, i / 3, i % 3);
    }
    for (uint32_t left = pairs >> 6; left != 0; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(left);
        add_edge_edge(pair->run, pair->worker, &t, pair->sides, i / 3, i % 3);
    }
}

static bool is_filtered(const block_pair* pair, const abut__candidate* c) {
    const uint32_t a = pair->sides[0]->block.fixed->triangle[c->lane[0]];
    const uint32_t b = pair->sides[1]->block.fixed->triangle[c->lane[1]];
    const bool swapped = pair->job->self && a > b;
    return abut__pair_filtered(pair->run, pair->job, swapped ? b : a, swapped ? a : b);
}

// whether a corner of a candidate is not finite; the reader notes the lowest one
static bool is_bad(const block_pair* pair, const abut__candidate* c) {
    bool bad = false;
    for (int side = 0; side < 2; ++side) {
        const block_side* s = pair->sides[side];
        const abut__block* fixed = s->block.fixed;
        for (int i = 0; i < 3 && s->corners.bad != 0; ++i) {
            const uint32_t v = fixed->corner[i][c->lane[side]];
            if ((s->corners.bad >> v & 1) != 0) {
                const uint64_t name = (uint64_t)s->corners.body->index << 32 | fixed->vertex[v];
                abut__reader* reader = &pair->worker->reader;
                reader->bad_vertex = name < reader->bad_vertex ? name : reader->bad_vertex;
                bad = true;
            }
        }
    }
    return bad;
}

// Returns the greatest margin of features of the two blocks.
static double margin_of_blocks(const block_pair* pair) {
    const abut__job* job = pair->job;
    double thick[2] = {job->thick[0].most, job->thick[1].most};
    for (int side = 0; side < 2 && job->varies; ++side) {
        const abut__block* fixed = pair->sides[side]->block.fixed;
        thick[side] = abut__span_thickness(&job->thick[side], fixed->vertex, fixed->vertex_count);
    }
    return abut__margin_of(job, thick[0], thick[1]);
}

// decides at most SOME candidates
#define SOME 64
static void decide_some(const block_pair* pair, const abut__candidate* c, uint32_t count) {
    uint8_t lanes[SOME][2];
    uint16_t near[SOME];
    uint16_t task[SOME];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(lanes[kept], c[i].lane, sizeof lanes[kept]);
        task[kept] = c[i].task;
        const bool excluded = pair->filters && is_filtered(pair, &c[i]);
        pair->worker->reader.counters.pairs_filtered += excluded;
        kept += !excluded && !(pair->job->suspect && is_bad(pair, &c[i]));
    }
    pair->run->kernels->features_near(&pair->sides[0]->block, &pair->sides[1]->block,
                                      (const uint8_t(*)[2])lanes, kept, pair->job->self,
                                      margin_of_blocks(pair), near);
    for (uint32_t i = 0; i < kept; ++i) {
        if (near[i] != 0) {
            load_triangle(pair->sides[0], lanes[i][0]);
            load_triangle(pair->sides[1], lanes[i][1]);
            add_features(pair, &pair->run->tasks[task[i]], near[i]);
        }
    }
}

// decides candidates in a row, all of the same two blocks
static void decide_blocks(block_pair* pair, const abut__candidate* first,
                          const abut__candidate* end) {
    pair->job = &pair->run->jobs[first->job];
    pair->filters = pair->run->def->filter.fn != NULL ||
                    pair->job->view[0].shape->ignored_count > 0 ||
                    pair->job->view[1].shape->ignored_count > 0;
    open_block(pair, first, end, 0);
    open_block(pair, first, end, 1);
    for (const abut__candidate* c = first; c < end; c += SOME) {
        decide_some(pair, c, end - c < SOME ? (uint32_t)(end - c) : SOME);
    }
}

void abut__features_candidates(const abut__run* run, abut__worker* worker, bool all) {
    const abut__candidate* c = worker->candidates.data;
    const size_t count = worker->candidates.count;
    block_side sides[2];
    for (int side = 0; side < 2; ++side) {
        sides[side].corners.body = NULL;
        sides[side].corners.placed = false;
        sides[side].block.fixed = NULL;
        sides[side].rows = 0;
    }
    block_pair pair = {.run = run, .worker = worker, .sides = {&sides[0], &sides[1]}};
    for (size_t first = 0, end; first < count && worker->reader.status == ABUT_OK; first = end) {
        end = first + 1;
        while (end < count && abut__same_blocks(&c[end], &c[first])) {
            ++end;
        }
        decide_blocks(&pair, c + first, c + end);
    }
    worker->candidates.count = worker->thinned = 0;
    if (all) {
        flush(run, worker, false);
        flush(run, worker, true);
    }
}
