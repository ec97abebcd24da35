// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Promises 5 and 6 about memory. A whole program runs once for each of its allocations, and that
// allocation fails. The step in which it fails returns ABUT_ERR_NO_MEMORY or succeeds without the
// memory. Bodies keep their last good state, the same step succeeds at the next try, and nothing
// leaks. The allocator of support/memory.h checks the sizes and alignments given to `free`.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/abut.h"
#include "scenes/scenes.h"
#include "support/grid.h"
#include "support/memory.h"
#include "support/threads.h"
#include "support/world.h"

#define SIDE_A 9u
#define SIDE_B 7u
#define VERTICES_A (SIDE_A * SIDE_A)
#define VERTICES_B (SIDE_B * SIDE_B)
#define TRIANGLES_A (2 * (SIDE_A - 1) * (SIDE_A - 1))
#define TRIANGLES_B (2 * (SIDE_B - 1) * (SIDE_B - 1))
#define STEPS_MOST 96

// A program: all objects that it owns, and a hash of all answers that it received.
typedef struct program {
    test_memory memory;
    test_threads* threads;  // may be NULL
    abut_context* context;
    abut_mesh* mesh[3];
    abut_shape* shape[5];
    abut_scene* scene;
    abut_body_id body[4];
    abut_collide_result* result;
    abut_front* front;
    abut_changes* changes;
    abut_nearest_result* nearest;
    abut_within_result* within;
    abut_features_result* features;
    uint64_t sum;  // hash of the answers of the step
    uint32_t triangles_a[3 * TRIANGLES_A];
    uint32_t triangles_b[3 * TRIANGLES_B];
    double xyz_a[3 * VERTICES_A];
    float xyz_b[5 * VERTICES_B];  // each with two floats of padding
    double borrowed[3 * VERTICES_A];
} program;

typedef abut_status (*step_fn)(program* p, abut_error* error);

static void mix(uint64_t* sum, const void* bytes, size_t size) {
    const unsigned char* b = bytes;
    for (size_t i = 0; i < size; ++i) {
        *sum = (*sum ^ b[i]) * UINT64_C(0x100000001b3);
    }
}

// coordinate d of a vertex of a crumpled sheet; such sheets touch each other and themselves
static double crumpled(test_random* random, uint32_t side, uint32_t vertex, int d) {
    const double at[3] = {2.0 * (vertex % side) / side - 1, 2.0 * (vertex / side) / side - 1, 0};
    return at[d] + random_double(random, -0.2, 0.2);
}

static void pose_a(program* p, uint64_t seed) {
    test_random random = random_seed(seed);
    for (uint32_t v = 0; v < VERTICES_A; ++v) {
        for (int d = 0; d < 3; ++d) {
            p->xyz_a[3 * (size_t)v + (size_t)d] = crumpled(&random, SIDE_A, v, d);
        }
    }
}

static void pose_b(program* p, uint64_t seed) {
    test_random random = random_seed(seed);
    for (uint32_t v = 0; v < VERTICES_B; ++v) {
        for (int d = 0; d < 3; ++d) {
            p->xyz_b[5 * (size_t)v + (size_t)d] = (float)crumpled(&random, SIDE_B, v, d);
        }
        p->xyz_b[5 * (size_t)v + 3] = NAN;  // padding that must not be read
        p->xyz_b[5 * (size_t)v + 4] = INFINITY;
    }
}

static abut_positions view_a(const program* p) {
    return abut_positions_f64(p->xyz_a, VERTICES_A);
}

static abut_positions view_b(const program* p) {
    return (abut_positions){p->xyz_b, VERTICES_B, 5 * sizeof(float), ABUT_SCALAR_F32};
}

// ---- creating

static abut_status make_context(program* p, abut_error* error) {
    abut_context_def def = abut_context_def_default();
    def.allocator = memory_allocator(&p->memory);
    if (p->threads != NULL) {
        def.tasks = threads_tasks(p->threads);
    }
    return abut_context_create(&def, &p->context, error);
}

