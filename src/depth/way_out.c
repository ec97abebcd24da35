// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The shortest translation that frees a region. Directions come from escape.c; each is tried out with the
// query itself, first so that nothing else touches either, and if that fails so that the region
// alone is free.
#include <float.h>
#include <math.h>

#include "depth/depth.h"

enum {
    FEW_PAIRS = 1 << 14,  // of triangles, that are looked at one by one
    FEW_WAYS = 3,         // that are tried, if one of them does
};
#define START 0.7  // of a way, from where on shorter ones are looked for
#define WIDE \
    1.05  // the width of an overlap over the depth, up to which it is the width that counts
#define FARTHER \
    1.5  // over the width of an overlap, as far as that nothing else touches is hoped for
#define SHORTER 0.9  // of what is known: what must be hoped for
#define KEEP 0.95    // of what the last direction needs: another one must need less
#define NEARLY 0.98  // lower bound over depth: the direction is good, too
#define ALIKE 0.985  // cosine of directions that are not told apart at any cost
#define PROVEN 0.9   // lower bound over depth: nothing much shorter can be found

static void accept(abut__attempt* a, const double direction[3], double shift) {
    if (shift < a->keep * a->region->depth) {
        a->region->depth = shift;
        memcpy(a->region->direction, direction, sizeof a->region->direction);
        a->keep = 1;
    }
}

static abut_status try_and_accept(abut__attempt* a, const double direction[3], bool clean,
                                  double shift) {
    if (!(shift < a->keep * a->region->depth)) {
        return ABUT_OK;
    }
    const abut_status status = abut__attempt_shift(a, direction, clean, &shift);
    if (status == ABUT_OK) {
        accept(a, direction, shift);
    }
    return status;
}

// The shortest of some ways. What its triangles need may be less than the width of the overlap, or more.
static abut_status try_ways(abut__attempt* a, const abut__way* ways, uint32_t count, bool clean) {
    for (uint32_t i = 0; i < count && (i < FEW_WAYS || a->region->depth == INFINITY); ++i) {
        double shift = ways[i].width;
        // later ones are wider: they are worth a look only while the best is long against them
        if (ways[i].width > 1.5 * a->region->depth) {
            break;
        }
        if (a->few &&
            !abut__escape_shift(&a->depths->escape, ways[i].direction, a->region->depth, &shift)) {
            return ABUT_ERR_NO_MEMORY;
        }
        abut_status status = try_and_accept(a, ways[i].direction, clean, shift);
        if (status == ABUT_OK && clean && ways[i].width > shift) {
            status = try_and_accept(a, ways[i].direction, clean, ways[i].width);
        }
        if (status != ABUT_OK) {
            return status;
        }
    }
    return ABUT_OK;
}

// planes between all triangles of the region
static abut_status try_planes(abut__attempt* a, const abut__way* ways, uint32_t count, bool clean) {
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < count && status == ABUT_OK; ++i) {
        status = try_and_accept(a, ways[i].direction, clean,
                                abut__escape_apart(&a->depths->escape, ways[i].direction));
    }
    return status;
}

static abut_box box_of(const abut__attempt* a, int s) {
    if (!a->depths->regions.within) {
        return abut__body_world_box(a->depths->regions.side[s].body, 1);
    }
    const double* x = (const double*)a->depths->escape.triangles[s].data;
    abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 9 * a->depths->escape.triangles[s].count; ++i) {
        box.lo[i % 3] = x[i] < box.lo[i % 3] ? x[i] : box.lo[i % 3];
        box.hi[i % 3] = x[i] > box.hi[i % 3] ? x[i] : box.hi[i % 3];
    }
    return box;
}

// Away from each other's boxes: that always does. Those of one body's patches are of rounded corners, so that it is
// tried out, too.
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
        accept(a, direction,
               (1 + 0x1p-40) *
                   (k % 2 == 0 ? box_b.hi[d] - box_a.lo[d] : box_a.hi[d] - box_b.lo[d]));
    }
    double shift = a->region->depth;
    if (!a->depths->regions.within || shift == INFINITY) {
        return ABUT_OK;
    }
    const abut_status status = abut__attempt_shift(a, a->region->direction, false, &shift);
    a->region->depth = shift < INFINITY ? shift : a->region->depth;
    return status;
}

// Where there are too many triangles to look at each pair, a way that does may still be longer than it
// must be. From a good part of it on the first shift is looked for that does, too.
static abut_status shorten(const abut__attempt* a, bool clean) {
    const double* direction = a->region->direction;
    const double whole = a->region->depth;
    for (double start = START * whole; start > 0.1 * whole; start *= 0.5) {
        double shift = start;
        const abut_status status = abut__attempt_push(a, direction, clean, a->region->depth,
                                                      &shift);
        if (status != ABUT_OK) {
            return status;
        }
        const double way[3] = {shift * direction[0], shift * direction[1], shift * direction[2]};
        if (shift < a->region->depth && abut__attempt_is_out(a, direction, clean, way)) {
            a->region->depth = shift;
        }
        if (shift > start) {
            break;  // it touched there
        }
    }
    return ABUT_OK;
}

