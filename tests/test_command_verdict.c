// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The verdict of abut check for each kind of query: the first line of the table, the exit code, the
// JSON, the CSV and the VTK files. Boxes at known places are the oracle.
#define _POSIX_C_SOURCE 200809L

#include "test_command_support.h"

#include <math.h>

enum { MOST_CELLS = 32 };

// a box around (x, 0, 0) that reaches `half` to every side
static void write_part(const char* name, double x, double half, int triangles, int turned) {
    const double box[1][2][3] = {{{x - half, -half, -half}, {x + half, half, half}}};
    write_boxes(name, box, 1, triangles, turned);
}

// the same around any point
static void write_box(const char* name, double x, double y, double z, double half, int triangles) {
    const double box[1][2][3] = {{{x - half, y - half, z - half}, {x + half, y + half, z + half}}};
    write_boxes(name, box, 1, triangles, CLOSED);
}

static void write_cube(const char* name, double x, double half) {
    write_part(name, x, half, CLOSED, CLOSED);
}

static void write_two_cubes(const char* name, double x, double y, double half) {
    const double boxes[2][2][3] = {{{x - half, -half, -half}, {x + half, half, half}},
                                   {{y - half, -half, -half}, {y + half, half, half}}};
    write_boxes(name, boxes, 2, CLOSED, CLOSED);
}

static void assert_first_line(const char* arguments, const char* out, const char* line) {
    const size_t length = strcspn(out, "\n");
    if (length != strlen(line) || strncmp(out, line, length) != 0) {
        fail_msg("abut %s: the first line is '%.*s', not '%s'", arguments, (int)length, out, line);
    }
}

static void assert_verdict(const char* arguments, int code, const char* line) {
    outcome o = run_expecting(arguments, code);
    assert_first_line(arguments, o.out, line);
    free_outcome(&o);
}

static void assert_lacks(const char* arguments, const char* said, const char* text) {
    if (strstr(said, text) != NULL) {
        fail_msg("abut %s: '%s' says '%s'", arguments, said, text);
    }
}

// Some line of the output has these words in this order, separated by blanks only.
static void assert_row(const char* arguments, const char* out, const char* words) {
    for (const char* line = out; *line != '\0'; line += strcspn(line, "\n") + 1) {
        const char* at = line;
        const char* want = words;
        while (*want != '\0' && *want == *at) {
            at += *at == ' ' ? strspn(at, " ") : 1;
            want += *want == ' ' ? strspn(want, " ") : 1;
        }
        at += strspn(at, " ");
        if (*want == '\0' && *at == '\n') {
            return;
        }
        if (line[strcspn(line, "\n")] == '\0') {
            break;
        }
    }
    fail_msg("abut %s: no line reads '%s':\n%s", arguments, words, out);
}

// counts the lines that contain this text
static size_t count_of(const char* out, const char* text) {
    size_t count = 0;
    for (const char* at = strstr(out, text); at != NULL; at = strstr(at + 1, text)) {
        ++count;
    }
    return count;
}

// ---- rows of a CSV by the names of its columns

static size_t column_of(const char* table, const char* name) {
    size_t column = 0;
    const char* end = table + strcspn(table, "\n");
    for (const char* at = table; at < end; ++column) {
        const size_t length = strcspn(at, ",\n");
        if (length == strlen(name) && strncmp(at, name, length) == 0) {
            return column;
        }
        at += length + 1;
    }
    fail_msg("the CSV has no column '%s'", name);
    return 0;
}

// the next row of a kind, from `row` on; NULL if there is none
static const char* next_row(const char* table, const char* row, const char* kind) {
    char value[64];
    const size_t column = column_of(table, "kind");
    for (; row != NULL && *row != '\0'; row += strcspn(row, "\n") + 1) {
        const char* at = row;
        for (size_t c = 0; c < column; ++c) {
            at += strcspn(at, ",\n") + 1;
        }
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at, ",\n"), at);
        if (strcmp(value, kind) == 0) {
            return row;
        }
    }
    return NULL;
}

static const char* first_row(const char* table, const char* kind) {
    return next_row(table, strchr(table, '\n') + 1, kind);
}

static size_t rows_of(const char* table, const char* kind) {
    size_t count = 0;
    for (const char* row = first_row(table, kind); row != NULL; ++count) {
        row = next_row(table, strchr(row, '\n') + 1, kind);
    }
    return count;
}

static const char* cell(const char* table, const char* row, const char* name) {
    static char text[256];
    const char* at = row;
    for (size_t c = column_of(table, name); c > 0; --c) {
        at += strcspn(at, ",\n") + 1;
    }
    snprintf(text, sizeof text, "%.*s", (int)strcspn(at, ",\n"), at);
    return text;
}

static double number_in(const char* table, const char* row, const char* name) {
    const char* text = cell(table, row, name);
    if (*text == '\0') {
        fail_msg("the CSV has nothing in '%s'", name);
    }
    return strtod(text, NULL);
}

static void assert_near(double got, double wanted) {
    if (!(fabs(got - wanted) < 1e-5)) {
        fail_msg("%.17g, not %.17g", got, wanted);
    }
}

