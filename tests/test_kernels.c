// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The kernels on boxes, in every instruction set that this processor has, against plain loops: on
// random, touching, huge, tiny and infinite data. Between the sets results must have equal bits.
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simd/kernels.h"
#include "support/everywhere.h"
#include "support/random.h"

#define POINTS 300

static uint32_t cases(void) {
    const char* effort = getenv("ABUT_TEST_EFFORT");
    if (effort != NULL && strcmp(effort, "quick") == 0) {
        return 1000;
    }
    return effort != NULL && strcmp(effort, "long") == 0 ? 300000 : 8000;
}

// kinds of numbers
typedef enum flavour { UNIT, LATTICE, ANY, TINY, HUGE_ONES, FLAVOURS } flavour;

static float number(test_random* random, flavour kind) {
    switch (kind) {
        case UNIT: return (float)random_double(random, -1, 1);
        case LATTICE: return (float)random_between(random, -2, 2);
        case TINY: return (float)random_between(random, -3, 3) * FLT_TRUE_MIN;
        case HUGE_ONES: return (float)random_between(random, -3, 3) / 3 * FLT_MAX;
        default: break;
    }
    for (;;) {  // any finite float
        const uint32_t bits = (uint32_t)random_bits(random);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            return value;
        }
    }
}

// sometimes infinite, or all of an axis
static void random_box(test_random* random, flavour kind, float lo[3], float hi[3]) {
    for (int d = 0; d < 3; ++d) {
        const float x = number(random, kind);
        const float y = number(random, kind);
        lo[d] = x < y ? x : y;
        hi[d] = x < y ? y : x;
    }
    if (random_chance(random, 0.05)) {
        for (int d = 0; d < 3; ++d) {
            lo[d] = -INFINITY;
            hi[d] = INFINITY;
        }
    } else if (random_chance(random, 0.05)) {
        lo[0] = hi[0] = random_chance(random, 0.5) ? INFINITY : -INFINITY;
    }
}

static abut__box3 random_box3(test_random* random, flavour kind) {
    abut__box3 box;
    random_box(random, kind, box.lo, box.hi);
    return box;
}

// lanes from `count` on are empty boxes
#define FILL_LANES(random, kind, count, room, boxes)                                          \
    for (uint32_t k = 0; k < (room); ++k) {                                                   \
        abut__box3 box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; \
        box = k < (count) ? random_box3(random, kind) : box;                                  \
        for (int d = 0; d < 3; ++d) {                                                         \
            (boxes).lo[d][k] = box.lo[d];                                                     \
            (boxes).hi[d][k] = box.hi[d];                                                     \
        }                                                                                     \
    }

static abut__boxes8 random_boxes8(test_random* random, flavour kind, uint32_t count) {
    abut__boxes8 boxes;
    FILL_LANES(random, kind, count, ABUT__FAN, boxes)
    return boxes;
}

