// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The calls about closest points: they sort the points along a curve, run chunks of them as tasks,
// and put the rows in the order of the points.
#include "query/closest.h"

#include <math.h>

#include "base/curve.h"
#include "base/sort.h"
#include "query/contains.h"

#define POINTS_PER_TASK 128u
#define POINTS_PER_BLOCK 2u                       // at least, for packs to pay
#define POINTS_PER_PORTION (4 * POINTS_PER_TASK)  // between two looks at the budget

abut_closest_def abut_closest_def_default(void) {
    abut_closest_def def;
    memset(&def, 0, sizeof def);
    def.max_distance = INFINITY;
    def.most = 1;
    def.groups = def.mask = UINT64_MAX;
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_CLOSEST;
    return def;
}

abut_status abut_closest_result_create(abut_context* context, abut_closest_result** result,
                                       abut_error* error) {
    if (result == NULL) {
        return abut__result_create(context, sizeof **result, NULL, error);
    }
    abut_closest_result* made = NULL;
    const abut_status status = abut__result_create(context, sizeof *made, &made, error);
    if (status != ABUT_OK) {
        return status;
    }
    const uint32_t workers = made->work.worker_count;
    made->searchers = abut__alloc_zero(context, workers, sizeof *made->searchers);
    bool room = made->searchers != NULL;
    for (uint32_t w = 0; w < workers && room; ++w) {
        abut__searcher* s = &made->searchers[w];
        s->blocks = abut__alloc_zero(context, ABUT__NEAR_BLOCKS, sizeof *s->blocks);
        s->exact = abut__alloc_zero(context, ABUT__NEAR_EXACT, sizeof *s->exact);
        s->group = abut__alloc_zero(context, 1, sizeof *s->group);
        room = s->blocks != NULL && s->exact != NULL && s->group != NULL;
    }
    if (!room) {
        abut_closest_result_destroy(made);
        return abut__fail_memory(error);
    }
    *result = made;
    return ABUT_OK;
}

static void free_searchers(const abut_closest_result* result) {
    const abut_context* context = result->work.context;
    for (uint32_t w = 0; w < result->work.worker_count && result->searchers != NULL; ++w) {
        abut__searcher* s = &result->searchers[w];
        abut__drop(context, &s->stack);
        abut__drop(context, &s->refs);
        abut__drop(context, &s->bodies);
        abut__drop(context, &s->triangles);
        abut__drop(context, &s->uppers);
        abut__drop(context, &s->pairs);
        abut__drop(context, &s->order);
        abut__free(context, s->blocks, ABUT__NEAR_BLOCKS, sizeof *s->blocks);
        abut__free(context, s->exact, ABUT__NEAR_EXACT, sizeof *s->exact);
        abut__free(context, s->group, 1, sizeof *s->group);
    }
    abut__free(context, result->searchers, result->work.worker_count, sizeof *result->searchers);
}

void abut_closest_result_destroy(abut_closest_result* result) {
    if (result == NULL) {
        return;
    }
    const abut_context* context = result->work.context;
    free_searchers(result);
    for (size_t i = 0; i < result->tasks.count; ++i) {
        abut__drop(context, &result->tasks.data[i].rows);
    }
    abut__drop(context, &result->tasks);
    abut__drop(context, &result->list);
    abut__drop(context, &result->asked);
    abut__drop(context, &result->boxes);
    abut__drop(context, &result->last);
    abut__drop(context, &result->next);
    abut__drop(context, &result->order);
    abut__drop(context, &result->first);
    abut__body_tree_free(context, &result->tree);
    abut__needs_free(context, &result->needs);
    abut__result_destroy(result, sizeof *result);
}

void abut_closest_result_clear(abut_closest_result* result) {
    result->list.count = result->last.count = result->answered = 0;
}

const abut_closest_point* abut_closest_result_points(const abut_closest_result* result,
                                                     size_t* count) {
    return abut__contents(&result->list, count);
}

size_t abut_closest_result_answered(const abut_closest_result* result) {
    return result->answered;
}

