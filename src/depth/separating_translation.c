// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds the shortest translation that frees a region. Directions come from overlap.c. Each is
// tested with the query: first so that no other triangles touch either, and if that fails so that
// the region alone is free.
#include <float.h>
#include <math.h>

#include "depth/depth.h"
#include "depth/reach.h"

enum {
    FEW_PAIRS = 1 << 14,  // pairs of triangles that are examined one by one
    FEW_CANDIDATES = 3,   // directions that are tried, if one of them succeeds
    HALVINGS = 3,  // starts of the search for a shorter translation: START, a half, a quarter
};
#define START 0.7    // part of a translation: where the search for a shorter one begins
#define WIDE 1.05    // width of the overlap over depth: up to this the depth counts as the width
#define FARTHER 1.5  // over the width of the overlap: how far a shift is extended
#define SHORTER 0.9  // part of that limit: a shift above it is not extended
#define FOLLOWED_FACTOR 0.95  // a new direction must need less than this part of the last one's
#define NEARLY 0.98           // lower bound over depth: the direction is good, too
#define ALIKE 0.985           // cosine of directions whose exact shifts are not compared
#define PROVEN 0.9            // lower bound over depth: nothing much shorter can be found

// takes a translation if it is shorter than the best one, and returns whether it is
static bool accept(abut__attempt* a, const double direction[3], double shift) {
    const bool shorter = shift < a->factor * a->region->depth;
    if (shorter) {
        a->region->depth = shift;
        memcpy(a->region->direction, direction, sizeof a->region->direction);
        a->factor = 1;
    }
    return shorter;
}

static bool is_out(const abut__attempt* a, const double direction[3], bool clean, double shift) {
    const double translation[3] = {shift * direction[0], shift * direction[1],
                                   shift * direction[2]};
    return abut__attempt_is_out(a, direction, clean, translation);
}

static abut_status try_and_accept(abut__attempt* a, const double direction[3], bool clean,
                                  double shift) {
    if (!(shift < a->factor * a->region->depth)) {
        return ABUT_OK;
    }
    const abut_status status = abut__attempt_shift(a, direction, clean, &shift);
    if (status == ABUT_OK) {
        accept(a, direction, shift);
    }
    return status;
}

// Tries candidate directions for the shortest translation. The shift that the triangles need may be
// less than the width of the overlap, or more.
static abut_status try_candidates(abut__attempt* a, const abut__overlap_candidate* candidates,
                                  uint32_t count, bool clean) {
    for (uint32_t i = 0; i < count && (i < FEW_CANDIDATES || a->region->depth == INFINITY); ++i) {
        double shift = candidates[i].width;
        // later candidates are wider: they pay only while the best translation is long
        if (candidates[i].width > 1.5 * a->region->depth) {
            break;
        }
        if (a->few && !abut__overlap_shift(&a->depths->overlap, candidates[i].direction,
                                           a->region->depth, &shift)) {
            return ABUT_ERR_NO_MEMORY;
        }
        abut_status status = try_and_accept(a, candidates[i].direction, clean, shift);
        if (status == ABUT_OK && clean && candidates[i].width > shift) {
            status = try_and_accept(a, candidates[i].direction, clean, candidates[i].width);
        }
        if (status != ABUT_OK) {
            return status;
        }
    }
    return ABUT_OK;
}

// tries the shifts after which a plane separates all triangles of the region
static abut_status try_planes(abut__attempt* a, const abut__overlap_candidate* candidates,
                              uint32_t count, bool clean) {
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < count && status == ABUT_OK; ++i) {
        status = try_and_accept(a, candidates[i].direction, clean,
                                abut__overlap_plane_shift(&a->depths->overlap,
                                                          candidates[i].direction));
    }
    return status;
}

static abut_box box_of(const abut__attempt* a, int s) {
    if (!a->depths->regions.within) {
        return abut__body_world_box(a->depths->regions.side[s].body, 1);
    }
    const double* x = (const double*)a->depths->overlap.triangles[s].data;
    abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 9 * a->depths->overlap.triangles[s].count; ++i) {
        box.lo[i % 3] = x[i] < box.lo[i % 3] ? x[i] : box.lo[i % 3];
        box.hi[i % 3] = x[i] > box.hi[i % 3] ? x[i] : box.hi[i % 3];
    }
    return box;
}