static abut_status make_mesh_computed(program* p, abut_error* error) {
    pose_a(p, 1);
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = view_a(p);
    def.triangles = p->triangles_a;
    def.triangle_count = TRIANGLES_A;
    return abut_mesh_create(p->context, &def, &p->mesh[0], error);
}

static abut_status make_mesh_given(program* p, abut_error* error) {
    pose_b(p, 2);
    uint32_t classes[VERTICES_B];
    uint32_t tags[TRIANGLES_B];
    for (uint32_t v = 0; v < VERTICES_B; ++v) {
        classes[v] = 1000 - v / 2;
    }
    for (uint32_t t = 0; t < TRIANGLES_B; ++t) {
        tags[t] = t % 5;
    }
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = view_b(p);
    def.triangles = p->triangles_b;
    def.triangle_count = TRIANGLES_B;
    def.class_rule = ABUT_CLASS_RULE_GIVEN;
    def.classes = classes;
    def.tags = tags;
    return abut_mesh_create(p->context, &def, &p->mesh[1], error);
}

static abut_status make_mesh_off(program* p, abut_error* error) {
    pose_a(p, 3);
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = view_a(p);
    def.triangles = p->triangles_a;
    def.triangle_count = TRIANGLES_A;
    def.class_rule = ABUT_CLASS_RULE_NONE;
    return abut_mesh_create(p->context, &def, &p->mesh[2], error);
}

static abut_status make_shape(program* p, uint32_t index, uint32_t fan_out, uint32_t block,
                              abut_error* error) {
    const uint32_t ignored[] = {0, 1, 3, 3, 4, 2};
    motion_def def = motion_def_default();
    def.fan_out = fan_out;
    def.block_triangles = block;
    def.ignored_tags = ignored;
    def.ignored_tag_pair_count = index == 1 ? 3 : 0;
    return motion_create(p->context, p->mesh[index], &def, &p->shape[index], error);
}
static abut_status make_shape_0(program* p, abut_error* error) {
    return make_shape(p, 0, 2, 5, error);
}
static abut_status make_shape_1(program* p, abut_error* error) {
    return make_shape(p, 1, 3, 16, error);
}
static abut_status make_shape_2(program* p, abut_error* error) {
    return make_shape(p, 2, 8, 48, error);
}

static abut_status make_scene(program* p, abut_error* error) {
    abut_scene_def def = abut_scene_def_default();
    def.pool_bytes = (size_t)1 << 20;
    return abut_scene_create(p->context, &def, &p->scene, error);
}
static abut_status make_body_0(program* p, abut_error* error) {
    return abut_body_create(p->scene, p->shape[0], NULL, &p->body[0], error);
}
static abut_status make_body_1(program* p, abut_error* error) {
    abut_body_def def = abut_body_def_default();
    def.frame.t[0] = 0.25;
    return abut_body_create(p->scene, p->shape[1], &def, &p->body[1], error);
}
static abut_status make_body_2(program* p, abut_error* error) {
    return abut_body_create(p->scene, p->shape[2], NULL, &p->body[2], error);
}
static abut_status make_result(program* p, abut_error* error) {
    return abut_collide_result_create(p->context, &p->result, error);
}
static abut_status make_front(program* p, abut_error* error) {
    return abut_front_create(p->context, &p->front, error);
}
static abut_status make_changes(program* p, abut_error* error) {
    return abut_changes_create(p->context, &p->changes, error);
}

// ---- states

static abut_status set_a(program* p, abut_error* error) {
    pose_a(p, 11);
    return abut_body_set_positions(p->scene, p->body[0], view_a(p), error);
}
static abut_status set_b(program* p, abut_error* error) {
    pose_b(p, 12);
    return abut_body_set_positions(p->scene, p->body[1], view_b(p), error);
}
static abut_status set_a_again(program* p, abut_error* error) {
    pose_a(p, 13);
    return abut_body_set_positions(p->scene, p->body[0], view_a(p), error);
}
static abut_status borrow_c(program* p, abut_error* error) {
    pose_a(p, 14);
    memcpy(p->borrowed, p->xyz_a, sizeof p->borrowed);
    return abut_body_borrow_positions(p->scene, p->body[2],
                                      abut_positions_f64(p->borrowed, VERTICES_A), error);
}
static abut_status turn_b(program* p, abut_error* error) {
    const abut_frame frame = {{{0.8, -0.6, 0}, {0.6, 0.8, 0}, {0, 0, 1}}, {0.1, 0.2, -0.1}};
    const abut_frame before = abut_body_frame(p->scene, p->body[1]);
    return abut_body_set_frame_step(p->scene, p->body[1], &before, &frame, error);
}

