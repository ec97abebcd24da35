// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The shortest way out of a region: see escape.h.
//
// Many directions are compared by what is cheap: the width of the overlap along them, which is the
// depth of Sud et al. (2006). The narrowest ones are turned a little as long as that gets smaller. What
// such a direction really needs is another matter, for triangles reach beyond the overlap: the shifts
// at which each pair of triangles touches are an interval, and the answer is the first shift that
// none of them covers.
#include "depth/escape.h"

#include "base/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TURNS = 9, LATER_TURNS = 5 };
#define FIRST_TURN 0.35
#define LATER_TURN 0.05  // of a direction that was found in the last call
#define OUTWARD 0.7      // a way out must reach so much of the other way

// the extent of a triangle along the direction and across it
typedef struct abut__shadow {
    double lo[3];
    double hi[3];
} shadow;

static bool normalise(double v[3]) {
    const double length = sqrt(abut__dot3(v, v));
    for (int d = 0; d < 3 && length > 0 && isfinite(length); ++d) {
        v[d] /= length;
    }
    return length > 0 && isfinite(length);
}

static void extent(const abut__escape_points* points, const double direction[3], double out[2]) {
    const double(*p)[3] = points->data;
    out[0] = INFINITY;
    out[1] = -INFINITY;
    for (size_t i = 0; i < points->count; ++i) {
        const double along = abut__dot3(p[i], direction);
        out[0] = along < out[0] ? along : out[0];
        out[1] = along > out[1] ? along : out[1];
    }
}

// The width of what overlaps. Of the two ways along a line one leads out and the other through: what is
// inside of a lies behind on the way out, and what is inside of b ahead. The other way is infinitely wide,
// unless it is about as good.
static double width_of(const abut__escape* e, const double direction[3]) {
    double a[2];
    double b[2];
    extent(&e->points[0], direction, a);
    extent(&e->points[1], direction, b);
    const double out = b[1] - a[0];
    const double through = a[1] - b[0];
    if (e->contained) {
        return out;
    }
    const double high = a[1] > b[1] ? a[1] : b[1];
    const double low = a[0] < b[0] ? a[0] : b[0];
    return out >= OUTWARD * through ? high - low : INFINITY;
}

// twice the area along each axis
static void area_of(const double t[3][3], double out[3]) {
    double u[3];
    double v[3];
    for (int d = 0; d < 3; ++d) {
        u[d] = t[1][d] - t[0][d];
        v[d] = t[2][d] - t[0][d];
    }
    out[0] = u[1] * v[2] - u[2] * v[1];
    out[1] = u[2] * v[0] - u[0] * v[2];
    out[2] = u[0] * v[1] - u[1] * v[0];
}

// the sum of the normals of a body's triangles: they point out of it, or into it
static void mean_normal(const abut__escape* e, int side, double out[3]) {
    const double(*t)[3][3] = e->triangles[side].data;
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < e->triangles[side].count; ++i) {
        double area[3];
        area_of(t[i], area);
        for (int d = 0; d < 3; ++d) {
            out[d] += area[d];
        }
    }
}

void abut__escape_out(const abut__escape* e, int outward, double out[3]) {
    double normal[2][3];
    mean_normal(e, 0, normal[0]);
    mean_normal(e, 1, normal[1]);
    for (int d = 0; d < 3; ++d) {
        out[d] = outward * (normal[1][d] - normal[0][d]);
    }
}

// two directions across
static void across(const double direction[3], double u[3], double v[3]) {
    const int k = fabs(direction[0]) < fabs(direction[1])
                      ? (fabs(direction[0]) < fabs(direction[2]) ? 0 : 2)
                      : (fabs(direction[1]) < fabs(direction[2]) ? 1 : 2);
    double axis[3] = {0, 0, 0};
    axis[k] = 1;
    u[0] = direction[1] * axis[2] - direction[2] * axis[1];
    u[1] = direction[2] * axis[0] - direction[0] * axis[2];
    u[2] = direction[0] * axis[1] - direction[1] * axis[0];
    normalise(u);
    v[0] = direction[1] * u[2] - direction[2] * u[1];
    v[1] = direction[2] * u[0] - direction[0] * u[2];
    v[2] = direction[0] * u[1] - direction[1] * u[0];
}

// keeps the narrowest ones, in order, and not two that are nearly the same
static void keep_way(abut__way way, abut__way* ways, uint32_t* count) {
    uint32_t place = *count;
    for (uint32_t i = 0; i < *count; ++i) {
        if (abut__dot3(ways[i].direction, way.direction) > 0.999) {
            if (ways[i].width <= way.width) {
                return;
            }
            memmove(&ways[i], &ways[i + 1], (*count - i - 1) * sizeof *ways);
            --*count;
            break;
        }
    }
    for (place = *count; place > 0 && ways[place - 1].width > way.width; --place) {
    }
    if (place < ABUT__WAYS) {
        const uint32_t end = *count < ABUT__WAYS ? *count : ABUT__WAYS - 1;
        memmove(&ways[place + 1], &ways[place], (end - place) * sizeof *ways);
        ways[place] = way;
        *count = end + 1;
    }
}

