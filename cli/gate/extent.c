// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Measures how far surfaces reach beyond each other: see extent.h.
#include "cli/gate/extent.h"

#include "cli/gate/parting.h"
#include "cli/message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void extent_memory_free(extent_memory* m) {
    abut_closest_result_destroy(m->closest);
    *m = (extent_memory){0};
}

// ---- pairs

typedef struct touching {
    uint32_t triangles[2];
    uint32_t patch;       // a pair that stands for the patch
    bool crosses;         // in the insides of both
    double points[6][3];  // what they share
    uint32_t point_count;
} touching;

// an edge in the plane of a triangle of the other surface, and on which side of it a triangle of the edge is
typedef struct resting {
    uint64_t triangle;
    uint64_t edge;
    uint32_t pair;
    int side;
} resting;

typedef struct measuring {
    extent_memory* memory;
    const world* w;
    uint32_t bodies[2];
    bool self;
    parting sides[2];  // of one body with itself the first alone
    touching* pairs;
    size_t count;
    resting* rests;
    size_t rest_count;
    size_t rest_room;
} measuring;

static void corners_at(const parting* s, uint32_t triangle, double at[3][3]) {
    for (int c = 0; c < 3; ++c) {
        memcpy(at[c], s->positions + 3 * (size_t)s->corners[3 * (size_t)triangle + (size_t)c],
               sizeof at[c]);
    }
}

// The sign of the volume that a point spans with a triangle; 0 if rounding could change it.
static int side_of(const double t[3][3], const double p[3]) {
    double u[3];
    double v[3];
    double x[3];
    double size = 0;
    for (int d = 0; d < 3; ++d) {
        u[d] = t[1][d] - t[0][d];
        v[d] = t[2][d] - t[0][d];
        x[d] = p[d] - t[0][d];
    }
    double volume = 0;
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        volume += x[d] * (u[e] * v[f] - u[f] * v[e]);
        size += fabs(x[d]) * (fabs(u[e] * v[f]) + fabs(u[f] * v[e]));
    }
    return volume > 1e-14 * size ? 1 : volume < -1e-14 * size ? -1 : 0;
}

// Sets on which side of t the other triangle is: 2 on both, 0 in its plane.
static int sides_of(const double t[3][3], const double other[3][3]) {
    bool above = false;
    bool below = false;
    for (int c = 0; c < 3; ++c) {
        const int side = side_of(t, other[c]);
        above = above || side > 0;
        below = below || side < 0;
    }
    return above && below ? 2 : above ? 1 : below ? -1 : 0;
}

static bool is_segment(const abut_intersection* shared) {
    for (uint32_t i = 1; i < shared->count; ++i) {
        if (memcmp(shared->points[i], shared->points[0], sizeof shared->points[0]) != 0) {
            return true;
        }
    }
    return false;
}

static bool edge_meets(const double edge[2][3], const double triangle[3][3]) {
    double thin[3][3];
    bool touch = false;
    memcpy(thin[0], edge[0], sizeof thin[0]);
    memcpy(thin[1], edge[1], sizeof thin[1]);
    memcpy(thin[2], edge[1], sizeof thin[2]);
    return abut_triangles_touch((const double(*)[3])thin, triangle, &touch, NULL) == ABUT_OK &&
           touch;
}

// notes the edges of a triangle that the other one meets
static void cut_edges(measuring* m, int side, uint32_t triangle, const double at[3][3],
                      const double other[3][3], size_t pair) {
    parting* s = &m->sides[m->self ? 0 : side];
    const int sides[3] = {side_of(other, at[0]), side_of(other, at[1]), side_of(other, at[2])};
    for (int e = 0; e < 3; ++e) {
        double edge[2][3];
        memcpy(edge[0], at[e], sizeof edge[0]);
        memcpy(edge[1], at[(e + 1) % 3], sizeof edge[1]);
        // an edge on one side of the plane takes no exact test
        if (sides[e] * sides[(e + 1) % 3] != 1 && edge_meets((const double(*)[3])edge, other)) {
            const uint32_t* corners = s->corners + 3 * (size_t)triangle;
            parting_cut(s, corners[e], corners[(e + 1) % 3], (uint32_t)pair);
        }
    }
}

// Notes edges of a triangle that lie in the plane of the other one, which is on one side of them.
static void note_resting(measuring* m, int side, const uint32_t triangles[2], const double at[3][3],
                         const double other[3][3]) {
    const parting* s = &m->sides[m->self ? 0 : side];
    const int where = sides_of(other, at);
    for (int e = 0; e < 3 && (where == 1 || where == -1); ++e) {
        const uint32_t* corners = s->corners + 3 * (size_t)triangles[side];
        if (side_of(other, at[e]) != 0 || side_of(other, at[(e + 1) % 3]) != 0) {
            continue;
        }
        if (m->rest_count == m->rest_room) {
            m->rest_room = 2 * m->rest_room + 64;
            m->rests = reallocate(m->rests, m->rest_room, sizeof *m->rests);
        }
        m->rests[m->rest_count++] = (resting){(uint64_t)(1 - side) << 32 | triangles[1 - side],
                                              parting_edge(s, corners[e], corners[(e + 1) % 3]),
                                              (uint32_t)m->count, where};
    }
}

