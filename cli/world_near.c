// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// How far the bodies of the world are apart, and the same as JSON.
#include "cli/json.h"
#include "cli/message.h"
#include "cli/world.h"

#include <stdlib.h>

// with more bodies than that, the closest other one of each instead of every two
enum { MOST_BODIES_BY_PAIRS = 32 };

static void take_gaps(world* w) {
    size_t count = 0;
    const abut_gap* list = abut_gaps_list(w->near, &count);
    w->gaps = reallocate(w->gaps, w->gap_count + count, sizeof *w->gaps);
    for (size_t i = 0; i < count; ++i) {
        w->gaps[w->gap_count++] = list[i];
    }
}

static abut_status ask_every_two(world* w, const abut_nearest_def* def) {
    abut_status status = ABUT_OK;
    for (uint32_t a = 0; a < w->body_count; ++a) {
        for (uint32_t b = a + 1; b < w->body_count && status == ABUT_OK; ++b) {
            status = abut_nearest(w->scene, w->bodies[a], w->bodies[b], def, w->near);
            if (status == ABUT_OK) {
                take_gaps(w);
            }
        }
    }
    return status;
}

bool world_ask_nearest(world* w, const question* q, abut_counters* work) {
    abut_nearest_def def = abut_nearest_def_default();
    def.within = q->within;
    def.counters = work;
    w->gap_count = 0;
    abut_status status = w->near != NULL ? ABUT_OK : abut_gaps_create(w->context, &w->near, NULL);
    if (status == ABUT_OK && w->body_count <= MOST_BODIES_BY_PAIRS) {
        status = ask_every_two(w, &def);
    } else if (status == ABUT_OK) {
        status = abut_nearest_all(w->scene, &def, w->near);
        if (status == ABUT_OK) {
            take_gaps(w);
        }
    }
    if (status != ABUT_OK) {
        complain("%s", abut_status_text(status));
    }
    return status == ABUT_OK;
}

bool gap_counts(const abut_gap* gap, const question* q) {
    return gap->distance == 0 || q->limited;
}

static const char* feature_name(abut_feature feature) {
    switch (feature) {
        case ABUT_FEATURE_VERTEX: return "vertex";
        case ABUT_FEATURE_EDGE: return "edge";
        case ABUT_FEATURE_FACE: return "face";
    }
    return "unknown";
}

static void add_witness(json_t* entry, const char* point, const char* feature, const char* index,
                        const abut_witness* w) {
    json_object_set_new(entry, point, json_vector(w->point));
    json_object_set_new(entry, feature, json_text(feature_name(w->feature)));
    json_object_set_new(entry, index, json_count(w->index));
}

json_t* world_nearest_json(const world* w) {
    json_t* list = json_array();
    for (size_t i = 0; i < w->gap_count; ++i) {
        const abut_gap* g = &w->gaps[i];
        json_t* entry = json_object();
        json_object_set_new(entry, "a", json_count(w->number_of[g->body_a]));
        json_object_set_new(entry, "b", json_count(w->number_of[g->body_b]));
        json_object_set_new(entry, "distance", json_real(g->distance));
        json_object_set_new(entry, "triangle_a", json_count(g->triangle_a));
        json_object_set_new(entry, "triangle_b", json_count(g->triangle_b));
        add_witness(entry, "point_a", "feature_a", "index_a", &g->a);
        add_witness(entry, "point_b", "feature_b", "index_b", &g->b);
        json_array_append_new(list, entry);
    }
    return list;
}
