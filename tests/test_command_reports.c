// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reports of abut check for machines: JSON against its schema (docs/check.schema.json), lines of JSON, JUnit
// XML, SARIF, and --each. The schema and the XML are read here by code of their own.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

#include <jansson.h>

static void write_cube(const char* name, double x, double half, int triangles) {
    const double box[1][2][3] = {{{x - half, -half, -half}, {x + half, half, half}}};
    write_boxes(name, box, 1, triangles, CLOSED);
}

// a cube that passes another one, a cube inside that, and an open box
static void write_scene(void) {
    static const double places[] = {5, 1.5, 1, 5, 1.9};
    write_cube("still.obj", 0, 1, CLOSED);
    write_cube("pin.obj", -0.5, 0.1, CLOSED);
    write_cube("open.obj", 8, 1, CLOSED - 1);
    write_file("cross.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv .2 .2 -1\nv .3 .2 -1\nv .2 .2 1\nf 1 2 3\nf 4 5 6\n");
    for (int i = 0; i < 5; ++i) {
        char name[32];
        snprintf(name, sizeof name, "way_%d.obj", i + 1);
        write_cube(name, places[i], 1, CLOSED);
    }
}

// ---- a validator of the part of JSON schema that the schema uses

static json_t* read_json(const char* path) {
    json_error_t error;
    json_t* json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (json == NULL) {
        fail_msg("%s, line %d: %s", path, error.line, error.text);
    }
    return json;
}

static bool has_type(const json_t* value, const char* type) {
    return strcmp(type, "object") == 0    ? json_is_object(value)
           : strcmp(type, "array") == 0   ? json_is_array(value)
           : strcmp(type, "string") == 0  ? json_is_string(value)
           : strcmp(type, "integer") == 0 ? json_is_integer(value)
           : strcmp(type, "number") == 0  ? json_is_number(value)
           : strcmp(type, "boolean") == 0 ? json_is_boolean(value)
                                          : json_is_null(value);
}

static bool is_one_of(json_t* list, const json_t* value, bool types) {
    size_t i;
    json_t* entry;
    json_array_foreach(list, i, entry) {
        if (types ? has_type(value, json_string_value(entry)) : json_equal(entry, value) == 1) {
            return true;
        }
    }
    return false;
}

// what does not fit; empty if all does
typedef struct check {
    json_t* root;
    char said[256];
} check;

static bool fits(check* c, json_t* schema, json_t* value, const char* where);

static bool refuse(check* c, const char* where, const char* why) {
    snprintf(c->said, sizeof c->said, "%.100s: %.100s", where, why);
    return false;
}

static bool fits_object(check* c, json_t* schema, json_t* value, const char* where) {
    size_t i;
    const char* key;
    json_t* entry;
    json_t* known = json_object_get(schema, "properties");
    json_array_foreach(json_object_get(schema, "required"), i, entry) {
        if (json_object_get(value, json_string_value(entry)) == NULL) {
            return refuse(c, where, json_string_value(entry));
        }
    }
    json_object_foreach(value, key, entry) {
        json_t* wanted = json_object_get(known, key);
        if (wanted == NULL ? json_is_false(json_object_get(schema, "additionalProperties"))
                           : !fits(c, wanted, entry, key)) {
            return wanted == NULL ? refuse(c, where, key) : false;
        }
    }
    return true;
}

static bool fits_array(check* c, json_t* schema, json_t* value, const char* where) {
    size_t i;
    json_t* entry;
    json_t* items = json_object_get(schema, "items");
    const json_t* least = json_object_get(schema, "minItems");
    const json_t* most = json_object_get(schema, "maxItems");
    const json_int_t size = (json_int_t)json_array_size(value);
    if ((least != NULL && size < json_integer_value(least)) ||
        (most != NULL && size > json_integer_value(most))) {
        return refuse(c, where, "its size");
    }
    json_array_foreach(value, i, entry) {
        if (items != NULL && !fits(c, items, entry, where)) {
            return false;
        }
    }
    return true;
}

