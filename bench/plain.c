// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rivals against plain loops: see plain.h. Rival and plain loop run alternately; times are the least
// of all rounds, because noise only adds to them. Rounds are short, so that many of them are without
// an interruption, and they go on until neither time falls any more. The plain loop is compiled for
// the instruction set in use and, if that is the best one, also for this very processor: the faster
// one counts. Both of these together have as many rounds as the rival, because the least of more
// rounds would be less.
#include "bench/plain.h"

#include "bench/deform.h"
#include "bench/lerp.h"
#include "bench/skinner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char plain_row_name[] = "rivals plain loop over rival, worst of all";

typedef enum rival_kind { SKIN, DEFORM, LERP, MOVE, BOX, REFIT } rival_kind;

typedef struct rival_case {
    const char* name;
    rival_kind kind;
    uint32_t vertices;  // REFIT: the square of this many quads
    uint32_t count;     // influences (0: 4 to 18) or fields
} rival_case;

static const rival_case cases[] = {
    {"skinning, 1 influence", SKIN, 8000, 1},
    {"skinning, 4 influences", SKIN, 45000, 4},
    {"skinning, 4 to 18 influences", SKIN, 3000, 0},
    {"skinning, 4 to 18 influences", SKIN, 45000, 0},
    {"deforming, 3 fields", DEFORM, 8000, 3},
    {"deforming, 12 fields", DEFORM, 8000, 12},
    {"deforming, 30 fields", DEFORM, 45000, 30},
    {"interpolating", LERP, 8000, 0},
    {"interpolating", LERP, 45000, 0},
    {"moving", MOVE, 8000, 0},
    {"box of all vertices", BOX, 45000, 0},
    {"refitting", REFIT, 90, 0},
    {"refitting", REFIT, 300, 0},
};
enum { CASES = sizeof cases / sizeof *cases, NODES = 500, MOST_FIELDS = 30 };

typedef struct subject {
    const rival_case* what;
    uint32_t vertices;
    scene_body body;
    double* rest;
    float* rest_floats;
    float* fields;
    float* transforms;
    uint32_t* first;
    uint32_t* nodes;
    float* weights;
    double q[MOST_FIELDS];
    float q_floats[MOST_FIELDS];
    skinner* skinner;
    deformer* deformer;
    plain_body* free_body;
    float* other;      // the second keyframe, or velocities
    float* out;        // of both sides in turn, because their speed depends on where it lies
    float* plain_out;  // a copy of what the plain loop wrote
    float box[2][2][3];
} subject;

// ---- data

static double draw(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) * 0x1p-23 - 1;
}

static float* draw_floats(size_t count, uint32_t* state) {
    float* made = bench_alloc_floats(count);
    for (size_t i = 0; i < count; ++i) {
        made[i] = (float)draw(state);
    }
    return made;
}

// Vertices that are near in memory follow the same nodes, as in meshes.
static void make_weights(subject* x, uint32_t* state) {
    x->first = bench_alloc(x->vertices + (size_t)1, sizeof *x->first);
    x->nodes = bench_alloc(18 * (size_t)x->vertices, sizeof *x->nodes);
    x->weights = bench_alloc_floats(18 * (size_t)x->vertices);
    for (uint32_t v = 0; v < x->vertices; ++v) {
        const uint32_t spread = (uint32_t)(4.999 * (draw(state) + 1) + 2.499 * (draw(state) + 1));
        const bool fixed = x->what->kind == SKIN && x->what->count > 0;
        const uint32_t k = fixed ? x->what->count : 4 + spread;
        const uint32_t at = x->first[v];
        for (uint32_t i = 0; i < k; ++i) {
            x->nodes[at + i] = (uint32_t)(((uint64_t)v * NODES / x->vertices + 3 * i) % NODES);
            x->weights[at + i] = 1.0F / (float)k;
        }
        x->first[v + 1] = at + k;
    }
}

static void make_rivals(subject* x) {
    const rival_case* what = x->what;
    x->body = (scene_body){.vertex_count = x->vertices,
                           .rest = x->rest,
                           .node_count = NODES,
                           .weight_first = x->first,
                           .weight_nodes = x->nodes,
                           .weights = x->weights};
    x->skinner = what->kind == SKIN ? skinner_create(&x->body) : NULL;
    x->deformer = what->kind == DEFORM
                      ? deformer_create(x->rest, x->fields, x->vertices, what->count)
                      : NULL;
    x->free_body = what->kind == REFIT ? plain_body_create(what->vertices) : NULL;
}

