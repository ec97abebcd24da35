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
    abut_features_result* features;  // NULL until they are requested
    rule_sides** sides;              // by body, then triangle; NULL: those of the body
    bool has_sides;                  // computed
    identity* ids;                   // of the bodies, if there is a baseline
    uint64_t** part_keys;  // of their components, then of the whole body, in the baseline; 0: none
    uint64_t* known;       // keys of findings of this frame that the baseline has
    size_t known_count;
    size_t known_room;
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

// the sides of rules that a body, or one of its triangles, matches
static rule_sides sides_of(const sieve* s, uint32_t body, uint32_t triangle) {
    rule_sides found = s->def.sides[body];
    const rule_sides* own = s->sides != NULL && triangle != WHOLE ? s->sides[body] : NULL;
    if (own != NULL) {
        found.a |= own[triangle].a;
        found.b |= own[triangle].b;
    }
    return found;
}

// the key of a triangle, or of a body, in the baseline; 0: it has none
static uint64_t key_of(const sieve* s, uint32_t body, uint32_t triangle) {
    const identity* id = &s->ids[body];
    if (s->part_keys == NULL) {
        return triangle == WHOLE ? id->whole : id->keys[triangle];
    }
    const uint32_t part = triangle == WHOLE ? id->part_count : id->part_of[triangle];
    return part == UINT32_MAX ? 0 : s->part_keys[body][part];
}

// the key of a finding that the baseline has; 0: it is new
static uint64_t known_key(const sieve* s, finding_kind kind, uint32_t a, uint32_t triangle_a,
                          uint32_t b, uint32_t triangle_b) {
    if (s->def.known == NULL) {
        return 0;
    }
    const uint64_t x = key_of(s, a, triangle_a);
    const uint64_t y = key_of(s, b, triangle_b);
    const uint64_t key = x != 0 && y != 0 ? pair_key(kind, x, y) : 0;
    return key != 0 && baseline_knows(s->def.known, key) ? key : 0;
}

// --ignore goes before --expect, both before --only, and all before the baseline
static ruling rule_on(const sieve* s, finding_kind kind, uint32_t a, uint32_t triangle_a,
                      uint32_t b, uint32_t triangle_b) {
    const rules* r = s->def.rules;
    const uint64_t bits = rules_between(sides_of(s, a, triangle_a), sides_of(s, b, triangle_b));
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
    if (known_key(s, kind, a, triangle_a, b, triangle_b) != 0) {
        return (ruling){false, ASIDE_KNOWN, 0};
    }
    return (ruling){.counts = true};
}

// the filters of queries; the numbers of bodies are those of the scene
static bool pair_counts(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                        uint32_t triangle_b) {
    const sieve* s = user;
    return rule_on(s, FINDING_CONTACT, s->w->number_of[body_a], triangle_a, s->w->number_of[body_b],
                   triangle_b)
        .counts;
}

static bool pair_is_aside(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                          uint32_t triangle_b) {
    return !pair_counts(user, body_a, triangle_a, body_b, triangle_b);
}

// features within a distance count as those of bodies that are near each other do
static bool feature_counts(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                           uint32_t triangle_b) {
    const sieve* s = user;
    (void)triangle_a;
    (void)triangle_b;
    return rule_on(s, FINDING_NEAR, s->w->number_of[body_a], WHOLE, s->w->number_of[body_b], WHOLE)
        .counts;
}

