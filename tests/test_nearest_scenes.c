// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Proximity on whole scenes, frame by frame, while bodies deform, break, appear and vanish: by
// trees from scratch, by trees with the cache of the last step, and by Voronoi culling. All three
// give the same bits, and these equal all pairs of triangles: closest features in long double and
// contact in rationals, with no code of the library. Scaling a scene by a power of two scales its
// answers.

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/judge.h"
#include "support/near.h"
#include "support/scenery.h"

typedef enum method { COLD, WARM, VORONOI } method;
#define METHODS 3

static const char* const method_names[METHODS] = {"from scratch", "from the last step", "Voronoi"};

typedef enum nearest_query { ALL, TRIANGLES, SELF } nearest_query;
#define QUERIES 3

typedef struct stage {
    const char* name;
    uint32_t frame;
    scene* from;
    uint32_t body_count;
    double scale;
    world w;
    abut_body_id* ids;
    abut_nearest_result* pairs[METHODS][QUERIES];
} stage;

// ---- bodies of a scene

static stage stage_make(const char* name, uint32_t triangles, double scale) {
    stage s = {.name = name, .from = scene_create(name, triangles, 9, 1), .scale = scale};
    assert_non_null(s.from);
    s.body_count = scene_body_count(s.from);
    s.w = world_make(NULL, NULL);
    s.ids = test_alloc(s.body_count, sizeof *s.ids);
    memset(s.ids, 0, s.body_count * sizeof *s.ids);
    for (int i = 0; i < METHODS * QUERIES; ++i) {
        REQUIRE_OK(
            abut_nearest_result_create(s.w.context, &s.pairs[i / QUERIES][i % QUERIES], NULL));
    }
    return s;
}

static void stage_free(stage* s) {
    for (int i = 0; i < METHODS * QUERIES; ++i) {
        abut_nearest_result_destroy(s->pairs[i / QUERIES][i % QUERIES]);
    }
    world_free(&s->w);
    scene_destroy(s->from);
    free(s->ids);
}

static void stage_set(stage* s, uint32_t frame) {
    s->frame = frame;
    for (uint32_t i = 0; i < s->body_count; ++i) {
        scenery_follow(&s->w, s->from, i, frame, s->scale, &s->ids[i]);
    }
}

static abut_body_id first_body(const stage* s) {
    uint32_t i = 0;
    while (!abut_body_is_valid(s->w.scene, s->ids[i])) {
        ++i;
    }
    return s->ids[i];
}

static const abut_distance_pair* query_counted(stage* s, method by, nearest_query q, size_t* count,
                                               abut_counters* counters) {
    abut_nearest_def def = abut_nearest_def_default();
    def.head.counters = counters;
    abut_nearest_result* pairs = s->pairs[by][q];
    const abut_body_id a = first_body(s);
    def.culling.kind = by == VORONOI ? ABUT_CULLING_VORONOI : ABUT_CULLING_TREE;
    if (by == COLD) {
        abut_nearest_result_clear(pairs);
    }
    switch (q) {
        case ALL: REQUIRE_OK(abut_nearest_all(s->w.scene, &def, pairs, NULL)); break;
        case TRIANGLES: REQUIRE_OK(abut_nearest_triangles(s->w.scene, a, &def, pairs, NULL)); break;
        case SELF: REQUIRE_OK(abut_nearest_self(s->w.scene, a, &def, pairs, NULL)); break;
    }
    return abut_nearest_result_pairs(pairs, count);
}

static const abut_distance_pair* query_nearest(stage* s, method by, nearest_query q,
                                               size_t* count) {
    return query_counted(s, by, q, count, NULL);
}

// ---- all pairs

typedef struct facet {
    abut_body_id body;
    uint32_t triangle;
    const uint32_t* classes;
    const uint32_t* corner_ids;
    double corner[3][3];
    double lo[3];
    double hi[3];
} facet;

typedef struct facets {
    facet* all;
    size_t count;
} facets;

static void add_facets(const abut_scene* in, abut_body_id body, facets* f) {
    const abut_mesh* mesh = abut_shape_mesh(abut_body_shape(in, body));
    for (uint32_t t = 0; t < abut_mesh_triangle_count(mesh); ++t) {
        facet* one = &f->all[f->count++];
        *one = (facet){.body = body,
                       .triangle = t,
                       .classes = abut_mesh_classes(mesh),
                       .corner_ids = abut_mesh_triangles(mesh) + 3 * (size_t)t};
        for (int i = 0; i < 3; ++i) {
            REQUIRE_OK(abut_body_vertex(in, body, one->corner_ids[i], one->corner[i], NULL));
        }
        for (int d = 0; d < 3; ++d) {
            one->lo[d] = fmin(one->corner[0][d], fmin(one->corner[1][d], one->corner[2][d]));
            one->hi[d] = fmax(one->corner[0][d], fmax(one->corner[1][d], one->corner[2][d]));
        }
    }
}

