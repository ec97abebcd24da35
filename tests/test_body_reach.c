// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A free body of which another process has only the vertices that matter: a second body in the same scene
// gets their positions, and stand-ins for all others. Queries with bodies of all motions must give the
// rows of the first body after as many exact tests.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/memory.h"
#include "support/motions.h"

#define STEPS 3

// A body, its copy that has stand-ins, and another one of any motion.
typedef struct pair_of_bodies {
    world w;
    test_random random;
    surface s;
    mover other;
    abut_body_id body;
    abut_body_id copy;
    abut_body_id third;
    abut_within_result* within;
    double* xyz[2];  // before the step and now
    double* fake;
    uint64_t* marks[2];
    uint32_t* stand_ins;
    double thickness[2];
    bool floats;
    size_t marked;
    size_t all;
    size_t rows;
} pair_of_bodies;

static surface draw_surface(test_random* random) {
    switch (random_below(random, 4)) {
        case 0: return surface_ball(20, 36, 1);
        case 1: return surface_soup(random, 700, 1, 0.1, 0x1p-8);
        default: return surface_sheet(32, 32, 2);
    }
}

static void open_bodies(pair_of_bodies* p, uint64_t seed) {
    static const motion_row* const rows[4] = {&motion_free, &motion_modal, &motion_blend,
                                              &motion_flight};
    memset(p, 0, sizeof *p);
    p->random = random_seed(seed);
    p->w = world_make(NULL, NULL);
    p->s = draw_surface(&p->random);
    const motion_row* row = rows[random_below(&p->random, 4)];
    p->other = mover_make(row, random_below(&p->random, row->variants), surface_ball(6, 9, 0.15),
                          &p->random);
    abut_body_def def = abut_body_def_default();
    def.keeps_tree = true;
    const motion_def free_def = motion_def_default();
    const motion_def other_def = mover_def(&p->other);
    abut_shape* shape = world_shape(&p->w, &p->s, &free_def);
    REQUIRE_OK(abut_body_create(p->w.scene, shape, &def, &p->body, NULL));
    REQUIRE_OK(abut_body_create(p->w.scene, shape, &def, &p->copy, NULL));
    abut_shape_destroy(shape);
    p->third = world_add(&p->w, &p->other.surface, &other_def, &def);
    for (int k = 0; k < 3; ++k) {
        const abut_body_id body = k == 0 ? p->body : k == 1 ? p->copy : p->third;
        REQUIRE_OK(abut_body_set_steady(p->w.scene, body, true, NULL));
    }
    REQUIRE_OK(abut_within_result_create(p->w.context, &p->within, NULL));
    const size_t count = p->s.vertex_count;
    p->xyz[0] = test_alloc(3 * count, sizeof(double));
    p->xyz[1] = test_alloc(3 * count, sizeof(double));
    p->fake = test_alloc(3 * count, sizeof(double));
    p->stand_ins = test_alloc(count, sizeof(uint32_t));
    p->marks[0] = test_alloc(count / 64 + 1, sizeof(uint64_t));
    p->marks[1] = test_alloc(count / 64 + 1, sizeof(uint64_t));
    p->floats = random_chance(&p->random, 0.5);
    memcpy(p->xyz[1], p->s.xyz, 3 * count * sizeof(double));
}

static void close_bodies(pair_of_bodies* p) {
    abut_within_result_destroy(p->within);
    free(p->xyz[0]);
    free(p->xyz[1]);
    free(p->fake);
    free(p->stand_ins);
    free(p->marks[0]);
    free(p->marks[1]);
    mover_free(&p->other);
    surface_free(&p->s);
    world_free(&p->w);
}

// moves the body: waves, or steps of a grid, so that boxes end at the same numbers; maybe far away
static void move_body(pair_of_bodies* p, double far) {
    test_random* random = &p->random;
    double* swap = p->xyz[0];
    p->xyz[0] = p->xyz[1];
    p->xyz[1] = swap;
    const bool grid = random_chance(random, 0.3);
    const double wave = random_double(random, 0, 0.4);
    const double phase = random_double(random, 0, 6);
    for (uint32_t v = 0; v < p->s.vertex_count; ++v) {
        for (uint32_t d = 0; d < 3; ++d) {
            const double rest = p->s.xyz[3 * v + d];
            const double moved = rest + wave * sin(5 * p->s.xyz[3 * v + (d + 1) % 3] + phase) + far;
            p->xyz[1][3 * v + d] = (double)(float)(grid ? floor(moved * 32) / 32 : moved);
        }
    }
}

