// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut render: the pixels of small scenes whose projection is known, the size and form of the PNG
// file, and what the command refuses. The file is read by a reader of the tests.
#include "test_png_support.h"

// Fails unless the pixel at these fractions of width and height has about this colour.
static void assert_pixel(const image* i, double x, double y, int r, int g, int b) {
    const size_t column = (size_t)(x * i->width);
    const size_t row = (size_t)(y * i->height);
    const uint8_t* p = i->rows + row * (1 + 3 * (size_t)i->width) + 1 + 3 * column;
    if (abs(p[0] - r) > 3 || abs(p[1] - g) > 3 || abs(p[2] - b) > 3) {
        fail_msg("pixel %zu %zu is %d %d %d, not %d %d %d", column, row, p[0], p[1], p[2], r, g, b);
    }
}

static image render(const char* arguments, const char* text) {
    char line[512];
    snprintf(line, sizeof line, "render %s -o out.png", arguments);
    assert_prints(line, 0, text);
    return read_png("out.png");
}

// ---- pictures

// A square that fills the middle; its light is 0.5 + 0.5 * 0.79 when seen from the front.
static const char square[] = "v -1 -1 0\nv 1 -1 0\nv 1 1 0\nv -1 1 0\nf 1 2 3\nf 1 3 4\n";
enum { BLUE_R = 81, BLUE_G = 126, BLUE_B = 214 };  // 0.895 of 5b 8d ef
enum { PAPER_R = 244, PAPER_G = 245, PAPER_B = 247 };

static void test_draws_what_is_there(void** state) {
    (void)state;
    write_file("square.obj", square);
    image i = render("square.obj --view front --size 200x100", "frame 0: 0 touching triangles");
    assert_int_equal(i.width, 200);
    assert_int_equal(i.height, 100);
    assert_pixel(&i, 0.5, 0.5, BLUE_R, BLUE_G, BLUE_B);
    assert_pixel(&i, 0.3, 0.1, BLUE_R, BLUE_G, BLUE_B);  // the square is as wide as high
    assert_pixel(&i, 0.2, 0.5, PAPER_R, PAPER_G, PAPER_B);
    assert_pixel(&i, 0.5, 0.01, PAPER_R, PAPER_G, PAPER_B);
    free(i.rows);
}

