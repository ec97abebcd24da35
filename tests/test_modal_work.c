// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The work of modal bodies: lazy where no other body is near, all vertices at once in heavy
// contact, and boxes that small steps widen.

#include "test_modal_support.h"

#include "support/inside.h"

// Vertices without a query are not evaluated: a query that ends at the root evaluates no block.
static void test_work_is_lazy(void** state) {
    (void)state;
    test_random random = random_seed(19);
    world w = world_make(NULL, NULL);
    surface s = surface_ball(40, 60, 1);
    field_set f = make_fields(&random, &s, 8, 0.02, ABUT_SCALAR_F32, false);
    const abut_body_id a = add_modal(&w, &s, &f, 48);
    const abut_body_id b = add_modal(&w, &s, &f, 48);
    abut_frame frame = abut_frame_identity();
    frame.t[0] = 3;
    world_frame(&w, b, frame);
    double q[8];
    random_coordinates(&random, q, 8, 1);
    set_coordinates(&w, a, q, 8);
    abut_collide_def def = abut_collide_def_default();
    abut_counters counters = {0};
    def.head.counters = &counters;
    assert_int_equal(check_between(&w, a, b, &def), 0);
    assert_int_equal(counters.blocks_evaluated, 0);
    frame.t[0] = 1.98;
    world_frame(&w, b, frame);
    assert_true(check_between(&w, a, b, &def) > 0);
    assert_in_range(counters.blocks_evaluated, 1, 40);
    free_fields(&f);
    surface_free(&s);
    world_free(&w);
}

static bool moves_all(const world* w, abut_body_id id) {
    return abut__whole_is_here(
        abut__modal_state_of(abut__body_state(inside_body(w->scene, id), 1))->whole);
}

