// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Animated models from file to body. Vertices are compared with a second evaluation of glTF that
// shares no code with the reader. Pairs are compared with those of baked positions.
#define _POSIX_C_SOURCE 200809L
#include "cli/source.h"
#include "support/folder.h"
#include "support/gltf_maker.h"
#include "support/gltf_oracle.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include "support/motion_def.h"

enum { TIMES = 20, MOST_VERTICES = 4096 };

// ---- a model in a world, and the oracle of the same model

typedef struct stage {
    object_list objects;
    world w;
    gltf_oracle oracle;
    char* bytes;
    char folder[1024];
} stage;

static char* read_bytes(const char* path, size_t* size) {
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    char* bytes = malloc(1 << 22);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

static void open_stage(stage* s, const char* path, const char* animation, double fps) {
    size_t size = 0;
    memset(s, 0, sizeof *s);
    const io_model_settings settings = {animation, fps};
    assert_true(objects_find(&s->objects, &path, 1, &settings));
    assert_true(world_open(&s->w, 1));
    assert_true(objects_show(&s->objects, &s->w, 0));
    s->bytes = read_bytes(path, &size);
    snprintf(s->folder, sizeof s->folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    gltf_oracle_open(&s->oracle, s->bytes, size, s->folder);
}

static void close_stage(stage* s) {
    gltf_oracle_close(&s->oracle);
    world_close(&s->w);
    objects_free(&s->objects);
    free(s->bytes);
}

static size_t vertex_count(const stage* s, size_t body) {
    const abut_shape* shape = abut_body_shape(s->w.scene, s->w.bodies[body]);
    return abut_mesh_vertex_count(abut_shape_mesh(shape));
}

// compares all vertices of all bodies in one frame of an animation
static double worst_difference(stage* s, int animation, double time) {
    static double wanted[3 * MOST_VERTICES];
    json_t* nodes = json_object_get(s->oracle.root, "nodes");
    size_t body = 0;
    double worst = 0;
    for (size_t n = 0; n < json_array_size(nodes); ++n) {
        if (json_object_get(json_array_get(nodes, n), "mesh") == NULL) {
            continue;
        }
        const size_t count = gltf_oracle_pose(&s->oracle, n, animation, time, wanted,
                                              MOST_VERTICES);
        assert_true(body < s->objects.count);
        assert_int_equal(count, vertex_count(s, body));
        double size = 1;
        for (size_t i = 0; i < 3 * count; ++i) {
            size = fmax(size, fabs(wanted[i]));
        }
        for (size_t v = 0; v < count; ++v) {
            double p[3];
            abut_body_world_vertex(s->w.scene, s->w.bodies[body], (uint32_t)v, p, NULL);
            for (size_t k = 0; k < 3; ++k) {
                worst = fmax(worst, fabs(p[k] - wanted[3 * v + k]) / size);
            }
        }
        ++body;
    }
    assert_int_equal(body, s->objects.count);
    return worst;
}

// compares 20 times of every animation; the frame rate makes them frames
static void check_poses(const char* path, const char* what) {
    json_t* animations = NULL;
    stage s;
    open_stage(&s, path, NULL, 1);
    animations = json_object_get(s.oracle.root, "animations");
    const size_t count = json_array_size(animations);
    const double rest = count == 0 ? worst_difference(&s, -1, 0) : 0;
    if (!(rest < 1e-5)) {
        fail_msg("%s: at rest a vertex is %g away", what, rest);
    }
    double durations[32];
    assert_true(count <= 32);
    for (size_t a = 0; a < count; ++a) {
        durations[a] = gltf_oracle_duration(&s.oracle, (int)a);
    }
    close_stage(&s);
    for (size_t a = 0; a < count; ++a) {
        char number[32];
        snprintf(number, sizeof number, "%zu", a);
        const double fps = (TIMES - 0.5) / durations[a];
        open_stage(&s, path, number, fps);
        assert_int_equal(s.objects.frames, TIMES);
        for (size_t frame = 0; frame < TIMES; ++frame) {
            assert_true(objects_show(&s.objects, &s.w, frame));
            const double worst = worst_difference(&s, (int)a, (double)frame / fps);
            if (!(worst < 1e-5)) {
                fail_msg("%s, animation %zu, time %g: a vertex is %g of the size away", what, a,
                         (double)frame / fps, worst);
            }
        }
        close_stage(&s);
    }
}

// ---- real models

static const struct {
    const char* name;
    size_t vertices;
    size_t triangles;
    size_t targets;
    size_t joints;
    size_t animations;
} models[] = {
    {"Fox.glb", 1728, 576, 0, 24, 3},
    {"RiggedFigure.glb", 370, 256, 0, 19, 1},
    {"RiggedSimple.glb", 160, 188, 0, 2, 1},
    {"SimpleSkin.gltf", 10, 8, 0, 2, 1},
    {"SimpleMorph.gltf", 3, 1, 2, 0, 1},
    {"AnimatedMorphCube.glb", 24, 12, 2, 0, 1},
    {"MorphStressTest.glb", 1528, 2412, 8, 0, 3},
    {"InterpolationTest.glb", 28, 14, 0, 0, 9},
    {"BoxAnimated.glb", 320, 254, 0, 0, 1},
    {"AnimatedMorphSphere.gltf", 1876, 960, 2, 0, 1},
};
enum { MODELS = sizeof models / sizeof *models };

// skips the test where the models are missing
static void need_models(void) {
    struct stat info;
    if (stat(ABUT_SHARED_DATA "/gltf/Fox.glb", &info) != 0) {
        print_message("skipped: there is no folder %s/gltf\n", ABUT_SHARED_DATA);
        skip();
    }
}

static void path_of(size_t i, char path[1024]) {
    snprintf(path, 1024, "%s/gltf/%s", ABUT_SHARED_DATA, models[i].name);
}

static void test_real_models_have_their_sizes(void** unused) {
    (void)unused;
    need_models();
    for (size_t i = 0; i < MODELS; ++i) {
        char path[1024];
        io_model model;
        io_error error = {""};
        const io_model_settings settings = {"all", 30};
        path_of(i, path);
        if (!io_read_model(path, &settings, &model, &error)) {
            fail_msg("%s", error.message);
        }
        size_t vertices = 0;
        size_t triangles = 0;
        size_t targets = 0;
        for (size_t m = 0; m < model.mesh_count; ++m) {
            vertices += model.meshes[m].vertex_count;
            triangles += model.meshes[m].triangle_count;
            targets += model.meshes[m].field_count;
        }
        assert_int_equal(vertices, models[i].vertices);
        assert_int_equal(triangles, models[i].triangles);
        assert_int_equal(targets, models[i].targets);
        assert_int_equal(model.clip_count, models[i].animations);
        if (models[i].joints != 0) {
            assert_int_equal(model.bodies[0].motion, IO_MODEL_SKINNED);
            assert_int_equal(model.bodies[0].transform_count, models[i].joints);
        }
        io_model_free(&model);
    }
}

static void test_real_models_are_posed_as_the_oracle_poses_them(void** unused) {
    (void)unused;
    need_models();
    for (size_t i = 0; i < MODELS; ++i) {
        char path[1024];
        path_of(i, path);
        check_poses(path, models[i].name);
    }
}

// ---- pairs by the deformation-aware path, and by positions baked with vertex(i)

typedef struct baked {
    abut_body_id body;
    double* positions;
    uint32_t count;
} baked;

static abut_scene* bake(const stage* s, baked* out) {
    abut_scene* scene = NULL;
    assert_int_equal(abut_scene_create(s->w.context, NULL, &scene, NULL), ABUT_OK);
    for (size_t i = 0; i < s->objects.count; ++i) {
        const abut_shape* moving = abut_body_shape(s->w.scene, s->w.bodies[i]);
        const abut_mesh* mesh = abut_shape_mesh(moving);
        abut_mesh_def def = abut_mesh_def_default();
        abut_mesh* copy = NULL;
        abut_shape* shape = NULL;
        def.positions = abut_mesh_rest_positions(mesh);
        def.triangles = abut_mesh_triangles(mesh);
        def.triangle_count = abut_mesh_triangle_count(mesh);
        def.class_rule = ABUT_CLASS_RULE_GIVEN;
        def.classes = abut_mesh_classes(mesh);
        assert_int_equal(abut_mesh_create(s->w.context, &def, &copy, NULL), ABUT_OK);
        assert_int_equal(motion_create(s->w.context, copy, NULL, &shape, NULL), ABUT_OK);
        assert_int_equal(abut_body_create(scene, shape, NULL, &out[i].body, NULL), ABUT_OK);
        out[i].count = abut_mesh_vertex_count(mesh);
        out[i].positions = malloc(3 * sizeof(double) * out[i].count);
        assert_non_null(out[i].positions);
        abut_shape_destroy(shape);
        abut_mesh_destroy(copy);
    }
    return scene;
}

static void move_baked(const stage* s, abut_scene* scene, baked* out) {
    for (size_t i = 0; i < s->objects.count; ++i) {
        for (uint32_t v = 0; v < out[i].count; ++v) {
            abut_body_vertex(s->w.scene, s->w.bodies[i], v, out[i].positions + 3 * v, NULL);
        }
        const abut_positions all = abut_positions_f64(out[i].positions, out[i].count);
        assert_int_equal(abut_body_set_positions(scene, out[i].body, all, NULL), ABUT_OK);
    }
}

// returns the number of pairs in all tested frames
static size_t check_pairs(const char* path, size_t step) {
    stage s;
    baked bodies[16];
    abut_collide_result* answer = NULL;
    size_t found = 0;
    open_stage(&s, path, "all", 30);
    assert_true(s.objects.count <= 16);
    abut_scene* scene = bake(&s, bodies);
    assert_int_equal(abut_collide_result_create(s.w.context, &answer, NULL), ABUT_OK);
    for (size_t frame = 0; frame < s.objects.frames; frame += step) {
        const question ask = {.self = true};
        abut_counters work = {0};
        size_t count = 0;
        size_t wanted_count = 0;
        assert_true(objects_show(&s.objects, &s.w, frame));
        assert_true(world_ask(&s.w, &ask, &work));
        move_baked(&s, scene, bodies);
        assert_int_equal(abut_collide_self_all(scene, NULL, answer, NULL), ABUT_OK);
        const abut_pair* pairs = abut_collide_result_pairs(s.w.self, &count);
        const abut_pair* wanted = abut_collide_result_pairs(answer, &wanted_count);
        if (count != wanted_count ||
            (count != 0 && memcmp(pairs, wanted, count * sizeof *pairs) != 0)) {
            fail_msg("%s, frame %zu: %zu pairs, %zu by baked positions", path, frame, count,
                     wanted_count);
        }
        found += count;
    }
    for (size_t i = 0; i < s.objects.count; ++i) {
        free(bodies[i].positions);
    }
    abut_collide_result_destroy(answer);
    abut_scene_destroy(scene);
    close_stage(&s);
    return found;
}

static void test_real_models_touch_as_their_baked_positions_do(void** unused) {
    (void)unused;
    static const char* const names[] = {"Fox.glb", "RiggedFigure.glb", "MorphStressTest.glb",
                                        "AnimatedMorphSphere.gltf"};
    size_t found = 0;
    need_models();
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/gltf/%s", ABUT_SHARED_DATA, names[i]);
        found += check_pairs(path, 7);
    }
    assert_true(found > 0);
}

// ---- generated models: their content is random, and the oracle has no other input than the file

static void fill(test_random* random, float* to, size_t count, double range) {
    for (size_t i = 0; i < count; ++i) {
        to[i] = (float)random_double(random, -range, range);
    }
}

static void fill_rotations(test_random* random, float* to, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        double q[4];
        double sum = 0;
        for (int k = 0; k < 4; ++k) {
            q[k] = random_double(random, -1, 1) + (k == 3 ? 0.01 : 0);
            sum += q[k] * q[k];
        }
        for (int k = 0; k < 4; ++k) {
            to[4 * i + (size_t)k] = (float)(q[k] / sqrt(sum));
        }
    }
}

