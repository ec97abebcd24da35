// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proofs that pieces of surface stay apart over a step. With and without them the contacts are the
// same, for every motion, on surfaces that are smooth, roll up and just fold.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/skin.h"
#include "support/swept_pairs.h"
#include "support/threads.h"
#include "support/world.h"

// ---- smooth surfaces

// bends, rolls or folds a sheet by waves
static void bend_sheet(const surface* flat, test_random* random, double size, double roll,
                       double fall, surface* out) {
    const double a = random_double(random, -size, size);
    const double b = random_double(random, -size, size);
    const double p = random_double(random, 0, 6);
    for (uint32_t v = 0; v < flat->vertex_count; ++v) {
        const double x = flat->xyz[3 * v] - 0.5;
        const double y = flat->xyz[3 * v + 1] - 0.5;
        const double angle = roll * x;
        out->xyz[3 * v] = (fabs(roll) > 0.01 ? sin(angle) / roll : x) + 0.05 * a * sin(9 * y + p);
        out->xyz[3 * v + 1] = y + 0.02 * b * sin(7 * x);
        out->xyz[3 * v + 2] = fall + (fabs(roll) > 0.01 ? (1 - cos(angle)) / roll : 0) +
                              a * sin(5 * x + p) + b * sin(4 * y - p);
    }
}

static bool same_features(const abut_sweep_pair* p, const abut_sweep_pair* q) {
    return p->kind == q->kind && p->triangle_a == q->triangle_a && p->triangle_b == q->triangle_b &&
           memcmp(p->vertices_a, q->vertices_a, sizeof p->vertices_a) == 0 &&
           memcmp(p->vertices_b, q->vertices_b, sizeof p->vertices_b) == 0;
}

// Compares sweeps with and without proofs. A margin of next to nothing switches them off. Returns
// the number of contacts.
static size_t check_proofs(const world* w, abut_body_id body, uint64_t* proven) {
    abut_counters counters = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_sweep_self(w->scene, body, &def, w->swept, NULL));
    *proven += counters.nodes_certified;
    size_t count[2];
    const abut_sweep_pair* got = abut_sweep_result_pairs(w->swept, &count[0]);
    abut_sweep_pair* proven_pairs = test_alloc(count[0] + 1, sizeof *proven_pairs);
    if (count[0] > 0) {
        memcpy(proven_pairs, got, count[0] * sizeof *proven_pairs);
    }
    def.margin = 1e-300;
    REQUIRE_OK(abut_sweep_self(w->scene, body, &def, w->swept, NULL));
    got = abut_sweep_result_pairs(w->swept, &count[1]);
    REQUIRE(count[0] == count[1]);
    for (size_t i = 0; i < count[0]; ++i) {
        REQUIRE(same_features(&proven_pairs[i], &got[i]));
    }
    free(proven_pairs);
    return count[0];
}

// A ribbon winds slightly more than once around. All its normals point up at all times. Its end
// moves across its beginning and sinks through it. Then only the contour shows the contact.
static void test_crossing_contour(void** state) {
    (void)state;
    const int steps = (int)effort(80, 160, 160);
    size_t contacts = 0;
    uint64_t proven = 0;
    surface flat = surface_sheet(200, 6, 1);
    surface s = surface_copy(&flat);
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, &flat, NULL, NULL);
    for (int step = 0; step <= steps; ++step) {
        where("step %d", step);
        const double side = 1 - 2.0 * step / steps;
        for (uint32_t v = 0; v < flat.vertex_count; ++v) {
            const double along = flat.xyz[3 * v];
            const double end = fmin(1, fmax(0, (along - 0.6) / 0.3));
            const double radius = 1 + 0.2 * (flat.xyz[3 * v + 1] - 0.5) + 0.35 * side * end;
            const double angle = 1.1 * 6.28318530718 * along;
            s.xyz[3 * v] = radius * cos(angle);
            s.xyz[3 * v + 1] = radius * sin(angle);
            s.xyz[3 * v + 2] = 0.1 * side * along;
        }
        world_move(&w, body, s.xyz);
        contacts += step > 0 ? check_proofs(&w, body, &proven) : 0;
    }
    print_message("%zu contacts, %llu nodes proven apart\n", contacts, (unsigned long long)proven);
    assert_true(contacts > 10 && proven > 10);
    world_free(&w);
    surface_free(&flat);
    surface_free(&s);
}

