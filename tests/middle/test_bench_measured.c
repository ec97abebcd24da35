// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut bench measures rows of all kinds: a hard case that is no trial, bodies joined for a peer, a row
// with AVX2, which has floors of its own, and tables. The test does not judge times.
#define _POSIX_C_SOURCE 200809L

#include "test_command_support.h"

// measures one row; false: a peer of it is not built in
static bool measure(const char* suite, const char* name, outcome* o) {
    char line[256];
    snprintf(line, sizeof line, "bench %s --quick --rows '%s' --json -", suite, name);
    *o = run(line);
    if (o->code == 2 && strstr(o->err, "no row was measured") != NULL) {
        free_outcome(o);
        return false;
    }
    assert_int_equal(o->code, 0);
    assert_int_equal(json_size(json_at(json_root(o->out), "rows")), 1);
    assert_says(line, o->out, "\"same_answer\": true");
    return true;
}

// two times of abut; no triangles of a fan count
static void test_measures_a_hard_case(void** state) {
    (void)state;
    outcome o;
    if (!has_bench() || !measure("hard", "^fan 10k", &o)) {
        skip();
    }
    assert_says("the fan", o.out, "\"bench\": \"hard\"|\"name\": \"fan 10k, ");
    assert_true(json_number(json_root(o.out), "rows 0 ratio") > 0);
    free_outcome(&o);
}

// all boxes in one tree of the peer, or in one tree each: the pairs are the same
static void test_finds_the_same_pairs_of_many_bodies(void** state) {
    (void)state;
    outcome o;
    if (!has_bench() || !measure("hard", "^1000 boxes", &o)) {
        skip();
    }
    assert_null(strstr(o.out, "differs from abut"));
    assert_true(json_number(json_root(o.out), "rows 0 worst_pairs") > 1000);
    free_outcome(&o);
}

static void test_rows_with_avx2_have_their_own_floors(void** state) {
    (void)state;
    outcome o;
    if (!has_bench() || !measure("free", "^self cloth16k vs Embree avx2$", &o)) {
        skip();
    }
    const char* root = json_root(o.out);
    assert_json_text(root, "rows 0 name", "self cloth16k vs Embree avx2");
    assert_true(json_number(root, "rows 0 at_least") == 15);
    assert_true(json_number(root, "rows 0 aim") == 30);  // without AVX2 in its name: 40
    free_outcome(&o);
}

// tables whose claims must not be refuted, and a figure
static void test_makes_tables_of_point_based_bounds(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    const char* line =
        "bench bounds --quick --json - --plots . --rows '^figure 5|^table: eq. 11|^table: "
        "front|loses'";
    outcome o = run_expecting(line, 0);
    assert_says(line, o.out,
                "\"bench\": \"bounds\"|\"title\": \"figure 5: radius over|own boxes|"
                "n (n-1) corners > eq. 11|front refitted");
    free_outcome(&o);
    char* plot = read_whole("bench-bounds-levels-mean.svg");
    assert_says("the figure", plot, "<svg |eq. 11, n = |growth, n = |</svg>");
    free(plot);
    plot = read_whole("bench-bounds-crossover.svg");  // some points are outside its axes
    assert_says("the figure", plot, "<svg |pressed|</svg>");
    free(plot);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_measures_a_hard_case),
        IN_FOLDER(test_makes_tables_of_point_based_bounds),
        IN_FOLDER(test_finds_the_same_pairs_of_many_bodies),
        IN_FOLDER(test_rows_with_avx2_have_their_own_floors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