static void take_pair(measuring* m, uint32_t triangle_a, uint32_t triangle_b) {
    double at[2][3][3];
    bool touch = false;
    abut_intersection shared = {0};
    corners_at(&m->sides[0], triangle_a, at[0]);
    corners_at(&m->sides[m->self ? 0 : 1], triangle_b, at[1]);
    if (abut_triangles_touch((const double(*)[3])at[0], (const double(*)[3])at[1], &touch,
                             &shared) != ABUT_OK ||
        !touch) {
        return;  // only within the margin
    }
    const int of_a = sides_of((const double(*)[3])at[0], (const double(*)[3])at[1]);
    const int of_b = sides_of((const double(*)[3])at[1], (const double(*)[3])at[0]);
    touching* t = &m->pairs[m->count];
    *t = (touching){.triangles = {triangle_a, triangle_b},
                    .patch = (uint32_t)m->count,
                    .crosses = of_a == 2 && of_b == 2 && is_segment(&shared)};
    t->point_count = shared.count < 6 ? shared.count : 6;
    memcpy(t->points, shared.points, t->point_count * sizeof t->points[0]);
    cut_edges(m, 0, triangle_a, (const double(*)[3])at[0], (const double(*)[3])at[1], m->count);
    cut_edges(m, 1, triangle_b, (const double(*)[3])at[1], (const double(*)[3])at[0], m->count);
    note_resting(m, 0, t->triangles, (const double(*)[3])at[0], (const double(*)[3])at[1]);
    note_resting(m, 1, t->triangles, (const double(*)[3])at[1], (const double(*)[3])at[0]);
    ++m->count;
}

// ---- patches

static uint32_t patch_of(touching* pairs, uint32_t i) {
    while (pairs[i].patch != i) {
        pairs[i].patch = pairs[pairs[i].patch].patch;
        i = pairs[i].patch;
    }
    return i;
}

static void join(touching* pairs, uint32_t x, uint32_t y) {
    x = patch_of(pairs, x);
    y = patch_of(pairs, y);
    pairs[x > y ? x : y].patch = x > y ? y : x;
}

typedef struct use {
    uint64_t triangle;
    uint32_t pair;
} use;

static int compare_uses(const void* x, const void* y) {
    const use* a = x;
    const use* b = y;
    return a->triangle != b->triangle ? (a->triangle < b->triangle ? -1 : 1)
                                      : (a->pair > b->pair) - (a->pair < b->pair);
}

// joins pairs that share a triangle
static void find_patches(const measuring* m) {
    use* uses = allocate(2 * m->count, sizeof *uses);
    for (size_t i = 0; i < 2 * m->count; ++i) {
        const uint64_t body = m->self ? 0 : i % 2;
        uses[i] = (use){body << 32 | m->pairs[i / 2].triangles[i % 2], (uint32_t)(i / 2)};
    }
    qsort(uses, 2 * m->count, sizeof *uses, compare_uses);
    for (size_t i = 1; i < 2 * m->count; ++i) {
        if (uses[i].triangle == uses[i - 1].triangle) {
            join(m->pairs, uses[i].pair, uses[i - 1].pair);
        }
    }
    free(uses);
}

static int compare_rests(const void* x, const void* y) {
    const resting* a = x;
    const resting* b = y;
    return a->triangle != b->triangle ? (a->triangle < b->triangle ? -1 : 1)
           : a->edge != b->edge       ? (a->edge < b->edge ? -1 : 1)
           : a->side != b->side       ? (a->side < b->side ? -1 : 1)
                                      : (a->pair > b->pair) - (a->pair < b->pair);
}

// notes patches that cut through along an edge
static void find_crossings(const measuring* m, bool* crosses) {
    if (m->rest_count > 1) {
        qsort(m->rests, m->rest_count, sizeof *m->rests, compare_rests);
    }
    for (size_t i = 1; i < m->rest_count; ++i) {
        const resting* r = &m->rests[i];
        if (r->triangle == r[-1].triangle && r->edge == r[-1].edge && r->side != r[-1].side) {
            crosses[m->pairs[r->pair].patch] = true;
        }
    }
}

// ---- reaches

typedef struct own_part {
    const parting* side;
    uint32_t part;
} own_part;

