// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Cuts the step of two bodies into parts at the breakpoints of both: flight bodies have them at
// keyframes. In each part both move straight. See view_part.c for positions and rounding.
//
// Times of a part are lower bounds. Conversion to times of the step rounds them down.
#include <math.h>

#include "view/step.h"

#define LEAST_POSITIVE 0x1p-1074

bool abut__breakpoint_of(const abut__body* body, uint32_t index, abut__breakpoint* out) {
    const abut_shape* shape = body->shape;
    const abut__timeline* timeline = shape->motion->timeline;
    return timeline != NULL && timeline->breakpoint(shape, abut__body_state(body, 0),
                                                    abut__body_state(body, 1), index, out);
}

const abut__refit_boxes* abut__boxes_at_break(const abut__body* body, uint32_t key) {
    const abut__refit_boxes* boxes = NULL;
    (void)body->shape->motion->timeline->break_boxes(body->shape, abut__body_state(body, 1), key,
                                                     &boxes);
    return boxes;
}

// ---- starts without boxes

// Whether a body's motion has no boxes of the previous state, although its vertices may be finite:
// the time of a body with plans has left their span (motion/flight.h).
static bool lacks_start(const abut__body* body) {
    return body->shape->motion->timeline != NULL && !abut__body_is_still(body) &&
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

void abut__step_release_start(const abut_context* context, abut__step_body* place) {
    abut__free(context, place->start_points, place->start_vertices, sizeof *place->start_points);
    abut__free(context, place->start.boxes, place->start_nodes, sizeof *place->start.boxes);
    place->start_points = NULL;
    place->start.boxes = NULL;
    place->start_vertices = place->start_nodes = 0;
}

// Makes the boxes of all nodes at the start, once per call. False: no memory.
static bool make_start(const abut_context* context, abut__step_tables* tables,
                       const abut__body* body) {
    abut__step_body* place = abut__step_place(context, tables, body);
    const uint32_t vertices = body->shape->mesh->vertex_count;
    const uint32_t nodes = body->shape->tree.node_count;
    if (place == NULL || place->start_call == tables->call) {
        return place != NULL;
    }
    if (place->start_vertices != vertices || place->start_nodes != nodes) {
        abut__step_release_start(context, place);
        place->start_vertices = vertices;
        place->start_nodes = nodes;
        place->start_points = abut__alloc(context, vertices, sizeof *place->start_points);
        place->start.boxes = abut__alloc(context, nodes, sizeof *place->start.boxes);
    }
    if (place->start_points == NULL || place->start.boxes == NULL) {
        abut__step_release_start(context, place);
        return false;
    }
    read_start(body, place->start_points);
    abut__source source = abut__source_make(place->start_points, sizeof *place->start_points, true);
    memcpy(source.origin, abut__body_own_origin(body, 0), sizeof source.origin);
    abut__refit(context, &body->shape->tree, NULL, source, (abut__beside){0}, &place->start);
    place->start_call = tables->call;
    return true;
}

// computes the world box at the start from all vertices; infinite if one is not finite
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

bool abut__step_start_box(const abut__body* body, abut_box* box) {
    if (!lacks_start(body)) {
        return false;
    }
    start_box(body, box);
    return true;
}

// ---- motions that cannot be cut

// Gets the curve offset of a body (motion/motion.h). False, and all 0: it has none.
static bool curve_of(const abut__body* body, double by[3]) {
    const abut_shape* shape = body->shape;
    by[0] = by[1] = by[2] = 0;
    const abut__timeline* timeline = shape->motion->timeline;
    return timeline != NULL && !abut__body_is_still(body) &&
           timeline->curve_offset(abut__body_state(body, 0), abut__body_state(body, 1), by);
}

// makes the boxes at all breakpoints that have none yet
static abut_status make_boxes(const abut__body* body) {
    abut__breakpoint breakpoint;
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; status == ABUT_OK && abut__breakpoint_of(body, i, &breakpoint); ++i) {
        const abut__refit_boxes* boxes;
        status = body->shape->motion->timeline->break_boxes(body->shape, abut__body_state(body, 1),
                                                            breakpoint.key, &boxes);
    }
    return status;
}