static void set_positions(const pair_of_bodies* p, abut_body_id body, const double* xyz) {
    const size_t count = p->s.vertex_count;
    if (!p->floats) {
        REQUIRE_OK(abut_body_set_positions(p->w.scene, body, abut_positions_f64(xyz, count), NULL));
        return;
    }
    float* rounded = test_alloc(3 * count, sizeof *rounded);
    for (size_t i = 0; i < 3 * count; ++i) {
        rounded[i] = (float)xyz[i];
    }
    REQUIRE_OK(abut_body_set_positions(p->w.scene, body, abut_positions_f32(rounded, count), NULL));
    free(rounded);
}

static double world_z(const pair_of_bodies* p, const abut_frame* frame, size_t v) {
    const double* x = p->xyz[1] + 3 * v;
    return frame->r[2][0] * x[0] + frame->r[2][1] * x[1] + frame->r[2][2] * x[2];
}

// lifts the other body so far that its box is just above: only the pads of queries reach it
static void hover(const pair_of_bodies* p, double gap) {
    abut_box below;
    abut_box above;
    REQUIRE_OK(abut_body_box(p->w.scene, p->body, &below, NULL));
    REQUIRE_OK(abut_body_box(p->w.scene, p->third, &above, NULL));
    abut_frame frame = abut_body_frame(p->w.scene, p->third);
    frame.t[2] += below.hi[2] - above.lo[2] + gap;
    REQUIRE_OK(abut_body_set_frame(p->w.scene, p->third, &frame, NULL));
}

// puts the other body near some vertex, or just above the highest one, at a random turn or none
static void place_third(pair_of_bodies* p, const abut_frame* frame) {
    const bool hovers = random_chance(&p->random, 0.25);
    uint32_t v = random_below(&p->random, p->s.vertex_count);
    for (uint32_t i = 0; i < p->s.vertex_count && hovers; ++i) {
        v = world_z(p, frame, i) > world_z(p, frame, v) ? i : v;
    }
    abut_frame from = random_chance(&p->random, 0.5) ? frame_random(&p->random, 0)
                                                     : abut_frame_identity();
    abut_frame to = from;
    const bool exact = random_chance(&p->random, 0.3);
    for (int d = 0; d < 3; ++d) {
        double at = frame->t[d];
        for (int k = 0; k < 3; ++k) {
            at += frame->r[d][k] * p->xyz[1][3 * (size_t)v + (size_t)k];
        }
        to.t[d] = at + (exact ? 0.125 : random_double(&p->random, -0.2, 0.2));
        from.t[d] = to.t[d] + random_double(&p->random, -0.05, 0.05);
    }
    REQUIRE_OK(abut_body_set_frame_step(p->w.scene, p->third, &from, &to, NULL));
    mover_draw(&p->other, &p->random, random_chance(&p->random, 0.7) ? STATE_NEAR : STATE_ORDINARY);
    REQUIRE_OK(mover_set(&p->other, p->w.scene, p->third));
    if (hovers) {
        hover(p, pow(10, random_double(&p->random, -7, -3)));
    }
}

// the box of the other body, grown by all that a query adds
static abut_box box_of_third(const pair_of_bodies* p, bool step, double margin) {
    abut_box box;
    double slack;
    if (step) {
        REQUIRE_OK(abut_sweep_box(p->w.scene, p->third, &box, NULL));
    } else {
        REQUIRE_OK(abut_body_box(p->w.scene, p->third, &box, NULL));
    }
    REQUIRE_OK(abut_body_box_slack(p->w.scene, p->third, &slack, NULL));
    const double grow = (margin + p->thickness[0] + p->thickness[1]) * (1 + 0x1p-15) + slack;
    for (int d = 0; d < 3; ++d) {
        box.lo[d] -= grow;
        box.hi[d] += grow;
    }
    return box;
}

static void fake_state(pair_of_bodies* p, const uint64_t* marks, const double* xyz) {
    const abut_shape* shape = abut_body_shape(p->w.scene, p->body);
    REQUIRE_OK(abut_shape_stand_ins(shape, marks, p->stand_ins, NULL));
    for (uint32_t v = 0; v < p->s.vertex_count; ++v) {
        const uint32_t from = p->stand_ins[v];
        REQUIRE(from < p->s.vertex_count && (marks[from / 64] >> from % 64 & 1) != 0);
        memcpy(p->fake + 3 * (size_t)v, xyz + 3 * (size_t)from, 3 * sizeof(double));
    }
    set_positions(p, p->copy, p->fake);
}

