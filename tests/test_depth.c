// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth: known values, vectors that really free their regions, bounds against many
// directions by brute force, and regions that go on from step to step.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/offset.h"
#include "support/judge.h"
#include "support/scenery.h"

typedef struct trial {
    world w;
    abut_depth_result* depths;
    abut_body_id a;
    abut_body_id b;
} trial;

static trial trial_make(const surface* a, const surface* b) {
    trial t = {.w = world_make(NULL, NULL)};
    t.a = world_add(&t.w, a, NULL, NULL);
    t.b = world_add(&t.w, b, NULL, NULL);
    REQUIRE_OK(abut_depth_result_create(t.w.context, &t.depths, NULL));
    return t;
}

static void trial_free(trial* t) {
    abut_depth_result_destroy(t->depths);
    world_free(&t->w);
}

static const abut_region* solve(trial* t, const abut_depth_def* def, size_t* count) {
    REQUIRE_OK(abut_depth(t->w.scene, t->a, t->b, def, t->depths, NULL));
    REQUIRE(abut_depth_result_defined(t->depths));
    return abut_depth_result_regions(t->depths, count);
}

// an axis-aligned box of 12 n^2 triangles
static surface box(int n, const double lo[3], const double hi[3]) {
    surface s = surface_make((uint32_t)(36 * n * n), (uint32_t)(12 * n * n));
    static const int corner[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
    uint32_t v = 0;
    for (int face = 0; face < 6; ++face) {
        for (int cell = 0; cell < 6 * n * n; ++cell) {
            const int c = face % 2 == 0 ? cell % 6 : 5 - cell % 6;
            const double grid[3] = {face % 2 == 0 ? 1 : 0,
                                    (double)(cell / 6 / n + corner[c][0]) / n,
                                    (double)(cell / 6 % n + corner[c][1]) / n};
            for (int k = 0; k < 3; ++k) {
                const int d = (face / 2 + k) % 3;
                s.xyz[3 * (size_t)v + (size_t)d] = grid[k] == 1 ? hi[d]
                                                                : lo[d] + grid[k] * (hi[d] - lo[d]);
            }
            s.triangles[v] = v;
            ++v;
        }
    }
    return s;
}

static void test_boxes(void** state) {
    (void)state;
    test_random random = random_seed(3);
    for (int round = 0; round < 60; ++round) {
        const double depth = random_double(&random, 0.01, 0.45);
        const int axis = round % 3;
        const double sign = round % 2 == 0 ? 1 : -1;
        const double zero[3] = {0, 0, 0};
        const double one[3] = {1, 1, 1};
        surface a = box(1 + round % 4, zero, one);
        surface b = box(1 + round % 3, zero, one);
        double shift[3] = {0.1, -0.13, 0.07};
        shift[axis] = sign * (1 - depth);
        surface_shift(&b, shift[0], shift[1], shift[2]);
        trial t = trial_make(&a, &b);
        size_t count = 0;
        where("round %d, depth %g", round, depth);
        const abut_region* region = solve(&t, NULL, &count);
        REQUIRE(count == 1);
        where("round %d, depth %g: %.9g along %g %g %g, lower %g, pairs %zu, in a %zu, in b %zu",
              round, depth, region->depth, region->direction[0], region->direction[1],
              region->direction[2], region->lower, region->pair_count, region->inside_a_count,
              region->inside_b_count);
        REQUIRE(region->depth >= depth * (1 - 1e-9) && region->depth < 1.01 * depth);
        REQUIRE(region->direction[axis] * -sign > 0.999);
        REQUIRE(region->lower <= depth && region->lower > 0.5 * depth);
        REQUIRE(!region->interlocked);
        trial_free(&t);
        surface_free(&a);
        surface_free(&b);
    }
}

static void test_spheres(void** state) {
    (void)state;
    test_random random = random_seed(4);
    for (int round = 0; round < 20; ++round) {
        surface a = surface_ball(48, 64, 1);
        surface b = surface_ball(40, 56, 0.8);
        const double depth = random_double(&random, 0.02, 0.3);
        double d[3];
        double length = 0;
        for (int k = 0; k < 3; ++k) {
            d[k] = random_double(&random, -1, 1);
            length += d[k] * d[k];
        }
        for (int k = 0; k < 3; ++k) {
            d[k] *= (1.8 - depth) / sqrt(length);
        }
        surface_shift(&b, d[0], d[1], d[2]);
        trial t = trial_make(&a, &b);
        size_t count = 0;
        where("round %d, depth %g", round, depth);
        const abut_region* region = solve(&t, NULL, &count);
        REQUIRE(count == 1);
        // facets are up to this far below the sphere
        const double flat = 0.004;
        REQUIRE(fabs(region->depth - depth) < 0.01 * depth + flat);
        REQUIRE(region->lower <= region->depth && region->lower > 0.8 * (depth - flat));
        trial_free(&t);
        surface_free(&a);
        surface_free(&b);
    }
}

// marks the triangles of a region, of body a or b
static uint8_t* marks_of(const trial* t, const abut_region* region, int side, uint32_t triangles) {
    const abut_pair* all = abut_depth_result_pairs(t->depths, NULL);
    const uint32_t* inside = ABUT__AT(abut_depth_result_inside(t->depths, NULL),
                                      region->first_inside);
    uint8_t* marked = test_alloc(triangles, 1);
    memset(marked, 0, triangles);
    for (size_t i = 0; i < region->pair_count; ++i) {
        const abut_pair* p = &all[region->first_pair + i];
        marked[side == 0 ? p->triangle_a : p->triangle_b] = 1;
    }
    const size_t first = side == 0 ? 0 : region->inside_a_count;
    for (size_t i = 0; i < (side == 0 ? region->inside_a_count : region->inside_b_count); ++i) {
        marked[inside[first + i]] = 1;
    }
    return marked;
}

// the marked triangles alone
static surface part_of(const surface* s, const uint8_t* marked) {
    surface part = surface_copy(s);
    uint32_t count = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        if (marked[t] != 0) {
            memmove(part.triangles + 3 * (size_t)count++, s->triangles + 3 * (size_t)t,
                    3 * sizeof *part.triangles);
        }
    }
    part.triangle_count = count;
    return part;
}

