// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The promises of the library for bodies of every motion over many steps. Answers are exact and
// conservative while states, frames, shapes and bodies change under fronts. They are the same for
// any number of threads, any instruction set and any pool. There is no allocation after warm-up,
// and every failed allocation is handled. The table of motions is support/motions.h; main() lists
// the promises of each motion.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/everywhere.h"
#include "support/memory.h"
#include "support/motions.h"
#include "support/motion_def.h"

#define BODIES 5
#define OWN 3                        // the first bodies have the motion that is tested
#define SMALL_POOL ((size_t)400000)  // a chunk of 256 blocks

// three bodies of one motion, each with another bound, a modal one and a free one
typedef struct stage {
    world world;
    mover mover[BODIES];
    abut_shape* shape[BODIES];
    abut_body_id body[BODIES];
} stage;

// the inputs of a stage, which are independent of the library
static void stage_write(stage* s, const motion_row* row, uint64_t seed) {
    test_random random = random_seed(seed);
    memset(s, 0, sizeof *s);
    surface sheet = surface_sheet(14, 14, 2);
    surface_shift(&sheet, -1, -1, 0);
    const surface surfaces[BODIES] = {sheet, surface_ball(9, 12, 0.9),
                                      surface_soup(&random, 90, 1, 0.4, 0.125),
                                      surface_ball(8, 9, 0.8), surface_ball(6, 9, 0.7)};
    for (uint32_t i = 0; i < BODIES; ++i) {
        const motion_row* of = i < OWN ? row : i == OWN ? &motion_modal : &motion_free;
        s->mover[i] = mover_make(of, i < OWN ? i : 1, surfaces[i], &random);
        s->mover[i].bound =
            of->bounds[(i + seed) % of->bound_count];  // other seeds select other bounds
    }
}

static abut_status shape_of(const stage* s, uint32_t i, abut_shape** shape) {
    motion_def def = mover_def(&s->mover[i]);
    static const uint32_t block_triangles[BODIES] = {2, 2, 5, 4, 16};
    def.block_triangles = block_triangles[i];  // more blocks in all than a small pool has slots
    return world_try_shape(&s->world, &s->mover[i].surface, &def, shape, NULL);
}

static void stage_open(stage* s, const motion_row* row, uint64_t seed,
                       const abut_context_def* context_def, const abut_scene_def* scene_def) {
    stage_write(s, row, seed);
    s->world = world_make(context_def, scene_def);
    for (uint32_t i = 0; i < BODIES; ++i) {
        REQUIRE_OK(shape_of(s, i, &s->shape[i]));
        REQUIRE_OK(abut_body_create(s->world.scene, s->shape[i], NULL, &s->body[i], NULL));
    }
}

static void stage_close(stage* s) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        abut_shape_destroy(s->shape[i]);
    }
    world_free(&s->world);  // keyframes of a flight are borrowed until here
    for (uint32_t i = 0; i < BODIES; ++i) {
        mover_free(&s->mover[i]);
    }
}

static void set_state(stage* s, uint32_t i) {
    REQUIRE_OK(mover_set(&s->mover[i], s->world.scene, s->body[i]));
}

static void move(stage* s, test_random* random, uint32_t i) {
    mover_draw(&s->mover[i], random, random_state_kind(random));
    set_state(s, i);
}

static void rest(stage* s, uint32_t i) {
    test_random none = random_seed(0);
    mover_draw(&s->mover[i], &none, STATE_REST);
}

static void place(stage* s, test_random* random, uint32_t i) {
    abut_frame frame = random_chance(random, 0.3) ? abut_frame_identity()
                                                  : frame_random(random, 0.5);
    if (random_chance(random, 0.3)) {  // a translation alone
        const abut_frame now = abut_body_frame(s->world.scene, s->body[i]);
        memcpy(frame.r, now.r, sizeof frame.r);
    }
    REQUIRE_OK(abut_body_set_frame(s->world.scene, s->body[i], &frame, NULL));
}

