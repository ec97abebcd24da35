// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Lists which pairs began, continued and ended between two results: a merge of two sorted lists.
#include "abut/changes.h"
#include "query/query.h"

typedef ABUT__VECTOR(abut_pair) pair_list;

struct abut_changes {
    const abut_context* context;
    pair_list last;
    pair_list pairs[3];   // by abut_change
    pair_list bodies[3];  // by abut_change
};

abut_status abut_changes_create(abut_context* context, abut_changes** changes, abut_error* error) {
    if (context == NULL || changes == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "context and the place for the changes must not be NULL");
    }
    abut_changes* made = abut__alloc_zero(context, 1, sizeof *made);
    if (made == NULL) {
        return abut__fail_memory(error);
    }
    made->context = context;
    *changes = made;
    return ABUT_OK;
}

void abut_changes_destroy(abut_changes* changes) {
    if (changes == NULL) {
        return;
    }
    const abut_context* context = changes->context;
    abut__drop(context, &changes->last);
    for (int c = 0; c < 3; ++c) {
        abut__drop(context, &changes->pairs[c]);
        abut__drop(context, &changes->bodies[c]);
    }
    abut__free(context, changes, 1, sizeof *changes);
}

static int compare(const abut_pair* x, const abut_pair* y, bool bodies_only) {
    if (x->body_a != y->body_a) {
        return x->body_a < y->body_a ? -1 : 1;
    }
    if (x->body_b != y->body_b) {
        return x->body_b < y->body_b ? -1 : 1;
    }
    if (bodies_only) {
        return 0;
    }
    if (x->triangle_a != y->triangle_a) {
        return x->triangle_a < y->triangle_a ? -1 : 1;
    }
    return x->triangle_b == y->triangle_b ? 0 : x->triangle_b < y->triangle_b ? -1 : 1;
}

// memory was reserved before
static void add(pair_list* list, const abut_pair* pair, bool bodies_only) {
    abut_pair* place = list->data + list->count++;
    *place = *pair;
    if (bodies_only) {
        place->triangle_a = place->triangle_b = 0;
    }
}

// returns the next element that differs from the current one in what is compared
static size_t next(const abut_pair* list, size_t count, size_t i, bool bodies_only) {
    size_t k = i + 1;
    while (k < count && compare(&list[k], &list[i], bodies_only) == 0) {
        ++k;
    }
    return k;
}

static void merge(const abut_pair* old, size_t old_count, const abut_pair* now, size_t now_count,
                  bool bodies_only, pair_list out[3]) {
    out[0].count = out[1].count = out[2].count = 0;
    size_t i = 0;
    size_t k = 0;
    while (i < old_count || k < now_count) {
        int order = i == old_count ? 1 : -1;
        if (i < old_count && k < now_count) {
            order = compare(&old[i], &now[k], bodies_only);
        }
        const abut_change change = order < 0   ? ABUT_CHANGE_ENDED
                                   : order > 0 ? ABUT_CHANGE_BEGUN
                                               : ABUT_CHANGE_CONTINUED;
        add(&out[change], order < 0 ? &old[i] : &now[k], bodies_only);
        i = order <= 0 ? next(old, old_count, i, bodies_only) : i;
        k = order >= 0 ? next(now, now_count, k, bodies_only) : k;
    }
}

// reserves memory for the longest possible lists, so that an update cannot fail halfway
static bool reserve(abut_changes* changes, size_t count) {
    const abut_context* context = changes->context;
    const size_t old = changes->last.count;
    const size_t most = count > old ? count : old;
    bool done = abut__reserve(context, &changes->last, count);
    for (int c = 0; c < 3 && done; ++c) {
        done = abut__reserve(context, &changes->pairs[c], most) &&
               abut__reserve(context, &changes->bodies[c], most);
    }
    return done;
}

abut_status abut_changes_update(abut_changes* changes, const abut_collide_result* result,
                                abut_error* error) {
    if (changes == NULL || result == NULL) {
        return abut__fail(error, ABUT_ERR_INVALID_ARGUMENT, ABUT_ELEMENT_NONE, 0,
                          "changes and result must not be NULL");
    }
    size_t count = 0;
    const abut_pair* now = abut_collide_result_pairs(result, &count);
    if (!reserve(changes, count)) {
        return abut__fail_memory(error);
    }
    const abut_pair* old = changes->last.data;
    merge(old, changes->last.count, now, count, false, changes->pairs);
    merge(old, changes->last.count, now, count, true, changes->bodies);
    if (count > 0) {
        memcpy(changes->last.data, now, count * sizeof *now);
    }
    changes->last.count = count;
    return ABUT_OK;
}

// an empty list if there is no such change
static const pair_list* list_of(const pair_list lists[3], abut_change change) {
    static const pair_list none;
    return (unsigned)change <= ABUT_CHANGE_ENDED ? &lists[change] : &none;
}

const abut_pair* abut_changes_pairs(const abut_changes* changes, abut_change change,
                                    size_t* count) {
    return abut__contents(list_of(changes->pairs, change), count);
}

const abut_pair* abut_changes_body_pairs(const abut_changes* changes, abut_change change,
                                         size_t* count) {
    return abut__contents(list_of(changes->bodies, change), count);
}
