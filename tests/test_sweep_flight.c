// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of bodies that change direction within the step, compared with all pairs in every segment.
// Vertices move on polylines, whose breakpoints the test knows from keyframes and public positions.
// If all coordinates are dyadic, exact integers decide each segment; otherwise the function for one
// pair does.

#include "test_sweep_flight_support.h"
#include "support/motion_def.h"

static void apply(const abut_frame* frame, double x[3]) {
    const double p[3] = {x[0], x[1], x[2]};
    for (int d = 0; d < 3; ++d) {
        const double* r = frame->r[d];
        x[d] = ((r[0] * p[0] + r[1] * p[1]) + r[2] * p[2]) + frame->t[d];
    }
}

// the positions of a keyframe at a time of the step, in world coordinates
static void path_key(path* p, const animation* a, uint32_t key, double at,
                     const abut_frame frames[2]) {
    double* xyz = path_add(p, at);
    memcpy(xyz, a->xyz[key], 3 * (size_t)a->s.vertex_count * sizeof *xyz);
    for (uint32_t v = 0; v < a->s.vertex_count && frames != NULL; ++v) {
        double from[3];
        memcpy(from, xyz + 3 * v, sizeof from);
        double to[3];
        memcpy(to, xyz + 3 * v, sizeof to);
        apply(&frames[0], from);
        apply(&frames[1], to);
        for (uint32_t d = 0; d < 3; ++d) {
            xyz[3 * v + d] = from[d] == to[d] ? from[d] : (1 - at) * from[d] + at * to[d];
        }
    }
}

// a step of an animated body; frames: NULL, or before and after
static void animation_step(const world* w, const animation* a, double from, double to,
                           const abut_frame frames[2], path* p) {
    path_clear(p);
    if (frames != NULL) {
        REQUIRE_OK(abut_body_set_frame(w->scene, p->body, &frames[0], NULL));
    }
    REQUIRE_OK(abut_body_set_time(w->scene, p->body, from, NULL));
    path_look(w, p, 0, frames != NULL);
    for (uint32_t i = 0; i < a->count && from != to; ++i) {
        const uint32_t key = to > from ? i : a->count - 1 - i;
        const double time = a->time[key];
        if (to > from ? time > from && time < to : time < from && time > to) {
            path_key(p, a, key, (time - from) / (to - from), frames);
        }
    }
    REQUIRE_OK(abut_body_set_time(w->scene, p->body, to, NULL));
    if (frames != NULL) {
        REQUIRE_OK(abut_body_set_frame_step(w->scene, p->body, &frames[0], &frames[1], NULL));
    }
    path_look(w, p, 1, frames != NULL);
}

static void free_step(const world* w, const surface* s, test_random* random, double range,
                      double step, path* p) {
    surface moved = surface_copy(s);
    path_clear(p);
    for (int end = 0; end < 2; ++end) {
        surface_shake(&moved, random, range, step);
        REQUIRE_OK(abut_body_set_positions(w->scene, p->body,
                                           abut_positions_f64(moved.xyz, s->vertex_count), NULL));
        path_look(w, p, end, false);
    }
    surface_free(&moved);
}

// ---- tests

static void test_dyadic_steps_match_integers(void** state) {
    (void)state;
    swept_oracle* exact = swept_oracle_create();
    size_t contacts = 0;
    size_t near = 0;
    for (uint32_t seed = 1; seed <= effort(1, 4, 40); ++seed) {
        test_random random = random_seed(seed);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(3, 2, 2);
        surface_shift(&sheet, -1, -1, 0);
        animation one = animation_make(&sheet, &random, 6, 0.75, 0x1p-3);
        animation two = animation_make(&sheet, &random, 4, 0.75, 0x1p-3);
        two.time[1] = two.keys[1].time = 0.75;  // other keyframe times
        path p[4] = {path_make(animation_add(&w, &one, MOTION_BOUND_AUTO), &one.s),
                     path_make(animation_add(&w, &two, MOTION_BOUND_AUTO), &two.s),
                     path_make(world_add(&w, &sheet, NULL, NULL), &sheet),
                     path_make(world_add(&w, &sheet, NULL, NULL), &sheet)};
        path_look(&w, &p[3], 0, false);  // the body is at rest
        path_look(&w, &p[3], 1, false);
        for (uint32_t i = 0; i < STEPS; ++i) {
            where("seed %u, step from %g to %g", seed, steps[i][0], steps[i][1]);
            animation_step(&w, &one, steps[i][0], steps[i][1], NULL, &p[0]);
            animation_step(&w, &two, 0.5 * steps[i][0], 0.5 * steps[i][1], NULL, &p[1]);
            free_step(&w, &sheet, &random, 0.75, 0x1p-3, &p[2]);
            const uint32_t pairs[][2] = {{0, 0}, {0, 1}, {1, 0}, {0, 2}, {2, 1}, {3, 0}, {1, 1}};
            for (uint32_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
                const comparison c = check(&w, &p[pairs[k][0]], &p[pairs[k][1]], NULL, exact);
                contacts += c.contacts;
                near += c.near;
            }
        }
        for (int k = 0; k < 4; ++k) {
            path_free(&p[k]);
        }
        animation_free(&one);
        animation_free(&two);
        surface_free(&sheet);
        world_free(&w);
    }
    swept_oracle_destroy(exact);
    print_message("%zu contacts, %zu near\n", contacts, near);
    assert_true(contacts > 1000);
}

