// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trees that are built when a call first needs them. Nearest queries by Voronoi diagrams never do.
// Answers are the same whenever the tree is built, whichever call builds it, and whichever of
// several threads does. A call that lacks the memory for it says so, and the next one works.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/scene.h"
#include "support/memory.h"
#include "support/motions.h"
#include "support/queries.h"
#include "support/scenery.h"
#include "support/threads.h"

#define MIX(hash, value) hash_bytes((hash), &(value), sizeof(value))

static const motion_row* const rows[] = {&motion_free, &motion_modal, &motion_blend,
                                         &motion_flight};
enum { ROWS = sizeof rows / sizeof *rows };

// ---- two bodies that overlap

typedef struct stage {
    world w;
    mover m[2];
    abut_shape* shape[2];
    abut_body_id body[2];
    tools t;
    bool lacks_memory;  // what is left out for lack of memory shows in counters
    abut_depth_result* depths;
} stage;

static bool has_tree(const stage* s, int i) {
    return abut__shape_has_tree(s->shape[i]);
}

static bool has_bounds(const stage* s, int i) {
    return abut__body_has_bounds(abut__scene_body(s->w.scene, s->body[i]));
}

static bool is_bare(const stage* s) {
    return !has_tree(s, 0) && !has_tree(s, 1) && !has_bounds(s, 0) && !has_bounds(s, 1);
}

// draws another state of both bodies and sets it
static void move(stage* s, test_random* random) {
    for (int i = 0; i < 2; ++i) {
        mover_draw(&s->m[i], random, STATE_ORDINARY);
        REQUIRE_OK(mover_set(&s->m[i], s->w.scene, s->body[i]));
    }
}

// Bodies that are turned have other boxes.
static abut_body_def body_def_of(uint32_t variant, test_random* random) {
    abut_body_def def = abut_body_def_default();
    if (variant % 2 == 1) {
        def.frame = frame_random(random, 0.25);
    }
    return def;
}

// `early`: builds the trees before the bodies are made
static void stage_open(stage* s, const motion_row* row, uint32_t variant, bool early,
                       const abut_context_def* context_def) {
    test_random random = random_seed(variant + 11);
    memset(s, 0, sizeof *s);
    s->w = world_make(context_def, NULL);
    REQUIRE(tools_make(&s->t, s->w.context));
    REQUIRE_OK(abut_depth_result_create(s->w.context, &s->depths, NULL));
    for (int i = 0; i < 2; ++i) {
        surface ball = surface_ball(9, 10, 1);
        surface_shake(&ball, &random, 0x1p-6, 0x1p-10);
        surface_shift(&ball, 0.75 * i, 0, 0);
        // other flights have plans, which leave sweeps without a previous state
        s->m[i] = mover_make(row, row == &motion_flight ? 0 : variant % row->variants, ball,
                             &random);
        motion_def def = mover_def(&s->m[i]);
        def.proxy_level = 0;
        def.late_tree = true;
        def.block_triangles = 8;
        s->shape[i] = world_shape(&s->w, &s->m[i].surface, &def);
        if (early) {
            REQUIRE_OK(abut_shape_build_tree(s->shape[i], NULL));
            REQUIRE(has_tree(s, i));
        }
        const abut_body_def body_def = body_def_of(variant, &random);
        REQUIRE_OK(abut_body_create(s->w.scene, s->shape[i], &body_def, &s->body[i], NULL));
    }
    move(s, &random);
    move(s, &random);
}

static void stage_close(stage* s) {
    abut_depth_result_destroy(s->depths);
    tools_free(&s->t);
    for (int i = 0; i < 2; ++i) {
        abut_shape_destroy(s->shape[i]);
    }
    world_free(&s->w);
    for (int i = 0; i < 2; ++i) {
        mover_free(&s->m[i]);
    }
}

// ---- calls, each with a hash of its answer; they use no cmocka, so that threads may call them

typedef abut_status call_fn(const stage* s, const tools* t, uint64_t* hash, abut_error* error);

static void mix_pairs(const abut_collide_result* result, uint64_t* hash) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(result, &count);
    *hash += pairs_hash(pairs, count);
    MIX(hash, count);
}

