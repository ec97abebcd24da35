// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Curves and particles: bodies of segments (i, j, j) and points (i, i, i), alone and beside
// triangles, of every motion. Every query agrees with all pairs by the oracles of triangles, which
// know nothing of segments and points: rationals in their turn (support/judge.h), all features in
// sweeps, all triangles for rays and for closest points.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/motions.h"
#include "support/near.h"
#include "support/queries.h"
#include "support/rays.h"
#include "support/swept_pairs.h"
#include "test_closest_support.h"

// ---- surfaces of segments and points

typedef enum strand_kind { STRANDS, PARTICLES, MIXED, STRAND_KINDS } strand_kind;

// Curves that wander over multiples of 1/16: many cross, touch, overlap and turn back.
static surface make_strands(test_random* random, uint32_t curves, uint32_t segments) {
    surface s = surface_make(curves * (segments + 1), curves * segments);
    uint32_t t = 0;
    for (uint32_t c = 0; c < curves; ++c) {
        const uint32_t first = c * (segments + 1);
        for (uint32_t k = 0; k <= segments; ++k) {
            double* x = s.xyz + 3 * (size_t)(first + k);
            for (int d = 0; d < 3; ++d) {
                x[d] = k == 0 ? random_dyadic(random, 16, 4)
                              : x[d - 3] + random_dyadic(random, 4, 4);
            }
            if (k > 0) {
                const uint32_t corners[3] = {first + k - 1, first + k, first + k};
                memcpy(s.triangles + 3 * (size_t)t++, corners, sizeof corners);
            }
        }
    }
    return s;
}

static surface make_particles(test_random* random, uint32_t count) {
    surface s = surface_make(count, count);
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            s.xyz[3 * (size_t)i + (size_t)d] = random_dyadic(random, 8, 3);
            s.triangles[3 * (size_t)i + (size_t)d] = i;
        }
    }
    return s;
}

// A sheet, curves and particles; the last curve begins at a vertex of the sheet.
static surface make_mixed(test_random* random) {
    surface sheet = surface_sheet(5, 4, 1.5);
    surface_shift(&sheet, -0.75, -0.75, 0);
    surface strands = make_strands(random, 5, 4);
    surface particles = make_particles(random, 12);
    surface both = surface_join(&sheet, &strands);
    surface all = surface_join(&both, &particles);
    all.triangles[3 * (size_t)(both.triangle_count - 4)] = 7;
    surface_free(&sheet);
    surface_free(&strands);
    surface_free(&particles);
    surface_free(&both);
    return all;
}

static surface make_surface(strand_kind kind, test_random* random) {
    return kind == STRANDS     ? make_strands(random, 12, 5)
           : kind == PARTICLES ? make_particles(random, 60)
                               : make_mixed(random);
}

// ---- a body of them and a free one

typedef struct pair_case {
    world w;
    mover m[2];
    abut_shape* shape[2];
    abut_body_id body[2];
    tools t;
    test_random random;
} pair_case;

static pair_case case_open(const motion_row* row, strand_kind kind, uint64_t seed) {
    pair_case c = {.random = random_seed(seed)};
    c.w = world_make(NULL, NULL);
    c.m[0] = mover_make(row, 0, make_surface(kind, &c.random), &c.random);
    const strand_kind other = (strand_kind)(seed % STRAND_KINDS);
    c.m[1] = mover_make(&motion_free, 0,
                        seed % 4 == 0 ? surface_ball(6, 7, 0.75) : make_surface(other, &c.random),
                        &c.random);
    for (int i = 0; i < 2; ++i) {
        motion_def def = mover_def(&c.m[i]);
        def.block_triangles = 1 + random_below(&c.random, 8);
        c.shape[i] = world_shape(&c.w, &c.m[i].surface, &def);
        REQUIRE_OK(abut_body_create(c.w.scene, c.shape[i], NULL, &c.body[i], NULL));
        mover_draw(&c.m[i], &c.random, STATE_REST);
    }
    REQUIRE(tools_make(&c.t, c.w.context));
    return c;
}

