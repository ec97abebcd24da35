// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Names that the command accepts for its reports: no name of a mesh and no file that an input
// names. The name - means standard output, which then holds only that report and is no input.
#define _GNU_SOURCE
#include "test_command_support.h"

// all endings that 'abut check' reads, as its messages list them
static const char* const endings[] = {
    "obj", "ply",    "off",    "OBJ",    "gltf",   "glb",    "pc2",   "mdd", "f32",   "stl",
    "npz", "npy",    "vtp",    "vtu",    "pvd",    "fbx",    "dae",   "3ds", "3mf",   "x",
    "x3d", "lwo",    "ms3d",   "ase",    "ac",     "b3d",    "md2",   "md3", "blend", "smd",
    "amf", "off.gz", "glb.gz", "obj.gz", "PLY.GZ", "stl.gz", "pc2.gz"};
enum { ENDINGS = sizeof endings / sizeof *endings };

static const char old_text[] = "an old file\n";

static void assert_old(const char* what, const char* name, const char* text) {
    char* now = read_whole(name);
    if (strcmp(now, text) != 0) {
        fail_msg("abut %s: %s is now '%.60s...'", what, name, now);
    }
    free(now);
}

// refuses a report option with each step-th ending, whether or not the file exists
static void refuse_endings(const char* command, const char* option, size_t step) {
    for (size_t i = 0; i < ENDINGS; i += step) {
        char name[64];
        char arguments[256];
        char texts[256];
        snprintf(name, sizeof name, "new.%s", endings[i]);
        snprintf(arguments, sizeof arguments, "%s --%s %s", command, option, name);
        snprintf(texts, sizeof texts, "--%s|'%s' is the name of a mesh|put the name of the", option,
                 name);
        assert_refuses(arguments, texts);
        assert_int_not_equal(access(name, F_OK), 0);
        if (strcmp(option, "vtk") == 0 || i % 4 != 0) {
            continue;
        }
        snprintf(name, sizeof name, "old.%s", endings[i]);
        write_file(name, old_text);
        snprintf(arguments, sizeof arguments, "%s --%s %s", command, option, name);
        snprintf(texts, sizeof texts, "--%s would overwrite '%s', which looks like a mesh|put the",
                 option, name);
        assert_refuses(arguments, texts);
        assert_old(arguments, name, old_text);
        assert_int_equal(unlink(name), 0);
    }
}

// the list above has all endings that the command says it reads
static void test_all_endings_are_tried(void** state) {
    (void)state;
    size_t count = 0;
    write_file("x.unknown", "?");
    outcome o = run_expecting("check x.unknown", 2);
    for (const char* at = o.err; (at = strpbrk(at, " (")) != NULL; ++at) {
        char ending[16];
        bool listed = false;
        if (sscanf(at + 1, ".%15[a-z0-9]", ending) != 1 || strcmp(ending, "gz") == 0) {
            continue;
        }
        for (size_t i = 0; i < ENDINGS; ++i) {
            listed = listed || strcmp(endings[i], ending) == 0;
        }
        if (!listed) {
            fail_msg("'%s' is not among the endings that are tried", ending);
        }
        ++count;
    }
    assert_true(count >= 20);
    free_outcome(&o);
}

static void test_no_report_has_the_name_of_a_mesh(void** state) {
    (void)state;
    write_square("m.obj", 0, 0, 0);
    refuse_endings("check m.obj", "json", 1);
    refuse_endings("check m.obj", "csv", 1);
    refuse_endings("check m.obj", "html", 1);
    refuse_endings("check m.obj", "vtk", 5);
    refuse_endings("info m.obj", "json", 8);
    refuse_endings("demo fish --triangles 200 --frames 1", "html", 4);
    refuse_endings("demo fish --triangles 200 --frames 1", "json", 8);
    assert_refuses("demo tear --frames 1 --triangles 500 --json new.obj", "is the name of a mesh");
    // a snapshot is itself a mesh
    write_file("old.obj", old_text);
    assert_refuses("demo tear --frames 1 --triangles 500 --snapshot old.obj", "old.obj|PLY|.ply");
    assert_old("demo tear", "old.obj", old_text);
    assert_exit("demo tear --frames 1 --triangles 500 --snapshot new.ply", 0);
    // an existing folder may have any name
    assert_int_equal(mkdir("folder.x", 0777), 0);
    assert_exit("check m.obj --vtk folder.x --quiet", 0);
    assert_int_equal(access("folder.x/contacts.pvd", F_OK), 0);
}

// ---- files that an OBJ names

static void write_with_materials(const char* name, const char* line) {
    char text[512];
    snprintf(text, sizeof text, "%s\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", line);
    write_file(name, text);
}

