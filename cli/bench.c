// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// abut bench: compares the speed of abut with other libraries. The benchmarks are in bench/, which
// is built only with ABUT_BUILD_BENCH.
#define _POSIX_C_SOURCE 200809L
#include "cli/command.h"
#include "cli/json.h"
#include "cli/message.h"
#include "cli/processor.h"
#include "cli/table.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS, LIST, QUICK, TABLES, SEED, JSON, PLOTS, OPTIONS };

static const option_spec options[OPTIONS] = {
    [ROWS] = {"rows", OPTION_TEXT, "REGEX", "only rows whose names match"},
    [LIST] = {"list", OPTION_FLAG, NULL, "list the rows and measure nothing"},
    [QUICK] = {"quick", OPTION_FLAG, NULL, "fewer repetitions: faster, less certain"},
    [TABLES] = {"tables", OPTION_FLAG, NULL,
                "also print the tables and figures of the paper that a\n"
                "suite is about, beside our own"},
    [SEED] = {"seed", OPTION_WHOLE, "N", "seed of the scenes [1]"},
    [JSON] = {"json", OPTION_TEXT, "FILE", "write JSON to FILE; - is the standard output"},
    [PLOTS] = {"plots", OPTION_TEXT, "DIR",
               "write charts (SVG) into the folder DIR; implies --tables"},
};

