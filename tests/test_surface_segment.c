// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Flight bodies that are proven apart over segments between keyframes. Answers equal those of all
// pairs at any time, pieces that are proven apart do not touch themselves, and directions face all
// normals at all instants.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/body.h"
#include "bound/surface_segment.h"
#include "motion/flight.h"
#include "scene/scene.h"
#include "scenes/scenes.h"
#include "support/everywhere.h"
#include "support/judge.h"

// A body of a scene of scenes/, some of whose frames are keyframes at integer times.
typedef struct cache {
    surface s;
    uint32_t key_count;
    abut_keyframe* keys;
    double** xyz;
    float** narrow;  // NULL entries: keys are doubles
    double* now;
} cache;

static cache cache_make(const char* name, uint32_t triangles, uint32_t seed, uint32_t stride,
                        double shift, bool floats) {
    scene* source = scene_create(name, triangles, 0, seed);
    assert_non_null(source);
    const scene_body* body = scene_get_body(source, 0);
    cache c = {.key_count = (scene_frame_count(source) + stride - 1) / stride};
    const size_t numbers = 3 * (size_t)body->vertex_count;
    c.s = surface_make(body->vertex_count, body->triangle_count);
    memcpy(c.s.triangles, body->triangles,
           3 * (size_t)body->triangle_count * sizeof *c.s.triangles);
    memcpy(c.s.xyz, body->rest, numbers * sizeof *c.s.xyz);
    c.keys = test_alloc(c.key_count, sizeof *c.keys);
    c.xyz = test_alloc(c.key_count, sizeof *c.xyz);
    c.narrow = test_alloc(c.key_count, sizeof *c.narrow);
    c.now = test_alloc(numbers, sizeof *c.now);
    for (uint32_t k = 0; k < c.key_count; ++k) {
        c.xyz[k] = test_alloc(numbers, sizeof **c.xyz);
        c.narrow[k] = test_alloc(numbers, sizeof **c.narrow);
        scene_positions(source, 0, k * stride, c.xyz[k]);
        for (size_t i = 0; i < numbers; ++i) {
            c.xyz[k][i] += shift;
            c.narrow[k][i] = (float)c.xyz[k][i];
            c.xyz[k][i] = floats ? (double)c.narrow[k][i] : c.xyz[k][i];
        }
        c.keys[k] = (abut_keyframe){k, floats ? abut_positions_f32(c.narrow[k], body->vertex_count)
                                              : abut_positions_f64(c.xyz[k], body->vertex_count)};
    }
    scene_destroy(source);
    return c;
}

static void cache_free(cache* c) {
    for (uint32_t k = 0; k < c->key_count; ++k) {
        free(c->xyz[k]);
        free(c->narrow[k]);
    }
    free(c->xyz);
    free(c->narrow);
    free(c->keys);
    free(c->now);
    surface_free(&c->s);
}

// The documented formula.
static void cache_at(cache* c, double time) {
    const uint32_t last = c->key_count - 1;
    const uint32_t key = time <= 0 ? 0 : time >= last ? last : (uint32_t)time;
    const double part = time > key && key < last ? time - key : 0;
    for (size_t i = 0; i < 3 * (size_t)c->s.vertex_count; ++i) {
        c->now[i] = part > 0 ? (1 - part) * c->xyz[key][i] + part * c->xyz[key + 1][i]
                             : c->xyz[key][i];
    }
}

static motion_def cache_def(const cache* c) {
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = c->keys;
    def.keyframe_count = c->key_count;
    return def;
}

static void ask(world* w, abut_body_id body, double time, abut_counters* work) {
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = work;
    REQUIRE_OK(abut_body_set_time(w->scene, body, time, NULL));
    REQUIRE_OK(abut_collide_self(w->scene, body, &query, w->result, NULL));
}

static void require_all_pairs(const world* w, const cache* c) {
    const judge_side side = {c->now, c->s.triangles, c->s.triangle_count, NULL};
    brute_pair* wanted = NULL;
    const size_t count = judge_pairs(&side, NULL, 0, false, &wanted);
    size_t got = 0;
    const abut_pair* pairs = abut_collide_result_pairs(w->result, &got);
    REQUIRE(got == count);
    for (size_t i = 0; i < count; ++i) {
        REQUIRE(pairs[i].triangle_a == wanted[i].a && pairs[i].triangle_b == wanted[i].b);
    }
    free(wanted);
}

