// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kernels on boxes, in every instruction set of this processor, against plain loops: on random,
// touching, huge, tiny and infinite data. All instruction sets must give equal bits.

#include "test_kernels_support.h"

static abut__boxes8 random_boxes8(test_random* random, flavour kind, uint32_t count) {
    abut__boxes8 boxes;
    FILL_LANES(random, kind, count, ABUT__FAN, boxes)
    return boxes;
}

static abut__shift random_shift(test_random* random, flavour kind) {
    abut__shift shift = {{0, 0, 0}, {0, 0, 0}};
    if (random_chance(random, 0.6)) {
        for (int d = 0; d < 3; ++d) {
            const float x = number(random, kind == HUGE_ONES ? UNIT : kind);
            const float y = number(random, kind == HUGE_ONES ? UNIT : kind);
            shift.lo[d] = x < y ? x : y;
            shift.hi[d] = x < y ? y : x;
        }
    }
    return shift;
}

// a block of random triangles over POINTS vertices
static void random_block(test_random* random, abut__block* block) {
    memset(block, 0, sizeof *block);
    block->vertex_count = 1 + random_below(random, ABUT__BLOCK_VERTICES);
    block->triangle_count = 1 + random_below(random, ABUT__BLOCK_TRIANGLES);
    block->group_count = (block->triangle_count + 15) / 16;
    block->valid = (UINT64_C(1) << block->triangle_count) - 1;
    for (uint32_t v = 0; v < ABUT__BLOCK_VERTICES; ++v) {
        block->vertex[v] = v < block->vertex_count ? random_below(random, POINTS)
                                                   : block->vertex[0];
    }
    for (uint32_t k = 0; k < block->triangle_count; ++k) {
        block->triangle[k] = k;
        for (int c = 0; c < 3; ++c) {
            block->corner[c][k] = (uint8_t)random_below(random, block->vertex_count);
        }
    }
}

static void put(cloud* c, uint32_t vertex, int d, double x) {
    char* place = (char*)c->room + vertex * c->source.stride;
    if (c->source.is_double) {
        ((double*)(void*)place)[d] = x;
    } else {
        ((float*)(void*)place)[d] = (float)x;
    }
}

static void check_points(uint64_t seed, const abut__block* block, const cloud* c, bool finite) {
    abut__box3 first_box;
    FOR_EACH_KERNELS(s, kernels) {
        abut__block_points points;
        abut__box3 box;
        assert_int_equal(kernels->gather_points(block, c->source, &points), finite);
        assert_int_equal(kernels->block_bounds(block, c->source, &box), finite);
        if (!finite) {
            continue;
        }
        first_box = s == 0 ? box : first_box;
        if (!same_bits(&box, &first_box, sizeof box)) {
            fail_msg("seed %llu: bounds differ in set %d", (unsigned long long)seed, s);
        }
        for (int d = 0; d < 3; ++d) {
            float lo = INFINITY;
            float hi = -INFINITY;
            for (uint32_t v = 0; v < block->vertex_count; ++v) {
                const float x = value(c, block->vertex[v], d);
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
                if (!same_bits(&points.xyz[d][v], &x, sizeof x)) {
                    fail_msg("seed %llu: vertex %u in set %d", (unsigned long long)seed, v, s);
                }
            }
            if (!(box.lo[d] == lo && box.hi[d] == hi)) {
                fail_msg("seed %llu: bounds in set %d: %a %a, not %a %a", (unsigned long long)seed,
                         s, (double)box.lo[d], (double)box.hi[d], (double)lo, (double)hi);
            }
        }
    }
}

static void test_points_and_bounds(void** state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, -NAN};
    abut__block block;
    cloud* c = malloc(sizeof *c);
    assert_non_null(c);
    for (uint64_t seed = 1; seed <= cases() / 4; ++seed) {
        test_random random = random_seed(seed);
        random_block(&random, &block);
        random_cloud(&random, (flavour)(seed % FLAVOURS), c);
        check_points(seed, &block, c, true);
        const uint32_t victim = random_below(&random, block.vertex_count);
        put(c, block.vertex[victim], (int)random_below(&random, 3), bad[seed % 4]);
        check_points(seed, &block, c, false);
    }
    free(c);
}

// ---- boxes of triangles

static float turned(const abut__turn* turn, int d, const float p[3]) {
    volatile float a = turn->r[d][0] * p[0];
    volatile float b = turn->r[d][1] * p[1];
    volatile float c = turn->r[d][2] * p[2];
    volatile float ab = a + b;
    volatile float abc = ab + c;
    return abc;
}