static void case_move(pair_case* c) {
    for (int i = 0; i < 2; ++i) {
        mover_draw(&c->m[i], &c->random,
                   random_chance(&c->random, 0.3) ? STATE_NEAR : STATE_ORDINARY);
        REQUIRE_OK(mover_set(&c->m[i], c->w.scene, c->body[i]));
    }
}

static void case_close(pair_case* c) {
    tools_free(&c->t);
    abut_shape_destroy(c->shape[0]);
    abut_shape_destroy(c->shape[1]);
    world_free(&c->w);
    mover_free(&c->m[0]);
    mover_free(&c->m[1]);
}

// ---- queries

static size_t check_collide(const pair_case* c) {
    size_t found = 0;
    for (int near = 0; near < 2; ++near) {
        abut_collide_def def = abut_collide_def_default();
        def.margin = near * 0.125;
        found += check_between(&c->w, c->body[0], c->body[1], &def);
        found += check_self(&c->w, c->body[0], &def);
        found += check_self(&c->w, c->body[1], &def);
    }
    return found;
}

static void check_within(const pair_case* c) {
    abut_within_def def = abut_within_def_default();
    abut_collide_def wide = abut_collide_def_default();
    def.distance = wide.margin = 0.125;
    for (int self = 0; self < 2; ++self) {
        REQUIRE_OK(self ? abut_within_self(c->w.scene, c->body[0], &def, c->t.within, NULL)
                        : abut_within(c->w.scene, c->body[0], c->body[1], &def, c->t.within, NULL));
        REQUIRE_OK(
            self ? abut_collide_self(c->w.scene, c->body[0], &wide, c->w.result, NULL)
                 : abut_collide(c->w.scene, c->body[0], c->body[1], &wide, c->w.result, NULL));
        size_t counts[2];
        const abut_distance_pair* got = abut_within_result_pairs(c->t.within, &counts[0]);
        const abut_pair* wanted = abut_collide_result_pairs(c->w.result, &counts[1]);
        REQUIRE(counts[0] == counts[1]);
        for (size_t i = 0; i < counts[0]; ++i) {
            REQUIRE(got[i].triangle_a == wanted[i].triangle_a &&
                    got[i].triangle_b == wanted[i].triangle_b);
        }
    }
}

static void check_nearest(const pair_case* c) {
    const distance_oracle all = {.within = INFINITY};
    distance_list between = distances_between(c->w.scene, c->body[0], c->body[1], &all);
    distance_list each = distances_of_triangles(c->w.scene, c->body[0], &all);
    distance_list own = distances_within(c->w.scene, c->body[0], &all);
    REQUIRE_OK(abut_nearest(c->w.scene, c->body[0], c->body[1], NULL, c->t.nearest, NULL));
    require_distances(c->w.scene, c->t.nearest, &between, "two bodies");
    REQUIRE_OK(abut_nearest_triangles(c->w.scene, c->body[0], NULL, c->t.nearest, NULL));
    require_distances(c->w.scene, c->t.nearest, &each, "every triangle");
    REQUIRE_OK(abut_nearest_self(c->w.scene, c->body[0], NULL, c->t.nearest, NULL));
    require_distances(c->w.scene, c->t.nearest, &own, "within one body");
    free(between.pairs);
    free(each.pairs);
    free(own.pairs);
}