// From the top a square in the plane of x and y is a line; with z up it is seen whole.
static void test_views_and_the_axis_that_is_up(void** state) {
    (void)state;
    write_file("tall.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    image i = render("tall.obj --view front --size 64x64", "frame 0");
    assert_pixel(&i, 0.3, 0.9, BLUE_R, BLUE_G, BLUE_B);  // its right angle is below
    assert_pixel(&i, 0.3, 0.05, PAPER_R, PAPER_G, PAPER_B);
    free(i.rows);
    i = render("tall.obj --view 0,0,-1 --size 64x64", "frame 0");
    assert_pixel(&i, 0.7, 0.9, BLUE_R * 9 / 10, BLUE_G * 9 / 10, BLUE_B * 9 / 10);  // the back
    free(i.rows);
    i = render("tall.obj --view top --up z --size 64x64", "frame 0");
    size_t blue = 0;
    for (size_t k = 0; k < 64u * 64; ++k) {
        blue += i.rows[k / 64 * 193 + 1 + 3 * (k % 64)] < 200;
    }
    assert_true(blue > 800);
    free(i.rows);
}

// Two squares that cross, and one far in front that hides them: what touches shines through.
static void test_contact_is_red_and_shines_through(void** state) {
    (void)state;
    write_file("square.obj", square);
    write_file("cross.obj", "v -0.5 0 -1\nv 0.5 0 -1\nv 0.5 0 1\nv -0.5 0 1\nf 1 2 3\nf 1 3 4\n");
    write_file("screen.obj", "v 0 -1 5\nv 1 -1 5\nv 1 1 5\nv 0 1 5\nf 1 2 3\nf 1 3 4\n");
    image i = render("square.obj cross.obj screen.obj --view front --size 100x100",
                     "frame 0: 4 touching triangles, in 4 pairs between objects and 0 within");
    assert_pixel(&i, 0.25, 0.3, 192, 36, 51);  // 0.895 of red, d6 28 39
    // the screen is green, 0.895 of 52 b7 88, with 0.4 of red
    assert_pixel(&i, 0.75, 0.3, 130, 114, 96);
    free(i.rows);
    i = render("square.obj cross.obj screen.obj --view front --size 100x100 --plain", "frame 0;");
    assert_pixel(&i, 0.25, 0.3, BLUE_R, BLUE_G, BLUE_B);
    assert_pixel(&i, 0.75, 0.3, 73, 164, 122);
    free(i.rows);
}

// Contact within an object is orange, and --zoom shows only its region.
static void test_zoom_shows_the_region_of_contact(void** state) {
    (void)state;
    write_file("far.obj",
               "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n"
               "v 0 -0.5 -1\nv 0 0.5 -1\nv 0 0 1\nf 4 5 6\n"
               "v 100 100 0\nv 101 100 0\nv 100 101 0\nf 7 8 9\n");
    image i = render("far.obj --view front --size 90x90 --zoom",
                     "2 touching triangles, in 0 pairs between objects and 1 within");
    assert_pixel(&i, 0.4, 0.6, 194, 103, 12);
    free(i.rows);
}

static void test_frames_of_a_sequence(void** state) {
    (void)state;
    write_file("s_7.obj", square);
    write_file("s_8.obj", "v 9 9 9\nv 9 9 9\nv 9 9 9\nf 1 2 3\n");  // a point
    image i = render("'s_*.obj' --frame 7 --view front --size 64x64", "frame 7");
    assert_pixel(&i, 0.5, 0.5, BLUE_R, BLUE_G, BLUE_B);
    free(i.rows);
    i = render("'s_*.obj' --frame 8 --view front --size 64x64", "frame 8");
    assert_pixel(&i, 0.5, 0.5, 0x5b, 0x8d, 0xef);
    assert_pixel(&i, 0.4, 0.5, PAPER_R, PAPER_G, PAPER_B);
    free(i.rows);
}

// Coordinates at the limits of doubles draw something, and end.
static void test_extreme_coordinates(void** state) {
    (void)state;
    write_file("huge.obj", "v -1e308 0 0\nv 1e308 0 0\nv 0 1e308 0\nf 1 2 3\n");
    write_file("tiny.obj", "v 0 0 0\nv 1e-320 0 0\nv 0 1e-320 0\nf 1 2 3\n");
    write_file("spread.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1e300 0 0\nf 1 2 3\nf 1 2 4\n");
    for (int k = 0; k < 3; ++k) {
        static const char* const names[3] = {"huge.obj", "tiny.obj", "spread.obj"};
        char line[64];
        snprintf(line, sizeof line, "%s --size 40x40", names[k]);
        image i = render(line, "frame 0");
        free(i.rows);
    }
}

static void test_refuses(void** state) {
    (void)state;
    write_file("square.obj", square);
    assert_refuses("render", "render needs an object");
    assert_refuses("render square.obj", "render needs a file: -o picture.png");
    assert_refuses("render square.obj -o", "--output needs a value");
    assert_refuses("render square.obj -o x.png --size 10", "--size needs width and height");
    assert_refuses("render square.obj -o x.png --size 9000x100", "--size needs width and height");
    assert_refuses("render square.obj -o x.png --view above", "--view needs corner, front");
    assert_refuses("render square.obj -o x.png --view 0,0,0", "--view needs corner, front");
    assert_refuses("render square.obj -o x.png --up x", "--up needs y or z");
    assert_refuses("render square.obj -o x.png --plain --zoom", "--plain does not look");
    assert_refuses("render square.obj -o square.obj", "square.obj");
    assert_refuses("render square.obj -o x.png --frame 3", "there is no such frame");
    assert_refuses("check square.obj -o x.png", "options have two dashes");
    assert_int_equal(access("x.png", F_OK), -1);
    char* kept = read_whole("square.obj");
    assert_string_equal(kept, square);
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_draws_what_is_there),
        IN_FOLDER(test_views_and_the_axis_that_is_up),
        IN_FOLDER(test_contact_is_red_and_shines_through),
        IN_FOLDER(test_zoom_shows_the_region_of_contact),
        IN_FOLDER(test_frames_of_a_sequence),
        IN_FOLDER(test_extreme_coordinates),
        IN_FOLDER(test_refuses),
    };
    return cmocka_run_group_tests_name("command_render", tests, NULL, NULL);
}
