// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proximity queries against all pairs of triangles: for two bodies, for every body and for every
// triangle. The cases cover all kinds of surfaces, frames, filters, masks and limits, from scratch
// and with the cache of the last step.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/crowd.h"
#include "support/everywhere.h"
#include "support/fields.h"
#include "support/near.h"
#include "support/scenery.h"
#include "support/skin.h"
#include "support/solids.h"

static const distance_oracle everything = {.within = INFINITY};

static void check_pair(const world* w, abut_body_id a, abut_body_id b, const abut_nearest_def* def,
                       const distance_oracle* o, abut_nearest_result* pairs) {
    distance_list wanted = distances_between(w->scene, a, b, o);
    REQUIRE_OK(abut_nearest(w->scene, a, b, def, pairs, NULL));
    require_distances(w->scene, pairs, &wanted, "two bodies");
    free(wanted.pairs);
}

static void check_all(const world* w, const abut_nearest_def* def, const distance_oracle* o,
                      abut_nearest_result* pairs) {
    distance_list wanted = distances_of_bodies(w->scene, o);
    REQUIRE_OK(abut_nearest_all(w->scene, def, pairs, NULL));
    require_distances(w->scene, pairs, &wanted, "every body");
    free(wanted.pairs);
}

static void check_triangles(const world* w, abut_body_id a, const abut_nearest_def* def,
                            const distance_oracle* o, abut_nearest_result* pairs) {
    distance_list wanted = distances_of_triangles(w->scene, a, o);
    REQUIRE_OK(abut_nearest_triangles(w->scene, a, def, pairs, NULL));
    require_distances(w->scene, pairs, &wanted, "every triangle");
    free(wanted.pairs);
}

static void check_self_pairs(const world* w, abut_body_id a, const abut_nearest_def* def,
                             const distance_oracle* o, abut_nearest_result* pairs) {
    distance_list wanted = distances_within(w->scene, a, o);
    REQUIRE_OK(abut_nearest_self(w->scene, a, def, pairs, NULL));
    require_distances(w->scene, pairs, &wanted, "every triangle of one body");
    free(wanted.pairs);
}

// one cache from step to step for each kind of query
typedef struct nearest_caches {
    abut_nearest_result* pair;
    abut_nearest_result* all;
    abut_nearest_result* triangles;
    abut_nearest_result* self;
} nearest_caches;

static nearest_caches caches_make(abut_context* context) {
    nearest_caches q = {NULL, NULL, NULL, NULL};
    REQUIRE_OK(abut_nearest_result_create(context, &q.pair, NULL));
    REQUIRE_OK(abut_nearest_result_create(context, &q.all, NULL));
    REQUIRE_OK(abut_nearest_result_create(context, &q.triangles, NULL));
    REQUIRE_OK(abut_nearest_result_create(context, &q.self, NULL));
    return q;
}

static void caches_free(nearest_caches* q) {
    abut_nearest_result_destroy(q->pair);
    abut_nearest_result_destroy(q->all);
    abut_nearest_result_destroy(q->triangles);
    abut_nearest_result_destroy(q->self);
}

static surface any_surface(test_random* random, uint32_t kind, double step) {
    surface s = kind == 0   ? surface_sheet(5, 5, 1)
                : kind == 1 ? surface_ball(6, 8, 0.6)
                : kind == 2 ? surface_soup(random, 40, 0.8, 0.3, step)
                            : surface_soup(random, 3, 0.8, 0.5, step);
    if (kind < 2) {
        surface_shake(&s, random, 0.05, step);
    }
    return s;
}