// Rays from anywhere, through points of segments and along them.
static size_t check_cast(pair_case* c) {
    size_t found = 0;
    abut_cast_def def = abut_cast_def_default();
    def.mode = ABUT_CAST_ALL;
    for (int i = 0; i < 12; ++i) {
        double t[3][3];
        ray_case ray = {.tmax = INFINITY};
        ray_corners(c->w.scene, c->body[0],
                    random_below(&c->random, c->m[0].surface.triangle_count), t);
        for (int d = 0; d < 3; ++d) {
            const double to = i % 3 == 0 ? t[0][d] : t[0][d] / 2 + t[1][d] / 2;
            ray.o[d] = i % 4 == 3 ? 2 * t[0][d] - t[1][d] : random_dyadic(&c->random, 64, 4);
            ray.d[d] = to - ray.o[d];
        }
        const abut_rays rays = abut_rays_f64(ray.o, ray.d, 1);
        ray_list wanted = rays_all(c->w.scene, &c->body[0], &ray, NULL);
        REQUIRE_OK(abut_cast(c->w.scene, c->body[0], rays, &def, c->t.cast, NULL));
        size_t count;
        const abut_ray_hit* hits = abut_cast_result_hits(c->t.cast, &count);
        REQUIRE(count == wanted.count);
        for (size_t k = 0; k < count; ++k) {
            ray_check_hit(c->w.scene, &ray, &hits[k], &wanted.all[k]);
        }
        found += count;
        rays_free(&wanted);
    }
    return found;
}

static void check_closest(pair_case* c) {
    enum { POINTS = 6 };
    double points[POINTS][3];
    facets f = {0};
    facets_add(&f, c->w.scene, c->body[0]);
    for (int i = 0; i < POINTS; ++i) {
        for (int d = 0; d < 3; ++d) {
            points[i][d] = random_dyadic(&c->random, 32, 4);
        }
    }
    abut_closest_result* result = NULL;
    abut_closest_def def = abut_closest_def_default();
    REQUIRE_OK(abut_closest_result_create(c->w.context, &result, NULL));
    for (def.most = 1; def.most <= 4; def.most += 3) {
        REQUIRE_OK(abut_closest(c->w.scene, c->body[0], abut_positions_f64(points[0], POINTS), &def,
                                result, NULL));
        check_rows(&f, (const double(*)[3])points, POINTS, &def, result);
    }
    abut_closest_result_destroy(result);
    free(f.all);
}

static void check_case(const motion_row* row, strand_kind kind, uint64_t seed, size_t found[2]) {
    where("%s, kind %d, seed %u", row->name, (int)kind, (unsigned)seed);
    pair_case c = case_open(row, kind, seed);
    for (uint32_t step = 0; step < 3; ++step) {
        where("%s, kind %d, seed %u, step %u", row->name, (int)kind, (unsigned)seed, step);
        if (step > 0) {
            case_move(&c);
        }
        found[0] += check_collide(&c);
        check_within(&c);
        check_nearest(&c);
        found[1] += check_cast(&c);
        check_closest(&c);
    }
    case_close(&c);
}

static void test_queries_match_all_pairs(void** state) {
    (void)state;
    const motion_row* const rows[4] = {&motion_free, &motion_modal, &motion_blend, &motion_flight};
    size_t found[2] = {0, 0};
    for (uint32_t seed = 1; seed <= effort(2, 8, 60); ++seed) {
        for (int r = 0; r < 4; ++r) {
            for (int kind = 0; kind < STRAND_KINDS; ++kind) {
                check_case(rows[r], (strand_kind)kind, seed + (uint32_t)r, found);
            }
        }
    }
    print_message("%zu pairs, %zu hits of rays\n", found[0], found[1]);
    assert_true(found[0] > 1000 && found[1] > 50);
}

// ---- sweeps

// Moves both bodies by two states and takes them before and after the last one.
static void case_step(pair_case* c, snapshot p[2]) {
    case_move(c);
    for (int end = 0; end < 2; ++end) {
        if (end > 0) {
            case_move(c);
        }
        for (int i = 0; i < 2; ++i) {
            snapshot_take(&c->w, &p[i], end, true);
        }
    }
}