// ---- numbers of VTK files

static size_t reals_of(const char* path, const char* name, double* out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char bytes[8 + 8 * 6 * MOST_CELLS];
    char mark[64];
    size_t count = 0;
    uint32_t bits = 0;
    char* text = read_whole(path);
    snprintf(mark, sizeof mark, "Name=\"%s\"", name);
    const char* at = strstr(text, mark);
    if (at == NULL) {
        fail_msg("%s has no array '%s'", path, name);
    }
    at = strchr(at, '>') + 1;
    for (size_t i = 0; at[i] != '<' && at[i] != '=' && count < sizeof bytes; ++i) {
        bits = bits << 6 | (uint32_t)(strchr(digits, at[i]) - digits);
        if (i % 4 != 0) {
            bytes[count++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
        }
    }
    memcpy(out, bytes + 8, count - 8);
    free(text);
    return (count - 8) / 8;
}

static size_t cells_of(const char* path, const char* what) {
    char mark[64];
    char* text = read_whole(path);
    snprintf(mark, sizeof mark, "NumberOf%s=\"", what);
    const char* at = strstr(text, mark);
    assert_non_null(at);
    const size_t count = (size_t)strtoul(at + strlen(mark), NULL, 10);
    free(text);
    return count;
}

// ---- a surface without an inside

static void test_open_surface_is_contact(void** state) {
    (void)state;
    write_cube("whole.obj", 0, 1);
    write_part("open.obj", 1, 0.5, CLOSED - 2, CLOSED);
    outcome o = run_expecting("check open.obj whole.obj --between --json -", 1);
    const double pairs = json_number(json_root(o.out), "frames 0 between 0 pairs");
    assert_true(pairs > 0);
    free_outcome(&o);
    char count[48];
    snprintf(count, sizeof count, "touches whole.obj     %g ", pairs);
    o = run_expecting("check open.obj whole.obj --depth", 1);
    assert_first_line("check", o.out, "Contact.");
    assert_says("check", o.out, count);
    assert_says("check", o.out,
                "undefined|depth is undefined: open.obj is open (4 boundary edges)");
    free_outcome(&o);
    o = run_expecting("check open.obj whole.obj --depth --json - --pairs --csv out.csv", 1);
    const char* json = json_root(o.out);
    assert_memory_equal(json_at(json, "frames 0 contact"), "true", 4);
    assert_memory_equal(json_at(json, "frames 0 depth 0 defined"), "false", 5);
    assert_json_text(json, "frames 0 depth 0 why_a", "is open (4 boundary edges)");
    assert_null(json_find(json_at(json, "frames 0 depth 0"), "why_b"));
    assert_true(json_number(json, "frames 0 depth 0 pairs") == pairs);
    assert_true((double)json_size(json_at(json, "frames 0 depth 0 list")) == pairs);
    assert_int_equal(json_number(json, "summary frames_touching"), 1);
    assert_json_text(json, "summary verdict", "Contact");
    char* table = read_whole("out.csv");
    assert_true((double)rows_of(table, "pair") == pairs);
    free(table);
    free_outcome(&o);
    // with --between as well, a pair counts once
    o = run_expecting("check open.obj whole.obj --depth --between --json - --csv out.csv", 1);
    assert_true(json_number(json_root(o.out), "frames 0 depth 0 pairs") == pairs);
    table = read_whole("out.csv");
    assert_true((double)rows_of(table, "pair") == pairs);
    free(table);
    free_outcome(&o);
    // the boxes overlap, the surfaces do not touch
    write_part("open.obj", 0.9, 0.9, 2, CLOSED);
    write_cube("corner.obj", 1.5, 0.2);
    assert_verdict("check open.obj corner.obj --depth", 0, "Nothing touches between the objects.");
}

static void test_reasons_for_no_inside(void** state) {
    (void)state;
    write_cube("whole.obj", 0, 1);
    write_part("turned.obj", 1, 0.5, CLOSED, CLOSED - 1);
    write_part("sheet.obj", 1, 0.5, 2, CLOSED);
    outcome o = run_expecting("check whole.obj turned.obj --depth", 1);
    assert_says("check", o.out,
                "depth is undefined: turned.obj is of mixed orientation (at 3 edges)");
    free_outcome(&o);
    o = run_expecting("check sheet.obj turned.obj --depth --self", 1);
    assert_says("check", o.out,
                "sheet.obj is open (4 boundary edges), turned.obj is of mixed orientation");
    free_outcome(&o);
}

// ---- one inside the other

static void test_inside_is_reported(void** state) {
    (void)state;
    write_cube("big.obj", 0, 2);
    write_cube("small.obj", 0, 1);
    static const char line[] = "No surfaces touch; small.obj is inside big.obj.";
    assert_verdict("check small.obj big.obj", 0, line);
    assert_verdict("check big.obj small.obj", 0, line);
    assert_verdict("check big.obj small.obj --nearest", 0, line);
    assert_verdict("check big.obj small.obj --between --margin 0.5", 0,
                   "No surfaces come within the margin; small.obj is inside big.obj.");
    assert_verdict("check big.obj small.obj --depth", 1, "Contact.");
    assert_verdict("check big.obj small.obj --self", 0, "Nothing touches within an object.");
    assert_prints("check big.obj small.obj --depth", 1, "small.obj is inside big.obj");
    // a sheet has no depth but is inside nevertheless
    write_square("sheet.obj", 0, 0, 0);
    assert_verdict("check big.obj sheet.obj", 0, "No surfaces touch; sheet.obj is inside big.obj.");
    assert_prints("check big.obj sheet.obj --depth", 1,
                  "sheet.obj is inside big.obj|sheet.obj is open (4 boundary edges)");
    outcome o = run_expecting("check big.obj small.obj --json - --csv out.csv", 0);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "frames 0 inside 0 inner"), 1);
    assert_int_equal(json_number(json, "frames 0 inside 0 outer"), 0);
    assert_json_text(json, "summary verdict", "No surfaces touch; small.obj is inside big.obj");
    char* table = read_whole("out.csv");
    assert_int_equal(rows_of(table, "inside"), 1);
    assert_int_equal(number_in(table, first_row(table, "inside"), "a"), 1);
    free(table);
    free_outcome(&o);
}

