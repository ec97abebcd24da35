// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// The calls of casts. Each ray is answered by itself, so that answers and counters are the same for
// any number of threads. Tasks are ranges of rays.
#include <math.h>

#include "query/cast.h"

#define RAYS_PER_TASK 64u
#define RAYS_PER_PORTION 256u  // between two looks at the budget
#define FEW_RAYS 64u           // for so many, cheap boxes of bodies are good enough
#define NODES_PER_BLOCK 8u     // a block takes about as long to evaluate as so many nodes to bound

abut_rays abut_rays_f32(const float* origins, const float* directions, size_t count) {
    return (abut_rays){.origins = abut_positions_f32(origins, count),
                       .directions = abut_positions_f32(directions, count)};
}

abut_rays abut_rays_f64(const double* origins, const double* directions, size_t count) {
    return (abut_rays){.origins = abut_positions_f64(origins, count),
                       .directions = abut_positions_f64(directions, count)};
}

abut_rays abut_rays_segments(const double* from, const double* to, size_t count) {
    abut_rays rays = abut_rays_f64(from, to, count);
    rays.to_ends = true;
    return rays;
}

abut_cast_def abut_cast_def_default(void) {
    abut_cast_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_CAST;
    def.groups = 1;
    def.mask = UINT64_MAX;
    return def;
}

// ---- the result

abut_status abut_cast_result_create(abut_context* context, abut_cast_result** result,
                                    abut_error* error) {
    if (result == NULL) {
        return abut__result_create(context, sizeof **result, NULL, error);
    }
    abut_cast_result* made = NULL;
    const abut_status status = abut__result_create(context, sizeof *made, &made, error);
    if (status != ABUT_OK) {
        return status;
    }
    made->casters = abut__alloc_zero(context, made->work.worker_count, sizeof *made->casters);
    made->tasks = abut__alloc_zero(context, ABUT__TASKS_MOST, sizeof *made->tasks);
    if (made->casters == NULL || made->tasks == NULL) {
        abut_cast_result_destroy(made);
        return abut__fail_memory(error);
    }
    *result = made;
    return ABUT_OK;
}

void abut_cast_result_destroy(abut_cast_result* result) {
    if (result == NULL) {
        return;
    }
    const abut_context* context = result->work.context;
    for (uint32_t w = 0; w < result->work.worker_count && result->casters != NULL; ++w) {
        abut__drop(context, &result->casters[w].stack);
        abut__drop(context, &result->casters[w].pack_stack);
        abut__drop(context, &result->casters[w].top_stack);
        abut__drop(context, &result->casters[w].hits);
        abut__drop(context, &result->casters[w].order);
    }
    for (uint32_t t = 0; t < ABUT__TASKS_MOST && result->tasks != NULL; ++t) {
        abut__drop(context, &result->tasks[t].rows);
    }
    abut__free(context, result->casters, result->work.worker_count, sizeof *result->casters);
    abut__free(context, result->tasks, ABUT__TASKS_MOST, sizeof *result->tasks);
    abut__drop(context, &result->hits);
    abut__drop(context, &result->met);
    abut__needs_free(context, &result->needs);
    abut__top_free(context, &result->top);
    abut__result_destroy(result, sizeof *result);
}

const abut_ray_hit* abut_cast_result_hits(const abut_cast_result* result, size_t* count) {
    return abut__contents(&result->hits, count);
}

const uint8_t* abut_cast_result_met(const abut_cast_result* result, size_t* count) {
    return abut__contents(&result->met, count);
}

// ---- rays

// Rays to cast at one body, or at all in the result's tree.
typedef struct casting {
    const abut_scene* scene;
    const abut_rays* rays;
    const abut_cast_def* def;
    abut_cast_result* result;
    abut__body* body;  // NULL: all
    abut_box box;      // of that body
    size_t per_task;
    size_t first_task;  // of the portion that runs
    bool counts;        // blocks that are needed: for counters, or for the body's next state
} casting;

static double read_limit(const abut_ray_limits* limits, size_t i, double otherwise) {
    if (limits->data == NULL) {
        return otherwise;
    }
    const size_t size = abut__scalar_size(limits->type);
    const char* place = (const char*)limits->data +
                        i * (limits->stride != 0 ? limits->stride : size);
    return limits->type == ABUT_SCALAR_F64 ? *(const double*)(const void*)place
                                           : (double)*(const float*)(const void*)place;
}

