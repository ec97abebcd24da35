// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Penetration depth within one body: bent tubes whose end is pressed into their own side by a known
// amount, and random ones. The oracles are all pairs of triangles, winding numbers by solid angles,
// and translations in many directions.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/offset.h"
#include "exact/triangles.h"
#include "support/judge.h"
#include "support/memory.h"
#include "support/solids.h"

#define PI 3.14159265358979323846

typedef struct trial {
    world w;
    abut_depth_result* depths;
    abut_body_id body;
} trial;

static trial trial_make_in(const abut_context_def* def, const surface* s) {
    trial t = {.w = world_make(def, NULL)};
    t.body = world_add(&t.w, s, NULL, NULL);
    REQUIRE_OK(abut_depth_result_create(t.w.context, &t.depths, NULL));
    return t;
}

static trial trial_make(const surface* s) {
    return trial_make_in(NULL, s);
}

static void trial_free(trial* t) {
    abut_depth_result_destroy(t->depths);
    world_free(&t->w);
}

static const abut_region* solve(trial* t, size_t* count) {
    REQUIRE_OK(abut_depth_self(t->w.scene, t->body, NULL, t->depths, NULL));
    REQUIRE(abut_depth_result_defined(t->depths));
    return abut_depth_result_regions(t->depths, count);
}

// ---- bent tubes

enum { MOST_RINGS = 128 };

// rings along a path in the plane y = 0
typedef struct tube {
    double place[MOST_RINGS][2];  // x and z
    double turn[MOST_RINGS];      // direction of the path: 0 is along x
    double radius[MOST_RINGS];
    uint32_t count;
} tube;

static void add_ring(tube* t, double x, double z, double turn, double radius) {
    assert_true(t->count < MOST_RINGS);
    t->place[t->count][0] = x;
    t->place[t->count][1] = z;
    t->turn[t->count] = turn;
    t->radius[t->count++] = radius;
}

static void add_straight(tube* t, double from[2], double turn, double length, uint32_t rings,
                         double radius_from, double radius_to) {
    for (uint32_t i = 1; i <= rings; ++i) {
        const double part = (double)i / rings;
        add_ring(t, from[0] + part * length * cos(turn), from[1] + part * length * sin(turn), turn,
                 radius_from + part * (radius_to - radius_from));
    }
    from[0] += length * cos(turn);
    from[1] += length * sin(turn);
}

// an arc to the left
static void add_arc(tube* t, double from[2], double* turn, double radius, double angle,
                    uint32_t rings, double width) {
    const double centre[2] = {from[0] - radius * sin(*turn), from[1] + radius * cos(*turn)};
    for (uint32_t i = 1; i <= rings; ++i) {
        const double now = *turn + angle * i / rings;
        from[0] = centre[0] + radius * sin(now);
        from[1] = centre[1] - radius * cos(now);
        add_ring(t, from[0], from[1], now, width);
    }
    *turn += angle;
}

// closed by a point at each end; `sides` 4 makes a bar with flat sides along y and across
static surface tube_surface(const tube* t, uint32_t sides) {
    surface s = surface_make(t->count * sides + 2, 2 * sides * (t->count - 1) + 2 * sides);
    const double offset = sides == 4 ? 0.5 : 0;
    const double grow = sides == 4 ? sqrt(2) : 1;
    uint32_t* corner = s.triangles;
    for (uint32_t r = 0; r < t->count; ++r) {
        for (uint32_t k = 0; k < sides; ++k) {
            const double angle = 2 * PI * (k + offset) / sides;
            const double up = grow * t->radius[r] * sin(angle);
            double* p = s.xyz + 3 * (size_t)(r * sides + k);
            p[0] = t->place[r][0] - up * sin(t->turn[r]);
            p[1] = -grow * t->radius[r] * cos(angle);
            p[2] = t->place[r][1] + up * cos(t->turn[r]);
        }
    }
    const uint32_t ends[2] = {t->count * sides, t->count * sides + 1};
    for (int e = 0; e < 2; ++e) {
        const uint32_t r = e == 0 ? 0 : t->count - 1;
        double* p = s.xyz + 3 * (size_t)ends[e];
        p[0] = t->place[r][0];
        p[1] = 0;
        p[2] = t->place[r][1];
    }
    for (uint32_t k = 0; k < sides; ++k) {
        const uint32_t next = (k + 1) % sides;
        const uint32_t last = (t->count - 1) * sides;
        for (uint32_t r = 0; r + 1 < t->count; ++r) {
            const uint32_t a = r * sides;
            const uint32_t b = a + sides;
            const uint32_t both[6] = {a + k, b + k, b + next, a + k, b + next, a + next};
            memcpy(corner, both, sizeof both);
            corner += 6;
        }
        const uint32_t caps[6] = {ends[0], k, next, ends[1], last + next, last + k};
        memcpy(corner, caps, sizeof caps);
        corner += 6;
    }
    return s;
}

