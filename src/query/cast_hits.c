// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides triangles whose boxes a ray meets, and orders those that it meets.
#include <math.h>

#include "query/cast.h"

// ---- corners

// Reads corners of a lane by the ids of its vertices.
static void read_corners(const abut__caster* caster, const uint32_t ids[3], double out[3][3]) {
    const abut__cast_target* target = &caster->target;
    const abut__view* view = &target->view;
    if (!target->direct) {
        view->kind->vertices(view, 1, ids, 3, out);
        return;
    }
    for (int c = 0; c < 3; ++c) {
        abut__read_position(target->source.data, target->source.stride, target->source.is_double,
                            ids[c], out[c]);
        if (view->placing[1] != NULL) {
            abut__frame_apply(view->placing[1], out[c]);
        }
    }
}

// the vertices of a block's lanes, a bit each
static uint64_t vertices_of(const abut__block* fixed, uint64_t lanes) {
    uint64_t wanted = 0;
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(left);
        wanted |= UINT64_C(1) << fixed->corner[0][k] | UINT64_C(1) << fixed->corner[1][k] |
                  UINT64_C(1) << fixed->corner[2][k];
    }
    return wanted;
}

// Gets the corners of a lane; `cached` has the vertices of the block, if it is not NULL.
static void get_corners(const abut__caster* caster, const abut__block* fixed, uint32_t lane,
                        const abut__block_exact* cached, double out[3][3]) {
    uint32_t ids[3];
    for (int c = 0; c < 3; ++c) {
        ids[c] = fixed->vertex[fixed->corner[c][lane]];
    }
    if (cached == NULL) {
        read_corners(caster, ids, out);
        return;
    }
    for (int c = 0; c < 3; ++c) {
        memcpy(out[c], cached->xyz[fixed->corner[c][lane]], sizeof out[c]);
        if (caster->target.view.placing[1] != NULL) {
            abut__frame_apply(caster->target.view.placing[1], out[c]);
        }
    }
}

// whether all corners are finite; the reader notes the lowest vertex that is not
static bool are_finite(abut__caster* caster, const abut__block* fixed, uint32_t lane,
                       double corners[3][3]) {
    bool finite = true;
    for (int c = 0; c < 3; ++c) {
        if (!isfinite(corners[c][0]) || !isfinite(corners[c][1]) || !isfinite(corners[c][2])) {
            const uint64_t bad = (uint64_t)caster->target.view.body->index << 32 |
                                 fixed->vertex[fixed->corner[c][lane]];
            abut__reader* reader = caster->reader;
            reader->bad_vertex = bad < reader->bad_vertex ? bad : reader->bad_vertex;
            finite = false;
        }
    }
    return finite;
}

// Asks for the positions of lanes ahead of their use.
static void expect_corners(const abut__caster* caster, const abut__block* fixed, uint64_t lanes) {
    const abut__source* source = &caster->target.source;
    for (uint64_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctzll(left);
        for (int c = 0; c < 3; ++c) {
            __builtin_prefetch(source->data + fixed->vertex[fixed->corner[c][k]] * source->stride);
        }
    }
}

// ---- decisions

// whether the first of two hits comes before the second
static bool is_before(const abut__cast_ray* ray, const abut__cast_hit* a, const abut__cast_hit* b) {
    const int order = ray->radius > 0
                          // NOLINTNEXTLINE(clang-analyzer-*): a hit that was found has its place
                          ? (a->at.t > b->at.t) - (a->at.t < b->at.t)
                          : abut__ray_order(&ray->exact, (const double(*)[3])a->corners, &a->at,
                                            (const double(*)[3])b->corners, &b->at);
    return order != 0           ? order < 0
           : a->body != b->body ? a->body < b->body
                                : a->triangle < b->triangle;
}

static void take(abut__caster* caster, const abut__cast_hit* hit) {
    switch (caster->def->mode) {
        case ABUT_CAST_ANY: break;
        case ABUT_CAST_FIRST:
            if (caster->shot->found && !is_before(&caster->shot->ray, hit, &caster->shot->best)) {
                return;
            }
            caster->shot->best = *hit;
            abut__aim_shorten(&caster->shot->ray, &hit->at, &caster->shot->aim);
            break;
        case ABUT_CAST_ALL: {
            abut__cast_hit* place = abut__push(caster->scene->context, &caster->hits, 1);
            if (place == NULL) {
                caster->reader->status = ABUT_ERR_NO_MEMORY;
                return;
            }
            *place = *hit;
            break;
        }
    }
    caster->shot->found = true;
}

