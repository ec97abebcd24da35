// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Self queries of smooth surfaces, where normals and contour prove whole pieces free of contact.
// The proof must fail where contacts begin: strips that wind around and meet their own end, edges
// that touch in one point or miss by one bit, holes, seams, flipped and missing triangles. It must
// not be used with a margin, where it proves nothing.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/world.h"

// a strip of a ring: `turn` radians, rising by `pitch` per turn; all its normals face up
typedef struct ring {
    uint32_t along;
    uint32_t across;
    double turn;
    double pitch;
    double narrow;  // the part of its width that the strip loses towards its end
} ring;

static surface ring_rest(const ring* r) {
    return surface_sheet(r->across, r->along, 1);  // topology only; positions are set below
}

static void ring_shape(const ring* r, surface* s) {
    for (uint32_t i = 0; i <= r->along; ++i) {
        for (uint32_t k = 0; k <= r->across; ++k) {
            const double part = (double)i / r->along;
            const double width = 0.5 * (1 - r->narrow * part);
            const double radius = 1.5 + width * ((double)k / r->across - 0.5);
            const double angle = r->turn * part;
            double* p = s->xyz + 3 * (size_t)(i * (r->across + 1) + k);
            p[0] = radius * cos(angle);
            p[1] = radius * sin(angle);
            p[2] = r->pitch * angle;
        }
    }
}

static void turn_surface(surface* s, const abut_frame* frame, double scale) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double* p = s->xyz + 3 * (size_t)v;
        const double q[3] = {p[0], p[1], p[2]};
        for (int d = 0; d < 3; ++d) {
            const double* r = frame->r[d];
            p[d] = scale * (r[0] * q[0] + r[1] * q[1] + r[2] * q[2]) + frame->t[d];
        }
    }
}

static motion_def random_tree(test_random* random) {
    motion_def def = motion_def_default();
    def.fan_out = random_chance(random, 0.5) ? 8 : 2 + random_below(random, 7);
    def.block_triangles = random_chance(random, 0.3) ? 48 : 1 + random_below(random, 12);
    return def;
}

// Queries the same positions a few times, each time as a new state: normals are computed for a
// state only if the last one had a self query. Returns how many nodes were proven apart.
static uint64_t query_states(world* w, abut_body_id body, const double* xyz, double margin,
                             bool neighbours) {
    abut_counters counters = {0};
    abut_collide_def def = abut_collide_def_default();
    def.margin = margin;
    def.include_neighbours = neighbours;
    def.head.counters = &counters;
    for (int i = 0; i < 3; ++i) {
        world_move(w, body, xyz);
        (void)check_self(w, body, &def);
    }
    return counters.nodes_certified;
}

static void test_strips_that_meet_their_end(void** state) {
    (void)state;
    const double whole = 2 * acos(-1.0);
    const double turns[] = {0.3 * whole,  0.99 * whole, whole,      whole * (1 + 1e-7),
                            1.01 * whole, 1.5 * whole,  2.2 * whole};
    static const double pitches[] = {0, 0, 1e-9, 1e-4, 0.05};
    uint64_t proven = 0;
    for (uint64_t seed = 1; seed <= effort(8, 100, 4000); ++seed) {
        test_random random = random_seed(seed);
        const ring r = {20 + random_below(&random, 60), 2 + random_below(&random, 6),
                        turns[random_below(&random, 7)], pitches[random_below(&random, 5)],
                        random_chance(&random, 0.5) ? 0 : random_unit(&random) * 0.9};
        where("seed %llu: %u x %u, turn %.9g, pitch %g, narrow %g", (unsigned long long)seed,
              r.along, r.across, r.turn, r.pitch, r.narrow);
        surface s = ring_rest(&r);
        world w = world_make(NULL, NULL);
        const motion_def def = random_tree(&random);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        ring_shape(&r, &s);
        if (r.turn == whole &&
            seed % 2 == 0) {  // the last row coincides with the first, bit for bit
            const size_t row = 3 * (size_t)(r.across + 1);
            memcpy(s.xyz + row * r.along, s.xyz, row * sizeof(double));
        }
        const abut_frame frame = frame_random(&random, seed % 3 == 0 ? 1000 : 0);
        if (seed % 4 != 0) {
            turn_surface(&s, &frame, ldexp(1, random_between(&random, -12, 12)));
        }
        proven += query_states(&w, body, s.xyz, 0, seed % 5 == 0);
        surface_free(&s);
        world_free(&w);
    }
    REQUIRE(proven > 0);
}

