// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut cast: text, JSON and CSV of rays at a mesh, rays from a file, an animated model against the same
// pose as a mesh, and what it refuses.
#include "test_command_support.h"

#include "support/folder.h"

static const char mesh[] =
    "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nv -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\n"
    "f 1 2 3\nf 1 3 4\nf 5 6 7\n";

static void test_prints_the_first_triangle(void** state) {
    (void)state;
    write_file("sheet.obj", mesh);
    assert_prints("cast sheet.obj --from 0.5,-0.5,2 --to 0.5,-0.5,-2", 0,
                  "ray 0 meets triangle 0 of sheet.obj from the front at t = 0.5|1 of 1 ray met");
    assert_prints("cast sheet.obj --from 0.5,-0.5,-2 --to 0.5,-0.5,2", 0,
                  "ray 0 meets triangle 2 of sheet.obj from the back at t = 0.25");
    assert_prints("cast sheet.obj --from 0.5,-0.5,2 --to 0.5,-0.5,1", 0, "0 of 1 ray met");
    assert_prints("cast sheet.obj --from 0.5,-0.5,2 --to 0.5,-0.5,0 --radius 0.5", 0, "0.75");
    assert_prints("cast sheet.obj --from 0.5,-0.5,2 --to 0.5,-0.5,1 --beyond", 0,
                  "triangle 0 of sheet.obj from the front at t = 2,");
    // the diagonal belongs to both triangles
    assert_prints("cast sheet.obj --from 0.5,0.5,2 --to 0.5,0.5,-0.5 --all", 0,
                  "ray 0 meets triangle 0|ray 0 meets triangle 1");
}

static void test_writes_json_and_csv(void** state) {
    (void)state;
    write_file("sheet.obj", mesh);
    write_file("rays.txt", "# rays\n0.5 -0.5 2 0.5 -0.5 -2\n\n5,5,5,6,6,6\n");
    assert_prints(
        "cast sheet.obj --rays rays.txt --all --json -", 0,
        "\"rays\": 2|\"hits\": [|\"ray\": 0|\"object\": \"sheet.obj\"|\"triangle\": 0|\"side\": "
        "\"front\"|\"t\": 0.5|\"point\": [|\"weights\": [");
    assert_prints("cast sheet.obj --rays rays.txt --all --csv -", 0,
                  "ray,object,triangle,side,t,x,y,z,weight_0,weight_1,weight_2\n"
                  "0,0,0,front,0.5,0.5,-0.5,0,0.25,0.5,0.25\n0,0,2,front,0.75,");
}

static void test_animated_model_equals_its_pose(void** state) {
    (void)state;
    const char* fox = ABUT_SHARED_DATA "/gltf/Fox.glb";
    char line[512];
    need_data("gltf/Fox.glb");
    snprintf(line, sizeof line, "convert %s fox.obj --animation 1 --frames 12", fox);
    assert_prints(line, 0, "Wrote 1 frame");
    write_file(
        "rays.txt",
        "200 40 0 -200 40 10\n0 40 200 0 35 -200\n10 200 -20 5 -200 10\n90 60 60 -90 10 -60\n");
    snprintf(line, sizeof line, "cast %s --animation 1 --time 0.4 --rays rays.txt --all --csv -",
             fox);
    outcome model = run_expecting(line, 0);
    outcome baked = run_expecting("cast fox.obj --rays rays.txt --all --csv -", 0);
    assert_string_equal(model.out, baked.out);
    assert_true(strstr(model.out, "front") != NULL);
    free_outcome(&model);
    free_outcome(&baked);
}

static void test_refuses(void** state) {
    (void)state;
    write_file("sheet.obj", mesh);
    write_file("bad.txt", "1 2 3 4 5\n");
    assert_refuses("cast", "cast needs an object");
    assert_refuses("cast sheet.obj --from 0,0,0 --to 1,1,1 --radius 1 --beyond",
                   "--radius and --beyond do not go together");
    assert_refuses("cast sheet.obj", "cast needs a ray");
    assert_refuses("cast sheet.obj --from 0,0,0", "--from and --to belong together");
    assert_refuses("cast sheet.obj --from 0,0 --to 1,1,1", "--from needs three numbers");
    assert_refuses("cast sheet.obj --rays bad.txt", "bad.txt, line 1: a ray has six numbers");
    assert_refuses("cast sheet.obj --rays none.txt", "none.txt cannot be opened");
    assert_refuses("cast sheet.obj --from 0,0,0 --to 1,1,1 --json - --csv -",
                   "cannot both be the standard output");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_prints_the_first_triangle),
        IN_FOLDER(test_writes_json_and_csv),
        IN_FOLDER(test_animated_model_equals_its_pose),
        IN_FOLDER(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
