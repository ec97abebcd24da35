// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Checkpoints: see demo_checkpoint.h.
#include "cli/demo_checkpoint.h"

#include "cli/demo_dynamics.h"
#include "cli/message.h"
#include "cli/output.h"
#include "io/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAGIC UINT64_C(0x325f656c69707461)  // "atpile_2"
#define HEAD_WORDS (6 + SWARM_MANNERS)

// --- words -------------------------------------------------------------------------------------

// The words of a file. The same functions write and read them, so that both agree on the order.
typedef struct tape {
    uint64_t* words;
    size_t at;
    bool reading;
    bool finite;  // all numbers so far are
} tape;

static void pass_word(tape* t, uint64_t* word) {
    if (t->reading) {
        *word = t->words[t->at++];
    } else {
        t->words[t->at++] = *word;
    }
}

static void pass_count(tape* t, uint32_t* count) {
    uint64_t word = *count;
    pass_word(t, &word);
    t->finite = t->finite && word <= UINT32_MAX;
    *count = (uint32_t)word;
}

static void pass_numbers(tape* t, double* numbers, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        uint64_t word;
        memcpy(&word, &numbers[i], sizeof word);
        pass_word(t, &word);
        memcpy(&numbers[i], &word, sizeof word);
        t->finite = t->finite && isfinite(numbers[i]);
    }
}

static void pass_head(tape* t, checkpoint* c) {
    uint64_t magic = MAGIC;
    pass_word(t, &magic);
    pass_count(t, &c->kind);
    pass_count(t, &c->bodies);
    pass_count(t, &c->triangles);
    pass_count(t, &c->seed);
    pass_count(t, &c->bridge);
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        pass_count(t, &c->frames[m]);
    }
}

static void pass_time(tape* t, swarm_time* time) {
    pass_numbers(t, &time->clock, 1);
    pass_numbers(t, &time->processor, 1);
}

static void pass_work(tape* t, swarm_work* w) {
    pass_count(t, &w->steps);
    pass_time(t, &w->update);
    pass_time(t, &w->collide);
    pass_time(t, &w->solve);
    pass_word(t, &w->contacts);
    pass_word(t, &w->pushes);
    pass_word(t, &w->between);
    pass_word(t, &w->sphere_tests);
    pass_word(t, &w->spheres_updated);
}
#define WORK_WORDS 12

static void pass_cost(tape* t, step_cost* c) {
    pass_work(t, &c->work);
    pass_word(t, &c->bytes);
    pass_numbers(t, &c->kinetic, 1);
    pass_numbers(t, &c->stored, 1);
}
#define COST_WORDS (WORK_WORDS + 3)

static void pass_body(tape* t, modal_body* b) {
    pass_numbers(t, b->frame.r[0], 9);
    pass_numbers(t, b->frame.t, 3);
    pass_numbers(t, b->velocity, 3);
    pass_numbers(t, b->spin, 3);
    pass_numbers(t, b->give[0], 9);
    pass_numbers(t, b->q, MODAL_MOST);
    pass_numbers(t, b->rate, MODAL_MOST);
}
#define BODY_WORDS (27 + 2 * MODAL_MOST)

// All but the head. `c` has the memory for it.
static void pass_rest(tape* t, checkpoint* c) {
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        pass_work(t, &c->work[m]);
    }
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        for (size_t i = 0; i < STEPS_PER_FRAME * (size_t)c->frames[m]; ++i) {
            pass_cost(t, &c->costs[m][i]);
        }
        for (uint32_t i = 0; i < c->bodies && c->frames[m] > 0; ++i) {
            pass_body(t, &c->states[m][i]);
        }
    }
}

// The number of words without the hash. It fits, because all counts have 32 bits.
static uint64_t count_words(const checkpoint* c) {
    uint64_t count = HEAD_WORDS + SWARM_MANNERS * WORK_WORDS;
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        count += (uint64_t)c->frames[m] * STEPS_PER_FRAME * COST_WORDS;
        count += c->frames[m] > 0 ? (uint64_t)c->bodies * BODY_WORDS : 0;
    }
    return count;
}

static uint64_t hash_of(const uint64_t* words, size_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return hash;
}

