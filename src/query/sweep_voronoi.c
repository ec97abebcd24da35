// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps by Voronoi culling. Triangles become prisms around their paths. Pairs of prisms that are
// near enough become candidates of the jobs, and are decided as if a descent had found them.
// Based on: Sud, Govindaraju, Gayle, Kabul, Manocha, "Fast Proximity Computation Among Deformable
// Models Using Discrete Voronoi Diagrams" (2006).
#include <math.h>

#include "base/sort.h"
#include "query/collide_voronoi.h"
#include "query/query.h"
#include "voronoi/prisms.h"

typedef struct prism_pairs {
    abut__workspace* work;
    uint32_t* number_of;  // by index in the scene: the body's number among the sites, or ABUT__NONE
    abut__tree_places places;
} prism_pairs;

static bool meet_always(const abut__body* a, const abut__body* b) {
    (void)a;
    (void)b;
    return true;
}

static bool gather_pairs(void* user, const abut__near* pairs, size_t count) {
    abut__workspace* work = user;
    abut__keyed* keys = abut__push(work->context, &work->keys, count);
    for (size_t i = 0; i < count && keys != NULL; ++i) {
        keys[i].value = (uint64_t)pairs[i].own << 32 | pairs[i].other;
    }
    return keys != NULL;
}

// adds each body of a job once
static bool add_bodies(prism_pairs* p) {
    abut__workspace* work = p->work;
    abut__sites* sites = &work->voronoi->sites;
    const abut__job* jobs = work->jobs.data;
    bool done = abut__voronoi_begin(work->context, work->voronoi);
    for (size_t i = 0; i < 2 * work->jobs.count && done; ++i) {
        abut__body* body = jobs[i / 2].view[i % 2].body;
        if (p->number_of[body->index] == ABUT__NONE) {
            p->number_of[body->index] = (uint32_t)sites->bodies.count;
            done = abut__sites_add_swept(work->context, sites, body);
        }
    }
    return done;
}

// Returns a bound of the distance of features in contact: the margin, and the tolerance, which is
// relative to an edge, and at least 1e-8 of the extent of both features and the space between them.
static double reach_of(const abut__sites* sites, const abut__settings* def) {
    const double widest = 1.01 * abut__prisms_widest(sites);
    return (abut__greatest_margin(def) + (def->tolerance + 4e-8) * widest) * (1 + 1e-6);
}

static uint64_t key_of(const prism_pairs* p, uint64_t pair, bool blocks) {
    const abut__site_place* sites = p->work->voronoi->sites.places.data;
    const abut__site_place* a = &sites[pair >> 32];
    const abut__site_place* b = &sites[(uint32_t)pair];
    if (blocks) {
        const uint64_t block = abut__tree_place(&p->places, a) / ABUT__BLOCK_TRIANGLES;
        return block << 32 | abut__tree_place(&p->places, b) / ABUT__BLOCK_TRIANGLES;
    }
    return (uint64_t)a->body << 32 | b->body;
}

// sorts pairs by bodies, then by blocks, so that those of the same blocks are decided together
static bool sort_pairs(const prism_pairs* p) {
    abut__workspace* work = p->work;
    const size_t count = work->keys.count;
    if (abut__push(work->context, &work->keys, count) == NULL && count > 0) {
        return false;
    }
    abut__keyed* keys = work->keys.data;
    work->keys.count = count;
    for (int turn = 0; turn < 2 && count > 0; ++turn) {
        for (size_t i = 0; i < count; ++i) {
            keys[i].key = key_of(p, keys[i].value, turn == 0);
        }
        abut__sort_keyed(keys, keys + count, count);
    }
    return true;
}

// Returns the jobs, sorted by the numbers of their bodies among the sites, the lower one first. The
// array has room for 2 * count; the caller frees it. NULL: no memory.
static abut__keyed* sort_jobs(const prism_pairs* p, size_t count) {
    const abut__job* jobs = p->work->jobs.data;
    abut__keyed* keys = abut__alloc(p->work->context, 2 * count, sizeof *keys);
    for (size_t j = 0; j < count && keys != NULL; ++j) {
        const uint64_t a = p->number_of[jobs[j].view[0].body->index];
        const uint64_t b = p->number_of[jobs[j].view[1].body->index];
        keys[j] = (abut__keyed){a < b ? a << 32 | b : b << 32 | a, j};
    }
    if (keys != NULL) {
        abut__sort_keyed(keys, keys + count, count);
    }
    return keys;
}