static facets facets_make(const stage* s) {
    size_t room = 0;
    for (uint32_t i = 0; i < s->body_count; ++i) {
        room += scene_get_body(s->from, i)->triangle_count;
    }
    facets f = {.all = test_alloc(room, sizeof *f.all)};
    for (uint32_t i = 0; i < s->body_count; ++i) {
        if (abut_body_is_valid(s->w.scene, s->ids[i])) {
            add_facets(s->w.scene, s->ids[i], &f);
        }
    }
    return f;
}

static double box_distance(const facet* a, const facet* b) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
        const double gap = fmax(0, fmax(a->lo[d] - b->hi[d], b->lo[d] - a->hi[d]));
        square += gap * gap;
    }
    return sqrt(square);
}

static bool share_a_vertex(const facet* a, const facet* b) {
    bool any = false;
    for (int i = 0; i < 9; ++i) {
        any |= a->classes[a->corner_ids[i / 3]] == b->classes[b->corner_ids[i % 3]];
    }
    return any;
}

static double facet_distance(const facet* a, const facet* b) {
    return box_distance(a, b) == 0 &&
                   judge_touch((const double(*)[3])a->corner, (const double(*)[3])b->corner)
               ? 0
               : plain_distance((const double(*)[3])a->corner, (const double(*)[3])b->corner);
}

// The closest of all for each body, or for each triangle of the first one; infinite: none.
static double* brute_force(const facets* f, nearest_query q, uint32_t answers, uint32_t first) {
    double* best = test_alloc(answers, sizeof *best);
    for (uint32_t k = 0; k < answers; ++k) {
        best[k] = INFINITY;
    }
    for (size_t i = 0; i < f->count; ++i) {
        const facet* a = &f->all[i];
        double* own = &best[q == ALL ? a->body.index : a->triangle];
        for (size_t k = 0; k < f->count && (q == ALL || a->body.index == first); ++k) {
            const facet* b = &f->all[k];
            // if the boxes are farther apart than the best distance, so are the triangles
            if (i == k || (a->body.index == b->body.index) != (q == SELF) ||
                !(box_distance(a, b) < *own) || (q == SELF && share_a_vertex(a, b))) {
                continue;
            }
            *own = fmin(*own, facet_distance(a, b));
        }
    }
    return best;
}

// ---- comparisons

static void require_same(const abut_distance_pair* x, const abut_distance_pair* y, double factor) {
    REQUIRE(x->body_a == y->body_a && x->body_b == y->body_b);
    REQUIRE(x->triangle_a == y->triangle_a && x->triangle_b == y->triangle_b);
    REQUIRE(x->distance == factor * y->distance);
    // other bits may lead to other points, and touching triangles have many closest points
    const double room = factor == 1 ? 0 : y->distance == 0 ? INFINITY : 1e-12 * factor;
    for (int d = 0; d < 3; ++d) {
        REQUIRE(fabs(x->a.point[d] - factor * y->a.point[d]) <= room);
        REQUIRE(fabs(x->b.point[d] - factor * y->b.point[d]) <= room);
    }
}

static const facet* find_facet(const facets* f, uint32_t body, uint32_t triangle) {
    size_t i = 0;
    while (f->all[i].body.index != body || f->all[i].triangle != triangle) {
        ++i;
    }
    return &f->all[i];
}

// Each item with a closest one has a distance pair. Its distance is that of all pairs, and that of
// the two triangles it names.
static void check_query(stage* s, const facets* f, nearest_query q) {
    size_t count;
    const abut_distance_pair* pairs = query_nearest(s, COLD, q, &count);
    const uint32_t first = first_body(s).index;
    const abut_shape* shape = abut_body_shape(s->w.scene, first_body(s));
    const uint32_t answers = q == ALL ? abut_scene_body_limit(s->w.scene)
                                      : abut_mesh_triangle_count(abut_shape_mesh(shape));
    double* wanted = brute_force(f, q, answers, first);
    size_t finite = 0;
    for (uint32_t k = 0; k < answers; ++k) {
        finite += isfinite(wanted[k]) ? 1 : 0;
    }
    REQUIRE(count == finite);
    for (size_t i = 0; i < count; ++i) {
        const double least = wanted[q == ALL ? pairs[i].body_a : pairs[i].triangle_a];
        const facet* a = find_facet(f, pairs[i].body_a, pairs[i].triangle_a);
        const facet* b = find_facet(f, pairs[i].body_b, pairs[i].triangle_b);
        const double tolerance = 1e-12 * s->scale;
        REQUIRE((least == 0) == (pairs[i].distance == 0));
        REQUIRE(fabs(pairs[i].distance - least) <= tolerance);
        REQUIRE(fabs(facet_distance(a, b) - least) <= tolerance);
    }
    for (int by = WARM; by < METHODS; ++by) {
        size_t others;
        const abut_distance_pair* other = query_nearest(s, (method)by, q, &others);
        where("%s, frame %u, query %d, %s", s->name, s->frame, q, method_names[by]);
        REQUIRE(others == count);
        for (size_t i = 0; i < count; ++i) {
            require_same(&other[i], &pairs[i], 1);
        }
    }
    free(wanted);
}

