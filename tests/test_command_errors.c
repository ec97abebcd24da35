// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Errors of the command: one sentence, exit code 2, never a crash; and its help.
#define _POSIX_C_SOURCE 200809L
#include "abut/base.h"
#include "test_command_support.h"

static void test_help_of_everything(void** state) {
    (void)state;
    static const char* const names[] = {"check",   "merge",   "info",   "convert", "cast",
                                        "closest", "compare", "render", "watch",   "verify",
                                        "demo",    "bench",   "cache"};
    outcome all = run_expecting("help", 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char arguments[64];
        assert_says("help", all.out, names[i]);
        snprintf(arguments, sizeof arguments, "%s --help", names[i]);
        outcome a = run_expecting(arguments, 0);
        assert_says(arguments, a.out, "Usage: abut |Options:|--help|Examples:|Exit code: ");
        snprintf(arguments, sizeof arguments, "help %s", names[i]);
        outcome b = run_expecting(arguments, 0);
        assert_string_equal(a.out, b.out);
        for (const char* line = a.out; *line != '\0'; line += strcspn(line, "\n") + 1) {
            assert_true(strcspn(line, "\n") <= 90);
        }
        free_outcome(&a);
        free_outcome(&b);
    }
    outcome same = run_expecting("--help", 0);
    assert_string_equal(same.out, all.out);
    free_outcome(&same);
    free_outcome(&all);
    outcome version = run_expecting("--version", 0);
    assert_string_equal(version.out, "abut " ABUT_VERSION_STRING "\n");
    free_outcome(&version);
}

static void test_mistyped_words_get_a_hint(void** state) {
    (void)state;
    write_square("a.obj", 0, 0, 0);
    assert_refuses("", "no command was given|abut help");
    assert_refuses("chekc a.obj", "no command 'chekc'|abut check");
    assert_refuses("xyzzy", "no command 'xyzzy'|abut help");
    assert_refuses("help demmo", "did you mean 'abut demo'");
    assert_refuses("check a.obj --jsn out", "'--jsn' is not an option|--json");
    assert_refuses("check a.obj --neighbors", "--neighbours");
    assert_refuses("check a.obj --zzzzz", "abut help check");
    assert_refuses("check a.obj -q", "two dashes");
    assert_refuses("demo tablecoth", "no scene 'tablecoth'|tablecloth");
    assert_refuses("demo qqqqqqqqq", "abut demo --list");
    assert_refuses("demo chais", "no scene 'chais'|chair");
    assert_refuses("demo curtain --bodies 5", "--bodies|chairs|shoal");
    assert_refuses("demo tear --bodies 5", "--bodies|chairs|shoal");
    assert_refuses("demo curtain --snapshot a.ply", "--snapshot|chairs|shoal|tear");
    assert_refuses("demo tear --frames 1 --snapshot no/such/file.ply", "no/such/file.ply");
    assert_refuses("demo chairs --bodies 1 --triangles 500 --frames 1 --snapshot no/such/file.ply",
                   "no/such/file.ply");
}

static void test_bad_values_are_explained(void** state) {
    (void)state;
    static const char* const cases[][2] = {
        {"check", "needs an object"},
        {"info", "needs an object"},
        {"check a.obj --between", "two objects"},
        {"check a.obj --pairs", "--json"},
        {"check a.obj --json", "--json FILE"},
        {"check a.obj --json --pairs", "--json FILE"},
        {"check a.obj --json=", "empty"},
        {"check a.obj --self=1", "takes no value"},
        {"check a.obj --margin -1", "0 or larger|'-1'"},
        {"check a.obj --margin nan", "0 or larger"},
        {"check a.obj --margin 1e999", "0 or larger"},
        {"check a.obj --margin 1cm", "0 or larger|'1cm'"},
        {"check a.obj --fps 0", "larger than 0"},
        {"check a.obj --frames 5:3", "A:B"},
        {"check a.obj --frames x", "A:B"},
        {"check a.obj --frames :", "A:B"},
        {"check a.obj --frames -1:2", "A:B"},
        {"check a.obj --frames 1:2:3", "A:B"},
        {"check a.obj --frames 99999999999999999999", "A:B"},
        {"check a.obj --frames 1:", "no such frame|only 0"},
        {"demo --triangles 0", "whole number"},
        {"demo --triangles 5.5", "whole number"},
        {"demo --frames 99999999999", "whole number"},
        {"demo tablecloth curtain", "one scene"},
        {"verify", "tritri"},
        {"verify nothing x", "tritri"},
        {"verify ccd", "needs a folder"},
        {"verify ccd missing", "cannot be read as a folder"},
        {"verify ccd .", "there are no queries"},
        {"verify tritri", "needs a file"},
        {"verify tritri a.obj", "must start with 'intersected'"},
        {"verify tritri intersected_missing.txt", "no such file"},
        {"verify tritri intersected_short.txt", "17 numbers"},
        {"verify tritri intersected_empty.txt", "0 numbers"},
        {"verify tritri separated_word.txt", "line 2"},
    };
    write_square("a.obj", 0, 0, 0);
    write_file("intersected_short.txt", "0 0 0\n1 0 0\n0 1 0\n0 0 0\n1 0 0\n0 1\n");
    write_file("intersected_empty.txt", "\n");
    write_file("separated_word.txt", "0 0 0\n1 x 0\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_refuses(cases[i][0], cases[i][1]);
    }
}

