// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A coordinate that changes linearly during a segment, with the sign of a side of a box, so that
// greater means farther outwards. Its ends are floats; it is evaluated in double.
#ifndef ABUT_BOUND_KINETIC_LINE_H
#define ABUT_BOUND_KINETIC_LINE_H

#include <math.h>

#include "base/rounding.h"
#include "mesh/mesh.h"

typedef struct abut__line {
    double before;
    double after;
} abut__line;

static inline double abut__line_slope(abut__line line) {
    return line.after - line.before;
}

static inline double abut__line_at(abut__line line, double part) {
    return line.before * (1 - part) + line.after * part;
}

// Lower sides have numbers 0 to 2.
static inline double abut__side_sign(uint32_t side) {
    return side < 3 ? -1 : 1;
}

// Reads the line of a vertex.
static inline abut__line abut__line_read(const abut__source source[2], uint32_t vertex,
                                         uint32_t side) {
    double end[2];
    for (int e = 0; e < 2; ++e) {
        double p[3];
        abut__read_position(source[e].data, source[e].stride, source[e].is_double, vertex, p);
        end[e] = abut__side_sign(side) * abut__as_float(p[side % 3]);
    }
    return (abut__line){end[0], end[1]};
}

// Returns the time when a line overtakes the present line; INFINITY if it does not end above it.
static inline double abut__line_overtakes(abut__line line, abut__line held) {
    const double steeper = abut__line_slope(line) - abut__line_slope(held);
    return line.after > held.after && steeper > 0 ? (held.before - line.before) / steeper
                                                  : INFINITY;
}

// A search for the greatest line at a part among those steeper than some slope. Among equals it
// takes the steepest.
typedef struct abut__line_search {
    double part;
    double steeper_than;
    double value;  // -infinity: nothing found yet
    abut__line found;
} abut__line_search;

static inline abut__line_search abut__line_search_make(double part, double steeper_than) {
    return (abut__line_search){part, steeper_than, -INFINITY, {0, -INFINITY}};
}

static inline bool abut__line_search_try(abut__line_search* search, abut__line line) {
    const double now = abut__line_at(line, search->part);
    const double slope = abut__line_slope(line);
    if (!(slope > search->steeper_than) || now < search->value ||
        (now == search->value && !(slope > abut__line_slope(search->found)))) {
        return false;
    }
    search->value = now;
    search->found = line;
    return true;
}

#endif
