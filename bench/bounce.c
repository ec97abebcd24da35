// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Two spheres that expand and bounce: see bounce.h.
#include "bench/bounce.h"

#include "bench/lerp.h"
#include "bench/nodes.h"
#include "bench/reduced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH 0.64  // of the radius, over the whole motion: contact begins after a quarter of it

// Vertices of a body that reverse in a frame: turns[first[frame]] .. turns[first[frame + 1] - 1].
typedef struct script {
    uint32_t* turns;
    size_t count;
    size_t room;
    size_t* first;  // per frame, and one more
} script;

struct bounce {
    scene* scene;
    uint32_t frames;
    float* rest[2];
    float* speed[2];  // of every vertex, per frame
    script script[2];
};

// ---- one way of playing

typedef struct actor {
    const scene_body* from;
    abut_body_id body;
    float* velocity;    // current
    float* moving;      // BOUNCE_MOVE: current positions
    double* exact;      // BOUNCE_EXACT: the same
    double* start;      // and the start of the flight plans,
    uint32_t* since;    // with its frame
    float* velocities;  // memory for those of one update
} actor;

typedef struct player {
    bounce_way way;
    abut_context* context;
    abut_scene* scene;
    abut_collide_result* result;
    abut_front* front;  // NULL: queries start at the roots
    leaves* leaves;     // NULL: blocks are not queried
    actor actor[2];
} player;

static bool by_plans(bounce_way way) {
    return way == BOUNCE_FLIGHT || way == BOUNCE_KINETIC;
}

static size_t numbers_of(const actor* a) {
    return 3 * (size_t)a->from->vertex_count;
}

static void add_actor(const bounce* b, player* p, uint32_t i) {
    actor* a = &p->actor[i];
    abut_error error;
    scene_body plain = *scene_get_body(b->scene, i);
    a->from = scene_get_body(b->scene, i);
    const size_t numbers = numbers_of(a);
    a->velocity = lerp_alloc(numbers);
    a->moving = lerp_alloc(numbers);
    a->exact = bench_alloc(numbers, sizeof *a->exact);
    a->start = bench_alloc(numbers, sizeof *a->start);
    a->since = bench_alloc(a->from->vertex_count, sizeof *a->since);
    a->velocities = bench_alloc(numbers, sizeof *a->velocities);
    memcpy(a->velocity, b->speed[i], numbers * sizeof *a->velocity);
    memcpy(a->moving, b->rest[i], numbers * sizeof *a->moving);
    for (size_t n = 0; n < numbers; ++n) {
        a->start[n] = (double)b->rest[i][n];
    }
    reduced_def def = reduced_def_default(by_plans(p->way) ? ABUT_MOTION_FLIGHT : ABUT_MOTION_FREE);
    def.flight_bound = p->way == BOUNCE_KINETIC ? ABUT_FLIGHT_BOUND_KINETIC
                                                : ABUT_FLIGHT_BOUND_AUTO;
    abut_shape* shape = reduced_make_shape(p->context, &plain, &def);
    abut_body_def body_def = abut_body_def_default();
    body_def.keeps_tree = true;  // both sides find pairs of the same blocks
    reduced_need(abut_body_create(p->scene, shape, &body_def, &a->body, &error), &error);
    abut_shape_destroy(shape);
    if (by_plans(p->way)) {
        abut_plans_def plans = abut_plans_def_default();
        plans.positions = abut_positions_f32(b->rest[i], plain.vertex_count);
        plans.velocities = abut_positions_f32(b->speed[i], plain.vertex_count);
        reduced_need(abut_body_set_plans(p->scene, a->body, &plans, &error), &error);
    }
}

static player start(const bounce* b, bounce_way way, bounce_question question) {
    player p = {.way = way};
    abut_error error;
    reduced_need(abut_context_create(bench_context_def(), &p.context, &error), &error);
    reduced_need(abut_scene_create(p.context, NULL, &p.scene, &error), &error);
    reduced_need(abut_collide_result_create(p.context, &p.result, &error), &error);
    if (question == BOUNCE_ASK_LISTED && by_plans(way)) {
        reduced_need(abut_front_create(p.context, &p.front, &error), &error);
    }
    add_actor(b, &p, 0);
    add_actor(b, &p, 1);
    p.leaves = question == BOUNCE_ASK_LEAVES ? leaves_create(p.scene, by_plans(way)) : NULL;
    return p;
}

static void finish(player* p) {
    if (p->leaves != NULL) {
        leaves_destroy(p->leaves);
    }
    abut_front_destroy(p->front);
    abut_collide_result_destroy(p->result);
    abut_scene_destroy(p->scene);
    abut_context_destroy(p->context);
    for (int i = 0; i < 2; ++i) {
        actor* a = &p->actor[i];
        free(a->velocity);
        free(a->moving);
        free(a->exact);
        free(a->start);
        free(a->since);
        free(a->velocities);
    }
}