// bodies of all kinds that are near or touch, some in frames, moved a few times
static void check_crowd(uint64_t seed) {
    test_random random = random_seed(seed);
    const double step = random_below(&random, 2) == 0 ? 0x1p-40 : 0x1p-4;
    const bool framed = random_below(&random, 2) == 0;
    const double spread = random_below(&random, 2) == 0 ? 0.5 : 2.5;
    world w = world_make(NULL, NULL);
    nearest_caches q = caches_make(w.context);
    surface surfaces[4];
    abut_body_id bodies[4];
    for (uint32_t b = 0; b < 4; ++b) {
        surfaces[b] = any_surface(&random, b == 3 ? random_below(&random, 4) : b, step);
        surface_shift(&surfaces[b], spread * b, 0, 0.25 * b);
        motion_def def = motion_def_default();
        def.block_triangles = 1 + random_below(&random, 48);
        def.fan_out = 2 + random_below(&random, 7);
        bodies[b] = world_add(&w, &surfaces[b], &def, NULL);
    }
    for (uint32_t n = 0; n < 3; ++n) {
        where("seed %llu, step %u", (unsigned long long)seed, n);
        for (uint32_t b = 0; b < 4; ++b) {
            if (framed) {
                world_frame(&w, bodies[b], frame_random(&random, 1));
            }
            surface_shake(&surfaces[b], &random, 0.02, step);
            world_move(&w, bodies[b], surfaces[b].xyz);
        }
        for (uint32_t b = 0; b < 4; ++b) {
            check_pair(&w, bodies[b], bodies[(b + 1) % 4], NULL, &everything, q.pair);
            check_triangles(&w, bodies[b], NULL, &everything, q.triangles);
            check_self_pairs(&w, bodies[b], NULL, &everything, q.self);
        }
        check_all(&w, NULL, &everything, q.all);
    }
    for (uint32_t b = 0; b < 4; ++b) {
        surface_free(&surfaces[b]);
    }
    caches_free(&q);
    world_free(&w);
}

static void test_all_kinds_match_all_pairs(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 12, 200); ++seed) {
        check_crowd(seed);
    }
}

// ---- motions

// a body of each motion and one in a turned frame; movers_move() sets new states
typedef struct movers {
    world w;
    surface ball;
    field_set fields;
    skin skin;
    double* later;
    abut_keyframe keys[2];
    abut_body_id body[5];
} movers;

static abut_body_id add_moving(movers* m, motion_def def, uint32_t block) {
    def.block_triangles = block;
    return world_add(&m->w, &m->ball, &def, NULL);
}

static void movers_start(movers* m, test_random* random) {
    m->w = world_make(NULL, NULL);
    m->ball = surface_ball(6, 8, 0.5);
    m->fields = make_fields(random, &m->ball, 3, 0.2, ABUT_SCALAR_F64, false);
    m->skin = skin_make(random, &m->ball, 4, 3, ABUT_SCALAR_F64);
    const size_t numbers = 3 * (size_t)m->ball.vertex_count;
    m->later = test_alloc(numbers, sizeof(double));
    for (size_t i = 0; i < numbers; ++i) {
        m->later[i] = m->ball.xyz[i] + random_double(random, -0.1, 0.1);
    }
    m->keys[0] = (abut_keyframe){0, abut_positions_f64(m->ball.xyz, m->ball.vertex_count)};
    m->keys[1] = (abut_keyframe){1, abut_positions_f64(m->later, m->ball.vertex_count)};
    motion_def flight = motion_def_default();
    flight.motion = ABUT_MOTION_FLIGHT;
    flight.keyframes = m->keys;
    flight.keyframe_count = 2;
    m->body[0] = add_moving(m, motion_def_default(), 13);
    m->body[1] = add_moving(m, modal_def(&m->fields), 48);
    m->body[2] = add_moving(m, blend_def(&m->skin, NULL), 20);
    m->body[3] = add_moving(m, flight, 31);
    m->body[4] = add_moving(m, blend_def(&m->skin, &m->fields), 7);
}

static void movers_move(movers* m, test_random* random) {
    double q[3];
    double t[4][12];
    surface moved = surface_copy(&m->ball);
    surface_shake(&moved, random, 0.05, 0x1p-30);
    world_move(&m->w, m->body[0], moved.xyz);
    surface_free(&moved);
    random_coordinates(random, q, 3, 1);
    set_coordinates(&m->w, m->body[1], q, 3);
    gentle_transforms(random, t, 4, 0.2);
    set_transforms(&m->w, m->body[2], t, 4, NULL, 0);
    REQUIRE_OK(abut_body_set_time(m->w.scene, m->body[3], random_unit(random), NULL));
    gentle_transforms(random, t, 4, 0.2);
    set_transforms(&m->w, m->body[4], t, 4, q, 3);
    for (uint32_t b = 0; b < 5; ++b) {
        abut_frame frame = b % 2 == 0 ? abut_frame_identity() : frame_random(random, 0.2);
        frame.t[0] = 1.1 * b + random_double(random, -0.2, 0.2);
        world_frame(&m->w, m->body[b], frame);
    }
}

