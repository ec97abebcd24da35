// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Farms: parts of a check (--part), their merger (abut merge) and runs that continue (--resume). One run over all
// frames is the oracle: merged outputs must have its bytes, and its exit code. Seeds are printed.
#define _POSIX_C_SOURCE 200809L
#include "cli/sha256.h"
#include "support/random.h"
#include "support/world.h"
#include "test_command_support.h"

#include <signal.h>

enum { SIDE = 4, MOST_FRAMES = 12, TEXT = 1024 };

// ---- scenes

static void write_cube(const char* name, double x, double y, double z, double half) {
    const double box[1][2][3] = {{{x - half, y - half, z - half}, {x + half, y + half, z + half}}};
    write_boxes(name, box, 1, CLOSED, CLOSED);
}

// a crumpled sheet; a sheet that is torn lacks a triangle
static void write_sheet(test_random* random, const char* name, bool torn) {
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        fprintf(file, "v %g %g %g\n", i % SIDE + random_double(random, -0.4, 0.4),
                i / SIDE + random_double(random, -0.4, 0.4), random_double(random, -0.8, 0.8));
    }
    for (int i = 0; i < (SIDE - 1) * (SIDE - 1); ++i) {
        const int v = 1 + i / (SIDE - 1) * SIDE + i % (SIDE - 1);
        fprintf(file, "f %d %d %d\n", v, v + 1, v + SIDE);
        if (!torn || i != 0) {
            fprintf(file, "f %d %d %d\n", v + 1, v + SIDE + 1, v + SIDE);
        }
    }
    assert_int_equal(fclose(file), 0);
}

// A sheet, a cube that passes through it, and one that stands still. Returns the number of frames, which are
// numbered from *start on.
static int write_scene(test_random* random, int* start) {
    const int frames = random_between(random, 2, MOST_FRAMES);
    const bool tears = random_chance(random, 0.3);
    *start = random_between(random, 0, 40);
    assert_int_equal(system("rm -rf seq && mkdir seq"), 0);
    for (int i = 0; i < frames; ++i) {
        char name[64];
        snprintf(name, sizeof name, "seq/cloth_%03d.obj", *start + i);
        write_sheet(random, name, tears && random_chance(random, 0.3));
        snprintf(name, sizeof name, "seq/pin_%03d.obj", *start + i);
        write_cube(name, 1.5, 1.5, -2 + 4.0 * i / frames, 0.3);
    }
    write_cube("seq/box.obj", 1.5, 1.5, 1, 0.8);
    return frames;
}

static const char* pick(test_random* random, const char* const* list, uint32_t count) {
    return list[random_below(random, count)];
}

// Writes options; the events among them allow reports.
static void write_options(test_random* random, int start, char text[TEXT], bool* events) {
    static const char* const queries[] = {"",
                                          "--self",
                                          "--between",
                                          "--between --self --neighbours",
                                          "--margin 0.05",
                                          "--nearest",
                                          "--within 0.4",
                                          "--within 0.3 --features --self"};
    static const char* const rules[] = {"", "--ignore 'pin*,box'", "--expect 'cloth*,pin*'",
                                        "--only 'cloth*,*' --ignore 'cloth*'",
                                        "--ignore 'cloth*,pin*' --expect 'pin*,box'"};
    static const char* const measures[] = {"", "--events",
                                           "--fail-if 'depth > 5% or length > 3 frames'",
                                           "--fail-if 'pairs > 6 and cuts' --units cm",
                                           "--intervals"};
    static const char* const known[] = {"", "--baseline rest", "--baseline %d",
                                        "--baseline known --by component"};
    const char* measured = pick(random, measures, 5);
    char base[64];
    snprintf(base, sizeof base, pick(random, known, 4), start + 1);
    if (strncmp(base, "--baseline known", 16) == 0) {
        snprintf(text, TEXT,
                 "check 'seq/cloth_*.obj' seq/box.obj --write-baseline known --by "
                 "component --quiet --frames %d",
                 start);
        outcome o = run(text);
        assert_true(o.code < 2);
        free_outcome(&o);
    }
    *events = measured[0] != '\0';
    snprintf(text, TEXT, "'seq/cloth_*.obj' 'seq/pin_*.obj' seq/box.obj %s %s %s %s %s %s",
             pick(random, queries, 8), pick(random, rules, 5), measured, base,
             random_chance(random, 0.5) ? "--sweep" : "",
             random_chance(random, 0.3) ? "--pairs" : "");
}

// ---- running

