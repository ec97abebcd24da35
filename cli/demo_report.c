// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Prints what abut demo shows, for readers who are new to abut.
#include "cli/demo_report.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 20, BAR_WIDTH = 36, BLOCK_BAR_WIDTH = 10, BLOCK_COLUMN = 17 };

// adds a cell that says how a body moves
static void add_motion(table* t, const scene_body* b) {
    if (!b->moves) {
        table_cell(t, STYLE_PLAIN, "stays as it is");
    } else if (!b->reduced) {
        table_cell(t, STYLE_PLAIN, "deforms");
    } else if (b->node_count > 0 && b->field_count > 0) {
        table_cell(t, STYLE_PLAIN, "deforms by %u fields, then follows %u nodes", b->field_count,
                   b->node_count);
    } else if (b->node_count > 0) {
        table_cell(t, STYLE_PLAIN, "follows %u nodes", b->node_count);
    } else if (b->field_count == 0) {
        table_cell(t, STYLE_PLAIN, "moves as a rigid body");
    } else {
        table_cell(t, STYLE_PLAIN, "deforms by %u fields", b->field_count);
    }
}

static void print_bodies(const scene* s) {
    char number[NUMBER_SIZE];
    const uint32_t count = scene_body_count(s);
    table* t = table_create("<surface|triangles|<");
    for (uint32_t i = 0; i < count && i < MOST_ROWS / 4; ++i) {
        const scene_body* b = scene_get_body(s, i);
        table_cell(t, STYLE_PLAIN, "%s", b->name);
        table_number(t, STYLE_PLAIN, b->triangle_count);
        add_motion(t, b);
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
        "The motion is prescribed, without contact forces, so surfaces pass through each other.\n"
        "In every frame abut finds all pairs of triangles that share a point.\n\n");
    print_bodies(d->scene);
    printf("\n");
    fflush(stdout);
}

static uint64_t pairs_of(const frame_record* f) {
    return f->between + f->self;
}

// the frame with most contact of `step` frames from `first` on
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

// prints the share of all blocks that a frame opened, as a bar and a number
static void print_blocks(const demo* d, const frame_record* f) {
    char share[NUMBER_SIZE];
    const uint64_t opened = f->work.blocks_evaluated;
    const size_t used = print_bar(opened, d->blocks, BLOCK_BAR_WIDTH, false, STYLE_PLAIN);
    percent(opened, (double)d->blocks, share);
    printf("%*s  ", BLOCK_COLUMN - (int)used, share);
}

static void print_chart_row(const demo* d, const frame_record* f, const int width[2],
                            uint64_t most) {
    char text[NUMBER_SIZE];
    printf("  %5u", f->frame);
    if (d->ask.between) {
        printf("  %*s", width[0], grouped(f->between, text));
    }
    if (d->ask.self) {
        printf("  %*s", width[1], grouped(f->self, text));
    }
    printf("  ");
    if (d->lazy) {
        print_blocks(d, f);
    }
    const size_t bar = BAR_WIDTH - (d->lazy ? BLOCK_BAR_WIDTH : 0);
    print_bar(f->between, most, bar, false, STYLE_FOUND);
    print_bar(f->self, most, bar, true, STYLE_FOUND);
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
    if (d->ask.self) {
        print_styled(STYLE_BOLD, "  %*s", width[1], "within");
    }
    if (d->lazy) {
        print_styled(STYLE_BOLD, "  %-*s", BLOCK_COLUMN, "blocks opened");
    }
    print_styled(STYLE_BOLD, "  pairs of triangles that touch\n");
    for (size_t i = 0; i < h->frame_count; i += step) {
        print_chart_row(d, &h->frames[busiest(h, i, step)], width, most);
    }
    if (d->ask.between && d->ask.self) {
        const bool fine = terminal_has_utf8();
        printf("  %s between surfaces, %s within one\n", fine ? "\u2588" : "#",
               fine ? "\u2592" : "+");
    }
    if (step > 1) {
        printf("  (each row is the one of %zu frames with most contact)\n", step);
    }
    printf("\n");
}

