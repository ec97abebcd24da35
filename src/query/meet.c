// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Compares nodes of two bodies by spheres. If both bodies have boxes, spheres come after these and
// only refine the result. Based on: James, Pai, "BD-Tree:
// Output-Sensitive Collision Detection for Reduced Deformable Models", 2004.
//
// Rounding. Spheres are relative to the origins of their bodies and contain the turned vertices. If
// these differ, the pad of boxes (run.c) is twice the greatest error that the difference of
// the origins, its sum with a coordinate, and world vertices have along one axis. sqrt(3) times
// that error is all of it, so the same pad is enough for the sum of two radii. About one
// origin nothing is added. Frames are rotations up to 0.16 %, which matters for a margin in shape coordinates. A
// box that is compared with a sphere may be rounded to nearest, by 2^-24 of its extent along each
// axis.
#include <math.h>

#include "query/query.h"

#define STRETCH 1.0016

// Squares of such numbers, and of 2^-18 of them, are finite and not too small for float. The radii
// are at least that part of the extents, because the motion pads them.
static bool has_squares(double extents, double reach) {
    return extents > 1e-12 && reach < 1e18;
}

// Where one body has spheres alone, the other one gets spheres, too, if it can.
static void provide_spheres(abut__job* job) {
    for (int side = 0; side < 2; ++side) {
        abut__view* view = &job->view[side];
        const abut__node_spheres* spheres = view->shape->motion->node_spheres;
        if (job->view[1 - side].kinds == ABUT__SPHERES && view->kinds == ABUT__BOXES &&
            view->kind->balls != NULL && spheres != NULL &&
            view->extent <= (double)ABUT__EXTENT_LIMIT &&
            spheres->provide(view->shape, view->state[0]) &&
            spheres->provide(view->shape, view->state[1])) {
            view->kinds |= ABUT__SPHERES;
        }
    }
}

void abut__job_set_spheres(abut__job* job, double pad, double margin) {
    const abut__view* view = job->view;
    job->compares_spheres = job->refines = false;
    if (((view[0].kinds | view[1].kinds) & ABUT__SPHERES) == 0) {
        return;
    }
    const double extents = view[0].extent + view[1].extent;
    double reach = 4 * extents + pad + margin;
    for (int d = 0; d < 3; ++d) {
        const double offset = job->aligned ? 0 : view[0].origin[d] - view[1].origin[d];
        job->offset[d] = (float)offset;
        reach += fabs(offset);
    }
    job->box_slack = (float)(0x1p-22 * extents) + ABUT__TINY;
    job->slack = (float)((pad + margin * STRETCH) * (1 + 0x1p-20)) + job->box_slack;
    provide_spheres(job);
    const uint32_t both = view[0].kinds & view[1].kinds;
    const uint32_t any = view[0].kinds | view[1].kinds;
    // bodies that move are compared by two spheres, or else by boxes
    const bool round = ((view[0].kind->moves || view[1].kind->moves ? both : any) &
                        ABUT__SPHERES) != 0 &&
                       has_squares(extents, reach);
    job->compares_spheres = round && (both & ABUT__BOXES) == 0;
    job->refines = round && (both & ABUT__BOXES) != 0;
}

// the sphere of a node of one side in the coordinates of the other, grown by the slack
static abut__ball4 ball_for(const abut__job* job, int side, abut__ref ref, int end) {
    abut__ball4 ball = job->view[side].kind->ball_of(&job->view[side], ref, end);
    for (int d = 0; d < 3; ++d) {
        ball.c[d] += side == 0 ? job->offset[d] : -job->offset[d];
    }
    ball.r += job->slack;
    return ball;
}

// the box of a node of one side likewise
static abut__box3 box_for(const abut__job* job, int side, abut__ref ref) {
    abut__box3 box = abut__view_box(&job->view[side], ref);
    for (int d = 0; d < 3; ++d) {
        box.lo[d] += side == 0 ? job->shift.lo[d] : -job->shift.hi[d];
        box.hi[d] += side == 0 ? job->shift.hi[d] : -job->shift.lo[d];
    }
    return box;
}

static uint32_t meet_by_balls(const abut__run* run, const abut__job* job, int side, uint32_t node,
                              abut__ref other) {
    const abut__view* view = &job->view[side];
    const uint32_t count = view->tree->nodes[node].count;
    abut__balls8 room[2];
    if (!view->kind->moves) {
        const abut__ball4 ball = ball_for(job, 1 - side, other, 1);
        return run->kernels->balls_meet_ball(view->kind->balls(view, node, 1, room), count, &ball);
    }
    abut__ball4 ball[2];
    for (int end = 0; end < 2; ++end) {
        const abut__balls8* balls = view->kind->balls(view, node, end, &room[end]);
        ball[end] = ball_for(job, 1 - side, other, end);
        if (balls != &room[end]) {
            room[end] = *balls;
        }
    }
    return run->kernels->balls_meet_moving(room, count, ball);
}