static void run_to(const char* arguments, const char* table, int* code) {
    outcome o = run(arguments);
    if (o.code > 1) {
        fail_msg("abut %s: %s", arguments, o.err);
    }
    write_file(table, o.out);
    *code = o.code;
    free_outcome(&o);
}

static void outputs_of(const char* name, bool events, char text[TEXT]) {
    snprintf(text, TEXT, "--json %s.json --csv %s.csv --json-lines %s.jsonl", name, name, name);
    if (events) {
        const size_t used = strlen(text);
        snprintf(text + used, TEXT - used, " --junit %s.xml --sarif %s.sarif --markdown %s.md",
                 name, name, name);
    }
}

static void assert_same_file(uint64_t seed, const char* x, const char* y) {
    char* a = read_whole(x);
    char* b = read_whole(y);
    if (strcmp(a, b) != 0) {
        fail_msg("seed %llu: %s and %s differ", (unsigned long long)seed, x, y);
    }
    free(a);
    free(b);
}

static void assert_same_outputs(uint64_t seed, const char* x, const char* y, bool events) {
    static const char* const endings[] = {"json", "csv", "jsonl", "txt", "xml", "sarif", "md"};
    for (int i = 0; i < (events ? 7 : 4); ++i) {
        char names[2][32];
        snprintf(names[0], 32, "%s.%s", x, endings[i]);
        snprintf(names[1], 32, "%s.%s", y, endings[i]);
        assert_same_file(seed, names[0], names[1]);
    }
}

// the whole run; returns its exit code
static int run_whole(const char* options, bool events) {
    char outputs[TEXT];
    char line[2 * TEXT + 64];
    int code = 0;
    outputs_of("whole", events, outputs);
    snprintf(line, sizeof line, "check %s %s", options, outputs);
    run_to(line, "whole.txt", &code);
    return code;
}

// cuts a run into parts p0.json, p1.json, ...; returns their number
static uint32_t run_parts(test_random* random, const char* options, int start, int frames) {
    uint32_t count = 0;
    for (int first = 0; first < frames;) {
        const int last = random_between(random, first, frames - 1);
        char line[2 * TEXT];
        int code = 0;
        snprintf(line, sizeof line, "check %s --frames %d:%d --part p%u.json %s", options,
                 start + first, start + last, count++,
                 random_chance(random, 0.3) ? "--jobs 2" : "");
        run_to(line, ".part", &code);
        first = last + 1;
    }
    return count;
}

static void list_parts(test_random* random, uint32_t count, char text[TEXT]) {
    uint32_t order[MOST_FRAMES];
    size_t used = 0;
    random_permutation(random, order, count);
    for (uint32_t i = 0; i < count; ++i) {
        used += (size_t)snprintf(text + used, TEXT - used, "p%u.json ", order[i]);
    }
}

static void test_merged_parts_are_the_whole(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(14, 60, 1000); ++seed) {
        test_random random = random_seed(seed);
        char options[TEXT];
        char parts[TEXT];
        char outputs[TEXT];
        char line[3 * TEXT];
        bool events = false;
        int start = 0;
        int merged = 0;
        const int frames = write_scene(&random, &start);
        write_options(&random, start, options, &events);
        const int whole = run_whole(options, events);
        const uint32_t count = run_parts(&random, options, start, frames);
        list_parts(&random, count, parts);
        outputs_of("merged", events, outputs);
        snprintf(line, sizeof line, "merge %s %s", parts, outputs);
        run_to(line, "merged.txt", &merged);
        if (merged != whole) {
            fail_msg("seed %llu: exit code %d, not %d: %s", (unsigned long long)seed, merged, whole,
                     options);
        }
        assert_same_outputs(seed, "whole", "merged", events);
    }
}

// plain JSON of chunks, of queries that it is enough for
static void test_merged_plain_json_is_the_whole(void** state) {
    (void)state;
    static const char* const queries[] = {"",
                                          "--self",
                                          "--margin 0.05",
                                          "--nearest",
                                          "--within 0.4",
                                          "--pairs",
                                          "--between",
                                          "--within 0.3 --features --self"};
    for (uint64_t seed = 1; seed <= effort(8, 40, 400); ++seed) {
        test_random random = random_seed(seed);
        char line[2 * TEXT];
        char parts[TEXT];
        uint32_t count = 0;
        int start = 0;
        int whole = 0;
        int merged = 0;
        const int frames = write_scene(&random, &start);
        const char* query = queries[(seed - 1) % 8];
        snprintf(line, sizeof line,
                 "check 'seq/cloth_*.obj' 'seq/pin_*.obj' seq/box.obj %s --json whole.json", query);
        run_to(line, ".table", &whole);
        for (int first = 0, last; first < frames; first = last + 1) {
            last = random_between(&random, first, frames - 1);
            snprintf(line, sizeof line,
                     "check 'seq/cloth_*.obj' 'seq/pin_*.obj' seq/box.obj %s --frames %d:%d --json "
                     "p%u.json",
                     query, start + first, start + last, count++);
            run_to(line, ".table", &merged);
        }
        list_parts(&random, count, parts);
        snprintf(line, sizeof line, "merge %s --json merged.json", parts);
        run_to(line, ".table", &merged);
        assert_int_equal(merged, whole);
        assert_same_file(seed, "whole.json", "merged.json");
    }
}

