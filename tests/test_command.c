// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The command on meshes with known answers: exit codes, JSON and table.
#define _POSIX_C_SOURCE 200809L
#include <math.h>

#include "abut/base.h"
#include "test_command_support.h"

static void test_two_crossing_triangles(void** state) {
    (void)state;
    write_file("a.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\n");
    write_file("b.obj", "v 0.5 0.5 -1\nv 0.5 0.5 1\nv 0.6 0.7 1\nf 1 2 3\n");
    outcome o = run_expecting("check a.obj b.obj --verbose --json - --pairs", 1);
    const char* json = json_root(o.out);
    assert_json_text(json, "abut", ABUT_VERSION_STRING);
    assert_int_equal(json_size(json_at(json, "objects")), 2);
    assert_json_text(json, "objects 0 name", "a.obj");
    assert_json_text(json, "objects 1 motion", "free");
    assert_int_equal(json_number(json, "objects 0 vertices"), 3);
    assert_int_equal(json_number(json, "objects 0 triangles"), 1);
    assert_int_equal(json_number(json, "objects 0 classes"), 3);
    assert_int_equal(json_size(json_at(json, "frames")), 1);
    assert_int_equal(json_number(json, "frames 0 frame"), 0);
    assert_true(json_number(json, "frames 0 time") == 0.0);
    assert_int_equal(json_size(json_at(json, "frames 0 between")), 1);
    assert_int_equal(json_number(json, "frames 0 between 0 a"), 0);
    assert_int_equal(json_number(json, "frames 0 between 0 b"), 1);
    assert_int_equal(json_number(json, "frames 0 between 0 pairs"), 1);
    assert_int_equal(json_size(json_at(json, "frames 0 between 0 list")), 1);
    assert_int_equal(json_number(json, "frames 0 between 0 list 0 0"), 0);
    assert_int_equal(json_number(json, "frames 0 between 0 list 0 1"), 0);
    assert_int_equal(json_size(json_at(json, "frames 0 self")), 2);
    assert_int_equal(json_number(json, "frames 0 self 1 a"), 1);
    assert_int_equal(json_number(json, "frames 0 self 1 pairs"), 0);
    assert_int_equal(json_number(json, "frames 0 work exact"), 1);
    assert_true(json_number(json, "frames 0 work boxes_tested") >= 1);
    assert_true(json_number(json, "frames 0 work boxes_bounded") >= 0);
    assert_true(json_number(json, "frames 0 work blocks") >= 1);
    assert_true(json_number(json, "frames 0 work vertices") >= 3);
    assert_int_equal(json_number(json, "summary frames"), 1);
    assert_int_equal(json_number(json, "summary frames_touching"), 1);
    assert_true(json_number(json, "summary seconds") >= 0);
    assert_string_equal(o.err, "");
    free_outcome(&o);
}

static void test_output_has_only_requested_parts(void** state) {
    (void)state;
    write_square("a.obj", 0, 0, 0);
    write_crossing("b.obj");
    outcome o = run_expecting("check a.obj b.obj --self --json -", 0);
    const char* frame = json_at(json_root(o.out), "frames 0");
    assert_null(json_find(frame, "between"));
    assert_non_null(json_find(frame, "self"));
    assert_null(json_find(json_at(frame, "self 0"), "list"));
    free_outcome(&o);
    o = run_expecting("check --between a.obj b.obj --json -", 1);
    frame = json_at(json_root(o.out), "frames 0");
    assert_non_null(json_find(frame, "between"));
    assert_null(json_find(frame, "self"));
    free_outcome(&o);
    o = run_expecting("check a.obj --json -", 0);
    frame = json_at(json_root(o.out), "frames 0");
    assert_null(json_find(frame, "between"));
    free_outcome(&o);
}

// sheets side by side share an edge: touching is contact; one ulp apart is none
static void test_touching_sheets(void** state) {
    (void)state;
    write_square("a.obj", 0, 0, 0);
    write_square("b.obj", 1, 0, 0);
    write_square("c.obj", 1 + 0x1p-51, 0, 0);
    outcome o = run_expecting("check a.obj b.obj --between --json - --pairs", 1);
    // the two triangles of b at x = 1: both touch triangle 0 of a, one touches triangle 1's corner
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "frames 0 between 0 pairs"),
                     json_size(json_at(json, "frames 0 between 0 list")));
    assert_true(json_number(json, "frames 0 between 0 pairs") >= 2);
    free_outcome(&o);
    assert_exit("check a.obj c.obj --between", 0);
}

