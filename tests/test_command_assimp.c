// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Formats that are read through assimp: COLLADA with an animated node and a skin. Without
// assimp the error says so.
#define _POSIX_C_SOURCE 200809L
#include "io/cache.h"
#include "test_command_support.h"

#include <math.h>

// a triangle whose node moves from z = 0 to z = 2 in a second; with `skin` the node is its joint
static void write_collada(const char* name, bool skin) {
    char text[8192];
    snprintf(
        text, sizeof text,
        "<?xml version=\"1.0\"?>\n"
        "<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">"
        "<asset><up_axis>Y_UP</up_axis></asset>"
        "<library_geometries><geometry id=\"g\"><mesh>"
        "<source id=\"p\"><float_array id=\"pa\" count=\"9\">0 0 0 1 0 0 0 1 0</float_array>"
        "<technique_common><accessor source=\"#pa\" count=\"3\" stride=\"3\"><param name=\"X\" "
        "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/>"
        "</accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "
        "source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" "
        "offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
        "<library_controllers><controller id=\"c\"><skin source=\"#g\"><bind_shape_matrix>1 0 0 0 "
        "0 1 "
        "0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>"
        "<source id=\"j\"><Name_array id=\"ja\" count=\"1\">joint</Name_array><technique_common>"
        "<accessor source=\"#ja\" count=\"1\" stride=\"1\"><param name=\"JOINT\" type=\"name\"/>"
        "</accessor></technique_common></source>"
        "<source id=\"b\"><float_array id=\"ba\" count=\"16\">1 0 0 0 0 1 0 0 0 0 1 5 0 0 0 1"
        "</float_array><technique_common><accessor source=\"#ba\" count=\"1\" stride=\"16\"><param "
        "name=\"TRANSFORM\" type=\"float4x4\"/></accessor></technique_common></source>"
        "<source id=\"w\"><float_array id=\"wa\" count=\"1\">1</float_array><technique_common>"
        "<accessor source=\"#wa\" count=\"1\" stride=\"1\"><param name=\"WEIGHT\" type=\"float\"/>"
        "</accessor></technique_common></source>"
        "<joints><input semantic=\"JOINT\" source=\"#j\"/><input semantic=\"INV_BIND_MATRIX\" "
        "source=\"#b\"/></joints><vertex_weights count=\"3\"><input semantic=\"JOINT\" "
        "source=\"#j\" "
        "offset=\"0\"/><input semantic=\"WEIGHT\" source=\"#w\" offset=\"1\"/><vcount>1 1 "
        "1</vcount>"
        "<v>0 0 0 0 0 0</v></vertex_weights></skin></controller></library_controllers>"
        "<library_animations><animation id=\"a\">"
        "<source id=\"t\"><float_array id=\"ta\" count=\"2\">0 1</float_array><technique_common>"
        "<accessor source=\"#ta\" count=\"2\" stride=\"1\"><param name=\"TIME\" type=\"float\"/>"
        "</accessor></technique_common></source>"
        "<source id=\"o\"><float_array id=\"oa\" count=\"32\">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 "
        "1 0 0 0 0 1 0 0 0 0 1 2 0 0 0 1</float_array><technique_common><accessor source=\"#oa\" "
        "count=\"2\" stride=\"16\"><param name=\"TRANSFORM\" type=\"float4x4\"/></accessor>"
        "</technique_common></source>"
        "<source id=\"i\"><Name_array id=\"ia\" count=\"2\">LINEAR LINEAR</Name_array>"
        "<technique_common><accessor source=\"#ia\" count=\"2\" stride=\"1\"><param "
        "name=\"INTERPOLATION\" type=\"name\"/></accessor></technique_common></source>"
        "<sampler id=\"s\"><input semantic=\"INPUT\" source=\"#t\"/><input semantic=\"OUTPUT\" "
        "source=\"#o\"/><input semantic=\"INTERPOLATION\" source=\"#i\"/></sampler><channel "
        "source=\"#s\" target=\"n/m\"/></animation></library_animations>"
        "<library_visual_scenes><visual_scene id=\"scene\"><node id=\"n\" name=\"n\" sid=\"joint\" "
        "type=\"%s\"><matrix sid=\"m\">1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix>%s</node>%s"
        "</visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#scene\"/>"
        "</scene></COLLADA>\n",
        skin ? "JOINT" : "NODE", skin ? "" : "<instance_geometry url=\"#g\"/>",
        skin ? "<node id=\"k\" name=\"k\"><instance_controller url=\"#c\"><skeleton>#n</skeleton>"
               "</instance_controller></node>"
             : "");
    write_file(name, text);
}

#ifdef ABUT_HAVE_ASSIMP

static void test_bad_files(void** unused) {
    (void)unused;
    write_file("bad.fbx", "nothing of the kind");
    assert_refuses("check bad.fbx", "bad.fbx|assimp");
    assert_refuses("check nowhere.fbx", "nowhere.fbx|no such file");
}

static void check_collada(const char* name, const char* motion, float height) {
    char arguments[128];
    io_cache cache;
    io_error error = {""};
    float frame[9];
    snprintf(arguments, sizeof arguments, "info %s --fps 2 --json -", name);
    outcome o = run_expecting(arguments, 0);
    assert_json_text(json_root(o.out), "objects 0 motion", motion);
    assert_int_equal(json_number(json_root(o.out), "objects 0 frames"), 3);
    free_outcome(&o);
    snprintf(arguments, sizeof arguments, "convert %s out.pc2 --fps 2", name);
    assert_exit(arguments, 0);
    assert_true(io_cache_open("out.pc2", &cache, &error));
    assert_int_equal(cache.frame_count, 3);
    for (size_t f = 0; f < 3; ++f) {
        assert_true(io_cache_read(&cache, f, 1, frame, &error));
        if (!(fabsf(frame[2] - ((float)f + height)) < 1e-6F)) {
            fail_msg("%s, frame %zu: z is %g", name, f, (double)frame[2]);
        }
    }
    io_cache_close(&cache);
}

static void test_collada_nodes_and_skins_move(void** unused) {
    (void)unused;
    write_collada("node.dae", false);
    check_collada("node.dae", "free", 0);
    write_collada("skin.dae", true);
    check_collada("skin.dae", "blend", 5);  // the inverse bind matrix lifts it
}

#else

static void test_error_without_assimp(void** unused) {
    (void)unused;
    write_collada("a.dae", false);
    assert_refuses("info a.dae", "a.dae|built without");
}

#endif

int main(void) {
    const struct CMUnitTest tests[] = {
#ifdef ABUT_HAVE_ASSIMP
        IN_FOLDER(test_bad_files),
        IN_FOLDER(test_collada_nodes_and_skins_move),
#else
        IN_FOLDER(test_error_without_assimp),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
