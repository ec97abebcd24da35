// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// From pairs of triangles to the closest ones, sixteen pairs at a time. First axes prove pairs
// farther apart than the best so far; the remaining ones, again sixteen at a time, are measured.
#include <math.h>

#include "base/rounding.h"
#include "query/nearest.h"

void abut__slots_empty(abut__slot* slots, uint32_t count, double within) {
    for (uint32_t i = 0; i < count; ++i) {
        slots[i] = (abut__slot){.gap = within};
    }
}

double abut__gap_reach(double gap, double thick) {
    return thick > 0 ? gap + thick + 0x1p-50 * (fabs(gap) + thick) : gap;
}

// Squared distances of boxes are compared with this. It covers rounding (kernels/nearest.c), and
// that a computed distance may be too small by 2^-25 of itself.
static float limit_of(double distance) {
    return distance >= 0 ? abut__round_up(distance * distance * (1.0 + 0x1p-20)) : -1;
}

static void set_limit(abut__seeker* seeker, uint32_t slot) {
    const float limit = limit_of(abut__gap_reach(seeker->slots[slot].gap, seeker->thick));
    if (seeker->lanes != 0) {
        seeker->limits[slot] = limit;
        return;
    }
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
        seeker->limits[k] = limit;
    }
}

static void set_limits(abut__seeker* seeker) {
    if (seeker->lanes == 0) {
        set_limit(seeker, 0);
    }
    for (uint64_t left = seeker->lanes; left != 0; left &= left - 1) {
        set_limit(seeker, (uint32_t)__builtin_ctzll(left));
    }
}

void abut__seeker_aim(abut__seeker* seeker, abut__slot* slots, uint64_t lanes) {
    seeker->slots = slots;
    seeker->lanes = lanes;
    seeker->seeded = false;
    set_limits(seeker);
}

void abut__seeker_thicken(abut__seeker* seeker, double thick) {
    const bool same = thick == seeker->thick;
    seeker->thick = thick;
    if (!same && seeker->slots != NULL) {
        set_limits(seeker);
    }
}

bool abut__seeker_is_done(const abut__seeker* seeker) {
    return seeker->status != ABUT_OK || (seeker->def->any && seeker->found);
}

static const abut__body* first_of(const abut__seeker* seeker) {
    return seeker->first_is_b ? seeker->job.view[1].body : seeker->job.view[0].body;
}
static const abut__body* second_of(const abut__seeker* seeker) {
    return seeker->first_is_b ? seeker->job.view[0].body : seeker->job.view[1].body;
}

// Whether a pair of the current bodies precedes that of a slot with the same gap.
static bool comes_before(const abut__seeker* seeker, const abut__slot* slot, uint32_t other,
                         uint32_t first, uint32_t second) {
    if (!slot->found) {
        return true;
    }
    const uint32_t body = other == 0 ? first_of(seeker)->index : second_of(seeker)->index;
    if (body != slot->body[slot->other]) {
        return body < slot->body[slot->other];
    }
    return first != slot->triangle[0] ? first < slot->triangle[0] : second < slot->triangle[1];
}

static void offer_to(abut__seeker* seeker, uint32_t n, uint32_t other, const abut__pairs16* pairs,
                     uint32_t k, double distance, const abut__closest* closest) {
    abut__slot* slot = &seeker->slots[n];
    const uint32_t first = pairs->triangle[0][k];
    const uint32_t second = pairs->triangle[1][k];
    const double gap = distance - pairs->thick[k];
    if (!(gap < slot->gap) &&
        !(gap == slot->gap && comes_before(seeker, slot, other, first, second))) {
        return;
    }
    *slot = (abut__slot){.gap = gap,
                         .distance = distance,
                         .found = true,
                         .whole = closest == NULL,
                         .body = {first_of(seeker)->index, second_of(seeker)->index},
                         .triangle = {first, second},
                         .other = other};
    if (closest != NULL) {
        slot->closest = *closest;
    }
    seeker->found = true;
    set_limit(seeker, n);
}

static void offer(abut__seeker* seeker, const abut__pairs16* pairs, uint32_t k, double distance,
                  const abut__closest* closest) {
    const uint32_t other = pairs->other[k];
    offer_to(seeker, pairs->slot[k], other, pairs, k, distance, closest);
    if (pairs->both[k] != ABUT__NO_SLOT) {
        offer_to(seeker, pairs->both[k], 1 - other, pairs, k, distance, closest);
    }
}

