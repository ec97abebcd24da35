// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Names that the command uses: frames have the numbers of their files, animations of a model have
// their names; its version and its suites; and the place of a model in world coordinates.
#define _POSIX_C_SOURCE 200809L
#include "abut/base.h"
#include "test_command_support.h"

#include "support/gltf_maker.h"

#include <time.h>

// squares far above the crossing triangle; the one with the number `touching` crosses it
static void write_sequence(const char* pattern, const int* numbers, size_t count, int touching) {
    char name[64];
    for (size_t i = 0; i < count; ++i) {
        snprintf(name, sizeof name, pattern, numbers[i]);
        write_square(name, 0, 0, numbers[i] == touching ? 0 : 5);
    }
}

static void test_numbers_are_those_of_the_files(void** state) {
    (void)state;
    static const int numbers[] = {40, 41, 42, 43, 44};
    write_sequence("frame_%03d.obj", numbers, 5, 42);
    write_crossing("b.obj");
    outcome o = run_expecting("check 'frame_*.obj' b.obj --json -", 1);
    const char* json = json_root(o.out);
    for (size_t i = 0; i < 5; ++i) {
        const char* frame = json_entry(json_at(json, "frames"), i, NULL);
        assert_int_equal(json_number(frame, "frame"), i);
        assert_int_equal(json_number(frame, "number"), 40 + i);
        assert_null(json_find(frame, "clip"));
    }
    assert_string_equal(o.err, "");
    free_outcome(&o);
    o = run_expecting("check 'frame_*.obj' b.obj", 1);
    assert_says("check", o.out, "42");
    assert_null(strstr(o.out, "(2)"));  // the index of the touching frame, counted from 0
    free_outcome(&o);
    // VTK and CSV files use the same numbers
    assert_exit("check 'frame_*.obj' b.obj --quiet --vtk out --csv out.csv", 1);
    struct stat info;
    assert_int_equal(stat("out/surface_0042.vtp", &info), 0);
    assert_int_not_equal(stat("out/surface_0002.vtp", &info), 0);
    char* text = read_whole("out.csv");
    assert_non_null(strstr(text, "42,"));
    free(text);
    // an object without numbers counts from 0; a pattern with one file has the number of that file
    assert_json_number("check b.obj --json -", 0, "frames 0 number", 0);
    assert_json_number("check 'frame_%03d.obj' --frames 41 --json -", 0, "frames 0 number", 41);
    assert_json_number("check 'frame_*3.obj' --json -", 0, "frames 0 number", 43);
}

static void assert_checks(const char* arguments, size_t count, double first, double last) {
    outcome o = run(arguments);
    assert_in_range(o.code, 0, 1);
    const char* frames = json_at(json_root(o.out), "frames");
    if (json_size(frames) != count || json_number(json_entry(frames, 0, NULL), "number") != first ||
        json_number(json_entry(frames, count - 1, NULL), "number") != last) {
        fail_msg("abut %s: %zu frames instead of %zu, or others", arguments, json_size(frames),
                 count);
    }
    free_outcome(&o);
}

static void test_frames_are_chosen_by_number(void** state) {
    (void)state;
    static const int numbers[] = {40, 41, 42, 44, 48, 49};
    write_sequence("f_%d.obj", numbers, 6, -1);
    assert_checks("check 'f_*.obj' --json - --frames 41:44", 3, 41, 44);
    assert_checks("check 'f_*.obj' --json - --frames 43:47", 1, 44, 44);
    assert_checks("check 'f_*.obj' --json - --frames 45:", 2, 48, 49);
    assert_checks("check 'f_*.obj' --json - --frames :41", 2, 40, 41);
    assert_checks("check 'f_*.obj' --json - --frames 0:1000000000000", 6, 40, 49);
    static const char* const missing[] = {"43", "45:47", "50:", ":39", "0:3"};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "check 'f_*.obj' --frames %s", missing[i]);
        assert_warns(arguments, 2, "there is no such frame|40 to 49, without 43 and 45 to 47");
    }
}

static void test_long_numbers(void** state) {
    (void)state;
    write_square("t_20261116120000.obj", 0, 0, 0);
    write_square("t_20261116120001.obj", 0, 0, 0);
    assert_checks("check 't_*.obj' --json - --frames 20261116120001", 1, 20261116120001.0,
                  20261116120001.0);
}

static void test_missing_numbers_are_reported_once(void** state) {
    (void)state;
    static const int numbers[] = {1, 2, 4, 9};
    static const int even[] = {0, 5, 10, 15};
    write_sequence("f_%d.obj", numbers, 4, -1);
    write_sequence("e_%d.obj", even, 4, -1);
    outcome o = run_expecting("check 'f_*.obj' --jobs 2", 0);
    const char* said = strstr(o.err,
                              "f_*.obj: the files are numbered 1 to 9, without 3 and 5 to 8");
    assert_non_null(said);
    assert_null(strstr(said + 32, "numbered"));
    free_outcome(&o);
    assert_warns("check 'e_*.obj'", 0, "numbered 0 to 15 in steps of 5");
}

