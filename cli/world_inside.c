// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds which bodies of the world are inside others, and which have no inside at all.
//
// A body can only be inside another one if its box is; a component of it only if the boxes overlap.
// All other pairs of bodies cost one comparison of boxes, and boxes are sorted along an axis first.
#include "cli/message.h"
#include "cli/world.h"

#include <stdio.h>
#include <stdlib.h>

struct surface_notes {
    bool asked;  // `closed` is valid
    bool closed;
    bool inspected;  // the members below are valid
    uint32_t components;
    char why[96];
};

void world_forget_notes(world* w, uint32_t body) {
    w->aside.stale = true;
    if (w->notes != NULL && body < w->body_count) {
        w->notes[body].asked = w->notes[body].inspected = false;
    } else {  // a new body, for which the array has no room
        free(w->notes);
        w->notes = NULL;
    }
}

void world_forget_insides(world* w) {
    abut_contains_result_destroy(w->sides);
    free(w->insides);
    free(w->notes);
}

static const char* plural(uint32_t count) {
    return count == 1 ? "" : "s";
}

static void describe(const abut_mesh_info* h, char text[96]) {
    if (h->boundary_edges != 0) {
        snprintf(text, 96, "is open (%u boundary edge%s)", h->boundary_edges,
                 plural(h->boundary_edges));
    } else if (h->inconsistent_edges != 0) {
        snprintf(text, 96, "is of mixed orientation (at %u edge%s)", h->inconsistent_edges,
                 plural(h->inconsistent_edges));
    } else {
        snprintf(text, 96, "is not closed (%u edge%s of three triangles or more)",
                 h->nonmanifold_edges, plural(h->nonmanifold_edges));
    }
}

// properties of a surface are computed once and cached until it changes
static surface_notes* notes_of(world* w, uint32_t body) {
    if (w->notes == NULL) {
        w->notes = allocate(w->body_count, sizeof *w->notes);
    }
    return &w->notes[body];
}

// creates the result of the queries below when it is first needed
static abut_status open_sides(world* w) {
    return w->sides != NULL ? ABUT_OK : abut_contains_result_create(w->context, &w->sides, NULL);
}

static bool is_closed(world* w, uint32_t body) {
    surface_notes* n = notes_of(w, body);
    if (!n->asked) {
        const double anywhere[3] = {0};
        const abut_positions point = abut_positions_f64(anywhere, 1);
        n->closed = open_sides(w) == ABUT_OK &&
                    abut_contains_points(w->scene, w->bodies[body], point, NULL, w->sides, NULL) ==
                        ABUT_OK &&
                    abut_contains_result_sides(w->sides, NULL)[0] != ABUT_SIDE_UNDEFINED;
        n->asked = true;
    }
    return n->closed;
}

static const surface_notes* inspect(world* w, uint32_t body) {
    surface_notes* n = notes_of(w, body);
    if (!n->inspected) {
        abut_mesh_info health = {0};
        const abut_shape* shape = abut_body_shape(w->scene, w->bodies[body]);
        (void)abut_mesh_inspect(abut_shape_mesh(shape), &health, NULL);
        n->components = health.components;
        describe(&health, n->why);
        n->inspected = true;
    }
    return n;
}

const char* world_no_inside(world* w, uint32_t body) {
    return is_closed(w, body) ? NULL : inspect(w, body)->why;
}

// ---- boxes, sorted by their lower ends

typedef struct placed_box {
    abut_box box;
    uint32_t body;
} placed_box;

static int compare_boxes(const void* x, const void* y) {
    const placed_box* a = x;
    const placed_box* b = y;
    return a->box.lo[0] != b->box.lo[0] ? (a->box.lo[0] < b->box.lo[0] ? -1 : 1)
                                        : (a->body > b->body) - (a->body < b->body);
}

static size_t take_boxes(const world* w, placed_box* boxes) {
    size_t count = 0;
    for (uint32_t i = 0; i < w->body_count; ++i) {
        if (world_has(w, i) &&
            abut_body_box(w->scene, w->bodies[i], &boxes[count].box, NULL) == ABUT_OK) {
            boxes[count++].body = i;
        }
    }
    qsort(boxes, count, sizeof *boxes, compare_boxes);
    return count;
}