static void edit(stage* s, test_random* random, uint32_t i, bool rebuild) {
    abut_scene* scene = s->world.scene;
    const abut_shape* now = abut_body_shape(scene, s->body[i]);
    const abut_mesh* mesh = abut_shape_mesh(now);
    const uint32_t added[3] = {0, 1, random_below(random, 20)};
    const uint32_t removed = random_below(random, s->mover[i].surface.triangle_count);
    motion_edit_def def = motion_edit_def_default();
    def.removed_triangles = &removed;
    def.removed_triangle_count = abut_mesh_triangles(mesh)[3 * (size_t)removed] != UINT32_MAX;
    def.added_triangles = added;
    def.added_triangle_count = 1;
    def.rebuild = rebuild;
    abut_shape* made = NULL;
    REQUIRE_OK(motion_edit(now, &def, &made, NULL, NULL));
    assert_int_equal(abut_shape_proxy_count(made), abut_shape_proxy_count(now));
    REQUIRE_OK(abut_body_set_shape(scene, s->body[i], made, (abut_positions){0}, NULL));
    abut_shape_destroy(made);
}

// removes a triangle and adds one, or rebuilds the tree, or returns to the first shape
static void reshape(stage* s, test_random* random, uint32_t i) {
    abut_scene* scene = s->world.scene;
    const uint32_t kind = random_below(random, 4);
    if (kind == 0) {
        REQUIRE_OK(abut_body_rebuild_tree(scene, s->body[i], 1, NULL, NULL));
    } else if (kind == 1) {
        REQUIRE_OK(abut_body_set_shape(scene, s->body[i], s->shape[i], (abut_positions){0}, NULL));
    } else {
        edit(s, random, i, kind == 2);
    }
}

static void replace(stage* s, uint32_t i) {
    REQUIRE_OK(abut_body_destroy(s->world.scene, s->body[i], NULL));
    REQUIRE_OK(abut_body_create(s->world.scene, s->shape[i], NULL, &s->body[i], NULL));
    rest(s, i);
}

// ---- exact and conservative

// queries until no piece is left; all pieces together equal the oracle's answer
static void check_pieces(const world* w, abut_collide_def def, query_kind kind,
                         const pair_list* wanted) {
    const abut_body_id none = {0, 0};
    pair_list got = {0};
    abut_status status = ABUT_INCOMPLETE;
    while (status == ABUT_INCOMPLETE) {
        status = run_query(w->scene, kind, none, none, &def, w->result);
        pairs_append(&got, w->result);
    }
    REQUIRE_OK(status);
    pairs_sort(&got);
    require_same_pairs(&got, wanted, kind == QUERY_SELF_ALL ? "self" : "collide");
    pairs_free(&got);
}

static void check_answers(const world* w, test_random* random, abut_front* const front[2]) {
    const abut_body_id none = {0, 0};
    for (int self = 0; self < 2; ++self) {
        const query_kind kind = self != 0 ? QUERY_SELF_ALL : QUERY_COLLIDE_ALL;
        abut_collide_def def = abut_collide_def_default();
        def.margin = random_chance(random, 0.3) ? 0.03125 : 0;
        const oracle o = {.margin = def.margin};
        pair_list wanted = oracle_query(w->scene, kind, none, none, &o);
        check_pieces(w, def, kind, &wanted);
        def.front = front[self];
        def.budget = random_chance(random, 0.4) ? 1 + random_below(random, 900) : 0;
        check_pieces(w, def, kind, &wanted);
        pairs_free(&wanted);
    }
}

// the vertices that triangles use; edits may leave others unused
static bool* used_vertices(const abut_mesh* mesh) {
    const uint32_t* corners = abut_mesh_triangles(mesh);
    bool* used = test_alloc(abut_mesh_vertex_count(mesh), sizeof *used);
    memset(used, 0, abut_mesh_vertex_count(mesh) * sizeof *used);
    for (size_t k = 0; k < 3 * (size_t)abut_mesh_triangle_count(mesh); ++k) {
        if (corners[k] != UINT32_MAX) {
            used[corners[k]] = true;
        }
    }
    return used;
}