static subject make_subject(const rival_case* what, uint32_t seed) {
    uint32_t state = seed;
    subject x = {.what = what, .vertices = what->vertices};
    const size_t numbers = 3 * (size_t)x.vertices;
    x.rest_floats = draw_floats(numbers, &state);
    x.rest = bench_alloc(numbers, sizeof *x.rest);
    for (size_t i = 0; i < numbers; ++i) {
        x.rest[i] = x.rest_floats[i];
    }
    x.other = draw_floats(numbers, &state);
    x.transforms = draw_floats((size_t)12 * NODES, &state);
    x.fields = draw_floats(what->kind == DEFORM ? numbers * what->count : 0, &state);
    for (int j = 0; j < MOST_FIELDS; ++j) {
        x.q_floats[j] = (float)draw(&state);
        x.q[j] = x.q_floats[j];
    }
    x.plain_out = bench_alloc_floats(numbers);
    x.out = bench_alloc_floats(numbers);
    make_weights(&x, &state);
    make_rivals(&x);
    if (x.free_body != NULL) {
        x.vertices = plain_body_vertices(x.free_body);
    }
    return x;
}

static void free_subject(subject* x) {
    skinner_destroy(x->skinner);
    deformer_destroy(x->deformer);
    if (x->free_body != NULL) {
        plain_body_destroy(x->free_body);
    }
    free(x->rest);
    free(x->rest_floats);
    free(x->fields);
    free(x->transforms);
    free(x->first);
    free(x->nodes);
    free(x->weights);
    free(x->other);
    free(x->plain_out);
    free(x->out);
}

// ---- both sides

static const float part = 0.3F;

static void run_plain(subject* x, const plain_loops* loops) {
    const size_t numbers = 3 * (size_t)x->vertices;
    const plain_skin skin = {x->vertices,    x->first,      x->nodes, x->weights,
                             x->rest_floats, x->transforms, x->out};
    switch (x->what->kind) {
        case SKIN: loops->skin(&skin); break;
        case DEFORM:
            loops->deform(x->rest_floats, x->fields, x->q_floats, x->what->count, x->out, numbers);
            break;
        case LERP: loops->lerp(x->rest_floats, x->other, part, x->out, numbers); break;
        case MOVE: loops->move(x->out, x->other, numbers); break;
        case BOX: loops->box(x->rest_floats, x->vertices, x->box[0][0], x->box[0][1]); break;
        case REFIT: plain_body_refit_plainly(x->free_body, loops); break;
    }
}

static void run_rival(subject* x) {
    const size_t numbers = 3 * (size_t)x->vertices;
    const float* out = NULL;
    switch (x->what->kind) {
        case SKIN: out = skinner_run(x->skinner, x->transforms, NULL); break;
        case DEFORM: out = deformer_run(x->deformer, x->q); break;
        case LERP: lerp_run(x->rest_floats, x->other, part, x->out, numbers); break;
        case MOVE: lerp_move(x->out, x->other, numbers); break;
        case BOX:
            rivals_chosen()->box(x->rest_floats, x->vertices, x->box[1][0], x->box[1][1]);
            break;
        case REFIT: plain_body_refit(x->free_body); break;
    }
    __asm__ volatile("" ::"r"(out) : "memory");  // prevents the compiler from removing the work
}

// ---- answers

// Computes a number of the result in double, and the sum of the absolute values of its terms.
static double exact(const subject* x, size_t i, double* size) {
    const size_t v = i / 3;
    const size_t numbers = 3 * (size_t)x->vertices;
    double sum = x->what->kind == SKIN ? 0 : x->rest[i];
    *size = fabs(sum);
    for (uint32_t k = x->first[v]; x->what->kind == SKIN && k < x->first[v + 1]; ++k) {
        const float* row = x->transforms + 12 * (size_t)x->nodes[k] + 4 * (i % 3);
        for (size_t c = 0; c < 4; ++c) {
            const double term = (double)x->weights[k] * (double)row[c] *
                                (c < 3 ? x->rest[3 * v + c] : 1);
            sum += term;
            *size += fabs(term);
        }
    }
    for (uint32_t j = 0; x->what->kind == DEFORM && j < x->what->count; ++j) {
        const double term = (double)x->fields[j * numbers + i] * x->q[j];
        sum += term;
        *size += fabs(term);
    }
    if (x->what->kind == LERP) {
        const double step = (double)part * ((double)x->other[i] - sum);
        *size += (double)part * (fabs(sum) + fabs((double)x->other[i]));
        sum += step;
    }
    return sum;
}

// Each operation errs by at most 2^-24 of its result, so a sum of n terms, in any order, by at most
// n + 8 times that of the sum of their absolute values.
static bool is_near(const subject* x, const float* out) {
    const double terms = x->what->kind == SKIN ? 18 : x->what->count;
    bool near = true;
    for (size_t i = 0; i < 3 * (size_t)x->vertices; ++i) {
        double size;
        const double value = exact(x, i, &size);
        near = near && fabs((double)out[i] - value) <= (terms + 8) * 0x1p-24 * size;
    }
    return near;
}

// Runs both sides once, from the same start, and compares.
static bool agree(subject* x, const plain_loops* loops) {
    const size_t bytes = 3 * (size_t)x->vertices * sizeof(float);
    const float* out = x->out;
    const bool moves = x->what->kind == MOVE;
    memcpy(x->out, x->rest_floats, moves ? bytes : 0);
    run_plain(x, loops);
    memcpy(x->plain_out, x->out, x->what->kind != REFIT ? bytes : 0);
    memcpy(x->out, x->rest_floats, moves ? bytes : 0);
    run_rival(x);
    switch (x->what->kind) {
        case SKIN: out = skinner_run(x->skinner, x->transforms, NULL); break;
        case DEFORM: out = deformer_run(x->deformer, x->q); break;
        case LERP: break;
        case MOVE: return memcmp(x->out, x->plain_out, bytes) == 0;
        case BOX: return memcmp(x->box[0], x->box[1], sizeof x->box[0]) == 0;
        case REFIT: return plain_body_agrees(x->free_body);
    }
    return is_near(x, x->plain_out) && is_near(x, out);
}