static void write_two_parts(void);

static void test_plain_json_that_does_not_fit(void** state) {
    (void)state;
    write_two_parts();
    assert_exit("check seq box.obj --frames 0:1 --json x.json --quiet", 1);
    assert_exit("check seq box.obj --frames 3:3 --json y.json --quiet", 1);
    assert_exit("check seq box.obj --frames 1:2 --json z.json --quiet", 1);
    assert_refuses("merge x.json y.json --json o.json",
                   "frames between 1 (x.json) and 3 (y.json) are in no file");
    assert_refuses("merge x.json z.json --json o.json", "frame 1 is in both x.json and z.json");
    assert_refuses("merge x.json --csv o.csv --json o.json", "--csv write parts");
    assert_refuses("merge x.json a.json --json o.json", "a.json is not the JSON of a check");
    assert_exit("check seq box.obj --sweep --frames 2:3 --json y.json --quiet", 1);
    assert_refuses("merge x.json y.json --json o.json", "\"asked\" differs");
    assert_exit("check seq box.obj --sweep --frames 0:1 --json x.json --quiet", 1);
    assert_refuses("merge x.json y.json --json o.json", "the step from x.json to y.json");
    assert_exit("check seq box.obj --events --frames 2:3 --json y.json --quiet", 1);
    assert_refuses("merge y.json --json o.json", "to merge its events");
}

// ---- parts that do not fit

// two parts of a small scene
static void write_two_parts(void) {
    test_random random = random_seed(7);
    assert_int_equal(system("mkdir seq"), 0);
    for (int i = 0; i < 4; ++i) {
        char name[64];
        snprintf(name, sizeof name, "seq/cloth_%03d.obj", i);
        write_sheet(&random, name, false);
    }
    write_cube("box.obj", 1.5, 1.5, 0, 1);
    assert_exit("check seq box.obj --sweep --events --frames 0:1 --part a.json --quiet", 1);
    assert_exit("check seq box.obj --sweep --events --frames 2:3 --part b.json --quiet", 1);
}

static void test_parts_that_do_not_fit_are_named(void** state) {
    (void)state;
    write_two_parts();
    assert_exit("merge b.json a.json --quiet", 1);
    assert_refuses("merge b.json", "frames 0 to 1 are in no part");
    assert_refuses("merge a.json", "frames 2 to 3 are in no part");
    assert_refuses("merge a.json b.json b.json",
                   "frames 2 to 3 are in two parts, b.json and b.json");
    assert_exit("check seq box.obj --sweep --events --frames 1:2 --part c.json --quiet", 1);
    assert_refuses("merge a.json b.json c.json", "frame 1 is in two parts, a.json and c.json");
    assert_exit(
        "check seq box.obj --sweep --events --between --self --frames 2:3 --part c.json --quiet",
        1);
    assert_refuses("merge a.json c.json",
                   "c.json was made with other options|c.json has --between");
    assert_exit("check seq box.obj --events --frames 2:3 --part c.json --quiet", 1);
    assert_refuses("merge a.json c.json", "only a.json has --sweep");
    assert_exit("check seq box.obj --sweep --events --frames 2:3 --resume d.json --quiet", 1);
    assert_refuses("merge a.json d.json", "d.json was made for other frames than a.json");
    // the same names, and other contents
    write_cube("seq/cloth_003.obj", 0, 0, 0, 1);
    assert_exit("check seq box.obj --sweep --events --frames 2:3 --part c.json --quiet 2>/dev/null",
                1);
    assert_refuses("merge a.json c.json", "c.json was made of other inputs than a.json");
    assert_refuses("merge a.json b.json --html o.html --quiet", "not those of the parts");
    assert_int_equal(access("o.html", F_OK), -1);
    assert_refuses("merge seq/cloth_000.obj", "is not a part of a check");
    assert_refuses("merge none.json", "none.json");
    assert_refuses("merge", "needs the parts");
    assert_refuses("merge a.json b.json --json a.json", "a.json");
}