static void test_materials_of_an_obj_are_inputs(void** state) {
    (void)state;
    static const char* const lines[] = {"mtllib m.mtl", "mtllib  ./m.mtl \r",
                                        "\tmtllib o.mtl m.mtl", "mtllib a b.mtl",
                                        "# x\nmtllib\tm.mtl"};
    static const char* const files[] = {"m.mtl", "m.mtl", "m.mtl", "a b.mtl", "m.mtl"};
    static const char* const commands[] = {"check %s --quiet --csv '%s'",
                                           "check %s --quiet --html '%s'",
                                           "check %s --quiet --json '%s'", "info %s --json '%s'"};
    assert_int_equal(mkdir("sub", 0777), 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        char path[64];
        snprintf(path, sizeof path, "sub/%s", files[i]);
        write_with_materials("sub/m.obj", lines[i]);
        for (size_t k = 0; k < 4; ++k) {
            char arguments[256];
            write_file(path, old_text);
            snprintf(arguments, sizeof arguments, commands[k], "sub/m.obj", path);
            assert_refuses(arguments, "would overwrite an input");
            assert_old(arguments, path, old_text);
        }
    }
    // in a frame of a sequence, also where frames are read one after the other
    write_with_materials("s_1.obj", "#");
    write_square("s_2.obj", 0, 0, 0);
    write_with_materials("s_3.obj", "mtllib s.mtl");
    write_file("s.mtl", old_text);
    assert_refuses("check 's_*.obj' --quiet --jobs 2 --csv s.mtl", "would overwrite an input");
    assert_refuses("convert 's_*.obj' x.obj --quiet >>s.mtl", "s.mtl");
    assert_old("check", "s.mtl", old_text);
    // a file of the same name in another folder is not an input
    assert_exit("check sub/m.obj --quiet --csv m.mtl", 0);
}

// ---- the standard output and error output as inputs

static void test_no_standard_output_is_an_input(void** state) {
    (void)state;
    static const char mesh[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 3\n";
    static const char* const cases[] = {
        "check a.obj c.obj >>a.obj",   "check c.obj a.obj >>link.obj",
        "check c.obj a.obj >>hard",    "check c.obj --csv x.csv >>c.obj",
        "check 's_*.obj' >>s_2.obj",   "check - <a.obj >>a.obj",
        "info a.obj >>a.obj",          "info a.obj --json - >>a.obj",
        "convert a.obj x.obj >>a.obj", "verify tritri intersected.txt >>intersected.txt",
    };
    static const char* const errors[] = {
        "check a.obj c.obj 2>>a.obj",    "check a.obj none.obj 2>>a.obj",
        "check none.obj a.obj 2>>a.obj", "info a.obj 2>>a.obj",
        "check - <a.obj 2>>a.obj",       "check a.obj >>a.obj 2>>a.obj"};
    write_file("intersected.txt", "0 0 0\n1 0 0\n0 1 0\n0 0 0\n1 0 0\n0 1 0\n");
    write_square("s_1.obj", 0, 0, 0);
    write_square("s_2.obj", 0, 0, 1);
    write_file("a.obj", mesh);
    write_file("c.obj", mesh);
    assert_int_equal(system("ln -s a.obj link.obj && ln a.obj hard && cat *.* >before"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_warns(cases[i], 2, "abut: |which is an input|send it to another file");
        if (system("cat *.* >after; cmp before after") != 0) {
            fail_msg("abut %s: changed an input", cases[i]);
        }
    }
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) {
        outcome o = run_expecting(errors[i], 2);
        if (strstr(errors[i], ">>a.obj 2") == NULL) {
            assert_says(errors[i], o.out, "abut: ");
        }
        free_outcome(&o);
        if (system("cat *.* >after; cmp before after") != 0) {
            fail_msg("abut %s: changed an input", errors[i]);
        }
    }
    // another file in the same folder is fine
    outcome o = run("check a.obj >>log 2>>log");
    assert_int_not_equal(o.code, 2);
    free_outcome(&o);
}

// ---- the standard output as a report

static void test_a_report_has_the_standard_output_alone(void** state) {
    (void)state;
    static const char* const names[] = {"-", "/dev/stdout", "/dev/fd/1"};
    static const char* const kinds[] = {"csv", "html", "json"};
    write_square("m.obj", 0, 0, 0);
    write_crossing("n.obj");
    for (size_t k = 0; k < 3; ++k) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "check m.obj n.obj --quiet --%s file", kinds[k]);
        assert_exit(arguments, 1);
        char* wanted = read_whole("file");
        for (size_t i = 0; i < 3; ++i) {
            snprintf(arguments, sizeof arguments, "check m.obj n.obj --%s %s", kinds[k], names[i]);
            outcome o = run_expecting(arguments, 1);
            if (strcmp(o.out, wanted) != 0) {
                fail_msg("abut %s: prints something else than the file: ...%s", arguments,
                         o.out + (strlen(o.out) > 200 ? strlen(o.out) - 200 : 0));
            }
            assert_string_equal(o.err, "");
            free_outcome(&o);
            assert_int_not_equal(access("-", F_OK), 0);
        }
        free(wanted);
    }
    outcome o = run_expecting("demo fish --triangles 200 --frames 1 --html -", 0);
    assert_int_equal(strncmp(o.out, "<!", 2), 0);
    assert_null(strstr(o.out, "Try next"));
    free_outcome(&o);
    assert_int_not_equal(access("-", F_OK), 0);
    assert_refuses("check m.obj --csv - --html -", "two outputs|a file of its own");
    assert_refuses("check m.obj --csv - --json -", "two outputs|a file of its own");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_all_endings_are_tried),
        IN_FOLDER(test_no_report_has_the_name_of_a_mesh),
        IN_FOLDER(test_materials_of_an_obj_are_inputs),
        IN_FOLDER(test_no_standard_output_is_an_input),
        IN_FOLDER(test_a_report_has_the_standard_output_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
