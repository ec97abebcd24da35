// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs a query: jobs become seeds, seeds are opened until there are enough of them, tasks are
// ranges of seeds, and the hits of the tasks are gathered in their order.
#include <float.h>
#include <math.h>
#include <string.h>

#include "query/cones.h"
#include "query/query.h"

#define SEEDS_WANTED 64u  // seeds are opened until there are so many
#define SEEDS_PER_TASK 4u
#define GIVEN_PER_TASK 1024u  // candidates, if they were found without a descent
#define WAVE_TASKS 64u        // tasks between two calls of a callback

// Corners are rotated in double and then rounded to float. In different frames the pad of the boxes
// is enough for them. In one rotated frame they need a pad of their own. Without a rotation they
// need none, because rounding preserves order.
static void set_corner_shift(abut__job* job, double size) {
    const double pad = job->in_shape && job->view[0].body->turned
                           ? 0x1p-20 * size + (double)ABUT__TINY
                           : 0;
    const bool bounded = !job->unbounded && (pad == 0 || size + pad < (double)ABUT__EXTENT_LIMIT);
    for (int d = 0; d < 3; ++d) {
        job->corner_shift.lo[d] = bounded ? job->shift.lo[d] - (float)pad : -INFINITY;
        job->corner_shift.hi[d] = bounded ? job->shift.hi[d] + (float)pad : INFINITY;
    }
}

