// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Edits of blend and modal shapes. Vertices, weights, fields and nodes are added and changed. The
// edited shape moves and answers like one made from scratch, and the cost is that of the changed
// blocks.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "motion/blend.h"
#include "support/memory.h"
#include "support/skin.h"

#define VERTICES_MOST 700
#define TRIANGLES_MOST 1500
#define NODES_MOST 40
#define FIELDS_MOST 5
#define INFLUENCES_MOST 6
#define CHANGES_MOST 24

// ---- the expected shape after edits, computed without the library

typedef struct weight_list {
    uint32_t count;
    uint32_t nodes[INFLUENCES_MOST];  // ascending
    double values[INFLUENCES_MOST];
} weight_list;

typedef struct model {
    bool modal;  // no weights
    uint32_t vertex_count;
    uint32_t triangle_count;
    uint32_t alive;
    uint32_t node_count;
    uint32_t field_count;
    double xyz[3 * VERTICES_MOST];
    uint32_t triangles[3 * TRIANGLES_MOST];  // dead ones are three times UINT32_MAX
    weight_list weights[VERTICES_MOST];
    double u[FIELDS_MOST][VERTICES_MOST][3];
} model;

// weights in multiples of 1/1024, which are exact in float, or of any value
static weight_list random_weights(test_random* random, uint32_t node_count, bool exact) {
    weight_list list = {0};
    bool used[NODES_MOST] = {false};
    const uint32_t most = node_count < INFLUENCES_MOST ? node_count : INFLUENCES_MOST;
    list.count = 1 + random_below(random, most);
    for (uint32_t k = 0; k < list.count; ++k) {
        uint32_t node;
        do {
            node = random_below(random, node_count);
        } while (used[node]);
        used[node] = true;
    }
    double left = 1024;
    for (uint32_t j = 0, k = 0; j < node_count; ++j) {
        if (used[j]) {
            const uint32_t others = list.count - k - 1;
            const double share = others == 0 ? left
                                             : 1 + random_below(random, (uint32_t)left - others);
            list.nodes[k] = j;
            list.values[k++] = share / 1024;
            left -= share;
        }
    }
    for (uint32_t k = 0; k + 1 < list.count && !exact; k += 2) {
        const double moved = list.values[k] * random_double(random, 0, 0.5);
        list.values[k] -= moved;
        list.values[k + 1] += moved;
    }
    return list;
}

static model* model_make(test_random* random, bool modal, uint32_t fields) {
    surface sheet = surface_sheet(8, 8, 8);
    surface ball = surface_ball(6, 8, 3);
    surface_shift(&ball, 4, 4, 0);
    surface_shake(&sheet, random, 0.25, 0.125);
    surface s = surface_join(&sheet, &ball);
    model* m = test_alloc(1, sizeof *m);
    memset(m, 0, sizeof *m);
    m->modal = modal;
    m->vertex_count = s.vertex_count;
    m->triangle_count = m->alive = s.triangle_count;
    m->node_count = 1 + random_below(random, 12);
    m->field_count = fields;
    memcpy(m->xyz, s.xyz, 3 * sizeof(double) * (size_t)s.vertex_count);
    memcpy(m->triangles, s.triangles, 3 * sizeof(uint32_t) * (size_t)s.triangle_count);
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        m->weights[v] = random_weights(random, m->node_count, true);
        for (uint32_t j = 0; j < fields; ++j) {
            for (int d = 0; d < 3; ++d) {
                m->u[j][v][d] = v % 3 == 0 ? 0 : random_dyadic(random, 1, 0.125);
            }
        }
    }
    surface_free(&sheet);
    surface_free(&ball);
    surface_free(&s);
    return m;
}

// the model as input of a maker; triangle i is number living[i] of the model
typedef struct plain_data {
    surface s;
    skin k;
    field_set f;
    uint32_t* living;
} plain_data;

