// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kernels that build trees and gather triangles, in every instruction set against plain loops.

#include "test_kernels_support.h"

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

// A place must be of a vertex of its block that lies at the side.
static void check_places(uint64_t seed, const stretched* data, const abut__box3* boxes,
                         const abut__side_places* places) {
    for (uint32_t b = 0; b < STRETCHED; ++b) {
        const uint32_t count = data->first[b + 1] - data->first[b];
        for (uint32_t side = 0; side < 6; ++side) {
            const float end = side < 3 ? boxes[b].lo[side] : boxes[b].hi[side - 3];
            const uint32_t i = places[b].of[side] / 8;
            const uint32_t v = places[b].of[side] % 8;
            if (!isfinite(end)) {
                continue;  // an empty block
            }
            const abut__stretch stretch = i < count ? data->stretches[data->first[b] + i] : 0;
            if (i >= count || 3 * v + 3 > 16 - abut__stretch_spare(stretch) ||
                data->xyz[abut__stretch_first(stretch) + 3 * v + side % 3] != end) {
                fail_msg("seed %llu: block %u has its side %u at place %u",
                         (unsigned long long)seed, b, side, places[b].of[side]);
            }
        }
    }
}

static void test_stretch_places(void** state) {
    (void)state;
    stretched* data = malloc(sizeof *data);
    assert_non_null(data);
    for (uint64_t seed = 1; seed <= cases() / 4; ++seed) {
        test_random random = random_seed(seed);
        random_stretches(&random, (flavour)(seed % FLAVOURS), data);
        abut__side_places first_found[STRETCHED];
        FOR_EACH_KERNELS(s, kernels) {
            abut__box3 boxes[2][STRETCHED];
            abut__side_places found[STRETCHED];
            const bool sure[2] = {kernels->stretch_bounds(data->stretches, data->first, STRETCHED,
                                                          data->xyz, boxes[0]),
                                  kernels->stretch_places(data->stretches, data->first, STRETCHED,
                                                          data->xyz, boxes[1], found)};
            assert_true(sure[0] == sure[1] && same_bits(boxes[0], boxes[1], sizeof boxes[0]));
            check_places(seed, data, boxes[1], found);
            memcpy(first_found, s == 0 ? found : first_found, sizeof found);
            if (!same_bits(found, first_found, sizeof found)) {
                fail_msg("seed %llu: places differ in set %d", (unsigned long long)seed, s);
            }
        }
    }
    free(data);
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
            // with large numbers it may be unable to decide; with others it decides
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
        // a number that is in use
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

// Stretches that ascend and may overlap, as those of a block, some of them empty.
static uint32_t random_block(test_random* random, abut__stretch* list, bool in[POINTS]) {
    const uint32_t count = random_below(random, STRETCHES + 1);
    uint32_t at = random_below(random, 20);
    memset(in, 0, POINTS * sizeof *in);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t length = random_below(random, ABUT__STRETCH_MOST + 1);
        list[i] = abut__stretch_make(3 * at, 16 - 3 * length);
        for (uint32_t k = 0; k < length; ++k) {
            in[at + k] = true;
        }
        at += random_below(random, 7);
    }
    return count;
}

