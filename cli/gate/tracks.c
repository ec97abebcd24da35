// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Follows patches over time: see tracks.h.
#include "cli/gate/tracks.h"

#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

// ---- which patch continues which

// How many triangles patch `now` shares with patch `before`.
typedef struct link {
    size_t now;
    size_t before;
    size_t shared;
} link;

typedef struct links {
    link* list;
    size_t count;
    size_t room;
} links;

// A triangle of a patch.
typedef struct use {
    uint64_t key;
    size_t patch;
} use;

static void add_link(links* l, size_t now, size_t before, size_t shared) {
    if (l->count == l->room) {
        l->room = 2 * l->room + 32;
        l->list = reallocate(l->list, l->room, sizeof *l->list);
    }
    l->list[l->count++] = (link){now, before, shared};
}

static int compare_uses(const void* x, const void* y) {
    const use* a = x;
    const use* b = y;
    return a->key != b->key ? (a->key < b->key ? -1 : 1)
                            : (a->patch > b->patch) - (a->patch < b->patch);
}

// the triangles of patches first .. end - 1, sorted; the caller frees them
static use* uses_of(const patches* p, size_t first, size_t end, size_t* count) {
    *count = 0;
    for (size_t i = first; i < end; ++i) {
        *count += p->list[i].key_count;
    }
    use* out = allocate(*count, sizeof *out);
    size_t at = 0;
    for (size_t i = first; i < end; ++i) {
        for (size_t k = 0; k < p->list[i].key_count; ++k) {
            out[at++] = (use){p->keys[p->list[i].first_key + k], i};
        }
    }
    if (*count > 1) {
        qsort(out, *count, sizeof *out, compare_uses);
    }
    return out;
}

static int compare_pairs(const void* x, const void* y) {
    const link* a = x;
    const link* b = y;
    return a->now != b->now ? (a->now < b->now ? -1 : 1)
                            : (a->before > b->before) - (a->before < b->before);
}

// adds up the links of the same two patches
static void merge_links(links* l) {
    size_t kept = 0;
    if (l->count > 1) {
        qsort(l->list, l->count, sizeof *l->list, compare_pairs);
    }
    for (size_t i = 0; i < l->count; ++i) {
        if (kept > 0 && compare_pairs(&l->list[kept - 1], &l->list[i]) == 0) {
            l->list[kept - 1].shared += l->list[i].shared;
        } else {
            l->list[kept++] = l->list[i];
        }
    }
    l->count = kept;
}

// Within one frame a triangle is in one patch of two bodies, so that each key meets one other at most.
static void link_triangles(links* l, const patches* now, const size_t range[2],
                           const patches* before, const size_t old[2]) {
    size_t counts[2];
    use* uses[2] = {uses_of(now, range[0], range[1], &counts[0]),
                    uses_of(before, old[0], old[1], &counts[1])};
    for (size_t i = 0, k = 0; i < counts[0]; ++i) {
        while (k < counts[1] && uses[1][k].key < uses[0][i].key) {
            ++k;
        }
        if (k < counts[1] && uses[1][k].key == uses[0][i].key) {
            add_link(l, uses[0][i].patch, uses[1][k].patch, 1);
        }
    }
    free(uses[0]);
    free(uses[1]);
}

static void link_without(links* l, const patches* now, const size_t range[2], const patches* before,
                         const size_t old[2]) {
    for (size_t i = range[0]; i < range[1]; ++i) {
        for (size_t k = old[0]; k < old[1] && now->list[i].key_count == 0; ++k) {
            if (before->list[k].key_count == 0) {
                add_link(l, i, k, 1);
            }
        }
    }
}

// ---- tracks

static bool same_bodies(const patch* x, const patch* y) {
    return x->a == y->a && x->b == y->b;
}