// the pairs of triangles that a program without a tree would test in one frame
static double all_pairs(const demo* d) {
    double pairs = 0;
    double before = 0;
    double before_static = 0;
    for (uint32_t i = 0; i < scene_body_count(d->scene); ++i) {
        const scene_body* b = scene_get_body(d->scene, i);
        const double n = b->triangle_count;
        pairs += d->ask.between ? n * (before - (b->moves ? 0 : before_static)) : 0;
        pairs += d->ask.self && b->moves ? n * (n - 1) / 2 : 0;
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

static abut_counters sum_of_work(const history* found) {
    abut_counters sum = {0};
    for (size_t i = 0; i < found->frame_count; ++i) {
        const abut_counters* w = &found->frames[i].work;
        sum.boxes_tested += w->boxes_tested;
        sum.blocks_evaluated += w->blocks_evaluated;
        sum.vertices_evaluated += w->vertices_evaluated;
        sum.nodes_certified += w->nodes_certified;
        sum.blocks_certified += w->blocks_certified;
        sum.exact_tests += w->exact_tests;
    }
    return sum;
}

// Prints what lazy evaluation saved. A vertex counts as moved once per opened block, so the count
// of those never moved is a lower bound.
static void print_lazy(const demo* d, const abut_counters* sum) {
    char number[NUMBER_SIZE];
    char share[NUMBER_SIZE];
    const uint64_t all = d->moving_vertices * d->found.frame_count;
    if (all > sum->vertices_evaluated) {
        const uint64_t left = all - sum->vertices_evaluated;
        printf(
            "  %s vertices (%s) were never moved: the boxes above them follow from the state "
            "alone.\n",
            grouped(left, number), percent(left, (double)all, share));
    } else {
        printf("  A vertex counts as moved once for each block that it is in.\n");
    }
    if (d->ask.between && d->ask.self) {
        const double blocks = (double)d->blocks * (double)d->found.frame_count;
        printf(
            "  The query between surfaces opened %s blocks (%s), the query within them the rest.\n",
            grouped(d->blocks_between, number), percent(d->blocks_between, blocks, share));
    }
    if (sum->nodes_certified + sum->blocks_certified > 0) {
        printf("  Within surfaces, %s tree nodes ", grouped(sum->nodes_certified, number));
        printf("and %s more blocks and pairs of blocks were proven\n",
               grouped(sum->blocks_certified, number));
        printf("  free of contact from the state alone.\n");
    }
    printf("\n");
}

// prints the work in a sentence
static void print_effort(const demo* d) {
    char tests[NUMBER_SIZE];
    char blocks[NUMBER_SIZE];
    char vertices[NUMBER_SIZE];
    const double frames = (double)d->found.frame_count;
    const abut_counters sum = sum_of_work(&d->found);
    percent(sum.exact_tests, all_pairs(d) * frames, tests);
    percent(sum.blocks_evaluated, (double)d->blocks * frames, blocks);
    printf("Exact tests were needed for %s of all pairs of triangles; %s of the blocks were opened",
           tests, blocks);
    if (d->lazy) {
        printf(",\nand %s of the vertices moved",
               percent(sum.vertices_evaluated, (double)d->moving_vertices * frames, vertices));
    }
    printf(" (more with --verbose).\n");
}

static void print_work(const demo* d) {
    const double frames = (double)d->found.frame_count;
    const abut_counters sum = sum_of_work(&d->found);
    const double pairs = all_pairs(d) * frames;
    table* t = table_create("<work in all frames|done|share|<");
    add_work(t, "pairs of boxes compared", sum.boxes_tested, pairs, "pairs of triangles");
    add_work(t, "exact triangle tests", sum.exact_tests, pairs, "pairs of triangles");
    add_work(t, "blocks of triangles opened", sum.blocks_evaluated, (double)d->blocks * frames,
             "blocks");
    if (d->lazy) {
        add_work(t, "vertices moved", sum.vertices_evaluated, (double)d->moving_vertices * frames,
                 "vertices");
    }
    table_print(t, 2);
    printf(
        "  A block is a group of up to 48 neighbouring triangles. Bounding boxes of triangles, "
        "blocks\n  and groups of blocks ruled out all other pairs.\n\n");
    if (d->lazy) {
        print_lazy(d, &sum);
    }
    table_destroy(t);
}

// prints the time per frame; the first frame separately if its one-time work takes long
static void print_time(const demo* d) {
    char time[NUMBER_SIZE];
    char first[NUMBER_SIZE];
    const double later = (double)d->found.frame_count - 1;
    const double rest = d->work_seconds - d->first_seconds;
    if (d->first_seconds * later > 4 * rest) {
        printf("Updates and queries took %s per frame, but %s in the first, which also prepares.\n",
               duration(rest / later, time), duration(d->first_seconds, first));
    } else {
        printf("Updates and queries took %s per frame.\n",
               duration(d->work_seconds / (later + 1), time));
    }
}

static void print_suggestion(const char* what, const char* why) {
    printf("  %-42s %s\n", what, why);
}

static void print_try_next(const demo* d) {
    char more[128];
    printf("Try next:\n");
    print_suggestion("abut demo --list", "other scenes");
    if (!d->lazy) {
        print_suggestion("abut demo fish", "bodies that deform by fields, moved only where needed");
        print_suggestion("abut demo ring", "bodies that follow nodes, as skin follows bones");
    }
    if (d->lazy && d->ask.between && d->ask.self) {
        snprintf(more, sizeof more, "abut demo %s --between", d->kind->name);
        print_suggestion(more, "skip contact within surfaces: less moves");
    }
    // small scenes have a fixed size; very large ones take long
    if (d->kind->default_triangles >= 1000 && d->triangles <= 1000000) {
        snprintf(more, sizeof more, "abut demo %s --triangles %u", d->kind->name, 4 * d->triangles);
        print_suggestion(more, "the same, finer");
    }
    print_suggestion("abut check MESH.obj", "does your own mesh cut itself?");
    print_suggestion("abut help check", "sequences, margins, JSON");
}

// prints how deep bodies were inside each other
static void print_depth(const demo* d) {
    const frame_record* worst = NULL;
    uint64_t most = 0;
    for (size_t i = 0; i < d->found.frame_count; ++i) {
        const frame_record* f = &d->found.frames[i];
        most = f->regions > most ? f->regions : most;
        worst = f->regions > 0 && (worst == NULL || f->deepest > worst->deepest) ? f : worst;
    }
    if (worst != NULL) {
        printf(
            "The bodies are inside each other in up to %llu region%s at once, at most %.3g deep\n"
            "(frame %u): moving one body by that depth along the direction found frees the "
            "region,\n"
            "which abut verified.\n",
            (unsigned long long)most, most == 1 ? "" : "s", worst->deepest, worst->frame);
        print_jump(&d->found);
    }
}

static void print_demo_verdict(const demo* d) {
    char runs[RUNS_SIZE];
    if (d->found.frames_touching == 0) {
        print_styled(STYLE_CLEAR, "Nothing touches");
        printf(" in any of %zu frames", d->found.frame_count);
    } else {
        print_styled(STYLE_FOUND, "Contact");
        printf(" in %zu of %zu frames (%s)", d->found.frames_touching, d->found.frame_count,
               runs_text(&d->found.touching, d->found.names, 8, runs));
    }
    printf(".\n");
}

void print_demo_report(const demo* d) {
    print_demo_verdict(d);
    if (d->ask.depth) {
        print_depth(d);
    }
    if (d->known != 0) {
        printf(
            "The answer is right in %u of the %u frames whose answer is known from the "
            "construction.\n",
            d->known_right, d->known);
    }
    printf("\n");
    print_chart(d);
    if (d->verbose) {
        print_work(d);
        print_time(d);
    } else {
        print_effort(d);
    }
    if (d->exchanged != 0) {
        printf(
            "During the motion %u bodies appeared or vanished; new ones got trees of their own.\n",
            d->exchanged);
    }
    printf("\n");
    print_try_next(d);
}
