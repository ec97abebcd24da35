// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Earliest times at which moving boxes can meet. If only the earliest contacts are wanted, and one
// is known, pairs of boxes that can only meet later are skipped.
//
// The sides of a box are interpolated between both ends; vertices do not pass them in between. So a
// gap between two boxes along an axis, g0 at the start and g1 at the end, changes linearly. If both
// are positive the gap lasts all the time; if one is, it lasts on that side of g0 / (g0 - g1).
// Boxes meet only when there is no gap along any axis.
//
// Rounding. Boxes may be rounded to nearest, by 2^-24 of their coordinates, so 2^-23 is subtracted
// from the gaps. The rest is in double and loses far less than 2^-30. A NaN counts as no gap.
//
// No earliest contact is skipped. The earliest contacts are all those at the earliest time
// returned. The time that is returned for a pair is never one at which its own corners have such a
// gap, up to 2^-49 of itself or 2^-52 (exact/moving_features.c). Gaps of boxes around the corners
// do not last longer. So no test finds a contact in a skipped pair up to the known time.
#include "base/sort.h"
#include "query/query.h"

// returns the gap from the upper side of one box to the lower side of another, less rounding
static double gap(double hi, double lo) {
    return lo - hi - 0x1p-23 * (fabs(lo) + fabs(hi)) - (double)ABUT__TINY;
}

// removes the times of a gap from the interval [enter, leave]
static void cut_gap(double g0, double g1, double* enter, double* leave) {
    if (g0 > 0 && g1 > 0) {
        *enter = INFINITY;
    } else if (g0 > 0 && g1 <= 0) {
        *enter = fmax(*enter, g0 / (g0 - g1) * (1 - 0x1p-30));
    } else if (g0 <= 0 && g1 > 0) {
        *leave = fmin(*leave, g0 / (g0 - g1) * (1 + 0x1p-30) + 0x1p-50);
    }
}

double abut__boxes_enter(const abut__box3 a[2], const abut__box3 b[2], const abut__shift* shift) {
    double enter = 0;
    double leave = 1;
    for (int d = 0; d < 3; ++d) {
        double above[2];
        double below[2];
        for (int end = 0; end < 2; ++end) {
            const double lo = (double)a[end].lo[d] + (double)shift->lo[d];
            const double hi = (double)a[end].hi[d] + (double)shift->hi[d];
            above[end] = gap(hi, (double)b[end].lo[d]);
            below[end] = gap((double)b[end].hi[d], lo);
        }
        cut_gap(above[0], above[1], &enter, &leave);
        cut_gap(below[0], below[1], &enter, &leave);
    }
    return enter <= leave ? enter : INFINITY;
}

double abut__swept_enter(const abut__job* job, abut__ref a, abut__ref b) {
    const abut__view* view = job->view;
    if (job->unbounded || view->kind->box_at == NULL || b == ABUT__LINKS || (job->self && a == b)) {
        return 0;
    }
    abut__box3 boxes[2][2];
    for (int end = 0; end < 2; ++end) {
        boxes[0][end] = view[0].kind->box_at(&view[0], a, end);
        boxes[1][end] = view[1].kind->box_at(&view[1], b, end);
    }
    return abut__boxes_enter(boxes[0], boxes[1], &job->shift);
}

// computes the boxes of some corners of a triangle, a bit each, at both ends
static void corner_boxes(const abut__moving_triangle* t, uint32_t corners, abut__box3 out[2]) {
    for (int end = 0; end < 2; ++end) {
        for (int d = 0; d < 3; ++d) {
            float lo = INFINITY;
            float hi = -INFINITY;
            for (uint32_t left = corners; left != 0; left &= left - 1) {
                const float x = t->x[end][d][__builtin_ctz(left)];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            out[end].lo[d] = lo;
            out[end].hi[d] = hi;
        }
    }
}

double abut__features_enter(const abut__job* job, const abut__moving_triangle* a,
                            const abut__moving_triangle* b, uint32_t pair) {
    if (job->view[0].kind->box_at == NULL) {
        return 0;  // in a part of a step, times are not those of the step
    }
    static const uint8_t edge[3] = {3, 6, 5};
    const uint32_t of_a = pair < 3 ? 1u << pair : pair < 6 ? 7 : edge[(pair - 6) / 3];
    const uint32_t of_b = pair < 3 ? 7 : pair < 6 ? 1u << (pair - 3) : edge[(pair - 6) % 3];
    abut__box3 boxes[2][2];
    corner_boxes(a, of_a, boxes[0]);
    corner_boxes(b, of_b, boxes[1]);
    return abut__boxes_enter(boxes[0], boxes[1], &job->corner_shift);
}

bool abut__first_seeds(const abut__run* run, abut__workspace* work) {
    const size_t count = work->seeds.count;
    abut__entries* sorted = &work->seeds2;
    abut__keyed* keys = abut__renew(run->context, &work->keys, 2 * count);
    abut__entry* to = abut__renew(run->context, sorted, count);
    if (keys == NULL || to == NULL) {
        return count == 0;
    }
    const abut__entry* from = work->seeds.data;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        const double enter = abut__swept_enter(&run->jobs[from[i].job], from[i].a, from[i].b);
        keys[kept] = (abut__keyed){abut__key_of_double(enter), i};
        kept += enter <= 1;
    }
    abut__sort_keyed(keys, keys + count, kept);
    for (size_t i = 0; i < kept; ++i) {
        to[i] = from[keys[i].value];
    }
    memcpy(work->seeds.data, to, kept * sizeof *to);
    work->seeds.count = kept;
    return true;
}