static void mix_distances(const abut_distance_pair* pairs, size_t count, uint64_t* hash) {
    MIX(hash, count);
    hash_bytes(hash, pairs, count * sizeof *pairs);
}

static void mix_swept(const abut_sweep_result* result, uint64_t* hash) {
    size_t count = 0;
    const abut_sweep_pair* swept = abut_sweep_result_pairs(result, &count);
    MIX(hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(hash, swept[i].triangle_a);
        MIX(hash, swept[i].triangle_b);
        MIX(hash, swept[i].time);
    }
}

static abut_status call_collide(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    abut_collide_def def = abut_collide_def_default();
    abut_counters counters = {0};
    def.head.counters = &counters;
    const abut_status status = abut_collide(s->w.scene, s->body[0], s->body[1], &def, t->result,
                                            error);
    mix_pairs(t->result, hash);
    counters = s->lacks_memory ? (abut_counters){0} : counters;
    MIX(hash, counters);
    return status;
}

static abut_status call_collide_all(const stage* s, const tools* t, uint64_t* hash,
                                    abut_error* error) {
    const abut_status status = abut_collide_all(s->w.scene, NULL, t->result, error);
    mix_pairs(t->result, hash);
    return status;
}

static abut_status call_self(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    const abut_status status = abut_collide_self(s->w.scene, s->body[1], NULL, t->result, error);
    mix_pairs(t->result, hash);
    return status;
}

static abut_status call_self_all(const stage* s, const tools* t, uint64_t* hash,
                                 abut_error* error) {
    const abut_status status = abut_collide_self_all(s->w.scene, NULL, t->result, error);
    mix_pairs(t->result, hash);
    return status;
}

static abut_status call_collide_voronoi(const stage* s, const tools* t, uint64_t* hash,
                                        abut_error* error) {
    abut_collide_def def = abut_collide_def_default();
    def.culling.kind = ABUT_CULLING_VORONOI;
    abut_status status = abut_collide_all(s->w.scene, &def, t->result, error);
    mix_pairs(t->result, hash);
    if (status == ABUT_OK) {
        status = abut_collide_self_all(s->w.scene, &def, t->result, error);
        mix_pairs(t->result, hash);
    }
    return status;
}

static abut_status call_sweep(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    const abut_status status = abut_sweep(s->w.scene, s->body[0], s->body[1], NULL, t->swept,
                                          error);
    mix_swept(t->swept, hash);
    return status;
}

static abut_status call_sweep_all(const stage* s, const tools* t, uint64_t* hash,
                                  abut_error* error) {
    abut_status status = abut_sweep_all(s->w.scene, NULL, t->swept, error);
    mix_swept(t->swept, hash);
    if (status == ABUT_OK) {
        status = abut_sweep_self_all(s->w.scene, NULL, t->swept, error);
        mix_swept(t->swept, hash);
    }
    return status;
}

static abut_status nearest_by(abut_culling_kind kind, const stage* s, const tools* t,
                              uint64_t* hash, abut_error* error) {
    const abut_scene* bodies = s->w.scene;
    abut_nearest_def def = abut_nearest_def_default();
    abut_counters counters = {0};  // needs blocks of trees, if there are any
    def.head.counters = &counters;
    def.culling.kind = kind;
    abut_status status = ABUT_OK;
    for (int q = 0; q < 4 && status == ABUT_OK; ++q) {
        abut_nearest_result_clear(t->nearest);
        status = q == 0   ? abut_nearest(bodies, s->body[0], s->body[1], &def, t->nearest, error)
                 : q == 1 ? abut_nearest_all(bodies, &def, t->nearest, error)
                 : q == 2 ? abut_nearest_triangles(bodies, s->body[0], &def, t->nearest, error)
                          : abut_nearest_self(bodies, s->body[1], &def, t->nearest, error);
        size_t count = 0;
        const abut_distance_pair* pairs = abut_nearest_result_pairs(t->nearest, &count);
        mix_distances(pairs, count, hash);
    }
    return status;
}