static void test_bad_files_are_explained(void** state) {
    (void)state;
    static const char* const cases[][2] = {
        {"check missing.obj", "missing.obj|no such file"},
        {"check 'none_*.obj'", "no file matches"},
        {"check .", "not frames of one sequence"},
        {"check empty.obj", "empty.obj|is empty"},
        {"check nan.obj", "nan.obj|vertex 2|line 2|not finite"},
        {"check index.obj", "index.obj|face 1|line 4|vertex 30|only 3 vertices, 1 to 3"},
        {"check huge.ply", "huge.ply|rows of 'vertex'"},
        {"check cut.off", "cut.off|cut off"},
        {"check binary.obj", "binary.obj|NUL"},
        {"check image.png", "image.png|OBJ, PLY, OFF, STL|.npz|glTF|.pc2|assimp|.fbx"},
        {"check good_1.obj nan.obj", "nan.obj|vertex 2"},
        {"info nan.obj", "vertex 2"},
        {"check 'good_*.obj'", "good_2.obj|no faces"},  // the second frame
        {"check good_1.obj --json no/such/folder.json", "cannot be written"},
        {"check --json good_1.obj good_1.obj", "would overwrite 'good_1.obj'"},
    };
    write_file("empty.obj", "");
    write_file("nan.obj", "v 0 0 0\nv 0 nan 0\nv 0 0 1\nf 1 2 3\n");
    write_file("index.obj", "v 0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 30\n");
    write_file("huge.ply",
               "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n"
               "property double x\nproperty double y\nproperty double z\n"
               "element face 4000000000\nproperty list uchar int vertex_indices\n"
               "end_header\nabc");
    write_file("cut.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n");
    write_file("image.png", "\x89PNG\r\n");
    write_square("good_1.obj", 0, 0, 0);
    write_file("good_2.obj", "v 0 0 0\n");
    FILE* file = fopen("binary.obj", "w");
    assert_non_null(file);
    fwrite("v 0 0 0\n\0\0\n", 1, 11, file);
    fclose(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        if (strstr(cases[i][0], "check .") != NULL && cases[i][0][7] == '\0') {
            write_square("other.obj", 0, 0, 0);
        }
        assert_refuses(cases[i][0], cases[i][1]);
    }
    char* kept = read_whole("good_1.obj");
    assert_int_equal(kept[0], 'v');  // the mesh was not overwritten
    free(kept);
}

static void test_strange_names_are_harmless(void** state) {
    (void)state;
    write_square("a\x1b[31m\xff.obj", 0, 0, 0);
    write_square("-dash.obj", 0, 0, 0);
    write_square("100%s.obj", 0, 0, 0);
    outcome o = run_expecting("check 'a\x1b[31m\xff.obj' '100%s.obj' --json -", 1);
    assert_null(strchr(o.out, '\x1b'));
    json_root(o.out);
    free_outcome(&o);
    o = run_expecting("check 'a\x1b[31m\xff.obj' -- -dash.obj", 1);
    assert_null(strchr(o.out, '\x1b'));
    assert_says("check", o.out, "-dash.obj");
    free_outcome(&o);
    assert_refuses("check '\x1b[31mmissing.obj'", "?[31mmissing.obj");
}

// an output that cannot be written is an error, whatever the answer is
static void test_lost_output_is_noticed(void** state) {
    (void)state;
    write_square("a.obj", 0, 0, 0);
    static const char* const lost[] = {"check a.obj >&-", "check a.obj --json - >&-",
                                       "help >&-",        "demo --list >&-",
                                       "info a.obj >&-",  "check a.obj --json out.json >&-"};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; ++i) {
        assert_warns(lost[i], 2, "abut: the output could not be written");
    }
    // the report for standard output is in no file, and a failed run leaves no file
    assert_int_not_equal(access("out.json", F_OK), 0);
    if (access("/dev/full", W_OK) == 0) {
        assert_warns("check a.obj >/dev/full", 2, "No space left");
        assert_warns("check a.obj --json /dev/full", 2,
                     "/dev/full|cannot be written|No space left");
        assert_exit("check a.obj --json - >/dev/full", 2);
    }
    assert_exit("check a.obj --quiet >&-", 0);  // nothing to write, nothing lost
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_help_of_everything),         IN_FOLDER(test_mistyped_words_get_a_hint),
        IN_FOLDER(test_bad_values_are_explained),   IN_FOLDER(test_bad_files_are_explained),
        IN_FOLDER(test_strange_names_are_harmless), IN_FOLDER(test_lost_output_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
