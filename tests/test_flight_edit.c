// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Triangles and vertices are added and removed while a flight body moves. Boxes, kinetic trees,
// BoxTrees and separation lists continue at the cost of the change. At every time they are as
// correct as those of a new shape.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "body/body.h"
#include "bound/kinetic/boxtree.h"
#include "motion/flight.h"
#include "motion/plans.h"
#include "scene/scene.h"
#include "support/memory.h"
#include "support/world.h"
#include "body/kinetic_stats.h"

#define KEYS 3
#define REMOVED_MOST 6u
#define ADDED_MOST 6u
#define VERTICES_MOST 3u

// ---- a surface that is torn and patched

typedef struct patchwork {
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t alive;
    uint32_t vertex_room;
    uint32_t triangle_room;
    double* xyz;
    double* key_xyz[KEYS];
    uint32_t* triangles;
    abut_keyframe keys[KEYS];
    uint32_t key_count;  // 0: vertices rest or have plans
    abut_shape* shape;
    abut_body_id body;
} patchwork;

static double key_value(test_random* random, double x, uint32_t k, bool coarse) {
    const double y = x + 0.2 * sin(3 * x + k) + random_double(random, -0.2, 0.2);
    return coarse ? 0.25 * nearbyint(4 * y) : y;
}

static void view_keys(patchwork* p) {
    for (uint32_t k = 0; k < p->key_count; ++k) {
        p->keys[k] = (abut_keyframe){k, abut_positions_f64(p->key_xyz[k], p->vertex_count)};
    }
}

static patchwork patchwork_make(test_random* random, const surface* s, uint32_t edits,
                                uint32_t key_count, bool coarse) {
    patchwork p = {.vertex_count = s->vertex_count,
                   .triangle_count = s->triangle_count,
                   .alive = s->triangle_count,
                   .vertex_room = s->vertex_count + edits * VERTICES_MOST,
                   .triangle_room = s->triangle_count + edits * ADDED_MOST,
                   .key_count = key_count};
    p.xyz = test_alloc(3 * (size_t)p.vertex_room, sizeof(double));
    p.triangles = test_alloc(3 * (size_t)p.triangle_room, sizeof(uint32_t));
    memcpy(p.xyz, s->xyz, 3 * sizeof(double) * (size_t)s->vertex_count);
    memcpy(p.triangles, s->triangles, 3 * sizeof(uint32_t) * (size_t)s->triangle_count);
    for (uint32_t k = 0; k < KEYS; ++k) {
        p.key_xyz[k] = test_alloc(3 * (size_t)p.vertex_room, sizeof(double));
        for (size_t i = 0; i < 3 * (size_t)p.vertex_count; ++i) {
            p.key_xyz[k][i] = key_value(random, p.xyz[i], k, coarse);
        }
    }
    view_keys(&p);
    return p;
}

static void patchwork_free(patchwork* p) {
    abut_shape_destroy(p->shape);
    for (uint32_t k = 0; k < KEYS; ++k) {
        free(p->key_xyz[k]);
    }
    free(p->xyz);
    free(p->triangles);
}

static void patchwork_add(patchwork* p, const world* w, const surface* s, motion_def def) {
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = p->key_count > 0 ? p->keys : NULL;
    def.keyframe_count = p->key_count;
    p->shape = world_shape(w, s, &def);
    REQUIRE_OK(abut_body_create(w->scene, p->shape, NULL, &p->body, NULL));
}

static bool is_alive(const patchwork* p, uint32_t triangle) {
    return p->triangles[3 * (size_t)triangle] != UINT32_MAX;
}

// An edit at one place of the surface.
typedef struct tear {
    motion_edit_def def;
    uint32_t removed[REMOVED_MOST];
    uint32_t changed;  // triangles removed or added
} tear;

static void remove_some(test_random* random, patchwork* p, uint32_t near, uint32_t end, tear* t) {
    const uint32_t count = random_below(random, REMOVED_MOST + 1);
    uint32_t n = 0;
    for (uint32_t i = near; i < end && n < count && p->alive > 4; ++i) {
        if (is_alive(p, i)) {
            t->removed[n++] = i;
            memset(&p->triangles[3 * (size_t)i], 0xff, 3 * sizeof(uint32_t));
            --p->alive;
        }
    }
    t->def.removed_triangles = t->removed;
    t->def.removed_triangle_count = n;
}