static plain_data plain_of(const model* m) {
    plain_data p = {.s = surface_make(m->vertex_count, m->alive)};
    p.living = test_alloc(m->alive, sizeof *p.living);
    memcpy(p.s.xyz, m->xyz, 3 * sizeof(double) * (size_t)m->vertex_count);
    for (uint32_t t = 0, n = 0; t < m->triangle_count; ++t) {
        if (m->triangles[3 * (size_t)t] != UINT32_MAX) {
            memcpy(p.s.triangles + 3 * (size_t)n, m->triangles + 3 * (size_t)t,
                   3 * sizeof(uint32_t));
            p.living[n++] = t;
        }
    }
    const size_t room = (size_t)m->vertex_count * INFLUENCES_MOST;
    p.k = (skin){
        .node_count = m->node_count, .vertex_count = m->vertex_count, .type = ABUT_SCALAR_F64};
    p.k.first = test_alloc((size_t)m->vertex_count + 1, sizeof *p.k.first);
    p.k.nodes = test_alloc(room, sizeof *p.k.nodes);
    p.k.values = test_alloc(room, sizeof *p.k.values);
    p.k.first[0] = 0;
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        const weight_list* list = &m->weights[v];
        memcpy(p.k.nodes + p.k.first[v], list->nodes, list->count * sizeof(uint32_t));
        memcpy(p.k.values + p.k.first[v], list->values, list->count * sizeof(double));
        p.k.first[v + 1] = p.k.first[v] + list->count;
    }
    p.f = (field_set){.count = m->field_count, .vertex_count = m->vertex_count};
    p.f.u = test_alloc(3 * (size_t)m->vertex_count * m->field_count + 1, sizeof *p.f.u);
    p.f.fields = test_alloc(m->field_count + 1, sizeof *p.f.fields);
    for (uint32_t j = 0; j < m->field_count; ++j) {
        memcpy(field_at(&p.f, j, 0), m->u[j], 3 * sizeof(double) * (size_t)m->vertex_count);
        p.f.fields[j] = (abut_field){abut_positions_f64(field_at(&p.f, j, 0), m->vertex_count),
                                     NULL};
    }
    return p;
}

static void plain_free(plain_data* p) {
    surface_free(&p->s);
    skin_free(&p->k);
    free_fields(&p->f);
    free(p->living);
}

static motion_def plain_def(const model* m, const plain_data* p) {
    return m->modal ? modal_def(&p->f) : blend_def(&p->k, &p->f);
}

// ---- edits of the model, and the same edits as a definition

// weights as a caller may pass them: unordered, padded, as float where that is exact
typedef struct given_weights {
    uint32_t nodes[CHANGES_MOST * (INFLUENCES_MOST + 1)];
    double values[CHANGES_MOST * (INFLUENCES_MOST + 1)];
    float narrow[CHANGES_MOST * (INFLUENCES_MOST + 1)];
    uint32_t first[CHANGES_MOST + 1];
} given_weights;

static abut_weights give_weights(given_weights* g, const weight_list* const* lists, uint32_t count,
                                 bool fixed, bool exact) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; ++i) {
        g->first[i] = n;
        for (uint32_t k = 0; k < lists[i]->count; ++k, ++n) {
            g->nodes[n] = lists[i]->nodes[lists[i]->count - 1 - k];
            g->values[n] = lists[i]->values[lists[i]->count - 1 - k];
        }
        for (uint32_t k = lists[i]->count; k < INFLUENCES_MOST && fixed; ++k, ++n) {
            g->nodes[n] = UINT32_MAX;  // the node of a zero weight is ignored
            g->values[n] = 0;
        }
    }
    g->first[count] = n;
    for (uint32_t i = 0; i < n; ++i) {
        g->narrow[i] = (float)g->values[i];
    }
    return (abut_weights){.first = fixed ? NULL : g->first,
                          .per_vertex = fixed ? INFLUENCES_MOST : 0,
                          .nodes = g->nodes,
                          .values = exact ? (const void*)g->narrow : (const void*)g->values,
                          .type = exact ? ABUT_SCALAR_F32 : ABUT_SCALAR_F64};
}