static void check_sphere(const stage* s, uint32_t i) {
    double centre[3];
    double radius;
    REQUIRE_OK(abut_body_sphere(s->world.scene, s->body[i], centre, &radius, NULL));
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(s->world.scene, s->body[i]));
    bool* used = used_vertices(mesh);
    for (uint32_t v = 0; v < abut_mesh_vertex_count(mesh); ++v) {
        double p[3];
        REQUIRE_OK(abut_body_world_vertex(s->world.scene, s->body[i], v, p, NULL));
        long double sum = 0;
        for (int d = 0; d < 3; ++d) {
            const long double offset = (long double)p[d] - (long double)centre[d];
            sum += offset * offset;
        }
        REQUIRE(!used[v] || sum <= (long double)radius * (long double)radius * (1 + 0x1p-60L));
    }
    free(used);
}

static void live(stage* s, test_random* random) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        if (random_chance(random, 0.8)) {
            move(s, random, i);
        }
        if (random_chance(random, 0.3)) {
            place(s, random, i);
        }
        if (random_chance(random, 0.05)) {
            reshape(s, random, i);
        }
        if (random_chance(random, 0.02)) {
            replace(s, i);
        }
    }
}

// all changes that may happen to bodies, under fronts that persist
static void test_long_runs_equal_all_pairs(void** state) {
    const motion_row* row = *state;
    for (uint64_t seed = 1; seed <= effort(2, 20, 80); ++seed) {
        test_random random = random_seed(seed + 900);
        abut_scene_def scene_def = abut_scene_def_default();
        scene_def.pool_bytes = seed % 4 == 0   ? 0
                               : seed % 4 == 1 ? SMALL_POOL
                                               : scene_def.pool_bytes;
        stage s;
        stage_open(&s, row, seed, NULL, &scene_def);
        abut_front* front[2];
        REQUIRE_OK(abut_front_create(s.world.context, &front[0], NULL));
        REQUIRE_OK(abut_front_create(s.world.context, &front[1], NULL));
        for (uint32_t step = 0; step < effort(4, 24, 24); ++step) {
            where("%s, seed %llu, step %u", row->name, (unsigned long long)seed, step);
            live(&s, &random);
            if (random_chance(&random, 0.5)) {
                check_answers(&s.world, &random, front);
            }
            for (uint32_t i = 0; i < BODIES && random_chance(&random, 0.5); ++i) {
                world_validate(&s.world, s.body[i]);
                check_sphere(&s, i);
                mover_check(&s.mover[i], s.world.scene, s.body[i]);
            }
        }
        abut_front_destroy(front[0]);
        abut_front_destroy(front[1]);
        stage_close(&s);
    }
}

// every kind of state separately, in each variant
static void test_vertices_are_the_formula(void** state) {
    const motion_row* row = *state;
    for (uint64_t seed = 1; seed <= effort(2, 8, 32); ++seed) {
        test_random random = random_seed(seed + 40);
        stage s;
        stage_open(&s, row, seed, NULL, NULL);
        for (int kind = STATE_REST; kind <= STATE_DEGENERATE; ++kind) {
            for (uint32_t i = 0; i < OWN; ++i) {
                where("%s, seed %llu, kind %d, body %u", row->name, (unsigned long long)seed, kind,
                      i);
                mover_draw(&s.mover[i], &random, (state_kind)kind);
                set_state(&s, i);
                mover_check(&s.mover[i], s.world.scene, s.body[i]);
                world_validate(&s.world, s.body[i]);
            }
        }
        stage_close(&s);
    }
}

// pairs of triangles that the motion cannot bring together are culled without a test
static void test_most_of_a_body_is_proven_apart(void** state) {
    const motion_row* row = *state;
    stage s;
    stage_open(&s, row, 1, NULL, NULL);
    for (uint32_t i = 0; i < 2; ++i) {
        where("%s, body %u", row->name, i);
        abut_counters counters = {0};
        abut_collide_def def = abut_collide_def_default();
        def.head.counters = &counters;
        REQUIRE_OK(abut_shape_build_certificates(abut_body_shape(s.world.scene, s.body[i]), NULL));
        REQUIRE_OK(abut_collide_self(s.world.scene, s.body[i], &def, s.world.result, NULL));
        REQUIRE(counters.nodes_certified + counters.blocks_certified > 0);
    }
    stage_close(&s);
}

