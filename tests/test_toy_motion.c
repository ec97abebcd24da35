// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A fifth motion, defined here and linked through the tables of motion/motion.h alone: a shear by
// one number, x' = x + k y. Every query answers as brute force does, with fronts, Voronoi culling,
// edits and frames. So those tables contain everything that a motion needs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/world.h"
#include "shape/shape.h"
#include "support/near.h"
#include "support/swept_pairs.h"
#include "support/motion_def.h"

// ---- the motion

typedef struct shear_state {
    double k;
} shear_state;

static void shear_vertex(const abut_shape* shape, const abut__state* state, uint32_t vertex,
                         double out[3]) {
    const shear_state* own = state->own;
    abut__mesh_rest(shape->mesh, vertex, out);
    out[0] = out[0] + own->k * out[1];
}

static void shear_begin(const abut_shape* shape, abut__state* state, const abut__state* last,
                        abut__usage* usage) {
    (void)last;
    (void)usage;
    double extent = 0;
    for (uint32_t v = 0; v < shape->mesh->vertex_count; ++v) {
        double x[3];
        shear_vertex(shape, state, v, x);
        extent = fmax(extent, fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))));
    }
    state->extent = (float)(extent * (1 + 0x1p-20));
    state->bad_vertex = ABUT__NONE;
}

static void grow(const abut_shape* shape, const abut__state* state, abut__ref ref,
                 abut__boxes8* out, uint32_t lane) {
    const abut__tree* tree = &shape->tree;
    if (!abut__is_block(ref)) {
        for (uint32_t k = 0; k < tree->nodes[ref].count; ++k) {
            grow(shape, state, tree->nodes[ref].child[k], out, lane);
        }
        return;
    }
    const abut__block* block = tree->blocks[abut__block_of(ref)];
    for (uint32_t v = 0; v < block->vertex_count; ++v) {
        double x[3];
        shear_vertex(shape, state, block->vertex[v], x);
        for (int d = 0; d < 3; ++d) {
            out->lo[d][lane] = fminf(out->lo[d][lane], (float)x[d]);
            out->hi[d][lane] = fmaxf(out->hi[d][lane], (float)x[d]);
        }
    }
}

static const abut__boxes8* shear_bound(const abut_shape* shape, const abut__state* state,
                                       const abut__turn* turn, uint32_t node, abut__boxes8* room) {
    const abut__node* of = &shape->tree.nodes[node];
    abut__boxes8 boxes;
    abut__boxes_infinite(&boxes, 0);
    for (uint32_t k = 0; k < of->count; ++k) {
        grow(shape, state, of->child[k], &boxes, k);
    }
    *room = boxes;
    if (turn != NULL) {
        shape->context->kernels->turn_boxes(&boxes, of->count, turn, room);
    }
    return room;
}

static bool shear_evaluate(const abut_shape* shape, const abut__state* state, uint32_t block,
                           abut__block_points* points, float* radius) {
    const abut__block* of = shape->tree.blocks[block];
    memset(points, 0, sizeof *points);
    for (uint32_t v = 0; v < of->vertex_count; ++v) {
        double x[3];
        shear_vertex(shape, state, of->vertex[v], x);
        for (int d = 0; d < 3; ++d) {
            points->xyz[d][v] = (float)x[d];
        }
    }
    *radius = 0;  // rounding to float keeps the order
    return true;
}

static void shear_vertices(const abut_shape* shape, const abut__state* state, const uint32_t* ids,
                           uint32_t count, double* const out[3]) {
    for (uint32_t i = 0; i < count; ++i) {
        double x[3];
        shear_vertex(shape, state, ids[i], x);
        for (int d = 0; d < 3; ++d) {
            out[d][i] = x[d];
        }
    }
}

static bool shear_apart(const abut_shape* shape, const abut__state* state, abut__ref ref) {
    (void)shape;
    (void)state;
    (void)ref;
    return false;
}

static const abut__motion shear = {
    .id = (abut_motion)77,
    .name = "shear",
    .state_size = sizeof(shear_state),
    .begin = shear_begin,
    .bound = shear_bound,
    .evaluate = shear_evaluate,
    .vertices = shear_vertices,
    .apart = shear_apart,
};

