// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Files and names from untrusted sources: a model reads nothing outside its folder, no name
// controls the terminal, and the command never waits for a pipe or device.
#define _GNU_SOURCE
#include "test_command_support.h"

#include <sys/types.h>

// ---- addresses in glTF

static void write_buffer(const char* name) {
    const float xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    FILE* file = fopen(name, "wb");
    assert_non_null(file);
    fwrite(xyz, sizeof xyz, 1, file);
    assert_int_equal(fclose(file), 0);
}

// a model whose only buffer has this URI; node, mesh and animation have this name
static void write_model(const char* name, const char* uri, const char* called) {
    char text[4096];
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"uri\":\"%s\",\"byteLength\":36}],"
             "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,"
             "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{\"componentType\":5126,"
             "\"count\":2,\"type\":\"SCALAR\"}],\"meshes\":[{\"name\":\"%s\",\"primitives\":["
             "{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0,\"name\":\"%s\"},"
             "{\"mesh\":0,\"name\":\"%s 2\"}],\"scenes\":[{\"nodes\":[0,1]}]}",
             uri, called, called, called);
    write_file(name, text);
}

static void test_buffers_are_in_the_folder(void** state) {
    (void)state;
    char absolute[128];
    char encoded[128];
    char text[256];
    assert_int_equal(system("mkdir -p models/sub other"), 0);
    write_buffer("secret.bin");
    write_buffer("models/my file.bin");
    write_buffer("models/sub/b.bin");
    assert_int_equal(system(
                         "ln -s ../secret.bin models/out.bin && ln -s sub/b.bin models/in.bin && "
                         "ln -s ../other models/away && cp secret.bin other/"),
                     0);
    snprintf(absolute, sizeof absolute, "%s/secret.bin", folder_path());
    snprintf(encoded, sizeof encoded, "%%2F%s/secret.bin", folder_path() + 1);
    const char* const refused[] = {absolute,
                                   encoded,
                                   "../secret.bin",
                                   "%2e%2e/secret.bin",
                                   "%2E%2E%2Fsecret.bin",
                                   ".%2e/secret.bin",
                                   "sub/../../secret.bin",
                                   "sub/%2e%2e/%2e%2e/secret.bin",
                                   "..\\\\secret.bin",
                                   "..%5Csecret.bin",
                                   "file:../secret.bin",
                                   "file:///etc/passwd",
                                   "http://example/a.bin",
                                   "C:/secret.bin",
                                   "sub/b.bin%00",
                                   "",
                                   "out.bin",
                                   "away/secret.bin"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        write_model("models/m.gltf", refused[i], "a");
        outcome o = run("info models/m.gltf");
        if (o.code != 2) {
            fail_msg("the buffer '%s' was read", refused[i]);
        }
        assert_says(refused[i], o.err, "buffer 0|save the model with its buffers");
        free_outcome(&o);
    }
    static const char* const read[] = {"my%20file.bin",
                                       "my file.bin",
                                       "sub/b.bin",
                                       "./sub/b.bin",
                                       "in.bin",
                                       "sub%2Fb.bin",
                                       "data:application/octet-stream;base64,"
                                       "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA",
                                       "DATA:;base64,"
                                       "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAA%41"};
    for (size_t i = 0; i < sizeof read / sizeof *read; ++i) {
        write_model("models/m.gltf", read[i], "a");
        snprintf(text, sizeof text, "info models/m.gltf");
        assert_exit(text, 0);
        assert_int_equal(chdir("models"), 0);
        assert_exit("info m.gltf", 0);
        assert_int_equal(chdir(".."), 0);
    }
}

// ---- names

// ESC, U+009B, a raw 0x9b, U+202E, U+2066, U+061C, U+200F, U+2028, a bell, a line end, DEL; then
// some characters that must stay
#define NAME                                                                  \
    "a\x1b[31m\xc2\x9b"                                                       \
    "31m\x9b\xe2\x80\xae\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8\a\n\x7f" \
    "W\xc3\xbcrfel\xe6\x97\xa5"
#define STAYS "W\xc3\xbcrfel\xe6\x97\xa5"

// Valid UTF-8 by iconv, without characters that control a terminal. JSON may be escaped.
static void assert_harmless(const char* what, const char* name) {
    char command[256];
    uint32_t code;
    snprintf(command, sizeof command, "iconv -f UTF-8 -t UTF-32LE <%s >.codes 2>/dev/null", name);
    if (system(command) != 0) {
        fail_msg("abut %s: %s is no UTF-8", what, name);
    }
    FILE* file = fopen(".codes", "rb");
    assert_non_null(file);
    while (fread(&code, sizeof code, 1, file) == 1) {
        const bool bad = (code < 32 && code != 10) || (code >= 127 && code < 160) ||
                         code == 0x61c || code == 0x200e || code == 0x200f ||
                         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
        if (bad) {
            fail_msg("abut %s: U+%04X is in %s", what, code, name);
        }
    }
    fclose(file);
}

