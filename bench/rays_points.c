// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of the suite "rays": closest points and sides of many points, against Embree's point queries and
// CGAL. Both sides take turns; times are medians of processor time.
#include "bench/rays.h"

#include "bench/ball.h"
#include "bench/deform.h"
#include "bench/reduced.h"
#include "peers/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <abut/abut.h>

enum { MOST_ROUNDS = 9, POINTS = 100000, FEW_POINTS = 1000, FRAMES = 30, FIELDS = 12 };

// ---- a bumpy ball, which does not move, and points in its box

typedef struct exhibit {
    ball ball;
    float* corners;  // the positions of both sides are these
    float* points;
    double* wide_points;
    abut_context* context;
    abut_scene* scene;
    abut_shape* shape;
    abut_body_id body;
} exhibit;

static double uniform(uint64_t* state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static void make_bumps(ball* b) {
    for (size_t i = 0; i < b->vertex_count; ++i) {
        double* p = b->xyz + 3 * i;
        const double by = 1 + 0.12 * sin(5 * p[0] + 1) * sin(6 * p[1]) + 0.08 * cos(9 * p[2]);
        for (int d = 0; d < 3; ++d) {
            p[d] = (double)(float)(p[d] * by);
        }
    }
}

static abut_shape* make_shape(abut_context* context, const ball* b) {
    abut_mesh* mesh = NULL;
    abut_shape* shape = NULL;
    abut_mesh_def def = abut_mesh_def_default();
    def.positions = abut_positions_f64(b->xyz, b->vertex_count);
    def.triangles = b->triangles;
    def.triangle_count = b->triangle_count;
    reduced_need(abut_mesh_create(context, &def, &mesh, NULL), NULL);
    reduced_need(abut_shape_create(context, mesh, NULL, &shape, NULL), NULL);
    abut_mesh_destroy(mesh);
    return shape;
}

static exhibit open_exhibit(const bench_options* options) {
    const double origin[3] = {0, 0, 0};
    exhibit e = {.ball = ball_make(1, origin, 0.3, 400, 201)};
    uint64_t state = options->seed;
    make_bumps(&e.ball);
    e.corners = bench_alloc_floats(3 * (size_t)e.ball.vertex_count);
    for (size_t i = 0; i < 3 * (size_t)e.ball.vertex_count; ++i) {
        e.corners[i] = (float)e.ball.xyz[i];
    }
    e.points = bench_alloc_floats(3 * (size_t)POINTS);
    e.wide_points = bench_alloc(3 * (size_t)POINTS, sizeof *e.wide_points);
    for (size_t i = 0; i < 3 * (size_t)POINTS; ++i) {
        e.points[i] = (float)(2.4 * uniform(&state) - 1.2);
        e.wide_points[i] = (double)e.points[i];
    }
    reduced_need(abut_context_create(bench_context_def(), &e.context, NULL), NULL);
    reduced_need(abut_scene_create(e.context, NULL, &e.scene, NULL), NULL);
    e.shape = make_shape(e.context, &e.ball);
    reduced_need(abut_body_create(e.scene, e.shape, NULL, &e.body, NULL), NULL);
    return e;
}

static void close_exhibit(exhibit* e) {
    abut_shape_destroy(e->shape);
    abut_scene_destroy(e->scene);
    abut_context_destroy(e->context);
    free(e->corners);
    free(e->points);
    free(e->wide_points);
    ball_free(&e->ball);
}

// One side of a row: answers all questions, and tells the answer to one of them.
typedef struct contender {
    void (*ask)(void* self);
    double (*answer)(void* self, size_t i);
    void* self;
} contender;

static void take_turns(const contender* ours, const contender* other, size_t answers, double error,
                       const bench_options* options, bench_row* row) {
    double ms[2][MOST_ROUNDS];
    const uint32_t rounds = options->quick ? 3 : MOST_ROUNDS;
    ours->ask(ours->self);
    other->ask(other->self);
    row->same_answer = true;
    for (size_t i = 0; i < answers; ++i) {
        const double a = ours->answer(ours->self, i);
        const double b = other->answer(other->self, i);
        row->same_answer = row->same_answer && fabs(a - b) <= error;
    }
    for (uint32_t r = 0; r < rounds; ++r) {
        const double start = bench_now(CLOCK_CPU);
        ours->ask(ours->self);
        const double middle = bench_now(CLOCK_CPU);
        other->ask(other->self);
        ms[0][r] = middle - start;
        ms[1][r] = bench_now(CLOCK_CPU) - middle;
    }
    row->ours_ms = bench_median(ms[0], rounds);
    row->other_ms = bench_median(ms[1], rounds);
    row->ratio = row->other_ms / row->ours_ms;
}

// ---- closest points

typedef struct closest_side {
    const exhibit* e;
    abut_closest_result* result;
} closest_side;

static void ask_closest(void* self) {
    const closest_side* s = self;
    abut_closest_result_clear(s->result);  // the same points again would be too easy
    reduced_need(abut_closest(s->e->scene, s->e->body, abut_positions_f32(s->e->points, POINTS),
                              NULL, s->result, NULL),
                 NULL);
}

static double closest_answer(void* self, size_t i) {
    const closest_side* s = self;
    return abut_closest_result_points(s->result, NULL)[i].distance;
}

static void measure_closest(const exhibit* e, const contender* other, double error,
                            const bench_options* options, bench_row* row) {
    closest_side side = {.e = e};
    const contender ours = {ask_closest, closest_answer, &side};
    reduced_need(abut_closest_result_create(e->context, &side.result, NULL), NULL);
    take_turns(&ours, other, POINTS, error, options, row);
    abut_closest_def def = abut_closest_def_default();
    def.head.counters = &row->counters;
    row->has_counters = true;
    abut_closest_result_clear(side.result);
    reduced_need(abut_closest(e->scene, e->body, abut_positions_f32(e->points, POINTS), &def,
                              side.result, NULL),
                 NULL);
    abut_closest_result_destroy(side.result);
}

#if !defined(BENCH_HAVE_EMBREE) || !defined(BENCH_HAVE_CGAL)
static bool left_out(const bench_options* options, bench_row* row, bench_report* report) {
    (void)options;
    bench_report_note(report, "%s: left out, the other library is not built in.", row->name);
    return false;
}
#endif

#ifdef BENCH_HAVE_EMBREE
typedef struct embree_side {
    const exhibit* e;
    void* tree;
    float* distances;
} embree_side;

static void ask_embree(void* self) {
    const embree_side* s = self;
    points_embree_each(s->tree, s->e->points, POINTS, s->distances);
}

static double embree_answer(void* self, size_t i) {
    return (double)((const embree_side*)self)->distances[i];
}

static bool against_embree(const bench_options* options, bench_row* row, bench_report* report) {
    (void)report;
    exhibit e = open_exhibit(options);
    embree_side side = {&e, NULL, bench_alloc_floats(POINTS)};
    const contender other = {ask_embree, embree_answer, &side};
    snprintf(row->other, sizeof row->other, "Embree point query");
    side.tree = points_embree_create(e.corners, e.ball.vertex_count, e.ball.triangles,
                                     e.ball.triangle_count);
    measure_closest(&e, &other, 1e-5, options, row);
    points_embree_destroy(side.tree);
    free(side.distances);
    close_exhibit(&e);
    return true;
}

// ---- a new pose of a modal curtain, then points near it

typedef struct pose_side {
    abut_scene* scene;
    abut_body_id body;
    abut_closest_result* result;
    deformer* deformer;
    void* tree[POINTS_WAYS];
    float* points;  // per frame
    float* distances;
    double* q;  // per frame
} pose_side;

static const float* points_at(const pose_side* s, uint32_t frame) {
    return s->points + (size_t)frame * 3 * FEW_POINTS;
}

static double ask_pose(pose_side* s, uint32_t frame) {
    const double start = bench_now(CLOCK_CPU);
    reduced_need(abut_body_set_coordinates(s->scene, s->body, s->q + (size_t)frame * FIELDS, FIELDS,
                                           NULL),
                 NULL);
    const abut_positions points = abut_positions_f32(points_at(s, frame), FEW_POINTS);
    reduced_need(abut_closest(s->scene, s->body, points, NULL, s->result, NULL), NULL);
    return bench_now(CLOCK_CPU) - start;
}

static double ask_deformed(pose_side* s, uint32_t frame, points_way way) {
    const double start = bench_now(CLOCK_CPU);
    (void)deformer_run(s->deformer, s->q + (size_t)frame * FIELDS);
    points_embree_update(s->tree[way]);
    points_embree_each(s->tree[way], points_at(s, frame), FEW_POINTS, s->distances);
    return bench_now(CLOCK_CPU) - start;
}

static bool same_distances(const pose_side* s) {
    const abut_closest_point* rows = abut_closest_result_points(s->result, NULL);
    bool same = true;
    for (size_t i = 0; i < FEW_POINTS; ++i) {
        same = same && fabs(rows[i].distance - (double)s->distances[i]) < 1e-3;
    }
    return same;
}

// Plays all frames; the time is that of the median frame.
static void play(pose_side* s, bench_row* row) {
    double ours[FRAMES];
    double other[POINTS_WAYS][FRAMES];
    row->same_answer = true;
    for (uint32_t f = 0; f < FRAMES; ++f) {
        for (int way = 0; way < POINTS_WAYS; ++way) {
            other[way][f] = ask_deformed(s, f, (points_way)way);
        }
        ours[f] = ask_pose(s, f);
        row->same_answer = row->same_answer && same_distances(s);
    }
    const double refit = bench_median(other[POINTS_REFIT], FRAMES);
    const double morton = bench_median(other[POINTS_MORTON], FRAMES);
    row->ours_ms = bench_median(ours, FRAMES);
    row->other_ms = refit < morton ? refit : morton;
    row->ratio = row->other_ms / row->ours_ms;
    snprintf(row->other, sizeof row->other, "deform + Embree %s",
             refit < morton ? "refit" : "Morton");
}

// points of the ball that flies at the curtain
static void points_of_ball(const scene* s, float* points) {
    const uint32_t count = scene_get_body(s, 1)->vertex_count;
    double* xyz = bench_alloc(3 * (size_t)count, sizeof *xyz);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        scene_positions(s, 1, f, xyz);
        for (size_t i = 0; i < FEW_POINTS; ++i) {
            const double* p = xyz + 3 * (i * count / FEW_POINTS);
            for (size_t d = 0; d < 3; ++d) {
                points[3 * (f * (size_t)FEW_POINTS + i) + d] = (float)p[d];
            }
        }
    }
    free(xyz);
}

