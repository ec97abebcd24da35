// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The files that an argument stands for, and their order.
#define _POSIX_C_SOURCE 200809L
#include "io/sequence.h"
#include "support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void make(const char* names) {
    char name[256];
    while (*names != '\0') {
        const size_t length = strcspn(names, " ");
        assert_true(length < sizeof name);
        memcpy(name, names, length);
        name[length] = '\0';
        FILE* file = fopen(name, "w");
        assert_non_null(file);
        fclose(file);
        names += length + (names[length] == ' ');
    }
}

static void assert_lists(const char* object, const char* expected) {
    io_sequence sequence;
    io_error error = {""};
    char names[1024] = "";
    if (!io_sequence_list(object, &sequence, &error)) {
        fail_msg("%s", error.message);
    }
    for (size_t i = 0; i < sequence.count; ++i) {
        strcat(strcat(names, i == 0 ? "" : " "), sequence.paths[i]);
    }
    assert_string_equal(names, expected);
    io_sequence_free(&sequence);
    assert_int_equal(sequence.count, 0);
}

static void assert_refused(const char* object, const char* part) {
    io_sequence sequence;
    io_error error = {""};
    assert_false(io_sequence_list(object, &sequence, &error));
    assert_int_equal(sequence.count, 0);
    if (strstr(error.message, part) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, part);
    }
}

static void test_a_file_is_itself(void** state) {
    (void)state;
    make("a.obj x[1]*.obj b_%d.ply noending");
    assert_lists("a.obj", "a.obj");
    assert_lists("x[1]*.obj", "x[1]*.obj");  // an existing name is not a pattern
    assert_lists("b_%d.ply", "b_%d.ply");
    assert_lists("./noending", "./noending");
    assert_refused("missing.obj", "no such file or folder");
    assert_refused("a.obj/b.obj", "no such file or folder");
    assert_refused("", "name of the object is empty");
}

static void test_numbers_give_the_order(void** state) {
    (void)state;
    make("cloth_10.obj cloth_9.obj cloth_1.obj cloth_100.obj cloth_1.mtl notes.txt ball_1.obj");
    assert_lists("cloth_*.obj", "cloth_1.obj cloth_9.obj cloth_10.obj cloth_100.obj");
    assert_lists("cloth_*", "cloth_1.obj cloth_9.obj cloth_10.obj cloth_100.obj");
    assert_lists("cloth_??.obj", "cloth_10.obj");
    assert_lists("cloth_%d.obj", "cloth_1.obj cloth_9.obj cloth_10.obj cloth_100.obj");
    assert_lists("./cloth_%02d.obj", "./cloth_10.obj ./cloth_100.obj");
    assert_lists("ball_*.obj", "ball_1.obj");
    assert_refused("*.obj", "not frames of one sequence");
    assert_refused("table_*.obj", "no file matches");
    assert_refused("table_%04d.obj", "no file matches");
    assert_refused("no/such/%04d.obj", "folder cannot be opened");
}

static void test_only_one_number_may_differ(void** state) {
    (void)state;
    make("sim2_0001_v3.ply sim2_0002_v3.ply sim2_0010_v3.ply");
    assert_lists("sim2_*", "sim2_0001_v3.ply sim2_0002_v3.ply sim2_0010_v3.ply");
    make("sim2_0002_v4.ply");
    assert_refused("sim2_*", "except for one number");
    // only the numbers differ, and the error says what kind of numbers is meant
    make("t_-1.obj t_0.obj");
    assert_refused("t_*.obj", "of digits alone");
    make("u_12345678901234567890.obj u_12345678901234567891.obj");
    assert_refused("u_*.obj", "at most 18 of them");
}

static void test_equal_numbers_are_refused(void** state) {
    (void)state;
    make("a_1.obj a_01.obj");
    assert_refused("a_*.obj", "same number");
    make("b_1.obj b_01.obj b_2.obj");
    assert_refused("b_*.obj", "same number");
    make("c_11111111111111111111111111.obj c_2.obj");
    assert_refused("c_*.obj", "not frames of one sequence");
}