// true if, after the shift, some corner of the listed triangles is not outside the body
static bool has_corner_inside(const trial* t, abut_body_id body, const surface* other,
                              const double shift[3], const uint32_t* inside, size_t count) {
    bool any = false;
    for (size_t i = 0; i < 3 * count && !any; ++i) {
        const double* v = other->xyz +
                          3 * (size_t)other->triangles[3 * (size_t)inside[i / 3] + i % 3];
        const double p[3] = {v[0] + shift[0], v[1] + shift[1], v[2] + shift[2]};
        any = world_point_side(&t->w, body, p, NULL) != ABUT_SIDE_OUTSIDE;
    }
    return any;
}

// Moves a by the region's vector. By all pairs, no two triangles of the region may then touch, and
// no point that was inside the other body may still be inside.
static void require_free(trial* t, const surface* a, const surface* b, const abut_region* region) {
    uint8_t* marked_a = marks_of(t, region, 0, a->triangle_count);
    uint8_t* marked_b = marks_of(t, region, 1, b->triangle_count);
    surface part_a = part_of(a, marked_a);
    surface part_b = part_of(b, marked_b);
    const uint32_t* inside = ABUT__AT(abut_depth_result_inside(t->depths, NULL),
                                      region->first_inside);
    double translation[3];
    double back[3];
    for (int d = 0; d < 3; ++d) {
        translation[d] = region->depth * region->direction[d];
        back[d] = -translation[d];
    }
    REQUIRE(!has_corner_inside(t, t->b, a, translation, inside, region->inside_a_count));
    inside = ABUT__AT(inside, region->inside_a_count);
    REQUIRE(!has_corner_inside(t, t->a, b, back, inside, region->inside_b_count));
    surface_shift(&part_a, translation[0], translation[1], translation[2]);
    REQUIRE(judge_surfaces(&part_a, &part_b, NULL) == 0);
    surface_free(&part_a);
    surface_free(&part_b);
    free(marked_a);
    free(marked_b);
}

// a ball with deep dents
static surface dented_ball(test_random* random, uint32_t rings, uint32_t sectors) {
    surface s = surface_ball(rings, sectors, 1);
    const double waves[3] = {random_double(random, 3, 9), random_double(random, 3, 9),
                             random_double(random, 3, 9)};
    const double depth = random_double(random, 0.2, 0.6);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        double* p = s.xyz + 3 * (size_t)v;
        const double factor = 1 - depth * (0.5 + 0.5 * sin(waves[0] * p[0]) * sin(waves[1] * p[1]) *
                                                     cos(waves[2] * p[2]));
        for (int d = 0; d < 3; ++d) {
            p[d] *= factor;
        }
    }
    return s;
}