static abut__block_boxes random_lanes(test_random* random, flavour kind, uint32_t count) {
    abut__block_boxes boxes;
    FILL_LANES(random, kind, count, ABUT__BLOCK_TRIANGLES, boxes)
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

// lanes 0 .. count, with some left out
static uint64_t random_mask(test_random* random, uint32_t count) {
    const uint64_t all = count == 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    const uint32_t choice = random_below(random, 4);
    return choice == 0   ? all
           : choice == 1 ? all & random_bits(random) & random_bits(random)
                         : all & random_bits(random);
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

// ---- positions

typedef struct cloud {
    abut__source source;
    double room[6 * POINTS];
} cloud;

static double coordinate(test_random* random, flavour kind, bool is_double) {
    if (is_double && random_chance(random, 0.3)) {
        return kind == ANY || kind == HUGE_ONES ? random_finite(random)
                                                : random_double(random, -1, 1);
    }
    return (double)number(random, kind);
}

static void random_cloud(test_random* random, flavour kind, cloud* c) {
    const bool is_double = random_chance(random, 0.5);
    const size_t stride = 3 + random_below(random, 4);  // in scalars; the rest is NaN
    for (size_t v = 0; v < POINTS; ++v) {
        for (size_t k = 0; k < stride; ++k) {
            const double x = k < 3 ? coordinate(random, kind, is_double) : NAN;
            if (is_double) {
                c->room[v * stride + k] = x;
            } else {
                ((float*)c->room)[v * stride + k] = (float)x;
            }
        }
    }
    const size_t scalar = is_double ? sizeof(double) : sizeof(float);
    c->source = (abut__source){(const char*)c->room, stride * scalar, is_double};
}

static void put(cloud* c, uint32_t vertex, int d, double x) {
    char* place = (char*)c->room + vertex * c->source.stride;
    if (c->source.is_double) {
        ((double*)(void*)place)[d] = x;
    } else {
        ((float*)(void*)place)[d] = (float)x;
    }
}

static float value(const cloud* c, uint32_t vertex, int d) {
    const char* place = c->source.data + vertex * c->source.stride;
    volatile float rounded = c->source.is_double ? (float)((const double*)(const void*)place)[d]
                                                 : ((const float*)(const void*)place)[d];
    return rounded;
}

static bool same_bits(const void* a, const void* b, size_t size) {
    return memcmp(a, b, size) == 0;
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

// ---- boxes from stretches, and boxes of nodes

#define STRETCHED 20  // blocks
#define STRETCHES 12  // of each, at most

typedef struct stretched {
    float xyz[3 * POINTS];
    uint32_t first[STRETCHED + 1];
    abut__stretch stretches[STRETCHED * STRETCHES + ABUT__STRETCH_AHEAD];
} stretched;

static void random_stretches(test_random* random, flavour kind, stretched* out) {
    for (uint32_t i = 0; i < 3 * POINTS; ++i) {
        out->xyz[i] = number(random, kind);
    }
    out->first[0] = 0;
    for (uint32_t b = 0; b < STRETCHED; ++b) {
        out->first[b + 1] = out->first[b] + 2 * random_below(random, STRETCHES / 2 + 1);
    }
    const uint32_t count = out->first[STRETCHED];
    for (uint32_t s = 0; s < count + ABUT__STRETCH_AHEAD; ++s) {
        const uint32_t length = s < count ? random_below(random, ABUT__STRETCH_MOST + 1) : 0;
        out->stretches[s] = abut__stretch_make(3 * random_below(random, POINTS - 5),
                                               16 - 3 * length);
    }
}

static void check_stretches(uint64_t seed, const stretched* data, const abut__box3* found) {
    for (uint32_t b = 0; b < STRETCHED; ++b) {
        for (uint32_t d = 0; d < 3; ++d) {
            float lo = INFINITY;
            float hi = -INFINITY;
            for (uint32_t s = data->first[b]; s < data->first[b + 1]; ++s) {
                const uint32_t first = abut__stretch_first(data->stretches[s]);
                const uint32_t end = first + 16 - abut__stretch_spare(data->stretches[s]);
                for (uint32_t i = first + d; i < end; i += 3) {
                    lo = data->xyz[i] < lo ? data->xyz[i] : lo;
                    hi = data->xyz[i] > hi ? data->xyz[i] : hi;
                }
            }
            if (!(found[b].lo[d] == lo && found[b].hi[d] == hi)) {
                fail_msg("seed %llu: block %u is %a %a, not %a %a", (unsigned long long)seed, b,
                         (double)found[b].lo[d], (double)found[b].hi[d], (double)lo, (double)hi);
            }
        }
    }
}

static void test_stretch_bounds(void** state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY, -NAN};
    stretched* data = malloc(sizeof *data);
    assert_non_null(data);
    for (uint64_t seed = 1; seed <= cases() / 4; ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        random_stretches(&random, kind, data);
        abut__box3 first_found[STRETCHED];
        FOR_EACH_KERNELS(s, kernels) {
            abut__box3 found[STRETCHED];
            // of large numbers it may not be sure; of others it is
            const bool sure = kernels->stretch_bounds(data->stretches, data->first, STRETCHED,
                                                      data->xyz, found);
            assert_true(sure || kind == ANY || kind == HUGE_ONES);
            check_stretches(seed, data, found);
            memcpy(first_found, s == 0 ? found : first_found, sizeof found);
            if (!same_bits(found, first_found, sizeof found)) {
                fail_msg("seed %llu: boxes differ in set %d", (unsigned long long)seed, s);
            }
        }
        if (data->first[STRETCHED] == 0) {
            continue;
        }
        // a number that is meant
        const uint32_t at = random_below(&random, data->first[STRETCHED]);
        const uint32_t first = abut__stretch_first(data->stretches[at]);
        data->stretches[at] = abut__stretch_make(first, 1);
        data->xyz[first + random_below(&random, 15)] = bad[seed % 4];
        FOR_EACH_KERNELS(s, kernels) {
            abut__box3 found[STRETCHED];
            assert_false(
                kernels->stretch_bounds(data->stretches, data->first, STRETCHED, data->xyz, found));
        }
    }
    free(data);
}

static void test_node_bounds(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        const uint32_t count = 1 + random_below(&random, ABUT__FAN);
        abut__boxes8 boxes;
        abut__box3 wanted;
        for (int d = 0; d < 3; ++d) {
            wanted.lo[d] = INFINITY;
            wanted.hi[d] = -INFINITY;
            for (uint32_t k = 0; k < ABUT__FAN; ++k) {
                const bool all = random_chance(&random, 0.05);
                const float lo = boxes.lo[d][k] = all ? -INFINITY : number(&random, kind);
                const float hi = boxes.hi[d][k] = all ? INFINITY : number(&random, kind);
                wanted.lo[d] = k < count && lo < wanted.lo[d] ? lo : wanted.lo[d];
                wanted.hi[d] = k < count && hi > wanted.hi[d] ? hi : wanted.hi[d];
            }
        }
        FOR_EACH_KERNELS(s, kernels) {
            abut__boxes8 emptied = boxes;
            abut__box3 found;
            kernels->node_bounds(&emptied, count, &found);
            for (int d = 0; d < 3; ++d) {
                bool right = found.lo[d] == wanted.lo[d] && found.hi[d] == wanted.hi[d];
                for (uint32_t k = 0; k < ABUT__FAN; ++k) {
                    right &= emptied.lo[d][k] == (k < count ? boxes.lo[d][k] : INFINITY);
                    right &= emptied.hi[d][k] == (k < count ? boxes.hi[d][k] : -INFINITY);
                }
                if (!right) {
                    fail_msg("seed %llu: axis %d in set %d", (unsigned long long)seed, d, s);
                }
            }
        }
    }
}

static void test_copy_finite(void** state) {
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY, -NAN};
    double from[200];
    double to[201];
    for (uint64_t seed = 1; seed <= cases() / 4; ++seed) {
        test_random random = random_seed(seed);
        const uint32_t count = random_below(&random, 200);
        const bool is_double = random_chance(&random, 0.5);
        const size_t scalar = is_double ? sizeof(double) : sizeof(float);
        for (uint32_t i = 0; i < count; ++i) {
            const double x = random_finite(&random);
            const float y = number(&random, ANY);
            memcpy((char*)from + i * scalar, is_double ? (const void*)&x : &y, scalar);
        }
        const bool finite = count == 0 || random_chance(&random, 0.5);
        if (!finite) {
            const uint32_t victim = random_below(&random, count);
            const double x = bad[seed % 4];
            const float y = (float)x;
            memcpy((char*)from + victim * scalar, is_double ? (const void*)&x : &y, scalar);
        }
        FOR_EACH_KERNELS(s, kernels) {
            memset(to, 0x3c, sizeof to);
            if (kernels->copy_finite(from, to, count, is_double) != finite ||
                memcmp(from, to, count * scalar) != 0 ||
                ((const unsigned char*)to)[count * scalar] != 0x3c) {
                fail_msg("seed %llu set %d: copy of %u", (unsigned long long)seed, s, count);
            }
        }
    }
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
    volatile float grown = turn != NULL ? radius + turn->pad : radius;
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

// equal as numbers: the least of -0 and +0 may be either
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
        memset(&points, 0xff, sizeof points);  // NaN beyond the vertices in use
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
            abut__boxes8 in_place = boxes;  // a caller may turn where they are
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

// a float, squared and all, as the kernels have it
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

// in any order
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

// ---- building

#define TRIANGLES 40u

static float clamped_to(float x, float limit) {
    return x > limit ? limit : x < -limit ? -limit : x;
}

static abut__box4 plain_triangle_box(const cloud* c, const uint32_t* corner, float limit) {
    abut__box4 box = {{0}, {0}};
    for (int d = 0; d < 3; ++d) {
        float lo = INFINITY;
        float hi = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            const float x = value(c, corner[k], d);
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        box.lo[d] = clamped_to(lo, limit);
        box.hi[d] = clamped_to(hi, limit);
    }
    return box;
}

static void check_centres(uint64_t seed, int set, const abut__box4* boxes, uint32_t count,
                          const abut__box4* centres) {
    for (int d = 0; d < 3 && count > 0; ++d) {
        float low = INFINITY;
        float high = -INFINITY;
        for (uint32_t i = 0; i < count; ++i) {
            low = fminf(low, boxes[i].lo[d] + boxes[i].hi[d]);
            high = fmaxf(high, boxes[i].lo[d] + boxes[i].hi[d]);
        }
        if (centres->lo[d] != low || centres->hi[d] != high) {
            fail_msg("seed %llu: centres in set %d", (unsigned long long)seed, set);
        }
    }
}

static void test_triangle_boxes(void** state) {
    (void)state;
    cloud* c = malloc(sizeof *c);
    assert_non_null(c);
    for (uint64_t seed = 1; seed <= cases() / 4; ++seed) {
        test_random random = random_seed(seed);
        random_cloud(&random, (flavour)(seed % FLAVOURS), c);
        uint32_t triangles[3 * TRIANGLES];
        uint32_t ids[TRIANGLES];
        for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) {
            triangles[i] = random_below(&random, POINTS);
        }
        for (uint32_t i = 0; i < TRIANGLES; ++i) {
            ids[i] = random_below(&random, TRIANGLES);
        }
        const float limit = seed % 2 == 0 ? 1e37f : 0.5f;
        const uint32_t count = random_below(&random, TRIANGLES + 1);
        FOR_EACH_KERNELS(s, kernels) {
            abut__box4 boxes[TRIANGLES];
            const abut__box4 centres = kernels->triangle_boxes(triangles, ids, count, c->source,
                                                               limit, boxes);
            check_centres(seed, s, boxes, count, &centres);
            for (uint32_t i = 0; i < count; ++i) {
                const abut__box4 wanted = plain_triangle_box(c, triangles + 3 * (size_t)ids[i],
                                                             limit);
                for (int d = 0; d < 4; ++d) {
                    if (boxes[i].lo[d] != wanted.lo[d] || boxes[i].hi[d] != wanted.hi[d]) {
                        fail_msg("seed %llu: triangle %u in set %d", (unsigned long long)seed, i,
                                 s);
                    }
                }
            }
        }
    }
    free(c);
}