static void test_a_folder_is_its_meshes(void** state) {
    (void)state;
    assert_int_equal(mkdir("frames", 0700), 0);
    assert_int_equal(mkdir("frames/7.obj", 0700), 0);
    assert_refused("frames", "no mesh");
    make("frames/10.PLY frames/9.PLY frames/readme.md frames/.8.PLY");
    assert_lists("frames", "frames/9.PLY frames/10.PLY");
    assert_lists("frames/", "frames/9.PLY frames/10.PLY");
    make("frames/ground.obj");
    assert_refused("frames", "quoted pattern");
}

static void assert_numbers(const char* object, const uint64_t* expected) {
    io_sequence sequence;
    io_error error = {""};
    assert_true(io_sequence_list(object, &sequence, &error));
    for (size_t i = 0; i < sequence.count && expected != NULL; ++i) {
        assert_true(sequence.numbers[i] == expected[i]);
    }
    assert_true(expected != NULL || sequence.numbers == NULL);
    io_sequence_free(&sequence);
}

static void test_numbers_of_frames(void** state) {
    (void)state;
    assert_int_equal(mkdir("v2", 0700), 0);
    make("v2/a3_0040_x5.obj v2/a3_0042_x5.obj v2/only7.obj v2/b_0900.x3d.obj v2/none.obj");
    assert_numbers("v2/a3_*.obj", (uint64_t[]){40, 42});
    assert_numbers("v2/a3_%04d_x5.obj", (uint64_t[]){40, 42});
    assert_numbers("v2/only*.obj", (uint64_t[]){7});
    assert_numbers("v2/n*.obj", (uint64_t[]){0});
    assert_numbers("v2/only7.obj", NULL);  // named directly
}

static void test_names_that_look_like_a_sequence(void** state) {
    (void)state;
    static const char* const names[] = {"v2/a_1.obj", "v2/a_2.obj", "v2/a_10.obj",
                                        "v3/a_1.obj", "b.obj",      "b.obj"};
    char pattern[64];
    assert_int_equal(io_sequence_alike(names, 6, pattern, sizeof pattern), 3);
    assert_string_equal(pattern, "v2/a_*.obj");
    assert_int_equal(io_sequence_alike(names + 2, 4, pattern, sizeof pattern), 1);
    assert_int_equal(io_sequence_alike(names + 4, 2, pattern, sizeof pattern),
                     1);  // the same number twice
    assert_int_equal(io_sequence_alike(names, 0, pattern, sizeof pattern), 0);
}

static void test_one_mesh_needs_no_number(void** state) {
    (void)state;
    assert_int_equal(mkdir("one", 0700), 0);
    make("one/ground.off");
    assert_lists("one", "one/ground.off");
    assert_lists("one/*", "one/ground.off");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_file_is_itself, enter_current_folder,
                                        leave_current_folder),
        cmocka_unit_test_setup_teardown(test_numbers_give_the_order, enter_current_folder,
                                        leave_current_folder),
        cmocka_unit_test_setup_teardown(test_only_one_number_may_differ, enter_current_folder,
                                        leave_current_folder),
        cmocka_unit_test_setup_teardown(test_equal_numbers_are_refused, enter_current_folder,
                                        leave_current_folder),
        cmocka_unit_test_setup_teardown(test_a_folder_is_its_meshes, enter_current_folder,
                                        leave_current_folder),
        cmocka_unit_test_setup_teardown(test_one_mesh_needs_no_number, enter_current_folder,
                                        leave_current_folder),
        cmocka_unit_test_setup_teardown(test_numbers_of_frames, enter_current_folder,
                                        leave_current_folder),
        cmocka_unit_test(test_names_that_look_like_a_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
