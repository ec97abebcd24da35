// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The command on real meshes, against counts that were computed with exact integer arithmetic.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

static void test_self_intersections_are_those_of_the_oracle(void** state) {
    (void)state;
    need_data("derived_oracles.json");
    char* text = read_whole(ABUT_SHARED_DATA "/derived_oracles.json");
    const char* meshes = json_find(json_space(text), "self_intersections");
    assert_non_null(meshes);
    char name[128];
    const char* oracle;
    size_t checked = 0;
    for (; (oracle = json_entry(meshes, checked, name)) != NULL; ++checked) {
        char arguments[1024];
        const double pairs = json_number(oracle, "intersecting_nonadjacent_pairs");
        snprintf(arguments, sizeof arguments, "check '%s/%s' --self --json -", ABUT_SHARED_DATA,
                 name);
        outcome o = run_expecting(arguments, pairs > 0);
        const char* json = json_root(o.out);
        assert_true(json_number(json, "objects 0 vertices") == json_number(oracle, "V"));
        assert_true(json_number(json, "objects 0 triangles") == json_number(oracle, "F"));
        if (json_number(json, "frames 0 self 0 pairs") != pairs) {
            fail_msg("%s: %g pairs, not %g", name, json_number(json, "frames 0 self 0 pairs"),
                     pairs);
        }
        free_outcome(&o);
    }
    assert_true(checked >= 2);
    free(text);
}

static void test_labelled_triangle_pairs(void** state) {
    (void)state;
    need_data("derived_oracles.json");
    outcome o = run_expecting("verify tritri '" ABUT_SHARED_DATA
                              "/tritri/intersected.txt' '" ABUT_SHARED_DATA
                              "/tritri/separated.txt' --json -",
                              0);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "queries"), 2000);
    assert_int_equal(json_number(json, "missed"), 0);
    assert_int_equal(json_number(json, "false"), 0);
    free_outcome(&o);
}

static void test_labelled_moving_primitives(void** state) {
    (void)state;
    need_data("derived_oracles.json");
    outcome o = run_expecting("verify ccd '" ABUT_SHARED_DATA "/ccd_queries' --json -", 0);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "queries"), 1679);
    assert_int_equal(json_number(json, "missed"), 0);
    assert_int_equal(json_number(json, "false"), 0);
    assert_int_equal(json_number(json, "undecided"), 0);
    free_outcome(&o);
}

// a sequence of two frames gives the answers of each frame alone
static void test_sequence_of_real_frames(void** state) {
    (void)state;
    need_data("derived_oracles.json");
    outcome o = run_expecting(
        "check --json - '" ABUT_SHARED_DATA "/ccd_scenes/cloth-funnel/frames'", 1);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "frames 0 self 0 pairs"), 261);
    assert_int_equal(json_number(json, "frames 1 self 0 pairs"), 332);
    free_outcome(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_self_intersections_are_those_of_the_oracle),
        IN_FOLDER(test_labelled_triangle_pairs),
        IN_FOLDER(test_labelled_moving_primitives),
        IN_FOLDER(test_sequence_of_real_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