static const abut__shift no_shift = {{0, 0, 0}, {0, 0, 0}};

// boxes of a node's children with the sphere of another
static uint32_t meet_by_ball(const abut__run* run, const abut__job* job, int side, uint32_t node,
                             abut__ref other) {
    const abut__view* view = &job->view[side];
    const abut__ball4 ball = ball_for(job, 1 - side, other, 1);
    const abut__sphere3 sphere = {{ball.c[0], ball.c[1], ball.c[2]},
                                  ball.r * ball.r * (1 + 0x1p-20f)};
    abut__boxes8 room;
    return run->kernels->overlap_sphere(abut__view_bound(view, node, &room),
                                        view->tree->nodes[node].count, &no_shift, &sphere);
}

static uint32_t meet_box(const abut__run* run, const abut__job* job, int side, uint32_t node,
                         abut__ref other) {
    const abut__view* view = &job->view[side];
    const abut__box3 box = box_for(job, 1 - side, other);
    abut__balls8 room;
    return run->kernels->balls_meet_box(view->kind->balls(view, node, 1, &room),
                                        view->tree->nodes[node].count, job->box_slack, &box);
}

uint32_t abut__spheres_meet(const abut__run* run, abut__worker* worker, const abut__job* job,
                            int side, uint32_t node, abut__ref other) {
    const abut__view* view = &job->view[side];
    const uint32_t others = job->view[1 - side].kinds;
    worker->reader.counters.boxes_computed += view->tree->nodes[node].count;
    if ((view->kinds & ABUT__SPHERES) == 0) {
        return meet_by_ball(run, job, side, node, other);
    }
    if ((others & ABUT__SPHERES) == 0) {
        return meet_box(run, job, side, node, other);
    }
    uint32_t meet = meet_by_balls(run, job, side, node, other);
    if (meet == 0 || job->refines || view->kind->moves) {
        return meet;
    }
    // one of the bodies also has boxes, which may be tighter than its spheres
    meet &= (others & ABUT__BOXES) != 0 ? meet_box(run, job, side, node, other) : meet;
    meet &= (view->kinds & ABUT__BOXES) != 0 ? meet_by_ball(run, job, side, node, other) : meet;
    return meet;
}

// which children of a node meet the sphere of the whole other body, if it has one
static uint32_t meet_body(const abut__run* run, const abut__job* job, int side, uint32_t node) {
    const abut__view* view = &job->view[side];
    const uint32_t count = view->tree->nodes[node].count;
    if (!job->has_sphere[1 - side]) {
        return (1u << count) - 1;
    }
    if ((view->kinds & ABUT__SPHERES) != 0) {
        abut__balls8 room;
        abut__ball4 ball = job->ball[1 - side];
        for (int d = 0; d < 3; ++d) {
            ball.c[d] -= side == 0 ? job->offset[d] : 0;
        }
        return run->kernels->balls_meet_ball(view->kind->balls(view, node, 1, &room), count, &ball);
    }
    abut__boxes8 room;
    return run->kernels->overlap_sphere(abut__view_bound(view, node, &room), count,
                                        side == 0 ? &job->shift : &no_shift,
                                        &job->sphere[1 - side]);
}

uint32_t abut__children_meet(const abut__run* run, abut__worker* worker, const abut__job* job,
                             int side, uint32_t node, abut__ref other) {
    const uint32_t near = meet_body(run, job, side, node);
    return near != 0 ? near & abut__spheres_meet(run, worker, job, side, node, other) : 0;
}

void abut__rows_meet(const abut__run* run, abut__worker* worker, const abut__job* job, uint32_t a,
                     uint32_t b, uint8_t rows[ABUT__FAN]) {
    const abut__node* node = &job->view[0].tree->nodes[a];
    for (uint32_t i = 0; i < node->count; ++i) {
        rows[i] = (uint8_t)abut__children_meet(run, worker, job, 1, b, node->child[i]);
    }
}