static void add_vertices(test_random* random, patchwork* p, uint32_t near, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const size_t v = 3 * (size_t)p->vertex_count++;
        for (size_t d = 0; d < 3; ++d) {
            const double off = random_double(random, -0.05, 0.05);
            p->xyz[v + d] = p->xyz[3 * (size_t)near + d] + off;
            for (uint32_t k = 0; k < KEYS; ++k) {
                p->key_xyz[k][v + d] = p->key_xyz[k][3 * (size_t)near + d] + off;
            }
        }
    }
}

// adds triangles of new vertices, and of those of an old triangle
static void add_some(test_random* random, patchwork* p, const uint32_t corner[3], uint32_t fresh,
                     tear* t) {
    const uint32_t first = p->triangle_count;
    const uint32_t count = random_below(random, ADDED_MOST + 1);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t* to = &p->triangles[3 * (size_t)p->triangle_count++];
        for (uint32_t c = 0; c < 3; ++c) {
            const uint32_t choice = random_below(random, 3 + fresh);
            to[c] = choice < 3 ? corner[choice] : p->vertex_count - 1 - (choice - 3);
        }
        ++p->alive;
    }
    t->def.added_triangles = &p->triangles[3 * (size_t)first];
    t->def.added_triangle_count = count;
}

static void tear_make(test_random* random, patchwork* p, tear* t) {
    const uint32_t triangles = p->triangle_count;
    t->def = motion_edit_def_default();
    uint32_t near = random_below(random, p->triangle_count);
    while (!is_alive(p, near)) {
        near = (near + 1) % p->triangle_count;
    }
    const uint32_t old = p->vertex_count;
    uint32_t corner[3];
    memcpy(corner, &p->triangles[3 * (size_t)near], sizeof corner);
    const uint32_t fresh = random_below(random, VERTICES_MOST + 1);
    add_vertices(random, p, corner[0], fresh);
    add_some(random, p, corner, fresh, t);
    remove_some(random, p, near, triangles, t);
    if (fresh > 0) {
        t->def.added_vertices = abut_positions_f64(&p->xyz[3 * (size_t)old], fresh);
    }
    view_keys(p);
    if (p->key_count > 0 && (fresh > 0 || random_chance(random, 0.3))) {
        t->def.keyframes = p->keys;
        t->def.keyframe_count = p->key_count;
    }
    t->changed = (uint32_t)(t->def.removed_triangle_count + t->def.added_triangle_count);
}

// copies the keyframes to other memory: the library has to find that they are equal
static void move_keys(patchwork* p, double* left[KEYS]) {
    for (uint32_t k = 0; k < KEYS; ++k) {
        left[k] = p->key_xyz[k];
        p->key_xyz[k] = test_alloc(3 * (size_t)p->vertex_room, sizeof(double));
        memcpy(p->key_xyz[k], left[k], 3 * (size_t)p->vertex_count * sizeof(double));
    }
    view_keys(p);
}

static void edit_shape(patchwork* p, const motion_edit_def* def, abut_edit_work* work) {
    abut_shape* edited = NULL;
    abut_error error = {0};
    if (motion_edit(p->shape, def, &edited, work, &error) != ABUT_OK) {
        print_error("%s; %s\n", error.message, where_text());
        fail();
    }
    abut_shape_destroy(p->shape);
    p->shape = edited;
}

static void switch_shape(patchwork* p, const world* w) {
    REQUIRE_OK(abut_body_set_shape(w->scene, p->body, p->shape, (abut_positions){0}, NULL));
}

// ---- requirements on every state

static const abut__flight_state* state_of(const world* w, abut_body_id id) {
    return abut__flight_state_of(abut__body_state(abut__scene_body(w->scene, id), 1));
}

static void require_same_boxes(const abut__tree* tree, const abut__refit_boxes* got,
                               const abut__refit_boxes* wanted) {
    REQUIRE(got->extent == wanted->extent);
    for (int d = 0; d < 3; ++d) {
        REQUIRE(got->root.lo[d] == wanted->root.lo[d] && got->root.hi[d] == wanted->root.hi[d]);
    }
    for (uint32_t n = 0; n < tree->node_count; ++n) {
        for (int i = 0; i < 3 * ABUT__FAN;
             ++i) {  // -0 equals 0, and lanes without a child are empty
            REQUIRE(got->boxes[n].lo[i / ABUT__FAN][i % ABUT__FAN] ==
                    wanted->boxes[n].lo[i / ABUT__FAN][i % ABUT__FAN]);
            REQUIRE(got->boxes[n].hi[i / ABUT__FAN][i % ABUT__FAN] ==
                    wanted->boxes[n].hi[i / ABUT__FAN][i % ABUT__FAN]);
        }
    }
}

