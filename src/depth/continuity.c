// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Limits how fast the separating translation of a continued region changes between calls. The
// shortest translation is no continuous function of the bodies' positions: midway through a plate
// it jumps from one face to the other, and on a faceted ball from facet to facet. A penalty force
// along it would jump, too. But each direction has a shift that frees the region, and most longer
// shifts do so as well. So the translation of the last call changes towards the shortest one by at
// most a multiple of the distance that the bodies have moved. It is tested with the query like any
// other.
#include <math.h>

#include "base/angle.h"
#include "base/vec3.h"
#include "depth/depth.h"

#define RATE 2.0     // change of the translation over motion of the bodies
#define TURNING 0.7  // part of the change that turns may use; the rest is for the length
#define UPHILL 1.05  // factor by which the width may grow while turning to a better direction
enum {
    SAMPLES = 4,   // steps between two directions
    REPAIRS = 12,  // of a translation, one after the other
};

// returns the direction at an angle from `from` towards `to`
static void turn_to(const double from[3], const double to[3], double angle, double out[3]) {
    const double cosine = abut__dot3(from, to);
    double across[3];
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        across[d] = to[d] - cosine * from[d];
        square += across[d] * across[d];
    }
    const double factor = square > 0 ? abut__sine(angle) / sqrt(square) : 0;
    double length = 0;
    for (int d = 0; d < 3; ++d) {
        out[d] = abut__cosine(angle) * from[d] + factor * across[d];
        length += out[d] * out[d];
    }
    for (int d = 0; d < 3; ++d) {
        out[d] /= sqrt(length);
    }
}

static double angle_of(const double a[3], const double b[3]) {
    const double cosine = abut__dot3(a, b);
    return abut__angle_of_cosine(cosine > 1 ? 1 : cosine < -1 ? -1 : cosine);
}

static double change_of(const abut__past_region* last, const double direction[3], double depth) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double change = depth * direction[d] - last->depth * last->direction[d];
        square += change * change;
    }
    return sqrt(square);
}

// whether the overlap gets hardly wider on the turn from one direction to the other
static bool is_downhill(const abut__attempt* a, const double from[3], const double to[3]) {
    const abut__overlap* o = &a->depths->overlap;
    const double limit = UPHILL * abut__overlap_width(o, from);
    const double angle = angle_of(from, to);
    bool downhill = true;
    for (int k = 1; k < SAMPLES && downhill; ++k) {
        double between[3];
        turn_to(from, to, angle * k / (int)SAMPLES, between);
        downhill = abut__overlap_width(o, between) <= limit;
    }
    return downhill;
}

// Chooses the direction to turn to: the shortest translation's if the turn is downhill, else a
// better one nearby.
static void choose_goal(const abut__attempt* a, const abut__past_region* last, double goal[3]) {
    abut__overlap_candidate near;
    memcpy(goal, a->region->direction, 3 * sizeof *goal);
    if (!is_downhill(a, last->direction, goal)) {
        abut__overlap_follow(&a->depths->overlap, last->direction, last->by_width, &near);
        memcpy(goal, near.direction, 3 * sizeof *goal);
    }
}

// Finds the first shift along a direction, between `shift` and `limit`, that frees the region;
// `found`: there is one. Below the lower bound a part is still inside, even if no triangle of the
// region touches.
static abut_status try_range(abut__attempt* a, const double direction[3], bool clean, double shift,
                             double limit, bool* found) {
    shift = shift > a->region->lower ? shift : a->region->lower;
    const abut_status status = abut__attempt_extend(a, direction, clean, limit, &shift);
    const double translation[3] = {shift * direction[0], shift * direction[1],
                                   shift * direction[2]};
    *found = status == ABUT_OK && shift < limit &&
             abut__attempt_is_out(a, direction, clean, translation);
    if (*found) {
        a->region->depth = shift;
        memcpy(a->region->direction, direction, sizeof a->region->direction);
    }
    return status;
}

// Finds the shortest translation along a direction that differs from the last one by at most
// `most`; `found`: there is one.
static abut_status try_direction(abut__attempt* a, const abut__past_region* last,
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
    // the first gap may be a cavity of the other body: the last length may still be enough
    if (status == ABUT_OK && !*found) {
        status = try_range(a, direction, clean, along, along + reach, found);
    }
    return status;
}

