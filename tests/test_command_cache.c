// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The command keeps prepared shapes between runs. Answers are the same with and without them. A
// damaged file is made anew in silence, and a folder that cannot be written is no error.
#define _XOPEN_SOURCE 700
#include "test_command_support.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

#define SIDE 52u  // quads along a side: 5408 triangles, enough to be kept

// a sheet of this many quads along a side, and a target that bends its ends through each other
static void make_model(const char* name, unsigned side, double shift) {
    FILE* mesh = fopen("sheet.obj", "w");
    FILE* target = fopen("bent.f32", "wb");
    assert_non_null(mesh);
    assert_non_null(target);
    for (unsigned v = 0; v < (side + 1) * (side + 1); ++v) {
        const double x = 2.0 * (v % (side + 1)) / side - 1;
        const double y = 2.0 * (v / (side + 1)) / side - 1 + shift;
        const float bent[3] = {(float)(-1.5 * x * x * x), 0, (float)(x * x)};
        fprintf(mesh, "v %.9g %.9g 0\n", x, y);
        assert_int_equal(fwrite(bent, sizeof bent, 1, target), 1);
    }
    for (unsigned q = 0; q < side * side; ++q) {
        const unsigned v = q / side * (side + 1) + q % side + 1;
        fprintf(mesh, "f %u %u %u\nf %u %u %u\n", v, v + 1, v + side + 2, v, v + side + 2,
                v + side + 1);
    }
    assert_int_equal(fclose(mesh), 0);
    assert_int_equal(fclose(target), 0);
    char arguments[256];
    snprintf(arguments, sizeof arguments, "convert sheet.obj %s --targets bent.f32 --fps 4", name);
    assert_exit(arguments, 0);
}

// The files of the cache: how many there are, and the path of one.
typedef struct kept {
    unsigned count;
    char path[512];
} kept;

static kept find_kept(void) {
    kept found = {0};
    char folder[256];
    snprintf(folder, sizeof folder, "%s/abut", folder_path());
    DIR* entries = opendir(folder);
    for (const struct dirent* e; entries != NULL && (e = readdir(entries)) != NULL;) {
        if (strstr(e->d_name, ".shape") != NULL) {
            ++found.count;
            snprintf(found.path, sizeof found.path, "%s/%.200s", folder, e->d_name);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    return found;
}

// checks a model; the answer must be the same as without the cache
static void check_same(const char* name) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "check %s --self --pairs --json - --no-cache", name);
    outcome wanted = run_expecting(arguments, 1);
    snprintf(arguments, sizeof arguments, "check %s --self --pairs --json -", name);
    outcome got = run_expecting(arguments, 1);
    assert_string_equal(got.out, wanted.out);
    assert_string_equal(got.err, wanted.err);
    free_outcome(&wanted);
    free_outcome(&got);
}

static void test_shapes_are_kept(void** state) {
    (void)state;
    make_model("m.glb", SIDE, 0);
    assert_exit("check m.glb --self --no-cache", 1);
    assert_int_equal(find_kept().count, 0);
    assert_exit("check m.glb sheet.obj --between", 1);  // nothing is prepared by that
    assert_int_equal(find_kept().count, 0);
    check_same("m.glb");
    const kept first = find_kept();
    struct stat before;
    struct stat after;
    assert_int_equal(first.count, 1);
    assert_int_equal(stat(first.path, &before), 0);
    assert_int_equal(before.st_mode & 0777, 0600);
    check_same("m.glb");
    assert_int_equal(stat(first.path, &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
    assert_int_equal(find_kept().count, 1);
    make_model("other.glb", SIDE, 0.125);
    check_same("other.glb");
    assert_int_equal(find_kept().count, 2);
    assert_exit("check other.glb m.glb --jobs 2", 1);
    assert_int_equal(find_kept().count, 2);
}

static void test_small_models_are_not_kept(void** state) {
    (void)state;
    make_model("m.glb", 20, 0);
    check_same("m.glb");
    assert_int_equal(find_kept().count, 0);
}

static void test_damaged_files_are_made_anew(void** state) {
    (void)state;
    make_model("m.glb", SIDE, 0);
    check_same("m.glb");
    const kept first = find_kept();
    char command[2048];
    snprintf(command, sizeof command, "cp '%s' whole", first.path);
    assert_int_equal(system(command), 0);
    const char* damages[] = {
        "printf damaged | dd of='%s' bs=1 seek=5000 conv=notrunc 2>/dev/null",
        "truncate -s 1000 '%s'",
        "truncate -s 0 '%s'",
        "truncate -s +8 '%s'",
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; ++i) {
        // the literal has one %s
        const char* mark = strstr(damages[i], "%s");
        snprintf(command, sizeof command, "%.*s%s%s; ! cmp -s '%s' whole", (int)(mark - damages[i]),
                 damages[i], first.path, mark + 2, first.path);
        assert_int_equal(system(command), 0);
        check_same("m.glb");
        snprintf(command, sizeof command, "cmp '%s' whole", first.path);
        assert_int_equal(system(command), 0);
    }
    assert_int_equal(find_kept().count, 1);
}

static void test_folders_that_cannot_be_written(void** state) {
    (void)state;
    make_model("m.glb", SIDE, 0);
    write_file("file", "no folder");
    char path[256];
    snprintf(path, sizeof path, "%s/file/in/it", folder_path());
    assert_int_equal(setenv("XDG_CACHE_HOME", path, 1), 0);
    check_same("m.glb");
    assert_prints("cache", 0, "file/in/it/abut|shapes  0");
    assert_exit("cache clear", 0);
    // a path that is not absolute is ignored, as the specification says
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    assert_int_equal(setenv("HOME", folder_path(), 1), 0);
    assert_prints("cache", 0, ".cache/abut");
    check_same("m.glb");
    assert_prints("cache", 0, "shapes  1");
    assert_int_equal(setenv("XDG_CACHE_HOME", folder_path(), 1), 0);
}

static void test_the_cache_is_limited(void** state) {
    (void)state;
    make_model("m.glb", SIDE, 0);
    // three files of 450 MB without any data in them; the oldest two are too much
    assert_int_equal(
        system("mkdir abut && cd abut && for i in 1 2 3; do f=0000000000000000000000000000000$i;"
               "truncate -s 450M $f.shape; touch -d 2020-01-0$i $f.shape; done; echo x >notes"),
        0);
    assert_prints("cache", 0, "shapes  3|size    1415.6 MB");
    check_same("m.glb");
    assert_prints("cache", 0, "shapes  3");  // the last two, and the new one
    assert_int_equal(system("test ! -e abut/*1.shape && test -e abut/*3.shape"), 0);
    assert_int_equal(system("echo x >abut/0000000000000000000000000000000a.shape.part77"), 0);
    assert_exit("cache clear", 0);
    assert_prints("cache", 0, "shapes  0|size    0.0 MB");
    assert_int_equal(system("test \"$(ls abut)\" = notes"), 0);
    assert_refuses("cache clean", "the word clear");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_shapes_are_kept),
        IN_FOLDER(test_small_models_are_not_kept),
        IN_FOLDER(test_damaged_files_are_made_anew),
        IN_FOLDER(test_folders_that_cannot_be_written),
        IN_FOLDER(test_the_cache_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
