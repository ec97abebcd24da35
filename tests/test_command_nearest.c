// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut check --nearest, --within, --features and --components, as a user runs them.
#define _POSIX_C_SOURCE 200809L

#include "test_command_support.h"

#include <math.h>

#if !defined(ABUT_SHARED_DATA)
#define ABUT_SHARED_DATA ""
#endif

// a square in the plane z, as two triangles
static void write_sheet(const char* name, double x, double z) {
    char text[512];
    snprintf(text, sizeof text,
             "v %.17g 0 %.17g\nv %.17g 0 %.17g\nv %.17g 1 %.17g\nv %.17g 1 %.17g\n"
             "f 1 2 3\nf 1 3 4\n",
             x, z, x + 1, z, x + 1, z, x, z);
    write_file(name, text);
}

static void test_two_objects(void** state) {
    (void)state;
    write_sheet("a.obj", 0, 0);
    write_sheet("b.obj", 4, 4);
    outcome o = run_expecting("check a.obj b.obj --nearest --json -", 0);
    const char* json = json_root(o.out);
    const char* frame = json_at(json, "frames 0");
    assert_null(json_find(frame, "between"));
    assert_null(json_find(frame, "self"));
    assert_int_equal(json_size(json_at(frame, "nearest")), 1);
    assert_int_equal(json_number(frame, "nearest 0 a"), 0);
    assert_int_equal(json_number(frame, "nearest 0 b"), 1);
    assert_true(json_number(frame, "nearest 0 distance") == 5);
    assert_true(json_number(frame, "nearest 0 point_a 0") == 1);
    assert_true(json_number(frame, "nearest 0 point_b 0") == 4);
    assert_true(json_number(frame, "nearest 0 point_b 2") == 4);
    assert_int_equal(json_number(frame, "nearest 0 triangle_a"), 0);
    assert_true(json_number(frame, "nearest 0 index_a") <= 2);
    assert_int_equal(json_number(json, "summary frames_touching"), 0);
    free_outcome(&o);
    o = run_expecting("check a.obj b.obj --nearest", 0);
    assert_says("check", o.out, "Nothing touches between the objects");
    assert_says("check", o.out, "distance");
    free_outcome(&o);
}

static void test_contact_is_distance_0(void** state) {
    (void)state;
    write_sheet("a.obj", 0, 0);
    write_sheet("b.obj", 1, 0);
    outcome o = run_expecting("check a.obj b.obj --nearest --json -", 1);
    assert_true(json_number(json_root(o.out), "frames 0 nearest 0 distance") == 0);
    free_outcome(&o);
    o = run_expecting("check a.obj b.obj --nearest --quiet", 1);
    assert_string_equal(o.out, "");
    free_outcome(&o);
}

static void test_within_a_distance(void** state) {
    (void)state;
    write_sheet("a.obj", 0, 0);
    write_sheet("b.obj", 0, 0.5);
    write_sheet("c.obj", 9, 0);
    outcome o = run_expecting("check a.obj b.obj c.obj --within 0.5 --json -", 1);
    assert_int_equal(json_size(json_at(json_root(o.out), "frames 0 nearest")), 1);
    free_outcome(&o);
    o = run_expecting("check a.obj b.obj c.obj --within 0.49 --json -", 0);
    assert_int_equal(json_size(json_at(json_root(o.out), "frames 0 nearest")), 0);
    free_outcome(&o);
    assert_prints("check a.obj b.obj c.obj --within=0.49", 0, "Nothing is within the distance");
    assert_prints("check a.obj b.obj c.obj --within 0.5", 1, "Within the distance");
    // every two of them
    o = run_expecting("check a.obj b.obj c.obj --nearest --json -", 0);
    assert_int_equal(json_size(json_at(json_root(o.out), "frames 0 nearest")), 3);
    free_outcome(&o);
}

