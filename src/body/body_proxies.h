// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The contact proxies of a body in its present state, in world coordinates, as doubles.
//
// Pads. Let e be what the motion says that a proxy's centre and radius may be off by together, and
// grow it by that much: its sphere then holds its vertices. A coarse sphere is off by 1.5 e (its
// radius may be twice as large), and holds a grown proxy whatever both are off by if it is grown by
// (1.5 + 1 + 1) e; it gets 4 e. Frames stretch all that by `stretch`; world coordinates are off by
// the slack of the frame, once for a proxy and its vertices, twice for a coarse sphere.
#ifndef ABUT_BODY_BODY_PROXIES_H
#define ABUT_BODY_BODY_PROXIES_H

#include "body/body.h"
#include "bound/proxies.h"

// What is the same for all spheres of a body.
typedef struct abut__proxy_view {
    const abut__body* body;
    const abut__proxies* proxies;
    abut__placing placing;
    double slack;
} abut__proxy_view;

// False: the body has no proxies.
bool abut__proxy_view_make(const abut__body* body, abut__proxy_view* view);
// The spheres of a node's children, or, of a proxy, itself alone. Returns how many there are;
// `first` receives the number of the first.
uint32_t abut__proxy_spheres(const abut__proxy_view* view, uint32_t number, uint32_t* first,
                             abut__world_balls* out);
// A box around all proxies; false: the body has none.
bool abut__proxy_box(const abut__body* body, abut_box* box);

#endif
