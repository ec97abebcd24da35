// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Front tracking as in section 3.4 of the paper, compared with our method. The front consists of
// the boxes where the last query stopped: they are bounded again before the query, blocks among
// them are evaluated, boxes above them are merged, boxes below them are bounded on demand. Our
// method bounds from the root down, everything on demand. Both methods run in the same driver, with
// the library's trees and kernels. Tests of triangles of two overlapping blocks are the same for
// both and left out.
#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include "base/context.h"
#include "motion/blend.h"
#include "shape/shape.h"

#include <stdlib.h>
#include <string.h>

#define PAD 2e-5f  // more than the rounding error of bodies of this size
enum { LARGE = 91360, ROUNDS = 7 };

// The work per frame, on average.
typedef struct work {
    double refitted;  // boxes of the front, bounded before the query
    double unused;    // those that the query did not use
    double merged;    // boxes above it
    double on_demand;
    double blocks;    // evaluated
    double tests;     // pairs of nodes, all their children at once
    double meetings;  // pairs of blocks whose best boxes overlap: the answer
    double ms;
} work;

typedef struct figure {  // a body
    abut__columns* columns;
    double* transforms;   // of all frames
    abut__boxes8* boxes;  // per tree node, of its children
    abut__box3* best;     // per block
    uint32_t* made;       // per tree node: stamp of `boxes`
    uint32_t* opened;     // likewise: when a query used them
    uint32_t* evaluated;  // per block
    uint32_t* needed;     // per block: when a query evaluated it, or would have
    uint32_t* front;      // tree nodes that the last query opened, parents first
    uint32_t front_count;
    uint32_t* front_blocks;
    uint32_t front_block_count;
    uint32_t* next;  // those of this query
    uint32_t next_count;
    uint32_t* next_blocks;
    uint32_t next_block_count;
} figure;

typedef struct driver {
    abut_context* context;
    abut_shape* shape;  // of all bodies
    const abut__kernels* kernels;
    figure* figures;
    uint32_t figure_count;
    uint32_t frame_count;
    uint32_t now;
    work sum;
} driver;

// ---- boxes

static void bound(driver* d, const figure* f, uint32_t node, abut__boxes8* out) {
    const abut__convex_lanes lanes = abut__convex_node(abut__blend_of(d->shape)->convex,
                                                       &d->shape->tree, node);
    d->kernels->blend_boxes(&lanes, f->columns, NULL, PAD, out);
}

static void bound_one(driver* d, const figure* f, uint32_t node, uint32_t slot) {
    abut__convex_lanes lanes = abut__convex_node(abut__blend_of(d->shape)->convex, &d->shape->tree,
                                                 node);
    abut__boxes8 out;
    lanes.parts += slot;
    lanes.count = 1;
    d->kernels->blend_boxes(&lanes, f->columns, NULL, PAD, &out);
    const abut__box3 box = abut__boxes_get(&out, 0);
    abut__boxes_put(&f->boxes[node], slot, &box);
}

static void evaluate(driver* d, figure* f, uint32_t block) {
    const abut__convex_block* from = abut__blend_of(d->shape)->convex->blocks[block];
    abut__block_points points;
    abut__block_boxes boxes;
    abut__convex_points(d->kernels, from, f->columns, &from->rest, &points);
    d->kernels->block_boxes(d->shape->tree.blocks[block], &points, NULL, PAD, &boxes);
    f->best[block] = boxes.all;
    f->evaluated[block] = d->now;
    d->sum.blocks += 1;
}

// ---- the front