static abut__turn random_turn(test_random* random, flavour kind) {
    abut__turn turn;
    for (int d = 0; d < 3; ++d) {
        for (int e = 0; e < 3; ++e) {
            turn.r[d][e] = (float)random_double(random, -1, 1);
        }
    }
    turn.pad = fabsf(number(random, kind == HUGE_ONES || kind == ANY ? UNIT : kind));
    return turn;
}

static void plain_block_boxes(const abut__block* block, const abut__block_points* points,
                              const abut__turn* turn, float radius, abut__block_boxes* out) {
    volatile float grown = turn != NULL ? 1.75f * radius + turn->pad : radius;
    for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
        for (int d = 0; d < 3; ++d) {
            out->lo[d][k] = INFINITY;
            out->hi[d][k] = -INFINITY;
            float x[3];
            for (int c = 0; c < 3 && k < block->triangle_count; ++c) {
                const uint32_t v = block->corner[c][k];
                const float p[3] = {points->xyz[0][v], points->xyz[1][v], points->xyz[2][v]};
                x[c] = turn != NULL ? turned(turn, d, p) : p[d];
            }
            if (k < block->triangle_count) {
                const float lo = x[0] < x[1] ? x[0] : x[1];
                const float hi = x[0] > x[1] ? x[0] : x[1];
                volatile float low = (lo < x[2] ? lo : x[2]) - grown;
                volatile float high = (hi > x[2] ? hi : x[2]) + grown;
                out->lo[d][k] = low;
                out->hi[d][k] = high;
            }
        }
    }
    for (int d = 0; d < 3; ++d) {
        float lo = INFINITY;
        float hi = -INFINITY;
        for (uint32_t v = 0; v < block->vertex_count; ++v) {
            const float p[3] = {points->xyz[0][v], points->xyz[1][v], points->xyz[2][v]};
            const float x = turn != NULL ? turned(turn, d, p) : p[d];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        volatile float low = lo - grown;
        volatile float high = hi + grown;
        out->all.lo[d] = low;
        out->all.hi[d] = high;
    }
}

// equal as numbers: the minimum of -0 and +0 may be either
static bool same_box(const abut__box3* a, const abut__box3* b) {
    bool same = true;
    for (int d = 0; d < 3; ++d) {
        same = same && a->lo[d] == b->lo[d] && a->hi[d] == b->hi[d];
    }
    return same;
}

static void test_block_boxes(void** state) {
    (void)state;
    abut__block block;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        random_block(&random, &block);
        abut__block_points points;
        memset(&points, 0xff, sizeof points);  // NaN behind the vertices in use
        const uint32_t filled = (block.vertex_count + 15) & ~15u;
        for (uint32_t v = 0; v < filled; ++v) {
            for (int d = 0; d < 3; ++d) {
                points.xyz[d][v] = v < block.vertex_count ? number(&random, kind)
                                                          : points.xyz[d][0];
            }
        }
        const abut__turn turn = random_turn(&random, kind);
        const abut__turn* used = seed % 3 == 0 && kind != HUGE_ONES && kind != ANY ? &turn : NULL;
        const float radius = seed % 2 == 0 ? 0 : 0.25f;
        abut__block_boxes wanted;
        plain_block_boxes(&block, &points, used, radius, &wanted);
        FOR_EACH_KERNELS(s, kernels) {
            abut__block_boxes boxes;
            memset(&boxes, 0x77, sizeof boxes);
            kernels->block_boxes(&block, &points, used, radius, &boxes);
            if (!same_bits(&boxes, &wanted, offsetof(abut__block_boxes, all)) ||
                !same_box(&boxes.all, &wanted.all)) {
                fail_msg("seed %llu: boxes differ in set %d", (unsigned long long)seed, s);
            }
        }
    }
}