// a body of two pieces, which touch the other body in two places
static surface two_balls(test_random* random) {
    surface one = dented_ball(random, 9, 10);
    surface_scale(&one, 0.5);
    surface other = surface_copy(&one);
    surface_shift(&one, 0, 0.6, 0);
    surface_shift(&other, 0, -0.6, 0);
    const surface both = surface_join(&one, &other);
    surface_free(&one);
    surface_free(&other);
    return both;
}

// a ring with a dented tube, thin or thick
static surface dented_ring(test_random* random) {
    const uint32_t around = 16;
    const uint32_t across = 7;
    surface s = surface_make(around * across, 2 * around * across);
    const double pi = acos(-1.0);
    const double tube = random_double(random, 0.1, 0.45);
    const double waves = random_between(random, 0, 5);
    uint32_t* corner = s.triangles;
    for (uint32_t i = 0; i < around; ++i) {
        for (uint32_t k = 0; k < across; ++k) {
            const double u = 2 * pi * i / around;
            const double v = 2 * pi * k / across;
            const double radius = tube * (1 + 0.4 * sin(waves * u + v));
            double* p = s.xyz + 3 * (size_t)(i * across + k);
            p[0] = (0.8 + radius * cos(v)) * cos(u);
            p[1] = (0.8 + radius * cos(v)) * sin(u);
            p[2] = radius * sin(v);
            const uint32_t next = (i + 1) % around * across;
            const uint32_t here = i * across;
            const uint32_t other = (k + 1) % across;
            const uint32_t both[6] = {here + k, next + k,     next + other,
                                      here + k, next + other, here + other};
            memcpy(corner, both, sizeof both);
            corner += 6;
        }
    }
    return s;
}

static surface random_surface(test_random* random, uint32_t kind) {
    switch (kind) {
        case 0: return two_balls(random);
        case 1: return dented_ring(random);
        case 2: return dented_ball(random, 14, 19);
        default: return dented_ball(random, 9, 10);
    }
}

// rotates at random and moves the middle to a random place within `reach`
static void turn_and_shift(test_random* random, surface* s, double reach) {
    const abut_frame turn = frame_random(random, 1);
    double d[3];
    double length = 0;
    for (int k = 0; k < 3; ++k) {
        d[k] = random_double(random, -1, 1);
        length += d[k] * d[k];
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double* p = s->xyz + 3 * (size_t)v;
        const double q[3] = {p[0], p[1], p[2]};
        for (int k = 0; k < 3; ++k) {
            p[k] = turn.r[k][0] * q[0] + turn.r[k][1] * q[1] + turn.r[k][2] * q[2] +
                   reach * d[k] / sqrt(length);
        }
    }
}

static void test_vectors_free_their_regions(void** state) {
    (void)state;
    uint32_t regions = 0;
    uint32_t several = 0;
    uint32_t interlocked = 0;
    for (uint32_t round = 0; round < effort(60, 4000, 10000); ++round) {
        test_random random = random_seed(round);
        surface a = random_surface(&random, 1 + round % 3);
        surface b = random_surface(&random, round / 3 % 4);
        turn_and_shift(&random, &b, random_double(&random, 0, 1.8));
        trial t = trial_make(&a, &b);
        size_t count = 0;
        where("seed %u", round);
        const abut_region* found = solve(&t, NULL, &count);
        for (size_t r = 0; r < count; ++r) {
            where("seed %u, region %zu of %zu", round, r, count);
            REQUIRE(found[r].lower <= found[r].depth);
            REQUIRE(isfinite(found[r].depth));
            require_free(&t, &a, &b, &found[r]);
            ++regions;
            interlocked += found[r].interlocked;
        }
        several += count > 1;
        trial_free(&t);
        surface_free(&a);
        surface_free(&b);
    }
    print_message("%u regions, %u interlocked; several in %u configurations\n", regions,
                  interlocked, several);
    assert_true(regions > 20 && several > 0);
}