static void test_measure_block(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = seed % 2 == 0 ? UNIT : HUGE_ONES;
        const uint32_t count = 1 + random_below(&random, ABUT__BLOCK_TRIANGLES);
        abut__block_boxes boxes = random_lanes(&random, kind, 0);
        abut__box3 wanted = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        double wanted_sum = 0;
        for (uint32_t k = 0; k < count; ++k) {
            double sides = 0;
            for (int d = 0; d < 3; ++d) {
                const float x = number(&random, kind);
                const float y = number(&random, kind);
                boxes.lo[d][k] = fminf(x, y);
                boxes.hi[d][k] = fmaxf(x, y);
                sides += fabs((double)x - (double)y);
                wanted.lo[d] = fminf(wanted.lo[d], fminf(x, y));
                wanted.hi[d] = fmaxf(wanted.hi[d], fmaxf(x, y));
            }
            wanted_sum += sides * sides;
        }
        double first_sum = 0;
        FOR_EACH_KERNELS(s, kernels) {
            abut__box3 box;
            const double sum = kernels->measure_block(&boxes, &box);
            first_sum = s == 0 ? sum : first_sum;
            bool same = sum == first_sum && fabs(sum - wanted_sum) <= 1e-12 * wanted_sum;
            for (int d = 0; d < 3; ++d) {
                same = same && box.lo[d] == wanted.lo[d] && box.hi[d] == wanted.hi[d];
            }
            if (!same) {
                fail_msg("seed %llu: set %d", (unsigned long long)seed, s);
            }
        }
    }
}

