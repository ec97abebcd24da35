// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Spheres of modal shapes. The smallest balls are small and contain their items, spheres contain
// their vertices for any coordinates and frame, and queries with them find the same pairs.

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/body.h"
#include "bound/ball.h"
#include "scene/scene.h"
#include "support/everywhere.h"
#include "support/fields.h"
#include "support/inside.h"

// distances in long double, independent of the library
static long double distance(const double a[3], const double b[3]) {
    long double sum = 0;
    for (int d = 0; d < 3; ++d) {
        const long double difference = (long double)a[d] - (long double)b[d];
        sum += difference * difference;
    }
    return sqrtl(sum);
}

static bool holds(const abut__ball* ball, const abut__ball* item) {
    return distance(ball->c, item->c) + (long double)item->r <= (long double)ball->r;
}

static void random_items(test_random* random, abut__ball* items, uint32_t count, double size,
                         bool points) {
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            items[i].c[d] = random_chance(random, 0.1) ? 0 : random_double(random, -size, size);
        }
        items[i].r = points ? 0 : random_double(random, 0, size);
        if (i > 0 && random_chance(random, 0.1)) {
            items[i] = items[i - 1];
        }
    }
}

static void test_balls_hold_their_items(void** state) {
    (void)state;
    test_random random = random_seed(31);
    for (uint32_t round = 0; round < effort(2000, 10000, 200000); ++round) {
        where("seed 31, round %u", round);
        abut__ball items[40];
        const uint32_t count = 1 + random_below(&random, 40);
        random_items(&random, items, count, ldexp(1, random_between(&random, -160, 120)),
                     random_chance(&random, 0.5));
        for (int rule = 0; rule < 2; ++rule) {
            const abut__ball ball = abut__ball_around(items, count, (abut__centre_rule)rule);
            for (uint32_t i = 0; i < count; ++i) {
                REQUIRE(holds(&ball, &items[i]));
            }
            REQUIRE((double)(float)ball.r == ball.r && (double)(float)ball.c[0] == ball.c[0]);
        }
    }
    const abut__ball huge[2] = {{{-1e308, 1e300, 0}, 0}, {{1e308, 0, 0}, 0}};
    assert_true(isinf(abut__ball_around(huge, 2, ABUT__CENTRE_MINIMAL).r));
    const abut__ball one = {{0.1, 0.2, 0.3}, 0};
    assert_true(abut__ball_around(&one, 1, ABUT__CENTRE_MEAN).r < 1e-7);
}

// Points on a sphere that include antipodes have that sphere as their smallest one. Inner points
// change nothing.
static void test_balls_are_small(void** state) {
    (void)state;
    test_random random = random_seed(32);
    for (uint32_t round = 0; round < effort(200, 1000, 20000); ++round) {
        where("seed 32, round %u", round);
        abut__ball items[64];
        const double centre[3] = {random_double(&random, -9, 9), random_double(&random, -9, 9), 7};
        for (uint32_t i = 0; i < 64; i += 2) {
            double v[3] = {random_double(&random, -1, 1), random_double(&random, -1, 1),
                           random_double(&random, -1, 1)};
            const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + 1e-9;
            const double radius = i < 8 ? 1 : random_unit(&random);
            for (int d = 0; d < 3; ++d) {
                items[i].c[d] = centre[d] + radius * v[d] / length;
                items[i + 1].c[d] = centre[d] - radius * v[d] / length;
            }
            items[i].r = items[i + 1].r = 0;
        }
        REQUIRE(abut__ball_around(items, 64, ABUT__CENTRE_MINIMAL).r < 1.03);
    }
}

static const int bounds[] = {ABUT_MODAL_BOUND_SPHERES, ABUT_MODAL_BOUND_SPHERES_MEAN};

