// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Tests a translation of one patch against another: see patch_trial.h. The triangles of the second
// patch are sorted along an axis, and each triangle of the first one meets those that its box
// overlaps along it.
#include "depth/patch_trial.h"

#include <math.h>

#include "exact/triangles.h"

// ---- the triangles of a region

// returns a key with the order of doubles
static uint64_t key_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63;
}

static void set_box(abut__patch_triangle* t) {
    for (int d = 0; d < 3; ++d) {
        t->lo[d] = fmin(fmin(t->corner[0][d], t->corner[1][d]), t->corner[2][d]);
        t->hi[d] = fmax(fmax(t->corner[0][d], t->corner[1][d]), t->corner[2][d]);
    }
}

static void load_triangle(const abut__body* body, uint32_t id, abut__patch_triangle* out) {
    const uint32_t* corners = body->shape->mesh->triangles + 3 * (size_t)id;
    out->id = id;
    for (int c = 0; c < 3; ++c) {
        abut__body_vertex(body, corners[c], 1, out->corner[c]);
    }
    set_box(out);
}

// returns the axis along which all triangles of a body's side together are longest
static int longest_axis(const abut__depth_side* side) {
    double lo[3] = {INFINITY, INFINITY, INFINITY};
    double hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < side->triangles.count; ++i) {
        abut__patch_triangle t;
        load_triangle(side->body, side->triangles.data[i].id, &t);
        for (int d = 0; d < 3; ++d) {
            lo[d] = fmin(lo[d], t.lo[d]);
            hi[d] = fmax(hi[d], t.hi[d]);
        }
    }
    const int axis = hi[1] - lo[1] > hi[0] - lo[0] ? 1 : 0;
    return hi[2] - lo[2] > hi[axis] - lo[axis] ? 2 : axis;
}

// lists the ids of a side, ascending, or (`axis` from 0 on) by lower ends along an axis
static abut__keyed* sort_side(abut__patch_trial* trial, const abut_context* context,
                              const abut__depth_side* side, int axis) {
    const size_t count = side->triangles.count;
    abut__keyed* order = abut__renew(context, &trial->order, 2 * count);
    for (size_t i = 0; i < count && order != NULL; ++i) {
        const uint32_t id = side->triangles.data[i].id;
        order[i] = (abut__keyed){id, id};
        if (axis >= 0) {
            abut__patch_triangle t;
            load_triangle(side->body, id, &t);
            order[i].key = key_of(t.lo[axis]);
        }
    }
    if (order != NULL) {
        abut__sort_keyed(order, order + count, count);
    }
    return order;
}

static bool load_side(abut__patch_trial* trial, const abut__regions* regions, int s, int axis) {
    const abut__depth_side* side = &regions->side[s];
    const size_t count = side->triangles.count;
    const abut__keyed* order = sort_side(trial, regions->context, side, axis);
    abut__patch_triangle* out = abut__renew(regions->context, &trial->triangles[s], count);
    for (size_t i = 0; i < count && order != NULL && out != NULL; ++i) {
        load_triangle(side->body, (uint32_t)order[i].value, &out[i]);
    }
    return count == 0 || (order != NULL && out != NULL);
}

static bool load(abut__patch_trial* trial, const abut__regions* regions) {
    trial->axis = longest_axis(&regions->side[1]);
    trial->ready = load_side(trial, regions, 0, -1) && load_side(trial, regions, 1, trial->axis);
    trial->widest = 0;
    for (size_t i = 0; i < trial->triangles[1].count && trial->ready; ++i) {
        const abut__patch_triangle* t = &trial->triangles[1].data[i];
        trial->widest = fmax(trial->widest, t->hi[trial->axis] - t->lo[trial->axis]);
    }
    // more than the rounding of the differences
    trial->widest *= 1 + 0x1p-40;
    return trial->ready;
}

void abut__patch_trial_free(const abut_context* context, abut__patch_trial* trial) {
    abut__drop(context, &trial->triangles[0]);
    abut__drop(context, &trial->triangles[1]);
    abut__drop(context, &trial->order);
    abut__drop(context, &trial->pairs);
}

// ---- a translation