// together with other queries, over a sequence
static void test_with_other_queries(void** state) {
    (void)state;
    write_sheet("a.obj", 0, 0);
    write_sheet("b_1.obj", 0, 2);
    write_sheet("b_2.obj", 0, 0);
    write_sheet("b_3.obj", 0, 3);
    outcome o = run_expecting("check a.obj 'b_*.obj' --nearest --between --json -", 1);
    const char* json = json_root(o.out);
    assert_true(json_number(json, "frames 0 nearest 0 distance") == 2);
    assert_true(json_number(json, "frames 1 nearest 0 distance") == 0);
    assert_true(json_number(json, "frames 2 nearest 0 distance") == 3);
    assert_int_equal(json_number(json, "frames 0 between 0 pairs"), 0);
    assert_true(json_number(json, "frames 1 between 0 pairs") > 0);
    assert_int_equal(json_number(json, "summary frames_touching"), 1);
    free_outcome(&o);
}

// three sheets in one file: ids are those of the file
static void test_components(void** state) {
    (void)state;
    write_file("three.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
               "v 0 0 1\nv 1 0 1\nv 0 1 1\n"
               "v 0 0 5\nv 1 0 5\nv 0 1 5\n"
               "v 0 0 0\nv -1 0 0\nv 0 -1 0\n"
               "f 1 2 3\nf 4 5 6\nf 7 8 9\nf 10 11 12\n");
    outcome o = run_expecting("check three.obj --components --nearest --json -", 0);
    const char* json = json_root(o.out);
    assert_int_equal(json_size(json_at(json, "objects")), 3);  // the last one shares a place
    assert_int_equal(json_number(json, "objects 0 triangles"), 2);
    assert_int_equal(json_size(json_at(json, "frames 0 nearest")), 3);
    assert_true(json_number(json, "frames 0 nearest 0 distance") == 1);
    assert_int_equal(json_number(json, "frames 0 nearest 0 triangle_b"), 1);
    assert_true(json_number(json, "frames 0 nearest 1 distance") == 5);
    assert_int_equal(json_number(json, "frames 0 nearest 1 triangle_b"), 2);
    assert_true(json_number(json, "frames 0 nearest 2 distance") == 4);
    free_outcome(&o);
    // without distances, components are tested like objects
    o = run_expecting("check three.obj --components --json -", 0);
    assert_int_equal(json_size(json_at(json_root(o.out), "frames 0 between")), 3);
    free_outcome(&o);
}

static void test_wrong_options_are_refused(void** state) {
    (void)state;
    write_sheet("a.obj", 0, 0);
    write_sheet("s_1.obj", 0, 0);
    write_file("s_2.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nv 8 9 9\nv 8 8 9\nf 1 2 3\nf 4 5 6\n");
    write_file("t_1.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nv 8 9 9\nv 8 8 9\nf 1 2 3\nf 4 5 6\n");
    write_sheet("t_2.obj", 0, 0);
    assert_warns("check a.obj --nearest", 2, "two objects or more");
    assert_warns("check a.obj --within 1", 2, "--within needs two objects");
    assert_exit("check a.obj a.obj --within -1", 2);
    assert_warns("check 't_*.obj' --components --nearest", 2, "other triangles");
    outcome o = run_expecting("check 's_*.obj' a.obj --components --nearest",
                              1);  // one component: it may change
    free_outcome(&o);
    assert_exit("check none.obj a.obj --components --nearest", 2);
}

