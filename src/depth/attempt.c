// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far a direction needs: translations are tried out with the query itself, and made longer while they touch.
#include <math.h>

#include "depth/depth.h"

enum {
    GROW_MOST = 9,   // a shift that still touches is made longer so often,
    GROW_CLEAN = 0,  // or so often more, if other triangles are not to touch either
    PUSHES = 16,     // from one shift with which something touches to the next
};

void abut__attempt_deepest(const abut__attempt* a, const double direction[3], double point_a[3],
                           double point_b[3]) {
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    abut__escape_deepest(&a->depths->escape, 0, back, point_a);
    abut__escape_deepest(&a->depths->escape, 1, direction, point_b);
}

// all vertices that were inside, of both bodies
static bool any_inside(const abut__attempt* a, const double way[3]) {
    const abut__escape* e = &a->depths->escape;
    bool inside = false;
    for (int s = 0; s < 2; ++s) {
        const double(*p)[3] = e->points[s].data;
        for (size_t i = 0; i < e->vertex_count[s] && !inside; ++i) {
            inside = abut__trial_inside(&a->trial, way, s, p[i]);
        }
    }
    return inside;
}

// pieces that were wholly inside
static bool any_piece_inside(const abut__attempt* a, const double way[3]) {
    const abut__escape_piece* pieces = a->depths->escape.pieces.data;
    bool inside = false;
    for (size_t i = 0; i < a->depths->escape.pieces.count && !inside; ++i) {
        inside = abut__trial_inside(&a->trial, way, pieces[i].side, pieces[i].point);
    }
    return inside;
}

// One translation for all must not put pieces into each other that were apart either.
static bool any_swallowed(const abut__attempt* a, const double way[3]) {
    bool inside = false;
    for (int s = 0; s < 2; ++s) {
        const abut__depth_side* side = &a->depths->regions.side[s];
        const uint32_t count = side->topology->piece_count;
        for (uint32_t i = 0; i < count && count > 1 && !inside; ++i) {
            double p[3];
            abut__body_vertex(side->body, side->topology->piece_vertex[i], 1, p);
            abut__frame_apply(&side->body->frame, p);
            inside = abut__trial_inside(&a->trial, way, s, p);
        }
    }
    return inside;
}

// Within one body only the patches are known, so the way must lead out of the other one. Else points that were
// inside are asked: if nothing touches, what is joined to them is on the same side; otherwise all are. A piece that
// was wholly inside and touches nothing is where one of its points is.
bool abut__attempt_is_out(const abut__attempt* a, const double direction[3], bool clean,
                          const double way[3]) {
    double p[3];
    double q[3];
    if (a->depths->regions.within) {
        return (direction[0] * a->out[0] + direction[1] * a->out[1]) + direction[2] * a->out[2] >=
               0;
    }
    if (any_piece_inside(a, way) || (a->together && clean && any_swallowed(a, way))) {
        return false;
    }
    abut__attempt_deepest(a, direction, p, q);
    return a->depths->escape.contained ||
           (!abut__trial_inside(&a->trial, way, 0, p) &&
            !abut__trial_inside(&a->trial, way, 1, q) && (clean || !any_inside(a, way)));
}

abut_status abut__attempt_shift(const abut__attempt* a, const double direction[3], bool clean,
                                double* shift) {
    double slack = 0x1p-38 * a->scale;
    for (int k = 0; k < GROW_MOST; ++k, slack *= 16) {
        const double longer = *shift + slack;
        const double way[3] = {longer * direction[0], longer * direction[1], longer * direction[2]};
        bool touching;
        const abut_status status = clean ? abut__trial_bodies(&a->trial, way, &touching)
                                         : abut__trial_region(&a->trial, way, &touching);
        if (status != ABUT_OK) {
            return status;
        }
        if (!touching) {
            *shift = abut__attempt_is_out(a, direction, clean, way) ? longer : INFINITY;
            return ABUT_OK;
        }
        // what touches by more than rounding will not be helped by it
        if (clean && k == GROW_CLEAN) {
            break;
        }
    }
    *shift = INFINITY;
    return ABUT_OK;
}

abut_status abut__attempt_push(const abut__attempt* a, const double direction[3], bool clean,
                               double limit, double* shift) {
    double slack = 0x1p-38 * a->scale;
    for (int k = 0; k < PUSHES; ++k, slack *= 2) {
        const double way[3] = {*shift * direction[0], *shift * direction[1], *shift * direction[2]};
        double further;
        const abut_status status = abut__trial_further(&a->trial, way, clean, direction, &further);
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
