// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The readers of meshes on valid files: the mesh equals what was written.
#define _POSIX_C_SOURCE 200809L
#include "io/mesh_file.h"
#include "io/number.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

typedef struct bytes {
    unsigned char data[4096];
    size_t size;
} bytes;

static void put(bytes* b, const void* data, size_t size) {
    assert_true(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put_text(bytes* b, const char* text) {
    put(b, text, strlen(text));
}

static io_mesh parse(const char* name, const void* data, size_t size) {
    io_mesh mesh;
    io_error error = {""};
    if (!io_parse_mesh(name, data, size, &mesh, &error)) {
        fail_msg("%s", error.message);
    }
    return mesh;
}

static io_mesh parse_text(const char* name, const char* text) {
    return parse(name, text, strlen(text));
}

static void assert_triangles(const io_mesh* mesh, const uint32_t* corners, size_t count) {
    assert_int_equal(mesh->triangle_count, count);
    assert_memory_equal(mesh->triangles, corners, 3 * count * sizeof *corners);
}

// xorshift: the same numbers on every machine
static uint64_t next_random(uint64_t* state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// ---- numbers

static void assert_reads_as_strtod(const char* text) {
    const char* at = text;
    double value = 0;
    const double expected = strtod(text, NULL);
    const io_number_result result = io_read_double(&at, text + strlen(text), &value);
    if (!isfinite(expected)) {
        assert_int_equal(result, IO_NUMBER_NOT_FINITE);
    } else if (result != IO_NUMBER_OK || memcmp(&value, &expected, sizeof value) != 0 ||
               *at != '\0') {
        fail_msg("'%s' was read as %a, not as %a", text, value, expected);
    }
}

// Each double written with 17 digits is read bit for bit, and shorter decimals of all sizes are
// rounded as the C library rounds them.
static void test_decimals_are_correctly_rounded(void** state) {
    (void)state;
    uint64_t seed = 88172645463325252u;
    char text[512];
    for (int i = 0; i < 200000; ++i) {
        const uint64_t bits = next_random(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        const double ordinary = (double)(int64_t)bits * 0x1p-63 * pow(10, (int)(bits % 25) - 12);
        snprintf(text, sizeof text, "%.17g", value);
        assert_reads_as_strtod(text);
        snprintf(text, sizeof text, "%.17g", ordinary);
        assert_reads_as_strtod(text);
        snprintf(text, sizeof text, "%.*f", (int)(bits % 30), ordinary);
        assert_reads_as_strtod(text);
        snprintf(text, sizeof text, "%llue-%d", (unsigned long long)bits, (int)(bits % 30));
        assert_reads_as_strtod(text);
    }
}

static void test_decimals_at_the_edges(void** state) {
    (void)state;
    static const char* const texts[] = {
        "0",
        "-0",
        "+.5",
        "5.",
        "-0.0e0",
        "0e99999999999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "-1e309",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.00000000000000000000000000000000000000001",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.000000000000000111022302462515654042363166809082031250000000000000000000000001",
        "00000000000000000000000000000000000000001.5",
        "0.00000000000000000000000000000000000015",
        "18446744073709551615e-27",
        "18446744073709551616",
        "9223372036854775807e-27"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        assert_reads_as_strtod(texts[i]);
    }
    // a digit after more than 780 others still breaks a tie
    char text[1100];
    memset(text, '0', sizeof text);
    memcpy(text, "1.00000000000000011102230246251565404236316680908203125", 55);
    strcpy(text + 1000, "1");
    assert_reads_as_strtod(text);
}

static void test_not_a_decimal_is_refused(void** state) {
    (void)state;
    static const char* const missing[] = {"", "-", ".", "+.", "e5", "x", "-e", " 1"};
    static const char* const infinite[] = {"nan", "-NaN", "inf", "+Infinity", "1e400"};
    double value;
    for (size_t i = 0; i < sizeof missing / sizeof *missing; ++i) {
        const char* at = missing[i];
        assert_int_equal(io_read_double(&at, at + strlen(at), &value), IO_NUMBER_MISSING);
        assert_ptr_equal(at, missing[i]);
    }
    for (size_t i = 0; i < sizeof infinite / sizeof *infinite; ++i) {
        const char* at = infinite[i];
        assert_int_equal(io_read_double(&at, at + strlen(at), &value), IO_NUMBER_NOT_FINITE);
    }
    const char* hexadecimal = "0x10";
    assert_int_equal(io_read_double(&hexadecimal, hexadecimal + 4, &value), IO_NUMBER_OK);
    assert_string_equal(hexadecimal, "x10");  // the caller then finds no separator
}

static void test_locale_changes_nothing(void** state) {
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
        print_message("skipped: no locale with a decimal comma is installed\n");
        skip();
    }
    const char* at = "1.2345678901234567890123e-30";  // takes the path that ends in strtod
    double value = 0;
    assert_int_equal(io_read_double(&at, at + strlen(at), &value), IO_NUMBER_OK);
    setlocale(LC_ALL, "C");
    assert_true(value == 1.2345678901234567890123e-30);
}

// ---- OBJ

static void test_obj_with_everything(void** state) {
    (void)state;
    io_mesh mesh = parse_text("a.obj",
                              "# a comment that ends in a backslash \\\n"
                              "mtllib some.mtl\no first\n"
                              "v 0 0 0\r\n"
                              "v\t1.5 -2e-3 .25 1.0   # with a weight\n"
                              "  v 0 1 0 0.5 0.5 0.5\n"
                              "v 1 \\\n 1 \\\r\n 0\n"
                              "vt 0 0\nvn 0 0 1\ns off\n"
                              "f 1/1/1 2//1 3/1 # three ways\n"
                              "g second\nusemtl red\n"
                              "f -4 -3 \\\n -2 -1\n"
                              "v 9 9 9\n"
                              "f 1 2 3 4 5#five\nl 1 2\np 1");
    const uint32_t expected[] = {0, 1, 2, 0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 3, 4};
    assert_triangles(&mesh, expected, 6);
    assert_int_equal(mesh.vertex_count, 5);
    assert_int_equal(mesh.face_count, 3);
    assert_int_equal(mesh.format, IO_FORMAT_OBJ);
    assert_true(mesh.positions[3] == 1.5 && mesh.positions[4] == -2e-3 && mesh.positions[5] == .25);
    assert_true(mesh.positions[9] == 1 && mesh.positions[10] == 1 && mesh.positions[11] == 0);
    io_mesh_free(&mesh);
    assert_null(mesh.positions);
}

static void test_obj_faces_may_come_first(void** state) {
    (void)state;
    io_mesh mesh = parse_text("a.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n");
    const uint32_t expected[] = {0, 1, 2};
    assert_triangles(&mesh, expected, 1);
    io_mesh_free(&mesh);
}

static void test_line_ends_of_all_systems(void** state) {
    (void)state;
    static const char* const ends[] = {"\n", "\r\n", "\r"};
    for (int i = 0; i < 3; ++i) {
        char obj[256];
        char off[256];
        const char* e = ends[i];
        snprintf(obj, sizeof obj, "v 0 0 0%sv 1 0 0%sv 0 1 0%sf 1 2 3%s", e, e, e, e);
        snprintf(off, sizeof off, "OFF%s3 1 0%s0 0 0%s1 0 0%s0 1 0%s3 0 1 2%s", e, e, e, e, e, e);
        io_mesh a = parse_text("a.obj", obj);
        io_mesh b = parse_text("b.off", off);
        assert_int_equal(a.vertex_count, 3);
        assert_triangles(&a, b.triangles, b.triangle_count);
        assert_memory_equal(a.positions, b.positions, 9 * sizeof(double));
        io_mesh_free(&a);
        io_mesh_free(&b);
    }
}

static void test_written_doubles_come_back(void** state) {
    (void)state;
    enum { VERTICES = 2000 };
    static double positions[3 * VERTICES];
    static char text[100 * VERTICES];
    uint64_t seed = 7;
    size_t used = 0;
    for (size_t i = 0; i < VERTICES; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const uint64_t bits = next_random(&seed) & ~(UINT64_C(1) << 62);  // finite
            memcpy(&positions[3 * i + k], &bits, sizeof bits);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "v %.17g %.17g %.17g\n",
                                 positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]);
    }
    strcpy(text + used, "f 1 2 3\n");
    io_mesh mesh = parse_text("a.obj", text);
    assert_int_equal(mesh.vertex_count, VERTICES);
    assert_memory_equal(mesh.positions, positions, sizeof positions);
    io_mesh_free(&mesh);
}

// ---- OFF

static void test_off_variants(void** state) {
    (void)state;
    static const char* const files[] = {
        "OFF\n# a comment\n\n3 1 3\n0 0 0\n1 0 0 # here too\n0 1 0\n3 0 1 2\n",
        "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2",
        "COFF\n3 1\n0 0 0 255 0 0 255\n1 0 0 0.5 0.5 0.5\n0 1 0 1 1 1\n3 0 1 2 255 0 0\n",
        "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n",
        "STCNOFF\n3 1 0\n0 0 0 1 1 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n",
        "3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"};
    const uint32_t expected[] = {0, 1, 2};
    const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        io_mesh mesh = parse_text("a.off", files[i]);
        assert_triangles(&mesh, expected, 1);
        assert_memory_equal(mesh.positions, positions, sizeof positions);
        assert_int_equal(mesh.format, IO_FORMAT_OFF);
        io_mesh_free(&mesh);
    }
}