static void test_cases_that_are_not_inside(void** state) {
    (void)state;
    // boxes nest, but the outer surface is open
    write_part("open.obj", 0, 2, CLOSED - 2, CLOSED);
    write_cube("small.obj", 0, 1);
    assert_verdict("check small.obj open.obj", 0,
                   "Nothing touches between the objects or within one.");
    // two components side by side, and one inside: each component is tested by itself
    write_cube("big.obj", 0, 2);
    write_two_cubes("two.obj", 0, 9, 1);
    assert_verdict("check two.obj big.obj", 0,
                   "No surfaces touch; two.obj is partly inside big.obj.");
    write_two_cubes("around.obj", -3, 3, 1);
    assert_verdict("check small.obj around.obj", 0,
                   "Nothing touches between the objects or within one.");
    // contact from inside
    write_cube("touching.obj", 1, 1);
    assert_verdict("check touching.obj big.obj", 1, "Contact.");
}

static void test_inside_over_frames(void** state) {
    (void)state;
    write_cube("big.obj", 0, 2);
    for (int i = 0; i < 3; ++i) {
        char name[16];
        snprintf(name, sizeof name, "s_%d.obj", i);
        write_cube(name, 5 * i, 1);
    }
    assert_verdict("check 's_*.obj' big.obj", 0,
                   "No surfaces touch in any of 3 frames; s_*.obj is inside big.obj.");
    for (int jobs = 1; jobs < 4; ++jobs) {
        char line[64];
        snprintf(line, sizeof line, "check 's_*.obj' big.obj --json - --jobs %d", jobs);
        outcome o = run_expecting(line, 0);
        assert_int_equal(json_size(json_at(json_root(o.out), "frames 0 inside")), 1);
        assert_null(json_find(json_at(json_root(o.out), "frames 1"), "inside"));
        free_outcome(&o);
    }
}

// ---- each row of the table is right by itself

// In a box from -2 to 2, the inner box must go up by 1.35 and its height of 1, whichever is named
// first.
static void test_translation_matches_the_order_of_names(void** state) {
    (void)state;
    write_box("big.obj", 0, 0, 0, 2, CLOSED);
    write_box("small.obj", 0.13, 0.12, 0.15, 0.5, CLOSED);
    static const char* const orders[] = {"check big.obj small.obj --depth",
                                         "check small.obj big.obj --depth"};
    for (int i = 0; i < 2; ++i) {
        outcome o = run_expecting(orders[i], 1);
        assert_row(orders[i], o.out, "small.obj is inside big.obj 1 2.35 (0, 0, 1)");
        free_outcome(&o);
    }
    // two cubes of one object, of which one is inside
    write_two_cubes("two.obj", 0.25, 9, 0.5);
    outcome o = run_expecting("check big.obj two.obj --depth", 1);
    assert_row("check", o.out, "two.obj is partly inside big.obj 1 2.25 (1, 0, 0)");
    free_outcome(&o);
    // and over frames
    write_box("s_1.obj", 9, 0, 0, 0.5, CLOSED);
    write_box("s_2.obj", 0.13, 0.12, 0.15, 0.5, CLOSED);
    o = run_expecting("check big.obj 's_*.obj' --depth", 1);
    assert_row("check", o.out, "s_*.obj is inside big.obj 1 2 2 1 2.35 (0, 0, 1)");
    free_outcome(&o);
}

