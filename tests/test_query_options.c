// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The settings of every query: margin, filter, any, tags, groups, neighbours. Results are in
// test_query_results.c, budgets and fronts in test_query_front.c.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/crowd.h"

static motion_def small_blocks(uint32_t fan_out, uint32_t triangles) {
    motion_def def = motion_def_default();
    def.fan_out = fan_out;
    def.block_triangles = triangles;
    return def;
}

// ---- margin

static void test_margin(void** state) {
    (void)state;
    static const double margins[] = {5e-324, 1e-300, 1e-9, 0.0625, 0.25, 0.3, 2.5};
    for (uint64_t seed = 1; seed <= effort(1, 3, 30); ++seed) {
        crowd c = crowd_make(seed, 7);
        size_t last = 0;
        for (size_t m = 0; m < sizeof margins / sizeof margins[0]; ++m) {
            where("seed %llu, margin %g", (unsigned long long)seed, margins[m]);
            abut_collide_def def = abut_collide_def_default();
            def.margin = margins[m];
            const size_t found = crowd_check(&c, &def);
            REQUIRE(found >= last);
            last = found;
        }
        crowd_free(&c);
    }
}

static void test_margin_with_frames(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        test_random random = random_seed(seed);
        crowd c = crowd_make(seed, 6);
        for (int i = 0; i < CROWD_BODIES; ++i) {
            world_frame(&c.world, c.body[i], frame_random(&random, 2));
        }
        for (int m = 0; m < 4; ++m) {
            abut_collide_def def = abut_collide_def_default();
            def.margin = m == 0 ? 0 : ldexp(random_unit(&random), -8 + 3 * m);
            where("seed %llu, margin %a", (unsigned long long)seed, def.margin);
            (void)crowd_check(&c, &def);
        }
        crowd_free(&c);
    }
}

static void test_margin_against_rationals(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(1, 2, 20); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface a = surface_soup(&random, 40, 2, 1, 0.25);
        surface b = surface_soup(&random, 40, 2, 1, 0.25);
        const motion_def shape_def = small_blocks(3, 4);
        const abut_body_id body_a = world_add(&w, &a, &shape_def, NULL);
        const abut_body_id body_b = world_add(&w, &b, &shape_def, NULL);
        // distances of dyadic corners equal these often, and never the square root of a half
        static const double margins[] = {0.25, 0.5, 0.70710678118654752, 1};
        for (size_t m = 0; m < sizeof margins / sizeof margins[0]; ++m) {
            where("seed %llu, margin %g", (unsigned long long)seed, margins[m]);
            const oracle exact = {.margin = margins[m], .rational = true};
            abut_collide_def def = abut_collide_def_default();
            def.margin = margins[m];
            pair_list wanted = oracle_between(w.scene, body_a, body_b, &exact);
            REQUIRE_OK(abut_collide(w.scene, body_a, body_b, &def, w.result, NULL));
            require_pairs(w.result, &wanted, "collide");
            pairs_free(&wanted);
            wanted = oracle_self(w.scene, body_a, &exact);
            REQUIRE_OK(abut_collide_self(w.scene, body_a, &def, w.result, NULL));
            require_pairs(w.result, &wanted, "self");
            pairs_free(&wanted);
        }
        surface_free(&a);
        surface_free(&b);
        world_free(&w);
    }
}

static size_t count_collide(const world* w, abut_body_id a, abut_body_id b, double margin) {
    abut_collide_def def = abut_collide_def_default();
    def.margin = margin;
    REQUIRE_OK(abut_collide(w->scene, a, b, &def, w->result, NULL));
    size_t count = 0;
    (void)abut_collide_result_pairs(w->result, &count);
    return count;
}