static bool is_finite(const double p[3]) {
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

// False: the ray is not finite.
static bool read_ray(const abut_rays* rays, size_t i, abut__ray* ray) {
    const abut__source o = abut__source_of(rays->origins);
    const abut__source d = abut__source_of(rays->directions);
    abut__read_position(o.data, o.stride, o.is_double, i, ray->o);
    abut__read_position(d.data, d.stride, d.is_double, i, ray->end);
    const bool finite = is_finite(ray->o) && is_finite(ray->end);
    ray->to_end = rays->to_ends;
    for (int k = 0; k < 3; ++k) {
        ray->d[k] = ray->to_end ? ray->end[k] - ray->o[k] : ray->end[k];
    }
    ray->from = read_limit(&rays->tmin, i, 0);
    ray->to = read_limit(&rays->tmax, i, rays->to_ends ? 1 : (double)INFINITY);
    return finite && isfinite(ray->from) && !isnan(ray->to);
}

static void cast_ray(const casting* c, abut__caster* caster) {
    const abut__needs* needs = c->counts ? &c->result->needs : NULL;
    const abut__ray* exact = &caster->shot->ray.exact;
    if (c->body != NULL) {
        abut__cast_walk(caster);
    } else if (exact->from <= exact->to) {
        abut__cast_scene(caster, &c->result->top, needs);
    }
}

// Keeps what a shot has met.
static void keep(const casting* c, abut__caster* caster, size_t task) {
    abut_cast_result* result = c->result;
    const abut__cast_shot* shot = caster->shot;
    result->met.data[shot->ray.number] = shot->found;
    if (c->def->mode == ABUT_CAST_FIRST) {
        abut_ray_hit* row = &result->hits.data[shot->ray.number];
        row->triangle = ABUT__NONE;
        if (shot->found) {
            abut__cast_row(caster, &shot->best, row);
        }
    } else if (!abut__cast_rows(caster, &result->tasks[task])) {
        caster->reader->status = ABUT_ERR_NO_MEMORY;
    }
}

// Reads rays from `first` on into shots. Returns how many are finite: the rest have no shot.
static uint32_t load_shots(const casting* c, abut__caster* caster, size_t first, size_t end) {
    uint32_t count = 0;
    for (size_t i = first; i < end; ++i) {
        abut__cast_shot* shot = &caster->shots[count];
        if (!read_ray(c->rays, i, &shot->ray.exact)) {
            caster->bad_ray = i < caster->bad_ray ? i : caster->bad_ray;
            continue;
        }
        shot->found = false;
        shot->ray.number = (uint32_t)i;
        shot->ray.radius = c->def->radius;
        ++count;
    }
    if (c->body != NULL) {
        abut__cast_take_aims(caster, count);
    }
    for (uint32_t k = 0; k < count && c->body == NULL; ++k) {
        abut__ray_prepare(&caster->shots[k].ray);
    }
    return count;
}

static void run_task(void* argument, uint32_t index, uint32_t worker) {
    const casting* c = argument;
    abut__caster* caster = &c->result->casters[worker];
    const size_t number = c->first_task + index;
    const size_t rays = c->rays->origins.count;
    const size_t limit = (number + 1) * c->per_task < rays ? (number + 1) * c->per_task : rays;
    if (c->body != NULL) {
        abut__cast_at(caster, c->body, &c->box, c->counts ? &c->result->needs : NULL);
    }
    for (size_t first = number * c->per_task; first < limit; first += ABUT__PACK) {
        const size_t end = first + ABUT__PACK < limit ? first + ABUT__PACK : limit;
        const uint32_t count = load_shots(c, caster, first, end);
        const bool packed = c->body != NULL && c->def->mode == ABUT_CAST_FIRST &&
                            (abut__cast_pack(caster, count) || abut__cast_wave(caster, count));
        for (uint32_t k = 0; k < count; ++k) {
            caster->shot = &caster->shots[k];
            if (!packed) {
                cast_ray(c, caster);
            }
            keep(c, caster, number);
        }
    }
}

// ---- the query

static abut_status check_limits(const abut_ray_limits* limits, const char* name,
                                abut_error* error) {
    const size_t size = abut__scalar_size(limits->type);
    const bool typed = limits->type == ABUT_SCALAR_F32 || limits->type == ABUT_SCALAR_F64;
    if (limits->data != NULL &&
        (!typed || limits->stride % size != 0 || (uintptr_t)limits->data % size != 0)) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "the type, the stride or the alignment of %s is wrong", name);
    }
    return ABUT_OK;
}

