// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Sweeps of bodies that turn on the way: flight bodies at keys. A step of two bodies is cut wherever
// either of them turns, and in each part both move on straight lines. What is found in parts is
// joined in sweep.c.
//
// Knots. At a knot a body is where its motion says, in doubles: in its state before (at 0), in the
// current one (at 1), on keys at the time that the motion gives. In the world a vertex is at a key where
// both frames have it, mixed: (1 - s) F0(x) + s F1(x), every operation rounded. This is what answers
// are exact about: polylines through knots.
//
// Between knots. If one body turns where the other does not, that one is between two knots a and b,
// at the part p = (s - s_a) / (s_b - s_a): x = (1 - p) a + p b, or a if both are the same. With
// u = 2^-53 and M the greatest magnitude among a and b, p is off by 3 u, and so is x by
// 3 u |b - a| + 3 u M <= 9 u M in each coordinate. Corners of a primitive that are off by e move all of
// it by at most e, at every time: two primitives come nearer by at most sqrt(3) 9 u (M + M') < 2^-49
// (M + M'). What is asked is grown by twice that, for the sum with a margin is rounded, too: by less than
// 2 u (M + M'), or else the margin holds all there is. M is that of the block.
//
// Boxes. A box between knots is mixed from those at knots, for a mix of two numbers lies below that of two
// that are not less. All in double, grown by 2^-19 S + 2^-46 F, S being the greatest coordinate of the
// step relative to the origin in the end, F the distance of the origins from that of the world: boxes at
// knots are off by 2^-23 S as in query/swept.c, positions in the world by less than 2^-50 (S + F).
//
// Times. Those of a part are lower bounds, and are rounded down where they become those of the step.
#include <math.h>

#include "query/query.h"

#define LEAST_POSITIVE 0x1p-1074

static bool breakpoint_of(const abut__body* body, uint32_t index, abut__breakpoint* out) {
    const abut_shape* shape = body->shape;
    const abut__timeline* timeline = shape->motion->timeline;
    return timeline != NULL && timeline->breakpoint(shape, abut__body_state(body, 0),
                                                    abut__body_state(body, 1), index, out);
}

static const abut__refit_boxes* boxes_at_break(const abut__body* body, uint32_t key) {
    const abut__refit_boxes* boxes = NULL;
    (void)body->shape->motion->timeline->break_boxes(body->shape, abut__body_state(body, 1), key,
                                                     &boxes);
    return boxes;
}

// ---- starts without boxes

// Whether a body's motion has no boxes of the state before, though all in it is finite: bodies with plans
// whose time has left the span (motion/flight.h).
static bool lacks_start(const abut__body* body) {
    return body->shape->motion->timeline != NULL && !abut__body_stands(body) &&
           !(abut__body_state(body, 0)->extent <= ABUT__EXTENT_LIMIT);
}

static void read_start(const abut__body* body, double (*out)[3]) {
    const abut_shape* shape = body->shape;
    const uint32_t count = shape->mesh->vertex_count;
    for (uint32_t v = 0; v < count; ++v) {
        double* const places[3] = {&out[v][0], &out[v][1], &out[v][2]};
        shape->motion->vertices(shape, abut__body_state(body, 0), &v, 1, places);
    }
}

// Boxes of all nodes at the start, once a call. False: no memory.
static bool make_start(abut_result* result, const abut__body* body) {
    const abut_context* context = result->context;
    abut__swept_body* place = abut__swept_place(result, body);
    const uint32_t vertices = body->shape->mesh->vertex_count;
    const uint32_t nodes = body->shape->tree.node_count;
    if (place == NULL || place->start_query == result->swept.query) {
        return place != NULL;
    }
    if (place->start_vertices != vertices || place->start_nodes != nodes) {
        abut__swept_release_start(context, place);
        place->start_vertices = vertices;
        place->start_nodes = nodes;
        place->start_points = abut__alloc(context, vertices, sizeof *place->start_points);
        place->start.boxes = abut__alloc(context, nodes, sizeof *place->start.boxes);
    }
    if (place->start_points == NULL || place->start.boxes == NULL) {
        abut__swept_release_start(context, place);
        return false;
    }
    read_start(body, place->start_points);
    const abut__source source = {(const char*)place->start_points, sizeof *place->start_points,
                                 true};
    abut__refit(context, &body->shape->tree, NULL, source, (abut__beside){0}, &place->start);
    place->start_query = result->swept.query;
    return true;
}