// A margin is tested together with other queries, and a touching pair counts as more than near.
static void test_margin_with_other_queries(void** state) {
    (void)state;
    write_box("big.obj", 0, 0, 0, 2, CLOSED);
    write_box("small.obj", 0.13, 0.12, 0.15, 0.5, CLOSED);
    write_box("cut.obj", 2.1, 0.2, 0.3, 0.7, CLOSED);
    write_box("far.obj", 10, 0, 0, 1, CLOSED);
    write_box("open.obj", 0, 0, 0, 2, CLOSED - 2);
    static const char near[] = "Within the margin.";
    static const char apart[] = "Nothing comes within the margin between the objects.";
    assert_verdict("check big.obj far.obj --margin 7 --nearest", 1, near);
    assert_verdict("check big.obj far.obj --margin 6.9 --nearest", 0, apart);
    assert_verdict("check big.obj far.obj --margin 8 --depth", 1, near);
    assert_verdict("check big.obj far.obj --margin 6.9 --depth", 0, apart);
    assert_verdict("check open.obj far.obj --margin 8.1 --depth", 1, near);
    assert_verdict("check big.obj far.obj --margin 1 --within 7", 1,
                   "Within the margin or the distance.");
    assert_verdict("check big.obj small.obj --margin 1.2 --depth", 1, "Contact.");
    assert_verdict("check big.obj cut.obj --margin 1.2 --nearest", 1, "Contact.");
    assert_verdict("check big.obj cut.obj --within 1", 1, "Contact.");
    outcome o = run_expecting("check big.obj small.obj --margin 1.2 --depth --json -", 1);
    assert_json_text(json_root(o.out), "summary verdict", "Contact");
    free_outcome(&o);
    o = run_expecting("check big.obj cut.obj --margin 1 --depth", 1);
    assert_row("check", o.out, "big.obj touches cut.obj - 1 0.6 (-1, 0, 0)");
    assert_says("check", o.out, "big.obj is near cut.obj");
    free_outcome(&o);
    o = run_expecting("check big.obj small.obj --margin 1.4", 1);
    assert_int_equal(count_of(o.out, "small.obj is inside big.obj"), 1);
    assert_says("check", o.out, "big.obj is near small.obj");
    free_outcome(&o);
}

// outside, inside, cutting, touching from outside, outside again
static void write_passing(const char* name, int triangles) {
    static const double x[] = {10, 0.1, 2.1, 2.5, 10};
    for (int i = 0; i < 5; ++i) {
        char path[32];
        snprintf(path, sizeof path, "%s_%d.obj", name, i + 3);
        write_box(path, x[i], x[i] == 0.1 ? 0.1 : 0.2, 0.3, 0.5, triangles);
    }
}

static void test_rows_of_a_sequence(void** state) {
    (void)state;
    write_box("big.obj", 0, 0, 0, 2, CLOSED);
    write_passing("c", CLOSED);
    write_passing("o", CLOSED - 2);
    outcome o = run_expecting("check 'o_*.obj' big.obj --depth", 1);
    assert_first_line("check", o.out, "Contact in 3 of 5 frames (4-6).");
    assert_row("check", o.out, "o_*.obj is inside big.obj 1 4 4 - 0 undefined -");
    assert_says("check", o.out, "o_*.obj touches big.obj|   2  5-6 ");
    assert_says("check", o.out, "in 3 frames depth is undefined: o_*.obj is open");
    assert_row("check", o.out, "    3 0 0 0 0");
    assert_row("check", o.out, "    4 0 0 undefined 0");
    free_outcome(&o);
    o = run_expecting("check 'c_*.obj' big.obj --depth --sweep", 1);
    assert_says("check", o.out, "c_*.obj is inside big.obj       1  4  |");
    assert_says("check", o.out, "c_*.obj touches big.obj         4  4-7 ");
    free_outcome(&o);
    o = run_expecting("check 'c_*.obj' big.obj --frames 3:4 --sweep", 1);
    assert_int_equal(count_of(o.out, "c_*.obj touches big.obj"), 1);
    assert_int_equal(count_of(o.out, "c_*.obj is inside big.obj"), 1);
    assert_row("check", o.out, "c_*.obj is inside big.obj 1 4 4 - - -");
    free_outcome(&o);
    o = run_expecting("check 'c_*.obj' big.obj --nearest", 1);
    assert_row("check", o.out, "c_*.obj is inside big.obj 1 4 4");
    assert_row("check", o.out, "c_*.obj touches big.obj 2 5-6 5");
    free_outcome(&o);
    o = run_expecting("check 'c_*.obj' big.obj --margin 1.4 --nearest", 1);
    assert_first_line("check", o.out,
                      "Contact in 2 of 5 frames, within the margin in 1 more (4-6).");
    free_outcome(&o);
}

