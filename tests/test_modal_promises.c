// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The promises of the library, kept by modal bodies over long lives: exact and conservative while
// states, frames, shapes and bodies change under fronts; the same for any number of threads, any
// instruction set and any pool; quiet after warm-up; never dying for want of memory.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fields.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/world.h"

#define BODIES 4
#define SMALL_POOL ((size_t)400000)  // a chunk of 256 blocks

// a cast of bodies: three modal ones, each bounded in another way, and a free one
typedef struct stage {
    world world;
    surface surface[BODIES];
    field_set fields[BODIES];
    double* q[BODIES];
    abut_shape* shape[BODIES];
    abut_body_id body[BODIES];
} stage;

// what a stage is made of; the library has no part in it
static void stage_write(stage* s, uint64_t seed) {
    test_random random = random_seed(seed);
    memset(s, 0, sizeof *s);
    s->surface[0] = surface_sheet(14, 14, 2);
    surface_shift(&s->surface[0], -1, -1, 0);
    s->surface[1] = surface_ball(9, 12, 0.9);
    s->surface[2] = surface_soup(&random, 90, 1, 0.4, 0.125);
    s->surface[3] = surface_ball(6, 9, 0.7);
    static const uint32_t counts[BODIES] = {40, 5, 3, 0};  // 40: enough for boxes to be widened
    static const abut_scalar types[BODIES] = {ABUT_FLOAT32, ABUT_FLOAT64, ABUT_FLOAT32,
                                              ABUT_FLOAT64};
    for (int i = 0; i < BODIES; ++i) {
        s->fields[i] = make_fields(&random, &s->surface[i], counts[i], i == 0 ? 0.05 : 0.3,
                                   types[i], i != 0);
        s->q[i] = test_alloc(counts[i] + 1, sizeof(double));
    }
}

static void stage_erase(stage* s) {
    for (int i = 0; i < BODIES; ++i) {
        surface_free(&s->surface[i]);
        free_fields(&s->fields[i]);
        free(s->q[i]);
    }
}

static abut_shape_def shape_def_of(const stage* s, int i) {
    abut_shape_def def = modal_def(&s->fields[i]);
    def.motion = i == 3 ? ABUT_MOTION_FREE : ABUT_MOTION_MODAL;
    def.bound = i == 2 ? ABUT_BOUND_SPHERES : ABUT_BOUND_AUTO;
    def.proxy_level = i == 3 ? 0 : (uint32_t)i + 2;
    static const uint32_t block_triangles[BODIES] = {2, 2, 5, 16};
    def.block_triangles = block_triangles[i];  // more blocks in all than a small pool has slots
    if (i == 1) {
        static const double axes[3][3] = {{0.6, 0.8, 0}, {-0.8, 0.6, 0}, {0, 0, 1}};
        memcpy(def.axes, axes, sizeof axes);
    }
    return def;
}

static abut_status shape_of(const stage* s, int i, abut_shape** shape) {
    abut_mesh_def mesh_def = abut_mesh_def_default();
    mesh_def.positions = abut_positions_f64(s->surface[i].xyz, s->surface[i].vertex_count);
    mesh_def.triangles = s->surface[i].triangles;
    mesh_def.triangle_count = s->surface[i].triangle_count;
    abut_mesh* mesh = NULL;
    abut_status status = abut_mesh_create(s->world.context, &mesh_def, &mesh, NULL);
    if (status == ABUT_OK) {
        const abut_shape_def def = shape_def_of(s, i);
        status = abut_shape_create(s->world.context, mesh, &def, shape, NULL);
        abut_mesh_destroy(mesh);
    }
    return status;
}

static void stage_open(stage* s, uint64_t seed, const abut_context_def* context_def,
                       const abut_scene_def* scene_def) {
    stage_write(s, seed);
    s->world = world_make(context_def, scene_def);
    for (int i = 0; i < BODIES; ++i) {
        REQUIRE_OK(shape_of(s, i, &s->shape[i]));
        REQUIRE_OK(abut_body_create(s->world.scene, s->shape[i], NULL, &s->body[i], NULL));
    }
}

static void stage_close(stage* s) {
    for (int i = 0; i < BODIES; ++i) {
        abut_shape_destroy(s->shape[i]);
    }
    world_free(&s->world);
    stage_erase(s);
}

