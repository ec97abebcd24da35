// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From the triangles that may be among the closest to rows: distances in double, sixteen at a time,
// then the order of the rows, their points, and their sides.
#include <math.h>

#include "base/sort.h"
#include "exact/point_distance.h"
#include "query/closest.h"

#define SLACK (1 + 0x1p-23)  // as in closest_search.c
#define UNDECIDED (-1.0f)

static const abut__body* body_of(const abut__searcher* s, uint32_t asked) {
    return s->run->result->asked.data[asked].view.body;
}

// Returns vertices of a block that the pool has, at least the wanted ones, a bit each; NULL: it has not.
static const abut__block_exact* cached_vertices(const abut__searcher* s, uint32_t asked,
                                                uint32_t block, uint64_t wanted) {
    abut__near_exact* own = &s->exact[block % ABUT__NEAR_EXACT];
    const uint64_t query = s->run->result->query;
    const bool same = own->query == query && own->asked == asked && own->block == block;
    if (same && (wanted & ~own->here) == 0) {
        return own->vertices;
    }
    const abut__block_exact* found = abut__pool_vertices(s->run->scene, body_of(s, asked), block,
                                                         wanted);
    if (found != NULL) {
        *own = (abut__near_exact){query, wanted | (same ? own->here : 0), found, asked, block};
    }
    return found;
}

// Gets the corners of a lane as the motion has them. Where vertices take work, they are cached.
static void get_corners(const abut__searcher* s, uint32_t asked, uint32_t block, uint32_t lane,
                        double corner[3][3]) {
    const abut__view* view = &s->run->result->asked.data[asked].view;
    const abut__block* fixed = view->tree->blocks[block];
    const uint8_t own[3] = {fixed->corner[0][lane], fixed->corner[1][lane], fixed->corner[2][lane]};
    const uint64_t wanted = UINT64_C(1) << own[0] | UINT64_C(1) << own[1] | UINT64_C(1) << own[2];
    const abut__block_exact* cached = view->state[1]->costly
                                          ? cached_vertices(s, asked, block, wanted)
                                          : NULL;
    if (cached != NULL) {
        for (int i = 0; i < 3; ++i) {
            memcpy(corner[i], cached->xyz[own[i]], sizeof corner[i]);
        }
        return;
    }
    const uint32_t ids[3] = {fixed->vertex[own[0]], fixed->vertex[own[1]], fixed->vertex[own[2]]};
    double xyz[3][3];
    double* const rows[3] = {xyz[0], xyz[1], xyz[2]};
    view->shape->motion->vertices(view->shape, view->state[1], ids, 3, rows);
    for (int i = 0; i < 3; ++i) {
        for (int d = 0; d < 3; ++d) {
            corner[i][d] = xyz[d][i];
        }
    }
}

bool abut__closest_corners(abut__searcher* s, uint32_t asked, uint32_t block, uint32_t lane,
                           double corner[3][3]) {
    const abut__asked* from = &s->run->result->asked.data[asked];
    double sum = 0;
    get_corners(s, asked, block, lane, corner);
    for (int i = 0; i < 3; ++i) {
        if (from->placed) {
            abut__frame_apply(from->view.frame, corner[i]);
        }
        sum += 0 * (corner[i][0] + corner[i][1] + corner[i][2]);  // no number if one is not finite
    }
    const abut__block* fixed = from->view.tree->blocks[block];
    for (int i = 0; i < 3 && sum != 0; ++i) {
        if (!isfinite(corner[i][0]) || !isfinite(corner[i][1]) || !isfinite(corner[i][2])) {
            const uint64_t bad = (uint64_t)from->view.body->index << 32 |
                                 fixed->vertex[fixed->corner[i][lane]];
            s->bad_vertex = bad < s->bad_vertex ? bad : s->bad_vertex;
            return false;
        }
    }
    return true;
}

// Makes pairs of the triangles that are still near enough, of one point or of a pack.
static bool gather_pairs(abut__searcher* s, const abut__pack_point* points) {
    s->pairs.count = 0;
    for (size_t i = 0; i < s->triangles.count; ++i) {
        const abut__near_triangle* own = &s->triangles.data[i];
        const double reach = points != NULL ? points[own->of].reach : s->reach;
        if ((double)own->lower > reach * SLACK) {
            continue;
        }
        abut__near_pair* pair = abut__push(s->run->result->work.context, &s->pairs, 1);
        if (pair == NULL) {
            return false;
        }
        pair->asked = own->asked;
        pair->triangle = s->run->result->asked.data[own->asked]
                             .view.tree->blocks[own->block]
                             ->triangle[own->lane];
        pair->block = own->block;
        pair->lane = own->lane;
        pair->of = own->of;
        pair->at = points != NULL ? points[own->of].at : s->at;
        if (!abut__closest_corners(s, own->asked, own->block, own->lane, pair->corner)) {
            --s->pairs.count;
        }
    }
    return true;
}

static void measure_some(abut__searcher* s, abut__near_pair* pairs, uint32_t count) {
    abut__point_batch batch;
    abut__distances found;
    for (uint32_t k = 0; k < ABUT__BATCH; ++k) {
        const abut__near_pair* pair = &pairs[k < count ? k : 0];  // numbers at random might be slow
        for (int d = 0; d < 3; ++d) {
            for (int c = 0; c < 3; ++c) {
                batch.corner[c][d][k] = pair->corner[c][d];
            }
            batch.point[d][k] = pair->at[d];
        }
    }
    s->run->kernels->measure_points(&batch, (1u << count) - 1, &found);
    s->counters.exact_tests += count;
    s->counters.exact_fallbacks += (uint64_t)__builtin_popcount(found.open);
    for (uint32_t k = 0; k < count; ++k) {
        abut__near_pair* pair = &pairs[k];
        if ((found.open >> k & 1) == 0) {
            pair->distance = found.distance[k];
            pair->s = found.s[k];
            pair->t = found.t[k];
            pair->feature = (float)found.feature[k];
        } else {
            abut_witness unused;
            pair->feature = UNDECIDED;
            abut__point_distance_open((const double(*)[3])pair->corner, pair->at, &pair->distance,
                                      &unused);
        }
    }
}