static void consider(const abut__escape* e, const double direction[3], abut__way* ways,
                     uint32_t* count) {
    abut__way way;
    memcpy(way.direction, direction, sizeof way.direction);
    if (normalise(way.direction)) {
        way.width = width_of(e, way.direction);
        if (way.width < INFINITY) {
            keep_way(way, ways, count);
        }
    }
}

// flat bodies part along the normal of a face: the nearest one, if that is no worse
static void snap(const abut__escape* e, abut__way* way) {
    abut__way best = *way;
    double nearest = 0.95;
    for (int s = 0; s < 2; ++s) {
        const double(*t)[3][3] = e->triangles[s].data;
        for (size_t i = 0; i < e->triangles[s].count; ++i) {
            double normal[3];
            area_of(t[i], normal);
            if (!normalise(normal)) {
                continue;
            }
            const double cosine = abut__dot3(normal, way->direction);
            if (fabs(cosine) > nearest) {
                nearest = fabs(cosine);
                for (int d = 0; d < 3; ++d) {
                    best.direction[d] = cosine < 0 ? -normal[d] : normal[d];
                }
            }
        }
    }
    best.width = width_of(e, best.direction);
    if (best.width <= way->width) {
        *way = best;
    }
}

// turns a direction as long as the overlap gets narrower
static void turn_on(const abut__escape* e, abut__way* way, double turn, int rounds) {
    for (int round = 0; round < rounds; ++round) {
        double axes[2][3];
        bool better = false;
        across(way->direction, axes[0], axes[1]);
        for (int k = 0; k < 4; ++k) {
            abut__way tried;
            for (int d = 0; d < 3; ++d) {
                tried.direction[d] = way->direction[d] +
                                     (k % 2 == 0 ? turn : -turn) * axes[k / 2][d];
            }
            normalise(tried.direction);
            tried.width = width_of(e, tried.direction);
            if (tried.width < way->width) {
                *way = tried;
                better = true;
            }
        }
        turn = better ? turn : turn * 0.4;
    }
}

static void consider_both(const abut__escape* e, double direction[3], abut__way* ways,
                          uint32_t* count) {
    consider(e, direction, ways, count);
    for (int d = 0; d < 3; ++d) {
        direction[d] = -direction[d];
    }
    consider(e, direction, ways, count);
}

bool abut__escape_first(const abut__escape* e, abut__way* way) {
    abut__way ways[ABUT__WAYS];
    uint32_t count = 0;
    for (int s = 0; s < 2; ++s) {
        double direction[3];
        mean_normal(e, s, direction);
        consider_both(e, direction, ways, &count);
    }
    if (count > 0) {
        *way = ways[0];
        turn_on(e, way, FIRST_TURN, TURNS);
        snap(e, way);
    }
    return count > 0;
}

double abut__escape_width(const abut__escape* e, const double direction[3]) {
    return width_of(e, direction);
}

void abut__escape_follow(const abut__escape* e, const double last[3], bool turn, abut__way* way) {
    memcpy(way->direction, last, sizeof way->direction);
    way->width = width_of(e, last);
    if (turn) {
        turn_on(e, way, LATER_TURN, LATER_TURNS);
    }
}

uint32_t abut__escape_ways(const abut__escape* e, abut__way ways[ABUT__WAYS]) {
    uint32_t count = 0;
    double direction[3];
    for (int s = 0; s < 2; ++s) {
        mean_normal(e, s, direction);
        consider_both(e, direction, ways, &count);
    }
    for (int k = 0; k < 27; ++k) {
        const double round[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        consider(e, round, ways, &count);
    }
    // the first are turned; what comes of them is put in order again
    abut__way narrow[ABUT__WAYS];
    const uint32_t found = count;
    memcpy(narrow, ways, found * sizeof *narrow);
    for (uint32_t i = 0; i < found && i < 2; ++i) {
        turn_on(e, &narrow[i], FIRST_TURN, TURNS);
        snap(e, &narrow[i]);
        consider(e, narrow[i].direction, ways, &count);
    }
    return count;
}

// ---- what a direction needs

static shadow shadow_of(const double t[3][3], const double direction[3], const double u[3],
                        const double v[3]) {
    shadow s;
    for (int c = 0; c < 3; ++c) {
        const double p[3] = {abut__dot3(t[c], direction), abut__dot3(t[c], u), abut__dot3(t[c], v)};
        for (int d = 0; d < 3; ++d) {
            s.lo[d] = c == 0 || p[d] < s.lo[d] ? p[d] : s.lo[d];
            s.hi[d] = c == 0 || p[d] > s.hi[d] ? p[d] : s.hi[d];
        }
    }
    return s;
}

static bool make_shadows(abut__escape* e, const double direction[3]) {
    double u[3];
    double v[3];
    across(direction, u, v);
    const size_t count = e->triangles[0].count + e->triangles[1].count;
    shadow* out = abut__renew(e->context, &e->shadows, count);
    for (int s = 0; s < 2 && out != NULL; ++s) {
        const double(*t)[3][3] = e->triangles[s].data;
        for (size_t i = 0; i < e->triangles[s].count; ++i) {
            *out++ = shadow_of(t[i], direction, u, v);
        }
    }
    return out != NULL || count == 0;
}

// the passages of one triangle of a, from 0 to the limit
static bool add_passages(abut__escape* e, size_t i, const double direction[3], double limit) {
    const double(*a)[3][3] = e->triangles[0].data;
    const double(*b)[3][3] = e->triangles[1].data;
    const shadow* all = e->shadows.data;
    const shadow* mine = &all[i];
    const shadow* other = all + e->triangles[0].count;
    for (size_t k = 0; k < e->triangles[1].count; ++k, ++other) {
        abut__passage p;
        if (other->hi[0] - mine->lo[0] < 0 || other->lo[0] - mine->hi[0] > limit ||
            other->lo[1] > mine->hi[1] || other->hi[1] < mine->lo[1] ||
            other->lo[2] > mine->hi[2] || other->hi[2] < mine->lo[2] ||
            !abut__passage_of(a[i], b[k], direction, &p) || p.out < 0 || p.in > limit) {
            continue;
        }
        abut__passage* out = abut__push(e->context, &e->passages, 1);
        if (out == NULL) {
            return false;
        }
        *out = p;
    }
    return true;
}

// The first shift from 0 on that no passage covers: passages that begin before it carry it on, and those that
// begin there but for rounding.
static double first_gap(const abut__passage* passages, size_t count, double grain) {
    double shift = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < count; ++i) {
            if (passages[i].in <= shift + grain && passages[i].out > shift) {
                shift = passages[i].out;
                moved = true;
            }
        }
    }
    return shift;
}

