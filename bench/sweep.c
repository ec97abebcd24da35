// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "sweep": continuous collision detection. Elementary tests by kind, compared with the
// inclusion method as published (bench/paper/inclusion.c) or with the time of its authors' program,
// whichever is less. Milliseconds are those of all queries of a row. Whole scenes are in
// sweep_scenes.c.

#include "bench/bench.h"
#include "bench/paper/inclusion.h"
#include "bench/sweep_scenes.h"

#include <abut/abut.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUERIES = 4000, ROUNDS = 15, OTHER_ROUNDS = 3 };

typedef enum kind { FAR, NEAR_MISS, CROSSING, DEGENERATE } kind;

typedef struct elementary {
    const char* name;
    double at_least;
    double aim;
    kind what;
    bool edges;
    double other_us;  // time of the authors' program per query; 0: unknown
} elementary;

static const elementary all[] = {
    {"near miss vertex-face", 30, 100, NEAR_MISS, false, 8},
    {"near miss edge-edge", 30, 100, NEAR_MISS, true, 8},
    {"crossing vertex-face", 60, 300, CROSSING, false, 108},
    {"crossing edge-edge", 60, 300, CROSSING, true, 108},
    {"far vertex-face", 0, 0, FAR, false, 0},
    {"far edge-edge", 0, 0, FAR, true, 0},
    {"degenerate vertex-face", 0, 0, DEGENERATE, false, 0},
    {"degenerate edge-edge", 0, 0, DEGENERATE, true, 0},
};

typedef struct queries {
    double from[QUERIES][4][3];
    double to[QUERIES][4][3];
} queries;

static double unit(uint64_t* state) {  // splitmix64
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double between(uint64_t* state, double low, double high) {
    return low + (high - low) * unit(state);
}

static void random_rotation(uint64_t* state, double r[3][3]) {
    double q[4];
    double length = 0;
    do {
        length = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = between(state, -1, 1);
            length += q[i] * q[i];
        }
    } while (!(length > 0.01 && length <= 1));
    for (int i = 0; i < 4; ++i) {
        q[i] /= sqrt(length);
    }
    const double w = q[0];
    const double x = q[1];
    const double y = q[2];
    const double z = q[3];
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                            {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                            {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(r, m, sizeof m);
}

// Places primitives of unit size in the plane z = 0, or one edge in it and one across. `beside`
// moves the first one sideways out of the other.
static void place(uint64_t* state, bool edges, double beside, double x[4][3]) {
    static const double face[3][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 0.9, 0}};
    memset(x, 0, 12 * sizeof(double));
    if (edges) {
        const double angle = between(state, 0.5, 2.6);
        const double at = between(state, 0.1, 0.9);
        const double on = beside > 0 ? -beside : between(state, 0.1, 0.9);
        x[0][0] = -at * cos(angle) + on;
        x[0][1] = -at * sin(angle);
        x[1][0] = (1 - at) * cos(angle) + on;
        x[1][1] = (1 - at) * sin(angle);
        x[3][0] = 1;
    } else {
        memcpy(x[1], face, sizeof face);
        const double v = between(state, 0.1, 0.4);
        const double u = between(state, 0.1, 0.4);
        for (int k = 0; k < 2; ++k) {
            x[0][k] = u * face[1][k] + v * face[2][k];
        }
        x[0][1] = beside > 0 ? -beside : x[0][1];
    }
}

static int first_count(bool edges) {  // points of the first primitive
    return edges ? 2 : 1;
}

// Moves every point by `motion` in a random direction, nearly the same for all points.
static void move(uint64_t* state, double wobble, double from[4][3], double to[4][3]) {
    double common[3];
    for (int k = 0; k < 3; ++k) {
        common[k] = between(state, -0.1, 0.1);
    }
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) {
            to[i][k] = from[i][k] + common[k] + between(state, -wobble, wobble);
        }
    }
}

static void make_query(uint64_t* state, const elementary* e, uint32_t index, double from[4][3],
                       double to[4][3]) {
    const bool beside = e->what == NEAR_MISS && index % 2 == 1;
    const double motion = between(state, 0.1, 0.3);
    place(state, e->edges, beside ? 0.012 : 0, from);
    move(state, beside ? 0.0005 : e->what == FAR ? 0.05 : 0.0, from, to);
    // Heights of the first primitive at both ends.
    double start = motion * between(state, 0.2, 0.8);
    double end = start - motion;
    if (e->what == NEAR_MISS && !beside) {
        end = 0.01;
        start = end + motion;
    }
    if (e->what == FAR) {
        start += 1;
        end += 1;
    }
    for (int i = 0; i < first_count(e->edges); ++i) {
        from[i][2] += start;
        to[i][2] += end;
    }
    if (e->what == CROSSING || (e->what == NEAR_MISS && !beside)) {
        for (int i = 0; i < 12; ++i) {  // not flat, but by less than the gap
            to[i / 3][i % 3] += between(state, -0.002, 0.002);
        }
    }
}

// Makes a query that is flat throughout, parallel, or touching at an end.
static void make_degenerate(uint64_t* state, bool edges, uint32_t index, double from[4][3],
                            double to[4][3]) {
    place(state, edges, 0, from);
    memcpy(to, from, 12 * sizeof(double));
    const double side = between(state, 0.1, 0.3);
    for (int i = 0; i < first_count(edges); ++i) {
        if (index % 3 == 0) {  // slides in the plane
            from[i][0] += 1 + side;
            to[i][0] += 1;
        } else if (index % 3 == 1) {  // ends touching
            from[i][2] += side;
        } else {  // an edge along an edge
            for (int k = 0; k < 2; ++k) {
                from[i][k] = to[i][k] = from[2 + i][k] + (k == 1 ? 0.01 : 0.3);
            }
            from[i][2] += side;
            to[i][2] -= side;
        }
    }
}