// any times, frames that rotate, margins
static void test_steps_match_segments(void** state) {
    (void)state;
    size_t contacts = 0;
    for (uint32_t seed = 1; seed <= effort(2, 6, 60); ++seed) {
        test_random random = random_seed(seed + 50);
        world w = world_make(NULL, NULL);
        surface sheet = surface_sheet(4, 3, 2);
        surface_shift(&sheet, -1, -1, 0);
        animation one = animation_make(&sheet, &random, 5, 0.3, 0x1p-30);
        animation two = animation_make(&sheet, &random, 7, 0.3, 0x1p-30);
        path p[3] = {path_make(animation_add(&w, &one, MOTION_BOUND_AUTO), &one.s),
                     path_make(animation_add(&w, &two, MOTION_BOUND_AUTO), &two.s),
                     path_make(world_add(&w, &sheet, NULL, NULL), &sheet)};
        for (uint32_t i = 0; i < 4; ++i) {
            const double from = random_double(&random, -1, 6);
            const double to = i == 3 ? from + 0.3 : random_double(&random, -1, 6);
            where("seed %u, step from %g to %g", seed, from, to);
            const abut_frame fixed = abut_frame_identity();
            abut_frame frames[2] = {frame_random(&random, 0.2), frame_random(&random, 0.2)};
            if (seed % 3 == 1) {
                frames[0] = frames[1];
            }
            const abut_frame* both = seed % 3 == 0 ? NULL : frames;
            if (both == NULL) {
                REQUIRE_OK(abut_body_set_frame(w.scene, p[0].body, &fixed, NULL));
            }
            animation_step(&w, &one, from, to, both, &p[0]);
            animation_step(&w, &two, 0.3 * from, 0.9 * to, NULL, &p[1]);
            free_step(&w, &sheet, &random, 0.3, 0x1p-30, &p[2]);
            abut_sweep_def def = abut_sweep_def_default();
            for (int k = 0; k < 2; ++k) {
                def.margin = k == 0 ? 0 : 0.0137;
                contacts += check(&w, &p[0], &p[1], &def, NULL).contacts;
                contacts += check(&w, &p[2], &p[0], &def, NULL).contacts;
                contacts += check(&w, &p[1], &p[1], &def, NULL).contacts;
                if (seed % 3 == 2) {  // in world coordinates
                    contacts += check(&w, &p[0], &p[0], &def, NULL).contacts;
                }
            }
        }
        for (int k = 0; k < 3; ++k) {
            path_free(&p[k]);
        }
        animation_free(&one);
        animation_free(&two);
        surface_free(&sheet);
        world_free(&w);
    }
    print_message("%zu contacts\n", contacts);
    assert_true(contacts > 1000);
}

// ---- a keyframe on the line

// two triangles with these corners at both ends; the second one moves by keyframes
typedef struct duel {
    double xyz[2][2][9];  // primitive, end, corners
    double middle[9];     // of the second at a quarter of the step, exactly
    double far[9];        // a keyframe beyond the step
} duel;

