// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The broad phase: bodies sorted by the low end of their boxes along one axis, each compared with
// those that begin before it ends. The axis is the one along which the boxes' centres spread most.
#include <math.h>

#include "base/sort.h"
#include "scene/scene.h"

static bool may_meet(const abut__body* a, const abut__body* b) {
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

static bool gather_entries(const abut_scene* scene, double margin, abut__vector* boxes) {
    boxes->count = 0;
    for (size_t i = 0; i < scene->bodies.count; ++i) {
        abut__body* body = abut__scene_at(scene, i);
        if (body == NULL) {
            continue;
        }
        abut__broad_box* e = abut__vector_push(scene->context, boxes, 1, sizeof *e);
        if (e == NULL) {
            return false;
        }
        *e = (abut__broad_box){abut__body_world_box(body), body};
        for (int d = 0; d < 3; ++d) {
            // half the margin each, and a little more for the rounding of this sum
            const double size = fabs(e->box.lo[d]) > fabs(e->box.hi[d]) ? fabs(e->box.lo[d])
                                                                        : fabs(e->box.hi[d]);
            const double grow = 0.5 * margin * (1 + 0x1p-50) + (margin > 0 ? 0x1p-50 * size : 0);
            e->box.lo[d] = size <= (double)INFINITY ? e->box.lo[d] - grow : -INFINITY;
            e->box.hi[d] = size <= (double)INFINITY ? e->box.hi[d] + grow : INFINITY;
        }
    }
    return true;
}

static int widest_axis(const abut__broad_box* entries, size_t count) {
    double best = -1;
    int axis = 0;
    for (int d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (size_t i = 0; i < count; ++i) {
            const double centre = 0.5 * entries[i].box.lo[d] + 0.5 * entries[i].box.hi[d];
            lo = centre < lo ? centre : lo;
            hi = centre > hi ? centre : hi;
        }
        if (hi - lo > best) {
            best = hi - lo;
            axis = d;
        }
    }
    return axis;
}

static bool sweep(const abut_scene* scene, const abut__broad_box* entries, const abut__keyed* order,
                  size_t count, int axis, abut__vector* pairs) {
    for (size_t i = 0; i < count; ++i) {
        const abut__broad_box* a = &entries[order[i].value];
        for (size_t k = i + 1; k < count; ++k) {
            const abut__broad_box* b = &entries[order[k].value];
            if (b->box.lo[axis] > a->box.hi[axis]) {
                break;
            }
            if (!boxes_overlap(&a->box, &b->box) || !may_meet(a->body, b->body)) {
                continue;
            }
            const uint64_t low = a->body->index < b->body->index ? a->body->index : b->body->index;
            const uint64_t high = a->body->index < b->body->index ? b->body->index : a->body->index;
            uint64_t* key = abut__vector_push(scene->context, pairs, 1, sizeof *key);
            if (key == NULL) {
                return false;
            }
            *key = low << 32 | high;
        }
    }
    return true;
}

// keys become pairs in place: both are 8 bytes
static void unpack_pairs(abut__vector* pairs) {
    for (size_t i = 0; i < pairs->count; ++i) {
        uint64_t key;
        memcpy(&key, (char*)pairs->data + i * sizeof key, sizeof key);
        const abut__body_pair pair = {(uint32_t)(key >> 32), (uint32_t)key};
        memcpy((char*)pairs->data + i * sizeof pair, &pair, sizeof pair);
    }
}

bool abut__broad_phase(const abut_scene* scene, double margin, abut__vector* boxes,
                       abut__vector* order, abut__vector* pairs) {
    pairs->count = 0;
    if (!gather_entries(scene, margin, boxes)) {
        return false;
    }
    const size_t count = boxes->count;
    const abut__broad_box* entries = boxes->data;
    order->count = 0;
    abut__keyed* keys = abut__vector_push(scene->context, order, 2 * count + 1, sizeof *keys);
    if (keys == NULL) {
        return false;
    }
    const int axis = widest_axis(entries, count);
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (abut__keyed){abut__key_of_double(entries[i].box.lo[axis]), i};
    }
    abut__sort_keyed(keys, keys + count, count);
    if (!sweep(scene, entries, keys, count, axis, pairs)) {
        return false;
    }
    order->count = 0;
    uint64_t* scratch = abut__vector_push(scene->context, order, pairs->count + 1,
                                          sizeof(abut__keyed));
    if (scratch == NULL) {
        return false;
    }
    abut__sort_keys(pairs->data, scratch, pairs->count);
    unpack_pairs(pairs);
    return true;
}
