// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Surfaces of a million triangles with hubs, which are vertices of very many triangles. Four times
// the triangles take at most six times the processor time, from the mesh to the second query. Two
// such steps are measured, because one of them may exceed the processor's caches.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "support/hubs.h"

#define MILLION 1000000u

// User time of all threads. System time is left out, because new memory costs more the more there
// is.
static double processor_time(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec;
}

typedef enum measured_query { SELF, MARGIN, NEIGHBOURS, SWEEP, NEAREST } measured_query;

static void run_measured(const world* w, abut_body_id body, measured_query what) {
    abut_collide_def def = abut_collide_def_default();
    def.margin = what == MARGIN ? 0x1p-40 : 0;
    def.include_neighbours = what == NEIGHBOURS;
    if (what == SWEEP) {
        REQUIRE_OK(abut_sweep_self(w->scene, body, NULL, w->swept, NULL));
    } else if (what == NEAREST) {
        abut_nearest_result* pairs = NULL;
        REQUIRE_OK(abut_nearest_result_create(w->context, &pairs, NULL));
        REQUIRE_OK(abut_nearest_self(w->scene, body, NULL, pairs, NULL));
        abut_nearest_result_destroy(pairs);
    } else {
        REQUIRE_OK(abut_collide_self(w->scene, body, &def, w->result, NULL));
    }
}

// mesh, shape, two states and two queries; the least of three runs
static double time_of(hub_kind kind, uint32_t triangles, measured_query what) {
    double least = 1e9;
    surface s = hub_surface(kind, triangles);
    surface moved = surface_copy(&s);
    for (uint32_t v = 0; v < s.vertex_count; ++v) {  // too rough for certificates in sweeps
        moved.xyz[3 * (size_t)v + 2] += what == SWEEP ? 0x1p-10 * sin(v) : 0;
    }
    for (int i = 0; i < 3; ++i) {
        const double start = processor_time();
        world w = world_make(NULL, NULL);
        const abut_body_id body = world_add(&w, &s, NULL, NULL);
        for (int step = 0; step < 2; ++step) {
            const double* xyz = step == 0 ? s.xyz : moved.xyz;
            REQUIRE_OK(abut_body_set_positions(w.scene, body,
                                               abut_positions_f64(xyz, s.vertex_count), NULL));
        }
        run_measured(&w, body, what);
        run_measured(&w, body, what);
        world_free(&w);
        const double taken = processor_time() - start;
        least = taken < least ? taken : least;
    }
    surface_free(&s);
    surface_free(&moved);
    return least;
}

static void require_near_linear(hub_kind kind, uint32_t triangles, measured_query what) {
    static const char* const names[] = {"self", "margin", "neighbours", "sweep", "nearest"};
    const double less = time_of(kind, triangles / 16, what);
    const double more = time_of(kind, triangles, what);
    where("%s of a %s of %u triangles: %.3f s and %.3f s", names[what], hub_name(kind), triangles,
          less, more);
    print_message("%s\n", where_text());
    REQUIRE(more <= 6 * 6 * less);
}

static void test_self_queries(void** state) {
    (void)state;
    for (hub_kind kind = 0; kind < HUB_KINDS; ++kind) {
        require_near_linear(kind, MILLION, SELF);
        require_near_linear(kind, MILLION, MARGIN);
    }
}

static void test_other_queries(void** state) {
    (void)state;
    require_near_linear(HUB_FAN, MILLION / 4, NEIGHBOURS);
    require_near_linear(HUB_TWO, MILLION / 4, NEIGHBOURS);
    require_near_linear(HUB_BIPYRAMID, MILLION / 4, NEIGHBOURS);
    require_near_linear(HUB_FAN, MILLION, SWEEP);
    require_near_linear(HUB_TWO, MILLION, SWEEP);
    require_near_linear(HUB_CYLINDER, MILLION, SWEEP);
    require_near_linear(HUB_FAN, MILLION, NEAREST);
    require_near_linear(HUB_HEDGEHOG, MILLION, NEAREST);
    require_near_linear(HUB_DUPLICATES, MILLION, NEAREST);
    require_near_linear(HUB_SOUP, MILLION, NEAREST);
    require_near_linear(HUB_BOOK, MILLION, NEAREST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_self_queries),
        cmocka_unit_test(test_other_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
