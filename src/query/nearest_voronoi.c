// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proximity by Voronoi culling: the same slots that trees fill, measured by the same kernels.
#include <math.h>

#include "query/collide_voronoi.h"
#include "query/nearest.h"

typedef struct measuring {
    const abut_scene* scene;
    const abut__settings* def;
    abut__proximity* near;
} measuring;

// two sites in the order of measuring
typedef struct ordered_pair {
    uint32_t site[2];
    const abut__body* body[2];
    uint32_t triangle[2];
} ordered_pair;

static ordered_pair order_pair(const abut_scene* scene, const abut__sites* sites, uint32_t own,
                               uint32_t other) {
    const abut__site_place* places = sites->places.data;
    const abut__site_body* bodies = sites->bodies.data;
    const abut__body* a = bodies[places[own].body].body;
    const abut__body* b = bodies[places[other].body].body;
    const bool swapped = a == b ? places[other].triangle < places[own].triangle
                                : abut__body_is_before(scene, b, a);
    const uint32_t first = swapped ? other : own;
    const uint32_t second = swapped ? own : other;
    return (ordered_pair){{first, second},
                          {swapped ? b : a, swapped ? a : b},
                          {places[first].triangle, places[second].triangle}};
}

static bool is_filtered(const measuring* m, const ordered_pair* p) {
    const abut_shape* a = p->body[0]->shape;
    const abut_shape* b = p->body[1]->shape;
    if (a->ignored_count > 0 || b->ignored_count > 0) {
        const uint32_t tag_a = abut__mesh_tag(a->mesh, p->triangle[0]);
        const uint32_t tag_b = abut__mesh_tag(b->mesh, p->triangle[1]);
        if (abut__shape_ignores(a, tag_a, tag_b) || abut__shape_ignores(b, tag_a, tag_b)) {
            return true;
        }
    }
    return m->def->filter.fn != NULL &&
           !m->def->filter.fn(m->def->filter.user, p->body[0]->index, p->triangle[0],
                              p->body[1]->index, p->triangle[1]);
}

// The corners of a triangle in the shape's coordinates.
static void corners_in_shape(const ordered_pair* p, int side, double corner[9]) {
    const uint32_t* ids = p->body[side]->shape->mesh->triangles + 3 * (size_t)p->triangle[side];
    for (int c = 0; c < 3; ++c) {
        abut__body_vertex(p->body[side], ids[c], 1, corner + 3 * c);
    }
}

// loads corners in the world, or within a body and in equal frames in the shape's coordinates
static void load_pair(const abut__sites* sites, const ordered_pair* p, abut__triangle_batch* batch,
                      uint32_t k) {
    for (int side = 0; side < 2; ++side) {
        const uint32_t site = p->site[side];
        double corner[9];
        if (!sites->bodies.data[sites->places.data[site].body].in_place &&
            (p->body[0] == p->body[1] ||
             abut__frames_equal(&p->body[0]->frame, &p->body[1]->frame))) {
            corners_in_shape(p, side, corner);
        } else {
            abut__site_corners(sites, site, 1, corner);
        }
        for (int i = 0; i < 9; ++i) {
            batch->corner[3 * side + i / 3][i % 3][k] = corner[i];
        }
    }
}

static double measure_alone(const abut__triangle_batch* batch, uint32_t k) {
    double corner[2][3][3];
    abut_distance out;
    for (int i = 0; i < 18; ++i) {
        corner[i / 9][i / 3 % 3][i % 3] = batch->corner[i / 3][i % 3][k];
    }
    abut__triangles_distance((const double(*)[3])corner[0], (const double(*)[3])corner[1], &out);
    return out.distance;
}