static void test_objects_with_other_numbers(void** state) {
    (void)state;
    static const int longer[] = {40, 41, 42};
    static const int shorter[] = {7, 8};
    write_sequence("long_%d.obj", longer, 3, -1);
    write_sequence("short_%d.obj", shorter, 2, -1);
    outcome o = run_expecting("check 'short_*.obj' 'long_*.obj' --self --json -", 0);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "frames 0 number"), 40);
    assert_int_equal(json_number(json, "frames 2 number"), 42);
    assert_says("check", o.err,
                "short_*.obj: the files are numbered 7 to 8, but the frames 40 to 42");
    assert_null(strstr(o.err, "long_*.obj"));
    free_outcome(&o);
}

static void test_converted_files_keep_their_numbers(void** state) {
    (void)state;
    static const int numbers[] = {40, 41, 42};
    struct stat info;
    write_sequence("f_%d.obj", numbers, 3, -1);
    assert_exit("convert 'f_*.obj' out_%04d.obj --frames 41:", 0);
    assert_int_equal(stat("out_0041.obj", &info), 0);
    assert_int_equal(stat("out_0042.obj", &info), 0);
    assert_int_not_equal(stat("out_0000.obj", &info), 0);
    assert_refuses("convert 'f_*.obj' out.pc2 --frames 0:3", "no such frame|40 to 42");
}

// ---- a model