// the same points in all frames, all over the box of the curtain
static void points_in_box(const scene* s, uint32_t seed, float* points) {
    const scene_body* b = scene_get_body(s, 0);
    uint64_t state = seed;
    for (size_t d = 0; d < 3; ++d) {
        double lo = INFINITY;
        double hi = -INFINITY;
        for (size_t i = 0; i < b->vertex_count; ++i) {
            lo = fmin(lo, b->rest[3 * i + d]);
            hi = fmax(hi, b->rest[3 * i + d]);
        }
        for (size_t i = 0; i < FEW_POINTS; ++i) {
            const float x = (float)(lo + (hi - lo) * uniform(&state));
            for (size_t f = 0; f < FRAMES; ++f) {
                points[3 * (f * FEW_POINTS + i) + d] = x;
            }
        }
    }
}

static bool after_poses(const bench_options* options, bench_row* row, bool spread) {
    scene* s = scene_create_with("curtain", &(scene_options){.triangles = 196000,
                                                             .frames = FRAMES,
                                                             .seed = options->seed,
                                                             .fields = FIELDS});
    if (s == NULL) {
        bench_die("the scene 'curtain' cannot be made");
    }
    const scene_body* b = scene_get_body(s, 0);
    abut_context* context = NULL;
    pose_side side = {.points = NULL};
    side.q = bench_alloc((size_t)FRAMES * FIELDS, sizeof *side.q);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        scene_coordinates(s, 0, f, side.q + (size_t)f * FIELDS);
    }
    side.points = bench_alloc_floats((size_t)FRAMES * 3 * FEW_POINTS);
    if (spread) {
        points_in_box(s, options->seed, side.points);
    } else {
        points_of_ball(s, side.points);
    }
    side.distances = bench_alloc_floats(FEW_POINTS);
    side.deformer = deformer_create(b->rest, b->fields, b->vertex_count, b->field_count);
    const float* xyz = deformer_run(side.deformer, side.q);
    for (int way = 0; way < POINTS_WAYS; ++way) {
        side.tree[way] = points_embree_create_moving(xyz, b->vertex_count, b->triangles,
                                                     b->triangle_count, (points_way)way);
    }
    reduced_need(abut_context_create(bench_context_def(), &context, NULL), NULL);
    reduced_need(abut_scene_create(context, NULL, &side.scene, NULL), NULL);
    const reduced_def def = reduced_def_default(ABUT_MOTION_MODAL);
    abut_shape* shape = reduced_make_shape(context, b, &def);
    reduced_need(abut_body_create(side.scene, shape, NULL, &side.body, NULL), NULL);
    reduced_need(abut_closest_result_create(context, &side.result, NULL), NULL);
    (void)ask_pose(&side, FRAMES / 2);
    abut_closest_result_clear(side.result);
    play(&side, row);
    abut_closest_result_destroy(side.result);
    abut_shape_destroy(shape);
    abut_scene_destroy(side.scene);
    abut_context_destroy(context);
    points_embree_destroy(side.tree[0]);
    points_embree_destroy(side.tree[1]);
    deformer_destroy(side.deformer);
    free(side.points);
    free(side.distances);
    free(side.q);
    scene_destroy(s);
    return true;
}

