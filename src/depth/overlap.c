// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds directions to move a region's side a along, and the shift that each needs.
//
// Many directions are compared by the width of the overlap along them, which is cheap: it is the
// depth of Sud et al. (2006). The narrowest ones are turned in small steps while the width
// decreases. The shift that a direction really needs differs, because triangles reach beyond the
// overlap. Each pair of triangles touches for an interval of shifts, and the needed shift is the
// first one that no interval covers.
#include "depth/overlap.h"

#include "base/vec3.h"
#include "depth/reach.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TURNS = 9, LATER_TURNS = 5 };
#define FIRST_TURN 0.35
#define LATER_TURN 0.05  // for a direction that was found in the last call
#define OUTWARD 0.7      // a direction leads out if it spans this part of the opposite one's extent

// the extent of a triangle along the direction and along two axes across it
typedef struct abut__projection {
    double lo[3];
    double hi[3];
} projection;

static bool normalise(double v[3]) {
    const double length = sqrt(abut__dot3(v, v));
    for (int d = 0; d < 3 && length > 0 && isfinite(length); ++d) {
        v[d] /= length;
    }
    return length > 0 && isfinite(length);
}

static double reach(const abut__overlap* o, int s, const double direction[3]) {
    return o->body[s] != NULL ? abut__reach(o->body[s], direction, o->counters).along
                              : abut__farthest_along(&o->farthest[s], direction);
}

static void extent(const abut__overlap* o, int s, const double direction[3], double out[2]) {
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    out[0] = -reach(o, s, back);
    out[1] = reach(o, s, direction);
}

// Returns the width of the overlap. Of two opposite directions one leads out and the other through:
// along the one that leads out, a's inside points lie behind and b's lie ahead. The other one has
// infinite width, unless both are about equally good.
static double width_of(const abut__overlap* o, const double direction[3]) {
    double a[2];
    double b[2];
    if (o->contained) {
        const double back[3] = {-direction[0], -direction[1], -direction[2]};
        return reach(o, 1, direction) + reach(o, 0, back);
    }
    extent(o, 0, direction, a);
    extent(o, 1, direction, b);
    const double out = b[1] - a[0];
    const double through = a[1] - b[0];
    const double high = a[1] > b[1] ? a[1] : b[1];
    const double low = a[0] < b[0] ? a[0] : b[0];
    return out >= OUTWARD * through ? high - low : INFINITY;
}

// returns the normal with twice the triangle's area as its length
static void area_of(const double t[3][3], double out[3]) {
    double u[3];
    double v[3];
    abut__subtract3(t[1], t[0], u);
    abut__subtract3(t[2], t[0], v);
    abut__cross3(u, v, out);
}

// computes the normals of a side's triangles, all of one orientation, and their sum
static bool find_normals(abut__overlap* o, int side) {
    const double(*t)[3][3] = o->triangles[side].data;
    const size_t count = o->triangles[side].count;
    double(*areas)[3] = abut__renew(o->context, &o->areas[side], count);
    double sum[3] = {0, 0, 0};
    for (size_t i = 0; i < count && areas != NULL; ++i) {
        area_of(t[i], areas[i]);
        for (int d = 0; d < 3; ++d) {
            sum[d] += areas[i][d];
        }
    }
    memcpy(o->normal[side], sum, sizeof sum);
    o->has_normals[side] = areas != NULL || count == 0;
    return o->has_normals[side];
}

bool abut__overlap_prepare(abut__overlap* o, int side) {
    const abut__overlap_points* points = &o->points[side];
    o->has_centre[side] = false;
    const bool no_crossings = points->count == o->vertex_count[side];
    return (o->same[side] && no_crossings && o->farthest[side].count == points->count) ||
           abut__farthest_set(o->context, &o->farthest[side], (const double(*)[3])points->data,
                              points->count);
}