// an edit and the arrays that it points to
typedef struct change {
    motion_edit_def def;
    uint32_t removed[CHANGES_MOST];
    uint32_t changed[CHANGES_MOST];
    given_weights added_weights;
    given_weights changed_weights;
    abut_field fields[FIELDS_MOST];
    uint32_t listed[FIELDS_MOST][CHANGES_MOST];
    double moves[FIELDS_MOST][CHANGES_MOST][3];
} change;

static void remove_some(model* m, test_random* random, change* c, uint32_t count) {
    c->def.removed_triangles = c->removed;
    while (c->def.removed_triangle_count < count && m->alive > 10) {
        const uint32_t id = random_below(random, m->triangle_count);
        if (m->triangles[3 * (size_t)id] != UINT32_MAX) {
            memset(m->triangles + 3 * (size_t)id, 0xff, 3 * sizeof(uint32_t));
            c->removed[c->def.removed_triangle_count++] = id;
            --m->alive;
        }
    }
}

// new vertices, anywhere or at the place of another vertex, with the same motion or another
static void add_vertices(model* m, test_random* random, change* c, uint32_t count, bool exact) {
    const uint32_t before = m->vertex_count;
    const weight_list* lists[CHANGES_MOST];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t v = m->vertex_count++;
        const uint32_t other = random_below(random, v);
        const bool there = random_chance(random, 0.6);
        const bool alike = there && random_chance(random, 0.6);
        // displacements of an edit are not random: a copy moves like its original or by fixed
        // values
        for (int d = 0; d < 3; ++d) {
            m->xyz[3 * v + (uint32_t)d] = there ? m->xyz[3 * other + (uint32_t)d]
                                                : random_dyadic(random, 8, 0.25);
            for (uint32_t j = 0; j < m->field_count; ++j) {
                m->u[j][v][d] = alike ? m->u[j][other][d] : (v + j) % 3 == 0 ? 0 : 2.5 * d - 1.5;
            }
        }
        const bool copied = alike && (!exact || m->modal);
        m->weights[v] = copied ? m->weights[other] : random_weights(random, m->node_count, exact);
        lists[i] = &m->weights[v];
    }
    c->def.added_vertices = abut_positions_f64(m->xyz + 3 * (size_t)before, count);
    if (!m->modal) {
        c->def.added_weights = give_weights(&c->added_weights, lists, count,
                                            random_chance(random, 0.5), exact);
    }
    c->def.added_fields = c->fields;
    for (uint32_t j = 0; j < m->field_count; ++j) {
        const bool sparse = random_chance(random, 0.5);
        uint32_t n = 0;
        for (uint32_t v = before; v < m->vertex_count; ++v) {
            const double* u = m->u[j][v];
            if (!sparse || u[0] != 0 || u[1] != 0 || u[2] != 0) {
                c->listed[j][n] = v;
                memcpy(c->moves[j][n++], u, 3 * sizeof(double));
            }
        }
        c->fields[j] = (abut_field){abut_positions_f64(c->moves[j][0], n),
                                    sparse ? c->listed[j] : NULL};
    }
}

static void add_triangles(model* m, test_random* random, change* c, uint32_t count) {
    c->def.added_triangles = m->triangles + 3 * (size_t)m->triangle_count;
    c->def.added_triangle_count = count;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t* t = m->triangles + 3 * (size_t)m->triangle_count++;
        const uint32_t from = random_below(random, m->vertex_count);
        for (uint32_t k = 0; k < 3; ++k) {  // mostly near each other
            t[k] = random_chance(random, 0.1) ? random_below(random, m->vertex_count)
                                              : (from + random_below(random, 3)) % m->vertex_count;
        }
        ++m->alive;
    }
}

static bool same_place(const model* m, uint32_t a, uint32_t b) {
    return a != b &&
           memcmp(m->xyz + 3 * (size_t)a, m->xyz + 3 * (size_t)b, 3 * sizeof(double)) == 0;
}