// a box of the start, in the world
static void start_box(const abut__body* body, abut_box* box) {
    const abut_shape* shape = body->shape;
    *box = (abut_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (uint32_t v = 0; v < shape->mesh->vertex_count; ++v) {
        double x[3];
        abut__body_vertex(body, v, 0, x);
        abut__frame_apply(abut__body_frame(body, 0), x);
        for (int d = 0; d < 3; ++d) {
            box->lo[d] = isfinite(x[d]) ? fmin(box->lo[d], x[d]) : -INFINITY;
            box->hi[d] = isfinite(x[d]) ? fmax(box->hi[d], x[d]) : INFINITY;
        }
    }
}

// ---- what cannot be cut

// How a body leaves the lines of a step; all 0: it does not.
static bool curve_of(const abut__body* body, double by[3]) {
    const abut_shape* shape = body->shape;
    by[0] = by[1] = by[2] = 0;
    const abut__timeline* timeline = shape->motion->timeline;
    return timeline != NULL && !abut__body_stands(body) &&
           timeline->curve_offset(abut__body_state(body, 0), abut__body_state(body, 1), by);
}

// whether there are boxes at all breakpoints; those of keyframes are made when first needed
static abut_status make_boxes(const abut__body* body) {
    abut__breakpoint turn;
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; status == ABUT_OK && breakpoint_of(body, i, &turn); ++i) {
        const abut__refit_boxes* boxes;
        status = body->shape->motion->timeline->break_boxes(body->shape, abut__body_state(body, 1),
                                                            turn.key, &boxes);
    }
    return status;
}

// Two bodies that swerve alike go straight as seen from each other.
static const abut__body* find_curved(const abut__body* a, const abut__body* b) {
    double by[2][3];
    const bool curved[2] = {curve_of(a, by[0]), curve_of(b, by[1])};
    if (a == b || (!curved[0] && !curved[1])) {
        return NULL;
    }
    abut__breakpoint turn;
    bool alike = !breakpoint_of(a, 0, &turn) && !breakpoint_of(b, 0, &turn);
    for (int d = 0; d < 3; ++d) {
        alike = alike && by[0][d] == by[1][d];
        for (int e = 0; e < 3; ++e) {
            alike = alike && a->frame.r[d][e] == b->frame.r[d][e] &&
                    a->frame.r[d][e] == abut__body_frame(a, 0)->r[d][e] &&
                    b->frame.r[d][e] == abut__body_frame(b, 0)->r[d][e];
        }
    }
    return alike ? NULL : curved[0] ? a : b;
}

abut_status abut__parts_check(const abut__body* a, const abut__body* b,
                              const abut__body** refused) {
    for (int s = 0; s < 2; ++s) {
        const abut__body* body = s == 0 ? a : b;
        const abut_status status = make_boxes(body);
        if (status != ABUT_OK) {
            *refused = status == ABUT_ERR_STATE ? body : NULL;
            return status;
        }
    }
    *refused = find_curved(a, b);
    return *refused != NULL ? ABUT_ERR_STATE : ABUT_OK;
}

static void grow_by_curve(const abut__body* body, abut_box* box) {
    double by[3];
    if (curve_of(body, by)) {
        const double most = 0.126 * sqrt(by[0] * by[0] + by[1] * by[1] + by[2] * by[2]);
        for (int d = 0; d < 3; ++d) {
            box->lo[d] -= most;
            box->hi[d] += most;
        }
    }
}

// ---- cutting a step