bool abut__overlap_prepare_triangles(abut__overlap* o, int side) {
    return o->has_normals[side] || find_normals(o, side);
}

void abut__overlap_outward(const abut__overlap* o, int outward, double out[3]) {
    for (int d = 0; d < 3; ++d) {
        out[d] = outward * (o->normal[1][d] - o->normal[0][d]);
    }
}

bool abut__overlap_largest_normal(const abut__overlap* o, int side, double sign, double out[3]) {
    const double(*areas)[3] = o->areas[side].data;
    double most = 0;
    for (size_t i = 0; i < o->areas[side].count; ++i) {
        const double square = abut__dot3(areas[i], areas[i]);
        for (int d = 0; d < 3 && square > most; ++d) {
            out[d] = sign * areas[i][d];
        }
        most = square > most ? square : most;
    }
    return most > 0 && normalise(out);
}

// returns two axes across a direction
static void across(const double direction[3], double u[3], double v[3]) {
    const int k = fabs(direction[0]) < fabs(direction[1])
                      ? (fabs(direction[0]) < fabs(direction[2]) ? 0 : 2)
                      : (fabs(direction[1]) < fabs(direction[2]) ? 1 : 2);
    double axis[3] = {0, 0, 0};
    axis[k] = 1;
    abut__cross3(direction, axis, u);
    normalise(u);
    abut__cross3(direction, u, v);
}

// inserts a candidate if it is among the narrowest; of two that are nearly parallel, one stays
static void insert_candidate(abut__overlap_candidate candidate, abut__overlap_candidate* candidates,
                             uint32_t* count) {
    for (uint32_t i = 0; i < *count; ++i) {
        if (abut__dot3(candidates[i].direction, candidate.direction) > 0.999) {
            if (candidates[i].width <= candidate.width) {
                return;
            }
            memmove(&candidates[i], &candidates[i + 1], (*count - i - 1) * sizeof *candidates);
            --*count;
            break;
        }
    }
    uint32_t place = *count;
    for (; place > 0 && candidates[place - 1].width > candidate.width; --place) {
    }
    if (place < ABUT__OVERLAP_CANDIDATES) {
        const uint32_t end = *count < ABUT__OVERLAP_CANDIDATES ? *count
                                                               : ABUT__OVERLAP_CANDIDATES - 1;
        memmove(&candidates[place + 1], &candidates[place], (end - place) * sizeof *candidates);
        candidates[place] = candidate;
        *count = end + 1;
    }
}

static void consider(const abut__overlap* o, const double direction[3],
                     abut__overlap_candidate* candidates, uint32_t* count) {
    abut__overlap_candidate candidate;
    memcpy(candidate.direction, direction, sizeof candidate.direction);
    if (normalise(candidate.direction)) {
        candidate.width = width_of(o, candidate.direction);
        if (candidate.width < INFINITY) {
            insert_candidate(candidate, candidates, count);
        }
    }
}

// Whether the cosine of a vector and a direction is certainly below a limit, without a root.
static bool is_turned_away(const double v[3], const double direction[3], double cosine) {
    const double along = abut__dot3(v, direction);
    const double square = abut__dot3(v, v);
    return square > 1e-200 && along * along < 0.999 * (cosine * cosine) * square;
}

// Flat bodies separate along the normal of a face: takes the nearest normal if it is no wider.
static void snap_to_normal(const abut__overlap* o, abut__overlap_candidate* candidate) {
    abut__overlap_candidate best = *candidate;
    double nearest = 0.95;
    for (int s = 0; s < 2; ++s) {
        const double(*areas)[3] = o->areas[s].data;
        for (size_t i = 0; i < o->areas[s].count; ++i) {
            double normal[3] = {areas[i][0], areas[i][1], areas[i][2]};
            if (is_turned_away(normal, candidate->direction, nearest) || !normalise(normal)) {
                continue;
            }
            const double cosine = abut__dot3(normal, candidate->direction);
            if (fabs(cosine) > nearest) {
                nearest = fabs(cosine);
                for (int d = 0; d < 3; ++d) {
                    best.direction[d] = cosine < 0 ? -normal[d] : normal[d];
                }
            }
        }
    }
    best.width = width_of(o, best.direction);
    if (best.width <= candidate->width) {
        *candidate = best;
    }
}