static abut_status call_nearest(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    return nearest_by(ABUT_CULLING_TREE, s, t, hash, error);
}

static abut_status call_nearest_voronoi(const stage* s, const tools* t, uint64_t* hash,
                                        abut_error* error) {
    return nearest_by(ABUT_CULLING_VORONOI, s, t, hash, error);
}

static abut_status call_nearest_triangles(const stage* s, const tools* t, uint64_t* hash,
                                          abut_error* error) {
    const abut_status status = abut_nearest_triangles(s->w.scene, s->body[1], NULL, t->nearest,
                                                      error);
    size_t count = 0;
    const abut_distance_pair* pairs = abut_nearest_result_pairs(t->nearest, &count);
    mix_distances(pairs, count, hash);
    return status;
}

static abut_status call_within(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    abut_within_def def = abut_within_def_default();
    def.distance = 0.05;
    const abut_status status = abut_within_all(s->w.scene, &def, t->within, error);
    size_t count = 0;
    const abut_distance_pair* pairs = abut_within_result_pairs(t->within, &count);
    mix_distances(pairs, count, hash);
    return status;
}

static abut_status call_features(const stage* s, const tools* t, uint64_t* hash,
                                 abut_error* error) {
    abut_features_def def = abut_features_def_default();
    def.distance = 0.05;
    const abut_status status = abut_features_all(s->w.scene, &def, t->features, error);
    size_t count = 0;
    const abut_feature_pair* pairs = abut_features_result_pairs(t->features, &count);
    hash_bytes(hash, pairs, count * sizeof *pairs);
    return status;
}

static abut_status call_contains(const stage* s, const tools* t, uint64_t* hash,
                                 abut_error* error) {
    const abut_status status = abut_contains_body(s->w.scene, s->body[0], s->body[1], NULL,
                                                  t->sides, error);
    size_t count = 0;
    const abut_side* sides = abut_contains_result_sides(t->sides, &count);
    hash_bytes(hash, sides, count * sizeof *sides);
    return status;
}

static abut_status call_depth(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    (void)t;
    abut_depth_result_clear(s->depths);
    const abut_status status = abut_depth(s->w.scene, s->body[0], s->body[1], NULL, s->depths,
                                          error);
    size_t count = 0;
    const abut_region* regions = abut_depth_result_regions(s->depths, &count);
    MIX(hash, count);
    for (size_t i = 0; i < count; ++i) {
        MIX(hash, regions[i].kind);
        MIX(hash, regions[i].depth);
        MIX(hash, regions[i].direction);
    }
    return status;
}

static abut_status call_box(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    (void)t;
    abut_box box = {{0}, {0}};
    const abut_status status = abut_body_box(s->w.scene, s->body[0], &box, error);
    MIX(hash, box);
    return status;
}

static abut_status call_sphere(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    (void)t;
    double centre[3] = {0, 0, 0};
    double radius = 0;
    const abut_status status = abut_body_sphere(s->w.scene, s->body[0], centre, &radius, error);
    MIX(hash, centre);
    MIX(hash, radius);
    return status;
}

static abut_status call_level_boxes(const stage* s, const tools* t, uint64_t* hash,
                                    abut_error* error) {
    (void)t;
    abut_box boxes[64];
    size_t count = 0;
    const abut_status status = abut_body_level_boxes(s->w.scene, s->body[0], 2, boxes, 64, &count,
                                                     error);
    MIX(hash, count);
    hash_bytes(hash, boxes, (count < 64 ? count : 64) * sizeof *boxes);
    return status;
}

static abut_status call_inspect(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    (void)t;
    abut_tree_info info = {0};
    const abut_status status = abut_body_inspect(s->w.scene, s->body[0], &info, error);
    MIX(hash, info.nodes);
    MIX(hash, info.sah_cost);
    return status;
}

static abut_status call_validate(const stage* s, const tools* t, uint64_t* hash,
                                 abut_error* error) {
    (void)t;
    const abut_status status = abut_body_validate(s->w.scene, s->body[0], error);
    MIX(hash, status);
    return status;
}