static uint64_t plain_code(const abut__box4* box, const abut__grid* grid) {
    uint64_t code = 0;
    for (int d = 0; d < 3; ++d) {
        const float cell = (box->lo[d] + box->hi[d] - grid->low[d]) * grid->scale;
        const uint32_t number = !(cell > 0) ? 0 : cell < 1023 ? (uint32_t)cell : 1023;
        for (int bit = 0; bit < 10; ++bit) {
            code |= (uint64_t)(number >> bit & 1) << (3 * bit + d);
        }
    }
    return code;
}

static void test_morton_codes(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        abut__box4 boxes[TRIANGLES];
        uint32_t ids[TRIANGLES];
        for (uint32_t i = 0; i < TRIANGLES; ++i) {
            boxes[i] = (abut__box4){{0}, {0}};
            ids[i] = (uint32_t)random_bits(&random);
            for (int d = 0; d < 3; ++d) {
                boxes[i].lo[d] = number(&random, UNIT);
                boxes[i].hi[d] = number(&random, seed % 2 == 0 ? UNIT : LATTICE);
            }
        }
        // cells may lie beyond the grid on both sides
        const abut__grid grid = {{-2, -1.5f, -2.5f, 0}, seed % 3 == 0 ? 0 : 256};
        FOR_EACH_KERNELS(s, kernels) {
            uint64_t codes[TRIANGLES];
            kernels->morton_codes(boxes, ids, TRIANGLES, &grid, codes);
            for (uint32_t i = 0; i < TRIANGLES; ++i) {
                if (codes[i] != (plain_code(&boxes[i], &grid) << 32 | ids[i])) {
                    fail_msg("seed %llu: code %u in set %d", (unsigned long long)seed, i, s);
                }
            }
        }
    }
}