// The farthest vertices of bodies that are sides of the overlap, a's against the direction.
typedef struct far_ends {
    bool known;
    uint32_t vertex[2];
} far_ends;

static far_ends ends_of(const abut__overlap* o, const double direction[3]) {
    far_ends found = {.known = o->contained && o->body[0] != NULL && o->body[1] != NULL};
    if (found.known) {
        const double back[3] = {-direction[0], -direction[1], -direction[2]};
        found.vertex[0] = abut__reach(o->body[0], back, o->counters).vertex;
        found.vertex[1] = abut__reach(o->body[1], direction, o->counters).vertex;
    }
    return found;
}

// Returns a lower bound of the width along a direction, from the ends along another one nearby.
static double least_width(const abut__overlap* o, const far_ends* from, const double direction[3]) {
    const double back[3] = {-direction[0], -direction[1], -direction[2]};
    return from->known ? abut__reach_from(o->body[1], from->vertex[1], direction) +
                             abut__reach_from(o->body[0], from->vertex[0], back)
                       : -INFINITY;
}

// turns a direction in small steps while the overlap gets narrower
static void refine(const abut__overlap* o, abut__overlap_candidate* candidate, double turn,
                   int rounds) {
    far_ends from = ends_of(o, candidate->direction);
    for (int round = 0; round < rounds; ++round) {
        double axes[2][3];
        bool better = false;
        across(candidate->direction, axes[0], axes[1]);
        for (int k = 0; k < 4; ++k) {
            abut__overlap_candidate tried;
            for (int d = 0; d < 3; ++d) {
                tried.direction[d] = candidate->direction[d] +
                                     (k % 2 == 0 ? turn : -turn) * axes[k / 2][d];
            }
            normalise(tried.direction);
            if (least_width(o, &from, tried.direction) >= candidate->width) {
                continue;
            }
            tried.width = width_of(o, tried.direction);
            if (tried.width < candidate->width) {
                *candidate = tried;
                from = ends_of(o, tried.direction);
                better = true;
            }
        }
        turn = better ? turn : turn * 0.4;
    }
}

static void consider_both(const abut__overlap* o, double direction[3],
                          abut__overlap_candidate* candidates, uint32_t* count) {
    consider(o, direction, candidates, count);
    for (int d = 0; d < 3; ++d) {
        direction[d] = -direction[d];
    }
    consider(o, direction, candidates, count);
}

bool abut__overlap_first_candidate(const abut__overlap* o, abut__overlap_candidate* candidate) {
    abut__overlap_candidate candidates[ABUT__OVERLAP_CANDIDATES];
    uint32_t count = 0;
    for (int s = 0; s < 2; ++s) {
        double direction[3] = {o->normal[s][0], o->normal[s][1], o->normal[s][2]};
        consider_both(o, direction, candidates, &count);
    }
    if (count > 0) {
        *candidate = candidates[0];
        refine(o, candidate, FIRST_TURN, TURNS);
        snap_to_normal(o, candidate);
    }
    return count > 0;
}

double abut__overlap_width(const abut__overlap* o, const double direction[3]) {
    return width_of(o, direction);
}

void abut__overlap_follow(const abut__overlap* o, const double last[3], bool turn,
                          abut__overlap_candidate* candidate) {
    memcpy(candidate->direction, last, sizeof candidate->direction);
    candidate->width = width_of(o, last);
    if (turn) {
        refine(o, candidate, LATER_TURN, LATER_TURNS);
    }
}