// The same with previous state: one body drifts through the other, in long and short steps.
static void test_followed_vectors_free_their_regions(void** state) {
    (void)state;
    uint32_t regions = 0;
    uint32_t longer = 0;
    for (uint32_t round = 0; round < effort(20, 300, 3000); ++round) {
        test_random random = random_seed(round);
        surface a = random_surface(&random, 1 + round % 3);
        surface b = random_surface(&random, round / 3 % 4);
        turn_and_shift(&random, &b, random_double(&random, 0, 1.6));
        trial t = trial_make(&a, &b);
        const double drift[3] = {random_double(&random, -1, 1), random_double(&random, -1, 1),
                                 random_double(&random, -1, 1)};
        for (uint32_t step = 0; step < 12; ++step) {
            const double length = pow(10, -random_double(&random, 0.5, 4));
            surface_shift(&b, length * drift[0], length * drift[1], length * drift[2]);
            world_move(&t.w, t.b, b.xyz);
            size_t count = 0;
            where("seed %u, step %u", round, step);
            const abut_region* found = solve(&t, NULL, &count);
            for (size_t r = 0; r < count; ++r) {
                where("seed %u, step %u, region %zu of %zu", round, step, r, count);
                REQUIRE(found[r].lower <= found[r].upper && found[r].upper <= found[r].depth);
                REQUIRE(isfinite(found[r].depth));
                require_free(&t, &a, &b, &found[r]);
                ++regions;
                longer += found[r].depth > found[r].upper;
            }
        }
        trial_free(&t);
        surface_free(&a);
        surface_free(&b);
    }
    print_message("%u regions, %u with a shorter translation than the one that is followed\n",
                  regions, longer);
    assert_true(regions > 100 && longer > regions / 50);
}

// A box that is wholly below the surface touches nothing any more. The translation to there is
// short, but it does not separate.
static void test_submerged_box_is_not_separated(void** state) {
    (void)state;
    const double box_lo[3] = {-0.5, -0.5, -0.9};
    const double box_hi[3] = {0.5, 0.5, 0.1};
    const double ground_lo[3] = {-2, -2, -3};
    const double ground_hi[3] = {2, 2, 0};
    surface a = box(2, box_lo, box_hi);
    surface b = box(3, ground_lo, ground_hi);
    for (int together = 0; together < 2; ++together) {
        trial t = trial_make(&a, &b);
        abut_depth_def def = abut_depth_def_default();
        size_t count = 0;
        def.one_region = together != 0;
        where("together %d", together);
        const abut_region* region = solve(&t, &def, &count);
        REQUIRE(count == 1 && !region->interlocked);
        REQUIRE(region->direction[2] > 0.999 && fabs(region->depth - 0.9) < 0.009);
        require_free(&t, &a, &b, region);
        trial_free(&t);
    }
    surface_free(&a);
    surface_free(&b);
}

static void test_depth_of_a_contained_body(void** state) {
    (void)state;
    surface large = surface_ball(20, 30, 2);
    surface small = surface_ball(8, 12, 0.5);
    surface_shift(&small, 0.6, 0, 0);
    trial t = trial_make(&small, &large);
    size_t count = 0;
    const abut_region* region = solve(&t, NULL, &count);
    assert_int_equal(count, 1);
    assert_int_equal(region->kind, ABUT_REGION_INSIDE_B);
    assert_true(region->depth > 1.85 && region->depth < 1.97);  // 2 + 0.5 - 0.6
    assert_true(region->lower > 0.5 && region->lower <= region->depth);
    assert_int_equal(region->inside_a_count, small.triangle_count);
    trial_free(&t);
    t = trial_make(&large, &small);
    region = solve(&t, NULL, &count);
    assert_int_equal(count, 1);
    assert_int_equal(region->kind, ABUT_REGION_INSIDE_A);
    assert_true(region->depth > 1.85 && region->depth < 1.97);
    trial_free(&t);
    surface_free(&large);
    surface_free(&small);
}

static void test_open_surfaces(void** state) {
    (void)state;
    surface sheet = surface_sheet(4, 4, 2);
    surface ball = surface_ball(8, 10, 0.5);
    surface_shift(&ball, 1, 1, 0);
    trial t = trial_make(&ball, &sheet);
    size_t count = 7;
    REQUIRE_OK(abut_depth(t.w.scene, t.a, t.b, NULL, t.depths, NULL));
    assert_false(abut_depth_result_defined(t.depths));
    assert_null(abut_depth_result_regions(t.depths, &count));
    assert_int_equal(count, 0);
    trial_free(&t);
    surface_free(&sheet);
    surface_free(&ball);
}