static void test_margin_counts_near_pairs(void** state) {
    (void)state;
    write_square("a.obj", 0, 0, 0);
    write_square("b.obj", 0.25, 0.25, 0.5);
    assert_prints("check a.obj b.obj", 0, "Nothing touches");
    assert_prints("check a.obj b.obj --margin 0.5", 1,
                  "Within the margin");  // exactly this distance apart
    assert_exit("check a.obj b.obj --margin=0.49999999999999994", 0);
}

// one mesh: a triangle cuts two others and shares no vertex with them
static void test_self_and_neighbours(void** state) {
    (void)state;
    write_file("cut.obj",
               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .7 .2 -1\nv .7 .2 1\nv .8 .3 1\n"
               "f 1 2 3\nf 1 3 4\nf 5 6 7\n");
    outcome o = run_expecting("check cut.obj --json - --pairs", 1);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "frames 0 self 0 pairs"), 1);
    assert_int_equal(json_number(json, "frames 0 self 0 list 0 0"), 0);
    assert_int_equal(json_number(json, "frames 0 self 0 list 0 1"), 2);
    free_outcome(&o);

    // two triangles that share an edge and are folded onto each other
    write_file("fold.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 2 0\nf 1 2 3\nf 2 1 4\n");
    assert_exit("check fold.obj", 0);
    assert_json_number("check fold.obj --neighbours --json -", 1, "frames 0 self 0 pairs", 1);

    // a triangle that is listed twice: a warning, and a pair if neighbours count
    write_file("twice.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 2 1\n");
    o = run_expecting("check twice.obj", 0);
    assert_non_null(strstr(o.err, "only --neighbours reports them"));
    free_outcome(&o);
    o = run_expecting("check twice.obj --neighbours --json -", 1);
    assert_null(strstr(o.err, "an earlier one"));
    assert_int_equal(json_number(json_root(o.out), "frames 0 self 0 pairs"), 1);
    free_outcome(&o);
}

// a disc around one vertex: all pairs are neighbours, and none is tested
static void test_fan(void** state) {
    (void)state;
    FILE* file = fopen("fan.obj", "w");
    assert_non_null(file);
    const int corners = 20000;
    fprintf(file, "v 0 0 0\n");
    for (int i = 0; i < corners; ++i) {
        const double angle = 6.283185307179586 * i / corners;
        fprintf(file, "v %.17g %.17g 0\n", cos(angle), sin(angle));
    }
    for (int i = 0; i < corners; ++i) {
        fprintf(file, "f 1 %d %d\n", 2 + i, 2 + (i + 1) % corners);
    }
    fclose(file);
    assert_json_number("check fan.obj --json -", 0, "frames 0 self 0 pairs", 0);
}

static void test_sequence_of_one_topology(void** state) {
    (void)state;
    char name[32];
    write_crossing("b.obj");
    for (int i = 0; i < 12; ++i) {  // the square comes from above, passes b at frames 5 to 6
        snprintf(name, sizeof name, "a_%d.obj", i);
        write_square(name, 0, 0, 5.5 - i);
    }
    outcome o = run_expecting("check 'a_*.obj' b.obj --between --fps 10 --json -", 1);
    const char* json = json_root(o.out);
    assert_int_equal(json_size(json_at(json, "frames")), 12);
    assert_json_text(json, "objects 0 name", "a_*.obj");
    for (size_t i = 0; i < 12; ++i) {
        const char* frame = json_entry(json_at(json, "frames"), i, NULL);
        assert_int_equal(json_number(frame, "frame"), i);
        assert_true(json_number(frame, "time") == (double)i / 10);
        assert_int_equal(json_number(frame, "between 0 pairs") > 0, i == 5 || i == 6);
    }
    assert_int_equal(json_number(json, "summary frames_touching"), 2);
    free_outcome(&o);

    o = run_expecting("check 'a_%d.obj' b.obj --between --frames 6:8 --json -", 1);
    json = json_root(o.out);
    assert_int_equal(json_size(json_at(json, "frames")), 3);
    assert_int_equal(json_number(json, "frames 0 frame"), 6);
    free_outcome(&o);
    assert_exit("check 'a_*.obj' b.obj --frames 7:", 0);
    assert_prints("check 'a_*.obj' b.obj --frames :5", 1,
                  "in 1 of 6 frames (5)|a_*.obj touches b.obj");
    assert_exit("check 'a_*.obj' b.obj --frames 6", 1);
}

