// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A stack of ABUT_STACK_BYTES suffices for every call. Building, states, edits, queries of every
// kind on bodies of every motion and the deepest exact decisions run on a thread with a stack of
// just that size and a guard page below it. This thread is in a separate process, so that an
// overflow is a failure that names the step.
#define _GNU_SOURCE

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/hubs.h"
#include "support/queries.h"
#include "support/scenery.h"
#include "support/motion_def.h"

#if defined(ABUT_SANITIZED)
#define STACK_BYTES ((size_t)4 << 20)  // the sanitizer's frames are many times larger
#else
#define STACK_BYTES ((size_t)ABUT_STACK_BYTES)
#endif
#define PAGE ((size_t)4096)
#define PAINT 0x5a

// ---- steps: each returns true if its calls succeeded

static bool decide_extremes(zoo* z, tools* t) {
    (void)z;
    (void)t;
    // exact ties at both ends of the range of doubles need the widest integers
    static const double p[3][3] = {{0, 0, 0}, {1e300, 0, 0}, {0, 1e300, 5e-324}};
    static const double q[3][3] = {{1e299, 1e299, 0}, {1e299, 1e299, 1e300}, {5e-324, 0, 1e300}};
    bool answer = false;
    abut_intersection shared;
    abut_distance measured;
    return abut_triangles_touch(p, q, &answer, &shared) == ABUT_OK &&
           abut_triangles_within(p, q, 1e-300, &answer) == ABUT_OK &&
           abut_triangles_distance(p, q, &measured) == ABUT_OK;
}