// far, near or not at all; and by very little, as a simulation would
static void next_coordinates(test_random* random, double* q, uint32_t count) {
    const double size = random_chance(random, 0.6) ? 1e-3 : 1;
    const bool all = random_chance(random, 0.7);
    for (uint32_t j = 0; j < count; ++j) {
        if (all || random_chance(random, 0.1)) {
            q[j] = size < 1 ? q[j] + random_double(random, -size, size)
                            : (double)((int)random_below(random, 9) - 4) / 4;
        }
    }
}

static void move(stage* s, test_random* random, int i) {
    if (i == 3) {
        surface now = surface_copy(&s->surface[i]);
        surface_shake(&now, random, 0.125, 0.0625);
        const abut_positions positions = abut_positions_f64(now.xyz, now.vertex_count);
        REQUIRE_OK(abut_body_set_positions(s->world.scene, s->body[i], positions, NULL));
        surface_free(&now);
        return;
    }
    next_coordinates(random, s->q[i], s->fields[i].count);
    set_coordinates(&s->world, s->body[i], s->q[i], s->fields[i].count);
}

static void place(stage* s, test_random* random, int i) {
    abut_frame frame = random_chance(random, 0.3) ? abut_frame_identity()
                                                  : frame_random(random, 0.5);
    if (random_chance(random, 0.3)) {  // a shift alone
        const abut_frame now = abut_body_frame(s->world.scene, s->body[i]);
        memcpy(frame.r, now.r, sizeof frame.r);
    }
    REQUIRE_OK(abut_body_set_frame(s->world.scene, s->body[i], &frame, NULL));
}

// removes a triangle and adds one, or builds anew, or renews, or goes back to the first shape
static void reshape(stage* s, test_random* random, int i) {
    abut_scene* scene = s->world.scene;
    const abut_shape* now = abut_body_shape(scene, s->body[i]);
    const uint32_t kind = (uint32_t)random_below(random, 4);
    if (kind == 0) {
        REQUIRE_OK(abut_body_renew(scene, s->body[i], 1, NULL, NULL));
    } else if (kind == 1) {
        REQUIRE_OK(abut_body_set_shape(scene, s->body[i], s->shape[i], (abut_positions){0}, NULL));
    } else {
        const uint32_t added[3] = {0, 1, (uint32_t)random_below(random, 20)};
        const uint32_t removed = (uint32_t)random_below(random, s->surface[i].triangle_count);
        const abut_mesh* mesh = abut_shape_mesh(now);
        abut_shape_edit_def edit = abut_shape_edit_default();
        edit.removed_triangles = &removed;
        edit.removed_triangle_count = abut_mesh_triangles(mesh)[3 * (size_t)removed] != UINT32_MAX;
        edit.added_triangles = added;
        edit.added_triangle_count = 1;
        edit.rebuild = kind == 2;
        abut_shape* made = NULL;
        REQUIRE_OK(abut_shape_edit(now, &edit, &made, NULL, NULL));
        assert_int_equal(abut_shape_proxy_count(made), abut_shape_proxy_count(now));
        REQUIRE_OK(abut_body_set_shape(scene, s->body[i], made, (abut_positions){0}, NULL));
        abut_shape_destroy(made);
    }
}

static void replace(stage* s, int i) {
    REQUIRE_OK(abut_body_destroy(s->world.scene, s->body[i], NULL));
    REQUIRE_OK(abut_body_create(s->world.scene, s->shape[i], NULL, &s->body[i], NULL));
    memset(s->q[i], 0, s->fields[i].count * sizeof(double));
}

// ---- exact and conservative

// asks until nothing is left, all pieces together being what the oracle says
static void check_pieces(const world* w, abut_query_def def, bool self, const pair_list* wanted) {
    pair_list got = {0};
    abut_status status = ABUT_INCOMPLETE;
    while (status == ABUT_INCOMPLETE) {
        status = self ? abut_self_all(w->scene, &def, w->result)
                      : abut_collide_all(w->scene, &def, w->result);
        pairs_append(&got, w->result);
    }
    REQUIRE_OK(status);
    pairs_sort(&got);
    require_same_pairs(&got, wanted, self ? "self" : "collide");
    pairs_free(&got);
}

static void check_answers(const world* w, test_random* random, abut_front* const front[2]) {
    for (int self = 0; self < 2; ++self) {
        abut_query_def def = abut_query_def_default();
        def.margin = random_chance(random, 0.3) ? 0.03125 : 0;
        const oracle o = {.margin = def.margin};
        pair_list wanted = self != 0 ? oracle_self_all(w->scene, &o)
                                     : oracle_collide_all(w->scene, &o);
        check_pieces(w, def, self != 0, &wanted);
        def.front = front[self];
        def.budget = random_chance(random, 0.4) ? 1 + random_below(random, 900) : 0;
        check_pieces(w, def, self != 0, &wanted);
        pairs_free(&wanted);
    }
}