// ---- bodies

static bool ask(abut__closest_run* run, abut__body* body) {
    abut_closest_result* result = run->result;
    abut__asked* asked = abut__push(result->work.context, &result->asked, 1);
    if (asked == NULL) {
        return false;
    }
    abut__view_now(body, &asked->view);
    abut__body_turn(body, 1, &asked->turn);
    asked->size = 2 * asked->view.extent;
    asked->placed = !abut__frame_is_identity(&body->frame);
    if (run->def->sign) {
        const abut__topology* topology = abut__shape_topology(body->shape);
        if (topology == NULL) {
            return false;
        }
        asked->closed = topology->closed;
        if (!asked->closed && run->def->sign_open && !abut__winding_begin(body, &asked->winding)) {
            return false;
        }
    }
    return run->def->head.counters == NULL ||
           abut__needs_add(result->work.context, &result->needs, body);
}

static bool takes_part(const abut_closest_def* def, const abut__body* body) {
    return body != NULL && (body->group & def->mask) != 0 && (body->mask & def->groups) != 0;
}

static bool ask_all(abut__closest_run* run) {
    abut_closest_result* result = run->result;
    result->boxes.count = 0;
    for (size_t i = 0; i < run->scene->bodies.count; ++i) {
        abut__body* body = abut__scene_at(run->scene, i);
        if (takes_part(run->def, body)) {
            abut_box* box = abut__push(result->work.context, &result->boxes, 1);
            if (box == NULL || !ask(run, body)) {
                return false;
            }
            *box = abut__body_world_box(body, 1);
        }
    }
    return abut__body_tree_build(result->work.context, &result->tree, result->boxes.data,
                                 (uint32_t)result->asked.count);
}

// Fails if a vertex is not finite.
static abut_status check_bodies(abut_closest_result* result) {
    for (size_t i = 0; i < result->asked.count; ++i) {
        const abut__view* view = &result->asked.data[i].view;
        if (view->state[1]->bad_vertex != ABUT__NONE) {
            result->work.blame = abut__blame_on(view->body, view->state[1]->bad_vertex, NULL);
            return ABUT_ERR_INVALID_DATA;
        }
    }
    return ABUT_OK;
}

// ---- points

static void read_point(const abut__closest_run* run, size_t i, double point[3]) {
    abut__read_position(run->source.data, run->source.stride, run->source.is_double, i, point);
}

// orders some of the points along a curve
static void sort_points(const abut__closest_run* run, size_t first, size_t end) {
    abut__keyed* order = run->result->order.data;
    abut_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    double p[3];
    for (size_t i = first; i < end; ++i) {
        read_point(run, i, p);
        for (int d = 0; d < 3; ++d) {
            box.lo[d] = p[d] < box.lo[d] ? p[d] : box.lo[d];
            box.hi[d] = p[d] > box.hi[d] ? p[d] : box.hi[d];
        }
    }
    for (size_t i = first; i < end; ++i) {
        read_point(run, i, p);
        order[i] = (abut__keyed){abut__curve_cell(&box, p), i};
    }
    abut__sort_keyed(order + first, order + run->point_count + first, end - first);
}

static bool prepare_searchers(abut__closest_run* run) {
    abut_closest_result* result = run->result;
    const abut_context* context = result->work.context;
    size_t depth = 0;
    size_t uppers = 0;  // there cannot be more than triangles
    size_t blocks = 0;
    for (size_t i = 0; i < result->asked.count; ++i) {
        const abut__view* view = &result->asked.data[i].view;
        depth = view->tree->depth > depth ? view->tree->depth : depth;
        uppers += view->shape->mesh->triangle_count;
        blocks += view->tree->block_count;
    }
    run->packs = !run->whole_scene && run->def->most == 1 && run->def->filter.fn == NULL &&
                 run->point_count >= ABUT__PACK_POINTS &&
                 (run->point_count > blocks || !result->sparse);
    run->uses_discs = run->packs || run->point_count > blocks;
    uppers = run->def->most < uppers ? run->def->most : uppers;
    bool room = true;
    for (uint32_t w = 0; w < result->work.worker_count && room; ++w) {
        abut__searcher* s = &result->searchers[w];
        s->run = run;
        s->status = ABUT_OK;
        s->bad_vertex = UINT64_MAX;
        memset(&s->counters, 0, sizeof s->counters);
        memset(&s->touched, 0, sizeof s->touched);
        room = abut__reserve(context, &s->stack, (depth + 1) * ABUT__FAN) &&
               abut__reserve(context, &s->refs, (depth + 1) * ABUT__FAN) &&
               abut__reserve(context, &s->bodies, ABUT__BODY_GAPS) &&
               abut__reserve(context, &s->uppers, uppers);
    }
    return room;
}