void abut__rows_refine(const abut__run* run, abut__worker* worker, const abut__job* job, uint32_t a,
                       uint32_t b, uint8_t rows[ABUT__FAN]) {
    const abut__node* node = &job->view[0].tree->nodes[a];
    for (uint32_t i = 0; i < node->count; ++i) {
        if (rows[i] != 0) {
            abut__usage_refined(worker, job);
            rows[i] &= (uint8_t)abut__spheres_meet(run, worker, job, 1, b, node->child[i]);
        }
    }
}

bool abut__refs_meet(const abut__run* run, abut__worker* worker, const abut__job* job, abut__ref a,
                     abut__ref b) {
    const abut__ref refs[2] = {a, b};
    for (int side = 0; side < 2; ++side) {
        const abut__tree* tree = job->view[side].tree;
        const uint32_t parent = abut__ref_parent(tree, refs[side]);
        if (parent != ABUT__NONE) {
            const uint32_t meet = abut__spheres_meet(run, worker, job, side, parent,
                                                     refs[1 - side]);
            return (meet >> abut__ref_slot(tree, refs[side]) & 1) != 0;
        }
    }
    return true;
}

// ---- distances

static void raise(float least[ABUT__FAN], const float other[ABUT__FAN]) {
    for (int k = 0; k < ABUT__FAN; ++k) {
        least[k] = other[k] > least[k] ? other[k] : least[k];
    }
}

// from a sphere to the boxes of a node's children; the factors cover rounding
static void ball_to_boxes(const abut__kernels* kernels, const abut__ball4* ball,
                          const abut__boxes8* boxes, float least[ABUT__FAN]) {
    const abut__box3 centre = {{ball->c[0], ball->c[1], ball->c[2]},
                               {ball->c[0], ball->c[1], ball->c[2]}};
    kernels->distance_box(&centre, boxes, least);
    for (int k = 0; k < ABUT__FAN; ++k) {
        const float gap = sqrtf(least[k]) * (1 - 0x1p-20f) - ball->r * (1 + 0x1p-20f);
        least[k] = gap > 0 ? gap * gap : 0;
    }
}

void abut__children_box_gaps(const abut__kernels* kernels, const abut__job* job, int side,
                             uint32_t node, const abut__box3* box, float least[ABUT__FAN]) {
    const abut__view* view = &job->view[side];
    abut__boxes8 boxes;
    memset(least, 0, ABUT__FAN * sizeof *least);
    const bool round = job->compares_spheres || job->refines;
    if ((view->kinds & ABUT__BOXES) != 0 || !round) {
        kernels->distance_box(box, abut__view_bound(view, node, &boxes), least);
    }
    if ((view->kinds & ABUT__SPHERES) != 0 && round) {
        abut__balls8 balls;
        float gaps[ABUT__FAN];
        kernels->balls_box_gap(view->kind->balls(view, node, 1, &balls), job->box_slack, box, gaps);
        raise(least, gaps);
    }
}

void abut__children_gaps(const abut__kernels* kernels, const abut__job* job, int side,
                         uint32_t node, abut__ref other, float least[ABUT__FAN]) {
    const abut__view* view = &job->view[side];
    const uint32_t others = job->view[1 - side].kinds;
    memset(least, 0, ABUT__FAN * sizeof *least);
    if ((others & ABUT__BOXES) != 0) {
        const abut__box3 box = box_for(job, 1 - side, other);
        abut__children_box_gaps(kernels, job, side, node, &box, least);
    }
    if ((others & ABUT__SPHERES) != 0) {
        const abut__ball4 ball = ball_for(job, 1 - side, other, 1);
        float gaps[ABUT__FAN];
        abut__balls8 balls;
        abut__boxes8 boxes;
        if ((view->kinds & ABUT__SPHERES) != 0) {
            kernels->balls_ball_gap(view->kind->balls(view, node, 1, &balls), &ball, gaps);
        } else {
            ball_to_boxes(kernels, &ball, abut__view_bound(view, node, &boxes), gaps);
        }
        raise(least, gaps);
    }
}

// ---- sizes

static float size_of(const abut__view* view, abut__ref ref) {
    if ((view->kinds & ABUT__SPHERES) != 0) {
        return view->kind->ball_of(view, ref, 1).r;
    }
    const abut__box3 box = abut__view_box(view, ref);
    const float x = box.hi[0] - box.lo[0];
    const float y = box.hi[1] - box.lo[1];
    const float z = box.hi[2] - box.lo[2];
    return 0.5f * sqrtf(x * x + y * y + z * z);
}

int abut__larger_side(const abut__job* job, abut__ref a, abut__ref b) {
    return abut__is_block(a)   ? 1
           : abut__is_block(b) ? 0
                               : size_of(&job->view[1], b) > size_of(&job->view[0], a);
}
