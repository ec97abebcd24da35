// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Triangles of blocks that planes prove too far apart: against the distances of all pairs, and how
// many blocks are left between balls about one centre, where all distances are nearly equal.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "query/nearest.h"
#include "support/inside.h"

// two bodies, and a seeker that looks for pairs up to a distance
typedef struct search {
    world w;
    abut_nearest_result* result;
    abut__settings def;
    abut__body* body[2];
    abut__seeker* seeker;
} search;

static search search_make(const surface* a, const surface* b, double distance) {
    search s = {.w = world_make(NULL, NULL), .def = abut__settings_default};
    const abut_body_id first = world_add(&s.w, a, NULL, NULL);
    const abut_body_id second = world_add(&s.w, b, NULL, NULL);
    REQUIRE_OK(abut_nearest_result_create(s.w.context, &s.result, NULL));
    s.body[0] = inside_body(s.w.scene, first);
    s.body[1] = inside_body(s.w.scene, second);
    abut__proximity* near = &s.result->near;
    s.seeker = &near->seekers[0];
    REQUIRE_OK(abut__near_begin(s.w.scene, &s.def, near));
    REQUIRE(abut__seeker_meet(s.seeker, s.body[0], s.body[1]));
    REQUIRE(abut__push(near->work.context, &near->slots, 1) != NULL);
    abut__slots_empty(near->slots.data, 1, distance);
    abut__seeker_aim(s.seeker, near->slots.data, 0);
    return s;
}

static void search_free(search* s) {
    abut_nearest_result_destroy(s->result);
    world_free(&s->w);
}

static const abut__block* block_of(const search* s, int side, uint32_t block) {
    return s->body[side]->shape->tree.blocks[block];
}

// the corners of a lane's triangle
static void corners_of(const search* s, int side, uint32_t block, uint32_t lane, double out[3][3]) {
    const abut_mesh* mesh = s->body[side]->shape->mesh;
    const uint32_t triangle = block_of(s, side, block)->triangle[lane];
    for (uint32_t c = 0; c < 3; ++c) {
        abut__body_vertex(s->body[side], mesh->triangles[3 * (size_t)triangle + c], 1, out[c]);
    }
}

// Whether a lane is farther than a distance from all triangles of a block of the other body.
static bool is_far(const search* s, int side, const uint32_t block[2], uint32_t lane,
                   double distance) {
    double p[3][3];
    bool far = true;
    corners_of(s, side, block[side], lane, p);
    for (uint32_t k = 0; k < block_of(s, 1 - side, block[1 - side])->triangle_count && far; ++k) {
        double q[3][3];
        abut_distance measured;
        corners_of(s, 1 - side, block[1 - side], k, q);
        REQUIRE_OK(
            abut_triangles_distance((const double(*)[3])p, (const double(*)[3])q, &measured));
        far = measured.distance > distance;
    }
    return far;
}

// Narrows a pair of blocks, and checks every lane that is removed. Counts the lanes of each side
// that are, where others are left.
static void narrow(const search* s, const uint32_t block[2], double distance, uint64_t removed[2]) {
    uint64_t lanes[2];
    const uint64_t all[2] = {block_of(s, 0, block[0])->valid, block_of(s, 1, block[1])->valid};
    memcpy(lanes, all, sizeof lanes);
    abut__blocks_narrow(s->seeker, block, lanes);
    for (int side = 0; side < 2; ++side) {
        REQUIRE((lanes[side] & ~all[side]) == 0);
        for (uint64_t left = all[side] & ~lanes[side]; left != 0; left &= left - 1) {
            removed[side] += lanes[side] != 0;
            REQUIRE(is_far(s, side, block, (uint32_t)__builtin_ctzll(left), distance));
        }
    }
}

// the first calls remove nothing, and the first one after them chooses the origin
static void warm_up(const search* s) {
    for (uint32_t k = 0; k < 64; ++k) {
        uint64_t lanes[2] = {1, 1};
        abut__blocks_narrow(s->seeker, (const uint32_t[2]){0, 0}, lanes);
    }
}

static void check_all(const search* s, double distance, uint32_t seed, uint64_t removed[2]) {
    const uint32_t count[2] = {s->body[0]->shape->tree.block_count,
                               s->body[1]->shape->tree.block_count};
    warm_up(s);
    for (uint32_t k = 0; k < count[0] * count[1]; ++k) {
        const uint32_t block[2] = {k / count[1], k % count[1]};
        where("seed %u, blocks %u and %u, distance %g", seed, block[0], block[1], distance);
        narrow(s, block, distance, removed);
    }
}

