// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Collects the findings of frames, and the verdict: see findings.h.
#include "cli/findings.h"

#include "cli/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- one frame: findings of all answers are appended, then those of the same bodies are merged

static finding* append(findings* f, uint32_t a, uint32_t b) {
    if (f->count == f->room) {
        f->room = 2 * f->room + 16;
        f->list = reallocate(f->list, f->room, sizeof *f->list);
    }
    finding* at = &f->list[f->count++];
    *at = (finding){.a = a < b ? a : b, .b = a < b ? b : a};
    at->first = at->distance = at->depth = NAN;
    return at;
}

static void add_contact(void* user, const contact* c) {
    finding* at = append(user, c->a, c->b);
    at->pairs = c->count;
}

typedef struct adder {
    findings* f;
    const world* w;
} adder;

static void add_answer(void* user, const abut_collide_result* answer) {
    const adder* add = user;
    world_each_contact(add->w, answer, add_contact, add->f);
}

// adds swept contacts, which are sorted by bodies
static void add_swept(findings* f, const world* w, const abut_sweep_result* answer) {
    size_t count = 0;
    const abut_sweep_pair* pairs = abut_sweep_result_pairs(answer, &count);
    finding* at = NULL;
    for (size_t i = 0; i < count; ++i) {
        const abut_sweep_pair* p = &pairs[i];
        if (i == 0 || p->body_a != p[-1].body_a || p->body_b != p[-1].body_b) {
            at = append(f, w->number_of[p->body_a], w->number_of[p->body_b]);
            at->first = p->time;
        }
        ++at->swept;
        at->first = p->time < at->first ? p->time : at->first;
    }
}

static void add_features(void* user, const feature_list* list) {
    append(user, list->a, list->b)->features = list->count;
}

static void add_gaps(findings* f, const world* w) {
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_distance_pair* g = &w->gaps[i];
        finding* at = append(f, w->number_of[g->body_a], w->number_of[g->body_b]);
        at->distance = g->distance;
        at->gap = g;
        at->gap_turned = w->number_of[g->body_a] != at->a;
    }
}

// whether a region is a better example of the depth; a fold, with infinite depth, is the worst
static bool deeper(const abut_region* r, const abut_region* than) {
    return than == NULL ||
           (isfinite(r->depth) && (!isfinite(than->depth) || r->depth > than->depth));
}

static void add_depth(findings* f, world* w, const question* q, const depth_entry* d) {
    if (d->defined && d->count == 0) {
        return;
    }
    finding* at = append(f, d->a, d->b);
    for (size_t i = d->first; i < d->first + d->count; ++i) {
        at->deepest = deeper(&w->regions[i], at->deepest) ? &w->regions[i] : at->deepest;
    }
    at->regions = d->count;
    at->depth = at->deepest != NULL ? at->deepest->depth : NAN;
    at->depth_undefined = !d->defined;
    for (size_t i = d->first; i < d->first + d->count; ++i) {
        const bool elsewhere = d->a == d->b ? q->self : q->between;
        // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a count above 0 has regions
        at->region_pairs += elsewhere ? 0 : w->regions[i].pair_count;
    }
    if (!d->defined) {
        at->why_a = world_no_inside(w, d->a);
        at->why_b = world_no_inside(w, d->b);
    }
}

static void add_insides(findings* f, const world* w) {
    for (size_t i = 0; i < w->inside_count; ++i) {
        const inside_entry* e = &w->insides[i];
        finding* at = append(f, e->inner, e->outer);
        at->inside = e->inner == at->a ? INSIDE_A_IN_B : INSIDE_B_IN_A;
        at->partly = e->partly;
    }
}

static int compare(const void* x, const void* y) {
    const finding* f = x;
    const finding* g = y;
    return f->a != g->a ? (f->a < g->a ? -1 : 1) : (f->b > g->b) - (f->b < g->b);
}

// the lower of two numbers; a NAN is ignored
static double lower_of(double x, double y) {
    return isnan(x) || y < x ? y : x;
}