static bool is_excluded(abut__caster* caster, uint32_t triangle) {
    const abut_ray_filter* filter = &caster->def->filter;
    if (filter->fn == NULL || filter->fn(filter->user, caster->shot->ray.number,
                                         caster->target.view.body->index, triangle)) {
        return false;
    }
    ++caster->reader->counters.pairs_filtered;
    return true;
}

void abut__cast_lanes(abut__caster* caster, uint32_t block, uint64_t lanes) {
    const abut__cast_target* target = &caster->target;
    const abut__block* fixed = target->view.tree->blocks[block];
    abut_counters* counters = &caster->reader->counters;
    const abut__block_exact* cached = target->costly
                                          ? abut__pool_vertices(caster->scene, target->view.body,
                                                                block, vertices_of(fixed, lanes))
                                          : NULL;
    if (target->direct) {
        expect_corners(caster, fixed, lanes);
    }
    for (uint64_t left = lanes; left != 0 && !abut__cast_is_done(caster); left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctzll(left);
        abut__cast_hit hit;
        hit.triangle = fixed->triangle[lane];
        hit.body = target->view.body->index;
        if (is_excluded(caster, hit.triangle)) {
            continue;
        }
        get_corners(caster, fixed, lane, cached, hit.corners);
        if (target->suspect && !are_finite(caster, fixed, lane, hit.corners)) {
            continue;
        }
        bool fallback = false;
        ++counters->exact_tests;
        const double(*corners)[3] = (const double(*)[3])hit.corners;
        const bool meets = caster->shot->ray.radius > 0
                               ? abut__thick_meets(&caster->shot->ray, corners, &hit.at)
                               : abut__ray_meets(&caster->shot->ray.exact, corners, &hit.at,
                                                 &fallback);
        counters->exact_fallbacks += fallback;
        if (meets) {
            take(caster, &hit);
        }
    }
}

// ---- rows

void abut__cast_row(const abut__caster* caster, const abut__cast_hit* hit, abut_ray_hit* row) {
    row->ray = caster->shot->ray.number;
    row->body = hit->body;
    row->triangle = hit->triangle;
    if (caster->shot->ray.radius > 0) {
        abut__thick_row(&caster->shot->ray, (const double(*)[3])hit->corners, &hit->at, row);
        return;
    }
    row->side = hit->at.side < 0   ? ABUT_RAY_SIDE_FRONT
                : hit->at.side > 0 ? ABUT_RAY_SIDE_BACK
                                   : ABUT_RAY_SIDE_EDGE_ON;
    row->t = abut__ray_finish(&caster->shot->ray.exact, (const double(*)[3])hit->corners, &hit->at,
                              row->weights);
}

// merges two sorted runs
static void merge(const abut__caster* caster, const uint32_t* from, uint32_t* to, size_t first,
                  size_t middle, size_t end) {
    size_t i = first;
    size_t j = middle;
    for (size_t k = first; k < end; ++k) {
        const bool right = i >= middle ||
                           (j < end && is_before(&caster->shot->ray, &caster->hits.data[from[j]],
                                                 &caster->hits.data[from[i]]));
        to[k] = right ? from[j++] : from[i++];
    }
}

bool abut__cast_rows(abut__caster* caster, abut__cast_task* task) {
    const abut_context* context = caster->scene->context;
    const size_t count = caster->hits.count;
    if (count == 0) {
        return true;
    }
    uint32_t* from = abut__renew(context, &caster->order, 2 * count);
    abut_ray_hit* rows = from != NULL ? abut__push(context, &task->rows, count) : NULL;
    if (rows == NULL) {
        return false;
    }
    uint32_t* to = from + count;
    for (uint32_t i = 0; i < count; ++i) {
        from[i] = i;
    }
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t first = 0; first < count; first += 2 * width) {
            const size_t middle = first + width < count ? first + width : count;
            const size_t end = middle + width < count ? middle + width : count;
            merge(caster, from, to, first, middle, end);
        }
        uint32_t* last = from;
        from = to;
        to = last;
    }
    for (size_t i = 0; i < count; ++i) {
        abut__cast_row(caster, &caster->hits.data[from[i]], &rows[i]);
    }
    caster->hits.count = 0;
    return true;
}