// ---- queries

static void mix_result(program* p) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(p->result, &count);
    const abut_intersection* shared = abut_collide_result_intersections(p->result, NULL);
    mix(&p->sum, &count, sizeof count);
    for (size_t i = 0; i < count; ++i) {
        mix(&p->sum, &pairs[i], sizeof pairs[i]);
        if (shared != NULL) {
            mix(&p->sum, &shared[i].count, sizeof shared[i].count);
            mix(&p->sum, shared[i].points, shared[i].count * sizeof shared[i].points[0]);
        }
    }
    const bool touching = abut_collide_result_found(p->result);
    mix(&p->sum, &touching, sizeof touching);
}

static bool mix_piece(void* user, const abut_pair* pairs, const abut_intersection* shared,
                      size_t count) {
    program* p = user;
    assert_non_null(shared);
    mix(&p->sum, pairs, count * sizeof *pairs);
    return true;
}

static bool not_three(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                      uint32_t triangle_b) {
    (void)user;
    return (body_a + triangle_a + body_b + triangle_b) % 3 != 0;
}

static abut_status hash_answer(program* p, abut_status status) {
    if (status == ABUT_OK) {
        mix_result(p);
    } else {  // a failed query leaves no partial answer
        size_t count = 1;
        assert_null(abut_collide_result_pairs(p->result, &count));
        assert_int_equal(count, 0);
        assert_null(abut_collide_result_intersections(p->result, NULL));
    }
    return status;
}

static abut_status collide_plain(program* p, abut_error* error) {
    (void)error;
    return hash_answer(p, abut_collide(p->scene, p->body[0], p->body[1], NULL, p->result, NULL));
}
static abut_status collide_margin(program* p, abut_error* error) {
    (void)error;
    abut_collide_def def = abut_collide_def_default();
    def.margin = 0.05;
    def.intersections = true;
    def.filter.fn = not_three;
    return hash_answer(p, abut_collide(p->scene, p->body[1], p->body[2], &def, p->result, NULL));
}
static abut_status collide_any(program* p, abut_error* error) {
    (void)error;
    abut_collide_def def = abut_collide_def_default();
    def.any = true;
    return hash_answer(p, abut_collide(p->scene, p->body[0], p->body[2], &def, p->result, NULL));
}
static abut_status collide_all_shared(program* p, abut_error* error) {
    (void)error;
    abut_collide_def def = abut_collide_def_default();
    def.intersections = true;
    def.front = p->front;
    return hash_answer(p, abut_collide_all(p->scene, &def, p->result, NULL));
}
static abut_status make_nearest_result(program* p, abut_error* error) {
    return abut_nearest_result_create(p->context, &p->nearest, error);
}
static abut_status make_within(program* p, abut_error* error) {
    return abut_within_result_create(p->context, &p->within, error);
}
static abut_status make_features(program* p, abut_error* error) {
    return abut_features_result_create(p->context, &p->features, error);
}
// hashes the answer; a failed query leaves none
static abut_status hash_list(program* p, abut_status status, const abut_distance_pair* list,
                             size_t count) {
    assert_true(status == ABUT_OK || count == 0);
    for (size_t i = 0; i < count; ++i) {
        mix(&p->sum, &list[i].distance, sizeof list[i].distance);
        mix(&p->sum, &list[i].triangle_b, sizeof list[i].triangle_b);
    }
    return status;
}

