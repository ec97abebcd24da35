// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Kinetic separation lists on the boxes of kinetic AABB trees. At every time the list equals that
// of a fresh traversal of the trees' present lines. All pairs of blocks that overlap, by boxes that
// the test computes from the vertices, are in it, and no pair that is clearly apart. It is shorter
// than a list on linear boxes, and costs what the trees change.

#include "test_kinetic_list_support.h"
#include "motion/flight.h"

static const abut__flight_state* state_of(const world* w, const actor* a) {
    return abut__flight_state_of(abut__body_state(abut__scene_body(w->scene, a->id), 1));
}

static bool is_tight(const world* w, const actor* a) {
    return a->key_count > 0 && state_of(w, a)->tight;
}

// whether the boxes are the least ones
static bool is_least(const world* w, const actor* a) {
    return a->key_count == 0 || is_tight(w, a);
}

static void set_times(const pair_of* p, double time) {
    const actor* actors[2] = {p->a, p->b};
    for (int i = 0; i < 2; ++i) {
        if (actors[i]->key_count > 0) {
            REQUIRE_OK(abut_body_set_time(p->w->scene, actors[i]->id, time, NULL));
        }
    }
}

static void update_list(const pair_of* p, double margin) {
    const abut__job job = job_of(p, margin);
    const bool rests[2] = {false, false};
    abut_counters work = {0};
    abut__list_side sides[2];
    REQUIRE(abut__list_fits(&job, rests, sides));
    REQUIRE(sides[0].tight == is_tight(p->w, p->a));
    REQUIRE(abut__list_go(p->list, &job, margin, sides, &work));
}

// ---- a traversal of the lines

static view view_of_lines(const world* w, const actor* a, double time, double from, double to) {
    if (!is_tight(w, a)) {
        return view_make(w, a, time, from, to);
    }
    const abut__kinetic* kinetic = state_of(w, a)->kinetic;
    view v = {.tree = &abut__scene_body(w->scene, a->id)->shape->tree};
    copy_boxes(&v, 0, abut__kinetic_end(kinetic, 0));
    copy_boxes(&v, 1, abut__kinetic_end(kinetic, 1));
    uint32_t key = 0;
    while (a->keys[key + 1].time <= time) {
        ++key;
    }
    const double begin = a->keys[key].time;
    const double length = a->keys[key + 1].time - begin;
    const float parts[2] = {(float)((from - begin) / length), (float)((to - begin) / length)};
    between_boxes(v.node[0], v.node[1], v.tree->node_count, parts);
    between_boxes(v.block[0], v.block[1], v.tree->block_count, parts);
    return v;
}

static void check_traversal(const pair_of* p, double time) {
    const abut__list* list = p->list;
    entries wanted = {0};
    traversal t = {.view = {view_of_lines(p->w, p->a, time, list->from, list->to),
                            view_of_lines(p->w, p->b, time, list->from, list->to)},
                   .shift = list->shift,
                   .part = list->part,
                   .self = p->a == p->b,
                   .out = &wanted};
    traverse(&t, 0, 0);
    require_entries(list, &wanted);
    free(wanted.list);
    view_free(&t.view[0]);
    view_free(&t.view[1]);
}

// ---- brute force: the boxes of all blocks from their vertices

typedef struct exact_box {
    double lo[3];
    double hi[3];
} exact_box;