static abut_status check_k(const abut_shape* shape, const abut__state* now, void* input,
                           abut_error* error) {
    (void)shape;
    (void)now;
    return isfinite(*(const double*)input)
               ? ABUT_OK
               : abut__fail(error, ABUT_ERR_INVALID_DATA, ABUT_ELEMENT_NONE, 0, "k is not finite");
}

static abut_status take_k(const abut_shape* shape, abut__state* next, abut__state* now, void* input,
                          abut_error* error) {
    (void)shape;
    (void)now;
    (void)error;
    ((shear_state*)next->own)->k = *(const double*)input;
    return ABUT_OK;
}

static const abut__input shear_by = {
    .motion = &shear,
    .what = "shear",
    .check = check_k,
    .fill = take_k,
};

// ---- the worlds

static abut_shape* shear_shape(const world* w, const surface* s) {
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = (abut_positions){s->xyz, s->vertex_count, 0, ABUT_SCALAR_F64};
    def.triangles = s->triangles;
    def.triangle_count = s->triangle_count;
    abut_mesh* mesh;
    abut_shape* shape;
    const abut_shape_def shape_def = abut_shape_def_default();
    REQUIRE_OK(abut_mesh_create(w->context, &def, &mesh, NULL));
    REQUIRE_OK(abut__shape_create_with(w->context, mesh, &shape_def, &shear, NULL, &shape, NULL));
    abut_mesh_destroy(mesh);
    return shape;
}

static abut_body_id add(world* w, const surface* s) {
    abut_shape* shape = shear_shape(w, s);
    abut_body_id id;
    REQUIRE_OK(abut_body_create(w->scene, shape, NULL, &id, NULL));
    abut_shape_destroy(shape);
    return id;
}

static void set(world* w, abut_body_id body, double k) {
    REQUIRE_OK(abut__body_set(w->scene, body, &shear_by, &k, NULL));
}

static void require_vertices(const world* w, abut_body_id body, const surface* s, double k) {
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        double x[3];
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, x, NULL));
        const double* p = s->xyz + 3 * (size_t)v;
        REQUIRE(x[0] == p[0] + k * p[1] && x[1] == p[1] && x[2] == p[2]);
    }
}

// a ball, and a crumpled sheet through it
typedef struct stage {
    world w;
    surface s[2];
    abut_body_id id[2];
    double k[2];
    test_random random;
} stage;

static stage open_stage(uint64_t seed) {
    where("seed %llu", (unsigned long long)seed);
    stage g = {.w = world_make(NULL, NULL), .random = random_seed(seed)};
    g.s[0] = surface_ball(9, 12, 1);
    g.s[1] = surface_sheet(14, 14, 2);
    surface_shift(&g.s[1], -1, -1, 0.1);
    surface_shake(&g.s[1], &g.random, 0.25, 1.0 / 64);
    for (int i = 0; i < 2; ++i) {
        g.id[i] = add(&g.w, &g.s[i]);
    }
    return g;
}

static void move_stage(stage* g) {
    for (int i = 0; i < 2; ++i) {
        g->k[i] = random_below(&g->random, 33) / 16.0 - 1;
        set(&g->w, g->id[i], g->k[i]);
        require_vertices(&g->w, g->id[i], &g->s[i], g->k[i]);
        if (random_chance(&g->random, 0.5)) {
            world_frame(&g->w, g->id[i], frame_random(&g->random, 0.3));
        }
    }
}

static void close_stage(stage* g) {
    world_free(&g->w);
    surface_free(&g->s[0]);
    surface_free(&g->s[1]);
}

#define SEEDS effort(4, 20, 200)

// ---- tests

