// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What the tests of kinetic separation lists share: bodies, and a traversal of boxes from positions.
#ifndef ABUT_TESTS_TEST_KINETIC_LIST_SUPPORT_H
#define ABUT_TESTS_TEST_KINETIC_LIST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/separation_list.h"
#include "support/everywhere.h"
#include "support/scenery.h"
#include "support/motion_def.h"

#define KEYS_MOST 4

// ---- bodies: keyframes with all that makes trouble, or nothing that moves

typedef enum plan_kind {
    PLAN_ANY,     // every vertex on its own
    PLAN_SMOOTH,  // turned and shifted from key to key
    PLAN_COARSE,  // multiples of an eighth: coincident events, ties and velocities of 0
    PLAN_STILL,   // keys that are all the same
    PLAN_SHIFT,   // all move alike, by numbers that floats have
    PLAN_KINDS
} plan_kind;

typedef struct actor {
    surface s;
    uint32_t key_count;  // 0: a free body
    abut_keyframe keys[KEYS_MOST];
    double* xyz[KEYS_MOST];
    abut_body_id id;
} actor;

static inline double coarse(double x) {
    return 0.125 * nearbyint(8 * x);
}

static inline double place(test_random* random, plan_kind kind, const double from[3], uint32_t key,
                           size_t d) {
    const double any = from[d] + random_double(random, -0.3, 0.3);
    const double angle = 0.5 * key;
    const double turned = d == 0   ? cos(angle) * from[0] - sin(angle) * from[1]
                          : d == 1 ? sin(angle) * from[0] + cos(angle) * from[1]
                                   : from[2] + 0.1 * sin(4 * from[0] + key);
    switch (kind) {
        case PLAN_ANY: return any;
        case PLAN_SMOOTH: return turned;
        case PLAN_COARSE: return coarse(any);
        case PLAN_SHIFT: return coarse(from[d]) + 0.25 * key;
        default: return from[d];
    }
}

static inline surface random_surface(test_random* random) {
    switch (random_below(random, 4)) {
        case 0: return surface_ball(4 + random_below(random, 12), 6 + random_below(random, 12), 1);
        case 1: return surface_sheet(2 + random_below(random, 14), 12, 2);
        case 2: return surface_soup(random, 10 + random_below(random, 200), 1, 0.4, 0.125);
        default: return surface_sheet(1, 1, 1);
    }
}

static inline void make_keys(test_random* random, plan_kind kind, const double times[KEYS_MOST],
                             double size, actor* a) {
    const size_t n = a->s.vertex_count;
    for (uint32_t k = 0; k < a->key_count; ++k) {
        a->xyz[k] = test_alloc(3 * n, sizeof(double));
        for (size_t i = 0; i < 3 * n; ++i) {
            a->xyz[k][i] = size * place(random, kind, &a->s.xyz[i - i % 3], k, i % 3);
        }
        a->keys[k] = (abut_keyframe){times[k], abut_positions_f64(a->xyz[k], n)};
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        a->s.xyz[i] *= size;
    }
}

static inline actor add_bounded_actor(world* w, test_random* random, plan_kind kind,
                                      uint32_t key_count, const double times[KEYS_MOST],
                                      double size, abut_flight_bound bound) {
    actor a = {.s = random_surface(random), .key_count = key_count};
    motion_def def = motion_def_default();
    abut_body_def body = abut_body_def_default();
    make_keys(random, kind, times, size, &a);
    def.block_triangles = 1 + random_below(random, 24);
    def.fan_out = 2 + random_below(random, 7);
    def.motion = key_count > 0 ? ABUT_MOTION_FLIGHT : ABUT_MOTION_FREE;
    def.keyframes = key_count > 0 ? a.keys : NULL;
    def.keyframe_count = key_count;
    def.bound = (int)bound;
    body.is_static = key_count == 0;
    a.id = world_add(w, &a.s, &def, &body);
    return a;
}

static inline actor add_actor(world* w, test_random* random, plan_kind kind, uint32_t key_count,
                              const double times[KEYS_MOST], double size) {
    return add_bounded_actor(w, random, kind, key_count, times, size, ABUT_FLIGHT_BOUND_AUTO);
}

static inline void actor_free(actor* a) {
    for (uint32_t k = 0; k < a->key_count; ++k) {
        free(a->xyz[k]);
    }
    surface_free(&a->s);
}

// ---- the oracle: boxes from positions, and a traversal of its own

typedef struct entry {
    abut__ref a;
    abut__ref b;
    bool overlap;
} entry;

typedef struct entries {
    entry* list;
    size_t count;
    size_t capacity;
    size_t leaves;
} entries;

static inline void push(entries* e, abut__ref a, abut__ref b, bool overlap) {
    if (e->count == e->capacity) {
        e->capacity = 2 * e->capacity + 64;
        e->list = realloc(e->list, e->capacity * sizeof *e->list);
        assert_non_null(e->list);
    }
    e->list[e->count++] = (entry){a, b, overlap};
    e->leaves += overlap;
}