// Where queries need most blocks, all vertices are moved at once, and block by block again
// afterwards. Answers are the same.
static void test_heavy_contact_moves_all(void** state) {
    (void)state;
    test_random random = random_seed(21);
    for (uint32_t round = 0; round < effort(4, 8, 100); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(10, 14, 1);
        field_set f = make_fields(&random, &s, 1 + random_below(&random, 9), 0.2,
                                  round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64,
                                  round % 3 == 0);
        const abut_body_id a = add_modal(&w, &s, &f, 6);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        double q[10];
        uint32_t whole = 0;
        for (int k = 0; k < 9; ++k) {
            abut_frame frame = abut_frame_identity();
            frame.t[0] = k < 5 ? 0.01 * k : 5;
            world_frame(&w, b, frame);
            random_coordinates(&random, q, f.count, 0.3);
            set_coordinates(&w, a, q, f.count);
            assert_true(k > 0 || !moves_all(&w, a));
            whole += moves_all(&w, a);
            check_vertices(&w, a, &s, &f, q);
            world_validate(&w, a);
            (void)check_between(&w, a, b, NULL);
            (void)check_self(&w, a, NULL);
            if (k == 3) {
                assert_true(moves_all(&w, a));
            }
        }
        assert_in_range(whole, 3, 8);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

static bool has_bounds(const world* w, abut_body_id id) {
    return abut__once_peek(&abut__modal_of(inside_body(w->scene, id)->shape)->bounds) != NULL;
}

// The first query of contact within a body moves all vertices, and makes no bounds of nodes, which
// take longer. Other queries and later states find what they need.
static void test_first_self_query_makes_no_bounds(void** state) {
    (void)state;
    test_random random = random_seed(23);
    for (uint32_t round = 0; round < effort(6, 20, 200); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(10, 14, 1);
        field_set f = make_fields(&random, &s, 1 + random_below(&random, 9), 0.2,
                                  round % 2 == 0 ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64,
                                  round % 3 == 0);
        motion_def def = modal_def(&f);
        def.block_triangles = 6;
        def.proxy_level = 0;
        abut_shape* shape = world_shape(&w, &s, &def);
        abut_body_id a;
        REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &a, NULL));
        abut_shape_destroy(shape);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        double q[10];
        for (int k = 0; k < 3; ++k) {
            random_coordinates(&random, q, f.count, 0.5);
            set_coordinates(&w, a, q, f.count);
            REQUIRE_OK(abut_collide_self(w.scene, a, NULL, w.result, NULL));
            REQUIRE(k > 0 || (moves_all(&w, a) && !has_bounds(&w, a)));
            (void)check_self(&w, a, NULL);
            check_vertices(&w, a, &s, &f, q);
            world_validate(&w, a);
            (void)check_between(&w, a, b, NULL);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// the number of nodes whose boxes, or spheres, are known for the current state
static uint32_t count_kept(const world* w, abut_body_id id) {
    const abut__body* body = inside_body(w->scene, id);
    const abut__more_bounds* more = abut__once_peek(&body->more);
    const abut__kept_boxes* boxes = more != NULL ? abut__once_peek(&more->kept_boxes) : NULL;
    const abut__kept_balls* balls = more != NULL ? abut__once_peek(&more->kept_balls) : NULL;
    uint32_t count = 0;
    for (uint32_t n = 0; n < body->shape->tree.node_count; ++n) {
        count += boxes != NULL &&
                 atomic_load(&((abut__kept_boxes*)boxes)[n].stamp) == more->state_stamp;
        count += balls != NULL &&
                 atomic_load(&((abut__kept_balls*)balls)[n].stamp) == more->state_stamp;
    }
    return count;
}

// With many fields and small steps, bounds are widened instead of recomputed, on several levels and
// whether or not the body turns. This includes nodes that were queried in different states. They
// must still contain all vertices.
static void test_small_steps_widen_boxes(void** state) {
    (void)state;
    test_random random = random_seed(20);
    for (uint32_t round = 0; round < effort(12, 24, 300); ++round) {
        where("round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(10, 14, 1);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            s.xyz[3 * (size_t)v] *= 3;  // longer than wide, so that a rotation changes its box
        }
        field_set f = make_fields(&random, &s, 40, 0.05, ABUT_SCALAR_F64, round % 3 == 0);
        const bool turning = round % 3 == 2;
        const bool straight = round % 2 == 1;  // one field moves all vertices in one direction
        const double slow = round % 4 == 1 ? 0.1 : -0.1;  // one end moves far less than the other
        for (uint32_t v = 0; v < s.vertex_count && straight; ++v) {
            for (uint32_t j = 0; j < 40; ++j) {
                double* u = field_at(&f, j, v);
                for (int d = 0; d < 3; ++d) {
                    u[d] = j > 0 ? 1e-3 * u[d] : d != 1 ? 0 : s.xyz[3 * (size_t)v] < slow ? 0.1 : 1;
                }
            }
        }
        motion_def def = modal_def(&f);
        def.block_triangles = 2;
        set_bound(&def, round % 5 == 4 ? 2 : 0);
        const abut_body_id a = world_add(&w, &s, &def, NULL);
        const abut_body_id b = world_add(&w, &s, NULL, NULL);
        const double step = ldexp(1, random_between(&random, -16, 2));
        double q[40] = {0};
        uint32_t widened = 0;
        uint32_t most = 0;
        if (round % 2 == 0) {
            world_frame(&w, a, frame_random(&random, 0.1));
        }
        for (int k = 0; k < 24; ++k) {
            for (int j = 0; j < 40; ++j) {
                q[j] += straight ? j == 0 ? step : 0 : random_double(&random, -step, step);
            }
            if (turning && random_chance(&random, 0.5)) {
                const abut_frame turned = frame_random(&random, 0.1);
                REQUIRE_OK(abut_body_set_frame(w.scene, a, &turned, NULL));
            }
            set_coordinates(&w, a, q, 40);
            widened += count_kept(&w, a) > 0;
            most = count_kept(&w, a) > most ? count_kept(&w, a) : most;
            if (random_chance(&random, 0.7)) {  // queries some of the nodes
                world_frame(&w, b, frame_random(&random, 3));
                (void)check_between(&w, a, b, NULL);
            }
            if (random_chance(&random, 0.3)) {
                world_validate(&w, a);
            }
        }
        world_validate(&w, a);
        if (step < 0x1p-12) {
            assert_true(widened > 8 && most > 9);  // more than the root and its children
        } else if (step > 0.5) {
            assert_int_equal(widened, 0);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// An upper bound of the norm by power iteration, without code of the library.
static double spectral_norm(const field_set* f, uint32_t vertex) {
    double x[3] = {0.6, 0.7, 0.4};
    double size = 0;
    for (int k = 0; k < 400; ++k) {
        double y[3] = {0, 0, 0};
        for (uint32_t j = 0; j < f->count; ++j) {
            const double* u = field_at(f, j, vertex);
            const double along = u[0] * x[0] + u[1] * x[1] + u[2] * x[2];
            for (int d = 0; d < 3; ++d) {
                y[d] += along * u[d];
            }
        }
        size = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
        for (int d = 0; d < 3 && size > 0; ++d) {
            x[d] = y[d] / size;
        }
    }
    return sqrt(size);
}

// A node's sway is the greatest spectral norm of a vertex below it, up to 1 %.
static void test_sways_are_spectral_norms(void** state) {
    (void)state;
    test_random random = random_seed(23);
    for (uint32_t round = 0; round < effort(3, 12, 100); ++round) {
        where("seed 23, round %u", round);
        world w = world_make(NULL, NULL);
        surface s = surface_ball(5, 7, 1);
        field_set f = make_fields(&random, &s, 33, ldexp(1, random_between(&random, -90, 90)),
                                  ABUT_SCALAR_F64, round % 2 == 0);
        const abut_body_id body = add_modal(&w, &s, &f, 4);
        const abut_shape* shape = inside_shape(abut_body_shape(w.scene, body));
        for (uint32_t n = 0; n < shape->tree.node_count; ++n) {
            for (uint32_t k = 0; k < shape->tree.nodes[n].count; ++k) {
                const abut__ref child = shape->tree.nodes[n].child[k];
                if (!abut__is_block(child)) {
                    continue;
                }
                const abut__block* block = shape->tree.blocks[abut__block_of(child)];
                double most = 0;
                for (uint32_t v = 0; v < block->vertex_count; ++v) {
                    most = fmax(most, spectral_norm(&f, block->vertex[v]));
                }
                const double sway = (double)abut__modal_bounds_of(shape)->bdtree->sways[n].all[k];
                REQUIRE(sway >= 0.999999 * most && sway <= 1.01 * most);
            }
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// The greatest half extent of a body's nodes along an axis, relative to that of their vertices.
static double looseness(const world* w, abut_body_id id, int axis, double floor) {
    const abut__body* body = inside_body(w->scene, id);
    double worst = 0;
    for (uint32_t b = 0; b < body->shape->tree.block_count; ++b) {
        const abut__box3 box = abut__body_ref_box(body, b | ABUT__REF_BLOCK, 1);
        const abut__block* block = body->shape->tree.blocks[b];
        double lo = INFINITY;
        double hi = -INFINITY;
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            double p[3];
            REQUIRE_OK(abut_body_vertex(w->scene, id, block->vertex[v], p, NULL));
            lo = fmin(lo, p[axis]);
            hi = fmax(hi, p[axis]);
        }
        const double own = (double)box.hi[axis] - (double)box.lo[axis];
        worst = fmax(worst, own / (hi - lo + floor));
    }
    return worst;
}

// A body that shrinks to a point, or folds up along one axis, has boxes that shrink with it, also
// if it turns inside out, and if other fields move it.
static void test_boxes_shrink_with_the_body(void** state) {
    (void)state;
    test_random random = random_seed(24);
    for (int folds = 0; folds < 2; ++folds) {
        world w = world_make(NULL, NULL);
        surface s = surface_ball(12, 16, 1);
        field_set f = make_fields(&random, &s, 3, 0, ABUT_SCALAR_F64, false);
        for (uint32_t v = 0; v < s.vertex_count; ++v) {
            for (int d = 0; d < 3; ++d) {
                field_at(&f, 0, v)[d] = folds == 0 || d == 0 ? -s.xyz[3 * (size_t)v + (size_t)d]
                                                             : 0;
                field_at(&f, 1, v)[d] = 0.5;
                field_at(&f, 2, v)[d] = d == 1 ? 0.25 * s.xyz[3 * (size_t)v + 1] : 0;
            }
        }
        motion_def def = modal_def(&f);
        def.block_triangles = 8;
        def.bound = ABUT_MODAL_BOUND_BOXES;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        for (int step = 0; step <= 12; ++step) {
            where("folds %d, step %d", folds, step);
            const double q[3] = {0.125 * step, -1, step % 2 == 0 ? 0 : -0.5};
            abut_box box;
            set_coordinates(&w, body, q, 3);
            world_validate(&w, body);
            REQUIRE(looseness(&w, body, 0, 1e-4) < 1.1);
            REQUIRE(looseness(&w, body, 1, 1e-4) < 1.1);
            REQUIRE_OK(abut_body_box(w.scene, body, &box, NULL));
            REQUIRE(box.hi[0] - box.lo[0] < 2.02 * fabs(1 - q[0]) + 1e-6);
        }
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
}

// Fields that mostly scale the surface, of any size: boxes contain all vertices.
static void test_sloped_boxes_hold_vertices(void** state) {
    (void)state;
    test_random random = random_seed(25);
    uint32_t sloped = 0;
    for (uint32_t round = 0; round < effort(20, 80, 2000); ++round) {
        where("seed 25, round %u", round);
        world w = world_make(NULL, NULL);
        double size;
        surface s = surface_any_ball(&random, 6, 9, 30, &size);
        const uint32_t count = 1 + random_below(&random, 12);
        field_set f = make_fields(&random, &s, count, 0.2 * size, ABUT_SCALAR_F64, round % 3 == 0);
        for (uint32_t j = 0; j < count; ++j) {
            const double scale = random_double(&random, -2, 2);
            for (uint32_t v = 0; v < s.vertex_count; ++v) {
                for (int d = 0; d < 3 && !(round % 3 == 0 && v % 2 == 0); ++d) {
                    field_at(&f, j, v)[d] += scale * s.xyz[3 * (size_t)v + (size_t)d];
                }
            }
        }
        motion_def def = modal_def(&f);
        def.block_triangles = 1 + random_below(&random, 20);
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        const abut_shape* shape = inside_shape(abut_body_shape(w.scene, body));
        const abut__bdtree* bdtree = abut__modal_bounds_of(shape)->bdtree;
        for (uint32_t n = 0; n < bdtree->node_count; ++n) {
            sloped += abut__bdtree_is_sloped(bdtree, n);
        }
        check_any_states(&w, body, &random, count);
        double q[12];
        random_coordinates(&random, q, count, 1);
        set_coordinates(&w, body, q, count);
        world_validate(&w, body);
        (void)check_self(&w, body, NULL);
        free_fields(&f);
        surface_free(&s);
        world_free(&w);
    }
    assert_true(sloped > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_work_is_lazy),
        cmocka_unit_test(test_heavy_contact_moves_all),
        cmocka_unit_test(test_first_self_query_makes_no_bounds),
        cmocka_unit_test(test_small_steps_widen_boxes),
        cmocka_unit_test(test_sways_are_spectral_norms),
        cmocka_unit_test(test_boxes_shrink_with_the_body),
        cmocka_unit_test(test_sloped_boxes_hold_vertices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