// other weights for old vertices, sometimes those of another vertex at the same place
static void change_weights(model* m, test_random* random, change* c, uint32_t old_count,
                           uint32_t count) {
    const weight_list* lists[CHANGES_MOST];
    bool taken[VERTICES_MOST] = {false};
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t v;
        do {
            v = random_below(random, old_count);
        } while (taken[v]);
        taken[v] = true;
        m->weights[v] = random_weights(random, m->node_count, false);
        for (uint32_t o = 0; o < old_count; ++o) {
            if (!taken[o] && same_place(m, v, o) && random_chance(random, 0.7)) {
                m->weights[v] = m->weights[o];
            }
        }
        c->changed[i] = v;
        lists[i] = &m->weights[v];
    }
    c->def.changed_vertices = c->changed;
    c->def.changed_vertex_count = count;
    c->def.changed_weights = give_weights(&c->changed_weights, lists, count, false, false);
}

static void random_change(model* m, test_random* random, change* c) {
    const uint32_t old_vertices = m->vertex_count;
    memset(c, 0, sizeof *c);
    c->def = motion_edit_def_default();
    if (!m->modal && random_chance(random, 0.3) && m->node_count + 3 <= NODES_MOST) {
        m->node_count += random_below(random, 4);
        c->def.node_count = m->node_count;
    }
    remove_some(m, random, c, random_below(random, 12));
    add_vertices(m, random, c, random_below(random, 7), random_chance(random, 0.5));
    add_triangles(m, random, c, random_below(random, 12));
    if (!m->modal) {
        change_weights(m, random, c, old_vertices, random_below(random, 10));
        c->def.changed_weights.node_count = random_chance(random, 0.5) ? m->node_count : 0;
    }
    c->def.rebuild = random_chance(random, 0.1);
}

// ---- checks

// bounds are rebuilt exactly where the block was built or has a changed vertex
static void check_work(const abut_shape* edited, const motion_edit_def* def,
                       const abut_edit_work* work) {
    const abut__tree* tree = &edited->tree;
    uint32_t wanted = work->blocks_built;
    REQUIRE(tree->block_count == work->blocks_reused + work->blocks_built);
    for (uint32_t b = 0; b < work->blocks_reused; ++b) {
        bool changed = false;
        for (uint32_t i = 0; i < tree->blocks[b]->vertex_count; ++i) {
            for (size_t k = 0; k < def->changed_vertex_count; ++k) {
                changed |= tree->blocks[b]->vertex[i] == def->changed_vertices[k];
            }
        }
        wanted += changed;
    }
    if (edited->motion->id == ABUT_MOTION_BLEND) {
        REQUIRE(work->bounds_built == wanted);
        REQUIRE(work->bounds_reused == tree->block_count - wanted);
    } else {
        REQUIRE(work->bounds_built == 0 && work->bounds_reused == 0);
    }
}

typedef struct pose {
    double t[NODES_MOST][12];
    double q[FIELDS_MOST];
} pose;

static void check_vertices(const world* w, abut_body_id body, const model* m, const plain_data* p,
                           pose* now) {
    for (uint32_t v = 0; v < m->vertex_count; ++v) {
        double wanted[3];
        double got[3];
        if (m->modal) {
            formula(&p->s, &p->f, now->q, v, wanted);
        } else {
            blend_formula(&p->s, &p->k, &p->f, now->q, now->t, v, wanted);
        }
        REQUIRE_OK(abut_body_vertex(w->scene, body, v, got, NULL));
        REQUIRE(got[0] == wanted[0] && got[1] == wanted[1] && got[2] == wanted[2]);
    }
}

static void set_pose(world* w, abut_body_id body, const model* m, pose* now) {
    if (m->modal) {
        set_coordinates(w, body, now->q, m->field_count);
    } else {
        set_transforms(w, body, now->t, m->node_count, now->q, m->field_count);
    }
}

static void identity_from(pose* now, uint32_t first) {
    for (uint32_t j = first; j < NODES_MOST; ++j) {
        for (int e = 0; e < 12; ++e) {
            now->t[j][e] = e % 5 == 0 ? 1 : 0;
        }
    }
}

