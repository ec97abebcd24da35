// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trials of proximity queries: see near_trial.h.
#include "bench/near_trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 15 };

typedef struct contest {
    near_trial* t;
    near_question question;
    near_mesh* meshes;
    double*** xyz;  // [frame][body]; NULL: absent, or it does not move
    bool** there;   // [frame][body]
    size_t answers;
    double** reference;  // [frame]
    double* found;
    double size;  // of the scene
    void* peers[NEAR_MOST_PEERS];
    double* times[NEAR_MOST_PEERS][2];  // [frame * MOST_ROUNDS + round]
} contest;

// ---- the scene

static void store_frame(contest* c, uint32_t f) {
    const scene* s = c->t->scene;
    const uint32_t bodies = scene_body_count(s);
    c->xyz[f] = bench_alloc(bodies, sizeof *c->xyz[f]);
    c->there[f] = bench_alloc(bodies, sizeof *c->there[f]);
    for (uint32_t b = 0; b < bodies; ++b) {
        const scene_body* body = scene_get_body(s, b);
        c->there[f][b] = scene_present(s, b, c->t->frames[f]);
        if (c->there[f][b] && body->moves) {
            c->xyz[f][b] = bench_alloc(3 * (size_t)body->vertex_count, sizeof(double));
            scene_positions(s, b, c->t->frames[f], c->xyz[f][b]);
        }
    }
}

static void store_scene(contest* c, const near_setup* setup) {
    near_trial* t = c->t;
    const uint32_t bodies = scene_body_count(t->scene);
    c->meshes = bench_alloc(bodies, sizeof *c->meshes);
    for (uint32_t b = 0; b < bodies; ++b) {
        const scene_body* body = scene_get_body(t->scene, b);
        c->meshes[b] = (near_mesh){body->vertex_count, body->triangle_count, body->triangles,
                                   body->rest, body->moves};
        for (size_t i = 0; i < 3 * (size_t)body->vertex_count; ++i) {
            c->size = fmax(c->size, fabs(body->rest[i]));
        }
    }
    const uint32_t all = scene_frame_count(t->scene);
    t->frame_count = (all - setup->first + setup->step - 1) / setup->step;
    if (setup->most != 0 && setup->most < t->frame_count) {
        t->frame_count = setup->most;
    }
    t->frames = bench_alloc(t->frame_count, sizeof *t->frames);
    c->xyz = bench_alloc(t->frame_count, sizeof *c->xyz);
    c->there = bench_alloc(t->frame_count, sizeof *c->there);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        t->frames[f] = setup->first + f * setup->step;
        store_frame(c, f);
    }
    c->answers = near_answers(c->question, c->meshes, bodies);
}

static void free_scene(contest* c) {
    for (uint32_t f = 0; f < c->t->frame_count; ++f) {
        for (uint32_t b = 0; b < scene_body_count(c->t->scene); ++b) {
            free(c->xyz[f][b]);
        }
        free(c->xyz[f]);
        free(c->there[f]);
        free(c->reference[f]);
    }
    free(c->xyz);
    free(c->there);
    free(c->reference);
    free(c->found);
    free(c->meshes);
}

// ---- playing

// Distances of different libraries have different rounding errors.
static void check(contest* c, uint32_t peer, uint32_t frame) {
    near_entry* entry = &c->t->entries[peer];
    if (peer == 0) {
        memcpy(c->reference[frame], c->found, c->answers * sizeof *c->found);
    }
    double worst = 0;
    for (size_t i = 0; i < c->answers; ++i) {
        const double a = c->reference[frame][i];
        const double b = c->found[i];
        const double error = isfinite(a) && isfinite(b) ? fabs(a - b) / c->size : a == b ? 0 : 1;
        worst = error > worst ? error : worst;
    }
    entry->wrong_frames += worst > 1e-7;
    entry->worst_error = worst > entry->worst_error ? worst : entry->worst_error;
    entry->tests[frame] = entry->kind->tests != NULL ? entry->kind->tests(c->peers[peer]) : 0;
    entry->pairs += entry->kind->pairs != NULL ? entry->kind->pairs(c->peers[peer]) : 0;
    entry->bounded += entry->kind->bounded != NULL ? entry->kind->bounded(c->peers[peer]) : 0;
}

