// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Rows of rays at bodies that move: a cloth with new positions, and skinned characters with new
// poses. Embree refits its trees, after all vertices were skinned in float, as fast as a user could
// write it.
//
// The picks. A thousand characters stand on a grid, each in a pose of its own. A ray goes through the
// crowd, and the first triangle is wanted. Poses are set beforehand on both sides, and nothing is
// evaluated before the ray is known. The first rival knows the box of each character for free. It skins
// and refits those whose boxes the ray meets, in the order along the ray, until a hit comes before
// the next box. The second one skins and refits all. That is measured for one character and
// multiplied.
#include "bench/rays_common.h"

#include "bench/skinner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BENCH_HAVE_EMBREE

enum { MOST_ROUNDS = 60, RAYS = 1000, CROWD = 1000, CROWD_SIDE = 32, PICKS = 40 };

// Times of both sides, round by round, and whether abut was right.
typedef struct times {
    double ours[MOST_ROUNDS];
    double theirs[MOST_ROUNDS];
    uint32_t count;
    bool right;
    abut_counters counters;
} times;

static void finish_row(times* t, const char* other, bench_row* row) {
    row->ours_ms = bench_median(t->ours, t->count);
    row->other_ms = bench_median(t->theirs, t->count);
    row->ratio = row->other_ms / row->ours_ms;
    row->same_answer = t->right;
    row->has_counters = true;
    row->counters = t->counters;
    snprintf(row->other, sizeof row->other, "%s", other);
}

// A body of the library.
typedef struct actor {
    abut_context* context;
    abut_shape* shape;
    abut_scene* scene;
    abut_cast_result* result;
} actor;

static void open_actor(actor* a, const scene_body* body, abut_motion motion) {
    abut_error error;
    const reduced_def def = reduced_def_default(motion);
    *a = (actor){0};
    reduced_need(abut_context_create(bench_context_def(), &a->context, &error), &error);
    a->shape = reduced_make_shape(a->context, body, &def);
    reduced_need(abut_scene_create(a->context, NULL, &a->scene, &error), &error);
    reduced_need(abut_cast_result_create(a->context, &a->result, &error), &error);
}

static void close_actor(actor* a) {
    abut_cast_result_destroy(a->result);
    abut_scene_destroy(a->scene);
    abut_shape_destroy(a->shape);
    abut_context_destroy(a->context);
}

static abut_body_id add_body(const actor* a) {
    abut_error error;
    abut_body_id id;
    reduced_need(abut_body_create(a->scene, a->shape, NULL, &id, &error), &error);
    return id;
}

static scene* make_scene(const char* name, uint32_t triangles, uint32_t seed) {
    const scene_options wishes = {.triangles = triangles, .seed = seed};
    scene* s = scene_create_with(name, &wishes);
    if (s == NULL) {
        bench_die("the scene '%s' cannot be made", name);
    }
    return s;
}

// ---- a cloth

static void load_positions(const scene* s, uint32_t frame, double* wide, float* out) {
    const scene_body* b = scene_get_body(s, 0);
    scene_positions(s, 0, frame, wide);
    for (size_t i = 0; i < 3 * (size_t)b->vertex_count; ++i) {
        out[i] = (float)wide[i];
    }
}

static bool measure_cloth(const bench_options* options, bench_row* row, bench_report* report) {
    (void)report;
    scene* s = make_scene("tablecloth", 64082, options->seed);
    const scene_body* body = scene_get_body(s, 0);
    float* xyz[2] = {bench_alloc_floats(3 * (size_t)body->vertex_count),
                     bench_alloc_floats(3 * (size_t)body->vertex_count)};
    double* wide = bench_alloc(3 * (size_t)body->vertex_count, sizeof *wide);
    times t = {.right = true};
    abut_error error;
    actor a;
    open_actor(&a, body, ABUT_MOTION_FREE);
    const abut_body_id id = add_body(&a);
    load_positions(s, 0, wide, xyz[0]);
    void* tree = rays_embree_create(xyz[0], body->vertex_count, body->triangles,
                                    body->triangle_count, true, true);
    const uint32_t frames = options->quick ? 12 : MOST_ROUNDS;
    for (uint32_t f = 0; f < frames + 2; ++f) {
        float* now = xyz[f % 2];
        load_positions(s, f * 2 % scene_frame_count(s), wide, now);
        const abut_box box = rays_box(now, body->vertex_count);
        rays_set set = rays_anywhere(&box, RAYS, options->seed + f);
        abut_cast_def def = abut_cast_def_default();
        def.head.counters = f == frames ? &t.counters : NULL;
        const double start = bench_now(CLOCK_CPU);
        reduced_need(abut_body_borrow_positions(
                         a.scene, id, abut_positions_f32(now, body->vertex_count), &error),
                     &error);
        reduced_need(abut_cast(a.scene, id, abut_rays_f32(set.origins, set.directions, set.count),
                               &def, a.result, &error),
                     &error);
        const double middle = bench_now(CLOCK_CPU);
        const rays_batch batch = rays_batch_of(&set);
        rays_embree_update(tree, now);
        rays_embree_cast(tree, RAYS_SINGLE, &batch, set.theirs, set.at);
        const double end = bench_now(CLOCK_CPU);
        t.right = t.right && rays_judge(&set, a.result, now, body->triangles).ours_wrong == 0;
        rays_set_free(&set);
        if (f >= 2) {
            t.ours[t.count] = middle - start;
            t.theirs[t.count++] = end - middle;
        }
    }
    finish_row(&t, "Embree refit", row);
    rays_embree_destroy(tree);
    close_actor(&a);
    free(xyz[0]);
    free(xyz[1]);
    free(wide);
    scene_destroy(s);
    return true;
}

