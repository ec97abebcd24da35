// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contact proxies of bodies: see body_proxies.h.
#include "body/body_proxies.h"

#include <math.h>

bool abut__proxy_view_make(const abut__body* body, abut__proxy_view* view) {
    view->body = body;
    view->proxies = body->shape->proxies;
    if (view->proxies == NULL) {
        return false;
    }
    memcpy(view->placing.r, body->frame.r, sizeof view->placing.r);
    abut__body_origin(body, 1, view->placing.t);
    view->placing.stretch = abut__frame_stretch(&body->frame);
    view->slack = abut__body_slack(body, &body->frame);
    return true;
}

static void fill_infinite(const abut__proxy_view* view, abut__world_balls* out) {
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        for (int d = 0; d < 3; ++d) {
            out->c[d][k] = view->placing.t[d];
        }
        out->r[k] = INFINITY;
    }
}

void abut__proxy_node_spheres(const abut__proxy_view* view, uint32_t node, abut__world_balls* out) {
    const abut_shape* shape = view->body->shape;
    abut__balls8 balls;
    float error = 0;
    if (!shape->motion->whole_bounds->proxies(shape, abut__body_state(view->body, 1), node, &balls,
                                              &error)) {
        fill_infinite(view, out);
        return;
    }
    const bool coarse = abut__proxies_child(view->proxies, node) < view->proxies->node_count;
    const double grow = (coarse ? 4 : 1) * view->placing.stretch * (double)error +
                        (coarse ? 2 : 1) * view->slack;
    shape->context->kernels->place_balls(&balls, &view->placing, grow, out);
}

uint32_t abut__proxy_spheres(const abut__proxy_view* view, uint32_t number, uint32_t* first,
                             abut__world_balls* out) {
    const abut__proxies* proxies = view->proxies;
    if (number < proxies->node_count) {
        abut__proxy_node_spheres(view, number, out);
        *first = abut__proxies_child(proxies, number);
        return abut__proxies_fan(proxies, number);
    }
    const uint32_t parent = abut__proxies_parent(proxies, number);
    const uint32_t k = number - abut__proxies_child(proxies, parent);
    abut__proxy_node_spheres(view, parent, out);
    for (int d = 0; d < 3; ++d) {
        out->c[d][0] = out->c[d][k];
    }
    out->r[0] = out->r[k];
    *first = number;
    return 1;
}

bool abut__proxy_box(const abut__body* body, abut_box* box) {
    abut__proxy_view view;
    abut__world_balls balls;
    uint32_t first;
    if (!abut__proxy_view_make(body, &view)) {
        return false;
    }
    const uint32_t count = abut__proxy_spheres(&view, 0, &first, &balls);
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = INFINITY;
        box->hi[d] = -INFINITY;
        for (uint32_t k = 0; k < count; ++k) {  // slack for rounding in world coordinates
            box->lo[d] = fmin(box->lo[d], balls.c[d][k] - balls.r[k] - view.slack);
            box->hi[d] = fmax(box->hi[d], balls.c[d][k] + balls.r[k] + view.slack);
        }
    }
    return true;
}
