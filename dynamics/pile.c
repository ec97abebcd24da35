// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// A pile of chairs: see pile.h.
#include "dynamics/pile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pile {
    scene* chair;
    swarm swarm;
    double bytes_per_body;
};

pile_def pile_def_default(void) {
    return (pile_def){.bodies = 125,
                      .triangles = 17914,
                      .fields = 10,
                      .level = 10,
                      .seed = 1,
                      .stiffness = 90,
                      .rounds = 4,
                      .pitch = 5,  // stiffer than rubber, like plastic
                      .strain_limit = 0.08};
}

static abut_status fail_memory(abut_error* error) {
    if (error != NULL) {
        *error = (abut_error){.status = ABUT_ERR_NO_MEMORY, .message = "out of memory"};
    }
    return ABUT_ERR_NO_MEMORY;
}

// ---- places

// Layers of side x side chairs: about a cube, but at most eight layers.
static uint32_t side_of(uint32_t bodies) {
    const double cube = ceil(cbrt((double)bodies) - 1e-9);
    return (uint32_t)fmax(cube, ceil(sqrt((double)bodies / 8)));
}

static abut_status add_chairs(pile* p, const pile_def* def, abut_error* error) {
    const double spacing = 2.05 * p->swarm.model.radius;
    const uint32_t side = side_of(def->bodies);
    abut_status status = ABUT_OK;
    for (uint32_t i = 0; i < def->bodies && status == ABUT_OK; ++i) {
        const uint32_t layer = i / (side * side);
        const double shift = 0.5 * ((double)side - 1);
        abut_frame frame;
        swarm_random_turn(def->seed, 8 * i, frame.r);
        frame.t[0] = spacing * ((double)(i % side) - shift);
        frame.t[1] = spacing * ((double)(i / side % side) - shift);
        frame.t[2] = spacing * ((double)layer + 0.6);
        const double velocity[3] = {swarm_random(def->seed, 8 * i + 3, -0.5, 0.5),
                                    swarm_random(def->seed, 8 * i + 4, -0.5, 0.5), 0};
        status = swarm_add(&p->swarm, &frame, velocity, error);
    }
    return status;
}

// ---- the pile

static abut_status make_pile(pile* p, const pile_def* def, abut_error* error) {
    swarm_def settings = swarm_def_default();
    p->chair = scene_create_with("chair", &(scene_options){.triangles = def->triangles,
                                                           .frames = 1,
                                                           .seed = 1,
                                                           .fields = def->fields});
    if (p->chair == NULL) {
        return fail_memory(error);
    }
    settings.context = def->context;
    settings.ranks = def->ranks;
    settings.from = scene_get_body(p->chair, 0);
    settings.manner = def->manner;
    settings.law.frequency = def->stiffness;
    settings.proxy_level = def->level;
    settings.law.rounds = def->rounds;
    settings.pitch = def->pitch;
    settings.strain_limit = def->strain_limit;
    abut_status status = swarm_open(&p->swarm, &settings, def->bodies, error);
    const size_t before = p->swarm.bytes;
    if (status == ABUT_OK) {
        status = swarm_agree(&p->swarm, add_chairs(p, def, error), error);
    }
    return status == ABUT_OK ? swarm_measure(&p->swarm, before, &p->bytes_per_body, error) : status;
}

abut_status pile_create(const pile_def* def, pile** made, abut_error* error) {
    pile* p = calloc(1, sizeof *p);
    if (p == NULL) {
        return fail_memory(error);
    }
    const abut_status status = make_pile(p, def, error);
    if (status != ABUT_OK) {
        pile_destroy(p);
        p = NULL;
    }
    *made = p;
    return status;
}

void pile_destroy(pile* p) {
    if (p != NULL) {
        swarm_close(&p->swarm);
        scene_destroy(p->chair);
        free(p);
    }
}

void pile_restore(pile* p, const modal_body* states, const swarm_work* work) {
    swarm_restore(&p->swarm, states, work);
}

abut_status pile_step(pile* p, abut_error* error) {
    swarm* s = &p->swarm;
    const abut_proxy_pair* found;
    size_t count;
    swarm_accelerate(s);
    abut_status status = swarm_update(s, error);
    if (status == ABUT_OK) {
        status = swarm_collide(s, &found, &count, error);
    }
    return status == ABUT_OK ? swarm_solve(s, swarm_touch_ground(s, 0), error) : status;
}

const swarm* pile_swarm(const pile* p) {
    return &p->swarm;
}

double pile_bytes_per_body(const pile* p) {
    return p->bytes_per_body;
}

// ---- what collision costs

typedef struct recording {
    uint32_t frames;
    uint32_t count;
    modal_body* states;  // frame by frame
} recording;

static abut_status record(const pile_def* def, uint32_t steps, recording* r, abut_error* error) {
    pile* p = NULL;
    pile_def deformable = *def;
    deformable.manner = SWARM_DEFORMABLE;
    abut_status status = pile_create(&deformable, &p, error);
    for (uint32_t i = 0; i < steps && status == ABUT_OK; ++i) {
        status = pile_step(p, error);
        // Frames are spread evenly over the last third.
        const uint32_t left = steps - 1 - i;
        const uint32_t stride = steps / 3 / r->frames > 0 ? steps / 3 / r->frames : 1;
        if (status == ABUT_OK && left % stride == 0 && left / stride < r->frames) {
            const uint32_t frame = r->frames - 1 - left / stride;
            memcpy(r->states + (size_t)frame * r->count, p->swarm.bodies,
                   r->count * sizeof *r->states);
        }
    }
    pile_destroy(p);
    return status;
}