// ---- sides

// Whether a point has the same winding number as the one before: the surface is farther from one of
// them than the other is. A computed distance is off by 2^-25 of itself.
static bool shares_side(const double a[3], double distance_a, const double b[3],
                        double distance_b) {
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double between = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double free = distance_a > distance_b ? distance_a : distance_b;
    return between * (1 + 0x1p-20) + 0x1p-500 < free;
}

// Sets the sides of a point's rows, which begin at `first`. `before` is a row of the point before.
static void set_sides(abut__searcher* s, abut__closest_task* task, size_t first, size_t before,
                      const double point_before[3]) {
    for (size_t i = first; i < task->rows.count; ++i) {
        abut_closest_point* row = &task->rows.data[i];
        const abut__asked* asked = abut__closest_asked(s->run->result, row->body);
        const abut_closest_point* known = i > first        ? &task->rows.data[first]
                                          : before < first ? &task->rows.data[before]
                                                           : NULL;
        int32_t winding;
        if (!asked->closed && !s->run->def->sign_open) {
            continue;
        }
        if (row->distance == 0) {
            row->side = ABUT_SIDE_SURFACE;
        } else if (!asked->closed) {
            const double number = abut__winding_at(&asked->winding, s->at, s->refs.data,
                                                   &s->counters);
            row->side = fabs(number) > 0.5 ? ABUT_SIDE_INSIDE : ABUT_SIDE_OUTSIDE;
        } else if (known != NULL && known->body == row->body && known->distance != 0 &&
                   (i > first ||
                    (s->run->def->filter.fn == NULL &&
                     shares_side(s->at, row->distance, point_before, fabs(known->distance))))) {
            row->side = known->side;
        } else {
            row->side = abut__side_of(asked->view.body, s->at, &winding, NULL);
        }
        row->distance = row->side == ABUT_SIDE_INSIDE ? -row->distance : row->distance;
    }
}

// ---- tasks

// What goes from point to point within a task.
typedef struct course {
    abut__closest_run* run;
    abut__searcher* s;
    abut__closest_task* task;
    abut__near_last before;  // where the closest was found last
    double point_before[3];  // the last point with a row, and that row
    size_t row_before;
} course;

// where the closest was in the last query; NULL: there was none
static const abut__near_last* place_of_last(const abut__closest_run* run, size_t point) {
    const abut__near_lasts* last = &run->result->last;
    return point < last->count && last->data[point].body != ABUT__NONE ? &last->data[point] : NULL;
}

// where the closest may be
static abut__near_last place_near(const course* c, size_t point) {
    const abut__near_last* last = place_of_last(c->run, point);
    return last != NULL ? *last : c->before;
}

// Ends a point, whose rows begin at `first`.
static void finish_point(course* c, size_t point, size_t first) {
    if (c->s->status == ABUT_OK && c->task->rows.count > first) {
        c->before = c->run->result->next.data[point];
        if (c->run->def->sign) {
            set_sides(c->s, c->task, first, c->row_before, c->point_before);
        }
        c->row_before = first;
        memcpy(c->point_before, c->s->at, sizeof c->point_before);
    }
    c->run->result->first.data[point] = c->task->rows.count - first;
}

