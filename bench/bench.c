// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Reports, clocks and names: see bench.h.
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

extern const bench_suite bench_free;
extern const bench_suite bench_bdtree;
extern const bench_suite bench_bounds;
extern const bench_suite bench_kinetic;
extern const bench_suite bench_voronoi;
extern const bench_suite bench_sweep;
extern const bench_suite bench_depth;
extern const bench_suite bench_hard;
extern const bench_suite bench_rays;

const bench_suite* const bench_suites[] = {&bench_free,    &bench_bdtree,  &bench_bounds,
                                           &bench_kinetic, &bench_voronoi, &bench_sweep,
                                           &bench_depth,   &bench_hard,    &bench_rays};
const size_t bench_suite_count = sizeof bench_suites / sizeof *bench_suites;

const bench_suite* bench_find(const char* name) {
    for (size_t i = 0; i < bench_suite_count; ++i) {
        if (strcmp(bench_suites[i]->name, name) == 0) {
            return bench_suites[i];
        }
    }
    return NULL;
}

void bench_report_add(bench_report* report, const bench_row* row) {
    report->rows = realloc(report->rows, (report->row_count + 1) * sizeof *report->rows);
    if (report->rows == NULL) {
        bench_die("out of memory");
    }
    report->rows[report->row_count++] = *row;
}

void bench_report_note(bench_report* report, const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report->notes = realloc(report->notes, (report->note_count + 1) * sizeof *report->notes);
    if (report->notes == NULL) {
        bench_die("out of memory");
    }
    const size_t size = strlen(text) + 1;
    report->notes[report->note_count++] = memcpy(bench_alloc(size, 1), text, size);
}

static void* grow(void* array, size_t count, size_t size) {
    array = realloc(array, (count + 1) * size);
    if (array == NULL) {
        bench_die("out of memory");
    }
    return array;
}

bench_table* bench_report_table(bench_report* report, const char* heads, const char* title) {
    bench_table* table = bench_alloc(1, sizeof *table);
    snprintf(table->title, sizeof table->title, "%s", title);
    snprintf(table->heads, sizeof table->heads, "%s", heads);
    report->tables = grow(report->tables, report->table_count, sizeof(bench_table*));
    report->tables[report->table_count++] = table;
    return table;
}

void bench_table_cell(bench_table* table, const char* format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const size_t size = strlen(text) + 1;
    table->cells = grow(table->cells, table->cell_count, sizeof(char*));
    table->cells[table->cell_count++] = memcpy(bench_alloc(size, 1), text, size);
}

bench_figure* bench_report_figure(bench_report* report, const bench_figure* what) {
    bench_figure* figure = bench_alloc(1, sizeof *figure);
    *figure = *what;
    report->figures = grow(report->figures, report->figure_count, sizeof(bench_figure*));
    report->figures[report->figure_count++] = figure;
    return figure;
}

static bool has_place(double value, bool log) {
    return isfinite(value) && (!log || value > 0);
}

void bench_figure_point(bench_figure* figure, const char* series, double x, double y) {
    if (!has_place(x, figure->log_x) || !has_place(y, figure->log_y)) {
        return;
    }
    size_t i = 0;
    while (i < figure->series_count && strcmp(figure->series[i].name, series) != 0) {
        ++i;
    }
    if (i == figure->series_count) {
        figure->series = grow(figure->series, i, sizeof *figure->series);
        figure->series[figure->series_count++] = (bench_series){.xy = NULL};
        snprintf(figure->series[i].name, sizeof figure->series[i].name, "%s", series);
    }
    bench_series* own = &figure->series[i];
    own->xy = grow(own->xy, own->count, 2 * sizeof *own->xy);
    own->xy[2 * own->count] = x;
    own->xy[2 * own->count++ + 1] = y;
}

static void free_table(bench_table* table) {
    for (size_t i = 0; i < table->cell_count; ++i) {
        free(table->cells[i]);
    }
    free(table->cells);
    free(table);
}

static void free_figure(bench_figure* figure) {
    for (size_t i = 0; i < figure->series_count; ++i) {
        free(figure->series[i].xy);
    }
    free(figure->series);
    free(figure);
}

void bench_report_free(bench_report* report) {
    for (size_t i = 0; i < report->table_count; ++i) {
        free_table(report->tables[i]);
    }
    for (size_t i = 0; i < report->figure_count; ++i) {
        free_figure(report->figures[i]);
    }
    free(report->tables);
    free(report->figures);
    for (size_t i = 0; i < report->note_count; ++i) {
        free(report->notes[i]);
    }
    free(report->notes);
    free(report->rows);
    *report = (bench_report){0};
}

const char* bench_cpu(char* text, size_t size) {
    static const char key[] = "model name\t: ";
    FILE* file = fopen("/proc/cpuinfo", "r");
    char line[256];
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof line, file) != NULL) {
        found = strncmp(line, key, sizeof key - 1) == 0;
    }
    if (file != NULL) {
        fclose(file);
    }
    line[strcspn(line, "\n")] = '\0';
    snprintf(text, size, "%s", found ? line + sizeof key - 1 : "unknown");
    return text;
}

const char* bench_compiler(void) {
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

double bench_now(bench_clock clock) {
    struct timespec now;
    clock_gettime(clock == CLOCK_CPU ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static int compare_doubles(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

double bench_median(double* values, size_t count) {
    qsort(values, count, sizeof *values, compare_doubles);
    return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

void* bench_alloc(size_t count, size_t size) {
    void* memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL) {
        bench_die("out of memory");
    }
    return memory;
}

float* bench_alloc_floats(size_t count) {
    const size_t bytes = (count * sizeof(float) + 191) / 64 * 64;
    float* memory = aligned_alloc(64, bytes);
    if (memory == NULL) {
        bench_die("out of memory");
    }
    return memset(memory, 0, bytes);
}

void bench_die(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    bench_progress(NULL);
    fputs("abut: bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

void bench_progress(const char* what) {
    if (isatty(STDERR_FILENO) == 1) {
        fprintf(stderr, "\r\x1b[K%s%s", what != NULL ? "measuring " : "", what != NULL ? what : "");
        fflush(stderr);
    }
}