static void plain_turn(const abut__boxes8* boxes, uint32_t count, const abut__turn* turn,
                       abut__boxes8* out) {
    for (uint32_t k = 0; k < ABUT__FAN; ++k) {
        float centre[3];
        float half[3];
        for (int d = 0; d < 3; ++d) {
            volatile float sum = boxes->lo[d][k] + boxes->hi[d][k];
            volatile float difference = boxes->hi[d][k] - boxes->lo[d][k];
            centre[d] = 0.5f * sum;
            half[d] = 0.5f * difference;
        }
        for (int d = 0; d < 3; ++d) {
            abut__turn magnitude = *turn;
            for (int e = 0; e < 3; ++e) {
                magnitude.r[d][e] = fabsf(turn->r[d][e]);
            }
            const float c = turned(turn, d, centre);
            volatile float e = turned(&magnitude, d, half) + turn->pad;
            volatile float lo = c - e;
            volatile float hi = c + e;
            out->lo[d][k] = k < count ? lo : INFINITY;
            out->hi[d][k] = k < count ? hi : -INFINITY;
        }
    }
}

static void test_turn_boxes(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = seed % 3 == 0 ? UNIT : seed % 3 == 1 ? LATTICE : TINY;
        const uint32_t count = 1 + random_below(&random, ABUT__FAN);
        abut__boxes8 boxes;
        for (uint32_t k = 0; k < ABUT__FAN; ++k) {
            for (int d = 0; d < 3; ++d) {
                const float x = number(&random, kind);
                const float y = number(&random, kind);
                boxes.lo[d][k] = k >= count ? INFINITY : x < y ? x : y;
                boxes.hi[d][k] = k >= count ? -INFINITY : x < y ? y : x;
            }
        }
        const abut__turn turn = random_turn(&random, kind);
        abut__boxes8 wanted;
        plain_turn(&boxes, count, &turn, &wanted);
        FOR_EACH_KERNELS(s, kernels) {
            abut__boxes8 out;
            memset(&out, 0x77, sizeof out);
            kernels->turn_boxes(&boxes, count, &turn, &out);
            if (!same_bits(&out, &wanted, sizeof out)) {
                fail_msg("seed %llu: turned boxes differ in set %d", (unsigned long long)seed, s);
            }
            abut__boxes8 in_place = boxes;  // a caller may turn them in place
            kernels->turn_boxes(&in_place, count, &turn, &in_place);
            assert_true(same_bits(&in_place, &wanted, sizeof out));
        }
    }
}

// ---- overlaps

static bool plain_overlap(const abut__box3* a, const abut__box3* b) {
    for (int d = 0; d < 3; ++d) {
        if (!(a->lo[d] <= b->hi[d] && b->lo[d] <= a->hi[d])) {
            return false;
        }
    }
    return true;
}

static abut__box3 shifted(abut__box3 box, const abut__shift* shift) {
    for (int d = 0; d < 3; ++d) {
        volatile float lo = box.lo[d] + shift->lo[d];
        volatile float hi = box.hi[d] + shift->hi[d];
        box.lo[d] = lo;
        box.hi[d] = hi;
    }
    return box;
}

static abut__box3 child(const abut__boxes8* boxes, uint32_t k) {
    return (abut__box3){{boxes->lo[0][k], boxes->lo[1][k], boxes->lo[2][k]},
                        {boxes->hi[0][k], boxes->hi[1][k], boxes->hi[2][k]}};
}

static abut__box3 lane(const abut__block_boxes* boxes, uint32_t k) {
    return (abut__box3){{boxes->lo[0][k], boxes->lo[1][k], boxes->lo[2][k]},
                        {boxes->hi[0][k], boxes->hi[1][k], boxes->hi[2][k]}};
}

static void test_overlap_nodes(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        const uint32_t count_a = 1 + random_below(&random, ABUT__FAN);
        const uint32_t count_b = 1 + random_below(&random, ABUT__FAN);
        const abut__boxes8 a = random_boxes8(&random, kind, count_a);
        const abut__boxes8 b = random_boxes8(&random, kind, count_b);
        const abut__shift shift = random_shift(&random, kind);
        const abut__box3 box = random_box3(&random, kind);
        FOR_EACH_KERNELS(s, kernels) {
            uint8_t rows[ABUT__FAN];
            memset(rows, 0x5a, sizeof rows);
            kernels->overlap_nodes(&a, count_a, &b, count_b, &shift, rows);
            const uint32_t row = kernels->overlap_box(&b, count_b, &shift, &box);
            uint32_t wanted = 0;
            for (uint32_t k = 0; k < count_b; ++k) {
                const abut__box3 of_b = shifted(child(&b, k), &shift);
                wanted |= (uint32_t)plain_overlap(&of_b, &box) << k;
            }
            if (row != wanted) {
                fail_msg("seed %llu set %d: row %x, not %x", (unsigned long long)seed, s, row,
                         wanted);
            }
            for (uint32_t i = 0; i < ABUT__FAN; ++i) {
                wanted = 0;
                const abut__box3 of_a = shifted(child(&a, i), &shift);
                for (uint32_t k = 0; k < count_b; ++k) {
                    const abut__box3 of_b = child(&b, k);
                    wanted |= (uint32_t)plain_overlap(&of_a, &of_b) << k;
                }
                if (rows[i] != (i < count_a ? wanted : 0x5a)) {
                    fail_msg("seed %llu set %d: row %u is %x, not %x", (unsigned long long)seed, s,
                             i, rows[i], wanted);
                }
            }
        }
    }
}

