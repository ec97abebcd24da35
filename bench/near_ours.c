// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut as a peer of proximity queries: by trees, with and without the results of the last step, and
// by Voronoi culling.
#include "bench/bench.h"
#include "bench/near.h"

#include "query/nearest.h"
#include "voronoi/voronoi.h"

#include <abut/abut.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum way { WARM, COLD, VORONOI } way;

typedef struct peer {
    way way;
    const near_mesh* meshes;
    uint32_t count;
    uint32_t cells;
    abut_context* context;
    abut_scene* scene;
    abut_nearest_result* gaps;
    abut_nearest_result** own;  // by body, within it; all the same if nothing is remembered
    abut_body_id* bodies;
    uint32_t* number_of;  // by index in the scene
    uint64_t tests;
    uint64_t pairs;
    uint64_t bounded;
} peer;

static void require(abut_status status) {
    if (status != ABUT_OK) {
        bench_die("abut: %s", abut_status_text(status));
    }
}

static void* create_as(const near_mesh* meshes, uint32_t count, way how) {
    peer* p = bench_alloc(1, sizeof *p);
    *p = (peer){.way = how, .meshes = meshes, .count = count};
    require(abut_context_create(bench_context_def(), &p->context, NULL));
    require(abut_scene_create(p->context, NULL, &p->scene, NULL));
    require(abut_nearest_result_create(p->context, &p->gaps, NULL));
    p->own = bench_alloc(count, sizeof *p->own);
    for (uint32_t i = 0; i < count; ++i) {
        if (i == 0 || how == WARM) {
            require(abut_nearest_result_create(p->context, &p->own[i], NULL));
        } else {
            p->own[i] = p->own[0];
        }
    }
    p->bodies = bench_alloc(count, sizeof *p->bodies);
    p->number_of = bench_alloc(count, sizeof *p->number_of);
    return p;
}

static void* create_warm(const near_mesh* meshes, uint32_t count) {
    return create_as(meshes, count, WARM);
}
static void* create_cold(const near_mesh* meshes, uint32_t count) {
    return create_as(meshes, count, COLD);
}
static void* create_voronoi(const near_mesh* meshes, uint32_t count) {
    return create_as(meshes, count, VORONOI);
}

static void destroy(void* peer_) {
    peer* p = peer_;
    abut_nearest_result_destroy(p->gaps);
    for (uint32_t i = 0; i < (p->way == WARM ? p->count : 1); ++i) {
        abut_nearest_result_destroy(p->own[i]);
    }
    free(p->own);
    abut_scene_destroy(p->scene);
    abut_context_destroy(p->context);
    free(p->bodies);
    free(p->number_of);
    free(p);
}

static void make_body(peer* p, uint32_t i, const double* xyz) {
    abut_mesh_def mesh_def = abut_mesh_def_default();
    abut_body_def body_def = abut_body_def_default();
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    mesh_def.positions = abut_positions_f64(xyz, p->meshes[i].vertex_count);
    mesh_def.triangles = p->meshes[i].triangles;
    mesh_def.triangle_count = p->meshes[i].triangle_count;
    body_def.is_static = !p->meshes[i].moves;
    require(abut_mesh_create(p->context, &mesh_def, &mesh, NULL));
    require(abut_shape_create(p->context, mesh, NULL, &shape, NULL));
    require(abut_body_create(p->scene, shape, &body_def, &p->bodies[i], NULL));
    p->number_of[p->bodies[i].index] = i;
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
}

static void update(void* peer_, const double* const* xyz, const bool* there) {
    peer* p = peer_;
    // Removes bodies first, so that their places are free for new ones.
    for (uint32_t i = 0; i < p->count; ++i) {
        if (!there[i] && abut_body_is_valid(p->scene, p->bodies[i])) {
            require(abut_body_destroy(p->scene, p->bodies[i], NULL));
        }
    }
    for (uint32_t i = 0; i < p->count; ++i) {
        const double* positions = xyz[i] != NULL ? xyz[i] : p->meshes[i].rest;
        if (there[i] && !abut_body_is_valid(p->scene, p->bodies[i])) {
            make_body(p, i, positions);
        } else if (there[i] && xyz[i] != NULL) {
            require(abut_body_borrow_positions(
                p->scene, p->bodies[i], abut_positions_f64(positions, p->meshes[i].vertex_count),
                NULL));
        }
    }
}