static abut_status call_degradation(const stage* s, const tools* t, uint64_t* hash,
                                    abut_error* error) {
    (void)t;
    double degradation = 0;
    const abut_status status = abut_body_tree_degradation(s->w.scene, s->body[0], &degradation,
                                                          error);
    MIX(hash, degradation);
    return status;
}

static abut_status call_shape_inspect(const stage* s, const tools* t, uint64_t* hash,
                                      abut_error* error) {
    (void)t;
    abut_tree_info info = {0};
    const abut_status status = abut_shape_inspect(s->shape[0], &info, error);
    MIX(hash, info.blocks);
    MIX(hash, info.overlap);
    return status;
}

static abut_status call_shape_validate(const stage* s, const tools* t, uint64_t* hash,
                                       abut_error* error) {
    (void)t;
    const abut_status status = abut_shape_validate(s->shape[0], error);
    MIX(hash, status);
    return status;
}

static abut_status call_shape_edit(const stage* s, const tools* t, uint64_t* hash,
                                   abut_error* error) {
    (void)t;
    const uint32_t removed[2] = {3, 40};
    abut_shape_edit_def def = abut_shape_edit_def_default();
    abut_shape* edited = NULL;
    abut_edit_work work = {0};
    def.removed_triangles = removed;
    def.removed_triangle_count = 2;
    const abut_status status = abut_shape_edit(s->shape[0], &def, &edited, &work, error);
    MIX(hash, work.blocks_reused);
    MIX(hash, work.blocks_built);
    abut_shape_destroy(edited);
    return status;
}

static abut_status call_build(const stage* s, const tools* t, uint64_t* hash, abut_error* error) {
    (void)t;
    const abut_status status = abut_shape_build_tree(s->shape[0], error);
    MIX(hash, status);
    return status;
}

// `tree`: whether the call needs a tree
static const struct {
    const char* name;
    call_fn* call;
    bool tree;
} calls[] = {
    {"nearest by diagram", call_nearest_voronoi, false},
    {"collide", call_collide, true},
    {"collide all", call_collide_all, true},
    {"self", call_self, true},
    {"self all", call_self_all, true},
    {"collide by diagram", call_collide_voronoi, true},
    {"sweep", call_sweep, true},
    {"sweep all", call_sweep_all, true},
    {"nearest", call_nearest, true},
    {"nearest triangles", call_nearest_triangles, true},
    {"within", call_within, true},
    {"features", call_features, true},
    {"contains", call_contains, true},
    {"depth", call_depth, true},
    {"box", call_box, true},
    {"sphere", call_sphere, true},
    {"level boxes", call_level_boxes, true},
    {"inspect", call_inspect, true},
    {"validate", call_validate, true},
    {"degradation", call_degradation, true},
    {"inspect the shape", call_shape_inspect, true},
    {"validate the shape", call_shape_validate, true},
    {"edit the shape", call_shape_edit, true},
    {"build the tree", call_build, true},
};
enum { CALLS = sizeof calls / sizeof *calls };

static uint64_t answer_of(const stage* s, size_t c) {
    uint64_t hash = 1;
    abut_error error = {0};
    require_status(calls[c].call(s, &s->t, &hash, &error), ABUT_OK, calls[c].name, __FILE__,
                   __LINE__);
    return hash;
}

// ---- tests

// the answers of all calls with trees that were there from the start
static void early_answers(const motion_row* row, uint32_t variant, uint64_t wanted[CALLS]) {
    stage s;
    where("%s, variant %u, with trees", row->name, variant);
    stage_open(&s, row, variant, true, NULL);
    for (size_t c = 0; c < CALLS; ++c) {
        wanted[c] = answer_of(&s, c);
    }
    stage_close(&s);
}

static void check_first(const motion_row* row, uint32_t variant, size_t c, const uint64_t* wanted) {
    const size_t next = (7 * c + variant) % CALLS;
    stage s;
    where("%s, variant %u, first %s, then %s", row->name, variant, calls[c].name, calls[next].name);
    stage_open(&s, row, variant, false, NULL);
    REQUIRE(is_bare(&s));
    REQUIRE(answer_of(&s, 0) == wanted[0]);
    REQUIRE(is_bare(&s));
    REQUIRE(answer_of(&s, c) == wanted[c]);
    REQUIRE((has_tree(&s, 0) || has_tree(&s, 1)) == calls[c].tree);
    REQUIRE(answer_of(&s, next) == wanted[next]);
    stage_close(&s);
}