// frames with different triangles: the answer is that of each frame by itself
static void test_sequence_of_changing_topology(void** state) {
    (void)state;
    write_crossing("b.obj");
    write_square("a_1.obj", 0, 0, 5);
    write_file("a_2.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    write_square("a_3.obj", 0, 0, 0);
    write_file("a_4.obj", "v 0 0 9\nv 1 0 9\nv 1 1 9\nv 0 1 9\nf 2 3 4\n");
    write_file("a_5.ply", "");  // another ending: no frame of this pattern
    outcome o = run_expecting("check 'a_*.obj' b.obj --between --json -", 1);
    const char* json = json_root(o.out);
    const double expected[] = {0, 1, 1, 0};
    for (size_t i = 0; i < 4; ++i) {
        const char* frame = json_entry(json_at(json, "frames"), i, NULL);
        assert_true(json_number(frame, "between 0 pairs") == expected[i]);
    }
    free_outcome(&o);
    assert_prints("check 'a_*.obj' b.obj", 1, "change in 3 frames|in 2 of 4 frames (2-3)");
}

// vertices are one vertex if they coincide in all frames, whichever frame is the first to be
// checked
static void test_answer_does_not_depend_on_the_first_frame(void** state) {
    (void)state;
    static const char* const faces = "f 1 2 3\nf 4 5 6\n";
    char text[512];
    snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 1 0 1\nv 0 1 1\n%s", faces);
    write_file("a_0.obj", text);  // two copies of a common corner
    snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv .1 .1 -1\nv .2 .1 1\nv .1 .2 1\n%s",
             faces);
    write_file("a_1.obj", text);  // the copies separate, and the triangles cross
    // copies that separate in some frame are two vertices in all frames
    outcome o = run_expecting("check 'a_*.obj' --json -", 1);
    assert_json_text(json_root(o.out), "objects 0 motion", "flight");
    assert_int_equal(json_number(json_root(o.out), "frames 0 self 0 pairs"), 1);
    assert_int_equal(json_number(json_root(o.out), "frames 1 self 0 pairs"), 1);
    free_outcome(&o);
    assert_json_number("check 'a_*.obj' --frames 0 --json -", 1, "frames 0 self 0 pairs", 1);
    o = run_expecting("check 'a_*.obj' --frames 1 --json -", 1);
    assert_int_equal(json_number(json_root(o.out), "frames 0 frame"), 1);
    assert_int_equal(json_number(json_root(o.out), "frames 0 self 0 pairs"), 1);
    free_outcome(&o);
    assert_exit("check a_0.obj", 0);  // in this frame alone they are one vertex
}

// an object with fewer frames stays in its last
static void test_short_sequence_stays_in_its_last_frame(void** state) {
    (void)state;
    char name[32];
    for (int i = 0; i < 6; ++i) {
        snprintf(name, sizeof name, "long_%d.obj", i);
        write_square(name, 0, 0, 0);
    }
    write_square("short_1.obj", 0, 0, 1);
    write_square("short_2.obj", 0, 0, 0);
    outcome o = run_expecting("check 'long_*.obj' 'short_*.obj' --between --json -", 1);
    const char* json = json_root(o.out);
    for (size_t i = 0; i < 6; ++i) {
        const char* frame = json_entry(json_at(json, "frames"), i, NULL);
        assert_int_equal(json_number(frame, "between 0 pairs") > 0, i >= 1);
    }
    free_outcome(&o);
}

static void test_folder_and_three_objects(void** state) {
    (void)state;
    assert_int_equal(mkdir("frames", 0700), 0);
    write_square("frames/1.obj", 0, 0, 3);
    write_square("frames/2.obj", 0, 0, 0);
    write_crossing("b.obj");
    write_square("far.obj", 50, 0, 0);
    outcome o = run_expecting("check far.obj frames b.obj --json -", 1);
    const char* between = json_at(json_root(o.out), "frames 1 between");
    assert_int_equal(json_size(between), 3);  // each pair of objects, also those apart
    assert_int_equal(json_number(between, "0 b"), 1);
    assert_int_equal(json_number(between, "1 b"), 2);
    assert_int_equal(json_number(between, "1 pairs"), 0);
    assert_int_equal(json_number(between, "2 a"), 1);
    assert_int_equal(json_number(between, "2 pairs"), 1);
    free_outcome(&o);
    assert_exit("check far.obj far.obj b.obj", 1);  // the same file twice
}

