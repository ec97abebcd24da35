// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The mesh readers on files that are wrong, cut off or malicious. They always report an error that
// says where and what, and never crash, hang or take memory out of proportion.
#define _POSIX_C_SOURCE 200809L
#include "io/mesh_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define PLY_VERTICES "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACES "element face 1\nproperty list uchar int vertex_indices\n"
#define PLY_TEXT "ply\nformat ascii 1.0\n"
#define PLY_BINARY "ply\nformat binary_little_endian 1.0\n"
#define PLY_POINTS "0 0 0\n1 0 0\n0 1 0\n"
#define PLY_MESH PLY_TEXT PLY_VERTICES PLY_FACES "end_header\n" PLY_POINTS
#define OBJ_POINTS "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define OFF_POINTS "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n"

// the file must be refused with a sentence that has its name and all `parts` (separated by '|')
static void assert_refused(const char* name, const void* data, size_t size, const char* parts) {
    io_mesh mesh;
    io_error error = {""};
    char part[128];
    // a copy of exactly this size, so that a sanitizer reports each byte read beyond the end
    char* copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, data, size);
    const bool done = io_parse_mesh(name, copy, size, &mesh, &error);
    free(copy);
    if (done) {
        io_mesh_free(&mesh);
        fail_msg("%s was accepted (%s)", name, parts);
    }
    assert_null(mesh.positions);
    assert_null(mesh.triangles);
    assert_non_null(strstr(error.message, name));
    while (*parts != '\0') {
        const size_t length = strcspn(parts, "|");
        assert_true(length < sizeof part);
        memcpy(part, parts, length);
        part[length] = '\0';
        if (strstr(error.message, part) == NULL) {
            fail_msg("'%s' does not say '%s'", error.message, part);
        }
        parts += length + (parts[length] == '|');
    }
}

static void assert_text_refused(const char* name, const char* text, const char* parts) {
    assert_refused(name, text, strlen(text), parts);
}