static abut_status hash_distances(program* p, abut_status status) {
    size_t count;
    const abut_distance_pair* list = abut_nearest_result_pairs(p->nearest, &count);
    return hash_list(p, status, list, count);
}
static abut_status nearest_pair(program* p, abut_error* error) {
    (void)error;
    return hash_distances(p,
                          abut_nearest(p->scene, p->body[0], p->body[2], NULL, p->nearest, NULL));
}
static abut_status nearest_all(program* p, abut_error* error) {
    (void)error;
    return hash_distances(p, abut_nearest_all(p->scene, NULL, p->nearest, NULL));
}
static abut_status nearest_triangles(program* p, abut_error* error) {
    (void)error;
    return hash_distances(p, abut_nearest_triangles(p->scene, p->body[0], NULL, p->nearest, NULL));
}
static abut_status nearest_self(program* p, abut_error* error) {
    (void)error;
    return hash_distances(p, abut_nearest_self(p->scene, p->body[0], NULL, p->nearest, NULL));
}
static abut_status nearest_by_diagram(program* p, abut_error* error) {
    (void)error;
    abut_nearest_def def = abut_nearest_def_default();
    def.culling.kind = ABUT_CULLING_VORONOI;
    abut_status status = hash_distances(p, abut_nearest_all(p->scene, &def, p->nearest, NULL));
    if (status == ABUT_OK) {
        status = hash_distances(p, abut_nearest_triangles(p->scene, p->body[0], &def, p->nearest,
                                                          NULL));
    }
    return status == ABUT_OK
               ? hash_distances(p, abut_nearest_self(p->scene, p->body[0], &def, p->nearest, NULL))
               : status;
}
static abut_status collide_by_diagram(program* p, abut_error* error) {
    (void)error;
    abut_collide_def def = abut_collide_def_default();
    def.culling.kind = ABUT_CULLING_VORONOI;
    const abut_status status = hash_answer(p, abut_collide_all(p->scene, &def, p->result, NULL));
    return status == ABUT_OK
               ? hash_answer(p, abut_collide_self_all(p->scene, &def, p->result, NULL))
               : status;
}
static abut_status pairs_within(program* p, abut_error* error) {
    (void)error;
    abut_within_def def = abut_within_def_default();
    def.distance = 0.05;
    const abut_status status = abut_within_all(p->scene, &def, p->within, NULL);
    size_t count;
    const abut_distance_pair* list = abut_within_result_pairs(p->within, &count);
    return hash_list(p, status, list, count);
}
static abut_status hash_features(program* p, abut_status status) {
    size_t count;
    const abut_feature_pair* list = abut_features_result_pairs(p->features, &count);
    assert_true(status == ABUT_OK || count == 0);
    mix(&p->sum, list, count * sizeof *list);
    return status;
}
static abut_status features_within(program* p, abut_error* error) {
    (void)error;
    abut_features_def def = abut_features_def_default();
    def.distance = 0.05;
    const abut_status status = hash_features(p,
                                             abut_features_all(p->scene, &def, p->features, NULL));
    return status == ABUT_OK
               ? hash_features(p, abut_features_self_all(p->scene, &def, p->features, NULL))
               : status;
}
static abut_status self_plain(program* p, abut_error* error) {
    (void)error;
    return hash_answer(p, abut_collide_self(p->scene, p->body[0], NULL, p->result, NULL));
}
static abut_status self_all_neighbours(program* p, abut_error* error) {
    (void)error;
    abut_collide_def def = abut_collide_def_default();
    def.include_neighbours = true;
    def.margin = 0.01;
    return hash_answer(p, abut_collide_self_all(p->scene, &def, p->result, NULL));
}
static abut_status call_back_all(program* p, abut_error* error) {
    (void)error;
    const uint64_t before = p->sum;
    abut_collide_def def = abut_collide_def_default();
    def.intersections = true;
    def.callback.fn = mix_piece;
    def.callback.user = p;
    const abut_status status = abut_collide_all(p->scene, &def, p->result, NULL);
    p->sum = status == ABUT_OK ? p->sum : before;  // pieces of a failed call do not count
    return status;
}