static void test_contacts(void** state) {
    (void)state;
    size_t pairs = 0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        stage g = open_stage(seed);
        abut_front* front;
        REQUIRE_OK(abut_front_create(g.w.context, &front, NULL));
        for (int step = 0; step < 4; ++step) {
            abut_collide_def def = abut_collide_def_default();
            move_stage(&g);
            pairs += check_between(&g.w, g.id[0], g.id[1], &def);
            pairs += check_self(&g.w, g.id[1], &def);
            def.margin = 0.05;
            pairs += check_collide_all(&g.w, &def);
            pairs += check_self_all(&g.w, &def);
            def.margin = 0;
            def.front = front;
            pairs += check_between(&g.w, g.id[0], g.id[1], &def);
            def.front = NULL;
            def.culling.kind = ABUT_CULLING_VORONOI;
            pairs += check_collide_all(&g.w, &def);
        }
        abut_front_destroy(front);
        close_stage(&g);
    }
    assert_true(pairs > 1000);
}

// all pairs of triangles, with distances in plain doubles; ties may have either order
static void require_within(const stage* g, const abut_within_result* result, double within) {
    size_t count;
    const abut_distance_pair* got = abut_within_result_pairs(result, &count);
    size_t found = 0;
    for (uint32_t a = 0; a < g->s[0].triangle_count; ++a) {
        double p[3][3];
        query_corners(g->w.scene, g->id[0], g->id[1], a, p);
        for (uint32_t b = 0; b < g->s[1].triangle_count; ++b) {
            double q[3][3];
            query_corners(g->w.scene, g->id[1], g->id[0], b, q);
            const double distance = plain_distance((const double(*)[3])p, (const double(*)[3])q);
            const bool has = found < count && got[found].triangle_a == a &&
                             got[found].triangle_b == b;
            REQUIRE(has == (distance <= within) || fabs(distance - within) < 1e-9);
            found += has;
        }
    }
    REQUIRE(found == count);
}

static void test_distances(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        stage g = open_stage(seed);
        abut_nearest_result* nearest;
        abut_within_result* within;
        REQUIRE_OK(abut_nearest_result_create(g.w.context, &nearest, NULL));
        REQUIRE_OK(abut_within_result_create(g.w.context, &within, NULL));
        abut_frame away = abut_frame_identity();
        away.t[2] = 2.5;
        world_frame(&g.w, g.id[1], away);
        for (int i = 0; i < 2; ++i) {
            g.k[i] = random_below(&g.random, 33) / 16.0 - 1;
            set(&g.w, g.id[i], g.k[i]);
        }
        distance_oracle o = {.within = INFINITY};
        abut_within_def def = abut_within_def_default();
        REQUIRE_OK(abut_nearest(g.w.scene, g.id[0], g.id[1], NULL, nearest, NULL));
        distance_list wanted = distances_between(g.w.scene, g.id[0], g.id[1], &o);
        require_distances(g.w.scene, nearest, &wanted, "nearest");
        free(wanted.pairs);
        def.distance = o.within = 1.6;
        REQUIRE_OK(abut_within(g.w.scene, g.id[0], g.id[1], &def, within, NULL));
        require_within(&g, within, def.distance);
        abut_nearest_result_destroy(nearest);
        abut_within_result_destroy(within);
        close_stage(&g);
    }
}

static void test_times_of_impact(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        stage g = open_stage(seed);
        snapshot p[2] = {snapshot_make(g.id[0], &g.s[0]), snapshot_make(g.id[1], &g.s[1])};
        for (int i = 0; i < 2; ++i) {
            set(&g.w, g.id[i], random_below(&g.random, 17) / 16.0);
            snapshot_take(&g.w, &p[i], 0, true);
        }
        for (int i = 0; i < 2; ++i) {
            set(&g.w, g.id[i], -(double)random_below(&g.random, 17) / 16.0);
            snapshot_take(&g.w, &p[i], 1, true);
        }
        contacts += check_pair(&g.w, &p[0], &p[1], NULL);
        contacts += check_pair(&g.w, &p[1], &p[1], NULL);
        snapshot_free(&p[0]);
        snapshot_free(&p[1]);
        close_stage(&g);
    }
    assert_true(contacts > 100);
}