static void test_proofs_miss_nothing(void** state) {
    (void)state;
    size_t contacts = 0;
    uint64_t proven = 0;
    surface flat = surface_sheet(48, 48, 1);
    surface s = surface_copy(&flat);
    for (uint32_t seed = 1; seed <= effort(20, 60, 400); ++seed) {
        test_random random = random_seed(seed + 700);
        where("seed %u", seed);
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &flat, NULL, NULL);
        const double roll = seed % 3 == 0 ? 0 : random_double(&random, 0, 9);
        const double size = seed % 4 == 0 ? 0.3 : 0.05;
        const uint64_t waves = random_bits(&random);
        for (int end = 0; end < 2; ++end) {
            test_random same = random_seed(waves);
            bend_sheet(&flat, seed % 5 == 4 ? &random : &same, size,
                       roll + (end == 1 ? random_double(&random, -0.4, 0.4) : 0), -0.1 * end, &s);
            world_move(&w, body, s.xyz);
        }
        contacts += check_proofs(&w, body, &proven);
        world_free(&w);
    }
    print_message("%zu contacts, %llu nodes proven apart\n", contacts, (unsigned long long)proven);
    assert_true(contacts > 100 && proven > 50);
    surface_free(&flat);
    surface_free(&s);
}

// a smooth sheet in free fall costs next to nothing
static void test_free_fall_costs_little(void** state) {
    (void)state;
    test_random random = random_seed(800);
    surface flat = surface_sheet(60, 60, 1);
    surface s = surface_copy(&flat);
    world w = world_make(NULL, NULL);
    const abut_body_id body = world_add(&w, &flat, NULL, NULL);
    bend_sheet(&flat, &random, 0.05, 0, 0, &s);
    world_move(&w, body, s.xyz);
    surface_shift(&s, 0.01, 0.02, -0.5);
    world_move(&w, body, s.xyz);
    abut_counters counters = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.head.counters = &counters;
    REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.swept, NULL));
    REQUIRE(counters.exact_tests == 0 && counters.blocks_evaluated == 0 &&
            counters.nodes_certified == 1);
    world_free(&w);
    surface_free(&flat);
    surface_free(&s);
}

// ---- a sheet that folds, with every motion

enum { BLOCK = 16, STEPS = 12, WAVES = 3 };

// The state of the sheet: the angle by which one half is rotated about the line x = 0.5, and waves.
typedef struct fold {
    double angle;
    double wave[WAVES];
} fold;

static double turned_part(double x) {
    const double s = fmin(1, fmax(0, (x - 0.42) / 0.16));
    return s * s * (3 - 2 * s);
}

static double wave_at(int i, double x, double y) {
    return sin((3 + 2 * i) * x + i) * cos((2 + i) * y);
}

// Folds a little further, or back until nearly flat, or flat against itself, or just before or
// after that.
static void next_fold(test_random* random, fold* f) {
    static const double pi = 3.14159265358979323846;
    const double gap = pow(10, random_double(random, -9, -1));
    const uint32_t kind = random_below(random, 5);
    f->angle = kind == 0   ? pi + gap * ((int)random_below(random, 3) - 1)
               : kind == 1 ? random_double(random, 0, 0.5)
                           : fmod(f->angle + random_double(random, 0, 0.7), pi);
    for (int i = 0; i < WAVES; ++i) {
        f->wave[i] = random_double(random, -0.02, 0.02) * fmax(0, 1 - f->angle / pi);
    }
}

static void fold_positions(const surface* flat, const fold* f, double* xyz) {
    for (uint32_t v = 0; v < flat->vertex_count; ++v) {
        const double x = flat->xyz[3 * v];
        const double y = flat->xyz[3 * v + 1];
        const double part = turned_part(x) * (x - 0.5);
        xyz[3 * v] = x + part * (cos(f->angle) - 1);
        xyz[3 * v + 1] = y;
        xyz[3 * v + 2] = part * sin(f->angle);
        for (int i = 0; i < WAVES; ++i) {
            xyz[3 * v + 2] += f->wave[i] * wave_at(i, x, y);
        }
    }
}