// A bar that bends back from above. Its end, a bar of half-width 0.2 or a round finger, goes
// `depth` deep into the upper side of its beginning, which is the plane z = 0.3.
static surface clamp(double depth, bool finger, uint32_t sides) {
    tube t = {.count = 0};
    double from[2] = {-2, 0};
    double turn = 0;
    add_ring(&t, -2, 0, 0, 0.3);
    add_straight(&t, from, turn, 4, 17, 0.3, 0.3);
    add_arc(&t, from, &turn, 1.5, PI, 12, 0.3);
    add_straight(&t, from, turn, 2, 8, 0.3, 0.2);
    add_arc(&t, from, &turn, 1, PI / 2, 6, 0.2);
    const double end = 0.3 - depth;
    const double round = finger ? 0.2 : 0;
    add_straight(&t, from, turn, from[1] - end - round, 7, 0.2, 0.2);
    for (uint32_t i = 1; i < 6 && finger; ++i) {
        const double angle = PI / 2 * i / 6;
        add_ring(&t, from[0], from[1] - round * sin(angle), turn, round * cos(angle));
    }
    surface s = tube_surface(&t, sides);
    if (finger) {  // the end's point is the tip
        s.xyz[3 * (size_t)(s.vertex_count - 1) + 2] = end;
    }
    return s;
}

// ---- oracles

static void corner_of(const surface* s, uint32_t triangle, int c, double out[3]) {
    memcpy(out, s->xyz + 3 * (size_t)s->triangles[3 * (size_t)triangle + (size_t)c],
           3 * sizeof *out);
}

// true if both sides of a triangle are inside, close to its middle
static bool is_buried(const surface* s, uint32_t triangle) {
    double v[3][3];
    double middle[3];
    double normal[3];
    bool buried = true;
    for (int c = 0; c < 3; ++c) {
        corner_of(s, triangle, c, v[c]);
    }
    for (int d = 0; d < 3; ++d) {
        const int e = (d + 1) % 3;
        const int f = (d + 2) % 3;
        middle[d] = (v[0][d] + v[1][d] + v[2][d]) / 3;
        normal[d] = (v[1][e] - v[0][e]) * (v[2][f] - v[0][f]) -
                    (v[1][f] - v[0][f]) * (v[2][e] - v[0][e]);
    }
    const double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] +
                               normal[2] * normal[2]);
    for (int side = -1; side <= 1; side += 2) {
        const double p[3] = {middle[0] + side * 1e-7 * normal[0] / length,
                             middle[1] + side * 1e-7 * normal[1] / length,
                             middle[2] + side * 1e-7 * normal[2] / length};
        buried = buried && fabs(winding_number(s, p)) > 0.5;
    }
    return buried;
}