// feature queries in small pieces; sums of hashes do not depend on their order
static abut_status features_budget(program* p, abut_error* error) {
    (void)error;
    uint64_t rows_sum = 0;
    abut_front_clear(p->front);
    abut_features_def def = abut_features_def_default();
    def.front = p->front;
    def.budget = 150;
    def.distance = 0.01;
    abut_status status = ABUT_INCOMPLETE;
    for (int rounds = 0; status == ABUT_INCOMPLETE; ++rounds) {
        assert_in_range(rounds, 0, 10000);
        status = abut_features_all(p->scene, &def, p->features, NULL);
        size_t count = 0;
        const abut_feature_pair* rows = abut_features_result_pairs(p->features, &count);
        for (size_t i = 0; i < count; ++i) {
            uint64_t one = 1;
            mix(&one, &rows[i], sizeof rows[i]);
            rows_sum += one;
        }
    }
    if (status == ABUT_OK) {
        mix(&p->sum, &rows_sum, sizeof rows_sum);
    }
    return status;
}

// every vertex of the first body gets a thickness of its own
static abut_status thicken(program* p, abut_error* error) {
    static double thick[VERTICES_A];
    for (uint32_t v = 0; v < VERTICES_A; ++v) {
        thick[v] = 0.001 * (double)(v % 3);
    }
    return abut_body_set_vertex_thickness(p->scene, p->body[0], thick, VERTICES_A, error);
}

// queries in small pieces until done; the hash does not depend on their order
static abut_status collide_budget(program* p, abut_error* error) {
    (void)error;
    uint64_t pairs_sum = 0;
    abut_front_clear(p->front);
    abut_collide_def def = abut_collide_def_default();
    def.front = p->front;
    def.budget = 150;
    abut_status status = ABUT_INCOMPLETE;
    for (int rounds = 0; status == ABUT_INCOMPLETE; ++rounds) {
        assert_in_range(rounds, 0, 10000);
        status = abut_collide_all(p->scene, &def, p->result, NULL);
        size_t count = 0;
        const abut_pair* pairs = abut_collide_result_pairs(p->result, &count);
        for (size_t i = 0; i < count; ++i) {
            uint64_t one = 1;
            mix(&one, &pairs[i], sizeof pairs[i]);
            pairs_sum += one;
        }
    }
    if (status == ABUT_OK) {
        mix(&p->sum, &pairs_sum, sizeof pairs_sum);
    }
    return status;
}

static void mix_changes(const abut_changes* changes, uint64_t* sum) {
    for (int c = 0; c < 3; ++c) {
        size_t count = 0;
        const abut_pair* pairs = abut_changes_pairs(changes, (abut_change)c, &count);
        mix(sum, &count, sizeof count);
        mix(sum, pairs, count * sizeof *pairs);
        pairs = abut_changes_body_pairs(changes, (abut_change)c, &count);
        mix(sum, &count, sizeof count);
        mix(sum, pairs, count * sizeof *pairs);
    }
}

static abut_status update_changes(program* p, abut_error* error) {
    (void)error;
    const abut_status status = abut_changes_update(p->changes, p->result, NULL);
    if (status == ABUT_OK) {
        mix_changes(p->changes, &p->sum);
    }
    return status;
}

// ---- edits and inspection

static abut_status edit_a(program* p, abut_error* error) {
    const uint32_t removed[] = {0, 5, 77, 127};
    const uint32_t added[] = {0, 40, VERTICES_A, 1, VERTICES_A + 1, 80};
    const uint32_t tags[] = {3, 4};
    const float vertices[] = {0, 0.5f, 0.25f, -0.5f, 0.125f, 0};
    motion_edit_def edit = motion_edit_def_default();
    edit.removed_triangles = removed;
    edit.removed_triangle_count = 4;
    edit.added_triangles = added;
    edit.added_triangle_count = 2;
    edit.added_tags = tags;
    edit.added_vertices = abut_positions_f32(vertices, 2);
    abut_edit_work work = {0};
    const abut_status status = motion_edit(p->shape[0], &edit, &p->shape[3], &work, error);
    mix(&p->sum, &work, sizeof work);
    return status;
}

static abut_status rebuild_b(program* p, abut_error* error) {
    pose_b(p, 21);
    motion_edit_def edit = motion_edit_def_default();
    edit.rebuild = true;
    edit.rebuild_positions = view_b(p);
    return motion_edit(p->shape[1], &edit, &p->shape[4], NULL, error);
}