static void test_stretches_beyond_a_limit(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        const flavour kind = (flavour)(seed % FLAVOURS);
        abut__stretch list[STRETCHES];
        bool in[POINTS];
        float xyz[3 * POINTS];
        const uint32_t count = random_block(&random, list, in);
        for (uint32_t i = 0; i < 3 * POINTS; ++i) {
            xyz[i] = number(&random, kind);
        }
        const uint32_t axis = random_below(&random, 3);
        const float sign = random_chance(&random, 0.5) ? -1 : 1;
        // mostly one of the numbers, so that some are equal to it
        const float limit = sign * xyz[3 * random_below(&random, 90) + axis];
        FOR_EACH_KERNELS(s, kernels) {
            uint32_t found[ABUT__BLOCK_VERTICES];
            const uint32_t all = kernels->kinetic_stretched(list, count, xyz, axis, sign, limit,
                                                            found);
            uint32_t next = 0;
            for (uint32_t v = 0; v < POINTS; ++v) {
                if (in[v] && sign * xyz[3 * v + axis] > limit) {
                    if (next >= all || found[next] != v) {
                        fail_msg("seed %llu, set %d: vertex %u is missing",
                                 (unsigned long long)seed, s, v);
                    }
                    ++next;
                }
            }
            if (next != all) {
                fail_msg("seed %llu, set %d: %u vertices, not %u", (unsigned long long)seed, s, all,
                         next);
            }
        }
    }
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

// test_exact compares the filters' verdicts with exact answers; this test compares instruction sets
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
        double margin[16];
        for (int k = 0; k < 16; ++k) {
            margin[k] = fabs((double)number(&random, kind));
        }
        abut__triangle_verdict first = {0, 0};
        uint32_t first_beyond = 0;
        FOR_EACH_KERNELS(s, kernels) {
            const abut__triangle_verdict touch = kernels->triangles_filter(&batch, valid);
            const uint32_t beyond = kernels->triangles_beyond(&batch, valid, margin);
            first = s == 0 ? touch : first;
            first_beyond = s == 0 ? beyond : first_beyond;
            if (touch.apart != first.apart || touch.touch != first.touch ||
                beyond != first_beyond || ((touch.apart | touch.touch | beyond) & ~valid) != 0) {
                fail_msg("seed %llu: verdicts differ in set %d", (unsigned long long)seed, s);
            }
        }
    }
}

// corners are scattered in memory, and every bit counts
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

// no lane with a non-finite number is reported as finite; few finite lanes are reported as
// non-finite
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

// Every number follows the formula of the frame, and nothing beyond the room is written.
static void test_place_points(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= cases(); ++seed) {
        test_random random = random_seed(seed);
        abut_frame frame;
        double points[3][40];
        for (int d = 0; d < 3; ++d) {
            frame.t[d] = (double)number(&random, UNIT);
            for (int k = 0; k < 3; ++k) {
                frame.r[d][k] = (double)number(&random, UNIT);
            }
            for (int i = 0; i < 40; ++i) {
                points[d][i] = (double)number(&random, UNIT);
            }
        }
        const uint32_t count = (uint32_t)(seed % 18);
        const uint32_t room = count + (uint32_t)(seed / 18 % 18);
        FOR_EACH_KERNELS(s, kernels) {
            double out[3][40];
            double* const rows[3] = {out[0], out[1], out[2]};
            memcpy(out, points, sizeof out);
            kernels->place_points(&frame, rows, count, room);
            for (uint32_t i = 0; i < 40; ++i) {
                for (int d = 0; d < 3; ++d) {
                    const double* r = frame.r[d];
                    const double placed = ((r[0] * points[0][i] + r[1] * points[1][i]) +
                                           r[2] * points[2][i]) +
                                          frame.t[d];
                    if ((i < count && out[d][i] != placed) ||
                        (i >= room && out[d][i] != points[d][i])) {
                        fail_msg("seed %llu: point %u in set %d", (unsigned long long)seed, i, s);
                    }
                }
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy_finite),
        cmocka_unit_test(test_triangle_boxes),
        cmocka_unit_test(test_measure_block),
        cmocka_unit_test(test_morton_codes),
        cmocka_unit_test(test_filters_agree),
        cmocka_unit_test(test_stretch_bounds),
        cmocka_unit_test(test_stretch_places),
        cmocka_unit_test(test_node_bounds),
        cmocka_unit_test(test_stretches_beyond_a_limit),
        cmocka_unit_test(test_gather_corners),
        cmocka_unit_test(test_corners_finite),
        cmocka_unit_test(test_place_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