static void search_point(course* c, size_t point) {
    abut__searcher* s = c->s;
    const size_t first = c->task->rows.count;
    abut__near_last* next = &c->run->result->next.data[point];
    if (s->status != ABUT_OK) {
        return;
    }
    read_point(c->run, point, s->at);
    c->before = place_near(c, point);
    *next = (abut__near_last){ABUT__NONE, 0, 0};
    abut__closest_search(s, &c->before);
    if (s->status == ABUT_OK && !abut__closest_rows(s, (uint32_t)point, c->task, next)) {
        s->status = ABUT_ERR_NO_MEMORY;
    }
    finish_point(c, point, first);
}

// Ends a pack, or searches its points one by one.
static void finish_pack(course* c, const abut__keyed* order, abut__point_pack* pack) {
    abut__searcher* s = c->s;
    if (pack->together && s->status == ABUT_OK && !abut__closest_measure_pack(s, pack)) {
        s->status = ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t k = 0; k < pack->count && s->status == ABUT_OK; ++k) {
        const size_t point = (size_t)order[k].value;
        const size_t first = c->task->rows.count;
        abut__near_last* next = &c->run->result->next.data[point];
        if (!pack->together) {
            search_point(c, point);
            continue;
        }
        memcpy(s->at, pack->points[k].at, sizeof s->at);
        *next = (abut__near_last){ABUT__NONE, 0, 0};
        if (!abut__closest_pack_row(s, &pack->points[k], (uint32_t)point, c->task, next)) {
            s->status = ABUT_ERR_NO_MEMORY;
        }
        finish_point(c, point, first);
    }
}

// Puts the next points into packs of a group, as long as each pack begins with a point whose place is
// known, but at least one pack. Returns the number of points.
static uint32_t gather_packs(const course* c, const abut__keyed* order, size_t left) {
    abut__point_group* group = c->s->group;
    uint32_t taken = 0;
    group->count = 0;
    while (taken < left && group->count < ABUT__GROUP_PACKS &&
           (taken == 0 || place_of_last(c->run, (size_t)order[taken].value) != NULL)) {
        abut__point_pack* pack = &group->packs[group->count++];
        const size_t rest = left - taken;
        pack->count = (uint32_t)(rest < ABUT__PACK_POINTS ? rest : ABUT__PACK_POINTS);
        for (uint32_t k = 0; k < pack->count; ++k) {
            abut__pack_point* own = &pack->points[k];
            read_point(c->run, (size_t)order[taken + k].value, own->at);
            own->last = place_near(c, (size_t)order[taken + k].value);
        }
        taken += pack->count;
    }
    return taken;
}

// Searches neighbouring points together where that is possible. Returns their number.
static uint32_t search_packs(course* c, const abut__keyed* order, size_t left) {
    abut__searcher* s = c->s;
    const uint32_t taken = gather_packs(c, order, left);
    abut__closest_begin(s);
    for (uint32_t first = 0; first < s->group->count && s->status == ABUT_OK;) {
        const uint32_t end = abut__closest_list(s, first);
        for (; first < end && s->status == ABUT_OK; ++first) {
            abut__point_pack* pack = &s->group->packs[first];
            abut__closest_pack(s, pack);
            finish_pack(c, order + first * ABUT__PACK_POINTS, pack);
        }
    }
    return taken;
}

static void search_task(void* argument, uint32_t index, uint32_t worker) {
    abut__closest_run* run = argument;
    abut_closest_result* result = run->result;
    const size_t number = run->first_task + index;
    const abut__keyed* order = result->order.data;
    course c = {.run = run,
                .s = &result->searchers[worker],
                .task = &result->tasks.data[number],
                .before = {ABUT__NONE, 0, 0},
                .row_before = SIZE_MAX};
    c.task->rows.count = 0;
    size_t i = number * POINTS_PER_TASK;
    const size_t limit = i + POINTS_PER_TASK;
    const size_t end = limit < run->point_count ? limit : run->point_count;
    while (i < end && c.s->status == ABUT_OK) {
        // a pack needs a triangle near its points, which the first of them finds
        if (!run->packs || place_of_last(run, (size_t)order[i].value) == NULL) {
            search_point(&c, (size_t)order[i++].value);
        }
        if (run->packs && i < end) {
            i += search_packs(&c, order + i, end - i);
        }
    }
}