static bool near_ball(const bench_options* options, bench_row* row, bench_report* report) {
    (void)report;
    return after_poses(options, row, false);
}
static bool all_over(const bench_options* options, bench_row* row, bench_report* report) {
    (void)report;
    return after_poses(options, row, true);
}
#define EMBREE(row) row
#else
#define EMBREE(row) left_out
#endif

// ---- CGAL

#ifdef BENCH_HAVE_CGAL
typedef struct cgal_side {
    const exhibit* e;
    void* made;
    double* distances;
    signed char* sides;
} cgal_side;

static void ask_cgal(void* self) {
    const cgal_side* s = self;
    points_cgal_each(s->made, s->e->wide_points, POINTS, s->distances);
}

static double cgal_answer(void* self, size_t i) {
    return ((const cgal_side*)self)->distances[i];
}

static void ask_cgal_sides(void* self) {
    const cgal_side* s = self;
    points_cgal_sides(s->made, s->e->wide_points, POINTS, s->sides);
}

static double cgal_side_of(void* self, size_t i) {
    return ((const cgal_side*)self)->sides[i];
}

typedef struct contains_side {
    const exhibit* e;
    abut_contains_result* result;
} contains_side;

static void ask_contains(void* self) {
    const contains_side* s = self;
    reduced_need(abut_contains_points(s->e->scene, s->e->body,
                                      abut_positions_f32(s->e->points, POINTS), NULL, s->result,
                                      NULL),
                 NULL);
}

