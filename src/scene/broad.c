// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase by intervals: bodies sorted by the low end of their boxes along one axis, each
// compared with those that begin before it ends. The order of the last call is updated by
// insertion, which is linear while bodies move little.
#include "scene/broad.h"

#include <math.h>

#include "base/sort.h"

#define GIVE_UP_FACTOR 24u  // comparisons per body beyond which a grid is tried
#define FEW 8u              // up to so many bodies, each is compared with each
#define MOVES_FACTOR 8u     // moves per body above which a new sort is cheaper than insertion

bool abut__bodies_may_meet(const abut__body* a, const abut__body* b) {
    return !(a->is_static && b->is_static) && (a->group & b->mask) != 0 &&
           (b->group & a->mask) != 0;
}

static bool boxes_overlap(const abut_box* a, const abut_box* b) {
    for (int d = 0; d < 3; ++d) {
        if (!(a->lo[d] <= b->hi[d] && b->lo[d] <= a->hi[d])) {
            return false;
        }
    }
    return true;
}

// grows a box by half the margin on each side, plus a pad for the rounding of the sum
static void grow_box(abut_box* box, double margin) {
    for (int d = 0; d < 3; ++d) {
        const double lo = fabs(box->lo[d]);
        const double hi = fabs(box->hi[d]);
        const double grow = 0.5 * margin * (1 + 0x1p-50) + 0x1p-50 * (lo > hi ? lo : hi);
        if (grow <= 1e300) {
            box->lo[d] -= grow;
            box->hi[d] += grow;
        } else {
            box->lo[d] = -INFINITY;
            box->hi[d] = INFINITY;
        }
    }
}

bool abut__boxes_meet(const abut_box* a, const abut_box* b, double margin) {
    abut_box grown[2] = {*a, *b};
    for (int k = 0; k < 2 && margin > 0; ++k) {
        grow_box(&grown[k], margin);
    }
    return boxes_overlap(&grown[0], &grown[1]);
}

static bool gather_boxes(const abut_scene* scene, bool (*box_of)(const abut__body*, abut_box*),
                         double margin, abut__broad* broad) {
    broad->boxes.count = 0;
    if (!abut__reserve(scene->context, &broad->boxes, scene->body_count)) {
        return false;
    }
    for (size_t i = 0; i < scene->bodies.count; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        abut__broad_box* place = &broad->boxes.data[broad->boxes.count];
        if (body != NULL && box_of(body, &place->box)) {
            place->body = body;
            ++broad->boxes.count;
            if (margin > 0) {
                grow_box(&place->box, margin);
            }
        }
    }
    return true;
}

static double centre_of(const abut_box* box, int axis) {
    return 0.5 * box->lo[axis] + 0.5 * box->hi[axis];
}

// returns the axis along which the centres spread most
static int widest_axis(const abut__broad_box* boxes, size_t count) {
    double best = -1;
    int axis = 0;
    for (int d = 0; d < 3; ++d) {
        double sum = 0;
        double squares = 0;
        // relative to the first, so that bodies far away differ in more than rounding
        const double first = count > 0 ? centre_of(&boxes[0].box, d) : 0;
        const double from = isfinite(first) ? first : 0;
        for (size_t i = 0; i < count; ++i) {
            const double centre = centre_of(&boxes[i].box, d) - from;
            if (fabs(centre) <= 1e150) {
                sum += centre;
                squares += centre * centre;
            }
        }
        const double spread = squares - sum * sum / (count > 0 ? (double)count : 1);
        if (spread > best) {
            best = spread;
            axis = d;
        }
    }
    return axis;
}

// updates the order by insertion; false: too many moves
static bool update_order(abut__keyed* order, size_t count) {
    uint64_t moves = 0;
    for (size_t i = 1; i < count; ++i) {
        const abut__keyed item = order[i];
        size_t k = i;
        for (; k > 0 && order[k - 1].key > item.key; --k) {
            order[k] = order[k - 1];
        }
        order[k] = item;
        moves += i - k;
        if (moves > MOVES_FACTOR * (uint64_t)count) {
            return false;
        }
    }
    return true;
}

static bool sort_order(const abut_context* context, abut__broad* broad) {
    const abut__broad_box* boxes = broad->boxes.data;
    const size_t count = broad->boxes.count;
    const int axis = widest_axis(boxes, count);
    broad->order.count = 0;
    if (!abut__reserve(context, &broad->order, 2 * count + 1)) {
        broad->ordered = 0;
        return false;
    }
    abut__keyed* order = broad->order.data;
    const bool reuse = axis == broad->axis && broad->ordered == count;
    for (size_t i = 0; i < count; ++i) {
        const uint64_t place = reuse ? order[i].value : i;
        order[i] = (abut__keyed){abut__key_of_double(boxes[place].box.lo[axis]), place};
    }
    if (!reuse || !update_order(order, count)) {
        abut__sort_keyed(order, order + count, count);
    }
    broad->axis = axis;
    broad->ordered = (uint32_t)count;
    return true;
}

