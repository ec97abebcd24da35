// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The suite "kinetic": vertices that move on straight lines between keyframes, as in Weller,
// Zachmann, "Kinetic Bounding Volume Hierarchies for Deformable Objects", 2006. The baseline is the
// code that a user would write: interpolate all vertices at full SIMD width, refit, and run the
// same query.
//
// Every round plays the animation once, with new bodies, so that our time includes all work that is
// done once per keyframe, but not making the bodies. On both sides this includes the table of runs
// of vertices that a shape has for refits.
#include "bench/bounce.h"
#include "bench/cut.h"
#include "bench/inside.h"
#include "bench/keyed.h"
#include "bench/paper/paper.h"

#include <stdio.h>
#include <string.h>

typedef enum question {
    ASK_TIME,      // new states only
    ASK_BOXES,     // new states and the boxes of all tree nodes
    ASK_COLLIDE,   // new states and all pairs between bodies
    ASK_APPROACH,  // the same without the exact tests
    ASK_LEAVES,    // new states and the pairs of blocks that overlap (the broad phase): by lists,
    ASK_BROAD,     // or by traversals from the roots
} question;

static bool is_broad(question q) {
    return q == ASK_LEAVES || q == ASK_BROAD;
}

static bool is_query(question q) {
    return q == ASK_COLLIDE || q == ASK_APPROACH || is_broad(q);
}

typedef struct animation {
    const char* scene;
    uint32_t triangles;
    uint32_t first;  // of the scene's frames, used as keyframes
    uint32_t count;  // 0: all
} animation;

static const animation cloth16k = {"tablecloth", 16200, 0, 0};
static const animation cloth64k = {"tablecloth", 64082, 0, 0};
static const animation cloth_early = {"tablecloth", 16200, 0, 12};
static const animation cloth_late = {"tablecloth", 16200, 20, 20};
static const animation dress64k = {"dress", 64000, 0, 0};
static const animation shirt32k = {"shirt", 32000, 0, 0};
static const animation dress580k = {"dress", 580000, 0, 0};

typedef struct row_spec {
    const char* name;
    double at_least;
    double aim;
    const char* paper;
    const animation* animation;
    uint32_t steps;  // frames per keyframe
    question question;
    keyed_way way;  // ours
} row_spec;

