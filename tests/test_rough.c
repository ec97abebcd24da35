// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Blend bodies whose vertices are all computed in float: chosen by the work that queries caused,
// and without an effect on answers.

#include "test_blend_support.h"

#include "abut/cast.h"

enum { NODES = 60, INFLUENCES = 12 };

static const abut__blend_state* state_of(const world* w, abut_body_id id) {
    return abut__blend_state_of(abut__body_state(abut__scene_body(w->scene, id), 1));
}

static bool is_rough(const world* w, abut_body_id id) {
    return abut__rough_is_here(state_of(w, id)->rough);
}

// Two soft balls that follow many nodes each.
typedef struct twins {
    world w;
    surface s;
    skin k;
    abut_body_id body[2];
} twins;

static twins twins_make(test_random* random, const abut_context_def* def, uint32_t rings) {
    twins g = {.w = world_make(def, NULL), .s = surface_ball(rings, rings + 10, 1)};
    g.k = skin_make(random, &g.s, NODES, INFLUENCES, ABUT_SCALAR_F32);
    const motion_def shape = blend_def(&g.k, NULL);
    g.body[0] = world_add(&g.w, &g.s, &shape, NULL);
    g.body[1] = world_add(&g.w, &g.s, &shape, NULL);
    return g;
}

static void twins_free(twins* g) {
    skin_free(&g->k);
    surface_free(&g->s);
    world_free(&g->w);
}

// Sets both bodies, the second one at a distance.
static void twins_set(twins* g, test_random* random, double distance, double (*t)[12]) {
    for (int b = 0; b < 2; ++b) {
        gentle_transforms(random, t, NODES, 0.03);
        for (uint32_t j = 0; j < NODES && b == 1; ++j) {
            t[j][3] += distance;
        }
        set_transforms(&g->w, g->body[b], t, NODES, NULL, 0);
    }
}

// Each rough coordinate is off by at most the pad, and the boxes contain all vertices.
static void check_rough(const twins* g, double (*t)[12]) {
    const abut__blend_state* own = state_of(&g->w, g->body[1]);
    for (uint32_t v = 0; v < g->s.vertex_count; ++v) {
        double exact[3];
        blend_formula(&g->s, &g->k, NULL, NULL, t, v, exact);
        for (size_t d = 0; d < 3; ++d) {
            REQUIRE(fabs((double)own->rough->xyz[3 * (size_t)v + d] + (double)own->origin[d] -
                         exact[d]) <= (double)own->pad);
        }
    }
    world_validate(&g->w, g->body[1]);
}

// ---- the choice

static const abut__rough_costs costs = {.begin = 2, .node = 3, .block = 5, .all = 100, .read = 1};

static void test_chooses_the_lower_cost(void** state) {
    (void)state;
    abut__rough here = {.here = true};
    const abut__rough gone = {.here = false};
    // 2 + 3 n + 5 b against 100 + b
    REQUIRE(!abut__rough_pays(&costs, NULL, (abut__rough_counts){0, 0}));
    REQUIRE(!abut__rough_pays(&costs, NULL, (abut__rough_counts){10, 17}));
    REQUIRE(abut__rough_pays(&costs, NULL, (abut__rough_counts){10, 18}));
    REQUIRE(abut__rough_pays(&costs, &gone, (abut__rough_counts){33, 1}));
    REQUIRE(!abut__rough_pays(&costs, &gone, (abut__rough_counts){32, 0}));
    // it stays with fewer, but not with few
    REQUIRE(abut__rough_pays(&costs, &here, (abut__rough_counts){10, 10}));
    REQUIRE(!abut__rough_pays(&costs, &here, (abut__rough_counts){5, 5}));
    REQUIRE(!abut__rough_pays(&costs, &here, (abut__rough_counts){0, 0}));
}

// Each state is lazy, rough or whole by what queries did in the last one. A body that no other
// comes near is lazy, and so is one without queries.
static void test_follows_the_queries(void** state) {
    (void)state;
    test_random random = random_seed(61);
    twins g = twins_make(&random, NULL, 30);
    double t[NODES][12];
    for (int n = 0; n < 24; ++n) {
        where("state %d", n);
        const double distance = n < 8 ? 4 : n < 16 ? 1.4 : 4;
        twins_set(&g, &random, distance, t);
        const bool rough = is_rough(&g.w, g.body[1]);
        REQUIRE(n > 8 || !rough);
        REQUIRE(n < 10 || n > 15 || rough);
        REQUIRE(n < 17 || !rough);
        (void)check_between(&g.w, g.body[0], g.body[1], NULL);
    }
    for (int n = 0; n < 6; ++n) {  // only the first of these follows a query
        where("state %d without a query", n);
        twins_set(&g, &random, 1.4, t);
        if (n == 0) {
            (void)check_between(&g.w, g.body[0], g.body[1], NULL);
        }
        REQUIRE(is_rough(&g.w, g.body[1]) == (n == 1));
    }
    twins_free(&g);
}