static abut_status switch_a(program* p, abut_error* error) {
    return abut_body_set_shape(p->scene, p->body[0], p->shape[3], (abut_positions){0}, error);
}
static abut_status switch_b(program* p, abut_error* error) {
    pose_b(p, 22);
    return abut_body_set_shape(p->scene, p->body[1], p->shape[4], view_b(p), error);
}

static abut_status inspect(program* p, abut_error* error) {
    abut_mesh_info health;
    const abut_status status = abut_mesh_inspect(abut_shape_mesh(p->shape[3]), &health, error);
    if (status == ABUT_OK) {
        mix(&p->sum, &health.components, sizeof health.components);
        mix(&p->sum, &health.boundary_edges, sizeof health.boundary_edges);
    }
    return status;
}
static abut_status shape_stats(program* p, abut_error* error) {
    abut_tree_info stats;
    const abut_status status = abut_shape_inspect(p->shape[4], &stats, error);
    if (status == ABUT_OK) {
        mix(&p->sum, &stats.sah_cost, sizeof stats.sah_cost);
    }
    return status;
}
static abut_status body_stats(program* p, abut_error* error) {
    abut_tree_info stats;
    const abut_status status = abut_body_inspect(p->scene, p->body[0], &stats, error);
    if (status == ABUT_OK) {
        mix(&p->sum, &stats.overlap, sizeof stats.overlap);
    }
    return status;
}
static abut_status validate_shape(program* p, abut_error* error) {
    return abut_shape_validate(p->shape[3], error);
}
static abut_status validate_body(program* p, abut_error* error) {
    return abut_body_validate(p->scene, p->body[0], error);
}
static abut_status destroy_body(program* p, abut_error* error) {
    return abut_body_destroy(p->scene, p->body[2], error);
}
static abut_status make_body_3(program* p, abut_error* error) {
    return abut_body_create(p->scene, p->shape[4], NULL, &p->body[3], error);
}

static const step_fn steps[] = {
    make_context,
    make_mesh_computed,
    make_mesh_given,
    make_mesh_off,
    make_shape_0,
    make_shape_1,
    make_shape_2,
    make_scene,
    make_body_0,
    make_body_1,
    make_body_2,
    make_result,
    make_front,
    make_changes,
    make_nearest_result,
    make_within,
    make_features,
    collide_all_shared,
    update_changes,
    set_a,
    set_b,
    collide_plain,
    self_plain,
    update_changes,
    borrow_c,
    turn_b,
    collide_margin,
    collide_any,
    collide_all_shared,
    update_changes,
    set_a_again,
    collide_budget,
    self_all_neighbours,
    call_back_all,
    nearest_pair,
    nearest_all,
    nearest_triangles,
    nearest_self,
    pairs_within,
    features_within,
    nearest_by_diagram,
    thicken,
    features_budget,
    nearest_all,
    collide_by_diagram,
    edit_a,
    rebuild_b,
    switch_a,
    collide_all_shared,
    switch_b,
    collide_all_shared,
    update_changes,
    inspect,
    shape_stats,
    body_stats,
    validate_shape,
    validate_body,
    destroy_body,
    make_body_3,
    collide_all_shared,
    update_changes,
    collide_budget,
};
#define STEP_COUNT (sizeof steps / sizeof steps[0])

static void program_start(program* p, test_threads* threads) {
    memset(p, 0, sizeof *p);
    memory_init(&p->memory);
    p->threads = threads;
    p->sum = UINT64_C(0xcbf29ce484222325);
    grid_triangles(SIDE_A, p->triangles_a);
    grid_triangles(SIDE_B, p->triangles_b);
}

// releases all objects in an unusual order: each one keeps alive what it uses
static void program_end(program* p, bool complete) {
    for (int i = 0; i < 3; ++i) {
        abut_mesh_destroy(p->mesh[i]);
    }
    for (int i = 0; i < 5; ++i) {
        abut_shape_destroy(p->shape[i]);
    }
    if (complete && p->scene != NULL) {
        assert_int_equal(abut_body_destroy(p->scene, p->body[1], NULL), ABUT_OK);
    }
    abut_scene_destroy(p->scene);
    abut_collide_result_destroy(p->result);
    abut_front_destroy(p->front);
    abut_changes_destroy(p->changes);
    abut_nearest_result_destroy(p->nearest);
    abut_within_result_destroy(p->within);
    abut_features_result_destroy(p->features);
    abut_context_destroy(p->context);
}