// Refits the boxes of the children of a node that the last query opened, after its own children.
static void refit_node(driver* d, figure* f, uint32_t node) {
    const abut__node* n = &d->shape->tree.nodes[node];
    uint32_t known = 0;
    for (uint32_t k = 0; k < n->count; ++k) {
        const abut__ref child = n->child[k];
        known |= (uint32_t)(abut__is_block(child) ? f->evaluated[abut__block_of(child)] == d->now
                                                  : f->made[child] == d->now)
                 << k;
    }
    if (known == 0) {
        bound(d, f, node, &f->boxes[node]);
        d->sum.refitted += n->count;
    }
    for (uint32_t k = 0; k < n->count && known != 0; ++k) {
        const abut__ref child = n->child[k];
        if ((known >> k & 1) == 0) {
            bound_one(d, f, node, k);
            d->sum.refitted += 1;
            continue;
        }
        const abut__box3 box = abut__is_block(child)
                                   ? f->best[abut__block_of(child)]
                                   : abut__boxes_around(&f->boxes[child],
                                                        d->shape->tree.nodes[child].count);
        abut__boxes_put(&f->boxes[node], k, &box);
        d->sum.merged += 1;
    }
    f->made[node] = d->now;
}

static void refit_front(driver* d, figure* f) {
    for (uint32_t i = 0; i < f->front_block_count; ++i) {
        evaluate(d, f, f->front_blocks[i]);
    }
    for (uint32_t i = f->front_count; i-- > 0;) {
        refit_node(d, f, f->front[i]);
    }
}

// Counts boxes of nodes that were refitted but not opened this time.
static void count_unused(driver* d, const figure* f) {
    for (uint32_t i = 0; i < f->front_count; ++i) {
        const uint32_t node = f->front[i];
        d->sum.unused += f->opened[node] != d->now ? d->shape->tree.nodes[node].count : 0;
    }
}

static void swap_front(figure* f) {
    uint32_t* nodes = f->front;
    uint32_t* blocks = f->front_blocks;
    f->front = f->next;
    f->front_count = f->next_count;
    f->front_blocks = f->next_blocks;
    f->front_block_count = f->next_block_count;
    f->next = nodes;
    f->next_blocks = blocks;
    f->next_count = f->next_block_count = 0;
}

// ---- the query

static const abut__boxes8* open_node(driver* d, figure* f, uint32_t node) {
    if (f->made[node] != d->now) {
        bound(d, f, node, &f->boxes[node]);
        f->made[node] = d->now;
        d->sum.on_demand += d->shape->tree.nodes[node].count;
    }
    if (f->opened[node] != d->now) {
        f->opened[node] = d->now;
        f->next[f->next_count++] = node;
    }
    return &f->boxes[node];
}

static const abut__box3* need_block(driver* d, figure* f, uint32_t block) {
    if (f->evaluated[block] != d->now) {
        evaluate(d, f, block);
    }
    if (f->needed[block] != d->now) {
        f->needed[block] = d->now;
        f->next_blocks[f->next_block_count++] = block;
    }
    return &f->best[block];
}

static bool overlap(const abut__box3* a, const abut__box3* b) {
    bool all = true;
    for (int k = 0; k < 3; ++k) {
        all = all && a->lo[k] <= b->hi[k] && b->lo[k] <= a->hi[k];
    }
    return all;
}

static void meet_block(driver* d, figure* a, uint32_t node, figure* b, abut__ref block,
                       const abut__box3* box) {
    const abut__boxes8* boxes = open_node(d, a, node);
    const abut__node* n = &d->shape->tree.nodes[node];
    const abut__shift no_shift = {{0, 0, 0}, {0, 0, 0}};
    d->sum.tests += 1;
    for (uint32_t hits = d->kernels->overlap_box(boxes, n->count, &no_shift, box); hits != 0;
         hits &= hits - 1) {
        const abut__ref child = n->child[__builtin_ctz(hits)];
        if (!abut__is_block(child)) {
            meet_block(d, a, child, b, block, box);
        } else {
            d->sum.meetings += overlap(need_block(d, a, abut__block_of(child)),
                                       need_block(d, b, abut__block_of(block)));
        }
    }
}

static void meet_children(driver* d, figure* a, abut__ref child_a, const abut__box3* box_a,
                          figure* b, abut__ref child_b, const abut__box3* box_b);