// Becomes the program abut_scale, which is beside this one where MPI is found (bench/scale). It starts its
// own ranks. Returns only if that fails.
static int run_scale(const arguments* given) {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    path[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(path, '/');
    snprintf(slash != NULL ? slash + 1 : path, 16, "abut_scale");  // readlink() left room for it
    fflush(stdout);
    execl(path, path, given->values[QUICK].given ? "--quick" : (char*)NULL, (char*)NULL);
    return complain(
        "there is no program abut_scale beside this one: 'make bench SUITES=scale' builds it");
}

static bool is_scale(const arguments* given) {
    return given->plain_count == 1 && strcmp(given->plain[0], "scale") == 0;
}

#ifdef ABUT_HAVE_BENCH
#include "bench/bench.h"

static void print_name(void* user, const char* name, double at_least, double aim) {
    table* rows = user;
    table_cell(rows, STYLE_PLAIN, "%s", name);
    table_cell(rows, STYLE_PLAIN, at_least > 0 ? "%.3g" : "", at_least);
    table_cell(rows, STYLE_PLAIN, aim > 0 ? "%.3g" : "", aim);
}

static void print_list(const bench_suite* suite) {
    table* rows = table_create("<row|required|aim");
    bench_list(suite, print_name, rows);
    table_print(rows, 0);
    table_destroy(rows);
}

static void print_worst(table* rows, const bench_row* row) {
    table_cell(rows, STYLE_PLAIN, row->has_worst ? "%.*f" : "", row->worst_ms < 0.1 ? 5 : 3,
               row->worst_ms);
    table_cell(rows, STYLE_PLAIN, row->has_worst ? "%llu" : "",
               (unsigned long long)row->worst_pairs);
}

static void print_row(table* rows, const bench_row* row, bool with_worst, bool with_paper) {
    const bool short_of = row->at_least > 0 && row->ratio < row->at_least;
    const bool reached = row->aim > 0 && row->ratio >= row->aim;
    table_cell(rows, STYLE_PLAIN, "%s", row->name);
    table_cell(rows, STYLE_PLAIN, "%.*f", row->ours_ms < 0.1 ? 5 : 3, row->ours_ms);
    table_cell(rows, STYLE_PLAIN, "%.*f", row->other_ms < 0.1 ? 5 : 3, row->other_ms);
    table_cell(rows,
               short_of  ? STYLE_FOUND
               : reached ? STYLE_CLEAR
                         : STYLE_PLAIN,
               "%.*f",
               row->ratio < 0.1  ? 5
               : row->ratio < 10 ? 2
                                 : 1,
               row->ratio);
    table_cell(rows, STYLE_PLAIN, row->at_least > 0 ? "%.3g" : "", row->at_least);
    table_cell(rows, STYLE_PLAIN, row->aim > 0 ? "%.3g" : "", row->aim);
    table_cell(rows, row->same_answer ? STYLE_PLAIN : STYLE_FOUND, "%s",
               row->same_answer ? "yes" : "no");
    if (with_worst) {
        print_worst(rows, row);
    }
    table_cell(rows, STYLE_PLAIN, "%s", row->other);
    if (with_paper) {
        table_cell(rows, STYLE_PLAIN, "%s", row->paper);
    }
}

static bool any_paper(const bench_report* report) {
    bool any = false;
    for (size_t i = 0; i < report->row_count; ++i) {
        any = any || report->rows[i].paper[0] != '\0';
    }
    return any;
}

static void print_tables(const bench_report* report) {
    for (size_t i = 0; i < report->table_count; ++i) {
        const bench_table* from = report->tables[i];
        table* shown = table_create(from->heads);
        for (size_t k = 0; k < from->cell_count; ++k) {
            table_cell(shown, STYLE_PLAIN, "%s", from->cells[k]);
        }
        printf("\n%s\n", from->title);
        table_print(shown, 2);
        table_destroy(shown);
    }
}

static bool any_worst(const bench_report* report) {
    bool any = false;
    for (size_t i = 0; i < report->row_count; ++i) {
        any = any || report->rows[i].has_worst;
    }
    return any;
}

static void print_report(const bench_report* report) {
    char cpu[128];
    char heads[128];
    const bool with_paper = any_paper(report);
    const bool with_worst = any_worst(report);
    snprintf(heads, sizeof heads, "<row|abut ms|other ms|ratio|required|aim|same%s|<other%s",
             with_worst ? "|worst ms|its pairs" : "", with_paper ? "|<paper" : "");
    table* rows = table_create(heads);
    size_t asked = 0;
    size_t short_of = 0;
    for (size_t i = 0; i < report->row_count; ++i) {
        const bench_row* row = &report->rows[i];
        print_row(rows, row, with_worst, with_paper);
        asked += row->at_least > 0;
        short_of += row->at_least > 0 && row->ratio < row->at_least;
    }
    if (report->row_count > 0) {
        table_print(rows, 0);
    }
    table_destroy(rows);
    print_tables(report);
    printf("\n%s, %s, %s\n", bench_cpu(cpu, sizeof cpu), abut_isa_name(report->isa),
           bench_compiler());
    for (size_t i = 0; i < report->note_count; ++i) {
        printf("%s\n", report->notes[i]);
    }
    if (report->ours_wrong) {
        print_styled(STYLE_FOUND, "An answer of abut is wrong: see above.");
        printf("\n");
    }
    if (asked > 0) {
        print_styled(short_of > 0 ? STYLE_FOUND : STYLE_CLEAR, "%zu of %zu", asked - short_of,
                     asked);
        printf(" rows reach the required ratio.\n");
    }
}

static json_t* json_counters(const abut_counters* c) {
    const struct {
        const char* name;
        uint64_t value;
    } all[] = {
        {"boxes_bounded", c->boxes_computed},
        {"boxes_tested", c->boxes_tested},
        {"nodes_apart", c->nodes_certified},
        {"blocks_apart", c->blocks_certified},
        {"node_pairs_apart", c->node_pairs_certified},
        {"blocks_evaluated", c->blocks_evaluated},
        {"vertices_moved", c->vertices_evaluated},
        {"pairs_adjacent", c->pairs_adjacent},
        {"pairs_filtered", c->pairs_filtered},
        {"exact_tests", c->exact_tests},
        {"exact_ties", c->exact_fallbacks},
        {"hits", c->pairs_found},
    };
    json_t* object = json_object();
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        json_object_set_new(object, all[i].name, json_count(all[i].value));
    }
    return object;
}