static void merge(finding* f, const finding* g) {
    // of equal distances the first in memory, for any order of merging
    if (g->gap != NULL && (f->gap == NULL || g->distance < f->distance ||
                           (g->distance == f->distance && g->gap < f->gap))) {
        f->gap = g->gap;
        f->gap_turned = g->gap_turned;
        f->distance = g->distance;
    }
    if (g->inside != INSIDE_NONE && (f->inside == INSIDE_NONE || g->inside < f->inside)) {
        f->inside = g->inside;
        f->partly = g->partly;
    }
    if (g->deepest != NULL) {
        f->deepest = g->deepest;  // two bodies have one entry
        f->depth = g->depth;
    }
    f->pairs += g->pairs;
    f->region_pairs += g->region_pairs;
    f->swept += g->swept;
    f->features += g->features;
    f->first = lower_of(f->first, g->first);
    f->regions += g->regions;
    f->depth_undefined = f->depth_undefined || g->depth_undefined;
    f->why_a = f->why_a != NULL ? f->why_a : g->why_a;
    f->why_b = f->why_b != NULL ? f->why_b : g->why_b;
}

static void sort_and_merge(findings* f) {
    size_t kept = 0;
    if (f->count > 1) {
        qsort(f->list, f->count, sizeof *f->list, compare);
    }
    for (size_t i = 0; i < f->count; ++i) {
        if (kept > 0 && compare(&f->list[kept - 1], &f->list[i]) == 0) {
            merge(&f->list[kept - 1], &f->list[i]);
        } else {
            f->list[kept++] = f->list[i];
        }
    }
    f->count = kept;
}

// ---- relations of two bodies

// appends a relation without pairs and regions
static relation* append_relation(relation* list, size_t* count, relation_kind kind,
                                 const finding* f) {
    relation* r = &list[(*count)++];
    *r = (relation){.kind = kind, .counts = true, .undefined = f->depth_undefined};
    r->pairs = r->swept = r->features = r->regions = NO_COUNT;
    r->first = r->depth = NAN;
    r->distance = f->distance;
    return r;
}

static void take_regions(relation* r, const finding* f) {
    const double sign = r->kind >= RELATION_B_IN_A ? -1 : 1;  // -direction separates b
    r->regions = f->regions;
    r->depth = f->depth;
    for (int d = 0; d < 3 && f->deepest != NULL; ++d) {
        r->direction[d] = sign * f->deepest->direction[d];
    }
}

static void take_pairs(relation* r, const finding* f) {
    r->pairs = f->pairs + f->region_pairs;
    r->swept = f->swept;
    r->first = f->first;
}

// With a margin, pairs and swept contacts count as near, because the query does not find out
// whether they touch. Surfaces do not touch where a body is inside another, so regions belong to
// that relation.
size_t finding_relations(const finding* f, const question* q, relation list[MOST_RELATIONS]) {
    size_t count = 0;
    const bool margin = q->margin > 0;
    const bool inside = f->inside != INSIDE_NONE;
    const bool listed = f->pairs > 0 || f->swept > 0;
    const bool own_regions = f->regions > 0 && !inside;
    if (own_regions || f->distance == 0 || (listed && !margin)) {
        relation* r = append_relation(list, &count, RELATION_TOUCHES, f);
        r->features = f->features;
        if (!margin) {
            take_pairs(r, f);
        }
        if (!inside) {
            take_regions(r, f);
        }
    }
    const bool near = f->distance > 0 || (f->features > 0 && count == 0);
    if ((listed && margin) || (q->limited && near)) {
        relation* r = append_relation(list, &count, RELATION_NEAR, f);
        r->features = count == 1 ? f->features : NO_COUNT;
        take_pairs(r, f);
    }
    if (inside) {
        const relation_kind kind = f->inside == INSIDE_A_IN_B ? RELATION_A_IN_B : RELATION_B_IN_A;
        relation* r = append_relation(list, &count, kind + (f->partly ? 1 : 0), f);
        r->counts = q->depth;  // being inside counts only with --depth
        take_regions(r, f);
    }
    return count;
}

static void judge(findings* f, const question* q) {
    f->contact = f->touching = false;
    for (size_t i = 0; i < f->count; ++i) {
        relation list[MOST_RELATIONS];
        const size_t count = finding_relations(&f->list[i], q, list);
        for (size_t k = 0; k < count; ++k) {
            f->list[i].contact = f->list[i].contact || list[k].counts;
            f->touching = f->touching || (list[k].counts && list[k].kind != RELATION_NEAR);
        }
        f->contact = f->contact || f->list[i].contact;
    }
}

