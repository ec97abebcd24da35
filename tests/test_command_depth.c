// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut check --depth as a user runs it: between objects and within one, over frames, and as files.
#define _POSIX_C_SOURCE 200809L

#include "test_command_support.h"

#include <math.h>

// a block below z = 0 and a smaller one on it, `depth` deep
static const double block[2][3] = {{-2, -2, -2}, {2, 2, 0}};

static void write_pressed(const char* name, double depth) {
    const double box[1][2][3] = {{{-0.3, -0.2, -depth}, {0.4, 0.3, 1 - depth}}};
    write_boxes(name, box, 1, CLOSED, CLOSED);
}

static void test_between(void** state) {
    (void)state;
    write_boxes("block.obj", &block, 1, CLOSED, CLOSED);
    write_pressed("box.obj", 0.25);
    outcome o = run_expecting("check box.obj block.obj --depth --json -", 1);
    const char* frame = json_at(json_root(o.out), "frames 0");
    assert_int_equal(json_size(json_at(frame, "depth")), 1);
    assert_int_equal(json_size(json_at(frame, "depth 0 regions")), 1);
    const char* region = json_at(frame, "depth 0 regions 0");
    assert_true(fabs(json_number(region, "depth") - 0.25) < 1e-6);
    assert_true(json_number(region, "lower") <= 0.25 && json_number(region, "lower") > 0.2);
    assert_true(fabs(json_number(region, "direction 2") - 1) < 1e-6);
    assert_json_text(region, "kind", "contact");
    assert_true(json_number(region, "jump") == 0 && json_number(region, "turn") == 0);
    free_outcome(&o);
    write_pressed("box.obj", -0.5);
    assert_exit("check box.obj block.obj --depth", 0);
    assert_refuses("check box.obj --depth", "--self");
    assert_refuses("check box.obj block.obj --depth --jobs 2", "--jobs");
}

// a box sinks by a tenth each frame: its region goes on, and its separating translation changes as
// much
static void test_frames(void** state) {
    (void)state;
    write_boxes("block.obj", &block, 1, CLOSED, CLOSED);
    for (int i = 0; i < 4; ++i) {
        char name[32];
        snprintf(name, sizeof name, "box_%d.obj", i);
        write_pressed(name, 0.05 + 0.1 * i);
    }
    outcome o = run_expecting("check 'box_*.obj' block.obj --depth --json -", 1);
    const char* json = json_root(o.out);
    const double id = json_number(json, "frames 0 depth 0 regions 0 id");
    for (int i = 1; i < 4; ++i) {
        char path[64];
        snprintf(path, sizeof path, "frames %d depth 0 regions 0", i);
        const char* region = json_at(json, path);
        assert_true(json_number(region, "id") == id);
        assert_true(fabs(json_number(region, "jump") - 0.1) < 1e-6);
        assert_true(json_number(region, "turn") < 1e-6);
    }
    free_outcome(&o);
    assert_prints("check 'box_*.obj' block.obj --depth", 1,
                  "regions|deepest|jump|changed by at most 0.1 from one frame");
}

static void test_within(void** state) {
    (void)state;
    const double boxes[2][2][3] = {{{-2, -2, -2}, {2, 2, 0}}, {{-0.3, -0.2, -0.25}, {0.4, 0.3, 1}}};
    write_boxes("both.obj", boxes, 2, CLOSED, CLOSED);
    outcome o = run_expecting("check both.obj --self --depth --json -", 1);
    const char* frame = json_at(json_root(o.out), "frames 0");
    assert_int_equal(json_size(json_at(frame, "depth")), 1);
    assert_int_equal(json_number(frame, "depth 0 a"), 0);
    assert_int_equal(json_number(frame, "depth 0 b"), 0);
    assert_int_equal(json_size(json_at(frame, "depth 0 regions")), 1);
    const char* region = json_at(frame, "depth 0 regions 0");
    assert_true(fabs(json_number(region, "depth") - 0.25) < 1e-6);
    assert_true(fabs(json_number(region, "direction 2") + 1) < 1e-6);  // the block goes down
    free_outcome(&o);
    o = run_expecting("check both.obj --self --json -", 1);
    assert_null(json_find(json_at(json_root(o.out), "frames 0"), "depth"));
    free_outcome(&o);
}

// the numbers of an array of eight-byte reals
static size_t reals_of(const char* text, const char* name, double* out, size_t most) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char mark[64];
    unsigned char bytes[1024];
    size_t count = 0;
    uint32_t bits = 0;
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char* at = strstr(text, mark);
    assert_non_null(at);
    at = strchr(at, '>') + 1;
    for (size_t i = 0; at[i] != '<' && at[i] != '=' && count < sizeof bytes; ++i) {
        bits = bits << 6 | (uint32_t)(strchr(digits, at[i]) - digits);
        if (i % 4 != 0) {
            bytes[count++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
        }
    }
    const size_t reals = (count - 8) / 8;
    assert_true(reals <= most);
    memcpy(out, bytes + 8, reals * sizeof *out);
    return reals;
}

// an arrow for each region, from the deepest point up to the surface, and the marked triangles of
// the region
static void test_vtk(void** state) {
    (void)state;
    write_boxes("block.obj", &block, 1, CLOSED, CLOSED);
    write_pressed("box.obj", 0.25);
    assert_exit("check box.obj block.obj --depth --vtk out", 1);
    char* list = read_whole("out/contacts.pvd");
    char* ways = read_whole("out/depth_0000.vtp");
    char* surface = read_whole("out/surface_0000.vtp");
    assert_says("pvd", list, "surface_0000.vtp|contacts_0000.vtp|depth_0000.vtp");
    assert_says("depth", ways, "NumberOfLines=\"1\"|way_out|interlocked|Name=\"region\"");
    assert_says("surface", surface, "Name=\"region\"");
    double way[3];
    double ends[6];
    assert_int_equal(reals_of(ways, "way_out", way, 3), 3);
    assert_int_equal(reals_of(ways, "Points", ends, 6), 6);
    assert_true(fabs(way[2] - 0.25) < 1e-6 && fabs(way[0]) + fabs(way[1]) < 1e-6);
    assert_true(fabs(ends[2] + 0.25) < 1e-6 && fabs(ends[5]) < 1e-6);
    free(list);
    free(ways);
    free(surface);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_between),
        IN_FOLDER(test_frames),
        IN_FOLDER(test_within),
        IN_FOLDER(test_vtk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