static void meet_nodes(driver* d, figure* a, uint32_t node_a, figure* b, uint32_t node_b) {
    static const abut__shift none = {{0, 0, 0}, {0, 0, 0}};
    const abut__node* na = &d->shape->tree.nodes[node_a];
    const abut__node* nb = &d->shape->tree.nodes[node_b];
    const abut__boxes8* boxes_a = open_node(d, a, node_a);
    const abut__boxes8* boxes_b = open_node(d, b, node_b);
    uint8_t rows[ABUT__FAN];
    d->kernels->overlap_nodes(boxes_a, na->count, boxes_b, nb->count, &none, rows);
    d->sum.tests += 1;
    for (uint32_t i = 0; i < na->count; ++i) {
        for (uint32_t hits = rows[i]; hits != 0; hits &= hits - 1) {
            const uint32_t j = (uint32_t)__builtin_ctz(hits);
            const abut__box3 box_a = abut__boxes_get(boxes_a, i);
            const abut__box3 box_b = abut__boxes_get(boxes_b, j);
            meet_children(d, a, na->child[i], &box_a, b, nb->child[j], &box_b);
        }
    }
}

static void meet_children(driver* d, figure* a, abut__ref child_a, const abut__box3* box_a,
                          figure* b, abut__ref child_b, const abut__box3* box_b) {
    if (!abut__is_block(child_a) && !abut__is_block(child_b)) {
        meet_nodes(d, a, child_a, b, child_b);
    } else if (!abut__is_block(child_a)) {
        meet_block(d, a, child_a, b, child_b, box_b);
    } else if (!abut__is_block(child_b)) {
        meet_block(d, b, child_b, a, child_a, box_a);
    } else {
        d->sum.meetings += overlap(need_block(d, a, abut__block_of(child_a)),
                                   need_block(d, b, abut__block_of(child_b)));
    }
}

static void query(driver* d) {
    const uint32_t children = d->shape->tree.nodes[0].count;
    for (uint32_t i = 0; i < d->figure_count; ++i) {
        (void)open_node(d, &d->figures[i], 0);
    }
    for (uint32_t i = 0; i < d->figure_count; ++i) {
        for (uint32_t j = i + 1; j < d->figure_count; ++j) {
            const abut__box3 a = abut__boxes_around(&d->figures[i].boxes[0], children);
            const abut__box3 b = abut__boxes_around(&d->figures[j].boxes[0], children);
            if (overlap(&a, &b)) {
                meet_nodes(d, &d->figures[i], 0, &d->figures[j], 0);
            }
        }
    }
}

// ---- all frames

static void run_frame(driver* d, uint32_t frame, bool by_front) {
    const uint32_t nodes = d->shape->node_count;
    ++d->now;
    for (uint32_t i = 0; i < d->figure_count; ++i) {
        figure* f = &d->figures[i];
        double(*t)[12] = (double(*)[12])(void*)(f->transforms + 12 * (size_t)nodes * frame);
        abut__transforms_most most;
        d->kernels->blend_columns(t, false, nodes, t, f->columns, &most);
        if (by_front) {
            refit_front(d, f);
        }
    }
    query(d);
    for (uint32_t i = 0; i < d->figure_count; ++i) {
        if (by_front) {
            count_unused(d, &d->figures[i]);
        }
        swap_front(&d->figures[i]);
    }
}

static double run_once(driver* d, bool by_front) {
    d->sum = (work){0};
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t f = 0; f < d->frame_count; ++f) {
        run_frame(d, f, by_front);
    }
    return bench_now(CLOCK_CPU) - begin;
}

static work a_frame(const work* sum, double frames, double ms) {
    return (work){sum->refitted / frames,  sum->unused / frames, sum->merged / frames,
                  sum->on_demand / frames, sum->blocks / frames, sum->tests / frames,
                  sum->meetings / frames,  ms / frames};
}

