// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Contacts of proxies: for each pair of bodies a descent over spheres, two nodes at a time, that
// ends at proxies. Tasks are runs of pairs of bodies, so answers and counters do not depend on the
// number of workers. A task keeps the spheres of the last nodes that it came to, because it comes to
// most of them several times: with other nodes, and with other bodies. Based on: James, Pai, "BD-Tree: Output-Sensitive Collision Detection for
// Reduced Deformable Models", 2004, section 3.4.
#include <math.h>

#include "base/sort.h"
#include "body/body_proxies.h"
#include "query/query.h"

// Opening an entry removes one and adds at most 64, each of them lower in at least one of the
// trees.
#define STACK_MOST (64u * (2 * (ABUT__PROXY_LEVEL_MOST / 3 + 1) + 1))

// Places for the spheres of nodes, for each of the two bodies of a pair. A body with proxies of level
// 10 has 147 nodes.
#define PLACES 256u

typedef struct search {
    const abut_scene* scene;
    const abut_context* context;
    const abut__body_pair* pairs;
    abut__workspace* work;
    double margin;
} search;

// One pair of bodies, processed by a worker.
typedef struct descent {
    const search* s;
    abut__worker* worker;
    abut__task* task;
    abut__proxy_view view[2];
    // the spheres of the current entry
    uint32_t count[2];
    uint32_t first[2];
    const abut__world_balls* balls[2];
    abut__world_balls alone[2];  // of one proxy, in its first lane
} descent;

static double distance_of(const abut_proxy_pair* c) {
    const double dx = c->centre_b[0] - c->centre_a[0];
    const double dy = c->centre_b[1] - c->centre_a[1];
    const double dz = c->centre_b[2] - c->centre_a[2];
    const double radii = c->radius_a + c->radius_b;
    return radii < INFINITY ? sqrt((dx * dx + dy * dy) + dz * dz) - radii : -INFINITY;
}

// decides children i and k, which are proxies
static void decide(const descent* d, uint32_t i, uint32_t k) {
    abut_proxy_pair contact = {
        .body_a = d->view[0].body->index,
        .body_b = d->view[1].body->index,
        .proxy_a = d->first[0] + i - d->view[0].proxies->node_count,
        .proxy_b = d->first[1] + k - d->view[1].proxies->node_count,
        .radius_a = d->balls[0]->r[i],
        .radius_b = d->balls[1]->r[k],
    };
    for (int axis = 0; axis < 3; ++axis) {
        contact.centre_a[axis] = d->balls[0]->c[axis][i];
        contact.centre_b[axis] = d->balls[1]->c[axis][k];
    }
    contact.distance = distance_of(&contact);
    if (!(contact.distance <= d->s->margin)) {
        return;
    }
    abut_proxy_pair* place = abut__push(d->s->context, &d->task->contacts, 1);
    if (place == NULL) {
        d->worker->reader.status = ABUT_ERR_NO_MEMORY;
        return;
    }
    *place = contact;
    ++d->worker->reader.counters.pairs_found;
}

// decides pairs of overlapping children, or puts them on the stack
static void take_rows(const descent* d, const uint8_t* rows) {
    abut__entries* stack = &d->worker->stack;
    for (uint32_t i = 0; i < d->count[0]; ++i) {
        const uint32_t a = d->first[0] + i;
        for (uint32_t row = rows[i]; row != 0; row &= row - 1) {
            const uint32_t k = (uint32_t)__builtin_ctz(row);
            const uint32_t b = d->first[1] + k;
            if (a >= d->view[0].proxies->node_count && b >= d->view[1].proxies->node_count) {
                decide(d, i, k);
            } else {
                stack->data[stack->count++] = (abut__entry){.a = a, .b = b};
            }
        }
    }
}

// Returns the spheres of a node's children, which stay valid until those of another node of this side
// are wanted.
static const abut__world_balls* node_spheres(const descent* d, int side, uint32_t node) {
    const abut__proxy_view* view = &d->view[side];
    const uint32_t body = view->body->index;
    abut__node_balls* place = &d->worker->balls.data[(side == 0 ? 0 : PLACES) + node % PLACES];
    if (place->body != body || place->node != node) {
        abut__proxy_node_spheres(view, node, &place->balls);
        place->body = body;
        place->node = node;
        d->worker->reader.counters.boxes_computed += abut__proxies_fan(view->proxies, node);
    }
    return &place->balls;
}