static const struct {
    const char* name;
    uint32_t triangles;
    uint32_t stride;
    double shift;
    bool floats;
    bool must_gain;
} cases[] = {
    {"tablecloth", 4000, 2, 0, true, true},
    {"tablecloth", 4000, 7, 0, false, true},
    {"coil", 4096, 1, 0, true, true},
    {"washer", 8800, 1, 0, false, true},
    {"blobs", 5120, 6, 0, true, true},
    {"tablecloth", 4000, 2, 1e5, false, true},
    {"tablecloth", 4000, 2, 1e12, false, false},
};

static void test_pairs_are_those_of_all_pairs(void** state) {
    (void)state;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        test_random random = random_seed(s + 1);
        cache c = cache_make(cases[s].name, cases[s].triangles, (uint32_t)s + 1, cases[s].stride,
                             cases[s].shift, cases[s].floats);
        world w = world_make(NULL, NULL);
        const motion_def def = cache_def(&c);
        const abut_body_id body = world_add(&w, &c.s, &def, NULL);
        abut_counters work = {0};
        for (uint32_t i = 0; i < effort(4, 30, 200); ++i) {
            double time = random_double(&random, -0.2, c.key_count - 0.8);
            time = i % 4 == 0 ? floor(time) : time;
            where("%s, case %zu, time %.17g", cases[s].name, s, time);
            ask(&w, body, time, &work);
            cache_at(&c, time);
            require_all_pairs(&w, &c);
        }
        REQUIRE(work.nodes_certified > 0 || !cases[s].must_gain);
        world_free(&w);
        cache_free(&c);
    }
}

// Collects the triangles under a node or in a block.
static uint32_t gather(const abut__tree* tree, abut__ref ref, uint32_t* out) {
    uint32_t count = 0;
    if (abut__is_block(ref)) {
        const abut__block* block = tree->blocks[abut__block_of(ref)];
        memcpy(out, block->triangle, block->triangle_count * sizeof *out);
        return block->triangle_count;
    }
    for (uint32_t k = 0; k < tree->nodes[ref].count; ++k) {
        count += gather(tree, tree->nodes[ref].child[k], out + count);
    }
    return count;
}

// Returns the pairs of one set of triangles that touch, by all pairs.
static size_t pairs_among(const cache* c, const uint32_t* list, uint32_t count) {
    uint32_t* corners = test_alloc(3 * (size_t)count, sizeof *corners);
    for (uint32_t i = 0; i < count; ++i) {
        memcpy(corners + 3 * (size_t)i, c->s.triangles + 3 * (size_t)list[i], 3 * sizeof *corners);
    }
    const judge_side side = {c->now, corners, count, NULL};
    brute_pair* found = NULL;
    const size_t pairs = judge_pairs(&side, NULL, 0, false, &found);
    free(found);
    free(corners);
    return pairs;
}

// Every node, and some of the seams, that the motion proves apart.
static uint32_t check_pieces(const world* w, abut_body_id id, const cache* c) {
    const abut__body* body = abut__scene_body(w->scene, id);
    const abut_shape* shape = body->shape;
    const abut__state* now = abut__body_state(body, 1);
    const abut__tree* tree = &shape->tree;
    uint32_t* list = test_alloc(c->s.triangle_count, sizeof *list);
    uint32_t proven = 0;
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        if (shape->motion->apart(shape, now, n)) {
            ++proven;
            REQUIRE(pairs_among(c, list, gather(tree, n, list)) == 0);
        }
    }
    const abut__seams* seams = abut__shape_seams(shape);
    const abut__links* links = abut__shape_links(shape);
    for (uint32_t i = 0; i < links->count; ++i) {
        const abut__link* link = &links->list[i];
        if (shape->motion->pair_proofs->links_apart(shape, now, i, 1) != 0) {
            const uint64_t nodes = seams->nodes[seams->of_link[i]];
            const uint32_t first = gather(tree, (uint32_t)(nodes >> 32), list);
            const uint32_t all = first + gather(tree, (uint32_t)nodes, list + first);
            ++proven;
            REQUIRE(shape->motion->pair_proofs->blocks_certified(shape, now, link->a, link->b));
            REQUIRE(i % 16 != 0 || pairs_among(c, list, all) == 0);
        }
    }
    free(list);
    return proven;
}

