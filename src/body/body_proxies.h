// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The contact proxies of a body in its current state, in world coordinates, as doubles.
//
// Pads. Let e be the motion's error bound of a proxy's centre and radius together. A proxy grown by
// e contains its vertices. A coarse sphere is off by 1.5 e (its radius may be twice as large), and
// contains a grown proxy despite all errors if it is grown by (1.5 + 1 + 1) e; it gets 4 e. Frames
// stretch all of this by `stretch`. World coordinates are off by the slack of the frame, once for a
// proxy and its vertices, twice for a coarse sphere.
#ifndef ABUT_BODY_BODY_PROXIES_H
#define ABUT_BODY_BODY_PROXIES_H

#include "body/body.h"
#include "bound/proxies.h"

// Data common to all spheres of a body.
typedef struct abut__proxy_view {
    const abut__body* body;
    const abut__proxies* proxies;
    abut__placing placing;
    double slack;
} abut__proxy_view;

// False: the body has no proxies.
bool abut__proxy_view_make(const abut__body* body, abut__proxy_view* view);
// Computes the spheres of a node's children.
void abut__proxy_node_spheres(const abut__proxy_view* view, uint32_t node, abut__world_balls* out);
// Returns the spheres of a node's children, or for a proxy the proxy alone, and their number.
// `first` receives the number of the first.
uint32_t abut__proxy_spheres(const abut__proxy_view* view, uint32_t number, uint32_t* first,
                             abut__world_balls* out);
// Returns a box around all proxies; false: the body has none.
bool abut__proxy_box(const abut__body* body, abut_box* box);

#endif
