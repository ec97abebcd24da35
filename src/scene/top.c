// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The tree over the boxes of a scene's bodies: see top.h.
#include "scene/top.h"

#include <math.h>

#include "base/curve.h"
#include "base/rounding.h"

#define GROWN \
    1.5  // cost of the nodes, relative to when bodies were sorted, from which they are again

void abut__top_free(const abut_context* context, abut__top* top) {
    abut__drop(context, &top->bodies);
    abut__drop(context, &top->order);
    abut__drop(context, &top->nodes);
}

// ---- boxes of bodies

// A box from the extent alone, which a state has without looking at nodes.
static abut_box rough_box(const abut__body* body) {
    const abut__state* state = abut__body_state(body, 1);
    abut_box box;
    const double turned = body->turned ? 1.75 : 1;  // a row of a rotation has at most this sum
    double origin[3];
    abut__body_origin(body, 1, origin);
    const double half = turned * (1 + 0x1p-20) * (double)state->extent +
                        0x1p-48 * abut__body_far(body, 1) + (double)ABUT__TINY;
    for (int d = 0; d < 3; ++d) {
        const bool bounded = state->extent <= ABUT__EXTENT_LIMIT;
        box.lo[d] = bounded ? origin[d] - half : -INFINITY;
        box.hi[d] = bounded ? origin[d] + half : INFINITY;
    }
    return box;
}

static bool is_cheap(const abut__body* body) {
    return abut__state_boxes(body->shape, abut__body_state(body, 1)) != NULL ||
           body->shape->motion->whole_bounds != NULL;
}

static void set_box(abut__top_body* entry, abut__body* body, bool few) {
    entry->body = body;
    entry->change = body->change;
    entry->rough = few && !is_cheap(body);
    if (abut__body_state(body, 1)->bad_vertex != ABUT__NONE) {
        entry->rough = false;
        for (int d = 0; d < 3; ++d) {
            entry->box.lo[d] = -INFINITY;
            entry->box.hi[d] = INFINITY;
        }
    } else {
        entry->box = entry->rough ? rough_box(body) : abut__body_world_box(body, 1);
    }
}

// Updates boxes. Returns whether other bodies than in the last call are there.
static bool follow_bodies(const abut_scene* scene, bool few, abut__top* top) {
    const uint32_t before = top->scene == scene->serial ? top->count : 0;
    bool others = top->scene != scene->serial;
    uint32_t count = 0;
    for (size_t i = 0; i < scene->bodies.count; ++i) {
        abut__body* body = scene->bodies.data[i];
        if (body == NULL) {
            continue;
        }
        abut__top_body* entry = &top->bodies.data[count++];
        const bool known = count <= before && entry->body == body;
        others = others || !known;
        if (!known || entry->change != body->change || (entry->rough && !few)) {
            set_box(entry, body, few);
        }
    }
    others = others || count != before;
    top->scene = scene->serial;
    top->count = count;
    return others;
}

// ---- the tree

static void set_all(abut__top* top) {
    for (int d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (uint32_t i = 0; i < top->count; ++i) {
            const abut_box* box = &top->bodies.data[i].box;
            lo = box->lo[d] < lo ? box->lo[d] : lo;
            hi = box->hi[d] > hi ? box->hi[d] : hi;
        }
        top->all.lo[d] = lo;
        top->all.hi[d] = hi;
        const double middle = 0.5 * lo + 0.5 * hi;
        top->centre[d] = isfinite(middle) ? middle : 0;
    }
}

static uint64_t code_of(const abut__top* top, const abut_box* box) {
    double middle[3];
    for (int d = 0; d < 3; ++d) {
        middle[d] = 0.5 * box->lo[d] + 0.5 * box->hi[d];
    }
    return abut__curve_cell(&top->all, middle);
}

static void sort_bodies(abut__top* top) {
    abut__keyed* order = top->order.data;
    for (uint32_t i = 0; i < top->count; ++i) {
        order[i] = (abut__keyed){code_of(top, &top->bodies.data[i].box), i};
    }
    abut__sort_keyed(order, order + top->count, top->count);
}

// Rounds a box of the world outwards, relative to the centre. The difference is off by 2^-53 of
// itself and of nothing else.
static abut__box3 around_centre(const abut__top* top, const abut_box* box) {
    abut__box3 out;
    for (int d = 0; d < 3; ++d) {
        const double lo = box->lo[d] - top->centre[d];
        const double hi = box->hi[d] - top->centre[d];
        const bool bounded = fabs(lo) < (double)ABUT__EXTENT_LIMIT &&
                             fabs(hi) < (double)ABUT__EXTENT_LIMIT;
        out.lo[d] = bounded ? abut__round_down(lo - 0x1p-50 * fabs(lo)) : -INFINITY;
        out.hi[d] = bounded ? abut__round_up(hi + 0x1p-50 * fabs(hi)) : INFINITY;
    }
    return out;
}

static void set_levels(abut__top* top) {
    uint32_t width = top->count;
    top->levels = 0;
    top->first[0] = 0;
    do {
        width = (width + ABUT__FAN - 1) / ABUT__FAN;
        top->first[top->levels + 1] = top->first[top->levels] + width;
        ++top->levels;
    } while (width > 1);
}

static double half_area(const abut__box3* box) {
    const double x = (double)box->hi[0] - (double)box->lo[0];
    const double y = (double)box->hi[1] - (double)box->lo[1];
    const double z = (double)box->hi[2] - (double)box->lo[2];
    return x * y + y * z + z * x;
}

// Computes all boxes from those of the bodies up. Returns the sum of their areas.
static double refit(abut__top* top) {
    abut__boxes8* nodes = top->nodes.data;
    double cost = 0;
    for (uint32_t n = 0; n < top->first[top->levels]; ++n) {
        abut__boxes_infinite(&nodes[n], 0);
    }
    for (uint32_t i = 0; i < top->count; ++i) {
        const abut__box3 box = around_centre(top, &top->bodies.data[top->order.data[i].value].box);
        abut__boxes_put(&nodes[i / ABUT__FAN], i % ABUT__FAN, &box);
    }
    for (uint32_t level = 1; level < top->levels; ++level) {
        for (uint32_t n = top->first[level - 1]; n < top->first[level]; ++n) {
            const uint32_t k = n - top->first[level - 1];
            const abut__box3 box = abut__boxes_around(&nodes[n], ABUT__FAN);
            abut__boxes_put(&nodes[top->first[level] + k / ABUT__FAN], k % ABUT__FAN, &box);
            cost += half_area(&box);
        }
    }
    return cost;
}

bool abut__top_follow(const abut_scene* scene, bool few, abut__top* top) {
    const uint32_t most = scene->body_count;
    const size_t nodes = most / 7 + (size_t)2 * ABUT__TOP_LEVELS;
    if (!abut__extend(scene->context, &top->bodies, most) ||
        !abut__extend(scene->context, &top->order, 2 * (size_t)most) ||
        !abut__extend(scene->context, &top->nodes, nodes)) {
        return false;
    }
    const bool others = follow_bodies(scene, few, top);
    if (top->count == 0) {
        return true;
    }
    set_all(top);
    if (others) {
        sort_bodies(top);
        set_levels(top);
    }
    double cost = refit(top);
    if (others) {
        top->cost = cost;
    } else if (cost > GROWN * top->cost) {
        sort_bodies(top);
        top->cost = refit(top);
    }
    return true;
}
