// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut as a peer: positions borrowed or copied, all instruction sets, one thread or two (which
// copy, as most users do).
#include "bench/bench.h"
#include "peers/peer.h"

#include <abut/abut.h>
#include <abut/threads.h>
#include <stdlib.h>

typedef struct ours {
    const peer_mesh* meshes;
    uint32_t count;
    bool copies;
    abut_threads* threads;  // NULL: none
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_body_id* bodies;
    abut_counters counters;
} ours;

typedef struct manner {
    bool copies;
    abut_isa isa;
    uint32_t threads;  // 0 and 1: only the caller's thread, without task hooks
} manner;

static void need(abut_status status, const abut_error* error) {
    if (status != ABUT_OK) {
        bench_die("%s", error != NULL ? error->message : abut_status_text(status));
    }
}

static abut_positions view(const peer_mesh* mesh, const float* xyz) {
    return abut_positions_f32(xyz, mesh->vertex_count);
}

static abut_mesh* make_mesh(abut_context* context, const peer_mesh* mesh) {
    abut_error error;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = view(mesh, mesh->rest);
    def.triangles = mesh->triangles;
    def.triangle_count = mesh->triangle_count;
    abut_mesh* made = NULL;
    need(abut_mesh_create(context, &def, &made, &error), &error);
    return made;
}

static abut_shape* make_shape(abut_context* context, const abut_mesh* mesh) {
    abut_error error;
    abut_shape* shape = NULL;
    need(abut_shape_create(context, mesh, NULL, &shape, &error), &error);
    need(abut_shape_build_tree(shape, &error), &error);
    return shape;
}

static void* create(const peer_mesh* meshes, uint32_t count, manner how) {
    ours* o = bench_alloc(1, sizeof *o);
    o->meshes = meshes;
    o->count = count;
    o->copies = how.copies;
    abut_error error;
    abut_context_def context = *bench_context_def();
    if (how.isa != ABUT_ISA_BEST) {
        context.isa = how.isa;
    }
    if (how.threads > 1) {
        need(abut_threads_create(how.threads, &o->threads, &error), &error);
        context.tasks = abut_threads_tasks(o->threads);
    }
    if (abut_context_create(&context, &o->context, &error) != ABUT_OK) {
        abut_threads_destroy(o->threads);
        free(o);  // the processor lacks the instruction set
        return NULL;
    }
    need(abut_scene_create(o->context, NULL, &o->scene, &error), &error);
    need(abut_collide_result_create(o->context, &o->result, &error), &error);
    o->bodies = bench_alloc(count, sizeof *o->bodies);
    for (uint32_t i = 0; i < count; ++i) {
        abut_body_def body = abut_body_def_default();
        body.is_static = !meshes[i].moves;
        abut_mesh* mesh = make_mesh(o->context, &meshes[i]);
        abut_shape* shape = make_shape(o->context, mesh);
        abut_mesh_destroy(mesh);
        need(abut_body_create(o->scene, shape, &body, &o->bodies[i], &error), &error);
        abut_shape_destroy(shape);
        if (o->bodies[i].index != i) {  // results contain these numbers
            bench_die("bodies of a new scene are not numbered from 0");
        }
    }
    return o;
}

static void destroy(void* peer) {
    ours* o = peer;
    abut_collide_result_destroy(o->result);
    abut_scene_destroy(o->scene);
    abut_context_destroy(o->context);
    abut_threads_destroy(o->threads);
    free(o->bodies);
    free(o);
}

static void update(void* peer, const float* const* xyz) {
    ours* o = peer;
    abut_error error;
    for (uint32_t i = 0; i < o->count; ++i) {
        if (o->meshes[i].moves) {
            const abut_positions positions = view(&o->meshes[i], xyz[i]);
            need(o->copies ? abut_body_set_positions(o->scene, o->bodies[i], positions, &error)
                           : abut_body_borrow_positions(o->scene, o->bodies[i], positions, &error),
                 &error);
        }
    }
}

static abut_collide_def query_of(ours* o) {
    abut_collide_def query = abut_collide_def_default();
    o->counters = (abut_counters){0};
    query.head.counters = &o->counters;
    return query;
}

static void take(const ours* o, peer_pairs* out) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(o->result, &count);
    peer_add_all(out, pairs, count);
}

static void collide(void* peer, peer_pairs* out) {
    ours* o = peer;
    const abut_collide_def query = query_of(o);
    need(abut_collide_all(o->scene, &query, o->result, NULL), NULL);
    take(o, out);
}

static void self(void* peer, peer_pairs* out) {
    ours* o = peer;
    const abut_collide_def query = query_of(o);
    need(abut_collide_self(o->scene, o->bodies[0], &query, o->result, NULL), NULL);
    take(o, out);
}

// Builds a tree that can be collided from the caller's arrays, checks and classes included.
// Adjacency is left to the first self query; the peers make none.
static void build(void* peer) {
    ours* o = peer;
    abut_mesh* mesh = make_mesh(o->context, &o->meshes[0]);
    abut_shape_destroy(make_shape(o->context, mesh));
    abut_mesh_destroy(mesh);
}

// Builds from an existing mesh.
static void build_tree(void* peer) {
    ours* o = peer;
    const abut_shape* shape = abut_body_shape(o->scene, o->bodies[0]);
    abut_shape_destroy(make_shape(o->context, abut_shape_mesh(shape)));
}

static void box(void* peer, double lo_hi[6]) {
    const ours* o = peer;
    abut_box b;
    abut_error error;
    // Checks all boxes, not only this one.
    need(abut_body_validate(o->scene, o->bodies[0], &error), &error);
    need(abut_body_box(o->scene, o->bodies[0], &b, NULL), NULL);
    for (int i = 0; i < 3; ++i) {
        lo_hi[i] = b.lo[i];
        lo_hi[i + 3] = b.hi[i];
    }
}

static void counters(void* peer, abut_counters* out) {
    *out = ((const ours*)peer)->counters;
}

#define OUR_KIND(id, text, how_to_build, ...)                           \
    static void* create_##id(const peer_mesh* meshes, uint32_t count) { \
        return create(meshes, count, (manner){__VA_ARGS__});            \
    }                                                                   \
    extern const peer_kind peer_##id;                                   \
    const peer_kind peer_##id = {                                       \
        .name = text,                                                   \
        .create = create_##id,                                          \
        .destroy = destroy,                                             \
        .update = update,                                               \
        .collide = collide,                                             \
        .self = self,                                                   \
        .build = how_to_build,                                          \
        .box = box,                                                     \
        .counters = counters,                                           \
    };

OUR_KIND(abut, "abut", build, .copies = false)
OUR_KIND(abut_copied, "abut, copied", build, .copies = true)
OUR_KIND(abut_scalar, "abut, scalar", build, .isa = ABUT_ISA_SCALAR)
OUR_KIND(abut_avx2, "abut, avx2", build, .isa = ABUT_ISA_AVX2)
OUR_KIND(abut_one, "abut, 1 thread", build, .copies = true, .threads = 1)
OUR_KIND(abut_two, "abut, 2 threads", build, .copies = true, .threads = 2)
OUR_KIND(abut_tree, "abut, tree alone", build_tree, .copies = false)
