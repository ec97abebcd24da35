// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds distances between the bodies of the world.
#include "cli/message.h"
#include "cli/world.h"

#include <math.h>

// with more bodies only the closest other one of each is found
enum { MOST_BODIES_BY_PAIRS = 32 };

static void take_gaps(world* w) {
    size_t count = 0;
    const abut_distance_pair* list = abut_nearest_result_pairs(w->near, &count);
    w->gaps = reallocate(w->gaps, w->gap_count + count, sizeof *w->gaps);
    for (size_t i = 0; i < count; ++i) {
        w->gaps[w->gap_count++] = list[i];
    }
}

// false after an error message
static bool ask_all_pairs(world* w, const abut_nearest_def* def) {
    abut_status status = ABUT_OK;
    for (uint32_t a = 0; a < w->body_count && status == ABUT_OK; ++a) {
        for (uint32_t b = a + 1; b < w->body_count && status == ABUT_OK; ++b) {
            status = abut_nearest(w->scene, w->bodies[a], w->bodies[b], def, w->near, NULL);
            if (status == ABUT_OK) {
                take_gaps(w);
            } else {
                world_complain(w, status, a, b);
            }
        }
    }
    return status == ABUT_OK;
}

bool world_ask_nearest(world* w, const question* q, abut_counters* work) {
    abut_nearest_def def = abut_nearest_def_default();
    def.max_distance = q->within;
    def.head.counters = work;
    w->gap_count = 0;
    abut_status status = w->near != NULL ? ABUT_OK
                                         : abut_nearest_result_create(w->context, &w->near, NULL);
    if (status == ABUT_OK && w->body_count <= MOST_BODIES_BY_PAIRS) {
        return ask_all_pairs(w, &def);
    }
    if (status == ABUT_OK) {
        status = abut_nearest_all(w->scene, &def, w->near, NULL);
    }
    if (status != ABUT_OK) {
        complain("%s", abut_status_text(status));
        return false;
    }
    take_gaps(w);
    return true;
}

bool gap_has_points(const abut_distance_pair* gap) {
    return isfinite(gap->distance);
}

bool gap_counts(const abut_distance_pair* gap, const question* q) {
    return gap->distance == 0 || q->limited;
}