// the boxes at both ends are those of a refit
static void check_ends(const world* w, abut_body_id id) {
    const abut__flight_state* own = state_of(w, id);
    const abut__tree* tree = &abut__scene_body(w->scene, id)->shape->tree;
    abut__refit_boxes wanted = {0};
    memset(&wanted, 0, sizeof wanted);
    wanted.boxes = abut__alloc(w->context, tree->node_count, sizeof *wanted.boxes);
    for (int e = 0; e < 2; ++e) {
        abut__refit(w->context, tree, NULL, own->source[e], (abut__beside){0}, &wanted);
        require_same_boxes(tree, &own->ends[e]->refit, &wanted);
    }
    abut__free(w->context, wanted.boxes, tree->node_count, sizeof *wanted.boxes);
}

typedef struct exact_box {
    double lo[3];
    double hi[3];
} exact_box;

static void grow(exact_box* box, const exact_box* other) {
    for (int d = 0; d < 3; ++d) {
        box->lo[d] = fmin(box->lo[d], other->lo[d]);
        box->hi[d] = fmax(box->hi[d], other->hi[d]);
    }
}

static exact_box exact_of(const abut__body* body, abut__ref ref) {
    const abut__tree* tree = &body->shape->tree;
    exact_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const bool is_block = abut__is_block(ref);
    const abut__block* block = is_block ? tree->blocks[abut__block_of(ref)] : NULL;
    const uint32_t count = is_block ? block->vertex_count : tree->nodes[ref].count;
    for (uint32_t i = 0; i < count; ++i) {
        exact_box one;
        if (is_block) {
            abut__body_vertex(body, block->vertex[i], 1, one.lo);
            memcpy(one.hi, one.lo, sizeof one.hi);
        } else {
            one = exact_of(body, tree->nodes[ref].child[i]);
        }
        grow(&box, &one);
    }
    return box;
}

// a box of a kinetic tree contains its vertices, and no side is farther out than twice its pad
static void check_tight(const abut__body* body, abut__ref ref, double pad) {
    const abut__box3 box = abut__body_ref_box(body, ref, 1);
    const exact_box exact = exact_of(body, ref);
    for (int d = 0; d < 3; ++d) {
        REQUIRE((double)box.lo[d] <= exact.lo[d] && (double)box.hi[d] >= exact.hi[d]);
        REQUIRE((double)box.lo[d] >= exact.lo[d] - 2 * pad);
        REQUIRE((double)box.hi[d] <= exact.hi[d] + 2 * pad);
    }
}

static exact_box exact_below(const abut__body* body, const abut__boxtree* boxtree, abut__ref ref) {
    if (abut__is_block(ref)) {
        return exact_of(body, ref);
    }
    exact_box box = exact_below(body, boxtree, boxtree->splits[ref].child[0]);
    const exact_box other = exact_below(body, boxtree, boxtree->splits[ref].child[1]);
    grow(&box, &other);
    return box;
}

// every plane of a BoxTree touches the vertices below it, up to their common motion
static void check_planes(const abut__body* body, const abut__flight_state* own, double pad) {
    const abut__boxtree* boxtree = own->boxtree;
    REQUIRE(boxtree->split_count + 1 == boxtree->block_count);
    for (uint32_t s = 0; s < boxtree->split_count; ++s) {
        const abut__boxtree_split* split = &boxtree->splits[s];
        const exact_box below[2] = {exact_below(body, boxtree, split->child[0]),
                                    exact_below(body, boxtree, split->child[1])};
        const double shift = (double)own->shift[split->axis];
        const double ends[2] = {abut__line_at(split->plane[0].line, boxtree->part) + shift,
                                shift - abut__line_at(split->plane[1].line, boxtree->part)};
        REQUIRE(fabs(ends[0] - below[0].hi[split->axis]) <= pad);
        REQUIRE(fabs(ends[1] - below[1].lo[split->axis]) <= pad);
    }
}

