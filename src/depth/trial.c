// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trying a translation out: see trial.h. The query is an ordinary one through a moved view of the body.
// Boxes and vertices are cached without the translation, so that all trials share them. Within one body
// only two patches matter: see patch_trial.h.
#include "depth/trial.h"

#include <float.h>
#include <math.h>

#include "base/vec3.h"
#include "query/contains.h"

// returns a triangle's entry in the regions; NULL: it is in none
static const abut__depth_triangle* region_triangle(const abut__regions* r, int s,
                                                   uint32_t triangle) {
    const abut__depth_side* side = &r->side[s];
    const abut__depth_place* place = side->triangle_place.data + triangle;
    return place->stamp == r->stamp ? &side->triangles.data[place->number] : NULL;
}

// Whether a triangle assigns a pair to a region; `other` is the second one of the pair. The region
// of a piece that is wholly inside has all of the other body.
static bool assigns(const abut__depth_triangle* t, const abut__depth_triangle* other,
                    uint32_t region) {
    return t != NULL && t->region == region &&
           (t->piece_inside || (other != NULL && other->region == region));
}

static bool is_pair_of(const abut__depth_triangle* a, const abut__depth_triangle* b,
                       uint32_t region) {
    return assigns(a, b, region) || assigns(b, a, region);
}

static bool in_region(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    const abut__trial* t = user;
    const abut__regions* r = t->regions;
    (void)body_a;
    (void)body_b;
    return is_pair_of(region_triangle(r, 0, a), region_triangle(r, 1, b), t->region);
}

static bool in_no_other(void* user, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b) {
    const abut__trial* t = user;
    const abut__depth_triangle* own = region_triangle(t->regions, 0, a);
    const abut__depth_triangle* other = region_triangle(t->regions, 1, b);
    (void)body_a;
    (void)body_b;
    return is_pair_of(own, other, t->region) ||
           !((own != NULL && is_pair_of(own, other, own->region)) ||
             (other != NULL && is_pair_of(own, other, other->region)));
}

// asks for all pairs, or whether there is one
static abut_status try_out(const abut__trial* trial, const double translation[3],
                           abut_filter_fn filter, bool any, bool* touching) {
    // a query changes no body: it only caches what follows from its state
    abut__body* a = (abut__body*)trial->regions->side[0].body;
    abut__body* b = (abut__body*)trial->regions->side[1].body;
    abut_frame frame = a->frame;
    for (int d = 0; d < 3; ++d) {
        frame.t[d] += translation[d];
    }
    abut__view here;
    abut__view other;
    abut__view_now(a, &here);
    abut__view_now(b, &other);
    const abut__view moved = abut__view_moved(&here, &frame);
    abut__settings def = abut__settings_default;
    def.any = any;
    def.filter = (abut_filter){filter, (void*)trial};
    def.counters = trial->regions->counters;
    abut__workspace_begin(trial->work);
    abut_status status = abut__query_add_job(trial->work, &moved, &other, false, &def);
    if (status == ABUT_OK) {
        status = abut__query_run(trial->scene, &def, trial->work, false);
    }
    *touching = trial->work->found;
    return status;
}

abut_status abut__trial_region(const abut__trial* trial, const double translation[3],
                               bool* touching) {
    if (trial->regions->within) {
        const bool ok = abut__patch_trial_run(trial->patches, trial->regions, translation, true);
        *touching = trial->patches->pairs.count > 0;
        return ok ? ABUT_OK : ABUT_ERR_NO_MEMORY;
    }
    return try_out(trial, translation, in_region, true, touching);
}

abut_status abut__trial_bodies(const abut__trial* trial, const double translation[3],
                               bool* touching) {
    return try_out(trial, translation, in_no_other, true, touching);
}

static void corners_of(const abut__body* body, uint32_t triangle, const double translation[3],
                       double out[3][3]) {
    for (int c = 0; c < 3; ++c) {
        abut__body_vertex(body, body->shape->mesh->triangles[3 * (size_t)triangle + (size_t)c], 1,
                          out[c]);
        abut__frame_apply(&body->frame, out[c]);
        for (int d = 0; d < 3; ++d) {
            out[c][d] += translation[d];
        }
    }
}