// replaces ids of a shape made from scratch by those of the edited one
static void renumber(pair_list* list, const uint32_t* living, bool both) {
    for (size_t i = 0; i < list->count; ++i) {
        list->pairs[i].triangle_a = living[list->pairs[i].triangle_a];
        list->pairs[i].triangle_b = both ? living[list->pairs[i].triangle_b]
                                         : list->pairs[i].triangle_b;
        list->pairs[i].body_a = 0;
        list->pairs[i].body_b = both ? 0 : list->pairs[i].body_b;
    }
}

static void same_as_fresh(world* w, abut_body_id body, abut_body_id against, const model* m,
                          const plain_data* p, pose* now) {
    const motion_def def = plain_def(m, p);
    const abut_body_id fresh = world_add(w, &p->s, &def, NULL);
    const abut_mesh* meshes[2] = {abut_shape_mesh(abut_body_shape(w->scene, body)),
                                  abut_shape_mesh(abut_body_shape(w->scene, fresh))};
    REQUIRE(memcmp(abut_mesh_classes(meshes[0]), abut_mesh_classes(meshes[1]),
                   m->vertex_count * sizeof(uint32_t)) == 0);
    if (!m->modal) {  // the inputs of pads
        const abut__weights* edited = abut__blend_of(abut_body_shape(w->scene, body))->weights;
        const abut__weights* made = abut__blend_of(abut_body_shape(w->scene, fresh))->weights;
        REQUIRE(edited->most == made->most && edited->defect == made->defect);
    }
    set_pose(w, fresh, m, now);
    pair_list lists[4] = {{0}};
    REQUIRE_OK(abut_collide_self(w->scene, body, NULL, w->result, NULL));
    pairs_append(&lists[0], w->result);
    REQUIRE_OK(abut_collide_self(w->scene, fresh, NULL, w->result, NULL));
    pairs_append(&lists[1], w->result);
    renumber(&lists[1], p->living, true);
    require_same_pairs(&lists[0], &lists[1], "self");
    REQUIRE_OK(abut_collide(w->scene, body, against, NULL, w->result, NULL));
    pairs_append(&lists[2], w->result);
    REQUIRE_OK(abut_collide(w->scene, fresh, against, NULL, w->result, NULL));
    pairs_append(&lists[3], w->result);
    renumber(&lists[3], p->living, false);
    require_same_pairs(&lists[2], &lists[3], "collide");
    for (int i = 0; i < 4; ++i) {
        pairs_free(&lists[i]);
    }
    REQUIRE_OK(abut_body_destroy(w->scene, fresh, NULL));
}

static void random_pose(test_random* random, const model* m, pose* now, int step) {
    if (step % 3 == 2) {
        wild_transforms(random, now->t, m->node_count, 0);
    } else {
        gentle_transforms(random, now->t, m->node_count, 0.3);
    }
    random_coordinates(random, now->q, m->field_count, 1);
    identity_from(now, m->node_count);
}

typedef struct tally {
    size_t self;
    size_t between;
    size_t shared;
} tally;