static const row_spec specs[] = {
    {"kinetic update cloth16k F=100", 5, 12, "5x", &cloth16k, 100, ASK_TIME, KEYED_KINETIC},
    {"kinetic update cloth64k F=100", 5, 15, "", &cloth64k, 100, ASK_TIME, KEYED_KINETIC},
    {"kinetic update dress64k F=100", 5, 15, "10x", &dress64k, 100, ASK_TIME, KEYED_KINETIC},
    {"kinetic update cloth16k F=13", 0.95, 2, "", &cloth16k, 13, ASK_TIME, KEYED_KINETIC},
    {"list light contact F=30", 10, 20, "", &dress64k, 30, ASK_LEAVES, KEYED_FLIGHT},
    {"list heavy contact F=30", 15, 30, "", &cloth_late, 30, ASK_LEAVES, KEYED_FLIGHT},
    {"list light contact F=100", 25, 60, "5x", &dress64k, 100, ASK_LEAVES, KEYED_FLIGHT},
    {"list heavy contact F=100", 45, 100, "3x", &cloth_late, 100, ASK_LEAVES, KEYED_FLIGHT},
    {"choice cloth16k F=1", 0.95, 1, "", &cloth16k, 1, ASK_BROAD, KEYED_FLIGHT},
    {"choice cloth16k F=10", 1.5, 4, "", &cloth16k, 10, ASK_BROAD, KEYED_FLIGHT},
    {"kinetic AABB update cloth16k F=30", 3, 6, "5x", &cloth16k, 30, ASK_TIME, KEYED_KINETIC},
    {"kinetic AABB update dress64k F=30", 3, 8, "10x", &dress64k, 30, ASK_TIME, KEYED_KINETIC},
    {"kinetic AABB update dress580k F=30", 5, 12, "10x", &dress580k, 30, ASK_TIME, KEYED_KINETIC},
    {"BoxTree update cloth16k F=100", 1, 4, "", &cloth16k, 100, ASK_TIME, KEYED_BOXTREE},
    {"BoxTree update dress64k F=100", 1, 4, "", &dress64k, 100, ASK_TIME, KEYED_BOXTREE},

    // Further rows, without a required ratio:
    {"list light contact F=30, kinetic boxes", 0, 0, "", &dress64k, 30, ASK_LEAVES,
     KEYED_KINETIC_LISTED},
    {"list heavy contact F=30, kinetic boxes", 0, 0, "", &cloth_late, 30, ASK_LEAVES,
     KEYED_KINETIC_LISTED},
    {"list light contact F=100, kinetic boxes", 0, 0, "5x", &dress64k, 100, ASK_LEAVES,
     KEYED_KINETIC_LISTED},
    {"list heavy contact F=100, kinetic boxes", 0, 0, "3x", &cloth_late, 100, ASK_LEAVES,
     KEYED_KINETIC_LISTED},
    {"list cloth16k until it lands F=100", 0, 0, "", &cloth_early, 100, ASK_LEAVES, KEYED_FLIGHT},
    {"list cloth16k until it lands, whole frames", 0, 0, "", &cloth_early, 100, ASK_COLLIDE,
     KEYED_LISTED},
    {"list light contact F=100, whole frames", 0, 0, "", &dress64k, 100, ASK_COLLIDE, KEYED_LISTED},
    {"list heavy contact F=100, whole frames", 0, 0, "", &cloth_late, 100, ASK_COLLIDE,
     KEYED_LISTED},
    {"choice cloth16k F=1, whole frames", 0, 0, "", &cloth16k, 1, ASK_COLLIDE, KEYED_FLIGHT},
    {"choice cloth16k F=10, whole frames", 0, 0, "", &cloth16k, 10, ASK_COLLIDE, KEYED_FLIGHT},
    {"update cloth16k F=100, linear", 0, 0, "", &cloth16k, 100, ASK_BOXES, KEYED_FLIGHT},
    {"update cloth64k F=100, linear", 0, 0, "", &cloth64k, 100, ASK_BOXES, KEYED_FLIGHT},
    {"update dress64k F=100, linear", 0, 0, "", &dress64k, 100, ASK_BOXES, KEYED_FLIGHT},
    {"update cloth16k F=13, linear", 0, 0, "", &cloth16k, 13, ASK_BOXES, KEYED_FLIGHT},
    {"update cloth16k F=100, kinetic", 0, 0, "5x", &cloth16k, 100, ASK_BOXES, KEYED_KINETIC},
    {"update cloth64k F=100, kinetic", 0, 0, "", &cloth64k, 100, ASK_BOXES, KEYED_KINETIC},
    {"update dress64k F=100, kinetic", 0, 0, "10x", &dress64k, 100, ASK_BOXES, KEYED_KINETIC},
    {"update cloth16k F=13, kinetic", 0, 0, "", &cloth16k, 13, ASK_BOXES, KEYED_KINETIC},
    {"update cloth16k F=100, BoxTree", 0, 0, "", &cloth16k, 100, ASK_BOXES, KEYED_BOXTREE},
    {"kinetic AABB update shirt32k F=30", 0, 0, "10x", &shirt32k, 30, ASK_TIME, KEYED_KINETIC},
    {"kinetic AABB update cloth16k F=30, event by event", 0, 0, "5x", &cloth16k, 30, ASK_TIME,
     KEYED_SINGLE},
    {"kinetic AABB update dress64k F=30, event by event", 0, 0, "10x", &dress64k, 30, ASK_TIME,
     KEYED_SINGLE},
    {"kinetic AABB update cloth16k F=100, event by event", 0, 0, "5x", &cloth16k, 100, ASK_TIME,
     KEYED_SINGLE},
    {"update cloth16k F=1, choice", 0, 0, "", &cloth16k, 1, ASK_BOXES, KEYED_FLIGHT},
    {"update cloth16k F=10, choice", 0, 0, "", &cloth16k, 10, ASK_BOXES, KEYED_FLIGHT},
    {"cloth16k until it lands F=100", 0, 0, "", &cloth_early, 100, ASK_COLLIDE, KEYED_FLIGHT},
    {"light contact F=100, no exact tests", 0, 0, "", &dress64k, 100, ASK_APPROACH, KEYED_FLIGHT},
    {"heavy contact F=100, no exact tests", 0, 0, "", &cloth_late, 100, ASK_APPROACH, KEYED_FLIGHT},
};
enum { SPECS = sizeof specs / sizeof *specs, MOST_ROUNDS = 31 };