static abut_status check_rays(const abut_rays* rays, abut_error* error) {
    if (rays->origins.count != rays->directions.count) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there are %zu origins and %zu directions", rays->origins.count,
                          rays->directions.count);
    }
    abut_status status = check_limits(&rays->tmin, "tmin", error);
    status = status == ABUT_OK ? check_limits(&rays->tmax, "tmax", error) : status;
    if (rays->origins.count > 0 && status == ABUT_OK) {
        status = abut__positions_check(rays->origins, "origins", error);
    }
    if (rays->origins.count > 0 && status == ABUT_OK) {
        status = abut__positions_check(rays->directions, "directions", error);
    }
    return status;
}

static abut_status check_mode(const abut_cast_def* def, abut_error* error) {
    if (def->mode != ABUT_CAST_FIRST && def->mode != ABUT_CAST_ANY && def->mode != ABUT_CAST_ALL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "there is no mode of casts %d", (int)def->mode);
    }
    return ABUT_OK;
}

static abut_status check_radius(const abut_cast_def* def, const abut_rays* rays,
                                abut_error* error) {
    const abut_status status = abut__check_length(def->radius, "radius", error);
    if (status == ABUT_OK && def->radius > 0 &&
        (!rays->to_ends || rays->tmin.data != NULL || rays->tmax.data != NULL)) {
        return abut__fail(
            error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
            "rays with a radius must be whole segments: set `to_ends`, and no limits");
    }
    return status;
}

static void empty(abut_cast_result* result) {
    result->hits.count = result->met.count = 0;
}

// empties the result and checks the arguments that both calls share
static abut_status open_query(const abut_scene* scene, const abut_rays* rays,
                              const abut_cast_def* def, abut_cast_result* result,
                              abut_error* error) {
    if (result != NULL) {
        empty(result);
    }
    abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                                          ABUT__KIND_CAST, "cast", error);
    status = status == ABUT_OK ? check_mode(def, error) : status;
    status = status == ABUT_OK ? check_rays(rays, error) : status;
    status = status == ABUT_OK ? check_radius(def, rays, error) : status;
    if (status == ABUT_OK) {
        abut__workspace_begin(&result->work);
    }
    return status;
}

// Gives all casters as much room for the hits of a ray as one of them has needed so far.
static bool share_room(abut_cast_result* result) {
    size_t hits = 0;
    size_t order = 0;
    bool room = true;
    for (uint32_t w = 0; w < result->work.worker_count; ++w) {
        const abut__caster* caster = &result->casters[w];
        hits = caster->hits.capacity > hits ? caster->hits.capacity : hits;
        order = caster->order.capacity > order ? caster->order.capacity : order;
    }
    for (uint32_t w = 0; w < result->work.worker_count && room; ++w) {
        abut__caster* caster = &result->casters[w];
        room = abut__reserve(result->work.context, &caster->hits, hits) &&
               abut__reserve(result->work.context, &caster->order, order);
    }
    return room;
}

// Prepares casters: stacks for the deepest tree, because threads decide which caster takes which ray.
static bool prepare(const casting* c) {
    abut_cast_result* result = c->result;
    const abut_context* context = c->scene->context;
    size_t depth = c->body != NULL ? c->body->shape->tree.depth : 0;
    bool room = true;
    abut__needs_begin(&result->needs);
    for (size_t i = 0; i < c->scene->bodies.count; ++i) {
        const abut__body* body = abut__scene_at(c->scene, i);
        if (body == NULL || (c->body != NULL && body != c->body)) {
            continue;
        }
        depth = body->shape->tree.depth > depth ? body->shape->tree.depth : depth;
        room = room && (!c->counts || abut__needs_add(context, &result->needs, body));
    }
    for (uint32_t w = 0; w < result->work.worker_count && room; ++w) {
        abut__caster* caster = &result->casters[w];
        caster->scene = c->scene;
        caster->kernels = c->scene->context->kernels;
        caster->def = c->def;
        caster->reader = &result->work.workers[w].reader;
        caster->reader->scene = c->scene;
        caster->target.view.body = NULL;  // states and frames may have changed
        for (uint32_t k = 0; k < ABUT__CAST_CORNERS; ++k) {
            caster->corners[k].block = ABUT__NONE;
        }
        caster->ray_count = c->rays->origins.count;
        caster->bad_ray = SIZE_MAX;
        caster->hits.count = 0;
        room = abut__reserve(context, &caster->stack, (depth + 1) * ABUT__FAN) &&
               abut__reserve(context, &caster->pack_stack, (depth + 1) * ABUT__FAN) &&
               abut__reserve(context, &caster->top_stack, (ABUT__TOP_LEVELS + 1) * ABUT__FAN);
    }
    for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
        result->tasks[t].rows.count = 0;
    }
    return room && share_room(result);
}