// the output shows the harmless end of the name on the same line
static void assert_prints_harmless(const char* arguments, bool names) {
    outcome o = run(arguments);
    assert_harmless(arguments, ".out");
    assert_harmless(arguments, ".err");
    if (names && strstr(o.out, "?" STAYS) == NULL && strstr(o.err, "?" STAYS) == NULL) {
        fail_msg("abut %s: '%s' and '%s' do not have the name", arguments, o.out, o.err);
    }
    free_outcome(&o);
}

static void test_names_do_not_control_the_terminal(void** state) {
    (void)state;
    static const char* const cases[] = {
        "check '" NAME ".obj'",
        "check '" NAME ".obj' other.obj --nearest",
        "check '" NAME ".obj' '" NAME "2.obj' --depth",
        "check '" NAME ".obj' --frames 7",
        "check '" NAME "_none.obj'",
        "check '" NAME "_*.obj'",
        "check bad_'" NAME ".obj'",
        "check bad_'" NAME ".gltf'",
        "check bad_'" NAME ".stl'",
        "check bad_'" NAME ".pc2'",
        "check other.obj+bad_'" NAME ".pc2'",
        "check other.obj --csv 'no/" NAME "'",
        "check other.obj --html '" NAME ".html'",
        "check other.obj --vtk 'no/" NAME "'",
        "check other.obj --json '" NAME ".obj'",
        "check other.obj --margin '" NAME "'",
        "check other.obj '--" NAME "'",
        "check '" NAME ".gltf' --self",
        "check '" NAME ".gltf' --animation '" NAME "'",
        "info '" NAME ".obj'",
        "info '" NAME ".gltf'",
        "convert other.obj '" NAME "_2.pc2'",
        "convert other.obj '" NAME "_3.glb'",
        "convert other.obj '" NAME "_3.glb' --reduce 2",
        "convert other.obj '" NAME "_4.nothing'",
        "verify tritri 'intersected" NAME "'",
        "verify '" NAME "'",
        "help '" NAME "'",
        "'" NAME "'",
        "demo '" NAME "'",
    };
    write_square(NAME ".obj", 0, 0, 0);
    write_square(NAME "2.obj", 0.5, 0, 0);
    write_crossing("other.obj");
    write_file("bad_" NAME ".obj", "v 0 0 " NAME "\n");
    write_file("bad_" NAME ".gltf", "{\"asset\":{\"version\":\"2." NAME "\"}, \x1b");
    write_file("bad_" NAME ".stl", "solid " NAME);
    write_file("bad_" NAME ".pc2", "POINT" NAME);
    write_file("intersected" NAME, "0 0 0\n1 0 0\n0 1 0\n0 0 0\n1 0 0\n0 1 0\n");
    // in JSON
    write_buffer("b.bin");
    write_model(NAME ".gltf", "b.bin",
                "n\\u001b[31m\\u009b31m\\u202e\\u2066\\u061c\\u200f\\n" STAYS);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_prints_harmless(cases[i], false);
    }
    assert_prints_harmless("info '" NAME ".obj'", true);
    assert_prints_harmless("info '" NAME ".gltf'", true);
    assert_prints_harmless("check '" NAME "_none.obj'", true);
    assert_prints_harmless("convert other.obj '" NAME "_5.glb'", true);
    assert_prints_harmless("check '" NAME ".obj' '" NAME "2.obj' --nearest", true);
    assert_prints_harmless("check '" NAME ".gltf' --json - --pairs", false);
    assert_prints_harmless("info '" NAME ".gltf' --json -", false);
    assert_prints_harmless("info '" NAME ".obj' --json -", false);
    outcome o = run_expecting("info '" NAME ".obj' --json -", 0);
    assert_says("info", json_at(json_root(o.out), "objects 0 name"), STAYS "|\\u009b");
    free_outcome(&o);
}

// ---- paths that are no files

static void test_pipes_are_not_waited_for(void** state) {
    (void)state;
    static const char* const cases[] = {"check x.stl",       "check x.obj",
                                        "check x.glb",       "check x.fbx",
                                        "info x.ply",        "check m.obj+x.pc2",
                                        "check m.obj+x.mdd", "convert x.stl y.obj"};
    write_square("m.obj", 0, 0, 0);
    assert_int_equal(system("mkfifo x.stl x.obj x.glb x.fbx x.ply x.pc2 x.mdd && mkdir d.stl"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_refuses(cases[i], "x.|this is a pipe or a device|save it to a file");
    }
    assert_refuses("check d.stl", "d.stl|folder");
    assert_refuses("check none.stl", "none.stl|no such file");
}

// ---- names in the CSV and in the title of the page

static void test_names_in_reports_are_clean(void** state) {
    (void)state;
    static const char* const names[] = {"e\033[31m.obj", "c\302\233x.obj",
                                        "r\342\200\256x\342\200\254.obj", "b\377.obj", "n\nl.obj"};
    static const char* const shown[] = {"e?[31m.obj", "c?x.obj", "r?x?.obj", "b?.obj", "n?l.obj"};
    write_crossing("n.obj");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char arguments[256];
        char wanted[128];
        write_square(names[i], 0, 0, 0);
        snprintf(arguments, sizeof arguments, "check '%s' n.obj --quiet --csv o.csv --html o.html",
                 names[i]);
        free_outcome(&(outcome[]){run_expecting(arguments, 1)}[0]);
        char* text = read_whole("o.csv");
        snprintf(wanted, sizeof wanted, ",%s,n.obj\n", shown[i]);
        assert_says(arguments, text, wanted);
        free(text);
        text = read_whole("o.html");
        snprintf(wanted, sizeof wanted, "\"title\":\"%s and 1 more\"", shown[i]);
        assert_says(arguments, text, wanted);
        free(text);
        assert_int_equal(unlink(names[i]), 0);
    }
}