// Each call gives the same answer if it is the first that needs a tree, and so does each after it.
static void test_any_call_may_be_the_first(void** state) {
    (void)state;
    const uint32_t share = effort(3, 1, 1);  // one call in so many
    for (size_t r = 0; r < ROWS; ++r) {
        for (uint32_t variant = 0; variant < effort(2, 5, 10); ++variant) {
            uint64_t wanted[CALLS];
            early_answers(rows[r], variant, wanted);
            for (size_t c = (variant + r) % share; c < CALLS; c += share) {
                check_first(rows[r], variant, c, wanted);
            }
        }
    }
}

// States before and after the first tree give the same answers as if it had always been there.
static void test_states_before_and_after(void** state) {
    (void)state;
    static const size_t asked[] = {0, 2, 3, 6, 8, 17};  // the last validates boxes
    for (size_t r = 0; r < ROWS; ++r) {
        for (uint32_t first = 0; first < 4; first += effort(2, 1, 1)) {
            stage s[2];
            test_random random[2] = {random_seed(first + 5), random_seed(first + 5)};
            for (int i = 0; i < 2; ++i) {
                stage_open(&s[i], rows[r], first, i == 1, NULL);
            }
            for (uint32_t step = 0; step < 5; ++step) {
                where("%s, first tree in step %u, step %u", rows[r]->name, first, step);
                for (int i = 0; i < 2; ++i) {
                    move(&s[i], &random[i]);
                }
                for (size_t a = 0; a < (step < first ? 1 : sizeof asked / sizeof *asked); ++a) {
                    REQUIRE(answer_of(&s[0], asked[a]) == answer_of(&s[1], asked[a]));
                }
                REQUIRE(is_bare(&s[0]) == (step < first));
            }
            stage_close(&s[0]);
            stage_close(&s[1]);
        }
    }
}

// A body without boxes may switch to a shape with or without a tree, and one with boxes to a shape
// without a tree.
static void test_shapes_are_switched(void** state) {
    (void)state;
    for (size_t r = 0; r < ROWS; ++r) {
        uint64_t wanted = 0;
        for (uint32_t which = 0; which < 4; ++which) {
            const bool bounds = (which & 1) != 0;
            const bool tree = (which & 2) != 0;
            stage s;
            where("%s, %s boxes, %s a tree", rows[r]->name, bounds ? "with" : "without",
                  tree ? "with" : "without");
            stage_open(&s, rows[r], 0, false, NULL);
            motion_def def = mover_def(&s.m[0]);
            def.proxy_level = 0;
            def.late_tree = true;
            def.block_triangles = 5;
            abut_shape* other = world_shape(&s.w, &s.m[0].surface, &def);
            if (bounds) {
                (void)answer_of(&s, 1);
            }
            if (tree) {
                REQUIRE_OK(abut_shape_build_tree(other, NULL));
            }
            REQUIRE_OK(abut_body_set_shape(s.w.scene, s.body[0], other, (abut_positions){0}, NULL));
            REQUIRE(abut__shape_has_tree(other) == (bounds || tree));
            REQUIRE(has_bounds(&s, 0) == bounds);
            uint64_t got = answer_of(&s, 0);
            got += answer_of(&s, 2) + answer_of(&s, 8) + answer_of(&s, 17);
            wanted = which == 0 ? got : wanted;
            REQUIRE(got == wanted);
            abut_shape_destroy(other);
            stage_close(&s);
        }
    }
}