static bool overlaps(const abut_box* x, const abut_box* y) {
    bool meet = true;
    for (int d = 0; d < 3; ++d) {
        meet = meet && x->lo[d] <= y->hi[d] && y->lo[d] <= x->hi[d];
    }
    return meet;
}

static bool is_within(const abut_box* inner, const abut_box* outer) {
    bool in = true;
    for (int d = 0; d < 3; ++d) {
        in = in && outer->lo[d] <= inner->lo[d] && inner->hi[d] <= outer->hi[d];
    }
    return in;
}

// ---- the query

typedef struct asker {
    world* w;
    const question* q;
    abut_counters* work;
    abut_status status;
} asker;

// whether a query of this frame found pairs of these bodies; without a margin they then touch
static bool known_to_touch(const asker* k, uint32_t a, uint32_t b) {
    size_t count = 0;
    const abut_pair* pairs = k->q->between && k->q->margin == 0
                                 ? abut_collide_result_pairs(k->w->between, &count)
                                 : NULL;
    const uint32_t x = k->w->bodies[a].index;
    const uint32_t y = k->w->bodies[b].index;
    const uint32_t first = x < y ? x : y;
    const uint32_t second = x < y ? y : x;
    size_t low = 0;
    for (size_t high = count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        const abut_pair* p = &pairs[middle];
        if (p->body_a < first || (p->body_a == first && p->body_b < second)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && pairs[low].body_a == first && pairs[low].body_b == second;
}

static void ask_about(asker* k, const placed_box* inner, const placed_box* outer) {
    world* w = k->w;
    abut_contains_def def = abut_contains_def_default();
    def.head.counters = k->work;
    if (k->status != ABUT_OK || known_to_touch(k, inner->body, outer->body) ||
        !is_closed(w, outer->body) ||
        (!is_within(&inner->box, &outer->box) && inspect(w, inner->body)->components < 2)) {
        return;
    }
    k->status = open_sides(w);
    if (k->status == ABUT_OK) {
        k->status = abut_contains_body(w->scene, w->bodies[outer->body], w->bodies[inner->body],
                                       &def, w->sides, NULL);
    }
    if (k->status != ABUT_OK) {
        world_complain(w, k->status, inner->body, outer->body);
        return;
    }
    const abut_side side = abut_contains_result_sides(w->sides, NULL)[0];
    if (side == ABUT_SIDE_INSIDE || side == ABUT_SIDE_PARTLY) {
        w->insides = reallocate(w->insides, w->inside_count + 1, sizeof *w->insides);
        w->insides[w->inside_count++] = (inside_entry){
            .inner = inner->body, .outer = outer->body, .partly = side == ABUT_SIDE_PARTLY};
    }
}

static int compare_insides(const void* x, const void* y) {
    const inside_entry* a = x;
    const inside_entry* b = y;
    return a->inner != b->inner ? (a->inner < b->inner ? -1 : 1)
                                : (a->outer > b->outer) - (a->outer < b->outer);
}

bool world_ask_inside(world* w, const question* q, abut_counters* work) {
    asker k = {.w = w, .q = q, .work = work, .status = ABUT_OK};
    placed_box* boxes = allocate(w->body_count, sizeof *boxes);
    const size_t count = take_boxes(w, boxes);
    w->inside_count = 0;
    for (size_t i = 0; i < count; ++i) {
        for (size_t m = i + 1; m < count && boxes[m].box.lo[0] <= boxes[i].box.hi[0]; ++m) {
            if (overlaps(&boxes[i].box, &boxes[m].box)) {
                ask_about(&k, &boxes[i], &boxes[m]);
                ask_about(&k, &boxes[m], &boxes[i]);
            }
        }
    }
    free(boxes);
    if (k.status != ABUT_OK) {
        return false;
    }
    if (w->inside_count > 1) {
        qsort(w->insides, w->inside_count, sizeof *w->insides, compare_insides);
    }
    return true;
}