// ---- numbers that are too large, and settings without a meaning

static void test_large_numbers_are_printed_exactly(void** state) {
    (void)state;
    write_file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n");
    assert_refuses("info a.obj", "a.obj: face 1 (line 4)|'99999999999999999999'|too large");
    write_file("b.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -99999999999999999999\n");
    assert_refuses("info b.obj", "b.obj: face 1 (line 4)|'-99999999999999999999'|too large");
    write_file("c.ply",
               "ply\nformat ascii 1.0\nelement vertex 99999999999999999999\n"
               "property float x\nproperty float y\nproperty float z\nend_header\n");
    assert_refuses("info c.ply", "c.ply: line 3|'99999999999999999999'|too large");
    write_file("e.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 99999999999999999999\n");
    assert_refuses("info e.off", "e.off: |'99999999999999999999'|too large");
    write_file("f.off", "OFF\n99999999999999999999 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_refuses("info f.off", "f.off: |'99999999999999999999'|too large");
}

static void test_an_option_is_given_once(void** state) {
    (void)state;
    write_square("m.obj", 0, 0, 0);
    assert_refuses("check m.obj --csv a --csv b", "--csv is given twice");
    assert_refuses("check m.obj --csv=a --quiet --csv=a", "--csv is given twice");
    assert_refuses("check m.obj --frames 0 --frames 0", "--frames is given twice");
    assert_refuses("check m.obj --threads 1 --threads 2", "--threads is given twice");
    assert_refuses("demo fish --triangles 8 --triangles 9", "--triangles is given twice");
    assert_int_not_equal(access("a", F_OK), 0);
    assert_exit("check m.obj --quiet --quiet", 0);
}

static void test_error_for_a_buffer_that_is_a_folder(void** state) {
    (void)state;
    static const char* const uris[] = {".", "./", "sub", "sub/."};
    assert_int_equal(mkdir("sub", 0777), 0);
    for (size_t i = 0; i < sizeof uris / sizeof *uris; ++i) {
        write_model("m.gltf", uris[i], "x");
        assert_refuses("info m.gltf", "m.gltf|folder where a file is needed");
    }
}

static void test_a_limit_of_time_is_a_number(void** state) {
    (void)state;
    static const char* const values[] = {"abc", "", "0", "-3", "10x", "1e99"};
    write_file("x.ac",
               "AC3Db\nMATERIAL \"\" rgb 1 1 1 amb 0 0 0 emis 0 0 0 spec 0 0 0 shi 0 trans 0\n"
               "OBJECT world\nkids 1\nOBJECT poly\nnumvert 3\n0 0 0\n1 0 0\n0 1 0\n"
               "numsurf 1\nSURF 0x20\nmat 0\nrefs 3\n0 0 0\n1 0 0\n2 0 1\nkids 0\n");
    outcome o = run("info x.ac");
    const bool has_assimp = o.code == 0;
    free_outcome(&o);
    if (!has_assimp) {
        print_message("skipped: the command reads no AC3D, because it was built without assimp\n");
        skip();
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        assert_int_equal(setenv("ABUT_ASSIMP_SECONDS", values[i], 1), 0);
        o = run("info x.ac");
        assert_int_equal(unsetenv("ABUT_ASSIMP_SECONDS"), 0);
        assert_int_equal(o.code, 2);
        assert_says(values[i], o.err, "ABUT_ASSIMP_SECONDS|a whole number such as 120");
        free_outcome(&o);
    }
    assert_int_equal(setenv("ABUT_ASSIMP_SECONDS", "120", 1), 0);
    o = run("info x.ac");
    assert_int_equal(unsetenv("ABUT_ASSIMP_SECONDS"), 0);
    assert_int_equal(o.code, 0);
    free_outcome(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_buffers_are_in_the_folder),
        IN_FOLDER(test_names_do_not_control_the_terminal),
        IN_FOLDER(test_pipes_are_not_waited_for),
        IN_FOLDER(test_names_in_reports_are_clean),
        IN_FOLDER(test_large_numbers_are_printed_exactly),
        IN_FOLDER(test_an_option_is_given_once),
        IN_FOLDER(test_error_for_a_buffer_that_is_a_folder),
        IN_FOLDER(test_a_limit_of_time_is_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