static duel duel_make(const sweep_case* c) {
    duel d;
    for (uint32_t i = 0; i < 9; ++i) {
        const uint32_t corner = i / 3;
        for (uint32_t end = 0; end < 2; ++end) {
            const double(*x)[3] = c->x[end];
            const uint32_t first = c->edges && corner == 1 ? 1 : 0;
            const uint32_t second = c->edges ? (corner == 0 ? 2 : 3) : 1 + corner;
            d.xyz[0][end][i] = x[first][i % 3];
            d.xyz[1][end][i] = x[second][i % 3];
        }
        d.middle[i] = 0.75 * d.xyz[1][0][i] + 0.25 * d.xyz[1][1][i];
        d.far[i] = d.xyz[1][1][i];
    }
    return d;
}

static bool is_asked(const abut_sweep_pair* p, bool edges) {
    return edges ? p->kind == ABUT_CONTACT_EDGE_EDGE && p->vertices_a[0] == 0 &&
                       p->vertices_a[1] == 1 && p->vertices_b[0] == 0 && p->vertices_b[1] == 1
                 : p->kind == ABUT_CONTACT_VERTEX_FACE && p->vertices_a[0] == 0;
}

// The positions of the first one at the keyframe are rounded. Those of the second are exact and on
// the line. So the exact answer is that of the whole step.
static bool check_duel(world* w, const sweep_case* c, swept_oracle* exact) {
    surface s = surface_make(3, 1);
    memcpy(s.triangles, (const uint32_t[]){0, 1, 2}, 3 * sizeof(uint32_t));
    const duel d = duel_make(c);
    const abut_keyframe keys[3] = {{0, abut_positions_f64(d.xyz[1][0], 3)},
                                   {1, abut_positions_f64(d.middle, 3)},
                                   {4, abut_positions_f64(d.far, 3)}};
    motion_def def = motion_def_default();
    def.motion = ABUT_MOTION_FLIGHT;
    def.keyframes = keys;
    def.keyframe_count = 3;
    memcpy(s.xyz, d.xyz[0][0], sizeof d.xyz[0][0]);
    const abut_body_id a = world_add(w, &s, NULL, NULL);
    const abut_body_id b = world_add(w, &s, &def, NULL);
    for (int end = 0; end < 2; ++end) {
        REQUIRE_OK(
            abut_body_set_positions(w->scene, a, abut_positions_f64(d.xyz[0][end], 3), NULL));
        REQUIRE_OK(abut_body_set_time(w->scene, b, 4 * end, NULL));
    }
    REQUIRE_OK(abut_sweep(w->scene, a, b, NULL, w->swept, NULL));
    size_t count = 0;
    const abut_sweep_pair* got = abut_sweep_result_pairs(w->swept, &count);
    const abut_sweep_pair* found = NULL;
    for (size_t i = 0; i < count; ++i) {
        found = is_asked(&got[i], c->edges) ? &got[i] : found;
    }
    // no contact up to the time, including the time itself
    const double until = found != NULL ? nextafter(found->time, 2) : 1;
    const swept_truth t = swept_oracle_ask(exact, c->x[0], c->x[1], c->edges, until);
    REQUIRE(found != NULL || !t.contact);
    REQUIRE(found == NULL || found->time == 0 || found->time == 0x1p-1074 || !t.before);
    REQUIRE(found == NULL || (found->time == 0) == t.at_start);
    REQUIRE_OK(abut_body_destroy(w->scene, a, NULL));
    REQUIRE_OK(abut_body_destroy(w->scene, b, NULL));
    surface_free(&s);
    return t.contact;
}

static void test_rounded_positions_miss_nothing(void** state) {
    (void)state;
    swept_oracle* exact = swept_oracle_create();
    world w = world_make(NULL, NULL);
    uint32_t contacts = 0;
    for (uint32_t i = 0; i < effort(4000, 10000, 400000); ++i) {
        test_random random = random_seed(900 + i);
        sweep_case c = {.edges = random_chance(&random, 0.5)};
        sweep_make_touch(&random, &c);
        const uint32_t moved = c.edges ? 6 : 3;  // coordinates of the first primitive, at each end
        for (int k = random_between(&random, 1, 4); k > 0; --k) {
            double* x = &c.x[random_below(&random, 2)][0][0] + random_below(&random, moved);
            *x = nextafter(*x, random_chance(&random, 0.5) ? 1e300 : -1e300);
        }
        where("case %u", i);
        contacts += check_duel(&w, &c, exact);
    }
    print_message("%u contacts\n", contacts);
    assert_true(contacts > 1000);
    world_free(&w);
    swept_oracle_destroy(exact);
}

// ---- proofs