// Moves a out of the box of b, which always succeeds, and is shortest for a bar through a plate. The boxes of one body's patches are of
// rounded corners, so that the translation is tested there, too.
static abut_status leave_boxes(abut__attempt* a) {
    const abut_box box_a = box_of(a, 0);
    const abut_box box_b = box_of(a, 1);
    for (int k = 0; k < 6; ++k) {
        double direction[3] = {0, 0, 0};
        const int d = k / 2;
        direction[d] = k % 2 == 0 ? 1 : -1;
        if (a->depths->regions.within && direction[d] * a->out[d] < 0) {
            continue;
        }
        const double whole = k % 2 == 0 ? box_b.hi[d] - box_a.lo[d] : box_a.hi[d] - box_b.lo[d];
        // nothing touches outside of a body's box
        if (accept(a, direction, (1 + 0x1p-40) * whole)) {
            a->region->interlocked = false;
        }
    }
    double shift = a->region->depth;
    if (!a->depths->regions.within || shift == INFINITY) {
        return ABUT_OK;
    }
    const abut_status status = abut__attempt_shift(a, a->region->direction, false, &shift);
    a->region->depth = shift < INFINITY ? shift : a->region->depth;
    return status;
}

// Tries the shift along a direction after which a plane separates the bodies.
static abut_status leave_along(abut__attempt* a, const double direction[3]) {
    const abut__regions* r = &a->depths->regions;
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    const double whole = abut__reach(r->side[1].body, direction, r->counters).along +
                         abut__reach(r->side[0].body, back, r->counters).along;
    const double before = a->region->depth;
    const abut_status status = try_and_accept(a, direction, true, whole);
    a->region->interlocked = a->region->interlocked && a->region->depth == before;
    return status;
}

// Moves a out of b as a whole, for a new region: along candidates and along the normal of the largest triangle of each
// side. A bar leaves a plate along itself.
static abut_status leave_wholly(abut__attempt* a, const abut__overlap_candidate* candidates,
                                uint32_t count) {
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < count && status == ABUT_OK; ++i) {
        status = leave_along(a, candidates[i].direction);
    }
    for (int k = 0; k < 4 && status == ABUT_OK; ++k) {
        double normal[3];
        if (abut__overlap_largest_normal(&a->depths->overlap, k / 2, k % 2 == 0 ? 1 : -1, normal)) {
            status = leave_along(a, normal);
        }
    }
    return status;
}

// Shortens a translation that frees the region, where there are too many triangles to examine each
// pair: finds the first shift from a part of it on that frees the region, too.
static abut_status shorten(const abut__attempt* a, bool clean) {
    const double* direction = a->region->direction;
    const double whole = a->region->depth;
    const bool finite = whole > 0 && whole < INFINITY;
    double start = START * whole;
    for (int i = 0; i < HALVINGS && finite; ++i, start *= 0.5) {
        double shift = start;
        const abut_status status = abut__attempt_extend(a, direction, clean, a->region->depth,
                                                        &shift);
        if (status != ABUT_OK) {
            return status;
        }
        if (shift < a->region->depth && is_out(a, direction, clean, shift)) {
            a->region->depth = shift;
        }
        if (shift > start) {
            break;  // something touched there
        }
    }
    return ABUT_OK;
}

// Within one body the rounding of the shape's coordinates counts, too.
static double scale_of(const abut__attempt* a) {
    const abut__overlap* o = &a->depths->overlap;
    const abut__regions* r = &a->depths->regions;
    const abut__body* body = r->side[0].body;
    double scale = r->within ? (double)abut__body_state(body, 1)->extent + abut__body_far(body, 1)
                             : 0;
    for (int s = 0; s < 2; ++s) {
        scale = o->size[s] > scale ? o->size[s] : scale;
    }
    return scale;
}

static abut_status raise_lower(abut__attempt* a) {
    if (!a->depths->regions.within) {
        return abut__attempt_raise_lower(a);
    }
    abut__attempt_raise_lower_self(a);
    return ABUT_OK;
}