static void movers_end(movers* m) {
    world_free(&m->w);
    surface_free(&m->ball);
    free_fields(&m->fields);
    skin_free(&m->skin);
    free(m->later);
}

static void test_every_motion_matches_all_pairs(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 4, 60); ++seed) {
        test_random random = random_seed(seed);
        movers m;
        movers_start(&m, &random);
        nearest_caches q = caches_make(m.w.context);
        for (uint32_t step = 0; step < 3; ++step) {
            where("seed %llu, step %u", (unsigned long long)seed, step);
            movers_move(&m, &random);
            check_all(&m.w, NULL, &everything, q.all);
            for (uint32_t b = 0; b < 5; ++b) {
                check_pair(&m.w, m.body[(b + 2) % 5], m.body[b], NULL, &everything, q.pair);
                check_self_pairs(&m.w, m.body[b], NULL, &everything, q.self);
            }
            check_triangles(&m.w, m.body[step], NULL, &everything, q.triangles);
        }
        caches_free(&q);
        movers_end(&m);
    }
}

// ---- known distances

// rings of `around` vertices; the lowest ring is at height -radius, the highest at radius
static surface torus_surface(uint32_t rings, uint32_t around, double radius, double height) {
    surface s = surface_make(rings * around, 2 * rings * around);
    for (uint32_t i = 0; i < rings; ++i) {
        for (uint32_t k = 0; k < around; ++k) {
            const double a = 2 * 3.14159265358979324 * i / rings;
            const double b = 2 * 3.14159265358979324 * k / around;
            const bool top = 4 * k == around || 4 * k == 3 * around;
            double* p = s.xyz + 3 * (size_t)(i * around + k);
            p[0] = (1 + radius * cos(b)) * cos(a);
            p[1] = (1 + radius * cos(b)) * sin(a);
            p[2] = height + (top ? (4 * k == around ? radius : -radius) : radius * sin(b));
            uint32_t* t = s.triangles + 6 * (size_t)(i * around + k);
            const uint32_t next = (i + 1) % rings * around;
            const uint32_t corner[4] = {i * around + k, i * around + (k + 1) % around, next + k,
                                        next + (k + 1) % around};
            t[0] = corner[0], t[1] = corner[2], t[2] = corner[1];
            t[3] = corner[1], t[4] = corner[2], t[5] = corner[3];
        }
    }
    return s;
}

static void check_known(const surface* a, const surface* b, double wanted, double size) {
    world w = world_make(NULL, NULL);
    const abut_body_id body_a = world_add(&w, a, NULL, NULL);
    const abut_body_id body_b = world_add(&w, b, NULL, NULL);
    abut_nearest_result* pairs = NULL;
    REQUIRE_OK(abut_nearest_result_create(w.context, &pairs, NULL));
    // by trees from scratch, by trees with the cache of the last call, and by the Voronoi diagram
    for (int turn = 0; turn < 3; ++turn) {
        abut_nearest_def def = abut_nearest_def_default();
        def.culling.kind = turn == 2 ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
        REQUIRE_OK(abut_nearest(w.scene, body_a, body_b, &def, pairs, NULL));
        size_t count;
        const abut_distance_pair* pair = abut_nearest_result_pairs(pairs, &count);
        REQUIRE(count == 1);
        const double error = fmin(0x1p-25 * wanted, 0x1p-45 * fmax(size, 2 * wanted));
        if (fabs(pair->distance - wanted) > error) {
            fail_msg("%s, turn %d: %.17g, wanted %.17g", where_text(), turn, pair->distance,
                     wanted);
        }
    }
    abut_nearest_result_destroy(pairs);
    world_free(&w);
}