static bool can(near_question question) {
    (void)question;
    return true;
}

// Adds what a query counted.
static void count_work(peer* p, const abut_counters* counters, const abut_nearest_result* from) {
    const abut__voronoi* v = from->near.voronoi;
    p->tests += counters->exact_tests;
    p->pairs += v != NULL ? v->counts.pairs : 0;
    p->bounded += v != NULL ? v->counts.candidates : 0;
}

static abut_nearest_def def_of(const peer* p, abut_counters* counters) {
    abut_nearest_def def = abut_nearest_def_default();
    def.head.counters = counters;
    def.culling.kind = p->way == VORONOI ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
    def.culling.grid_cells = p->way == VORONOI ? p->cells : 0;
    return def;
}

// For every body the nearest other one, or the distance of the first two.
static void ask_between(peer* p, bool pair, double* distances) {
    abut_counters counters = {0};
    const abut_nearest_def def = def_of(p, &counters);
    if (p->way != WARM) {
        abut_nearest_result_clear(p->gaps);
    }
    require(pair ? abut_nearest(p->scene, p->bodies[0], p->bodies[1], &def, p->gaps, NULL)
                 : abut_nearest_all(p->scene, &def, p->gaps, NULL));
    size_t count = 0;
    const abut_distance_pair* list = abut_nearest_result_pairs(p->gaps, &count);
    for (size_t i = 0; i < count; ++i) {
        distances[pair ? 0 : p->number_of[list[i].body_a]] = list[i].distance;
    }
    count_work(p, &counters, p->gaps);
}

static void ask_within(peer* p, uint32_t body, double* distances) {
    abut_counters counters = {0};
    const abut_nearest_def def = def_of(p, &counters);
    if (!abut_body_is_valid(p->scene, p->bodies[body])) {
        return;
    }
    if (p->way != WARM) {
        abut_nearest_result_clear(p->own[body]);
    }
    require(abut_nearest_self(p->scene, p->bodies[body], &def, p->own[body], NULL));
    size_t count = 0;
    const abut_distance_pair* list = abut_nearest_result_pairs(p->own[body], &count);
    for (size_t i = 0; i < count; ++i) {
        distances[list[i].triangle_a] = list[i].distance;
    }
    count_work(p, &counters, p->own[body]);
}

static void ask(void* peer_, near_question question, double* distances) {
    peer* p = peer_;
    const size_t answers = near_answers(question, p->meshes, p->count);
    p->tests = p->pairs = p->bounded = 0;
    for (size_t i = 0; i < answers; ++i) {
        distances[i] = INFINITY;
    }
    if (question != NEAR_WITHIN) {
        ask_between(p, question == NEAR_PAIR, distances);
    } else {
        ask_within(p, 0, distances);
    }
    double* next = distances + p->count;
    for (uint32_t i = 0; i < p->count && question == NEAR_BOTH; ++i) {
        if (p->meshes[i].moves) {
            ask_within(p, i, next);
            next += p->meshes[i].triangle_count;
        }
    }
}

static uint64_t tests(void* peer_) {
    return ((const peer*)peer_)->tests;
}

static uint64_t pairs(void* peer_) {
    return ((const peer*)peer_)->pairs;
}

static uint64_t bounded(void* peer_) {
    return ((const peer*)peer_)->bounded;
}

void near_set_cells(void* voronoi_peer, uint32_t cells) {
    ((peer*)voronoi_peer)->cells = cells;
}

const near_kind near_abut = {"abut", create_warm, destroy, update, can, ask, tests, NULL, NULL};
const near_kind near_abut_cold = {"abut, cold", create_cold, destroy, update, can,
                                  ask,          tests,       NULL,    NULL};
const near_kind near_abut_voronoi = {"abut, Voronoi", create_voronoi, destroy, update, can, ask,
                                     tests,           pairs,          bounded};
