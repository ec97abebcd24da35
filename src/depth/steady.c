// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Ways out that do not jump. The shortest way out of a region is no continuous function of where the bodies are: midway
// through a plate it leaps from one face to the other, and on a faceted ball from facet to facet. What pushes along it
// would kick. But any direction has a shift that frees the region, and a longer shift mostly does, too. So
// the way of the last call is changed towards the shortest by at most a multiple of the distance that the bodies
// have moved. It is a way out like any other: tried out with the query itself.
#include <math.h>

#include "base/vec3.h"
#include "depth/depth.h"

#define RATE 2.0     // change of the way out over motion of the bodies
#define TURNING 0.7  // of the change: what turns it may use; the rest is for the length
#define UPHILL 1.05  // a way may become so much longer while it turns to a better one
enum {
    SAMPLES = 4,  // between two directions
    MENDS = 12,   // of a way, one after the other
};

// the direction at an angle from one to another
static void turn_to(const double from[3], const double to[3], double angle, double out[3]) {
    const double cosine = abut__dot3(from, to);
    double across[3];
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        across[d] = to[d] - cosine * from[d];
        square += across[d] * across[d];
    }
    const double factor = square > 0 ? sin(angle) / sqrt(square) : 0;
    double length = 0;
    for (int d = 0; d < 3; ++d) {
        out[d] = cos(angle) * from[d] + factor * across[d];
        length += out[d] * out[d];
    }
    for (int d = 0; d < 3; ++d) {
        out[d] /= sqrt(length);
    }
}

static double angle_of(const double a[3], const double b[3]) {
    const double cosine = abut__dot3(a, b);
    return acos(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine);
}

static double change_of(const abut__depth_memory* last, const double direction[3], double depth) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double change = depth * direction[d] - last->depth * last->direction[d];
        square += change * change;
    }
    return sqrt(square);
}

// whether the overlap gets no wider on the way from one direction to the other
static bool is_downhill(const abut__attempt* a, const double from[3], const double to[3]) {
    const abut__escape* e = &a->depths->escape;
    const double limit = UPHILL * abut__escape_width(e, from);
    const double angle = angle_of(from, to);
    bool downhill = true;
    for (int k = 1; k < SAMPLES && downhill; ++k) {
        double between[3];
        turn_to(from, to, angle * k / SAMPLES, between);
        downhill = abut__escape_width(e, between) <= limit;
    }
    return downhill;
}

// Where to turn to: to the shortest way if that is downhill, else to a better one near by.
static void choose_goal(const abut__attempt* a, const abut__depth_memory* last, double goal[3]) {
    abut__way near;
    memcpy(goal, a->region->direction, 3 * sizeof *goal);
    if (!is_downhill(a, last->direction, goal)) {
        abut__escape_follow(&a->depths->escape, last->direction, last->by_width, &near);
        memcpy(goal, near.direction, 3 * sizeof *goal);
    }
}

// The first shift from one to the other along a direction that frees the region; `found`: there is one. Below
// the lower bound something is still inside, though no triangle of the region may touch.
static abut_status try_range(abut__attempt* a, const double direction[3], bool clean, double shift,
                             double limit, bool* found) {
    shift = shift > a->region->lower ? shift : a->region->lower;
    const abut_status status = abut__attempt_push(a, direction, clean, limit, &shift);
    const double way[3] = {shift * direction[0], shift * direction[1], shift * direction[2]};
    *found = status == ABUT_OK && shift < limit && abut__attempt_is_out(a, direction, clean, way);
    if (*found) {
        a->region->depth = shift;
        memcpy(a->region->direction, direction, sizeof a->region->direction);
    }
    return status;
}

// The shortest way along a direction that differs from the last one by at most `most`; `found`: there is one.
static abut_status try_near(abut__attempt* a, const abut__depth_memory* last,
                            const double direction[3], bool clean, double most, bool* found) {
    const double along = last->depth * abut__dot3(direction, last->direction);
    const double beside = change_of(last, direction, along);
    const double room = most * most - beside * beside;
    *found = false;
    if (!(room >= 0)) {
        return ABUT_OK;
    }
    const double reach = sqrt(room);
    abut_status status = try_range(a, direction, clean, along > reach ? along - reach : 0,
                                   along + reach, found);
    // the first gap may be a hollow of the other body: what was far enough may be so still
    if (status == ABUT_OK && !*found) {
        status = try_range(a, direction, clean, along, along + reach, found);
    }
    return status;
}