// Within one body rounding is that of the shape's coordinates, too.
static double scale_of(const abut__attempt* a) {
    const abut__escape* e = &a->depths->escape;
    const abut__regions* r = &a->depths->regions;
    double scale = r->within ? (double)abut__body_state(r->side[0].body, 1)->extent : 0;
    for (int s = 0; s < 2; ++s) {
        const double* x = (const double*)e->triangles[s].data;
        for (size_t i = 0; i < 9 * e->triangles[s].count; ++i) {
            scale = fabs(x[i]) > scale ? fabs(x[i]) : scale;
        }
    }
    return scale;
}

static abut_status raise_lower(abut__attempt* a) {
    if (!a->depths->regions.within) {
        return abut__attempt_lower(a);
    }
    abut__attempt_hold(a);
    return ABUT_OK;
}

// The direction of the last call, turned to where the overlap is narrower now if that was what counted. It stays if no
// other one needs clearly less, so that what follows from it does not jump.
static abut_status follow(abut__attempt* a, const abut__depth_memory* last, bool clean) {
    const abut__escape* e = &a->depths->escape;
    abut__way way;
    if (last == NULL || !isfinite(last->depth)) {
        return ABUT_OK;
    }
    abut__escape_follow(e, last->direction, last->by_width, &way);
    if (a->few && !last->by_width &&
        !abut__escape_shift(&a->depths->escape, way.direction, DBL_MAX, &way.width)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut_status status = try_and_accept(a, way.direction, clean, way.width);
    if (status == ABUT_OK && !clean && a->region->depth == INFINITY) {
        status = try_and_accept(a, way.direction, clean, abut__escape_apart(e, way.direction));
    }
    a->keep = a->region->depth < INFINITY ? KEEP : 1;
    return status;
}

// The way by which the deepest point comes out soonest: if that is another one and does, nothing is shorter. It is
// what the depth changes along, so that forces by it neither brake nor drive what slides.
static abut_status try_nearest(abut__attempt* a, bool clean) {
    const double length = sqrt((a->nearest[0] * a->nearest[0] + a->nearest[1] * a->nearest[1]) +
                               a->nearest[2] * a->nearest[2]);
    abut__way way;
    if (!(length > 0) || a->region->lower > NEARLY * a->region->depth) {
        return ABUT_OK;
    }
    for (int d = 0; d < 3; ++d) {
        way.direction[d] = a->nearest[d] / length;
    }
    const double* now = a->region->direction;
    const double cosine = (way.direction[0] * now[0] + way.direction[1] * now[1]) +
                          way.direction[2] * now[2];
    if (!a->few || cosine > ALIKE) {
        way.width = abut__escape_width(&a->depths->escape, way.direction);
    } else if (!abut__escape_shift(&a->depths->escape, way.direction, a->region->depth,
                                   &way.width)) {
        return ABUT_ERR_NO_MEMORY;
    }
    a->keep = 1;
    return try_and_accept(a, way.direction, clean, way.width);
}

// what was followed is compared with others as short as it can be
static abut_status shorten_followed(const abut__attempt* a, bool clean) {
    return a->keep == KEEP && !a->few ? shorten(a, clean) : ABUT_OK;
}

// The last way, or the one that the surfaces point out, by the width of the overlap alone: mostly that is all there is
// to find, and the lower bound proves it.
static abut_status try_first(abut__attempt* a, const abut__depth_memory* last, bool* proven) {
    const bool clean = !a->depths->regions.within;
    abut__way way;
    *proven = false;
    abut_status status = follow(a, last, clean);
    if (status == ABUT_OK && a->region->depth == INFINITY && !a->together &&
        abut__escape_first(&a->depths->escape, &way)) {
        status = try_and_accept(a, way.direction, clean, way.width);
    }
    if (status == ABUT_OK && a->region->depth < INFINITY) {
        const double keep = a->keep;
        status = raise_lower(a);
        status = status == ABUT_OK ? try_nearest(a, clean) : status;
        a->keep = keep;
        *proven = a->region->lower > PROVEN * a->region->depth;
    }
    return status == ABUT_OK && !*proven ? shorten_followed(a, clean) : status;
}

static abut_status try_ways_and_planes(abut__attempt* a, const abut__way* ways, uint32_t count,
                                       bool clean) {
    const abut_status status = try_ways(a, ways, count, clean);
    return status == ABUT_OK && a->region->depth == INFINITY ? try_planes(a, ways, count, clean)
                                                             : status;
}

// Goes on along ways on which something else touches where the region is free, as when a body sticks out at the
// far side: a little farther nothing may.
static abut_status try_farther(abut__attempt* a, const abut__way* ways, uint32_t count) {
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < count && i < FEW_WAYS && status == ABUT_OK; ++i) {
        const double* direction = ways[i].direction;
        const double limit = fmin(FARTHER * ways[i].width, a->keep * a->region->depth);
        double shift = ways[i].width;
        if (shift < SHORTER * limit) {
            status = abut__attempt_push(a, direction, true, limit, &shift);
            const double way[3] = {shift * direction[0], shift * direction[1],
                                   shift * direction[2]};
            if (status == ABUT_OK && shift < limit &&
                abut__attempt_is_out(a, direction, true, way)) {
                accept(a, direction, shift);
            }
        }
    }
    return status;
}