// Turns to the goal as far as `most` permits, or less, or not at all.
static abut_status try_turns(abut__attempt* a, const abut__past_region* last, const double goal[3],
                             bool clean, double most, bool* found) {
    static const double fractions[] = {1, 0.5, 0.25, 0};
    const double whole = angle_of(last->direction, goal);
    const double sine = TURNING * most / last->depth;
    const double angle = sine < 1 ? fmin(abut__angle_of_sine(sine), whole) : whole;
    abut_status status = ABUT_OK;
    *found = false;
    for (size_t k = 0; k < sizeof fractions / sizeof *fractions && status == ABUT_OK && !*found;
         ++k) {
        double direction[3];
        turn_to(last->direction, goal, fractions[k] * angle, direction);
        status = try_direction(a, last, direction, clean, most, found);
    }
    return status;
}

// Corrects the last translation where it no longer frees the region: separates the deepest pair of
// triangles that touch by its penetration depth, again and again. In a corner this leads out along
// both walls. `found`: nothing touches then.
static abut_status repair(const abut__attempt* a, bool clean, double translation[3], bool* found) {
    abut_status status = ABUT_OK;
    double slack = 0x1p-38 * a->scale;
    *found = false;
    for (int k = 0; k < REPAIRS && status == ABUT_OK && !*found; ++k, slack *= 2) {
        abut__pair_depth deepest;
        bool touching;
        status = abut__trial_deepest_pair(&a->trial, translation, clean, &deepest, &touching);
        for (int d = 0; d < 3 && touching; ++d) {
            translation[d] += (deepest.length + slack) * deepest.direction[d];
        }
        *found = !touching;
    }
    return status;
}

static abut_status try_repaired(abut__attempt* a, const abut__past_region* last, bool clean,
                                double most, bool* found) {
    double translation[3];
    for (int d = 0; d < 3; ++d) {
        translation[d] = last->depth * last->direction[d];
    }
    const abut_status status = repair(a, clean, translation, found);
    const double depth = sqrt(abut__dot3(translation, translation));
    const double direction[3] = {translation[0] / depth, translation[1] / depth,
                                 translation[2] / depth};
    const double change = *found && depth > 0 ? change_of(last, direction, depth) : INFINITY;
    *found = false;
    return status == ABUT_OK && change <= most
               ? try_range(a, direction, clean, depth, depth + (most - change), found)
               : status;
}

// Tries translations near the last one: turned towards a goal, or corrected.
static abut_status try_near_last(abut__attempt* a, const abut__past_region* last,
                                 const double goal[3], bool clean, double most, bool* found) {
    const abut_status status = try_turns(a, last, goal, clean, most, found);
    return status == ABUT_OK && !*found ? try_repaired(a, last, clean, most, found) : status;
}

abut_status abut__attempt_limit_change(abut__attempt* a, const abut__past_region* last) {
    if (last == NULL || !isfinite(last->depth) || !isfinite(a->region->depth)) {
        return ABUT_OK;
    }
    const double jump = change_of(last, a->region->direction, a->region->depth);
    const double slack = 0x1p-36 * a->scale;
    const bool locks = a->region->interlocked && !last->interlocked;
    // the motion is at least 0, and takes a pass over the region
    const double most = jump <= slack && !locks ? slack
                                                : RATE * abut__depths_motion(a->depths) + slack;
    if (jump <= most && !locks) {
        return ABUT_OK;
    }
    const bool within = a->depths->regions.within;
    const bool clean = !within && (!a->region->interlocked || !last->interlocked);
    double goal[3];
    bool found = false;
    abut_status status = ABUT_OK;
    choose_goal(a, last, goal);
    if (clean) {
        status = try_near_last(a, last, goal, true, most, &found);
        a->region->interlocked = a->region->interlocked && !found;
    }
    if (status != ABUT_OK || found || jump <= most) {
        return status;
    }
    status = try_near_last(a, last, goal, false, most, &found);
    a->region->interlocked = a->region->interlocked || (clean && found);
    // a jump is necessary: to the shortest translation, or along the last direction by less than
    // half
    if (status == ABUT_OK && !found) {
        status = try_range(a, last->direction, !within && !a->region->interlocked, last->depth,
                           last->depth + 0.5 * jump, &found);
    }
    return status;
}