// the filters' verdicts are compared with exact answers in test_exact; here between the sets
static void test_filters_agree(void** state) {
    (void)state;
    static abut__triangle_batch batch;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        for (int c = 0; c < 6; ++c) {
            for (int d = 0; d < 3; ++d) {
                for (int k = 0; k < 16; ++k) {
                    batch.corner[c][d][k] = kind == ANY ? random_finite(&random)
                                                        : (double)number(&random, kind);
                }
            }
        }
        const uint32_t valid = (uint32_t)random_mask(&random, 16);
        const double margin = fabs((double)number(&random, kind));
        abut__triangle_verdict first[2] = {{0, 0}, {0, 0}};
        FOR_EACH_KERNELS(s, kernels) {
            const abut__triangle_verdict touch = kernels->triangles_filter(&batch, valid);
            const abut__triangle_verdict within = kernels->triangles_filter_within(&batch, valid,
                                                                                   margin);
            first[0] = s == 0 ? touch : first[0];
            first[1] = s == 0 ? within : first[1];
            if (touch.apart != first[0].apart || touch.touch != first[0].touch ||
                within.apart != first[1].apart || within.touch != first[1].touch ||
                ((touch.apart | touch.touch | within.apart | within.touch) & ~valid) != 0) {
                fail_msg("seed %llu: verdicts differ in set %d", (unsigned long long)seed, s);
            }
        }
    }
}

// corners come from anywhere, and every bit of them counts
static void test_gather_corners(void** state) {
    (void)state;
    static double xyz[64][3];
    static double out[3][3][16];
    static const double* places[3][16];
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        for (int v = 0; v < 64; ++v) {
            for (int d = 0; d < 3; ++d) {
                xyz[v][d] = random_finite(&random);
            }
        }
        for (int c = 0; c < 3; ++c) {
            for (int k = 0; k < 16; ++k) {
                places[c][k] = xyz[random_below(&random, 63)];
            }
        }
        FOR_EACH_KERNELS(s, kernels) {
            kernels->gather_corners((const double* const(*)[16])places, out);
            for (int i = 0; i < 3 * 3 * 16; ++i) {
                const double* from = places[i / 48][i % 16];
                if (memcmp(&out[i / 48][i / 16 % 3][i % 16], &from[i / 16 % 3], sizeof *from) !=
                    0) {
                    fail_msg("seed %llu: number %d in set %d", (unsigned long long)seed, i, s);
                }
            }
        }
    }
}

// no lane with a number that is not finite is said to be finite; of others few are not
static void test_corners_finite(void** state) {
    (void)state;
    static abut__triangle_batch batch;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        uint32_t bad = 0;
        for (int c = 0; c < 6; ++c) {
            for (int d = 0; d < 3; ++d) {
                for (int k = 0; k < 16; ++k) {
                    const bool wrong = random_chance(&random, 0.02);
                    const double value = random_chance(&random, 0.5) ? INFINITY : NAN;
                    batch.corner[c][d][k] = !wrong ? random_double(&random, -1e300, 1e300)
                                            : random_chance(&random, 0.5) ? value
                                                                          : -value;
                    bad |= (uint32_t)wrong << k;
                }
            }
        }
        FOR_EACH_KERNELS(s, kernels) {
            if (kernels->corners_finite(&batch) != (~bad & 0xffff)) {
                fail_msg("seed %llu: lanes in set %d", (unsigned long long)seed, s);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_and_bounds), cmocka_unit_test(test_copy_finite),
        cmocka_unit_test(test_block_boxes),       cmocka_unit_test(test_turn_boxes),
        cmocka_unit_test(test_overlap_nodes),     cmocka_unit_test(test_clip_block),
        cmocka_unit_test(test_spheres),           cmocka_unit_test(test_pairs_between),
        cmocka_unit_test(test_pairs_inside),      cmocka_unit_test(test_triangle_boxes),
        cmocka_unit_test(test_measure_block),     cmocka_unit_test(test_morton_codes),
        cmocka_unit_test(test_filters_agree),     cmocka_unit_test(test_stretch_bounds),
        cmocka_unit_test(test_node_bounds),       cmocka_unit_test(test_gather_corners),
        cmocka_unit_test(test_corners_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