void abut__overlap_turn(const abut__overlap* o, const double from[3],
                        abut__overlap_candidate* candidate) {
    memcpy(candidate->direction, from, sizeof candidate->direction);
    candidate->width = INFINITY;
    if (normalise(candidate->direction)) {
        candidate->width = width_of(o, candidate->direction);
        refine(o, candidate, FIRST_TURN, TURNS);
    }
}

uint32_t abut__overlap_candidates(const abut__overlap* o,
                                  abut__overlap_candidate candidates[ABUT__OVERLAP_CANDIDATES]) {
    uint32_t count = 0;
    for (int s = 0; s < 2; ++s) {
        double direction[3] = {o->normal[s][0], o->normal[s][1], o->normal[s][2]};
        consider_both(o, direction, candidates, &count);
    }
    for (int k = 0; k < 27; ++k) {
        const double grid[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        consider(o, grid, candidates, &count);
    }
    // the first two are refined and inserted again
    abut__overlap_candidate narrow[ABUT__OVERLAP_CANDIDATES];
    const uint32_t found = count;
    memcpy(narrow, candidates, found * sizeof *narrow);
    for (uint32_t i = 0; i < found && i < 2; ++i) {
        refine(o, &narrow[i], FIRST_TURN, TURNS);
        snap_to_normal(o, &narrow[i]);
        consider(o, narrow[i].direction, candidates, &count);
    }
    return count;
}

// ---- the shift that a direction needs

static projection project(const double t[3][3], const double direction[3], const double u[3],
                          const double v[3]) {
    projection s;
    for (int c = 0; c < 3; ++c) {
        const double p[3] = {abut__dot3(t[c], direction), abut__dot3(t[c], u), abut__dot3(t[c], v)};
        for (int d = 0; d < 3; ++d) {
            s.lo[d] = c == 0 || p[d] < s.lo[d] ? p[d] : s.lo[d];
            s.hi[d] = c == 0 || p[d] > s.hi[d] ? p[d] : s.hi[d];
        }
    }
    return s;
}

static bool project_all(abut__overlap* o, const double direction[3]) {
    double u[3];
    double v[3];
    across(direction, u, v);
    const size_t count = o->triangles[0].count + o->triangles[1].count;
    projection* out = abut__renew(o->context, &o->projections, count);
    for (int s = 0; s < 2 && out != NULL; ++s) {
        const double(*t)[3][3] = o->triangles[s].data;
        for (size_t i = 0; i < o->triangles[s].count; ++i) {
            *out++ = project(t[i], direction, u, v);
        }
    }
    return out != NULL || count == 0;
}

// adds the intervals of one triangle of a between 0 and the limit
static bool add_intervals(abut__overlap* o, size_t i, const double direction[3], double limit) {
    const double(*a)[3][3] = o->triangles[0].data;
    const double(*b)[3][3] = o->triangles[1].data;
    const projection* all = o->projections.data;
    const projection* mine = &all[i];
    const projection* other = all + o->triangles[0].count;
    for (size_t k = 0; k < o->triangles[1].count; ++k, ++other) {
        abut__shift_interval p;
        if (other->hi[0] - mine->lo[0] < 0 || other->lo[0] - mine->hi[0] > limit ||
            other->lo[1] > mine->hi[1] || other->hi[1] < mine->lo[1] ||
            other->lo[2] > mine->hi[2] || other->hi[2] < mine->lo[2] ||
            !abut__shift_interval_of(a[i], b[k], direction, &p) || p.leave < 0 || p.enter > limit) {
            continue;
        }
        abut__shift_interval* out = abut__push(o->context, &o->intervals, 1);
        if (out == NULL) {
            return false;
        }
        *out = p;
    }
    return true;
}

// Returns the first shift from 0 on that no interval covers. An interval that begins up to
// `tolerance` later still counts as covering.
static double first_gap(const abut__shift_interval* intervals, size_t count, double tolerance) {
    double shift = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < count; ++i) {
            if (intervals[i].enter <= shift + tolerance && intervals[i].leave > shift) {
                shift = intervals[i].leave;
                moved = true;
            }
        }
    }
    return shift;
}