// two parallel sheets: a margin equal to their distance counts, the next smaller double does not
static void test_margin_equal_to_the_gap(void** state) {
    (void)state;
    static const double gaps[] = {1,      0.1, 1e-9, 1e-38, 1e-46, 1e-300,
                                  5e-324, 3e7, 1e30, 1e38,  1e200};
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; ++g) {
        for (int by_frame = 0; by_frame < 2; ++by_frame) {
            where("gap %g, by frame %d", gaps[g], by_frame);
            world w = world_make(NULL, NULL);
            surface low = surface_sheet(effort(4, 9, 9), effort(4, 9, 9), 2);
            surface high = surface_copy(&low);
            abut_body_def body_def = abut_body_def_default();
            if (by_frame != 0) {
                body_def.frame.t[2] = gaps[g];
            } else {
                surface_shift(&high, 0, 0, gaps[g]);
            }
            const abut_body_id a = world_add(&w, &low, NULL, NULL);
            const abut_body_id b = world_add(&w, &high, NULL, &body_def);
            const size_t at = count_collide(&w, a, b, gaps[g]);
            REQUIRE(at >= low.triangle_count);
            REQUIRE(count_collide(&w, b, a, gaps[g]) == at);
            REQUIRE(count_collide(&w, a, b, nextafter(gaps[g], 0)) == 0);
            abut_collide_def def = abut_collide_def_default();
            def.margin = gaps[g];
            REQUIRE(check_collide_all(&w, &def) == at);
            surface_free(&low);
            surface_free(&high);
            world_free(&w);
        }
    }
}

// ---- filter, any

typedef struct filter_log {
    uint64_t salt;
    size_t self_order_wrong;
} filter_log;

static bool keeps(uint64_t salt, uint32_t a, uint32_t b) {
    return ((a * UINT64_C(0x9e3779b97f4a7c15) ^ b * UINT64_C(0xbf58476d1ce4e5b9) ^ salt) >> 17 &
            3) != 0;
}

static bool salted_filter(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                          uint32_t triangle_b) {
    filter_log* log = user;
    log->self_order_wrong += body_a == body_b && triangle_a >= triangle_b;
    return keeps(log->salt + body_a + 7 * (uint64_t)body_b, triangle_a, triangle_b);
}

static pair_list filtered(const pair_list* all, uint64_t salt) {
    pair_list some = {0};
    for (size_t i = 0; i < all->count; ++i) {
        const abut_pair* p = &all->pairs[i];
        if (keeps(salt + p->body_a + 7 * (uint64_t)p->body_b, p->triangle_a, p->triangle_b)) {
            pairs_push(&some, *p);
        }
    }
    return some;
}

static void test_filter(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 5, 50); ++seed) {
        crowd c = crowd_make(seed, 9);
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            filter_log log = {seed, 0};
            abut_counters counters = {0};
            abut_collide_def def = abut_collide_def_default();
            def.filter.fn = salted_filter;
            def.filter.user = &log;
            def.head.counters = &counters;
            def.include_neighbours = seed % 2 == 1;
            const oracle o = {.neighbours = def.include_neighbours};
            pair_list all = oracle_query(c.world.scene, (query_kind)kind, c.body[1], c.body[0], &o);
            pair_list wanted = filtered(&all, seed);
            REQUIRE(all.count > wanted.count && wanted.count > 0);
            REQUIRE_OK(run_query(c.world.scene, (query_kind)kind, c.body[1], c.body[0], &def,
                                 c.world.result));
            require_pairs(c.world.result, &wanted, "filtered");
            REQUIRE(log.self_order_wrong == 0);
            REQUIRE(counters.pairs_filtered >= all.count - wanted.count);
            REQUIRE(counters.pairs_found == wanted.count);
            pairs_free(&all);
            pairs_free(&wanted);
        }
        crowd_free(&c);
    }
}

static void test_any(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(5, 20, 200); ++seed) {
        crowd c = crowd_make(seed, 5);
        test_random random = random_seed(seed);
        // so far apart that some pairs touch and others do not
        for (int i = 0; i < CROWD_BODIES; ++i) {
            world_frame(&c.world, c.body[i], frame_random(&random, 7));
        }
        for (int kind = 0; kind < QUERY_KINDS; ++kind) {
            where("seed %llu, kind %d", (unsigned long long)seed, kind);
            abut_collide_def def = abut_collide_def_default();
            def.any = true;
            def.margin = seed % 3 == 0 ? 0.5 : 0;
            const oracle o = {.margin = def.margin};
            pair_list wanted = oracle_query(c.world.scene, (query_kind)kind, c.body[0], c.body[2],
                                            &o);
            REQUIRE_OK(run_query(c.world.scene, (query_kind)kind, c.body[0], c.body[2], &def,
                                 c.world.result));
            REQUIRE(abut_collide_result_found(c.world.result) == (wanted.count > 0));
            REQUIRE(!abut_collide_result_stopped(c.world.result));
            pairs_free(&wanted);
        }
        crowd_free(&c);
    }
}