// a waving cloth, which at one keyframe is folded far over, through itself
static animation cloth_make(const surface* s, test_random* random, bool folded) {
    animation a = animation_make(s, random, 4, 0, 1);
    for (uint32_t k = 0; k < a.count; ++k) {
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            double* x = a.xyz[k] + 3 * (size_t)v;
            const double at[2] = {x[0], x[1]};
            x[2] = 0.1 * sin(3 * at[0] + k) - 0.3 * k;
            if (folded && k == 2 && at[0] > 1.5 && at[1] > 0.7) {
                x[0] = 3 - at[0];
                x[2] -= 0.4 * (at[0] - 1.5);
            }
        }
    }
    return a;
}

// the same as a free body, part by part; the contacts of all parts, each once
static size_t count_by_parts(world* w, const animation* a, const double times[2], double* first) {
    const abut_body_id body = world_add(w, &a->s, NULL, NULL);
    const abut_body_id flight = animation_add(w, a, MOTION_BOUND_AUTO);
    path p = path_make(flight, &a->s);
    animation_step(w, a, times[0], times[1], NULL, &p);
    abut_sweep_pair* all = NULL;
    size_t count = 0;
    *first = INFINITY;
    for (uint32_t k = 0; k + 1 < p.count; ++k) {
        REQUIRE_OK(
            abut_body_borrow_step(w->scene, body, abut_positions_f64(p.xyz[k], a->s.vertex_count),
                                  abut_positions_f64(p.xyz[k + 1], a->s.vertex_count), NULL));
        REQUIRE_OK(abut_sweep_self(w->scene, body, NULL, w->swept, NULL));
        size_t found = 0;
        const abut_sweep_pair* got = abut_sweep_result_pairs(w->swept, &found);
        for (size_t i = 0; i < found; ++i) {
            bool known = false;
            for (size_t j = 0; j < count && !known; ++j) {
                known = got[i].kind == all[j].kind &&
                        memcmp(got[i].vertices_a, all[j].vertices_a, sizeof got[i].vertices_a) ==
                            0 &&
                        memcmp(got[i].vertices_b, all[j].vertices_b, sizeof got[i].vertices_b) == 0;
            }
            if (!known) {
                all = realloc(all, (count + 1) * sizeof *all);
                assert_non_null(all);
                all[count++] = got[i];
            }
            *first = fmin(*first, p.at[k] + got[i].time * (p.at[k + 1] - p.at[k]));
        }
    }
    free(all);
    path_free(&p);
    REQUIRE_OK(abut_body_destroy(w->scene, body, NULL));
    REQUIRE_OK(abut_body_destroy(w->scene, flight, NULL));
    return count;
}

static void test_proofs_over_keys(void** state) {
    (void)state;
    test_random random = random_seed(3);
    surface sheet = surface_sheet(32, 32, 2);
    for (int folded = 0; folded < 2; ++folded) {
        animation a = cloth_make(&sheet, &random, folded != 0);
        world w = world_make(NULL, NULL);
        const double times[2] = {0.2, 2.9};
        double first = 0;
        where("folded %d", folded);
        const size_t wanted = count_by_parts(&w, &a, times, &first);
        const abut_body_id body = animation_add(&w, &a, MOTION_BOUND_AUTO);
        REQUIRE_OK(abut_body_set_time(w.scene, body, times[0], NULL));
        REQUIRE_OK(abut_body_set_time(w.scene, body, times[1], NULL));
        abut_counters work = {0};
        abut_sweep_def def = abut_sweep_def_default();
        def.head.counters = &work;
        REQUIRE_OK(abut_sweep_self(w.scene, body, &def, w.swept, NULL));
        size_t count = 0;
        (void)abut_sweep_result_pairs(w.swept, &count);
        print_message("%zu contacts, %llu nodes proven apart, %llu tested\n", count,
                      (unsigned long long)work.nodes_certified,
                      (unsigned long long)work.exact_tests);
        REQUIRE(count == wanted && (count > 0) == (folded != 0) && work.nodes_certified > 0);
        REQUIRE(folded == 0 ? work.exact_tests == 0
                            : fabs(abut_sweep_result_time_of_impact(w.swept) - first) < 1e-9);
        world_free(&w);
        animation_free(&a);
    }
    surface_free(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dyadic_steps_match_integers),
        cmocka_unit_test(test_steps_match_segments),
        cmocka_unit_test(test_rounded_positions_miss_nothing),
        cmocka_unit_test(test_proofs_over_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