static void check_bounds(const world* w, abut_body_id id) {
    const abut__body* body = abut__scene_body(w->scene, id);
    const abut__flight_state* own = state_of(w, id);
    const abut__tree* tree = &body->shape->tree;
    const double pad = (double)own->tight_pad;
    world_validate(w, id);
    if (!abut__whole_is_here(own->whole)) {
        check_ends(w, id);
    }
    for (uint32_t b = 0; b < tree->block_count && own->tight; ++b) {
        check_tight(body, b | ABUT__REF_BLOCK, pad);
    }
    for (uint32_t n = 0; n < tree->node_count && own->tight; ++n) {
        check_tight(body, n, pad);
    }
    if (own->parted) {
        check_planes(body, own, pad);
    }
}

// the positions of the first `count` vertices
static double* vertices_of(const world* w, const patchwork* p, uint32_t count) {
    double* all = test_alloc(3 * (size_t)count, sizeof(double));
    for (uint32_t v = 0; v < count; ++v) {
        REQUIRE_OK(abut_body_vertex(w->scene, p->body, v, &all[3 * (size_t)v], NULL));
    }
    return all;
}

// a body without plans is where its keyframes say
static void check_by_keys(const world* w, const patchwork* p, double time) {
    const double at = fmin(fmax(time, 0), KEYS - 1);
    const uint32_t k = at < KEYS - 1 ? (uint32_t)at : KEYS - 2;
    for (uint32_t v = 0; v < p->vertex_count; ++v) {
        double got[3];
        REQUIRE_OK(abut_body_vertex(w->scene, p->body, v, got, NULL));
        for (size_t d = 0; d < 3; ++d) {
            const double a = p->key_xyz[k][3 * (size_t)v + d];
            const double b = p->key_xyz[k + 1][3 * (size_t)v + d];
            REQUIRE(fabs(got[d] - (a + (at - k) * (b - a))) <= 1e-12);
        }
    }
}

// ---- random edits and motions

static surface random_surface(test_random* random) {
    switch (random_below(random, 3)) {
        case 0: return surface_ball(8 + random_below(random, 5), 10, 1);
        case 1: return surface_sheet(9, 8 + random_below(random, 4), 2);
        default: return surface_soup(random, 100 + random_below(random, 60), 1, 0.4, 0.125);
    }
}

static void give_plans(test_random* random, const world* w, const patchwork* p, double time,
                       bool all) {
    uint32_t* list = test_alloc(p->vertex_count, sizeof *list);
    double* uvw = test_alloc(3 * (size_t)p->vertex_count, sizeof *uvw);
    uint32_t count = 0;
    for (uint32_t v = 0; v < p->vertex_count; ++v) {
        if (all || random_chance(random, 0.05)) {
            for (size_t d = 0; d < 3; ++d) {
                uvw[3 * (size_t)count + d] = random_double(random, -0.3, 0.3);
            }
            list[count++] = v;
        }
    }
    abut_plans_def plans = {.time = time,
                            .vertices = all ? NULL : list,
                            .vertex_count = all ? 0 : count,
                            .velocities = abut_positions_f64(uvw, count)};
    if (all && random_chance(random, 0.3)) {
        plans.acceleration[1] = -0.3;
    }
    if (count > 0) {
        REQUIRE_OK(plans_set(w->scene, p->body, &plans, NULL));
    }
    free(list);
    free(uvw);
}

typedef struct play {
    world w;
    patchwork p;
    abut_body_id other;
    abut_front* front[2];  // between both bodies, and within the first
    double time;
    bool planned;
} play;

static play play_make(test_random* random, uint32_t round, uint32_t edits) {
    static const int bounds[] = {ABUT_FLIGHT_BOUND_KINETIC, ABUT_FLIGHT_BOUND_BOXTREE,
                                 ABUT_FLIGHT_BOUND_LINEAR, MOTION_BOUND_AUTO};
    play y = {.w = world_make(NULL, NULL)};
    surface s = random_surface(random);
    surface t = surface_sheet(5, 5, 3);
    surface_shift(&t, -1, -1, 0.1);
    y.p = patchwork_make(random, &s, edits, random_chance(random, 0.7) ? KEYS : 0,
                         random_chance(random, 0.3));
    motion_def def = motion_def_default();
    def.bound = bounds[round % 4];
    def.block_triangles = 1 + random_below(random, random_chance(random, 0.5) ? 4 : 12);
    def.fan_out = 2 + random_below(random, 7);
    patchwork_add(&y.p, &y.w, &s, def);
    y.other = world_add(&y.w, &t, NULL, NULL);
    for (int f = 0; f < 2; ++f) {
        REQUIRE_OK(abut_front_create(y.w.context, &y.front[f], NULL));
    }
    surface_free(&s);
    surface_free(&t);
    return y;
}