// returns the first triangle of the second patch that may reach a place on the axis
static size_t first_at(const abut__patch_trial* trial, double place) {
    const abut__patch_triangle* all = trial->triangles[1].data;
    // the place itself may be rounded
    const double from = place - trial->widest - 0x1p-40 * fabs(place);
    size_t low = 0;
    size_t high = trial->triangles[1].count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all[middle].lo[trial->axis] < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool boxes_overlap(const abut__patch_triangle* a, const abut__patch_triangle* b) {
    bool overlap = true;
    for (int d = 0; d < 3; ++d) {
        overlap = overlap && a->lo[d] <= b->hi[d] && b->lo[d] <= a->hi[d];
    }
    return overlap;
}

static bool is_excluded(const abut_shape* shape, uint32_t a, uint32_t b) {
    return abut__shared_corners(shape->mesh, a, b) != 0 ||
           (shape->ignored_count > 0 && abut__shape_ignores(shape, abut__mesh_tag(shape->mesh, a),
                                                            abut__mesh_tag(shape->mesh, b)));
}

// adds a pair behind those of the same first triangle whose second one is lower
static bool add_pair(abut__patch_trial* trial, const abut__regions* regions, uint32_t a,
                     uint32_t b) {
    const uint32_t body = regions->side[0].body->index;
    if (abut__push(regions->context, &trial->pairs, 1) == NULL) {
        return false;
    }
    abut_pair* pairs = trial->pairs.data;
    size_t place = trial->pairs.count - 1;
    for (; place > 0 && pairs[place - 1].triangle_a == a && pairs[place - 1].triangle_b > b;
         --place) {
        pairs[place] = pairs[place - 1];
    }
    pairs[place] = (abut_pair){body, body, a, b};
    return true;
}

// compares a moved triangle of the first patch with the second patch
static bool meet(abut__patch_trial* trial, const abut__regions* regions,
                 const abut__patch_triangle* a, bool any) {
    const abut_shape* shape = regions->side[0].body->shape;
    const abut__patch_triangle* all = trial->triangles[1].data;
    const size_t count = trial->triangles[1].count;
    abut_counters work = {0};
    bool ok = true;
    for (size_t i = first_at(trial, a->lo[trial->axis]);
         i < count && all[i].lo[trial->axis] <= a->hi[trial->axis] && ok &&
         !(any && trial->pairs.count > 0);
         ++i) {
        ++work.boxes_tested;
        if (!boxes_overlap(a, &all[i]) || is_excluded(shape, a->id, all[i].id)) {
            continue;
        }
        ++work.exact_tests;
        if (abut__triangles_touch(a->corner, all[i].corner)) {
            ok = add_pair(trial, regions, a->id, all[i].id);
        }
    }
    if (regions->counters != NULL) {
        regions->counters->boxes_tested += work.boxes_tested;
        regions->counters->exact_tests += work.exact_tests;
    }
    return ok;
}

// moves corners as abut_depth_self() says
static abut__patch_triangle moved(const abut__patch_triangle* t, const double by[3]) {
    abut__patch_triangle out = *t;
    for (int c = 0; c < 3; ++c) {
        for (int d = 0; d < 3; ++d) {
            out.corner[c][d] += by[d];
        }
    }
    set_box(&out);
    return out;
}

bool abut__patch_trial_run(abut__patch_trial* trial, const abut__regions* regions,
                           const double translation[3], bool any) {
    const abut_frame* frame = &regions->side[0].body->frame;
    double by[3];
    trial->pairs.count = 0;
    if (!trial->ready && !load(trial, regions)) {
        return false;
    }
    for (int d = 0; d < 3; ++d) {
        by[d] = (frame->r[0][d] * translation[0] + frame->r[1][d] * translation[1]) +
                frame->r[2][d] * translation[2];
    }
    bool ok = true;
    for (size_t i = 0; i < trial->triangles[0].count && ok && !(any && trial->pairs.count > 0);
         ++i) {
        const abut__patch_triangle a = moved(&trial->triangles[0].data[i], by);
        ok = meet(trial, regions, &a, any);
    }
    return ok;
}