static field_set fold_fields(test_random* random, const surface* flat) {
    field_set f = make_fields(random, flat, 2 + WAVES, 1, ABUT_SCALAR_F64, false);
    for (uint32_t v = 0; v < flat->vertex_count; ++v) {
        const double x = flat->xyz[3 * v];
        const double part = turned_part(x) * (x - 0.5);
        for (uint32_t j = 0; j < f.count; ++j) {
            double* u = field_at(&f, j, v);
            u[0] = j == 0 ? part : 0;
            u[1] = 0;
            u[2] = j == 0 ? 0 : j == 1 ? part : wave_at((int)j - 2, x, flat->xyz[3 * v + 1]);
        }
    }
    return f;
}

static void fold_modal(world* w, abut_body_id body, const fold* f) {
    double q[2 + WAVES] = {cos(f->angle) - 1, sin(f->angle)};
    memcpy(q + 2, f->wave, sizeof f->wave);
    set_coordinates(w, body, q, 2 + WAVES);
}

// two nodes, of which the second rotates
static skin fold_skin(const surface* flat) {
    skin k = {.node_count = 2, .vertex_count = flat->vertex_count, .type = ABUT_SCALAR_F64};
    k.first = test_alloc(flat->vertex_count + 1, sizeof *k.first);
    k.nodes = test_alloc(2 * (size_t)flat->vertex_count, sizeof *k.nodes);
    k.values = test_alloc(2 * (size_t)flat->vertex_count, sizeof *k.values);
    for (uint32_t v = 0; v < flat->vertex_count; ++v) {
        const double part = turned_part(flat->xyz[3 * v]);
        k.first[v + 1] = 2 * (v + 1);
        k.nodes[2 * v + 1] = 1;
        k.values[2 * v] = 1 - part;
        k.values[2 * v + 1] = part;
    }
    k.first[0] = 0;
    return k;
}