static void random_edits(uint64_t seed, bool modal, tally* all) {
    test_random random = random_seed(seed);
    world w = world_make(NULL, NULL);
    const uint32_t fields = modal ? 1 + random_below(&random, FIELDS_MOST - 1)
                                  : random_below(&random, 4);
    model* m = model_make(&random, modal, fields);
    change* c = test_alloc(1, sizeof *c);
    pose* now = test_alloc(1, sizeof *now);
    plain_data p = plain_of(m);
    surface other = surface_soup(&random, 40, 6, 2, 0.25);
    static const int bounds[] = {MOTION_BOUND_AUTO, ABUT__BLEND_BOUND_EXACT,
                                 ABUT__BLEND_BOUND_PLAIN};
    motion_def def = plain_def(m, &p);
    def.block_triangles = 1 + random_below(&random, 24);
    def.bound = modal ? (seed % 2 == 0 ? MOTION_BOUND_AUTO : ABUT_MODAL_BOUND_SPHERES)
                      : bounds[seed % 3];
    const abut_body_id body = world_add(&w, &p.s, &def, NULL);
    const abut_body_id against = world_add(&w, &other, NULL, NULL);
    random_pose(&random, m, now, 0);
    set_pose(&w, body, m, now);
    for (int step = 0; step < (int)effort(9, 14, 14); ++step) {
        where("seed %llu, step %d%s", (unsigned long long)seed, step, modal ? ", modal" : "");
        abut_edit_work work;
        random_change(m, &random, c);
        abut_shape* edited = world_edit(abut_body_shape(w.scene, body), &c->def, &work);
        check_work(edited, &c->def, &work);
        all->shared += work.bounds_reused;
        REQUIRE_OK(abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, NULL));
        abut_shape_destroy(edited);
        plain_free(&p);
        p = plain_of(m);
        // old nodes keep their transforms; new ones have the identity
        check_vertices(&w, body, m, &p, now);
        world_validate(&w, body);
        random_pose(&random, m, now, step);
        set_pose(&w, body, m, now);
        check_vertices(&w, body, m, &p, now);
        world_validate(&w, body);
        all->self += check_self(&w, body, NULL);
        all->between += check_between(&w, body, against, NULL);
        same_as_fresh(&w, body, against, m, &p, now);
    }
    plain_free(&p);
    surface_free(&other);
    free(c);
    free(m);
    free(now);
    world_free(&w);
}

static void test_random_edits(void** state) {
    (void)state;
    tally all = {0};
    for (uint64_t seed = 1; seed <= effort(3, 30, 300); ++seed) {
        random_edits(seed, false, &all);
    }
    assert_true(all.self > 0 && all.between > 0 && all.shared > 0);
}

static void test_random_edits_of_modal_shapes(void** state) {
    (void)state;
    tally all = {0};
    for (uint64_t seed = 1; seed <= effort(2, 15, 150); ++seed) {
        random_edits(seed, true, &all);
    }
    assert_true(all.self > 0 && all.between > 0);
}

// ---- cost

// a skin of a large sheet: every vertex follows the four nodes around it
static abut_shape* large_shape(world* w, surface* s, skin* k) {
    test_random random = random_seed(3);
    *s = surface_sheet(71, 71, 71);  // 10082 triangles
    *k = skin_make(&random, s, 100, 4, ABUT_SCALAR_F32);
    const motion_def def = blend_def(k, NULL);
    return world_shape(w, s, &def);
}

// Includes long series of edits: trees pack their slabs anew now and then, which must cost no
// bounds.
static void test_small_edits_build_few_bounds(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s;
    skin k;
    abut_shape* shape = large_shape(&w, &s, &k);
    for (uint32_t i = 0; i < 60; ++i) {
        where("edit %u", i);
        const uint32_t gone = 150 * i;
        const uint32_t vertex = s.triangles[3 * (size_t)gone];
        const uint32_t node = i;
        const float one = 1;
        motion_edit_def def = motion_edit_def_default();
        def.removed_triangles = &gone;
        def.removed_triangle_count = i % 2;
        def.changed_vertices = &vertex;
        def.changed_vertex_count = 1;
        def.changed_weights = (abut_weights){
            .per_vertex = 1, .nodes = &node, .values = &one, .type = ABUT_SCALAR_F32};
        abut_edit_work work;
        abut_shape* edited = world_edit(shape, &def, &work);
        check_work(edited, &def, &work);
        REQUIRE(work.blocks_built <= 2 * (i % 2));
        REQUIRE(work.bounds_built <= 6);  // a vertex of a sheet has six triangles
        REQUIRE(work.bounds_reused >= 200);
        abut_shape_destroy(shape);
        shape = edited;
    }
    // an empty edit, and one that adds nodes without influence, cost no bound
    for (uint32_t more = 0; more < 2; ++more) {
        motion_edit_def def = motion_edit_def_default();
        def.node_count = 100 + more;
        abut_edit_work work;
        abut_shape* edited = world_edit(shape, &def, &work);
        REQUIRE(work.bounds_built == 0 && work.blocks_built == 0 && work.bounds_reused >= 200);
        REQUIRE(abut_shape_node_count(edited) == 100 + more);
        abut_shape_destroy(edited);
    }
    // a rebuilt tree takes the bounds over, too
    abut_body_id body;
    REQUIRE_OK(abut_body_create(w.scene, shape, NULL, &body, NULL));
    abut_edit_work work;
    REQUIRE_OK(abut_body_rebuild_tree(w.scene, body, 1, &work, NULL));
    REQUIRE(work.bounds_built == work.blocks_built && work.bounds_reused == work.blocks_reused);
    abut_shape_destroy(shape);
    skin_free(&k);
    surface_free(&s);
    world_free(&w);
}