static void test_known_distances(void** state) {
    (void)state;
    for (int power = -12; power <= 6; ++power) {
        const double gap = pow(10, power);
        where("gap 1e%d", power);
        surface a = cube_surface(0, 0, 0, 1);
        surface b = cube_surface(0.25, -0.25, 1 + gap, 1);
        check_known(&a, &b, (1 + gap) - 1, 4);
        surface_shift(&b, 0, 0, -(1 + gap));
        surface_shift(&b, 2, 0, 2);  // an edge against the surroundings of a corner
        check_known(&a, &b, hypot(1.25, 1), 4);
        surface_free(&a);
        surface_free(&b);
        a = surface_ball(8, 12, 1);
        b = surface_ball(8, 12, 1);
        surface_shift(&b, 0, 0, 2 + gap);
        check_known(&a, &b, (-1 + (2 + gap)) - 1, 8);
        surface_free(&a);
        surface_free(&b);
        a = torus_surface(12, 8, 0.25, 0);
        b = torus_surface(12, 8, 0.25, 0.5 + gap);
        check_known(&a, &b, ((0.5 + gap) - 0.25) - 0.25, 8);
        surface_free(&a);
        surface_free(&b);
    }
}

static void test_a_body_inside_another(void** state) {
    (void)state;
    where("nested");
    surface outside = surface_ball(8, 12, 1);
    surface inside = surface_ball(5, 7, 0.25);
    world w = world_make(NULL, NULL);
    const abut_body_id a = world_add(&w, &outside, NULL, NULL);
    const abut_body_id b = world_add(&w, &inside, NULL, NULL);
    nearest_caches q = caches_make(w.context);
    check_pair(&w, a, b, NULL, &everything, q.pair);
    check_all(&w, NULL, &everything, q.all);
    check_triangles(&w, a, NULL, &everything, q.triangles);
    caches_free(&q);
    surface_free(&outside);
    surface_free(&inside);
    world_free(&w);
}

// ---- settings

static bool odd_pairs(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                      uint32_t triangle_b) {
    const uint32_t* seed = user;
    REQUIRE(body_a < body_b || (body_a == body_b && triangle_a < triangle_b));
    return (((body_a * 31 + triangle_a) * 31 + body_b * 7 + triangle_b + *seed) * 2654435761u) >>
               31 !=
           0;
}

static void test_filters_and_limits(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 4, 60); ++seed) {
        crowd c = crowd_make(seed, 5);
        nearest_caches q = caches_make(c.world.context);
        for (uint32_t n = 0; n < 4; ++n) {
            where("seed %u, case %u", seed, n);
            abut_nearest_def def = abut_nearest_def_default();
            def.max_distance = n < 2 ? INFINITY : n == 2 ? 0.05 : 0;
            def.filter.fn = n % 2 == 1 ? odd_pairs : NULL;
            def.filter.user = &seed;
            const distance_oracle o = {.within = def.max_distance, .filter = def.filter};
            for (uint32_t b = 0; b < CROWD_BODIES; ++b) {
                const abut_body_id other = c.body[(b + 1) % CROWD_BODIES];
                check_pair(&c.world, c.body[b], other, &def, &o, q.pair);
                check_self_pairs(&c.world, c.body[b], &def, &o, q.self);
            }
            check_all(&c.world, &def, &o, q.all);
            check_triangles(&c.world, c.body[n % CROWD_BODIES], &def, &o, q.triangles);
        }
        caches_free(&q);
        crowd_free(&c);
    }
}

static bool masks_agree(const void* user, uint32_t body_a, uint32_t body_b) {
    (void)user;
    // body 0 meets 2 and 3; 1 meets no body; 2 and 3 are both static
    return body_a != 1 && body_b != 1 && (body_a == 0) != (body_b == 0);
}

static void test_groups_masks_and_statics(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_ball(5, 6, 0.4);
    abut_body_id body[4];
    for (uint32_t b = 0; b < 4; ++b) {
        abut_body_def def = abut_body_def_default();
        def.frame.t[0] = 1.0 * b;
        def.groups = b == 1 ? 2 : 1;
        def.mask = b == 1 ? 4 : 1;
        def.is_static = b >= 2;
        body[b] = world_add(&w, &ball, NULL, &def);
    }
    where("masks");
    const distance_oracle o = {.within = INFINITY, .meet = masks_agree};
    nearest_caches q = caches_make(w.context);
    check_all(&w, NULL, &o, q.all);
    check_triangles(&w, body[0], NULL, &o, q.triangles);
    check_triangles(&w, body[1], NULL, &o, q.triangles);
    // masks do not apply to two bodies that are named
    check_pair(&w, body[1], body[2], NULL, &o, q.pair);
    caches_free(&q);
    surface_free(&ball);
    world_free(&w);
}

