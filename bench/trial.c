// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Trials: see trial.h. In each repetition every peer plays the whole animation, as in normal use.
// The repetitions of all peers alternate, and a frame's time is the median over them. Slow peers
// get fewer. A first round is not timed: it warms up and compares the answers.
#include "bench/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROUNDS = 5, MOST_ROUNDS = 31 };

typedef struct contest {
    trial* t;
    void* peers[MOST_PEERS];
    peer_pairs* reference;  // [frame], sorted
    double reference_box[6];
    peer_pairs found;           // of the current peer
    double* times[MOST_PEERS];  // [frame * MOST_ROUNDS + round]
} contest;

static void answer(contest* c, uint32_t peer, const float* const* xyz) {
    const peer_kind* kind = c->t->entries[peer].kind;
    switch (c->t->setup->question) {
        case ASK_UPDATE: kind->update(c->peers[peer], xyz); break;
        case ASK_COLLIDE:
            kind->update(c->peers[peer], xyz);
            kind->collide(c->peers[peer], &c->found);
            break;
        case ASK_SELF:
            kind->update(c->peers[peer], xyz);
            kind->self(c->peers[peer], &c->found);
            break;
        case ASK_BUILD: kind->build(c->peers[peer]); break;
    }
}

// Boxes may be rounded outward, by less than a millionth of their size.
static bool boxes_agree(const double a[6], const double b[6]) {
    for (int i = 0; i < 6; ++i) {
        if (!(fabs(a[i] - b[i]) <= 1e-6 * (fabs(a[i % 3]) + fabs(a[i % 3 + 3])))) {
            return false;
        }
    }
    return true;
}

static pairs_difference compare(contest* c, uint32_t peer, uint32_t frame) {
    if (c->t->setup->question == ASK_UPDATE || c->t->setup->question == ASK_BUILD) {
        double box[6];
        c->t->entries[peer].kind->box(c->peers[peer], box);
        // All peers play all frames, so the reference box is computed from the scene.
        return (pairs_difference){.missing = !boxes_agree(c->reference_box, box)};
    }
    return pairs_compare(&c->reference[frame], &c->found);
}

// Computes the box of body 0 from the positions themselves.
static void find_box(const moving* m, const float* xyz, double box[6]) {
    for (int k = 0; k < 3; ++k) {
        box[k] = box[k + 3] = xyz[k];
    }
    for (size_t i = 0; i < 3 * (size_t)m->meshes[0].vertex_count; ++i) {
        box[i % 3] = fmin(box[i % 3], (double)xyz[i]);
        box[i % 3 + 3] = fmax(box[i % 3 + 3], (double)xyz[i]);
    }
}

static void check(contest* c, uint32_t peer, uint32_t frame) {
    trial_entry* entry = &c->t->entries[peer];
    pairs_sort(&c->found);
    if (peer == 0) {
        peer_add_all(&c->reference[frame], c->found.pairs, c->found.count);
        c->t->pairs += c->found.count;
        c->t->frame_pairs[frame] = c->found.count;
    }
    if (entry->counters != NULL) {
        entry->kind->counters(c->peers[peer], &entry->counters[frame]);
    }
    const pairs_difference d = compare(c, peer, frame);
    if (d.missing + d.extra > 0) {
        if (entry->wrong_frames++ == 0) {
            entry->first_wrong = frame;
            entry->example = d;
        }
        entry->missing += d.missing;
        entry->extra += d.extra;
    }
}

static void play(contest* c, uint32_t peer, uint32_t round, bool timed) {
    moving* m = c->t->scene;
    const bench_clock clock = c->t->setup->clock;
    for (uint32_t f = 0; f < m->frame_count; ++f) {
        // Data that one thread has just written are expensive for the others. So for different
        // numbers of threads the positions come from memory.
        const float* const* xyz = clock == CLOCK_WALL ? moving_stored(m, f) : moving_frame(m, f);
        c->found.count = 0;
        const double start = bench_now(clock);
        answer(c, peer, xyz);
        const double ms = bench_now(clock) - start;
        if (timed) {
            c->times[peer][(size_t)f * MOST_ROUNDS + round] = ms;
        } else {
            const bool at_rest = c->t->setup->question == ASK_BUILD || xyz[0] == NULL;
            find_box(m, at_rest ? m->meshes[0].rest : xyz[0], c->reference_box);
            check(c, peer, f);
        }
    }
}

// Returns whether a peer has played enough, after so many rounds and milliseconds.
static bool is_through(uint32_t rounds, double spent, bool quick) {
    const double budget = quick ? 250 : 1500;
    return rounds == MOST_ROUNDS || spent > 2.5 * budget ||
           (rounds >= (quick ? 3 : LEAST_ROUNDS) && spent > budget);
}