static void play_free(play* y) {
    abut_front_destroy(y->front[0]);
    abut_front_destroy(y->front[1]);
    patchwork_free(&y->p);
    world_free(&y->w);
}

static void play_on(test_random* random, play* y) {
    const double kind = random_unit(random);
    y->time = kind < 0.1    ? random_double(random, -0.2, 2.2)
              : kind < 0.2  ? random_below(random, KEYS)
              : kind < 0.25 ? y->time - 0.05
                            : y->time + random_double(random, 0, 0.1);
    if (y->time > 2.3) {
        y->time = random_unit(random);
    }
    REQUIRE_OK(abut_body_set_time(y->w.scene, y->p.body, y->time, NULL));
    if (random_chance(random, y->p.key_count > 0 ? 0.05 : 0.2)) {
        give_plans(random, &y->w, &y->p, y->time, !y->planned && random_chance(random, 0.7));
        y->planned = true;
    }
}

static size_t play_check(const play* y) {
    abut_collide_def query = abut_collide_def_default();
    check_bounds(&y->w, y->p.body);
    if (y->p.key_count > 0 && !y->planned) {
        check_by_keys(&y->w, &y->p, y->time);
    }
    query.front = y->front[0];
    size_t hits = check_between(&y->w, y->p.body, y->other, &query);
    query.front = y->front[1];
    hits += check_self(&y->w, y->p.body, &query);
    return hits;
}

// Counts of edits: all, those that left nodes unchanged, and bodies that continued with their
// trees, by keyframes or by plans.
typedef struct played {
    uint32_t edits;
    uint32_t shared;
    uint32_t kinetic[2];
    uint32_t boxtree[2];
} played;

static void note_trees(const play* y, const abut__kinetic_counts* before, played* all) {
    const abut__flight_state* own = state_of(&y->w, y->p.body);
    const int by = own->plans != NULL ? 1 : 0;
    if (own->tight && own->kinetic->counts.starts == before[0].starts && before[0].starts > 0) {
        ++all->kinetic[by];
    }
    if (own->parted && own->boxtree->counts.starts == before[1].starts && before[1].starts > 0) {
        ++all->boxtree[by];
    }
}

// one edit, or two before the body gets the new shape
static void play_edit(test_random* random, play* y, played* all) {
    const abut__flight_state* own = state_of(&y->w, y->p.body);
    abut__kinetic_counts counts[2] = {{0}, {0}};
    if (own->kinetic != NULL) {
        counts[0] = own->kinetic->counts;
    }
    if (own->boxtree != NULL) {
        counts[1] = own->boxtree->counts;
    }
    const uint32_t count = y->p.vertex_count;
    double* before = vertices_of(&y->w, &y->p, count);
    double* left[KEYS] = {NULL};
    if (random_chance(random, 0.3)) {
        move_keys(&y->p, left);
    }
    const bool twice = random_chance(random, 0.3);
    const bool at_once = random_chance(random, 0.3);
    for (uint32_t i = 0; i < (twice ? 2 : 1); ++i) {
        tear t;
        tear_make(random, &y->p, &t);
        if (left[0] != NULL && y->p.key_count > 0) {
            t.def.keyframes = y->p.keys;
            t.def.keyframe_count = y->p.key_count;
        }
        t.def.rebuild = random_chance(random, 0.05);
        abut_edit_work work;
        edit_shape(&y->p, &t.def, &work);
        abut_tree_info stats;
        REQUIRE_OK(abut_shape_inspect(y->p.shape, &stats, NULL));
        REQUIRE(work.nodes_reused + work.nodes_built == stats.nodes);
        REQUIRE(work.blocks_reused + work.blocks_built == stats.blocks);
        REQUIRE_OK(abut_shape_validate(y->p.shape, NULL));
        all->shared += work.nodes_reused > 0;
        if (!at_once || i == 1) {
            switch_shape(&y->p, &y->w);
        }
    }
    switch_shape(&y->p, &y->w);
    note_trees(y, counts, all);
    ++all->edits;
    double* after = vertices_of(&y->w, &y->p, count);
    REQUIRE(memcmp(before, after, 3 * (size_t)count * sizeof(double)) == 0);
    free(before);
    free(after);
    for (uint32_t k = 0; k < KEYS; ++k) {
        free(left[k]);
    }
}