// Sets the spheres of one side of an entry: those of a node's children, or one proxy.
static void set_spheres(descent* d, int side, uint32_t number) {
    const abut__proxies* proxies = d->view[side].proxies;
    if (number < proxies->node_count) {
        d->balls[side] = node_spheres(d, side, number);
        d->first[side] = abut__proxies_child(proxies, number);
        d->count[side] = abut__proxies_fan(proxies, number);
        return;
    }
    const uint32_t parent = abut__proxies_parent(proxies, number);
    const uint32_t k = number - abut__proxies_child(proxies, parent);
    const abut__world_balls* all = node_spheres(d, side, parent);
    for (int axis = 0; axis < 3; ++axis) {
        d->alone[side].c[axis][0] = all->c[axis][k];
    }
    d->alone[side].r[0] = all->r[k];
    d->balls[side] = &d->alone[side];
    d->first[side] = number;
    d->count[side] = 1;
}

static void descend(descent* d) {
    const abut__kernels* kernels = d->s->context->kernels;
    abut__entries* stack = &d->worker->stack;
    abut_counters* counters = &d->worker->reader.counters;
    stack->data[0] = (abut__entry){.a = 0, .b = 0};
    stack->count = 1;
    while (stack->count > 0 && d->worker->reader.status == ABUT_OK) {
        const abut__entry entry = stack->data[--stack->count];
        set_spheres(d, 0, entry.a);
        set_spheres(d, 1, entry.b);
        counters->boxes_tested += (uint64_t)d->count[0] * d->count[1];
        uint8_t rows[ABUT__FAN];
        kernels->overlap_balls(d->balls[0], d->count[0], d->balls[1], d->count[1], d->s->margin,
                               rows);
        take_rows(d, rows);
    }
}

static void run_task(void* argument, uint32_t index, uint32_t worker) {
    const search* s = argument;
    abut__task* task = &s->work->tasks[index];
    descent d = {.s = s, .worker = &s->work->workers[worker], .task = task};
    for (uint32_t i = 0; i < 2 * PLACES; ++i) {  // counters must not depend on other tasks
        d.worker->balls.data[i].body = ABUT__NONE;
    }
    for (uint32_t i = 0; i < task->seed_count; ++i) {
        const abut__body_pair* pair = &s->pairs[task->first_seed + i];
        if (abut__proxy_view_make(abut__scene_at(s->scene, pair->a), &d.view[0]) &&
            abut__proxy_view_make(abut__scene_at(s->scene, pair->b), &d.view[1])) {
            descend(&d);
        }
    }
}

// appends contacts of one pair of bodies, sorted by proxies
static bool append_sorted(abut__workspace* work, const abut_proxy_pair* contacts, size_t count) {
    abut__keyed* keys = abut__renew(work->context, &work->keys, 2 * count);
    abut_proxy_pair* out = abut__push(work->context, &work->contacts, count);
    if (keys == NULL || out == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; ++i) {
        keys[i] = (abut__keyed){(uint64_t)contacts[i].proxy_a << 32 | contacts[i].proxy_b, i};
    }
    abut__sort_keyed(keys, keys + count, count);
    for (size_t i = 0; i < count; ++i) {
        out[i] = contacts[keys[i].value];
    }
    return true;
}

// pairs of bodies come in order, so that each is sorted separately
static bool gather_task(abut__workspace* work, const abut__task* task) {
    const abut_proxy_pair* contacts = task->contacts.data;
    const size_t count = task->contacts.count;
    for (size_t first = 0; first < count;) {
        size_t end = first + 1;
        while (end < count && contacts[end].body_a == contacts[first].body_a &&
               contacts[end].body_b == contacts[first].body_b) {
            ++end;
        }
        if (!append_sorted(work, contacts + first, end - first)) {
            return false;
        }
        first = end;
    }
    return true;
}

