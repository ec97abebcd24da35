// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Benchmarks: suites that measure rows. A row compares two times of the same run; what is shown and
// written is the command's business (cli/bench.c), except for plots.
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <abut/query.h>
#include <regex.h>

typedef struct bench_row {
    char name[80];
    char other[48];  ///< what abut is compared with
    double ours_ms;
    double other_ms;
    double ratio;      ///< other / ours: bigger is better
    double at_least;   ///< 0: nothing is demanded
    double aim;        ///< 0: nothing is aimed at
    bool same_answer;  ///< both gave the same pairs or boxes on every frame
    bool has_counters;
    abut_counters counters;  ///< of abut, on the frame of the row
} bench_row;

typedef struct bench_options {
    const char* rows;  ///< extended regular expression over names; NULL: all
    bool quick;        ///< fewer repetitions
    uint32_t seed;
} bench_options;

/// What a run came to. Zero it before; free it with bench_report_free().
typedef struct bench_report {
    bench_row* rows;
    size_t row_count;
    char** notes;  ///< sentences for people: who was wrong and where, what was left out
    size_t note_count;
    bool ours_wrong;  ///< an answer of abut was refuted
    abut_isa isa;
} bench_report;

typedef struct bench_suite {
    const char* name;
    const char* about;
    /// Calls `fn` for the name of every row.
    void (*list)(void (*fn)(void* user, const char* name, double at_least, double aim), void* user);
    /// Measures the rows whose names match `wanted` (NULL: all).
    void (*run)(const bench_options* options, const regex_t* wanted, bench_report* report);
} bench_suite;

extern const bench_suite* const bench_suites[];
extern const size_t bench_suite_count;
/// The suite of this name, or NULL.
const bench_suite* bench_find(const char* name);

void bench_report_add(bench_report* report, const bench_row* row);
void bench_report_note(bench_report* report, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void bench_report_free(bench_report* report);

/// Draws the rows as bars of their ratios into DIR/bench-NAME.svg. False after a sentence on the
/// standard error output.
bool bench_plot(const bench_report* report, const char* name, const char* directory);

/// What ran it: names of the processor and of the compiler.
const char* bench_cpu(char* text, size_t size);
const char* bench_compiler(void);

// --- for suites ---------------------------------------------------------------------------------

typedef enum bench_clock { CLOCK_CPU, CLOCK_WALL } bench_clock;

/// Milliseconds: of all threads of the process, or on the wall.
double bench_now(bench_clock clock);
/// The median; sorts the values.
double bench_median(double* values, size_t count);
/// Memory, zeroed, or the end of the process.
void* bench_alloc(size_t count, size_t size);
/// Ends the process after a sentence: for what cannot fail in a sound build.
_Noreturn void bench_die(const char* format, ...) __attribute__((format(printf, 1, 2)));
/// Tells on a terminal what is being measured; NULL wipes it.
void bench_progress(const char* what);

#endif