// how far a body has come
typedef struct walk {
    const abut__body* body;
    bool stands;
    uint32_t passed;  // bends
    uint32_t knot;    // the last one, and when
    double at;
    uint32_t next;  // the next one; after the last knot there is none, for ever
    double next_at;
} walk;

static void look_ahead(walk* w) {
    abut__breakpoint turn;
    if (w->stands || w->knot == ABUT__KNOT_END) {
        w->next = ABUT__KNOT_END;
        w->next_at = INFINITY;
    } else if (breakpoint_of(w->body, w->passed, &turn)) {
        w->next = turn.key;
        w->next_at = turn.at;
    } else {
        w->next = ABUT__KNOT_END;
        w->next_at = 1;
    }
}

static walk begin_walk(const abut__body* body) {
    walk w = {.body = body, .stands = abut__body_stands(body)};
    w.knot = w.stands ? ABUT__KNOT_END : ABUT__KNOT_START;
    look_ahead(&w);
    return w;
}

static abut__instant instant_of(const walk* w, double at) {
    if (w->knot == ABUT__KNOT_END || at == w->at) {
        return (abut__instant){{w->knot, w->knot}, {w->at, w->at}, 0};
    }
    return (abut__instant){
        {w->knot, w->next}, {w->at, w->next_at}, (at - w->at) / (w->next_at - w->at)};
}

static abut__instant go_to(walk* w, double at) {
    if (w->next_at == at) {
        w->passed += w->next != ABUT__KNOT_END ? 1 : 0;
        w->knot = w->next;
        w->at = at;
        look_ahead(w);
    }
    return instant_of(w, at);
}

static bool is_at_knots(const abut__part_side* side) {
    return side->end[0].knot[0] == side->end[0].knot[1] &&
           side->end[1].knot[0] == side->end[1].knot[1];
}

// the greatest coordinate at all knots, relative to the origin in the end
static double extent_of(const abut__body* body, double at_start) {
    double distance = 0;
    for (int d = 0; d < 3; ++d) {
        distance = fmax(distance, fabs(abut__body_frame(body, 0)->t[d] - body->frame.t[d]));
    }
    double extent = fmax((double)abut__body_state(body, 1)->extent, at_start + distance);
    abut__breakpoint turn;
    for (uint32_t i = 0; breakpoint_of(body, i, &turn); ++i) {
        const abut__refit_boxes* boxes = boxes_at_break(body, turn.key);
        extent = boxes != NULL ? fmax(extent, (double)boxes->extent + distance) : INFINITY;
    }
    return 1.75 * extent;  // turned
}

static bool is_placed(const abut__job* job, const abut__body* body) {
    return !job->in_shape && !(abut__frame_is_identity(&body->frame) &&
                               abut__frame_is_identity(abut__body_frame(body, 0)));
}

static bool add_part(abut_result* result, const abut__part* like, const walk walks[2],
                     const abut__part_side side[2], double to) {
    abut__part* part = abut__push(result->context, &result->parts, 1);
    if (part != NULL) {
        *part = *like;
        part->to = to;
        part->side[0] = side[0];
        part->side[1] = side[1];
        part->exact = (walks[0].stands || is_at_knots(&side[0])) &&
                      (walks[1].stands || is_at_knots(&side[1]));
    }
    return part != NULL;
}