// ---- answers

// From far away to one inside the other and back, in turn with each instruction set: all pairs are
// found in all ways, and all ways occur.
static void test_answers_are_the_same(void** state) {
    (void)state;
    uint32_t rough = 0;
    uint32_t whole = 0;
    uint32_t lazy = 0;
    for (uint32_t round = 0; round < effort(2, 6, 60); ++round) {
        test_random random = random_seed(100 + round);
        abut_context_def def = abut_context_def_default();
        def.isa = kernels_of((int)(round % ISA_SETS)) != NULL ? isa_of((int)(round % ISA_SETS))
                                                              : ABUT_ISA_BEST;
        twins g = twins_make(&random, &def, 16 + random_below(&random, 16));
        for (int n = 0; n < 24; ++n) {
            where("round %u, state %d", round, n);
            double t[NODES][12];
            const double distance = 2.2 * fabs(1 - n / 12.0) + 0.05;
            twins_set(&g, &random, distance, t);
            if (is_rough(&g.w, g.body[1])) {
                check_rough(&g, t);
                ++rough;
            } else if (abut__whole_is_here(state_of(&g.w, g.body[1])->whole)) {
                ++whole;
            } else {
                ++lazy;
            }
            check_vertices(&g.w, g.body[1], &g.s, &g.k, NULL, NULL, t);
            (void)check_between(&g.w, g.body[0], g.body[1], NULL);
            if (n % 4 == 0) {
                (void)check_self(&g.w, g.body[1], NULL);
            }
        }
        twins_free(&g);
    }
    where("%u rough, %u whole, %u lazy states", rough, whole, lazy);
    REQUIRE(rough >= 8 && whole >= 1 && lazy >= 5);
}

// Far from the origin, where the pad is large, and rotated.
static void test_far_and_rotated(void** state) {
    (void)state;
    test_random random = random_seed(63);
    twins g = twins_make(&random, NULL, 30);
    uint32_t rough = 0;
    uint32_t whole = 0;
    for (int n = 0; n < 8; ++n) {
        where("state %d", n);
        double t[NODES][12];
        for (int b = 0; b < 2; ++b) {
            gentle_transforms(&random, t, NODES, 0.02);
            for (uint32_t j = 0; j < NODES; ++j) {
                t[j][3] += 1e4 + 1.7 * b;
                t[j][7] += 3e4;
            }
            set_transforms(&g.w, g.body[b], t, NODES, NULL, 0);
        }
        const abut_frame frame = frame_random(&random, 1);
        world_frame(&g.w, g.body[0], frame);
        world_frame(&g.w, g.body[1], frame);
        if (is_rough(&g.w, g.body[1])) {
            check_rough(&g, t);
            ++rough;
        }
        whole += abut__whole_is_here(state_of(&g.w, g.body[1])->whole);
        REQUIRE(check_between(&g.w, g.body[0], g.body[1], NULL) > 0);
    }
    where("%u rough, %u whole", rough, whole);
    REQUIRE(rough >= 3);
    twins_free(&g);
}

// The same answers for any number of threads and all instruction sets; in one set also the same
// choices and the same work.
static void test_same_everywhere(void** state) {
    (void)state;
    uint64_t answer = 0;
    uint32_t choices = 0;
    abut_counters first = {0};
    everywhere at = everywhere_each((const uint32_t[]){3, 0}, 7);
    while (everywhere_next(&at)) {
        where("%s", at.text);
        test_random random = random_seed(64);
        twins g = twins_make(&random, &at.def, 30);
        abut_collide_def query = abut_collide_def_default();
        abut_counters work = {0};
        query.head.counters = &work;
        uint64_t hash = 0;
        uint32_t chosen = 0;
        for (int n = 0; n < 12; ++n) {
            double t[NODES][12];
            twins_set(&g, &random, n < 8 ? 1.5 : 1.97, t);
            REQUIRE_OK(abut_collide(g.w.scene, g.body[0], g.body[1], &query, g.w.result, NULL));
            const uint64_t one = result_hash(g.w.result);
            hash_bytes(&hash, &one, sizeof one);
            chosen |= (uint32_t)is_rough(&g.w, g.body[1]) << n;
        }
        if (at.first) {
            answer = hash;
            choices = chosen;
            first = work;
            REQUIRE(chosen != 0);
        }
        REQUIRE(hash == answer);
        REQUIRE(!at.same_set || (chosen == choices && work.boxes_tested == first.boxes_tested &&
                                 work.blocks_evaluated == first.blocks_evaluated));
        twins_free(&g);
    }
}