// a ball sinks into a box step by step: one region, one id, no jumps
static void test_coherence(void** state) {
    (void)state;
    const double lo[3] = {-2, -2, -2};
    const double hi[3] = {2, 2, 0};
    surface ball = surface_ball(24, 32, 0.5);
    surface ground = box(6, lo, hi);
    trial t = trial_make(&ball, &ground);
    uint32_t id = 0;
    double last = 0;
    for (int step = 0; step < 40; ++step) {
        abut_frame frame = abut_frame_identity();
        frame.t[0] = 0.01 * step;
        frame.t[2] = 0.5 - 0.01 * (step + 1);
        world_frame(&t.w, t.a, frame);
        size_t count = 0;
        where("step %d", step);
        const abut_region* region = solve(&t, NULL, &count);
        REQUIRE(count == 1);
        REQUIRE(id == 0 ? region->is_new : region->id == id && !region->is_new);
        REQUIRE(region->turn_angle < 0.1);
        REQUIRE(fabs(region->depth - last) < 0.02);
        REQUIRE(region->direction[2] > 0.99);
        id = region->id;
        last = region->depth;
    }
    trial_free(&t);
    surface_free(&ball);
    surface_free(&ground);
}

// ---- scenes

static trial scene_trial(const scene* s, uint32_t frame, surface* a, surface* b) {
    *a = scenery_surface(s, 0, frame);
    *b = scenery_surface(s, 1, frame);
    return trial_make(a, b);
}

static void move_away(trial* t, const abut_region* region) {
    abut_frame frame = abut_frame_identity();
    for (int d = 0; d < 3; ++d) {
        frame.t[d] = region->depth * region->direction[d];
    }
    world_frame(&t->w, t->a, frame);
}

static bool bodies_touch(trial* t) {
    REQUIRE_OK(abut_collide(t->w.scene, t->a, t->b, NULL, t->w.result, NULL));
    return abut_collide_result_found(t->w.result);
}

// the vector of each region frees it, and the common vector frees all regions, in every scene
static void test_scenes(void** state) {
    (void)state;
    static const char* const names[] = {"combs", "peg", "links", "cushion", "blobs", "pressed"};
    abut_depth_def together = abut_depth_def_default();
    together.one_region = true;
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k) {
        scene* s = scene_create(names[k], 1500, 12, 1);
        assert_non_null(s);
        for (uint32_t frame = 0; frame < 12; frame += effort(3, 1, 1)) {
            surface a;
            surface b;
            trial t = scene_trial(s, frame, &a, &b);
            size_t count = 0;
            where("%s, frame %u", names[k], frame);
            const abut_region* found = solve(&t, NULL, &count);
            for (size_t r = 0; r < count; ++r) {
                require_free(&t, &a, &b, &found[r]);
            }
            found = solve(&t, &together, &count);
            REQUIRE(count <= 1);
            REQUIRE((count == 1) == bodies_touch(&t));
            if (count == 1 && !found->interlocked) {
                move_away(&t, found);
                REQUIRE(!bodies_touch(&t));
            }
            trial_free(&t);
            surface_free(&a);
            surface_free(&b);
        }
        scene_destroy(s);
    }
}

static void test_combs_separate(void** state) {
    (void)state;
    scene* s = scene_create("combs", 0, 21, 1);
    surface a;
    surface b;
    trial t = scene_trial(s, 14, &a, &b);
    size_t count = 0;
    const abut_region* found = solve(&t, NULL, &count);
    print_message("%zu regions of combs\n", count);
    assert_int_equal(count, 5);  // six teeth each, shifted by half a pitch
    for (size_t r = 0; r < count; ++r) {
        assert_true(found[r].depth < 0.25 && !found[r].interlocked);
        assert_true(fabs(found[r].direction[0]) > 0.9);
    }
    abut_depth_def together = abut_depth_def_default();
    together.one_region = true;
    found = solve(&t, &together, &count);
    assert_int_equal(count, 1);
    assert_true(found->depth < 0.25 && !found->interlocked);
    move_away(&t, found);
    assert_false(bodies_touch(&t));
    trial_free(&t);
    surface_free(&a);
    surface_free(&b);
    scene_destroy(s);
}

// turns a surface about two axes
static void turn(surface* s, double first, double second) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double* p = s->xyz + 3 * (size_t)v;
        const double y = cos(first) * p[1] - sin(first) * p[2];
        const double z = sin(first) * p[1] + cos(first) * p[2];
        const double x = cos(second) * p[0] - sin(second) * y;
        p[1] = sin(second) * p[0] + cos(second) * y;
        p[0] = x;
        p[2] = z;
    }
}