static bool is_before(const patch* x, const patch* y) {
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static size_t end_of_bodies(const patches* p, size_t first) {
    size_t end = first;
    while (end < p->count && same_bodies(&p->list[end], &p->list[first])) {
        ++end;
    }
    return end;
}

// links the patches of equal bodies
static void link_all(links* l, const patches* now, const patches* before) {
    for (size_t i = 0, k = 0; i < now->count;) {
        const size_t end = end_of_bodies(now, i);
        while (k < before->count && is_before(&before->list[k], &now->list[i])) {
            ++k;
        }
        if (k < before->count && same_bodies(&before->list[k], &now->list[i])) {
            const size_t range[2] = {i, end};
            const size_t old[2] = {k, end_of_bodies(before, k)};
            link_triangles(l, now, range, before, old);
            link_without(l, now, range, before, old);
        }
        i = end;
    }
    merge_links(l);
}

static int compare_links(const void* x, const void* y) {
    const link* a = x;
    const link* b = y;
    return a->shared != b->shared ? (a->shared > b->shared ? -1 : 1) : compare_pairs(x, y);
}

static size_t begin(tracks* t, const patch* p, uint32_t frame) {
    if (t->count == t->room) {
        t->room = 2 * t->room + 32;
        t->list = reallocate(t->list, t->room, sizeof *t->list);
    }
    t->list[t->count] = (track){frame, frame, frame, p->kind, p->pairs, *p};
    return t->count++;
}

static void go_on(track* at, const patch* p, uint32_t frame) {
    const bool worse = p->depth != at->now.depth ? p->depth > at->now.depth
                                                 : p->pairs > at->now.pairs;
    at->last = frame;
    at->kind = p->kind > at->kind ? p->kind : at->kind;
    at->most_pairs = p->pairs > at->most_pairs ? p->pairs : at->most_pairs;
    if (worse) {
        at->now = *p;
        at->worst = frame;
    }
}

// copies the patches for the next frame
static void remember(tracks* t, const patches* now, uint32_t frame) {
    patches* to = &t->before;
    to->list = reallocate(to->list, now->count, sizeof *to->list);
    to->keys = reallocate(to->keys, now->key_count, sizeof *to->keys);
    if (now->count > 0) {
        memcpy(to->list, now->list, now->count * sizeof *to->list);
    }
    if (now->key_count > 0) {
        memcpy(to->keys, now->keys, now->key_count * sizeof *to->keys);
    }
    to->count = to->room = now->count;
    to->key_count = to->key_room = now->key_count;
    t->frame = frame;
}

void tracks_add(tracks* t, const patches* now, uint32_t frame) {
    links l = {0};
    bool* used = allocate(t->before.count, sizeof *used);
    size_t* track_of = allocate(now->count, sizeof *track_of);
    memset(track_of, 0xff, now->count * sizeof *track_of);
    if (t->before.count > 0 && t->frame + 1 == frame) {
        link_all(&l, now, &t->before);
    }
    if (l.count > 1) {
        qsort(l.list, l.count, sizeof *l.list, compare_links);
    }
    for (size_t i = 0; i < l.count; ++i) {
        const link* at = &l.list[i];
        if (track_of[at->now] == SIZE_MAX && !used[at->before]) {
            used[at->before] = true;
            track_of[at->now] = t->track_of[at->before];
        }
    }
    for (size_t i = 0; i < now->count; ++i) {
        if (track_of[i] == SIZE_MAX) {
            track_of[i] = begin(t, &now->list[i], frame);
        } else {
            go_on(&t->list[track_of[i]], &now->list[i], frame);
        }
    }
    free(t->track_of);
    t->track_of = track_of;
    free(used);
    free(l.list);
    remember(t, now, frame);
}

void tracks_free(tracks* t) {
    free(t->list);
    free(t->track_of);
    patches_free(&t->before);
    *t = (tracks){0};
}

// ---- the worst first

static int compare_tracks(const void* x, const void* y) {
    const track* a = *(const track* const*)x;
    const track* b = *(const track* const*)y;
    if (a->now.depth != b->now.depth) {
        return a->now.depth > b->now.depth ? -1 : 1;
    }
    if (a->kind != b->kind) {
        return a->kind > b->kind ? -1 : 1;
    }
    if (a->most_pairs != b->most_pairs) {
        return a->most_pairs > b->most_pairs ? -1 : 1;
    }
    return (a > b) - (a < b);
}

const track** tracks_of(const tracks* t, uint32_t a, uint32_t b, uint32_t first, uint32_t last,
                        size_t* count) {
    const track** list = NULL;
    *count = 0;
    for (size_t i = 0; i < t->count; ++i) {
        const track* at = &t->list[i];
        if (at->now.a == a && at->now.b == b && at->first >= first && at->first <= last) {
            if ((*count & (*count - 1)) == 0) {
                list = reallocate(list, *count > 0 ? 2 * *count : 1, sizeof *list);
            }
            list[(*count)++] = at;
        }
    }
    if (*count > 1) {
        qsort(list, *count, sizeof *list, compare_tracks);
    }
    return list;
}