static bool feature_is_aside(void* user, uint32_t body_a, uint32_t triangle_a, uint32_t body_b,
                             uint32_t triangle_b) {
    return !feature_counts(user, body_a, triangle_a, body_b, triangle_b);
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

// notes a finding that the baseline has, for what is gone
static void note_known(sieve* s, uint64_t key) {
    if (key == 0) {
        return;
    }
    if (s->known_count == s->known_room) {
        s->known_room = 2 * s->known_room + 64;
        s->known = reallocate(s->known, s->known_room, sizeof *s->known);
    }
    s->known[s->known_count++] = key;
}

static void count_pairs(sieve* s) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(s->pairs, &count);
    aside_entry* last = NULL;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = s->w->number_of[pairs[i].body_a];
        const uint32_t b = s->w->number_of[pairs[i].body_b];
        const ruling why = rule_on(s, FINDING_CONTACT, a, pairs[i].triangle_a, b,
                                   pairs[i].triangle_b);
        note_known(s,
                   known_key(s, FINDING_CONTACT, a, pairs[i].triangle_a, b, pairs[i].triangle_b));
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
        const ruling why = rule_on(s, FINDING_CONTACT, a, pairs[i].triangle_a, b,
                                   pairs[i].triangle_b);
        ++entry_of(s, a, b, why)->swept;
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

static abut_status ask_features(sieve* s, const question* q, bool within, abut_counters* work) {
    size_t count = 0;
    abut_features_def def = abut_features_def_default();
    def.distance = q->within;
    def.filter = (abut_filter){feature_is_aside, s};
    def.head.counters = work;
    abut_status status = s->features != NULL
                             ? ABUT_OK
                             : abut_features_result_create(s->w->context, &s->features, NULL);
    if (status == ABUT_OK) {
        status = within ? abut_features_self_all(s->w->scene, &def, s->features, NULL)
                        : abut_features_all(s->w->scene, &def, s->features, NULL);
    }
    const abut_feature_pair* rows = abut_features_result_pairs(s->features, &count);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = s->w->number_of[rows[i].body_a];
        const uint32_t b = s->w->number_of[rows[i].body_b];
        note_known(s, known_key(s, FINDING_NEAR, a, WHOLE, b, WHOLE));
        ++entry_of(s, a, b, rule_on(s, FINDING_NEAR, a, WHOLE, b, WHOLE))->features;
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
        const finding_kind kind = g->distance == 0 ? FINDING_CONTACT : FINDING_NEAR;
        const ruling why = rule_on(s, kind, a, WHOLE, b, WHOLE);
        note_known(s, known_key(s, kind, a, WHOLE, b, WHOLE));
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
        const ruling why = rule_on(s, FINDING_INSIDE, e.inner, WHOLE, e.outer, WHOLE);
        note_known(s, known_key(s, FINDING_INSIDE, e.inner, WHOLE, e.outer, WHOLE));
        if (why.counts) {
            w->insides[kept++] = e;
        } else {
            entry_of(s, e.inner, e.outer, why)->insides = 1;
        }
    }
    w->inside_count = kept;
}

// A region does not count if the rules name both bodies, or if none of its pairs counts. One without
// pairs is a piece wholly inside the other body.
static ruling rule_on_region(const sieve* s, const depth_entry* d, const abut_region* r) {
    const abut_pair* pairs = abut_depth_result_pairs(d->depths, NULL);
    ruling why = rule_on(s, r->pair_count == 0 ? FINDING_INSIDE : FINDING_CONTACT, d->a, WHOLE,
                         d->b, WHOLE);
    for (size_t i = 0; i < r->pair_count && (i == 0 || !why.counts); ++i) {
        const abut_pair* p = &pairs[r->first_pair + i];
        why = rule_on(s, FINDING_CONTACT, d->a, p->triangle_a, d->b, p->triangle_b);
    }
    return why;
}