static const char table_name[] = "table: frames a keyframe";

// ---- playing

typedef struct contest {
    scene* scene;
    keyframes* keys;
    uint32_t steps;
    question question;
    keyed_way way;  // ours
} contest;

typedef struct outcome {
    double ours_ms;  // per frame
    double other_ms;
    double frames;
    abut_counters counters;  // of ours, all frames
    leaves_counts leaves;    // likewise, if queried
    bool same_answer;
} outcome;

static contest start(const animation* a, uint32_t steps, question q, keyed_way way, uint32_t seed) {
    contest c = {.steps = steps, .question = q, .way = way};
    c.scene = scene_create(a->scene, a->triangles, 0, seed);
    if (c.scene == NULL) {
        bench_die("the scene '%s' cannot be made", a->scene);
    }
    const uint32_t count = a->count > 0 ? a->count : scene_frame_count(c.scene);
    c.keys = keyframes_create(c.scene, a->first, count, !is_query(q));
    return c;
}

static void finish(contest* c) {
    keyframes_destroy(c->keys);
    scene_destroy(c->scene);
}

static void run_query(keyed* k, question q) {
    if (q == ASK_BOXES) {
        keyed_bound(k);
    } else if (q == ASK_COLLIDE) {
        keyed_collide(k);
    } else if (is_broad(q)) {
        keyed_leaves(k, q == ASK_LEAVES);
    } else if (q == ASK_APPROACH) {
        keyed_approach(k);
    }
}

// Returns the milliseconds of all frames.
static double play(const contest* c, keyed_way way, outcome* out) {
    keyed* k = keyed_create(c->keys, way);
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t key = 0; key + 1 < keyframes_count(c->keys); ++key) {
        for (uint32_t step = 0; step < c->steps; ++step) {
            keyed_update(k, key, step, c->steps);
            run_query(k, c->question);
        }
    }
    const double ms = bench_now(CLOCK_CPU) - begin;
    out->counters = *keyed_counters(k);
    if (is_broad(c->question)) {
        out->leaves = keyed_leaves_counted(k);
    }
    keyed_destroy(k);
    return ms;
}

static bool same_pairs(keyed* ours, keyed* exact) {
    size_t count[2];
    keyed_collide(ours);
    keyed_collide(exact);
    const abut_pair* a = keyed_pairs(ours, &count[0]);
    const abut_pair* b = keyed_pairs(exact, &count[1]);
    return count[0] == count[1] && (count[0] == 0 || memcmp(a, b, count[0] * sizeof *a) == 0);
}

static bool same_leaves(keyed* ours, keyed* exact, bool listed) {
    keyed_leaves(ours, listed);
    keyed_leaves(exact, false);
    return keyed_leaves_agree(ours, exact);
}

// Returns whether boxes contain all vertices, and pairs are those of the exact formula, between
// keyframes and at them.
static bool is_right(const contest* c) {
    keyed* ours = keyed_create(c->keys, c->way);
    keyed* exact = keyed_create(c->keys, KEYED_EXACT);
    const uint32_t spans = keyframes_count(c->keys) - 1;
    bool right = true;
    for (uint32_t key = 0; key < spans && right; ++key) {
        const uint32_t step = 7 * key % c->steps;  // another part of every segment
        keyed_update(ours, key, step, c->steps);
        keyed_update(exact, key, step, c->steps);
        right = keyed_is_sound(ours) && (!is_query(c->question) || same_pairs(ours, exact)) &&
                (!is_broad(c->question) || same_leaves(ours, exact, c->question == ASK_LEAVES));
    }
    keyed_destroy(ours);
    keyed_destroy(exact);
    return right;
}