// ---- a character

// Poses of the walker, and the other side's skinned positions and tree.
typedef struct poses {
    scene* from;
    const scene_body* body;
    double* wide;
    float* narrow;
    double* q;  // coordinates of fields
    skinner* skinner;
    void* tree;
} poses;

static void load_pose(poses* p, uint32_t frame) {
    scene_transforms(p->from, 0, frame % scene_frame_count(p->from), p->wide);
    if (p->body->field_count > 0) {
        scene_coordinates(p->from, 0, frame % scene_frame_count(p->from), p->q);
    }
    for (size_t i = 0; i < 12 * (size_t)p->body->node_count; ++i) {
        p->narrow[i] = (float)p->wide[i];
        p->wide[i] = (double)p->narrow[i];
    }
}

static void open_poses(poses* p, uint32_t seed) {
    *p = (poses){.from = make_scene("walk", 45000, seed)};
    p->body = scene_get_body(p->from, 0);
    p->wide = bench_alloc(12 * (size_t)p->body->node_count, sizeof *p->wide);
    p->narrow = bench_alloc(12 * (size_t)p->body->node_count, sizeof *p->narrow);
    p->q = bench_alloc(p->body->field_count + (size_t)1, sizeof *p->q);
    p->skinner = skinner_create(p->body);
    load_pose(p, 0);
    p->tree = rays_embree_create(skinner_run(p->skinner, p->narrow, p->q), p->body->vertex_count,
                                 p->body->triangles, p->body->triangle_count, true, true);
}

static void close_poses(poses* p) {
    rays_embree_destroy(p->tree);
    skinner_destroy(p->skinner);
    scene_destroy(p->from);
    free(p->wide);
    free(p->narrow);
    free(p->q);
}

static void pose_body(const actor* a, abut_body_id id, const poses* p) {
    abut_error error;
    reduced_need(abut_body_set_transforms(a->scene, id,
                                          abut_transforms_f64(p->wide, p->body->node_count), p->q,
                                          p->body->field_count, &error),
                 &error);
}

// Whether nearly all rays have the same answer: positions differ by rounding, so a few may not.
static bool is_alike(const rays_set* set, const abut_cast_result* result) {
    size_t count = 0;
    size_t next = 0;
    size_t differ = 0;
    const abut_ray_hit* hits = abut_cast_result_hits(result, &count);
    for (size_t i = 0; i < set->count; ++i) {
        const bool met = next < count && hits[next].ray == i;
        differ += (met ? hits[next].triangle : RAYS_NONE) != set->theirs[i];
        next += met;
    }
    return differ <= set->count / 100 + 1;
}

static bool measure_character(const bench_options* options, bench_row* row, bench_report* report) {
    poses p;
    actor a;
    times t = {.right = true};
    abut_error error;
    open_poses(&p, options->seed);
    open_actor(&a, p.body, ABUT_MOTION_BLEND);
    const abut_body_id id = add_body(&a);
    const uint32_t frames = options->quick ? 12 : MOST_ROUNDS;
    for (uint32_t f = 0; f < frames + 2; ++f) {
        load_pose(&p, 3 * f);
        abut_box box = {{0}, {0}};
        reduced_need(abut_body_box(a.scene, id, &box, &error), &error);
        rays_set set = rays_anywhere(&box, RAYS, options->seed + f);
        abut_cast_def def = abut_cast_def_default();
        def.head.counters = f == frames ? &t.counters : NULL;
        const double start = bench_now(CLOCK_CPU);
        pose_body(&a, id, &p);
        reduced_need(abut_cast(a.scene, id, abut_rays_f32(set.origins, set.directions, set.count),
                               &def, a.result, &error),
                     &error);
        const double middle = bench_now(CLOCK_CPU);
        const rays_batch batch = rays_batch_of(&set);
        rays_embree_update(p.tree, skinner_run(p.skinner, p.narrow, p.q));
        rays_embree_cast(p.tree, RAYS_SINGLE, &batch, set.theirs, set.at);
        const double end = bench_now(CLOCK_CPU);
        t.right = t.right && is_alike(&set, a.result);
        rays_set_free(&set);
        if (f >= 2) {
            t.ours[t.count] = middle - start;
            t.theirs[t.count++] = end - middle;
        }
    }
    finish_row(&t, "skinning + Embree refit", row);
    bench_report_note(report, "%s: %u triangles, %u nodes; %llu of %llu vertices were evaluated.",
                      row->name, p.body->triangle_count, p.body->node_count,
                      (unsigned long long)t.counters.vertices_evaluated,
                      (unsigned long long)p.body->vertex_count);
    close_actor(&a);
    close_poses(&p);
    return true;
}