enum { VERTICES = 60, TRIANGLES = 40, JOINTS = 5, KEYS = 6, TARGETS = 3, NODES = 8 };

// adds positions as floats, as normalised or plain shorts, or with sparse changes
static size_t add_positions(gltf_maker* m, test_random* random, unsigned kind) {
    float xyz[3 * VERTICES];
    int16_t packed[4 * VERTICES];
    char json[512];
    fill(random, xyz, 3 * VERTICES, 1);
    for (size_t i = 0; i < 4 * VERTICES; ++i) {
        packed[i] = (int16_t)random_between(random, -32768, 32767);
    }
    packed[0] = -32768;  // normalised, this is -1
    if (kind == 0) {
        return gltf_maker_add(m, xyz, sizeof xyz, VERTICES, MADE_FLOAT, "VEC3", "");
    }
    if (kind == 1) {  // shorts need a stride of 8
        const size_t view = gltf_maker_view(m, packed, sizeof packed, 8);
        snprintf(json, sizeof json,
                 "{\"bufferView\":%zu,\"componentType\":5122,\"count\":%d,\"type\":\"VEC3\","
                 "\"normalized\":true}",
                 view, VERTICES);
        return gltf_maker_accessor(m, json);
    }
    uint16_t places[7];
    for (size_t i = 0; i < 7; ++i) {
        places[i] = (uint16_t)(i * 8 + random_below(random, 8));
    }
    const size_t base = gltf_maker_view(m, xyz, sizeof xyz, 0);
    const size_t which = gltf_maker_view(m, places, sizeof places, 0);
    fill(random, xyz, 21, 2);
    const size_t values = gltf_maker_view(m, xyz, 21 * sizeof *xyz, 0);
    char from[64] = "";
    if (kind == 2) {  // otherwise the base is all zeros
        snprintf(from, sizeof from, "\"bufferView\":%zu,", base);
    }
    snprintf(
        json, sizeof json,
        "{%s\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\",\"sparse\":{\"count\":7,"
        "\"indices\":{\"bufferView\":%zu,\"componentType\":5123},\"values\":{\"bufferView\":%zu}"
        "}}",
        from, VERTICES, which, values);
    return gltf_maker_accessor(m, json);
}

