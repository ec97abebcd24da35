// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Figures 18, 19, 21 and 22 of Weller, Zachmann, "Kinetic Bounding Volume Hierarchies for
// Deformable Objects", 2006, as tables: events and updated values per frame, update times and total
// times, by triangles and by frames per keyframe. Bottom-up means interpolating all vertices and
// refitting, at full SIMD width.
#include "bench/bounce.h"
#include "bench/keyed.h"
#include "bench/paper/paper.h"

#include <stdio.h>

enum { ROUNDS = 3, USUAL_STEPS = 30, BOUNCE_FRAMES = 300 };

typedef struct film {
    const char* name;
    const char* scene;
    uint32_t triangles;
} film;

static const film films[] = {
    {"tablecloth", "tablecloth", 2000},  {"tablecloth", "tablecloth", 4000},
    {"tablecloth", "tablecloth", 8000},  {"tablecloth", "tablecloth", 16200},
    {"tablecloth", "tablecloth", 32000}, {"tablecloth", "tablecloth", 64082},
    {"dress", "dress", 32000},           {"dress", "dress", 64000},
    {"dress", "dress", 145000},          {"dress", "dress", 290000},
    {"dress", "dress", 580000},          {"shirt", "shirt", 32000},
    {"shirt", "shirt", 82000},           {"shirt", "shirt", 163000},
    {"shirt", "shirt", 326000},
};
// Queries are timed for the first ones only: those of larger dresses take too long.
enum { FILMS = sizeof films / sizeof *films, CLOTHS = 6, QUERY_FILMS = 8, SHIRTS = 11 };
static const uint32_t all_steps[] = {1, 3, 10, 30, 100, 300};
enum { STEPS = sizeof all_steps / sizeof *all_steps };

// Methods of updating bounds, which are the columns of every table of times; and of storing where a
// traversal ends, which is for queries only.
typedef struct way {
    const char* name;
    keyed_way way;
} way;
static const way ways[] = {
    {"bottom-up", KEYED_LERP},         {"linear boxes", KEYED_LINEAR},
    {"kinetic AABB", KEYED_KINETIC},   {"kinetic BoxTree", KEYED_BOXTREE},
    {"separation list", KEYED_LISTED}, {"separation list on kinetic boxes", KEYED_KINETIC_LISTED},
};
enum { BOTTOM_UP = 0, LINEAR = 1, KINETIC = 2, LIST = 4, WAYS = sizeof ways / sizeof *ways };
// The published form has no boxes that queries could use, so it is in tables of updates only.
static const way by_events = {"kinetic AABB, event by event", KEYED_SINGLE};
#define BOUND_HEADS "bottom-up|linear boxes|kinetic AABB|kinetic BoxTree"
#define UPDATE_HEADS                                                                    \
    BOUND_HEADS                                                                         \
    "|bottom-up over kinetic AABB|without boxes: kinetic AABB|kinetic BoxTree|kinetic " \
    "AABB, event by event"
#define TOTAL_HEADS                                                                            \
    BOUND_HEADS                                                                                \
    "|separation list|separation list on kinetic boxes|bottom-up over list|linear boxes over " \
    "list|kinetic AABB over list"

typedef struct opened {
    scene* scene;
    keyframes* keys;
    uint32_t triangles;
} opened;

// `whole`: all of the scene's bodies, for queries; else the one that deforms.
static opened open_film(const film* f, bool whole, const bench_options* options) {
    opened o = {.scene = scene_create(f->scene, f->triangles, 0, options->seed)};
    if (o.scene == NULL) {
        bench_die("the scene '%s' cannot be made", f->scene);
    }
    const uint32_t frames = scene_frame_count(o.scene);
    const uint32_t count = options->quick && frames > 8 ? 8 : frames;
    o.keys = keyframes_create(o.scene, 0, count, !whole);
    o.triangles = scene_get_body(o.scene, 0)->triangle_count;
    return o;
}

static void close_film(opened* o) {
    keyframes_destroy(o->keys);
    scene_destroy(o->scene);
}

typedef enum asked {
    ASKED_TIME,
    ASKED_BOXES,
    ASKED_BROAD,  // the pairs of blocks that overlap
    ASKED_PAIRS,
} asked;

