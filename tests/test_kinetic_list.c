// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kinetic separation lists. At every time, exactly at events, forwards, backwards and after any
// jump, in both forms, the list equals that of a fresh traversal, which the test computes from
// positions at the ends of the window. Pairs without a change cost nothing.

#include "test_kinetic_list_support.h"
#include "support/motion_def.h"

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

// the leaf actions that a query receives
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
    require_entries(list, &wanted);
    check_leaves(p, &wanted, margin);
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

// removes some triangles and adds others between existing vertices
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
    motion_edit_def def = motion_edit_def_default();
    def.removed_triangles = removed;
    def.removed_triangle_count = gone;
    def.added_triangles = added;
    def.added_triangle_count = 1 + random_below(random, 3);
    abut_shape* edited = NULL;
    REQUIRE_OK(motion_edit(old, &def, &edited, NULL, NULL));
    REQUIRE_OK(abut_body_set_shape(w->scene, body, edited, (abut_positions){0}, NULL));
    abut_shape_destroy(edited);
}

typedef struct sums {
    uint64_t events;
    uint64_t parted;
    uint64_t leaves;
    uint64_t edits;
    double edit_often;  // probability of an edit between two steps
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

// the list of an edited shape continues, and still equals that of a fresh traversal
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
    actor a = {.s = scenery_surface(from, body, first), .key_count = b->moves ? KEYS_MOST : 0};
    for (uint32_t k = 0; k < a.key_count; ++k) {
        a.xyz[k] = test_alloc(3 * (size_t)b->vertex_count, sizeof(double));
        scene_positions(from, body, first + k, a.xyz[k]);
        a.keys[k] = (abut_keyframe){k, abut_positions_f64(a.xyz[k], b->vertex_count)};
    }
    motion_def def = motion_def_default();
    abut_body_def body_def = abut_body_def_default();
    def.motion = a.key_count > 0 ? ABUT_MOTION_FLIGHT : ABUT_MOTION_FREE;
    def.keyframes = a.key_count > 0 ? a.keys : NULL;
    def.keyframe_count = a.key_count;
    body_def.is_static = a.key_count == 0;
    a.id = world_add(w, &a.s, &def, &body_def);
    return a;
}

// least boxes of the present
static view view_now(const world* w, const actor* a) {
    view v = {.tree = &abut__scene_body(w->scene, a->id)->shape->tree};
    double* xyz = test_alloc(3 * (size_t)a->s.vertex_count, sizeof(double));
    for (uint32_t i = 0; i < a->s.vertex_count; ++i) {
        REQUIRE_OK(abut_body_vertex(w->scene, a->id, i, &xyz[3 * (size_t)i], NULL));
    }
    fill_view(&v, 0, xyz);
    fill_view(&v, 1, xyz);
    free(xyz);
    return v;
}

// Each pair of blocks that overlap is in the list, of the pairs in the list only these overlap, and
// it has hardly more entries than a traversal by least boxes.
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

// both forms, over the same times, have the same list and test the same pairs
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

// equal motions and no motion make no event; a step without events tests no box
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_those_of_a_fresh_traversal),
        cmocka_unit_test(test_lists_follow_edits),
        cmocka_unit_test(test_lists_are_hardly_longer_than_by_least_boxes),
        cmocka_unit_test(test_both_forms_agree),
        cmocka_unit_test(test_translations_make_no_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