static void count_aside(findings* f, const world_aside* aside) {
    memset(f->aside, 0, sizeof f->aside);
    for (size_t i = 0; i < aside->count; ++i) {
        const aside_entry* e = &aside->entries[i];
        f->aside[e->reason] += e->pairs + e->swept + e->regions + e->insides + e->gaps +
                               e->features;
    }
    f->missing = aside->missing;
}

void findings_judge(findings* f, const question* q, const world_aside* aside) {
    judge(f, q);
    count_aside(f, aside);
}

void findings_take(findings* f, world* w, const question* q) {
    adder add = {f, w};
    f->count = 0;
    world_each_answer(w, q, add_answer, &add);
    if (q->sweep && w->stepped && q->between) {
        add_swept(f, w, w->swept_between);
    }
    if (q->sweep && w->stepped && q->self) {
        add_swept(f, w, w->swept_self);
    }
    if (q->nearest) {
        add_gaps(f, w);
    }
    world_each_feature_list(w, q, add_features, f);
    for (size_t i = 0; i < w->depth_count && q->depth; ++i) {
        add_depth(f, w, q, &w->depths[i]);
    }
    if (q->inside) {
        add_insides(f, w);
    }
    sort_and_merge(f);
    findings_judge(f, q, &w->aside);
}

const finding* findings_of(const findings* f, uint32_t a, uint32_t b) {
    const finding wanted = {.a = a, .b = b};
    return f->count == 0 ? NULL : bsearch(&wanted, f->list, f->count, sizeof *f->list, compare);
}

void findings_free(findings* f) {
    free(f->list);
    *f = (findings){0};
}

const char* finding_reason(const finding* f, const char* const* names, char text[REASON_SIZE]) {
    const bool both = f->why_a != NULL && f->why_b != NULL && f->a != f->b;
    const char* first = f->why_a != NULL ? f->why_a : f->why_b;
    text[0] = '\0';
    if (f->depth_undefined && first != NULL) {
        snprintf(text, REASON_SIZE, "depth is undefined: %.250s %s%s%.250s%s%s",
                 names[f->why_a != NULL ? f->a : f->b], first, both ? ", " : "",
                 both ? names[f->b] : "", both ? " " : "", both ? f->why_b : "");
    } else if (f->depth_undefined) {
        snprintf(text, REASON_SIZE, "depth is undefined: a surface has no inside");
    }
    return text;
}

// ---- all frames

static void add_inside(verdict* v, inside_entry e) {
    size_t place = 0;
    while (place < v->inside_count &&
           (v->insides[place].inner < e.inner ||
            (v->insides[place].inner == e.inner && v->insides[place].outer < e.outer))) {
        ++place;
    }
    inside_entry* at = place < v->inside_count ? &v->insides[place] : NULL;
    if (at != NULL && at->inner == e.inner && at->outer == e.outer) {
        at->partly = at->partly && e.partly;
        return;
    }
    v->insides = reallocate(v->insides, v->inside_count + 1, sizeof *v->insides);
    at = v->insides + place;
    memmove(at + 1, at, (v->inside_count++ - place) * sizeof *at);
    *at = e;
}

void verdict_add(verdict* v, const findings* f) {
    ++v->frames;
    v->touching += f->contact;
    v->near += f->contact && !f->touching;
    v->missing += f->missing != 0;
    for (int i = 0; i < ASIDE_REASONS; ++i) {
        v->aside[i] += f->aside[i];
    }
    for (size_t i = 0; i < f->count; ++i) {
        const finding* at = &f->list[i];
        const bool a_in_b = at->inside == INSIDE_A_IN_B;
        if (at->inside != INSIDE_NONE) {
            add_inside(v,
                       (inside_entry){a_in_b ? at->a : at->b, a_in_b ? at->b : at->a, at->partly});
        }
    }
}

void verdict_free(verdict* v) {
    free(v->insides);
    *v = (verdict){0};
}

bool verdict_found(const verdict* v) {
    return v->touching != 0 || v->missing != 0;
}

// where was looked, for a verdict without contact
static const char* searched_places(const question* q) {
    const bool between = q->between || q->nearest || q->features ||
                         q->inside;  // --depth sets `inside`
    const bool within = q->self || q->features_self || q->depth_self;
    return between && within ? " between the objects or within one"
           : within          ? " within an object"
                             : " between the objects";
}