// open, closed, away, open inside, closed inside
static void test_open_and_closed_frames(void** state) {
    (void)state;
    write_box("big.obj", 0, 0, 0, 2, CLOSED);
    static const double x[] = {2.1, 2.1, 9, 0, 0};
    static const int triangles[] = {CLOSED - 2, CLOSED, CLOSED - 2, CLOSED - 2, CLOSED};
    for (int i = 0; i < 5; ++i) {
        char path[32];
        snprintf(path, sizeof path, "m_%d.obj", i + 1);
        write_box(path, x[i], 0.2, 0.3, 0.7, triangles[i]);
    }
    outcome o = run_expecting("check 'm_*.obj' big.obj --between --json -", 1);
    const int pairs[2] = {(int)json_number(json_root(o.out), "frames 0 between 0 pairs"),
                          (int)json_number(json_root(o.out), "frames 1 between 0 pairs")};
    free_outcome(&o);
    o = run_expecting("check 'm_*.obj' big.obj --depth", 1);
    char row[96];
    snprintf(row, sizeof row, "m_*.obj touches big.obj 2 1-2 2 %d 1 0.6 (1, 0, 0)", pairs[1]);
    assert_row("check", o.out, row);
    assert_says("check", o.out, "m_*.obj is inside big.obj       2  4-5 ");
    assert_says("check", o.out, "in 2 frames depth is undefined: m_*.obj is open");
    snprintf(row, sizeof row, "    1 %d 0 undefined 0", pairs[0]);
    assert_row("check", o.out, row);
    assert_row("check", o.out, "    3 0 0 0 0");
    assert_row("check", o.out, "    4 0 0 undefined 0");
    free_outcome(&o);
}

static void test_inside_beside_distances(void** state) {
    (void)state;
    write_box("big.obj", 0, 0, 0, 2, CLOSED);
    write_box("mid.obj", 0.1, 0.1, 0.1, 1, CLOSED);
    write_box("small.obj", 0.13, 0.12, 0.15, 0.5, CLOSED);
    write_box("cut.obj", 2.1, 0.2, 0.3, 0.7, CLOSED);
    outcome o = run_expecting("check big.obj small.obj --within 1.4", 1);
    assert_first_line("check", o.out, "Within the distance.");
    assert_row("check", o.out, "small.obj is inside big.obj");
    free_outcome(&o);
    o = run_expecting("check big.obj mid.obj small.obj cut.obj --nearest", 1);
    assert_row("check", o.out, "mid.obj is inside big.obj");
    assert_row("check", o.out, "small.obj is inside big.obj");
    assert_row("check", o.out, "small.obj is inside mid.obj");
    free_outcome(&o);
}

// Nothing touches, but depth is undefined: each output says why.
static void test_undefined_depth_is_explained(void** state) {
    (void)state;
    write_box("open.obj", 0, 0, 0, 2, CLOSED - 2);
    write_box("small.obj", 0.13, 0.12, 0.15, 0.5, CLOSED);
    outcome o = run_expecting("check open.obj small.obj --depth --csv out.csv --vtk out", 0);
    assert_first_line("check", o.out, "Nothing touches between the objects.");
    assert_row("check", o.out,
               "open.obj and small.obj: depth is undefined: open.obj is open (4 boundary edges).");
    free_outcome(&o);
    char* table = read_whole("out.csv");
    const char* row = first_row(table, "undefined depth");
    assert_non_null(row);
    assert_string_equal(cell(table, row, "feature_a"), "is open (4 boundary edges)");
    assert_string_equal(cell(table, row, "feature_b"), "");
    free(table);
    char* file = read_whole("out/depth_0000.vtp");
    const char* at = strstr(file, "type=\"String\" Name=\"undefined\" NumberOfTuples=\"1\"");
    assert_non_null(at);
    at = strchr(at, '>') + 1;
    static const char text[] = "depth is undefined: open.obj is open (4 boundary edges)";
    for (size_t i = 0; i < sizeof text; ++i) {
        char* end = NULL;
        assert_int_equal(strtol(at, &end, 10), text[i]);
        at = end;
    }
    free(file);
}

// Boxes whose coordinates and differences are floats: a model of the sequence has the same contacts
// at any frame rate, however its times are rounded.
static void test_model_has_the_contacts_of_its_sequence(void** state) {
    (void)state;
    write_box("still.obj", 4, 0, 0, 1, CLOSED);
    for (int i = 0; i < 12; ++i) {
        char name[16];
        snprintf(name, sizeof name, "d_%02d.obj", i);
        write_box(name, 10 - 0.75 * i, 0.25, 0.5, 0.5, CLOSED);
    }
    static const char* const rates[] = {"30", "24", "29.97", "7"};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
        char line[128];
        snprintf(line, sizeof line, "convert 'd_*.obj' d.glb --fps %s", rates[i]);
        assert_exit(line, 0);
        snprintf(line, sizeof line, "check 'd_*.obj' still.obj --pairs --json - --fps %s",
                 rates[i]);
        outcome o = run_expecting(line, 1);
        snprintf(line, sizeof line, "check d.glb still.obj --pairs --json - --fps %s", rates[i]);
        outcome other = run_expecting(line, 1);
        const char* frames = strstr(o.out, "\"frames\"");
        const char* same = strstr(other.out, "\"frames\"");
        assert_true(frames != NULL && same != NULL);
        if (strcmp(frames, same) != 0) {
            fail_msg("with --fps %s the model has other contacts than its frames", rates[i]);
        }
        free_outcome(&o);
        free_outcome(&other);
    }
}

