// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Finds features within a distance: vertices with faces, and edges with edges.
#include "cli/message.h"
#include "cli/world.h"

#include <math.h>
#include <string.h>

static bool make_result(const world* w, abut_features_result** result) {
    const abut_status status = *result != NULL
                                   ? ABUT_OK
                                   : abut_features_result_create(w->context, result, NULL);
    if (status != ABUT_OK) {
        complain("%s", abut_status_text(status));
    }
    return status == ABUT_OK;
}

bool world_ask_features(world* w, const question* q, abut_counters* work) {
    abut_error error = {0};
    abut_features_def def = abut_features_def_default();
    def.distance = q->within;
    def.filter = w->aside.features;
    def.head.counters = work;
    if (!make_result(w, &w->features) || !make_result(w, &w->features_self)) {
        return false;
    }
    abut_status status = ABUT_OK;
    if (q->features) {
        status = abut_features_all(w->scene, &def, w->features, &error);
    }
    if (q->features_self && status == ABUT_OK) {
        status = abut_features_self_all(w->scene, &def, w->features_self, &error);
    }
    if (status != ABUT_OK) {
        complain("%s", error.message);
    }
    return status == ABUT_OK;
}

void world_forget_features(world* w) {
    abut_features_result_destroy(w->features);
    abut_features_result_destroy(w->features_self);
}

void world_each_feature_list(const world* w, const question* q, feature_list_fn fn, void* user) {
    const abut_features_result* answers[2] = {q->features ? w->features : NULL,
                                              q->features_self ? w->features_self : NULL};
    for (int k = 0; k < 2; ++k) {
        size_t count = 0;
        const abut_feature_pair* rows = answers[k] != NULL
                                            ? abut_features_result_pairs(answers[k], &count)
                                            : NULL;
        for (size_t first = 0, end; first < count; first = end) {
            const abut_feature_pair* row = &rows[first];
            end = first + 1;
            while (end < count && rows[end].body_a == row->body_a &&
                   rows[end].body_b == row->body_b) {
                ++end;
            }
            const feature_list list = {w->number_of[row->body_a], w->number_of[row->body_b], row,
                                       end - first};
            fn(user, &list);
        }
    }
}

static bool point_of(const world* w, uint32_t body, const uint32_t vertices[3],
                     const double weights[3], double point[3]) {
    memset(point, 0, 3 * sizeof *point);
    for (int k = 0; k < 3 && vertices[k] != UINT32_MAX; ++k) {
        double x[3];
        if (abut_body_world_vertex(w->scene, w->bodies[body], vertices[k], x, NULL) != ABUT_OK) {
            return false;
        }
        for (int d = 0; d < 3; ++d) {
            point[d] += weights[k] * x[d];
        }
    }
    return true;
}

bool world_feature_points(const world* w, const abut_feature_pair* p, double point_a[3],
                          double point_b[3]) {
    return point_of(w, w->number_of[p->body_a], p->vertices_a, p->weights_a, point_a) &&
           point_of(w, w->number_of[p->body_b], p->vertices_b, p->weights_b, point_b);
}
