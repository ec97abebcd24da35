// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The glTF reader on documents that are wrong, cut off or malicious. It always reports an error
// that names the fault, and never crashes, hangs or takes memory out of proportion.
#define _POSIX_C_SOURCE 200809L
#include "io/model.h"
#include "support/gltf_maker.h"
#include "support/random.h"
#include "test_command_support.h"

#include <math.h>
#include <sys/resource.h>

static bool parse(const char* bytes, size_t size, io_model* model, io_error* error) {
    const io_model_settings settings = {"all", 30};
    // a copy of exactly this size, so that a sanitizer reports each byte read beyond the end
    char* copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const bool done = io_parse_gltf("bad.gltf", copy, size, &settings, model, error);
    free(copy);
    return done;
}

static void assert_refused(const char* bytes, size_t size, const char* parts) {
    io_model model;
    io_error error = {""};
    if (parse(bytes, size, &model, &error)) {
        io_model_free(&model);
        fail_msg("accepted, but it should say '%s'", parts);
    }
    assert_null(model.meshes);
    assert_null(model.graph);
    assert_non_null(strstr(error.message, "bad.gltf"));
    assert_says("parse", error.message, parts);
}

// ---- one thing wrong at a time

// a triangle that follows two joints and one morph target, animated; a case replaces some parts
typedef struct pieces {
    const char* views;
    const char* accessors;
    const char* primitive;
    const char* nodes;
    const char* skins;
    const char* animations;
    const char* rest;
} pieces;

#define BUFFER "\"buffers\":[{\"byteLength\":208,\"uri\":\"data:;base64,%s\"}]"
#define VIEWS                                                                              \
    "{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":12}," \
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":48},"                                  \
    "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":8},"                                   \
    "{\"buffer\":0,\"byteOffset\":104,\"byteLength\":24}"
#define ACCESSORS                                                                \
    "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"   \
    "{\"bufferView\":1,\"componentType\":5121,\"count\":3,\"type\":\"VEC4\"},"   \
    "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"},"   \
    "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"}," \
    "{\"bufferView\":4,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}"
#define PRIMITIVE                                                                    \
    "{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},\"targets\":[{" \
    "\"POSITION\":0}]}"
#define NODES "{\"mesh\":0,\"skin\":0},{\"children\":[2]},{\"translation\":[0,1,0]}"
#define SKINS "{\"joints\":[1,2]}"
#define ANIMATIONS                                                             \
    "{\"samplers\":[{\"input\":3,\"output\":4}],\"channels\":[{\"sampler\":0," \
    "\"target\":{\"node\":1,\"path\":\"translation\"}}]}"

static const float good_weights[12] = {1, 0, 0, 0, 0.5F, 0.5F, 0, 0, 0, 1, 0, 0};

static char* encode(const unsigned char* bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char* text = calloc(size * 4 / 3 + 8, 1);
    assert_non_null(text);
    for (size_t bit = 0, k = 0; bit < 8 * size; bit += 6, ++k) {
        unsigned value = 0;
        for (size_t i = bit; i < bit + 6; ++i) {
            value = 2 * value + (i < 8 * size ? (unsigned)bytes[i / 8] >> (7 - i % 8) & 1U : 0U);
        }
        text[k] = digits[value];
    }
    return text;
}