// a smooth sheet far from itself: most nodes can be proven apart
static surface wave(uint32_t n, double height, double phase) {
    surface s = surface_sheet(n, n, 8);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        double* p = s.xyz + 3 * (size_t)v;
        p[2] = height * sin(p[0] + phase) * cos(1.3 * p[1] - phase);
    }
    return s;
}

static void test_margin_on_smooth_sheets(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 10, 100); ++seed) {
        test_random random = random_seed(seed);
        surface s = wave(16, 0.4, (double)seed);
        world w = world_make(NULL, NULL);
        const motion_def def = random_tree(&random);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        // a quad is half a unit wide: the first margin reaches no other triangle, the others reach
        // many
        static const double margins[] = {0.01, 0.3, 0.75, 0};
        for (size_t m = 0; m < sizeof margins / sizeof margins[0]; ++m) {
            where("seed %llu, margin %g", (unsigned long long)seed, margins[m]);
            const uint64_t proven = query_states(&w, body, s.xyz, margins[m], false);
            REQUIRE(proven > 0 || margins[m] > 0 || def.block_triangles > 24);
        }
        surface_free(&s);
        world_free(&w);
    }
}

// one vertex is pulled through the sheet, or a flap is folded over exactly or nearly
static void test_waves_with_a_defect(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(5, 60, 2000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        surface s = wave(10 + random_below(&random, 10), 0.3, (double)seed);
        const uint32_t side = (uint32_t)(sqrt(s.vertex_count) + 0.5);
        world w = world_make(NULL, NULL);
        const motion_def def = random_tree(&random);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        const uint32_t from = random_below(&random, s.vertex_count);
        const uint32_t to = random_below(&random, s.vertex_count);
        const uint32_t border = random_below(&random, side);
        double* p = s.xyz;
        switch (seed % 5) {
            case 0: memcpy(p + 3 * (size_t)from, p + 3 * (size_t)to, 3 * sizeof(double)); break;
            case 1: p[3 * (size_t)from + 2] -= 2; break;
            case 2:  // a corner is moved onto the opposite border
                memcpy(p, p + 3 * (size_t)(s.vertex_count - 1 - border), 3 * sizeof(double));
                break;
            case 3:  // along the sheet, past its neighbours
                p[3 * (size_t)from] += random_double(&random, -3, 3);
                p[3 * (size_t)from + 1] += random_double(&random, -3, 3);
                break;
            default:  // the border onto itself: two of its vertices coincide
                memcpy(p + 3 * (size_t)border, p + 3 * (size_t)(side - 1 - border),
                       3 * sizeof(double));
                break;
        }
        (void)query_states(&w, body, s.xyz, 0, seed % 3 == 0);
        surface_free(&s);
        world_free(&w);
    }
}

// folds that lean over inside a flat frame: the contour is simple, and only normals show the folds
static void test_folds_inside_a_flat_frame(void** state) {
    (void)state;
    const double pi = acos(-1.0);
    size_t found = 0;
    for (uint64_t seed = 1; seed <= effort(5, 60, 1000); ++seed) {
        test_random random = random_seed(seed);
        const uint32_t n = 20 + random_below(&random, 16);
        const double lean = random_double(&random, 0.2, 2);
        const double waves = random_double(&random, 2, 5);
        where("seed %llu: %u, lean %g, waves %g", (unsigned long long)seed, n, lean, waves);
        surface s = surface_sheet(n, n, 8);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            double* p = s.xyz + 3 * (size_t)v;
            const double frame = sin(pi * p[0] / 8) * sin(pi * p[1] / 8);
            const double phase = waves * p[0];
            p[0] += frame * frame * lean * sin(phase);
            p[2] += frame * frame * lean * cos(phase);
        }
        world w = world_make(NULL, NULL);
        const motion_def def = random_tree(&random);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        const abut_frame turn = frame_random(&random, 0);
        turn_surface(&s, &turn, 1);
        (void)query_states(&w, body, s.xyz, 0, false);
        found += check_self(&w, body, NULL);
        surface_free(&s);
        world_free(&w);
    }
    REQUIRE(found > 0);
}

static void swap_corners(uint32_t* triangle) {
    const uint32_t first = triangle[0];
    triangle[0] = triangle[1];
    triangle[1] = first;
}