static bool sweep_extremes(zoo* z, tools* t) {
    (void)z;
    (void)t;
    static const double from[2][4][3] = {
        {{0, 0, 1e300}, {0, 0, 0}, {1e300, 0, 5e-324}, {0, 1e300, 0}},
        {{0.1, 0.1, 0.3}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    static const double to[2][4][3] = {
        {{1e299, 1e299, -1e300}, {0, 0, 5e-324}, {1e300, 0, 0}, {0, 1e300, 0}},
        {{0.1, 0.1, -0.3}, {0, 0, 0}, {1, 0, 0.1}, {0, 1, 0.1}}};
    abut_sweep_contact found[2];
    return abut_vertex_face_sweep(NULL, 2, from, to, 1e-8, 0.01, found) == ABUT_OK &&
           abut_edge_edge_sweep(NULL, 2, from, to, 1e-8, 0, found) == ABUT_OK;
}

static bool run_every_query(zoo* z, tools* t) {
    for (uint32_t k = 0; k < ALL_QUERIES; ++k) {
        (void)query_one(z, k, t);
    }
    return true;
}

static bool query_with_options(zoo* z, tools* t) {
    bool done = true;
    for (int kind = 0; kind < QUERY_KINDS; ++kind) {
        for (int mode = 0; mode < 4; ++mode) {
            abut_collide_def def = abut_collide_def_default();
            def.margin = mode == 1 ? 0.001 : 0;
            def.intersections = mode < 2;
            def.include_neighbours = mode == 2 && (kind == QUERY_SELF || kind == QUERY_SELF_ALL);
            def.culling.kind = mode == 3 ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
            done = done && run_query(z->world.scene, (query_kind)kind, z->body[0], z->body[1], &def,
                                     t->result) == ABUT_OK;
        }
    }
    return done;
}

static bool query_culled_by_voronoi(zoo* z, tools* t) {
    const abut_scene* bodies = z->world.scene;
    abut_sweep_def def = abut_sweep_def_default();
    abut_nearest_def near = abut_nearest_def_default();
    abut_within_def within = abut_within_def_default();
    def.culling.kind = near.culling.kind = within.culling.kind = ABUT_CULLING_VORONOI;
    within.distance = 0.25;
    return abut_sweep(bodies, z->body[0], z->body[1], &def, t->swept, NULL) == ABUT_OK &&
           abut_sweep_self_all(bodies, &def, t->swept, NULL) == ABUT_OK &&
           abut_nearest_triangles(bodies, z->body[0], &near, t->nearest, NULL) == ABUT_OK &&
           abut_nearest_self(bodies, z->body[1], &near, t->nearest, NULL) == ABUT_OK &&
           abut_within_all(bodies, &within, t->within, NULL) == ABUT_OK;
}

static bool query_in_pieces(zoo* z, tools* t) {
    abut_front* front = NULL;
    bool done = abut_front_create(t->context, &front, NULL) == ABUT_OK;
    abut_changes* changes = NULL;
    done = done && abut_changes_create(t->context, &changes, NULL) == ABUT_OK;
    for (int kind = QUERY_COLLIDE_ALL; kind <= QUERY_SELF_ALL; ++kind) {
        for (int step = 0; step < 6 && done; ++step) {
            abut_collide_def def = abut_collide_def_default();
            def.front = front;
            def.budget = step % 2 == 0 ? 100 : 0;
            abut_status status = ABUT_INCOMPLETE;
            while (status == ABUT_INCOMPLETE) {
                status = run_query(z->world.scene, (query_kind)kind, z->body[0], z->body[1], &def,
                                   t->result);
            }
            done = status == ABUT_OK && abut_changes_update(changes, t->result, NULL) == ABUT_OK;
            zoo_move(z, 0.3 * step);
        }
        abut_front_clear(front);
    }
    abut_changes_destroy(changes);
    abut_front_destroy(front);
    return done;
}

static bool edit_shapes(zoo* z, tools* t) {
    abut_scene* bodies = z->world.scene;
    for (int i = 0; i < ZOO_BODIES; ++i) {
        for (int rebuild = 0; rebuild < 2; ++rebuild) {
            const uint32_t added[3] = {0, 1, 12};
            const uint32_t removed = 5 + (uint32_t)rebuild;
            motion_edit_def def = motion_edit_def_default();
            def.removed_triangles = &removed;
            def.removed_triangle_count = 1;
            def.added_triangles = added;
            def.added_triangle_count = 1;
            def.rebuild = rebuild != 0;
            abut_shape* made = NULL;
            if (motion_edit(abut_body_shape(bodies, z->body[i]), &def, &made, NULL, NULL) !=
                    ABUT_OK ||
                abut_body_set_shape(bodies, z->body[i], made, (abut_positions){0}, NULL) !=
                    ABUT_OK) {
                return false;
            }
            abut_shape_destroy(made);
        }
        abut_body_rebuild_tree(bodies, z->body[i], 1, NULL, NULL);
    }
    zoo_move(z, 0.5);
    return query_with_options(z, t);
}

static bool inspect(zoo* z, tools* t) {
    (void)t;
    bool done = true;
    for (int i = 0; i < ZOO_BODIES; ++i) {
        abut_tree_info stats;
        abut_box box;
        size_t count;
        double centre[3];
        double radius;
        double degradation;
        const abut_scene* bodies = z->world.scene;
        done = done && abut_body_validate(bodies, z->body[i], NULL) == ABUT_OK &&
               abut_body_inspect(bodies, z->body[i], &stats, NULL) == ABUT_OK &&
               abut_body_level_boxes(bodies, z->body[i], 1, &box, 1, &count, NULL) == ABUT_OK &&
               abut_body_sphere(bodies, z->body[i], centre, &radius, NULL) == ABUT_OK &&
               abut_body_tree_degradation(bodies, z->body[i], &degradation, NULL) == ABUT_OK &&
               abut_shape_validate(abut_body_shape(bodies, z->body[i]), NULL) == ABUT_OK;
    }
    return done;
}

static bool weigh_nodes(zoo* z, tools* t) {
    abut_mls_def def = abut_mls_def_default();
    def.nodes = abut_positions_f64(z->rest[0].xyz, z->rest[0].vertex_count);
    abut_mls* mls = NULL;
    abut_mls_weights* weights = NULL;
    double* out = test_alloc(12 * (size_t)def.nodes.count, sizeof *out);
    const bool done = abut_mls_create(t->context, &def, &mls, NULL) == ABUT_OK &&
                      abut_mls_weights_create(mls, def.nodes, &weights, NULL) == ABUT_OK &&
                      abut_mls_transforms(mls, def.nodes, out, NULL) == ABUT_OK;
    abut_mls_weights_destroy(weights);
    abut_mls_destroy(mls);
    free(out);
    return done;
}

// plans, with every bound of a flight body
static bool fly_by_plans(zoo* z, tools* t) {
    static const int bounds[] = {ABUT_FLIGHT_BOUND_KINETIC, ABUT_FLIGHT_BOUND_BOXTREE,
                                 ABUT_FLIGHT_BOUND_LINEAR};
    bool done = true;
    for (int i = 0; i < 3; ++i) {
        motion_def def = motion_def_default();
        def.motion = ABUT_MOTION_FLIGHT;
        def.bound = bounds[i];
        const abut_body_id body = world_add(&z->world, &z->rest[0], &def, NULL);
        const abut_positions velocities = abut_positions_f64(z->rest[1].xyz,
                                                             z->rest[1].vertex_count);
        const abut_plans_def plans = {.velocities = velocities};
        done = done && plans_set(z->world.scene, body, &plans, NULL) == ABUT_OK;
        for (int step = 1; step < 5; ++step) {
            done = done && abut_body_set_time(z->world.scene, body, 0.05 * step, NULL) == ABUT_OK &&
                   abut_collide_self(z->world.scene, body, NULL, t->result, NULL) == ABUT_OK;
        }
        done = done && abut_body_destroy(z->world.scene, body, NULL) == ABUT_OK;
    }
    return done;
}

// surfaces with deep trees, or with vertices of very many triangles
static bool query_hubs(zoo* z, tools* t) {
    (void)z;
    for (int kind = 0; kind < HUB_KINDS; ++kind) {
        world w = world_make(NULL, NULL);
        surface s = hub_surface((hub_kind)kind, 600);
        motion_def def = motion_def_default();
        def.fan_out = 2;
        def.block_triangles = 1;
        const abut_body_id body = world_add(&w, &s, &def, NULL);
        abut_collide_def query = abut_collide_def_default();
        query.include_neighbours = kind % 2 == 0;
        const bool done = abut_collide_self(w.scene, body, &query, w.result, NULL) == ABUT_OK;
        surface_free(&s);
        world_free(&w);
        if (!done) {
            return false;
        }
    }
    (void)t;
    return true;
}

static bool play_scene(zoo* z, tools* t) {
    (void)z;
    (void)t;
    scenery s = scenery_make(scene_create("tablecloth", 8000, 0, 1), NULL);
    bool done = true;
    for (uint32_t f = 0; f < scene_frame_count(s.source) && done; f += 6) {
        scenery_set_frame(&s, f);
        done = abut_collide_all(s.world.scene, NULL, s.world.result, NULL) == ABUT_OK &&
               abut_collide_self_all(s.world.scene, NULL, s.world.result, NULL) == ABUT_OK &&
               abut_sweep_all(s.world.scene, NULL, s.world.swept, NULL) != ABUT_ERR_NO_MEMORY &&
               abut_body_rebuild_tree(s.world.scene, s.body[0], 1, NULL, NULL) == ABUT_OK;
    }
    scenery_free(&s);
    return done;
}

static const struct {
    const char* name;
    bool (*run)(zoo* z, tools* t);
} steps[] = {
    {"exact decisions", decide_extremes},
    {"exact sweeps", sweep_extremes},
    {"every query", run_every_query},
    {"options", query_with_options},
    {"Voronoi culling", query_culled_by_voronoi},
    {"fronts, budgets and changes", query_in_pieces},
    {"edits", edit_shapes},
    {"inspection", inspect},
    {"weights of nodes", weigh_nodes},
    {"plans", fly_by_plans},
    {"hubs", query_hubs},
    {"a scene", play_scene},
};
#define STEPS (sizeof steps / sizeof *steps)

// ---- a process with a thread of a given stack size

typedef struct report {
    uint32_t step;  // the current step; STEPS when all are done
    bool made;
    bool right[STEPS];
    size_t used[STEPS];
} report;

typedef struct stack {
    char* bottom;  // the guard page is below
    size_t bytes;
    report* report;
} stack;

#if defined(ABUT_SANITIZED)
// a sanitizer checks the stack itself
static size_t used_of(const stack* s) {
    (void)s;
    return 0;
}
static void paint(const stack* s) {
    (void)s;
}
#else
// the stack used since it was painted, by its lowest changed byte
static size_t used_of(const stack* s) {
    size_t free_bytes = 0;
    while (free_bytes < s->bytes && s->bottom[free_bytes] == PAINT) {
        ++free_bytes;
    }
    return s->bytes - free_bytes;
}

// paints the stack down to the guard page, except a reserve for this call
__attribute__((noinline)) static void paint(const stack* s) {
    char here;
    memset(s->bottom, PAINT, (size_t)(&here - s->bottom) - 2048);
}
#endif

static void* run(void* argument) {
    const stack* s = argument;
    zoo* z = malloc(sizeof *z);
    tools t = {0};
    zoo_open(z, 3, 6, NULL, NULL);
    s->report->made = tools_make(&t, z->world.context);
    for (uint32_t i = 0; i < STEPS && s->report->made; ++i) {
        s->report->step = i;
        paint(s);
        s->report->right[i] = steps[i].run(z, &t);
        s->report->used[i] = used_of(s);
    }
    tools_free(&t);
    zoo_close(z);
    free(z);
    s->report->step = STEPS;
    return NULL;
}

static void run_on_stack(report* out, size_t bytes) {
    char* memory = mmap(NULL, PAGE + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                        0);
    stack s = {memory + PAGE, bytes, out};
    pthread_attr_t attributes;
    pthread_t thread;
    if (memory == MAP_FAILED || mprotect(memory, PAGE, PROT_NONE) != 0 ||
        pthread_attr_init(&attributes) != 0 ||
        pthread_attr_setstack(&attributes, s.bottom, bytes) != 0 ||
        pthread_create(&thread, &attributes, run, &s) != 0) {
        _exit(2);
    }
    pthread_join(thread, NULL);
    _exit(0);
}

// true if all steps finished on a stack of so many bytes
static bool all_end(size_t bytes, report* out) {
    report* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                          -1, 0);
    assert_true(shared != MAP_FAILED);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        run_on_stack(shared, bytes);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    *out = *shared;
    munmap(shared, sizeof *shared);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_the_promised_stack_is_enough(void** state) {
    (void)state;
    report r;
    const bool ended = all_end(STACK_BYTES, &r);
    for (uint32_t i = 0; i < r.step && i < STEPS; ++i) {
        print_message("%-28s %6zu bytes of stack\n", steps[i].name, r.used[i]);
    }
    if (!ended || r.step != STEPS) {
        fail_msg("a stack of %zu bytes is too small for: %s", STACK_BYTES,
                 r.step < STEPS ? steps[r.step].name : "the end");
    }
    for (uint32_t i = 0; i < STEPS; ++i) {
        if (!r.right[i]) {
            fail_msg("%s: a call failed", steps[i].name);
        }
    }
}

#if !defined(ABUT_SANITIZED)
// Proof that the test above can fail: an overflow ends the process, and the step is reported.
static void test_a_small_stack_is_noticed(void** state) {
    (void)state;
    report r;
    assert_false(all_end((size_t)32 << 10, &r));
    assert_true(r.step < STEPS);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_promised_stack_is_enough),
#if !defined(ABUT_SANITIZED)
        cmocka_unit_test(test_a_small_stack_is_noticed),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