// The formula of include/abut/body.h.
static void move_exactly(actor* a, uint32_t frame) {
    for (size_t n = 0; n < numbers_of(a); ++n) {
        const double past = (double)frame - (double)a->since[n / 3];
        const double way = past * (double)a->velocity[n];
        a->exact[n] = a->start[n] + way;
    }
}

static void update(player* p, uint32_t frame) {
    for (int i = 0; i < 2; ++i) {
        actor* a = &p->actor[i];
        abut_error error;
        if (by_plans(p->way)) {
            reduced_need(abut_body_set_time(p->scene, a->body, frame, &error), &error);
            continue;
        }
        abut_positions positions = abut_positions_f32(a->moving, a->from->vertex_count);
        if (p->way == BOUNCE_MOVE) {
            lerp_move(a->moving, a->velocity, numbers_of(a));
        } else {
            move_exactly(a, frame);
            positions = abut_positions_f64(a->exact, a->from->vertex_count);
        }
        reduced_need(abut_body_borrow_positions(p->scene, a->body, positions, &error), &error);
    }
}

// From the current frame on, these vertices fly back.
static void turn_back(player* p, int i, uint32_t frame, const uint32_t* vertices, size_t count) {
    actor* a = &p->actor[i];
    if (count == 0) {
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        const size_t v = vertices[k];
        for (size_t d = 0; d < 3; ++d) {
            a->velocity[3 * v + d] = -a->velocity[3 * v + d];
            a->velocities[3 * k + d] = a->velocity[3 * v + d];
            a->start[3 * v + d] = a->exact[3 * v + d];
        }
        a->since[v] = frame;
    }
    if (by_plans(p->way)) {
        abut_plans_def plans = abut_plans_def_default();
        plans.time = frame;
        plans.vertices = vertices;
        plans.vertex_count = count;
        plans.velocities = abut_positions_f32(a->velocities, count);
        abut_error error;
        reduced_need(abut_body_set_plans(p->scene, a->body, &plans, &error), &error);
    }
}

static void turn_by_script(const bounce* b, player* p, uint32_t frame) {
    for (int i = 0; i < 2; ++i) {
        const script* s = &b->script[i];
        turn_back(p, i, frame, s->turns + s->first[frame], s->first[frame + 1] - s->first[frame]);
    }
}

static void collide(player* p, abut_counters* counters) {
    abut_collide_def query = abut_collide_def_default();
    query.head.counters = counters;
    query.front = p->front;
    reduced_need(abut_collide_all(p->scene, &query, p->result, NULL), NULL);
}

// ---- recording

static void note_turn(script* s, uint32_t vertex) {
    if (s->count == s->room) {
        s->room = 2 * s->room + 64;
        s->turns = realloc(s->turns, s->room * sizeof *s->turns);
        if (s->turns == NULL) {
            bench_die("out of memory");
        }
    }
    s->turns[s->count++] = vertex;
}

static void note_touched(const bounce* b, const player* p, uint8_t* touched[2]) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(p->result, &count);
    for (size_t k = 0; k < count; ++k) {
        const uint32_t triangle[2] = {pairs[k].triangle_a, pairs[k].triangle_b};
        for (uint32_t i = 0; i < 2; ++i) {
            const uint32_t* corners = scene_get_body(b->scene, i)->triangles +
                                      3 * (size_t)triangle[i];
            for (int c = 0; c < 3; ++c) {
                touched[i][corners[c]] |= 1;
            }
        }
    }
}

// Vertices reverse when they touch for the first time, and never again.
static void record(bounce* b) {
    player p = start(b, BOUNCE_FLIGHT, BOUNCE_ASK_COLLIDE);
    abut_counters counters = {0};
    uint8_t* touched[2];
    for (uint32_t i = 0; i < 2; ++i) {
        const uint32_t vertices = p.actor[i].from->vertex_count;
        touched[i] = bench_alloc(vertices, 1);
        b->script[i].first = bench_alloc((size_t)b->frames + 1, sizeof(size_t));
    }
    for (uint32_t frame = 1; frame < b->frames; ++frame) {
        update(&p, frame);
        collide(&p, &counters);
        note_touched(b, &p, touched);
        for (uint32_t i = 0; i < 2; ++i) {
            script* s = &b->script[i];
            s->first[frame] = s->count;
            for (uint32_t v = 0; v < p.actor[i].from->vertex_count; ++v) {
                if (touched[i][v] == 1) {
                    note_turn(s, v);
                    touched[i][v] = 2;
                }
            }
            s->first[frame + 1] = s->count;
            turn_back(&p, (int)i, frame, s->turns + s->first[frame], s->count - s->first[frame]);
        }
    }
    free(touched[0]);
    free(touched[1]);
    finish(&p);
}