// makes, moves or removes a body as in a frame
static void follow(const world* w, const scene* from, uint32_t b, uint32_t frame,
                   abut_body_id* id) {
    const bool is_there = abut_body_is_valid(w->scene, *id);
    if (!scene_present(from, b, frame)) {
        REQUIRE(!is_there || abut_body_destroy(w->scene, *id, NULL) == ABUT_OK);
        return;
    }
    surface now = scenery_surface(from, b, frame);
    if (is_there) {
        const abut_positions positions = abut_positions_f64(now.xyz, now.vertex_count);
        REQUIRE_OK(abut_body_set_positions(w->scene, *id, positions, NULL));
    } else {
        abut_shape* shape = world_shape(w, &now, NULL);
        REQUIRE_OK(abut_body_create(w->scene, shape, NULL, id, NULL));
        abut_shape_destroy(shape);
    }
    surface_free(&now);
}

// Bodies that break, move and vanish, with memory counted: there are no trees, and less memory is
// needed than with them.
static size_t bytes_of_scene(const scene* from, bool early) {
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    const uint32_t bodies = scene_body_count(from);
    abut_body_id* ids = calloc(bodies, sizeof *ids);
    assert_non_null(ids);
    world w = world_make(&def, NULL);
    abut_nearest_result* nearest;
    REQUIRE_OK(abut_nearest_result_create(w.context, &nearest, NULL));
    abut_nearest_def nearest_def = abut_nearest_def_default();
    nearest_def.culling.kind = ABUT_CULLING_VORONOI;
    uint32_t seen = 0;
    size_t bytes = 0;
    for (uint32_t frame = 0; frame < scene_frame_count(from); ++frame) {
        for (uint32_t b = 0; b < bodies; ++b) {
            follow(&w, from, b, frame, &ids[b]);
        }
        REQUIRE_OK(abut_nearest_all(w.scene, &nearest_def, nearest, NULL));
        for (uint32_t b = 0; b < bodies; ++b) {
            const abut__body* body = abut__scene_body(w.scene, ids[b]);
            if (body != NULL && early) {
                REQUIRE(abut__body_ready(body));
            }
            REQUIRE(body == NULL || early || !abut__shape_has_tree(body->shape));
            seen += body != NULL ? 1 : 0;
        }
        bytes = memory.live_bytes;
    }
    REQUIRE(seen > bodies);
    abut_nearest_result_destroy(nearest);
    world_free(&w);
    memory_require_clean(&memory);
    free(ids);
    return bytes;
}

static void test_diagrams_build_no_tree(void** state) {
    (void)state;
    static const char* const names[] = {"breaking", "letters", "skirt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        scene* from = scene_create(names[i], 1500, 6, 1);
        assert_non_null(from);
        where("%s", names[i]);
        const size_t late = bytes_of_scene(from, false);
        const size_t early = bytes_of_scene(from, true);
        where("%s: %zu bytes, with trees %zu", names[i], late, early);
        print_message("%s\n", where_text());
        REQUIRE(late < early);
        scene_destroy(from);
    }
}