// Gives the copy what matters. More marks do no harm, and need not be the same before the step.
static void fake_body(pair_of_bodies* p, bool step, double margin) {
    const size_t words = p->s.vertex_count / 64 + 1;
    const abut_box box = box_of_third(p, step, margin);
    REQUIRE_OK(abut_body_reached_vertices(p->w.scene, p->body, step, &box, 1, p->marks[1], NULL));
    for (uint32_t v = 0; v < p->s.vertex_count; ++v) {
        p->marked += p->marks[1][v / 64] >> v % 64 & 1;
        ++p->all;
    }
    memcpy(p->marks[0], p->marks[1], words * sizeof *p->marks[0]);
    if (random_chance(&p->random, 0.3)) {
        const uint32_t first = random_below(&p->random, p->s.vertex_count);
        for (uint32_t v = first; v < p->s.vertex_count && v < first + 99; ++v) {
            p->marks[0][v / 64] |= UINT64_C(1) << v % 64;
        }
    }
    if (step) {
        fake_state(p, p->marks[0], p->xyz[0]);
    }
    fake_state(p, p->marks[1], p->xyz[1]);
}

// rows begin with the bodies, of which the copy counts as the first one
static void compare_rows(pair_of_bodies* p, const void* rows, size_t count, void* copies,
                         size_t copy_count, size_t size, const abut_counters work[2]) {
    REQUIRE(count == copy_count);
    REQUIRE(work[0].exact_tests == work[1].exact_tests);
    // boxes of other motions may stick out of the box of the whole, and are compared in vain
    if (p->other.row == &motion_free && work[0].exact_tests > 0) {
        REQUIRE(work[0].boxes_tested == work[1].boxes_tested);
    }
    for (size_t i = 0; i < count; ++i) {
        uint32_t* row = (void*)((char*)copies + i * size);
        for (int k = 0; k < 2; ++k) {
            row[k] = row[k] == p->copy.index ? p->body.index : row[k];
        }
    }
    REQUIRE(count == 0 || memcmp(rows, copies, count * size) == 0);
    p->rows += count;
}

#define MOST_ROWS 20000

// asks about both, and compares; 0: collide, 1: within, 2: sweep
static void ask(pair_of_bodies* p, uint32_t which, double margin) {
    abut_counters work[2] = {0};
    const void* rows = NULL;
    size_t count[2];
    size_t size = 0;
    static char first[MOST_ROWS * sizeof(abut_sweep_pair)];
    static char second[MOST_ROWS * sizeof(abut_sweep_pair)];
    for (int k = 0; k < 2; ++k) {
        const abut_body_id body = k == 0 ? p->body : p->copy;
        abut_collide_def collide = abut_collide_def_default();
        abut_within_def within = abut_within_def_default();
        abut_sweep_def sweep = abut_sweep_def_default();
        collide.margin = within.distance = sweep.margin = margin;
        collide.head.counters = within.head.counters = sweep.head.counters = &work[k];
        if (which == 0) {
            REQUIRE_OK(abut_collide(p->w.scene, body, p->third, &collide, p->w.result, NULL));
            rows = abut_collide_result_pairs(p->w.result, &count[k]);
            size = sizeof(abut_pair);
        } else if (which == 1) {
            REQUIRE_OK(abut_within(p->w.scene, body, p->third, &within, p->within, NULL));
            rows = abut_within_result_pairs(p->within, &count[k]);
            size = sizeof(abut_distance_pair);
        } else {
            REQUIRE_OK(abut_sweep(p->w.scene, body, p->third, &sweep, p->w.swept, NULL));
            rows = abut_sweep_result_pairs(p->w.swept, &count[k]);
            size = sizeof(abut_sweep_pair);
        }
        REQUIRE(count[k] <= MOST_ROWS);
        if (count[k] > 0) {
            memcpy(k == 0 ? first : second, rows, count[k] * size);
        }
    }
    compare_rows(p, first, count[0], second, count[1], size, work);
}

static void set_thickness(pair_of_bodies* p) {
    p->thickness[0] = random_chance(&p->random, 0.3) ? random_double(&p->random, 0, 0.05) : 0;
    p->thickness[1] = random_chance(&p->random, 0.3) ? random_double(&p->random, 0, 0.05) : 0;
    REQUIRE_OK(abut_body_set_thickness(p->w.scene, p->body, p->thickness[0], NULL));
    REQUIRE_OK(abut_body_set_thickness(p->w.scene, p->copy, p->thickness[0], NULL));
    REQUIRE_OK(abut_body_set_thickness(p->w.scene, p->third, p->thickness[1], NULL));
}

