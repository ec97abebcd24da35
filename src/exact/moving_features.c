// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The search of moving_features.h. Intervals of time are on a stack, the leftmost on top. Each is
// cleared by a certificate or cut into smaller ones. The first one that is small and not cleared is
// the contact, at its left end.
//
// Correctness. Intervals are closed, are cut at one double and cover [0, 1], so there is no contact
// from 0 to the left end of the reported interval. This interval is small: its length times the
// greatest speed is at most half the tolerance. If the distance at its middle exceeded margin +
// half the tolerance + rounding, the direction to the closest point would clear it. So the
// primitives come as close as margin + tolerance. The interval is not longer than its left end is
// from 0, so the reported time is at least half the time at which they come that close. At time 0
// the exact test of triangles decides. If it finds no contact, either a positive time is proven, or
// the least positive time is returned as undecided, which is correct.
//
// No reported time is in the range in which a coordinate axis separates the primitives from the
// start on, or to the end. If the search finds one there, the primitives only come near, and the
// search is repeated between these ranges. Bounding boxes of the motion can therefore rule out
// reports in advance, altogether or before some time.
#include "exact/moving_features.h"

#include <math.h>
#include <string.h>

#include "exact/triangles.h"

#define NODES_MOST 512
#define CAREFUL_AFTER 40  // nodes; then sums of two doubles are used, too
#define FINE_DIRECTIONS_MOST 8
#define ROOT_WIDTH 0x1p-48     // half the shortest interval around a root
#define REFINED_WIDTH 0x1p-46  // doubles resolve nothing in shorter ones
#define LEAST_POSITIVE 0x1p-1074

typedef struct {
    double a, b;
    bool core;  // around a root that certainly exists
} span;

typedef struct {
    const abut__sweep_question* question;
    const abut__hull* hull;
    abut__fine_hull fine;
    bool has_fine;
    bool careful;
    bool ended;  // the contact was found
    int fine_directions;
    int nodes;
    double small;  // length of small intervals; < 0: not computed yet
    double end;    // of the interval examined last
    // What is known at a time, < 0: at none yet. Intervals are often cut again at their left ends.
    double direction_time;
    double direction_gap;
    double direction[3];
    double flat_time;
    bool is_flat;       // the cubic in sums of two doubles is 0 within its error
    double stuck_time;  // here the direction and the cubic in doubles prove nothing
    int count;
    // A node pushes at most two more than it pops. Members are apart, because a load of several soon
    // after their single stores would wait for these.
    double stack_a[2 * NODES_MOST + 4];
    double stack_b[2 * NODES_MOST + 4];
    bool stack_core[2 * NODES_MOST + 4];
} search;

typedef struct {
    abut_sweep_verdict verdict;
    double time;
} outcome;

bool abut__sweep_touches_at_start(const abut__sweep_question* question) {
    const double(*x)[3] = question->from;
    double p[3][3];
    double q[3][3];
    for (int k = 0; k < 3; ++k) {
        p[0][k] = x[0][k];
        p[1][k] = p[2][k] = x[question->edges ? 1 : 0][k];
        q[0][k] = x[question->edges ? 2 : 1][k];
        q[1][k] = x[question->edges ? 3 : 2][k];
        q[2][k] = x[3][k];
    }
    return abut__triangles_within(p, q, question->margin);
}

static void push(search* s, double a, double b, bool core) {
    if (a < b) {
        s->stack_a[s->count] = a;
        s->stack_b[s->count] = b;
        s->stack_core[s->count++] = core;
    }
}

static const abut__fine_hull* fine_of(search* s) {
    if (!s->has_fine) {
        abut__fine_make(s->question, s->hull, &s->fine);
        s->has_fine = true;
    }
    return &s->fine;
}

static bool is_flat_at(search* s, double t) {
    if (s->flat_time != t) {
        s->is_flat = abut__fine_cubic_is_flat(fine_of(s), t);
        s->flat_time = t;
    }
    return s->is_flat;
}

// Tells whether (A) proves an interval clear in sums of two doubles.
static bool fine_cubic_clears(search* s, const span* now) {
    return !is_flat_at(s, now->a) && abut__fine_cubic_clears(fine_of(s), now->a, now->b);
}