static abut_status run_search(search* s, size_t pair_count, abut_counters* counters) {
    abut__workspace* work = s->work;
    const uint32_t tasks = pair_count < ABUT__TASKS_MOST ? (uint32_t)pair_count : ABUT__TASKS_MOST;
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        if (!abut__reserve(s->context, &work->workers[w].stack, STACK_MOST) ||
            !abut__reserve(s->context, &work->workers[w].balls, 2 * PLACES)) {
            return ABUT_ERR_NO_MEMORY;
        }
    }
    for (uint32_t t = 0; t < tasks; ++t) {
        abut__task* task = &work->tasks[t];
        task->first_seed = (uint32_t)(pair_count * t / tasks);
        task->seed_count = (uint32_t)(pair_count * (t + 1) / tasks) - task->first_seed;
        task->contacts.count = 0;
    }
    abut__run_tasks(s->context, tasks, run_task, s);
    bool done = true;
    for (uint32_t w = 0; w < work->worker_count; ++w) {
        done = done && work->workers[w].reader.status == ABUT_OK;
        if (counters != NULL) {
            counters->boxes_computed += work->workers[w].reader.counters.boxes_computed;
            counters->boxes_tested += work->workers[w].reader.counters.boxes_tested;
            counters->pairs_found += work->workers[w].reader.counters.pairs_found;
        }
    }
    for (uint32_t t = 0; t < tasks && done; ++t) {
        done = gather_task(work, &work->tasks[t]);
    }
    work->contacts.count = done ? work->contacts.count : 0;
    work->found = work->contacts.count > 0;
    return done ? ABUT_OK : ABUT_ERR_NO_MEMORY;
}

// ---- calls

abut_proxies_def abut_proxies_def_default(void) {
    abut_proxies_def def;
    memset(&def, 0, sizeof def);
    def.head.cookie = ABUT__COOKIE + ABUT__KIND_PROXIES;
    return def;
}

abut_status abut_proxies_result_create(abut_context* context, abut_proxies_result** result,
                                       abut_error* error) {
    return abut__result_create(context, sizeof **result, result, error);
}

void abut_proxies_result_destroy(abut_proxies_result* result) {
    abut__result_destroy(result, sizeof *result);
}

const abut_proxy_pair* abut_proxies_result_pairs(const abut_proxies_result* result, size_t* count) {
    return abut__contents(&result->work.contacts, count);
}

static abut_status open_query(const abut_scene* scene, const abut_proxies_def* def,
                              abut_proxies_result* result, abut__settings* settings,
                              abut_error* error) {
    const abut_proxies_def defaults = abut_proxies_def_default();
    def = def != NULL ? def : &defaults;
    abut_status status = abut__query_open(scene, result != NULL ? &result->work : NULL, &def->head,
                                          ABUT__KIND_PROXIES, "proxies", error);
    status = status == ABUT_OK ? abut__check_length(def->margin, "margin", error) : status;
    *settings = abut__settings_default;
    settings->margin = def->margin;
    settings->counters = def->head.counters;
    if (status == ABUT_OK) {
        abut__workspace_begin(&result->work);
    }
    return status;
}

abut_status abut_proxies(const abut_scene* scene, abut_body_id a, abut_body_id b,
                         const abut_proxies_def* def, abut_proxies_result* result,
                         abut_error* error) {
    abut__settings settings;
    abut__body* bodies[2];
    abut_status status = open_query(scene, def, result, &settings, error);
    status = status == ABUT_OK ? abut__query_find_two(scene, a, b, bodies, error) : status;
    if (status != ABUT_OK) {
        return status;
    }
    abut_box box[2];
    if (!abut__proxy_box(bodies[0], &box[0]) || !abut__proxy_box(bodies[1], &box[1]) ||
        !abut__boxes_meet(&box[0], &box[1], settings.margin)) {
        return abut__query_close(&result->work, ABUT_OK, error);
    }
    const abut__body_pair pair = {bodies[0]->index, bodies[1]->index};
    search s = {scene, scene->context, &pair, &result->work, settings.margin};
    return abut__query_close(&result->work, run_search(&s, 1, settings.counters), error);
}

// searches all pairs of bodies of the scene whose boxes of proxies overlap
static abut_status search_scene(const abut_scene* scene, const abut__settings* def,
                                abut__workspace* work) {
    if (!abut__broad_phase_by(scene, abut__proxy_box, def->margin, &work->broad)) {
        return ABUT_ERR_NO_MEMORY;
    }
    if (work->broad.pairs.count > UINT32_MAX) {
        return ABUT_ERR_LIMIT;
    }
    search s = {scene, scene->context, work->broad.pairs.data, work, def->margin};
    return run_search(&s, work->broad.pairs.count, def->counters);
}

abut_status abut_proxies_all(const abut_scene* scene, const abut_proxies_def* def,
                             abut_proxies_result* result, abut_error* error) {
    abut__settings settings;
    const abut_status status = open_query(scene, def, result, &settings, error);
    return status != ABUT_OK
               ? status
               : abut__query_close(&result->work, search_scene(scene, &settings, &result->work),
                                   error);
}