static void run_query(keyed* k, keyed_way by, asked what) {
    switch (what) {
        case ASKED_TIME: break;
        case ASKED_BOXES: keyed_bound(k); break;
        case ASKED_BROAD: keyed_leaves(k, by == KEYED_LISTED || by == KEYED_KINETIC_LISTED); break;
        default: keyed_collide(k); break;
    }
}

// Returns the milliseconds per frame.
static double play(const opened* o, keyed_way by, uint32_t steps, asked what) {
    keyed* k = keyed_create(o->keys, by);
    const uint32_t segments = keyframes_count(o->keys) - 1;
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t key = 0; key < segments; ++key) {
        for (uint32_t step = 0; step < steps; ++step) {
            keyed_update(k, key, step, steps);
            run_query(k, by, what);
        }
    }
    const double ms = bench_now(CLOCK_CPU) - begin;
    keyed_destroy(k);
    return ms / ((double)segments * steps);
}

// Adds the median times of the trees alone, whose boxes follow where they are asked for.
static void time_without_boxes(const opened* o, uint32_t steps, double x, bench_table* table,
                               bench_figure* figure) {
    const way trees[] = {{"kinetic AABB without boxes", KEYED_KINETIC},
                         {"kinetic BoxTree without boxes", KEYED_BOXTREE},
                         by_events};
    for (size_t w = 0; w < sizeof trees / sizeof *trees; ++w) {
        double ms[ROUNDS];
        for (int r = 0; r < ROUNDS; ++r) {
            ms[r] = play(o, trees[w].way, steps, ASKED_TIME);
        }
        const double median = bench_median(ms, ROUNDS);
        bench_table_cell(table, "%.4f", median);
        bench_figure_point(figure, trees[w].name, x, median);
    }
}

// Adds the median times of all methods, as cells and as points of a figure.
static void time_ways(const opened* o, uint32_t steps, asked what, double x, bench_table* table,
                      bench_figure* figure) {
    double ms[WAYS][ROUNDS];
    double median[WAYS];
    const int count = what == ASKED_BOXES ? LIST : WAYS;
    for (int r = 0; r < ROUNDS; ++r) {
        for (int w = 0; w < count; ++w) {
            ms[w][r] = play(o, ways[w].way, steps, what);
        }
    }
    for (int w = 0; w < count; ++w) {
        median[w] = bench_median(ms[w], ROUNDS);
        bench_table_cell(table, "%.4f", median[w]);
        bench_figure_point(figure, ways[w].name, x, median[w]);
    }
    if (what == ASKED_BOXES) {
        bench_table_cell(table, "%.2f", median[BOTTOM_UP] / median[KINETIC]);
        time_without_boxes(o, steps, x, table, figure);
        return;
    }
    // Below 1: the list is slower.
    bench_table_cell(table, "%.2f", median[BOTTOM_UP] / median[LIST]);
    bench_table_cell(table, "%.2f", median[LINEAR] / median[LIST]);
    bench_table_cell(table, "%.2f", median[KINETIC] / median[LIST]);
}

// ---- figures 18 and 19: events and updates

// Returns the statistics of a tree over a whole film.
static abut__kinetic_stats count(const opened* o, keyed_way by) {
    keyed* k = keyed_create(o->keys, by);
    abut__kinetic_stats stats = {0};
    for (uint32_t key = 0; key + 1 < keyframes_count(o->keys); ++key) {
        // At keyframes there is nothing to count.
        for (uint32_t step = 1; step < USUAL_STEPS; ++step) {
            keyed_update(k, key, step, USUAL_STEPS);
        }
    }
    keyed_stats(k, &stats);
    keyed_destroy(k);
    return stats;
}