static void test_proven_pieces_do_not_touch_themselves(void** state) {
    (void)state;
    uint32_t proven = 0;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        test_random random = random_seed(100 + s);
        cache c = cache_make(cases[s].name, cases[s].triangles, (uint32_t)s + 1, cases[s].stride,
                             cases[s].shift, cases[s].floats);
        world w = world_make(NULL, NULL);
        const motion_def def = cache_def(&c);
        const abut_body_id body = world_add(&w, &c.s, &def, NULL);
        abut_counters work = {0};
        for (uint32_t i = 0; i < effort(2, 12, 100); ++i) {
            const double time = random_double(&random, 0, c.key_count - 1.0);
            where("%s, case %zu, time %.17g", cases[s].name, s, time);
            ask(&w, body, time, &work);
            cache_at(&c, time);
            proven += check_pieces(&w, body, &c);
        }
        world_free(&w);
        cache_free(&c);
    }
    REQUIRE(proven > 100);
}

// V . (e x f) of the doubles at an instant, in higher precision.
static long double facing(const cache* c, uint32_t triangle, const float v[3]) {
    const uint32_t* corner = c->s.triangles + 3 * (size_t)triangle;
    long double e[2][3];
    long double sum = 0;
    for (int i = 0; i < 2; ++i) {
        for (int d = 0; d < 3; ++d) {
            e[i][d] = (long double)c->now[3 * (size_t)corner[i + 1] + (size_t)d] -
                      (long double)c->now[3 * (size_t)corner[0] + (size_t)d];
        }
    }
    for (int d = 0; d < 3; ++d) {
        const int i = (d + 1) % 3;
        const int k = (d + 2) % 3;
        sum += (long double)v[d] * (e[0][i] * e[1][k] - e[0][k] * e[1][i]);
    }
    return sum;
}

static void test_directions_face_normals_at_all_instants(void** state) {
    (void)state;
    uint32_t checked = 0;
    for (size_t s = 0; s < sizeof cases / sizeof *cases; ++s) {
        test_random random = random_seed(200 + s);
        cache c = cache_make(cases[s].name, cases[s].triangles, (uint32_t)s + 1, cases[s].stride,
                             cases[s].shift, cases[s].floats);
        world w = world_make(NULL, NULL);
        const motion_def def = cache_def(&c);
        const abut_body_id id = world_add(&w, &c.s, &def, NULL);
        abut_counters work = {0};
        uint32_t* list = test_alloc(c.s.triangle_count, sizeof *list);
        for (uint32_t i = 0; i < effort(3, 20, 100); ++i) {
            const double time = random_double(&random, 0, c.key_count - 1.001);
            where("%s, case %zu, time %.17g", cases[s].name, s, time);
            ask(&w, id, time, &work);
            cache_at(&c, time);
            const abut_shape* shape = abut__scene_body(w.scene, id)->shape;
            const abut__surface_segment* segment = abut__once_peek(
                &abut__flight_of(shape)->surfaces[2 * (uint32_t)time + 1]);
            for (uint32_t n = 0; segment != NULL && n < shape->tree.node_count; ++n) {
                float v[3];
                if (abut__surface_direction(&shape->tree, segment->normals, &n, 1, v)) {
                    const uint32_t count = gather(&shape->tree, n, list);
                    for (uint32_t t = 0; t < count; ++t) {
                        REQUIRE(facing(&c, list[t], v) > 0);
                    }
                    ++checked;
                }
            }
        }
        free(list);
        world_free(&w);
        cache_free(&c);
    }
    REQUIRE(checked > 100);
}