// A new shape is created with a number of allocations, and of bytes, that a tree would exceed.
static void test_creation_is_cheap(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    surface s = surface_ball(60, 60, 1);
    abut_mesh* mesh = world_mesh(&w, &s);
    abut_shape* shape;
    const size_t before = memory.calls;
    const size_t bytes = memory.live_bytes;
    REQUIRE_OK(abut_shape_create(w.context, mesh, NULL, &shape, NULL));
    REQUIRE(memory.calls == before + 1 && memory.live_bytes < bytes + 1024);
    REQUIRE_OK(abut_shape_build_tree(shape, NULL));
    REQUIRE(memory.live_bytes > bytes + 100 * s.triangle_count / 8);
    const size_t built = memory.calls;
    REQUIRE_OK(abut_shape_build_tree(shape, NULL));
    REQUIRE(memory.calls == built);
    REQUIRE_STATUS(abut_shape_build_tree(NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    abut_shape_destroy(shape);
    abut_mesh_destroy(mesh);
    surface_free(&s);
    world_free(&w);
    memory_require_clean(&memory);
}

// Makes allocations of a first call fail: one, or all from one on. Either the call fails, says so and
// works the next time, or it succeeds without the memory.
static bool refuse_at(const motion_row* row, size_t c, size_t at, bool onwards, uint64_t wanted) {
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    stage s;
    stage_open(&s, row, 1, false, &def);
    s.lacks_memory = true;
    memory_fail(&memory, at, onwards);
    uint64_t hash = 1;
    abut_error error = {0};
    const abut_status status = calls[c].call(&s, &s.t, &hash, &error);
    const bool refused = memory.refused > 0;
    memory_fail(&memory, 0, false);
    REQUIRE(status == ABUT_OK || (status == ABUT_ERR_NO_MEMORY && refused));
    REQUIRE(status == ABUT_OK || (error.status == ABUT_ERR_NO_MEMORY && error.message[0] != '\0'));
    REQUIRE(status != ABUT_OK || hash == wanted);
    for (int i = 0; i < 2; ++i) {
        mover_check(&s.m[i], s.w.scene, s.body[i]);
    }
    REQUIRE(answer_of(&s, c) == wanted);
    REQUIRE(answer_of(&s, 17) != 0);  // boxes hold all vertices
    stage_close(&s);
    memory_require_clean(&memory);
    return refused;
}

// refuses the first allocations one by one, then some of the rest
static void refuse_in_turn(const motion_row* row, size_t c) {
    stage s;
    where("%s", row->name);
    stage_open(&s, row, 1, false, NULL);
    s.lacks_memory = true;
    const uint64_t wanted = answer_of(&s, c);
    stage_close(&s);
    size_t refusals = 0;
    bool more = true;
    for (size_t at = 1; more; at += at < effort(2, 10, 60) ? 1 : effort(4, 1, 1) * at) {
        where("%s, %s, allocation %zu", row->name, calls[c].name, at);
        more = refuse_at(row, c, at, false, wanted);
        more = refuse_at(row, c, at, true, wanted) || more;
        refusals += more ? 1 : 0;
    }
    REQUIRE(refusals > 1 || !calls[c].tree);
}

static void test_refused_memory_at_the_first_call(void** state) {
    (void)state;
    const size_t share = effort(6, 2, 1);  // one call in so many
    for (size_t r = 0; r < ROWS; ++r) {
        for (size_t c = r % share; c < CALLS; c += share) {
            refuse_in_turn(rows[r], c);
        }
    }
}

// Plans of a flight body need its tree. Without memory for it they are refused, and the body stays as
// it was.
static void test_plans_build_the_tree(void** state) {
    (void)state;
    size_t refusals = 0;
    for (size_t at = 1; at < 4000; at *= 2) {
        test_memory memory;
        abut_context_def def = memory_context_def(&memory);
        stage s;
        where("allocation %zu", at);
        stage_open(&s, &motion_flight, 0, false, &def);
        const uint32_t count = s.m[0].surface.vertex_count;
        double(*u)[3] = test_alloc(count, sizeof *u);
        for (uint32_t v = 0; v < count; ++v) {
            u[v][0] = u[v][1] = u[v][2] = 0.25;
        }
        abut_plans_def plans = abut_plans_def_default();
        plans.time = s.m[0].flight.time;
        plans.velocities = abut_positions_f64(u[0], count);
        REQUIRE(is_bare(&s));
        memory_fail(&memory, at, true);
        const abut_status status = abut_body_set_plans(s.w.scene, s.body[0], &plans, NULL);
        REQUIRE(status == ABUT_OK || (status == ABUT_ERR_NO_MEMORY && memory.refused > 0));
        refusals += status == ABUT_ERR_NO_MEMORY ? 1 : 0;
        memory_fail(&memory, 0, false);
        if (status != ABUT_OK) {
            mover_check(&s.m[0], s.w.scene, s.body[0]);
            REQUIRE_OK(abut_body_set_plans(s.w.scene, s.body[0], &plans, NULL));
        }
        REQUIRE(has_tree(&s, 0) && has_bounds(&s, 0) && !has_bounds(&s, 1));
        REQUIRE_OK(abut_body_set_time(s.w.scene, s.body[0], plans.time + 1, NULL));
        (void)answer_of(&s, 17);
        free(u);
        stage_close(&s);
        memory_require_clean(&memory);
    }
    REQUIRE(refusals > 2);
}

// ---- threads

typedef struct racer {
    pthread_t thread;
    pthread_mutex_t* gate;  // closed until all threads are there
    const stage* s;
    abut_scene* own;  // NULL, or another scene
    tools t;
    size_t first;
    uint64_t hash[CALLS];
    bool failed;
} racer;

static bool keeps_result_elsewhere(size_t c) {
    return calls[c].call == call_depth;
}

static void pass(pthread_mutex_t* gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
}

static void* race(void* argument) {
    racer* r = argument;
    pass(r->gate);
    for (size_t i = 0; i < CALLS; ++i) {
        const size_t c = (r->first + i) % CALLS;
        r->hash[c] = 1;
        if (!keeps_result_elsewhere(c)) {
            r->failed |= calls[c].call(r->s, &r->t, &r->hash[c], NULL) != ABUT_OK;
        }
    }
    return NULL;
}

// creates, moves and removes bodies of shapes whose trees other threads build
static void* live(void* argument) {
    racer* r = argument;
    pass(r->gate);
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 2; ++i) {
            abut_body_id body;
            mover m = r->s->m[i];  // a state is only read
            r->failed |= abut_body_create(r->own, r->s->shape[i], NULL, &body, NULL) != ABUT_OK;
            r->failed |= mover_set(&m, r->own, body) != ABUT_OK;
            r->failed |= mover_set(&m, r->own, body) != ABUT_OK;
            r->failed |= round % 4 == 3 &&
                         abut_body_set_shape(r->own, body, r->s->shape[i], (abut_positions){0},
                                             NULL) != ABUT_OK;
            r->failed |= abut_body_destroy(r->own, body, NULL) != ABUT_OK;
        }
    }
    return NULL;
}