// ---- a crowd

typedef struct crowd {
    poses p;
    actor a;
    abut_body_id id[CROWD];
    double at[CROWD][3];
    abut_box box[CROWD];
    uint32_t frame[CROWD];
} crowd;

// Sets the poses of all, a little later than the last time. Returns the time that this takes.
static double pose_crowd(crowd* c, uint32_t round) {
    double sum = 0;
    for (uint32_t i = 0; i < CROWD; ++i) {
        c->frame[i] = 7 * i + round;
        load_pose(&c->p, c->frame[i]);
        const double start = bench_now(CLOCK_CPU);
        pose_body(&c->a, c->id[i], &c->p);
        sum += bench_now(CLOCK_CPU) - start;
    }
    return sum;
}

static void open_crowd(crowd* c, uint32_t seed) {
    abut_error error;
    open_poses(&c->p, seed);
    open_actor(&c->a, c->p.body, ABUT_MOTION_BLEND);
    for (uint32_t i = 0; i < CROWD; ++i) {
        abut_frame frame = abut_frame_identity();
        abut_box box;
        c->id[i] = add_body(&c->a);
        if (i == 0) {
            reduced_need(abut_body_box(c->a.scene, c->id[0], &box, &error), &error);
        }
        for (int d = 0; d < 2; ++d) {
            const double step = 1.1 * (box.hi[d] - box.lo[d]);
            c->at[i][d] = frame.t[d] = step * (d == 0 ? i % CROWD_SIDE : i / CROWD_SIDE);
        }
        c->at[i][2] = 0;
        reduced_need(abut_body_set_frame(c->a.scene, c->id[i], &frame, &error), &error);
    }
}

static void close_crowd(crowd* c) {
    close_actor(&c->a);
    close_poses(&c->p);
}

// where a ray enters a box; infinite: it does not
static double enter(const abut_box* box, const float o[3], const float d[3]) {
    double from = 0;
    double to = (double)INFINITY;
    for (int k = 0; k < 3; ++k) {
        const double a = (box->lo[k] - (double)o[k]) / (double)d[k];
        const double b = (box->hi[k] - (double)o[k]) / (double)d[k];
        from = fmax(from, fmin(a, b));
        to = fmin(to, fmax(a, b));
    }
    return from <= to ? from : (double)INFINITY;
}

// Skins and refits characters in the order of their boxes along the ray. Returns the first hit.
static uint32_t pick_theirs(crowd* c, const rays_set* set, size_t ray, uint32_t* who, double* ms) {
    const float* o = set->origins + 3 * ray;
    const float* d = set->directions + 3 * ray;
    double near[CROWD];
    double best = (double)INFINITY;
    uint32_t found = RAYS_NONE;
    for (uint32_t i = 0; i < CROWD; ++i) {
        near[i] = enter(&c->box[i], o, d);
    }
    *ms = 0;
    for (;;) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < CROWD; ++i) {
            next = near[i] < near[next] ? i : next;
        }
        if (!(near[next] < best)) {
            return found;
        }
        near[next] = (double)INFINITY;
        load_pose(&c->p, c->frame[next]);
        const float moved[3] = {o[0] - (float)c->at[next][0], o[1] - (float)c->at[next][1], o[2]};
        const rays_batch batch = {moved, d, 1, false};
        uint32_t triangle;
        float at;
        const double start = bench_now(CLOCK_CPU);
        rays_embree_update(c->p.tree, skinner_run(c->p.skinner, c->p.narrow, c->p.q));
        rays_embree_cast(c->p.tree, RAYS_SINGLE, &batch, &triangle, &at);
        *ms += bench_now(CLOCK_CPU) - start;
        if (triangle != RAYS_NONE && (double)at < best) {
            best = (double)at;
            found = triangle;
            *who = next;
        }
    }
}