static bool is_small(search* s, const span* now) {
    if (s->small < 0.0) {
        s->small = 0.5 * abut__hull_tolerance(s->hull, s->question->tolerance) /
                   abut__hull_speed(s->hull);
    }
    return now->b - now->a <= s->small;
}

// Cuts out the neighbourhood of a root that certainly exists and is the only one.
static bool cut_at_root(search* s, const span* now, const double c[4]) {
    const double bound = s->hull->bound;
    const bool falls = c[0] > bound && c[3] < -bound;
    const bool rises = c[0] < -bound && c[3] > bound;
    double root;
    double slope;
    if (!(falls || rises) || !abut__cubic_root(c, &root, &slope)) {
        return false;
    }
    const double width = now->b - now->a;
    double half = 2.0 * bound * width / slope;
    half = half > ROOT_WIDTH ? half : ROOT_WIDTH;
    if (!(half < 0.125 * width)) {
        return false;
    }
    const double at = now->a + root * width;
    const double low = at - half > now->a ? at - half : now->a;
    const double high = at + half < now->b ? at + half : now->b;
    push(s, high, now->b, false);
    push(s, low, high, true);
    push(s, now->a, low, false);
    return true;
}

static bool middle_direction_clears(const abut__hull* hull, const span* now) {
    double d[4][3];
    double g[3];
    abut__hull_at(hull, 0.5 * (now->a + now->b), d);
    return abut__hull_direction(hull->count, d, g) > 0.0 &&
           abut__direction_clears(hull, now->a, now->b, g, g);
}

// Estimates the direction at the left end of an interval, and its gap.
static double left_direction(search* s, const span* now) {
    if (s->direction_time != now->a) {
        double d[4][3];
        abut__hull_at(s->hull, now->a, d);
        s->direction_gap = abut__hull_direction(s->hull->count, d, s->direction);
        s->direction_time = now->a;
    }
    return s->direction_gap;
}

// Tries directions at both ends; *reached receives the time up to which the left one alone clears.
static bool end_directions_clear(search* s, const span* now, double* reached) {
    const abut__hull* hull = s->hull;
    const double* g0 = s->direction;
    double d[4][3];
    double g1[3];
    *reached = now->a;
    if (!(left_direction(s, now) > 0.0)) {
        return false;
    }
    abut__hull_at(hull, now->b, d);
    if (abut__hull_direction(hull->count, d, g1) > 0.0 &&
        abut__direction_clears(hull, now->a, now->b, g0, g1)) {
        return true;
    }
    const double part = abut__direction_reach(hull, now->a, now->b, g0);
    if (part >= 1.0) {
        return abut__direction_clears(hull, now->a, now->b, g0, g0);
    }
    const double until = now->a + part * (1.0 - 0x1p-30) * (now->b - now->a);
    if (until > now->a && until < now->b && abut__direction_clears(hull, now->a, until, g0, g0)) {
        *reached = until;
    }
    return false;
}

static bool fine_directions_clear(search* s, const span* now) {
    if (s->fine_directions >= FINE_DIRECTIONS_MOST) {
        return false;
    }
    ++s->fine_directions;
    const abut__fine_hull* fine = fine_of(s);
    double d[4][3];
    double g0[3];
    double g1[3];
    abut__fine_at(s->hull, fine, now->a, d);
    if (!(abut__hull_direction(s->hull->count, d, g0) > 0.0)) {
        return false;
    }
    abut__fine_at(s->hull, fine, now->b, d);
    return abut__hull_direction(s->hull->count, d, g1) > 0.0 &&
           abut__fine_direction_clears(s->hull, fine, now->a, now->b, g0, g1);
}