static void test_options_that_do_not_go_with_parts(void** state) {
    (void)state;
    write_cube("x.obj", 0, 0, 0, 1);
    write_cube("y.obj", 1, 0, 0, 1);
    assert_refuses("check x.obj y.obj --depth --part p.json", "--depth does not go with --part");
    assert_refuses("check x.obj y.obj --each --part p.json", "--each");
    assert_refuses("check x.obj --write-baseline k --part p.json", "--write-baseline");
    assert_refuses("check x.obj --html h.html --resume p.json", "--html");
    assert_refuses("check x.obj --part p.json --resume q.json", "the same name");
    assert_refuses("check - --part p.json <x.obj", "standard input");
    assert_refuses("check x.obj --part x.obj", "x.obj");
    write_cube("\xff.obj", 0, 0, 0, 1);
    assert_refuses("check \"$(printf '\\377').obj\" --part p.json", "not UTF-8");
    assert_exit("check x.obj y.obj --part p.json --quiet", 1);
    assert_refuses("merge p.json --junit j.xml", "add --events");
    // a report reads the objects again
    assert_exit("check x.obj y.obj --html whole.html --quiet", 1);
    assert_exit("merge p.json --html merged.html --quiet", 1);
    assert_same_file(0, "whole.html", "merged.html");
}

// ---- damage

static void write_bytes(const char* name, const char* bytes, size_t size) {
    FILE* file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// replaces the hash at the end by that of the changed bytes
static void seal(char* text, size_t size) {
    unsigned char raw[SHA256_BYTES];
    char* at = text + size - 76;
    assert_int_equal(strncmp(at, "\"seal\": \"", 9), 0);
    sha256 sum = sha256_begin();
    sha256_add(&sum, text, (size_t)(at - text));
    sha256_end(sum, raw);
    for (int i = 0; i < SHA256_BYTES; ++i) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", raw[i]);
        memcpy(at + 9 + 2 * i, digits, 2);
    }
}

// changes a number, a character or a piece before the seal
static void damage(test_random* random, char* text, size_t size) {
    const size_t end = size - 80;
    for (uint32_t i = 1 + random_below(random, 3); i > 0; --i) {
        size_t at = random_below(random, (uint32_t)end);
        if (random_chance(random, 0.7)) {  // a digit, which leaves the file JSON
            while (at < end && (text[at] < '0' || text[at] > '9')) {
                ++at;
            }
            text[at] = (char)('0' + random_below(random, 10));
        } else {
            text[at] = (char)random_between(random, 32, 126);
        }
    }
}

static void test_damaged_parts_do_no_harm(void** state) {
    (void)state;
    write_two_parts();
    char* text = read_whole("b.json");
    const size_t size = strlen(text);
    for (uint64_t seed = 1; seed <= effort(40, 300, 3000); ++seed) {
        test_random random = random_seed(seed);
        char* copy = malloc(size + 1);
        assert_non_null(copy);
        memcpy(copy, text, size + 1);
        damage(&random, copy, size);
        const bool changed = strcmp(copy, text) != 0;
        const bool sealed = random_chance(&random, 0.7);
        size_t kept = size;
        if (sealed) {
            seal(copy, size);
        } else if (random_chance(&random, 0.5)) {
            kept = random_below(&random, (uint32_t)size);
        }
        write_bytes("d.json", copy, kept);
        outcome o = run("merge a.json d.json --json o.json --csv o.csv --junit o.xml");
        const bool broken = strstr(o.err, "Sanitizer") != NULL ||
                            strstr(o.err, "runtime error") != NULL;
        if (o.code > 2 || broken || (!sealed && (changed || kept < size) && o.code != 2) ||
            (o.code == 2 && strstr(o.err, "d.json") == NULL)) {
            fail_msg("seed %llu: exit code %d; %s", (unsigned long long)seed, o.code, o.err);
        }
        free_outcome(&o);
        free(copy);
    }
    free(text);
}

// ---- runs that continue

// starts a run, and kills it as soon as there is a part; returns whether it was killed before its end
static bool kill_run(const char* options) {
    char line[2 * TEXT + 256];
    unlink("state.json");
    snprintf(line, sizeof line,
             "'%s' check %s --resume state.json --json o.json --quiet >/dev/null 2>&1 & "
             "pid=$!; while [ ! -s state.json ] && kill -0 $pid 2>/dev/null; do :; done; "
             "kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null; test $? -gt 128",
             ABUT_COMMAND, options);
    const int status = system(line);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status) == 0;
}