static outcome compare(const contest* c, bool quick) {
    double ms[2][MOST_ROUNDS];
    outcome other;
    outcome out = {.same_answer = is_right(c)};
    const double budget_ms = quick ? 500 : 3000;
    const size_t most = quick ? 5 : MOST_ROUNDS;
    size_t rounds = 0;
    for (double spent = 0; rounds < most && (rounds < 3 || spent < budget_ms); ++rounds) {
        ms[1][rounds] = play(c, KEYED_LERP, &other);
        ms[0][rounds] = play(c, c->way, &out);
        spent += ms[0][rounds] + ms[1][rounds];
    }
    out.frames = (double)c->steps * (keyframes_count(c->keys) - 1);
    out.ours_ms = bench_median(ms[0], rounds) / out.frames;
    out.other_ms = bench_median(ms[1], rounds) / out.frames;
    return out;
}

// ---- rows

static void add_row(const char* name, double at_least, double aim, const char* paper,
                    const char* other, const outcome* out, bool has_counters,
                    bench_report* report) {
    bench_row row = {.at_least = at_least,
                     .aim = aim,
                     .ours_ms = out->ours_ms,
                     .other_ms = out->other_ms,
                     .ratio = out->other_ms / out->ours_ms,
                     .same_answer = out->same_answer,
                     .has_counters = has_counters,
                     .counters = out->counters};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.other, sizeof row.other, "%s", other);
    snprintf(row.paper, sizeof row.paper, "%s", paper);
    bench_report_add(report, &row);
    report->ours_wrong = report->ours_wrong || !out->same_answer;
}

static void count_work(const char* name, const outcome* out, bench_report* report) {
    bench_report_note(
        report,
        "%s: %.0f boxes tested, %.0f blocks evaluated, %.0f exact tests, %.0f pairs a "
        "frame.",
        name, (double)out->counters.boxes_tested / out->frames,
        (double)out->counters.blocks_evaluated / out->frames,
        (double)out->counters.exact_tests / out->frames,
        (double)out->counters.pairs_found / out->frames);
}

static void count_list(const char* name, const outcome* out, bench_report* report) {
    bench_report_note(
        report,
        "%s: %.0f entries in the list, of which %.0f pairs of blocks overlap; a frame "
        "has %.1f events and looks at %.1f pairs of nodes, of which %.1f because a kinetic tree "
        "changed boxes.",
        name, out->leaves.entries / out->frames, out->leaves.pairs / out->frames,
        out->leaves.events / out->frames, out->leaves.looked / out->frames,
        out->leaves.changed / out->frames);
}

// Describes how we compute the boxes of all tree nodes.
static const char* what_bounds(keyed_way way) {
    return way == KEYED_KINETIC
               ? "setting the time and all boxes of a kinetic AABB tree, against interpolation "
                 "and refit"
           : way == KEYED_BOXTREE
               ? "setting the time and all boxes of a kinetic BoxTree, against interpolation and "
                 "refit"
               : "setting the time and all boxes, linear ones as the library "
                 "chooses here, against interpolation and refit";
}

static const char* what_we_did(const row_spec* spec) {
    switch (spec->question) {
        case ASK_TIME:
            return spec->way == KEYED_SINGLE
                       ? "the kinetic AABB tree as published: its events one by one, from a heap, "
                         "searched over the following keyframes. Against interpolation and refit"
                   : spec->way == KEYED_BOXTREE
                       ? "setting the time of a kinetic BoxTree: all its events up to then, and "
                         "its "
                         "certificates at every key; its boxes follow from that where they are "
                         "asked for. Against interpolation and refit"
                       : "setting the time of a kinetic AABB tree: all its events up to then, and "
                         "its certificates at every key; its boxes follow from that where they are "
                         "asked for. Against interpolation and refit";
        case ASK_LEAVES:
            return spec->way == KEYED_KINETIC_LISTED
                       ? "update + broad phase: setting the time of a kinetic AABB tree and "
                         "bringing the separation list on its boxes to the present, against "
                         "interpolation, refit and a traversal from the roots to these pairs"
                       : "update + broad phase: setting the time and bringing the separation list "
                         "to the "
                         "present, which knows the pairs of blocks that overlap, against "
                         "interpolation, "
                         "refit and a traversal from the roots to these pairs";
        case ASK_BROAD:
            return "update + broad phase: setting the time and a traversal from the roots to the "
                   "pairs of blocks that overlap, against interpolation, refit and the same "
                   "traversal";
        case ASK_COLLIDE:
        case ASK_APPROACH:
            return spec->way == KEYED_LISTED
                       ? "whole frames, exact tests included: setting the time and asking with a "
                         "front, against interpolation, refit and the query from the roots"
                       : "setting the time and a traversal from the roots, against interpolation, "
                         "refit and the same traversal";
        default: return what_bounds(spec->way);
    }
}

