// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Events of abut check, kinds and severity of contact, and --fail-if. Bodies of known size at known places
// are the oracle: what the command measures follows from how they were made.
#define _POSIX_C_SOURCE 200809L
#include "support/random.h"
#include "support/world.h"
#include "test_command_support.h"

#include <math.h>

static void write_box_at(const char* name, const double lo[3], const double hi[3], int triangles) {
    double box[1][2][3];
    memcpy(box[0][0], lo, sizeof box[0][0]);
    memcpy(box[0][1], hi, sizeof box[0][1]);
    write_boxes(name, (const double(*)[2][3])box, 1, triangles, CLOSED);
}

static void write_cube(const char* name, double x, double y, double half, int triangles) {
    const double lo[3] = {x - half, y - half, -half};
    const double hi[3] = {x + half, y + half, half};
    write_box_at(name, lo, hi, triangles);
}

// A sheet of n by n squares: origin + u * s + v * t, turned about the diagonal of all axes.
typedef struct sheet {
    double origin[3];
    double s[3];
    double t[3];
    int n;
} sheet;

static void turn(const double in[3], double angle, double out[3]) {
    const double c = cos(angle);
    const double s = sin(angle) / sqrt(3);
    const double mean = (in[0] + in[1] + in[2]) / 3 * (1 - c);
    for (int d = 0; d < 3; ++d) {
        out[d] = c * in[d] + s * (in[(d + 2) % 3] - in[(d + 1) % 3]) + mean;
    }
}

static void write_sheet(const char* name, const sheet* at, double angle) {
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    for (int i = 0; i < (at->n + 1) * (at->n + 1); ++i) {
        double p[3];
        double q[3];
        for (int d = 0; d < 3; ++d) {
            p[d] = at->origin[d] + at->s[d] * (i % (at->n + 1)) / at->n +
                   at->t[d] * (double)(i / (at->n + 1)) / at->n;
        }
        turn(p, angle, q);
        fprintf(file, "v %.17g %.17g %.17g\n", q[0], q[1], q[2]);
    }
    for (int i = 0; i < at->n * at->n; ++i) {
        const int a = 1 + i % at->n + (i / at->n) * (at->n + 1);
        fprintf(file, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + at->n + 2, a, a + at->n + 2,
                a + at->n + 1);
    }
    assert_int_equal(fclose(file), 0);
}

// the only event must be of this kind and this severe
static void assert_event(const char* arguments, const char* kind, double depth,
                         const char* measure) {
    char command[512];
    snprintf(command, sizeof command, "check %s --events --json -", arguments);
    outcome o = run(command);
    const char* json = json_root(o.out);
    if (json_size(json_at(json, "events")) != 1) {
        fail_msg("abut %s: %zu events", command, json_size(json_at(json, "events")));
    }
    const double got = json_number(json, "events 0 depth");
    if (!(fabs(got - depth) <= 1e-6 * (1 + depth))) {
        fail_msg("abut %s: the depth is %.17g, not %.17g", command, got, depth);
    }
    assert_json_text(json, "events 0 kind", kind);
    assert_json_text(json, "events 0 measure", measure);
    free_outcome(&o);
}

static void test_closed_bodies_have_depth(void** state) {
    (void)state;
    write_cube("a.obj", 0, 0, 1, CLOSED);
    write_cube("b.obj", 1.5, 0.2, 1, CLOSED);
    assert_event("a.obj b.obj --between", "cuts", 0.5, "depth");
    write_cube("b.obj", 2, 0, 1, CLOSED);  // a face on a face
    assert_event("a.obj b.obj --between", "touches", 0, "depth");
    write_cube("b.obj", 2, 2, 1, CLOSED);  // an edge on an edge
    assert_event("a.obj b.obj --between", "touches", 0, "depth");
    write_cube("b.obj", 0.5, 0, 0.25, CLOSED);  // wholly inside, a quarter from a face
    assert_event("a.obj b.obj --between", "inside", 0.75, "depth");
    write_cube("b.obj", 0, 0, 1, CLOSED);  // the same body twice
    assert_event("a.obj b.obj --between", "cuts", 2, "depth");
}

