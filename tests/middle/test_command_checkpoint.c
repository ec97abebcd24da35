// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut demo --checkpoint and --resume: a simulation that goes on from a file gives the same bits as
// one that was never interrupted, and no damaged file is taken.
#define _POSIX_C_SOURCE 200809L
#include "test_command_support.h"

#include "support/random.h"

#include <math.h>

static bool is_quick(void) {
    const char* effort = getenv("ABUT_TEST_EFFORT");
    return effort != NULL && strcmp(effort, "quick") == 0;
}

// The same file, byte by byte.
static void assert_same_files(const char* a, const char* b) {
    char command[256];
    snprintf(command, sizeof command, "cmp %s %s >&2", a, b);
    assert_int_equal(system(command), 0);
}

static size_t size_of(const char* path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return (size_t)info.st_size;
}

static void run_quietly(const char* arguments) {
    outcome o = run_expecting(arguments, 0);
    free_outcome(&o);
}

// Contacts begin before the checkpoint, and some bodies touch after it.
static void test_going_on_gives_the_same_bits(void** state) {
    (void)state;
    run_quietly("demo chairs --bodies 8 --triangles 200 --frames 30 --snapshot whole.ply");
    run_quietly("demo chairs --bodies 8 --triangles 200 --frames 20 --checkpoint pile");
    outcome o = run_expecting("demo chairs --resume pile --frames 30 --snapshot parts.ply --json -",
                              0);
    const char* json = json_root(o.out);
    assert_int_equal(json_number(json, "summary resumed_at"), 20);
    assert_int_equal(json_number(json, "bodies"), 8);
    assert_int_equal(json_size(json_at(json, "frames")), 30);
    assert_true(json_number(json, "frames 18 contacts") > 0);
    assert_true(json_number(json, "frames 29 contacts") > 0);
    assert_true(json_number(json, "manners 2 contacts") > 0);
    free_outcome(&o);
    assert_same_files("whole.ply", "parts.ply");
    o = run_expecting("demo chairs --resume pile --frames 25", 0);  // nothing is left to do
    assert_says("demo chairs --resume", o.out, "from frame 30 of the checkpoint pile");
    free_outcome(&o);
}

// ---- the record of steps

enum {
    COLUMNS = 15,
    STEP = 1,
    TIME,
    CONTACTS,
    PUSHES,
    UPDATE = 8,
    COLLIDE,
    DYNAMICS,
    BYTES = 12,
    KINETIC,
    STORED
};

typedef struct record {
    char* text;
    size_t count;
    const char* cells[512][COLUMNS];
} record;

static void split_record(record* r, const char* path) {
    r->text = read_whole(path);
    r->count = 0;
    char* line_state;
    char* line = strtok_r(r->text, "\n", &line_state);
    assert_string_equal(
        line,
        "manner,step,time,contacts,pushes,between,sphere_tests,spheres_updated,update_ms,"
        "collide_ms,dynamics_ms,clock_ms,bytes,kinetic,stored");
    while ((line = strtok_r(NULL, "\n", &line_state)) != NULL) {
        char* state;
        assert_true(r->count < 512);
        for (size_t c = 0; c < COLUMNS; ++c) {
            r->cells[r->count][c] = strtok_r(c == 0 ? line : NULL, ",", &state);
            assert_non_null(r->cells[r->count][c]);
        }
        assert_null(strtok_r(NULL, ",", &state));
        ++r->count;
    }
}

static double cell(const record* r, size_t row, size_t column) {
    return strtod(r->cells[row][column], NULL);
}

// All that does not depend on the clock and on when memory was allocated.
static void assert_same_steps(const record* a, const record* b) {
    static const size_t same[] = {0, STEP, TIME, CONTACTS, PUSHES, 5, 6, 7, KINETIC, STORED};
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; ++i) {
        for (size_t k = 0; k < sizeof same / sizeof *same; ++k) {
            assert_string_equal(a->cells[i][same[k]], b->cells[i][same[k]]);
        }
    }
}

// Sums over the steps of a frame are what the JSON has of the frame.
static void assert_adds_up(const record* r, const char* json, uint32_t frames) {
    char path[64];
    for (uint32_t f = 0; f < frames; ++f) {
        double contacts = 0;
        for (size_t i = 0; i < 5; ++i) {
            contacts += cell(r, 5 * f + i, CONTACTS) / 5;
        }
        snprintf(path, sizeof path, "frames %u contacts", f);
        assert_true(fabs(contacts - json_number(json, path)) < 1);
        snprintf(path, sizeof path, "frames %u kinetic", f);
        assert_true(fabs(cell(r, 5 * f + 4, KINETIC) / json_number(json, path) - 1) < 1e-6);
        snprintf(path, sizeof path, "frames %u time", f);
        assert_true(fabs(cell(r, 5 * f + 4, TIME) - json_number(json, path)) < 1e-5);
    }
}

static void assert_plausible(const record* r, uint32_t steps) {
    static const char* const manners[] = {"deformable", "rigid", "redundant"};
    assert_int_equal(r->count, 3 * steps);
    for (size_t i = 0; i < r->count; ++i) {
        assert_string_equal(r->cells[i][0], manners[i / steps]);
        assert_true(cell(r, i, STEP) == (double)(i % steps + 1));
        assert_true(cell(r, i, UPDATE) >= 0 && cell(r, i, COLLIDE) > 0 && cell(r, i, DYNAMICS) > 0);
        assert_true(cell(r, i, BYTES) > 1000);
        // what falls freely loses in height what it gains in speed, and contacts take energy
        const double before = i % steps == 0 ? INFINITY
                                             : cell(r, i - 1, KINETIC) + cell(r, i - 1, STORED);
        assert_true(cell(r, i, KINETIC) + cell(r, i, STORED) < 1.001 * before);
    }
}

