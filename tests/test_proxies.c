// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contact proxies contain their triangles, and coarser spheres contain them. The contacts are those
// of all pairs of proxies, for any number of workers and any instruction set.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/body_proxies.h"
#include "scene/scene.h"
#include "support/everywhere.h"
#include "support/fields.h"
#include "support/memory.h"
#include "support/threads.h"

#define BODIES 7

static long double distance(const double a[3], const double b[3]) {
    long double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const long double difference = (long double)a[d] - (long double)b[d];
        sum += difference * difference;
    }
    return sqrtl(sum);
}

static abut_body_id add_proxies(world* w, const surface* s, const field_set* f, uint32_t level,
                                const abut_body_def* body_def) {
    motion_def def = modal_def(f);
    def.proxy_level = level;
    return world_add(w, s, &def, body_def);
}

static abut_frame skewed_frame(test_random* random, double reach) {
    abut_frame frame = frame_random(random, reach);
    for (int k = 0; k < 9; ++k) {
        frame.r[k / 3][k % 3] *= 1.00049;
    }
    return frame;
}

// every live triangle has exactly one proxy, and the sizes of groups differ by at most one
static void check_groups(const abut_shape* shape, uint32_t wanted) {
    const abut_mesh* mesh = abut_shape_mesh(shape);
    const uint32_t triangles = abut_mesh_triangle_count(mesh);
    uint32_t* seen = calloc(triangles, sizeof *seen);
    size_t total = 0;
    size_t least = SIZE_MAX;
    size_t most = 0;
    assert_non_null(seen);
    REQUIRE(abut_shape_proxy_count(shape) == wanted);
    for (uint32_t p = 0; p < wanted; ++p) {
        size_t count;
        const uint32_t* ids = abut_shape_proxy_triangles(shape, p, &count);
        const uint32_t vertex = abut_shape_proxy_vertex(shape, p);
        bool own = false;
        for (size_t i = 0; i < count; ++i) {
            REQUIRE(ids[i] < triangles && seen[ids[i]]++ == 0);
            const uint32_t* corners = abut_mesh_triangles(mesh) + 3 * (size_t)ids[i];
            own = own || corners[0] == vertex || corners[1] == vertex || corners[2] == vertex;
        }
        REQUIRE(own);
        total += count;
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    REQUIRE(total == triangles && least > 0 && most <= least + 1);
    free(seen);
}

static void test_triangles_are_halved(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(9, 13, 1);
    for (uint32_t level = 1; level <= 20; ++level) {
        where("level %u", level);
        motion_def def = motion_def_default();
        def.motion = ABUT_MOTION_MODAL;
        def.proxy_level = level;
        abut_shape* shape = world_shape(&w, &s, &def);
        uint32_t wanted = 1;
        for (uint32_t k = 0; k < level && 2 * wanted <= s.triangle_count; ++k) {
            wanted *= 2;
        }
        check_groups(shape, wanted);
        size_t count = 1;
        assert_int_equal(abut_shape_proxy_vertex(shape, wanted), UINT32_MAX);
        assert_null(abut_shape_proxy_triangles(shape, wanted, &count));
        assert_null(abut_shape_proxy_triangles(shape, wanted, NULL));
        assert_non_null(abut_shape_proxy_triangles(shape, 0, NULL));
        assert_int_equal(count, 0);
        abut_shape_destroy(shape);
    }
    surface_free(&s);
    world_free(&w);
}

// the box of all proxies holds this one
static void check_box_holds(const world* w, abut_body_id body, const double centre[3],
                            double radius) {
    abut_box box;
    REQUIRE_OK(abut_body_proxy_box(w->scene, body, &box, NULL));
    for (int d = 0; d < 3; ++d) {
        REQUIRE(box.lo[d] <= centre[d] - radius && box.hi[d] >= centre[d] + radius);
    }
}

static void check_proxies_hold(const world* w, abut_body_id body) {
    const abut_shape* shape = abut_body_shape(w->scene, body);
    const uint32_t* triangles = abut_mesh_triangles(abut_shape_mesh(shape));
    for (uint32_t p = 0; p < abut_shape_proxy_count(shape); ++p) {
        double centre[3];
        double radius;
        size_t count;
        REQUIRE_OK(abut_body_proxy(w->scene, body, p, centre, &radius, NULL));
        check_box_holds(w, body, centre, radius);
        const uint32_t* ids = abut_shape_proxy_triangles(shape, p, &count);
        for (size_t i = 0; i < 3 * count; ++i) {
            double v[3];
            REQUIRE_OK(abut_body_world_vertex(w->scene, body,
                                              triangles[3 * (size_t)ids[i / 3] + i % 3], v, NULL));
            REQUIRE(distance(centre, v) <= (long double)radius);
        }
    }
}

// a coarse sphere contains the spheres of all proxies below it
static void check_coarse_hold(const world* w, abut_body_id id) {
    const abut__body* body = abut__scene_body(w->scene, id);
    const abut__proxies* proxies = body->shape->proxies;
    abut__proxy_view view;
    REQUIRE(abut__proxy_view_make(body, &view));
    for (uint32_t p = 0; p < proxies->count; ++p) {
        double centre[3];
        double radius;
        REQUIRE_OK(abut_body_proxy(w->scene, id, p, centre, &radius, NULL));
        for (uint32_t n = proxies->node_count + p; n != 0; n = abut__proxies_parent(proxies, n)) {
            const uint32_t parent = abut__proxies_parent(proxies, n);
            abut__world_balls balls;
            uint32_t first;
            const uint32_t count = abut__proxy_spheres(&view, parent, &first, &balls);
            REQUIRE(n >= first && n - first < count);
            const uint32_t k = n - first;
            const double c[3] = {balls.c[0][k], balls.c[1][k], balls.c[2][k]};
            REQUIRE(distance(c, centre) + (long double)radius <= (long double)balls.r[k]);
        }
    }
}

static void test_spheres_hold(void** state) {
    (void)state;
    test_random random = random_seed(41);
    for (uint32_t round = 0; round < effort(30, 100, 3000); ++round) {
        where("seed 41, round %u", round);
        world w = world_make(NULL, NULL);
        double size;
        surface s = surface_any_ball(&random, 9, 13, 30, &size);
        const uint32_t count = random_below(&random, 16);
        field_set f = random_fields(&random, &s, count, 30);
        motion_def def = modal_def(&f);
        def.proxy_level = 1 + random_below(&random, 8);
        def.bound = random_chance(&random, 0.3) ? ABUT_MODAL_BOUND_SPHERES_MEAN : MOTION_BOUND_AUTO;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 5; ++step) {
            double q[16];
            random_coordinates(&random, q, count, ldexp(1, random_between(&random, -17, 17)));
            set_coordinates(&w, body, q, count);
            if (step > 0) {
                world_frame(&w, body,
                            skewed_frame(&random, ldexp(1, random_between(&random, -20, 60))));
            }
            check_proxies_hold(&w, body);
            check_coarse_hold(&w, body);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// ---- contacts against all pairs

typedef struct contact_list {
    abut_proxy_pair* contacts;
    size_t count;
    size_t capacity;
} contact_list;

static void push_contact(contact_list* list, const abut_proxy_pair* contact) {
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->contacts = realloc(list->contacts, list->capacity * sizeof *contact);
        assert_non_null(list->contacts);
    }
    list->contacts[list->count++] = *contact;
}

// appends all contacts of two bodies, in the order of their proxies
static void brute_contacts(const abut_scene* scene, abut_body_id a, abut_body_id b, double margin,
                           contact_list* list) {
    const uint32_t count_a = abut_shape_proxy_count(abut_body_shape(scene, a));
    const uint32_t count_b = abut_shape_proxy_count(abut_body_shape(scene, b));
    for (uint32_t i = 0; i < count_a; ++i) {
        abut_proxy_pair c;
        memset(&c, 0, sizeof c);
        c.body_a = a.index;
        c.body_b = b.index;
        c.proxy_a = i;
        REQUIRE_OK(abut_body_proxy(scene, a, i, c.centre_a, &c.radius_a, NULL));
        for (uint32_t k = 0; k < count_b; ++k) {
            c.proxy_b = k;
            REQUIRE_OK(abut_body_proxy(scene, b, k, c.centre_b, &c.radius_b, NULL));
            double sum = 0;
            for (int d = 0; d < 3; ++d) {
                sum += (c.centre_b[d] - c.centre_a[d]) * (c.centre_b[d] - c.centre_a[d]);
            }
            c.distance = sqrt(sum) - (c.radius_a + c.radius_b);
            if (c.distance <= margin) {
                push_contact(list, &c);
            }
        }
    }
}

static void require_contacts(const abut_proxies_result* result, const contact_list* wanted) {
    size_t count;
    const abut_proxy_pair* got = abut_proxies_result_pairs(result, &count);
    REQUIRE(count == wanted->count);
    REQUIRE((got == NULL) == (count == 0));
    for (size_t i = 0; i < count; ++i) {
        REQUIRE(memcmp(&got[i], &wanted->contacts[i], sizeof *got) == 0);
    }
}

// Overlapping bodies of every kind: levels 1 to 7, one without proxies, one free body, two static
// ones, and one that meets only some of the others.
typedef struct crowd {
    world world;
    surface ball;
    surface sheet;
    field_set f;
    field_set g;
    abut_body_id body[BODIES];
} crowd;

static bool is_static(uint32_t body) {
    return body == 1 || body == 2;
}
static uint64_t group_of(uint32_t body) {
    return body == 3 ? 2 : 1;
}
static uint64_t mask_of(uint32_t body) {
    return body == 4 ? 1 : UINT64_MAX;
}

static void crowd_make(crowd* c, const abut_context_def* def, uint64_t seed) {
    test_random random = random_seed(seed);
    c->world = world_make(def, NULL);
    c->ball = surface_ball(10, 14, 1);
    c->sheet = surface_sheet(13, 13, 3);
    c->f = make_fields(&random, &c->ball, 5, 0.2, ABUT_SCALAR_F32, true);
    c->g = make_fields(&random, &c->sheet, 0, 0.2, ABUT_SCALAR_F64, false);
    for (uint32_t i = 0; i < BODIES; ++i) {
        abut_body_def body = abut_body_def_default();
        body.is_static = is_static(i);
        body.groups = group_of(i);
        body.mask = mask_of(i);
        if (i == 6) {
            c->body[i] = world_add(&c->world, &c->ball, NULL, &body);
        } else {
            const uint32_t level = i == 5 ? 0 : 1 + random_below(&random, 7);
            c->body[i] = add_proxies(&c->world, i % 2 == 1 ? &c->sheet : &c->ball,
                                     i % 2 == 1 ? &c->g : &c->f, level, &body);
        }
    }
}

static void crowd_step(crowd* c, test_random* random, double reach) {
    for (uint32_t i = 0; i < BODIES; ++i) {
        double q[5];
        random_coordinates(random, q, 5, 1);
        if (i % 2 == 0 && i < 5) {
            set_coordinates(&c->world, c->body[i], q, 5);
        }
        world_frame(&c->world, c->body[i],
                    random_chance(random, 0.2) ? skewed_frame(random, reach)
                                               : frame_random(random, reach));
    }
}

static void crowd_free(crowd* c) {
    free_fields(&c->f);
    free_fields(&c->g);
    surface_free(&c->ball);
    surface_free(&c->sheet);
    world_free(&c->world);
}

static void test_contacts_equal_all_pairs(void** state) {
    (void)state;
    size_t hits = 0;
    size_t misses = 0;
    for (uint64_t seed = 1; seed <= effort(15, 50, 1000); ++seed) {
        crowd c;
        crowd_make(&c, NULL, seed);
        test_random random = random_seed(seed + 1000);
        for (uint32_t step = 0; step < 4; ++step) {
            where("seed %u, step %u", (unsigned)seed, step);
            crowd_step(&c, &random, step == 3 ? 4 : 1.5);
            abut_proxies_def def = abut_proxies_def_default();
            def.margin = random_chance(&random, 0.3) ? random_double(&random, 0, 0.3) : 0;
            contact_list all = {0};
            const abut_scene* scene = c.world.scene;
            for (uint32_t i = 0; i < BODIES; ++i) {
                for (uint32_t k = i + 1; k < BODIES; ++k) {
                    contact_list pair = {0};
                    brute_contacts(scene, c.body[i], c.body[k], def.margin, &pair);
                    REQUIRE_OK(
                        abut_proxies(scene, c.body[i], c.body[k], &def, c.world.proxies, NULL));
                    require_contacts(c.world.proxies, &pair);
                    misses += pair.count == 0;
                    const bool meet = !(is_static(i) && is_static(k)) &&
                                      (group_of(i) & mask_of(k)) != 0 &&
                                      (group_of(k) & mask_of(i)) != 0;
                    for (size_t n = 0; n < pair.count && meet; ++n) {
                        push_contact(&all, &pair.contacts[n]);
                    }
                    free(pair.contacts);
                }
            }
            REQUIRE_OK(abut_proxies_all(scene, &def, c.world.proxies, NULL));
            require_contacts(c.world.proxies, &all);
            hits += all.count;
            free(all.contacts);
        }
        crowd_free(&c);
    }
    assert_true(hits > 1000 && misses > 100);
}

// far from the origin, where doubles are coarse, with spheres that just touch
static void test_contacts_far_away(void** state) {
    (void)state;
    test_random random = random_seed(43);
    size_t hits = 0;
    for (uint32_t round = 0; round < effort(60, 200, 4000); ++round) {
        where("seed 43, round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        field_set f = make_fields(&random, &s, 2, 0.2, ABUT_SCALAR_F64, false);
        const abut_body_id a = add_proxies(&w, &s, &f, 5, NULL);
        const abut_body_id b = add_proxies(&w, &s, &f, 3, NULL);
        abut_frame frame = frame_random(&random, ldexp(1, random_between(&random, 0, 56)));
        world_frame(&w, a, frame);
        frame.t[round % 3] += random_double(&random, 1.9, 2.4);
        world_frame(&w, b, frame);
        contact_list wanted = {0};
        brute_contacts(w.scene, a, b, 0, &wanted);
        REQUIRE_OK(abut_proxies_all(w.scene, NULL, w.proxies, NULL));
        require_contacts(w.proxies, &wanted);
        hits += wanted.count;
        free(wanted.contacts);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(hits > 0);
}

// triangles that touch have proxies that overlap
static void test_no_contact_is_missed(void** state) {
    (void)state;
    test_random random = random_seed(44);
    size_t hits = 0;
    for (uint32_t round = 0; round < effort(10, 30, 500); ++round) {
        where("seed 44, round %u", round);
        crowd c;
        crowd_make(&c, NULL, 100 + round);
        crowd_step(&c, &random, 1);
        const abut_scene* scene = c.world.scene;
        REQUIRE_OK(abut_collide(scene, c.body[0], c.body[1], NULL, c.world.result, NULL));
        pair_list pairs = {0};
        pairs_append(&pairs, c.world.result);
        REQUIRE_OK(abut_proxies(scene, c.body[0], c.body[1], NULL, c.world.proxies, NULL));
        size_t count;
        const abut_proxy_pair* contacts = abut_proxies_result_pairs(c.world.proxies, &count);
        uint32_t* proxy_of[2];
        for (int side = 0; side < 2; ++side) {
            const abut_shape* shape = abut_body_shape(scene, c.body[side]);
            proxy_of[side] = test_alloc(abut_mesh_triangle_count(abut_shape_mesh(shape)),
                                        sizeof(uint32_t));
            for (uint32_t p = 0; p < abut_shape_proxy_count(shape); ++p) {
                size_t n;
                const uint32_t* ids = abut_shape_proxy_triangles(shape, p, &n);
                for (size_t i = 0; i < n; ++i) {
                    proxy_of[side][ids[i]] = p;
                }
            }
        }
        for (size_t i = 0; i < pairs.count; ++i) {
            bool found = false;
            for (size_t k = 0; k < count && !found; ++k) {
                found = contacts[k].proxy_a == proxy_of[0][pairs.pairs[i].triangle_a] &&
                        contacts[k].proxy_b == proxy_of[1][pairs.pairs[i].triangle_b];
            }
            REQUIRE(found);
        }
        hits += pairs.count;
        free(proxy_of[0]);
        free(proxy_of[1]);
        pairs_free(&pairs);
        crowd_free(&c);
    }
    assert_true(hits > 0);
}

// ---- promises

typedef struct record {
    uint64_t hash;
    abut_counters counters;
} record;

static record record_run(const abut_context_def* def, uint64_t seed) {
    record r;
    memset(&r, 0, sizeof r);
    crowd c;
    crowd_make(&c, def, seed);
    test_random random = random_seed(seed);
    abut_proxies_def query = abut_proxies_def_default();
    query.head.counters = &r.counters;
    for (uint32_t step = 0; step < 3; ++step) {
        crowd_step(&c, &random, 1.5);
        REQUIRE_OK(abut_proxies_all(c.world.scene, &query, c.world.proxies, NULL));
        size_t count;
        const abut_proxy_pair* contacts = abut_proxies_result_pairs(c.world.proxies, &count);
        const unsigned char* bytes = (const unsigned char*)contacts;
        for (size_t i = 0; i < count * sizeof *contacts; ++i) {
            r.hash = (r.hash ^ bytes[i]) * UINT64_C(0x100000001b3);
        }
    }
    crowd_free(&c);
    return r;
}

static void test_same_for_workers_and_sets(void** state) {
    (void)state;
    for (uint64_t seed = 200; seed < 200 + effort(4, 10, 100); ++seed) {
        record wanted = {0};
        everywhere at = everywhere_each((const uint32_t[]){2, 4, 8, 0}, seed);
        while (everywhere_next(&at)) {
            where("seed %u, %s", (unsigned)seed, at.text);
            const record got = record_run(&at.def, seed);
            wanted = at.first ? got : wanted;
            REQUIRE(got.counters.pairs_found > 0 &&
                    got.counters.boxes_tested > got.counters.pairs_found);
            REQUIRE(memcmp(&got, &wanted, sizeof got) == 0);
        }
    }
}

// Two bodies that lie in each other: most nodes meet several others, and their spheres are computed
// once.
static void test_spheres_are_computed_once(void** state) {
    (void)state;
    test_random random = random_seed(300);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(16, 24, 1);
    field_set f = make_fields(&random, &s, 4, 0.1, ABUT_SCALAR_F32, false);
    abut_body_def def = abut_body_def_default();
    const abut_body_id a = add_proxies(&w, &s, &f, 8, &def);
    def.frame.t[0] = 0.05;
    const abut_body_id b = add_proxies(&w, &s, &f, 8, &def);
    abut_counters counters = {0};
    abut_proxies_def query = abut_proxies_def_default();
    query.head.counters = &counters;
    REQUIRE_OK(abut_proxies(w.scene, a, b, &query, w.proxies, NULL));
    const abut__proxies* proxies = abut_body_shape(w.scene, a)->proxies;
    const uint64_t spheres = proxies->node_count - 1 + (uint64_t)proxies->count;
    print_message("%llu spheres computed, %llu tests\n",
                  (unsigned long long)counters.boxes_computed,
                  (unsigned long long)counters.boxes_tested);
    assert_int_equal(proxies->count, 256);
    assert_true(counters.boxes_computed <= 2 * spheres);
    assert_true(counters.boxes_tested > 16 * spheres);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// So many pairs of bodies that tasks have several of them: each gives what it gives alone, by as many
// tests.
static void test_pairs_do_not_mix(void** state) {
    (void)state;
    enum { MANY = 27 };
    test_random random = random_seed(301);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(5, 7, 1);
    field_set f = make_fields(&random, &s, 3, 0.2, ABUT_SCALAR_F32, false);
    abut_body_id ids[MANY];
    for (uint32_t i = 0; i < MANY; ++i) {
        abut_body_def def = abut_body_def_default();
        def.frame = frame_random(&random, 3);
        ids[i] = add_proxies(&w, &s, &f, 5, &def);
        const double q[3] = {random_double(&random, -1, 1), random_double(&random, -1, 1), 0.5};
        set_coordinates(&w, ids[i], q, 3);
    }
    abut_proxies_result* all;
    REQUIRE_OK(abut_proxies_result_create(w.context, &all, NULL));
    abut_counters together = {0};
    abut_counters each = {0};
    abut_proxies_def query = abut_proxies_def_default();
    query.head.counters = &together;
    REQUIRE_OK(abut_proxies_all(w.scene, &query, all, NULL));
    query.head.counters = &each;
    size_t total;
    size_t at = 0;
    const abut_proxy_pair* wanted = abut_proxies_result_pairs(all, &total);
    for (uint32_t i = 0; i < MANY * MANY; ++i) {
        const uint32_t a = i / MANY;
        const uint32_t b = i % MANY;
        size_t count = 0;
        if (a < b) {
            REQUIRE_OK(abut_proxies(w.scene, ids[a], ids[b], &query, w.proxies, NULL));
            const abut_proxy_pair* alone = abut_proxies_result_pairs(w.proxies, &count);
            REQUIRE(at + count <= total);
            REQUIRE(count == 0 || memcmp(wanted + at, alone, count * sizeof *alone) == 0);
        }
        at += count;
    }
    assert_int_equal(at, total);
    assert_int_equal(each.boxes_tested, together.boxes_tested);
    assert_true(total > 1000);
    abut_proxies_result_destroy(all);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

static void test_quiet_after_warm_up(void** state) {
    (void)state;
    test_threads* threads = threads_create(4, 9);
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    def.tasks = threads_tasks(threads);
    crowd c;
    crowd_make(&c, &def, 300);
    for (int round = 0; round < 4; ++round) {
        test_random random = random_seed(301);
        for (int step = 0; step < 10; ++step) {
            where("seed 301, round %d, step %d", round, step);
            crowd_step(&c, &random, 1.5);  // this validates, which needs memory
            const size_t before = memory.calls;
            REQUIRE_OK(abut_proxies_all(c.world.scene, NULL, c.world.proxies, NULL));
            REQUIRE(round == 0 || memory.calls == before);
        }
    }
    crowd_free(&c);
    memory_require_clean(&memory);
    threads_destroy(threads);
}

// Each allocation fails in turn: the call returns a status, nothing leaks, and the next try
// succeeds.
static void test_no_memory_is_reported(void** state) {
    (void)state;
    test_random random = random_seed(45);
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    surface s = surface_ball(6, 9, 1);
    field_set f = make_fields(&random, &s, 2, 0.2, ABUT_SCALAR_F64, false);
    world w = world_make(&def, NULL);
    abut_shape* rigid = world_shape(&w, &s, NULL);
    motion_def shape_def = modal_def(&f);
    shape_def.proxy_level = 5;
    shape_def.bound = ABUT_MODAL_BOUND_SPHERES;
    abut_shape* shape = NULL;
    abut_status status = ABUT_ERR_NO_MEMORY;
    for (size_t call = 1; status != ABUT_OK; ++call) {
        memory_fail(&memory, call, false);
        status = motion_create(w.context, abut_shape_mesh(rigid), &shape_def, &shape, NULL);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        REQUIRE((shape != NULL) == (status == ABUT_OK));
    }
    abut_body_id body[2];
    memory_fail(&memory, 0, false);
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &body[0], NULL));
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &body[1], NULL));
    status = ABUT_ERR_NO_MEMORY;
    for (size_t call = 1; status != ABUT_OK; ++call) {
        memory_fail(&memory, call, true);
        status = abut_proxies_all(w.scene, NULL, w.proxies, NULL);
        REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
        REQUIRE((abut_proxies_result_pairs(w.proxies, NULL) != NULL) == (status == ABUT_OK));
        if (status !=
            ABUT_OK) {  // starts from empty objects, so that every allocation occurs again
            memory_fail(&memory, 0, false);
            abut_collide_result_destroy(w.result);
            REQUIRE_OK(abut_collide_result_create(w.context, &w.result, NULL));
        }
    }
    memory_fail(&memory, 0, false);
    abut_shape_destroy(shape);
    abut_shape_destroy(rigid);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
    memory_require_clean(&memory);
}

// coordinates beyond float: all proxies overlap, so that no contact is missed
static void test_coordinates_beyond_float(void** state) {
    (void)state;
    test_random random = random_seed(46);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(6, 9, 1);
    field_set f = make_fields(&random, &s, 1, 1, ABUT_SCALAR_F64, false);
    const abut_body_id a = add_proxies(&w, &s, &f, 4, NULL);
    const abut_body_id b = add_proxies(&w, &s, &f, 2, NULL);
    const double q = 1e200;
    set_coordinates(&w, a, &q, 1);
    abut_frame frame = abut_frame_identity();
    frame.t[0] = 1e308;
    world_frame(&w, b, frame);
    REQUIRE_OK(abut_proxies_all(w.scene, NULL, w.proxies, NULL));
    size_t count;
    const abut_proxy_pair* contacts = abut_proxies_result_pairs(w.proxies, &count);
    assert_int_equal(count, 16 * 4);
    assert_true(contacts[5].distance == -INFINITY && isinf(contacts[5].radius_a));
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

static void test_bad_arguments(void** state) {
    (void)state;
    crowd c;
    crowd_make(&c, NULL, 400);
    const abut_scene* scene = c.world.scene;
    abut_proxies_result* result = c.world.proxies;
    double centre[3];
    double radius;
    const uint32_t count = abut_shape_proxy_count(abut_body_shape(scene, c.body[0]));
    REQUIRE_STATUS(abut_body_proxy(scene, c.body[0], count, centre, &radius, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_proxy(scene, c.body[6], 0, centre, &radius, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    abut_box box;
    REQUIRE_STATUS(abut_body_proxy_box(scene, c.body[6], &box, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_proxy_box(scene, c.body[0], NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_proxy_box(scene, (abut_body_id){99, 1}, &box, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_proxies(scene, c.body[0], c.body[0], NULL, result, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    abut_proxies_def def = abut_proxies_def_default();
    def.margin = -1;
    REQUIRE_STATUS(abut_proxies_all(scene, &def, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    motion_def shape_def = motion_def_default();
    abut_shape* shape = NULL;
    abut_error error;
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(scene, c.body[0]));
    shape_def.motion = ABUT_MOTION_MODAL;
    shape_def.proxy_level = 21;
    REQUIRE_STATUS(motion_create(c.world.context, mesh, &shape_def, &shape, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "level of 21"));
    // a refused query leaves no contacts of the previous query
    REQUIRE_OK(abut_proxies_all(scene, NULL, result, NULL));
    assert_non_null(abut_proxies_result_pairs(result, NULL));
    REQUIRE_STATUS(abut_proxies_all(scene, &def, result, NULL), ABUT_ERR_INVALID_ARGUMENT);
    size_t left;
    assert_null(abut_proxies_result_pairs(result, &left));
    assert_int_equal(left, 0);
    crowd_free(&c);
}

static void test_edits_keep_proxies(void** state) {
    (void)state;
    test_random random = random_seed(47);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(8, 12, 1);
    field_set f = make_fields(&random, &s, 4, 0.3, ABUT_SCALAR_F32, true);
    const abut_body_id body = add_proxies(&w, &s, &f, 5, NULL);
    const uint32_t removed[3] = {4, 40, 41};
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = removed;
    edit.removed_triangle_count = 3;
    abut_shape* edited = NULL;
    REQUIRE_OK(motion_edit(abut_body_shape(w.scene, body), &edit, &edited, NULL, NULL));
    REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
    size_t total = 0;
    for (uint32_t p = 0; p < 32; ++p) {
        size_t count;
        const uint32_t* ids = abut_shape_proxy_triangles(edited, p, &count);
        for (size_t i = 0; i < count; ++i) {
            REQUIRE(ids[i] != 4 && ids[i] != 40 && ids[i] != 41);
        }
        total += count;
    }
    assert_int_equal(total, s.triangle_count - 3);
    const double q[4] = {1, -0.5, 0.7, 0.2};
    set_coordinates(&w, body, q, 4);
    check_proxies_hold(&w, body);
    check_coarse_hold(&w, body);
    abut_shape_destroy(edited);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_triangles_are_halved),
        cmocka_unit_test(test_spheres_hold),
        cmocka_unit_test(test_contacts_equal_all_pairs),
        cmocka_unit_test(test_contacts_far_away),
        cmocka_unit_test(test_no_contact_is_missed),
        cmocka_unit_test(test_same_for_workers_and_sets),
        cmocka_unit_test(test_spheres_are_computed_once),
        cmocka_unit_test(test_pairs_do_not_mix),
        cmocka_unit_test(test_quiet_after_warm_up),
        cmocka_unit_test(test_no_memory_is_reported),
        cmocka_unit_test(test_coordinates_beyond_float),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_edits_keep_proxies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