// Copies the rows of all tasks in the order of the points: first[i] is the number of rows of point
// i, and then where they begin.
static bool gather_rows(const abut__closest_run* run, size_t tasks) {
    abut_closest_result* result = run->result;
    size_t total = 0;
    for (size_t i = 0; i < result->answered; ++i) {
        const size_t own = result->first.data[i];
        result->first.data[i] = total;
        total += own;
    }
    abut_closest_point* list = abut__renew(result->work.context, &result->list, total);
    if (list == NULL) {
        return total == 0;
    }
    for (size_t t = 0; t < tasks; ++t) {
        const abut__closest_task* task = &result->tasks.data[t];
        for (size_t i = 0; i < task->rows.count; ++i) {
            const abut_closest_point* row = &task->rows.data[i];
            list[result->first.data[row->point]++] = *row;
        }
    }
    return true;
}

static void swap_memory(abut_closest_result* result) {
    const abut__near_lasts last = result->last;
    result->last = result->next;
    result->next = last;
}

static abut_status collect(const abut__closest_run* run, size_t tasks) {
    abut_closest_result* result = run->result;
    uint64_t bad = UINT64_MAX;
    uint64_t evaluated = 0;
    abut_status status = ABUT_OK;
    for (uint32_t w = 0; w < result->work.worker_count; ++w) {
        const abut__searcher* s = &result->searchers[w];
        evaluated += s->touched.blocks_evaluated;
        status = s->status != ABUT_OK ? s->status : status;
        bad = s->bad_vertex < bad ? s->bad_vertex : bad;
        if (run->def->head.counters != NULL) {
            abut__counters_add(run->def->head.counters, &s->counters);
        }
    }
    result->sparse = evaluated > run->point_count / POINTS_PER_BLOCK;
    if (status == ABUT_OK && bad != UINT64_MAX) {
        result->work.blame = (abut__blame){abut_scene_body_at(run->scene, (uint32_t)(bad >> 32)),
                                           (uint32_t)bad, NULL};
        status = ABUT_ERR_INVALID_DATA;
    }
    if (status == ABUT_OK && !gather_rows(run, tasks)) {
        status = ABUT_ERR_NO_MEMORY;
    }
    if (status == ABUT_OK) {
        swap_memory(result);
        if (run->def->head.counters != NULL) {
            run->def->head.counters->pairs_found += result->list.count;
        }
    }
    return status;
}

static uint64_t box_tests(const abut_closest_result* result) {
    uint64_t sum = 0;
    for (uint32_t w = 0; w < result->work.worker_count; ++w) {
        sum += result->searchers[w].counters.boxes_tested;
    }
    return sum;
}

// Answers the points in portions as long as the budget lasts. Returns the number of tasks.
static size_t run_portions(abut__closest_run* run) {
    abut_closest_result* result = run->result;
    const uint64_t budget = run->def->budget;
    const size_t portion = budget > 0 ? POINTS_PER_PORTION : run->point_count;
    size_t tasks = 0;
    do {
        const size_t left = run->point_count - result->answered;
        const size_t end = result->answered + (left < portion ? left : portion);
        sort_points(run, result->answered, end);
        run->first_task = tasks;
        tasks = (end + POINTS_PER_TASK - 1) / POINTS_PER_TASK;
        abut__run_tasks(run->scene->context, (uint32_t)(tasks - run->first_task), search_task, run);
        result->answered = end;
    } while (result->answered < run->point_count && box_tests(result) < budget);
    for (size_t i = result->answered; i < run->point_count; ++i) {
        result->next.data[i] = i < result->last.count ? result->last.data[i]
                                                      : (abut__near_last){ABUT__NONE, 0, 0};
    }
    return tasks;
}