// finds all pairs that touch after `translation`: see trial.h for `clean`
static abut_status pairs_after(const abut__trial* trial, const double translation[3], bool clean,
                               const abut_pair** pairs, size_t* count) {
    bool touching;
    if (trial->regions->within) {
        const bool ok = abut__patch_trial_run(trial->patches, trial->regions, translation, false);
        *pairs = abut__contents(&trial->patches->pairs, count);
        return ok ? ABUT_OK : ABUT_ERR_NO_MEMORY;
    }
    const abut_status status = try_out(trial, translation, clean ? in_no_other : in_region, false,
                                       &touching);
    *pairs = abut__contents(&trial->work->pairs, count);
    return status;
}

static void corners_after(const abut__trial* trial, const double translation[3],
                          const abut_pair* pair, double p[3][3], double q[3][3]) {
    static const double none[3] = {0, 0, 0};
    corners_of(trial->regions->side[0].body, pair->triangle_a, translation, p);
    corners_of(trial->regions->side[1].body, pair->triangle_b, none, q);
}

// Whether a shift is certainly more than two triangles need: a plane across the direction separates
// them then, with room for the rounding errors of shifts.
static bool is_free_after(const double p[3][3], const double q[3][3], const double direction[3],
                          double shift) {
    double low = INFINITY;
    double high = -INFINITY;
    double size = 0;
    for (int c = 0; c < 3; ++c) {
        const double own = abut__dot3(p[c], direction);
        const double other = abut__dot3(q[c], direction);
        low = own < low ? own : low;
        high = other > high ? other : high;
        size = fabs(own) > size ? fabs(own) : size;
        size = fabs(other) > size ? fabs(other) : size;
    }
    return high - low < shift - 0x1p-20 * size;
}

abut_status abut__trial_further(const abut__trial* trial, const double translation[3], bool clean,
                                const double direction[3], double* further) {
    const abut_pair* pairs;
    size_t count = 0;
    const abut_status status = pairs_after(trial, translation, clean, &pairs, &count);
    *further = 0;
    for (size_t i = 0; i < count && status == ABUT_OK; ++i) {
        double p[3][3];
        double q[3][3];
        abut__shift_interval interval;
        corners_after(trial, translation, &pairs[i], p, q);
        if (is_free_after((const double(*)[3])p, (const double(*)[3])q, direction, *further)) {
            continue;
        }
        // a pair that touches needs some shift, however small
        const bool met = abut__shift_interval_of((const double(*)[3])p, (const double(*)[3])q,
                                                 direction, &interval);
        const double out = met && interval.leave > DBL_MIN ? interval.leave : DBL_MIN;
        *further = out > *further ? out : *further;
    }
    return status;
}

abut_status abut__trial_deepest_pair(const abut__trial* trial, const double translation[3],
                                     bool clean, abut__pair_depth* deepest, bool* found) {
    const abut_pair* pairs;
    size_t count = 0;
    const abut_status status = pairs_after(trial, translation, clean, &pairs, &count);
    *found = false;
    for (size_t i = 0; i < count && status == ABUT_OK; ++i) {
        double p[3][3];
        double q[3][3];
        corners_after(trial, translation, &pairs[i], p, q);
        const abut__pair_depth now = abut__pair_depth_of((const double(*)[3])p,
                                                         (const double(*)[3])q);
        const double* n = now.direction;
        if ((n[0] != 0 || n[1] != 0 || n[2] != 0) && (!*found || now.length > deepest->length)) {
            *deepest = now;
            *found = true;
        }
    }
    return status;
}

bool abut__trial_inside(const abut__trial* trial, const double translation[3], int side,
                        const double point[3]) {
    const abut__regions* r = trial->regions;
    int32_t winding;
    double p[3];
    for (int d = 0; d < 3; ++d) {
        p[d] = side == 0 ? point[d] + translation[d] : point[d] - translation[d];
    }
    return abut__side_of(r->side[1 - side].body, p, &winding, r->counters) != ABUT_SIDE_OUTSIDE;
}