static void test_table_and_quiet_output(void** state) {
    (void)state;
    char name[32];
    write_crossing("b.obj");
    for (int i = 0; i < 40; ++i) {
        snprintf(name, sizeof name, "a_%d.obj", i);
        write_square(name, 0, 0, i == 20 ? 0 : 5);
    }
    outcome o = run_expecting("check 'a_*.obj' b.obj --verbose", 1);
    assert_says("check", o.out, "frame|pairs between|pairs self|boxes tested|blocks evaluated");
    assert_says("check", o.out, "left out|in 1 of 40 frames (20)|a_*.obj touches b.obj");
    assert_null(strstr(o.out, "\n   19 "));
    assert_null(strchr(o.out, '\x1b'));  // no colours without a terminal
    free_outcome(&o);
    o = run_expecting("check 'a_*.obj' b.obj --quiet", 1);
    assert_string_equal(o.out, "");
    assert_string_equal(o.err, "");
    free_outcome(&o);
    o = run_expecting("check 'a_*.obj' b.obj --json out.json", 1);
    assert_says("check", o.out, "Contact");
    char* text = read_whole("out.json");
    assert_int_equal(json_size(json_at(json_root(text), "frames")), 40);
    free(text);
    free_outcome(&o);
}

static void test_bad_mesh_health_gives_warnings(void** state) {
    (void)state;
    write_file("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 3 1 2\nf 1 2 4\n");
    assert_warns("check bad.obj", 0, "warning: bad.obj: 1 triangle is without area|1 triangle has");
    // with several threads meshes are inspected while the query runs
    write_file("fine.obj", "v 0 0 9\nv 1 0 9\nv 0 1 9\nf 1 2 3\n");
    char* json[2] = {NULL, NULL};
    for (int i = 0; i < 2; ++i) {
        const char* command = i == 0 ? "check fine.obj bad.obj --self --threads 1 --json out.json"
                                     : "check fine.obj bad.obj --self --threads 2 --json out.json";
        assert_warns(command, 0, "warning: bad.obj: 1 triangle is without area|1 triangle has");
        json[i] = read_whole("out.json");
        const char* objects = json_at(json_root(json[i]), "objects");
        assert_int_equal(json_size(objects), 2);
        assert_string_equal(json[i], json[0]);
    }
    free(json[0]);
    free(json[1]);
}

static void test_info(void** state) {
    (void)state;
    write_file("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 1 2 3 4\n");
    outcome o = run_expecting("info a.obj --json -", 0);
    const char* json = json_root(o.out);
    assert_json_text(json, "abut", ABUT_VERSION_STRING);
    const char* a = json_at(json, "objects 0");
    assert_json_text(a, "name", "a.obj");
    assert_json_text(a, "motion", "free");
    assert_json_text(a, "format", "OBJ");
    static const struct {
        const char* path;
        double value;
    } facts[] = {{"frames", 1},
                 {"vertices", 5},
                 {"triangles", 2},
                 {"faces", 1},
                 {"classes", 4},
                 {"components", 1},
                 {"boundary_edges", 4},
                 {"nonmanifold_edges", 0},
                 {"inconsistent_edges", 0},
                 {"box lo 2", 0},
                 {"box hi 0", 1},
                 {"degenerate_triangles", 0},
                 {"tree blocks", 1},
                 {"duplicate_triangles", 0},
                 {"unreferenced_vertices", 1}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i) {
        if (json_number(a, facts[i].path) != facts[i].value) {
            fail_msg("%s is %g, not %g", facts[i].path, json_number(a, facts[i].path),
                     facts[i].value);
        }
    }
    assert_true(json_number(a, "tree nodes") >= 1);
    assert_true(json_number(a, "tree depth") >= 0);
    assert_true(json_number(a, "tree sah_cost") >= 0);
    assert_true(json_number(a, "tree overlap") >= 0);
    free_outcome(&o);
    assert_prints("info a.obj", 0, "a.obj|boundary edges|tree:|open, consistently oriented");
}