static void take_lane(const abut__triangle_batch* lanes, uint32_t k, double p[3][3],
                      double q[3][3]) {
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            p[c][d] = lanes->corner[c][d][k];
            q[c][d] = lanes->corner[c + 3][d][k];
        }
    }
}

static void measure(abut__seeker* seeker) {
    abut__pairs16* pairs = &seeker->likely;
    abut__distances found;
    seeker->kernels->triangles_distance(&pairs->lanes, (1u << pairs->count) - 1, &found);
    seeker->counters.exact_tests += pairs->count;
    seeker->counters.exact_fallbacks += (uint64_t)__builtin_popcount(found.open);
    for (uint32_t k = 0; k < pairs->count; ++k) {
        if ((found.open >> k & 1) == 0) {
            const abut__closest closest = {found.s[k], found.t[k], found.feature[k]};
            offer(seeker, pairs, k, found.distance[k], &closest);
            continue;
        }
        double p[3][3];
        double q[3][3];
        abut_distance alone;
        take_lane(&pairs->lanes, k, p, q);
        abut__triangles_distance((const double(*)[3])p, (const double(*)[3])q, &alone);
        offer(seeker, pairs, k, alone.distance, NULL);
    }
    pairs->count = 0;
}

static void copy_pair(const abut__pairs16* from, uint32_t k, abut__pairs16* to) {
    const uint32_t n = to->count++;
    to->slot[n] = from->slot[k];
    to->other[n] = from->other[k];
    to->both[n] = from->both[k];
    to->triangle[0][n] = from->triangle[0][k];
    to->triangle[1][n] = from->triangle[1][k];
    to->thick[n] = from->thick[k];
    for (int c = 0; c < 6; ++c) {
        for (int d = 0; d < 3; ++d) {
            to->lanes.corner[c][d][n] = from->lanes.corner[c][d][k];
        }
    }
}

// keeps pairs that may be as near as their slots' best; a computed distance may be slightly too
// small
static void sift(abut__seeker* seeker) {
    abut__pairs16* pairs = &seeker->doubtful;
    double margin[ABUT__BATCH] = {0};
    uint32_t all = 0;
    for (uint32_t k = 0; k < pairs->count; ++k) {
        double most = seeker->slots[pairs->slot[k]].gap;
        if (pairs->both[k] != ABUT__NO_SLOT && seeker->slots[pairs->both[k]].gap > most) {
            most = seeker->slots[pairs->both[k]].gap;
        }
        margin[k] = abut__gap_reach(most, pairs->thick[k]) * (1.0 + 0x1p-24);
        all |= (uint32_t)(margin[k] >= 0) << k;
    }
    uint32_t left = all & ~seeker->kernels->triangles_beyond(&pairs->lanes, all, margin);
    for (; left != 0; left &= left - 1) {
        copy_pair(pairs, (uint32_t)__builtin_ctz(left), &seeker->likely);
        if (seeker->likely.count == ABUT__BATCH) {
            measure(seeker);
        }
    }
    pairs->count = 0;
}

void abut__seeker_flush(abut__seeker* seeker) {
    if (seeker->doubtful.count > 0) {
        sift(seeker);
    }
    if (seeker->likely.count > 0) {
        measure(seeker);
    }
}

static bool tags_ignore(const abut__seeker* seeker, uint32_t triangle_a, uint32_t triangle_b) {
    const abut_shape* a = seeker->job.view[0].shape;
    const abut_shape* b = seeker->job.view[1].shape;
    const uint32_t tag_a = abut__mesh_tag(a->mesh, triangle_a);
    const uint32_t tag_b = abut__mesh_tag(b->mesh, triangle_b);
    return abut__shape_ignores(a, tag_a, tag_b) || abut__shape_ignores(b, tag_a, tag_b);
}

// whether the pair are neighbours, or tags or the filter exclude it
static bool is_ruled_out(abut__seeker* seeker, uint32_t triangle_a, uint32_t triangle_b,
                         bool b_first) {
    if (seeker->neighbours &&
        (triangle_a == triangle_b ||
         abut__shared_corners(seeker->job.view[0].shape->mesh, triangle_a, triangle_b) != 0)) {
        seeker->counters.pairs_adjacent += triangle_a != triangle_b;
        return true;
    }
    const abut__settings* def = seeker->def;
    const uint32_t first = b_first ? triangle_b : triangle_a;
    const uint32_t second = b_first ? triangle_a : triangle_b;
    const bool out = (seeker->tagged && tags_ignore(seeker, triangle_a, triangle_b)) ||
                     (def->filter.fn != NULL &&
                      !def->filter.fn(def->filter.user, first_of(seeker)->index, first,
                                      second_of(seeker)->index, second));
    seeker->counters.pairs_filtered += out;
    return out;
}

