// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Draws the rows as bars: plain SVG, ratios on a logarithmic scale, with marks for the required and
// the desired ratio of each row.
#include "bench/bench.h"
#include "io/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LEFT = 400, WIDTH = 460, RIGHT = 190, TOP = 64, STEP = 22, BAR = 14, BOTTOM = 40 };

typedef struct scale {
    int low;  // powers of ten
    int high;
} scale;

// Limits a ratio to the scale: a side may have been too fast for the clock.
static double drawn(double ratio) {
    return ratio > 1e-6 ? fmin(ratio, 1e9) : 1e-6;
}

static scale find_scale(const bench_report* report) {
    scale s = {0, 1};
    for (size_t i = 0; i < report->row_count; ++i) {
        const bench_row* row = &report->rows[i];
        const int low = (int)floor(log10(drawn(row->ratio)));
        const int high = (int)ceil(log10(drawn(fmax(row->ratio, row->aim))));
        s.low = low < s.low ? low : s.low;
        s.high = high > s.high ? high : s.high;
    }
    return s;
}

static double place(scale s, double ratio) {
    return LEFT + WIDTH * (log10(drawn(ratio)) - s.low) / (s.high - s.low);
}

void bench_draw_text(FILE* file, double x, double y, const char* how, const char* text) {
    fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
    for (const char* c = text; *c != '\0'; ++c) {
        switch (*c) {
            case '&': fputs("&amp;", file); break;
            case '<': fputs("&lt;", file); break;
            case '>': fputs("&gt;", file); break;
            default: fputc(*c, file);
        }
    }
    fputs("</text>\n", file);
}

static void draw_grid(FILE* file, scale s, double bottom) {
    for (int power = s.low; power <= s.high; ++power) {
        const double x = place(s, pow(10, power));
        char text[32];
        snprintf(text, sizeof text, "%g", pow(10, power));
        fprintf(file, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n", x,
                TOP - 8, x, bottom, power == 0 ? "#444" : "#ddd");
        bench_draw_text(file, x, bottom + 18, "text-anchor=\"middle\" fill=\"#555\"", text);
    }
}

static void draw_mark(FILE* file, double x, double y, const char* colour) {
    fprintf(file,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"2.5\"/>\n",
            x, y - 3, x, y + BAR + 3, colour);
}

static void draw_row(FILE* file, scale s, const bench_row* row, double y) {
    const double one = place(s, 1);
    const double end = place(s, row->ratio);
    const char* colour = row->at_least <= 0            ? "#9db7cc"
                         : row->ratio >= row->at_least ? "#2f7fb5"
                                                       : "#d0662a";
    char text[128];
    bench_draw_text(file, LEFT - 10, y + BAR - 3, "text-anchor=\"end\"", row->name);
    fprintf(file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n",
            fmin(one, end), y, fabs(end - one), BAR, colour);
    if (row->at_least > 0) {
        draw_mark(file, place(s, row->at_least), y, "#222");
        draw_mark(file, place(s, row->aim), y, "#3a9d4f");
    }
    snprintf(text, sizeof text, "%.3g x  %s%s", row->ratio, row->other,
             row->same_answer ? "" : " (wrong)");
    double right = fmax(one, end);
    right = row->aim > 0 ? fmax(right, place(s, row->aim)) : right;
    bench_draw_text(file, right + 7, y + BAR - 3, "fill=\"#333\"", text);
}

static void draw(FILE* file, const bench_report* report, const char* name) {
    char title[320];
    char cpu[128];
    const scale s = find_scale(report);
    const double bottom = TOP + STEP * (double)report->row_count;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfdfb\"/>\n",
            LEFT + WIDTH + RIGHT, bottom + BOTTOM);
    snprintf(title, sizeof title, "abut bench %s: time of the other / time of abut", name);
    bench_draw_text(file, 14, 22, "font-size=\"16\" font-weight=\"bold\"", title);
    snprintf(title, sizeof title, "%s, %s, %s. Black mark: at least; green mark: aim.",
             bench_cpu(cpu, sizeof cpu), abut_isa_name(report->isa), bench_compiler());
    bench_draw_text(file, 14, 42, "fill=\"#555\"", title);
    draw_grid(file, s, bottom);
    for (size_t i = 0; i < report->row_count; ++i) {
        draw_row(file, s, &report->rows[i], TOP + STEP * (double)i);
    }
    fputs("</svg>\n", file);
}

static bool close_plot(FILE* file, io_error* error) {
    const bool done = file != NULL && io_output_end(file, error);
    if (!done) {
        fprintf(stderr, "abut: %s\n", error->message);
    }
    return done;
}

bool bench_plot(const bench_report* report, const char* name, const char* directory) {
    char path[4096];
    io_error error;
    bool done = true;
    (void)mkdir(directory, 0777);  // if this fails, opening the files fails, too
    if (report->row_count > 0) {
        snprintf(path, sizeof path, "%s/bench-%s.svg", directory, name);
        FILE* file = io_output_open(path, &error);
        if (file != NULL) {
            draw(file, report, name);
        }
        done = close_plot(file, &error);
    }
    for (size_t i = 0; i < report->figure_count && done; ++i) {
        snprintf(path, sizeof path, "%s/bench-%s-%s.svg", directory, name,
                 report->figures[i]->name);
        FILE* file = io_output_open(path, &error);
        if (file != NULL) {
            bench_draw_figure(file, report->figures[i]);
        }
        done = close_plot(file, &error);
    }
    return done;
}