static void test_clip_block(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        const uint32_t count = 1 + random_below(&random, ABUT__BLOCK_TRIANGLES);
        const abut__block_boxes boxes = random_lanes(&random, kind, count);
        const uint64_t valid = random_mask(&random, count);
        const abut__shift shift = random_shift(&random, kind);
        const abut__box3 box = random_box3(&random, kind);
        uint64_t wanted = 0;
        for (uint32_t k = 0; k < ABUT__BLOCK_TRIANGLES; ++k) {
            const abut__box3 own = shifted(lane(&boxes, k), &shift);
            wanted |= (uint64_t)((valid >> k & 1) != 0 && plain_overlap(&own, &box)) << k;
        }
        FOR_EACH_KERNELS(s, kernels) {
            if (kernels->clip_block(&boxes, valid, &shift, &box) != wanted) {
                fail_msg("seed %llu: clipped lanes differ in set %d", (unsigned long long)seed, s);
            }
        }
    }
}

// the squared distance in float, as the kernels compute it
static bool plain_reaches(const abut__box3* box, const abut__sphere3* sphere) {
    volatile float sum = 0;
    for (int d = 0; d < 3; ++d) {
        volatile float below = box->lo[d] - sphere->c[d];
        volatile float above = sphere->c[d] - box->hi[d];
        volatile float away = below > above ? below : above;
        away = away > 0 ? away : 0;
        volatile float square = away * away;
        sum = sum + square;
    }
    return sum <= sphere->square;
}

static void test_spheres(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = seed % 2 == 0 ? UNIT : LATTICE;
        const uint32_t count = 1 + random_below(&random, ABUT__FAN);
        const uint32_t lanes = 1 + random_below(&random, ABUT__BLOCK_TRIANGLES);
        const abut__boxes8 boxes = random_boxes8(&random, kind, count);
        const abut__block_boxes block = random_lanes(&random, kind, lanes);
        const uint64_t valid = random_mask(&random, lanes);
        const abut__shift shift = random_shift(&random, kind);
        abut__sphere3 sphere = {.square = fabsf(number(&random, kind))};
        for (int d = 0; d < 3; ++d) {
            sphere.c[d] = number(&random, kind);
        }
        uint32_t wanted = 0;
        uint64_t wanted_lanes = 0;
        for (uint32_t k = 0; k < count; ++k) {
            const abut__box3 box = shifted(child(&boxes, k), &shift);
            wanted |= (uint32_t)plain_reaches(&box, &sphere) << k;
        }
        for (uint32_t k = 0; k < lanes; ++k) {
            const abut__box3 box = shifted(lane(&block, k), &shift);
            wanted_lanes |= (uint64_t)((valid >> k & 1) != 0 && plain_reaches(&box, &sphere)) << k;
        }
        FOR_EACH_KERNELS(s, kernels) {
            if ((kernels->overlap_sphere(&boxes, count, &shift, &sphere) != wanted ||
                 kernels->clip_sphere(&block, valid, &shift, &sphere) != wanted_lanes)) {
                fail_msg("seed %llu: set %d meets the sphere elsewhere", (unsigned long long)seed,
                         s);
            }
        }
    }
}

static int compare_lanes(const void* x, const void* y) {
    return memcmp(x, y, 2);
}

// compares the pairs in any order
static void check_pairs(uint64_t seed, int set, abut__lane_pairs* found, uint32_t count,
                        const abut__lane_pairs* wanted, uint32_t wanted_count) {
    if (count <= wanted_count) {
        qsort(found->lane, count, sizeof found->lane[0], compare_lanes);
    }
    if (count != wanted_count || found->near_count != wanted->near_count ||
        memcmp(found->lane, wanted->lane, 2 * (size_t)count) != 0) {
        fail_msg("seed %llu set %d: %u pairs and %llu near, not %u and %llu, or others",
                 (unsigned long long)seed, set, count, (unsigned long long)found->near_count,
                 wanted_count, (unsigned long long)wanted->near_count);
    }
}