static void test_everything_continues_after_edits(void** state) {
    (void)state;
    test_random random = random_seed(101);
    size_t hits = 0;
    played all = {0};
    for (uint32_t round = 0; round < effort(48, 160, 1200); ++round) {
        play y = play_make(&random, round, 30);
        for (uint32_t step = 0; step < 40; ++step) {
            where("seed 101, round %u, step %u", round, step);
            play_on(&random, &y);
            if (random_chance(&random, 0.3) &&
                y.p.triangle_count + 2 * ADDED_MOST < y.p.triangle_room &&
                y.p.vertex_count + 2 * VERTICES_MOST < y.p.vertex_room) {
                play_edit(&random, &y, &all);
            }
            hits += play_check(&y);
        }
        play_free(&y);
    }
    where(
        "%u edits, %u of which shared nodes, %zu hits, %u and %u kinetic trees, %u and %u BoxTrees",
        all.edits, all.shared, hits, all.kinetic[0], all.kinetic[1], all.boxtree[0],
        all.boxtree[1]);
    REQUIRE(hits > 1000 && 2 * all.shared > all.edits);
    REQUIRE(all.kinetic[0] > 10 && all.kinetic[1] > 10);
    REQUIRE(all.boxtree[0] > 10 && all.boxtree[1] > 10);
}

// changed keyframes are not taken for the old ones
static void test_other_keys_are_noticed(void** state) {
    (void)state;
    test_random random = random_seed(102);
    for (uint32_t round = 0; round < effort(24, 80, 400); ++round) {
        play y = play_make(&random, round, 4);
        for (uint32_t step = 0; step < 6 && y.p.key_count > 0; ++step) {
            where("seed 102, round %u, step %u", round, step);
            y.time = random_double(&random, 0, 2);
            REQUIRE_OK(abut_body_set_time(y.w.scene, y.p.body, y.time, NULL));
            if (random_chance(&random, 0.2)) {
                give_plans(&random, &y.w, &y.p, y.time, false);
                y.planned = true;
            }
            (void)play_check(&y);
            double* left[KEYS];
            move_keys(&y.p, left);
            const size_t v = random_below(&random, y.p.vertex_count);
            const uint32_t changed = random_below(&random, KEYS);
            y.p.key_xyz[changed][3 * v + 1] += 0.75;
            motion_edit_def edit = motion_edit_def_default();
            edit.keyframes = y.p.keys;
            edit.keyframe_count = KEYS;
            abut_edit_work work;
            edit_shape(&y.p, &edit, &work);
            REQUIRE(work.nodes_built == 0 && work.blocks_built == 0);
            switch_shape(&y.p, &y.w);
            (void)play_check(&y);
            y.time += 0.05;
            REQUIRE_OK(abut_body_set_time(y.w.scene, y.p.body, y.time, NULL));
            (void)play_check(&y);
            for (uint32_t k = 0; k < KEYS; ++k) {
                free(left[k]);
            }
        }
        play_free(&y);
    }
}

// On a keyframe no tree is needed. Edits there have to be remembered.
static void test_edits_on_a_key(void** state) {
    (void)state;
    test_random random = random_seed(105);
    for (uint32_t round = 0; round < effort(40, 120, 600); ++round) {
        play y = play_make(&random, round % 2, 8);
        static const double times[] = {1.3, 2, 1.8, 2, 1.9};
        for (uint32_t step = 0; step < 5 && y.p.key_count > 0; ++step) {
            where("seed 105, round %u, step %u", round, step);
            y.time = times[step];
            REQUIRE_OK(abut_body_set_time(y.w.scene, y.p.body, y.time, NULL));
            (void)play_check(&y);
            for (uint32_t i = 0; i <= round % 3 && times[step] == 2; ++i) {
                tear t;
                tear_make(&random, &y.p, &t);
                edit_shape(&y.p, &t.def, NULL);
                switch_shape(&y.p, &y.w);
            }
            (void)play_check(&y);
        }
        play_free(&y);
    }
}