static void measure_all(abut__searcher* s) {
    for (size_t i = 0; i < s->pairs.count; i += ABUT__BATCH) {
        const size_t left = s->pairs.count - i;
        measure_some(s, s->pairs.data + i, (uint32_t)(left < ABUT__BATCH ? left : ABUT__BATCH));
    }
}

static bool is_before(const abut__near_pair* a, const abut__near_pair* b) {
    return a->distance != b->distance ? a->distance < b->distance
           : a->asked != b->asked     ? a->asked < b->asked
                                      : a->triangle < b->triangle;
}

static bool is_within(const abut__searcher* s, const abut__near_pair* pair) {
    const double most = s->run->def->max_distance;
    return most == INFINITY ||
           // NOLINTNEXTLINE(clang-analyzer-*): there are pairs
           abut__point_within((const double(*)[3])pair->corner, pair->at, pair->distance, most);
}

static bool add_row(abut__searcher* s, uint32_t point, const abut__near_pair* pair,
                    abut__closest_task* task) {
    abut_closest_point* row = abut__push(s->run->result->work.context, &task->rows, 1);
    if (row == NULL) {
        return false;
    }
    const double(*corner)[3] = (const double(*)[3])pair->corner;
    row->point = point;
    row->body = body_of(s, pair->asked)->index;
    row->triangle = pair->triangle;
    row->side = ABUT_SIDE_UNDEFINED;
    row->distance = pair->distance;
    if (pair->feature == UNDECIDED) {
        abut__point_distance_open(corner, pair->at, &row->distance, &row->nearest);
    } else {
        const abut__closest found = {pair->s, pair->t, (double)pair->feature};
        abut__point_complete(corner, &found, &row->nearest);
    }
    return true;
}

// the best pair alone, for the usual query
static bool add_best(abut__searcher* s, uint32_t point, abut__closest_task* task,
                     const abut__near_pair** best) {
    const abut__near_pair* pairs = s->pairs.data;
    for (size_t i = 0; i < s->pairs.count; ++i) {
        if ((*best == NULL || is_before(&pairs[i], *best)) && is_within(s, &pairs[i])) {
            *best = &pairs[i];
        }
    }
    return *best == NULL || add_row(s, point, *best, task);
}

// sorts by (distance, body, triangle)
static bool sort_pairs(abut__searcher* s) {
    const size_t count = s->pairs.count;
    const abut__near_pair* pairs = s->pairs.data;
    abut__keyed* order = abut__renew(s->run->result->work.context, &s->order, 2 * count);
    if (order == NULL) {
        return count == 0;
    }
    for (size_t i = 0; i < count; ++i) {
        order[i] = (abut__keyed){(uint64_t)pairs[i].asked << 32 | pairs[i].triangle, i};
    }
    abut__sort_keyed(order, order + count, count);
    for (size_t i = 0; i < count; ++i) {
        order[i].key = abut__key_of_double(pairs[order[i].value].distance);
    }
    abut__sort_keyed(order, order + count, count);
    return true;
}

static bool add_sorted(abut__searcher* s, uint32_t point, abut__closest_task* task,
                       const abut__near_pair** best) {
    const uint32_t most = s->run->def->most;
    if (!sort_pairs(s)) {
        return false;
    }
    uint32_t added = 0;
    for (size_t i = 0; i < s->pairs.count && (most == 0 || added < most); ++i) {
        const abut__near_pair* pair = &s->pairs.data[s->order.data[i].value];
        if (!is_within(s, pair)) {
            continue;
        }
        *best = *best == NULL ? pair : *best;
        ++added;
        if (!add_row(s, point, pair, task)) {
            return false;
        }
    }
    return true;
}

static abut__near_last place_of(const abut__searcher* s, const abut__near_pair* pair) {
    return (abut__near_last){body_of(s, pair->asked)->index, pair->block, pair->lane};
}

bool abut__closest_rows(abut__searcher* s, uint32_t point, abut__closest_task* task,
                        abut__near_last* last) {
    const abut__near_pair* best = NULL;
    if (!gather_pairs(s, NULL)) {
        return false;
    }
    measure_all(s);
    const bool room = (s->run->def->most == 1 ? add_best : add_sorted)(s, point, task, &best);
    if (best != NULL) {
        *last = place_of(s, best);
    }
    return room;
}

// ---- packs

bool abut__closest_measure_pack(abut__searcher* s, abut__point_pack* pack) {
    abut__pack_point* points = pack->points;
    if (!gather_pairs(s, points)) {
        return false;
    }
    measure_all(s);
    for (size_t i = 0; i < s->pairs.count; ++i) {
        const abut__near_pair* pair = &s->pairs.data[i];
        const abut__near_pair** best = &points[pair->of].best;
        if ((*best == NULL || is_before(pair, *best)) && is_within(s, pair)) {
            *best = pair;
        }
    }
    return true;
}

bool abut__closest_pack_row(abut__searcher* s, const abut__pack_point* own, uint32_t point,
                            abut__closest_task* task, abut__near_last* last) {
    if (own->best == NULL) {
        return true;
    }
    *last = place_of(s, own->best);
    return add_row(s, point, own->best, task);
}