// Returns a time up to which separation from the start is proven; 0: none was found.
static double clear_from_start(search* s, double b) {
    double best = abut__axes_reach(s->hull);
    const abut__fine_hull* fine = fine_of(s);
    double d[4][3];
    double g[3];
    abut__fine_at(s->hull, fine, 0.0, d);
    if (abut__hull_direction(s->hull->count, d, g) > 0.0) {
        const double part = abut__fine_direction_reach(s->hull, fine, 0.0, b, g);
        const double until = part >= 1.0 ? b : part * (1.0 - 0x1p-30) * b;
        if (until > best && abut__fine_direction_clears(s->hull, fine, 0.0, until, g, g)) {
            best = until;
        }
    }
    // a direction is rounded and fails within an ulp; the cubic does not
    const double until = abut__fine_cubic_reach(fine);
    if (s->hull->margin == 0.0 && until > best && until > 0.0 &&
        abut__fine_cubic_clears(fine, 0.0, until)) {
        best = until;
    }
    return best < b ? best : b;
}

static void cut(search* s, const span* now, double reached) {
    const double width = now->b - now->a;
    if (reached - now->a > 0.125 * width) {
        push(s, reached, now->b, false);
        return;
    }
    double middle = 0.5 * (now->a + now->b);
    if (now->a > 0.0 && now->b > 4.0 * now->a && is_small(s, now)) {
        middle = sqrt(now->a) * sqrt(now->b);  // reaches times of any magnitude quickly
    }
    push(s, middle, now->b, false);
    push(s, now->a, middle, false);
}

// Handles a small interval that is not cleared. True: it is the contact.
static bool ends(search* s, const span* now, double reached, outcome* out) {
    if (now->a == 0.0) {
        if (abut__sweep_touches_at_start(s->question)) {
            *out = (outcome){ABUT_SWEEP_VERDICT_CONTACT, 0.0};
            return true;
        }
        const double until = clear_from_start(s, now->b);
        if (until == 0.0) {
            *out = (outcome){ABUT_SWEEP_VERDICT_UNDECIDED, LEAST_POSITIVE};
            return true;
        }
        push(s, until, now->b, false);
        return false;
    }
    if (now->b > 2.0 * now->a) {
        cut(s, now, reached);
        return false;
    }
    const bool whole = now->core || s->hull->margin > 0.0;
    if (!whole && !(now->b - now->a <= REFINED_WIDTH)) {
        s->careful = true;
        if (!fine_cubic_clears(s, now)) {
            cut(s, now, reached);
        }
        return false;
    }
    if (!whole && fine_directions_clear(s, now)) {
        return false;
    }
    *out = (outcome){ABUT_SWEEP_VERDICT_CONTACT, now->a};
    return true;
}

static outcome give_up(search* s, double a) {
    if (a > 0.0) {
        return (outcome){ABUT_SWEEP_VERDICT_UNDECIDED, a};
    }
    if (abut__sweep_touches_at_start(s->question)) {
        return (outcome){ABUT_SWEEP_VERDICT_CONTACT, 0.0};
    }
    const double until = clear_from_start(s, 1.0);
    return (outcome){ABUT_SWEEP_VERDICT_UNDECIDED, until > 0.0 ? until : LEAST_POSITIVE};
}

// Tells whether tests that depend on the left end of an interval alone rule out all certificates.
// Touching primitives are cut at one such end again and again.
static bool is_stuck(search* s, const span* now, bool careful) {
    return s->stuck_time == now->a && !now->core && (!careful || is_flat_at(s, now->a));
}

// Clears an interval, or cuts it at a root. False: it is left; *reached as in end_directions_clear().
static bool clears(search* s, const span* now, bool careful, double* reached) {
    double c[4];
    if (now->b - now->a == 1.0) {
        memcpy(c, s->hull->c, sizeof c);  // it is known not to clear all of [0, 1]
    } else if (abut__cubic_clears(s->hull, now->a, now->b, c)) {
        return true;
    }
    if (careful && fine_cubic_clears(s, now)) {
        return true;
    }
    if (now->core) {
        return middle_direction_clears(s->hull, now);
    }
    if (cut_at_root(s, now, c) || end_directions_clear(s, now, reached)) {
        return true;
    }
    if (!(s->direction_gap > 0.0) && !(fabs(c[0]) > s->hull->bound)) {
        s->stuck_time = now->a;
    }
    return false;
}