// Fewer keyframes, and more, so that the last one is an end of another segment; the same keyframes
// at other times; and both with plans for some vertices.
static void test_keys_come_and_go(void** state) {
    (void)state;
    test_random random = random_seed(103);
    for (uint32_t round = 0; round < effort(24, 80, 400); ++round) {
        play y = play_make(&random, round, 4);
        abut_keyframe keys[KEYS];
        memcpy(keys, y.p.keys, sizeof keys);
        y.planned = true;  // a time that check_by_keys() must not test
        for (uint32_t step = 0; step < 12 && y.p.key_count > 0; ++step) {
            where("seed 103, round %u, step %u", round, step);
            y.time = random_double(&random, 0.5, 2.2);
            REQUIRE_OK(abut_body_set_time(y.w.scene, y.p.body, y.time, NULL));
            if (random_chance(&random, 0.3)) {
                give_plans(&random, &y.w, &y.p, y.time, false);
            }
            (void)play_check(&y);
            const double pace = random_chance(&random, 0.5) ? 1 : random_double(&random, 0.7, 1.3);
            for (uint32_t k = 0; k < KEYS; ++k) {
                keys[k].time = pace * k;
            }
            motion_edit_def edit = motion_edit_def_default();
            edit.keyframes = keys;
            edit.keyframe_count = KEYS - random_below(&random, 2);
            edit_shape(&y.p, &edit, NULL);
            switch_shape(&y.p, &y.w);
            (void)play_check(&y);
        }
        play_free(&y);
    }
}

// ---- the cost of an edit

typedef struct costs {
    abut_edit_work work;
    uint32_t dissolved;  // blocks
    uint32_t depth;
    uint64_t bounded;  // nodes and blocks, at one end on average
    uint64_t visits;   // visits of a kinetic tree or BoxTree
    uint64_t starts;
    uint64_t blocks_updated;
    uint64_t boxes;  // boxes that the list within the body tested because of the edit
} costs;

static uint64_t boxes_tested(const world* w, abut_body_id body, abut_front* front) {
    abut_counters counters = {0};
    abut_collide_def query = abut_collide_def_default();
    query.front = front;
    query.head.counters = &counters;
    REQUIRE_OK(abut_collide_self(w->scene, body, &query, w->result, NULL));
    return counters.boxes_tested;
}

static costs edit_and_count(const world* w, patchwork* p, const motion_edit_def* def,
                            abut_front* front) {
    costs c = {0};
    abut__kinetic_stats before;
    abut__kinetic_stats after;
    abut_tree_info tree;
    REQUIRE_OK(abut_shape_inspect(p->shape, &tree, NULL));
    const uint32_t blocks = tree.blocks;
    REQUIRE_OK(abut__body_kinetic_stats(w->scene, p->body, &before, NULL));
    edit_shape(p, def, &c.work);
    switch_shape(p, w);
    REQUIRE_OK(abut__body_kinetic_stats(w->scene, p->body, &after, NULL));
    REQUIRE_OK(abut_shape_inspect(p->shape, &tree, NULL));
    c.dissolved = blocks - c.work.blocks_reused;
    c.depth = tree.depth;
    c.bounded = (after.bounded + 1) / 2;
    c.visits = after.visits - before.visits;
    c.starts = after.starts - before.starts;
    c.blocks_updated = after.blocks_updated - before.blocks_updated;
    c.boxes = boxes_tested(w, p->body, front);
    c.boxes -= boxes_tested(w, p->body, front);  // tests of triangles, which happen in any case
    return c;
}

static void check_costs(const costs* c, int bound, uint32_t changed) {
    const uint32_t built = c->work.blocks_built;
    const uint32_t depth = c->depth;
    // the nodes above a removed block, and above a new one, which may push an old block down
    const uint32_t nodes_above = c->dissolved * depth + built * (depth + 3);
    REQUIRE(c->dissolved <= changed && built <= 2 * changed + 1);
    REQUIRE(c->work.nodes_built <= c->dissolved + 2 * built);
    REQUIRE(c->bounded <= nodes_above);
    REQUIRE(c->starts == 0);
    if (bound == ABUT_FLIGHT_BOUND_KINETIC) {
        // one visit to update, and one more for an event at that very time
        REQUIRE(c->visits <= 2 * nodes_above && c->blocks_updated <= 2 * built);
    }
    if (bound == ABUT_FLIGHT_BOUND_BOXTREE) {  // at most two planes per child
        REQUIRE(c->visits <= 2 * 8 * nodes_above && c->blocks_updated <= 2 * built);
    }
}

typedef struct tally {
    uint32_t blocks;
    uint32_t folds;  // edits that replaced all nodes
    uint64_t came_and_went;
    uint64_t bounded;  // nodes and blocks, by all other edits
    uint64_t visits;
    uint64_t boxes;
    uint32_t edits;  // the number of these edits
    uint64_t fresh;  // boxes that a list starts with
} tally;