// The triangles of one side of a region as a surface. `ids` receives their ids, because triangles
// that share a vertex are no pair.
static surface side_of(const trial* t, const surface* s, const abut_region* region, int side,
                       uint32_t* ids) {
    const abut_pair* pairs = abut_depth_result_pairs(t->depths, NULL) + region->first_pair;
    const uint32_t* inside = ABUT__AT(abut_depth_result_inside(t->depths, NULL),
                                      region->first_inside +
                                          (side == 0 ? 0 : region->inside_a_count));
    const size_t inside_count = side == 0 ? region->inside_a_count : region->inside_b_count;
    uint8_t* marked = test_alloc(s->triangle_count, 1);
    for (size_t i = 0; i < region->pair_count; ++i) {
        marked[side == 0 ? pairs[i].triangle_a : pairs[i].triangle_b] = 1;
    }
    for (size_t i = 0; i < inside_count; ++i) {
        marked[inside[i]] = 1;
    }
    surface part = surface_copy(s);
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->triangle_count; ++k) {
        if (marked[k] != 0) {
            memmove(part.triangles + 3 * (size_t)count, s->triangles + 3 * (size_t)k,
                    3 * sizeof *s->triangles);
            ids[count++] = k;
        }
    }
    part.triangle_count = count;
    free(marked);
    return part;
}

typedef struct sides {
    surface part[2];
    uint32_t* ids[2];
    const surface* whole;
} sides;

static sides sides_make(const trial* t, const surface* s, const abut_region* region) {
    sides made = {.whole = s};
    for (int k = 0; k < 2; ++k) {
        made.ids[k] = test_alloc(s->triangle_count, sizeof *made.ids[k]);
        made.part[k] = side_of(t, s, region, k, made.ids[k]);
    }
    return made;
}

static void sides_free(sides* s) {
    for (int k = 0; k < 2; ++k) {
        surface_free(&s->part[k]);
        free(s->ids[k]);
    }
}

static bool share_vertex(const surface* s, uint32_t a, uint32_t b) {
    for (int k = 0; k < 9; ++k) {
        if (s->triangles[3 * (size_t)a + (size_t)(k / 3)] ==
            s->triangles[3 * (size_t)b + (size_t)(k % 3)]) {
            return true;
        }
    }
    return false;
}

// true if triangles of the two sides touch after the first side was moved, by all pairs
static bool sides_touch(const sides* s, const double translation[3]) {
    surface moved = surface_copy(&s->part[0]);
    surface_shift(&moved, translation[0], translation[1], translation[2]);
    brute_pair* pairs = NULL;
    const size_t count = judge_surfaces(&moved, &s->part[1], &pairs);
    bool touch = false;
    for (size_t i = 0; i < count; ++i) {
        touch = touch || !share_vertex(s->whole, s->ids[0][pairs[i].a], s->ids[1][pairs[i].b]);
    }
    free(pairs);
    surface_free(&moved);
    return touch;
}

static void require_free(const trial* t, const surface* s, const abut_region* region) {
    sides both = sides_make(t, s, region);
    const double none[3] = {0, 0, 0};
    const double translation[3] = {region->depth * region->direction[0],
                                   region->depth * region->direction[1],
                                   region->depth * region->direction[2]};
    REQUIRE(sides_touch(&both, none));
    REQUIRE(!sides_touch(&both, translation));
    sides_free(&both);
}