static size_t add_indices(gltf_maker* m, test_random* random) {
    uint16_t corners[3 * TRIANGLES];
    for (size_t i = 0; i < 3 * TRIANGLES; ++i) {
        corners[i] = (uint16_t)random_below(random, VERTICES);
    }
    return gltf_maker_add(m, corners, sizeof corners, 3 * TRIANGLES, MADE_UINT16, "SCALAR", "");
}

static size_t add_joints(gltf_maker* m, test_random* random) {
    uint8_t joints[4 * VERTICES];
    for (size_t i = 0; i < 4 * VERTICES; ++i) {
        joints[i] = (uint8_t)random_below(random, JOINTS);
    }
    return gltf_maker_add(m, joints, sizeof joints, VERTICES, MADE_UINT8, "VEC4", "");
}

// weights in units of 1/255, with the sum 255
static size_t add_weights(gltf_maker* m, test_random* random) {
    uint8_t weights[4 * VERTICES];
    for (size_t v = 0; v < VERTICES; ++v) {
        const uint32_t a = random_below(random, 128);
        const uint32_t b = random_below(random, 127);
        weights[4 * v] = (uint8_t)a;
        weights[4 * v + 1] = (uint8_t)b;
        weights[4 * v + 2] = (uint8_t)(255 - a - b);
        weights[4 * v + 3] = 0;
    }
    return gltf_maker_add(m, weights, sizeof weights, VERTICES, MADE_UINT8, "VEC4",
                          ",\"normalized\":true");
}