static double contains_answer(void* self, size_t i) {
    const contains_side* s = self;
    const abut_side side = abut_contains_result_sides(s->result, NULL)[i];
    return side == ABUT_SIDE_INSIDE ? 1 : side == ABUT_SIDE_OUTSIDE ? 0 : -1;
}

static bool against_cgal(const bench_options* options, bench_row* row, bool sides) {
    exhibit e = open_exhibit(options);
    cgal_side side = {.e = &e};
    side.distances = bench_alloc(POINTS, sizeof *side.distances);
    side.sides = bench_alloc(POINTS, sizeof *side.sides);
    side.made = points_cgal_create(e.ball.xyz, e.ball.vertex_count, e.ball.triangles,
                                   e.ball.triangle_count);
    const contender distances = {ask_cgal, cgal_answer, &side};
    snprintf(row->other, sizeof row->other, sides ? "CGAL side of mesh" : "CGAL AABB tree");
    if (!sides) {
        measure_closest(&e, &distances, 1e-12, options, row);
    } else {
        contains_side own = {.e = &e};
        const contender ours = {ask_contains, contains_answer, &own};
        const contender other = {ask_cgal_sides, cgal_side_of, &side};
        reduced_need(abut_contains_result_create(e.context, &own.result, NULL), NULL);
        take_turns(&ours, &other, POINTS, 0, options, row);
        abut_contains_result_destroy(own.result);
    }
    points_cgal_destroy(side.made);
    free(side.distances);
    free(side.sides);
    close_exhibit(&e);
    return true;
}

static bool against_cgal_tree(const bench_options* options, bench_row* row, bench_report* report) {
    (void)report;
    return against_cgal(options, row, false);
}
static bool against_cgal_sides(const bench_options* options, bench_row* row, bench_report* report) {
    (void)report;
    return against_cgal(options, row, true);
}
#define CGAL(row) row
#else
#define CGAL(row) left_out
#endif

// ---- the rows

const rays_spec rays_points_rows[] = {
    {"closest of 100k points static 160k vs Embree point query", 2, 6, EMBREE(against_embree),
     false},
    {"closest of 100k points static 160k vs CGAL tree", 5, 20, CGAL(against_cgal_tree), false},
    {"update + 1000 closest points modal 196k vs deform + Embree", 20, 100, EMBREE(near_ball),
     false},
    {"contains 100k points vs CGAL side of mesh", 5, 20, CGAL(against_cgal_sides), false},

    // Without a required ratio: so many blocks are near a point that most are evaluated.
    {"update + 1000 closest points all over modal 196k vs deform + Embree", 0, 0, EMBREE(all_over),
     false},
    {NULL, 0, 0, NULL, false},
};