static json_t* json_row(const bench_row* row) {
    json_t* object = json_object();
    json_object_set_new(object, "name", json_text(row->name));
    json_object_set_new(object, "ours_ms", json_real(row->ours_ms));
    json_object_set_new(object, "other", json_text(row->other));
    json_object_set_new(object, "other_ms", json_real(row->other_ms));
    json_object_set_new(object, "ratio", json_real(row->ratio));
    if (row->at_least > 0) {
        json_object_set_new(object, "at_least", json_real(row->at_least));
        json_object_set_new(object, "aim", json_real(row->aim));
    }
    json_object_set_new(object, "same_answer", json_boolean(row->same_answer));
    if (row->has_worst) {
        json_object_set_new(object, "worst_ms", json_real(row->worst_ms));
        json_object_set_new(object, "other_worst_ms", json_real(row->other_worst_ms));
        json_object_set_new(object, "worst_pairs", json_count(row->worst_pairs));
    }
    if (row->paper[0] != '\0') {
        json_object_set_new(object, "paper", json_text(row->paper));
    }
    json_object_set_new(object, "counters",
                        row->has_counters ? json_counters(&row->counters) : json_object());
    return object;
}

// the column heads are the first row
static json_t* json_table(const bench_table* from) {
    json_t* object = json_object();
    json_t* rows = json_array();
    json_t* row = json_array();
    size_t columns = 0;
    const char* head = from->heads;
    do {
        const char* end = strchr(head, '|');
        head += *head == '<';
        json_array_append_new(row, json_stringn(head,
                                                end != NULL ? (size_t)(end - head) : strlen(head)));
        head = end != NULL ? end + 1 : NULL;
        ++columns;
    } while (head != NULL);
    json_array_append_new(rows, row);
    for (size_t i = 0; i < from->cell_count; ++i) {
        if (i % columns == 0) {
            row = json_array();
            json_array_append_new(rows, row);
        }
        json_array_append_new(row, json_text(from->cells[i]));
    }
    json_object_set_new(object, "title", json_text(from->title));
    json_object_set_new(object, "rows", rows);
    return object;
}

static bool write_json(json_output* json, const bench_suite* suite, const bench_report* report,
                       uint32_t seed) {
    char cpu[128];
    json_begin(json);
    json_add(json, "bench", json_text(suite->name));
    json_add(json, "abut", json_text(ABUT_VERSION_STRING));
    json_add(json, "cpu", json_text(bench_cpu(cpu, sizeof cpu)));
    json_add(json, "isa", json_text(abut_isa_name(report->isa)));
    json_add(json, "threads", json_count(1));
    json_add(json, "compiler", json_text(bench_compiler()));
    json_add(json, "seed", json_count(seed));
    json_begin_list(json, "rows");
    for (size_t i = 0; i < report->row_count; ++i) {
        json_add(json, NULL, json_row(&report->rows[i]));
    }
    json_end_list(json);
    json_begin_list(json, "notes");
    for (size_t i = 0; i < report->note_count; ++i) {
        json_add(json, NULL, json_text(report->notes[i]));
    }
    json_end_list(json);
    json_begin_list(json, "tables");
    for (size_t i = 0; i < report->table_count; ++i) {
        json_add(json, NULL, json_table(report->tables[i]));
    }
    json_end_list(json);
    return json_close(json);
}

static int measure(const bench_suite* suite, const arguments* given, abut_isa isa,
                   const regex_t* wanted, json_output* json) {
    const bench_options how = {
        .quick = given->values[QUICK].given,
        .tables = given->values[TABLES].given || given->values[PLOTS].given,
        .seed = given->values[SEED].given ? given->values[SEED].first : 1,
        .isa = isa,
    };
    bench_report report = {0};
    bench_run(suite, &how, wanted, &report);
    const bool empty = report.row_count == 0 && report.table_count == 0;
    if (!empty && !json_takes_stdout(json)) {
        print_report(&report);
    }
    const char* plots = given->values[PLOTS].text;
    const bool plotted = plots == NULL || empty || bench_plot(&report, suite->name, plots);
    const bool written = json->file == NULL || empty || write_json(json, suite, &report, how.seed);
    const int code = report.ours_wrong ? EXIT_FOUND : EXIT_NOTHING;
    bench_report_free(&report);
    if (empty) {
        return complain("no row was measured; 'abut bench %s --list' names them", suite->name);
    }
    return plotted && written ? code : EXIT_FAILED;
}

