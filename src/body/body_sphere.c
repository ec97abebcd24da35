// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A sphere in world coordinates around a whole body, from the sphere of its motion, or else from
// the box of its root.
#include <math.h>

#include "body/body.h"

// |R v| <= sqrt(|R R^T|) |v|, and no row of R R^T sums to less than that norm
double abut__frame_stretch(const abut_frame* frame) {
    double most = 0;
    for (int d = 0; d < 3; ++d) {
        double sum = 0;
        for (int e = 0; e < 3; ++e) {
            const double* a = frame->r[d];
            const double* b = frame->r[e];
            sum += fabs((a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]);
        }
        most = sum > most ? sum : most;
    }
    return sqrt(most) * (1 + 0x1p-48);
}

double abut__body_slack(const abut__body* body, const abut_frame* frame) {
    return 3 * 0x1p-48 * abut__body_far_in(body, 1, frame) + (double)ABUT__TINY;
}

static abut__ball around_box(const abut_box* box) {
    abut__ball ball = {{0, 0, 0}, 0};
    double half[3];
    static const double nothing[3] = {0, 0, 0};
    for (int d = 0; d < 3; ++d) {
        ball.c[d] = 0.5 * box->lo[d] + 0.5 * box->hi[d];
        half[d] = fmax(box->hi[d] - ball.c[d], ball.c[d] - box->lo[d]);
    }
    ball.r = abut__distance_up(half, nothing);
    return ball;
}

abut__ball abut__body_sphere(const abut__body* body, const abut_frame* frame) {
    const abut_shape* shape = body->shape;
    abut__ball ball;
    if (shape->motion->whole_bounds == NULL) {
        abut_box box;
        abut__body_enclose(body, 1, frame, &box);
        ball = around_box(&box);
    } else {
        ball = shape->motion->whole_bounds->sphere(shape, abut__body_state(body, 1));
        const float* origin = abut__body_own_origin(body, 1);
        for (int d = 0; d < 3; ++d) {
            ball.c[d] += (double)origin[d];
        }
        abut__frame_apply(frame, ball.c);
        ball.r = ball.r * abut__frame_stretch(frame) + abut__body_slack(body, frame);
    }
    if (!isfinite(ball.c[0]) || !isfinite(ball.c[1]) || !isfinite(ball.c[2]) || isnan(ball.r)) {
        memcpy(ball.c, frame->t, sizeof ball.c);
        ball.r = INFINITY;
    }
    return ball;
}