// a single object has none beside it
static void test_one_open_object(void** state) {
    (void)state;
    write_box("open.obj", 0, 0, 0, 2, CLOSED - 2);
    outcome o = run_expecting("check open.obj --depth --self", 0);
    assert_first_line("check", o.out, "Nothing touches within an object.");
    assert_row("check", o.out,
               "open.obj and itself: depth is undefined: open.obj is open (4 boundary edges).");
    free_outcome(&o);
}

// ---- the result of each query is in all files

// A triangle falls through a floor, from 1 above to 1 below. Its corners meet the floor halfway.
// The frame rate is not 1, so that times differ from frame numbers.
static void test_sweeps_are_in_all_files(void** state) {
    (void)state;
    write_file("floor.obj", "v 0 0 0\nv 4 0 0\nv 0 4 0\nf 1 2 3\n");
    write_file("f_1.obj", "v 1 1 1\nv 2 1 1\nv 1 2 1\nf 1 2 3\n");
    write_file("f_2.obj", "v 1 1 -1\nv 2 1 -1\nv 1 2 -1\nf 1 2 3\n");
    const char* arguments =
        "check 'f_*.obj' floor.obj --between --sweep --fps 10 --csv out.csv --vtk out";
    for (int jobs = 1; jobs < 3; ++jobs) {
        char line[160];
        snprintf(line, sizeof line, "%s --jobs %d", arguments, jobs);
        outcome o = run_expecting(line, 1);
        assert_first_line(line, o.out, "Contact in 1 of 2 frames (2).");
        assert_says(line, o.out, "between frames|first at|f_*.obj touches floor.obj|0.5");
        free_outcome(&o);
        char* table = read_whole("out.csv");
        assert_int_equal(rows_of(table, "pair"), 0);
        assert_int_equal(rows_of(table, "sweep"), 3);
        const double corners[3][2] = {{1, 1}, {2, 1}, {1, 2}};
        const char* row = first_row(table, "sweep");
        for (int i = 0; i < 3; ++i) {
            char feature[16];
            snprintf(feature, sizeof feature, "vertex %d", i);
            assert_int_equal(number_in(table, row, "frame"), 1);
            assert_near(number_in(table, row, "step"), 0.5);
            assert_near(number_in(table, row, "time"), 0.05);
            assert_string_equal(cell(table, row, "feature_a"), feature);
            assert_string_equal(cell(table, row, "feature_b"), "face 0");
            assert_near(number_in(table, row, "x0"), corners[i][0]);
            assert_near(number_in(table, row, "y1"), corners[i][1]);
            assert_near(number_in(table, row, "z0"), 0);
            assert_near(number_in(table, row, "direction_z"), 1);
            row = next_row(table, strchr(row, '\n') + 1, "sweep");
        }
        free(table);
        double values[6 * MOST_CELLS];
        assert_int_equal(cells_of("out/sweep_0001.vtp", "Verts"), 0);
        assert_int_equal(cells_of("out/sweep_0002.vtp", "Verts"), 3);
        assert_int_equal(reals_of("out/sweep_0002.vtp", "Points", values), 9);
        assert_near(values[3], 2);
        assert_near(values[5], 0);
        assert_int_equal(reals_of("out/sweep_0002.vtp", "time", values), 3);
        assert_near(values[2], 0.05);
        char* list = read_whole("out/contacts.pvd");
        assert_says("pvd", list, "sweep_0002.vtp");
        free(list);
    }
}

static void test_distances_are_in_all_files(void** state) {
    (void)state;
    write_cube("a.obj", 0, 1);
    write_file("b.obj", "v 3 0 0.25\nv 4 0 0\nv 4 1 0\nf 1 2 3\n");
    outcome o = run_expecting("check a.obj b.obj --nearest --csv out.csv --vtk out", 0);
    assert_first_line("check", o.out, "Nothing touches between the objects.");
    assert_says("check", o.out, "(1, 0, 0.25)|(3, 0, 0.25)| 2 ");
    free_outcome(&o);
    char* table = read_whole("out.csv");
    const char* row = first_row(table, "nearest");
    assert_non_null(row);
    assert_near(number_in(table, row, "distance"), 2);
    assert_near(number_in(table, row, "x0"), 1);
    assert_near(number_in(table, row, "x1"), 3);
    assert_near(number_in(table, row, "z1"), 0.25);
    assert_string_equal(cell(table, row, "feature_b"), "vertex 0");
    free(table);
    double values[6 * MOST_CELLS];
    assert_int_equal(cells_of("out/nearest_0000.vtp", "Lines"), 1);
    assert_int_equal(reals_of("out/nearest_0000.vtp", "Points", values), 6);
    assert_near(values[3] - values[0], 2);
    assert_int_equal(reals_of("out/nearest_0000.vtp", "distance", values), 1);
    assert_near(values[0], 2);
}

