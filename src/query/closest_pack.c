// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Packs of neighbouring points on one body, for which only the closest triangle is wanted. Each point
// begins with the triangles that were closest last. With the greatest of the distances of the best of
// these, the tree is descended once for the box around all points, which lists blocks. Then points are
// searched one after another. Each begins with the best of the triangles that the points before it
// found. It compares itself with the boxes and discs of the list, sixteen blocks at once, then with the
// discs of a block's triangles. What is left is bounded in float, sixteen lanes at once. closest.h has
// the bounds.
#include <math.h>

#include "query/closest.h"

#define SLACK (1 + 0x1p-23)  // as in closest_search.c
#define FEWEST 4u            // points whose blocks are listed together

static const abut__asked* asked_of(const abut__searcher* s) {
    return &s->run->result->asked.data[0];
}

// Floats at or above and at or below a number that is at least 0, faster than the nearest such ones.
static float above(double x) {
    return (float)(x * (1 + 0x1p-22) + 0x1p-140);
}
static float below(double x) {
    return x > 0x1p-100 ? (float)(x * (1 - 0x1p-22)) : 0;
}

// ---- triangles

// by how much bounds of a triangle in float may be off, if `error` are the errors of its points
static double bound_error(double error, float upper, float radius) {
    return error + 0x1p-19 * ((double)upper + 2 * (double)radius);
}

// Makes own->last of a point the triangle that others may begin with.
static void keep_triangle(abut__point_pack* pack, uint32_t of, const abut__near_block* near) {
    const uint32_t lane = pack->points[of].last.lane;
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            pack->batch.corner[c][d][of] = near->corners.corner[c][d][lane];
        }
    }
    pack->radius[of] = near->discs.radius[lane];
    pack->error[of] = near->error;
}

// Bounds some of sixteen lanes of a block, and keeps those that may be the closest.
static bool bound_lanes(abut__searcher* s, uint32_t of, const abut__near_block* near,
                        uint32_t first, uint32_t lanes) {
    abut__pack_point* own = &s->pack->points[of];
    abut__point_lanes batch;
    float lower[16];
    float upper[16];
    double error[16];
    uint32_t best = 16;
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            memcpy(batch.corner[c][d], near->corners.corner[c][d] + first,
                   sizeof batch.corner[c][d]);
        }
    }
    memcpy(batch.point, own->point, sizeof batch.point);
    s->run->kernels->bound_point(&batch, lanes, lower, upper);
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        error[k] = bound_error(own->error + near->error, upper[k], near->discs.radius[first + k]);
        if ((double)upper[k] + error[k] < own->reach) {
            own->reach = (double)upper[k] + error[k];
            best = k;
        }
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t k = (uint32_t)__builtin_ctz(left);
        const double least = (double)lower[k] - error[k];
        if (least > own->reach * SLACK) {
            continue;
        }
        abut__near_triangle* kept = abut__push(s->run->result->work.context, &s->triangles, 1);
        if (kept == NULL) {
            s->status = ABUT_ERR_NO_MEMORY;
            return false;
        }
        *kept = (abut__near_triangle){0, near->block, first + k, below(least), of};
    }
    if (best < 16) {
        own->last.block = near->block;
        own->last.lane = first + best;
        keep_triangle(s->pack, of, near);
    }
    return true;
}

// By how much gaps of discs with a radius, and distances of their centres, may be off, without what
// the radius and the distance themselves are off by, which is at most 2^-20 of both.
static double disc_error(const abut__searcher* s, const abut__pack_point* own) {
    return own->error + 1.75 * 0x1p-23 * asked_of(s)->size;
}

static float disc_limit(const abut__searcher* s, const abut__pack_point* own) {
    return above((own->reach * SLACK + disc_error(s, own)) * (1 + 0x1p-18));
}

static float box_limit(double reach, double pad) {
    const double most = reach * SLACK + 2 * pad;
    return above(most * most * (1 + 0x1p-20));
}