// ---- deterministic

typedef struct record {
    uint64_t answers;
    abut_counters counters;
} record;

static void record_answer(record* r, const abut_collide_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    const abut_intersection* shared = abut_collide_result_intersections(result, NULL);
    hash_bytes(&r->answers, &count, sizeof count);
    hash_bytes(&r->answers, pairs, count * sizeof *pairs);
    for (size_t i = 0; i < count && shared != NULL; ++i) {
        hash_bytes(&r->answers, shared[i].points, shared[i].count * sizeof shared[i].points[0]);
    }
}

static void record_others(record* r, const world* w) {
    abut_proxies_def proxies = abut_proxies_def_default();
    proxies.head.counters = &r->counters;
    REQUIRE_OK(abut_proxies_all(w->scene, &proxies, w->proxies, NULL));
    size_t count = 0;
    const abut_proxy_pair* contacts = abut_proxies_result_pairs(w->proxies, &count);
    hash_bytes(&r->answers, contacts, count * sizeof *contacts);
    abut_collide_def any = abut_collide_def_default();  // its counters may differ
    any.any = true;
    REQUIRE_OK(abut_collide_all(w->scene, &any, w->result, NULL));
    const bool touching = abut_collide_result_found(w->result);
    hash_bytes(&r->answers, &touching, sizeof touching);
}

// plays all steps in a given world and hashes the answers and counters of all queries
static record play(const motion_row* row, const abut_context_def* context_def,
                   const abut_scene_def* scene_def, uint64_t seed) {
    test_random random = random_seed(seed + 700);
    record r = {0};
    stage s;
    stage_open(&s, row, seed, context_def, scene_def);
    abut_front* front = NULL;
    REQUIRE_OK(abut_front_create(s.world.context, &front, NULL));
    abut_collide_def def = abut_collide_def_default();
    def.head.counters = &r.counters;
    def.intersections = true;
    for (uint32_t step = 0; step < effort(6, 8, 8); ++step) {
        for (uint32_t i = 0; i < BODIES; ++i) {
            move(&s, &random, i);
            if (random_chance(&random, 0.3)) {
                place(&s, &random, i);
            }
        }
        def.front = step % 2 == 0 ? front : NULL;
        REQUIRE_OK(abut_collide_all(s.world.scene, &def, s.world.result, NULL));
        record_answer(&r, s.world.result);
        def.front = NULL;
        REQUIRE_OK(abut_collide_self_all(s.world.scene, &def, s.world.result, NULL));
        record_answer(&r, s.world.result);
        record_others(&r, &s.world);
    }
    abut_front_destroy(front);
    stage_close(&s);
    return r;
}

// a quick test has each pool and each number of workers once
static void check_pools(const motion_row* row, uint64_t seed, const record* wanted) {
    for (uint32_t i = effort(1, 0, 0); i < effort(3, 4, 4); ++i) {
        const uint32_t workers = i / 2 == 0 ? 1 : 5;
        abut_scene_def scene_def = abut_scene_def_default();
        scene_def.pool_bytes = i % 2 == 0 ? 0 : SMALL_POOL;
        where("%s, seed %llu, a pool of %zu bytes, %u workers", row->name, (unsigned long long)seed,
              scene_def.pool_bytes, workers);
        test_threads* threads = threads_create(workers, seed + 2);
        const abut_context_def def = threads_context_def(threads);
        const record got = play(row, &def, &scene_def, seed);
        REQUIRE(memcmp(&got, wanted, sizeof got) == 0);
        threads_destroy(threads);
    }
}

