// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How models and caches are read: how primitives are joined, which nodes are rigid, where buffers
// are, and which frames are in memory.
#define _POSIX_C_SOURCE 200809L
#include "cli/source.h"
#include "io/cache.h"
#include "io/obj_write.h"
#include "io/output.h"
#include "support/folder.h"
#include "support/gltf_maker.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// a chain of near-rotations is rigid at any depth; a small scale makes it affine
static void test_rigid_nodes_differ_from_scaled_ones(void** unused) {
    (void)unused;
    static gltf_maker m;
    static const float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    enum { DEEP = 200 };
    static char rest[1 << 15];
    io_model model;
    io_error error = {""};
    const io_model_settings settings = {NULL, 30};
    static const struct {
        const char* node;  // every node of the chain
        io_model_motion motion;
    } cases[] = {
        {"\"rotation\":[0.1,0.2,0.3,0.92736185]", IO_MODEL_RIGID},
        {"\"matrix\":[0,1,0,0,-1,0,0,0,0,0,1,0,1,2,3,1]", IO_MODEL_RIGID},
        {"\"scale\":[1,1,1.0000001]", IO_MODEL_RIGID},
        {"\"scale\":[1,1,1.00001]", IO_MODEL_AFFINE},                       // 200 times that
        {"\"matrix\":[0,1,0,0,1,0,0,0,0,0,1,0,1,2,3,1]", IO_MODEL_AFFINE},  // mirrored
    };
    gltf_maker_begin(&m);
    gltf_maker_add(&m, triangle, sizeof triangle, 3, MADE_FLOAT, "VEC3", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        size_t size = 0;
        size_t used = (size_t)snprintf(
            rest, sizeof rest,
            "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[");
        for (int n = 0; n < DEEP; ++n) {
            used += (size_t)snprintf(rest + used, sizeof rest - used, "{%s,\"children\":[%d]},",
                                     cases[i].node, n + 1);
        }
        snprintf(rest + used, sizeof rest - used, "{\"mesh\":0}]");
        char* bytes = gltf_maker_glb(&m, rest, &size);
        assert_true(io_parse_gltf("m.glb", bytes, size, &settings, &model, &error));
        if (model.bodies[0].motion != cases[i].motion) {
            fail_msg("nodes with %s: another motion", cases[i].node);
        }
        io_model_free(&model);
        free(bytes);
    }
}

// strips, fans and plain lists; primitives that share their vertices; points and lines
static void test_primitives_are_joined(void** unused) {
    (void)unused;
    static gltf_maker m;
    static const float square[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0};
    static const uint8_t corners[] = {0, 1, 2, 3, 4};
    char rest[1024];
    size_t size = 0;
    io_model model;
    io_error error = {""};
    const io_model_settings settings = {NULL, 30};
    gltf_maker_begin(&m);
    const size_t a = gltf_maker_add(&m, square, sizeof square, 5, MADE_FLOAT, "VEC3", "");
    const size_t b = gltf_maker_add(&m, square, 36, 3, MADE_FLOAT, "VEC3", "");
    const size_t i = gltf_maker_add(&m, corners, sizeof corners, 5, MADE_UINT8, "SCALAR", "");
    snprintf(rest, sizeof rest,
             "\"meshes\":[{\"name\":\"all\",\"primitives\":["
             "{\"attributes\":{\"POSITION\":%zu},\"indices\":%zu,\"mode\":5},"
             "{\"attributes\":{\"POSITION\":%zu},\"mode\":1},"
             "{\"attributes\":{\"POSITION\":%zu}},"
             "{\"attributes\":{\"POSITION\":%zu},\"indices\":%zu,\"mode\":6}]}],"
             "\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"translation\":[0,0,1]},"
             "{\"mesh\":0,\"scale\":[2,2,2]}]",
             a, i, b, b, a, i);
    char* bytes = gltf_maker_glb(&m, rest, &size);
    assert_true(io_parse_gltf("m.glb", bytes, size, &settings, &model, &error));
    static const uint32_t wanted[] = {0, 1, 2, 1, 3, 2, 2, 3, 4,   // a strip
                                      5, 6, 7,                     // a list
                                      1, 2, 0, 2, 3, 0, 3, 4, 0};  // a fan of the strip's vertices
    assert_int_equal(model.meshes[0].vertex_count, 8);
    assert_int_equal(model.meshes[0].triangle_count, 7);
    assert_memory_equal(model.meshes[0].triangles, wanted, sizeof wanted);
    assert_int_equal(model.body_count, 3);
    assert_int_equal(model.bodies[1].like, 0);
    assert_int_equal(model.bodies[2].like, 2);
    assert_int_equal(model.bodies[2].motion, IO_MODEL_AFFINE);
    assert_string_equal(model.bodies[0].name, "all");
    io_model_free(&model);
    free(bytes);
}