// whether boxes of both sides are relative to one origin in one frame
static bool is_aligned(const abut__job* job) {
    const float* a = job->view[0].own_origin;
    const float* b = job->view[1].own_origin;
    return job->in_shape && a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// The pad between two bodies in different frames is at least twice the sum of these errors, where s
// is the sum of their extents (greatest magnitudes of a coordinate), d the distance of the origins,
// f the greatest number that they are sums of (abut__body_far()), and u = 2^-24. Rotated coordinates
// are below 1.75 s, so 2 s here. Rounding the boxes to float: u s each. The float difference of the
// origins and its sum with a box: 2 u (2 s + d) each. World vertices and the difference of origins
// in double: 2^-50 (2 s + f) each.
//
// In one frame without a rotation, rounding the boxes takes u s, the difference of the origins u d,
// and its sum with a box u (s + d).
void abut__job_shift_for(abut__job* job, double extents, double margin) {
    const double size = 2 * extents;
    double reach = size;
    double pad = 0;
    double offset[3] = {0, 0, 0};
    job->aligned = is_aligned(job);
    if (!job->aligned) {
        const abut__view* view = job->view;
        const double far = view[0].far > view[1].far ? view[0].far : view[1].far;
        const bool plain = job->in_shape && !view[0].body->turned;
        double distance = 0;
        for (int d = 0; d < 3; ++d) {
            offset[d] = view[0].origin[d] - view[1].origin[d];
            distance = fabs(offset[d]) > distance ? fabs(offset[d]) : distance;
        }
        reach += distance;
        pad = (plain ? 0x1p-22 * (extents + distance) : 0x1p-20 * (size + distance)) +
              0x1p-48 * (size + far) + (double)ABUT__TINY;
    }
    abut__job_set_spheres(job, pad, margin);
    if (margin > 0) {
        reach += margin;
        pad += margin + 0x1p-20 * (size + margin) + (double)ABUT__TINY;
    }
    // about one origin with no margin nothing is added, and rounding preserves order at any size
    job->unbounded = pad > 0 && !(reach + pad < (double)ABUT__EXTENT_LIMIT);
    for (int d = 0; d < 3; ++d) {
        job->shift.lo[d] = job->unbounded ? 0 : (float)(offset[d] - pad);
        job->shift.hi[d] = job->unbounded ? 0 : (float)(offset[d] + pad);
    }
    set_corner_shift(job, size);
}

void abut__job_set_shift(abut__job* job, double margin) {
    abut__job_shift_for(job, job->view[0].extent + job->view[1].extent, margin);
}

// whether both bodies are in one frame throughout the window
static bool is_in_shape(const abut__job* job) {
    const abut__view* view = job->view;
    return !view[0].frame_moves && !view[1].frame_moves &&
           (job->self || abut__frames_equal(view[0].frame, view[1].frame));
}

// Sets the sphere of one side, grown by margin and rounding. The distance of a box from the centre,
// both within `reach` of b's origin, is off by 2^-22 of `reach`, its square and the radius by less
// than 2^-21 of themselves. The boxes need as much as above. A sphere whose square would overflow
// or underflow is not used.
static void set_sphere(abut__job* job, int side, const abut__ball* sphere, double margin) {
    const abut__ball ball = *sphere;
    double reach = 2 * (job->view[0].extent + job->view[1].extent);
    double far = 0;
    for (int d = 0; d < 3; ++d) {
        const double c = ball.c[d] - job->view[1].origin[d];
        reach += fabs(c) + fabs((double)job->shift.lo[d]);
        far += job->view[1].far + fabs(ball.c[d]);
        job->sphere[side].c[d] = job->ball[side].c[d] = (float)c;
    }
    const double r = (ball.r + margin) * (1 + 0x1p-19) + 0x1p-18 * reach + 0x1p-47 * far;
    job->sphere[side].square = (float)(r * r * (1 + 0x1p-22));
    job->ball[side].r = (float)(r * (1 + 0x1p-22));
    job->has_sphere[side] = r > 1e-15 && r < 1e18;
}

// whether a ball, grown by the margin, meets a box; the rounding error is below 2^-48 of the sums
static bool meets_box(const abut__ball* ball, const abut_box* box, double margin) {
    double sum = 0;
    double size = ball->r + margin;
    for (int d = 0; d < 3; ++d) {
        const double below = box->lo[d] - ball->c[d];
        const double above = ball->c[d] - box->hi[d];
        const double away = below > above ? below : above;
        sum += away > 0 ? away * away : 0;
        size += 0x1p-40 * fabs(ball->c[d]);
    }
    return !(sum > size * size * (1 + 0x1p-40));
}

// Sets the spheres of bodies in their current states. False: one of them misses the other body, so
// nothing touches.
static bool set_spheres(abut__job* job, double margin) {
    for (int side = 0; side < 2; ++side) {
        const abut__view* view = &job->view[side];
        if (!view->shape->has_sphere || job->in_shape || job->unbounded || view->kind->moves) {
            continue;
        }
        const abut__ball ball = abut__view_sphere(view);
        const abut_box box = abut__view_world_box(&job->view[1 - side]);
        if (!meets_box(&ball, &box, margin)) {
            return false;
        }
        set_sphere(job, side, &ball, margin);
    }
    return true;
}

// whether a vertex may be not finite, or become so when a frame is applied
static bool may_be_bad(const abut__view* view, bool in_shape) {
    const abut__state* state = view->state[1];
    const double* t = view->frame->t;
    const bool far = !(fabs(t[0]) < 1e300 && fabs(t[1]) < 1e300 && fabs(t[2]) < 1e300);
    return state->bad_vertex != ABUT__NONE || (!in_shape && (far || !isfinite(state->extent)));
}

// The body whose triangles a sphere can rule out comes first, or else the one that costs less.
static void set_first(abut__job* job) {
    const bool costly_a = job->view[0].state[1]->costly;
    const bool costly_b = job->view[1].state[1]->costly;
    job->b_first = job->has_sphere[0] != job->has_sphere[1] ? job->has_sphere[0]
                                                            : costly_a && !costly_b;
}

// sets the frames that take vertices to the world, because pairs are decided there; omits identities
static void set_placing(abut__view* view) {
    const bool steps = view->kind->moves && view->kind->at_states;
    const abut_frame* before = steps ? abut__body_frame(view->body, 0) : view->frame;
    if (!abut__frame_is_identity(view->frame) ||
        (before != view->frame && !abut__frame_is_identity(before))) {
        view->placing[0] = before;
        view->placing[1] = view->frame;
    }
}

// Lets a view use proofs, unless the query has a margin or wants neighbours: proofs are about
// touching only. sweep.c prepares proofs about steps.
static void expect_proofs(abut__view* view, double margin, const abut__settings* def) {
    const abut__proofs* proofs = view->shape->motion->proofs;
    view->proves = margin == 0 && !def->include_neighbours;
    atomic_fetch_add_explicit(&view->usage->self_queries, 1, memory_order_relaxed);
    if (view->proves && proofs != NULL) {
        proofs->expect(view->shape, view->state[1]);
    }
}

double abut__greatest_margin(const abut__settings* def) {
    return def->thick != NULL ? abut__add_lengths(def->margin, 2 * abut__thickest(def->thick))
                              : def->margin;
}

void abut__job_set_margin(abut__job* job, const abut__settings* def) {
    for (int side = 0; side < 2; ++side) {
        job->thick[side] = def->thick != NULL
                               ? abut__body_thickness(def->thick, job->view[side].body)
                               : (abut__thickness){0, NULL, 0};
    }
    job->varies = job->thick[0].vertex != NULL || job->thick[1].vertex != NULL;
    job->least_margin = def->margin;
    job->margin = abut__margin_of(job, job->thick[0].most, job->thick[1].most);
}

// Sets what follows from the views of the last job. Removes it if bounding spheres prove the bodies
// apart.
static abut_status finish_job(abut__workspace* work, const abut__settings* def) {
    abut__job* job = &work->jobs.data[work->jobs.count - 1];
    job->links = job->self ? abut__shape_links(job->view[0].shape) : NULL;
    if (job->self && job->links == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    job->span = (abut__span){0, 1, true, true};
    job->in_shape = is_in_shape(job);
    for (int side = 0; side < 2; ++side) {
        job->suspect = job->suspect || may_be_bad(&job->view[side], job->in_shape);
        if (!job->in_shape) {
            set_placing(&job->view[side]);
        }
    }
    abut__job_set_margin(job, def);
    abut__job_set_shift(job, job->margin);
    if (!set_spheres(job, job->margin)) {
        --work->jobs.count;
        return ABUT_OK;
    }
    set_first(job);
    if (job->self && !job->view[0].kind->moves) {
        expect_proofs(&job->view[0], job->margin, def);
    }
    return ABUT_OK;
}

abut_status abut__query_add_job(abut__workspace* work, const abut__view* a, const abut__view* b,
                                bool self, const abut__settings* def) {
    abut__job* job = abut__push(work->context, &work->jobs, 1);
    if (job == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    memset(job, 0, sizeof *job);
    job->view[0] = *a;
    job->view[1] = *b;
    job->self = self;
    return finish_job(work, def);
}

void abut__job_begin(abut__job* job, abut__body* a, abut__body* b) {
    // making a view writes all of it
    memset((char*)job + sizeof job->view, 0, sizeof *job - sizeof job->view);
    abut__view_now(a, &job->view[0]);
    abut__view_now(b, &job->view[1]);
    job->self = a == b;
}

abut_status abut__query_add_bodies(abut__workspace* work, abut__body* a, abut__body* b,
                                   const abut__settings* def) {
    abut__job* job = abut__push(work->context, &work->jobs, 1);
    if (job == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__job_begin(job, a, b);
    return finish_job(work, def);
}

// opens every seed by one level, except leaves and stopped ones
static abut_status open_seeds(abut__run* run, abut__workspace* work, bool* opened) {
    abut__entries* from = &work->seeds;
    abut__entries* to = &work->seeds2;
    to->count = 0;
    *opened = false;
    for (size_t i = 0; i < from->count; ++i) {
        if (!abut__reserve(run->context, to, to->count + ABUT__OPEN_MOST)) {
            return ABUT_ERR_NO_MEMORY;
        }
        const abut__entry seed = from->data[i];
        const bool self = run->jobs[seed.job].self && seed.a == seed.b;
        if (abut__entry_is_leaf(&seed) || (seed.flags & ABUT__ENTRY_STOPPED) != 0) {
            to->data[to->count++] = seed;
        } else if (((seed.flags & ABUT__ENTRY_TEST) != 0 || self) &&
                   abut__entry_stops(run, &run->workers[0], &seed)) {
            to->data[to->count] = seed;
            to->data[to->count++].flags = ABUT__ENTRY_STOPPED;
        } else {
            abut__entry_open(run, &run->workers[0], &seed, to);
            *opened = true;
        }
    }
    // the lists are swapped, so both get the room of either: the next such step allocates nothing
    const size_t room = (from->count > to->count ? from->count : to->count) + ABUT__OPEN_MOST;
    const abut__entries swapped = *from;
    *from = *to;
    *to = swapped;
    to->count = 0;
    return abut__reserve(run->context, from, room) && abut__reserve(run->context, to, room)
               ? ABUT_OK
               : ABUT_ERR_NO_MEMORY;
}

// cuts seeds, or given candidates, into `count` tasks
static void cut_tasks(abut__run* run, abut__workspace* work, size_t seeds, uint32_t count) {
    for (uint32_t t = 0; t < count; ++t) {
        abut__task* task = &work->tasks[t];
        task->first_seed = (uint32_t)(seeds * t / count);
        task->seed_count = (uint32_t)(seeds * (t + 1) / count) - task->first_seed;
        task->shared.count = task->kept.count = task->sweeps.count = task->intervals.count = 0;
    }
    abut__hits_begin(&work->pool, work->tasks, count);
    run->tasks = work->tasks;
}

static abut_status make_tasks(abut__run* run, abut__workspace* work, uint32_t* count) {
    bool opened = true;
    while (opened && work->seeds.count < SEEDS_WANTED) {
        const abut_status status = open_seeds(run, work, &opened);
        if (status != ABUT_OK) {
            return status;
        }
    }
    if (run->first && !abut__first_seeds(run, work)) {
        return ABUT_ERR_NO_MEMORY;
    }
    const size_t seeds = work->seeds.count;
    if (seeds > UINT32_MAX) {
        return ABUT_ERR_LIMIT;
    }
    // several seeds per task, so that batches of exact tests are well filled
    const size_t wanted = (seeds + SEEDS_PER_TASK - 1) / SEEDS_PER_TASK;
    *count = wanted < ABUT__TASKS_MOST ? (uint32_t)wanted : ABUT__TASKS_MOST;
    cut_tasks(run, work, seeds, *count);
    run->seeds = work->seeds.data;
    return abut__descend_reserve(run, work) ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

// Tasks run from the last to the first. A node's links come after its other entries, and the links
// of the top nodes are the longest tasks: begun last, they would leave the other threads idle.
static void run_task(void* argument, uint32_t index, uint32_t worker_index) {
    const abut__run* run = argument;
    const uint32_t task = run->wave_first + run->wave_count - 1 - index;
    if (run->given != NULL) {
        abut__candidates_take(run, &run->workers[worker_index], &run->tasks[task]);
    } else {
        abut__descend(run, &run->workers[worker_index], &run->tasks[task]);
    }
}

static abut_status append_sweeps(abut__workspace* work, const abut__task* task) {
    const size_t count = task->sweeps.count;
    if (count == 0) {
        return ABUT_OK;
    }
    abut_sweep_pair* pairs = abut__push(work->context, &work->sweeps, count);
    if (pairs == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    memcpy(pairs, task->sweeps.data, count * sizeof *pairs);
    return ABUT_OK;
}

static abut_status append_intervals(abut__workspace* work, const abut__task* task) {
    const size_t count = task->intervals.count;
    if (count == 0) {
        return ABUT_OK;
    }
    abut_contact_interval* out = abut__push(work->context, &work->contact_intervals, count);
    if (out == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    memcpy(out, task->intervals.data, count * sizeof *out);
    return ABUT_OK;
}

static abut_status append_task(const abut__run* run, abut__workspace* work,
                               const abut__task* task) {
    if (run->def->intervals) {
        return append_intervals(work, task);
    }
    if (run->sweeps) {
        return append_sweeps(work, task);
    }
    if (run->def->features) {
        return ABUT_OK;  // near_features.c gathers them, once they can be sorted
    }
    const size_t count = abut__hits_count(task);
    if (count == 0) {
        return ABUT_OK;
    }
    abut_pair* pairs = abut__push(run->context, &work->pairs, count);
    if (pairs == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__hits_copy(&work->pool, task, run->jobs, pairs);
    if (!run->def->intersections) {
        return ABUT_OK;
    }
    abut_intersection* shared = abut__push(run->context, &work->shared, count);
    if (shared == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    memcpy(shared, task->shared.data, count * sizeof *shared);
    return ABUT_OK;
}

// collects from all workers: an error, whether anything was found, the lowest bad vertex
static abut_status check_workers(abut__run* run, abut__workspace* work) {
    abut_status status = ABUT_OK;
    uint64_t bad = UINT64_MAX;
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        abut__worker* worker = &run->workers[w];
        status = worker->reader.status != ABUT_OK ? worker->reader.status : status;
        bad = worker->reader.bad_vertex < bad ? worker->reader.bad_vertex : bad;
        work->found |= worker->found;
    }
    if (status == ABUT_OK && bad != UINT64_MAX) {
        work->blame = (abut__blame){abut_scene_body_at(run->scene, (uint32_t)(bad >> 32)),
                                    (uint32_t)bad, NULL};
        status = ABUT_ERR_INVALID_DATA;
    }
    return status;
}

// passes the pairs of one task to the callback, sorted
static abut_status call_back(const abut__run* run, abut__workspace* work, const abut__task* task) {
    work->pairs.count = work->shared.count = 0;
    abut_status status = append_task(run, work, task);
    if (status == ABUT_OK) {
        status = abut__workspace_sort(work);
    }
    if (status == ABUT_OK && work->pairs.count > 0) {
        work->stopped = !run->def->callback.fn(run->def->callback.user, work->pairs.data,
                                               run->def->intersections ? work->shared.data : NULL,
                                               work->pairs.count);
    }
    work->pairs.count = work->shared.count = 0;
    return status;
}

// makes room for the hits of a wave at once; false: no memory
static bool reserve_hits(const abut__run* run, abut__workspace* work, uint32_t count) {
    size_t hits = work->pairs.count;
    for (uint32_t t = 0; t < count; ++t) {
        hits += abut__hits_count(&run->tasks[run->wave_first + t]);
    }
    return abut__reserve(run->context, &work->pairs, hits);
}

static abut_status gather_wave(abut__run* run, abut__workspace* work, uint32_t count) {
    abut_status status = check_workers(run, work);
    if (run->def->callback.fn == NULL && !reserve_hits(run, work, count)) {
        return ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t t = 0; t < count && status == ABUT_OK && !work->stopped; ++t) {
        const abut__task* task = &run->tasks[run->wave_first + t];
        status = run->def->callback.fn != NULL ? call_back(run, work, task)
                                               : append_task(run, work, task);
    }
    return status;
}

// decides the candidates that did not fill a batch
static void decide_rest(const abut__run* run, const abut__workspace* work) {
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        abut__candidates_decide(run, &run->workers[w], true);
    }
}

// returns the time after which contacts are not wanted if only the earliest are
static double latest(const abut__workspace* work) {
    return fmin(1, abut__earliest_contact(work));
}

// Returns the number of tasks in the next wave. If only the earliest contacts are wanted the waves
// start small, because an early contact spares later tasks most of their work.
static uint32_t next_wave(const abut__run* run, uint32_t done, uint32_t task_count) {
    const uint32_t wave = run->def->callback.fn != NULL ? WAVE_TASKS
                          : !run->first                 ? task_count
                          : done > 0                    ? done
                                                        : 1;
    return task_count - done < wave ? task_count - done : wave;
}

static abut_status run_waves(abut__run* run, abut__workspace* work, uint32_t task_count,
                             uint64_t budget) {
    run->task_budget = UINT64_MAX;
    if (budget > 0) {
        const uint64_t share = budget / (task_count > 0 ? task_count : 1);
        run->task_budget = share > 0 ? share : 1;  // every call makes progress
    }
    for (uint32_t first = 0, count; first < task_count; first += count) {
        count = next_wave(run, first, task_count);
        run->wave_first = first;
        run->wave_count = count;
        abut__run_tasks(run->context, count, run_task, run);
        decide_rest(run, work);
        const abut_status status = gather_wave(run, work, count);
        if (status != ABUT_OK || work->stopped) {
            return status;
        }
        run->before = run->first ? latest(work) : 1;
    }
    return ABUT_OK;
}

void abut__counters_add(abut_counters* sum, const abut_counters* part) {
    sum->boxes_computed += part->boxes_computed;
    sum->boxes_tested += part->boxes_tested;
    sum->nodes_certified += part->nodes_certified;
    sum->blocks_certified += part->blocks_certified;
    sum->node_pairs_certified += part->node_pairs_certified;
    sum->blocks_evaluated += part->blocks_evaluated;
    sum->vertices_evaluated += part->vertices_evaluated;
    sum->pairs_adjacent += part->pairs_adjacent;
    sum->pairs_filtered += part->pairs_filtered;
    sum->exact_tests += part->exact_tests;
    sum->exact_fallbacks += part->exact_fallbacks;
    sum->pairs_found += part->pairs_found;
    sum->pairs_undecided += part->pairs_undecided;
}

// runs one descent: from the front or the roots to the end, or until the budget is spent
static abut_status run_round(abut__run* run, abut__workspace* work, uint64_t budget) {
    uint32_t task_count = 0;
    abut_status status = abut__front_seeds(run, work);
    if (status == ABUT_OK) {
        status = make_tasks(run, work, &task_count);
    }
    if (status == ABUT_OK) {
        status = run_waves(run, work, task_count, budget);
    }
    return status == ABUT_OK && run->keep ? abut__front_keep(run, work, task_count) : status;
}

// Ends a later round that failed. If it lacked memory, the pairs of earlier rounds and the front
// stay as they were, and the call is merely incomplete. After other failures, and in feature queries,
// whose rows are still in the tasks of all rounds, the next call starts over.
static abut_status end_failed_round(const abut__run* run, abut__workspace* work, abut_status status,
                                    size_t pairs_before) {
    abut_front* front = run->def->front;
    if (status == ABUT_ERR_NO_MEMORY && run->def->callback.fn == NULL && !run->def->features &&
        front->pending > 0) {
        work->pairs.count = pairs_before;
        work->shared.count = run->def->intersections ? pairs_before : 0;
        return ABUT_INCOMPLETE;
    }
    abut_front_clear(front);
    return status;
}

// Tasks get equal shares of the budget, and some need less. Further rounds give the rest to those
// that need more.
static abut_status run_rounds(abut__run* run, abut__workspace* work) {
    const uint64_t budget = run->def->budget;
    uint64_t spent = 0;
    for (bool first = true;; first = false) {
        const size_t pairs_before = work->pairs.count;
        const abut_status status = run_round(run, work, budget - spent);
        if (status != ABUT_OK && status != ABUT_INCOMPLETE) {
            return first ? status : end_failed_round(run, work, status, pairs_before);
        }
        spent = 0;
        for (uint32_t w = 0; w < work->worker_count; ++w) {
            spent += work->workers[w].spent_in_all;
        }
        if (status == ABUT_OK || spent >= budget) {
            return status;
        }
    }
}

static abut__run make_run(const abut_scene* scene, const abut__settings* def, abut__workspace* work,
                          bool sweeps) {
    abut__run run = {.scene = scene,
                     .context = work->context,
                     .kernels = work->context->kernels,
                     .def = def,
                     .jobs = work->jobs.data,
                     .sweeps = sweeps,
                     .keep = def->front != NULL,
                     .first = sweeps && def->earliest_only,
                     .before = sweeps && def->earliest_only ? latest(work) : 1,
                     .pool = &work->pool,
                     .workers = work->workers};
    atomic_init(&run.stop, false);
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        work->workers[w].reader.scene = scene;
    }
    return run;
}

// sorts the pairs and adds up the counters; after an error the result is empty
static abut_status end_run(const abut__settings* def, abut__workspace* work, abut_status status) {
    abut__hits_reserve(work->context, &work->pool, work->tasks);
    if (status == ABUT_OK || status == ABUT_INCOMPLETE) {
        const abut_status sorted = abut__workspace_sort(work);
        status = sorted != ABUT_OK ? sorted : status;
    }
    if (def->counters != NULL) {
        for (uint32_t w = 0; w < work->worker_count; ++w) {
            abut__counters_add(def->counters, &work->workers[w].reader.counters);
        }
    }
    if (status != ABUT_OK && status != ABUT_INCOMPLETE) {
        work->pairs.count = work->shared.count = work->sweeps.count = 0;
    }
    return status;
}

// prepares to count needed blocks, if the caller wants counters; false: no memory
static bool prepare_needs(const abut__settings* def, abut__workspace* work) {
    abut__job* jobs = work->jobs.data;
    bool room = true;
    abut__needs_begin(&work->needs);
    for (size_t j = 0; j < work->jobs.count && def->counters != NULL && room; ++j) {
        room = abut__needs_add(work->context, &work->needs, jobs[j].view[0].body) &&
               abut__needs_add(work->context, &work->needs, jobs[j].view[1].body);
    }
    for (size_t j = 0; j < work->jobs.count && def->counters != NULL && room; ++j) {
        jobs[j].needed[0] = abut__needs_of(&work->needs, jobs[j].view[0].body);
        jobs[j].needed[1] = abut__needs_of(&work->needs, jobs[j].view[1].body);
    }
    return room;
}

abut_status abut__query_run(const abut_scene* scene, const abut__settings* def,
                            abut__workspace* work, bool sweeps) {
    if (work->jobs.count == 0 && def->front == NULL) {
        return ABUT_OK;
    }
    if (!abut__cones_make(work, def) || (!sweeps && !prepare_needs(def, work))) {
        work->sweeps.count = 0;  // of earlier parts of a step
        return ABUT_ERR_NO_MEMORY;
    }
    abut__run run = make_run(scene, def, work, sweeps);
    return end_run(def, work, run_rounds(&run, work));
}

abut_status abut__query_decide(const abut_scene* scene, const abut__settings* def,
                               abut__workspace* work, bool sweeps) {
    const size_t count = work->given.count;
    if (count > UINT32_MAX) {
        return ABUT_ERR_LIMIT;
    }
    if (!sweeps && !prepare_needs(def, work)) {
        return ABUT_ERR_NO_MEMORY;
    }
    abut__run run = make_run(scene, def, work, sweeps);
    run.given = work->given.data;
    const size_t wanted = (count + GIVEN_PER_TASK - 1) / GIVEN_PER_TASK;
    const uint32_t tasks = wanted < ABUT__TASKS_MOST ? (uint32_t)wanted : ABUT__TASKS_MOST;
    cut_tasks(&run, work, count, tasks);
    const bool room = count == 0 || abut__descend_reserve(&run, work);
    return end_run(def, work, !room ? ABUT_ERR_NO_MEMORY : run_waves(&run, work, tasks, 0));
}