// Each pair is in one region. No triangle is on both sides of a region. A triangle without contact
// is inside a region if both of its sides are inside the body.
static void require_regions(const trial* t, const surface* s) {
    size_t regions = 0;
    size_t listed = 0;
    const abut_region* found = abut_depth_result_regions(t->depths, &regions);
    const abut_pair* pairs = abut_depth_result_pairs(t->depths, &listed);
    pair_list wanted = oracle_self(t->w.scene, t->body, NULL);
    uint8_t* state = test_alloc(s->triangle_count,
                                1);  // 1: touches something; 2: said to be inside
    REQUIRE(listed == wanted.count);
    pair_list got = {NULL, 0, 0};
    for (size_t i = 0; i < listed; ++i) {
        abut_pair p = pairs[i];
        state[p.triangle_a] = state[p.triangle_b] = 1;
        if (p.triangle_a > p.triangle_b) {
            p.triangle_a = pairs[i].triangle_b;
            p.triangle_b = pairs[i].triangle_a;
        }
        pairs_push(&got, p);
    }
    pairs_sort(&got);
    require_same_pairs(&got, &wanted, "pairs of regions");
    for (size_t r = 0; r < regions; ++r) {
        const uint32_t* inside = ABUT__AT(abut_depth_result_inside(t->depths, NULL),
                                          found[r].first_inside);
        for (size_t i = 0; i < found[r].inside_a_count + found[r].inside_b_count; ++i) {
            REQUIRE(state[inside[i]] != 1);
            state[inside[i]] = 2;
        }
    }
    for (uint32_t k = 0; k < s->triangle_count; ++k) {
        REQUIRE(state[k] == 1 || (state[k] == 2) == is_buried(s, k));
    }
    pairs_free(&wanted);
    pairs_free(&got);
    free(state);
}

// ---- tests

// the end of a bar, and of a round finger, in the flat side of the beginning
static void test_known_depths(void** state) {
    (void)state;
    test_random random = random_seed(5);
    for (int round = 0; round < 24; ++round) {
        const double depth = random_double(&random, 0.02, 0.3);
        const bool finger = round % 2 == 1;
        surface s = clamp(depth, finger, 4);
        if (round % 3 == 2) {  // normals inwards
            for (uint32_t k = 0; k < s.triangle_count; ++k) {
                const uint32_t first = s.triangles[3 * (size_t)k];
                s.triangles[3 * (size_t)k] = s.triangles[3 * (size_t)k + 1];
                s.triangles[3 * (size_t)k + 1] = first;
            }
        }
        trial t = trial_make(&s);
        size_t count = 0;
        where("round %d, depth %g", round, depth);
        const abut_region* region = solve(&t, &count);
        REQUIRE(count == 1);
        where("round %d, depth %g: %g along %g %g %g, lower %g", round, depth, region->depth,
              region->direction[0], region->direction[1], region->direction[2], region->lower);
        REQUIRE(region->kind == ABUT_REGION_CONTACT && !region->interlocked && region->is_new);
        REQUIRE(region->depth >= depth * (1 - 1e-9) && region->depth < 1.01 * depth);
        REQUIRE(region->lower > 0 && region->lower <= depth);
        // the beginning has the lower ids, so it is the first side, and down separates it
        REQUIRE(region->direction[2] < -0.999);
        require_free(&t, &s, region);
        require_regions(&t, &s);
        trial_free(&t);
        surface_free(&s);
    }
}

static void test_no_region_without_contact(void** state) {
    (void)state;
    surface s = clamp(-0.05, true, 8);
    trial t = trial_make(&s);
    size_t count = 7;
    assert_null(solve(&t, &count));
    assert_int_equal(count, 0);
    abut_depth_def def = abut_depth_def_default();
    def.one_region = true;
    assert_int_equal(abut_depth_self(t.w.scene, t.body, &def, t.depths, NULL),
                     ABUT_ERR_INVALID_ARGUMENT);
    trial_free(&t);
    surface_free(&s);
    surface sheet = surface_sheet(4, 4, 2);
    t = trial_make(&sheet);
    REQUIRE_OK(abut_depth_self(t.w.scene, t.body, NULL, t.depths, NULL));
    assert_false(abut_depth_result_defined(t.depths));
    assert_null(abut_depth_result_regions(t.depths, &count));
    trial_free(&t);
    surface_free(&sheet);
}

// a tube with random turns, which sometimes runs into itself
static surface wandering_tube(test_random* random) {
    tube t = {.count = 0};
    double from[2] = {0, 0};
    double turn = 0;
    const double width = random_double(random, 0.15, 0.4);
    add_ring(&t, 0, 0, 0, 0.8 * width);
    for (int k = 0; k < 5; ++k) {
        add_straight(&t, from, turn, random_double(random, 0.4, 2), 4, width, width);
        add_arc(&t, from, &turn, random_double(random, 1.3, 3) * width,
                random_double(random, 0.3, 1) * PI, 6, width);
    }
    return tube_surface(&t, (uint32_t)random_between(random, 4, 7));
}