// a free body with the same positions has the same depth, bit for bit
static void test_penetration_depths(void** state) {
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; ++seed) {
        where("seed %llu", (unsigned long long)seed);
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface balls[2] = {surface_ball(7, 9, 1), surface_ball(8, 8, 1)};
        surface_shift(&balls[1], 1.2, 0.3, 0.2);
        abut_body_id sheared[2];
        abut_body_id plain[2];
        for (int i = 0; i < 2; ++i) {
            double k = random_below(&random, 17) / 32.0;
            sheared[i] = add(&w, &balls[i]);
            plain[i] = world_add(&w, &balls[i], NULL, NULL);
            set(&w, sheared[i], k);
            for (uint32_t v = 0; v < balls[i].vertex_count; ++v) {
                balls[i].xyz[3 * v] = balls[i].xyz[3 * v] + k * balls[i].xyz[3 * v + 1];
            }
            world_move(&w, plain[i], balls[i].xyz);
        }
        abut_depth_result* depths[2];
        size_t count[2];
        const abut_region* regions[2];
        for (int i = 0; i < 2; ++i) {
            const abut_body_id* id = i == 0 ? sheared : plain;
            REQUIRE_OK(abut_depth_result_create(w.context, &depths[i], NULL));
            REQUIRE_OK(abut_depth(w.scene, id[0], id[1], NULL, depths[i], NULL));
            regions[i] = abut_depth_result_regions(depths[i], &count[i]);
        }
        REQUIRE(count[0] == count[1] && count[0] > 0);
        for (size_t r = 0; r < count[0]; ++r) {
            REQUIRE(regions[0][r].depth == regions[1][r].depth &&
                    memcmp(regions[0][r].direction, regions[1][r].direction,
                           sizeof regions[0][r].direction) == 0);
        }
        abut_depth_result_destroy(depths[0]);
        abut_depth_result_destroy(depths[1]);
        world_free(&w);
        surface_free(&balls[0]);
        surface_free(&balls[1]);
    }
}

static void test_containment(void** state) {
    (void)state;
    stage g = open_stage(1);
    set(&g.w, g.id[0], 0.5);
    for (int i = 0; i < 200; ++i) {
        // the ball's points are (x + k y, y, z)
        double p[3];
        for (int d = 0; d < 3; ++d) {
            p[d] = random_below(&g.random, 301) / 100.0 - 1.5;
        }
        const double x = p[0] - 0.5 * p[1];
        const double r = sqrt(x * x + p[1] * p[1] + p[2] * p[2]);
        int32_t winding;
        const abut_side side = world_point_side(&g.w, g.id[0], p, &winding);
        if (r < 0.9) {
            REQUIRE(side == ABUT_SIDE_INSIDE);
        } else if (r > 1) {
            REQUIRE(side == ABUT_SIDE_OUTSIDE);
        }
    }
    close_stage(&g);
}

static void test_edits_and_errors(void** state) {
    (void)state;
    stage g = open_stage(2);
    move_stage(&g);
    const uint32_t removed[2] = {3, 17};
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = removed;
    edit.removed_triangle_count = 2;
    abut_shape* edited;
    REQUIRE_OK(motion_edit(abut_body_shape(g.w.scene, g.id[1]), &edit, &edited, NULL, NULL));
    REQUIRE_OK(abut_body_set_shape(g.w.scene, g.id[1], edited, (abut_positions){0}, NULL));
    abut_shape_destroy(edited);
    require_vertices(&g.w, g.id[1], &g.s[1], g.k[1]);
    (void)check_between(&g.w, g.id[0], g.id[1], NULL);
    (void)check_self(&g.w, g.id[1], NULL);
    abut_error error;
    double bad = NAN;
    REQUIRE_STATUS(abut__body_set(g.w.scene, g.id[0], &shear_by, &bad, &error),
                   ABUT_ERR_INVALID_DATA);
    require_vertices(&g.w, g.id[0], &g.s[0], g.k[0]);
    const double one = 1;
    REQUIRE_STATUS(abut_body_set_coordinates(g.w.scene, g.id[0], &one, 1, &error),
                   ABUT_ERR_INVALID_ARGUMENT);
    assert_string_equal(error.message, "the motion is shear, which takes no coordinates");
    close_stage(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts),        cmocka_unit_test(test_distances),
        cmocka_unit_test(test_times_of_impact), cmocka_unit_test(test_penetration_depths),
        cmocka_unit_test(test_containment),     cmocka_unit_test(test_edits_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