// loads pairs that are not excluded; lane[k] is the index of the k-th among those given
static uint32_t load_pairs(const measuring* m, abut__seeker* seeker, const abut__near* pairs,
                           uint32_t count, abut__triangle_batch* batch,
                           uint32_t lane[ABUT__BATCH]) {
    const abut__sites* sites = &m->near->voronoi->sites;
    uint32_t loaded = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const ordered_pair p = order_pair(m->scene, sites, pairs[i].own, pairs[i].other);
        if (is_filtered(m, &p)) {
            ++seeker->counters.pairs_filtered;
        } else {
            load_pair(sites, &p, batch, loaded);
            lane[loaded++] = i;
        }
    }
    for (int i = 0; i < 18 && loaded < ABUT__BATCH; ++i) {  // read, but not used
        memset(&batch->corner[i / 3][i % 3][loaded], 0, (ABUT__BATCH - loaded) * sizeof(double));
    }
    return loaded;
}

// The bounds of pairs leave so few that no further test before measuring pays.
static uint32_t measure(void* user, uint32_t worker, const abut__near* pairs, uint32_t count,
                        abut__measured* measured) {
    const measuring* m = user;
    abut__seeker* seeker = &m->near->seekers[worker];
    abut__triangle_batch batch;
    abut__distances out;
    uint32_t lane[ABUT__BATCH];
    const uint32_t loaded = load_pairs(m, seeker, pairs, count, &batch, lane);
    for (uint32_t i = 0; i < count && loaded < count; ++i) {
        measured[i] = (abut__measured){.distance = INFINITY};
    }
    if (loaded == 0) {
        return 0;
    }
    seeker->kernels->triangles_distance(&batch, (1u << loaded) - 1, &out);
    for (uint32_t k = 0; k < loaded; ++k) {
        const bool open = (out.open >> k & 1) != 0;
        ++seeker->counters.exact_tests;
        seeker->counters.exact_fallbacks += open;
        measured[lane[k]] = open
                                ? (abut__measured){.distance = measure_alone(&batch, k),
                                                   .whole = true}
                                : (abut__measured){.distance = out.distance[k],
                                                   .closest = {out.s[k], out.t[k], out.feature[k]}};
    }
    return loaded;
}

// --- from best pairs to slots ------------------------------------------------------------------------

static void fill_slot(const abut_scene* scene, const abut__sites* sites,
                      const abut__voronoi_best* best, abut__slot* slot) {
    if (best->other == ABUT__NONE) {
        return;
    }
    const ordered_pair p = order_pair(scene, sites, best->own, best->other);
    *slot = (abut__slot){.gap = best->distance,
                         .distance = best->distance,
                         .found = true,
                         .whole = best->whole,
                         .closest = best->closest,
                         .body = {p.body[0]->index, p.body[1]->index},
                         .triangle = {p.triangle[0], p.triangle[1]},
                         .other = p.site[0] == best->own ? 1 : 0};
}

static abut__voronoi_best* make_best(abut__proximity* near, size_t count, double within) {
    abut__voronoi_best* best = abut__renew(near->work.context, &near->best, count);
    for (size_t i = 0; i < count && best != NULL; ++i) {
        best[i] = (abut__voronoi_best){.distance = within, .own = ABUT__NONE, .other = ABUT__NONE};
    }
    return best;
}

