// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds how deep the bodies of the world are inside each other or themselves. The abut_depth_result of
// each pair of bodies is kept from frame to frame, so that regions keep their ids.
#include "cli/message.h"
#include "cli/world.h"

#include <stdlib.h>

struct depth_memory {
    uint32_t a;
    uint32_t b;
    abut_depth_result* depths;
    abut_collide_result* pairs;  // NULL until depth is undefined
};

static depth_memory* memory_of(world* w, uint32_t a, uint32_t b) {
    for (size_t i = 0; i < w->memory_count; ++i) {
        if (w->memories[i].a == a && w->memories[i].b == b) {
            return &w->memories[i];
        }
    }
    w->memories = reallocate(w->memories, w->memory_count + 1, sizeof *w->memories);
    w->memories[w->memory_count] = (depth_memory){a, b, NULL, NULL};
    return &w->memories[w->memory_count++];
}

static void take_regions(world* w, const depth_memory* m) {
    size_t count = 0;
    const abut_region* regions = abut_depth_result_regions(m->depths, &count);
    w->depths = reallocate(w->depths, w->depth_count + 1, sizeof *w->depths);
    w->depths[w->depth_count++] = (depth_entry){.a = m->a,
                                                .b = m->b,
                                                .defined = abut_depth_result_defined(m->depths),
                                                .first = w->region_count,
                                                .count = count,
                                                .depths = m->depths};
    w->regions = reallocate(w->regions, w->region_count + count + 1, sizeof *w->regions);
    for (size_t i = 0; i < count; ++i) {
        w->regions[w->region_count++] = regions[i];
    }
}

// Finds the touching pairs of bodies whose depth is undefined. Not needed if the query for pairs
// runs anyway.
static abut_status ask_pairs(world* w, depth_memory* m, const question* q, abut_counters* work) {
    abut_collide_def def = abut_collide_def_default();
    def.margin = q->margin;
    def.intersections = q->shared;
    def.filter = w->aside.counts;
    def.head.counters = work;
    abut_status status = m->pairs != NULL ? ABUT_OK
                                          : abut_collide_result_create(w->context, &m->pairs, NULL);
    if (status == ABUT_OK) {
        status = m->a == m->b ? abut_collide_self(w->scene, w->bodies[m->a], &def, m->pairs, NULL)
                              : abut_collide(w->scene, w->bodies[m->a], w->bodies[m->b], &def,
                                             m->pairs, NULL);
    }
    w->depths[w->depth_count - 1].pairs = m->pairs;
    return status;
}

static abut_status ask_two(world* w, uint32_t a, uint32_t b, const question* q,
                           const abut_depth_def* def) {
    depth_memory* m = memory_of(w, a, b);
    abut_status status = m->depths != NULL ? ABUT_OK
                                           : abut_depth_result_create(w->context, &m->depths, NULL);
    if (status == ABUT_OK) {
        status = a == b ? abut_depth_self(w->scene, w->bodies[a], def, m->depths, NULL)
                        : abut_depth(w->scene, w->bodies[a], w->bodies[b], def, m->depths, NULL);
    }
    if (status == ABUT_OK) {
        take_regions(w, m);
        if (!abut_depth_result_defined(m->depths) && !(a == b ? q->self : q->between)) {
            status = ask_pairs(w, m, q, def->head.counters);
        }
    }
    if (status != ABUT_OK) {
        world_complain(w, status, a, b);
    }
    return status;
}

static bool boxes_overlap(const world* w, uint32_t a, uint32_t b) {
    abut_box x;
    abut_box y;
    bool meet = abut_body_box(w->scene, w->bodies[a], &x, NULL) == ABUT_OK &&
                abut_body_box(w->scene, w->bodies[b], &y, NULL) == ABUT_OK;
    for (int d = 0; d < 3 && meet; ++d) {
        meet = x.lo[d] <= y.hi[d] && y.lo[d] <= x.hi[d];
    }
    return meet;
}

bool world_ask_depth(world* w, const question* q, abut_counters* work) {
    abut_depth_def def = abut_depth_def_default();
    abut_status status = ABUT_OK;
    def.head.counters = work;
    w->depth_count = w->region_count = 0;
    for (uint32_t a = 0; a < w->body_count && status == ABUT_OK; ++a) {
        if (q->depth_self) {
            status = ask_two(w, a, a, q, &def);
        }
        for (uint32_t b = a + 1; b < w->body_count && status == ABUT_OK; ++b) {
            if (boxes_overlap(w, a, b)) {
                status = ask_two(w, a, b, q, &def);
            }
        }
    }
    return status == ABUT_OK;
}

bool world_region_pair(const world* w, const depth_entry* d, size_t i, size_t* place) {
    for (size_t k = d->first; k < d->first + d->count; ++k) {
        const abut_region* r = &w->regions[k];
        if (i < r->pair_count) {
            *place = r->first_pair + i;
            return true;
        }
        i -= r->pair_count;
    }
    return false;
}

void world_forget_depths(world* w) {
    for (size_t i = 0; i < w->memory_count; ++i) {
        abut_depth_result_destroy(w->memories[i].depths);
        abut_collide_result_destroy(w->memories[i].pairs);
    }
    free(w->memories);
    free(w->depths);
    free(w->regions);
}