static void test_depths_are_in_all_files(void** state) {
    (void)state;
    write_cube("a.obj", 0, 1);
    write_cube("b.obj", 1.75, 1);
    // equal cubes touch along whole faces; a smaller one is inside at a single place
    write_cube("c.obj", 1.25, 0.5);
    assert_prints("check c.obj a.obj --depth --csv out.csv --vtk out", 1,
                  "separating direction|0.25|(1, 0, 0)");
    char* table = read_whole("out.csv");
    const char* row = first_row(table, "depth");
    assert_non_null(row);
    assert_int_equal(rows_of(table, "depth"), 1);
    assert_near(number_in(table, row, "depth"), 0.25);
    assert_near(number_in(table, row, "direction_x"), 1);
    assert_near(number_in(table, row, "x0"), 0.75);
    const size_t pairs = rows_of(table, "pair");
    assert_true(pairs > 0);
    for (row = first_row(table, "pair"); row != NULL;
         row = next_row(table, strchr(row, '\n') + 1, "pair")) {
        assert_near(number_in(table, row, "x0"), 1);  // they cut along the face of the cube
        assert_near(number_in(table, row, "region"), 1);
    }
    free(table);
    double values[6 * MOST_CELLS];
    assert_int_equal(cells_of("out/contacts_0000.vtp", "Lines"), pairs);
    assert_int_equal(reals_of("out/depth_0000.vtp", "depth", values), 1);
    assert_near(values[0], 0.25);
    // the same pairs as with --between alone
    outcome o = run_expecting("check c.obj a.obj --between --json -", 1);
    assert_int_equal(json_number(json_root(o.out), "frames 0 between 0 pairs"), pairs);
    free_outcome(&o);
}

// ---- output depends on input and options alone

static void assert_same_run(const char* options, const char* other) {
    char line[256];
    for (int i = 0; i < 2; ++i) {
        snprintf(line, sizeof line,
                 "check 's_*.obj' open.obj two.obj %s %s --csv %d.csv --json %d.json --vtk v%d",
                 options, i == 0 ? "" : other, i, i, i);
        outcome o = run_expecting(line, 1);
        write_file(i == 0 ? "0.txt" : "1.txt", o.out);
        assert_lacks(line, o.out, "boxes tested");
        free_outcome(&o);
    }
    snprintf(
        line, sizeof line,
        "cmp 0.txt 1.txt && cmp 0.csv 1.csv && cmp 0.json 1.json && diff -r v0 v1 && rm -r v0 v1");
    if (system(line) != 0) {
        fail_msg("abut check ... %s: another run with '%s' differs", options, other);
    }
}

static void test_repeated_runs_are_equal(void** state) {
    (void)state;
    for (int i = 0; i < 5; ++i) {
        char name[16];
        snprintf(name, sizeof name, "s_%d.obj", i);
        write_cube(name, 0.4 * i - 1, 1);
    }
    write_part("open.obj", 1, 0.5, CLOSED - 2, CLOSED);
    write_two_cubes("two.obj", 0.25, 9, 0.125);
    static const char* const others[] = {"", "--threads 1", "--threads 3", "--jobs 2", "--jobs 3"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        assert_same_run("--sweep --between --self --nearest", others[i]);
    }
    assert_same_run("--depth", "--threads 1");
    outcome o = run_expecting("check 's_*.obj' open.obj --json -", 1);
    assert_lacks("check", o.out, "seconds");
    assert_lacks("check", o.out, "\"work\"");
    free_outcome(&o);
    o = run_expecting("check 's_*.obj' open.obj --verbose --json -", 1);
    assert_true(json_number(json_root(o.out), "summary seconds") >= 0);
    assert_true(json_number(json_root(o.out), "frames 0 work exact") > 0);
    free_outcome(&o);
    assert_prints("check 's_*.obj' open.obj --verbose", 1, "boxes tested|Read and checked in");
}

// a model whose boxes change their kind once a query has visited most of it
static void test_repeated_pages_are_equal(void** state) {
    (void)state;
    const char* model = ABUT_SHARED_DATA "/gltf/RiggedFigure.glb";
    if (access(model, R_OK) != 0) {
        print_message("%s is missing\n", model);
        skip();
    }
    for (int jobs = 1; jobs < 4; ++jobs) {
        char line[512];
        snprintf(line, sizeof line, "check '%s' --self --jobs %d --html %d.html --quiet", model,
                 jobs, jobs);
        outcome o = run(line);
        assert_true(o.code < 2);
        free_outcome(&o);
        snprintf(line, sizeof line, "cmp 1.html %d.html", jobs);
        assert_int_equal(system(line), 0);
    }
}

// ---- names

static void test_names(void** state) {
    (void)state;
    assert_int_equal(mkdir("far", 0700) | mkdir("far/away", 0700), 0);
    write_cube("far/away/a.obj", 0, 1);
    write_cube("far/away/b,\"c\".obj", 1, 0.5);
    outcome o = run_expecting(
        "check far/away/a.obj 'far/away/b,\"c\".obj' --between --csv out.csv --json -", 1);
    assert_json_text(json_root(o.out), "objects 0 name", "far/away/a.obj");
    free_outcome(&o);
    char* table = read_whole("out.csv");
    assert_says("csv", table, ",far/away/a.obj,\"far/away/b,\"\"c\"\".obj\"\n");
    free(table);
    assert_prints("check far/away/a.obj 'far/away/b,\"c\".obj'", 1, "\na.obj touches b,\"c\".obj ");
    assert_prints("check far/away/a.obj far/away/a.obj --between", 1,
                  "a.obj (object 0) touches a.obj (object 1)");
    assert_int_equal(mkdir("near", 0700), 0);
    write_cube("near/a.obj", 1, 0.5);
    assert_prints("check far/away/a.obj near/a.obj --between", 1,
                  "far/away/a.obj touches near/a.obj");
}