static void fold_blend(world* w, abut_body_id body, const fold* f) {
    double t[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    const double c = cos(f->angle);
    const double s = sin(f->angle);
    const double turned[12] = {c, 0, -s, 0.5 - 0.5 * c, 0, 1, 0, 0, s, 0, c, -0.5 * s};
    memcpy(t[1], turned, sizeof turned);
    set_transforms(w, body, t, 2, NULL, 0);
}

typedef enum motion_kind { BY_MODAL, BY_BLEND, BY_FLIGHT, BY_FRAMES } motion_kind;

typedef struct folding {
    motion_kind motion;
    surface flat;
    world w;
    abut_body_id body;
    fold folds[STEPS];
    double* keys[STEPS];  // a flight body borrows them
    abut_frame frame;
} folding;

// the keyframes are the folds in turn
static abut_body_id add_flight(folding* f) {
    abut_keyframe keys[STEPS];
    for (int i = 0; i < STEPS; ++i) {
        f->keys[i] = test_alloc(3 * (size_t)f->flat.vertex_count, sizeof(double));
        fold_positions(&f->flat, &f->folds[i], f->keys[i]);
        keys[i] = (abut_keyframe){i, abut_positions_f64(f->keys[i], f->flat.vertex_count)};
    }
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = keys;
    def.keyframe_count = STEPS;
    def.block_triangles = BLOCK;
    return world_add(&f->w, &f->flat, &def, NULL);
}

static folding folding_make(motion_kind motion, uint32_t seed, test_random* random) {
    const uint32_t side = effort(9, 16, 16);  // small, because all pairs of features are tested
    folding f = {
        .motion = motion, .flat = surface_sheet(side, side, 1), .w = world_make(NULL, NULL)};
    fold now = {0};
    for (int i = 0; i < STEPS; ++i) {
        next_fold(random, &now);
        f.folds[i] = now;
    }
    f.frame = frame_random(random, seed % 2 == 0 ? 1e3 : 1);
    if (motion == BY_MODAL) {
        field_set fields = fold_fields(random, &f.flat);
        f.body = add_modal(&f.w, &f.flat, &fields, BLOCK);
        free_fields(&fields);
    } else if (motion == BY_BLEND) {
        skin k = fold_skin(&f.flat);
        motion_def def = blend_def(&k, NULL);
        def.block_triangles = BLOCK;
        f.body = world_add(&f.w, &f.flat, &def, NULL);
        skin_free(&k);
    } else {
        motion_def def = motion_def_default();
        def.block_triangles = BLOCK;
        f.body = motion == BY_FLIGHT ? add_flight(&f) : world_add(&f.w, &f.flat, &def, NULL);
    }
    return f;
}

// a frame that moves and rotates, seldom by much
static abut_frame turned(const abut_frame* frame, test_random* random) {
    abut_frame next = *frame;
    const double angle = random_double(random, -1, 1) * (random_chance(random, 0.2) ? 3 : 0.3);
    for (int i = 0; i < 3; ++i) {
        next.r[i][0] = cos(angle) * frame->r[i][0] + sin(angle) * frame->r[i][2];
        next.r[i][2] = cos(angle) * frame->r[i][2] - sin(angle) * frame->r[i][0];
        next.t[i] += random_double(random, -0.3, 0.3);
    }
    return next;
}

static void folding_step(folding* f, int step, test_random* random) {
    if (f->motion == BY_MODAL) {
        fold_modal(&f->w, f->body, &f->folds[step]);
    } else if (f->motion == BY_BLEND) {
        fold_blend(&f->w, f->body, &f->folds[step]);
    } else if (f->motion == BY_FLIGHT) {
        REQUIRE_OK(abut_body_set_time(f->w.scene, f->body, step, NULL));
    } else {
        surface s = surface_copy(&f->flat);
        fold_positions(&f->flat, &f->folds[step], s.xyz);
        world_move(&f->w, f->body, s.xyz);
        const abut_frame next = turned(&f->frame, random);
        REQUIRE_OK(abut_body_set_frame_step(f->w.scene, f->body, &f->frame, &next, NULL));
        f->frame = next;
        surface_free(&s);
    }
}

static void folding_free(folding* f) {
    world_free(&f->w);
    surface_free(&f->flat);
    for (int i = 0; i < STEPS; ++i) {
        free(f->keys[i]);
    }
}

static void check_folding(motion_kind motion, uint32_t seeds) {
    size_t contacts = 0;
    size_t quiet = 0;
    abut_counters counters = {0};
    abut_sweep_def def = abut_sweep_def_default();
    def.head.counters = &counters;
    for (uint32_t seed = 1; seed <= seeds; ++seed) {
        test_random random = random_seed(seed + 900);
        folding f = folding_make(motion, seed, &random);
        snapshot p = snapshot_make(f.body, &f.flat);
        for (int step = 0; step < STEPS; ++step) {
            where("motion %d, seed %u, step %d", (int)motion, seed, step);
            double* last = p.xyz[0];
            p.xyz[0] = p.xyz[1];
            p.xyz[1] = last;
            folding_step(&f, step, &random);
            snapshot_take(&f.w, &p, 1, motion == BY_FRAMES);
            const size_t found = step > 0 ? check_pair(&f.w, &p, &p, &def) : 0;
            contacts += found;
            quiet += step > 0 && found == 0;
        }
        snapshot_free(&p);
        folding_free(&f);
    }
    print_message("%zu contacts, %zu steps without, %llu nodes proven apart\n", contacts, quiet,
                  (unsigned long long)counters.nodes_certified);
    assert_true(contacts > 100 && quiet > seeds &&
                counters.nodes_certified > effort(2, 5, 5) * seeds);
}

static void test_modal_sheet_that_folds(void** state) {
    (void)state;
    check_folding(BY_MODAL, effort(2, 2, 20));
}

static void test_blend_sheet_that_folds(void** state) {
    (void)state;
    check_folding(BY_BLEND, effort(2, 2, 20));
}

static void test_flight_sheet_that_folds(void** state) {
    (void)state;
    check_folding(BY_FLIGHT, effort(2, 2, 20));
}

static void test_sheet_that_folds_while_frames_turn(void** state) {
    (void)state;
    check_folding(BY_FRAMES, effort(2, 2, 20));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_proofs_miss_nothing),
        cmocka_unit_test(test_crossing_contour),
        cmocka_unit_test(test_free_fall_costs_little),
        cmocka_unit_test(test_modal_sheet_that_folds),
        cmocka_unit_test(test_blend_sheet_that_folds),
        cmocka_unit_test(test_flight_sheet_that_folds),
        cmocka_unit_test(test_sheet_that_folds_while_frames_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