static bool fits_one(check* c, json_t* choices, json_t* value, const char* where) {
    size_t i;
    size_t count = 0;
    json_t* choice;
    char said[256] = "";
    json_array_foreach(choices, i, choice) {
        const bool good = fits(c, choice, value, where);
        count += good;
        if (!good && strlen(c->said) > strlen(said)) {
            memcpy(said, c->said, sizeof said);
        }
    }
    return count == 1 || refuse(c, where, said);
}

static bool fits(check* c, json_t* schema, json_t* value, const char* where) {
    const char* reference = json_string_value(json_object_get(schema, "$ref"));
    json_t* type = json_object_get(schema, "type");
    json_t* words = json_object_get(schema, "enum");
    json_t* choices = json_object_get(schema, "oneOf");
    if (reference != NULL) {
        assert_int_equal(strncmp(reference, "#/$defs/", 8), 0);
        json_t* target = json_object_get(json_object_get(c->root, "$defs"), reference + 8);
        assert_non_null(target);
        return fits(c, target, value, where);
    }
    if (choices != NULL) {
        return fits_one(c, choices, value, where);
    }
    if (words != NULL && !is_one_of(words, value, false)) {
        return refuse(c, where, "not one of the values");
    }
    if (type != NULL && !(json_is_array(type) ? is_one_of(type, value, true)
                                              : has_type(value, json_string_value(type)))) {
        return refuse(c, where, "its type");
    }
    if (json_object_get(schema, "minimum") != NULL && json_number_value(value) < 0) {
        return refuse(c, where, "below the minimum");
    }
    return json_is_object(value)  ? fits_object(c, schema, value, where)
           : json_is_array(value) ? fits_array(c, schema, value, where)
                                  : true;
}

static void assert_fits(const char* path) {
    check c = {.root = read_json(ABUT_SOURCE "/docs/check.schema.json")};
    json_t* value = read_json(path);
    if (!fits(&c, c.root, value, "the whole")) {
        fail_msg("%s does not fit the schema: %s", path, c.said);
    }
    json_decref(value);
    json_decref(c.root);
}

static void test_json_fits_its_schema(void** state) {
    (void)state;
    static const char* const runs[] = {
        "still.obj",
        "still.obj 'way_*.obj' pin.obj open.obj",
        "still.obj 'way_*.obj' --sweep --pairs",
        "still.obj 'way_*.obj' open.obj --nearest",
        "still.obj 'way_*.obj' open.obj pin.obj --within 3 --depth --pairs",
        "still.obj 'way_*.obj' open.obj --within 4 --features --self --pairs",
        "still.obj 'way_*.obj' --depth --self --verbose",
        "still.obj pin.obj open.obj --events --margin 4",
        "still.obj 'way_*.obj' pin.obj --fail-if 'depth > 1%' --ignore pin,still",
        "still.obj 'way_*.obj' pin.obj --only pin,still --expect 'still,way*' --baseline 2",
        "still.obj 'way_*.obj' --baseline 2 --by component --frames 3:4",
        "--each still.obj 'way_*.obj' cross.obj none.obj",
        "--each still.obj cross.obj --events --baseline rest",
    };
    write_scene();
    for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
        char command[512];
        snprintf(command, sizeof command, "check %s --json out.json", runs[i]);
        outcome o = run(command);
        print_message("abut %s\n", command);
        assert_fits("out.json");
        free_outcome(&o);
        unlink("out.json");
    }
}

