// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The glTF reader on models that are stored in few bytes: quantised numbers, sparse accessors and
// extensions, compressed buffer views. The test knows the numbers that it put in and computes what must come out.
#include "io/model.h"
#include "support/gltf_maker.h"
#include "support/meshopt_maker.h"
#include "support/random.h"
#include "test_command_support.h"

#include <math.h>

enum { VERTICES = 30, TRIANGLES = 20, CORNERS = 3 * TRIANGLES };

static gltf_maker maker;

// reads the maker's document, which must be accepted
static io_model read_made(const char* rest) {
    io_model model;
    io_error error = {""};
    size_t size = 0;
    const io_model_settings settings = {NULL, 30};
    char* bytes = gltf_maker_glb(&maker, rest, &size);
    if (!io_parse_gltf("made.glb", bytes, size, &settings, &model, &error)) {
        fail_msg("%s", error.message);
    }
    free(bytes);
    return model;
}

// ---- quantised positions

static const struct {
    int component;
    size_t size;
    double least;
    double most;
} kinds[] = {
    {MADE_INT8, 1, -128, 127},
    {MADE_UINT8, 1, 0, 255},
    {MADE_INT16, 2, -32768, 32767},
    {MADE_UINT16, 2, 0, 65535},
};

// the rule of the specification: c / most, and never below -1
static double expected(int value, double most, bool normalised) {
    const double c = (double)value / most;
    return !normalised ? value : c < -1 ? -1 : c;
}

// writes random numbers of a type into elements of four components, and as the reader should see
// the first three
static size_t add_quantised(test_random* random, size_t kind, bool normalised, double* wanted) {
    unsigned char bytes[VERTICES * 8] = {0};
    char json[256];
    const size_t stride = 4 * kinds[kind].size;
    for (size_t i = 0; i < (size_t)3 * VERTICES; ++i) {
        const int value = i == 0 ? (int)kinds[kind].least
                                 : (int)random_between(random, (int32_t)kinds[kind].least,
                                                       (int32_t)kinds[kind].most);
        for (size_t k = 0; k < kinds[kind].size; ++k) {
            bytes[i / 3 * stride + i % 3 * kinds[kind].size + k] =
                (unsigned char)((unsigned)value >> 8 * k);
        }
        wanted[i] = expected(value, kinds[kind].most, normalised);
    }
    const size_t view = gltf_maker_view(&maker, bytes, VERTICES * stride, stride);
    snprintf(json, sizeof json,
             "{\"bufferView\":%zu,\"componentType\":%d,\"count\":%d,\"type\":\"VEC3\","
             "\"normalized\":%s}",
             view, kinds[kind].component, VERTICES, normalised ? "true" : "false");
    return gltf_maker_accessor(&maker, json);
}

static void test_quantised_positions_and_targets(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        test_random random = random_seed(seed);
        char rest[512];
        double positions[3 * VERTICES];
        double target[3 * VERTICES];
        gltf_maker_begin(&maker);
        const size_t base = add_quantised(&random, seed % 4, seed / 4 % 2 == 0, positions);
        const size_t moved = add_quantised(&random, (seed + 1) % 4, seed / 8 % 2 == 0, target);
        snprintf(rest, sizeof rest,
                 "\"extensionsUsed\":[\"KHR_mesh_quantization\"],\"extensionsRequired\":["
                 "\"KHR_mesh_quantization\"],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                 "\"POSITION\":%zu},\"targets\":[{\"POSITION\":%zu}]}]}],"
                 "\"nodes\":[{\"mesh\":0,\"scale\":[0.5,0.5,0.5]}]",
                 base, moved);
        io_model model = read_made(rest);
        for (size_t i = 0; i < (size_t)3 * VERTICES; ++i) {
            if (model.meshes[0].positions[i] != positions[i] ||
                model.meshes[0].fields[i] != (float)target[i]) {
                fail_msg("seed %llu, number %zu: %g and %g instead of %g and %g",
                         (unsigned long long)seed, i, model.meshes[0].positions[i],
                         (double)model.meshes[0].fields[i], positions[i], target[i]);
            }
        }
        assert_int_equal(model.bodies[0].motion, IO_MODEL_AFFINE);  // it restores the size
        io_model_free(&model);
    }
}

// ---- sparse whole numbers

