// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Patches that are followed over time: against a plain search over all two patches of consecutive frames.
#include "cli/gate/tracks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/random.h"
#include "support/world.h"

enum { FRAMES = 12, MOST = 10, TRIANGLES = 40, BODIES = 3 };

// A frame: the patch of every triangle of two bodies, or none.
typedef struct moment {
    patches now;
    size_t track[2 * MOST * BODIES * BODIES];  // of the patches, by the oracle
} moment;

// Adds patches of two bodies: triangles are dealt out to them, so that no two share one.
static void deal(patches* out, uint32_t a, uint32_t b, test_random* random) {
    const size_t count = random_below(random, MOST);
    uint8_t owner[2][TRIANGLES];
    for (int side = 0; side < 2; ++side) {
        for (int t = 0; t < TRIANGLES; ++t) {
            owner[side][t] = (uint8_t)(random_below(random, MOST + 6));
        }
    }
    for (size_t i = 0; i < count; ++i) {
        bool any = false;
        patch* p = patches_add(out, a, b);
        p->depth = random_below(random, 5);
        for (uint32_t s = 0; s < TRIANGLES; ++s) {
            for (uint32_t t = 0; t < TRIANGLES; ++t) {
                const bool first = owner[0][s] == i && (a != b || s < TRIANGLES / 2);
                const bool second = owner[1][t] == i && (a != b || t >= TRIANGLES / 2);
                if (first && second) {
                    patches_add_pair(out, s, t);
                    any = true;
                }
            }
        }
        patches_end(out);
        assert_true(any == (out->list[out->count - 1].triangles > 0));
    }
}

static bool has_key(const patches* p, size_t i, uint64_t key) {
    for (size_t k = 0; k < p->list[i].key_count; ++k) {
        if (p->keys[p->list[i].first_key + k] == key) {
            return true;
        }
    }
    return false;
}

static size_t shared(const patches* x, size_t i, const patches* y, size_t j) {
    size_t count = 0;
    if (x->list[i].a != y->list[j].a || x->list[i].b != y->list[j].b) {
        return 0;
    }
    if (x->list[i].key_count == 0 || y->list[j].key_count == 0) {
        return x->list[i].key_count == y->list[j].key_count;
    }
    for (size_t k = 0; k < x->list[i].key_count; ++k) {
        count += has_key(y, j, x->keys[x->list[i].first_key + k]);
    }
    return count;
}

// takes the two that share most, then the next, until none are left
static void match(moment* m, const moment* before, size_t* next) {
    bool taken[2 * MOST * BODIES * BODIES] = {false};
    for (size_t i = 0; i < m->now.count; ++i) {
        m->track[i] = SIZE_MAX;
    }
    for (size_t most = 1; before != NULL && most != 0;) {
        size_t best[2] = {0, 0};
        most = 0;
        for (size_t i = 0; i < m->now.count; ++i) {
            for (size_t k = 0; k < before->now.count; ++k) {
                const size_t count = m->track[i] == SIZE_MAX && !taken[k]
                                         ? shared(&m->now, i, &before->now, k)
                                         : 0;
                if (count > most) {
                    most = count;
                    best[0] = i;
                    best[1] = k;
                }
            }
        }
        if (most != 0) {
            m->track[best[0]] = before->track[best[1]];
            taken[best[1]] = true;
        }
    }
    for (size_t i = 0; i < m->now.count; ++i) {
        m->track[i] = m->track[i] == SIZE_MAX ? (*next)++ : m->track[i];
    }
}

static void check_track(const track* t, const moment* frames, size_t number, uint64_t seed) {
    size_t seen = 0;
    size_t pairs = 0;
    const patch* worst = NULL;
    uint32_t worst_frame = 0;
    for (uint32_t f = 0; f < FRAMES; ++f) {
        for (size_t i = 0; i < frames[f].now.count; ++i) {
            const patch* p = &frames[f].now.list[i];
            if (frames[f].track[i] != number) {
                continue;
            }
            if (worst == NULL || p->depth > worst->depth ||
                (p->depth == worst->depth && p->pairs > worst->pairs)) {
                worst = p;
                worst_frame = f;
            }
            pairs = p->pairs > pairs ? p->pairs : pairs;
            if (t->first + seen != f) {
                fail_msg("seed %llu: track %zu has no frame %u", (unsigned long long)seed, number,
                         f);
            }
            ++seen;
        }
    }
    assert_int_equal(t->last - t->first + 1, seen);
    assert_int_equal(t->worst, worst_frame);
    assert_int_equal(t->most_pairs, pairs);
    assert_true(t->now.depth == worst->depth && t->now.pairs == worst->pairs);
}

static void run_seed(uint64_t seed) {
    moment* frames = calloc(FRAMES, sizeof *frames);
    test_random random = random_seed(seed);
    tracks t = {0};
    size_t next = 0;
    assert_non_null(frames);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        for (uint32_t a = 0; a < BODIES; ++a) {
            for (uint32_t b = a; b < BODIES; ++b) {
                deal(&frames[f].now, a, b, &random);
            }
        }
        match(&frames[f], f > 0 ? &frames[f - 1] : NULL, &next);
        tracks_add(&t, &frames[f].now, f);
    }
    if (t.count != next) {
        fail_msg("seed %llu: %zu tracks, not %zu", (unsigned long long)seed, t.count, next);
    }
    for (size_t i = 0; i < t.count; ++i) {
        check_track(&t.list[i], frames, i, seed);
    }
    for (uint32_t f = 0; f < FRAMES; ++f) {
        patches_free(&frames[f].now);
    }
    tracks_free(&t);
    free(frames);
}

static void test_random_patches(void** state) {
    (void)state;
    for (uint64_t seed = 1; seed <= effort(40, 200, 2000); ++seed) {
        run_seed(seed);
    }
}

// tracks of an event: of its bodies, that begin in its frames, the worst first
static void test_tracks_of_an_event(void** state) {
    (void)state;
    tracks t = {0};
    const double depths[3] = {0.5, 2, 1};
    for (uint32_t f = 0; f < 6; f += 2) {  // every frame begins a new one
        patches p = {0};
        patches_add(&p, 0, 1)->depth = depths[f / 2];
        patches_end(&p);
        patches_add(&p, 0, 2)->depth = 9;
        patches_end(&p);
        tracks_add(&t, &p, f);
        patches_free(&p);
    }
    size_t count = 0;
    const track** list = tracks_of(&t, 0, 1, 0, 5, &count);
    assert_int_equal(count, 3);
    assert_true(list[0]->now.depth == 2 && list[1]->now.depth == 1 && list[2]->now.depth == 0.5);
    free(list);
    list = tracks_of(&t, 0, 1, 1, 3, &count);
    assert_int_equal(count, 1);
    assert_int_equal(list[0]->worst, 2);
    free(list);
    assert_null(tracks_of(&t, 1, 2, 0, 5, &count));
    assert_int_equal(count, 0);
    tracks_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_patches),
                                       cmocka_unit_test(test_tracks_of_an_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