// Takes the triangles of a block that are near a point. False: floats do not bound the block, or
// there is no memory.
static bool take_block(abut__searcher* s, uint32_t of, const abut__near_block* near) {
    abut__point_pack* pack = s->pack;
    abut__pack_point* own = &pack->points[of];
    const abut__block* fixed = asked_of(s)->view.tree->blocks[near->block];
    ++s->counters.boxes_tested;
    if (!(near->radius < INFINITY)) {
        return false;
    }
    // no triangle's radius is greater than twice that of the block
    const double error = disc_error(s, own) + near->error + 0x1p-17 * (double)near->disc.radius;
    float reach = above(own->reach * (1 + 0x1p-18));
    uint64_t lanes = s->run->kernels->disc_nearest(&near->discs, own->point, above(error), &reach);
    own->reach = (double)reach < own->reach ? (double)reach : own->reach;
    lanes &= fixed->valid;
    for (uint32_t first = 0; lanes >> first != 0; first += 16) {
        const uint32_t some = (uint32_t)(lanes >> first & 0xffff);
        if (some != 0 && !bound_lanes(s, of, near, first, some)) {
            return false;
        }
    }
    return true;
}

// ---- the first triangles

// Whether floats serve, and there is a triangle to begin with.
static bool set_point(abut__searcher* s, abut__pack_point* own) {
    const abut__asked* asked = asked_of(s);
    memcpy(s->at, own->at, sizeof s->at);
    abut__closest_turn_to(s, 0);
    double most = 0;
    for (int d = 0; d < 3; ++d) {
        most = fmax(most, fabs(s->offset[d]));
        own->offset[d] = s->offset[d];
        own->point[d] = s->point[d];
    }
    own->pad = s->pad;
    // what the pad has for rounding to double, which is far less than 2^-23 of all where floats serve
    const double doubles = s->pad - 0x1p-20 * (asked->size + most);
    own->error = 1.75 * (0x1p-23 * (asked->size + most) + fmax(doubles, 0) + 0x1p-50 * s->pad);
    own->reach = s->run->def->max_distance;
    own->best = NULL;
    return !s->careful && own->last.body == asked->view.body->index &&
           own->last.block < asked->view.tree->block_count &&
           own->last.lane < asked->view.tree->blocks[own->last.block]->triangle_count;
}

// Shortens the reach of a point by the triangles of all points. Returns the one whose triangle is best.
static uint32_t shorten(abut__searcher* s, uint32_t of) {
    abut__point_pack* pack = s->pack;
    abut__pack_point* own = &pack->points[of];
    float lower[16];
    float upper[16];
    uint32_t best = of;
    memcpy(pack->batch.point, own->point, sizeof pack->batch.point);
    s->run->kernels->bound_point(&pack->batch, (1u << pack->count) - 1, lower, upper);
    for (uint32_t k = 0; k < pack->count; ++k) {
        best = upper[k] < upper[best] ? k : best;
    }
    const double error = bound_error(own->error + pack->error[best], upper[best],
                                     pack->radius[best]);
    const double most = (double)upper[best] + error;
    own->reach = most < own->reach ? most : own->reach;
    return best;
}

static bool begin(abut__searcher* s) {
    abut__point_pack* pack = s->pack;
    for (uint32_t k = 0; k < pack->count; ++k) {
        abut__pack_point* own = &pack->points[k];
        if (!set_point(s, own)) {
            return false;
        }
        const abut__near_block* near = abut__closest_block(s, own->last.block);
        if (!(near->radius < INFINITY)) {
            return false;
        }
        keep_triangle(pack, k, near);
    }
    for (uint32_t k = 0; k < pack->count; ++k) {
        (void)shorten(s, k);
    }
    return true;
}

// ---- the list of blocks

// Puts a block into the list. Its disc is set when a point looks at the block.
static void list_block(abut__near_list* list, uint32_t block, const abut__box3* box) {
    const uint32_t k = list->count++;
    for (int d = 0; d < 3; ++d) {
        list->lo[d][k] = box->lo[d];
        list->hi[d][k] = box->hi[d];
        list->centre[d][k] = list->normal[d][k] = 0;
    }
    list->radius[k] = INFINITY;
    list->height[k] = 0;
    list->block[k] = block;
}

// Sets the disc of a block, and a box around its points, which is tighter than that of the tree.
static void set_disc(abut__near_list* list, uint32_t k, const abut__near_block* near) {
    for (int d = 0; d < 3; ++d) {
        list->lo[d][k] = near->boxes->all.lo[d];
        list->hi[d][k] = near->boxes->all.hi[d];
        list->centre[d][k] = near->disc.centre[d];
        list->normal[d][k] = near->disc.normal[d];
    }
    const double error = near->error + 0x1p-18 * (double)near->disc.radius;
    list->radius[k] = above((double)near->disc.radius + error);
    list->height[k] = above((double)near->disc.height + error);
}