static void check_spheres(const stage* s, int i) {
    double centre[3];
    double radius;
    REQUIRE_OK(abut_body_sphere(s->world.scene, s->body[i], centre, &radius));
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(s->world.scene, s->body[i]));
    for (uint32_t v = 0; v < abut_mesh_vertex_count(mesh); ++v) {
        double p[3];
        double want[3];
        REQUIRE_OK(abut_body_world_vertex(s->world.scene, s->body[i], v, p));
        double sum = 0;
        for (int d = 0; d < 3; ++d) {
            sum += (p[d] - centre[d]) * (p[d] - centre[d]);
        }
        REQUIRE(sum <= radius * radius * (1 + 1e-15));
        if (i != 3) {
            REQUIRE_OK(abut_body_vertex(s->world.scene, s->body[i], v, p));
            formula(&s->surface[i], &s->fields[i], s->q[i], v, want);
            REQUIRE(p[0] == want[0] && p[1] == want[1] && p[2] == want[2]);
        }
    }
}

// everything that may happen to bodies, under fronts that last
static void test_lives_equal_all_pairs(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(4, 20, 200); ++seed) {
        test_random random = random_seed(seed + 900);
        abut_scene_def scene_def = abut_scene_def_default();
        scene_def.pool_bytes = seed % 4 == 0   ? 0
                               : seed % 4 == 1 ? SMALL_POOL
                                               : scene_def.pool_bytes;
        stage s;
        stage_open(&s, seed, NULL, &scene_def);
        abut_front* front[2];
        REQUIRE_OK(abut_front_create(s.world.context, &front[0], NULL));
        REQUIRE_OK(abut_front_create(s.world.context, &front[1], NULL));
        for (uint32_t step = 0; step < effort(6, 24, 24); ++step) {
            where("seed %llu, step %u", (unsigned long long)seed, step);
            for (int i = 0; i < BODIES; ++i) {
                if (random_chance(&random, 0.8)) {
                    move(&s, &random, i);
                }
                if (random_chance(&random, 0.3)) {
                    place(&s, &random, i);
                }
                if (random_chance(&random, 0.05)) {
                    reshape(&s, &random, i);
                }
                if (random_chance(&random, 0.02)) {
                    replace(&s, i);
                }
            }
            if (random_chance(&random, 0.5)) {
                check_answers(&s.world, &random, front);
            }
            for (int i = 0; i < BODIES && random_chance(&random, 0.5); ++i) {
                world_validate(&s.world, s.body[i]);
                check_spheres(&s, i);
            }
        }
        abut_front_destroy(front[0]);
        abut_front_destroy(front[1]);
        stage_close(&s);
    }
}

// ---- deterministic

typedef struct record {
    uint64_t answers;
    abut_counters counters;
} record;

static void mix(uint64_t* hash, const void* data, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        *hash = (*hash ^ ((const uint8_t*)data)[i]) * UINT64_C(0x100000001b3);
    }
}

static void record_answer(record* r, const abut_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_result_pairs(result, &count);
    const abut_intersection* shared = abut_result_shared(result);
    mix(&r->answers, &count, sizeof count);
    mix(&r->answers, pairs, count * sizeof *pairs);
    for (size_t i = 0; i < count && shared != NULL; ++i) {
        mix(&r->answers, shared[i].point, shared[i].count * sizeof shared[i].point[0]);
    }
}

// one play in a given world, with what all queries found and did
static record play(const abut_context_def* context_def, const abut_scene_def* scene_def,
                   uint64_t seed) {
    test_random random = random_seed(seed + 700);
    record r = {0};
    stage s;
    stage_open(&s, seed, context_def, scene_def);
    abut_front* front = NULL;
    REQUIRE_OK(abut_front_create(s.world.context, &front, NULL));
    abut_query_def def = abut_query_def_default();
    def.counters = &r.counters;
    def.shared = true;
    for (int step = 0; step < 8; ++step) {
        for (int i = 0; i < BODIES; ++i) {
            move(&s, &random, i);
            if (random_chance(&random, 0.3)) {
                place(&s, &random, i);
            }
        }
        def.front = step % 2 == 0 ? front : NULL;
        REQUIRE_OK(abut_collide_all(s.world.scene, &def, s.world.result));
        record_answer(&r, s.world.result);
        def.front = NULL;
        REQUIRE_OK(abut_self_all(s.world.scene, &def, s.world.result));
        record_answer(&r, s.world.result);
        abut_query_def proxies = abut_query_def_default();
        proxies.counters = &r.counters;
        REQUIRE_OK(abut_collide_proxies_all(s.world.scene, &proxies, s.world.result));
        size_t count = 0;
        const abut_proxy_contact* contacts = abut_result_proxies(s.world.result, &count);
        mix(&r.answers, contacts, count * sizeof *contacts);
    }
    abut_front_destroy(front);
    stage_close(&s);
    return r;
}

