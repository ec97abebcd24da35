// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Decides which findings of a world count: see sieve.h.
#include "cli/gate/sieve.h"

#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

struct sieve {
    world* w;
    sieve_def def;
    size_t room;  // for entries
    abut_collide_result* pairs;
    abut_sweep_result* swept;
};

enum { WHOLE = UINT32_MAX };  // in place of a triangle: the body as a whole

// ---- what decides

typedef struct ruling {
    bool counts;
    aside_reason reason;
    uint32_t rule;
} ruling;

static uint32_t lowest_bit(uint64_t bits) {
    uint32_t bit = 0;
    while ((bits & UINT64_C(1) << bit) == 0) {
        ++bit;
    }
    return bit;
}

// --ignore goes before --expect, and both before --only
static ruling rule_on(const sieve* s, uint32_t a, uint32_t triangle_a, uint32_t b,
                      uint32_t triangle_b) {
    (void)triangle_a;
    (void)triangle_b;
    const rules* r = s->def.rules;
    const uint64_t bits = rules_between(s->def.sides[a], s->def.sides[b]);
    const uint64_t ignored = bits & r->of_kind[RULE_IGNORE];
    const uint64_t expected = bits & r->of_kind[RULE_EXPECT];
    if (ignored != 0) {
        return (ruling){false, ASIDE_IGNORED, lowest_bit(ignored)};
    }
    if (expected != 0) {
        return (ruling){false, ASIDE_EXPECTED, lowest_bit(expected)};
    }
    if (r->of_kind[RULE_ONLY] != 0 && (bits & r->of_kind[RULE_ONLY]) == 0) {
        return (ruling){false, ASIDE_OUTSIDE, 0};
    }
    return (ruling){.counts = true};
}

// the filters of queries; the numbers of bodies are those of the scene
static bool pair_counts(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                        uint32_t triangle_b) {
    const sieve* s = user;
    return rule_on(s, s->w->number_of[body_a], triangle_a, s->w->number_of[body_b], triangle_b)
        .counts;
}

static bool pair_is_aside(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                          uint32_t triangle_b) {
    return !pair_counts(user, body_a, triangle_a, body_b, triangle_b);
}

// ---- what is put aside

// the entry of two bodies and a ruling, which is most likely among the last
static aside_entry* entry_of(sieve* s, uint32_t a, uint32_t b, ruling why) {
    world_aside* aside = &s->w->aside;
    const aside_entry wanted = {
        .a = a < b ? a : b, .b = a < b ? b : a, .reason = why.reason, .rule = why.rule};
    for (size_t i = aside->count; i-- > 0;) {
        aside_entry* e = &aside->entries[i];
        if (e->a == wanted.a && e->b == wanted.b && e->reason == why.reason &&
            e->rule == why.rule) {
            return e;
        }
    }
    if (aside->count == s->room) {
        s->room = 2 * s->room + 16;
        aside->entries = reallocate(aside->entries, s->room, sizeof *aside->entries);
    }
    aside->entries[aside->count] = wanted;
    return &aside->entries[aside->count++];
}

static void count_pairs(sieve* s) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(s->pairs, &count);
    aside_entry* last = NULL;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = s->w->number_of[pairs[i].body_a];
        const uint32_t b = s->w->number_of[pairs[i].body_b];
        const ruling why = rule_on(s, a, pairs[i].triangle_a, b, pairs[i].triangle_b);
        if (last == NULL || last->a != a || last->b != b || last->reason != why.reason ||
            last->rule != why.rule) {
            last = entry_of(s, a, b, why);
        }
        ++last->pairs;
    }
}

static void count_swept(sieve* s) {
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(s->swept, &count);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = s->w->number_of[pairs[i].body_a];
        const uint32_t b = s->w->number_of[pairs[i].body_b];
        ++entry_of(s, a, b, rule_on(s, a, pairs[i].triangle_a, b, pairs[i].triangle_b))->swept;
    }
}

// ---- queries for what is put aside

static abut_status ask_pairs(sieve* s, const question* q, bool within, abut_counters* work) {
    abut_collide_def def = abut_collide_def_default();
    def.margin = q->margin;
    def.include_neighbours = within && q->neighbours;
    def.filter = (abut_filter){pair_is_aside, s};
    def.head.counters = work;
    const abut_status status = within ? abut_collide_self_all(s->w->scene, &def, s->pairs, NULL)
                                      : abut_collide_all(s->w->scene, &def, s->pairs, NULL);
    if (status == ABUT_OK) {
        count_pairs(s);
    }
    return status;
}

static abut_status ask_swept(sieve* s, const question* q, bool within, abut_counters* work) {
    abut_sweep_def def = abut_sweep_def_default();
    def.margin = q->margin;
    def.filter = (abut_filter){pair_is_aside, s};
    def.head.counters = work;
    const abut_status status = within ? abut_sweep_self_all(s->w->scene, &def, s->swept, NULL)
                                      : abut_sweep_all(s->w->scene, &def, s->swept, NULL);
    if (status == ABUT_OK) {
        count_swept(s);
    }
    return status;
}