static void random_translation(test_random* random, double length, double translation[3]) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        translation[d] = random_double(random, -1, 1);
        square += translation[d] * translation[d];
    }
    for (int d = 0; d < 3; ++d) {
        translation[d] *= length / sqrt(square);
    }
}

// the direction of separation: the sum of normals of the second side less that of the first
static void out_of(const sides* s, double out[3]) {
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 2; ++k) {
        for (uint32_t t = 0; t < s->part[k].triangle_count; ++t) {
            double v[3][3];
            for (int c = 0; c < 3; ++c) {
                corner_of(&s->part[k], t, c, v[c]);
            }
            for (int d = 0; d < 3; ++d) {
                const int e = (d + 1) % 3;
                const int f = (d + 2) % 3;
                out[d] += (k == 0 ? -1 : 1) * ((v[1][e] - v[0][e]) * (v[2][f] - v[0][f]) -
                                               (v[1][f] - v[0][f]) * (v[2][e] - v[0][e]));
            }
        }
    }
}

// The shortest translation over many directions, each as long as it must be, in steps of a fraction
// of `most`.
static double brute_depth(test_random* random, const sides* s, double most) {
    double best = most;
    double out[3];
    out_of(s, out);
    for (int k = 0; k < 60; ++k) {
        double translation[3];
        random_translation(random, 1, translation);
        if (translation[0] * out[0] + translation[1] * out[1] + translation[2] * out[2] < 0) {
            continue;
        }
        for (int step = 1; step <= 40; ++step) {
            const double length = 1.2 * most * step / 40;
            const double shift[3] = {length * translation[0], length * translation[1],
                                     length * translation[2]};
            if (length >= best) {
                break;
            }
            if (!sides_touch(s, shift)) {
                best = length;
            }
        }
    }
    return best;
}

static void test_random_tubes(void** state) {
    (void)state;
    uint32_t regions = 0;
    uint32_t folds = 0;
    uint32_t several = 0;
    for (uint32_t round = 0; round < effort(24, 300, 1200); ++round) {
        test_random random = random_seed(round);
        surface s = wandering_tube(&random);
        surface_shake(&s, &random, 0.002, 0x1p-30);
        trial t = trial_make(&s);
        size_t count = 0;
        where("seed %u", round);
        const abut_region* found = solve(&t, &count);
        require_regions(&t, &s);
        for (size_t r = 0; r < count; ++r) {
            where("seed %u, region %zu of %zu: depth %g, lower %g", round, r, count, found[r].depth,
                  found[r].lower);
            if (found[r].kind == ABUT_REGION_FOLD) {
                REQUIRE(found[r].depth == INFINITY && found[r].lower == 0);
                ++folds;
                continue;
            }
            REQUIRE(isfinite(found[r].depth) && found[r].lower <= found[r].depth);
            require_free(&t, &s, &found[r]);
            ++regions;
        }
        several += count > 1;
        trial_free(&t);
        surface_free(&s);
    }
    print_message("%u regions, %u folds; several in %u tubes\n", regions, folds, several);
    assert_true(regions > 20 && several > 0);
}

