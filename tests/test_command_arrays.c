// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut convert to .npz: meshes and sequences come back with all bits, the archive of a model has its
// arrays, and what cannot be written is refused. (numpy itself reads such files in python/tests/test_files.py.)
#include "test_command_support.h"

#include "io/npz_write.h"
#include "io/output.h"
#include "support/random.h"
#include "support/world.h"

#include <unistd.h>

// writes an OBJ file of a random strip of triangles
static void write_strip(const char* name, uint64_t seed, uint32_t count, double scale) {
    test_random random = random_seed(seed);
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < count + 2; ++i) {
        fprintf(file, "v %.17g %.17g %.17g\n", scale * random_unit(&random),
                scale * random_unit(&random), scale * random_unit(&random));
    }
    for (uint32_t i = 0; i < count; ++i) {
        fprintf(file, "f %u %u %u\n", i + 1, i + 2, i + 3);
    }
    assert_int_equal(fclose(file), 0);
}

// a file as OBJ, by the command
static char* as_obj(const char* object, const char* frames) {
    char line[160];
    snprintf(line, sizeof line, "convert %s back.obj --frames %s --quiet", object, frames);
    outcome o = run_expecting(line, 0);
    free_outcome(&o);
    return read_whole("back.obj");
}

static void assert_same_obj(const char* a, const char* frame_a, const char* b,
                            const char* frame_b) {
    char* first = as_obj(a, frame_a);
    char* second = as_obj(b, frame_b);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void test_meshes_come_back(void** state) {
    (void)state;
    static const double scales[] = {1, 1e-300, 1e300};
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        where("seed %u", (unsigned)seed);
        write_strip("a.obj", seed, (uint32_t)(20 * seed), scales[seed - 1]);
        assert_prints("convert a.obj a.npz", 0, "Wrote 1 object of 1 frame to a.npz");
        assert_same_obj("a.obj", "0", "a.npz", "0");
    }
}

static void test_sequences_come_back(void** state) {
    (void)state;
    write_strip("cloth_1.obj", 7, 30, 1);
    write_strip("cloth_2.obj", 8, 30, 2);
    write_strip("cloth_3.obj", 9, 30, 3);
    assert_prints("convert 'cloth_*.obj' cloth.npz", 0, "Wrote 1 object of 3 frames");
    assert_same_obj("cloth_1.obj", "0", "cloth.npz", "0");
    assert_same_obj("cloth_2.obj", "0", "cloth.npz", "1");
    assert_same_obj("cloth_3.obj", "0", "cloth.npz", "2");
    write_strip("cloth_4.obj", 9, 31, 3);
    assert_refuses("convert 'cloth_*.obj' other.npz", "the triangles change in frame 4");
    assert_int_not_equal(access("other.npz", F_OK), 0);
}

static void test_several_objects_stay_apart(void** state) {
    (void)state;
    write_strip("a.obj", 1, 5, 1);
    write_strip("b.obj", 2, 6, 1);
    assert_prints("convert a.obj b.obj both.npz", 0, "Wrote 2 objects of 1 frame");
    // names of the archive's entries, as its directory has them
    FILE* file = fopen("both.npz", "rb");
    assert_non_null(file);
    char bytes[8192];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = bytes[i] == '\0' ? ' ' : bytes[i];
    }
    bytes[size < sizeof bytes ? size : size - 1] = '\0';
    assert_says("both.npz", bytes,
                "objects.npy|times.npy|0/vertices.npy|0/faces.npy|1/vertices.npy|1/classes.npy|"
                "(8,3,)|a.objb.obj");
}

static void test_models_keep_their_motion(void** state) {
    (void)state;
    char line[512];
    need_data("gltf/Fox.glb");
    snprintf(line, sizeof line, "convert %s fox.npz --animation 1 --frames 3:5",
             ABUT_SHARED_DATA "/gltf/Fox.glb");
    assert_prints(line, 0, "Wrote 1 object of 3 frames");
    FILE* file = fopen("fox.npz", "rb");
    assert_non_null(file);
    static char bytes[1 << 20];
    const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    assert_in_range(size, 100000, sizeof bytes - 2);
    static const char* const texts[] = {"(1728,4,)", "(3,24,3,4,)", "(576,3,)", "transforms.npy"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        bool found = false;
        for (size_t i = 0; i + strlen(texts[k]) <= size; ++i) {
            found = found || memcmp(bytes + i, texts[k], strlen(texts[k])) == 0;
        }
        where("'%s'", texts[k]);
        REQUIRE(found);
    }
}

static void test_refuses(void** state) {
    (void)state;
    write_strip("a.obj", 1, 5, 1);
    assert_refuses("convert a.obj none/a.npz", "none/a.npz");
    assert_refuses("convert a.obj a.npz --reduce 3", "only a .glb file");
    assert_refuses("convert a.obj a.xyz", ".pvd or .npz");
    io_npz_writer w;
    io_error error;
    assert_true(io_npz_begin(&w, "large.npz", &error));
    io_npz_array array = {"x", 'f', 8, {SIZE_MAX / 2, 3}, 2, NULL};
    assert_false(io_npz_add(&w, &array, &error));
    assert_non_null(strstr(error.message, "too large"));
    array.shape[0] = (size_t)1 << 29;
    array.shape[1] = 1;
    assert_false(io_npz_add(&w, &array, &error));
    assert_non_null(strstr(error.message, "4 GB"));
    io_npz_drop(&w);
    io_outputs_drop();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_meshes_come_back),
        IN_FOLDER(test_sequences_come_back),
        IN_FOLDER(test_several_objects_stay_apart),
        IN_FOLDER(test_models_keep_their_motion),
        IN_FOLDER(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