static exact_box* exact_boxes(const world* w, const actor* a) {
    const abut__body* body = abut__scene_body(w->scene, a->id);
    const abut__tree* tree = &body->shape->tree;
    exact_box* boxes = test_alloc(tree->block_count, sizeof *boxes);
    for (uint32_t b = 0; b < tree->block_count; ++b) {
        boxes[b] = (exact_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (uint32_t v = 0; v < tree->blocks[b]->vertex_count; ++v) {
            double x[3];
            abut__body_vertex(body, tree->blocks[b]->vertex[v], 1, x);
            for (int d = 0; d < 3; ++d) {
                boxes[b].lo[d] = fmin(boxes[b].lo[d], x[d]);
                boxes[b].hi[d] = fmax(boxes[b].hi[d], x[d]);
            }
        }
    }
    return boxes;
}

static double gap_between(const exact_box* a, const exact_box* b) {
    double gap = -INFINITY;
    for (int d = 0; d < 3; ++d) {
        gap = fmax(gap, fmax(a->lo[d] - b->hi[d], b->lo[d] - a->hi[d]));
    }
    return gap;
}

// boxes that are farther apart than this are apart in the list, too
static double allowance(const pair_of* p) {
    const actor* actors[2] = {p->a, p->b};
    double most = 0;
    for (int d = 0; d < 3; ++d) {
        most = fmax(most, fmax(-(double)p->list->shift.lo[d], (double)p->list->shift.hi[d]));
    }
    for (int i = 0; i < 2; ++i) {
        most += is_tight(p->w, actors[i]) ? (double)state_of(p->w, actors[i])->tight_pad : 0;
    }
    return 1.01 * most;
}

static void check_all_pairs(const pair_of* p) {
    const bool self = p->a == p->b;
    const uint32_t counts[2] = {abut__scene_body(p->w->scene, p->a->id)->shape->tree.block_count,
                                abut__scene_body(p->w->scene, p->b->id)->shape->tree.block_count};
    exact_box* boxes[2] = {exact_boxes(p->w, p->a), exact_boxes(p->w, p->b)};
    uint8_t* listed = test_alloc((size_t)counts[0] * counts[1], 1);
    memset(listed, 0, (size_t)counts[0] * counts[1]);
    entries all = entries_of(p->list);
    for (size_t i = 0; i < all.count; ++i) {
        if (all.list[i].overlap) {
            const size_t at = (size_t)abut__block_of(all.list[i].a) * counts[1] +
                              abut__block_of(all.list[i].b);
            REQUIRE(listed[at] == 0);
            listed[at] = 1;
        }
    }
    const double allowed = allowance(p);
    const bool least = is_least(p->w, p->a) && is_least(p->w, p->b);
    for (uint32_t i = 0; i < counts[0]; ++i) {
        for (uint32_t j = self ? i + 1 : 0; j < counts[1]; ++j) {
            const bool has = listed[(size_t)i * counts[1] + j] != 0 ||
                             (self && listed[(size_t)j * counts[1] + i] != 0);
            const double gap = gap_between(&boxes[0][i], &boxes[1][j]);
            REQUIRE(has || gap > 0);
            REQUIRE(!has || !least || gap <= allowed);
        }
    }
    free(all.list);
    free(listed);
    free(boxes[0]);
    free(boxes[1]);
}

// ---- plays

static void random_times(test_random* random, double times[KEYS_MOST]) {
    times[0] = random_double(random, -3, 3);
    for (uint32_t k = 1; k < KEYS_MOST; ++k) {
        times[k] = times[k - 1] + random_double(random, 0.2, 2);
    }
}

// mostly forward by a little, sometimes to a keyframe, anywhere, or nowhere
static double next_time(test_random* random, const double times[KEYS_MOST], double time) {
    const double kind = random_unit(random);
    const double first = times[0];
    const double last = times[KEYS_MOST - 1];
    return kind < 0.05   ? times[random_below(random, KEYS_MOST)]
           : kind < 0.1  ? random_double(random, first - 0.5, last + 0.5)
           : kind < 0.15 ? time
           : kind < 0.2  ? time - (last - first) * random_double(random, 0, 0.03)
                         : time + (last - first) * random_double(random, 0, 0.02);
}

// removes the next triangles of a surface, and adds some of the same region
static void edit_actor(test_random* random, const world* w, const actor* a, uint32_t* removed) {
    uint32_t gone[4];
    uint32_t added[3][3];
    abut_edit_work work;
    abut_shape* edited;
    const uint32_t count = a->s.triangle_count;
    motion_edit_def def = motion_edit_def_default();
    const uint32_t near = random_below(random, count);
    for (uint32_t left = random_below(random, 5); left > 0 && *removed < count / 2; --left) {
        gone[def.removed_triangle_count++] = (*removed)++;
    }
    def.added_triangle_count = random_below(random, 4);
    for (uint32_t i = 0; i < def.added_triangle_count; ++i) {
        for (uint32_t c = 0; c < 3; ++c) {
            added[i][c] = a->s.triangles[3 * ((near + i) % count) + (c + i) % 3];
        }
    }
    def.removed_triangles = gone;
    def.added_triangles = added[0];
    REQUIRE_OK(motion_edit(abut__scene_body(w->scene, a->id)->shape, &def, &edited, &work, NULL));
    REQUIRE_OK(abut_body_set_shape(w->scene, a->id, edited, (abut_positions){0}, NULL));
    abut_shape_destroy(edited);
}

typedef struct sums {
    uint64_t edits;
    uint64_t changed;
    uint64_t windows;
    uint64_t steps;
    uint64_t leaves;
    uint32_t round;
} sums;

static void play(test_random* random, world* w, const actor* a, const actor* b,
                 abut__list_form form, const double times[KEYS_MOST], double margin, sums* all) {
    const bool edited = random_chance(random, 0.5);
    uint32_t removed = 0;
    pair_of p = {w, a, b, abut__list_make(w->context, form)};
    double time = random_double(random, times[0], times[1]);
    for (uint32_t step = 0; step < 40; ++step, ++all->steps) {
        where("seed 66, round %u, step %u, time %.17g", all->round, step, time);
        set_times(&p, time);
        update_list(&p, margin);
        check_traversal(&p, time);
        check_all_pairs(&p);
        if (edited && random_chance(random, 0.3)) {
            edit_actor(random, w, a, &removed);
            update_list(&p, margin);
            check_traversal(&p, time);
            check_all_pairs(&p);
        }
        all->leaves += p.list->leaf_count;
        time = next_time(random, times, time);
        if (random_chance(random, 0.05)) {
            set_times(&p, time);  // a state that the list does not see
            time = next_time(random, times, time);
        }
    }
    all->edits += p.list->counts.edits;
    all->changed += p.list->counts.changed;
    all->windows += p.list->counts.windows;
    abut__list_free(p.list);
}

static void test_lists_are_those_of_the_trees_boxes(void** state) {
    (void)state;
    test_random random = random_seed(66);
    sums all = {0};
    for (uint32_t round = 0; round < effort(60, 240, 3000); ++round) {
        world w = random_world(&random);
        double times[KEYS_MOST];
        random_times(&random, times);
        const plan_kind kind = (plan_kind)(round % PLAN_KINDS);
        const double size = random_chance(&random, 0.5)
                                ? 1
                                : ldexp(1, random_between(&random, -60, 60));
        const abut_flight_bound bound = random_chance(&random, 0.6) ? ABUT_FLIGHT_BOUND_KINETIC
                                                                    : ABUT_FLIGHT_BOUND_LINEAR;
        actor a = add_bounded_actor(&w, &random, kind, KEYS_MOST, times, size,
                                    ABUT_FLIGHT_BOUND_KINETIC);
        actor b = add_bounded_actor(&w, &random, random_chance(&random, 0.5) ? kind : PLAN_SMOOTH,
                                    random_chance(&random, 0.3) ? 0 : KEYS_MOST, times, size,
                                    bound);
        const double margin = random_chance(&random, 0.2) ? 0.05 * size : 0;
        all.round = round;
        play(&random, &w, &a, random_chance(&random, 0.3) ? &a : &b, (abut__list_form)(round % 2),
             times, margin, &all);
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
    }
    print_message(
        "%llu pairs of nodes examined for changed boxes, %llu edits followed, %llu of %llu states "
        "started anew, %llu pairs of blocks\n",
        (unsigned long long)all.changed, (unsigned long long)all.edits,
        (unsigned long long)all.windows, (unsigned long long)all.steps,
        (unsigned long long)all.leaves);
    REQUIRE(all.changed > effort(100, 1000, 10000) && all.leaves > 0);
    REQUIRE(all.edits > effort(100, 500, 5000));
    REQUIRE(all.windows < all.steps * 3 / 4);
}

// The same motion by both kinds of boxes: those of the kinetic tree overlap less.
static void test_lists_are_shorter_than_by_linear_boxes(void** state) {
    (void)state;
    static const abut_flight_bound bounds[2] = {ABUT_FLIGHT_BOUND_KINETIC,
                                                ABUT_FLIGHT_BOUND_LINEAR};
    uint64_t leaves[2] = {0, 0};
    for (uint32_t round = 0; round < effort(6, 20, 200); ++round) {
        for (int i = 0; i < 2; ++i) {
            test_random random = random_seed(6700 + round);
            world w = world_make(NULL, NULL);
            const double times[KEYS_MOST] = {0, 1, 2, 3};
            actor a = add_bounded_actor(&w, &random, PLAN_SMOOTH, KEYS_MOST, times, 1, bounds[i]);
            actor b = add_bounded_actor(&w, &random, PLAN_ANY, 0, times, 1, bounds[i]);
            pair_of p = {&w, &a, &b, abut__list_make(w.context, ABUT__LIST_BATCHED)};
            for (uint32_t step = 0; step < 60; ++step) {
                where("seed %u, step %u", 6700 + round, step);
                set_times(&p, step / 20.0);
                update_list(&p, 0);
                leaves[i] += p.list->leaf_count;
            }
            abut__list_free(p.list);
            world_free(&w);
            actor_free(&a);
            actor_free(&b);
        }
    }
    print_message("pairs of blocks: %llu by kinetic boxes, %llu by linear ones\n",
                  (unsigned long long)leaves[0], (unsigned long long)leaves[1]);
    REQUIRE(leaves[0] > 0 && leaves[0] < leaves[1]);
}

// A step examines pairs that are due, or whose boxes changed: without events, none.
static void test_steps_without_events_cost_nothing(void** state) {
    (void)state;
    test_random random = random_seed(68);
    for (uint32_t round = 0; round < effort(10, 40, 600); ++round) {
        world w = random_world(&random);
        const double times[KEYS_MOST] = {0, 1, 2, 3};
        const plan_kind kind = round % 2 == 0 ? PLAN_SHIFT : PLAN_STILL;
        actor a = add_bounded_actor(&w, &random, kind, 2, times, 1, ABUT_FLIGHT_BOUND_KINETIC);
        actor b = add_bounded_actor(&w, &random, kind, 2, times, 1, ABUT_FLIGHT_BOUND_KINETIC);
        pair_of p = {&w, &a, &b, abut__list_make(w.context, (abut__list_form)(round / 2 % 2))};
        where("seed 68, round %u", round);
        set_times(&p, 0.01);
        update_list(&p, 0);
        const uint64_t looked = p.list->counts.looked;
        for (uint32_t step = 1; step < 40; ++step) {
            set_times(&p, 0.01 + step / 50.0);
            update_list(&p, 0);
        }
        REQUIRE(p.list->counts.looked == looked && p.list->counts.windows == 1);
        abut__list_free(p.list);
        world_free(&w);
        actor_free(&a);
        actor_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_those_of_the_trees_boxes),
        cmocka_unit_test(test_lists_are_shorter_than_by_linear_boxes),
        cmocka_unit_test(test_steps_without_events_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