// the validator finds what does not fit
static void test_schema_refuses(void** state) {
    (void)state;
    static const char* const wrong[] = {
        "{}", "{\"abut\": \"1\", \"objects\": [], \"frames\": [], \"summary\": {}}",
        "{\"abut\": \"1\", \"objects\": [], \"frames\": [{}], \"summary\": {\"frames\": 1, "
        "\"frames_touching\": 0, \"verdict\": \"\"}}",
        "{\"abut\": \"1\", \"objects\": [], \"frames\": [], \"summary\": {\"frames\": 1, "
        "\"frames_touching\": 0, \"verdict\": \"\", \"more\": 1}}",
        "{\"abut\": \"1\", \"objects\": [], \"frames\": [], \"summary\": {\"frames\": -1, "
        "\"frames_touching\": 0, \"verdict\": \"\"}}"};
    check c = {.root = read_json(ABUT_SOURCE "/docs/check.schema.json")};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        json_t* value = json_loads(wrong[i], 0, NULL);
        assert_non_null(value);
        assert_false(fits(&c, c.root, value, "the whole"));
        json_decref(value);
    }
    json_decref(c.root);
}

// docs/json.md names every key of the schema
static void find_keys(const json_t* schema, const char* page) {
    const char* key;
    json_t* entry;
    json_object_foreach(json_object_get(schema, "properties"), key, entry) {
        char quoted[128];
        snprintf(quoted, sizeof quoted, "`%s`", key);
        if (strstr(page, quoted) == NULL) {
            fail_msg("docs/json.md does not name the key %s", quoted);
        }
        find_keys(entry, page);
    }
}

static void test_page_names_every_key(void** state) {
    (void)state;
    json_t* schema = read_json(ABUT_SOURCE "/docs/check.schema.json");
    char* page = read_whole(ABUT_SOURCE "/docs/json.md");
    const char* key;
    json_t* entry;
    json_object_foreach(json_object_get(schema, "$defs"), key, entry) {
        find_keys(entry, page);
    }
    free(page);
    json_decref(schema);
}

// ---- lines

static void test_lines_hold_the_same(void** state) {
    (void)state;
    write_scene();
    assert_exit("check still.obj 'way_*.obj' --pairs --events --json o.json --json-lines o.jsonl",
                1);
    json_t* whole = read_json("o.json");
    char* text = read_whole("o.jsonl");
    size_t count = 0;
    json_t* frames = json_object_get(whole, "frames");
    for (char* line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"), ++count) {
        json_t* value = json_loads(line, 0, NULL);
        assert_non_null(value);
        if (count == 0) {
            assert_true(
                json_equal(json_object_get(value, "objects"), json_object_get(whole, "objects")));
        } else if (count <= json_array_size(frames)) {
            assert_true(json_equal(value, json_array_get(frames, count - 1)));
        } else {
            assert_true(
                json_equal(json_object_get(value, "summary"), json_object_get(whole, "summary")));
            assert_true(
                json_equal(json_object_get(value, "events"), json_object_get(whole, "events")));
        }
        json_decref(value);
    }
    assert_int_equal(count, json_array_size(frames) + 2);
    free(text);
    json_decref(whole);
    assert_prints("check still.obj 'way_*.obj' --json-lines -", 1, "{\"abut\"|\"summary\"");
}

// ---- XML