bool abut__broad_test(const abut_context* context, abut__broad* broad, size_t i, size_t k) {
    const abut__broad_box* boxes = broad->boxes.data;
    const abut__broad_box* a = &boxes[i];
    const abut__broad_box* b = &boxes[k];
    ++broad->comparisons;
    if (!boxes_overlap(&a->box, &b->box) || !abut__bodies_may_meet(a->body, b->body)) {
        return true;
    }
    uint64_t* key = (void*)abut__push(context, &broad->pairs, 1);
    if (key == NULL) {
        return false;
    }
    const uint64_t x = a->body->index;
    const uint64_t y = b->body->index;
    *key = x < y ? x << 32 | y : y << 32 | x;
    return true;
}

bool abut__broad_sweep(const abut_context* context, abut__broad* broad, uint64_t comparisons_most,
                       bool* gave_up) {
    *gave_up = false;
    if (!sort_order(context, broad)) {
        return false;
    }
    const abut__broad_box* boxes = broad->boxes.data;
    const abut__keyed* order = broad->order.data;
    const size_t count = broad->boxes.count;
    for (size_t i = 0; i < count && !*gave_up; ++i) {
        const size_t x = (size_t)order[i].value;  // an index of a box
        const double end = boxes[x].box.hi[broad->axis];
        for (size_t k = i + 1; k < count; ++k) {
            const size_t y = (size_t)order[k].value;
            if (boxes[y].box.lo[broad->axis] > end) {
                break;
            }
            if (!abut__broad_test(context, broad, x, y)) {
                return false;
            }
        }
        *gave_up = broad->comparisons > comparisons_most;
    }
    return true;
}

static bool compare_few(const abut_context* context, abut__broad* broad) {
    for (size_t i = 0; i < broad->boxes.count; ++i) {
        for (size_t k = i + 1; k < broad->boxes.count; ++k) {
            if (!abut__broad_test(context, broad, i, k)) {
                return false;
            }
        }
    }
    return true;
}

// turns sorted keys into pairs in place: both are 8 bytes
static bool finish_pairs(const abut_context* context, abut__broad* broad) {
    if (broad->pairs.count == 0) {
        return true;
    }
    uint64_t* scratch = abut__renew(context, &broad->scratch, broad->pairs.count + 1);
    if (scratch == NULL) {
        return false;
    }
    abut__sort_keys((void*)broad->pairs.data, scratch, broad->pairs.count);
    for (size_t i = 0; i < broad->pairs.count; ++i) {
        uint64_t key;
        memcpy(&key, &broad->pairs.data[i], sizeof key);
        broad->pairs.data[i] = (abut__body_pair){(uint32_t)(key >> 32), (uint32_t)key};
    }
    return true;
}

// The sweep gives up when it compares too much. The grid stays in use while it compares less than
// half of what made the sweep give up, so that the choice does not alternate.
bool abut__broad_phase_by(const abut_scene* scene, bool (*box_of)(const abut__body*, abut_box*),
                          double margin, abut__broad* broad) {
    const abut_context* context = scene->context;
    broad->pairs.count = 0;
    broad->comparisons = 0;
    if (!gather_boxes(scene, box_of, margin, broad)) {
        return false;
    }
    if (broad->boxes.count <= FEW) {
        broad->use_grid = false;
        return compare_few(context, broad) && finish_pairs(context, broad);
    }
    const uint64_t most = GIVE_UP_FACTOR * ((uint64_t)broad->boxes.count + 16);
    bool gave_up = false;
    if (!broad->use_grid) {
        if (!abut__broad_sweep(context, broad, most, &gave_up)) {
            return false;
        }
        broad->use_grid = gave_up;
    }
    if (broad->use_grid) {
        broad->pairs.count = 0;
        broad->comparisons = 0;
        if (!abut__broad_grid(context, broad)) {
            return false;
        }
        // a grid that compares far more pairs than it finds is no better than the sweep
        broad->use_grid = broad->comparisons <= most / 2 + 2 * (uint64_t)broad->pairs.count;
    }
    return finish_pairs(context, broad);
}

static bool whole_box(const abut__body* body, abut_box* box) {
    abut__body_enclose(body, 1, &body->frame, box);
    return true;
}

bool abut__broad_phase(const abut_scene* scene, double margin, abut__broad* broad) {
    return abut__scene_ready(scene) && abut__broad_phase_by(scene, whole_box, margin, broad);
}

void abut__broad_free(const abut_context* context, abut__broad* broad) {
    abut__drop(context, &broad->boxes);
    abut__drop(context, &broad->order);
    abut__drop(context, &broad->cells);
    abut__drop(context, &broad->pairs);
    abut__drop(context, &broad->scratch);
}