// a triangle on a node that is moved and scaled, with two animations of half a second
static void write_model(const char* name, bool named) {
    static gltf_maker m;
    static const float xyz[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float times[] = {0, 0.5F};
    static const float places[] = {10, 0, 0, 10, 5, 0};
    char rest[1024];
    gltf_maker_begin(&m);
    gltf_maker_add(&m, xyz, sizeof xyz, 3, MADE_FLOAT, "VEC3", "");
    gltf_maker_add(&m, times, sizeof times, 2, MADE_FLOAT, "SCALAR", "");
    gltf_maker_add(&m, places, sizeof places, 2, MADE_FLOAT, "VEC3", "");
    static const char* const track =
        "\"samplers\":[{\"input\":1,\"output\":2}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":0,\"path\":\"translation\"}}]";
    snprintf(rest, sizeof rest,
             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
             "\"nodes\":[{\"mesh\":0,\"translation\":[-3,0,0],\"scale\":[2,2,2]}],"
             "\"animations\":[{%s%s},{%s%s}]",
             named ? "\"name\":\"Walk\"," : "", track, named ? "\"name\":\"Run\"," : "", track);
    size_t size = 0;
    char* bytes = gltf_maker_glb(&m, rest, &size);
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static void test_clips_have_names(void** state) {
    (void)state;
    write_model("m.glb", true);
    write_model("unnamed.glb", false);
    outcome o = run_expecting("check m.glb --fps 4 --animation all --json -", 0);
    const char* frames = json_at(json_root(o.out), "frames");
    assert_int_equal(json_size(frames), 6);
    for (size_t i = 0; i < 6; ++i) {
        const char* frame = json_entry(frames, i, NULL);
        assert_json_text(frame, "clip", i < 3 ? "Walk" : "Run");
        assert_int_equal(json_number(frame, "number"), i);
    }
    free_outcome(&o);
    o = run_expecting("check m.glb --fps 4 --json -", 0);  // the first animation
    assert_json_text(json_root(o.out), "frames 0 clip", "Walk");
    free_outcome(&o);
    o = run_expecting("check unnamed.glb --fps 4 --animation all --json -", 0);
    assert_json_text(json_root(o.out), "frames 5 clip", "animation 1");
    free_outcome(&o);
    o = run_expecting("check unnamed.glb --fps 4 --json -", 0);
    assert_null(json_find(json_at(json_root(o.out), "frames 0"), "clip"));
    free_outcome(&o);
    // in the table, and in a sweep, where the warning about changing triangles names a frame
    assert_prints("check m.glb m.glb --between --fps 4 --animation all", 1, "(Walk)");
}

static void test_info_has_boxes_in_world_coordinates(void** state) {
    (void)state;
    write_model("m.glb", true);
    outcome o = run_expecting("info m.glb --json -", 0);
    const char* box = json_at(json_root(o.out), "objects 0 box");
    static const double expected[2][3] = {{10, 0, 0}, {12, 2, 0}};  // the first frame, scaled
    for (int d = 0; d < 3; ++d) {
        char lo[8];
        char hi[8];
        snprintf(lo, sizeof lo, "lo %d", d);
        snprintf(hi, sizeof hi, "hi %d", d);
        assert_true(json_number(box, lo) == expected[0][d]);
        assert_true(json_number(box, hi) == expected[1][d]);
    }
    free_outcome(&o);
    assert_prints("info m.glb", 0, "box: 10 0 0 to 12 2 0");
}

// ---- what is typed

static void test_an_unquoted_pattern_gets_a_hint(void** state) {
    (void)state;
    static const int numbers[] = {1, 2, 3};
    write_sequence("cloth_%03d.obj", numbers, 3, -1);
    write_square("ball.obj", 0, 0, 50);
    write_square("arm_1.obj", 0, 0, 60);
    write_square("arm_2.obj", 0, 0, 70);
    outcome o = run("check cloth_*.obj ball.obj");
    assert_says(
        "check", o.err,
        "cloth_001.obj to cloth_003.obj are 3 separate objects|quote the pattern: 'cloth_*.obj'");
    free_outcome(&o);
    o = run("check ball.obj cloth_*.obj --json -");
    assert_says("check", o.err, "'cloth_*.obj'");
    free_outcome(&o);
    o = run("convert cloth_*.obj out.pc2");
    assert_says("convert", o.err, "'cloth_*.obj'");
    free_outcome(&o);
    static const char* const fine[] = {"check 'cloth_*.obj' ball.obj", "check arm_1.obj arm_2.obj",
                                       "check arm_1.obj ball.obj arm_2.obj",
                                       "check ball.obj ball.obj ball.obj"};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; ++i) {
        o = run(fine[i]);
        assert_string_equal(o.err, "");
        free_outcome(&o);
    }
}

static void test_version(void** state) {
    (void)state;
    static const char* const ways[] = {"-V", "--version", "version"};
    for (size_t i = 0; i < 3; ++i) {
        outcome o = run_expecting(ways[i], 0);
        assert_string_equal(o.out, "abut " ABUT_VERSION_STRING "\n");
        assert_string_equal(o.err, "");
        free_outcome(&o);
    }
    assert_prints("help", 0, "abut version");
}

static void test_help_bench_names_all_suites(void** state) {
    (void)state;
    outcome o = run_expecting("help bench", 0);
    assert_says(
        "help bench", o.out,
        "\n  free |\n  bdtree |\n  bounds |\n  kinetic |\n  voronoi |\n  sweep |\n  depth ");
    free_outcome(&o);
}

// a reader that closes the pipe, as head does: no message, and the exit code of a closed pipe
static void test_closed_pipes_end_silently(void** state) {
    (void)state;
    static const int numbers[] = {0, 1, 2};
    write_sequence("f_%d.obj", numbers, 3, -1);
    write_file("separated.txt", "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n");
    static const char* const commands[] = {"help",
                                           "help check",
                                           "check --help",
                                           "version",
                                           "check 'f_*.obj' --json out.json",
                                           "check 'f_*.obj' --json - --pairs",
                                           "check 'f_*.obj' --quiet --json /dev/stdout",
                                           "check 'f_*.obj' --quiet --csv /dev/stdout",
                                           "check 'f_*.obj' --quiet --html /dev/stdout",
                                           "info f_0.obj",
                                           "info f_0.obj --json -",
                                           "convert 'f_*.obj' out.pc2",
                                           "verify tritri separated.txt",
                                           "demo --list",
                                           "demo tablecloth --triangles 200 --frames 2"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        char command[512];
        // the pipe has lost its reader before the first write
        snprintf(command, sizeof command, "{ sleep 0.05; '%s' %s 2>.err; echo $? >.code; } | true",
                 ABUT_COMMAND, commands[i]);
        assert_int_equal(system(command), 0);
        struct stat info;
        for (int k = 0; k < 100 && (stat(".code", &info) != 0 || info.st_size == 0); ++k) {
            // the shell may not have written the code yet
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        }
        char* code = read_whole(".code");
        char* said = read_whole(".err");
        if (strcmp(code, "141\n") != 0 || said[0] != '\0') {
            fail_msg("abut %s | true: exit code %s, says '%s'", commands[i], code, said);
        }
        free(code);
        free(said);
        assert_int_equal(unlink(".code"), 0);
    }
    // a file output is complete
    char* text = read_whole("out.json");
    assert_int_equal(json_size(json_at(json_root(text), "frames")), 3);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_numbers_are_those_of_the_files),
        IN_FOLDER(test_frames_are_chosen_by_number),
        IN_FOLDER(test_long_numbers),
        IN_FOLDER(test_missing_numbers_are_reported_once),
        IN_FOLDER(test_objects_with_other_numbers),
        IN_FOLDER(test_converted_files_keep_their_numbers),
        IN_FOLDER(test_clips_have_names),
        IN_FOLDER(test_info_has_boxes_in_world_coordinates),
        IN_FOLDER(test_an_unquoted_pattern_gets_a_hint),
        IN_FOLDER(test_version),
        IN_FOLDER(test_help_bench_names_all_suites),
        IN_FOLDER(test_closed_pipes_end_silently),
    };
    return cmocka_run_group_tests_name("command_names", tests, NULL, NULL);
}