static void test_same_everywhere(void** state) {
    const motion_row* row = *state;
    static const uint32_t workers[] = {2, 5, 0};
    for (uint64_t seed = 1; seed <= effort(1, 5, 20); ++seed) {
        record wanted = {0};
        everywhere at = everywhere_each(workers, seed + 1);
        while (everywhere_next(&at)) {
            where("%s, seed %llu, %s", row->name, (unsigned long long)seed, at.text);
            const record got = play(row, &at.def, NULL, seed);
            wanted = at.first ? got : wanted;
            REQUIRE(got.answers == wanted.answers && wanted.counters.pairs_found > 0);
            REQUIRE(!at.same_set || memcmp(&got, &wanted, sizeof got) == 0);
        }
        check_pools(row, seed, &wanted);
    }
}

// ---- many readers of bodies that no query has evaluated yet

typedef struct reader {
    const stage* stage;
    uint64_t wanted[QUERY_KINDS];
    uint32_t first;  // the first kind of query
    size_t wrong;
} reader;

// no cmocka in here: it supports one thread only
static void* read_stage(void* argument) {
    reader* r = argument;
    abut_collide_result* result = NULL;
    if (abut_collide_result_create(r->stage->world.context, &result, NULL) != ABUT_OK) {
        ++r->wrong;
        return NULL;
    }
    for (uint32_t k = 0; k < QUERY_KINDS; ++k) {
        const uint32_t kind = (r->first + k) % QUERY_KINDS;
        const abut_status status = run_query(r->stage->world.scene, (query_kind)kind,
                                             r->stage->body[0], r->stage->body[1], NULL, result);
        r->wrong += status != ABUT_OK || result_hash(result) != r->wanted[kind];
        r->wrong += abut_body_validate(r->stage->world.scene, r->stage->body[k], NULL) != ABUT_OK;
    }
    abut_collide_result_destroy(result);
    return NULL;
}

#define READERS 4

static void check_readers(const stage* s, const uint64_t wanted[QUERY_KINDS]) {
    reader readers[READERS];
    pthread_t threads[READERS];
    for (uint32_t i = 0; i < READERS; ++i) {
        readers[i] = (reader){.stage = s, .first = i / 2};
        memcpy(readers[i].wanted, wanted, sizeof readers[i].wanted);
        assert_int_equal(pthread_create(&threads[i], NULL, read_stage, &readers[i]), 0);
    }
    for (uint32_t i = 0; i < READERS; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        REQUIRE(readers[i].wrong == 0);
    }
}

static void test_many_first_readers(void** state) {
    const motion_row* row = *state;
    for (uint64_t seed = 1; seed <= effort(1, 10, 30); ++seed) {
        stage s;
        stage alone;
        stage_open(&s, row, seed, NULL, NULL);
        stage_open(&alone, row, seed, NULL, NULL);
        test_random random = random_seed(seed);
        test_random again = random_seed(seed);
        for (int step = 0; step < 4; ++step) {
            where("%s, seed %llu, step %d", row->name, (unsigned long long)seed, step);
            uint64_t wanted[QUERY_KINDS];
            for (uint32_t i = 0; i < BODIES; ++i) {
                move(&s, &random, i);
                move(&alone, &again, i);
            }
            for (int kind = 0; kind < QUERY_KINDS; ++kind) {
                REQUIRE_OK(run_query(alone.world.scene, (query_kind)kind, alone.body[0],
                                     alone.body[1], NULL, alone.world.result));
                wanted[kind] = result_hash(alone.world.result);
            }
            check_readers(&s, wanted);
        }
        stage_close(&s);
        stage_close(&alone);
    }
}

// ---- memory