static void time_all(contest* c, bool quick) {
    trial* t = c->t;
    uint32_t rounds[MOST_PEERS] = {0};
    double spent[MOST_PEERS] = {0};
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < t->entry_count; ++i) {
            if (!is_through(rounds[i], spent[i], quick)) {
                const double start = bench_now(CLOCK_CPU);
                play(c, i, rounds[i]++, true);
                spent[i] += bench_now(CLOCK_CPU) - start;
                more = true;
            }
        }
    }
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        for (uint32_t f = 0; f < t->scene->frame_count; ++f) {
            t->entries[i].ms[f] = bench_median(c->times[i] + (size_t)f * MOST_ROUNDS, rounds[i]);
        }
    }
}

static bool can_answer(const peer_kind* kind, trial_question question) {
    switch (question) {
        case ASK_UPDATE: return kind->update != NULL && kind->box != NULL;
        case ASK_COLLIDE: return kind->collide != NULL;
        case ASK_SELF: return kind->self != NULL;
        case ASK_BUILD: return kind->build != NULL && kind->box != NULL;
    }
    return false;
}

static void enter(contest* c, const peer_kind* kind) {
    trial* t = c->t;
    if (t->entry_count == MOST_PEERS || !can_answer(kind, t->setup->question)) {
        return;
    }
    void* peer = kind->create(t->scene->meshes, t->scene->body_count);
    if (peer == NULL) {
        return;
    }
    const size_t frames = t->scene->frame_count;
    const uint32_t i = t->entry_count++;
    c->peers[i] = peer;
    t->entries[i].kind = kind;
    t->entries[i].ms = bench_alloc(frames, sizeof(double));
    if (kind->counters != NULL) {
        t->entries[i].counters = bench_alloc(frames, sizeof(abut_counters));
    }
    c->times[i] = bench_alloc(frames * MOST_ROUNDS, sizeof(double));
    play(c, i, 0, false);
}

trial* trial_run(const trial_setup* setup, const peer_kind* const* kinds, uint32_t kind_count,
                 const bench_options* options) {
    bench_progress(setup->name);
    trial* t = bench_alloc(1, sizeof *t);
    contest c = {.t = t};
    t->setup = setup;
    t->scene = moving_create(setup->scene, setup->triangles, setup->frames, setup->step,
                             options->seed);
    c.reference = bench_alloc(t->scene->frame_count, sizeof *c.reference);
    t->frame_pairs = bench_alloc(t->scene->frame_count, sizeof *t->frame_pairs);
    for (uint32_t i = 0; i < kind_count; ++i) {
        enter(&c, kinds[i]);
    }
    time_all(&c, options->quick);
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        t->entries[i].kind->destroy(c.peers[i]);
        free(c.times[i]);
    }
    for (uint32_t f = 0; f < t->scene->frame_count; ++f) {
        pairs_free(&c.reference[f]);
    }
    free(c.reference);
    pairs_free(&c.found);
    return t;
}

void trial_destroy(trial* t) {
    if (t == NULL) {
        return;
    }
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        free(t->entries[i].ms);
        free(t->entries[i].counters);
    }
    free(t->frame_pairs);
    moving_destroy(t->scene);
    free(t);
}

const trial_entry* trial_find(const trial* t, const char* name) {
    for (uint32_t i = 0; i < t->entry_count; ++i) {
        if (strcmp(t->entries[i].kind->name, name) == 0) {
            return &t->entries[i];
        }
    }
    return NULL;
}

uint32_t trial_worst_frame(const trial* t, const trial_entry* entry, double* ms) {
    uint32_t worst = 0;
    for (uint32_t f = 1; f < t->scene->frame_count; ++f) {
        worst = entry->ms[f] > entry->ms[worst] ? f : worst;
    }
    *ms = entry->ms[worst];
    return worst;
}

uint32_t trial_median_frame(const trial* t, const trial_entry* entry, double* ms) {
    const uint32_t count = t->scene->frame_count;
    double* sorted = bench_alloc(count, sizeof *sorted);
    memcpy(sorted, entry->ms, count * sizeof *sorted);
    *ms = bench_median(sorted, count);
    free(sorted);
    uint32_t nearest = 0;
    for (uint32_t f = 1; f < count; ++f) {
        nearest = fabs(entry->ms[f] - *ms) < fabs(entry->ms[nearest] - *ms) ? f : nearest;
    }
    return nearest;
}
