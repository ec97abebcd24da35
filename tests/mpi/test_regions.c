// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The curve, its regions and the search for overlapping boxes, against looking at every cell and every pair.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/curve.h"
#include "mpi/join.h"

#define RANKS 12
#define BOXES 300

static int failures;
static uint64_t state;

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static void* plain_alloc(void* user, size_t size, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, (size + alignment) / alignment * alignment);
}

static void plain_free(void* user, void* memory, size_t size, size_t alignment) {
    (void)user;
    (void)size;
    (void)alignment;
    free(memory);
}

static const abut_allocator memory = {plain_alloc, plain_free, NULL};

static void fail(const char* what, unsigned long long seed) {
    ++failures;
    fprintf(stderr, "seed %llu: %s\n", seed, what);
}

static int compare_codes(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a;
    const uint64_t y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// cells that follow each other on the curve are neighbours, and no two have one code
static void test_curve(unsigned long long seed) {
    const int axes = 2 + (int)draw(2);
    uint64_t codes[64];
    const uint32_t corner[3] = {draw(1u << 17) * 8, draw(1u << 17) * 8, draw(1u << 17) * 8};
    for (uint32_t i = 0; i < 64; ++i) {
        const uint32_t cell[3] = {corner[0] + (axes == 2 ? i % 8 : i % 4),
                                  corner[1] + (axes == 2 ? i / 8 : i / 4 % 4),
                                  corner[2] + (axes == 2 ? 0 : i / 16)};
        codes[i] = abut__curve_code(axes, cell);
    }
    qsort(codes, 64, sizeof *codes, compare_codes);
    if (codes[63] - codes[0] != 63) {
        fail("the cells of a cube do not follow each other", seed);
    }
}

// cuts of regions near the cells of a small box, so that many regions reach it
static void test_reached(unsigned long long seed) {
    abut__regions regions = {.made = true, .axes = 2 + (int)draw(2), .axis = {0, 1, 2}};
    uint32_t at[3];
    float box[6];
    for (int d = 0; d < 3; ++d) {
        at[d] = draw((1u << 20) - 16);
        regions.scale[d] = 1;
        box[d] = (float)at[d] + 0.5F;
        box[3 + d] = (float)(at[d] + draw(9)) + 0.25F;
        if (box[3 + d] < box[d]) {
            box[3 + d] = box[d];
        }
    }
    uint64_t* starts = abut__append(&memory, &regions.starts, RANKS - 1);
    for (int k = 0; k < RANKS - 1; ++k) {
        const uint32_t near[3] = {at[0] + draw(10), at[1] + draw(10), at[2] + draw(10)};
        starts[k] = abut__curve_code(regions.axes, near);
    }
    qsort(starts, RANKS - 1, sizeof *starts, compare_codes);
    bool expected[RANKS] = {false};
    for (uint32_t z = (uint32_t)box[2]; z <= (uint32_t)box[5]; ++z) {
        for (uint32_t y = (uint32_t)box[1]; y <= (uint32_t)box[4]; ++y) {
            for (uint32_t x = (uint32_t)box[0]; x <= (uint32_t)box[3]; ++x) {
                const uint64_t code = abut__curve_code(regions.axes, (const uint32_t[3]){x, y, z});
                expected[abut__region_of(&regions, code)] = true;
            }
        }
    }
    uint32_t seen[RANKS] = {0};
    abut__ids found = {0};
    abut__regions_reached(&memory, &regions, box, seen, 1, &found);
    bool reached[RANKS] = {false};
    for (size_t i = 0; i < found.count; ++i) {
        if (reached[found.data[i]]) {
            fail("a region was found twice", seed);
        }
        reached[found.data[i]] = true;
    }
    if (memcmp(expected, reached, sizeof reached) != 0) {
        fail("other regions reach a box", seed);
    }
    abut__discard(&memory, &found);
    abut__discard(&memory, &regions.starts);
}

// ---- pairs of boxes

static uint8_t met[BOXES][BOXES];

static bool count_pair(void* user, uint32_t a, uint32_t b) {
    (void)user;
    ++met[a < b ? a : b][a < b ? b : a];
    return true;
}

static void test_join(unsigned long long seed) {
    abut__records records = {0};
    abut__join join = {0};
    const uint32_t count = draw(BOXES);
    const uint32_t cells = 1 + draw(40);
    abut__record* list = abut__append(&memory, &records, count);
    for (uint32_t i = 0; i < count; ++i) {
        memset(&list[i], 0, sizeof list[i]);
        for (int d = 0; d < 3; ++d) {
            list[i].box[d] = (float)draw(cells);
            list[i].box[3 + d] = list[i].box[d] + (float)draw(4);
            if (draw(60) == 0) {
                list[i].box[d] = -INFINITY;
            }
        }
    }
    memset(met, 0, sizeof met);
    abut__join_pairs(&memory, &join, &records, count_pair, NULL);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = i + 1; k < count; ++k) {
            bool overlap = true;
            for (int d = 0; d < 3; ++d) {
                overlap = overlap && list[i].box[d] <= list[k].box[3 + d] &&
                          list[k].box[d] <= list[i].box[3 + d];
            }
            if (met[i][k] != (overlap ? 1 : 0)) {
                fail("a pair of boxes was missed, invented or found twice", seed);
            }
        }
    }
    abut__join_free(&memory, &join);
    abut__discard(&memory, &records);
}

int main(void) {
    for (unsigned long long seed = 1; seed <= 300; ++seed) {
        state = seed * 7919;
        test_curve(seed);
        test_reached(seed);
        test_join(seed);
    }
    printf("300 seeds, %d differences\n", failures);
    return failures == 0 ? 0 : 1;
}