// ---- classes

// A strip of two squares, cut in the middle: vertices 1 and 4 get copies 6 and 7.
//   3 4 5
//   0 1 2
static void test_cut_splits_classes(void** state) {
    (void)state;
    where("cut");
    world w = world_make(NULL, NULL);
    surface s = surface_make(6, 4);
    static const double xyz[18] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0};
    static const uint32_t triangles[12] = {0, 1, 3, 1, 4, 3, 1, 2, 4, 2, 5, 4};
    memcpy(s.xyz, xyz, sizeof xyz);
    memcpy(s.triangles, triangles, sizeof triangles);
    static const uint32_t nodes[12] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    static const double values[12] = {1, 0, 0.5, 0.5, 0, 1, 1, 0, 0.5, 0.5, 0, 1};
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_BLEND;
    def.weights = (abut_weights){.node_count = 2,
                                 .per_vertex = 2,
                                 .nodes = nodes,
                                 .values = values,
                                 .type = ABUT_SCALAR_F64};
    const abut_body_id body = world_add(&w, &s, &def, NULL);
    // both sides move as before: each copy stays one vertex with its original
    static const uint32_t removed[2] = {2, 3};
    static const uint32_t added[6] = {6, 2, 7, 2, 5, 7};
    static const uint32_t side[2] = {1, 4};
    motion_edit_def cut = motion_edit_def_default();
    cut.removed_triangles = removed;
    cut.removed_triangle_count = 2;
    cut.added_triangles = added;
    cut.added_triangle_count = 2;
    const double copies[6] = {1, 0, 0, 1, 1, 0};
    cut.added_vertices = abut_positions_f64(copies, 2);
    cut.added_weights = (abut_weights){
        .per_vertex = 2, .nodes = nodes, .values = values + 2, .type = ABUT_SCALAR_F64};
    static const double halves[4] = {0.5, 0.5, 0.5, 0.5};
    cut.added_weights.values = halves;
    abut_shape* whole = world_edit(abut_body_shape(w.scene, body), &cut, NULL);
    static const uint32_t joined[8] = {0, 1, 2, 3, 4, 5, 1, 4};
    REQUIRE(memcmp(abut_mesh_classes(abut_shape_mesh(whole)), joined, sizeof joined) == 0);
    REQUIRE_OK(abut_body_set_shape(w.scene, body, whole, (abut_positions){0}, NULL));
    REQUIRE(check_self(&w, body, NULL) == 0);
    // now each copy follows its own side: while they lie in one place, the two sides of the cut
    // touch
    static const uint32_t left = 0;
    static const uint32_t right = 1;
    static const double one = 1;
    const uint32_t all[4] = {1, 4, 6, 7};
    const uint32_t own[4] = {left, left, right, right};
    const double ones[4] = {one, one, one, one};
    motion_edit_def part = motion_edit_def_default();
    part.changed_vertices = all;
    part.changed_vertex_count = 4;
    part.changed_weights = (abut_weights){
        .per_vertex = 1, .nodes = own, .values = ones, .type = ABUT_SCALAR_F64};
    abut_shape* parted = world_edit(whole, &part, NULL);
    static const uint32_t apart[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    REQUIRE(memcmp(abut_mesh_classes(abut_shape_mesh(parted)), apart, sizeof apart) == 0);
    REQUIRE_OK(abut_body_set_shape(w.scene, body, parted, (abut_positions){0}, NULL));
    REQUIRE(check_self(&w, body, NULL) > 0);
    double t[2][12] = {{1, 0, 0, -0.125, 0, 1, 0, 0, 0, 0, 1, 0},
                       {1, 0, 0, 0.125, 0, 1, 0, 0, 0, 0, 1, 0}};
    set_transforms(&w, body, t, 2, NULL, 0);
    REQUIRE(check_self(&w, body, NULL) == 0);
    world_validate(&w, body);
    // a third vertex at that place joins the side with which it moves
    const double third[3] = {1, 1, 0};
    motion_edit_def more = motion_edit_def_default();
    more.added_vertices = abut_positions_f64(third, 1);
    more.added_weights = (abut_weights){
        .per_vertex = 1, .nodes = &right, .values = &one, .type = ABUT_SCALAR_F64};
    abut_shape* three = world_edit(parted, &more, NULL);
    REQUIRE(abut_mesh_classes(abut_shape_mesh(three))[8] == 7);
    // healed: both copies move alike again
    part.changed_vertices = side;
    part.changed_vertex_count = 2;
    part.changed_weights.nodes = own + 2;
    abut_shape* healed = world_edit(three, &part, NULL);
    static const uint32_t again[9] = {0, 1, 2, 3, 4, 5, 1, 4, 4};
    REQUIRE(memcmp(abut_mesh_classes(abut_shape_mesh(healed)), again, sizeof again) == 0);
    abut_shape_destroy(healed);
    abut_shape_destroy(three);
    abut_shape_destroy(parted);
    abut_shape_destroy(whole);
    surface_free(&s);
    world_free(&w);
}