static void test_verify_tritri(void** state) {
    (void)state;
    static const char* const touching = "0 0 0\n1 0 0\n0 1 0\n.2 .2 -1\n.2 .2 1\n.3 .3 1\n";
    static const char* const apart = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n";
    write_file("intersected_a.txt", touching);
    write_file("separated.txt", apart);
    outcome o = run_expecting("verify tritri intersected_a.txt separated.txt --json -", 0);
    const char* json = json_root(o.out);
    assert_json_text(json, "verify", "tritri");
    assert_int_equal(json_number(json, "queries"), 2);
    assert_int_equal(json_number(json, "missed"), 0);
    assert_int_equal(json_number(json, "false"), 0);
    assert_int_equal(json_number(json, "near"), 0);
    assert_int_equal(json_number(json, "undecided"), 0);
    assert_true(json_number(json, "ns_per_query") > 0);
    free_outcome(&o);

    write_file("intersected_b.txt", apart);  // a wrong label
    write_file("separated_b.txt", touching);
    assert_json_number("verify tritri intersected_b.txt --json -", 1, "missed", 1);
    assert_prints("verify tritri separated_b.txt", 1, "separated_b.txt|wrong answers");
}

// a vertex that falls through a face, labelled rightly and wrongly, and wrongly in a near miss
static void test_verify_ccd(void** state) {
    (void)state;
    static const char* const points[4] = {"1,4,1,4,1,1", "0,1,0,1,0,1", "1,1,0,1,0,1",
                                          "0,1,1,1,0,1"};
    static const char* const folders[] = {"right", "right/scene", "right/scene/vertex-face",
                                          "wrong", "wrong/scene", "wrong/scene/vertex-face"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        assert_int_equal(mkdir(folders[i], 0700), 0);
    }
    for (int wrong = 0; wrong < 2; ++wrong) {
        char text[1000] = "";
        for (int line = 0; line < 16; ++line) {
            const char* point = line % 8 == 4 ? "1,4,1,4,-1,1" : points[line % 4];
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s,%d\n", point,
                     line < 8 && !wrong);
        }
        write_file(wrong ? "wrong/scene/vertex-face/a.csv" : "right/scene/vertex-face/a.csv", text);
    }
    write_file("right/near_negatives.csv",
               "file,query_index,least_distance,size\nscene/vertex-face/a.csv,1,1e-9,1\n");
    outcome o = run_expecting("verify ccd right --json -", 0);
    const char* json = json_root(o.out);
    assert_json_text(json, "verify", "ccd");
    assert_int_equal(json_number(json, "queries"), 2);
    assert_int_equal(json_number(json, "missed"), 0);
    assert_int_equal(json_number(json, "false"), 0);
    assert_int_equal(json_number(json, "near"), 1);
    assert_int_equal(json_number(json, "undecided"), 0);
    assert_true(json_number(json, "ns_per_query") > 0);
    free_outcome(&o);
    assert_prints("verify ccd wrong", 1, "scene/vertex-face/a.csv|wrong answers");
    assert_json_number("verify ccd wrong --json -", 1, "false", 2);
}