// Corners with sparse changes, over a list or over zeros.
static size_t add_sparse_corners(test_random* random, bool over_zeros, uint32_t* wanted) {
    uint16_t base[CORNERS];
    uint16_t values[8];
    uint8_t places[8];
    char json[512];
    char from[64] = "";
    for (size_t i = 0; i < CORNERS; ++i) {
        base[i] = (uint16_t)random_below(random, VERTICES);
        wanted[i] = over_zeros ? 0 : base[i];
    }
    for (size_t i = 0; i < 8; ++i) {
        places[i] = (uint8_t)(7 * i + random_below(random, 7));
        values[i] = (uint16_t)random_below(random, VERTICES);
        wanted[places[i]] = values[i];
    }
    if (!over_zeros) {
        snprintf(from, sizeof from, "\"bufferView\":%zu,",
                 gltf_maker_view(&maker, base, sizeof base, 0));
    }
    const size_t which = gltf_maker_view(&maker, places, sizeof places, 0);
    const size_t what = gltf_maker_view(&maker, values, sizeof values, 0);
    snprintf(json, sizeof json,
             "{%s\"componentType\":5123,\"count\":%d,\"type\":\"SCALAR\",\"sparse\":{\"count\":8,"
             "\"indices\":{\"bufferView\":%zu,\"componentType\":5121},\"values\":{"
             "\"bufferView\":%zu}}}",
             from, CORNERS, which, what);
    return gltf_maker_accessor(&maker, json);
}

static void test_sparse_corners(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        test_random random = random_seed(seed);
        char rest[256];
        uint32_t wanted[CORNERS];
        double positions[3 * VERTICES];
        gltf_maker_begin(&maker);
        const size_t base = add_quantised(&random, 2, true, positions);
        const size_t corners = add_sparse_corners(&random, seed % 2 == 0, wanted);
        snprintf(rest, sizeof rest,
                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%zu},"
                 "\"indices\":%zu}]}],\"nodes\":[{\"mesh\":0}]",
                 base, corners);
        io_model model = read_made(rest);
        assert_int_equal(model.meshes[0].triangle_count, TRIANGLES);
        for (size_t i = 0; i < CORNERS; ++i) {
            if (model.meshes[0].triangles[i] != wanted[i]) {
                fail_msg("seed %llu, corner %zu: %u instead of %u", (unsigned long long)seed, i,
                         model.meshes[0].triangles[i], wanted[i]);
            }
        }
        io_model_free(&model);
    }
}

// ---- extensions

static void test_extensions_of_appearance_are_accepted(void** unused) {
    (void)unused;
    static const char* const names[] = {
        "KHR_mesh_quantization", "KHR_texture_transform",  "KHR_texture_basisu",
        "KHR_materials_unlit",   "KHR_materials_variants", "KHR_lights_punctual",
        "EXT_texture_webp",      "EXT_texture_avif",       "MSFT_texture_dds",
        "KHR_xmp_json_ld",       "EXT_mesh_features",      "VRMC_vrm",
    };
    test_random random = random_seed(1);
    double positions[3 * VERTICES];
    gltf_maker_begin(&maker);
    add_quantised(&random, 1, true, positions);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char rest[512];
        snprintf(
            rest, sizeof rest,
            "\"extensionsUsed\":[\"%s\",\"ACME_unknown\"],\"extensionsRequired\":[\"%s\"],"
            "\"extensions\":{\"%s\":{\"anything\":[1]}},"
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},"
            "\"extensions\":{\"%s\":{}}}]}],\"nodes\":[{\"mesh\":0,\"extensions\":{\"%s\":7}}]",
            names[i], names[i], names[i], names[i], names[i]);
        io_model model = read_made(rest);
        assert_int_equal(model.meshes[0].triangle_count, VERTICES / 3);
        io_model_free(&model);
    }
}

// ---- compressed buffer views

typedef struct packed_mesh {
    float xyz[3 * VERTICES];
    uint32_t corners[CORNERS];
} packed_mesh;

// a mesh whose positions and corners are compressed; corners are drawn below VERTICES
static void add_packed(test_random* random, const char* extension, int version, bool list,
                       packed_mesh* out) {
    char how[128];
    char json[256];
    for (size_t i = 0; i < (size_t)3 * VERTICES; ++i) {
        out->xyz[i] = (float)random_double(random, -1, 1);
    }
    made_stream s = make_attributes(random, version, (const unsigned char*)out->xyz, VERTICES, 12);
    snprintf(how, sizeof how, "\"byteStride\":12,\"count\":%d,\"mode\":\"ATTRIBUTES\"", VERTICES);
    size_t view = gltf_maker_packed_view(&maker, extension, s.bytes, s.size, sizeof out->xyz, how);
    snprintf(json, sizeof json,
             "{\"bufferView\":%zu,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"}", view,
             VERTICES);
    gltf_maker_accessor(&maker, json);
    free(s.bytes);
    bool below = false;
    while (!below) {  // triangles that use other vertices are drawn again
        for (size_t i = 0; i < CORNERS; ++i) {
            out->corners[i] = random_below(random, VERTICES);
        }
        s = list ? make_triangles(random, 4, out->corners)
                 : make_indices(random, out->corners, CORNERS);
        below = true;
        for (size_t i = 0; i < (list ? 12 : CORNERS); ++i) {
            below = below && out->corners[i] < VERTICES;
        }
        if (!below) {
            free(s.bytes);
        }
    }
    const size_t count = list ? 12 : CORNERS;
    snprintf(how, sizeof how, "\"byteStride\":2,\"count\":%zu,\"mode\":\"%s\"", count,
             list ? "TRIANGLES" : "INDICES");
    view = gltf_maker_packed_view(&maker, extension, s.bytes, s.size, 2 * count, how);
    snprintf(json, sizeof json,
             "{\"bufferView\":%zu,\"componentType\":5123,\"count\":%zu,\"type\":\"SCALAR\"}", view,
             count);
    gltf_maker_accessor(&maker, json);
    free(s.bytes);
}

