// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Counts tests of spheres and of cubes: see sphere_tests.h. The frames are those of table 2 of the
// BD-Tree paper: 110 of them, and the ball turns back where it touches. Cubes are compared as boxes
// are: two nodes are opened together.
#include "bench/sphere_tests.h"

#include "bench/reduced.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 2 };

static bool same_pairs(reduced* const r[WAYS]) {
    size_t count[WAYS];
    const abut_pair* pairs[WAYS];
    for (int w = 0; w < WAYS; ++w) {
        reduced_collide(r[w]);
        pairs[w] = reduced_pairs(r[w], &count[w]);
    }
    return count[0] == count[1] &&
           (count[0] == 0 || memcmp(pairs[0], pairs[1], count[0] * sizeof *pairs[0]) == 0);
}

void bench_sphere_tests(const bench_options* options, bench_report* report, double at_least,
                        double aim) {
    bench_row row = {.name = BENCH_SPHERE_TESTS_NAME,
                     .other = "tests of cubes",
                     .paper = "3890 tests",
                     .same_answer = true,
                     .at_least = at_least,
                     .aim = aim};
    scene* s = scene_create_with(
        "curtain", &(scene_options){.triangles = 12020, .seed = options->seed, .fields = 12});
    if (s == NULL) {
        bench_die("the scene 'curtain' cannot be made");
    }
    const uint32_t turn_back = reduced_first_contact(s);
    reduced* r[WAYS] = {reduced_create(s, 1, turn_back, WAY_SPHERES),
                        reduced_create(s, 1, turn_back, WAY_CUBES)};
    for (uint32_t f = 0; f < scene_frame_count(s); ++f) {
        for (int w = 0; w < WAYS; ++w) {
            reduced_update(r[w], f, 1);
        }
        row.same_answer = same_pairs(r) && row.same_answer;
    }
    row.ours_ms = (double)reduced_counters(r[0])->boxes_tested;
    row.other_ms = (double)reduced_counters(r[1])->boxes_tested;
    row.ratio = row.other_ms / row.ours_ms;
    row.counters = *reduced_counters(r[0]);
    row.has_counters = true;
    bench_report_add(report, &row);
    bench_report_note(report, "%s: %.0f tests of spheres, %.0f of cubes; counts, not times.",
                      row.name, row.ours_ms, row.other_ms);
    report->ours_wrong = report->ours_wrong || !row.same_answer;
    reduced_destroy(r[0]);
    reduced_destroy(r[1]);
    scene_destroy(s);
}
