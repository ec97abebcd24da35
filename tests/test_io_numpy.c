// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Arrays of numpy as meshes and as point caches: all types, both orders, packed and stored; and
// files that are wrong, cut off or malicious.
#include "io/cache.h"
#include "io/mesh_file.h"
#include "support/npz_maker.h"
#include "support/random.h"
#include "test_command_support.h"

#include <math.h>

enum { VERTICES = 20, FACES = 12, FRAMES = 5 };

static const char* const reals[] = {"<f8", ">f8", "<f4", ">f4", "<f2", "<i4", ">i2", "|u1"};
static const char* const wholes[] = {"<i4", "<i8", ">u4", "|u1", "<u2", ">i8", "<u8", "|i1"};

typedef struct arrays {
    double positions[3 * VERTICES * FRAMES];
    double faces[4 * FACES];
} arrays;

// whole numbers that all types hold
static void draw(test_random* random, arrays* out) {
    for (size_t i = 0; i < sizeof out->positions / sizeof(double); ++i) {
        out->positions[i] = random_below(random, 128);
    }
    for (size_t i = 0; i < sizeof out->faces / sizeof(double); ++i) {
        out->faces[i] = random_below(random, VERTICES);
    }
}

static bool parse(const char* name, const made_bytes* made, io_mesh* mesh, io_error* error) {
    // a copy of exactly this size, so that a sanitizer reports each byte read beyond the end
    char* copy = malloc(made->size == 0 ? 1 : made->size);
    assert_non_null(copy);
    memcpy(copy, made->bytes, made->size);
    const bool done = io_parse_mesh(name, copy, made->size, mesh, error);
    free(copy);
    return done;
}

static made_bytes archive(const arrays* a, uint64_t seed, size_t frames, size_t corners) {
    static const char* const names[4][3] = {
        {"faces.npy", "other.npy", "vertices.npy"},
        {"V.npy", "F.npy", "frame.npy"},
        {"positions.npy", "triangles.npy", "v.npy"},
        {"points.npy", "cells.npy", "notes.txt"},
    };
    char shape[64];
    const bool flat = frames == 0;
    const bool fortran = flat && seed % 3 == 0;
    if (flat) {
        snprintf(shape, sizeof shape, "(%d, 3)", VERTICES);
    } else {
        snprintf(shape, sizeof shape, "(%zu, %d, 3)", frames, VERTICES);
    }
    const made_bytes positions = make_npy(a->positions, (size_t)3 * VERTICES * (flat ? 1 : frames),
                                          reals[seed % (frames > 1 ? 4 : 8)], shape,
                                          fortran ? VERTICES : 0, 3);
    snprintf(shape, sizeof shape, "(%d, %zu)", FACES, corners);
    const made_bytes faces = make_npy(a->faces, FACES * corners, wholes[seed / 2 % 8], shape, 0, 0);
    const made_bytes other = make_npy(a->faces, 2, "<f4", "(2,)", 0, 0);
    const bool first = seed % 4 == 0;
    const made_bytes all[3] = {first ? faces : positions, first ? other : faces,
                               first ? positions : other};
    const made_bytes zip = make_npz(names[seed % 4], all, 3, seed % 2 == 1);
    free(positions.bytes);
    free(faces.bytes);
    free(other.bytes);
    return zip;
}

static void check_mesh(const io_mesh* mesh, const arrays* a, size_t corners, uint64_t seed) {
    assert_int_equal(mesh->vertex_count, VERTICES);
    assert_int_equal(mesh->face_count, FACES);
    assert_int_equal(mesh->triangle_count, FACES * (corners - 2));
    for (size_t i = 0; i < (size_t)3 * VERTICES; ++i) {
        if (mesh->positions[i] != a->positions[i]) {
            fail_msg("seed %llu: coordinate %zu is %g, not %g", (unsigned long long)seed, i,
                     mesh->positions[i], a->positions[i]);
        }
    }
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const double* face = a->faces + t / (corners - 2) * corners;
        const size_t k = t % (corners - 2);
        assert_true(mesh->triangles[3 * t] == face[0] &&
                    mesh->triangles[3 * t + 1] == face[k + 1] &&
                    mesh->triangles[3 * t + 2] == face[k + 2]);
    }
}

static void test_archives_are_meshes(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 48; ++seed) {
        test_random random = random_seed(seed);
        arrays a;
        io_mesh mesh;
        io_error error = {""};
        const size_t corners = 3 + seed % 2;
        const size_t frames = seed % 5 == 0 ? FRAMES : seed % 5 == 1 ? 1 : 0;
        draw(&random, &a);
        made_bytes zip = archive(&a, seed, frames, corners);
        if (!parse(seed % 2 == 0 ? "mesh.npz" : "mesh", &zip, &mesh, &error)) {
            fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
        }
        assert_int_equal(mesh.frame_count, frames < 1 ? 1 : frames);
        check_mesh(&mesh, &a, corners, seed);
        io_mesh_free(&mesh);
        free(zip.bytes);
    }
}