// a buffer in a file beside the document, with a blank in its name
static void test_buffers_are_beside_the_document(void** unused) {
    (void)unused;
    static gltf_maker m;
    static const float triangle[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    char path[1024];
    size_t size = 0;
    gltf_maker_begin(&m);
    gltf_maker_add(&m, triangle, sizeof triangle, 3, MADE_FLOAT, "VEC3", "");
    folder_write("the data.bin", m.bytes, m.size, path);
    char* text = gltf_maker_text(&m,
                                 "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]"
                                 ",\"nodes\":[{\"mesh\":0}]",
                                 "the%20data.bin", &size);
    folder_write("m.gltf", text, size, path);
    io_model model;
    io_error error = {""};
    const io_model_settings settings = {NULL, 30};
    if (!io_read_model(path, &settings, &model, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(model.meshes[0].triangle_count, 1);
    assert_int_equal(model.frame_count, 1);
    io_model_free(&model);
    free(text);
}

static void fill(test_random* random, float* to, size_t count, double range) {
    for (size_t i = 0; i < count; ++i) {
        to[i] = (float)random_double(random, -range, range);
    }
}

// a cache with only a few frames in memory at a time, read forwards and with jumps
static void test_long_caches_stream(void** unused) {
    (void)unused;
    enum { POINTS = 12, FRAMES = 50 };
    static float xyz[FRAMES][3 * POINTS];
    char name[2048];
    char path[1024];
    io_pc2_writer writer;
    io_error error = {""};
    test_random random = random_seed(21);
    double rest[3 * POINTS];
    uint32_t corners[3 * (POINTS - 2)];
    fill(&random, xyz[0], FRAMES * 3 * POINTS, 1);
    // two copies of a vertex, and two that separate in frame 40 only
    for (size_t f = 0; f < FRAMES; ++f) {
        memcpy(xyz[f] + 3, xyz[f], 3 * sizeof(float));
        memcpy(xyz[f] + 9, xyz[f] + 6, f == 40 ? 0 : 3 * sizeof(float));
    }
    for (size_t i = 0; i < 3 * POINTS; ++i) {
        rest[i] = (double)xyz[0][i];
    }
    for (uint32_t i = 0; i < 3 * (POINTS - 2); ++i) {
        corners[i] = i / 3 + i % 3;
    }
    snprintf(path, sizeof path, "%s/a.obj", folder_path());
    assert_true(io_write_obj(path, rest, POINTS, corners, POINTS - 2, &error));
    snprintf(path, sizeof path, "%s/a.pc2", folder_path());
    assert_true(io_pc2_begin(&writer, path, POINTS, FRAMES, &error));
    for (size_t f = 0; f < FRAMES; ++f) {
        io_pc2_add(&writer, xyz[f]);
    }
    assert_true(io_pc2_end(&writer, &error));
    assert_true(io_outputs_commit(&error));
    snprintf(name, sizeof name, "%s/a.obj+%s/a.pc2", folder_path(), folder_path());
    const char* names[] = {name};
    const io_model_settings settings = {NULL, 30};
    object_list objects;
    world w;
    assert_true(objects_find(&objects, names, 1, &settings));
    assert_true(world_open(&w, 1));
    for (size_t step = 0; step < 3 * FRAMES; ++step) {
        const size_t frame = step < FRAMES ? step : random_below(&random, FRAMES);
        assert_true(objects_show(&objects, &w, frame));
        for (uint32_t v = 0; v < POINTS; ++v) {
            double p[3];
            abut_body_vertex(w.scene, w.bodies[0], v, p, NULL);
            for (size_t k = 0; k < 3; ++k) {
                if (p[k] != (double)xyz[frame][3 * v + k]) {
                    fail_msg("step %zu, frame %zu: vertex %u is elsewhere", step, frame, v);
                }
            }
        }
        const uint32_t* classes = abut_mesh_classes(
            abut_shape_mesh(abut_body_shape(w.scene, w.bodies[0])));
        assert_int_equal(classes[1], 0);
        assert_int_equal(classes[3], 3);
        assert_int_equal(abut_body_validate(w.scene, w.bodies[0], NULL), ABUT_OK);
    }
    world_close(&w);
    objects_free(&objects);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rigid_nodes_differ_from_scaled_ones),
        cmocka_unit_test(test_primitives_are_joined),
        cmocka_unit_test_setup_teardown(test_buffers_are_beside_the_document, enter_folder,
                                        leave_folder),
        cmocka_unit_test_setup_teardown(test_long_caches_stream, enter_folder, leave_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
