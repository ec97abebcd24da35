// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Settings of a project, .abut.toml: the same options on the command line are the oracle.
#define _POSIX_C_SOURCE 200809L
#include "support/random.h"
#include "support/world.h"
#include "test_command_support.h"

static void write_cube(const char* name, double x) {
    const double box[1][2][3] = {{{x - 1, -1, -1}, {x + 1, 1, 1}}};
    write_boxes(name, box, 1, CLOSED, CLOSED);
}

// shirt touches body, body touches hat
static void write_scene(void) {
    write_cube("shirt.obj", 0);
    write_cube("body.obj", 1.5);
    write_cube("hat.obj", 3);
}

#define SCENE "check shirt.obj body.obj hat.obj "

// a file of settings gives the JSON of these options, but for the name of the file
static void assert_same(const char* toml, const char* options, int code) {
    char command[512];
    write_file(".abut.toml", toml);
    snprintf(command, sizeof command, SCENE "--config none %s --json -", options);
    outcome direct = run_expecting(command, code);
    outcome set = run_expecting(SCENE "--json -", code);
    static const char key[] = "\"settings\": \".abut.toml\"";
    const size_t length = sizeof key - 1;
    char* said = strstr(set.out, key);
    assert_non_null(said);
    said = said[length] == ',' ? said : said - 2;  // it goes with its comma
    memmove(said, said + length + 2, strlen(said + length + 2) + 1);
    if (strcmp(direct.out, set.out) != 0) {
        fail_msg("%s\n%s\n%s", options, direct.out, set.out);
    }
    free_outcome(&direct);
    free_outcome(&set);
}

static void test_settings_are_options(void** state) {
    (void)state;
    write_scene();
    assert_same("ignore = \"shirt,body\"\n", "--ignore shirt,body", 1);
    assert_same("# rules\n[check]\nignore = [\"shirt,body\", # both\n  'b*,hat',\n]\r\n",
                "--ignore shirt,body --ignore 'b*,hat'", 0);
    assert_same("fail-if = \"depth > 600mm\"\nunits = 'm'", "--fail-if 'depth > 600mm' --units m",
                0);
    assert_same("between=true\nself=false\nmargin = 0.5", "--between --margin 0.5", 1);
    assert_same("only = [\"shirt,body\"]\nexpect = []\nbaseline = \"rest\"\nby = \"component\"\n",
                "--only shirt,body --baseline rest --by component", 0);
    assert_same("only = \"a\\\\,b\\t\\\"\"\n", "--only 'a\\,b\t\"'", 0);
    assert_prints(SCENE, 0, "With the settings of .abut.toml.");
}

static void test_command_line_goes_first(void** state) {
    (void)state;
    write_scene();
    write_file(".abut.toml", "fail-if = \"depth > 0.1\"\nignore = \"shirt,body\"\n");
    assert_exit(SCENE, 1);
    assert_exit(SCENE "--fail-if 'depth > 2'", 0);
    assert_prints(SCENE "--ignore hat,body", 0, "104 ignored");  // rules of both
    assert_prints(SCENE "--config none", 1, "Contact.");
    write_file("other.toml", "ignore = '*'\n");
    assert_prints(SCENE "--config other.toml", 0, "With the settings of other.toml.");
}

static void test_files_are_found_in_projects_only(void** state) {
    (void)state;
    write_scene();
    assert_int_equal(mkdir("shots", 0777) | mkdir("shots/new", 0777), 0);
    write_file(".abut.toml", "ignore = '*'\nbaseline = 'known.txt'\n");
    assert_exit("check shirt.obj body.obj --config none --write-baseline known.txt", 1);
    const char* below = "check ../../shirt.obj ../../body.obj";
    assert_int_equal(chdir("shots/new"), 0);
    assert_exit(below, 1);  // no project
    assert_int_equal(mkdir("../../.git", 0777), 0);
    assert_prints(below, 0, "With the settings of ../../.abut.toml.");  // and its baseline is found
    write_file("../.abut.toml", "ignore = 'x,y'\n");
    assert_exit(below, 1);  // the closest one
    assert_int_equal(chdir("../.."), 0);
}

static void test_bad_settings_are_refused(void** state) {
    (void)state;
    static const char* const wrong[][2] = {
        {"fail_if = 1", "line 1: 'fail_if' cannot be set here; did you mean fail-if?"},
        {"\n\njson = 'x'", "line 3: 'json' cannot be set here"},
        {"write-baseline = 'x'", "cannot be set here"},
        {"ignore 'x'", "line 1: = is expected"},
        {"ignore = x y", "the end of the line"},
        {"ignore = \"x", "does not end"},
        {"ignore = \"\\q\"", "escapes"},
        {"ignore = [1]", "list of strings"},
        {"ignore = ['a' 'b']", "a comma or ]"},
        {"ignore = ['a'", "a comma or ]"},
        {"ignore =", "is expected"},
        {"[render]", "only table is [check]"},
        {"= 3", "name of an option"}};
    write_scene();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        write_file(".abut.toml", wrong[i][0]);
        assert_refuses(SCENE, wrong[i][1]);
    }
    write_file(".abut.toml", "margin = -1\n");
    assert_warns(SCENE, 2, "--margin needs a number|is from .abut.toml");
    assert_refuses(SCENE "--config gone.toml", "gone.toml");
    assert_refuses(SCENE "--config none --json .abut.toml --config other", "twice");
    write_file(".abut.toml", "margin = 1\n");
    assert_refuses(SCENE "--json .abut.toml", ".abut.toml");  // it is an input
}

// changed bytes are refused in a sentence, or are other settings
static void test_damaged_settings_do_no_harm(void** state) {
    (void)state;
    write_scene();
    const uint32_t count = effort(25, 200, 2000);
    for (uint32_t seed = 1; seed <= count; ++seed) {
        test_random random = random_seed(seed);
        char text[] =
            "# a\n[check]\nignore = [\"shirt,body\", 'b*,hat']\nfail-if = \"depth > 1%\"\n"
            "margin = 0.5 # b\nbetween = true\n";
        for (int i = 0; i < 2; ++i) {
            text[random_below(&random, sizeof text - 1)] = (char)(1 + random_below(&random, 255));
        }
        write_file(".abut.toml", text);
        outcome o = run(SCENE);
        if (o.code > 2 || strchr(o.err, '\x1b') != NULL || strchr(o.out, '\x1b') != NULL) {
            fail_msg("seed %u: exit code %d: %s", seed, o.code, o.err);
        }
        free_outcome(&o);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_settings_are_options),
        IN_FOLDER(test_command_line_goes_first),
        IN_FOLDER(test_files_are_found_in_projects_only),
        IN_FOLDER(test_bad_settings_are_refused),
        IN_FOLDER(test_damaged_settings_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