static void test_any(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_ball(6, 8, 0.4);
    abut_body_def place = abut_body_def_default();
    const abut_body_id a = world_add(&w, &ball, NULL, &place);
    place.frame.t[2] = 1;  // poles 0.2 apart
    const abut_body_id b = world_add(&w, &ball, NULL, &place);
    abut_nearest_result* nearest = NULL;
    abut_within_result* within = NULL;
    REQUIRE_OK(abut_nearest_result_create(w.context, &nearest, NULL));
    REQUIRE_OK(abut_within_result_create(w.context, &within, NULL));
    for (int n = 0; n < 2; ++n) {
        abut_nearest_def def = abut_nearest_def_default();
        abut_within_def limit = abut_within_def_default();
        def.any = limit.any = true;
        def.max_distance = limit.distance = n == 0 ? 0.21 : 0.19;
        size_t count = 99;
        for (int query = 0; query < 4; ++query) {
            where("any %d %d", n, query);
            REQUIRE_OK(query == 0   ? abut_nearest(w.scene, a, b, &def, nearest, NULL)
                       : query == 1 ? abut_nearest_all(w.scene, &def, nearest, NULL)
                       : query == 2 ? abut_nearest_triangles(w.scene, a, &def, nearest, NULL)
                                    : abut_nearest(w.scene, b, a, &def, nearest, NULL));
            REQUIRE(abut_nearest_result_found(nearest) == (n == 0));
            REQUIRE(abut_nearest_result_pairs(nearest, &count) == NULL && count == 0);
        }
        for (int query = 0; query < 2; ++query) {
            where("any within %d %d", n, query);
            REQUIRE_OK(query == 0 ? abut_within(w.scene, a, b, &limit, within, NULL)
                                  : abut_within_all(w.scene, &limit, within, NULL));
            REQUIRE(abut_within_result_found(within) == (n == 0));
            REQUIRE(abut_within_result_pairs(within, &count) == NULL && count == 0);
        }
    }
    abut_nearest_result_destroy(nearest);
    abut_within_result_destroy(within);
    surface_free(&ball);
    world_free(&w);
}

// pairs as colliding with a margin finds them, and their distances
static void require_within(const world* w, const abut_within_result* result,
                           const pair_list* wanted) {
    size_t count;
    const abut_distance_pair* list = abut_within_result_pairs(result, &count);
    REQUIRE(count == wanted->count);
    for (size_t i = 0; i < count; ++i) {
        const abut_distance_pair* g = &list[i];
        const abut_pair* p = &wanted->pairs[i];
        REQUIRE(g->body_a == p->body_a && g->body_b == p->body_b &&
                g->triangle_a == p->triangle_a && g->triangle_b == p->triangle_b);
        const abut_body_id a = abut_scene_body_at(w->scene, g->body_a);
        const abut_body_id b = abut_scene_body_at(w->scene, g->body_b);
        double x[3][3];
        double y[3][3];
        query_corners(w->scene, a, b, g->triangle_a, x);
        query_corners(w->scene, b, a, g->triangle_b, y);
        const bool swap = b.index < a.index;
        abut_distance d;
        REQUIRE_OK(abut_triangles_distance((const double(*)[3])(swap ? y : x),
                                           (const double(*)[3])(swap ? x : y), &d));
        REQUIRE(d.distance == g->distance);
    }
}

static void test_pairs_within_a_distance(void** state) {
    (void)state;
    for (uint32_t seed = 1; seed <= effort(1, 3, 40); ++seed) {
        crowd c = crowd_make(seed, 5);
        abut_within_result* result = NULL;
        REQUIRE_OK(abut_within_result_create(c.world.context, &result, NULL));
        for (int n = 0; n < 3; ++n) {
            where("seed %u, case %d", seed, n);
            abut_within_def def = abut_within_def_default();
            def.distance = n * 0.0625;
            const oracle o = {.margin = def.distance};
            for (uint32_t k = 0; k < 3; ++k) {
                const abut_body_id a = c.body[k == 0 ? 1 : 0];
                const abut_body_id b = c.body[k == 0 ? 0 : k == 1 ? 2 : 0];
                pair_list wanted = k == 2 ? oracle_self(c.world.scene, a, &o)
                                          : oracle_between(c.world.scene, a, b, &o);
                REQUIRE_OK(k == 2 ? abut_within_self(c.world.scene, a, &def, result, NULL)
                                  : abut_within(c.world.scene, a, b, &def, result, NULL));
                require_within(&c.world, result, &wanted);
                pairs_free(&wanted);
            }
            pair_list all = oracle_collide_all(c.world.scene, &o);
            REQUIRE_OK(abut_within_all(c.world.scene, &def, result, NULL));
            require_within(&c.world, result, &all);
            pairs_free(&all);
        }
        abut_within_result_destroy(result);
        crowd_free(&c);
    }
}

