// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut closest, as a user runs it.
#define _POSIX_C_SOURCE 200809L

#include "test_command_support.h"

static const double unit[1][2][3] = {{{0, 0, 0}, {1, 1, 1}}};

static void write_unit(const char* name) {
    write_boxes(name, unit, 1, CLOSED, CLOSED);
}

static void test_points_of_a_box(void** state) {
    (void)state;
    write_unit("box.obj");
    write_file("points.txt", "# x y z\n0.5 0.5 3\n\n0.5, 0.5, 0.75\r\n-3;5;0.5\n1 1 1");
    outcome o = run_expecting("closest box.obj --points points.txt --signed --json -", 0);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "points"), 4);
    assert_int_equal(json_size(json_at(json, "closest")), 4);
    assert_true(json_number(json, "closest 0 distance") == 2);
    assert_json_text(json, "closest 0 side", "outside");
    assert_true(json_number(json, "closest 0 closest 2") == 1);
    assert_true(json_number(json, "closest 1 distance") == -0.25);
    assert_json_text(json, "closest 1 side", "inside");
    assert_true(json_number(json, "closest 2 distance") == 5);
    assert_json_text(json, "closest 2 feature", "edge");
    assert_true(json_number(json, "closest 3 distance") == 0);
    assert_json_text(json, "closest 3 side", "surface");
    assert_json_text(json, "closest 3 feature", "vertex");
    assert_json_text(json, "closest 3 object", "box.obj");
    free_outcome(&o);
    assert_prints("closest box.obj --points points.txt", 0, "distance|box.obj|vertex");
    assert_prints("closest box.obj --points points.txt --csv -", 0,
                  "point,distance,object|3,0,\"box.obj\"");
    assert_prints("closest box.obj --points - < points.txt", 0, "box.obj");
}

static void test_several(void** state) {
    (void)state;
    write_unit("box.obj");
    write_file("one.txt", "0.5 0.5 3\n");
    outcome o = run_expecting("closest box.obj --points one.txt --most 3 --json -", 0);
    assert_int_equal(json_size(json_at(json_root(o.out), "closest")), 3);
    free_outcome(&o);
    o = run_expecting("closest box.obj --points one.txt --within 2 --json -", 0);
    assert_int_equal(json_size(json_at(json_root(o.out), "closest")), 2);
    free_outcome(&o);
    assert_prints("closest box.obj --points one.txt --within 1", 0, "No triangle is near enough");
    write_file("none.txt", "# nothing\n");
    assert_prints("closest box.obj --points none.txt", 0, "No triangle is near enough");
}

static void test_refusals(void** state) {
    (void)state;
    write_unit("box.obj");
    write_file("bad.txt", "1 2 3\n1 2\n");
    write_file("good.txt", "1 2 3\n");
    assert_refuses("closest box.obj --points bad.txt", "bad.txt|line 2|three finite numbers");
    write_file("bad.txt", "1 2 3 4\n");
    assert_refuses("closest box.obj --points bad.txt", "line 1");
    write_file("bad.txt", "1 2 3x\n");
    assert_refuses("closest box.obj --points bad.txt", "line 1");
    write_file("bad.txt", "1 2 nan\n");
    assert_refuses("closest box.obj --points bad.txt", "line 1");
    assert_refuses("closest box.obj", "--points");
    assert_refuses("closest --points good.txt", "needs an object");
    assert_refuses("closest box.obj --points missing.txt", "missing.txt");
    assert_refuses("closest box.obj --points good.txt --frames 3", "no such frame: 3");
    assert_refuses("closest box.obj --points good.txt --csv good.txt", "good.txt");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_points_of_a_box),
        IN_FOLDER(test_several),
        IN_FOLDER(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