bool abut__parts_split(abut_result* result) {
    const abut__job job = result->jobs.data[result->jobs.count - 1];
    abut__breakpoint turn;
    const bool lacks[2] = {lacks_start(job.a), lacks_start(job.b)};
    if (!breakpoint_of(job.a, 0, &turn) && !breakpoint_of(job.b, 0, &turn) && !lacks[0] &&
        !lacks[1]) {
        return true;
    }
    --result->jobs.count;
    if ((lacks[0] && !make_start(result, job.a)) || (lacks[1] && !make_start(result, job.b))) {
        return false;
    }
    walk walks[2] = {begin_walk(job.a), begin_walk(job.b)};
    abut__part part = {.job = job, .first = true};
    for (int s = 0; s < 2; ++s) {
        double at_start = (double)abut__body_state(walks[s].body, 0)->extent;
        if (lacks[s]) {
            const abut__swept_body* place = abut__swept_place(result, walks[s].body);
            part.start[s] = place->start.boxes;
            at_start = (double)place->start.extent;
        }
        part.extent[s] = extent_of(walks[s].body, at_start);
        part.side[s].placed = is_placed(&job, walks[s].body);
        part.side[s].end[0] = instant_of(&walks[s], 0);
    }
    bool room = true;
    while (room && fmin(walks[0].next_at, walks[1].next_at) <= 1) {
        const double at = fmin(walks[0].next_at, walks[1].next_at);
        for (int s = 0; s < 2; ++s) {
            part.side[s].end[1] = go_to(&walks[s], at);
        }
        room = add_part(result, &part, walks, part.side, at);
        part.first = false;
        part.from = at;
        part.side[0].end[0] = part.side[0].end[1];
        part.side[1].end[0] = part.side[1].end[1];
    }
    return room;
}

// ---- rounds

// Vertices are kept by bodies: one part of a step each in a round.
static bool is_free(abut_result* result, const abut__body* body, const abut__part_side* side,
                    abut_status* status) {
    const abut__swept_body* place = abut__swept_place(result, body);
    if (place == NULL) {
        *status = ABUT_ERR_NO_MEMORY;
        return false;
    }
    return place->round != result->swept.query + 1 || memcmp(place->part, side, sizeof *side) == 0;
}

static void take(abut_result* result, const abut__body* body, const abut__part_side* side) {
    abut__swept_body* place = abut__swept_place(result, body);
    place->round = result->swept.query + 1;
    place->part = side;
}

// Boxes of vertices that are between knots need room for what these are off by. Corners are rounded to
// float as they are, after turning them in double.
static void set_shift(const abut__part* part, double margin, abut__job* job) {
    const double size = part->extent[0] + part->extent[1];
    const float pad = (float)(0x1p-19 * size + (double)ABUT__TINY);
    job->part = part;
    abut__job_set_shift(job, part->exact ? margin : margin + 0x1p-40 * size);
    const bool bounded = !job->unbounded && size < (double)ABUT__EXTENT_LIMIT;
    for (int d = 0; d < 3; ++d) {
        job->corner_shift.lo[d] = bounded ? job->shift.lo[d] - pad : -INFINITY;
        job->corner_shift.hi[d] = bounded ? job->shift.hi[d] + pad : INFINITY;
    }
}

bool abut__parts_next(abut_result* result, const abut_query_def* def, double before,
                      abut_status* status) {
    result->jobs.count = 0;
    for (size_t i = 0; i < result->parts.count && *status == ABUT_OK; ++i) {
        abut__part* part = &result->parts.data[i];
        // a part may begin just after a time that is rounded down, and find contacts at the same one
        part->done = part->done || abut__part_time(part, 0) > before;
        if (part->done || !is_free(result, part->job.a, &part->side[0], status) ||
            !is_free(result, part->job.b, &part->side[1], status)) {
            continue;
        }
        abut__job* job = abut__push(result->context, &result->jobs, 1);
        if (job == NULL) {
            *status = ABUT_ERR_NO_MEMORY;
            break;
        }
        *job = part->job;
        set_shift(part, def->margin, job);
        part->done = true;
        take(result, job->a, &part->side[0]);
        take(result, job->b, &part->side[1]);
    }
    return *status == ABUT_OK && result->jobs.count > 0;
}

// ---- boxes

static double mix(double a, double b, double part) {
    return a == b || part == 0 ? a : part == 1 ? b : (1 - part) * a + part * b;
}

typedef struct wide_box {
    double lo[3];
    double hi[3];
} wide_box;

static wide_box wide(const abut__box3* box) {
    wide_box out;
    for (int d = 0; d < 3; ++d) {
        out.lo[d] = (double)box->lo[d];
        out.hi[d] = (double)box->hi[d];
    }
    return out;
}

static wide_box shifted(wide_box box, const double from[3], const double to[3]) {
    for (int d = 0; d < 3; ++d) {
        box.lo[d] += from[d] - to[d];
        box.hi[d] += from[d] - to[d];
    }
    return box;
}