// ---- PLY

enum { TEXT, LITTLE, BIG };

// one value of a PLY type, as text or in either byte order
static void put_value(bytes* b, int encoding, const char* type, double value) {
    char text[64];
    unsigned char raw[8] = {0};
    size_t size = 4;
    if (encoding == TEXT) {
        snprintf(text, sizeof text, "%.17g ", value);
        put_text(b, text);
        return;
    }
    const bool whole = fabs(value) < 1e9;
    uint64_t out = whole ? (uint64_t)(int64_t)value : 0;
    if (strstr(type, "char") != NULL || strstr(type, "int8") != NULL) {
        size = 1;
    } else if (strstr(type, "short") != NULL || strstr(type, "int16") != NULL) {
        size = 2;
    } else if (strcmp(type, "float") == 0 || strcmp(type, "float32") == 0) {
        const float f = (float)value;
        uint32_t word;
        memcpy(&word, &f, sizeof word);
        out = word;
    } else if (strcmp(type, "double") == 0 || strcmp(type, "float64") == 0) {
        size = 8;
        memcpy(&out, &value, sizeof out);
    }
    for (size_t i = 0; i < size; ++i) {
        raw[encoding == BIG ? size - 1 - i : i] = (unsigned char)(out >> (8 * i));
    }
    put(b, raw, size);
}