static size_t add_inverse_bind(gltf_maker* m, test_random* random) {
    float columns[16 * JOINTS];
    fill(random, columns, 16 * JOINTS, 1);
    for (size_t j = 0; j < JOINTS; ++j) {
        columns[16 * j + 3] = columns[16 * j + 7] = columns[16 * j + 11] = 0;
        columns[16 * j + 15] = 1;
    }
    return gltf_maker_add(m, columns, sizeof columns, JOINTS, MADE_FLOAT, "MAT4", "");
}

// adds samplers and channels for translation, rotation and scale of three nodes and the weights of
// two
static void add_animation(gltf_maker* m, test_random* random, const char* how, char* json,
                          size_t room) {
    static const char* const paths[] = {"translation", "rotation", "scale", "weights"};
    static const size_t nodes[] = {1, 2, 3, 5, 6};
    const size_t parts = strcmp(how, "CUBICSPLINE") == 0 ? 3 : 1;
    char samplers[4096] = "";
    char channels[4096] = "";
    size_t count = 0;
    for (size_t n = 0; n < 5; ++n) {
        for (size_t p = n < 3 ? 0 : 3; p < (n < 3 ? 3 : 4); ++p) {
            float times[KEYS];
            float values[KEYS * 12];
            float t = (float)random_double(random, 0, 0.3);
            for (size_t k = 0; k < KEYS; ++k) {
                times[k] = t;
                t += (float)random_double(random, 0.01, 1);
            }
            const size_t width = p == 1 ? 4 : 3;
            fill(random, values, KEYS * width * parts, 1);
            if (p == 1) {
                fill_rotations(random, values, KEYS * parts);
            }
            const size_t input = gltf_maker_add(m, times, sizeof times, KEYS, MADE_FLOAT, "SCALAR",
                                                "");
            const size_t output = gltf_maker_add(m, values, KEYS * parts * width * sizeof *values,
                                                 KEYS * parts * (p == 3 ? TARGETS : 1), MADE_FLOAT,
                                                 p == 3   ? "SCALAR"
                                                 : p == 1 ? "VEC4"
                                                          : "VEC3",
                                                 "");
            snprintf(samplers + strlen(samplers), sizeof samplers - strlen(samplers),
                     "%s{\"input\":%zu,\"output\":%zu,\"interpolation\":\"%s\"}",
                     count == 0 ? "" : ",", input, output, how);
            snprintf(channels + strlen(channels), sizeof channels - strlen(channels),
                     "%s{\"sampler\":%zu,\"target\":{\"node\":%zu,\"path\":\"%s\"}}",
                     count == 0 ? "" : ",", count, nodes[n], paths[p]);
            ++count;
        }
    }
    snprintf(json, room, "{\"name\":\"%s\",\"samplers\":[%s],\"channels\":[%s]}", how, samplers,
             channels);
}