static tally tear_sheet(uint32_t size, int bound, uint32_t edits) {
    test_random random = random_seed(104);
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(size, size, 2);
    patchwork p = patchwork_make(&random, &s, edits, KEYS, false);
    for (uint32_t k = 0; k < KEYS; ++k) {  // smooth motion without noise
        for (size_t i = 0; i < 3 * (size_t)p.vertex_count; ++i) {
            p.key_xyz[k][i] = s.xyz[i];
        }
        for (size_t v = 0; v < p.vertex_count; ++v) {
            p.key_xyz[k][3 * v + 2] = 0.2 * sin(3 * s.xyz[3 * v] + k) * cos(2 * s.xyz[3 * v + 1]);
        }
    }
    motion_def def = motion_def_default();
    def.bound = bound;
    def.block_triangles = 16;
    patchwork_add(&p, &w, &s, def);
    abut_front* front;
    REQUIRE_OK(abut_front_create(w.context, &front, NULL));
    tally sum = {0};
    REQUIRE_OK(abut_body_set_time(w.scene, p.body, 0.2, NULL));
    sum.fresh = boxes_tested(&w, p.body, front);
    sum.fresh -= boxes_tested(&w, p.body, front);
    for (uint32_t i = 0; i < edits; ++i) {
        where("seed 104, %u triangles, bound %d, edit %u", s.triangle_count, (int)bound, i);
        REQUIRE_OK(abut_body_set_time(w.scene, p.body, 0.2 + 0.5 * i / edits, NULL));
        (void)boxes_tested(&w, p.body, front);
        tear t;
        tear_make(&random, &p, &t);
        const costs c = edit_and_count(&w, &p, &t.def, front);
        sum.came_and_went += c.dissolved + c.work.blocks_built;
        sum.blocks = c.work.blocks_reused + c.work.blocks_built;
        if (c.work.nodes_reused == 0) {
            ++sum.folds;
            continue;
        }
        check_costs(&c, bound, t.changed);
        sum.bounded += c.bounded;
        sum.visits += c.visits;
        sum.boxes += c.boxes;
        ++sum.edits;
    }
    check_bounds(&w, p.body);
    abut_front_destroy(front);
    patchwork_free(&p);
    world_free(&w);
    surface_free(&s);
    return sum;
}

// the same on 2k and on 32k triangles
static void test_edits_cost_what_they_change(void** state) {
    (void)state;
    static const int bounds[] = {ABUT_FLIGHT_BOUND_LINEAR, ABUT_FLIGHT_BOUND_KINETIC,
                                 ABUT_FLIGHT_BOUND_BOXTREE};
    const uint32_t edits = effort(20, 40, 40);
    for (uint32_t b = 0; b < 3; b += effort(2, 1, 1)) {
        const tally small = tear_sheet(32, bounds[b], edits);
        const tally large = tear_sheet(128, bounds[b], edits);
        where(
            "bound %d: %u and %u edits, bounded %llu and %llu, visits %llu and %llu, boxes of "
            "lists "
            "%llu and %llu (%llu and %llu at first), folds %u and %u",
            (int)bounds[b], small.edits, large.edits, (unsigned long long)small.bounded,
            (unsigned long long)large.bounded, (unsigned long long)small.visits,
            (unsigned long long)large.visits, (unsigned long long)small.boxes,
            (unsigned long long)large.boxes, (unsigned long long)small.fresh,
            (unsigned long long)large.fresh, small.folds, large.folds);
        // all nodes are replaced only after every second block has changed
        REQUIRE(large.folds == 0 &&
                (uint64_t)small.folds * small.blocks <= 2 * small.came_and_went);
        // sixteen times the triangles are two levels more: at most twice the work
        const double per_edit[2] = {(double)small.bounded / small.edits,
                                    (double)large.bounded / large.edits};
        REQUIRE(per_edit[1] <= 2 * per_edit[0]);
        // lists continue: they examine only the pairs that the edit affects
        REQUIRE(16 * large.boxes <= (uint64_t)large.edits * large.fresh);
        if (getenv("ABUT_TEST_PRINT") != NULL) {
            print_message("%s\n", where_text());
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_continues_after_edits),
        cmocka_unit_test(test_other_keys_are_noticed),
        cmocka_unit_test(test_edits_on_a_key),
        cmocka_unit_test(test_keys_come_and_go),
        cmocka_unit_test(test_edits_cost_what_they_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