static void put_header_start(bytes* b, int encoding) {
    static const char* const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    char text[64];
    snprintf(text, sizeof text, "ply\nformat %s 1.0\ncomment made by a test\n", names[encoding]);
    put_text(b, text);
}

// A file whose positions, counts and indices have the given types, with other elements and
// properties before, between and behind them.
static bytes make_ply(int encoding, const char* scalar, const char* count, const char* index) {
    static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 5}};
    bytes b = {{0}, 0};
    char text[1024];
    put_header_start(&b, encoding);
    snprintf(text, sizeof text,
             "element camera 2\nproperty float view\nproperty list uchar short marks\n"
             "element vertex 4\nproperty uchar red\nproperty %s x\nproperty %s y\n"
             "property list int double extra\nproperty %s z\n"
             "element nothing 4000000000\n"
             "element face 2\nproperty float quality\nproperty list %s %s vertex_indices\n"
             "property uchar flags\nelement edge 1\nproperty int vertex1\nend_header\n",
             scalar, scalar, scalar, count, index);
    put_text(&b, text);
    for (int i = 0; i < 2; ++i) {
        put_value(&b, encoding, "float", 0.5);
        put_value(&b, encoding, "uchar", i);
        for (int k = 0; k < i; ++k) {
            put_value(&b, encoding, "short", -7);
        }
    }
    for (int i = 0; i < 4; ++i) {
        put_value(&b, encoding, "uchar", 200);
        put_value(&b, encoding, scalar, corner[i][0]);
        put_value(&b, encoding, scalar, corner[i][1]);
        put_value(&b, encoding, "int", 1);
        put_value(&b, encoding, "double", 0.25);
        put_value(&b, encoding, scalar, corner[i][2]);
    }
    for (int f = 0; f < 2; ++f) {
        put_value(&b, encoding, "float", 1);
        put_value(&b, encoding, count, 4 - f);
        for (int k = 0; k < 4 - f; ++k) {
            put_value(&b, encoding, index, (f + k) % 4);
        }
        put_value(&b, encoding, "uchar", 1);
    }
    put_value(&b, encoding, "int", 3);
    return b;
}