static void test_same_everywhere(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 5, 40); ++seed) {
        abut_context_def def = abut_context_def_default();
        const record wanted = play(&def, NULL, seed);
        assert_true(wanted.counters.hits > 0);
        assert_true(wanted.counters.nodes_apart + wanted.counters.blocks_apart > 0);
        static const uint32_t workers[] = {2, 5};
        for (int i = 0; i < 2; ++i) {
            where("seed %llu, %u workers", (unsigned long long)seed, workers[i]);
            test_threads* threads = threads_create(workers[i], seed + 1);
            def.tasks = threads_tasks(threads);
            const record got = play(&def, NULL, seed);
            REQUIRE(memcmp(&got, &wanted, sizeof got) == 0);
            threads_destroy(threads);
        }
        for (int i = 0; i < 4; ++i) {
            abut_scene_def scene_def = abut_scene_def_default();
            scene_def.pool_bytes = i % 2 == 0 ? 0 : SMALL_POOL;
            test_threads* threads = threads_create(i / 2 == 0 ? 1 : 5, seed + 2);
            where("seed %llu, a pool of %zu bytes, %d workers", (unsigned long long)seed,
                  scene_def.pool_bytes, i / 2 == 0 ? 1 : 5);
            def.tasks = threads_tasks(threads);
            const record got = play(&def, &scene_def, seed);
            REQUIRE(memcmp(&got, &wanted, sizeof got) == 0);
            threads_destroy(threads);
        }
        def = abut_context_def_default();
        static const abut_isa sets[] = {ABUT_ISA_SCALAR, ABUT_ISA_AVX2, ABUT_ISA_AVX512};
        for (int i = 0; i < 3; ++i) {
            where("seed %llu, %s", (unsigned long long)seed, abut_isa_name(sets[i]));
            def.isa = sets[i];
            abut_context* context = NULL;
            if (abut_context_create(&def, &context, NULL) == ABUT_OK) {
                abut_context_destroy(context);
                const record got = play(&def, NULL, seed);
                REQUIRE(got.answers == wanted.answers);
            }
        }
    }
}

// ---- many readers of bodies that nobody has touched yet

typedef struct reader {
    const stage* stage;
    uint64_t wanted[ASK_KINDS];
    uint32_t first;  // the kind to begin with
    size_t wrong;
} reader;

static uint64_t hash_of(const abut_result* result) {
    size_t count = 0;
    const abut_pair* pairs = abut_result_pairs(result, &count);
    return pairs_hash(pairs, count);
}

// no cmocka in here: it is for one thread
static void* read_stage(void* argument) {
    reader* r = argument;
    abut_result* result = NULL;
    if (abut_result_create(r->stage->world.context, &result, NULL) != ABUT_OK) {
        ++r->wrong;
        return NULL;
    }
    for (uint32_t k = 0; k < ASK_KINDS; ++k) {
        const uint32_t kind = (r->first + k) % ASK_KINDS;
        const abut_status status = ask(r->stage->world.scene, (ask_kind)kind, r->stage->body[0],
                                       r->stage->body[1], NULL, result);
        r->wrong += status != ABUT_OK || hash_of(result) != r->wanted[kind];
        r->wrong += abut_body_validate(r->stage->world.scene, r->stage->body[k], NULL) != ABUT_OK;
    }
    abut_result_destroy(result);
    return NULL;
}

#define READERS 4