// malformed tables: the message says what is wrong and where
static void test_verify_ccd_refuses(void** state) {
    (void)state;
    static const char* const folders[] = {"odd", "odd/scene", "odd/scene/edge-edge"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; ++i) {
        assert_int_equal(mkdir(folders[i], 0700), 0);
    }
    static const struct {
        const char* second;  // the second of eight lines
        const char* says;
    } lines[] = {
        {"0,1,0,1,0,1", "line 2"},          {"0,1,0,1,0,1,2", "line 2"},
        {"0,1,0,1,0,1,0,0", "line 2"},      {"0,1,0,1,0,0,0", "line 2"},
        {"0,1,word,1,0,1,0", "line 2"},     {"1e308,1e-308,0,1,0,1,0", "line 2"},
        {"0,1,0,1,0,1,1", "another label"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        char text[500] = "";
        for (int line = 0; line < 8; ++line) {
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s\n",
                     line == 1 ? lines[i].second : "1,2,3,4,5,1,0");
        }
        write_file("odd/scene/edge-edge/a.csv", text);
        assert_warns("verify ccd odd", 2, lines[i].says);
    }
    write_file("odd/scene/edge-edge/a.csv", "1,2,3,4,5,1,0\n");
    assert_warns("verify ccd odd", 2, "each query needs 8");
    write_file("odd/near_negatives.csv", "file,query_index\nscene/edge-edge/a.csv,zero\n");
    assert_warns("verify ccd odd", 2, "near_negatives.csv|line 2");
    // near_negatives.csv without a heading or further columns; index 10 begins like index 1
    char text[1000] = "";
    for (int line = 0; line < 16; ++line) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "1,2,3,4,%d,1,0\r\n", line % 2);
    }
    write_file("odd/scene/edge-edge/a.csv", text);
    write_file("odd/near_negatives.csv", "scene/edge-edge/a.csv,1\r\nscene/edge-edge/a.csv,10\n\n");
    outcome o = run_expecting("verify ccd odd --json -", 1);
    assert_int_equal(json_number(json_root(o.out), "near"), 1);
    assert_int_equal(json_number(json_root(o.out), "false"), 1);
    free_outcome(&o);
}

// a triangle falls through another one, which has a single frame
static void test_check_sweep(void** state) {
    (void)state;
    assert_int_equal(mkdir("fall", 0700), 0);
    write_file("floor.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n");
    for (int i = 0; i < 4; ++i) {
        char name[40];
        char text[200];
        const int z = 3 - 2 * i;  // 3, 1, -1, -3
        snprintf(name, sizeof name, "fall/%d.obj", i);
        snprintf(text, sizeof text, "v 1 1 %d\nv 2 1 %d\nv 1 2 %d\nf 1 2 3\n", z, z, z);
        write_file(name, text);
    }
    for (int jobs = 1; jobs <= 2; ++jobs) {
        char line[100];
        snprintf(line, sizeof line, "check fall floor.obj --sweep --pairs --jobs %d --json -",
                 jobs);
        outcome o = run_expecting(line, 1);
        const char* json = json_root(o.out);
        assert_int_equal(json_number(json, "frames 1 sweep 1 vertex_face"), 0);
        assert_int_equal(json_number(json, "frames 2 between 0 pairs"), 0);
        assert_int_equal(json_number(json, "frames 2 sweep 1 a"), 0);
        assert_int_equal(json_number(json, "frames 2 sweep 1 b"), 1);
        assert_int_equal(json_number(json, "frames 2 sweep 1 vertex_face"), 3);
        assert_int_equal(json_number(json, "frames 2 sweep 1 edge_edge"), 0);
        assert_true(fabs(json_number(json, "frames 2 sweep 1 first") - 0.5) < 1e-6);
        assert_json_text(json, "frames 2 sweep 1 list 0 0", "vf");
        assert_int_equal(json_number(json, "frames 2 sweep 1 list 2 1"), 2);
        assert_int_equal(json_number(json, "frames 3 sweep 1 vertex_face"), 0);
        assert_int_equal(json_number(json, "summary frames_touching"), 1);
        free_outcome(&o);
    }
    assert_prints("check fall floor.obj --sweep", 1, "between frames");
    // the motion is checked together with other queries
    assert_json_number("check fall floor.obj --sweep --nearest --json -", 1,
                       "frames 2 sweep 1 vertex_face", 3);
    assert_warns("check floor.obj --sweep", 0, "only one frame");
    assert_warns("check fall floor.obj --sweep --frames 2", 0, "only one frame");
    // other triangles below the floor: the motion between the frames is undefined
    write_file("fall/2.obj", "v 1 1 -1\nv 2 1 -1\nv 1 2 -1\nf 3 2 1\n");
    assert_warns("check fall floor.obj --sweep --between", 0, "frame 2|skips the step");
}

static bool is_quick(void) {
    const char* effort = getenv("ABUT_TEST_EFFORT");
    return effort != NULL && strcmp(effort, "quick") == 0;
}