static void play(contest* c, uint32_t peer, uint32_t round, bool timed) {
    const near_kind* kind = c->t->entries[peer].kind;
    for (uint32_t f = 0; f < c->t->frame_count; ++f) {
        const double start = bench_now(CLOCK_CPU);
        kind->update(c->peers[peer], (const double* const*)c->xyz[f], c->there[f]);
        const double middle = bench_now(CLOCK_CPU);
        kind->ask(c->peers[peer], c->question, c->found);
        const double end = bench_now(CLOCK_CPU);
        if (timed) {
            c->times[peer][0][(size_t)f * MOST_ROUNDS + round] = middle - start;
            c->times[peer][1][(size_t)f * MOST_ROUNDS + round] = end - middle;
        } else {
            check(c, peer, f);
        }
    }
}

static void time_all(contest* c, bool quick) {
    near_trial* t = c->t;
    uint32_t rounds[NEAR_MOST_PEERS] = {0};
    double spent[NEAR_MOST_PEERS] = {0};
    const double budget = quick ? 300 : 2500;
    const uint32_t least = quick ? 1 : 3;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < t->entry_count; ++i) {
            if (rounds[i] < least || (rounds[i] < MOST_ROUNDS && spent[i] < budget)) {
                const double start = bench_now(CLOCK_CPU);
                play(c, i, rounds[i]++, true);
                spent[i] += bench_now(CLOCK_CPU) - start;
                more = more || rounds[i] < least || spent[i] < budget;
            }
        }
        more = more && rounds[0] < MOST_ROUNDS;
    }
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        for (uint32_t f = 0; f < t->frame_count; ++f) {
            t->entries[i].update_ms[f] = bench_median(c->times[i][0] + (size_t)f * MOST_ROUNDS,
                                                      rounds[i]);
            t->entries[i].ask_ms[f] = bench_median(c->times[i][1] + (size_t)f * MOST_ROUNDS,
                                                   rounds[i]);
        }
    }
}

static void add_entry(contest* c, const near_kind* kind, uint32_t cells) {
    near_trial* t = c->t;
    const uint32_t at = t->entry_count++;
    t->entries[at] = (near_entry){
        .kind = kind,
        .update_ms = bench_alloc(t->frame_count, sizeof(double)),
        .ask_ms = bench_alloc(t->frame_count, sizeof(double)),
        .tests = bench_alloc(t->frame_count, sizeof(uint64_t)),
    };
    c->peers[at] = kind->create(c->meshes, scene_body_count(t->scene));
    for (int k = 0; k < 2; ++k) {
        c->times[at][k] = bench_alloc((size_t)t->frame_count * MOST_ROUNDS, sizeof(double));
    }
    if (kind == &near_abut_voronoi) {
        near_set_cells(c->peers[at], cells);
    }
}

near_trial* near_trial_run(const near_setup* setup, const near_kind* const* kinds, uint32_t count,
                           uint32_t cells, const bench_options* options) {
    near_trial* t = bench_alloc(1, sizeof *t);
    contest c = {.t = t, .question = setup->question};
    t->scene = scene_create(setup->scene, setup->triangles, setup->frames, options->seed);
    if (t->scene == NULL) {
        bench_die("the scene '%s' cannot be made", setup->scene);
    }
    store_scene(&c, setup);
    c.found = bench_alloc(c.answers, sizeof *c.found);
    c.reference = bench_alloc(t->frame_count, sizeof *c.reference);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        c.reference[f] = bench_alloc(c.answers, sizeof **c.reference);
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (kinds[i]->can(setup->question)) {
            add_entry(&c, kinds[i], cells);
        }
    }
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        play(&c, i, 0, false);
    }
    time_all(&c, options->quick);
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        t->entries[i].kind->destroy(c.peers[i]);
        free(c.times[i][0]);
        free(c.times[i][1]);
    }
    free_scene(&c);
    return t;
}

void near_trial_destroy(near_trial* t) {
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        free(t->entries[i].update_ms);
        free(t->entries[i].ask_ms);
        free(t->entries[i].tests);
    }
    free(t->frames);
    scene_destroy(t->scene);
    free(t);
}

double near_trial_ms(const near_trial* t, const near_entry* entry) {
    double* sums = bench_alloc(t->frame_count, sizeof *sums);
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        sums[f] = entry->update_ms[f] + entry->ask_ms[f];
    }
    const double median = bench_median(sums, t->frame_count);
    free(sums);
    return median;
}

uint64_t near_trial_tests(const near_trial* t, const near_entry* entry) {
    uint64_t sum = 0;
    for (uint32_t f = 0; f < t->frame_count; ++f) {
        sum += entry->tests[f];
    }
    return sum;
}
