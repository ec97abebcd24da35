// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces with hubs: see hubs.h.

#include "support/hubs.h"

#include <math.h>

#define TURN 6.283185307179586

const char* hub_name(hub_kind kind) {
    static const char* const names[HUB_KINDS] = {"fan",           "hedgehog", "duplicates", "soup",
                                                 "book",          "cylinder", "several",    "two",
                                                 "book and fans", "bipyramid"};
    return names[kind];
}

static uint32_t add_vertex(surface* s, double x, double y, double z) {
    double* p = s->xyz + 3 * (size_t)s->vertex_count;
    p[0] = x;
    p[1] = y;
    p[2] = z;
    return s->vertex_count++;
}

static void add_triangle(surface* s, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* t = s->triangles + 3 * (size_t)s->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

// so many vertices on a circle; returns the first
static uint32_t add_circle(surface* s, uint32_t count, double x, double z) {
    const uint32_t first = s->vertex_count;
    for (uint32_t i = 0; i < count; ++i) {
        const double angle = TURN * i / count;
        add_vertex(s, x + cos(angle), sin(angle), z);
    }
    return first;
}

static void add_cone(surface* s, uint32_t tip, uint32_t rim, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        add_triangle(s, tip, rim + i, rim + (i + 1) % count);
    }
}

static void add_disc(surface* s, uint32_t count, double x) {
    const uint32_t tip = add_vertex(s, x, 0, 0);
    add_cone(s, tip, add_circle(s, count, x, 0.25), count);
}

static void add_slivers(surface* s, uint32_t count) {
    test_random random = random_seed(count);
    const uint32_t tip = add_vertex(s, 0, 0, 0);
    for (uint32_t i = 0; i < count; ++i) {
        double p[3];
        for (int d = 0; d < 3; ++d) {
            p[d] = 2 * random_unit(&random) - 1;
        }
        const uint32_t a = add_vertex(s, p[0], p[1], p[2]);
        const uint32_t b = add_vertex(s, p[0] * 1.25, p[1] * 1.25 + 1e-9, p[2] * 1.25);
        add_triangle(s, tip, a, b);
    }
}

static void add_copies(surface* s, uint32_t count, bool own) {
    for (uint32_t i = 0; i < count; ++i) {
        if (i == 0 || own) {
            add_vertex(s, 0, 0, 0);
            add_vertex(s, 1, 0, 0.5);
            add_vertex(s, 0, 1, 0.25);
        }
        const uint32_t end = s->vertex_count;
        add_triangle(s, end - 3, end - 2, end - 1);
    }
}

static void add_pages(surface* s, uint32_t a, uint32_t b, uint32_t count) {
    const uint32_t rim = add_circle(s, count, 0, 0.5);
    for (uint32_t i = 0; i < count; ++i) {
        add_triangle(s, a, b, rim + i);
    }
}

static void add_cylinder(surface* s, uint32_t count) {
    const uint32_t tips[2] = {add_vertex(s, 0, 0, 0), add_vertex(s, 0, 0, 1)};
    const uint32_t rims[2] = {add_circle(s, count, 0, 0), add_circle(s, count, 0, 1)};
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = (i + 1) % count;
        add_triangle(s, rims[0] + i, rims[0] + next, rims[1] + i);
        add_triangle(s, rims[0] + next, rims[1] + next, rims[1] + i);
    }
    add_cone(s, tips[0], rims[0], count);
    add_cone(s, tips[1], rims[1], count);
}

static void add_two(surface* s, uint32_t count) {
    const uint32_t tips[2] = {add_vertex(s, 0, 0, 0), add_vertex(s, 10, 0, 0)};
    const uint32_t rims[2] = {add_circle(s, count, 0, 0.25), add_circle(s, count, 10, 0.25)};
    add_cone(s, tips[0], rims[0], count);
    add_cone(s, tips[1], rims[1], count);
    add_triangle(s, tips[0], tips[1], add_vertex(s, 5, 0, -1));
    add_triangle(s, tips[0], tips[1], add_vertex(s, 5, 1, -1));
}

static void add_book_and_fans(surface* s, uint32_t count) {
    const uint32_t a = add_vertex(s, 0, 0, 0);
    const uint32_t b = add_vertex(s, 0, 0, 1);
    add_pages(s, a, b, count);
    add_cone(s, a, add_circle(s, count, 0, -1), count);
    add_cone(s, b, add_circle(s, count, 0, 2), count);
}

static void add_bipyramid(surface* s, uint32_t count) {
    const uint32_t a = add_vertex(s, 0, 0, 1);
    const uint32_t b = add_vertex(s, 0, 0, -1);
    const uint32_t rim = add_circle(s, count, 0, 0);
    add_cone(s, a, rim, count);
    add_cone(s, b, rim, count);
}

surface hub_surface(hub_kind kind, uint32_t triangles) {
    surface s = surface_make(3 * triangles + 32, triangles + 32);
    s.vertex_count = s.triangle_count = 0;
    switch (kind) {
        case HUB_FAN: add_disc(&s, triangles, 0); break;
        case HUB_HEDGEHOG: add_slivers(&s, triangles); break;
        case HUB_DUPLICATES: add_copies(&s, triangles, false); break;
        case HUB_SOUP: add_copies(&s, triangles, true); break;
        case HUB_BOOK:
            add_vertex(&s, 0, 0, 0);
            add_vertex(&s, 0, 0, 1);
            add_pages(&s, 0, 1, triangles);
            break;
        case HUB_CYLINDER: add_cylinder(&s, triangles / 4); break;
        case HUB_SEVERAL:
            for (uint32_t i = 0; i < 8; ++i) {
                add_disc(&s, triangles / 8, 3.0 * i);
            }
            break;
        case HUB_TWO: add_two(&s, triangles / 2); break;
        case HUB_BOOK_FANS: add_book_and_fans(&s, triangles / 3); break;
        case HUB_BIPYRAMID: add_bipyramid(&s, triangles / 2); break;
    }
    return s;
}