static void test_sweeps_match_all_features(void** state) {
    (void)state;
    const motion_row* const rows[3] = {&motion_free, &motion_modal, &motion_blend};
    size_t found = 0;
    for (uint32_t seed = 1; seed <= effort(3, 12, 60); ++seed) {
        for (int kind = 0; kind < STRAND_KINDS; ++kind) {
            where("%s, kind %d, seed %u", rows[seed % 3]->name, kind, seed);
            pair_case c = case_open(rows[seed % 3], (strand_kind)kind, seed);
            snapshot p[2] = {snapshot_make(c.body[0], &c.m[0].surface),
                             snapshot_make(c.body[1], &c.m[1].surface)};
            case_step(&c, p);
            abut_sweep_def def = abut_sweep_def_default();
            for (int near = 0; near < 2; ++near) {
                def.margin = near * 0.0625;
                found += check_pair(&c.w, &p[0], &p[1], &def);
                found += check_pair(&c.w, &p[1], &p[0], &def);
                found += check_pair(&c.w, &p[0], &p[0], &def);
            }
            snapshot_free(&p[0]);
            snapshot_free(&p[1]);
            case_close(&c);
        }
    }
    print_message("%zu contacts\n", found);
    assert_true(found > 500);
}

// ---- the number of rows in plain cases

// Two bodies of one element each; b moves from `from` to `to`. Returns the contacts of the sweep.
static size_t sweep_elements(const double (*a)[3], uint32_t a_count, const double (*b)[3],
                             uint32_t b_count, double shift, double margin) {
    world w = world_make(NULL, NULL);
    abut_body_id body[2];
    const double(*xyz[2])[3] = {a, b};
    const uint32_t counts[2] = {a_count, b_count};
    const uint32_t corners[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        abut_mesh_def def = abut_mesh_def_default();
        def.positions = abut_positions_f64(xyz[i][0], counts[i]);
        def.triangles = def.segments = def.points = corners;
        def.triangle_count = counts[i] == 3;
        def.segment_count = counts[i] == 2;
        def.point_count = counts[i] == 1;
        body[i] = world_add_mesh(&w, &def, NULL);
    }
    double moved[3][3];
    memcpy(moved, b, b_count * sizeof *b);
    world_move(&w, body[1], moved[0]);
    for (uint32_t v = 0; v < b_count; ++v) {
        moved[v][2] += shift;
    }
    world_move(&w, body[1], moved[0]);
    abut_sweep_def def = abut_sweep_def_default();
    def.margin = margin;
    REQUIRE_OK(abut_sweep(w.scene, body[0], body[1], &def, w.swept, NULL));
    size_t count;
    (void)abut_sweep_result_pairs(w.swept, &count);
    world_free(&w);
    return count;
}

static void test_nothing_counts_twice(void** state) {
    (void)state;
    where("two elements");
    const double triangle[3][3] = {{-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}};
    const double rod[2][3] = {{-1, 0, 0}, {1, 0, 0}};
    const double point[1][3] = {{0, 0, 0}};
    const double above[1][3] = {{0, 0, 1}};
    const double across[2][3] = {{0, -1, 1}, {0, 1, 1}};
    REQUIRE(sweep_elements(triangle, 3, above, 1, -2, 0) == 1);  // vertex and face
    REQUIRE(sweep_elements(rod, 2, across, 2, -2, 0) == 1);      // two edges
    REQUIRE(sweep_elements(rod, 2, above, 1, -2, 0) == 1);       // vertex and segment
    REQUIRE(sweep_elements(point, 1, above, 1, -2, 0) == 1);     // two points
    REQUIRE(sweep_elements(point, 1, above, 1, -0.5, 0.25) == 0);
    REQUIRE(sweep_elements(point, 1, above, 1, -0.5, 0.5) == 1);
    REQUIRE(sweep_elements(point, 1, across, 2, -2, 0) == 1);
}

// ---- making meshes

