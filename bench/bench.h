// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Benchmarks: suites that measure rows. A row compares two times of the same run. The command
// (cli/bench.c) shows and writes results, except for plots.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <abut/query.h>
#include <regex.h>
#include <stdio.h>

typedef struct bench_row {
    char name[80];
    char other[48];  ///< the method that abut is compared with
    char paper[48];  ///< the figure in a paper; empty: none
    double ours_ms;
    double other_ms;
    double ratio;      ///< other / ours: bigger is better
    double at_least;   ///< required ratio; 0: none
    double aim;        ///< desired ratio; 0: none
    bool same_answer;  ///< both gave the same pairs or boxes on every frame
    bool has_worst;
    double worst_ms;  ///< abut's slowest frame
    double other_worst_ms;
    uint64_t worst_pairs;  ///< found in abut's slowest frame
    bool has_counters;
    abut_counters counters;  ///< of abut, on the frame of the row
} bench_row;

typedef struct bench_options {
    const char* rows;  ///< extended regular expression over names; NULL: all
    bool quick;        ///< fewer repetitions
    bool tables;       ///< also the suite's tables and figures
    uint32_t seed;
    abut_isa isa;  ///< the instruction set of the library and of the code it is compared with
} bench_options;

/// A table beside the rows: the values of a paper, and ours.
typedef struct bench_table {
    char title[160];
    char heads[320];  ///< separated by '|'; one that starts with '<' is aligned left
    char** cells;     ///< row by row
    size_t cell_count;
} bench_table;

typedef struct bench_series {
    char name[48];
    double* xy;  ///< x and y in turn
    size_t count;
} bench_series;

/// Lines over a common axis.
typedef struct bench_figure {
    char name[32];  ///< of the file: bench-SUITE-NAME.svg
    char title[160];
    char x_label[64];
    char y_label[64];
    bool log_x;
    bool log_y;
    bench_series* series;
    size_t series_count;
} bench_figure;

/// The results of a run. Zero it before; free it with bench_report_free().
typedef struct bench_report {
    bench_row* rows;
    size_t row_count;
    char** notes;  ///< sentences for the reader: which answers were wrong and where, what was left
                   ///< out
    size_t note_count;
    bench_table** tables;
    size_t table_count;
    bench_figure** figures;
    size_t figure_count;
    bool ours_wrong;  ///< an answer of abut was wrong
    abut_isa isa;
} bench_report;

typedef void (*bench_list_fn)(void* user, const char* name, double at_least, double aim);

/// A row that is also measured with AVX2, with floors of its own.
typedef struct bench_repeat {
    const char* name;
    double at_least;
    double aim;
} bench_repeat;

typedef struct bench_suite {
    const char* name;
    const char* about;
    /// Calls `fn` for the name of every row.
    void (*list)(void (*fn)(void* user, const char* name, double at_least, double aim), void* user);
    /// Measures the rows whose names match `wanted` (NULL: all).
    void (*run)(const bench_options* options, const regex_t* wanted, bench_report* report);
    /// The rows that are also measured with AVX2, then one whose name is NULL; may be NULL.
    const bench_repeat* also_avx2;
} bench_suite;

extern const bench_suite* const bench_suites[];
extern const size_t bench_suite_count;
/// Returns the suite of this name, or NULL.
const bench_suite* bench_find(const char* name);
/// Calls `fn` for the name of every row of a suite, then for those with " avx2" after their name.
void bench_list(const bench_suite* suite, bench_list_fn fn, void* user);
/// Measures the rows of a suite whose names match `wanted` (NULL: all) with the instruction set of
/// the options. Then it measures those of `also_avx2` again with AVX2 and adds " avx2" to their
/// names; if the set is AVX2 already, it copies them.
void bench_run(const bench_suite* suite, const bench_options* options, const regex_t* wanted,
               bench_report* report);

void bench_report_add(bench_report* report, const bench_row* row);
void bench_report_note(bench_report* report, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
/// Adds an empty table or figure, which the report owns.
bench_table* bench_report_table(bench_report* report, const char* heads, const char* title);
void bench_table_cell(bench_table* table, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
bench_figure* bench_report_figure(bench_report* report, const bench_figure* what);
/// Adds a point to the series of this name, which is made if it is missing. Drops points that the
/// axes cannot show, as 0 on a logarithmic one.
void bench_figure_point(bench_figure* figure, const char* series, double x, double y);
void bench_report_free(bench_report* report);

/// Draws the rows as bars of their ratios into DIR/bench-NAME.svg, and every figure into a file of
/// its own. Returns false after printing an error message.
bool bench_plot(const bench_report* report, const char* name, const char* directory);

/// The environment: names of the processor and of the compiler.
const char* bench_cpu(char* text, size_t size);
const char* bench_compiler(void);

/// Draws one figure, and writes text into SVG: for bench_plot().
void bench_draw_figure(FILE* file, const bench_figure* figure);
void bench_draw_text(FILE* file, double x, double y, const char* how, const char* text);

// ---- for suites

typedef enum bench_clock { CLOCK_CPU, CLOCK_WALL } bench_clock;

/// Returns whether a row is to be measured now: its name matches (NULL matches every name).
bool bench_is_wanted(const char* name, const regex_t* wanted);
/// The settings of every context: they choose the instruction set of the run.
const abut_context_def* bench_context_def(void);
/// Returns the instruction set of the run, or the best one of this processor.
abut_isa bench_isa(void);
abut_isa bench_best_isa(void);
/// Sets the instruction set of the report to the one of the run.
void bench_note_isa(bench_report* report);
/// Milliseconds: processor time of all threads, or wall-clock time.
double bench_now(bench_clock clock);
/// Returns the median; sorts the values.
double bench_median(double* values, size_t count);
/// Returns zeroed memory, or ends the process.
void* bench_alloc(size_t count, size_t size);
/// The same for floats, aligned to 64 bytes and with 64 more bytes to read behind the last.
float* bench_alloc_floats(size_t count);
/// Ends the process with a message, for errors that cannot occur in a correct build.
_Noreturn void bench_die(const char* format, ...) __attribute__((format(printf, 1, 2)));
/// Shows on a terminal what is being measured; NULL clears it.
void bench_progress(const char* what);

#endif