void kinetic_make_events(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report,
        "<scene|triangles|AABB: events|values updated|nodes looked at|BoxTree: events|values "
        "updated|bottom-up: values|nodes|binary tree: events|values updated|bottom-up: values",
        name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "updates",
                                .title = "Tablecloth: values updated a frame, 30 frames a keyframe",
                                .x_label = "triangles",
                                .y_label = "values",
                                .log_x = true,
                                .log_y = true});
    for (size_t i = 0; i < FILMS; ++i) {
        opened o = open_film(&films[i], false, options);
        const double frames = (double)(keyframes_count(o.keys) - 1) * USUAL_STEPS;
        const abut__kinetic_stats aabb = count(&o, KEYED_KINETIC);
        const abut__kinetic_stats box = count(&o, KEYED_BOXTREE);
        bench_table_cell(table, "%s", films[i].name);
        bench_table_cell(table, "%u", o.triangles);
        bench_table_cell(table, "%.1f", (double)aabb.events / frames);
        bench_table_cell(table, "%.1f", (double)aabb.updates / frames);
        bench_table_cell(table, "%.1f", (double)aabb.visits / frames);
        bench_table_cell(table, "%.1f", (double)box.events / frames);
        bench_table_cell(table, "%.1f", (double)box.updates / frames);
        bench_table_cell(table, "%u", 6 * aabb.nodes);
        bench_table_cell(table, "%u", aabb.nodes);
        const abut__kinetic_stats binary = count(&o, KEYED_BINARY);  // as published
        bench_table_cell(table, "%.1f", (double)binary.events / frames);
        bench_table_cell(table, "%.1f", (double)binary.updates / frames);
        bench_table_cell(table, "%u", 6 * binary.nodes);
        if (i < CLOTHS) {
            bench_figure_point(figure, "kinetic AABB", o.triangles, (double)aabb.updates / frames);
            bench_figure_point(figure, "kinetic BoxTree", o.triangles,
                               (double)box.updates / frames);
            bench_figure_point(figure, "bottom-up", o.triangles, 6.0 * aabb.nodes);
            bench_figure_point(figure, "kinetic AABB, binary tree", o.triangles,
                               (double)binary.updates / frames);
            bench_figure_point(figure, "bottom-up, binary tree", o.triangles, 6.0 * binary.nodes);
        }
        close_film(&o);
    }
}

// ---- figures 18, 19 and 21: update times

void kinetic_make_update(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(report, "<scene|triangles|" UPDATE_HEADS, name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "update",
                                .title = "Tablecloth: milliseconds an update, 30 frames a keyframe",
                                .x_label = "triangles",
                                .y_label = "ms",
                                .log_x = true,
                                .log_y = true});
    bench_figure* other = bench_report_figure(
        report, &(bench_figure){.name = "update-dress",
                                .title = "Dress: milliseconds an update, 30 frames a keyframe",
                                .x_label = "triangles",
                                .y_label = "ms",
                                .log_x = true,
                                .log_y = true});
    bench_figure* shirt = bench_report_figure(
        report, &(bench_figure){.name = "update-shirt",
                                .title = "Shirt: milliseconds an update, 30 frames a keyframe",
                                .x_label = "triangles",
                                .y_label = "ms",
                                .log_x = true,
                                .log_y = true});
    for (size_t i = 0; i < FILMS; ++i) {
        opened o = open_film(&films[i], false, options);
        bench_table_cell(table, "%s", films[i].name);
        bench_table_cell(table, "%u", o.triangles);
        time_ways(&o, USUAL_STEPS, ASKED_BOXES, o.triangles, table,
                  i < CLOTHS   ? figure
                  : i < SHIRTS ? other
                               : shirt);
        close_film(&o);
    }
}

void kinetic_make_steps(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(report, "<scene|F|" UPDATE_HEADS, name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "update-frames",
                                .title = "Tablecloth, 16k triangles: milliseconds an update",
                                .x_label = "frames a keyframe",
                                .y_label = "ms",
                                .log_x = true,
                                .log_y = true});
    bench_figure* other = bench_report_figure(
        report, &(bench_figure){.name = "update-frames-shirt",
                                .title = "Shirt, 32k triangles: milliseconds an update",
                                .x_label = "frames a keyframe",
                                .y_label = "ms",
                                .log_x = true,
                                .log_y = true});
    static const uint32_t shown[] = {3, SHIRTS};
    for (size_t j = 0; j < 2; ++j) {
        opened o = open_film(&films[shown[j]], false, options);
        for (size_t i = 0; i < STEPS; ++i) {
            bench_table_cell(table, "%s", films[shown[j]].name);
            bench_table_cell(table, "%u", all_steps[i]);
            time_ways(&o, all_steps[i], ASKED_BOXES, all_steps[i], table, j == 0 ? figure : other);
        }
        close_film(&o);
    }
}