static void test_segments_and_points_become_triangles(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    const double xyz[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const uint32_t triangle[3] = {0, 1, 2};
    const uint32_t segments[4] = {0, 3, 3, 1};
    const uint32_t point = 2;
    const uint32_t tags[4] = {7, 8, 9, 10};
    const uint32_t wanted[12] = {0, 1, 2, 0, 3, 3, 3, 1, 1, 2, 2, 2};
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(xyz[0], 4);
    def.triangles = triangle;
    def.triangle_count = 1;
    def.segments = segments;
    def.segment_count = 2;
    def.points = &point;
    def.point_count = 1;
    def.tags = tags;
    abut_mesh* mesh = NULL;
    REQUIRE_OK(abut_mesh_create(w.context, &def, &mesh, NULL));
    REQUIRE(abut_mesh_triangle_count(mesh) == 4);
    REQUIRE(memcmp(abut_mesh_triangles(mesh), wanted, sizeof wanted) == 0);
    abut_mesh_info info;
    REQUIRE_OK(abut_mesh_inspect(mesh, &info, NULL));
    REQUIRE(info.triangles == 4 && info.degenerate_triangles == 3 && info.components == 1);
    REQUIRE(info.boundary_edges == 5 && info.duplicate_triangles == 0);
    abut_mesh_destroy(mesh);
    world_free(&w);
}

static void test_wrong_segments_and_points_are_refused(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    const double xyz[2][3] = {{0, 0, 0}, {1, 0, 0}};
    const uint32_t segments[4] = {0, 1, 1, 2};
    abut_mesh* mesh = NULL;
    abut_error error;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(xyz[0], 2);
    REQUIRE_STATUS(abut_mesh_create(w.context, &def, &mesh, &error), ABUT_ERR_INVALID_ARGUMENT);
    def.segment_count = 2;
    REQUIRE_STATUS(abut_mesh_create(w.context, &def, &mesh, &error), ABUT_ERR_INVALID_ARGUMENT);
    def.segments = segments;
    REQUIRE_STATUS(abut_mesh_create(w.context, &def, &mesh, &error), ABUT_ERR_INVALID_DATA);
    REQUIRE(error.element == ABUT_ELEMENT_TRIANGLE && error.index == 1);
    assert_string_equal(error.message, "segment 1 uses vertex 2, but there are only 2 vertices");
    def.segment_count = 1;
    def.points = segments + 3;
    def.point_count = 1;
    REQUIRE_STATUS(abut_mesh_create(w.context, &def, &mesh, &error), ABUT_ERR_INVALID_DATA);
    assert_string_equal(error.message, "point 0 uses vertex 2, but there are only 2 vertices");
    def.point_count = SIZE_MAX;
    REQUIRE_STATUS(abut_mesh_create(w.context, &def, &mesh, &error), ABUT_ERR_LIMIT);
    world_free(&w);
}

// Hair on a closed surface, inside and outside, changes nothing about what is inside.
static void test_hair_encloses_nothing(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    test_random random = random_seed(3);
    surface ball = surface_ball(7, 8, 1);
    surface hair = make_strands(&random, 12, 5);
    surface both = surface_join(&ball, &hair);
    const abut_body_id bare = world_add(&w, &ball, NULL, NULL);
    const abut_body_id hairy = world_add(&w, &both, NULL, NULL);
    size_t inside = 0;
    for (uint32_t i = 0; i < 300; ++i) {
        double x[3];
        int32_t windings[2];
        for (int d = 0; d < 3; ++d) {
            x[d] = random_double(&random, -1.5, 1.5);
        }
        where("point %u", i);
        const abut_side side = world_point_side(&w, bare, x, &windings[0]);
        REQUIRE(world_point_side(&w, hairy, x, &windings[1]) == side && windings[0] == windings[1]);
        inside += side == ABUT_SIDE_INSIDE;
    }
    assert_true(inside > 20 && inside < 200);
    REQUIRE(world_point_side(&w, hairy, both.xyz + 3 * (size_t)(ball.vertex_count + 2), NULL) ==
            ABUT_SIDE_SURFACE);
    surface_free(&ball);
    surface_free(&hair);
    surface_free(&both);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries_match_all_pairs),
        cmocka_unit_test(test_sweeps_match_all_features),
        cmocka_unit_test(test_nothing_counts_twice),
        cmocka_unit_test(test_segments_and_points_become_triangles),
        cmocka_unit_test(test_wrong_segments_and_points_are_refused),
        cmocka_unit_test(test_hair_encloses_nothing),
    };
    return cmocka_run_group_tests_name("curves", tests, NULL, NULL);
}
