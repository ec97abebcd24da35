// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Figures as SVG: lines and points over two axes, plain or logarithmic.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

enum { LEFT = 76, TOP = 56, WIDTH = 560, HEIGHT = 320, RIGHT = 230, BOTTOM = 56 };

typedef struct axis {
    bool log;
    double low;  // powers of ten if log
    double high;
} axis;

static axis find_axis(const bench_figure* figure, int which, bool log) {
    axis a = {log, INFINITY, -INFINITY};
    for (size_t i = 0; i < figure->series_count; ++i) {
        for (size_t k = 0; k < figure->series[i].count; ++k) {
            const double value = figure->series[i].xy[2 * k + (size_t)which];
            a.low = fmin(a.low, log ? floor(log10(value)) : value);
            a.high = fmax(a.high, log ? ceil(log10(value)) : value);
        }
    }
    if (!(a.high > a.low)) {  // one value, or none
        a.low = isfinite(a.low) ? a.low : 0;
        a.high = a.low + 1;
    }
    return a;
}

// Returns a position from 0 to 1.
static double place(const axis* a, double value) {
    return ((a->log ? log10(value) : value) - a->low) / (a->high - a->low);
}

static double place_x(const axis* x, double value) {
    return LEFT + WIDTH * place(x, value);
}
static double place_y(const axis* y, double value) {
    return TOP + HEIGHT * (1 - place(y, value));
}

static double step_of(const axis* a) {
    const double power = pow(10, floor(log10((a->high - a->low) / 4)));
    const double ratio = (a->high - a->low) / 4 / power;
    return a->log ? 1 : power * (ratio < 2 ? 1 : ratio < 5 ? 2 : 5);
}

// Returns the k-th mark of an axis.
static double mark(const axis* a, int k) {
    return (ceil(a->low / step_of(a)) + k) * step_of(a);
}

static void draw_axes(FILE* file, const axis* x, const axis* y) {
    char text[32];
    for (int k = 0; mark(x, k) <= x->high + 1e-9; ++k) {
        const double v = mark(x, k);
        const double at = place_x(x, x->log ? pow(10, v) : v);
        fprintf(file, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/>\n", at,
                TOP, at, TOP + HEIGHT);
        snprintf(text, sizeof text, "%g", x->log ? pow(10, v) : v);
        bench_draw_text(file, at, TOP + HEIGHT + 18, "text-anchor=\"middle\" fill=\"#555\"", text);
    }
    for (int k = 0; mark(y, k) <= y->high + 1e-9; ++k) {
        const double v = mark(y, k);
        const double at = place_y(y, y->log ? pow(10, v) : v);
        fprintf(file, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", LEFT,
                at, LEFT + WIDTH, at);
        snprintf(text, sizeof text, "%g", y->log ? pow(10, v) : v);
        bench_draw_text(file, LEFT - 8, at + 4, "text-anchor=\"end\" fill=\"#555\"", text);
    }
}

static void draw_series(FILE* file, const bench_series* s, size_t number, const axis* x,
                        const axis* y) {
    static const char* const colours[] = {"#2f7fb5", "#d0662a", "#3a9d4f", "#8a5fb0",
                                          "#b09a2a", "#555555", "#c2477f", "#39a6a3"};
    const size_t count = sizeof colours / sizeof *colours;
    const char* colour = colours[number % count];
    // a colour that comes again is dashed
    const char* dashes = number < count ? "" : " stroke-dasharray=\"5 3\"";
    fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"", colour,
            dashes);
    for (size_t k = 0; k < s->count; ++k) {
        fprintf(file, "%.1f,%.1f ", place_x(x, s->xy[2 * k]), place_y(y, s->xy[2 * k + 1]));
    }
    fputs("\"/>\n", file);
    for (size_t k = 0; k < s->count; ++k) {
        fprintf(file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                place_x(x, s->xy[2 * k]), place_y(y, s->xy[2 * k + 1]), colour);
    }
    const double at = TOP + 14 + 20 * (double)number;
    fprintf(file, "<path d=\"M%d %.1fh14\" stroke=\"%s\" stroke-width=\"4\"%s/>\n",
            LEFT + WIDTH + 14, at - 4, colour, dashes);
    bench_draw_text(file, LEFT + WIDTH + 34, at, "fill=\"#333\"", s->name);
}

void bench_draw_figure(FILE* file, const bench_figure* figure) {
    const axis x = find_axis(figure, 0, figure->log_x);
    const axis y = find_axis(figure, 1, figure->log_y);
    char how[96];
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfdfb\"/>\n",
            LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM);
    bench_draw_text(file, 14, 24, "font-size=\"15\" font-weight=\"bold\"", figure->title);
    draw_axes(file, &x, &y);
    bench_draw_text(file, LEFT + WIDTH / 2.0, TOP + HEIGHT + 40, "text-anchor=\"middle\"",
                    figure->x_label);
    snprintf(how, sizeof how, "text-anchor=\"middle\" transform=\"rotate(-90 20 %g)\"",
             TOP + HEIGHT / 2.0);
    bench_draw_text(file, 20, TOP + HEIGHT / 2.0, how, figure->y_label);
    for (size_t i = 0; i < figure->series_count; ++i) {
        draw_series(file, &figure->series[i], i, &x, &y);
    }
    fputs("</svg>\n", file);
}
