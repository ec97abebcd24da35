// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws small pictures of contact: see thumbnail.h.
#include "cli/thumbnail.h"

#include "cli/drawing.h"
#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_WIDTH = 72, TRIAL_HEIGHT = 48, MOST_PROBES = 400 };

static void load_body(drawing* d, const kept_frame* f, uint32_t body) {
    drawn* at = &d->list[body];
    size_t corners = 0;
    if (at->positions == NULL) {
        at->positions = kept_positions(f, body, &at->vertex_count);
        at->triangles = kept_corners(f, body, &corners);
        at->triangle_count = corners / 3;
        at->marks = allocate(at->triangle_count, 1);
    }
}

// marks the touching triangles of the two bodies; report.c writes the lists
static void mark_pairs(drawing* d, const kept_frame* f, uint32_t a, uint32_t b) {
    size_t index;
    json_t* row;
    const uint32_t* at = f->triangles.values;
    const mark as = a == b ? MARK_WITHIN : MARK_BETWEEN;
    json_array_foreach(json_object_get(f->json, "lists"), index, row) {
        const size_t listed = (size_t)json_integer_value(json_array_get(row, 3));
        const bool wanted = json_integer_value(json_array_get(row, 0)) == a &&
                            json_integer_value(json_array_get(row, 1)) == b;
        for (size_t i = 0; i < listed && wanted; ++i) {
            drawing_mark(d, a, at[i], as);
            drawing_mark(d, b, at[listed + i], as);
        }
        at += 2 * listed;
    }
}

static double diagonal_of(const drawn* d) {
    double sum = 0;
    for (size_t c = 0; c < 3; ++c) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (size_t v = 0; v < d->vertex_count; ++v) {
            lo = fmin(lo, d->positions[3 * v + c]);
            hi = fmax(hi, d->positions[3 * v + c]);
        }
        sum += hi > lo ? (hi - lo) * (hi - lo) : 0;
    }
    return sqrt(sum);
}

// what touches, and enough around it to see where that is
static camera camera_for(const thumbnail_def* def, const drawing* d, const double from[3]) {
    const double up[3] = {0, def->up == 'y', def->up != 'y'};
    const double body = fmin(diagonal_of(&d->list[def->a]), diagonal_of(&d->list[def->b]));
    camera c = camera_make(from, up);
    camera_project(&c, def->at, c.centre);
    c.half = fmax(0.8 * def->size, 0.09 * body);
    c.half = c.half > 0 && isfinite(c.half) ? c.half : 1;
    return c;
}

// how many of the marked triangles are visible; looks at some of them
static size_t count_seen(const drawing* d, const picture* p) {
    size_t seen = 0;
    for (uint32_t b = 0; b < d->count; ++b) {
        const drawn* body = &d->list[b];
        size_t marked = 0;
        for (size_t t = 0; t < body->triangle_count; ++t) {
            marked += body->marks[t] != MARK_NONE;
        }
        const size_t step = marked / MOST_PROBES + 1;
        for (size_t t = 0, k = 0; t < body->triangle_count; ++t) {
            double at[3][3];
            double middle[3];
            if (body->marks[t] == MARK_NONE || k++ % step != 0) {
                continue;
            }
            drawn_corners(body, t, at);
            for (int c = 0; c < 3; ++c) {
                middle[c] = (at[0][c] + at[1][c] + at[2][c]) / 3;
            }
            seen += picture_sees(p, middle);
        }
    }
    return seen;
}

// the direction that sees most of what touches; of equals the first
static camera best_camera(const thumbnail_def* def, const drawing* d) {
    static const double sides[5][3] = {
        {0.8, 0.55, 1}, {-0.8, 0.55, 1}, {0.8, 0.55, -1}, {-0.8, 0.55, -1}, {0.5, -0.8, 0.7}};
    camera best = {0};
    size_t most = 0;
    for (int i = 0; i < 5; ++i) {
        const bool z_up = def->up != 'y';
        const double from[3] = {sides[i][0], z_up ? -sides[i][2] : sides[i][1],
                                z_up ? sides[i][1] : sides[i][2]};
        const camera c = camera_for(def, d, from);
        picture p = drawing_picture(d, &c, TRIAL_WIDTH, TRIAL_HEIGHT);
        const size_t seen = count_seen(d, &p);
        picture_free(&p);
        if (i == 0 || seen > most + most / 8) {
            best = c;
            most = seen;
        }
    }
    return best;
}

bool thumbnail_draw(const thumbnail_def* def, picture* out) {
    const kept_frame* f = keeper_frame(def->kept, def->place);
    if (f == NULL || def->a >= f->state_count || def->b >= f->state_count) {
        return false;
    }
    drawing d = drawing_make(f->state_count);
    load_body(&d, f, def->a);
    load_body(&d, f, def->b);
    mark_pairs(&d, f, def->a, def->b);
    const camera from = best_camera(def, &d);
    *out = drawing_picture(&d, &from, def->width, def->height);
    drawing_free(&d);
    return true;
}