static char* compose(const pieces* with, const float weights[12], uint8_t joint) {
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const float times[2] = {0, 1};
    unsigned char bytes[208] = {0};
    memcpy(bytes, positions, sizeof positions);
    bytes[36 + 5] = joint;  // joint of the second vertex, which has half of its weight
    memcpy(bytes + 48, weights, 48);
    memcpy(bytes + 96, times, sizeof times);
    char* data = encode(bytes, sizeof bytes);
    char* text = malloc(1 << 16);
    assert_non_null(text);
    snprintf(text, 1 << 16,
             "{\"asset\":{\"version\":\"2.0\"}," BUFFER
             ",\"bufferViews\":[%s],\"accessors\":[%s],\"meshes\":[{\"primitives\":[%s]}],"
             "\"nodes\":[%s],\"skins\":[%s],\"animations\":[%s]%s}",
             data, with->views == NULL ? VIEWS : with->views,
             with->accessors == NULL ? ACCESSORS : with->accessors,
             with->primitive == NULL ? PRIMITIVE : with->primitive,
             with->nodes == NULL ? NODES : with->nodes, with->skins == NULL ? SKINS : with->skins,
             with->animations == NULL ? ANIMATIONS : with->animations,
             with->rest == NULL ? "" : with->rest);
    free(data);
    return text;
}

