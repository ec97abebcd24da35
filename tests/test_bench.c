// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut bench: it lists the rows, measures one by name, and a build without benchmarks says how to
// get them. Both sides use the instruction set that is asked for. The test does not judge times.
#define _POSIX_C_SOURCE 200809L

#include "test_command_support.h"

// the exact names, because other tools look them up
static const char rows[] =
    "refit 100k vs Embree|refit 1M vs Embree|refit 1M vs bandwidth bound|"
    "update+collide cloth16k worst frame vs Embree|update+collide blobs160k worst frame vs Embree|"
    "funnel scene update+collide vs Embree per object|self cloth16k vs Embree|"
    "self cloth64k vs Embree|self curtain vs Embree|self blobs160k vs Embree|"
    "build 160k vs Embree Morton|2 threads self cloth64k idle|2 threads update+collide blobs160k|"
    "2 threads vs 1, busy machine";

typedef struct wanted_row {
    const char* name;
    double at_least;
    double aim;
} wanted_row;

static const wanted_row free_rows[] = {
    {"2 threads vs 1, busy machine", 0.95, 1.2},
    {"2 threads self cloth64k idle", 1.5, 1.9},
    {"self cloth16k vs Embree", 15, 40},
    {"self cloth16k vs Embree avx2", 15, 30},
    {"self cloth64k vs Embree avx2", 18, 35},
    {"self curtain vs Embree avx2", 9, 16},
    {"self blobs160k vs Embree avx2", 30, 80},
    {"update+collide cloth16k worst frame vs Embree avx2", 3, 5},
    {"funnel scene update+collide vs Embree per object avx2", 3, 5},
};

static const wanted_row rays_rows[] = {
    {"first hit static 1M coherent vs Embree", 0.3, 0.8},
    {"first hit static 1M random vs Embree", 0.3, 0.8},
    {"update + 1000 rays cloth64k vs Embree refit", 3, 10},
    {"pick among 1000 skinned characters vs skin the hit boxes + Embree", 5, 30},
    {"pick among 1000 skinned characters vs skin all + Embree refit", 200, 2000},
    {"1000 rays one skinned character 45k vs skin + Embree refit", 1.5, 5},
    {"features within d cloth16k vs triangle pairs + all features", 2, 5},
    {"closest of 100k points static 160k vs Embree point query", 2, 6},
    {"closest of 100k points static 160k vs CGAL tree", 5, 20},
    {"update + 1000 closest points modal 196k vs deform + Embree", 20, 100},
    {"contains 100k points vs CGAL side of mesh", 5, 20},
    {"update + 1000 closest points all over modal 196k vs deform + Embree", 0, 0},
};

static const wanted_row hard_rows[] = {
    {"loose quads 20k vs Embree rebuild", 1, 3},
    {"loose patches 20k vs Embree best", 1.2, 3},
    {"crossing sheets 20k vs Embree best", 2, 4},
    {"slivers 20k vs Embree best", 2, 4},
    {"1000 boxes vs Embree best", 2, 5},
    {"rigid distance 20k worst frame vs FCL OBBRSS", 1, 3},
    {"rigid distance 160k worst frame vs FCL OBBRSS", 1, 3},
    {"rigid collide 20k worst frame vs FCL OBBRSS", 1, 3},
    {"rigid collide 160k worst frame vs FCL OBBRSS", 1, 3},
    {"fan 10k, triangles of a cloth over fan (time a triangle)", 0.1, 0.5},
    {"far 1e7, at the origin over far", 0.7, 0.95},
    {"concentric balls 317k, Embree point query of each vertex over nearest", 1, 10},
    {"collide over depth, balls 2 x 40k, centres 0.6 radii apart", 0.1, 0.3},
    {"collide over depth, ball 78k wholly inside", 0.005, 0.05},
    {"first self query modal 239k M=10, deform + first free over it", 0.7, 1},
    {"certificates modal 239k M=10, self queries until paid below 250 (250 / seen)", 1, 4},
    {"static 1M in the command, PLY time over STL time", 0.6, 0.9},
};