// infinite boxes become none, which is infinite in the end
static wide_box turned(const abut_frame* frame, const wide_box* box) {
    wide_box out;
    for (int d = 0; d < 3; ++d) {
        double centre = 0;
        double half = 0;
        for (int e = 0; e < 3; ++e) {
            centre += frame->r[d][e] * (0.5 * (box->lo[e] + box->hi[e]));
            half += fabs(frame->r[d][e]) * (0.5 * (box->hi[e] - box->lo[e]));
        }
        out.lo[d] = centre - half;
        out.hi[d] = centre + half;
    }
    return out;
}

static wide_box mixed(const wide_box* a, const wide_box* b, double part) {
    wide_box out;
    for (int d = 0; d < 3; ++d) {
        out.lo[d] = mix(a->lo[d], b->lo[d], part);
        out.hi[d] = mix(a->hi[d], b->hi[d], part);
    }
    return out;
}

// a box in the shape's axes as it is at a key, relative to the origin in the end
static wide_box placed_at(const abut__body* body, double at, const wide_box* box) {
    const wide_box end = body->turned ? turned(&body->frame, box) : *box;
    if (abut__frames_equal(abut__body_frame(body, 0), &body->frame)) {
        return end;
    }
    const wide_box start = shifted(body->turned_before ? turned(abut__body_frame(body, 0), box)
                                                       : *box,
                                   abut__body_frame(body, 0)->t, body->frame.t);
    return mixed(&start, &end, at);
}

// the boxes of a node's children at a knot
static const abut__boxes8* boxes_at(const abut__body* body, const abut__boxes8* start,
                                    uint32_t knot, uint32_t node, abut__boxes8* room) {
    if (knot == ABUT__KNOT_START && start != NULL) {
        return &start[node];
    }
    if (knot == ABUT__KNOT_START || knot == ABUT__KNOT_END) {
        return abut__body_bound(body, node, knot == ABUT__KNOT_END ? 1 : 0, room);
    }
    const abut__refit_boxes* boxes = boxes_at_break(body, knot);
    if (boxes == NULL) {
        abut__boxes_infinite(room, body->shape->tree.nodes[node].count);
        return room;
    }
    return &boxes->boxes[node];
}

static wide_box child_at(const abut__body* body, const abut__boxes8* start, uint32_t knot,
                         double at, const abut__boxes8* boxes, uint32_t child) {
    const abut__box3 box = abut__boxes_get(boxes, child);
    const wide_box there = wide(&box);
    if (knot == ABUT__KNOT_END) {
        return there;
    }
    return knot == ABUT__KNOT_START && start == NULL
               ? shifted(there, abut__body_frame(body, 0)->t, body->frame.t)
               : placed_at(body, at, &there);
}

static double pad_of(const abut__body* body, double extent) {
    double far = 0;
    for (int d = 0; d < 3; ++d) {
        far = fmax(far, fmax(fabs(body->frame.t[d]), fabs(abut__body_frame(body, 0)->t[d])));
    }
    return 0x1p-19 * extent + 0x1p-46 * far + (double)ABUT__TINY;
}

static float below(double x, double pad) {
    x -= pad;
    return x > -(double)ABUT__EXTENT_LIMIT && x < (double)ABUT__EXTENT_LIMIT
               ? nextafterf((float)x, -INFINITY)
               : -INFINITY;
}

static float above(double x, double pad) {
    return -below(-x, pad);
}

static int side_of(const abut__job* job, const abut__body* body) {
    return body == job->a ? 0 : 1;
}