static const struct {
    const char* name;
    uint32_t triangles;
} small[] = {{"skirt", 600},   {"cloth_ball", 200}, {"bowl", 400},
             {"letters", 800}, {"breaking", 0},     {"crowd", 3000}};
enum { SCENES = sizeof small / sizeof *small };

static void test_scenes_match_all_pairs(void** state) {
    (void)state;
    const uint32_t step = effort(8, 4, 1);
    for (size_t i = 0; i < SCENES; ++i) {
        stage s = stage_make(small[i].name, small[i].triangles / effort(2, 1, 1), 1);
        for (uint32_t frame = effort(8, 0, 0); frame < 9; frame += step) {
            stage_set(&s, frame);
            facets f = facets_make(&s);
            for (int q = 0; q < QUERIES; ++q) {
                where("%s, frame %u, query %d", small[i].name, frame, q);
                check_query(&s, &f, (nearest_query)q);
            }
            free(f.all);
        }
        stage_free(&s);
    }
}

static void test_powers_of_two_scale_the_distances(void** state) {
    (void)state;
    static const int powers[] = {-40, -300, -1, 5, 90, 300};
    for (size_t i = 0; i < SCENES; ++i) {
        stage s = stage_make(small[i].name, small[i].triangles / effort(2, 1, 1), 1);
        stage_set(&s, 5);
        for (size_t p = 0; p < sizeof powers / sizeof *powers; p += effort(3, 1, 1)) {
            stage scaled = stage_make(small[i].name, small[i].triangles / effort(2, 1, 1),
                                      ldexp(1, powers[p]));
            stage_set(&scaled, 5);
            for (int k = 0; k < QUERIES * METHODS; ++k) {
                const nearest_query q = (nearest_query)(k / METHODS);
                const method by = (method)(k % METHODS);
                size_t count[2];
                const abut_distance_pair* x = query_nearest(&s, by, q, &count[0]);
                const abut_distance_pair* y = query_nearest(&scaled, by, q, &count[1]);
                where("%s times 2^%d, query %d, %s", small[i].name, powers[p], q, method_names[by]);
                REQUIRE(count[0] == count[1]);
                for (size_t g = 0; g < count[0]; ++g) {
                    require_same(&y[g], &x[g], scaled.scale);
                }
            }
            stage_free(&scaled);
        }
        stage_free(&s);
    }
}

// A remembered pair may be far off when bodies have slid along each other. The search from it takes
// at most a twentieth more work than one from scratch: pairs measured and boxes compared.
static void test_last_step_never_costs_more(void** state) {
    (void)state;
    static const struct {
        const char* name;
        uint32_t triangles;
    } sliding[] = {{"letters", 9000}, {"bowl", 1740}, {"breaking", 2800}, {"skirt", 3000}};
    for (size_t i = 0; i < sizeof sliding / sizeof *sliding; ++i) {
        stage s = stage_make(sliding[i].name, sliding[i].triangles, 1);
        abut_counters work[2] = {0};
        for (uint32_t turn = 0; turn < 6; ++turn) {
            stage_set(&s, turn * 4 % 9);  // far from one to the next, and back
            for (int by = COLD; by <= WARM; ++by) {
                for (int q = 0; q < QUERIES; ++q) {
                    size_t count;
                    query_counted(&s, (method)by, (nearest_query)q, &count, &work[by]);
                }
            }
        }
        where("%s: %llu pairs and %llu boxes from scratch, %llu and %llu from the last step",
              sliding[i].name, (unsigned long long)work[COLD].exact_tests,
              (unsigned long long)work[COLD].boxes_tested,
              (unsigned long long)work[WARM].exact_tests,
              (unsigned long long)work[WARM].boxes_tested);
        REQUIRE(20 * work[WARM].exact_tests <= 21 * work[COLD].exact_tests);
        REQUIRE(20 * work[WARM].boxes_tested <= 21 * work[COLD].boxes_tested);
        stage_free(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes_match_all_pairs),
        cmocka_unit_test(test_powers_of_two_scale_the_distances),
        cmocka_unit_test(test_last_step_never_costs_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