// no translation below the lower bound separates the sides, and no sampled one is much shorter than
// the depth
static void test_bounds_by_brute_force(void** state) {
    (void)state;
    uint32_t tried = 0;
    double longer = 0;
    double tightness = 0;
    for (uint32_t round = 0; round < effort(8, 60, 240); ++round) {
        test_random random = random_seed(7000 + round);
        surface s = wandering_tube(&random);
        trial t = trial_make(&s);
        size_t count = 0;
        const abut_region* found = solve(&t, &count);
        for (size_t r = 0; r < count; ++r) {
            if (found[r].kind == ABUT_REGION_FOLD) {
                continue;
            }
            sides both = sides_make(&t, &s, &found[r]);
            const double best = brute_depth(&random, &both, found[r].depth);
            where("seed %u, region %zu: depth %g, lower %g, by brute force %g", 7000 + round, r,
                  found[r].depth, found[r].lower, best);
            REQUIRE(found[r].lower <= best);
            for (int k = 0; k < 20; ++k) {
                double translation[3];
                random_translation(&random, 0.999 * found[r].lower, translation);
                REQUIRE(sides_touch(&both, translation));
            }
            longer += found[r].depth / best;
            tightness += found[r].lower / found[r].depth;
            ++tried;
            sides_free(&both);
        }
        trial_free(&t);
        surface_free(&s);
    }
    print_message("%u regions: depth over brute force %.2f, lower bound over depth %.2f\n", tried,
                  longer / tried, tightness / tried);
    assert_true(tried > 5 && longer < 1.1 * tried && tightness > 0.15 * tried);
}

// the end sinks step by step: one region with one id, whose vector is as smooth as the motion
static void test_coherence(void** state) {
    (void)state;
    surface s = clamp(0.02, true, 4);
    trial t = trial_make(&s);
    uint32_t id = 0;
    for (int step = 0; step < 24; ++step) {
        surface now = clamp(0.02 + 0.01 * step, true, 4);
        world_move(&t.w, t.body, now.xyz);
        size_t count = 0;
        where("step %d", step);
        const abut_region* region = solve(&t, &count);
        REQUIRE(count == 1);
        REQUIRE(step == 0 ? region->is_new : region->id == id && !region->is_new);
        REQUIRE(region->direction[2] < -0.99);
        REQUIRE(region->turn_angle < 0.05 && region->jump < 0.012);
        id = region->id;
        surface_free(&now);
    }
    trial_free(&t);
    surface_free(&s);
}

// a clamp with shuffled vertices and triangles
static surface shuffled_clamp(uint32_t seed, double depth) {
    surface plain = clamp(depth, true, 4);
    uint32_t* old = test_alloc(plain.triangle_count, sizeof *old);
    test_random random = random_seed(seed);
    surface s = surface_shuffle(&plain, &random, old);
    free(old);
    surface_free(&plain);
    return s;
}

// compares the answer with `shortest` with that of a query without previous state
static const abut_region* require_as_fresh(trial* t) {
    abut_depth_def def = abut_depth_def_default();
    abut_depth_result* fresh = NULL;
    size_t count[2] = {0, 0};
    def.shortest = true;
    REQUIRE_OK(abut_depth_result_create(t->w.context, &fresh, NULL));
    REQUIRE_OK(abut_depth_self(t->w.scene, t->body, &def, t->depths, NULL));
    REQUIRE_OK(abut_depth_self(t->w.scene, t->body, NULL, fresh, NULL));
    const abut_region* got = abut_depth_result_regions(t->depths, &count[0]);
    const abut_region* wanted = abut_depth_result_regions(fresh, &count[1]);
    REQUIRE(count[0] == 1 && count[1] == 1);
    REQUIRE(got->depth == wanted->depth && got->lower == wanted->lower);
    REQUIRE(memcmp(got->direction, wanted->direction, sizeof got->direction) == 0);
    abut_depth_result_destroy(fresh);
    return got;
}