// of a body with itself: the distance from triangles of other parts
static bool is_of_other_part(void* user, uint32_t body, uint32_t triangle) {
    const own_part* own = user;
    (void)body;
    return !parting_has(own->side, own->part, triangle);
}

static bool reach_of(extent_memory* m, const world* w, const double* points, size_t count,
                     uint32_t other, const own_part* own, double* reach) {
    size_t found = 0;
    abut_closest_def def = abut_closest_def_default();
    abut_status status = m->closest != NULL
                             ? ABUT_OK
                             : abut_closest_result_create(w->context, &m->closest, NULL);
    if (own != NULL) {
        def.filter = (abut_closest_filter){is_of_other_part, (void*)own};
    }
    if (status == ABUT_OK) {
        status = abut_closest(w->scene, w->bodies[other], abut_positions_f64(points, count), &def,
                              m->closest, NULL);
    }
    if (status != ABUT_OK) {
        world_complain(w, status, other, other);
        return false;
    }
    const abut_closest_point* list = abut_closest_result_points(m->closest, &found);
    *reach = 0;
    for (size_t i = 0; i < found; ++i) {
        *reach = list[i].distance > *reach ? list[i].distance : *reach;
    }
    return true;
}

// the reach of a part of a side, computed once
static bool part_reach(measuring* m, int side, uint32_t part, double* reach) {
    parting* s = &m->sides[side];
    if (isnan(s->reaches[part])) {
        size_t count = 0;
        double* points = parting_points(s, part, &count);
        const own_part own = {s, part};
        const bool done = reach_of(m->memory, m->w, points, count, m->bodies[1 - side],
                                   m->self ? &own : NULL, &s->reaches[part]);
        free(points);
        if (!done) {
            return false;
        }
    }
    *reach = s->reaches[part];
    return true;
}

// finds the part beside a patch that is not beyond the other surface
static bool find_main(measuring* m, int side, uint32_t which, uint32_t* out) {
    const parting* s = &m->sides[side];
    const uint32_t largest = parting_largest(s, which);
    double most = 0;
    size_t rivals = 0;
    size_t first = 0;
    const size_t end = parting_beside(s, which, &first) + first;
    *out = largest;
    for (size_t i = first; i < end; ++i) {
        rivals += parting_rivals(s, s->beside[i].part, largest);
    }
    for (size_t i = first; i < end && rivals > 1; ++i) {
        const uint32_t part = s->beside[i].part;
        double reach = 0;
        if (!parting_rivals(s, part, largest)) {
            continue;
        }
        if (!part_reach(m, side, part, &reach)) {
            return false;
        }
        if (reach > most) {
            most = reach;
            *out = part;
        }
    }
    return true;
}

// The reach of the parts of a side beside a patch, without the main one; NAN if the patch does not
// divide the side. Of a body with itself the least above 0, because both sides are among them.
static bool side_reach(measuring* m, int side, uint32_t which, double* out) {
    const parting* s = &m->sides[side];
    uint32_t main_part = UINT32_MAX;
    size_t first = 0;
    const size_t end = parting_beside(s, which, &first) + first;
    *out = NAN;
    if (!find_main(m, side, which, &main_part)) {
        return false;
    }
    for (size_t i = first; i < end; ++i) {
        double reach = 0;
        if (s->beside[i].part == main_part) {
            continue;
        }
        if (!part_reach(m, side, s->beside[i].part, &reach)) {
            return false;
        }
        const bool better = m->self ? reach > 0 && (*out == 0 || reach < *out) : reach > *out;
        *out = isnan(*out) || better ? reach : *out;
    }
    return true;
}

// the pairs of a patch: their numbers are the lower halves
typedef struct group {
    const uint64_t* members;
    size_t count;
    uint32_t patch;
} group;

static const touching* member_of(const measuring* m, const group* g, size_t i) {
    return &m->pairs[(uint32_t)g->members[i]];
}

// the box of what a patch shares: its diagonal, and its middle
static double shared_box(const measuring* m, const group* g, double middle[3]) {
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    double diagonal_sq = 0;
    for (size_t i = 0; i < g->count; ++i) {
        const touching* t = member_of(m, g, i);
        for (uint32_t k = 0; k < t->point_count; ++k) {
            for (int d = 0; d < 3; ++d) {
                lo[d] = fmin(lo[d], t->points[k][d]);
                hi[d] = fmax(hi[d], t->points[k][d]);
            }
        }
    }
    for (int d = 0; d < 3; ++d) {
        middle[d] = lo[d] / 2 + hi[d] / 2;
        diagonal_sq += (hi[d] - lo[d]) * (hi[d] - lo[d]);
    }
    return sqrt(diagonal_sq);
}