static void test_ply_of_every_type(void** state) {
    (void)state;
    static const char* const types[] = {"char",  "uchar",  "short",   "ushort", "int",   "uint",
                                        "int8",  "uint8",  "int16",   "uint16", "int32", "uint32",
                                        "float", "double", "float32", "float64"};
    const uint32_t expected[] = {0, 1, 2, 0, 2, 3, 1, 2, 3};
    const double positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 5};
    for (int encoding = TEXT; encoding <= BIG; ++encoding) {
        for (size_t i = 0; i < 16; ++i) {
            const bytes b = make_ply(encoding, types[i], types[(i + 5) % 12], types[(i + 3) % 16]);
            io_mesh mesh = parse("a.ply", b.data, b.size);
            assert_triangles(&mesh, expected, 3);
            assert_int_equal(mesh.vertex_count, 4);
            assert_memory_equal(mesh.positions, positions, sizeof positions);
            io_mesh_free(&mesh);
        }
    }
}

static void test_ply_doubles_come_back(void** state) {
    (void)state;
    const double values[9] = {
        0.1, -1e-300, 1e300, 1.0 / 3, 5e-324, -0.0, 123456789.123456789, 0x1.fffffffffffffp-1, 7};
    for (int encoding = TEXT; encoding <= BIG; ++encoding) {
        bytes b = {{0}, 0};
        put_header_start(&b, encoding);
        put_text(&b,
                 "element vertex 3\nproperty double x\nproperty double y\nproperty double z\n"
                 "element face 1\nproperty list uchar int vertex_index\nend_header\n");
        for (int i = 0; i < 9; ++i) {
            put_value(&b, encoding, "double", values[i]);
        }
        put_value(&b, encoding, "uchar", 3);
        for (int i = 0; i < 3; ++i) {
            put_value(&b, encoding, "int", i);
        }
        io_mesh mesh = parse("a.ply", b.data, b.size);
        assert_memory_equal(mesh.positions, values, sizeof values);
        io_mesh_free(&mesh);
    }
}

static void test_ply_passes_over_bad_values_it_does_not_need(void** state) {
    (void)state;
    io_mesh mesh = parse_text("a.ply",
                              "ply\r\nformat ascii 1.0\r\nelement face 1\r\n"
                              "property list int int vertex_index\r\nproperty float q\r\n"
                              "element vertex 3\r\nproperty float nx\r\nproperty float x\r\n"
                              "property float y\r\nproperty float z\r\nend_header\r\n"
                              "3 0 1 2 nan\r\nnan 0 0 0\r\ninf 1 0 0\r\n-nan(7) 0 1 0\r\n");
    assert_int_equal(mesh.vertex_count, 3);
    assert_true(mesh.positions[3] == 1);
    io_mesh_free(&mesh);
}

// ---- formats and real files