// A bar through a plate leaves it along itself, by its shorter part. A shorter translation can free
// the region alone.
static void test_bar_leaves_plate_along_itself(void** state) {
    (void)state;
    uint32_t along = 0;
    for (uint32_t seed = 0; seed < effort(20, 60, 600); ++seed) {
        test_random random = random_seed(seed);
        const double part[2] = {random_double(&random, 0.7, 2), random_double(&random, 0.7, 2)};
        const double truth = fmin(part[0], part[1]) + 0.1;
        surface a = box(random_between(&random, 1, 20), (const double[3]){-0.1, -0.1, -part[0]},
                        (const double[3]){0.1, 0.1, part[1]});
        surface b = box(random_between(&random, 1, 12), (const double[3]){-3, -3.1, -0.1},
                        (const double[3]){3.2, 3, 0.1});
        const double angle[2] = {random_double(&random, 0, 3), random_double(&random, 0, 3)};
        if (seed % 2 == 0) {
            turn(&a, angle[0], angle[1]);
            turn(&b, angle[0], angle[1]);
        }
        trial t = trial_make(&a, &b);
        size_t count = 0;
        const abut_region* region = solve(&t, NULL, &count);
        where("seed %u: %.9g along %g %g %g, not %g", seed, region->depth, region->direction[0],
              region->direction[1], region->direction[2], truth);
        REQUIRE(count == 1 && region->depth < (1 + 1e-6) * truth);
        REQUIRE(region->interlocked || region->depth > (1 - 1e-9) * truth);
        along += !region->interlocked;
        trial_free(&t);
        surface_free(&a);
        surface_free(&b);
    }
    REQUIRE(along > 10);
}

static void test_links_are_interlocked(void** state) {
    (void)state;
    scene* s = scene_create("links", 2000, 21, 1);
    for (uint32_t frame = 0; frame <= 20; frame += 20) {
        surface a;
        surface b;
        trial t = scene_trial(s, frame, &a, &b);
        size_t count = 0;
        const abut_region* found = solve(&t, NULL, &count);
        bool interlocked = false;
        for (size_t r = 0; r < count; ++r) {
            print_message("frame %u: depth %g, lower %g, %s\n", frame, found[r].depth,
                          found[r].lower, found[r].interlocked ? "interlocked" : "free");
            interlocked = interlocked || found[r].interlocked;
        }
        assert_true(count > 0);
        assert_int_equal(interlocked, frame == 20);
        trial_free(&t);
        surface_free(&a);
        surface_free(&b);
    }
    scene_destroy(s);
}

// no random translation shorter than the lower bound frees a region
static void test_lower_bounds(void** state) {
    (void)state;
    uint32_t tried = 0;
    double tightest = 0;
    for (uint32_t round = 0; round < effort(20, 60, 600); ++round) {
        test_random random = random_seed(1000 + round);
        surface a = dented_ball(&random, 8, 11);
        surface b = dented_ball(&random, 9, 10);
        surface_shift(&b, random_double(&random, 0.4, 1.5), random_double(&random, -0.4, 0.4), 0);
        trial t = trial_make(&a, &b);
        size_t count = 0;
        where("seed %u", 1000 + round);
        const abut_region* found = solve(&t, NULL, &count);
        for (int k = 0; k < 40 && count == 1 && found->lower > 0; ++k) {
            double v[3];
            double length = 0;
            for (int d = 0; d < 3; ++d) {
                v[d] = random_double(&random, -1, 1);
                length += v[d] * v[d];
            }
            abut_frame frame = abut_frame_identity();
            for (int d = 0; d < 3; ++d) {
                frame.t[d] = 0.999 * found->lower * v[d] / sqrt(length);
            }
            world_frame(&t.w, t.a, frame);
            REQUIRE(world_body_side(&t.w, t.a, t.b) != ABUT_SIDE_OUTSIDE || bodies_touch(&t));
            ++tried;
        }
        tightest += count == 1 ? found->lower / found->depth / effort(20, 60, 600) : 0;
        trial_free(&t);
        surface_free(&a);
        surface_free(&b);
    }
    print_message("%u translations; lower bound over depth %.2f in the mean\n", tried, tightest);
    assert_true(tried > 100 && tightest > 0.3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_vectors_free_their_regions),
        cmocka_unit_test(test_followed_vectors_free_their_regions),
        cmocka_unit_test(test_submerged_box_is_not_separated),
        cmocka_unit_test(test_depth_of_a_contained_body),
        cmocka_unit_test(test_open_surfaces),
        cmocka_unit_test(test_coherence),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_combs_separate),
        cmocka_unit_test(test_bar_leaves_plate_along_itself),
        cmocka_unit_test(test_links_are_interlocked),
        cmocka_unit_test(test_lower_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