// ---- figure 19, left: spheres whose velocities are reversed

void kinetic_make_spheres(const bench_options* options, bench_report* report, const char* name) {
    static const uint32_t sizes[] = {2000, 5000, 10000, 20000, 40000};
    static const bounce_way by[] = {BOUNCE_MOVE, BOUNCE_FLIGHT, BOUNCE_KINETIC};
    bench_table* table = bench_report_table(
        report,
        "triangles|vertices turned|bottom-up|linear boxes|kinetic AABB|bottom-up over "
        "linear|bottom-up over kinetic",
        name);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        bounce* b = bounce_create(sizes[i], BOUNCE_FRAMES, options->seed);
        double ms[3][ROUNDS];
        double median[3];
        for (int r = 0; r < ROUNDS; ++r) {
            for (int w = 0; w < 3; ++w) {
                abut_counters counters = {0};
                leaves_counts listed = {0};
                ms[w][r] = bounce_play(b, by[w], BOUNCE_ASK_BOXES, &counters, &listed);
            }
        }
        bench_table_cell(table, "%u", bounce_triangles(b));
        bench_table_cell(table, "%zu", bounce_turns(b));
        for (int w = 0; w < 3; ++w) {
            median[w] = bench_median(ms[w], ROUNDS) / BOUNCE_FRAMES;
            bench_table_cell(table, "%.4f", median[w]);
        }
        bench_table_cell(table, "%.2f", median[0] / median[1]);
        bench_table_cell(table, "%.2f", median[0] / median[2]);
        bounce_destroy(b);
    }
}

// ---- figure 22: update and collision check together

// A table by triangles, then by frames per keyframe, and its figures: one for each scene, and one
// for the last film.
typedef struct query_table {
    asked what;
    const char* name;   // of the figures
    const char* title;  // likewise, after milliseconds
} query_table;

static bench_figure* query_figure(bench_report* report, const query_table* q, const char* of,
                                  const char* suffix, const char* x_label) {
    bench_figure figure = {.y_label = "ms", .log_x = true, .log_y = true};
    snprintf(figure.name, sizeof figure.name, "%s%s", q->name, suffix);
    snprintf(figure.title, sizeof figure.title, "%s: milliseconds a frame%s", of, q->title);
    snprintf(figure.x_label, sizeof figure.x_label, "%s", x_label);
    return bench_report_figure(report, &figure);
}

static void time_queries(const bench_options* options, const query_table* q, bench_report* report,
                         const char* name) {
    bench_table* table = bench_report_table(report, "<scene|triangles|F|" TOTAL_HEADS, name);
    bench_figure* cloth = query_figure(report, q, "Tablecloth, 30 frames a keyframe", "",
                                       "triangles");
    bench_figure* dress = query_figure(report, q, "Dress, 30 frames a keyframe", "-dress",
                                       "triangles");
    bench_figure* by_steps = query_figure(report, q, "Dress, 64k triangles", "-frames",
                                          "frames a keyframe");
    for (size_t i = 0; i < QUERY_FILMS + STEPS; ++i) {
        const bool sizes = i < QUERY_FILMS;
        const film* f = &films[sizes ? i : QUERY_FILMS - 1];
        const uint32_t steps = sizes ? USUAL_STEPS : all_steps[i - QUERY_FILMS];
        opened o = open_film(f, true, options);
        bench_table_cell(table, "%s", f->name);
        bench_table_cell(table, "%u", o.triangles);
        bench_table_cell(table, "%u", steps);
        time_ways(&o, steps, q->what, sizes ? o.triangles : steps, table,
                  !sizes       ? by_steps
                  : i < CLOTHS ? cloth
                               : dress);
        close_film(&o);
    }
}

void kinetic_make_broad(const bench_options* options, bench_report* report, const char* name) {
    const query_table q = {ASKED_BROAD, "broad", ", update and broad phase"};
    time_queries(options, &q, report, name);
}

void kinetic_make_total(const bench_options* options, bench_report* report, const char* name) {
    const query_table q = {ASKED_PAIRS, "total", " with all pairs"};
    time_queries(options, &q, report, name);
}