// Runs both methods alternately; medians over the rounds. The frame before the first is the last
// one.
static void run(driver* d, uint32_t rounds, work* lazy, work* front) {
    double ms[2][ROUNDS];
    (void)run_once(d, false);
    (void)run_once(d, true);
    for (uint32_t r = 0; r < rounds; ++r) {
        ms[0][r] = run_once(d, false);
        *lazy = d->sum;
        ms[1][r] = run_once(d, true);
        *front = d->sum;
    }
    *lazy = a_frame(lazy, d->frame_count, bench_median(ms[0], rounds));
    *front = a_frame(front, d->frame_count, bench_median(ms[1], rounds));
}

// Counts all overlapping pairs of blocks of two figures, in the current state.
static double count_meetings(driver* d, figure* a, figure* b) {
    double count = 0;
    for (uint32_t i = 0; i < d->shape->tree.block_count; ++i) {
        for (uint32_t j = 0; j < d->shape->tree.block_count; ++j) {
            count += overlap(&a->best[i], &b->best[j]);
        }
    }
    return count;
}

// Returns whether a frame has the overlaps that evaluating everything finds; for trees with few
// blocks.
static bool is_right(driver* d, uint32_t frame) {
    const uint32_t blocks = d->shape->tree.block_count;
    double found[2];
    for (int by_front = 0; by_front < 2; ++by_front) {
        d->sum.meetings = 0;
        run_frame(d, frame, by_front == 1);
        found[by_front] = d->sum.meetings;
    }
    if (blocks > 4096) {
        return found[0] == found[1];
    }
    double all = 0;
    for (uint32_t i = 0; i < d->figure_count; ++i) {
        for (uint32_t k = 0; k < blocks; ++k) {
            evaluate(d, &d->figures[i], k);
        }
        for (uint32_t j = 0; j < i; ++j) {
            all += count_meetings(d, &d->figures[j], &d->figures[i]);
        }
    }
    return found[0] == all && found[1] == all;
}

static figure make_figure(const driver* d, const scene* s, uint32_t body) {
    const uint32_t nodes = d->shape->node_count;
    const abut__tree* tree = &d->shape->tree;
    figure f = {.front_count = 0};
    f.columns = aligned_alloc(64, nodes * sizeof *f.columns);
    if (f.columns == NULL) {
        bench_die("out of memory");
    }
    f.transforms = bench_alloc((size_t)nodes * d->frame_count, 12 * sizeof(double));
    for (uint32_t i = 0; i < d->frame_count; ++i) {
        scene_transforms(s, body, i, f.transforms + 12 * (size_t)nodes * i);
    }
    f.boxes = bench_alloc(tree->node_count, sizeof *f.boxes);
    f.best = bench_alloc(tree->block_count, sizeof *f.best);
    f.made = bench_alloc(tree->node_count, sizeof(uint32_t));
    f.opened = bench_alloc(tree->node_count, sizeof(uint32_t));
    f.evaluated = bench_alloc(tree->block_count, sizeof(uint32_t));
    f.needed = bench_alloc(tree->block_count, sizeof(uint32_t));
    f.front = bench_alloc(tree->node_count, sizeof(uint32_t));
    f.front_blocks = bench_alloc(tree->block_count, sizeof(uint32_t));
    f.next = bench_alloc(tree->node_count, sizeof(uint32_t));
    f.next_blocks = bench_alloc(tree->block_count, sizeof(uint32_t));
    return f;
}

static void free_figure(figure* f) {
    void* const all[] = {f->columns, f->transforms,   f->boxes,     f->best,
                         f->made,    f->opened,       f->evaluated, f->needed,
                         f->front,   f->front_blocks, f->next,      f->next_blocks};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(all[i]);
    }
}