// two squares above each other: all 4 vertices are above a face of the other, and so on
static void test_features_within_a_distance(void** state) {
    (void)state;
    write_sheet("a.obj", 0, 0);
    write_sheet("b.obj", 0, 0.25);
    outcome o = run_expecting("check a.obj b.obj --within 0.25 --features --pairs --json -", 1);
    const char* entry = json_at(json_root(o.out), "frames 0 features 0");
    assert_int_equal(json_number(entry, "a"), 0);
    assert_int_equal(json_number(entry, "b"), 1);
    // a vertex at an end of the diagonal is above both faces, another one above one: 6 each way
    assert_int_equal(json_number(entry, "vertex_face"), 12);
    // each edge with the one above it, and with those that begin above its ends; not across
    assert_int_equal(json_number(entry, "edge_edge"), 5 * 5 - 2 * 2);
    assert_int_equal(json_size(json_at(entry, "list")), 12 + 21);
    assert_true(json_number(entry, "list 0 distance") == 0.25);
    assert_true(json_number(entry, "list 0 normal 2") == -1);
    assert_int_equal(json_size(json_at(entry, "list 0 vertices_a")), 1);
    assert_int_equal(json_size(json_at(entry, "list 0 vertices_b")), 3);
    free_outcome(&o);
    o = run_expecting("check a.obj b.obj --within 0.24999 --features --json -", 0);
    assert_int_equal(json_size(json_at(json_root(o.out), "frames 0 features")), 0);
    free_outcome(&o);
    o = run_expecting("check a.obj b.obj --within 0.25 --features --csv -", 1);
    assert_says("check", o.out, ",features,,vertex 0,face 0,0.25,");
    assert_says("check", o.out, ",features,,edge 0 1,edge 0 1,0.25,");
    free_outcome(&o);
    assert_prints("check a.obj b.obj --within 0.25 --features", 1, "features");
}

// within one object: a vertex and the face across, which are neighbours' neighbours
static void test_features_within_an_object(void** state) {
    (void)state;
    write_sheet("a.obj", 0, 0);
    outcome o = run_expecting("check a.obj --self --within 0.75 --features --json -", 1);
    const char* entry = json_at(json_root(o.out), "frames 0 features 0");
    assert_int_equal(json_number(entry, "a"), 0);
    assert_int_equal(json_number(entry, "b"), 0);
    assert_int_equal(json_number(entry, "vertex_face"), 2);  // from a corner to the diagonal
    assert_int_equal(json_number(entry, "edge_edge"), 0);
    free_outcome(&o);
    assert_prints("check a.obj --self --within 0.5 --features", 0,
                  "Nothing is within the distance");
    assert_warns("check a.obj --within 1 --features", 2, "--features needs two objects");
    assert_warns("check a.obj --self --features", 2, "--features needs a distance");
}

static void test_components_of_the_data(void** state) {
    (void)state;
    need_data("derived_oracles.json");
    char* text = read_whole(ABUT_SHARED_DATA "/derived_oracles.json");
    const char* meshes = json_find(json_space(text), "component_distances");
    assert_non_null(meshes);
    char name[128];
    const char* oracle;
    size_t checked = 0;
    for (size_t i = 0; (oracle = json_entry(meshes, i, name)) != NULL; ++i, ++checked) {
        char arguments[1024];
        snprintf(arguments, sizeof arguments, "check '%s/%s' --components --nearest --json -",
                 ABUT_SHARED_DATA, name);
        outcome o = run_expecting(arguments, 0);
        const char* json = json_root(o.out);
        const double wanted = json_number(oracle, "0 distance");
        const double got = json_number(json, "frames 0 nearest 0 distance");
        if (!(fabs(got - wanted) <= 1e-11 * wanted)) {
            fail_msg("%s: %.17g, not %.17g", name, got, wanted);
        }
        assert_true(json_number(json, "objects 0 triangles") ==
                    json_number(oracle, "0 triangles 0"));
        free_outcome(&o);
    }
    assert_true(checked >= 2);
    free(text);
    outcome o = run_expecting("check '" ABUT_SHARED_DATA "/static/fcl_env.obj' '" ABUT_SHARED_DATA
                              "/static/fcl_rob.obj' --nearest --json -",
                              1);
    assert_true(json_number(json_root(o.out), "frames 0 nearest 0 distance") == 0);
    free_outcome(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_two_objects),
        IN_FOLDER(test_contact_is_distance_0),
        IN_FOLDER(test_within_a_distance),
        IN_FOLDER(test_with_other_queries),
        IN_FOLDER(test_components),
        IN_FOLDER(test_wrong_options_are_refused),
        IN_FOLDER(test_features_within_a_distance),
        IN_FOLDER(test_features_within_an_object),
        IN_FOLDER(test_components_of_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