static void test_demo_of_dynamics(void** state) {
    (void)state;
    outcome o = run_expecting(
        is_quick()
            ? "demo chairs --bodies 8 --triangles 800 --frames 16 --json - --snapshot last.ply"
            : "demo chairs --bodies 8 --triangles 2000 --frames 16 --json - --snapshot last.ply",
        0);
    const char* json = json_root(o.out);
    assert_json_text(json, "scene", "chairs");
    assert_int_equal(json_number(json, "bodies"), 8);
    assert_int_equal(json_size(json_at(json, "frames")), 16);
    assert_true(json_number(json, "frames 15 sphere_tests") > 0);
    assert_int_equal(json_size(json_at(json, "manners")), 3);
    assert_json_text(json, "manners 1 name", "rigid");
    assert_true(json_number(json, "summary energy_end") <
                json_number(json, "summary energy_start"));
    const double own = 96 + 2 * 10 * 8;  // a frame, and ten coordinates of two steps
    assert_true(json_number(json, "summary state_bytes") == own);
    assert_true(json_number(json, "summary bytes_per_body") > own);
    assert_true(json_number(json, "summary most_bytes") >
                8 * json_number(json, "summary bytes_per_body"));
    free_outcome(&o);
    o = run_expecting("info last.ply --json -", 0);  // the mesh holds all chairs
    assert_true(json_number(json_root(o.out), "objects 0 triangles") >
                8 * (is_quick() ? 500 : 1000));
    free_outcome(&o);
    if (is_quick()) {
        return;  // the other swarm runs the same code
    }
    assert_prints("demo shoal --bodies 4 --triangles 1000 --frames 4", 0,
                  "sphere tests|kinetic energy|bytes");
}

static void test_demo_of_a_tear(void** state) {
    (void)state;
    outcome o = run_expecting(
        is_quick() ? "demo tear --triangles 400 --frames 24 --json - --snapshot torn.ply"
                   : "demo tear --triangles 1000 --frames 24 --json - --snapshot torn.ply",
        0);
    const char* json = json_root(o.out);
    assert_json_text(json, "scene", "tear");
    assert_int_equal(json_size(json_at(json, "frames")), 24);
    assert_int_equal(json_number(json, "frames 23 rows"), json_number(json, "rows"));
    assert_true(json_number(json, "frames 10 bounds_built") > 0);
    assert_true(json_number(json, "frames 0 wedge") > 0);
    assert_int_equal(json_number(json, "summary wrong"), 0);
    free_outcome(&o);
    assert_json_number("info torn.ply --json -", 0, "objects 0 components",
                       3);  // two halves and the wedge
    if (is_quick()) {
        return;  // the table says the same as the JSON
    }
    assert_prints("demo tear --triangles 500 --frames 12", 0,
                  "bounds built|from scratch|same in all");
}

static void test_demo(void** state) {
    (void)state;
    assert_prints("demo --list", 0, "tablecloth|degenerate|curtain");
    assert_prints("demo --triangles 500 --frames 10 --verbose", 0,
                  "tablecloth|pairs of boxes compared|exact triangle tests|Try next");
    outcome o = run_expecting("demo degenerate --json -", 0);
    const char* json = json_root(o.out);
    assert_json_text(json, "scene", "degenerate");
    assert_true(json_size(json_at(json, "frames")) > 1);
    free_outcome(&o);
    assert_prints("demo degenerate", 0,
                  "known from the construction");  // its frames state their answers
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_two_crossing_triangles),
        IN_FOLDER(test_output_has_only_requested_parts),
        IN_FOLDER(test_touching_sheets),
        IN_FOLDER(test_margin_counts_near_pairs),
        IN_FOLDER(test_self_and_neighbours),
        IN_FOLDER(test_fan),
        IN_FOLDER(test_sequence_of_one_topology),
        IN_FOLDER(test_sequence_of_changing_topology),
        IN_FOLDER(test_answer_does_not_depend_on_the_first_frame),
        IN_FOLDER(test_short_sequence_stays_in_its_last_frame),
        IN_FOLDER(test_folder_and_three_objects),
        IN_FOLDER(test_table_and_quiet_output),
        IN_FOLDER(test_bad_mesh_health_gives_warnings),
        IN_FOLDER(test_info),
        IN_FOLDER(test_verify_tritri),
        IN_FOLDER(test_verify_ccd),
        IN_FOLDER(test_verify_ccd_refuses),
        IN_FOLDER(test_check_sweep),
        IN_FOLDER(test_demo),
        IN_FOLDER(test_demo_of_dynamics),
        IN_FOLDER(test_demo_of_a_tear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