// ---- tags, groups, static bodies

static abut_body_id add_tagged(world* w, const surface* s, const uint32_t* tags,
                               const uint32_t* ignored, size_t pairs) {
    abut_mesh_def mesh_def = surface_mesh_def(s);
    mesh_def.tags = tags;
    motion_def shape_def = small_blocks(4, 7);
    shape_def.ignored_tags = ignored;
    shape_def.ignored_tag_pair_count = pairs;
    return world_add_mesh(w, &mesh_def, &shape_def);
}

static bool tags_meet(const uint32_t* ignored, size_t pairs, uint32_t x, uint32_t y) {
    for (size_t i = 0; i < pairs; ++i) {
        if ((ignored[2 * i] == x && ignored[2 * i + 1] == y) ||
            (ignored[2 * i] == y && ignored[2 * i + 1] == x)) {
            return false;
        }
    }
    return true;
}

static void test_tags(void** state) {
    (void)state;
    // the pairs of table b are not sorted; a tag may ignore itself
    static const uint32_t table_a[] = {3, 1, 2, 2, UINT32_MAX, 0};
    static const uint32_t table_b[] = {4, 0, 1, UINT32_MAX};
    size_t left = 0;
    size_t ignored = 0;
    for (uint64_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface s[2] = {surface_soup(&random, 150, 3, 1, 0.25),
                        surface_soup(&random, 150, 3, 1, 0.25)};
        uint32_t tags[2][150];
        for (int i = 0; i < 300; ++i) {
            const uint32_t tag = random_below(&random, 6);
            tags[i / 150][i % 150] = tag == 5 ? UINT32_MAX : tag;
        }
        // the second body has tags only in every other round; otherwise all tags are 0
        const bool tagged = seed % 2 == 0;
        const abut_body_id a = add_tagged(&w, &s[0], tags[0], table_a, 3);
        const abut_body_id b = add_tagged(&w, &s[1], tagged ? tags[1] : NULL, table_b, 2);
        pair_list all = oracle_between(w.scene, a, b, NULL);
        pair_list wanted = {0};
        for (size_t i = 0; i < all.count; ++i) {
            const uint32_t x = tags[0][all.pairs[i].triangle_a];
            const uint32_t y = tagged ? tags[1][all.pairs[i].triangle_b] : 0;
            if (tags_meet(table_a, 3, x, y) && tags_meet(table_b, 2, x, y)) {
                pairs_push(&wanted, all.pairs[i]);
            }
        }
        left += wanted.count;
        ignored += all.count - wanted.count;
        REQUIRE_OK(abut_collide(w.scene, a, b, NULL, w.result, NULL));
        require_pairs(w.result, &wanted, "between");
        pairs_free(&all);
        pairs_free(&wanted);
        all = oracle_self(w.scene, a, NULL);
        for (size_t i = 0; i < all.count; ++i) {
            if (tags_meet(table_a, 3, tags[0][all.pairs[i].triangle_a],
                          tags[0][all.pairs[i].triangle_b])) {
                pairs_push(&wanted, all.pairs[i]);
            }
        }
        left += wanted.count;
        ignored += all.count - wanted.count;
        REQUIRE_OK(abut_collide_self(w.scene, a, NULL, w.result, NULL));
        require_pairs(w.result, &wanted, "self");
        pairs_free(&all);
        pairs_free(&wanted);
        surface_free(&s[0]);
        surface_free(&s[1]);
        world_free(&w);
    }
    assert_true(left > 10 && ignored > 10);
}

typedef struct membership {
    uint64_t group[12];
    uint64_t mask[12];
    bool is_static[12];
} membership;