// Tries the direction of the last call, turned to where the overlap is narrower if its depth was
// the width. It stays unless another one needs clearly less, so that the translation does not jump.
static abut_status follow(abut__attempt* a, const abut__past_region* last, bool clean) {
    const abut__overlap* o = &a->depths->overlap;
    abut__overlap_candidate candidate;
    if (last == NULL || !isfinite(last->depth)) {
        return ABUT_OK;
    }
    abut__overlap_follow(o, last->direction, last->by_width, &candidate);
    if (a->few && !last->by_width &&
        !abut__overlap_shift(&a->depths->overlap, candidate.direction, DBL_MAX, &candidate.width)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut_status status = try_and_accept(a, candidate.direction, clean, candidate.width);
    if (status == ABUT_OK && !clean && a->region->depth == INFINITY) {
        status = try_and_accept(a, candidate.direction, clean,
                                abut__overlap_plane_shift(o, candidate.direction));
    }
    a->factor = a->region->depth < INFINITY ? FOLLOWED_FACTOR : 1;
    return status;
}

// Tries the translation by which the deepest point leaves soonest: if it frees the region, no other
// one is shorter. The depth changes along it, so that forces along it neither brake nor drive
// bodies that slide.
static abut_status try_nearest(abut__attempt* a, bool clean) {
    const double length = sqrt((a->nearest[0] * a->nearest[0] + a->nearest[1] * a->nearest[1]) +
                               a->nearest[2] * a->nearest[2]);
    double direction[3];
    double width = INFINITY;
    if (!(length > 0) || a->region->lower > NEARLY * a->region->depth) {
        return ABUT_OK;
    }
    for (int d = 0; d < 3; ++d) {
        direction[d] = a->nearest[d] / length;
    }
    const double* now = a->region->direction;
    const double cosine = (direction[0] * now[0] + direction[1] * now[1]) + direction[2] * now[2];
    if (!a->few || cosine > ALIKE) {
        width = abut__overlap_width(&a->depths->overlap, direction);
    } else if (!abut__overlap_shift(&a->depths->overlap, direction, a->region->depth, &width)) {
        return ABUT_ERR_NO_MEMORY;
    }
    a->factor = 1;
    return try_and_accept(a, direction, clean, width);
}

// shortens a followed translation before it is compared with others
static abut_status shorten_followed(const abut__attempt* a, bool clean) {
    return a->factor == FOLLOWED_FACTOR && !a->few ? shorten(a, clean) : ABUT_OK;
}

static abut_status need_triangles(const abut__attempt* a) {
    return abut__depths_gather_triangles(a->depths, a->trial.region) ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

// Returns the direction that is tried first in a new region, of infinite width if there is none.
// Pieces that are wholly inside leave towards the nearest surface.
static abut_status first_candidate(abut__attempt* a, abut__overlap_candidate* candidate) {
    double to[3];
    candidate->width = INFINITY;
    if (a->depths->overlap.contained && abut__attempt_nearest_surface(a, to)) {
        abut__overlap_turn(&a->depths->overlap, to, candidate);
        return ABUT_OK;
    }
    const abut_status status = need_triangles(a);
    if (status == ABUT_OK && !abut__overlap_first_candidate(&a->depths->overlap, candidate)) {
        candidate->width = INFINITY;
    }
    return status;
}

// Whether no translation is much shorter that frees the region while nothing else touches. Where
// there are other regions, their triangles may touch.
static bool is_shortest(abut__attempt* a) {
    const double enough = PROVEN * a->region->depth;
    const abut__regions* r = &a->depths->regions;
    return a->region->lower > enough ||
           (!r->within && r->count == 1 && abut__attempt_least_clean(a, enough) > enough);
}

// Tries the last direction, or that of the mean normals, by the width of the overlap alone. In most
// regions that is the best one, and the lower bound proves it.
static abut_status try_first(abut__attempt* a, const abut__past_region* last, bool* proven) {
    const bool clean = !a->depths->regions.within;
    abut__overlap_candidate candidate;
    *proven = false;
    abut_status status = follow(a, last, clean);
    if (status == ABUT_OK && a->region->depth == INFINITY && !a->together) {
        status = first_candidate(a, &candidate);
        status = status == ABUT_OK ? try_and_accept(a, candidate.direction, clean, candidate.width)
                                   : status;
    }
    if (status == ABUT_OK && a->region->depth < INFINITY) {
        const double factor = a->factor;
        // balls are cheap, and prove most of these regions
        if (a->depths->overlap.contained && is_shortest(a) && a->region->lower > 0) {
            *proven = true;
            return ABUT_OK;
        }
        status = raise_lower(a);
        status = status == ABUT_OK ? try_nearest(a, clean) : status;
        a->factor = factor;
        *proven = status == ABUT_OK && is_shortest(a);
    }
    return status == ABUT_OK && !*proven ? shorten_followed(a, clean) : status;
}

static abut_status try_widths_and_planes(abut__attempt* a,
                                         const abut__overlap_candidate* candidates, uint32_t count,
                                         bool clean) {
    const abut_status status = try_candidates(a, candidates, count, clean);
    return status == ABUT_OK && a->region->depth == INFINITY
               ? try_planes(a, candidates, count, clean)
               : status;
}

// Extends shifts that free the region while something else touches, as when a body sticks out at
// the far side: a little farther nothing may touch.
static abut_status try_farther(abut__attempt* a, const abut__overlap_candidate* candidates,
                               uint32_t count) {
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < count && i < FEW_CANDIDATES && status == ABUT_OK; ++i) {
        const double* direction = candidates[i].direction;
        const double limit = fmin(FARTHER * candidates[i].width, a->factor * a->region->depth);
        double shift = candidates[i].width;
        if (shift < SHORTER * limit) {
            status = abut__attempt_extend(a, direction, true, limit, &shift);
            if (status == ABUT_OK && shift < limit && is_out(a, direction, true, shift)) {
                accept(a, direction, shift);
            }
        }
    }
    return status;
}

static bool leads_out(const void* user, const double direction[3], double shift) {
    return is_out(user, direction, true, shift);
}

// Tries many directions so that no other triangles touch; if none succeeds, so that the region is
// free.
static abut_status try_between(abut__attempt* a, const abut__past_region* last) {
    abut__overlap_candidate candidates[ABUT__OVERLAP_CANDIDATES];
    uint32_t count = 0;
    if (!a->together) {
        count = abut__overlap_candidates(&a->depths->overlap, candidates);
    } else if (!abut__overlap_gap_candidates(&a->depths->overlap, leads_out, a, candidates,
                                             &count)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut_status status = try_candidates(a, candidates, count, true);
    status = status == ABUT_OK ? try_farther(a, candidates, count) : status;
    if (status == ABUT_OK && a->region->depth == INFINITY) {
        status = try_planes(a, candidates, count, true);
    }
    if (status == ABUT_OK && a->region->depth == INFINITY) {
        a->region->interlocked = true;
        status = follow(a, last, false);
        status = status == ABUT_OK ? shorten_followed(a, false) : status;
    }
    if (status == ABUT_OK && a->region->interlocked) {
        status = try_widths_and_planes(a, candidates, count, false);
    }
    return status == ABUT_OK && last == NULL ? leave_wholly(a, candidates, count) : status;
}

// Within one body there are only the patches, and they may be small compared with their triangles:
// then directions by the shift that triangles need are better than those by width.
static abut_status try_within(abut__attempt* a) {
    abut__overlap_candidate candidates[ABUT__OVERLAP_CANDIDATES];
    uint32_t count = abut__overlap_candidates(&a->depths->overlap, candidates);
    abut_status status = try_widths_and_planes(a, candidates, count, false);
    if (status == ABUT_OK && a->few) {
        status = abut__overlap_gap_candidates(&a->depths->overlap, leads_out, a, candidates, &count)
                     ? try_candidates(a, candidates, count, false)
                     : ABUT_ERR_NO_MEMORY;
    }
    return status;
}

static abut_status try_all(abut__attempt* a, const abut__past_region* last) {
    const bool within = a->depths->regions.within;
    abut_status status = need_triangles(a);
    if (status == ABUT_OK) {
        status = within ? try_within(a) : try_between(a, last);
    }
    if (status == ABUT_OK && (a->region->depth == INFINITY || (!within && last == NULL))) {
        status = leave_boxes(a);
    }
    if (status == ABUT_OK && !a->few && a->factor == 1) {
        status = shorten(a, !within && !a->region->interlocked);
    }
    return status == ABUT_OK ? raise_lower(a) : status;
}

// whether each pair of triangles of the region may be examined
static bool has_few_pairs(const abut__attempt* a) {
    size_t pairs = 1;
    for (int s = 0; s < 2; ++s) {
        const uint32_t* first = a->depths->first[s].data + a->trial.region;
        pairs *= a->depths->overlap.all[s] ? a->depths->overlap.triangles[s].count
                                           : first[1] - first[0];
    }
    return pairs <= FEW_PAIRS;
}

abut_status abut__attempt_solve(abut__attempt* a, const abut__past_region* last) {
    bool proven;
    a->few = a->region->kind == ABUT_REGION_CONTACT && (a->together || has_few_pairs(a));
    if ((a->few || a->depths->regions.within) && need_triangles(a) != ABUT_OK) {
        return ABUT_ERR_NO_MEMORY;
    }
    a->scale = scale_of(a);
    a->depths->overlap.tolerance = 0x1p-38 * a->scale;
    if (a->depths->regions.within) {
        abut__overlap_outward(&a->depths->overlap, a->depths->regions.outward, a->out);
    }
    a->depths->overlap.contained = a->region->kind != ABUT_REGION_CONTACT;
    a->region->depth = INFINITY;
    a->factor = 1;
    memset(a->nearest, 0, sizeof a->nearest);
    abut_status status = try_first(a, last, &proven);
    if (status == ABUT_OK && !proven) {
        status = try_all(a, last);
    }
    a->region->upper = a->region->depth;
    if (status == ABUT_OK) {
        status = abut__attempt_limit_change(a, last);
    }
    if (a->region->depth < a->region->upper) {
        a->region->upper = a->region->depth;
    }
    if (status == ABUT_OK) {
        abut__attempt_deepest(a, a->region->direction, a->region->point_a, a->region->point_b);
        a->by_width = !a->together &&
                      abut__overlap_width(&a->depths->overlap, a->region->direction) <
                          WIDE * a->region->depth;
    }
    return status;
}
