// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Closest points by brute force: the distance of every triangle, then a sort.
#ifndef ABUT_TESTS_CLOSEST_SUPPORT_H
#define ABUT_TESTS_CLOSEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abut/closest.h"
#include "exact/point_distance.h"
#include "support/judge.h"
#include "support/world.h"

// all triangles of some bodies
typedef struct facet {
    uint32_t body;
    uint32_t triangle;
    double t[3][3];
} facet;

typedef struct facets {
    facet* all;
    size_t count;
} facets;

static void facets_add(facets* f, const abut_scene* scene, abut_body_id body) {
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(scene, body));
    const uint32_t count = abut_mesh_triangle_count(mesh);
    const uint32_t* triangles = abut_mesh_triangles(mesh);
    f->all = realloc(f->all, (f->count + count) * sizeof *f->all);
    assert_non_null(f->all);
    for (uint32_t t = 0; t < count; ++t) {
        facet* own = &f->all[f->count++];
        own->body = body.index;
        own->triangle = t;
        for (int c = 0; c < 3; ++c) {
            REQUIRE_OK(abut_body_world_vertex(scene, body, triangles[3 * t + (uint32_t)c],
                                              own->t[c], NULL));
        }
    }
}

static int row_compare(const void* a, const void* b) {
    const abut_closest_point* x = a;
    const abut_closest_point* y = b;
    return x->distance != y->distance   ? (x->distance < y->distance ? -1 : 1)
           : x->body != y->body         ? (x->body < y->body ? -1 : 1)
           : x->triangle != y->triangle ? (x->triangle < y->triangle ? -1 : 1)
                                        : 0;
}

// Whether the exact distance is at most the greatest one that counts.
static bool facet_within(const facet* f, const double x[3], double most) {
    const double q[3][3] = {{x[0], x[1], x[2]}, {x[0], x[1], x[2]}, {x[0], x[1], x[2]}};
    bool within = most == INFINITY;
    if (!within) {
        REQUIRE_OK(abut_triangles_within((const double(*)[3])f->t, q, most, &within));
    }
    return within;
}

// The rows of a point, without sides; the caller frees them.
static abut_closest_point* brute_rows(const facets* f, uint32_t point, const double x[3],
                                      const abut_closest_def* def, size_t* count) {
    abut_closest_point* rows = test_alloc(f->count + 1, sizeof *rows);
    *count = 0;
    for (size_t i = 0; i < f->count; ++i) {
        const facet* own = &f->all[i];
        if (def->filter.fn != NULL && !def->filter.fn(def->filter.user, own->body, own->triangle)) {
            continue;
        }
        abut_closest_point* row = &rows[*count];
        memset(row, 0, sizeof *row);
        row->point = point;
        row->body = own->body;
        row->triangle = own->triangle;
        row->side = ABUT_SIDE_UNDEFINED;
        abut__point_distance((const double(*)[3])own->t, x, &row->distance, &row->nearest);
        *count += facet_within(own, x, def->max_distance);
    }
    qsort(rows, *count, sizeof *rows, row_compare);
    *count = def->most != 0 && *count > def->most ? def->most : *count;
    return rows;
}

static void require_same_row(const abut_closest_point* got, const abut_closest_point* wanted) {
    REQUIRE(got->point == wanted->point);
    REQUIRE(got->distance == wanted->distance);
    REQUIRE(got->body == wanted->body);
    REQUIRE(got->triangle == wanted->triangle);
    REQUIRE(memcmp(&got->nearest, &wanted->nearest, sizeof got->nearest) == 0);
}

// Compares all rows of a query; distances may have signs.
static void check_rows(const facets* f, const double (*points)[3], uint32_t point_count,
                       const abut_closest_def* def, const abut_closest_result* result) {
    size_t count = 0;
    const abut_closest_point* rows = abut_closest_result_points(result, &count);
    size_t at = 0;
    char text[160];
    snprintf(text, sizeof text, "%s", where_text());
    for (uint32_t i = 0; i < point_count; ++i) {
        size_t wanted_count;
        abut_closest_point* wanted = brute_rows(f, i, points[i], def, &wanted_count);
        for (size_t k = 0; k < wanted_count; ++k) {
            where("%s, point %u (%a %a %a), row %zu of %zu", text, i, points[i][0], points[i][1],
                  points[i][2], k, wanted_count);
            REQUIRE(at < count);
            abut_closest_point got = rows[at++];
            got.distance = fabs(got.distance);
            require_same_row(&got, &wanted[k]);
        }
        free(wanted);
    }
    where("%s", text);
    REQUIRE(at == count);
}

#endif  // ABUT_TESTS_CLOSEST_SUPPORT_H