static void add_pair(abut__lane_pairs* list, uint32_t* count, uint32_t i, uint32_t k, bool near) {
    if (near) {
        ++list->near_count;
        return;
    }
    list->lane[*count][0] = (uint8_t)i;
    list->lane[(*count)++][1] = (uint8_t)k;
}

static void test_pairs_between(void** state) {
    (void)state;
    static abut__lane_pairs wanted;
    static abut__lane_pairs found;
    for (uint64_t seed = 1; seed <= cases() / 4; ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        const uint32_t count_a = 1 + random_below(&random, ABUT__BLOCK_TRIANGLES);
        const uint32_t count_b = 1 + random_below(&random, ABUT__BLOCK_TRIANGLES);
        const abut__block_boxes a = random_lanes(&random, kind, count_a);
        const abut__block_boxes b = random_lanes(&random, kind, count_b);
        const uint64_t lanes_a = random_mask(&random, count_a);
        const uint64_t lanes_b = random_mask(&random, count_b);
        const uint64_t near = random_chance(&random, 0.3) ? 0 : random_mask(&random, count_a);
        const abut__shift shift = random_shift(&random, kind);
        uint64_t masks[ABUT__BLOCK_TRIANGLES];
        uint64_t near_of[ABUT__BLOCK_TRIANGLES] = {0};
        uint32_t mask_count = 0;
        for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES; ++i) {
            if ((near >> i & 1) != 0) {
                near_of[i] = masks[mask_count++] = random_mask(&random, count_b);
            }
        }
        uint32_t wanted_count = 0;
        wanted.near_count = 0;
        for (uint32_t i = 0; i < count_a; ++i) {
            const abut__box3 of_a = shifted(lane(&a, i), &shift);
            for (uint32_t k = 0; k < count_b; ++k) {
                const abut__box3 of_b = lane(&b, k);
                if ((lanes_a >> i & 1) != 0 && (lanes_b >> k & 1) != 0 &&
                    plain_overlap(&of_a, &of_b)) {
                    add_pair(&wanted, &wanted_count, i, k, (near_of[i] >> k & 1) != 0);
                }
            }
        }
        FOR_EACH_KERNELS(s, kernels) {
            memset(&found, 0x77, sizeof found);
            const uint32_t count = kernels->pairs_between(&a, lanes_a, &b, lanes_b, &shift, near,
                                                          masks, &found);
            check_pairs(seed, s, &found, count, &wanted, wanted_count);
        }
    }
}

static void test_pairs_inside(void** state) {
    (void)state;
    static abut__lane_pairs wanted;
    static abut__lane_pairs found;
    abut__block block;
    for (uint64_t seed = 1; seed <= cases() / 4; ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        random_block(&random, &block);
        uint64_t later[ABUT__BLOCK_TRIANGLES];
        for (uint32_t i = 0; i < ABUT__BLOCK_TRIANGLES; ++i) {
            later[i] = random_bits(&random) & block.valid & ~((UINT64_C(2) << i) - 1);
        }
        const abut__block_boxes boxes = random_lanes(&random, kind, block.triangle_count);
        const abut__shift shift = random_shift(&random, kind);
        uint32_t wanted_count = 0;
        wanted.near_count = 0;
        for (uint32_t i = 0; i < block.triangle_count; ++i) {
            const abut__box3 own = shifted(lane(&boxes, i), &shift);
            for (uint32_t k = i + 1; k < block.triangle_count; ++k) {
                const abut__box3 other = lane(&boxes, k);
                if (plain_overlap(&own, &other)) {
                    add_pair(&wanted, &wanted_count, i, k, (later[i] >> k & 1) == 0);
                }
            }
        }
        FOR_EACH_KERNELS(s, kernels) {
            memset(&found, 0x77, sizeof found);
            const uint32_t count = kernels->pairs_inside(&boxes, block.valid, later, &shift,
                                                         &found);
            check_pairs(seed, s, &found, count, &wanted, wanted_count);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_and_bounds), cmocka_unit_test(test_block_boxes),
        cmocka_unit_test(test_turn_boxes),        cmocka_unit_test(test_overlap_nodes),
        cmocka_unit_test(test_clip_block),        cmocka_unit_test(test_spheres),
        cmocka_unit_test(test_pairs_between),     cmocka_unit_test(test_pairs_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