static const wanted_row bdtree_rows[] = {
    {"curtain 12k M=12", 25, 50},
    {"curtain 196k M=12", 150, 250},
    {"curtain 196k M=30", 200, 400},
    {"curtain 1 ball to 256 balls worst", 0.9, 1},
    {"sphere update M=12 vs reading its bytes", 0.5, 0.8},
    {"chairs rigid/deformable", 0.5, 0.77},
    {"self bridge small q", 30, 200},
    {"self curtain", 2, 5},
};

static const wanted_row bounds_rows[] = {
    {"root box 145k n=509 vs optimal", 500, 1000},
    {"root radius optimal/ours n=65", 0.67, 0.77},
    {"root radius optimal/ours n=509", 0.8, 0.87},
    {"ring 45k none", 12, 25},
    {"ring 45k small", 5, 10},
    {"ring 45k large", 2.2, 4},
    {"ring 3k small", 0.95, 1.5},
    {"ring 3k large", 0.95, 1.5},
    {"fishes", 4, 12},
    {"self figure walking", 2, 5},
    {"rivals plain loop over rival, worst of all", 0.95, 1.2},
    {"rivals plain loop over rival, worst of all avx2", 0.95, 1.2},
    {"ring 3k large avx2", 0.95, 1.5},
    {"table 1: microseconds for the root box of the brain", 0, 0},
    {"table 2: milliseconds of a frame, ring and fishes", 0, 0},
    {"figure 5: radius over the best one by level, brain", 0, 0},
    {"table: eq. 11 against the corners of the weights (appendix B)", 0, 0},
    {"table: front tracking (section 3.4) against lazy from the root", 0, 0},
    {"table: where lazy loses", 0, 0},
};

static const wanted_row kinetic_rows[] = {
    {"kinetic update cloth16k F=100", 5, 12},
    {"kinetic update cloth64k F=100", 5, 15},
    {"kinetic update dress64k F=100", 5, 15},
    {"kinetic update cloth16k F=13", 0.95, 2},
    {"list light contact F=30", 10, 20},
    {"list heavy contact F=30", 15, 30},
    {"list light contact F=100", 25, 60},
    {"list heavy contact F=100", 45, 100},
    {"spheres velocity reversal", 3, 5},
    {"choice cloth16k F=1", 0.95, 1},
    {"choice cloth16k F=10", 1.5, 4},
    {"cut sheet32k by a blade", 1.3, 2},
    {"cut sheet32k, pairs within it", 0, 0},
    {"kinetic AABB update cloth16k F=30", 3, 6},
    {"kinetic AABB update dress64k F=30", 3, 8},
    {"kinetic AABB update dress580k F=30", 5, 12},
    {"expanding spheres kinetic AABB", 2, 5},
    {"BoxTree update cloth16k F=100", 1, 4},
    {"BoxTree update dress64k F=100", 1, 4},
    {"kinetic AABB update cloth16k F=30, event by event", 0, 0},
};

static const wanted_row sweep_rows[] = {
    {"near miss vertex-face", 30, 100},
    {"near miss edge-edge", 30, 100},
    {"crossing vertex-face", 60, 300},
    {"crossing edge-edge", 60, 300},
    {"self-sweep cloth16k vs swept boxes and reference", 25, 45},
    {"self-sweep skirt vs swept boxes and reference", 10, 40},
    {"modal and blend bodies without contact vs sweeping all vertices", 8, 30},
    {"sweep skirt, trees vs Voronoi culling", 0, 0},
    {"sweep cloth on ball, trees vs Voronoi culling", 0, 0},
};
static const wanted_row voronoi_rows[] = {
    {"distance+update blobs20k vs FCL", 6, 20},
    {"distance+update blobs160k vs FCL", 6, 40},
    {"distance+update cloth16k vs FCL", 5, 15},
    {"200 letters vs AABB hierarchy", 3, 8},
    {"200 letters vs grid Voronoi", 3, 8},
    {"200 letters vs FCL manager", 5, 20},
    {"all triangles cloth 12k vs descent per triangle", 3, 6},
    {"exact tests skirt", 5, 50},
    {"exact tests cloth ball", 5, 50},
    {"exact tests bowl", 5, 50},
    {"exact tests letters", 5, 100},
    {"exact tests breaking", 5, 50},
    {"two boxes vs FCL", 1, 3},
    {"table 1: milliseconds of a frame, five scenes", 0, 0},
    {"figure 12: milliseconds of the stages", 0, 0},
    {"figure 13: exact tests of a frame", 0, 0},
    {"figure 14: resolution of the grid, letters", 0, 0},
    {"figure 15: milliseconds over frames, letters", 0, 0},
};