// ---- threads and instruction sets

typedef struct record {
    uint64_t answers;
    abut_counters counters;
} record;

static void mix(uint64_t* hash, const void* bytes, size_t count) {
    const unsigned char* b = bytes;
    for (size_t i = 0; i < count; ++i) {
        *hash = (*hash ^ b[i]) * UINT64_C(0x100000001b3);
    }
}

static void record_pairs(record* r, const abut_distance_pair* list, size_t count) {
    mix(&r->answers, &count, sizeof count);
    for (size_t i = 0; i < count; ++i) {
        const abut_witness* w[2] = {&list[i].a, &list[i].b};
        mix(&r->answers, &list[i].distance, sizeof list[i].distance);
        mix(&r->answers, &list[i].body_b, sizeof list[i].body_b);
        mix(&r->answers, &list[i].triangle_b, sizeof list[i].triangle_b);
        for (int k = 0; k < 2; ++k) {
            mix(&r->answers, w[k]->point, sizeof w[k]->point);
            mix(&r->answers, w[k]->weights, sizeof w[k]->weights);
            mix(&r->answers, &w[k]->index, sizeof w[k]->index);
        }
    }
}

static void record_nearest(record* r, const abut_nearest_result* result) {
    size_t count;
    const abut_distance_pair* list = abut_nearest_result_pairs(result, &count);
    record_pairs(r, list, count);
}

static record run_funnel(const abut_context_def* def) {
    scenery s = scenery_make(scene_create("funnel", 3000, 4, 1), def);
    const world w = s.world;
    const abut_body_id* body = s.body;
    nearest_caches q = caches_make(w.context);
    record r = {0, {0}};
    abut_nearest_def query = abut_nearest_def_default();
    abut_within_def limit = abut_within_def_default();
    abut_within_result* within = NULL;
    REQUIRE_OK(abut_within_result_create(w.context, &within, NULL));
    query.head.counters = limit.head.counters = &r.counters;
    limit.distance = 0.02;
    for (uint32_t frame = 0; frame < 4; ++frame) {
        scenery_set_frame(&s, frame);
        scenery_validate(&s);
        REQUIRE_OK(abut_nearest_all(w.scene, &query, q.all, NULL));
        record_nearest(&r, q.all);
        REQUIRE_OK(abut_nearest(w.scene, body[1], body[0], &query, q.pair, NULL));
        record_nearest(&r, q.pair);
        REQUIRE_OK(abut_nearest_triangles(w.scene, body[0], &query, q.triangles, NULL));
        record_nearest(&r, q.triangles);
        REQUIRE_OK(abut_nearest_self(w.scene, body[0], &query, q.self, NULL));
        record_nearest(&r, q.self);
        REQUIRE_OK(abut_within_all(w.scene, &limit, within, NULL));
        size_t count;
        const abut_distance_pair* list = abut_within_result_pairs(within, &count);
        record_pairs(&r, list, count);
    }
    abut_within_result_destroy(within);
    caches_free(&q);
    scenery_free(&s);
    return r;
}

static void test_threads_and_instruction_sets(void** state) {
    (void)state;
    record wanted = {0};
    for (uint64_t shuffle = 0; shuffle < 2; ++shuffle) {
        everywhere at = everywhere_each((const uint32_t[]){1, 4, 0}, shuffle * 7);
        // one run without a hook, then one in each instruction set
        while (everywhere_next(&at) && (shuffle == 0 || at.same_set)) {
            if (shuffle > 0 && at.workers == 0) {
                continue;
            }
            where("%s, shuffle %d", at.text, (int)shuffle);
            const record got = run_funnel(&at.def);
            wanted = shuffle == 0 && at.first ? got : wanted;
            REQUIRE(got.answers == wanted.answers);
            REQUIRE(!at.same_set ||
                    memcmp(&got.counters, &wanted.counters, sizeof got.counters) == 0);
        }
    }
}