// a hash of the states of all bodies, which a failed call must not change
static uint64_t states_of(const program* p) {
    uint64_t sum = 7;
    for (uint32_t i = 0; p->scene != NULL && i < abut_scene_body_limit(p->scene); ++i) {
        const abut_body_id id = abut_scene_body_at(p->scene, i);
        if (!abut_body_is_valid(p->scene, id)) {
            continue;
        }
        const abut_frame frame = abut_body_frame(p->scene, id);
        mix(&sum, &frame, sizeof frame);
        mix(&sum, &id, sizeof id);
        const uint32_t vertices = abut_mesh_vertex_count(
            abut_shape_mesh(abut_body_shape(p->scene, id)));
        for (uint32_t v = 0; v < vertices; ++v) {
            double xyz[3];
            assert_int_equal(abut_body_vertex(p->scene, id, v, xyz, NULL), ABUT_OK);
            mix(&sum, xyz, sizeof xyz);
        }
    }
    if (p->changes != NULL) {
        mix_changes(p->changes, &sum);
    }
    return sum;
}

// a hash of the answers of queries; they use their own result, and no allocation fails
static uint64_t answers_of(program* p) {
    if (p->scene == NULL) {
        return 0;
    }
    abut_collide_result* result = NULL;
    assert_int_equal(abut_collide_result_create(p->context, &result, NULL), ABUT_OK);
    abut_collide_result* own = p->result;
    const uint64_t before = p->sum;
    p->result = result;
    p->sum = 0;
    assert_int_equal(abut_collide_all(p->scene, NULL, result, NULL), ABUT_OK);
    mix_result(p);
    assert_int_equal(abut_collide_self_all(p->scene, NULL, result, NULL), ABUT_OK);
    mix_result(p);
    const uint64_t sum = p->sum;
    p->result = own;
    p->sum = before;
    abut_collide_result_destroy(result);
    return sum;
}

typedef struct reference {
    size_t calls;               // allocations of a run without failure
    size_t before[STEPS_MOST];  // allocations before each step
    uint64_t states[STEPS_MOST];
    uint64_t answers[STEPS_MOST];
    uint64_t sum[STEPS_MOST];  // hash after each step
} reference;

static void check_error(const abut_error* error, size_t call, size_t step) {
    const bool silent = error->status == ABUT_OK;  // queries get no error to fill
    if (!silent && (error->status != ABUT_ERR_NO_MEMORY || error->message[0] == '\0' ||
                    error->element != ABUT_ELEMENT_NONE)) {
        fail_msg("allocation %zu refused, step %zu: error %d '%s'", call, step, (int)error->status,
                 error->message);
    }
}

// One run in which allocation `call` fails, or none if it is 0. Fills `ref` or compares with it.
static void run_program(reference* ref, size_t call, bool onwards, bool first,
                        test_threads* threads) {
    program* p = malloc(sizeof *p);
    assert_non_null(p);
    program_start(p, threads);
    memory_fail(&p->memory, call, onwards);
    for (size_t s = 0; s < STEP_COUNT; ++s) {
        if (first) {
            ref->states[s] = states_of(p);
            ref->before[s] = p->memory.calls;
        }
        abut_error error = {0};
        const uint64_t sum = p->sum;
        abut_status status = steps[s](p, &error);
        if (status != ABUT_OK) {
            if (status != ABUT_ERR_NO_MEMORY || p->memory.refused == 0) {
                fail_msg("allocation %zu refused, step %zu: status %d '%s'", call, s, (int)status,
                         error.message);
            }
            check_error(&error, call, s);
            memory_fail(&p->memory, 0, false);
            p->sum = sum;
            if (states_of(p) != ref->states[s]) {
                fail_msg("allocation %zu refused, step %zu: a state changed", call, s);
            }
            if (answers_of(p) != ref->answers[s]) {
                fail_msg("allocation %zu refused, step %zu: other answers", call, s);
            }
            status = steps[s](p, &error);
            if (status != ABUT_OK) {
                fail_msg("allocation %zu refused, step %zu: fails again: %d '%s'", call, s,
                         (int)status, error.message);
            }
        }
        if (first) {
            ref->sum[s] = p->sum;
        } else if (p->sum != ref->sum[s]) {
            fail_msg("allocation %zu refused, step %zu: another outcome", call, s);
        }
        if (memory_check(&p->memory) != 0) {
            fail_msg("allocation %zu refused, step %zu: %s", call, s, p->memory.first_fault);
        }
    }
    if (first) {
        ref->calls = p->memory.calls;
    }
    program_end(p, true);
    if (!memory_clean(&p->memory)) {
        fail_msg("allocation %zu refused (%s): not clean at the end", call,
                 onwards ? "and all after" : "once");
    }
    memory_destroy(&p->memory);
    free(p);
}