static void test_lists_rows(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    assert_prints("bench free --list", 0, rows);
}

// the numbers behind a name at the start of a line
static bool lists(const char* text, const wanted_row* row) {
    const size_t length = strlen(row->name);
    const char* line = text;
    while (line != NULL && (strncmp(line, row->name, length) != 0 || line[length] != ' ' ||
                            line[length + 1] != ' ')) {
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    char* end = NULL;
    const double at_least = line != NULL ? strtod(line + length, &end) : 0;
    return line != NULL && at_least == row->at_least && strtod(end, NULL) == row->aim;
}

static void check_list(const char* line, const wanted_row* wanted, size_t count) {
    outcome o = run_expecting(line, 0);
    for (size_t i = 0; i < count; ++i) {
        if (!lists(o.out, &wanted[i])) {
            fail_msg("'%s' is not listed with %g and %g:\n%s", wanted[i].name, wanted[i].at_least,
                     wanted[i].aim, o.out);
        }
    }
    free_outcome(&o);
}

static void test_lists_rows_of_papers(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    check_list("bench free --list", free_rows, sizeof free_rows / sizeof *free_rows);
    check_list("bench hard --list", hard_rows, sizeof hard_rows / sizeof *hard_rows);
    check_list("bench rays --list", rays_rows, sizeof rays_rows / sizeof *rays_rows);
    check_list("bench bdtree --list", bdtree_rows, sizeof bdtree_rows / sizeof *bdtree_rows);
    check_list("bench bounds --list", bounds_rows, sizeof bounds_rows / sizeof *bounds_rows);
    check_list("bench kinetic --list", kinetic_rows, sizeof kinetic_rows / sizeof *kinetic_rows);
    check_list("bench sweep --list", sweep_rows, sizeof sweep_rows / sizeof *sweep_rows);
    check_list("bench voronoi --list", voronoi_rows, sizeof voronoi_rows / sizeof *voronoi_rows);
}

// each row has the values of the paper, and the list has its tables and figures
static void test_shows_what_the_paper_has(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    const char* line =
        "bench bdtree --quick --json - --plots . "
        "--rows '^curtain 12k M=12$|^table: fixed|^table: bound of small'";
    outcome o = run_expecting(line, 0);
    assert_says(line, o.out,
                "\"bench\": \"bdtree\"|\"paper\": \"2250x\"|\"same_answer\": true|"
                "\"title\": \"table: fixed costs\"|set 12 coordinates|after 4 frames");
    free_outcome(&o);
    char* plot = read_whole("bench-bdtree-temporal.svg");
    assert_says("the figure", plot, "<svg |4 frames|</svg>");
    free(plot);
}

// a row without a peer: two instruction sets of abut must find the same pairs
static void test_measures_a_row(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    const char* line =
        "bench free --quick --rows '^self cloth16k vs our scalar$' --json - --plots .";
    outcome o = run_expecting(line, 0);
    assert_says(line, o.out,
                "\"bench\": \"free\"|\"seed\": 1|\"name\": \"self cloth16k vs our scalar\"|"
                "\"same_answer\": true|\"other\": \"abut, scalar\"|\"exact_tests\": |\"ratio\": |"
                "\"worst_pairs\": ");
    // medians are at most the worst frame
    const char* root = json_root(o.out);
    assert_true(json_number(root, "rows 0 worst_ms") >= json_number(root, "rows 0 ours_ms"));
    assert_true(json_number(root, "rows 0 other_worst_ms") >= json_number(root, "rows 0 other_ms"));
    free_outcome(&o);
    char* plot = read_whole("bench-free.svg");
    assert_says("the plot", plot, "<svg |self cloth16k vs our scalar|</svg>");
    free(plot);
}

// kinetic bounds against interpolation and refit, and against the exact formula
static void test_measures_keyframes(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    const char* line = "bench kinetic --quick --rows '^choice cloth16k F=10$' --json -";
    outcome o = run_expecting(line, 0);
    assert_says(line, o.out,
                "\"bench\": \"kinetic\"|\"name\": \"choice cloth16k F=10\"|"
                "\"same_answer\": true|\"other\": \"interpolate+refit\"|390 frames");
    free_outcome(&o);
}

// Runs the row that proves that rivals compute the same as plain loops, with an instruction set;
// false if this machine lacks the set.
static bool run_rivals(const char* isa, const char* which, outcome* o) {
    char line[128];
    snprintf(line, sizeof line, "bench bounds --quick --rows '^rivals.*%s' --json -", which);
    setenv("ABUT_ISA", isa, 1);
    *o = run(line);
    unsetenv("ABUT_ISA");
    if (o->code == 2) {
        assert_says(line, o->err, "ABUT_ISA");
        free_outcome(o);
        return false;
    }
    assert_int_equal(o->code, 0);
    assert_null(strstr(o->out, "\"same_answer\": false"));
    return true;
}

static void test_both_sides_obey_the_instruction_set(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    outcome o;
    assert_true(run_rivals("scalar", "all$", &o));
    assert_says("scalar", o.out, "\"isa\": \"scalar\"|\"cpu\": |library scalar, rivals scalar");
    assert_null(strstr(o.out, "avx2"));
    free_outcome(&o);
}

// With another set the row with AVX2 is measured by itself; with AVX2 it is a copy. Two
// measurements never take the same time to all digits.
static void test_marked_rows_are_repeated_with_avx2(void** state) {
    (void)state;
    outcome o;
    if (!has_bench() || !run_rivals("avx2", "", &o)) {
        skip();
    }
    assert_says("avx2", o.out, "\"isa\": \"avx2\"|worst of all\"|worst of all avx2\"|rivals avx2");
    const char* root = json_root(o.out);
    assert_true(json_number(root, "rows 0 ratio") == json_number(root, "rows 1 ratio"));
    free_outcome(&o);
    assert_true(run_rivals("scalar", "", &o));
    assert_says("scalar", o.out, "rivals scalar|library avx2, rivals avx2|\"isa\": \"scalar\"");
    root = json_root(o.out);
    assert_json_text(root, "rows 1 name", "rivals plain loop over rival, worst of all avx2");
    assert_true(json_number(root, "rows 0 ratio") != json_number(root, "rows 1 ratio"));
    free_outcome(&o);
    assert_true(run_rivals("avx2", "avx2$", &o));  // alone
    assert_null(strstr(o.out, "worst of all\""));
    assert_says("avx2", o.out, "worst of all avx2\"");
    free_outcome(&o);
}

static void test_refuses_unknown_instruction_sets(void** state) {
    (void)state;
    if (!has_bench()) {
        skip();
    }
    setenv("ABUT_ISA", "AVX-1024", 1);
    assert_refuses("bench bounds --rows '^rivals'", "ABUT_ISA is 'AVX-1024'|it has: scalar");
    unsetenv("ABUT_ISA");
}

static void test_refuses_what_it_cannot_do(void** state) {
    (void)state;
    if (!has_bench()) {
        assert_refuses("bench free", "make bench");
        return;
    }
    assert_refuses("bench", "free");
    assert_refuses("bench nothing", "free");
    assert_refuses("bench free --rows '['", "regular expression");
    assert_refuses("bench free --rows '^no such row$'", "--list");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_lists_rows),
        IN_FOLDER(test_lists_rows_of_papers),
        IN_FOLDER(test_shows_what_the_paper_has),
        IN_FOLDER(test_measures_a_row),
        IN_FOLDER(test_measures_keyframes),
        IN_FOLDER(test_both_sides_obey_the_instruction_set),
        IN_FOLDER(test_marked_rows_are_repeated_with_avx2),
        IN_FOLDER(test_refuses_unknown_instruction_sets),
        IN_FOLDER(test_refuses_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