static void test_open_surfaces_have_extent(void** state) {
    (void)state;
    const sheet floor = {{-2, -2, 0}, {4, 0, 0}, {0, 4, 0}, 5};
    const sheet standing = {{0.03, -0.5, 0}, {0, 1, 0}, {0, 0, 1}, 4};
    const sheet through = {{0.03, -0.5, -0.3}, {0, 1, 0}, {0, 0, 1}, 7};
    const sheet row = {{0.03, -0.5, -0.25}, {0, 1, 0}, {0, 0, 1}, 4};  // vertices on the floor
    // each cuts the other's border, and divides nothing; the second has vertices on the floor
    const sheet border = {{1.6, 0.1, -0.45}, {1, 0, 0}, {0, 0, 1}, 3};
    const sheet border_row = {{1.6, 0.1, -0.5}, {1, 0, 0}, {0, 0, 1}, 4};
    const sheet flat = {{-0.4, -0.3, 0}, {0.9, 0, 0}, {0, 0.7, 0}, 3};
    write_sheet("floor.obj", &floor, 0);
    write_sheet("wall.obj", &standing, 0);
    assert_event("floor.obj wall.obj --between", "touches", 0, "depth");
    write_sheet("wall.obj", &flat, 0);
    assert_event("floor.obj wall.obj --between", "touches", 0, "depth");
    write_sheet("wall.obj", &through, 0);
    assert_event("floor.obj wall.obj --between", "cuts", 0.3, "extent");
    write_sheet("wall.obj", &row, 0);
    assert_event("floor.obj wall.obj --between", "cuts", 0.25, "extent");
    write_sheet("wall.obj", &border, 0);
    assert_event("floor.obj wall.obj --between", "cuts", 0.4, "extent");
    write_sheet("wall.obj", &border_row, 0);
    assert_event("floor.obj wall.obj --between", "cuts", 0.4, "extent");
    // an open body in a closed one, at most 0.6 from its surface
    write_cube("outer.obj", 0, 0, 1, CLOSED);
    write_cube("inner.obj", 0.1, 0, 0.4, CLOSED - 1);
    assert_event("outer.obj inner.obj --between", "inside", 0.6, "extent");
}

// a wall through a floor, both of random meshes and turned: the smaller part reaches as far as it was made
static void test_random_walls(void** state) {
    (void)state;
    const uint32_t count = effort(10, 60, 600);
    for (uint32_t seed = 1; seed <= count; ++seed) {
        test_random random = random_seed(seed);
        const double down = random_double(&random, 0.05, 0.45);
        const double angle = random_double(&random, 0, 6);
        const sheet floor = {{-2, -2, 0}, {4, 0, 0}, {0, 4, 0}, 1 + (int)random_below(&random, 9)};
        const sheet wall = {{random_double(&random, -0.5, 0.5), -0.45, -down},
                            {0, 1, 0},
                            {0, 0, 1},
                            1 + (int)random_below(&random, 9)};
        write_sheet("floor.obj", &floor, angle);
        write_sheet("wall.obj", &wall, angle);
        print_message("seed %u\n", seed);
        assert_event("floor.obj wall.obj --between", "cuts", down, "extent");
    }
}

// boxes that overlap at a corner: the depth is the least overlap along an axis
static void test_random_boxes(void** state) {
    (void)state;
    const uint32_t count = effort(8, 60, 600);
    for (uint32_t seed = 1; seed <= count; ++seed) {
        test_random random = random_seed(seed);
        const double lo[3] = {0, 0, 0};
        double hi[3];
        double from[3];
        double to[3];
        double least = 9;
        for (int d = 0; d < 3; ++d) {
            hi[d] = random_double(&random, 1, 3);
            from[d] = hi[d] - random_double(&random, 0.1, 0.9);
            to[d] = hi[d] + random_double(&random, 1, 2);
            least = fmin(least, hi[d] - from[d]);
        }
        write_box_at("a.obj", lo, hi, CLOSED);
        write_box_at("b.obj", from, to, CLOSED);
        print_message("seed %u\n", seed);
        assert_event("a.obj b.obj --between", "cuts", least, "depth");
    }
}

static void test_clearance_and_sweeps(void** state) {
    (void)state;
    write_cube("a.obj", 0, 0, 1, CLOSED);
    write_cube("b.obj", 2.5, 0, 1, CLOSED);
    assert_event("a.obj b.obj --between --margin 0.6", "near", 0, "depth");
    assert_event("a.obj b.obj --within 0.6", "near", 0, "depth");
    assert_json_number("check a.obj b.obj --margin 0.6 --between --events --json -", 1,
                       "events 0 distance", 0.5);
    assert_json_number("check a.obj b.obj --within 0.6 --events --json -", 1, "events 0 distance",
                       0.5);
    write_cube("way_1.obj", -3, 0, 0.5, CLOSED);
    write_cube("way_2.obj", 3, 0, 0.5, CLOSED);
    assert_event("a.obj 'way_*.obj' --between --sweep", "between", 0, "depth");
    assert_exit("check a.obj 'way_*.obj' --between --sweep --fail-if between", 1);
    assert_exit("check a.obj 'way_*.obj' --between --sweep --fail-if cuts", 0);
}