#define PACKED_REST                                                                  \
    "\"extensionsRequired\":[\"%s\"],\"meshes\":[{\"primitives\":[{\"attributes\":{" \
    "\"POSITION\":0},\"indices\":1}]}],\"nodes\":[{\"mesh\":0},{\"mesh\":0}]"

static void test_compressed_views(void** unused) {
    (void)unused;
    static const char* const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        test_random random = random_seed(seed);
        packed_mesh wanted;
        char rest[512];
        const bool list = seed / 2 % 2 == 0;
        gltf_maker_begin(&maker);
        add_packed(&random, names[seed % 2], (int)(seed % 2), list, &wanted);
        snprintf(rest, sizeof rest, PACKED_REST, names[seed % 2]);
        io_model model = read_made(rest);
        const io_model_mesh* mesh = &model.meshes[0];
        assert_int_equal(mesh->triangle_count, list ? 4 : TRIANGLES);
        assert_memory_equal(mesh->triangles, wanted.corners, 12 * mesh->triangle_count);
        for (size_t i = 0; i < (size_t)3 * VERTICES; ++i) {
            assert_true(mesh->positions[i] == (double)wanted.xyz[i]);
        }
        io_model_free(&model);
    }
}

// a view with this description must be refused
static void assert_view_refused(const char* how, size_t length, const char* parts) {
    static const char stream[40] = "\xa0";
    io_model model;
    io_error error = {""};
    size_t size = 0;
    const io_model_settings settings = {NULL, 30};
    gltf_maker_begin(&maker);
    gltf_maker_packed_view(&maker, "EXT_meshopt_compression", stream, sizeof stream, length, how);
    gltf_maker_accessor(&maker,
                        "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}");
    char* bytes = gltf_maker_glb(
        &maker,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[{\"mesh\":0}]",
        &size);
    if (io_parse_gltf("made.glb", bytes, size, &settings, &model, &error)) {
        fail_msg("accepted: %s", how);
    }
    assert_says(how, error.message, parts);
    free(bytes);
}

#define ATTRIBUTES "\"mode\":\"ATTRIBUTES\""

static void test_bad_compressed_views_are_named(void** unused) {
    (void)unused;
    assert_view_refused("\"byteStride\":12,\"count\":3", 36, "buffer view 0|unknown mode");
    assert_view_refused("\"byteStride\":12,\"count\":3,\"mode\":\"POINTS\"", 36, "unknown mode");
    assert_view_refused("\"count\":3," ATTRIBUTES, 36, "no 'byteStride'");
    assert_view_refused("\"byteStride\":12," ATTRIBUTES, 36, "no 'count'");
    assert_view_refused("\"byteStride\":10,\"count\":3," ATTRIBUTES, 30, "belong together");
    assert_view_refused("\"byteStride\":0,\"count\":3," ATTRIBUTES, 36, "belong together");
    assert_view_refused("\"byteStride\":260,\"count\":3," ATTRIBUTES, 780, "belong together");
    assert_view_refused("\"byteStride\":12,\"count\":3,\"filter\":\"QUATERNION\"," ATTRIBUTES, 36,
                        "belong together");
    assert_view_refused("\"byteStride\":12,\"count\":3,\"filter\":\"BLUR\"," ATTRIBUTES, 36,
                        "filter");
    assert_view_refused("\"byteStride\":12,\"count\":4," ATTRIBUTES, 36, "36 bytes|4 times 12");
    assert_view_refused("\"byteStride\":12,\"count\":1537228672809129305," ATTRIBUTES, 44,
                        "1537228672809129305 times 12");
    assert_view_refused("\"byteStride\":12,\"count\":3,\"byteLength\":400," ATTRIBUTES, 36,
                        "beyond the end of buffer 0");
    assert_view_refused("\"byteStride\":12,\"count\":3," ATTRIBUTES, 36,
                        "its stream ends early|damaged");
    assert_view_refused("\"byteStride\":12,\"count\":1000000000," ATTRIBUTES, 12000000000,
                        "far more memory");
    assert_view_refused("\"byteStride\":4,\"count\":9,\"mode\":\"TRIANGLES\"", 36,
                        "unknown version");
    assert_view_refused("\"byteStride\":4,\"count\":8,\"mode\":\"TRIANGLES\"", 32,
                        "belong together");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantised_positions_and_targets),
        cmocka_unit_test(test_sparse_corners),
        cmocka_unit_test(test_extensions_of_appearance_are_accepted),
        cmocka_unit_test(test_compressed_views),
        cmocka_unit_test(test_bad_compressed_views_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
