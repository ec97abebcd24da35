// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// What abut demo tells, for someone who sees it for the first time.
#include "cli/demo_report.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 20, BAR_WIDTH = 36 };

static void print_bodies(const scene* s) {
    char number[NUMBER_SIZE];
    const uint32_t count = scene_body_count(s);
    table* t = table_create("<surface|triangles|<");
    for (uint32_t i = 0; i < count && i < MOST_ROWS / 4; ++i) {
        const scene_body* b = scene_get_body(s, i);
        table_cell(t, STYLE_PLAIN, "%s", b->name);
        table_number(t, STYLE_PLAIN, b->triangle_count);
        table_cell(t, STYLE_PLAIN, "%s", b->moves ? "deforms" : "stays as it is");
    }
    table_print(t, 2);
    if (count > MOST_ROWS / 4) {
        printf("  ... and %s more\n", grouped(count - MOST_ROWS / 4, number));
    }
    table_destroy(t);
}

void print_demo_start(const demo* d) {
    print_styled(STYLE_BOLD, "%s", d->kind->name);
    printf(": %s\n", d->kind->about);
    printf(
        "The motion is prescribed: nothing pushes back, so surfaces pass through each other.\n"
        "In every frame abut finds all pairs of triangles that share a point.\n\n");
    print_bodies(d->scene);
    printf("\n");
    fflush(stdout);
}

static uint64_t pairs_of(const frame_record* f) {
    return f->between + f->self;
}

// one row for every `step` frames: the one with most contact
static size_t busiest(const history* h, size_t first, size_t step) {
    size_t best = first;
    for (size_t i = first; i < h->frame_count && i < first + step; ++i) {
        best = pairs_of(&h->frames[i]) > pairs_of(&h->frames[best]) ? i : best;
    }
    return best;
}

static int digits_of(uint64_t number) {
    char text[NUMBER_SIZE];
    return (int)strlen(grouped(number, text));
}

static int at_least(int width, int least) {
    return width > least ? width : least;
}

static void print_chart_row(const demo* d, const frame_record* f, const int width[2],
                            uint64_t most) {
    char text[NUMBER_SIZE];
    printf("  %5u", f->frame);
    if (d->ask.between) {
        printf("  %*s", width[0], grouped(f->between, text));
    }
    printf("  %*s  ", width[1], grouped(f->self, text));
    print_bar(f->between, most, BAR_WIDTH, false, STYLE_FOUND);
    print_bar(f->self, most, BAR_WIDTH, true, STYLE_FOUND);
    const char* name = scene_frame_name(d->scene, f->frame);
    printf("%s%s\n", name[0] != '\0' ? "  " : "", name);
}

static void print_chart(const demo* d) {
    const history* h = &d->found;
    uint64_t most = 0;
    uint64_t between = 0;
    uint64_t self = 0;
    for (size_t i = 0; i < h->frame_count; ++i) {
        const frame_record* f = &h->frames[i];
        most = pairs_of(f) > most ? pairs_of(f) : most;
        between = f->between > between ? f->between : between;
        self = f->self > self ? f->self : self;
    }
    const size_t step = (h->frame_count + MOST_ROWS - 1) / MOST_ROWS;
    const int width[2] = {at_least(digits_of(between), 7), at_least(digits_of(self), 6)};
    print_styled(STYLE_BOLD, "  frame");
    if (d->ask.between) {
        print_styled(STYLE_BOLD, "  %*s", width[0], "between");
    }
    print_styled(STYLE_BOLD, "  %*s", width[1], "within");
    print_styled(STYLE_BOLD, "  pairs of triangles that touch\n");
    for (size_t i = 0; i < h->frame_count; i += step) {
        print_chart_row(d, &h->frames[busiest(h, i, step)], width, most);
    }
    if (d->ask.between) {
        const bool fine = terminal_has_utf8();
        printf("  %s between surfaces, %s within one\n", fine ? "\u2588" : "#",
               fine ? "\u2592" : "+");
    }
    if (step > 1) {
        printf("  (of every %zu frames the one with most contact)\n", step);
    }
    printf("\n");
}

