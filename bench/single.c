// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Event by event: see single.h. This file is separate from the scenes, because the library's
// internals use the same names.
#include "bench/single.h"

#include "bench/bench.h"
#include "bound/kinetic/events.h"
#include "body/body.h"
#include "scene/scene.h"

#include <math.h>
#include <stdlib.h>

struct single {
    const abut__tree* tree;
    abut__source* keys;
    abut__events events;
};

single* single_create(abut_scene* scene, abut_body_id body, float* const* keys, uint32_t count) {
    single* s = bench_alloc(1, sizeof *s);
    s->tree = &abut__scene_body(scene, body)->shape->tree;
    s->keys = bench_alloc(count, sizeof *s->keys);
    for (uint32_t k = 0; k < count; ++k) {
        s->keys[k] = abut__source_make(keys[k], 3 * sizeof(float), false);
    }
    if (!abut__events_init(&s->events, scene->context, s->tree, s->keys, count)) {
        bench_die("out of memory");
    }
    return s;
}

void single_destroy(single* s) {
    if (s != NULL) {
        abut__events_free(&s->events);
        free(s->keys);
        free(s);
    }
}

void single_go(single* s, double time) {
    abut__events_go(&s->events, time);
}

static bool contains(const single* s, const abut__block* block, abut__box3 box) {
    const uint32_t key = (uint32_t)s->events.time;
    const double part = s->events.time - key;
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        double p[2][3];
        for (uint32_t e = 0; e < 2; ++e) {
            const abut__source* from = &s->keys[part > 0 ? key + e : key];
            abut__read_position(from->data, from->stride, false, block->vertex[v], p[e]);
        }
        for (int d = 0; d < 3; ++d) {
            const double x = (1 - part) * p[0][d] + part * p[1][d];
            const double pad = 0x1p-19 * (fabs(p[0][d]) + fabs(p[1][d]));
            if (x < (double)box.lo[d] - pad || x > (double)box.hi[d] + pad) {
                return false;
            }
        }
    }
    return true;
}

bool single_is_sound(const single* s) {
    bool sound = true;
    for (uint32_t b = 0; b < s->tree->block_count && sound; ++b) {
        sound = contains(s, s->tree->blocks[b], abut__events_box(&s->events, b | ABUT__REF_BLOCK));
    }
    return sound;
}

void single_stats(const single* s, abut__kinetic_stats* stats) {
    *stats = (abut__kinetic_stats){.bound = ABUT_FLIGHT_BOUND_KINETIC,
                                   .nodes = s->tree->node_count + s->tree->block_count,
                                   .starts = s->events.counts.starts,
                                   .steps = s->events.counts.steps,
                                   .events = s->events.counts.events,
                                   .updates = s->events.counts.updates,
                                   .visits = s->events.counts.visits};
}
