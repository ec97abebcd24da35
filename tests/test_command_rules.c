// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rules of abut check: --ignore, --only, --expect. A run without rules is the oracle: findings that a
// rule names are put aside and counted, all others stay as they were.
#define _POSIX_C_SOURCE 200809L
#include "support/gltf_maker.h"
#include "support/random.h"
#include "support/world.h"
#include "test_command_support.h"

static void write_cube(const char* name, double x, double y, double half) {
    const double box[1][2][3] = {{{x - half, y - half, -half}, {x + half, y + half, half}}};
    write_boxes(name, box, 1, CLOSED, CLOSED);
}

// shirt and body touch, body and hat touch, pin is inside shirt
static void write_scene(void) {
    write_cube("shirt.obj", 0, 0, 1);
    write_cube("body.obj", 1.5, 0, 1);
    write_cube("hat.obj", 3, 0, 1);
    write_cube("pin.obj", -0.5, 0, 0.1);
}

#define SCENE "check shirt.obj body.obj hat.obj pin.obj --between "

static void test_ignored_contact_is_counted_everywhere(void** state) {
    (void)state;
    write_scene();
    assert_prints(SCENE "--ignore shirt,body", 1,
                  "Contact; 52 ignored.|Ignored by --ignore shirt,body: 52 pairs of triangles.");
    assert_prints(SCENE "--ignore shirt,body --ignore hat,body", 0,
                  "No surfaces touch; pin.obj is inside shirt.obj; 104 ignored.");
    assert_exit(SCENE "--ignore body,shirt --csv c.csv --html h.html --json j.json", 1);
    char* csv = read_whole("c.csv");
    assert_non_null(strstr(csv, "0,0,0,1,,,,,,,,,aside,,ignored,52,,,,,,,0,shirt.obj,body.obj\n"));
    assert_null(strstr(csv, ",pair,,,,,,,,,,0,shirt.obj,body.obj"));
    char* html = read_whole("h.html");
    assert_non_null(strstr(html, "Contact; 52 ignored"));
    char* text = read_whole("j.json");
    const char* json = json_root(text);
    assert_int_equal(json_number(json, "frames 0 aside ignored"), 52);
    assert_int_equal(json_number(json, "frames 0 between 0 pairs"), 0);
    assert_int_equal(json_number(json, "summary rules 0 pairs"), 52);
    assert_json_text(json, "summary rules 0 names", "body,shirt");
    assert_json_text(json, "summary verdict", "Contact; 52 ignored");
    free(csv);
    free(html);
    free(text);
}

static void test_all_kinds_of_findings_obey_rules(void** state) {
    (void)state;
    write_scene();
    assert_prints("check shirt.obj pin.obj --ignore pin,shirt", 0,
                  "Nothing touches|1 ignored|1 object inside another.");
    assert_prints("check shirt.obj body.obj --depth --ignore shirt,body", 0,
                  "52 pairs of triangles and 1 region.");
    assert_prints("check shirt.obj hat.obj --within 2 --ignore shirt,hat", 0, "1 distance.");
    assert_prints("check shirt.obj body.obj hat.obj --nearest --ignore shirt,body", 1,
                  "body.obj to hat.obj|1 ignored");
    assert_prints("check shirt.obj hat.obj --within 2 --features --ignore shirt,hat", 0,
                  "1 distance and | pairs of features.");
    // itself, and not with others
    write_file("cross.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv .2 .2 -1\nv .3 .2 -1\nv .2 .2 1\nf 1 2 3\nf 4 5 6\n");
    assert_prints("check cross.obj shirt.obj", 1, "cross.obj touches itself");
    assert_prints("check cross.obj --ignore cross", 0, "1 ignored");
    assert_prints("check cross.obj --ignore cross,cross", 0, "1 ignored");
    assert_prints("check cross.obj shirt.obj --ignore cross", 1, "1 ignored");
}

static void test_only_leaves_the_rest_out(void** state) {
    (void)state;
    write_scene();
    assert_prints(SCENE "--only shirt,body", 1,
                  "53 left out by --only|Left out by --only: 52 pairs");
    assert_prints(SCENE "--only shirt,hat", 0, "105 left out by --only");
    assert_prints(SCENE "--only shirt,hat --only 'body,*'", 1, "1 left out by --only");
    // --ignore goes first
    assert_prints(SCENE "--only 'shirt,b*' --ignore shirt,body", 0,
                  "52 ignored, 53 left out by --only");
}

static void test_expected_contact_must_be_there(void** state) {
    (void)state;
    write_scene();
    assert_prints("check shirt.obj body.obj --expect shirt,body", 0,
                  "Nothing touches between the objects|52 expected");
    assert_prints(
        "check shirt.obj hat.obj --expect shirt,hat", 1,
        "expected contact is missing.|Missing: contact that --expect shirt,hat speaks of.");
    assert_json_number("check shirt.obj hat.obj --expect shirt,hat --json -", 1,
                       "summary rules 0 missing", 1);
    // a cube that passes by: it must touch in every frame
    for (int i = 0; i < 6; ++i) {
        char name[32];
        snprintf(name, sizeof name, "way_%02d.obj", i + 10);
        write_cube(name, -4.5 + i, 0.1, 1);
    }
    assert_prints("check shirt.obj 'way_*.obj' --expect 'shirt,way*'", 1,
                  "missing in 3 of 6 frames|(10-12)");
    assert_prints("check shirt.obj 'way_*.obj' --expect 'shirt,way*' --frames 13:15", 0,
                  "expected");
}