// at one end of the part, grown to hold both in turn
static void bound_instant(const abut__body* body, const abut__boxes8* start,
                          const abut__instant* at, uint32_t node, double pad, abut__boxes8* out) {
    const bool between = at->knot[0] != at->knot[1];
    abut__boxes8 rooms[2];
    const abut__boxes8* boxes[2] = {NULL, NULL};
    for (int k = 0; k < (between ? 2 : 1); ++k) {
        boxes[k] = boxes_at(body, start, at->knot[k], node, &rooms[k]);
    }
    for (uint32_t c = 0; c < body->shape->tree.nodes[node].count; ++c) {
        wide_box box = child_at(body, start, at->knot[0], at->at[0], boxes[0], c);
        if (between) {
            const wide_box next = child_at(body, start, at->knot[1], at->at[1], boxes[1], c);
            box = mixed(&box, &next, at->part);
        }
        for (int d = 0; d < 3; ++d) {
            out->lo[d][c] = fminf(out->lo[d][c], below(box.lo[d], pad));
            out->hi[d][c] = fmaxf(out->hi[d][c], above(box.hi[d], pad));
        }
    }
}

const abut__boxes8* abut__part_bound(const abut__job* job, const abut__body* body, uint32_t node,
                                     abut__boxes8* room) {
    const int s = side_of(job, body);
    const double extent = job->part->extent[s];
    if (!(extent < (double)ABUT__EXTENT_LIMIT)) {
        abut__boxes_infinite(room, body->shape->tree.nodes[node].count);
        return room;
    }
    abut__boxes_infinite(room, 0);
    for (int end = 0; end < 2; ++end) {
        bound_instant(body, job->part->start[s], &job->part->side[s].end[end], node,
                      pad_of(body, extent), room);
    }
    return room;
}

abut__box3 abut__part_ref_box(const abut__job* job, const abut__body* body, abut__ref ref) {
    const abut__tree* tree = &body->shape->tree;
    const uint32_t parent = abut__ref_parent(tree, ref);
    abut__boxes8 room;
    if (parent == ABUT__NONE) {
        return abut__boxes_around(abut__part_bound(job, body, ref, &room), tree->nodes[ref].count);
    }
    return abut__boxes_get(abut__part_bound(job, body, parent, &room), abut__ref_slot(tree, ref));
}

bool abut__parts_start_box(const abut__body* body, abut_box* box) {
    if (!lacks_start(body)) {
        return false;
    }
    start_box(body, box);
    return true;
}

void abut__parts_grow_box(const abut__body* body, abut_box* box) {
    abut__breakpoint turn;
    grow_by_curve(body, box);
    for (uint32_t i = 0; breakpoint_of(body, i, &turn); ++i) {
        const abut__refit_boxes* boxes = boxes_at_break(body, turn.key);
        for (int end = 0; end < 2; ++end) {
            const abut_frame* frame = abut__body_frame(body, end);
            const wide_box root = wide(boxes != NULL ? &boxes->root
                                                     : &(abut__box3){{-INFINITY}, {INFINITY}});
            const wide_box there = turned(frame, &root);
            for (int d = 0; d < 3; ++d) {
                const double t = frame->t[d];
                const double size = fmax(fabs(there.lo[d]), fabs(there.hi[d]));
                const double pad = 0x1p-20 * size + 0x1p-46 * fabs(t) + (double)ABUT__TINY;
                const bool bounded = size <= (double)ABUT__EXTENT_LIMIT;
                box->lo[d] = bounded ? fmin(box->lo[d], t + there.lo[d] - pad) : -INFINITY;
                box->hi[d] = bounded ? fmax(box->hi[d], t + there.hi[d] + pad) : INFINITY;
            }
        }
    }
}

// ---- blocks

typedef double block_points[ABUT__BLOCK_VERTICES][3];