// checks that a text is well-formed XML; counts elements of a name
static size_t count_elements(const char* text, const char* name) {
    char stack[16][32];
    size_t depth = 0;
    size_t found = 0;
    assert_int_equal(strncmp(text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", 39), 0);
    for (const char* at = text + 39; *at != '\0';) {
        if (*at == '&') {
            assert_true(at[1] == '#' && strchr(at, ';') != NULL);
            at = strchr(at, ';') + 1;
        } else if (*at != '<') {
            assert_true(*at != '>' && ((unsigned char)*at >= ' ' || *at == '\n'));
            ++at;
        } else if (at[1] == '/') {
            const size_t length = strcspn(at + 2, ">");
            assert_true(depth > 0);
            --depth;
            assert_true(strlen(stack[depth]) == length &&
                        strncmp(stack[depth], at + 2, length) == 0);
            at += length + 3;
        } else {
            const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz-");
            assert_true(length > 0 && length < 32 && depth < 16);
            found += strlen(name) == length && strncmp(at + 1, name, length) == 0;
            memcpy(stack[depth], at + 1, length);
            stack[depth++][length] = '\0';
            for (at += 1 + length; *at == ' ';) {
                at += 1 + strcspn(at + 1, "=");
                assert_int_equal(at[1], '"');
                const size_t value = strcspn(at + 2, "\"<>");
                assert_int_equal(at[2 + value], '"');
                at += value + 3;
            }
            depth -= *at == '/';
            at += *at == '/';
            assert_int_equal(*at, '>');
            ++at;
        }
    }
    assert_int_equal(depth, 0);
    return found;
}

static void test_junit(void** state) {
    (void)state;
    write_scene();
    assert_exit("check still.obj 'way_*.obj' --junit o.xml --fail-if 'depth > .5'", 1);
    char* text = read_whole("o.xml");
    assert_int_equal(count_elements(text, "testsuite"), 1);
    assert_int_equal(count_elements(text, "testcase"), 2);
    assert_int_equal(count_elements(text, "failure"), 1);
    assert_says("--junit", text,
                "tests=\"2\" failures=\"1\" errors=\"0\"|cuts through|frames 2 to 3");
    free(text);
    assert_exit("check still.obj open.obj --junit o.xml --expect still,open", 1);
    text = read_whole("o.xml");
    assert_int_equal(count_elements(text, "failure"), 1);
    free(text);
    assert_exit("check still.obj --junit o.xml", 0);
    text = read_whole("o.xml");
    assert_int_equal(count_elements(text, "testcase"), 1);
    assert_int_equal(count_elements(text, "failure"), 0);
    free(text);
}

static void test_sarif(void** state) {
    (void)state;
    write_scene();
    assert_exit("check still.obj 'way_*.obj' --sarif o.sarif --fail-if 'depth > .5'", 1);
    json_t* json = read_json("o.sarif");
    json_t* run_json = json_array_get(json_object_get(json, "runs"), 0);
    json_t* results = json_object_get(run_json, "results");
    assert_string_equal(json_string_value(json_object_get(json, "version")), "2.1.0");
    assert_int_equal(json_array_size(results), 2);
    json_t* first = json_array_get(results, 0);
    assert_string_equal(json_string_value(json_object_get(first, "level")), "error");
    assert_string_equal(json_string_value(json_object_get(first, "ruleId")), "cuts");
    assert_int_equal(json_array_size(json_object_get(first, "locations")), 2);
    json_t* second = json_array_get(results, 1);
    assert_string_equal(json_string_value(json_object_get(second, "level")), "note");
    json_decref(json);
}

// ---- every file a scene

static void test_each_object_is_a_scene(void** state) {
    (void)state;
    write_scene();
    assert_prints("check --each still.obj open.obj", 0, "2 scenes: 2 pass, 0 fail, 0 could not");
    assert_prints("check --each still.obj cross.obj open.obj", 1, "2 pass, 1 fails");
    assert_prints(
        "check --each still.obj cross.obj none.obj open.obj --junit o.xml --json o.json "
        "--sarif o.sarif --html o.html --json-lines o.jsonl",
        2, "4 scenes: 2 pass, 1 fails, 1 could not be checked.");
    char* xml = read_whole("o.xml");
    assert_int_equal(count_elements(xml, "testsuite"), 4);
    assert_int_equal(count_elements(xml, "error"), 1);
    assert_int_equal(count_elements(xml, "failure"), 1);
    assert_fits("o.json");
    json_t* json = read_json("o.json");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json, "summary"), "errors")), 1);
    char* index = read_whole("o.html");
    assert_says("--html", index, "href=\"o-1.html\"|href=\"o-2.html\"|could not be checked");
    assert_int_equal(access("o-1.html", F_OK) | access("o-2.html", F_OK) | access("o-4.html", F_OK),
                     0);
    free(xml);
    free(index);
    json_decref(json);
    // a column with the scene, and a folder for each; a scene that fails has no rows
    assert_exit("check --each cross.obj none.obj still.obj cross.obj --csv o.csv --vtk v", 2);
    char* rows = read_whole("o.csv");
    assert_says("--csv", rows, "name_a,name_b,scene\n|,cross.obj,cross.obj,cross.obj\n");
    assert_null(strstr(rows, "none"));
    assert_int_equal(
        access("v/1-cross.obj/contacts.pvd", F_OK) | access("v/4-cross.obj/contacts.pvd", F_OK), 0);
    free(rows);
    // a baseline for each, in a folder
    assert_exit("check --each still.obj cross.obj --write-baseline known", 1);
    assert_int_equal(access("known/cross.obj.baseline", F_OK), 0);
    assert_prints("check --each still.obj cross.obj --baseline known", 0, "1 known");
    assert_warns("check --each open.obj cross.obj --baseline known", 0,
                 "no baseline of this object");
}