static void test_good_document_is_read(void** unused) {
    (void)unused;
    const pieces good = {0};
    io_model model;
    io_error error = {""};
    char* text = compose(&good, good_weights, 1);
    if (!parse(text, strlen(text), &model, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(model.frame_count, 31);
    io_model_free(&model);
    free(text);
}

#define COUNTED(count) "{\"componentType\":5126,\"count\":" count ",\"type\":\"VEC3\"}"
#define FIRST(json) json ",{},{},{},{}"

// a document with some parts replaced, and what the error must say
typedef struct bad_document {
    pieces with;
    const char* says;
} bad_document;

static void assert_all_refused(const bad_document* cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        char* text = compose(&cases[i].with, good_weights, 1);
        assert_refused(text, strlen(text), cases[i].says);
        free(text);
    }
}

static void test_bad_views_are_named(void** unused) {
    (void)unused;
    static const bad_document cases[] = {
        {{.views = "{\"buffer\":1,\"byteLength\":36}"}, "buffer 1|only 1"},
        {{.views = "{\"buffer\":0,\"byteLength\":209}"}, "buffer view 0|beyond the end"},
        {{.views = "{\"buffer\":0,\"byteOffset\":208,\"byteLength\":1}"}, "beyond the end"},
        {{.views = "{\"buffer\":0,\"byteOffset\":18446744073709551615,\"byteLength\":36}"}, "JSON"},
        {{.views = "{\"buffer\":0,\"byteOffset\":9223372036854775807,\"byteLength\":36}"},
         "beyond the end"},
        {{.views = "{\"buffer\":0,\"byteLength\":-36}"}, "not negative"},
        {{.views = "{\"buffer\":0}"}, "no 'byteLength'"},
        {{.views = "7"}, "not a JSON object"},
        {{.views = "{\"buffer\":0,\"byteLength\":36,\"byteStride\":4}"}, "stride of 4"},
        {{.views = "{\"buffer\":0,\"byteLength\":36,\"byteStride\":9223372036854775807}"},
         "beyond the end"},
        {{.views =
              "{\"buffer\":0,\"byteLength\":36,\"extensions\":{\"EXT_meshopt_compression\":{}}}"},
         "buffer view 0 has no 'buffer'"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void test_bad_accessors_are_named(void** unused) {
    (void)unused;
    static const bad_document cases[] = {
        {{.accessors = "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}"},
         "4 elements|beyond the end"},
        {{.accessors = "{\"bufferView\":0,\"componentType\":5126,\"count\":-1,\"type\":\"VEC3\"}"},
         "accessor 0|'count'|not negative"},
        {{.accessors = "{\"bufferView\":0,\"componentType\":5126,\"count\":0,\"type\":\"VEC3\"}"},
         "0 elements"},
        {{.accessors =
              "{\"bufferView\":0,\"componentType\":5126,\"count\":1e400,\"type\":\"VEC3\"}"},
         "JSON"},
        {{.accessors = "{\"bufferView\":0,\"componentType\":5130,\"count\":3,\"type\":\"VEC3\"}"},
         "component type 5130"},
        {{.accessors = "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}"},
         "another type"},
        {{.accessors = FIRST(COUNTED("2147483648"))}, "accessor 0|2147483648"},
        {{.accessors = FIRST(COUNTED("1000000000"))}, "multiple of 3"},
        {{.accessors = FIRST(COUNTED("999999999"))}, "far more memory"},
        {{.accessors = FIRST("{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{"
                             "\"count\":4}}")},
         "changes 4 of its 3"},
        {{.accessors = FIRST(
              "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{"
              "\"count\":1,\"indices\":{\"bufferView\":2,\"componentType\":5126}}}")},
         "not whole numbers"},
        {{.accessors = FIRST("{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{"
                             "\"count\":1,\"indices\":{\"bufferView\":2,\"byteOffset\":2,"
                             "\"componentType\":5123},\"values\":{\"bufferView\":0}}}")},
         "changes its element 16256"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void test_bad_primitives_are_named(void** unused) {
    (void)unused;
    static const bad_document cases[] = {
        {{.primitive = "{\"attributes\":{\"POSITION\":99}}"}, "accessor 99|only 5"},
        {{.primitive = "{\"attributes\":{\"POSITION\":-1}}"}, "not negative"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0},\"mode\":7}"}, "mode 7"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0},\"indices\":3}"}, "multiple of 3"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0},\"indices\":3,\"mode\":5}"},
         "no triangles"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0},\"targets\":7}"},
         "'targets' is not a list"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0},\"targets\":[{\"POSITION\":4}]}"},
         "3 vertices|2 elements"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1}}"}, "no 'WEIGHTS_0'"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":2}}"},
         "no whole numbers"},
        {{.primitive = "{\"attributes\":{\"POSITION\":0}}"}, "no joints and weights"},
        {{.primitive = "3"}, "no triangles"},
        {{.primitive = ""}, "no triangles"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void test_bad_nodes_are_named(void** unused) {
    (void)unused;
    static const bad_document cases[] = {
        {{.nodes = "{\"mesh\":0,\"children\":[1]},{\"children\":[2]},{\"children\":[1]}"},
         "two parents"},
        {{.nodes = "{\"mesh\":0,\"skin\":0},{\"children\":[2]},{\"children\":[1]}"}, "cycle"},
        {{.nodes = "{\"mesh\":0,\"skin\":0},{\"children\":[1]},{}"}, "cycle"},
        {{.nodes = "{\"mesh\":0,\"children\":[1,1]},{},{}"}, "one twice"},
        {{.nodes = "{\"mesh\":0,\"children\":[3]},{},{}"}, "does not exist"},
        {{.nodes = "{\"mesh\":0,\"children\":[-1]},{},{}"}, "does not exist"},
        {{.nodes = "{\"mesh\":0,\"children\":[\"1\"]},{},{}"}, "does not exist"},
        {{.nodes = "{\"mesh\":1},{},{}"}, "mesh 1|only 1"},
        {{.nodes = "{\"mesh\":0,\"skin\":1},{},{}"}, "skin 1|only 1"},
        {{.nodes = "{\"mesh\":0,\"rotation\":[0,0,0,0]},{},{}"}, "quaternion"},
        {{.nodes = "{\"mesh\":0,\"scale\":[1,1]},{},{}"}, "'scale'|3 numbers"},
        {{.nodes = "{\"mesh\":0,\"scale\":[1,1,\"x\"]},{},{}"}, "'scale'|not a number"},
        {{.nodes = "{\"mesh\":0,\"weights\":[1,1]},{},{}"}, "'weights'|1 numbers"},
        {{.nodes = "{\"mesh\":0,\"skin\":0},{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]},{}"},
         "node 1|fixed matrix"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void test_bad_skins_are_named(void** unused) {
    (void)unused;
    static const bad_document cases[] = {
        {{.skins = "{\"joints\":[1,3]}"}, "joint 1|not a node"},
        {{.skins = "{\"joints\":[1]}"}, "follows joint 1|only 1"},
        {{.skins = "{\"joints\":[]}"}, "0 joints"},
        {{.skins = "{\"joints\":[1,2],\"inverseBindMatrices\":0}"}, "another type"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void test_bad_animations_are_named(void** unused) {
    (void)unused;
    static const bad_document cases[] = {
        {{.animations = "{\"samplers\":[],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,"
                        "\"path\":\"scale\"}}]}"},
         "does not exist"},
        {{.animations = "{\"samplers\":[{\"input\":3,\"output\":4}],\"channels\":[{\"sampler\":0,"
                        "\"target\":{\"node\":7,\"path\":\"scale\"}}]}"},
         "does not exist"},
        {{.animations = "{\"samplers\":[{\"input\":3,\"output\":4}],\"channels\":[{\"sampler\":0,"
                        "\"target\":{\"node\":1,\"path\":\"rotation\"}}]}"},
         "needs 4 numbers"},
        {{.animations =
              "{\"samplers\":[{\"input\":3,\"output\":4,\"interpolation\":\"CUBICSPLINE\"}"
              "],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}}]}"},
         "needs 9 numbers"},
        {{.animations =
              "{\"samplers\":[{\"input\":3,\"output\":4,\"interpolation\":\"SINE\"}],"
              "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"scale\"}}]}"},
         "unknown interpolation"},
        {{.animations = "{\"samplers\":[{\"input\":2,\"output\":4}],\"channels\":[{\"sampler\":0,"
                        "\"target\":{\"node\":1,\"path\":\"scale\"}}]}"},
         "not single numbers"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void test_bad_scenes_and_extensions_are_named(void** unused) {
    (void)unused;
    static const bad_document cases[] = {
        {{.rest = ",\"scenes\":[{\"nodes\":[5]}]"}, "does not exist"},
        {{.rest = ",\"scenes\":[{\"nodes\":[1]}]"}, "no triangles"},
        {{.rest = ",\"scenes\":[{}],\"scene\":4"}, "scene 4|only 1"},
        {{.rest = ",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"},
         "Draco|KHR_draco_mesh_compression"},
        {{.rest = ",\"extensionsRequired\":[\"ACME_holes\"]"}, "ACME_holes"},
        {{.rest = ",\"extensionsRequired\":[3]"}, "not a name"},
        {{.rest = "]"}, "JSON is wrong"},
    };
    assert_all_refused(cases, sizeof cases / sizeof *cases);
}

static void test_bad_weights_are_named(void** unused) {
    (void)unused;
    const pieces good = {0};
    float weights[12];
    static const struct {
        float value;
        const char* says;
    } cases[] = {{NAN, "not finite"}, {INFINITY, "not finite"}, {-0.5F, "below 0"}};
    for (size_t i = 0; i < 3; ++i) {
        memcpy(weights, good_weights, sizeof weights);
        weights[4] = cases[i].value;
        char* text = compose(&good, weights, 1);
        assert_refused(text, strlen(text), cases[i].says);
        free(text);
    }
    char* text = compose(&good, good_weights, 200);
    assert_refused(text, strlen(text), "follows joint 200|only 2");
    free(text);
}

static void test_bad_containers_are_named(void** unused) {
    (void)unused;
    static const struct {
        const char* bytes;
        size_t size;
        const char* says;
    } cases[] = {
        {"", 0, "empty"},
        {"glTF", 4, "version 0"},
        {"glTF\1\0\0\0\x14\0\0\0", 12, "version 1"},
        {"glTF\2\0\0\0\xff\xff\xff\xff", 12, "cut off"},
        {"glTF\2\0\0\0\x14\0\0\0\xff\xff\xff\x7fJSON", 20, "longer than the file"},
        {"glTF\2\0\0\0\x14\0\0\0\0\0\0\0BIN\0", 20, "not JSON"},
        {"glTF\2\0\0\0\x18\0\0\0\4\0\0\0JSON{]  ", 24, "JSON is wrong"},
        {"{", 1, "JSON is wrong"},
        {"[]", 2, "not an object"},
        {"{}", 2, "'asset'"},
        {"{\"asset\":{\"version\":\"1.0\"}}", 27, "version 1.0"},
        {"{\"asset\":{\"version\":\"2.0\"}}", 27, "no triangles"},
        {"{\"asset\":{\"version\":\"2.0\"},\"meshes\":{}}", 39, "'meshes' is not a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_refused(cases[i].bytes, cases[i].size, cases[i].says);
    }
    // nested as deeply as the file size allows
    char* deep = malloc(1 << 20);
    assert_non_null(deep);
    memset(deep, '[', 1 << 20);
    assert_refused(deep, 1 << 20, "JSON is wrong");
    free(deep);
}

static void test_bad_buffers_are_named(void** unused) {
    (void)unused;
    static const char* const cases[][2] = {
        {"{\"byteLength\":36,\"uri\":\"data:;base64,AA*A\"}", "base64|damaged"},
        {"{\"byteLength\":36,\"uri\":\"data:;base64,AAAAA\"}", "base64|damaged"},
        {"{\"byteLength\":36,\"uri\":\"data:;base64,AAAA\"}", "36 bytes|has 3|cut off"},
        {"{\"byteLength\":36,\"uri\":\"data:text/plain,AAAA\"}", "not base64"},
        {"{\"byteLength\":36,\"uri\":\"data:\"}", "not base64"},
        {"{\"byteLength\":36,\"uri\":\"/dev/zero\"}", "not in the folder"},
        {"{\"byteLength\":36,\"uri\":\"http://example/a.bin\"}", "not in the folder"},
        {"{\"byteLength\":36}", "no data"},
        {"{\"byteLength\":36,\"uri\":7}", "no data"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[%s],\"bufferViews\":[{\"buffer\":0,"
                 "\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
                 "\"count\":3,\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
                 "\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}]}",
                 cases[i][0]);
        assert_refused(text, strlen(text), cases[i][1]);
    }
}

// ---- everything wrong at once

static void try_bytes(const char* bytes, size_t size) {
    io_model model;
    io_error error = {""};
    if (parse(bytes, size, &model, &error)) {
        for (size_t frame = 0; frame < model.frame_count && frame < 4; ++frame) {
            io_model_show(&model, frame);
        }
        io_model_free(&model);
    } else {
        assert_int_equal(strncmp(error.message, "bad.gltf: ", 10), 0);
    }
}

static char* small_glb(size_t* size) {
    static gltf_maker m;
    static const float square[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const uint8_t corners[] = {0, 1, 2, 3};
    static const float times[] = {0, 1};
    static const float weights[] = {0, 1};
    gltf_maker_begin(&m);
    gltf_maker_add(&m, square, sizeof square, 4, MADE_FLOAT, "VEC3", "");
    gltf_maker_add(&m, corners, sizeof corners, 4, MADE_UINT8, "SCALAR", "");
    gltf_maker_add(&m, times, sizeof times, 2, MADE_FLOAT, "SCALAR", "");
    gltf_maker_add(&m, weights, sizeof weights, 2, MADE_FLOAT, "SCALAR", "");
    return gltf_maker_glb(
        &m,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":5,"
        "\"targets\":[{\"POSITION\":0}]}]}],\"nodes\":[{\"mesh\":0,\"children\":[1]},{\"mesh\":0}],"
        "\"animations\":[{\"samplers\":[{\"input\":2,\"output\":3}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":1,\"path\":\"weights\"}}]}]",
        size);
}

static void test_every_truncation_is_survived(void** unused) {
    (void)unused;
    size_t size = 0;
    char* glb = small_glb(&size);
    for (size_t cut = 0; cut < size; ++cut) {
        io_model model;
        io_error error = {""};
        assert_false(parse(glb, cut, &model, &error));
    }
    free(glb);
}

static void test_random_damage_is_survived(void** unused) {
    (void)unused;
    size_t size = 0;
    char* glb = small_glb(&size);
    char* damaged = malloc(size);
    assert_non_null(damaged);
    for (uint64_t seed = 1; seed <= 20000; ++seed) {
        test_random random = random_seed(seed);
        memcpy(damaged, glb, size);
        for (uint32_t k = 1 + random_below(&random, 4); k-- > 0;) {
            const uint32_t place = random_below(&random, (uint32_t)size);
            // digits and punctuation leave the JSON valid more often than any byte would
            damaged[place] = random_chance(&random, 0.5)
                                 ? (char)random_below(&random, 256)
                                 : "0123456789-.,:[]{}\"e"[random_below(&random, 20)];
        }
        try_bytes(damaged, size);
    }
    free(damaged);
    free(glb);
}

// files of a few kilobytes that declare gigabytes, while little memory is available
static void test_small_files_cannot_take_much_memory(void** unused) {
    (void)unused;
#if !defined(ABUT_SANITIZED)
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit little = {(rlim_t)1 << 30, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &little), 0);
#endif
    // one accessor of zeros, used by very many primitives with targets of their own
    char* text = malloc(1 << 20);
    assert_non_null(text);
    size_t used = (size_t)snprintf(
        text, 1 << 20,
        "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"count\":99999,"
        "\"type\":\"VEC3\"}],\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < 5000; ++i) {
        used += (size_t)snprintf(text + used, (1 << 20) - used,
                                 "%s{\"attributes\":{\"POSITION\":0},\"targets\":[{},{\"POSITION\":"
                                 "0},{\"x\":%d}]}",
                                 i == 0 ? "" : ",", i);
    }
    used += (size_t)snprintf(text + used, (1 << 20) - used, "]}]}");
    try_bytes(text, used);
    // very many skins and nodes for one mesh
    used = (size_t)snprintf(
        text, 1 << 20,
        "{\"asset\":{\"version\":\"2.0\"},\"accessors\":[{\"componentType\":5126,\"count\":300000,"
        "\"type\":\"VEC3\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
        "\"nodes\":[");
    for (int i = 0; i < 10000; ++i) {
        used += (size_t)snprintf(text + used, (1 << 20) - used, "%s{\"mesh\":0,\"scale\":[1,1,%d]}",
                                 i == 0 ? "" : ",", i);
    }
    used += (size_t)snprintf(text + used, (1 << 20) - used, "]}");
    try_bytes(text, used);
    free(text);
#if !defined(ABUT_SANITIZED)
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
#endif
}

static void test_command_refuses_with_one_sentence(void** unused) {
    (void)unused;
    write_file("cut.glb", "glTF");
    write_file("cut.gltf", "{\"asset\":");
    write_file("old.gltf", "{\"asset\":{\"version\":\"1.0\"}}");
    assert_refuses("check cut.glb", "cut.glb|version 0");
    assert_refuses("check cut.gltf", "cut.gltf|JSON is wrong");
    assert_refuses("info old.gltf", "old.gltf|version 1.0");
    assert_refuses("check nowhere.glb", "nowhere.glb|no such file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_document_is_read),
        cmocka_unit_test(test_bad_views_are_named),
        cmocka_unit_test(test_bad_accessors_are_named),
        cmocka_unit_test(test_bad_primitives_are_named),
        cmocka_unit_test(test_bad_nodes_are_named),
        cmocka_unit_test(test_bad_skins_are_named),
        cmocka_unit_test(test_bad_animations_are_named),
        cmocka_unit_test(test_bad_scenes_and_extensions_are_named),
        cmocka_unit_test(test_bad_weights_are_named),
        cmocka_unit_test(test_bad_containers_are_named),
        cmocka_unit_test(test_bad_buffers_are_named),
        cmocka_unit_test(test_every_truncation_is_survived),
        cmocka_unit_test(test_random_damage_is_survived),
        cmocka_unit_test(test_small_files_cannot_take_much_memory),
        IN_FOLDER(test_command_refuses_with_one_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