// Turns to the goal as far as may be, or less, or not at all.
static abut_status try_turns(abut__attempt* a, const abut__depth_memory* last, const double goal[3],
                             bool clean, double most, bool* found) {
    static const double fractions[] = {1, 0.5, 0.25, 0};
    const double whole = angle_of(last->direction, goal);
    const double sine = TURNING * most / last->depth;
    const double angle = sine < 1 && asin(sine) < whole ? asin(sine) : whole;
    abut_status status = ABUT_OK;
    *found = false;
    for (size_t k = 0; k < sizeof fractions / sizeof *fractions && status == ABUT_OK && !*found;
         ++k) {
        double direction[3];
        turn_to(last->direction, goal, fractions[k] * angle, direction);
        status = try_near(a, last, direction, clean, most, found);
    }
    return status;
}

// Puts the last way right where it no longer frees the region: pair after pair of the triangles that touch is
// parted by what it needs at least. In a corner that leads out along both walls. `found`: nothing touches then.
static abut_status mend(const abut__attempt* a, bool clean, double way[3], bool* found) {
    abut_status status = ABUT_OK;
    double slack = 0x1p-38 * a->scale;
    *found = false;
    for (int k = 0; k < MENDS && status == ABUT_OK && !*found; ++k, slack *= 2) {
        abut__hold hold;
        bool touching;
        status = abut__trial_hold(&a->trial, way, clean, &hold, &touching);
        for (int d = 0; d < 3 && touching; ++d) {
            way[d] += (hold.length + slack) * hold.direction[d];
        }
        *found = !touching;
    }
    return status;
}

static abut_status try_mended(abut__attempt* a, const abut__depth_memory* last, bool clean,
                              double most, bool* found) {
    double way[3];
    for (int d = 0; d < 3; ++d) {
        way[d] = last->depth * last->direction[d];
    }
    const abut_status status = mend(a, clean, way, found);
    const double depth = sqrt(abut__dot3(way, way));
    const double direction[3] = {way[0] / depth, way[1] / depth, way[2] / depth};
    const double change = *found && depth > 0 ? change_of(last, direction, depth) : INFINITY;
    *found = false;
    return status == ABUT_OK && change <= most
               ? try_range(a, direction, clean, depth, depth + (most - change), found)
               : status;
}

// Near the last way: turned towards a goal, or put right.
static abut_status try_beside(abut__attempt* a, const abut__depth_memory* last,
                              const double goal[3], bool clean, double most, bool* found) {
    const abut_status status = try_turns(a, last, goal, clean, most, found);
    return status == ABUT_OK && !*found ? try_mended(a, last, clean, most, found) : status;
}

abut_status abut__attempt_steady(abut__attempt* a, const abut__depth_memory* last) {
    if (last == NULL || !isfinite(last->depth) || !isfinite(a->region->depth)) {
        return ABUT_OK;
    }
    const double jump = change_of(last, a->region->direction, a->region->depth);
    const double most = RATE * abut__depths_motion(a->depths, a->trial.region) + 0x1p-36 * a->scale;
    if (jump <= most && !(a->region->interlocked && !last->interlocked)) {
        return ABUT_OK;
    }
    const bool within = a->depths->regions.within;
    const bool clean = !within && (!a->region->interlocked || !last->interlocked);
    double goal[3];
    bool found = false;
    abut_status status = ABUT_OK;
    choose_goal(a, last, goal);
    if (clean) {
        status = try_beside(a, last, goal, true, most, &found);
        a->region->interlocked = a->region->interlocked && !found;
    }
    if (status != ABUT_OK || found || jump <= most) {
        return status;
    }
    status = try_beside(a, last, goal, false, most, &found);
    a->region->interlocked = a->region->interlocked || (clean && found);
    // if it has to jump, to the shortest way, or less than half as far
    if (status == ABUT_OK && !found) {
        status = try_range(a, last->direction, !within && !a->region->interlocked, last->depth,
                           last->depth + 0.5 * jump, &found);
    }
    return status;
}