bool abut__overlap_shift(abut__overlap* o, const double direction[3], double limit, double* shift) {
    o->intervals.count = 0;
    bool ok = project_all(o, direction);
    for (size_t i = 0; i < o->triangles[0].count && ok; ++i) {
        ok = add_intervals(o, i, direction, limit);
    }
    if (ok) {
        const double gap = first_gap(o->intervals.data, o->intervals.count, o->tolerance);
        *shift = gap <= limit ? gap : INFINITY;
    }
    return ok;
}

static bool consider_gap(abut__overlap* o, abut__overlap_test is_out, const void* user,
                         const double direction[3], abut__overlap_candidate* candidates,
                         uint32_t* count) {
    abut__overlap_candidate candidate;
    memcpy(candidate.direction, direction, sizeof candidate.direction);
    if (!normalise(candidate.direction)) {
        return true;
    }
    const double limit = *count == ABUT__OVERLAP_CANDIDATES ? candidates[*count - 1].width
                                                            : DBL_MAX;
    if (!abut__overlap_shift(o, candidate.direction, limit, &candidate.width)) {
        return false;
    }
    if (candidate.width < INFINITY &&
        is_out(user, candidate.direction, candidate.width + o->tolerance)) {
        insert_candidate(candidate, candidates, count);
    }
    return true;
}

bool abut__overlap_gap_candidates(abut__overlap* o, abut__overlap_test is_out, const void* user,
                                  abut__overlap_candidate candidates[ABUT__OVERLAP_CANDIDATES],
                                  uint32_t* count) {
    bool ok = true;
    *count = 0;
    for (int k = 0; k < 4 && ok; ++k) {
        const double* normal = o->normal[k / 2];
        const double sign = k % 2 == 1 ? -1 : 1;
        const double direction[3] = {sign * normal[0], sign * normal[1], sign * normal[2]};
        ok = consider_gap(o, is_out, user, direction, candidates, count);
    }
    for (int k = 0; k < 27 && ok; ++k) {
        const double grid[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        ok = consider_gap(o, is_out, user, grid, candidates, count);
    }
    return ok;
}

double abut__overlap_plane_shift(const abut__overlap* o, const double direction[3]) {
    double ends[2] = {INFINITY, -INFINITY};  // the lower end of a, the upper end of b
    for (int s = 0; s < 2; ++s) {
        const double(*t)[3][3] = o->triangles[s].data;
        for (size_t i = 0; i < 3 * o->triangles[s].count; ++i) {
            const double along = abut__dot3(t[i / 3][i % 3], direction);
            ends[s] = s == 0 ? (along < ends[0] ? along : ends[0])
                             : (along > ends[1] ? along : ends[1]);
        }
    }
    return ends[1] - ends[0];
}

void abut__overlap_deepest(const abut__overlap* o, int side, const double direction[3],
                           double out[3]) {
    const size_t count = o->vertex_count[side] > 0 ? o->vertex_count[side] : o->points[side].count;
    if (o->body[side] != NULL) {
        memcpy(out, abut__reach(o->body[side], direction, o->counters).point, 3 * sizeof *out);
        return;
    }
    memcpy(out, o->points[side].data[abut__farthest_place(&o->farthest[side], direction, count)],
           3 * sizeof *out);
}

void abut__overlap_free(abut__overlap* o) {
    for (int s = 0; s < 2; ++s) {
        abut__drop(o->context, &o->triangles[s]);
        abut__drop(o->context, &o->points[s]);
        abut__drop(o->context, &o->areas[s]);
        abut__farthest_free(o->context, &o->farthest[s]);
    }
    abut__drop(o->context, &o->pieces);
    abut__drop(o->context, &o->intervals);
    abut__drop(o->context, &o->projections);
}
