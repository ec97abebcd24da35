// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kinetic separation lists: at every time, exactly at events, forwards, backwards and after any jump,
// in both forms, the list is that of a fresh traversal, which the test makes for itself from positions
// at the ends of the window. Nothing that stays as it is costs anything.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "query/separation_list.h"
#include "scenes/scenes.h"
#include "support/world.h"

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
    abut_key keys[KEYS_MOST];
    double* xyz[KEYS_MOST];
    abut_body_id id;
} actor;

static double coarse(double x) {
    return 0.125 * nearbyint(8 * x);
}

static double place(test_random* random, plan_kind kind, const double from[3], uint32_t key,
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

static surface random_surface(test_random* random) {
    switch (random_below(random, 4)) {
        case 0: return surface_ball(4 + random_below(random, 12), 6 + random_below(random, 12), 1);
        case 1: return surface_sheet(2 + random_below(random, 14), 12, 2);
        case 2: return surface_soup(random, 10 + random_below(random, 200), 1, 0.4, 0.125);
        default: return surface_sheet(1, 1, 1);
    }
}

static void make_keys(test_random* random, plan_kind kind, const double times[KEYS_MOST],
                      double size, actor* a) {
    const size_t n = a->s.vertex_count;
    for (uint32_t k = 0; k < a->key_count; ++k) {
        a->xyz[k] = test_alloc(3 * n, sizeof(double));
        for (size_t i = 0; i < 3 * n; ++i) {
            a->xyz[k][i] = size * place(random, kind, &a->s.xyz[i - i % 3], k, i % 3);
        }
        a->keys[k] = (abut_key){times[k], abut_positions_f64(a->xyz[k], n)};
    }
    for (size_t i = 0; i < 3 * n; ++i) {
        a->s.xyz[i] *= size;
    }
}

static actor add_actor(world* w, test_random* random, plan_kind kind, uint32_t key_count,
                       const double times[KEYS_MOST], double size) {
    actor a = {.s = random_surface(random), .key_count = key_count};
    abut_shape_def def = abut_shape_def_default();
    abut_body_def body = abut_body_def_default();
    make_keys(random, kind, times, size, &a);
    def.block_triangles = 1 + random_below(random, 24);
    def.fan_out = 2 + random_below(random, 7);
    def.motion = key_count > 0 ? ABUT_MOTION_FLIGHT : ABUT_MOTION_FREE;
    def.keys = key_count > 0 ? a.keys : NULL;
    def.key_count = key_count;
    body.is_static = key_count == 0;
    a.id = world_add(w, &a.s, &def, &body);
    return a;
}

static void actor_free(actor* a) {
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

static void push(entries* e, abut__ref a, abut__ref b, bool overlap) {
    if (e->count == e->capacity) {
        e->capacity = 2 * e->capacity + 64;
        e->list = realloc(e->list, e->capacity * sizeof *e->list);
        assert_non_null(e->list);
    }
    e->list[e->count++] = (entry){a, b, overlap};
    e->leaves += overlap;
}

static int order(const void* x, const void* y) {
    const entry* a = x;
    const entry* b = y;
    const int by_b = (a->b > b->b) - (a->b < b->b);
    return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : by_b;
}

static void sort_entries(entries* e) {
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

static void grow(abut__box3* box, const float lo[3], const float hi[3]) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = lo[d] < box->lo[d] ? lo[d] : box->lo[d];
        box->hi[d] = hi[d] > box->hi[d] ? hi[d] : box->hi[d];
    }
}

static const abut__box3 empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void fill_view(view* v, int end, const double* xyz) {
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

// as the kernel that interpolates boxes has it
static float between(float before, float after, float part) {
    volatile float rest = 1 - part;
    volatile float first = before * rest;
    volatile float second = after * part;
    volatile float sum = first + second;
    return part <= 0 ? before : part >= 1 ? after : sum;
}

static void between_boxes(abut__box3* first, abut__box3* second, uint32_t count,
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
static view view_make(const world* w, const actor* a, double time, double from, double to) {
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

static void view_free(view* v) {
    for (int e = 0; e < 2; ++e) {
        free(v->node[e]);
        free(v->block[e]);
    }
}

static const abut__box3* box_of(const view* v, abut__ref ref, int end) {
    return abut__is_block(ref) ? &v->block[end][abut__block_of(ref)] : &v->node[end][ref];
}

static float gap_at(float first, float last, float part) {
    volatile float slope = last - first;
    volatile float way = slope * part;
    return first + way;
}

typedef struct traversal {
    view view[2];
    abut__shift shift;
    float part;
    bool self;
    entries* out;
} traversal;

static bool is_apart(const traversal* t, abut__ref a, abut__ref b) {
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

static void traverse(const traversal* t, abut__ref a, abut__ref b) {
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

static abut__job job_of(const pair_of* p, double margin) {
    abut_query_def def = abut_query_def_default();
    def.margin = margin;
    p->w->result->jobs.count = 0;
    REQUIRE_OK(abut__query_add_bodies(p->w->result, abut__scene_body(p->w->scene, p->a->id),
                                   abut__scene_body(p->w->scene, p->b->id), &def));
    return *p->w->result->jobs.data;
}

static void go(pair_of* p, double time, double margin, abut_counters* work) {
    const actor* actors[2] = {p->a, p->b};
    for (int i = 0; i < 2; ++i) {
        if (actors[i]->key_count > 0) {
            REQUIRE_OK(abut_body_set_time(p->w->scene, actors[i]->id, time, NULL));
        }
    }
    const abut__job job = job_of(p, margin);
    const bool rests[2] = {false, false};
    abut__list_side sides[2];
    REQUIRE(abut__list_fits(&job, rests, sides));
    REQUIRE(abut__list_go(p->list, &job, margin, sides, work));
}

static abut__ref child_of(const abut__list* list, const abut__opened* o, int side, uint32_t lane) {
    const abut__tree* tree = &list->side[side].body->shape->tree;
    return tree->nodes[o->node[side]].child[side == 0 ? lane / 8 : lane % 8];
}

static entries entries_of(const abut__list* list) {
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

// the leaf actions that a query gets
static void check_leaves(const pair_of* p, const entries* wanted, double margin) {
    const abut__job job = job_of(p, margin);
    abut__entries found = {0};
    REQUIRE(abut__list_leaves(p->list, &job, 7, &found));
    entries got = {0};
    for (size_t i = 0; i < found.count; ++i) {
        const abut__entry* e = found.data + i;
        REQUIRE(e->job == 7 && e->flags == ABUT__ENTRY_LISTED);
        if (e->b != ABUT__LINKS) {
            push(&got, e->a, e->b, true);
        } else {
            REQUIRE(job.self && abut__links_at(job.links, e->a) > 0);
        }
    }
    sort_entries(&got);
    REQUIRE(got.count == wanted->leaves);
    for (size_t i = 0, j = 0; i < wanted->count; ++i) {
        if (wanted->list[i].overlap) {
            REQUIRE(order(&wanted->list[i], &got.list[j]) == 0);
            ++j;
        }
    }
    free(got.list);
    abut__drop(p->w->context, &found);
}

static void check_list(const pair_of* p, double time, double margin) {
    const abut__list* list = p->list;
    entries wanted = {0};
    traversal t = {.view = {view_make(p->w, p->a, time, list->from, list->to),
                            view_make(p->w, p->b, time, list->from, list->to)},
                   .shift = list->shift,
                   .part = list->part,
                   .self = p->a == p->b,
                   .out = &wanted};
    traverse(&t, 0, 0);
    sort_entries(&wanted);
    entries got = entries_of(list);
    REQUIRE(got.count == wanted.count && got.leaves == wanted.leaves);
    for (size_t i = 0; i < got.count; ++i) {
        REQUIRE(order(&got.list[i], &wanted.list[i]) == 0 &&
                got.list[i].overlap == wanted.list[i].overlap);
    }
    check_leaves(p, &wanted, margin);
    free(got.list);
    free(wanted.list);
    view_free(&t.view[0]);
    view_free(&t.view[1]);
}

// ---- times

static double next_event(const abut__list* list) {
    float first = INFINITY;
    for (size_t i = 0; i < list->opened.count; ++i) {
        const abut__opened* o = list->opened.data + i;
        first = o->used && o->due < first ? o->due : first;
    }
    return first <= 1 && isfinite(list->to - list->from)
               ? list->from + (double)first * (list->to - list->from)
               : NAN;
}

static double next_time(test_random* random, const abut__list* list, double time, double first,
                        double last) {
    const double event = list->ready ? next_event(list) : NAN;
    const double kind = random_unit(random);
    if (kind < 0.4 && !isnan(event)) {  // just before the event, at it, or just after
        const double hair = 1e-7 * (list->to - list->from);
        return event + hair * random_between(random, -2, 2);
    }
    if (kind < 0.5) {
        return random_double(random, first - 1, last + 1);
    }
    if (kind < 0.6 && isfinite(list->to)) {
        return list->to;
    }
    if (kind < 0.65) {
        return time;
    }
    return time + (last - first) * random_double(random, 0, 0.05);
}

static void random_times(test_random* random, double times[KEYS_MOST]) {
    times[0] = random_double(random, -3, 3);
    for (uint32_t k = 1; k < KEYS_MOST; ++k) {
        times[k] = times[k - 1] + random_double(random, 0.2, 2);
    }
}

static world random_world(test_random* random) {
    static const abut_isa sets[] = {ABUT_ISA_BEST, ABUT_ISA_AVX2, ABUT_ISA_SCALAR};
    abut_context_def def = abut_context_def_default();
    abut_isa isa = sets[random_below(random, 3)];
    def.isa = abut__kernels_choose(&isa) != NULL ? isa : ABUT_ISA_SCALAR;
    return world_make(&def, NULL);
}

// some triangles go, and others come between vertices that are there
static void edit(test_random* random, const world* w, abut_body_id body) {
    const abut_shape* old = abut_body_shape(w->scene, body);
    const abut_mesh* mesh = abut_shape_mesh(old);
    const uint32_t count = (uint32_t)abut_mesh_triangle_count(mesh);
    const uint32_t first = random_below(random, count);
    uint32_t removed[3];
    uint32_t added[9];
    uint32_t gone = 0;
    for (uint32_t i = first; i < first + 3 && i < count; ++i) {
        if (abut_mesh_triangles(mesh)[3 * (size_t)i] != UINT32_MAX) {
            removed[gone++] = i;
        }
    }
    const uint32_t near = random_below(random, (uint32_t)abut_mesh_vertex_count(mesh));
    for (uint32_t c = 0; c < 9; ++c) {
        added[c] = (near + random_below(random, 4)) % (uint32_t)abut_mesh_vertex_count(mesh);
    }
    abut_shape_edit_def def = abut_shape_edit_default();
    def.removed_triangles = removed;
    def.removed_triangle_count = gone;
    def.added_triangles = added;
    def.added_triangle_count = 1 + random_below(random, 3);
    abut_shape* edited = NULL;
    REQUIRE_OK(abut_shape_edit(old, &def, &edited, NULL, NULL));
    REQUIRE_OK(abut_body_set_shape(w->scene, body, edited, (abut_positions){0}, NULL));
    abut_shape_destroy(edited);
}

typedef struct sums {
    uint64_t events;
    uint64_t parted;
    uint64_t leaves;
    uint64_t edits;
    double edit_often;  // how often a body is edited between two steps
} sums;

static void play(test_random* random, world* w, const actor* a, const actor* b,
                 abut__list_form form, const double times[KEYS_MOST], double margin, sums* all) {
    abut_counters work = {0};
    pair_of p = {w, a, b, abut__list_make(w->context, form)};
    double time = random_double(random, times[0] - 0.3, times[KEYS_MOST - 1]);
    for (uint32_t step = 0; step < 40; ++step) {
        where("%s, step %u, time %.17g", where_text(), step, time);
        go(&p, time, margin, &work);
        check_list(&p, time, margin);
        all->leaves += p.list->leaf_count;
        const actor* edited = random_chance(random, 0.5) ? a : b;
        if (random_chance(random, all->edit_often) && edited->key_count > 0) {
            edit(random, w, edited->id);
        }
        time = next_time(random, p.list, time, times[0], times[KEYS_MOST - 1]);
    }
    all->events += p.list->counts.events;
    all->parted += p.list->counts.parted;
    all->edits += p.list->counts.edits;
    REQUIRE(p.list->counts.met >= p.list->counts.parted);
    abut__list_free(p.list);
}

static sums play_all(uint64_t seed, uint32_t rounds, double edit_often) {
    test_random random = random_seed(seed);
    sums all = {.edit_often = edit_often};
    for (uint32_t round = 0; round < rounds; ++round) {
        world w = random_world(&random);
        double times[2][KEYS_MOST];
        random_times(&random, times[0]);
        random_times(&random, times[1]);
        const plan_kind kind = (plan_kind)(round % PLAN_KINDS);
        const double size = random_chance(&random, 0.5)
                                ? 1
                                : ldexp(1, random_between(&random, -60, 60));
        const bool same_times = random_chance(&random, 0.5);
        const uint32_t keys = random_chance(&random, 0.3) ? 0 : KEYS_MOST;
        actor a = add_actor(&w, &random, kind, KEYS_MOST, times[0], size);
        actor b = add_actor(&w, &random, random_chance(&random, 0.5) ? kind : PLAN_SMOOTH, keys,
                            times[same_times ? 0 : 1], size);
        const double margin = random_chance(&random, 0.2) ? 0.05 * size : 0;
        const abut__list_form form = round % 2 == 0 ? ABUT__LIST_BATCHED : ABUT__LIST_BY_EVENT;
        where("seed %u, round %u, kind %d, size %g", (uint32_t)seed, round, (int)kind, size);
        const actor* second = random_chance(&random, 0.3) ? &a : &b;
        play(&random, &w, &a, second, form, times[0], margin, &all);
        if (second == &b) {
            where("seed %u, round %u, turned round", (uint32_t)seed, round);
            play(&random, &w, &b, &a, form, times[0], margin, &all);
        }
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
    }
    return all;
}

static void test_lists_are_those_of_a_fresh_traversal(void** state) {
    (void)state;
    const sums all = play_all(61, effort(60, 300, 6000), 0);
    assert_true(all.events > 1000 && all.parted > 1000 && all.leaves > 1000);
}

// the list of an edited shape is one that went on, and still that of a fresh traversal
static void test_lists_follow_edits(void** state) {
    (void)state;
    const sums all = play_all(65, effort(60, 300, 6000), 0.3);
    where("%llu lists followed", (unsigned long long)all.edits);
    REQUIRE(all.edits > effort(100, 500, 10000));
}

// ---- against least boxes

// a body of a scene, its frames from `first` on as keys
static actor add_scene_body(world* w, const scene* from, uint32_t body, uint32_t first) {
    const scene_body* b = scene_get_body(from, body);
    actor a = {.s = surface_make(b->vertex_count, b->triangle_count),
               .key_count = b->moves ? KEYS_MOST : 0};
    memcpy(a.s.triangles, b->triangles, 3 * sizeof(uint32_t) * (size_t)b->triangle_count);
    scene_positions(from, body, first, a.s.xyz);
    for (uint32_t k = 0; k < a.key_count; ++k) {
        a.xyz[k] = test_alloc(3 * (size_t)b->vertex_count, sizeof(double));
        scene_positions(from, body, first + k, a.xyz[k]);
        a.keys[k] = (abut_key){k, abut_positions_f64(a.xyz[k], b->vertex_count)};
    }
    abut_shape_def def = abut_shape_def_default();
    abut_body_def body_def = abut_body_def_default();
    def.motion = a.key_count > 0 ? ABUT_MOTION_FLIGHT : ABUT_MOTION_FREE;
    def.keys = a.key_count > 0 ? a.keys : NULL;
    def.key_count = a.key_count;
    body_def.is_static = a.key_count == 0;
    a.id = world_add(w, &a.s, &def, &body_def);
    return a;
}

// least boxes of the present
static view view_now(const world* w, const actor* a) {
    view v = {.tree = &abut__scene_body(w->scene, a->id)->shape->tree};
    double* xyz = test_alloc(3 * (size_t)a->s.vertex_count, sizeof(double));
    for (uint32_t i = 0; i < a->s.vertex_count; ++i) {
        REQUIRE_OK(abut_body_vertex(w->scene, a->id, i, &xyz[3 * (size_t)i]));
    }
    fill_view(&v, 0, xyz);
    fill_view(&v, 1, xyz);
    free(xyz);
    return v;
}

// Every pair of blocks that overlap is in the list; of those in the list only these do; and it has
// hardly more entries than a traversal by least boxes ends with.
static void check_superset(const pair_of* p, size_t counts[2]) {
    entries least = {0};
    traversal t = {
        .view = {view_now(p->w, p->a), view_now(p->w, p->b)}, .self = p->a == p->b, .out = &least};
    traverse(&t, 0, 0);
    entries got = entries_of(p->list);
    size_t leaves = 0;
    for (size_t i = 0; i < got.count; ++i) {
        const entry* e = &got.list[i];
        const bool same = t.self && e->a == e->b;
        leaves += e->overlap && (same || !is_apart(&t, e->a, e->b));
    }
    REQUIRE(leaves == least.leaves && least.leaves <= got.leaves);
    counts[0] += got.count;
    counts[1] += least.count;
    free(least.list);
    free(got.list);
    view_free(&t.view[0]);
    view_free(&t.view[1]);
}

static void test_lists_are_hardly_longer_than_by_least_boxes(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
        uint32_t first;
    } films[] = {{"tablecloth", 2000, 6}, {"tablecloth", 2000, 25}, {"dress", 8000, 2}};
    for (int f = 0; f < 3; ++f) {
        scene* from = scene_create(films[f].name, films[f].triangles, 0, 1);
        world w = world_make(NULL, NULL);
        actor a = add_scene_body(&w, from, 0, films[f].first);
        actor b = add_scene_body(&w, from, 1, films[f].first);
        for (int self = 0; self < 2; ++self) {
            for (int form = 0; form < 2; ++form) {
                size_t counts[2] = {0, 0};
                abut_counters work = {0};
                pair_of p = {&w, &a, self == 1 ? &a : &b,
                             abut__list_make(w.context, (abut__list_form)form)};
                for (uint32_t step = 0; step <= 20; ++step) {
                    where("%s, %s, form %d, step %u", films[f].name, self == 1 ? "self" : "both",
                          form, step);
                    go(&p, (KEYS_MOST - 1) * step / 20.0, 0, &work);
                    check_superset(&p, counts);
                }
                where("%s, %s: %zu entries, %zu by least boxes", films[f].name,
                      self == 1 ? "self" : "both", counts[0], counts[1]);
                REQUIRE((double)counts[0] <= 1.15 * (double)counts[1]);
                abut__list_free(p.list);
            }
        }
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
        scene_destroy(from);
    }
}

// both forms, going the same way, have the same list and look at the same pairs
static void test_both_forms_agree(void** state) {
    (void)state;
    test_random random = random_seed(62);
    for (uint32_t round = 0; round < effort(10, 50, 1000); ++round) {
        world w = random_world(&random);
        double times[KEYS_MOST];
        random_times(&random, times);
        actor a = add_actor(&w, &random, (plan_kind)(round % 3), KEYS_MOST, times, 1);
        actor b = add_actor(&w, &random, PLAN_SMOOTH, KEYS_MOST, times, 1);
        pair_of p[2];
        abut_counters work = {0};
        for (int f = 0; f < 2; ++f) {
            p[f] = (pair_of){&w, &a, &b, abut__list_make(w.context, (abut__list_form)f)};
        }
        for (uint32_t step = 0; step <= 200; ++step) {
            const double time = times[0] + (times[KEYS_MOST - 1] - times[0]) * step / 200;
            where("seed 62, round %u, step %u", round, step);
            go(&p[0], time, 0, &work);
            go(&p[1], time, 0, &work);
            entries e[2] = {entries_of(p[0].list), entries_of(p[1].list)};
            REQUIRE(e[0].count == e[1].count);
            for (size_t i = 0; i < e[0].count; ++i) {
                REQUIRE(order(&e[0].list[i], &e[1].list[i]) == 0 &&
                        e[0].list[i].overlap == e[1].list[i].overlap);
            }
            free(e[0].list);
            free(e[1].list);
        }
        REQUIRE(p[0].list->counts.met == p[1].list->counts.met);
        REQUIRE(p[0].list->counts.windows == p[1].list->counts.windows);
        abut__list_free(p[0].list);
        abut__list_free(p[1].list);
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
    }
}

// nothing that moves alike, or not at all, makes an event; a step without events looks at no box
static void test_translations_make_no_event(void** state) {
    (void)state;
    test_random random = random_seed(63);
    for (uint32_t round = 0; round < effort(20, 60, 1000); ++round) {
        world w = random_world(&random);
        double times[KEYS_MOST];
        random_times(&random, times);
        const plan_kind kind = round % 2 == 0 ? PLAN_SHIFT : PLAN_STILL;
        actor a = add_actor(&w, &random, kind, 2, times, 1);
        actor b = add_actor(&w, &random, kind, 2, times, 1);
        for (int i = 0; i < 2; ++i) {
            abut_counters work = {0};
            pair_of p = {&w, &a, i == 0 ? &a : &b,
                         abut__list_make(w.context, (abut__list_form)(round / 2 % 2))};
            where("seed 63, round %u", round);
            go(&p, times[0], 0, &work);
            const abut_counters first = work;
            for (uint32_t step = 1; step < 50; ++step) {
                const double time = times[0] + (times[1] - times[0]) * step / 50;
                go(&p, time, 0, &work);
                check_list(&p, time, 0);
            }
            REQUIRE(p.list->counts.events == 0 && p.list->counts.windows == 1);
            REQUIRE(memcmp(&first, &work, sizeof work) == 0);
            abut__list_free(p.list);
        }
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
    }
}

// ---- plans: boxes as the body has them now, not as the list knew them

static void copy_boxes(view* v, int end, const abut__boxes8* boxes) {
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

static void check_against(const pair_of* p, const abut__list_side* moving, const actor* still) {
    const abut__list* list = p->list;
    entries wanted = {0};
    traversal t = {.shift = list->shift, .part = list->part, .out = &wanted};
    REQUIRE(list->from == moving->segment.from && list->to == moving->segment.to);
    t.view[0].tree = &moving->body->shape->tree;
    copy_boxes(&t.view[0], 0, moving->segment.boxes[0]);
    copy_boxes(&t.view[0], 1, moving->segment.boxes[1]);
    t.view[1] = view_make(p->w, still, 0, 0, 0);
    traverse(&t, 0, 0);
    sort_entries(&wanted);
    entries got = entries_of(list);
    REQUIRE(got.count == wanted.count && got.leaves == wanted.leaves);
    for (size_t i = 0; i < got.count; ++i) {
        REQUIRE(order(&got.list[i], &wanted.list[i]) == 0 &&
                got.list[i].overlap == wanted.list[i].overlap);
    }
    free(got.list);
    free(wanted.list);
    view_free(&t.view[0]);
    view_free(&t.view[1]);
}

static void give_plans(test_random* random, world* w, const actor* a, double time, bool all) {
    uint32_t* vertices = test_alloc(a->s.vertex_count, sizeof *vertices);
    double* uvw = test_alloc(3 * (size_t)a->s.vertex_count, sizeof *uvw);
    uint32_t count = 0;
    const double part = random_chance(random, 0.7) ? 0.03 : 0.6;
    for (uint32_t v = 0; v < a->s.vertex_count; ++v) {
        if (all || random_chance(random, part)) {
            for (size_t d = 0; d < 3; ++d) {
                uvw[3 * (size_t)count + d] = coarse(random_double(random, -0.5, 0.5));
            }
            vertices[count++] = v;
        }
    }
    const abut_plans plans = {.time = time,
                              .vertices = all ? NULL : vertices,
                              .vertex_count = all ? 0 : count,
                              .velocities = abut_positions_f64(uvw, count)};
    if (count > 0) {
        REQUIRE_OK(abut_body_set_plans(w->scene, a->id, &plans, NULL));
    }
    free(vertices);
    free(uvw);
}

static void test_lists_follow_plans(void** state) {
    (void)state;
    test_random random = random_seed(64);
    uint64_t mended = 0;
    for (uint32_t round = 0; round < effort(20, 100, 2000); ++round) {
        world w = random_world(&random);
        double times[KEYS_MOST] = {0};
        actor a = add_actor(&w, &random, PLAN_ANY, 0, times, 1);
        actor b = add_actor(&w, &random, PLAN_ANY, 0, times, 1);
        abut_shape_def def = abut_shape_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.block_triangles = 1 + random_below(&random, 12);
        a.id = world_add(&w, &a.s, &def, NULL);
        a.key_count = 0;
        pair_of p = {&w, &a, &b, abut__list_make(w.context, (abut__list_form)(round % 2))};
        abut_counters work = {0};
        double time = 0;
        give_plans(&random, &w, &a, 0, true);
        for (uint32_t s = 0; s < 80; ++s) {
            where("seed 64, round %u, step %u", round, s);
            const double kind = random_unit(&random);
            time += kind < 0.05 ? random_double(&random, -3, 3) : kind < 0.1 ? -0.02 : 0.02;
            if (kind < 0.9) {
                REQUIRE_OK(abut_body_set_time(w.scene, a.id, time, NULL));
            }
            while (random_chance(&random, 0.3)) {
                give_plans(&random, &w, &a, time, random_chance(&random, 0.1));
            }
            const abut__job job = job_of(&p, 0);
            const bool rests[2] = {false, false};
            abut__list_side sides[2];
            REQUIRE(abut__list_fits(&job, rests, sides));
            REQUIRE(abut__list_go(p.list, &job, 0, sides, &work));
            check_against(&p, &sides[0], &b);
        }
        mended += p.list->counts.mended;
        abut__list_free(p.list);
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
    }
    where("%llu lists mended", (unsigned long long)mended);
    REQUIRE(mended > effort(10, 100, 2000));
}

// ---- the kernel

static float random_side(test_random* random) {
    return (float)(random_chance(random, 0.5) ? random_dyadic(random, 1, 0.125)
                                              : random_double(random, -1, 1));
}

static void random_boxes(test_random* random, abut__boxes8* boxes) {
    for (int d = 0; d < 3; ++d) {
        for (int k = 0; k < ABUT__FAN; ++k) {
            const float x = random_side(random);
            boxes->lo[d][k] = x;
            boxes->hi[d][k] = x + (random_chance(random, 0.3) ? 0 : fabsf(random_side(random)));
        }
    }
}

// Up to the time that it names nothing changes, not even a hair before it; all sets give the same.
static void test_nothing_changes_before_it_is_due(void** state) {
    (void)state;
    test_random random = random_seed(65);
    abut_isa sets[3] = {ABUT_ISA_SCALAR, ABUT_ISA_AVX2, ABUT_ISA_AVX512};
    uint32_t soon = 0;
    uint32_t changes = 0;
    for (uint32_t round = 0; round < effort(3000, 30000, 1000000); ++round) {
        abut__boxes8 boxes[4];
        const abut__boxes8* ends[2][2] = {{&boxes[0], &boxes[1]}, {&boxes[2], &boxes[3]}};
        for (int i = 0; i < 4; ++i) {
            random_boxes(&random, &boxes[i]);
        }
        const float pad = 1e-5f * (float)random_below(&random, 2);
        const abut__shift shift = {{-pad, -pad, -pad}, {pad, pad, pad}};
        const uint64_t valid = random_chance(&random, 0.3)
                                   ? UINT64_C(0x0101010101010101) << random_below(&random, 8)
                                   : random_bits(&random);
        float part = (float)random_unit(&random) * (float)random_below(&random, 2);
        for (uint32_t jump = 0; jump < 12 && part <= 1; ++jump) {
            float due[3];
            uint64_t lanes[3] = {0, 0, 0};
            where("seed 65, round %u, part %.9g", round, (double)part);
            for (int i = 0; i < 3; ++i) {
                abut_isa isa = sets[i];
                const abut__kernels* kernels = abut__kernels_choose(&isa);
                due[i] = due[0];
                lanes[i] = kernels != NULL
                               ? kernels->list_pairs(ends[0], ends[1], &shift, valid, part, &due[i])
                               : lanes[0];
                REQUIRE(lanes[i] == lanes[0] && due[i] == due[0]);
            }
            abut_isa isa = ABUT_ISA_BEST;
            const abut__kernels* best = abut__kernels_choose(&isa);
            const float last = due[0] < 1 ? nextafterf(due[0], -1) : 1;
            for (uint32_t k = 0; k < 4 && last > part; ++k) {
                const float x = k == 0 ? last : part + (last - part) * (float)random_unit(&random);
                float later;
                REQUIRE(best->list_pairs(ends[0], ends[1], &shift, valid, x, &later) == lanes[0]);
            }
            if (due[0] > part && due[0] < 0.99f) {  // and soon after it does change
                float later;
                changes += best->list_pairs(ends[0], ends[1], &shift, valid, due[0] + 0x1p-20f,
                                            &later) != lanes[0];
                ++soon;
            }
            part = due[0] > part ? due[0] : nextafterf(part, 2);
        }
    }
    assert_true(soon > 1000 && changes > soon - soon / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_those_of_a_fresh_traversal),
        cmocka_unit_test(test_lists_follow_edits),
        cmocka_unit_test(test_lists_are_hardly_longer_than_by_least_boxes),
        cmocka_unit_test(test_both_forms_agree),
        cmocka_unit_test(test_translations_make_no_event),
        cmocka_unit_test(test_lists_follow_plans),
        cmocka_unit_test(test_nothing_changes_before_it_is_due),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