// With `shortest` the translations do not depend on the last call, nor does the choice of the first
// side, though the region goes on.
static void test_shortest_ignores_the_last_call(void** state) {
    (void)state;
    uint32_t turned = 0;
    for (uint32_t seed = 0; seed < effort(4, 12, 36); ++seed) {
        surface s = shuffled_clamp(seed, 0.02);
        trial t = trial_make(&s);
        uint32_t id = 0;
        bool ahead = false;
        for (int step = 0; step < 24; ++step) {
            surface now = shuffled_clamp(seed, 0.02 + 0.01 * step);
            where("seed %u, step %d", seed, step);
            world_move(&t.w, t.body, now.xyz);
            const abut_region* region = require_as_fresh(&t);
            const bool swapped = step > 0 && ahead != (region->direction[2] > 0);
            REQUIRE(step == 0 || region->id == id);
            REQUIRE(region->turn_angle < 0.05 && region->jump < 0.012);
            turned += swapped;
            id = region->id;
            ahead = region->direction[2] > 0;
            surface_free(&now);
        }
        trial_free(&t);
        surface_free(&s);
    }
    assert_true(turned > 0);
}

// ---- memory

// within the body, then between it and another one like it
static abut_status query_depths(trial* t, abut_body_id other, double depth[2], size_t regions[2]) {
    abut_status status = ABUT_OK;
    for (int k = 0; k < 2 && status == ABUT_OK; ++k) {
        status = k == 0 ? abut_depth_self(t->w.scene, t->body, NULL, t->depths, NULL)
                        : abut_depth(t->w.scene, t->body, other, NULL, t->depths, NULL);
        const abut_region* found = abut_depth_result_regions(t->depths, &regions[k]);
        size_t pairs = 0;
        (void)abut_depth_result_pairs(t->depths, &pairs);
        REQUIRE(status == ABUT_OK ? regions[k] > 0 && pairs > 0 : regions[k] == 0 && pairs == 0);
        depth[k] = 0;
        for (size_t r = 0; r < regions[k]; ++r) {
            depth[k] += found[r].depth;
        }
    }
    return status;
}

// Every allocation of both calls fails, once or together with all later ones. The error is
// reported, nothing leaks, and the same objects answer the next call.
static void test_failed_allocations_are_reported(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    surface s = clamp(0.1, false, 4);
    double wanted[2];
    size_t regions[2];
    size_t calls = 0;
    size_t reported = 0;
    for (size_t call = 0; call <= calls; ++call) {
        const int modes = call > 0 && call % effort(5, 1, 1) == 0 ? 2 : 1;
        for (int onwards = 0; onwards < modes; ++onwards) {
            trial t = trial_make_in(&def, &s);
            const abut_body_id other = world_add(&t.w, &s, NULL, NULL);
            abut_frame frame = abut_frame_identity();
            frame.t[0] = 0.07;
            frame.t[1] = 0.4;
            world_frame(&t.w, other, frame);
            where("allocation %zu of %zu refused%s", call, calls, onwards ? ", and all after" : "");
            double depth[2];
            size_t count[2];
            memory_fail(&memory, call, onwards != 0);
            const abut_status status = query_depths(&t, other, depth, count);
            if (call == 0) {
                calls = memory.calls;
                memcpy(wanted, depth, sizeof wanted);
                memcpy(regions, count, sizeof regions);
            }
            memory_fail(&memory, 0, false);
            // a query may succeed without memory that only makes it faster
            REQUIRE(status == ABUT_OK ? depth[0] == wanted[0] && depth[1] == wanted[1]
                                      : status == ABUT_ERR_NO_MEMORY);
            reported += status != ABUT_OK;
            REQUIRE_OK(query_depths(&t, other, depth, count));
            REQUIRE(depth[0] == wanted[0] && depth[1] == wanted[1]);
            REQUIRE(count[0] == regions[0] && count[1] == regions[1]);
            trial_free(&t);
            REQUIRE(memory_clean(&memory));
        }
    }
    print_message("%zu allocations, %zu failures reported\n", calls, reported);
    assert_true(calls > 20 && reported >= calls);
    memory_destroy(&memory);
    surface_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_depths),
        cmocka_unit_test(test_no_region_without_contact),
        cmocka_unit_test(test_random_tubes),
        cmocka_unit_test(test_bounds_by_brute_force),
        cmocka_unit_test(test_coherence),
        cmocka_unit_test(test_shortest_ignores_the_last_call),
        cmocka_unit_test(test_failed_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
