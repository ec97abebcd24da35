// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Many bodies of one model: see swarm.h.
#define _POSIX_C_SOURCE 200809L
#include "dynamics/swarm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double read_clock(clockid_t which) {
    struct timespec now;
    clock_gettime(which, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double swarm_clock(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double swarm_clock_cpu(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

swarm_time swarm_now(void) {
    return (swarm_time){swarm_clock(), swarm_clock_cpu()};
}

void swarm_add_time(swarm_time* sum, swarm_time start) {
    const swarm_time end = swarm_now();
    sum->clock += end.clock - start.clock;
    sum->processor += end.processor - start.processor;
}

const char* swarm_manner_name(swarm_manner manner) {
    static const char* const names[SWARM_MANNERS] = {"deformable", "rigid",
                                                     "rigid, redundant updates"};
    return names[manner];
}

swarm_def swarm_def_default(void) {
    return (swarm_def){
        .scale = 1,
        .proxy_level = 10,
        .pitch = 1,
        .damping = 0.1,
        .strain_limit = 0.08,
        .gravity = 9.81,
        .step_seconds = 1.0 / 150,
        .law = {.frequency = 90, .damping = 1, .friction = 0.5, .most_speed = 0.5, .rounds = 4},
    };
}

// ---- counted memory

static void* counted_alloc(void* user, size_t size, size_t alignment) {
    swarm* s = user;
    const size_t whole = (size + alignment - 1) / alignment * alignment;
    void* memory = aligned_alloc(alignment < sizeof(void*) ? sizeof(void*) : alignment,
                                 alignment < sizeof(void*) ? (size + 7) / 8 * 8 : whole);
    if (memory != NULL) {
        const size_t now = __atomic_add_fetch(&s->bytes, size, __ATOMIC_RELAXED);
        size_t most = __atomic_load_n(&s->most_bytes, __ATOMIC_RELAXED);
        while (now > most && !__atomic_compare_exchange_n(&s->most_bytes, &most, now, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        }
    }
    return memory;
}

static void counted_free(void* user, void* memory, size_t size, size_t alignment) {
    swarm* s = user;
    (void)alignment;
    if (memory != NULL) {
        __atomic_fetch_sub(&s->bytes, size, __ATOMIC_RELAXED);
        free(memory);
    }
}

// ---- bodies

static abut_status fail_memory(abut_error* error) {
    if (error != NULL) {
        *error = (abut_error){.status = ABUT_ERR_NO_MEMORY, .message = "out of memory"};
    }
    return ABUT_ERR_NO_MEMORY;
}

// ---- ranks

abut_status swarm_agree(const swarm* s, abut_status status, abut_error* error) {
    swarm_ranks* ranks = s->def.ranks;
    if (ranks == NULL || ranks->all(ranks, status == ABUT_OK) || status != ABUT_OK) {
        return status;
    }
    if (error != NULL) {
        *error = (abut_error){.status = ABUT_ERR_STATE, .message = "another rank failed"};
    }
    return ABUT_ERR_STATE;
}

bool swarm_leads(const swarm* s) {
    return s->def.ranks == NULL || s->def.ranks->leads;
}

uint64_t swarm_bytes(const swarm* s) {
    return s->def.ranks != NULL ? s->def.ranks->sum(s->def.ranks, s->bytes) : s->bytes;
}

uint64_t swarm_most_bytes(const swarm* s) {
    return s->def.ranks != NULL ? s->def.ranks->sum(s->def.ranks, s->most_bytes) : s->most_bytes;
}

// ---- opening

abut_status swarm_give(swarm_ranks* ranks, modal_model* model, abut_error* error) {
    const abut_status status = model->given_away ? ABUT_OK
                                                 : ranks->give(ranks, model->shape, error);
    model->given_away = status == ABUT_OK;
    return status;
}

static abut_status open_library(swarm* s, const abut_context_def* context, abut_error* error) {
    abut_status status = abut_context_create(context, &s->context, error);
    if (status == ABUT_OK) {
        status = abut_scene_create(s->context, NULL, &s->scene, error);
    }
    if (status == ABUT_OK) {
        status = abut_proxies_result_create(s->context, &s->result, error);
    }
    return status == ABUT_OK ? abut_collide_result_create(s->context, &s->exact, error) : status;
}

// The ranks agree before they open what they share, because that waits for all of them.
static abut_status open_ranks(swarm* s, abut_status status, abut_error* error) {
    swarm_ranks* ranks = s->def.ranks;
    const abut_allocator memory = {counted_alloc, counted_free, s};
    status = swarm_agree(s, status, error);
    if (status != ABUT_OK || ranks == NULL) {
        return status;
    }
    ranks->share(ranks, s->capacity, &s->first, &s->end);
    s->energies = calloc(s->end - s->first + (size_t)1, sizeof *s->energies);
    status = swarm_agree(s, s->energies != NULL ? ABUT_OK : fail_memory(error), error);
    if (status == ABUT_OK) {
        status = ranks->open(ranks, s->context, &memory, error);
    }
    s->shared = status == ABUT_OK;
    return status;
}

abut_status swarm_open(swarm* s, const swarm_def* def, uint32_t capacity, abut_error* error) {
    *s = (swarm){.def = *def, .capacity = capacity, .end = capacity};
    abut_context_def context = def->context != NULL ? *def->context : abut_context_def_default();
    context.allocator = (abut_allocator){counted_alloc, counted_free, s};
    const modal_model_def model = {
        .from = def->from,
        .scale = def->scale,
        .proxy_level = def->proxy_level,
        .fields = def->manner != SWARM_RIGID,
        .vibrate = def->manner == SWARM_DEFORMABLE,
        .pitch = def->pitch,
        .damping = def->damping,
        .strain_limit = def->strain_limit,
        .step_seconds = def->step_seconds,
    };
    s->bodies = calloc(capacity + (size_t)1, sizeof *s->bodies);
    s->ids = calloc(capacity + (size_t)1, sizeof *s->ids);
    abut_status status = s->bodies == NULL || s->ids == NULL ? fail_memory(error)
                                                             : open_library(s, &context, error);
    if (status == ABUT_OK) {
        status = modal_model_make(&s->model, s->context, &model, error);
    }
    return open_ranks(s, status, error);
}

void swarm_close(swarm* s) {
    modal_model_free(&s->model);
    abut_proxies_result_destroy(s->result);
    abut_collide_result_destroy(s->exact);
    abut_scene_destroy(s->scene);
    if (s->shared) {
        s->def.ranks->close(s->def.ranks);
    }
    abut_context_destroy(s->context);
    free(s->bodies);
    free(s->ids);
    free(s->contacts);
    free(s->energies);
    *s = (swarm){0};
}

abut_status swarm_add(swarm* s, const abut_frame* frame, const double velocity[3],
                      abut_error* error) {
    abut_body_def def = abut_body_def_default();
    abut_status status;
    def.frame = *frame;
    if (s->count < s->first || s->count >= s->end) {
        ++s->count;  // a body of another rank
        return ABUT_OK;
    }
    if (s->def.ranks == NULL) {
        status = abut_body_create(s->scene, s->model.shape, &def, &s->ids[s->count], error);
    } else {
        status = swarm_give(s->def.ranks, &s->model, error);
        status = status == ABUT_OK
                     ? s->def.ranks->add(s->def.ranks, s->count, s->model.shape, frame, error)
                     : status;
    }
    if (status == ABUT_OK) {
        s->bodies[s->count] = modal_body_at(&s->model, frame);
        memcpy(s->bodies[s->count].velocity, velocity, sizeof s->bodies[0].velocity);
        ++s->count;
    }
    return status;
}

void swarm_restore(swarm* s, const modal_body* states, const swarm_work* work) {
    memcpy(s->bodies, states, s->count * sizeof *states);
    s->work = *work;
}

// ---- a step

void swarm_accelerate(swarm* s) {
    for (uint32_t i = s->first; i < s->end; ++i) {
        modal_body* body = &s->bodies[i];
        modal_body_accelerate(&s->model, body, s->def.gravity);
        for (int d = 0; d < 3; ++d) {
            body->velocity[d] /= 1 + s->def.air * s->def.step_seconds;
        }
    }
}

static abut_status set_body(swarm* s, uint32_t i, abut_error* error) {
    const modal_body* body = &s->bodies[i];
    if (s->def.ranks != NULL) {
        return s->def.ranks->set(s->def.ranks, i, &body->frame, body->q, s->model.field_count,
                                 error);
    }
    const abut_status status = abut_body_set_frame(s->scene, s->ids[i], &body->frame, error);
    return status == ABUT_OK && s->model.field_count > 0
               ? abut_body_set_coordinates(s->scene, s->ids[i], body->q, s->model.field_count,
                                           error)
               : status;
}

abut_status swarm_update(swarm* s, abut_error* error) {
    const swarm_time start = swarm_now();
    abut_status status = ABUT_OK;
    for (uint32_t i = s->first; i < s->end && status == ABUT_OK; ++i) {
        status = set_body(s, i, error);
    }
    status = swarm_agree(s, status, error);
    swarm_add_time(&s->work.update, start);
    return status;
}

// Updates twice: from then on a body has two states.
abut_status swarm_measure(swarm* s, size_t before, double* bytes, abut_error* error) {
    abut_status status = swarm_update(s, error);
    if (status == ABUT_OK) {
        status = swarm_update(s, error);
    }
    s->work = (swarm_work){0};
    if (status == ABUT_OK) {
        const uint64_t own = s->bytes - before;
        const uint64_t all = s->def.ranks != NULL ? s->def.ranks->sum(s->def.ranks, own) : own;
        *bytes = s->count > 0 ? (double)all / s->count : 0;
    }
    return status;
}

size_t swarm_state_bytes(const swarm* s) {
    return sizeof(abut_frame) + 2 * s->model.field_count * sizeof(double);
}

// Adds a contact of two proxies with their radii at rest, because the library's radii grow with q.
static bool touch_proxies(swarm* s, const abut_proxy_pair* found) {
    const double reach = s->model.proxies[found->proxy_a].radius +
                         s->model.proxies[found->proxy_b].radius;
    modal_contact c = {.body = {found->body_a, found->body_b},
                       .proxy = {found->proxy_a, found->proxy_b}};
    double length = 0;
    for (int d = 0; d < 3; ++d) {
        c.normal[d] = found->centre_a[d] - found->centre_b[d];
        length += c.normal[d] * c.normal[d];
    }
    length = sqrt(length);
    if (length >= reach || length == 0) {
        return true;
    }
    c.depth = reach - length;
    const double inset = s->model.proxies[found->proxy_a].radius - c.depth / 2;
    for (int d = 0; d < 3; ++d) {
        c.normal[d] /= length;
        c.point[d] = found->centre_a[d] - inset * c.normal[d];
    }
    return swarm_touch(s, &c);
}

static abut_status find_contacts(swarm* s, abut_counters* counters, const abut_proxy_pair** found,
                                 size_t* count, abut_error* error) {
    abut_proxies_def def = abut_proxies_def_default();
    if (s->def.ranks != NULL) {
        return s->def.ranks->collide(s->def.ranks, counters, found, count, error);
    }
    def.head.counters = counters;
    const abut_status status = abut_proxies_all(s->scene, &def, s->result, error);
    *found = abut_proxies_result_pairs(s->result, count);
    return status;
}

abut_status swarm_collide(swarm* s, const abut_proxy_pair** found, size_t* count,
                          abut_error* error) {
    abut_counters counters = {0};
    const swarm_time start = swarm_now();
    abut_status status = find_contacts(s, &counters, found, count, error);
    swarm_add_time(&s->work.collide, start);
    const swarm_time end = swarm_now();
    s->work.contacts += *count;
    s->work.sphere_tests += counters.boxes_tested;
    s->work.spheres_updated += counters.boxes_computed;
    s->contact_count = 0;
    for (size_t i = 0; i < *count && status == ABUT_OK; ++i) {
        if ((*found)[i].body_a < s->count && (*found)[i].body_b < s->count &&
            !touch_proxies(s, &(*found)[i])) {
            status = fail_memory(error);
        }
    }
    s->work.between += s->contact_count;
    status = swarm_agree(s, status, error);
    swarm_add_time(&s->work.solve, end);
    return status;
}

bool swarm_touch(swarm* s, const modal_contact* contact) {
    if (s->contact_count == s->contact_capacity) {
        const size_t capacity = 2 * s->contact_capacity + 256;
        modal_contact* more = realloc(s->contacts, capacity * sizeof *more);
        if (more == NULL) {
            return false;
        }
        s->contacts = more;
        s->contact_capacity = capacity;
    }
    s->contacts[s->contact_count++] = *contact;
    return true;
}

// Returns an upper bound of the displacement of any vertex by the modes.
static double most_displacement(const modal_model* model, const modal_body* body) {
    double sum = 0;
    for (uint32_t j = 0; j < model->mode_count; ++j) {
        sum += fabs(body->q[j]) * model->reach[j];
    }
    return sum;
}

static bool touch_ground(swarm* s, uint32_t body, uint32_t proxy, double height) {
    modal_contact c = {.body = {body, CONTACT_FIXED}, .proxy = {proxy, 0}, .normal = {0, 0, 1}};
    modal_body_place(&s->model, &s->bodies[body], proxy, c.point);
    c.depth = height + s->model.proxies[proxy].radius - c.point[2];
    c.point[2] = height;
    return c.depth <= 0 || swarm_touch(s, &c);
}

bool swarm_touch_ground(swarm* s, double height) {
    const swarm_time start = swarm_now();
    bool done = true;
    for (uint32_t i = s->first; i < s->end; ++i) {
        const modal_body* body = &s->bodies[i];
        const double* row = body->frame.r[2];
        // Only proxies that are below this height at rest can touch.
        const double enough = height + most_displacement(&s->model, body) - body->frame.t[2];
        if (enough < -s->model.radius) {
            continue;
        }
        for (uint32_t p = 0; p < s->model.proxy_count && done; ++p) {
            const modal_proxy* proxy = &s->model.proxies[p];
            const double* c = proxy->centre;
            if ((row[0] * c[0] + row[1] * c[1]) + row[2] * c[2] <= enough + proxy->radius) {
                done = touch_ground(s, i, p, height);
            }
        }
    }
    swarm_add_time(&s->work.solve, start);
    return done;
}

abut_status swarm_solve(swarm* s, bool touched, abut_error* error) {
    const swarm_time start = swarm_now();
    swarm_ranks* ranks = s->def.ranks;
    const abut_status status = swarm_agree(s, touched ? ABUT_OK : fail_memory(error), error);
    if (status != ABUT_OK) {
        return status;
    }
    if (ranks != NULL &&
        !ranks->lend(ranks, &s->contacts, &s->contact_count, &s->contact_capacity, s->bodies)) {
        return fail_memory(error);
    }
    if (swarm_leads(s)) {
        contact_solve(&s->def.law, &s->model, s->bodies, s->contacts, s->contact_count);
    }
    if (ranks != NULL) {
        ranks->give_back(ranks, s->bodies);
    }
    for (uint32_t i = s->first; i < s->end; ++i) {
        modal_body_move(&s->model, &s->bodies[i]);
    }
    s->work.pushes += s->contact_count;
    ++s->work.steps;
    swarm_add_time(&s->work.solve, start);
    return ABUT_OK;
}

// ---- measurements

static double kinetic_of(const swarm* s, uint32_t body) {
    return modal_body_kinetic(&s->model, &s->bodies[body]);
}

static double stored_of(const swarm* s, uint32_t body) {
    return modal_body_stored(&s->model, &s->bodies[body], s->def.gravity);
}

// Adds up in the order of bodies, so that the sum has the same bits for any number of ranks. Numbers of
// this rank wait in `energies`.
static double sum_of(const swarm* s, double (*energy_of)(const swarm* s, uint32_t body)) {
    double sum = 0;
    for (uint32_t i = s->first; i < s->end; ++i) {
        const double energy = energy_of(s, i);
        sum += energy;
        if (s->energies != NULL) {
            s->energies[i - s->first] = energy;
        }
    }
    return s->def.ranks != NULL
               ? s->def.ranks->sum_bodies(s->def.ranks, s->energies, s->end - s->first)
               : sum;
}

double swarm_kinetic(const swarm* s) {
    return sum_of(s, kinetic_of);
}

double swarm_stored(const swarm* s) {
    return sum_of(s, stored_of);
}

double swarm_deepest(const swarm* s, double height) {
    double depth = 0;
    for (uint32_t i = s->first; i < s->end; ++i) {
        for (uint32_t p = 0; p < s->model.proxy_count; ++p) {
            double centre[3];
            modal_body_place(&s->model, &s->bodies[i], p, centre);
            depth = fmax(depth, height - centre[2]);
        }
    }
    return s->def.ranks != NULL ? s->def.ranks->greatest(s->def.ranks, depth) : depth;
}

// ---- random numbers

double swarm_random(uint32_t seed, uint32_t index, double low, double high) {
    uint64_t x = ((uint64_t)seed << 32 | index) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    x ^= x >> 31;
    return low + (high - low) * ((double)(x >> 11) * 0x1p-53);
}

// Computes a uniformly distributed rotation from a random unit quaternion.
void swarm_random_turn(uint32_t seed, uint32_t index, double r[3][3]) {
    const double pi = 3.14159265358979323846;
    const double u = swarm_random(seed, index, 0, 1);
    const double a = swarm_random(seed, index + 1, 0, 2 * pi);
    const double b = swarm_random(seed, index + 2, 0, 2 * pi);
    const double x = sqrt(1 - u) * sin(a);
    const double y = sqrt(1 - u) * cos(a);
    const double z = sqrt(u) * sin(b);
    const double w = sqrt(u) * cos(b);
    const double rows[3][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
        {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
        {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)},
    };
    for (int i = 0; i < 9; ++i) {
        r[i / 3][i % 3] = rows[i / 3][i % 3];
    }
}