// fast path: in most queries nothing can be excluded
static inline bool is_wanted(abut__seeker* seeker, uint32_t triangle_a, uint32_t triangle_b,
                             bool b_first) {
    return (!seeker->neighbours && !seeker->tagged && seeker->def->filter.fn == NULL) ||
           !is_ruled_out(seeker, triangle_a, triangle_b, b_first);
}

// whether corners of a lane are not finite, which is recorded
static bool is_bad(abut__seeker* seeker, const abut__corners* corners, const abut__block* fixed,
                   uint32_t lane) {
    bool bad = false;
    for (int c = 0; c < 3 && corners->bad != 0; ++c) {
        const uint32_t v = fixed->corner[c][lane];
        if ((corners->bad >> v & 1) != 0) {
            const uint64_t name = (uint64_t)corners->body->index << 32 | fixed->vertex[v];
            seeker->bad_vertex = name < seeker->bad_vertex ? name : seeker->bad_vertex;
            bad = true;
        }
    }
    return bad;
}

static void load(const abut__corners* corners, const abut__block* fixed, uint32_t lane,
                 double (*out)[3][16], uint32_t k) {
    for (int c = 0; c < 3; ++c) {
        const double* p = corners->xyz[fixed->corner[c][lane]];
        out[c][0][k] = p[0];
        out[c][1][k] = p[1];
        out[c][2][k] = p[2];
    }
}

// whether a slot has the least gap of all, which nothing undercuts, with a pair that precedes this one
static bool is_settled(const abut__seeker* seeker, uint32_t n, uint32_t other, uint32_t first,
                       uint32_t second) {
    const abut__slot* slot = &seeker->slots[n];
    return slot->found && slot->gap <= -seeker->thick &&
           !comes_before(seeker, slot, other, first, second);
}

static double thick_in(const abut__thickness* thick, const abut_mesh* mesh, uint32_t triangle) {
    return abut__span_thickness(thick, mesh->triangles + 3 * (size_t)triangle, 3);
}

// returns the thickness of triangles of both bodies together
static double thick_of(const abut__seeker* seeker, uint32_t triangle_a, uint32_t triangle_b) {
    const abut__job* job = &seeker->job;
    return !job->varies
               ? seeker->thick
               : abut__add_lengths(thick_in(&job->thick[0], job->view[0].shape->mesh, triangle_a),
                                   thick_in(&job->thick[1], job->view[1].shape->mesh, triangle_b));
}

void abut__seeker_add(abut__seeker* seeker, uint32_t block_a, uint32_t lane_a, uint32_t block_b,
                      uint32_t lane_b) {
    const abut__block* a = seeker->job.view[0].tree->blocks[block_a];
    const abut__block* b = seeker->job.view[1].tree->blocks[block_b];
    const uint32_t triangle_a = a->triangle[lane_a];
    const uint32_t triangle_b = b->triangle[lane_b];
    const bool b_first = seeker->job.self ? triangle_b < triangle_a : seeker->first_is_b;
    const uint32_t other = b_first ? 0 : 1;
    const uint32_t first = b_first ? triangle_b : triangle_a;
    const uint32_t second = b_first ? triangle_a : triangle_b;
    const uint32_t n = seeker->lanes == 0 ? 0 : lane_a;
    const bool both = seeker->same_block && seeker->lanes != 0;
    if (is_settled(seeker, n, other, first, second) &&
        (!both || is_settled(seeker, lane_b, 1 - other, first, second))) {
        return;
    }
    if (!is_wanted(seeker, triangle_a, triangle_b, b_first)) {
        return;
    }
    if ((seeker->corners[0].bad | seeker->corners[1].bad) != 0) {
        const bool bad_a = is_bad(seeker, &seeker->corners[0], a, lane_a);
        const bool bad_b = is_bad(seeker, &seeker->corners[1], b, lane_b);
        if (bad_a || bad_b) {
            return;
        }
    }
    abut__pairs16* pairs = &seeker->doubtful;
    const uint32_t k = pairs->count++;
    pairs->slot[k] = (uint8_t)n;
    pairs->other[k] = (uint8_t)other;
    pairs->both[k] = both ? (uint8_t)lane_b : ABUT__NO_SLOT;
    pairs->triangle[0][k] = first;
    pairs->triangle[1][k] = second;
    pairs->thick[k] = thick_of(seeker, triangle_a, triangle_b);
    load(&seeker->corners[0], a, lane_a, pairs->lanes.corner + (b_first ? 3 : 0), k);
    load(&seeker->corners[1], b, lane_b, pairs->lanes.corner + (b_first ? 0 : 3), k);
    if (pairs->count == ABUT__BATCH) {
        sift(seeker);
    }
}