// at most as many vertices as a block has
static void points_at_knot(const abut__body* body, bool placed, uint32_t knot, double at,
                           const uint32_t* ids, uint32_t count, double (*out)[3]) {
    const abut_shape* shape = body->shape;
    const bool key = knot != ABUT__KNOT_START && knot != ABUT__KNOT_END;
    const abut__state* state = abut__body_state(body, knot == ABUT__KNOT_START ? 0 : 1);
    double xyz[3][ABUT__BLOCK_VERTICES];
    double* const places[3] = {xyz[0], xyz[1], xyz[2]};
    if (key) {
        shape->motion->timeline->break_vertices(shape, state, knot, ids, count, places);
    } else {
        shape->motion->vertices(shape, state, ids, count, places);
    }
    for (uint32_t v = 0; v < count; ++v) {
        double end[3] = {xyz[0][v], xyz[1][v], xyz[2][v]};
        double start[3] = {end[0], end[1], end[2]};
        if (placed) {
            abut__frame_apply(abut__body_frame(body, 0), start);
            abut__frame_apply(&body->frame, end);
        }
        for (int d = 0; d < 3; ++d) {
            out[v][d] = mix(start[d], end[d], key ? at : knot == ABUT__KNOT_END ? 1 : 0);
        }
    }
}

void abut__part_place(const abut__job* job, int end, const uint32_t* ids, uint32_t count,
                      double (*out)[3]) {
    const abut__part_side* side = &job->part->side[0];
    const abut__instant* at = &side->end[end];
    for (uint32_t i = 0; i < count; i += ABUT__BLOCK_VERTICES) {
        const uint32_t left = count - i;
        points_at_knot(job->a, side->placed != 0, at->knot[0], at->at[0], ids + i,
                       left < ABUT__BLOCK_VERTICES ? left : ABUT__BLOCK_VERTICES, out + i);
    }
}

static double reach_of(const abut__block* fixed, block_points points) {
    double reach = 0;
    for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
        for (int d = 0; d < 3; ++d) {
            reach = fmax(reach, fabs(points[v][d]));
        }
    }
    return reach;
}

static double points_at(const abut__body* body, bool placed, const abut__instant* at,
                        const abut__block* fixed, block_points out) {
    points_at_knot(body, placed, at->knot[0], at->at[0], fixed->vertex, fixed->vertex_count, out);
    double reach = reach_of(fixed, out);
    if (at->knot[0] != at->knot[1]) {
        block_points next;
        points_at_knot(body, placed, at->knot[1], at->at[1], fixed->vertex, fixed->vertex_count,
                       next);
        reach = fmax(reach, reach_of(fixed, next));
        for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
            for (int d = 0; d < 3; ++d) {
                out[v][d] = mix(out[v][d], next[v][d], at->part);
            }
        }
    }
    return reach;
}

// as boxes have it: in world axes, relative to the origin in the end
static void to_boxes(const abut__body* body, bool placed, const double x[3], double out[3]) {
    for (int d = 0; d < 3; ++d) {
        const double* r = body->frame.r[d];
        out[d] = placed         ? x[d] - body->frame.t[d]
                 : body->turned ? (r[0] * x[0] + r[1] * x[1]) + r[2] * x[2]
                                : x[d];
    }
}

static void fill_boxes(const abut__body* body, bool placed, double pad, const abut__block* fixed,
                       abut__swept_block* out) {
    abut__block_boxes* boxes = &out->boxes;
    double at[2][ABUT__BLOCK_VERTICES][3];
    float corners[2][ABUT__BLOCK_VERTICES][3];
    for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
        for (int end = 0; end < 2; ++end) {
            to_boxes(body, placed, out->vertices[end][v], at[end][v]);
            for (int d = 0; d < 3; ++d) {
                corners[end][v][d] = (float)at[end][v][d];
            }
        }
    }
    abut__swept_fill_triangles(body->shape, fixed, corners, out);
    for (int d = 0; d < 3; ++d) {
        boxes->all.lo[d] = INFINITY;
        boxes->all.hi[d] = -INFINITY;
        for (uint32_t t = 0; t < ABUT__BLOCK_TRIANGLES; ++t) {
            double lo = INFINITY;
            double hi = -INFINITY;
            for (int i = 0; i < 6 && t < fixed->triangle_count; ++i) {
                const double x = at[i % 2][fixed->corner[i / 2][t]][d];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            const bool there = t < fixed->triangle_count;
            boxes->lo[d][t] = there ? below(lo, pad) : INFINITY;
            boxes->hi[d][t] = there ? above(hi, pad) : -INFINITY;
            boxes->all.lo[d] = fminf(boxes->all.lo[d], boxes->lo[d][t]);
            boxes->all.hi[d] = fmaxf(boxes->all.hi[d], boxes->hi[d][t]);
        }
    }
}