// Nodes 0 to 4 are joints in a chain, 5 morphs under a skin, 6 morphs alone on a moving parent, 7
// is at rest with a matrix.
static char* random_document(uint64_t seed, bool glb, size_t* size) {
    static gltf_maker m;
    test_random random = random_seed(seed);
    static char animations[3][16384];
    static const char* const how[] = {"STEP", "LINEAR", "CUBICSPLINE"};
    size_t targets[TARGETS];
    gltf_maker_begin(&m);
    const size_t positions = add_positions(&m, &random, (unsigned)(seed % 4));
    const size_t indices = add_indices(&m, &random);
    for (size_t t = 0; t < TARGETS; ++t) {
        targets[t] = add_positions(&m, &random, (unsigned)((seed + t) % 4));
    }
    const size_t joints = add_joints(&m, &random);
    const size_t weights = add_weights(&m, &random);
    const size_t bind = add_inverse_bind(&m, &random);
    for (size_t i = 0; i < 3; ++i) {
        add_animation(&m, &random, how[i], animations[i], sizeof animations[i]);
    }
    char* rest = malloc(1 << 17);
    assert_non_null(rest);
    snprintf(rest, 1 << 17,
             "\"meshes\":[{\"weights\":[0.5,0.25,-1],\"primitives\":[{\"attributes\":{"
             "\"POSITION\":%zu,\"JOINTS_0\":%zu,\"WEIGHTS_0\":%zu},\"indices\":%zu,\"targets\":["
             "{\"POSITION\":%zu},{\"POSITION\":%zu},{\"POSITION\":%zu}]}]}],"
             "\"skins\":[{\"joints\":[4,3,2,1,0],\"inverseBindMatrices\":%zu}],"
             "\"nodes\":[{\"children\":[1],\"translation\":[1,2,3]},"
             "{\"children\":[2,6],\"rotation\":[0,0.6,0,0.8]},{\"children\":[3]},"
             "{\"children\":[4],\"scale\":[1,2,0.5]},{},"
             "{\"mesh\":0,\"skin\":0,\"translation\":[9,9,9]},{\"mesh\":0,\"weights\":[1,0,0]},"
             "{\"mesh\":0,\"matrix\":[1,2,0,0,0,1,3,0,0,0,-1,0,4,5,6,1]}],"
             "\"scenes\":[{\"nodes\":[0,5,7]}],\"scene\":0,\"animations\":[%s,%s,%s]",
             positions, joints, weights, indices, targets[0], targets[1], targets[2], bind,
             animations[0], animations[1], animations[2]);
    char* bytes = glb ? gltf_maker_glb(&m, rest, size) : gltf_maker_text(&m, rest, NULL, size);
    free(rest);
    return bytes;
}