void abut__seeker_try(abut__seeker* seeker, uint32_t slot, uint32_t triangle_a,
                      uint32_t triangle_b) {
    const abut__job* job = &seeker->job;
    const bool b_first = job->self ? triangle_b < triangle_a : seeker->first_is_b;
    double a[3][3];
    double b[3][3];
    seeker->neighbours = job->self;
    if (!is_wanted(seeker, triangle_a, triangle_b, b_first) ||
        !abut__corners_of(seeker, job->view[0].body, triangle_a,
                          abut__corners_placed(job->in_shape, job->view[0].body), a) ||
        !abut__corners_of(seeker, job->view[1].body, triangle_b,
                          abut__corners_placed(job->in_shape, job->view[1].body), b)) {
        return;
    }
    abut__pairs16* pairs = &seeker->likely;
    const uint32_t k = pairs->count++;
    pairs->slot[k] = (uint8_t)slot;
    pairs->other[k] = b_first ? 0 : 1;
    pairs->both[k] = ABUT__NO_SLOT;
    pairs->triangle[0][k] = b_first ? triangle_b : triangle_a;
    pairs->triangle[1][k] = b_first ? triangle_a : triangle_b;
    pairs->thick[k] = thick_of(seeker, triangle_a, triangle_b);
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            pairs->lanes.corner[c][d][k] = b_first ? b[c][d] : a[c][d];
            pairs->lanes.corner[c + 3][d][k] = b_first ? a[c][d] : b[c][d];
        }
    }
    if (pairs->count == ABUT__BATCH) {
        measure(seeker);
    }
}

void abut__slot_pair(abut__seeker* seeker, const abut__slot* slot, abut_distance_pair* pair) {
    const abut__body* body[2] = {abut__scene_at(seeker->scene, slot->body[0]),
                                 abut__scene_at(seeker->scene, slot->body[1])};
    const bool in_shape = body[0] == body[1] ||
                          abut__frames_equal(&body[0]->frame, &body[1]->frame);
    double corner[2][3][3];
    double thick[2];
    for (int s = 0; s < 2; ++s) {
        const abut__thickness of_body = abut__body_thickness(seeker->scene, body[s]);
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a slot names bodies of the scene
        thick[s] = thick_in(&of_body, body[s]->shape->mesh, slot->triangle[s]);
        abut__corners_of(seeker, body[s], slot->triangle[s],
                         abut__corners_placed(in_shape, body[s]), corner[s]);
    }
    const double(*p)[3] = (const double(*)[3])corner[0];
    const double(*q)[3] = (const double(*)[3])corner[1];
    abut_distance whole;
    if (slot->whole) {
        abut__triangles_distance(p, q, &whole);
    } else {
        abut__distance_complete(p, q, slot->distance, &slot->closest, &whole);
    }
    if (in_shape && !abut__frame_is_identity(&body[0]->frame)) {
        abut__frame_apply(&body[0]->frame, whole.p.point);
        abut__frame_apply(&body[1]->frame, whole.q.point);
    }
    const uint32_t asked = 1 - slot->other;
    *pair = (abut_distance_pair){.body_a = slot->body[asked],
                                 .body_b = slot->body[slot->other],
                                 .triangle_a = slot->triangle[asked],
                                 .triangle_b = slot->triangle[slot->other],
                                 .distance = whole.distance,
                                 .gap = whole.distance - abut__add_lengths(thick[0], thick[1]),
                                 .a = asked == 0 ? whole.p : whole.q,
                                 .b = asked == 0 ? whole.q : whole.p};
}