static void run_seed(uint64_t seed, size_t totals[3]) {
    pair_of_bodies p;
    open_bodies(&p, seed);
    set_thickness(&p);
    const double far = random_chance(&p.random, 0.4) ? 700 : random_chance(&p.random, 0.2) ? 64 : 0;
    move_body(&p, far);
    set_positions(&p, p.body, p.xyz[1]);
    for (int step = 0; step < STEPS; ++step) {
        where("seed %llu, step %d, %s", (unsigned long long)seed, step, p.other.row->name);
        uint32_t which = random_below(&p.random, 3);
        const double margin = random_chance(&p.random, 0.5) ? random_double(&p.random, 0, 0.05) : 0;
        const abut_frame frame = random_chance(&p.random, 0.5) ? frame_random(&p.random, 3)
                                                               : abut_frame_identity();
        move_body(&p, far);
        set_positions(&p, p.body, p.xyz[1]);
        REQUIRE_OK(abut_body_set_frame(p.w.scene, p.body, &frame, NULL));
        REQUIRE_OK(abut_body_set_frame(p.w.scene, p.copy, &frame, NULL));
        place_third(&p, &frame);
        if (abut_sweep(p.w.scene, p.body, p.third, NULL, p.w.swept, NULL) != ABUT_OK) {
            which = 0;  // new plans, or an earlier time: there is no step
        }
        fake_body(&p, which == 2, margin);
        ask(&p, which, margin);
    }
    totals[0] += p.rows;
    totals[1] += p.marked;
    totals[2] += p.all;
    close_bodies(&p);
}

static void test_parts_answer_as_the_whole(void** state) {
    (void)state;
    size_t totals[3] = {0};
    const uint32_t seeds = effort(16, 100, 2000);
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
        run_seed(seed, totals);
    }
    print_message("%zu rows; of %zu vertices %zu matter\n", totals[0], totals[2], totals[1]);
    assert_true(totals[0] > seeds && 2 * totals[1] < totals[2]);
}

static void test_bad_arguments(void** state) {
    (void)state;
    world w = world_make(NULL, NULL);
    surface s = surface_sheet(3, 3, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_MODAL;
    const abut_body_id modal = world_add(&w, &s, &def, NULL);
    const abut_box box = {{0, 0, 0}, {1, 1, 1}};
    uint64_t marks[1];
    uint32_t vertices[16];
    double slack = 0;
    const abut_body_id none = {77, 1};
    REQUIRE_STATUS(abut_body_box_slack(w.scene, none, &slack, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_box_slack(w.scene, body, NULL, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_reached_vertices(w.scene, none, false, &box, 1, marks, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_reached_vertices(w.scene, modal, false, &box, 1, marks, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_reached_vertices(w.scene, body, false, NULL, 1, marks, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_body_reached_vertices(w.scene, body, false, &box, 1, NULL, NULL),
                   ABUT_ERR_INVALID_ARGUMENT);
    const abut_shape* shape = abut_body_shape(w.scene, body);
    marks[0] = 0;
    REQUIRE_STATUS(abut_shape_stand_ins(shape, marks, vertices, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_STATUS(abut_shape_stand_ins(NULL, marks, vertices, NULL), ABUT_ERR_INVALID_ARGUMENT);
    REQUIRE_OK(abut_body_box_slack(w.scene, body, &slack, NULL));
    REQUIRE(slack > 0 && slack < 0x1p-14);
    REQUIRE_OK(abut_body_reached_vertices(w.scene, body, false, NULL, 0, marks, NULL));
    REQUIRE_OK(abut_shape_stand_ins(shape, marks, vertices, NULL));
    surface_free(&s);
    world_free(&w);
}

static void test_no_memory_is_reported(void** state) {
    (void)state;
    test_memory memory;
    abut_context_def def = memory_context_def(&memory);
    world w = world_make(&def, NULL);
    surface s = surface_sheet(9, 9, 1);
    const abut_body_id body = world_add(&w, &s, NULL, NULL);
    const abut_box box = {{0, 0, -1}, {0.1, 0.1, 1}};
    uint64_t marks[2];
    uint32_t vertices[100];
    abut_status status = ABUT_ERR_NO_MEMORY;
    for (size_t n = 1; status == ABUT_ERR_NO_MEMORY && n < 1000; ++n) {
        memory_fail(&memory, n, false);
        status = abut_body_reached_vertices(w.scene, body, false, &box, 1, marks, NULL);
        status = status == ABUT_OK
                     ? abut_shape_stand_ins(abut_body_shape(w.scene, body), marks, vertices, NULL)
                     : status;
    }
    memory_fail(&memory, 0, false);
    REQUIRE_OK(status);
    surface_free(&s);
    world_free(&w);
    memory_require_clean(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_answer_as_the_whole),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