static void test_quiet_after_warm_up(void** state) {
    const motion_row* row = *state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    stage s;
    stage_open(&s, row, 5, &def, NULL);
    for (uint32_t i = 0; i < BODIES; ++i) {
        s.mover[i].steady = true;
    }
    for (int round = 0; round < 4; ++round) {
        test_random random = random_seed(6);
        for (uint32_t i = 0; i < BODIES; ++i) {
            const abut_frame frame = abut_frame_identity();
            rest(&s, i);
            REQUIRE_OK(abut_body_set_frame(s.world.scene, s.body[i], &frame, NULL));
        }
        const size_t before = memory.calls;
        for (int step = 0; step < 12; ++step) {
            for (uint32_t i = 0; i < BODIES; ++i) {
                move(&s, &random, i);
                place(&s, &random, i);
            }
            REQUIRE_OK(abut_collide_all(s.world.scene, NULL, s.world.result, NULL));
            REQUIRE_OK(abut_collide_self_all(s.world.scene, NULL, s.world.result, NULL));
            REQUIRE_OK(abut_proxies_all(s.world.scene, NULL, s.world.proxies, NULL));
        }
        where("%s, round %d", row->name, round);
        REQUIRE(round < 2 || memory.calls == before);  // the two states of a body alternate
    }
    stage_close(&s);
    memory_require_clean(&memory);
}

// Hundreds of bodies share one shape. While no other body is near, each body adds its state and
// little more, independent of the size of the mesh.
static void check_small(const motion_row* row, uint32_t variant, uint32_t rings) {
    enum { INSTANCES = 300 };
    test_random random = random_seed(31);
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    mover m = mover_make(row, variant, surface_ball(rings, rings + 3, 1), &random);
    const motion_def shape_def = mover_def(&m);
    abut_shape* shape = world_shape(&w, &m.surface, &shape_def);
    REQUIRE_OK(abut_shape_build_tree(shape, NULL));
    abut_body_id body[INSTANCES];
    const size_t before = memory.live_bytes;
    for (uint32_t i = 0; i < INSTANCES; ++i) {
        abut_body_def body_def = abut_body_def_default();
        body_def.frame.t[0] = 50.0 * i;
        REQUIRE_OK(abut_body_create(w.scene, shape, &body_def, &body[i], NULL));
    }
    REQUIRE(memory.live_bytes - before <= INSTANCES * row->body_bytes(&m, false));
    for (uint32_t i = 0; i < 2 * INSTANCES; ++i) {
        mover_draw(&m, &random, STATE_NEAR);
        REQUIRE_OK(mover_set(&m, w.scene, body[i % INSTANCES]));
    }
    const size_t settled = memory.live_bytes;
    print_message("%s, variant %u, %u triangles: %.1f bytes a body\n", row->name, variant,
                  m.surface.triangle_count, (double)(settled - before) / (int)INSTANCES);
    REQUIRE(settled - before <= INSTANCES * row->body_bytes(&m, true));
    REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result, NULL));
    abut_collide_result_destroy(w.result);  // the result owns the memory of the query
    w.result = NULL;
    REQUIRE(memory.live_bytes <= settled);
    abut_shape_destroy(shape);
    world_free(&w);
    mover_free(&m);
    memory_require_clean(&memory);
}

static void test_untouched_bodies_are_small(void** state) {
    const motion_row* row = *state;
    for (uint32_t variant = 0; variant < row->variants; ++variant) {
        for (uint32_t rings = 6; rings < 40; rings += 30) {
            where("%s, variant %u, %u rings", row->name, variant, rings);
            check_small(row, variant, rings);
        }
    }
}

static bool lacks_memory(abut_status status) {
    REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
    return status != ABUT_OK;
}

// Queries without memory report that or succeed without it. In both cases the next ones are right.
static bool query_equals(const stage* s, int kind, const uint64_t* wanted) {
    if (lacks_memory(run_query(s->world.scene, (query_kind)kind, s->body[0], s->body[1], NULL,
                               s->world.result))) {
        return false;
    }
    REQUIRE(wanted == NULL || result_hash(s->world.result) == wanted[kind]);
    return true;
}