// ---- errors

static void test_bad_arguments(void** state) {
    (void)state;
    where("bad arguments");
    world w = world_make(NULL, NULL);
    world other = world_make(NULL, NULL);
    surface ball = surface_ball(4, 5, 0.4);
    const abut_body_id a = world_add(&w, &ball, NULL, NULL);
    const abut_body_id none = {7, 1};
    abut_nearest_result* pairs = NULL;
    abut_nearest_result* strange = NULL;
    REQUIRE_STATUS(abut_nearest_result_create(NULL, &pairs, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_nearest_result_create(w.context, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_OK(abut_nearest_result_create(w.context, &pairs, NULL));
    REQUIRE_OK(abut_nearest_result_create(other.context, &strange, NULL));
    const abut_status bad = ABUT_ERR_INVALID_ARGUMENT;
    // one body alone has nothing near it
    REQUIRE_OK(abut_nearest_all(w.scene, NULL, pairs, NULL));
    REQUIRE(!abut_nearest_result_found(pairs));
    REQUIRE_OK(abut_nearest_triangles(w.scene, a, NULL, pairs, NULL));
    REQUIRE(!abut_nearest_result_found(pairs) && abut_nearest_result_pairs(pairs, NULL) == NULL);
    REQUIRE_OK(abut_nearest_all(other.scene, NULL, strange, NULL));
    REQUIRE(!abut_nearest_result_found(strange));
    const abut_body_id b = world_add(&w, &ball, NULL, NULL);
    REQUIRE_STATUS(abut_nearest(w.scene, a, a, NULL, pairs, NULL), bad);
    REQUIRE_STATUS(abut_nearest(w.scene, a, none, NULL, pairs, NULL), bad);
    REQUIRE_STATUS(abut_nearest(w.scene, a, b, NULL, NULL, NULL), bad);
    REQUIRE_STATUS(abut_nearest(NULL, a, b, NULL, pairs, NULL), bad);
    REQUIRE_STATUS(abut_nearest(w.scene, a, b, NULL, strange, NULL), bad);
    REQUIRE_STATUS(abut_nearest_all(NULL, NULL, pairs, NULL), bad);
    REQUIRE_STATUS(abut_nearest_all(w.scene, NULL, strange, NULL), bad);
    REQUIRE_STATUS(abut_nearest_triangles(w.scene, none, NULL, pairs, NULL), bad);
    REQUIRE_STATUS(abut_nearest_self(w.scene, none, NULL, pairs, NULL), bad);
    abut_within_result* within = NULL;
    REQUIRE_OK(abut_within_result_create(w.context, &within, NULL));
    REQUIRE_OK(abut_within(w.scene, a, b, NULL, within, NULL));  // those that touch
    REQUIRE(abut_within_result_found(within));
    abut_within_def limit = abut_within_def_default();
    limit.distance = INFINITY;
    REQUIRE_STATUS(abut_within(w.scene, a, b, &limit, within, NULL), bad);
    REQUIRE(!abut_within_result_found(within) && abut_within_result_pairs(within, NULL) == NULL);
    REQUIRE_STATUS(abut_within_all(w.scene, &limit, within, NULL), bad);
    REQUIRE_STATUS(abut_within(w.scene, a, a, NULL, within, NULL), bad);
    abut_within_result_destroy(within);
    abut_nearest_def def = abut_nearest_def_default();
    def.max_distance = -1;
    REQUIRE_STATUS(abut_nearest(w.scene, a, b, &def, pairs, NULL), bad);
    def.max_distance = NAN;
    REQUIRE_STATUS(abut_nearest(w.scene, a, b, &def, pairs, NULL), bad);
    def.max_distance = 1;
    def.head.cookie = 0;
    REQUIRE_STATUS(abut_nearest_all(w.scene, &def, pairs, NULL), bad);
    abut_nearest_result_destroy(pairs);
    abut_nearest_result_destroy(strange);
    abut_nearest_result_destroy(NULL);
    surface_free(&ball);
    world_free(&w);
    world_free(&other);
}

static void test_a_vertex_that_is_not_finite_is_named(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_ball(6, 8, 0.4);
    surface other = surface_ball(6, 8, 0.4);
    surface_shift(&other, 3, 0, 0);
    const abut_body_id a = world_add(&w, &ball, NULL, NULL);
    const abut_body_id b = world_add(&w, &other, NULL, NULL);
    abut_nearest_result* pairs = NULL;
    abut_within_result* within = NULL;
    REQUIRE_OK(abut_nearest_result_create(w.context, &pairs, NULL));
    REQUIRE_OK(abut_within_result_create(w.context, &within, NULL));
    ball.xyz[3 * 17 + 1] = NAN;
    REQUIRE_OK(abut_body_borrow_positions(w.scene, a,
                                          abut_positions_f64(ball.xyz, ball.vertex_count), NULL));
    for (int n = 0; n < 5; ++n) {
        where("query %d", n);
        abut_nearest_def def = abut_nearest_def_default();
        abut_within_def limit = abut_within_def_default();
        abut_error error = {0};
        def.max_distance = limit.distance = 10;
        REQUIRE_STATUS(n == 0   ? abut_nearest(w.scene, b, a, &def, pairs, &error)
                       : n == 1 ? abut_nearest_all(w.scene, &def, pairs, &error)
                       : n == 2 ? abut_nearest_triangles(w.scene, b, &def, pairs, &error)
                       : n == 3 ? abut_nearest_self(w.scene, a, &def, pairs, &error)
                                : abut_within(w.scene, a, b, &limit, within, &error),
                       ABUT_ERR_INVALID_DATA);
        REQUIRE(error.body.index == a.index && error.body.generation == a.generation);
        REQUIRE(error.element == ABUT_ELEMENT_VERTEX && error.index == 17);
        REQUIRE(!abut_nearest_result_found(pairs) &&
                abut_nearest_result_pairs(pairs, NULL) == NULL);
        REQUIRE(!abut_within_result_found(within) &&
                abut_within_result_pairs(within, NULL) == NULL);
    }
    ball.xyz[3 * 17 + 1] = 0.1;
    REQUIRE_OK(abut_body_borrow_positions(w.scene, a,
                                          abut_positions_f64(ball.xyz, ball.vertex_count), NULL));
    check_pair(&w, a, b, NULL, &everything, pairs);
    abut_nearest_result_destroy(pairs);
    abut_within_result_destroy(within);
    surface_free(&ball);
    surface_free(&other);
    world_free(&w);
}

// far, huge and tiny surfaces, where boxes in float are loose or useless
static void test_any_size_and_place(void** state) {
    (void)state;
    static const double scales[] = {1e-30, 1e-12, 1, 1e12, 1e25, 1e40, 1e150};
    static const double offsets[] = {0, 1e4, 1e9};
    for (int n = 0; n < 21; ++n) {
        where("scale %g, offset %g", scales[n / 3], offsets[n % 3]);
        surface a = surface_ball(4, 6, 1);
        surface b = surface_ball(4, 5, 0.7);
        surface_shift(&b, 1.9, 0.1, 0.2);
        surface_shift(&a, offsets[n % 3], 0, 0);
        surface_shift(&b, offsets[n % 3], 0, 0);
        surface_scale(&a, scales[n / 3]);
        surface_scale(&b, scales[n / 3]);
        world w = world_make(NULL, NULL);
        const abut_body_id body_a = world_add(&w, &a, NULL, NULL);
        const abut_body_id body_b = world_add(&w, &b, NULL, NULL);
        nearest_caches q = caches_make(w.context);
        check_pair(&w, body_a, body_b, NULL, &everything, q.pair);
        check_triangles(&w, body_b, NULL, &everything, q.triangles);
        check_self_pairs(&w, body_a, NULL, &everything, q.self);
        caches_free(&q);
        world_free(&w);
        surface_free(&a);
        surface_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_match_all_pairs),
        cmocka_unit_test(test_every_motion_matches_all_pairs),
        cmocka_unit_test(test_known_distances),
        cmocka_unit_test(test_a_body_inside_another),
        cmocka_unit_test(test_filters_and_limits),
        cmocka_unit_test(test_groups_masks_and_statics),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_pairs_within_a_distance),
        cmocka_unit_test(test_threads_and_instruction_sets),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_a_vertex_that_is_not_finite_is_named),
        cmocka_unit_test(test_any_size_and_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