// pairs of triangles that a program without a tree would have to look at in one frame
static double all_pairs(const demo* d) {
    double pairs = 0;
    double before = 0;
    double before_static = 0;
    for (uint32_t i = 0; i < scene_body_count(d->scene); ++i) {
        const scene_body* b = scene_get_body(d->scene, i);
        const double n = b->triangle_count;
        pairs += n * (before - (b->moves ? 0 : before_static));
        pairs += b->moves ? n * (n - 1) / 2 : 0;
        before += n;
        before_static += b->moves ? 0 : n;
    }
    return pairs;
}

static void add_work(table* t, const char* what, uint64_t done, double all, const char* of) {
    char share[NUMBER_SIZE];
    char number[NUMBER_SIZE];
    table_cell(t, STYLE_PLAIN, "%s", what);
    table_number(t, STYLE_PLAIN, done);
    table_cell(t, STYLE_PLAIN, "%s", percent(done, all, share));
    table_cell(t, STYLE_PLAIN, "of %s %s", grouped((uint64_t)all, number), of);
}

static void print_work(const demo* d) {
    abut_counters sum = {0};
    const double frames = (double)d->found.frame_count;
    for (size_t i = 0; i < d->found.frame_count; ++i) {
        const abut_counters* w = &d->found.frames[i].work;
        sum.boxes_tested += w->boxes_tested;
        sum.blocks_evaluated += w->blocks_evaluated;
        sum.exact_tests += w->exact_tests;
    }
    const double pairs = all_pairs(d) * frames;
    table* t = table_create("<work in all frames|done|share|<");
    add_work(t, "pairs of boxes compared", sum.boxes_tested, pairs, "pairs of triangles");
    add_work(t, "exact triangle tests", sum.exact_tests, pairs, "pairs of triangles");
    add_work(t, "blocks of triangles opened", sum.blocks_evaluated, (double)d->blocks * frames,
             "blocks");
    table_print(t, 2);
    printf(
        "  A block is up to 48 neighbouring triangles. Boxes around groups of blocks, blocks "
        "and\n  triangles ruled out all the rest.\n\n");
    table_destroy(t);
}

static void print_suggestion(const char* what, const char* why) {
    printf("  %-42s %s\n", what, why);
}

static void print_try_next(const demo* d) {
    char more[128];
    printf("Try next:\n");
    print_suggestion("abut demo --list", "other scenes");
    // small scenes are exact cases of a fixed size; very large ones take long
    if (d->kind->default_triangles >= 1000 && d->triangles <= 1000000) {
        snprintf(more, sizeof more, "abut demo %s --triangles %u", d->kind->name, 4 * d->triangles);
        print_suggestion(more, "the same, finer");
    }
    print_suggestion("abut check MESH.obj", "does a mesh of yours cut itself?");
    print_suggestion("abut help check", "sequences, margins, JSON");
}

void print_demo_report(const demo* d) {
    char ranges[RANGES_SIZE];
    char time[NUMBER_SIZE];
    print_chart(d);
    print_work(d);
    if (d->found.frames_touching == 0) {
        print_styled(STYLE_CLEAR, "Nothing touches");
        printf(" in any of %zu frames", d->found.frame_count);
    } else {
        print_styled(STYLE_FOUND, "Contact");
        printf(" in %zu of %zu frames (%s)", d->found.frames_touching, d->found.frame_count,
               history_ranges(&d->found, 8, ranges));
    }
    printf("; the queries took %s a frame.\n",
           duration(d->query_seconds / (double)d->found.frame_count, time));
    if (d->known != 0) {
        printf(
            "In %u of %u frames whose answer the construction tells, that is the answer "
            "found.\n",
            d->known_right, d->known);
    }
    printf("\n");
    print_try_next(d);
}