static void test_many_first_readers(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 10, 60); ++seed) {
        stage s;
        stage alone;
        stage_open(&s, seed, NULL, NULL);
        stage_open(&alone, seed, NULL, NULL);
        test_random random = random_seed(seed);
        test_random again = random_seed(seed);
        for (int step = 0; step < 4; ++step) {
            where("seed %llu, step %d", (unsigned long long)seed, step);
            reader readers[READERS];
            pthread_t threads[READERS];
            uint64_t wanted[ASK_KINDS];
            for (int i = 0; i < BODIES; ++i) {
                move(&s, &random, i);
                move(&alone, &again, i);
            }
            for (int kind = 0; kind < ASK_KINDS; ++kind) {
                REQUIRE_OK(ask(alone.world.scene, (ask_kind)kind, alone.body[0], alone.body[1],
                               NULL, alone.world.result));
                wanted[kind] = hash_of(alone.world.result);
            }
            for (uint32_t i = 0; i < READERS; ++i) {
                readers[i] = (reader){.stage = &s, .first = i / 2};
                memcpy(readers[i].wanted, wanted, sizeof wanted);
                assert_int_equal(pthread_create(&threads[i], NULL, read_stage, &readers[i]), 0);
            }
            for (uint32_t i = 0; i < READERS; ++i) {
                assert_int_equal(pthread_join(threads[i], NULL), 0);
                REQUIRE(readers[i].wrong == 0);
            }
        }
        stage_close(&s);
        stage_close(&alone);
    }
}

// ---- memory

static void test_quiet_after_warm_up(void** state) {
    (void)state;
    test_memory memory;
    memory_init(&memory);
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(&memory);
    stage s;
    stage_open(&s, 5, &def, NULL);
    for (int round = 0; round < 4; ++round) {
        test_random random = random_seed(6);
        for (int i = 0; i < BODIES; ++i) {
            const abut_frame frame = abut_frame_identity();
            memset(s.q[i], 0, s.fields[i].count * sizeof(double));
            REQUIRE_OK(abut_body_set_frame(s.world.scene, s.body[i], &frame, NULL));
        }
        const size_t before = memory.calls;
        for (int step = 0; step < 12; ++step) {
            for (int i = 0; i < BODIES; ++i) {
                move(&s, &random, i);
                place(&s, &random, i);
            }
            REQUIRE_OK(abut_collide_all(s.world.scene, NULL, s.world.result));
            REQUIRE_OK(abut_self_all(s.world.scene, NULL, s.world.result));
            REQUIRE_OK(abut_collide_proxies_all(s.world.scene, NULL, s.world.result));
        }
        where("round %d", round);
        REQUIRE(round < 2 || memory.calls == before);  // two states of a body take turns
    }
    stage_close(&s);
    assert_true(memory_clean(&memory));
    memory_destroy(&memory);
}

// Thousands of bodies share one shape: what each adds, while nothing comes near it, is its state
// (a frame and its coordinates, those before included: sweeps need them) and little more.
static void test_untouched_bodies_are_small(void** state) {
    (void)state;
    enum { INSTANCES = 1000, MORE = 256, FRAME = 96 };
    static const uint32_t counts[] = {0, 3, 10, 40};
    test_random random = random_seed(31);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c) {
        const uint32_t fields = counts[c];
        test_memory memory;
        memory_init(&memory);
        abut_context_def def = abut_context_def_default();
        def.allocator = memory_allocator(&memory);
        world w = world_make(&def, NULL);
        surface s = surface_ball(6, 9, 1);
        field_set f = make_fields(&random, &s, fields, 0.1, ABUT_FLOAT32, false);
        const abut_shape_def shape_def = modal_def(&f);
        abut_shape* shape = world_shape(&w, &s, &shape_def);
        double q[40] = {0};
        abut_body_id body[INSTANCES];
        const size_t before = memory.live_bytes;
        for (uint32_t i = 0; i < INSTANCES; ++i) {
            abut_body_def body_def = abut_body_def_default();
            body_def.frame.t[0] = 50.0 * i;
            REQUIRE_OK(abut_body_create(w.scene, shape, &body_def, &body[i], NULL));
        }
        assert_true(memory.live_bytes - before <= INSTANCES * (FRAME + 8 * fields + MORE));
        for (uint32_t i = 0; i < 2 * INSTANCES; ++i) {
            random_coordinates(&random, q, fields, 1);
            set_coordinates(&w, body[i % INSTANCES], q, fields);
        }
        print_message("%u fields: %.1f bytes a body\n", fields,
                      (double)(memory.live_bytes - before) / INSTANCES);
        assert_true(memory.live_bytes - before <= INSTANCES * (FRAME + 16 * fields + MORE));
        const size_t settled = memory.live_bytes;
        REQUIRE_OK(abut_collide_all(w.scene, NULL, w.result));
        abut_result_destroy(w.result);  // what the query needed is the result's
        w.result = NULL;
        assert_true(memory.live_bytes <= settled);
        abut_shape_destroy(shape);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
        assert_true(memory_clean(&memory));
        memory_destroy(&memory);
    }
}