static void test_killed_runs_continue(void** state) {
    (void)state;
    uint32_t killed = 0;
    for (uint64_t seed = 1; seed <= effort(3, 10, 100); ++seed) {
        test_random random = random_seed(100 + seed);
        char options[TEXT];
        char outputs[TEXT];
        char line[3 * TEXT];
        bool events = false;
        int start = 0;
        int code = 0;
        write_scene(&random, &start);
        write_options(&random, start, options, &events);
        const int whole = run_whole(options, events);
        killed += kill_run(options);
        outputs_of("again", events, outputs);
        snprintf(line, sizeof line, "check %s --resume state.json %s", options, outputs);
        run_to(line, "again.txt", &code);
        assert_int_equal(code, whole);
        assert_same_outputs(seed, "whole", "again", events);
        run_to("merge state.json --json merged.json --csv merged.csv", "merged.txt", &code);
        assert_same_file(seed, "whole.json", "merged.json");
        assert_same_file(seed, "whole.csv", "merged.csv");
        // the part of another run is refused
        snprintf(line, sizeof line, "check %s --resume state.json --frames %d", options, start);
        assert_warns(line, 2, "state.json was made");
    }
    print_message("%u runs were killed before their end\n", killed);
}

// a part with some of its frames, as an interrupted run leaves it
static void test_interrupted_parts(void** state) {
    (void)state;
    write_two_parts();
    assert_exit("check seq box.obj --sweep --events --json whole.json --quiet", 1);
    char* text = read_whole("b.json");
    char* frame = strstr(text, ",\n{\"frame\":3");
    char* rest = strstr(text, "\n],\n\"described\"");
    assert_true(frame != NULL && rest > frame);
    memmove(frame, rest, strlen(rest) + 1);
    seal(text, strlen(text));
    write_file("b.json", text);
    assert_refuses("merge a.json b.json", "b.json was interrupted: frame 3 is missing|--resume");
    assert_exit(
        "check seq box.obj --sweep --events --frames 2:3 --part b.json --resume b.json --quiet", 1);
    assert_exit("merge a.json b.json --json merged.json --quiet", 1);
    assert_same_file(0, "whole.json", "merged.json");
    assert_refuses("check seq box.obj --sweep --frames 2:3 --part b.json --resume b.json",
                   "only b.json has --events");
    free(text);
}

// ---- GNU parallel

static void test_parallel_chunks(void** state) {
    (void)state;
    if (system("command -v parallel >/dev/null && parallel --version | grep -q GNU") != 0) {
        print_message("skipped: GNU parallel is missing\n");
        skip();
    }
    test_random random = random_seed(11);
    assert_int_equal(system("mkdir seq"), 0);
    for (int i = 0; i < 24; ++i) {
        char name[64];
        snprintf(name, sizeof name, "seq/cloth_%03d.obj", i);
        write_sheet(&random, name, false);
    }
    write_cube("box.obj", 1.5, 1.5, 0, 1);
    const int whole = run_whole("seq box.obj --sweep --fail-if 'depth > 1%'", true);
    char line[TEXT];
    snprintf(
        line, sizeof line,
        "parallel --will-cite -j2 '%s check seq box.obj --sweep --fail-if \"depth > 1%%\" --quiet "
        "--frames {1}:{2} --part p{#}.json' ::: $(seq 0 3 21) :::+ $(seq 2 3 23) >/dev/null",
        ABUT_COMMAND);
    (void)!system(line);  // its code counts the chunks with contact
    int code = 0;
    char outputs[TEXT];
    char merge[2 * TEXT];
    outputs_of("merged", true, outputs);
    snprintf(merge, sizeof merge, "merge p?.json %s", outputs);
    run_to(merge, "merged.txt", &code);
    assert_int_equal(code, whole);
    assert_same_outputs(0, "whole", "merged", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_merged_parts_are_the_whole),
        IN_FOLDER(test_merged_plain_json_is_the_whole),
        IN_FOLDER(test_plain_json_that_does_not_fit),
        IN_FOLDER(test_parts_that_do_not_fit_are_named),
        IN_FOLDER(test_options_that_do_not_go_with_parts),
        IN_FOLDER(test_damaged_parts_do_no_harm),
        IN_FOLDER(test_killed_runs_continue),
        IN_FOLDER(test_interrupted_parts),
        IN_FOLDER(test_parallel_chunks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