// names that are markup, control characters and bytes that are not UTF-8
static void test_hostile_names(void** state) {
    (void)state;
    assert_int_equal(mkdir("<", 0777), 0);
    write_cube("</script>\"'&\x1b[31m\n\xff]]>.obj", 1, 1, CLOSED);
    write_cube("still.obj", 0, 1, CLOSED);
    assert_exit(
        "check still.obj \"$(printf '</script>\"'\"'\"'&\\033[31m\\n\\377]]>.obj')\" --junit "
        "o.xml --sarif o.sarif --json o.json --json-lines o.jsonl --html o.html --csv o.csv "
        "--markdown "
        "o.md",
        1);
    assert_exit(
        "check --each \"$(printf '</script>\"'\"'\"'&\\033[31m\\n\\377]]>.obj')\" "
        "\"$(printf 'none\\033<b>')\" --junit e.xml --sarif e.sarif --json e.json --json-lines "
        "e.jsonl --html e.html",
        2);
    static const char* const names[] = {"o.xml", "o.sarif", "o.json", "o.jsonl", "o.html", "o.csv",
                                        "e.xml", "e.sarif", "e.json", "e.jsonl", "e.html", "o.md"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char* text = read_whole(names[i]);
        if (strchr(text, '\x1b') != NULL || strchr(text, '\xff') != NULL) {
            fail_msg("%s has bytes that steer a terminal", names[i]);
        }
        if (strstr(names[i], ".xml") != NULL) {
            assert_true(count_elements(text, "testcase") > 0);
        }
        if (strcmp(names[i], "o.md") == 0) {  // no markup, and no link
            assert_null(strpbrk(text, "<>[]`"));
        }
        if (strcmp(names[i], "e.html") == 0) {
            assert_null(strstr(text, "</script>"));
            assert_null(strstr(text, "<b>"));
        }
        free(text);
    }
    json_decref(read_json("o.sarif"));
    json_decref(read_json("e.sarif"));
    assert_fits("o.json");
    assert_fits("e.json");
}

// a run that fails leaves old files
static void test_failures_leave_old_files(void** state) {
    (void)state;
    static const char* const names[] = {"o.xml", "o.sarif", "o.jsonl"};
    write_scene();
    for (size_t i = 0; i < 3; ++i) {
        write_file(names[i], "old");
    }
    write_file("way_6.obj", "v 0 0 x\n");
    assert_exit("check still.obj 'way_*.obj' --junit o.xml --sarif o.sarif --json-lines o.jsonl",
                2);
    for (size_t i = 0; i < 3; ++i) {
        char* text = read_whole(names[i]);
        assert_string_equal(text, "old");
        free(text);
    }
    assert_refuses("check still.obj --junit still.obj", "junit");
    assert_refuses("check still.obj --junit a --sarif a", "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_json_fits_its_schema),
        IN_FOLDER(test_schema_refuses),
        IN_FOLDER(test_page_names_every_key),
        IN_FOLDER(test_lines_hold_the_same),
        IN_FOLDER(test_junit),
        IN_FOLDER(test_sarif),
        IN_FOLDER(test_each_object_is_a_scene),
        IN_FOLDER(test_hostile_names),
        IN_FOLDER(test_failures_leave_old_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