// like the test of the same name for boxes: every vertex is in every box above it
static void test_spheres_hold_vertices(void** state) {
    (void)state;
    test_random random = random_seed(33);
    for (uint32_t round = 0; round < effort(30, 120, 1200); ++round) {
        where("seed 33, round %u", round);
        world w = world_make(NULL, NULL);
        double size;
        surface s = surface_any_ball(&random, 6, 9, 60, &size);
        const uint32_t count = random_below(&random, 20);
        field_set f = random_fields(&random, &s, count, 60);
        motion_def def = modal_def(&f);
        def.block_triangles = 1 + random_below(&random, 48);
        def.fan_out = 2 + random_below(&random, 7);
        def.bound = bounds[round % 2];
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        check_any_states(&w, body, &random, count);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// frames may differ from rotations by 1e-3, and values may underflow or overflow
static void test_spheres_in_bad_frames(void** state) {
    (void)state;
    test_random random = random_seed(34);
    static const double sizes[][2] = {{1, 1},          {1e-45, 1e38},   {1e-42, 1e30},
                                      {1e-300, 1e300}, {1e300, 1e-300}, {1e-310, 1e307},
                                      {1e30, 1e7},     {1e37, 10},      {1e30, 1e30}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        where("seed 34, sizes %g and %g", sizes[i][0], sizes[i][1]);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        field_set f = make_fields(&random, &s, 3, sizes[i][0], ABUT_SCALAR_F64, false);
        motion_def def = modal_def(&f);
        def.bound = bounds[(i + 1) % 2];
        def.block_triangles = i == 0 ? 1 : 8;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        double q[3];
        random_coordinates(&random, q, 3, sizes[i][1]);
        set_coordinates(&w, body, q, 3);
        world_validate(&w, body);
        for (int turn = 0; turn < 20; ++turn) {
            abut_frame frame = frame_random(&random, 1);
            for (int k = 0; k < 9; ++k) {
                frame.r[k / 3][k % 3] *= 1.00049;
            }
            world_frame(&w, body, frame);
            world_validate(&w, body);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

static void test_queries_equal_all_pairs(void** state) {
    (void)state;
    test_random random = random_seed(35);
    size_t hits[2] = {0, 0};
    for (uint32_t round = 0; round < effort(10, 40, 400); ++round) {
        where("seed 35, round %u", round);
        world w = world_make(NULL, NULL);
        surface ball = surface_ball(8, 12, 1);
        surface sheet = surface_sheet(9, 9, 3);
        field_set f = make_fields(&random, &ball, 6, 0.3, ABUT_SCALAR_F32, true);
        field_set g = make_fields(&random, &sheet, 3, 0.3, ABUT_SCALAR_F64, false);
        motion_def def = modal_def(&f);
        def.bound = bounds[round % 2];
        def.block_triangles = 1 + random_below(&random, 20);
        const abut_body_id a = world_add(&w, &ball, &def, NULL);
        const abut_body_id b = add_modal(&w, &sheet, &g, 16);
        for (int step = 0; step < 3; ++step) {
            double q[6];
            random_coordinates(&random, q, 6, 1);
            set_coordinates(&w, a, q, 6);
            random_coordinates(&random, q, 3, 1);
            set_coordinates(&w, b, q, 3);
            world_frame(&w, a, frame_random(&random, 0.5));
            hits[0] += check_between(&w, a, b, NULL);
            hits[1] += check_self(&w, a, NULL);
        }
        free_fields(&f);
        free_fields(&g);
        surface_free(&ball);
        surface_free(&sheet);
        world_free(&w);
    }
    assert_true(hits[0] > 0 && hits[1] > 0);
}

// every instruction set gives the same boxes
static void test_same_on_all_sets(void** state) {
    (void)state;
    abut_box wanted[8];
    everywhere at = everywhere_cross((const uint32_t[]){1, 0}, 0);
    while (everywhere_next(&at)) {
        test_random random = random_seed(42);
        world w = world_make(&at.def, NULL);
        surface s = surface_ball(12, 18, 1);
        field_set f = make_fields(&random, &s, 7, 0.3, ABUT_SCALAR_F64, true);
        motion_def def = modal_def(&f);
        def.bound = ABUT_MODAL_BOUND_SPHERES;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step < 8; ++step) {
            where("seed 42, %s, step %d", at.text, step);
            double q[7];
            random_coordinates(&random, q, 7, 1);
            set_coordinates(&w, body, q, 7);
            if (step > 3) {
                world_frame(&w, body, frame_random(&random, 2));
            }
            abut_box box;
            REQUIRE_OK(abut_body_box(w.scene, body, &box, NULL));
            wanted[step] = at.first ? box : wanted[step];
            REQUIRE(memcmp(&box, &wanted[step], sizeof box) == 0);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// sphere and box contain all world vertices
static void check_body_bounds(const world* w, abut_body_id body, uint32_t vertices) {
    double centre[3];
    double radius;
    abut_box box;
    REQUIRE_OK(abut_body_box(w->scene, body, &box, NULL));
    REQUIRE_OK(abut_body_sphere(w->scene, body, centre, &radius, NULL));
    REQUIRE(isfinite(centre[0]) && radius >= 0);
    for (uint32_t v = 0; v < vertices; ++v) {
        double p[3];
        REQUIRE_OK(abut_body_world_vertex(w->scene, body, v, p, NULL));
        REQUIRE(distance(centre, p) <= (long double)radius);
        for (int d = 0; d < 3; ++d) {
            REQUIRE(box.lo[d] <= p[d] && p[d] <= box.hi[d]);
        }
    }
}

static void test_body_spheres_hold_vertices(void** state) {
    (void)state;
    test_random random = random_seed(37);
    for (uint32_t round = 0; round < effort(40, 100, 1000); ++round) {
        where("seed 37, round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(6, 9, 1);
        surface_scale(&s, ldexp(1, random_between(&random, -40, 40)));
        const uint32_t count = random_below(&random, 20);
        field_set f = make_fields(&random, &s, count, ldexp(1, random_between(&random, -40, 40)),
                                  ABUT_SCALAR_F64, random_chance(&random, 0.3));
        const abut_body_id modal = add_modal(&w, &s, &f, 48);
        const abut_body_id plain = world_add(&w, &s, NULL, NULL);
        for (int step = 0; step < 8; ++step) {
            double q[20];
            random_coordinates(&random, q, count, ldexp(1, random_between(&random, -17, 17)));
            set_coordinates(&w, modal, q, count);
            abut_frame frame = frame_random(&random, ldexp(1, random_between(&random, -20, 60)));
            for (int k = 0; k < 9 && step % 2 == 0; ++k) {
                frame.r[k / 3][k % 3] *= 1.00049;
            }
            world_frame(&w, modal, frame);
            world_frame(&w, plain, frame);
            check_body_bounds(&w, modal, s.vertex_count);
            check_body_bounds(&w, plain, s.vertex_count);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// a ball at rest, far away and rotated, has its own sphere; a large one beyond float has one too
static void test_body_spheres_are_tight(void** state) {
    (void)state;
    test_random random = random_seed(38);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(20, 30, 2);
    field_set f = make_fields(&random, &s, 1, 0.5, ABUT_SCALAR_F64, false);
    const abut_body_id body = add_modal(&w, &s, &f, 48);
    const abut_frame frame = frame_random(&random, 1000);
    world_frame(&w, body, frame);
    double centre[3];
    double radius;
    REQUIRE_OK(abut_body_sphere(w.scene, body, centre, &radius, NULL));
    assert_true(radius >= 2 && radius < 2.03);
    assert_true(distance(centre, frame.t) < 0.03L);
    const double q = 1e300;
    set_coordinates(&w, body, &q, 1);
    check_body_bounds(&w, body, s.vertex_count);
    REQUIRE_OK(abut_body_sphere(w.scene, body, centre, &radius, NULL));
    assert_true(isfinite(radius));
    REQUIRE_STATUS(abut_body_sphere(w.scene, body, NULL, &radius, NULL), ABUT_ERR_INVALID_ARGUMENT);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// A box is little wider than its vertices, at rest and stretched by a field.
static void test_body_boxes_are_tight(void** state) {
    (void)state;
    test_random random = random_seed(39);
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(9, 9, 3);
    field_set f = make_fields(&random, &s, 1, 0, ABUT_SCALAR_F64, false);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {
        field_at(&f, 0, v)[0] = s.xyz[3 * (size_t)v];
    }
    const motion_def def = modal_def(&f);
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    for (int k = 0; k < 3; ++k) {
        const double q = 2 * k;
        abut_box box;
        set_coordinates(&w, body, &q, 1);
        REQUIRE_OK(abut_body_box(w.scene, body, &box, NULL));
        assert_true(fabs(box.lo[0]) < 1e-9 && fabs(box.hi[0] - 3 * (1 + q)) < 1e-9);
        assert_true(fabs(box.lo[2]) < 1e-9 && fabs(box.hi[2]) < 1e-9);
    }
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

// ---- bodies with a bounding sphere

typedef struct tangent {
    world w;
    abut_body_id ball;
    abut_body_id sheet;
} tangent;

static double random_length(test_random* random, int least, int most) {
    const double length = ldexp(1 + random_unit(random), random_between(random, least, most));
    return random_chance(random, 0.5) ? length : -length;
}

// A ball whose pole lies in a sheet to the last bit because of the frames, or `apart` below it.
static tangent tangent_make(test_random* random, int least, int most, double apart) {
    const double radius = ldexp(1 + random_unit(random), random_between(random, least, most));
    const double t = random_length(random, least, most);
    const double shift = random_chance(random, 0.5) ? 0 : random_length(random, least, most);
    tangent k = {.w = world_make(NULL, NULL)};
    surface ball = surface_ball(8, 12, radius);
    surface sheet = surface_sheet(7, 7, 4 * radius);
    surface_shift(&sheet, -2 * radius, -2 * radius, ((radius + t) - shift) + apart);
    motion_def def = motion_def_default();
    def.block_triangles = 1 + random_below(random, 20);
    abut_body_def body = abut_body_def_default();
    body.frame.t[2] = shift;
    k.sheet = world_add(&k.w, &sheet, &def, &body);
    def.motion = ABUT_MOTION_MODAL;
    body.frame.t[2] = t;
    if (random_chance(random, 0.5)) {  // a quarter turn about z is exact
        static const double quarter[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
        memcpy(body.frame.r, quarter, sizeof quarter);
    }
    k.ball = world_add(&k.w, &ball, &def, &body);
    surface_free(&ball);
    surface_free(&sheet);
    return k;
}

static size_t check_tangent(const tangent* k, const abut_collide_def* def) {
    return check_between(&k->w, k->ball, k->sheet, def) +
           check_between(&k->w, k->sheet, k->ball, def) + check_collide_all(&k->w, def);
}

// The pad of a sphere must cover all rounding errors, at every magnitude.
static void test_spheres_that_just_touch(void** state) {
    (void)state;
    static const int ranges[][2] = {{-3, 3},  {-30, 30},  {-152, -140}, {-60, -50}, {-1070, -1000},
                                    {50, 70}, {100, 121}, {115, 130},   {900, 1000}};
    for (size_t r = 0; r < sizeof ranges / sizeof ranges[0]; ++r) {
        size_t found = 0;
        for (uint64_t seed = 1; seed <= effort(8, 50, 500); ++seed) {
            where("range %zu, seed %llu", r, (unsigned long long)seed);
            test_random random = random_seed(seed);
            const double apart = seed % 3 == 0 ? ldexp(random_unit(&random), ranges[r][1]) : 0;
            tangent k = tangent_make(&random, ranges[r][0], ranges[r][1], apart);
            abut_collide_def def = abut_collide_def_default();
            double top[3];
            double low[3];
            REQUIRE_OK(abut_body_world_vertex(k.w.scene, k.ball, 7 * 12 + 1, top, NULL));
            REQUIRE_OK(abut_body_world_vertex(k.w.scene, k.sheet, 0, low, NULL));
            def.margin = fabs(low[2] - top[2]);
            found += check_tangent(&k, &def);
            def.margin = def.margin > 0 ? nextafter(def.margin, 0) : 0;
            (void)check_tangent(&k, &def);
            world_free(&k.w);
        }
        REQUIRE(found > 0);
    }
}

// A sheet in the corner of a ball's box misses the sphere: no block is evaluated there. Fronts find
// the same pairs.
static void test_spheres_exclude_corners_of_boxes(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface ball = surface_ball(12, 16, 1);
    surface sheet = surface_sheet(5, 5, 0.2);
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    const abut_body_id a = world_add(&w, &ball, &def, NULL);
    const abut_body_id b = world_add(&w, &sheet, NULL, NULL);
    abut_front* front = NULL;
    REQUIRE_OK(abut_front_create(w.context, &front, NULL));
    size_t found = 0;
    for (int step = 0; step <= 40; ++step) {
        where("step %d", step);
        const double at = 0.75 - 0.01 * step;
        abut_frame frame = abut_frame_identity();
        frame.t[0] = frame.t[1] = frame.t[2] = at;
        world_frame(&w, b, frame);
        abut_collide_def query = abut_collide_def_default();
        abut_counters counters = {0};
        query.head.counters = &counters;
        found += check_between(&w, a, b, &query);
        REQUIRE(at < 0.6 || counters.boxes_computed == 0);
        query.front = front;
        (void)check_between(&w, b, a, &query);
    }
    REQUIRE(found > 0);
    abut_front_destroy(front);
    surface_free(&ball);
    surface_free(&sheet);
    world_free(&w);
}

// fields that move a small body so far that the rounding error of long sums is as large as the body
static void test_body_spheres_far_out(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(10, 40, 400); ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed + 60);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(5, 7, 1);
        field_set f = make_fields(&random, &s, 40, 0, ABUT_SCALAR_F64, false);
        double q[40];
        for (uint32_t j = 0; j < 40; ++j) {
            q[j] = random_double(&random, -1e15, 1e15);
            for (size_t i = 0; i < 3 * (size_t)s.vertex_count; ++i) {
                field_at(&f, j, 0)[i] = 1;
            }
        }
        const motion_def def = modal_def(&f);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        set_coordinates(&w, body, q, 40);
        check_body_bounds(&w, body, s.vertex_count);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// the boxes of all nodes, as queries use them
static uint32_t bounds_of(const world* w, abut_body_id id, abut__boxes8 out[64]) {
    const abut__body* body = inside_body(w->scene, id);
    const uint32_t count = body->shape->tree.node_count;
    REQUIRE(count <= 64);
    for (uint32_t n = 0; n < count; ++n) {
        abut__boxes8 room;
        memset(&out[n], 0, sizeof out[n]);
        const abut__boxes8* boxes = abut__body_bound(body, n, 1, &room);
        for (uint32_t k = 0; k < body->shape->tree.nodes[n].count; ++k) {
            for (int d = 0; d < 3; ++d) {
                out[n].lo[d][k] = boxes->lo[d][k];
                out[n].hi[d][k] = boxes->hi[d][k];
            }
        }
    }
    return count;
}

static void check_edit_keeps(const motion_def* def, const surface* s) {
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, s, def, NULL);
    const double q[4] = {1, -0.5, 0.7, 0.2};
    set_coordinates(&w, body, q, 4);
    abut__boxes8 before[64];
    abut__boxes8 after[64];
    const uint32_t count = bounds_of(&w, body, before);
    REQUIRE(count > 2);
    motion_edit_def edit = motion_edit_def_default();
    edit.rebuild = true;  // rebuilds for the rest positions: the same tree again
    abut_shape* edited = NULL;
    REQUIRE_OK(motion_edit(abut_body_shape(w.scene, body), &edit, &edited, NULL, NULL));
    REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
    abut_shape_destroy(edited);
    REQUIRE(bounds_of(&w, body, after) == count);
    REQUIRE(memcmp(before, after, count * sizeof *before) == 0);
    world_validate(&w, body);
    (void)check_self(&w, body, NULL);
    world_free(&w);
}

static void test_edits_keep_the_bound(void** state) {
    (void)state;
    test_random random = random_seed(36);
    surface s = surface_ball(8, 12, 1);
    field_set f = make_fields(&random, &s, 4, 0.8, ABUT_SCALAR_F32, true);
    motion_def def = modal_def(&f);
    def.block_triangles = 8;
    def.bound = ABUT_MODAL_BOUND_SPHERES;
    check_edit_keeps(&def, &s);
    def.bound = ABUT_MODAL_BOUND_BOXES;
    check_edit_keeps(&def, &s);
    free_fields(&f);
    surface_free(&s);
}

static void test_bad_bounds_are_refused(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_ball(4, 5, 1);
    abut_shape* good = world_shape(&w, &s, NULL);
    abut_shape* shape = NULL;
    abut_error error;
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    def.bound = 17;
    REQUIRE_STATUS(motion_create(w.context, abut_shape_mesh(good), &def, &shape, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "unknown bound 17"));
    assert_null(shape);
    abut_shape_destroy(good);
    surface_free(&s);
    world_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balls_hold_their_items),
        cmocka_unit_test(test_balls_are_small),
        cmocka_unit_test(test_spheres_hold_vertices),
        cmocka_unit_test(test_spheres_in_bad_frames),
        cmocka_unit_test(test_queries_equal_all_pairs),
        cmocka_unit_test(test_same_on_all_sets),
        cmocka_unit_test(test_body_spheres_hold_vertices),
        cmocka_unit_test(test_body_spheres_are_tight),
        cmocka_unit_test(test_body_spheres_far_out),
        cmocka_unit_test(test_body_boxes_are_tight),
        cmocka_unit_test(test_spheres_that_just_touch),
        cmocka_unit_test(test_spheres_exclude_corners_of_boxes),
        cmocka_unit_test(test_edits_keep_the_bound),
        cmocka_unit_test(test_bad_bounds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