static abut__candidate candidate_of(const prism_pairs* p, uint64_t pair, uint32_t job) {
    const abut__site_place* places = p->work->voronoi->sites.places.data;
    const abut__site_place* a = &places[pair >> 32];
    const abut__site_place* b = &places[(uint32_t)pair];
    const abut__job* of = p->work->jobs.data + job;
    if (a->body != p->number_of[of->view[0].body->index]) {
        const abut__site_place* swap = a;
        a = b;
        b = swap;
    }
    return abut__candidate_of(&p->places, a, b, job);
}

// makes candidates of the pairs whose bodies have a job; false: no memory
static bool make_candidates(const prism_pairs* p) {
    abut__workspace* work = p->work;
    const size_t jobs = work->jobs.count;
    const size_t count = work->keys.count;
    const abut__keyed* keys = work->keys.data;
    abut__candidate* given = abut__renew(work->context, &work->given, count);
    abut__keyed* job_keys = sort_jobs(p, jobs);
    if ((given == NULL && count > 0) || job_keys == NULL) {
        abut__free(work->context, job_keys, 2 * jobs, sizeof *job_keys);
        return false;
    }
    size_t made = 0;
    size_t j = 0;
    for (size_t i = 0; i < count; ++i) {
        while (j < jobs && job_keys[j].key < keys[i].key) {
            ++j;
        }
        if (j < jobs && job_keys[j].key == keys[i].key) {
            given[made++] = candidate_of(p, keys[i].value, (uint32_t)job_keys[j].value);
        }
    }
    work->given.count = made;
    abut__free(work->context, job_keys, 2 * jobs, sizeof *job_keys);
    return true;
}

// Fills work->given. False: no memory, or a vertex is not finite (sites.bad_vertex).
static bool find_candidates(prism_pairs* p, const abut__settings* def) {
    abut__workspace* work = p->work;
    abut__voronoi* v = work->voronoi;
    if (!add_bodies(p) || v->sites.bad_vertex != UINT64_MAX) {
        return false;
    }
    const abut__voronoi_ask ask = {.meet = meet_always, .cells = def->culling.grid_cells};
    const abut__voronoi_all all = {.distance = reach_of(&v->sites, def),
                                   .within = work->jobs.data[0].self,
                                   .neighbours = true};
    work->keys.count = 0;
    return abut__voronoi_pairs(work->context, v, &ask, &all, gather_pairs, work) &&
           abut__tree_places_make(work->context, &v->sites, &p->places) && sort_pairs(p) &&
           make_candidates(p);
}

abut_status abut__sweep_voronoi(const abut_scene* scene, const abut__settings* def,
                                abut__workspace* work) {
    const size_t limit = scene->bodies.count;
    abut__voronoi* v = abut__voronoi_of(work->context, &work->voronoi);
    prism_pairs p = {.work = work,
                     .number_of = abut__alloc(work->context, limit, sizeof *p.number_of)};
    if (work->jobs.count == 0 || v == NULL || p.number_of == NULL) {
        abut__free(work->context, p.number_of, limit, sizeof *p.number_of);
        return work->jobs.count == 0 ? ABUT_OK : ABUT_ERR_NO_MEMORY;
    }
    memset(p.number_of, 0xff, limit * sizeof *p.number_of);
    const bool done = find_candidates(&p, def);
    abut__tree_places_drop(work->context, &p.places);
    abut__free(work->context, p.number_of, limit, sizeof *p.number_of);
    if (v->sites.bad_vertex != UINT64_MAX) {
        work->blame = (abut__blame){abut_scene_body_at(scene,
                                                       (uint32_t)(v->sites.bad_vertex >> 32)),
                                    (uint32_t)v->sites.bad_vertex, NULL};
        return ABUT_ERR_INVALID_DATA;
    }
    if (done && def->counters != NULL) {
        def->counters->boxes_tested += abut__voronoi_boxes_tested(v);
        def->counters->vertices_evaluated += 6 * (uint64_t)abut__site_count(&v->sites);
    }
    return done ? abut__query_decide(scene, def, work, true) : ABUT_ERR_NO_MEMORY;
}