// a cube that passes twice: frames 12 to 14 and 17
static void write_passage(void) {
    static const double places[] = {5, 5, 1.5, 1, 1.5, 5, 5, 1.9, 5};
    write_cube("still.obj", 0, 0, 1, CLOSED);
    for (int i = 0; i < 9; ++i) {
        char name[32];
        snprintf(name, sizeof name, "way_%d.obj", i + 10);
        write_cube(name, places[i], 0.1, 1, CLOSED);
    }
}

#define PASSAGE "check still.obj 'way_*.obj' --between "

static void test_events_over_frames(void** state) {
    (void)state;
    write_passage();
    for (int jobs = 1; jobs <= 3; jobs += 2) {
        char command[256];
        snprintf(command, sizeof command, PASSAGE "--events --json - --jobs %d", jobs);
        outcome o = run_expecting(command, 1);
        const char* json = json_root(o.out);
        assert_int_equal(json_size(json_at(json, "events")), 2);
        assert_int_equal(json_number(json, "events 0 first"), 12);
        assert_int_equal(json_number(json, "events 0 last"), 14);
        assert_int_equal(json_number(json, "events 0 worst"), 13);
        assert_int_equal(json_number(json, "events 0 frames"), 3);
        assert_true(fabs(json_number(json, "events 0 depth") - 1) < 1e-6);
        assert_int_equal(json_number(json, "events 1 first"), 17);
        assert_int_equal(json_number(json, "events 1 last"), 17);
        assert_true(fabs(json_number(json, "events 1 depth") - 0.1) < 1e-6);
        free_outcome(&o);
    }
    assert_prints(PASSAGE "--events", 1, "cuts through     12    14     13");
}

static void test_conditions_decide_the_exit_code(void** state) {
    (void)state;
    static const struct {
        const char* text;
        int code;
    } all[] = {{"depth > 0.5", 1},
               {"depth > 1.5", 0},
               {"depth>=0.5", 1},
               {"depth < 0.2", 1},
               {"depth < 0.05", 0},
               {"depth > 5%", 1},  // the diagonal in frame 10 is about 7.9
               {"depth > 20 %", 0},
               {"depth > 900mm", 1},
               {"depth > 110cm", 0},
               {"DEPTH > 0.9 m", 1},
               {"length > 2 frames", 1},
               {"length > 3", 0},
               {"length = 1 frame", 1},
               {"length > 0.09 s", 1},
               {"length > 0.11 s", 0},
               {"pairs > 10", 1},
               {"pairs > 100 pairs", 0},
               {"pairs != 0", 1},
               {"inside", 0},
               {"cuts", 1},
               {"not cuts", 0},
               {"cuts and depth > 2 or length > 5", 0},
               {"depth > 2 or length > 2 and cuts", 1},
               {"(depth > 0.5 or pairs > 100) and length < 3", 0},
               {"not (depth > 0.5 or pairs > 100)", 1},
               {"not not not cuts", 0},
               {"distance > 0", 0}};
    write_passage();
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        char command[256];
        snprintf(command, sizeof command, PASSAGE "--units m --fail-if '%s'", all[i].text);
        assert_prints(command, all[i].code, all[i].code ? "Fails: " : "Passes: none of 2 events");
    }
    assert_json_number(PASSAGE "--fail-if 'depth > .5' --json -", 1, "summary fail_if failing", 1);
    assert_exit(PASSAGE "--fail-if 'depth > .5' --html h.html", 1);
    char* html = read_whole("h.html");
    assert_non_null(strstr(html, "Fails: 1 of 2 events meets --fail-if 'depth > .5'"));
    free(html);
    // what is known does not count
    assert_exit(PASSAGE "--fail-if 'depth > .5' --ignore still,*", 0);
    assert_exit(PASSAGE "--fail-if 'depth > .5' --baseline 12 --by component", 0);
    assert_exit(PASSAGE "--frames 10:11 --fail-if cuts", 0);
    assert_exit(PASSAGE "--frames 10:11 --fail-if cuts --expect 'still,way*'", 1);
}

static void test_errors_name_the_column(void** state) {
    (void)state;
    static const struct {
        const char* text;
        const char* said;
    } all[] = {{"depth > > 2", "column 9: a number"},
               {"depth 2", "column 7: a comparison"},
               {"depth > 2 frames", "column 11: the unit of a depth"},
               {"length > 2 mm", "column 12: the unit of a length"},
               {"pairs > 2%", "column 10: pairs have no unit"},
               {"pairs > 2 pairs depth", "column 17: "},
               {"(cuts", "column 6: "},
               {"cuts)", "column 5: "},
               {"cuts or", "column 8: "},
               {"ünd", "column 1: "},
               {"cuts ü", "column 6: "},
               {"depth > nan", "column 9: a number"}};
    write_passage();
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        char command[256];
        snprintf(command, sizeof command, PASSAGE "--fail-if '%s'", all[i].text);
        assert_refuses(command, all[i].said);
    }
    assert_refuses(PASSAGE "--fail-if 'depth > 2mm'", "--units");
    assert_refuses(PASSAGE "--units inch --fail-if 'depth > 2mm'", "mm, cm or m");
    char deep[2048] = PASSAGE "--fail-if '";
    for (int i = 0; i < 400; ++i) {
        strcat(deep, "(");
    }
    assert_refuses(strcat(deep, "'"), "too deep");
    char more[4096] = PASSAGE "--fail-if 'cuts";
    for (int i = 0; i < 300; ++i) {
        strcat(more, " or cuts");
    }
    assert_refuses(strcat(more, "'"), "too long");
}