static void test_corners_of_triangles_are_a_mesh(void** unused) {
    (void)unused;
    // two triangles that share an edge
    const double corners[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    io_mesh mesh;
    io_error error = {""};
    made_bytes npy = make_npy(corners, 18, ">f4", "(2, 3, 3)", 0, 0);
    assert_true(parse("soup.npy", &npy, &mesh, &error));
    assert_int_equal(mesh.vertex_count, 4);
    assert_int_equal(mesh.triangle_count, 2);
    io_mesh_free(&mesh);
    free(npy.bytes);
}

// ---- caches

static double cache_number(const io_cache* cache, const void* frame, size_t i) {
    return cache->doubles ? ((const double*)frame)[i] : (double)((const float*)frame)[i];
}

static void check_cache(const char* name, const arrays* a, size_t frames) {
    io_cache cache;
    io_error error = {""};
    double room[2 * 3 * VERTICES];
    if (!io_cache_open(name, &cache, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(cache.frame_count, frames);
    assert_int_equal(cache.vertex_count, VERTICES);
    for (size_t f = 0; f + 1 < frames; ++f) {
        assert_true(io_cache_read(&cache, f, 2, room, &error));
        for (size_t i = 0; i < (size_t)2 * 3 * VERTICES; ++i) {
            assert_true(cache_number(&cache, room, i) == a->positions[3 * VERTICES * f + i]);
        }
    }
    io_cache_close(&cache);
}

static void test_frames_are_read(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        test_random random = random_seed(seed);
        char path[1024];
        arrays a;
        draw(&random, &a);
        made_bytes npz = archive(&a, seed, FRAMES, 3);
        made_bytes npy = make_npy(a.positions, (size_t)3 * VERTICES * FRAMES, reals[seed % 4],
                                  "(5, 20, 3)", 0, 0);
        folder_write("a.npz", (const char*)npz.bytes, npz.size, path);
        check_cache(path, &a, FRAMES);
        assert_true(io_has_frames(path));
        folder_write("a.npy", (const char*)npy.bytes, npy.size, path);
        check_cache(path, &a, FRAMES);
        assert_false(io_has_frames(path));
        free(npz.bytes);
        free(npy.bytes);
    }
}

// the command: two triangles of which one falls through the other
static void test_the_command_reads_frames(void** unused) {
    (void)unused;
    double positions[3][6][3] = {
        {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}, {1, 2, 1}, {2, 1, 1}}};
    const double faces[6] = {0, 1, 2, 3, 4, 5};
    for (size_t f = 0; f < 3; ++f) {
        memcpy(positions[f], positions[0], sizeof positions[0]);
    }
    for (size_t v = 3; v < 6; ++v) {
        positions[0][v][2] += 1e-12;  // lost if doubles became floats: they would touch
        positions[2][v][2] += 5;
    }
    static const char* const names[] = {"vertices.npy", "faces.npy"};
    const made_bytes both[2] = {make_npy(&positions[0][0][0], 54, "<f8", "(3, 6, 3)", 0, 0),
                                make_npy(faces, 6, "<i8", "(2, 3)", 0, 0)};
    for (int packed = 0; packed < 2; ++packed) {
        char path[1024];
        const made_bytes zip = make_npz(names, both, 2, packed == 1);
        folder_write("fall.npz", (const char*)zip.bytes, zip.size, path);
        outcome o = run_expecting("check fall.npz --self", 1);
        assert_says("check", o.out, "Contact in 1 of 3 frames (1)");
        free_outcome(&o);
        free(zip.bytes);
    }
    char path[1024];
    folder_write("fall.npy", (const char*)both[0].bytes, both[0].size, path);
    write_file("fall.obj",
               "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 0\nv 1 2 1\nv 2 1 1\nf 1 2 3\nf 4 5 6\n");
    outcome o = run_expecting("check fall.obj+fall.npy --self", 1);
    assert_says("check", o.out, "Contact in 1 of 3 frames (1)");
    free_outcome(&o);
    o = run_expecting("check 'fall.np[z]'", 2);
    assert_says("check", o.err, "fall.npz has 3 frames");
    free_outcome(&o);
    free(both[0].bytes);
    free(both[1].bytes);
}

// ---- what is wrong

static void assert_refused(const char* name, const made_bytes* made, const char* parts) {
    io_mesh mesh;
    io_error error = {""};
    if (parse(name, made, &mesh, &error)) {
        fail_msg("accepted, but it should say '%s'", parts);
    }
    assert_null(mesh.positions);
    assert_says(name, error.message, parts);
}

static void refuse_npy(const char* type, const char* shape, size_t count, const char* parts) {
    double numbers[64] = {0};
    made_bytes made = make_npy(numbers, count, type, shape, 0, 0);
    assert_refused("bad.npy", &made, parts);
    free(made.bytes);
}

static void test_bad_arrays_are_named(void** unused) {
    (void)unused;
    refuse_npy("<f8", "(3, 3)", 9, "bad.npy|3 x 3|triangles x 3 x 3");
    refuse_npy("<f8", "(3, 3, 3)", 26, "more numbers than bytes");
    refuse_npy("<f8", "(3, 3, 3, 1)", 27, "more than three");
    refuse_npy("<f8", "(99999999999999999999, 3, 3)", 9, "damaged shape");
    refuse_npy("<f8", "(2305843009213693952, 3, 3)", 9, "more numbers than bytes");
    refuse_npy("<f8", "(-1, 3, 3)", 9, "damaged shape");
    refuse_npy("<f8", "3", 9, "damaged shape");
    refuse_npy("<c8", "(1, 3, 3)", 9, "no plain real or whole numbers");
    refuse_npy("<f1", "(1, 3, 3)", 9, "no plain real or whole numbers");
    refuse_npy("<f8", "(0, 3, 3)", 0, "no vertices");
}

static void refuse_npz(const char* first, const char* second, const double* positions,
                       const char* position_shape, const double* faces, const char* face_type,
                       const char* parts) {
    const char* const names[2] = {first, second};
    const made_bytes both[2] = {make_npy(positions, 9, "<f8", position_shape, 0, 0),
                                make_npy(faces, 3, face_type, "(1, 3)", 0, 0)};
    for (int packed = 0; packed < 2; ++packed) {
        made_bytes zip = make_npz(names, both, 2, packed == 1);
        assert_refused("bad.npz", &zip, parts);
        free(zip.bytes);
    }
    free(both[0].bytes);
    free(both[1].bytes);
}

static void test_bad_archives_are_named(void** unused) {
    (void)unused;
    const double xyz[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const double wild[9] = {0, 0, 0, 1, INFINITY, 0, 0, 1, 0};
    const double corners[3] = {0, 1, 2};
    const double high[3] = {0, 1, 3};
    const double low[3] = {0, -1, 2};
    refuse_npz("a.npy", "faces.npy", xyz, "(3, 3)", corners, "<i4",
               "no array of positions|vertices");
    refuse_npz("v.npy", "b.npy", xyz, "(3, 3)", corners, "<i4", "no array of faces|triangles");
    refuse_npz("v.npy", "f.npy", xyz, "(9,)", corners, "<i4", "positions is 9|vertices x 3");
    refuse_npz("v.npy", "f.npy", wild, "(3, 3)", corners, "<i4", "vertex 1|not finite");
    refuse_npz("v.npy", "f.npy", xyz, "(3, 3)", high, "<i4", "face 0 uses vertex 3");
    refuse_npz("v.npy", "f.npy", xyz, "(3, 3)", low, "<i8", "face 0|negative");
    refuse_npz("v.npy", "f.npy", xyz, "(3, 3)", corners, "<f4", "real numbers");
}

// cut off at every byte, and with random bytes changed: an error or a mesh, never a crash
static void test_damage_is_survived(void** unused) {
    (void)unused;
    test_random random = random_seed(1);
    arrays a;
    size_t refused = 0;
    draw(&random, &a);
    for (uint64_t seed = 4; seed < 8; ++seed) {
        made_bytes zip = archive(&a, seed, seed % 2 == 0 ? FRAMES : 0, 3);
        for (size_t round = 0; round < 2 * zip.size; ++round) {
            io_mesh mesh;
            io_error error = {""};
            made_bytes cut = {malloc(zip.size), round < zip.size ? round : zip.size};
            assert_non_null(cut.bytes);
            memcpy(cut.bytes, zip.bytes, zip.size);
            for (size_t k = 0; k < 2 && round >= zip.size; ++k) {
                cut.bytes[random_below(&random, (uint32_t)zip.size)] = (unsigned char)random_below(
                    &random, 256);
            }
            if (parse("bad.npz", &cut, &mesh, &error)) {
                io_mesh_free(&mesh);
            } else {
                assert_non_null(strstr(error.message, "bad.npz"));
                ++refused;
            }
            free(cut.bytes);
        }
        free(zip.bytes);
    }
    assert_true(refused > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_archives_are_meshes),
        cmocka_unit_test(test_corners_of_triangles_are_a_mesh),
        cmocka_unit_test_setup_teardown(test_frames_are_read, enter_folder, leave_folder),
        IN_FOLDER(test_the_command_reads_frames),
        cmocka_unit_test(test_bad_arrays_are_named),
        cmocka_unit_test(test_bad_archives_are_named),
        cmocka_unit_test(test_damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
