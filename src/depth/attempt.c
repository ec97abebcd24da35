// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the shift along one direction that frees a region: tests translations with the query and
// makes them longer while something touches.
#include <math.h>

#include "depth/depth.h"

enum {
    GROW_MOST = 9,    // times that a shift which still touches is made longer,
    GROW_CLEAN = 0,   // and the same if no other triangles may touch either
    EXTENSIONS = 16,  // steps from one shift for which something touches to the next
};

void abut__attempt_deepest(const abut__attempt* a, const double direction[3], double point_a[3],
                           double point_b[3]) {
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    abut__overlap_deepest(&a->depths->overlap, 0, back, point_a);
    abut__overlap_deepest(&a->depths->overlap, 1, direction, point_b);
}

// whether any vertex of either body that was inside still is
static bool any_inside(const abut__attempt* a, const double translation[3]) {
    const abut__overlap* o = &a->depths->overlap;
    bool inside = false;
    for (int s = 0; s < 2; ++s) {
        const double(*p)[3] = o->points[s].data;
        for (size_t i = 0; i < o->vertex_count[s] && !inside; ++i) {
            inside = abut__trial_inside(&a->trial, translation, s, p[i]);
        }
    }
    return inside;
}

// whether any piece that was wholly inside still is
static bool any_piece_inside(const abut__attempt* a, const double translation[3]) {
    const abut__inside_piece* pieces = a->depths->overlap.pieces.data;
    bool inside = false;
    for (size_t i = 0; i < a->depths->overlap.pieces.count && !inside; ++i) {
        inside = abut__trial_inside(&a->trial, translation, pieces[i].side, pieces[i].point);
    }
    return inside;
}

// One translation for all regions must not put a piece into the other body that was outside either.
static bool any_newly_inside(const abut__attempt* a, const double translation[3]) {
    bool inside = false;
    for (int s = 0; s < 2; ++s) {
        const abut__depth_side* side = &a->depths->regions.side[s];
        const uint32_t count = side->topology->piece_count;
        for (uint32_t i = 0; i < count && count > 1 && !inside; ++i) {
            double p[3];
            abut__body_vertex(side->body, side->topology->piece_vertex[i], 1, p);
            abut__frame_apply(&side->body->frame, p);
            inside = abut__trial_inside(&a->trial, translation, s, p);
        }
    }
    return inside;
}

// Within one body only the patches are known, so the direction must lead out of the other patch.
// Between two bodies the points that were inside are classified again. If nothing touches, the
// deepest point of each body decides for all that is connected to it; otherwise each vertex is
// classified. A piece that was wholly inside and touches nothing is decided by one of its points.
bool abut__attempt_is_out(const abut__attempt* a, const double direction[3], bool clean,
                          const double translation[3]) {
    double p[3];
    double q[3];
    if (a->depths->regions.within) {
        return (direction[0] * a->out[0] + direction[1] * a->out[1]) + direction[2] * a->out[2] >=
               0;
    }
    if (any_piece_inside(a, translation) ||
        (a->together && clean && any_newly_inside(a, translation))) {
        return false;
    }
    abut__attempt_deepest(a, direction, p, q);
    return a->depths->overlap.contained || (!abut__trial_inside(&a->trial, translation, 0, p) &&
                                            !abut__trial_inside(&a->trial, translation, 1, q) &&
                                            (clean || !any_inside(a, translation)));
}

abut_status abut__attempt_shift(const abut__attempt* a, const double direction[3], bool clean,
                                double* shift) {
    double slack = 0x1p-38 * a->scale;
    for (int k = 0; k < GROW_MOST; ++k, slack *= 16) {
        const double longer = *shift + slack;
        const double translation[3] = {longer * direction[0], longer * direction[1],
                                       longer * direction[2]};
        bool touching;
        const abut_status status = clean ? abut__trial_bodies(&a->trial, translation, &touching)
                                         : abut__trial_region(&a->trial, translation, &touching);
        if (status != ABUT_OK) {
            return status;
        }
        if (!touching) {
            *shift = abut__attempt_is_out(a, direction, clean, translation) ? longer : INFINITY;
            return ABUT_OK;
        }
        // the slack covers rounding only: it does not help where other triangles touch
        if (clean && k == GROW_CLEAN) {
            break;
        }
    }
    *shift = INFINITY;
    return ABUT_OK;
}

abut_status abut__attempt_extend(const abut__attempt* a, const double direction[3], bool clean,
                                 double limit, double* shift) {
    double slack = 0x1p-38 * a->scale;
    for (int k = 0; k < EXTENSIONS; ++k, slack *= 2) {
        const double translation[3] = {*shift * direction[0], *shift * direction[1],
                                       *shift * direction[2]};
        double further;
        const abut_status status = abut__trial_further(&a->trial, translation, clean, direction,
                                                       &further);
        if (status != ABUT_OK || further == 0) {
            return status;
        }
        *shift += further + slack;
        if (*shift >= limit) {
            break;
        }
    }
    *shift = limit;
    return ABUT_OK;
}