static void pose(swarm* s, const modal_body* states) {
    for (uint32_t i = 0; i < s->count; ++i) {
        s->bodies[i] = states[i];
        if (s->def.manner != SWARM_DEFORMABLE) {
            memset(s->bodies[i].q, 0, sizeof s->bodies[i].q);
        }
    }
}

// Counts the contacts that proxies have with their radii at rest.
static uint64_t count_at_rest(const swarm* s) {
    size_t count;
    uint64_t touching = 0;
    const abut_proxy_pair* pairs = abut_proxies_result_pairs(s->result, &count);
    for (size_t i = 0; i < count; ++i) {
        const double reach = s->model.proxies[pairs[i].proxy_a].radius +
                             s->model.proxies[pairs[i].proxy_b].radius;
        double square = 0;
        for (int d = 0; d < 3; ++d) {
            const double way = pairs[i].centre_a[d] - pairs[i].centre_b[d];
            square += way * way;
        }
        touching += square < reach * reach;
    }
    return touching;
}

// Plays all frames once; `seconds` gets the processor time per frame.
static abut_status replay(swarm* s, const recording* r, bool exact, double* seconds,
                          uint64_t* found, uint64_t* at_rest) {
    abut_status status = ABUT_OK;
    *seconds = 0;
    *found = *at_rest = 0;
    for (uint32_t f = 0; f < r->frames && status == ABUT_OK; ++f) {
        size_t count;
        pose(s, r->states + (size_t)f * r->count);
        const double start = swarm_clock_cpu();
        status = swarm_update(s, NULL);
        if (status == ABUT_OK) {
            status = exact ? abut_collide_all(s->scene, NULL, s->exact, NULL)
                           : abut_proxies_all(s->scene, NULL, s->result, NULL);
        }
        *seconds += (swarm_clock_cpu() - start) / r->frames;
        if (exact) {
            abut_collide_result_pairs(s->exact, &count);
        } else {
            abut_proxies_result_pairs(s->result, &count);
            *at_rest += count_at_rest(s);
        }
        *found += count;
    }
    *found /= r->frames;
    *at_rest /= r->frames;
    return status;
}

static int by_value(const void* a, const void* b) {
    const double x = *(const double*)a;
    const double y = *(const double*)b;
    return (x > y) - (x < y);
}

// `times` holds repetitions x manners x 2 numbers, each series consecutively.
static abut_status measure(pile* const piles[SWARM_MANNERS], const recording* r,
                           uint32_t repetitions, double* times, pile_cost* cost) {
    abut_status status = ABUT_OK;
    for (uint32_t k = 0; k < (repetitions + 1) * 2 * SWARM_MANNERS && status == ABUT_OK; ++k) {
        const uint32_t turn = k / (2 * SWARM_MANNERS);  // the first one is a warm-up
        const uint32_t manner = k % SWARM_MANNERS;
        const bool exact = k / SWARM_MANNERS % 2 == 1;
        const size_t series = manner + (exact ? SWARM_MANNERS : 0);
        double seconds;
        uint64_t found;
        uint64_t at_rest;
        status = replay(&piles[manner]->swarm, r, exact, &seconds, &found, &at_rest);
        times[series * repetitions + (turn > 0 ? turn - 1 : 0)] = seconds;
        (exact ? cost->pairs : cost->contacts)[manner] = found;
        cost->at_rest[manner] = exact ? cost->at_rest[manner] : at_rest;
    }
    for (size_t series = 0; series < (size_t)2 * SWARM_MANNERS; ++series) {
        double* of = times + series * repetitions;
        qsort(of, repetitions, sizeof *of, by_value);
        const double median = (of[(repetitions - 1) / 2] + of[repetitions / 2]) / 2;
        if (series < SWARM_MANNERS) {
            cost->proxies_seconds[series] = median;
        } else {
            cost->exact_seconds[series - SWARM_MANNERS] = median;
        }
    }
    return status;
}

abut_status pile_measure(const pile_def* def, uint32_t steps, uint32_t frames, uint32_t repetitions,
                         pile_cost* cost, abut_error* error) {
    recording r = {.frames = frames, .count = def->bodies};
    pile* piles[SWARM_MANNERS] = {NULL};
    double* times = calloc((size_t)repetitions * 2 * SWARM_MANNERS, sizeof *times);
    r.states = calloc((size_t)frames * def->bodies, sizeof *r.states);
    *cost = (pile_cost){.frames = frames};
    abut_status status = times == NULL || r.states == NULL ? fail_memory(error)
                                                           : record(def, steps, &r, error);
    for (uint32_t m = 0; m < SWARM_MANNERS && status == ABUT_OK; ++m) {
        pile_def own = *def;
        own.manner = (swarm_manner)m;
        status = pile_create(&own, &piles[m], error);
    }
    if (status == ABUT_OK) {
        status = measure(piles, &r, repetitions, times, cost);
    }
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        pile_destroy(piles[m]);
    }
    free(times);
    free(r.states);
    return status;
}