static void test_bad_obj_is_named(void** state) {
    (void)state;
    static const char* const cases[][2] = {
        {"", "is empty"},
        {"\n\n", "no vertices"},
        {"# only a comment", "no vertices"},
        {"v 0 0 0\n", "no faces"},
        {"v 0 0\nf 1 1 1\n", "vertex 1|line 1|missing"},
        {"v 0 0", "vertex 1|line 1|cut off"},
        {"v", "no vertices"},
        {"v ", "vertex 1|missing"},
        {OBJ_POINTS "v 0 nan 0\n", "vertex 4|line 4|not finite|nan"},
        {OBJ_POINTS "v 0 -inf 0\n", "vertex 4|line 4|not finite"},
        {OBJ_POINTS "v 0 1e999 0\n", "vertex 4|line 4|not finite|1e999"},
        {OBJ_POINTS "v 0 1,5 0\n", "vertex 4|line 4|'1,5'"},
        {OBJ_POINTS "v 0 0x10 0\n", "vertex 4|line 4|'0x10'"},
        {OBJ_POINTS "v 0 1.#IND 0\n", "vertex 4|'#IND'"},
        {OBJ_POINTS "f 1 2\n", "face 1|line 4|2 corners"},
        {OBJ_POINTS "f \n", "face 1|line 4|0 corners"},
        {OBJ_POINTS "f 1 2 0\n", "face 1|line 4|count from 1"},
        {OBJ_POINTS "f 1 2 4\n", "face 1|line 4|vertex 4|only 3"},
        {OBJ_POINTS "f 1 2 -4\n", "face 1|line 4|-4|only 3"},
        {OBJ_POINTS "f 1 2 -9223372036854775808\n", "face 1|line 4|-9223372036854775808"},
        {OBJ_POINTS "f 1 2 -99999999999999999999999\n", "face 1|line 4"},
        {OBJ_POINTS "f 1 2 99999999999999999999999\n",
         "face 1|line 4|99999999999999999999999|too large"},
        {OBJ_POINTS "f 1 2 4294967297\n", "vertex 4294967297"},
        {OBJ_POINTS "f 1 2 3 x\n", "face 1|line 4|'x'"},
        {OBJ_POINTS "f 1/2/3/4 2 3\n", "face 1|'1/2/3/4'"},
        {OBJ_POINTS "f 1 2 3\nf 1.5 2 3\n", "face 2|line 5|'1.5'"},
        {OBJ_POINTS "f 1 2 3\nf 1 2 \x1b[31m\n", "face 2|line 5|'?"},
        {OBJ_POINTS "f 1 2 \\", "face 1|2 corners"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_text_refused("bad.obj", cases[i][0], cases[i][1]);
    }
    assert_refused("nul.obj", OBJ_POINTS "f 1 2\0 3\n", sizeof OBJ_POINTS + 9, "line 4|NUL");
}

static void test_bad_off_is_named(void** state) {
    (void)state;
    static const char* const cases[][2] = {
        {"OFF", "number of vertices"},
        {"OFF\n3", "3 vertices|0 bytes follow"},
        {"OFF\n0", "number of faces"},
        {"OFF\n-3 1 0\n", "'-3'|number of vertices"},
        {"OFF BINARY\n", "binary OFF"},
        {"4OFF\n3 1 0\n", "three coordinates"},
        {"nOFF\n4\n3 1 0\n", "three coordinates"},
        {"OFF\n99999999999999999999 1 0\n", "vertices|99999999999999999999|too large"},
        {"OFF\n4000000000 4000000000 0\n0 0 0\n", "4000000000 vertices|bytes follow"},
        {"OFF\n1 18446744073709551615 0\n0 0 0\n", "faces|18446744073709551615|too large"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n", "vertex 2|line 5|cut off"},
        {"OFF\n3 1 0\n0 0 0        \n1 0 0        \n", "vertex 2|cut off"},
        {"OFF\n3 1 0\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", "vertex 1|line 4|not finite"},
        {"OFF\n3 1 0\n0 0 0\n1 0 \n0 1 0\n3 0 1 2\n", "vertex 1|line 4|missing"},
        {OFF_POINTS "3 0 1 3\n", "face 0|line 6|vertex 3"},
        {OFF_POINTS "3 0 1 -1\n", "face 0|line 6|-1"},
        {OFF_POINTS "3 0 1\n", "face 0|line 6|missing"},
        {OFF_POINTS "2 0 1\n", "face 0|line 6|2 corners"},
        {OFF_POINTS "-1 0 1\n", "face 0|line 6|0 corners"},
        {OFF_POINTS "9223372036854775807 0 1\n", "face 0|line 6|too large"},
        {OFF_POINTS "3 0 1 2.5\n", "face 0|line 6|'2.5'"},
        {"OFF\n1 0 0\n0 0 0\n", "no faces"},
        {"OFF\n0 0 0\n", "no vertices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_text_refused("bad.off", cases[i][0], cases[i][1]);
    }
}

static void test_bad_ply_is_named(void** state) {
    (void)state;
    static const char* const cases[][2] = {
        {"plx\n", "does not start with 'ply'"},
        {"ply", "does not start with 'ply'"},
        {"ply\n", "within its header"},
        {"ply\nformat ascii 1.0\n", "within its header"},
        {"ply\nformat morse 1.0\n", "line 2|'morse'"},
        {"ply\nend_header\n", "no line that starts with 'format'"},
        {PLY_TEXT "end_header\n", "no element called vertex"},
        {PLY_TEXT "property float x\nend_header\n", "line 3|before any element"},
        {PLY_TEXT "element vertex x\nend_header\n", "line 3|'x'"},
        {PLY_TEXT "element vertex -1\nend_header\n", "line 3|'-1'"},
        {PLY_TEXT "element vertex 3x\nend_header\n", "line 3|'3x'"},
        {PLY_TEXT "element vertex 1\nproperty quaternion x\nend_header\n", "line 4|'quaternion'"},
        {PLY_TEXT "element vertex 1\nproperty list uchar\nend_header\n", "line 4|type"},
        {PLY_TEXT "element vertex 1\nproperty float x\nend_header\n0\n", "x, y and z"},
        {PLY_TEXT PLY_VERTICES "property float x\nend_header\n0\n", "x, y and z"},
        {PLY_TEXT PLY_VERTICES PLY_VERTICES "end_header\n", "second 'vertex'"},
        {PLY_TEXT PLY_VERTICES PLY_FACES PLY_FACES "end_header\n", "second 'face'"},
        {PLY_TEXT PLY_VERTICES "elephant\nend_header\n", "'elephant'"},
        {PLY_TEXT PLY_VERTICES "element face 1\nproperty int a\nend_header\n" PLY_POINTS "0\n",
         "vertex_indices"},
        {PLY_TEXT PLY_VERTICES "element tristrips 1\nproperty list int int vertex_indices\n"
                               "end_header\n" PLY_POINTS "3 0 1 2\n",
         "strips"},
        {PLY_TEXT PLY_VERTICES "end_header\n" PLY_POINTS, "no faces"},
        {PLY_TEXT PLY_VERTICES PLY_FACES "end_header\n" PLY_POINTS, "1 rows of 'face'"},
        {PLY_TEXT PLY_VERTICES PLY_FACES "end_header\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n",
         "vertex 1|line 11|not finite"},
        {PLY_MESH "3 0 1 3\n", "face 0|vertex 3"},
        {PLY_MESH "3 0 1 -3\n", "face 0|vertex -3"},
        {PLY_MESH "3 0 1 1.5\n", "vertex 1.5"},
        {PLY_MESH "-3 0 1 2\n", "face 0|length -3"},
        {PLY_MESH "2 0 1     \n", "face 0|2 corners"},
        {PLY_MESH "4000000000 0 1\n", "face 0|cut"},
        {PLY_MESH "3 0 1 2\n7\n", "line 14|'7'"},
        {PLY_BINARY "element vertex 9223372036854775807\nproperty double x\nproperty double y\n"
                    "property double z\n" PLY_FACES "end_header\nabc",
         "line 3|9223372036854775807|too large"},
        {PLY_BINARY "element vertex 99999999999999999999999999\nproperty double x\n"
                    "property double y\nproperty double z\n" PLY_FACES "end_header\nabc",
         "too large"},
        {PLY_BINARY PLY_VERTICES PLY_FACES "end_header\nabcdefgh", "3 rows of 'vertex'"},
        // the sizes of all elements are checked before memory for the first is allocated
        {PLY_BINARY PLY_VERTICES PLY_FACES "end_header\n123456789012345678901234567890123456",
         "1 rows of 'face'|0 bytes"},
        {PLY_BINARY "element x 1\nproperty list uint double a\nelement vertex 0\n"
                    "property char x\nproperty char y\nproperty char z\n"
                    "end_header\n\xff\xff\xff\xff",
         "within x 0 of 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_text_refused("bad.ply", cases[i][0], cases[i][1]);
    }
}

static void test_bad_values_of_binary_ply_are_named(void** state) {
    (void)state;
    static const char header[] = PLY_BINARY PLY_VERTICES PLY_FACES "end_header\n";
    unsigned char file[sizeof header - 1 + 36 + 13];
    const size_t body = sizeof header - 1;
    memcpy(file, header, body);
    memset(file + body, 0, sizeof file - body);
    memcpy(file + body + 12 + 8, "\x00\x00\xc0\x7f", 4);  // z of vertex 1 is NaN
    assert_refused("bad.ply", file, sizeof file, "vertex 1|not finite|z is");
    memset(file + body + 20, 0, 4);
    file[body + 36] = 3;
    memcpy(file + body + 37, "\x03\x00\x00\x00", 4);
    assert_refused("bad.ply", file, sizeof file, "face 0|vertex 3|only 3");
    memcpy(file + body + 37, "\xff\xff\xff\xff", 4);
    assert_refused("bad.ply", file, sizeof file, "face 0|vertex -1");
}

// each truncated file is refused or is a smaller mesh
static void test_every_truncation_is_survived(void** state) {
    (void)state;
    static const char binary[] = PLY_BINARY PLY_VERTICES PLY_FACES
        "end_header\n"
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x80\x3f\0\0\0\0"
        "\3\0\0\0\0\1\0\0\0\2\0\0";  // the last byte is the terminating 0
    static const char* const texts[] = {PLY_MESH "3 0 1 2\n", OFF_POINTS "3 0 1 2\n",
                                        OBJ_POINTS "f 1/1/1 2//2 3\nf -1 -2 -3\n"};
    static const char* const names[] = {"a.ply", "a.off", "a.obj"};
    for (int i = 0; i < 4; ++i) {
        const char* data = i < 3 ? texts[i] : binary;
        const size_t size = i < 3 ? strlen(texts[i]) : sizeof binary;
        for (size_t cut = 0; cut <= size; ++cut) {
            io_mesh mesh;
            io_error error = {""};
            char* copy = malloc(cut + 1);
            assert_non_null(copy);
            memcpy(copy, data, cut);
            char* exact = realloc(copy, cut == 0 ? 1 : cut);
            const bool done = io_parse_mesh(i < 3 ? names[i] : "b.ply", exact, cut, &mesh, &error);
            assert_true(done || error.message[0] != '\0');
            assert_true(done || cut < size);
            io_mesh_free(&mesh);
            free(exact);
        }
    }
}

// inputs that a fuzzer found (libFuzzer with address and undefined sanitizers)
static void test_found_by_fuzzing(void** state) {
    (void)state;
    // the index INT64_MIN could not be negated for the message
    assert_text_refused("a.obj", "~999999\nf 11  -9999999999999999999999 35429\n", "face 1|line 2");
    // a byte behind the end was looked at
    assert_text_refused("a.obj", "mtllib", "no vertices");
}

static void* filled(size_t size, char with) {
    char* memory = malloc(size + 1);
    assert_non_null(memory);
    memset(memory, with, size);
    memory[size] = '\0';
    return memory;
}

// a line or a number of 100 MB is read in one pass
static void test_enormous_lines(void** state) {
    (void)state;
    const size_t size = 100000000;
    char* text = filled(size, '1');
    memcpy(text, "v 0 0 0.", 8);
    assert_refused("long.obj", text, size, "no faces");
    memcpy(text, "# ", 2);
    assert_refused("long.obj", text, size, "no vertices");
    memcpy(text, "f 111111", 8);
    assert_refused("long.obj", text, size, "face 1|1111|too large");
    memcpy(text, "OFF\n", 4);
    assert_refused("long.off", text, size, "too large");
    memcpy(text, "ply\nelement ", 12);
    assert_refused("long.ply", text, size, "line 2");
    memset(text, '\\', size);
    assert_refused("long.obj", text, size, "no vertices");
    memset(text, '\n', size);
    memcpy(text, "v 0 \\", 5);
    assert_refused("long.obj", text, size, "vertex 1");
    free(text);
}

// a header with very many elements and properties costs no more than its size
static void test_huge_header(void** state) {
    (void)state;
    const size_t size = 8000000;
    char* text = filled(size, ' ');
    size_t used = (size_t)sprintf(text, "ply\nformat binary_big_endian 1.0\n");
    while (used + 64 < size) {
        used += (size_t)sprintf(text + used, "element e 9999999999\nproperty char a\n");
    }
    assert_refused("absurd.ply", text, used, "within its header");
    used += (size_t)sprintf(text + used, "end_header\n");
    assert_refused("absurd.ply", text, used, "no element called vertex");
    free(text);
}

// ---- the file system

static void assert_path_refused(const char* path, const char* part) {
    io_mesh mesh;
    io_error error = {""};
    assert_false(io_read_mesh(path, &mesh, &error));
    if (strstr(error.message, part) == NULL) {
        fail_msg("'%s' does not say '%s'", error.message, part);
    }
}

static void test_paths_that_are_no_files_are_refused(void** state) {
    (void)state;
    char folder[] = "/tmp/abut_test_io_XXXXXX";
    char path[256];
    assert_non_null(mkdtemp(folder));
    assert_path_refused(folder, "is a folder");
    snprintf(path, sizeof path, "%s/missing.obj", folder);
    assert_path_refused(path, "no such file");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_path_refused(path, "pipe or a device");
    unlink(path);
    assert_path_refused("/dev/zero", "pipe or a device");

    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fclose(file);
    assert_path_refused(path, "is empty");
    if (geteuid() != 0) {  // root may read everything
        chmod(path, 0);
        assert_path_refused(path, "cannot be opened");
    }
    unlink(path);
    rmdir(folder);

    static char long_name[5000];
    memset(long_name, 'a', sizeof long_name - 1);
    assert_path_refused(long_name, "cannot be opened");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_obj_is_named),
        cmocka_unit_test(test_bad_off_is_named),
        cmocka_unit_test(test_bad_ply_is_named),
        cmocka_unit_test(test_bad_values_of_binary_ply_are_named),
        cmocka_unit_test(test_every_truncation_is_survived),
        cmocka_unit_test(test_found_by_fuzzing),
        cmocka_unit_test(test_enormous_lines),
        cmocka_unit_test(test_huge_header),
        cmocka_unit_test(test_paths_that_are_no_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