static bool is_pick_right(const crowd* c, uint32_t triangle, uint32_t who) {
    size_t count = 0;
    const abut_ray_hit* hit = abut_cast_result_hits(c->a.result, &count);
    return count == 0 ? triangle == RAYS_NONE
                      : triangle == hit->triangle && c->id[who].index == hit->body;
}

// Picks with a ray from beside the crowd at a character in the middle of it.
static rays_set aim_pick(const crowd* c, uint32_t pick) {
    const uint32_t target = (pick * 37 + 11) % CROWD;
    abut_box box = c->box[target];
    rays_set set = rays_anywhere(&box, 1, pick);
    const double from[3] = {c->at[CROWD / 2][0], c->box[0].lo[1] - 5, c->box[0].hi[2] * 1.5};
    for (size_t d = 0; d < 3; ++d) {
        const double to = (double)set.origins[d];
        set.origins[d] = (float)from[d];
        set.directions[d] = (float)(to - from[d]);
    }
    return set;
}

static void pick_all(crowd* c, uint32_t picks, bool all, times* t, double* posing) {
    abut_error error;
    uint32_t differ = 0;
    for (uint32_t k = 0; k < picks + 2; ++k) {
        const double ms = pose_crowd(c, k);
        for (uint32_t i = 0; i < CROWD; ++i) {
            reduced_need(abut_body_box(c->a.scene, c->id[i], &c->box[i], &error), &error);
        }
        *posing += ms / (picks + 2);
        rays_set set = aim_pick(c, k);
        (void)pose_crowd(c, k);  // forgets what the boxes needed
        abut_cast_def def = abut_cast_def_default();
        def.head.counters = k == picks ? &t->counters : NULL;
        const double start = bench_now(CLOCK_CPU);
        reduced_need(abut_cast_all(c->a.scene,
                                   abut_rays_f32(set.origins, set.directions, set.count), &def,
                                   c->a.result, &error),
                     &error);
        const double ours = bench_now(CLOCK_CPU) - start;
        uint32_t who = 0;
        double theirs = 0;
        const uint32_t triangle = pick_theirs(c, &set, 0, &who, &theirs);
        differ += !is_pick_right(c, triangle, who);
        if (all) {
            const double before = bench_now(CLOCK_CPU);
            load_pose(&c->p, k);
            const double loaded = bench_now(CLOCK_CPU);
            (void)before;
            rays_embree_update(c->p.tree, skinner_run(c->p.skinner, c->p.narrow, c->p.q));
            theirs = CROWD * (bench_now(CLOCK_CPU) - loaded);
        }
        rays_set_free(&set);
        if (k >= 2) {
            t->ours[t->count] = ours;
            t->theirs[t->count++] = theirs;
        }
    }
    t->right = differ <= picks / 20;  // float positions differ from the exact ones by rounding
}

static bool measure_picks(const bench_options* options, bool all, bench_row* row,
                          bench_report* report) {
    crowd* c = bench_alloc(1, sizeof *c);
    times t = {0};
    double posing = 0;
    open_crowd(c, options->seed);
    pick_all(c, options->quick ? 8 : PICKS, all, &t, &posing);
    finish_row(&t, all ? "skin all + Embree refit" : "skin the hit boxes + Embree", row);
    bench_report_note(
        report,
        "%s: %u characters of %u triangles and %u nodes; a pick evaluates %llu of %llu "
        "vertices. To set all poses takes abut %.2f ms, which is not included.",
        row->name, CROWD, c->p.body->triangle_count, c->p.body->node_count,
        (unsigned long long)t.counters.vertices_evaluated,
        (unsigned long long)c->p.body->vertex_count * CROWD, posing);
    close_crowd(c);
    free(c);
    return true;
}

static bool measure_pick_boxes(const bench_options* options, bench_row* row, bench_report* report) {
    return measure_picks(options, false, row, report);
}

static bool measure_pick_all(const bench_options* options, bench_row* row, bench_report* report) {
    return measure_picks(options, true, row, report);
}

#else

static bool leave_out(const bench_options* options, bench_row* row, bench_report* report) {
    (void)options;
    bench_report_note(report, "%s: left out, Embree is not built in.", row->name);
    return false;
}
#define measure_cloth leave_out
#define measure_character leave_out
#define measure_pick_boxes leave_out
#define measure_pick_all leave_out

#endif

const rays_spec rays_moving_rows[] = {
    {"update + 1000 rays cloth64k vs Embree refit", 3, 10, measure_cloth, true},
    {"pick among 1000 skinned characters vs skin the hit boxes + Embree", 5, 30, measure_pick_boxes,
     true},
    {"pick among 1000 skinned characters vs skin all + Embree refit", 200, 2000, measure_pick_all,
     true},
    {"1000 rays one skinned character 45k vs skin + Embree refit", 1.5, 5, measure_character, true},
    {NULL, 0, 0, NULL, false},
};