// Queries that lack memory say so or do without; either way the next ones are right.
static bool ask_for(const stage* s, int kind, const uint64_t* wanted) {
    const abut_status status = ask(s->world.scene, (ask_kind)kind, s->body[0], s->body[1], NULL,
                                   s->world.result);
    REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
    REQUIRE(status != ABUT_OK || wanted == NULL || hash_of(s->world.result) == wanted[kind]);
    return status == ABUT_OK;
}

// A state or shape that could not be set leaves the last ones.
static void check_state_stays(stage* s) {
    static double other[64];
    abut_scene* scene = s->world.scene;
    for (int i = 0; i < BODIES - 1; ++i) {
        const abut_shape* shape = abut_body_shape(scene, s->body[i]);
        double before[3];
        double after[3];
        REQUIRE_OK(abut_body_vertex(scene, s->body[i], 1, before));
        abut_status status = abut_body_renew(scene, s->body[i], 1, NULL, NULL);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        REQUIRE(status == ABUT_OK || abut_body_shape(scene, s->body[i]) == shape);
        status = abut_body_set_shape(scene, s->body[i], s->shape[i], (abut_positions){0}, NULL);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        REQUIRE_OK(abut_body_vertex(scene, s->body[i], 1, after));
        REQUIRE(memcmp(before, after, sizeof before) == 0);
        other[0] = 1;
        status = abut_body_set_coordinates(scene, s->body[i], other, s->fields[i].count, NULL);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        REQUIRE_OK(abut_body_vertex(scene, s->body[i], 1, after));
        REQUIRE(status == ABUT_OK || memcmp(before, after, sizeof before) == 0);
    }
}

// everything from the first shape to the last query, with the allocation that is to fail; returns
// whether there were so many
static bool live_short_of_memory(uint64_t seed, size_t fail_call, bool onwards,
                                 const uint64_t* wanted) {
    test_memory memory;
    memory_init(&memory);
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(&memory);
    stage s;
    stage_write(&s, seed);
    s.world = world_make(&def, NULL);
    memory_fail(&memory, fail_call, onwards);
    int made = 0;
    for (; made < BODIES; ++made) {
        abut_status status = shape_of(&s, made, &s.shape[made]);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        if (status != ABUT_OK ||
            abut_body_create(s.world.scene, s.shape[made], NULL, &s.body[made], NULL) != ABUT_OK) {
            break;
        }
    }
    if (made == BODIES) {
        for (int kind = 0; kind < ASK_KINDS; ++kind) {
            (void)ask_for(&s, kind, wanted);
        }
        const abut_status status = abut_collide_proxies_all(s.world.scene, NULL, s.world.result);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        check_state_stays(&s);
        const bool enough = memory.refused == 0;
        memory_fail(&memory, 0, false);
        for (int i = 0; i < BODIES - 1; ++i) {
            memset(s.q[i], 0, s.fields[i].count * sizeof(double));
            set_coordinates(&s.world, s.body[i], s.q[i], s.fields[i].count);
            world_validate(&s.world, s.body[i]);
        }
        for (int kind = 0; kind < ASK_KINDS; ++kind) {
            REQUIRE(ask_for(&s, kind, wanted));
        }
        if (enough) {
            fail_call = SIZE_MAX;
        }
    }
    stage_close(&s);
    REQUIRE(memory_clean(&memory));
    memory_destroy(&memory);
    return fail_call != SIZE_MAX;
}

static void test_every_failure(void** state) {
    (void)state;
    stage s;
    stage_open(&s, 3, NULL, NULL);
    uint64_t wanted[ASK_KINDS];
    for (int kind = 0; kind < ASK_KINDS; ++kind) {
        REQUIRE(ask_for(&s, kind, NULL));
        wanted[kind] = hash_of(s.world.result);
    }
    stage_close(&s);
    const size_t step = effort(97, 3, 1);
    for (int onwards = 0; onwards < 2; ++onwards) {
        for (size_t call = 1 + (size_t)onwards;; call += step) {
            where("allocation %zu fails%s", call, onwards != 0 ? ", and all after it" : "");
            if (!live_short_of_memory(3, call, onwards != 0, wanted)) {
                break;
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives_equal_all_pairs),
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_many_first_readers),
        cmocka_unit_test(test_quiet_after_warm_up),
        cmocka_unit_test(test_every_failure),
        cmocka_unit_test(test_untouched_bodies_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