static bool members_meet(const void* user, uint32_t a, uint32_t b) {
    const membership* m = user;
    if (a == b) {
        return !m->is_static[a];
    }
    return !(m->is_static[a] && m->is_static[b]) && (m->group[a] & m->mask[b]) != 0 &&
           (m->group[b] & m->mask[a]) != 0;
}

static void check_members(const world* w, const membership* m) {
    const oracle o = {.meet = members_meet, .user = m};
    pair_list wanted = oracle_collide_all(w->scene, &o);
    REQUIRE_OK(abut_collide_all(w->scene, NULL, w->result, NULL));
    require_pairs(w->result, &wanted, "collide_all");
    pairs_free(&wanted);
    wanted = oracle_self_all(w->scene, &o);
    REQUIRE_OK(abut_collide_self_all(w->scene, NULL, w->result, NULL));
    require_pairs(w->result, &wanted, "self_all");
    pairs_free(&wanted);
}

static void test_groups_and_static(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(3, 10, 100); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        membership m;
        abut_body_id body[12];
        for (uint32_t i = 0; i < 12; ++i) {
            abut_body_def def = abut_body_def_default();
            m.group[i] = def.groups = UINT64_C(1) << (random_below(&random, 4) * 21);
            def.mask = random_bits(&random);
            def.mask |= random_bits(&random);
            m.mask[i] = def.mask;
            m.is_static[i] = def.is_static = random_chance(&random, 0.3);
            def.user = &m.group[i];
            def.frame = frame_random(&random, 2);
            surface s = surface_soup(&random, 20, 2, 2, 0.25);
            body[i] = world_add(&w, &s, NULL, &def);
            assert_ptr_equal(abut_body_user(w.scene, body[i]), &m.group[i]);
            surface_free(&s);
        }
        check_members(&w, &m);
        for (uint32_t i = 0; i < 12; ++i) {
            m.group[i] = random_below(&random, 3);
            m.mask[i] = random_below(&random, 4);
            REQUIRE_OK(abut_body_set_groups(w.scene, body[i], m.group[i], m.mask[i], NULL));
        }
        check_members(&w, &m);
        // bodies passed by id are tested regardless of their groups
        for (uint32_t i = 0; i + 1 < 12; ++i) {
            (void)check_between(&w, body[i], body[i + 1], NULL);
        }
        world_free(&w);
    }
}

// ---- neighbours

// triangles around one apex, which is a hub when blocks are small
static surface fan(test_random* random, uint32_t triangles) {
    surface s = surface_make(triangles + 2, triangles);
    for (uint32_t v = 1; v < s.vertex_count; ++v) {
        for (int d = 0; d < 3; ++d) {
            s.xyz[3 * (size_t)v + (size_t)d] = random_dyadic(random, 4, 0.5);
        }
    }
    for (uint32_t t = 0; t < triangles; ++t) {
        s.triangles[3 * (size_t)t] = 0;
        s.triangles[3 * (size_t)t + 1] = t + 1;
        s.triangles[3 * (size_t)t + 2] = t + 2;
    }
    return s;
}

static void test_neighbours(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(4, 12, 120); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(6, 6, 6);
        surface_shake(&sheet, &random, 1, 0.5);
        surface round = fan(&random, 60);
        surface both = surface_join(&sheet, &round);
        const motion_def def = small_blocks(2 + random_below(&random, 7),
                                            1 + random_below(&random, 10));
        const abut_body_id body = world_add(&w, &both, &def, NULL);
        for (int m = 0; m < 3; ++m) {
            where("seed %llu, %d", (unsigned long long)seed, m);
            abut_collide_def query = abut_collide_def_default();
            query.include_neighbours = m != 2;
            query.margin = m == 1 ? 0.25 : 0;
            REQUIRE(check_self(&w, body, &query) > 0);
            (void)check_self_all(&w, &query);
        }
        surface_free(&sheet);
        surface_free(&round);
        surface_free(&both);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_margin),
        cmocka_unit_test(test_margin_with_frames),
        cmocka_unit_test(test_margin_against_rationals),
        cmocka_unit_test(test_margin_equal_to_the_gap),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_groups_and_static),
        cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