bool abut__escape_shift(abut__escape* e, const double direction[3], double limit, double* shift) {
    e->passages.count = 0;
    bool room = make_shadows(e, direction);
    for (size_t i = 0; i < e->triangles[0].count && room; ++i) {
        room = add_passages(e, i, direction, limit);
    }
    if (room) {
        const double gap = first_gap(e->passages.data, e->passages.count, e->grain);
        *shift = gap <= limit ? gap : INFINITY;
    }
    return room;
}

static bool consider_gap(abut__escape* e, abut__escape_test is_out, const void* user,
                         const double direction[3], abut__way* ways, uint32_t* count) {
    abut__way way;
    memcpy(way.direction, direction, sizeof way.direction);
    if (!normalise(way.direction)) {
        return true;
    }
    const double limit = *count == ABUT__WAYS ? ways[*count - 1].width : DBL_MAX;
    if (!abut__escape_shift(e, way.direction, limit, &way.width)) {
        return false;
    }
    if (way.width < INFINITY && is_out(user, way.direction, way.width + e->grain)) {
        keep_way(way, ways, count);
    }
    return true;
}

bool abut__escape_gaps(abut__escape* e, abut__escape_test is_out, const void* user,
                       abut__way ways[ABUT__WAYS], uint32_t* count) {
    bool room = true;
    *count = 0;
    for (int k = 0; k < 4 && room; ++k) {
        double direction[3];
        mean_normal(e, k / 2, direction);
        for (int d = 0; d < 3 && k % 2 == 1; ++d) {
            direction[d] = -direction[d];
        }
        room = consider_gap(e, is_out, user, direction, ways, count);
    }
    for (int k = 0; k < 27 && room; ++k) {
        const double round[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        room = consider_gap(e, is_out, user, round, ways, count);
    }
    return room;
}

double abut__escape_apart(const abut__escape* e, const double direction[3]) {
    double ends[2] = {INFINITY, -INFINITY};  // of a below, of b above
    for (int s = 0; s < 2; ++s) {
        const double(*t)[3][3] = e->triangles[s].data;
        for (size_t i = 0; i < 3 * e->triangles[s].count; ++i) {
            const double along = abut__dot3(t[i / 3][i % 3], direction);
            ends[s] = s == 0 ? (along < ends[0] ? along : ends[0])
                             : (along > ends[1] ? along : ends[1]);
        }
    }
    return ends[1] - ends[0];
}

void abut__escape_deepest(const abut__escape* e, int side, const double direction[3],
                          double out[3]) {
    const double(*p)[3] = e->points[side].data;
    const size_t count = e->vertex_count[side] > 0 ? e->vertex_count[side] : e->points[side].count;
    size_t best = 0;
    for (size_t i = 1; i < count; ++i) {
        best = abut__dot3(p[i], direction) > abut__dot3(p[best], direction) ? i : best;
    }
    memcpy(out, p[best], sizeof p[best]);
}

void abut__escape_free(abut__escape* e) {
    for (int s = 0; s < 2; ++s) {
        abut__drop(e->context, &e->triangles[s]);
        abut__drop(e->context, &e->points[s]);
    }
    abut__drop(e->context, &e->pieces);
    abut__drop(e->context, &e->passages);
    abut__drop(e->context, &e->shadows);
}