static int bench(const bench_suite* suite, const arguments* given, abut_isa isa) {
    const char* pattern = given->values[ROWS].text;
    regex_t wanted;
    if (pattern != NULL && regcomp(&wanted, pattern, REG_EXTENDED | REG_NOSUB) != 0) {
        return complain("--rows: '%s' is not a regular expression", pattern);
    }
    json_output json = {0};
    int code = EXIT_FAILED;
    if (json_open(&json, given->values[JSON].text)) {
        code = measure(suite, given, isa, pattern != NULL ? &wanted : NULL, &json);
    }
    json_drop(&json);  // no-op after success
    if (pattern != NULL) {
        regfree(&wanted);
    }
    return code;
}

static int run(const arguments* given) {
    if (is_scale(given)) {
        return run_scale(given);
    }
    const bench_suite* suite = given->plain_count == 1 ? bench_find(given->plain[0]) : NULL;
    if (suite == NULL) {
        return complain(
            "bench needs the name of one suite: free, bdtree, bounds, kinetic, voronoi, sweep, "
            "depth, hard, rays, points or scale");
    }
    abut_context_def def;
    abut_threads* pool = NULL;  // stays so: one thread
    if (!processor_settings(1, &def, &pool)) {
        return EXIT_FAILED;
    }
    if (given->values[LIST].given) {
        print_list(suite);
        return EXIT_NOTHING;
    }
    return bench(suite, given, def.isa);
}
#else
static int run(const arguments* given) {
    if (is_scale(given)) {
        return run_scale(given);
    }
    return complain(
        "this build has no benchmarks; 'make bench' installs the libraries to compare "
        "with, builds and runs them (or configure with -DABUT_BUILD_BENCH=ON)");
}
#endif

const command bench_command = {
    .name = "bench",
    .summary = "compare the speed of abut with other libraries",
    .usage = "bench NAME [options]",
    .about =
        "NAME is one of these suites:\n"
        "  free     surfaces that get new positions each frame, against Embree, FCL, Bullet, CGAL\n"
        "  bdtree   reduced deformation (modes, morph targets), against deforming all vertices,\n"
        "           refitting and running the same query\n"
        "  bounds   skinned and point-based bodies, against skinning all vertices\n"
        "  kinetic  keyframed bodies, against interpolating all vertices\n"
        "  voronoi  distance to the nearest of many bodies, against FCL and others\n"
        "  sweep    contact between one state and the next, against an inclusion method\n"
        "  depth    how deep bodies are inside each other, against finding the pairs alone\n"
        "  hard     cases in which trees and proofs help least, against Embree, FCL and abut "
        "itself\n"
        "  rays     rays at static, deforming and skinned bodies, against Embree\n"
        "  points   closest points and sides of many points, against Embree and CGAL\n"
        "  scale    what ranks of a world do and send: counts, no times; starts mpirun itself\n"
        "Both sides of a row take turns on the same frames; times include the update of positions\n"
        "and are medians of processor time. 'ratio' is other / abut: larger is better. A row must\n"
        "reach the ratio 'required' and should reach 'aim'. 'same' says whether both sides found\n"
        "the same on every frame. 'worst ms' is abut's slowest frame, and 'its pairs' are those\n"
        "found in it. Both sides use the instruction set that ABUT_ISA names [best]; a row whose\n"
        "name ends with ' avx2' repeats the row of that name with AVX2 on both sides.",
    .options = options,
    .option_count = OPTIONS,
    .examples =
        "abut bench free\n"
        "abut bench bdtree --tables --rows '^table' --plots .\n"
        "abut bench free --rows '^self' --quick --json -",
    .exits = "0 measured, 1 an answer of abut is wrong, 2 it could not be measured",
    .run = run,
};