// Moves the rows of rays that met nothing out of the way.
static void close_up(abut_cast_result* result) {
    size_t count = 0;
    for (size_t i = 0; i < result->hits.count; ++i) {
        if (result->hits.data[i].triangle != ABUT__NONE) {
            result->hits.data[count++] = result->hits.data[i];
        }
    }
    result->hits.count = count;
}

static abut_status gather(abut_cast_result* result) {
    size_t count = 0;
    for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
        count += result->tasks[t].rows.count;
    }
    abut_ray_hit* rows = abut__renew(result->work.context, &result->hits, count);
    if (rows == NULL) {
        return count == 0 ? ABUT_OK : ABUT_ERR_NO_MEMORY;
    }
    for (uint32_t t = 0; t < ABUT__TASKS_MOST; ++t) {
        const size_t some = result->tasks[t].rows.count;
        if (some > 0) {
            memcpy(rows, result->tasks[t].rows.data, some * sizeof *rows);
            rows += some;
        }
    }
    return ABUT_OK;
}

// Collects what the workers report.
static abut_status collect(const casting* c, size_t* bad_ray) {
    abut_cast_result* result = c->result;
    abut_status status = ABUT_OK;
    uint64_t bad = UINT64_MAX;
    *bad_ray = SIZE_MAX;
    for (uint32_t w = 0; w < result->work.worker_count; ++w) {
        const abut__reader* reader = &result->work.workers[w].reader;
        status = reader->status != ABUT_OK ? reader->status : status;
        bad = reader->bad_vertex < bad ? reader->bad_vertex : bad;
        *bad_ray = result->casters[w].bad_ray < *bad_ray ? result->casters[w].bad_ray : *bad_ray;
        if (c->def->head.counters != NULL) {
            abut__counters_add(c->def->head.counters, &reader->counters);
        }
    }
    if (status == ABUT_OK && bad != UINT64_MAX) {
        result->work.blame = (abut__blame){abut_scene_body_at(c->scene, (uint32_t)(bad >> 32)),
                                           (uint32_t)bad, NULL};
        status = ABUT_ERR_INVALID_DATA;
    }
    return *bad_ray != SIZE_MAX && status == ABUT_OK ? ABUT_ERR_INVALID_DATA : status;
}

static uint64_t box_tests(const abut_cast_result* result) {
    uint64_t sum = 0;
    for (uint32_t w = 0; w < result->work.worker_count; ++w) {
        sum += result->work.workers[w].reader.counters.boxes_tested;
    }
    return sum;
}

// Casts rays in portions as long as the budget lasts. Returns how many were cast.
static size_t run_portions(casting* c) {
    const size_t count = c->rays->origins.count;
    const size_t tasks = (count + c->per_task - 1) / c->per_task;
    const size_t some = RAYS_PER_PORTION / c->per_task;
    const size_t portion = c->def->budget == 0 ? tasks : some > 0 ? some : 1;
    size_t done = 0;
    do {
        const size_t left = tasks - done;
        const size_t next = left < portion ? left : portion;
        c->first_task = done;
        abut__run_tasks(c->scene->context, (uint32_t)next, run_task, c);
        done += next;
    } while (done < tasks && box_tests(c->result) < c->def->budget);
    return done * c->per_task < count ? done * c->per_task : count;
}

// Blocks that queries have evaluated since the result was made; or, where all positions are in memory,
// that this query has needed.
static uint64_t count_blocks(const casting* c) {
    uint64_t evaluated = 0;
    uint64_t needed = 0;
    for (uint32_t w = 0; w < c->result->work.worker_count; ++w) {
        const abut__reader* reader = &c->result->work.workers[w].reader;
        evaluated += reader->evaluated.blocks_evaluated;
        needed += reader->counters.blocks_evaluated;
    }
    const bool here = c->body != NULL &&
                      abut__state_boxes(c->body->shape, abut__body_state(c->body, 1)) != NULL;
    return here ? needed : evaluated;
}