static void test_every_step_is_recorded(void** state) {
    (void)state;
    static record whole;
    static record parts;
    outcome o = run_expecting(
        "demo chairs --bodies 8 --triangles 200 --frames 20 --csv whole.csv --json -", 0);
    split_record(&whole, "whole.csv");
    assert_plausible(&whole, 100);
    assert_adds_up(&whole, json_root(o.out), 20);
    assert_true(cell(&whole, 99, CONTACTS) > 0);
    free_outcome(&o);
    run_quietly("demo chairs --bodies 8 --triangles 200 --frames 13 --checkpoint pile");
    run_quietly("demo chairs --resume pile --frames 20 --csv parts.csv");
    split_record(&parts, "parts.csv");
    assert_same_steps(&whole, &parts);
    free(whole.text);
    free(parts.text);
    assert_refuses("demo curtain --csv a.csv", "--csv|'chairs' and 'shoal'");
    assert_refuses("demo chairs --csv - --json -", "output");
    assert_refuses("demo chairs --csv a.obj", "a.obj|mesh");
    assert_refuses("demo chairs --bridge 5", "--bridge|'shoal'");
}

static void test_the_bridge_goes_on_swaying(void** state) {
    (void)state;
    if (is_quick()) {
        skip();  // the modes of the bridge take seconds
    }
    run_quietly("demo shoal --bodies 6 --triangles 800 --frames 30 --snapshot whole.ply");
    run_quietly("demo shoal --bodies 6 --triangles 800 --frames 17 --checkpoint fish");
    run_quietly("demo shoal --resume fish --frames 30 --snapshot parts.ply");
    assert_same_files("whole.ply", "parts.ply");
}

// Writes the first `size` bytes of a file, with one bit flipped if `flip` is less than their number.
static void write_damaged(const char* from, const char* to, size_t size, size_t flip) {
    char* bytes = read_whole(from);
    FILE* file = fopen(to, "w");
    assert_non_null(file);
    if (flip < size) {
        bytes[flip] = (char)(bytes[flip] ^ 16);
    }
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(bytes);
}

static void test_no_damaged_file_is_taken(void** state) {
    (void)state;
    const uint32_t seed = 1;
    test_random random = random_seed(seed);
    run_quietly("demo chairs --bodies 2 --triangles 300 --frames 1 --checkpoint pile");
    const size_t size = size_of("pile");
    print_message("seed %u, %zu bytes\n", seed, size);
    for (uint32_t i = 0; i < (is_quick() ? 20 : 200); ++i) {
        const bool cut = i % 2 == 0;
        const size_t at = random_below(&random, (uint32_t)size);
        print_message("byte %zu, %s\n", at, cut ? "cut" : "flipped");
        write_damaged("pile", "bad", cut ? at : size, cut ? size : at);
        assert_refuses("demo chairs --resume bad", "--resume|'bad'");
    }
    for (size_t at = 0; at < 72; at += 8) {  // every word of the head
        write_damaged("pile", "bad", size, at);
        assert_refuses("demo chairs --resume bad", "--resume|'bad'");
    }
    write_file("bad", "");
    assert_refuses("demo chairs --resume bad", "not a checkpoint");
    assert_refuses("demo chairs --resume .", "--resume|.");
    assert_refuses("demo chairs --resume nothing", "--resume|nothing");
    assert_int_equal(size_of("pile"), size);
}

static void test_wrong_uses_are_refused(void** state) {
    (void)state;
    run_quietly("demo chairs --bodies 2 --triangles 300 --frames 1 --checkpoint pile");
    static const char* const wrong[][2] = {
        {"demo chairs --checkpoint pile", "'pile' exists|--resume"},
        {"demo shoal --resume pile", "scene 'chairs'"},
        {"demo chairs --resume pile --bodies 3", "--bodies is 2 in the checkpoint"},
        {"demo chairs --resume pile --triangles 500", "--triangles is 300"},
        {"demo chairs --resume pile --seed 2", "--seed is 1"},
        {"demo chairs --resume pile --checkpoint other", "leave out --checkpoint"},
        {"demo chairs --resume pile --snapshot pile", "pile"},
        {"demo curtain --checkpoint other", "'chairs' and 'shoal'"},
        {"demo tear --resume pile", "'chairs' and 'shoal'"},
        {"demo chairs --bodies 2 --triangles 300 --frames 1 --checkpoint no/such/file", "no/such"},
        {"demo chairs --bodies 2 --triangles 300 --frames 1 --checkpoint /dev/null", "exists"},
    };
    char* before = read_whole("pile");
    const size_t size = size_of("pile");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        assert_refuses(wrong[i][0], wrong[i][1]);
    }
    char* after = read_whole("pile");
    assert_int_equal(size_of("pile"), size);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_going_on_gives_the_same_bits), IN_FOLDER(test_every_step_is_recorded),
        IN_FOLDER(test_the_bridge_goes_on_swaying),   IN_FOLDER(test_no_damaged_file_is_taken),
        IN_FOLDER(test_wrong_uses_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