static inline int order(const void* x, const void* y) {
    const entry* a = x;
    const entry* b = y;
    const int by_b = (a->b > b->b) - (a->b < b->b);
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : by_b;
}

static inline void sort_entries(entries* e) {
    if (e->count > 0) {
        qsort(e->list, e->count, sizeof *e->list, order);
    }
}

// the boxes of one actor at both ends of the window
typedef struct view {
    const abut__tree* tree;
    abut__box3* node[2];
    abut__box3* block[2];
} view;

static inline void grow(abut__box3* box, const float lo[3], const float hi[3]) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = lo[d] < box->lo[d] ? lo[d] : box->lo[d];
        box->hi[d] = hi[d] > box->hi[d] ? hi[d] : box->hi[d];
    }
}

static const abut__box3 empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline void fill_view(view* v, int end, const double* xyz) {
    const abut__tree* tree = v->tree;
    v->block[end] = test_alloc(tree->block_count, sizeof(abut__box3));
    v->node[end] = test_alloc(tree->node_count, sizeof(abut__box3));
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        v->block[end][b] = empty;
        for (uint32_t k = 0; k < tree->blocks[b]->vertex_count; ++k) {
            const double* p = &xyz[3 * (size_t)tree->blocks[b]->vertex[k]];
            const float q[3] = {(float)p[0], (float)p[1], (float)p[2]};
            grow(&v->block[end][b], q, q);
        }
    }
    for (uint32_t n = tree->node_count; n-- > 0;) {
        v->node[end][n] = empty;
        for (uint32_t k = 0; k < tree->nodes[n].count; ++k) {
            const abut__ref child = tree->nodes[n].child[k];
            const abut__box3* box = abut__is_block(child) ? &v->block[end][abut__block_of(child)]
                                                          : &v->node[end][child];
            grow(&v->node[end][n], box->lo, box->hi);
        }
    }
}

// boxes of children, given per node
static inline void copy_boxes(view* v, int end, const abut__boxes8* boxes) {
    const abut__tree* tree = v->tree;
    v->block[end] = test_alloc(tree->block_count, sizeof(abut__box3));
    v->node[end] = test_alloc(tree->node_count, sizeof(abut__box3));
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        for (uint32_t k = 0; k < tree->nodes[n].count; ++k) {
            const abut__ref child = tree->nodes[n].child[k];
            *(abut__is_block(child) ? &v->block[end][abut__block_of(child)]
                                    : &v->node[end][child]) = abut__boxes_get(&boxes[n], k);
        }
    }
}

// as the kernel that interpolates boxes has it
static inline float between(float before, float after, float part) {
    volatile float rest = 1 - part;
    volatile float first = before * rest;
    volatile float second = after * part;
    volatile float sum = first + second;
    return part <= 0 ? before : part >= 1 ? after : sum;
}

static inline void between_boxes(abut__box3* first, abut__box3* second, uint32_t count,
                                 const float parts[2]) {
    for (uint32_t i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) {
            const float lo[2] = {first[i].lo[d], second[i].lo[d]};
            const float hi[2] = {first[i].hi[d], second[i].hi[d]};
            first[i].lo[d] = between(lo[0], lo[1], parts[0]);
            second[i].lo[d] = between(lo[0], lo[1], parts[1]);
            first[i].hi[d] = between(hi[0], hi[1], parts[0]);
            second[i].hi[d] = between(hi[0], hi[1], parts[1]);
        }
    }
}

// the keys that a time lies between, and how far the window's ends are on the way
static inline view view_make(const world* w, const actor* a, double time, double from, double to) {
    const abut__body* body = abut__scene_body(w->scene, a->id);
    view v = {.tree = &body->shape->tree};
    uint32_t key = 0;
    while (key + 1 < a->key_count && a->keys[key + 1].time <= time) {
        ++key;
    }
    const bool moves = a->key_count > 0 && time >= a->keys[0].time && key + 1 < a->key_count;
    const double* first = a->key_count > 0 ? a->xyz[key] : a->s.xyz;
    fill_view(&v, 0, first);
    fill_view(&v, 1, moves ? a->xyz[key + 1] : first);
    if (moves) {
        const double begin = a->keys[key].time;
        const double length = a->keys[key + 1].time - begin;
        const float parts[2] = {(float)((from - begin) / length), (float)((to - begin) / length)};
        between_boxes(v.node[0], v.node[1], v.tree->node_count, parts);
        between_boxes(v.block[0], v.block[1], v.tree->block_count, parts);
    }
    return v;
}

static inline void view_free(view* v) {
    for (int e = 0; e < 2; ++e) {
        free(v->node[e]);
        free(v->block[e]);
    }
}