// ---- numbers that JSON does not have

static void test_distance_beyond_doubles(void** state) {
    (void)state;
    write_file("a.obj", "v -1.7e308 0 0\nv -1.7e308 1 0\nv -1.7e308 0 1\nf 1 2 3\n");
    write_file("b.obj", "v 1.7e308 0 0\nv 1.7e308 1 0\nv 1.7e308 0 1\nf 1 2 3\n");
    outcome o = run_expecting("check a.obj b.obj --nearest --json -", 0);
    assert_memory_equal(json_at(json_root(o.out), "frames 0 nearest 0 distance"), "null", 4);
    free_outcome(&o);
}

// all distances are infinite, so no point is known to be the closest
static void test_points_beyond_doubles(void** state) {
    (void)state;
    write_file("a.obj", "v -1.7e308 0 0\nv -1e308 1 0\nv -1.7e308 0 1\nf 1 2 3\n");
    write_file("b.obj", "v 1.7e308 0 0\nv 1e308 1 0\nv 1.7e308 0 1\nf 1 2 3\n");
    outcome o = run_expecting("check a.obj b.obj --nearest --csv out.csv --vtk out", 0);
    assert_row("check", o.out, "a.obj to b.obj inf - -");
    free_outcome(&o);
    char* table = read_whole("out.csv");
    assert_string_equal(cell(table, first_row(table, "nearest"), "distance"), "inf");
    assert_string_equal(cell(table, first_row(table, "nearest"), "x0"), "");
    free(table);
    assert_int_equal(cells_of("out/nearest_0000.vtp", "Lines"), 0);
    // the separating translation is longer than any double
    write_cube("huge.obj", 0, 1.7e308);
    write_cube("small.obj", 0, 1);
    assert_refuses("check huge.obj small.obj --depth",
                   "huge.obj and small.obj: |range of doubles|scale the objects down");
}

// ---- the help

static void test_help_says_what_is_refused(void** state) {
    (void)state;
    outcome o = run_expecting("help check", 0);
    assert_says("help check", o.out,
                "split meshes of any format|so --jobs is|Other kinds of objects are refused");
    free_outcome(&o);
    write_cube("a.obj", 0, 1);
    assert_exit("convert a.obj a.glb", 0);
    assert_refuses("check a.glb a.obj --components", "splits only meshes");
}

// ---- the demo

static void test_demo_leads_with_the_verdict(void** state) {
    (void)state;
    outcome o = run_expecting("demo fish --triangles 1000 --frames 6", 0);
    const char* verdict = strstr(o.out, "\nContact in ");
    verdict = verdict != NULL ? verdict : strstr(o.out, "\nNothing touches in any");
    const char* chart = strstr(o.out, "\n  frame ");
    assert_non_null(verdict);
    assert_non_null(chart);
    assert_true(verdict < chart);
    assert_lacks("demo", o.out, "Updates and queries took");
    assert_lacks("demo", o.out, "pairs of boxes compared");
    assert_says("demo", o.out, "of the vertices moved");
    free_outcome(&o);
    o = run_expecting("demo fish --triangles 1000 --frames 6 --json -", 0);
    assert_lacks("demo", o.out, "seconds");
    free_outcome(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_open_surface_is_contact),
        IN_FOLDER(test_reasons_for_no_inside),
        IN_FOLDER(test_inside_is_reported),
        IN_FOLDER(test_cases_that_are_not_inside),
        IN_FOLDER(test_inside_over_frames),
        IN_FOLDER(test_translation_matches_the_order_of_names),
        IN_FOLDER(test_margin_with_other_queries),
        IN_FOLDER(test_rows_of_a_sequence),
        IN_FOLDER(test_open_and_closed_frames),
        IN_FOLDER(test_inside_beside_distances),
        IN_FOLDER(test_undefined_depth_is_explained),
        IN_FOLDER(test_one_open_object),
        IN_FOLDER(test_model_has_the_contacts_of_its_sequence),
        IN_FOLDER(test_sweeps_are_in_all_files),
        IN_FOLDER(test_distances_are_in_all_files),
        IN_FOLDER(test_depths_are_in_all_files),
        IN_FOLDER(test_repeated_runs_are_equal),
        IN_FOLDER(test_repeated_pages_are_equal),
        IN_FOLDER(test_names),
        IN_FOLDER(test_distance_beyond_doubles),
        IN_FOLDER(test_points_beyond_doubles),
        IN_FOLDER(test_help_says_what_is_refused),
        IN_FOLDER(test_demo_leads_with_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