static void fill_block(const abut__job* job, const abut__body* body, uint32_t block,
                       abut__swept_block* out) {
    const abut__block* fixed = body->shape->tree.blocks[block];
    const int s = side_of(job, body);
    const abut__part_side* side = &job->part->side[s];
    out->reach = 0;
    out->bad_vertex = ABUT__NONE;
    for (int end = 0; end < 2; ++end) {
        const double reach = points_at(body, side->placed != 0, &side->end[end], fixed,
                                       out->vertices[end]);
        out->reach = fmax(out->reach, reach);
        for (uint32_t v = 0; v < fixed->vertex_count; ++v) {
            const double* x = out->vertices[end][v];
            const bool finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
            out->bad_vertex = !finite && fixed->vertex[v] < out->bad_vertex ? fixed->vertex[v]
                                                                            : out->bad_vertex;
        }
    }
    const bool bounded = job->part->extent[s] < (double)ABUT__EXTENT_LIMIT &&
                         out->bad_vertex == ABUT__NONE;
    fill_boxes(body, side->placed != 0, bounded ? pad_of(body, job->part->extent[s]) : INFINITY,
               fixed, out);
}

// the block, filled: where it is kept, or in the worker's room; NULL: no memory
static abut__swept_block* find_block(const abut__run* run, abut__worker* worker,
                                     const abut__job* job, uint32_t block, int side) {
    const abut__body* body = side == 0 ? job->a : job->b;
    abut__claim claim = ABUT__READY;
    abut__swept_block* found = abut__swept_take(run, worker, body, block, side, &claim);
    if (claim != ABUT__READY) {
        fill_block(job, body, block, found);
    }
    if (claim == ABUT__MINE) {
        abut__claim_done(&found->vertices_of, run->swept->query);
        ++worker->counters.blocks_evaluated;
        worker->counters.vertices_moved += body->shape->tree.blocks[block]->vertex_count;
    }
    return found;
}

const abut__block_boxes* abut__part_boxes(const abut__run* run, abut__worker* worker,
                                          const abut__job* job, uint32_t block, int side) {
    const abut__swept_block* found = find_block(run, worker, job, block, side);
    if (found == NULL) {
        fill_block(job, side == 0 ? job->a : job->b, block, &worker->swept_room[side]);
        found = &worker->swept_room[side];
    }
    if (found == &worker->swept_room[side]) {
        worker->room[side] = found->boxes;
        return &worker->room[side];
    }
    return &found->boxes;
}

const abut__swept_block* abut__part_vertices(const abut__run* run, abut__worker* worker,
                                             const abut__job* job, uint32_t block, int side) {
    const abut__body* body = side == 0 ? job->a : job->b;
    const abut__swept_block* found = find_block(run, worker, job, block, side);
    if (found != NULL && found->bad_vertex != ABUT__NONE) {
        const uint64_t bad = (uint64_t)body->index << 32 | found->bad_vertex;
        worker->bad_vertex = bad < worker->bad_vertex ? bad : worker->bad_vertex;
        return NULL;
    }
    return found;
}

// ---- what is asked in a part

double abut__part_pad(const abut__swept_block* a, const abut__swept_block* b) {
    return 0x1p-48 * a->reach + 0x1p-48 * b->reach + 0x1p-1060;
}

// The sum is below (1 + u)^3 of what it should be; 2^-50 is more than that, and than what the next
// product adds. Among the least of numbers halves are safe.
double abut__part_time(const abut__part* part, double time) {
    if (part->first && (time == 0 || part->to == 1)) {
        return time;
    }
    double sum = part->from + time * (part->to - part->from);
    sum *= sum < 0x1p-900 ? 0.5 : 1 - 0x1p-50;
    return sum > LEAST_POSITIVE ? sum : LEAST_POSITIVE;
}