static void test_content_decides_the_format(void** state) {
    (void)state;
    static const char* const off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    static const char* const obj = "\xEF\xBB\xBF# c\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    io_mesh a = parse_text("mistake.obj", off);
    io_mesh b = parse_text("folder.x/no_ending", obj);
    io_mesh c = parse_text("LOUD.OBJ", obj);
    assert_int_equal(a.format, IO_FORMAT_OFF);
    assert_int_equal(b.format, IO_FORMAT_OBJ);
    assert_int_equal(c.vertex_count, 3);
    assert_string_equal(io_format_name(c.format), "OBJ");
    io_mesh_free(&a);
    io_mesh_free(&b);
    io_mesh_free(&c);
}

// the counts of MANIFEST.md
static void test_shared_data_have_their_counts(void** state) {
    (void)state;
    static const struct {
        const char* name;
        size_t vertices;
        size_t triangles;
    } files[] = {{"morph_face/neutral.obj", 26719, 52220},
                 {"skinned/cylinder/rest.obj", 420, 800},
                 {"vertex_anim/Kick/topology.obj", 12811, 25472},
                 {"cloth/skirt32x128.obj", 4096, 7936},
                 {"ccd_scenes/cloth-funnel/frames/227.ply", 9450, 18484},
                 {"ccd_scenes/cloth-funnel/frames/228.ply", 9450, 18484},
                 {"ccd_scenes/armadillo-rollers/frames/326.ply", 12135, 24242},
                 {"ccd_scenes/armadillo-rollers/frames/327.ply", 12135, 24242},
                 {"static/spot_low.obj", 829, 1654},
                 {"static/fish_low.obj", 945, 1886},
                 {"static/torus.obj", 2304, 4608},
                 {"static/penguin.obj", 3362, 6720},
                 {"static/sphere.obj", 642, 1280},
                 {"static/fcl_env.obj", 6540, 2180},
                 {"static/fcl_rob.obj", 648, 216},
                 {"static/ballA.off", 1900, 3796},
                 {"static/ballB.off", 1900, 3796},
                 {"static/two-cubes-close.ply", 244, 480},
                 {"static/two-cubes-far.ply", 244, 480},
                 {"static/two-cubes-intersecting.ply", 244, 480}};
    struct stat info;
    if (stat(ABUT_SHARED_DATA, &info) != 0) {
        print_message("skipped: there is no folder %s\n", ABUT_SHARED_DATA);
        skip();
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[1024];
        io_mesh mesh;
        io_error error = {""};
        snprintf(path, sizeof path, "%s/%s", ABUT_SHARED_DATA, files[i].name);
        if (!io_read_mesh(path, &mesh, &error)) {
            fail_msg("%s", error.message);
        }
        assert_int_equal(mesh.vertex_count, files[i].vertices);
        assert_int_equal(mesh.triangle_count, files[i].triangles);
        io_mesh_free(&mesh);
    }
    size_t vertices = 0;
    size_t triangles = 0;
    for (int i = 0; i < 8; ++i) {
        char path[1024];
        io_mesh mesh;
        snprintf(path, sizeof path, "%s/breaking/cube/cell-%d.obj", ABUT_SHARED_DATA, i);
        assert_true(io_read_mesh(path, &mesh, NULL));
        vertices += mesh.vertex_count;
        triangles += mesh.triangle_count;
        io_mesh_free(&mesh);
    }
    assert_int_equal(vertices, 186);
    assert_int_equal(triangles, 190);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals_are_correctly_rounded),
        cmocka_unit_test(test_decimals_at_the_edges),
        cmocka_unit_test(test_not_a_decimal_is_refused),
        cmocka_unit_test(test_locale_changes_nothing),
        cmocka_unit_test(test_obj_with_everything),
        cmocka_unit_test(test_obj_faces_may_come_first),
        cmocka_unit_test(test_line_ends_of_all_systems),
        cmocka_unit_test(test_written_doubles_come_back),
        cmocka_unit_test(test_off_variants),
        cmocka_unit_test(test_ply_of_every_type),
        cmocka_unit_test(test_ply_doubles_come_back),
        cmocka_unit_test(test_ply_passes_over_bad_values_it_does_not_need),
        cmocka_unit_test(test_content_decides_the_format),
        cmocka_unit_test(test_shared_data_have_their_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