bounce* bounce_create(uint32_t triangles, uint32_t frames, uint32_t seed) {
    bounce* b = bench_alloc(1, sizeof *b);
    b->frames = frames;
    b->scene = scene_create("spheres", triangles, 0, seed);
    if (b->scene == NULL) {
        bench_die("the scene 'spheres' cannot be made");
    }
    for (uint32_t i = 0; i < 2; ++i) {
        const scene_body* from = scene_get_body(b->scene, i);
        const size_t numbers = 3 * (size_t)from->vertex_count;
        double centre[3] = {0, 0, 0};
        for (size_t n = 0; n < numbers; ++n) {
            centre[n % 3] += from->rest[n] / from->vertex_count;
        }
        b->rest[i] = lerp_alloc(numbers);
        b->speed[i] = lerp_alloc(numbers);
        for (size_t n = 0; n < numbers; ++n) {
            b->rest[i][n] = (float)from->rest[n];
            b->speed[i][n] = (float)((from->rest[n] - centre[n % 3]) * GROWTH / frames);
        }
    }
    record(b);
    return b;
}

void bounce_destroy(bounce* b) {
    for (int i = 0; i < 2; ++i) {
        free(b->rest[i]);
        free(b->speed[i]);
        free(b->script[i].turns);
        free(b->script[i].first);
    }
    scene_destroy(b->scene);
    free(b);
}

uint32_t bounce_triangles(const bounce* b) {
    return scene_get_body(b->scene, 0)->triangle_count;
}

uint32_t bounce_turning_frames(const bounce* b) {
    uint32_t count = 0;
    for (uint32_t f = 1; f < b->frames; ++f) {
        count += b->script[0].first[f + 1] > b->script[0].first[f] ||
                 b->script[1].first[f + 1] > b->script[1].first[f];
    }
    return count;
}

size_t bounce_turns(const bounce* b) {
    return b->script[0].count + b->script[1].count;
}

// ---- playing

double bounce_play(const bounce* b, bounce_way way, bounce_question question,
                   abut_counters* counters, leaves_counts* listed) {
    player p = start(b, way, question);
    const double begin = bench_now(CLOCK_CPU);
    for (uint32_t frame = 1; frame < b->frames; ++frame) {
        update(&p, frame);
        if (p.leaves != NULL) {
            leaves_update(p.leaves);
        } else if (question > BOUNCE_ASK_BOXES) {
            collide(&p, counters);
        } else if (question == BOUNCE_ASK_BOXES &&
                   by_plans(way)) {  // free bodies have all their boxes already
            nodes_bound(p.scene, p.actor[0].body);
            nodes_bound(p.scene, p.actor[1].body);
        }
        turn_by_script(b, &p, frame);
    }
    const double ms = bench_now(CLOCK_CPU) - begin;
    if (p.leaves != NULL) {
        *listed = leaves_counted(p.leaves);
    }
    finish(&p);
    return ms;
}

static bool same_pairs(const player* x, const player* y) {
    size_t count[2];
    const abut_pair* a = abut_collide_result_pairs(x->result, &count[0]);
    const abut_pair* b = abut_collide_result_pairs(y->result, &count[1]);
    return count[0] == count[1] && (count[0] == 0 || memcmp(a, b, count[0] * sizeof *a) == 0);
}

static bool is_sound(const player* p) {
    return abut_body_validate(p->scene, p->actor[0].body, NULL) == ABUT_OK &&
           abut_body_validate(p->scene, p->actor[1].body, NULL) == ABUT_OK;
}

static bool same_leaves(const player* ours, const player* exact) {
    leaves_update(ours->leaves);
    leaves_update(exact->leaves);
    return leaves_agree(ours->leaves, exact->leaves);
}

bool bounce_is_right(const bounce* b, bounce_way way, bounce_question question) {
    player ours = start(b, way, question);
    player exact = start(b, BOUNCE_EXACT, question);
    abut_counters counters = {0};
    bool right = true;
    for (uint32_t frame = 1; frame < b->frames && right; ++frame) {
        update(&ours, frame);
        update(&exact, frame);
        collide(&ours, &counters);
        collide(&exact, &counters);
        right = same_pairs(&ours, &exact) && (frame % 8 != 0 || is_sound(&ours)) &&
                (ours.leaves == NULL || same_leaves(&ours, &exact));
        turn_by_script(b, &ours, frame);
        turn_by_script(b, &exact, frame);
    }
    finish(&ours);
    finish(&exact);
    return right;
}
