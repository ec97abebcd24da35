// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Table 2, and the fishes of section 5: skinning everything, refitting bottom-up and querying,
// compared with setting the state and querying. The cases without contact and pressed together are
// our additions. Figures and fishes move by formulas, and in the soft rows by a point-based
// simulation, as in the paper.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

enum { SMALL = 5714, LARGE = 91360, MOST_ROUNDS = 9 };

typedef struct line {
    const char* scene;
    const char* contact;
    scene_options wishes;
    const char* paper[3];  // bottom-up, its own, speed-up
} line;

#define RING(size, count, touch) \
    { .triangles = size, .nodes = count, .contact = SCENE_CONTACT_##touch }
#define BOTTOM_UP_3K_SMALL "37.1 + 2.12 = 39.3"
#define BOTTOM_UP_3K_LARGE "37.9 + 2.48 = 40.4"
#define BOTTOM_UP_45K_SMALL "575.7 + 5.89 = 581.6"
#define BOTTOM_UP_45K_LARGE "569.7 + 8.84 = 578.6"
#define PAPER_3K_SMALL_115 \
    { BOTTOM_UP_3K_SMALL, "1.83 + 5.72 = 7.55", "5.2" }
#define PAPER_3K_SMALL_550 \
    { BOTTOM_UP_3K_SMALL, "2.36 + 5.60 = 7.97", "4.9" }
#define PAPER_45K_SMALL_115 \
    { BOTTOM_UP_45K_SMALL, "4.54 + 16.6 = 21.1", "27.5" }
#define PAPER_45K_SMALL_550 \
    { BOTTOM_UP_45K_SMALL, "5.77 + 18.7 = 24.5", "23.7" }
#define PAPER_3K_LARGE_115 \
    { BOTTOM_UP_3K_LARGE, "3.38 + 10.0 = 13.4", "3.0" }
#define PAPER_3K_LARGE_550 \
    { BOTTOM_UP_3K_LARGE, "3.26 + 9.28 = 12.5", "3.2" }
#define PAPER_45K_LARGE_115 \
    { BOTTOM_UP_45K_LARGE, "6.87 + 24.5 = 31.4", "18.4" }
#define PAPER_45K_LARGE_550 \
    { BOTTOM_UP_45K_LARGE, "8.23 + 29.3 = 37.5", "15.4" }
#define PAPER_FISHES \
    { "401.7 + 16.6 = 418.3", "5.3 + 26.3 = 31.6", "13.2" }

static const line lines[] = {
    {"ring", "small", RING(SMALL, 115, SMALL), PAPER_3K_SMALL_115},
    {"ring", "small", RING(SMALL, 550, SMALL), PAPER_3K_SMALL_550},
    {"ring", "small", RING(LARGE, 115, SMALL), PAPER_45K_SMALL_115},
    {"ring", "small", RING(LARGE, 550, SMALL), PAPER_45K_SMALL_550},
    {"ring", "large", RING(SMALL, 115, LARGE), PAPER_3K_LARGE_115},
    {"ring", "large", RING(SMALL, 550, LARGE), PAPER_3K_LARGE_550},
    {"ring", "large", RING(LARGE, 115, LARGE), PAPER_45K_LARGE_115},
    {"ring", "large", RING(LARGE, 550, LARGE), PAPER_45K_LARGE_550},
    {"ring", "none", RING(SMALL, 550, NONE), {"", "", ""}},
    {"ring", "none", RING(LARGE, 550, NONE), {"", "", ""}},
    {"ring", "pressed", RING(SMALL, 550, PRESSED), {"", "", ""}},
    {"ring", "pressed", RING(LARGE, 550, PRESSED), {"", "", ""}},
    {"fishes", "", {.triangles = 16000, .nodes = 96}, PAPER_FISHES},
    {"soft_ring", "small", RING(SMALL, 115, SMALL), PAPER_3K_SMALL_115},
    {"soft_ring", "small", RING(SMALL, 550, SMALL), PAPER_3K_SMALL_550},
    {"soft_ring", "small", RING(LARGE, 115, SMALL), PAPER_45K_SMALL_115},
    {"soft_ring", "small", RING(LARGE, 550, SMALL), PAPER_45K_SMALL_550},
    {"soft_ring", "large", RING(SMALL, 115, LARGE), PAPER_3K_LARGE_115},
    {"soft_ring", "large", RING(SMALL, 550, LARGE), PAPER_3K_LARGE_550},
    {"soft_ring", "large", RING(LARGE, 115, LARGE), PAPER_45K_LARGE_115},
    {"soft_ring", "large", RING(LARGE, 550, LARGE), PAPER_45K_LARGE_550},
    {"soft_fishes", "", {.triangles = 16000, .nodes = 96}, PAPER_FISHES},
};

typedef struct times {  // of one frame
    double update;
    double query;
} times;

static times run_once(reduced* r, uint32_t frames) {
    times sum = {0, 0};
    for (uint32_t f = 0; f < frames; ++f) {
        const double begin = bench_now(CLOCK_CPU);
        reduced_update(r, f, 1);
        const double middle = bench_now(CLOCK_CPU);
        reduced_collide(r);
        sum.update += (middle - begin) / frames;
        sum.query += (bench_now(CLOCK_CPU) - middle) / frames;
    }
    return sum;
}

// Medians over rounds, the two alternately.
static void measure(const scene* s, size_t rounds, times* ours, times* other) {
    static const reduced_way ways[2] = {WAY_LAZY, WAY_DEFORM};
    double update[2][MOST_ROUNDS];
    double query[2][MOST_ROUNDS];
    const uint32_t frames = scene_frame_count(s);
    reduced* both[2];
    for (size_t k = 0; k < 2; ++k) {
        both[k] = reduced_create(s, 1, 0, ways[k]);
        (void)run_once(both[k], frames);
    }
    for (size_t i = 0; i < rounds; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            const times once = run_once(both[k], frames);
            update[k][i] = once.update;
            query[k][i] = once.query;
        }
    }
    *ours = (times){bench_median(update[0], rounds), bench_median(query[0], rounds)};
    *other = (times){bench_median(update[1], rounds), bench_median(query[1], rounds)};
    reduced_destroy(both[0]);
    reduced_destroy(both[1]);
}

static void put_times(bench_table* table, const times* t) {
    bench_table_cell(table, "%.3f + %.3f = %.3f", t->update, t->query, t->update + t->query);
}

void convex_make_ring(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report,
        "<scene|vertices|nodes|<contact|skin, refit + query|abut set + query|speed-up|"
        "paper: refit + query|paper's own|speed-up",
        name);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        const line* l = &lines[i];
        scene_options wishes = l->wishes;
        wishes.seed = options->seed;
        wishes.frames = options->quick ? 10 : 0;
        scene* s = paper_scene_with(l->scene, &wishes);
        times ours;
        times other;
        measure(s, options->quick ? 1 : MOST_ROUNDS, &ours, &other);
        bench_table_cell(table, "%s", l->scene);
        bench_table_cell(table, "%u", scene_get_body(s, 0)->vertex_count);
        bench_table_cell(table, "%u", scene_get_body(s, 0)->node_count);
        bench_table_cell(table, "%s", l->contact);
        put_times(table, &other);
        put_times(table, &ours);
        bench_table_cell(table, "%.1f", (other.update + other.query) / (ours.update + ours.query));
        for (int k = 0; k < 3; ++k) {
            bench_table_cell(table, "%s", l->paper[k]);
        }
        scene_destroy(s);
    }
}