static void explain(const row_spec* spec, const contest* c, const outcome* out,
                    bench_report* report) {
    const scene_body* b = scene_get_body(c->scene, 0);
    bench_report_note(report, "%s: %s of %u triangles, %u keyframes, %.0f frames: %s.", spec->name,
                      b->name, b->triangle_count, keyframes_count(c->keys), out->frames,
                      what_we_did(spec));
    if (spec->question == ASK_LEAVES) {
        count_list(spec->name, out, report);
    } else if (is_query(spec->question) && !is_broad(spec->question)) {
        count_work(spec->name, out, report);
    }
}

static void run_row(const row_spec* spec, const bench_options* options, bench_report* report) {
    contest c = start(spec->animation, spec->steps, spec->question, spec->way, options->seed);
    const outcome out = compare(&c, options->quick);
    add_row(spec->name, spec->at_least, spec->aim, spec->paper, "interpolate+refit", &out,
            is_query(spec->question) && !is_broad(spec->question), report);
    explain(spec, &c, &out, report);
    finish(&c);
}

// ---- rows of spheres that expand and reverse

typedef struct bounce_spec {
    const char* name;
    double at_least;
    double aim;
    const char* paper;
    uint32_t triangles;  // of each sphere
    bounce_way way;
    bounce_question question;
} bounce_spec;

static const bounce_spec bounce_specs[] = {
    {"spheres velocity reversal", 3, 5, "5x", 40000, BOUNCE_FLIGHT, BOUNCE_ASK_LEAVES},
    {"expanding spheres kinetic AABB", 2, 5, "5x", 40000, BOUNCE_KINETIC, BOUNCE_ASK_TIME},

    // Further rows, without a required ratio:
    {"spheres velocity reversal, 10k", 0, 0, "", 10000, BOUNCE_FLIGHT, BOUNCE_ASK_LEAVES},
    {"spheres velocity reversal, 2k", 0, 0, "", 2000, BOUNCE_FLIGHT, BOUNCE_ASK_LEAVES},
    {"spheres velocity reversal, whole frames", 0, 0, "", 40000, BOUNCE_FLIGHT, BOUNCE_ASK_LISTED},
    {"spheres velocity reversal, no front", 0, 0, "", 40000, BOUNCE_FLIGHT, BOUNCE_ASK_COLLIDE},
    {"spheres velocity reversal, update", 0, 0, "5x", 40000, BOUNCE_FLIGHT, BOUNCE_ASK_BOXES},
    {"spheres velocity reversal, kinetic", 0, 0, "5x", 40000, BOUNCE_KINETIC, BOUNCE_ASK_BOXES},
};
enum { BOUNCE_SPECS = sizeof bounce_specs / sizeof *bounce_specs, BOUNCE_FRAMES = 600 };

static outcome compare_bounce(const bounce* b, const bounce_spec* spec, bool quick) {
    double ms[2][MOST_ROUNDS];
    outcome out = {.same_answer = bounce_is_right(b, spec->way, spec->question),
                   .frames = BOUNCE_FRAMES - 1};
    const double budget_ms = quick ? 500 : 3000;
    const size_t most = quick ? 5 : MOST_ROUNDS;
    size_t rounds = 0;
    for (double spent = 0; rounds < most && (rounds < 3 || spent < budget_ms); ++rounds) {
        abut_counters other = {0};
        memset(&out.counters, 0, sizeof out.counters);
        leaves_counts none = {0};
        ms[1][rounds] = bounce_play(b, BOUNCE_MOVE, spec->question, &other, &none);
        ms[0][rounds] = bounce_play(b, spec->way, spec->question, &out.counters, &out.leaves);
        spent += ms[0][rounds] + ms[1][rounds];
    }
    out.ours_ms = bench_median(ms[0], rounds) / out.frames;
    out.other_ms = bench_median(ms[1], rounds) / out.frames;
    return out;
}