// A sheet that folds over itself between two flat keyframes: the proof must not reach across.
static void test_fold_between_keyframes(void** state) {
    (void)state;
    enum { SIDE = 48 };
    cache c = {.key_count = 2, .s = surface_sheet(SIDE, SIDE, 1)};
    const size_t numbers = 3 * (size_t)c.s.vertex_count;
    double* xyz[2] = {test_alloc(numbers, sizeof(double)), test_alloc(numbers, sizeof(double))};
    abut_keyframe keys[2];
    c.xyz = xyz;
    c.now = test_alloc(numbers, sizeof *c.now);
    for (uint32_t v = 0; v < c.s.vertex_count;
         ++v) {  // one half turns by 180 degrees about y = 0.5
        const double* p = c.s.xyz + 3 * (size_t)v;
        const double over = p[1] > 0.5 ? p[1] - 0.5 : 0;
        for (size_t k = 0; k < 2; ++k) {
            xyz[k][3 * (size_t)v] = p[0];
            xyz[k][3 * (size_t)v + 1] = k == 0 ? p[1] : p[1] - 2 * over;
            xyz[k][3 * (size_t)v + 2] = 0.05 * over * (k == 0 ? -1 : 1.5);
        }
    }
    for (size_t k = 0; k < 2; ++k) {
        keys[k] = (abut_keyframe){(double)k, abut_positions_f64(xyz[k], c.s.vertex_count)};
    }
    c.keys = keys;
    world w = world_make(NULL, NULL);
    const motion_def def = cache_def(&c);
    const abut_body_id body = world_add(&w, &c.s, &def, NULL);
    abut_counters work = {0};
    for (uint32_t i = 0; i <= 20; ++i) {
        const double time = i / 20.0;
        where("fold, time %g", time);
        ask(&w, body, time, &work);
        cache_at(&c, time);
        require_all_pairs(&w, &c);
        (void)check_pieces(&w, body, &c);
    }
    world_free(&w);
    free(xyz[0]);
    free(xyz[1]);
    free(c.now);
    surface_free(&c.s);
}

static void test_same_everywhere(void** state) {
    (void)state;
    cache c = cache_make("tablecloth", 4000, 3, 4, 0, true);
    uint64_t answer = 0;
    abut_counters first = {0};
    everywhere at = everywhere_each((const uint32_t[]){2, 5, 0}, 7);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        world w = world_make(&at.def, NULL);
        const motion_def def = cache_def(&c);
        const abut_body_id body = world_add(&w, &c.s, &def, NULL);
        uint64_t hash = 0;
        abut_counters work = {0};
        for (uint32_t i = 0; i < 12; ++i) {
            ask(&w, body, 0.7 * i, &work);
            const uint64_t one = result_hash(w.result);
            hash_bytes(&hash, &one, sizeof one);
        }
        if (at.first) {
            answer = hash;
            first = work;
        }
        REQUIRE(hash == answer);
        if (at.same_set) {
            REQUIRE(work.nodes_certified == first.nodes_certified);
            REQUIRE(work.blocks_certified == first.blocks_certified);
        }
        world_free(&w);
    }
    cache_free(&c);
}

// Once a segment is prepared, smooth bodies open hardly a block.
static void test_smooth_caches_stay_closed(void** state) {
    (void)state;
    cache c = cache_make("blobs", 20480, 1, 3, 0, true);
    world w = world_make(NULL, NULL);
    const motion_def def = cache_def(&c);
    const abut_body_id body = world_add(&w, &c.s, &def, NULL);
    abut_counters work = {0};
    for (uint32_t i = 0; i < 10; ++i) {
        ask(&w, body, 0.05 + 0.09 * i, &work);
    }
    abut_tree_info info;
    REQUIRE_OK(abut_body_inspect(w.scene, body, &info, NULL));
    REQUIRE(work.nodes_certified >= 10);
    REQUIRE(work.blocks_evaluated < 10 * (uint64_t)info.blocks / 2);
    world_free(&w);
    cache_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs_are_those_of_all_pairs),
        cmocka_unit_test(test_proven_pieces_do_not_touch_themselves),
        cmocka_unit_test(test_directions_face_normals_at_all_instants),
        cmocka_unit_test(test_fold_between_keyframes),
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_smooth_caches_stay_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