// random words are refused in a sentence, or they are a condition
static void test_random_conditions(void** state) {
    (void)state;
    static const char* const words[] = {"depth ", "> ",     "2 ",   "mm ",    "and ",
                                        "or ",    "not ",   "( ",   ") ",     "cuts ",
                                        "% ",     "pairs ", "1e9 ", "frames "};
    write_passage();
    const uint32_t count = effort(40, 300, 3000);
    for (uint32_t seed = 1; seed <= count; ++seed) {
        test_random random = random_seed(seed);
        char command[512] = PASSAGE "--frames 10 --units m --fail-if '";
        for (uint32_t i = 1 + random_below(&random, 7); i > 0; --i) {
            strcat(command, words[random_below(&random, sizeof words / sizeof *words)]);
        }
        strcat(command, "'");
        outcome o = run(command);
        if (o.code != 0 && (o.code != 2 || strstr(o.err, "column ") == NULL)) {
            fail_msg("seed %u: abut %s: exit code %d: %s", seed, command, o.code, o.err);
        }
        free_outcome(&o);
    }
}

// A cube falls through a floor at a random speed: contact begins and ends between frames, at times known by
// arithmetic. Two floors give two events; one that is passed within a step has no frame of its own.
static void test_times_between_frames(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(6, 40, 400); ++seed) {
        test_random random = random_seed(seed);
        const double speed = random_double(&random, 0.3, 1.5);
        const double height = random_double(&random, 1.2, 3);
        const double half = 0.25;
        for (int i = 0; i < 12; ++i) {
            char name[32];
            snprintf(name, sizeof name, "fall_%02d.obj", i);
            const double z = height - speed * i;
            const double box[1][2][3] = {{{-half, -half, z - half}, {half, half, z + half}}};
            write_boxes(name, box, 1, CLOSED, CLOSED);
        }
        write_file("floor.obj", "v -2 -2 0\nv 2 -2 0\nv 0 3 0\nf 1 2 3\n");
        outcome o = run_expecting(
            "check 'fall_*.obj' floor.obj --between --intervals --fps 1 --json o.json", 1);
        free_outcome(&o);
        char* text = read_whole("o.json");
        const char* json = json_root(text);
        const double begins = json_number(json, "events 0 begins");
        const double ends = json_number(json, "events 0 ends");
        if (fabs(begins - (height - half) / speed) > 1e-5 ||
            fabs(ends - (height + half) / speed) > 1e-5) {
            fail_msg("seed %llu: from %g to %g, not from %g to %g", (unsigned long long)seed,
                     begins, ends, (height - half) / speed, (height + half) / speed);
        }
        assert_non_null(strstr(text, "\"continuous\": true"));
        free(text);
    }
    // a thin floor is passed within a step, and touched a second time by the way back
    for (int i = 0; i < 6; ++i) {
        char name[32];
        snprintf(name, sizeof name, "hop_%02d.obj", i);
        const double z = i % 2 == 0 ? 1 : -1;
        const double box[1][2][3] = {{{-0.1, -0.1, z - 0.1}, {0.1, 0.1, z + 0.1}}};
        write_boxes(name, box, 1, CLOSED, CLOSED);
    }
    assert_prints("check 'hop_*.obj' floor.obj --between --intervals", 1, "0.45  0.55|4.45  4.55");
    assert_json_number("check 'hop_*.obj' floor.obj --between --intervals --json -", 1,
                       "events 4 first", 5);
    // without --intervals, frames are joined
    assert_json_number("check 'hop_*.obj' floor.obj --between --events --sweep --json -", 1,
                       "events 0 last", 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_closed_bodies_have_depth),
        IN_FOLDER(test_open_surfaces_have_extent),
        IN_FOLDER(test_random_walls),
        IN_FOLDER(test_random_boxes),
        IN_FOLDER(test_clearance_and_sweeps),
        IN_FOLDER(test_events_over_frames),
        IN_FOLDER(test_conditions_decide_the_exit_code),
        IN_FOLDER(test_errors_name_the_column),
        IN_FOLDER(test_times_between_frames),
        IN_FOLDER(test_random_conditions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