static const char* what_was_asked(bounce_question asked) {
    switch (asked) {
        case BOUNCE_ASK_LEAVES:
            return "setting the time and bringing the separation list to the present, against "
                   "moving "
                   "all vertices, refit and a traversal from the roots to the same pairs of blocks";
        case BOUNCE_ASK_LISTED:
            return "setting the time and asking with a front, exact tests included, against moving "
                   "all vertices, refit and the query from the roots";
        case BOUNCE_ASK_COLLIDE:
            return "setting the time and all pairs, against moving all vertices, refit and the "
                   "same "
                   "query";
        case BOUNCE_ASK_TIME:
            return "setting the time of two kinetic AABB trees: all their events up to then, and "
                   "the certificates of vertices with new plans; boxes follow from that where they "
                   "are asked for. Against moving all vertices and refit";
        default: return "setting the time and all boxes, against moving all vertices and refit";
    }
}

static void run_bounce(const bounce_spec* spec, const bench_options* options,
                       bench_report* report) {
    bounce* b = bounce_create(spec->triangles, BOUNCE_FRAMES, options->seed);
    const outcome out = compare_bounce(b, spec, options->quick);
    const bool asks = spec->question == BOUNCE_ASK_COLLIDE || spec->question == BOUNCE_ASK_LISTED;
    add_row(spec->name, spec->at_least, spec->aim, spec->paper, "move+refit", &out, asks, report);
    bench_report_note(report,
                      "%s: two spheres of %u triangles, %.0f frames: new plans for %zu vertices in "
                      "%u of them, %s.",
                      spec->name, bounce_triangles(b), out.frames, bounce_turns(b),
                      bounce_turning_frames(b), what_was_asked(spec->question));
    if (spec->question == BOUNCE_ASK_LEAVES) {
        count_list(spec->name, &out, report);
    } else if (asks) {
        count_work(spec->name, &out, report);
    }
    bounce_destroy(b);
}

// ---- rows of a sheet that is cut

typedef struct cut_spec {
    const char* name;
    double at_least;
    double aim;
    cut_question question;
} cut_spec;

static const cut_spec cut_specs[] = {
    {"cut sheet32k by a blade", 1.3, 2, CUT_ASK_BLADE},

    // Further rows, without a required ratio:
    {"cut sheet32k, pairs within it", 0, 0, CUT_ASK_WITHIN},
};
enum { CUT_SPECS = sizeof cut_specs / sizeof *cut_specs };

static outcome compare_cut(const cut* c, cut_question asked, bool quick) {
    double ms[2][MOST_ROUNDS];
    outcome out = {.same_answer = true, .frames = CUT_FRAMES};
    const double budget_ms = quick ? 500 : 3000;
    const size_t most = quick ? 5 : MOST_ROUNDS;
    size_t rounds = 0;
    for (double spent = 0; rounds < most && (rounds < 3 || spent < budget_ms); ++rounds) {
        abut_counters other = {0};
        uint64_t hash[2];
        memset(&out.counters, 0, sizeof out.counters);
        ms[1][rounds] = cut_play(c, CUT_ANEW, asked, &other, &hash[1]);
        ms[0][rounds] = cut_play(c, CUT_KEPT, asked, &out.counters, &hash[0]);
        out.same_answer = out.same_answer && hash[0] == hash[1];
        spent += ms[0][rounds] + ms[1][rounds];
    }
    out.ours_ms = bench_median(ms[0], rounds) / out.frames;
    out.other_ms = bench_median(ms[1], rounds) / out.frames;
    return out;
}

static void run_cut(const cut_spec* spec, const bench_options* options, bench_report* report) {
    cut* c = cut_create();
    const outcome out = compare_cut(c, spec->question, options->quick);
    add_row(spec->name, spec->at_least, spec->aim, "", "start anew", &out, true, report);
    bench_report_note(report,
                      "%s: a sheet of %u triangles loses %d of them in one frame of %d, %.0f "
                      "frames: the edit, the switch to it, setting the time and all pairs %s, "
                      "against the same with nodes that are all built by each edit, so that the "
                      "body starts anew.",
                      spec->name, cut_triangles(c), CUT_TRIANGLES, CUT_EVERY, out.frames,
                      spec->question == CUT_ASK_BLADE ? "with the blade" : "within the sheet");
    count_work(spec->name, &out, report);
    cut_destroy(c);
}