// holes, flipped, duplicate and unrelated triangles, vertices used twice, seams
static surface damaged(test_random* random, uint64_t seed) {
    surface flat = wave(12, 0.2, (double)seed);
    surface second = wave(6, 0.1, 1);
    surface_shift(&second, 3, 3, random_double(random, -0.5, 0.5));
    surface s = surface_join(&flat, &second);
    for (int i = 0; i < 4; ++i) {
        uint32_t* triangle = s.triangles + 3 * (size_t)random_below(random, s.triangle_count);
        const uint32_t* other = s.triangles + 3 * (size_t)random_below(random, s.triangle_count);
        switch (random_below(random, 5)) {
            case 0: swap_corners(triangle); break;
            case 1:
                memcpy(triangle, other, 3 * sizeof(uint32_t));
                break;  // a hole, and a duplicate
            case 2: triangle[random_below(random, 3)] = other[0]; break;
            case 3: triangle[2] = triangle[1]; break;  // collapsed
            default: break;
        }
    }
    if (seed % 2 == 0) {  // one vertex of each sheet becomes the same
        const uint32_t from = random_below(random, flat.vertex_count);
        const uint32_t to = flat.vertex_count + random_below(random, second.vertex_count);
        for (size_t i = 0; i < 3 * (size_t)s.triangle_count; ++i) {
            s.triangles[i] = s.triangles[i] == from ? to : s.triangles[i];
        }
    }
    surface_free(&flat);
    surface_free(&second);
    return s;
}

static void test_damaged_surfaces(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(5, 60, 2000); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        surface s = damaged(&random, seed);
        world w = world_make(NULL, NULL);
        const motion_def def = random_tree(&random);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        (void)query_states(&w, body, s.xyz, 0, seed % 4 == 0);
        const abut_frame frame = frame_random(&random, 3);
        world_frame(&w, body, frame);
        (void)query_states(&w, body, s.xyz, seed % 5 == 0 ? 0.1 : 0, false);
        surface_free(&s);
        world_free(&w);
    }
}

// A sheet is cut along a line. Copies of vertices at the seam are one class at rest, and may
// separate or cross later.
static void test_seams_that_open(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(2, 40, 400); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        surface left = surface_sheet(8, 16, 4);
        surface right = surface_sheet(8, 16, 4);
        surface_shift(&right, 4, 0, 0);
        surface s = surface_join(&left, &right);
        world w = world_make(NULL, NULL);
        const motion_def def = random_tree(&random);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 4; ++step) {
            surface moved = surface_copy(&s);
            static const double slide[] = {0, 0.3, -0.3, -1e-9};
            for (uint32_t v = left.vertex_count; v < s.vertex_count; ++v) {
                moved.xyz[3 * (size_t)v] += slide[step];
                moved.xyz[3 * (size_t)v + 2] += step == 2 ? 1e-3 : 0;
            }
            (void)query_states(&w, body, moved.xyz, 0, step % 2 == 1);
            surface_free(&moved);
        }
        surface_free(&left);
        surface_free(&right);
        surface_free(&s);
        world_free(&w);
    }
}

// tiny, huge and far away: proofs in float must fail if they are not certain
static void test_magnitudes(void** state) {
    (void)state;
    static const double scales[] = {1e-300, 1e-40, 1e-20, 1e-9, 1e9, 1e18, 1e30, 1e38, 1e300};
    static const double offsets[] = {0, 1, 1e6, 1e9, 1e14};
    const double whole = 2 * acos(-1.0);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; ++i) {
        for (size_t k = 0; k < sizeof offsets / sizeof offsets[0]; ++k) {
            for (int closed = 0; closed < 2; ++closed) {
                where("scale %g, offset %g, closed %d", scales[i], offsets[k], closed);
                const ring r = {60, 3, closed != 0 ? 1.02 * whole : 0.9 * whole, 0, 0};
                surface s = ring_rest(&r);
                world w = world_make(NULL, NULL);
                motion_def def = motion_def_default();
                def.block_triangles = 4;
                const abut_body_id body = world_add(&w, &s, &def, NULL);
                ring_shape(&r, &s);
                surface_shift(&s, offsets[k], -offsets[k], offsets[k] / 3);
                surface_scale(&s, scales[i] * (1 + offsets[k]) < 1e300 ? scales[i] : 1e280);
                (void)query_states(&w, body, s.xyz, 0, false);
                surface_free(&s);
                world_free(&w);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strips_that_meet_their_end),
        cmocka_unit_test(test_margin_on_smooth_sheets),
        cmocka_unit_test(test_waves_with_a_defect),
        cmocka_unit_test(test_folds_inside_a_flat_frame),
        cmocka_unit_test(test_damaged_surfaces),
        cmocka_unit_test(test_seams_that_open),
        cmocka_unit_test(test_magnitudes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
