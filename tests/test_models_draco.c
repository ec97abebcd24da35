// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// glTF that is compressed with Draco: read where the library is built in, and otherwise refused with
// the reason. The compressed data are from Draco's own encoder.
#include "io/model.h"
#include "support/gltf_maker.h"
#include "support/random.h"
#include "test_command_support.h"

// A tetrahedron with the attributes 0 (positions), 1 (joints) and 2 (weights).
static const unsigned char stream[] = {
    0x44, 0x52, 0x41, 0x43, 0x4f, 0x02, 0x02, 0x01, 0x01, 0x00, 0x00, 0x00, 0x04, 0x04, 0x02, 0x03,
    0x00, 0x00, 0x01, 0x2f, 0x01, 0x01, 0x10, 0xff, 0x02, 0x66, 0x40, 0xff, 0x02, 0x66, 0x40, 0x03,
    0xff, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x01, 0x00, 0x09, 0x03, 0x00, 0x00, 0x02,
    0x01, 0x04, 0x04, 0x04, 0x00, 0x01, 0x01, 0x01, 0x04, 0x09, 0x04, 0x00, 0x02, 0x00, 0x01, 0x01,
    0x01, 0x00, 0x03, 0x03, 0x01, 0x10, 0x01, 0x30, 0x03, 0x00, 0x50, 0x82, 0x24, 0x91, 0x04, 0x00,
    0x00, 0x00, 0x00, 0xff, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x40, 0x0b, 0x01, 0x01, 0x01, 0x00, 0x02, 0x03, 0x01, 0x40,
    0x01, 0x00, 0x13, 0x30, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3f,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3e,
    0x00, 0x00, 0x40, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3f,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x3f,
    0x00, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
};
static const double positions[12] = {0, 0, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0};
static const uint32_t joints[16] = {0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0};
static const float weights[16] = {1, 0, 0, 0, 1, 0, 0, 0, 0.25F, 0.75F, 0, 0, 0.5F, 0.5F, 0, 0};
static const uint32_t corners[12] = {0, 1, 2, 2, 1, 3, 1, 0, 3, 2, 3, 0};

static gltf_maker maker;

#define ACCESSOR(type, component, count) \
    "{\"componentType\":" component ",\"count\":" count ",\"type\":\"" type "\"}"
#define IDS "{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"NORMAL\":7}"

typedef struct pieces {
    const char* position;
    const char* index;
    const char* ids;
    const char* view;
} pieces;

static bool read_made(const unsigned char* bytes, size_t size, const pieces* with, io_model* model,
                      io_error* error) {
    char rest[1024];
    size_t whole = 0;
    const io_model_settings settings = {NULL, 30};
    gltf_maker_begin(&maker);
    gltf_maker_view(&maker, bytes, size, 0);
    gltf_maker_accessor(&maker,
                        with->position != NULL ? with->position : ACCESSOR("VEC3", "5126", "4"));
    gltf_maker_accessor(&maker, ACCESSOR("VEC4", "5123", "4"));
    gltf_maker_accessor(&maker, ACCESSOR("VEC4", "5126", "4"));
    gltf_maker_accessor(&maker,
                        with->index != NULL ? with->index : ACCESSOR("SCALAR", "5121", "12"));
    snprintf(
        rest, sizeof rest,
        "\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"meshes\":[{\"primitives\":[{"
        "\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"indices\":3,"
        "\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":%s,\"attributes\":%s}}}]}"
        "],\"skins\":[{\"joints\":[1,2]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{},{}]",
        with->view != NULL ? with->view : "0", with->ids != NULL ? with->ids : IDS);
    char* glb = gltf_maker_glb(&maker, rest, &whole);
    const bool done = io_parse_gltf("made.glb", glb, whole, &settings, model, error);
    free(glb);
    return done;
}

#ifdef ABUT_HAVE_DRACO

static void test_compressed_meshes_are_read(void** unused) {
    (void)unused;
    io_model model;
    io_error error = {""};
    if (!read_made(stream, sizeof stream, &(const pieces){0}, &model, &error)) {
        fail_msg("%s", error.message);
    }
    const io_model_mesh* mesh = &model.meshes[0];
    assert_int_equal(mesh->vertex_count, 4);
    assert_int_equal(mesh->triangle_count, 4);
    assert_memory_equal(mesh->positions, positions, sizeof positions);
    assert_memory_equal(mesh->triangles, corners, sizeof corners);
    for (size_t i = 0; i < 16; ++i) {
        assert_true(mesh->weights[i] == weights[i]);
        assert_true(mesh->weights[i] == 0 || mesh->joints[i] == joints[i]);
    }
    io_model_free(&model);
}

static void assert_refused(const pieces* with, size_t size, const char* parts) {
    io_model model;
    io_error error = {""};
    if (read_made(stream, size, with, &model, &error)) {
        fail_msg("accepted, but it should say '%s'", parts);
    }
    assert_says("draco", error.message, parts);
}

static void test_defects_are_named(void** unused) {
    (void)unused;
    const size_t size = sizeof stream;
    assert_refused(&(const pieces){.position = ACCESSOR("VEC3", "5126", "5")}, size,
                   "different sizes");
    assert_refused(&(const pieces){.index = ACCESSOR("SCALAR", "5121", "9")}, size,
                   "other numbers of vertices or corners");
    assert_refused(&(const pieces){.ids = "{\"POSITION\":9}"}, size, "lack an attribute");
    assert_refused(&(const pieces){.ids = "{\"POSITION\":-1}"}, size, "not negative");
    assert_refused(&(const pieces){.ids = "{\"JOINTS_5\":1}"}, size, "no 'JOINTS_5'");
    assert_refused(&(const pieces){.position = ACCESSOR("VEC2", "5126", "4")}, size,
                   "lack an attribute");
    assert_refused(&(const pieces){.view = "7"}, size, "buffer view 7");
    assert_refused(&(const pieces){.index = ACCESSOR("SCALAR", "5125", "999999999")}, size,
                   "far more memory");
    assert_refused(&(const pieces){0}, 20, "cannot be decoded");
}

// whatever the library does with damaged data, the command goes on
static void test_damage_is_survived(void** unused) {
    (void)unused;
    size_t refused = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        test_random random = random_seed(seed);
        unsigned char copy[sizeof stream];
        io_model model;
        io_error error = {""};
        memcpy(copy, stream, sizeof copy);
        for (int k = 0; k < 3; ++k) {
            copy[11 + random_below(&random, sizeof copy - 11)] = (unsigned char)random_below(
                &random, 256);
        }
        if (read_made(copy, sizeof copy, &(const pieces){0}, &model, &error)) {
            io_model_free(&model);
        } else {
            assert_non_null(strstr(error.message, "made.glb"));
            ++refused;
        }
    }
    assert_true(refused > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compressed_meshes_are_read),
        cmocka_unit_test(test_defects_are_named),
        cmocka_unit_test(test_damage_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_the_missing_library_is_named(void** unused) {
    (void)unused;
    io_model model;
    io_error error = {""};
    assert_false(read_made(stream, sizeof stream, &(const pieces){0}, &model, &error));
    assert_says("draco", error.message, "made.glb|KHR_draco_mesh_compression|libdraco-dev");
    (void)positions, (void)joints, (void)weights, (void)corners;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_missing_library_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