// ---- memory

// Each allocation of an edit and of a switch of shapes fails once: shape and body stay, nothing
// leaks.
static void test_failed_allocations_change_nothing(void** state) {
    (void)state;
    for (int modal = 0; modal < 2; ++modal) {
        test_random random = random_seed(11);
        test_memory memory;
        abut_context_def context = memory_context_def(&memory);
        world w = world_make(&context, NULL);
        model* m = model_make(&random, modal == 1, 2);
        change* c = test_alloc(1, sizeof *c);
        pose* now = test_alloc(1, sizeof *now);
        plain_data before = plain_of(m);
        model* old = test_alloc(1, sizeof *old);
        *old = *m;
        const motion_def def = plain_def(m, &before);
        const abut_body_id body = world_add(&w, &before.s, &def, NULL);
        random_pose(&random, m, now, 0);
        set_pose(&w, body, m, now);
        do {
            *m = *old;
            random_change(m, &random, c);
        } while (c->def.added_vertices.count == 0 || c->def.rebuild);
        bool done = false;
        for (size_t call = 1; !done; ++call) {
            where("allocation %zu, modal %d", call, modal);
            abut_shape* edited = NULL;
            abut_error error = {0};
            memory_fail(&memory, call, false);
            abut_status status = motion_edit(abut_body_shape(w.scene, body), &c->def, &edited, NULL,
                                             &error);
            if (status == ABUT_OK) {
                status = abut_body_set_shape(w.scene, body, edited, (abut_positions){0}, &error);
                done = status == ABUT_OK;
            }
            REQUIRE(status == ABUT_OK || status == ABUT_ERR_NO_MEMORY);
            REQUIRE(done || memory.refused > 0);
            memory_fail(&memory, 0, false);
            if (!done) {
                check_vertices(&w, body, old, &before, now);
                REQUIRE_OK(abut_shape_validate(abut_body_shape(w.scene, body), NULL));
            }
            abut_shape_destroy(edited);
        }
        plain_data after = plain_of(m);
        check_vertices(&w, body, m, &after, now);
        world_validate(&w, body);
        plain_free(&before);
        plain_free(&after);
        free(old);
        free(m);
        free(c);
        free(now);
        world_free(&w);
        memory_require_clean(&memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_edits),
        cmocka_unit_test(test_random_edits_of_modal_shapes),
        cmocka_unit_test(test_small_edits_build_few_bounds),
        cmocka_unit_test(test_cut_splits_classes),
        cmocka_unit_test(test_failed_allocations_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