static void turn_all(uint64_t* state, double from[4][3], double to[4][3]) {
    double r[3][3];
    random_rotation(state, r);
    for (int i = 0; i < 8; ++i) {
        double* x = i < 4 ? from[i] : to[i - 4];
        const double y[3] = {x[0], x[1], x[2]};
        for (int k = 0; k < 3; ++k) {
            x[k] = r[k][0] * y[0] + r[k][1] * y[1] + r[k][2] * y[2];
        }
    }
}

static queries* make_queries(const elementary* e, uint32_t seed) {
    queries* made = bench_alloc(1, sizeof *made);
    uint64_t state = seed;
    for (uint32_t i = 0; i < QUERIES; ++i) {
        if (e->what == DEGENERATE) {
            make_degenerate(&state, e->edges, i, made->from[i], made->to[i]);
        } else {
            make_query(&state, e, i, made->from[i], made->to[i]);
            turn_all(&state, made->from[i], made->to[i]);
        }
    }
    return made;
}

static double longest_edge(bool edges, const double from[4][3], const double to[4][3]) {
    double most = 0;
    for (int i = 1; i < 4; ++i) {
        for (int j = edges && i > 1 ? 2 : (edges ? 0 : 1); j < i; ++j) {
            for (int end = 0; end < 2; ++end) {
                const double(*x)[3] = end == 0 ? from : to;
                double sum = 0;
                for (int k = 0; k < 3; ++k) {
                    sum += (x[i][k] - x[j][k]) * (x[i][k] - x[j][k]);
                }
                most = fmax(most, sqrt(sum));
            }
        }
    }
    return most;
}

static double ask_inclusion(const elementary* e, const queries* q, uint32_t count, uint8_t* hit) {
    const double start = bench_now(CLOCK_CPU);
    for (uint32_t i = 0; i < count; ++i) {
        double time;
        const double tolerance = ABUT_TOLERANCE_DEFAULT *
                                 longest_edge(e->edges, q->from[i], q->to[i]);
        hit[i] = inclusion_contact(q->from[i], q->to[i], e->edges, tolerance, &time);
    }
    return bench_now(CLOCK_CPU) - start;
}

static void measure(const elementary* e, const bench_options* options, bench_report* report) {
    enum { SAMPLE = 200 };
    bench_progress(e->name);
    queries* q = make_queries(e, options->seed);
    abut_context* context = NULL;
    abut_sweep_contact* contacts = bench_alloc(QUERIES, sizeof *contacts);
    uint8_t* hit = bench_alloc(QUERIES, 1);
    if (abut_context_create(bench_context_def(), &context, NULL) != ABUT_OK) {
        bench_die("out of memory");
    }
    // The inclusion method hits its limit on degenerate queries, so only a few are measured.
    const uint32_t count = e->what == DEGENERATE ? 12 : options->quick ? SAMPLE : QUERIES;
    double ours[ROUNDS];
    double other[OTHER_ROUNDS];
    for (int r = 0; r < ROUNDS; ++r) {
        const double start = bench_now(CLOCK_CPU);
        (e->edges ? abut_edge_edge_sweep : abut_vertex_face_sweep)(
            context, QUERIES, q->from, q->to, ABUT_TOLERANCE_DEFAULT, 0, contacts);
        ours[r] = bench_now(CLOCK_CPU) - start;
        if (r < OTHER_ROUNDS) {
            other[r] = ask_inclusion(e, q, count, hit) * QUERIES / count;
        }
    }
    bench_row row = {.at_least = e->at_least, .aim = e->aim, .same_answer = true};
    snprintf(row.name, sizeof row.name, "%s", e->name);
    row.ours_ms = bench_median(ours, ROUNDS);
    row.other_ms = bench_median(other, OTHER_ROUNDS);
    const double known = e->other_us * QUERIES * 1e-3;
    const bool ours_of_inclusion = !(known > 0 && known < row.other_ms);
    snprintf(row.other, sizeof row.other,
             ours_of_inclusion ? "inclusion" : "inclusion, %g us a query", e->other_us);
    row.other_ms = ours_of_inclusion ? row.other_ms : known;
    row.ratio = row.other_ms / row.ours_ms;
    for (uint32_t i = 0; i < count; ++i) {
        row.same_answer = row.same_answer &&
                          (contacts[i].verdict != ABUT_SWEEP_VERDICT_NONE) == (hit[i] != 0);
    }
    bench_report_add(report, &row);
    abut_context_destroy(context);
    free(contacts);
    free(hit);
    free(q);
}

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        fn(user, all[i].name, all[i].at_least, all[i].aim);
    }
    for (size_t i = 0; i < sweep_scene_count; ++i) {
        fn(user, sweep_scenes[i].name, sweep_scenes[i].at_least, sweep_scenes[i].aim);
    }
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    bench_note_isa(report);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        if (bench_is_wanted(all[i].name, wanted)) {
            measure(&all[i], options, report);
        }
    }
    for (size_t i = 0; i < sweep_scene_count; ++i) {
        if (bench_is_wanted(sweep_scenes[i].name, wanted)) {
            bench_progress(sweep_scenes[i].name);
            sweep_scenes[i].measure(&sweep_scenes[i], options, report);
        }
    }
    bench_progress(NULL);
}

extern const bench_suite bench_sweep;
const bench_suite bench_sweep = {
    .name = "sweep",
    .about = "continuous collision detection against an inclusion method",
    .list = list,
    .run = run,
};