static void test_rules_that_match_nothing_are_said(void** state) {
    (void)state;
    write_scene();
    assert_warns(SCENE "--ignore shrt,body", 1,
                 "--ignore shrt,body matches nothing|'shrt'; did you mean 'shirt'?");
    assert_warns(SCENE "--expect 'zebra*,body'", 1, "matches nothing|no name matches 'zebra*'");
    assert_prints(SCENE "--ignore shirt,hat", 1, "nothing; the rule matches no contact");
    assert_refuses(SCENE "--ignore ,body", "two names");
    assert_refuses(SCENE "--ignore a,b,c", "two names");
    assert_refuses(SCENE "--only 'a,'", "two names");
    char many[4096] = SCENE;
    for (int i = 0; i < 65; ++i) {
        strcat(many, "--ignore a,b ");
    }
    assert_refuses(many, "more than 64 rules");
}

// names as files and nodes have them
static void test_names_and_patterns(void** state) {
    (void)state;
    write_scene();
    assert_int_equal(mkdir("deep", 0777), 0);
    write_cube("deep/sock.new.obj", 0, 1.5, 1);
    static const char* const names[] = {"sock.new", "sock.new.obj", "deep/sock.new.obj", "deep/*",
                                        "*sock*",   "sock.n?w",     "[r-t]ock.new"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char arguments[256];
        snprintf(arguments, sizeof arguments,
                 "check shirt.obj deep/sock.new.obj --ignore 'shirt,%s'", names[i]);
        assert_prints(arguments, 0, "ignored");
    }
    write_cube("a,b[c].obj", 1, 1, 1);
    assert_prints("check shirt.obj 'a,b[c].obj' --ignore 'shirt,a\\,b[c].obj'", 0, "ignored");
}

// Three triangles in a row, of different materials, groups and objects, and one that crosses all.
static void test_names_of_triangles(void** state) {
    (void)state;
    write_file("bar.obj", "v -1 .2 -.1\nv 7 .2 -.1\nv 3 .3 .2\nf 1 2 3\n");
    write_file("row.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nv 3 0 0\nv 2 1 0\nv 4 0 0\nv 5 0 0\nv 4 1 0\n"
               "usemtl cloth red\no top\nf 1 2 3\nusemtl skin\ng left upper\nf 4 5 6\nusemtl \n"
               "o bottom\ng\nf 7 8 9\n");
    static const char* const rules[][2] = {
        {"bar,skin", "1 ignored"},    {"'cloth red,bar'", "1 ignored"}, {"bar,red", "1 ignored"},
        {"upper,bar", "1 ignored"},   {"bar,top", "2 ignored"},         {"bottom,bar", "1 ignored"},
        {"'bar,[st]*'", "2 ignored"}, {"bar,row", "3 ignored"},         {"skin,cloth", ""},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        char command[256];
        snprintf(command, sizeof command, "check bar.obj row.obj --between --ignore %s",
                 rules[i][0]);
        assert_prints(command, strstr(rules[i][1], "3") == NULL, rules[i][1]);
        snprintf(command, sizeof command, "check bar.obj row.obj --between --only %s", rules[i][0]);
        const int left = 3 - (int)strtol(rules[i][1], NULL, 10);
        assert_json_number(strcat(command, " --json -"), left < 3, "frames 0 aside outside", left);
    }
    outcome o = run("check bar.obj row.obj --between --ignore bar,skin --expect bar,top");
    assert_string_equal(o.err, "");  // both rules have met a name
    assert_says("--expect", o.out, "Contact; 1 ignored, 1 expected.");
    free_outcome(&o);
    assert_warns("check bar.obj row.obj --between --ignore bar,silk", 1, "no name matches 'silk'");
}