// ---- times

// Nanoseconds a vertex for so many calls; `loops` is NULL for the rival.
static double time_side(subject* x, const plain_loops* loops, uint32_t passes) {
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t i = 0; i < passes; ++i) {
        if (loops != NULL) {
            run_plain(x, loops);
        } else {
            run_rival(x);
        }
    }
    return 1e6 * (bench_now(CLOCK_CPU) - begin) / passes / x->vertices;
}

typedef struct contest {
    uint32_t vertices;
    double plain_ns;  // a vertex
    double rival_ns;
    bool same;
} contest;

// Returns the number of calls that take about a fifth of a millisecond.
static uint32_t passes_for(subject* x) {
    const double round_ns = 2e5;
    const double once = x->vertices * time_side(x, NULL, 3);
    return once < round_ns ? (uint32_t)(round_ns / (once + 1)) + 1 : 1;
}

// Records a time; returns whether it is clearly the least so far.
static bool note_time(double ns, double* least) {
    const bool falls = ns < 0.995 * *least;
    *least = ns < *least ? ns : *least;
    return falls;
}

// Runs rounds of the rival and a plain loop, in either order, until no time has fallen for `calm`
// rounds.
static void time_both(subject* x, const plain_loops* const plain[2], bool quick, contest* best) {
    const uint32_t calm = quick ? 40 : 160;
    const uint32_t passes = passes_for(x);
    for (uint32_t round = 0, last_fall = 0; round < 10 * calm && round < last_fall + calm;
         ++round) {
        const plain_loops* loops = plain[plain[1] != NULL ? round / 2 % 2 : 0];
        for (uint32_t i = 0; i < 2; ++i) {
            const bool is_plain = (round + i) % 2 != 0;
            const double ns = time_side(x, is_plain ? loops : NULL, passes);
            if (note_time(ns, is_plain ? &best->plain_ns : &best->rival_ns)) {
                last_fall = round;
            }
        }
    }
}

static contest run_case(const rival_case* what, const bench_options* options) {
    const plain_loops* plain[2] = {plain_loops_chosen(), plain_loops_of_processor()};
    subject x = make_subject(what, options->seed);
    contest best = {x.vertices, INFINITY, INFINITY, true};
    for (int i = 0; i < 2 && plain[i] != NULL; ++i) {
        best.same = agree(&x, plain[i]) && best.same;
    }
    time_both(&x, plain, options->quick, &best);
    free_subject(&x);
    return best;
}

static void add_cells(bench_table* table, const rival_case* what, const contest* c) {
    bench_table_cell(table, "%s", what->name);
    bench_table_cell(table, "%u", c->vertices);
    bench_table_cell(table, "%.3f", c->plain_ns);
    bench_table_cell(table, "%.3f", c->rival_ns);
    bench_table_cell(table, "%.2f", c->plain_ns / c->rival_ns);
}

static void note_sets(bench_report* report) {
    abut_context* context = NULL;
    if (abut_context_create(bench_context_def(), &context, NULL) != ABUT_OK) {
        bench_die("out of memory");
    }
    bench_report_note(report, "%s: library %s, rivals %s.", plain_row_name,
                      abut_isa_name(abut_context_isa(context)), rivals_chosen()->name);
    abut_context_destroy(context);
}

void plain_run(const bench_options* options, bench_report* report, double at_least, double aim) {
    bench_row row = {.ratio = INFINITY, .at_least = at_least, .aim = aim, .same_answer = true};
    bench_table* table = !options->tables
                             ? NULL
                             : bench_report_table(report,
                                                  "<rival|vertices|plain loop|rival|plain / rival",
                                                  "rivals: nanoseconds a vertex");
    snprintf(row.name, sizeof row.name, "%s", plain_row_name);
    for (size_t i = 0; i < CASES; ++i) {
        const contest c = run_case(&cases[i], options);
        row.same_answer = row.same_answer && c.same;
        if (!c.same) {
            bench_report_note(report, "%s: the results of %s differ.", row.name, cases[i].name);
        }
        if (table != NULL) {
            add_cells(table, &cases[i], &c);
        }
        if (c.plain_ns / c.rival_ns < row.ratio) {
            row.ratio = c.plain_ns / c.rival_ns;
            row.ours_ms = 1e-6 * c.rival_ns * c.vertices;
            row.other_ms = 1e-6 * c.plain_ns * c.vertices;
            snprintf(row.other, sizeof row.other, "plain loop, %s", cases[i].name);
        }
    }
    bench_report_add(report, &row);
    note_sets(report);
}