// ---- rays, and fields

// Requires the same hits of two bodies.
static void check_rays(const world* w, test_random* random, size_t rays_count, abut_body_id a,
                       abut_body_id b, abut_cast_result* const result[2]) {
    enum { RAYS = 300 };
    double from[RAYS][3];
    double along[RAYS][3];
    size_t count[2];
    for (int i = 0; i < 3 * RAYS; ++i) {
        from[i / 3][i % 3] = random_double(random, -3, 3);
        along[i / 3][i % 3] = random_double(random, -1, 1) - from[i / 3][i % 3];
    }
    const abut_rays rays = abut_rays_f64(from[0], along[0], rays_count);
    REQUIRE_OK(abut_cast(w->scene, a, rays, NULL, result[0], NULL));
    REQUIRE_OK(abut_cast(w->scene, b, rays, NULL, result[1], NULL));
    const abut_ray_hit* x = abut_cast_result_hits(result[0], &count[0]);
    const abut_ray_hit* y = abut_cast_result_hits(result[1], &count[1]);
    REQUIRE(count[0] == count[1] && count[0] > rays_count / 2);
    for (size_t i = 0; i < count[0]; ++i) {
        REQUIRE(x[i].ray == y[i].ray && x[i].triangle == y[i].triangle && x[i].t == y[i].t);
    }
}

// Rays that open most of a body make its next state rough, with fields, too. A body that is new is
// not rough, and has the same hits.
static void test_rays_and_fields(void** state) {
    (void)state;
    enum { FIELDS = 3 };
    for (uint32_t round = 0; round < effort(1, 4, 40); ++round) {
        test_random random = random_seed(200 + round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(40, 30, 1);  // more than one part of 1024 vertices
        field_set f = make_fields(&random, &s, FIELDS, 0.1,
                                  round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64, true);
        skin k = skin_make(&random, &s, NODES, INFLUENCES, ABUT_SCALAR_F32);
        const motion_def shape = blend_def(&k, &f);
        const abut_body_id body = world_add(&w, &s, &shape, NULL);
        abut_cast_result* result[2];
        REQUIRE_OK(abut_cast_result_create(w.context, &result[0], NULL));
        REQUIRE_OK(abut_cast_result_create(w.context, &result[1], NULL));
        for (int n = 0; n < 4; ++n) {
            where("round %u, state %d", round, n);
            double t[NODES][12];
            double q[FIELDS];
            gentle_transforms(&random, t, NODES, 0.03);
            random_coordinates(&random, q, FIELDS, 1);
            q[n % FIELDS] = n == 2 ? 0 : q[n % FIELDS];
            set_transforms(&w, body, t, NODES, q, FIELDS);
            REQUIRE(is_rough(&w, body) == (n > 0));
            const abut__blend_state* own = state_of(&w, body);
            for (uint32_t v = 0; v < s.vertex_count && n > 0; ++v) {
                double exact[3];
                blend_formula(&s, &k, &f, q, t, v, exact);
                for (size_t d = 0; d < 3; ++d) {
                    REQUIRE(fabs((double)own->rough->xyz[3 * (size_t)v + d] +
                                 (double)own->origin[d] - exact[d]) <= (double)own->radius);
                }
            }
            world_validate(&w, body);
            const abut_body_id lazy = world_add(&w, &s, &shape, NULL);
            set_transforms(&w, lazy, t, NODES, q, FIELDS);
            REQUIRE(!is_rough(&w, lazy));
            check_rays(&w, &random, 300, body, lazy, result);
            check_rays(&w, &random, 60, body, lazy, result);  // too few to need boxes of triangles
            REQUIRE_OK(abut_body_destroy(w.scene, lazy, NULL));
        }
        abut_cast_result_destroy(result[0]);
        abut_cast_result_destroy(result[1]);
        free_fields(&f);
        skin_free(&k);
        surface_free(&s);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chooses_the_lower_cost), cmocka_unit_test(test_follows_the_queries),
        cmocka_unit_test(test_answers_are_the_same),   cmocka_unit_test(test_far_and_rotated),
        cmocka_unit_test(test_same_everywhere),        cmocka_unit_test(test_rays_and_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