static driver make_driver(const scene* s, uint32_t fan_out, uint32_t block_triangles) {
    driver d = {.frame_count = scene_frame_count(s), .figure_count = scene_body_count(s)};
    reduced_need(abut_context_create(bench_context_def(), &d.context, NULL), NULL);
    reduced_def def = reduced_def_default(ABUT_MOTION_BLEND);
    if (fan_out > 0) {
        def.shape.fan_out = fan_out;
        def.shape.block_triangles = block_triangles;
    }
    d.shape = reduced_make_shape(d.context, scene_get_body(s, 0), &def);
    d.kernels = d.context->kernels;
    d.figures = bench_alloc(d.figure_count, sizeof *d.figures);
    for (uint32_t i = 0; i < d.figure_count; ++i) {
        d.figures[i] = make_figure(&d, s, i);
    }
    return d;
}

static void free_driver(driver* d) {
    for (uint32_t i = 0; i < d->figure_count; ++i) {
        free_figure(&d->figures[i]);
    }
    free(d->figures);
    abut_shape_destroy(d->shape);
    abut_context_destroy(d->context);
}

static void put_work(bench_table* table, const char* tree, const char* contact, const char* way,
                     const work* w, const work* lazy) {
    bench_table_cell(table, "%s", tree);
    bench_table_cell(table, "%s", contact);
    bench_table_cell(table, "%s", way);
    bench_table_cell(table, "%.0f", w->refitted);
    bench_table_cell(table, "%.0f", w->unused);
    bench_table_cell(table, "%.0f", w->merged);
    bench_table_cell(table, "%.0f", w->on_demand);
    bench_table_cell(table, "%.0f", w->blocks);
    bench_table_cell(table, "%.0f", w->tests);
    bench_table_cell(table, "%.0f", w->meetings);
    bench_table_cell(table, "%.3f", w->ms);
    bench_table_cell(table, "%.2f", lazy->ms / w->ms);
    bench_table_cell(table, "%s",
                     w == lazy                 ? ""
                     : w->ms < 0.97 * lazy->ms ? "front"
                     : w->ms > 1.03 * lazy->ms ? "lazy"
                                               : "even");
}

void convex_make_front(const bench_options* options, bench_report* report, const char* name) {
    static const struct {
        const char* name;
        scene_contact contact;
    } contacts[] = {{"none", SCENE_CONTACT_NONE},
                    {"small", SCENE_CONTACT_SMALL},
                    {"large", SCENE_CONTACT_LARGE}};
    static const struct {
        const char* name;
        uint32_t fan_out;
        uint32_t block_triangles;
    } trees[] = {{"ours: 8, blocks", 0, 0}, {"paper: 2, triangles", 2, 1}};
    bench_table* table = bench_report_table(report,
                                            "<tree|<contact|<method|front refitted|not "
                                            "opened|merged|on demand|blocks|node pairs|meetings|ms|"
                                            "lazy/this|<wins",
                                            name);
    for (size_t t = 0; t < sizeof trees / sizeof *trees; ++t) {
        for (size_t i = 0; i < sizeof contacts / sizeof *contacts; ++i) {
            scene* s = paper_scene_with(
                "ring", &(scene_options){.triangles = options->quick ? LARGE / 5 : LARGE,
                                         .nodes = 550,
                                         .contact = contacts[i].contact,
                                         .seed = options->seed});
            driver d = make_driver(s, trees[t].fan_out, trees[t].block_triangles);
            work lazy;
            work front;
            run(&d, options->quick ? 1 : ROUNDS, &lazy, &front);
            put_work(table, trees[t].name, contacts[i].name, "lazy", &lazy, &lazy);
            put_work(table, trees[t].name, contacts[i].name, "front", &front, &lazy);
            const bool right = lazy.meetings == front.meetings && is_right(&d, d.frame_count / 2);
            report->ours_wrong = report->ours_wrong || !right;
            free_driver(&d);
            scene_destroy(s);
        }
    }
    bench_report_note(
        report,
        "Front tracking: boxes and blocks a frame of six figures; 'not opened' are boxes of "
        "refitted nodes that the query did not open.");
}