// Sets the lanes of points; those beyond the last are near nothing.
static void set_near_points(abut__point_pack* pack, uint32_t first, uint32_t end) {
    for (uint32_t k = 0; k < ABUT__PACK_POINTS; ++k) {
        const abut__pack_point* own = &pack->points[first + k < end ? first + k : first];
        for (int d = 0; d < 3; ++d) {
            pack->near.at[d][k] = own->point[d];
        }
        pack->near.limit_sq[k] = first + k < end ? box_limit(own->reach, own->pad) : -1;
    }
}

// Lists the blocks that may be near points first .. end - 1. False: there are too many.
static bool list_blocks(abut__searcher* s, uint32_t first, uint32_t end) {
    abut__point_pack* pack = s->pack;
    const abut__asked* asked = asked_of(s);
    abut__box3 around = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double reach = 0;
    double pad = 0;
    for (uint32_t k = first; k < end; ++k) {
        const abut__pack_point* own = &pack->points[k];
        reach = fmax(reach, own->reach);
        pad = fmax(pad, own->pad);
        for (int d = 0; d < 3; ++d) {
            around.lo[d] = own->point[d] < around.lo[d] ? own->point[d] : around.lo[d];
            around.hi[d] = own->point[d] > around.hi[d] ? own->point[d] : around.hi[d];
        }
    }
    set_near_points(pack, first, end);
    const float limit = box_limit(reach, pad);
    abut__near_gap* stack = s->stack.data;
    size_t count = 1;
    stack[0] = (abut__near_gap){0, 0};
    pack->list.count = 0;
    while (count > 0) {
        const abut__ref at = stack[--count].ref;
        const abut__node* node = &asked->view.tree->nodes[at];
        abut__boxes8 room;
        float gaps[ABUT__FAN];
        const abut__boxes8* boxes = abut__view_bound(&asked->view, at, &room);
        s->run->kernels->distance_box(&around, boxes, gaps);
        s->counters.boxes_computed += node->count;
        s->counters.boxes_tested += node->count;
        for (uint32_t k = 0; k < node->count; ++k) {
            if (!(gaps[k] <= limit)) {
                continue;
            }
            const abut__box3 box = abut__boxes_get(boxes, k);
            if (s->run->kernels->points_near(&pack->near, &box) == 0) {
                continue;
            }
            if (!abut__is_block(node->child[k])) {
                stack[count++] = (abut__near_gap){0, node->child[k]};
                continue;
            }
            if (pack->list.count == ABUT__NEAR_MOST) {
                return false;
            }
            list_block(&pack->list, abut__block_of(node->child[k]), &box);
        }
    }
    return true;
}

// Looks at the blocks of the list that are near a point.
static bool take_listed(abut__searcher* s, uint32_t of) {
    abut__point_pack* pack = s->pack;
    abut__near_list* list = &pack->list;
    const abut__pack_point* own = &pack->points[of];
    for (uint32_t first = 0; first < list->count; first += 16) {
        const uint32_t left = list->count - first;
        uint32_t mask = s->run->kernels->near_blocks(
            list, first, own->point, box_limit(own->reach, own->pad), disc_limit(s, own));
        mask &= left < 16 ? (1u << left) - 1 : 0xffff;
        s->counters.boxes_tested += left < 16 ? left : 16;
        for (; mask != 0; mask &= mask - 1) {
            const uint32_t k = first + (uint32_t)__builtin_ctz(mask);
            if (list->block[k] == own->first) {
                continue;
            }
            const abut__near_block* near = abut__closest_block(s, list->block[k]);
            if (!take_block(s, of, near)) {
                return false;
            }
            if (list->radius[k] == INFINITY) {
                set_disc(list, k, near);
            }
        }
    }
    return true;
}

// Points that are far apart have too long a list: then halves of them have one each.
static bool search_some(abut__searcher* s, uint32_t first, uint32_t end) {
    if (!list_blocks(s, first, end)) {
        const uint32_t middle = first + (end - first) / 2;
        return end - first >= 2 * FEWEST && search_some(s, first, middle) &&
               search_some(s, middle, end);
    }
    for (uint32_t k = first; k < end; ++k) {
        const uint32_t block = s->pack->points[shorten(s, k)].last.block;
        s->pack->points[k].first = block;
        if (!take_block(s, k, abut__closest_block(s, block)) || !take_listed(s, k)) {
            return false;
        }
    }
    return true;
}

bool abut__closest_pack(abut__searcher* s) {
    s->triangles.count = 0;
    return begin(s) && search_some(s, 0, s->pack->count);
}
