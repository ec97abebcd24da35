// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs a suite with an instruction set, which the library and the code it is compared with use, and
// marked rows also with AVX2: see bench.h.
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

static const char suffix[] = " avx2";

// What is measured now.
static struct {
    const bench_suite* suite;
    bool again;  // the marked rows, with AVX2
    bool is_set;
    abut_isa isa;
    abut_context_def def;
} now;

static bool find_isa(abut_isa wish, abut_isa* isa) {
    abut_context_def def = abut_context_def_default();
    abut_context* context = NULL;
    def.isa = wish;
    const bool found = abut_context_create(&def, &context, NULL) == ABUT_OK;
    *isa = found ? abut_context_isa(context) : wish;
    abut_context_destroy(context);
    return found;
}

static void use(abut_isa wish) {
    now.is_set = true;
    now.def = abut_context_def_default();
    if (!find_isa(wish, &now.isa)) {
        bench_die("this processor lacks the instruction set %s", abut_isa_name(wish));
    }
    now.def.isa = now.isa;
}

const abut_context_def* bench_context_def(void) {
    if (!now.is_set) {
        use(ABUT_ISA_BEST);
    }
    return &now.def;
}

abut_isa bench_isa(void) {
    return bench_context_def()->isa;
}

abut_isa bench_best_isa(void) {
    abut_isa best;
    if (!find_isa(ABUT_ISA_BEST, &best)) {
        bench_die("out of memory");
    }
    return best;
}

void bench_note_isa(bench_report* report) {
    report->isa = bench_isa();
}

// ---- names

// Returns the mark of a row that is also measured with AVX2; NULL: it is not.
static const bench_repeat* find_mark(const bench_suite* suite, const char* name) {
    const bench_repeat* mark = suite != NULL ? suite->also_avx2 : NULL;
    while (mark != NULL && mark->name != NULL && strcmp(mark->name, name) != 0) {
        ++mark;
    }
    return mark != NULL && mark->name != NULL ? mark : NULL;
}

static bool is_marked(const bench_suite* suite, const char* name) {
    return find_mark(suite, name) != NULL;
}

static bool matches(const char* name, const char* more, const regex_t* wanted) {
    char whole[sizeof((bench_row*)NULL)->name + sizeof suffix];
    snprintf(whole, sizeof whole, "%s%s", name, more);
    return wanted == NULL || regexec(wanted, whole, 0, NULL, 0) == 0;
}

static bool avx2_is_wanted(const char* name, const regex_t* wanted) {
    return is_marked(now.suite, name) && matches(name, suffix, wanted);
}

bool bench_is_wanted(const char* name, const regex_t* wanted) {
    if (now.again) {
        return avx2_is_wanted(name, wanted);
    }
    return matches(name, "", wanted) ||
           (bench_isa() == ABUT_ISA_AVX2 && avx2_is_wanted(name, wanted));
}

typedef struct listing {
    const bench_suite* suite;
    bench_list_fn fn;
    void* user;
} listing;

static void list_marked(void* user, const char* name, double at_least, double aim) {
    const listing* all = user;
    const bench_repeat* mark = find_mark(all->suite, name);
    char whole[sizeof((bench_row*)NULL)->name + sizeof suffix];
    (void)at_least;
    (void)aim;
    if (mark != NULL) {
        snprintf(whole, sizeof whole, "%s%s", name, suffix);
        all->fn(all->user, whole, mark->at_least, mark->aim);
    }
}

void bench_list(const bench_suite* suite, bench_list_fn fn, void* user) {
    listing all = {suite, fn, user};
    suite->list(fn, user);
    suite->list(list_marked, &all);
}

// ---- rows

// Makes a row one of AVX2: its name and its floors.
static void mark_row(bench_row* row) {
    const bench_repeat* mark = find_mark(now.suite, row->name);
    const size_t length = strlen(row->name);
    if (mark != NULL) {
        row->at_least = mark->at_least;
        row->aim = mark->aim;
    }
    snprintf(row->name + length, sizeof row->name - length, "%s", suffix);
}

// Adds copies of the marked rows, and removes rows that only their copies were measured for.
static void copy_rows(const regex_t* wanted, bench_report* report) {
    const size_t count = report->row_count;
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        bench_row row = report->rows[i];
        if (avx2_is_wanted(row.name, wanted)) {
            mark_row(&row);
            bench_report_add(report, &row);
        }
    }
    for (size_t i = 0; i < report->row_count; ++i) {
        const bench_row* row = &report->rows[i];
        if (i >= count || !is_marked(now.suite, row->name) || matches(row->name, "", wanted)) {
            report->rows[kept++] = *row;
        }
    }
    report->row_count = kept;
}

static void measure_again(const bench_options* options, const regex_t* wanted,
                          bench_report* report) {
    const size_t first = report->row_count;
    bench_options rows_only = *options;
    abut_isa avx2;
    if (!find_isa(ABUT_ISA_AVX2, &avx2)) {
        bench_report_note(report, "Rows with avx2 are left out: this processor lacks AVX2.");
        return;
    }
    rows_only.tables = false;
    now.again = true;
    use(ABUT_ISA_AVX2);
    now.suite->run(&rows_only, wanted, report);
    for (size_t i = first; i < report->row_count; ++i) {
        mark_row(&report->rows[i]);
    }
    now.again = false;
}

void bench_run(const bench_suite* suite, const bench_options* options, const regex_t* wanted,
               bench_report* report) {
    now.suite = suite;
    use(options->isa);
    const abut_isa isa = now.isa;
    suite->run(options, wanted, report);
    if (isa == ABUT_ISA_AVX2) {
        copy_rows(wanted, report);
    } else if (suite->also_avx2 != NULL) {
        measure_again(options, wanted, report);
    }
    report->isa = isa;
}