// Handles an interval. True: it is done, or cut into smaller ones. False: `now` has become its left
// half, which comes next.
static bool handle(search* s, span* now, outcome* out) {
    const bool careful = s->careful || (s->nodes > CAREFUL_AFTER && s->hull->margin == 0.0);
    const bool stuck = is_stuck(s, now, careful);
    double reached = now->a;
    if (!stuck && clears(s, now, careful, &reached)) {
        return true;
    }
    s->careful = careful;
    if (is_small(s, now)) {
        s->ended = ends(s, now, reached, out);
        return true;
    }
    const double middle = 0.5 * (now->a + now->b);
    if (!stuck || !(now->a < middle)) {
        cut(s, now, reached);
        return true;
    }
    push(s, middle, now->b, false);  // as cut() does, without the stack for the left half
    now->b = middle;
    return false;
}

static outcome run(search* s) {
    outcome out = {ABUT_SWEEP_VERDICT_NONE, 1.0};
    while (s->count > 0 && !s->ended) {
        --s->count;
        span now = {s->stack_a[s->count], s->stack_b[s->count], s->stack_core[s->count]};
        bool done = false;
        while (!done) {
            s->end = now.b;
            if (++s->nodes > NODES_MOST) {
                return give_up(s, now.a);
            }
            done = handle(s, &now, &out);
        }
    }
    return out;
}

// Searches the times from a to b; separation before and after must be known.
static outcome search_between(search* s, double a, double b) {
    s->careful = s->ended = false;
    s->fine_directions = s->nodes = 0;
    s->count = 0;
    push(s, a, b, false);
    return run(s);
}

// Tells whether nothing moves: the exact test then decides.
static bool stands_still(const abut__sweep_question* question) {
    bool same = true;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            same = same && question->from[i][k] == question->to[i][k];
        }
    }
    return same;
}

static void begin_search(search* s, const abut__sweep_question* question, const abut__hull* hull) {
    s->question = question;
    s->hull = hull;
    s->has_fine = false;
    s->small = s->direction_time = s->flat_time = s->stuck_time = -1.0;
}

bool abut__sweep_open(const abut__sweep_question* question, abut__hull* hull) {
    return abut__hull_make(question, hull);
}

// An interval that is left when NODES_MOST is reached may be long, so it is cut to a short one: the
// next call continues soon after its start.
bool abut__sweep_next(const abut__sweep_question* question, const abut__hull* hull, double from,
                      double interval[2]) {
    interval[0] = from;
    interval[1] = 1.0;
    if (stands_still(question)) {
        return abut__sweep_touches_at_start(question);
    }
    search s;
    begin_search(&s, question, hull);
    const outcome found = search_between(&s, from, 1.0);
    if (found.verdict == ABUT_SWEEP_VERDICT_NONE) {
        return false;
    }
    interval[0] = found.time > from ? found.time : from;
    interval[1] = s.end;
    if (found.verdict == ABUT_SWEEP_VERDICT_UNDECIDED) {
        const double soon = interval[0] + 0x1p-20;
        interval[1] = soon < s.end ? soon : s.end;
    }
    return true;
}

void abut__sweep_decide(const abut__sweep_question* question, abut_sweep_contact* out) {
    *out = (abut_sweep_contact){.verdict = ABUT_SWEEP_VERDICT_NONE, .time = 1.0};
    abut__hull hull;
    if (!abut__hull_make(question, &hull)) {
        return;
    }
    outcome found = {ABUT_SWEEP_VERDICT_NONE, 1.0};
    if (stands_still(question)) {
        if (abut__sweep_touches_at_start(question)) {
            found = (outcome){ABUT_SWEEP_VERDICT_CONTACT, 0.0};
        }
    } else {
        search s;
        begin_search(&s, question, &hull);
        found = search_between(&s, 0.0, 1.0);
        if (found.verdict != ABUT_SWEEP_VERDICT_NONE && found.time > 0.0) {
            const double first = abut__axes_reach(&hull);
            const double last = abut__axes_reach_back(&hull);
            if (found.time < first || found.time > last) {
                found = search_between(&s, first, last);
            }
        }
    }
    if (found.verdict != ABUT_SWEEP_VERDICT_NONE) {
        out->verdict = found.verdict;
        out->time = found.time;
        abut__sweep_describe(&hull, out);
    }
}
