// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cuts space into regions: boxes are put on the curve by their centres, and the cuts are
// found by bisection, all at once, with sums of whole numbers, so that they do not depend on the order
// of ranks.
#include <math.h>

#include "mpi/world.h"

#define FLAT_RANKS 64  // up to so many ranks, the curve runs through two axes

// The code of a box and its share of the work.
typedef struct placed {
    uint64_t code;
    uint64_t work;
} placed;
typedef ABUT__LIST(placed) placed_list;

double abut__box_centre(const float box[6], int axis) {
    const double lo = fmax((double)box[axis], -1e30);
    const double hi = fmin((double)box[3 + axis], 1e30);
    return 0.5 * (lo + hi);
}

// finds the grid: the box of all centres
static void make_grid(abut_world* world, abut__regions* regions, const abut__weighed_list* boxes) {
    double least[6] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (size_t i = 0; i < boxes->count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const double centre = abut__box_centre(boxes->data[i].box, d);
            least[d] = fmin(least[d], centre);
            least[3 + d] = fmin(least[3 + d], -centre);
        }
    }
    abut__least_over_ranks(world, least, 6);
    double length[3];
    for (int d = 0; d < 3; ++d) {
        const double size = -least[3 + d] - least[d];
        length[d] = size > 0 && size < 1e31 ? size : 0;
        regions->lo[d] = isfinite(least[d]) ? least[d] : 0;
        // the last cell ends a little beyond the last centre
        regions->scale[d] = length[d] > 0
                                ? (double)(1u << ABUT__CURVE_BITS) / (length[d] * (1 + 0x1p-10))
                                : 0;
    }
    const int longest = length[0] >= length[1] && length[0] >= length[2] ? 0
                        : length[1] >= length[2]                         ? 1
                                                                         : 2;
    const int other[2] = {(longest + 1) % 3, (longest + 2) % 3};
    const bool swap = length[other[1]] > length[other[0]];
    regions->axes = world->ranks <= FLAT_RANKS ? 2 : 3;
    regions->axis[0] = longest;
    regions->axis[1] = other[swap ? 1 : 0];
    regions->axis[2] = other[swap ? 0 : 1];
}

static uint64_t code_of(const abut__regions* regions, const float box[6]) {
    uint32_t cell[3] = {0, 0, 0};
    for (int k = 0; k < regions->axes; ++k) {
        cell[k] = abut__cell_of(regions, k, abut__box_centre(box, regions->axis[k]));
    }
    return abut__curve_code(regions->axes, cell);
}

static bool place_boxes(const abut_allocator* memory, const abut__regions* regions,
                        const abut__weighed_list* boxes, placed_list* list) {
    placed* places = abut__append(memory, list, boxes->count);
    for (size_t i = 0; i < boxes->count && places != NULL; ++i) {
        places[i] = (placed){code_of(regions, boxes->data[i].box), boxes->data[i].work};
    }
    return places != NULL;
}

// adds up the work of boxes before each of the codes
static void sum_before(const placed_list* list, const uint64_t* codes, size_t count,
                       uint64_t* sums) {
    memset(sums, 0, count * sizeof *sums);
    for (size_t i = 0; i < list->count; ++i) {
        const placed* p = &list->data[i];
        // codes ascend: the first that is greater, by bisection
        size_t lo = 0;
        size_t hi = count;
        while (lo < hi) {
            const size_t middle = (lo + hi) / 2;
            if (codes[middle] > p->code) {
                hi = middle;
            } else {
                lo = middle + 1;
            }
        }
        if (lo < count) {
            sums[lo] += p->work;
        }
    }
    for (size_t k = 1; k < count; ++k) {
        sums[k] += sums[k - 1];
    }
}

// finds for each cut the least code with at least its share of the work before it
static void find_cuts(abut_world* world, abut__regions* regions, const placed_list* list,
                      uint64_t* lo, uint64_t* sums) {
    const size_t cuts = regions->starts.count;
    uint64_t* trial = regions->starts.data;
    uint64_t total = 0;
    for (size_t i = 0; i < list->count; ++i) {
        total += list->data[i].work;
    }
    abut__sum_over_ranks(world, &total, 1);
    memset(lo, 0, cuts * sizeof *lo);
    for (int bit = regions->axes * ABUT__CURVE_BITS - 1; bit >= 0; --bit) {
        for (size_t k = 0; k < cuts; ++k) {
            trial[k] = lo[k] | (uint64_t)1 << bit;
        }
        sum_before(list, trial, cuts, sums);
        abut__sum_over_ranks(world, sums, (int)cuts);
        for (size_t k = 0; k < cuts; ++k) {
            const long double share = (long double)total * (long double)(k + 1) / world->ranks;
            lo[k] = (long double)sums[k] < share ? trial[k] : lo[k];
        }
    }
    for (size_t k = 0; k < cuts; ++k) {
        trial[k] = lo[k] + 1;
    }
}

void abut__regions_cut(abut_world* world, abut__regions* regions, const abut__weighed_list* boxes) {
    const abut_allocator* memory = &world->memory;
    const size_t cuts = (size_t)world->ranks - 1;
    placed_list list = {0};
    ABUT__LIST(uint64_t) scratch = {0};
    regions->starts.count = 0;
    make_grid(world, regions, boxes);
    if (!place_boxes(memory, regions, boxes, &list) ||
        abut__append(memory, &regions->starts, cuts) == NULL ||
        abut__append(memory, &scratch, 2 * cuts) == NULL) {
        abut__trouble(world, ABUT_ERR_NO_MEMORY, ABUT__ABSENT, "no memory for regions");
    }
    uint64_t failures = world->trouble.status != ABUT_OK ? 1 : 0;
    abut__sum_over_ranks(world, &failures, 1);
    if (failures == 0) {
        find_cuts(world, regions, &list, scratch.data, scratch.data + cuts);
    }
    regions->made = failures == 0;
    abut__discard(memory, &scratch);
    abut__discard(memory, &list);
}

void abut__regions_make(abut_world* world) {
    const abut__reach reach = {0};
    abut__weighed_list boxes = {0};
    for (size_t i = 0; i < world->owned.count; ++i) {
        const abut__owned* body = &world->owned.data[i];
        abut__weighed* box = abut__append(&world->memory, &boxes, 1);
        if (box == NULL) {
            abut__trouble(world, ABUT_ERR_NO_MEMORY, body->id, "no memory for regions");
            break;
        }
        box->work = 1 + body->work;
        if (!abut__owned_box(world, body, &reach, box->box)) {
            --boxes.count;
            break;
        }
    }
    abut__regions_cut(world, &world->regions, &boxes);
    abut__discard(&world->memory, &boxes);
}