// the answers before each step, in a separate run, because queries warm the pool
static void reference_answers(reference* ref) {
    program* p = malloc(sizeof *p);
    assert_non_null(p);
    program_start(p, NULL);
    for (size_t s = 0; s < STEP_COUNT; ++s) {
        ref->answers[s] = answers_of(p);
        abut_error error = {0};
        assert_int_equal(steps[s](p, &error), ABUT_OK);
    }
    program_end(p, false);
    assert_true(memory_clean(&p->memory));
    memory_destroy(&p->memory);
    free(p);
}

// Chooses the first allocations of every step and some others, most of which are buffers of tasks.
// A long test chooses all of them.
static bool is_chosen(const reference* ref, size_t call) {
    if (effort(0, 0, 1) != 0) {
        return true;
    }
    size_t first = 0;
    for (size_t s = 0; s < STEP_COUNT && ref->before[s] < call; ++s) {
        first = ref->before[s];
    }
    return effort(1, 0, 0) != 0 ? call - first <= 1 || call % 601 == 0
                                : call - first <= 16 || call % 61 == 0;
}

static void fail_everywhere(bool onwards) {
    reference ref = {0};
    assert_true(STEP_COUNT <= STEPS_MOST);
    run_program(&ref, 0, false, true, NULL);
    reference_answers(&ref);
    assert_true(ref.calls > 100);
    for (size_t call = 1; call <= ref.calls; ++call) {
        if (is_chosen(&ref, call)) {
            run_program(&ref, call, onwards, false, NULL);
        }
    }
}

static void test_every_failure_once(void** state) {
    (void)state;
    fail_everywhere(false);
}

static void test_every_failure_and_all_after(void** state) {
    (void)state;
    fail_everywhere(true);
}

// With threads, timing decides which allocation is the n-th. Nothing may break.
static void test_failures_with_threads(void** state) {
    (void)state;
    test_threads* threads = threads_create(4, 99);
    reference ref = {0};
    run_program(&ref, 0, false, true, threads);
    reference_answers(&ref);
    const size_t runs = effort(8, 80, UINT32_MAX) < ref.calls ? effort(8, 80, UINT32_MAX)
                                                              : ref.calls;
    for (size_t call = 1; call <= ref.calls; call += ref.calls / runs + 1) {
        run_program(&ref, call, false, false, threads);
        run_program(&ref, call, true, false, threads);
    }
    threads_destroy(threads);
}

// a program that ends early, after any step, leaks nothing
static void test_every_early_end(void** state) {
    (void)state;
    for (size_t end = 0; end <= STEP_COUNT; ++end) {
        program* p = malloc(sizeof *p);
        assert_non_null(p);
        program_start(p, NULL);
        for (size_t s = 0; s < end; ++s) {
            abut_error error = {0};
            assert_int_equal(steps[s](p, &error), ABUT_OK);
        }
        program_end(p, false);
        assert_true(memory_clean(&p->memory));
        memory_destroy(&p->memory);
        free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_failure_once),
        cmocka_unit_test(test_every_failure_and_all_after),
        cmocka_unit_test(test_failures_with_threads),
        cmocka_unit_test(test_every_early_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