static void test_materials_of_models(void** state) {
    (void)state;
    static gltf_maker m;
    static const float bar[3][3] = {{-1, .2F, -.1F}, {7, .2F, -.1F}, {3, .3F, .2F}};
    static const float first[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    static const float second[3][3] = {{2, 0, 0}, {3, 0, 0}, {2, 1, 0}};
    gltf_maker_begin(&m);
    gltf_maker_add(&m, bar, sizeof bar, 3, MADE_FLOAT, "VEC3", "");
    gltf_maker_add(&m, first, sizeof first, 3, MADE_FLOAT, "VEC3", "");
    gltf_maker_add(&m, second, sizeof second, 3, MADE_FLOAT, "VEC3", "");
    size_t size = 0;
    char* text = gltf_maker_text(
        &m,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]},{\"primitives\":[{"
        "\"attributes\":{\"POSITION\":1},\"material\":1},{\"attributes\":{\"POSITION\":2},"
        "\"material\":0}]}],\"materials\":[{\"name\":\"skin\"},{\"name\":\"cloth\"}],"
        "\"nodes\":[{\"name\":\"bar\",\"mesh\":0},{\"name\":\"row\",\"mesh\":1}],"
        "\"scenes\":[{\"nodes\":[0,1]}],\"scene\":0",
        NULL, &size);
    FILE* file = fopen("m.gltf", "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(text);
    assert_prints("check m.gltf --between --ignore bar,skin", 1, "1 ignored");
    assert_prints("check m.gltf --between --ignore bar,skin --ignore cloth,bar", 0, "2 ignored");
    assert_prints("check m.gltf --between --only bar,cloth", 1, "1 left out");
}

// hostile names, of files and in rules, do no harm in any output
static void test_hostile_names(void** state) {
    (void)state;
    write_cube("shirt.obj", 0, 0, 1);
    assert_int_equal(mkdir("<", 0777), 0);  // the slash of "</script>" ends a folder's name
    write_cube("</script>\"\x1b[31m\n\xff.obj", 1, 1, 1);
    outcome o = run_expecting(
        "check shirt.obj \"$(printf '</script>\"\\033[31m\\n\\377.obj')\" --ignore \"$(printf "
        "'shirt,</script>\"\\033[31m\\n\\377')\" --csv c.csv --html h.html --json j.json",
        0);
    char* files[] = {o.out, o.err, read_whole("c.csv"), read_whole("j.json"), read_whole("h.html")};
    for (size_t i = 0; i < 5; ++i) {
        assert_null(strchr(files[i], '\x1b'));
        assert_null(strchr(files[i], '\xff'));
    }
    assert_says("", o.out, "ignored");
    json_root(files[3]);
    const char* data = strstr(files[4], "id=\"report\"");
    assert_non_null(data);
    assert_null(strstr(strstr(data, "</script>") + 1, "ignored"));  // the data does not end early
    free(files[2]);
    free(files[3]);
    free(files[4]);
    free_outcome(&o);
}

// pairs of two objects in the first frame
static double pairs_of(const char* json, int a, int b) {
    const char* list = json_at(json, "frames 0 between");
    const char* entry;
    for (size_t i = 0; (entry = json_entry(list, i, NULL)) != NULL; ++i) {
        if (json_number(entry, "a") == a && json_number(entry, "b") == b) {
            return json_number(entry, "pairs");
        }
    }
    return 0;
}

enum { CUBES = 6 };

// of random cubes, those whose names a random rule has are put aside, and the others unchanged
static void compare_with_all(uint64_t seed) {
    test_random random = random_seed(seed);
    char arguments[256] = "check --between --json - ";
    char command[512];
    for (int i = 0; i < CUBES; ++i) {
        char name[32];
        snprintf(name, sizeof name, "c%d.obj", i);
        write_cube(name, 3 * random_unit(&random), 3 * random_unit(&random), 1);
        strcat(arguments, name);
        strcat(arguments, " ");
    }
    const int x = (int)random_below(&random, CUBES);
    const int y = (int)random_below(&random, CUBES);
    const bool all = random_chance(&random, 0.3);
    const bool only = random_chance(&random, 0.5);
    outcome o = run(arguments);
    if (all) {
        snprintf(command, sizeof command, "%s --%s 'c%d,*' --jobs 2", arguments,
                 only ? "only" : "ignore", x);
    } else {
        snprintf(command, sizeof command, "%s --%s c%d,c%d", arguments, only ? "only" : "ignore", x,
                 y);
    }
    outcome ruled = run(command);
    const char* before = json_root(o.out);
    const char* after = json_root(ruled.out);
    double aside = 0;
    double left = 0;
    for (int a = 0; a < CUBES; ++a) {
        for (int b = a + 1; b < CUBES; ++b) {
            const bool named = all ? a == x || b == x : (a == x && b == y) || (a == y && b == x);
            const double pairs = pairs_of(before, a, b);
            const double expected = named == only ? pairs : 0;
            if (pairs_of(after, a, b) != expected) {
                fail_msg("seed %llu: abut %s: c%d and c%d have %g pairs, not %g",
                         (unsigned long long)seed, command, a, b, pairs_of(after, a, b), expected);
            }
            aside += pairs - expected;
            left += expected;
        }
    }
    assert_true(json_number(after, only ? "frames 0 aside outside" : "frames 0 aside ignored") ==
                aside);
    assert_int_equal(ruled.code, left > 0);
    free_outcome(&o);
    free_outcome(&ruled);
}

static void test_random_rules(void** state) {
    (void)state;
    const uint64_t count = (uint64_t)effort(12, 60, 400);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        compare_with_all(seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_ignored_contact_is_counted_everywhere),
        IN_FOLDER(test_all_kinds_of_findings_obey_rules),
        IN_FOLDER(test_only_leaves_the_rest_out),
        IN_FOLDER(test_expected_contact_must_be_there),
        IN_FOLDER(test_rules_that_match_nothing_are_said),
        IN_FOLDER(test_names_and_patterns),
        IN_FOLDER(test_names_of_triangles),
        IN_FOLDER(test_materials_of_models),
        IN_FOLDER(test_hostile_names),
        IN_FOLDER(test_random_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