// ---- answers of the world that queries cannot filter

static void sift_gaps(sieve* s, const question* q) {
    world* w = s->w;
    size_t kept = 0;
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_distance_pair* g = &w->gaps[i];
        const uint32_t a = w->number_of[g->body_a];
        const uint32_t b = w->number_of[g->body_b];
        const ruling why = rule_on(s, a, WHOLE, b, WHOLE);
        if (why.counts) {
            w->gaps[kept++] = *g;
        } else if (gap_counts(g, q)) {
            entry_of(s, a, b, why)->gaps = 1;
        }
    }
    w->gap_count = kept;
}

static void sift_insides(sieve* s) {
    world* w = s->w;
    size_t kept = 0;
    for (size_t i = 0; i < w->inside_count; ++i) {
        const inside_entry e = w->insides[i];
        const ruling why = rule_on(s, e.inner, WHOLE, e.outer, WHOLE);
        if (why.counts) {
            w->insides[kept++] = e;
        } else {
            entry_of(s, e.inner, e.outer, why)->insides = 1;
        }
    }
    w->inside_count = kept;
}

static void sift_depths(sieve* s) {
    world* w = s->w;
    size_t kept = 0;
    size_t regions = 0;
    for (size_t i = 0; i < w->depth_count; ++i) {
        depth_entry d = w->depths[i];
        const ruling why = rule_on(s, d.a, WHOLE, d.b, WHOLE);
        if (why.counts) {
            memmove(w->regions + regions, w->regions + d.first, d.count * sizeof *w->regions);
            d.first = regions;
            regions += d.count;
            w->depths[kept++] = d;
        } else if (d.count > 0) {
            entry_of(s, d.a, d.b, why)->regions += d.count;
        }
    }
    w->depth_count = kept;
    w->region_count = regions;
}

// counts the rules of --expect that no entry speaks of
static size_t missing_rules(const sieve* s) {
    uint64_t missing = s->def.rules->of_kind[RULE_EXPECT];
    size_t count = 0;
    for (size_t i = 0; i < s->w->aside.count; ++i) {
        const aside_entry* e = &s->w->aside.entries[i];
        missing &= e->reason == ASIDE_EXPECTED ? ~(UINT64_C(1) << e->rule) : ~UINT64_C(0);
    }
    for (; missing != 0; missing &= missing - 1) {
        ++count;
    }
    return count;
}

static int compare_entries(const void* x, const void* y) {
    const aside_entry* e = x;
    const aside_entry* f = y;
    return e->a != f->a             ? (e->a < f->a ? -1 : 1)
           : e->b != f->b           ? (e->b < f->b ? -1 : 1)
           : e->reason != f->reason ? (e->reason < f->reason ? -1 : 1)
                                    : (e->rule > f->rule) - (e->rule < f->rule);
}

bool sieve_ask(sieve* s, const question* q, abut_counters* work) {
    world* w = s->w;
    const bool between = q->between || (q->depth && w->body_count > 1);
    const bool within = q->self || q->depth_self;
    abut_status status = ABUT_OK;
    w->aside.count = 0;
    for (int self = 0; self < 2 && status == ABUT_OK; ++self) {
        if (self ? within : between) {
            status = ask_pairs(s, q, self, work);
        }
        if (status == ABUT_OK && q->sweep && w->stepped && (self ? q->self : q->between)) {
            status = ask_swept(s, q, self, work);
        }
    }
    if (status != ABUT_OK) {
        complain("%s", abut_status_text(status));
        return false;
    }
    sift_gaps(s, q);
    sift_insides(s);
    sift_depths(s);
    if (w->aside.count > 1) {
        qsort(w->aside.entries, w->aside.count, sizeof *w->aside.entries, compare_entries);
    }
    w->aside.missing = missing_rules(s);
    return true;
}

// ---- making and ending

sieve* sieve_open(world* w, const sieve_def* def) {
    sieve* s = allocate(1, sizeof *s);
    *s = (sieve){.w = w, .def = *def};
    if (abut_collide_result_create(w->context, &s->pairs, NULL) != ABUT_OK ||
        abut_sweep_result_create(w->context, &s->swept, NULL) != ABUT_OK) {
        exit(complain("there is not enough memory"));
    }
    w->aside.used = true;
    w->aside.counts = (abut_filter){pair_counts, s};
    return s;
}

void sieve_close(sieve* s) {
    if (s != NULL) {
        abut_collide_result_destroy(s->pairs);
        abut_sweep_result_destroy(s->swept);
        s->w->aside.counts = (abut_filter){0};
        free(s);
    }
}