// ---- the table

static void show(const outcome* out, bench_table* table) {
    bench_table_cell(table, "%.4f", out->ours_ms);
    bench_table_cell(table, "%.4f", out->other_ms);
    bench_table_cell(table, "%.2f", out->other_ms / out->ours_ms);
}

static void make_table(const bench_options* options, bench_report* report) {
    static const struct {
        const char* name;
        const animation* animation;
    } all[] = {{"cloth16k", &cloth16k}, {"dress64k", &dress64k}};
    static const struct {
        const char* name;
        question question;
    } asked[] = {{"time", ASK_TIME}, {"boxes", ASK_BOXES}, {"total", ASK_COLLIDE}};
    static const uint32_t steps[] = {1, 3, 10, 30, 100, 300};
    bench_table* table = bench_report_table(
        report,
        "<scene|F|time: ours|rival|ratio|with all boxes: ours|rival|ratio|with pairs: "
        "ours|rival|ratio",
        table_name);
    bench_figure* figure = bench_report_figure(
        report, &(bench_figure){.name = "frames",
                                .title = "Time of interpolation and refit over ours",
                                .x_label = "frames a keyframe",
                                .y_label = "ratio",
                                .log_x = true,
                                .log_y = true});
    for (size_t i = 0; i < 2 * 6; ++i) {
        bench_table_cell(table, "%s", all[i / 6].name);
        bench_table_cell(table, "%u", steps[i % 6]);
        for (size_t j = 0; j < 3; ++j) {
            char series[48];
            contest c = start(all[i / 6].animation, steps[i % 6], asked[j].question, KEYED_FLIGHT,
                              options->seed);
            const outcome out = compare(&c, true);
            show(&out, table);
            report->ours_wrong = report->ours_wrong || !out.same_answer;
            snprintf(series, sizeof series, "%s, %s", all[i / 6].name, asked[j].name);
            bench_figure_point(figure, series, steps[i % 6], out.other_ms / out.ours_ms);
            finish(&c);
        }
    }
}

static void list(void (*fn)(void* user, const char* name, double at_least, double aim),
                 void* user) {
    for (size_t i = 0; i < SPECS; ++i) {
        fn(user, specs[i].name, specs[i].at_least, specs[i].aim);
    }
    for (size_t i = 0; i < BOUNCE_SPECS; ++i) {
        fn(user, bounce_specs[i].name, bounce_specs[i].at_least, bounce_specs[i].aim);
    }
    for (size_t i = 0; i < CUT_SPECS; ++i) {
        fn(user, cut_specs[i].name, cut_specs[i].at_least, cut_specs[i].aim);
    }
    inside_list("kinetic", fn, user);
    fn(user, table_name, 0, 0);
    for (size_t i = 0; i < kinetic_table_count; ++i) {
        fn(user, kinetic_tables[i].name, 0, 0);
    }
}

static void run(const bench_options* options, const regex_t* wanted, bench_report* report) {
    bench_note_isa(report);
    for (size_t i = 0; i < SPECS; ++i) {
        if (bench_is_wanted(specs[i].name, wanted)) {
            bench_progress(specs[i].name);
            run_row(&specs[i], options, report);
        }
    }
    for (size_t i = 0; i < BOUNCE_SPECS; ++i) {
        if (bench_is_wanted(bounce_specs[i].name, wanted)) {
            bench_progress(bounce_specs[i].name);
            run_bounce(&bounce_specs[i], options, report);
        }
    }
    for (size_t i = 0; i < CUT_SPECS; ++i) {
        if (bench_is_wanted(cut_specs[i].name, wanted)) {
            bench_progress(cut_specs[i].name);
            run_cut(&cut_specs[i], options, report);
        }
    }
    inside_run("kinetic", options, wanted, report);
    if (options->tables && bench_is_wanted(table_name, wanted)) {
        bench_progress(table_name);
        make_table(options, report);
    }
    paper_make_tables(kinetic_tables, kinetic_table_count, options, wanted, report);
    bench_progress(NULL);
}

extern const bench_suite bench_kinetic;
const bench_suite bench_kinetic = {
    .name = "kinetic",
    .about = "keyframed bodies against interpolating everything",
    .list = list,
    .run = run,
};