// A state or shape that could not be set leaves the last ones.
static void check_state_stays(stage* s) {
    test_random random = random_seed(3);
    abut_scene* scene = s->world.scene;
    for (uint32_t i = 0; i < BODIES; ++i) {
        const abut_shape* shape = abut_body_shape(scene, s->body[i]);
        double before[3];
        double after[3];
        REQUIRE_OK(abut_body_vertex(scene, s->body[i], 1, before, NULL));
        REQUIRE(!lacks_memory(abut_body_rebuild_tree(scene, s->body[i], 1, NULL, NULL)) ||
                abut_body_shape(scene, s->body[i]) == shape);
        (void)lacks_memory(
            abut_body_set_shape(scene, s->body[i], s->shape[i], (abut_positions){0}, NULL));
        REQUIRE_OK(abut_body_vertex(scene, s->body[i], 1, after, NULL));
        REQUIRE(memcmp(before, after, sizeof before) == 0);
        mover_draw(&s->mover[i], &random, STATE_ORDINARY);
        const bool refused = lacks_memory(mover_set(&s->mover[i], scene, s->body[i]));
        REQUIRE_OK(abut_body_vertex(scene, s->body[i], 1, after, NULL));
        REQUIRE(!refused || memcmp(before, after, sizeof before) == 0);
    }
}

// after the failure all works as before
static void check_recovered(stage* s, const uint64_t* wanted) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        rest(s, i);
        set_state(s, i);
        world_validate(&s->world, s->body[i]);
    }
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        REQUIRE(query_equals(s, kind, wanted));
    }
}

// runs all calls, from the first shape to the last query, while one allocation fails; false if
// there were fewer allocations
static bool live_short_of_memory(const motion_row* row, size_t fail_call, bool onwards,
                                 const uint64_t* wanted) {
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    stage s;
    stage_write(&s, row, 3);
    s.world = world_make(&def, NULL);
    memory_fail(&memory, fail_call, onwards);
    uint32_t made = 0;
    while (
        made < BODIES && !lacks_memory(shape_of(&s, made, &s.shape[made])) &&
        !lacks_memory(abut_body_create(s.world.scene, s.shape[made], NULL, &s.body[made], NULL))) {
        ++made;
    }
    bool enough = false;
    if (made == BODIES) {
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            (void)query_equals(&s, kind, wanted);
        }
        (void)lacks_memory(abut_proxies_all(s.world.scene, NULL, s.world.proxies, NULL));
        check_state_stays(&s);
        enough = memory.refused == 0;
        memory_fail(&memory, 0, false);
        check_recovered(&s, wanted);
    }
    stage_close(&s);
    memory_require_clean(&memory);
    return !enough;
}

static void test_every_failure(void** state) {
    const motion_row* row = *state;
    stage s;
    stage_open(&s, row, 3, NULL, NULL);
    uint64_t wanted[QUERY_KINDS];
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        REQUIRE(query_equals(&s, kind, NULL));
        wanted[kind] = result_hash(s.world.result);
    }
    stage_close(&s);
    const size_t step = effort(397, 3, 1);
    for (int onwards = 0; onwards < 2; ++onwards) {
        size_t call = 1 + (size_t)onwards;
        do {
            where("%s, allocation %zu fails%s", row->name, call,
                  onwards != 0 ? ", and all after it" : "");
        } while (live_short_of_memory(row, call, onwards != 0, wanted) && (call += step) > 0);
    }
}

// ---- which motion promises what

#define PROMISE(test, row) \
    { #row ": " #test, test_##test, NULL, NULL, (void*)&motion_##row }
#define PROMISED_BY_ALL(row)                                                         \
    PROMISE(long_runs_equal_all_pairs, row), PROMISE(vertices_are_the_formula, row), \
        PROMISE(same_everywhere, row), PROMISE(many_first_readers, row),             \
        PROMISE(quiet_after_warm_up, row), PROMISE(every_failure, row)

int main(void) {
    const struct CMUnitTest tests[] = {
        PROMISED_BY_ALL(free),
        PROMISED_BY_ALL(modal),
        PROMISE(most_of_a_body_is_proven_apart, modal),
        PROMISE(untouched_bodies_are_small, modal),
        PROMISED_BY_ALL(blend),
        PROMISE(most_of_a_body_is_proven_apart, blend),
        PROMISE(untouched_bodies_are_small, blend),
        PROMISED_BY_ALL(flight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