// collects status and counters of the search
static abut_status end_search(abut__proximity* near, bool done) {
    abut__seeker* seeker = &near->seekers[0];
    for (size_t i = 0; i < near->slots.count && !seeker->found; ++i) {
        seeker->found = near->slots.data[i].found;
    }
    seeker->counters.boxes_tested += abut__voronoi_boxes_tested(near->voronoi);
    seeker->counters.vertices_evaluated += 3 * (uint64_t)abut__site_count(&near->voronoi->sites);
    return done ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

// a vertex that is not finite ends the query before the search
static bool is_sound(abut__proximity* near) {
    near->seekers[0].bad_vertex = near->voronoi->sites.bad_vertex;
    return near->voronoi->sites.bad_vertex == UINT64_MAX;
}

static bool meet_always(const abut__body* a, const abut__body* b) {
    (void)a;
    (void)b;
    return true;
}

static bool begin(abut__proximity* near) {
    abut__voronoi* v = abut__voronoi_of(near->work.context, &near->voronoi);
    return v != NULL && abut__voronoi_begin(near->work.context, v);
}

static bool may_filter(const measuring* m) {
    const abut__sites* sites = &m->near->voronoi->sites;
    bool any = m->def->filter.fn != NULL;
    for (size_t b = 0; b < sites->bodies.count && !any; ++b) {
        any = sites->bodies.data[b].body->shape->ignored_count > 0;
    }
    return any;
}

static abut__voronoi_ask ask_of(measuring* m, abut__meet_fn meet) {
    return (abut__voronoi_ask){.meet = meet,
                               .cells = m->def->culling.grid_cells,
                               .only = ABUT__NONE,
                               .filtered = may_filter(m),
                               .measure = measure,
                               .user = m};
}

abut_status abut__nearest_voronoi_two(const abut_scene* scene, abut__body* a, abut__body* b,
                                      const abut__settings* def, abut__proximity* near) {
    measuring m = {scene, def, near};
    abut__voronoi_best* best = make_best(near, 2, def->margin);
    if (best == NULL || !begin(near) ||
        !abut__sites_add(near->work.context, &near->voronoi->sites, a) ||
        !abut__sites_add(near->work.context, &near->voronoi->sites, b)) {
        return ABUT_ERR_NO_MEMORY;
    }
    if (!is_sound(near)) {
        return ABUT_OK;
    }
    const abut__voronoi_ask ask = ask_of(&m, meet_always);
    const bool done = abut__voronoi_bodies(near->work.context, near->voronoi, &ask, best);
    fill_slot(scene, &near->voronoi->sites, &best[0], near->slots.data);
    return end_search(near, done);
}

static bool add_all(abut__proximity* near) {
    bool done = begin(near);
    for (size_t i = 0; i < near->among.bodies.count && done; ++i) {
        done = abut__sites_add(near->work.context, &near->voronoi->sites,
                               near->among.bodies.data[i].body);
    }
    return done;
}

abut_status abut__nearest_voronoi_all(const abut_scene* scene, const abut__settings* def,
                                      abut__proximity* near) {
    measuring m = {scene, def, near};
    const size_t count = near->among.bodies.count;
    abut__voronoi_best* best = make_best(near, count, def->margin);
    if ((best == NULL && count > 0) || !add_all(near)) {
        return ABUT_ERR_NO_MEMORY;
    }
    if (!is_sound(near)) {
        return ABUT_OK;
    }
    const abut__voronoi_ask ask = ask_of(&m, abut__bodies_may_meet);
    const bool done = abut__voronoi_bodies(near->work.context, near->voronoi, &ask, best);
    for (size_t i = 0; i < count; ++i) {
        fill_slot(scene, &near->voronoi->sites, &best[i], near->slots.data + i);
    }
    return end_search(near, done);
}

abut_status abut__nearest_voronoi_triangles(const abut_scene* scene, abut__body* body, bool self,
                                            const abut__settings* def, abut__proximity* near) {
    measuring m = {scene, def, near};
    const bool added = self ? begin(near) &&
                                  abut__sites_add(near->work.context, &near->voronoi->sites, body)
                            : add_all(near);
    if (!added) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut__sites* sites = &near->voronoi->sites;
    const abut__site_place* places = sites->places.data;
    abut__voronoi_best* best = make_best(near, sites->places.count, def->margin);
    if (best == NULL && sites->places.count > 0) {
        return ABUT_ERR_NO_MEMORY;
    }
    if (!is_sound(near)) {
        return ABUT_OK;
    }
    abut__voronoi_ask ask = ask_of(&m, abut__bodies_may_meet);
    for (uint32_t b = 0; b < sites->bodies.count; ++b) {
        ask.only = sites->bodies.data[b].body == body ? b : ask.only;
    }
    const bool done = abut__voronoi_triangles(near->work.context, near->voronoi, &ask, self, best);
    for (size_t i = 0; i < sites->places.count && done; ++i) {
        if (places[i].body == ask.only) {
            fill_slot(scene, sites, &best[i], near->slots.data + places[i].triangle);
        }
    }
    return end_search(near, done);
}