static patch* list_patch(const measuring* m, const group* g, patches* list) {
    patch* p = patches_add(list, m->bodies[0], m->bodies[1]);
    p->size = shared_box(m, g, p->place);
    for (size_t i = 0; i < g->count; ++i) {
        const touching* t = member_of(m, g, i);
        const int first = m->bodies[0] > m->bodies[1];
        patches_add_pair(list, t->triangles[first], t->triangles[1 - first]);
    }
    patches_end(list);
    return p;
}

static bool measure_patch(measuring* m, const group* g, bool cuts, extent* out, patches* list) {
    double reaches[2] = {NAN, NAN};
    patch* p = list_patch(m, g, list);
    for (int side = 0; side < (m->self ? 1 : 2); ++side) {
        if (!side_reach(m, side, g->patch, &reaches[side])) {
            return false;
        }
    }
    const double parted = fmin(reaches[0], reaches[1]);  // ignores NAN
    const double length = !cuts ? 0 : isnan(parted) || parted == 0 ? p->size : parted;
    p->kind = cuts ? KIND_CUTS : KIND_TOUCHES;
    p->depth = length;
    p->is_extent = cuts;
    if (!out->touches || length > out->length) {
        out->length = length;
        memcpy(out->place, p->place, sizeof p->place);
    }
    out->touches = true;
    out->cuts = out->cuts || cuts;
    return true;
}

// ---- all patches

static int compare_members(const void* x, const void* y) {
    const uint64_t* a = x;
    const uint64_t* b = y;
    return (*a > *b) - (*a < *b);
}

// measures the patches one by one; `found` has the patch of every pair
static bool measure_groups(measuring* m, const uint32_t* found, const bool* crosses, extent* out,
                           patches* list) {
    uint64_t* members = allocate(m->count, sizeof *members);
    bool done = true;
    for (size_t i = 0; i < m->count; ++i) {
        members[i] = (uint64_t)found[i] << 32 | i;
    }
    qsort(members, m->count, sizeof *members, compare_members);
    for (size_t i = 0, end = 0; i < m->count && done; i = end) {
        const uint32_t which = (uint32_t)(members[i] >> 32);
        for (end = i; end < m->count && members[end] >> 32 == which; ++end) {
        }
        const group g = {members + i, end - i, which};
        done = measure_patch(m, &g, crosses[which], out, list);
    }
    free(members);
    return done;
}

static bool measure_patches(measuring* m, extent* out, patches* list) {
    bool* crosses = allocate(m->count, sizeof *crosses);
    uint32_t* found = allocate(m->count, sizeof *found);
    find_patches(m);
    for (uint32_t i = 0; i < m->count; ++i) {
        found[i] = m->pairs[i].patch = patch_of(m->pairs, i);
        crosses[found[i]] |= m->pairs[i].crosses;
    }
    find_crossings(m, crosses);
    for (int side = 0; side < (m->self ? 1 : 2); ++side) {
        parting_divide(&m->sides[side], found);
    }
    const bool done = measure_groups(m, found, crosses, out, list);
    free(crosses);
    free(found);
    return done;
}

bool extent_measure(extent_memory* memory, const world* w, const contact* c, extent* out,
                    patches* list) {
    measuring m = {.memory = memory, .w = w, .bodies = {c->a, c->b}, .self = c->a == c->b};
    bool done = true;
    *out = (extent){0};
    parting_open(&m.sides[0], w, c->a);
    if (!m.self) {
        parting_open(&m.sides[1], w, c->b);
    }
    m.pairs = allocate(c->count, sizeof *m.pairs);
    for (size_t i = 0; i < c->count; ++i) {
        take_pair(&m, c->pairs[i].triangle_a, c->pairs[i].triangle_b);
    }
    out->pairs = m.count;
    if (m.count > 0) {
        done = measure_patches(&m, out, list);
    }
    parting_close(&m.sides[0]);
    parting_close(&m.sides[1]);
    free(m.pairs);
    free(m.rests);
    return done;
}

bool extent_reach(extent_memory* m, const world* w, uint32_t body, uint32_t other, double* reach) {
    parting s;
    size_t count = 0;
    parting_open(&s, w, body);
    bool* used = allocate(s.vertex_count, sizeof *used);
    for (size_t i = 0; i < 3 * s.triangle_count; ++i) {
        if (s.corners[i] != UINT32_MAX) {
            used[s.corners[i]] = true;
        }
    }
    for (size_t v = 0; v < s.vertex_count; ++v) {
        if (used[v]) {
            memmove(s.positions + 3 * count++, s.positions + 3 * v, 3 * sizeof *s.positions);
        }
    }
    const bool done = reach_of(m, w, s.positions, count, other, NULL, reach);
    free(used);
    parting_close(&s);
    return done;
}