#define RACERS 5u

static void race_once(const motion_row* row, uint32_t variant, uint32_t round,
                      const uint64_t* wanted) {
    stage s;
    racer racers[RACERS + 1];
    pthread_mutex_t gate;
    stage_open(&s, row, variant, false, NULL);
    memset(racers, 0, sizeof racers);
    REQUIRE(pthread_mutex_init(&gate, NULL) == 0);
    pthread_mutex_lock(&gate);
    REQUIRE_OK(abut_scene_create(s.w.context, NULL, &racers[RACERS].own, NULL));
    for (uint32_t i = 0; i <= RACERS; ++i) {
        racers[i].gate = &gate;
        racers[i].s = &s;
        racers[i].first = i == 0 ? 0 : (5 * round + 3 * i) % CALLS;
        REQUIRE(tools_make(&racers[i].t, s.w.context));
        REQUIRE(pthread_create(&racers[i].thread, NULL, i < RACERS ? race : live, &racers[i]) == 0);
    }
    pthread_mutex_unlock(&gate);
    for (uint32_t i = 0; i <= RACERS; ++i) {
        REQUIRE(pthread_join(racers[i].thread, NULL) == 0);
        tools_free(&racers[i].t);
        REQUIRE(!racers[i].failed);
        for (size_t c = 0; c < CALLS && i < RACERS; ++c) {
            where("%s, round %u, thread %u, %s", row->name, round, i, calls[c].name);
            REQUIRE(keeps_result_elsewhere(c) || racers[i].hash[c] == wanted[c]);
        }
    }
    abut_scene_destroy(racers[RACERS].own);
    pthread_mutex_destroy(&gate);
    stage_close(&s);
}

static void test_threads_race_for_the_first_tree(void** state) {
    (void)state;
    for (size_t r = 0; r < ROWS; ++r) {
        uint64_t wanted[CALLS];
        early_answers(rows[r], 0, wanted);
        for (uint32_t round = 0; round < effort(2, 40, 400); ++round) {
            race_once(rows[r], 0, round, wanted);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_call_may_be_the_first),
        cmocka_unit_test(test_states_before_and_after),
        cmocka_unit_test(test_shapes_are_switched),
        cmocka_unit_test(test_diagrams_build_no_tree),
        cmocka_unit_test(test_creation_is_cheap),
        cmocka_unit_test(test_refused_memory_at_the_first_call),
        cmocka_unit_test(test_plans_build_the_tree),
        cmocka_unit_test(test_threads_race_for_the_first_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