static void test_removed_are_far(void** state) {
    (void)state;
    uint64_t removed[2] = {0, 0};
    for (uint32_t seed = 0; seed < effort(30, 100, 1000); ++seed) {
        test_random random = random_seed(seed);
        const double far = seed % 3 == 0 ? ldexp(1, random_between(&random, 0, 20)) : 0;
        surface a = seed % 2 == 0 ? surface_ball(8, 10, 1)
                                  : surface_soup(&random, 150, 2, 0.2, 0x1p-20);
        surface b = surface_ball(9, 11, random_double(&random, 0.5, 3));
        surface_shift(&b, random_double(&random, -2, 2), random_double(&random, -2, 2), 0);
        surface_shift(&a, far, 0, far);
        surface_shift(&b, far, 0, far);
        const double distance = random_double(&random, 0.1, 1.5);
        search s = search_make(&a, &b, distance);
        check_all(&s, distance, seed, removed);
        search_free(&s);
        surface_free(&a);
        surface_free(&b);
    }
    REQUIRE(removed[0] > 100 && removed[1] > 100);
}

// Coordinates are large and their roundings count, because most of b is far away. Both have a tiny
// triangle, almost a point, whose distance is the limit: these must stay.
static void test_rounding(void** state) {
    (void)state;
    uint64_t removed[2] = {0, 0};
    for (uint32_t seed = 0; seed < effort(60, 100, 1000); ++seed) {
        test_random random = random_seed(seed);
        surface a = surface_soup(&random, 1, 1, 1e-5, 0x1p-40);
        surface b = surface_soup(&random, 200, 1, 1e-5, 0x1p-40);
        const double far = seed % 2 == 0 ? 3000 : -3000;
        for (uint32_t i = 3; i < b.vertex_count; ++i) {
            b.xyz[3 * (size_t)i] += far;
        }
        abut_distance measured;
        REQUIRE_OK(abut_triangles_distance((const double(*)[3])a.xyz, (const double(*)[3])b.xyz,
                                           &measured));
        search s = search_make(&a, &b, measured.distance);
        check_all(&s, measured.distance, seed, removed);
        search_free(&s);
        surface_free(&a);
        surface_free(&b);
    }
}

// More blocks than are stored at a time: one takes the place of another.
static void test_many_blocks(void** state) {
    (void)state;
    surface a = surface_ball(6, 8, 0.1);
    surface b = surface_ball(200, 200, 1);
    search s = search_make(&a, &b, 0.95);
    const uint32_t count = s.body[1]->shape->tree.block_count;
    uint64_t removed[2] = {0, 0};
    REQUIRE(count > 1100);
    warm_up(&s);
    for (uint32_t k = 0; k < 64; ++k) {
        const uint32_t block[2] = {0, k % 2 == 0 ? k : count - k};
        where("block %u", block[1]);
        narrow(&s, block, 0.95, removed);
        narrow(&s, (const uint32_t[2]){0, (block[1] + 1024) % count}, 0.95, removed);
    }
    REQUIRE(removed[0] + removed[1] > 0);
    search_free(&s);
    surface_free(&a);
    surface_free(&b);
}

// All distances are nearly equal here, so that boxes of many blocks are near enough.
static void test_few_blocks_are_left(void** state) {
    (void)state;
    surface a = surface_ball(60, 60, 1);
    surface b = surface_ball(57, 57, 3);
    search s = search_make(&a, &b, 2.002);
    const uint32_t count[2] = {s.body[0]->shape->tree.block_count,
                               s.body[1]->shape->tree.block_count};
    uint32_t left = 0;
    for (uint32_t k = 0; k < count[0] * count[1]; ++k) {
        const uint32_t block[2] = {k / count[1], k % count[1]};
        uint64_t lanes[2] = {block_of(&s, 0, block[0])->valid, block_of(&s, 1, block[1])->valid};
        abut__blocks_narrow(s.seeker, block, lanes);
        left += lanes[0] != 0 && lanes[1] != 0;
    }
    where("%u of %u pairs of blocks are left", left, count[0] * count[1]);
    REQUIRE(left < 20 * count[0]);
    search_free(&s);
    surface_free(&a);
    surface_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_removed_are_far),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_few_blocks_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
