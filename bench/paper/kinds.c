// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Boxes, cubes around spheres, spheres, and boxes with spheres by one and the same descent, so that
// their tests can be compared: of two nodes that meet the larger one is opened alone, down to
// pairs of blocks. The bounds are those of the library, in plain scalar code here.
#include "body/world.h"

#include "bench/paper/paper.h"
#include "bench/paper/tree.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdlib.h>

enum { BOXES = 1, SPHERES = 2, STACK = 4096 };

typedef struct kind {
    const char* name;
    reduced_way way;  // whose trees give the bounds
    int compared;
} kind;

static const kind kinds[] = {{"cubes around spheres", WAY_CUBES, BOXES},
                             {"spheres, means", WAY_SPHERES_MEAN, SPHERES},
                             {"spheres, small balls", WAY_SPHERES, SPHERES},
                             {"boxes", WAY_LAZY, BOXES},
                             {"boxes and spheres", WAY_BOTH_ALWAYS, BOXES | SPHERES}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct descent {
    const abut__body* body[2];
    int compared;
    uint64_t tests;
    uint64_t blocks;  // pairs of blocks that meet
} descent;

static bool boxes_meet(const descent* d, const abut__ref ref[2]) {
    const abut__box3 a = abut__body_ref_box(d->body[0], ref[0], 1);
    const abut__box3 b = abut__body_ref_box(d->body[1], ref[1], 1);
    bool meet = true;
    for (int axis = 0; axis < 3; ++axis) {
        const double shift = d->body[0]->frame.t[axis] - d->body[1]->frame.t[axis];
        meet = meet && (double)a.lo[axis] + shift <= (double)b.hi[axis] &&
               (double)b.lo[axis] <= (double)a.hi[axis] + shift;
    }
    return meet;
}

static bool spheres_meet(const descent* d, const abut__ref ref[2]) {
    const abut__ball4 a = abut__body_ref_ball(d->body[0], ref[0], 1);
    const abut__ball4 b = abut__body_ref_ball(d->body[1], ref[1], 1);
    const double reach = (double)a.r + (double)b.r;
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double away = (double)a.c[axis] + d->body[0]->frame.t[axis] - (double)b.c[axis] -
                            d->body[1]->frame.t[axis];
        sum += away * away;
    }
    return sum <= reach * reach;
}

static double size_of(const descent* d, int side, abut__ref ref) {
    if (d->compared == SPHERES) {
        return (double)abut__body_ref_ball(d->body[side], ref, 1).r;
    }
    const abut__box3 box = abut__body_ref_box(d->body[side], ref, 1);
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double length = (double)box.hi[axis] - (double)box.lo[axis];
        sum += length * length;
    }
    return 0.5 * sqrt(sum);
}

static int larger(const descent* d, const abut__ref ref[2]) {
    return abut__is_block(ref[0])   ? 1
           : abut__is_block(ref[1]) ? 0
                                    : size_of(d, 1, ref[1]) > size_of(d, 0, ref[0]);
}

static void descend(descent* d) {
    abut__ref stack[STACK][2] = {{0, 0}};
    size_t count = 1;
    while (count > 0) {
        const abut__ref pair[2] = {stack[count - 1][0], stack[count - 1][1]};
        --count;
        if (abut__is_block(pair[0]) && abut__is_block(pair[1])) {
            ++d->blocks;
            continue;
        }
        const int side = larger(d, pair);
        const abut__node* node = &d->body[side]->shape->tree.nodes[pair[side]];
        if (count + node->count > STACK) {
            bench_die("the descent is too deep");
        }
        for (uint32_t k = 0; k < node->count; ++k) {
            abut__ref next[2] = {pair[0], pair[1]};
            next[side] = node->child[k];
            ++d->tests;
            if (((d->compared & BOXES) == 0 || boxes_meet(d, next)) &&
                ((d->compared & SPHERES) == 0 || spheres_meet(d, next))) {
                stack[count][0] = next[0];
                stack[count++][1] = next[1];
            }
        }
    }
}

// A body without fields has the library's choice of bounds: its spheres are made when needed.
static void need_spheres(const descent* d, const abut__body* body) {
    const abut__node_spheres* spheres = body->shape->motion->node_spheres;
    if ((d->compared & SPHERES) != 0 && !spheres->provide(body->shape, abut__body_state(body, 1))) {
        bench_die("a body has no spheres");
    }
}

static void add_scene(bench_table* table, const char* scene_name, uint32_t triangles,
                      uint32_t fields, uint32_t seed) {
    scene* s = paper_scene(scene_name, triangles, 0, seed, fields);
    const uint32_t frames = scene_frame_count(s);
    for (int i = 0; i < KINDS; ++i) {
        reduced* r = reduced_create(s, 1, 0, kinds[i].way);
        descent d = {.compared = kinds[i].compared};
        for (uint32_t f = 0; f < frames; ++f) {
            reduced_update(r, f, 1);
            for (uint32_t b = 0; b < 2; ++b) {
                d.body[b] = abut__scene_body(reduced_scene(r), reduced_body(r, b));
                need_spheres(&d, d.body[b]);
            }
            descend(&d);
        }
        bench_table_cell(table, "%s", i == 0 ? scene_name : "");
        bench_table_cell(table, "%s", kinds[i].name);
        bench_table_cell(table, "%.0f", (double)d.tests / frames);
        bench_table_cell(table, "%.1f", (double)d.blocks / frames);
        reduced_destroy(r);
    }
    scene_destroy(s);
}

void paper_make_kinds(const bench_options* options, bench_report* report, const char* name) {
    bench_table* table = bench_report_table(
        report, "<scene|<bounds|tests a frame|pairs of blocks a frame", name);
    add_scene(table, "chair", 17914, 10, options->seed);
    add_scene(table, "curtain", 12020, 12, options->seed);
    bench_report_note(report,
                      "The queries themselves open two nodes of boxes together, 64 tests at once, "
                      "and spheres one node at a time, 8 tests: their counts in the other tables "
                      "differ for that reason, too.");
}