// names the first body that is inside another one
static void inside_text(const verdict* v, const char* const* names, char text[VERDICT_SIZE]) {
    const inside_entry* e = &v->insides[0];
    char more[64] = "";
    if (v->inside_count > 1) {
        snprintf(more, sizeof more, ", and %zu more such pair%s", v->inside_count - 1,
                 v->inside_count == 2 ? "" : "s");
    }
    snprintf(text, VERDICT_SIZE, "; %.250s is %sinside %.250s%s", names[e->inner],
             e->partly ? "partly " : "", names[e->outer], more);
}

// the limit that was looked for instead of contact, to follow "within"; NULL: none
static const char* limit_of(const question* q) {
    return q->margin > 0 && q->limited ? "the margin or the distance"
           : q->margin > 0             ? "the margin"
           : q->limited                ? "the distance"
                                       : NULL;
}

static void found_text(const verdict* v, const question* q, char text[VERDICT_SIZE]) {
    const size_t sure = v->touching - v->near;
    const char* limit = limit_of(q);
    if (v->frames == 1 && sure > 0) {
        snprintf(text, VERDICT_SIZE, "Contact");
    } else if (v->frames == 1) {
        snprintf(text, VERDICT_SIZE, "Within %s", limit);
    } else if (sure == 0) {
        snprintf(text, VERDICT_SIZE, "Within %s in %zu of %zu frames", limit, v->near, v->frames);
    } else {
        const int used = snprintf(text, VERDICT_SIZE, "Contact in %zu of %zu frames", sure,
                                  v->frames);
        if (v->near > 0) {
            snprintf(text + used, VERDICT_SIZE - (size_t)used, ", within %s in %zu more", limit,
                     v->near);
        }
    }
}

const char* verdict_rules_text(const verdict* v, char text[VERDICT_RULES_SIZE]) {
    static const char* const words[ASIDE_REASONS] = {"ignored", "expected", "left out by --only",
                                                     "known"};
    size_t used = 0;
    const char* separator = "; ";
    text[0] = '\0';
    if (v->missing != 0) {
        used += (size_t)snprintf(text + used, VERDICT_RULES_SIZE - used,
                                 v->frames > 1
                                     ? "; expected contact is missing in %zu of %zu frames"
                                     : "; expected contact is missing",
                                 v->missing, v->frames);
    }
    for (int i = 0; i < ASIDE_REASONS; ++i) {
        if (v->aside[i] != 0) {
            used += (size_t)snprintf(text + used, VERDICT_RULES_SIZE - used, "%s%zu %s", separator,
                                     v->aside[i], words[i]);
            separator = ", ";
        }
    }
    return text;
}

static void searched_text(const verdict* v, const question* q, const char* const* names,
                          char text[VERDICT_SIZE]) {
    char inside[VERDICT_SIZE] = "";
    char frames[64] = "";
    char what[64];
    const char* limit = limit_of(q);
    const bool alone = v->inside_count == 0;
    if (v->frames > 1) {
        snprintf(frames, sizeof frames, " in any of %zu frames", v->frames);
    }
    if (!alone) {
        inside_text(v, names, inside);
    }
    if (limit != NULL) {
        snprintf(what, sizeof what,
                 q->margin > 0 ? (alone ? "Nothing comes within %s" : "No surfaces come within %s")
                 : alone       ? "Nothing is within %s"
                               : "No surfaces are within %s",
                 limit);
    } else {
        snprintf(what, sizeof what, alone ? "Nothing touches" : "No surfaces touch");
    }
    snprintf(text, VERDICT_SIZE, "%s%s%s%.600s", what, alone ? searched_places(q) : "", frames,
             inside);
}

const char* verdict_contact_text(const verdict* v, const question* q, const char* const* names,
                                 char text[VERDICT_SIZE]) {
    if (v->touching != 0) {
        found_text(v, q, text);
    } else {
        searched_text(v, q, names, text);
    }
    return text;
}

const char* verdict_text(const verdict* v, const question* q, const char* const* names,
                         char text[VERDICT_SIZE]) {
    char by_rules[VERDICT_RULES_SIZE];
    verdict_contact_text(v, q, names, text);
    const size_t used = strlen(text);
    snprintf(text + used, VERDICT_SIZE - used, "%s", verdict_rules_text(v, by_rules));
    return text;
}