static inline const abut__box3* box_of(const view* v, abut__ref ref, int end) {
    return abut__is_block(ref) ? &v->block[end][abut__block_of(ref)] : &v->node[end][ref];
}

static inline float gap_at(float first, float last, float part) {
    volatile float slope = last - first;
    volatile float moved = slope * part;
    return first + moved;
}

typedef struct traversal {
    view view[2];
    abut__shift shift;
    float part;
    bool self;
    entries* out;
} traversal;

static inline bool is_apart(const traversal* t, abut__ref a, abut__ref b) {
    bool apart = false;
    for (int d = 0; d < 3; ++d) {
        float front[2];
        float behind[2];
        for (int e = 0; e < 2; ++e) {
            const abut__box3* x = box_of(&t->view[0], a, e);
            const abut__box3* y = box_of(&t->view[1], b, e);
            volatile float lo = x->lo[d] + t->shift.lo[d];
            volatile float hi = x->hi[d] + t->shift.hi[d];
            front[e] = lo - y->hi[d];
            behind[e] = y->lo[d] - hi;
        }
        apart = apart || gap_at(front[0], front[1], t->part) > 0 ||
                gap_at(behind[0], behind[1], t->part) > 0;
    }
    return apart;
}

static inline void traverse(const traversal* t, abut__ref a, abut__ref b) {
    const abut__tree* trees[2] = {t->view[0].tree, t->view[1].tree};
    const bool self = t->self && a == b;
    const uint32_t counts[2] = {abut__is_block(a) ? 1 : trees[0]->nodes[a].count,
                                abut__is_block(b) ? 1 : trees[1]->nodes[b].count};
    for (uint32_t i = 0; i < counts[0]; ++i) {
        for (uint32_t j = self ? i : 0; j < counts[1]; ++j) {
            const abut__ref x = abut__is_block(a) ? a : trees[0]->nodes[a].child[i];
            const abut__ref y = abut__is_block(b) ? b : trees[1]->nodes[b].child[j];
            const bool blocks = abut__is_block(x) && abut__is_block(y);
            const bool apart = !(self && i == j) && is_apart(t, x, y);
            if (apart || blocks) {
                push(t->out, x, y, !apart);
            } else {
                traverse(t, x, y);
            }
        }
    }
}

// ---- lists

typedef struct pair_of {
    world* w;
    const actor* a;
    const actor* b;  // the same: one body with itself
    abut__list* list;
} pair_of;

static inline abut__job job_of(const pair_of* p, double margin) {
    abut__settings def = abut__settings_default;
    abut__workspace* work = &p->w->result->work;
    def.margin = margin;
    work->jobs.count = 0;
    REQUIRE_OK(abut__query_add_bodies(work, abut__scene_body(p->w->scene, p->a->id),
                                      abut__scene_body(p->w->scene, p->b->id), &def));
    return *work->jobs.data;
}

static inline abut__ref child_of(const abut__list* list, const abut__opened* o, int side,
                                 uint32_t lane) {
    const abut__tree* tree = &list->side[side].body->shape->tree;
    return tree->nodes[o->node[side]].child[side == 0 ? lane / 8 : lane % 8];
}

static inline entries entries_of(const abut__list* list) {
    entries all = {0};
    size_t opened = 0;
    for (size_t i = 0; i < list->opened.count; ++i) {
        const abut__opened* o = list->opened.data + i;
        if (!o->used) {
            continue;
        }
        ++opened;
        REQUIRE(o->due > list->part);
        for (uint64_t left = (o->valid | o->always) & ~(o->overlap & o->inner); left != 0;
             left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctzll(left);
            push(&all, child_of(list, o, 0, lane), child_of(list, o, 1, lane),
                 (o->overlap >> lane & 1) != 0);
        }
    }
    REQUIRE(opened == list->opened_count);
    REQUIRE(all.count == list->entry_count && all.leaves == list->leaf_count);
    sort_entries(&all);
    return all;
}

static inline world random_world(test_random* random) {
    static const abut_isa sets[] = {ABUT_ISA_BEST, ABUT_ISA_AVX2, ABUT_ISA_SCALAR};
    abut_context_def def = abut_context_def_default();
    abut_isa isa = sets[random_below(random, 3)];
    def.isa = abut__kernels_choose(&isa) != NULL ? isa : ABUT_ISA_SCALAR;
    return world_make(&def, NULL);
}

// the list has these entries, which are sorted here
static inline void require_entries(const abut__list* list, entries* wanted) {
    sort_entries(wanted);
    entries got = entries_of(list);
    REQUIRE(got.count == wanted->count && got.leaves == wanted->leaves);
    for (size_t i = 0; i < got.count; ++i) {
        REQUIRE(order(&got.list[i], &wanted->list[i]) == 0 &&
                got.list[i].overlap == wanted->list[i].overlap);
    }
    free(got.list);
}

#endif  // ABUT_TESTS_TEST_KINETIC_LIST_SUPPORT_H