static bool is_quick(void) {
    const char* effort = getenv("ABUT_TEST_EFFORT");
    return effort != NULL && strcmp(effort, "quick") == 0;
}

static void test_generated_models_are_posed_as_the_oracle_poses_them(void** unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= (is_quick() ? 6 : 12); ++seed) {
        char path[1024];
        char what[64];
        size_t size = 0;
        const bool glb = seed % 2 == 0;
        char* bytes = random_document(seed, glb, &size);
        folder_write(glb ? "m.glb" : "m.gltf", bytes, size, path);
        free(bytes);
        snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
        check_poses(path, what);
    }
}

static void test_generated_models_touch_as_their_baked_positions_do(void** unused) {
    (void)unused;
    size_t found = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        char path[1024];
        size_t size = 0;
        char* bytes = random_document(seed, true, &size);
        folder_write("m.glb", bytes, size, path);
        free(bytes);
        found += check_pairs(path, 11);
    }
    assert_true(found > 0);
}

// the motions of the nodes of a generated model, and which nodes share a shape
static void test_motions_are_those_of_the_nodes(void** unused) {
    (void)unused;
    size_t size = 0;
    io_model model;
    io_error error = {""};
    const io_model_settings settings = {"LINEAR", 30};
    char* bytes = random_document(3, true, &size);
    assert_true(io_parse_gltf("m.glb", bytes, size, &settings, &model, &error));
    assert_int_equal(model.body_count, 3);
    assert_int_equal(model.bodies[0].motion, IO_MODEL_SKINNED);
    assert_int_equal(model.bodies[0].transform_count, JOINTS);
    assert_int_equal(model.bodies[1].motion,
                     IO_MODEL_AFFINE);  // its parent scales in the animation
    assert_int_equal(model.bodies[2].motion, IO_MODEL_AFFINE);  // sheared
    assert_int_equal(model.bodies[2].like, 1);
    assert_int_equal(model.clip_count, 1);
    assert_string_equal(model.clips[0].name, "LINEAR");
    io_model_free(&model);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_models_have_their_sizes),
        cmocka_unit_test(test_real_models_are_posed_as_the_oracle_poses_them),
        cmocka_unit_test(test_real_models_touch_as_their_baked_positions_do),
        cmocka_unit_test_setup_teardown(test_generated_models_are_posed_as_the_oracle_poses_them,
                                        enter_folder, leave_folder),
        cmocka_unit_test_setup_teardown(test_generated_models_touch_as_their_baked_positions_do,
                                        enter_folder, leave_folder),
        cmocka_unit_test(test_motions_are_those_of_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