static abut_status run_query(abut__closest_run* run) {
    abut_closest_result* result = run->result;
    const abut_context* context = result->work.context;
    const size_t tasks = (run->point_count + POINTS_PER_TASK - 1) / POINTS_PER_TASK;
    if (run->point_count == 0 || result->asked.count == 0) {
        result->answered = run->point_count;
        return ABUT_OK;
    }
    if (abut__renew(context, &result->order, 2 * run->point_count) == NULL ||
        !prepare_searchers(run) || !abut__extend(context, &result->tasks, tasks) ||
        abut__renew(context, &result->next, run->point_count) == NULL ||
        abut__renew(context, &result->first, run->point_count) == NULL) {
        return ABUT_ERR_NO_MEMORY;
    }
    const abut_status status = collect(run, run_portions(run));
    return status == ABUT_OK && result->answered < run->point_count ? ABUT_INCOMPLETE : status;
}

// ---- calls

static abut_status check_def(const abut_closest_def* def, abut_error* error) {
    if (!(def->max_distance >= 0)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "max_distance is %g, but must be at least 0", def->max_distance);
    }
    if (def->most == 0 && def->max_distance == INFINITY) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "max_distance must be finite if all triangles within it are wanted");
    }
    return ABUT_OK;
}

static abut_status open_query(const abut_scene* scene, abut_positions points,
                              const abut_closest_def* def, abut_closest_result* result,
                              abut_error* error) {
    if (result != NULL) {
        result->list.count = result->answered = 0;
    }
    abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                                          ABUT__KIND_CLOSEST, "closest", error);
    status = status == ABUT_OK ? check_def(def, error) : status;
    if (status == ABUT_OK && points.count > 0) {
        status = abut__positions_check(points, "points", error);
    }
    status = status == ABUT_OK ? abut__check_points(points, error) : status;
    if (status == ABUT_OK && result != NULL) {
        abut__workspace_begin(&result->work);
        result->asked.count = 0;
        ++result->query;
        abut__needs_begin(&result->needs);
    }
    return status;
}

static abut_status answer(abut__closest_run* run, bool asked, abut_error* error) {
    abut_closest_result* result = run->result;
    abut_status status = asked ? check_bodies(result) : ABUT_ERR_NO_MEMORY;
    status = status == ABUT_OK ? run_query(run) : status;
    if (status != ABUT_OK && status != ABUT_INCOMPLETE) {
        result->list.count = result->answered = 0;
    }
    return abut__query_close(&result->work, status, error);
}

static abut__closest_run run_of(const abut_scene* scene, abut_positions points,
                                const abut_closest_def* def, abut_closest_result* result,
                                bool whole_scene) {
    return (abut__closest_run){.scene = scene,
                               .kernels = scene->context->kernels,
                               .def = def,
                               .result = result,
                               .source = abut__source_of(points),
                               .point_count = points.count,
                               .whole_scene = whole_scene};
}

abut_status abut_closest(const abut_scene* scene, abut_body_id body, abut_positions points,
                         const abut_closest_def* def, abut_closest_result* result,
                         abut_error* error) {
    const abut_closest_def defaults = abut_closest_def_default();
    abut__body* found;
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, points, def, result, error);
    status = status == ABUT_OK ? abut__query_body(scene, body, &found, error) : status;
    if (status != ABUT_OK || result == NULL) {
        return status;
    }
    abut__closest_run run = run_of(scene, points, def, result, false);
    return answer(&run, ask(&run, found), error);
}

abut_status abut_closest_all(const abut_scene* scene, abut_positions points,
                             const abut_closest_def* def, abut_closest_result* result,
                             abut_error* error) {
    const abut_closest_def defaults = abut_closest_def_default();
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, points, def, result, error);
    status = status == ABUT_OK ? abut__query_all_ready(scene, error) : status;
    if (status != ABUT_OK || result == NULL) {
        return status;
    }
    abut__closest_run run = run_of(scene, points, def, result, true);
    return answer(&run, ask_all(&run), error);
}