static void sift_depths(sieve* s) {
    world* w = s->w;
    size_t kept = 0;
    size_t regions = 0;
    for (size_t i = 0; i < w->depth_count; ++i) {
        depth_entry d = w->depths[i];
        const size_t first = regions;
        for (size_t k = d.first; k < d.first + d.count; ++k) {
            const abut_region r = w->regions[k];
            const ruling why = rule_on_region(s, &d, &r);
            if (why.counts) {
                w->regions[regions++] = r;
            } else {
                ++entry_of(s, d.a, d.b, why)->regions;
            }
        }
        // what is left of an entry, or one without an inside whose bodies count
        const bool undefined = !d.defined &&
                               rule_on(s, FINDING_KINDS, d.a, WHOLE, d.b, WHOLE).counts;
        d.first = first;
        d.count = regions - first;
        if (d.count > 0 || undefined) {
            w->depths[kept++] = d;
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

// ---- identities

// matches the components of all bodies with those of the baseline
static void match_parts(sieve* s) {
    const world* w = s->w;
    size_t count = 0;
    for (uint32_t i = 0; i < w->body_count; ++i) {
        count += s->ids[i].part_count + 1;
    }
    component* list = allocate(count, sizeof *list);
    count = 0;
    for (uint32_t i = 0; i < w->body_count; ++i) {
        for (uint32_t k = 0; k <= s->ids[i].part_count; ++k) {
            // a body of one component has its box twice; the whole one comes below
            const bool twice = k == s->ids[i].part_count && k == 1;
            if (!twice) {
                list[count++] = (component){s->ids[i].boxes[k], s->def.nodes[i], 0};
            }
        }
    }
    baseline_match(s->def.known, list, count);
    count = 0;
    for (uint32_t i = 0; i < w->body_count; ++i) {
        s->part_keys[i] = reallocate(s->part_keys[i], s->ids[i].part_count + 1,
                                     sizeof *s->part_keys[i]);
        for (uint32_t k = 0; k <= s->ids[i].part_count; ++k) {
            const bool twice = k == s->ids[i].part_count && k == 1;
            s->part_keys[i][k] = twice ? s->part_keys[i][0] : list[count++].key;
        }
    }
    free(list);
}

// the sides of the triangles of a body, by the runs of their names; NULL if no name matches
static rule_sides* sides_by_triangle(const sieve* s, uint32_t body) {
    const io_tags* tags = s->def.objects->objects[body].tags;
    const abut_shape* shape = abut_body_shape(s->w->scene, s->w->bodies[body]);
    const size_t count = shape != NULL ? abut_mesh_triangle_count(abut_shape_mesh(shape)) : 0;
    rule_sides now[IO_TAG_KINDS] = {{0, 0}};
    rule_sides* list = NULL;
    for (size_t i = 0; tags != NULL && i < tags->count; ++i) {
        const io_tag_run* run = &tags->runs[i];
        const size_t end = i + 1 < tags->count ? tags->runs[i + 1].first : count;
        now[run->kind] = rules_match_tag(s->def.rules, run->name);
        rule_sides all = {0, 0};
        for (int k = 0; k < IO_TAG_KINDS; ++k) {
            all.a |= now[k].a;
            all.b |= now[k].b;
        }
        if ((all.a | all.b) != 0 && list == NULL) {
            list = allocate(count, sizeof *list);
        }
        for (size_t t = run->first; list != NULL && t < end && t < count; ++t) {
            list[t] = all;
        }
    }
    return list;
}

static void take_sides(sieve* s) {
    if (s->def.rules->count == 0 || (s->has_sides && !s->w->aside.stale)) {
        return;
    }
    if (s->sides == NULL) {
        s->sides = allocate(s->w->body_count, sizeof *s->sides);
    }
    for (uint32_t i = 0; i < s->w->body_count; ++i) {
        free(s->sides[i]);
        s->sides[i] = sides_by_triangle(s, i);
    }
    s->has_sides = true;
}

void sieve_prepare(sieve* s) {
    const world* w = s->w;
    bool changed = false;
    take_sides(s);
    if (!s->def.identifies) {
        s->w->aside.stale = false;
        return;
    }
    if (s->ids == NULL) {
        s->ids = allocate(w->body_count, sizeof *s->ids);
    }
    for (uint32_t i = 0; i < w->body_count; ++i) {
        const abut_shape* shape = abut_body_shape(w->scene, w->bodies[i]);
        if (shape != NULL && (!s->ids[i].valid || w->aside.stale)) {
            identity_take(&s->ids[i], abut_shape_mesh(shape), s->def.nodes[i], s->def.by_component);
            changed = true;
        }
    }
    if (changed && s->def.known != NULL && baseline_by_component(s->def.known)) {
        s->part_keys = s->part_keys != NULL ? s->part_keys
                                            : allocate(w->body_count, sizeof *s->part_keys);
        match_parts(s);
    }
    s->w->aside.stale = false;
}

static known_side side_of(const sieve* s, uint32_t body, uint32_t triangle) {
    const identity* id = &s->ids[body];
    known_side side = {.label = s->def.labels[body], .node = s->def.nodes[body]};
    if (s->def.by_component) {
        side.box = &id->boxes[triangle == WHOLE ? id->part_count : id->part_of[triangle]];
        side.key = box_key(side.box, side.node);
    } else {
        side.key = triangle == WHOLE ? id->whole : id->keys[triangle];
    }
    return side;
}

static void keep(const sieve* s, finding_kind kind, uint32_t a, uint32_t triangle_a, uint32_t b,
                 uint32_t triangle_b, baseline* to) {
    const known_side x = side_of(s, a, triangle_a);
    const known_side y = side_of(s, b, triangle_b);
    baseline_add(to, kind, &x, &y);
}

static void keep_pairs(const sieve* s, const abut_collide_result* answer, baseline* to) {
    size_t count = 0;
    const abut_pair* pairs = abut_collide_result_pairs(answer, &count);
    for (size_t i = 0; i < count; ++i) {
        keep(s, FINDING_CONTACT, s->w->number_of[pairs[i].body_a], pairs[i].triangle_a,
             s->w->number_of[pairs[i].body_b], pairs[i].triangle_b, to);
    }
}

// keeps the pairs of regions, unless another query has them
static void keep_regions(const sieve* s, const question* q, const depth_entry* d, baseline* to) {
    const abut_pair* pairs = abut_depth_result_pairs(d->depths, NULL);
    for (size_t k = d->first; k < d->first + d->count; ++k) {
        const abut_region* r = &s->w->regions[k];
        if (r->pair_count == 0) {
            keep(s, FINDING_INSIDE, d->a, WHOLE, d->b, WHOLE, to);
        }
        for (size_t i = 0; i < r->pair_count && !(d->a == d->b ? q->self : q->between); ++i) {
            const abut_pair* p = &pairs[r->first_pair + i];
            keep(s, FINDING_CONTACT, d->a, p->triangle_a, d->b, p->triangle_b, to);
        }
    }
    if (d->pairs != NULL) {
        keep_pairs(s, d->pairs, to);
    }
}

typedef struct keeper {
    const sieve* s;
    baseline* to;
} keeper;

static void keep_features(void* user, const feature_list* list) {
    const keeper* k = user;
    keep(k->s, FINDING_NEAR, list->a, WHOLE, list->b, WHOLE, k->to);
}

void sieve_keep(const sieve* s, const question* q, baseline* to) {
    const world* w = s->w;
    if (q->between) {
        keep_pairs(s, w->between, to);
    }
    if (q->self) {
        keep_pairs(s, w->self, to);
    }
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        keep_regions(s, q, &w->depths[i], to);
    }
    for (size_t i = 0; i < w->inside_count; ++i) {
        keep(s, FINDING_INSIDE, w->insides[i].inner, WHOLE, w->insides[i].outer, WHOLE, to);
    }
    keeper keeps = {s, to};
    world_each_feature_list(w, q, keep_features, &keeps);
    for (size_t i = 0; i < w->gap_count; ++i) {
        if (gap_counts(&w->gaps[i], q)) {
            keep(s, w->gaps[i].distance == 0 ? FINDING_CONTACT : FINDING_NEAR,
                 w->number_of[w->gaps[i].body_a], WHOLE, w->number_of[w->gaps[i].body_b], WHOLE,
                 to);
        }
    }
}

const uint64_t* sieve_known(const sieve* s, size_t* count) {
    *count = s->known_count;
    return s->known;
}

void sieve_learn(sieve* s, const baseline* known) {
    s->def.known = known;
    s->w->aside.stale = true;
}

bool sieve_ask(sieve* s, const question* q, abut_counters* work) {
    world* w = s->w;
    const bool between = q->between || (q->depth && w->body_count > 1);
    const bool within = q->self || q->depth_self;
    abut_status status = ABUT_OK;
    w->aside.count = s->known_count = 0;
    for (int self = 0; self < 2 && status == ABUT_OK; ++self) {
        if (self ? within : between) {
            status = ask_pairs(s, q, self, work);
        }
        if (status == ABUT_OK && q->sweep && w->stepped && (self ? q->self : q->between)) {
            status = ask_swept(s, q, self, work);
        }
        if (status == ABUT_OK && (self ? q->features_self : q->features)) {
            status = ask_features(s, q, self, work);
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
    w->aside.features = (abut_filter){feature_counts, s};
    return s;
}

void sieve_close(sieve* s) {
    if (s != NULL) {
        abut_collide_result_destroy(s->pairs);
        abut_sweep_result_destroy(s->swept);
        abut_features_result_destroy(s->features);
        for (uint32_t i = 0; i < s->w->body_count; ++i) {
            if (s->ids != NULL) {
                identity_free(&s->ids[i]);
            }
            if (s->part_keys != NULL) {
                free(s->part_keys[i]);
            }
            if (s->sides != NULL) {
                free(s->sides[i]);
            }
        }
        free(s->ids);
        free(s->part_keys);
        free(s->sides);
        free(s->known);
        s->w->aside.counts = s->w->aside.features = (abut_filter){0};
        free(s);
    }
}