static bool is_costly(const abut__body* body) {
    return body != NULL && abut__body_state(body, 1)->costly;
}

// Counts blocks that a body had to evaluate as nodes that it had to bound. Where these are many, its
// next state computes all vertices in float at once.
static void count_work(abut__body* body, uint64_t blocks) {
    const uint64_t nodes = NODES_PER_BLOCK * blocks;
    if (is_costly(body) && nodes < 1u << 24) {
        atomic_fetch_add_explicit(&body->usage.bounded, (unsigned)nodes, memory_order_relaxed);
    }
}

static abut_status run(casting* c, size_t* bad_ray) {
    abut_cast_result* result = c->result;
    const abut_context* context = c->scene->context;
    const size_t count = c->rays->origins.count;
    *bad_ray = SIZE_MAX;
    if (count == 0) {
        return ABUT_OK;
    }
    c->counts = c->def->head.counters != NULL || is_costly(c->body);
    const size_t rows = c->def->mode == ABUT_CAST_FIRST ? count : 0;
    if (!prepare(c) ||
        (c->body == NULL && !abut__top_follow(c->scene, count < FEW_RAYS, &result->top)) ||
        abut__renew(context, &result->met, count) == NULL ||
        (rows > 0 && abut__renew(context, &result->hits, rows) == NULL)) {
        return ABUT_ERR_NO_MEMORY;
    }
    const size_t least = (count + ABUT__TASKS_MOST - 1) / ABUT__TASKS_MOST;
    c->per_task = least > RAYS_PER_TASK ? least : RAYS_PER_TASK;
    if (c->body != NULL) {
        c->box = abut__body_world_box(c->body, 1);
    }
    const uint64_t before = count_blocks(c);
    const size_t done = run_portions(c);
    count_work(c->body, count_blocks(c) - before);
    const abut_status status = collect(c, bad_ray);
    if (status != ABUT_OK) {
        return status;
    }
    result->met.count = done;
    if (rows > 0) {
        result->hits.count = done;
        close_up(result);
    }
    const abut_status gathered = rows > 0 ? ABUT_OK : gather(result);
    if (gathered != ABUT_OK) {
        return gathered;
    }
    if (c->def->head.counters != NULL) {
        c->def->head.counters->pairs_found += result->hits.count;
    }
    return done < count ? ABUT_INCOMPLETE : ABUT_OK;
}

static abut_status cast(const abut_scene* scene, abut__body* body, const abut_rays* rays,
                        const abut_cast_def* def, abut_cast_result* result, abut_error* error) {
    casting c = {.scene = scene, .rays = rays, .def = def, .result = result, .body = body};
    size_t bad_ray;
    const abut_status status = run(&c, &bad_ray);
    if (status == ABUT_OK || status == ABUT_INCOMPLETE) {
        return status;
    }
    empty(result);
    if (status == ABUT_ERR_INVALID_DATA && bad_ray != SIZE_MAX) {
        return abut__fail(error, status, ABUT_ELEMENT_ENTRY, bad_ray, "ray %zu is not finite",
                          bad_ray);
    }
    return abut__query_close(&result->work, status, error);
}

abut_status abut_cast(const abut_scene* scene, abut_body_id body, abut_rays rays,
                      const abut_cast_def* def, abut_cast_result* result, abut_error* error) {
    const abut_cast_def defaults = abut_cast_def_default();
    abut__body* found = NULL;
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, &rays, def, result, error);
    if (status != ABUT_OK || result == NULL) {
        return status;
    }
    status = abut__query_body(scene, body, &found, error);
    return status == ABUT_OK ? cast(scene, found, &rays, def, result, error) : status;
}

abut_status abut_cast_all(const abut_scene* scene, abut_rays rays, const abut_cast_def* def,
                          abut_cast_result* result, abut_error* error) {
    const abut_cast_def defaults = abut_cast_def_default();
    def = def != NULL ? def : &defaults;
    abut_status status = open_query(scene, &rays, def, result, error);
    if (status != ABUT_OK || result == NULL) {
        return status;
    }
    status = abut__query_all_ready(scene, error);
    return status == ABUT_OK ? cast(scene, NULL, &rays, def, result, error) : status;
}