static bool leads_out(const void* user, const double direction[3], double shift) {
    const double way[3] = {shift * direction[0], shift * direction[1], shift * direction[2]};
    return abut__attempt_is_out(user, direction, true, way);
}

// Many ways, so that nothing else touches; and if none does that, so that the region is free.
static abut_status try_between(abut__attempt* a, const abut__depth_memory* last) {
    abut__way ways[ABUT__WAYS];
    uint32_t count = 0;
    if (!a->together) {
        count = abut__escape_ways(&a->depths->escape, ways);
    } else if (!abut__escape_gaps(&a->depths->escape, leads_out, a, ways, &count)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut_status status = try_ways(a, ways, count, true);
    status = status == ABUT_OK ? try_farther(a, ways, count) : status;
    if (status == ABUT_OK && a->region->depth == INFINITY) {
        status = try_planes(a, ways, count, true);
    }
    if (status == ABUT_OK && a->region->depth == INFINITY) {
        a->region->interlocked = true;
        status = follow(a, last, false);
        status = status == ABUT_OK ? shorten_followed(a, false) : status;
    }
    if (status == ABUT_OK && a->region->interlocked) {
        status = try_ways_and_planes(a, ways, count, false);
    }
    return status;
}

// Within one body there is nothing but the patches, and they may be small against what their triangles reach: then
// ways by what triangles need are better than those by the width.
static abut_status try_within(abut__attempt* a) {
    abut__way ways[ABUT__WAYS];
    uint32_t count = abut__escape_ways(&a->depths->escape, ways);
    abut_status status = try_ways_and_planes(a, ways, count, false);
    if (status == ABUT_OK && a->few) {
        status = abut__escape_gaps(&a->depths->escape, leads_out, a, ways, &count)
                     ? try_ways(a, ways, count, false)
                     : ABUT_ERR_NO_MEMORY;
    }
    return status;
}

static abut_status try_all(abut__attempt* a, const abut__depth_memory* last) {
    const bool within = a->depths->regions.within;
    abut_status status = within ? try_within(a) : try_between(a, last);
    if (status == ABUT_OK && a->region->depth == INFINITY) {
        status = leave_boxes(a);
    }
    if (status == ABUT_OK && !a->few && a->keep == 1) {
        status = shorten(a, !within && !a->region->interlocked);
    }
    return status == ABUT_OK ? raise_lower(a) : status;
}

abut_status abut__attempt_solve(abut__attempt* a, const abut__depth_memory* last) {
    const size_t pairs = a->depths->escape.triangles[0].count *
                         a->depths->escape.triangles[1].count;
    bool proven;
    a->few = a->region->kind == ABUT_REGION_CONTACT && (a->together || pairs <= FEW_PAIRS);
    a->scale = scale_of(a);
    a->depths->escape.grain = 0x1p-38 * a->scale;
    abut__escape_out(&a->depths->escape, a->depths->regions.outward, a->out);
    a->depths->escape.contained = a->region->kind != ABUT_REGION_CONTACT;
    a->region->depth = INFINITY;
    a->keep = 1;
    memset(a->nearest, 0, sizeof a->nearest);
    abut_status status = try_first(a, last, &proven);
    if (status == ABUT_OK && !proven) {
        status = try_all(a, last);
    }
    a->region->upper = a->region->depth;
    if (status == ABUT_OK) {
        status = abut__attempt_steady(a, last);
    }
    if (a->region->depth < a->region->upper) {
        a->region->upper = a->region->depth;
    }
    if (status == ABUT_OK) {
        abut__attempt_deepest(a, a->region->direction, a->region->point_a, a->region->point_b);
        a->by_width = !a->together && abut__escape_width(&a->depths->escape, a->region->direction) <
                                          WIDE * a->region->depth;
    }
    return status;
}