// --- reading -----------------------------------------------------------------------------------

static void words_from_bytes(uint64_t* words, const char* bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        words[i] = 0;
        for (size_t k = 0; k < 8; ++k) {
            words[i] |= (uint64_t)(unsigned char)bytes[8 * i + k] << 8 * k;
        }
    }
}

static bool refuse(const char* path, const char* why) {
    complain("--resume: '%s' %s", path, why);
    return false;
}

step_cost* checkpoint_next(checkpoint* c, swarm_manner manner) {
    const size_t done = c->frames[manner];
    if (done == c->room[manner]) {
        c->room[manner] = 2 * c->room[manner] + 64;
        c->costs[manner] = reallocate(c->costs[manner], c->room[manner],
                                      STEPS_PER_FRAME * sizeof *c->costs[manner]);
    }
    return c->costs[manner] + STEPS_PER_FRAME * done;
}

// Reads the words, whose number is known to fit, into `c`.
static bool unpack(checkpoint* c, const char* path, uint64_t* words, size_t count) {
    tape t = {.words = words, .reading = true, .finite = true};
    pass_head(&t, c);
    if (words[0] != MAGIC) {
        return refuse(path, "is not a checkpoint of this version: --checkpoint writes one");
    }
    if (count_words(c) != count) {
        return refuse(path, "is not complete: take an older checkpoint, or start again");
    }
    if (hash_of(words, count) != words[count]) {
        return refuse(path, "is damaged: take an older checkpoint, or start again");
    }
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        c->room[m] = c->frames[m];
        c->costs[m] = allocate((size_t)c->frames[m] * STEPS_PER_FRAME, sizeof *c->costs[m]);
        c->states[m] = c->frames[m] > 0 ? allocate(c->bodies, sizeof *c->states[m]) : NULL;
    }
    pass_rest(&t, c);
    if (!t.finite || c->kind >= DYNAMICS_KINDS || c->bodies == 0 || c->triangles == 0 ||
        (c->kind == DYNAMICS_SHOAL) != (c->bridge > 0)) {
        return refuse(path, "holds numbers that no simulation has");
    }
    return true;
}

bool checkpoint_read(checkpoint* c, const char* path) {
    io_error error;
    char* bytes = NULL;
    size_t size = 0;
    *c = (checkpoint){0};
    if (!io_read_file(path, &bytes, &size, &error)) {
        complain("--resume: %s", error.message);
        return false;
    }
    if (size < 8 * (HEAD_WORDS + 1) || size % 8 != 0) {
        free(bytes);
        return refuse(path, "is not a checkpoint: --checkpoint writes one");
    }
    uint64_t* words = allocate(size / 8, sizeof *words);
    words_from_bytes(words, bytes, size / 8);
    free(bytes);
    const bool done = unpack(c, path, words, size / 8 - 1);
    free(words);
    return done;
}

void checkpoint_free(checkpoint* c) {
    for (uint32_t m = 0; m < SWARM_MANNERS; ++m) {
        free(c->costs[m]);
        free(c->states[m]);
    }
    *c = (checkpoint){0};
}

// --- writing -----------------------------------------------------------------------------------

FILE* checkpoint_open(const char* path, bool fresh) {
    if (fresh && access(path, F_OK) == 0) {
        complain(
            "--checkpoint: '%s' exists; --resume goes on from it, or give the name of a new file",
            path);
        return NULL;
    }
    return output_open(path);
}

bool checkpoint_save(const checkpoint* c, FILE* file) {
    const size_t count = (size_t)count_words(c);
    checkpoint copy = *c;  // passing needs pointers to change, and changes nothing
    tape t = {.words = allocate(count + 1, sizeof *t.words)};
    pass_head(&t, &copy);
    pass_rest(&t, &copy);
    t.words[count] = hash_of(t.words, count);
    for (size_t i = 0; i <= count; ++i) {
        unsigned char bytes[8];
        for (size_t k = 0; k < 8; ++k) {
            bytes[k] = (unsigned char)(t.words[i] >> 8 * k);
        }
        fwrite(bytes, sizeof bytes, 1, file);
    }
    free(t.words);
    return output_save(file);
}