// Returns a body whose curve offset matters, or NULL. Two bodies with equal offsets and no
// breakpoints move straight relative to each other.
static const abut__body* find_curved(const abut__body* a, const abut__body* b) {
    double by[2][3];
    const bool curved[2] = {curve_of(a, by[0]), curve_of(b, by[1])};
    if (a == b || (!curved[0] && !curved[1])) {
        return NULL;
    }
    abut__breakpoint breakpoint;
    bool alike = !abut__breakpoint_of(a, 0, &breakpoint) && !abut__breakpoint_of(b, 0, &breakpoint);
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

abut_status abut__step_check(const abut__body* a, const abut__body* b, const abut__body** refused,
                             const char** reason) {
    *reason = "it has vertices by plans and others by keyframes, and passes several keyframes";
    for (int s = 0; s < 2; ++s) {
        const abut__body* body = s == 0 ? a : b;
        const abut_status status = make_boxes(body);
        if (status != ABUT_OK) {
            *refused = status == ABUT_ERR_STATE ? body : NULL;
            return status;
        }
    }
    *reason = "it accelerates unlike the other body";
    *refused = find_curved(a, b);
    return *refused != NULL ? ABUT_ERR_STATE : ABUT_OK;
}

void abut__step_grow_by_curve(const abut__body* body, abut_box* box) {
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

// the progress of a body through the step
typedef struct walk {
    const abut__body* body;
    bool still;
    uint32_t passed;  // number of breakpoints passed
    uint32_t knot;    // the last one, and its time
    double at;
    uint32_t next;   // the next knot,
    double next_at;  // and its time; infinite: there is none
} walk;

static void look_ahead(walk* w) {
    abut__breakpoint breakpoint;
    if (w->still || w->knot == ABUT__KNOT_END) {
        w->next = ABUT__KNOT_END;
        w->next_at = INFINITY;
    } else if (abut__breakpoint_of(w->body, w->passed, &breakpoint)) {
        w->next = breakpoint.key;
        w->next_at = breakpoint.at;
    } else {
        w->next = ABUT__KNOT_END;
        w->next_at = 1;
    }
}

static walk begin_walk(const abut__body* body) {
    walk w = {.body = body, .still = abut__body_is_still(body)};
    w.knot = w.still ? ABUT__KNOT_END : ABUT__KNOT_START;
    look_ahead(&w);
    return w;
}

// the position of a body at a time from its last knot to the next
static abut__instant instant_of(const walk* w, double at) {
    if (w->knot == ABUT__KNOT_END || at == w->at) {
        return (abut__instant){{w->knot, w->knot}, {w->at, w->at}, 0};
    }
    return (abut__instant){
        {w->knot, w->next}, {w->at, w->next_at}, (at - w->at) / (w->next_at - w->at)};
}

// advances to a time no later than the next knot
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

// a bound of coordinates at all knots, in world axes relative to the origin at the end
static double extent_of(const abut__body* body, double at_start) {
    double from[3];
    double to[3];
    double distance = 0;
    abut__body_origin(body, 0, from);
    abut__body_origin(body, 1, to);
    for (int d = 0; d < 3; ++d) {
        distance = fmax(distance, fabs(from[d] - to[d]));
    }
    double extent = fmax((double)abut__body_state(body, 1)->extent, at_start + distance);
    abut__breakpoint breakpoint;
    for (uint32_t i = 0; abut__breakpoint_of(body, i, &breakpoint); ++i) {
        const abut__refit_boxes* boxes = abut__boxes_at_break(body, breakpoint.key);
        extent = boxes != NULL ? fmax(extent, (double)boxes->extent + distance) : INFINITY;
    }
    return 1.75 * extent;  // a rotation multiplies by sqrt(3) at most
}

static bool is_placed(const abut__body* body, bool in_shape) {
    return !in_shape && !(abut__frame_is_identity(&body->frame) &&
                          abut__frame_is_identity(abut__body_frame(body, 0)));
}

// the side of the first part, at the start of the step
static abut__part_side begin_side(const abut_context* context, abut__step_tables* tables,
                                  const walk* w, bool lacks, bool in_shape) {
    abut__part_side side = {.placed = is_placed(w->body, in_shape), .end[0] = instant_of(w, 0)};
    double at_start = (double)abut__body_state(w->body, 0)->extent;
    if (lacks) {
        const abut__step_body* place = abut__step_place(context, tables, w->body);
        side.start = place->start.boxes;
        at_start = (double)place->start.extent;
    }
    side.extent = extent_of(w->body, at_start);
    return side;
}

bool abut__step_cut(const abut_context* context, abut__step_tables* tables,
                    abut__body* const body[2], bool in_shape, abut__cuts* cuts) {
    abut__breakpoint breakpoint;
    const bool lacks[2] = {lacks_start(body[0]), lacks_start(body[1])};
    if (!abut__breakpoint_of(body[0], 0, &breakpoint) &&
        !abut__breakpoint_of(body[1], 0, &breakpoint) && !lacks[0] && !lacks[1]) {
        return true;
    }
    if ((lacks[0] && !make_start(context, tables, body[0])) ||
        (lacks[1] && !make_start(context, tables, body[1]))) {
        return false;
    }
    walk walks[2] = {begin_walk(body[0]), begin_walk(body[1])};
    abut__cut part = {.span = {.first = true}};
    for (int s = 0; s < 2; ++s) {
        part.side[s] = begin_side(context, tables, &walks[s], lacks[s], in_shape);
    }
    while (fmin(walks[0].next_at, walks[1].next_at) <= 1) {
        abut__cut* cut = abut__push(context, cuts, 1);
        if (cut == NULL) {
            return false;
        }
        part.span.to = fmin(walks[0].next_at, walks[1].next_at);
        part.span.exact = true;
        for (int s = 0; s < 2; ++s) {
            part.side[s].end[1] = go_to(&walks[s], part.span.to);
            part.span.exact = part.span.exact && (walks[s].still || is_at_knots(&part.side[s]));
        }
        *cut = part;
        part.span = (abut__span){.from = part.span.to};
        part.side[0].end[0] = part.side[0].end[1];
        part.side[1].end[0] = part.side[1].end[1];
    }
    return true;
}

// ---- distances and times in a part

double abut__part_pad(const abut__moving_block* a, const abut__moving_block* b) {
    return 0x1p-48 * a->reach + 0x1p-48 * b->reach + 0x1p-1060;
}

// The computed sum is below (1 + u)^3 times the true one. The factor 1 - 2^-50 makes up for that
// and for the rounding of its own product. Near underflow the factor 1/2 is safe.
double abut__span_time(const abut__span* span, double time) {
    if (span->first && (time == 0 || span->to == 1)) {
        return time;
    }
    double sum = span->from + time * (span->to - span->from);
    sum *= sum < 0x1p-900 ? 0.5 : 1 - 0x1p-50;
    return sum > LEAST_POSITIVE ? sum : LEAST_POSITIVE;
}
